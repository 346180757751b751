#!/bin/sh
# parallel.sh: a report of many profiles by GNU parallel, here or on hosts
#
# usage: sh parallel.sh REPORT OUTDIR FILE...
#	 HOSTS=a,b,c sh parallel.sh REPORT OUTDIR FILE...
#
# Writes OUTDIR/NAME.REPORT.csv for each FILE, whole or not at all, and at the
# end OUTDIR/joblog; exit status 2 if any failed. Until then its files are in a
# folder OUTDIR/.parallel.* of its own, so two can run into one OUTDIR: if both
# write a file, it is that of the later one. JOBS at once per host (default:
# as many as it has processors). With HOSTS, as for parallel --sshlogin, every
# FILE is sent to a host that has dlp on PATH (or in DLP_BIN) and removed
# there when its report is made: nothing but the report comes back. Where all
# hosts see the same files, use JOBS on each by a scheduler instead.
#
# In one line, without this file, for names that are no one's surprise:
#	parallel 'dlp top --csv {} >{.}.csv.tmp && mv {.}.csv.tmp {.}.csv' \
#	    ::: *.sqlite

# Names go to messages, and by parallel to shells: without control characters.
die() {
	printf 'parallel.sh: %s' "$*" | tr '\001-\037\177' '[?*]' >&2
	echo >&2
	exit 2
}

[ $# -ge 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
report=$1 out=$2
shift 2
case $report in
*[!a-z_]*) die "no report '$report'" ;;
esac
for f; do
	case $f in *[[:cntrl:]]*) die "a control character in '$f'" ;; esac
done
# The name of a file's report, without what is the same for all.
stem() {
	stem=${1##*/}
	stem=${stem%.xz}
	stem=${stem%.*}
}
twice=$(for f; do stem "$f"; printf '%s\t%s\n' "$stem" "$f"; done |
    LC_ALL=C awk -F '\t' '$1 in first {
	printf "\047%s\047 and \047%s\047", first[$1], $2; exit }
    { first[$1] = $2 }')
[ -z "$twice" ] ||
    die "$twice would write one report: rename one, or use two OUTDIRs"
mkdir -p -- "$out" || exit 2
out=$(cd -- "$out" && pwd) || exit 2
work=$(mktemp -d "$out/.parallel.XXXXXX") || exit 2
trap 'rm -rf -- "$work"' EXIT

jobs=${JOBS:+-j "$JOBS"}
far=
input='{}'
if [ -n "${HOSTS-}" ]; then
	far="--sshlogin $HOSTS --transferfile {} --cleanup --workdir ..."
	input='{/}'
	# DIR/./NAME goes to a folder of its own there: --cleanup must not
	# touch the file itself where the hosts share a file system.
	n=$#
	while [ "$n" -gt 0 ]; do
		n=$((n - 1))
		dir=$(cd -- "$(dirname -- "$1")" && pwd) || exit 2
		set -- "$@" "$dir/./${1##*/}"
		shift
	done
fi
bin=$(printf '%s\n' "${DLP_BIN-}" | sed "s/'/'\\\\''/g")
path=${DLP_BIN:+"PATH='$bin':\$PATH; export PATH; "}
# To the first signal parallel waits for its jobs, to the second it ends them.
end_by() {
	trap '' HUP INT QUIT TERM
	kill "$pid"
	sleep 1
	kill "$pid" 2>/dev/null
	wait
	mv -f -- "$work/joblog" "$out/joblog" 2>/dev/null
	rm -rf -- "$work"
	trap - EXIT "$signal"
	kill -s "$signal" $$
}
for signal in HUP INT QUIT TERM; do
	# shellcheck disable=SC2064 # as it is now
	trap "signal=$signal; end_by" $signal
done
# shellcheck disable=SC2086 # lists of options
parallel $jobs $far --will-cite --joblog "$work/joblog" \
    --results "$work/{/}.$report" \
    "${path}dlp $report --csv -- $input" ::: "$@" >/dev/null &
pid=$!
wait $pid
status=$?
# An output is a report only if its job says so.
n=0
for f; do
	stem "$f"
	got=$work/${f##*/}.$report
	n=$((n + 1))
	rc=$(awk -F '\t' -v n=$n '$1 == n { print $7 + $8 }' "$work/joblog")
	if [ "$rc" = 0 ]; then
		mv -f -- "$got" "$out/$stem.$report.csv" || status=2
	else
		printf "parallel.sh: no report of '%s'\n" "$f" >&2
		status=2
	fi
done
mv -f -- "$work/joblog" "$out/joblog" || status=2
[ "$status" = 0 ] || exit 2
