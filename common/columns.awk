# common/columns.tab as C: with -v header=1 the ids of the columns (columns.h),
# otherwise the tables that cols.h declares.
BEGIN { FS = "\t" }
function fail(what) {
	printf "%s:%d: %s: %s\n", FILENAME, FNR, what, $0 >"/dev/stderr"
	bad = 1
	exit 1
}
function quoted(s) {
	gsub(/["\\]/, "\\\\&", s)
	return "\"" s "\""
}
function add(where, row) { rows[where, ++n_rows[where]] = row }
/^#/ || /^$/ { next }
$1 == "type" {
	types[++n_types] = $2
	type_row[$2] = quoted($2) ", " quoted($3) ", " quoted($4)
	next
}
$1 == "group" { where = "group " $2; next }
$1 == "of" {
	where = $2
	if (!($2 in type_row) && $2 != "*")
		fail("no such type")
	order[++n_order] = $2
	next
}
$1 == "use" {
	if (!n_rows["group " $2])
		fail("no such group")
	for (i = 1; i <= n_rows["group " $2]; i++)
		add(where, rows["group " $2, i])
	next
}
$1 == "open" { open_type[$2] = 1; next }
$1 == "alias" { alias[++n_alias] = quoted($2) ", " quoted($3); next }
$1 == "" && NF == 5 {
	if ($3 !~ /^(int|num|text|json|str|ynu)$/)
		fail("unknown kind")
	if (!($2 in id)) {
		id[$2] = 1
		names[++n_names] = $2
	}
	add(where, quoted($2) ", " quoted($4) ", COL_" toupper($3) ", " \
	    quoted($5))
	next
}
{ fail("not understood") }
END {
	if (bad)
		exit 1
	# sorted, so that a name is found by halves
	for (i = 2; i <= n_names; i++) {
		s = names[i]
		for (j = i - 1; j > 0 && names[j] > s; j--)
			names[j + 1] = names[j]
		names[j + 1] = s
	}
	print "/* Made of columns.tab by columns.awk. */"
	if (header) {
		print "#ifndef DLP_COLUMNS_H\n#define DLP_COLUMNS_H\n\nenum col {"
		for (i = 1; i <= n_names; i++)
			print "\tCOL_" names[i] ","
		print "\tN_COLS\n};\n\n#endif"
		exit
	}
	print "#include \"cols.h\"\n\nconst char *const col_names[] = {"
	for (i = 1; i <= n_names; i++)
		print "\t\"" names[i] "\","
	print "};\n\nconst struct col_def col_defs[] = {"
	for (i = 1; i <= n_order; i++) {
		t = order[i]
		first[t] = at
		for (j = 1; j <= n_rows[t]; j++)
			print "\t{ \"" t "\", " rows[t, j] " },"
		if (t != "*")
			at += n_rows[t]
		else
			print "\t{ 0, 0, 0, COL_INT, 0 },"
		if (order[i + 1] == "*")
			print "\t{ 0, 0, 0, COL_INT, 0 },\n};\n\n" \
			    "const struct col_def cols_all[] = {"
	}
	print "};\n\nconst struct type_def type_defs[] = {"
	for (i = 1; i <= n_types; i++) {
		t = types[i]
		printf "\t{ %s, %s, col_defs + %d, %d },\n", type_row[t],
		    t in open_type ? "true" : "false", first[t], n_rows[t]
	}
	print "\t{ 0, 0, 0, false, 0, 0 },\n};\n"
	print "const struct col_alias col_aliases[] = {"
	for (i = 1; i <= n_alias; i++)
		print "\t{ " alias[i] " },"
	print "\t{ 0, 0 },\n};"
}
