# Read by dlp and pyprof-prof, which are in the folder $here: where the
# filters are, and how a pipeline of them is run.
# shellcheck shell=sh disable=SC2154 # here: set by who reads this

# Reports begin from an empty state: a variable of the environment that has the
# name of one of ours, such as $parse, would be taken for it. Ours are written
# in small letters; those of the system, such as PATH and TMPDIR, stay, but for
# the ones that change what standard utilities do. A program that dlprof
# records gets all of them, from $user_env.
user_env=$(export -p)

# The locale changes no output: awk would print 1,5, and [a-z] match B.
# dlp-fmt asks what the terminal can show.
: "${DLP_LOCALE=${LC_ALL:-${LC_CTYPE:-${LANG-}}}}"
LC_ALL=C
export LC_ALL DLP_LOCALE

# Lines are "export NAME=..." or, of bash, "declare -x NAME=..."; a line of a
# value that looks like that names a variable that is not set here.
set -f
IFS='
'
for name in $user_env; do
	name=${name#export }
	name=${name#declare -x }
	name=${name%%=*}
	case $name in
	here | datadir | user_env) ;; # set by now
	[0-9]* | *[!A-Za-z0-9_]*) ;;
	*[a-z]*) unset "$name" ;;
	esac
done
set +f
unset IFS name DLP_READERS DLP_TTY CDPATH POSIXLY_CORRECT GREP_OPTIONS

. "${datadir:-$here}/reports/plain.sh"
. "${datadir:-$here}/reports/signals.sh"
. "${datadir:-$here}/reports/stage.sh"
help= # stage runs what it is given

# Folders of processes that a signal ends while others still write into them
# begin with this name: the first shell removes them when all have ended.
temporary=${TMPDIR:-/tmp}/dlp.$$
clean_up() {
	rm -rf "$temporary".*
}

# The filters beside the script are of its version.
if [ -x "$here/dlp-parse" ]; then
	PATH=$here:$PATH
	export PATH
elif ! command -v dlp-parse >/dev/null 2>&1; then
	PATH=$here:$here/../build/bin:$PATH
	export PATH
fi

# run COMMAND...: a pipeline. Where a filter fails or finds nothing, those after
# it complain about their input. stage has these messages begin with a TAB: the
# first is shown if no filter before it, and no report, has said anything; with
# $keep_marks it keeps its TAB.
run() {
	catch_signals
	# standard error goes through a filter
	if [ -t 2 ]; then
		DLP_TTY=$(tty <&2)
		export DLP_TTY
	fi
	# what runs behind & would have no standard input; this one cannot be
	# read either
	{ true 4<&0; } 2>/dev/null || exec 0>/dev/null
	if ! { true 3>&1; } 2>/dev/null; then
		echo "dlp: standard output is closed" >&2
		exit 2
	fi
	exec 3>&1 4<&0
	# In a group: bash would run a trap between the two parts of a pipeline that
	# goes behind &, and its first command would wait for the first part.
	{ with_status "$@" | messages >&2 3>&- 4<&-; } &
	exec 3>&- 4<&-
	wait $!
}

# The pipeline, its messages to standard output, at the end, behind TABs and without
# a newline, the file that it is of, if it is one, and its status, with -q if that was
# given. exec, because what is redirected for a group is as
# before when its EXIT trap runs.
with_status() {
	exec 2>&1 >&3 <&4 3>&- 4<&-
	trap 'printf "\t%s\t%d%s" "${one_file-}" $? "${opt_q:+-q}" >&2' EXIT
	"$@"
	exit
}

# A filter: the messages to be shown, after the output: which of the two came
# first would depend on the time otherwise. There are few, so the shell reads
# them itself; an awk starts only for what a terminal must not get. It ends with
# the status of the pipeline; a shell that says none was ended by SIGPIPE.
messages() {
	kept='' said='' report='' odd='' of=''
	while IFS= read -r message; do
		hear "$message"
	done
	status=${message##*	}
	case $message in
	*'	'[0-9]*)
		message=${message%	*}
		of=${message##*	}
		message=${message%	*}
		;;
	*) status=141 ;;
	esac
	[ -z "$message" ] || hear "$message"
	case $status in
	[01]-q) return "${status%-q}" ;; # all that was said are notes
	[01]) said=$(notes) said=${said:+$said$newline} ;;
	esac
	status=${status%-q}
	if [ -n "$odd" ]; then
		need_plain
		printf %s "$said" | awk "$plain_awk"'{ print plain($0) }'
	else
		printf %s "$said"
	fi
	[ -z "$kept" ] || [ -n "$report" ] || {
		printf %s "${keep_marks:+	}"
		plain "$kept"
	}
	return "$status"
}

# What was said where all went well, of one file: it begins each note.
notes() {
	while IFS= read -r line; do
		case $line in
		'') continue ;;
		'dlp-diff: '[AB]', '*) line=${line#*: } ;;
		dlp[-\ ]*": ${of:-/}: "*) line=${line#*: } ;;
		dlp[-\ ]*': -: '*) line="$of: ${line#*: -: }" ;;
		*"$of"*) ;;
		dlp[-\ ]*': '*) line="$of: ${line#*: }" ;;
		esac
		printf '%s\n' "$line"
	done <<-EOT
		$said
	EOT
}

# hear LINE: to $said or $kept. A column that -c or --sort of a report names is the
# report's affair, not that of the command that looked for it.
hear() {
	case ${script:+$1} in
	*dlp-*': '*' records have no column '*)
		tail=${1#* records have no column }
		case $tail in
		*': they have '*) tail="${tail%%: they have *}; this table has ${tail#*: they have }" ;;
		*': it is written by '*)
			tail="${tail%: it is *} in this table; dlp ${script##*/} -h shows its columns" ;;
		esac
		set -- "dlp ${script##*/}: no column $tail"
		;;
	esac
	case $1 in
	'	'*)
		[ -n "$kept$said" ] || kept=${1#?}
		return
		;;
	'dlp '*) report=1 ;;
	esac
	case $1 in *[!\ -~]*) odd=1 ;; esac
	said=$said$1$newline
}
