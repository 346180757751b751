# The nvprof dialect of dlp-parse: real databases against SQL over the same
# file and against PyProf's own output, and made-up ones for what goes wrong.

load lib

K=CUPTI_ACTIVITY_KIND_

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sql FILE STATEMENT: rows, fields split by |
sql() {
	sqlite3 "file:$1?immutable=1" "$2"
}

# col TYPE NAME...: those columns of the records on standard input, split by |
col() {
	awk -F'\t' -v OFS='|' -v type="$1" -v names="${*:2}" '
	$1 == "#" type { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == type {
		n = split(names, name, " ")
		for (i = 1; i <= n; i++)
			printf "%s%s", $at[name[i]], i < n ? OFS : "\n"
	}'
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

each_profile() {
	local f

	need_data nvprof
	for f in "$DATA"/nvprof/*.sqlite; do
		dlp-parse "$f" >got 2>/dev/null
		"$1" "$f" || { echo "in $f" >&2; return 1; }
	done
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

# bats test_tags=more
@test "kernels of every profile equal SQL" { each_profile kernels; }
# bats test_tags=more
@test "copies and sets of every profile equal SQL" { each_profile copies; }
# bats test_tags=more
@test "API time of every profile equals SQL" { each_profile calls; }
# bats test_tags=more
@test "ranges and marks of every profile equal SQL" { each_profile markers; }

# bats test_tags=more
@test "no runtime function of the profiles is without a name" {
	unknown() { ! grep 'runtime_cbid_[0-9]' got; }
	each_profile unknown
}

# bats test_tags=more
@test "calls are named by what they launched" {
	names() {
		local bad

		bad=$({ col kern api <got | grep -v Launch
			col copy api <got | grep -v 'Mem\|mcpy'
			col set api <got | grep -v emset
			col sync api <got | grep -v 'Synchronize\|Wait\|Query'
		} | grep -v '^-$' || true)
		same '' "$bad"
	}
	each_profile names
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
	sqlite3 "$1" "
	CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value);
	CREATE TABLE Version(version); INSERT INTO Version VALUES (12);
	CREATE TABLE ${K}RUNTIME(_id_ INTEGER PRIMARY KEY, cbid, start, end,
	    processId, threadId, correlationId, returnValue);
	CREATE TABLE ${K}DRIVER(_id_ INTEGER PRIMARY KEY, cbid, start, end,
	    processId, threadId, correlationId, returnValue);
	CREATE TABLE ${2:-${K}CONCURRENT_KERNEL}(_id_ INTEGER PRIMARY KEY,
	    registersPerThread, start, end, deviceId, contextId, streamId,
	    gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
	    dynamicSharedMemory, correlationId, name);
	CREATE TABLE ${K}MARKER(_id_ INTEGER PRIMARY KEY, flags, timestamp, id,
	    objectKind, objectId, name, domain);
	INSERT INTO StringTable VALUES (1, '_Z1fv'), (2, 'outer'), (3, 'inner'),
	    (4, 'my domain'), (5, 'across');
	INSERT INTO ${K}RUNTIME VALUES (1, 211, 1000, 1100, 7, -5, 1, 0),
	    (2, 211, 2000, 2200, 7, -5, 2, 0), (3, 9999, 3000, 3300, 7, 9, 3, 0);
	INSERT INTO ${2:-${K}CONCURRENT_KERNEL} VALUES
	    (1, 8, 1500, 1600, 0, 1, 7, 2, 1, 1, 64, 1, 1, 0, 0, 1, 1),
	    (2, 8, 2500, 2700, 0, 1, 7, 2, 1, 1, 64, 1, 1, 0, 0, 2, 1);
	INSERT INTO ${K}MARKER VALUES
	    (1, 2, 900, 1, 2, x'07000000fbffffff00000000', 2, 0),
	    (2, 2, 950, 2, 2, x'07000000fbffffff00000000', 3, 4),
	    (3, 4, 1200, 2, 2, x'07000000fbffffff00000000', 0, 4),
	    (4, 4, 5900, 1, 2, x'07000000fbffffff00000000', 0, 0);
	"
}

@test "ranges stand at their start, with domain and thread" {
	make_db p
	dlp-parse p >got
	same '0|5000|7|4294967291||push|outer
50|250|7|4294967291|my domain|push|inner' \
	    "$(col range start_ns dur_ns pid tid domain mode text <got)"
	same '100|100|cudaLaunchKernel_v7000|600|100|f
1100|200|cudaLaunchKernel_v7000|1600|200|f' \
	    "$(col kern api_start_ns api_dur_ns api start_ns dur_ns short <got)"
	same '2100|runtime_cbid_9999' "$(col call start_ns api <got)"
}

@test "start/end ranges belong to the process; an id can be used again" {
	make_db p
	sqlite3 p "INSERT INTO ${K}MARKER VALUES
	    (10, 2, 6000, 8, 1, x'070000000000000000000000', 5, 0),
	    (11, 4, 6100, 8, 1, x'070000000000000000000000', 0, 0),
	    (12, 2, 7000, 8, 1, x'070000000000000000000000', 5, 0),
	    (13, 4, 7200, 8, 1, x'070000000000000000000000', 0, 0),
	    (14, 2, 8000, 9, 2, x'07000000fbffffff00000000', 5, 0),
	    (15, 1, 8500, 10, 2, x'07000000fbffffff00000000', 5, 0)"
	dlp-parse p >got
	same '5100|100|7|-|start
6100|200|7|-|start
7100|-|7|4294967291|push' \
	    "$(col range start_ns dur_ns pid tid mode <got | tail -n 3)"
	same '7600|7|4294967291|across' "$(col mark start_ns pid tid text <got)"
	grep '^##note	never_closed	1$' got
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

@test "kernels of metrics mode" {
	make_db p ${K}KERNEL
	dlp-parse p >got
	same '1|600|100
2|1600|200' "$(col kern idx start_ns dur_ns <got)"
}

@test "a timeline and a run for metrics in one file: the timeline counts" {
	make_db p
	make_db q ${K}KERNEL
	sqlite3 p "ATTACH 'q' AS q;
	    CREATE TABLE ${K}KERNEL AS SELECT * FROM q.${K}KERNEL"
	dlp-parse p >got
	same 2 "$(col kern id <got | grep -c .)"
	grep '^##note	metrics_run_kernels	2$' got
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

@test "damaged rows are counted, the others are kept" {
	make_db p
	sqlite3 p "INSERT INTO ${K}CONCURRENT_KERNEL
	    (start, end, deviceId, correlationId, name) VALUES
	    ('text', 5, 0, 2, 1), (NULL, NULL, 0, 2, 1),
	    (0, 0, 0, 2, 1),
	    (9000, 8000, 0, 77, 1),
	    (9100, 9223372036854775807, 'gpu', x'00', 99),
	    (9200, 9300, 5000000000, 4294967297, -1);
	    INSERT INTO ${K}MARKER VALUES
	    (20, 2, 9000, 50, 2, x'0700', 2, 0),
	    (21, 2, 9000, 'id', 2, NULL, NULL, 'd'),
	    (22, 2, 9000, 4294967298, 3, zeroblob(12), 2, 99),
	    (23, 'flags', 'time', NULL, NULL, NULL, NULL, NULL)"
	dlp-parse p >got
	same 6 "$(col kern id <got | grep -c .)"
	grep '^##note	bad_rows	2$' got
	grep '^##note	untimed_rows	1$' got
	same '8200|9223372036854774907|-' \
	    "$(col kern start_ns dur_ns dev <got | grep '^8200')" ||
	    col kern start_ns dur_ns dev <got
	same '8300|100|5000000000|4294967297|-' \
	    "$(col kern start_ns dur_ns dev corr short <got | grep '^8300')"
	same '8100|-|-|-
8100|-|-|-
8100|-|-|-' "$(col range start_ns dur_ns pid tid <got | grep ^8100)"
}

@test "what is left out is noted" {
	make_db p
	sqlite3 p "CREATE TABLE ${K}CDP_KERNEL(start, end);
	    INSERT INTO ${K}CDP_KERNEL VALUES (1, 2), (3, 4);
	    CREATE TABLE ${K}METRIC(id); INSERT INTO ${K}METRIC VALUES (1)"
	dlp-parse p >got
	grep '^##note	device_launched_kernels	2$' got
	grep '^##note	metric_values	1$' got
}

@test "kernels without a call belong to the only process" {
	make_db p
	pid=$(sqlite3 p "SELECT group_concat(DISTINCT processId)
	    FROM ${K}RUNTIME")
	sqlite3 p "INSERT INTO ${K}CONCURRENT_KERNEL
	    (start, end, deviceId, correlationId, name)
	    VALUES (9000, 9500, 0, 77, 1)"
	same "77|$pid|-" "$(dlp-parse p | col kern corr pid tid | grep ^77)"
	sqlite3 p "INSERT INTO ${K}RUNTIME (start, end, processId, correlationId)
	    VALUES (9000, 9001, $pid + 1, 78)"
	same "77|-|-" "$(dlp-parse p | col kern corr pid tid | grep ^77)"
}

@test "the same number in both call tables is one call" {
	make_db p
	sqlite3 p "INSERT INTO ${K}DRIVER VALUES
	    (1, 307, 1010, 1090, 7, -5, 1, 0), (2, 307, 4000, 4100, 7, -5, 90, 0)"
	dlp-parse p >got
	same '3100|cuLaunchKernel' "$(col call start_ns api <got | tail -n 1)"
	same 'cudaLaunchKernel_v7000|100' \
	    "$(col kern api api_dur_ns <got | head -n 1)"
}

@test "peer copies, waits, graph runs, memory, overhead" {
	make_db p
	sqlite3 p "
	CREATE TABLE ${K}MEMCPY2(copyKind, srcKind, dstKind, bytes, start, end,
	    deviceId, contextId, streamId, correlationId);
	INSERT INTO ${K}MEMCPY2 VALUES (10, 3, 3, 64, 3010, 3020, 1, 1, 7, 3);
	CREATE TABLE ${K}CONTEXT(contextId, deviceId);
	INSERT INTO ${K}CONTEXT VALUES (1, 6), (3, 0), (3, 1), (3, 0);
	CREATE TABLE ${K}SYNCHRONIZATION(type, start, end, correlationId,
	    contextId, streamId, cudaEventId);
	INSERT INTO ${K}SYNCHRONIZATION VALUES (3, 4010, 4020, 50, 1, 7, -1),
	    (9, 4030, 4040, 51, 2, -1, 12), (9, 4050, 4060, 52, 3, -1, 12);
	CREATE TABLE ${K}GRAPH_TRACE(correlationId, start, end, deviceId,
	    graphId, contextId, streamId);
	INSERT INTO ${K}GRAPH_TRACE VALUES (60, 5010, 5020, 0, 33, 1, 7);
	CREATE TABLE ${K}MEMORY(memoryKind, address, bytes, start, end,
	    processId, deviceId);
	INSERT INTO ${K}MEMORY VALUES (3, 4096, 512, 6000, 6100, 7, 0),
	    (2, 8192, 16, 6050, 0, 7, 0);
	CREATE TABLE ${K}OVERHEAD(overheadKind, objectKind, objectId, start, end);
	INSERT INTO ${K}OVERHEAD VALUES
	    (65536, 1, x'070000000000000000000000', 7000, 7100),
	    (1, 2, x'07000000fbffffff00000000', 7200, 7300),
	    (12345, 3, x'070000000000000000000000', 7400, 7500)"
	dlp-parse p >got
	same '1|7|PtoP|64|device|device|2110' \
	    "$(col copy dev stream kind bytes src_mem dst_mem start_ns <got)"
	# context 3 is one of device 0 and one of device 1, in two processes
	same '6|7|stream|-
-|-|unknown|12
-|-|unknown|12' "$(col sync dev stream kind event <got)"
	same '33|-|10' "$(col graph graph exec dur_ns <got)"
	same '5100|alloc|512|4096|device
5150|alloc|16|8192|pinned
5200|free|512|4096|device' "$(col mem start_ns op bytes addr kind <got)"
	same '7|-|CUPTI buffer flush
7|4294967291|driver compiler
-|-|-' "$(col over pid tid name <got)"
}
