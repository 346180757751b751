# Ids belong to a process, and processes to a file: what has the same number in
# two processes, or in two files, is not the same.

load lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# rec LINE...: a stream; blanks become TABs, ~ a blank.
rec() {
	printf '##dlp\t1\n'
	printf '%s\n' "$@" | tr ' ~' '\t '
	printf '##end\t%d\n' "$(printf '%s\n' "$@" | grep -vc '^#')"
}

@test "dlp-iter: steps of a file, before another file's steps are known" {
	# a's step is seen while b has had records, but no step
	run -0 dlp-iter -k step --cuts < <(rec \
	    '#range id start_ns dur_ns pid tid text src' \
	    'range 1 10 5 1 1 x b' 'range 2 20 5 1 1 x b' \
	    'range 3 30 9 1 1 step~0 a' 'range 4 40 9 1 1 step~0 b')
	same $'cut\t-\t-\tb
cut\t-\t-\ta
cut\t0\t30\ta
cut\t0\t40\tb
cut\t-\t49\tb
cut\t-\t39\ta' "$(grep '^cut' <<<"$output")"
}

@test "dlp-flops: products of recurrent cells, by sequence ids of two processes" {
	# 2*3*60*10 = 3600 is the product with the input, 2*3*60*20 = 7200 that
	# with the hidden state; process 6 has id 8 for the other one
	cell() { echo "[{\"name\":\"\",\"type\":\"tensor\",\"shape\":[3,$1],\"dtype\":\"float32\"}]"; }
	cells() {
		rec '#str id text' 'str 1 ampere_sgemm_128x64_nn(int)' \
		    '#op op_id mod op dir shapes args fwd_op_id repr' \
		    "op 1 GRUCell forward fprop [[3,10]] $(cell 10) - 10,~20" \
		    "op 2 GRUCell forward bprop [[3,10]] $(cell 10) 1 10,~20" \
		    "#kern id $1 dev short name_id op_id inst_id dir seq altseq sub" \
		    "kern 1 $2 0 x 1 1 1 fprop 7 8 0" \
		    "kern 2 $3 0 x 1 1 2 fprop 7 8 1" \
		    "kern 3 $2 0 x 1 2 3 bprop 8 - 0" \
		    "kern 4 $3 0 x 1 2 4 bprop 8 - 0"
	}
	cells pid 5 6 | dlp-flops | dlp-fmt -T kern -c flop --tsv >out
	same $'flop\n3600\n7200\n3600\n7200' "$(cat out)"
	cells 'pid src' '5 a' '5 b' | dlp-flops | dlp-fmt -T kern -c flop --tsv >out
	same $'flop\n3600\n7200\n3600\n7200' "$(cat out)"
}

@test "dlp-advise: memory of two processes at the same address" {
	# 1000 + 2000, of which 1000 are released, + 500: 3000 at most, 2500 then;
	# without the process 2000 would be released, and 1500 be left
	rec '#dev dev mem_bytes' 'dev 0 3200' \
	    '#mem id start_ns pid dev op bytes addr kind' \
	    'mem 1 1 5 0 alloc 1000 4096 device' \
	    'mem 2 2 6 0 alloc 2000 4096 device' \
	    'mem 3 3 5 0 free 1000 4096 device' \
	    'mem 4 4 5 0 alloc 1120 8192 device' |
	    dlp-advise --rule memory_full=80 | dlp-agg -T finding |
	    dlp-fmt -T finding -c id,value --tsv >out
	# 2000 + 1120 = 3120 of 3200
	grep -q $'^memory_full\t97.5$' out
}

@test "dlp-stats: devices and threads of two files" {
	s=$(rec '#dev dev name src' 'dev 0 A a' 'dev 0 B b' \
	    '#thread pid tid prio name src' 'thread 1 1 20 ta a' \
	    'thread 1 1 20 tb b' \
	    '#range id start_ns dur_ns pid tid mode domain text src' \
	    'range 1 0 100 1 1 push - outer a' 'range 2 10 20 1 1 push - own b' \
	    '#kern id start_ns dur_ns pid tid dev corr api api_start_ns api_dur_ns short src' \
	    'kern 3 50 5 1 1 0 7 launch 15 2 k a' 'kern 4 60 6 1 1 0 7 launch 16 2 k b')
	dlp-stats -r cuda_gpu_trace -f tsv <<<"$s" | cut -f 2,17 >out
	same $'5\tA (0)\n6\tB (0)' "$(grep '^[56]' out)"
	dlp-stats -r cuda_api_trace -f tsv <<<"$s" | cut -f 9 | tail -n 2 >out
	same $'ta\ntb' "$(cat out)"
	# b's range is in none of a's
	dlp-stats -r nvtx_pushpop_trace -f tsv <<<"$s" | awk -F '\t' \
	    '/outer|own/ { print $6, $9, $10 }' >out
	same $':outer 0 0\n:own 0 0' "$(cat out)"
	# and b's kernel in none of a's ranges
	dlp-stats -r nvtx_kern_sum -f tsv <<<"$s" | grep -c 'outer\|own' >out || true
	same 2 "$(cat out)"
}

@test "dlp-correlate: a record without a file is not that of the last one" {
	rec '#range id start_ns dur_ns pid tid text src' \
	    'range 1 0 100 1 1 aten::relu,~seq~=~1 a' \
	    '#kern id start_ns dur_ns pid tid dev corr api api_start_ns api_dur_ns short' \
	    'kern 2 50 5 1 1 0 7 launch 15 2 k' |
	    dlp-correlate 2>err | dlp-fmt -T kern -c why --tsv >out
	same $'why\nno-range' "$(cat out)"
}
