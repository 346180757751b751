# Read by overview: the numbers of a file, and its row.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # lib.sh; used by overview

row=${DLP_ROW-}
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
	less3=altseq,sub,prim_run,params,role,tc_rule,block
	less3="--drop kern:$less3,causal_flop,bus_bytes"
	less4=before,after,did,what_ns,what_tid,pid,tid,launch_ns
	less4="--drop gap:$less4,before_id,after_id"
	parse="--drop kern:id,ctx,stream,idx,regs,smem_bytes,dynsmem_bytes"
}

# rows_of FILE...: a section with the row of each; messages of filters on
# standard error get the name of the file.
rows_of() {
	said=$(mktemp) || exit 2
	trap 'rm -f "$said"' EXIT
	trap 'exit 2' INT TERM
	export DLP_ROW=1
	ok=1
	for f; do
		sh "$DLP_REPORTS/overview" ${opt_k:+-k "$opt_k"} ${opt_i:+-i "$opt_i"} -- "$f" \
		    2>"$said" && state='' || state=1 ok=''
		[ -z "$state" ] && [ ! -s "$said" ] && continue
		error=$(DLP_FILE=$f LC_ALL=C awk -f "$DLP_REPORTS/awk/plain.awk" \
		    -f "$DLP_REPORTS/awk/complaints.awk" "$said")
		[ -z "$state" ] ||
		    dlp-overview -n "$f" --failed "$error"
	done
	[ -n "$ok" ] || printf '##dlp\t1\n'
}
