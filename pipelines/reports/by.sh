# Read by top and roofline, behind near.sh: the words of -g, and the columns
# that can replace them.
# shellcheck shell=sh disable=SC2034,SC2154 # by, optimizer, by_steps: the report; report: lib.sh

by_words='op kernel layer type prim phase shape stream device'

# What dlp-parse, dlp-correlate, dlp-iter and dlp-flops give GPU work and ops.
by_cols='tag src id start_ns dur_ns pid tid dev ctx stream corr api
api_start_ns api_dur_ns op_id inst_id op_start_ns mod op dir seq altseq sub
layer phase phase_by why iter idx short name grid block regs smem_bytes
dynsmem_bytes occ_pct node kind bytes src_mem dst_mem value mem graph exec params flop
least_bytes bus_bytes causal_flop tiles dtype types family role tc tc_rule tc_eligible
tc_why lacks prim est_flop est_bytes line for_mod for_op for_dir captured key by text
shapes args bwd_shapes code group group_desc group_size group_ranks in_split out_split
fwd_op_id prim_id prim_run repr stack trace sil flops iteration'

# check_by LIST: each must be a word, a column or op.COLUMN.
check_by() {
	case $1 in
	'' | *' '*) ;;
	*) case " $by_words " in *" $1 "*) return ;; esac ;;
	esac
	[ -z "$DLP_READERS" ] || DLP_READERS=by
	# a value of -v may not have a newline in every awk
	printf '%s\n' "$1" | awk -v words="$by_words" \
	    -v cols="$(echo $by_cols)" \
	    -v report="$report" "$near_awk"'
	{
		n = split(words " " cols, know, /[ \n]+/)
		m = split($0, w, ",")
		if (m == 0)
			w[m = 1] = ""
		for (i = 1; i <= m && !bad; i++) {
			bad = 1
			sub(/^op\./, "", w[i])
			for (k = 1; k <= n; k++)
				if (know[k] == w[i])
					bad = 0
		}
		if (!bad)
			exit
		word = substr(w[i - 1], 1, 40)
		gsub(/[^ -~]/, "?", word)
		best = 4
		for (k = 1; k <= n; k++)
			if ((d = distance(word, know[k])) < best && \
			    d < length(word)) {
				best = d
				near = know[k]
			}
		printf "dlp %s: -g: \047%s\047 is none of %s, and no column" \
		    "%s\n", report, word, words, \
		    (near == "" ? "" : "; did you mean " near "?")
	}
	END { exit bad ? 2 : 0 }' >&2 || exit 2
}

# The direction of work in the phase optimizer is that, where rows have one.
by_dir() {
	case ,$by, in
	*,dir,*) optimizer=--optimizer ;;
	*) optimizer= ;;
	esac
	case ,$by, in *,iter,* | *,iteration,*) by_steps=1 ;; esac
}

# The words in a list of columns.
by_columns() {
	printf '%s\n' "$1" | sed 's/^/,/; s/$/,/; s/,kernel,/,short,/
	    s/,type,/,op,/; s/,shape,/,shapes,/; s/,device,/,dev,/
	    s/^,//; s/,$//'
}
