# Of dlp tc: the rows.
$1 == "#agg" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
	print "#tc", (src != "" ? "src" OFS : "") "op", "dir", \
	    "why", "dur_pct", "sum_dur_ns", "n", "dtype", "tc", \
	    "kernel", "shapes"
}
$1 == "agg" {
	any = 1
	yes = $(a["tc_eligible"]) == "yes"
	could = could || yes
	if ($(a["tc_eligible"]) == "unknown" && \
	    ($(a["tc_why"]) != "-" || $(a["tc"]) == "unknown"))
		dark += $(a["sum_dur_ns"])
}
$1 == "agg" && $(a["tc_why"]) != "-" && \
(all || yes) && (!max || n < max) {
	print "tc", (src != "" ? $(a["src"]) OFS : "") $(a["op"]), \
	    $(a["dir"]), $(a["tc_why"]), $(a["dur_pct"]), \
	    $(a["sum_dur_ns"]), $(a["n"]), $(a["dtype"]), \
	    $(a["tc"]), $(a["short"]), $(a["shapes"])
	n++
	found = 1
}
$1 == "##dlp" { n = 0 }
$1 == "##end" { print $1, n + 0; whole = 1; next }
/^##/
END {
	if (whole && any && !found)
		print "dlp tc: " (could ? "all that could use" : \
		    "no kernel is known that could use") \
		    " Tensor Cores" (could ? " does" : "") >"/dev/stderr"
	if (whole && dark > 0)
		printf "dlp tc: whether they could use Tensor Cores is" \
		    " not known of %.4g %s of kernels\n", \
		    dark / (dark < 1e5 ? 1e3 : 1e6), \
		    (dark < 1e5 ? "us" : "ms") >"/dev/stderr"
}
