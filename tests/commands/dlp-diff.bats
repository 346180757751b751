# dlp-diff, dlp diff and dlp join. Truth: sqlite3 on the profiles; streams
# written by hand, whose means and intervals were worked out by hand.

# bats file_tags=long
load ../lib

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	TAB=$'\t'
}

# stream NAME STEP_NS...: a profile whose steps have one op each that takes
# half of the step, and one of 10 ns that is the same everywhere.
stream() {
	local name=$1 i=0 t

	shift
	printf '##dlp\t1\n##cmd\tdlp-parse 0 %s\n' "$name"
	printf '#op\top_id\tkey\tname\tdir\tshapes\top\n'
	printf 'op\t1\tm/a|fprop|[[%s]]\tm/a\tfprop\t[[%s]]\ta\n' \
	    "${SHAPE-4}" "${SHAPE-4}"
	printf 'op\t2\tm/b|fprop|[[2]]\tm/b\tfprop\t[[2]]\tb\n'
	printf '#kern\tid\tstart_ns\tdur_ns\top_id\top\tdir\tlayer\tphase\tshort\tflop\ttc\titer\n'
	printf '#iter\titer\tkey\tstep_ns\tgpu_ns\tn_kern\n'
	for t; do
		printf 'kern\t%d\t0\t%d\t1\ta\tfprop\tm\tforward\t%s\t100\t%s\t%d\n' \
		    $i $((t / 2)) "${KERNEL-ka}" "${TC-no}" $i
		printf 'kern\t%d\t0\t10\t2\tb\tfprop\tm\tforward\tkb\t-\tno\t%d\n' \
		    $i $i
		printf 'iter\t%d\tstep %d\t%d\t%d\t2\n' $i $i "$t" $((t / 2 + 10))
		i=$((i + 1))
	done
	printf '##end\t%d\n' $((2 + 3 * i))
}

# field COLUMN ROW [TSV]: of the row whose column name is ROW.
field() {
	awk -F '\t' -v c="$1" -v row="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$(at["name"]) == row { print $(at[c]); exit }' "${3-out}"
}

diff_tsv() {
	local rc=0

	dlp-diff "$@" 2>err | dlp-fmt --tsv -T diff >out || rc=$?
	cat err out
	return $rc
}

@test "a profile against itself: no difference; against another: signs swap" {
	dlp-parse "$LENET" | dlp-correlate | dlp-iter | dlp-flops >a
	sed 's/^\(kern	[0-9]*	[0-9]*	\)\([0-9]*\)/\12\2/' a >b
	diff_tsv --fail-over 0 a a
	[ "$(cut -f 9 out | sort -u | tr '\n' ' ')" = '0 diff_ns ' ]
	[ "$(cut -f 12 out | sort -u | tr '\n' ' ')" = 'change same ' ]
	for g in op kernel type prim layer phase iter; do
		diff_tsv -g $g a b >/dev/null
		cp out ab
		diff_tsv -g $g b a >/dev/null
		# a row of ab, turned around, is one of ba
		awk -F '\t' -v OFS='\t' 'NR > 1 {
			t = $7; $7 = $8; $8 = t
			$9 = $9 == "0" ? $9 : $9 ~ /^-/ ? substr($9, 2) : "-" $9
			t = $13; $13 = $14; $14 = t
			t = $15; $15 = $16; $16 = t
			t = $17; $17 = $18; $18 = t
			$10 = $19 = ""
			if (sub(/slower/, "faster", $12) || sub(/faster/, "slower", $12));
			else if (sub(/new/, "gone", $12) || sub(/gone/, "new", $12));
			else if (sub(/more/, "less", $12) || sub(/less/, "more", $12));
			print
		}' ab | sort >turned
		awk -F '\t' -v OFS='\t' 'NR > 1 { $10 = $19 = ""; print }' \
		    out | sort >straight
		[ -s turned ]
		diff -u straight turned
	done
}

@test "renamed kernels: every op has its partner" {
	dlp-parse "$LENET" | dlp-correlate | dlp-iter | dlp-flops >a
	awk -F '\t' -v OFS='\t' '
	$1 == "#kern" { for (i = 1; i <= NF; i++) if ($i == "short") at = i }
	$1 == "kern" { $at = "renamed_" $at }
	$1 == "str" { $3 = "renamed_" $3 }
	{ print }' a >b
	diff_tsv a b
	[ "$(awk -F '\t' '$1 == "row" { print $2, $12 }' out | sort -u)" = \
	    'key same' ]
}

@test "dlp join: a file that fails is left out, and said; the others are joined" {
	cp "$LENET" a.sqlite
	head -c 40000 "$LENET" >bad.sqlite
	dlp-parse "$LENET" | dlp-correlate | head -n 300 >cut.dlp
	dlp join --tsv -n 0 a.sqlite "$LENET" >want
	rc=0
	dlp join --tsv -n 0 a.sqlite bad.sqlite "$LENET" gone.sqlite cut.dlp \
	    >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	cmp out want
	for f in bad.sqlite gone.sqlite; do
		grep -q "^dlp-diff: $f: left out: " err
		grep -q "^dlp-parse: $f: " err
	done
	[ "$(grep -c ': left out: it is not whole' err)" -eq 3 ] # cut.dlp once
	run -2 dlp join bad.sqlite gone.sqlite
	[[ "$output" == *"nothing is joined"* ]]
	# one without the steps that are asked for
	run -2 dlp join --tsv -i 3 -n 1 a.sqlite \
	    "$ROOT/tests/data/resnet-before.sqlite.xz" # 0 to 2
	[[ "$output" == *"resnet-before.sqlite.xz: left out: it has no"* ]]
	[[ "$output" == *"${TAB}a_ns"$'\n'* ]]
}

@test "dlp join: whole values have no fraction" {
	dlp join --csv -n 0 "$LENET" "$LENET" >out
	! grep -E '[0-9]\.0+(,|$)' out || false
	# a mean of three steps: some have
	grep -qE '[0-9]\.[0-9]+(,|$)' out
}

# nvprof's tables of what runs on the GPU, and the call that starts up CUDA.
# bats test_tags=more
@test "runs without steps: from the first GPU work to the last, by SQL" {
	need_data nvprof/lm-pyprof.sqlite
	local db=$DATA/nvprof/lm-pyprof.sqlite window

	window=$(sqlite3 "$db" "SELECT max(e) - min(s) FROM (
	    SELECT start AS s, end AS e FROM CUPTI_ACTIVITY_KIND_KERNEL
	    UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
	    UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET)")
	# B: the first call starts up for twice as long
	sqlite3 "$db" ".backup b.sqlite"
	sqlite3 b.sqlite "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start -
	    2 * (end - start) WHERE end - start = (SELECT max(end - start)
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME)"
	dlp diff --fail-over 5% --tsv "$db" b.sqlite >out 2>err
	same "$window $window" "$(field a_ns run) $(field b_ns run)"
	same "" "$(field a_ns step)"
	grep -q 'no steps are known: the whole run is compared, from its first GPU work to the last' err
	# the same as dlp FILE has it
	same "$(dlp --tsv "$db" 2>/dev/null | awk -F'\t' '
	NR == 1 { while (++i <= NF) c[$i] = i }
	END { print $c["wall_ns"], $c["idle_ns"] }')" \
	    "$window $(field a_ns 'GPU idle')"
	# B: the last kernel ends later
	sqlite3 b.sqlite "UPDATE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
	    SET start = start + $window, end = end + $window
	    WHERE end = (SELECT max(end)
	    FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)"
	run -1 dlp diff --fail-over 5% "$db" b.sqlite
	grep -q 'the run became .* % slower' <<<"$output"
	run ! grep 'the step' <<<"$output"
	dlp join --tsv "$db" "$db" 2>/dev/null >out
	same "run	-	-	$window	$window" "$(sed -n 2p out)"
}

@test "dlp diff: a stream that was cut keeps its steps, from a pipe too" {
	# steps by a range that is not the framework's
	dlp-parse "$LENET" | dlp-correlate | dlp-iter -k backward >cut
	dlp diff --tsv cut cut 2>e >want
	grep 'A, cut: steps 1-2 of 4 (backward,' e
	dlp diff --tsv - cut <cut 2>e >got
	cmp want got
	dlp diff -k backward --tsv "$LENET" "$LENET" 2>/dev/null >got
	cmp want got
	for r in iters 'phases -i 1' 'top -i 1' 'mfu -i 2'; do
		# shellcheck disable=SC2086 # a report with options
		dlp $r -k backward --tsv "$LENET" >want
		for f in cut -; do
			# shellcheck disable=SC2086 # a report with options
			dlp $r --tsv $f <cut | cmp want -
		done
	done
}

@test "--cells: the times of each step, whose means are those of the diff records" {
	for f in resnet-before resnet-after; do dlp-parse "$ROOT/tests/data/$f.sqlite.xz"; done |
	    dlp-correlate | dlp-iter | dlp-flops | dlp-diff --cells 2>err >out
	# by row: the sum of each side's even steps, over the number of these steps
	dlp-fmt -T diffcell --tsv out | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["even"] { s = $c["side"]; if ($c["what"] == "step") n[s]++
	    if ($c["what"] == "row") v[$c["row"], s] += $c["dur_ns"]
	    else t[$c["what"], s] += $c["dur_ns"] }
	END { for (k in v) { split(k, p, SUBSEP); printf "%s %.1f\n", p[2], v[k] / n[p[2]] }
	    for (k in t) { split(k, p, SUBSEP); if (p[1] != "busy") printf "%s %.1f\n", p[2], t[k] / n[p[2]] } }' |
	    sort | uniq -c | awk '$3 > 0' >got
	# rows that were matched by their key, or not, are rows alone
	dlp-fmt -T diff --tsv out | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["what"] ~ /^(busy|idle)$/ { next }
	$c["by"] == "name" || $c["by"] == "type" { next }
	$c["a_ns"] != "-" { printf "A %.1f\n", $c["a_ns"] } $c["b_ns"] != "-" { printf "B %.1f\n", $c["b_ns"] }' |
	    sort | uniq -c | awk '$3 > 0' >want
	[ "$(wc -l <want)" -gt 100 ]
	same '' "$(comm -13 <(sort got) <(sort want))"
	run -2 dlp-diff --join --cells out
	grep -q 'exclude each other' <<<"$output"
}

@test "steps that were recorded with ranges of ops do not count beside those without" {
	xz -dc "$ROOT/tests/data/alternate.sqlite.xz" >a
	cp a b
	dlp diff --tsv a b 2>err >out
	# of the 12 steps three have ranges of ops, which begin later than all others
	same 3 "$(sqlite3 a "SELECT count(*) FROM NVTX_EVENTS s WHERE text LIKE 'iteration %'
	    AND EXISTS (SELECT 1 FROM NVTX_EVENTS o WHERE o.text LIKE 'aten::%'
		AND o.globalTid = s.globalTid AND o.start BETWEEN s.start AND s.end)")"
	same "$(dlp --json a | jq .step_ns)" "$(awk -F'\t' '$1 == "step" { printf "%.0f\n", $7 }' out)"
	grep -q '^A, a: steps [0-9]-[78] of 12 ' err
	dlp diff --tsv -a a b 2>err | grep -c '^step.*	12	12	'
}
