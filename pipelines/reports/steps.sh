# Read by diff and join, behind lib.sh: all FILEs as sections of ops, steps and
# FLOPs. A stream that went through dlp-iter keeps its steps.
# shellcheck shell=sh disable=SC2154 # opt_k: lib.sh

by=${opt_k:+-k$opt_k}

has_steps() {
	[ -z "$by" ] && is_stream "$1" && awk '
	!/^##/ { exit }
	/^##cmd\tdlp-iter / { found = 1; exit }
	END { exit !found }' <"$1"
}

# A section without an end, of a file that failed.
broken() {
	printf '##dlp\t1\n##info\tsrc\t%s\n' \
	    "$(printf %s "$1" | LC_ALL=C tr -d '\001-\037\177')"
}

steps_of() {
	for f; do
		if has_steps "$f"; then
			dlp-flops -- "$f"
		else
			profiles "$f" | dlp-correlate |
			    dlp-iter ${by:+"$by" --strict} | dlp-flops
		fi || broken "$f"
	done
}

# The same, for a report whose -h shows two FILEs.
two_of() {
	steps_of "$@"
}
