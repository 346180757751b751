# dlp-carry on real profiles whose ops are hidden, held against these ops.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# hide: a filter that takes the ops from the work of every second iteration.
hide() {
	awk -F'\t' -v OFS='\t' '
	/^#(kern|copy|set)\t/ { for (i = 2; i <= NF; i++) c[substr($1, 2), $i] = i }
	$1 == "range" && /\titeration/ { steps++ }
	steps % 2 == 1 && ($1 == "kern" || $1 == "copy" || $1 == "set") {
		n = split("inst_id op_start_ns mod op dir seq layer phase prim_id prim_run", name, " ")
		for (i = 1; i <= n; i++)
			if (($1, name[i]) in c)
				$c[$1, name[i]] = "-"
		$c[$1, "op_id"] = 1
		$c[$1, "why"] = "no-range"
	}
	{ print }'
}

# work FILE: id, op, dir, layer, phase, the op's shapes, those of the product in
# it, op_from of its GPU work
work() {
	awk -F'\t' -v OFS='\t' '
	/^#[a-z]/ { for (i = 2; i <= NF; i++) c[substr($1, 2), $i] = i }
	$1 == "op" { shapes[$c["op", "op_id"]] = $c["op", "shapes"] }
	$1 == "prim" {
		product[$c["prim", "prim_id"]] = $c["prim", "op"] " " $c["prim", "shapes"]
	}
	$1 == "kern" || $1 == "copy" || $1 == "set" {
		k = $1
		p = (k, "prim_id") in c ? product[$c[k, "prim_id"]] : ""
		print $c[k, "id"], $c[k, "op"], $c[k, "dir"], $c[k, "layer"], \
		    $c[k, "phase"], shapes[$c[k, "op_id"]], (p == "" ? "-" : p), \
		    (k, "op_from") in c ? $c[k, "op_from"] : "-"
	}' "$1"
}

# carried_well MIN: of the work whose ops were hidden at least MIN percent got
# one, and each the right one, with its shapes or with none.
carried_well() {
	paste <(work truth) <(work carried) | awk -F'\t' -v min="$1" '
	$16 == "carried" {
		n++
		for (i = 2; i <= 5; i++)
			if ($i != $(i + 8)) { print "wrong:", $0; bad++ }
		for (i = 6; i <= 7; i++)
			if ($i != $(i + 8) && $(i + 8) != "-") { print "shapes:", $0; bad++ }
		products += $7 != "-"
		known += $15 != "-"
	}
	$16 == "-" && $2 != "-" { lost++ }
	END {
		print n, "carried", lost + 0, "not"
		print known + 0, "of", products + 0, "products"
		exit bad > 0 || 10 * known < 9 * products || n < 100 || 100 * n < min * (n + lost)
	}'
}

@test "hidden ops of real steps come back as they were" {
	for f in h200/gpt2_bf16 h200/resnet50_fp32 h200/compile_train \
	    h200/lenet_emitnvtx_train; do
		echo "$f"
		dlp-parse "$DATA/$f.sqlite.xz" | dlp-correlate >truth 2>/dev/null
		hide <truth | dlp-carry >carried
		carried_well 90
	done
}

@test "ops of another recording of the same program, and their FLOPs" {
	dlp-parse "$DATA/h200/gpt2_bf16.sqlite.xz" | dlp-correlate >truth
	# no ranges at all
	dlp-parse -T '^range' "$DATA/h200/gpt2_bf16.sqlite.xz" |
	    dlp-correlate 2>err | dlp-carry -f truth >carried
	carried_well 99
	for f in truth carried; do
		dlp-flops "$f" | dlp-agg -T kern -g op,layer -a sum -f flop |
		    dlp-fmt -T agg --tsv | sort >"$f.flop"
	done
	cmp truth.flop carried.flop
}

@test "a pipe, a file and standard input give the same" {
	dlp-parse "$DATA/h200/gpt2_bf16.sqlite.xz" | dlp-correlate | hide >in
	dlp-carry in | grep -v '^##cmd' >a
	dlp-carry <in | grep -v '^##cmd' >b
	dlp-carry <(cat in) | grep -v '^##cmd' >c
	dlp-carry -S 4K in | grep -v '^##cmd' >d
	cmp a b && cmp a c && cmp a d
}

@test "--ops-from: a report names the ops of another recording" {
	dlp-parse -T '^range' "$DATA/h200/gpt2_bf16.sqlite.xz" >plain
	dlp top --tsv --ops-from "$DATA/h200/gpt2_bf16.sqlite.xz" plain 2>err >a
	dlp top --tsv "$DATA/h200/gpt2_bf16.sqlite.xz" >b
	! grep -e '##end' -e lost err || false
	diff <(sort a) <(sort b)
}

# alternating FILE: the stream of dlp-parse, as if dlp-record had marked some steps
alternating() {
	dlp-parse "$DATA/$1" | dlp-correlate | hide |
	    sed '3i ##info\tmarkers\talternate'
}

@test "--auto: only where some steps are marked; otherwise as it was" {
	f=$DATA/h200/gpt2_bf16.sqlite.xz
	dlp-parse "$f" | dlp-correlate 2>/dev/null >in
	dlp-carry --auto <in >same
	cmp in same
	# by way of pipes, and what is broken
	head -c 100000 in | dlp-carry --auto | cat >some
	cmp some <(head -c 100000 in)
	printf '##dlp' | dlp-carry --auto >some
	[ "$(<some)" = '##dlp' ]
	alternating h200/gpt2_bf16.sqlite.xz >in
	dlp-carry <in | grep -v '^##cmd' >a
	cat in | dlp-carry --auto | grep -v '^##cmd' >b
	cmp a b
	! dlp-carry --auto in 2>err
}

@test "times from unmarked steps, names from marked ones, as the database says" {
	# 12 steps that dlp-record --trigger recorded; the last three have ops
	xz -dc "$ROOT/tests/data/alternate.sqlite.xz" >a.sqlite
	steps="SELECT i.start, lead(i.start) OVER (ORDER BY i.start) - i.start AS ns,
	    EXISTS (SELECT 1 FROM NVTX_EVENTS o WHERE o.text LIKE '%op_id = %' AND
	    o.start BETWEEN i.start AND i.end) AS marked
	    FROM NVTX_EVENTS i WHERE i.text LIKE 'iteration %'"
	same '9|3' "$(sqlite3 a.sqlite "SELECT sum(NOT marked), sum(marked)
	    FROM ($steps)")"
	dlp-parse a.sqlite | dlp-correlate | dlp-carry --auto |
	    dlp-iter --stable --even >stream
	same '12 3' "$(awk -F'\t' '/^#stable/ { for (i = 2; i <= NF; i++) c[$i] = i }
	    $1 == "stable" { print $c["n"], $c["n_marked"] }' stream)"
	# each kernel of an unmarked step has an op and a layer
	same carried "$(dlp-agg -T kern --where 'iter>=0' -g op_from -a count \
	    stream | dlp-fmt -T agg --tsv -c op_from | sed 1d)"
	[ "$(dlp-agg -T kern --where 'iter>=0' -g layer -a count stream |
	    dlp-fmt -T agg --tsv | cut -f 1 | grep -c '^-$')" -eq 0 ]
	# the time of a step: within 10 % of the distance of its starts
	dlp --tsv a.sqlite >row
	awk -F'\t' -v u="$(sqlite3 a.sqlite "SELECT avg(ns) FROM ($steps)
	    WHERE NOT marked")" -v m="$(sqlite3 a.sqlite "SELECT avg(ns)
	    FROM ($steps) WHERE marked")" '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	NR == 2 {
		print $c["step_ns"], u, $c["marked_step_ns"], m
		exit $c["step_ns"] < .9 * u || $c["step_ns"] > 1.1 * u ||
		    $c["marked_step_ns"] < .9 * m || $c["marked_step_ns"] > 1.1 * m
	}' row
	dlp a.sqlite | grep -E 'ms per step, [0-9.]+ ms with op ranges'
}
