# Read by lib.sh: what kind of input a file is, and profiles as streams.
# shellcheck shell=sh disable=SC2086,SC2154 # words; need, of_dict, steps, ...: lib.sh

# look FILE: its first bytes, without NULs, to $begin; once for a file that is
# asked about several times. Names of databases and of packed files are believed,
# as no process is started then; dlp-parse refuses what is neither.
looked=
look() {
	[ "$looked" != "$1" ] || return 0
	looked=$1
	begin=
	case $1 in *.sqlite | *.db | *.xz | *.gz | *.zst) return ;; esac
	# some shells warn about NULs
	[ ! -f "$1" ] || { begin=$(dd bs=300 count=1 <"$1"); } 2>/dev/null
}

# Whether a file is a stream that dlp-parse wrote before.
is_stream() {
	look "$1"
	case $begin in
	'##dlp'*) ;;
	*) false ;;
	esac
}

# Whether the records of a stream name their files: it is of several, joined.
# In its section src is what a section is among several.
has_src() {
	is_stream "$1" && LC_ALL=C awk -F '\t' '
	/^##/ { next }
	{ for (i = 2; i <= NF && /^#/ && !found; i++) found = $i == "src"; exit }
	END { exit !found }' <"$1"
}

# with_src NAME: a filter: the records of a stream that do not name their file
# get that name, as dlp-parse --src writes them, if files are told apart.
with_src() {
	if [ -n "$src" ]; then
		NAME=$1 LC_ALL=C awk -F '\t' -f "$DLP_REPORTS/awk/escape.awk" \
		    -f "$DLP_REPORTS/awk/src.awk"
	else
		cat
	fi
}

# Whether a file is a .dict of PyProf, or a stream of one (that says so). Of
# files dlp-parse knows better.
is_dict() {
	look "$1"
	case $begin in
	"{'"*) [ $# -eq 1 ] ;;
	"##dlp"*"	${2:-dialect	pyprof-dict}"*) ;;
	*) false ;;
	esac
}

# first_bytes: of standard input, as numbers.
first_bytes() {
	dd bs=6 count=1 2>/dev/null | od -An -tx1
}

# Whether a file is a snapshot of PyTorch's memory, or a stream of one.
is_snapshot() {
	[ $# -gt 0 ] && [ -f "$1" ] || return 1
	case $1 in *.sqlite | *.db | *.sqlite.* | *.db.*) return 1 ;; esac
	bytes=$(first_bytes <"$1")
	{
		case $bytes in
		' fd 37 7a'*) bytes=$(xz -dc <"$1" | first_bytes) ;;
		' 1f 8b'*) bytes=$(gzip -dc <"$1" | first_bytes) ;;
		' 28 b5'*) bytes=$(zstd -dc <"$1" | first_bytes) ;;
		' 23 23 64 6c 70'*)
			head -n 5 "$1" | grep -q '^##info	dialect	torch-memory'
			return
			;;
		esac
	} 2>/dev/null
	case $bytes in
	' 80 02'* | ' 80 03'* | ' 80 04'* | ' 80 05'*) ;;
	*) return 1 ;;
	esac
}

# snapshot FILE: what dlp-mem knows of it.
snapshot() {
	profiles "$1" | stage dlp-mem
}

# Whether one profile is of several ranks: of its first kernels, two processes
# communicate; then $in_one is set, and $src. A trace is of one process.
in_one=
has_ranks() {
	[ -z "$in_one" ] || return 0
	# not what can be read once
	[ $# -eq 1 ] && [ -z "$help" ] && [ -f "$1" ] && ! has_src "$1" || return 1
	case $1 in - | *.json* | *.pftrace*) return 1 ;; esac
	if is_stream "$1"; then
		cat -- "$1"
	else
		dlp-parse --no-code --no-calls -T kern -- "$1"
	fi 2>/dev/null | LC_ALL=C awk -F '\t' '
	/^#kern\t/ { for (i = 1; i <= NF; i++) at[$i] = i }
	$1 == "kern" && at["pid"] && ++n < 20000 {
		if (tolower($(at["short"])) ~ /nccl|rccl|mscclpp|shmem/)
			pid[$(at["pid"])]
		else
			next
		ranks = 0
		for (p in pid)
			ranks++
	}
	ranks > 1 || n == 20000 { exit }
	END { exit ranks < 2 }' || return 1
	in_one=1 src=src
}

# ranks_in FILE: the ranks of one profile of several processes, as if each had
# its own.
ranks_in() (
	src=
	apart=$temporary.ranks
	trap 'rm -rf "$apart" "$apart.all"' EXIT
	mkdir -p "$apart" && (profiles "$1") >"$apart.all" || exit 2
	cd "$apart" && LC_ALL=C awk -v dir=. -f "$DLP_REPORTS/awk/processes.awk" \
	    "$apart.all" "$apart.all" || exit 2
	set -- gpu*
	[ $# -gt 1 ] || die "--no-straggler: give the profiles of all ranks"
	dlp-merge --ranks -- "$@"
)

# by_rank FILE...: the profiles; one of several ranks, if has_ranks found it to be
# that, as if each had its own.
by_rank() {
	if [ -n "$in_one" ]; then
		ranks_in "$1"
	else
		profiles "$@"
	fi
}

# Streams are joined, profiles read together.
ranks_of() {
	if [ -n "$help" ]; then
		stage dlp-parse FILE --ranks </dev/null
	elif has_ranks "$@"; then
		ranks_in "$1"
	elif [ $# -eq 1 ] && has_src "$1"; then
		cat -- "$1" # it has its ranks
	elif is_stream "$1"; then
		dlp-merge --ranks -- "$@"
	elif [ "$*" = - ]; then
		from_stdin dlp-parse --ranks -- -
	else
		dlp-parse --ranks -- "$@"
	fi
}

# from_stdin FILTER...: standard input, a stream or a profile, to standard
# output as a stream; a profile by the filter. What is taken to see which it is
# is given back: a byte, of a stream the first lines, which tell if times lack.
from_stdin() {
	byte=$(dd bs=1 count=1 2>/dev/null | od -An -to1 | tr -d ' \n')
	case $byte in
	'')
		[ -z "${no_file-}" ] || die "$which_profile"
		"$@"
		;;
	043)
		head='#' line='' n_src=0
		while IFS= read -r line; do
			case $line in
			"##info	dialect	pyprof-dict"*)
				[ "$need" != --no-dict ] || die "$of_dict" ;;
			"##info	times	made up"*)
				[ -z "$need" ] || die "$no_times" ;;
			"##info	src	"*)
				n_src=$((n_src + 1))
				[ "$n_src" -lt 2 ] || [ -z "${dlprof-}" ] ||
				    die "standard input: $of_one"
				[ "$n_src" -lt 2 ] || [ -n "$src" ] ||
				    ! grep -q '[$]{*src' "$script" ||
				    die "standard input: a stream of several" \
					"files, of which this report has rows" \
					"each: give it as a file" ;;
			esac
			case $line in
			'##'* | '#dlp'*) ;;
			*) break ;;
			esac
			head="$head$line
" line=
		done
		{
			printf '%s%s' "$head" "${line:+$line
}"
			cat
		} | with_src 'standard input'
		;;
	*)
		{
			# shellcheck disable=SC2059 # an octal number
			printf "\\$byte"
			cat
		} | "$@"
		;;
	esac
}

# Options for dlp-parse, to $parse: what no stage of a report about work reads.
unread_by_work() {
	parse='-T ^lib,os,mem,over,event,series,diag,mark'
	case ,${opt_g-}, in
	*,code,* | *,op.code,*) code=1 ;;
	esac
}

# work_of FILE... | placed: the profiles with ops; with steps only where some are
# asked for, or $by_steps is set. Two stages, because a shell would have to wait
# for a pipeline inside a pipeline. A report to which the records of the types
# $only suffice, as they are, names these and leaves placed out: nothing else is
# read, not even their calls.
work_of() {
	[ -n "$help${parse-}" ] || unread_by_work
	[ -z "${only-}" ] || parse="${parse-} -T $only --no-calls"
	profiles "$@"
}

placed() {
	if [ -n "$in_steps${by_steps-}" ]; then
		stage dlp-correlate | stage dlp-iter ${steps:+"$steps"} $which
	else
		stage dlp-correlate
	fi
}

# The profiles, each a section; $parse is an option for dlp-parse. Lines of code,
# which take it up to half of its time, are for reports that print them: $code.
# One that fails leaves a section without an end, so that the filters go on with
# the others and the last one exits 2.
profiles() {
	if [ -n "${help-}" ]; then
		stage dlp-parse ${parse-} ${src:+--src} FILE </dev/null
		return
	fi
	[ -n "${code-}" ] || parse="--no-code ${parse-}"
	good=''
	bad=''
	[ $# -eq 1 ] && [ "$1" != - ] && only=1 || only=
	for f; do
		if has_src "$f"; then
			cat -- "$f" && good=1 || bad=1
		elif is_stream "$f"; then
			with_src "$f" <"$f" && good=1 || bad=1
		else
			set -- dlp-parse --as-stage ${parse-} ${need-} ${src:+--src} -- "$f"
			[ "$f" != - ] || set -- from_stdin "$@"
			[ -z "$only" ] || exec "$@"
			"$@" && good=1 || bad=1
		fi
	done
	[ -z "$good" ] || [ -z "$bad" ] || printf '##dlp\t1\n'
}
