# What fuzzing and the replay of its inputs share; from the project's root.

wanted() {
	local name=$1 p

	shift
	[ $# -gt 0 ] || return 0
	for p; do
		# shellcheck disable=SC2053 # a pattern
		[[ $name == $p ]] && return 0
	done
	return 1
}

# arguments COMMAND DIR WORD...: a target's arguments, with files in DIR in
# the place of STREAM, NAMES, OUT.
arguments() {
	local cmd=$1 dir=$2 word

	shift 2
	for word; do
		case $word in
		STREAM)
			word=$dir/stream
			[ -e "$word" ] || bash tests/fuzz/seeds stream \
			    "$dir/seeds" 2>/dev/null
			cp "$dir/seeds/lenet.all" "$word"
			;;
		NAMES)
			word=$dir/names
			printf '%s\n' volta_sgemm_128x64_nn ampere_fp16_s16816 \
			    'void cutlass::Kernel<cutlass_80_tensorop_f16>' \
			    elementwise ncclDevKernel_AllReduce_Sum_f32 \
			    >"$word"
			;;
		OUT) word=$dir/out ;;
		esac
		printf '%s\n' "$word"
	done
}
