# Each of these types to a dlp-fmt of its own; the second waits for the first.
BEGIN {
	two = split(types, type, " ") > 1
	first = fmt " -T " type[1]
	second = fmt " -T " type[2]
}
{ tag = $1; sub(/^#/, "", tag) }
tag == type[1] || $1 == "##dlp" || $1 == "##end" { print | first }
two && (tag == type[2] || $1 == "##dlp" || $1 == "##end") {
	line[++n] = $0
}
END {
	bad = close(first) != 0
	if (two) {
		print ""
		fflush()
		for (i = 1; i <= n; i++)
			print line[i] | second
		if (close(second) != 0)
			bad = 1
	}
	exit bad ? 2 : 0
}
