# Programs of compilers, XLA's and Inductor's: what their kernels are called,
# which direction and sizes they have, against SQL on the same file.
load lib

J=h200/jax_step.sqlite.xz

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# tsv FILE SQL
tsv() {
	sqlite3 -separator '	' "$1" "$2"
}

# Kernels of the command buffer: the name of each instruction is its op, with
# the direction of the Thunk of that name.
@test "XLA: each HLO kernel is an op of its name, with its Thunk's direction" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	f=$(profile "$J")
	tsv "$f" "WITH t AS (
		SELECT DISTINCT coalesce(text, (SELECT value FROM StringIds
		    WHERE id = textId)) AS t FROM NVTX_EVENTS),
	    hlo AS (SELECT t, substr(t, instr(t, 'hlo_op=') + 7) || ',' AS rest
		FROM t WHERE t LIKE 'Thunk:%'),
	    dir AS (SELECT DISTINCT
		replace(replace(substr(rest, 1, instr(rest, ',') - 1),
		    '.', '_'), '#', '') AS name,
		CASE WHEN t LIKE '%transpose(%' THEN 'bprop'
		WHEN t LIKE '%jvp(%' THEN 'fprop' ELSE '-' END AS d FROM hlo)
	    SELECT value, CASE WHEN value LIKE 'nvjet%' THEN '-' ELSE value END,
		coalesce(d, '-'), count(*)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
	    JOIN StringIds ON shortName = id LEFT JOIN dir ON name = value
	    GROUP BY 1, 2, 3" | LC_ALL=C sort >want
	dlp-parse "$f" | dlp-correlate 2>err | dlp-agg -T kern -g short,op,dir |
	    dlp-fmt -T agg -c short,op,dir,n | sed 1d | LC_ALL=C sort >got
	diff -u want got
	# 51 names, 6 of them are of cuBLAS
	same 51 "$(wc -l <want)"
	grep -q '78.2 % of the GPU time belongs to ops; no op: xla-library 21.8 %' err
}

T=h200/compile_train.sqlite.xz

# Inside CompiledFunction each kernel is its Triton kernel or its product. The
# innermost range around each launch that has sizes tells it, by SQL: triton_*,
# or aten::mm and addmm.
@test "torch.compile: -g prim has the products and Inductor's kernels" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	f=$(profile "$T")
	tsv "$f" "WITH k AS (SELECT k.start, k.end - k.start AS dur,
		s.value AS short, r.start AS at, r.globalTid AS tid
		FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
		JOIN StringIds AS s ON s.id = k.shortName
		JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r USING (correlationId)),
	    n AS (SELECT k.start, k.dur, short, (SELECT text FROM NVTX_EVENTS AS v
		WHERE v.globalTid = tid AND v.start <= at AND v.end >= at
		AND (text LIKE 'triton!_%' ESCAPE '!' OR text LIKE 'aten::mm,%'
		OR text LIKE 'aten::addmm,%') ORDER BY v.start DESC LIMIT 1) AS t
		FROM k)
	    SELECT substr(t, 1, instr(t, ',') - 1) AS name, count(*), sum(dur)
	    FROM n WHERE t IS NOT NULL GROUP BY 1" | LC_ALL=C sort >want
	dlp top -g prim -n 0 --tsv "$f" 2>err | awk -F'\t' -v OFS='\t' '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["prim"] ~ /^(triton_|aten::(add)?mm )/ {
			sub(/ .*/, "", $c["prim"])
			n[$c["prim"]] += $c["n"]; s[$c["prim"]] += $c["sum_dur_ns"]
		}
		END { for (p in n) print p, n[p], s[p] }' | LC_ALL=C sort >got
	diff -u want got
	[ "$(wc -l <got)" -gt 15 ]
}

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
	dlp "$f" 2>/dev/null | tr -s '\n ' '  ' >screen
	grep -q 'FLOPs: most are of CUDA graphs captured before the profile began: begin recording earlier (before the first step)' screen
	# captured in the profile
	dlp coverage --tsv "$(profile h200/graph_infer_node.sqlite.xz)" >got
	grep -q '^flop' got
	! grep -q captured_before got
}

@test "the / in the name of a compiled region separates no layers" {
	local f
	f=$(profile h200/compile_train.sqlite.xz)
	dlp layers --tsv "$f" 2>err | cut -f1,2 | grep Region | sort >got
	same "$(printf '%s\n' 'forward/Torch-Compiled Region: 0/0	1' \
	    'inductor template fp16/Torch-Compiled Region: 1/0	1' \
	    'inductor template fp16/Torch-Compiled Region: 1/0/CompiledFxGraph	2' \
	    'inductor template tf32/Torch-Compiled Region: 1/1	1' \
	    'inductor template tf32/Torch-Compiled Region: 1/1/CompiledFxGraph	2')" "$(<got)"
	dlp folded "$f" 2>err >folded
	grep -q '^inductor template tf32;Torch-Compiled Region: 1/1;CompiledFxGraph;' folded
	# a layer ends at every other one: numbers, and names as Inception has them
	{
		printf '##dlp\t1\n#op\top_id\tname\n'
		printf 'op\t1\tconv2/3x3/op\nop\t2\ta: b/1/op\nop\t3\tR: 12/3/4/op\n'
		printf '#kern\tid\tstart_ns\tdur_ns\top_id\nkern\t1\t0\t5\t1\nkern\t2\t5\t5\t2\nkern\t3\t10\t5\t3\n##end\t6\n'
	} | dlp-tree | dlp-fmt --tsv -T group -c path | sed 1d | sort >got
	same "$(printf '%s\n' _CompleteModel_ 'R: 12/3/' 'R: 12/3/4/' 'a: b/' 'a: b/1/' conv2/ conv2/3x3/ | sort)" "$(sort got)"
}
