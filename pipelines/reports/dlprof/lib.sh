# Read by each of DLProf's reports, which says before: $title, $quoted (the
# columns that DLProf quotes), $stages (what the stream must have besides the
# ops, see stream.sh), and a function "report", a filter from the finished
# stream to row records. What lib.sh sets is here too; $as is dlprof for
# DLProf's columns, table for those of a table.
# shellcheck shell=sh disable=SC2034,SC2154 # used by the reports; set by them

dlprof=1
options=k:i:D:n:w:
opt_D=
opt_n=20
. "$DLP_REPORTS/lib.sh"
. "$DLP_REPORTS/dlprof/stream.sh"

LC_ALL=C
export LC_ALL

dlprof_source=profiles # a profile, or a stream

[ -z "$opt_k" ] || dlprof_key=$opt_k
[ -z "$opt_D" ] || dlprof_domain=$opt_D
if [ -n "$opt_i" ]; then
	dlprof_start=$from
	dlprof_stop=$to
fi

detailed=1
[ "$dlprof_detailed" != false ] || detailed=0

# In a pipe and in files, all rows with DLProf's columns; else a table.
as=dlprof
[ -z "$width" ] || as=table
[ -n "$fmt$width" ] || [ ! -t 1 ] || as=table

# The awk programs begin with this: op[ID] holds the columns $want of the op,
# which split() takes apart; need() gives the place of a column, by the legend
# that was just read; one() a mean as DLProf prints it. Sections open and
# close as in the input, so that what broke off is told.
dlprof_awk='
function need(name) {
	if (!((name) in at)) {
		print "dlp " report ": " $1 " has no column " name > "/dev/stderr"
		exit bad = 2
	}
	return at[name]
}
function four_legend() {
	return four_head("CPU Time") OFS four_head("GPU Time") OFS \
	    four_head("CPU Overhead") OFS four_head("GPU Idle")
}
function four_head(x) {
	return "Total " x " (ns)" OFS "Avg. " x " (ns)" OFS "Min " x " (ns)" \
	    OFS "Max " x " (ns)"
}
function four_need(x) {
	sum_at[x] = need("sum_" x "_ns"); n_at[x] = need("n_" x "_ns")
	min_at[x] = need("min_" x "_ns"); max_at[x] = need("max_" x "_ns")
}
function four_bind() {
	four_need("dur"); four_need("gpu"); four_need("overhead")
	four_need("idle")
}
function four(x) {
	return $(sum_at[x]) OFS one($(sum_at[x]), $(n_at[x])) OFS \
	    $(min_at[x]) OFS $(max_at[x])
}
function fours() {
	return four("dur") OFS four("gpu") OFS four("overhead") OFS four("idle")
}
# DLProf knew no other words, and its database has no place for one.
function yes(tc) { return tc == "yes" ? "yes" : "no" }
function row() { if (!n_row++) legend() }
# Direction and Stack Trace are in the reports of PyTorch, Input Shapes of ops
# in those of the frameworks that DLProf knew besides.
function other(    m) {
	m = mode != "" ? mode : info["mode"]
	return m ~ /^tensor(flow[12]|rt)$/
}
function dir(s) { return other() ? "" : OFS s }
function one(sum, n) { return n > 0 ? sprintf("%.1f", sum / n) : "-" }
BEGIN { FS = OFS = "\t"; n_want = split(want, want_op, " ") }
$1 == "##dlp" { if (!csv) print; n_row = 0; next }
$1 == "##info" { info[$2] = $3; next }
/^##/ && $1 != "##end" { next }
/^#/ && $1 != "##end" {
	for (i in at) delete at[i]
	for (i = 2; i <= NF; i++) at[$i] = i
}
$1 == "#op" {
	op_id = need("op_id")
	for (i = 1; i <= n_want; i++) op_at[i] = need(want_op[i])
}
$1 == "op" {
	s = ""
	for (i = 1; i <= n_want; i++) s = s (i > 1 ? OFS : "") $(op_at[i])
	op[$op_id] = s
	next
}
'

# rows AWK [WANT]: a filter from the stream to rows, by an awk program, which
# gets the columns WANT of each op in op[]. If as_csv is set, the program writes
# CSV itself.
rows() {
	awk -v version="${version-}" -v build="${build-}" \
	    -v title="$title" -v csv="${as_csv-}" -v as="$as" \
	    -v report="$report" -v want="${2-}" -v mode="$dlprof_mode" \
	    -v detailed="$detailed" "$dlprof_awk$1"'
	$1 == "##end" {
		if (!n_row) legend()
		if (!csv) print "##end", n_row
		ended = 1
	}
	END { if (bad || (csv && !ended)) exit 2 }'
}

# top COLUMN: the rows with the most of it, and how many more there are.
top() {
	stage dlp-agg -T row --sort "-$1" | awk -F '\t' -v OFS='\t' -v max="$opt_n" '
	$1 == "#row" { cols = NF }
	$1 == "row" && max > 0 && ++n > max { next }
	$1 == "##end" && n > max && max > 0 {
		printf "row\t(%d more)", n - max
		for (i = 3; i <= cols; i++) printf "\t-"
		print ""
		$2 = max + 1
	}
	{ print }'
}

show() {
	case $fmt in
	--dlprof) stage dlp-fmt -T row --csv --title "$title" --quote "$quoted" ;;
	--json) stage dlp-fmt -T row --json --title "$title" --quote "$quoted" ;;
	*)
		if [ "$as" = table ]; then
			stage dlp-fmt -T row $show
		else
			stage dlp-fmt -T row ${fmt:---tsv} $guard --quote "$quoted"
		fi
		;;
	esac
}

# put_whole FILTER...: what the filter makes of standard input, if it is all there;
# an awk that cannot write its output need not say so by its exit status.
put_whole() {
	text=$("$@") || exit 2
	[ -z "$text" ] || printf '%s\n' "$text" || exit 2
}

# through FILTER [FILE]: the filter on the finished stream of the operand, or
# on the one that --from names.
through() {
	if [ -z "${from_stream-}" ]; then
		# shellcheck disable=SC2086 # words
		dlprof_stream "$2" $stages | "$1"
	elif [ "$from_stream" = - ]; then
		"$1"
	else
		"$1" <"$from_stream"
	fi
}

show_help() {
	sed -n '2,/^$/s/^# \{0,1\}//p' "$script"
	cat <<-'EOT'
	  -k KEY     the op, or range, whose ends cut iterations
	  -i N-M     only iterations N to M, or N
	  -D DOMAIN  only ops of this NVTX domain
	  -n N       rows of a table (20), 0: all
	also: --dlprof (DLProf's CSV) --csv --tsv --json --jsonl -w COLUMNS
	--csv has no title line; --dlprof, and the command
	EOT
	echo "dlprof --database=FILE --reports=$report"
	echo "write DLProf's file as it was, with the title"
	echo
	echo "the pipeline of its records:"
	# shellcheck disable=SC2086 # words
	dlprof_stream FILE $stages
}

case $help in
'') ;;
needs) # --from dldb: with a database
	dlprof_dldb=${from_stream-}
	dlprof_stream FILE busy tree stat advise $dlprof_dldb | dlprof_reads
	exit
	;;
*)
	put "$(show_help)"
	exit 0
	;;
esac
DLP_READERS=dlprof # all eight
[ $# -lt 2 ] || die "one profile at a time: '$2'"
[ $# -eq 0 ] || ! is_stream "$1" ||
    [ "$(sed -n '/^##/!q; /^##info	src	/p' <"$1" | wc -l)" -lt 2 ] ||
    die "$1: $of_one"
[ $# -eq 0 ] || [ -z "${from_stream-}" ] || die "--from and '$1' exclude each other"

# main COLUMN ARGUMENT...: the report; a table is in falling order of COLUMN.
main() {
	by=$1
	shift
	if [ "$as" = table ] && [ -n "$by" ]; then
		through report "$@" | top "$by" | show
	else
		through report "$@" | show
	fi
}
