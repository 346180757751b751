# dlp-stats against the vendor's own tables of the same profiles, and against
# SQL where there are none.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Byte for byte; where its program died on a name that is no UTF-8, ours has
# more rows.
@test "the tables of nsys stats, row for row, in their order" {
	n=0 bad=0
	for f in "$DATA"/h200/stats/*; do
		b=${f##*/}
		b=${b%.csv}
		cp "$f" want
		s=${b%%.*}.s
		[ -e "$s" ] || dlp-parse "$(profile h200/"${b%%.*}".sqlite.xz)" >"$s"
		dlp-stats -r "${b#*.}" -f csv "$s" >got
		if [ "$b" = everything.nvtx_sum ]; then
			sort want >want.s
			sort got | comm -23 want.s - >left
			[ "$(wc -l <got)" -gt "$(wc -l <want)" ]
		else
			diff want got >left || :
		fi
		if [ -s left ]; then
			echo "$b"
			head -n 4 left
			bad=1
		fi
		n=$((n + 1))
	done
	echo "$n tables"
	[ $bad = 0 ] && [ $n -ge 79 ]
}

profiles() {
	echo "$LENET"
	for p in gpt2_bf16 resnet50_tf32 loader graph_infer_node zoo everything; do
		profile h200/$p.sqlite.xz
	done
}

# sums QUERY: the summary of a query of k and v.
sums() {
	cat <<-EOT
	.mode tabs
	WITH e AS ($1),
	r AS (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) i,
	    count(*) OVER (PARTITION BY k) n, avg(v) OVER (PARTITION BY k) m
	    FROM e)
	SELECT printf('%.1f', sum(v) * 100.0 / (SELECT sum(v) FROM e)),
	    sum(v), count(*), printf('%.1f', avg(v)),
	    printf('%.1f', avg(CASE WHEN i IN ((n + 1) / 2, (n + 2) / 2)
		THEN v END)), min(v), max(v),
	    printf('%.1f', CASE WHEN n < 2 THEN 0 ELSE
		sqrt(sum((v - m) * (v - m)) / (n - 1)) END), k
	FROM r GROUP BY k;
	EOT
}

KERNELS="CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = demangledName"

@test "cuda_gpu_kern_gb_sum equals SQL" {
	sums "SELECT printf('%4d %4d %4d', gridX, gridY, gridZ) || char(9) ||
	    printf('%4d %4d %4d', blockX, blockY, blockZ) || char(9) || value k,
	    end - start v FROM $KERNELS" >sql
	for p in $(profiles); do
		sqlite3 -readonly "$p" <sql | sort >want
		dlp-parse "$p" | dlp-stats -r cuda_gpu_kern_gb_sum -f tsv |
		    sed 1d | sort >got
		cmp want got
	done
}

@test "cuda_gpu_kern_sum by short and by mangled names equals SQL" {
	for m in base:shortName mangled:mangledName; do
		sums "SELECT value k, end - start v FROM
		    CUPTI_ACTIVITY_KIND_KERNEL k
		    JOIN StringIds s ON s.id = ${m#*:}" >sql
		for p in $(profiles); do
			sqlite3 -readonly "$p" <sql | sort >want
			dlp stats -r "cuda_gpu_kern_sum:${m%:*}" -f tsv "$p" |
			    sed 1d | sort >got
			cmp want got
		done
	done
}

@test "cuda_gpu_sum equals SQL" {
	sums "SELECT 'CUDA_KERNEL' || char(9) || value k, end - start v
	    FROM $KERNELS UNION ALL
	    SELECT 'MEMORY_OPER' || char(9) || '[CUDA memcpy ' ||
	    CASE copyKind WHEN 1 THEN 'Host-to-Device' WHEN 2 THEN
	    'Device-to-Host' WHEN 8 THEN 'Device-to-Device' END || ']',
	    end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
	    SELECT 'MEMORY_OPER' || char(9) || '[CUDA memset]', end - start
	    FROM CUPTI_ACTIVITY_KIND_MEMSET" >sql
	for p in $(profiles); do
		sqlite3 -readonly "$p" <sql | sort >want
		dlp-parse "$p" | dlp-stats -r cuda_gpu_sum -f tsv |
		    sed 1d | sort >got
		cmp want got
	done
}

# Of everything, some texts have TABs and the like.
@test "nvtx_pushpop_sum and nvtx_startend_sum equal SQL" {
	for r in pushpop:59 startend:60; do
		sums "SELECT coalesce(d.text, '') || ':' ||
		    coalesce(n.text, value, '') k, n.end - n.start v
		    FROM NVTX_EVENTS n LEFT JOIN StringIds ON id = n.textId
		    LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND
			d.domainId = n.domainId AND
			d.globalTid >> 24 = n.globalTid >> 24
		    WHERE n.eventType = ${r#*:} AND n.end IS NOT NULL" >sql
		for p in $(profiles); do
			sqlite3 -readonly "$p" <sql | LC_ALL=C grep -a '^[0-9.]*	' |
			    grep -av 'tab	\|newline\|carriage\|bad utf8\|\\' | sort >want
			dlp-parse "$p" | dlp-stats -r nvtx_${r%:*}_sum -f tsv |
			    sed 1d | grep -av '\\' | sort >got
			comm -23 want got | sed 5q
			[ "$(comm -23 want got | wc -l)" -eq 0 ]
			[ "$(comm -13 want got | wc -l)" -eq 0 ]
		done
	done
}

@test "osrt_sum equals SQL" {
	sums "SELECT value k, end - start v FROM OSRT_API
	    JOIN StringIds ON id = nameId WHERE eventClass = 27" >sql
	for p in loader everything; do
		p=$(profile h200/$p.sqlite.xz)
		sqlite3 -readonly "$p" <sql | sort >want
		dlp-parse "$p" | dlp-stats -r osrt_sum -f tsv |
		    sed 1d | sort >got
		[ -s want ]
		cmp want got
	done
}

@test "cuda_gpu_trace equals SQL" {
	cat >sql <<-EOT
	.mode tabs
	SELECT start, end - start, correlationId, gridX, gridY, gridZ,
	    blockX, blockY, blockZ, registersPerThread,
	    printf('%.3f', staticSharedMemory / 1e6),
	    printf('%.3f', dynamicSharedMemory / 1e6), '', '', '', '',
	    g.name || ' (' || deviceId || ')', contextId, '', streamId, value
	FROM $KERNELS JOIN TARGET_INFO_GPU g ON cuDevice = deviceId;
	SELECT start, end - start, correlationId, '', '', '', '', '', '', '',
	    '', '', printf('%.3f', bytes / 1e6),
	    printf('%.3f', bytes * (1000000000 / (end - start)) / 1e6),
	    CASE srcKind WHEN 0 THEN 'Pageable' WHEN 1 THEN 'Pinned'
		WHEN 2 THEN 'Device' END,
	    CASE dstKind WHEN 0 THEN 'Pageable' WHEN 1 THEN 'Pinned'
		WHEN 2 THEN 'Device' END,
	    g.name || ' (' || deviceId || ')', contextId, '', streamId,
	    '[CUDA memcpy ' || CASE copyKind WHEN 1 THEN 'Host-to-Device'
		WHEN 2 THEN 'Device-to-Host' WHEN 8 THEN 'Device-to-Device'
		END || ']'
	FROM CUPTI_ACTIVITY_KIND_MEMCPY
	    JOIN TARGET_INFO_GPU g ON cuDevice = deviceId;
	SELECT start, end - start, correlationId, '', '', '', '', '', '', '',
	    '', '', printf('%.3f', bytes / 1e6),
	    printf('%.3f', bytes * (1000000000 / (end - start)) / 1e6),
	    CASE memKind WHEN 2 THEN 'Device' WHEN 1 THEN 'Pinned' END, '',
	    g.name || ' (' || deviceId || ')', contextId, '', streamId,
	    '[CUDA memset]'
	FROM CUPTI_ACTIVITY_KIND_MEMSET
	    JOIN TARGET_INFO_GPU g ON cuDevice = deviceId;
	EOT
	for p in $(profiles); do
		sqlite3 -readonly "$p" <sql | sort >want
		dlp-parse "$p" | dlp-stats -r cuda_gpu_trace -f tsv |
		    sed 1d >got
		sort -s -c -n -k 1,1 got
		sort got | cmp want -
	done
}

# Durations and throughputs of copies of 4 MiB as nsys stats 2026.3.1 printed
# them: the whole number of such copies in a second, times their size.
@test "cuda_gpu_trace: the throughput of copies is the vendor's" {
	cat >want <<-EOT
	661398 6337.593
	660534 6345.982
	542802 7725.908
	520818 8053.064
	526641 7960.789
	EOT
	{
		printf '#copy\tid\tstart_ns\tdur_ns\tkind\tbytes\n'
		awk -v OFS='\t' '{ print "copy", NR, NR, $1, "HtoD", 4194304 }' want
	} | dlp-stats -r cuda_gpu_trace -f tsv | sed 1d | cut -f 2,14 |
	    tr '\t' ' ' >got
	cmp want got
}

@test "cuda_kern_exec_trace equals SQL" {
	cat >sql <<-EOT
	.mode tabs
	SELECT r.start, r.end - r.start,
	    CASE WHEN k.start > r.end THEN r.end ELSE '' END,
	    CASE WHEN k.start > r.end THEN k.start - r.end ELSE '' END,
	    k.start, k.end - k.start, max(k.end, r.end) - r.start,
	    (r.globalTid >> 24) & 0xffffff, r.globalTid & 0xffffff, deviceId,
	    CASE substr(a.value, -6, 2) WHEN '_v'
		THEN substr(a.value, 1, length(a.value) - 6) ELSE a.value END,
	    printf('%4d %4d %4d', gridX, gridY, gridZ),
	    printf('%4d %4d %4d', blockX, blockY, blockZ), s.value
	FROM $KERNELS
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
	    ON r.correlationId = k.correlationId
		AND r.globalTid >> 24 = k.globalPid >> 24
	JOIN StringIds a ON a.id = r.nameId;
	EOT
	for p in $(profiles); do
		sqlite3 -readonly "$p" <sql | sort >want
		dlp-parse "$p" | dlp-stats -r cuda_kern_exec_trace -f tsv |
		    sed 1d >got
		sort -s -c -n -k 1,1 got
		sort got | cmp want -
	done
}

# The trace adds up to the summary, which equals the vendor's; ids, parents
# and children agree.
@test "nvtx_gpu_proj_trace adds up to nvtx_gpu_proj_sum" {
	for p in $(profiles); do
		dlp-parse "$p" |
		    dlp-stats -r nvtx_gpu_proj_trace,nvtx_gpu_proj_sum -f tsv |
		    awk -F '\t' '
		!NF { sum = 1; next }
		$1 == "Name" || $1 == "Range" { next }
		sum {
			k = $1 FS $6 FS $2
			seen++
			if (t[$1, $2] != $3 || c[$1, $2] != $4 ||
			    n[$1, $2] != $5 || g[$1, $2] != $11)
				bad++
			next
		}
		$12 == "" { if ($1 != "") bad++; next }
		{
			if (!(($1, $6) in n))
				groups++
			n[$1, $6]++
			t[$1, $6] += $3
			c[$1, $6] += $5
			g[$1, $6] += $9
			lvl[$12] = $10
			par[$12] = $13
			want[$12] = $11
			if ($13 != "")
				child[$13]++
			if ($14 !~ (":" $12 "$") ||
			    gsub(/:/, ":", $14) != $10 + 1)
				bad++
		}
		END {
			for (i in want) {
				if (want[i] != child[i] + 0)
					bad++
				if (par[i] != "" && lvl[i] != lvl[par[i]] + 1)
					bad++
			}
			print bad + 0, groups - seen
		}' >got
		echo "$p"
		same "0 0" "$(cat got)"
	done
}

@test "all reports at once are those one by one" {
	all=$(dlp-stats -l | awk '{ print $1 }' | paste -sd, -)
	dlp-parse "$LENET" >s
	dlp-stats -r "$all" -f csv s 2>/dev/null >got
	first=1
	for r in $(dlp-stats -l | awk '{ print $1 }'); do
		dlp-stats -r "$r" -f csv s 2>/dev/null >one
		[ -s one ] || continue
		[ $first ] || echo
		first=
		cat one
	done >want
	cmp want got
}

@test "old names, formats, several files" {
	dlp stats -r gpukernsum -f csv "$LENET" >old
	dlp stats -r cuda_gpu_kern_sum --csv "$LENET" >new
	cmp old new
	for r in cuda_gpu_kern_sum cuda_gpu_kern_sum,osrt_sum; do
		dlp stats -r $r -f json "$LENET" 2>/dev/null | jq -e . >x
		dlp stats -r $r -f json "$LENET" "$LENET" 2>/dev/null |
		    jq -e '.[0].file' >x
	done
	[ "$(dlp stats -r cuda_gpu_kern_sum -f json "$LENET" |
	    jq 'map(."Total Time (ns)") | add')" = "$(sqlite3 "$LENET" \
	    'SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL')" ]
	dlp stats -r cuda_gpu_kern_sum -f csv "$LENET" "$LENET" >two
	same "$(cat new; echo; cat new)" "$(cat two)"
	rc=0
	dlp stats -r cuda_gpu_kern_sum -f csv "$LENET" no.sqlite >x || rc=$?
	[ $rc -eq 2 ]
	cmp new x
}

@test "a stream of dlp-correlate has fewer ranges, which is said" {
	dlp-parse --rows "$LENET" >parsed
	dlp-stats -r nvtx_sum -f csv parsed >want
	dlp-correlate parsed >fewer
	dlp-stats -r nvtx_sum -f csv fewer 2>err >got
	[ "$(cat err)" = "dlp-stats: dlp-correlate left out ranges, which are\
 missing from tables of ranges: its option -r keeps them" ]
	[ "$(wc -l <got)" -lt "$(wc -l <want)" ]
	dlp-stats -r cuda_api_sum -f csv fewer 2>err | cat
	[ ! -s err ]
	for o in -r --ranges -ur; do
		dlp-correlate $o parsed | dlp-stats -r nvtx_sum -f csv 2>err |
		    diff want -
		[ ! -s err ]
	done
}

@test "an unknown report: the nearest one is named" {
	for w in "cuda_gpu_ker_sum cuda_gpu_kern_sum" "nvtx_kernsum nvtx_kern_sum" \
	    "osrtsums osrt_sum"; do
		rc=0
		dlp stats -r "${w% *}" "$LENET" 2>err || rc=$?
		[ $rc -eq 2 ]
		grep "did you mean ${w#* }?" err
		[ "$(wc -l <err)" -eq 1 ]
	done
}

# The titles are those of nsys stats; a report without rows prints nothing.
@test "without -r: the reports of nsys stats without -r" {
	dlp stats "$LENET" 2>err | grep '^ \*\* ' >got
	cat >want <<-EOT
	 ** NVTX Range Summary (nvtx_sum):
	 ** CUDA API Summary (cuda_api_sum):
	 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):
	 ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):
	 ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):
	EOT
	cmp want got
	same "dlp-stats: osrt_sum: nothing of this in the profile" "$(cat err)"
	dlp stats -r nvtx_sum -f csv --report=cuda_api_sum "$LENET" >got
	dlp stats -r nvtx_sum,cuda_api_sum -f csv "$LENET" >want
	cmp want got
	dlp stats -r help >got
	dlp-stats --list >want
	cmp want got
	[ "$(wc -l <got)" -eq 19 ]
}

# in_ranges COLUMNS: a query of kernels with all ranges around their calls.
in_ranges() {
	cat <<-EOT
	.mode tabs
	WITH e AS (SELECT n.rowid range, n.end - n.start len, n.text,
	    CASE WHEN n.rowid THEN coalesce(d.text, '') || ':' ||
		coalesce(n.text, v.value, '') END name,
	    CASE n.eventType WHEN 59 THEN 'PushPop' WHEN 60 THEN 'StartEnd'
		END style,
	    k.rowid kern, k.end - k.start dur, k.name kernel,
	    r.globalTid >> 24 & 0xffffff pid, r.globalTid & 0xffffff tid
	FROM (SELECT k.rowid, k.*, value name
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k
		JOIN StringIds s ON s.id = $1) k
	LEFT JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
	    ON r.correlationId = k.correlationId
		AND r.globalTid >> 24 = k.globalPid >> 24
	LEFT JOIN NVTX_EVENTS n ON n.globalTid = r.globalTid
	    AND n.eventType IN (59, 60) AND n.endGlobalTid IS NULL
	    AND n.start <= r.start AND n.end >= r.end
	LEFT JOIN StringIds v ON v.id = n.textId
	LEFT JOIN NVTX_EVENTS d ON d.eventType = 75
	    AND d.domainId = n.domainId
	    AND d.globalTid >> 24 = n.globalTid >> 24)
	EOT
}

# Also with the names that the vendor's tables are not there for, and with
# kernels that lost their call.
@test "nvtx_kern_sum equals SQL" {
	in_ranges shortName >sql
	cat >>sql <<-EOT
	, g AS (SELECT *, row_number() OVER (PARTITION BY name, style, pid, tid,
	    kernel ORDER BY dur) i, count(*) OVER (PARTITION BY name, style,
	    pid, tid, kernel) n, avg(dur) OVER (PARTITION BY name, style, pid,
	    tid, kernel) m FROM e)
	SELECT name, style, pid, tid, count(DISTINCT range),
	    count(DISTINCT kern), sum(dur), printf('%.1f', avg(dur)),
	    printf('%.1f', avg(CASE WHEN i IN ((n + 1) / 2, (n + 2) / 2)
		THEN dur END)), min(dur), max(dur),
	    printf('%.1f', CASE WHEN n < 2 THEN 0 ELSE
		sqrt(sum((dur - m) * (dur - m)) / (n - 1)) END), kernel
	FROM g GROUP BY name, style, pid, tid, kernel
	ORDER BY name, pid, tid, sum(dur) DESC, style, kernel;
	EOT
	for p in "$LENET" h200/loader.sqlite.xz; do
		if [ "$p" = "$LENET" ]; then
			cp "$p" db
		elif [ -e "$DATA/$p" ]; then
			cp "$(profile "$p")" db
		else
			continue
		fi
		chmod u+w db
		sqlite3 db "CREATE INDEX c ON CUPTI_ACTIVITY_KIND_RUNTIME
		    (correlationId);
		    CREATE INDEX t ON NVTX_EVENTS (globalTid, start);
		    DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE
		    correlationId IN (SELECT correlationId FROM
		    CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 9);"
		sqlite3 db <sql >want
		dlp stats -r nvtx_kern_sum:base -f tsv db | sed 1d >got
		[ "$(grep -c '^			' want)" -gt 0 ]
		cmp want got
	done
}

# The innermost range is the last one that began.
@test "cuda_gpu_kern_sum:nvtx-name equals SQL" {
	in_ranges shortName >sql
	cat >>sql <<-EOT
	, k AS (SELECT kern, dur, kernel, text, max(range) FROM e GROUP BY kern)
	SELECT sum(dur), count(*), coalesce(text || '/', '') || kernel FROM k
	GROUP BY 3 ORDER BY 1 DESC, 2, 3;
	EOT
	sqlite3 -readonly "$LENET" <sql >want
	dlp stats -r cuda_gpu_kern_sum:nvtx-name:base -f tsv "$LENET" |
	    sed 1d | cut -f 2,3,9 >got
	cmp want got
}

@test "what is wrong on the command line" {
	for a in "-r nothing" "-r cuda_api_sum:base" "-r nvtx_sum,nvtx_sum" \
	    "-r nvtx_sum -r nvtx_sum" "-r cuda_api_sum -f xml" "-r ," \
	    "-r nvtx_kern_sum:nvtx-name" "-r cuda_gpu_sum:base:mangled" \
	    "-r cuda_gpu_sum:nvtx-name:nvtx-name" "-r cuda_gpu_sum:"; do
		rc=0
		dlp-stats $a <"$ROOT/tests/cases/dlp-stats/ranges/in" \
		    >out 2>err || rc=$?
		echo "$a"
		cat err
		[ $rc -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
	done
}

# A table that does not fit is the same as one that does.
# bats test_tags=long
@test "tables beyond their memory" {
	awk 'BEGIN {
		srand(7)
		OFS = "\t"
		print "##dlp", 1
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", \
		    "end_tid", "domain", "mode", "text"
		for (i = 1; i <= 600000; i++) {
			d = int(rand() * 1000)
			print "range", i, i * 1000, d, 1, 1, "-", "", "push", \
			    "a rather long name of a range number " i % 350000
		}
		print "##end", 600000
	}' >s
	dlp-stats -r nvtx_pushpop_sum -f tsv s | sed 1d | cut -f 2- |
	    sort -t '	' -k 8 >got
	awk -F '\t' -v OFS='\t' '$1 == "range" {
		k = ":" $10
		n[k]++
		s[k] += $4
		v[k, n[k]] = $4
	} END {
		for (k in n) {
			a = v[k, 1]
			b = n[k] > 1 ? v[k, 2] : a
			if (a > b) { x = a; a = b; b = x }
			print s[k], n[k], sprintf("%.1f", s[k] / n[k]), \
			    sprintf("%.1f", s[k] / n[k]), a, b, k
		}
	}' s | sort -t '	' -k 7 >want
	[ "$(wc -l <want)" -eq 350000 ]
	cut -f 1-6,8 got | cmp want -
}

# numbered N: ranges with a kernel each, whose names are nearly all different
# and differ in their numbers, with what stands behind those.
numbered() {
	awk -v n="$1" 'BEGIN {
		srand(5)
		OFS = "\t"
		split("aten::add_, op_id = |a|[[|], x|, |a]|~|_||:| é", part, "|")
		print "##dlp", 1
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", \
		    "end_tid", "domain", "mode", "text"
		print "#kern", "id", "start_ns", "dur_ns", "pid", "tid", \
		    "dev", "api_start_ns", "api_dur_ns", "short"
		for (i = 1; i <= n; i++) {
			s = ""
			for (k = int(rand() * 4); k >= 0; k--) {
				s = s part[1 + int(rand() * 11)]
				if (rand() < .9)
					s = s (rand() < .1 ? "0" : "") \
					    int(exp(rand() * 16))
			}
			print "range", 2 * i, i * 1000, 900, 1, 1, "-", "", \
			    "push", s
			print "kern", 2 * i + 1, i * 1000 + 50, i % 97, 1, 1, \
			    0, i * 1000 + 10, 5, "k"
		}
		print "##end", 2 * n
	}'
}

@test "names that differ in their numbers: in the order of their bytes" {
	numbered 60000 >s
	awk -F '\t' -v OFS='\t' '$1 == "range" { s = ":" $10 }
	$1 == "kern" {
		n[s]++
		t[s] += $4
	}
	END {
		for (s in n)
			print s, n[s], t[s]
	}' s | LC_ALL=C sort -t '	' -k 1,1 >want
	[ "$(wc -l <want)" -gt 50000 ]
	for m in 48M 1M 100K; do
		dlp-stats -S $m -r nvtx_kern_sum -f tsv s | sed 1d |
		    cut -f 1,6,7 >got
		cmp want got
	done
	LC_ALL=C sort -t '	' -s -k 3,3nr want >by_time
	for m in 48M 1M; do
		dlp-stats -S $m -r nvtx_gpu_proj_sum -f tsv s | sed 1d |
		    cut -f 1,3,5 >got
		awk -F '\t' -v OFS='\t' '{ print $1, $3, $2 }' by_time | cmp - got
	done
}

@test "a long table that cannot be written" {
	numbered 40000 >s
	for f in csv json column; do
		for r in nvtx_gpu_proj_sum nvtx_gpu_proj_sum,nvtx_kern_sum; do
			rc=0
			dlp-stats -S 1M -r $r -f $f s >/dev/full 2>err || rc=$?
			echo "$f $r"
			cat err
			same '2 1' "$rc $(wc -l <err)"
			rc=0
			{
				dlp-stats -S 1M -r $r -f $f s 2>err || rc=$?
				echo $rc >rc
			} | head -n 1 >/dev/null
			same '141 0' "$(<rc) $(wc -l <err)"
		done
	done
	rc=0
	TMPDIR=$PWD/none dlp-stats -S 1M -r nvtx_kern_sum s >out 2>err || rc=$?
	same '2 1 0' "$rc $(wc -l <err) $(wc -c <out)"
	# a file that cannot grow: the run's, not ours
	rc=0
	(
		trap '' XFSZ
		ulimit -f 50
		dlp-stats -S 1M -r nvtx_kern_sum -f csv s 2>err | cat >/dev/null
		exit "${PIPESTATUS[0]}"
	) || rc=$?
	same '2 1' "$rc $(wc -l <err)"
}

# bats test_tags=long
@test "dlp stats reads only what the reports are made of: the same tables" {
	n=0
	for f in "$LENET" "$DATA"/nsys/*2gpu*.sqlite "$DATA"/nsys/cudf*.sqlite \
	    "$DATA"/nsys/cuda-graph-trace*.sqlite; do
		[ -e "$f" ] || continue
		dlp-parse --rows "$f" 2>/dev/null >s
		for r in $(dlp-stats -l | cut -d ' ' -f 1) \
		    cuda_gpu_kern_sum:nvtx-name cuda_gpu_trace:nvtx-name; do
			dlp-stats -r "$r" -f csv s >want 2>/dev/null
			dlp stats -r "$r" --csv "$f" >got 2>/dev/null
			echo "$f $r"
			cmp want got
			n=$((n + $(wc -l <want)))
		done
	done
	[ "$n" -gt 100 ]
	same kern "$(dlp-stats --needs -r cuda_gpu_kern_sum)"
	same kern,copy,set,range,os "$(dlp-stats \
	    --needs -r osrt_sum,cuda_gpu_sum -r nvtx_sum)"
	rc=0
	dlp stats -r nosuch "$LENET" 2>err || rc=$?
	same '2 1' "$rc $(wc -l <err)"
	# what is not there is told once, of a kind that was asked for alone
	dlp-parse -T kern,copy,sync,graph "$LENET" 2>err >/dev/null
	same '' "$(<err)"
	dlp-parse -T graph "$LENET" 2>&1 >/dev/null | grep 'no graph records'
}
