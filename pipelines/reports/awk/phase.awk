# Work that no range puts into a phase belongs to that of its op's direction, as in
# dlp phases: a backward op is known, an op that autograd numbered is forward, and
# one of XLA.
BEGIN { FS = OFS = "\t" }
/^#[^#]/ {
	t = substr($1, 2)
	for (i = 2; i <= NF; i++)
		at[t, $i] = i
}
$1 == "op" && (("op", "by") in at) && $at["op", "by"] == "xla" { xla = 1 }
!/^#/ && (($1, "phase") in at) && (($1, "dir") in at) && $at[$1, "phase"] == "-" {
	dir = $at[$1, "dir"]
	if (dir == "comm" && (($1, "for_dir") in at))
		dir = $at[$1, "for_dir"]
	if (dir == "bprop")
		$at[$1, "phase"] = "backward"
	else if (dir == "fprop" && (xla || \
	    ((($1, "seq") in at) && $at[$1, "seq"] != "-")))
		$at[$1, "phase"] = "forward"
}
{ print }
