# Of dlp mfu: what they are made of.
# What the model needs of FLOPs or their time.
function model(v) {
	if (v == "-" || (dir == "fprop" && phase == "backward"))
		return v == "-" ? v : 0
	if (fam == "attention" && dir == "bprop")
		return sprintf("%.0f", v * 4 / 5)
	return v
}
$1 == "#kern" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
}
$1 == "#iter" || $1 == "iter" { print; n += $1 == "iter" }
$1 == "##dlp" {
	n = 0
	print
	print "#work", "iter", "dev", "flop", "model_flop", \
	    "peak_ns", "model_ns", "exec_flop", "dur_ns", "flop_ns", \
	    "peak_flop"
	next
}
$1 == "##end" { print $1, n; next }
/^##/
$1 == "#graph" { for (i = 2; i <= NF; i++) g[$i] = i }
$1 == "graph" {
	n++
	print "work", $(g["iter"]), $(g["dev"]), "-", "-", "-", "-", \
	    "-", $(g["dur_ns"]), 0, 0
}
$1 != "kern" { next }
{
	fam = $(a["family"])
	dir = $(a["dir"])
	phase = $(a["phase"])
}
fam == "-" || fam == "gemm" || fam == "gemm_fused" || \
fam == "gemv" || fam == "gemm_int" || fam == "conv" || \
fam == "conv_fused" || fam == "attention" || fam == "rnn" {
	flop = $(a["exec_flop"])
	ns = $(a["peak_ns"])
	m = model(flop)
	n++
	print "work", $(a["iter"]), $(a["dev"]), $(a["flop"]), m, \
	    ns, (ns == "-" ? ns : flop > 0 ? \
		sprintf("%.9g", ns * m / flop) : 0), flop, \
	    $(a["dur_ns"]), (flop == "-" ? 0 : $(a["dur_ns"])), \
	    (ns == "-" ? 0 : flop)
}
