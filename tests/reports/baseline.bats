# dlp baseline, and dlp diff with its folder; KEEP=1 of dlp-batch.mk.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	BEFORE=$(profile "$ROOT/tests/data/resnet-before.sqlite.xz")
	AFTER=$(profile "$ROOT/tests/data/resnet-after.sqlite.xz")
}

@test "a baseline is what the reports say, and compares as dlp diff does" {
	dlp baseline save base "$AFTER" 2>/dev/null
	cmp base/overview.tsv <(dlp --tsv "$AFTER" 2>/dev/null)
	cmp base/ops.tsv <(dlp top --tsv -n 0 "$AFTER" 2>/dev/null)
	cmp base/findings.tsv <(dlp advise --jsonl "$AFTER" 2>/dev/null |
	    jq -r '[.id, .gain_ns // "-"] | @tsv')
	grep -qx "$(printf 'gpu\tNVIDIA H200')" base/session.tsv
	dlp diff --tsv "$AFTER" "$BEFORE" >want 2>/dev/null
	dlp diff --tsv base "$BEFORE" 2>/dev/null | cmp want -
	dlp baseline compare --tsv base "$BEFORE" >got 2>err
	cmp want got
	grep -q '^dlp baseline: new finding: tc_unused, 28.8 ms of a step$' err
	grep -q '^dlp baseline: gone: launch_bound$' err
	# the gate: slower by 71 %
	run -1 dlp baseline compare --fail-over 50% base "$BEFORE"
	run -0 dlp baseline compare --fail-over 80% base "$BEFORE"
	run -1 dlp diff --fail-over 50% base "$BEFORE"
	run -0 --separate-stderr dlp baseline compare --fail-over 1% base "$AFTER"
	! grep 'finding\|gone' <<<"$stderr" || false
	same "base" "$(ls -d base*)"
}

@test "two runs of a baseline; one that exists; profiles that fail" {
	dlp baseline save base "$AFTER" "$AFTER" 2>/dev/null
	same "run-1.dlp run-2.dlp" "$(cd base && echo run-*)"
	dlp diff --tsv -m 2 "$AFTER" "$AFTER" "$BEFORE" >want 2>/dev/null
	dlp diff --tsv base "$BEFORE" 2>/dev/null | cmp want -
	cp -r base copy
	run -2 --separate-stderr dlp baseline save base "$BEFORE"
	same 'dlp baseline: base exists; --force replaces it' "$stderr"
	run -2 dlp baseline save --force base none.sqlite
	diff -r base copy
	dlp baseline save --force base "$BEFORE" 2>/dev/null
	same run-1.dlp "$(cd base && echo run-*)"
	run -2 --separate-stderr dlp baseline save two "$AFTER" "$LENET"
	same "dlp baseline: $LENET runs another program than $AFTER: a baseline for each" "$stderr"
	[ ! -e two ]
	mkdir other
	run -2 --separate-stderr dlp baseline save --force other "$BEFORE"
	same 'dlp baseline: other is not a baseline' "$stderr"
	echo x >bad.sqlite
	run -2 dlp baseline save new bad.sqlite
	same "" "$(ls -d new* 2>/dev/null)"
	for bad in '' nonsense save 'save new' "compare none $AFTER" "save -x new $AFTER"; do
		# shellcheck disable=SC2086 # words
		run -2 dlp baseline $bad
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "another GPU is refused, another driver is a note" {
	cp "$AFTER" a.sqlite
	cp a.sqlite b.sqlite
	dlp baseline save base a.sqlite 2>/dev/null
	sqlite3 a.sqlite "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA A100'"
	run -2 --separate-stderr dlp baseline compare base a.sqlite
	same 'dlp diff: gpu of the baseline: NVIDIA H200; of a.sqlite: NVIDIA A100: not comparable' \
	    "$stderr"
	run -2 dlp diff base a.sqlite
	run -2 dlp baseline save two a.sqlite b.sqlite
	[ ! -e two ]
	sed -i 's/^driver.*/driver	1.2.3/' base/session.tsv
	run -0 --separate-stderr dlp baseline compare base b.sqlite
	grep -q '^dlp diff: driver of the baseline: 1.2.3; of b.sqlite: ' <<<"$stderr"
}

@test "another program is said, and no gate passes it; a stream is a profile" {
	dlp baseline save base "$AFTER" 2>/dev/null
	run -0 --separate-stderr dlp baseline compare base "$LENET"
	grep -q "^dlp baseline: $LENET has fewer than half of the baseline's ops: another program?" <<<"$stderr"
	run -2 --separate-stderr dlp baseline compare --fail-over 5% base "$LENET"
	grep -q 'another program?$' <<<"$stderr"
	[ -z "$output" ]
	run -2 --separate-stderr dlp baseline compare base
	grep -q '^dlp baseline: which profiles?' <<<"$stderr"
	dlp-parse "$AFTER" >a.dlp 2>/dev/null
	dlp baseline compare --tsv --fail-over 5% base a.dlp 2>err >got
	run -1 grep -e gpu -e driver err
	dlp diff --tsv base <(cat "$AFTER") 2>err | cmp got -
	grep -q 'can be read once: its GPU is not compared' err
}

@test "dlp-batch.mk KEEP=1: the total of those that can be read, the others by name" {
	cp "$ROOT"/tests/data/resnet-after.sqlite.xz a.sqlite.xz
	cp "$ROOT"/tests/data/resnet-before.sqlite.xz b.sqlite.xz
	mk() {
		env -u MAKEFLAGS -u MAKELEVEL make -s -f "$PIPES/dlp-batch.mk" "$@"
	}
	mk total.tsv 2>/dev/null
	mv total.tsv want
	rm -f ./*.part
	echo x >bad.sqlite
	run mk -k total.tsv
	[ "$status" -eq 2 ]
	grep -q 'bad.part' <<<"$output"
	[ ! -e total.tsv ]
	mk KEEP=1 -j2 total.tsv 2>err
	cmp want total.tsv
	same bad.part "$(<failed.txt)"
	grep -qx 'missing: 1, failed.txt names them' err
	grep -qx 'bad.part: failed; going on' err
	cp a.sqlite.xz 'a b.sqlite.xz'
	mk KEEP=1 total.tsv 2>err
	cmp want total.tsv
	same "bad.part
./a b.sqlite.xz" "$(<failed.txt)"
	mk KEEP=1 REPORTS='top ops' all 2>err
	same "bad.ops.csv
bad.top.csv
./a b.sqlite.xz" "$(sort failed.txt | grep bad; grep -v bad failed.txt)"
	[ -s a.top.csv ]
	# what failed and is repaired is not missing; what breaks is not kept
	rm 'a b.sqlite.xz'
	cp "$LENET" bad.sqlite
	mk KEEP=1 total.tsv 2>err
	[ ! -e failed.txt ]
	! cmp -s want total.tsv || false
	sleep 0.1
	echo x >bad.sqlite
	mk KEEP=1 total.tsv 2>err
	cmp want total.tsv
	rm -f a.sqlite.xz b.sqlite.xz ./*.part
	run mk KEEP=1 total.tsv
	[ "$status" -eq 2 ]
}
