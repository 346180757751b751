# What a reader of strangers' files can no longer do (common/sandbox.h):
# tests/bin/probe.c tries it when the command ends.

load ../lib
bats_require_minimum_version 1.5.0

setup_file() {
	"${CC:-cc}" -shared -fPIC -o "$BATS_FILE_TMPDIR/probe.so" \
	    "$ROOT/tests/bin/probe.c"
}

setup() {
	[[ ${B:-build} != *san* ]] || skip "does not apply"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp
	echo secret >other
	export PROBE_READ=$PWD/other PROBE_WRITE=$PWD/made PROBE_TMP=$PWD/tmp/x
	export TMPDIR=$PWD/tmp
}

# probe COMMAND...: what worked, in one line.
probe() {
	local rc=0
	LD_PRELOAD=$BATS_FILE_TMPDIR/probe.so "$@" 2>err >out || rc=$?
	sed -n 's/^worked: //p' err | grep -v landlock | tr '\n' ' '
	return $rc
}

has() {
	local can
	can=$(PROBE_WRITE=$PROBE_TMP DLP_SANDBOX=off \
	    LD_PRELOAD=$BATS_FILE_TMPDIR/probe.so dlp-parse -V 2>&1 >/dev/null)
	case $1 in
	landlock) [[ $can == *landlock* ]] ;;
	seccomp) grep -q '^Seccomp_filters' /proc/self/status ;;
	esac || skip "this kernel has no $1"
}

@test "without it all that is tried works, so that the test tests something" {
	got=$(DLP_SANDBOX=off probe dlp-parse "$LENET")
	[[ $got == 'probe read write temporary '*'fork spawn ' ]]
}

@test "dlp-parse runs nothing and speaks to nobody" {
	has seccomp
	got=$(probe dlp-parse "$LENET")
	[[ $got != *@(socket|unix|memory|fork|spawn)* ]]
	grep -q '^##end' out
}

@test "dlp-parse reads what it was told to, and writes into TMPDIR" {
	has landlock
	same 'probe temporary ' "$(probe dlp-parse "$LENET")"
	[ ! -e made ]
	# what is unpacked and what comes by a pipe, too
	xz -c "$LENET" >l.xz
	same 'probe temporary ' "$(probe dlp-parse l.xz)"
	same 'probe temporary ' "$(probe dlp-parse <l.xz)"
	cmp out <(dlp-parse <l.xz)
	# after an error as well
	head -c 3000 l.xz >cut
	! got=$(probe dlp-parse cut)
	same 'probe temporary ' "$got"
}

@test "every command runs nothing and speaks to nobody" {
	has seccomp
	dlp-parse "$LENET" | dlp-correlate | dlp-iter | dlp-flops >in
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		case $c in
		dlp-dldb) args=(--force -o db in) ;;
		dlp-diff) args=(in in) ;;
		dlp-ncu) args=("$ROOT/tests/data/lenet.ncu.tsv" in) ;;
		dlp-pyprof) pyprof-parse "$LENET" >d 2>/dev/null; args=(d) ;;
		dlp-tc) args=(k) ;;
		dlp-parse) args=("$LENET") ;;
		*) args=(in) ;;
		esac
		echo "$c: $(probe "$c" "${args[@]}" </dev/null)"
	done >all
	cat all
	[ "$(grep -c ': probe' all)" -eq "$(ls "$BIN" | grep -c '^dlp-')" ]
	# dlp-record is there to start a program, dlp-mcp to run reports
	! grep -v '^dlp-record: \|^dlp-mcp: ' all |
	    grep -E 'socket|unix|memory|fork|spawn'
}

@test "dlp-record --convert: a spool is read, its database written, no more" {
	has landlock
	has seccomp
	mkdir db
	cp -r "$ROOT/tests/data/spool" .
	# a folder, and one file of it
	for s in spool spool/p26262.0.spool; do
		same 'probe temporary ' "$(TZ=Asia/Tokyo probe dlp-record \
		    --convert $s -o db/a.sqlite --force)"
		[ ! -e made ]
		TZ=Asia/Tokyo DLP_SANDBOX=off dlp-record --convert $s \
		    -o db/b.sqlite --force 2>/dev/null
		sqlite3 db/a.sqlite .dump >a
		sqlite3 db/b.sqlite .dump >b
		[ "$(grep -c '^INSERT' a)" -gt 100 ]
		cmp a b
	done
	# a link that leads out of the spool
	ln -s "$PWD/other" spool/p1.0.spool
	! probe dlp-record --convert spool -o db/c.sqlite
	grep 'p1.0.spool: Permission denied' err
	[ ! -e db/c.sqlite ]
	rm spool/p1.0.spool
	# and the stream, which dlp-parse makes
	dlp-record --convert spool --stream 2>/dev/null | tail -n 1 | grep '^##end'
}

@test "a report of nsys is exported: nsys runs as it did" {
	mkdir bin
	cat >bin/nsys <<-END
	#!/bin/sh
	while [ "\$1" != -o ]; do shift; done
	cp "$LENET" "\$2"
	END
	chmod +x bin/nsys
	echo report >x.nsys-rep
	PATH=$PWD/bin:$PATH dlp-parse x.nsys-rep | grep -v '^##cmd' >got
	dlp-parse "$LENET" | grep -v '^##cmd' | cmp - got
}

@test "a write-ahead log is read, in a folder where SQLite may make its files" {
	cp "$LENET" p
	mkfifo go
	(echo "PRAGMA journal_mode = wal;
	    DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 100;
	    SELECT 1;"; cat go) | sqlite3 p >begun &
	while ! grep -q 1 begun; do sleep 0.05; done
	n=$(dlp-parse p | grep -c '^kern	') || true
	echo >go
	wait
	same 100 "$n"
}
