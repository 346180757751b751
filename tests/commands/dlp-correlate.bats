# dlp-correlate on real profiles, held against what the recorders, DLProf,
# PyProf and nsys themselves said of them.

load ../lib
bats_require_minimum_version 1.5.0

TAB='	'

# correlate PROFILE [OPTION]: its records in ./out, messages in ./err.
correlate() {
	dlp-parse "$(profile "$1")" 2>/dev/null |
	    dlp-correlate "${@:2}" >out 2>err
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# share FIELD [TYPES]: percent of the GPU time of kernels (of TYPES) whose
# FIELD is set, in tenths.
share() {
	awk -F'\t' -v field="$1" -v types="${2:-kern}" '
	BEGIN { n = split(types, a, " "); for (; n; n--) want[a[n]] = 1 }
	/^#[a-z]/ {
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			col[t, $i] = i
		next
	}
	want[$1] {
		all += $col[$1, "dur_ns"]
		if ($col[$1, field] != "-")
			part += $col[$1, "dur_ns"]
	}
	END { printf "%.1f\n", 100 * part / all }' out
}

# Work is given to an op, or has a reason: never both, never neither.
check_why() {
	awk -F'\t' '
	/^#[a-z]/ {
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			col[t, $i] = i
		next
	}
	/^(kern|copy|set|sync|graph|call)\t/ {
		if (($col[$1, "inst_id"] == "-") == ($col[$1, "why"] == "-"))
			exit 1
		if ($col[$1, "op_id"] == "-")
			exit 1
	}' out
}

all_of_it() {
	need_data "$1"
	correlate "$1"
	check_why
	[ "$(share inst_id)" = 100.0 ]
	[ ! -s err ]
}

@test "every kernel of training steps and of recorded graphs has an op" {
	local f

	for f in lenet_pyprof_train lenet_emitnvtx_train resnet50_fp32 resnet50_tf32 \
	    gpt2_bf16 graph_infer_node zoo zoo_pyprof; do
		echo "$f"
		all_of_it h200/$f.sqlite.xz
		# every backward op has its forward op
		[[ $f != zoo* ]] || ! grep -q backward_unpaired out || false
	done
}

# bats test_tags=more
@test "a transformer's training step: every kernel has an op" {
	all_of_it nsys/train-step-shapes-3.27.0.sqlite
	! grep -q backward_unpaired out
}

@test "backward nodes and their forward ops have the same name" {
	correlate h200/zoo.sqlite.xz
	# MulBackward0 of aten::mul: where the node names an op that the
	# program calls itself
	run awk -F'\t' '
	/^#op\t/ { for (i = 2; i <= NF; i++) col[$i] = i; next }
	/^op\t/ && $col["dir"] == "bprop" {
		t = $col["text"]
		if (!sub(/Backward[0-9]*$/, "", t))
			next
		t = tolower(t)
		if (t !~ /^(bmm|baddbmm|addcmul|cumsum|relu|gelu|silu|exp)$/)
			next
		o = $col["op"]
		n++
		if (o == t)
			same++
		else if (o !~ /attention|matmul|einsum|linear/)
			print t, o
	}
	END { print (n > 20 && same > 10) }' out
	[ "$output" = 1 ]
}

@test "user ranges only: layers, and the reason for the rest" {
	correlate h200/graph_infer_graph.sqlite.xz
	check_why
	correlate h200/everything.sqlite.xz
	check_why
	[ "$(share layer 'kern copy set')" = 93.4 ]
	[ "$(share layer)" = 42.7 ]
	[ "$(share inst_id)" = 0.0 ]
	grep -q "^##note${TAB}ranges_crossing_threads${TAB}1\$" out
}

# bats test_tags=more
@test "work launched before the window is said to be" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	correlate nsys/h100-2gpu-aten-3.25.0.sqlite
	check_why
	grep -q '56.2 % of the GPU time belongs to ops; no op: before-window 43.8 %' err
	grep -q "^##note${TAB}unassociated_before-window${TAB}2276\$" out
}

# bats test_tags=more
@test "DLProf's op metrics, from its database" {
	local db=$DATA/dlprof/w_relu/dlprof_dldb.sqlite

	need_data dlprof/w_relu/dlprof_dldb.sqlite
	correlate dlprof/w_relu/nsys_profile.sqlite
	sqlite3 -readonly -separator "$TAB" "file:$db?immutable=1" "
	SELECT o.op_name, t.string, d.string, coalesce(nullif(y.string, ''),
	    '-'), mc.sum, mg.sum, ma.sum, mo.sum, mi.sum
	FROM op_nodes n JOIN read_only_ops o ON o.id = n.read_only_ops_id
	JOIN node_time_metrics m ON m.id = n.node_time_metrics_id
	JOIN metric mc ON mc.id = m.cpu_time_metric_id
	JOIN metric mg ON mg.id = m.gpu_time_metric_id
	JOIN metric ma ON ma.id = m.api_time_metric_id
	JOIN metric mo ON mo.id = m.cpu_overhead_time_metric_id
	JOIN metric mi ON mi.id = m.gpu_idle_time_metric_id
	JOIN dictionary t ON t.id = o.op_type_id
	JOIN dictionary d ON d.id = o.direction_id
	JOIN dictionary y ON y.id = o.data_type_id
	WHERE o.op_name NOT LIKE 'unassociated%'" | sort >want
	[ "$(wc -l <want)" = 34 ]
	awk -F'\t' -v OFS='\t' '
	/^#(op|inst)\t/ {
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			col[t, $i] = i
	}
	/^op\t/ {
		op[$col["op", "op_id"]] = $col["op", "name"] OFS \
		    $col["op", "op"] OFS $col["op", "dir"] OFS \
		    $col["op", "dtype"]
	}
	/^inst\t/ {
		print op[$col["inst", "op_id"]], $col["inst", "dur_ns"],
		    $col["inst", "gpu_ns"], $col["inst", "api_ns"],
		    $col["inst", "overhead_ns"], $col["inst", "idle_ns"]
	}' out | sort >got
	diff want got
	# its two unassociated ops are two calls
	[ "$(grep -c '^sync.*no-range$' out)" = 2 ]
}

# pyprof_rows: idx seq altseq tid layer trace dir sub mod op, of ./out
pyprof_rows() {
	awk -F'\t' -v OFS='|' '
	function na(s) { return s == "-" ? "na" : s }
	/^#(op|kern)\t/ {
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			col[t, $i] = i
	}
	/^op\t/ { trace[$col["op", "op_id"]] = $col["op", "trace"] }
	/^kern\t/ {
		print $col["kern", "idx"], $col["kern", "seq"],
		    $col["kern", "altseq"], $col["kern", "tid"],
		    $col["kern", "layer"], trace[$col["kern", "op_id"]],
		    $col["kern", "dir"], $col["kern", "sub"],
		    na($col["kern", "mod"]), na($col["kern", "op"])
	}' out | sort -n
}

# bats test_tags=more
@test "PyProf's columns, from its own output" {
	need_data nvprof/lm-pyprof.all20.csv
	correlate nvprof/lm-pyprof.sqlite
	[ ! -s err ]
	# PyProf's second program calls the kernel of a linear layer's bias
	# "bias": the op is linear
	awk 'NR > 1 {
		n = split(substr($0, 2, length($0) - 2), f, "\",\"")
		if (f[10] == "bias")
			f[10] = "linear"
		for (i = 1; i <= 10; i++)
			printf "%s%s", f[i], i < 10 ? "|" : "\n"
	}' "$DATA/nvprof/lm-pyprof.all20.csv" >want
	[ "$(wc -l <want)" = 160 ]
	pyprof_rows >got
	diff want got
}

# proj_sums: per range text with GPU work: projected and own time, ranges,
# GPU activities, and the means of level and children, as nsys rounds them.
proj_sums() {
	awk -F'\t' '
	/^#proj\t/ { for (i = 2; i <= NF; i++) c[$i] = i; next }
	/^proj\t/ && $c["gpu_start_ns"] != "-" {
		t = $c["text"]
		p[t] += $c["gpu_end_ns"] - $c["gpu_start_ns"]
		d[t] += $c["dur_ns"]
		n[t]++
		g[t] += $c["n_gpu"]
		l[t] += $c["level"]
		k[t] += $c["n_child"]
	}
	END {
		for (t in n)
			printf "%s|%d|%d|%d|%d|%.1f|%.1f\n", t, p[t], d[t],
			    n[t], g[t], l[t] / n[t], k[t] / n[t]
	}' out | sort
}

@test "projections, from nsys stats" {
	local x

	for x in gpt2_bf16 lenet_emitnvtx_train; do
		correlate "h200/$x.sqlite.xz" -r
		# the text may hold commas: fields are counted from the end
		awk -F, 'NR > 1 {
			t = $1
			for (i = 2; i <= NF - 13; i++)
				t = t "," $i
			gsub(/^"|"$/, "", t)
			printf "%s|%d|%d|%d|%d|%.1f|%.1f\n", substr(t, 2),
			    $(NF - 11), $(NF - 10), $(NF - 9), $(NF - 3),
			    $(NF - 1), $NF
		}' "$DATA/h200/stats/$x.nvtx_gpu_proj_sum.csv" | sort >want
		[ "$(wc -l <want)" -gt 400 ]
		proj_sums >got
		diff want got
		# at most as many kernels are under ranges as the projections count
		awk -F'\t' '
		/^#proj\t/ { for (i = 2; i <= NF; i++) c[$i] = i; next }
		/^rangekern\t/ { n[$2]++ }
		/^proj\t/ && n[$c["range_id"]] > $c["n_gpu"] { exit 1 }' out
	done
}

# bats test_tags=more
@test "every real profile: each record of work has an op or a reason" {
	local f

	need_data nsys
	for f in "$DATA"/nsys/*.sqlite "$DATA"/nvprof/*.sqlite; do
		dlp-parse "$f" 2>/dev/null | dlp-correlate >out 2>err
		check_why || { echo "$f"; return 1; }
	done
}

@test "no op is listed twice among the names before PyTorch 1.6" {
	local n

	for n in telling word; do
		sed -n "s/^$n //p" "$ROOT/cmd/dlp-correlate/op_words.tab" |
		    tr ' ' '\n' >names
		[ "$(wc -l <names)" -gt 100 ]
		LC_ALL=C sort -c -u names
	done
}

@test "layers: all of a network's time is in its modules, both ways" {
	dlp-parse "$LENET" | dlp-correlate >out
	# forward ops in LeNet's forward, by their markers' own call stacks
	run awk -F'\t' '
	/^#(op|kern)\t/ {
		t = substr($1, 2)
		for (i = 2; i <= NF; i++)
			col[t, $i] = i
	}
	/^op\t/ { name[$col["op", "op_id"]] = $col["op", "name"] }
	/^kern\t/ {
		in_net = name[$col["kern", "op_id"]] ~ /LeNet::forward/
		layer = $col["kern", "layer"]
		if (in_net != (layer ~ /^forward\/LeNet/))
			print "not in LeNet:", layer
		n += in_net
		seen[layer] = 1
	}
	END {
		for (l in seen)
			if (l ~ /^forward\/LeNet\/(Conv2d|Linear)/)
				k++
		print (n > 100), k
	}' out
	[ "$output" = "1 5" ]
}

@test "--dlprof: calls outside of all ops are an op each up to 65,536, then one by name" {
	{
		printf '##dlp\t1\n#call\tid\tstart_ns\tdur_ns\tpid\ttid\tcorr'
		printf '\tapi\tret\tn_gpu\n'
		awk 'BEGIN {
			for (i = 1; i <= 70000; i++)
				printf "call\t%d\t%d\t5\t1\t1\t%d\tcudaX\t0\t0\n",
				    i, i * 10, i
			print "##end\t70000"
		}'
	} | dlp-correlate --dlprof 2>err >out
	run -0 awk -F'\t' '
	$1 == "op" { n++ }
	$1 == "inst" { m++ }
	$2 == "calls_of_shared_ops" { print $3 }
	END { print n, m }' out
	[ "$output" = "4464
65537 70000" ]
}
