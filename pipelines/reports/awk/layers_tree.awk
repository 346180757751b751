# Of dlp layers: the rows, from sums by layer and direction.
# A name can have a / ("Torch-Compiled Region: 0/0"): it is kept as another letter.
function keep(path) {
	while (match(path, /: !?[0-9]+\/[0-9]/))
		path = substr(path, 1, RSTART + RLENGTH - 3) "\001" substr(path, RSTART + RLENGTH - 1)
	return path
}
function shown(path) {
	gsub("\001", "/", path)
	return path
}
function add(path, dir, n, ns,    at) {
	if (!(path in total)) {
		at = up(path)
		list[at] = list[at] (list[at] == "" ? "" : "\t") path
	}
	total[path] += ns
	count[path] += n
	part[path, dir == "fprop" || dir == "bprop" || dir == "optimizer" ? dir : "other"] += ns
}
function up(path) {
	return sub(/\/[^\/]*$/, "", path) ? path : ""
}
function level(path) {
	return gsub(/\//, "", path)
}
function whole(v) {
	return sprintf("%.0f", v)
}
# The layers inside a layer, the longest first.
function put(at,    v, n, i, k, t) {
	n = split(list[at], v, "\t")
	for (i = 2; i <= n; i++)
		for (k = i; k > 1 && (total[v[k]] > total[v[k - 1]] || \
		    total[v[k]] == total[v[k - 1]] && v[k] < v[k - 1]); k--) {
			t = v[k]
			v[k] = v[k - 1]
			v[k - 1] = t
		}
	for (i = 1; i <= n; i++) {
		if (limit > 0 && rows >= limit)
			return
		rows++
		print "layers", shown(v[i]), level(v[i]), count[v[i]], whole(total[v[i]]), \
		    (all > 0 ? sprintf("%.2f", 100 * total[v[i]] / all) : "-"), \
		    whole(self[v[i]]), whole(part[v[i], "fprop"]), \
		    whole(part[v[i], "bprop"]), whole(part[v[i], "optimizer"]), \
		    whole(part[v[i], "other"])
		put(v[i])
	}
}
$1 == "#agg" {
	for (i = 2; i <= NF; i++)
		a[$i] = i
	print "#layers", "layer", "level", "n", "total_ns", "pct", "self_ns", \
	    "fprop_ns", "bprop_ns", "optimizer_ns", "other_ns"
	next
}
$1 == "agg" {
	path = keep($(a["layer"]))
	ns = $(a["sum_dur_ns"])
	self[path] += ns
	all += ns
	for (; path != ""; path = up(path))
		add(path, $(a["dir"]), $(a["n"]), ns)
	next
}
$1 == "##dlp" { split("", total); split("", list); split("", self)
		split("", part); split("", count); rows = all = 0 }
$1 == "##end" { put(""); print $1, rows; next }
/^##/
