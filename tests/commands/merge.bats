# dlp-agg --merge, dlp-merge: random small profiles, cut into
# parts at random; what is made of the parts is what is made of the whole.
# SEEDS="4 5" tries others.

load ../lib

SEEDS=${SEEDS:-1 2 3 4 5 6}

setup_file() {
	command -v sqlite3 >/dev/null || return 0
	for seed in ${SEEDS:-1 2 3 4 5 6}; do
		python3 "$ROOT/tests/harness/random_profile.py" "$seed" \
		    "$BATS_FILE_TMPDIR/$seed.db" >/dev/null
		dlp-parse --src "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate 2>/dev/null |
		    dlp-iter -k step >"$BATS_FILE_TMPDIR/$seed.dlp"
	done
}

setup() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	cd "$BATS_TEST_TMPDIR" || return
}

# parts N SEED STREAM: the stream's GPU work at random in part.0 to part.N-1,
# all else in each of them.
parts() {
	rm -f part.*
	awk -F'\t' -v n="$1" -v seed="$2" '
	BEGIN { srand(seed) }
	/^(kern|copy|set)\t/ {
		print >("part." (i = int(rand() * n)))
		count[i]++
		next
	}
	/^##end/ { next }
	{
		for (i = 0; i < n; i++) {
			print >("part." i)
			count[i] += !/^#/
		}
	}
	END {
		for (i = 0; i < n; i++)
			print "##end\t" count[i] >("part." i)
	}' "$3"
}

STATS="-T kern,copy,set -a count,nset,sum,mean,min,max,p50,p90,p99.9,std,pct,union
    -f dur_ns,api_dur_ns"

results() {
	grep -v '^##' "$1"
}

# is_whole G FILE...: partial results merged by G are the aggregate of the stream $s.
is_whole() {
	# shellcheck disable=SC2086 # options
	dlp-agg $STATS $1 --sort -sum,n,min "$s" | results - | sort >whole
	# shellcheck disable=SC2086 # options
	dlp-agg --merge $1 --sort -sum,n,min "${@:2}" | results - | sort | diff whole -
}

@test "dlp-agg --merge of random parts: the aggregate of the whole, also by larger groups" {
	local seed n g s p
	for seed in $SEEDS; do
		n=$((2 + seed % 4))
		s=$BATS_FILE_TMPDIR/$seed.dlp
		parts "$n" "$seed" "$s"
		for g in "" "-g short,iter,tag" "-g short,dev,op,stream,dir"; do
			for p in part.?; do
				# shellcheck disable=SC2086 # options
				dlp-agg --partial $STATS $g "$p" >"agg.$p"
			done
			is_whole "$g" agg.part.?
		done
		# a tree: the larger groups first of two, then of all
		dlp-agg --merge --partial -g op,dir,dev,stream agg.part.[01] \
		    >tree.0
		rm -f tree.1
		[ "$n" -eq 2 ] || dlp-agg --merge --partial \
		    -g stream,dev,dir,op agg.part.[2-9] >tree.1
		for g in dev dev,stream op,dir dir,op; do
			is_whole "-g $g" agg.part.?
			is_whole "-g $g" tree.?
		done
		rm agg.part.? tree.?
	done
}

@test "dlp-agg --merge: files of their own, fractions, first and last, trees" {
	local seed f
	for seed in $SEEDS; do
		awk -F'\t' -v OFS='\t' '
		/^#kern/ { for (i = 2; i <= NF; i++) if ($i == "dur_ns") c = i
			print $0, "x"; next }
		/^kern/ { print $0, ($c % 3 ? $c / 8 : "-"); next }
		{ print }' "$BATS_FILE_TMPDIR/$seed.dlp" >"$seed.dlp"
		dlp-agg --partial -g stream -f x,dur_ns \
		    -a count,nset,sum,min,max,p50,union,first,last \
		    "$seed.dlp" >"$seed.part"
	done
	for seed in $SEEDS; do cat "$seed.dlp"; done |
	    dlp-agg -g stream -f x,dur_ns \
		-a count,nset,sum,min,max,p50,union,first,last --sort stream >whole
	set --
	for seed in $SEEDS; do set -- "$@" "$seed.part"; done
	dlp-agg --merge --sort stream "$@" >merged
	diff <(results whole) <(results merged)
	# from a pipe, and in two steps
	cat "$@" | dlp-agg --merge --sort stream | results - |
	    diff <(results whole) -
	dlp-agg --merge --partial "$1" "$2" >a
	dlp-agg --merge --partial "${@:3}" >b
	dlp-agg --merge --sort stream a b | results - | diff <(results whole) -
	# -n and --rest are of the merged result
	for seed in $SEEDS; do cat "$seed.dlp"; done |
	    dlp-agg -g stream -f x,dur_ns -n 1 --rest --sort -n,stream \
	    -a count,nset,sum,min,max,p50 | results - >want
	grep -q '(rest)' want
	dlp-agg --merge -n 1 --rest --sort -n,stream "$@" | results - |
	    cut -f 1-13 | diff <(cut -f 1-13 want) -
}

@test "dlp-agg --merge of plain results: what their columns tell" {
	local seed g="-g dev,stream -a count,sum,mean,min,max,pct,union"
	set --
	for seed in $SEEDS; do
		# shellcheck disable=SC2086
		dlp-agg $g "$BATS_FILE_TMPDIR/$seed.dlp" >"$seed.agg"
		set -- "$@" "$seed.agg"
	done
	# shellcheck disable=SC2086
	for seed in $SEEDS; do cat "$BATS_FILE_TMPDIR/$seed.dlp"; done |
	    dlp-agg $g --sort dev,stream >whole
	dlp-agg --merge --sort dev,stream "$@" | results - |
	    diff <(results whole) -
	# and what they do not is refused
	dlp-agg -g dev -a count,p50 "$BATS_FILE_TMPDIR/1.dlp" >p
	run dlp-agg --merge p p
	[ "$status" -eq 2 ]
	[[ $output == *"p50_dur_ns of all"*"--partial"* ]]
	dlp-agg -g dev -a count,sum "$BATS_FILE_TMPDIR/1.dlp" >q
	run dlp-agg --merge p q
	[ "$status" -eq 2 ]
	[[ $output == *"p50"* || $output == *"other groups"* ]]
}

@test "dlp-agg --merge: several types in one run; std to its digits" {
	parts 3 7 "$BATS_FILE_TMPDIR/1.dlp"
	for p in part.?; do
		dlp-agg --partial -g dev -a count,sum --as kerns --and -T copy \
		    -g kind -a count,sum:bytes --as copies "$p" >"agg.$p"
	done
	dlp-agg -g dev -a count,sum --as kerns --and -T copy -g kind \
	    -a count,sum:bytes --as copies "$BATS_FILE_TMPDIR/1.dlp" >whole
	dlp-agg --merge agg.part.? >merged
	diff <(results whole | sort) <(results merged | sort)
}

@test "dlp-agg --merge: more different values than are kept: within 0.05 %" {
	awk 'BEGIN {
		print "#kern\tdur_ns"
		for (i = 1; i <= 150000; i++)
			print "kern\t" i * 7 + 100000
	}' >big
	dlp-agg -a p1,p50,p99 big | results - >exact
	dlp-agg --partial -a p1,p50,p99 big >part
	dlp-agg --merge part >merged
	grep -q "agg_.*rounded" merged
	paste exact <(results merged) | awk '
	/^agg/ {
		for (i = 2; i <= 4; i++) {
			e = ($(i + 4) - $i) / $i
			if (e > 0.0005 || e < -0.0005) { print i, e; exit 1 }
			n++
		}
	}
	END { if (n != 3) exit 1 }'
}
@test "dlp-merge of two parsed files: dlp-parse of both" {
	local a=$BATS_FILE_TMPDIR/1.db b=$BATS_FILE_TMPDIR/2.db t
	dlp-parse "$a" "$b" 2>/dev/null >both
	dlp-parse --src "$a" 2>/dev/null >a.dlp
	dlp-parse --src "$b" 2>/dev/null >b.dlp
	dlp-merge a.dlp b.dlp 2>err >merged
	grep -q 'not aligned' err # these tell no origin
	[ "$(tail -n 1 both)" = "$(tail -n 1 merged)" ]
	for t in range kern copy set call; do
		c="start_ns dur_ns pid tid src"
		[ $t = range ] && c="$c text"
		[ $t = kern ] && c="$c short api_start_ns idx"
		# shellcheck disable=SC2086
		columns both $t $c >want
		# shellcheck disable=SC2086
		columns merged $t $c >got
		[ -s want ]
		diff want got
	done
	# ids are unique, and strings are found by them
	[ -z "$(columns merged kern id | sort | uniq -d)" ]
	[ -z "$(columns merged str id | sort | uniq -d)" ]
	dlp-fmt --tsv -T kern -c name,start_ns merged >got
	dlp-fmt --tsv -T kern -c name,start_ns both >want
	diff want got
	# without src in the input it is the stream's name
	dlp-parse "$a" 2>/dev/null >a.dlp
	dlp-merge a.dlp b.dlp 2>/dev/null >merged
	[ "$(columns merged kern src | sort -u)" = "$b
a.dlp" ]
	dlp-agg -g src,dev -a count,sum,union merged | results - | cut -f 3- |
	    sort >got
	dlp-agg -g src,dev -a count,sum,union both | results - | cut -f 3- |
	    sort >want
	diff want got
}

@test "dlp-merge --ranks: a rank has one name in all records" {
	for i in 0 1; do
		mkdir $i
		xz -dc "$ROOT/tests/data/ddp$i.sqlite.xz" >$i/run.sqlite
		(cd $i && dlp-parse --src run.sqlite) >$i.dlp 2>/dev/null
	done
	dlp-merge --ranks 0.dlp 1.dlp >merged
	# both files have one name
	same "$(printf '%s:run.sqlite\n' 0.dlp 1.dlp)" "$(columns merged rank src)"
	for t in kern range; do
		same "$(columns merged rank src)" "$(columns merged $t src | sort -u)"
	done
	same "$(columns merged rank src)" "$(sed -n 's/^##info\tsrc\t//p' merged)"
	# another name, as the whole has it
	sed 's/run\.sqlite/other.sqlite/' 1.dlp >2.dlp
	dlp-merge --ranks 0.dlp 2.dlp >merged
	same "$(printf '%s\n' run.sqlite other.sqlite)" "$(columns merged rank src)"
	same "$(columns merged rank src | sort)" "$(columns merged kern src | sort -u)"
}

@test "dlp-merge: later stages' records" {
	dlp-merge "$BATS_FILE_TMPDIR/1.dlp" "$BATS_FILE_TMPDIR/2.dlp" \
	    2>/dev/null >merged
	dlp-agg -g op,dir,src -a count,sum merged 2>err | results - | sort >got
	[ ! -s err ] # every op record stands before its use
	cat "$BATS_FILE_TMPDIR/1.dlp" "$BATS_FILE_TMPDIR/2.dlp" |
	    dlp-agg -g op,dir,src -a count,sum | results - | sort >want
	diff want got
}
@test "--split: each section as soon as it is complete, with lines of any length" {
	cd "$BATS_TEST_TMPDIR"
	dlp-parse "$LENET" >one
	awk -F'\t' -v OFS='\t' -v long="$(printf '%9000s' x | tr ' ' y)" '
	/^##cmd/ { $2 = $2 long } 1' one >two
	mkfifo grows
	mkdir parts
	dlp-merge --split parts <grows >names &
	local pid=$! # same() has processes of its own
	exec 7>grows
	cat two >&7
	until [ -s names ]; do :; done # the stream is still open
	same parts/1 "$(<names)"
	cmp two parts/1
	cat one >&7
	head -n 5 one >&7 # cut off
	exec 7>&-
	wait $pid
	cmp one parts/2
	head -n 5 one | cmp - parts/3
	same 3 "$(wc -l <names)"
	# what is there stays
	run dlp-merge --split parts one
	same 2 "$status"
	cmp two parts/1
}

@test "a file given twice is refused" {
	f=$BATS_FILE_TMPDIR/1.db
	run dlp-parse "$f" "$BATS_FILE_TMPDIR/2.db" "$f"
	[ "$status" -eq 2 ]
	same "dlp-parse: $f: given twice" "$output"
	run dlp-parse "$f" "$BATS_FILE_TMPDIR/./1.db"
	[ "$status" -eq 2 ]
	[[ $output == *" are the same file: give it once" ]]
	for o in --partial ""; do
		# shellcheck disable=SC2086 # none
		dlp-agg $o -g dev -a sum "$BATS_FILE_TMPDIR/1.dlp" >p
		cp p q
		for second in p q; do
			run dlp-agg --merge p $second
			[ "$status" -eq 2 ]
			same "dlp-agg: p and $second are the same result: give it once" \
			    "$output"
		done
	done
}

@test "dlp-agg --merge: files are told apart by content, not by name" {
	mkdir a b
	for s in 1 2; do
		(cd "$([ $s -eq 1 ] && echo a || echo b)" &&
		    cp "$BATS_FILE_TMPDIR/$s.db" run && dlp-parse run 2>err |
		    dlp-agg -T kern,copy,set -a count,union --partial >part)
	done
	cp a/run c
	{ dlp-parse a/run && dlp-parse b/run; } 2>err |
	    dlp-agg -T kern,copy,set -a count,union | results - >want
	dlp-agg --merge --partial a/part b/part >both
	dlp-agg --merge both | results - | cmp want -
	dlp-parse ./c 2>err | dlp-agg -T kern,copy,set -a count,union --partial >p
	run dlp-agg --merge both p
	[ "$status" -eq 2 ]
	same "dlp-agg: both and p are the same result: give it once" "$output"
}
