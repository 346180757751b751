# What was said of a file, with its name; the first line is also printed, as the
# reason in the row of a file that failed. A message about the input of a filter
# (it begins with a TAB) is only heard where no other has said anything.
sub(/^\t/, "") { if (behind == "") behind = $0; next }
{ line[++n_line] = $0 }
END {
	file = ENVIRON["DLP_FILE"]
	if (!n_line && behind != "")
		line[++n_line] = behind
	for (i = 1; i <= n_line; i++)
		print plain((index(line[i], file) ? "" : \
		    "dlp overview: " file ": ") line[i]) >"/dev/stderr"
	print line[1]
}
