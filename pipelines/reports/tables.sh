# Read by reports of two tables: a summary, and what it is made of. People get
# both, programs the second, or with -s the first.
# shellcheck shell=sh disable=SC2034,SC2154 # lib.sh; used by the reports

# tables_of FIRST SECOND: their record types, to $types.
tables_of() {
	types=$2
	[ -n "$fmt" ] || { [ -z "$width" ] && [ ! -t 1 ]; } || types="$1 $2"
	[ -z "${opt_s-}" ] || types=$1
}
