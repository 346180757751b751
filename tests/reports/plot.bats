# Pictures of reports: their colors, names, and limits; golden cases have the pictures.

load ../lib

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# of XPATH FILE
of() {
	xmllint --xpath "$1" "$2"
}

@test "colors are those of the page, and differ for who sees no red or no green" {
	awk '
	/prefers-color-scheme: dark/ { exit }
	{ while (match($0, /--[a-z-]*: #[0-9a-f]*;/)) { split(substr($0, RSTART + 2, RLENGTH - 3), v, ": "); print v[1], v[2]; $0 = substr($0, RSTART + RLENGTH) } }' \
	    "$ROOT/cmd/dlp-html/page/page.css" >css
	for c in tc kern graph comm mem gap-launch-bound gap-dataloader gap-sync gap-host-only idle; do
		hex=$(sed -n "s/^$c //p" css)
		grep -q "split(.*$hex" "$PIPES/reports/awk/plot.awk" || { echo "$c $hex"; return 1; }
	done
	# distances in Lab, as protanopes and deuteranopes see them (Machado 2009)
	grep -E '^(tc|kern|graph|comm|mem|accent|gap-launch-bound|idle) ' css | awk '
	function lin(h,	v) { v = (index("0123456789abcdef", substr(h, 1, 1)) - 1) * 16 + index("0123456789abcdef", substr(h, 2, 1)) - 1; v /= 255; return v <= 0.04045 ? v / 12.92 : exp(2.4 * log((v + 0.055) / 1.055)) }
	function f(t) { return t > 0.008856 ? exp(log(t) / 3) : 7.787 * t + 16 / 116 }
	function lab(k, i, r, g, b,	x, y, z) { r = r < 0 ? 0 : r; g = g < 0 ? 0 : g; b = b < 0 ? 0 : b
		x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505); y = f(0.2126 * r + 0.7152 * g + 0.0722 * b); z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
		L[k, i] = 116 * y - 16; A[k, i] = 500 * (x - y); B[k, i] = 200 * (y - z) }
	{ name[NR] = $1; r = lin(substr($2, 2)); g = lin(substr($2, 4)); b = lin(substr($2, 6)); lab(1, NR, r, g, b)
	  lab(2, NR, 0.152286 * r + 1.052583 * g - 0.204868 * b, 0.114503 * r + 0.786281 * g + 0.099216 * b, -0.003882 * r - 0.048116 * g + 1.051998 * b)
	  lab(3, NR, 0.367322 * r + 0.860646 * g - 0.227968 * b, 0.280085 * r + 0.672501 * g + 0.047413 * b, -0.01182 * r + 0.04294 * g + 0.968881 * b) }
	END { if (NR != 8) exit 1
		for (k = 1; k <= 3; k++) for (i = 1; i <= NR; i++) for (j = 1; j < i; j++) {
			d = sqrt((L[k, i] - L[k, j]) ^ 2 + (A[k, i] - A[k, j]) ^ 2 + (B[k, i] - B[k, j]) ^ 2)
			if (d < 12) { print name[i], name[j], d; bad = 1 } }
		exit bad }'
}

@test "heat: more steps and ranks than the picture has points are joined" {
	awk 'BEGIN { OFS = "\t"; printf "iter"; for (r = 0; r < 512; r++) printf "\trank%d_ns", r; print ""
	    for (s = 0; s < 1000; s++) { printf "%d", s
		for (r = 0; r < 512; r++) printf "\t%d", s == 777 && r == 300 ? 5e6 : 1e6; print "" } }' >rows
	title=t awk -v kind=heat -v of=late -f "$PIPES/reports/awk/plot.awk" rows >p.svg
	xmllint --noout p.svg
	[ "$(wc -c <p.svg)" -lt 5000000 ]
	# the one late rank shows: twice, with the legend
	same 2 "$(grep -c '#e0730a' p.svg)"
}

@test "names are escaped, the same input gives the same bytes" {
	cp "$LENET" 'a<b&"c.sqlite'
	dlp plot steps 'a<b&"c.sqlite' >p.svg
	same 'Time of the GPU by step: a<b&"c.sqlite' "$(of 'string(//*[local-name()="title"])' p.svg)"
	dlp plot -o q.svg steps 'a<b&"c.sqlite'
	cmp p.svg q.svg
	odd=$'\n\e\xc2\x9b\xff\\n-->]]>`touch pwned`$(touch pwned)'
	cp "$LENET" "$odd"
	dlp plot steps "$odd" >p.svg
	xmllint --noout p.svg
	[ ! -e pwned ]
	same 'Time of the GPU by step: \n\x1b\xc2\x9b\xff\n-->]]>`touch pwned`$(touch pwned)' \
	    "$(of 'string(//*[local-name()="title"])' p.svg)"
	cp "$LENET" ./-n
	dlp plot -- steps -n >p.svg
	same 'Time of the GPU by step: -n' "$(of 'string(//*[local-name()="title"])' p.svg)"
}

@test "wrong words and files end with one line" {
	run -2 dlp plot nosuch "$LENET"
	same "dlp plot: 'nosuch' is not one of steps memory roofline ranks heat" "$output"
	run -2 dlp plot -o x.jpg steps "$LENET"
	same "dlp plot: -o: 'x.jpg' ends in neither .svg nor .png" "$output"
	run -2 dlp plot steps
	run -2 dlp plot steps nosuch.sqlite
	run -2 dlp plot -v nonsense heat "$ROOT"/tests/data/h200/ddp2_rank?.sqlite.xz
	run -2 dlp plot -v step steps "$LENET"
	[ ! -e x.svg ]
	command -v rsvg-convert >/dev/null || skip "no rsvg-convert for a .png"
	dlp plot -o x.png steps "$LENET"
	same 89504e47 "$(head -c 4 x.png | od -An -tx1 | tr -d ' \n')"
}
