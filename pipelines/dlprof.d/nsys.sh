# Read by dlprof: records a program with nsys, as DLProf did, or with
# dlp-record.
# shellcheck shell=sh disable=SC2034,SC2154 # opt_*: options.sh; status: dlprof

# Words that versions of nsys want differently: from version, what, words.
nsys_words='
0      export --export-sqlite
2020.1 export --export=sqlite
0      range  --capture-range=cudaProfilerApi --stop-on-range-end=true --kill=none
2021.3 range  --capture-range=cudaProfilerApi --capture-range-end=stop'

# Sets nsys to its path, empty if dlp-record shall record.
find_recorder() {
	nsys=
	[ "$opt_recorder" != dlp ] || return 0
	nsys=$(command -v nsys) && return
	for nsys in /usr/local/cuda/bin/nsys \
	    /opt/nvidia/nsight-systems*/*/bin/nsys; do
		[ ! -x "$nsys" ] || return 0
	done
	nsys=
	[ "$opt_recorder" = nsys ] || return 0
	die "nsys is not here: install NVIDIA Nsight Systems (package" \
	    "nsight-systems-cli of NVIDIA's repository, or the CUDA toolkit)," \
	    "or record without it (--recorder=dlp)"
}

# for_version WHAT: the words for the version of nsys; an unknown one is new.
for_version() {
	printf '%s\n' "$nsys_words" | awk -v what="$1" -v have="$nsys_version" '
	function order(v,    part) {
		split(v, part, ".")
		return part[1] * 1000 + part[2]
	}
	$2 == what && (have == "" || order($1) <= order(have)) {
		$1 = $2 = ""
		words = $0
	}
	END { sub(/^ */, "", words); print words }'
}

# The words of --nsys_opts, a line each; quoting is as in xargs(1).
own_words() {
	words=$opt_nsys_opts
	case $words in
	\"*\") words=${words#\"} words=${words%\"} ;;
	esac
	printf '%s\n' "$words" | xargs -n 1 printf '%s\n'
}

# check_words LINES: an -o of the user's own would send the files elsewhere.
check_words() {
	word=$(printf '%s\n' "$1" | grep -e '^-o' -e '^--output$' \
	    -e '^--output=' | sed 1q)
	[ -z "$word" ] ||
	    die "--nsys_opts: not '$word': the files' name is given" \
		"with --nsys_base_name and --output_path"
}

# with_user_env COMMAND...: with the environment that dlprof was given, which
# start.sh has changed.
with_user_env() (
	unset LC_ALL DLP_REPORTS
	eval "$user_env"
	exec "$@"
)

# record PROGRAM ARGUMENT...: sets opt_database to the profile, and status to
# the program's exit status as the recorder tells it.
record() {
	check_program "$1"
	own=$(own_words 2>/dev/null) ||
	    die "--nsys_opts: bad quotes in '$opt_nsys_opts'"
	check_words "$own"
	find_recorder
	case $opt_nsys_base in
	/*) rep=$opt_nsys_base ;;
	*) rep=$out/$opt_nsys_base ;;
	esac
	mkdir -p -- "${rep%/*}" 2>/dev/null ||
	    die "--nsys_base_name: cannot make the folder '${rep%/*}'"
	show=true
	[ "$level" -ge 2 ] || show=false
	tensorflow_env
	if [ -n "$nsys" ]; then
		packages_env
		record_nsys "$@"
	else
		record_dlp "$@"
	fi
	# A program that --duration ended did not fail.
	[ "$opt_duration" = 0 ] || [ "$status" -ne 143 ] || status=0
	finished
}

# The packages of PyProf and DLProf, for programs that import them; dlp-record
# adds them itself. They lie beside the file that runs, not beside a link to it.
packages_env() {
	python=$(readlink -f -- "$(command -v dlp-record)")
	python=${python%/*}/../lib/dlp/python
	[ ! -d "$python" ] || user_env="$user_env
export PYTHONPATH=$(quoted "$python")\${PYTHONPATH:+:\$PYTHONPATH}"
}

# The markers of NVIDIA's builds of TensorFlow.
tensorflow_env() {
	case $opt_mode in
	tensorflow*)
		user_env="$user_env
export TF_ENABLE_NVTX_RANGES=1"
		[ "$opt_detailed_mode" = false ] || user_env="$user_env
export TF_ENABLE_NVTX_RANGES_DETAILED=1"
		;;
	esac
}

# run_recorder COMMAND...: at a terminal the program gets its keys and signals
# itself.
run_recorder() {
	status=0
	if [ -t 0 ]; then
		with_user_env "$@" || status=$?
	else
		exec 4<&0
		with_user_env "$@" <&4 4<&- &
		exec 4<&-
		wait $! || status=$?
	fi
}

record_dlp() {
	unused "$rep.sqlite"
	[ "$opt_nsys_opts" = '-t cuda,nvtx -s none' ] ||
	    note "--nsys_opts: dlp-record records, so they have no effect"
	# shellcheck disable=SC2016 # for the inner shell to expand
	[ "$show" = true ] ||
	    set -- sh -c 'exec "$@" >/dev/null 2>&1' sh "$@"
	set -- -- "$@"
	[ "$opt_nsys_range" = false ] || set -- -c cudaProfilerApi "$@"
	[ "$opt_duration" = 0 ] ||
	    set -- "--duration=$opt_duration" --kill "$@"
	[ "$opt_delay" = 0 ] || set -- "--delay=$opt_delay" "$@"
	[ "$opt_force" = false ] || set -- --force "$@"
	set -- -o "$rep.sqlite" "$@"
	say "Running: $(quoted dlp-record "$@")"
	run_recorder dlp-record "$@"
}

record_nsys() {
	for suffix in sqlite nsys-rep qdrep qdstrm; do
		unused "$rep.$suffix"
	done
	nsys_version=$("$nsys" --version 2>/dev/null | sed -n \
	    's/.*[^0-9.]\(20[0-9][0-9]\.[0-9][0-9]*\).*/\1/p' | sed 1q)
	[ -n "$nsys_version" ] ||
	    note "nsys does not tell its version: taken to be a new one"

	opts=$(
		printf '%s\n' "$own"
		[ "$opt_delay" = 0 ] || echo "--delay=$opt_delay"
		[ "$opt_duration" = 0 ] || echo "--duration=$opt_duration"
		[ "$opt_nsys_range" = false ] ||
		    for_version range | tr ' ' '\n'
		[ "$opt_force" = false ] || echo --force-overwrite=true
		echo --show-output=$show
		for_version export
	)
	n_args=$#
	while IFS= read -r word; do
		[ -z "$word" ] || set -- "$@" "$word"
	done <<-EOT
	$opts
	EOT
	set -- "$@" -o "$rep"
	while [ "$n_args" -gt 0 ]; do
		set -- "$@" "$1"
		shift
		n_args=$((n_args - 1))
	done
	say "Running: $(quoted nsys profile "$@")"
	run_recorder "$nsys" profile "$@"
	export_rep
}

# nsys may leave its own format only.
export_rep() {
	[ ! -s "$rep.sqlite" ] || return 0
	for suffix in nsys-rep qdrep; do
		[ -s "$rep.$suffix" ] || continue
		say "Exporting $rep.$suffix"
		"$nsys" export --type=sqlite --force-overwrite="$opt_force" \
		    --output="$rep.sqlite" "$rep.$suffix" >&2 || break
	done
}

finished() {
	if [ ! -s "$rep.sqlite" ]; then
		why="its exit status was $status"
		# nsys was installed without its importer, or that failed.
		[ ! -s "$rep.qdstrm" ] || why="only $rep.qdstrm: import that \
where Nsight Systems is installed in full, export it (nsys export \
--type=sqlite), and read it with --database"
		who=dlp-record
		[ -z "$nsys" ] || who=nsys
		plain "dlprof: $who left no $rep.sqlite; $why" >&2
		[ "$status" -ne 0 ] || status=2
		exit "$status"
	fi
	[ "$status" -eq 0 ] || printf \
	    'dlprof: the program ended with exit status %d; %s\n' "$status" \
	    "the reports are of what was recorded" >&2
	opt_database=$rep.sqlite
}

runner() {
	case $1 in
	*.py) echo python3 ;;
	*) echo sh ;;
	esac
}

check_program() {
	[ ! -f "$1" ] || case $(dd bs=15 count=1 2>/dev/null <"$1" | tr -d '\0'),$1 in
	'SQLite format 3',* | *,*.sqlite.xz | *,*.sqlite.gz | *,*.sqlite.zst)
		die "'$1' is a profile, no program: --database='$1'"
		;;
	esac
	# a shell may find no command in a file that is not executable
	case $1 in
	*/*)
		[ ! -f "$1" ] || [ -x "$1" ] ||
		    die "'$1' is not executable: chmod +x it, or name what" \
			"runs it, as in: dlprof $(runner "$1") $1"
		;;
	esac
	found=$(command -v -- "$1") || die "'$1': no such program"
	case $found in
	*/*) [ -x "$found" ] || die "'$1' cannot be executed" ;;
	esac
}
