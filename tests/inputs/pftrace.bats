# Traces of Perfetto. The shipped two were made of the JSON beside them, so their
# records must be those of the JSON; a golden case has small ones.

load ../lib

OWN=$ROOT/tests/data/kineto
PF=$ROOT/tests/data/pftrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# records FILE: those of its stream, without what only the JSON says: of GPUs,
# and the occupancy of kernels.
records() {
	dlp-parse --python --inputs "$1" 2>/dev/null | awk -F'\t' -v OFS='\t' '
	/^##|^#?dev\t/ { next }
	/^#kern\t/ { for (i = 2; i <= NF; i++) if ($i == "occ_pct") c = i }
	$1 == "kern" { $c = "-" }
	{ print }'
}

@test "slices whose ends are in the order of their begins: as the JSON" {
	cmp <(records "$PF/lenet_stack.pftrace.gz") \
	    <(records "$OWN/lenet_stack.json.gz")
	cmp <(dlp-parse "$PF/lenet_stack.pftrace.gz" | grep ^##info.t0) \
	    <(dlp-parse "$OWN/lenet_stack.json.gz" | grep ^##info.t0)
}

@test "stages, sequences that are cleared, compressed packets: as the JSON" {
	# such a trace does not say which way copies go
	cut_kind() {
		awk -F'\t' -v OFS='\t' '$1 == "copy" { $14 = $16 = $17 = "-" } 1'
	}
	cmp <(records "$PF/graph_infer.pftrace.gz" | cut_kind) \
	    <(records "$OWN/graph_infer.json.gz" | cut_kind)
}

@test "the same from other compressions, standard input and a name" {
	records "$PF/graph_infer.pftrace.gz" >want
	zcat "$PF/graph_infer.pftrace.gz" >x
	xz -0k x && zstd -q x
	cmp want <(records x)
	cmp want <(records x.xz)
	cmp want <(records x.zst)
	cmp want <(dlp-parse --python --inputs - <x | grep -v '^##')
}

# bats test_tags=more
@test "the made traces of all writers: the counts of another reader" {
	[ -d "$DATA/pftrace" ] || skip
	awk -F'|' '/^\| .*pftrace.gz/ { gsub(/ /, ""); print $2, $4, $5, $6, $7, $9 }' \
	    "$DATA/pftrace/README.md" >want
	[ -s want ]
	while read -r f k c s ns linked; do
		run sh -c "dlp-parse '$DATA/pftrace/$f' 2>/dev/null | awk -F'\t' '
		    /^#[a-z]/ { for (i = 2; i <= NF; i++)
			c[substr(\$1, 2), \$i] = i; next }
		    { n[\$1]++ }
		    \$1 ~ /^(kern|copy|set)\$/ { ns += \$(c[\$1, \"dur_ns\"])
			l += \$(c[\$1, \"api_start_ns\"]) != \"-\" }
		    END { printf \"%d %d %d %d %d\n\", n[\"kern\"], n[\"copy\"],
			n[\"set\"], ns, l }'"
		[ "$output" = "$k $c $s $ns $linked" ] || { echo "$f: $output"; return 1; }
	done <want
}
