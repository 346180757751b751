# dlp FILE: the overview, against SQL on the same file.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# col FILE NAME: a column of the row.
col() {
	awk -F'\t' -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i }
	NR == 2 { print $a[c] }' "$1"
}

# The sum of all work of the GPU.
work_of() {
	local q='' t

	for t in KERNEL MEMCPY MEMSET GRAPH_TRACE; do
		t=CUPTI_ACTIVITY_KIND_$t
		[ -z "$(sqlite3 "$1" "SELECT 1 FROM sqlite_master
		    WHERE name = '$t'")" ] ||
			q="$q${q:+ UNION ALL }SELECT end - start t FROM $t"
	done
	sqlite3 "$1" "SELECT sum(t) FROM ($q)"
}

@test "the work is that of SQL" {
	for p in gpt2_bf16 resnet50_tf32 loader graph_infer_graph; do
		need_data "h200/$p.sqlite.xz"
		f=$(profile "h200/$p.sqlite.xz")
		dlp --tsv "$f" >got 2>/dev/null
		same "$f" "$(col got file)"
		same ok "$(col got status)"
		same "$(work_of "$f")" "$(col got work_ns)"
	done
}

# Nothing overlaps in this file, so sums are unions.
@test "graphs 3.02 ms and kernels 0.30 ms" {
	need_data h200/graph_infer_graph.sqlite.xz
	f=$(profile h200/graph_infer_graph.sqlite.xz)
	dlp overview --tsv "$f" >got 2>/dev/null
	for t in graph_ns:GRAPH_TRACE kern_ns:KERNEL; do
		same "$(sqlite3 "$f" "SELECT sum(end - start)
		    FROM CUPTI_ACTIVITY_KIND_${t#*:}")" "$(col got "${t%:*}")"
	done
	dlp "$f" 2>/dev/null >text
	grep 'graphs  *3.02 ms' text
	grep 'other kernels  *0.30 ms' text
}

# Steps: from the start of a range to its end, or to the end of its GPU work;
# in this file no range's work ends after it. Kernels are clipped to the ranges.
@test "steps of gpt2_bf16, and the time in them" {
	need_data h200/gpt2_bf16.sqlite.xz
	f=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp "$f" --tsv >got
	same "$(sqlite3 "$f" "SELECT count(*), round(avg(end - start))
	    FROM NVTX_EVENTS WHERE text LIKE 'iteration %'" | sed 's/\.0$//')" \
	    "$(col got steps)|$(col got step_ns)"
	same "$(sqlite3 "$f" "SELECT sum(min(k.end, n.end) - max(k.start, n.start))
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN NVTX_EVENTS n
	    ON k.start < n.end AND k.end > n.start
	    WHERE n.text LIKE 'iteration %'")" \
	    $(($(col got tc_ns) + $(col got kern_ns)))
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
	rc=0
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
}
