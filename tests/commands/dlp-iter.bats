# dlp-iter on real profiles, held against SQL over the same file, and its
# options, spool and errors.

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# records TYPE [FILE]: the data lines of a type, without the tag.
records() {
	sed -n "s/^$1	//p" "${@:2}"
}

correlated() {
	dlp-parse "$(profile "$1")" 2>/dev/null | dlp-correlate 2>/dev/null
}

@test "without ranges of steps kernels that repeat make them" {
	xz -dc "$ROOT/tests/data/advise/generate.sqlite.xz" >a.sqlite
	# ten steps of 160 kernels, of which the first two have one more
	steps=$(sqlite3 a.sqlite "SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE 'iteration %'")
	kernels=$(sqlite3 a.sqlite "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")
	sqlite3 a.sqlite 'DELETE FROM NVTX_EVENTS'
	dlp-parse a.sqlite 2>/dev/null | dlp-correlate 2>/dev/null |
	    dlp-iter 2>err | dlp-fmt --tsv -T iter -c key,n_kern >got
	same 'dlp-iter: steps begin where kernels repeat' "$(<err)"
	grep -c "repeated kernels	$((kernels / steps))" got >n
	[ "$(<n)" -ge $((steps - 1)) ]
	[ "$(<n)" -le "$steps" ]
	same "$kernels" "$(awk 'NR > 1 { n += $NF } END { print n }' got)"
	# many things once: nothing repeats
	dlp-parse "$ROOT/tests/data/h200/everything.sqlite.xz" 2>/dev/null |
	    dlp-correlate 2>/dev/null | dlp-iter 2>err | grep -c '^iter' >n
	same 1 "$(<n)"
	grep -q 'the whole profile is one iteration' err
}

@test "without a key: the step ranges, byte by byte" {
	for p in lenet gpt2_bf16 resnet50_fp32 zoo; do
		if [ $p = lenet ]; then
			dlp-parse "$LENET" | dlp-correlate >in
		else
			correlated h200/$p.sqlite.xz >in
		fi
		dlp-iter in 2>err | grep -v '^##cmd' >a
		dlp-iter -k iteration in | grep -v '^##cmd' >b
		# the iterations' own records may come at another place
		grep -v '^#*iter	' a | cmp - <(grep -v '^#*iter	' b)
		same "$(records iter a)" "$(records iter b)"
		[ ! -s err ]
	done
}

@test "every record has an iteration or none; nothing is lost" {
	dlp-parse "$LENET" | dlp-correlate --ranges >in
	for key in 'iteration' loss_fn conv2d cross_entropy 3 nothing; do
		dlp-iter -k "$key" in >out 2>err
		awk -F'\t' '/^#/ { next } $1 != "iter" { n[$1]++ }
		    END { for (t in n) print t, n[t] }' out | sort >a
		awk -F'\t' '/^#/ { next } { n[$1]++ }
		    END { for (t in n) print t, n[t] }' in | sort >b
		cmp a b
		# kernels in the iter records and outside are all kernels
		n=$(records iter out | awk -F'\t' '{ n += $10 } END { print n }')
		m=$(awk -F'\t' '/^#kern/ { for (i = 1; i <= NF; i++) p[$i] = i }
		    $1 == "kern" { n += $p["iter"] == "-" }
		    END { print n + 0 }' out)
		[ $((n + m)) = "$(grep -c '^kern	' in)" ]
	done
}

@test "a key op: cuts where its runs end" {
	dlp-parse "$LENET" | dlp-correlate >in
	id=$(awk -F'\t' '/^#op/ { for (i = 1; i <= NF; i++) p[$i] = i }
	    $1 == "op" && $p["op"] == "cross_entropy" {
		print $p["op_id"]; exit }' in)
	dlp-iter -k "$id" in >out
	# the ends of its runs are the starts of iterations 1, 2, ...
	same "$(awk -F'\t' -v id="$id" '/^#inst/ { for (i = 1; i <= NF; i++)
		p[$i] = i }
	    $1 == "inst" && $p["op_id"] == id {
		print $p["start_ns"] + $p["dur_ns"] }' in)" \
	    "$(records iter out | tail -n +2 | cut -f 3)"
	[ "$(records iter out | wc -l)" = 5 ]
	# one lies where the other ends
	records iter out | awk -F'\t' 'NR > 1 && $3 != end { exit 1 }
	    { end = $3 + $4 }'
}

@test "a range of iterations: those lines and no others" {
	dlp-parse "$LENET" | dlp-correlate >in
	dlp-iter -k iteration in >all
	dlp-iter -k iteration --iter-start 1 --iter-stop 2 in >some
	awk -F'\t' '/^#/ { if ($1 !~ /^##/) for (i = 1; i <= NF; i++)
		if ($i == "iter") p[substr($1, 2)] = i; next }
	    !p[$1] || $p[$1] == 1 || $p[$1] == 2' all >want
	grep -v '^#' some | cmp - want
}

@test "a large stream waits in TMPDIR, and nothing stays there" {
	{
		printf '##dlp\t1\n#range\tid\tstart_ns\tdur_ns\ttext\n'
		printf '#kern\tid\tstart_ns\tdur_ns\tshort\n'
		awk 'BEGIN { for (i = 0; i < 120000; i++) {
			if (i % 1000 == 0)
				printf "range\t%d\t%d\t%d\tstep %d\n", i,
				    i * 10, 9995, i / 1000
			printf "kern\t%d\t%d\t%d\t%0100d\n", i, i * 10 + 1,
			    i % 7 + 1, i }
			print "##end\t120120" }'
	} >in
	mkdir tmp
	TMPDIR=$PWD/tmp dlp-iter in | grep -v '^##cmd' >a
	[ -z "$(ls tmp)" ]
	dlp-iter -k step in | grep -v '^##cmd' >b
	grep -v '^#*iter	' a | cmp - <(grep -v '^#*iter	' b)
	same "$(records iter a)" "$(records iter b)"
	[ "$(records iter a | wc -l)" = 120 ]
	# sums by awk
	same "$(awk -F'\t' '$1 == "kern" { s[int($2 / 1000)] += $4 }
	    END { for (i = 0; i < 120; i++) print s[i] }' in)" \
	    "$(records iter a | cut -f 9)"
	# no place to wait in
	run bash -c 'TMPDIR=/nonexistent dlp-iter in >out 2>err'
	[ "$status" = 2 ]
	[ "$(wc -l <err)" = 1 ]
	grep -q '^dlp-iter: /nonexistent/dlp-iter' err
}

@test "a range streams: records come before the input ends" {
	{
		printf '##dlp\t1\n#range\tid\tstart_ns\tdur_ns\ttext\n'
		printf '#kern\tid\tstart_ns\tdur_ns\n'
		printf 'range\t1\t0\t10\tstep 0\nkern\t2\t5\t1\n'
		for i in 1 2 3 4 5 6 7 8; do
			printf 'range\t%d\t%d\t10\tstep %d\n' $i ${i}0 $i
		done
		sleep 2
		: >late
		printf '##end\t10\n'
	} | dlp-iter -u -k step | while IFS= read -r line; do
		case $line in
		'iter	0	'*) [ -e late ] || : >early ;;
		esac
	done
	[ -e early ]
}

@test "two files of one process id are two runs, in one section" {
	cp "$LENET" a.sqlite
	cp a.sqlite b.sqlite
	dlp-parse a.sqlite | dlp-correlate | dlp-iter -k iteration |
	    dlp-fmt -T iter -c iter,dur_ns,gpu_ns,n_kern,n_op >one
	dlp-parse a.sqlite b.sqlite | dlp-correlate | dlp-iter -k iteration |
	    dlp-fmt -T iter -c src,iter,dur_ns,gpu_ns,n_kern,n_op >two
	[ "$(wc -l <one)" -eq 5 ]
	for f in a b; do
		grep "^$f.sqlite" two | cut -f 2- | diff <(tail -n +2 one) -
	done
}

@test "--even: no two alike, no steps; a file, not memory, holds the rest" {
	{
		printf '##dlp\t1\n#range\tid\tstart_ns\tdur_ns\tpid\ttid\ttext\n'
		for n in 1 2 3; do
			printf 'range\t%d\t%d\t%d\t1\t1\tstep %d\n' $n \
			    ${n}0000000 $((n * n * 1000)) $n
		done
		awk 'BEGIN { OFS = "\t"; for (i = 1; i <= 300000; i++)
			print "range", i + 3, 40000000 + i, 1, 1, 1, "work, of " \
			    "which there is more than is kept in memory" }'
		printf '##end\t300003\n'
	} >in
	dlp-iter -k step --even in >out 2>err
	# one alone is even with itself: the middle one of the three lengths
	same "$(dlp-iter -k step --list in | records iter - |
	    awk -F'\t' '$NF == "yes" { print $1 }' | paste -sd' ')" \
	    "$(records iter out | cut -f1 | paste -sd' ')"
	same 300003 "$(records range out | wc -l)"
	dlp-iter --even in 2>/dev/null | records range - | awk -F'\t' '{ print $NF }' |
	    sort -u | same 0 "$(cat)"
}

# An op without a name of its own has only a number, which differs from run to
# run: such come behind.
# bats test_tags=more
@test "--list: ops that only have a number come last; nothing is said to be" {
	need_data nsys/train-step-shapes-3.27.0.sqlite
	need_data nvprof/nerf-v18.sqlite
	dlp-parse "$DATA/nsys/train-step-shapes-3.27.0.sqlite" | dlp-correlate |
	    dlp-iter --list -n 0 | dlp-fmt --tsv -T cand -c key >out 2>/dev/null
	sed 1d out | awk '/^[0-9]+$/ { n++; next } n { bad++ }
	    END { exit !(n > 0 && !bad && NR > n) }'
	dlp-parse "$DATA/nvprof/nerf-v18.sqlite" 2>/dev/null |
	    dlp-correlate 2>/dev/null | dlp-iter --list 2>err >/dev/null
	same 'dlp-iter: no range or op occurs more than once, so there is no iteration key to propose' \
	    "$(cat err)"
	# the hint is a command that runs
	dlp top "$DATA/nvprof/lm-pyprof.sqlite" -k nosuch 2>err >/dev/null || true
	hint=$(sed -n 's/.*\(dlp-parse FILE.*cand\) proposes.*/\1/p' err)
	sh -c "$(sed "s|FILE|\"$DATA/nvprof/lm-pyprof.sqlite\"|" <<<"$hint")" >out
	[ "$(wc -l <out)" -gt 1 ]
}

@test "without a key the iterations that are there stay" {
	dlp-parse "$LENET" | dlp-correlate >in
	# of a range that is no step range, of an op, of the framework's ranges
	for k in backward conv2d iteration; do
		dlp-iter -k $k in >cut
		for o in '' --stable --even '--iter-start 1 --iter-stop 2' \
		    '--iter-start 1 --keep'; do
			# shellcheck disable=SC2086 # options
			dlp-iter -k $k $o in 2>e1 | sed '/^##cmd/d' >want
			# shellcheck disable=SC2086 # options
			dlp-iter $o cut 2>e2 | sed '/^##cmd/d' | cmp want -
			cmp e1 e2
		done
		# numbers that begin later, and again
		dlp-iter --iter-start 2 cut | sed '/^##cmd/d' >late
		dlp-iter late | sed '/^##cmd/d' | sort | cmp <(sort late) -
	done
	run -2 dlp-iter --iter-start 0 --iter-stop 1 --strict late
	same 'dlp-iter: no iteration 1: the stream has 2 to 3' \
	    "$(grep '^dlp-iter: ' <<<"$output")"
	dlp-iter --one in >one
	dlp-iter one | cmp <(sed '/^##cmd/d' one) <(sed '/^##cmd/d')
	# another key, or that of DLProf, cuts anew
	dlp-iter -k backward cut | cmp <(sed '/^##cmd/d') \
	    <(dlp-iter -k backward in | sed '/^##cmd/d')
	dlp-iter -D cut | cmp <(grep '^iter	') \
	    <(dlp-iter -D in | grep '^iter	')
	# no iterations that can be: found anew
	awk -F'\t' -v OFS='\t' '$1 == "iter" { $2 *= 2 } { print }' cut >odd
	dlp-iter odd | cmp <(sed '/^##cmd/d') <(dlp-iter in | sed '/^##cmd/d')
}

@test "steps whose length is not known are not of 0 ms" {
	dlp "$ROOT/tests/data/broken/flops_overflow.sqlite.xz" >out 2>/dev/null
	grep -q 'The length of steps is not known' out
	[ "$(grep -c 'per step$' out)" -eq 0 ]
}
