# The pipeline that all of DLProf's reports share, and what is kept of it.
# Read by "dlp REPORT" and by dlprof; needs the filters on PATH.
#
# Set before, or empty:
#	dlprof_key	key op or range of the iterations (dlp-iter -k)
#	dlprof_one	not empty: all is one iteration
#	dlprof_start	first and last iteration that counts
#	dlprof_stop
#	dlprof_domain	only the ops of this NVTX domain
#	dlprof_dldb	file that gets DLProf's database of the run
#	dlprof_command	the command line, for a database that has none
#	dlprof_quiet	no message about unknown FLOPs
# and for the reports
#	dlprof_mode	simple, pytorch, tensorflow1, ...; else as the markers
#			say
#	dlprof_name	Profile Name of the summary
#	dlprof_detailed	false: no data types and shapes
# All of them are exported, so that the reports see them.
#
# dlprof_stream FILE [STAGE...]
#	writes the finished stream of a profile to standard output. STAGE:
#	busy tree stat advise slim split dldb; default: all, dldb if dlprof_dldb is
#	set; slim leaves of kernels and runs only what is read behind dlp-flops,
#	split passes the stream through the function dlprof_split: these are no
#	defaults.
#	It holds kern, inst and the like, one per event, and behind them
#	iter, busy, group, optc, opkern, opstat, typestat, memstat and
#	finding records.
# dlprof_small
#	a filter: leaves of that stream what the reports but iteration read.
# dlprof_kern
#	a filter: leaves of that stream what the iteration report reads.
#
# A report then is
#
#	"$DLP_REPORTS/dlprof/NAME" --from STREAM FORMAT
#
# NAME is summary, detail, iteration, kernel, tensor, op_type, group_node or
# expert_systems; STREAM a file with the finished stream, whole or by
# dlprof_small (dlprof_kern for iteration), or - for standard input. FORMAT:
#
#	--dlprof	DLProf's own CSV, with its title line
#	--json		an object: title of the table -> array of rows
#	--csv --tsv --jsonl	rows with a header, no title
#	-w COLUMNS	a table
#
# So all of them in one pass over the profile:
#
#	mkfifo "$tmp/kern"
#	"$DLP_REPORTS/dlprof/iteration" --from "$tmp/kern" --dlprof >it.csv &
#	dlprof_stream "$file" | tee "$tmp/kern" | dlprof_small >"$tmp/small"
#	wait
#	"$DLP_REPORTS/dlprof/kernel" --from "$tmp/small" --dlprof >kernel.csv
#
# shellcheck shell=sh disable=SC2154 # set by who reads this

. "$DLP_REPORTS/stage.sh"

export dlprof_key dlprof_start dlprof_stop dlprof_domain dlprof_dldb \
    dlprof_mode dlprof_name dlprof_detailed dlprof_command dlprof_quiet

# What the aggregation adds: of each op's kernels that used Tensor Cores, of all
# its kernels (the run of a whole CUDA graph is one), of ops, of types of ops,
# of the API calls of copies and memory sets. optc and opkern come first: what
# is said of an op depends on them.
dlprof_stat() {
	stage dlp-agg --pass \
	    --as optc -T kern -g op_id,short -a count,sum -f dur_ns,api_dur_ns \
	    --where tc==yes --and \
	    --as opkern -T kern,graph -g op_id,short \
	    -a count,nset,sum,mean,min,max,last:name_id,last:tc \
	    -f dur_ns,api_dur_ns --and \
	    --as opstat -T inst -g op_id -a count,nset,sum,mean,min,max \
	    -f dur_ns,gpu_ns,overhead_ns,idle_ns,api_ns --and \
	    --as typestat -T inst -g op -a count,nset,sum,mean,min,max \
	    -f dur_ns,gpu_ns,overhead_ns,idle_ns,api_ns --and \
	    --as memstat -T copy,set -g api -a count,sum -f dur_ns,api_dur_ns
}

# The types that the reports read, and the columns of kernels.
dlprof_kept=op,dev,iter,busy,group,optc,opkern,opstat,typestat,memstat,finding
dlprof_kern_cols=op_id,short,dev,start_ns,dur_ns,api_start_ns,api_dur_ns,tc
dlprof_kern_cols=$dlprof_kern_cols,grid,block

# The profile as dlprof reads it; a report has its own function.
dlprof_parse() {
	[ -z "${help-}" ] || exec </dev/null
	stage dlp-parse --no-dict -- "$1"
}

dlprof_correlate() {
	stage dlp-correlate --dlprof \
	    ${dlprof_domain:+--domain "$dlprof_domain"} \
	    ${dlprof_mode:+--mode "$dlprof_mode"}
}

dlprof_iter() {
	stage dlp-iter --dlprof ${dlprof_one:+--one} \
	    ${dlprof_key:+-k "$dlprof_key"} \
	    ${dlprof_start:+--iter-start "$dlprof_start"} \
	    ${dlprof_stop:+--iter-stop "$dlprof_stop"}
}

# dlprof_db HALF: the stage that writes that half of the database.
dlprof_db() {
	stage dlp-dldb --tee "$1" -o "$dlprof_dldb" \
	    ${dlprof_domain:+--domain "$dlprof_domain"} \
	    ${dlprof_name:+--set "profile_name=$dlprof_name"} \
	    ${dlprof_mode:+--set "mode=$dlprof_mode"} \
	    ${dlprof_command:+--set "command?=$dlprof_command"}
}

dlprof_stage() {
	case $1 in
	busy) stage dlp-busy --dlprof ;;
	tree) stage dlp-tree ;;
	stat) dlprof_stat ;;
	split) stage dlprof_split ;;
	advise) stage dlp-advise --dlprof ;;
	dldb) dlprof_db --aggregate ;;
	esac
}

# dlprof_stages STAGE...: one after the other.
dlprof_stages() {
	if [ $# -eq 1 ]; then
		dlprof_stage "$1"
	else
		dlprof_first=$1
		shift
		dlprof_stage "$dlprof_first" | dlprof_stages "$@"
	fi
}

# dlprof_begin FILE: what comes before the iterations are cut.
dlprof_begin() {
	"${dlprof_source:-dlprof_parse}" "$1" | dlprof_correlate |
	    stage dlp-flops ${dlprof_quiet:+--quiet}
}

# dlprof_reads: what the reports read of the stream, for awk/unread.tab.
dlprof_reads() {
	cat
	echo reports
	# shellcheck disable=SC2046 # words
	printf '%s *\n' str $(echo "$dlprof_kept" | tr , ' ')
	printf '%s iter %s\n' kern "$dlprof_kern_cols" graph "$dlprof_kern_cols" |
	    tr , ' '
}

dlprof_stream() {
	dlprof_file=$1
	shift
	[ $# -gt 0 ] ||
	    set -- busy tree stat advise ${dlprof_dldb:+dldb}
	dlprof_slim='' dlprof_raw=''
	for dlprof_stage; do
		shift
		case $dlprof_stage in
		slim) dlprof_slim=1 ;;
		*) set -- "$@" "$dlprof_stage" ;;
		esac
		[ "$dlprof_stage" != dldb ] || dlprof_raw=1
	done
	[ -z "$dlprof_slim" ] || DLP_READERS=dlprof${dlprof_raw:+-dldb}
	export DLP_READERS
	# the raw half of the database holds all iterations
	if [ -n "$dlprof_raw" ]; then
		dlprof_begin "$dlprof_file" | dlprof_db --raw | dlprof_iter |
		    dlprof_stages "$@"
	else
		dlprof_begin "$dlprof_file" | dlprof_iter | dlprof_stages "$@"
	fi
}

dlprof_small() {
	stage dlp-agg --keep "$dlprof_kept"
}

dlprof_kern() {
	stage dlp-agg --keep op,str,opkern,kern,graph
}
