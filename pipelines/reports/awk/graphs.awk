# Of dlp kernels: passes all on, and says which part of the GPU's time is CUDA
# graphs without their kernels; `work` records are sums by type.
BEGIN { FS = "\t" }
$1 == "#work" {
	for (i = 2; i <= NF; i++)
		at[$i] = i
}
$1 == "work" {
	ns += $(at["sum_dur_ns"])
	if ($(at["tag"]) == "graph") {
		n += $(at["n"])
		graph_ns += $(at["sum_dur_ns"])
	}
}
{ print }
END {
	if (n > 0 && ns > 0)
		printf "dlp kernels: %d runs of CUDA graphs, %.1f %% of the GPU" \
		    " time, were recorded as a whole: nsys profile" \
		    " --cuda-graph-trace=node records their kernels\n", n,
		    100 * graph_ns / ns >"/dev/stderr"
}
