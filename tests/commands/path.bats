# bats file_tags=long
load ../lib

bats_require_minimum_version 1.5.0

# dlp path and dlp whatif --recorded on the profiles that come with dlp.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# segments FILE: rows that do not begin where the one before ends, then each
# step with the sum of its rows
segments() {
	dlp path -n 0 --tsv "$1" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ s = $c["iter"] }
	s == "-" && s in end && $c["start_ns"] < end[s] { print "back", $0 }
	s != "-" && s in end && $c["start_ns"] != end[s] { print "gap", $0 }
	$c["dur_ns"] <= 0 { print "empty", $0 }
	{ end[s] = $c["start_ns"] + $c["dur_ns"]; sum[s] += $c["dur_ns"] }
	END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort
}

# Steps, as dlp-iter finds them; without any, the whole profile.
lengths() {
	dlp iters --tsv "$1" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ print $c["key"] == "-" ? "-" : $c["iter"], $c["step_ns"] }' | sort
}

@test "the segments of a step add up to it exactly, and follow each other" {
	local f got
	for f in "$ROOT"/tests/data/h200/*.sqlite.xz \
	    "$ROOT"/tests/data/{lenet,loader,resnet-after}.sqlite.xz; do
		dlp-parse "$f" 2>/dev/null >stream
		got=$(segments stream)
		want=$(lengths stream)
		[ -n "$want" ]
		grep -q '^-' <<<"$want" || got=$(grep -v '^- ' <<<"$got")
		same "$want" "$got"
	done
}

# bats test_tags=all
@test "without a change the replay is the step; less work is never longer" {
	local f
	for f in "$ROOT"/tests/data/h200/*.sqlite.xz; do
		for o in --scale=.*=1 --scale=.*=0.5 --scale=.*=0.1 \
		    --zero-launch --remove=.; do
			dlp whatif --recorded "$o" "$f" 2>/dev/null
		done | awk -F'\t' -v f="$f" '
		$1 == "iter" { run++; next }
		$5 !~ /^[0-9.]+$/ || $5 > 2 { print f, "error", $0 }
		run == 1 && $4 != $3 { print f, "scale 1", $0 }
		run == 1 { was[$1] = $4 }
		$4 > was[$1] || $4 < 0 { print f, run, "longer", $0 }
		run == 2 { was2[$1] = $4 }
		run == 3 && $4 > was2[$1] { print f, "not monotone", $0 }' >>bad
	done
	same '' "$(cat bad)"
}

# The busiest stream, within each step.
@test "a prediction is not below the busiest stream" {
	f=$ROOT/tests/data/h200/gpt2_bf16.sqlite.xz
	dlp-parse "$f" | dlp-correlate | dlp-iter | awk -F'\t' '
	/^#(kern|copy|set|iter)\t/ { for (i = 1; i <= NF; i++) c[substr($1, 2), $i] = i }
	/^(kern|copy|set)\t/ && $c[$1, "iter"] != "-" {
		s[$c[$1, "iter"], $c[$1, "stream"]] += $c[$1, "dur_ns"] }
	END { for (k in s) { split(k, p, SUBSEP); if (s[k] > m[p[1]]) m[p[1]] = s[k] }
		for (i in m) printf "%s %.0f\n", i, m[i] }' | sort >busy
	dlp whatif --recorded --zero-launch --tsv "$f" | awk 'NR > 1 { print $1, $4 }' | sort >got
	join busy got | awk '{ n++ } $3 < 0.99 * $2 { print } END { exit n == 0 }' >low
	same '' "$(cat low)"
}

# The bytes of the all-reduces of a step at 0.1 GB/s are a lower bound.
@test "links of another bandwidth: bytes by it, never longer if it is higher" {
	f=$ROOT/tests/data/h200/ddp2_rank0.sqlite.xz
	dlp-parse "$f" | dlp-correlate | dlp-flops -q | dlp-iter | awk -F'\t' '
	/^#kern\t/ { for (i = 1; i <= NF; i++) c[$i] = i }
	/^kern\t/ && $c["op"] == "all_reduce" && $c["iter"] != "-" {
		s[$c["iter"]] += $c["bytes"] / 0.1 }
	END { for (i in s) printf "%s %.0f\n", i, s[i] }' | sort >bytes
	for x in 0.1 10 1000; do
		dlp whatif --recorded --bandwidth $x --tsv "$f" 2>err
		grep -q "^$f: .* their bytes are not known" err
	done | awk '$1 != "iter" { print $1, $4 }' | sort -s -k 1,1 >got
	join bytes got | awk '{ n++; r = $1 == i ? r + 1 : 1; i = $1 }
	r == 1 && $3 < $2 || r > 1 && $3 > was { print }
	{ was = $3 } END { exit n < 6 }' >bad
	same '' "$(cat bad)"
}

@test "another number type: as dlp advise has it; a type that is not there changes nothing" {
	f=$ROOT/tests/data/h200/resnet50_fp32.sqlite.xz
	dlp whatif --dtype fp32=tf32 --tsv "$f" 2>err >got
	grep -q "^$f: .* their number type or their work is not known" err
	same "$(dlp advise --tsv "$f" 2>/dev/null | awk -F'\t' '$1 == "tc_unused" { print $3 }')" \
	    "$(awk '$1 != "iter" { s += $5; n++ } END { printf "%.0f", s / n }' got)"
	# the program with TF32 takes 13.87 to 14.27 ms without the recording
	awk '$1 != "iter" && ($5 < 0.85 * 13870000 || $5 > 1.15 * 14270000)' got >bad
	same '' "$(cat bad)"
	dlp whatif --recorded --dtype fp64=fp32 --tsv "$f" 2>err | awk '$1 != "iter" && $3 != $4' >bad
	same '' "$(cat bad)"
}

# What a step begins with can wait for the step before, which -i must not hide.
@test "dlp whatif: people get the mean of the steps of the screen, and what each change gains" {
	f=$ROOT/tests/data/resnet-after.sqlite.xz
	dlp whatif --all --tsv -i 1-2 "$f" | awk 'NR > 1 { n++; a += $4; b += $5 }
	END { printf "all %d %.2f %.2f\n", n, a / n / 1e6, b / n / 1e6 }' >want
	dlp whatif --all -w 100 "$f" | awk '$1 == "all" { print $1, $2, $4, $5 }' | diff want -
	dlp whatif --all -w 100 "$f" | grep -c '^launches \|^optimizer ' | grep -x 2
}

@test "dlp path -i and dlp whatif --recorded -i: the rows of that step of all" {
	local f i n=0
	for f in "$ROOT"/tests/data/h200/{resnet50_fp32,gpt2_bf16,ddp2_rank0,graph_infer}*.sqlite.xz \
	    "$ROOT"/tests/data/lenet.sqlite.xz; do
		dlp-parse "$f" 2>/dev/null >stream
		dlp path -n 0 --tsv stream 2>/dev/null >all
		dlp whatif --recorded --zero-launch --tsv stream 2>/dev/null >what
		for i in $(awk '$1 ~ /^[0-9]+$/ { print $1 }' what | head -3); do
			n=$((n + 1))
			awk -F'\t' -v i="$i" 'NR == 1 || $1 == i' all >want
			dlp path -n 0 -i "$i" --tsv stream 2>/dev/null >got
			cmp want got
			awk -F'\t' -v i="$i" 'NR == 1 || $1 == i' what >want
			dlp whatif --recorded --zero-launch -i "$i" --tsv stream 2>/dev/null >got
			cmp want got
		done
	done
	[ "$n" -gt 8 ]
}

@test "merged segments are those of the path, put together by awk" {
	local f
	for f in "$ROOT"/tests/data/{lenet,loader}.sqlite.xz "$ROOT"/tests/data/h200/{gpt2_bf16,ddp2_rank0}.sqlite.xz; do
		dlp-parse "$f" 2>/dev/null | dlp-correlate 2>/dev/null | dlp-iter --cuts >in
		dlp-path in | awk -F'\t' -v OFS='\t' '
		function put() { if (n) print "path", first[2], first[3], first[4], first[5], name, first[7], first[8], first[9], sum, n, max }
		$1 != "path" { next }
		{ key = $2 FS $4 FS $5 FS $7 FS $8 }
		key != was || $9 != end { put(); split($0, first); name = $6; n = sum = max = 0 }
		{ was = key; end = $9 + $10; n++; sum += $10; if ($10 > max) max = $10
		  if ($6 != name) name = "-" }
		END { put() }' >want
		dlp-path --merge in | awk -F'\t' '$1 == "path"' | cut -f 1-12 >got
		[ "$(wc -l <want)" -gt 100 ]
		cmp want got
	done
	run ! dlp-path --merge --replay in
}

@test "waits of streams for events that are not recorded are said" {
	f=$ROOT/tests/cases/dlp-path/no-steps/in
	dlp path "$f" 2>err >out
	grep -q "^$f: 1 waits of streams are for events that are not recorded" err
	grep -q cross_stream out
}

@test "the path of each rank is that of its file alone" {
	f=("$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz)
	dlp-parse --ranks "${f[@]}" | dlp-correlate | dlp-iter --cuts | dlp-path |
	    dlp-agg -T path -c src,iter,seg,kind,res,name,op,phase,dur_ns | grep '^path' >ranks
	for k in 0 1; do
		dlp-parse "${f[k]}" | dlp-correlate | dlp-iter --cuts | dlp-path |
		    dlp-agg -T path -c iter,seg,kind,res,name,op,phase,dur_ns | grep '^path' >want
		[ "$(wc -l <want)" -gt 5000 ]
		grep -F "${f[k]}" ranks | cut -f1,3- | cmp - want
	done
}

# Each point was compared with all threads: 64,000 took over 20 s.
@test "many threads: each hands over to the next, in little time" {
	awk 'BEGIN { OFS = "\t"; print "##dlp", 1
	    print "#kern", "id", "start_ns", "dur_ns", "pid", "tid", "dev",
		"stream", "short", "api_start_ns", "api_dur_ns", "api"
	    for (n = 64000; i < n; i++)
		print "kern", i + 1, i * 10 + 5, 4, 1, i + 1, 0, 7, "k",
		    i * 10 + 2, 3, "cudaLaunchKernel"
	    print "##end", n }' >in
	timeout 10 dlp-path in >out
	# all of the time, and without holes
	same "639999" "$(awk -F'\t' '
	    /^#path/ { for (i = 2; i <= NF; i++) c[$i] = i }
	    /^path/ { n += $c["dur_ns"] } END { print n + 2 }' out)"
}

# The mean of a column over a profile's steps, replayed with a change, in ms.
replayed() { # file change column
	dlp-parse "$ROOT/tests/data/$1.sqlite.xz" | dlp-correlate | dlp-iter --cuts --even |
	    dlp-flops -q | dlp-rate -T agg | dlp-path --replay --bare --each |
	    dlp-agg -T whatif --where "change==$2" -a mean -f "$3" |
	    awk '$1 == "agg" { print $NF / 1e6 }'
}

@test "ResNet-50 in fp32, replayed with Tensor Cores, takes what it took in TF32" {
	p=$(replayed resnet-before tensor_cores predicted_ns)
	m=$(replayed resnet-after launches bare_ns)
	awk -v p="$p" -v m="$m" 'BEGIN { exit !(m > 10 && p > 0.8 * m && p < 1.2 * m) }'
}
