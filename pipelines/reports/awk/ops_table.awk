# Of dlp ops: the rows.
$1 == "#agg" { for (i = 2; i <= NF; i++) a[$i] = i
	       print $1, "op", "dir", "n_run", "n_gpu_run", \
		   "gpu_ns", "mean_gpu_ns", "cpu_ns", "overhead_ns" }
$1 == "agg" {
	n = $(a["sum_n_gpu_run"])
	gpu = $(a["sum_gpu_ns"])
	print $1, $(a["op"]), $(a["dir"]), $(a["sum_n_run"]), n, \
	    gpu, (n > 0 ? sprintf("%.1f", gpu / n) : "-"), \
	    $(a["sum_cpu_ns"]), $(a["sum_overhead_ns"])
}
/^##/
