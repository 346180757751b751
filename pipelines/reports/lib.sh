# Read by every report, with its arguments: takes the options apart. A report
# says before what it knows: $options, as for getopts; an option -x sets
# opt_x. What remains in "$@" are files. Common to all: $fmt and $width for
# dlp-fmt.
# shellcheck shell=sh disable=SC2034 # used by the reports

report=${0##*/}
fmt=
width=
help=

die() {
	echo "dlp $report: $*" >&2
	exit 2
}

# A report calls this before its pipeline: for -h it prints the report's own
# head, then the pipeline, with the values that the options give.
help_if_asked() {
	[ -n "$help" ] || return 0
	sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
	echo "also: --csv --tsv --json --jsonl -w COLUMNS"
	echo
	echo "the pipeline:"
	pipe=$(sed '1,/^help_if_asked$/d; s/\\/\\\\/g; s/\$\([0-9]\)/\\$\1/g
	    s/"\$@"/FILE/' "$0")
	eval "cat <<END
$pipe
END
" | sed 's/"\([A-Za-z0-9_.,=-]*\)"/\1/g; s/\([^ ]\)  */\1 /g
	    s/^\(		*\) */\1/; s/^/  /' | expand
	exit 0
}

n_args=$#
while [ "$n_args" -gt 0 ]; do
	n_args=$((n_args - 1))
	arg=$1
	shift
	case $arg in
	-h | --help) help=1 ;;
	--csv | --tsv | --json | --jsonl) fmt=$arg ;;
	--)
		while [ "$n_args" -gt 0 ]; do
			n_args=$((n_args - 1))
			set -- "$@" "$1"
			shift
		done
		;;
	-[a-z]*)
		letter=${arg#-}
		letter=${letter%"${letter#?}"}
		case w:$options in
		*"$letter:"*)
			val=${arg#-?}
			if [ -z "$val" ]; then
				[ "$n_args" -gt 0 ] ||
				    die "-$letter needs an argument"
				n_args=$((n_args - 1))
				val=$1
				shift
			fi
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

case ${opt_n-0} in
'' | *[!0-9]*) die "-n: bad number '$opt_n'" ;;
esac
case $width in
*[!0-9]*) die "-w: bad number '$width'" ;;
esac
[ -n "$help" ] || [ $# -gt 0 ] || die "which profile? usage: dlp $report [options] FILE..."
for f; do
	[ "$f" != - ] || continue
	[ -e "$f" ] || die "$f: No such file or directory"
done
