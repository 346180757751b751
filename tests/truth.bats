# The whole pipeline on the shipped and on all real profiles: what comes out
# at its end, added up in several ways, is what SQL finds in the file.

# bats file_tags=long
load lib
bats_require_minimum_version 1.5.0

TAB='	'

setup_file() {
	export STREAMS=$BATS_FILE_TMPDIR
	whole "$LENET" >"$STREAMS/lenet.dlp"
	printf '%s\n' "$LENET" >"$STREAMS/lenet.db"
	all_profiles | while IFS= read -r f; do
		name=$(basename "${f%.xz}" .sqlite)
		profile "$f" >"$STREAMS/$name.db"
		whole "$(cat "$STREAMS/$name.db")" >"$STREAMS/$name.dlp" &&
		    continue
		# only what dlp-parse refuses may fail
		! dlp-parse "$DATA/$f" >/dev/null 2>&1 || exit 1
		rm "$STREAMS/$name.db" "$STREAMS/$name.dlp"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# whole FILE: the pipeline's stream; no stage may fail but for a file without
# anything in it.
whole() {
	bash -o pipefail -c 'dlp-parse "$1" | dlp-correlate --ranges |
	    dlp-iter | dlp-flops' - "$1" 2>/dev/null
}

# each FUNCTION: calls it with name, stream and database of each profile.
each() {
	local f name

	command -v sqlite3 >/dev/null || skip "no sqlite3"
	for f in "$STREAMS"/*.dlp; do
		name=$(basename "$f" .dlp)
		"$1" "$name" "$f" "$(cat "$STREAMS/$name.db")" || {
			echo "profile $name"
			return 1
		}
	done
}

sql() {
	sqlite3 -readonly -separator "$TAB" "file:$1?immutable=1" "$2"
}

# A database's kernels: number, sum of durations.
kernels_by_sql() {
	local t n

	for t in CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL \
	    CUPTI_ACTIVITY_KIND_KERNEL; do
		n=$(sql "$1" "SELECT count(*) FROM sqlite_master
		    WHERE type = 'table' AND name = '$t'")
		[ "$n" = 1 ] || continue
		sql "$1" "SELECT count(*), coalesce(sum(end - start), 0) FROM $t"
		return
	done
	# a database of DLProf's
	n=$(sql "$1" "SELECT count(*) FROM sqlite_master
	    WHERE type = 'table' AND name = 'read_only_kernels'")
	if [ "$n" = 1 ]; then
		sql "$1" "SELECT count(*), coalesce(sum(gpu_stop - gpu_start), 0)
		    FROM read_only_kernels"
		return
	fi
	printf '0\t0\n'
}

# added TYPES COLUMNS <STREAM: number and sum of all groups of dlp-agg.
added() {
	dlp-agg -T "$1" -g "$2" -a count,sum -f dur_ns | awk -F'\t' '
	/^#agg/ { for (i = 1; i <= NF; i++) p[$i] = i }
	$1 == "agg" { n += $p["n"]; s += $p["sum_dur_ns"] }
	END { printf "%.0f\t%.0f\n", n, s }'
}

kernel_sums() {
	local want by

	want=$(kernels_by_sql "$3")
	for by in dev dev,stream op_id inst_id op,dir phase layer iter name tc; do
		same "$want" "$(added kern "$by" <"$2")" || {
			echo "by $by"
			return 1
		}
	done
}

@test "kernels by device, op, run, phase, layer, iteration, name: SQL's sum" {
	each kernel_sums
}

# What dlp-parse writes is all there behind the last stage.
nothing_lost() {
	local count='/^#/ { next } { n[$1]++ }
	    END { for (t in n) if (t !~ /^(op|prim|result|inst|proj|rangekern|iter)$/)
		print t, n[t] }'

	dlp-parse "$3" 2>/dev/null | awk -F'\t' "$count" | sort >parsed
	awk -F'\t' "$count" "$2" | sort >passed
	diff parsed passed
}

@test "every record of dlp-parse comes out at the end" {
	each nothing_lost
}

@test "no id is used before its record; ids are unique" {
	ids() {
		awk -F'\t' -v name="$1" '
		/^#[a-z]/ { t = substr($1, 2); for (i = 2; i <= NF; i++) {
			p[t, $i] = i; if ($i ~ /_id$/) last[t] = last[t] " " i
			col[t, i] = $i } next }
		/^#/ { next }
		$1 == "op" { if (op[$p["op", "op_id"]]++) exit 1 }
		$1 == "str" { if (str[$p["str", "id"]]++) exit 1 }
		p[$1, "id"] && $1 != "str" { if (id[$p[$1, "id"]]++) exit 1 }
		{ n = split(last[$1], k, " ")
		  for (i = 1; i <= n; i++) {
			c = col[$1, k[i]]; v = $k[i]
			if (v == "-") continue
			if (c == "op_id" && !op[v]) exit 1
			if (c == "name_id" && !str[v]) exit 1 } }' "$2"
	}
	each ids
}

# The records of work under a run against the run: first start, last end,
# number, union per device and union of all by SQL.
runs() {
	awk -F'\t' -v OFS='\t' '
	/^#[a-z]/ { for (i = 2; i <= NF; i++) p[substr($1, 2), $i] = i; next }
	$1 ~ /^(kern|copy|set|graph)$/ && $p[$1, "inst_id"] != "-" &&
	    $p[$1, "dur_ns"] != "-" {
		print $p[$1, "inst_id"], $1, $p[$1, "start_ns"],
		    sprintf("%.0f", $p[$1, "start_ns"] + $p[$1, "dur_ns"]),
		    $p[$1, "dev"]
	}' "$2" >work
	awk -F'\t' -v OFS='\t' '
	/^#inst/ { for (i = 2; i <= NF; i++) p[$i] = i }
	$1 == "inst" && $p["gpu_ns"] > 0 {
		print $p["inst_id"], $p["gpu_start_ns"], $p["gpu_end_ns"],
		    $p["gpu_ns"], $p["n_kern"], $p["n_gpu"], $p["idle_ns"] }
	' "$2" | sort -n >got
	sqlite3 -tabs :memory: 'CREATE TABLE w(i INT, t, a INT, b INT, d)' \
	    '.import work w' "
	WITH r AS (SELECT *, max(b) OVER (PARTITION BY i ORDER BY a, b
	    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS m,
	    max(b) OVER (PARTITION BY i, d ORDER BY a, b
	    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS md FROM w),
	s AS (SELECT i, min(a) AS a, max(b) AS b,
	    sum(CASE WHEN m IS NULL OR a >= m THEN b - a
		WHEN b > m THEN b - m ELSE 0 END) AS u,
	    sum(CASE WHEN md IS NULL OR a >= md THEN b - a
		WHEN b > md THEN b - md ELSE 0 END) AS ud,
	    sum(t = 'kern') AS k, count(*) AS n FROM r GROUP BY i)
	SELECT i, a, b, ud, k, n, b - a - u FROM s WHERE u > 0 ORDER BY i
	" >want
	diff want got >difference || { head -5 difference; return 1; }
}

@test "GPU time, idle and counts of every run: its work by SQL" {
	each runs
}

@test "iterations: every kernel is in one or outside of all" {
	iters() {
		awk -F'\t' '
		/^#[a-z]/ { for (i = 2; i <= NF; i++)
			p[substr($1, 2), $i] = i; next }
		$1 == "kern" { i = $p["kern", "iter"]; n[i]++
			s[i] += $p["kern", "dur_ns"] }
		$1 == "iter" { i = $p["iter", "iter"]
			in_n[i] = $p["iter", "n_kern"]
			in_s[i] = $p["iter", "kern_ns"] }
		END {
			for (i in n)
				if (i != "-" && (n[i] != in_n[i] ||
				    s[i] != in_s[i]))
					exit 1
		}' "$2"
	}
	each iters
}

@test "a table has a row for each kernel, and SQL's sum" {
	table() {
		dlp-fmt --csv -T kern -c idx,dir,mod,op,kernel,params,sil,tc,flops,bytes \
		    "$2" >table.csv
		[ -s table.csv ] || { kernels_by_sql "$3" | grep -q '^0'; return; }
		same "$(kernels_by_sql "$3")" \
		    "$(sqlite3 -tabs :memory: '.import --csv table.csv t' \
			"SELECT count(*), sum(sil) FROM t" 2>/dev/null ||
			printf '0\t0\n')" ||
		    kernels_by_sql "$3" | grep -q '^0'
	}
	each table
}

@test "the same bytes again" {
	again() {
		whole "$3" | cmp - "$2"
	}
	each again
}

@test "two profiles in one pipe: each as alone" {
	dlp-parse "$LENET" >a
	if [ -e "$STREAMS/gpt2_bf16.db" ]; then
		dlp-parse "$(cat "$STREAMS/gpt2_bf16.db")" >b
	else
		dlp-parse -T kern,range,call "$LENET" >b
	fi
	for f in a b; do
		dlp-correlate --ranges $f | dlp-iter | dlp-flops
	done 2>/dev/null | grep -av '^##cmd' >apart
	cat a b | dlp-correlate --ranges 2>/dev/null | dlp-iter 2>/dev/null |
	    dlp-flops | grep -av '^##cmd' >together
	cmp apart together
}

@test "GPT-2: forward, backward and optimizer, a step by phases" {
	dlp-agg -T kern,copy,set -g phase -a union "$STREAMS/gpt2_bf16.dlp" |
	    awk -F'\t' '$1 == "agg" && $2 == "backward" {
		printf "%.2f\n", $3 / 1e6 }' >all
	dlp-agg -T kern -g phase -a sum "$STREAMS/gpt2_bf16.dlp" |
	    awk -F'\t' '$1 == "agg" && $2 == "backward" {
		printf "%.2f\n", $3 / 1e6 }' >kernels
	same "9.88 9.82" "$(cat all) $(cat kernels)"
}

# bats test_tags=more
