# The ways out to other tools: folded stacks, traces, metrics. Each is read
# by a reader that is not ours, and its sums are those of the database.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

FLAME=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
PROFILES='h200/everything.sqlite.xz h200/loader.sqlite.xz
h200/graph_infer_graph.sqlite.xz h200/graph_infer_node.sqlite.xz'
[ -z "${DLP_MORE_DATA-}" ] || PROFILES="$PROFILES
nsys/h100-2gpu-aten-3.25.0.sqlite nsys/saxpy-mpi-2.9.1.sqlite
nsys/cuda-graph-trace-3.16.1.sqlite nvprof/emit-nvtx-v11.sqlite
nvprof/nccl-8gpu-v16.sqlite nvprof/lm-pyprof.sqlite"

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sum_of DB TABLE...: ns of the work in these tables of the database; 0 for a
# table that is not there.
sum_of() {
	local db=$1 t sum=0 n

	shift
	for t; do
		n=$(sqlite3 "$db" "SELECT coalesce(sum(end - start), 0)
		    FROM CUPTI_ACTIVITY_KIND_$t WHERE end >= start" \
		    2>/dev/null) || n=0
		sum=$((sum + n))
	done
	echo $sum
}

all_work() {
	sum_of "$1" KERNEL CONCURRENT_KERNEL MEMCPY MEMSET GRAPH_TRACE
}

# Names that no format holds as they are: quotes, a line feed, a semicolon, a
# control character, what is no UTF-8, an end of a string.
hostile() {
	printf '##dlp\t1\n##info\tsrc\ta"b\\nc.sqlite\n'
	printf '#proc\tpid\tname\nproc\t7\tp"},{"x":"\\\\\n'
	printf '#dev\tdev\tname\tcc\ndev\t0\tG"} 1\\nevil{x="y\t9.0\n'
	printf '#range\tid\tstart_ns\tdur_ns\tpid\ttid\ttext\n'
	printf 'range\t1\t0\t90\t7\t8\t\\x01"\\n;\377\t\n' |
	    sed 's/\t$//'
	printf '#kern\tid\tstart_ns\tdur_ns\tpid\ttid\tdev\tctx\tstream\tapi\tapi_start_ns\tapi_dur_ns\tshort\tlayer\top\tfamily\ttc\n'
	printf 'kern\t2\t20\t5\t7\t8\t0\t1\t7\tlaunch\t10\t5\tk;"\\n\\x1b\303( 12\ta;b/c\\td\t-\t"\\\\\\n\tno\n'
	printf '##end\t4\n'
}

@test "folded: hostile names stay in their frame" {
	hostile | dlp-folded -T kern -f layer,short >out
	[ "$(wc -l <out)" -eq 1 ]
	same "$(printf 'a:b;c d;k:" ?\357\277\275(_12 5')" "$(cat out)"
}

# bats test_tags=more
@test "folded: flamegraph.pl reads it, sums equal SQL" {
	[ -r "$FLAME" ] || skip "no flamegraph.pl (libdevel-nytprof-perl)"
	local p db want

	for p in $PROFILES; do
		db=$(profile "$p")
		want=$(all_work "$db")
		dlp folded -g dir,layer,op,work "$db" >out 2>/dev/null
		same "$p $want" "$p $(awk '{ s += $NF }
		    END { printf "%.0f", s }' out)"
		perl "$FLAME" --countname ns out >out.svg
		xmllint --noout out.svg
		# its own sum, in the root frame
		same "$want" "$(sed -n \
		    's/.*<title>all (\([0-9,]*\) ns, 100%).*/\1/p' out.svg |
		    tr -d ,)"
	done
}

@test "folded: flamegraph.pl reads hostile names" {
	[ -r "$FLAME" ] || skip "no flamegraph.pl (libdevel-nytprof-perl)"
	hostile | dlp-folded -T kern -f layer,short | perl "$FLAME" >out.svg
	xmllint --noout out.svg
	grep -q '<title>all (5 samples' out.svg
}

# What a viewer needs of a trace: rows that have names, events that nest and
# come in order, arrows with two ends that lie in events.
CHECK='
def ns: . * 1000 | round;
def spans: map({s: (.ts | ns), e: ((.ts | ns) + (.dur | ns))});
def nests: reduce .[] as $x ({ok: true, at: null, open: []};
	.ok = (.ok and (.at == null or .at <= $x.s)) | .at = $x.s |
	until((.open | length) == 0 or .open[-1] > $x.s; .open |= .[:-1]) |
	.ok = (.ok and ((.open | length) == 0 or $x.e <= .open[-1])) |
	.open += [$x.e]) | .ok;
.traceEvents as $ev |
($ev | map(select(.ph == "M" and .name == "thread_name") |
    {"\(.pid) \(.tid)": 1}) | add) as $rows |
($ev | map(select(.ph == "X")) | group_by([.pid, .tid])) as $lanes |
{
	named: ($ev | map(select(.ph | IN("X", "i", "s", "f", "b"))) |
	    all($rows["\(.pid) \(.tid)"] == 1)),
	nested: ($lanes | all(sort_by(.ts, -.dur) | spans | nests)),
	arrows: ($ev | map(select(.ph == "s" or .ph == "f")) |
	    group_by(.id) | all(map(.ph) == ["s", "f"] and
		.[0].ts <= .[1].ts)),
	kern: ($ev | map(select(.cat == "kern" and .ph == "X") |
	    .dur | ns) | add // 0),
	work: ($ev | map(select((.cat | IN("kern", "copy", "set", "graph")) and
	    .ph == "X") | .dur | ns) | add // 0),
	n_arrow: ($ev | map(select(.ph == "s")) | length)
} | "\(.named) \(.nested) \(.arrows) \(.kern) \(.work) \(.n_arrow)"'

# bats test_tags=more
@test "trace: strict JSON, rows and arrows whole, sums equal SQL" {
	local p n like db

	for p in $PROFILES; do
		db=$(profile "$p")
		dlp trace "$db" >out.json 2>/dev/null
		python3 -m json.tool out.json >/dev/null
		read -r named nested arrows kern work _ < <(jq -r "$CHECK" \
		    out.json)
		same "$p true true true" "$p $named $nested $arrows"
		same "$p $(sum_of "$db" KERNEL CONCURRENT_KERNEL)" "$p $kern"
		same "$p $(all_work "$db")" "$p $work"
	done
}

# The metrics' strict reader, and that of a node exporter.
read_metrics() {
	/usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = sys.stdin.buffer.read().decode("utf-8")
for f in text_string_to_metric_families(text):
    for s in f.samples:
        print(s.name, sorted(s.labels.items()), repr(s.value), f.unit)'
}

has_readers() {
	promtool=$("$ROOT/tests/bin/promtool" "${LENET%/*}") ||
	    skip "no promtool, and no package prometheus to take it from"
	/usr/bin/python3 -c 'import prometheus_client.openmetrics.parser' ||
	    skip "no python3-prometheus-client"
}

# bats test_tags=all
@test "openmetrics: both readers take all profiles, sums equal SQL" {
	has_readers
	local p db

	for p in $PROFILES; do
		db=$(profile "$p")
		dlp-parse --src "$db" | dlp-correlate 2>/dev/null | dlp-flops |
		    dlp-openmetrics -o out.prom 2>/dev/null
		"$promtool" check metrics <out.prom
		read_metrics <out.prom >got
		same "$p $(sum_of "$db" KERNEL CONCURRENT_KERNEL)" \
		    "$p $(awk '/^dlp_kernel_seconds/ {
			s += sprintf("%.0f", $(NF - 1) * 1e9) }
			END { printf "%.0f", s }' got)"
		same "$p $(sum_of "$db" MEMCPY)" "$p $(awk '
		    /^dlp_copy_seconds/ {
			s += sprintf("%.0f", $(NF - 1) * 1e9) }
			END { printf "%.0f", s }' got)"
		grep -Fq "('profile', '$db')" got
	done
}

@test "openmetrics: the file is read once" {
	mkdir bin
	printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$PWD/log" \
	    "$BIN/dlp-parse" >bin/dlp-parse
	chmod +x bin/dlp-parse
	PATH=$PWD/bin:$PATH dlp openmetrics "$LENET" >out 2>/dev/null
	same 1 "$(wc -l <log)"
}

# bats test_tags=all
@test "openmetrics: labels cannot be left" {
	has_readers
	hostile | dlp-openmetrics >out
	"$promtool" check metrics <out
	read_metrics <out >got
	run -1 grep -c evil{ <(grep -v '^dlp_device_info' got)
	grep -F "('name', 'G\"} 1\\nevil{x=\"y')" got
	grep -F "('family', '\"\\\\\\n')" got
	grep -F "('profile', 'a\"b\\nc.sqlite')" got
	same 1 "$(grep -c '^dlp_kernels{' out)"
}

@test "openmetrics: the file is replaced as a whole, or stays" {
	echo old >run.prom
	run -2 dlp-openmetrics -o run.prom < <(stream '#iter step_ns' 'iter 5' |
	    grep -v '^##end')
	same old "$(cat run.prom)"
	(umask 022; dlp-openmetrics -o run.prom < <(stream '#iter step_ns' \
	    'iter 5'))
	same "# EOF" "$(tail -n 1 run.prom)"
	same "-rw-r--r--" "$(stat -c %A run.prom)"
	same run.prom "$(ls)"
	run -2 dlp-openmetrics -o no/such/run.prom < <(stream '#iter step_ns' \
	    'iter 5')
	mkdir folder
	run -2 dlp-openmetrics -o folder < <(stream '#iter step_ns' 'iter 5')
	same "folder
run.prom" "$(ls)"
}

# speedscope FILE: what that viewer's importers make of it.
speedscope() {
	node "$ROOT/tests/bin/speedscope.js" "${LENET%/*}/$SPEEDSCOPE"/*/dist/release/speedscope-*.js "$1"
}

# One version, since its inside is called; kept in the build's folder.
need_speedscope() {
	local dir

	SPEEDSCOPE=speedscope-1.25.0
	dir=${LENET%/*}/$SPEEDSCOPE
	command -v node >/dev/null && command -v npm >/dev/null ||
	    skip "no node and npm to run speedscope with"
	[ -d "$dir" ] || {
		timeout 60 npm pack --silent speedscope@1.25.0 &&
		    mkdir -p "$dir.$$" && tar xzf $SPEEDSCOPE.tgz -C "$dir.$$" &&
		    mv "$dir.$$" "$dir"
	} >/dev/null 2>&1 || skip "cannot fetch speedscope from npm"
}

# bats test_tags=all
@test "speedscope reads stacks and traces" {
	need_speedscope
	local db
	db=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp folded "$db" >run.folded
	same "[\"run.folded\",$(all_work "$db"),\"none\"]" \
	    "$(speedscope run.folded)"
	dlp trace "$db" >run.json
	speedscope run.json >rows
	# the stream's row: from the first to the last work
	same "$(sqlite3 "$db" "SELECT max(end) - min(start) FROM (
	    SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
	    SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET UNION ALL
	    SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY)")" \
	    "$(jq '.[0] as $n | select($n | contains("stream 7")) |
	    .[1] * 1000 | round' rows)"
	jq -es 'any(.[]; .[0] | contains("pt_autograd_0 1555 ops"))' rows
}

# bats test_tags=all
@test "speedscope reads hostile names" {
	need_speedscope
	hostile | dlp-folded -T kern -f layer,short >run.folded
	same '["run.folded",5,"none"]' "$(speedscope run.folded)"
	hostile | dlp-trace >run.json
	same 2 "$(speedscope run.json | wc -l)"
}

@test "trace --pftrace: another reader finds what JSON has, in a tenth of the size" {
	local f

	cd "$BATS_TEST_TMPDIR" || return
	for f in "$ROOT"/tests/data/lenet.sqlite.xz \
	    "$ROOT"/tests/data/h200/everything.sqlite.xz \
	    "$ROOT"/tests/data/h200/graph_infer_graph.sqlite.xz; do
		dlp trace "$f" >t.json 2>/dev/null
		dlp trace --pftrace "$f" >t.pftrace 2>/dev/null
		python3 "$ROOT/tests/bin/pftrace.py" same t.json <t.pftrace
		[ "$(stat -c %s t.json)" -gt $((10 * $(stat -c %s t.pftrace))) ]
	done
}

@test "dlp-trace --pftrace: no time is negative" {
	printf '%s\n' '##dlp	1' '#kern	id	start_ns	dur_ns	pid	dev	short' \
	    'kern	1	-100	50	1	0	a' 'kern	2	20	5	1	0	b' '##end	2' |
	    dlp-trace --pftrace | python3 "$ROOT/tests/bin/pftrace.py" read >got
	# an hour, and 120 ns later
	same '3600000000000, 50 3600000000120, 5' \
	    "$(grep '"kern"' got | grep -o '36[0-9]*, [0-9]*' | tr '\n' ' ' | sed 's/ $//')"
}
