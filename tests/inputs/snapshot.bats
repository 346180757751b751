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

@test "random snapshots of every form" {
	command -v python3 >/dev/null || skip "no python3"
	mkdir g
	python3 "$G" make g "${SEED:-7}"
	same g/*.pickle
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
