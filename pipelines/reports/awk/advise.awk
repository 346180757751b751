# Of dlp advise: findings that fired, or with all those of every rule but what
# DLProf found and its database holds.
# A step gains less than 2 %.
function little() {
	return $(at["gain_ns"]) != "-" && \
	    50 * $(at["gain_ns"]) < $(at["step_ns"])
}
/^#finding\t/ {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	print
}
/^finding\t/ {
	if (all ? $(at["judged"]) == "stored" : \
	    $(at["judged"]) != "yes" || $(at["part_of"]) != "-" || little())
		next
	print
	n++
	found = 1
}
$1 == "##dlp" { n = 0 }
$1 == "##end" { print $1, n + 0; whole = 1; next }
/^##/
END {
	if (whole && !found)
		print "dlp advise: no rule fired; -a shows all of them, and" \
		    " what could not be judged" >"/dev/stderr"
}
