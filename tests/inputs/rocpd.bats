# Databases of rocprofv3 (rocpd). The fixtures are made here, from AMD's
# documented schema; the rows of others that lie in $DLP_MORE_DATA are held to
# what AMD's own views say of them.

load ../lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

rows() {
	dlp-fmt -T "$1" --tsv -c "$2" | tail -n +2
}

# tables GUID: the tables of one process, as rocprofv3 3.0 makes them; columns
# that dlp-parse does not read are left out.
tables() {
	u=_${1//-/_}
	cat <<-EOF
	CREATE TABLE rocpd_metadata$u (id INTEGER PRIMARY KEY, tag, value);
	CREATE TABLE rocpd_string$u (id INTEGER PRIMARY KEY, guid, string);
	CREATE TABLE rocpd_info_node$u (id INTEGER PRIMARY KEY, guid, hash, machine_id, hostname);
	CREATE TABLE rocpd_info_process$u (id INTEGER PRIMARY KEY, guid, nid, ppid, pid, command);
	CREATE TABLE rocpd_info_thread$u (id INTEGER PRIMARY KEY, guid, nid, pid, tid, name);
	CREATE TABLE rocpd_info_agent$u (id INTEGER PRIMARY KEY, guid, nid, pid, type, absolute_index, logical_index, type_index, name, model_name, product_name, extdata);
	CREATE TABLE rocpd_info_queue$u (id INTEGER PRIMARY KEY, guid, nid, pid, name);
	CREATE TABLE rocpd_info_stream$u (id INTEGER PRIMARY KEY, guid, nid, pid, name);
	CREATE TABLE rocpd_info_kernel_symbol$u (id INTEGER PRIMARY KEY, guid, kernel_name, display_name, group_segment_size, arch_vgpr_count, accum_vgpr_count);
	CREATE TABLE rocpd_event$u (id INTEGER PRIMARY KEY, guid, category_id, stack_id, parent_stack_id, correlation_id, extdata);
	CREATE TABLE rocpd_region$u (id INTEGER PRIMARY KEY, guid, nid, pid, tid, start, end, name_id, event_id);
	CREATE TABLE rocpd_kernel_dispatch$u (id INTEGER PRIMARY KEY, guid, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id);
	CREATE TABLE rocpd_memory_copy$u (id INTEGER PRIMARY KEY, guid, nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size, queue_id, stream_id, event_id);
	CREATE TABLE rocpd_memory_allocate$u (id INTEGER PRIMARY KEY, guid, nid, pid, tid, agent_id, type, level, start, end, address, size, event_id);
	CREATE TABLE rocpd_pmc_event$u (id INTEGER PRIMARY KEY, guid, event_id, pmc_id, value);
	CREATE VIEW IF NOT EXISTS rocpd_kernel_dispatch AS SELECT 1 AS id;
	INSERT INTO rocpd_metadata$u (tag, value) VALUES ('schema_version', '3'), ('guid', '$1');
	EOF
}

# process GUID PID MACHINE ABSOLUTE: tables and rows of a process whose only
# GPU is the node ABSOLUTE of the machine.
process() {
	tables "$1"
	u=_${1//-/_}
	cat <<-EOF
	INSERT INTO rocpd_string$u (id, string) VALUES (1, 'KERNEL_DISPATCH'), (2, 'HIP_RUNTIME_API_EXT'), (3, 'MARKER_CORE_RANGE_API'), (4, 'MEMORY_COPY'), (5, 'RCCL_API'), (6, 'hipLaunchKernel'), (7, 'roctxThreadRangeA'), (8, 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'ncclAllReduce'), (10, 'hipGraphLaunch'), (11, 'roctxMarkA'), (12, 'hipMemcpyAsync'), (13, 'MARKER_CORE_API'), (14, 'roctxGetThreadId'), (15, 'python'), (16, 'train_step'), (17, 'HSA_CORE_API'), (18, 'hsa_queue_create');
	INSERT INTO rocpd_info_node$u VALUES (1, '$1', 1, '$3', 'h');
	INSERT INTO rocpd_info_process$u VALUES (7, '$1', 1, 1, $2, 'python3 train.py');
	INSERT INTO rocpd_info_thread$u VALUES (9, '$1', 1, 7, $2, 'python3');
	INSERT INTO rocpd_info_agent$u VALUES (1, '$1', 1, 7, 'CPU', 0, 0, 0, 'EPYC', '', 'EPYC', '{}'), (2, '$1', 1, 7, 'GPU', $4, 1, 0, 'gfx942', '', 'AMD Instinct MI300X', '{"cu_count": 304, "max_engine_clk_fcompute": 2100}');
	INSERT INTO rocpd_info_stream$u VALUES (1, '$1', 1, 7, 'Stream 4');
	INSERT INTO rocpd_info_queue$u VALUES (1, '$1', 1, 7, 'Queue 11');
	INSERT INTO rocpd_info_kernel_symbol$u VALUES (1, '$1', '_Zadd.kd', 'void ns::add<float>(float*)', 64, 16, 8), (2, '$1', 'Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_MI16x16x16x1.kd', NULL, 0, 32, NULL);
	-- a range, in it one launch, a copy, a graph of two kernels
	INSERT INTO rocpd_event$u VALUES (1, '$1', 3, 100, 0, 0, '{"message": "step \"1\""}'), (2, '$1', 2, 101, 100, 0, '{}'), (3, '$1', 2, 102, 100, 0, '{}'), (4, '$1', 2, 103, 100, 0, '{}'), (5, '$1', 1, 101, 101, 0, '{}'), (6, '$1', 4, 102, 102, 0, '{}'), (7, '$1', 1, 103, 103, 0, '{}'), (8, '$1', 1, 103, 103, 0, '{}'), (9, '$1', 13, 104, 0, 0, '{"message": "here"}'), (10, '$1', 13, 105, 0, 0, '{}'), (11, '$1', 5, 106, 0, 0, '{}'), (12, '$1', 15, 107, 0, 0, '{}'), (13, '$1', 17, 108, 0, 0, '{}');
	INSERT INTO rocpd_region$u VALUES (1, '$1', 1, 7, 9, 1010, 1020, 6, 2), (2, '$1', 1, 7, 9, 1030, 1040, 12, 3), (3, '$1', 1, 7, 9, 1050, 1060, 10, 4), (4, '$1', 1, 7, 9, 1000, 1900, 7, 1), (5, '$1', 1, 7, 9, 1005, 1005, 11, 9), (6, '$1', 1, 7, 9, 1006, 1006, 14, 10), (7, '$1', 1, 7, 9, 1070, 1080, 9, 11), (8, '$1', 1, 7, 9, 1001, 1800, 16, 12), (9, '$1', 1, 7, 9, 1002, 1003, 18, 13);
	INSERT INTO rocpd_kernel_dispatch$u VALUES (1, '$1', 1, 7, 9, 2, 1, 1, 1, 1, 1100, 1200, 320, 256, 1, 1, 1000, 4, 1, NULL, 5), (2, '$1', 1, 7, NULL, 2, 2, 2, 1, NULL, 1300, 1350, 0, 64, 2, 1, 64, 8, 3, NULL, 7), (3, '$1', 1, 7, NULL, 2, 2, 3, 1, 1, 1400, 1450, 0, 64, 2, 1, 64, 8, 3, NULL, 8);
	INSERT INTO rocpd_memory_copy$u VALUES (1, '$1', 1, 7, 9, 1210, 1230, 8, 2, 1, 4096, 1, 1, 6);
	INSERT INTO rocpd_memory_allocate$u VALUES (1, '$1', 1, 7, 9, 2, 'ALLOC', 'REAL', 1001, 1002, 4096, 512, NULL), (2, '$1', 1, 7, 9, 2, 'FREE', 'REAL', 1500, 1501, 4096, 0, NULL), (3, '$1', 1, 7, 9, 2, 'ALLOC', 'SCRATCH', 1003, 1004, 0, 64, NULL);
	INSERT INTO rocpd_pmc_event$u VALUES (1, '$1', 5, 1, 3.0);
	EOF
}

A=00000001-aaaa-bbbb-cccc-000000000001
C=00000002-aaaa-bbbb-cccc-000000000002

# told_twice DB OUT: writes the same run as torch.profiler would.
told_twice() {
	python3 - "$1" "$2" <<-'EOF'
	import json, re, sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	t = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND"
	    " name LIKE 'rocpd_kernel_dispatch_%'").fetchone()[0][21:]
	q = lambda s: db.execute(re.sub(r"rocpd_\w+", lambda m: m[0] + t, s))
	string = dict(q("SELECT id, string FROM rocpd_string"))
	pid = dict(q("SELECT id, pid FROM rocpd_info_process"))
	tid = dict(q("SELECT id, tid FROM rocpd_info_thread"))
	dev = dict(q("SELECT id, type_index FROM rocpd_info_agent"))
	num = lambda s: int(s.split()[1])
	stream = {i: num(s) for i, s in q("SELECT id, name FROM rocpd_info_stream")}
	queue = {i: num(s) for i, s in q("SELECT id, name FROM rocpd_info_queue")}
	name = {i: d or k[:-3] for i, d, k in q("SELECT id, display_name,"
	    " kernel_name FROM rocpd_info_kernel_symbol")}
	ev = []
	def put(cat, name, start, end, pid, tid, **args):
	    ev.append({"ph": "X", "cat": cat, "name": name, "pid": pid,
	        "tid": tid, "ts": "@%d.%03d@" % divmod(start, 1000),
	        "dur": "@%d.%03d@" % divmod(end - start, 1000), "args": args})
	for p, th, a, b, n, cat, x, c in q("SELECT r.pid, r.tid, r.start, r.end,"
	    " r.name_id, e.category_id, e.extdata, e.stack_id FROM rocpd_region"
	    " AS r JOIN rocpd_event AS e ON e.id = r.event_id"):
	    msg = json.loads(x).get("message")
	    if string[cat].startswith("HIP_"):
	        put("cuda_runtime", string[n], a, b, pid[p], tid[th],
	            correlation=c)
	    elif msg is not None and "Mark" not in string[n]:
	        put("cpu_op", msg, a, b, pid[p], tid[th])
	for a, b, k, d, s, u, c in q("SELECT k.start, k.end, kernel_id, agent_id,"
	    " stream_id, queue_id, e.stack_id FROM rocpd_kernel_dispatch AS k"
	    " JOIN rocpd_event AS e ON e.id = k.event_id"):
	    s = stream[s] if s else queue[u]
	    put("gpu_memset" if name[k].startswith("Memset") else "kernel",
	        name[k], a, b, dev[d], s, device=dev[d], stream=s,
	        correlation=c, **{"bytes": 0} if name[k].startswith("Memset")
	        else {})
	for a, b, n, d, s, c, size in q("SELECT k.start, k.end, name_id,"
	    " dst_agent_id, stream_id, e.stack_id, size FROM rocpd_memory_copy"
	    " AS k JOIN rocpd_event AS e ON e.id = k.event_id"):
	    kind = "".join(w.title() for w in string[n].split("_")[2:])
	    put("gpu_memcpy", "Memcpy " + kind.replace("To", "To") +
	        " (Device -> Device)", a, b, dev[d], stream[s], device=dev[d],
	        stream=stream[s], correlation=c, bytes=size)
	open(sys.argv[2], "w").write(re.sub(r'"@|@"', "",
	    json.dumps({"traceEvents": ev})))
	EOF
}

# work FILE: kernels (and sets) and copies with their ops.
work() {
	dlp-parse "$1" 2>/dev/null | dlp-correlate 2>/dev/null >s
	for t in kern set copy; do
		rows $t start_ns,dur_ns,dev,stream,api,op,dir,layer,why <s
	done | sort -n
	dlp-fmt -T kern --tsv -c start_ns,kernel,short <s | sort -n
	rows op name,dir,layer <s
}

# bats test_tags=more
@test "rows of others: what AMD's views say, and as torch.profiler tells it" {
	need_data rocpd/mi300_resnet.db.xz
	for n in mi300_resnet mi300_dispatches; do
		xz -dc "$DATA/rocpd/$n.db.xz" >f
		dlp-parse f 2>/dev/null >s
		same "$(sqlite3 -separator "$TAB" f 'SELECT count(*),
		    sum(duration), (SELECT count(*) FROM memory_copies),
		    (SELECT ifnull(sum(duration), 0) FROM memory_copies),
		    (SELECT count(*) FROM regions) FROM kernels')" \
		    "$(awk -F'\t' '
			/^#kern/ { for (i = 2; i <= NF; i++) k[$i] = i }
			/^#copy/ { for (i = 2; i <= NF; i++) c[$i] = i }
			/^#/ { next }
			$1 == "kern" { n++; sum += $(k["dur_ns"])
				r += $(k["api_dur_ns"]) != "-" }
			$1 == "copy" { m++; csum += $(c["dur_ns"])
				r += $(c["api_dur_ns"]) != "-" }
			$1 ~ /^(range|call|mark|lib)$/ { r++ }
			END { printf "%d\t%.0f\t%d\t%.0f\t%d\n", n, sum, m, csum, r }
			' s)"
		same "$(sqlite3 -separator "$TAB" f 'SELECT name, count(*),
		    sum(duration) FROM kernels GROUP BY 1 ORDER BY 1')" \
		    "$(awk -F'\t' '
			/^#kern/ { for (i = 2; i <= NF; i++) k[$i] = i }
			$1 == "str" { name[$2] = $3 }
			$1 == "kern" { x = name[$(k["name_id"])]
				n[x]++; s[x] += $(k["dur_ns"]) }
			END { for (x in n)
				printf "%s\t%d\t%.0f\n", x, n[x], s[x] }' s |
			LC_ALL=C sort -t "$TAB" -k 1,1)"
	done
	xz -dc "$DATA/rocpd/mi300_resnet.db.xz" >f
	told_twice f g.json
	# 108 sets are dispatches of "Memset (Device)" in rocpd: the same work,
	# as kernels
	work f | grep -v '	Memset \|^unassociated_Memset' | sort >a
	work g.json | grep -v '^unassociated_set' | sort >b
	diff a b
}

@test "tables and columns that are missing, values of other types" {
	u=_${A//-/_}
	process $A 42 m1 4 | sqlite3 ok
	for t in event string info_process info_thread info_agent info_stream \
	    info_queue info_kernel_symbol metadata info_node memory_copy \
	    memory_allocate region; do
		cp ok f
		sqlite3 f "DROP TABLE rocpd_$t$u"
		dlp-parse f 2>/dev/null >s
		[ "$(grep -c '^kern' s)" -eq 3 ]
	done
	for c in "end NULL" "pid 'x'" "stream_id 99" "agent_id NULL" \
	    "kernel_id NULL" "event_id 1e300" "workgroup_size_x 0" \
	    "grid_size_x -1" "group_segment_size x''"; do
		cp ok f
		sqlite3 f "UPDATE rocpd_kernel_dispatch$u SET ${c% *} = ${c#* }"
		dlp-parse f 2>/dev/null >s
		[ "$(grep -c '^kern' s)" -eq 3 ]
	done
	cp ok f
	sqlite3 f "UPDATE rocpd_kernel_dispatch$u SET start = 'x' WHERE id = 2;
	    UPDATE rocpd_event$u SET extdata = '{\"message' WHERE id = 1"
	dlp-parse f 2>/dev/null >s
	[ "$(grep -c '^kern' s)" -eq 2 ]
	grep -q "^##note${TAB}bad_rows${TAB}1\$" s
	grep -q "^##note${TAB}roctx_other_calls${TAB}2\$" s
	cp ok f
	sqlite3 f "ALTER TABLE rocpd_region$u RENAME COLUMN tid TO thread"
	[ "$(dlp-parse f 2>/dev/null | rows call tid | sort -u)" = - ]
}
