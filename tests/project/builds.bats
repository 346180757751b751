# Other compilers than the one at hand: what they warn of is an error.
# bats file_tags=all

load ../lib

# build TARGET GROUP: make TARGET in a copy of the tree, so that the build under
# test is not touched.
build() {
	sh "$ROOT/tests/bin/install-deps" -n build "$2" ||
	    skip "no compilers for make $1 (make deps FOR=$2)"
	mkdir "$BATS_TEST_TMPDIR/tree"
	cp -R "$ROOT"/{Makefile,cmd,common,packaging,tests} "$BATS_TEST_TMPDIR/tree"
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

# hardened FILE: the linker's part of it; the compiler's is below.
hardened() {
	LC_ALL=C readelf -hldW "$1" >"$BATS_TEST_TMPDIR/elf"
	for line in 'Type: *DYN' 'GNU_RELRO' 'GNU_STACK .* RW ' \
	    'FLAGS_1.*NOW.*PIE'; do
		grep -q "$line" "$BATS_TEST_TMPDIR/elf" || {
			echo "$1: no $line"
			return 1
		}
	done
}

@test "the executables are hardened" {
	command -v readelf >/dev/null || skip "no readelf"
	[[ ${B:-build} != *san* ]] || skip "does not apply"
	for f in "$BIN"/dlp-*; do
		hardened "$f"
		LC_ALL=C readelf -sW "$f" >"$BATS_TEST_TMPDIR/syms"
		grep -q ' __stack_chk_fail@' "$BATS_TEST_TMPDIR/syms"
		grep -q ' __memcpy_chk@' "$BATS_TEST_TMPDIR/syms"
	done
}

@test "a caller can harden nothing, or build without optimisation" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$ROOT"/{Makefile,cmd,common} .
	for args in HARDEN= CFLAGS=-O0; do
		env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s "$args" \
		    B="${args%=*}" "${args%=*}/bin/dlp-markers" 2>err
		cat err
		[ ! -s err ]
		"${args%=*}/bin/dlp-markers" -V
	done
	LC_ALL=C readelf -sW HARDEN/bin/dlp-markers >syms
	! grep -q '__memcpy_chk\|__stack_chk_fail' syms
}
