# dlp gaps, phases, mem, waits: what has no place in tests/cases/dlp.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# N iterations, each of two kernels, forward and backward; its iter record comes DELAY iterations later.
iterations() { # N DELAY
	awk -v n="$1" -v delay="$2" 'BEGIN {
		OFS = "\t"
		print "##dlp", 1
		print "#kern", "start_ns", "dur_ns", "dev", "api_start_ns", "api_dur_ns",
		    "pid", "phase", "iter"
		print "#iter", "iter", "key", "start_ns", "dur_ns", "step_ns"
		for (i = 0; i < n + delay; i++) {
			t = i * 1000
			if (i < n) {
				print "kern", t + 100, 50 + i % 7, 0, t, 10, 1, "forward", i
				print "kern", t + 300, 70, 0, t + 200, 10, 1, "backward", i
				records += 2
			}
			if (i >= delay) {
				k = i - delay
				print "iter", k, "step " k, k * 1000, 1000, 1000
				records++
			}
		}
		print "##end", records
	}'
}

@test "phases: memory does not grow with the steps, and each is as alone" {
	iterations 300000 8 >in
	(ulimit -v 120000 && dlp-phases in) | grep ^phase >out
	# a step: forward, backward, and the rest, 1000 ns less the work and the gap
	awk -F'\t' '
	$3 == "forward" { n++; bad += $6 != 50 + $2 % 7 || $8 != 0 }
	$3 == "backward" { n++; bad += $6 != 70 || $8 != 150 - $2 % 7 }
	$3 == "-" { n++; bad += $6 != 0 || $8 != 730 }
	END { print n, bad + 0 }' out >got
	same "900000 0" "$(cat got)"
}

# What fills the longest gap is the longest call behind the first work.
# bats test_tags=more
@test "dlp gaps: a first call of seconds is startup" {
	need_data nvprof/emit-nvtx-v11.sqlite
	f=$DATA/nvprof/emit-nvtx-v11.sqlite
	dlp gaps --tsv -n 1 "$f" 2>/dev/null >got
	longest=$(sqlite3 "$f" "SELECT max(r.end - r.start)
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.start >
	    (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_MEMCPY)")
	echo "$longest"
	# the GPU still worked when that call began
	awk -F'\t' -v x="$longest" '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ exit !($a["class"] == "startup" && $a["what_ns"] <= x &&
	    $a["what_ns"] > .999 * x) }' got
}
