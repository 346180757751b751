# Traces of torch.profiler. The counts and sums in truth.tsv were made by an
# independent program; the shipped traces are held to them, and the others that
# DLP_MORE_DATA has.

load ../lib

TAB='	'
OWN=$ROOT/tests/data/kineto

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# numbers FILE: what dlp-parse read, with truth.tsv's names, a line each.
numbers() {
	dlp-parse "$1" 2>/dev/null | awk -F'\t' '
	/^##info\tdialect/ { dialect = $3 }
	/^##/ { next }
	/^#/ { for (i = 2; i <= NF; i++) col[substr($1, 2), $i] = i; next }
	{ n[$1]++ }
	$1 == "range" { n[$(col["range", "domain"])]++ }
	$1 ~ /^(kern|copy|set)$/ {
		s = $(col[$1, "start_ns"])
		sum += $(col[$1, "dur_ns"])
		if ($(col[$1, "api_start_ns"]) == "-") no++; else with++
		printf "%s %.0f\n", s, s + $(col[$1, "dur_ns"]) >"spans"
	}
	END {
		close("spans")
		while (("LC_ALL=C sort -n spans 2>/dev/null" | getline) > 0) {
			if ($0 == "") continue
			split($0, t, " ")
			if (t[1] + 0 > end) { union += t[2] - t[1]; end = t[2] + 0 }
			else if (t[2] + 0 > end) { union += t[2] - end; end = t[2] + 0 }
		}
		printf "kernels %d\nmemcpys %d\nmemsets %d\nsync %d\n", \
		    n["kern"], n["copy"], n["set"], n["sync"]
		printf "cpu_ops %d\nannotations %d\n", n["cpu_op"], \
		    n["user_annotation"]
		printf "gpu_sum_ns %.0f\ngpu_union_ns %.0f\n", sum, union
		printf "gpu_with_runtime %d\ngpu_without_runtime %d\n", with, no
	}'
	rm -f spans
}

# truth ROW: the same of a row of truth.tsv.
truth() {
	awk -F'\t' -v row="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	$1 == row {
		n = split("kernels memcpys memsets sync cpu_ops annotations" \
		    " gpu_sum_ns gpu_union_ns gpu_with_runtime" \
		    " gpu_without_runtime", want, " ")
		for (i = 1; i <= n; i++)
			print want[i], $(col[want[i]])
	}' "$2"
}

# rows TYPE COLUMN,...: of the stream.
rows() {
	dlp-fmt -T "$1" --tsv -c "$2" | tail -n +2
}

kernel() { # TS DUR [PID TID]
	printf '{"ph":"X","cat":"kernel","name":"k","pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":{"correlation":1}}' \
	    "${3-0}" "${4-7}" "$1" "$2"
}

@test "the counts, sums and unions of truth.tsv" {
	for f in "$OWN"/*.json.gz; do
		want=$(truth "own/${f##*/}" "$OWN/truth.tsv")
		[ -n "$want" ]
		same "$want" "$(numbers "$f")"
	done
}

# bats test_tags=more
@test "the counts, sums and unions of truth.tsv: traces of others" {
	need_data kineto/truth.tsv
	while IFS=$TAB read -r f _; do
		[[ $f != file && $f != own/* ]] || continue
		same "$f$(truth "$f" "$DATA/kineto/truth.tsv")" \
		    "$f$(numbers "$DATA/kineto/$f")"
	done <"$DATA/kineto/truth.tsv"
}

@test "compressed traces that are cut or damaged; --resync goes on" {
	zcat "$OWN/lenet.json.gz" | gzip | head -c 20000 >f
	refused '*f: truncated gzip data at byte 20000 (dlp-parse --resync FILE | dlp - reads *)' dlp-parse f
	dlp-parse --resync f >s 2>err
	grep -q 'at byte 20000: only what is before it is read' err
	grep -q "^##note${TAB}broken_places${TAB}1\$" s
	[ "$(grep -c '^range' s)" -gt 100 ]
	for z in xz zstd; do
		zcat "$OWN/lenet.json.gz" | $z -c >g 2>/dev/null || continue
		same "$(dlp-parse "$OWN/lenet.json.gz" 2>/dev/null | grep '^kern')" \
		    "$(dlp-parse g 2>/dev/null | grep '^kern')"
		head -c 20000 g >f
		refused "*f: truncated $z data at byte 20000 (dlp-parse --resync FILE | dlp - reads *)" dlp-parse f
		dlp-parse --resync f 2>/dev/null | grep -q '^range'
	done
	# a byte in the middle is another one
	zcat "$OWN/lenet.json.gz" | gzip -c >f
	printf '\377\377\377\377' |
	    dd of=f bs=1 seek=20000 conv=notrunc 2>/dev/null
	refused '*f: *' dlp-parse f
	dlp-parse --resync f 2>/dev/null | grep -q '^range'
}

@test "hostile JSON: nesting, ids of every type" {
	head -c 100000 /dev/zero | tr '\0' '[' >f
	refused '*f: JSON nested more than 512 deep at byte *' dlp-parse f
	n=0
	printf '[' >f
	for v in 0 -1 '"7"' '"x"' null true 1.5 '[1]' '{"a":1}' 1e300 \
	    99999999999999999999 '"18446744073709551615"'; do
		for key in pid tid ts dur; do
			printf '%s,' "$(kernel 1 1 |
			    sed "s/\"$key\":[0-9]*/\"$key\":$v/")" >>f
			n=$((n + 1))
		done
	done
	printf '%s]' "$(kernel 1 1)" >>f
	dlp-parse f >s 2>/dev/null
	# none is lost silently
	[ $(($(grep -c '^kern' s) + $(sed -n \
	    "s/^##note${TAB}bad_events$TAB//p" s))) -eq $((n + 1)) ]
}

# self_times FILE: the time on the GPU of each op's own work, as key_averages()
# gives it (self_device_time_total): that of the calls whose innermost op it is.
self_times() {
	dlp-parse "$1" 2>/dev/null | python3 -c '
import bisect, collections, re, sys
leg, ops, work = {}, collections.defaultdict(list), []
for line in sys.stdin:
    f = line.rstrip("\n").split("\t")
    if line.startswith("#") and not line.startswith("##"):
        leg[f[0][1:]] = {c: i for i, c in enumerate(f)}
    elif f[0] == "range" and f[leg["range"]["domain"]] == "cpu_op":
        c = leg["range"]
        at = int(f[c["start_ns"]])
        name = re.split(", (?:seq|op_id|sizes) = ", f[c["text"]])[0]
        ops[f[c["tid"]]].append((at, -at - int(f[c["dur_ns"]]), name))
    elif f[0] in ("kern", "copy", "set"):
        c = leg[f[0]]
        if f[c["api_start_ns"]] != "-":
            work.append((f[c["tid"]], int(f[c["api_start_ns"]]),
                         int(f[c["dur_ns"]])))
for v in ops.values():
    v.sort()
sums = collections.Counter()
for tid, at, dur in work:
    v = ops[tid]
    for i in range(bisect.bisect(v, (at, 1)) - 1, -1, -1):
        if -v[i][1] >= at:
            sums[v[i][2]] += dur
            break
for name, ns in sums.items():
    print("%s\t%d" % (name, ns))' | sort
}

@test "the time of each op's own work is that of torch's key_averages" {
	# Not in any op, so not in our sums: work that key_averages gives to a
	# call outside of all ops, or to the profiler's own rows.
	for f in "$OWN"/*.json.gz; do
		xzcat "${f%.json.gz}.avg.json.xz" | python3 -c '
import json, sys
for e in json.load(sys.stdin):
    if (not e["by_shape"] and e["dev"] == "DeviceType.CPU" and
        e["self_dev_us"] > 0 and not e["key"].startswith("cuda") and
        e["key"] not in ("Activity Buffer Request", "Lazy Function Loading")):
        print("%s\t%d" % (e["key"], round(e["self_dev_us"] * 1000)))' |
		    sort >want
		[ "$(wc -l <want)" -gt 5 ]
		self_times "$f" >got
		diff want got
	done
}

# bats test_tags=more
@test "CUDA events: all that waits of a trace of others name" {
	need_data kineto/truth.tsv
	f=$DATA/kineto/hta/data__critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz
	zcat "$f" | python3 -c '
import json, sys
ev = json.load(sys.stdin)["traceEvents"]
want = {e["args"]["wait_on_cuda_event_record_corr_id"]: e["args"]
        for e in ev if e.get("cat") == "cuda_sync"
        and e["args"].get("wait_on_cuda_event_record_corr_id", -1) >= 0}
calls = {e["args"]["correlation"]: e for e in ev
         if e.get("cat") == "cuda_runtime" and "Record" in e["name"]}
for c in sorted(want):
    print(c, want[c]["wait_on_stream"], want[c]["wait_on_cuda_event_id"],
          calls[c]["tid"], sep="\t")' >want
	[ "$(wc -l <want)" -eq 20 ]
	same "$(cat want)" "$(dlp-parse "$f" | rows event corr,stream,event,tid)"
}

# bats test_tags=all
@test "hostile JSON: texts without end, nesting inside an event" {
	# 1 GB of one text in 1 MB: refused within the limit of memory
	{
		printf '{"traceEvents":[{"name":"'
		head -c 1000000000 /dev/zero | tr '\0' a
	} | gzip -1 >f
	(ulimit -v 600000 && refused '*f: a key or value of more than * MiB at byte *' dlp-parse f)
	{
		printf '{"'
		head -c 200000000 /dev/zero | tr '\0' a
	} | gzip -1 >f
	(ulimit -v 600000 && refused '*f: a key or value of more than * MiB at byte 1' dlp-parse f)
	{
		printf '[%s,{"ph":"X","cat":"kernel","args":{"grid":' "$(kernel 5 1)"
		head -c 100000 /dev/zero | tr '\0' '['
	} >f
	refused '*f: JSON nested more than 512 deep at byte *' dlp-parse f
	# as deep as is allowed: the event is read
	printf '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"x":%s%s}}]' \
	    "$(head -c 500 /dev/zero | tr '\0' '[')" \
	    "$(head -c 500 /dev/zero | tr '\0' ']')" >f
	[ "$(dlp-parse f 2>/dev/null | grep -c '^kern')" -eq 1 ]
}

@test "hostile JSON: half a million devices" {
	python3 -c '
import json
json.dump({"traceEvents": [], "deviceProperties": [
    {"id": i, "name": "x%d" % i} for i in range(500000)]}, open("f", "w"))'
	(ulimit -v 600000 && dlp-parse f >s 2>err)
	grep -q 'f: deviceProperties has more than [0-9]* values' err
	! grep '^dev' s
}

# bats test_tags=more
@test "collectives without record_shapes: the message of record_param_comms" {
	f=kineto/hta/data__nccl_parser_config__nccl_data.json.gz
	need_data "$f"
	zcat "$DATA/$f" | python3 -c '
import collections, json, sys
n = collections.Counter()
for e in json.load(sys.stdin)["traceEvents"]:
    a = e.get("args", {})
    if e.get("name") == "record_param_comms" and a.get("In msg nelems"):
        n[a["Collective name"].replace("allr", "all_r"),
          a["In msg nelems"] * {"Float": 4, "Long": 8}[a["dtype"]]] += 1
for k in sorted(n):
    print(*k, n[k])' >want
	[ "$(wc -l <want)" -eq 7 ]
	dlp-parse "$DATA/$f" 2>/dev/null | dlp-correlate 2>/dev/null | dlp-flops |
	    dlp-fmt -T kern --tsv -c op.op,bytes,family |
	    awk '$3 == "collective" { n[$1 " " $2]++ }
	    END { for (k in n) print k, n[k] }' >got
	diff <(sort want) <(sort got)
}

# bats test_tags=more
@test "dlp FILE and dlp advise: what the findings of others' traces say" {
	need_data kineto/truth.tsv
	d=$DATA/kineto
	# the step's end is 13 s after its one kernel of 1.8 us
	f=$d/hta/data__triton_example__triton_example.json.gz
	dlp -v "$f" >s 2>/dev/null
	grep -q '1 \[at most 100.0 %\] The GPU runs kernels for 0.0 % of the time' s
	tr -s ' \n' ' ' <s | grep -q \
	    'idles for 100.0 % .* reason: the steps go on after their last GPU work'
	grep -q '^  1 more gains less than 2 %: dlp advise' s
	# two steps, the first of 9.3 ms, the second of 0.05 ms
	f=$d/hta/data__amd_trace__mi250_minitoy_train_ROCm6_2_kineto.json.gz
	# both count: two do not tell which is the warm-up
	dlp advise -a --tsv "$f" 2>/dev/null |
	    grep -q '^bad_iteration_range_detector	dlprof	no	139.9	'
	dlp-parse "$f" 2>/dev/null | dlp-correlate 2>/dev/null |
	    dlp-iter --dlprof -k linear 2>/dev/null | dlp-flops 2>/dev/null |
	    dlp-busy | dlp-advise -D >s
	same 'no' "$(rows finding id,judged <s | sed -n 's/^bad_iter.*	//p')"
	# no device is named: its calls tell whose it is
	f=$d/tbplugin/test__gpu_metrics_input.json
	dlp -v "$f" 2>/dev/null >s
	grep -qx "GPU     of unknown name, by its calls NVIDIA's" s
	# truth.tsv: 509 of its 1,707 pieces of work have no call
	f=$d/tracelens/traces__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz
	# that is work from before the recording, of which no finding comes
	! dlp advise --tsv "$f" 2>/dev/null | grep '^no_op' || false
	dlp coverage --tsv "$f" 2>/dev/null | grep "^op	before-window	.*	509	"
	# no steps: no kernels per step
	f=$d/tracelens/traces__perf_model__normalization__normalization_layer_test.json.gz
	dlp advise --json "$f" 2>/dev/null |
	    jq -r '.rules[] | select(.id == "loss_chain").evidence' >s
	grep -q '^12 kernels, ' s
	# cudaFree is the first call: 10 s
	f=$d/hta/data__critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz
	dlp advise --tsv "$f" 2>/dev/null >s
	grep -q '^underutilized.*first calls.*cudaFree, before op conv2d.*gaps class=startup' s
}

# bats test_tags=more
@test "Triton's reductions: their bytes as TraceLens counts them" {
	# Of element-wise kernels TraceLens counts an argument twice that it
	# takes to be both read and written; those are left out.
	need_data kineto/tracelens_ref.tar.xz
	tar xf "$DATA/kineto/tracelens_ref.tar.xz"
	python3 -c '
import csv
for r in csv.DictReader(open("tracelens_ref/torch_compile_triton/" +
        "trace_perf_report_csvs/unified_perf_summary.csv", encoding="utf-8")):
    if r["name"].startswith("triton_red"):
        print(r["name"], round(float(r["Data Moved (MB)"]) * 2**20))' |
	    sort >want
	[ "$(wc -l <want)" -eq 2 ]
	dlp-parse "$DATA/kineto/tracelens/traces__torch_compile_triton__trace.json.gz" \
	    2>/dev/null | dlp-correlate 2>/dev/null | dlp-flops 2>/dev/null |
	    rows kern op,est_bytes | grep '^triton_red' | tr '\t' ' ' | sort >got
	diff want got
}

TABLES='h100/Falconsai_nsfw_image_detection__1016002
h100/Qwen_Qwen1.5-0.5B-Chat__1016005
h100/gaunernst_bert-small-uncased__1016001
mi300/Falconsai_nsfw_image_detection__1016002
mi300/gaunernst_bert-small-uncased__1016001
torch_compile_triton/trace
perf_model/normalization/normalization_layer_test'

# bats test_tags=more
@test "TraceLens' tables: the time of each op's own work" {
	# ops_summary.csv, in us of doubles. It leaves out the sets of the trace
	# of normalizations, of 3 ops and 26,636 ns.
	need_data kineto/tracelens_ref.tar.xz
	tar xf "$DATA/kineto/tracelens_ref.tar.xz"
	for t in $TABLES; do
		self_times "$DATA/kineto/tracelens/traces__${t//\//__}.json.gz" |
		    python3 -c '
import csv, sys
got = {n: int(v) for n, v in (line.split("\t") for line in sys.stdin)}
want = {r["name"]: float(r["total_direct_kernel_time_sum"]) * 1000
        for r in csv.DictReader(open(sys.argv[1]))}
assert sorted(got) == sorted(want)
off = {n: got[n] - want[n] for n in got if abs(got[n] - want[n]) > 60}
print(len(off), round(sum(off.values()) / 10))' \
			"tracelens_ref/${t}_perf_report_csvs/ops_summary.csv"
	done >got
	same '0 0
0 0
0 0
0 0
0 0
0 0
3 2664' "$(cat got)"
}

# bats test_tags=more
@test "TraceLens' tables: FLOPs, bytes and time of each product and attention" {
	# unified_perf_summary.csv, each row: an op of certain sizes. Its FLOPs
	# of addmm add one for each element of the result, for the bias. Those
	# of causal attention are half of the square; causal_flop counts the
	# pairs, n (n + 1) / 2 of n. Its times include sets before a product,
	# which are in kernel_details_summary.
	need_data kineto/tracelens_ref.tar.xz
	tar xf "$DATA/kineto/tracelens_ref.tar.xz"
	cat >compare.py <<-'END'
	import ast, collections, csv, json, re, sys
	leg, prim = {}, {}
	rows = collections.defaultdict(lambda: [0, set(), 0])
	for line in sys.stdin:
	    f = line.rstrip("\n").split("\t")
	    if line.startswith("#") and not line.startswith("##"):
	        leg[f[0][1:]] = {c: i for i, c in enumerate(f)}
	        continue
	    c = leg.get(f[0])
	    if f[0] == "prim":
	        prim[f[c["prim_id"]]] = f[c["op"]], f[c["shapes"]]
	    elif f[0] == "kern" and f[c["prim_id"]] != "-":
	        r = rows[prim[f[c["prim_id"]]]]
	        r[2] += int(f[c["dur_ns"]])
	        if f[c["role"]] == "main":
	            r[0] += 1
	            r[1].add(tuple(f[c[k]] for k in ("flop", "causal_flop", "bytes")))
	n = 0
	with open(sys.argv[1], encoding="utf-8") as table:
	    for w in csv.DictReader(table):
	        if w["op category"] not in ("GEMM", "SDPA_fwd", "CONV_fwd"):
	            continue
	        n += 1
	        dims = [list(d) for d in ast.literal_eval(w["Input Dims"])]
	        name = w["name"].replace("aten::", "")
	        count, work, ns = rows[name, json.dumps(dims, separators=(",", ":"))]
	        assert count == int(w["operation_count"]), (name, dims)
	        (flop, causal, size), = work
	        want = round(float(w["GFLOPS"]) * 1e9)
	        if name == "addmm":
	            want -= dims[1][0] * dims[2][1]
	        if causal != "-":
	            keys = dims[1][2]
	            assert int(causal) * keys == want * (keys + 1)
	            want *= 2
	        assert int(flop) == want, (name, dims, flop, want)
	        assert int(size) == round(float(w["Data Moved (MB)"]) * 2**20)
	        sets = re.findall(r"'name': 'Memset[^}]*'total_duration_us': "
	                          r"np.float64\(([0-9.]+)\)",
	                          w["kernel_details_summary"])
	        us = float(w["Kernel Time (\u00b5s)_sum"]) - sum(map(float, sets))
	        assert abs(ns - us * 1000) < 60, (name, dims, ns, us)
	print(n)
	END
	for t in $TABLES; do
		dlp-parse "$DATA/kineto/tracelens/traces__${t//\//__}.json.gz" \
		    2>/dev/null | dlp-correlate 2>/dev/null | dlp-flops 2>/dev/null |
		    python3 compare.py \
			"tracelens_ref/${t}_perf_report_csvs/unified_perf_summary.csv"
	done >got
	same '6 6 5 6 5 4 0' "$(tr '\n' ' ' <got | sed 's/ $//')"
}

# bats test_tags=more
@test "labelled traces without correlation ids: all work has its call" {
	need_data labelled
	for f in "$DATA"/labelled/*.json*; do
		dlp-parse "$f" 2>/dev/null | awk -F'\t' '
		/^#kern/ { for (i = 2; i <= NF; i++) c[$i] = i }
		$1 == "kern" { n++; bad += $c["api_start_ns"] == "-" }
		END { exit n == 0 || bad > 0 }' || { echo "$f"; return 1; }
	done
}

@test "captures of graphs in several files" {
	zcat "$OWN/graph_infer.json.gz" >full.json
	# the first capture, the second, and what is recorded after them
	python3 - <<-'END'
	import json
	trace = json.load(open("full.json"))
	events = trace["traceEvents"]
	ends = sorted(e["ts"] for e in events if e["name"] == "cudaStreamEndCapture")
	begin = min(e["ts"] for e in events if e["name"] == "cudaStreamBeginCapture")
	host = ("cpu_op", "cuda_runtime", "cuda_driver")
	def put(name, keep):
	    json.dump(dict(trace, traceEvents=[e for e in events if "ts" not in e or keep(e)]),
	        open(name, "w"))
	put("a.json", lambda e: e["ts"] <= ends[0] + 5)
	put("b.json", lambda e: ends[0] + 5 < e["ts"] <= ends[1] + 5)
	put("run.json", lambda e: e["ts"] > ends[1] + 5 or e["ts"] < begin or
	    e.get("cat") not in host)
	END
	ops() {
		dlp-parse "$@" run.json 2>/dev/null | dlp-correlate 2>/dev/null |
		    dlp-agg -T kern -g op -a count,sum | dlp-fmt --tsv | sort
	}
	ops --capture full.json >want
	grep -q '^conv2d	' want
	ops --capture a.json --capture b.json | diff want -
	ops --capture b.json --capture a.json | diff want -
	! ops --capture a.json | diff want - >/dev/null
}
