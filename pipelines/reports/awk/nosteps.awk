# Of reports whose rows have an iteration: a file without steps is one iteration
# without a key, which -i does not take; its rows show none. `type` is that of
# the rows. The iter records come first.
function file(t) { return (t, "src") in at ? $(at[t, "src"]) : "" }
BEGIN { FS = OFS = "\t" }
$1 == "#iter" || $1 == "#" type {
	for (i = 2; i <= NF; i++)
		at[substr($1, 2), $i] = i
}
$1 == "iter" && $(at["iter", "key"]) != "-" { has_steps[file("iter")] = 1 }
$1 == type && ((type, "iter") in at) && !(file(type) in has_steps) {
	$(at[type, "iter"]) = "-"
}
$1 == "##end" {
	split("", has_steps)
	split("", at)
}
{ print }
