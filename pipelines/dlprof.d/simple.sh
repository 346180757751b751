# Read by dlprof for --mode=simple: the kernels and three totals. Ops play no
# part, and DLProf had no database and no findings here.
# shellcheck shell=sh disable=SC2034,SC2154 # tmp, profile: analyse.sh

# The time of the last end of anything, from a stream.
last_end() {
	awk -F '\t' '
	/^#[a-z]/ {
		type = substr($1, 2)
		start[type] = dur[type] = 0
		for (i = 2; i <= NF; i++)
			if ($i == "start_ns") start[type] = i
			else if ($i == "dur_ns") dur[type] = i
		next
	}
	start[$1] && dur[$1] && $(start[$1]) != "-" {
		end = $(start[$1]) + ($(dur[$1]) != "-" ? $(dur[$1]) : 0)
		if (end > last)
			last = end
	}
	END { printf "%.0f\n", last }'
}

# Each kernel, as agg records.
by_kernel() {
	stage dlp-parse -- "$profile" | stage dlp-correlate | stage dlp-flops |
	    tee "$tmp/all" | stage dlp-agg -T kern -g short,tc \
		-a sum,mean,min,max -f dur_ns,api_dur_ns --sort short
}

# The columns of the kernel report that this mode has.
kernel_rows() {
	awk -F '\t' -v OFS='\t' '
	function one(x) { return x == "-" ? x : sprintf("%.1f", x) }
	$1 == "#agg" {
		for (i = 2; i <= NF; i++) at[$i] = i
		print "#kernel", "Kernel Name", "Uses TC", \
		    "Total GPU Time (ns)", "Avg GPU Time (ns)", \
		    "Min GPU Time (ns)", "Max GPU Time (ns)", \
		    "Total API Time (ns)", "Avg API Time (ns)", \
		    "Min API Time (ns)", "Max API Time (ns)"
	}
	$1 == "agg" {
		print "kernel", $(at["short"]), \
		    $(at["tc"]) == "yes" ? "yes" : "no", \
		    $(at["sum_dur_ns"]), one($(at["mean_dur_ns"])), \
		    $(at["min_dur_ns"]), $(at["max_dur_ns"]), \
		    $(at["sum_api_dur_ns"]), one($(at["mean_api_dur_ns"])), \
		    $(at["min_api_dur_ns"]), $(at["max_api_dur_ns"])
	}' "$tmp/kernels"
}

# The totals: name, tab, value. Without kernels DLProf has 0.
totals() {
	dlp-agg -T agg -a sum:sum_dur_ns --as gpu \
	    --and -T agg -a sum:sum_dur_ns --as tc --where tc==yes \
	    "$tmp/kernels" 2>/dev/null |
	    awk -F '\t' -v OFS='\t' -v wall="$(cat "$tmp/wall")" '
	$1 == "gpu" || $1 == "tc" { ns[$1] = $2 != "-" ? $2 : 0 }
	END {
		print "Wall Clock Time (ns)", wall
		print "Total GPU Time (ns)", ns["gpu"]
		print "Total Tensor Core Kernel Time (ns)", ns["tc"]
	}'
}

simple_kernel() {
	kernel_rows | dlp-fmt -T kernel "--$1" --title 'Kernel Report' \
	    --quote 'Kernel Name'
}

simple_summary() {
	case $1 in
	csv)
		echo 'Summary Report'
		totals | tr '\t' ,
		;;
	json)
		printf '{"Summary Report":{'
		totals | awk -F '\t' '{
			printf "%s\"%s\":%s", (NR > 1 ? "," : ""), $1, $2 }'
		printf '}}\n'
		;;
	esac
}

simple() {
	domain=
	say "Reading $opt_database"
	mkfifo "$tmp/all"
	last_end <"$tmp/all" >"$tmp/wall" &
	last_end_pid=$!
	run by_kernel >"$tmp/kernels" || die_quietly
	wait "$last_end_pid" || die_quietly
	is_whole "$tmp/kernels" || die_quietly
	for name in $reports; do
		for format in $formats; do
			target=$(target "$name" "$format" '')
			say "Writing $name report to ($target)"
			"simple_$name" "$format" >"$tmp/$name.$format" ||
			    die "$target: not written"
			place "$tmp/$name.$format" "$target"
		done
	done
	[ "$level" -lt 1 ] || totals | sed 's/	/: /'
}
