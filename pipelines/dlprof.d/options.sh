# Read by dlprof, with its arguments: takes them apart by options.tab. An
# option NAME of that table sets opt_NAME; what remains in "$@" is the program
# that is to be run.
# shellcheck shell=sh disable=SC2034,SC2154 # used by the other parts

# option SPELLING: sets o_name, o_kind, o_values; false if there is none.
option() {
	case $1 in *[!A-Za-z_-]*) return 1 ;; esac
	while IFS='|' read -r o_name o_spelling o_kind o_values o_default o_rest
	do
		case $o_name," $o_spelling " in
		'#'*) ;;
		*" $1 "*) return 0 ;;
		esac
	done <"$parts/options.tab"
	return 1
}

spellings() {
	sed '/^#/d' "$parts/options.tab" | cut -d'|' -f2 | tr '\n' ' '
}

# known WORD: sets word to what it means among o_values; false if unknown.
known() {
	case $1 in '' | *[!a-z0-9_]*) return 1 ;; esac
	case " $o_values " in
	*" $1 "*) word=$1 ;;
	*" $1="*)
		word=${o_values#*"$1="}
		word=${word%% *}
		;;
	*) return 1 ;;
	esac
}

bad_value() {
	words=$(printf '%s' "$o_values" | sed 's/=[a-z0-9_]*//g')
	word=$(near "$1" "$words")
	die "$spelling: bad value '$1'${word:-; it is one of: $words}"
}

# check: the value of the option that option() found, in its final form.
check() {
	case $o_kind in
	yesno)
		case $value in
		true | True) value=true ;;
		false | False) value=false ;;
		*) die "$spelling: bad value '$value'; it is true or false" ;;
		esac
		;;
	word)
		known "$value" || bad_value "$value"
		value=$word
		;;
	words) check_list ;;
	count)
		case $value in
		'' | *[!0-9]* | ??????????*)
			die "$spelling: bad number '$value'" ;;
		esac
		;;
	secs)
		case $value in
		'' | . | *[!0-9.]* | *.*.* | ??????????*)
			die "$spelling: bad number of seconds '$value'" ;;
		esac
		;;
	esac
}

check_list() {
	list=$value,
	eval "value=\$given_$o_name"
	while [ -n "$list" ]; do
		word=${list%%,*}
		list=${list#*,}
		word=${word#"${word%%[! ]*}"}
		word=${word%"${word##*[! ]}"}
		known "$word" || bad_value "$word"
		case " $value " in
		*" $word "*) ;;
		*) value=${value:+$value }$word ;;
		esac
	done
	eval "given_$o_name=\$value"
}

given_reports=
given_formats=
set_base=
set_key=
while IFS='|' read -r o_name o_spelling o_kind o_values o_default o_rest; do
	case $o_name in
	'#'*) ;;
	*) eval "opt_$o_name=\$o_default" ;;
	esac
done <"$parts/options.tab"

command_line=$(quoted dlprof "$@")
while [ $# -gt 0 ]; do
	value=
	given=1
	case $1 in
	--)
		shift
		break
		;;
	--*=*)
		spelling=${1%%=*}
		value=${1#*=}
		;;
	--*)
		spelling=$1
		given=
		;;
	-?*)
		value=${1#-?}
		spelling=${1%"$value"}
		[ -n "$value" ] || given=
		value=${value#=}
		;;
	*) break ;;
	esac
	shift
	option "$spelling" ||
	    die "unknown option '$spelling'$(near "$spelling" "$(spellings)")"
	kind=$o_kind
	[ "$kind" != gone ] || kind=$o_values
	case $kind,$given in
	flag,) value=1 ;;
	flag,1) die "$spelling takes no value" ;;
	*,1) ;;
	yesno,)
		value=true
		case ${1-} in
		true | false)
			value=$1
			shift
			;;
		esac
		;;
	*)
		[ $# -gt 0 ] || die "$spelling: a value is missing"
		value=$1
		shift
		;;
	esac
	# a b --: further words of the list, and its end.
	case $kind,$given in
	words,)
		while [ $# -gt 0 ] && known "$1"; do
			value=$value,$1
			shift
		done
		[ "${1-}" != -- ] || shift
		;;
	names,)
		n=0
		for word; do
			case $word in
			--) n=$((n + 1)) && break ;;
			-*) n=0 && break ;;
			esac
			! command -v -- "$word" >/dev/null || n=-999
			n=$((n + 1))
		done
		[ "${word-}" = -- ] || n=0
		while [ "$n" -gt 0 ]; do
			[ "$1" = -- ] || value=$value,$1
			shift
			n=$((n - 1))
		done
		;;
	esac
	if [ "$o_kind" = gone ]; then
		gone="${gone-}$spelling "
		continue
	fi
	check
	eval "opt_$o_name=\$value set_$o_name=1"
done

case $opt_verbosity in
quiet) level=0 ;;
minimal) level=1 ;;
normal) level=2 ;;
detailed) level=3 ;;
diagnostic) level=4 ;;
esac
for spelling in ${gone-}; do
	option "$spelling"
	note "$spelling does nothing any more: ${o_rest#*|}"
done

[ -z "$opt_iter_start" ] || [ -z "$opt_iter_stop" ] ||
    [ "$opt_iter_start" -le "$opt_iter_stop" ] ||
    die "--iter_start=$opt_iter_start lies behind --iter_stop=$opt_iter_stop"
