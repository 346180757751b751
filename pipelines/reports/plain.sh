# Read by all scripts: text of strangers, names of files among it, as a
# terminal may get it, and messages.
# shellcheck shell=sh disable=SC2016,SC2034 # of awk; used by who reads this

# need_plain: the function plain of awk, as text for programs that are no file,
# to $plain_awk.
need_plain() {
	[ -n "${plain_awk-}" ] ||
	    plain_awk=$(cat "${DLP_REPORTS:-${datadir:-$here}/reports}/awk/plain.awk")
}

# plain TEXT: on one line.
plain() {
	case $1 in
	*[!\ -~]*)
		need_plain
		printf '%s\n' "$1" | LC_ALL=C awk "$plain_awk"'
		{ printf "%s%s", (NR > 1 ? "\\n" : ""), plain($0) }
		END { print "" }'
		;;
	*) printf '%s\n' "$1" ;;
	esac
}

# put TEXT: to standard output, whole; otherwise the script ends with 2.
put() {
	printf '%s\n' "$1" 2>/dev/null || {
		script=${script:-$0}
		echo "${script##*/}: standard output cannot be written" >&2
		exit 2
	}
}
