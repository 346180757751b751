# Read by dlprof: what it says, and when. $level is set by options.sh.
# shellcheck shell=sh disable=SC2154 # parts, opt_*: dlprof, options.sh

level=2

die() {
	plain "dlprof: $*" >&2
	exit 2
}

# note TEXT: what should be known, but is no error; from --verbosity=minimal.
note() {
	[ "$level" -lt 1 ] || plain "dlprof: $*" >&2
}

# say TEXT: progress, in DLProf's form; from --verbosity=normal.
say() {
	[ "$level" -lt 2 ] ||
	    plain "[DLProf-$(date +%H:%M:%S)] $*" >&2
}

# more TEXT: the commands that are run; from --verbosity=detailed.
more() {
	[ "$level" -lt 3 ] || printf '%s\n' "$*" >&2
}

# quoted WORD...: the words as a shell would need them.
quoted() {
	sep=
	for word; do
		case $word in
		*[!A-Za-z0-9_.,:=/+%@-]* | '')
			word=$(printf '%s.' "$word" | sed "s/'/'\\\\''/g")
			word="'${word%.}'"
			;;
		esac
		printf '%s%s' "$sep" "$word"
		sep=' '
	done
}

# near WORD CANDIDATES: " did you mean X?", if one is like it.
near() {
	printf '%s\n' "$2" | tr -s ' ' '\n' | WORD=$1 awk "$near_awk"'
	BEGIN {
		word = substr(ENVIRON["WORD"], 1, 40)
		bare = word
		sub(/^--*/, "", bare)
		gsub(/-/, "_", bare)
		best = 4
	}
	{
		name = $0
		sub(/^--*/, "", name)
		d = distance(bare, name)
		if (d < best && d < length(bare) && length(name) > 1) {
			best = d
			found = $0
		}
	}
	END { if (found != "") printf "; did you mean %s?", found }'
}

usage_line() {
	cat <<-EOT
	usage: dlprof [OPTIONS] PROGRAM [ARGUMENTS]
	       dlprof [OPTIONS] --database=FILE
	dlprof -h shows the options.
	EOT
}

usage() {
	usage_line | sed 2q
	cat <<-EOT

	Records PROGRAM with nsys or dlp-record, or reads FILE, a profile of nsys,
	nvprof or dlprof, and writes DLProf's reports and database.
	EOT
	awk -F'|' '
	/^#/ { next }
	$6 != group { group = $6; printf "\n%s:\n", group }
	{
		n = split($2, word, " ")
		line = ""
		for (i = 1; i <= n; i++)
			line = line (i > 1 ? ", " : "") word[i]
		if ($3 == "yesno")
			line = line "=true|false"
		else if ($3 == "gone" && $4 == "yesno")
			line = line "=true|false"
		else if ($3 == "count" || $3 == "secs")
			line = line "=N"
		else if ($3 == "words" || $3 == "names")
			line = line "=A[,B...]"
		else if ($3 != "flag")
			line = line "=X"
		print "  " line
		print "        " $7
		m = split($4, word, " ")
		line = ""
		for (i = 1; i <= m && $3 ~ /^words?$/; i++)
			line = line " " word[i]
		if (line != "") {
			gsub(/=[a-z0-9_]*/, "", line)
			print "        one of:" line
		}
		if ($5 != "")
			print "        default: " $5
	}' "$parts/options.tab"
	cat <<-EOT

	A list is a,b or, behind a blank, a b -- ; values follow = or a blank.
	EOT
}

version() {
	v=$(dlp-parse -V) || exit 2
	printf 'dlprof %s\nwrites what DLProf v1.8.0 wrote\n' "${v#* }"
}
