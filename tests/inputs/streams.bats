# Streams that released versions wrote are read by this one.
load ../lib

setup() { cd "$BATS_TEST_TMPDIR"; }

# The streams of all releases.
each_stream() {
	for f in "$ROOT"/tests/data/streams/*.dlp.xz; do
		xz -dc "$f" >"$(basename "$f" .xz)"
	done
	ls ./*.dlp
}

@test "streams of releases: every filter reads them, and loses no record" {
	for f in $(each_stream); do
		n=$(grep -c '^kern' "$f")
		for c in correlate iter flops busy gaps phases mem waits expose \
		    markers advise; do
			"dlp-$c" "$f" >out 2>err || { cat err; false; }
			echo "$f dlp-$c"
			same "$n" "$(grep -c '^kern' out)"
		done
	done
}

@test "streams of releases: reports print their sums" {
	for f in $(each_stream); do
		want=$(awk -F'\t' '
		/^#kern/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
		/^kern/ { s += $c["dur_ns"] }
		END { print s }' "$f")
		dlp kernels --tsv -n 0 "$f" >out
		same "$want" "$(awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ s += $c["sum_dur_ns"] }
		END { print s }' out)"
		for r in overview top iters gaps phases flops roofline mfu tc coverage advise; do
			echo "$f dlp $r"
			dlp "$r" --tsv "$f" >out 2>err
		done
	done
}

@test "a stream of this version has a line in each release's legends, or more" {
	# a column that a released stream has may not go away
	dlp-parse "$LENET" | dlp-correlate | dlp-iter -k iteration | dlp-flops |
	    grep '^#[a-z]' | sort -u >now
	xz -dc "$ROOT/tests/data/streams/0.2.0.dlp.xz" | grep '^#[a-z]' |
	    while IFS= read -r l; do
		for w in $l; do
			awk -F'\t' -v t="${l%%	*}" -v w="$w" '
			$1 == t { for (i = 1; i <= NF; i++) found += $i == w }
			END { if (!found) { print t ": " w; exit 1 } }' now || exit
		done
	done
}
