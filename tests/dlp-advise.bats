# dlp-advise: rules that fire, that do not, and that cannot tell.

load lib

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# findings [OPTION...] <STREAM: "id judged value" of each rule
findings() {
	dlp-advise "$@" | dlp-agg -T finding | dlp-fmt --tsv -T finding \
	    -c id,judged,value
}

one() { # RULE <findings
	awk -F '\t' -v id="$1" '$1 == id { print $2, $3 }'
}

# said RULE COLUMN [OPTION] <STREAM
said() {
	dlp-advise ${3:+"$3"} | dlp-agg -T finding --where judged==yes |
	    dlp-fmt --tsv -T finding -c "id,$2" |
	    awk -F'\t' -v id="$1" '$1 == id { print $2 }'
}

stream() { # of a profile
	dlp-parse "$1" | dlp-correlate | dlp-iter --cuts ${2:+-k "$2"} | dlp-flops |
	    dlp-busy
}

rec() { printf '%b\n' "$@" | tr ' ' '\t'; }

# bats test_tags=more
@test "w_relu: the four findings of DLProf, word for word" {
	need_data dlprof/w_relu
	w=$DATA/dlprof/w_relu
	dlp-parse "$w/nsys_profile.sqlite" | dlp-correlate -D | dlp-iter -D |
	    dlp-flops | dlp-busy -D | dlp-advise -D |
	    dlp-agg -T finding --where judged==yes |
	    dlp-fmt --tsv -T finding -c id,problem,recommendation |
	    sed 1d >"$BATS_TEST_TMPDIR/got"
	sqlite3 -separator "$(printf '\t')" "$w/dlprof_dldb.sqlite" \
	    'SELECT exp_sys_id, problem, recommendation
	     FROM expert_systems_feedback ORDER BY id' |
	    diff - "$BATS_TEST_TMPDIR/got"
}

@test "a GPU that no kernel runs on is named" {
	run findings < <(rec '#dev dev name cc n_sm mem_bytes' 'dev 0 a 8.0 10 -' \
	    'dev 3 b 8.0 10 -' '#kern id start_ns dur_ns dev' 'kern 1 5 5 0')
	[ "$(one unused_gpus <<<"$output")" = "yes 1" ]
	[ "$(one underutilized_gpu_detector <<<"$output")" = "not judged -" ]
}

@test "an unused GPU hides no idle one; one that copies is used" {
	# dev 0: 10 of 100 ns in kernels, dev 1: 20 in copies, dev 2 nothing;
	# kernels for 10 of 200 ns of the two that are used; DLProf: of 300,
	# and says no more than that 1 and 2 have no kernel
	rec '#dev dev name' 'dev 0 a' 'dev 1 a' 'dev 2 a' \
	    '#kern id start_ns dur_ns dev' 'kern 1 5 10 0' \
	    '#copy id start_ns dur_ns dev kind' 'copy 2 5 20 1 HtoD' \
	    '#busy dev class dur_ns' 'busy 0 kern 10' 'busy 0 cpu 90' \
	    'busy 1 mem 20' 'busy 1 other 80' 'busy 2 other 100' >in
	[ "$(findings <in | one underutilized_gpu_detector)" = "yes 5.0" ]
	[ "$(findings <in | one unused_gpus)" = "yes 1" ]
	said unused_gpus problem <in | grep ': 2$'
	[ "$(findings <in | sed -n 2p | cut -f1)" = underutilized_gpu_detector ]
	said underutilized_gpu_detector problem -D <in | grep ': 1, 2$'
	[ "$(findings -D <in | one underutilized_gpu_detector)" = "yes 3.3" ]
}

@test "the profiler's own time is told from what CUDA does, by CUPTI's kinds" {
	# in a span of 1000 ns: 60 of the profiler, 100 of loading, the queue
	# full for 300, 200 of which nobody knows what they were
	rec '#kern id start_ns dur_ns dev' 'kern 1 0 100 0' 'kern 2 900 100 0' \
	    '#busy dev class dur_ns' 'busy 0 kern 200' 'busy 0 cpu 800' \
	    '#over id start_ns dur_ns name' >in
	i=0
	while IFS='|' read -r ns name; do
		printf 'over\t%d\t%d\t%d\t%s\n' $i $((100 + 100 * i)) "$ns" \
		    "$name"
		i=$((i + 1))
	done >>in <<-EOF
	20|CUPTI: Buffer flush
	40|CUDA profiling data flush on process exit
	40|Lazy Function Loading
	30|Runtime Triggered Module Loading
	30|CUPTI: Driver compiler
	100|Unknown
	100|Command Buffer Full
	EOF
	[ "$(findings <in | one profiler_cost)" = "yes 6.0" ]
	[ "$(findings <in | one lazy_loading)" = "yes 10.0" ]
	said underutilized_gpu_detector evidence <in |
	    grep -x 'Command Buffer Full: 1, 0.10 us of launches that waited for the GPU'
	sed '/data flush/d' in >less
	[ "$(findings <less | one profiler_cost)" = "no 2.0" ]
}

# bats test_tags=more
@test "h100: a full launch queue is no cost of the profiler, by SQL" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	db=$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite
	# all of it is CUDA's kind 8; the profiler has recorded nothing
	same '8 198 911969806 0' "$(sqlite3 -separator ' ' "$db" "
	SELECT overheadType, count(*), sum(end - start),
	    (SELECT count(*) FROM PROFILER_OVERHEAD)
	FROM CUPTI_ACTIVITY_KIND_OVERHEAD GROUP BY 1")"
	stream "$db" 2>/dev/null >in
	[ "$(findings <in | one profiler_cost)" = "no 0.0" ]
	said underutilized_gpu_detector evidence <in |
	    grep -x 'Command Buffer Full: 198, 912 ms of launches that waited for the GPU'
}

@test "few_blocks counts grids smaller than the GPU" {
	# 9 and 2*4 blocks of 10 multiprocessors: 2 of 3 kernels, for 10 ns one
	# and for 20 ns two of 10 multiprocessors have no block: 5 of 130 ns
	run findings < <(rec '#dev dev name cc n_sm mem_bytes' 'dev 0 a 8.0 10 -' \
	    '#kern id start_ns dur_ns dev grid' 'kern 1 0 10 0 9,1,1' \
	    'kern 2 20 20 0 2,4,1' 'kern 3 50 100 0 10,1,1')
	[ "$(one few_blocks <<<"$output")" = "no 3.8" ]
}

@test "few_blocks is not judged where the GPU is not known" {
	run findings < <(rec '#kern id start_ns dur_ns dev grid' \
	    'kern 1 0 10 0 9,1,1')
	[ "$(one few_blocks <<<"$output")" = "not judged -" ]
}

@test "exposed communication is a union: what other kernels hide is none" {
	# nccl 0-100; others 20-60 and 50-70 hide 50: 50 of 100 ns
	run findings < <(rec '#kern id start_ns dur_ns dev short' \
	    'kern 1 0 100 0 ncclDevKernel' 'kern 2 20 40 0 gemm' \
	    'kern 3 50 20 0 gemm')
	[ "$(one exposed_comm <<<"$output")" = "yes 50.0" ]
}

@test "exposed communication is that of the time of the steps, as the classes of dlp-busy" {
	# the collective of step 1 began while step 0 lasted: 30 of the 100 ns of
	# step 1, and not 90
	run findings < <(rec '#iter iter key start_ns dur_ns step_ns' \
	    'iter 1 step 100 100 100' \
	    '#kern id start_ns dur_ns dev short iter' \
	    'kern 1 60 90 0 ncclDevKernel 1' \
	    '#busy dev class dur_ns union_ns iter' 'busy 0 comm 30 50 1' \
	    'busy 0 kern 20 20 1' 'busy 0 cpu 50 50 1')
	[ "$(one exposed_comm <<<"$output")" = "yes 30.0" ]
}

@test "calls per iteration are those with an iteration" {
	run findings < <(rec '#iter iter key start_ns dur_ns' \
	    'iter 0 step 0 100' 'iter 1 step 100 100' \
	    '#call id start_ns dur_ns api iter' \
	    'call 1 1 5 cudaStreamSynchronize 0' \
	    'call 2 9 5 cudaStreamSynchronize_v3020 0' \
	    'call 3 101 5 cudaDeviceSynchronize_v3020 1' \
	    'call 4 400 5 cudaDeviceSynchronize_v3020 -' \
	    'call 5 120 5 cudaFree_v3020 1')
	[ "$(one sync_calls <<<"$output")" = "not judged -" ]
	[ "$(one alloc_calls <<<"$output")" = "yes 0.5" ]
	# waiting counts if the GPU idles for it: 30 of 200 ns
	run findings < <(rec '#iter iter key start_ns dur_ns' \
	    'iter 0 step 0 100' 'iter 1 step 100 100' \
	    '#busy dev class dur_ns iter' 'busy 0 kern 170 0' 'busy 0 cpu 30 0' \
	    '#gap start_ns dur_ns class iter' 'gap 1 10 sync 0' \
	    'gap 20 20 after-sync 0' '#call id start_ns dur_ns api iter' \
	    'call 1 1 5 cudaStreamSynchronize 0' \
	    'call 2 9 5 cudaStreamSynchronize_v3020 0' \
	    'call 3 101 5 cudaDeviceSynchronize_v3020 1')
	[ "$(one sync_calls <<<"$output")" = "yes 1.5" ]
	[ "$(one idle_after_sync <<<"$output")" = "yes 10.0" ]
}

@test "memory: the peak of what is live, per device" {
	# 60, 90 (peak), 30: of 100
	run findings < <(rec '#dev dev name cc n_sm mem_bytes' 'dev 0 a 8.0 10 100' \
	    '#mem id start_ns pid dev op bytes addr kind' \
	    'mem 1 1 7 0 alloc 60 4096 device' 'mem 2 2 7 0 alloc 30 8192 device' \
	    'mem 3 3 7 0 free 60 4096 device' 'mem 4 4 7 0 alloc 99 77 pinned')
	[ "$(one memory_full <<<"$output")" = "no 90.0" ]
	[ "$(one batch_size_detector <<<"$output")" = "not judged -" ]
	run findings --rule memory_full=89 < <(rec '#dev dev mem_bytes' 'dev 0 100' \
	    '#mem id start_ns dev op bytes addr kind' 'mem 1 1 0 alloc 90 1 device')
	[ "$(one memory_full <<<"$output")" = "yes 90.0" ]
}

@test "a batch size is judged where there are steps" {
	run findings < <(rec '#dev dev mem_bytes' 'dev 0 100' \
	    '#iter iter key start_ns dur_ns' 'iter 0 s 0 9' 'iter 1 s 9 9' \
	    '#mem id start_ns dev op bytes addr kind' 'mem 1 1 0 alloc 30 1 device')
	[ "$(one batch_size_detector <<<"$output")" = "yes 3" ]
}

@test "findings: the largest share of the time first, those without one last" {
	# of 1000 ns: 700 load data, 100 copy pageable memory, 50 are FP32, 2 of
	# 10 multiprocessors work all the time; no op has no share
	rec '##info mode pytorch' '#dev dev name cc n_sm mem_bytes' \
	    'dev 0 a 8.0 10 -' '#copy id dur_ns kind src_mem dst_mem bytes' \
	    'copy 1 100 h2d pageable device 4' \
	    '#kern id start_ns dur_ns dev grid tc tc_eligible tc_why' \
	    'kern 1 0 50 0 2,1,1 no yes fp32' 'kern 2 50 150 0 2,1,1 no no -' \
	    '#busy dev class dur_ns' 'busy 0 kern 200' 'busy 0 mem 100' \
	    'busy 0 dataload 700' | dlp-advise | dlp-agg -T finding \
	    --where judged==yes | dlp-fmt --tsv -T finding -c share_pct,id |
	    sed 1d >got
	# what another one is about too comes behind those that lead
	printf '%s\t%s\n' 70.0 dataloader_detector 16.0 few_blocks \
	    10.0 pageable_copies 5.0 tc_unused - no_op \
	    70.0 underutilized_gpu_detector 5.0 tc_fp32 \
	    - emit_nvtx_detector | diff - got
	# DLProf's order
	rec '#op op_id op by dtype dl_tc' 'op 1 x dlprof float32 yes' \
	    '#inst op_id' 'inst 1' '#dev dev name' 'dev 0 a' \
	    '#busy dev class dur_ns' 'busy 0 kern 1' 'busy 0 other 9' |
	    dlp-advise -D | dlp-agg -T finding --where judged==yes |
	    dlp-fmt --tsv -T finding -c id >got
	[ "$(sed -n 2,3p got | tr '\n' ' ')" = \
	    "amp_detector underutilized_gpu_detector " ]
}

@test "an idle GPU: what is done the longest meanwhile" {
	# class of the longest; API calls by their time; a word of the advice
	while read -r class tag ns api word; do
		rec '#dev dev name' 'dev 0 a' '#busy dev class dur_ns' \
		    "busy 0 kern 1" "busy 0 $class 5000000" \
		    '#kern id start_ns dur_ns api api_dur_ns' \
		    'kern 9 0 1 - -' '#call id start_ns dur_ns api' \
		    "$(if [ $tag = call ]; then
			echo "call 1 0 $ns $api"; else
			echo "kern 1 0 1 $api $ns"; fi)" |
		    said underutilized_gpu_detector recommendation >got
		cat got
		grep "$word" got
		grep 'launch less' got >bad && [ "$word" != 'launch less' ] &&
			return 1
		true
	done <<-EOF
	mem call 9 cudaFree Copying.*dlp.copies
	dataload call 9 cudaFree workers
	cpu call 4000000 cuLibraryLoadData loading.of.modules
	cpu kern 4000000 cudaLaunchKernel start.CUDA
	cpu call 4000000 cudaStreamSynchronize waiting.for.the.GPU
	cpu kern 900000 cudaLaunchKernel the.program.itself
	other call 9 cudaFree nothing.that.was.recorded
	EOF
	# what lies before the first GPU work, at 9, is start-up: 3 of 12 ms
	rec '#dev dev name' 'dev 0 a' '#busy dev class dur_ns' 'busy 0 kern 1' \
	    'busy 0 cpu 5000000' '#kern id start_ns dur_ns' \
	    'kern 1 9000000 1' '#call id start_ns dur_ns api' \
	    'call 1 0 11000000 cuLibraryLoadData' \
	    'call 2 9000000 3000000 cudaMalloc' |
	    said underutilized_gpu_detector recommendation | grep allocation
	# four launches of 0.9 ms in 5 ms: launching is the main part
	rec '#dev dev name' 'dev 0 a' '#busy dev class dur_ns' 'busy 0 kern 1' \
	    'busy 0 cpu 5000000' '#kern id start_ns dur_ns api api_dur_ns' \
	    'kern 1 0 1 cudaLaunchKernel 900000' \
	    'kern 2 0 1 cudaLaunchKernel 900000' \
	    'kern 3 0 1 cudaLaunchKernel 900000' \
	    'kern 4 0 1 cudaLaunchKernel 900000' |
	    said underutilized_gpu_detector recommendation | grep 'launch less'
}

# bats test_tags=more
@test "copies of pageable memory are judged without steps, by SQL" {
	need_data nsys/cutlass-3.1.7.sqlite
	db=$DATA/nsys/cutlass-3.1.7.sqlite
	# memory kind 0 is pageable
	want=$(sqlite3 "$db" "SELECT printf('%.1f', 100.0 * (
	    SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    WHERE srcKind = 0 OR dstKind = 0) / (
	    (SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY) +
	    (SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL)))")
	[ "$(stream "$db" | findings | one pageable_copies)" = "yes $want" ]
}

@test "Tensor Cores used slowly are a finding; TF32 is no reason for AMP" {
	rec '#kern id start_ns dur_ns dev tc tc_eligible tc_why dtype' \
	    'kern 1 0 30 0 yes yes unaligned bf16' \
	    'kern 2 30 70 0 yes yes - bf16' >in
	[ "$(findings <in | one tc_unaligned)" = "yes 30.0" ]
	h='#kern id start_ns dur_ns dev op_id tc tc_eligible dtype'
	rec '#op op_id op' 'op 1 mm' 'op 2 mm' "$h" \
	    'kern 1 0 30 0 1 yes yes tf32' >in
	[ "$(findings <in | one amp_detector)" = "no 0" ]
	rec 'kern 2 30 9 0 2 no yes fp32' >>in
	[ "$(findings <in | one amp_detector)" = "yes 1" ]
	said amp_detector problem <in | grep '^1 op could use .* and does not'
}

@test "imbalanced: the difference is not cut to an integer" {
	# 80.0 and 69.4 %, 10.6 points; communication that runs alone, 20 of 100
	# ns on device 0, is waiting: 60.0 and 69.4, but with -D it is work
	rec '#dev dev name' 'dev 0 a' 'dev 1 a' \
	    '#kern id start_ns dur_ns dev short' 'kern 1 0 60 0 gemm' \
	    'kern 2 0 69 1 gemm' '#busy dev class dur_ns' 'busy 0 kern 800' \
	    'busy 0 other 200' 'busy 1 kern 694' 'busy 1 other 306' >in
	same "yes 10.6" "$(findings <in | one imbalanced_gpu_detector)"
	sed 's/800/80/; s/200/20/; s/694/69/; s/306/31/' in >less
	printf 'kern\t3\t60\t20\t0\tncclDevKernel\n' >nccl
	sed '/^kern	2/r nccl' less >in
	same "no 9.0" "$(findings <in | one imbalanced_gpu_detector)"
	same "yes 11.0" "$(findings -D <in | one imbalanced_gpu_detector)"
}

@test "a profile without GPU work has no unused GPU" {
	run findings < <(rec '#dev dev name' 'dev 0 a' 'dev 1 a')
	[ "$(one underutilized_gpu_detector <<<"$output")" = "not judged -" ]
}

@test "loader: the data loader is what the GPU waits for" {
	p=$(profile h200/loader.sqlite.xz)
	run stream "$p" iteration
	run findings <<<"$output"
	[[ "$(one dataloader_detector <<<"$output")" == "yes "[78]* ]]
}

@test "--fail-on: 1 if the rule fires, 0 if not, 2 for an unknown rule" {
	s=$(rec '#kern id start_ns dur_ns dev short' 'kern 1 0 100 0 ncclX')
	run dlp-advise --fail-on exposed_comm <<<"$s"
	[ "$status" -eq 1 ]
	run dlp-advise --fail-on any <<<"$s"
	[ "$status" -eq 1 ]
	run dlp-advise --fail-on sync_calls,dlprof <<<"$s"
	[ "$status" -eq 0 ]
	run dlp-advise --fail-on exposed <<<"$s"
	[ "$status" -eq 2 ]
	[ "$output" = "dlp-advise: --fail-on: no rule 'exposed'; -l lists them" ]
	# a gate that was named, and cannot tell
	dlp-advise --fail-on memory_full <<<"$s" 2>err >out
	grep -q '^dlp-advise: --fail-on memory_full: not judged, for lack of memory events' err
	dlp-advise --fail-on dlprof <<<"$s" 2>err >out
	[ "$(grep -c 'not judged' err)" = 0 ]
}

@test "every rule is in the manual, and the manual has no other" {
	dlp-advise -l | cut -f1 | sort >"$BATS_TEST_TMPDIR/rules"
	sed -n '/^\.Ss Rules of DLProf/,/^\.Ss Thresholds/s/^\.It Cm \(.*\)/\1/p' \
	    "$ROOT/man/dlp-advise.1" | tr -d , | tr ' ' '\n' | grep . | sort |
	    diff "$BATS_TEST_TMPDIR/rules" -
}

# Of the steps that dlp FILE shows, 1 and 2 of 3, by SQL: kernels launched in
# them, and those with fewer blocks than the GPU has multiprocessors, 132. The
# shares of the time are those of the overview, which has its own SQL.
@test "findings are of the same steps as the overview" {
	f=$(profile h200/resnet50_tf32.sqlite.xz)
	dlp advise --tsv "$f" >got 2>err
	grep -q '^dlp-iter: steps 1 to 2 of 3 count' err
	sqlite3 -separator ' ' "$f" "SELECT count(*) / 2 || ' launches per step'
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k
	    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
	    JOIN NVTX_EVENTS s ON r.start >= s.start AND r.start < s.end AND
		s.text IN ('iteration 1', 'iteration 2')" >want
	grep -q "$(cat want)" got
	dlp "$f" 2>/dev/null >screen
	grep -q '^findings, of these steps' screen
	grep '^  [0-9].* \[[0-9.]* %\] The GPU waits for launches' screen
}

# bats test_tags=more
@test "why a GPU idles is told by the gaps; nccl's program starts up" {
	need_data nvprof/nccl-8gpu-v16.sqlite
	dlp advise --tsv "$DATA/nvprof/nccl-8gpu-v16.sqlite" 2>/dev/null >got
	sed -n 2p got | grep '^underutilized_gpu_detector.*first calls'
	grep '^unused_gpus.*: 4, 5, 6, 7' got
	# by hand: 10 of 100 ns kernels; gaps of 30 and 20 ns in the step, one
	# before it; without gaps launch-bound is not judged
	rec '#cut start_ns iter dropped' '#gap start_ns dur_ns class iter' \
	    '#busy dev class dur_ns iter' '#kern id start_ns dur_ns dev iter' \
	    '#iter iter dur_ns key' \
	    'iter 0 100 x' 'cut 100 0 -' 'kern 1 130 10 0 0' \
	    'gap 70 30 launch-bound -' \
	    'gap 100 30 launch-bound 0' 'gap 140 20 allocation 0' \
	    'gap 1 50 allocation -' 'busy 0 kern 10 0' 'busy 0 cpu 90 0' >in
	same 'yes 30.0' "$(findings --rule launch_bound=29 <in | one launch_bound)"
	grep -v gap in >less
	same 'not judged -' "$(findings <less | one launch_bound)"
	sed 's/allocation	0/allocation	-/; s/launch-bound/sync/' in |
	    said underutilized_gpu_detector recommendation |
	    grep '30.0 %.*synchronize less'
}

@test "one finding about a time leads, -a shows the others" {
	f=$(profile h200/resnet50_fp32.sqlite.xz)
	same tc_unused "$(dlp advise --tsv "$f" 2>/dev/null | sed 1d | cut -f1)"
	dlp advise --tsv "$f" 2>/dev/null | grep -q 'Allow TF32'
	same "tc_unused -
amp_detector tc_unused
tc_fp32 tc_unused" "$(dlp advise -a --tsv "$f" 2>/dev/null | awk -F'\t' '
	    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	    $c["judged"] == "yes" { print $1, $c["part_of"] }')"
	# unaligned sizes: those that are slow on Tensor Cores are not in tc_unused
	for tc in no yes; do
		rec '#kern id start_ns dur_ns dev tc tc_eligible tc_why' \
		    'kern 1 0 50 0 no yes unaligned' "kern 2 50 50 0 $tc yes unaligned" |
		    dlp-advise | dlp-agg -T finding --where id==tc_unaligned |
		    dlp-fmt --tsv -T finding -c judged,part_of | tail -n 1
	done >got
	same "yes	tc_unused
yes	-" "$(cat got)"
	# -f asks each of them
	run dlp advise --fail-on tc_fp32 "$f"
	[ "$status" -eq 1 ]
}

@test "dlp advise --fail-on: the status of the pipeline, and of dlp-fmt behind it" {
	run dlp advise --fail-on few_blocks "$LENET"
	[ "$status" -eq 1 ]
	[[ "$output" == *"few_blocks"* ]]
	run dlp advise --fail-on graph_level "$LENET"
	[ "$status" -eq 0 ]
	run dlp advise --csv --fail-on few_blocks "$LENET"
	[ "$status" -eq 1 ]
}

@test "dlp advise of two files says of which file a finding is" {
	cp "$LENET" "$BATS_TEST_TMPDIR/b.sqlite"
	run dlp advise --tsv "$LENET" "$BATS_TEST_TMPDIR/b.sqlite"
	[ "$status" -eq 0 ]
	output=$(grep -v '^dlp-iter: ' <<<"$output")
	[ "$(cut -f1 <<<"$output" | sort -u | wc -l)" -eq 3 ]
}

@test "only DLProf's own sentences have no blank before %" {
	rec '#dev dev name' 'dev 0 a' 'dev 1 a' '#kern id start_ns dur_ns dev' 'kern 1 0 9 0' \
	    'kern 2 0 9 1' '#busy dev class dur_ns' 'busy 0 kern 40' 'busy 0 other 60' \
	    'busy 1 kern 10' 'busy 1 other 90' '#iter iter dur_ns' 'iter 0 10' 'iter 1 10' \
	    'iter 2 100' '##info gpu_mem_total_bytes 100' '##info gpu_mem_used_bytes 20' >in
	dlp-advise in | dlp-fmt --tsv -T finding -c judged,problem | grep ^yes >out
	grep -q 'between 10.0 % and 40.0 % of' out
	grep -q 'Only 20 % of the GPU' out
	grep -q 'deviate by [0-9.]* % of' out
	[ "$(grep -c '[0-9]%' out)" -eq 0 ]
}

# rule|verdict|records, split at ;
@test "DLProf's detectors: one that fires, one that does not, one in the dark" {
	local op='#op op_id op by dtype dl_tc' inst='#inst op_id;inst 1'
	local pt='##info mode pytorch' busy='#busy dev class dur_ns'
	local kern='#kern id start_ns dur_ns dev op_id tc' iter='#iter iter dur_ns'
	local dev='#dev dev name'
	bad=0
	while IFS='|' read -r rule want records; do
		[ -n "$rule" ] || continue
		got=$(printf '%s\n' "$records" | tr '; ' '\n\t' |
		    dlp-advise --dlprof 2>&1 | dlp-agg -T finding |
		    dlp-fmt --tsv -T finding -c id,judged |
		    awk -F'\t' -v id="$rule" '$1 == id { print $2 }')
		[ "$want" = "$got" ] && continue
		echo "$rule: '$got' for '$want': $records"
		bad=1
	done <<-EOF
	amp_detector|yes|$op;op 1 linear dlprof float32 yes;$inst
	amp_detector|no|$op;op 1 linear dlprof float16 yes;$inst
	amp_detector|no|$op;op 1 relu dlprof float32 no;$inst
	amp_detector|no|##info mode tensorrt;$op;op 1 linear x float32 yes;$inst
	amp_detector|not judged|$op;op 1 linear dlprof - yes;$inst
	underutilized_gpu_detector|yes|$dev;dev 0 a;$busy;busy 0 kern 49;busy 0 other 51
	underutilized_gpu_detector|no|$dev;dev 0 a;$busy;busy 0 kern 50;busy 0 other 50
	underutilized_gpu_detector|not judged|$op
	imbalanced_gpu_detector|yes|$kern;kern 1 0 9 0 - -;kern 2 0 9 1 - -;$busy;busy 0 kern 80;busy 0 other 20;busy 1 kern 69;busy 1 other 31
	imbalanced_gpu_detector|no|$kern;kern 1 0 9 0 - -;kern 2 0 9 1 - -;$busy;busy 0 kern 80;busy 0 other 20;busy 1 kern 70;busy 1 other 30
	imbalanced_gpu_detector|not judged|$kern;kern 1 0 9 0 - -;kern 2 0 9 1 - -
	dataloader_detector|yes|$pt;$op;op 1 DaliX dlprof - no;$inst;op 2 dali dlprof - no;$busy;busy 0 dataload 6;busy 0 other 94
	dataloader_detector|no|$pt;$op;op 1 dali dlprof - no;$inst;$busy;busy 0 dataload 5;busy 0 other 95
	dataloader_detector|yes|$pt;$busy;busy 0 other 95
	dataloader_detector|no|##info mode tensorflow1;$busy;busy 0 dataload 95
	dataloader_detector|not judged|$pt;$op;op 1 dali dlprof - no;$inst
	bad_iteration_range_detector|yes|$iter;iter 0 10;iter 1 10;iter 2 100
	bad_iteration_range_detector|no|$iter;iter 0 10;iter 1 10;iter 2 11
	no_iterations_detector|yes|##info key_op_found no
	no_iterations_detector|no|##info key_op_found yes
	no_iterations_detector|not judged|$op
	cudnn_benchmark_detector|yes|$pt;##info model_cudnn_benchmark_disabled true;$op;op 1 conv2d dlprof - yes;$inst
	cudnn_benchmark_detector|no|$pt;##info model_cudnn_benchmark_disabled false;$op;op 1 conv2d dlprof - yes;$inst
	cudnn_benchmark_detector|no|$pt;##info model_cudnn_benchmark_disabled true;$op;op 1 linear dlprof - yes;$inst
	cudnn_benchmark_detector|not judged|$pt;$op;op 1 conv2d dlprof - yes;$inst
	slow_api_detector|yes|$pt;##info model_gradcheck true
	slow_api_detector|yes|$pt;##info model_autograd_profile true
	slow_api_detector|no|$pt;##info model_gradcheck false
	slow_api_detector|not judged|$pt
	batch_size_detector|yes|##info gpu_mem_total_bytes 100;##info gpu_mem_used_bytes 50
	batch_size_detector|no|##info gpu_mem_total_bytes 100;##info gpu_mem_used_bytes 51
	batch_size_detector|not judged|$pt
	emit_nvtx_detector|yes|$pt;$op;op 1 conv2d dlprof - yes;$inst
	emit_nvtx_detector|no|$pt;$op;op 1 conv2d pytorch - yes;$inst
	emit_nvtx_detector|no|$pt;##info model_emit_nvtx true;$op;op 1 conv2d dlprof - yes;$inst
	bad_tensor_shape_detector|yes|##info mode tensorflow2;$op;op 1 MatMul tensorflow float16 yes;$inst;$kern;kern 1 0 9 0 1 no
	bad_tensor_shape_detector|no|##info mode tensorflow2;$op;op 1 MatMul tensorflow float16 yes;$inst;$kern;kern 1 0 9 0 1 yes
	bad_tensor_shape_detector|not judged|##info mode tensorflow2;$op;op 1 MatMul tensorflow float16 yes;$inst
	bad_tensor_shape_detector|yes|$op;op 1 MatMul tensorflow float16 yes;$inst;$kern;kern 1 0 9 0 1 no
	bad_tensor_shape_detector|no|$op;op 1 matmul pytorch float16 yes;$inst;$kern;kern 1 0 9 0 1 no
	no_fusion_detector|yes|$op;op 1 MatMul tensorflow - yes;$inst
	no_fusion_detector|no|$op;op 1 matmul pytorch - yes;$inst
	no_fusion_detector|yes|##info mode tensorflow1;$op;op 1 MatMul tensorflow - yes;$inst
	no_fusion_detector|no|##info mode tensorflow1;$op;op 1 MatMul xla - yes;$inst
	no_fusion_detector|no|##info mode tensorflow2;$op;op 1 MatMul tensorflow - yes;$inst
	EOF
	[ $bad -eq 0 ]
}

# bats test_tags=more
@test "dlp advise: that no rule fired is said, with what to type" {
	need_data nsys/no-events.sqlite
	dlp advise --tsv "$DATA/nsys/no-events.sqlite" >got 2>err
	[ "$(wc -l <got)" -eq 1 ]
	grep -qx 'dlp advise: no rule fired; -a shows all of them, and what could not be judged' err
	# only where it is so, and of several files together
	dlp advise --tsv "$DATA/nsys/no-events.sqlite" "$LENET" >got 2>err
	[ "$(wc -l <got)" -gt 1 ]
	! grep 'no rule fired' err
}

# RULE|VERDICT|PROFILE [OPTIONS of dlp advise]: each rule on real profiles, one
# where it must fire and one where it must not. Rules without a real profile on
# which they fire have rows in derived() below.
rules_on_profiles() {
	cat <<-EOF
	amp_detector|found|h200/resnet50_fp32
	amp_detector|clear|h200/gpt2_bf16
	underutilized_gpu_detector|found|h200/gpt2_bf16
	underutilized_gpu_detector|clear|h200/resnet50_fp32
	dataloader_detector|found|h200/loader
	dataloader_detector|clear|h200/gpt2_bf16
	bad_iteration_range_detector|found|h200/graph_infer_node -i 0-9
	bad_iteration_range_detector|clear|h200/resnet50_fp32
	imbalanced_gpu_detector|found|broken/gpu_before_call
	imbalanced_gpu_detector|clear|h200/ddp2_rank0
	cudnn_benchmark_detector|found|h200/lenet_pyprof_train
	cudnn_benchmark_detector|not_judged|h200/resnet50_fp32
	slow_api_detector|not_judged|h200/lenet_pyprof_train
	batch_size_detector|found|h200/gpt2_bf16
	batch_size_detector|found|broken/gpu_before_call
	batch_size_detector|not_judged|h200/resnet50_fp32
	emit_nvtx_detector|found|advise/gpt_plain
	emit_nvtx_detector|clear|h200/gpt2_bf16
	unused_gpus|found|advise/amp_scaler
	unused_gpus|clear|h200/ddp2_rank0
	sync_calls|found|advise/amp_scaler
	sync_calls|clear|h200/ddp2_rank0
	idle_after_sync|found|advise/amp_scaler
	idle_after_sync|clear|h200/gpt2_bf16
	launch_bound|found|h200/gpt2_bf16
	launch_bound|clear|h200/resnet50_fp32
	reduce_overhead|found|h200/compile_train
	reduce_overhead|clear|advise/compile_ro
	exposed_comm|found|h200/ddp2_rank0
	exposed_comm|clear|h200/gpt2_bf16
	rank_wait|found|h200/ddp2_rank0
	rank_wait|clear|h200/gpt2_bf16
	fsdp_prefetch|found|comm/fsdp2
	fsdp_prefetch|clear|h200/ddp2_rank0
	fsdp_prefetch|clear|comm/colls
	tc_unused|found|h200/resnet50_fp32
	tc_unused|clear|h200/gpt2_bf16
	tc_fp32|found|h200/resnet50_fp32
	tc_fp32|clear|h200/resnet50_tf32
	tc_unaligned|found|h200/gpt2_bf16
	tc_unaligned|clear|h200/resnet50_fp32
	pageable_copies|found|h200/everything
	pageable_copies|clear|h200/gpt2_bf16
	alloc_calls|found|h200/zoo
	alloc_calls|clear|h200/gpt2_bf16
	few_blocks|found|advise/amp_scaler
	few_blocks|clear|h200/compile_train
	channels_last|found|h200/ddp2_rank0
	channels_last|clear|h200/resnet50_fp32
	fused_optimizer|found|h200/compile_train
	fused_optimizer|clear|advise/gpt_plain
	fused_optimizer|clear|stacks/python
	sdpa|found|advise/gpt_nosdpa
	sdpa|clear|h200/gpt2_bf16
	loss_chain|found|h200/gpt2_bf16
	loss_chain|clear|h200/resnet50_tf32
	pointwise_chain|found|advise/gpt_plain
	pointwise_chain|clear|h200/compile_train
	loader_workers|not_judged|h200/loader
	loader_workers|clear|h200/gpt2_bf16
	memory_full|clear|h200/gpt2_bf16
	graph_level|found|h200/graph_infer_graph
	graph_level|clear|h200/graph_infer_node
	no_op|found|h200/everything
	no_op|clear|h200/gpt2_bf16
	profiler_cost|clear|h200/gpt2_bf16
	marker_cost|found|h200/gpt2_bf16
	marker_cost|clear|h200/resnet50_fp32
	lazy_loading|found|h200/graph_infer_node -i 0-9
	lazy_loading|clear|h200/gpt2_bf16
	one_off|found|h200/graph_infer_node -i 0-9
	one_off|clear|h200/gpt2_bf16
	EOF
}

# shipped PATH: prints the name of that profile of tests/data, unpacked
shipped() {
	local out=$BATS_TEST_TMPDIR/${1##*/}.sqlite

	case $1 in
	h200/*) profile "$1.sqlite.xz" ;;
	*)
		[ -s "$out" ] || xz -dc "$ROOT/tests/data/$1.sqlite.xz" >"$out"
		echo "$out"
		;;
	esac
}

@test "every rule on real profiles: one where it fires, one where it does not" {
	bad=0
	while IFS='|' read -r id want p; do
		set -- $p
		f=$(shipped "$1")
		out=$(tr -c 'a-z0-9_\n' _ <<<"$p").json
		[ -s "$out" ] || dlp advise --json "${@:2}" "$f" >"$out" 2>/dev/null
		got=$(jq -r --arg id "$id" '.rules[] | select(.id == $id).verdict' "$out")
		[ "$got" = "$want" ] || { echo "$id: $got, not $want: $p"; bad=1; }
	done < <(rules_on_profiles)
	[ $bad = 0 ]
	# each rule fires on a profile, and is clear or not judged on another
	dlp-advise -l | cut -f1 | sort >all
	{ rules_on_profiles; derived; } >table
	awk -F'|' '$2 == "found" { print $1 }' table | sort -u | diff all -
	awk -F'|' '$2 != "found" && $2 != "" { print $1 }' table | sort -u |
	    diff all -
}

# RULE|VERDICT|PROFILE|SQL|KEY: profiles changed by SQL, so that a rule must
# fire that fires on no profile as it is; next to each the profile unchanged, or
# changed back. With KEY the stream is that of DLProf's mode, in which dlp-iter
# says whether the key exists, and dlp-correlate names the framework.
#
# gpt2_bf16 allocates 2382679560 bytes on the device and frees none: 91 % of a
# memory of 2382679560 * 100 / 91 bytes, and half of one that has twice as many.
# Its three steps take 35.4 ms, the first 12.6 ms: more than 5 %. TensorFlow's
# texts replace those of PyTorch's convolutions: in resnet50_fp32 no kernel uses
# Tensor Cores, in resnet50_tf32 all of the convolutions do. config X marks a
# model's configuration. Of ten steps of 0.324 ms one lasts 1 ms longer, or 0.1 ms,
# if its graph and all later ones begin later.
derived() {
	local used=2382679560 gpt=h200/gpt2_bf16
	local fp32=h200/resnet50_fp32 tf32=h200/resnet50_tf32
	local memory='UPDATE TARGET_INFO_GPU SET totalMemory ='
	local range='INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid,
		domainId, text) SELECT start + 1, start + 2, 59, globalTid'
	local at="FROM NVTX_EVENTS WHERE text LIKE 'iteration 0'"
	local tf="DELETE FROM NVTX_EVENTS WHERE text LIKE '%op_id%'
	    AND text NOT LIKE 'aten::conv2d,%';
	    UPDATE NVTX_EVENTS SET domainId = 9, text = '{\"op\":\"Conv2D\",
	    \"name\":\"conv\",\"args\":[{\"name\":\"x\",
	    \"shape\":[32,64,56,56]}],\"attrs\":{\"T\":\"half\"}}'
	    WHERE text LIKE 'aten::conv2d,%';
	    INSERT INTO NVTX_EVENTS (start, eventType, domainId, globalTid, text)
	    SELECT 0, 75, 9, globalTid, 'tensorflow-core'
	    FROM NVTX_EVENTS LIMIT 1"
	local xla="UPDATE NVTX_EVENTS SET domainId = 8, text =
	    'Thunk:#hlo_op=fusion.1#' WHERE rowid = (SELECT max(rowid)
	    FROM NVTX_EVENTS WHERE domainId = 9 AND eventType = 59);
	    INSERT INTO NVTX_EVENTS (start, eventType, domainId, globalTid, text)
	    SELECT 0, 75, 8, globalTid, 'TSL' FROM NVTX_EVENTS LIMIT 1"
	local graph=h200/graph_infer_graph
	local late='UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET start = start +
	    LATE, end = end + LATE WHERE start >= (SELECT start FROM
	    CUPTI_ACTIVITY_KIND_GRAPH_TRACE ORDER BY start LIMIT 1 OFFSET 7)'
	config() {
		printf '%s' "$range, 0, '{\"model_config\": {\"$1\": $2}}' $at"
	}

	tr '\n\t' '  ' <<-EOF | sed 's/ @ */\n/g'
	no_iterations_detector|found|$tf32|UPDATE NVTX_EVENTS
	    SET text = 'step' WHERE text LIKE 'iteration %'|iteration @
	no_iterations_detector|clear|$tf32||iteration @
	cudnn_benchmark_detector|found|$fp32|$(config cudnn_benchmark_disabled true)| @
	cudnn_benchmark_detector|clear|$fp32|$(config cudnn_benchmark_disabled false)| @
	cudnn_benchmark_detector|not_judged|$fp32|| @
	slow_api_detector|found|$fp32|$(config gradcheck true)| @
	slow_api_detector|clear|$fp32|$(config gradcheck false)| @
	slow_api_detector|not_judged|$fp32|| @
	bad_tensor_shape_detector|found|$fp32|$tf|iteration @
	bad_tensor_shape_detector|clear|$tf32|$tf|iteration @
	bad_tensor_shape_detector|clear|$fp32||iteration @
	no_fusion_detector|found|$fp32|$tf|iteration @
	no_fusion_detector|clear|$fp32|$tf; $xla|iteration @
	no_fusion_detector|clear|$fp32||iteration @
	loader_workers|found|h200/loader|$(config num_workers 0)| @
	loader_workers|clear|h200/loader|$(config num_workers 4)| @
	memory_full|found|$gpt|$memory $used * 100 / 91| @
	memory_full|clear|$gpt|$memory $used * 100 / 89| @
	memory_full|clear|$gpt|| @
	batch_size_detector|found|$gpt|$memory $used * 2| @
	batch_size_detector|clear|$gpt|$memory $used * 2 - 1| @
	profiler_cost|found|$gpt|UPDATE PROFILER_OVERHEAD SET
	    start = (SELECT start $at), end = (SELECT end $at)
	    WHERE rowid = 1| @
	profiler_cost|clear|$gpt|| @
	lost_events|found|$gpt|UPDATE DIAGNOSTIC_EVENT SET severity = 2,
	    text = 'CUDA events were lost' WHERE rowid = 1| @
	lost_events|clear|$gpt|UPDATE DIAGNOSTIC_EVENT SET severity = 1,
	    text = 'no CUDA events were lost' WHERE rowid = 1| @
	lost_events|clear|$gpt|| @
	lost_events|found|$gpt|UPDATE CUPTI_ACTIVITY_KIND_MEMCPY
	    SET start = 'x' WHERE rowid = 1| @
	slow_steps|found|$graph|${late//LATE/1000000}| @
	slow_steps|clear|$graph|${late//LATE/100000}| @
	slow_steps|clear|$gpt|| @
	EOF
}

# advice FILE [KEY]
advice() {
	if [ -z "$2" ]; then
		dlp advise --json "$1"
		return
	fi
	dlp-parse "$1" | dlp-correlate -D | dlp-iter --dlprof -k "$2" |
	    dlp-flops | dlp-busy | dlp-gaps | dlp-advise --json
}

@test "rules that fire on no profile fire on profiles changed by SQL" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	bad=0
	while IFS='|' read -r id want p sql key; do
		key=${key%% *}
		cp "$(shipped "$p")" changed.sqlite
		chmod u+w changed.sqlite
		sqlite3 changed.sqlite "$sql"
		got=$(advice changed.sqlite "$key" 2>/dev/null |
		    jq -r --arg id "$id" '.rules[] | select(.id == $id).verdict')
		[ "$got" = "$want" ] ||
		    { echo "$id: $got, not $want: $p: $sql"; bad=1; }
	done < <(derived)
	[ $bad = 0 ]
	[ "$(derived | wc -l)" -ge 26 ]
}

# A finding's where is a filter that finds records; a remedy is not in use.
@test "where finds records, and what is in use is not recommended" {
	for p in h200/gpt2_bf16 h200/ddp2_rank0 h200/compile_train \
	    advise/amp_scaler advise/gpt_nosdpa advise/compile_ro; do
		f=$(shipped $p)
		dlp advise --json "$f" >got 2>/dev/null
		dlp-parse "$f" 2>/dev/null | dlp-correlate 2>/dev/null |
		    dlp-iter --cuts --even 2>/dev/null | dlp-flops 2>/dev/null |
		    dlp-busy | dlp-gaps >stream
		jq -r '.rules[] | select(.where != null) | .where' got | sort -u >where
		[ -s where ]
		while read -r view filter; do
			case $view in
			ops | kernels) tag=kern ;;
			gaps) tag=gap ;;
			copies) tag=copy ;;
			mem) tag=mem ;;
			iters) tag=iter ;;
			devices) tag=dev ;;
			esac
			n=$(awk -F'\t' -v tag=$tag -v want="$filter" '
			BEGIN { k = split(want, w, " ") }
			$1 == "#" tag { for (i = 1; i <= NF; i++) c[$i] = i }
			$1 == tag {
				for (i = 1; i <= k; i++) {
					at = index(w[i], "=")
					v = substr(w[i], at + 1)
					gsub(/%20/, " ", v)
					if (!(substr(w[i], 1, at - 1) in c) ||
					    $c[substr(w[i], 1, at - 1)] != v) next
				}
				n++
			} END { print n + 0 }' stream)
			[ "$n" -gt 0 ] || { echo "$p: $view $filter: none"; return 1; }
		done <where
		# what is in use
		jq -e '. as $a | [.rules[] | select(.verdict == "found") |
		    (.recommendation, .id)] | join(" ") as $s |
		    ($a.in_use.compiled and ($s | test("pointwise_chain")) | not) and
		    ($a.in_use.graphs and ($s | test("reduce-overhead")) | not) and
		    ($a.in_use.fused and ($s | test("fused_optimizer")) | not) and
		    ($a.in_use.channels_last and ($s | test("torch.channels_last")) | not)
		    ' got >/dev/null || { jq -c .in_use got; return 1; }
	done
}

@test "--json: one object with version, steps, in_use, notes and all rules" {
	f=$(profile h200/gpt2_bf16.sqlite.xz)
	dlp advise -a --json "$f" >a 2>/dev/null
	dlp advise --json "$f" 2>/dev/null | diff a -
	same "$(dlp-advise -l | cut -f1 | sort)" "$(jq -r '.rules[].id' a | sort)"
	jq -e '.version == 1 and .steps.from == 0 and .steps.to == 2 and
	    .steps.n == 3 and .steps.key == "iteration" and
	    .in_use.fused and .in_use.sdpa and (.in_use.compiled | not) and
	    (.notes | type) == "array"' a
	# members of a rule; a verdict decides which are set
	jq -e '[.rules[] | (.verdict == "found") == (.recommendation != null) and
	    (.verdict == "not_judged") == (.missing != null) and
	    (.ceiling_ns == null or .ceiling_ns >= 0) and
	    (.value == null or (.value | type) == "number") and
	    has("id") and has("threshold") and has("where") and has("evidence")] |
	    all' a
	jq -e '.rules[] | select(.id == "tc_unaligned") |
	    .recommendation | test("50257 to 50304")' a
	# the ceiling is the time of the kernels, by SQL
	same "$(sqlite3 "$f" "SELECT sum(k.end - k.start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s
	    ON s.id = k.demangledName WHERE s.value LIKE '%\_align1%' ESCAPE '\'")" \
	    "$(jq '.rules[] | select(.id == "tc_unaligned").ceiling_ns' a)"
	# two files: an object for each
	cp "$LENET" b.sqlite
	dlp advise --json "$LENET" b.sqlite 2>/dev/null >two
	jq -e '.version == 1 and (.files | length) == 2 and
	    ([.files[].src] | unique | length) == 2' two
}

@test "batch_size_detector promises nothing from a part of the memory" {
	dlp advise -a --json "$(shipped h200/gpt2_bf16)" 2>/dev/null >one.json
	jq -e '.rules[] | select(.id == "batch_size_detector") |
	    (.recommendation | test("before the recording is not known")) and
	    (.recommendation | test("x larger") | not)' one.json
}

@test "findings of less than 1 % come after those without a share" {
	for p in h200/loader h200/everything advise/gpt_nosdpa; do
		f=$ROOT/tests/data/$p.sqlite.xz
		dlp advise --tsv "$f" 2>/dev/null | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
		{ s = $a["share_pct"]
		  print s == "-" ? 2 : s + 0 < 1 ? 3 : 1, s }' >got
		cut -d' ' -f 1 got | sort -nc
		# and among those with a share, the largest first
		for c in 1 3; do
			grep "^$c " got | cut -d' ' -f 2 | sort -c -k 1,1gr || exit
		done
	done
	grep -q "^1 " got
	# as on the screen
	dlp -w 200 "$ROOT/tests/data/h200/everything.sqlite.xz" 2>/dev/null |
	    sed -n 's/^  [123] \[\([0-9.]*\) %\].*/\1/p' >shares
	same "$(sort -gr shares)" "$(cat shares)"
	[ "$(tail -n 1 shares | cut -d. -f 1)" -ge 1 ]
}

@test "evidence: long names differ where they are cut" {
	a=$(printf 'a%.0s' {1..120})
	b=$(printf 'b%.0s' {1..120})
	rec '##dlp 1' '#dev dev name cc n_sm mem_bytes' 'dev 0 a 8.0 10 -' \
	    '#kern id start_ns dur_ns dev short grid' \
	    "kern 1 0 50 0 ${a}${b}x 1,1,1" "kern 2 50 50 0 ${a}${b}y 1,1,1" \
	    '##end 3' >in
	dlp-advise in 2>/dev/null | dlp-fmt -T finding --tsv -c id,evidence >got
	grep -o '^few_blocks	.*' got >row
	grep -q "a\.\.b*x: 1" row
	grep -q "a\.\.b*y: 1" row
}

@test "the commands of dlp whatif that findings name run on their profile" {
	local h=$ROOT/tests/data/h200 f cmd n=0
	[ -e "$h/ddp2_rank0.sqlite.xz" ] || skip "no tests/data/h200"
	for f in "$h"/{resnet50_fp32,ddp2_rank0,ddp2_rank1}.sqlite.xz "$LENET"; do
		while read -r cmd; do
			n=$((n + 1))
			case $cmd in
			*FILE...) eval "${cmd%FILE...} --tsv $h/ddp2_rank?.sqlite.xz" ;;
			*) eval "${cmd%FILE} --tsv $f" ;;
			esac >out 2>err
			cat out
			awk -F'\t' 'NR > 1 && $4 > 0 && $4 <= $2 { ok++ } END { exit !ok }' out
		done < <(dlp advise --tsv "$f" 2>/dev/null |
		    grep -o 'dlp whatif [^;]*FILE[.]*')
	done
	[ $n -ge 5 ]
}

@test "dataloader_detector: the idle time that dlp gaps calls so; -D: as DLProf" {
	local f=$ROOT/tests/data/h200/loader.sqlite.xz
	[ -e "$f" ] || skip "no tests/data/h200"
	same "$(dlp gaps -s -i 1-2 --tsv "$f" 2>err | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	    $1 == "dataloader" { print $(at["sum_dur_ns"]) }')" \
	    "$(dlp advise -a --tsv "$f" 2>err | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	    $1 == "dataloader_detector" { print $(at["ceiling_ns"]) }')"
	dlp advise --tsv "$f" 2>err | grep -q '^dataloader_detector	89.7	The GPU idles for 89.7 % of the time because'
	dlp-parse "$f" | dlp-correlate 2>err | dlp-iter --cuts -k iteration | dlp-flops | dlp-busy | dlp-advise -D |
	    dlp-fmt --tsv -T finding -c id,problem | grep -q '^dataloader_detector	[0-9.]*% of the aggregated run was spent in'
}
