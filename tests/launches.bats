load lib

bats_require_minimum_version 1.5.0

# dlp launches: compared with SQL on the same file, and with nsys stats.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

H=$ROOT/tests/data/h200

@test "the queue, its length and the latency of launches equal SQL" {
	[ -e "$H/gpt2_bf16.sqlite.xz" ] || skip "no tests/data/h200"
	local f
	for f in gpt2_bf16 ddp2_rank0; do
		xz -dc "$H/$f.sqlite.xz" >p.sqlite
		sqlite3 -separator ' ' p.sqlite "
		CREATE TEMP TABLE w AS
		SELECT k.start s, r.start a, r.end e, k.t FROM (
		    SELECT 'kern' t, start, correlationId c FROM CUPTI_ACTIVITY_KIND_KERNEL
		    UNION ALL SELECT 'copy', start, correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY
		    UNION ALL SELECT 'set', start, correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET) k
		    JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.c;
		CREATE INDEX wa ON w(a);
		SELECT t, count(*), sum(n), max(n), sum(n = 0), max(iif(n = 0, q, NULL)), sum(q) FROM (
		    SELECT t, s - e q, (SELECT count(*) FROM w v WHERE v.a < w.a AND
			v.a > w.a - 100000000 AND v.s > w.a) n FROM w) GROUP BY t ORDER BY t" >want
		dlp-parse p.sqlite | dlp-launch >s.dlp
		for t in copy kern set; do
			echo "$t $(dlp-agg -T $t -a count,sum,max -f n_queued s.dlp |
			    dlp-fmt --tsv -T agg | tail -n 1)" \
			    "$(dlp-agg -T $t --where n_queued==0 -a count,max:queue_ns s.dlp |
				dlp-fmt --tsv -T agg | tail -n 1)" \
			    "$(dlp-agg -T $t -a sum:queue_ns s.dlp |
				dlp-fmt --tsv -T agg | tail -n 1)"
		done | tr '\t' ' ' >got
		diff want got
	done
}

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

@test "dlp launches: short kernels and slow calls equal SQL, limits can be chosen" {
	xz -dc "$H/gpt2_bf16.sqlite.xz" >p.sqlite
	same "$(sqlite3 p.sqlite "SELECT count(*) || ' ' || sum(end - start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start < 10000")" \
	    "$(dlp launches -t short --tsv p.sqlite |
		awk 'NR > 1 { n += $2; ns += $3 } END { print n, ns }')"
	same "$(sqlite3 p.sqlite "SELECT count(*) || ' ' || sum(r.end - r.start) FROM
	    CUPTI_ACTIVITY_KIND_RUNTIME r JOIN CUPTI_ACTIVITY_KIND_KERNEL k
	    USING (correlationId) WHERE r.end - r.start > 12000")" \
	    "$(dlp launches -t slow --slow 12us --tsv p.sqlite |
		awk '$1 == "kern" { n += $4; ns += $5 } END { print n, ns }')"
	# nothing launched before a late one waits when its call begins
	same "$(sqlite3 p.sqlite "
	    WITH w AS (SELECT k.start s, r.start a, r.end e
		FROM CUPTI_ACTIVITY_KIND_KERNEL k
		JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId))
	    SELECT count(*) || ' ' || sum(s - e) || ' ' || max(s - e) FROM w
	    WHERE s - e > 1000000 AND NOT EXISTS
		(SELECT 1 FROM w v WHERE v.a < w.a AND v.s > w.a)")" \
	    "$(dlp launches -t late --late 1ms --tsv p.sqlite |
		awk 'NR == 2 { print $2, $3, $5 }')"
	same "0 1 2" "$(dlp launches -t step --tsv p.sqlite |
	    awk 'NR > 1 { print $1 }' | xargs)"
	run -2 dlp launches --short 1x p.sqlite
	run -2 dlp launches -t none p.sqlite
}
