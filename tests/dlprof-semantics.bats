# DLProf's ops, iterations and breakdown: our records against its own database
# and reports, and the breakdown of all profiles against SQL.

# bats file_tags=long
load lib
bats_require_minimum_version 1.5.0

TAB='	'
RUN=$DATA/dlprof/w_relu

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

stream() { # FILE
	bash -o pipefail -c 'dlp-parse "$1" | dlp-correlate -D | dlp-iter -D |
	    dlp-flops | dlp-busy -D' - "$1" 2>/dev/null
}

old() { # SQL
	sqlite3 -separator "$TAB" "file:$RUN/dlprof_dldb.sqlite?mode=ro" "$1"
}

@test "w_relu: ops, their ids and metrics are those of DLProf's database" {
	old "SELECT o.op_id, o.op_name, d1.string, d2.string, d3.string,
	    c.sum, g.sum, v.sum, i.sum, o.tc_support_status
	    FROM op_nodes n JOIN read_only_ops o ON o.id = n.read_only_ops_id
	    JOIN dictionary d1 ON d1.id = o.direction_id
	    JOIN dictionary d2 ON d2.id = o.op_type_id
	    JOIN dictionary d3 ON d3.id = o.data_type_id
	    JOIN node_time_metrics t ON t.id = n.node_time_metrics_id
	    JOIN metric c ON c.id = t.cpu_time_metric_id
	    JOIN metric g ON g.id = t.gpu_time_metric_id
	    JOIN metric v ON v.id = t.cpu_overhead_time_metric_id
	    JOIN metric i ON i.id = t.gpu_idle_time_metric_id" |
	    sed "s/null//g; s/\"//g" | sort >want
	stream "$RUN/nsys_profile.sqlite" | awk -F'\t' -v OFS='\t' '
	/^#op\t/ { for (i = 2; i <= NF; i++) o[$i] = i }
	/^#inst\t/ { for (i = 2; i <= NF; i++) n[$i] = i }
	$1 == "op" {
		tc = $o["dl_tc"]
		end[$o["op_id"]] = tc == "yes" ? 0 : tc == "no" ? 3 : 2
		s = $o["dl_id"] OFS $o["name"]
		s = s OFS ($o["dir"] == "-" ? "" : $o["dir"]) OFS $o["op"]
		op[$o["op_id"]] = s OFS ($o["dtype"] == "-" ? "" : $o["dtype"])
	}
	$1 == "inst" {
		k = $n["op_id"]
		print op[k], $n["dur_ns"], $n["gpu_ns"], $n["overhead_ns"],
		    $n["idle_ns"], end[k]
	}' | sort >got
	[ "$(wc -l <got)" -eq 36 ]
	diff -u want got
}

@test "w_relu: shapes are those of the iteration report" {
	stream "$RUN/nsys_profile.sqlite" >s
	sqlite3 -separator "$TAB" :memory: \
	    ".import --csv --skip 1 '$RUN/dlprof_iteration.csv' t" \
	    'SELECT DISTINCT "Op ID", "Input Shapes", "Output Shapes" FROM t' |
	    sort >want
	awk -F'\t' -v OFS='\t' '
	/^#op\t/ { for (i = 2; i <= NF; i++) o[$i] = i }
	/^#kern\t/ { for (i = 2; i <= NF; i++) k[$i] = i }
	$1 == "op" {
		s = $o["dl_id"]
		s = s OFS ($o["dl_in"] == "-" ? "" : $o["dl_in"])
		op[$o["op_id"]] = s OFS ($o["dl_out"] == "-" ? "" : $o["dl_out"])
	}
	$1 == "kern" { print op[$k["op_id"]] }' s | sort -u >got
	[ -s got ]
	diff -u want got
}

@test "w_relu: the breakdown is that of DLProf's database, from both inputs" {
	old "SELECT tc_duration, non_tc_duration, memory_duration,
	    dataloader_duration, io_duration, cpu_duration, other_duration
	    FROM iteration_aggregation_list" | tr '\t' '\n' >want
	for f in nsys_profile dlprof_dldb; do
		stream "$RUN/$f.sqlite" | awk -F'\t' '
		$1 == "busy" && $4 != "graph" { print $5 }' >got
		diff -u want got
	done
}

@test "w_relu: the iteration's length is DLProf's wall clock" {
	want=$(old 'SELECT wall_time FROM model_summary')
	got=$(stream "$RUN/nsys_profile.sqlite" |
	    dlp-fmt --tsv -T iter -c start_ns,dur_ns | tail -1)
	[ "$got" = "0$TAB$want" ]
}

# The union of the intervals of a query, by a sweep.
union() { # DB SQL
	sqlite3 -separator "$TAB" "$1" "$2" | LC_ALL=C sort -n |
	    awk -F'\t' '$1 > e { n += e - b; b = $1; e = $2 }
	    $2 > e { e = $2 } END { printf "%d\n", n + e - b }'
}

has() { # DB TABLE
	[ -n "$(sqlite3 "$1" "SELECT 1 FROM sqlite_master WHERE name = '$2'")" ]
}

# bats test_tags=more
@test "time on the GPU, by class and device, is SQL's" {
	n=0
	while IFS= read -r f; do
		db=$(profile "$f")
		has "$db" CUPTI_ACTIVITY_KIND_KERNEL || continue
		has "$db" NVTX_EVENTS || has "$db" TARGET_INFO_GPU || continue
		stream "$db" >s
		for d in $(sqlite3 "$db" 'SELECT DISTINCT deviceId
		    FROM CUPTI_ACTIVITY_KIND_KERNEL'); do
			want=$(union "$db" "SELECT start, end FROM
			    CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = $d")
			got=$(awk -F'\t' -v d="$d" '$1 == "busy" && $3 == d &&
			    ($4 == "tc" || $4 == "kern") { s += $5 }
			    END { printf "%d\n", s }' s)
			echo "$f device $d: $want $got"
			[ "$want" = "$got" ]
			n=$((n + 1))
		done
	done < <(all_profiles | grep -e ^nsys/ -e ^h200/)
	[ $n -ge 15 ]
}

# The breakdown of a stream once more: all intervals sorted, and counted.
sweep() { # STREAM
	awk -F'\t' '
	function iv(key, lo, len, class) {
		if (lo == "-" || len == "-" || len <= 0)
			return
		printf "%s\t%.0f\t1\t%d\n", key, lo, class
		printf "%s\t%.0f\t-1\t%d\n", key, lo + len, class
	}
	FNR == NR && $1 == "#iter" { for (i = 2; i <= NF; i++) c[$i] = i }
	FNR == NR && $1 == "iter" { last = $c["start_ns"] + $c["dur_ns"] }
	FNR == NR && $1 == "busy" { dev[$3] }
	/^#/ { t = substr($1, 2); for (i = 2; i <= NF; i++) at[t, $i] = i }
	FNR == NR && /^(kern|copy|set|graph)\t/ {
		d = $at[$1, "dev"]
		if ($at[$1, "dur_ns"] != "-")
			uses[$at[$1, "pid"], d]
	}
	FNR == NR { next }
	/^(kern|copy|set|graph)\t/ {
		k = $1 == "kern" ? ($at[$1, "tc"] == "yes" ? 1 : 2) : \
		    $1 == "graph" ? 3 : 4
		iv($at[$1, "dev"], $at[$1, "start_ns"], $at[$1, "dur_ns"], k)
	}
	$1 == "inst" || ($1 == "range" &&
	    $at["range", "text"] ~ /^enumerate\(DataLoader\)#/) ||
	    ($1 == "os" && $at["os", "name"] ~ /^f(read|write)$/) {
		k = $1 == "inst" ? 7 : $1 == "os" ? 6 : 5
		for (d in dev)
			if (($at[$1, "pid"], d) in uses)
				iv(d, $at[$1, "start_ns"], $at[$1, "dur_ns"], k)
		if ($1 == "inst" && $at["inst", "op"] == "DataLoader")
			for (d in dev)
				if (($at[$1, "pid"], d) in uses)
					iv(d, $at[$1, "start_ns"],
					    $at[$1, "dur_ns"], 5)
	}
	END {
		for (d in dev) {
			printf "%s\t0\t0\t8\n", d
			printf "%s\t%.0f\t0\t8\n", d, last
		}
	}' "$1" "$1" | LC_ALL=C sort -t "$TAB" -k1,1n -k2,2n | awk -F'\t' '
	NR == 1 || $1 != d { split("", n); d = $1; t = $2 }
	$2 > t {
		for (k = 1; k < 8 && !n[k]; k++)
			;
		s[d, k] += $2 - t
		t = $2
	}
	{ n[$4] += $3; dev[d] }
	END {
		for (d in dev)
			for (k = 1; k <= 8; k++)
				printf "%s\t%d\t%.0f\n", d, k, s[d, k]
	}' | LC_ALL=C sort
}

@test "the breakdown is that of a sweep over all intervals" {
	n=0
	for f in h200/{loader,everything,resnet50_fp32,graph_infer_graph} \
	    nsys/h100-2gpu-aten-3.25.0 nvprof/nccl-8gpu-v16; do
		f=$(ls "$DATA/$f".sqlite*)
		stream "$f" >s
		sweep s >want
		awk -F'\t' '$1 == "busy" {
			printf "%s\t%d\t%s\n", $3, (NR0[$3]++) % 8 + 1, $5
		}' s | LC_ALL=C sort >got
		echo "$f"
		diff -u want got
		n=$((n + $(wc -l <got)))
	done
	[ $n -ge 100 ]
}

# bats test_tags=more
@test "the classes of each device add up to the iteration" {
	while IFS= read -r f; do
		stream "$DATA/$f" >s || continue
		awk -F'\t' '
		/^#iter\t/ { for (i = 2; i <= NF; i++) c[$i] = i }
		$1 == "iter" { len[$c["iter"]] = $c["dur_ns"] }
		$1 == "busy" { s[$2, $3] += $5 }
		END {
			for (k in s) {
				split(k, p, SUBSEP)
				if (s[k] != len[p[1]]) {
					print FILENAME, k, s[k], len[p[1]]
					bad = 1
				}
			}
			exit bad
		}' s || { echo "$f"; return 1; }
	done < <(all_profiles)
}
