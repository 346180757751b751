# Each of these types to a dlp-fmt of its own; the second waits for the first,
# and is left out where it has no row.
BEGIN {
	two = split(types, type, " ") > 1
	first = fmt " -T " type[1]
	second = fmt " -T " type[2]
}
{ tag = $1; sub(/^#/, "", tag) }
$1 == "##dlp" { n_first = n_second = 0 }
$1 == "##dlp" || tag == type[1] { print | first }
two && ($1 == "##dlp" || tag == type[2]) { line[++n] = $0 }
$1 == type[1] { n_first++ }
$1 == type[2] { n_second++; rows++ }
$1 == "##end" {
	print $1 "\t" n_first | first
	line[++n] = $1 "\t" n_second
}
END {
	bad = close(first) != 0
	if (two && (rows || bad)) {
		print ""
		fflush()
		for (i = 1; i <= n; i++)
			print line[i] | second
		if (close(second) != 0)
			bad = 1
	}
	exit bad ? 2 : 0
}
