# dlp-ncu: counters of Nsight Compute beside the kernels of a stream. What is
# expected stands in the counters themselves, read with awk or python3.

load ../lib

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

@test "no kernel of the stream is there: a warning, and all passes on" {
	dlp-parse "$L" >s
	dlp-ncu "$CSV" s >out 2>err
	grep -q 'no kernel' err
	[ "$(grep -c '^kern' out)" -eq 208 ]
	grep -q '^##note	ncu_rows_without_kernel	9$' out
}
