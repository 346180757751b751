# The rules of dlp-flops as text: each family against a calculation by hand,
# the language, a user's file, and the bytes against hardware counters.

load ../lib

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

# Sizes of 2 bytes. Experts: 16 tokens, 2 of 4 experts each, of (12, 8) and (8, 6):
# 2 * 16 * 2 * 8 * (12 + 6) FLOPs; 2 * 16 * 8 + 16 * 2 + 4 * 8 * (12 + 6) elements.
@test "experts, and kernels of engines" {
	moe='[[16,8],[4,12,8],[4,8,6],[16,2]]'
	count <<-EOF >got
	vllm::rocm_aiter_fused_moe|fprop|$moe|-|k<c10::BFloat16>|1
	vllm::rocm_aiter_asm_moe_tkw1|fprop|$moe|-|k<c10::BFloat16>|1
	vllm::inplace_fused_experts|fprop|$moe|-|k<c10::BFloat16>|1
	fused_moe|fprop|$moe|-|k<c10::BFloat16>|1
	fused_moe_|fprop|$moe|-|k<c10::BFloat16>|1
	aiter::fused_moe_|fprop|$moe|-|k<c10::BFloat16>|1
	vllm::moe_forward|fprop|[[4,8],[4,4]]|-|k<c10::BFloat16>|1
	vllm::moe_forward_shared|fprop|[[4,8],[4,4]]|-|k<c10::BFloat16>|1
	_C::rms_norm|fprop|[[4,8],[4,8],[8]]|-|k<c10::BFloat16>|1
	aiter::rmsnorm|fprop|[[4,8],[4,8],[8]]|-|k<c10::BFloat16>|1
	aiter::rms_norm|fprop|[[4,8],[8]]|-|k<c10::BFloat16>|1
	aiter::rmsnorm2d_fwd|fprop|[[4,8],[8]]|-|k<c10::BFloat16>|1
	vllm::rocm_aiter_rms_norm|fprop|[[4,8],[8],[]]|-|k<c10::BFloat16>|1
	vllm::rocm_aiter_rmsnorm2d_fwd_with_add|fprop|[[4,8],[4,8],[8],[]]|-|k<c10::BFloat16>|1
	_C::fused_add_rms_norm|fprop|[[4,8],[4,8],[8]]|-|k<c10::BFloat16>|1
	aiter::add_rmsnorm|fprop|[[4,8],[4,8],[4,8],[4,8],[8]]|-|k<c10::BFloat16>|1
	aiter::rmsnorm2d_fwd_with_add_ck|fprop|[[4,8],[4,8],[4,8],[4,8],[8]]|-|k<c10::BFloat16>|1
	_C::rms_norm_static_fp8_quant|fprop|[[4,8],[4,8],[8],[1]]|-|k<c10::BFloat16>|1
	_C::rotary_embedding|fprop|[[4],[4,16],[4,8]]|-|k<c10::BFloat16>|1
	_C::static_scaled_fp8_quant|fprop|[[4,8],[4,8],[1]]|-|k<c10::BFloat16>|1
	_C::dynamic_scaled_fp8_quant|fprop|[[4,8],[4,8],[1]]|-|k<c10::BFloat16>|1
	_C::dynamic_per_token_scaled_fp8_quant|fprop|[[4,8],[4,8],[4,1]]|-|k<c10::BFloat16>|1
	_C::silu_and_mul|fprop|[[4,8],[4,16]]|-|k<c10::BFloat16>|1
	_C_cache_ops::reshape_and_cache_flash|fprop|[[4,2,8],[4,2,8]]|-|k<c10::BFloat16>|1
	vllm::unified_kv_cache_update|fprop|[[4,2,8],[4,2,8]]|-|k<c10::BFloat16>|1
	EOF
	{
		yes 'moe main 9216 1728' | head -6
		yes 'moe main - -' | head -2
		yes 'norm main 128 144' | head -5
		yes 'norm main 160 272' | head -4
		echo 'norm main 160 146'
		echo 'pointwise main 288 416'
		yes 'pointwise main 32 128' | head -3
		echo 'activation main 160 192'
		yes 'index main 0 512' | head -2
	} | diff - got
}

@test "every op of flops.rules occurs in a test" {
	cd "$ROOT" || return
	# op, op_id, mod, op in the streams of the cases
	{
		cat tests/commands/flops-rules.bats tests/commands/dlp-flops.bats \
		    tests/truth/truth-flops.bats tests/cases/dlp-flops/*/in |
		    grep -v '^#' | tr -c 'a-zA-Z0-9_:.\n' '\n'
		awk -F'\t' '$1 == "op" { print $3 "::" $4 }' tests/cases/dlp-flops/*/in
	} | sort -u >"$BATS_TEST_TMPDIR/words"
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
		"$ROOT/tests/bin/truth-bytes" stream "$t" >table
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
