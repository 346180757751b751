# AMD's GPUs: which kernels use matrix cores, peaks, and words.

load lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# stream VENDOR NAME: a stream of one kernel.
stream() {
	printf '##dlp\t1\n##cmd\tdlp-parse 0.2.0 f\n'
	printf '##info\t%s\n' "$1"
	printf '#str\tid\ttext\nstr\t1\t%s\n' "$2"
	printf '#kern\tid\tstart_ns\tdur_ns\tshort\tname_id\n'
	printf 'kern\t1\t0\t5\tk\t1\n##end\t2\n'
}

@test "verdicts by names of AMD's libraries" {
	# names as the libraries write them; the sources are in tc.rules
	cat >want <<-'EOF'
	Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16x1_SN	yes	amd-tensile-bf16
	Cijk_Ailk_Bljk_HHS_BH_MT64x64x64_MI32x32x8x1_SN	yes	amd-tensile-fp16
	Cijk_Alik_Bljk_F8BS_BH_Bias_HAS_SAB_SCAB_MT256x256x128_MI16x16x1_SN	yes	amd-tensile-fp8
	Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN	yes	amd-tensile-fp32
	Cijk_Ailk_Bjlk_DB_MT64x64x16_MI16x16x4x1_SN	yes	amd-tensile-fp64
	Custom_Cijk_Alik_Bljk_BBS_BH_Bias_MT256x256x64_MI16x16x1_CMS	yes	amd-tensile-bf16
	Cijk_Ailk_Bjlk_SB_MT64x64x8_SE_K1	no	amd-tensile-vector
	Cijk_SB_Ailk_PostGSU2_VW4	no	amd-tensile-vector
	void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<1> >	yes	amd-ck
	void ck::kernel_gemm_dl_v1r3<ck::GridwiseGemmDl_km_kn_mn_v1r3<1> >	no	amd-ck-vector
	void ck_tile::kentry<1, ck_tile::GemmKernel<ck_tile::A> >	yes	amd-ck-tile
	void ck_tile::kentry<2, ck_tile::FmhaFwdKernel<ck_tile::B> >	yes	amd-ck-fmha
	void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::B> >	no	rocprim
	igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x128x32_wt32x32x8	yes	amd-igemm-bf16
	igemm_fwd_gtc_nchw_fp32_bx0_ex0_bt64x128x16	no	amd-igemm-vector
	mlir_gen_igemm_conv2d_v4r4_fwd_xdlops0	yes	amd-miopen-xdlops
	gridwise_convolution_implicit_gemm_v4r1_nchw_kcyx_nkhw_lds_double_buffer	no	amd-miopen-gridwise
	miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1	no	amd-miopen
	attn_fwd	yes	amd-aotriton
	bwd_kernel_dk_dv	yes	amd-aotriton
	aiter::fmha_fwd_hd128_bf16_rtz	yes	amd-aiter
	_ZN5aiter28pa_bf16_pertokenFp8_gqa16_2tg_4wE	yes	amd-aiter
	aiter::mla_a16w16_qh16_m16x4_n16x1_coex	yes	amd-aiter
	f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256	yes	amd-aiter-gemm
	void aiter::rmsnorm_quant_kernel<float>	no	norm
	void wvSplitKQ_hf_sml_<__hip_bfloat16, 64, 2>	yes	amd-skinny-fp8
	void wvSplitK_hf_sml_<__half, 64, 2>	no	amd-skinny-half
	void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2>	unknown	-
	void LLGemm1_kernel<__half, 4>	no	amd-skinny-ll
	void rocblas_gemvn_kernel<64, 16, int, float>	no	amd-rocblas
	void magma_sgemmEx_kernel<float, float, float, false, false, 6, 3, 5, 3, 3>(int, int, int, Tensor, int)	no	magma-sgemm
	EOF
	same "$(cat want)" "$(cut -f 1 want | dlp-tc)"
}

# bats test_tags=more
@test "no name of the samples is unknown but those that can mean either" {
	need_data kineto/kernels-amd.txt
	same '' "$(dlp-tc "$DATA/kineto/kernels-amd.txt" |
	    awk -F'\t' '$2 == "unknown" { print $1 }')"
	same '' "$(dlp-tc "$DATA/kineto/kernels-nvidia.txt" |
	    awk -F'\t' '$2 == "unknown" { print $1 }' | grep -v '^triton__0d1d')"
}

@test "rules about AMD's names do not count on NVIDIA's GPUs" {
	n=attn_fwd
	verdict() {
		dlp-flops 2>/dev/null | dlp-fmt -T kern --tsv -c tc,tc_rule |
		    tail -n +2
	}
	same "yes${TAB}amd-aotriton" "$(stream "vendor${TAB}amd" $n | verdict)"
	same "unknown${TAB}-" "$(stream "dialect${TAB}nsys" $n | verdict)"
	same "unknown${TAB}-" "$(stream "cuda${TAB}12.4" $n | verdict)"
	# who made the GPU is not known
	same "yes${TAB}amd-aotriton" "$(stream "dialect${TAB}kineto" $n | verdict)"
	# each section for itself
	same "unknown${TAB}-
yes${TAB}amd-aotriton" "$( (stream "dialect${TAB}nsys" $n
	    stream "vendor${TAB}amd" $n) | verdict)"
}

@test "peaks are CUs times clock times operations per clock" {
	# CDNA 3 at FP16: 2048 per clock and CU; CDNA 4: 4096; CDNA 2: 1024
	awk '$1 ~ /^MI(300X|325X|300A|350X|355X|250|250X|210|100)$/ {
		printf "%s %.1f\n", $1, $6 }' "$ROOT/cmd/dlp-rate/gpus.tab" >got
	while read -r name cu mhz per; do
		awk -v n="$name" -v a="$cu" -v b="$mhz" -v c="$per" 'BEGIN {
			printf "%s %.1f\n", n, a * b * c / 1e6 }'
	done <<-'EOF' >want
	MI355X 256 2400 4096
	MI350X 256 2200 4096
	MI325X 304 2100 2048
	MI300X 304 2100 2048
	MI300A 228 2100 2048
	MI250X 110 1700 1024
	MI250 104 1700 1024
	MI210 104 1700 1024
	MI100 120 1502 1024
	EOF
	diff want got
}

@test "AMD's word is matrix cores: overview, findings, tc, the page" {
	f=$ROOT/tests/data/kineto/gpt2_bf16.json.gz
	zcat "$f" | sed 's/"NVIDIA H200"/"AMD Instinct MI300X"/g' >g.json
	dlp-parse g.json 2>/dev/null | grep -q "^##info${TAB}vendor${TAB}amd\$"
	for r in overview advise tc coverage; do
		dlp $r g.json >out 2>&1
		[ "$(grep -ci 'tensor core' out)" -eq 0 ]
		[ $r != overview ] || grep -q 'matrix core kernels' out
		dlp $r "$f" >out 2>&1
		[ "$(grep -c 'matrix core' out)" -eq 0 ]
	done
	dlp html g.json >p.html 2>/dev/null
	grep -q '"vendor":"amd"' p.html
	# the page's own words go through tensorCores()
	same '' "$(grep -n 'Tensor Core' "$ROOT"/cmd/dlp-html/page/*.js |
	    grep -v ':// \|tensorCores(\|const tensorCores')"
}

@test "calls of HIP that wait, allocate and load are what CUDA's are" {
	hip() { sed 's/	cuda\([A-Z]\)/	hip\1/g; s/	cu\([A-Z]\)/	hip\1/g'; }
	# the same waits and findings, of calls with the other name
	f=$ROOT/tests/data/h200/everything.sqlite.xz
	dlp-parse "$f" | dlp-correlate 2>/dev/null >s
	[ "$(dlp-waits s | grep -c '^wait	.*cuda')" -gt 3 ]
	same "$(hip <s | dlp-waits | dlp-fmt -T wait --tsv)" \
	    "$(dlp-waits s | dlp-fmt -T wait --tsv | hip)"
	dlp-advise --json <s | sed 's/cuda\([DESTMF]\)/hip\1/g' >want
	hip <s | dlp-advise --json | sed 's/cuda\([DESTMF]\)/hip\1/g' >got
	cmp want got
	printf 'call\t%s\n' hipMemcpyWithStream hipMemcpyDtoH_spt hipMemcpyAsync \
	    hipMemcpyDtoHAsync hipStreamQuery cudaMemset cudaMemset2D_ptds cuMemcpy2D_v2 \
	    cudaStreamSynchronize_ptsz_v7000 cudaMemcpyAsync_v3020 xcudaMemcpy cu _v2 |
	    awk -F '\t' -v OFS='\t' 'BEGIN { print "##dlp", 1; print "##cmd", "dlp-parse"
		print "#call", "id", "start_ns", "dur_ns", "pid", "tid", "corr", "api" }
		{ print $1, NR, NR, 1, 1, 1, NR, $2 } END { print "##end", NR }' >s
	same "hipMemcpyWithStream hipMemcpyDtoH_spt cuMemcpy2D_v2 cudaStreamSynchronize_ptsz_v7000" \
	    "$(dlp-waits s | dlp-fmt -T wait --tsv -c name | tail -n +2 | xargs)"
}

# bats test_tags=more
@test "the waits of a trace of an MI300" {
	f=kineto/tracelens/traces__mi300__gaunernst_bert-small-uncased__1016001.json.gz
	need_data "$f"
	# the same from the JSON, in us
	same "$(gzip -dc "$DATA/$f" | python3 -c 'import json, re, sys
for e in sorted((e for e in json.load(sys.stdin)["traceEvents"] if e.get("cat") == "cuda_runtime"
    and re.match("hip(.*Synchronize|Memcpy(?!.*Async))", e["name"])), key=lambda e: e["ts"]):
    print(e["name"], round(e["dur"] * 1000), sep="\t")')" \
	    "$(dlp-parse "$DATA/$f" 2>/dev/null | dlp-waits |
		dlp-fmt -T wait --tsv -c name,dur_ns | tail -n +2)"
}
