load ../lib

bats_require_minimum_version 1.5.0

# dlp-agg -a drift,drifterr, and the reports that show them. Python computes the
# line, and from its residuals the error, as dlp-agg(1) defines it.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

drift() {
	python3 -c '
import math, sys
y = [float(s) for s in sys.stdin.read().split()]
n = len(y)
t = {1: 12.706, 2: 4.303, 3: 3.182, 8: 2.306, 18: 2.101, 98: 1.9845}[n - 2]
x = range(1, n + 1)
mx, my = (n + 1) / 2, sum(y) / n
sxx = sum((a - mx) ** 2 for a in x)
b = sum((a - mx) * (v - my) for a, v in zip(x, y)) / sxx
e = [v - my - b * (a - mx) for a, v in zip(x, y)]
rest = sum(v * v for v in e)
r = 1 - sum((p - q) ** 2 for p, q in zip(e, e[1:])) / rest / 2 if rest > 1e-9 else 0
f = (1 + r) / (1 - r) if n >= 10 and r > 0 else 1
se = math.sqrt(rest / (n - 2) / sxx * f)
print("%.2f %.2f" % (100 * b * (n - 1) / my, 100 * t * se * (n - 1) / my))'
}

stream() { # VALUE...
	printf '##dlp\t1\n#kern\tid\tdur_ns\n'
	printf "kern\t1\t%s\n" "$@"
	printf '##end\t%s\n' $#
}

agg() {
	stream "$@" | dlp-agg -a drift,drifterr "${opts[@]}" | dlp-fmt --tsv -T agg | tail -n 1 |
	    tr '\t' ' '
}

@test "a kernel that becomes slower shows, and the others do not" {
	[ -e "$ROOT/tests/data/h200/graph_infer_node.sqlite.xz" ] || skip "no tests/data/h200"
	xz -dc "$ROOT/tests/data/h200/graph_infer_node.sqlite.xz" >p.sqlite
	dlp top -g kernel --drift --tsv -i 1-9 p.sqlite 2>/dev/null >before
	awk -F'\t' 'NR > 1 && $1 == "reduce_kernel" { exit !($8 < $9 && $8 > -$9) }' before
	# 1 us more for each 340 us of the run
	sqlite3 p.sqlite "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end +
	    (start - (SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL)) / 340
	    WHERE shortName = (SELECT id FROM StringIds WHERE value = 'reduce_kernel')"
	dlp top -g kernel --drift --tsv -i 1-9 p.sqlite 2>/dev/null >after
	diff <(grep -v ^reduce_kernel before | sort) <(grep -v ^reduce_kernel after | sort)
	awk -F'\t' '$1 == "reduce_kernel" { print; exit !($8 > 10 && $8 > 3 * $9) }' after
	# the same by hand: the time of each step, then the line
	same "$(dlp top -g iter,kernel --tsv -i 1-9 p.sqlite 2>/dev/null | awk -F'\t' '
	    $2 == "reduce_kernel" { print $1, $4 }' | sort -n | cut -d' ' -f2 |
	    python3 -c '
import sys
y = [float(s) for s in sys.stdin]
n = len(y); m = sum(y) / n
b = sum((i - (n - 1) / 2) * v for i, v in enumerate(y)) * 12 / (n * (n * n - 1))
print("%.2f" % (100 * b * (n - 1) / m))')" \
	    "$(awk -F'\t' '$1 == "reduce_kernel" { print $8 }' after)"
}

@test "dlp iters --drift: the steps of iters, first and last" {
	local f=$ROOT/tests/data/lenet.sqlite.xz
	same "$(dlp iters --tsv "$f" | awk -F'\t' '
	    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	    { v = $c["step_ns"]; if (!n++) first = v; s += v }
	    END { printf "%d %.0f %s %s\n", n, s / n, first, v }')" \
	    "$(dlp iters --drift --tsv "$f" | awk -F'\t' 'NR == 2 {
		printf "%d %.0f %s %s\n", $1, $2, $4, $5 }')"
}
