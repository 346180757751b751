# dlp-stats against the vendor's own tables of the same profiles. Tables that it
# has none of are in tests/cases/dlp/stats-*.

load ../lib

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
# A table that does not fit is the same as one that does.
# bats test_tags=all
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
