# Of dlp overview: the screen for people.

function ms(x) { return sprintf("%.2f ms", x / 1e6) }
function pct(x) {
	return base > 0 ? sprintf("%.1f %%", 100 * x / base) : "-"
}
function known(s) { return s == "-" ? "unknown" : s }
function say(s) {
	gsub(/\001/, " ", s)
	print plain(substr(s, 1, wide))
}
# Words behind a head, in lines as wide as the screen; no unit begins one.
function wrap(head, s,    w, n, i, line, pad) {
	pad = sprintf("%" (length(head) > 12 ? 2 : length(head)) "s", "")
	if (length(head) > 12) {
		s = head s
		head = ""
	}
	s = s " "
	gsub(/ %/, "\001%", s)
	gsub(/ ms /, "\001ms ", s)
	n = split(s, w, " ")
	line = head
	for (i = 1; i <= n; i++) {
		if (i > 1 && length(line " " w[i]) > wide) {
			say(line)
			line = pad w[i]
		} else
			line = line (i > 1 ? " " : "") w[i]
		for (; length(line) > wide; line = pad substr(line, wide + 1))
			say(line)
	}
	say(line)
}
# A long name without its middle.
function fit(s, n,    k) {
	if (length(s) <= n)
		return s
	if (s ~ / \(no op\)$/)
		return fit(substr(s, 1, length(s) - 8), n - 8) " (no op)"
	k = int((n - 2) * 2 / 3)
	return substr(s, 1, k) ".." substr(s, length(s) - n + k + 3)
}
function bar(label, x,    s, n, room) {
	room = wide < 48 ? (wide < 34 ? 12 : wide - 22) : 26
	n = wide - 50 > 30 ? 30 : wide - 50
	for (n = base > 0 ? n * x / base : 0; n >= .5; n--)
		s = s "#"
	say(sprintf("  %-" room "s %11s %7s%s", fit(label, room), ms(x), pct(x), \
	    s == "" ? "" : "  " s))
}
function part(label, x) {
	if (x > 0)
		bar(label, x)
}
# A name for a shell; one that no terminal should get is FILE, or what else it
# is.
function word(s, what) {
	if (plain(s) != s || s ~ /\n/)
		return what == "" ? "FILE" : what
	if (s ~ /^[A-Za-z0-9_.\/,:@%+=][A-Za-z0-9_.\/,:@%+=-]*$/)
		return s
	gsub(/\047/, "\047\\\047\047", s)
	return "\047" s "\047"
}
# The profile's name in a command to type; of standard input none is known.
function profile() { return piped ? "FILE" : word(file) }
function head(    n) {
	n = 0
	for (n_dev_all = 0; n < n_name; )
		n_dev_all += n_dev[name[++n]]
	wrap("", escape(file))
	wrap("GPU     ", known(gpus()) (n_gpu < n_dev_all ? " (" \
	    (n_gpu + 0) " used)" : "") "; driver " known(info("driver")) \
	    ", CUDA " known(info("cuda")))
	n = info("recorder") != "-" ? info("recorder") : \
	    info("dlprof_version")
	wrap("tool    ", (info("dialect") in tool ? tool[info("dialect")] : \
	    known(info("dialect"))) (n != "-" ? " " n : \
	    ", version unknown") (n == "-" && info("schema") != "-" ? \
	    "; schema " info("schema") : ""))
}
# Without steps: what lies before the GPU works, and behind.
function edges() {
	if (edge_t["before"] > .02 * base)
		wrap("        ", "before the first GPU work: " \
		    ms(edge_t["before"]) (edge_api == "" ? "" : \
		    ", the longest call in it " edge_api ", " \
		    ms(edge_api_t)))
	if (edge_t["behind"] > .02 * base)
		wrap("        ", "behind the last: " ms(edge_t["behind"]))
}
function no_steps() {
	if (made_up)
		wrap("steps   ", "none: this file has no times; all is of the" \
		    " whole of it")
	else
		wrap("steps   ", "none found: all is of the whole profile;" \
	    " -k names what a step is (" (try != "" ? "try: dlp -k " \
	    word(try) " " profile() : "dlp-parse FILE | dlp-correlate |" \
	    " dlp-iter --list | dlp-fmt -T cand proposes some") ")")
	wrap("100 %   ", ms(base) ": " (!timed ? "all GPU work" : \
	    "from the first GPU work to the last" \
	    (n_gpu > 1 ? ", the sum over " n_gpu " GPUs" : "")))
	if (timed)
		edges()
}
function files() {
	return n_steps_of > 1 ? " in " n_steps_of " files" : ""
}
function numbers() {
	return differ ? "" : ", number " first (last == first ? "" : \
	    " to " last)
}
function which_steps() {
	if (asked != "")
		return n_used " of " n_steps files() numbers() \
		    ": as -i asks for; " \
		    (n_steps > n_used ? n_steps - n_used : "none") " left out"
	if (!differ && first == "-")
		return n_used " of " n_all files() ": no two are within " \
		    within " % of the median, all count"
	return n_used " of " n_all files() numbers() ": the most" \
	    " consecutive steps within " within " % of the median; " \
	    (n_all > n_used ? n_all - n_used " uneven left out" \
	    " (-i chooses others)" : "none left out")
}
function steps(    std) {
	if (!n_all) {
		no_steps()
		return
	}
	wrap("steps   ", which_steps())
	std = std_ns()
	wrap("        ", "mean " ms(mean) ", standard deviation " \
	    (std == "-" ? "unknown" : ms(std) sprintf(" (%.1f %%)", \
	    mean > 0 ? 100 * std / mean : 0)))
	wrap("100 %   ", ms(base) (!timed ? ": their GPU work" : \
	    ": from the start of the first of these steps to the end of" \
	    " the last and its work" times))
}
function split_up() {
	say("\nGPU time")
	bar("Tensor Core kernels", cls["tc"])
	bar("other kernels", cls["kern"])
	part("graphs", cls["graph"])
	bar("copies and sets", timed ? cls["mem"] : 0)
	bar("idle", idle)
	why_idle()
	if (n_all && gap_idle >= .02 * base)
		part("  of it between two steps", gap_idle)
}
# The classes of dlp gaps, the first five of them; what no gap of the steps has
# lies before work between them that is in none. What would be 0.00 ms is left
# out.
function why_idle(    c, i, rest) {
	rest = idle
	for (i = 0; i < 5 && (c = best(gapped)) != "" && gapped[c] >= 5000; i++) {
		part("  " c, gapped[c])
		rest -= gapped[c]
		delete gapped[c]
	}
	if (rest >= 5000)
		part("  (rest)", rest)
}
function tables_of(    i, k) {
	say("\nphases: GPU work launched in them")
	for (i = 0; i < 6 && (k = best(phase)) != ""; i++) {
		if (phase[k] > 0)
			bar(k == "-" ? "(none)" : k, phase[k])
		delete phase[k]
	}
	say("\ntop ops, each with its longest kernel")
	for (i = 0; i < 5 && (k = best(op)) != ""; i++) {
		bar(k, op[k])
		say("    " fit(kern_name[k], wide - 20) \
		    (kern_tc[k] == "yes" ? ", Tensor Cores" : ""))
		delete op[k]
	}
}
function best_op(w,    k, p, b) {
	b = ""
	for (k in why_op) {
		split(k, p, SUBSEP)
		if (p[1] == w && (b == "" || why_op[k] > why_op[w, b]))
			b = p[2]
	}
	return b
}
# The longest reasons, each with the op that it is the most of.
function reasons(t,    i, k) {
	for (i = 0; i < 3 && (k = best(t)) != ""; i++) {
		bar("  " k, t[k])
		wrap("    ", "most: " best_op(k) (k in tip ? "; " tip[k] : ""))
		delete t[k]
	}
}
function not_tc() {
	if (no_tf32)
		tip["fp32"] = "autocast to fp16; this GPU has no TF32"
	say("")
	if (n_kern && !n_judged)
		tc_dark = kern_t # of none it is known
	if (tc_dark < 5000)
		tc_dark = 0 # it would be 0.00 ms
	if (eligible > 0 || !tc_dark)
		bar("could use Tensor Cores", eligible)
	reasons(why)
	part("could use them: unknown", tc_dark)
	part("uses them, slowly", slow)
	reasons(slow_why)
}
# An account: what is not known of it, and what to do if it is much.
function lack(label, x, of, hint) {
	lacks = lacks (lacks == "" ? "" : ", ") label " " ms(x) " " \
	    pct(x)
	if (of > 0 && x > .1 * of && !(hint in said_hint))
		hints[++n_hint] = label ": " hint
	said_hint[hint] = 1
}
function coverage(    w, i) {
	w = best(no_op_why)
	lack("op", no_op, work, w in tip ? tip[w] : emit)
	lack("sizes", no_shapes, kern_t, graph_t > .5 * no_shapes ? \
	    tip["graph"] : emit)
	lack("FLOPs", no_flop, kern_t, graph_t > .5 * no_flop ? \
	    tip["graph"] : "dlp coverage names the ops; " (no_shapes > .5 * no_flop ? "most lack sizes" : \
	    "dlp-flops -f takes rules of yours"))
	lack("Tensor Cores or not", no_verdict, kern_t, \
	    graph_t > .5 * no_verdict ? tip["graph"] : "dlp coverage" \
	    " names the kernels; dlp-tc(1) how to write rules")
	say("")
	wrap("not known, of " ms(work) " of GPU work and " ms(kern_t) \
	    " of kernels" (graph_t > 0 ? " and graphs" : "") ": ", lacks)
	for (i = 1; i <= n_hint; i++)
		wrap("  > ", hints[i])
}
# Where a finding is the most, of several files.
function of_file(id) {
	return n_src < 2 || where[id] == "-" ? "" : unescape(where[id]) \
	    (n_of[id] > 1 ? " (and " n_of[id] - 1 " more)" : "") ": "
}
function findings(    i, k) {
	say("")
	wrap("", "findings, of " (n_all ? "these steps" : \
	    "the whole profile") ", with their share of the time: " (n_found > 3 ? "the first 3 of " : "") (n_found + 0))
	for (i = 1; i <= n_found && i <= 3; i++) {
		k = rule[i]
		wrap("  " i " ", (share[k] == "-" ? "" : \
		    "[" share[k] " %] ") of_file(k) found[k])
		if (shown[k] != "-")
			wrap("    = ", shown[k])
		wrap("    > ", advice[k])
	}
	if (n_unjudged)
		wrap("  ", n_unjudged (n_unjudged > 1 ? " rules" : " rule") \
		    " could not be judged: " (made_up ? "this file has no" \
		    " times" : "dlp advise -a " profile() \
		    " names what the profile lacks for them"))
}
# The steps that all of this is of, as options for another report.
function same_steps(    s) {
	if (!n_all || differ)
		return ""
	if (ENVIRON["DLP_KEY"] != "")
		s = " -k " word(ENVIRON["DLP_KEY"], "KEY")
	if (first != "-")
		s = s " -i " first (last == first ? "" : "-" last)
	else if (s == "")
		s = n_steps_of > 1 ? "" : " -i 0" (n_all > 1 ? "-" n_all - 1 : "")
	return s
}
# A report that is worth a look, by the part of the time it is about.
function propose(cmd, what, x) {
	if (base > 0 && x > .1 * base) {
		next_ns[cmd] = x
		next_what[cmd] = what
	}
}
function next_steps(    i, k) {
	propose("gaps", "when the GPU idles, and why", timed ? idle : 0)
	propose("tc", "what does not use Tensor Cores, or slowly", \
	    eligible + slow)
	propose("copies", "which copies take the time", cls["mem"])
	propose("coverage", "what is not known, and why", no_op)
	propose("top", "all ops; -g kernel, layer, shape", work)
	if (!n_work)
		print "\nnext: dlp info " profile()
	for (i = 0; i < 3 && (k = best(next_ns)) != ""; i++) {
		print (i ? "      " : "\nnext: ") "dlp " k same_steps() " " \
		    profile()
		say("        " next_what[k])
		delete next_ns[k]
	}
}
function text() {
	base = timed ? all : work
	times = n_gpu < 2 ? "" : n_src > 1 ? ", the sum over " n_gpu \
	    " GPUs" : ", times " n_gpu " GPUs"
	head()
	if (n_work) {
		steps()
		if (timed)
			split_up()
		else
			wrap("        ", "durations only, no times:" \
			    " when the GPU idles is not known")
		tables_of()
		not_tc()
		coverage()
	} else
		wrap("        ", "no GPU work in this profile: record it" \
		    " with nsys profile -t cuda,nvtx")
	findings()
	next_steps()
}
