# What every command has in common, run once per command: tests/bin/run makes a
# copy of this file for each, with CMD set. By hand: CMD=dlp-iter bats FILE.
# Filters read records with common/stage.c and nothing else. Tests of that have the
# tag "reader": make test runs them for some filters, make test-all for all.

load ../lib

: "${CMD:?set CMD to the command to be tested}"
TAB='	'

# The stages before a command, and options that make it do its work.
declare -A BEFORE=(
	[dlp-parse]=''
	[dlp-correlate]='dlp-parse $LENET'
	[dlp-iter]='dlp-parse $LENET | dlp-correlate'
	[dlp-flops]='dlp-parse $LENET | dlp-correlate | dlp-iter -k iteration'
	[dlp-markers]='dlp-parse $LENET'
	[dlp-pyprof]='pyprof-parse $LENET'
	[dlp-busy]='dlp-parse $LENET | dlp-correlate | dlp-flops'
	[dlp-rate]='dlp-parse $LENET | dlp-correlate | dlp-flops'
	[dlp-mfu]='dlp-parse $LENET | dlp-correlate | dlp-iter -k iteration'
	[dlp-tensorboard]='dlp-parse $LENET | dlp-correlate | dlp-iter -k iteration'
	[dlp-coverage]='dlp-parse $LENET | dlp-correlate | dlp-flops | dlp-agg --pass --as work -T kern,copy,set -a sum,count -g tag,why,lacks,tc,op,dir,short,family,tc_rule'
	[dlp-dldb]='dlp-parse $LENET | dlp-correlate -D | dlp-iter -D | dlp-flops'
	[dlp-agg]='dlp-parse $LENET | dlp-correlate'
	[dlp-diff]='dlp-parse $LENET | dlp-correlate | dlp-iter | dlp-flops'
	[dlp-fmt]='dlp-parse $LENET | dlp-correlate'
)
declare -A OPTIONS=(
	[dlp-iter]='-k iteration'
	[dlp-events]='-e conv2d'
	[dlp-agg]='-T kern -g op -a count,sum -f dur_ns'
	[dlp-diff]='--join'
	[dlp-fmt]='--tsv -T kern'
	[dlp-stats]='-r cuda_gpu_kern_sum -f csv'
	[dlp-ncu]="$ROOT/tests/data/lenet.ncu.tsv"
	[dlp-dldb]='--force --tee -o db.sqlite'
)
# What each writes: records it does not know are passed on, or not.
declare -A KIND=(
	[dlp-parse]=parse
	[dlp-agg]=sink
	[dlp-fmt]=sink
	[dlp-tc]=lines # names, no records
	[dlp-events]=own # Python code, no records
	[dlp-folded]=own # stacks, no records
	[dlp-openmetrics]=own # metrics, no records
	[dlp-trace]=own # JSON, no records
	[dlp-html]=own # a page, no records
	[dlp-tensorboard]=own # events, no records
	[dlp-overview]=own # one record
	[dlp-stats]=own # tables, no records
	[dlp-merge]=lines # several files: merge.bats
	[dlp-diff]=lines # two runs: dlp-diff.bats
	[dlp-pyprof]=lines
	[dlp-mcp]=runs # requests, and reads no records: mcp.bats
	[dlp-record]=runs # a command, and reads no records: dlp-record.bats
)
# The type of record that is damaged, for those that read no kern records.
declare -A READS=(
	[dlp-mfu]=iter
	[dlp-tensorboard]=iter
	[dlp-coverage]=work
)
# The column that is taken away, for those that do not need dur_ns.
declare -A NEEDS=(
	[dlp-correlate]=tid
	[dlp-iter]=start_ns
	[dlp-launch]=start_ns
	[dlp-flops]=op_id
	[dlp-carry]=op_id
	[dlp-mfu]=iter
	[dlp-coverage]=tc_rule
	[dlp-ncu]=grid
)
kind=${KIND[$CMD]:-filter}
reads=${READS[$CMD]:-kern}
needs=${NEEDS[$CMD]:-dur_ns}
before=${BEFORE[$CMD]-dlp-parse $LENET | dlp-correlate}
# shellcheck disable=SC2206 # a list of words
opts=(${OPTIONS[$CMD]:-})
STREAM=${RUN_DIR:-$ROOT/${B:-build}/test}/suite/$(basename "${B:-build}")-$CMD.in
PLAIN=$STREAM.out # what the command makes of it
INPUT=$STREAM
[ "$kind" != parse ] || INPUT=$LENET

setup_file() {
	mkdir -p "${STREAM%/*}"
	[ "$kind" != runs ] || return 0
	[ "$kind" = parse ] ||
	    bash -o pipefail -c "LENET=\$1; $before" - "$LENET" >"$STREAM"
	cd "$BATS_FILE_TMPDIR" || return
	timeout 60 "$CMD" "${opts[@]}" "$INPUT" >"$PLAIN" 2>/dev/null || :
}

setup() {
	[ "$kind" != runs ] ||
	    [[ $BATS_TEST_DESCRIPTION == *--help* ]] ||
	    skip "does not apply"
	cd "$BATS_TEST_TMPDIR" || return
}

# The first records of each type, where every byte is looked at.
small_stream() {
	awk -F'\t' '
	/^##end/ { print "##end\t" n + 0; next }
	/^#/ { print; next }
	seen[$1]++ < 4 { print; n++ }' "$STREAM"
}

# go ARGS...: the command on its own input, timed out if it hangs. Sets
# $status; the outputs lie in ./out and ./err.
go() {
	status=0
	timeout 60 "$CMD" "$@" >out 2>err || status=$?
}

# The same with the options that it needs to work on a stream.
work() {
	go "${opts[@]}" "$@"
}

show() {
	echo "exit status $status"
	head -n 5 out | cut -c 1-300
	cat err
}

# One clear line on stderr, that begins with the command, and exit 2.
trouble() {
	show
	[ "$status" -eq 2 ]
	[ "$(wc -l <err)" -eq 1 ]
	[[ $(<err) == "$CMD: "* ]]
}

says() {
	grep -qi -e "$1" err
}

not_parse() {
	[[ $kind != @(parse|lines|own) ]] || skip "does not apply"
}

passes_on() {
	[ "$kind" = filter ] || skip "does not apply"
}

# body FILE: the stream without the lines that name stages and files.
body() {
	sed '/^##cmd	/d' "$1"
}

same_body() {
	cmp <(body "$1") <(body "$2")
}

@test "--help and --version on stdout, 0; a bad option: one line, 2" {
	for o in -h --help -V --version; do
		go $o </dev/null
		show
		[ "$status" -eq 0 ]
		[ ! -s err ]
		case $o in
		-h | --help) [[ $(head -n 1 out) == "usage: $CMD"* ]] ;;
		*) [[ $(<out) =~ ^$CMD\ [0-9]+\.[0-9]+\.[0-9]+$ ]] ;;
		esac
	done
	for o in --no-such-option -Z; do
		go $o </dev/null
		trouble
		[ ! -s out ]
	done
}

# bats test_tags=reader
@test "a name of any bytes; no such file, a directory, nothing, two operands: one line, 2" {
	name=$'none.a b\t"x"\n\xff'"'.q"
	cp "$INPUT" "$name"
	work "$name" </dev/null
	show
	[ "$status" -eq 0 ]
	[ -s out ]
	rm "$name"
	work "$name" </dev/null
	trouble
	says 'none.*: .*No such file'
	[ ! -s out ]
	work . </dev/null
	trouble
	says 'directory'
	if [ "$kind" = parse ]; then
		: >empty
		work empty </dev/null
	else
		work <.
		trouble
		[[ $kind != @(lines|own) ]] || return 0
		work </dev/null
	fi
	trouble
	says empty
	[ ! -s out ]
	[ "$kind" != parse ] || return 0
	cp "$STREAM" a
	work a a </dev/null
	show
	[ "$status" -eq 2 ]
	[ ! -s out ]
	[ "$(wc -l <err)" -eq 1 ]
}

@test "the same bytes however the input is read: a file, a pipe, a FIFO, with -u; a stream" {
	work "$INPUT" </dev/null
	show
	[ "$status" -eq 0 ]
	[ -s out ]
	cmp "$PLAIN" out
	work -u "$INPUT" </dev/null
	same_body "$PLAIN" out
	mkfifo fifo
	cat "$INPUT" >fifo &
	work fifo </dev/null
	wait
	show
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$PLAIN")" -eq "$(wc -l <out)" ]
	[ "$kind" != parse ] || return 0
	same_body "$PLAIN" out
	work - <"$STREAM"
	same_body "$PLAIN" out
	head -c -1 "$STREAM" >in # without the last newline
	work <in
	same_body "$PLAIN" out
	[[ $kind != @(lines|own) ]] || return 0
	if [ "$CMD" != dlp-fmt ]; then
		[ "$(head -n 1 out)" = "##dlp${TAB}1" ]
		[[ $(tail -n 1 out) == "##end$TAB"* ]]
		[ "$(grep -c "^##cmd$TAB" out)" -eq \
		    "$(($(grep -c "^##cmd$TAB" "$STREAM") + 1))" ]
		# data records are what ##end counts
		[ "$(grep -vc '^#' out)" -eq \
		    "$(tail -n 1 out | cut -f 2)" ]
	fi
	# twice through is once; dlp-dldb does not write over what the pipeline reads
	[ "$kind" = filter ] && [ "$CMD" != dlp-dldb ] || return 0
	work "$PLAIN"
	[ "$status" -eq 0 ]
	same_body "$PLAIN" out
}

# bats test_tags=reader
@test "a file that may not be read: one line, 2" {
	not_parse
	small_stream >in
	chmod 0 in
	if [ "$(id -u)" -eq 0 ]; then
		for_others
		cp "$(command -v "$CMD")" "$OPEN"
		mv in "$OPEN"
		status=0
		as_other "$OPEN/$CMD" "${opts[@]}" "$OPEN/in" \
		    >out 2>err </dev/null || status=$?
		rm -rf "$OPEN"
	else
		work in
	fi
	trouble
}

@test "bytes that are no UTF-8 and control bytes in texts" {
	not_parse
	small_stream | LC_ALL=C awk -F'\t' -v OFS='\t' '
	/^#/ { print; next }
	{
		for (i = 2; i <= NF; i++)
			if ($i ~ /[a-z]/ && ++at % 3 == 0)
				$i = $i "\377\300\200\001\033[31m\\x"
		print
	}' >in
	work in
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || trouble
	! grep -q "$(printf '\033')" err
}

# refused TEXT: the file in is, with a line that has the text.
refused() {
	work in
	trouble
	says "$1"
}

# bats test_tags=reader
@test "what is no stream of this format: one line that says so, 2" {
	not_parse
	{ cat "$STREAM"; printf 'kern\t\0001\n'; } >in
	refused NUL
	sed 's/$/\r/' "$STREAM" >in
	refused 'CR'
	for text in 'hello' 'Kern	1	2' '# a comment' '{"a": 1}' ' ' \
	    'SQLite format 3' '#'; do
		printf '%s\n' "$text" >in
		refused 'not a dlp stream'
		[ ! -s out ]
	done
	printf 'kern\t1\t2\n' >in
	refused "legend: the line '#kern' must"
	cp "$LENET" in
	refused 'a SQLite database: dlp-parse reads it'
	for z in gzip xz zstd; do
		$z -c <"$STREAM" >in
		refused "$z-compressed"
	done
	sed '1s/1$/7/' "$STREAM" >in
	refused 'format 7.* 1'
	printf '##dlp\tx\n' >in
	refused dlp
	printf '##dlp\n' >in
	refused dlp
}

@test "unknown types and columns pass through" {
	not_parse
	awk -F'\t' -v OFS='\t' '
	/^##end/ {
		print "#zzz\ta\tb\nzzz\t1\t\\x2d\nzzz\t\377\376\t\nzzz\n##zzmeta\tx"
		$2 += 3
	}
	/^##/ { print; next }
	/^#/ { print $0, "zzcol"; next }
	{ print $0, "v" (NR % 3) }' "$STREAM" >in
	work in
	show
	[ "$status" -eq 0 ]
	if [ "$kind" = filter ]; then
		grep -a -e '^#*zzz' -e zzmeta out | cmp - <(grep -a -e '^#*zzz' -e zzmeta in)
		grep -q "^#.*${TAB}zzcol" out
		[ "$(grep -c "^kern.*${TAB}v[012]" out)" -eq \
		    "$(grep -c '^kern' "$STREAM")" ]
	fi
	[ "$CMD" != dlp-fmt ] || return 0 # it shows them
	cmp <(body out | grep -av -e '^#*zzz' -e zzmeta -e '^##end' |
	    sed "s/${TAB}v[012]//; s/${TAB}zzcol//") <(body "$PLAIN" | grep -v '^##end')
}

# The values of a stream by column name, in the order of the names, so that the order
# of the columns does not matter.
by_name() {
	body "$1" | awk -F'\t' '
	/^##/ { print; next }
	/^#/ {
		type = substr($1, 2)
		n[type] = NF
		# insertion sort: mawk has no other
		for (i = 2; i <= NF; i++) {
			for (j = i; j > 2 && $at[type, j - 1] > $i; j--)
				at[type, j] = at[type, j - 1]
			at[type, j] = i
			name[type, i] = $i
		}
		next
	}
	{
		line = $1
		for (i = 2; i <= n[$1]; i++)
			line = line "\t" name[$1, at[$1, i]] "=" $at[$1, i]
		print line
	}'
}

@test "columns in another order, and legends that repeat, give the same result" {
	not_parse
	# a legend again before each tenth record, in the other order
	awk -F'\t' -v OFS='\t' '
	function turned(line,   n, f, s) {
		n = split(line, f)
		for (s = f[1]; n > 1; n--)
			s = s "\t" f[n]
		return s
	}
	/^##/ { print; next }
	/^#/ { type = substr($1, 2); legend[type] = $0; print turned($0); next }
	++n[$1] % 10 == 0 { print n[$1] % 20 ? legend[$1] : turned(legend[$1]) }
	{ print n[$1] % 20 < 10 ? turned($0) : $0 }' "$STREAM" >in
	[ "$CMD" != dlp-fmt ] || opts+=(-c idx,op,dur_ns)
	work in
	show
	[ "$status" -eq 0 ]
	mv out turned
	work "$STREAM"
	cmp <(by_name out) <(by_name turned)
}

# bats test_tags=reader
@test "a record without a legend, with too many or too few fields: one line, 2" {
	not_parse
	grep -v "^#$reads" "$STREAM" >in
	refused "$reads"
	for edit in '$0 = $0 "\tmore"' 'sub(/\t[^\t]*$/, "")'; do
		awk -v tag="$reads" -F'\t' \
		    "\$1 == tag && !n++ { $edit } { print }" "$STREAM" >in
		refused 'in:[0-9]'
	done
}

@test "a missing column: the error names it and the command that adds it" {
	not_parse
	col=$needs
	[ "$CMD" != dlp-fmt ] || opts=(--tsv -T kern -c dur_ns)
	awk -F'\t' -v OFS='\t' -v col=$col '
	/^##/ { print; next }
	/^#/ {
		t = substr($1, 2)
		at[t] = 0
		for (i = 2; i <= NF; i++)
			if ($i == col)
				at[t] = i
	}
	{
		t = $1
		sub(/^#/, "", t)
		s = $1
		for (i = 2; i <= NF; i++)
			if (i != at[t])
				s = s "\t" $i
		print s
	}' "$STREAM" >in
	work in
	[ "$status" -eq 2 ] ||
	    echo "$CMD does without $col: name a column that it needs in NEEDS"
	trouble
	says "$col"
	says 'dlp-[a-z]*.*dlp-[a-z]'
}

@test "a number that is none: file, line and value, 2" {
	passes_on
	col=start_ns
	[ "$CMD" != dlp-mfu ] || col=step_ns
	[ "$CMD" != dlp-coverage ] || col=sum_dur_ns
	awk -F'\t' -v OFS='\t' -v tag="$reads" -v col=$col '
	$1 == "#" tag { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == tag && !n++ { $at[col] = "12x" }
	{ print }' "$STREAM" >in
	case $CMD in # they do not read that column
	dlp-carry | dlp-flops | dlp-rate | dlp-markers | dlp-ncu | dlp-mem | dlp-waits) skip "does not apply" ;;
	esac
	work in
	trouble
	says 'in:[0-9]*:.*12x'
}

# bats test_tags=all
@test "10,000 columns" {
	not_parse
	awk '
	BEGIN {
		for (i = 0; i < 10000; i++) {
			names = names "\tc" i
			vals = vals "\t" i
		}
	}
	/^##/ { print; next }
	/^#kern/ { print $0 names; next }
	/^kern\t/ && n++ < 3 { print $0 vals; next }
	/^kern\t/ { next }
	{ print }' "$STREAM" >in
	work in
	show
	[ "$status" -eq 0 ]
	[ "$kind" != filter ] || [ "$(grep -c "${TAB}9998${TAB}9999" out)" -eq 3 ]
}

@test "two sections (cat a b)" {
	[ "$CMD" != dlp-dldb ] || skip "does not apply" # it takes one whole section
	not_parse
	# the first one differs, so that what is left of it shows in the second
	awk -F'\t' -v tag="$reads" '
	$1 == tag && !n++ { next }
	/^##end/ { $0 = "##end\t" $2 - 1 }
	{ print }' "$STREAM" >first
	cat first "$STREAM" >in
	work in
	show
	[ "$status" -eq 0 ]
	mv out two
	work first
	if [ "$kind" = filter ]; then
		cat out "$PLAIN" >want
		diff <(body want) <(body two) >d || {
			echo "the second section is not as it is alone: does" \
			    "$CMD begin anew with each (st.section)?"
			head -n 5 d
			return 1
		}
	else
		[ "$(wc -l <two)" -ge "$(wc -l <"$PLAIN")" ]
	fi
}

@test "a fragment after grep or awk: no end expected, none written" {
	not_parse
	grep -v '^##' "$STREAM" >in
	work in
	show
	[ "$status" -eq 0 ]
	[ -s out ]
	[ "$CMD" = dlp-fmt ] || ! grep -q -e '^##dlp' -e '^##end' out || false
	mv out a
	# what ##info says is gone with it: the same without those facts
	grep -v '^##info' "$STREAM" >in
	work in
	if [ "$kind" = filter ]; then
		cmp <(grep -v '^##' a) <(grep -v '^##' out)
	fi
	[ "$CMD" != dlp-dldb ] || return 0 # it takes one whole section
	# one type with its legend
	awk -F'\t' '$1 == "#kern" || $1 == "kern"' "$STREAM" >in
	work in
	show
	[ "$status" -eq 0 ]
	[ -s out ]
}

@test "cut anywhere: no ##end, one line, 2" {
	not_parse
	head -n -1 "$STREAM" >in
	work in
	trouble
	says '##end'
	small_stream >small
	size=$(($(wc -c <small) - $(tail -n 1 small | wc -c)))
	# before ##end, in it, at the end of a line, in one
	for n in $size $((size + 3)) $(head -n 9 small | wc -c) \
	    $((size / 5)) $((size / 2)) $((size * 9 / 10)); do
		head -c $n small >in
		work in
		echo "cut at $n"
		show
		[ "$status" -eq 2 ]
		[ "$CMD" = dlp-fmt ] || ! grep -q '^##end' out || false
	done
	# a second section begins before the first has ended
	{ head -n -1 "$STREAM"; cat "$STREAM"; } >in
	work in
	show
	[ "$status" -eq 2 ]
}

# bats test_tags=reader
@test "##end counts other records than came: a line, a note, 0" {
	[[ $kind != @(parse|lines) ]] || skip "does not apply"
	n=$(tail -n 1 "$STREAM" | cut -f 2)
	work <"$STREAM"
	mv out want
	mv err warned
	for k in $((n + 3)) $((n - 2)); do
		sed "\$s/.*/##end	$k/" "$STREAM" >in
		work in
		show
		[ "$status" -eq 0 ]
		what=lost
		[ $k -gt $n ] || what=added
		same "$CMD: in:$(wc -l <in): ##end counts $k records, $n came: $(
		    [ $what = added ] || echo some were lost or left out
		    [ $what = lost ] || echo some were added
		) on the way" "$(grep '##end counts' err)"
		same "$(<warned)" "$(grep -v '##end counts' err)"
		[ "$kind" = filter ] || continue
		note="lost_records	3"
		[ $k -gt $n ] || note="surplus_records	2"
		diff <(body want) <(body out) | grep '^[<>]' >d || :
		grep -qx "> ##note	$note" d
		! grep -v -e '##note' -e '##end' d || false
	done
	# a record that is gone is not the cut of a section
	for k in '' x -1 99999999999999999999; do
		sed "\$s/.*/##end	$k/" "$STREAM" >in
		work in
		trouble
		says "bad count '$k' in ##end"
	done
}

@test "| head is quiet" {
	[ "$CMD" != dlp-dldb ] || skip "does not apply" # it takes one whole section
	set -- "$INPUT"
	# more than a pipe holds
	# (dlp-merge takes one section)
	[ "$kind" = parse ] || [ "$CMD" = dlp-merge ] ||
	    { for i in 1 2 3 4 5 6 7 8; do cat "$1"; done >in; set -- in; }
	rc=0
	bash -c '"$@" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}' - \
	    timeout 60 "$CMD" "${opts[@]}" "$1" 2>err || rc=$?
	cat err
	[ ! -s err ]
	[ $rc -eq 0 ] || [ $rc -eq 141 ]
}

# nowhere_to ARGS...: the command can write to no standard output.
nowhere_to() {
	: >out
	status=0
	"$CMD" "$@" >/dev/full 2>err || status=$?
	trouble
	status=0
	"$CMD" "$@" >&- 2>err || status=$?
	trouble
	[ "$(<err)" = "$CMD: standard output: it is closed" ]
}

@test "standard output full or closed: a message, 2" {
	[ -e /dev/full ] || skip "no /dev/full"
	nowhere_to "${opts[@]}" "$INPUT"
	nowhere_to -h
	nowhere_to -V
}

# bats test_tags=reader
@test "closed stdin and stderr" {
	[[ $kind != @(lines|own) ]] || skip "does not apply"
	work - <&-
	trouble
	[[ $(<err) == "$CMD: standard input: "*'it is closed' ]]
	work "$INPUT" <&-
	show
	[ "$status" -eq 0 ]
	[ "$kind" != parse ] || return 0
	status=0
	"$CMD" "${opts[@]}" "$STREAM" >a 2>&- || status=$?
	[ "$status" -eq 0 ]
	same_body a out
}

# bats test_tags=all
@test "another locale, the same bytes" {
	german
	LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo work "$INPUT"
	cmp "$PLAIN" out
}

@test "-u writes a record before the input ends" {
	passes_on
	[ "$CMD" != dlp-carry ] || skip "reads its input twice"
	[ "$CMD" != dlp-iter ] || opts=(--one) # a key must be found first
	mkfifo fifo
	work -u <fifo &
	exec 9>fifo
	printf '##dlp\t1\n#zzz\ta\nzzz\t1\n' >&9
	for i in $(seq 200); do
		! grep -q '^zzz' out 2>/dev/null || break
		sleep 0.02
	done
	grep -q '^zzz' out
	exec 9>&-
	wait
}

# bats test_tags=reader
@test "no answer to the terminal: usage without an operand" {
	not_parse
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
	    skip "script(1) gets no terminal here"
	rc=0
	script -qec "$CMD ${opts[*]}" /dev/null </dev/null >got 2>&1 || rc=$?
	cat got
	[ $rc -eq 2 ]
	grep -q '^usage: ' got
}
