# Of dlp info: the rows. In a section of several files facts stand behind the
# name of their file, records have it, and notes are of all.
    function row(file, what, name, text) {
print "info", (src != "" ? file OFS : "") what, name, text
n++
    }
    function file_of(    i, m, name) {
m = split(legend[$1], name)
for (i = 2; i <= m; i++)
    if (name[i] == "src")
	return $i
return file
    }
    $1 == "##dlp" {
print
print "#info", (src != "" ? "src" OFS : "") "what", "name", "text"
n = files = 0
    }
    $1 == "##end" { print $1, n }
    $1 == "##info" && $2 == "src" { file = $3; files++; next }
    $1 == "##info" { row(file, "session", $2, $3) }
    $1 == "##note" { row(files > 1 ? "-" : file, "note", $2, $3) }
    /^#/ { if (split($0, name) > 1) legend[substr($1, 2)] = $0; next }
    $1 == "diag" && (all || $4 != "info") { row(file_of(), "message", $4, $5) }
    $1 == "dev" || $1 == "proc" {
split(legend[$1], name)
for (i = 3; i <= NF; i++)
    if ($i != "-" && name[i] != "src")
	row(file_of(), name[2] " " $2, name[i], $i)
    }
