# What was said of a file, with its name, and the row of a failed one. Filters
# that complain of their input are heard only where no other has said anything.
/^dlp-[a-z]*: standard input: / { behind[++n_behind] = $0; next }
{ line[++n_line] = $0 }
END {
	file = ENVIRON["DLP_FILE"]
	if (!n_line && n_behind)
		line[++n_line] = behind[1]
	for (i = 1; i <= n_line; i++)
		print plain((index(line[i], file) ? "" : \
		    "dlp overview: " file ": ") line[i]) >"/dev/stderr"
	print line[1]
}
