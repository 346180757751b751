# What every bats file begins with ("load lib", from tests/): the commands
# on PATH, a fixed environment, and helpers.
#
#	$ROOT    the project         $BIN     the built commands
#	$DATA    real profiles with what is known of them: h200/ is the shipped
#		 tests/data/h200 with its tables unpacked; the folders of
#		 $DLP_MORE_DATA stand beside it, where that is set
#	$LENET   the shipped profile, unpacked
#	$PIPES   the reports and scripts for batches
#
# INSTALLED: the commands that are in PATH already are tested, not those built
# here. tests/bin/run leaves out tests with the tag "source".

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
BIN=$ROOT/${B:-build}/bin
DATA=$ROOT/${B:-build}/test/data${DLP_MORE_DATA//\//_}
LENET=$ROOT/${B:-build}/test/lenet.sqlite
if [ -n "${INSTALLED-}" ]; then
	BIN=$(command -v dlp-parse) && BIN=${BIN%/*} || exit
	PIPES=$BIN/../share/dlp
else
	PIPES=$ROOT/pipelines
	PATH=$BIN:$ROOT/pipelines:$PATH
fi
export PATH PIPES LC_ALL=C TZ=UTC
export BROWSER=true # dlp view opens no window
export ASAN_OPTIONS=detect_leaks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
unset NO_COLOR COLUMNS TMPDIR

# bats notes where it is before each command that a test runs, in case that it
# fails, which takes 0.3 ms: more than the commands do in many tests. It is early
# enough to look when a command has failed. bats -x shows all commands as before.
if [ "${BATS_TRACE_LEVEL:-0}" -eq 0 ]; then
	bats_debug_trap() {
		trap - DEBUG
	}
	bats_error_trap() {
		bats_check_status_from_trap
		bats_capture_stack_trace
		# shellcheck disable=SC2034 # bats reads it
		BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	}
fi

# Makes $DATA in a folder of its own and puts it in place whole, because test
# files start at the same time.
make_data() {
	local new=$DATA.$$ f

	mkdir -p "$new/h200" || return
	for f in "$ROOT"/tests/data/h200/*; do
		[ -d "$f" ] || ln -s "$f" "$new/h200/"
	done
	for d in truth stats; do
		mkdir "$new/h200/$d"
		for f in "$ROOT"/tests/data/h200/$d/*.xz; do
			xz -dc "$f" >"$new/h200/$d/$(basename "$f" .xz)" ||
			    return
		done
	done
	cp "$ROOT/tests/data/lenet.ncu.tsv" \
	    "$new/h200/truth/lenet_emitnvtx_train.ncu.tsv"
	for f in ${DLP_MORE_DATA:+"$DLP_MORE_DATA"/*/}; do
		[ ! -d "$f" ] || [ "$(basename "$f")" = h200 ] ||
		    ln -s "$(cd "$f" && pwd)" "$new/"
	done
	[ -e "$new/broken" ] || ln -s "$ROOT/tests/data/broken" "$new/"
	[ -d "$DATA" ] || mv -T "$new" "$DATA" 2>/dev/null || rm -rf "$new"
}

[ -d "$DATA" ] || make_data || exit
if [ ! -s "$LENET" ]; then
	mkdir -p "${LENET%/*}"
	xz -dc "$ROOT/tests/data/lenet.sqlite.xz" >"$LENET.$$" &&
	    mv "$LENET.$$" "$LENET"
fi

# need_data PATH...: skips the test where these real profiles do not exist, which
# is only the case for what DLP_MORE_DATA has. Such a test has the tag "more";
# tests/bin/run counts those that are skipped by this text.
need_data() {
	local f

	for f; do
		[ -e "$DATA/$f" ] || skip "no DLP_MORE_DATA/$f"
	done
}

# for_others: makes $OPEN, a folder that other users can enter, wherever this
# checkout and the tests' own folders lie; another user runs what is copied
# there by as_other. Skips the test where there is no other user to be had.
for_others() {
	[ "$(id -u)" -eq 0 ] || skip "needs root to run as another user"
	OPEN=$(mktemp -d /tmp/dlp-test.XXXXXX) && chmod 755 "$OPEN" || return
	setpriv --reuid 65534 --clear-groups test -x "$OPEN" 2>/dev/null || {
		rm -rf "$OPEN"
		skip "no other user"
	}
}

# as_other COMMAND...: runs it as that user.
as_other() {
	setpriv --reuid 65534 --clear-groups "$@"
}

# german: the locale de_DE.UTF-8, which has another decimal point, can be set. It is
# made once, and the test is skipped where its sources are missing.
german() {
	local new=${LENET%/*}/locale.$$

	export LOCPATH=${LENET%/*}/locale
	[ ! -d "$LOCPATH" ] || return 0
	mkdir "$new"
	localedef -i de_DE -f UTF-8 "$new/de_DE.UTF-8" 2>/dev/null ||
	    { rm -r "$new"; skip "no localedef or no sources of de_DE"; }
	mv -T "$new" "$LOCPATH" 2>/dev/null || rm -r "$new"
}

# all_profiles: prints the path under $DATA of each real profile. Files that
# are broken on purpose have tests of their own.
all_profiles() {
	(cd "$DATA" && find -L . \( -name '*.sqlite' -o -name '*.sqlite.xz' \) \
	    ! -path './broken/*' | sed 's|^\./||' | LC_ALL=C sort)
}

# profile PATH: prints the name of that profile, in $DATA or with its full path,
# unpacked if it ends in .xz: each run of a pipeline unpacks it otherwise.
profile() {
	local f=$DATA/$1 out

	case $1 in /*) f=$1 ;; esac
	case $1 in
	*.xz)
		out=${1#"$ROOT/tests/data/"}
		out=$ROOT/${B:-build}/test/unpacked/${out%.xz}
		if [ ! -s "$out" ]; then
			mkdir -p "${out%/*}"
			xz -dc "$f" >"$out.$$" && mv "$out.$$" "$out" ||
			    return
		fi
		printf '%s\n' "$out"
		;;
	*)
		printf '%s\n' "$f"
		;;
	esac
}

# fake_nsys [PROFILE]: an nsys in front of PATH that notes its arguments in
# nsys.args, runs the program and leaves that profile, in the form that
# NSYS_LEAVES says.
fake_nsys() {
	mkdir -p bin
	cat >bin/nsys <<-'END'
	#!/bin/sh
	if [ "$1" = --version ]; then
		echo "${NSYS_VERSION-NVIDIA Nsight Systems version 2024.6.1.90-2461v0}"
		exit
	fi
	for a; do printf '%s\0' "$a"; done >>nsys.args
	what=$1
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--output=*) out=${1#*=} ;;
		-o | --output) out=$2; shift ;;
		-[ts] | --type | --force-overwrite) shift ;;
		-*) ;;
		*) break ;;
		esac
		shift
	done
	[ "$what" != export ] || exec cp "$PROFILE" "$out"
	"$@"
	rc=$?
	: >"$out.nsys-rep"
	case ${NSYS_LEAVES-sqlite} in
	sqlite) cp "$PROFILE" "$out.sqlite" ;;
	rep) echo rep >"$out.nsys-rep" ;;
	raw) echo raw >"$out.qdstrm" ;;
	esac
	exit $rc
	END
	chmod +x bin/nsys
	export PATH=$PWD/bin:$PATH PROFILE=${1-$LENET}
}

# same WANT GOT: fails with the differences of two texts.
same() {
	diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2") >&2
}

# refused PATTERN COMMAND...: fails unless that exits 2 with one line like it.
refused() {
	local want=$1 rc=0 err

	shift
	err=$("$@" 2>&1 >/dev/null) || rc=$?
	[ $rc -eq 2 ] || { echo "exit status $rc: $err" >&2; return 1; }
	# shellcheck disable=SC2053 # a pattern
	[[ $err == $want && $err != *$'\n'* ]] || { echo "said: $err" >&2; return 1; }
}

# all_reports [dlprof]: the names of the reports, or of DLProf's.
all_reports() {
	find "$PIPES/reports/${1-}" -maxdepth 1 -name '[a-z]*' -type f ! -name '*.sh' -printf '%f\n' | sort
}

# files_for REPORT: sets files to the shipped profile, as often as the report needs it.
files_for() {
	files=("$LENET")
	[[ ! $1 =~ ^(diff|join)$ ]] || files+=("$LENET")
}

# kernels FILE...: how many dlp-parse finds.
kernels() {
	dlp-parse "$@" | grep -c '^kern	'
}

# col TYPE COLUMN...: of a stream, these columns of its records of a type, with |
# between them.
col() {
	awk -F'\t' -v OFS="${OFS-|}" -v type="$1" -v names="${*:2}" '
	$1 == "#" type {
		split("", at)
		for (i = 2; i <= NF; i++)
			at[$i] = i
	}
	$1 == type {
		n = split(names, name, " ")
		for (i = 1; i <= n; i++)
			printf "%s%s", $at[name[i]], i < n ? OFS : "\n"
	}'
}

# stream LINE...: records of words, @ for a blank in them.
stream() {
	printf '##dlp\t1\n'
	printf '%s\n' "$@" | tr ' ' '\t' | tr '@' ' '
	printf '##end\t%s\n' "$(printf '%s\n' "$@" | grep -vc '^#')"
}

# A filter: ##end counts the records that there are.
counted() {
	awk '/^##dlp/ { n = 0 }
	    /^##end/ { print "##end\t" n + 0; next }
	    !/^#/ { n++ }
	    { print }'
}

# columns FILE TYPE NAME...: the same of a file, with TABs between.
columns() {
	OFS='	' col "${@:2}" <"$1"
}

# A golden case is a folder: cmd (one line of bash, run there with pipefail),
# out, and where they are not empty and 0, err and rc. Lines ##cmd are left
# out of the comparison: they name versions and files.
run_case() {
	local dir=$1 tmp rc want=0

	tmp=$(mktemp -d) || return
	(cd "$dir" && bash -o pipefail ./cmd) </dev/null \
	    >"$tmp/raw" 2>"$tmp/err" && rc=0 || rc=$?
	sed '/^##cmd	/d' "$tmp/raw" >"$tmp/out"
	[ ! -e "$dir/rc" ] || read -r want <"$dir/rc"
	local bad=0 err=/dev/null
	[ ! -e "$dir/err" ] || err=$dir/err
	if [ "$rc" != "$want" ]; then
		echo "exit status $rc, not $want"
		bad=1
	fi
	diff -u --label out "$dir/out" --label got "$tmp/out" || bad=1
	diff -u --label err "$err" --label got "$tmp/err" || bad=1
	[ $bad -eq 0 ] || echo "if it is right: tests/bin/bless ${dir#"$ROOT"/tests/cases/}"
	rm -rf "$tmp"
	return $bad
}

# In DIR are files N.cmd, each a command, and N.out if output stands under it;
# "..." alone stands for lines left out. Blanks may differ in number, because a
# manual has blanks where a program prints TABs.
gives_what_stands_under_it() {
	local bad=0 c k want

	for c in "$1"/*.cmd; do
		[ -e "$c" ] || continue
		case $(<"$c") in
		"make demo" | "make test") continue ;;
		esac
		want=${c%.cmd}.out
		env -u MAKEFLAGS -u MAKELEVEL bash -o pipefail "$c" >"$c.got" 2>&1 </dev/null || {
			echo "exit status $? of"
			cat "$c" "$c.got"
			[ ! -e "${c%.cmd}.err" ] || cat "${c%.cmd}.err"
			bad=1
			continue
		}
		[ -e "$want" ] || continue
		k=$(grep -nx -m 1 '\.\.\.' "$want" | cut -d: -f1)
		# but for empty lines at the end, which separate commands
		echo "$(head -n $((${k:-999999} - 1)) "$want")" >"$want.a"
		echo "$(head -n $((${k:-999999} - 1)) "$c.got")" >"$c.a"
		diff -bu --label 'in the text' --label 'by the command' \
		    "$want.a" "$c.a" || {
			cat "$c"
			bad=1
		}
	done
	return $bad
}
