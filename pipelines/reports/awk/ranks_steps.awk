# Of dlp ranks: without the collectives, the shares and the skew that are in no
# step. The arrivals at a collective follow it.
BEGIN { FS = OFS = "\t" }
$1 == "##end" {
	$2 -= n_out
	n_out = 0
}
/^#(coll|arrive|comm|skew)\t/ {
	for (i = 2; i <= NF; i++)
		col[substr($1, 2), $i] = i
}
$1 == "coll" && $(col[$1, "iter"]) == "-" { out[$(col[$1, "id"])] }
$1 == "arrive" && $(col[$1, "coll_id"]) in out { n_out++; next }
$1 ~ /^(coll|comm|skew)$/ && $(col[$1, "iter"]) == "-" { n_out++; next }
{ print }
