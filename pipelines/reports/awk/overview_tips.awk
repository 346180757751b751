# Of dlp overview: what to do, by the reasons that records give (columns tc_why
# and why), and what tools are called.

# What to do about kernels that could use Tensor Cores (dlp-tc(1) has more), and
# about what is not known.
BEGIN {
	tip["fp32"] = "TF32 is off: torch.set_float32_matmul_precision" \
	    "(\"high\"), torch.backends.cudnn.allow_tf32 = True, or" \
	    " autocast to bf16"
	tip["unaligned"] = "a size is no multiple of 16 bytes (8 of" \
	    " fp16, 4 of tf32): pad it, a vocabulary of 50257 to 50304"
	tip["old_kernel"] = "a kernel of Volta or Turing: other sizes, or" \
	    " a newer library"
	tip["fft"] = tip["winograd"] = "a method without matrix" \
	    " instructions: torch.backends.cudnn.benchmark = True," \
	    " autocast, or channels_last"
	tip["type_newer_gpu"] = "this GPU has none for the type: fp16" \
	    " by autocast works from Volta on"
	tip["type"] = "no Tensor Cores take the type: cast it"
	tip["grouped"] = "few channels per group: fewer, larger groups"
	tip["small"] = "a side below 16 fills no tile: batch products"
	tip["vector"] = "a matrix times a vector: a larger batch"
	tip["depthwise"] = "one channel per group: its bytes limit it"
	tip["unknown_kernel"] = "the name of the kernel does not tell:" \
	    " a rule of yours does, see dlp-tc(1)"
	tip["complex"] = tip["fp64"] = "the library chose plain pipes:" \
	    " another type, if its range allows"
	tip["library"] = "the own choice of the library: autocast, or" \
	    " other sizes"
	emit = "in PyTorch run the step inside of" \
	    " torch.autograd.profiler.emit_nvtx(record_shapes=True)"
	tip["no-range"] = "record ranges: nsys profile -t cuda,nvtx; " emit
	tip["user-range"] = "the ranges are no ops: " emit
	tip["before-window"] = "the recording begins within ranges:" \
	    " let it begin before them"
	tip["no-api"] = "calls were not recorded: nsys profile -t cuda"
	tip["graph"] = "kernels of graphs: nsys profile" \
	    " --cuda-graph-trace=node"
	tool["nsys"] = "Nsight Systems"
	tool["dldb"] = "DLProf"
	tool["pyprof-dict"] = "PyProf (.dict)"
}
