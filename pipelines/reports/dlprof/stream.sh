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

export dlprof_key dlprof_start dlprof_stop dlprof_domain dlprof_dldb \
    dlprof_mode dlprof_name dlprof_detailed dlprof_command

# What the aggregation adds: of each op's kernels that used Tensor Cores, of all
# its kernels (the run of a whole CUDA graph is one), of ops, of types of ops,
# of the API calls of copies and memory sets. optc and opkern come first: what
# is said of an op depends on them.
dlprof_stat='dlp-agg --pass \
	--as optc -T kern -g op_id,short -a count,sum -f dur_ns,api_dur_ns \
	    --where tc==yes --and \
	--as opkern -T kern,graph -g op_id,short \
	    -a count,nset,sum,mean,min,max,last:name_id,last:tc \
	    -f dur_ns,api_dur_ns --and \
	--as opstat -T inst -g op_id -a count,nset,sum,mean,min,max \
	    -f dur_ns,gpu_ns,overhead_ns,idle_ns,api_ns --and \
	--as typestat -T inst -g op -a count,nset,sum,mean,min,max \
	    -f dur_ns,gpu_ns,overhead_ns,idle_ns,api_ns --and \
	--as memstat -T copy,set -g api -a count,sum -f dur_ns,api_dur_ns'

# The types that the reports read, and the columns of kernels.
dlprof_kept=op,dev,iter,busy,group,optc,opkern,opstat,typestat,memstat,finding
dlprof_kern_cols=op_id,short,dev,start_ns,dur_ns,api_start_ns,api_dur_ns,tc
dlprof_kern_cols=$dlprof_kern_cols,grid,block

# slim: what no stage reads behind dlp-correlate, and behind dlp-flops.
dlprof_work=dir,layer,phase,phase_by,why,mod
dlprof_other=$dlprof_work,op,seq,altseq,sub
dlprof_drop1="--drop kern:ctx,stream,corr,api,idx,regs,smem_bytes,dynsmem_bytes,\\
node,$dlprof_work \\
	--drop inst:gpu_start_ns,n_kern,n_gpu,n_call,dir,seq,fwd_inst_id,layer,\\
phase,launch_id \\
	--drop copy:$dlprof_other --drop set:$dlprof_other \\
	--drop sync:$dlprof_other --drop call:$dlprof_other"
dlprof_drop2="--drop prim --drop result \\
	--drop kern:seq,altseq,sub,prim_id,prim_run,params,flop,bytes,family,\\
role,tc_rule,lacks,causal_flop,bus_bytes"

# dlprof_pipe STAGE...: the pipeline as text, with "$dlprof_file" in it.
dlprof_pipe() {
	printf '%s' "${dlprof_source-dlp-parse --no-dict -- \"\$dlprof_file\"}"
	printf ' |\n    %s' "dlp-correlate --dlprof$(dlprof_opt --domain \
	    domain)$(dlprof_opt --mode mode)"
	dlprof_slim "$dlprof_drop1" "$@"
	printf ' |\n    %s' dlp-flops
	dlprof_slim "$dlprof_drop2" "$@"
	case " $* " in
	*' dldb '*) printf ' |\n    %s' "$(dlprof_db --raw)" ;;
	esac
	printf ' |\n    %s' "dlp-iter --dlprof${dlprof_one:+ --one}$(dlprof_opt -k \
	    key)$(dlprof_opt \
	    --iter-start start)$(dlprof_opt --iter-stop stop)"
	for dlprof_stage; do
		case $dlprof_stage in
		busy) printf ' |\n    %s' 'dlp-busy --dlprof' ;;
		tree) printf ' |\n    %s' dlp-tree ;;
		stat) printf ' |\n    %s' "$dlprof_stat" ;;
		split) printf ' |\n    dlprof_split' ;;
		advise) printf ' |\n    %s' 'dlp-advise --dlprof' ;;
		dldb) printf ' |\n    %s' "$(dlprof_db --aggregate)" ;;
		esac
	done
	echo
}

# dlprof_slim OPTIONS STAGE...: the options, if slim is among the stages.
dlprof_slim() {
	case " $* " in
	*' slim '*) printf ' %s' "\\
	$1" ;;
	esac
}

# dlprof_db HALF: the stage that writes that half of the database. The raw one
# holds all iterations, so it comes before dlp-iter.
dlprof_db() {
	printf '%s' "dlp-dldb --tee $1 -o \"\$dlprof_dldb\""
	dlprof_opt --domain domain
	dlprof_opt --set name profile_name=
	dlprof_opt --set mode mode=
	dlprof_opt --set command 'command?='
}

# dlprof_opt OPTION NAME [PREFIX]: the option with its value, if it has one.
dlprof_opt() {
	eval "[ -z \"\${dlprof_$2-}\" ]" ||
	    printf ' %s' "$1 \"${3-}\$dlprof_$2\""
}

dlprof_stream() {
	dlprof_file=$1
	shift
	[ $# -gt 0 ] ||
	    set -- busy tree stat advise ${dlprof_dldb:+dldb}
	eval "$(dlprof_pipe "$@")"
}

dlprof_small() {
	dlp-agg --keep "$dlprof_kept"
}

dlprof_kern() {
	dlp-agg --keep op,str,opkern,kern,graph
}
