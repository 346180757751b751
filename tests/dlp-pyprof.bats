# dlp-pyprof: PyProf's rules, op by op. What is expected is worked out by hand
# from the formulas that PyProf's source has; the real table is in
# pyprof-prof.bats.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# kernel NAME DIR SUB SEQ MOD OP ARGS: a line of a .dict.
kernel() {
	local m="{'mod': '$5', 'op': '$6', 'args': [$7]}"

	m=${m//\'/\\\'}
	[ -z "$7" ] && m= || m="'$m'"
	printf "{'kShortName': '%s', 'kDuration': 10, 'layer': [], " "$1"
	printf "'trace': [], 'reprMarkers': [], 'marker': [%s], " "$m"
	printf "'seqMarker': ['x, seq = %d'], 'seqId': [%d], " "$4" "$4"
	printf "'subSeqId': %d, 'altSeqId': [], 'dir': '%s', " "$3" "$2"
	printf "'mod': ['%s'], 'op': ['%s'], 'tid': 1, 'device': 0, " "$5" "$6"
	printf "'stream': 7, 'grid': (2, 4, 1), 'block': (128, 1, 1), "
	printf "'kLongName': '%s'}\n" "$1"
}

# t SHAPE [DTYPE [NAME]]: a tensor argument; v TYPE VALUE [NAME]: another.
t() {
	printf "{'name': '%s', 'type': 'tensor', 'shape': %s, 'dtype': '%s'}" \
	    "${3-}" "$1" "${2-float32}"
}
v() {
	printf "{'name': '%s', 'type': '%s', 'value': %s}" "${3-}" "$1" "$2"
}

F=torch.nn.functional

# is WANT [-y YEAR]: params, tc, FLOPs and bytes of the line on stdin.
is() {
	local want=$1 got

	shift
	got=$(dlp-pyprof "$@" | dlp-fmt --pyprof --csv \
	    -c op,params,tc,flops,bytes | tail -n +2 | tr -d '"')
	same "$want" "$got"
}

@test "linear: bytes with the slip in them" {
	args="$(t '(8, 4, 16)'), $(t '(32, 16)'), $(t '(32,)')"
	# m 32, n 32, k 16: 2mnk = 32768; mn + mk + 4nk = 1024 + 512 + 2048
	kernel volta_sgemm_nn fprop 0 1 $F linear "$args" |
	    is 'linear,M=32,N=(8,4),K=16,fp32,,0,32768,3584'
	kernel elementwise_kernel fprop 1 1 $F linear "$args" |
	    is 'bias,M=32,N=(8,4),fp32,,-,1024,8192'
	# half on Volta
	args="$(t '(8, 16)' float16), $(t '(32, 16)' float16)"
	kernel volta_fp16_s884gemm_nn fprop 0 1 $F linear "$args" |
	    is 'linear,M=32,N=8,K=16,fp16,,1,8192,1024'
	# backward: by the kernel's number
	kernel sgemm_nt bprop 1 1 $F linear "$args" |
	    is 'linear,M=16,N=32,K=8,fp16,,0,8192,1024'
	kernel gemm_reduce bprop 2 1 $F linear "$args" |
	    is 'linear,X=(8,16),W=(32,16),fp16,,0,0,0'
}

@test "a backward kernel has the arguments of the forward one" {
	{
		kernel sgemm_tn fprop 0 9 $F linear \
		    "$(t '(8, 16)'), $(t '(32, 16)')"
		kernel sgemm_nn bprop 0 9 na Mm ''
		kernel sgemm_nn bprop 0 8 na Mm ''
	} | is 'linear,M=32,N=8,K=16,fp32,,0,8192,1280
linear,M=16,N=8,K=32,fp32,,0,8192,1280
Mm,na=na,,na,0,0'
}

@test "products: M and N swapped, no bytes of what is added" {
	# 5x7 times 7x3: 2*5*7*3 = 210; (15 + 35 + 21) * 4 = 284
	kernel sgemm fprop 0 1 torch mm "$(t '(5, 7)'), $(t '(7, 3)')" |
	    is 'mm,M=3,N=5,K=7,fp32,,0,210,284'
	kernel sgemm fprop 0 1 torch addmm \
	    "$(t '(3,)'), $(t '(5, 7)'), $(t '(7, 3)'), $(v int 1 beta)" |
	    is 'addmm,M=3,N=5,K=7,fp32,,0,210,284'
	kernel x1688gemm fprop 0 1 torch bmm \
	    "$(t '(2, 5, 7)' float16), $(t '(2, 7, 3)' float16)" |
	    is 'bmm,B=2,M=3,N=5,K=7,fp16,,1,420,284'
	# the batch is missing in the bytes
	kernel sgemm fprop 0 1 torch matmul \
	    "$(t '(4, 1, 5, 7)'), $(t '(2, 7, 3)')" |
	    is 'matmul,A=(4,1,5,7),B=(2,7,3),fp32,,0,1680,284'
	kernel dot_kernel fprop 0 1 Tensor __matmul__ \
	    "$(t '(7,)'), $(t '(7,)')" |
	    is '__matmul__,A=(7,),B=(7,),fp32,,-,14,60'
	kernel elementwise_kernel fprop 0 1 torch matmul \
	    "$(t '(5, 7)'), $(t '(7, 3)')" |
	    is 'matmul,A=(5,7),B=(7,3),fp32,,-,0,280'
}

@test "convolution: by the kernel's name; groups" {
	args="$(t '(2, 4, 8, 8)'), $(t '(6, 4, 3, 3)'), $(v NoneType None)"
	args+=", $(v tuple '(1, 1)'), $(v tuple '(1, 1)')"
	p='N=2,C=4,H=8,W=8,K=6,P=8,Q=8,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1'
	# 2*2*6*64*4*9 = 55296; (512 + 216 + 768) * 4 = 5984
	kernel volta_scudnn_128x64 fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=1,fp32,,-,55296.0,5984.0"
	kernel volta_fp16_s884cudnn_fp16_128 fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=1,fp32,,1,55296.0,5984.0"
	kernel nchwToNhwcKernel fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=1,fp32,,-,0,0"
	kernel sm80_xmma_fprop_implicit_gemm fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=1,fp32,,-,0,0"
	kernel calc_bias_diff bprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=1,fp32,,-,768,6144"
	# one kernel per group: C/g, K/g
	args="$(t '(2, 4, 8, 8)'), $(t '(6, 2, 3, 3)'), $(v int 1 padding)"
	args+=", $(v int 2 groups)"
	# 2*2*3*64*2*9 = 13824; (256 + 54 + 384) * 4 = 2776
	kernel volta_scudnn_128x64 fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=2,fp32,,-,13824.0,2776.0"
	# 2*2*6*64*4*9/2 = 27648; (512 + 108 + 768) * 4 = 5552
	kernel conv2d_grouped_direct_kernel fprop 0 1 $F conv2d "$args" |
	    is "conv2d,$p,g=2,fp32,,-,27648.0,5552.0"
	# one dimension, stride 2: Q = int(1 + (9 - 3) / 2) = 4
	kernel x_scudnn_y fprop 0 1 $F conv1d \
	    "$(t '(2, 4, 9)'), $(t '(6, 4, 3)'), $(v int 2 stride)" |
	    is 'conv1d,N=2,C=4,H=1,W=9,K=6,P=1,Q=4,R=1,S=3,ph=0,pw=0,U=1,V=2,dh=1,dw=1,g=1,fp32,,-,1152.0,768.0'
}

@test "element-wise: half of the elements, and the later rules" {
	args="$(t '(4, 5)'), $(t '(5,)')"
	# 20 + 5 + 20 elements
	kernel e fprop 0 1 Tensor __add__ "$args" >l
	is '__add__,T=[(4,5),(5,)],fp32,,-,22.5,180' <l
	is '__add__,[4,5]fp32;[5]fp32,-,20,180' -y 2021 <l
	kernel e fprop 0 1 Tensor mul_ "$(t '(4, 5)'), $(v float 2.0)" >l
	is 'mul_,T=[(4,5)],fp32,,-,20.0,160' <l
	is 'mul_,[4,5]fp32;[]fp32,-,20,164' -y 2021 <l
	kernel e fprop 0 1 torch sigmoid "$(t '(4, 5)')" >l
	is 'sigmoid,T=[(4,5)],fp32,,-,80,160' <l
	is 'sigmoid,[4,5]fp32,-,400,160' -y 2021 <l
	kernel e fprop 0 1 torch pow "$(t '(4, 5)'), $(v int 2)" >l
	is 'pow,T=[(4,5)],fp32,,-,0,160' <l
	is 'pow,[4,5]fp32;[]int32,-,400,164' -y 2021 <l
	kernel e fprop 0 1 Tensor __lt__ "$(t '(4,)'), $(t '(4,)')" >l
	is '__lt__,T=[(4,),(4,)],fp32,,-,6.0,48' <l
	is '__lt__,[4]fp32;[4]fp32,-,4,36' -y 2021 <l
	kernel e fprop 0 1 torch addcmul \
	    "$(t '(4,)'), $(v float 0.1), $(t '(4,)'), $(t '(4,)')" >l
	is 'addcmul,T=[(4,),(4,),(4,)],fp32,,-,0,64' <l
	is 'addcmul,[4]fp32;[]fp32;[4]fp32;[4]fp32,-,12,64' -y 2021 <l
	# backward of a sum of two: two thirds
	kernel e bprop 0 1 Tensor __add__ "$(t '(4,)'), $(t '(4,)')" |
	    is '__add__,T=[(4,),(4,)],fp32,,-,4.0,32'
}

@test "over whole tensors" {
	x=$(t '(4, 5)')
	p='T=(4,5),fp32,'
	kernel k fprop 0 1 torch sum "$x" | is "sum,$p,-,20,80"
	kernel k fprop 1 1 torch sum "$x" | is "sum,$p,-,20,0" -y 2021
	kernel k fprop 0 1 Tensor mean "$x" | is "mean,$p,-,21,80"
	kernel k fprop 1 1 Tensor mean "$x" | is "mean,$p,-,0,0"
	kernel k fprop 0 1 Tensor mean "$x" |
	    is 'mean,[4,5]fp32,-,21,84' -y 2021
	kernel k fprop 3 1 Tensor norm "$x" | is "norm,$p,-,41,80"
	kernel k fprop 3 1 Tensor norm "$x" | is "norm,$p,-,0,0" -y 2021
	kernel k fprop 0 1 $F dropout "$x" | is "dropout,$p,-,100,160"
	kernel k fprop 0 1 $F softmax "$x" | is "softmax,$p,-,0,240"
	kernel k bprop 0 1 $F softmax "$x" | is "softmax,$p,-,800,400" -y 2021
	kernel k fprop 0 1 $F log_softmax "$x" |
	    is "log_softmax,$p,-,420,240" -y 2021
	kernel k bprop 1 1 $F batch_norm "$x" | is "batch_norm,$p,-,160,400"
	kernel k bprop 1 1 $F batch_norm "$x" |
	    is "batch_norm,$p,-,160,0" -y 2021
	kernel k bprop 0 1 $F relu "$x" | is "relu,$p,-,20,240"
	kernel k fprop 0 1 $F mse_loss "$x, $x, $(v str "'mean'")" |
	    is "mse_loss,${p}red=mean,,-,81,160"
	kernel k bprop 0 1 $F mse_loss "$x, $x, $(v str "'none'")" |
	    is "mse_loss,${p}red=none,,-,161,320"
	kernel k fprop 0 1 torch randperm "$(v int 10)" |
	    is 'randperm,N=10,,-,30,80'
}

@test "what moves data" {
	x=$(t '(4, 5)' float16)
	p='T=(4,5),fp16,'
	kernel k fprop 0 1 Tensor float "$x" | is "float,${p}fp32,,-,0,120"
	kernel k fprop 0 1 Tensor float "$x" |
	    is 'float,[4,5]fp16,-,0,120' -y 2021
	kernel k fprop 0 1 Tensor to "$x" | is "to,${p}fp16,,-,0,80"
	kernel k fprop 0 1 Tensor copy_ "$(t '(4, 5)'), $x" |
	    is "copy_,${p}fp32,,-,0,120"
	kernel k fprop 0 1 Tensor clone "$x" | is "clone,$p,-,0,80"
	kernel k fprop 0 1 Tensor contiguous "$x" | is "contiguous,$p,-,0,80"
	kernel k fprop 0 1 Tensor any "$x" | is "any,$p,-,0,40"
	kernel k fprop 0 1 Tensor reshape "$x" | is "reshape,$p,-,0,0"
	kernel k fprop 0 1 torch cat "$x, $x, $(v int 1)" >l
	is 'cat,T=[(4,5),(4,5)],fp16,,-,0,160' <l
	is 'cat,T=[4,5]fp16;[4,5]fp16,A=1,-,0,160' -y 2021 <l
	kernel k fprop 0 1 torch gather "$x, $(v int 1), $(t '(4, 2)' int64)" |
	    is "gather,$p,-,0,80"
	kernel k fprop 0 1 Tensor masked_scatter_ "$x, $(t '(4, 5)' uint8), $x" |
	    is "masked_scatter_,$p,-,0,100"
	kernel k fprop 0 1 torch nonzero "$x" | is "nonzero,$p,-,0,360"
	# 4x3 of them read and written, three indices
	kernel k fprop 0 1 torch index_select \
	    "$x, $(v int 1), $(t '(3,)' int64)" |
	    is 'index_select,T=(4,5),D=1,I=3,fp16,,-,0,72'
	kernel k fprop 0 1 torch masked_select "$x, $(t '(5,)' uint8)" |
	    is 'masked_select,T=(4,5),M=(5,),fp16,,-,0,85'
	# 3 indices of 8 bytes, 2 times 3 rows of 5
	args="$(t '(3,)' int64), $(t '(9, 5)')"
	kernel k fprop 0 1 $F embedding "$args" |
	    is 'embedding,I=(3,),int64,E=(9,5),fp32,,-,0,144'
	kernel k bprop 0 1 $F embedding "$args" |
	    is 'embedding,I=(3,),int64,E=(9,5),fp32,,-,0,180'
	kernel k bprop 1 1 $F embedding "$args" |
	    is 'embedding,I=(3,),int64,E=(9,5),fp32,,-,0,0'
	kernel k fprop 0 1 Tensor zero_ "$x" | is "zero_,T=[(4,5)],['float16'],-,0,0"
	kernel k fprop 0 1 Tensor zero_ "$x" |
	    is 'zero_,[4,5]fp16,-,0,40' -y 2021
}

@test "cells: forward by the kernel's number, backward by its tile" {
	# batch 8, 10 in, 64 hidden; 4 * 64 rows
	args="$(t '(8, 10)'), $(t '(8, 64)'), $(t '(8, 64)')"
	kernel sgemm fprop 0 1 LSTMCell forward "$args" |
	    is 'forward,gemm=layer,M=256,N=8,K=10,fp32,,0,40960,18752'
	kernel sgemm fprop 1 1 LSTMCell forward "$args" |
	    is 'forward,gemm=recur,M=256,N=8,K=64,fp32,,0,262144,75776'
	# (4 + 4 + 3) * 64 * 8 elements
	kernel fused fprop 2 1 LSTMCell forward "$args" |
	    is 'forward,cell=LSTMCell,X=10,H=64,B=8,fp32,,-,0,22528'
	# tile 32x128 on a grid of 2x4: 64 x 512
	kernel volta_sgemm_32x128_nn bprop 0 1 LSTMCell forward "$args" |
	    is 'forward,gemm=recur,M=64,N=8,K=256,fp32,,0,262144,75776'
	kernel volta_sgemm_32x64_sliced1x4_nt bprop 0 1 LSTMCell forward "$args" |
	    is 'forward,gemm=recur,M=64,N=256,K=8,fp32,,0,262144,75776'
}

@test "adam, and what has no rule" {
	w=$(t '(10,)')
	g=$(t '(10,)' float16)
	s=$(v float 0.1)
	kernel k fprop 0 1 amp_C adam \
	    "$w, $g, $w, $w, $g, $s, $s, $s, $s, $s, $s, $s" |
	    is 'adam,T=(10,),fp32,fp16,,-,0,280'
	kernel k fprop 0 1 $F gelu "$w, $g" |
	    is "gelu,T=[(10,),(10,)],['float32','float16'],-,0,0"
	kernel k fprop 0 1 Tensor backward "$s" | is 'backward,T=[],[],-,0,0'
}

@test "where PyProf stopped: unset, counted, said" {
	kernel k fprop 0 1 torch mm "$(t '(5, 7)' bfloat16), $(t '(7, 3)' bfloat16)" >l
	is 'mm,na=na,,-,-,-' <l
	dlp-pyprof l >s 2>err
	grep -q '^##note	pyprof_stopped	1$' s
	grep -q 'would have stopped: 1$' err
}

@test "layers, trace and ids, joined; a backward has the forward's" {
	kernel k fprop 0 3 na x '' | sed "s/'layer': \[\]/'layer': ['a', 'b']/
	    s/'trace': \[\]/'trace': ['x.py:1', 'y.py:2']/
	    s/'altSeqId': \[\]/'altSeqId': [4, 5]/" >l
	kernel k bprop 0 5 na y '' >>l
	dlp-pyprof l |
	    dlp-fmt --pyprof --csv -c seq,altseq,layer,trace,op,mod,tc >got
	same '"SeqId","AltSeqId","Layer","Trace","Op","Module","TC"
"3","4,5","a:b","x.py:1,y.py:2","x","na","na"
"5","-","a:b","x.py:1,y.py:2","x","na","na"' "$(<got)"
}

@test "numbers as Python printed them" {
	# 1.2e+17: above 2^53, as float; 8.5e15 in whole numbers
	kernel e fprop 0 1 Tensor abs "$(t '(1000000000, 120000000)')" |
	    is 'abs,T=[(1000000000,120000000)],fp32,,-,1.2e+17,960000000000000000'
	kernel e fprop 0 1 Tensor abs "$(t '(1000000000, 8500000)')" |
	    is 'abs,T=[(1000000000,8500000)],fp32,,-,8500000000000000.0,68000000000000000'
	# in columns they are whole
	kernel e fprop 0 1 Tensor __add__ "$(t '(4, 5)'), $(t '(5,)')" |
	    dlp-pyprof | dlp-fmt --pyprof -w 60 -c op,flops,bytes | tail -n 1 >got
	same '__add__                   22          180 ' "$(<got)"
}

# A sequence id is of one process; dicts of PyProf do not tell which.
@test "a backward kernel takes the arguments of its own process" {
	one="$(t '(8, 16)' float16), $(t '(32, 16)' float16)"
	two="$(t '(64, 16)' float16), $(t '(128, 16)' float16)"
	{
		kernel volta_fp16_s884gemm_nn fprop 0 1 $F linear "$one"
		kernel volta_fp16_s884gemm_nn fprop 0 1 $F linear "$two"
		kernel sgemm_nt bprop 1 1 $F linear ''
		kernel sgemm_nt bprop 1 1 $F linear ''
	} >old
	awk 'BEGIN { split("7 8 7 8", pid, " ") }
	    { sub(/}$/, ", \"dlp\": [" NR ", " pid[NR] ", 5]}") } 1' old >new
	same 'M=32,N=8,K=16,fp16,
M=128,N=64,K=16,fp16,
M=16,N=32,K=8,fp16,
M=16,N=128,K=64,fp16,' "$(dlp-pyprof new |
	    dlp-fmt --pyprof --csv -c params | tail -n +2 | tr -d '"')"
	same 'M=16,N=128,K=64,fp16,
M=16,N=128,K=64,fp16,' "$(dlp-pyprof old |
	    dlp-fmt --pyprof --csv -c params | tail -n 2 | tr -d '"')"
}
