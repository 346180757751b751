# Read by every report, with its arguments: takes the options apart. A report
# says before what it knows: $options, as for getopts; an option -x sets
# opt_x; $long_options are words, which take a value, and --fail-over sets
# opt_fail_over; $flag_options are words that take none. All know -q, and those
# with a table -w, -c and --sort: stage.sh has the columns and rows chosen where the
# table is written. The rest of "$@" are files. Common to all: $show for dlp-fmt, $limit for dlp-agg, $src if there are
# several files, in one stream or many; for the options i and k: $steps and
# $which for dlp-iter, $in_steps if only steps count. A report to which the
# kernels do, all that a .dict of PyProf has, says kernels_do=1, one that needs their
# times, too, kernels_do=times: PyProf's own has durations only. The others refuse both.
# shellcheck shell=sh disable=SC2034 # used by the reports

. "$DLP_REPORTS/plain.sh"
. "$DLP_REPORTS/inputs.sh"
. "$DLP_REPORTS/stage.sh"
# dlp names the report in $script and reads it; others start it.
script=${script:-$0}
report=${script##*/}
fmt=
guard=
width=
help=
src=
opt_i=
opt_k=
code=
# Reports with dlp-flops pass files of compilers on to it (stage.sh).
opt_hlo=
opt_inductor=
# Whose needs the commands ask for (awk/unread.tab): they write nothing else.
DLP_READERS=$report
export DLP_READERS
# Ops can come from another recording of the program (stage.sh).
opt_ops_from=
unset opt_null # an empty text is one
long_options="${long_options-} ops-from null"
opt_c=
opt_q=
opt_sort=
common_options=w:q
[ -n "${no_table-}${no_columns-}" ] || common_options=w:c:q long_options="$long_options sort"
case $report in
advise | coverage | diff | flops | folded | html | join | kernels | mfu | openmetrics | overview | \
    roofline | tc | top | trace | view)
	long_options="${long_options-} hlo inductor"
	;;
esac
to=
# A terminal shows the first rows, programs get all. Without -n there is no limit, and
# one of its own where -n does not count rows of a table.
opt_n=0
case ${own_n-}$options in
1*n:*) opt_n= ;;
*n:*) [ ! -t 1 ] || opt_n=20 ;;
esac

die() {
	plain "dlp $report: $*" >&2
	exit 2
}

# A report calls this before its pipeline: for -h it prints the report's own
# head and the formats ($also: others than all). The pipeline then shows itself
# (stage.sh), with the values that the options give.
help_if_asked() {
	[ "$help" = 1 ] || return 0
	put "$(
		sed -n '2,/^$/s/^# \{0,1\}//p' "$script"
		[ -n "${no_table-}" ] ||
		    echo "also: ${also---csv --tsv --json --jsonl --md --xtab -w COLUMNS}"
		case $common_options in
		*c:*) echo "also: -c COLUMNS --sort COLUMN -q (dlp(1) explains them)" ;;
		*) echo "also: -q" ;;
		esac
		! grep -q "^$report	" "$DLP_REPORTS/awk/columns.tab" ||
		    printf '\ncolumns (and headings in a table, whose times and sizes have units that fit):\n'
		sed -n "s/^$report	//p" "$DLP_REPORTS/awk/columns.tab"
		echo
		echo "the pipeline:"
	)"
}

# spark COLUMN: on a terminal this column of the table is drawn, too.
spark() {
	[ -n "$fmt" ] || [ ! -t 1 ] || show="$show --spark $1${opt_ascii:+ --ascii}"
}

# What adds the times of several files up says so.
say_added_up() {
	[ -n "$help" ] || [ "$1" -lt 2 ] || echo "dlp $report: the times of $1 files are added" \
	    "up${2:+; $2 keeps them apart}" >&2
}

n_args=$#
while [ "$n_args" -gt 0 ]; do
	n_args=$((n_args - 1))
	arg=$1
	shift
	case $arg in
	-h | --help) help=1 ;;
	--needs) help=needs ;;
	--csv | --tsv | --json | --jsonl | --md | --xtab) fmt=$arg ;;
	--guard) guard=" --guard" ;;
	--dlprof | --from | --from=*)
		[ -n "${dlprof-}" ] || die "unknown option '$arg'"
		case $arg in
		--dlprof) fmt=$arg ;;
		--from=*) from_stream=${arg#--from=} ;;
		*)
			[ "$n_args" -gt 0 ] || die "--from needs an argument"
			n_args=$((n_args - 1))
			from_stream=$1
			shift
			;;
		esac
		;;
	--)
		while [ "$n_args" -gt 0 ]; do
			n_args=$((n_args - 1))
			set -- "$@" "$1"
			shift
		done
		;;
	--[a-z]*)
		case " ${flag_options-} " in
		*" ${arg#--} "*)
			eval "opt_$(printf %s "${arg#--}" | tr - _)=1"
			continue
			;;
		esac
		name=${arg#--}
		name=${name%%=*}
		case "$name, ${long_options-} " in
		*[!a-z-]*,*) die "unknown option '$arg'" ;;
		*" $name "*) ;;
		*) die "unknown option '$arg'; dlp $report -h shows them" ;;
		esac
		val=${arg#--"$name"}
		val=${val#=}
		if [ "$arg" = "--$name" ]; then
			[ "$n_args" -gt 0 ] || die "$arg needs an argument"
			n_args=$((n_args - 1))
			val=$1
			shift
		fi
		[ -n "$val" ] || [ "$name" = null ] || die "--$name: empty argument"
		eval "opt_$(printf '%s' "$name" | tr - _)=\$val"
		;;
	-[a-zA-Z]*)
		letter=${arg#-}
		letter=${letter%"${letter#?}"}
		case $common_options$options in
		*"$letter:"*)
			val=${arg#-?}
			if [ -z "$val" ]; then
				[ "$n_args" -gt 0 ] ||
				    die "-$letter needs an argument"
				n_args=$((n_args - 1))
				val=$1
				shift
			fi
			[ -n "$val" ] || die "-$letter: empty argument"
			if [ "$letter" = w ]; then
				width=$val
			else
				eval "opt_$letter=\$val"
			fi
			;;
		*"$letter"*)
			[ "$arg" = "-$letter" ] || die "unknown option '$arg'"
			eval "opt_$letter=1"
			;;
		*) die "unknown option '$arg'; dlp $report -h shows them" ;;
		esac
		;;
	-?*) die "unknown option '$arg'; dlp $report -h shows them" ;;
	*) set -- "$@" "$arg" ;;
	esac
done

case $opt_n in
*[!0-9]* | ??????????*) die "-n: bad number '$opt_n'" ;;
esac
# Rows are sorted and then counted, so that no stage before may leave some out.
sort_n=$opt_n
[ -z "$opt_sort" ] || opt_n=0
# What is chosen is not known to those that write columns.
[ -z "$opt_c$opt_sort" ] || DLP_READERS=
limit=
[ "${opt_n:-0}" -eq 0 ] || limit="-n $opt_n --rest"
case $width in
*[!0-9]*) die "-w: bad number '$width'" ;;
esac
[ -z "$fmt" ] || [ -z "$width" ] || die "$fmt and -w exclude each other"
[ -z "${no_table-}" ] || [ -z "$fmt$width" ] ||
    die "${fmt:--w}: this report is no table"
[ -z "$guard" ] || [ "$fmt" = --csv ] ||
    die "--guard: only with --csv"
case ${opt_null-} in *[!A-Za-z0-9_.-]*) die "--null: '$opt_null' is not a word" ;; esac
[ -z "${opt_null+set}" ] || [ "$fmt" = --csv ] || [ "$fmt" = --tsv ] ||
    die "--null: only with --csv or --tsv"
guard=$guard${opt_null+ --null=$opt_null}
# $wide: that of a screen, which is the terminal's up to 120.
people_width() {
	wide=$width
	if [ -z "$wide" ] && [ -t 1 ]; then
		# in $() standard output is no terminal
		{ wide=$(stty size <&3 2>/dev/null); } 3>&1
		wide=${wide#* }
		[ "${wide:-0}" -le 120 ] || wide=120
	fi
	[ "${wide:-0}" -gt 0 ] || wide=80
}

# People get a table, programs that read a pipe or a file rows with TABs.
show="-H${fmt:+ $fmt}$guard${width:+ -w $width}"

from=$opt_i
case $from in
'') ;;
[0-9]*-*[0-9]) to=${from#*-} from=${from%%-*} ;;
*) to=$from ;;
esac
case $from,$to in
*[!0-9,]* | *,*,* | ??????????*,* | *,??????????*) die "-i: bad iteration '$opt_i'; it is N or N-M" ;;
esac
steps=--one
which=
in_steps=
if [ -n "$opt_k" ] && [ -n "$from" ]; then
	steps=-k$opt_k which="--iter-start $from --iter-stop $to --strict"
elif [ -n "$opt_k" ]; then
	steps=-k$opt_k which=--strict
elif [ -n "$from" ]; then
	steps=--iter-start=$from which="--iter-stop $to --strict"
fi
[ "$steps" = --one ] || in_steps=1
[ -z "$from" ] || [ "$from" -le "$to" ] || die "-i: $from lies behind $to"

# Without a file it reads what is piped into it.
no_file=
which_profile="which profile? usage: dlp $report [options] FILE..., or COMMAND | dlp $report"
if [ -z "$help${from_stream-}${opt_follow-}" ] && [ $# -eq 0 ]; then
	[ ! -t 0 ] || die "$which_profile"
	no_file=1
	set -- -
fi
[ -n "$help" ] || [ -z "$opt_ops_from" ] || [ -r "$opt_ops_from" ] ||
    die "--ops-from: $opt_ops_from: cannot be read"
need=
with_dict="what works with it: dlp FILE, dlp top, kernels, flops, layers, roofline, tc,\
 coverage, advise, devices, folded, info, html, plot, view"
of_dict="a .dict of PyProf has kernels only, dlp $report needs more; $with_dict"
of_one="a stream of several files: this report is of one, give each alone"
no_times="a .dict of PyProf has durations of kernels, no times: no -i, no -k"
[ "${kernels_do-}" != times ] ||
    no_times="a .dict of PyProf has no times, dlp $report needs them; $with_dict"

# inputs FILE...: whether files are told apart, and if the report can be of them.
inputs() {
	[ $# -lt 2 ] && { [ $# -eq 0 ] || ! has_src "$1"; } || src=src
	[ $# -ne 1 ] || [ "$1" = - ] || [ -e "$1" ] ||
	    die "$1: No such file or directory"
	if [ -z "${kernels_do-}" ]; then
		need=--no-dict
		for f; do
			! is_dict "$f" || die "$f: $of_dict"
		done
	elif [ -n "$in_steps" ] || [ "$kernels_do" = times ]; then
		need=--need-times
		for f; do
			! is_dict "$f" 'times	made up' || die "$f: $no_times"
		done
	fi
}
# Where a file that fails is a row or an object, $rows_do, each is looked at alone.
[ -n "${rows_do:+$fmt}" ] || inputs "$@"
# Notes begin with it.
one_file=
[ $# -ne 1 ] || one_file=$1
case $one_file in
-) one_file='standard input' ;;
*[!\ -~]*) one_file= ;;
esac
many_files=
[ $# -lt 2 ] || many_files=1
[ -z "$opt_ops_from" ] || DLP_READERS=
