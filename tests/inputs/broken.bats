# Profiles that broke something once, and all others of their kind. The files
# are in tests/data/broken; its README says what each is.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# broken NAME: the profile, unpacked as NAME.
broken() {
	xz -dc "$ROOT/tests/data/broken/$1.xz" >"$1"
}

@test "names that empty the cache while a record holds one" {
	for f in uaf_small_names segv_16MB_kernel_name; do
		broken $f.sqlite
		MALLOC_PERTURB_=165 dlp-parse $f.sqlite 2>/dev/null >a
		dlp-parse $f.sqlite 2>/dev/null >b
		cmp a b
		# every name is one that the file has, but for cutlass's, whose
		# "Kernel2" dlp-parse replaces
		sqlite3 $f.sqlite "SELECT value FROM StringIds" | sort -u >texts
		col kern short <a | grep -v ^cutlass_ | sort -u >names
		[ -s names ]
		same '' "$(LC_ALL=C comm -23 names texts | cut -c1-100)"
	done
}

# The cache of argument lists begins anew after 32,768 lists.
@test "lists of arguments that empty their cache while an op is made of one" {
	awk 'BEGIN {
		OFS = "\t"
		print "##dlp", 1
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", "text"
		for (i = 1; i <= 70000; i++)
			print "range", i, i * 10, 5, 1, 1, \
			    "{'"'mod': 'torch', 'op': 'add', 'args': [{'name': '', 'type': 'tensor', 'shape': (\" i \",), 'dtype': 'float32'}]"'}"
		print "##end", 70000
	}' >in
	MALLOC_PERTURB_=165 dlp-correlate --ranges in 2>/dev/null >a
	dlp-correlate --ranges in 2>/dev/null >b
	cmp a b
}

@test "a table without a column that it needs: its rows are counted as lost" {
	for c in CUPTI_ACTIVITY_KIND_RUNTIME.start NVTX_EVENTS.eventType; do
		t=${c%.*}
		cp "$LENET" p
		n=$(sqlite3 p "SELECT count(*) FROM $t;
		    ALTER TABLE $t RENAME COLUMN ${c#*.} TO odd")
		dlp-parse p >out 2>err
		grep -qx "##note	bad_rows	$n" out
		grep -q "$t has no column '${c#*.}': not read, $n rows are lost" err
	done
}

@test "bad rows are counted once, however often they are read" {
	cp "$LENET" p
	sqlite3 p "UPDATE NVTX_EVENTS SET start = 'x' WHERE rowid % 100 = 0;
	    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'x' WHERE rowid = 9"
	n=$(dlp-parse p 2>/dev/null | sed -n 's/^##note	bad_rows	//p')
	[ "$n" -gt 1 ]
	same "$n" "$(dlp-parse --range 'iteration 1' p 2>/dev/null |
	    sed -n 's/^##note	bad_rows	//p')"
	same $((n * 2)) "$(cp p q; dlp-parse --ranks p q 2>/dev/null |
	    sed -n 's/^##note	bad_rows	//p')"
}

@test "a dialect is not told by one table" {
	cp "$LENET" p
	sqlite3 p "ALTER TABLE StringIds RENAME TO StringTable"
	run --separate-stderr dlp-parse p
	grep -q '^##info	dialect	nsys$' <<<"$output"
	same "$(dlp-parse "$LENET" | grep -c '^kern')" \
	    "$(grep -c '^kern' <<<"$output")"
	[[ $stderr == *'no table StringIds: names and texts are unknown'* ]]
	# an export of nvprof that has a table of Nsight Systems
	broken nvprof_no_start.sqlite
	sqlite3 nvprof_no_start.sqlite "CREATE TABLE NVTX_EVENTS (x)"
	dlp-parse nvprof_no_start.sqlite 2>/dev/null |
	    grep '^##info	dialect	nvprof$'
}

# own_names: every variable that a script of pipelines/ reads or sets, but for
# those that the system or a manual gives a meaning.
own_names() {
	# shellcheck disable=SC2046 # no blanks in the tree's names
	cat $(find "$ROOT/pipelines" -type f ! -name '*.awk') |
	    grep -oE '\$\{?[A-Za-z_][A-Za-z0-9_]*|\<[A-Za-z_][A-Za-z0-9_]*=|for [a-z_]+' |
	    sed 's/^for //; s/[${=]//g' | sort -u |
	    grep -vxE 'PATH|PWD|HOME|TMPDIR|LC_ALL|DLP_REPORTS|DLP_BIN|JOBS|HOSTS|IFS|TZ|COLUMNS|NO_COLOR'
}

# outputs: what the commands print, and their exit status.
outputs() {
	local c rc

	while read -r c; do
		echo "== $c"
		rm -rf out
		# shellcheck disable=SC2086 # words
		rc=0
		"$@" $c 2>&1 || rc=$?
		echo "rc $rc"
		# the database holds the time
		[ ! -d out ] || (cd out && rm -f ./*dldb* && cksum ./*)
	done <<-E
	dlp $LENET
	dlp --tsv $LENET $LENET
	dlp top -n 3 $LENET
	dlp top -g layer --csv $LENET
	dlp kernels -n 3 $LENET
	dlp ops -n 3 --json $LENET
	dlp gaps -l -n 3 $LENET
	dlp flops -n 3 $LENET
	dlp phases $LENET
	dlp iters $LENET
	dlp mem $LENET
	dlp info $LENET
	dlp advise $LENET
	dlp roofline $LENET
	dlp tc -n 3 $LENET
	dlp stats $LENET
	dlp trace -h
	dlp ranks -h
	dlp diff $LENET $LENET
	dlp join $LENET $LENET
	dlp summary $LENET
	dlp detail -h
	dlp nonsense
	pyprof-prof $LENET
	pyprof-parse $LENET
	dlprof --verbosity=minimal --database=$LENET --reports=summary,detail,kernel --formats=csv,json --output_path=out
	E
}

# bats test_tags=all
@test "variables of the environment change no report" {
	own_names >names
	[ "$(wc -l <names)" -gt 250 ]
	grep -qx parse names
	grep -qx no_table names
	outputs env >want
	grep -q '^rc 0$' want
	for value in '-T call' 1 ''; do
		sed "s/\$/=$value/" names >set
		mapfile -t set <set
		outputs env "${set[@]}" >got
		diff want got
	done
}

@test "POSIXLY_CORRECT changes nothing" {
	outputs env >want
	outputs env POSIXLY_CORRECT=1 >got
	diff want got
	dlp-parse "$LENET" -T kern | dlp-fmt - --csv >want
	export POSIXLY_CORRECT=1
	dlp-parse "$LENET" -T kern | dlp-fmt - --csv >got
	cmp want got
}

@test "a program that dlprof records has its own environment" {
	mkdir bin
	cat >bin/nsys <<-'E'
	#!/bin/sh
	[ "$1" != --version ] || { echo 'version 2025.3.2'; exit; }
	printf '%s\n' "parse=$parse name=$name LC_ALL=${LC_ALL-none}" >seen
	E
	chmod +x bin/nsys
	PATH=$PWD/bin:$PATH parse="a  b
	c" name=me LC_ALL=C.UTF-8 dlprof --output_path=out true || true
	same "parse=a  b
	c name=me LC_ALL=C.UTF-8" "$(cat seen)"
}

@test "help that cannot be written is an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	for c in dlp 'dlp top' 'dlp trace' 'dlp overview' 'dlp summary' dlprof \
	    pyprof-parse pyprof-prof; do
		for o in -h --help -V --version; do
			case $c,$o in 'dlp '*,-[-V]*) continue ;; esac
			rc=0
			# shellcheck disable=SC2086 # words
			$c $o >/dev/full 2>err || rc=$?
			[ $rc -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] ||
			    { echo "$c $o: $rc"; cat err; false; }
		done
	done
}

# hidden FILE: the bytes and characters of it that nobody may get from a
# stranger: control characters but for newlines and TABs, those that turn the
# direction of text, have no width or no image, and what is no UTF-8.
hidden() {
	python3 - "$1" <<-'E'
	import sys, unicodedata
	text = open(sys.argv[1], 'rb').read().decode('utf-8', 'surrogateescape')
	fillers = 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0
	for c in sorted(set(text)):
	    o = ord(c)
	    if c not in '\n\t' and (0xd800 <= o < 0xe000 or o in fillers or
	        unicodedata.category(c) in ('Cc', 'Cf', 'Zl', 'Zp')):
	        print('U+%04X' % o)
	E
}

# bats test_tags=all
@test "no writer but CSV passes on what is hidden in names" {
	broken names.sqlite
	for r in stats ops kernels 'top -g layer' overview trace folded; do
		for f in --json --tsv --md; do
			case $r,$f in
			stats,--md | trace,* | folded,*) f='' ;;
			stats,*) ;;
			*,--tsv) continue ;; # fields of records, as they are
			esac
			# shellcheck disable=SC2086 # words
			dlp $r $f names.sqlite >out 2>/dev/null || continue
			same '' "$(hidden out)" || { echo "$r $f"; false; }
		done
	done
}

# bats test_tags=all
@test "one list of what is hidden" {
	# each code point by itself, as dlp-fmt's tables show it, and as the
	# scripts do
	python3 - >all <<-'E'
	import sys
	for o in list(range(0xa0, 0xd800)) + list(range(0xe000, 0x10000)) + \
	        [0x1f600, 0xe0041, 0x10fffd]:
	    sys.stdout.buffer.write(b'x%x' % o + chr(o).encode() + b'\n')
	for b in (b'\xed\xa0\x80', b'\xe0\x80\x80', b'\xf0\x80\x80\x80', b'\xff'):
	    sys.stdout.buffer.write(b'y' + b + b'\n')
	E
	{
		printf '##dlp\t1\n#kern\tname\n'
		sed 's/^/kern	/' all
	} | dlp-fmt -T kern -c name --xtab 2>/dev/null | sed -n 's/^name  *//p' >a
	LC_ALL=C awk -f "$ROOT/pipelines/reports/awk/plain.awk" \
	    -f <(echo '{ print plain($0) }') all >b
	[ "$(wc -l <a)" -gt 60000 ]
	cmp a b || diff a b | head
}

@test "two runs that write one folder or file" {
	# both begin before one ends, and all the same one wins
	mkdir one
	for i in 1 2; do
		{ dlprof --verbosity=quiet --database="$LENET" --reports=summary,kernel \
		    --output_path=one 2>err$i && echo 0 >rc$i || echo $? >rc$i; } &
	done
	wait
	sort rc1 rc2 | tr '\n' ' ' | grep -x '0 2 \|0 0 '
	# a run that ended well has a database of its own: if one began after the
	# other's end, its database got a number, and nothing was overwritten
	same "$(grep -c 0 <(cat rc1 rc2))" "$(find one -name '*.sqlite' | wc -l)"
	for db in one/*.sqlite; do
		sqlite3 "$db" 'PRAGMA integrity_check' | grep -x ok
	done
	# the loser says why in one line, and nothing of its own remains
	if grep -q 2 rc1 rc2; then
		cat err1 err2 | grep 'is there already'
	fi
	same '' "$(find one -name '.dlprof*')"
	for i in 1 2; do
		{ dlp-parse "$LENET" | dlp-correlate --dlprof | dlp-iter -D | dlp-flops | dlp-dldb -o db; } \
		    2>err$i >/dev/null || true &
	done
	wait
	same 1 "$(cat err1 err2 | grep -c 'exists already')"
	sqlite3 db 'PRAGMA integrity_check' | grep -x ok
}

@test "a legend of 100,000 columns" {
	awk 'BEGIN {
		printf "##dlp\t1\n#kern"
		for (i = 0; i < 100000; i++) printf "\tc%d", i
		printf "\nkern"
		for (i = 0; i < 100000; i++) printf "\t%d", i
		printf "\n##end\t1\n"
	}' >in
	(ulimit -t 20; dlp-fmt --csv in >out)
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%s%d", i ? "," : "", i
		print "" }' | cmp - <(tail -n 1 out)
}

@test "a database without its write-ahead log" {
	cp "$LENET" p
	printf '\002\002' | dd of=p bs=1 seek=18 conv=notrunc 2>/dev/null
	xz -k -T1 -0 p
	for how in 'dlp-parse p' 'dlp-parse p.xz' 'dlp-parse <p' \
	    'cat p | dlp-parse'; do
		bash -c "$how" 2>err >out
		grep -q 'write-ahead log, which is not here' err
		same 208 "$(grep -c '^kern' out)"
	done
}

@test "two databases in one file" {
	xz -T1 -0 <"$LENET" >one.xz
	cat one.xz one.xz >two.xz
	run -2 --separate-stderr dlp-parse two.xz
	[[ $stderr == *'more than one database in it'* ]]
	run -2 dlp-parse <two.xz
	cat "$LENET" "$LENET" >two
	run -2 dlp-parse two
}

@test "a range whose text is 2 MB, and ranges 200 deep" {
	awk 'BEGIN {
		OFS = "\t"; long = "x"
		while (length(long) < 2000000) long = long long
		deep = "y"
		while (length(deep) < 200) deep = deep "y"
		print "##dlp", 1
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", "text"
		print "range", 1, 0, 1000000, 1, 1, long
		for (i = 2; i < 202; i++)
			print "range", i, i, 900000 - i, 1, 1, deep i
		print "#kern", "id", "start_ns", "dur_ns", "pid", "tid", "api_start_ns", "api_dur_ns", "short"
		for (; i < 1202; i++)
			print "kern", i, 1000 + i, 1, 1, 1, 1000 + i, 1, "k"
		print "##end", 1201
	}' >in
	dlp-correlate in >out 2>/dev/null
	# the ranges with a path each, and one for each of 1000 kernels and their op
	[ "$(wc -c <out)" -lt 5500000 ]
	same 1000 "$(grep -c '^kern' out)"
	col kern layer <out | sort -u | head -c 300 >layer
	head -c 240 layer | tr -d x | cmp - /dev/null
	id=$(tail -c +241 layer | sed -n 's,^~\([0-9]*\)/yyy.*,\1,p')
	# nothing is lost: the reference leads to the text, which is there once
	col str id text <out | grep "^$id|" >found
	same 1 "$(wc -l <found)"
	cmp found <(printf '%s|' "$id"; col range text <in | head -n 1)
	# as does the one that the path has no place for; deeper ones are counted
	last=$(col kern layer <out | head -n 1 | sed 's/.*~//')
	same "$last|$(printf 'y%.0s' {1..200})3" "$(col str id text <out | grep "^$last|")"
	grep -q '^##note	ranges_too_deep	199$' out
	# each text once, also if it is correlated again
	same '' "$(col str id <out | sort | uniq -d)"
	dlp-correlate out | cmp - <(sed '/^##cmd/{p;s/ in$/ out/}' out)
}

# The layer of the kernels is in a few records only; the text is in the range and
# in one str record: twice the input, and less than 0.7 MB for 1000 kernels of
# which each has 240 bytes of it, 360 with escapes.
@test "a range whose text is 2 MB costs its length twice" {
	awk 'BEGIN {
		OFS = "\t"; long = "x\\t"
		while (length(long) < 2000000) long = long long
		print "##dlp", 1
		print "#str", "id", "text", "base"
		print "str", 1, "void k(int)", "k"
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", "text"
		print "range", 1, 0, 1000000, 1, 1, long
		print "#kern", "id", "start_ns", "dur_ns", "pid", "tid", "api_start_ns", "api_dur_ns", "short", "name_id"
		for (i = 2; i < 1002; i++)
			print "kern", i, 1000 + i, 1, 1, 1, 1000 + i, 1, "k", 1
		print "str", 2, "void l(int)", "l"
		print "##end", 1003
	}' >in
	dlp-correlate in >out 2>/dev/null
	[ "$(wc -c <out)" -lt $((2 * $(wc -c <in) + 700000)) ]
	same '1|void k(int)|k
2|void l(int)|l' "$(col str id text base <out | grep '^.|')"
	same 3 "$(grep -c '^str' out)"
	dlp-flops out | dlp-agg -T kern -g layer -a count -f dur_ns >/dev/null
}

# A name of 100 kB that 2,000 kernels share, and an op's, in which all of them are:
# the command that would repeat it in 200 MB of records ends.
@test "output of more than 64 MiB and 64 times the input" {
	long="printf('%.*c', 100000, 'x')"
	for names in "$long, 'r'" "'k', 'aten::' || $long || ', op_id = 1, sizes = [[2]]'"; do
		rm -f a.sqlite
		sqlite3 a.sqlite "CREATE TABLE StringIds AS SELECT 1 AS id, '' AS value;
			INSERT INTO StringIds SELECT row_number() OVER () + 1, value FROM json_each(json_array($names));
			CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT value * 10 AS start,
			value * 10 + 5 AS end, 0 AS deviceId, 1 AS contextId, 7 AS streamId,
			value AS correlationId, 16777216 AS globalPid, 2 AS demangledName,
			2 AS shortName FROM generate_series(1, 2000);
			CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT start - 5 AS start,
			start - 1 AS end, 16777217 AS globalTid, correlationId, 1 AS nameId
			FROM CUPTI_ACTIVITY_KIND_KERNEL;
			CREATE TABLE NVTX_EVENTS AS SELECT 0 AS start, 99999 AS end, 59 AS eventType,
			NULL AS text, 3 AS textId, 16777217 AS globalTid"
		run -0 bash -c 'dlp-parse a.sqlite | dlp-correlate | wc -c'
		[[ $output == *"the output exceeds 64 times the input: long texts are in each record"* ]]
		[ "${lines[-1]}" -le 67600000 ]
	done
}

@test "a length below 0 is no length, in every filter" {
	dlp-parse "$LENET" | dlp-correlate 2>/dev/null | dlp-iter 2>/dev/null |
	    dlp-flops 2>/dev/null >s
	for tag in kern copy; do
		for v in - -7000; do
			awk -F'\t' -v OFS='\t' -v tag=$tag -v v=$v '
			$1 == "#" tag { for (i = 2; i <= NF; i++) at[$i] = i }
			$1 == tag && ++n % 5 == 0 { $at["dur_ns"] = v }
			{ print }' s >in
			for c in busy gaps phases expose waits mem tree ranks advise \
			    'diff s' 'overview -s' trace 'folded -v count' coverage \
			    markers 'flops' 'iter' correlate; do
				echo "== $c"
				# shellcheck disable=SC2086 # words
				dlp-$c in 2>err || true
				cat err # whose place in the output is of no meaning
			done | grep -v "^$tag" >got.$v || true
		done
		diff got.- got.-7000
	done
}
