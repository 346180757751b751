# Read by dlprof: what it says of the result.
# shellcheck shell=sh disable=SC2154 # tmp, domain: analyse.sh

# The intervals that were found and those that are aggregated.
show_iterations() {
	[ "$level" -ge 2 ] || return 0
	need_plain
	LC_ALL=C awk -F '\t' "$plain_awk"'
	function count(n) { return n " iteration" (n == 1 ? "" : "s") }
	$1 == "##info" { info[$2] = $3 }
	$1 == "#iter" { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == "iter" {
		start = $(at["start_ns"])
		end = sprintf("%.0f", start + $(at["dur_ns"]))
		if (n++ == 0) {
			first = $(at["iter"])
			from = start
		}
		last = $(at["iter"])
		to = end
	}
	END {
		if ("n_iter" in info)
			printf "Found %s using key_node \"%s\"\n", \
			    count(info["n_iter"]), \
			    plain(info["key_op"])
		if (n > 0)
			printf "Aggregating data over %s: iteration %s " \
			    "start (%s ns) to iteration %s end (%s ns)\n", \
			    count(n), first, from, last, to
	}' "$tmp/small" >&2
}

# show_messages FILE: those of the stages; with --verbosity=quiet, if $failed.
# A report without rows is no trouble, so messages about the input of a filter
# (stage.sh: they begin with a TAB) are only shown with a failure.
show_messages() {
	[ "$level" -gt 0 ] || [ -n "$failed" ] || return 0
	if [ "$level" -ge 3 ] || [ -n "$failed" ]; then
		sed 's/^	//' "$1"
	else
		sed '/^	/d' "$1"
	fi >&2
}

# What the expert systems found, on standard output.
show_findings() {
	[ "$level" -ge 1 ] || return 0
	grep -q '^#finding	' "$tmp/small" || return 0
	say "Writing expert_systems report to (stdout)"
	need_plain
	LC_ALL=C awk -F '\t' "$plain_awk"'
	function text(s) {
		s = plain(s)
		gsub(/\\\\/, "\001", s)
		gsub(/\\n/, "\n  ", s)
		gsub(/\\t/, " ", s)
		gsub(/\001/, "\\", s)
		return s
	}
	$1 == "#finding" { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == "finding" && $(at["judged"]) == "yes" {
		n++
		out = out "\nProblem detected:\n  " text($(at["problem"])) \
		    "\nRecommended change:\n  " \
		    text($(at["recommendation"])) "\n"
	}
	END {
		printf "Expert Systems Feedback: %d issue%s detected\n%s", \
		    n, (n == 1 ? "" : "s"), out
	}' "$tmp/small"
	say "Rules that DLProf did not have: $(quoted dlp advise "$opt_database")"
}
