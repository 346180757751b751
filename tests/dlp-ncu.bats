# dlp-ncu: counters of Nsight Compute beside the kernels of a stream. What is
# expected stands in the counters themselves, read with awk or python3.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	L=$ROOT/tests/data/lenet.sqlite.xz
	TSV=$ROOT/tests/data/lenet.ncu.tsv
	CSV=$ROOT/tests/data/mini.ncu.csv
}

# A stream with the kernels of the CSV, made with its own values.
mini() {
	grep '^"[0-9]' "$CSV" | awk -F'","' '
	{
		gsub(/[() ]/, "", $8)
		gsub(/[() ]/, "", $9)
		s = s sprintf("str\t%d\t%s\n", NR, $5)
		k = k sprintf("kern\t%d\t%d\t%s\t%s\n", NR, NR, $9, $8)
	}
	END {
		printf "#str\tid\ttext\n%s", s
		printf "#kern\tid\tname_id\tgrid\tblock\n%s", k
	}'
}

@test "nine kernels of ncu's own CSV: 2MNK on Tensor Cores, none in FP32" {
	mini >s
	[ "$(grep -c '^kern' s)" -eq 9 ]
	dlp-ncu "$CSV" s >out
	# bf16 fp16 fp64 complex64 fp32 tf32 int8 fp8, and an addition
	dlp-fmt --csv -c ncu_tc,ncu_tensor_flop out >got
	awk 'BEGIN { printf "%.0f\n", 2 * 2048 ^ 3 }' | grep -qx 17179869184
	same 'ncu_tc,ncu_tensor_flop
yes,17179869184
yes,17179869184
yes,17179869184
yes,68719476736
no,0
yes,17179869184
yes,17179869184
yes,17179869184
no,0' "$(<got)"
}

@test "the values are those of the CSV, separators taken out" {
	command -v python3 >/dev/null || skip "no python3"
	mini | dlp-ncu -m 'sm__inst_executed_pipe_tensor.*' "$CSV" |
	    dlp-fmt --csv -c ncu_mma_inst,ncu_dram_read_bytes,ncu_dram_write_bytes,ncu_dur_ns,ncu_sm_inst_executed_pipe_tensor_avg |
	    tail -n +2 >got
	python3 - "$CSV" >want <<-'END'
	import csv, sys
	rows = [r for r in csv.reader(l for l in open(sys.argv[1])
	                              if not l.startswith('=='))]
	h = rows[0].index
	f = lambda r, n: float(r[h(n)].replace(',', ''))
	def text(s):
	    s = s.replace(',', '')
	    return s.rstrip('0').rstrip('.') if '.' in s else s
	for r in rows[2:]:
	    p = 'sm__inst_executed_pipe_tensor'
	    print('%d,%d,%d,%d,%s' % (
	        f(r, p + '.sum') - f(r, p + '_op_hmma_type_hfma2.sum'),
	        f(r, 'dram__bytes_read.sum'), f(r, 'dram__bytes_write.sum'),
	        f(r, 'gpu__time_duration.sum'), text(r[h(p + '.avg')])))
	END
	diff want got
}

@test "metrics by name and pattern; units in the columns' names" {
	mini | dlp-ncu -m 'gpu__time_duration.max,launch__shared_mem_config_size,launch__occupancy_cluster_pct,device__attribute_display_name' \
	    "$CSV" >s
	grep -q '^#kern.*	ncu_gpu_time_duration_max_ns	' s
	grep -q '^#kern.*	ncu_launch_shared_mem_config_size_bytes	' s
	grep -q '^#kern.*	ncu_launch_occupancy_cluster_pct	' s
	grep '^kern	1	' s | grep -q '	25504	233472	3.12	NVIDIA H200$'
}

@test "units that ncu chose are ours again" {
	cat >c.csv <<-'END'
	==PROF== Connected
	"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","gpu__time_duration.sum","sm__cycles_elapsed.avg.per_second","x.sum"
	"","","","","Mbyte","usecond","Ghz",""
	"0","void f(int, ""a, b"")","(32, 1, 1)","(1, 2, 3)","1.5","12.25","1.75","n/a"
	==WARNING== something
	"1","short"
	END
	printf '#str\tid\ttext\nstr\t1\tvoid f(int,"a,b")\n' >s
	printf '#kern\tid\tname_id\tgrid\tblock\n' >>s
	printf 'kern\t1\t1\t1,2,3\t32,1,1\n' >>s
	dlp-ncu -m 'sm__cycles*,x.sum' c.csv s >out
	dlp-fmt --csv -c ncu_tc,ncu_mma_inst,ncu_dram_read_bytes,ncu_dur_ns,ncu_sm_cycles_elapsed_avg_per_second_hz,ncu_x_sum \
	    out | tail -n 1 >got
	same 'unknown,-,1500000,12250,1750000000,-' "$(<got)"
	dlp-ncu c.csv s | grep -q '^kern'
}

@test "the n-th of its kind within the iteration" {
	dlp-parse "$L" | dlp-correlate | dlp-iter -k iteration >s
	dlp-ncu "$TSV" s >out
	[ "$(grep '^##note	ncu' out)" = '##note	ncu_matched	208' ]
	# each step has the 52 durations of the file, in its order
	dlp-fmt --tsv -c iter,idx,ncu_dur_ns -T kern out | tail -n +2 |
	    sort -n -k1,1 -k2,2 >got
	awk -F'\t' 'NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == "duration_ns")
				c = i
		next
	}
	{ print $c }' "$TSV" >want
	for i in 0 1 2 3; do
		awk -v i=$i '$1 == i { print $3 }' got | sort >a
		sort want | cmp - a
	done
	# without iterations only the first step has them
	dlp-parse "$L" | dlp-ncu "$TSV" >out
	grep -q '^##note	ncu_matched	52$' out
	grep -q '^##note	ncu_kernels_without_counters	156$' out
	# a whole run, by -a
	{
		cat "$TSV"
		for i in 1 2 3; do tail -n +2 "$TSV"; done
	} >four
	dlp-ncu -a four s | grep '^##note	ncu' >got
	same '##note	ncu_matched	208' "$(<got)"
	dlp-ncu four s | grep -q '^##note	ncu_rows_without_kernel	156$'
}

@test "verdicts by name equal the measured ones" {
	dlp-parse "$L" | dlp-correlate | dlp-flops | dlp-iter -k iteration |
	    dlp-ncu "$TSV" | dlp-fmt --csv -c tc,ncu_tc | tail -n +2 |
	    sort | uniq -c | awk '{ print $2 }' >got
	awk -F, '$1 != $2 { exit 1 }' got
}

@test "all real captures: every kernel finds its counters" {
	for n in gpt2_bf16 resnet50_tf32 everything; do
		dlp-parse "$(profile h200/$n.sqlite.xz)" | dlp-correlate |
		    dlp-iter -k iteration |
		    dlp-ncu "$DATA/h200/truth/$n.ncu.tsv" |
		    grep '^##note	ncu' >got
		cat got
		[ "$(wc -l <got)" -eq 1 ]
		grep -q ncu_matched got
	done
}

@test "what is wrong: one line, 2" {
	mini >s
	: >empty
	echo text >text
	echo '"ID","Kernel Name"' >nogrid
	grep -v '^"[0-9]' "$CSV" >norows
	for args in '' './none s' 'empty s' 'text s' 'nogrid s' 'norows s' \
	    ". s" "-m zork $CSV s" "$CSV none" "$CSV s s"; do
		rc=0
		# shellcheck disable=SC2086 # words
		dlp-ncu $args >out 2>err </dev/null || rc=$?
		echo "$args: $rc: $(<err)"
		[ $rc -eq 2 ]
		[ ! -s out ]
		[ "$(wc -l <err)" -eq 1 ]
	done
}

@test "no kernel of the stream is there: a warning, and all passes on" {
	dlp-parse "$L" >s
	dlp-ncu "$CSV" s >out 2>err
	grep -q 'no kernel' err
	[ "$(grep -c '^kern' out)" -eq 208 ]
	grep -q '^##note	ncu_rows_without_kernel	9$' out
}
