# Data files as one C table: name and text. See
# common/shipped.h.
BEGIN {
	print "#include \"shipped.h\"\n\nconst struct shipped shipped_files[] = {"
}
FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	printf "%s\t{ \"%s\",", (NR > 1 ? " },\n" : ""), name
}
/["\\]/ {
	print FILENAME ":" FNR ": quotes and backslashes have no place here" \
	    >"/dev/stderr"
	exit bad = 2
}
{
	gsub(/\t/, " ")
	printf "\n\t    \"%s\\n\"", $0
}
END {
	if (bad)
		exit bad
	print " },\n\t{ 0, 0 },\n};"
}
