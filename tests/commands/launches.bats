load ../lib

bats_require_minimum_version 1.5.0

# dlp launches: compared with SQL on the same file, and with nsys stats.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

H=$ROOT/tests/data/h200

@test "queue times above 0 are those of nsys stats" {
	[ -e "$DATA/h200/stats/gpt2_bf16.cuda_kern_exec_sum.csv" ] || skip "no stats"
	same "$(python3 -c '
import csv, sys
n = ns = 0
for r in csv.DictReader(sys.stdin):
    n += int(r["QCount"])
    if int(r["QCount"]): ns += int(r["QCount"]) * float(r["QAvg (ns)"])
print(n, round(ns / 1e5))' <"$DATA/h200/stats/gpt2_bf16.cuda_kern_exec_sum.csv")" \
	    "$(dlp-parse "$H/gpt2_bf16.sqlite.xz" | dlp-launch |
		dlp-agg -T kern --where 'queue_ns>0' -a count,sum:queue_ns |
		dlp-fmt --tsv -T agg | awk 'NR == 2 { printf "%d %.0f\n", $1, $2 / 1e5 }')"
}
