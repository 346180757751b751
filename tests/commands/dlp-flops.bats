# bats file_tags=long
load ../lib

# bats test_tags=more
@test "params and op of all kernels are PyProf's" {
	need_data nvprof/lm-pyprof.all20.csv
	dlp-parse "$DATA/nvprof/lm-pyprof.sqlite" | dlp-correlate | dlp-flops |
	    awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 != "kern" { next }
	{ p = $c["params"]; if (p == "-") p = "na=na," }
	# what PyProf calls the op bias is a role of the op linear
	{ op = $c["role"] == "bias" ? "bias" : $c["op"] }
	{ print $c["idx"] "\t" op "\t" p }' |
	    sort -n >"$BATS_TEST_TMPDIR/ours"
	awk -F'","' 'NR > 1 {
		sub(/^"/, "", $1); print $1 "\t" $10 "\t" $12
	}' "$DATA/nvprof/lm-pyprof.all20.csv" >"$BATS_TEST_TMPDIR/pyprof"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/pyprof")" = 160 ]
	diff -u "$BATS_TEST_TMPDIR/pyprof" "$BATS_TEST_TMPDIR/ours"
}

@test "lines held too long go on, with the size unknown" {
	{
		printf '##dlp\t1\n#op\top_id\top\tdir\tshapes\n'
		printf 'op\t1\tconv2d\tfprop\t[[1,3,9,9],[4,3,3,3]]\n'
		printf '#kern\tid\top_id\tinst_id\tseq\tshort\n'
		printf 'kern\t1\t1\t1\t1\tx_fprop\n#mark\tid\n'
		seq 140000 | sed 's/^/mark\t/'
		printf '##end\t140002\n'
	} >"$BATS_TEST_TMPDIR/in"
	dlp-flops "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out"
	grep -q '^##note	flop_unknown	1$' "$BATS_TEST_TMPDIR/out"
	cut -f1,2 "$BATS_TEST_TMPDIR/out" |
	    grep -Ev '^(##cmd|##note)' >"$BATS_TEST_TMPDIR/got"
	cut -f1,2 "$BATS_TEST_TMPDIR/in" | diff - "$BATS_TEST_TMPDIR/got"
}

# once FILE: whether a stream that goes through dlp-flops again is as before.
once() {
	dlp-parse "$1" | dlp-correlate | dlp-flops >"$BATS_TEST_TMPDIR/1"
	dlp-flops <"$BATS_TEST_TMPDIR/1" | sed '/^##cmd/d' \
	    >"$BATS_TEST_TMPDIR/2"
	sed '/^##cmd/d' "$BATS_TEST_TMPDIR/1" | cmp - "$BATS_TEST_TMPDIR/2"
}

@test "twice through is once, also where sizes come late" {
	once tests/data/lenet.sqlite.xz
	once tests/data/resnet-after.sqlite.xz
	for f in lenet_emitnvtx_train zoo_pyprof everything graph_infer_node; do
		once "$DATA/h200/$f.sqlite.xz"
	done
}

@test "again with other rules: columns and account are those of the second" {
	cd "$BATS_TEST_TMPDIR"
	dlp-parse "$ROOT/tests/data/lenet.sqlite.xz" | dlp-correlate >in
	printf 'conv2d any conv\n  flop = A[99]\n' >rules
	dlp-flops -f rules in >once 2>err
	grep '^##note	flop_unknown	[1-9]' once
	dlp-flops in | tee other | dlp-flops -f rules >twice 2>err
	! grep '^##note	flop_unknown' other || false
	cmp <(sed '/^##cmd/d' once) <(sed '/^##cmd/d' twice)
	# and back
	dlp-flops twice | cmp <(sed '/^##cmd/d' other) <(sed '/^##cmd/d')
}

@test "columns behind ours stay, before them" {
	dlp-parse tests/data/lenet.sqlite.xz | dlp-correlate | dlp-flops |
	    dlp-iter >"$BATS_TEST_TMPDIR/1"
	dlp-flops <"$BATS_TEST_TMPDIR/1" >"$BATS_TEST_TMPDIR/2"
	for f in 1 2; do
		dlp-fmt --tsv -T kern -c id,iter,flop,bytes,tc,lacks \
		    "$BATS_TEST_TMPDIR/$f" >"$BATS_TEST_TMPDIR/t$f"
	done
	cmp "$BATS_TEST_TMPDIR/t1" "$BATS_TEST_TMPDIR/t2"
	grep -q '^#kern.*	iter	params	' "$BATS_TEST_TMPDIR/2"
}
