# Read by mfu and roofline, behind lib.sh: the peaks of -p, which are dlp-rate's
# --peak, in the words of the report.
# shellcheck shell=sh disable=SC2154 # opt_p, help: lib.sh

if [ -n "$opt_p" ] && [ -z "$help" ]; then
	said=$(printf '##dlp\t1\n##end\t0\n' |
	    dlp-rate -T kern --peak "$opt_p" 2>&1 >/dev/null) ||
		die "-p:${said#dlp-rate: --peak:}"
fi
