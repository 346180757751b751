# Data files as one C table: name and text. See
# common/shipped.h. -v table=NAME: the table's name, if not shipped_files.
BEGIN {
	if (table == "")
		table = "shipped_files"
	printf "#include \"shipped.h\"\n\nextern const struct shipped %s[];\n" \
	    "const struct shipped %s[] = {\n", table, table
}
FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	if (name in seen) {
		print FILENAME ": " seen[name] " has the same name" >"/dev/stderr"
		exit 1
	}
	seen[name] = FILENAME
	printf "%s\t{ \"%s\",", (NR > 1 ? " },\n" : ""), name
}
{
	# two question marks could be a trigraph
	gsub(/["\\?]/, "\\\\&")
	gsub(/\t/, " ")
	printf "\n\t    \"%s\\n\"", $0
}
END {
	print " },\n\t{ 0, 0 },\n};"
}
