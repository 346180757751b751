# The bench itself, on a profile so small that its times say nothing.

# bats file_tags=all
load ../lib

@test "the bench measures everything, and its answers are those of SQL" {
	cd "$ROOT" || return
	run env ROWS=20000 JSON=2 BEST=1 TIMES= SIZES='500 2000' RANKS=150 \
	    bash tests/bench/run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"kernels by name and by step: as SQL finds them"* ]]
	for row in sqlite3 parse pipeline kernels overview stats reports dlprof pass; do
		grep -q "^  $row  *[0-9.]* \(s\|MB/s\)" <<<"$output"
	done
	grep -q "^  parse  *[0-9.]* MB/s per CPU second" <<<"$output"
	grep -q "^  python  *[0-9.]* MB/s per CPU second" <<<"$output"
	[[ $output != *MISSED* ]]
}

@test "ops that lie in files are those that would be in memory" {
	local gen=$ROOT/${B:-build}/bench/gen f=$BATS_TEST_TMPDIR/x.sqlite

	[ -x "$gen" ] || skip "no generator"
	"$gen" 300000 "$f" ops >/dev/null
	dlp-parse "$f" >"$BATS_TEST_TMPDIR/in"
	for size in 4K 8M 1G; do
		dlp-correlate -S $size <"$BATS_TEST_TMPDIR/in" |
		    dlp-flops -S $size 2>/dev/null | sed /^##cmd/d | sha256sum
	done | sort -u | tee /dev/stderr | wc -l | grep -qx 1
}
