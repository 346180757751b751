# Of dlp info: the rows.
    function row(what, name, text) {
print "info", (src != "" ? file OFS : "") what, name, text
n++
    }
    $1 == "##dlp" {
print
print "#info", (src != "" ? "src" OFS : "") "what", "name", "text"
n = 0
    }
    $1 == "##end" { print $1, n }
    $1 == "##info" && $2 == "src" { file = $3; next }
    $1 == "##info" { row("session", $2, $3) }
    $1 == "##note" { row("note", $2, $3) }
    /^#/ { if (split($0, name) > 1) legend[substr($1, 2)] = $0; next }
    $1 == "diag" && (all || $4 != "info") { row("message", $4, $5) }
    $1 == "dev" || $1 == "proc" {
split(legend[$1], name)
for (i = 3; i <= NF; i++)
    if ($i != "-" && name[i] != "src")
	row(name[2] " " $2, name[i], $i)
    }
