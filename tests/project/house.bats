# The tree and its targets: what is where, and may include what; what is
# installed; how missing tools are found and installed.

# bats file_tags=long
load ../lib

mk() {
	local san=
	[ "${B:-build}" != build-san ] || san=SAN=1
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
	    make -C "$ROOT" --no-print-directory $san "$@"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "the top level holds what it should" {
	cd "$ROOT"
	git rev-parse >/dev/null 2>&1 || skip "not a git checkout"
	same "AGENTS.md
CONTRIBUTING.md
HACKING.md
LICENSE
Makefile
NEWS.md
README.md
SECURITY.md
action.yml
cmd
common
debian
docs
man
packaging
pipelines
tests" "$(git ls-files | sed 's,/.*,,' | grep -v '^\.' | LC_ALL=C sort -u)"
}

@test "make help names every target, and no other" {
	mk help >help
	sed -n 's/^make \([a-z][a-z-]*\).*/\1/p' help | LC_ALL=C sort -u >named
	sed -n 's/^\.PHONY: //p' "$ROOT/Makefile" | tr ' ' '\n' |
	    grep -vx -e all -e help -e unit -e recorded -e uninstall | LC_ALL=C sort -u >there
	diff -u there named
	grep -q '; uninstall' help
}

@test "install and uninstall, with PREFIX and DESTDIR" {
	d=$BATS_TEST_TMPDIR/root
	mk install DESTDIR="$d" PREFIX=/opt/x >/dev/null
	for c in "$BIN"/dlp-*; do
		[ -x "$d/opt/x/bin/${c##*/}" ]
		[ -s "$d/opt/x/share/man/man1/${c##*/}.1" ]
	done
	[ -s "$d/opt/x/share/bash-completion/completions/dlp" ]
	[ -s "$d/opt/x/share/zsh/site-functions/_dlp" ]
	[ -s "$d/opt/x/share/fish/vendor_completions.d/dlp-parse.fish" ]
	[ -s "$d/opt/x/share/man/man1/dlp.1" ]
	# it does not run from the build tree
	PATH=$d/opt/x/bin:/usr/bin:/bin
	mk uninstall DESTDIR="$d" PREFIX=/opt/x >/dev/null
	[ -z "$(find "$d" ! -type d)" ]
}

@test "an installed dlp finds its reports, dlprof its own" {
	p=$BATS_TEST_TMPDIR/p
	mk install PREFIX="$p" >/dev/null
	PATH=$p/bin:/usr/bin:/bin
	cd /
	dlp | grep '^  top '
	dlp -V | grep '^dlp [0-9]'
	dlp top -n 3 "$ROOT/tests/data/lenet.sqlite.xz" >"$p/out"
	[ "$(wc -l <"$p/out")" -ge 3 ]
	cd "$p"
	dlprof -V | grep '^dlprof [0-9]'
	dlprof --database="$LENET" --mode=pytorch --reports=all >out 2>err
	cat err
	[ -s dlprof_group_op.csv ]
}

@test "dist: the files of the last commit" {
	cd "$ROOT"
	git rev-parse HEAD >/dev/null 2>&1 || skip "not a git checkout"
	# in a copy, so that nothing is left in the tree
	git clone -q . "$BATS_TEST_TMPDIR/c"
	cd "$BATS_TEST_TMPDIR/c"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s dist
	v=$(sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' common/cli.h)
	[ "$(tar tzf "dlp-$v.tar.gz" | grep -v '/$' | wc -l)" -eq \
	    "$(git ls-files | wc -l)" ]
}

# A PATH with only some commands, and an apt-get that writes what it is told.
fake_path() {
	local c p
	mkdir -p fake
	for c in sh cc gcc id uname cat sed grep ls "$@"; do
		p=$(command -v "$c") && ln -sf "$p" "fake/$c"
	done
	cat >fake/apt-get <<-'END'
	#!/bin/sh
	echo "apt-get $*" >>apt.log
	[ "$1" != install ] || [ ! -e fail ] || exit 100
	END
	chmod +x fake/apt-get
	: >apt.log
}

@test "install-deps installs what is missing, and only that" {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "not root"
	fake_path bash bats sqlite3 xz
	PATH=$PWD/fake sh "$ROOT/tests/bin/install-deps" test 2>err
	cat err apt.log
	grep -q 'installing with apt-get: .*mandoc' err
	grep -q 'apt-get install .*mandoc' apt.log
	! grep -q -e bats -e sqlite3 -e xz-utils apt.log
}

@test "install-deps says what it cannot do" {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "not root"
	fake_path bash bats sqlite3
	: >fail
	rc=0
	PATH=$PWD/fake sh "$ROOT/tests/bin/install-deps" test 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	grep -q 'could not install: .*xz-utils' err
	rm fake/apt-get
	rc=0
	PATH=$PWD/fake sh "$ROOT/tests/bin/install-deps" test 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	grep -q 'needed here: .*xz-utils' err
}

@test "install-deps does nothing where nothing is missing" {
	run sh "$ROOT/tests/bin/install-deps" test
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

# Prints "FILE HEADER" of each header of ours that a file includes.
includes() {
	(cd "$ROOT" && awk '/^#include "/ { gsub(/"/, "", $2)
	    print FILENAME, $2 }' common/*.[ch] cmd/*.c cmd/*/*.[ch]) |
	while read -r f h; do
		case $f in
		common/*) own=common/$h ;;
		cmd/*/*) own=${f%/*}/$h ;;
		*)
			own=cmd/$h # cmd/dlp-X.c its own folder's
			[[ $own == "${f%.c}"/* ]] || own=common/$h
			;;
		esac
		[ -e "$ROOT/$own" ] || own=common/$h
		printf '%s %s\n' "$f" "$own"
	done
}

@test "a command includes common/ and its own folder, common/ itself" {
	bad=$(includes | while read -r f h; do
		[ -e "$ROOT/$h" ] || [ -e "$ROOT/${h%.h}.tab" ] ||
		    echo "$f includes $h"
	done)
	echo "$bad"
	[ -z "$bad" ]
	[ "$(includes | wc -l)" -gt 700 ]
}

@test "headers do not include each other in a circle" {
	includes | grep '^[^ ]*\.h ' >"$BATS_TEST_TMPDIR/h"
	tsort "$BATS_TEST_TMPDIR/h" >"$BATS_TEST_TMPDIR/sorted"
}

@test "no two files in cmd/ and common/ have the same name" {
	cd "$ROOT"
	same "" "$(for f in common/*.[ch] cmd/*.c cmd/*/*.[ch]; do
		echo "${f##*/}"
	done | LC_ALL=C sort | uniq -d)"
}

@test "common/README names all of common/, cmd/README what there is" {
	cd "$ROOT"
	bad=0
	for f in common/*.h; do
		f=${f##*/}
		f=${f%.h}
		[[ $f == *_impl ]] || grep -qw -- "$f" common/README || {
			echo "common/README has no line for common/$f.h"
			bad=1
		}
	done
	# under the folder's name a line "  FILE, FILE...  what they are"
	awk '/^dlp-[a-z]*$/ { folder = $1 }
	    /^  [^ ]/ {
		sub(/^  /, "")
		sub(/  .*/, "")
		n = split($0, w, /, */)
		for (i = 1; i <= n; i++)
			if (w[i] != "...")
				print folder "/" w[i]
	    }' cmd/README >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -gt 60 ]
	while read -r f; do
		compgen -G "cmd/$f.[ch]" >/dev/null || {
			echo "cmd/README names $f, which does not exist"
			bad=1
		}
	done <"$BATS_TEST_TMPDIR/named"
	for f in cmd/*/*.c; do
		f=${f#cmd/}
		grep -qxF -e "${f%.c}" "$BATS_TEST_TMPDIR/named" || {
			echo "cmd/README has no line for cmd/$f"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

@test "every command has a line in the lists of tests, and tests" {
	cd "$ROOT"
	bad=0
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		for list in tests/fault/commands tests/fuzz/targets; do
			cut -f 2 $list | grep -qxF -e "$c" || {
				echo "$list has no line for $c"
				bad=1
			}
		done
		[ -d "tests/cases/$c" ] ||
		    grep -qlw -e "$c" tests/*/*.bats || {
			echo "nothing tests $c: write tests/cases/$c/NAME"
			bad=1
		}
	done
	[ $bad -eq 0 ]
}

# foo, X and NAME stand for something in the checklists.
@test "HACKING.md, README.md and other pages name files that exist" {
	cd "$ROOT"
	bad=0
	for f in *.md docs/*.md; do
		while read -r name; do
			[ -e "$name" ] || {
				echo "$f names $name, which does not exist"
				bad=1
			}
		done < <(grep -oE '`(cmd|common|man|pipelines|tests)/[^` ]*`' "$f" |
		    tr -d '`' | grep -v -e '[*]' -e foo -e X -e NAME)
	done
	[ $bad -eq 0 ]
}

@test "every golden case says why its output is right" {
	cd "$ROOT"
	bad=$(for d in tests/cases/*/*/; do
		[ -e "${d}why" ] || echo "${d}why"
	done
	grep -L '[^[:space:]]' tests/cases/*/*/why
	! grep -l '^#' tests/cases/*/*/cmd || echo "comments belong in why")
	echo "$bad"
	[ -z "$bad" ]
}

# Those that write PyProf's and DLProf's bytes have test files of their own.
@test "every sink of dlp-fmt has a golden case" {
	cd "$ROOT"
	bad=0
	n=0
	for o in $(sed -n 's/^	\.option = "\(.*\)",$/\1/p' cmd/dlp-fmt/*.c); do
		n=$((n + 1))
		case $o in --dict | --dlprof) continue ;; esac
		grep -qe "$o\b" tests/cases/dlp-fmt/*/cmd || {
			echo "tests/cases/dlp-fmt has no case with $o"
			bad=1
		}
	done
	[ $n -ge 10 ]
	[ $bad -eq 0 ]
}
