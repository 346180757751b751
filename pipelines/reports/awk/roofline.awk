# Of dlp roofline: the rows.
function share(name,    of) {
	of = $(a["sum_dur_ns"])
	return of > 0 ? \
	    sprintf("%.2f", 100 * $(a["sum_" name "_ns"]) / of) : "-"
}
function plot(pct,    i, s) {
	if (pct == "-")
		return ""
	for (i = 0; i < 10; i++)
		s = s (i < pct / 10 - 0.5 ? "#" : ".")
	return s
}
$1 == "#agg" {
	line = "#roofline"
	for (i = 2; i <= NF; i++) {
		a[$i] = i
		if ($i == "n")
			groups = i - 1
	}
	for (i = 2; i <= groups; i++)
		line = line OFS ($i)
	print line, "n", "gpu_ns", "bound", "bound_pct" \
	    (bar ? OFS "roof" : ""), "ai", "tflops", "gb_s", \
	    "peak_tflops", "peak_pct", "flop", "bytes", \
	    "exec_flop", "flop_pct", "bytes_pct"
}
$1 == "agg" {
	line = "roofline"
	for (i = 2; i <= groups; i++)
		line = line OFS ($i)
	print line, $(a["n"]), $(a["sum_dur_ns"]), $(a["bound"]), \
	    $(a["bound_pct"]) \
	    (bar ? OFS plot($(a["bound_pct"])) : ""), $(a["ai"]), \
	    $(a["tflops"]), $(a["gb_s"]), $(a["peak_tflops"]), \
	    $(a["peak_pct"]), $(a["sum_flop"]), $(a["sum_bytes"]), \
	    $(a["sum_exec_flop"]), share("flop"), share("bytes")
	n++
}
$1 == "##dlp" { n = 0 }
$1 == "##end" { print $1, n; next }
/^##/
