# Machines in trouble: full disks, files that change, signals, pipes that
# close. What one call that fails does to each command is in fault.bats.

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir tmp
	mkfifo fifo
}

teardown() {
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
}

# A command beside us, begun with a FIFO that stays open as 9.
begin() {
	"$@" <fifo >out 2>err &
	pid=$!
	exec 9>fifo
}

finish() {
	status=0
	exec 9>&-
	wait $pid || status=$?
	cat err
}

kernels() {
	grep -c '^kern	' out
}

# It reads the second file only when the first one is open.
@test "a database that is written while it is read: 2" {
	cp "$LENET" a
	cp "$LENET" b
	begin dlp-parse a -
	sleep 0.5
	sqlite3 a 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1'
	cat b >&9
	finish
	[ "$status" -eq 2 ]
	[ "$(<err)" = 'dlp-parse: a: was written while it was read' ]
	! grep -q '^##end' out || false
	# another file of that name is none of its business
	begin dlp-parse b -
	sleep 0.5
	cp a c && mv c b
	cat a >&9
	finish
	[ "$status" -eq 0 ]
	[ "$(kernels)" -eq 416 ]
}

@test "a write-ahead log that grows: as it was when it was opened" {
	cp "$LENET" a
	cp "$LENET" b
	sqlite3 a 'PRAGMA journal_mode = wal' >log
	mkfifo go
	(echo 'DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 100;
	    SELECT 1;'; cat go) | sqlite3 a >begun &
	while [ ! -s begun ]; do sleep 0.05; done
	begin dlp-parse a -
	sleep 0.5
	sqlite3 a 'DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL'
	cat b >&9
	finish
	echo >go
	[ "$status" -eq 0 ]
	[ "$(kernels)" -eq 308 ]
}

@test "a log left behind in a folder of somebody else" {
	for_others
	mkdir ro
	cp "$LENET" ro/a
	(echo 'PRAGMA journal_mode = wal; DELETE FROM
	    CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 100; SELECT 1;'
	    cat fifo) | sqlite3 ro/a >begun &
	exec 9>fifo
	while ! grep -q 1 begun; do sleep 0.05; done
	cp -r ro "$OPEN/left"
	exec 9>&-
	wait
	[ -s "$OPEN/left/a-wal" ]
	rm -f "$OPEN/left/a-shm"
	chmod 644 "$OPEN"/left/* && chmod 555 "$OPEN/left"
	cp "$BIN/dlp-parse" "$OPEN"
	status=0
	as_other "$OPEN/dlp-parse" "$OPEN/left/a" >out 2>err || status=$?
	cat err
	rm -rf "$OPEN"
	if [ "$status" -eq 0 ]; then
		[ "$(kernels)" -eq 100 ]
	else
		[ "$status" -eq 2 ]
		grep -q 'left/a: its write-ahead log cannot be read' err
	fi
}

@test "files that may grow no further: 2, a line, nothing left" {
	xz -c <"$LENET" >a.xz
	(ulimit -f 20; dlp-parse a.xz >out 2>err) || status=$?
	cat err
	[ "$status" -eq 2 ]
	grep -q '^dlp-parse: a.xz: cannot write .*File too large$' err
	dlp-parse "$LENET" | dlp-correlate -D | dlp-iter -D --one |
	    dlp-flops >in
	status=0
	(ulimit -f 20; dlp-dldb -o db in 2>err) || status=$?
	cat err
	[ "$status" -eq 2 ]
	[ -z "$(ls db* 2>/dev/null)" ]
}

@test "a full disk under TMPDIR and under the output" {
	[ "$(id -u)" -eq 0 ] || skip "does not apply"
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null || skip "no mount"
	xz -c <"$LENET" >a.xz
	status=0
	TMPDIR=$PWD/small dlp-parse a.xz >out 2>err || status=$?
	left=$(ls -A small)
	dlp-parse "$LENET" >small/out 2>err2 && rc=0 || rc=$?
	umount small
	cat err err2
	[ "$status" -eq 2 ]
	[ "$rc" -eq 2 ]
	[ -z "$left" ]
	grep -q '^dlp-parse: a.xz: cannot write .*No space left' err
	grep -q '^dlp-parse: standard output: No space left' err2
}

# ops N: a stream of so many ops, no two alike.
ops() {
	awk -v n="$1" 'BEGIN {
		print "##dlp\t1\n#op\top_id\top\tshapes"
		for (i = 0; i < n; i++)
			print "op\t" i "\tlinear\t[[" i ",3],[4,3]]"
		print "##end\t" n
	}'
}

@test "ops beyond -S lie in TMPDIR, and a full disk there is told" {
	ops 100000 >in
	dlp-flops in >want
	dlp-flops -S 4K <in >out
	sed /^##cmd/d out | cmp - <(sed /^##cmd/d want)
	TMPDIR=$PWD/none dlp-flops -S 4K in >out 2>err && rc=0 || rc=$?
	cat err
	[ "$rc" -eq 2 ]
	grep -q '^dlp-flops: .*none/dlp-flops.*No such file' err
	[ "$(id -u)" -eq 0 ] || return 0
	mkdir small
	mount -t tmpfs -o size=1m none small 2>/dev/null || return 0
	TMPDIR=$PWD/small dlp-flops -S 4K in >out 2>err && rc=0 || rc=$?
	umount small
	cat err
	[ "$rc" -eq 2 ]
	grep -q '^dlp-flops: temporary file (see TMPDIR): No space left' err
	! grep -q '^##end' out
}

@test "SIGTERM: 143, and no temporary file, for every command" {
	dlp-parse "$LENET" >other
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		case $c in
		dlp-ncu) set -- "$ROOT/tests/data/lenet.ncu.tsv" ;;
		dlp-events) set -- -e relu ;;
		dlp-stats) set -- -r cuda_gpu_kern_sum ;;
		dlp-dldb) set -- -o db ;;
		dlp-diff | dlp-merge) set -- - other ;;
		dlp-mcp) set -- "$ROOT/pipelines/dlp" "$PWD" ;;
		dlp-record) continue ;; # it runs a program: dlp-record.bats
		*) set -- ;;
		esac
		begin "$c" "$@"
		sleep 0.1
		kill -TERM $pid
		finish
		[ "$status" -eq 143 ] || { echo "$c: $status"; return 1; }
		[ ! -s err ] || { echo "$c: $(<err)"; return 1; }
		[ -z "$(ls db* 2>/dev/null)" ]
	done
}

@test "SIGTERM to all of a report: 143, no file, no process" {
	head -c 200000 "$LENET" >part # more than is looked at to know the kind
	setsid dlp top - <fifo >out 2>err &
	pid=$!
	exec 9>fifo
	cat part >&9
	for i in $(seq 100); do
		[ -z "$(ls tmp)" ] || break
		sleep 0.1
	done
	[ -n "$(ls tmp)" ]
	kill -TERM -- -$pid
	finish
	[ "$status" -eq 143 ]
	# what is dead but was not asked after does not count
	for i in $(seq 50); do
		left=$(ps -e -o pgid=,stat=,comm= | awk -v p=$pid \
		    '$1 == p && $2 !~ /^Z/')
		[ -n "$left" ] || break
		sleep 0.1
	done
	echo "$left"
	[ -z "$left" ]
}

# view leaves its page for the browser: html.bats; plot's first word is a report:
# plot.bats; events wants an op: events.bats; these four read other operands:
# baseline.bats, mcp.bats, json.bats, formats.bats
reports() {
	dlp | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | sort -u |
	    grep -vx -e diff -e dldb -e stats -e ranks -e view -e plot -e events \
	    -e baseline -e mcp -e skill -e sqlite
}

@test "reports: into head no word; a closed or full output is 2, as a closed input that is read" {
	[ "$(reports | wc -l)" -gt 20 ]
	for r in $(reports); do
		echo "$r"
		# it does not need its standard input
		rc=0
		bash -c 'dlp "$@" <&- | head -n 1 >/dev/null
		    exit ${PIPESTATUS[0]}' - $r "$LENET" 2>err || rc=$?
		[ $rc -eq 0 ] || [ $rc -eq 141 ]
		! grep -i 'pipe\|##end\|cut off\|terminated\|standard input' err || false
		rc=0
		dlp $r "$LENET" >&- 2>err || rc=$?
		[ $rc -eq 2 ]
		rc=0
		dlp $r "$LENET" >/dev/full 2>>err || rc=$?
		[ $rc -eq 2 ]
		! grep -q 'Broken pipe' err || false
		rc=0
		dlp $r - <&- 2>err || rc=$?
		[ $rc -eq 2 ]
		same ': standard input: cannot read: it is closed' \
		    "$(grep -o ': standard input: .*' err)"
	done
	for p in 'pyprof-parse' 'pyprof-prof' 'pyprof-parse -' 'pyprof-prof -'; do
		rc=0
		$p <&- >out 2>err || rc=$?
		[[ $rc -eq 2 && $(<err) == *': standard input: '*'it is closed' ]]
	done
}

@test "a line of 20 MB" {
	[[ ${B:-build} != *san* ]] || skip "does not apply"
	{
		printf '##dlp\t1\n#kern\tidx\tstart_ns\tdur_ns\tshort\tdev\n'
		printf 'kern\t1\t0\t5\t'
		head -c 20000000 /dev/zero | tr '\0' x
		printf '\t0\n##end\t1\n'
	} >in
	for c in 'dlp-fmt --tsv' 'dlp-agg -g short' dlp-gaps 'dlp-iter --one'; do
		$c in >out
		[ "$(wc -c <out)" -gt 20000000 ]
	done
}
