# What dlp-parse accepts as its input file, and what it says of the rest.

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir tmp
}

# No temporary file is left, whatever happened.
teardown() {
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
}

@test "plain, xz, zstd and gzip files, by content and not by name; standard input" {
	cp "$LENET" p
	xz -k p && zstd -q p -o p.zst && gzip -k p
	mv p.gz odd.sqlite
	for f in p p.xz p.zst odd.sqlite; do
		[ "$(kernels $f)" -eq 208 ]
		[ "$(kernels - <$f)" -eq 208 ]
		[ "$(cat $f | kernels)" -eq 208 ]
	done
}

@test "files of several compressed streams" {
	for z in xz gzip zstd; do
		(head -c 100000 "$LENET" | $z -c
		    tail -c +100001 "$LENET" | $z -c) >two
		[ "$(kernels two)" -eq 208 ]
	done
	(gzip -c <"$LENET"; head -c 512 /dev/zero) >padded
	[ "$(kernels padded)" -eq 208 ]
}

@test "names with blanks, quotes, newlines, percent signs, dashes" {
	mkdir 'd ?'
	for n in 'a b' "q'\"" $'n\nl' '%2e%41' 'x?mode=rwc#f' '-dash' 'd ?/p' \
	    $'\xff' '::' ':memory:' 'file:x?mode=memory' 'a%41b' \
	    'x?immutable=1'; do
		cp -- "$LENET" "./$n"
		[ "$(kernels -- "$n")" -eq 208 ]
		[ "$(kernels "$PWD/$n")" -eq 208 ]
	done
	[ "$(kernels "/$PWD/a b")" -eq 208 ]
}

# bats test_tags=more
@test "reports and tables that were made from a profile" {
	need_data dlprof/w_relu
	for f in "$DATA"/dlprof/*.csv "$DATA"/dlprof/w_relu/*.csv; do
		refused "*${f##*/}: a report of DLProf: give its database*" \
		    dlp-parse "$f"
	done
	for f in "$DATA"/h200/stats/everything.cuda_gpu_*_sum.csv; do
		refused '*: a table of nsys stats: give the profile*' \
		    dlp-parse "$f"
	done
}

@test "damaged files" {
	head -c 50 "$LENET" >p
	refused '*p: truncated: 50 bytes of a database' dlp-parse p
	head -c 200000 "$LENET" >p
	refused '*p: truncated: 200000 of 516096 bytes' dlp-parse p
	for z in xz gzip zstd; do
		$z -c <"$LENET" | head -c 30000 >./cut
		refused "*cut: truncated $z data at byte 30000" dlp-parse cut
		(head -c 200 cut; head -c 30000 /dev/zero) >bad
		refused "*bad: * $z data at byte *" dlp-parse bad
	done
	cp "$LENET" p
	printf 'XXXXXXXXXXXXXXXXXXXX' |
	    dd of=p bs=1 seek=100 conv=notrunc 2>/dev/null
	refused '*p: corrupt database: *' dlp-parse p
}

@test "a database that is being written" {
	cp "$LENET" p
	mkfifo go
	(echo 'BEGIN IMMEDIATE; SELECT 1;'; cat go) | sqlite3 p >begun &
	while [ ! -s begun ]; do sleep 0.05; done
	refused '*p: locked: process * is writing it' dlp-parse p
	echo >go
	wait
	[ "$(kernels p)" -eq 208 ]
}

# SQLite itself reads a log up to the last whole change without a word.
@test "a write-ahead log that is cut off or damaged is refused" {
	cp "$LENET" p
	mkfifo go
	: >begun
	# small pages and two changes; the log's second use is the shorter one, so
	# frames of the first are behind it
	(echo 'PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = wal;
	    PRAGMA wal_autocheckpoint = 0; CREATE TABLE x (a);
	    INSERT INTO x SELECT start FROM NVTX_EVENTS;
	    PRAGMA wal_checkpoint(restart);
	    DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 100;
	    DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 90;
	    SELECT "done";'; cat go) | sqlite3 p >begun &
	while ! grep -q done begun; do sleep 0.05; done
	cp p q
	cp p-wal q-wal
	echo >go
	wait
	size=$(stat -c %s q-wal)
	[ $(((size - 32) % 536)) -eq 0 ]
	cp q-wal whole
	same 90 "$(kernels q)"
	# frames of this use of the log, which its salt tells: 8 bytes from 16
	salt=$(od -An -tx1 -j16 -N8 q-wal)
	n=0
	while [ "$(od -An -tx1 -j$((32 + n * 536 + 8)) -N8 q-wal)" = "$salt" ]; do
		n=$((n + 1))
	done
	end=$((32 + n * 536))
	[ $n -gt 2 ] && [ $end -lt "$size" ]
	for cut in 10 31 33 $((end - 1)) $((end - 520)) $((end - 535)); do
		head -c $cut whole >q-wal
		refused "*q: its write-ahead log (PATH-wal) is cut off at byte *" \
		    dlp-parse q
	done
	head -c $((32 + 536)) whole >q-wal
	refused "*q: its write-ahead log (PATH-wal) ends in the middle of a change at byte 568,*" \
	    dlp-parse q
	for at in 5 20 $((32 + 30)) $((end - 100)); do
		cp whole q-wal
		# the other bits: a salt is random, and may have any byte there
		# shellcheck disable=SC2059 # the escape is its argument
		printf "\\$(printf %o $((255 - $(od -An -tu1 -j$at -N1 whole))))" |
		    dd of=q-wal bs=1 seek=$at conv=notrunc status=none
		refused "*q: its write-ahead log (PATH-wal) is damaged at byte *" \
		    dlp-parse q
	done
	head -c $end whole >q-wal
	same 90 "$(kernels q)"
	head -c $((end + 300)) whole >q-wal
	same 90 "$(kernels q)"
}

@test "a journal that was left behind" {
	cp "$LENET" p
	echo left >p-journal
	refused '*p: was left in the middle of a change*' dlp-parse p
}

@test "a report without nsys" {
	printf 'report' >"r 1.nsys-rep"
	bin=$(dirname "$(command -v dlp-parse)")
	PATH=$bin refused \
	    "*nsys is not on PATH; where it is, run: nsys export --type sqlite 'r 1.nsys-rep'" \
	    dlp-parse 'r 1.nsys-rep'
}

@test "reports are exported by nsys, without a shell" {
	mkdir bin
	cat >bin/nsys <<-'E'
		#!/bin/sh
		printf '%s\n' "$@" >args
		while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
		echo Processing...
		case $1 in
		*bad*) echo 'Error: no report'; exit 1 ;;
		*none*) exit 0 ;;
		esac
		cp "$LENET" "$out"
	E
	chmod +x bin/nsys
	export LENET PATH=$PWD/bin:$PATH
	for f in 'a $(touch pwned); b.nsys-rep' old.qdrep X.NSYS-REP; do
		printf 'report' >"$f"
		[ "$(kernels "$f")" -eq 208 ]
		[ "$(tail -n 1 args)" = "$f" ]
	done
	printf 'report' >-d.nsys-rep
	[ "$(kernels -- -d.nsys-rep)" -eq 208 ]
	[ "$(tail -n 1 args)" = ./-d.nsys-rep ]
	[ ! -e pwned ]
	printf 'report' >bad.nsys-rep
	refused '*bad.nsys-rep: nsys export failed: Error: no report' \
	    dlp-parse bad.nsys-rep
	printf 'report' >none.nsys-rep
	refused '*none.nsys-rep: nsys export failed: Processing...' \
	    dlp-parse none.nsys-rep
}

@test "no room for the temporary copy" {
	xz -c <"$LENET" >p.xz
	TMPDIR=$PWD/gone refused \
	    '*cannot make a temporary folder: No such file or directory' \
	    dlp-parse p.xz
}
