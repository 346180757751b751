# Batches: the make rules and the GNU parallel recipe, on the shipped profile.

# bats file_tags=long
load ../lib

MK=$ROOT/pipelines/dlp-batch.mk

mk() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -f "$MK" "$@"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cp "$LENET" run1.sqlite
	cp "$ROOT/tests/data/lenet.sqlite.xz" run2.sqlite.xz
	echo nothing >bad.sqlite.no
}

@test "make: a report of each kind of file is what dlp writes" {
	mk -j2 run1.top.csv run2.ops.json run1.folded.txt run1.stats.csv
	cmp run1.top.csv <(dlp top --csv run1.sqlite)
	cmp run2.ops.json <(dlp ops --json run2.sqlite.xz)
	cmp run1.folded.txt <(dlp folded run1.sqlite)
	cmp run1.stats.csv <(dlp stats -f csv \
	    -r cuda_gpu_kern_sum,cuda_api_sum run1.sqlite)
}

@test "make: DLProf's report, and a folder by all" {
	mk -j2 REPORTS='kernel ops' FORMATS=csv
	same "run1.kernel.csv run1.ops.csv run2.kernel.csv run2.ops.csv" \
	    "$(echo *.csv)"
	cmp run1.kernel.csv <(dlp kernel --csv run1.sqlite)
	# nothing is made twice
	[ -z "$(mk --no-silent -n REPORTS='kernel ops' | grep dlp)" ]
}

@test "make: a stream, partial results and their merge" {
	mk -j2 run1.dlp total.tsv
	cmp run1.dlp <(dlp-parse -- run1.sqlite | dlp-correlate | dlp-flops)
	n=$(sqlite3 run1.sqlite \
	    'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')
	got=$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) p[$i] = i; next }
	    { n += $p["n"] } END { print n }' total.tsv)
	[ "$got" -eq $((2 * n)) ]
}

@test "make: a failure leaves no target, the others are made" {
	mv bad.sqlite.no bad.sqlite
	rc=0
	mk -k -j2 2>err || rc=$?
	[ $rc -ne 0 ]
	grep bad.sqlite err
	same "run1.top.csv run2.top.csv" "$(echo *.csv)"
	for t in bad.dlp bad.part total.tsv; do
		rc=0
		mk $t 2>err || rc=$?
		[ $rc -ne 0 ]
		[ ! -e $t ]
	done
	[ -z "$(find . -name '*.tmp')" ]
}

@test "make: names with blanks are left out, and said; the others are made" {
	cp run1.sqlite 'a b.sqlite'
	cp run1.sqlite 'c  d.sqlite'
	mk 2>err
	same "run1.top.csv run2.top.csv" "$(echo *.csv)"
	[ "$(grep -c 'left out' err)" -eq 1 ]
	grep "'./a b.sqlite' './c  d.sqlite'" err
	# a total is of all files, or there is none
	rc=0
	mk -k total.tsv 2>err || rc=$?
	[ $rc -eq 2 ]
	grep "'./a b.sqlite'" err
	[ ! -e total.tsv ]
	mkdir done
	mv 'a b.sqlite' 'c  d.sqlite' done
	mk total.tsv 2>err
	[ -s total.tsv ]
	[ ! -s err ]
}

@test "make: a folder with a blank, and two profiles of one name, are refused" {
	mkdir 'a b' two
	cp run1.sqlite 'a b'
	rc=0
	mk DIR='a b' 2>err || rc=$?
	[ $rc -eq 2 ]
	grep "DIR='a b'" err
	rc=0
	mk DIR=nothing 2>err || rc=$?
	[ $rc -eq 2 ]
	grep "DIR='nothing'" err
	cp run1.sqlite two
	cp run2.sqlite.xz two/run1.sqlite.xz
	cp run1.sqlite two/run3.sqlite
	for goal in all total.tsv two/run1.ops.csv two/run1.part; do
		rc=0
		mk -k DIR=two $goal 2>err || rc=$?
		[ $rc -eq 2 ]
		grep "'two/run1.sqlite' and 'two/run1.sqlite.xz'" err
	done
	same "run1.sqlite run1.sqlite.xz run3.sqlite" "$(cd two && echo *)"
	# another file of the folder is made
	mk two/run3.ops.csv
	[ -s two/run3.ops.csv ]
}

@test "parallel: files that would write one report are refused, both named" {
	mkdir a b
	mv run1.sqlite a/run.sqlite
	mv run2.sqlite.xz b/run.sqlite.xz
	: >b/run.json.xz
	for second in b/run.sqlite.xz b/run.json.xz ./a/run.sqlite; do
		rc=0
		sh "$ROOT/pipelines/batch/parallel.sh" top out a/run.sqlite \
		    $second 2>err || rc=$?
		[ $rc -eq 2 ]
		grep "'a/run.sqlite' and '$second' would write one report" err
		[ ! -e out ]
	done
}

@test "parallel: local; names with blanks; a bad file is exit 2" {
	command -v parallel >/dev/null || skip "no GNU parallel"
	p=$ROOT/pipelines/batch/parallel.sh
	mv run1.sqlite "run 'one'.sqlite"
	JOBS=2 sh "$p" top out *.sqlite run2.sqlite.xz
	cmp "out/run 'one'.top.csv" <(dlp top --csv "run 'one'.sqlite")
	[ -s out/run2.top.csv ]
	mv bad.sqlite.no bad.sqlite
	rc=0
	JOBS=2 sh "$p" ops out *.sqlite 2>err || rc=$?
	[ $rc -eq 2 ]
	[ -s "out/run 'one'.ops.csv" ]
	[ ! -e out/bad.ops.csv ]
	grep "no report of 'bad.sqlite'" err
}

# Both have begun their first report before either ends it.
@test "parallel: two at once into one folder" {
	command -v parallel >/dev/null || skip "no GNU parallel"
	mkdir bin
	cat >bin/dlp <<-END
	#!/bin/sh
	: >"$PWD/begun.\$1"
	until [ -e "$PWD/begun.top" ] && [ -e "$PWD/begun.ops" ]; do
		sleep 0.05
	done
	exec "$ROOT/pipelines/dlp" "\$@"
	END
	chmod +x bin/dlp
	for r in top ops; do
		DLP_BIN=$PWD/bin JOBS=1 sh "$ROOT/pipelines/batch/parallel.sh" \
		    $r out run1.sqlite run2.sqlite.xz 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	same "joblog run1.ops.csv run1.top.csv run2.ops.csv run2.top.csv" \
	    "$(ls -A out | tr '\n' ' ' | sed 's/ $//')"
	for r in top ops; do
		cmp out/run1.$r.csv <(dlp $r --csv run1.sqlite)
		cmp out/run2.$r.csv <(dlp $r --csv run2.sqlite.xz)
	done
	# of one of them, with both of its jobs
	same 1 "$(awk 'NR > 1' out/joblog | grep -o 'dlp [a-z]*' | sort -u | wc -l)"
	same 3 "$(wc -l <out/joblog)"
}

@test "slurm.sh: of several at once into one folder, one submits" {
	mkdir bin
	printf '#!/bin/sh\n[ ! -e "%s" ] || exit 1\necho 7\n' "$PWD/down" >bin/sbatch
	chmod +x bin/sbatch
	PATH=$PWD/bin:$PATH
	for i in 1 2 3 4 5 6; do
		sh "$ROOT/pipelines/batch/slurm.sh" out run$((i % 2 + 1)).sq* \
		    >got.$i 2>err.$i 3>&- &
	done
	wait
	same '7 7' "$(cat got.*)"
	same 5 "$(cat err.* | grep -c 'out/files: if it exists, another batch uses')"
	same 5 "$(cat err.* | wc -l)"
	# the list is that of the one that submitted
	i=$(grep -l 7 got.*)
	same "$PWD/$(echo run$((${i#got.} % 2 + 1)).sq*)" "$(cat out/files)"
	# one that submits nothing leaves the folder free
	: >down
	rc=0
	sh "$ROOT/pipelines/batch/slurm.sh" o2 run1.sqlite 2>err || rc=$?
	[ $rc -eq 2 ]
	same '' "$(ls -A o2)"
}

@test "slurm.sh: its steps, without a scheduler" {
	s=$ROOT/pipelines/batch/slurm.sh
	mkdir bin
	cat >bin/sbatch <<-'END'
	#!/bin/sh
	for a; do
		case $a in --array=1-*) n=${a#*-}; n=${n##*-} ;; esac
		last=$a
	done
	i=0
	while [ $i -lt "${n:-0}" ]; do
		i=$((i + 1))
		SLURM_ARRAY_TASK_ID=$i sh "$last" || exit
	done
	[ -n "$n" ] || sh "$last" || exit
	echo 7
	END
	chmod +x bin/sbatch
	mkdir out
	: >out/9.part.tmp # of a node that went down
	# the second time, the first batch has ended
	for i in 1 2; do
		PATH=$PWD/bin:$PATH sh "$s" out run1.sqlite run2.sqlite.xz
	done
	same "$PWD/run1.sqlite $PWD/run2.sqlite.xz" \
	    "$(tr '\n' ' ' <out/total.files | sed 's/ $//')"
	[ ! -e out/files ]
	mk total.tsv
	cmp total.tsv out/total.tsv
	[ -z "$(ls out/*.tmp 2>/dev/null)" ]
	# as a tree, of ranks, by one task: the ranks are those of the whole
	cp "$ROOT"/tests/data/ddp?.sqlite.xz .
	same '7 7 7' "$(PATH=$PWD/bin:$PATH FAN=1 TASKS=1 RANKS='-k iteration' sh "$s" o2 \
	    ddp0.sqlite.xz ddp1.sqlite.xz)"
	dlp-parse --src ddp?.sqlite.xz | dlp-correlate | dlp-flops |
	    dlp-agg -T kern -g op,short -a count,sum,max -f dur_ns --sort -sum |
	    dlp-fmt --tsv | cmp - o2/total.tsv
	for t in straggler heat total skew coll; do
		cmp <(dlp ranks -t $t --tsv o2/ranks.dlp) \
		    <(dlp ranks -t $t --tsv -k iteration ddp?.sqlite.xz)
	done
	[ "$(dlp ranks -t straggler --tsv o2/ranks.dlp | wc -l)" -eq 2 ]
}

@test "slurm.sh: a task or the reduce step that is ended leaves nothing" {
	mkdir bin out
	printf '#!/bin/sh\necho "##dlp	1"\n: >"%s/here"\nexec sleep 20\n' "$PWD" \
	    >bin/dlp-parse
	cp bin/dlp-parse bin/dlp-fmt
	chmod +x bin/*
	echo run1.sqlite >out/files
	for step in task reduce; do
		rm -f here
		BATCH_STEP=$step BATCH_OUT=out SLURM_ARRAY_TASK_ID=1 \
		    PATH=$PWD/bin:$PATH setsid sh \
		    "$ROOT/pipelines/batch/slurm.sh" 2>err 3>&- &
		pid=$!
		for i in {1..100}; do [ ! -e here ] || break; sleep 0.1; done
		[ -n "$(ls out/*.tmp)" ]
		# to all of it, as Slurm does
		kill -TERM -- "-$pid"
		rc=0
		wait $pid || rc=$?
		[ $rc -eq 143 ]
		same files "$(ls out)"
	done
}

@test "make: nsys exports a recording, which is kept" {
	fake_nsys run3.nsys-rep
	mv run1.sqlite run3.nsys-rep
	mk run3.ops.csv
	cmp run3.sqlite run3.nsys-rep
	cmp run3.ops.csv <(dlp ops --csv run3.sqlite)
}
