# CUDA graphs, recorded node by node and as a whole: what is said of them
# against SQL on the same file, and against a hand-made database where no
# capture has the form.
# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

N=h200/graph_infer_node.sqlite.xz
setup() {
	cd "$BATS_TEST_TMPDIR" || return
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
	! grep -q '	eager inference$' s || false
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
	[[ $output == *'is not a trace of torch.profiler'* ]]
	run -2 dlp-parse --capture all.json "$ROOT/tests/data/lenet.sqlite.xz"
	[[ $output == *'is not a trace of torch.profiler'* ]]
	cp all.json other.json
	run -2 dlp-parse --capture all.json all.json other.json
	[[ $output == *'goes with one trace, not with 2 files'* ]]
}
