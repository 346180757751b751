# Of dlp ranks: passes all on.
BEGIN { FS = "\t" }
$1 == "rank" { n_rank++ }
$1 == "coll" { n_coll++ }
{ print }
END {
	if (n_rank == 1 && !n_coll)
		print "dlp ranks: one rank, and no collectives, as NCCL's are:" \
		    " there is nothing to compare" >"/dev/stderr"
}
