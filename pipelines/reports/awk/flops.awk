# Of dlp flops: what they are made of.
function at(name) { return (($1, name) in a) ? $(a[$1, name]) : "-" }
function legend(    i) {
	for (i in a)
		if (index(i, substr($1, 2) SUBSEP) == 1)
			delete a[i]
	for (i = 2; i <= NF; i++)
		a[substr($1, 2), $i] = i
}
# dur_ns if that is known; copies have no rates
function known(name) {
	if ($1 == "kern")
		return at(name "_ns")
	return at(name) == "-" ? 0 : at("dur_ns")
}
# 1 for the first record of a run and family
function call(inst, fam) {
	if (inst != "-" && index(seen[inst] ",", "," fam ","))
		return 0
	if (inst != "-")
		seen[inst] = seen[inst] "," fam
	return 1
}
$1 == "##dlp" {
	n = 0
	split("", seen)
	print
	print "#work", (src != "" ? "src" OFS : "") "iter", "dir", \
	    "family", "call", "dur_ns", "flop", "bytes", \
	    "peak_ns", "exec_flop", "flop_ns", "bytes_ns"
	next
}
$1 == "##end" { print $1, n; next }
/^##/ { print; next }
/^#/ { legend() }
$1 == "#dev" || $1 == "dev" { print; n += $1 == "dev"; next }
$1 == "inst" { delete seen[at("inst_id")] }
$1 != "kern" && $1 != "copy" && $1 != "set" && $1 != "graph" { next }
{
	fam = at("family")
	dir = fam == "optimizer" || at("phase") == "optimizer" ? \
	    "optimizer" : at("dir")
	n++
	print "work", (src != "" ? at("src") OFS : "") at("iter"), \
	    dir, fam, call(at("inst_id"), fam), at("dur_ns"), \
	    at("flop"), at("bytes"), at("peak_ns"), \
	    at($1 == "kern" ? "exec_flop" : "flop"), \
	    known("flop"), known("bytes")
}
