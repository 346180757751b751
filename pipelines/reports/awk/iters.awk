# Of dlp iters: the rows, each with what the GPUs did in its step_ns, by the rows of
# dlp-busy: those of the iteration, and those of the time after it. Devices on
# which nothing ran do not count.
function sum(i, class,    k, s, key) {
	s = "-"
	for (k = 1; k <= n_dev[src_of[i]]; k++) {
		if (!(dev[src_of[i], k] in used))
			continue
		key = dev[src_of[i], k] SUBSEP iter_of[i] SUBSEP class
		if (key in ns && ns[key] == "-")
			return "-"
		s += key in ns ? ns[key] : 0
	}
	return s
}
# src stays the last column.
function put_row(line, more, src) {
	if (src != "")
		line = substr(line, 1, length(line) - length(src))
	print line, more src
}
function put_rows(    i, src) {
	for (i = 1; i <= n; i++) {
		src = src_of[i] != "" ? OFS src_of[i] : ""
		if (legend[i] != put)
			put_row(put = legend[i], "tc_ns" OFS "comm_ns" OFS \
			    "other_kern_ns" OFS "graph_ns" OFS "mem_ns" OFS \
			    "idle_ns", src != "" ? OFS "src" : "")
		put_row(row[i], sum(i, "tc") OFS sum(i, "comm") OFS \
		    sum(i, "kern") OFS sum(i, "graph") OFS sum(i, "mem") OFS \
		    sum(i, "idle"), src)
	}
}
$1 == "##dlp" {
	split("", ns)
	split("", used)
	split("", seen)
	split("", n_dev)
	n = 0
	put = ""
}
$1 == "#iter" {
	split("", c)
	for (i = 2; i <= NF; i++) c[$i] = i
	now = $0
}
$1 == "iter" {
	row[++n] = $0
	legend[n] = now
	src_of[n] = "src" in c ? $(c["src"]) : ""
	iter_of[n] = $(c["iter"])
}
$1 == "#busy" {
	split("", b)
	for (i = 2; i <= NF; i++) b[$i] = i
}
$1 == "busy" {
	src = "src" in b ? $(b["src"]) : ""
	of = src SUBSEP $(b["dev"])
	if (!(of in seen)) {
		seen[of]
		dev[src, ++n_dev[src]] = of
	}
	class = $(b["class"])
	if (class ~ /^(dataload|io|cpu|other)$/)
		class = "idle"
	else if ($(b["dur_ns"]) > 0)
		used[of]
	key = of SUBSEP ($(b["iter"]) != "-" ? $(b["iter"]) : $(b["after"])) \
	    SUBSEP class
	if ($(b["dur_ns"]) == "-" || (key in ns && ns[key] == "-"))
		ns[key] = "-"
	else
		ns[key] += $(b["dur_ns"])
}
$1 == "##end" {
	put_rows()
	print $1, n + 0
	next
}
/^##/
