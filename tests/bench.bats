# The bench itself, on a profile so small that its times say nothing.

load lib

@test "the bench measures everything, and its answers are those of SQL" {
	cd "$ROOT" || return
	run env ROWS=20000 BEST=1 TIMES= bash tests/bench/run
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"kernels by name and by step: as SQL finds them"* ]]
	for row in sqlite3 parse pipeline kernels overview stats dlprof pass; do
		grep -q "^  $row  *[0-9.]* \(s\|MB/s\)" <<<"$output"
	done
	[[ $output != *MISSED* ]]
}
