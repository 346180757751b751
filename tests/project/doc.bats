# What the manuals and README.md say is true: usage and manual name the same
# options, each manual has its sections, README's commands give what stands
# under them. The manuals' commands are tests of their own: see
# tests/bin/examples and tests/bin/run.

load ../lib

setup() {
	cd "$ROOT" || return
}

# The options that a usage text lists: lines that begin with - after blanks,
# up to their explanation; and the letters of "usage: x [-abc]".
usage_options() {
	"$1" -h | awk '
	/^usage:/ || /^ +dlp-/ {
		if (match($0, /\[-[A-Za-z]+\]/))
			for (i = RSTART + 2; i < RSTART + RLENGTH - 1; i++)
				print "-" substr($0, i, 1)
	}
	/^[ \t]+-/ {
		sub(/^[ \t]+/, "")
		sub(/(  |\t).*/, "")
		n = split($0, w, /[ ,=|]+/)
		for (i = 1; i <= n; i++)
			if (w[i] ~ /^-/)
				print w[i]
	}' | grep -vx -e -h -e --help -e -V -e --version | sort -u
}

man_options() {
	awk '
	/^\.It Fl/ {
		gsub(/Fl Fl /, "Fl -")
		n = split($0, w, / +/)
		for (i = 1; i < n; i++)
			if (w[i] == "Fl")
				print "-" w[i + 1]
	}' "man/$1.1" | sed 's/\\-/-/g; s/^\(--*[a-zA-Z-]*\).*/\1/' |
	    grep -vx -e -h -e --help -e -V -e --version | sort -u
}

# Sentences that outputs of other formats have, or that are rewritten together
# with the screen and the findings, are counted: their number may only fall.
@test "plain words: README.md, pages, manuals, usage texts, messages" {
	bash tests/bin/words >"$BATS_TEST_TMPDIR/words" || :
	awk -F: '
	FNR == NR { if (!/^#/) left[$1] = $2; next }
	{ n[$1]++; line[$1] = line[$1] $0 "\n" }
	END { for (f in n) if (n[f] > left[f]) printf "%s", line[f] }
	' tests/project/words.left "$BATS_TEST_TMPDIR/words" >"$BATS_TEST_TMPDIR/more"
	same '' "$(<"$BATS_TEST_TMPDIR/more")"
}

@test "README.md is a page, and NEWS.md at most 60 lines a version" {
	[ "$(wc -l <README.md)" -le 150 ]
	[ "$(wc -l <AGENTS.md)" -le 40 ]
	awk '/^## / { if (n > 60) print name, n; name = $2; n = 0 }
	{ n++ }
	END { if (n > 60) print name, n }' NEWS.md >"$BATS_TEST_TMPDIR/long"
	same '' "$(<"$BATS_TEST_TMPDIR/long")"
}

@test "every command has a manual page" {
	bad=0
	for c in "$BIN"/dlp-* pipelines/dlp; do
		[ -x "$c" ] || continue
		[ -s "man/${c##*/}.1" ] || {
			echo "${c##*/} has no manual, man/${c##*/}.1"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "dlp(7) names every command, dlp(1) every report" {
	bad=0
	for c in "$BIN"/dlp-*; do
		grep -q "^\.It Xr ${c##*/} 1$" man/dlp.7 || {
			echo "man/dlp.7 has no line for ${c##*/}:" \
			    "it needs .It Xr ${c##*/} 1 under THE FILTERS"
			bad=1
		}
	done
	for r in $(all_reports); do
		grep -q "^\.It Cm $r\>" man/dlp.1 || {
			echo "man/dlp.1 has no line for report $r: it needs .It Cm $r"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "README.md's table has each report, with its text" {
	bad=0
	sed -n "/^<!-- tests\/bin\/tables reports -->/,/^<!-- end -->/{//!p}" \
	    README.md >"$BATS_TEST_TMPDIR/reports"
	diff -u --label README.md --label "tests/bin/tables reports" \
	    "$BATS_TEST_TMPDIR/reports" <(bash tests/bin/tables reports) || bad=1
	[ $bad -eq 0 ] || echo "tests/bin/tables -w writes the table of README.md"
	for r in $(all_reports); do
		[ "$(grep -c "^| $r | " README.md)" -eq 1 ] || {
			echo "tests/bin/tables has no group for $r"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "a report begins with its name, what it does, and its usage" {
	bad=0
	for r in $(all_reports) $(all_reports dlprof | sed 's|^|dlprof/|'); do
		n=${r##*/}
		sed -n 2p "pipelines/reports/$r" | grep -q "^# $n: ." || {
			echo "$r: its second line is not '# $n: WHAT IT DOES'"
			bad=1
		}
		sed -n 3p "pipelines/reports/$r" | grep -q "^# usage: dlp $n\>" || {
			echo "$r: its third line is not '# usage: dlp $n ...'"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

# The letters of a report's options, by its usage text and by dlp(1).
report_letters() {
	sed -n '3,/^[^#]/p' "pipelines/reports/$1" |
	    grep -oE '^#   -[a-zA-Z]\b' | cut -c 6- | sort -u
}

man_letters() {
	grep "^\.It Cm $1\>" man/dlp.1 | grep -oE 'Fl [a-zA-Z]+\b' |
	    cut -c 4- | grep -o . | sort -u
}

@test "dlp(1) names the options of each report" {
	bad=0
	for r in $(all_reports); do
		diff -u --label "dlp $r -h" --label "man/dlp.1, $r" \
		    <(report_letters "$r") <(man_letters "$r") || bad=1
	done
	[ $bad -eq 0 ]
}

@test "dlp(1) and dlp -h name each format of a report" {
	bad=0
	formats=$(sed -n 's/^\t\(--csv .*\)) fmt=.*/\1/p' \
	    pipelines/reports/lib.sh | tr -d '|')
	[ -n "$formats" ]
	for f in $formats; do
		grep -q "^\.It Fl .*Fl ${f#-}\>\|^\.It Fl ${f#-}\>" \
		    man/dlp.1 || { echo "man/dlp.1 has no $f"; bad=1; }
		grep -q -e "$f |" pipelines/dlp || {
			echo "pipelines/dlp has no $f"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "usage texts name each option that a command takes" {
	bad=0
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		said=$(usage_options "$c")
		for o in $(sed -n "s/^.*{ [0']['a-zA-Z]*, \"\([a-z0-9-]*\)\", \..*/\1/p" \
		    "cmd/$c.c"); do
			[[ $'\n'$said$'\n' == *$'\n'"--$o"$'\n'* ]] || {
				echo "$c -h does not name --$o"
				bad=1
			}
		done
	done
	[ $bad -eq 0 ]
}

@test "usage texts and manuals name the same options" {
	bad=0
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		[ -s "man/$c.1" ] || continue
		diff -u --label "$c -h" --label "man/$c.1" \
		    <(usage_options "$c") <(man_options "$c") || bad=1
	done
	[ $bad -eq 0 ]
}

@test "manuals: sections, lint" {
	command -v mandoc >/dev/null || skip "no mandoc"
	bad=0
	for m in man/dlp-*.1; do
		for s in NAME SYNOPSIS DESCRIPTION OPTIONS \
		    '"INPUT AND OUTPUT RECORDS"' STREAMING '"EXIT STATUS"' \
		    EXAMPLES '"SEE ALSO"'; do
			grep -q "^\\.Sh \"*${s//\"/}\"*\$" "$m" || {
				echo "$m: no section $s"
				bad=1
			}
		done
	done
	mandoc -Tlint -W warning man/*.[157] || bad=1
	[ $bad -eq 0 ]
}

@test "completion knows the options of every command" {
	bad=0
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		got=$(bash -c '. pipelines/dlp.bash-completion
		COMP_WORDS=("$1" --) COMP_CWORD=1 COMPREPLY=()
		_dlp_filter "$1"; printf "%s\n" "${COMPREPLY[@]}"' - "$c" |
		    grep -vx -e --help -e --version | sort -u)
		want=$(usage_options "$c" | grep '^--' || true)
		same "$want" "$got" || bad=1
	done
	[ $bad -eq 0 ]
}

# console_blocks FILE N: in blocks of FILE marked console, a line "$ command", then
# its output; at least N commands and outputs.
console_blocks() {
	mkdir -p "$BATS_TEST_TMPDIR/r"
	awk -v dir="$BATS_TEST_TMPDIR/r" '
	/^```console/ { on = 1; next }
	/^```/ { on = 0; next }
	on && (more || /^\$ /) {
		if (!more)
			file = sprintf("%s/%03d", dir, ++n)
		more = /[|\\]$/
		sub(/^\$ /, "")
		print > (file ".cmd")
		printf "" > (file ".out")
		next
	}
	on && n { print > (file ".out") }
	' "$1"
	[ "$(ls "$BATS_TEST_TMPDIR/r" | wc -l)" -ge "$2" ]
	gives_what_stands_under_it "$BATS_TEST_TMPDIR/r"
}

# bats test_tags=long
@test "README.md: the commands give what stands under them" {
	console_blocks README.md 4
	dlp plot steps tests/data/resnet-after.sqlite.xz -o "$BATS_TEST_TMPDIR/x.svg"
	cmp docs/steps.svg "$BATS_TEST_TMPDIR/x.svg"
}

# bats test_tags=long
@test "docs/tour.md: the commands give what stands under them" {
	console_blocks docs/tour.md 20
}
