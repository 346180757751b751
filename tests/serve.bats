# Steps of vLLM and SGLang.

load lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# step TEXT: a stream of one step.
step() {
	printf '##dlp\t1\n##cmd\tdlp-parse 0.2.0 f\n'
	printf '#range\tid\tstart_ns\tdur_ns\tpid\ttext\n'
	printf 'range\t1\t0\t9\t1\t%s\n##end\t1\n' "$1"
}

@test "attention: FLOPs and bytes as TraceLens' tables have them" {
	# GFLOP and MiB of InferenceAttention_fwd.csv, by heads and text
	while read -r heads gflop mib text; do
		same "$gflop $mib" "$(step "$text" |
		    dlp-serve --heads "$heads" |
		    dlp-fmt -T serve --tsv -c attn_causal_flop,attn_bytes |
		    awk 'NR == 2 { printf "%.9f %.8f", $1 / 1e9, $2 / 1048576 }')"
	done <<-'EOF'
	64,8,64 0.902529024 108.08984375 execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)
	64,8,64 65.010180096 211.82617188 execute_8192_context_8(sq8160sk8430sqsq7475785sqsk7671310)_generation_32(sq32sk34489sqsq32sqsk34489)
	32,8,128 0.537149440 128.56640625 execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk32785sqsq32sqsk32785)
	32,8,128 128.849018880 300.00000000 execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)_generation_0(sq0sk0sqsq0sqsk0)
	EOF
}

@test "dlp serve: a text with squares of the tokens" {
	same "prefill${TAB}888${TAB}888" \
	    "$(step 'execute_context_1(888_788544)_generation_0(0)' | dlp-serve |
		dlp-fmt -T serve --tsv -c kind,ctx_tokens,tokens | tail -n 1)"
	step 'execute_context_1(888_x)_generation_0(0)' | dlp-serve >s
	same '' "$(grep '^serve' s)"
}

# engine TEXT...: a stream of ranges with these texts, 10 ns each, and a kernel
# in each.
engine() {
	printf '##dlp\t1\n##cmd\tdlp-parse 0.2.0 f\n'
	printf '#range\tid\tstart_ns\tdur_ns\tpid\ttid\ttext\n'
	printf '#kern\tid\tstart_ns\tdur_ns\tpid\ttid\tdev\tapi_start_ns\tapi_dur_ns\n'
	local t=0
	for text; do
		printf 'range\t%s\t%s\t10\t1\t1\t%s\n' $((t + 1)) $t "$text"
		printf 'kern\t%s\t%s\t2\t1\t1\t0\t%s\t1\n' \
		    $((t + 2)) $((t + 6)) $((t + 5))
		t=$((t + 10))
	done
	printf '##end\t%s\n' $((2 * $#))
}

@test "steps of engines are iterations, whatever their sizes" {
	same '3 0,1,2' "$(engine 'execute_context_1(512)_generation_3(3)' \
	    'execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk9sqsq4sqsk9)' \
	    'execute_context_0(0)_generation_4(4)' | dlp-iter 2>/dev/null |
	    awk -F'\t' '/^#kern/ { for (i = 2; i <= NF; i++) c[$i] = i }
		$1 == "kern" { n++; s = s "," $(c["iter"]) }
		END { print n, substr(s, 2) }')"
	# one kind alone by its name, all by the norm of their texts
	engine prefill_batch decode_batch decode_batch >s
	for k in '' execute_context_0\(0\)_generation_1\(1\) decode_batch; do
		dlp-iter ${k:+-k "$k"} s 2>/dev/null | grep -c '^iter' || :
	done >got
	same '3 0 2' "$(tr '\n' ' ' <got | sed 's/ $//')"
	# a step inside of a step is not one of its own
	engine 'step[DECODE bs=32]' 'step[EXTEND bs=15 toks=15360]' \
	    'step[DECODE bs=31]' >s
	[ "$(dlp-iter s 2>/dev/null | grep -c '^iter')" -eq 3 ]
	sed '/^#kern/ {
		p
		s/.*/range\t99\t0\t30\t1\t1\texecute_context_0(0)_generation_4(4)/
	}' s >t
	[ "$(dlp-iter t 2>/dev/null | grep -c '^iter')" -eq 1 ]
}

# bats test_tags=more
@test "dlp FILE: steps and graphs of engines' traces" {
	d=$DATA/kineto/tracelens/traces__
	need_data kineto/truth.tsv
	for f in b200__eager_trace inference__vllm_decode_full__graph_execution \
	    inference__sglang_decode__sglang_Qwen3-8B_decode; do
		dlp "$d$f.json.gz" >"${f%%_*}" 2>/dev/null
		grep -q '^steps   1 of 1, number 0$' "${f%%_*}"
		[ "$(dlp serve --tsv "$d$f.json.gz" 2>/dev/null | wc -l)" -eq 2 ]
	done
	# the kernels of a graph have their ops in the trace of its capture
	dlp advise "${d}inference__vllm_decode_full__graph_execution.json.gz" \
	    2>/dev/null | grep -q '^no_op.*--capture CAPTURE FILE'
	# vLLM copies keys and values: no product
	same '' "$(dlp tc "${d}b200__eager_trace.json.gz" 2>/dev/null |
	    grep reshape_and_cache)"
	same '  could use Tensor Cores         0.00 ms   0.0 %' \
	    "$(grep 'could use' b200)"
	# SGLang's GPU begins a kernel 463 ms after its launch: by the trace,
	# resolve_future_token_ids_kernel is launched at 123 us, runs at 463,380
	f=${d}inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz
	same "463295405${TAB}queued" "$(dlp gaps -n 1 --tsv "$f" 2>/dev/null |
	    tail -n 1 | cut -f 1,2)"
}

# bats test_tags=more
@test "dlp serve: the traces of vLLM and SGLang" {
	d=kineto/tracelens/traces__inference__
	need_data ${d}vllm_decode_full__graph_execution.json.gz
	f=$DATA/${d}vllm_decode_full__graph_execution.json.gz
	dlp serve --tsv --heads 64,8,64 "$f" 2>/dev/null >s
	same "decode${TAB}32${TAB}55086${TAB}902529024" \
	    "$(tail -n +2 s | cut -f 2,9,10,19)"
	# the kernels whose calls lie in the step's range, counted by awk
	same "$(dlp-parse "$f" 2>/dev/null | awk -F'\t' '
		/^#/ { for (i = 2; i <= NF; i++) c[substr($1, 2), $i] = i; next }
		$1 == "range" && $(c["range", "text"]) ~ /^execute_/ {
			a = $(c["range", "start_ns"])
			b = a + $(c["range", "dur_ns"])
		}
		$1 == "kern" && $(c["kern", "api_start_ns"]) != "-" {
			t = $(c["kern", "api_start_ns"])
			n += t >= a && t < b
		}
		END { print n }')" "$(tail -n +2 s | cut -f 11)"
	same "kind${TAB}n" "$(dlp serve -s --tsv "$f" 2>/dev/null |
	    head -n 1 | cut -f 1,2)"
}

@test "dlp serve: a profile without steps" {
	for f in --csv -s --json --md --xtab '-w 0'; do
		# shellcheck disable=SC2086 # words
		dlp serve $f "$LENET" >out 2>err
		same 'dlp serve: no steps of vLLM or SGLang: record an engine whose ranges have their texts, see dlp-serve(1)' \
		    "$(<err)"
	done
	same 'step,kind,start_ns' \
	    "$(dlp serve --csv "$LENET" 2>/dev/null | cut -d , -f 1-3)"
}

@test "options are checked" {
	for o in '--heads 1,2' '--heads 0,1,2' '--heads 1,2,3,4,5' \
	    '--layers x' '--params 0' '--elem -1'; do
		# shellcheck disable=SC2086 # words
		run dlp-serve $o /dev/null
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

# captured N: a stream of a capture with N launches and two layers of attention.
captured() {
	printf '##dlp\t1\n##cmd\tdlp-parse 0.2.0 f\n'
	printf '#range\tid\tstart_ns\tdur_ns\ttext\n'
	printf '#call\tid\tstart_ns\tdur_ns\tapi\n'
	for i in 64 32; do
		printf 'range\t1\t%s00\t90\tcapture_%s_FULL\n' $((100 - i)) $i
		for n in 1 2; do
			printf 'range\t2\t%s10\t1\tvllm::unified_attention_with_output, sizes = [[32, 64, 64], [32, 8, 64], [32, 8, 64]]\n' $((100 - i))
		done
		n=0
		while [ $((n += 1)) -le "$1" ]; do
			printf 'call\t3\t%s20\t1\tcudaLaunchKernel\n' $((100 - i))
		done
	done
	printf '##end\t%s\n' $((2 * (3 + $1)))
}

@test "--capture: heads and layers of replayed graphs, if the kernels agree" {
	{
		step 'execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)' |
		    sed '$d'
		printf '#kern\tid\tstart_ns\tdur_ns\tpid\tapi\tapi_start_ns\n'
		for i in 1 2 3; do
			printf 'kern\t%s\t%s\t1\t1\tcudaGraphLaunch_v10000\t5\n' $i ${i}0
		done
		printf '##end\t4\n'
	} >s
	captured 3 >c
	# two layers of 902529024
	same 1805058048 "$(dlp-serve --capture c s |
	    dlp-fmt -T serve --tsv -c attn_flop | tail -n 1)"
	captured 4 >c
	run dlp-serve --capture c s
	[ "$status" -eq 2 ]
	[[ ${lines[-1]} == 'dlp-serve: --capture: the graph for 32 tokens has 4 kernels, step 0 replays 3: not the capture of this run' ]]
	step x >c
	run dlp-serve --capture c s
	[ "$status" -eq 2 ]
	[[ $output == *'--capture: no range capture_SIZE_...: not a trace of a capture' ]]
}
