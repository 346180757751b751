# CUDA graphs, recorded node by node and as a whole: what is said of them
# against SQL on the same file, and against a hand-made database where no
# capture has the form.
# bats file_tags=long
load lib
bats_require_minimum_version 1.5.0

N=h200/graph_infer_node.sqlite.xz
setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# tsv FILE SQL
tsv() {
	sqlite3 -separator '	' "$1" "$2"
}

# The node that a node was made from in the end, with its time and thread, as
# table made(n, start, globalTid), and the op that was open there: the
# outermost range of a framework's text, as op(n, id, text); its phase.
ops_of_nodes="
WITH RECURSIVE org AS (
	SELECT graphNodeId n, max(originalGraphNodeId) o
	FROM CUDA_GRAPH_NODE_EVENTS
	WHERE originalGraphNodeId IS NOT NULL GROUP BY 1),
hop(n, at) AS (
	SELECT DISTINCT graphNodeId, graphNodeId FROM CUDA_GRAPH_NODE_EVENTS
	UNION SELECT hop.n, org.o FROM hop JOIN org ON org.n = hop.at),
made AS (
	SELECT hop.n, e.start, e.globalTid FROM hop
	JOIN CUDA_GRAPH_NODE_EVENTS e ON e.graphNodeId = hop.at
	    AND e.originalGraphNodeId IS NULL
	WHERE hop.at NOT IN (SELECT n FROM org)),
around AS (
	SELECT made.n, v.rowid id, v.text,
	    row_number() OVER (PARTITION BY made.n ORDER BY v.start) k
	FROM made JOIN NVTX_EVENTS v ON v.globalTid = made.globalTid
	    AND v.start <= made.start AND v.end >= made.start
	WHERE v.text LIKE '%, op_id%' AND v.text NOT LIKE 'Optimizer.%'),
op AS (
	SELECT n, id, replace(substr(text, 1, instr(text, ',') - 1),
	    'autograd::engine::evaluate_function: ', '') text
	FROM around WHERE k = 1),
phase AS (
	SELECT made.n, max(v.text) text FROM made JOIN NVTX_EVENTS v
	ON v.start <= made.start AND v.end >= made.start
	WHERE v.text IN ('forward', 'backward', 'optimizer') GROUP BY 1),
work AS (
	SELECT 'kern' tag, start, end - start dur, correlationId corr,
	    graphNodeId n FROM CUPTI_ACTIVITY_KIND_KERNEL
	UNION ALL SELECT 'set', start, end - start, correlationId, graphNodeId
	FROM CUPTI_ACTIVITY_KIND_MEMSET) "

# columns TYPES COLUMN...: of a stream on standard input
columns() {
	awk -F'\t' -v types="$1" -v cols="${*:2}" '
	BEGIN { n = split(cols, c, " ") }
	$1 ~ "^#(" types ")$" {
		for (i = 2; i <= NF; i++) at[substr($1, 2), $i] = i
	}
	$1 ~ "^(" types ")$" {
		s = $1
		for (i = 1; i <= n; i++) s = s "\t" $(at[$1, c[i]])
		print s
	}'
}

@test "one run per replay and captured op, with the launch's id" {
	f=$(profile $N)
	tsv "$f" "$ops_of_nodes
	SELECT count(DISTINCT w.corr), count(DISTINCT w.corr || ' ' || op.id),
	    sum(w.tag = 'kern'), sum(w.tag <> 'kern'), sum(dur)
	FROM work w JOIN op ON op.n = w.n" >want
	for o in '' -D; do
		dlp-parse "$f" | dlp-correlate $o | columns inst inst_id \
		    launch_id n_kern n_gpu gpu_ns start_ns dur_ns overhead_ns |
		    awk -F'\t' -v OFS='\t' '
		$3 != "-" {
			n++
			if (!($3 in seen)) launches++
			seen[$3] = 1
			kern += $4; other += $5 - $4; gpu += $6
			if ($8 != "-" || $9 != "-") print "CPU time", $0
		}
		END { print launches, n, kern, other, gpu }' >got
		diff want got
	done
}

# gpu FILE: the sum of all times on the GPU
gpu() {
	local t all=

	for t in KERNEL MEMCPY MEMSET GRAPH_TRACE; do
		t=CUPTI_ACTIVITY_KIND_$t
		[ -z "$(sqlite3 "$1" ".tables $t")" ] ||
		    all="$all${all:+ UNION ALL }SELECT start, end FROM $t"
	done
	sqlite3 "$1" "SELECT sum(end - start) FROM ($all)"
}

# field NAME: the sum of a column
field() {
	awk -F'\t' -v name="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
	{ s += $at }
	END { if (!at) print "no column " name; else printf "%.0f\n", s }'
}

# bats test_tags=more
@test "a trace of graphs of 2024: 7.81 s in graphs, 78 us in kernels" {
	need_data nsys/cuda-graph-trace-3.16.1.sqlite
	f=$(profile nsys/cuda-graph-trace-3.16.1.sqlite)
	g=$(sqlite3 "$f" "SELECT sum(end - start) FROM
	    CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
	k=$(sqlite3 "$f" "SELECT sum(end - start) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")
	[ "$g" -gt 7810000000 ]
	[ "$k" -lt 79000 ]
	same $((g + k)) "$(dlp top "$f" 2>/dev/null | field sum_dur_ns)"
	same $((g + k)) "$(dlp ops "$f" 2>/dev/null | field gpu_ns)"
	same $((g + k)) "$(dlp kernel --tsv "$f" 2>/dev/null |
	    field 'Total GPU Time (ns)')"
	same $((g + k)) "$(dlp iteration --tsv "$f" 2>/dev/null |
	    field 'GPU Duration (ns)')"
}

# What no capture has. Ops relu, mm and exp (the last in another process, whose
# nodes have the same numbers); launches from another thread, on two streams,
# in later iterations; nodes
#	31	a clone (of a child graph's 21) of 11, captured in relu
#	32, 33, 34, 35	clones of nodes of mm: kernel, memset, memcpy, kernel
#	41	of relu, and of mm once its graph was updated
#	51	a ring; 61 captured before the recording; 71 outside of ops
forms() {
	local t=$((7 * 16777216)) u=$((8 * 16777216 + 5))
	sqlite3 "$1" <<-EOT
	CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO StringIds VALUES (1, 'cudaGraphLaunch_v10000'), (2, 'k');
	CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT,
	    globalTid INT, domainId INT);
	INSERT INTO NVTX_EVENTS VALUES
	    (0, 1000, 59, 'iteration 0', $t + 9, 0),
	    (100, 200, 59, 'aten::relu, op_id = 1, sizes = [[2, 2]]', $t + 9, 0),
	    (201, 300, 59, 'aten::mm, op_id = 2, sizes = [[2, 3], [3, 4]]',
	        $t + 9, 0),
	    (390, 410, 59, 'aten::exp, op_id = 1, sizes = [[5]]', $u, 0),
	    (1000, 2000, 59, 'iteration 1', $t + 9, 0),
	    (2000, 3000, 59, 'iteration 2', $t + 9, 0);
	CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INT, end INT, globalTid INT,
	    graphNodeId INT, originalGraphNodeId INT);
	INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT column1, column1, column2,
	    column3, column4 FROM (VALUES (150, $t + 9, 11, NULL),
	    (250, $t + 9, 12, NULL), (260, $t + 9, 13, NULL),
	    (270, $t + 9, 14, NULL), (280, $t + 9, 15, NULL),
	    (305, $t + 9, 71, NULL), (310, $t + 9, 21, NULL),
	    (311, $t + 9, 21, 11), (320, $t + 9, 31, NULL),
	    (321, $t + 9, 31, 21), (322, $t + 9, 32, NULL),
	    (323, $t + 9, 32, 12), (324, $t + 9, 33, 13),
	    (325, $t + 9, 34, 14), (326, $t + 9, 35, 15),
	    (330, $t + 9, 41, 11), (340, $t + 9, 51, 52), (341, $t + 9, 52, 51),
	    (400, $u, 31, NULL), (1500, $t + 9, 41, 12));
	CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT,
	    eventClass INT, globalTid INT, correlationId INT, nameId INT,
	    returnValue INT);
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT column1, column1 + 3, 0,
	    column2, column3, 1, 0 FROM (VALUES (1100, $t + 10, 100),
	    (1105, $u, 100), (1120, $t + 10, 102), (2100, $t + 10, 101),
	    (2120, $t + 10, 103), (2130, $t + 10, 104));
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT,
	    deviceId INT, streamId INT, correlationId INT, globalPid INT,
	    demangledName INT, shortName INT, graphNodeId INT);
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT column1, column2, 0,
	    column3, column4, column5, 2, 2, column6 FROM (VALUES
	    (1200, 1210, 1, 100, $t, 31), (1205, 1225, 2, 100, $t, 32),
	    (1260, 1270, 1, 100, $t, 35), (1211, 1212, 1, 100, $u - 5, 31),
	    (1300, 1301, 1, 102, $t, 41), (2200, 2210, 1, 101, $t, 31),
	    (2205, 2225, 2, 101, $t, 32), (2260, 2270, 1, 101, $t, 35),
	    (2300, 2301, 1, 103, $t, 41), (2310, 2311, 1, 104, $t, 51),
	    (2312, 2313, 1, 104, $t, 61), (2314, 2315, 1, 104, $t, 71),
	    (2500, 2510, 1, 200, $t, 32), (2501, 2511, 2, 201, $t, 32),
	    (2520, 2530, 1, 200, $t, 35), (2521, 2531, 2, 201, $t, 35));
	CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT,
	    deviceId INT, streamId INT, correlationId INT, globalPid INT,
	    bytes INT, graphNodeId INT);
	CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT,
	    deviceId INT, streamId INT, correlationId INT, globalPid INT,
	    bytes INT, copyKind INT, graphNodeId INT);
	INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES
	    (1230, 1232, 0, 1, 100, $t, 16, 33),
	    (2230, 2232, 0, 1, 101, $t, 16, 33);
	INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
	    (1240, 1245, 0, 1, 100, $t, 16, 8, 34),
	    (2240, 2245, 0, 1, 101, $t, 16, 8, 34);
	EOT
}

@test "clones, child graphs, updates, rings, threads, streams, processes" {
	forms x.sqlite
	cat >want <<-'EOF'
	copy 1240 mm 1 -
	copy 2240 mm 2 -
	kern 1200 relu 1 -
	kern 1205 mm 1 -
	kern 1211 exp 1 -
	kern 1260 mm 1 -
	kern 1300 relu 1 -
	kern 2200 relu 2 -
	kern 2205 mm 2 -
	kern 2260 mm 2 -
	kern 2300 mm 2 -
	kern 2310 - 2 graph
	kern 2312 - 2 graph
	kern 2314 - 2 graph
	kern 2500 mm 2 -
	kern 2501 mm 2 -
	kern 2520 mm 2 -
	kern 2521 mm 2 -
	set 1230 mm 1 -
	set 2230 mm 2 -
	EOF
	dlp-parse x.sqlite | dlp-correlate 2>/dev/null |
	    dlp-iter -k iteration >s
	columns 'kern|set|copy' start_ns op iter why <s | tr '\t' ' ' |
	    sort >got
	diff want got
	# with -D what has no op gets one of its own
	dlp-parse x.sqlite | dlp-correlate -D 2>/dev/null |
	    dlp-iter -k iteration | columns 'kern|set|copy' start_ns op iter |
	    tr '\t' ' ' | sort >got
	diff <(cut -d ' ' -f 1-4 want | sed '/ - /d') \
	    <(grep -v 'kern 231' got)
	# the runs: launch's start, kernels, all work, and its union; 200 and
	# 201 have no call, and come mixed
	columns inst op start_ns n_kern n_gpu gpu_ns dur_ns <s |
	    awk -F'\t' '$7 == "-" { print $2, $3, $4, $5, $6 }' | sort >got
	cat >want <<-'EOF'
	exp 1105 1 1 1
	mm 1100 2 4 37
	mm 2100 2 4 37
	mm 2120 1 1 1
	mm 2500 2 2 20
	mm 2501 2 2 20
	relu 1100 1 1 10
	relu 1120 1 1 1
	relu 2100 1 1 10
	EOF
	diff want got
	# FLOPs: mm 2 x 2 x 3 x 4, once a launch, of its first kernel
	dlp-flops s 2>/dev/null | columns kern op iter flop |
	    awk -F'\t' '$2 == "mm" { s[$3] += $4 } END { print s[1], s[2] }' >got
	same "48 192" "$(<got)"
}

# A node made in the program's range, but in no op, is launched in another range;
# then in an op.
@test "a node captured in a range without op: the range's layer and phase" {
	forms x.sqlite
	sqlite3 x.sqlite "
	INSERT INTO NVTX_EVENTS VALUES
	    (301, 308, 59, 'forward', $((7 * 16777216 + 9)), 0),
	    (302, 307, 59, 'Net', $((7 * 16777216 + 9)), 0),
	    (2125, 2140, 59, 'replay', $((7 * 16777216 + 10)), 0)"
	dlp-parse x.sqlite | dlp-correlate 2>/dev/null >s
	columns kern start_ns op layer phase phase_by why <s |
	    grep '^kern.231' | tr '\t' ' ' >got
	cat >want <<-'EOF'
	kern 2310 - replay - - graph
	kern 2312 - replay - - graph
	kern 2314 - forward/Net forward graph graph
	EOF
	diff want got
	sqlite3 x.sqlite "INSERT INTO NVTX_EVENTS VALUES (2126, 2139, 59,
	    'aten::add, op_id = 9, sizes = [[1]]', $((7 * 16777216 + 10)), 0)"
	dlp-parse x.sqlite | dlp-correlate 2>/dev/null |
	    columns kern start_ns op layer | grep '^kern.231' | tr '\t' ' ' >got
	same 'kern 2310 add replay
kern 2312 add replay
kern 2314 add replay' "$(<got)"
}

# Traces of torch.profiler name no nodes: the nth work of a launch belongs to the
# nth call that was captured.
ops_of() { # STREAM: kernels, sets and copies by op, with FLOPs and bytes
	dlp-correlate "$@" 2>/dev/null | dlp-flops 2>/dev/null |
	    dlp-agg -T kern,set,copy -g op,dir,phase,layer \
		-a count,sum:flop,sum:bytes | grep '^agg' | sort
}

# bats test_tags=more
@test "torch.profiler: work of graphs has the ops that it has under Nsight Systems" {
	need_data "$N"
	dlp-parse "$DATA/$N" 2>/dev/null | ops_of >want
	dlp-parse "$ROOT/tests/data/kineto/graph_infer.json.gz" | ops_of >got
	diff want got
	[ "$(wc -l <got)" -eq 21 ]
}

@test "torch.profiler: --capture adds the trace of the captures" {
	zcat "$ROOT/tests/data/kineto/graph_infer.json.gz" >all.json
	python3 - <<-'END'
	import json
	d = json.load(open("all.json"))
	ev = d["traceEvents"]
	at = min(e["ts"] for e in ev if e.get("name") == "cudaGraphLaunch") - 100
	cap = [e for e in ev if e.get("ts", 0) < at]
	json.dump({"traceEvents": [e for e in ev if e.get("ts", at) >= at]},
	          open("steps.json", "w"))
	for e in cap: # another process, at another time, with other ids
	    if e["pid"] == 774:
	        e["pid"] = 99
	    if "ts" in e:
	        e["ts"] += 1e9
	json.dump(cap, open("capture.json", "w"))
	for begin in [e["ts"] for e in cap if e["name"] == "cudaStreamBeginCapture"]:
	    cap.remove(min((e for e in cap if e["name"].startswith("cudaLaunchKernel")
	                    and e["ts"] > begin), key=lambda e: e["ts"]))
	json.dump(cap, open("less.json", "w"))
	END
	# of each launch: the ops of its work
	graphs() {
		dlp-correlate "$@" 2>/dev/null | dlp-flops 2>/dev/null |
		    dlp-fmt -H --tsv -T kern -c dur_ns,op,dir,flop,api |
		    grep cudaGraphLaunch
	}
	dlp-parse all.json 2>/dev/null | graphs >want
	[ "$(wc -l <want)" -eq 330 ]
	dlp-parse --capture capture.json steps.json 2>/dev/null >s
	graphs <s >got
	diff want got
	! grep -q '	eager inference$' s
	grep -q '	capture inference$' s
	# the other way round, nothing is known
	dlp-parse steps.json 2>/dev/null | graphs | cut -f 2 | sort -u >got
	same - "$(<got)"
	run -2 dlp-parse --capture less.json steps.json
	[[ $output == *'no launch of a graph in steps.json has as much work of each kind'* ]]
	run -2 dlp-parse --capture "$ROOT/tests/data/kineto/lenet.json.gz" all.json
	[[ $output == *'so they are not of the same graphs'* ]]
	run -2 dlp-parse --capture capture.json "$ROOT/tests/data/kineto/lenet.json.gz"
	[[ $output == *'launches no CUDA graph'* ]]
	run -2 dlp-parse --capture all.json all.json
	[[ $output == *'it is unknown which one it is of'* ]]
	run -2 dlp-parse --capture "$ROOT/tests/data/lenet.sqlite.xz" all.json
	[[ $output == *'is no trace of torch.profiler'* ]]
	run -2 dlp-parse --capture all.json "$ROOT/tests/data/lenet.sqlite.xz"
	[[ $output == *'is no trace of torch.profiler'* ]]
	run -2 dlp-parse --capture all.json all.json all.json
	[[ $output == *'goes with one trace, not with 2 files'* ]]
}

@test "torch.profiler: of several captures, the smallest that holds the step" {
	python3 - <<-'END'
	import json
	def x(cat, name, ts, dur, **args):
	    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1,
	            "ts": ts, "dur": dur, "args": args}
	def capture(size, at):
	    return [
	        x("user_annotation", "capture_%d_FULL" % size, at, 90),
	        x("cuda_runtime", "hipStreamBeginCapture", at + 1, 1, correlation=at),
	        x("cpu_op", "aten::mm", at + 3, 50, **{"External id": at,
	          "Input Dims": [[size, 4], [4, 4]], "Input type": ["float", "float"]}),
	        x("cuda_runtime", "hipExtModuleLaunchKernel", at + 5, 1,
	          correlation=at + 1),
	        x("cuda_runtime", "hipMemsetAsync", at + 60, 1, correlation=at + 2),
	        x("cuda_runtime", "hipStreamEndCapture", at + 80, 1, correlation=at)]
	def replay(name, at):
	    return [
	        x("user_annotation", name, at, 90),
	        x("cuda_runtime", "hipGraphLaunch", at + 5, 5, correlation=at),
	        x("kernel", "Cijk_gemm", at + 20, 10, correlation=at),
	        x("kernel", "fill", at + 40, 10, correlation=at)]
	ev = capture(32, 100) + capture(16, 200) + capture(64, 300)
	ev += replay("execute_20_context_0(sq0sk0sqsq0sqsk0)_generation_20(sq20)", 1000)
	ev += replay("step[DECODE bs=16]", 2000) + replay("execute_65_context_0", 3000)
	ev += replay("other", 4000)
	json.dump(ev, open("t.json", "w"))
	END
	dlp-parse t.json 2>/dev/null >s
	dlp-correlate s 2>/dev/null | dlp-fmt -H --tsv -T kern -c api_start_ns,op,op.shapes |
	    sed 1d >got
	diff - got <<-'EOT'
	905000	mm	[[32,4],[4,4]]
	905000	-	-
	1905000	mm	[[16,4],[4,4]]
	1905000	-	-
	2905000	-	-
	2905000	-	-
	3905000	-	-
	3905000	-	-
	EOT
	grep -qx "##note	graphs_of_several_captures	1" s
	grep -qx "##note	graphs_without_capture	1" s
}
