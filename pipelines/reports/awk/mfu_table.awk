# Of dlp mfu: the rows.
function put(name) { return (name in it) ? $(it[name]) : "-" }
function pct(ns, of) {
	return !(ns > 0) || of == "-" || of == 0 ? "-" : \
	    sprintf("%.2f", 100 * ns / of)
}
# 0: nothing but helpers of products whose sizes are unknown
function whole(v) { return v > 0 ? sprintf("%.0f", v) : "-" }
function row(i,    d, r) {
	d = ndev[i] > 0 ? ndev[i] : 1
	r = !(xflop[i] > 0) || step[i] == "-" || step[i] == 0 ? "-" : \
	    sprintf("%.2f", xflop[i] / step[i] / 1000)
	print "mfu", (src != "" ? file OFS : "") i, key[i], \
	    pct(mns[i], step[i] * d), pct(ns[i], step[i] * d), \
	    step[i], cpu[i], whole(mflop[i]), whole(flop[i]), r, \
	    (pflop[i] > 0 && ns[i] > 0 ? \
		sprintf("%.1f", pflop[i] / ns[i] / 1000) : "-"), \
	    gpu[i], pct(mns[i], d == 1 ? gpu[i] : "-"), ndev[i] + 0, \
	    whole(xflop[i]), pct(known[i], dur[i])
}
$1 == "##dlp" {
	print
	print "#mfu", (src != "" ? "src" OFS : "") "iter", "key", \
	    "mfu_pct", "hfu_pct", "step_ns", "cpu_ns", \
	    "model_flop", "flop", "tflops", "peak_tflops", \
	    "gpu_ns", "mfu_busy_pct", "n_dev", "exec_flop", \
	    "known_pct"
	for (i = 0; i < n; i++)
		delete ndev[i]
	split("", flop); split("", mflop); split("", ns)
	split("", mns); split("", xflop); split("", dur)
	split("", known); split("", pflop)
	n = 0
	next
}
$1 == "##info" && $2 == "src" { file = $3 }
$1 == "#iter" { for (i = 2; i <= NF; i++) it[$i] = i }
$1 == "iter" {
	i = put("iter")
	key[i] = put("key")
	step[i] = put("step_ns")
	cpu[i] = put("dur_ns")
	gpu[i] = put("gpu_ns")
	order[n++] = i
}
$1 == "#agg" { for (i = 2; i <= NF; i++) a[$i] = i }
$1 == "agg" && $(a["iter"]) != "-" {
	i = $(a["iter"])
	ndev[i]++
	dur[i] += $(a["sum_dur_ns"])
	known[i] += $(a["sum_flop_ns"])
	pflop[i] += $(a["sum_peak_flop"])
	if ($(a["sum_flop"]) != "-") {
		xflop[i] += $(a["sum_exec_flop"])
		flop[i] += $(a["sum_flop"])
		mflop[i] += $(a["sum_model_flop"])
	}
	if ($(a["sum_peak_ns"]) != "-") {
		ns[i] += $(a["sum_peak_ns"])
		mns[i] += $(a["sum_model_ns"])
	}
}
$1 == "##end" {
	for (i = 0; i < n; i++)
		row(order[i])
	print $1, n
	next
}
/^##/
