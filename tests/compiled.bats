# Programs of compilers, XLA's and Inductor's: what their kernels are called,
# which direction and sizes they have, against SQL on the same file.
load lib

J=h200/jax_step.sqlite.xz

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# tsv FILE SQL
tsv() {
	sqlite3 -separator '	' "$1" "$2"
}

# Kernels of the command buffer: the name of each instruction is its op, with
# the direction of the Thunk of that name.
@test "XLA: each HLO kernel is an op of its name, with its Thunk's direction" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	f=$(profile "$J")
	tsv "$f" "WITH t AS (
		SELECT DISTINCT coalesce(text, (SELECT value FROM StringIds
		    WHERE id = textId)) AS t FROM NVTX_EVENTS),
	    hlo AS (SELECT t, substr(t, instr(t, 'hlo_op=') + 7) || ',' AS rest
		FROM t WHERE t LIKE 'Thunk:%'),
	    dir AS (SELECT DISTINCT
		replace(replace(substr(rest, 1, instr(rest, ',') - 1),
		    '.', '_'), '#', '') AS name,
		CASE WHEN t LIKE '%transpose(%' THEN 'bprop'
		WHEN t LIKE '%jvp(%' THEN 'fprop' ELSE '-' END AS d FROM hlo)
	    SELECT value, CASE WHEN value LIKE 'nvjet%' THEN '-' ELSE value END,
		coalesce(d, '-'), count(*)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
	    JOIN StringIds ON shortName = id LEFT JOIN dir ON name = value
	    GROUP BY 1, 2, 3" | LC_ALL=C sort >want
	dlp-parse "$f" | dlp-correlate 2>err | dlp-agg -T kern -g short,op,dir |
	    dlp-fmt -T agg -c short,op,dir,n | sed 1d | LC_ALL=C sort >got
	diff -u want got
	# 51 names, 6 of them are of cuBLAS
	same 51 "$(wc -l <want)"
	grep -q '78.2 % of the GPU time belongs to ops; no op: graph 21.8 %' err
}
