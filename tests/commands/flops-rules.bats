# The rules of dlp-flops as text: each op and family is tested and in the manual,
# and the bytes against hardware counters. Their language is in the golden cases.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
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
	# op, op_id, mod, op in the streams of the cases
	{
		cat tests/commands/dlp-flops.bats \
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
