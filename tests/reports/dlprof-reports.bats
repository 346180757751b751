# DLProf's eight reports: the original's own where there are some; forms and
# options of all.

# bats file_tags=long
load ../lib

REPORTS='summary detail iteration kernel tensor op_type group_node
expert_systems'

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export DLP_REPORTS=$ROOT/pipelines/reports
	W=$DATA/dlprof/w_relu
}

# original REPORT: the name in DLProf's file names
original() {
	case $1 in
	detail) echo detailed ;;
	tensor) echo tensor_core ;;
	group_node) echo group_op ;;
	*) echo "$1" ;;
	esac
}

# stream FILE STAGE...: the finished stream
stream() {
	(
		. "$DLP_REPORTS/dlprof/stream.sh"
		dlprof_stream "$@" 2>err
	)
}

# report NAME OPTION...: from the file s
report() {
	local name=$1

	shift
	sh "$DLP_REPORTS/dlprof/$name" --from s "$@"
}

# column NAME FUNCTION: of a TSV table, sum or n
column() {
	awk -F'\t' -v name="$1" -v what="${2-sum}" '
	NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == name) at = i
		if (!at) { print "no column " name; exit }
		next
	}
	{ n++; if ($at != "-") sum += $at }
	END { if (at) printf "%.0f\n", what == "n" ? n : sum }'
}

# bats test_tags=more
@test "the original's reports, byte for byte, each from export and database" {
	need_data dlprof/w_relu
	for f in nsys_profile dlprof_dldb; do
		for r in $REPORTS; do
			echo "$f $r"
			dlp "$r" --dlprof "$W/$f.sqlite" >out
			cmp "$W/dlprof_$(original "$r").csv" out
		done
	done
}

@test "JSON: the rows and numbers of the TSV, one schema for all" {
	local n_sums=0

	stream "$LENET" busy tree stat >s
	for r in $REPORTS; do
		echo "$r"
		report "$r" --json >j
		jq -e 'all(.[]; type == "array" and all(.[]; type == "object"))' j
		[ "$r" != summary ] || continue
		report "$r" --tsv >t
		report "$r" --csv >c
		report "$r" --dlprof | sed 1d | cmp c -
		[ "$(jq '[.[] | length] | add' j)" -eq "$(sed 1d t | wc -l)" ]
		jq -r '.[] | .[0] // {} | keys_unsorted[]' j >keys
		[ ! -s keys ] || head -n 1 t | tr '\t' '\n' | diff - keys
		jq -r '.[] | (.[0] // {} | keys_unsorted[] |
		    select(test("^(Total|Min|Max|GPU Dur).*\\(ns\\)"))) as $c |
		    "\($c) \(map(.[$c]) | add)"' j >sums
		awk -F'\t' '
		NR == 1 { for (n = 1; n <= NF; n++) name[n] = $n; next }
		{ for (i = 1; i < n; i++) if ($i != "-") sum[i] += $i }
		END { for (i = 1; i < n && NR > 1; i++)
			if (name[i] ~ /^(Total|Min|Max|GPU Dur).*\(ns\)/)
				printf "%s %.0f\n", name[i], sum[i] }' t | diff - sums
		n_sums=$((n_sums + $(wc -l <sums)))
	done
	[ "$n_sums" -gt 20 ]
	report summary --json >j
	report summary --tsv >t
	same "$(sed -n 's/^All Ops	All ops	# Ops	//p' t)" \
	    "$(jq '."All Ops"[0]."# Ops"' j)"
	same '"NVIDIA H200"' "$(jq '."System Config"[0]."GPU Name(s)"' j)"
}

@test "every report in every form; -h shows how it comes about" {
	for r in $REPORTS; do
		for f in --dlprof --csv --tsv --json --jsonl '-w 80' '-w 200'; do
			echo "$r $f"
			# shellcheck disable=SC2086 # words
			dlp "$r" $f "$LENET" >out 2>err
			[ "$r" = expert_systems ] || [ -s out ]
			! grep -v '^dlp-correlate: \|^dlp-flops: ' err
		done
		dlp "$r" -h >out
		grep "^usage: dlp $r " out
		grep '^  dlp-parse FILE |' out
	done
	dlp kernel -k iteration -i 1 -h | grep -- '-k iteration'
	dlp kernel -w 80 -n 3 "$LENET" >out
	[ "$(wc -l <out)" -ge 5 ]
	grep ' more)' out
}

@test "-i: only these iterations count" {
	dlp iteration --tsv -k 'iteration' -i 1 "$LENET" >out 2>err
	[ "$(cut -f1 out | sort -u | paste -sd,)" = '1,Iteration' ]
	dlp kernel --tsv -k 'iteration' -i 1 "$LENET" >kern 2>err
	same "$(column 'GPU Duration (ns)' <out)" \
	    "$(column 'Total GPU Time (ns)' <kern)"
	dlp summary --dlprof -k 'iteration' -i 1-2 "$LENET" >out 2>err
	grep -x 'Aggregated Iterations,2' out
	grep -x 'Start Iteration,1' out
	grep -x 'Stop Iteration,2' out
}

@test "-D: only the ops of that domain" {
	for r in detail tensor; do
		dlp $r --tsv "$LENET" >all 2>err
		dlp $r --tsv -D default-domain "$LENET" >same 2>err
		cmp all same
		dlp $r --tsv -D nosuch "$LENET" >none 2>err
		! cmp -s all none
		! cut -f 2 none | grep -i aten
	done
	run dlp kernels -D default-domain "$LENET"
	[ "$status" -eq 2 ]
}

# The lines of the original's summary of a run with four GPUs that do not
# depend on more than these numbers.
# bats test_tags=more
@test "summary: four GPUs, a range of iterations, as the original prints them" {
	need_data dlprof/summary_4gpu.csv
	{
		printf '##dlp\t1\n'
		printf '##info\t%s\t%s\n' cpu 'AMD EPYC 7402 24-Core Processor' \
		    driver 510.47.03 framework 'PyTorch 1.11.0a0+b6df043' \
		    cuda 11.6 cudnn 8.3.0 nsys_version 2021.3.2.4-027534f \
		    dlprof_version 'v1.7.0 / r21.11' dlprof_build 28499851 \
		    n_iter 939 n_iter_aggregated 201 iter_start 200 \
		    iter_stop 400
		printf '#dev\tdev\tname\n'
		printf 'dev\t%d\tNVIDIA A100-SXM4-40GB\n' 0 1 2 3
		printf '#op\top_id\tdl_tc\nop\t1\tyes\nop\t2\tyes\nop\t3\tno\n'
		printf '#iter\titer\tdur_ns\n'
		for i in $(seq 200); do
			printf 'iter\t%d\t233408450\n' $i
		done
		printf 'iter\t201\t233408532\n'
		printf '#busy\titer\tdev\tclass\tdur_ns\n'
		# 21.9 % of four devices is 87.6 % of one
		printf 'busy\t200\t0\tdataload\t41097626314\n'
		printf '#%s\top_id\tshort\tn\tsum_dur_ns\tsum_api_dur_ns\n' \
		    optc opkern
		printf 'optc\t1\ta\t1\t43847528\t14730656\n'
		printf 'opkern\t1\ta\t1\t43847528\t14730656\n'
		printf 'opkern\t1\tb\t1\t80014739\t1\n'
		printf '#opstat\top_id\tsum_gpu_ns\tsum_dur_ns\n'
		printf 'opstat\t%d\t%d\t%d\n' 1 92129928 285544010 \
		    2 33570465 536192545 3 145383684 42474521314
		printf '#memstat\tapi\tsum_dur_ns\tsum_api_dur_ns\n'
		printf 'memstat\tcudaMemcpyAsync\t5703000\t23598000\n'
		printf 'memstat\tcudaMemsetAsync\t184\t697\n'
		printf '##end\t0\n'
	} >s
	report summary --dlprof >got
	cat got
	sed -n '/^System/,/^Wall/p; /^Tensor Core Kernel Util/p; /^Datal/p
	    /^Total It/,/^Average/p; /^All Ops/,/^,/p; /^Memory,/p
	    /^All Kernels/,/^,/p' "$DATA/dlprof/summary_4gpu.csv" >want
	[ "$(wc -l <want)" -ge 25 ]
	while IFS= read -r line; do
		echo "$line"
		grep -Fx -- "$line" got
	done <want
	grep '^All ops,271084077,43296257869,3$' got
}

@test "detail: TensorFlow has other columns; without details, none of them" {
	{
		printf '##dlp\t1\n##info\tmode\ttensorflow1\n'
		printf '#op\top_id\tdl_id\tname\tdir\top\tdl_tc\tdtype\tdl_in\tstack\n'
		printf 'op\t1\tIDENTITY_1\ta/b\t-\tIdentity\tno\tbool\tx:1: <0>\t-\n'
		printf '#opstat\top_id\tn'
		for x in n sum min max; do
			for y in dur gpu overhead idle; do
				printf '\t%s_%s_ns' $x $y
			done
		done
		printf '\nopstat\t1\t3\t3\t3\t3\t3\t10\t0\t10\t0\t3\t0\t3\t0\t4\t0\t4\t0\n'
		printf '##end\t2\n'
	} >s
	report detail --dlprof >got
	same '"IDENTITY_1","a/b","Identity",3,no,no,10,3.3,3,4,0,0.0,0,0,10,3.3,3,4,0,0.0,0,0,bool,"x:1: <0>"' \
	    "$(sed 1,2d got)"
	if [ -e "$DATA/dlprof/detailed_tensorflow1.csv" ]; then
		same "Op ID,$(sed -n 2p "$DATA/dlprof/detailed_tensorflow1.csv")" \
		    "$(sed -n 2p got)"
	fi
	dlprof_detailed=false report detail --dlprof >got
	sed -n 2p got | grep 'Max GPU Idle (ns)$'
	dlprof_mode=pytorch report detail --dlprof | sed -n 2p |
	    grep 'Op Name,Direction,.*,Data Type,Stack Trace$'
}

@test "wrong usage, broken input: a line, 2" {
	for args in 'kernel nix' 'kernel' 'kernel --from' 'kernel --from s s' \
	    'kernel a b' 'summary --from nix' 'detail --dlprof -w 80 x'; do
		rc=0
		# shellcheck disable=SC2086 # words
		dlp $args >out 2>err </dev/null || rc=$?
		echo "$args: $rc: $(<err)"
		[ $rc -eq 2 ]
		[ ! -s out ]
		[ "$(wc -l <err)" -eq 1 ]
	done
	stream "$LENET" busy tree stat >whole
	head -n -1 whole >s
	for r in $REPORTS; do
		rc=0
		report "$r" --dlprof >out 2>err || rc=$?
		echo "$r: $rc $(<err)"
		[ $rc -eq 2 ]
	done
	grep -v '^#opkern' whole >t
	rc=0
	dlp kernel --from t >out 2>err || rc=$?
	[ $rc -eq 2 ]
}

@test "text in a report: quotes, commas, line ends, what looks like none" {
	{
		printf '##dlp\t1\n#op\top_id\tdl_id\tname\tdir\n'
		printf 'op\t1\tX_1\ta"b,c\\nd\t-\n'
		printf '#opkern\top_id\tshort\tlast_tc\tn'
		for x in n sum min max; do
			printf '\t%s_dur_ns\t%s_api_dur_ns' $x $x
		done
		printf '\nopkern\t1\t\\x2d\tno\t2\t2\t0\t5\t-\t2\t-\t3\t-\n'
		printf '##end\t2\n'
	} >s
	report kernel --dlprof >got
	same '"-","X_1","a""b,c
d",,no,5,2.5,2,3,,,,' "$(sed 1,2d got)"
	{
		printf '##dlp\t1\n'
		printf '#str\tid\ttext\nstr\t1\tk<"a", \\x01b>\n'
		printf '#op\top_id\tdl_id\tname\tdir\top\tdtype\tdl_in\tdl_out\n'
		printf 'op\t1\tX_1\ta"b,c\\nd\t-\tx\t-\t-\t<1>\n'
		printf '#opkern\top_id\tshort\tlast_name_id\nopkern\t1\tk\t1\n'
		printf '#kern\titer\top_id\tshort\tdev\tstart_ns\tdur_ns'
		printf '\tapi_start_ns\tapi_dur_ns\ttc\tgrid\tblock\n'
		printf 'kern\t0\t1\tk\t0\t20\t5\t10\t-\tno\t1,2,3\t-\n'
		printf '##end\t4\n'
	} >t
	want='0,"X_1","a""b,c
d",,"x","k",0,20,5,10,,no,1,2,3,,,,,"","","<1>","k<""a"", '$'\001''b>"'
	same "$want" "$(dlp iteration --from t --dlprof | sed 1,2d)"
	same "$want" "$(dlp iteration --from t --csv | sed 1d)"
	report kernel --json | jq -e '."Kernel Report"[0] |
	    ."Kernel Name" == "-" and ."Op Name" == "a\"b,c\nd" and
	    .Direction == null and ."Total API Time (ns)" == null'
}

# One short name for two kernels of an op: the one launched first uses Tensor
# Cores, the last one does not. An op uses them if any kernel does.
@test "Tensor Cores of an op: any of its kernels, not the last of a name" {
	cat >in <<-'EOT'
	##dlp	1
	#op	op_id	dl_id	name	dir	op	dl_tc	dtype	dl_in	stack
	op	1	LINEAR_1	a	fprop	linear	yes	float16	-	-
	op	2	LINEAR_2	b	fprop	linear	yes	float16	-	-
	#inst	inst_id	op_id	op	start_ns	dur_ns	gpu_ns	overhead_ns	idle_ns	api_ns
	inst	1	1	linear	0	100	70	0	0	0
	inst	2	2	linear	0	100	10	0	0	0
	#kern	op_id	short	name_id	dur_ns	api_dur_ns	tc
	kern	1	Kernel2	1	40	4	yes
	kern	1	Kernel2	2	30	3	no
	kern	2	Kernel2	2	10	1	no
	##end	7
	EOT
	(
		. "$ROOT/pipelines/reports/dlprof/stream.sh"
		dlprof_stat <in
	) >s
	report detail --tsv >got
	same "LINEAR_1 yes
LINEAR_2 no" "$(sed 1d got | cut -f 1,7 | tr '\t' ' ')"
	report kernel --tsv >got
	same "LINEAR_1 yes 70
LINEAR_2 no 10" "$(sed 1d got | cut -f 2,5,6 | tr '\t' ' ')"
	report tensor --tsv >got
	# op, uses, all, with and without Tensor Cores, share, kernel names
	same "LINEAR_1 yes 70 40 30 57.1 2 1 Kernel2 1 Kernel2
LINEAR_2 no 10 0 10 0.0 1 0  1 Kernel2" \
	    "$(sed 1d got | cut -f 1,5- | tr '\t' ' ')"
	report summary --dlprof >got
	# of eligible ops 80 ns, 40 of them with Tensor Cores
	grep -qx 'Tensor Core Kernel Utilization %,50.0' got
	grep -qx 'Ops using TC,70,100,1' got
	grep -qx 'Kernels using TC,40,4,1' got
	grep -qx 'All other kernels,40,4,1' got
}

@test "a stream in the place of the profile, in a file or a pipe" {
	dlp-parse "$LENET" >parsed
	dlp-correlate -D parsed 2>err | dlp-flops | dlp-iter -D >cut
	dlp-correlate parsed >plain 2>err
	dlp-merge parsed parsed >two
	for r in $REPORTS; do
		dlp $r --csv "$LENET" >want 2>err
		for s in parsed cut; do
			dlp $r --csv $s 2>err | cmp want -
			dlp $r --csv - <$s 2>err | cmp want -
		done
		run dlp $r --csv - <plain
		[ "$status" -eq 2 ]
		[[ $output == *'without --dlprof: give the output of dlp-parse' ]]
		for s in two -; do
			run dlp $r $s <two
			[ "$status" -eq 2 ]
			[[ $output == *': a stream of several files: '* ]]
		done
	done
}
