# Read by diff and join, behind lib.sh: all FILEs as sections of ops, steps and
# FLOPs.
# shellcheck shell=sh disable=SC2154 # opt_k: lib.sh

by=${opt_k:+-k$opt_k}

# A section without an end, of a file that failed.
broken() {
	printf '##dlp\t1\n##info\tsrc\t%s\n' \
	    "$(printf %s "$1" | LC_ALL=C tr -d '\001-\037\177')"
}

steps_of() {
	for f; do
		{ has_ranks "$f"; by_rank "$f"; } | stage dlp-correlate |
		    stage dlp-iter ${by:+"$by" --strict} | stage dlp-flops ||
		    broken "$f"
	done
}

# The same, for a report whose -h shows two FILEs.
two_of() {
	if [ -z "$help" ]; then
		steps_of "$@"
		return
	fi
	printf '  {\n      dlp-parse FILE\n      dlp-parse FILE\n  }\n' |
	    stage dlp-correlate | stage dlp-iter ${by:+"$by"} | stage dlp-flops
}
