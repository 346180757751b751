#!/bin/sh
# bisect.sh GOOD PCT RUN COMMAND [ARGUMENT...]: for git bisect run. Runs the
# command, which builds the program and writes its profile RUN, and compares the
# step with that of the profile GOOD.
#
#	git bisect start HEAD v1.2
#	git bisect run sh bisect.sh good.sqlite 5% run.sqlite sh build-and-record.sh
#
# Exit status: 0, not slower by more than PCT; 1, slower; 125, it cannot be told
# (the command failed or the profiles cannot be compared), which git bisect
# skips.

[ $# -gt 3 ] || {
	echo 'usage: bisect.sh GOOD PCT RUN COMMAND [ARGUMENT...]' >&2
	exit 128
}
good=$1 pct=$2 run=$3
shift 3
rm -f -- "$run"
"$@" || exit 125
dlp diff -n 5 --fail-over "$pct" -- "$good" "$run"
case $? in
0) exit 0 ;;
1) exit 1 ;;
*) exit 125 ;;
esac
