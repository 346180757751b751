#!/bin/sh
# slurm.sh: many profiles as a Slurm job array, then jobs that merge, as a tree
#
# usage: sh slurm.sh OUTDIR FILE...	submits all, prints the ids
#
# Each task aggregates files, OUTDIR/N.part; with more than FAN files (100), a
# second array merges them, FAN by FAN; the reduce step starts when all have
# ended well and writes OUTDIR/total.tsv, whole or not at all. An array has at
# most TASKS tasks (1000); with more files, each takes several. OUTDIR/files
# lists the files; while it exists, no other batch can use OUTDIR. With the
# total it becomes OUTDIR/total.files. AGG and
# MERGE are options of dlp-agg for the one and the other; SBATCH more options
# for sbatch, such as '-p batch --mem=2G'. OUTDIR and the files must be where
# the nodes see them by the same names, dlp-parse on their PATH.
#
# RANKS='-k KEY': the files are the ranks of one program, whose steps dlp-iter
# finds with these options; OUTDIR/ranks.dlp is for dlp ranks.

: "${AGG=-T kern -g op,short -a count,sum,max -f dur_ns}"
: "${MERGE=--sort -sum}" "${RANKS=}" "${FAN=100}" "${TASKS=1000}"

# whole FILE COMMAND...: the output of the command, as a whole or not at all. A
# shell sees a signal when its foreground command has ended, so that one runs
# behind &; to all of the group the signal comes by itself, as Slurm sends it.
whole() {
	tmp=$1.tmp file=$1
	shift
	trap 'rm -f -- "$tmp"' EXIT
	for signal in HUP INT TERM; do
		# shellcheck disable=SC2064 # the signal's name as it is now
		trap "trap - EXIT $signal; rm -f -- \"\$tmp\"
		    kill -s $signal \$\$" $signal
	done
	"$@" >"$tmp" &
	wait $! && mv -f -- "$tmp" "$file"
}

task() {
	n=$(((SLURM_ARRAY_TASK_ID - 1) * PER))
	end=$((n + PER))
	[ "$end" -le "$N" ] || end=$N
	while [ "$n" -lt "$end" ]; do
		n=$((n + 1))
		file=$(sed -n "${n}p" "$BATCH_OUT/files") && [ -n "$file" ] || exit 2
		if [ -n "$RANKS" ]; then
			whole "$BATCH_OUT/$n.dlp" rank "$file" || exit
			whole "$BATCH_OUT/$n.part" aggregate_rank || exit
			rm -f -- "$BATCH_OUT/$n.dlp"
		else
			whole "$BATCH_OUT/$n.part" aggregate "$file" || exit
		fi
	done
}

# shellcheck disable=SC2086 # lists of options
aggregate() {
	dlp-parse --src -- "$1" | dlp-correlate | dlp-flops |
	    dlp-agg --partial $AGG
}

# shellcheck disable=SC2086 # lists of options
rank() {
	dlp-parse --src -- "$1" | dlp-correlate | dlp-iter $RANKS | dlp-flops
}

# shellcheck disable=SC2086 # lists of options
aggregate_rank() {
	dlp-ranks --partial "$BATCH_OUT/$n.dlp" >"$BATCH_OUT/$n.rank" &&
	    dlp-agg --partial $AGG "$BATCH_OUT/$n.dlp"
}

# slice: one of S slices of the parts and ranks.
slice() {
	k=$SLURM_ARRAY_TASK_ID
	cd -- "$BATCH_OUT" || exit 2
	# shellcheck disable=SC2046 # numbers
	set -- $(numbered part $((N * (k - 1) / S + 1)) \
	    $((N * k / S)))
	whole "slice.$k.part" dlp-agg --merge --partial "$@" || exit
	[ -z "$RANKS" ] || whole "slice.$k.rank" slice_ranks
}

# numbered SUFFIX FIRST LAST: names; relative, as a command has room for a limited
# number of bytes.
numbered() {
	seq -f "%.0f.$1" "$2" "$3"
}

# shellcheck disable=SC2046 # numbers
slice_ranks() {
	dlp-merge --ranks --slice "$k/$S" $(numbered rank 1 "$N")
}

# shellcheck disable=SC2046,SC2086 # numbers; options
reduce() {
	cd -- "$BATCH_OUT" || exit 2
	# of tasks that were killed, and began again: all have ended
	rm -f -- *.part.tmp *.rank.tmp
	[ -z "$RANKS" ] || whole ranks.dlp join_ranks || exit
	whole total.tsv merge || exit
	mv -f -- files total.files
}

# The parts or, if there are some, their slices.
if_sliced() {
	if [ "$S" -gt 1 ]; then
		seq -f "slice.%.0f.$1" 1 "$S"
	else
		numbered "$1" 1 "$N"
	fi
}

# shellcheck disable=SC2046 # numbers
join_ranks() {
	if [ "$S" -gt 1 ]; then
		dlp-merge $(if_sliced rank)
	else
		dlp-merge --ranks $(if_sliced rank)
	fi
}

# shellcheck disable=SC2046,SC2086 # numbers; lists of options
merge() {
	dlp-agg --merge $MERGE $(if_sliced part) | dlp-fmt --tsv
}

die() {
	printf 'slurm.sh: %s' "$*" | tr '\001-\037\177' '[?*]' >&2
	echo >&2
	exit 2
}

# sizes FILES: how many files there are, how many a task takes, and slices.
sizes() {
	N=$1 PER=$((($1 + TASKS - 1) / TASKS)) S=$((($1 + FAN - 1) / FAN))
}

case ${BATCH_STEP-} in
task | slice | reduce)
	sizes "$(wc -l <"$BATCH_OUT/files")"
	"$BATCH_STEP"
	exit
	;;
esac

[ $# -ge 2 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
sizes $(($# - 1))
mkdir -p -- "$1" || exit 2
BATCH_OUT=$(cd -- "$1" && pwd) || exit 2
shift
export BATCH_OUT AGG MERGE RANKS FAN TASKS
# Created, never overwritten: of two that start at once, the second ends here.
(set -C && : >"$BATCH_OUT/files") 2>/dev/null ||
    die "cannot create $BATCH_OUT/files: if it exists, another batch uses this" \
	"folder; use another one, or remove the file if that batch has ended"
for f; do
	case $f in
	/*) ;;
	*) f=$PWD/$f ;;
	esac
	printf '%s\n' "$f"
done >"$BATCH_OUT/files"
[ "$(wc -l <"$BATCH_OUT/files")" -eq $# ] || {
	rm -f -- "$BATCH_OUT/files"
	die "a file's name has a newline"
}

# submit STEP OPTION...: prints the job's id. Options go by words in SBATCH.
submit() {
	BATCH_STEP=$1
	export BATCH_STEP
	shift
	# shellcheck disable=SC2086 # a list of options
	sbatch --parsable --export=ALL -o "$BATCH_OUT/log.%j" ${SBATCH-} \
	    "$@" "$0"
}
after() {
	printf '%s\n' "--dependency=afterok:$1" --kill-on-invalid-dep=yes
}
map=$(submit task --array="1-$(((N + PER - 1) / PER))") || {
	rm -f -- "$BATCH_OUT/files"
	exit 2
}
mid=$map ids=$map
# shellcheck disable=SC2046 # words
if [ "$S" -gt 1 ]; then
	mid=$(submit slice --array="1-$S" $(after "$map")) || exit 2
	ids="$map $mid"
fi
# shellcheck disable=SC2046 # words
red=$(submit reduce $(after "$mid")) || exit 2
echo "$ids $red"
