# Of dlp mfu and openmetrics: a record for each iteration of a file, from the
# sums of its kernels by file, device, family, direction, phase and type, which
# are work records (dlp-agg). All other records pass.
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
	print "mfu", (src != "" ? file[i] OFS : "") no[i], key[i], \
	    pct(mns[i], step[i] * d), pct(ns[i], step[i] * d), \
	    step[i], cpu[i], whole(mflop[i]), whole(flop[i]), r, \
	    (pflop[i] > 0 && ns[i] > 0 ? \
		sprintf("%.1f", pflop[i] / ns[i] / 1000) : "-"), \
	    gpu[i], pct(mns[i], d == 1 ? gpu[i] : "-"), ndev[i] + 0, \
	    whole(xflop[i]), pct(known[i], dur[i])
}
# What of their FLOPs, or of the time that these take, the model needs.
function model(fam, dir, phase) {
	if (dir == "fprop" && phase == "backward")
		return 0
	return fam == "attention" && dir == "bprop" ? .8 : 1
}
function counts(fam) {
	return fam == "-" || fam ~ /^(gemm|gemm_fused|gemv|gemm_int|conv)$/ || \
	    fam ~ /^(conv_fused|attention|rnn)$/
}
# An iteration: of its file.
function id(file, iter) { return src != "" ? file SUBSEP iter : iter }
function on_work(    i, x, m) {
	i = id("src" in a ? $(a["src"]) : "", $(a["iter"]))
	if (!((i, $(a["dev"])) in on)) {
		on[i, $(a["dev"])] = 1
		ndev[i]++
	}
	dur[i] += $(a["sum_dur_ns"])
	if ($(a["tag"]) != "kern")
		return
	known[i] += $(a["sum_flop_ns"])
	x = $(a["sum_exec_flop"])
	m = model($(a["family"]), $(a["dir"]), $(a["phase"]))
	if (x != "-") {
		xflop[i] += x
		flop[i] += $(a["sum_flop"])
		mflop[i] += m * x
	}
	if ($(a["sum_peak_ns"]) != "-") {
		ns[i] += $(a["sum_peak_ns"])
		mns[i] += m * $(a["sum_peak_ns"])
		# of no arithmetic it is 0, whatever the type
		if ($(a["sum_peak_ns"]) > 0)
			pflop[i] += x
	}
}
# Not looked at field by field: a record that others take.
!/^#?(iter|work)\t|^##/ { print; next }
$1 == "##dlp" {
	print
	print "#mfu", (src != "" ? "src" OFS : "") "iter", "key", \
	    "mfu_pct", "hfu_pct", "step_ns", "cpu_ns", \
	    "model_flop", "flop", "tflops", "peak_tflops", \
	    "gpu_ns", "mfu_busy_pct", "n_dev", "exec_flop", \
	    "known_pct"
	split("", on); split("", ndev)
	split("", flop); split("", mflop); split("", ns)
	split("", mns); split("", xflop); split("", dur)
	split("", known); split("", pflop)
	n = n_work = 0
	next
}
$1 == "#iter" { split("", it); for (i = 2; i <= NF; i++) it[$i] = i }
$1 == "iter" {
	i = id(put("src"), put("iter"))
	file[i] = put("src")
	no[i] = put("iter")
	key[i] = put("key")
	step[i] = put("step_ns")
	cpu[i] = put("dur_ns")
	gpu[i] = put("gpu_ns")
	order[n++] = i
}
$1 == "#work" { split("", a); for (i = 2; i <= NF; i++) a[$i] = i; next }
$1 == "work" {
	n_work++
	if ($(a["iter"]) != "-" && \
	    ($(a["tag"]) != "kern" || counts($(a["family"]))))
		on_work()
	next
}
$1 == "##end" {
	for (i = 0; i < n; i++) {
		some = some || xflop[order[i]] > 0
		row(order[i])
	}
	rows += n
	print $1, $2 - n_work + n
	next
}
{ print }
END {
	if (say && rows && !some)
		print "dlp mfu: FLOPs of products are not known in any step;" \
		    " dlp coverage tells why" >"/dev/stderr"
}
