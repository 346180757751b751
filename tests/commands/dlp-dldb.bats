# bats file_tags=long
load ../lib

bats_require_minimum_version 1.5.0

# DLProf's database, read and written. What is expected comes from the
# original's database by SQL, or is worked out here.

ORIG=$DATA/dlprof/w_relu/dlprof_dldb.sqlite
EXPORT=$DATA/dlprof/w_relu/nsys_profile.sqlite

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

sql() {
	sqlite3 -readonly "file:$1?immutable=1" "$2"
}

# whole FILE [OPTION-OF-DLP-ITER...]: the stream with all that the database
# takes.
whole() {
	dlp-parse "$1" | dlp-correlate --dlprof | dlp-flops 2>flops.err |
	    dlp-iter --dlprof "${@:2}" | dlp-busy --dlprof | dlp-tree
}

# halves FILE OUT OPTION-OF-DLP-ITER...: the database, cut to a range.
halves() {
	dlp-parse "$1" | dlp-correlate --dlprof | dlp-flops 2>flops.err |
	    dlp-dldb --raw --tee -o "$2" | dlp-iter --dlprof "${@:3}" |
	    dlp-busy --dlprof | dlp-tree | dlp-dldb --aggregate -o "$2"
}

# rows FILE VIEW: what it shows, in one order.
rows() {
	sqlite3 -readonly -header "$1" "SELECT * FROM $2" | {
		read -r head
		echo "$head"
		sort
	}
}

# same_views FILE EXCEPT...
same_views() {
	local view n=0
	for view in $(sql "$ORIG" \
	    "SELECT name FROM sqlite_master WHERE type = 'view'"); do
		n=$((n + 1))
		case " ${*:2} " in *" $view "*) continue ;; esac
		echo "$view"
		same "$(rows "$ORIG" "$view")" "$(rows "$1" "$view")"
	done
	[ "$n" -eq 23 ]
}

# A small stream by hand: two ops, three runs, two iterations.
stream() {
	cat "$ROOT/tests/cases/dlp-dldb/small/in"
}

# bats test_tags=more
@test "DLProf's database: as many records as rows" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	dlp-parse "$ORIG" >s
	for pair in op:ops inst:op_instances kern:kernels copy:memcpys \
	    set:memsets sync:cuda_syncs call:cuda_calls; do
		same "$(sql "$ORIG" \
		    "SELECT count(*) FROM read_only_${pair#*:}")" \
		    "$(grep -c "^${pair%:*}	" s)"
	done
	grep -q '^##end	' s
}

# bats test_tags=more
@test "DLProf's database: its op metrics" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	want=$(sql "$ORIG" "SELECT o.op_name, c.sum, g.sum, a.sum, v.sum, i.sum
	    FROM op_nodes n JOIN read_only_ops o ON o.id = n.read_only_ops_id
	    JOIN node_time_metrics t ON t.id = n.node_time_metrics_id
	    JOIN metric c ON c.id = t.cpu_time_metric_id
	    JOIN metric g ON g.id = t.gpu_time_metric_id
	    JOIN metric a ON a.id = t.api_time_metric_id
	    JOIN metric v ON v.id = t.cpu_overhead_time_metric_id
	    JOIN metric i ON i.id = t.gpu_idle_time_metric_id" | sort)
	dlp-parse "$ORIG" >s
	got=$(join -t'|' <(col op op_id name <s | sort -t'|' -k1,1) \
	    <(col inst op_id dur_ns gpu_ns api_ns overhead_ns idle_ns <s |
		sort -t'|' -k1,1) | cut -d'|' -f2- | sort)
	same "$want" "$got"
}

# bats test_tags=more
@test "DLProf's database: ops and runs of the export it was made from" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	dlp-parse "$ORIG" >a
	dlp-parse "$EXPORT" | dlp-correlate --dlprof >b
	for what in 'op name op dir dtype shapes stack dl_id dl_in dl_tc' \
	    'inst start_ns dur_ns pid tid gpu_start_ns gpu_end_ns gpu_ns
		overhead_ns idle_ns api_ns n_kern n_gpu n_call op dir' \
	    'kern start_ns dur_ns pid tid dev api_start_ns api_dur_ns short
		grid block op_start_ns op dir' \
	    'copy start_ns dur_ns api api_start_ns kind bytes op' \
	    'call start_ns dur_ns api pid tid op'; do
		# shellcheck disable=SC2086
		same "$(col $what <b)" "$(col $what <a)"
	done
}

# bats test_tags=more
@test "DLProf's database: what is stored beside" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	dlp dldb --csv "$ORIG" >got
	for line in choice,key_op,- choice,iter_stop,0 model,pin_memory,true \
	    model,emit_nvtx,true run,mode,pytorch version,schema,1.8.0; do
		grep -qxF "$line" got
	done
	same "$(sql "$ORIG" "SELECT exp_sys_id, problem FROM
	    expert_systems_feedback")" \
	    "$(dlp dldb --tsv "$ORIG" | sed -n 's/^finding	//p' |
		tr '\t' '|')"
	same "$(sql "$ORIG" "SELECT original_command FROM view_system_config")" \
	    "$(dlp dldb --tsv "$ORIG" | sed -n 's/^run	command	//p')"
}

# bats test_tags=more
@test "every view as the original's, made from its database" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	whole "$ORIG" | dlp-dldb -o x
	same_views x view_aggregations
	same "$(sql "$ORIG" "SELECT aggr_id, iter_start, iter_stop,
	    iter_aggregated, key_node_name, aggr_end FROM view_aggregations")" \
	    "$(sql x "SELECT aggr_id, iter_start, iter_stop,
	    iter_aggregated, key_node_name, aggr_end FROM view_aggregations")"
	same "ok" "$(sql x 'PRAGMA integrity_check; PRAGMA foreign_key_check')"
}

# bats test_tags=more
@test "every view as the original's, made from the export" {
	need_data dlprof/w_relu/nsys_profile.sqlite
	dlp-parse "$ORIG" | grep -a '^#*finding' | sed 's/	stored	/	yes	/' >f
	command=$(sql "$ORIG" "SELECT original_command FROM
	    read_only_system_config")
	whole "$EXPORT" | awk '
	    FNR == NR { f = f $0 "\n"; n += !/^#/; next }
	    /^##end/ { printf "%s", f; print "##end\t" n; next }
	    !/^#/ { n++ } { print }' \
	    f - | dlp-dldb -o x --set "command=$command"
	same_views x view_aggregations
}

# bats test_tags=more
@test "tables, columns and named indices are DLProf's" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	whole "$ORIG" | dlp-dldb -o x
	q="SELECT m.name, c.name, c.\"notnull\", c.pk FROM sqlite_master m,
	    pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT
	    LIKE 'sqlite%' AND substr(m.name, 1, 4) <> 'dlp_'
	    ORDER BY 1, c.cid"
	same "$(sql "$ORIG" "$q")" "$(sql x "$q")"
	q="SELECT m.name, m.tbl_name, c.name FROM sqlite_master m,
	    pragma_index_info(m.name) c WHERE m.type = 'index' AND m.name NOT
	    LIKE 'sqlite%' ORDER BY 1, c.seqno"
	same "$(sql "$ORIG" "$q")" "$(sql x "$q")"
}

@test "ranges, I/O and memory are in tables of our own, and come back" {
	dlp-parse "$LENET" | dlp-correlate --dlprof 2>err >s
	dlp-flops <s 2>err | dlp-dldb -o x 2>err
	dlp-parse x >t
	for t in range os mem; do
		echo "$t"
		cols='start_ns dur_ns pid tid name'
		[ $t != range ] ||
			cols='start_ns dur_ns pid tid domain mode text level layer'
		[ $t != mem ] || cols='start_ns pid dev op bytes addr kind'
		# shellcheck disable=SC2086 # words
		same "$(col $t $cols <s)" "$(col $t $cols <t)"
	done
	[ "$(sql x 'SELECT count(*) FROM dlp_ranges')" -gt 0 ]
	# DLProf's tables come first: what they tell is told once
	same "$(grep -c '^##info	mode	' t)" 1
	grep -x '##info	dialect	dldb' t
	# memory in use: live bytes on the device, by hand
	sed 's/ /\t/g' >m <<-'EOF'
	##dlp 1
	#dev dev name cc n_sm mem_bytes
	dev 0 - - - 1000
	#mem id start_ns pid dev op bytes addr kind
	mem 1 1 7 0 alloc 300 16 device
	mem 2 2 7 0 alloc 900 32 pinned
	mem 3 3 7 0 alloc 200 48 device
	mem 4 4 7 0 free 300 16 device
	mem 5 5 7 0 alloc 100 64 device
	##end 6
	EOF
	dlp-dldb -o y m 2>err
	same '1000|500' "$(sql y 'SELECT total, used FROM gpu_memories')"
	same '0|-|-|-|1000' \
	    "$(dlp-parse y | col dev dev name cc n_sm mem_bytes)"
}

@test "round trip: a database made of a database gives the same stream" {
	for f in "$ORIG" "$LENET"; do
		[ -e "$f" ] || continue
		rm -f x y
		whole "$f" 2>err | dlp-dldb -o x
		whole x 2>err | dlp-dldb -o y
		dlp-parse x | grep -v '^##cmd' >a
		dlp-parse y | grep -v '^##cmd' >b
		cmp a b
		[ "$(wc -l <a)" -gt 400 ]
	done
}

# bats test_tags=more
@test "round trip: runs and kernels of real profiles" {
	for f in nsys/train-step-shapes-3.27.0.sqlite \
	    nsys/h100-2gpu-aten-3.25.0.sqlite nvprof/nccl-8gpu-v16.sqlite \
	    nvprof/emit-nvtx-v11.sqlite nsys/cuda-graph-trace-3.16.1.sqlite; do
		need_data "$f"
		rm -f x
		whole "$DATA/$f" >s 2>err
		dlp-dldb -o x s
		dlp-parse x >back
		for what in 'inst op start_ns dur_ns tid gpu_ns overhead_ns
		    idle_ns api_ns n_kern n_gpu n_call' \
		    'kern start_ns dur_ns dev tid api_start_ns short op dir' \
		    'graph start_ns dur_ns dev tid api_start_ns api_dur_ns' \
		    'copy start_ns dur_ns bytes kind api_dur_ns op'; do
			# shellcheck disable=SC2086
			same "$(col $what <s | sort)" \
			    "$(col $what <back | sort)"
		done
	done
}

# bats test_tags=more
@test "another key and range, from a database" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	halves "$ORIG" x -k RELU_1 --iter-start 1 --iter-stop 1
	# all is still there, and what counts is what starts after the stop
	# of the key op
	same 59 "$(sql x 'SELECT count(*) FROM read_only_kernels')"
	stop=$(sql "$ORIG" "SELECT cpu_stop FROM read_only_op_instances i JOIN
	    read_only_ops o ON o.id = i.read_only_ops_id
	    WHERE o.op_id = 'RELU_1'")
	same "$(sql "$ORIG" "SELECT o.op_id, k.name_id > 0, k.gpu_stop -
	    k.gpu_start FROM read_only_kernels k JOIN read_only_ops o
	    ON o.id = k.read_only_ops_id JOIN read_only_op_instances i ON
	    i.read_only_ops_id = o.id WHERE i.cpu_start >= $stop" | sort)" \
	    "$(sql x "SELECT op_node_id, kernel_name > '', kernel_duration
	    FROM view_iteration_op_kernels" | sort)"
	same 'RELU_1|1|1|1' "$(sql x "SELECT key_node_name, iter_start,
	    iter_stop, iter_aggregated FROM view_aggregations")"
	same 2 "$(sql x "SELECT iter_total FROM model_summary")"
	dlp-parse x | grep -q '^##info	key_op	RELU_1$'
	# and back: no key, everything
	cp x y
	rm x
	halves y x --one
	same_views x view_aggregations view_expert_systems
}

# kernels ORDER: a stream with 60000 kernels, each with a call of its own. Their
# ids and the times of their calls rise if ORDER is "sorted", or "twin": then
# two are the same but for the id; "near", "far": they are swapped, so far.
kernels() {
	stream | awk -F'\t' -v OFS='\t' -v order="$1" '
	$1 == "kern" || $1 == "copy" || $1 == "inst" { next }
	$1 == "#iter" {
		n = 60000
		for (i = 0; i < n; i++) {
			k = order == "near" ? i - i % 50 + (i * 7) % 50 \
			    : order == "far" ? (i * 7919) % n : i
			if (order != "twin" || k != 1000) {
				t = 100000000 * (k - 30000) + k % 3
				at = sprintf("%.0f", t)
				gpu = sprintf("%.0f", t + (k % 5 ? 7 : 2 ^ 42))
				tid = k % 40000 * (k % 2 ? 1 : -1)
			}
			print "kern", 100 + k, gpu, k % 300 - 2, 1, tid, 0, \
			    k % 7 ? 5 : 6, "-", "-", at, k % 70000, k % 2, \
			    "k", 1, "1,2,3", "4,1,1", "no"
		}
	}
	{ print }' | counted
}

@test "many rows, in any order: each is there, and in its index" {
	for order in sorted near far twin; do
		echo "$order"
		kernels "$order" >s
		rm -f x
		dlp-dldb -o x s 2>err
		same ok "$(sql x 'PRAGMA integrity_check')"
		col kern id op_id api_start_ns start_ns tid <s |
		    sort -n -t'|' -k1,1 >want
		sql x 'SELECT id, read_only_ops_id, api_start, gpu_start,
		    thread_id FROM read_only_kernels ORDER BY id' >got
		cmp want got
		same 60000 "$(sql x 'SELECT count(*) FROM read_only_kernels INDEXED
		    BY unique_read_only_kernels WHERE api_start > -1e18')"
		sort -n -t'|' -k3,3 want | cut -d'|' -f3 >want.at
		sql x 'SELECT api_start FROM read_only_kernels INDEXED BY
		    unique_read_only_kernels ORDER BY api_start' | cmp - want.at
		same "$([ $order = twin ]; echo $?)" "$(sql x 'SELECT "unique"
		    FROM pragma_index_list("read_only_kernels")')"
		same 8571 "$(sql x 'SELECT count(*) FROM kernel_iteration_node
		    INDEXED BY unique_kernel_iteration_node WHERE aggr_id = 1
		    AND domain_id = 1 AND read_only_ops_id = 6
		    AND read_only_kernel_id > 106')"
	done
}

@test "rows of which an id comes twice are refused" {
	kernels sorted | awk -F'\t' -v OFS='\t' '
	    $1 == "kern" && $2 == 50000 { $2 = 200 } { print }' >s
	run -2 dlp-dldb -o x s
	[[ $output == *UNIQUE* ]]
	[ ! -e x ]
}

@test "texts of any kind come back as they were" {
	evil="'); DROP TABLE metric; --"
	stream | awk -F'\t' -v OFS='\t' -v e="$evil" '
	    $1 == "op" && $2 == 5 { $3 = "1e5"; $9 = e; $4 = "\"x\\ny\\t" }
	    $1 == "op" && $2 == 6 { $3 = "\\x01\\x7f\xff" }
	    $1 == "str" { $3 = e } { print }' >s
	dlp-dldb -o x s 2>err
	dlp-parse x >back
	for what in 'op name' 'op op' 'op dl_id' 'str text' 'kern short'; do
		# shellcheck disable=SC2086
		same "$(col $what <s)" "$(col $what <back)"
	done
	same 1 "$(sql x 'SELECT count(*) > 0 FROM metric')"
}

@test "--tee: the stream as it was" {
	stream >s
	dlp-dldb -t -o x s 2>err | grep -v '^##cmd' >got
	diff <(sed 's/^##end.*//' s) <(sed 's/^##end.*//' got)
	stream | dlp-dldb -o y >got 2>err
	[ ! -s got ]
}

@test "a file that is there; the input; no half database" {
	stream >s
	echo mine >x
	run -2 dlp-dldb -o x s
	[ "$output" = 'dlp-dldb: x: exists already; -f writes over it' ]
	[ "$(cat x)" = mine ]
	dlp-dldb -f -o x s 2>err
	same 2 "$(sql x 'SELECT count(*) FROM read_only_ops')"
	cp x 'in put.sqlite'
	run -2 bash -o pipefail -c \
	    'dlp-parse "in put.sqlite" | dlp-dldb -f -o "./in put.sqlite"'
	[[ $output == *'the pipeline reads this file, so it cannot write it'* ]]
	cmp x 'in put.sqlite'
	grep -v '^##end' s >cut
	run -2 dlp-dldb -o y cut
	echo broken >>s
	run -2 dlp-dldb -o y s
	[ -z "$(find . -name 'y*')" ]
	run -2 dlp-dldb -o no/such/folder/y s
	run -2 dlp-dldb -o . s
	run -2 dlp-dldb s
}

@test "what cannot be a database" {
	{ stream; stream; } >two
	run -2 dlp-dldb -o y two
	[[ $output == *'more than one section'* ]]
	stream | sed 's/dl_id/dl_xx/' >s
	run -2 dlp-dldb -o y s
	[[ $output == *dl_id*dlp-correlate* ]]
	stream | grep -v '^#*op	' | counted >s
	run -2 dlp-dldb -o y s
	[[ $output == *'op 5 has no record'* ]]
	[ -z "$(find . -name 'y*')" ]
	stream | grep -v '^#*group	' | counted | dlp-dldb -o g 2>err
	grep -q 'no group records' err
	stream | grep -v '^#*iter	' | counted | dlp-dldb -o z 2>err
	grep -q 'no iter records (of dlp-iter): the database has no agg' err
	same '2|0' "$(sql z "SELECT (SELECT count(*) FROM read_only_kernels),
	    (SELECT count(*) FROM model_summary)")"
}

@test "not together with other profiles" {
	stream | dlp-dldb -o x 2>err
	run --separate-stderr dlp-parse x "$LENET"
	[ "$status" -eq 2 ]
	[[ $stderr == *'cannot be read together with other profiles' ]]
	cp x y
	run -0 dlp-parse x y
	same '1 2 3 4' "$(col op op_id <<<"$output" | xargs)"
	same '1 2 3 4 5 6' "$(col inst inst_id <<<"$output" | sort -n |
	    xargs)"
}

@test "-S: the database is the same in any memory" {
	whole "$LENET" -k iteration >in
	for size in 4K 40K 256M; do
		dlp-dldb -S $size -f -o db.sqlite in
		sqlite3 db.sqlite .dump |
		    grep -v "INTO aggregations" >$size # has the time
	done
	cmp 4K 256M
	cmp 40K 256M
	[ "$(sqlite3 db.sqlite 'SELECT count(*) FROM kernel_iteration_node
	    JOIN (SELECT read_only_ops_id AS op, iter_value AS i, count(*) AS n
		FROM kernel_iteration_node GROUP BY 1, 2)
	    ON op = read_only_ops_id AND i = iter_value
	    AND n = total_count')" -eq 208 ]
}

@test "round trip: memory events, with their pools" {
	f=$(profile h200/everything.sqlite.xz)
	same "$(sqlite3 "$f" "SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS
	    WHERE localMemoryPoolAddress IS NOT NULL")" "$(dlp-parse "$f" |
	    col mem pool | grep -vc -- '-$')"
	whole "$f" >s 2>err
	dlp-dldb -o x s
	cols='start_ns pid dev op bytes addr kind pool pool_bytes'
	same "$(col mem $cols <s | sort)" \
	    "$(dlp-parse x | col mem $cols | sort)"
	# a database made before it had them
	sqlite3 x "ALTER TABLE dlp_memory DROP COLUMN pool_address;
	    ALTER TABLE dlp_memory DROP COLUMN pool_bytes"
	same "" "$(dlp-parse x | col mem pool pool_bytes |
	    grep -v -e '-.*-$')"
}
