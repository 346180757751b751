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
	same "#copy	id	bytes	flop	family
copy	2	100	0	memory
#set	id	bytes	flop	family
set	3	7	0	memory" "$output"
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
