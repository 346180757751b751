# Calls that fail at their N-th time, in every command: tests/fault/run.

# bats file_tags=all
load ../lib

@test "memory, reads, writes, opens that fail: 2, or no difference" {
	[[ ${B:-build} != *san* ]] || skip "does not apply"
	cd "$ROOT"
	STEP=${STEP:-100} bash tests/fault/run
}
