# Of dlp ranks: passes all on, and adds the answer in a sentence, which people get
# first; asked: if steps were; one: the profile of all ranks, as one types it. The
# first straggler is the one that was waited for longest.
function wait_of(ns) {
	if (n_step > !asked)
		ns /= n_step
	return (ns < 1e9 ? sprintf("%.3g ms", ns / 1e6) : sprintf("%.3g s", ns / 1e9)) \
	    (n_step > !asked ? " a step" : "")
}
BEGIN { FS = OFS = "\t" }
/^#[a-z]/ {
	for (i = 2; i <= NF; i++)
		at[substr($1, 2), $i] = i
}
$1 == "rank" { n_rank++ }
$1 == "coll" { n_coll++ }
$1 == "stable" { asked = 1 }
$1 == "comm" {
	src[$(at["comm", "rank"])] = $(at["comm", "src"])
	pid[$(at["comm", "rank"])] = $(at["comm", "pid"])
}
$1 == "total" { n_total++; id[n_total] = $(at["total", "rank"]) }
$1 == "skew" { n_step += $(at["skew", "iter"]) ~ /^[0-9]/ }
$1 == "straggler" {
	wait = $(at["straggler", "sum_wait_ns"])
	all += wait
	if (late == "") {
		late = $(at["straggler", "last"])
		pct = $(at["straggler", "wait_pct"])
		most = wait
	}
}
$1 == "##end" && all > 0 && n_total > 1 {
	# otherwise one "step" is the whole profile
	how = n_step > !asked ? " (" n_step " step" (n_step > 1 ? "s" : "") ")" : ""
	if (pct < 50)
		text = "No rank is late for most: they wait " wait_of(all) \
		    " for each other" how ", " pct " % of it for rank " late "."
	else if (n_total == 2)
		text = "Rank " late " comes last: rank " \
		    (id[1] == late ? id[2] : id[1]) " waits " wait_of(most) " for it" how "."
	else
		text = "Rank " late " comes last: each of the other " n_total - 1 \
		    " waits " wait_of(most / (n_total - 1)) " for it" how "."
	print "##info", "answer", text
	why = src[late]
	gsub(/\\x20/, " ", why)
	if (one != "")
		why = "dlp-parse --pid " pid[late] " " one " | dlp -"
	else if (why ~ /^[^-]/ && why !~ /[^A-Za-z0-9_.,=:\/@%+ -]/)
		why = "dlp " (why ~ / / ? "\047" why "\047" : why)
	else
		why = ""
	if (pct >= 50 && why != "")
		print "##info", "answer", "Why rank " late " is late: " why
}
{ print }
END {
	if (n_rank == 1 && !n_coll)
		print "dlp ranks: one rank, and no collectives, as NCCL's are:" \
		    " there is nothing to compare" >"/dev/stderr"
}
