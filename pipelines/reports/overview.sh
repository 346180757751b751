# Read by overview: the numbers of a file, and its row.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # lib.sh; used by overview

row=${DLP_ROW-}
cols='file status gpu n_gpu dialect recorder n_step n_trimmed step_ns std_ns'
cols="$cols wall_ns tc_ns kern_ns graph_ns mem_ns idle_ns loading_ns between_ns"
cols="$cols between_idle_ns busy_pct n_kern work_ns op_ns kernel_ns shapes_ns"
cols="$cols flop_ns verdict_ns eligible_ns top_op findings error"

# The screen's width, which is the terminal's.
wide=$width
if [ -z "$wide" ] && [ -t 1 ]; then
	wide=$(stty size <&1 2>/dev/null | cut -d ' ' -f 2)
fi
[ "${wide:-0}" -gt 0 ] || wide=80

# For people, what there is room for.
some=
[ -n "$fmt" ] || { [ -z "$width" ] && [ ! -t 1 ]; } || [ "$width" = 0 ] ||
    some='-c file,status,gpu,n_step,step_ns,busy_pct,n_kern,top_op'

# What no stage behind reads is not written: a third less to read, and to keep
# until the steps are known.
unread() {
	less2="--drop kern:mod --drop inst:gpu_start_ns,gpu_ns,overhead_ns,idle_ns"
	less2="$less2,api_ns,n_kern,n_gpu,n_call,fwd_inst_id,launch_id"
	less3=altseq,sub,prim_id,prim_run,params,bytes,family,role,tc_rule,block
	less3="--drop kern:$less3,name_id,causal_flop,bus_bytes"
	less4=before,after,did,what,what_ns,what_tid,pid,tid,launch_ns,phase,layer
	less4="--drop gap:$less4,op,before_id,after_id"
	parse="--drop kern:id,ctx,stream,idx,regs,smem_bytes,dynsmem_bytes"
}

# rows_of FILE...: a section with a row each; what is said of a file on standard
# error is said with its name.
rows_of() {
	said=$(mktemp) || exit 2
	trap 'rm -f "$said"' EXIT
	trap 'exit 2' INT TERM
	export DLP_ROW=1
	printf '##dlp\t1\n#overview\t%s\n' "$(echo "$cols" | tr ' ' '\t')"
	ok=1
	for f; do
		sh "$DLP_REPORTS/overview" ${opt_k:+-k "$opt_k"} ${opt_i:+-i "$opt_i"} -- "$f" \
		    2>"$said" && state='' || state=1 ok=''
		[ -z "$state" ] && [ ! -s "$said" ] && continue
		DLP_FILE=$f LC_ALL=C awk -v failed="$state" -v cols="$cols" \
		    -f "$DLP_REPORTS/awk/plain.awk" \
		    -f "$DLP_REPORTS/awk/escape.awk" \
		    -f "$DLP_REPORTS/awk/complaints.awk" "$said"
	done
	[ -z "$ok" ] || printf '##end\t%d\n' $#
}
