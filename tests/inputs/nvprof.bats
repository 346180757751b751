# The nvprof dialect of dlp-parse: real databases against SQL over the same
# file and against PyProf's own output, and made-up ones for what goes wrong.

load ../lib

K=CUPTI_ACTIVITY_KIND_

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sql FILE STATEMENT: rows, fields split by |
sql() {
	sqlite3 "file:$1?immutable=1" "$2"
}

# totals: lines "KEY|NS" to "KEY|COUNT|SUM", sorted
totals() {
	awk -F'|' '{
		k = $0
		sub(/\|[^|]*$/, "", k)
		n[k]++
		s[k] += $NF
	} END { for (k in n) printf "%s|%d|%.0f\n", k, n[k], s[k] }' | sort
}

kernels() {
	same "$(sql "$1" "SELECT deviceId, count(*), sum(end - start)
	    FROM ${K}CONCURRENT_KERNEL GROUP BY 1" | sort)" \
	    "$(col kern dev dur_ns <got | totals)"
	same "$(sql "$1" "SELECT k._id_, k.deviceId, k.contextId, k.streamId,
	    k.correlationId, gridX || ',' || gridY || ',' || gridZ,
	    blockX || ',' || blockY || ',' || blockZ, registersPerThread,
	    staticSharedMemory, dynamicSharedMemory,
	    ifnull(r.processId || '|' || (r.threadId & 0xffffffff), '-')
	    FROM ${K}CONCURRENT_KERNEL k LEFT JOIN ${K}RUNTIME r
	    USING (correlationId) ORDER BY k._id_")" \
	    "$(col kern idx dev ctx stream corr grid block regs smem_bytes \
		dynsmem_bytes pid tid <got | sort -n | sed 's/|[^|]*|-$/|-/')"
}

copies() {
	same "$(sql "$1" "SELECT deviceId, CASE copyKind WHEN 1 THEN 'HtoD'
	    WHEN 2 THEN 'DtoH' WHEN 8 THEN 'DtoD' END,
	    CASE srcKind WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned'
	    WHEN 3 THEN 'device' END,
	    CASE dstKind WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned'
	    WHEN 3 THEN 'device' END, count(*), sum(bytes)
	    FROM ${K}MEMCPY GROUP BY 1, 2, 3, 4" | sort)" \
	    "$(col copy dev kind src_mem dst_mem bytes <got | totals)"
	same "$(sql "$1" "SELECT deviceId, value, count(*), sum(end - start)
	    FROM ${K}MEMSET GROUP BY 1, 2" | sort)" \
	    "$(col set dev value dur_ns <got | totals)"
}

# Every call is there once: as a record, or in the work that it launched.
calls() {
	local want got

	want=$(sql "$1" "SELECT sum(end - start) FROM (SELECT start, end FROM
	    ${K}RUNTIME UNION ALL SELECT start, end FROM ${K}DRIVER)")
	got=$({ col call dur_ns <got
		for t in kern copy set sync graph; do
			col $t api_dur_ns <got
		done; } | awk '$1 != "-" { s += $1 } END { printf "%.0f", s }')
	same "${want:-0}" "$got"
}

markers() {
	same "$(sql "$1" "SELECT count(*), sum(b.timestamp - a.timestamp) FROM
	    ${K}MARKER a JOIN ${K}MARKER b USING (id)
	    WHERE a.flags = 2 AND b.flags = 4" | sed 's/|$/|0/')" \
	    "$(col range dur_ns <got | sed 's/^/x|/' | totals |
		sed 's/^x|//' | grep . || echo '0|0')"
	same "$(sql "$1" "SELECT count(*) FROM ${K}MARKER WHERE flags = 1")" \
	    "$(col mark id <got | grep -c .)"
}

names() {
	same '' "$({ grep 'runtime_cbid_[0-9]' got
		col kern api <got | grep -v Launch
		col copy api <got | grep -v 'Mem\|mcpy'
		col set api <got | grep -v emset
		col sync api <got | grep -v 'Synchronize\|Wait\|Query'
	} | grep -v '^-$' || true)"
}

# bats test_tags=more
@test "every profile equals SQL, and calls are named by what they launched" {
	need_data nvprof
	for f in "$DATA"/nvprof/*.sqlite; do
		dlp-parse "$f" >got 2>/dev/null
		for check in kernels copies calls markers names; do
			echo "$check: $f"
			$check "$f"
		done
	done
}

# bats test_tags=more
@test "thread, device, stream, grid, block, kernel and time as PyProf" {
	need_data nvprof/lm-pyprof.all20.csv
	dlp-parse "$DATA/nvprof/lm-pyprof.sqlite" |
	    col kern idx tid short dur_ns dev stream grid block |
	    sort -n >got
	# fields are quoted, split by ","
	awk -F'","' 'NR > 1 {
		sub(/^"/, "", $1)
		print $1 "|" $4 "|" $11 "|" $13 "|" $15 "|" $16 "|" $17 "|" $18
	}' "$DATA/nvprof/lm-pyprof.all20.csv" >want
	[ "$(grep -c . want)" -eq 160 ]
	diff want got
}

# bats test_tags=more
@test "the origin is PyProf's; times are kept to the nanosecond" {
	need_data nvprof/lm-pyprof.sqlite
	f=$DATA/nvprof/lm-pyprof.sqlite
	dlp-parse "$f" >got
	t0=$(sql "$f" "SELECT min(t) FROM (SELECT min(start) t FROM ${K}RUNTIME
	    UNION SELECT min(start) FROM ${K}CONCURRENT_KERNEL
	    UNION SELECT min(timestamp) FROM ${K}MARKER)")
	grep "^##info	t0_ns	$t0\$" got
	same "$(sql "$f" "SELECT _id_, start - $t0 FROM
	    ${K}CONCURRENT_KERNEL ORDER BY 1")" \
	    "$(col kern idx start_ns <got | sort -n)"
}

# A small database: tables of version 12 with the columns that matter.
make_db() {
	"$ROOT/tests/bin/mkdb" \
	    "$ROOT/tests/cases/dlp-parse/ranges-stand-at-their-start-with-domain-and/in" >"$1"
}

@test "many ranges take time in proportion" {
	make_db p
	sqlite3 p "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
	    SELECT i + 1 FROM n WHERE i < 200000)
	    INSERT INTO ${K}MARKER SELECT NULL, 2 + i % 2 * 2, 10000 + i,
	    1000 + i / 2, 2, x'07000000fbffffff00000000', 2, 0 FROM n"
	(ulimit -t 30; dlp-parse p >got)
	[ "$(col range dur_ns <got | grep -c '^1$')" -eq 99999 ]
}

@test "columns and tables that are missing" {
	make_db p
	for t in MARKER RUNTIME DRIVER CONCURRENT_KERNEL; do
		for c in start end timestamp correlationId deviceId streamId \
		    name domain objectId flags cbid threadId gridX; do
			cp p q
			sqlite3 q "ALTER TABLE $K$t DROP COLUMN $c" \
			    2>/dev/null || continue
			run dlp-parse q
			[ "$status" -eq 0 ]
		done
		cp p q
		sqlite3 q "DROP TABLE $K$t"
		run dlp-parse q
		[ "$status" -eq 0 ]
	done
	cp p q
	sqlite3 q 'DROP TABLE StringTable'
	dlp-parse q >got
	same '-|600' "$(col kern short start_ns <got | head -n 1)"
}
