# Of dlp ranks -t heat: the values of steps and ranks, a row for each step and a column
# for each rank. Records of the type heat have iter, rank or src, and the value; rank
# records number the files. All others pass. What a rank does not have is unset.
BEGIN { FS = OFS = "\t" }
/^##end/ {
	for (i = 1; i <= n_rank; i++) # by number
		for (j = i; j > 1 && rank[j - 1] + 0 > rank[j] + 0; j--) {
			t = rank[j]
			rank[j] = rank[j - 1]
			rank[j - 1] = t
		}
	printf "#heat\titer"
	for (i = 1; i <= n_rank; i++)
		printf "\trank%s_ns", rank[i]
	print ""
	for (k = 1; k <= n_step; k++) {
		printf "heat\t%s", step[k]
		for (i = 1; i <= n_rank; i++)
			printf "\t%s", ((step[k], rank[i]) in value) ? value[step[k], rank[i]] : "-"
		print ""
	}
	$2 = $2 - n_heat + n_step
}
$1 == "#rank" || $1 == "#heat" {
	for (i = 2; i <= NF; i++)
		at[$1, $i] = i
	if ($1 == "#heat")
		next
}
$1 == "rank" { rank_of[$(at["#rank", "src"])] = $(at["#rank", "rank"]) }
$1 == "heat" {
	n_heat++
	r = ("#heat", "rank") in at ? $(at["#heat", "rank"]) : rank_of[$(at["#heat", "src"])]
	if (r == "" || r == "-")
		next
	if (!($2 in seen_step)) {
		seen_step[$2]
		step[++n_step] = $2
	}
	if (!(r in seen_rank)) {
		seen_rank[r]
		rank[++n_rank] = r
	}
	value[$2, r] = $NF
	next
}
{ print }
