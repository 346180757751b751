# Of dlp waits: the rows. Those of threads that launch GPU work come first, the
# ones within a range before the others: a thread that waits in none has
# nothing to do. launch records tell the threads; sums come by their size.
function v(c) { return $(a[c]) }
function thread() { return ("src" in a ? v("src") : "") SUBSEP v("tid") }
function is_first(i, k) {
	return k == 0 ? (who[i] in launches) && in_range[i] : \
	    k == 1 ? (who[i] in launches) && !in_range[i] : \
	    !(who[i] in launches)
}
function put(s, word) {
	print s, word
	n_out++
}
function rest(i,    f, s) {
	split(row[i], f, FS)
	n += f[a["n"]]
	sum += f[a["sum_dur_ns"]]
	if (f[a["max_dur_ns"]] + 0 > max)
		max = f[a["max_dur_ns"]]
	n_rest++
}
function put_rest(    i, s) {
	s = "sum\t(rest)"
	for (i = 3; i <= n_col; i++)
		s = s OFS (i == a["n"] ? sprintf("%.0f", n) : \
		    i == a["sum_dur_ns"] ? sprintf("%.0f", sum) : \
		    i == a["max_dur_ns"] ? max : \
		    i == a["mean_dur_ns"] ? sprintf("%.1f", sum / n) : "-")
	put(s, "-")
}
function rows(    k, i, shown) {
	for (k = 0; k < 3; k++)
		for (i = 1; i <= n_row; i++) {
			if (!is_first(i, k))
				continue
			if (limit == 0 || shown++ < limit)
				put(row[i], k < 2 ? "yes" : "no")
			else
				rest(i)
		}
	if (n_rest)
		put_rest()
	n_row = n_rest = n = sum = max = 0
}
BEGIN { OFS = "\t" }
$1 == "#sum" || $1 == "#launch" || $1 == "#wait" {
	split("", a)
	for (i = 2; i <= NF; i++)
		a[$i] = i
}
$1 == "#sum" {
	n_col = NF
	print $0, "launches"
	for (i in a)
		sum_at[i] = a[i]
	next
}
$1 == "#launch" { next }
$1 == "#wait" {
	print $0, "launches"
	next
}
# What launches is known: it comes before them.
$1 == "wait" {
	if (each)
		put($0, (thread() in launches) ? "yes" : "no")
	next
}
$1 == "launch" {
	launches[thread()] = 1
	next
}
$1 == "sum" {
	os = os || v("kind") != "cuda"
	row[++n_row] = $0
	who[n_row] = thread()
	in_range[n_row] = v("range") != "-"
	next
}
$1 == "##end" {
	ended = 1
	for (i in sum_at)
		a[i] = sum_at[i]
	rows()
	print $1, n_out + 0
	n_out = 0
	split("", launches)
	next
}
/^[a-z]/ { n_out++ }
{ print }
END {
	if (!ended)
		rows()
	if (ended && !os)
		print "dlp waits: no calls of the operating system;" \
		    " record them with --trace=osrt" >"/dev/stderr"
}
