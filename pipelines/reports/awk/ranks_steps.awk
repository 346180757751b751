# Of dlp ranks: without the collectives, the shares and the skew that are in no
# step, or in one that a rank leaves out: stable records, if any, come first. The
# arrivals at a collective follow it.
function left_out(iter) {
	return iter == "-" || (n_stable && from <= to && (iter < from || iter > to))
}
BEGIN { FS = OFS = "\t" }
$1 == "##end" {
	$2 -= n_out
	n_out = 0
}
/^#(coll|arrive|comm|iter|skew|stable)\t/ {
	for (i = 2; i <= NF; i++)
		col[substr($1, 2), $i] = i
}
$1 == "stable" && $(col[$1, "from"]) != "-" {
	if (!n_stable++ || $(col[$1, "from"]) > from)
		from = $(col[$1, "from"])
	if (n_stable == 1 || $(col[$1, "to"]) < to)
		to = $(col[$1, "to"])
}
$1 == "coll" && left_out($(col[$1, "iter"])) { out[$(col[$1, "id"])] }
$1 == "arrive" && $(col[$1, "coll_id"]) in out { n_out++; next }
$1 ~ /^(coll|comm|iter|skew)$/ && left_out($(col[$1, "iter"])) { n_out++; next }
{ print }
