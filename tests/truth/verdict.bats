#!/usr/bin/env bats
# What findings and reports say of real profiles, where the records say otherwise
# at first sight. Expected values are from SQL or the JSON of the trace.

# shellcheck source=tests/lib.bash
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "JAX: modules are steps, as many as SQL counts; phases as dlp phases has them" {
	xz -dc "$ROOT/tests/data/h200/jax_step.sqlite.xz" >jax.sqlite
	sqlite3 jax.sqlite "DELETE FROM NVTX_EVENTS WHERE text LIKE 'iteration%'"
	same "$(sqlite3 jax.sqlite "SELECT count(*) FROM NVTX_EVENTS n LEFT JOIN StringIds s
	    ON s.id = n.textId WHERE coalesce(text, value) LIKE 'XlaModule:%jit_train_step%'")" \
	    "$(dlp iters --tsv jax.sqlite 2>/dev/null | grep -c XlaModule)"
	dlp top -g phase --tsv jax.sqlite 2>/dev/null | awk 'NR > 1 { print $1, $2 }' | sort >top
	dlp phases -t total --tsv jax.sqlite 2>/dev/null | awk 'NR > 1 { print $1, $3 }' | sort >phases
	diff top phases
	same 3 "$(wc -l <top)"
}

@test "a stream that waits behind work from before the recording does not wait for an event" {
	local f=kineto/tracelens/traces__inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz
	need_data "$f"
	# 463,295,405 ns between the only kernel of stream 2 and the first one of stream 3
	dlp-parse "$DATA/$f" 2>/dev/null | dlp-correlate --quiet | dlp-gaps |
	    dlp-fmt --tsv -T gap -c dur_ns,class | sort -rn | head -1 >long
	same "463295405 unknown" "$(tr "\t" " " <long)"
}

@test "ranges that take more than half of a step are the first finding, not less" {
	local f first
	for f in lenet resnet-before; do
		first=$(dlp advise --tsv "$ROOT/tests/data/$f.sqlite.xz" 2>/dev/null | awk 'NR == 2 { print $1 }')
		echo "$f $first"
	done >got
	same "lenet marker_cost
resnet-before tc_unused" "$(cat got)"
}
