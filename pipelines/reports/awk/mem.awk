# Of dlp mem: the rows.
$1 == "#peak" { for (i = 2; i <= NF; i++) p[$i] = i }
$1 == "peak" && $(p["peak_bytes"]) == "-" && !said++ {
	print "dlp mem: no memory events in this profile; record them" \
	    " with --cuda-memory-usage=true" >"/dev/stderr"
}
$1 == "#mem" { for (i = 2; i <= NF; i++) a[$i] = i }
$1 == "##info" && $2 == "duration_ns" { last = $3 }
$1 == "mem" && $(a["space"]) == "device" {
	key = (src != "" ? $(a["src"]) OFS : "") $(a["dev"])
	if (!(key in n)) keys[++nkeys] = key
	t[key, ++n[key]] = $(a["start_ns"])
	used[key, n[key]] = $(a["used_bytes"])
	if (used[key, n[key]] > top) top = used[key, n[key]]
	if (t[key, n[key]] > last) last = t[key, n[key]]
}
function draw(key,    r, i, now, most, bar) {
	for (r = i = 1; r <= rows; r++) {
		most = now
		for (; i <= n[key] && t[key, i] <= last * r / rows; i++) {
			now = used[key, i]
			if (now > most) most = now
		}
		bar = sprintf("%" int(40 * most / top + 0.5) "s", "")
		gsub(/ /, "#", bar)
		print "time", key, int(last * (r - 1) / rows), most, bar
		passed++
	}
}
$1 == "##end" && nkeys > 0 {
	print "#time", (src != "" ? "src" OFS : "") "dev", "start_ns", \
	    "used_bytes", "bar"
	for (k = 1; k <= nkeys; k++) draw(keys[k])
	for (k in n) delete n[k]
	nkeys = top = last = 0
}
$1 == "##dlp" { passed = 0 }
$1 == "##end" { print $1, passed + 0; next }
$1 !~ /^#?mem$/ { passed += !/^#/; print }
