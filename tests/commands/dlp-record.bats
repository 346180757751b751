# dlp-record: what programs do is what the database says. The programs are
# tests/record/*.c: nvtxall pushes known ranges, fakecuda plays a driver with a
# libcupti of its own, so no test needs a GPU or CUDA.

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	R=$ROOT/${B:-build}/record
	export TMPDIR=$PWD/tmp
	mkdir tmp
	unset FAKE
}

# record OPTIONS... -- COMMAND...: sets $status; writes out, err and a.sqlite.
record() {
	status=0
	timeout 60 dlp-record --cupti "$R/libcupti.so.13" --force -o a.sqlite "$@" \
	    >out 2>err </dev/null || status=$?
	echo "exit status $status: $(cat err)"
}

sql() {
	sqlite3 a.sqlite "$@"
}

kernels() {
	sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL" 2>/dev/null || echo none
}

ranges() {
	sql "SELECT group_concat(text, ',') FROM (SELECT text FROM NVTX_EVENTS
	    WHERE eventType = 59 ORDER BY start)" 2>/dev/null || echo none
}

# What nvtxall does, of either instance of NVTX.
nvtx_rows() {
	sql "SELECT eventType, coalesce(text, (SELECT value FROM StringIds
	    WHERE id = textId), 'none'), domainId, category, color, uint64Value,
	    int64Value, doubleValue, uint32Value, int32Value, floatValue,
	    end IS NULL, endGlobalTid IS NULL FROM NVTX_EVENTS
	    WHERE length(text) < 100 OR text IS NULL ORDER BY rowid"
}

@test "NVTX of all kinds, without CUDA; the output and status are the program's" {
	for p in "$R"/nvtxall*; do
		record -t nvtx -- "$p"
		[ "$status" -eq 6 ]
		[ ! -s err ]
		same "the program's output" "$(<out)"
		same "$(printf '%b' '33|seven|0|7||||||||1|1
39|the first thread|0||||||||1|1
75|a domain|1||||||||1|1
59|registered|1||||||||0|1
59|crosses the domain'\''s|0||||||||0|1
34|registered|1||||||||1|1
60|none|1||||||||1|1
59|none|0||||||||0|1
59|tab\there, newline\nhere, "quotes", \0303\0244|0||||||||0|1
59|bad \0377\0376 end|0||||||||0|1
59|wide \0303\0244\0360\0237\0230\0200|0||||||||0|1
59|payload 1|0|7|4278255361|-1||||||0|1
59|payload 2|0|7|4278255362||-5000000000|||||0|1
59|payload 3|0|7|4278255363|||0.1||||0|1
59|payload 4|0|7|4278255364||||4000000000|||0|1
59|payload 5|0|7|4278255365|||||-7||0|1
59|payload 6|0|7|4278255366||||||2.5|0|1
34|a mark|0||||||||1|1
60|crosses threads|0||||||||0|0
59|in a thread|0||||||||0|1
59|never popped|0||||||||1|1')" "$(nvtx_rows | sed 's/|\(|*\)\([01]\)|\([01]\)$/|\1\2|\3/' |
		    sed 's/^\(33|seven|0|7|\)|/\1|/')" ||
		    nvtx_rows
		[ "$(sql "SELECT text FROM NVTX_EVENTS WHERE length(text) > 100" |
		    tr -d '\n' | wc -c)" -eq 9000 ]
	done
}

@test "the start of the session: the time of the epoch, in UTC and local" {
	TZ=TEST-5:30 record -t nvtx -- "$R/nvtxall"
	same "1|1" "$(sql "SELECT
	    utcTime = strftime('%Y-%m-%dT%H:%M:%S', utcEpochNs / 1000000000,
		'unixepoch'),
	    localTime = strftime('%Y-%m-%dT%H:%M:%S', utcEpochNs / 1000000000,
		'unixepoch', '+5 hours', '+30 minutes')
	    FROM TARGET_INFO_SESSION_START_TIME")"
}

@test "every end: exit status, and all ranges" {
	# how, the status, and ranges beside 15 and 1000 of the loop
	while read -r how want more; do
		record -t nvtx -- "$R/nvtxall" "$how" 1000
		[ "$status" -eq "$want" ]
		[ "$(sql "SELECT count(*) FROM NVTX_EVENTS WHERE
		    eventType = 59")" -eq $((1015 + more)) ]
	done <<-'END'
		return 6 0
		exit 3 0
		_exit 4 0
		quick 5 0
		kill 137 0
		abort 134 0
		segv 139 0
		fork 6 0
		exec 6 15
	END
}

@test "a child without exec is not recorded, unless it begins with CUDA" {
	record -t nvtx -- "$R/nvtxall" fork
	[ "$(sql "SELECT count(*) FROM PROCESSES")" -eq 1 ]
	record -- "$R/fakecuda" push=a pop fork=1
	[ "$(sql "SELECT count(*) FROM PROCESSES")" -eq 2 ]
	[ "$(kernels)" -eq 3 ]
	[ "$(ranges)" = 'a,in the child' ]
}

@test "--fork records children without exec, too" {
	record -t nvtx --fork -- "$R/nvtxall" fork
	[[ $(ranges) == *"never popped,in the child"* ]]
	[ "$(sql "SELECT count(*) FROM PROCESSES")" -eq 2 ]
}

@test "threads that begin and end: each range is on its thread" {
	record -t nvtx -- "$R/nvtxall" threads
	# 20 times 8 threads, each 200 times
	same 'inner of a thread|32000|0
outer of a thread|32000|0' "$(sql "SELECT text, count(*), sum(end IS NULL)
	    FROM NVTX_EVENTS WHERE text LIKE '% of a thread' GROUP BY 1")"
	[ "$(sql "CREATE INDEX by_thread ON NVTX_EVENTS (globalTid, start);
	    SELECT count(*) FROM NVTX_EVENTS i WHERE text LIKE 'inner%'
	    AND NOT EXISTS (SELECT 1 FROM NVTX_EVENTS o WHERE
	    o.globalTid = i.globalTid AND o.text LIKE 'outer%' AND
	    o.start <= i.start AND o.end >= i.end)" | tail -n 1)" -eq 0 ]
}

@test "NVTX payloads with their schemas and enums, as NCCL has" {
	record -t nvtx -- "$R/nvtxext"
	[ "$status" -eq 0 ]
	same 'schema 4294967296, enabled 1' "$(<out)"
	# 4096 and 2, little-endian
	same '59||00100000000000000200000000000000
34||00100000000000000200000000000000
60||00100000000000000200000000000000
59|ncclAllReduce|00100000000000000200000000000000' "$(sql "SELECT eventType,
	    text, binaryData FROM NVTX_EVENTS WHERE eventType <> 75")"
	schemas='1|4294967296|AllReduce|1||2|16|
1|4294967296|0||18|Message size|in bytes||
1|4294967296|1||16777236|Operation|||8
1|16777236|Operations|2|4
1|16777236|0|Sum||
1|16777236|1|Max|2|'
	them="SELECT * FROM NVTX_PAYLOAD_SCHEMAS;
	    SELECT * FROM NVTX_PAYLOAD_SCHEMA_ENTRIES ORDER BY 3;
	    SELECT * FROM NVTX_PAYLOAD_ENUMS;
	    SELECT * FROM NVTX_PAYLOAD_ENUM_ENTRIES ORDER BY 3"
	same "$schemas" "$(sql "$them")"
	# they were said before the recording began
	armed -t nvtx -- "$R/nvtxext" 4
	dlp-record --trigger $pid --steps 4 >file
	same "$schemas" "$(sqlite3 run-1.sqlite "$them")"
	wait $pid
}

@test "CUDA: each kind of record, in the columns of nsys" {
	# two steps of: 2 calls that are quiet, 8 others, 2 kernels and the
	# graph's, a copy and one between devices, a set, a sync, an allocation
	record -m --sync -- "$R/fakecuda" init push=a 2 pop
	[ "$status" -eq 0 ]
	[ ! -s err ]
	while read -r table n; do
		[ "$(sql "SELECT count(*) FROM $table")" -eq "$n" ] || {
			echo "$table: not $n"
			false
		}
	done <<-'END'
		CUPTI_ACTIVITY_KIND_RUNTIME 16
		CUPTI_ACTIVITY_KIND_KERNEL 6
		CUPTI_ACTIVITY_KIND_MEMCPY 4
		CUPTI_ACTIVITY_KIND_MEMSET 2
		CUPTI_ACTIVITY_KIND_SYNCHRONIZATION 2
		CUPTI_ACTIVITY_KIND_CUDA_EVENT 2
		CUDA_GPU_MEMORY_USAGE_EVENTS 2
		CUDA_GPU_MEMORY_POOL_EVENTS 2
		PROFILER_OVERHEAD 2
		CUDA_GRAPH_NODE_EVENTS 2
		TARGET_INFO_CUDA_STREAM 1
		TARGET_INFO_CUDA_CONTEXT_INFO 1
		NVTX_EVENTS 1
	END
	# cacheConfig and launchType are CUPTI's + 1, memory kinds - 1
	same "axpy|_Z4axpyifPKfPf|2|1|32|10|128|1024|250871808|32768|1" "$(sql "
	    SELECT s.value, m.value, cacheConfig, launchType,
	    registersPerThread, gridX, blockX, dynamicSharedMemory,
	    localMemoryTotal, sharedMemoryExecuted, sharedMemoryLimitConfig
	    FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id = shortName
	    JOIN StringIds m ON m.id = mangledName LIMIT 1")"
	same "1|4096|0|2|1
10|512|2|2|" "$(sql "SELECT copyKind, bytes, srcKind, dstKind, copyCount
	    FROM CUPTI_ACTIVITY_KIND_MEMCPY LIMIT 2")"
	# each piece of work has its call, and began after it
	[ "$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN
	    CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    WHERE k.start >= r.start")" -eq 6 ]
	dlp-parse a.sqlite | dlp-correlate >stream
	[ "$(grep -c '^kern	' stream)" -eq 6 ]
}

# bats test_tags=more
@test "columns and types are those of nsys export" {
	f=$DATA/recorder/every.nsys.sqlite.xz
	need_data recorder/every.nsys.sqlite.xz
	xz -dc "$f" >n.sqlite
	record -m --sync -- "$R/fakecuda" init push=a 2 pop
	for t in $(sql "SELECT name FROM sqlite_master WHERE type = 'table'"); do
		want=$(sqlite3 n.sqlite "SELECT name, type, \"notnull\", pk FROM
		    pragma_table_info('$t')")
		[ -n "$want" ] || { [ "$t" = CUDA_GRAPH_NODE_EVENTS ] && continue; }
		same "$want" "$(sql "SELECT name, type, \"notnull\", pk FROM
		    pragma_table_info('$t')")"
	done
}

@test "structures of other versions of CUPTI" {
	# sizes, and what the last fields then are
	while read -r size total node; do
		FAKE=kernel=$size record -- "$R/fakecuda" init 1
		same "$total|$node" "$(sql "SELECT max(localMemoryTotal),
		    max(graphNodeId) FROM CUPTI_ACTIVITY_KIND_KERNEL")"
		[ "$(kernels)" -eq 3 ]
	done <<-'END'
		144 77 
		160 77 8589934592
		208 250871808 8589934592
		216 250871808 8589934592
		240 250871808 8589934592
	END
	FAKE='copy=64 set=64 sync=40 memory=112' record --sync -m -- \
	    "$R/fakecuda" init 2
	[ "$status" -eq 0 ]
	[ "$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    WHERE copyCount IS NULL AND bytes IN (4096, 512)")" -eq 4 ]
	[ "$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
	    WHERE eventSyncId IS NULL")" -eq 2 ]
}

@test "records without times are left out, wrong ends cut, both counted" {
	# every 4th of 36 kernels has no times
	FAKE='zero overrun' record -- "$R/fakecuda" init 12
	[ "$(kernels)" -eq 27 ]
	grep -qx 'dlp-record: GPU records without times, left out: 9' err
	sql "SELECT text FROM DIAGNOSTIC_EVENT" >diag
	grep -qx 'gpu_untimed: 9' diag
	grep -q '^ends_clipped: ' diag
	[ "$(sql "SELECT count(*) FROM (SELECT end, lead(start) OVER
	    (PARTITION BY streamId ORDER BY start, end) AS next FROM
	    (SELECT start, end, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL
	    UNION ALL SELECT start, end, streamId FROM
	    CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT start, end, streamId
	    FROM CUPTI_ACTIVITY_KIND_MEMSET)) WHERE end > next")" -eq 0 ]
}

@test "the real-time clock, where CUPTI refuses ours" {
	FAKE=noclock record -- "$R/fakecuda" init push=a 12 pop
	[ "$(kernels)" -eq 36 ]
	# work is inside the range, as without
	[ "$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k,
	    NVTX_EVENTS n WHERE k.start BETWEEN n.start AND n.end")" -eq 36 ]
}

@test "buffers completed by another thread; dropped records are said" {
	FAKE='thread dropped' record -- "$R/fakecuda" init 5
	[ "$(kernels)" -eq 15 ]
	grep -qx 'dlp-record: GPU records that CUPTI dropped: 3' err
}

@test "ends of a program with CUDA lose nothing" {
	while read -r how want; do
		record -- "$R/fakecuda" init 5 "$how"
		[ "$status" -eq "$want" ]
		[ "$(kernels)" -eq 15 ]
	done <<-'END'
		exit=3 3
		_exit=4 4
		quick=5 5
		kill=15 143
		kill=2 130
		kill=1 129
		abort 134
		kill=11 139
		kill=7 135
		kill=8 136
	END
	record -- "$R/fakecuda" init 5 execl
	[ "$status" -eq 8 ]
	[ "$(kernels)" -eq 15 ]
	# 5 steps before exec, 7 after
	record -- "$R/fakecuda" init 5 exec init 7
	[ "$(kernels)" -eq 36 ]
	record --flush 0.05 -- "$R/fakecuda" init push=a 5 sleep=500 kill=9
	[ "$status" -eq 137 ]
	grep -q 'processes that were killed, .* may be missing: 1' err
	same 'processes_cut_off: 1' "$(sql 'SELECT text FROM DIAGNOSTIC_EVENT')"
	[ "$(kernels)" -eq 15 ]
	[ "$(ranges)" = a ]
}

@test "-c cudaProfilerApi: the range alone, then the program is left alone" {
	record -c cudaProfilerApi -- "$R/fakecuda" init push=x 3 start push=y 2 \
	    pop pop stop 7 push=z pop 1 finalized
	[ "$(kernels)" -eq 6 ]
	[ "$(ranges)" = y ]
	grep -qx 'finalized 1' out
	record -c cudaProfilerApi -- "$R/fakecuda" init 3
	[ "$status" -eq 0 ]
	grep -q 'the range never began (-c cudaProfilerApi)' err
}

@test "-c nvtx:TEXT@DOMAIN, --steps, --delay, --duration" {
	record -c nvtx:go -- "$R/fakecuda" init 3 push=go 2 push=in pop pop 4 \
	    finalized
	[ "$(kernels)" -eq 6 ]
	[ "$(ranges)" = go,in ]
	grep -qx 'finalized 1' out
	record -c 'nvtx:registered@a domain' -t nvtx -- "$R/nvtxall"
	same "registered|crosses the domain's" "$(sql "SELECT s.value, t.text
	    FROM NVTX_EVENTS r JOIN StringIds s ON s.id = r.textId,
	    NVTX_EVENTS t WHERE t.text LIKE 'crosses%'")"
	record -c 'nvtx:registered@another' -t nvtx -- "$R/nvtxall"
	grep -q 'the range never began' err
	record --steps 1-2 -- "$R/fakecuda" init push='iteration 0' 1 pop \
	    push='iteration 1' 2 pop push='iteration 2' 4 pop \
	    push='iteration 3' 8 pop
	[ "$(kernels)" -eq 18 ]
	[ "$(ranges)" = 'iteration 1,iteration 2' ]
	record --delay 0.4 --duration 0.8 -- "$R/fakecuda" init 3 push=a pop \
	    sleep=800 5 push=b pop sleep=1200 7 push=c pop
	[ "$(kernels)" -eq 15 ]
	[ "$(ranges)" = b ]
}

@test "-m: allocations before the range are there at its beginning" {
	record -m -c cudaProfilerApi -- "$R/fakecuda" init 3 start 2 stop 1
	same "0|3
1|2" "$(sql "SELECT start > 0, count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS
	    GROUP BY 1")"
	[ "$(sql "SELECT count(*) FROM CUDA_GPU_MEMORY_POOL_EVENTS")" -eq 2 ]
}

@test "-m: what was released before the range is counted" {
	record -m -c cudaProfilerApi -- "$R/fakecuda" init load unload load \
	    load 1 start unload load stop
	# three are loaded before; one is unloaded, one replaced without that
	same "0|0|16
0|0|1048576
1|1|16
1|0|16" "$(sql "SELECT start > 0, memoryOperationType, bytes FROM
	    CUDA_GPU_MEMORY_USAGE_EVENTS ORDER BY rowid")"
	same 'released_before: 2' "$(sql "SELECT text FROM DIAGNOSTIC_EVENT
	    WHERE text LIKE 'released%'")"
}

@test "calls of the driver that the runtime makes are left out" {
	# cudaSetDevice calls cuCtxSetCurrent, and the program does, too
	record -- "$R/fakecuda" init call=8 driver=3 call=2 call=8 driver=4
	calls='SELECT value FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s
	    ON s.id = nameId ORDER BY r.rowid'
	same 'cuCtxSetCurrent
cudaLaunchKernel_v7000' "$(sql "$calls")"
	record --all-calls -- "$R/fakecuda" init call=8 driver=3 driver=4
	same 'cudaSetDevice_v3020
cuCtxSetCurrent
cuCtxSetCurrent
cuPointerGetAttribute' "$(sql "$calls")"
}

@test "facts of the GPUs, by the driver" {
	record -- "$R/fakecuda" init 1
	# 2 transfers a cycle: 3201 MHz * 2 * 6016 / 8 = 4814304 MB/s
	same "0|Fake H200|0000:00:06.0|4814304000000|1980000000|132|9|0|64
1|Fake H200|0000:01:06.0|4814304000000|1980000000|132|9|0|64" "$(sql "SELECT
	    id, name, busLocation, memoryBandwidth, clockRate, smCount,
	    computeMajor, computeMinor, maxWarpsPerSm FROM TARGET_INFO_GPU")"
	same "13000" "$(sql "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE
	    name = 'CudaDriverVersion'")"
}

@test "-g graph: launches, and the graphs that they run" {
	record -g graph -- "$R/fakecuda" init 5
	[ "$(kernels)" -eq 10 ]
	same "5|1|2" "$(sql "SELECT count(*), min(graphId), max(graphExecId)
	    FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")"
	[ "$(sql "SELECT count(*) FROM CUDA_GRAPH_EVENTS")" -eq 3 ]
}

@test "--all-calls, -t cuda, -t nvtx" {
	record --all-calls -- "$R/fakecuda" init 1
	[ "$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")" -eq 10 ]
	record -t cuda -- "$R/fakecuda" init push=a 1 pop
	[ "$(ranges)" = none ] || [ -z "$(ranges)" ]
	[ "$(kernels)" -eq 3 ]
	record -t nvtx -- "$R/fakecuda" init push=a 1 pop
	[ "$(kernels)" = none ]
	[ "$(ranges)" = a ]
}

@test "CUPTI's seat is taken, CUPTI refuses, there is none: NVTX and one line" {
	FAKE=rights record -- "$R/fakecuda" init push=a 1 pop
	grep -q 'only administrators' err
	for f in seat refuse; do
		FAKE=$f record -- "$R/fakecuda" init push=a 1 pop exit=9
		[ "$status" -eq 9 ]
		[ "$(wc -l <err)" -eq 1 ]
		grep -q 'CUDA is not recorded' err
		[ "$(ranges)" = a ]
	done
	grep -q 'error 15' err
	# nothing that can be loaded is found
	status=0
	dlp-record --force --cupti ./none -o a.sqlite -- "$R/nvtxall" exit >out \
	    2>err || status=$?
	[ "$status" -eq 3 ]
	[ ! -s err ]
}

@test "where CUPTI is found: loaded, --cupti, beside CUDA, by the loader" {
	mkdir lib
	cp "$R/libcupti.so.13" lib/
	# which one the database does not say: the note of the library does
	LD_LIBRARY_PATH=$PWD/lib dlp-record -o b.sqlite -- "$R/fakecuda" init 1
	[ "$(sqlite3 b.sqlite "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")" -eq 3 ]
	# one that is no CUPTI is passed over
	cp "$R/fakecuda" lib/not-cupti.so
	LD_LIBRARY_PATH=$PWD/lib dlp-record --cupti lib/not-cupti.so \
	    -o c.sqlite -- "$R/fakecuda" init 1
	[ "$(sqlite3 c.sqlite "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")" -eq 3 ]
}

@test "--max, and a full disk: what was recorded is whole, one line says so" {
	record --max 600K -- "$R/fakecuda" init push=a 20000 pop
	[ "$status" -eq 0 ]
	[ "$(kernels)" -gt 100 ]
	[ "$(wc -l <err)" -le 2 ]
	grep -q 'the recording ended early' err
}

@test "-o: exists, --force, %p %h %q{VAR}" {
	: >there
	status=0
	dlp-record -o there -- "$R/nvtxall" >out 2>err || status=$?
	[ "$status" -eq 2 ]
	[ ! -s out ] # the program did not run
	same "dlp-record: there exists already; --force writes over it" "$(<err)"
	RANK=3 dlp-record -t nvtx -o 'r%q{RANK}.%p.%%.sqlite' -- "$R/nvtxall" exit \
	    >out || true
	f=(r3.*.%.sqlite)
	pid=$(sqlite3 "${f[0]}" "SELECT pid FROM PROCESSES")
	[ "${f[0]}" = "r3.$pid.%.sqlite" ]
	status=0
	dlp-record -o '%q{NO_SUCH}' -- true 2>err || status=$?
	[ "$status" -eq 2 ]
	grep -q 'NO_SUCH' err
}

@test "no such command: 127; one that cannot run: 126; no file either way" {
	record -- ./no-such-command
	[ "$status" -eq 127 ]
	[ "$(wc -l <err)" -eq 1 ]
	: >plain
	record -- ./plain
	[ "$status" -eq 126 ]
	[ ! -e a.sqlite ]
	[ -z "$(ls tmp)" ]
}

@test "a read-only folder, no folder for the spool: a line, and it runs" {
	for_others
	mkdir "$OPEN"/{bin,ro,tmp}
	cp "$BIN/dlp-record" "$R/nvtxall" "$OPEN/bin"
	cp -r "$BIN/../lib" "$OPEN"
	chmod -R go+rX "$OPEN"
	chmod 777 "$OPEN/tmp"
	status=0
	as_other env TMPDIR="$OPEN/tmp" "$OPEN/bin/dlp-record" -t nvtx \
	    -o "$OPEN/ro/x.sqlite" -- "$OPEN/bin/nvtxall" exit >out 2>err || status=$?
	mv "$OPEN/tmp"/* tmp
	rm -rf "$OPEN"
	cat err
	[ "$status" -eq 3 ]
	[ "$(wc -l <err)" -eq 1 ]
	grep -q 'the recording will stay in' err
	dir=$(sed 's/.*stay in \([^ ]*\) .*/\1/' err)
	dlp-record --convert "tmp/${dir##*/}" -o a.sqlite
	[[ $(ranges) == *"never popped" ]]
}

@test "--stream: the records alone on standard output" {
	dlp-record --stream -t nvtx -- "$R/nvtxall" >out 2>err || [ $? -eq 6 ]
	[[ $(head -n 1 out) == '##dlp	1' ]]
	grep -qx "the program's output" err
	dlp-record --stream --stdout o -t nvtx -- "$R/nvtxall" >out 2>err ||
	    [ $? -eq 6 ]
	same "the program's output" "$(<o)"
	dlp-record --stream --cupti "$R/libcupti.so.13" -- "$R/fakecuda" init \
	    push=add 3 pop 2>err | dlp-correlate |
	    dlp-agg -T kern -a count | dlp-fmt --tsv >got
	same "n
9" "$(<got)"
}

# bats test_tags=all
@test "--convert: what SIGKILL of dlp-record left; what is no recording: 2" {
	mkfifo go
	dlp-record -t nvtx -o a.sqlite -- sh -c "'$R/nvtxall' exit; read x <go" \
	    >out 2>err &
	pid=$!
	for _ in $(seq 100); do
		grep -qs output out tmp/*/*.spool && break
		sleep 0.05
	done
	kill -9 $pid
	echo >go
	wait $pid || true
	[ ! -e a.sqlite ]
	dlp-record --convert tmp/dlp-record.* -o a.sqlite
	[[ $(ranges) == *"never popped" ]]
	for bad in . "$LENET.none"; do
		status=0
		dlp-record --convert $bad -o b.sqlite 2>err || status=$?
		[ "$status" -eq 2 ]
		[ "$(wc -l <err)" -eq 1 ]
		[ ! -e b.sqlite ]
	done
}

@test "torn and damaged spools: no more is lost than what is damaged" {
	s=$(echo "$ROOT"/tests/data/spool/*.spool)
	dlp-record --convert "$s" -o a.sqlite 2>err
	whole=$(sql "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")
	[ "$whole" -gt 20 ]
	size=$(wc -c <"$s")
	for i in $(seq 1 40); do
		n=$((i * 7919 % size))
		head -c $n "$s" >torn.spool
		dlp-record --force --convert torn.spool -o a.sqlite 2>err ||
		    [ $? -eq 2 ]
		cp "$s" bad.spool
		printf '\377\377\377\177' | dd of=bad.spool bs=1 seek=$n \
		    conv=notrunc 2>/dev/null
		dlp-record --force --convert bad.spool -o a.sqlite 2>err ||
		    { cat err; false; }
	done
}

@test "the program sees nothing: output, status, descriptors, signals" {
	dlp-record -o a.sqlite -- sh -c 'ls /proc/self/fd | wc -l; trap' >got
	sh -c 'ls /proc/self/fd | wc -l; trap' >want
	same "$(<want)" "$(<got)"
	# both get what is sent to dlp-record
	dlp-record --force -t nvtx -o a.sqlite -- sh -c 'trap "exit 7" TERM
	    while :; do sleep 0.05; done' &
	pid=$!
	sleep 0.5
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 7 ]
	[ -s a.sqlite ]
}

# A script with a torch that computes nothing: what is pushed, in order, until
# the second iteration. Start/end ranges in brackets.
marked() {
	rm -f a.sqlite
	status=0
	env FAKE_NVTX="$R/nvtxlib.so" PYTHONPATH="$ROOT/tests/record/python" \
	    dlp-record -t nvtx -o a.sqlite "$@" >out 2>err || status=$?
	cat err
	[ "$status" -eq 0 ]
	! grep Leaked err
	pushed=$(sql "SELECT group_concat(CASE eventType WHEN 60 THEN
	    '[' || text || ']' ELSE text END, ' ') FROM (SELECT * FROM
	    NVTX_EVENTS WHERE eventType IN (59, 60) ORDER BY start)" |
	    sed 's/ \[iteration 1\].*//')
}

@test "--markers: steps, phases, layers of a script that has none" {
	t=$ROOT/tests/record/python/train.py
	layers='Net stem fc h.0 fc h.1 fc'
	back='backward AddmmBackward0, seq = 1'
	first="[iteration 0] dataload forward $layers"
	marked --markers -- python3 "$t"
	same "$first $back optimizer aten::add_" "$pushed"
	# the script's own name, arguments, and emit_nvtx active
	same 'loss train __main__ 1 1 True' "$(<out)"
	[ "$(sql "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60 AND
	    end IS NOT NULL")" -eq 2 ]
	marked --markers=layers -- python3 "$t" train
	same "$first $back optimizer aten::add_" "$pushed"
	same 'loss train __main__ 2 0 True' "$(<out)"
	marked -- python3 "$t"
	same 'loss train __main__ 1 0 False' "$(<out)"
	same 'AddmmBackward0, seq = 1 aten::add_ AddmmBackward0, seq = 1 aten::add_' \
	    "$pushed"
	# wrappers are no layers; compiled code has none
	marked --markers -- python3 "$t" ddp
	same "$first $back optimizer aten::add_" "$pushed"
	marked --markers -- python3 "$t" compile
	same "[iteration 0] dataload forward Net $back optimizer aten::add_" \
	    "$pushed"
	marked --markers -- python3 "$t" infer
	same "$first" "$pushed"
	# a step that computes the loss itself; what a checkpoint computes again
	marked --markers -- python3 "$t" closure
	same "[iteration 0] dataload optimizer forward $layers $back optimizer aten::add_" \
	    "$pushed"
	marked --markers -- python3 "$t" checkpoint
	same "$first $back h.1 fc optimizer aten::add_" "$pushed"
	# a forward that raises
	marked --markers -- python3 "$t" raise
	same '[iteration 0] dataload forward Net stem fc optimizer aten::add_' \
	    "$pushed"
	# what follows the modules is of the forward phase, but for ranges of
	# the script's own: each begins and ends where it does without us
	marked --markers -- python3 "$t" loss
	same "[iteration 0] dataload mine forward $layers mine too forward $layers forward $layers aten::relu $back optimizer aten::add_" \
	    "$pushed"
	same 'aten::relu|forward' "$(sql "SELECT r.text, f.text FROM
	    NVTX_EVENTS r JOIN NVTX_EVENTS f ON r.start > f.start AND
	    r.end < f.end WHERE r.text = 'aten::relu' AND f.eventType = 59
	    ORDER BY r.start LIMIT 1")"
	[ "$(sql "SELECT count(*) FROM NVTX_EVENTS m JOIN NVTX_EVENTS f ON
	    f.start > m.start AND f.end < m.end WHERE m.text LIKE 'mine%' AND
	    f.text = 'forward'")" -eq 4 ]
	# what comes after a step of the optimizer is of the next step, but for
	# the last one
	marked --markers=layers -- python3 "$t" log
	same 1 "$(sql "SELECT count(*) FROM NVTX_EVENTS l JOIN NVTX_EVENTS i ON
	    i.text = 'iteration 1' AND l.start > i.start AND l.end < i.end
	    WHERE l.text = 'log'")"
	marked --markers -- python3 "$t" setup
	same "setup$(printf ' aten::to%.0s' {1..8})" "$pushed"
	# profilers of the script's own work as without us
	marked --markers -- python3 "$t" own
	same 'loss own __main__ 2 1 True' "$(<out)"
}

@test "--markers: ops in some steps, in all, in none; as many steps as there are" {
	t=$ROOT/tests/record/python/train.py
	# three at first, then three after pauses of 9, 12, 15
	for how in ops infer_ops; do
		marked --markers -- python3 "$t" $how 46
		same '0 1 2 12 13 14 27 28 29 45' "$(head -n 1 out)"
		marked --markers --op-steps 1 -- python3 "$t" $how 17
		same '0 4 9 15' "$(head -n 1 out)"
		marked --markers=layers -- python3 "$t" $how 17
		same '' "$(head -n 1 out)"
		marked --markers=ops -- python3 "$t" $how 4
		same '0 1 2 3' "$(head -n 1 out)"
		same 4 "$(sql "SELECT count(*) FROM NVTX_EVENTS
		    WHERE text LIKE 'iteration %'")"
	done
	status=0
	dlp-record --op-steps 2 -o b.sqlite -- true 2>err || status=$?
	[ "$status" -eq 2 ]
	dlp-record --markers=all -o b.sqlite -- true 2>err || [ $? -eq 2 ]
	grep -q "'all' is not one of alternate, ops, layers" err
}

# armed WORD...: fakecuda under --arm, in the background; $pid.
armed() {
	export FAKE_CUPTI=$R/libcupti.so.13
	# without 3, the test ends if it fails while the program goes on
	dlp-record --cupti "$R/libcupti.so.13" --arm -o run-%n.sqlite "$@" >out \
	    2>err 3>&- &
	pid=$!
	for _ in $(seq 600); do
		! compgen -G 'tmp/dlp-record.*/armed.*' >/dev/null || return 0
		sleep 0.1
	done
	cat err
	false
}

# steps_of FILE: the ranges of steps that it has, and its kernels
steps_of() {
	sqlite3 "$1" "SELECT count(*), max(substr(text, 11) + 0) - min(substr(text, 11) + 0)
	    FROM NVTX_EVENTS WHERE text LIKE 'iteration %';
	    SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL" | paste -sd ' '
}

# n steps of fakecuda
some_steps() {
	for i in $(seq "$1"); do
		printf '%s\n' "push=iteration $i" 1 sleep=20 pop
	done
}

@test "--arm, --trigger: recordings of a running program, each in its file" {
	mapfile -t steps < <(some_steps 2000)
	armed -- "$R/fakecuda" init "${steps[@]}" finalized
	for n in 1 2 3 4 5; do
		same "$PWD/run-$n.sqlite" "$(dlp-record --trigger $pid --steps $n)"
		same "$n|$((n - 1)) $((3 * n))" "$(steps_of run-$n.sqlite)"
		# each kernel has the call that launched it, and no call is there twice
		same "$((3 * n))|$((3 * n))" "$(sqlite3 run-$n.sqlite "SELECT count(*),
		    count(DISTINCT k.correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL k
		    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
		    WHERE r.start <= k.start")"
	done
	# by the folder, and by the number of the program itself
	dir=$(echo tmp/dlp-record.*)
	dlp-record --trigger "$dir" >file
	same '6|5 18' "$(steps_of run-6.sqlite)"
	# two at a time take turns
	dlp-record --trigger "$dir" --steps 2 >file1 &
	dlp-record --trigger "$(pgrep -P $pid)" --steps 3 >file2
	wait $!
	same "$(printf '%s\n' "$PWD"/run-{7,8}.sqlite)" "$(sort file1 file2)"
	# nothing is left of them
	same 'armed lock session' "$(ls "$dir" | sed 's/[.].*//' | paste -sd ' ')"
	kill $pid
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	[ -z "$(ls tmp)" ]
}

@test "--trigger: no target, a dead one, one that is not armed: 2 and a line" {
	fails() {
		status=0
		dlp-record --trigger "$@" 2>err >out || status=$?
		cat err
		[ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]
	}
	fails 99999999
	fails $$
	fails ./none
	[ ! -e none ]
	dlp-record -t nvtx -o a.sqlite -- sleep 100 &
	pid=$!
	sleep 0.5
	fails $pid
	kill $pid
	wait $pid || true
	# the program ends while its steps are awaited, and in the middle of them
	armed -- "$R/fakecuda" init sleep=1000 'push=iteration 1' 1 pop
	dlp-record --trigger $pid --steps 5 >file
	same '1|0 3' "$(steps_of run-1.sqlite)"
	wait $pid
	mkfifo go
	armed -t nvtx -- sh -c "'$R/nvtxall' exit; read x <go"
	dir=$(echo tmp/dlp-record.*)
	fails "$dir"
	grep -q 'nothing was recorded' err
	echo >go
	wait $pid || true
	fails $pid
	# dlp-record is killed, and then its program
	armed -- "$R/fakecuda" init sleep=60000
	child=$(pgrep -P $pid)
	dir=$(echo tmp/dlp-record.*)
	kill -9 $pid $child
	wait $pid || true
	fails "$dir"
	for bad in '-o x.sqlite' '--stream -o x-%n' '-o x-%n --delay 1'; do
		# shellcheck disable=SC2086 # words
		dlp-record --arm $bad -- true 2>err || [ $? -eq 2 ]
		[ "$(wc -l <err)" -eq 1 ]
	done
}

@test "--trigger: a program without steps; a full spool; interrupted" {
	armed --max 300K -- "$R/fakecuda" init 200 sleep=1000 200 sleep=1500 20000 \
	    sleep=60000
	dlp-record --trigger $pid --steps 1 2>err2 >file
	grep -q 'the recording ended early, because the spool cannot grow' err2
	# and no kernel that was there before it was recorded
	same '1|1' "$(sqlite3 run-1.sqlite "SELECT count(*) > 100, min(start) >= 0
	    FROM CUPTI_ACTIVITY_KIND_KERNEL")"
	# idle now: a second that has nothing, which is no failure
	dlp-record --trigger $pid --steps 1 2>err2 >file
	[ -s run-2.sqlite ]
	dlp-record --trigger $pid --steps 50 2>err2 >file &
	trigger=$!
	sleep 3
	kill $trigger
	wait $trigger
	[ -s run-3.sqlite ]
	kill $pid
	wait $pid || true
}

@test "--arm: a script that has markers only while it is recorded" {
	export FAKE_NVTX=$R/nvtxlib.so PYTHONPATH=$ROOT/tests/record/python
	# a file each: two processes' lines may mix in one
	WORLD_SIZE=2 armed -t nvtx -- sh -c "for n in 0 1; do RANK=\$n python3 \
	    '$ROOT/tests/record/python/train.py' until 2 done >out.\$n & done; wait"
	# both are there, not one of them
	for _ in $(seq 600); do
		[ "$(compgen -G 'tmp/dlp-record.*/armed.*' | wc -l)" -lt 2 ] || break
		sleep 0.1
	done
	for n in 1 2 3; do
		dlp-record --trigger $pid --steps 4 >file
		# the same four steps in a row of each process
		same '2|2|1' "$(sqlite3 run-$n.sqlite "SELECT count(*), sum(k = 4 AND
		    last - first = 3), count(DISTINCT first)
		    FROM (SELECT count(DISTINCT n) AS k, min(n) AS first, max(n) AS last
		    FROM (SELECT globalTid, substr(text, 11) + 0 AS n FROM
		    NVTX_EVENTS WHERE text LIKE 'iteration %') GROUP BY globalTid)")"
	done
	sleep 0.5 # a step begins, which leaves the markers
	: >done
	wait $pid
	for n in 0 1; do
		same 'loss until __main__ 4 0 True' "$(cat out.$n)"
	done
}

@test "the overview names dlp-record, and guesses what markers cost" {
	record -- "$R/fakecuda" init push=a 3 pop
	dlp -v a.sqlite >screen
	grep -qx 'tool    dlp-record 0.3.0' screen
	! grep -q markers screen
	# 2 ops (op_id) and 1 layer: 2 * 3.7 + 4 us
	PYTHONPATH=. record --markers -- "$R/fakecuda" init push=Net \
	    push='aten::add, op_id = 1' push='aten::mul, op_id = 2' 3 pop pop pop
	same 11400 "$(sql "SELECT value FROM META_DATA_CAPTURE
	    WHERE name = 'MARKER_NS'")"
	dlp -v a.sqlite | grep -A 1 '^tool' | grep 'with markers'
}

@test "python3 -m dlp_markers, and a sitecustomize that is hidden" {
	t=$ROOT/tests/record/python/train.py
	status=0
	env FAKE_NVTX="$R/nvtxlib.so" \
	    PYTHONPATH="$ROOT/tests/record/python:$BIN/../lib/dlp/python" \
	    dlp-record -t nvtx -o a.sqlite -- python3 -m dlp_markers "$t" ddp \
	    >out || status=$?
	[ "$status" -eq 0 ]
	same 'loss ddp __main__ 2 1 True' "$(<out)"
	[ "$(sql "SELECT count(*) FROM NVTX_EVENTS WHERE text = 'h.1'")" -eq 2 ]
	mkdir mine
	echo 'print("mine")' >mine/sitecustomize.py
	PYTHONPATH=mine dlp-record --markers -t nvtx --force -o a.sqlite -- \
	    python3 -c 'print("script")' >out
	same 'mine
script' "$(<out)"
}

@test "scripts written for PyProf and DLProf" {
	t=$ROOT/tests/record/python/old.py
	marked --markers=layers -- python3 "$t" pyprof
	same "{'traceMarker': ['old.py:19', 'old.py:16']}
{'mod': 'torch', 'op': 'matmul', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (3, 5), 'dtype': 'float32'}]}" \
	    "$(sql "SELECT text FROM NVTX_EVENTS ORDER BY start LIMIT 2 OFFSET 2")"
	grep -q LSTM <(sql "SELECT text FROM NVTX_EVENTS WHERE text LIKE
	    '{''mod'': ''LSTM'', ''strRepr''%'")
	marked --markers=layers -- python3 "$t" dlprof
	same "{'traceMarker': ['old.py:19', 'old.py:15'], 'funcStack': '/<module>/train/linear'}" \
	    "$(sql "SELECT text FROM NVTX_EVENTS ORDER BY start LIMIT 1")"
}

# live WORD...: fakecuda's records as they come.
live() {
	timeout 100 dlp-record --cupti "$R/libcupti.so.13" --flush 0.1 --live "$@" \
	    2>err
}

@test "--live: records come while the program runs" {
	# it waits for a file, which is made when its first kernels are here
	live -o a.sqlite -- "$R/fakecuda" init push='iteration 0' 1 pop \
	    push='iteration 1' 2 pop await=go push='iteration 2' 3 pop exit=7 |
	    while IFS= read -r line; do
		case $line in kern*) [ -e go ] || : >go ;; esac
		printf '%s\n' "$line"
	    done >live
	[ "$(cut -f 1 live | grep -c '^##dlp')" -ge 2 ]
	# the program's output is not among the records
	[ "$(<err)" = done ] || [ ! -s err ]
	# each record once, whatever section it is in
	[ "$(kernels)" -eq 18 ]
	[ "$(grep -c '^kern' live)" -eq 18 ]
	same 'iteration 0
iteration 1
iteration 2' "$(awk -F '\t' '$1 == "range" { print $10 }' live)"
	# work is in the section of its range
	same '3 iteration 0
6 iteration 1
9 iteration 2' "$(dlp-correlate live 2>/dev/null | awk -F '\t' '
	    $1 == "range" { text = $10 }
	    $1 == "kern" { n[text]++ }
	    END { for (t in n) print n[t], t }' | sort)"
}

@test "--live: the status is the program's; the reader may leave" {
	status=0
	live -- "$R/fakecuda" init 1 exit=7 >/dev/null || status=$?
	[ "$status" -eq 7 ]
	status=0
	{ live -- "$R/fakecuda" init 5 exit=8 || echo "$?" >status; } | head -n 1
	[ "$(<status)" -eq 8 ]
	status=0
	live -- "$R/fakecuda" init push=a 5 kill=9 >live || status=$?
	[ "$status" -eq 137 ]
	# the range is open
	same - "$(awk -F '\t' '$1 == "range" { print $4 }' live)"
}

@test "--live: NVTX of all kinds, threads, processes: what --stream has" {
	for how in threads fork exec; do
		timeout 60 dlp-record --live --flush 0.1 -t nvtx -- \
		    "$R/nvtxall" "$how" >live 2>/dev/null || true
		timeout 60 dlp-record --stream -t nvtx -- "$R/nvtxall" "$how" \
		    >whole 2>/dev/null || true
		for f in live whole; do
			awk -F '\t' '$1 == "range" || $1 == "mark" {
			    print $1, $(NF - 1), $NF }' "$f" | sort >"$f.rows"
		done
		cmp live.rows whole.rows
	done
}

@test "dlp top --follow: a table for each section" {
	live -- "$R/fakecuda" init push='iteration 0' 1 pop \
	    push='iteration 1' 2 pop await=go push='iteration 2' 3 pop |
	    dlp top --follow -n 1 --tsv -g kernel 2>/dev/null |
	    while IFS= read -r line; do
		: >go
		printf '%s\n' "$line"
	    done >tables
	[ "$(grep -c '^short' tables)" -ge 2 ]
	# all 18 kernels, of the first rows and the rest
	[ "$(awk -F '\t' '$1 == "short" { for (i = 1; i <= NF; i++) c[$i] = i }
	    $1 != "short" && NF > 1 { n += $c["n"] } END { print n }' tables)" -eq 18 ]
}

# The energy of a recording, as the samples say.
counter() {
	sql "SELECT sum(mj) FROM (SELECT max(value) - min(value) AS mj FROM
	    DLP_SERIES GROUP BY deviceId)"
}

@test "--power: samples of the GPUs that the program sees, by its numbers" {
	export LD_LIBRARY_PATH=$R
	for NVML in counter nocounter; do
		export NVML
		record --power -- "$R/fakecuda" init push='iteration 0' 5 sleep=400 pop
		[ ! -s err ]
		# 400 W, so a ns has 0.0004 mJ
		same '0|energy|mJ|1|1|1
1|energy|mJ|1|1|1' "$(sql "SELECT deviceId, name, unit, count(*) >= 4,
		    min(start) <= 0, abs((max(value) - min(value)) -
		    (max(start) - min(start)) * 0.0004) < 20
		    FROM DLP_SERIES GROUP BY 1")"
		same "$(counter)" "$(dlp energy --tsv a.sqlite 2>/dev/null |
		    awk -F '\t' '{ n += $6 } END { print n }')"
		same "$(counter)" "$(dlp energy -g iter --tsv a.sqlite 2>/dev/null |
		    awk -F '\t' '{ n += $4 } END { print n }')"
	done
	NVML=none record --power -- "$R/fakecuda" init 1 exit=3
	[ "$status" -eq 3 ]
	same 'dlp-record: --power: NVML finds no driver, so energy is not recorded' \
	    "$(<err)"
	[ "$(kernels)" -eq 3 ]
}

@test "--power with --live: every section has its samples" {
	export LD_LIBRARY_PATH=$R
	live --power -- "$R/fakecuda" init push='iteration 0' 1 sleep=300 pop \
	    push='iteration 1' 2 sleep=300 pop push='iteration 2' 3 sleep=300 pop >live
	[ "$(grep -c '^kern' live)" -eq 18 ]
	[ "$(grep -c '^series' live)" -ge 6 ]
}

@test "--live, --power: CUPTI is refused, its seat is taken, the file is full" {
	export LD_LIBRARY_PATH=$R
	for f in rights seat refuse; do
		status=0
		FAKE=$f live --power -- "$R/fakecuda" init push=a 1 pop exit=9 \
		    >live || status=$?
		cat err
		[ "$status" -eq 9 ]
		[ "$(grep -c 'dlp-record: ' err)" -eq 1 ]
		same a "$(awk -F '\t' '$1 == "range" { print $10 }' live)"
		same '##end' "$(tail -n 1 live | cut -f 1)"
	done
	status=0
	live --power --max 600K -- "$R/fakecuda" init push=a 20000 pop \
	    >live || status=$?
	[ "$status" -eq 0 ]
	grep -q 'the recording ended early' err
	[ "$(grep -c '^kern' live)" -gt 100 ]
	same '##end' "$(tail -n 1 live | cut -f 1)"
	# what is left of each is readable
	dlp-correlate live >/dev/null
}

@test "--power: dlp-record is killed: the samples so far, and no process stays" {
	export LD_LIBRARY_PATH=$R
	mkfifo go
	dlp-record --power --cupti "$R/libcupti.so.13" -o a.sqlite -- \
	    sh -c "'$R/fakecuda' init push=a 2 pop sleep=300 1; : >done; read x <go" \
	    >out 2>err &
	pid=$!
	for _ in $(seq 600); do
		[ ! -e done ] || break
		sleep 0.1
	done
	[ -e done ]
	pgrep -P $pid >children
	[ "$(wc -l <children)" -eq 2 ] # the program, and who asks for power
	kill -9 $pid
	echo >go
	wait $pid || true
	for _ in $(seq 600); do
		! ps -o stat= -p "$(paste -sd , children)" | grep -qv Z || {
			sleep 0.1
			continue
		}
		break
	done
	! ps -o stat= -p "$(paste -sd , children)" | grep -qv Z
	dlp-record --convert tmp/dlp-record.* -o a.sqlite
	[ "$(kernels)" -eq 9 ]
	[ "$(sql 'SELECT count(*) >= 4 AND min(start) <= 0 FROM DLP_SERIES')" -eq 1 ]
}

@test "dlp energy: a recording without samples" {
	dlp energy "$LENET" >out 2>err
	same tag,op,dir "$(dlp energy --csv "$LENET" 2>/dev/null | cut -d , -f 1-3)"
	grep -qx "$LENET: no samples of energy: record with dlp-record --power" err
}
