# What a reader of strangers' files can no longer do (common/sandbox.h):
# tests/bin/probe.c tries it when the command ends, or begins to read.

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
	[[ $got == 'probe read write temporary socket '*'fork spawn ' ]]
	# calls of the kernel of which a container or its user may have few
	[ "$(wc -w <<<"$got")" -ge 30 ]
	[[ $got == *execve*connect*unshare*clone*privileges* ]]
}

@test "it is on with any other value of the variable, and before the first byte is read" {
	has seccomp
	dlp-parse "$LENET" | dlp-correlate >s
	for c in "dlp-parse $LENET" 'dlp-correlate s' 'dlp-fmt s' 'dlp-html s' \
	    'dlp-agg -g op s'; do
		for v in '' no OFF 0; do
			export PROBE_AT=${c##* } DLP_SANDBOX=$v
			# shellcheck disable=SC2086 # words
			got=$(probe $c)
			[[ $got == probe\ * && $got != *@(execve|socket|fork|privileges)* ]]
			[[ $c != dlp-parse* || $got != *write* ]]
			PROBE_AT=/proc/self/fd/0
			same "$got" "$(probe ${c% *} <${c##* })"
		done
	done
	unset PROBE_AT
	[[ $(DLP_SANDBOX=off PROBE_AT=s probe dlp-fmt s) == *execve*fork* ]]
}

@test "without TMPDIR temporary files are in /tmp and /var/tmp" {
	has landlock
	unset TMPDIR
	# the repository can be in /tmp itself
	PROBE_READ=/etc/passwd PROBE_WRITE=/dlp-probe.$$
	for d in /tmp /var/tmp; do
		PROBE_TMP=$(mktemp -u "$d/dlp-probe.XXXXXX")
		same 'probe temporary ' "$(probe dlp-parse "$LENET")"
		rm "$PROBE_TMP"
	done
	[ ! -e "$PROBE_WRITE" ]
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
	! got=$(probe dlp-parse cut) || false
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
	! grep -v '^dlp-record: \|^dlp-mcp: ' all | grep -v ': probe \(\(read\|write\|temporary\) \)*$'
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
	! probe dlp-record --convert spool -o db/c.sqlite || false
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
	same 'probe read write temporary ' \
	    "$(PATH=$PWD/bin:$PATH probe dlp-parse x.nsys-rep)"
	dlp-parse "$LENET" | grep -v '^##cmd' | cmp - <(grep -v '^##cmd' out)
}

@test "nothing on PATH is run, but nsys for its own files" {
	mkdir bin
	printf '#!/bin/sh\necho "$0" >>"%s/ran"\n' "$PWD" >bin/nsys
	chmod +x bin/nsys
	for c in $(compgen -c | grep -E '^[a-z0-9][a-z0-9_.+-]*$' | grep -v '^dlp-\|^nsys$' | sort -u); do
		ln -sf nsys "bin/$c"
	done
	xz -c "$LENET" >l.xz
	gzip -c l.xz >l.gz
	export DLP_SANDBOX=off
	was=$PATH
	for f in "$LENET" l.xz l.gz; do
		PATH=$PWD/bin "$BIN/dlp-parse" "$f" >s 2>err ||
		    /bin/grep -q '^dlp-parse: ' err
		for c in correlate iter flops busy gaps path fmt html advise agg trace; do
			PATH=$PWD/bin "$BIN/dlp-$c" s >/dev/null 2>&1 || :
		done
	done
	[ ! -e ran ]
	echo report >x.nsys-rep
	! PATH=$PWD/bin "$BIN/dlp-parse" x.nsys-rep 2>err || false
	grep -x "$PWD/bin/nsys" ran
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

@test "setuid and setgid: every command refuses; no shell runs ENV or BASH_ENV" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	chmod 755 .
	for c in "$BIN"/dlp-*; do
		cp "$c" s
		for mode in 4755 2755; do
			chown 12345:12345 s
			chmod $mode s
			run -2 ./s -V
			same "${c##*/}: does not run setuid or setgid" "$output"
		done
	done
	echo 'echo ran >&2; exit 7' >tmp/env
	for sh in dlp dlprof pyprof-parse; do
		env ENV=tmp/env BASH_ENV=tmp/env IFS=p HOME=tmp "$sh" -h >out 2>err
		same '' "$(grep -x ran err)"
	done
	env ENV=tmp/env BASH_ENV=tmp/env IFS=p HOME=tmp dlp top "$LENET" |
	    cmp - <(dlp top "$LENET")
}
