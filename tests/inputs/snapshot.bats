# Snapshots of PyTorch's memory: what Python's pickle reads of them, and hostile
# pickles.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	S=$ROOT/tests/data/snapshot
	G=$ROOT/tests/harness/snapshot.py
	for f in leak state unet; do
		xz -dc "$S/$f.pickle.xz" >$f.pickle
	done
}

# same FILE...: dlp mem --json says what a replay in Python does.
same() {
	for f; do
		dlp mem --json "$f" >got
		python3 "$G" compare "$f" <got || { echo "$f"; return 1; }
	done
}

@test "the shipped snapshots, as Python reads them" {
	command -v python3 >/dev/null || skip "no python3"
	same leak.pickle state.pickle unet.pickle
}

# torch.cuda.memory_stats() at the dump, and the program's own lines
@test "what PyTorch counted" {
	run -0 dlp mem --csv "$S/leak.pickle.xz"
	[ "${lines[1]}" = 0,2925527040,2252503040,2242936880,673024000,2806341680,1167,810,0 ]
	run -0 dlp mem --csv "$S/unet.pickle.xz"
	[ "${lines[1]}" = 0,2030043136,132210176,125892756,52339200,1122432920,3413,3112,0 ]
	# a[k] is 3 * 2**20 + 4096 * k bytes, k from 0 to 299
	run -0 dlp mem -g line --tsv "$S/leak.pickle.xz"
	[[ "$output" == *"0	other	leak.py	8	<module>	1127424000	300"* ]]
	# six layers of 2048 x 2048 and a bias, fp32: AdamW has two of each
	[[ "$output" == *"0	weights	leak.py	3	<module>	100712448	12"* ]]
	[[ "$output" == *"0	optimizer state	leak.py	5	step	201424896	24"* ]]
}

@test "random snapshots of every form" {
	command -v python3 >/dev/null || skip "no python3"
	mkdir g
	python3 "$G" make g "${SEED:-7}"
	same g/*.pickle
}

@test "screens, steps, growth, pipes" {
	run -0 dlp mem leak.pickle
	[[ "$output" == *"2.9 GB  reserved, in 159 segments"* ]]
	[[ "$output" == *"peak: 2.8 GB requested, at 6.399 s"* ]]
	# each of the 12 steps keeps its graph and its input of 1024 x 2048 floats
	[[ "$output" == *"83.9 MB  in 10 of 10 steps  other: leak.py:7 <module>"* ]]
	[ "$(dlp leak.pickle)" = "$output" ]
	run -0 dlp mem -g step --csv unet.pickle
	[ ${#lines[@]} = 12 ]
	run -0 dlp mem -g kind --csv leak.pickle
	[ "${lines[1]}" = "0,activations,1242562560,146" ]
	gzip -c leak.pickle >a.gz
	zstd -q -c leak.pickle >b
	dlp mem a.gz | cmp - <(dlp mem leak.pickle)
	dlp mem b | cmp - <(dlp mem leak.pickle)
	dlp-parse <leak.pickle >leak.dlp
	dlp mem leak.dlp | cmp - <(dlp mem leak.pickle)
	run dlp top leak.pickle
	[[ "$output" == *"has no GPU work: dlp mem, dlp diff and dlp folded show it"* ]]
	run -2 dlp mem -g step "$LENET"
	[ "$output" = "dlp mem: -g step: only of snapshots of PyTorch's memory" ]
}

@test "two snapshots, folded stacks" {
	run -0 --separate-stderr dlp diff --csv leak.pickle state.pickle
	[ "${lines[1]}" = "0,other,leak.py,8,<module>,1127424000,564019200,-563404800,300,150" ]
	# state has no allocation in its history: nobody knows its peak
	[[ "$(dlp diff leak.pickle state.pickle 2>&1)" == *"dlp diff: B: peak: -, as there is no history"* ]]
	[[ "$(dlp mem state.pickle)" == *"peak: -, as there is no history of allocations"* ]]
	run -2 dlp diff leak.pickle "$LENET"
	[ "$(dlp folded leak.pickle | awk '{ s += $NF } END { print s }')" = 2806341680 ]
	dlp folded leak.pickle | grep -q '^weights;<module> (snap.py:9);.*;cuda (module.py:1097);'
}

# The allocator that made them says what was free; of a block of more than 1 MiB, which may be
# larger than what was asked for, 1 MiB may be missing in the history.
@test "allocations that failed" {
	command -v python3 >/dev/null || skip "no python3"
	for lost in 0 900; do
		python3 "$G" oom o.pickle "${SEED:-3}" $lost >want
		dlp mem --json o.pickle >o.json
		python3 - want o.json <<-'END' || return 1
		import json, sys
		want = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
		got = [tuple(o[k + "_bytes"] for k in ("free", "reserved", "cached", "largest"))
		       for o in json.load(open(sys.argv[2]))[0]["oom"]]
		assert len(got) == len(want) > 20
		for g, w in zip(got, want):
		    assert g[:2] == w[:2] and 0 <= g[2] - w[2] < 3 << 20 and 0 <= g[3] - w[3] <= 1 << 20, (g, w)
		exact = sum(g == w for g, w in zip(got, want))
		assert exact > len(want) / 2, exact
		END
	done
	run -0 dlp mem o.pickle
	[[ "$output" == *"asked for 62.9 MB, train.py:7 step; the device had "*" free, the largest piece "* ]]
	dlp-parse o.pickle | dlp-mem | dlp-fmt --csv -T oom -c bytes,cached_bytes,line >got
	grep -qx '62914560,[0-9]*,7' got
}

@test "pickles that run code, and damaged ones, are refused" {
	command -v python3 >/dev/null || skip "no python3"
	mkdir h
	python3 "$G" hostile h
	for f in h/*.pickle; do
		run -2 --separate-stderr dlp-parse "$f"
		[ "${#stderr_lines[@]}" = 1 ] || { echo "$f: $stderr"; return 1; }
		n=${f##*/} n=${n%.pickle}
		case $n in
		*[a-z]*) ;;
		*) [[ "$stderr" == *" opcode $n"* ]] || { echo "$f: $stderr"; return 1; } ;;
		esac
	done
}

# bats test_tags=all
@test "memory does not grow with the file" {
	command -v python3 >/dev/null || skip "no python3"
	python3 "$G" large big.pickle 200000
	(ulimit -v 200000 && dlp-parse big.pickle >big.dlp)
	(ulimit -v 200000 && dlp-mem big.dlp | dlp-fmt --csv -T memdev -c peak_bytes,n_alloc,n_free >got)
	# each is released before the next one comes
	printf '%s\n' peak_bytes,n_alloc,n_free 1006,100000,100000 | cmp - got
}

@test "a snapshot that cannot be read, options of other inputs: status 2" {
	head -c 3000 leak.pickle >cut.pickle
	for report in '' mem 'mem -g line' 'mem -g step' 'mem --json' folded; do
		# shellcheck disable=SC2086 # words
		run -2 dlp $report cut.pickle
		[[ "$output" == *"cut.pickle: truncated"* ]]
	done
	for o in '--fail-over 5%' '-g op' '-i 1'; do
		# shellcheck disable=SC2086 # words
		run -2 dlp diff $o unet.pickle leak.pickle
		[[ "$output" == "dlp diff: -g, "*": not of snapshots of memory" ]]
	done
}
