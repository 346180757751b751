# The page of dlp html, without a browser: its data against the reports and SQL,
# what it may do, hostile names, incomplete input. tests/web drives a browser.

# bats file_tags=long
load ../lib

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# column NAME PAGE: the values of a column as JSON, read as the manual says.
column() {
	python3 - "$@" <<-'EOF' | jq -c .
	import base64, gzip, json, re, sys
	name, page = sys.argv[1], open(sys.argv[2]).read()
	meta = json.loads(re.search('id="dlp-meta">(.*?)</script>', page, re.S)[1])
	def column(name):
	    table, col = name.split('.')
	    table = meta['tables'][table]
	    kind, n, values, last = table['cols'][col][0], table['rows'], [], 0
	    b = gzip.decompress(base64.b64decode(re.search('data-c="%s">([^<]*)<' % name, page)[1]))
	    while len(values) < n:
	        m, wide, odd, zero = min(4096, n - len(values)), b[0] & 15, b[0] & 16, b[1]
	        assert zero == 0 and wide <= 8
	        least, b = int.from_bytes(b[2:10], 'little', signed=True), b[10:]
	        what, b = (b[:m], b[m:]) if odd else (bytes(m), b)
	        for i in range(m):
	            v = least + int.from_bytes(b[i:wide * m:m], 'little')
	            if kind == 'd' and what[i] == 0:
	                last = v = v + last
	            values.append([v, None, 'base'][what[i]])
	        b = b[wide * m:]
	    if kind == 'r':
	        return [d if v == 'base' else v for v, d in zip(values, column(name.split('.')[0] + '.dur_ns'))]
	    texts = json.loads(b) if kind in 'sf' else b
	    assert kind in 'sf' or texts == b''
	    return [None if v < 0 else texts[v] for v in values] if kind in 'sf' else values
	print(json.dumps(column(name)))
	EOF
}

@test "the page's columns are the data's" {
	dlp html "$LENET" >p.html
	dlp html --data "$LENET" >d.json
	same "$(jq -c .tables.work.dur_ns d.json)" "$(column work.dur_ns p.html)"
	for c in start_ns op dir flop_ns peak_ns api_start_ns; do
		same "$(jq -c .tables.work.$c d.json)" "$(column work.$c p.html)"
	done
	# what the head says of the blocks
	sed -n 's/^<script type="application\/json" id="dlp-meta">//p; /^"[a-z]*":{/p' p.html |
	    sed 's/<\/script>$//' >meta
	same "$(jq -S '.tables | map_values(del(.rows) | keys)' d.json)" \
	    "$(jq -S '.tables | map_values(.cols | keys)' meta)"
	same "$(jq -S 'del(.tables)' d.json)" "$(jq -S 'del(.tables)' meta)"
}

@test "the page asks nobody, and names the hashes of what it runs" {
	dlp html "$LENET" >p.html
	sed -n 's/^<script type="text\/plain" id="dlp-code">\([^<]*\).*/\1/p' p.html | base64 -d | gzip -dc >code
	[ "$(wc -l <code)" -gt 500 ]
	run -1 grep -E 'https?:|src=|@import|url\(|\beval\(|innerHTML|outerHTML|insertAdjacent|document\.write' p.html code
	# the script that unpacks the viewer, and the viewer
	same "$(for s in "$(sed -n '/^<script>/,/^<\/script>/p' p.html | sed '1s/^<script>//; $d')" "$(cat code)"; do
		printf " 'sha256-%s'" "$(printf '%s\n' "$s" | openssl dgst -sha256 -binary | base64)"
	done)" "$(sed -n 's/.*script-src\( [^;]*\);.*/\1/p' p.html)"
	same "$(sed -n '/^<style>/,/^<\/style>/p' p.html | sed '1s/^<style>//; $d' |
	    openssl dgst -sha256 -binary | base64)" \
	    "$(sed -n "s/.*style-src 'sha256-\([^']*\)'.*/\1/p" p.html)"
	grep -q "content=\"default-src 'none';" p.html
	dlp html "$LENET" | cmp - p.html
	[ "$(wc -c <p.html)" -lt 250000 ]
	# a block of the style that is left open takes the rules behind it with it
	awk '{ n += gsub(/{/, "") - gsub(/}/, "") } /^}/ && n != 0 { bad = 1 } END { exit bad || n }' \
	    "$ROOT"/cmd/dlp-html/page/page.css
}

@test "dlp view writes the page and calls the browser" {
	printf '#!/bin/sh\nmv "$1" page.html; echo noise; echo noise >&2' >browser
	chmod +x browser
	export TMPDIR=$PWD/tmp
	mkdir tmp bin
	for o in xdg-open open wslview; do ln -s "$(command -v false)" "bin/$o"; done
	BROWSER=$PWD/browser run -0 dlp view "$LENET"
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == "dlp view: $PWD/tmp/dlp-view."*/lenet.html ]]
	dlp html "$LENET" | cmp - page.html
	rm -r tmp/dlp-view.*
	run -2 dlp view nosuch.sqlite
	same '' "$(ls tmp)"
	# an opener that finds no browser, as xdg-open on a machine without one
	BROWSER=false PATH=$PWD/bin:$PATH run -0 dlp view "$LENET"
	same 'dlp view: no browser was found (BROWSER can name one): open this file' \
	    "${lines[1]}"
	rm -r tmp/dlp-view.*
	run -2 bash -c 'dlp view "$LENET" >/dev/full'
	same '' "$(ls tmp)"
}

@test "the title names both profiles, of one name with their folders" {
	mkdir x y
	cp "$LENET" x/run.sqlite.xz
	cp "$LENET" y/run.sqlite.xz
	cp "$LENET" y/new.sqlite.xz
	same "new.sqlite.xz against run.sqlite.xz" "$(dlp html --data x/run.sqlite.xz y/new.sqlite.xz 2>err | jq -r .title)"
	same "y/run.sqlite.xz against x/run.sqlite.xz" "$(dlp html --data x/run.sqlite.xz y/run.sqlite.xz 2>err | jq -r .title)"
	same "run.sqlite.xz against before/run.sqlite.xz" \
	    "$(dlp html --private --data x/run.sqlite.xz y/run.sqlite.xz 2>err | jq -r .title)"
	same mine "$(dlp html --title mine --data x/run.sqlite.xz y/run.sqlite.xz 2>err | jq -r .title)"
}

@test "a stream, a trace of torch.profiler and DLProf's database make a page, too" {
	dlp html --data "$LENET" | jq .tables >want
	dlp-parse "$LENET" | dlp html --data - | jq .tables | cmp want -
	dlprof --database="$LENET" -v quiet
	dlp html --data dlprof_dldb.sqlite 2>err | jq -e '.complete and .tables.work.rows > 0'
	for f in "$ROOT"/tests/data/kineto/*.json.xz; do
		dlp html --data "$f" 2>err | jq -e '.complete and .tables.work.rows > 0' ||
		    { echo "$f"; false; }
	done
}

@test "one file, and names with blanks and quotes" {
	run -2 dlp html "$LENET" "$LENET" "$LENET"
	same 'dlp html: one FILE, or two to compare, not 3; with --ranks the ranks of a run' "$output"
	cp "$LENET" "a 'b\".sqlite"
	dlp html --data "a 'b\".sqlite" | jq -e '.title == "a '\''b\".sqlite" and .file == .title'
}

# bats test_tags=all
@test "every shipped profile makes a page" {
	for f in "$ROOT"/tests/data/*.sqlite.xz "$ROOT"/tests/data/[!b]*/*.sqlite.xz; do
		dlp html --data "$f" 2>/dev/null | jq -e '.complete' >/dev/null || { echo "$f"; false; }
	done
}

@test "above --max-pieces: a stream that is no number ends dlp html, also where no row shows it" {
	dlp-parse "$LENET" 2>/dev/null | dlp-correlate 2>/dev/null | dlp-iter >in
	awk -F'\t' -v OFS='\t' '/^#kern\t/ { for (i = 2; i <= NF; i++) c[$i] = i }
	/^kern\t/ && ++n == 20 { $c["stream"] = "nan" } { print }' in >bad
	dlp-html -d -m 3 in | jq -e .sums.pieces
	run ! dlp-html -d -m 3 bad
	[[ $output == *"stream is not an integer: 'nan'"* ]]
}

@test "dlp html A B: what dlp diff says stands on the page" {
	local db=$ROOT/tests/data/h200/gpt2_bf16.sqlite.xz
	dlp-parse "$db" >a.dlp
	sed 's/^\(##info	driver	\).*/\15\\\\9"<b>/' a.dlp >b.dlp
	# streams keep the names of their profiles on the page
	dlp diff a.dlp b.dlp 2>&1 >out |
	    sed 's/^dlp-diff: //; s/^\([AB]\), [ab].dlp/\1, gpt2_bf16.sqlite.xz/' >want
	grep -q '^driver: .* in A, ' want
	dlp html --data a.dlp b.dlp >data
	same "$(<want)" "$(jq -r '.said[]' data)"
	dlp html --private --data a.dlp b.dlp >data
	same "$(grep -v '^[AB], ' want)" "$(jq -r '.said[]' data)"
	dlp html --data a.dlp | jq -e '.said == []'
	dlp html --data a.dlp a.dlp | jq -r '.said[]' >got
	run grep driver got
	[ "$status" -eq 1 ]
	mkdir t
	TMPDIR=$PWD/t dlp html a.dlp b.dlp >page
	same '' "$(ls t)"
}

@test "of two profiles one that cannot be read: no page" {
	: >empty
	head -c 2000 "$ROOT/tests/data/lenet.sqlite.xz" >cut.sqlite.xz
	for bad in missing empty cut.sqlite.xz; do
		for pair in "$bad $LENET" "$LENET $bad"; do
			# shellcheck disable=SC2086 # two words
			run --separate-stderr dlp html $pair
			[ "$status" -eq 2 ] && [ -z "$output" ]
			grep -q "$bad" <<<"$stderr"
			grep -q 'only one of .* was read: nothing to compare' <<<"$stderr"
		done
	done
}

@test "above --max-pieces: the page's columns are the data's" {
	dlp html --max-pieces 130 "$LENET" >p.html 2>err
	dlp html --data --max-pieces 130 "$LENET" >d.json 2>err
	for c in dur_ns iter id start_ns short; do
		same "$(jq -c .tables.work.$c d.json)" "$(column work.$c p.html)"
	done
}

# More rows than fit into memory before they are packed, and steps that end late.
@test "above --max-pieces: large columns, and names with commas and quotes" {
	awk 'BEGIN { OFS = "\t"; print "##dlp", 1; print "#kern", "id", "start_ns", "dur_ns", "iter", "short"
	    for (i = 0; i < 60000; i++)
		print "kern", i, i * 1000 + i % 7, i % 900 + 1, i % 10 == 9 ? "-" : int(i / 6000), "a\",b\\\\" i % 5000
	    print "##end", 60000 }' >in
	# 5400 pieces of each of ten steps
	dlp-html -d -m 0 in >all.json
	dlp-html -d -m 20000 in >cut.json 2>err
	same '[60000,0,2,16200]' "$(jq -c '[.cut.pieces, .cut.from, .cut.to, .tables.work.rows]' cut.json)"
	f='.tables.work | . as $w | range($w.rows) | select($w.iter[.] != null and $w.iter[.] < 3) |
	    [$w.id[.], $w.start_ns[.], $w.dur_ns[.], $w.short[.]]'
	cmp <(jq -c "$f" all.json) <(jq -c "$f" cut.json)
	dlp-html -m 20000 in >p.html 2>err
	cmp <(jq -c .tables.work.start_ns cut.json) <(column work.start_ns p.html)
	cmp <(jq -c .tables.work.short cut.json) <(column work.short p.html)
}
