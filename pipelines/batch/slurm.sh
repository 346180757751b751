#!/bin/sh
# slurm.sh: many profiles as a Slurm job array, then one job that merges
#
# usage: sh slurm.sh OUTDIR FILE...	submits both, prints the ids
#
# Each task aggregates one file, OUTDIR/N.part; the reduce step starts when all
# have ended well and writes OUTDIR/total.tsv, whole or not at all. OUTDIR/files
# lists the files; while it exists, no other batch can use OUTDIR. With the
# total it becomes OUTDIR/total.files. AGG and
# MERGE are options of dlp-agg for the one and the other; SBATCH more options
# for sbatch, such as '-p batch --mem=2G'. OUTDIR and the files must be where
# the nodes see them by the same names, dlp-parse on their PATH.

: "${AGG=-T kern -g op,short -a count,sum,max -f dur_ns}"
: "${MERGE=--sort -sum}"

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
	n=$SLURM_ARRAY_TASK_ID
	file=$(sed -n "${n}p" "$BATCH_OUT/files") && [ -n "$file" ] || exit 2
	whole "$BATCH_OUT/$n.part" aggregate "$file"
}

aggregate() {
	# shellcheck disable=SC2086 # lists of options
	dlp-parse --src -- "$1" | dlp-correlate | dlp-flops |
	    dlp-agg --partial $AGG
}

reduce() {
	set --
	n=0
	while read -r _; do
		set -- "$@" "$BATCH_OUT/$((n += 1)).part"
	done <"$BATCH_OUT/files"
	# of tasks that were killed, and began again: all have ended
	rm -f -- "$BATCH_OUT"/*.part.tmp
	whole "$BATCH_OUT/total.tsv" merge "$@" || exit
	mv -f -- "$BATCH_OUT/files" "$BATCH_OUT/total.files"
}

merge() {
	# shellcheck disable=SC2086 # lists of options
	dlp-agg --merge $MERGE "$@" | dlp-fmt --tsv
}

die() {
	printf 'slurm.sh: %s' "$*" | tr '\001-\037\177' '[?*]' >&2
	echo >&2
	exit 2
}

case ${BATCH_STEP-} in
task) task; exit ;;
reduce) reduce; exit ;;
esac

[ $# -ge 2 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p -- "$1" || exit 2
BATCH_OUT=$(cd -- "$1" && pwd) || exit 2
shift
export BATCH_OUT AGG MERGE
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
map=$(submit task --array="1-$#") || {
	rm -f -- "$BATCH_OUT/files"
	exit 2
}
red=$(submit reduce --dependency="afterok:$map" --kill-on-invalid-dep=yes) ||
    exit 2
echo "$map $red"
