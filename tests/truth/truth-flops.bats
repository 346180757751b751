# FLOPs of products, convolutions and attention against the counts of
# torch.utils.flop_counter: in each step, by direction and family; and how
# much of the GPU time of such work has a count.

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# stream NAME: the stream of h200/NAME, cut into its steps.
stream() {
	dlp-parse "$(profile "h200/$1.sqlite.xz")" |
	    dlp-correlate 2>/dev/null | dlp-iter -k iteration 2>/dev/null |
	    dlp-flops 2>/dev/null
}

# ours KEY <STREAM: KEY's value, direction, family and FLOPs, not 0, of what
# the counter knows, for each step; unknown ones are said.
ours() {
	awk -F'\t' -v OFS='\t' -v key="$1" '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 != "kern" || $c["iter"] == "-" { next }
	$c["family"] !~ /^(gemm|conv|attention)$/ { next }
	{
		k = $c[key]; sub(/\/.*/, "", k)
		k = k OFS $c["dir"] OFS $c["family"]
		if ($c["flop"] == "-") unknown[k] = 1
		else sum[k] += $c["flop"]
	}
	END {
		for (k in sum) if (sum[k] > 0) printf "%s\t%.0f\n", k, sum[k]
		for (k in unknown) print k, "unknown"
	}' | LC_ALL=C sort
}

# The family of an op of the counter.
FAMILY="CASE WHEN o.key LIKE '%attention%' THEN 'attention'
    WHEN o.key LIKE '%conv%' THEN 'conv' ELSE 'gemm' END"

json() {
	sqlite3 -tabs :memory: "WITH j AS (SELECT readfile('$1') AS t) $2" |
	    LC_ALL=C sort
}

# torch_steps NAME STEPS: what ours prints for a model that repeats. The
# counter has all of the forward under the model, the module of the shortest
# name, and of the backward under Global.
torch_steps() {
	json "$DATA/h200/truth/$1.flops.json" ", step(n) AS (SELECT 0
		UNION ALL SELECT n + 1 FROM step WHERE n + 1 < $2),
	    f AS (SELECT m.value AS ops FROM j,
		json_each(t, '\$.forward_by_module') AS m
		ORDER BY length(m.key) LIMIT 1),
	    all_ops AS (SELECT 'fprop' AS dir, ops FROM f UNION ALL
		SELECT 'bprop', json_extract(t,
		    '\$.backward_by_module.Global') FROM j)
	    SELECT n, dir, $FAMILY AS fam, sum(o.value)
	    FROM step, all_ops, json_each(ops) AS o
	    GROUP BY n, dir, fam HAVING sum(o.value) > 0"
}

model() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	torch_steps "$1" "$2" >want
	[ "$(wc -l <want)" -ge $((4 * $2)) ]
	stream "$1" | ours iter >got
	diff -u want got
}

@test "LeNet by emit_nvtx: each step, direction and family" {
	model lenet_emitnvtx_train 4
}

@test "LeNet by PyProf's markers: each step, direction and family" {
	model lenet_pyprof_train 4
}

@test "ResNet-50 in fp32: each step, direction and family" {
	model resnet50_fp32 3
}

@test "ResNet-50 in tf32: each step, direction and family" {
	model resnet50_tf32 3
}

@test "GPT-2: each step, direction and family" {
	model gpt2_bf16 3
}

# The zoo by item, summed over its two steps. The counter makes the weight
# gradient of a convolution in g groups g times too large: g + 1 for both
# gradients instead of 2.
torch_zoo() {
	json "$DATA/h200/truth/zoo.flops.json" ",
	    x AS (SELECT i.key AS item, d.key AS dir, $FAMILY AS fam,
		2 * sum(o.value) AS n
		FROM j, json_each(t) AS i, json_each(i.value) AS d,
		    json_each(d.value) AS o
		WHERE d.key LIKE 'ops_%' GROUP BY 1, 2, 3
		HAVING sum(o.value) > 0)
	    SELECT item, CASE dir WHEN 'ops_forward' THEN 'fprop'
		ELSE 'bprop' END, fam,
		CASE WHEN dir = 'ops_forward' THEN n
		WHEN item LIKE '%grouped%' THEN n * 2 / 9
		WHEN item LIKE '%depthwise%' THEN n * 2 / 129 ELSE n END
	    FROM x"
}

@test "the zoo by emit_nvtx: each item, direction and family" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	torch_zoo >want
	[ "$(wc -l <want)" -gt 190 ]
	stream zoo | ours layer >got
	diff -u want got
}

# Its convolutions and the fp8 product have no marker there and its ranges no
# sizes: nothing in the file tells them.
@test "the zoo by PyProf's markers: each item, direction and family" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	torch_zoo | grep -Ev '^(conv|scaled_mm)' >want
	[ "$(wc -l <want)" -gt 110 ]
	stream zoo_pyprof | ours layer >all
	grep -Ev '^(conv|scaled_mm)' all >got
	diff -u want got
	# 44 of the one, 1 of the other, in all their families unknown
	grep -E '^(conv|scaled_mm)' all | grep -v 'unknown$' >bad || true
	cat bad
	[ ! -s bad ]
	same "44 1" "$(grep -E '^(conv|scaled_mm)' all | cut -f 1 | sort -u |
	    awk '/^conv/ { n++ } /^scaled/ { m++ } END { print n, m }')"
}

# counted FILE: percent of the GPU time of products that has FLOPs. A product
# is what the op or the name says, but for helpers.
counted() {
	dlp-parse "$1" | dlp-correlate 2>/dev/null | dlp-flops 2>/dev/null |
	    awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) c[$i] = i }
	$1 != "kern" || $c["role"] ~ /^(aux|bias)$/ { next }
	$c["family"] ~ /^((gemm|conv)(_fused)?|gemm_int|gemv|attention|rnn)$/ ||
	    $c["tc"] == "yes" || $c["short"] ~ /gemm/ {
		all += $c["dur_ns"]
		if ($c["flop"] != "-") have += $c["dur_ns"]
	}
	END { printf "%d\n", (all > 0 ? 100 * have / all : 0) }'
}

# bats test_tags=more
@test "98 % of the time of products has FLOPs, in training captures" {
	need_data nsys/train-step-shapes-3.27.0.sqlite
	for f in "$DATA/nsys/train-step-shapes-3.27.0.sqlite" \
	    $(for n in lenet_emitnvtx_train lenet_pyprof_train resnet50_fp32 \
		resnet50_tf32 gpt2_bf16 loader graph_infer_node zoo; do
		profile "h200/$n.sqlite.xz"
	    done); do
		got=$(counted "$f")
		echo "$got % of $f"
		[ "$got" -ge 98 ]
	done
}
