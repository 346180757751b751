# Programs of compilers, XLA's and Inductor's: what their kernels are called,
# which direction and sizes they have, against SQL on the same file.
load ../lib

J=h200/jax_step.sqlite.xz

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# tsv FILE SQL
tsv() {
	sqlite3 -separator '	' "$1" "$2"
}

T=h200/compile_train.sqlite.xz

@test "torch.compile: no hash of a graph in names, keys and layers" {
	f=$(profile "$T")
	dlp-parse "$f" | dlp-correlate 2>err >c
	grep -q 'CompiledFxGraph f[a-z0-9]*' <(grep '^range' c)
	[ "$(grep -v '^range' c | grep -c '## Call')" -eq 0 ]
	grep -q '/CompiledFxGraph/triton_tem_fused_mm_relu_0|fprop|' c
}

# The file names cuBLAS' work, FLOPs and bytes of kernels that have none; the
# report passes the option on. wrapped_convert_1: 512 * 512 * (4 + 2) bytes.
@test "XLA's HLO text reaches the reports" {
	cat >m.after_optimizations.txt <<-'EOF'
	HloModule jit_train_step
	
	%conv_computation (p: f32[512,512]) -> bf16[512,512] {
	  %p = f32[512,512]{1,0} parameter(0)
	  ROOT %convert.1 = bf16[512,512]{1,0} convert(%p)
	}
	
	ENTRY %main (a: f32[512,512]) -> bf16[512,512] {
	  %a = f32[512,512]{1,0} parameter(0)
	  ROOT %wrapped_convert.1 = bf16[512,512]{1,0} fusion(%a), kind=kLoop, calls=%conv_computation
	}
	EOF
	f=$(profile "$J")
	dlp roofline --hlo . -g prim -n 0 --tsv "$f" 2>err >got
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["prim"] == "convert [[512,512]]" {
			print $c["n"], $c["bytes"], $c["flop"] }' got >row
	same "6 9437184 0" "$(cat row)" # 6 * 1572864
	dlp top --inductor x -h | grep -q 'dlp-flops --inductor x'
	run dlp info --hlo . "$f"
	same 2 "$status"
	run dlp-flops --hlo /dev/null
	[[ $output = *'no HLO instruction in it'* ]]
}

# The counter of PyTorch has only the MLP of this program, which is what
# torch.compile made products of: aten::mm and aten::addmm in each step.
@test "torch.compile: FLOPs of the products equal flop_counter's" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	f=$(profile "$T")
	sqlite3 -tabs :memory: "WITH j AS (SELECT
		readfile('$DATA/h200/truth/compile_train.flops.json') AS t)
	    SELECT n, dir, f FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2),
		(SELECT 'fprop' AS dir, json_extract(t, '\$.forward') AS f FROM j
		UNION SELECT 'bprop', json_extract(t, '\$.backward') FROM j)" |
	    LC_ALL=C sort >want
	dlp-parse "$f" | dlp-correlate 2>err | dlp-iter -k iteration 2>err |
	    dlp-flops 2>err | awk -F'\t' '
	    $1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	    $1 == "kern" && $c["prim"] ~ /^aten::(add)?mm / {
		s[$c["iter"] "\t" $c["dir"]] += $c["flop"] }
	    END { for (k in s) printf "%s\t%.0f\n", k, s[k] }' |
	    LC_ALL=C sort >got
	diff -u want got
	same 6 "$(wc -l <got)"
}

# All nodes of the graphs of reduce-overhead were made before the first range
# and the first call of the profile, as SQL says; so the reason is the capture.
@test "reduce-overhead: kernels of graphs captured before the profile say so" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	xz -dc "$ROOT/tests/data/advise/compile_ro.sqlite.xz" >ro.sqlite
	f=ro.sqlite
	same 1 "$(tsv "$f" "SELECT max(start) <
	    min((SELECT min(start) FROM NVTX_EVENTS),
	    (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_RUNTIME))
	    FROM CUDA_GRAPH_NODE_EVENTS")"
	want=$(tsv "$f" "SELECT count(*), sum(end - start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NOT NULL")
	dlp coverage --tsv "$f" 2>err >got
	same "$want" "$(awk -F'\t' -v OFS='\t' '$1 == "flop" &&
	    $7 == "captured_before" { n += $6; s += $4 } END { print n, s }' got)"
	dlp -v "$f" 2>/dev/null | tr -s '\n ' '  ' >screen
	grep -q 'FLOPs: most are of CUDA graphs captured before the profile began: begin recording earlier (before the first step)' screen
	# captured in the profile
	dlp coverage --tsv "$(profile h200/graph_infer_node.sqlite.xz)" >got
	grep -q '^flop' got
	! grep -q captured_before got
}
