# Call stacks: the records of samples, and the place in the user's own code at
# which a call was made. The tables are those that Nsight Systems 2025.3 writes.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	xz -dc "$ROOT/tests/data/lenet.sqlite.xz" >db
	sqlite3 db "
	INSERT INTO StringIds VALUES (9001, 'step(int)'), (9002, '/me/train.so'),
	    (9003, 'cudaLaunchKernel'), (9004, '/usr/lib/libcudart.so.13'),
	    (9005, 'main'), (9006, '/me/a.out'), (9007, '0x7f01'),
	    (9008, '/me/site-packages/torch/lib/libtorch_cpu.so'),
	    (9009, 'cudaError cudaLaunchKernel<char>(char const*)'),
	    (9010, 'at::add;x')"
}

# rows TABLE ID DEPTH SYMBOL MODULE...: of a table of stacks
rows() {
	local t=$1

	shift
	sqlite3 db "CREATE TABLE IF NOT EXISTS $t (id INTEGER NOT NULL,
	    symbol INTEGER NOT NULL, module INTEGER NOT NULL,
	    unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL,
	    PRIMARY KEY (id, stackDepth))"
	while [ $# -gt 0 ]; do
		sqlite3 db "INSERT INTO $t VALUES ($1, $3, $4, 0, 0, $2)"
		shift 4
	done
}

# code TYPE: its values, with how often
code() {
	dlp-parse db 2>/dev/null | dlp-fmt -H --tsv -T "$1" -c api,code |
	    sed 1d | sort | uniq -c | sed 's/^ *//'
}

# In frames of CUDA and of PyTorch nobody has written a line; step() is in the
# user's library, and inside of main().
@test "the code of a call is the innermost frame of the user's own" {
	rows CUDA_CALLCHAINS 0 0 9003 9004 0 1 9010 9008 0 2 9009 9002 \
	    0 3 9007 9002 0 4 9001 9002 0 5 9005 9006 \
	    1 0 9003 9004 1 1 9010 9008
	sqlite3 db "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId =
	    (SELECT value LIKE 'cudaLaunchKernelExC%' FROM StringIds
	    WHERE id = nameId) WHERE nameId IN (SELECT id FROM StringIds
	    WHERE value LIKE 'cudaLaunchKernel%')"
	same "$(sqlite3 -separator ' ' db "SELECT count(*) || ' ' || s.value ||
	    char(9) || CASE s.value WHEN 'cudaLaunchKernel_v7000'
		THEN 'step(int) (train.so)' ELSE '-' END
	    FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
	    USING (correlationId) JOIN StringIds s ON s.id = r.nameId
	    GROUP BY s.value ORDER BY s.value")" "$(code kern | sort -k 2)"
	# an op and a gap show it
	dlp top -g op,code --tsv db 2>/dev/null | grep -q 'step(int) (train.so)'
	dlp gaps -n 0 --tsv db 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	$a["code"] == "step(int) (train.so)" { n++ }
	END { exit n < 10 }'
}

# In exports of 2022 stack N + 1 is that of callchainId N.
# bats test_tags=more
@test "stacks that are numbered from 1" {
	need_data nsys/saxpy-mpi-2.9.1.sqlite
	f=$DATA/nsys/saxpy-mpi-2.9.1.sqlite
	same $'5 saxpy\n15 main' "$(dlp-parse "$f" 2>/dev/null |
	    dlp-agg -T kern,copy -g code -a count --sort n |
	    awk -F'\t' '$1 == "agg" { sub(/[( ].*/, "", $2); print $3, $2 }')"
}

@test "a file without stacks has no such column" {
	! dlp-parse db 2>/dev/null | grep -a '^#' | grep -w code
}

@test "calls of the operating system, and samples: folded stacks of the CPU" {
	rows SAMPLING_CALLCHAINS 1 0 9010 9008 1 1 9007 9002 1 2 9005 9006 \
	    2 0 9010 9008 2 1 9007 9002 2 2 9005 9006 3 0 9007 9004
	rows OSRT_CALLCHAINS 7 0 9003 9004 7 1 9001 9002
	sqlite3 db "
	CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY,
	    start INTEGER NOT NULL, cpu INTEGER, threadState INTEGER,
	    globalTid INTEGER, cpuCycles INTEGER NOT NULL);
	INSERT INTO COMPOSITE_EVENTS SELECT column1, column2, 0, 0,
	    (SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME), 1 FROM
	    (VALUES (1, 20000000), (2, 21000000), (3, 22000000), (4, 23000000));
	CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL,
	    eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT
	    NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER,
	    callchainId INTEGER NOT NULL);
	INSERT INTO OSRT_API SELECT 20000000, 20000100, 27, globalTid, 9005, 0,
	    0, 7 FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1"
	# an address is its module; a semicolon would separate frames
	same $'(unknown)\ncpu 1' "$(printf '(unknown)\n'; dlp folded --cpu db \
	    2>/dev/null | grep -v ';')"
	same $'cpu;[libcudart.so.13] 1\ncpu;main;[train.so];at::add:x 2' \
	    "$(dlp folded --cpu db 2>/dev/null | grep ';' | sort)"
	# the text of a stack is written once
	same "1 2 3" "$(dlp-parse db 2>/dev/null | awk -F'\t' '
	$1 == "str" && /main;/ { n++ } $1 == "sample" && $7 != "-" { m++ }
	$1 == "sample" && $8 ~ /main/ { u++ } END { print n, u, m }')"
	same 'step(int) (train.so)' \
	    "$(dlp-parse db 2>/dev/null | dlp-fmt -H --tsv -T os -c code | sed 1d)"
	# without them all else is the same, but for the ids
	dlp-parse db 2>/dev/null | dlp-fmt --tsv -T os -c start_ns,dur_ns,name >with
	dlp-parse --no-code db 2>/dev/null >out
	dlp-fmt --tsv -T os -c start_ns,dur_ns,name out | diff with -
	! grep -qE '^#?sample|^#.*	code|main;' out || false
	run -2 dlp-parse --no-code -T sample db
	same 'dlp-parse: --no-code: -T sample needs the call stacks' "$output"
	run -2 dlp folded --cpu -g phase db
	grep -q 'goes with none of' <<<"$output"
}

# Python's stacks are the payload of marks; that of a call begins with it.
@test "stacks of Python: the line of the user's own code" {
	frames='{"Thread state": "Holding GIL", "Frames": [
	    {"Function": "add", "File": "/v/site-packages/torch/a.py", "Line": 7},
	    {"Function": "step", "File": "/me/train.py", "Line": 12},
	    {"Function": "<module>", "File": "/me/train.py", "Line": 40}]}'
	sqlite3 db "
	CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER,
	    name TEXT);
	INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES
	    (71, 1, 'Python Periodic Sampling'),
	    (72, 2, 'Python Backtrace on CUDA');
	INSERT INTO NVTX_EVENTS (start, eventType, globalTid, domainId)
	    SELECT start, 34, globalTid, 72 FROM CUPTI_ACTIVITY_KIND_RUNTIME
	    WHERE nameId IN (SELECT id FROM StringIds WHERE value LIKE
	    'cudaLaunchKernel_%')"
	run -0 dlp folded --cpu db
	grep -q 'does not have them; nsys export --include-json' <<<"$output"
	rows CUDA_CALLCHAINS 0 0 9003 9004
	sqlite3 db "
	UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 0;
	UPDATE NVTX_EVENTS SET jsonText = '$frames' WHERE domainId = 72;
	INSERT INTO NVTX_EVENTS (start, eventType, globalTid, domainId, jsonText)
	    SELECT start + 1, 34, globalTid, 71, '$frames'
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 3;
	UPDATE NVTX_EVENTS SET jsonText = 'no {json' WHERE rowid =
	    (SELECT max(rowid) FROM NVTX_EVENTS)"
	code kern >got
	grep "^160 cudaLaunchKernel_v7000$(printf '\t')train.py:12 step$" got
	[ "$(wc -l <got)" -le 3 ]
	same 'python;train.py:40 <module>;train.py:12 step;a.py:7 add 2' \
	    "$(dlp folded --cpu db 2>/dev/null | grep ';')"
}

# A capture of Nsight Systems 2025.3, cut down: names are ids of strings, in an
# object with the name of the schema. Each line of cap.py is the user's own.
@test "stacks of Python in a real export: samples, calls, ops, gaps" {
	xz -dc "$ROOT/tests/data/stacks/python.sqlite.xz" >py
	innermost="SELECT n.start, n.globalTid, n.domainId,
	    (SELECT 'cap.py:' || json_extract(f.value, '$.Line') || ' ' ||
		replace(replace(s.value, '&lt;', '<'), '&gt;', '>')
	    FROM json_tree(n.jsonText) f
	    JOIN StringIds s ON s.id = json_extract(f.value, '$.Function')
	    JOIN StringIds p ON p.id = json_extract(f.value, '$.File')
	    WHERE f.type = 'object' AND p.value LIKE '%/cap.py'
	    ORDER BY f.id LIMIT 1) AS code
	    FROM NVTX_EVENTS n WHERE n.eventType = 34"
	sqlite3 -separator ' ' py "SELECT code, count(*) FROM ($innermost)
	    WHERE domainId = 1 GROUP BY code ORDER BY code" >want
	[ "$(wc -l <want)" -ge 4 ]
	dlp folded --cpu py 2>/dev/null | sed -n 's/^python;//p' | awk '{
		n = $NF
		sub(/ [0-9]*$/, "")
		for (i = split($0, a, ";"); a[i] !~ /^cap.py/; i--)
			;
		sum[a[i]] += n
	} END { for (i in sum) print i, sum[i] }' | LC_ALL=C sort >got
	diff want got
	grep '^cap.py:208 busy_python ' got
	grep '^cap.py:212 <lambda> ' got
	for t in kern:KERNEL copy:MEMCPY; do
		same "$(sqlite3 -separator ' ' py "SELECT count(*), coalesce(code,
		    '-') FROM CUPTI_ACTIVITY_KIND_${t#*:} k
		    LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON
			r.correlationId = k.correlationId AND r.eventClass = 67
		    LEFT JOIN ($innermost) p ON p.start = r.start AND
			p.globalTid = r.globalTid
		    GROUP BY code ORDER BY 2" | sort)" \
		    "$(dlp-parse py 2>/dev/null | dlp-fmt -H --tsv -T "${t%:*}" \
		    -c code | sed 1d | sort | uniq -c | sed 's/^ *//' | sort)"
	done
	dlp top -g op,code --tsv py 2>/dev/null |
	    grep -qP '^to\tcap.py:211 load_batch\t'
	dlp gaps -n 0 --tsv py 2>/dev/null |
	    grep -qP '\tcap.py:211 load_batch$'
	dlp advise -a -c id,evidence --tsv py 2>/dev/null |
	    grep -q '^idle_after_sync	.*op to in forward at cap.py:211 load_batch: 2,'
	# a wait, by the call that waits
	same "$(sqlite3 -separator $'\t' py "SELECT sum(r.end - r.start), code
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN CUPTI_ACTIVITY_KIND_RUNTIME t
		ON t.correlationId = r.correlationId AND t.eventClass = 67
	    JOIN StringIds s ON s.id = r.nameId
	    JOIN ($innermost) p ON p.start = t.start
	    WHERE s.value LIKE 'cudaStreamSynchronize_v%' GROUP BY code
	    ORDER BY 1 DESC")" "$(dlp waits -n 0 --tsv py 2>/dev/null | awk -F'\t' '
	    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	    $c["name"] ~ /^cudaStreamSynchronize/ { n[$c["code"]] += $c["sum_dur_ns"] }
	    END { for (i in n) print n[i] "\t" i }' | sort -rn)"
	# a table for people has the column where there is a value
	dlp gaps -w 200 py 2>/dev/null | grep -w range | grep -qw code
	dlp waits -w 200 py 2>/dev/null | grep -w range | grep -qw code
	dlp gaps -w 200 db 2>/dev/null >table
	grep -qw range table
	! grep -qw code table || false
	# steps: the samples within the second one
	same "$(sqlite3 py "SELECT count(*) FROM NVTX_EVENTS n, (SELECT r.start,
	    r.end FROM NVTX_EVENTS r LEFT JOIN StringIds s ON s.id = r.textId
	    WHERE coalesce(r.text, s.value) = 'iteration 1') i
	    WHERE n.eventType = 34 AND n.domainId = 1 AND
	    n.start >= i.start AND n.start < i.end")" \
	    "$(dlp folded --cpu -k iteration -i 1 py 2>/dev/null |
	    awk '/^python;/ { n += $NF } END { print n }')"
	# without --include-json=true the payload is not there
	sqlite3 py 'UPDATE NVTX_EVENTS SET jsonText = NULL'
	run -0 dlp folded --cpu py
	same 1 "$(grep -c 'export --include-json=true adds them' <<<"$output")"
	! grep -q '^python' <<<"$output"
}

@test "stacks that are damaged: unknown, no crash" {
	rows CUDA_CALLCHAINS 0 0 9003 9004
	sqlite3 db "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 55;
	INSERT INTO CUDA_CALLCHAINS VALUES (55, -1, -1, 0, 0, 0)"
	same '-' "$(dlp-parse db 2>/dev/null | dlp-fmt -H --tsv -T kern -c code |
	    sed 1d | sort -u)"
	sqlite3 db "ALTER TABLE CUDA_CALLCHAINS RENAME COLUMN symbol TO s"
	! dlp-parse db 2>/dev/null | grep -a '^#kern' | grep -w code
}

# A frame's own time is its length less that of the frames whose parent it is.
@test "torch.profiler: folded stacks of Python have each frame's own time" {
	f=$ROOT/tests/data/kineto/lenet_stack.json.gz
	zcat "$f" | python3 -c '
import collections, json, re, sys
from decimal import Decimal
ns = lambda x: int(Decimal(str(x)) * 1000)
ev = [e for e in json.load(sys.stdin)["traceEvents"]
      if e.get("cat") == "python_function" and e["tid"]]
by_id = {e["args"]["Python id"]: e for e in ev}
own = collections.Counter()
def name(n):
    m = re.match(r"(?:.*/)?([^/]*)\((\d+)\): (.*)", n)
    return "%s:%s %s" % m.groups() if m else re.sub(" at 0x.*", ">", n)
for e in ev:
    own[name(e["name"])] += ns(e["dur"])
    up = by_id.get(e["args"]["Python parent id"])
    if up is not None:
        own[name(up["name"])] -= ns(e["dur"])
for k in own:
    if own[k]:
        print(k, own[k], sep="\t")' | LC_ALL=C sort >want
	[ "$(wc -l <want)" -gt 100 ]
	# the threads of the loader, which are numbered 0, are told apart
	dlp folded --cpu "$f" >all
	! grep ';threading.py:1030 _bootstrap;.*;threading.py:1030 _bootstrap' all || false
	grep -v '^python;threading.py:1030 _bootstrap' all | awk '
	{ n = $NF; sub(/ [0-9]*$/, ""); sub(/.*;/, ""); s[$0] += n }
	END { for (k in s) print k "\t" s[k] }' | LC_ALL=C sort >got
	diff want got
	run -0 dlp folded --cpu "$ROOT/tests/data/kineto/lenet.json.gz"
	grep -q 'with_stack=True of torch.profiler' <<<"$output"
}
