# The dispatcher and its reports.

# bats file_tags=long
load ../lib

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "dlp alone lists the reports, each with a line; completion knows them and the filters" {
	run dlp
	echo "$output"
	[ "$status" -eq 0 ]
	cat >complete <<-'EOF'
	. "$1/pipelines/dlp.bash-completion"
	shift
	for c; do
		complete -p "$c" || exit
	done
	COMP_WORDS=(dlp '') COMP_CWORD=1
	_dlp dlp
	printf 'report %s\n' "${COMPREPLY[@]}"
	EOF
	mapfile -t filters < <(cd "$BIN" && ls -d dlp-*)
	bash complete "$ROOT" "${filters[@]}" >got
	cat got
	for r in $(all_reports) $(all_reports dlprof); do
		grep -q "^  $r  *[A-Za-z]" <<<"$output"
		grep -qx "report $r" got
	done
}

@test "dlp REPORT -h shows the pipeline, with its values" {
	for r in $(all_reports); do
		run dlp "$r" -h
		echo "$output"
		[ "$status" -eq 0 ]
		grep -q "^usage: dlp $r " <<<"$output"
		grep -q '^ *dlp-parse .*FILE' <<<"$output"
	done
	run dlp top -g layer -n 7 -h
	grep -q -- '-g layer,dir ' <<<"$output"
	grep -q -- '-n 7 ' <<<"$output"
}

@test "DLProf's reports say what makes DLProf's files, and it does" {
	for r in $(all_reports dlprof | grep '^[^ls]'); do
		run dlp "$r" -h
		line=$(grep '^dlprof --database=FILE' <<<"$output")
		echo "$line"
		set -- ${line/FILE/$LENET}
		"$@" --output_path=. --force=true -v quiet
		f=$(echo dlprof_*.csv)
		cmp "$f" <(dlp "$r" --dlprof "$LENET")
		rm "$f"
	done
}

@test "a locale with another decimal point changes nothing" {
	german
	for r in roofline mfu flops coverage copies openmetrics top; do
		cmp <(dlp $r "$LENET") <(LC_ALL=de_DE.UTF-8 dlp $r "$LENET")
	done
}

@test "dlp -: standard input" {
	dlp -v -w 500 - <"$LENET" >out
	dlp -v -w 500 "$LENET" >want
	named='^next: dlp|data: dlp|\(dlp whatif --all|less than 2 %: dlp' # with the file
	diff <(sed 1d out | grep -Ev "$named") <(sed 1d want | grep -Ev "$named")
	[ "$(head -n 1 out)" = 'standard input' ]
	# no name to type is made of that; what is typed is of FILE
	[ "$(grep -c 'standard input' out)" -eq 1 ]
	grep -qx 'next: dlp gaps -i 1-3 FILE' out
	dlp -v - <"$ROOT/tests/data/resnet-before.sqlite.xz" >out
	[ "$(grep -c 'standard input' out)" -eq 1 ]
	grep -q 'dlp advise -a FILE says' out
	# a file that has that name has one
	cp "$LENET" 'standard input'
	dlp -v 'standard input' | grep -qx "next: dlp gaps -i 1-3 'standard input'"
}

# The reports that are tables of their own: not those in another's format.
table_reports() {
	local r

	for r in $(all_reports); do
		grep -q '^no_table=1' "$PIPES/reports/$r" || [ "$r" = stats ] ||
		    echo "$r"
	done
}

# In a pipe the pipeline of -h is compared, below.
@test "every report on the shipped profile, as JSON and for a terminal" {
	for r in $(table_reports); do
		for f in --json '-w 80'; do
			echo "dlp $r $f"
			# shellcheck disable=SC2086 # words
			files_for "$r"
			dlp "$r" $f "${files[@]}" >out 2>err
			cat err
			# serve.bats has steps of engines
			[ -s out ] || [ "$r" = serve ]
			[ "$f" != --json ] || jq . out >/dev/null
		done
	done
	dlp info --csv "$LENET" | grep -x 'dev 0,name,NVIDIA H200'
}

# Every other program costs a small file as much as a filter.
@test "a report starts its filters, and a program that looks at the file if its name says nothing" {
	mkdir shim
	for p in awk cat dd grep od readlink rm sed sh tr; do
		printf '#!/bin/sh\necho %s >>%s/log\nexec %s "$@"\n' \
		    "$p" "$PWD" "$(command -v "$p")" >"shim/$p"
		chmod +x "shim/$p"
	done
	cp "$LENET" a.sqlite
	cp "$LENET" a
	for r in top kernels ops; do
		: >log
		PATH=$PWD/shim:$PATH dlp "$r" a.sqlite >out
		same '' "$(cat log)"
		PATH=$PWD/shim:$PATH dlp "$r" a >out
		same dd "$(cat log)"
	done
}

@test "the exit status of a report comes after its messages, whatever they end with" {
	mkdir shim
	for text in 'said' 'said\n' 'said\t1' '\tsaid' 'a\n\n' ''; do
		printf '#!/bin/sh\nprintf "%s" >&2\nexit 3\n' "$text" >shim/dlp-fmt
		chmod +x shim/dlp-fmt
		for sh in dash bash 'busybox sh'; do
			command -v ${sh%% *} >/dev/null || continue
			PATH=$PWD/shim:$PATH run -3 --separate-stderr \
			    $sh "$ROOT/pipelines/dlp" top "$LENET"
			want=$(printf "${text#'\t'}")
			same "${want/	/\\x09}" "$stderr"
		done
	done
}

# What -h shows can be typed into sh: the overview's needs the file's name
# for its last lines.
same_as_h() {
	local r=$1

	shift
	echo "dlp $r $*"
	files_for "$r"
	dlp "$r" "$@" "${files[@]}" >want 2>err
	dlp "$r" "$@" -h "${files[@]}" | sed '1,/^the pipeline:/d' >cmd
	FILE=$LENET DLP_FILE=$LENET sh -c "$(sed 's/ FILE/ "$FILE"/' cmd)" >got \
	    2>err
	[ -s want ]
	# the page of html names its commands: a report puts -- before FILE
	sed -i 's/"dlp-parse \([0-9.]*\) -- /"dlp-parse \1 /' want
	cmp want got
}

@test "the pipeline of -h is the report" {
	for r in $(all_reports); do
		# view prints where its page is, html the page itself; plot has a
		# pipeline of its own for each picture; no step of an engine is
		# there for serve, and events wants an op
		[[ $r =~ ^(view|plot|serve|events)$ ]] || same_as_h "$r"
	done
	same_as_h top --csv
	same_as_h overview --jsonl
}

@test "the pipeline of -h is the report, with options, of another profile" {
	LENET=$ROOT/tests/data/loader.sqlite.xz
	while read -r -a words; do
		same_as_h "${words[@]}"
	done <<-EOF
	overview -i 0
	overview -k iteration
	top -g phase,op -k iteration -i 1 -n 3
	phases -s -k iteration
	phases -i 1
	gaps -k iteration -n 3
	copies -l -i 1
	ranks -t rank
	roofline -i 1
	stats -r cuda_gpu_kern_sum:base
	kernels -n 3 -k iteration
	flops -i 1
	tc -n 3 -i 0-1
	trace -i 1
	folded -g phase,dir,op -k iteration
	advise -a
	advise -i 1
	iters -k iteration
	openmetrics -k iteration -i 1
	coverage -n 3 -k iteration
	waits -n 2
	mfu -i 1 -p tf32=400
	info -a
	join -g type
	diff -g type -i 1
	EOF
}

@test "file names with blanks, quotes, newlines, a leading dash" {
	dlp top --csv "$LENET" >want
	for n in 'a b' "q'\"q" $'n\nl' '-n' '--csv' '$(id)' '*'; do
		cp "$LENET" "./$n"
		dlp top --csv -- "$n" >got
		cmp want got
		dlp top --csv "./$n" >got
		cmp want got
	done
}

@test "a file that is named like a report, with its folder" {
	cp "$LENET" "$BATS_TEST_TMPDIR/top"
	cd "$BATS_TEST_TMPDIR"
	dlp overview --tsv "$LENET" | cut -f2- >want
	grep -q '^ok' want
	dlp --tsv ./top | cut -f2- | diff want -
	dlp -v ./top | grep -q '^next: dlp gaps .* ./top$'
}

@test "from any folder, through a link, without the filters on PATH" {
	dlp top --csv "$LENET" >want
	mkdir -p x
	ln -s "$ROOT/pipelines/dlp" x/dlp
	[ "${B:-build}" = build ] || skip "looks in build/bin"
	PATH=/usr/bin:/bin
	x/dlp top --csv "$LENET" >got
	cmp want got
	cd /
	"$ROOT/pipelines/dlp" top --csv "$LENET" >"$OLDPWD/got"
	cd "$OLDPWD"
	cmp want got
}

@test "-g: the columns of ops and GPU work" {
	dlp top -g op.mod,kernel,grid --csv "$LENET" | head -n 1 |
	    grep '^op.mod,short,grid,'
	# all columns of ops and GPU work can be asked for, but those of --dlprof
	. "$ROOT/pipelines/reports/by.sh"
	while IFS= read -r c; do
		[[ $c != dl_* ]] || continue
		[[ " ${by_cols//$'\n'/ } " == *" ${c%_id} "* ||
			" ${by_cols//$'\n'/ } " == *" $c "* ]] || {
			echo "$c is not in by.sh"
			return 1
		}
	done < <(awk -F'\t' '
	$1 == "group" || $1 == "of" { on = 0 }
	$1 == "of" { on = $2 ~ /^(kern|copy|set|op)$/ }
	on && $1 == "" && $4 ~ /^dlp-(parse|correlate|iter|flops)$/ { print $2 }
	' "$ROOT/common/columns.tab")
}

@test "-i: only these iterations" {
	for r in top kernels ops coverage; do
		dlp $r -i 0-3 --tsv "$LENET" >all
		dlp $r -k 'iteration 1' --tsv "$LENET" >key
		[ "$(wc -l <all)" -gt 1 ]
		cmp all key
	done
}

# bats test_tags=all
@test "tables of 80 columns are no wider" {
	cp "$LENET" "$BATS_TEST_TMPDIR/other.sqlite"
	for r in $(table_reports); do
		files=("$LENET" "$BATS_TEST_TMPDIR/other.sqlite")
		case $r in path | whatif) files=("$LENET") ;; esac
		for w in 80 100 60; do
			dlp "$r" -w $w "${files[@]}" 2>/dev/null >got
			echo "$r $w"
			[ "$(wc -L <got)" -le $w ]
		done
	done
}

@test "pyprof-prof by its full path finds the filters" {
	[ "${B:-build}" = build ] || skip "looks in build/bin"
	pyprof-prof --csv "$LENET" >want
	ln -s "$ROOT/pipelines/pyprof-prof" p
	PATH=/usr/bin:/bin
	"$ROOT/pipelines/pyprof-prof" --csv "$LENET" >got
	cmp want got
	./p --csv "$LENET" >got
	cmp want got
}

@test "standard input: streams and profiles, compressed or not, as by name" {
	dlp-parse "$LENET" >a.dlp
	local xz=$ROOT/tests/data/lenet.sqlite.xz
	xz -dc "$xz" >a.sqlite
	for r in gaps "diff $LENET"; do
		# shellcheck disable=SC2086 # with a file
		dlp $r a.dlp >want 2>/dev/null
		[ -s want ]
		for how in 'cat a.dlp |' '<a.dlp' 'cat a.sqlite |' '<a.sqlite' \
		    "cat $xz |" "<$xz"; do
			echo "$how dlp $r"
			case $how in
			'<'*) sh -c "dlp $r - $how" ;;
			*) sh -c "$how dlp $r -" ;;
			esac >got 2>/dev/null
			diff -u want got
		done
	done
	# a line that is no legend, and no line feed at the end
	same "$(printf '##dlp\t1\n#kern\tdur_ns\nkern\t5' | dlp-fmt --tsv 2>/dev/null)" \
	    "$(printf '##dlp\t1\n#kern\tdur_ns\nkern\t5' | dlp-fmt --tsv - 2>/dev/null)"
	printf "{'kShortName': 'k', 'kDuration': 5}\n" >net.dict
	dlp-parse net.dict >net.dlp
	for f in net.dict net.dlp; do
		dlp top - <$f >got
		dlp top $f | diff - got
		run -2 dlp gaps - <$f
		[[ $output == *"a .dict of PyProf has "*"no times"* ]]
		run -2 dlp mem - <$f
		[[ $output == *"a .dict of PyProf has kernels only"* ]]
	done
	run -2 dlp top -i 0 - <net.dlp
	same "dlp top: a .dict of PyProf has durations of kernels, no times: no -i, no -k" \
	    "$output"
	run -2 dlp top - </dev/null
	same "dlp-parse: standard input: empty file" "$output"
}

@test "a stream that is compressed: the line says how, and that works" {
	dlp-parse "$LENET" >a.dlp
	dlp top a.dlp >want
	mkdir -- -d
	xz -c a.dlp >a.xz
	gzip -c a.dlp >"-d/it's a.gz"
	zstd -qc a.dlp >"b \$(b)"
	for f in a.xz "-d/it's a.gz" "b \$(b)"; do
		for c in 'dlp top --' 'dlp summary --' 'pyprof-parse --file' \
		    dlp-parse\ --; do
			run -2 $c "$f"
			same 1 "$(wc -l <<<"$output")"
			cmd=$(sed 's/.*goes in by //; s/,.*//' <<<"$output")
			sh -c "$cmd" >got
			diff want got
		done
		run -2 dlp-fmt -- "$f"
		cmd=$(sed 's/.*goes in by //; s/,.*//' <<<"$output")
		sh -c "$cmd --tsv -T kern" | diff <(dlp-fmt --tsv -T kern a.dlp) -
		run -2 dlp top - <"$f"
		[[ $output == *': standard input: a compressed dlp stream: it goes in by '*' -dc | dlp top -, '* ]]
		run -2 dlp-fmt <"$f"
		[[ $output == *'-compressed: a stream goes in by '*' -dc | dlp-fmt, a profile by dlp-parse' ]]
	done
}

@test "text that is compressed: the line says how to unpack it" {
	gzip -c "$ROOT/tests/data/lenet.ncu.tsv" >'a b'
	dlp-parse "$LENET" >s
	run -2 dlp-ncu 'a b' s
	same "dlp-ncu: a b: gzip-compressed: unpack it first, as by gzip -dc 'a b'" "$output"
	pyprof-parse "$LENET" | xz -c >dict
	run -2 dlp-pyprof dict
	same "dlp-pyprof: dict: xz-compressed: unpack it first, as by xz -dc dict" "$output"
	run -2 dlp-pyprof <dict
	[[ $output == "dlp-pyprof: standard input: xz-compressed: "* ]]
}

# with_awk AWK COMMAND...: its output and exit status, where awk is that one.
with_awk() {
	local a=$1 rc=0

	shift
	mkdir -p "awks/$a"
	ln -sf "$(command -v "$a")" "awks/$a/awk"
	PATH=$PWD/awks/$a:$PATH "$@" >"$a.out" 2>"$a.err" </dev/null || rc=$?
	echo "$rc" >>"$a.out"
}

# bats test_tags=all
@test "the same bytes and exit status under every awk" {
	while read -r -a words; do
		echo "dlp ${words[*]}"
		with_awk mawk dlp "${words[@]}"
		for a in gawk original-awk busybox; do
			command -v $a >/dev/null || continue
			with_awk $a dlp "${words[@]}"
			echo $a
			diff -u mawk.out $a.out
			diff -u mawk.err $a.err
		done
	done <<-EOF
	$(for r in $(table_reports) $(all_reports dlprof); do
		files_for "$r"
		echo "$r ${files[*]}"
	done)
	gaps -w 80 $LENET
	top -g layer $LENET
	top -g layr $LENET
	summary --json $LENET
	summary -w 80 $LENET
	detail -w 80 $LENET
	mem -g time $LENET
	$LENET nix
	tpo $LENET
	-h
	EOF
}

# bats test_tags=all
@test "a report that cannot write its output exits 2, under every awk" {
	for a in mawk gawk original-awk busybox; do
		command -v $a >/dev/null || continue
		for r in overview top gaps phases ranks 'gaps -w 80' summary \
		    detail 'summary -w 80' 'expert_systems -w 80' -h; do
			rc=0
			# shellcheck disable=SC2016,SC2086 # for sh; words
			with_awk $a sh -c 'f=$1; shift
			    exec dlp "$@" "$f" >/dev/full' - "$LENET" $r
			echo "$a $r: $(cat $a.out $a.err)"
			same 2 "$(<$a.out)"
		done
	done
}
