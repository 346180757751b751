# Inputs that fuzzing found (tests/fuzz/corpus: how to make more is in
# tests/fuzz/run), through the commands built with sanitizers: they end in 0, or
# in 2 with one line that says why.

# bats file_tags=all
load ../lib

setup() {
	[[ ${B:-build} == *san* ]] || skip "does not apply"
	cd "$ROOT" || return
	export BIN
	# shellcheck source=tests/fuzz/lib.bash
	. tests/fuzz/lib.bash
	T=$BATS_TEST_TMPDIR
}

# ends COMMAND ARG...: what is said above; an error in the sanitizer's eyes
# has another status.
ends() {
	local rc=0 cmd=$1

	timeout 30 "$@" >"$T/out" 2>"$T/err" <"$in" || rc=$?
	case $rc in
	0) return ;;
	2) [ "$(tail -n 1 "$T/err" | cut -d : -f 1)" = "$cmd" ] && return ;;
	esac
	echo "$* <$in: exit status $rc"
	head -n 20 "$T/err"
	return 1
}

# replay TARGET COMMAND WORD...
replay() {
	local name=$1 cmd=$2 word words=() i

	shift 2
	mapfile -t words < <(arguments "$cmd" "$T" "$@")
	for in in tests/fuzz/corpus/"$name"/*; do
		[ -e "$in" ] || continue
		args=()
		for word in "${words[@]}"; do
			[ "$word" != @ ] || word=$in
			args+=("$word")
		done
		ends "$cmd" "${args[@]}"
	done
}

@test "what fuzzing kept" {
	while IFS=$'\t' read -r name cmd input _ args; do
		[ "$input" = bytes ] || continue
		# shellcheck disable=SC2086 # a list of words
		replay "$name" "$cmd" $args
	done < <(grep -v '^#' tests/fuzz/targets)
}

@test "what fuzzing kept: no more than 1 MB" {
	[ "$(cat tests/fuzz/corpus/*/* | wc -c)" -lt 1000000 ]
}
