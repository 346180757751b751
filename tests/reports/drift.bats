load ../lib

bats_require_minimum_version 1.5.0

# Reports that show dlp-agg -a drift,drifterr. Python computes the line.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
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
