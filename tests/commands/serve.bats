# Steps of vLLM and SGLang.

load ../lib

TAB='	'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# bats test_tags=more
@test "dlp FILE: steps and graphs of engines' traces" {
	d=$DATA/kineto/tracelens/traces__
	need_data kineto/truth.tsv
	for f in b200__eager_trace inference__vllm_decode_full__graph_execution \
	    inference__sglang_decode__sglang_Qwen3-8B_decode; do
		dlp -v "$d$f.json.gz" >"${f%%_*}" 2>/dev/null
		grep -q '^steps   1 of 1, number 0$' "${f%%_*}"
		[ "$(dlp serve --tsv "$d$f.json.gz" 2>/dev/null | wc -l)" -eq 2 ]
	done
	# the kernels of a graph have their ops in the trace of its capture
	dlp advise "${d}inference__vllm_decode_full__graph_execution.json.gz" \
	    2>/dev/null | grep -q '^no_op.*--capture CAPTURE FILE'
	# vLLM copies keys and values: no product
	same '' "$(dlp tc "${d}b200__eager_trace.json.gz" 2>/dev/null |
	    grep reshape_and_cache)"
	same '  could be used and are not            0.00    0.0' \
	    "$(grep 'could be used' b200)"
	# SGLang's GPU begins a kernel 463 ms after its launch: by the trace,
	# resolve_future_token_ids_kernel is launched at 123 us, runs at 463,380; it
	# is the first work of its stream, so nothing in the trace says why
	f=${d}inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz
	same "463295405${TAB}unknown" "$(dlp gaps -n 1 --tsv "$f" 2>/dev/null |
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
	# 24 layers of TraceLens' 65.010180096 GFLOP and 211.826171875 MiB
	for o in '' "--capture $DATA/kineto/capture/vllm_piecewise_capture.json.gz"; do
		# shellcheck disable=SC2086 # words
		same "1560244322304${TAB}5330780160" "$(dlp serve --tsv $o \
		    "$DATA/kineto/capture/vllm_piecewise_execution.json.gz" 2>/dev/null |
		    tail -n 1 | cut -f 20,21)"
	done
	same "kind${TAB}n" "$(dlp serve -s --tsv "$f" 2>/dev/null |
	    head -n 1 | cut -f 1,2)"
}
