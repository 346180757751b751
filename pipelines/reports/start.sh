# Read by dlp and pyprof-prof, which lie in the folder $here: where the
# filters are, and how a pipeline of them is run.
# shellcheck shell=sh disable=SC2154 # here: set by who reads this

# The locale changes no output: awk would print 1,5.
LC_ALL=C
export LC_ALL

. "${datadir:-$here}/reports/plain.sh"
. "${datadir:-$here}/reports/signals.sh"

if ! command -v dlp-parse >/dev/null 2>&1; then
	PATH=$here:$here/../build/bin:$PATH
	export PATH
fi

# run COMMAND...: a pipeline. Where a filter fails or finds nothing, those
# behind it complain of their input: that is only shown if none before them has
# said anything.
run() {
	catch_signals
	# what runs behind & would have no standard input; this one cannot be
	# read either
	{ true 4<&0; } 2>/dev/null || exec 0>/dev/null
	if ! { true 3>&1; } 2>/dev/null; then
		echo "dlp: standard output is closed" >&2
		exit 2
	fi
	exec 3>&1 4<&0
	piped "$@" <&4 4<&- &
	exec 3>&- 4<&-
	wait $!
}

# Standard output is 3 as well.
piped() {
	status=$({ {
		"$@" >&3 3>&- 4>&-
		echo $? >&4
	} 2>&1 | LC_ALL=C awk "$plain_awk"'
	BEGIN {
		n = split("parse merge markers correlate iter flops rate " \
		    "busy gaps phases mem expose waits ranks tree agg advise dldb diff overview " \
		    "pyprof folded trace openmetrics fmt", names)
		for (i = 1; i <= n; i++)
			place["dlp-" names[i] ":"] = i
		first = n + 1
		at = n + 1
	}
	/^dlp-[a-z]*: standard input.*(empty input|without ##end)/ ||
	/^dlp-[a-z]*: (no [a-z,]* records in the input|nothing to print)/ {
		if (place[$1] < at) {
			at = place[$1]
			kept = $0
			empty = /empty input/
		}
		next
	}
	{
		if (place[$1] + 0 < first)
			first = place[$1] + 0
		print plain($0)
		fflush()
	}
	# who has nothing to read has nothing else to say: the other line is of
	# the same filter, before in the pipeline
	END { if (kept != "" && first >= at + empty) print plain(kept) }' >&2; } 4>&1)
	exit "$status"
}
