# Read by html and view, after lib.sh: the page of a profile, to standard output.
# shellcheck shell=sh disable=SC2086,SC2154 # words; options: lib.sh

[ -n "$in_steps" ] || steps=
[ $# -lt 2 ] || die "one FILE, not $#: the page shows one profile"

page_of() {
	profiles "$@" | stage dlp-correlate |
	    stage dlp-iter --cuts --stable ${steps:+"$steps"} $which |
	    stage dlp-flops | stage dlp-rate | stage dlp-busy | stage dlp-gaps |
	    stage dlp-phases | stage dlp-mem | stage dlp-advise |
	    stage dlp-html -f "${1-FILE}" ${opt_title:+-t "$opt_title"} ${opt_data:+-d} \
		${opt_private:+-p}
}

help_if_asked
