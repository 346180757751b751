# Many ranks: dlp-parse --ranks, dlp-ranks, dlp ranks on two ranks of a real run
# (tests/data/ddp*.sqlite.xz); every number against SQL on the two files.

load ../lib

bats_require_minimum_version 1.5.0

TAB='	'
NCCL="LIKE 'nccl%'"

setup_file() {
	command -v sqlite3 >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR" || return
	for r in 0 1; do
		xz -dc "$ROOT/tests/data/ddp$r.sqlite.xz" >"ddp$r.db"
	done
	dlp-parse --ranks ddp0.db ddp1.db >ranks.dlp
	dlp-correlate ranks.dlp 2>/dev/null | dlp-iter -k iteration |
	    dlp-ranks >coll.dlp
}

setup() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	cd "$BATS_TEST_TMPDIR" || return
	R0=$BATS_FILE_TMPDIR/ddp0.db
	R1=$BATS_FILE_TMPDIR/ddp1.db
	ALL=$BATS_FILE_TMPDIR/coll.dlp
}

# ask SQL: of both ranks: k, kernels on the clock of rank 0, which the median
# of the all-reduces' ends sets; c, the collectives, each kind counted.
ask() {
	sqlite3 -bail -nullvalue - -separator "$TAB" :memory: "
ATTACH 'file:$R0?immutable=1' AS a;
ATTACH 'file:$R1?immutable=1' AS b;
CREATE TEMP TABLE raw AS
    SELECT 0 AS rank, s.value AS name, k.start AS lo, k.end AS hi,
	(SELECT substr(n.text, 11) - 1 FROM a.NVTX_EVENTS n,
	    a.CUPTI_ACTIVITY_KIND_RUNTIME r WHERE n.text LIKE 'iteration %'
	    AND r.correlationId = k.correlationId
	    AND r.start BETWEEN n.start AND n.end) AS iter
	FROM a.CUPTI_ACTIVITY_KIND_KERNEL k JOIN a.StringIds s
	ON s.id = k.shortName
    UNION ALL SELECT 1, s.value, k.start, k.end,
	(SELECT substr(n.text, 11) - 1 FROM b.NVTX_EVENTS n,
	    b.CUPTI_ACTIVITY_KIND_RUNTIME r WHERE n.text LIKE 'iteration %'
	    AND r.correlationId = k.correlationId
	    AND r.start BETWEEN n.start AND n.end)
	FROM b.CUPTI_ACTIVITY_KIND_KERNEL k JOIN b.StringIds s
	ON s.id = k.shortName;
CREATE TEMP TABLE ends AS SELECT rank, hi,
    row_number() OVER (PARTITION BY rank ORDER BY hi) AS nth
    FROM raw WHERE name LIKE 'nccl%AllReduce%';
CREATE TEMP TABLE diff AS SELECT x.hi - y.hi AS d,
    row_number() OVER (ORDER BY x.hi - y.hi) AS i, count(*) OVER () AS n
    FROM ends x JOIN ends y ON x.nth = y.nth AND x.rank = 0 AND y.rank = 1;
CREATE TEMP TABLE shift AS SELECT min(d) + (max(d) - min(d)) / 2 AS ns
    FROM diff WHERE i IN ((n + 1) / 2, n / 2 + 1);
CREATE TEMP TABLE k AS SELECT rowid AS id, rank, name, iter,
    name $NCCL AS comm,
    lo + CASE rank WHEN 1 THEN (SELECT ns FROM shift) ELSE 0 END AS lo,
    hi + CASE rank WHEN 1 THEN (SELECT ns FROM shift) ELSE 0 END AS hi
    FROM raw;
CREATE TEMP TABLE c AS SELECT *, CASE WHEN name LIKE '%AllReduce%' THEN
    'all_reduce' ELSE 'broadcast' END AS kind, row_number() OVER (
    PARTITION BY rank, name LIKE '%AllReduce%' ORDER BY lo) - 1 AS nth
    FROM k WHERE comm;
$1"
}

@test "dlp-parse --ranks: natural order of names, or what the profiles tell" {
	cp "$R0" rank10.db
	cp "$R0" rank9.db
	cp "$R0" rank1.db
	dlp-parse --ranks rank10.db rank1.db rank9.db >out
	[ "$(columns out rank rank src rank_by)" = "0${TAB}rank1.db${TAB}name
1${TAB}rank9.db${TAB}name
2${TAB}rank10.db${TAB}name" ]
	[ "$(columns out kern rank src | sort -u)" = "0${TAB}rank1.db
1${TAB}rank9.db
2${TAB}rank10.db" ]
	# one tells its rank, in the environment; the others get what is left
	sqlite3 rank10.db "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);
	    INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT',
	    'LOCAL_RANK=1 WORLD_SIZE=3 RANK=0 PATH=/bin');"
	dlp-parse --ranks rank*.db >out
	[ "$(columns out rank rank src rank_by)" = "0${TAB}rank10.db${TAB}profile
1${TAB}rank1.db${TAB}name
2${TAB}rank9.db${TAB}name" ]
	# by NVTX; texts that name other ranks are none
	sqlite3 rank1.db "UPDATE NVTX_EVENTS SET text = '[rank2]'
	    WHERE text LIKE 'DistributedDataParallel.forward%'"
	sqlite3 rank9.db "UPDATE NVTX_EVENTS SET text = 'send to rank 2'
	    WHERE text LIKE 'DistributedDataParallel.forward%'"
	dlp-parse --ranks rank*.db >out
	[ "$(columns out rank rank src)" = "0${TAB}rank10.db
1${TAB}rank9.db
2${TAB}rank1.db" ]
	# two that tell the same
	cp rank10.db rank11.db
	dlp-parse --ranks rank*.db >out 2>err
	grep -q 'have the same rank' err
	[ "$(columns out rank rank src)" = "0${TAB}rank1.db
1${TAB}rank9.db
2${TAB}rank10.db
3${TAB}rank11.db" ]
}

@test "dlp-parse --ranks: the clocks by collectives: the median of SQL" {
	local want
	want=$(ask "SELECT ns, (SELECT max(n) FROM diff) FROM shift")
	[ "$(columns "$BATS_FILE_TMPDIR/ranks.dlp" rank shift_ns n_coll |
	    tail -n 1)" = "$want" ]
	grep -q "^rank.*collectives" "$BATS_FILE_TMPDIR/ranks.dlp"
	# every kernel's time is moved by it, none of rank 0
	ask "SELECT rank, lo, hi - lo FROM k ORDER BY 1, 2, 3" >want
	columns "$BATS_FILE_TMPDIR/ranks.dlp" kern rank start_ns dur_ns |
	    sort -n -k 1,1 -k 2,2 -k 3,3 >got
	diff want got
	[ "$(grep -c t0_ns "$BATS_FILE_TMPDIR/ranks.dlp")" -eq 1 ]
}

@test "dlp-parse --ranks: the merged stream is in launch order" {
	columns "$BATS_FILE_TMPDIR/ranks.dlp" kern api_start_ns rank >got
	sort -n -s -k 1,1 got >want
	diff want got
	[ "$(cut -f 2 got | uniq | wc -l)" -gt 100 ] # and well mixed
}

# moved OUT NS T0: rank 1 with its times moved, and an origin of its own.
moved() {
	cp "$R1" "$1"
	sqlite3 "$1" "
	UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + $2, end = end + $2;
	UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + $2, end = end + $2;
	UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = start + $2, end = end + $2;
	UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + $2, end = end + $2;
	UPDATE NVTX_EVENTS SET start = start + $2, end = end + $2;
	UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + $3;"
}

@test "dlp-parse --ranks: origins hours apart, negative times" {
	local ns h=10800000000000 f
	ns=$(ask "SELECT ns FROM shift")
	cp "$R0" a0.db
	moved a1.db -$h 0 # three hours that nobody tells
	dlp-parse --ranks a0.db a1.db >out
	[ "$(columns out rank shift_ns | tail -n 1)" -eq $((ns + h)) ]
	moved a1.db $h -$h # and told
	dlp-parse --ranks a0.db a1.db >out
	[ "$(columns out rank shift_ns | tail -n 1)" -eq $((ns - h)) ]
	columns out kern rank start_ns dur_ns api_start_ns | sort >got
	columns "$BATS_FILE_TMPDIR/ranks.dlp" kern rank start_ns dur_ns \
	    api_start_ns | sort | diff - got
	# without collectives: UTC
	for f in a0.db a1.db; do
		sqlite3 $f "UPDATE StringIds SET value = replace(value, 'nccl', 'mccl')
		    WHERE value $NCCL"
	done
	dlp-parse --ranks a0.db a1.db >out 2>err
	[ "$(columns out rank shift_ns clock_by | tail -n 1)" = "-$h${TAB}utc" ]
	grep -q 'no collectives in common with the first' err
	grep -q "^##note${TAB}ranks_by_utc${TAB}1" out
	# without that: said, and not moved
	sqlite3 a1.db "DROP TABLE TARGET_INFO_SESSION_START_TIME"
	dlp-parse --ranks a0.db a1.db >out 2>err
	grep -q 'not aligned' err
	[ "$(wc -l <err)" -eq 1 ]
	[ "$(columns out rank shift_ns clock_by | tail -n 1)" = "0${TAB}-" ]
	grep -q "^##note${TAB}ranks_unaligned${TAB}1" out
}

@test "dlp-parse --ranks: a rank that began to record later" {
	local ns
	cp "$R0" a0.db
	cp "$R1" a1.db
	sqlite3 a1.db "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start <
	    (SELECT end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s
	    ON s.id = k.shortName WHERE value LIKE 'nccl%AllReduce%'
	    ORDER BY start LIMIT 1 OFFSET 1)"
	dlp-parse --ranks a0.db a1.db >out
	ns=$(columns out rank shift_ns | tail -n 1)
	[ "$ns" -gt -20000 ] && [ "$ns" -lt 0 ]
	[ "$(columns out rank n_coll | tail -n 1)" -eq 4 ]
	# and its collectives are still matched with those of the others
	dlp-ranks out >coll
	[ "$(columns coll coll kind n_rank | grep all_reduce | sort | uniq -c |
	    tr -s ' ')" = " 2 all_reduce${TAB}1
 4 all_reduce${TAB}2" ]
}

# by_column FILE NAME...: these columns of a table with a head
by_column() {
	awk -F'\t' -v OFS='\t' -v names="${*:2}" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " "); next }
	{ line = $at[name[1]]; for (i = 2; i <= n; i++) line = line OFS $at[name[i]]; print line }' "$1"
}

@test "dlp advise --ranks: the finding says how long it waits, and for whom" {
	local wait h=$ROOT/tests/data/h200
	wait=$(ask "SELECT sum(hi - lo - (SELECT min(hi - lo) FROM c y WHERE
	    y.kind = x.kind AND y.nth = x.nth)) FROM c x WHERE rank = 1")
	same 2633374 "$wait"
	dlp advise --ranks --tsv "$R0" "$R1" 2>err >out
	grep rank_wait out >got
	same 1 "$(wc -l <got)"
	grep -q "^$R1${TAB}.*Collectives take 3.13 ms, and 2.63 ms of it are waiting for rank 0 (process 572, GPU 0), which waits least${TAB}Rank 0 (process 572, GPU 0) comes late. Fix its first finding: The GPU waits for launches for 64.8 % of the time" got
	# what the late rank's own first finding gains, on this rank
	same "$(by_column <(grep -e '^src' -e launch_bound out) predicted_step_ns | tail -1)" \
	    "$(by_column <(grep -e '^src' -e rank_wait out) predicted_step_ns)"
	same "no${TAB}-${TAB}-
yes${TAB}$wait${TAB}-" "$(dlp advise -a --ranks --tsv "$R0" "$R1" 2>err >out; { head -1 out; grep rank_wait out; } >all
	by_column all judged ceiling_ns part_of)"
	# of one rank alone it is not known, and more must be recorded
	dlp advise --tsv "$h/ddp2_rank0.sqlite.xz" 2>err | grep '^exposed_comm' | grep -q 'Record all ranks'
	# of the even steps, 1 and 2, as in dlp ranks
	dlp ranks -t comm -k iteration --tsv "$h"/ddp2_rank?.sqlite.xz 2>err >out
	same 7825647 "$(by_column out iter rank wait_ns | awk '($1 == 1 || $1 == 2) && $2 == 0 { n += $3 } END { print n }')"
	same 7825647 "$(dlp ranks -t total --tsv "$h"/ddp2_rank?.sqlite.xz 2>err | awk '$1 == 0 { print $5 }')"
	dlp advise --ranks --tsv "$h"/ddp2_rank?.sqlite.xz 2>err >out
	run -1 grep -e 'Record all ranks' -e exposed_comm out
	grep ddp2_rank0 out | grep -q 'rank_wait.*7.83 ms of it are waiting for rank 1 (process 872, GPU 1), which waits least'
	# the page has the same
	dlp html --ranks --data "$h"/ddp2_rank?.sqlite.xz 2>err | jq -r '.finding as $f | range($f.rows) |
	    select($f.judged[.] == "yes" and $f.part_of[.] == null and
	    ($f.gain_ns[.] == null or 50 * $f.gain_ns[.] >= $f.step_ns[.])) | [$f.src[.], $f.id[.], $f.problem[.]] | @tsv' | sort >page
	by_column out src id problem | sort | diff - page
}

@test "dlp ranks: steps with ranges of ops are left out, as in dlp FILE" {
	# an all-reduce a step, which is 1 us longer on rank 0, 200 in the last four:
	# three with ranges of ops, after one in which these begin
	for r in 0 1; do
		xz -dc "$ROOT/tests/data/alternate.sqlite.xz" >$r.db
		sqlite3 $r.db "UPDATE StringIds SET value = 'ncclDevKernel_AllReduce_Sum_f32' WHERE value = 'elementwise_kernel'"
	done
	sqlite3 0.db "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - iif(start > 73951455, 200000, 1000)
	    WHERE shortName = (SELECT id FROM StringIds WHERE value $NCCL)"
	for k in '' '-k iteration'; do
		dlp ranks -t total --tsv $k 0.db 1.db 2>/dev/null | cut -f 1,2,5
	done >got
	same "rank${TAB}sum_n_comm${TAB}sum_wait_ns
0${TAB}8${TAB}8000
1${TAB}8${TAB}0
rank${TAB}sum_n_comm${TAB}sum_wait_ns
0${TAB}12${TAB}808000
1${TAB}12${TAB}0" "$(cat got)"
}

@test "dlp-merge --ranks of parsed streams: the same" {
	for r in 0 1; do
		dlp-parse --src "$BATS_FILE_TMPDIR/ddp$r.db" |
		    dlp-correlate 2>/dev/null | dlp-iter -k iteration >"r$r.dlp"
	done
	dlp-merge --ranks r1.dlp r0.dlp | dlp-ranks >merged
	columns merged rank rank shift_ns n_coll spread_ns >got
	columns "$ALL" rank rank shift_ns n_coll spread_ns | diff - got
	for t in coll comm skew; do
		grep "^#*$t$TAB" merged | sed "s/ddp//" >got
		dlp-fmt --tsv -T $t merged | sed 's,[^	]*/ddp,ddp,' >got
		dlp-fmt --tsv -T $t "$ALL" | sed 's,[^	]*/ddp,ddp,' >want
		[ -s want ]
		diff want got
	done
}

@test "dlp-ranks without aligned clocks: waits, and who was last by them" {
	{ dlp-parse "$R0" "$R1" | dlp-ranks; } >out 2>err
	grep -q 'not aligned' err
	columns out coll kind nth comm_ns wait_ns >got
	columns "$ALL" coll kind nth comm_ns wait_ns | diff <(sort got) <(sort)
	columns out coll kind nth last | grep all_reduce | sort >got
	columns "$ALL" coll kind nth last | grep all_reduce | sort | diff - got
	[ "$(columns out coll spread_ns | sort -u)" = - ]
	[ "$(columns out coll kind last | grep broadcast | sort -u)" = \
	    "broadcast${TAB}-" ]
}

# bats test_tags=more
@test "dlp-ranks: two processes of one profile, without collectives" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	dlp-parse "$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite" 2>/dev/null |
	    dlp-ranks >out 2>err
	[ ! -s err ]
	[ "$(columns out comm rank pid n_comm exposed_ns)" = \
	    "0${TAB}111${TAB}0${TAB}0
1${TAB}112${TAB}0${TAB}0" ]
	# as with a rank record of the file
	same "$(dlp ranks -t comm --tsv "$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite" 2>/dev/null |
	    sed 1d | cut -f 2,4)" "$(columns out comm rank pid)"
}

# bats test_tags=more
@test "dlp-ranks: groups of some devices of one process (nvprof)" {
	need_data nvprof/nccl-8gpu-v16.sqlite
	f=$DATA/nvprof/nccl-8gpu-v16.sqlite
	dlp-parse "$f" 2>/dev/null | dlp-ranks >out
	# of each all-reduce the ends lie within a millisecond, and all are found
	[ "$(columns out arrive kind | grep -c all_reduce)" -eq \
	    "$(sqlite3 "file:$f?immutable=1" "SELECT count(*) FROM
	    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL k JOIN StringTable s
	    ON s._id_ = k.name WHERE value LIKE '%AllReduce%'")" ]
	columns out coll kind end_spread_ns n_rank | grep all_reduce >got
	awk '$2 > 1500000 { exit 1 }' got
	awk '$3 > 1 { n++ } END { exit n < 4 }' got
}

@test "dlp ranks, whatif --no-straggler: two ranks in one file, as in two" {
	cp "$R0" two.db # recorded in one session: the clock and texts are the same
	{
		echo "ATTACH '$R1' AS b;"
		for t in KERNEL MEMCPY MEMSET RUNTIME; do
			t=CUPTI_ACTIVITY_KIND_$t
			echo "INSERT INTO $t SELECT * FROM b.$t;"
		done
		echo "INSERT INTO NVTX_EVENTS SELECT * FROM b.NVTX_EVENTS;"
	} | sqlite3 two.db
	for t in total straggler; do
		same "$(dlp ranks -t $t --tsv "$R0" "$R1" 2>/dev/null)" \
		    "$(dlp ranks -t $t --tsv two.db 2>/dev/null)"
		same "$(dlp ranks -t $t --tsv two.db 2>/dev/null)" \
		    "$(dlp ranks -t $t --tsv "$BATS_FILE_TMPDIR/ranks.dlp" 2>/dev/null)"
	done
	dlp ranks -w 80 two.db 2>/dev/null | grep -qx 'Why rank 0 is late: dlp-parse --pid 572 two.db | dlp -'
	dlp whatif --no-straggler --tsv "$R0" "$R1" >two 2>/dev/null
	[ "$(wc -l <two)" -eq 5 ]
	dlp whatif --no-straggler --tsv two.db 2>/dev/null | diff two -
	dlp-parse two.db | dlp whatif --no-straggler --tsv - 2>/dev/null | diff two -
	# the steps of each, not from the start of the first to the end of the last
	for r in 'iters -c iter,dur_ns,step_ns,gpu_ns,idle_ns' join; do
		dlp $r --tsv "$R0" "$R1" 2>/dev/null | sed 1d | sort >two
		dlp $r --tsv two.db 2>/dev/null | sed 1d | sort | diff two -
	done
	# 2,633,374 ns of this GPU's steps, 28.6 ms
	dlp advise -a --tsv two.db 2>/dev/null |
	    grep -q "^gpu1${TAB}rank_wait${TAB}ours${TAB}yes${TAB}9.2$TAB"
	dlp two.db 2>/dev/null | grep -q 'Rank 0 (process 572, GPU 0) comes late'
}
