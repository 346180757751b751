# Read by overview: the row of a file, and its text for people.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # lib.sh; used by overview

# rows_of FILE...: a section with a row each; of the first file that is good
# the header is taken, a file that fails keeps its name.
rows_of() {
	names='file	status	gpu	dialect	recorder	steps	trimmed	step_ns	std_ns	tc_ns	kern_ns	graph_ns	mem_ns	idle_ns	work_ns	op_ns	eligible_ns	top_op	findings'
	printf '##dlp\t1\n#overview\t%s\n' "$names"
	ok=1
	for f; do
		row=$(DLP_ROW=1 sh "$DLP_REPORTS/overview" --tsv \
		    ${opt_k:+-k "$opt_k"} -- "$f" | sed 1d) && [ -n "$row" ] ||
		    row=
		if [ -n "$row" ]; then
			printf 'overview\t%s\n' "$row"
		else
			ok=
			f=$(printf '%s' "$f" | tr '\t\n' '  ')
			printf 'overview\t%s\tfailed' "$f"
			printf '\t-%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
			echo
		fi
	done
	[ -z "$ok" ] || printf '##end\t%d\n' $#
}

tables='
	function v(c) { return $(at[$1, c]) }
	function max(a, b) { return a > b ? a : b }
	function ms(x) { return sprintf("%.2f ms", x / 1e6) }
	function pct(x, y) { return y > 0 ? sprintf("%5.1f %%", 100 * x / y) : "-" }
	function say(s) { print plain(substr(s, 1, wide)) }
	function bar(name, x, all,    s, i) {
		for (i = 0; i < 30 * x / (all > 0 ? all : 1) - .5; i++)
			s = s "#"
		say(sprintf("  %-22.22s %12s %8s %s", name, ms(x), pct(x, all), s))
	}
	# The longest row of steps within 10 % of the median, the later of equals.
	function stable(    i, j, x, s, run) {
		for (i = 1; i <= n; i++)
			s[i] = step[i]
		for (i = 2; i <= n; i++) {
			x = s[i]
			for (j = i - 1; j > 0 && s[j] > x; j--)
				s[j + 1] = s[j]
			s[j + 1] = x
		}
		x = n % 2 ? s[(n + 1) / 2] : (s[n / 2] + s[n / 2 + 1]) / 2
		for (i = 1; i <= n; i++) {
			run = step[i] >= .9 * x && step[i] <= 1.1 * x ? run + 1 : 0
			if (run > 0 && run >= used) {
				used = run
				last = i
			}
		}
		if (!used)
			last = used = n
		for (i = last - used + 1; i <= last; i++) {
			take[id[i]] = 1
			mean += step[i] / used
		}
		for (i = last - used + 1; i <= last; i++)
			var += (step[i] - mean) ^ 2
		std = used > 1 ? sprintf("%.0f", sqrt(var / (used - 1))) : "-"
	}
	function totals(    k, p) {
		for (k in busy) {
			split(k, p, SUBSEP)
			if (n == 0 || (p[1] in take))
				c[p[2]] += busy[k]
		}
		idle = c["dataload"] + c["io"] + c["cpu"] + c["other"]
	}
	function best(t,    k, b) {
		b = ""
		for (k in t)
			if (b == "" || t[k] > t[b] || (t[k] == t[b] && k < b))
				b = k
		return b
	}
	function row() {
		print "##dlp\t1" | show
		print "#overview\tfile\tstatus\tgpu\tdialect\trecorder\tsteps" \
		    "\ttrimmed\tstep_ns\tstd_ns\ttc_ns\tkern_ns\tgraph_ns" \
		    "\tmem_ns\tidle_ns\twork_ns\top_ns\teligible_ns\ttop_op" \
		    "\tfindings" | show
		print "overview", file, "ok", gpu, info("dialect"), \
		    info("recorder"), used + 0, n - used, \
		    n ? sprintf("%.0f", mean) : "-", n ? std : "-", \
		    c["tc"] + 0, c["kern"] + 0, c["graph"] + 0, c["mem"] + 0, \
		    idle + 0, work + 0, known + 0, eligible + 0, \
		    top == "" ? "-" : top, ids == "" ? "-" : ids | show
		print "##end\t1" | show
		return close(show)
	}
	function info(k) { return k in inf ? inf[k] : "-" }
	function text(    all, i, k) {
		all = c["tc"] + c["kern"] + c["graph"] + c["mem"] + idle
		say(file)
		say("GPU    " gpu "; driver " info("driver") ", CUDA " info("cuda"))
		say("tool   " info("dialect") " " info("recorder"))
		if (n) {
			say("steps  " used " of " n ", " (n - used) " trimmed: " \
			    "the longest row within 10 % of the median")
			say("       mean " ms(mean) ", standard deviation " \
			    (std == "-" ? "-" : ms(std)))
		} else
			say("steps  none found; all numbers are of the whole profile")
		print ""
		say(n ? "GPU time inside of these steps (" ms(all) "; not between them)" : "GPU time")
		bar("Tensor Core kernels", c["tc"], all)
		bar("other kernels", c["kern"], all)
		bar("graphs", c["graph"], all)
		bar("copies and sets", c["mem"], all)
		bar("idle", idle, all)
		say("\nphases, GPU time, whole profile")
		for (i = 0; i < 6 && (k = best(phase)) != ""; i++) {
			if (phase[k] > 0)
				bar(k == "-" ? "(none)" : k, phase[k], work)
			delete phase[k]
		}
		say("\ntop ops, whole profile")
		for (i = 0; i < 5 && (k = best(op)) != ""; i++) {
			bar(k, op[k], work)
			say("      " kname[k])
			delete op[k]
		}
		say("\ncould use Tensor Cores and do not: " ms(eligible) " of kernels")
		say("GPU work with a known op: " pct(known, work))
		say("\nfindings: " (nf + 0))
		for (i = 1; i <= nf && i <= 3; i++)
			say("  " found[i])
		say("\nnext: dlp " (c["tc"] + c["kern"] + c["graph"] + c["mem"] < \
		    idle ? "gaps" : eligible > .1 * work ? "tc" : "top") " FILE")
		return 0
	}
	$1 == "##cmd" && $2 ~ /^dlp.parse / {
		file = $2
		sub(/^dlp.parse [^ ]* (--src )?(-- )?/, "", file)
	}
	$1 == "##info" { inf[$2] = $3 }
	/^#[a-z]/ { for (i = 2; i <= NF; i++) at[substr($1, 2), $i] = i }
	$1 == "dev" { gpu = gpu == "" || gpu == v("name") ? v("name") : gpu ", " v("name") }
	$1 == "iter" && v("key") != "-" { id[++n] = v("iter"); step[n] = v("step_ns") }
	$1 == "busy" { busy[v("iter"), v("class")] += v("dur_ns") }
	$1 == "phase" { phase[v("phase")] += v("gpu_sum_ns") }
	$1 == "work" {
		t = v("sum_dur_ns")
		work += t
		o = v("op") == "-" ? "(no op)" : v("op") (v("dir") == "-" ? "" : " " v("dir"))
		op[o] += t
		if (v("op") != "-")
			known += t
		if (v("tag") == "kern" && v("tc_eligible") == "yes" && v("tc") == "no")
			eligible += t
		if (t > kmax[o]) {
			kmax[o] = t
			kname[o] = v("tag") == "kern" ? v("short") : v("tag")
		}
	}
	$1 == "finding" && v("judged") == "yes" {
		found[++nf] = v("problem")
		ids = ids (ids == "" ? "" : ",") v("id")
	}
	$1 == "##end" { ended = 1 }
	END {
		if (!ended)
			exit 2
		if (gpu == "")
			gpu = "-"
		if (n)
			stable()
		totals()
		top = best(op)
		exit (fmt != "" ? row() : text()) ? 2 : 0
	}'
tables=$plain_awk$tables
