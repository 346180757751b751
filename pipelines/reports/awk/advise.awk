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
$1 == "##dlp" { n = bare = fixed = untimed = 0 }
$1 == "##info" && $2 == "times" { untimed = 1 } # dlp whatif needs them
$1 == "##info" && $2 == "step_bare_ns" { bare = $3 / 1e6 }
$1 == "##info" && $2 == "step_all_ns" { fixed = $3 / 1e6 }
$1 == "##end" { print $1, n + 0; whole = 1; next }
/^##/
END {
	if (whole && n > 1 && fixed > 0 && !all && !untimed && !at["src"])
		printf "dlp advise: all that can be replayed, fixed together:" \
		    " %.3g -> %.3g ms (dlp whatif --all)\n", bare, fixed >"/dev/stderr"
	if (whole && !found)
		print "dlp advise: no finding gains 2 % of a step; -a shows" \
		    " all checks, and what they lack" >"/dev/stderr"
}
