# Of dlp flops: the rows.
function share(name,    of) {
	of = $(a["sum_dur_ns"])
	return of > 0 ? \
	    sprintf("%.2f", 100 * $(a["sum_" name "_ns"]) / of) : "-"
}
$1 == "#agg" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
	print "#flops", (src != "" ? "src" OFS : "") "iter", "dir", \
	    "family", "n_calls", "flop", "bytes", "gpu_ns", "tflops", \
	    "peak_pct", "exec_flop", "flop_pct", "bytes_pct"
}
$1 == "agg" {
	print "flops", (src != "" ? $(a["src"]) OFS : "") \
	    $(a["iter"]), $(a["dir"]), $(a["family"]), \
	    $(a["sum_call"]), $(a["sum_flop"]), $(a["sum_bytes"]), \
	    $(a["sum_dur_ns"]), $(a["tflops"]), $(a["peak_pct"]), \
	    $(a["sum_exec_flop"]), share("flop"), share("bytes")
	n++
}
$1 == "##dlp" { n = 0 }
$1 == "##end" { print $1, n; next }
/^##/
