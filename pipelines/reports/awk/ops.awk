# Of dlp ops: what they are made of.
$1 == "##dlp" { print; print "#ops", "op", "dir", "n_run", \
    "n_gpu_run", "gpu_ns", "cpu_ns", "overhead_ns" }
$1 == "#run" || $1 == "#work" { for (i = 2; i <= NF; i++) a[$i] = i }
$1 == "run" {
	print "ops", $(a["op.name"]), $(a["dir"]), $(a["n"]), \
	    $(a["n_gpu_start_ns"]), $(a["sum_gpu_ns"]), \
	    $(a["sum_dur_ns"]), $(a["sum_overhead_ns"])
}
$1 == "work" {
	print "ops", $(a["op.name"]), $(a["dir"]), $(a["n"]), \
	    $(a["n"]), $(a["sum_dur_ns"]), "-", "-"
}
$1 == "run" || $1 == "work" { n++ }
$1 == "##end" { print $1, n + 0; n = 0 }
/^##/ && $1 != "##dlp" && $1 != "##end"
