# Of dlp waits: the rows.
$1 == "#sum" { for (i = 2; i <= NF; i++) a[$i] = i }
$1 == "sum" && $(a["kind"]) != "cuda" { os = 1 }
$1 == "##end" { ended = 1 }
{ print }
END {
	if (ended && !os)
		print "dlp waits: no calls of the operating system;" \
		    " record them with --trace=osrt" >"/dev/stderr"
}
