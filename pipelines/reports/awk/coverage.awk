# Of dlp coverage: the rows.
# 1 if the word stands in the list
function has(list, word) {
	return index("," list ",", "," word ",") > 0
}
function pct(v, of) { return of > 0 ? sprintf("%.2f", 100 * v / of) : "-" }
function add(acc, missing, why) {
	if (missing != "" && why != "")
		missing = missing "\t" why
	total[file, acc] += ns
	number[file, acc] += n
	if (!((file, acc, missing) in t))
		list[file, acc] = list[file, acc] SUBSEP missing
	t[file, acc, missing] += ns
	c[file, acc, missing] += n
}
# What is missing, or its reason.
function part(what, i,    p) {
	split(what, p, "\t")
	return i in p ? p[i] : "-"
}
# Why there are no FLOPs.
function lack() {
	return op == "-" ? "no_op" : has(lacks, "shapes") ? \
	    "no_sizes" : $(a["family"]) == "-" ? "no_rule" : \
	    "not_in_sizes"
}
function row(f, acc, what, v, k) {
	print "coverage", (src != "" ? f OFS : "") acc, part(what, 1), \
	    pct(v, total[f, acc]), v, pct(k, number[f, acc]), k, \
	    part(what, 2)
	rows++
}
function account(f, acc,    i, j, m, miss, best, v, k) {
	row(f, acc, "(known)", t[f, acc, ""] + 0, c[f, acc, ""] + 0)
	m = split(substr(list[f, acc], 2), miss, SUBSEP)
	for (i = 0; i < m && (!max || i < max); i++) {
		best = ""
		for (j = 1; j <= m; j++)
			if (miss[j] != "" && (best == "" || \
			    t[f, acc, miss[j]] > t[f, acc, best]))
				best = miss[j]
		for (j = 1; j <= m; j++)
			if (miss[j] == best)
				miss[j] = ""
		if (best != "")
			row(f, acc, best, t[f, acc, best], \
			    c[f, acc, best])
	}
	for (j = 1; j <= m; j++)
		if (miss[j] != "") {
			v += t[f, acc, miss[j]]
			k += c[f, acc, miss[j]]
		}
	if (k > 0)
		row(f, acc, "(rest)", v, k)
}
$1 == "##dlp" && !begun {
	begun = 1
	print
	print "#coverage", (src != "" ? "src" OFS : "") "account", \
	    "what", "dur_pct", "sum_dur_ns", "n_pct", "n", "reason"
}
$1 == "#agg" { for (i = 2; i <= NF; i++) a[$i] = i }
$1 == "agg" {
	file = src != "" ? $(a["src"]) : ""
	if (!(file in known)) {
		known[file] = 1
		files[++nfiles] = file
	}
	ns = $(a["sum_dur_ns"])
	n = $(a["n"])
	why = $(a["why"])
	lacks = $(a["lacks"])
	op = $(a["op"])
	what = op == "-" ? "no op" : \
	    $(a["dir"]) == "-" ? op : op " " $(a["dir"])
	add("op", why == "-" ? "" : why, "")
	if ($(a["tag"]) == "graph") {
		add("shapes", $(a["short"]), "whole_graph")
		add("flop", $(a["short"]), "whole_graph")
		add("tc", $(a["short"]), "whole_graph")
	}
	if ($(a["tag"]) == "kern") {
		add("shapes", has(lacks, "shapes") ? what : "", \
		    op == "-" ? "no_op" : "no_sizes")
		add("flop", has(lacks, "flop") ? what : "", lack())
		add("tc", $(a["tc"]) == "unknown" ? \
		    $(a["short"]) : "", $(a["tc_rule"]) == "-" ? \
		    "no_name_rule" : "ambiguous")
	}
}
$1 == "##end" { ended = 1 }
/^##note/ && begun
END {
	for (i = 1; i <= nfiles; i++) {
		account(files[i], "op")
		account(files[i], "shapes")
		account(files[i], "flop")
		account(files[i], "tc")
	}
	if (ended)
		print "##end", rows + 0
}
