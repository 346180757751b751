# Of dlp advise -a: all rules in words for people, as records with a line each.
# plain.awk is read before.
function put_line(s) { print "line", s; n_lines++ }
function get(name) { return (name in at) && $(at[name]) != "-" ? $(at[name]) : "" }
# A text with words moved to the next line where width ends, behind a name.
function say(name, text,    n, i, word, line) {
	n = split(plain(text), word, " ")
	line = sprintf("  %-30s", name)
	for (i = 1; i <= n; i++) {
		if (width > 50 && length(line) + length(word[i]) >= width) {
			put_line(line)
			line = sprintf("%32s", "")
		}
		line = line " " word[i]
	}
	put_line(line)
}
function put(title, list, n,    i) {
	if (n == 0)
		return
	if (n_lines > 0)
		put_line("")
	put_line(title " (" n ")")
	for (i = 1; i <= n; i++)
		say(list[i, "id"], list[i, "text"])
}
function all_of_file() {
	if (src != "" && n_lines > 0)
		put_line("")
	if (src != "")
		put_line(plain(src))
	put("Found", found, n_found)
	put("Lack data", lack, n_lack)
	put("Not found", none, n_none)
	n_found = n_lack = n_none = 0
}
BEGIN {
	OFS = "\t"
	while (("dlp-advise -l" | getline) > 0) {
		looks_for[$1] = $4
		limit[$1] = $3
	}
}
/^#finding\t/ {
	for (i = 1; i <= NF; i++)
		at[$i] = i
}
/^finding\t/ {
	src = get("src")
	id = get("id")
	value = get("value")
}
/^finding\t/ && get("judged") == "yes" {
	found[++n_found, "id"] = id
	text = get("problem")
	if (get("gain_ns") > 0 && get("predicted_step_ns") != "")
		text = sprintf("%.3g -> %.3g ms if fixed: %s", get("step_ns") / 1e6, \
		    get("predicted_step_ns") / 1e6, text)
	if (get("part_of") != "")
		text = text " (the same time as " get("part_of") ")"
	found[n_found, "text"] = text
}
/^finding\t/ && get("judged") == "not judged" {
	lack[++n_lack, "id"] = id
	lack[n_lack, "text"] = get("missing")
}
/^finding\t/ && get("judged") == "no" {
	none[++n_none, "id"] = id
	text = looks_for[id]
	if (value != "" && limit[id] != "-")
		text = text ": " value ", limit " limit[id]
	none[n_none, "text"] = text
}
$1 == "##dlp" {
	print
	print "#line", "text"
	n_lines = 0
}
$1 == "##end" {
	all_of_file()
	print $1, n_lines
}
/^##(note|info)\t/
