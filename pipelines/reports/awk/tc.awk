# Of dlp tc: chooses the groups that it shows, and says what no row says. The record
# unknown is the time of kernels that may or may not be eligible.
$1 == "#agg" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
}
$1 == "agg" {
	any = 1
	yes = $(a["tc_eligible"]) == "yes"
	could = could || yes
	shown = $(a["tc_why"]) != "-" && (all || yes)
	found = found || shown
}
$1 == "unknown" && $2 != "-" { dark += $2 }
$1 ~ /^#?(dark|dim|unknown)$/ { next }
$1 == "##dlp" { n = 0; cores = "Tensor Cores" }
$1 == "##info" && $2 == "vendor" && $3 == "amd" { cores = "matrix cores" }
$1 == "agg" && !shown { next }
$1 == "##end" { print $1, n + 0; whole = 1; next }
{ print; n += $1 == "agg" }
END {
	if (whole && any && !found)
		print "dlp tc: " (could ? "all that could use" : \
		    "no kernel is known that could use") \
		    " " cores (could ? " does" : "") >"/dev/stderr"
	if (whole && dark > 0)
		printf "dlp tc: whether they could use " cores " is" \
		    " not known of %.4g %s of kernels\n", \
		    dark / (dark < 1e5 ? 1e3 : 1e6), \
		    (dark < 1e5 ? "us" : "ms") >"/dev/stderr"
}
