# Random small profiles (tests/random.awk): what the filters compute while
# they stream is what slow, obvious SQL finds in the whole file. SEEDS="4 5"
# tries others; a failure names its seed.

# bats file_tags=long
load lib

SEEDS=${SEEDS:-1 2 3 4 5 6 7 8}
TAB='	'

setup_file() {
	command -v sqlite3 >/dev/null || return 0
	for seed in ${SEEDS:-1 2 3 4 5 6 7 8}; do
		awk -v seed="$seed" -f "$ROOT/tests/random.awk" |
		    sqlite3 "$BATS_FILE_TMPDIR/$seed.db"
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate --ranges 2>/dev/null |
		    dlp-iter -k step >"$BATS_FILE_TMPDIR/$seed.dlp"
	done
}

setup() {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	cd "$BATS_TEST_TMPDIR" || return
}

# What the questions below have in common: calls with their GPU work, ops as
# the outermost ranges with a framework's text, unions of intervals.
VIEWS="
CREATE TEMP TABLE call AS SELECT start AS lo, end AS hi, globalTid AS tid,
    correlationId AS corr FROM CUPTI_ACTIVITY_KIND_RUNTIME;
CREATE INDEX temp.call1 ON call (tid, lo);
CREATE TEMP TABLE gpu AS
    SELECT 'kern' AS type, rowid AS idx, start AS lo, end AS hi, deviceId AS
	dev, streamId AS stream, globalPid AS pid, correlationId AS corr
	FROM CUPTI_ACTIVITY_KIND_KERNEL
    UNION ALL SELECT 'copy', rowid, start, end, deviceId, streamId, globalPid,
	correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY
    UNION ALL SELECT 'set', rowid, start, end, deviceId, streamId, globalPid,
	correlationId FROM CUPTI_ACTIVITY_KIND_MEMSET;
CREATE TEMP TABLE range AS SELECT rowid AS r, start AS lo, end AS hi, text,
    globalTid AS tid FROM NVTX_EVENTS;
CREATE INDEX temp.range1 ON range (tid, lo);
CREATE TEMP TABLE op AS SELECT * FROM range a WHERE text LIKE 'aten::%'
    AND NOT EXISTS (SELECT 1 FROM range b WHERE b.text LIKE 'aten::%'
	AND b.tid = a.tid AND b.lo < a.lo AND b.hi > a.hi);
CREATE TEMP TABLE work AS SELECT g.*, c.lo AS api, c.tid,
    (SELECT o.lo FROM op o WHERE o.tid = c.tid AND o.lo < c.lo
	AND o.hi > c.lo) AS op_lo
    FROM gpu g JOIN call c ON c.corr = g.corr AND c.tid & ~0xffffff = g.pid;
"

# ask SEED SQL
ask() {
	sqlite3 -bail -nullvalue - -separator "$TAB" \
	    "file:$BATS_FILE_TMPDIR/$1.db?immutable=1" "$VIEWS $2"
}

# columns SEED TYPE NAME...: these columns of a type, sorted.
columns() {
	local type=$2

	awk -F'\t' -v OFS='\t' -v t="$type" -v names="${*:3}" '
	BEGIN { n = split(names, name, " ") }
	$1 == "#" t { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == t {
		line = $p[name[1]]
		for (i = 2; i <= n; i++)
			line = line OFS $p[name[i]]
		print line
	}' "$BATS_FILE_TMPDIR/$1.dlp" | sort -n
}

# each_seed FUNCTION: it leaves the truth in ./want and ours in ./got.
each_seed() {
	local seed

	for seed in $SEEDS; do
		"$1" "$seed"
		sort -n -o want want
		diff want got >difference || {
			echo "seed $seed"
			head -n 20 difference
			return 1
		}
		[ -s want ]
	done
}

union="
    u AS (SELECT *, max(hi) OVER (PARTITION BY grp ORDER BY lo, hi
	ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS m FROM w),
    un AS (SELECT grp, sum(CASE WHEN m IS NULL OR lo >= m THEN hi - lo
	WHEN hi > m THEN hi - m ELSE 0 END) AS len, min(lo) AS lo,
	max(hi) AS hi, count(*) AS n FROM u GROUP BY grp)"

launches() {
	ask "$1" "SELECT idx, tid >> 24, tid & 0xffffff, api, lo, hi - lo, dev,
	    stream FROM work WHERE type = 'kern'" >want
	columns "$1" kern idx pid tid api_start_ns start_ns dur_ns dev stream \
	    >got
}

@test "a kernel and the call that launched it" {
	each_seed launches
}

layers() {
	ask "$1" "SELECT idx, op_lo, (SELECT group_concat(text, '/') FROM
	    (SELECT text FROM range r WHERE r.tid = w.tid AND r.lo < w.api
	    AND r.hi > w.api AND text LIKE 'layer %' ORDER BY r.lo)),
	    op_lo IS NULL
	    FROM work w WHERE type = 'kern'" >want
	columns "$1" kern idx op_start_ns layer why |
	    awk -F'\t' -v OFS='\t' '{ $4 = ($4 != "-") + 0; print }' >got
}

@test "a kernel's op and layers" {
	each_seed layers
}

runs() {
	ask "$1" "
	WITH w AS (SELECT tid || '.' || op_lo AS grp, lo, hi FROM work
	    WHERE op_lo IS NOT NULL), $union
	SELECT o.lo, o.hi - o.lo, o.tid >> 24, o.tid & 0xffffff, un.lo, un.hi,
	    coalesce(un.len, 0), o.hi - o.lo - a.ns,
	    coalesce(un.hi - un.lo - un.len, 0), a.ns,
	    (SELECT count(*) FROM work k WHERE k.type = 'kern'
		AND k.tid = o.tid AND k.op_lo = o.lo),
	    coalesce(un.n, 0), a.n
	FROM op o LEFT JOIN un ON un.grp = o.tid || '.' || o.lo
	JOIN (SELECT o.r, coalesce(sum(c.hi - c.lo), 0) AS ns, count(c.lo) AS n
	    FROM op o LEFT JOIN call c ON c.tid = o.tid AND c.lo > o.lo
	    AND c.lo < o.hi GROUP BY o.r) a ON a.r = o.r" >want
	columns "$1" inst start_ns dur_ns pid tid gpu_start_ns gpu_end_ns \
	    gpu_ns overhead_ns idle_ns api_ns n_kern n_gpu n_call >got
	sort -o want want
	sort -o got got
	sort -n -o got got
}

@test "the metrics of every run of an op" {
	each_seed runs
}

projections() {
	ask "$1" "
	WITH w AS (SELECT r.r AS grp, k.lo, k.hi FROM range r JOIN work k
	    ON k.tid = r.tid AND k.api > r.lo AND k.api < r.hi), $union
	SELECT r.lo, r.hi - r.lo, r.tid >> 24, r.tid & 0xffffff, r.text,
	    un.lo, un.hi, coalesce(un.len, 0), coalesce(un.n, 0),
	    (SELECT count(*) FROM range p WHERE p.tid = r.tid AND p.lo < r.lo
		AND p.hi > r.hi)
	FROM range r LEFT JOIN un ON un.grp = r.r" >want
	columns "$1" proj start_ns dur_ns pid tid text gpu_start_ns \
	    gpu_end_ns gpu_ns n_gpu level >got
}

@test "the projection of every range onto the GPU" {
	each_seed projections
}

# The step of a time: by the ranges of its own process; before its first, by
# those of the other one.
step="(SELECT substr(text, 6) + 0 FROM range r WHERE text LIKE 'step %'
    AND r.lo <= coalesce(op_lo, api) AND r.hi > coalesce(op_lo, api)
    AND (r.tid & ~0xffffff = w.tid & ~0xffffff OR NOT EXISTS (SELECT 1
	FROM range o WHERE o.text LIKE 'step %' AND o.tid & ~0xffffff =
	w.tid & ~0xffffff AND o.lo <= coalesce(op_lo, api))))"

steps() {
	ask "$1" "SELECT idx, $step FROM work w WHERE type = 'kern'" >want
	columns "$1" kern idx iter >got
}

@test "the iteration of every kernel, of two processes" {
	each_seed steps
}

iterations() {
	ask "$1" "
	WITH v AS (SELECT $step AS grp, lo, hi FROM work w),
	w AS (SELECT * FROM v WHERE grp IS NOT NULL), $union
	SELECT grp, (SELECT min(lo) FROM range WHERE text = 'step ' || grp),
	    lo, hi, len FROM un" >want
	columns "$1" iter iter start_ns gpu_start_ns gpu_end_ns gpu_ns >got
}

@test "the GPU time of every iteration" {
	each_seed iterations
}

aggregates() {
	ask "$1" "
	WITH w AS (SELECT dev || '${TAB}' || stream AS grp, lo, hi
	    FROM gpu), $union,
	q AS (SELECT grp, hi - lo AS d, row_number() OVER (PARTITION BY grp
	    ORDER BY hi - lo) AS k, count(*) OVER (PARTITION BY grp) AS n
	    FROM w)
	SELECT un.grp, un.n, (SELECT sum(d) FROM q WHERE q.grp = un.grp),
	    (SELECT d FROM q WHERE q.grp = un.grp AND k = (n * 90 + 99) / 100),
	    len FROM un" >want
	dlp-agg -T kern,copy,set -g dev,stream -a count,sum,p90,union \
	    "$BATS_FILE_TMPDIR/$1.dlp" | sed -n 's/^agg	//p' | sort -n >got
}

@test "dlp-agg: count, sum, percentile and union" {
	each_seed aggregates
}

@test "iterations while streaming and of the spooled stream: the same" {
	local n=0

	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate --ranges 2>/dev/null | dlp-iter >own 2>err
		[ ! -s err ] || continue # its steps cover too little
		n=$((n + 1))
		grep -v '^##cmd\|^#*iter	' own >got
		grep -v '^##cmd\|^#*iter	' "$BATS_FILE_TMPDIR/$seed.dlp" >want
		cmp want got
		diff <(grep '^iter	' own) \
		    <(grep '^iter	' "$BATS_FILE_TMPDIR/$seed.dlp")
	done
	[ $n -gt 0 ]
}

@test "two runs: the same bytes" {
	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate --ranges 2>/dev/null | dlp-iter -k step |
		    cmp - "$BATS_FILE_TMPDIR/$seed.dlp"
	done
}

@test "a stage again, behind all others: nothing is there twice" {
	for seed in $SEEDS; do
		dlp-flops "$BATS_FILE_TMPDIR/$seed.dlp" | dlp-iter --cuts -k step |
		    dlp-busy | dlp-gaps | dlp-phases | dlp-expose |
		    dlp-waits | dlp-mem | dlp-tree | dlp-ranks |
		    dlp-advise | grep -v '^##cmd' >once
		for c in flops busy gaps phases expose waits mem tree ranks \
		    advise 'iter --cuts -k step'; do
			# what ends a section comes in the order of the stages
			dlp-$c once | grep -v '^##cmd' | sort >twice
			sort once | cmp - twice ||
			    { echo "seed $seed: $c"; return 1; }
		done
	done
}

@test "two sections in one pipe: each as alone" {
	local a b
	# shellcheck disable=SC2086 # a list of numbers
	set -- $SEEDS
	a=$BATS_FILE_TMPDIR/$1 b=$BATS_FILE_TMPDIR/${2:-$1}
	{ dlp-parse "$a.db"; dlp-parse "$b.db"; } 2>/dev/null |
	    dlp-correlate --ranges 2>/dev/null | dlp-iter -k step |
	    grep -v '^##cmd' >together
	cat "$a.dlp" "$b.dlp" | grep -v '^##cmd' | cmp - together
	# and groups are those of all records
	dlp-agg -g dev -a count,sum <together | sed -n 's/^agg	//p' |
	    sort -n >got
	cat "$a.dlp" "$b.dlp" | awk -F'\t' '
	$1 == "#kern" { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == "kern" { n[$p["dev"]]++; s[$p["dev"]] += $p["dur_ns"] }
	END { for (d in n) print d "\t" n[d] "\t" s[d] }' | sort -n >want
	diff want got
}

# keeps SEED FILTERS: GPU work and calls with their columns, and their order,
# behind the filters as before them.
keeps() {
	local type cols

	dlp-parse "$BATS_FILE_TMPDIR/$1.db" 2>/dev/null >in
	bash -o pipefail -c "$2" <in >out 2>err || { cat err; return 1; }
	for type in kern copy set call; do
		cols=$(sed -n "s/^#$type	//p" in)
		diff <(fields in $type $cols) <(fields out $type $cols) >d ||
		    { head d; echo "seed $1: $2: $type"; return 1; }
	done
	[ "$(grep -vc '^#' out)" -eq "$(sed -n 's/^##end	//p' out)" ]
}

# fields FILE TYPE NAME...: these columns of a type, as they stand.
fields() {
	awk -F'\t' -v OFS='\t' -v t="$2" -v names="${*:3}" '
	BEGIN { n = split(names, name, " ") }
	$1 == "#" t { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == t {
		line = ""
		for (i = 1; i <= n; i++)
			line = line OFS (name[i] in p ? $p[name[i]] : "-")
		print line
	}' "$1"
}

@test "no filter loses or changes GPU work or a call, nor their order" {
	for seed in $SEEDS; do
		keeps "$seed" 'dlp-correlate | dlp-iter'
		keeps "$seed" 'dlp-correlate --ranges | dlp-iter -k step'
		keeps "$seed" 'dlp-correlate -D | dlp-iter -D | dlp-flops'
		keeps "$seed" 'dlp-correlate | dlp-iter --cuts --stable |
		    dlp-flops | dlp-rate -T kern | dlp-busy | dlp-phases |
		    dlp-gaps | dlp-expose | dlp-waits | dlp-mem | dlp-tree |
		    dlp-ranks | dlp-advise | dlp-markers'
	done
}

# Apart by process, by thread, at random; what has no time is in both parts.
@test "dlp-merge of a stream in parts: the stream" {
	local cols='idx start_ns dur_ns pid tid dev stream short api api_start_ns'

	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null >in
		for by in pid tid random; do
			awk -F'\t' -v by=$by -v seed="$seed" '
			BEGIN { srand(seed) }
			/^#[a-z]/ { for (i = 2; i <= NF; i++)
				at[substr($1, 2), $i] = i }
			/^##end/ {
				for (i = 0; i < 2; i++)
					print $1 "\t" n[i] + 0 >("part" i)
				next
			}
			/^#/ || !(($1, "start_ns") in at) {
				for (i = 0; i < 2; i++) {
					print >("part" i)
					n[i] += !/^#/
				}
				next
			}
			{
				i = by == "random" ? int(rand() * 2) : \
				    $at[$1, by] % 2
				print >("part" i)
				n[i]++
			}' in
			dlp-merge part0 part1 >whole 2>err
			for type in kern copy set call range; do
				for f in in whole; do
					fields $f $type $cols | sort >$f.rows
				done
				diff in.rows whole.rows >d ||
				    { head d; echo "seed $seed by $by: $type"; return 1; }
			done
			# in launch order
			awk -F'\t' '
			/^#[a-z]/ { for (i = 2; i <= NF; i++)
				at[substr($1, 2), $i] = i }
			!/^#/ && (($1, "start_ns") in at) {
				t = $at[$1, "start_ns"]
				if (($1, "api_start_ns") in at &&
				    $at[$1, "api_start_ns"] != "-")
					t = $at[$1, "api_start_ns"]
				if (t + 0 < last + 0)
					exit bad = 1
				last = t
			}
			END { exit bad }' whole
			rm part0 part1
		done
	done
}

# Of the intervals behind dlp-busy, in awk: what a device does at a moment is
# the first of kernel, graph and memory.
@test "dlp-busy: kernels and memory are the unions of the device's work" {
	for seed in $SEEDS; do
		dlp-parse "$BATS_FILE_TMPDIR/$seed.db" 2>/dev/null |
		    dlp-correlate 2>/dev/null >in
		dlp-busy in 2>/dev/null | awk -F'\t' '
		$1 == "#busy" { for (i = 2; i <= NF; i++) p[$i] = i }
		$1 == "busy" {
			d[$p["dev"]] = 1
			ns[$p["dev"], $p["class"]] += $p["dur_ns"]
		}
		END { for (k in d) print k, ns[k, "kern"], ns[k, "mem"] }' |
		    sort >got
		for type in kern copy set; do
			fields in $type dev start_ns dur_ns | awk -v t=$type '
			{ print $1, t == "kern" ? 0 : 1, $2, $2 + $3 }'
		done | sort -k1,1n -k3,3n | awk '
		function end_dev() {
			if (NR > 1)
				print dev, kern, all - kern
		}
		NR == 1 || $1 != dev {
			end_dev()
			dev = $1
			all = kern = 0
			to_all = to_kern = -1e18
		}
		{
			lo = $3 > to_all ? $3 : to_all
			if ($4 > lo) { all += $4 - lo; to_all = $4 }
			lo = $3 > to_kern ? $3 : to_kern
			if (!$2 && $4 > lo) { kern += $4 - lo; to_kern = $4 }
		}
		END { end_dev() }' | sort >want
		[ -s want ]
		diff want got || { echo "seed $seed"; return 1; }
	done
}

@test "dlp-agg in a memory of 4 KB and of 64 MB: the same bytes" {
	for seed in $SEEDS; do
		for options in '-g short,iter -a count,sum,p50,p99,std' \
		    '-g op,dir,dev -a union,max,first:short' \
		    '--sort -dur_ns,idx' '--sort short -n 7 --rest -g short'; do
			for size in 4K 64M; do
				# shellcheck disable=SC2086 # words
				dlp-agg -T kern -S $size $options \
				    "$BATS_FILE_TMPDIR/$seed.dlp" |
				    grep -v '^##cmd' >$size
			done
			cmp 4K 64M || { echo "seed $seed: $options"; return 1; }
		done
	done
}
