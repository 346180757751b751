# dlp-record beside the golden cases of tests/cases/record: what takes part while
# the program runs, files, signals, damage. The programs are tests/record/*.c:
# fakecuda plays a driver with a libcupti of its own, so no test needs a GPU or CUDA.

# bats file_tags=long
load ../lib
load ../record/lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD/tmp
	mkdir tmp
}

# await COMMAND...: until it succeeds, at most a minute.
await() {
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.1
	done
	false
}

@test "--arm: NVTX's schemas that were registered before the recording" {
	them="SELECT * FROM NVTX_PAYLOAD_SCHEMAS;
	    SELECT * FROM NVTX_PAYLOAD_SCHEMA_ENTRIES ORDER BY 3;
	    SELECT * FROM NVTX_PAYLOAD_ENUMS;
	    SELECT * FROM NVTX_PAYLOAD_ENUM_ENTRIES ORDER BY 3"
	record -t nvtx -- nvtxext
	armed -t nvtx -- nvtxext 4
	dlp-record --trigger $pid --steps 4 >file
	same "$(sql "$them")" "$(sqlite3 run-1.sqlite "$them")"
	wait $pid
}

# bats test_tags=more
@test "columns and types are those of nsys export" {
	f=$DATA/recorder/every.nsys.sqlite.xz
	need_data recorder/every.nsys.sqlite.xz
	xz -dc "$f" >n.sqlite
	record -m --sync -- fakecuda init push=a 2 pop
	for t in $(sql "SELECT name FROM sqlite_master WHERE type = 'table'"); do
		want=$(sqlite3 n.sqlite "SELECT name, type, \"notnull\", pk FROM
		    pragma_table_info('$t')")
		[ -n "$want" ] || { [ "$t" = CUDA_GRAPH_NODE_EVENTS ] && continue; }
		same "$want" "$(sql "SELECT name, type, \"notnull\", pk FROM
		    pragma_table_info('$t')")"
	done
}

@test "--max, and a full disk: what was recorded is whole, one line says so" {
	record --max 600K -- fakecuda init push=a 20000 pop
	[ "$status" -eq 0 ]
	[ "$(kernels)" -gt 100 ]
	[ "$(wc -l <err)" -le 2 ]
	grep -q 'the recording ended early' err
}

@test "-o: exists, --force, %p %h %q{VAR}" {
	: >there
	status=0
	dlp-record -o there -- fakecuda nvtx >out 2>err || status=$?
	[ "$status" -eq 2 ]
	[ ! -s out ] # the program did not run
	same "dlp-record: there exists already; --force writes over it" "$(<err)"
	RANK=3 dlp-record -t nvtx -o 'r%q{RANK}.%p.%%.sqlite' -- fakecuda nvtx exit=3 \
	    >out || true
	f=(r3.*.%.sqlite)
	pid=$(sqlite3 "${f[0]}" "SELECT pid FROM PROCESSES")
	[ "${f[0]}" = "r3.$pid.%.sqlite" ]
	dlp-record --force -t nvtx -o there -- fakecuda nvtx >out
	same 1 "$(sqlite3 there 'SELECT count(*) FROM PROCESSES')"
	refused '*NO_SUCH*' dlp-record -o '%q{NO_SUCH}' -- true
	refused '*--op-steps needs --markers' dlp-record --op-steps 2 -- true
	refused "*'all' is not one of alternate, ops, layers" \
	    dlp-record --markers=all -- true
}

@test "a read-only folder, no folder for the spool: a line, and it runs" {
	for_others
	mkdir "$OPEN"/{bin,ro,tmp}
	cp "$BIN/dlp-record" "$R/fakecuda" "$OPEN/bin"
	cp -r "$BIN/../lib" "$OPEN"
	chmod -R go+rX "$OPEN"
	chmod 777 "$OPEN/tmp"
	status=0
	as_other env TMPDIR="$OPEN/tmp" "$OPEN/bin/dlp-record" -t nvtx \
	    -o "$OPEN/ro/x.sqlite" -- "$OPEN/bin/fakecuda" nvtx exit=3 >out 2>err || status=$?
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
	dlp-record --stream -t nvtx -- fakecuda nvtx >out 2>err
	[[ $(head -n 1 out) == '##dlp	1' ]]
	grep -qx done err
	dlp-record --stream --stdout o -t nvtx -- fakecuda nvtx >out 2>err
	same done "$(<o)"
	dlp-record --stream --cupti "$R/libcupti.so.13" -- fakecuda init \
	    push=add 3 pop 2>err | dlp-correlate |
	    dlp-agg -T kern -a count | dlp-fmt --tsv >got
	same "n
9" "$(<got)"
}

# bats test_tags=all
@test "--convert: what SIGKILL of dlp-record left; what is no recording: 2" {
	mkfifo go
	dlp-record -t nvtx -o a.sqlite -- sh -c "fakecuda nvtx; read x <go" \
	    >out 2>err &
	pid=$!
	await grep -qs done out
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

# armed WORD...: fakecuda under --arm, in the background; $pid.
armed() {
	export FAKE_CUPTI=$R/libcupti.so.13
	# without 3, the test ends if it fails while the program goes on
	dlp-record --cupti "$R/libcupti.so.13" --arm -o run-%n.sqlite "$@" >out \
	    2>err 3>&- &
	pid=$!
	await are_armed 1 || { cat err; false; }
}

# are_armed N: processes are, that many or more.
are_armed() {
	[ "$(compgen -G 'tmp/dlp-record.*/armed.*' | wc -l)" -ge "$1" ]
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
	armed -- fakecuda init "${steps[@]}" finalized
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
	armed -- fakecuda init sleep=1000 'push=iteration 1' 1 pop
	dlp-record --trigger $pid --steps 5 >file
	same '1|0 3' "$(steps_of run-1.sqlite)"
	wait $pid
	mkfifo go
	armed -t nvtx -- sh -c "fakecuda nvtx exit=3; read x <go"
	dir=$(echo tmp/dlp-record.*)
	fails "$dir"
	grep -q 'nothing was recorded' err
	echo >go
	wait $pid || true
	fails $pid
	# dlp-record is killed, and then its program
	armed -- fakecuda init sleep=60000
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
	armed --max 300K -- fakecuda init 200 sleep=1000 200 sleep=1500 20000 \
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
	await are_armed 2
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

# live WORD...: fakecuda's records as they come.
live() {
	timeout 100 dlp-record --cupti "$R/libcupti.so.13" --flush 0.1 --live "$@" \
	    2>err
}

@test "--live, --power: records come while the program runs, samples in each section" {
	export LD_LIBRARY_PATH=$R
	# it waits for a file, which is made when its first kernels are here
	live --power -o a.sqlite -- fakecuda init push='iteration 0' 1 sleep=300 pop \
	    push='iteration 1' 2 pop await=go push='iteration 2' 3 sleep=300 pop exit=7 |
	    while IFS= read -r line; do
		case $line in kern*) [ -e go ] || : >go ;; esac
		printf '%s\n' "$line"
	    done >live
	[ "$(cut -f 1 live | grep -c '^##dlp')" -ge 2 ]
	awk '/^##dlp/ { n = 0 }
	    /^series/ { n++ }
	    /^##end/ && n == 0 { exit 1 }' live
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
	live -- fakecuda init 1 exit=7 >/dev/null || status=$?
	[ "$status" -eq 7 ]
	status=0
	{ live -- fakecuda init 5 exit=8 || echo "$?" >status; } | head -n 1
	[ "$(<status)" -eq 8 ]
	status=0
	live -- fakecuda init push=a 5 kill=9 >live || status=$?
	[ "$status" -eq 137 ]
	# the range is open
	same - "$(awk -F '\t' '$1 == "range" { print $4 }' live)"
}

@test "--live: NVTX of all kinds, threads, processes: what --stream has" {
	for how in threads fork exec; do
		timeout 60 dlp-record --live --flush 0.1 -t nvtx -- \
		    fakecuda nvtx "$how" >live 2>/dev/null || true
		timeout 60 dlp-record --stream -t nvtx -- fakecuda nvtx "$how" \
		    >whole 2>/dev/null || true
		for f in live whole; do
			awk -F '\t' '$1 == "range" || $1 == "mark" {
			    print $1, $(NF - 1), $NF }' "$f" | sort >"$f.rows"
		done
		cmp live.rows whole.rows
	done
}

@test "dlp top --follow: a table for each section" {
	live -- fakecuda init push='iteration 0' 1 pop \
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
		record --power -- fakecuda init push='iteration 0' 5 sleep=400 pop
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
	NVML=none record --power -- fakecuda init 1 exit=3
	[ "$status" -eq 3 ]
	same 'dlp-record: --power: NVML finds no driver, so energy is not recorded' \
	    "$(<err)"
	[ "$(kernels)" -eq 3 ]
}

@test "--live, --power: CUPTI is refused, its seat is taken, the file is full" {
	export LD_LIBRARY_PATH=$R
	for f in rights seat refuse; do
		status=0
		FAKE=$f live --power -- fakecuda init push=a 1 pop exit=9 \
		    >live || status=$?
		cat err
		[ "$status" -eq 9 ]
		[ "$(grep -c 'dlp-record: ' err)" -eq 1 ]
		same a "$(awk -F '\t' '$1 == "range" { print $10 }' live)"
		same '##end' "$(tail -n 1 live | cut -f 1)"
	done
	status=0
	live --power --max 600K -- fakecuda init push=a 20000 pop \
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
	    sh -c "fakecuda init push=a 2 pop sleep=300 1; : >done; read x <go" \
	    >out 2>err &
	pid=$!
	await [ -e done ]
	pgrep -P $pid >children
	[ "$(wc -l <children)" -eq 2 ] # the program, and who asks for power
	kill -9 $pid
	echo >go
	wait $pid || true
	ended() { ! ps -o stat= -p "$(paste -sd , children)" | grep -qv Z; }
	await ended
	dlp-record --convert tmp/dlp-record.* -o a.sqlite
	[ "$(kernels)" -eq 9 ]
	[ "$(sql 'SELECT count(*) >= 4 AND min(start) <= 0 FROM DLP_SERIES')" -eq 1 ]
}
