# Read by dlprof: from a profile to reports and database. The profile is read
# once for each domain: the pipeline and the reports are those of "dlp REPORT",
# see reports/dlprof/stream.sh.
# shellcheck shell=sh disable=SC2034,SC2154 # opt_*: options.sh; out, base: files.sh

. "$DLP_REPORTS/dlprof/stream.sh"
. "$parts/show.sh"

# The stages that come after dlp-flops; one that is not installed is left out.
# The model data need all records, the reports do not.
stages() {
	for stage in busy tree stat advise slim split dldb; do
		case $stage in
		stat) ;;
		slim) [ "$opt_dump" = false ] || continue ;;
		split) [ -n "$fifos" ] || continue ;;
		*) command -v "dlp-$stage" >/dev/null || continue ;;
		esac
		printf '%s ' "$stage"
	done
}

# report NAME FORMAT STREAM: one report on standard output.
report() {
	case $2 in
	csv) report_as=--dlprof ;;
	*) report_as=--$2 ;;
	esac
	sh "$DLP_REPORTS/dlprof/$1" --from "$3" "$report_as"
}

# The iteration report has a row for each kernel: it is written as the stream
# passes, through a FIFO for each format.
iteration_begin() {
	pids=
	fifos=
	n=0
	for name in $reports; do
		[ "$name" = iteration ] || continue
		for format in $formats; do
			n=$((n + 1))
			mkfifo "$tmp/kern$n"
			fifos="$fifos kern$n"
			{
				report iteration "$format" - \
				    >"$tmp/iteration.$format"
				report_status=$?
				cat >/dev/null
				exit $report_status
			} <"$tmp/kern$n" 2>"$tmp/err$n" &
			pids="$pids $!"
		done
	done
	if [ "$opt_dump" = true ]; then
		mkfifo "$tmp/dump"
		fifos="$fifos dump"
		dump_split <"$tmp/dump" &
		pids="$pids $!"
	fi
}

# To the FIFOs goes the stream before the database's second half is written:
# the iteration report is made beside it.
dlprof_split() {
	set --
	for fifo in $fifos; do
		set -- "$@" "$tmp/$fifo"
	done
	tee "$@"
}

# The stream, to the FIFOs, and what the other reports need into small.
whole() {
	# shellcheck disable=SC2046 # words
	dlprof_stream "$profile" $(stages) | dlprof_small
}

# is_whole FILE: whether its stream came to its end.
is_whole() {
	tail -n 1 "$1" | grep -q '^##end'
}

# place FILE TARGET: gives a finished file its name, which another dlprof may
# have taken since files.sh looked: with -C the shell creates it or fails.
place() {
	[ "$opt_force" = true ] || (set -C && : >"$2") 2>/dev/null || {
		[ -e "$2" ] || die "$2: cannot be written"
		die "$2: is there already, written by another run meanwhile;" \
		    "--force=true overwrites it"
	}
	mv -f -- "$1" "$2" || exit 2
}

# An iteration or a domain that is not there would give empty reports.
check_choice() {
	why=$(dlprof_domain=$domain awk -F '\t' -v start="$opt_iter_start" '
	BEGIN { domain = ENVIRON["dlprof_domain"] }
	$1 == "##info" && $2 == "n_iter" { n_iter = $3 }
	$1 == "#op" { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == "op" && $(at["by"]) != "api" { n_op++ }
	END {
		if (start != "" && n_iter != "" && start + 0 >= n_iter + 0)
			print "--iter_start=" start ": the last iteration is " \
			    n_iter - 1 "; --key_node chooses what one is"
		else if (domain != "" && !n_op)
			print "--domains: no op in the domain \047" domain \
			    "\047"
	}' "$tmp/small")
	[ -z "$why" ] || die "$why"
}

write_report() {
	target=$(target "$1" "$2" "$domain")
	say "Writing $(file_word "$1") report to ($target)"
	if [ "$1" != iteration ]; then
		failed=
		report "$1" "$2" "$tmp/small" >"$tmp/$1.$2" 2>"$tmp/err" ||
		    failed=1
		show_messages "$tmp/err"
		[ -z "$failed" ] || die "$target: not written"
	fi
	place "$tmp/$1.$2" "$target"
}

# The whole profile as a page: its range of steps is chosen there.
write_page() {
	say "Writing the page to ($opt_html)"
	failed=
	"$here/dlp" html ${opt_key:+-k "$opt_key"} --title "$base" -- "$profile" \
	    >"$tmp/page.html" 2>"$tmp/err" || failed=1
	[ -z "$failed" ] || {
		show_messages "$tmp/err"
		die "$opt_html: not written"
	}
	place "$tmp/page.html" "$opt_html"
}

# Numbers are of all steps, as in dlp iters and dlp mfu, and findings of the even
# ones, as in dlp advise: a section each.
events() {
	{
		steps_of --stable | dlp-rate -T kern | dlp-busy |
		    dlp-agg --keep iter,busy --as work -T kern,graph \
			-g iter,tag,dev,family,dir,phase,dtype \
			-a sum -f flop,exec_flop,peak_ns,dur_ns,flop_ns |
		    dlp-mfu
		steps_of --even 2>/dev/null | dlp-busy | dlp-gaps |
		    dlp-rate -T agg | dlp-path --replay --bare --each | dlp-advise |
		    dlp-agg --keep finding --as work -T kern -g iter -a count
	} | dlp-tensorboard
}

steps_of() {
	dlp-parse -- "$profile" | dlp-correlate |
	    dlp-iter --cuts ${opt_key:+-k "$opt_key"} "$1" | dlp-flops -q
}

write_events() {
	say "Writing the steps for TensorBoard to ($tb_file)"
	failed=
	events >"$tmp/events" 2>"$tmp/err" || failed=1
	show_messages "$tmp/err"
	[ -z "$failed" ] || die "$tb_file: not written"
	place "$tmp/events" "$tb_file"
}

analyse() {
	domain=$1
	database_name "$domain"
	dlprof_domain=$domain
	dlprof_dldb=$tmp/dldb.sqlite
	say "Reading $opt_database${domain:+, domain $domain}"
	fifos=
	# shellcheck disable=SC2046 # words
	more "$(help=1 && dlprof_stream "$profile" $(stages))"
	iteration_begin
	failed=
	keep_marks=1 # for show_messages
	run whole >"$tmp/small" 2>"$tmp/err" || failed=1
	show_messages "$tmp/err"
	[ -z "$failed" ] || die_quietly
	for pid in $pids; do
		wait "$pid" || failed=1
	done
	for file in "$tmp"/err?*; do
		[ ! -f "$file" ] || show_messages "$file"
	done
	[ -z "$failed" ] || die_quietly
	is_whole "$tmp/small" || die_quietly
	check_choice
	show_iterations
	if [ -s "$dlprof_dldb" ]; then
		say "Creating dlprof database at $database"
		place "$dlprof_dldb" "$database"
	fi
	for name in $reports; do
		for format in $formats; do
			write_report "$name" "$format"
		done
	done
	[ "$opt_dump" = false ] || dump_write
	show_findings
	rm -rf "${tmp:?}"/*
}

# The stages have said what it was.
die_quietly() {
	plain "dlprof: $opt_database: no reports are written" >&2
	exit 2
}

dlprof_key=$opt_key
# The one default key that a framework has; the others have none.
[ -n "$set_key" ] || [ "$opt_mode" != tensorflow1 ] || dlprof_key=global_step
# An empty key asks for none, also where the database has one.
dlprof_one=
[ -z "$set_key" ] || [ -n "$opt_key" ] || dlprof_one=1
dlprof_command=$command_line
dlprof_start=$opt_iter_start
dlprof_stop=$opt_iter_stop
# FLOPs are in none of DLProf's reports.
dlprof_quiet=
[ "$level" -ge 3 ] || dlprof_quiet=1
dlprof_mode=$opt_mode
dlprof_name=
[ -z "$set_base" ] || dlprof_name=$opt_base
dlprof_detailed=$opt_detailed_mode
profile=$opt_database

if [ "$opt_mode" = simple ]; then
	. "$parts/simple.sh"
	simple
else
	. "$parts/dump.sh"
	each_domain analyse
fi
[ -z "$opt_html" ] || write_page
[ -z "$opt_tb_dir" ] || write_events
