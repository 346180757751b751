# The rules of dlp-flops as text: each family against a calculation by hand,
# the language, a user's file, and the bytes against hardware counters.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# count [OPTIONS] <TABLE: "op|dir|sizes|gradient|kernel|grid|..." in lines;
# prints family, role, flop and bytes of each.
count() {
	awk -F'|' '
	BEGIN {
		print "##dlp\t1"
		print "#op\top_id\tmod\top\tdir\tshapes\tbwd_shapes\targs"
		print "#str\tid\ttext"
		print "#kern\top_id\tinst_id\tname_id\tshort\tgrid"
	}
	/^[^#]/ {
		n++
		sizes = $3
		args = "-"
		if (sizes ~ /^[[][{]/) {
			args = sizes
			sizes = "-"
		}
		mod = "aten"
		if (args != "-")
			mod = "torch.nn.functional"
		op = $1
		if (match(op, /::/)) {
			mod = substr(op, 1, RSTART - 1)
			op = substr(op, RSTART + 2)
		}
		print "op\t" n "\t" mod "\t" op "\t" $2 "\t" sizes "\t" $4 \
		    "\t" args
		print "str\t" n "\t" $5
		print "kern\t" n "\t" n "\t" n "\tx\t" $6
	}
	END { print "##end\t" 3 * n }' | dlp-flops "$@" 2>err |
	    awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 == "kern" {
		print $c["family"], $c["role"], $c["flop"], $c["bytes"]
	}'
}

# by_hand <TABLE: as count, with what must come out behind: family, role,
# flop, bytes.
by_hand() {
	cat >table
	awk -F'|' '/^[^#]/ { print $7 }' table >want
	count <table >got
	paste -d'|' table got | awk -F'|' '/^[^#]/ && $7 != $8'
	cmp want got
}

VEC='void at::native::vectorized_elementwise_kernel<4, '
PTR2=', std::array<char*, 2ul> >(int)'
PTR3=', std::array<char*, 3ul> >(int)'

@test "softmax: 5 n and 4 n; reads and writes each element" {
	by_hand <<-EOF
	softmax|fprop|[[4,8]]|-|softmax_warp_forward<float, float, float>()|1,1,1|softmax main 160 256
	log_softmax|fprop|[[4,8]]|-|softmax_warp_forward<c10::Half, c10::Half>()|1,1,1|softmax main 160 128
	softmax|bprop|[[4,8]]|[[4,8]]|softmax_warp_backward<float, float>()|1,1,1|softmax main 128 384
	EOF
}

@test "norms: 8 n, RMS 4 n; the gradients of input and weights apart" {
	by_hand <<-EOF
	# 6 rows of 10: 60 elements; weights of 10
	layer_norm|fprop|[[6,10],[],[10],[10],[],[]]|-|vectorized_layer_norm_kernel<float, float>()|6,1,1|norm main 480 560
	layer_norm|bprop|[[6,10],[],[10],[10],[],[]]|[[6,10]]|layer_norm_grad_input_kernel<float>()|6,1,1|norm main 600 720
	layer_norm|bprop|[[6,10],[],[10],[10],[],[]]|[[6,10]]|GammaBetaBackwardCUDAKernelTemplate<float>()|6,1,1|norm main 300 480
	rms_norm|fprop|[[6,10],[],[10],[]]|-|vectorized_layer_norm_kernel<float, float>()|6,1,1|norm main 240 520
	batch_norm|fprop|[[2,3,4,5],[3],[3],[3],[3],[],[],[],[]]|-|bn_fw_tr_1C11_kernel_NCHW<float>()|1,1,1|norm main 960 960
	batch_norm|bprop|[[2,3,4,5],[3],[3],[3],[3],[],[],[],[]]|[[2,3,4,5]]|bn_bw_1C11_kernel_new<float>()|1,1,1|norm main 1800 1440
	batch_norm|fprop|[[2,3,4,5],[3],[3],[],[],[],[],[],[]]|-|batch_norm_collect_statistics_kernel<float>()|1,1,1|norm main 480 480
	batch_norm|fprop|[[2,3,4,5],[3],[3],[],[],[],[],[],[]]|-|batch_norm_transform_input_kernel<float>()|1,1,1|norm main 480 960
	instance_norm|fprop|[[2,3,4,5],[3],[3],[],[],[],[],[],[]]|-|bn_fw_tr_1C11_singleread<float>()|1,1,1|norm main 960 960
	group_norm|fprop|[[2,4,3,3],[],[4],[4],[],[]]|-|RowwiseMomentsCUDAKernel<float>()|1,1,1|norm main 288 288
	EOF
}

@test "activations by their kernels: inputs, result, operations of the formula" {
	by_hand <<-EOF
	relu|fprop|[[64,8]]|-|${VEC}launch_clamp_scalar(at::TensorIteratorBase&)::{lambda(float)#1}$PTR2|1,1,1|activation main 512 4096
	relu|bprop|[[64,8]]|[[64,8]]|${VEC}BinaryFunctor<float, float, float, threshold_kernel_impl<float>::{lambda(float, float)#1}>$PTR3|1,1,1|activation main 512 6144
	gelu|fprop|[[64,8],[]]|-|${VEC}GeluCUDAKernelImpl(int)::{lambda(c10::BFloat16)#1}$PTR2|1,1,1|activation main 2560 2048
	gelu|bprop|[[64,8],[]]|[[64,8]]|${VEC}GeluBackwardCUDAKernelImpl(int)::{lambda(float, float)#1}$PTR3|1,1,1|activation main 5632 6144
	silu|fprop|[[64,8]]|-|${VEC}silu_kernel(int)::{lambda(float)#1}$PTR2|1,1,1|activation main 2048 4096
	silu|fprop|[[64,8]]|-|some_silu<float>()|1,1,1|activation main 2048 4096
	EOF
}

@test "pointwise: types of inputs and result, broadcast, masks" {
	by_hand <<-EOF
	add|fprop|[[64,8],[64,8],[]]|-|${VEC}at::native::CUDAFunctor_add<float>$PTR3|1,1,1|pointwise main 512 6144
	add|fprop|[[64,8],[8],[]]|-|void at::native::elementwise_kernel<128, 2, gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >(int)::{lambda(int)#1}>(int)|2,1,1|pointwise main 512 4128
	gt|fprop|[[64,8],[]]|-|${VEC}compare_scalar_kernel<float>(int)::{lambda(float)#1}$PTR2|1,1,1|pointwise main 512 2560
	where|fprop|[[64,8],[64,8],[64,8]]|-|${VEC}where_kernel_impl(int)::{lambda(bool, float, float)#1}, std::array<char*, 4ul> >(int)|1,1,1|pointwise main 0 6656
	addcmul|fprop|[[64,8],[64,8],[64,8],[]]|-|${VEC}addcmul_cuda_kernel(int)::{lambda(float, float, float)#1}, std::array<char*, 4ul> >(int)|1,1,1|pointwise main 1536 8192
	exp|fprop|[[64,8]]|-|${VEC}exp_kernel_cuda(int)::{lambda(double)#1}$PTR2|1,1,1|pointwise main 512 8192
	mul|bprop|[[64,8],[64,8]]|[[64,8]]|${VEC}BinaryFunctor<float, float, float, MulFunctor<float> >$PTR3|1,1,1|pointwise main 512 6144
	add|bprop|[[64,8],[8],[]]|[[64,8]]|void at::native::reduce_kernel<128, 4, ReduceOp<float> >(int)|1,1,1|pointwise main 512 2048
	EOF
}

@test "the grid tells which of an op's sizes a kernel works on" {
	# zeroing the table's gradient: 500 x 64 = 32000 of 4 bytes, 32 blocks
	# of 1024; the gradient itself has 2 x 64; of other grids none fits
	by_hand <<-EOF
	embedding|bprop|[[500,64],[2],[],[],[]]|[[2,64]]|${VEC}FillFunctor<float>, std::array<char*, 1ul> >(int)|32,1,1|embedding main 0 128000
	embedding|bprop|[[500,64],[2],[],[],[]]|[[2,64]]|${VEC}FillFunctor<float>, std::array<char*, 1ul> >(int)|1,1,1|embedding main 0 512
	embedding|bprop|[[500,64],[2],[],[],[]]|[[2,64]]|${VEC}FillFunctor<float>, std::array<char*, 1ul> >(int)|7,1,1|embedding - - -
	EOF
}

@test "dropout, reductions, losses" {
	by_hand <<-EOF
	dropout|fprop|[[10,10],[],[]]|-|fused_dropout_kernel_vec<float, float>()|1,1,1|dropout main 200 900
	dropout|bprop|[[10,10],[],[]]|[[10,10]]|${VEC}masked_scale_kernel<bool, float>(int)::{lambda(float, bool)#1}$PTR3|1,1,1|dropout main 200 900
	sum|fprop|[[10,10],[],[],[]]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|reduce main 100 400
	mean|fprop|[[10,10],[]]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|reduce main 101 400
	norm|fprop|[[10,10],[]]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|reduce main 201 400
	mse_loss|fprop|[[10,10],[10,10],[]]|-|${VEC}mse_kernel_cuda(int)::{lambda(float, float)#1}$PTR3|1,1,1|loss main 200 1200
	mse_loss|fprop|[[10,10],[10,10],[]]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|loss main 100 400
	cross_entropy_loss|fprop|[[8,10],[8],[],[],[],[]]|-|softmax_warp_forward<float, float>()|1,1,1|loss main 400 640
	cross_entropy_loss|fprop|[[8,10],[8],[],[],[],[]]|-|nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>()|1,1,1|loss main 8 96
	cross_entropy_loss|bprop|[[8,10],[8],[],[],[],[]]|[[8,10]]|cunn_SoftMaxBackward<4, float>()|1,1,1|loss main 320 960
	EOF
}

@test "pooling and resizing: the result by the gradient, or by a marker" {
	tensor='{"name":"","type":"tensor","shape":[2,3,8,8],"dtype":"float32"}'
	two='{"name":"","type":"int","value":2}'
	# 2x3x8x8 = 384 in, 2x3x4x4 = 96 out
	by_hand <<-EOF
	max_pool2d|bprop|[[2,3,8,8],[],[],[],[],[]]|[[2,3,4,4]]|max_pool_backward_nchw<float, float>()|1,1,1|pool main 96 2688
	max_pool2d|fprop|[$tensor,$two]|-|max_pool_forward_nchw<float>()|1,1,1|pool main 384 2688
	avg_pool2d|fprop|[$tensor,$two]|-|avg_pool2d_out_cuda_frame<float>()|1,1,1|pool main 384 1920
	avg_pool2d|bprop|[$tensor,$two]|-|avg_pool2d_backward_out_cuda_frame<float>()|1,1,1|pool main 384 1920
	adaptive_avg_pool2d|fprop|[$tensor,{"name":"","type":"tuple","value":[1,1]}]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|pool main 384 1560
	max_pool2d|fprop|[[2,3,8,8],[],[],[],[],[]]|-|max_pool_forward_nchw<float>()|1,1,1|pool main - -
	# 384 in, 1536 out; 96 out
	upsample_bilinear2d|bprop|[[2,3,8,8],[],[],[]]|[[2,3,16,16]]|upsample_bilinear2d_backward_out_frame<float>()|1,1,1|resize main 18432 7680
	interpolate|fprop|[$tensor,{"name":"scale_factor","type":"int","value":2}]|-|upsample_nearest2d_out_frame<float>()|1,1,1|resize main 0 7680
	interpolate|fprop|[$tensor,{"name":"scale_factor","type":"float","value":0.5},{"name":"mode","type":"str","value":"bilinear"}]|-|upsample_bilinear2d_out_frame<float>()|1,1,1|resize main 864 1920
	EOF
}

@test "FSDP's copies between parameters and buffers" {
	by_hand <<-EOF
	# all_gather_copy_in: two tensors into the part of this rank
	fsdp::all_gather_copy_in|fprop|[[8],[2],[20],[],[],[]]|-|multi_tensor_apply_kernel<TensorListMetadata<2>, UnaryOpFunctor<c10::BFloat16>, at::native::Copy<c10::BFloat16, c10::BFloat16> >()|1,1,1|copy main 0 -
	fsdp::chunk_cat|fprop|[[4,16],[16],[],[],[2,40]]|-|at::native::detail::chunk_cat_cuda_kernel<float, c10::BFloat16>()|1,1,1|copy main 0 -
	# its name has no type
	fsdp::split_with_sizes_copy|fprop|[[2,10],[],[],[2,8],[2,2]]|-|at::native::detail::split_with_sizes_copy_out_contiguous_no_cast_kernel(char**)|1,1,1|copy main 0 -
	EOF
}

@test "sort, index, embedding" {
	idx='{"name":"","type":"tensor","shape":[5],"dtype":"int64"}'
	table='{"name":"","type":"tensor","shape":[50,6],"dtype":"float16"}'
	by_hand <<-EOF
	sort|fprop|[[4,16],[],[]]|-|radixSortKVInPlace<2, -1, 64, 32, float, long>()|1,1,1|sort main 0 1536
	topk|fprop|[[4,16],[],[],[],[]]|-|mbtopk::gatherTopK<float, unsigned int>()|1,1,1|sort main 0 256
	cumsum|fprop|[[4,16],[],[]]|-|tensor_kernel_scan_innermost_dim<float>()|1,1,1|sort main 64 512
	gather|fprop|[[4,16],[],[4,2],[]]|-|_scatter_gather_elementwise_kernel<128, 8, OpaqueType<4>, long>()|1,1,1|index main 0 128
	scatter_add|fprop|[[4,16],[],[4,2],[4,2]]|-|_scatter_gather_elementwise_kernel<128, 8, float, long>()|1,1,1|index main 8 160
	cat|fprop|[[4,16],[4,16],[]]|-|CatArrayBatchedCopy<OpaqueType<4u>, unsigned int>()|1,1,1|index main 0 1024
	embedding|fprop|[$idx,$table]|-|vectorized_gather_kernel<16, long>()|1,1,1|embedding main 0 160
	embedding|bprop|[$idx,$table]|-|embedding_backward_feature_kernel<c10::Half, float>()|1,1,1|embedding main 30 160
	embedding_bag|fprop|[[50,6],[20],[4],[],[]]|-|EmbeddingBag_updateOutputKernel_sum_mean<float, long>()|1,1,1|embedding main 120 768
	EOF
}

# each_by_hand <TABLE: as by_hand, with several ops, which all have these
# numbers: "a b c|dir|sizes|...".
each_by_hand() {
	awk -F'|' -v OFS='|' '/^[^#]/ {
		n = split($1, op, " ")
		for (i = 1; i <= n; i++) { $1 = op[i]; print } }' | by_hand
}

# x is 8 x 4: 32 elements of 4 bytes, 128 bytes; k has a name that says nothing.

@test "softmax and norms: each name of the rules" {
	# 5 * 32 = 160, read and written 256; backward 4 * 32, three tensors
	# norms: 60 elements, weights of 10: 8 * 60 and 4 * (60 + 10 + 10 + 60)
	# RMS: 4 * 60, one weight; backward 7 + 3 = 10 * 60, the others 15 * 60
	each_by_hand <<-EOF
	softmax _softmax softmin _masked_softmax _safe_softmax log_softmax _log_softmax|fprop|[[8,4]]|-|k<float>()|1,1,1|softmax main 160 256
	softmax _softmax softmin _masked_softmax _safe_softmax log_softmax _log_softmax|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|softmax main 128 384
	native_layer_norm|fprop|[[6,10],[],[10],[10],[]]|-|k<float>()|1,1,1|norm main 480 560
	native_layer_norm|bprop|[[6,10],[],[10],[10],[]]|[[6,10]]|k<float>()|1,1,1|norm main 900 720
	_fused_rms_norm|fprop|[[6,10],[],[10],[]]|-|k<float>()|1,1,1|norm main 240 520
	_fused_rms_norm|bprop|[[6,10],[],[10],[]]|[[6,10]]|k<float>()|1,1,1|norm main 600 720
	native_group_norm native_batch_norm|fprop|[[2,4,3,3],[],[4],[4],[],[]]|-|k<float>()|1,1,1|norm main 576 576
	EOF
}

@test "activations: each name, under kernels whose name says nothing" {
	# 1, 2, 3, 4 or 5 operations an element; backward reads the gradient and
	# an input, 3 * 128. glu halves: 16 results of a sigmoid (3) and a
	# product, 128 + 64; its backward 8 a result, 2 * 128 + 64
	each_by_hand <<-EOF
	relu relu6 threshold hardtanh clamp_min|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 32 256
	relu relu6 threshold hardtanh clamp_min|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|activation main 32 384
	leaky_relu elu celu selu prelu rrelu _prelu_kernel|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 64 256
	leaky_relu elu celu selu prelu rrelu _prelu_kernel|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|activation main 64 384
	mish softplus logsigmoid log_sigmoid hardswish|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 128 256
	mish softplus logsigmoid log_sigmoid|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|activation main 160 384
	sigmoid hardsigmoid softsign tanhshrink|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 96 256
	sigmoid softsign tanhshrink tanh hardshrink softshrink|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|activation main 96 384
	tanh hardshrink softshrink|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 32 256
	glu|fprop|[[8,4]]|-|k<float>()|1,1,1|activation main 64 192
	glu|bprop|[[8,4]]|[[8,2]]|k<float>()|1,1,1|activation main 128 320
	EOF
}

@test "pointwise: each name, under kernels whose name says nothing" {
	# one operation a result; 3 * 128 bytes. Comparisons write a byte: 2 *
	# 128 + 32. addcmul and its like are 3 operations on three inputs
	each_by_hand <<-EOF
	add __add__ __radd__ __iadd__ sub __sub__ __rsub__ __isub__ rsub mul __mul__ __rmul__ __imul__ multiply subtract|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 32 384
	div __truediv__ __rdiv__ __rtruediv__ __itruediv__ true_divide divide floor_divide __floordiv__ __rfloordiv__ fmod remainder __mod__|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 32 384
	pow __pow__ __rpow__ atan2 float_power hypot maximum minimum fmax fmin|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 32 384
	__and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ bitwise_and bitwise_or bitwise_xor|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 32 384
	lt gt ge le eq ne __lt__ __gt__ __ge__ __le__ __eq__ __ne__ logical_and logical_or logical_xor isclose|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 32 288
	isnan isinf isfinite isneginf isposinf logical_not|fprop|[[8,4]]|-|k<float>()|1,1,1|pointwise main 32 160
	addcmul addcdiv lerp|fprop|[[8,4],[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 96 512
	abs __abs__ absolute neg __neg__ negative reciprocal ceil clamp clip clamp_max floor frac round sign sgn trunc __invert__ bitwise_not square|fprop|[[8,4]]|-|k<float>()|1,1,1|pointwise main 32 256
	exp exp2 exp1m expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh erf erfc erfinv digamma lgamma mvlgamma nan_to_num logit|fprop|[[8,4]]|-|k<float>()|1,1,1|pointwise main 32 256
	triu tril|fprop|[[8,4]]|-|k<float>()|1,1,1|pointwise main 0 256
	masked_fill masked_fill_ where|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|pointwise main 0 384
	EOF
}

@test "dropout, reductions and scans: each name" {
	# dropout: two operations, and a byte of mask for each: 256 + 32
	# var: mean 1, subtract, square, sum: 4 * 32; norm 2 * 32 + 1 for the root
	reduce='reduce_kernel<512, 1, ReduceOp<float> >()'
	each_by_hand <<-EOF
	dropout native_dropout alpha_dropout feature_dropout _fused_dropout|fprop|[[8,4]]|-|k<float>()|1,1,1|dropout main 64 288
	dropout native_dropout alpha_dropout feature_dropout _fused_dropout|bprop|[[8,4]]|[[8,4]]|k<float>()|1,1,1|dropout main 64 288
	sum nansum amax amin max min argmax argmin prod all any aminmax count_nonzero logsumexp|fprop|[[8,4]]|-|$reduce|1,1,1|reduce main 32 128
	sum nansum amax amin max min argmax argmin prod all any aminmax count_nonzero|fprop|[[8,4]]|-|k<float>()|1,1,1|reduce main 32 128
	norm linalg_norm linalg_vector_norm frobenius_norm|fprop|[[8,4]]|-|$reduce|1,1,1|reduce main 65 128
	var std var_mean std_mean logsumexp|fprop|[[8,4]]|-|k<float>()|1,1,1|reduce main 128 128
	cumsum cumprod cummax cummin logcumsumexp|fprop|[[8,4]]|-|tensor_kernel_scan<float>()|1,1,1|sort main 32 256
	cumsum cumprod cummax cummin logcumsumexp|bprop|[[8,4]]|[[8,4]]|flip_kernel<float>()|1,1,1|sort main 0 256
	EOF
}

@test "pooling and resizing: each name" {
	# 1 x 2 x 4 x 4 x 4 = 128 in, 16 out, a window of 8; 6 x 8 = 48 in, 24
	# out, a window of 2. Maximum: an index of 8 bytes with each result
	three='{"name":"","type":"tensor","shape":[1,2,4,4,4],"dtype":"float32"}'
	one='{"name":"","type":"tensor","shape":[2,3,8],"dtype":"float32"}'
	two='{"name":"","type":"int","value":2}'
	each_by_hand <<-EOF
	max_pool1d max_pool1d_with_indices|bprop|[[2,3,8]]|[[2,3,4]]|k<float>()|1,1,1|pool main 24 480
	max_pool2d max_pool2d_with_indices|bprop|[[2,3,8,8]]|[[2,3,4,4]]|k<float>()|1,1,1|pool main 96 2688
	max_pool3d max_pool3d_with_indices|bprop|[[1,2,4,4,4]]|[[1,2,2,2,2]]|k<float>()|1,1,1|pool main 16 704
	max_pool3d|fprop|[$three,$two]|-|k<float>()|1,1,1|pool main 128 704
	avg_pool3d|fprop|[$three,$two]|-|k<float>()|1,1,1|pool main 128 576
	avg_pool1d|fprop|[$one,$two]|-|k<float>()|1,1,1|pool main 48 288
	adaptive_avg_pool1d|bprop|[[2,3,8]]|[[2,3,2]]|k<float>()|1,1,1|pool main 48 240
	adaptive_avg_pool2d _adaptive_avg_pool2d|bprop|[[2,3,8,8]]|[[2,3,2,2]]|k<float>()|1,1,1|pool main 384 1632
	adaptive_avg_pool3d|bprop|[[1,2,4,4,4]]|[[1,2,2,2,2]]|k<float>()|1,1,1|pool main 128 576
	adaptive_max_pool1d|bprop|[[2,3,8]]|[[2,3,2]]|k<float>()|1,1,1|pool main 12 336
	adaptive_max_pool2d|bprop|[[2,3,8,8]]|[[2,3,2,2]]|k<float>()|1,1,1|pool main 24 1824
	adaptive_max_pool3d|bprop|[[1,2,4,4,4]]|[[1,2,2,2,2]]|k<float>()|1,1,1|pool main 16 704
	lp_pool2d fractional_max_pool2d_with_indices|fprop|[[2,3,8,8]]|-|k<float>()|1,1,1|pool main - -
	upsample upsample_linear1d _upsample_bilinear2d_aa|bprop|[[2,3,8]]|[[2,3,4]]|upsample_nearest<float>()|1,1,1|resize main 24 288
	grid_sampler_2d|bprop|[[2,3,8]]|[[2,3,4]]|grid_sampler_2d<float>()|1,1,1|resize main - 288
	EOF
}

@test "losses, sorting, indices: each name" {
	# nll reads an index of 8 bytes and an element for each of 8 rows
	# sort: values and indices in and out, 2 * 32 * 12
	# gather: 8 indices, elements read and written; scatter reads a third
	each_by_hand <<-EOF
	cross_entropy cross_entropy_loss|fprop|[[8,10],[8]]|-|softmax<float>()|1,1,1|loss main 400 640
	cross_entropy nll_loss nll_loss_nd nll_loss2d|fprop|[[8,10],[8]]|-|nll_loss<float>()|1,1,1|loss main 8 96
	mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div soft_margin_loss|fprop|[[8,4],[8,4]]|-|reduce_kernel<512, 1, ReduceOp<float> >()|1,1,1|loss main 32 128
	ctc_loss _ctc_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss cosine_embedding_loss multi_margin_loss multilabel_margin_loss|fprop|[[8,4]]|-|k<float>()|1,1,1|loss main - -
	sort argsort msort|fprop|[[8,4]]|-|k<float>()|1,1,1|sort main 0 768
	topk kthvalue median|fprop|[[8,4]]|-|gatherkthvalue<float>()|1,1,1|sort main 0 128
	mode|fprop|[[8,4]]|-|k<float>()|1,1,1|reduce main - 128
	unique unique_dim _unique2 searchsorted bucketize histc bincount|fprop|[[8,4]]|-|k<float>()|1,1,1|sort main 0 -
	flip roll rot90|fprop|[[8,4]]|-|k<float>()|1,1,1|index main 0 256
	gather take take_along_dim|fprop|[[4,16],[],[4,2]]|-|gather<float>()|1,1,1|index main 0 128
	scatter scatter_add scatter_reduce|fprop|[[4,16],[],[4,2]]|-|_scatter_gather<float>()|1,1,1|index main 8 160
	index __getitem__ masked_select nonzero masked_scatter index_put index_copy index_add index_fill _index_put_impl_|fprop|[[8,4]]|-|k<float>()|1,1,1|index main - -
	cat concat concatenate stack hstack vstack _cat|fprop|[[8,4],[8,4]]|-|k<float>()|1,1,1|index main 0 512
	split chunk unbind split_with_sizes|bprop|[[8,4]]|[[8,4]]|catarray<float>()|1,1,1|index main 0 256
	narrow select slice expand view reshape flatten transpose permute t squeeze unsqueeze as_strided diagonal unfold repeat repeat_interleave tile pad constant_pad_nd reflection_pad1d replication_pad2d pixel_shuffle pixel_unshuffle one_hot|fprop|[[8,4]]|-|k<float>()|1,1,1|index main 0 -
	EOF
}

@test "embedding bags, copies, new tensors, solvers: each name" {
	# 20 indices of 8 bytes, 20 rows read and 4 written, 6 elements of 2 bytes:
	# 160 + 24 * 12. Copies: 128 read, 32 elements of the result's type
	idx='{"name":"","type":"tensor","shape":[4,5],"dtype":"int64"}'
	table='{"name":"","type":"tensor","shape":[50,6],"dtype":"float16"}'
	each_by_hand <<-EOF
	embedding_bag|fprop|[$idx,$table]|-|EmbeddingBag<c10::Half>()|1,1,1|embedding main 120 448
	_embedding_bag|fprop|[[50,6],[20],[4]]|-|EmbeddingBag<float, long>()|1,1,1|embedding main 120 768
	clone contiguous|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 256
	float int|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 256
	half bfloat16 short|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 192
	double long cfloat|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 384
	char byte bool|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 160
	_to_copy to type type_as detach_ alias|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 -
	zeros zeros_like zero_ zero ones ones_like full full_like fill_ fill empty empty_like arange linspace eye new_zeros new_ones new_full|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main 0 -
	rand randn randint randperm rand_like randn_like normal_ uniform_ bernoulli_ bernoulli random_ exponential_ multinomial|fprop|[[8,4]]|-|k<float>()|1,1,1|copy main - -
	normal_ uniform_ bernoulli_ exponential_ rand_like randn_like|fprop|[[8,4]]|-|distribution_elementwise<float>()|1,1,1|copy main - 128
	linalg_qr _linalg_svd cholesky_solve inverse lu_solve qr svd triangular_solve _fft_c2c fft_fft|fprop|[[8,4]]|-|k<float>()|1,1,1|solver main - -
	EOF
}

@test "optimizers and collectives: each name" {
	# 128 parameters of 512 bytes, read and written
	l1='[10,10],[28]'
	one='multi_tensor_apply_kernel<TensorListMetadata<1>, F<float> >()'
	each_by_hand <<-EOF
	_foreach_add_ _foreach_sub_ _foreach_mul_ _foreach_div_ _foreach_neg_ _foreach_sqrt_ _foreach_reciprocal_ _foreach_abs_ _foreach_exp_ _foreach_pow_ _foreach_maximum_ _foreach_minimum_ _foreach_clamp_min_|fprop|[$l1]|-|$one|1,1,1|optimizer main 128 1024
	_foreach_addcmul_ _foreach_addcdiv_ _foreach_lerp_|fprop|[$l1,$l1,$l1]|-|multi_tensor_apply_kernel<TensorListMetadata<3>, F<float> >()|1,1,1|optimizer main 384 2048
	_foreach_norm|fprop|[$l1]|-|$one|1,1,1|optimizer main 256 512
	_foreach_zero_|fprop|[$l1]|-|$one|1,1,1|optimizer main 0 512
	_foreach_copy_|fprop|[$l1,$l1]|-|multi_tensor_apply_kernel<TensorListMetadata<2>, F<float> >()|1,1,1|optimizer main 0 1024
	_foreach_tan_ _fused_lamb_ adam fused_adam multi_tensor_adam multi_tensor_sgd multi_tensor_lamb multi_tensor_scale multi_tensor_axpby multi_tensor_l2norm|fprop|[$l1]|-|$one|1,1,1|optimizer main - -
	_fused_adam_|fprop|[$l1,$l1,$l1,$l1]|-|multi_tensor_apply_kernel<TensorListMetadata<4>, F<float> >()|1,1,1|optimizer main 1664 3584
	_fused_adagrad_|fprop|[$l1,$l1,$l1]|-|multi_tensor_apply_kernel<TensorListMetadata<3>, F<float> >()|1,1,1|optimizer main 768 2560
	_amp_foreach_non_finite_check_and_unscale_|fprop|[$l1]|-|$one|1,1,1|optimizer main 256 1024
	comm::all_reduce AllReduce comm::all_to_all AllToAll xla::all_to_all comm::broadcast comm::reduce comm::gather comm::scatter comm::send comm::recv comm::barrier comm::communication Broadcast Reduce Send Recv record_param_comms|comm|[[1000]]|-|ncclDevKernel_x_f32()|1,1,1|collective main 0 4000
	c10d::broadcast_ c10d::reduce_ c10d::gather_ c10d::scatter_ c10d::send c10d::recv_ nccl::broadcast nccl::reduce nccl::send nccl::recv _c10d_functional::broadcast _c10d_functional::broadcast_|fprop|[[1000]]|-|ncclDevKernel_x_f32()|1,1,1|collective main - 4000
	comm::all_gather comm::reduce_scatter AllGather ReduceScatter|comm|[[4000],[1000]]|-|ncclDevKernel_x_f32()|1,1,1|collective main 0 16000
	c10d::_allgather_base_ c10d::_reduce_scatter_base_|fprop|[[4000],[1000]]|-|ncclDevKernel_x_f32()|1,1,1|collective main - 16000
	EOF
}

# A name of the rules that no test names is one that nobody has checked.
@test "dlp-flops-rules(7) has a row for each family" {
	bad=0
	names=$(sed -n '/^const char \*const family_names/,/};/p' \
	    "$ROOT/cmd/dlp-flops/op_args.c" | grep -o '"[a-z_]*"' | tr -d '"')
	[ -n "$names" ]
	for f in $names; do
		sed -n '/^\.Ss Families/,/^\.El/p' "$ROOT/man/dlp-flops-rules.7" |
		    grep -qw -e "$f" || {
			echo "man/dlp-flops-rules.7, Families, does not name $f"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "every op of flops.rules occurs in a test" {
	cd "$ROOT" || return
	cat tests/flops-rules.bats tests/dlp-flops.bats tests/truth-flops.bats \
	    tests/cases/dlp-flops/*/in | grep -v '^#' | tr -c 'a-zA-Z0-9_:.\n' '\n' |
	    sort -u >"$BATS_TEST_TMPDIR/words"
	awk '/^[^# ]/ { n = split($1, op, "|"); for (i = 1; i <= n; i++) print op[i] }' \
	    cmd/dlp-flops/flops.rules | sort -u |
	    sed 's/^torch\.nn\.functional:://; s/^torch\.nn\.functional\.//
		s/[.]/\\./g; s/[*]/[a-zA-Z0-9_:]*/g; s/[?]/./g' |
	    while IFS= read -r op; do
		grep -qx -e "$op" "$BATS_TEST_TMPDIR/words" || echo "no test has $op"
	    done >"$BATS_TEST_TMPDIR/untested"
	cat "$BATS_TEST_TMPDIR/untested"
	[ ! -s "$BATS_TEST_TMPDIR/untested" ]
}

@test "rows of a table: the launch tells the size of an element" {
	# 512 elements a row: 128 threads of 16 bytes are 2048 bytes, 64 are
	# 1024; 96 are no size at all
	for block in 128 64 96; do
		printf '##dlp\t1\n#op\top_id\top\tdir\tshapes\n'
		printf 'op\t1\tembedding\tfprop\t[[900,512],[10],[],[],[]]\n'
		printf '#str\tid\ttext\nstr\t1\t'
		printf 'vectorized_gather_kernel<(int)16, long>(char *)\n'
		printf '#kern\top_id\tinst_id\tname_id\tgrid\tblock\n'
		printf 'kern\t1\t1\t1\t10,1,1\t%d,1,1\n##end\t3\n' $block
	done | dlp-flops | awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 == "kern" { print $c["bytes"] }' >got
	same "$((10 * 8 + 2 * 10 * 2048))
$((10 * 8 + 2 * 10 * 1024))
-" "$(cat got)"
}

@test "copies: both types of a conversion" {
	by_hand <<-EOF
	to|fprop|[[64,8],[],[],[],[]]|-|${VEC}float16_copy_kernel_cuda(int)::{lambda(float)#1}$PTR2|1,1,1|copy main 0 3072
	to|fprop|[[64,8],[],[],[],[]]|-|${VEC}float8_copy_kernel_cuda(int)::{lambda(float)#1}$PTR2|1,1,1|copy main 0 2560
	to|fprop|[[64,8],[],[],[],[]]|-|void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda(int)::{lambda(float)#1}, std::array<char*, 2ul>, 4, LoadWithCast<1>, StoreWithCast<1> >(int)|1,1,1|copy main 0 -
	clone|fprop|[[64,8],[]]|-|${VEC}direct_copy_kernel_cuda(int)::{lambda(float)#1}$PTR2|1,1,1|copy main 0 4096
	zeros_like|fprop|[[64,8],[],[],[],[],[]]|-|${VEC}FillFunctor<float>, std::array<char*, 1ul> >(int)|1,1,1|copy main 0 2048
	EOF
}

@test "optimizers: lists of tensors" {
	l1='[10,10],[28]' # 128 parameters
	apply='multi_tensor_apply_kernel<'
	by_hand <<-EOF
	_foreach_mul_|fprop|[$l1,[]]|-|${apply}TensorListMetadata<1>, BinaryOpScalarFunctor<float, 1, 1, 0> >()|1,1,1|optimizer main 128 1024
	_foreach_add_|fprop|[$l1,$l1,[]]|-|${apply}TensorListMetadata<2>, BinaryOpListAlphaFunctor<float, 2, 2, 0> >()|1,1,1|optimizer main 128 1536
	_foreach_sqrt|fprop|[$l1]|-|${apply}TensorListMetadata<2>, UnaryOpFunctor<float, 2, 1, 1> >()|1,1,1|optimizer main 128 1024
	_foreach_addcdiv_|fprop|[$l1,$l1,$l1,[]]|-|${apply}TensorListScalarListMetadata<float, 3>, PointwiseOpScalarListFunctor<float, 3, 3, 0> >()|1,1,1|optimizer main 384 2048
	_fused_adamw_|fprop|[$l1,$l1,$l1,$l1,[],[]]|-|${apply}FusedOptimizerTensorListMetadata<4>, FusedAdamMathFunctor<float, 4> >()|1,1,1|optimizer main 1920 3584
	_fused_sgd_|fprop|[$l1,$l1,$l1,[]]|-|${apply}TensorListMetadata<3>, FusedSgdMathFunctor<float, 3> >()|1,1,1|optimizer main 512 2560
	EOF
}

@test "collectives: the message" {
	by_hand <<-EOF
	c10d::allreduce_|fprop|[[1000]]|-|ncclDevKernel_AllReduce_Sum_bf16_RING_LL()|1,1,1|collective main - 2000
	c10d::_allgather_base_|fprop|[[4000],[1000]]|-|ncclDevKernel_AllGather_RING_LL_f32()|1,1,1|collective main - 16000
	c10d::_reduce_scatter_base_|fprop|[[1000],[4000]]|-|ncclDevKernel_ReduceScatter_Sum_f32_RING_LL()|1,1,1|collective main - 16000
	EOF
}

@test "collectives: what goes over the bus, as nccl-tests counts it" {
	# 8 GPUs: all_reduce 2 * 7/8, all_gather the larger side less the
	# smaller
	dlp-flops --ranks 8 <<-'EOF' >out
	##dlp	1
	#op	op_id	mod	op	dir	shapes
	op	1	c10d	allreduce_	fprop	[[1000]]
	op	2	c10d	_allgather_base_	fprop	[[8000],[1000]]
	op	3	c10d	alltoall_base_	fprop	[[8000],[8000]]
	op	4	c10d	broadcast_	fprop	[[1000]]
	#kern	op_id	inst_id	short
	kern	1	1	ncclDevKernel_AllReduce_Sum_f32_RING_LL
	kern	2	2	ncclDevKernel_AllGather_f32
	kern	3	3	ncclDevKernel_SendRecv_f32
	kern	4	4	ncclDevKernel_Broadcast_f32
	##end	8
	EOF
	awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 == "kern" { print $c["bytes"], $c["bus_bytes"] }' out >got
	same "4000 7000
32000 28000
32000 28000
4000 4000" "$(cat got)"
}

@test "kernels of Inductor: the family of their ops" {
	by_hand <<-EOF
	-|fprop|-|-|triton_poi_fused_add_gelu_3|1,1,1|fused - - -
	-|fprop|-|-|triton_red_fused_native_layer_norm_0|1,1,1|norm - - -
	-|fprop|-|-|triton_per_fused__softmax_1|1,1,1|softmax - - -
	-|fprop|-|-|triton_poi_fused__to_copy_2|1,1,1|copy - - -
	-|fprop|-|-|triton_poi_fused_relu_threshold_backward_4|1,1,1|activation - - -
	-|fprop|-|-|triton_tem_fused_mm_4|1,1,1|gemm_fused - - -
	-|fprop|-|-|ncclKernel_AllReduce_RING_LL_Sum_float|1,1,1|collective - - -
	EOF
}

@test "copies and sets have a family, also behind a kernel that waits" {
	dlp-flops <<-'EOF' >out
	##dlp	1
	#op	op_id	op	dir	shapes	bwd_shapes	fwd_op_id
	op	1	conv2d	fprop	[[1,3,9,9],[4,3,3,3]]	-	-
	#kern	id	op_id	inst_id	seq	short
	kern	1	1	1	1	x_fprop
	#copy	id	bytes
	copy	2	100
	op	2	conv2d	bprop	-	[[1,4,7,7]]	1
	#set	id	bytes
	set	3	7
	##end	5
	EOF
	run grep -E '^#?(copy|set)	' out
	same "#copy	id	bytes	flop	family	prim
copy	2	100	0	memory	copy
#set	id	bytes	flop	family	prim
set	3	7	0	memory	memset" "$output"
	# the size came: 2 * 4*3*3*3 * 7*7
	grep -q '	10584	' out
	# once more: the same columns
	dlp-flops out 2>err | grep -E "^#?(copy|set)	" |
	    cmp - <(grep -E "^#?(copy|set)	" out)
}

# value EXPRESSION: over a fp16 tensor 4 x 6, another of 6, and a vector.
value() {
	printf 'my::op any other kernel = k; bytes = %s\n' "$1" >my.rules
	count -f my.rules <<-'EOF' | cut -d' ' -f4
	my::op|bprop|[[4,6],[6],[],[3]]|[[5,5]]|k<c10::Half>()|1,1,1
	EOF
}

# bats test_tags=long
@test "expressions" {
	while IFS='|' read -r e want; do
		got=$(value "$e")
		[ "$got" = "$want" ] || {
			echo "$e: $got, not $want"
			return 1
		}
	done <<-'EOF'
	1|1
	 1 + 2*3 |7
	(1+2)*3|9
	7/2|3
	7%4|3
	2-3|-
	2-3+4|3
	--5|5
	7/0|-
	A[0]|4
	A[-1]|6
	A[2]|-
	C[0]|-
	Q[0]|-
	A[A[0]-3]|6
	numel(A)|24
	size(A)|48
	esize(B)|2
	idx(D)|24
	ndim(A)|2
	n|24
	t|2
	in|66
	nin|33
	out|-
	tensors|3
	grad|25
	min(3,2,4)|2
	max(3,2,4)|4
	or(C[0],9)|9
	or(1/0,Q[1])|-
	cdiv(7,2)|4
	if(1,2,3)|2
	if(eq(n,24),2,3)|2
	if(eq(n,25),2,3)|3
	9223372036854775807|9223372036854775807
	9223372036854775807 + 1|-
	4611686018427387904*2|-
	-|-
	EOF
}

@test "a user's rules come before those that are built in, and say where they are wrong" {
	cat >my.rules <<-'EOF'
	# an extension
	myext::fused_mlp fprop gemm
	  flop = 2*A[0]*A[1]*B[1]; bytes = in + A[0]*B[1]*t; tc = yes
	myext::* any pointwise bytes = in
	linear fprop gemm flop = 1
	aten::mm fprop gemm flop = 2

	softmax any other kernel = mine; flop = 3
	EOF
	count -f my.rules >got <<-'EOF'
	myext::fused_mlp|fprop|[[64,32],[32,8]]|-|mlp<c10::Half>()|1,1,1
	myext::fused_mlp|bprop|[[64,32],[32,8]]|-|mlp<c10::Half>()|1,1,1
	myext::other|bprop|[[64,32],[32,8]]|-|mlp<float>()|1,1,1
	linear|fprop|[[64,32],[8,32]]|-|sgemm()|1,1,1
	linear|bprop|[[64,32],[8,32]]|-|sgemm_nn()|1,1,1
	mm|fprop|[[64,32],[32,8]]|-|sgemm()|1,1,1
	mm|bprop|[[64,32],[32,8]]|-|sgemm_nn()|1,1,1
	softmax|fprop|[[4,8]]|-|mine<float>()|1,1,1
	softmax|fprop|[[4,8]]|-|softmax<float>()|1,1,1
	EOF
	# the exact name has no rule for backward: unknown, not the pattern's
	same "gemm main 32768 5632
gemm - - -
pointwise main - 9216
gemm main 1 -
gemm dgrad 32768 -
gemm main 2 -
gemm dgrad 32768 -
other main 3 -
softmax main 160 256" "$(sed 's/^gemm dgrad 32768 .*/gemm dgrad 32768 -/' got)"
}

@test "wrong rules: file, line, what" {
	local rule want

	while IFS='|' read -r rule want; do
		printf '# first\n%s\n' "$rule" >bad.rules
		run dlp-flops -f bad.rules /dev/null
		[ "$status" = 2 ]
		same "dlp-flops: bad.rules:2: $want" "$output"
	done <<-'EOF'
	a b|OP DIRECTION FAMILY expected, not 'a'
	a fprop foo flop = 1|no such family 'foo'
	a up gemm|direction is fprop, bprop or any, not 'up'
	a any gemm frop = 1|no such key 'frop'
	a any gemm flop|KEY = VALUE expected, not 'flop'
	a any gemm tc = maybe|yes or no expected, not 'maybe'
	a any gemm flop = 1 +|flop: a number or name expected at 'the end'
	a any gemm flop = 2*q|flop: no such word at 'q'
	a any gemm flop = foo(A)|flop: no such function at 'foo(A)'
	a any gemm flop = numel(1)|flop: an argument expected: A, B, or a name at '1)'
	a any gemm flop = A[0|flop: ']' expected at 'the end'
	a any gemm flop = 1 2|flop: operator expected at '2'
	a any gemm flop = 99999999999999999999|flop: number too large at '99999999999999999999'
	 flop = 1|continuation of nothing ' flop = 1'
	EOF
	printf 'a any gemm flop = %s1\n' "$(head -c 100000 /dev/zero |
	    tr '\0' '(')" >bad.rules
	run dlp-flops -f bad.rules /dev/null
	[ "$status" = 2 ]
	[[ $output = *"nested too deeply"* ]]
	run dlp-flops -f nowhere /dev/null
	same "dlp-flops: nowhere: No such file or directory" "$output"
}

# bats test_tags=long
@test "bytes against the DRAM counters: no family beyond 1.5" {
	local n t

	for n in zoo gpt2_bf16 resnet50_fp32 resnet50_tf32; do
		t=$DATA/h200/truth/$n.ncu.tsv
		[ -e "$t" ] || t=$t.xz
		dlp-parse "$(profile "h200/$n.sqlite.xz")" | dlp-correlate |
		    dlp-iter -k iteration | dlp-flops 2>/dev/null >stream
		"$ROOT/tests/truth-bytes" stream "$t" >table
		cat table
		[ "$(wc -l <table)" -gt 5 ]
		run awk -F'\t' 'NR > 1 && $6 != "-" && $6 > 1.5' table
		same "" "$output"
	done
	# what is not the other's affair has bytes, nearly all of it
	run awk -F'\t' 'NR > 1 && $1 !~ /conv|gemm|gemv|attention|rnn/ {
		all += $5 + $7; none += $7 }
	    END { print (none < 0.03 * all ? "few" : none " of " all) }' table
	same few "$output"
}
