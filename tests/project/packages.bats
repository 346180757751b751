# Completions that are made from the usage texts, the tarball, the Debian packages.

# bats file_tags=source,long
load ../lib

@test "completions of fish and zsh: each option of each filter and report" {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" B="${B:-build}" \
	    "${B:-build}/completion/_dlp"
	cd "$BATS_TEST_TMPDIR"
	cp "$ROOT/${B:-build}/completion/dlp.fish" fish
	cp "$ROOT/${B:-build}/completion/_dlp" zsh
	for c in "$BIN"/dlp-*; do
		c=${c##*/}
		"$c" -h | sed -n "s/^ *\(-[A-Za-z], \)*--\([a-z-]*\).*/$c \2/p"
	done | sort -u >want
	[ "$(wc -l <want)" -gt 150 ]
	same '' "$(awk '{ for (i = 4; i <= NF && $i != "-d"; i++)
	    if ($i == "-l") print $3, $(i + 1) }' fish | sort -u | comm -23 want -)"
	same '' "$(awk '/^[^\t].*:\*) opts=/ { c = substr($1, 1, index($1, ":") - 1) }
	    /;;/ { c = "" }
	    c != "" && match($0, /--[a-z-]*/) {
		print c, substr($0, RSTART + 2, RLENGTH - 2) }' zsh |
	    sort -u | comm -23 want -)"
	for r in $(all_reports); do
		grep -q "^complete -c dlp -n .* -a $r " fish
		grep -q "'$r:" zsh
	done
	for o in g n k i c; do
		grep -q "seen_subcommand_from top\" -s $o -r" fish
	done
	# dlp -j 8 FILE: the overview without its name
	grep -q 'complete -c dlp -n "not __fish_seen_subcommand_from $others" -s j -r' fish
	grep '^set -l others ' fish | grep -qv ' overview '
	awk '$1 == "dlp:(overview|-*|*[./]*))" { on = 1 } /;;/ { on = 0 }
	on && /-j:/ { found = 1 } END { exit !found }' zsh
	if command -v fish >/dev/null; then
		fish -n fish
		fish -c 'source fish; complete -C "dlp to"' | grep '^top'
	fi
	! command -v zsh >/dev/null || zsh -n zsh
}

@test "the packaging has the version; the recorder is in its own package alone" {
	cd "$ROOT/debian"
	same "dlp ($(sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' ../common/cli.h)-1)" \
	    "$(head -n 1 changelog | cut -d' ' -f 1,2)"
	while read -r p; do
		case $p in *dlp-record*|usr/lib/dlp) ;; *) echo "$p"; false ;; esac
	done <dlp-record.install
	grep -q 'dh_install -p dlp -X dlp-record -X lib/dlp usr$' rules
}

@test "the recipes have the version, and the syntax of their tools" {
	cd "$ROOT/packaging"
	v=$(sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' ../common/cli.h)
	for f in recipe.yaml dlp.rb dlp.nix; do
		same "$v" "$(grep 'version\|dlp-' $f | grep -o '[0-9]\+\.[0-9]\+\.[0-9]\+' | sort -u)"
		# each library that the Makefile links, and the header of another
		for lib in sqlite 'xz\|lzma' zstd zlib iberty jsmn; do
			grep -q "^[^#]*\($lib\)" $f || { echo "$f: $lib"; false; }
		done
	done
	! command -v ruby || ruby -c dlp.rb
	! command -v nix-instantiate || nix-instantiate --parse dlp.nix
	! python3 -c 'import yaml' || python3 -c 'import yaml; yaml.safe_load(open("recipe.yaml"))'
	same 4 "$(grep -c '^[A-Z]' Containerfile)"
}

@test "the order in which files are linked does not depend on the locale" {
	# in this one a full stop and an underscore do not count: db_agg before db
	german
	for l in C de_DE.UTF-8; do
		LC_ALL=$l env -u MAKEFLAGS -u MAKELEVEL \
		    make -s -C "$ROOT" -n B=other \
		    other/bin/dlp-dldb | grep -o 'other/[^ ]*\.o' >"$BATS_TEST_TMPDIR/$l.o"
	done
	cd "$BATS_TEST_TMPDIR"
	[ -s C.o ]
	diff C.o de_DE.UTF-8.o
}

# bats test_tags=all
@test "make deb: three packages, whose commands run" {
	command -v dh >/dev/null || skip "no debhelper: make deps FOR=deb"
	git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1 || skip "not a git checkout"
	git clone -q "$ROOT" "$BATS_TEST_TMPDIR/c"
	cd "$BATS_TEST_TMPDIR/c"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS DEB_BUILD_OPTIONS=nocheck \
	    make -s deb >log 2>&1 || { tail -20 log; false; }
	cd build/deb
	for p in dlp dlp-record dlp-doc; do
		dpkg-deb -x "$p"_*.deb root
	done
	ls ./*.changes
	PATH=$PWD/root/usr/bin:/usr/bin:/bin
	dlp-parse "$LENET" | dlp-correlate | dlp-fmt -T kern --tsv | grep -q conv2d
	[ -s root/usr/lib/dlp/dlp-record.so ]
	for c in "$BIN"/dlp-*; do
		[ -x "root/usr/bin/${c##*/}" ]
	done
	# each file is in one package
	same "" "$(for p in ./*.deb; do
		dpkg-deb -c "$p" | awk '!/\/$/ { print $6 }'
	    done | sort | uniq -d)"
}
