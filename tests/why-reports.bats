# dlp gaps, phases, mem, copies, waits: what they print is what SQL finds in
# the database.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# The work of a database, as a table of start and end; with copies and sets.
ALL='SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET'
KERN='SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL'

# gaps_sql DB WORK: count, sum and the longest of the times of one device
# after the latest end so far.
gaps_sql() {
	sqlite3 "$1" "
	WITH w AS ($2), m AS (SELECT start, max(end) OVER (ORDER BY start, end
	    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) before FROM w)
	SELECT count(*), sum(start - before), max(start - before)
	FROM m WHERE start > before"
}

# gaps_dlp OPTIONS DB: the same of the report.
gaps_dlp() {
	dlp gaps -s --tsv "$@" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ n += $at["n"]; ns += $at["sum_dur_ns"]
	  if ($at["max_dur_ns"] > max) max = $at["max_dur_ns"] }
	END { printf "%d|%d|%d\n", n, ns, max }'
}

@test "gaps: the shipped profile" {
	same "$(gaps_sql "$LENET" "$ALL")" "$(gaps_dlp "$LENET")"
	same "$(gaps_sql "$LENET" "$KERN")" "$(gaps_dlp -c "$LENET")"
}

@test "gaps: real profiles of one device" {
	for f in gpt2_bf16 resnet50_tf32 resnet50_fp32 loader \
	    lenet_emitnvtx_train graph_infer_node everything zoo; do
		db=$(profile h200/$f.sqlite.xz)
		echo "$f"
		same "$(gaps_sql "$db" "$ALL")" "$(gaps_dlp "$db")"
		same "$(gaps_sql "$db" "$KERN")" "$(gaps_dlp -c "$db")"
	done
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	same '863|17478536' "$(gaps_dlp "$db" | cut -d'|' -f1,2)"
	same '788|17548776' "$(gaps_dlp -c "$db" | cut -d'|' -f1,2)"
}

# Of steps it is all idle time in them, from the begin of the first: here from
# iteration N to the next, which begins when the GPU is long done.
@test "gaps: of some steps, with their ends" {
	db=$(profile h200/loader.sqlite.xz)
	for n in 0 2 3; do
		sqlite3 -separator ' ' "$db" "
		WITH s AS (SELECT (SELECT start FROM NVTX_EVENTS
			WHERE text = 'iteration $n') lo,
		    (SELECT start FROM NVTX_EVENTS
			WHERE text = 'iteration ' || ($n + 1)) hi),
		w AS ($ALL),
		m AS (SELECT start, end, max(end) OVER (ORDER BY start, end
		    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) before
		    FROM w, s WHERE start >= lo AND start < hi)
		SELECT hi - lo - (SELECT sum(end - max(start, ifnull(before, 0)))
			FROM m WHERE end > ifnull(before, 0)),
		    (SELECT min(start) FROM m) - lo FROM s" >want
		dlp gaps -n 0 -i $n --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ ns += $at["dur_ns"] }
		NR == 2 { first = $at["dur_ns"]; class = $at["class"] }
		END { print ns, first > "got"; print class }' >class
		diff want got
		# the first wait is for the loader, which has a range
		same dataloader "$(<class)"
	done
}

# Pieces add up to the idle time that dlp-busy has for each iteration and device
# (time between two steps is after the first of them), and of -i N they are the
# same as without -i, whatever the steps are.
@test "gaps: pieces are dlp-busy's idle time, of any choice of steps" {
	for p in h200/loader.sqlite.xz h200/gpt2_bf16.sqlite.xz \
	    h200/graph_infer_node.sqlite.xz h200/resnet50_tf32.sqlite.xz \
	    h200/ddp2_rank1.sqlite.xz broken/gpu_before_call.sqlite.xz; do
		db=$(profile $p)
		for i in - 0 1-2; do
			[ $p$i != broken/gpu_before_call.sqlite.xz1-2 ] || break
			set --
			[ $i = - ] || set -- --keep --iter-start ${i%-*} \
			    --iter-stop ${i#*-}
			echo "$p $i"
			dlp-parse "$db" | dlp-correlate | dlp-iter --cuts "$@" |
			    dlp-busy 2>/dev/null |
			    dlp-agg -T busy -c iter,after,dev,class,dur_ns |
			    dlp-fmt -H --tsv -T busy | awk -F'\t' '
			NR == 1 { next }
			$4 ~ /^(dataload|io|cpu|other)$/ {
				i = $1 == "-" ? $2 : $1
				if (i != "-")
					s[i " " $3] += $5
				next
			}
			{ used[$3] += $5 } # what no work runs on has no gaps
			END { for (i in s) {
				split(i, k, " ")
				if (s[i] && used[k[2]]) print i, s[i]
			} }' | sort >want
			[ -s want ]
			set --
			[ $i = - ] || set -- -i $i
			dlp gaps -n 0 --tsv "$@" "$db" 2>/dev/null >rows
			awk -F'\t' '
			NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
			$a["iter"] != "-" {
				s[$a["iter"] " " $a["dev"]] += $a["dur_ns"]
			}
			END { for (i in s) print i, s[i] }' rows | sort |
			    diff want -
			[ $i != - ] || cp rows all
			# the same pieces, with the same class
			[ $i = - ] || awk -F'\t' -v lo=${i%-*} -v hi=${i#*-} '
			NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
			$a["iter"] != "-" && $a["iter"] >= lo && $a["iter"] <= hi {
				print $a["iter"], $a["class"], $a["start_ns"],
				    $a["dur_ns"]
			}' all | sort | diff - <(awk -F'\t' '
			NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
			{ print $a["iter"], $a["class"], $a["start_ns"],
			    $a["dur_ns"] }' rows | sort)
		done
	done
}

# The pieces of a gap lie side by side and are the whole gap.
# bats test_tags=more
@test "gaps: pieces are gaps, cut; without steps none is" {
	db=$(profile h200/loader.sqlite.xz)
	dlp gaps -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ print $a["start_ns"], $a["dur_ns"], $a["whole_ns"], $a["class"] }' |
	    sort -n | awk '
	$1 == end && $3 == whole { sum += $2; n++ }
	$1 != end || $3 != whole { if (sum != whole) exit bad = 1; sum = $2 }
	{ end = $1 + $2; whole = $3 }
	END { exit bad || sum != whole || n < 5 }'
	need_data nsys/vecadd-3.24.0.sqlite
	dlp gaps -n 0 --tsv "$DATA/nsys/vecadd-3.24.0.sqlite" 2>/dev/null |
	    awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ n++; bad += $a["iter"] != "-" || $a["dur_ns"] != $a["whole_ns"] }
	END { exit bad || !n }'
}

# The number that -i takes, by SQL: the range around the call.
@test "waits and copies: the iteration of each row" {
	db=$(profile h200/loader.sqlite.xz)
	dlp copies -l -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ print $a["start_ns"], $a["iter"] }' | sort >got
	sqlite3 -separator ' ' "$db" "
	SELECT m.start, substr(v.text, 11) FROM CUPTI_ACTIVITY_KIND_MEMCPY m
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	JOIN NVTX_EVENTS v ON v.text LIKE 'iteration %'
	    AND r.start BETWEEN v.start AND v.end" | sort >want
	diff want got
	dlp waits -l -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	$a["kind"] == "cuda" { print $a["start_ns"], $a["iter"] }' | sort >got
	while read -r start iter; do
		same "${iter#-}" "$(sqlite3 "$db" "SELECT substr(text, 11)
		    FROM NVTX_EVENTS WHERE text LIKE 'iteration %'
		    AND $start BETWEEN start AND end")"
	done <got
	[ "$(cut -d' ' -f2 got | sort -u | wc -l)" -ge 6 ]
}

# A graph that was recorded as a whole is work.
@test "gaps: graphs as a whole" {
	db=$(profile h200/graph_infer_graph.sqlite.xz)
	graph='SELECT start, end FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE'
	same "$(gaps_sql "$db" "$ALL UNION ALL $graph")" "$(gaps_dlp "$db")"
	same "$(gaps_sql "$db" "$KERN UNION ALL $graph")" \
	    "$(gaps_dlp -c "$db")"
	# 3.02 ms of graphs, 0.30 ms of kernels, and what lies between
	sqlite3 "$db" "SELECT round(sum(end - start) / 1e6, 2) FROM ($graph)
	    UNION ALL SELECT round(sum(end - start) / 1e6, 2) FROM ($KERN)" >t
	same $'3.02\n0.3' "$(<t)"
}

# Each device for itself.
# bats test_tags=more
@test "gaps: a profile of two devices" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	db=$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite
	want=$(for d in $(sqlite3 "$db" 'SELECT DISTINCT deviceId FROM
	    CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 1'); do
		gaps_sql "$db" "SELECT start, end FROM (
		    SELECT start, end, deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL
		    UNION ALL SELECT start, end, deviceId
		    FROM CUPTI_ACTIVITY_KIND_MEMCPY
		    UNION ALL SELECT start, end, deviceId
		    FROM CUPTI_ACTIVITY_KIND_MEMSET) WHERE deviceId = $d"
	done | awk -F'|' '{ n += $1; ns += $2; if ($3 > m) m = $3 }
	    END { printf "%d|%d|%d\n", n, ns, m }')
	same "$want" "$(gaps_dlp "$db")"
}

# The longest gap of gpt2: SQL finds the work around it, and that its launch
# came when it had begun.
@test "gaps: the longest one, its neighbours and its launch" {
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	want=$(sqlite3 -separator , "$db" "
	WITH w AS ($ALL), m AS (SELECT start, max(end) OVER (ORDER BY start, end
	    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) e FROM w),
	g AS (SELECT e, start FROM m ORDER BY start - e DESC LIMIT 1)
	SELECT g.start - g.e, g.e, a.start,
	    (SELECT s.value FROM CUPTI_ACTIVITY_KIND_KERNEL b
	    JOIN StringIds s ON s.id = b.shortName WHERE b.end = g.e)
	FROM g JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.start = g.start
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME a ON a.correlationId = k.correlationId")
	got=$(dlp gaps -n 1 --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["dur_ns"] "," $at["start_ns"] "," $at["launch_ns"] "," \
	    $at["before"] }')
	same "$want" "$got"
}

@test "gaps: a loader's are the loader's, and lie in its ranges" {
	db=$(profile h200/loader.sqlite.xz)
	dlp gaps -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["class"] == "dataloader" && $at["before"] != "-" {
		# the pieces of a gap are one
		s = $at["start_ns"]
		if (!($at["launch_ns"] in from) || s < from[$at["launch_ns"]])
			from[$at["launch_ns"]] = s
		whole[$at["launch_ns"]] = $at["whole_ns"]
	}
	END { for (l in from) print from[l], whole[l] }' >got
	[ "$(wc -l <got)" -eq 5 ]
	while read -r start dur; do
		# more than half of it is in the range dataload
		[ "$(sqlite3 "$db" "SELECT sum(min(end, $start + $dur) -
		    max(start, $start)) * 2 > $dur FROM NVTX_EVENTS
		    WHERE text = 'dataload' AND end > $start AND
		    start < $start + $dur")" -eq 1 ]
	done <got
}

# The phase of a launch: the program's range around it, on whatever thread.
phase_sql() {
	sqlite3 -separator ' ' "$1" "
	CREATE TEMP TABLE r AS SELECT text, start, end FROM NVTX_EVENTS
	    WHERE text IN ('forward', 'backward', 'optimizer', 'dataload');
	CREATE TEMP TABLE w AS
	    SELECT start, end, correlationId c, 1 k
	    FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
	    SELECT start, end, correlationId, 0
	    FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
	    SELECT start, end, correlationId, 0
	    FROM CUPTI_ACTIVITY_KIND_MEMSET;
	SELECT r.text, coalesce(sum(w.k), 0), coalesce(sum(w.end - w.start), 0),
	    (SELECT sum(end - start) FROM r q WHERE q.text = r.text)
	FROM r LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME a
	    ON a.start >= r.start AND a.start < r.end AND a.correlationId IN
	    (SELECT c FROM w)
	LEFT JOIN w ON w.c = a.correlationId GROUP BY 1 ORDER BY 1"
}

@test "phases: kernels, their sum, the CPU's time, by SQL" {
	for f in gpt2_bf16 resnet50_tf32 loader; do
		db=$(profile h200/$f.sqlite.xz)
		dlp phases -s --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["phase"] != "-" {
			print $at["phase"], $at["sum_n_kern"], \
			    $at["sum_gpu_sum_ns"], $at["sum_cpu_ns"]
		}' | sort >got
		echo "$f"
		same "$(phase_sql "$db")" "$(<got)"
	done
}

# The user's range :backward projects to 2.3 us there, the truth is 9.8 ms.
@test "phases: the autograd thread's work is backward" {
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	got=$(dlp phases -s --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["phase"] == "backward" {
		print $at["sum_gpu_sum_ns"], $at["sum_thread_ns"]
	}')
	other=$(sqlite3 "$db" "
	WITH w AS (SELECT start, end, correlationId c
	    FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
	    SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET)
	SELECT sum(w.end - w.start) FROM w
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME a ON a.correlationId = w.c
	JOIN NVTX_EVENTS r ON r.text = 'backward' AND a.start >= r.start AND
	    a.start < r.end AND a.globalTid != r.globalTid")
	same "9877494 $other" "$got"
}

# By SQL, the idle time of each iteration before its phases' work and the rest:
# work by its launch; from where a step begins (the end of the one before, or of
# its work) to where it ends.
phase_idle() {
	sqlite3 -separator ' ' "$1" "
	CREATE TEMP TABLE i AS SELECT row_number() OVER (ORDER BY start) - 1 n,
	    start, end FROM NVTX_EVENTS WHERE text LIKE 'iteration %';
	CREATE TEMP TABLE p AS SELECT text, start, end FROM NVTX_EVENTS
	    WHERE text IN ('forward', 'backward', 'optimizer');
	CREATE TEMP TABLE w AS SELECT i.n n, coalesce(p.text, '-') p, k.start s,
	    k.end e FROM (SELECT start, end, correlationId
		FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
		SELECT start, end, correlationId
		FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
		SELECT start, end, correlationId
		FROM CUPTI_ACTIVITY_KIND_MEMSET) k
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    JOIN i ON r.start >= i.start AND r.start < i.end
	    LEFT JOIN p ON r.start >= p.start AND r.start < p.end;
	CREATE TEMP TABLE g AS SELECT n, p, max(0, s - m) gap,
	    max(0, e - max(s, coalesce(m, s))) len FROM (SELECT n, p, s, e,
	    max(e) OVER (PARTITION BY n ORDER BY s, e ROWS BETWEEN
	    UNBOUNDED PRECEDING AND 1 PRECEDING) m FROM w);
	CREATE TEMP TABLE b AS SELECT i.n n, max(i.end, (SELECT max(e) FROM w
	    WHERE w.n = i.n), coalesce(lead(i.start) OVER (ORDER BY i.n), 0)) hi
	    FROM i;
	SELECT n, p, sum(gap) FROM g WHERE p <> '-' GROUP BY 1, 2 UNION ALL
	SELECT b.n, '-', hi - coalesce((SELECT hi FROM b c WHERE c.n = b.n - 1),
	    (SELECT start FROM i WHERE n = 0)) - (SELECT sum(len) FROM g
	    WHERE g.n = b.n) - coalesce((SELECT sum(gap) FROM g
	    WHERE g.n = b.n AND p <> '-'), 0) FROM b ORDER BY 1, 2"
}

@test "phases: busy and idle of a step are the step, by SQL; idle as dlp FILE" {
	for f in gpt2_bf16 resnet50_tf32; do
		db=$(profile h200/$f.sqlite.xz)
		dlp phases --tsv "$db" 2>/dev/null >got
		awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["iter"] != "-" { print $at["iter"], $at["phase"], \
		    $at["idle_ns"] }' got | sort >idle
		same "$(phase_idle "$db" | sort)" "$(<idle)"
		same "$(dlp iters --tsv "$db" 2>/dev/null | awk -F'\t' '
		    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		    { print $at["iter"], $at["step_ns"] }')" \
		    "$(awk -F'\t' '
		    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		    $at["iter"] != "-" { s[$at["iter"]] += $at["gpu_ns"] + \
			$at["idle_ns"] }
		    END { for (i in s) print i, s[i] }' got | sort)"
		# of the steps that it shows, all of gpt2 and the last two
		dlp --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["idle_ns"] }' >want
		same "$(<want)" "$(awk -v from=$([ $f = gpt2_bf16 ] || echo 1) '
		    $1 >= from { s += $3 } END { print s }' idle)"
	done
}

# Work that does not overlap: the union is the sum. Two devices and streams.
@test "phases: idle time where work overlaps, and of two GPUs, by hand" {
	dlp-phases >out < <(printf '%s\n' '##dlp 1' \
	    '#iter iter key step_ns' '#kern start_ns dur_ns dev iter phase' \
	    'kern 10 10 0 0 forward' 'kern 15 15 0 0 backward' \
	    'kern 40 10 0 0 backward' 'kern 70 5 1 0 forward' \
	    'kern 500 5 0 - forward' 'iter 0 s 100' '##end 6' | tr ' ' '\t')
	# GPU 0: 10..30 and 40..50, so 10 before backward, and 70 of 100 are the
	# rest with GPU 1's 95; outside of steps it is not told
	same "- 155
backward 10
forward -
forward 0" "$(awk -F'\t' '$1 == "#phase" { for (i = 1; i <= NF; i++) at[$i] = i }
	    $1 == "phase" { print $at["phase"], $at["idle_ns"] }' out | sort)"
}

# What the phases of N iterations are, each of two kernels, forward and backward by
# their ops; its iter record comes DELAY iterations later.
iterations() { # N DELAY
	awk -v n="$1" -v delay="$2" 'BEGIN {
		OFS = "\t"
		print "##dlp", 1
		print "#kern", "start_ns", "dur_ns", "dev", "api_start_ns", "api_dur_ns",
		    "pid", "phase", "dir", "seq", "iter"
		print "#iter", "iter", "key", "start_ns", "dur_ns", "step_ns"
		for (i = 0; i < n + delay; i++) {
			t = i * 1000
			if (i < n) {
				print "kern", t + 100, 50 + i % 7, 0, t, 10, 1, "-", "fprop", i, i
				print "kern", t + 300, 70, 0, t + 200, 10, 1, "-", "bprop", "-", i
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

@test "phases: a range that comes last names the phase of all iterations" {
	iterations 3 1 | sed '$d' >in
	dlp-phases in 2>/dev/null | grep -c '^phase	[0-9]*	forward' >got || true
	{
		cat in
		printf '#range\tid\tstart_ns\tdur_ns\tpid\tphase\titer\n'
		printf 'range\t1\t5000\t10\t1\tforward\t-\n'
		printf '##end\t10\n'
	} | dlp-phases | grep '^phase' | cut -f 2,3,6,10 >>got
	# the forward ops' work is then of no phase
	same "3
0	backward	70	1
0	-	50	1
1	backward	70	1
1	-	51	1
2	backward	70	1
2	-	52	1
-	forward	0	0" "$(cat got)"
}

@test "phases: work after its iteration's record is counted, and not lost" {
	iterations 2 0 | sed '$d' >in
	{
		cat in
		printf 'kern\t900\t30\t0\t890\t5\t1\t-\tbprop\t-\t0\n'
		printf '##end\t7\n'
	} | dlp-phases >out
	grep -q '^##note	phases_late	1' out
	grep '^phase' out | awk -F'\t' '$2 == 0 && $3 == "backward" { s += $6 }
	    END { print s }' >got
	same 100 "$(cat got)"
}

@test "phases: each iteration adds up to the total" {
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp phases --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ s[$at["phase"]] += $at["gpu_ns"] }
	END { print s["forward"], s["backward"], s["optimizer"] }' \
	    >got
	dlp phases -s --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ s[$at["phase"]] = $at["sum_gpu_ns"] }
	END { print s["forward"], s["backward"], s["optimizer"] }' >want
	diff -u want got
}

# One space, no release, all there before recording: the sum.
@test "mem: gpt2 has 2.38 GB of 150" {
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	want=$(sqlite3 "$db" "SELECT sum(bytes),
	    (SELECT totalMemory FROM TARGET_INFO_GPU), count(*)
	    FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE memKind != 1")
	got=$(dlp mem --tsv "$db" | awk -F'\t' -v OFS='|' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["space"] == "device" {
		print $at["peak_bytes"], $at["total_bytes"], $at["n_live"]
	}')
	same "$want" "$got"
	same 2383353617 "${got%%|*}"
}

# The running sum, of device memory (not pinned, not pageable).
@test "mem: the peak, what was in use then, over time" {
	db=$(profile h200/everything.sqlite.xz)
	run_sum="WITH e AS (SELECT rowid, start, bytes *
	    (1 - 2 * memoryOperationType) b FROM CUDA_GPU_MEMORY_USAGE_EVENTS
	    WHERE memKind NOT IN (0, 1)),
	s AS (SELECT start, sum(b) OVER (ORDER BY start, rowid) u FROM e)"
	want=$(sqlite3 "$db" "$run_sum
	    SELECT u, start FROM s ORDER BY u DESC, start LIMIT 1")
	got=$(dlp mem --tsv "$db" 2>/dev/null | awk -F'\t' -v OFS='|' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["space"] == "device" { print $at["peak_bytes"], $at["start_ns"] }')
	same "$want" "$got"
	live=$(dlp mem -l -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["space"] == "device" { s += $at["sum_bytes"] }
	END { printf "%d\n", s }')
	same "${want%|*}" "$live"
	top=$(dlp mem -g time --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR > 1 && $3 > m { m = $3 } END { printf "%d %d\n", NR - 1, m }')
	same "40 ${want%|*}" "$top"
}

@test "mem: a profile without such events: which option supplies them" {
	dlp mem --csv "$LENET" >out 2>err
	cat out err
	grep -q 'no memory events.*--cuda-memory-usage=true' err
	[ "$(awk -F, 'NR == 2 { print $3 }' out)" = - ]
	# the same of an empty table, of a device of unknown size, and of none
	cp "$LENET" db
	sqlite3 db "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER,
	    globalPid INTEGER, deviceId INTEGER, contextId INTEGER,
	    address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER,
	    memoryOperationType INTEGER, correlationId INTEGER)"
	dlp mem --csv db >empty 2>err2
	cmp out empty
	cmp err err2
	for gone in dev dev:mem_bytes; do
		dlp-parse --drop $gone "$LENET" >unsized
		dlp mem unsized 2>&1 >out | cmp err -
	done
}

@test "copies: sums by direction and memory; what no kernel hides" {
	for f in everything loader gpt2_bf16; do
		db=$(profile h200/$f.sqlite.xz)
		want=$(sqlite3 -separator ' ' "$db" "
		SELECT CASE copyKind WHEN 1 THEN 'HtoD' WHEN 2 THEN 'DtoH'
		    WHEN 8 THEN 'DtoD' END k,
		    lower(s.label) f, lower(d.label) t, count(*), sum(bytes),
		    sum(end - start), sum(end - start - (SELECT coalesce(
		    sum(min(k.end, c.end) - max(k.start, c.start)), 0)
		    FROM CUPTI_ACTIVITY_KIND_KERNEL k
		    WHERE k.start < c.end AND k.end > c.start))
		FROM CUPTI_ACTIVITY_KIND_MEMCPY c
		JOIN ENUM_CUDA_MEM_KIND s ON s.id = srcKind
		JOIN ENUM_CUDA_MEM_KIND d ON d.id = dstKind
		GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
		got=$(dlp copies --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["kind"], $at["src_mem"], $at["dst_mem"], $at["n"], \
		    $at["sum_bytes"], $at["sum_dur_ns"], \
		    $at["sum_exposed_ns"] }' | sort)
		echo "$f"
		same "$want" "$got"
	done
}

@test "waits: the calls of the operating system, by name" {
	for f in loader everything; do
		db=$(profile h200/$f.sqlite.xz)
		want=$(sqlite3 -separator ' ' "$db" "
		SELECT s.value v, count(*), sum(end - start) FROM OSRT_API
		JOIN StringIds s ON s.id = nameId WHERE v NOT LIKE '[%'
		GROUP BY 1 ORDER BY 1")
		got=$(dlp waits -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] != "cuda" && $at["name"] !~ /^\[/ {
			n[$at["name"]] += $at["n"]
			ns[$at["name"]] += $at["sum_dur_ns"]
		}
		END { for (k in n) printf "%s %d %d\n", k, n[k], ns[k] }' |
		    sort)
		echo "$f"
		same "$want" "$got"
	done
	db=$(profile h200/loader.sqlite.xz)
	dlp waits -n 0 --tsv "$db" | awk -F'\t' '
	$2 == "poll" { p += $8 } $2 == "pthread_cond_wait" { c += $8 }
	END { exit p != 114877511 || c != 78989667 }'
}

# On the thread of the range, inside of it.
@test "waits: the loader waits in its range" {
	db=$(profile h200/loader.sqlite.xz)
	want=$(sqlite3 "$db" "
	SELECT sum(o.end - o.start) FROM OSRT_API o
	JOIN StringIds s ON s.id = o.nameId AND s.value = 'clock_nanosleep'
	JOIN NVTX_EVENTS r ON r.text LIKE 'enumerate(DataLoader)%' AND
	    r.globalTid = o.globalTid AND o.start >= r.start AND
	    o.start < r.end")
	got=$(dlp waits -n 0 --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["name"] == "clock_nanosleep" && \
	    $at["range"] ~ /^enumerate\(DataLoader\)/ {
		s += $at["sum_dur_ns"]
	}
	END { printf "%d\n", s }')
	same "$want" "$got"
}

@test "waits: CUDA calls that wait, by SQL" {
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	want=$(sqlite3 "$db" "SELECT count(*), sum(end - start)
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId
	    WHERE value LIKE '%Synchronize%'")
	got=$(dlp waits -n 0 --tsv "$db" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kind"] == "cuda" { n += $at["n"]; s += $at["sum_dur_ns"] }
	END { printf "%d|%d\n", n, s }')
	same "$want" "$got"
}

@test "waits: a profile without OS calls: which option supplies them" {
	dlp waits --csv "$LENET" >out 2>err
	cat out err
	grep -q 'no calls of the operating system.*--trace=osrt' err
}

@test "people get both tables, programs one" {
	dlp gaps -w 100 -n 3 "$LENET" >out
	cat out
	[ "$(grep -c '^$' out)" -eq 1 ]
	[ "$(sed '1,/^$/d' out | grep -c .)" -ge 4 ]
	dlp gaps --csv -n 3 "$LENET" >out
	[ "$(wc -l <out)" -eq 4 ]
	dlp gaps -s --csv "$LENET" >out
	grep -q '^class,' out
	rc=0
	dlp gaps -w 80 ./none "$LENET" >out 2>err || rc=$?
	[ $rc -eq 2 ]
	[ -s out ]
}

# What ends a gap and was launched before it began; by the calls' ends.
@test "gaps: what was queued, of all classes together the rest" {
	for p in gpt2_bf16 resnet50_tf32 loader graph_infer_graph; do
		db=$(profile h200/$p.sqlite.xz)
		w=
		for t in KERNEL MEMCPY MEMSET GRAPH_TRACE; do
			t=CUPTI_ACTIVITY_KIND_$t
			[ -z "$(sqlite3 "$db" "SELECT 1 FROM sqlite_master
			    WHERE name = '$t'")" ] ||
				w="$w${w:+ UNION ALL }
				    SELECT start, end, correlationId c FROM $t"
		done
		want=$(sqlite3 -separator ' ' "$db" "
		WITH w AS ($w), m AS (SELECT *, max(end) OVER (ORDER BY start, end
		    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) e FROM w)
		SELECT coalesce(sum(r.end <= e), 0),
		    coalesce(sum((r.end <= e) * (m.start - e)), 0), count(*),
		    sum(m.start - e) FROM m
		JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = m.c
		WHERE m.start > e")
		echo "$p"
		same "$want" "$(dlp gaps -s --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n += $at["n"]; ns += $at["sum_dur_ns"] }
		$at["class"] == "queued" { q = $at["n"]; t = $at["sum_dur_ns"] }
		END { printf "%d %d %d %d\n", q, t, n, ns }')"
	done
}

# The peak is what was in use then, of every space; where no such events were
# recorded nothing is 0.
@test "mem: peak and what lives then, four profiles" {
	for p in gpt2_bf16 resnet50_tf32 loader graph_infer_graph; do
		db=$(profile h200/$p.sqlite.xz)
		if [ -z "$(sqlite3 "$db" "SELECT 1 FROM sqlite_master
		    WHERE name = 'CUDA_GPU_MEMORY_USAGE_EVENTS'")" ]; then
			dlp mem --tsv "$db" 2>err >out
			grep -q 'no memory events' err
			! cut -f 2- out | grep -w 0
			continue
		fi
		want=$(sqlite3 "$db" "
		WITH s AS (SELECT sum(bytes * (1 - 2 * memoryOperationType)) OVER
		    (ORDER BY start, rowid) u FROM CUDA_GPU_MEMORY_USAGE_EVENTS
		    WHERE memKind NOT IN (0, 1)) SELECT max(u) FROM s")
		echo "$p"
		same "$want $want" "$(dlp mem --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["space"] == "device" { print $at["peak_bytes"] }') \
$(dlp mem -l -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["space"] == "device" { s += $at["sum_bytes"] }
		END { printf "%.0f\n", s }')"
	done
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

# Who launches, and what is the longest of its waits within a range, by SQL.
@test "dlp waits: threads that launch GPU work come first" {
	local db
	db=$(profile h200/loader.sqlite.xz)
	dlp waits -n 0 --tsv "$db" 2>/dev/null >all
	same launches "$(head -n 1 all | cut -f 11)"
	# yes exactly for the threads of calls with GPU work
	same "$(sqlite3 "$db" "SELECT DISTINCT r.globalTid % 0x1000000
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN (
	    SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL
	    UNION SELECT correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    UNION SELECT correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET)
	    USING (correlationId) ORDER BY 1" | tr '\n' ' ')" \
	    "$(awk -F'\t' '$11 == "yes" { print $4 }' all | sort -nu | tr '\n' ' ')"
	# they are before the others, within ranges first, the longest first
	awk -F'\t' 'NR > 1 {
		k = $11 == "no" ? 2 : $5 == "-"
		if (k < last || (k == last && NR > 2 && $8 > sum)) bad = 1
		last = k; sum = $8 }
	    END { exit bad || NR < 5 }' all
	# each wait alone: the same threads, the longest first, of both
	dlp waits -l -n 0 --tsv "$db" >each
	[ "$(awk 'END { print NR - 1 }' each)" = \
	    "$(awk -F'\t' '{ n += $7 } END { print n }' all)" ]
	diff <(awk -F'\t' 'NR > 1 { print $4, $11 }' all | sort -u) \
	    <(awk -F'\t' 'NR > 1 { print $5, $(NF - 1) }' each | sort -u)
	awk -F'\t' '{ yes = $(NF - 1) }
	    NR > 2 && (yes > was || (yes == was && $1 > dur)) { bad = 1 }
	    { was = yes; dur = $1 } END { exit bad || NR < 5 }' each
	dlp waits -l -n 7 --tsv "$db" | diff <(sed 8q each) -
	# the first N, and what is left in one row
	for n in 1 3; do
		dlp waits -n $n --tsv "$db" 2>/dev/null >got
		sed $((n + 1))q all | diff - <(sed $((n + 1))q got)
		same "$(awk -F'\t' -v n=$n 'NR > n + 1 { k += $7; s += $8
		    if ($10 > m) m = $10 }
		    END { printf "%.0f %.0f %.1f %.0f\n", k, s, s / k, m }' all)" \
		    "$(awk -F'\t' '$1 == "(rest)" { print $7, $8, $9, $10 }' got)"
	done
	# files are sections of their own
	dlp waits -n 2 --csv "$db" "$db" 2>err >two
	run ! grep '##end' err
	same 7 "$(wc -l <two)"
}

# XLA changes the nodes of a command buffer one by one before it launches it. All of
# that is one cause, whichever part of it are calls.
@test "gaps: from the first change of a graph to its launch is graph-update" {
	db=$(profile h200/jax_step.sqlite.xz)
	dlp gaps -n 0 --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	$a["whole_ns"] > 100000 && $a["class"] != "end" {
		print $a["start_ns"], $a["launch_ns"], $a["whole_ns"],
		    $a["dur_ns"], $a["class"]
	}' >gaps
	[ "$(wc -l <gaps)" -ge 5 ]
	grep -q " graph-update$" gaps && grep -q " host-only$" gaps
	while read -r start launch whole dur class; do
		# the gap ends with the work, its judgement with the call
		end=$(sqlite3 "$db" "SELECT min(end) FROM
		    CUPTI_ACTIVITY_KIND_RUNTIME WHERE start = $launch")
		first=$(sqlite3 "$db" "SELECT min(r.start) FROM
		    CUPTI_ACTIVITY_KIND_RUNTIME r
		    JOIN StringIds s ON s.id = r.nameId
		    WHERE s.value LIKE 'cuGraph%'
		    AND s.value NOT LIKE 'cuGraphLaunch%'
		    AND r.end > $start AND r.start < $launch")
		[ "$whole" = "$dur" ] || continue
		[ "$((start + whole))" -gt "$end" ] || end=$((start + whole))
		want=host-only
		[ $((2 * (end - first))) -lt $((end - start)) ] ||
		    want=graph-update
		same "$want" "$class"
	done <gaps
}
