# Read by reports of several tables. People get all that have rows, programs
# one of them.
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # lib.sh; used by the reports

# Whether people get tables, not programs rows.
for_people() {
	[ -z "$fmt$opt_c$opt_sort" ] && { [ -n "$width" ] || [ -t 1 ]; }
}

# tables_of FIRST SECOND: the record types of a report with a summary and what
# it is made of, to $types. Programs get the second, or with -s the first; -t
# names one.
tables_of() {
	types=$2
	! for_people || types="$1 $2"
	[ -z "${opt_s-}" ] || types=$1
	case $options in *t:*) ;; *) return ;; esac
	case ,$opt_t in
	,) ;;
	,"$1" | ,"$2") types=$opt_t ;;
	*) die "-t: '$opt_t' is not one of $1, $2" ;;
	esac
}

# show_tables: a filter, the answer if the stream has one, and a table of each of
# $types; those in $always even without rows. The status of dlp-fmt does not pass
# through an awk, where it gets lost.
show_tables() {
	case $types in
	*' '*) ;;
	*)
		stage dlp-fmt $show -T "$types"
		return
		;;
	esac
	if [ -n "$help" ]; then
		stage tee tables.dlp | stage dlp-fmt $show -T "${types%% *}"
		put "  for t in ${types#* }; do
      ! grep -q \"^\$t[[:space:]]\" tables.dlp ||
          { echo; dlp-fmt $show -T \$t tables.dlp; }
  done"
		return
	fi
	tables=$(mktemp) || exit 2
	trap 'rm -f "$tables"' EXIT
	trap 'exit 2' INT TERM
	cat >"$tables"
	answer=$(sed -n 's/^##info	answer	//p' "$tables") # sentences
	[ -z "$answer" ] || put "$answer"
	begun=
	failed=
	for type in $types; do
		[ "$type" = "${always-}" ] || [ -n "$failed" ] ||
		    grep -q "^$type	" "$tables" || continue
		[ -z "$begun$answer" ] || echo || exit 2
		begun=${begun:-1}
		if [ "$begun" = 1 ]; then
			dlp-fmt --as-stage $show -T "$type" <"$tables" || failed=1
		else # the first table told what the notes say
			sed '/^##note/d' "$tables" |
			    dlp-fmt --as-stage $show -T "$type" || failed=1
		fi
		begun=2
	done
	[ -z "$failed" ] && grep -q '^##end' "$tables" || exit 2
}
