# What the manuals and README.md say is true: usage and manual name the same
# options, each manual has its sections, README's commands give what stands
# under them. The manuals' examples are tests of their own: see
# tests/examples and tests/run.

load lib

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

@test "every command has a manual page" {
	for c in "$BIN"/dlp-* pipelines/dlp; do
		[ -x "$c" ] || continue
		echo "${c##*/}"
		[ -s "man/${c##*/}.1" ]
	done
}

@test "dlp(7) names every command, dlp(1) every report" {
	for c in "$BIN"/dlp-*; do
		grep -q "^\.It Xr ${c##*/} 1$" man/dlp.7 || {
			echo "dlp.7 lacks ${c##*/}"
			return 1
		}
	done
	for r in pipelines/reports/*; do
		[ -f "$r" ] && [ "${r%.sh}" = "$r" ] || continue
		grep -q "^\.It Cm ${r##*/}\>" man/dlp.1 || {
			echo "dlp.1 lacks ${r##*/}"
			return 1
		}
	done
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

# README.md: in blocks marked console, a line "$ command", then its output;
# "..." alone stands for lines left out.
# bats test_tags=long
@test "README.md: the commands give what stands under them" {
	mkdir -p "$BATS_TEST_TMPDIR/r"
	awk -v dir="$BATS_TEST_TMPDIR/r" '
	/^```console/ { on = 1; next }
	/^```/ { on = 0; next }
	on && (more || /^\$ /) {
		if (!more)
			n++
		more = /[|\\]$/
		sub(/^\$ /, "")
		print > (dir "/" n ".cmd")
		next
	}
	on && n { print > (dir "/" n ".out") }
	' README.md
	bad=0
	for c in "$BATS_TEST_TMPDIR"/r/*.cmd; do
		[ -e "$c" ] || continue
		case $(<"$c") in
		"make demo" | "make test") continue ;;
		esac
		echo "\$ $(<"$c")"
		want=${c%.cmd}.out
		[ -e "$want" ] || : >"$want"
		env -u MAKEFLAGS -u MAKELEVEL bash -o pipefail "$c" >"$c.got" 2>&1 </dev/null || {
			echo "exit status $?"
			cat "$c.got"
			bad=1
			continue
		}
		if grep -qx '\.\.\.' "$want"; then
			k=$(grep -nx '\.\.\.' "$want" | head -n 1 | cut -d: -f1)
			head -n $((k - 1)) "$want" >"$want.a"
			head -n $((k - 1)) "$c.got" >"$c.a"
			diff -u "$want.a" "$c.a" || bad=1
		else
			diff -u "$want" "$c.got" || bad=1
		fi
	done
	[ $bad -eq 0 ]
}
