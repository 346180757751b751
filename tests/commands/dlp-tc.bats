load ../lib

TRUTH=$DATA/h200/truth

# truth NAME: kernel name, TAB, 1 if it executed matrix instructions, TAB, time.
truth() {
	awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["uses_tc"] != "-" {
		print $c["kernel"] "\t" $c["uses_tc"] "\t" $c["duration_ns"]
	}' "$TRUTH/$1.ncu.tsv"
}

# One kernel's name can stand for code with and without matrix instructions
# (a Triton kernel compiled for several types): by the name alone its verdict
# can only be unknown, so it is not part of the share that may be unknown.
@test "verdicts by name alone agree with the hardware counters" {
	for f in "$TRUTH"/*.ncu.tsv; do
		f=${f##*/}
		truth "${f%%.*}" >"$f"
	done
	cat ./*.ncu.tsv | awk -F'\t' '
	$1 in uses && uses[$1] != $2 { print $1 }
	{ uses[$1] = $2 }' | sort -u >both
	same _matmul_kernel "$(cat both)"
	for f in *.ncu.tsv; do
		cut -f 1 "$f" | dlp-tc >v
		[ "$(wc -l <v)" -eq "$(wc -l <"$f")" ]
		cut -f 1 v | cmp - <(cut -f 1 "$f")
		paste "$f" v | awk -F'\t' -v f="$f" '
		NR == FNR { both[$1] = 1; next }
		$1 in both {
			if ($5 != "unknown") print f ": told by name: " $1
			next
		}
		{ all += $3 }
		$5 == "unknown" { unknown += $3; next }
		($5 == "yes") != $2 { print f ": wrong " $5 " by " $6 ": " $1 }
		END { if (unknown > 0.02 * all) print f, unknown / all }' both -
	done >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "the rules compiled in are those of the file" {
	printf '%s\n' nvjet_hsh_128x128_64x4_1x2_h_bz_NNT a_kernel ffma_ |
	    tee in | dlp-tc >want
	dlp-tc --tc-rules "$ROOT/cmd/dlp-flops/tc.rules" in >got
	cmp want got
	cut -f 2 want | diff - <(printf '%s\n' yes unknown unknown)
}

@test "dlp-flops and dlp-tc say the same, of short rules too" {
	printf 'x yes - - elementwise\n' >r
	dlp-parse "$LENET" | dlp-flops --tc-rules r 2>/dev/null | tee s |
	    dlp-fmt --tsv -T kern -c name,tc,tc_rule | tail -n +2 >want
	cut -f 1 want | dlp-tc --tc-rules r >got
	cmp want got
	grep -q '	yes	x$' got
}

@test "a million lines of few names are no work" {
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print "sm80_xmma_gemm_" i % 9 }' >in
	(ulimit -t 20; dlp-tc in) | cut -f 2 | sort | uniq -c | awk '{ print $1, $2 }' >got
	diff <(echo "1000000 yes") got
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	bats_require_minimum_version 1.5.0
}

# why FILE: layer, tc_why of each kernel that could use Tensor Cores and does not
why() {
	dlp-parse "$1" | dlp-correlate | dlp-flops 2>/dev/null |
	    dlp-agg -T kern --where tc_eligible==yes --where tc==no |
	    dlp-fmt --tsv -T kern -c layer,op,tc_why | sed 1d
}

@test "TF32 is not said to be off where the program has turned it on" {
	# the program's ranges say which it did: linear_fp32, linear_tf32; it
	# turned it off again for sdpa_math and the cells
	why "$(profile h200/zoo.sqlite.xz)" >got
	same '' "$(awk -F '\t' '$1 ~ /_tf32/ && $3 == "fp32"' got)"
	same unaligned "$(awk -F '\t' '$1 ~ /conv2d_first_tf32/ { print $3 }' \
	    got | sort -u)"
	for l in linear_fp32 linear_unaligned_fp32 conv2d_first_fp32 \
	    rnncell_fp32 sdpa_math_fp32; do
		same fp32 "$(awk -F '\t' -v l="$l/" \
		    'index($1, l) == 1 { print $3 }' got | sort -u)"
	done
	# the loader's program has it on, and ten classes: no multiple of 4
	f=$(profile h200/loader.sqlite.xz)
	same unaligned "$(why "$f" | awk -F '\t' '$2 == "linear" { print $3 }' |
	    sort -u)"
	dlp -v "$f" 2>/dev/null >got
	grep 'most: linear backward; a size is not a multiple' got
	run -1 grep 'Allow TF32' got
}

# bats test_tags=more
@test "no GPU is known: the names of kernels tell that it has no TF32" {
	need_data nvprof/lm-pyprof.dict
	# the dict is of the sqlite's run, which names the GPU: both the same
	for f in dict sqlite; do
		dlp -v "$DATA/nvprof/lm-pyprof.$f" 2>/dev/null |
		    grep 'most: .*; this GPU has no TF32'
	done
}
