# Read by overview: the numbers of a file, and its row.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # lib.sh; used by overview

people_width

case ${opt_color:-auto} in
always) color=' --color' ;;
never) color= ;;
auto)
	color=
	[ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || [ "${TERM-dumb}" = dumb ] ||
	    color=' --color'
	;;
*) die "--color: '$opt_color' is not auto, always or never" ;;
esac

# For people, what there is room for.
some=
[ -n "$fmt" ] || { [ -z "$width" ] && [ ! -t 1 ]; } || [ "$width" = 0 ] ||
    some='-c file,status,gpu,n_step,step_ns,busy_pct,top_op'

# short_name FILE: without folders and what says the format.
short_name() {
	n=${1##*/}
	n=${n%.xz} n=${n%.gz} n=${n%.zst} n=${n%.sqlite} n=${n%.json}
	printf '%s\n' "${n%.pt.trace}"
}

# in_words: rows in words. Where all communicate, they may be of one run.
in_words() {
	awk -F '\t' -v OFS='\t' '
	$1 == "#overview" { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == "overview" {
		n++
		comm += $(at["comm_work_ns"]) > 0
		sub(/ bprop$/, " backward", $(at["top_op"]))
		sub(/ fprop$/, " forward", $(at["top_op"]))
	}
	{ print; fflush() }
	END {
		if (n > 1 && comm == n)
			print "dlp overview: if these are the ranks of one run, dlp ranks" \
			    " FILE... shows who waits for whom" >"/dev/stderr"
	}'
}

# Of a file: a section with its row. It needs a process of its own.
numbers_of() {
	src=
	name=$1
	[ -z "$short_names" ] || name=$(short_name "$1")
	inputs "$1"
	if [ "$fmt" = --json ] && is_snapshot "$1"; then
		snapshot_object "$1"
	else
		facts "$1"
	fi
	exit
}

# The object of a snapshot: what each file has, around the array of dlp mem.
snapshot_object() {
	devices=$(memory --json "$1") || exit
	dlp-overview --json -n "$name" --failed - | sed 3q
	printf ' "status": "ok",\n "dialect": "torch-memory",\n "devices": %s,\n "error": null\n}\n' \
	    "$devices"
}

# complain FILE TEXT: says it, with the name of the file if the text leaves it
# out; a note begins with that. The first text is the reason in the row of a file that failed: $error.
complain() {
	[ -n "$said" ] || error=$2
	said=1
	case $failed,$2 in
	*,*"$1"* | *,'dlp overview: '*) plain "$2" >&2 ;;
	,dlp[-\ ]*': '*) plain "$1: ${2#*: }" >&2 ;;
	*) plain "dlp overview: $1: $2" >&2 ;;
	esac
}

# row_of N FILE: the row of a file, and what was said of it. A message about the
# input of a filter (it begins with a TAB) is only heard where no other has said
# anything. False if the file failed; the row says so, too.
row_of() {
	failed=
	numbers_of "$2" 2>"$rows/$1.said" <&5 &
	wait $! || failed=1
	[ -n "$failed" ] || [ -s "$rows/$1.said" ] || return 0
	error='' said='' behind=''
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'	'*) [ -n "$behind" ] || behind=${line#?} ;;
		*) complain "$2" "$line" ;;
		esac
	done <"$rows/$1.said"
	[ -n "$said" ] || [ -z "$behind" ] || complain "$2" "$behind"
	[ -n "$failed" ] || return 0
	name=$2
	[ -z "$short_names" ] || name=$(short_name "$2")
	dlp-overview $how -n "$name" --failed "$error"
	return 1
}

# A terminal is told how far it is; the next row replaces that.
progress() {
	[ -z "${DLP_TTY-}" ] || printf '%s\r' "$1" >"$DLP_TTY"
}

# rows_of FILE...: a section with the row of each, in their order, as soon as it
# and those before it are known.
rows_of() {
	rows=$(mktemp -d "$temporary.XXXXXX") || exit 2
	trap 'rm -rf "$rows"' EXIT
	trap 'exit 2' INT TERM
	exec 5<&0
	erase=$(printf '\033[K')
	ok=1 given=0 files=$#
	# for people, names are short, where these are all different
	short_names=
	[ -z "$some" ] || [ -n "$(for f; do short_name "$f"; done | sort | uniq -d)" ] ||
	    short_names=1
	if [ "$opt_j" -gt 1 ]; then
		rows_at_once "$@"
	else
		one_by_one "$@"
	fi
	[ -n "$ok" ] || printf '##dlp\t1\n'
}

one_by_one() {
	for f; do
		progress "$given of $files$erase"
		row_of 1 "$f" || ok=''
		given=$((given + 1))
	done
	progress "$erase"
}

# $opt_j files are read at a time; each that has been read writes a byte into a
# pipe. Another process reads it, because a signal interrupts wait: in bash, read
# goes on, and the trap comes after its end.
rows_at_once() {
	mkfifo "$rows/read" || exit 2
	exec 6<>"$rows/read"
	begun=0 read=0
	while [ "$given" -lt "$files" ]; do
		while [ $# -gt 0 ] && [ $((begun - read)) -lt "$opt_j" ]; do
			begun=$((begun + 1))
			{
				n=$rows/$begun
				row_of "$begun" "$1" >"$n.row" 2>"$n.err" ||
				    : >"$n.bad"
				: >"$n.read"
				echo >&6
			} &
			shift
		done
		progress "$given of $files$erase"
		dd bs=1 count=1 <&6 >/dev/null 2>&1 &
		wait $!
		read=$((read + 1))
		while [ -f "$rows/$((given + 1)).read" ]; do
			given=$((given + 1))
			give_row "$given"
		done
	done
}

# give_row N: what row_of left.
give_row() {
	progress "$erase"
	[ ! -s "$rows/$1.err" ] || cat "$rows/$1.err" >&2
	cat "$rows/$1.row"
	[ ! -f "$rows/$1.bad" ] || ok=''
	rm -f "$rows/$1".*
}
