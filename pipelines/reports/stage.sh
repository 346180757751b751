# Read by lib.sh and start.sh: the commands of a pipeline, each behind the word
# "stage", so that the pipeline is also what -h shows:
#
#	profiles "$@" | stage dlp-correlate | stage dlp-fmt $show
#
# shellcheck shell=sh disable=SC2154 # help: lib.sh

# The table of a report, where -c or --sort chooses its columns or the order of its
# rows.
chosen_table() {
	if [ -n "${opt_sort-}" ]; then
		type=$*
		case $type in
		*' -T '*) type=${type##* -T } ;;
		*) die "--sort: this table has rows of several kinds" ;;
		esac
		key=$opt_sort
		opt_sort=
		most=
		[ "$sort_n" -eq 0 ] || most="-n $sort_n"
		if [ -n "${src:-$many_files}" ]; then
			stage awk -f "$DLP_REPORTS/awk/one_section.awk"
		else
			cat
		fi | stage dlp-agg -T "${type%% *}" --sort "$key" $most | chosen_table "$@"
		return
	fi
	cols=$opt_c
	opt_c=
	stage "$@" ${cols:+-c "$cols"}
}

# stage COMMAND...: runs it; what it says about an input that another command
# wrote is marked (--as-stage), for run to choose from. If $help is set, it takes
# the pipeline so far from standard input and adds itself to that text.
stage() {
	if [ "$1" = dlp-flops ]; then
		[ -z "${opt_hlo-}" ] || set -- "$@" --hlo "$opt_hlo"
		[ -z "${opt_inductor-}" ] || set -- "$@" --inductor "$opt_inductor"
	fi
	if [ "$1" = dlp-fmt ] && [ -n "${opt_c-}${opt_sort-}" ]; then
		chosen_table "$@"
		return
	fi
	if [ "$1,${opt_ops_from:+carry}" = dlp-correlate,carry ]; then
		correlate_and_carry "$@"
		return
	fi
	case ${help-} in
	'') ;;
	needs)
		say_needs "$@"
		return
		;;
	*)
		case $1 in
		dlp-correlate) show_stage "$@" | show_stage dlp-carry --auto ;;
		*) show_stage "$@" ;;
		esac
		return
		;;
	esac
	# ops are carried over between the steps of one recording, too
	if [ "$1" = dlp-correlate ]; then
		shift
		dlp-correlate --as-stage "$@" | dlp-carry --as-stage --auto
		return
	fi
	case $1 in
	dlp-*)
		command=$1
		shift
		exec "$command" --as-stage "$@"
		;;
	*) "$@" ;;
	esac
}

# What a step would take if what findings are about were fixed, for dlp-advise.
gains() {
	stage dlp-rate -T "${1-agg}" | stage dlp-path --replay --bare --each
}

# say_needs COMMAND...: adds to the text what the command reads (tests/bin/needs).
say_needs() {
	case $1 in
	dlp-parse) echo "$1" ;;
	dlp-correlate)
		shift
		dlp-correlate --needs "$@" | dlp-carry --needs --auto
		;;
	awk) cat ;; # behind dlp-agg, whose records it reads
	dlp-*)
		command=$1
		shift
		exec "$command" --needs "$@"
		;;
	*) "$@" ;;
	esac
}

# correlate_and_carry dlp-correlate OPTION...: with --ops-from, ops come from another
# recording, whose stream waits in a file. Runs in a subshell, as all stages do.
correlate_and_carry() {
	if [ -n "${help-}" ]; then
		show_stage "$@" | show_stage dlp-carry -f "$opt_ops_from"
		return
	fi
	shift
	marked=$(mktemp "${TMPDIR:-/tmp}/dlp-carry.XXXXXX") || exit 2
	trap 'rm -f "$marked"' EXIT
	trap 'exit 2' INT TERM
	if is_stream "$opt_ops_from"; then
		cat -- "$opt_ops_from"
	else
		dlp-parse --no-code -- "$opt_ops_from"
	fi </dev/null | dlp-correlate --as-stage >"$marked" 2>/dev/null || exit 2
	dlp-correlate --as-stage --quiet "$@" |
	    dlp-carry --as-stage -f "$marked"
}

newline='
'

# shell_word WORD: as one types it.
shell_word() {
	case $1 in
	'' | *[!A-Za-z0-9_.,=:/@%+-]*)
		printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf %s "$1" ;;
	esac
}

# Lines are at most 78 columns wide, where words allow it. A command that does
# not fit behind the one before begins a line; an option keeps its argument.
show_stage() {
	text=$(cat)
	[ -n "$text" ] && text="$text |" || text=' '
	line=${text##*"$newline"}
	words=
	for word; do
		words="$words $(shell_word "$word")"
	done
	case $line in
	'          '* | [!\ ]*) ;; # it is a part of a command
	*)
		if [ $((${#line} + ${#words})) -le 76 ]; then
			put "$text$words"
			return
		fi
		;;
	esac
	line='     '
	text=$text$newline$line
	option=
	for word; do
		word=$(shell_word "$word")
		case $option,$word in
		-*,-*) show_word "$option" && option=$word ;;
		,-*) option=$word ;;
		*)
			show_word "${option:+$option }$word"
			option=
			;;
		esac
	done
	[ -z "$option" ] || show_word "$option"
	put "$text"
}

show_word() {
	if [ $((${#line} + ${#1})) -gt 75 ]; then
		line='         '
		text="$text \\$newline$line"
	fi
	line="$line $1"
	text="$text $1"
	[ ${#line} -gt 76 ] || return 0
	text=${text%"$1"}
	show_list "$1"
}

# show_list WORD: it is longer than a line: cut behind commas. What follows begins in
# the first column, because blanks would end the word.
show_list() {
	rest=$1
	room=64
	quote=
	case $rest in
	*"'\\'"*) room=${#rest} ;; # a quote inside
	*\') quote=\' ;;
	esac
	while [ ${#rest} -gt $room ]; do
		part=$(printf %.${room}s "$rest")
		case $part in
		*,*) part=${part%,*}, ;;
		*) break ;;
		esac
		text="$text$part$quote\\$newline$quote"
		rest=${rest#"$part"}
		room=74
	done
	text=$text$rest
	line=${text##*"$newline"}
}
