# What gates a change by its profile: the Makefile's target, the GitHub action,
# git bisect.
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	ln -s "$ROOT/tests/data/resnet-after.sqlite.xz" fast.sqlite.xz
	ln -s "$ROOT/tests/data/resnet-before.sqlite.xz" slow.sqlite.xz
}

gate() {
	make -s -f "$PIPES/dlp-batch.mk" gate "$@"
}

# The step's change by dlp diff alone, in percent.
change() {
	dlp diff --tsv -n 1 "$1" "$2" 2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	$1 == "step" { print $c["diff_pct"] }'
}

@test "make gate: a table in Markdown, and a status" {
	gate BEFORE=slow.sqlite.xz AFTER=fast.sqlite.xz >out 2>err
	grep "^| step |.*| $(change slow.sqlite.xz fast.sqlite.xz) | faster |" out
	run gate BEFORE=fast.sqlite.xz AFTER=slow.sqlite.xz
	same 2 "$status" # make's
	grep '^| step |.*slower' <<<"$output"
	gate BEFORE=fast.sqlite.xz AFTER=slow.sqlite.xz OVER=100% >out 2>err
}

# The shell text of a step of action.yml, by its name.
script() {
	awk -v name="- name: $1" '
	/^    - name: / { on = substr($0, 5) == name; run = 0 }
	on && run { print substr($0, 9) }
	on && /^      run: \|/ { run = 1 }' "$ROOT/action.yml"
}

@test "action.yml: its script, as a runner runs it" {
	script Compare >compare
	grep -q 'dlp diff' compare
	action() {
		BEFORE=$1 AFTER=$2 FAIL_OVER=5% BY=op ROWS=3 \
		    GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=output \
		    bash --noprofile --norc -eo pipefail compare
	}
	action slow.sqlite.xz fast.sqlite.xz
	same status=0 "$(<output)"
	grep '^| step |.*faster' summary
	rm summary output
	run action fast.sqlite.xz slow.sqlite.xz
	same 1 "$status"
	same status=1 "$(<output)"
	grep 'the step became 71.57 % slower' summary
	rm summary output
	run action fast.sqlite.xz none.sqlite
	same 2 "$status"
	same status=2 "$(<output)"
	# every input is used, and has a default or is needed
	for i in before after fail-over by rows; do
		grep -q "inputs.$i }}" "$ROOT/action.yml"
	done
}

@test "bisect.sh: git finds the commit that made the step slower" {
	command -v git >/dev/null || skip "no git"
	g() { git -c user.name=t -c user.email=t@t -c init.defaultBranch=main \
	    -c commit.gpgsign=false -C repo "$@"; }
	mkdir repo
	g init -q
	for f in fast fast broken fast slow slow; do
		echo $f >repo/which
		echo "$((++n))" >repo/n
		g add -A
		g commit -qm "commit $n"
	done
	cat >record <<-'EOF'
	f=$(cat which)
	[ "$f" != broken ] || exit 1
	cp "$1/$f.sqlite.xz" run.sqlite.xz
	EOF
	g bisect start HEAD HEAD~5 >out
	g bisect run sh "$PIPES/batch/bisect.sh" \
	    "$PWD/fast.sqlite.xz" 5% run.sqlite.xz sh "$PWD/record" "$PWD" \
	    >out 2>&1
	grep 'is the first bad commit' out
	same 'commit 5' "$(g log -1 --format=%s refs/bisect/bad)"
	run sh "$PIPES/batch/bisect.sh" fast.sqlite.xz
	same 128 "$status"
	run sh "$PIPES/batch/bisect.sh" fast.sqlite.xz 5% r.sqlite true
	same 125 "$status"
}
