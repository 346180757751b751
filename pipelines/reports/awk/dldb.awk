# Of dlp dldb: the rows.
    function row(what, name, text) {
if ($1 == "finding" && "src" in at)
    file = $(at["src"])
print "dldb", (src != "" ? file OFS : "") what, name, text
n++
    }
    BEGIN {
split("key_op iter_start iter_stop n_iter n_iter_aggregated", name, " ")
for (i in name)
    what[name[i]] = "choice"
split("schema schema_original dlprof_version dlprof_build", name, " ")
for (i in name)
    what[name[i]] = "version"
split("command mode profile_name", name, " ")
for (i in name)
    what[name[i]] = "run"
    }
    $1 == "##dlp" {
print
print "#dldb", (src != "" ? "src" OFS : "") "what", "name", "text"
n = 0
    }
    $1 == "##end" { print $1, n }
    $1 == "##info" && $2 == "src" { file = $3; next }
    $1 == "##info" && $2 == "dialect" && $3 != "dldb" {
row("no database of DLProf", $2, $3)
    }
    $1 == "##info" && $2 in what { row(what[$2], $2, $3 == "" ? "-" : $3) }
    $1 == "##info" && sub(/^model_/, "", $2) { row("model", $2, $3) }
    $1 == "##info" && $2 ~ /^gpu_mem_/ { row("memory", $2, $3) }
    $1 == "#finding" { split("", at); for (i = 2; i <= NF; i++) at[$i] = i }
    /^#/ { next }
    $1 == "finding" {
row("finding", $(at["id"]), $(at["problem"]))
row("advice", $(at["id"]), $(at["recommendation"]))
    }
