# Read by diff and dlp baseline: folders that dlp baseline save made.
# shellcheck shell=sh disable=SC2154 # report, die: who reads this

# session_of FILE: what the profile or stream was recorded of, a fact a line: gpu,
# driver, cuda, recorder, dialect.
session_of() {
	case $(dd bs=1 count=1 <"$1" 2>/dev/null | tr -d '\0') in
	'#') cat -- "$1" ;;
	*) dlp-parse --no-code -T dev -- "$1" 2>/dev/null ;;
	esac | LC_ALL=C awk -F '\t' -v OFS='\t' '
	$1 == "##info" && $2 ~ /^(driver|cuda|recorder|dialect)$/ { print $2, $3 }
	$1 == "#dev" { for (i = 2; i <= NF; i++) if ($i == "name") name = i }
	$1 == "dev" { print "gpu", $name }' | sort
}

# fact_of NAME: its values in a session on standard input, on one line.
fact_of() {
	awk -F '\t' -v name="$1" '$1 == name { printf "%s%s", sep, $2; sep = ", " }'
}

# same_gpu FOLDER FILE...: refuses profiles of other GPUs; another driver or
# recorder is a note.
same_gpu() {
	base=$1
	shift
	for f; do
		[ -f "$f" ] || {
			plain "dlp $report: $f can be read once: its GPU is not compared" >&2
			continue
		}
		session_of "$f" >"$temporary.session" || exit 2
		for fact in gpu driver cuda recorder dialect; do
			was=$(fact_of $fact <"$base/session.tsv")
			is=$(fact_of $fact <"$temporary.session")
			[ "$was" != "$is" ] || continue
			text="$fact of the baseline: ${was:-unknown}; of $f: ${is:-unknown}"
			[ "$fact" != gpu ] || {
				rm -f "$temporary.session"
				die "$text: not comparable"
			}
			plain "dlp $report: $text" >&2
		done
	done
	rm -f "$temporary.session"
}
