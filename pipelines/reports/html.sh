# Read by html and view, after lib.sh: the page of a profile, to standard output.
# shellcheck shell=sh disable=SC2086,SC2154 # words; options: lib.sh

DLP_READERS=html # view, too
[ -n "$in_steps" ] || steps=
: "${opt_max_pieces:=$opt_n}"
[ $# -lt 2 ] || [ -n "$opt_ranks" ] || [ $# -eq 2 ] ||
    die "one FILE, or two to compare, not $#; with --ranks the ranks of a run"

# compared A B: how the steps changed, a section for each grouping of the page
# (57_compare.js), and what dlp-diff says, as facts of a last one.
compared() {
	DLP_READERS=
	said=/dev/null
	if [ -z "$help" ]; then
		said=$(mktemp) || exit 2
		trap 'rm -f "$said"' EXIT
	fi
	for by_what in op type layer kernel phase; do
		{
			two_of "$@" | stage dlp-diff --cells -g "$by_what" \
			    ${opt_i:+-i "$opt_i"}
		} 2>"$said"
		[ -n "$help" ] || [ "$by_what" != op ] || facts=$(facts_of "$said")
	done
	[ -n "$help" ] || put "$facts"
}

# With --private without the lines that begin with the name of a profile.
facts_of() {
	printf '##dlp\t1\n'
	PRIVATE=$opt_private LC_ALL=C awk '{
		sub(/^\t/, "")
		if (!sub(/^dlp-diff: /, "") || (ENVIRON["PRIVATE"] && /^[AB], /))
			next
		gsub(/\\/, "&&")
		gsub(/\t/, "\\t")
		print "##info\tdiff\t" $0
	}' "$1"
	printf '##end\t0\n'
}

# page_of [A] FILE: the page of FILE, compared with A. A page of ranks names its files
# itself: FILE stands for the one that is shown.
page_of() {
	file=${1-FILE}
	before=
	[ -z "$opt_ranks" ] || : "${opt_title:=${file##*/} and other ranks}"
	if [ -z "$opt_ranks" ] && [ $# -eq 2 ]; then
		. "$DLP_REPORTS/steps.sh"
		before=$1
		file=$2
		src= # the page has one profile
		{
			stages_of "$2"
			stages_of "$1"
			compared "$@"
		} | page
		return
	fi
	stages_of "$@" | page
}

page() {
	stage dlp-html -f "$file" ${before:+-b "$before"} ${opt_title:+-t "$opt_title"} \
	    ${opt_data:+-d} ${opt_private:+-p} \
	    ${opt_max_pieces:+-m "$opt_max_pieces"}
}

# What needs no gaps stands before dlp-gaps, whose records are a quarter of all.
stages_of() {
	# Chosen steps are judged all, otherwise the even ones, as in dlp advise.
	# dlp-busy holds iter records back, with which dlp-phases lets steps go.
	ahead='' even=''
	[ -n "$from" ] || ahead=--ahead even=--even
	if [ -n "$opt_ranks" ]; then
		ranks_of "$@"
	else
		profiles "$@"
	fi | stage dlp-correlate --nested |
	    stage dlp-iter --cuts --stable $ahead ${steps:+"$steps"} $which |
	    stage dlp-flops | stage dlp-rate |
	    stage dlp-agg --pass --as work -T kern,graph \
		-g ${opt_ranks:+src,}iter,tag,dev,family,dir,phase,dtype \
		-a sum -f flop,exec_flop,peak_ns,dur_ns,flop_ns |
	    stage dlp-mfu | stage dlp-mem | stage dlp-ranks |
	    stage dlp-phases | stage dlp-busy --iters |
	    stage dlp-gaps | stage dlp-path --replay --bare --each -S 16M |
	    stage dlp-advise $even |
	    stage dlp-path --merge -S 16M
}

help_if_asked
