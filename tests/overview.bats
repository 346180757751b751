# dlp FILE: the overview, against SQL on the same file.

bats_require_minimum_version 1.5.0

# bats file_tags=long
load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# col FILE NAME: a column of the row.
col() {
	awk -F'\t' -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i }
	NR == 2 { print $a[c] }' "$1"
}

FOUR='gpt2_bf16 resnet50_tf32 loader graph_infer_graph'

# The tables of GPU work that a database has, as one: start, end, correlationId,
# kind (kern, tc, graph, mem). Kernels on Tensor Cores by what their builders
# write into the names of those in these profiles (execute_split_k only adds up).
work_sql() {
	local q='' t kind

	for t in KERNEL MEMCPY MEMSET GRAPH_TRACE; do
		[ -n "$(sqlite3 "$1" "SELECT 1 FROM sqlite_master
		    WHERE name = 'CUPTI_ACTIVITY_KIND_$t'")" ] || continue
		case $t in
		KERNEL) kind="CASE WHEN EXISTS (SELECT 1 FROM StringIds s
		    WHERE s.id = demangledName AND (value LIKE '%tensorop%' OR
		    value LIKE '%nvjet%' OR value LIKE '%wgmma%' OR
		    value LIKE '%tf32f32_f32_%') AND
		    value NOT LIKE '%execute_split_k_kernel%')
		    THEN 'tc' ELSE 'kern' END" ;;
		GRAPH_TRACE) kind="'graph'" ;;
		*) kind="'mem'" ;;
		esac
		q="$q${q:+ UNION ALL }SELECT start, end, correlationId c, $kind kind
		    FROM CUPTI_ACTIVITY_KIND_$t"
	done
	printf '%s\n' "$q"
}

# steps_sql DB: of each range "iteration N": begin, end, first start and last
# end of the work launched in it.
steps_sql() {
	sqlite3 -separator ' ' "$1" "
	WITH w AS ($(work_sql "$1")), s AS (SELECT start lo, end hi FROM NVTX_EVENTS
	    WHERE text LIKE 'iteration %')
	SELECT lo, hi, min(w.start), max(w.end) FROM s
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.start >= lo AND r.start < hi
	JOIN w ON w.c = r.correlationId GROUP BY lo ORDER BY lo"
}

# window DB: how many steps, how many of them are warm-up, mean and standard
# deviation of the others, from where to where these last.
window() {
	steps_sql "$1" | awk '
	{ lo[NR] = $1; hi[NR] = $2; b[NR] = $4 }
	END {
		for (i = 1; i <= NR; i++) {
			from = i > 1 ? done : lo[1]
			if (hi[i] > done) done = hi[i]
			if (b[i] > done) done = b[i]
			if (i < NR && lo[i + 1] > done) {
				gap[i] = lo[i + 1] - done
				done = lo[i + 1]
			}
			at[i] = from
			over[i] = done
			len[i] = done - from
			for (j = i; j > 1 && s[j - 1] > len[i]; j--)
				s[j] = s[j - 1]
			s[j] = len[i]
		}
		med = (s[int((NR + 1) / 2)] + s[int(NR / 2) + 1]) / 2
		for (i = 1; i <= NR; i++) {
			n = len[i] >= .9 * med && len[i] <= 1.1 * med ? n + 1 : 0
			if (n > 0 && n >= most) { most = n; last = i }
		}
		for (i = last - most + 1; i <= last; i++)
			mean += len[i] / most
		for (i = last - most + 1; i <= last; i++)
			var += (len[i] - mean) ^ 2 / (most - 1)
		for (i = last - most + 1; i <= last; i++)
			between += gap[i]
		printf "%d %d %d %.0f %d %d %d %d %d\n", most, NR - most, int(mean + .5), \
		    sqrt(var), at[last - most + 1], over[last], \
		    lo[last - most + 1], last < NR ? lo[last + 1] : hi[last], between
	}'
}

# row_of DB [OPTIONS]: the database's row in the overview, to the file got.
row_of() {
	dlp --tsv "$@" >got 2>/dev/null
	same "$1" "$(col got file)"
	same ok "$(col got status)"
}

@test "steps, the warm-up, mean and spread: as SQL has them" {
	for p in $FOUR; do
		f=$(profile "h200/$p.sqlite.xz")
		row_of "$f"
		echo "$p"
		same "$(window "$f" | cut -d' ' -f1-4)" \
		    "$(col got n_step) $(col got n_trimmed) $(col got step_ns) \
$(col got std_ns)"
	done
}

# union_sql SET: the union of start and end of a table's rows.
union_sql() {
	printf '%s\n' "(SELECT coalesce(sum(CASE WHEN m IS NULL OR a >= m
	    THEN b - a WHEN b > m THEN b - m ELSE 0 END), 0) FROM
	    (SELECT a, b, max(b) OVER (ORDER BY a, b ROWS BETWEEN UNBOUNDED
	    PRECEDING AND 1 PRECEDING) m FROM $1))"
}

# Each moment once, for the first of Tensor Cores, kernels, graphs, copies.
@test "where the GPU's time goes in the steps: as SQL has it" {
	for p in $FOUR; do
		f=$(profile "h200/$p.sqlite.xz")
		row_of "$f"
		read -r _ _ _ _ lo hi _ < <(window "$f")
		read -r tc kern graph all < <(sqlite3 -separator ' ' "$f" "
		WITH w AS ($(work_sql "$f")),
		c AS (SELECT max(start, $lo) a, min(end, $hi) b, kind FROM w
		    WHERE end > $lo AND start < $hi),
		t AS (SELECT * FROM c WHERE kind = 'tc'),
		k AS (SELECT * FROM c WHERE kind IN ('tc', 'kern')),
		g AS (SELECT * FROM c WHERE kind <> 'mem')
		SELECT $(union_sql t), $(union_sql k), $(union_sql g),
		    $(union_sql c)")
		echo "$p $lo $hi"
		same "$tc $((kern - tc)) $((graph - kern)) $((all - graph))" \
		    "$(col got tc_ns) $(col got kern_ns) $(col got graph_ns) \
$(col got mem_ns)"
		same "$((hi - lo)) $((hi - lo - all))" \
		    "$(col got wall_ns) $(col got idle_ns)"
	done
}

# Start-up before the first work on the GPU is no time in which it idles.
# bats test_tags=more
@test "without steps: from the first GPU work to the last, by SQL" {
	for p in vecadd-3.24.0 cloverleaf-3.13.2 cutlass-3.1.7 cudf-2020; do
		need_data "nsys/$p.sqlite"
		f=$DATA/nsys/$p.sqlite
		q=
		for t in KERNEL MEMCPY MEMSET; do
			[ -z "$(sqlite3 "$f" "SELECT 1 FROM sqlite_master
			    WHERE name = 'CUPTI_ACTIVITY_KIND_$t'")" ] ||
			    q="$q${q:+ UNION ALL }SELECT start a, end b
				FROM CUPTI_ACTIVITY_KIND_$t"
		done
		row_of "$f"
		echo "$p"
		same "$(sqlite3 "$f" "WITH w AS ($q)
		SELECT max(b) - min(a), max(b) - min(a) - $(union_sql w)
		FROM w" | tr '|' ' ')" \
		    "$(col got wall_ns) $(col got idle_ns)"
	done
}

# What the screen tells to type shows the same numbers, of the same steps.
@test "idle time by class: that of dlp gaps of the same steps, to the ns" {
	set -- "$ROOT"/tests/data/*.sqlite.xz
	for p in $FOUR lenet_emitnvtx_train zoo; do
		set -- "$@" "$DATA/h200/$p.sqlite.xz"
	done
	for f; do
		echo "$f"
		dlp --tsv "$f" 2>/dev/null >got
		dlp -w 200 "$f" 2>/dev/null >text
		# where there is little of it another report is named
		sed -n '/^next/,$s/.*dlp [a-z]* \(.*\)/dlp gaps -s --jsonl \1/p' \
		    text | head -n 1 >next
		[ -s next ]
		sh next 2>/dev/null >gaps
		same "$(col got idle_ns)" "$(jq -s 'map(.sum_dur_ns) | add' gaps)"
		jq -r '"\(.class) \(.sum_dur_ns)"' gaps |
		    awk '$2 >= 5000 { printf "%s %.2f\n", $1, $2 / 1e6 }' |
		    head -n 5 >want
		awk '/^GPU time/ { on = 1 } on && /^    / { print $1, $2 }
		/^phases/ { exit }' text | grep -v -e '^(rest)' -e '^of it' |
		    diff want -
	done
}

# Each gap lies between two works of a device.
# bats test_tags=more
@test "without steps: idle is the sum of dlp gaps" {
	for p in nsys/saxpy-mpi-2.9.1 nsys/no-kernel-table-3.24.18 \
	    nvprof/async-v8 nvprof/mxnet-v12 nvprof/lm-pyprof; do
		need_data "$p.sqlite"
		row_of "$DATA/$p.sqlite"
		echo "$p"
		same "$(dlp gaps -s --tsv "$DATA/$p.sqlite" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
		{ s += $a["sum_dur_ns"] } END { printf "%.0f", s }')" \
		    "$(col got idle_ns)"
	done
	dlp -w 200 "$DATA/nvprof/lm-pyprof.sqlite" 2>/dev/null >text
	same "$(sqlite3 "$DATA/nvprof/lm-pyprof.sqlite" "
	WITH r AS (SELECT start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME),
	g AS (SELECT min(start) lo FROM (SELECT start FROM
	    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL UNION ALL
	    SELECT start FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
	    SELECT start FROM CUPTI_ACTIVITY_KIND_MEMSET))
	SELECT printf('%.2f ms', max(min(end, lo) - start) / 1e6) FROM r, g
	WHERE start < lo")" \
	    "$(sed -n 's/^ *before the first GPU work: .*, the longest call in it .*, \(.*\)/\1/p' text)"
}

@test "-i: the steps that are asked for, none left out" {
	f=$(profile h200/loader.sqlite.xz)
	row_of "$f" -i 1-2
	grep -v '^file' got | cut -f9-24 >a
	row_of "$f" # the stable ones are 1 and 2, of 6
	grep -v '^file' got | cut -f9-24 | diff -u - a
	row_of "$f" -i 3-5
	same "3 0" "$(col got n_step) $(col got n_trimmed)"
	read -r lo hi < <(steps_sql "$f" | awk 'NR == 4 { l = $1 }
	    NR == 6 { print l, ($2 > $4 ? $2 : $4) }')
	same $((hi - lo)) "$(col got wall_ns)"
	dlp -i 3-5 "$f" >text
	grep '^steps   3 of 6, number 3 to 5: as -i asks for; 3 left out$' text
}

@test "the time between the steps" {
	for p in $FOUR; do
		f=$(profile "h200/$p.sqlite.xz")
		row_of "$f"
		same "$(window "$f" | cut -d' ' -f9)" "$(col got between_ns)"
	done
}

# The GPU is behind the CPU: a step is the time from the end of the work of the
# one before to the end of its own, be others shown or not.
@test "one step of a program that the GPU holds up" {
	f=$(profile h200/resnet50_fp32.sqlite.xz)
	steps_sql "$f" | awk '{ print $4, $1 }' >end
	for n in 1 2; do
		want=$(awk -v n=$n 'NR == n { a = $1 }
		    NR == n + 1 { print $1 - a; exit $2 > a }' end)
		row_of "$f" -i $n
		same "$want $want" "$(col got wall_ns) $(col got step_ns)"
		lo=$(sed -n ${n}p end | cut -d' ' -f1)
		same "$(sqlite3 "$f" "WITH k AS (SELECT start a, end b
		    FROM CUPTI_ACTIVITY_KIND_KERNEL
		    WHERE start >= $lo AND end <= $lo + $want)
		    SELECT $(union_sql k)")" "$(col got kern_ns)"
	done
}

# work_of DB SELECT: of the work launched in the steps that count.
work_of() {
	local lo hi

	read -r _ _ _ _ _ _ lo hi _ < <(window "$1")
	sqlite3 -separator ' ' "$1" "
	WITH w AS ($(work_sql "$1")), l AS (SELECT w.*, r.start launch FROM w
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = w.c
	    WHERE r.start >= $lo AND r.start < $hi)
	$2"
}

@test "the work launched in the steps, kernels, what has an op" {
	for p in $FOUR; do
		f=$(profile "h200/$p.sqlite.xz")
		row_of "$f"
		echo "$p"
		same "$(work_of "$f" "SELECT sum(end - start),
		    sum((end - start) * (kind IN ('kern', 'tc', 'graph'))),
		    sum(kind IN ('kern', 'tc')),
		    sum((end - start) * (kind <> 'graph')) FROM l")" \
		    "$(col got work_ns) $(col got kernel_ns) \
$(col got n_kern) $(col got op_ns)"
	done
}

# Nothing is known of the kernels of a graph as a whole.
@test "graphs as a whole: the range that launches them, and what is not known" {
	f=$(profile h200/graph_infer_graph.sqlite.xz)
	row_of "$f"
	top=$(sqlite3 "$f" "SELECT n.text FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    JOIN NVTX_EVENTS n ON r.start >= n.start AND r.end <= n.end
	    GROUP BY 1 ORDER BY sum(g.end - g.start) DESC LIMIT 1")
	graph=$(work_of "$f" "SELECT sum(end - start) FROM l
	    WHERE kind = 'graph'")
	same "$top (no op)" "$(col got top_op)"
	kern=$(work_of "$f" "SELECT sum(end - start) FROM l
	    WHERE kind IN ('kern', 'tc')")
	same $((kern + graph)) "$(col got kernel_ns)"
	for c in shapes_ns flop_ns verdict_ns; do
		echo "$c $(col got $c)"
		[ "$(col got $c)" -le "$kern" ]
	done
	dlp "$f" 2>/dev/null >text
	grep -F "$(awk -v g="$graph" -v k="$kern" 'BEGIN {
	    printf "and %.2f ms of kernels and graphs: ", (g + k) / 1e6 }')" text
	grep "^  > .*--cuda-graph-trace=node" text
}

# The text has the row's numbers, and the phases by the program's ranges.
@test "the screen: phases of the steps, by SQL" {
	for p in gpt2_bf16 resnet50_tf32 loader; do
		f=$(profile "h200/$p.sqlite.xz")
		dlp "$f" >text 2>/dev/null
		work_of "$f" "SELECT n.text, printf('%.2f', sum(l.end - l.start) / 1e6)
		    FROM l JOIN NVTX_EVENTS n ON l.launch >= n.start AND
		    l.launch < n.end AND n.text IN
		    ('forward', 'backward', 'optimizer') GROUP BY 1" >want
		sed -n '/^phases/,/^$/s/^  \([a-z]*\)  *\([0-9.]*\) ms .*/\1 \2/p' \
		    text | sort >got
		echo "$p"
		diff -u want got
	done
}

@test "the screen: graphs, kernels, and the row's numbers" {
	f=$(profile h200/graph_infer_graph.sqlite.xz)
	dlp "$f" 2>/dev/null >text
	grep -- '--cuda-graph-trace=node' text
	row_of "$f"
	for c in graph:graphs kern:'other kernels'; do
		grep "^  ${c#*:}  *$(awk -v x="$(col got "${c%:*}_ns")" \
		    'BEGIN { printf "%.2f", x / 1e6 }') ms" text
	done
	grep "^100 %   $(awk -v x="$(col got wall_ns)" \
	    'BEGIN { printf "%.2f", x / 1e6 }') ms" text
	# one base: idle is of that
	grep "^  idle .* $(awk -v x="$(col got wall_ns)" \
	    -v i="$(col got idle_ns)" \
	    'BEGIN { printf "%.1f", 100 * i / x }') %" text
}

# All of ResNet-50 in fp32 that multiplies: the reason and what to do.
@test "the screen: what could use Tensor Cores, why not, what to do" {
	f=$(profile h200/resnet50_fp32.sqlite.xz)
	dlp "$f" >text
	want=$(dlp tc -k iteration --tsv "$f" | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ t[$a["why"]] += $a["sum_dur_ns"] }
	END { for (w in t) printf "%s %.2f\n", w, t[w] / 1e6 }' | sort)
	same "$want" "$(sed -n '/^  could use/,/^not known/s/^    \([a-z0-9_]*\)  *\([0-9.]*\) ms .*/\1 \2/p' \
	    text | sort)"
	grep -A 3 '^    fp32 ' text | grep set_float32_matmul_precision
	grep '^next: dlp t[a-z]* ' text
	grep "dlp tc -i 0-2 $f\$" text
}

# Graphs recorded as a whole: SQL's sum of them, of the steps that count.
@test "the screen: kernels of graphs, could they use Tensor Cores? unknown" {
	f=$(profile h200/graph_infer_graph.sqlite.xz)
	dlp -i 0-9 "$f" 2>/dev/null >text
	grep -q "^  could use them: unknown *$(sqlite3 "$f" "
	    SELECT printf('%.2f', sum(g.end - g.start) / 1e6)
	    FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    JOIN NVTX_EVENTS n ON r.start >= n.start AND r.start < n.end
	    AND n.text LIKE 'iteration %'") ms" text
	! grep '^  could use Tensor Cores' text
}

@test "the screen: Tensor Cores used slowly" {
	f=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp "$f" >text
	ms=$(sqlite3 "$f" "SELECT printf('%.2f ms', sum(end - start) / 1e6)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s
	    ON s.id = k.demangledName WHERE s.value LIKE '%\_align1%' ESCAPE '\'")
	grep "^  uses them, slowly  *$ms" text
	grep "^    unaligned  *$ms" text
	grep '50257 to 50304' text
}

@test "the screen: findings as dlp advise has them, with evidence" {
	dlp -w 400 "$LENET" >text
	dlp advise --tsv "$LENET" | awk -F'\t' '
	NR > 1 && NR < 5 {
		print "  " NR - 1 " " ($2 == "-" ? "" : "[" $2 " %] ") $3
		if ($5 != "-") print "    = " $5
		print "    > " $4 }' >want
	dlp advise -a --tsv "$LENET" | awk -F'\t' -v f="$LENET" '
	$3 == "not judged" { n++ } END { print "  " n " rules could not be" \
	    " judged: dlp advise -a " f " names what the profile lacks for them" }' >>want
	sed -n '/^findings/,/^$/p' text | sed '1d; $d' >got
	diff -u want got
}

# bats test_tags=more
@test "a profile without GPU work, and one without times" {
	need_data nsys/no-events.sqlite
	need_data nvprof/lm-pyprof.dict
	row_of "$DATA/nsys/no-events.sqlite"
	same '- - - - -' "$(col got n_gpu) $(col got wall_ns) \
$(col got idle_ns) $(col got work_ns) $(col got eligible_ns)"
	dlp "$DATA/nsys/no-events.sqlite" 2>/dev/null >text
	grep 'no GPU work.*nsys profile' text
	row_of "$DATA/nvprof/lm-pyprof.dict"
	same '- -' "$(col got wall_ns) $(col got idle_ns)"
	same "$(dlp top -g device --tsv "$DATA/nvprof/lm-pyprof.dict" \
	    2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ s += $a["sum_dur_ns"] } END { print s }')" "$(col got work_ns)"
	# what the screen tells to type works; no step is to be named
	dlp "$DATA/nvprof/lm-pyprof.dict" >text 2>err
	run ! grep -e '-k' text err
	sed -n '/^next/,$ { s/^next: *//p; s/^      \(dlp .*\)/\1/p; }' text >next
	[ -s next ]
	while read -r line; do
		sh -c "$line" >/dev/null 2>&1
	done <next
	run ! grep 'dlp advise' text
	grep -q 'rules could not be judged: this file has no times' text
}

# bats test_tags=more
@test "a .dict: what is said to work with it does, and all that does is said" {
	need_data nvprof/lm-pyprof.dict
	f=$DATA/nvprof/lm-pyprof.dict
	run -2 dlp advise "$f"
	same "$(sed -n 's/.*works with it: dlp FILE, dlp //p' <<<"$output" |
	    tr -d , | tr ' ' '\n' | sort)" \
	    "$(cd "$ROOT/pipelines/reports" && grep -l kernels_do=1 [a-z]* \
		2>/dev/null | grep -v -e overview -e '\.sh$' | sort)"
	for r in top kernels flops roofline tc coverage folded info; do
		dlp $r "$f" >/dev/null 2>&1
	done
}

# The steps of the profile, by SQL, and which of them -i names.
@test "the screen: the steps that -i asks for, of all" {
	f=$(profile h200/resnet50_tf32.sqlite.xz)
	n=$(sqlite3 "$f" "SELECT count(*) FROM NVTX_EVENTS
	    WHERE text LIKE 'iteration %'")
	same "steps   1 of $n, number 0: as -i asks for; $((n - 1)) left out" \
	    "$(dlp -i 0 "$f" 2>/dev/null | grep ^steps)"
	same "steps   2 of $n, number 1 to 2: as -i asks for; $((n - 2)) left out" \
	    "$(dlp -i 1-2 "$f" 2>/dev/null | grep ^steps)"
	same "steps   $n of $n, number 0 to 2: as -i asks for; none left out" \
	    "$(dlp -i 0-2 "$f" 2>/dev/null | grep ^steps)"
	# more than there are
	dlp top -i 1-9 "$f" 2>err >/dev/null
	same "dlp-iter: no iteration 9: the profile has $n, 0 to $((n - 1))" \
	    "$(cat err)"
}

# bats test_tags=more
@test "a GPU that nobody uses is not idle time" {
	need_data nsys/cloverleaf-3.13.2.sqlite
	f=$DATA/nsys/cloverleaf-3.13.2.sqlite
	row_of "$f"
	same 1 "$(col got n_gpu)"
	same "$(col got wall_ns)" $(($(col got kern_ns) + $(col got mem_ns) + \
	    $(col got idle_ns)))
	dlp "$f" 2>/dev/null | grep '^GPU  *4 x NVIDIA A100.* (1 used)'
}

@test "a row per file; one that fails says so, 2" {
	head -c 5000 "$LENET" >broken
	rc=0
	dlp --tsv "$LENET" broken nix "$LENET" >got 2>err || rc=$?
	cat got err
	[ $rc -eq 2 ]
	same 'file ok failed failed ok' \
	    "file $(sed 1d got | cut -f2 | paste -sd' ')"
	same "$LENET broken nix $LENET" "$(sed 1d got | cut -f1 | paste -sd' ')"
	same 2 "$(wc -l <err)"
	same "dlp-parse: broken: truncated: 5000 of 516096 bytes" "$(sed -n 3p got |
	    awk -F'\t' '{ print $NF }')"
	sed 1d got | awk -F'\t' 'NR == 1 { n = NF } NF != n { exit 1 }'
	rc=0
	dlp --jsonl "$LENET" | grep -F '"n_step":3,"n_trimmed":1,"step_ns":3'
	dlp -w 80 "$LENET" broken 2>err >got || true
	[ "$(wc -L <got)" -le 80 ]
	dlp ./nix --tsv >got 2>err || rc=$?
	[ $rc -eq 2 ]
}

@test "a file's name or a report's" {
	cp "$LENET" profile
	dlp profile >got
	dlp overview profile >want
	cmp want got
	grep '^next: dlp [a-z]* ' got
	[ "$(dlp profile -w 40 | wc -L)" -le 40 ]
	dlp -w 40 profile | diff <(dlp profile -w 40) -
	# but for what to type next
	dlp -k iteration profile | sed 's/^\(next:\|     \) dlp \(.*\) -k iteration/\1 dlp \2/' |
	    diff want -
	printf '%s\n' "dlp: which profile? usage: dlp --tsv FILE..." >want
	! dlp --tsv 2>got
	diff want got
	cp "$LENET" $'a b\'c\n\td'
	dlp --tsv $'a b\'c\n\td' >got
	same "a b'c\\n\\td" "$(col got file)"
}

@test "three hundred files, a row each" {
	mkdir many
	for i in $(seq 297); do
		ln -s "$LENET" many/$i.sqlite
	done
	: >many/empty.sqlite
	head -c 9000 "$LENET" >many/broken.sqlite
	rc=0
	dlp --tsv many/*.sqlite many/missing.sqlite >got 2>err || rc=$?
	same 2 $rc
	same 300 "$(sed 1d got | wc -l)"
	same 300 "$(sed 1d got | cut -f1 | sort -u | wc -l)"
	same 'broken empty missing' "$(awk -F'\t' '$2 == "failed" {
		gsub(/many.|.sqlite/, "", $1); print $1 }' got | paste -sd' ')"
	same 297 "$(cut -f 2- got | grep -c ^ok)"
	same 1 "$(cut -f 2- got | grep ^ok | sort -u | wc -l)"
}

@test "many files: rows as they come, in order, several files at a time" {
	jax=$(profile h200/jax_step.sqlite.xz)
	mkfifo late rows
	dlp -j 3 --tsv "$jax" late "$LENET" >rows 2>err &
	exec 7<rows
	# the second file is not written before the first row has been read
	read -r -t 60 head <&7
	same file "${head%%$'\t'*}"
	read -r -t 60 first <&7
	same "$jax" "${first%%$'\t'*}"
	timeout 60 cat "$LENET" >late
	{ printf '%s\n' "$head" "$first"; cat <&7; } >got
	exec 7<&-
	wait
	same "file $jax late $LENET" "$(cut -f1 got | paste -sd' ')"
	ln -s "$LENET" late2
	dlp --tsv "$jax" late2 "$LENET" 2>/dev/null | sed 's/^late2/late/' | cut -f1-3,5- >want
	cut -f1-3,5- got | diff want -
	! dlp -j 0 "$jax" "$LENET" 2>err
	printf '%s\n' "dlp overview: -j: bad number of files '0'; it is 1 to 999" | diff - err
}

# The run of JAX was recorded with its command buffers' kernels (--cuda-graph-trace
# =node), and no emit_nvtx exists there.
@test "what to do about unknown sizes, in the program's framework" {
	dlp "$(profile h200/jax_step.sqlite.xz)" 2>/dev/null >got
	sed -n '/^not known/,/^findings/p' got >lacks
	grep -q 'sizes: run it with XLA_FLAGS=--xla_dump_to=DIR' lacks
	! grep -q 'emit_nvtx\|cuda-graph-trace' lacks
	sed -n '/^not known/,/^findings/p' <(dlp "$LENET" 2>/dev/null) >lacks
	! grep -q XLA lacks
}

@test "the screen: a time below 5 us has a unit of its own" {
	f=$ROOT/tests/data/advise/compile_ro.sqlite.xz
	dlp -w 120 "$f" 2>/dev/null >text
	set -- "$(sed -n 's/^steps .*number \([0-9]*\) to \([0-9]*\):.*/\1-\2/p' text)"
	want=$(dlp top -g type -i "$1" --tsv "$f" 2>/dev/null | awk -F'\t' '
	    $1 == "_foreach_add_" { printf "%.1f us", $4 / 1e3 }')
	[ -n "$want" ]
	grep "^  _foreach_add_ optimizer  *$want " text
}
