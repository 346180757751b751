# The registry common/columns.tab. With -v what=tsv its columns: type, column, kind,
# unit, by, help; with mdoc the section RECORD TYPES of dlp-records(5); with wrong
# what contradicts in it, or breaks the rules for names.
BEGIN {
	FS = "\t"
	n_units = split("_ns ns _bytes_s bytes/s _bytes bytes _hz Hz _pct % _flop flop", units, " ")
	# Columns that several types have alike are printed once: those that all types
	# with this one column share.
	mark[1] = "api_dur_ns dlp-parse"
	title[1] = "Columns of GPU work and its call"
	mark[2] = "phase_by dlp-correlate"
	title[2] = "Columns that dlp-correlate adds"
}
function wrong(type, name, why) {
	if (what == "wrong")
		printf "%s %s: %s\n", type, name, why
}
# Times of events are integers; means and what is worked out of rates need not be,
# and a list of times is JSON.
function may_have_fraction(name, kind) {
	if (name == "marker_ns")
		return kind == "json"
	return kind == "num" && name ~ /^mean_|^(a|b|diff|noise|peak|roof)_ns$/
}
function check(type, c) {
	if (c[3] == "dlp-parse" && type in by && by[type] != c[3])
		wrong(type, c[1], "credited to the first stage, but the type is written by a later one")
	if ((type, c[1]) in seen)
		wrong(type, c[1], "declared twice")
	seen[type, c[1]] = 1
	if (c[2] == "str" && c[1] !~ /_id$/)
		wrong(type, c[1], "a str column that is no _id")
	if (c[1] ~ /_ns$/ && c[2] != "int" && !may_have_fraction(c[1], c[2]))
		wrong(type, c[1], "times are integers")
	if (c[1] ~ /[A-Z \t-]/)
		wrong(type, c[1], "names are lower case")
	if (c[4] ~ /[\t\n\\"]/)
		wrong(type, c[1], "odd bytes in the help")
}
function add(line,   c, k) {
	row[of, ++n_row[of]] = line
	if (of ~ /^group /)
		return
	split(line, c, "\t")
	check(of, c)
	has[of, line] = 1
	for (k = 1; k <= 2; k++)
		if (mark[k] == c[1] " " c[3])
			anchor[k] = line
}
/^#/ || /^$/ { next }
$1 == "type" {
	if ($2 in by)
		wrong($2, "", "declared twice")
	types[++n_types] = $2
	by[$2] = $3
	help[$2] = $4
}
$1 == "group" { of = "group " $2 }
$1 == "of" { of = order[++n_order] = $2 }
$1 == "use" {
	for (i = 1; i <= n_row["group " $2]; i++)
		add(row["group " $2, i])
}
$1 == "" { add(substr($0, 2)) }

function unit(name, kind,   i) {
	for (i = 1; kind ~ /^(int|num)$/ && i <= n_units; i += 2)
		if (("_" name) ~ (units[i] "$"))
			return units[i + 1]
	return ""
}
function word(kind) { return kind == "ynu" ? "yes/no" : kind }
function tsv(type,   i, c, u) {
	for (i = 1; i <= n_row[type]; i++) {
		split(row[type, i], c, "\t")
		u = unit(c[1], c[2])
		printf "%s\t%s\t%s\t%s\t%s\t%s\n", type, c[1], word(c[2]), u ? u : "-", c[3], c[4]
	}
}
# A word that mdoc would take for a macro, or a line that would begin a request, is
# made harmless.
function text(s,   i, n, w, out) {
	n = split(s, w, " ")
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? " " : "") (w[i] ~ (i > 1 ? "^[A-Z][a-z]$|^[,.;:()]" : "^[A-Z][a-z]$") ? "\\&" : "") w[i]
	return out
}
function head() {
	print ".Bl -column \"dynsmem_byte\" \"int bytes\" \"dlp-correlat\""
	print ".It Sy column Ta Sy kind Ta Sy added by Ta Sy meaning"
}
function mdoc(line,   c, u) {
	split(line, c, "\t")
	u = unit(c[1], c[2])
	# a longer name would run into the next cell
	printf ".It %s%s Ta %s%s Ta %s Ta %s\n", c[1], (length(c[1]) > 15 ? " Ta Ta\n.It" : ""),
	    word(c[2]), u ? " " u : "", c[3], text(c[4])
}
function is_shared(k, type, line,   c, m, i) {
	split(line, c, "\t")
	split(mark[k], m, " ")
	if (c[3] != m[2] || !((type, anchor[k]) in has))
		return 0
	for (i = 1; i <= n_types; i++)
		if ((types[i], anchor[k]) in has && !((types[i], line) in has))
			return 0
	return 1
}
function mdoc_shared(k,   i, t) {
	for (i = 1; !((order[i], anchor[k]) in has); i++)
		;
	t = order[i]
	print ".Ss " title[k]
	head()
	for (i = 1; i <= n_row[t]; i++)
		if (is_shared(k, t, row[t, i]))
			mdoc(row[t, i])
	print ".El"
}
function mdoc_type(t,   i, k, n, s) {
	s = text(help[t])
	printf ".Ss %s\n%s.\nWritten by\n.Xr %s 1 .\n", t, toupper(substr(s, 1, 1)) substr(s, 2), by[t]
	for (i = 1; i <= n_row[t]; i++) {
		if (is_shared(1, t, row[t, i]) || is_shared(2, t, row[t, i]))
			continue
		if (n++ == 0)
			head()
		mdoc(row[t, i])
	}
	if (n > 0)
		print ".El"
	for (k = 1; k <= 2; k++)
		if ((t, anchor[k]) in has)
			printf "%s\n.Sx %s .\n", (n > 0 ? ".Pp\nAlso" : "Has"), title[k]
}
END {
	if (what == "tsv") {
		tsv("*")
		for (i = 1; i <= n_order; i++)
			if (order[i] != "*")
				tsv(order[i])
	} else if (what == "mdoc") {
		print ".Ss Columns of all records"
		head()
		for (i = 1; i <= n_row["*"]; i++)
			mdoc(row["*", i])
		print ".El"
		mdoc_shared(1)
		mdoc_shared(2)
		for (i = 1; i <= n_types; i++)
			mdoc_type(types[i])
	}
}
