# The reports about FLOPs, rates and Tensor Cores, against figures from outside.
# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "dlp mfu: what the backward pass computes again is no model FLOP" {
	cat >in <<-EOF
	##dlp	1
	#dev	dev	name
	dev	0	NVIDIA H200
	#iter	iter	key	step_ns	dur_ns	gpu_ns
	iter	0	s	2000	1000	1500
	#kern	dev	op_id	iter	dir	phase	family	flop	peak_ns	dur_ns	exec_flop	flop_ns
	kern	0	1	0	fprop	forward	gemm	989400	1	10	989400	10
	kern	0	1	0	fprop	backward	gemm	989400	1	10	989400	10
	kern	0	1	0	bprop	backward	attention	9894000	5	10	4947000	10
	kern	0	1	0	fprop	forward	pointwise	7	1	10	7	10
	kern	0	-	0	-	-	-	-	-	10	-	0
	##end	7
	EOF
	# the part of the report behind dlp-rate
	dlp mfu -h "$LENET" | sed '1,/^the pipeline:/d' | tr '\n' ' ' |
	    sed 's/ \\ / /g; s/.*dlp-rate -T kern |/cat in |/' >cmd
	bash cmd >got
	cat got
	# 1 + 4 of 2000 ns, and 7 of them; the mask leaves half of the attention;
	# of 40 ns of products, or what may be one, 30 are known
	same "0 s 0.25 0.35 2000 1000 4947000 11872800 6925800 75.00" \
	    "$(awk -F'\t' 'NR == 2 { print $1, $2, $3, $4, $5, $6, $7, $8, $14, $15 }' got)"
}

@test "dlp tc: all reasons stand in the manual" {
	for r in $(awk -F'"' '/^\t\{ "[a-z_0-9]*", [a-z_0-9]*, [a-z]* \},/ { print $2 }' \
	    "$ROOT/cmd/dlp-flops/tcwhy.c") library; do
		sed -n '/^.Ss Reasons/,/^.Sh/p' "$ROOT/man/dlp-tc.1" |
		    grep -qE "^\\.It (.* , )?$r( ,.*)?\$" || {
			echo "$r"
			return 1
		}
	done
}

# bats test_tags=more
@test "dlp tc: a product is one by its kernel's name, by SQL" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	db=$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite
	# the GPU is not known, nor the op of half of them; helpers are not meant
	sqlite3 "$db" "SELECT sum(end - start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s
	    ON s.id = k.demangledName WHERE s.value LIKE '%f32f32_f32f32%ffma%'
	    AND s.value NOT LIKE '%split_k_kernel%'" >want
	dlp tc --tsv "$db" | awk -F'\t' '$3 == "fp32" { ns += $5 }
	    END { print ns }' | diff want -
}

# bats test_tags=more
@test "what is not covered is listed, by time" {
	need_data nsys/h100-2gpu-aten-3.25.0.sqlite
	dlp coverage --tsv -n 3 "$DATA/nsys/h100-2gpu-aten-3.25.0.sqlite" \
	    2>/dev/null >got
	cat got
	grep -q '^op	before-window	43.75	' got
	for a in op shapes flop tc; do
		awk -F'\t' -v a=$a '$1 == a { s += $4; p += $3 }
		END { exit p < 99.9 || p > 100.1 }' got
	done
}

# bats test_tags=more
@test "a profile without GPU work: what dlp-parse says, and no rows" {
	need_data nsys/no-events.sqlite
	for r in flops mfu roofline tc coverage; do
		echo $r
		dlp $r "$DATA/nsys/no-events.sqlite" >out 2>err
		[ "$(wc -l <err)" -eq 1 ]
		grep "^[^ ]*: no GPU work" err
		[ "$(grep -c . out)" -le 2 ]
	done
}

# DLProf's database has no stride and padding, but the sizes of results.
# 2 N K P Q C R S: 2*32*6*30*30*3*3*3 + 2*32*16*11*11*6*5*5
# bats test_tags=more
@test "dlp flops: convolutions of DLProf's database" {
	need_data dlprof/w_relu/dlprof_dldb.sqlite
	dlp flops --tsv "$(profile dlprof/w_relu/dlprof_dldb.sqlite)" \
	    2>/dev/null >got
	same 27916800 "$(awk -F'\t' '$3 == "conv" { print $5 }' got)"
}

@test "a .dict has kernels only: reports of more refuse it, packed too" {
	printf "{'kShortName': 'k', 'kDuration': 5}\n" >net.dict
	xz -k net.dict
	dlp-parse net.dict >net.dlp
	# plot takes a picture's name
	for r in $({ all_reports; all_reports dlprof; } | grep -vx -e join -e diff -e plot); do
		if grep -qs kernels_do=1 "$PIPES/reports/$r"; then
			dlp "$r" net.dict >/dev/null
			continue
		fi
		for f in net.dict net.dlp; do
			run -2 dlp "$r" $f
			[[ $output == @("dlp $r"|dlp-parse)": $f: a .dict of PyProf"* ]]
		done
		# these want to know which tables, which op first
		run -2 dlp "$r" net.dict.xz
		[[ $output == *"a .dict"* || $r == @(stats|events) ]]
	done
	# what the screens and findings of a .dict propose works with it; times or none
	pyprof-parse "$ROOT/tests/data/ddp0.sqlite.xz" >run.dict 2>/dev/null
	for f in run.dict net.dict net.dlp; do
		dlp --json $f >doc
		same "$(jq -c '[.steps == null, .idle == []]' doc)" \
		    "$([ $f = run.dict ] && echo '[false,false]' || echo '[true,true]')"
		{ dlp -w 120 $f; dlp -v -w 300 $f; dlp advise --tsv $f; } 2>&1 |
		    grep -o 'dlp [a-z]\+\( --[a-z-]*\| -a\)*' | sort -u >named
		echo "$f: $(xargs <named)"
		[ -s named ] || [ $f != run.dict ]
		while read -r line; do
			$line $f >/dev/null
		done <named
	done
	for args in '-k x' '-i 0'; do
		for f in net.dict net.dlp net.dict.xz; do
			run -2 dlp top $args $f
			echo "$output"
			[[ $output == *"durations of kernels, no times"* ]]
		done
	done
}
