# Random damage and random profiles (tests/harness): each test goes through
# seeds for some seconds, and prints the seed that fails. SEED=N begins there,
# and COUNT=N takes so many: SEED=7 COUNT=1 makes the same failure again.
# make fuzz T=harness goes on for TIME.

# bats file_tags=all
load ../lib

setup() {
	command -v python3 >/dev/null || skip "no python3"
	cd "$BATS_TEST_TMPDIR" || return
}

# harness PROGRAM SECONDS: at most 30 seeds, so that the same ones run everywhere
harness() {
	BIN=$BIN ASAN_OPTIONS=detect_leaks=0 python3 \
	    "$ROOT/tests/harness/$1.py" --seed "${SEED:-1}" --time "$2" \
	    --keep "$BATS_TMPDIR/dlp-harness" --count "${COUNT:-30}"
}

# Sanitizers see more of what goes wrong; numbers are the same without them.
sanitized() {
	[[ ${B:-build} == *san* ]] || skip "does not apply"
}

plain() {
	[[ ${B:-build} != *san* ]] || skip "does not apply"
}

@test "databases broken by SQL: no crash, no broken row, nothing lost in silence" {
	sanitized
	COUNT=${COUNT:-120} harness mutate_db 60
}

@test "streams broken in a line or everywhere: no crash, no broken row" {
	sanitized
	harness mutate_stream 20
}

@test "other inputs and requests broken: no crash, no kernel lost in silence" {
	sanitized
	harness mutate_file 30
	for kind in nvprof dlprof; do
		KIND=$kind COUNT=${COUNT:-40} harness mutate_file 20
	done
}

@test "numbers at the ends of their range: no overflow in any filter" {
	sanitized
	BIN=$BIN ASAN_OPTIONS=detect_leaks=0 python3 "$ROOT/tests/harness/extreme.py"
}

@test "numbers at the ends of their range: no overflow in any report" {
	sanitized
	BIN=$BIN ASAN_OPTIONS=detect_leaks=0 \
	    python3 "$ROOT/tests/harness/extreme.py" --reports
}

@test "random profiles: all numbers are those of a second opinion" {
	plain
	MALLOC_PERTURB_=165 harness oracle 30
}

@test "random programs of several ranks: waits are those of a second opinion" {
	plain
	harness ranks 15
}

@test "random triggers, signals and full spools: whole steps in time, or a line" {
	plain
	harness arm 30
}

@test "broken databases, with memory that is filled before and after use" {
	plain
	MALLOC_PERTURB_=165 SEED=${SEED:-5001} harness mutate_db 10
}

@test "the oracle notices a number that is wrong" {
	plain
	mkdir bin
	cp "$BIN"/dlp-* bin
	cat >bin/dlp-gaps <<-END
	#!/bin/sh
	"$BIN/dlp-gaps" "\$@" | awk -F'\t' -v OFS='\t' '
	/^#gap/ { for (i = 2; i <= NF; i++) p[\$i] = i }
	\$1 == "gap" && !n++ { \$p["dur_ns"]++ }
	{ print }'
	END
	chmod +x bin/dlp-gaps
	! BIN=$PWD/bin COUNT=5 harness oracle 30 >out 2>&1 || false
	cat out
	grep -q '^seed [0-9]*: gaps: ' out
}
