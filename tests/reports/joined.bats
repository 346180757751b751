# One stream of several files (dlp-merge, dlp-merge -r, dlp-parse of many, with
# --ranks or without): in its section src is what a section is among several.
# What the reports show of a file is what they show of it alone, and sums are
# the files' added up. The truth is the files, each by itself; sums are SQL's.

# bats file_tags=long
load ../lib

TAB='	'

# Streams and databases of the same names in folders: src is the same text.
setup_file() {
	local r

	cd "$BATS_FILE_TMPDIR" || return
	for r in 0 1; do
		xz -dc "$ROOT/tests/data/ddp$r.sqlite.xz" >"ddp$r"
		dlp-parse --src "ddp$r" >"ddp$r.dlp"
	done
	dlp-merge ddp0.dlp ddp1.dlp >merge.dlp
	dlp-merge -r ddp0.dlp ddp1.dlp >merge-r.dlp
	dlp-parse ddp0 ddp1 >parse.dlp
	dlp-parse --ranks ddp0 ddp1 >ranks.dlp
	xz -dc "$DATA/h200/resnet50_fp32.sqlite.xz" >fp32
	xz -dc "$DATA/h200/resnet50_tf32.sqlite.xz" >tf32
	dlp-parse fp32 tf32 >nets.dlp
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	# a report, or its options, has one or two of the streams in turn: what they
	# differ in is in merge.bats and ranks.bats
	STREAMS=(merge ranks parse merge-r)
	turn=0
}

# rows REPORT FILE...: sorted, without what the common clock moves.
rows() {
	local report=$1

	shift
	# shellcheck disable=SC2086 # a report with options
	dlp $report --tsv "$@" 2>/dev/null | awk -F'\t' -v OFS='\t' '
	NR == 1 {
		for (i = 1; i <= NF; i++)
			moved[i] = $i ~ /^(gpu_)?(start|end)_ns$|^launch_ns$/
	}
	{
		for (i = 1; i <= NF; i++)
			if (moved[i])
				$i = ""
		print
	}' | sort
}

# same FILE...: all reports that count by file, and those that add up.
same() {
	local r s

	for r in advise tc copies coverage devices flops "gaps -n 0" \
	    iters kernels "mem -g range" mfu ops phases roofline top \
	    "top -g layer" waits; do
		rows "$r" "$@" >want
		# these were not recorded
		[ "$r" = waits ] || [ "$r" = "mem -g range" ] ||
		    [ "$(wc -l <want)" -gt 1 ]
		for s in "${STREAMS[@]:turn++ % ${#STREAMS[@]}:2}"; do
			echo "# $s: dlp $r"
			rows "$r" "$s.dlp" | diff want -
		done
	done
}

@test "one stream of two ranks: each report shows what it shows of the files" {
	same ddp0 ddp1
}

@test "one stream of two runs: each report shows what it shows of the files" {
	# without dlp-flops' reasons: whether TF32 is on is of the section there
	STREAMS=(nets)
	same fp32 tf32
	# FLOPs of a step by its own time: 777.57 GFLOP, as PyTorch counts
	dlp mfu --tsv nets.dlp | awk -F'\t' '
	NR > 1 && ($9 != 777570484224 || \
	    sprintf("%.2f", $9 / $6 / 1000) != $10) { print; bad = 1 }
	END { exit bad || NR != 7 }'
}

@test "openmetrics of one stream of two files: labels and values of the files" {
	local s

	dlp openmetrics ddp0 ddp1 2>/dev/null | grep -v '^dlp_note' >want
	for s in merge parse ranks; do
		dlp openmetrics $s.dlp 2>/dev/null >got
		grep -v '^dlp_note' got | sort | diff <(sort want) -
		# notes are of both files, so of none
		! grep '^dlp_note.*profile=' got || false
		grep -q '^dlp_note{note="n_kern"} 1760' got
	done
}

@test "dlp info of one stream of two files: messages by file" {
	local what='dev|proc|message'

	dlp info --tsv -a fp32 tf32 | grep -E "$TAB($what)" | sort >want
	dlp info --tsv -a nets.dlp | grep -E "$TAB($what)" | sort | diff want -
	# the notes of the files are one in the section
	dlp info --tsv nets.dlp | grep -Fqx -e "-${TAB}note${TAB}gpu_without_call${TAB}2"
}

@test "one stream of two ranks on standard input: by file it must be a file" {
	local r

	for r in mfu "-w 80"; do
		# shellcheck disable=SC2086 # a report or an option
		run dlp $r - <merge.dlp
		echo "$output"
		[ "$status" -eq 2 ]
		[ "$(grep -c 'of several files' <<<"$output")" -eq 1 ]
	done
	dlp top --tsv - <merge.dlp 2>/dev/null | sort >got
	rows top merge.dlp | diff - got
}

@test "two streams that do not name their files: as the two profiles" {
	local r form

	mkdir -p bare
	for r in 0 1; do
		dlp-parse "ddp$r" >"bare/ddp$r"
	done
	# two sections in one file are one name
	cat bare/ddp0 bare/ddp0 >bare/both
	for r in advise copies coverage devices flops folded gaps info iters \
	    kernels mem mfu openmetrics ops overview phases roofline stats tc \
	    top trace waits; do
		case $r in
		folded | openmetrics | trace) form= ;;
		*) form=--tsv ;;
		esac
		# shellcheck disable=SC2086 # an option or none
		dlp $r $form ddp0 ddp1 >want 2>/dev/null
		# shellcheck disable=SC2086 # an option or none
		(cd bare && dlp $r $form ddp0 ddp1) >got 2>/dev/null
		cmp want got || { echo "$r"; return 1; }
	done
	dlp devices --tsv bare/both ddp1 | awk -F'\t' '
	$1 == "bare/both" { n[$3] += $4 } END { print n["kern"] }' >got
	# 880 kernels in each: SQL
	n=$(sqlite3 ddp0 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')
	[ "$(<got)" -eq $((2 * n)) ]
	dlp devices --tsv - ddp1 <bare/ddp0 | cut -f 1 | sort -u >got
	printf '%s\n' ddp1 src 'standard input' | cmp - got
}

@test "join of one stream of two files: a column per file, as of the files" {
	local o s

	for o in "" "-g kernel" "-g layer -v cpu" "-v n -a" "-i 1" \
	    "-k iteration"; do
		# shellcheck disable=SC2086 # options
		dlp join -n 0 $o ddp0 ddp1 2>/dev/null >want
		[ "$(head -n 1 want | grep -o 'ddp[01]' | tr '\n' ' ')" = 'ddp0 ddp1 ' ]
		for s in "${STREAMS[@]:turn++ % 4:2}"; do
			echo "# $s: dlp join $o"
			# shellcheck disable=SC2086 # options
			dlp join -n 0 $o $s.dlp 2>/dev/null | diff want -
		done
	done
	# beside others, each of its own name
	[ "$(dlp join -n 1 merge.dlp ddp0 2>/dev/null | head -n 1 | cut -f 4-)" = \
	    "ddp0_ns${TAB}ddp1_ns${TAB}ddp0_2_ns" ]
	# one that breaks off leaves out both of its files, and only these
	sed '$d' merge.dlp >cut.dlp
	run dlp join -n 1 cut.dlp ddp0
	[ "$status" -eq 2 ]
	[ "$(grep -c '^dlp-diff: ddp[01]: left out: it is not whole' \
	    <<<"$output")" -eq 2 ]
	grep -q "^name.*shapes${TAB}ddp0_2*_*ns$" <<<"$output"
}

@test "diff of streams of two files: as of the files of each side" {
	local o s

	dlp-parse --src ddp1 >one.dlp
	sed 's/ddp1/again/g' one.dlp >two.dlp
	dlp-merge one.dlp two.dlp >b.dlp
	for o in "" "-g kernel" "-g iter" "-g layer -v cpu" "-a" "-i 1"; do
		# shellcheck disable=SC2086 # options
		dlp diff -n 0 $o -m 2 ddp0 ddp1 ddp1 ddp1 2>err >want
		for s in "${STREAMS[@]:turn++ % 4:2}"; do
			echo "# $s: dlp diff $o"
			# shellcheck disable=SC2086 # options
			dlp diff -n 0 $o $s.dlp b.dlp 2>said | diff want -
			# each file by its name: A ddp0, A ddp1, B ddp1, B again
			diff <(grep '^dlp-diff' err | sed '4s/ddp1/again/') \
			    <(grep '^dlp-diff' said)
		done
	done
}

# named: a trace with the names of processes and threads for their numbers. The
# critical path is left out: a section of several files has none.
named() {
	jq -S -c '.traceEvents as $e |
	($e | map(select(.name == "process_name") |
	    {key: "\(.pid)", value: .args.name}) | from_entries) as $p |
	($e | map(select(.name == "thread_name") |
	    {key: "\(.pid) \(.tid)", value: .args.name}) | from_entries) as $t |
	$e[] | . + {process: $p["\(.pid)"], thread: $t["\(.pid) \(.tid)"]} |
	select(.thread != "critical path") | del(.pid, .tid, .id)' | sort
}

@test "trace of one stream of two files: the events of the files" {
	local o same moved

	while read -r same moved o; do
		# shellcheck disable=SC2086 # options
		dlp trace $o ddp0 ddp1 2>/dev/null | named >want
		grep -q '"process":"GPU 1, process 573, ddp1"' want
		! grep '"process":", ' want || false
		echo "# $same: dlp trace $o"
		# shellcheck disable=SC2086 # options
		dlp trace $o $same.dlp 2>err | named | diff want -
		grep -q '2 files in one section, so no critical path' err
		# on a common clock times are others, of one file
		echo "# $moved: dlp trace $o"
		# shellcheck disable=SC2086 # options
		dlp trace $o $moved.dlp 2>/dev/null | named | without_times |
		    diff <(without_times <want) -
	done <<-'END'
	merge ranks
	parse merge-r -i 1
	END
}

without_times() {
	sed 's/"ts":[-0-9.]*//; s/"[a-z_]*_ns":[-0-9]*//g' | sort
}

@test "dlp-tree of one stream of two files: the sums of the files" {
	local f s

	for f in ddp0 ddp1 merge merge-r parse ranks; do
		dlp-correlate $f.dlp 2>/dev/null | dlp-iter -k iteration |
		    dlp-flops | dlp-tree | dlp-fmt -T group --tsv \
		    -c path,n_call,sum_cpu_ns,sum_gpu_ns,sum_overhead_ns,sum_idle_ns |
		    sed 1d >$f.tree
	done
	[ "$(wc -l <ddp0.tree)" -gt 3 ]
	awk -F'\t' -v OFS='\t' '
	{ for (i = 2; i <= NF; i++) s[$1, i] += $i; n = NF; at[$1] = 1 }
	END { for (p in at) { line = p
		for (i = 2; i <= n; i++) line = line OFS s[p, i]
		print line } }' ddp0.tree ddp1.tree | sort >want
	for s in merge merge-r parse ranks; do
		sort $s.tree | diff want -
	done
}
