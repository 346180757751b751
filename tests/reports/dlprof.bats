# dlprof, the drop-in: its options, how it runs nsys, what it writes where.
# nsys is a stand-in.

# bats file_tags=long
bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	P=$ROOT/pipelines/dlprof.d
	fake_nsys
}

nsys_args() {
	tr '\0' '\n' <nsys.args
}

# simple OPTIONS...: a run that needs no ops, quiet.
simple() {
	dlprof --mode=simple -v quiet "$@"
}

@test "programs find the packages of DLProf and PyProf, and their own, under nsys too" {
	mkdir -p "it's own"
	echo 'mine = 1' >"it's own/own_module.py"
	for path in '' "$PWD/it's own"; do
		PYTHONPATH=$path simple --recorder=nsys --force=true \
		    python3 -c "import nvidia_dlprof_pytorch_nvtx, pyprof${path:+, own_module}"
	done
}

# In turn with a blank, with =, and, if it is short, without either.
@test "every spelling of every option, with = and with a blank" {
	local form n=0
	while IFS='|' read -r name spellings kind values _; do
		[[ $name != '#'* && $kind != flag ]] || continue
		case $name,$kind,$values in
		database,*) v=$LENET ;;
		html,*) v=o.html ;;
		*,yesno,* | *,gone,yesno) v=true ;;
		mode,*) v=simple ;;
		*,word*) v=${values%% *} ;;
		*,count,* | *,secs,*) v=1 ;;
		*,gone,* | *) v=x ;;
		esac
		for s in $spellings; do
			case $((n++ % 3)),$s in
			0,*) form=("$s" "$v") ;;
			1,* | *,--*) form=("$s=$v") ;;
			*) form=("$s$v") ;;
			esac
			echo "${form[@]}"
			rm -rf o
			dlprof --database="$LENET" --output_path=o --force=true \
			    -m simple "${form[@]}" -v quiet >out
		done
	done <"$P/options.tab"
	[ "$n" -gt 40 ]
}

@test "the option lists of the original are all there" {
	dlprof -h | tr ' ,=' '\n\n\n' >words
	for o in -h --help -V --version -f --force -v --verbosity -m --mode \
	    --database --nsys_database --nsys_base_name --nsys_opts \
	    --nsys_options --nsys_base_output_filename --nsys_profile_range \
	    -y --delay -d --duration --detailed_mode --key_node --key_op \
	    --iter_start --iter_stop --output_path --base_name \
	    --profile_name --reports --report --formats --file_formats \
	    --domains --dump_model_data --tb_dir -b --suppress_tb_files -k \
	    -r --yes --graphdef; do
		echo "$o"
		grep -v '^#' "$P/options.tab" | cut -d'|' -f2 | tr ' ' '\n' |
		    grep -qx -- "$o"
		grep -qx -- "$o" words
	done
}

@test "lists: commas, blanks with --, words of old and new guides" {
	ref=
	for r in '--reports=kernel,summary' '--reports kernel,summary' \
	    '--report kernel summary --' '-r summary -r kernel' \
	    '--reports=all' '--reports all --' '--reports=summary,all' \
	    '-r=summary,kernel'; do
		rm -rf o
		# shellcheck disable=SC2086 # words
		simple $r --database="$LENET" --output_path=o
		got=$(cd o && ls)
		same "${ref:-$got}" "$got"
		ref=$got
	done
	same "dlprof_kernel.csv
dlprof_summary.csv" "$ref"
	rm -rf o
	simple --reports summary -- --formats json csv -- \
	    --database "$LENET" --output_path o
	same "dlprof_summary.csv
dlprof_summary.json" "$(cd o && ls)"
	# the list ends where the program begins
	rm -rf o
	simple --output_path=o --reports kernel summary echo kernel >out
	same kernel "$(<out)"
	[ -s o/dlprof_kernel.csv ]
	[ -s o/dlprof_summary.csv ]
	dlprof --mode=simple --domains a b -- true 2>err >out
	dlprof --mode=simple -f true --domains a true -- 2>err >out
}

@test "nsys: the command line of the guide, in the form of its version" {
	while IFS='|' read -r version want; do
		rm -rf nsys.args o
		export NSYS_VERSION="NVIDIA Nsight Systems version $version"
		dlprof --mode=simple --nsys_profile_range=true \
		    --output_path=o true >out 2>err
		same "$want" "$(nsys_args | paste -sd' ')"
	done <<-'END'
	2024.6.1.90-246135034246v0|profile -t cuda,nvtx -s none --capture-range=cudaProfilerApi --capture-range-end=stop --show-output=true --export=sqlite -o ./o/nsys_profile true
	2021.3.2.4-027534f|profile -t cuda,nvtx -s none --capture-range=cudaProfilerApi --capture-range-end=stop --show-output=true --export=sqlite -o ./o/nsys_profile true
	2021.2.4.12-42f25|profile -t cuda,nvtx -s none --capture-range=cudaProfilerApi --stop-on-range-end=true --kill=none --show-output=true --export=sqlite -o ./o/nsys_profile true
	2019.5.2.16-b54ef97|profile -t cuda,nvtx -s none --capture-range=cudaProfilerApi --stop-on-range-end=true --kill=none --show-output=true --export-sqlite -o ./o/nsys_profile true
	END
	# plain, as the guide has it; one that does not tell its version is new
	rm -rf nsys.args
	NSYS_VERSION='?' dlprof --mode=simple true >out 2>err
	same "profile -t cuda,nvtx -s none --show-output=true --export=sqlite -o ./nsys_profile true" \
	    "$(nsys_args | paste -sd' ')"
	grep 'does not tell its version' err
}

@test "nsys: delay, duration, own options and names, verbosity" {
	dlprof --mode=simple -y 60 --duration 30 -f true --verbosity=quiet \
	    --nsys_opts='-t osrt,cuda,nvtx --x="a b"' \
	    --nsys_base_output_filename=run1 --output_path='o/p q' true
	same "profile
-t
osrt,cuda,nvtx
--x=a b
--delay=60
--duration=30
--force-overwrite=true
--show-output=false
--export=sqlite
-o
./o/p q/run1
true" "$(nsys_args)"
	[ -s 'o/p q/run1.sqlite' ]
	dlprof --mode=simple -v quiet --nsys_base_name="$PWD/x/y" \
	    --output_path=o true
	[ -s x/y.sqlite ]
	dlprof --mode=simple -v quiet --nsys_base_name=x/y --output_path=o true
	[ -s o/x/y.sqlite ]
}

@test "the program's arguments pass untouched, its output and status too" {
	args=('a b' "q'\"q" $'n\nl\n' -f '' '--x=$(id)' '*' '\n' --)
	rc=0
	dlprof --mode=simple --reports=kernel bash -c '
	printf "%s\0" "$@" >got; echo out; cat >in; exit 7' x "${args[@]}" \
	    >out 2>err <<<"its input" || rc=$?
	[ $rc -eq 7 ]
	printf '%s\0' "${args[@]}" | cmp - got
	head -n 1 out | grep -x out
	same "its input" "$(<in)"
	grep 'exit status 7' err
	# what was recorded is analysed all the same
	[ -s dlprof_kernel.csv ]
}

@test "nsys that leaves no sqlite file: exported, else an error" {
	NSYS_LEAVES=rep dlprof --mode=simple -v quiet true
	[ -s nsys_profile.sqlite ]
	nsys_args | grep -x export
	rm -f nsys_profile.*
	rc=0
	NSYS_LEAVES=none dlprof --mode=simple true 2>err || rc=$?
	[ $rc -eq 2 ]
	grep 'left no ./nsys_profile.sqlite' err
	rm -f nsys_profile.*
	rc=0
	NSYS_LEAVES=raw dlprof --mode=simple true 2>err || rc=$?
	[ $rc -eq 2 ]
	grep 'only ./nsys_profile.qdstrm: import that' err
}

@test "without nsys it says what to install" {
	PATH=$BIN:$ROOT/pipelines:/usr/bin:/bin
	! command -v nsys || skip "nsys is installed"
	run dlprof --recorder=nsys true
	[ "$status" -eq 2 ]
	[[ $output == *"install NVIDIA Nsight Systems"* ]]
}

# The driver and CUPTI are stand-ins, too: tests/record.
@test "without nsys dlp-record records: the guide's command line" {
	PATH=$BIN:$ROOT/pipelines:/usr/bin:/bin
	R=$ROOT/${B:-build}/record
	LD_LIBRARY_PATH=$R dlprof --mode=simple --recorder=dlp --reports=kernel \
	    "$R/fakecuda" init push=a 3 pop exit=5 >out 2>err || [ $? -eq 5 ]
	[ "$(sqlite3 nsys_profile.sqlite "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")" -eq 9 ]
	grep -q axpy dlprof_kernel.csv
	grep -q 'Running: dlp-record' err
	# only the range; what is there is kept
	run dlprof --mode=simple --recorder=dlp true
	[ "$status" -eq 2 ]
	LD_LIBRARY_PATH=$R dlprof --mode=simple --recorder=dlp -f true \
	    --nsys_profile_range=true -v quiet "$R/fakecuda" init 3 start 2 \
	    stop 5 >out 2>err
	[ ! -s out ]
	[ "$(sqlite3 nsys_profile.sqlite "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")" -eq 6 ]
	# a program that --duration ends did not fail
	LD_LIBRARY_PATH=$R dlprof --mode=simple --recorder=dlp -f true \
	    --delay=0.1 --duration=0.5 "$R/fakecuda" init sleep=200 3 \
	    sleep=60000
	[ "$(sqlite3 nsys_profile.sqlite "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_KERNEL")" -eq 9 ]
}

@test "what is there is not overwritten without --force=true" {
	simple --reports=kernel --database="$LENET"
	echo mine >dlprof_kernel.csv
	run simple --reports=kernel --database="$LENET"
	[ "$status" -eq 2 ]
	[[ $output == *dlprof_kernel.csv*--force=true* ]]
	same mine "$(<dlprof_kernel.csv)"
	simple --reports=kernel --database="$LENET" -f true
	grep -x 'Kernel Report' dlprof_kernel.csv
	echo mine >nsys_profile.nsys-rep
	run simple true
	[ "$status" -eq 2 ]
	[[ $output == *nsys_profile.nsys-rep*--force=true* ]]
	[ ! -e nsys.args ]
}

@test "the manual and -h name the same options" {
	man=$(sed -n 's/^\.It Fl //p' "$ROOT/man/dlprof.1" |
	    sed 's/Fl //g; s/ , /\n/g; s/ Ar .*//; s/ Ns .*//; s/ Cm .*//' |
	    sed 's/^/-/' | sort)
	same "$(grep -v '^#' "$P/options.tab" | cut -d'|' -f2 | tr ' ' '\n' |
	    sort)" "$man"
}

# The reports that DLProf itself made of these files.
same_reports() {
	local f bad=0

	for f in "$DATA"/dlprof/w_relu/dlprof_*.csv; do
		cmp "$f" "$1/${f##*/}" || bad=1
	done
	[ $bad -eq 0 ]
}

# bats test_tags=more
@test "eight reports, byte for byte: from the export, and from the database" {
	need_data dlprof/w_relu
	W=$DATA/dlprof/w_relu
	dlprof --nsys_database="$W/nsys_profile.sqlite" --reports=all \
	    --formats=csv --output_path=a >out 2>err
	same_reports a
	# the findings on the terminal are those of the report
	same "$(awk -F'","' 'NR > 2 { print substr($1, 2) }' \
	    a/dlprof_expert_systems.csv)" \
	    "$(sed -n '/^Problem detected:/{n;s/^  //p;}' out)"
	grep -x 'Expert Systems Feedback: 4 issues detected' out
	# every report, and the database, is said
	for f in a/*.csv; do
		grep -q "^\[DLProf-.*(./$f)\$" err
	done
	grep 'Creating dlprof database at ./a/dlprof_dldb.sqlite' err
	dlprof --database="$W/dlprof_dldb.sqlite" --reports=all \
	    --output_path=b -v quiet
	same_reports b
	# and from the database that the first run wrote: step two of the guide
	dlprof --database=a/dlprof_dldb.sqlite --reports=all --output_path=a \
	    --force=true >out 2>err
	same_reports a
	[ -s a/dlprof_dldb_1.sqlite ]
	# which says what first made it
	for f in a/dlprof_dldb.sqlite a/dlprof_dldb_1.sqlite; do
		sqlite3 $f 'SELECT original_command FROM view_system_config' |
		    grep -e '--output_path=a' | grep -e '--nsys_database='
	done
	grep 'Creating dlprof database at ./a/dlprof_dldb_1.sqlite' err
	dlprof --database=a/dlprof_dldb.sqlite --key_node=CONV2D_1 \
	    --reports summary iteration -- -f true --output_path a -v quiet
	grep -x 'Total Iterations,2' a/dlprof_summary.csv
	grep '^1,' a/dlprof_iteration.csv
	dlprof --database=a/dlprof_dldb.sqlite --key_op=CONV2D_1 --iter_start=1 \
	    --reports=iteration --force=true --output_path=a -v quiet
	! grep '^0,' a/dlprof_iteration.csv || false
	grep '^1,' a/dlprof_iteration.csv
	# a range that was asked for leaves the database whole
	dlprof --database="$W/nsys_profile.sqlite" --key_node=CONV2D_1 \
	    --iter_start=1 --reports=all --output_path=c -v quiet
	dlprof --database=c/dlprof_dldb.sqlite --reports=all --output_path=d \
	    -v quiet
	for f in c/*.csv; do
		cmp "$f" "d/${f#c/}"
	done
	dlprof --database=c/dlprof_dldb.sqlite --key_node= --reports=all \
	    --output_path=e -v quiet
	same_reports e
}

# bats test_tags=more
@test "JSON reports hold what the CSV reports hold" {
	need_data dlprof/w_relu
	dlprof --database="$DATA/dlprof/w_relu/nsys_profile.sqlite" \
	    --reports=all --formats=csv,json --output_path=o -v quiet
	for f in o/*.csv; do
		echo "$f"
		j=${f%.csv}.json
		jq -e . "$j" >/dev/null
		case $f in *summary*) continue ;; esac
		n=$(jq '[.[] | length] | add' "$j")
		# stack traces hold line ends
		want=$(awk '{ q += gsub(/"/, "") }
		q % 2 == 0 { n++ }
		END { print n - 2 }' "$f")
		[ "$n" -eq "$want" ]
	done
}

@test "a profile is read once" {
	printf '#!/bin/sh\necho x >>"%s"\nexec %s "$@"\n' \
	    "$BATS_TEST_TMPDIR/reads" "$BIN/dlp-parse" >bin/dlp-parse
	chmod +x bin/dlp-parse
	dlprof --database="$LENET" --reports=all --formats=csv,json \
	    --dump_model_data=true --output_path=o -v quiet
	[ "$(wc -l <reads)" -eq 1 ]
	jq -e '.ops | length > 0' o/dlprof_model_data.json
}

# from_database FILE [OPTION...]: the reports of the profile, and those of the
# database of that run, are the same bytes.
from_database() {
	rm -rf a b
	dlprof --database="$1" "${@:2}" --reports=all --formats=csv,json \
	    --output_path=a -v quiet
	dlprof --database=a/dlprof_dldb.sqlite --reports=all \
	    --formats=csv,json --output_path=b -v quiet
	rm -f [ab]/*.sqlite
	same 16 "$(find b -type f | wc -l)"
	diff -r a b
}

# bats test_tags=all
@test "every real profile: reports from the database as from the profile" {
	n=0
	for f in "$LENET" "$DATA"/nsys/*.sqlite "$DATA"/nvprof/*.sqlite \
	    "$DATA"/dlprof/w_relu/*.sqlite "$DATA"/h200/*.sqlite.xz; do
		[ -e "$f" ] || continue
		echo "$f"
		from_database "$f"
		n=$((n + 1))
	done
	[ "$n" -ge 15 ] && { [ ! -e "$DATA/nsys" ] || [ "$n" -ge 30 ]; }
}

# bats test_tags=all
@test "the same with a key and a range, op or NVTX range" {
	from_database "$LENET" --key_node=iteration --iter_start=1 --iter_stop=2
	grep '^Aggregated Iterations,2$' b/dlprof_summary.csv
	from_database "$LENET" --key_node=CONV2D_1
	grep '^Total Iterations,5$' b/dlprof_summary.csv
	from_database "$LENET" --mode=tensorflow2
}

# variant NAME SQL: the original's profile, changed.
variant() {
	cp "$DATA/dlprof/w_relu/nsys_profile.sqlite" "$1.sqlite"
	chmod u+w "$1.sqlite"
	sqlite3 "$1.sqlite" "$2"
}

# bats test_tags=more
@test "a run on the CPU alone: ops, no kernels, all reports" {
	need_data dlprof/w_relu
	variant cpu "$(sqlite3 "$DATA/dlprof/w_relu/nsys_profile.sqlite" "
	SELECT 'DROP TABLE ' || name || ';' FROM sqlite_master
	WHERE type = 'table' AND name LIKE 'CUPTI%'")"
	dlprof --database=cpu.sqlite --reports=all --output_path=x \
	    >out 2>err
	# the original's 34 ops of markers, without those of API calls
	n=$(sqlite3 "$DATA/dlprof/w_relu/dlprof_dldb.sqlite" "SELECT count(*)
	    FROM read_only_ops WHERE op_name NOT LIKE 'unassociated%'")
	same "$n" "$(grep -c '",fprop,"' x/dlprof_detailed.csv)"
	grep -x "All ops,0,2246647898,$n" x/dlprof_summary.csv
	same 2246647898 "$(sqlite3 cpu.sqlite "
	SELECT sum(end - start) FROM NVTX_EVENTS n WHERE eventType = 59 AND
	    text LIKE '{%''mod''%' AND NOT EXISTS (SELECT 1 FROM
	    NVTX_EVENTS o WHERE o.eventType = 59 AND o.rowid <> n.rowid AND
	    o.text LIKE '{%''mod''%' AND o.globalTid = n.globalTid
	    AND o.start <= n.start AND o.end >= n.end)")"
	grep -x 'All kernels,0,0,0' x/dlprof_summary.csv
	grep 'device IDs not used: 0"' x/dlprof_expert_systems.csv
	for r in kernel iteration; do
		same 2 "$(wc -l <x/dlprof_$r.csv)"
	done
	from_database cpu.sqlite
}

# bats test_tags=more
@test "the model's configuration, from markers to database and findings" {
	need_data dlprof/w_relu
	i=0
	sql=
	for config in '"cudnn_benchmark_disabled": true' '"num_workers": 4,
	    "pin_memory": false' '"profile": true'; do
		i=$((i + 1))
		sql="$sql INSERT INTO NVTX_EVENTS (start, end, eventType, text,
		    globalTid) SELECT start - 100 + 10 * $i,
		    start - 95 + 10 * $i, 59,
		    '{\"model_config\": {$config}}', globalTid
		    FROM (SELECT * FROM NVTX_EVENTS WHERE eventType = 59
		    AND text LIKE '{%' ORDER BY start LIMIT 1);"
	done
	variant config "$sql"
	from_database config.sqlite
	grep "cuDNN's benchmark" b/dlprof_expert_systems.csv
	grep 'autograd_profile' b/dlprof_expert_systems.csv
	dlprof --database=config.sqlite --output_path=y -v quiet
	same '4|0|1|0|0|0|1|0|1|0' "$(sqlite3 y/dlprof_dldb.sqlite '
	SELECT num_workers, pin_memory, cudnn_benchmark_disabled,
	    detect_anomaly, gradcheck, gradgradcheck, autograd_profile,
	    autograd_set_detect_anomaly, emit_nvtx, amp_enabled
	FROM read_only_model_config')"
}

@test "--html writes the page of dlp html, and overwrites nothing" {
	cd "$BATS_TEST_TMPDIR"
	dlprof --database="$LENET" --html=p.html -v quiet
	dlp html --title dlprof "$LENET" | cmp - p.html
	run dlprof --database="$LENET" --html p.html -v quiet
	[ "$status" -eq 2 ]
	[[ $output == *"p.html: is there already"* ]]
	dlprof --database="$LENET" --html p.html --force=true --mode=simple -v quiet
	dlp html --title dlprof "$LENET" | cmp - p.html
}

# events FILE: TAG STEP VALUE of an event file, by a reader that shares nothing with
# the writer. A golden case of dlp-tensorboard holds the checksums.
events() {
	PYTHONPATH=$ROOT/tests/bin python3 - "$1" <<-'END'
	import struct, sys
	from pftrace import all_of
	data, at, n = open(sys.argv[1], 'rb').read(), 0, 0
	while at < len(data):
	    size, = struct.unpack('<Q', data[at:at + 8])
	    event = all_of(data[at + 12:at + 12 + size])
	    at += 16 + size
	    assert (event.get(3) == [b'brain.Event:2']) == (n == 0), 'version comes first'
	    n += 1
	    step, time = event.get(2, [0])[0], repr(struct.unpack('<d', event[1][0])[0])
	    if 3 in event:
	        print('version', step, time, sep='\t')
	    for value in (all_of(v) for s in event.get(5, []) for v in all_of(s)[1]):
	        tag = value[1][0].decode()
	        if 2 in value:
	            print(tag, step, time, '%.9g' % struct.unpack('<f', value[2][0]), sep='\t')
	            continue
	        tensor, meta = all_of(value[8][0]), all_of(value[9][0])
	        assert tensor[1] == [7] and all_of(meta[1][0])[1] == [b'text']
	        print(tag, step, time, tensor[8][0].decode(), sep='\t')
	END
}

@test "--tb_dir: an event file with the values of dlp iters and dlp mfu" {
	for db in "$ROOT"/tests/data/{lenet,resnet-after}.sqlite.xz \
	    "$ROOT"/tests/data/h200/gpt2_bf16.sqlite.xz; do
		rm -rf tb o
		dlprof --database="$db" --tb_dir=tb/run --output_path=o -v quiet >out
		same events.out.tfevents.0000000000.dlprof "$(ls tb/run)"
		events tb/run/events.* >got
		dlp iters --tsv "$db" >iters
		dlp mfu --tsv "$db" >mfu 2>err
		# the same, rounded to the float of the file
		python3 - >want <<-'END'
		import csv, struct
		def rows(name):
		    return list(csv.DictReader(open(name), delimiter='\t', quoting=csv.QUOTE_NONE))
		mfu = {r['iter']: r['mfu_pct'] for r in rows('mfu')}
		def put(tag, r, v):
		    v = struct.unpack('<f', struct.pack('<f', v))[0]
		    print(tag, r['iter'], '%.9g' % v, sep='\t')
		for r in rows('iters'):
		    if r['key'] == '-':
		        continue
		    ns = {k: int(v) for k, v in r.items() if k.endswith('_ns') and v != '-'}
		    kern = ns['tc_ns'] + ns['comm_ns'] + ns['other_kern_ns']
		    busy = kern + ns['graph_ns'] + ns['mem_ns']
		    put('step_time_ms', r, ns['step_ns'] / 1e6)
		    put('gpu_busy_pct', r, 100 * busy / (busy + ns['idle_ns']))
		    if kern > 0:
		        put('tensor_core_pct', r, 100 * ns['tc_ns'] / kern)
		    if mfu[r['iter']] != '-':
		        put('mfu_pct', r, float(mfu[r['iter']]))
		END
		same "$(<want)" "$(grep '_ms\|_pct	' got | cut -f1,2,4)"
		[ "$(grep -c '^step_time_ms' got)" -ge 3 ]
		# the wall time is that of the recording
		t0=$(dlp-parse "$db" | awk -F '\t' '$2 == "t0_ns" { print $3 }')
		awk -F '\t' -v t0="${t0:-0}" '$1 == "version" { d = $3 - t0 / 1e9
		    exit !(d < 1 && d > -1) }' got
	done
}

@test "--tb_dir: findings are those of dlp advise, in Markdown; no file twice" {
	db=$ROOT/tests/data/loader.sqlite.xz
	dlprof --database="$db" --tb_dir tb --output_path=o -v quiet >out
	events tb/events.* | sed -n 's/^.*- \*\*\([^*]*\)\*\*.*/\1/p' | tr -d '\\' >got
	dlp advise -a --tsv "$db" 2>err | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	$c["judged"] == "yes" && $c["part_of"] == "-" { print $1 }' |
	    sort >want
	sort -o got got
	[ -s want ]
	same "$(<want)" "$(<got)"
	run dlprof --database="$db" --tb_dir=tb --output_path=o2 -v quiet
	[ "$status" -eq 2 ]
	[[ $output == *"is there already"* ]]
	dlprof --database="$db" --tb_dir=tb --output_path=o3 -b true -v quiet >out
	cp tb/events.* before
	dlprof --database="$db" --tb_dir=tb --output_path=o4 --force=true -v quiet >out
	cmp before tb/events.*
	dlprof --database="$db" --tb_dir=tb2 --output_path=o5 -b true -v quiet >out
	[ ! -e tb2 ]
}

@test "dlprofviewer: the page of a database; servers' options are answered" {
	cd "$BATS_TEST_TMPDIR"
	xz -dc "$ROOT/tests/data/lenet.sqlite.xz" >run.sqlite
	export TMPDIR=$PWD BROWSER=true
	for o in '--port 8000' '-p8000' --port=8000 --bind_all '-b 0.0.0.0'; do
		# shellcheck disable=SC2086 # words
		run -0 dlprofviewer $o run.sqlite
		[[ $output == *"a file that needs no server"* ]]
		[[ $output == *"dlp view: $PWD/dlp-view."*/run.html ]]
	done
	run -2 dlprofviewer
	[[ $output == "usage: dlprofviewer DATABASE" ]]
	run -2 dlprofviewer no-such.sqlite
	[[ $output == *no-such.sqlite* ]]
}
