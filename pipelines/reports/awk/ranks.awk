# Each of the types to a dlp-fmt of its own, one after the other.
BEGIN { n = split(types, type, " ") }
{
	tag = $1
	sub(/^#/, "", tag)
	if (substr(tag, 1, 1) == "#")
		tag = ""
	begun += /^##dlp/
	n_rank += $1 == "rank"
	n_coll += $1 == "coll"
	ended += /^##end/
	for (i = 1; i <= n; i++)
		if (tag == type[i] || (tag == "" && /^##(dlp|end)/))
			line[i, ++len[i]] = $0
}
END {
	if (n_rank == 1 && !n_coll)
		print "dlp ranks: one rank, and no collectives, as NCCL's are:" \
		    " there is nothing to compare" >"/dev/stderr"
	bad = begun == 0 || begun != ended
	for (i = 1; i <= n; i++) {
		seen = 0
		for (k = 1; k <= len[i]; k++)
			seen += line[i, k] !~ /^#/
		if ((n > 1 && seen == 0) || begun == 0)
			continue
		if (some++) {
			print ""
			fflush()
		}
		cmd = fmt " -T " type[i]
		seen = 0
		for (k = 1; k <= len[i]; k++) {
			seen += line[i, k] !~ /^#/
			if (line[i, k] ~ /^##end/)
				line[i, k] = "##end\t" seen
			if (line[i, k] ~ /^##/)
				seen = 0
			print line[i, k] | cmd
		}
		if (close(cmd) != 0)
			bad = 1
	}
	exit bad ? 2 : 0
}
