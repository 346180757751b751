# Of dlp overview: the numbers of a file, and its row.
function v(c) { return $(at[$1, c]) }
# The file of a record, where the stream is of several: steps and devices are
# its own.
function src() { return ($1, "src") in at ? v("src") : "-" }
function info(k) { return k in inf ? inf[k] : "-" }
function has(list, word) {
	return index("," list ",", "," word ",") > 0
}
# Whether an iteration of the record's file is one of the steps that count.
function counts(i,    f) {
	f = src()
	return !(f in all_of) || (i != "-" && (from[f] == "-" || \
	    (i + 0 >= from[f] + 0 && i + 0 <= to[f] + 0)))
}
function best(t,    k, b) {
	b = ""
	for (k in t)
		if (b == "" || t[k] > t[b] || (t[k] == t[b] && k < b))
			b = k
	return b
}
function on_busy(    d, c, t) {
	d = src() SUBSEP v("dev")
	c = v("class")
	t = v("dur_ns")
	if (c ~ /^(tc|kern|graph|mem)$/ && t > 0)
		used[d] = n_work = 1
	else if (c !~ /^(tc|kern|graph|mem)$/)
		c = "idle " c
	if (counts(v("iter"))) {
		time[d, c] += t
	} else if (src() in all_of && v("iter") == "-" && \
	    counts(v("after"))) {
		time[d, c] += t
		between[d, c] += t
	}
}
# The steps of a file that count, to those of the files before; sq is the sum
# of the squares of what they differ from the mean.
function on_stable(    f, n, d) {
	f = src()
	n = v("n_even") > 0 ? v("n_even") : v("n")
	n_all += all_of[f] = v("n")
	d = v("mean_ns") - mean
	if (v("std_ns") == "-" && n > 1)
		no_std = 1
	else if (n > 1)
		sq += (n - 1) * v("std_ns") * v("std_ns")
	sq += n_used > 0 ? d * d * n * n_used / (n + n_used) : 0
	mean += d * n / (n + n_used)
	n_used += n
	from[f] = v("from")
	to[f] = v("to")
	if (n_steps_of++ && (from[f] != first || to[f] != last))
		differ = 1
	first = from[f]
	last = to[f]
	within = v("within_pct")
}
function std_ns() {
	return no_std || n_used < 2 ? "-" : \
	    sprintf("%.0f", sqrt(sq / (n_used - 1)))
}
# The devices that are used, together.
function totals(    k, p) {
	for (k in used)
		n_gpu++
	for (k in time) {
		split(k, p, SUBSEP)
		if (!((p[1], p[2]) in used))
			continue
		all += time[k]
		cls[p[3]] += time[k]
		if (k in between)
			gap += between[k]
		if (p[3] ~ /^idle/) {
			idle += time[k]
			gap_idle += k in between ? between[k] : 0
		}
	}
	made_up = info("times") != "-"
	timed = n_gpu > 0 && !made_up
}
# A graph as a whole: its kernels, of which nothing is known.
function on_graph(t) {
	tc_dark += t
	kern_t += t
	graph_t += t
	no_shapes += t
	no_flop += t
	no_verdict += t
}
function on_kern(t, o,    w) {
	n_kern += v("n")
	kern_t += t
	if (has(v("lacks"), "shapes"))
		no_shapes += t
	if (has(v("lacks"), "flop"))
		no_flop += t
	if (v("tc") == "unknown")
		no_verdict += t
	if (v("tc_eligible") != "unknown")
		n_judged++
	w = v("tc_why")
	if (v("tc_eligible") == "yes" && v("tc") != "yes" && w != "-") {
		eligible += t
		why[w] += t
		why_op[w, o] += t
	} else if (v("tc") == "yes" && w != "-") {
		slow += t
		slow_why[w] += t
		why_op[w, o] += t
	} else if (v("tc_eligible") == "unknown" && \
	    (w != "-" || v("tc") == "unknown"))
		tc_dark += t
}
function on_work(    t, o, k) {
	t = v("sum_dur_ns")
	work += t
	if (v("op") == "-")
		o = (v("layer") == "-" ? "" : v("layer") " ") "(no op)"
	else
		o = v("op") (v("dir") == "-" ? "" : " " v("dir"))
	op[o] += t
	if (v("op") == "-") {
		no_op += t
		no_op_why[v("why")] += t
	}
	k = v("tag") == "kern" ? v("short") : v("tag")
	kern[o, k] += t
	if (kern[o, k] > kern_max[o]) {
		kern_max[o] = kern[o, k]
		kern_name[o] = k
		kern_tc[o] = v("tag") == "kern" ? v("tc") : "-"
	}
	if (v("tag") == "kern")
		on_kern(t, o)
	else if (v("tag") == "graph")
		on_graph(t)
}
# What is found in several files stands once, as it is where it is the most.
function on_finding(    i, id, x) {
	id = v("id")
	if (!(id in said))
		ids = ids (ids == "" ? "" : ",") id
	said[id] = 1
	if (v("part_of") != "-")
		return
	n_of[id]++
	x = v("share_pct") == "-" ? -1 : v("share_pct") + 0
	if (!(id in place))
		place[id] = ++n_found
	else if (x <= share_of[id])
		return
	for (i = place[id]; i > 1 && x > share_of[rule[i - 1]]; i--) {
		rule[i] = rule[i - 1]
		place[rule[i]] = i
	}
	rule[i] = id
	place[id] = i
	share_of[id] = x
	where[id] = src()
	found[id] = unescape(v("problem"))
	share[id] = v("share_pct")
	shown[id] = unescape(v("evidence"))
	advice[id] = unescape(v("recommendation"))
}
function gpus(    i, s) {
	for (i = 1; i <= n_name; i++)
		s = s (i > 1 ? ", " : "") (n_dev[name[i]] > 1 ? \
		    n_dev[name[i]] " x " : "") (name[i] == "-" ? \
		    "of unknown name" : name[i])
	return s == "" ? "-" : s
}
# A number, if it is known.
function num(known, x) { return known ? sprintf("%.0f", x) : "-" }
function busy_pct() {
	return timed && all > 0 ? \
	    sprintf("%.2f", 100 * (all - idle) / all) : "-"
}
function add(s) { record = record OFS s }
function the_row() {
	record = "overview"
	add(escape(file))
	add("ok")
	add(gpus())
	add(num(n_work, n_gpu))
	add(info("dialect"))
	add(info("recorder"))
	add(n_used + 0)
	add(n_all - n_used)
	add(num(n_all, mean))
	add(n_all ? std_ns() : "-")
	add(num(timed, n_gpu ? all / n_gpu : 0))
	add(num(timed, cls["tc"]))
	add(num(timed, cls["kern"]))
	add(num(timed, cls["graph"]))
	add(num(timed, cls["mem"]))
	add(num(timed, idle))
	add(num(timed, cls["idle dataload"]))
	add(num(timed, gap))
	add(num(timed, gap_idle))
	add(busy_pct())
	add(num(n_work, n_kern))
	add(num(n_work, work))
	add(num(n_work, work - no_op))
	add(num(n_work, kern_t))
	add(num(n_work, kern_t - no_shapes))
	add(num(n_work, kern_t - no_flop))
	add(num(n_work, kern_t - no_verdict))
	add(num(n_work && (n_judged || !n_kern), eligible))
	add(best(op) == "" ? "-" : best(op))
	add(ids == "" ? "-" : ids)
	add("-")
	return record
}
# A section of one row, to dlp-fmt.
function section() {
	gsub(/ /, "\t", cols)
	print "##dlp\t1\n#overview\t" cols "\n" the_row() "\n##end\t1" | show
	return close(show) != 0
}
# The name, where it is not given, is that of the command line.
$1 == "##cmd" && file == "" {
	file = ENVIRON["DLP_FILE"]
	if (file == "") {
		file = $2
		sub(/^[^ ]* [^ ]* (-- )?/, "", file)
	}
}
$1 == "##info" { inf[$2] = $3 }
$1 == "##info" && $2 == "kernel_arch" && $3 < 80 { no_tf32 = 1 }
/^#[a-z]/ {
	for (i = 2; i <= NF; i++)
		at[substr($1, 2), $i] = i
}
$1 == "dev" && v("cc") + 0 > 0 && v("cc") + 0 < 8 { no_tf32 = 1 }
$1 == "dev" && n_dev[v("name")]++ == 0 { name[++n_name] = v("name") }
$1 == "stable" { on_stable() }
# all steps that the profile has
$1 == "cut" { n_steps += v("iter") != "-" || v("dropped") != "-" }
$1 == "busy" { on_busy() }
$1 == "gapped" { gapped[v("class")] += v("sum_dur_ns") }
$1 == "edge" {
	edge_t[v("at")] += v("dur_ns")
	if (v("api") != "-" && v("api_dur_ns") > edge_api_t) {
		edge_api = unescape(v("api"))
		edge_api_t = v("api_dur_ns")
	}
}
$1 == "cand" && try == "" && v("n") >= 3 { try = unescape(v("key")) }
$1 == "phase" && counts(v("iter")) { phase[v("phase")] += v("gpu_sum_ns") }
$1 == "work" { on_work() }
$1 == "finding" && v("judged") == "yes" { on_finding() }
$1 == "finding" && v("judged") == "not judged" { unjudged[v("id")] = 1 }
$1 == "##info" && $2 == "src" { n_src++ }
$1 == "##end" { ended = 1 }
END {
	if (!ended)
		exit 2
	for (i in unjudged)
		n_unjudged += !(i in said)
	totals()
	if (show != "")
		exit section() ? 2 : 0
	if (row)
		print the_row()
	else
		text()
}
