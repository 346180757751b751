# What dlp-mem knows of snapshots of PyTorch's memory, for dlp mem and dlp diff.
# mode: screen, for people; line or kind, sums of the held records; diff, those
# of two snapshots side by side, as agg records. rows: at most so many; 0: all.
function size(b,    u, n, neg) {
	neg = b < 0 ? "-" : ""
	b = b < 0 ? -b : b
	n = split("bytes KB MB GB TB", u, " ")
	for (i = 1; i < n && b >= 999.95; i++)
		b /= 1000
	return neg sprintf(i == 1 ? "%d %s" : "%.1f %s", b, u[i])
}
function seconds(ns) {
	return ns == "-" ? "before the history" :
	    untimed ? "event " ns : sprintf("%.3f s", ns / 1e9)
}
function plain(s) { # what a terminal must not get
	gsub(/[\001-\037\177]/, "?", s)
	gsub(/\\n|\\t|\\r/, " ", s)
	return s
}
function place(file, line, func_,    n, part) {
	n = split(file, part, "/")
	if (file == "-" && func_ == "-")
		return "(no stack)"
	return plain((file == "-" ? "" : part[n] (line == "-" ? "" : ":" line) " ") \
	    (func_ == "-" ? "" : func_))
}
function percent(a, b) { return b > 0 ? sprintf("%.1f%%", 100 * a / b) : "-" }
# The order of keys by their values, the largest first: ord[1..n].
function order(val,    k, i, j, n) {
	n = 0
	for (k in val) {
		for (i = n++; i > 0 && (abs(val[ord[i]]) < abs(val[k]) || \
		    abs(val[ord[i]]) == abs(val[k]) && ord[i] > k); i--)
			ord[i + 1] = ord[i]
		ord[i + 1] = k
	}
	return n
}
function many(n, what) { return n " " what (n == 1 ? "" : "s") }
function abs(x) { return x < 0 ? -x : x }
function f(name) { return $(col[$1, name]) }
BEGIN { FS = OFS = "\t"; rows += 0 }
/^##dlp/ { side++ }
/^##info\ttimes\tnone/ { untimed = 1 }
/^##end/ { ended++ }
/^##/ { if (mode != "screen") meta[side] = meta[side] $0 "\n"; next }
/^#/ { for (i = 2; i <= NF; i++) col[substr($1, 2), $i] = i; next }
$1 == "held" {
	k = f("dev") OFS f("kind")
	if (mode != "kind")
		k = k OFS f("file") OFS f("line") OFS f("function")
	bytes[k] += f("bytes")
	count[k] += f("count")
	b[side, k] += f("bytes")
	c[side, k] += f("count")
	of_kind[f("dev"), f("kind")] += f("bytes")
	n_kind[f("dev"), f("kind")] += f("count")
}
$1 == "memdev" {
	if (mode == "diff" && f("peak_bytes") == "-")
		print "dlp diff: " (side == 1 ? "A" : "B") ": peak: -, as there is no" \
		    " history of allocations; what was in use is compared" >"/dev/stderr"
	devs[n_dev++] = d = f("dev")
	for (i = 2; i <= NF; i++)
		dev[d, i] = $i
	n_memdev = NF
}
$1 == "oom" {
	oom[f("dev")] = oom[f("dev")] sprintf("  at %s: asked for %s%s%s; %s reserved," \
	    " %s of it in use, %s\n", seconds(f("start_ns")), size(f("bytes")),
	    f("function") == "-" ? "" : ", " place(f("file"), f("line"), f("function")),
	    f("free_bytes") == "-" ? "" : "; the device had " size(f("free_bytes")) " free",
	    size(f("reserved_bytes")), size(f("used_bytes")),
	    f("cached_bytes") == "-" ? size(f("reserved_bytes") - f("used_bytes")) " not" :
	    size(f("cached_bytes")) " free, the largest piece " size(f("largest_bytes")))
}
$1 == "grown" {
	if (n_grown[f("dev")]++ < 5)
		grown[f("dev")] = grown[f("dev")] sprintf("  %10s  in %d of %d steps  %s: %s\n",
		    size(f("bytes")), f("count"), f("of"), f("kind"),
		    place(f("file"), f("line"), f("function")))
}
$1 == "memstep" {
	if (n_step[f("dev")]++ == 1)
		second[f("dev")] = f("end_bytes")
	last[f("dev")] = f("end_bytes")
}
function of_dev(d, name) { return dev[d, col["memdev", name]] }
function screen(d,    n, i, k, part, reserved, peak, v, at) {
	reserved = of_dev(d, "reserved_bytes")
	peak = of_dev(d, "peak_bytes")
	printf "GPU %s, at the end of the history (%s, %s)\n", d,
	    many(of_dev(d, "n_alloc"), "allocation"), many(of_dev(d, "n_free"), "release")
	printf "  %10s  reserved, in %s\n", size(reserved), many(of_dev(d, "n_segment"), "segment")
	printf "  %10s  allocated, %s of it requested\n", size(of_dev(d, "allocated_bytes")),
	    size(of_dev(d, "requested_bytes"))
	printf "  %10s  cached: reserved, not allocated\n",
	    size(reserved - of_dev(d, "allocated_bytes"))
	printf "  %10s  fragmented (%s of what is reserved): free, beside memory in use\n",
	    size(of_dev(d, "split_bytes")), percent(of_dev(d, "split_bytes"), reserved)
	at = of_dev(d, "peak_ns")
	if (peak == "-") {
		peak = of_dev(d, "before_bytes")
		printf "\npeak: -, as there is no history of allocations; what was in use:\n"
	} else {
		printf "\npeak: %s requested, %s", size(peak), (at == "-" ? "" : "at ") seconds(at)
		if (of_dev(d, "before_bytes") > 0)
			printf " (%s of it from before the history)", size(of_dev(d, "before_bytes"))
		print "; what held it:"
	}
	delete v
	for (k in of_kind) {
		split(k, part, SUBSEP)
		if (part[1] == d)
			v[part[2]] = of_kind[k]
	}
	n = order(v)
	for (i = 1; i <= n; i++)
		printf "  %10s  %6s  %s (%d)\n", size(v[ord[i]]), percent(v[ord[i]], peak),
		    ord[i], n_kind[d, ord[i]]
	print "by line:"
	delete v
	for (k in bytes) {
		split(k, part, OFS)
		if (part[1] == d)
			v[k] = bytes[k]
	}
	n = order(v)
	for (i = 1; i <= n && i <= (rows > 0 ? rows : 10); i++) {
		split(ord[i], part, OFS)
		printf "  %10s  %6s  %s: %s (%d)\n", size(v[ord[i]]), percent(v[ord[i]], peak),
		    part[2], place(part[3], part[4], part[5]), count[ord[i]]
	}
	if (i <= n)
		printf "  and %d more lines: dlp mem -g line\n", n - i + 1
	if (n_step[d] > 2) {
		printf "\nfrom step 1 to step %d of the history: %s%s%s\n", n_step[d] - 1,
		    last[d] >= second[d] ? "+" : "", size(last[d] - second[d]),
		    grown[d] != "" ? "; what grew:" : "; nothing grows"
		printf "%s", grown[d]
	}
	if (oom[d] != "")
		printf "\nout of memory, %s:\n%s", many(of_dev(d, "n_oom"), "time"), oom[d]
}
END {
	if (mode == "screen") {
		for (i_dev = 0; i_dev < n_dev; i_dev++) {
			if (i_dev > 0)
				print ""
			screen(devs[i_dev])
		}
		exit ended ? 0 : 2
	}
	if (meta[1] == "") # dlp-parse has said why
		exit 2
	m = meta[1]
	sub(/##end[^\n]*\n/, "", m)
	printf "%s", m
	if (mode == "diff") {
		print "#agg", "dev", "kind", "file", "line", "function", "a_bytes",
		    "b_bytes", "diff_bytes", "a_count", "b_count"
		for (k in bytes)
			v[k] = b[2, k] - b[1, k]
	} else {
		print "#held", "dev", "kind", (mode == "kind" ? "" : \
		    "file" OFS "line" OFS "function" OFS) "bytes", "count"
		for (k in bytes)
			v[k] = bytes[k]
	}
	n = order(v)
	for (i = 1; i <= n && (rows == 0 || i <= rows); i++) {
		k = ord[i]
		if (mode == "diff")
			print "agg", k, b[1, k] + 0, b[2, k] + 0, v[k], c[1, k] + 0, c[2, k] + 0
		else
			print "held", k, v[k], count[k]
	}
	if (meta[1] ~ /##end/ && (mode != "diff" || meta[2] ~ /##end/))
		print "##end", i - 1
}
