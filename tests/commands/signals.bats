# Signals to a script alone, as make and batch systems send them: what it has
# started ends too, and its files are removed.

# bats file_tags=long
load ../lib

# A dlp-parse that never ends is first on PATH for some; others read a FIFO.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir in tmp slow
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkfifo fifo
	exec 9<>fifo
	printf '#!/bin/sh\n: >../begun\nsleep 100\n' >slow/dlp-parse
	printf '#!/bin/sh\n[ "$1" != profile ] || sleep 100\n' >slow/nsys
	chmod +x slow/*
	cp "$LENET" in/run.sqlite
}

teardown() {
	exec 9>&-
	[ -z "$(inside)" ] || kill -KILL $(inside)
}

# Processes that work in the folder in.
inside() {
	find /proc/[0-9]*/cwd -maxdepth 0 -lname "$BATS_TEST_TMPDIR/in" \
	    2>/dev/null | cut -d / -f 3
}

# begin COMMAND...: in the background, where signals would be ignored.
begin() {
	(cd in && exec env --default-signal=INT,QUIT,HUP,TERM \
	    "$@" <../fifo 9>&- >../out 2>../err) &
	pid=$!
}

# Until N processes are there.
wait_until() {
	local n=0
	until [ "$(inside | wc -l)" -ge "$1" ]; do
		sleep 0.05
		[ $((n += 1)) -lt 200 ]
	done
}

# gone STATUS: so it ends, and nothing is left.
gone() {
	local rc=0

	wait $pid || rc=$?
	[ $rc -eq "$1" ] || { echo "status $rc: $(<err)"; return 1; }
	[ -z "$(inside)" ] || { echo "left: $(inside)"; return 1; }
	[ -z "$(ls -A tmp)" ] || { ls -lAR tmp >&2; false; }
}

# And without a word.
ended() {
	gone "$1" && { [ ! -s err ] || { cat err; return 1; }; }
}

@test "a signal to dlp, pyprof-prof, pyprof-parse: the filters end" {
	for sh in dash bash; do
		for script in 'dlp top --csv -' 'dlp -' 'dlp ops -' \
		    'dlp openmetrics -o x -' 'pyprof-parse -'; do
			read -ra words <<<"$script"
			for s in TERM:143 INT:130 HUP:129 QUIT:131; do
				begin $sh "$ROOT/pipelines/${words[0]}" \
				    "${words[@]:1}"
				wait_until 6
				kill -s ${s%:*} $pid
				ended ${s#*:}
			done
		done
		begin $sh "$ROOT/pipelines/pyprof-prof" run.sqlite
		kill $pid
		ended 143
	done
	same run.sqlite "$(ls -A in)"
}

@test "a signal to dlp FILE FILE: the reports end, their file goes" {
	PATH=$PWD/slow:$PATH
	for sh in dash bash; do
		begin $sh "$ROOT/pipelines/dlp" --tsv run.sqlite run.sqlite
		wait_until 9
		[ -n "$(ls -A tmp)" ]
		kill $pid
		ended 143
	done
}

# The first of four files has been read, two are being read.
@test "a signal in the middle of dlp -j 2 --tsv FILE...: all jobs end" {
	cat >slow/dlp-parse <<-EOF
	#!/bin/sh
	case "\$*" in
	*hang*) : >../begun.\$\$; sleep 100 ;;
	*) exec "$BIN/dlp-parse" "\$@" ;;
	esac
	EOF
	for f in hang1 hang2 hang3; do cp "$LENET" in/$f.sqlite; done
	PATH=$PWD/slow:$PATH
	for sh in dash bash; do
		for s in TERM:143 INT:130; do
			begin $sh "$ROOT/pipelines/dlp" -j 2 --tsv run.sqlite \
			    hang1.sqlite hang2.sqlite hang3.sqlite
			until [ "$(cat out | wc -l)" -eq 2 ] &&
			    [ "$(ls begun.* | wc -l)" -eq 2 ]; do
				sleep 0.05
			done 2>/dev/null
			[ -n "$(ls -A tmp)" ]
			kill -s ${s%:*} $pid
			ended ${s#*:}
			same run.sqlite "$(sed 1d out | cut -f1)"
			rm begun.*
		done
	done
	rm in/hang?.sqlite
}

@test "a signal to dlprof: filters, FIFOs and folder go" {
	for sh in dash bash; do
		for mode in pytorch simple; do
			(
				PATH=$PWD/slow:$PATH
				begin $sh "$ROOT/pipelines/dlprof" \
				    --mode=$mode --database=run.sqlite \
				    --reports=all --dump_model_data=true
				wait_until 6
				[ -n "$(ls -Ad in/.dlprof.*)" ]
				kill $pid
				gone 143
			)
			same run.sqlite "$(ls -A in)"
		done
	done
}

@test "a signal to dlprof that records: nsys and the program end" {
	PATH=$PWD/slow:$PATH
	for sh in dash bash; do
		begin $sh "$ROOT/pipelines/dlprof" sleep 100
		wait_until 3
		kill $pid
		gone 143
	done
}

@test "a signal to make, to its recipe: no target, nothing beside it" {
	PATH=$PWD/slow:$PATH
	for t in run.top.csv run.dlp run.part; do
		begin env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s \
		    -f "$ROOT/pipelines/dlp-batch.mk" $t
		until [ -e begun ]; do sleep 0.05; done
		kill $pid
		gone 143
		rm begun
		same run.sqlite "$(ls -A in)"
	done
}

@test "a signal to the recipe for parallel: the jobs end" {
	command -v parallel >/dev/null || skip "no GNU parallel"
	PATH=$PWD/slow:$PATH
	begin sh "$ROOT/pipelines/batch/parallel.sh" top out run.sqlite
	until [ -e begun ]; do sleep 0.05; done
	kill $pid
	ended 143
	same joblog "$(ls -A in/out)"
}

# Ctrl-C at a terminal: all have it, not only the script.
@test "a signal to the whole group: ends at once, no word" {
	for sh in dash bash; do
		begin setsid $sh "$ROOT/pipelines/dlp" top --csv -
		wait_until 6
		kill -s INT -- -$pid
		ended 130
	done
}

# Before the trap, while filters are being started, when all wait.
# bats test_tags=all
@test "a signal at any moment: nothing is left" {
	for sh in dash bash; do
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
			begin $sh "$ROOT/pipelines/dlp" overview -
			sleep 0.$((RANDOM % 2))$((RANDOM % 10))
			kill $pid
			rc=0
			wait $pid || rc=$?
			[ $rc -eq 143 ]
			# what runs before the trap ends by itself
			n=0
			while [ -n "$(inside)" ]; do
				[ $((n += 1)) -lt 40 ]
				sleep 0.05
			done
			[ -z "$(ls -A tmp)" ]
		done
	done
}
