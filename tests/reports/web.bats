# The viewer in real browsers: what it shows against the reports, what it must not
# do, and its use by keyboard.
# bats file_tags=all

load ../lib

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ -d "$ROOT/tests/web/node_modules" ] && command -v node >/dev/null ||
	    skip "no browser tests here: sh tests/bin/install-deps web installs what they need"
}

# pages NAME...: the pages of these shipped profiles
pages() {
	for f; do
		[ -f "$ROOT/tests/data/$f" ] || f=$f.sqlite.xz
		dlp html "$ROOT/tests/data/$f" >"$(basename "${f%.sqlite.xz}").html" 2>err ||
		    { cat err; return 1; }
	done
}

# check SUBJECT ARG...
check() {
	run node "$ROOT/tests/web/check.mjs" "$@"
	echo "$output"
	[ "$status" -ne 2 ] || skip "$output"
	[ "$status" -eq 0 ]
}

@test "each view shows something, at 1280 and 400 pixels, and asks nobody" {
	pages lenet h200/everything comm/colls
	check views "$PWD"/*.html
}

@test "tables equal the reports, of all steps and of some" {
	pages lenet h200/everything h200/ddp2_rank0 kineto/gpt2_bf16.json.gz
	check equal "$PWD"/*.html
}

@test "the commands of a page of a key, or of some steps, name these" {
	dlp html -k backward "$ROOT/tests/data/loader.sqlite.xz" >key.html 2>err
	check keyed "$PWD/key.html"
	dlp html -i 1-2 "$ROOT/tests/data/loader.sqlite.xz" >steps.html 2>err
	check made "$PWD/steps.html"
}

@test "a page of a file with rows that cannot be read says so" {
	dlp-parse "$LENET" | sed 's/^##end/##note\tbad_rows\t208\n&/' | dlp-html >unread.html
	check unread "$PWD/unread.html"
}

@test "a page of a .dict without times shows none" {
	pyprof-parse "$LENET" | sed "s/'dlp': \\[/&'x', /" >lenet.dict
	dlp html lenet.dict >dict.html 2>err
	check dict "$PWD/dict.html"
}

@test "whether graphs recorded as a whole use Tensor Cores is unknown" {
	pages h200/graph_infer_graph.sqlite.xz
	check graphs "$PWD"/*.html
}

@test "above the limit: sums equal the reports of everything, and views say what is left out" {
	dlp html --max-pieces 60 "$LENET" >cut.html 2>err
	check cut "$PWD/cut.html"
	check equal "$PWD/cut.html"
	check axe "$PWD/cut.html"
	dlp html --max-pieces 50 "$LENET" >none.html 2>err
	check views "$PWD/cut.html" "$PWD/none.html"
}

@test "above the limit: ranks, and events of memory" {
	dlp html --ranks --max-pieces 1500 "$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz >cut.html 2>err
	dlp html --max-pieces 1000 "$ROOT/tests/data/kineto/gpt2_bf16.json.gz" >mem.html 2>err
	check views "$PWD/cut.html" "$PWD/mem.html"
	check equal "$PWD/cut.html" "$PWD/mem.html"
}

@test "a comparison equals dlp diff" {
	dlp html "$ROOT/tests/data/resnet-before.sqlite.xz" "$ROOT/tests/data/resnet-after.sqlite.xz" \
	    2>err >compare.html
	check views "$PWD/compare.html"
	check equal "$PWD/compare.html"
}

@test "tables equal the reports in Firefox" {
	pages loader
	check equal -b firefox "$PWD/loader.html"
}

@test "each view shows something in Firefox" {
	pages lenet
	check views -b firefox "$PWD/lenet.html"
}

@test "axe finds no violation in any view, light and dark" {
	dlp html "$ROOT/tests/data/resnet-before.sqlite.xz" "$ROOT/tests/data/resnet-after.sqlite.xz" \
	    2>err >compare.html
	check axe "$PWD/compare.html"
}

@test "a page that was cut off, changed or saved while it was open says so" {
	pages lenet
	check broken "$PWD/lenet.html"
}

@test "a print has the width and the colors of paper, and the screen stays as it is" {
	pages kineto/gpt2_bf16.json.gz
	check print "$PWD"/*.html
}

# page PROFILE: its page, beside the profile
page() {
	cp "$ROOT/tests/data/$1" .
	dlp html "$(basename "$1")" >"$(basename "$1").html" 2>err
}

@test "times of the profile's clock count from their step" {
	page lenet.sqlite.xz
	page loader.sqlite.xz
	# the GPU is behind the CPU when steps begin
	page resnet-before.sqlite.xz
	page kineto/gpt2_bf16.json.gz
	check clock "$PWD"/*.html
}

@test "memory of a device is one picture, with the peaks of dlp mem" {
	page h200/everything.sqlite.xz
	page kineto/gpt2_bf16.json.gz
	check memory "$PWD"/*.html
	page snapshot/leak.pickle.xz
	check snapshot "$PWD/leak.pickle.xz.html"
}

@test "one header of 96 pixels, grey views with a reason, a sheet of keys, what findings gain" {
	pages lenet h200/everything h200/resnet50_tf32 kineto/gpt2_bf16.json.gz
	dlp html --ranks "$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz >ranks.html 2>err
	check screen "$PWD"/*.html
}

@test "the timeline by pointer and keys: tooltip, ranges, zoom, search" {
	pages h200/everything kineto/gpt2_bf16.json.gz
	check timeline "$PWD"/*.html
}

@test "sums of a range in the timeline equal the reports" {
	page h200/gpt2_bf16.sqlite.xz
	page kineto/resnet50_tf32.json.gz
	check sums "$PWD"/*.html
}

@test "all ranks stand in one timeline, and Overview says who waits" {
	dlp html --ranks "$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz >ranks.html 2>err
	check together "$PWD/ranks.html"
}

@test "another rank keeps the range, and a range has steps that there are" {
	dlp html --ranks "$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz >ranks.html 2>err
	check range "$PWD/ranks.html"
}

@test "hostile names are text" {
	{
		printf '##dlp\t1\n'
		printf '#kern\tid\tstart_ns\tdur_ns\tshort\top\tdir\tlayer\n'
		printf 'kern\t1\t5\t9\t</script><img src=x onerror=alert(1)>\t<b>bold</b>\tfprop\t<b>bold</b>\n'
		printf '#dev\tdev\tname\ndev\t0\t</script><!--<script>\n'
		printf '#finding\tid\tjudged\tproblem\nfinding\ta\tyes\t</SCRIPT><b>bold</b>\n'
		printf '##end\t3\n'
	} | dlp-html -t '<script>alert(2)</script>' >hostile.html
	check hostile "$PWD/hostile.html"
}

@test "an address restores what it was copied from" {
	pages lenet
	check links "$PWD/lenet.html"
}

@test "the links of findings lead to what they are about" {
	pages resnet-before loader advise/gpt_plain h200/zoo
	check findings "$PWD"/*.html
}

@test "long pieces are drawn beside short ones" {
	pages loader lenet
	check lanes "$PWD"/*.html
}

@test "a large page shows the GPU first, as full as it is, and then all lanes" {
	# kernels for 500 ns of each 1000, every fourth on Tensor Cores; runs of ops
	awk 'BEGIN {
		OFS = "\t"
		print "##dlp\t1"
		print "#kern", "id", "start_ns", "dur_ns", "dev", "stream", "pid", "tc"
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", "text"
		print "#inst", "inst_id", "op_id", "start_ns", "dur_ns", "pid", "tid"
		for (i = 0; i < 130000; i++)
			print "kern", i, i * 1000, 500, 0, 7, 1, i % 4 ? "no" : "yes"
		print "range", 1, 0, 130000000, 1, 2, "all"
		for (i = 0; i < 80000; i++)
			print "inst", i, 1, i * 1600, 800, 1, 2
		print "##end\t" 210001
	}' | dlp-html >large.html
	check large "$PWD/large.html"
}

@test "everything works by keyboard" {
	pages lenet
	check keys "$PWD/lenet.html"
}
