# Other compilers than the one at hand: what they warn of is an error.
# bats file_tags=long

load lib

# build TARGET GROUP: make TARGET in a copy of the tree, so that the build under
# test is not touched.
build() {
	sh "$ROOT/tests/install-deps" -n build "$2" ||
	    skip "no compilers for make $1 (make deps FOR=$2)"
	mkdir "$BATS_TEST_TMPDIR/tree"
	cp -R "$ROOT"/{Makefile,cmd,common,tests} "$BATS_TEST_TMPDIR/tree"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
	    make -C "$BATS_TEST_TMPDIR/tree" --no-print-directory "$1"
}

@test "gcc and clang build it without a warning" {
	build strict strict
}

@test "it is built for arm64" {
	cd "$BATS_TEST_TMPDIR"
	build cross cross
	f=$BATS_TEST_TMPDIR/tree/build-arm64/bin/dlp-parse
	# ELF's field for the machine: 183 is AArch64
	same 183 "$(od -An -t u1 -j 18 -N 1 "$f" | tr -d ' ')"
	command -v qemu-aarch64 >/dev/null || skip "built; no qemu-aarch64"
	PATH=$BIN:$PATH
	dlp-parse "$LENET" | grep -v ^##cmd >want
	qemu-aarch64 -L / "$f" "$LENET" | grep -v ^##cmd | cmp - want
}
