# DLProf's ops, iterations and breakdown: our records against its own database
# and reports.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

TAB='	'
RUN=$DATA/dlprof/w_relu

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	[[ $BATS_TEST_DESCRIPTION != w_relu:* ]] || need_data dlprof/w_relu
}

stream() { # FILE
	bash -o pipefail -c 'dlp-parse "$1" | dlp-correlate -D | dlp-iter -D |
	    dlp-flops | dlp-busy -D' - "$1" 2>/dev/null
}

old() { # SQL
	sqlite3 -separator "$TAB" "file:$RUN/dlprof_dldb.sqlite?mode=ro" "$1"
}

# bats test_tags=more
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

# bats test_tags=more
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

# bats test_tags=more
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

# bats test_tags=more
@test "w_relu: the iteration's length is DLProf's wall clock" {
	want=$(old 'SELECT wall_time FROM model_summary')
	got=$(stream "$RUN/nsys_profile.sqlite" |
	    dlp-fmt --tsv -T iter -c start_ns,dur_ns | tail -1)
	[ "$got" = "0$TAB$want" ]
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
