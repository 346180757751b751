# The static tarball and the wheel: they run where nothing is installed.
# bats file_tags=all

load ../lib

make_it() {
	for lib in sqlite3 lzma zstd z iberty c; do
		case $(cc -print-file-name=lib$lib.a) in
		/*) ;;
		*) skip "no static lib$lib" ;;
		esac
	done
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
	    make -s -C "$ROOT" B="${B:-build}" "$1" >"$BATS_TEST_TMPDIR/log" 2>&1 ||
	    { tail -n 20 "$BATS_TEST_TMPDIR/log"; false; }
	made=$ROOT/$(tail -n 1 "$BATS_TEST_TMPDIR/log")
}

@test "the recorder's library asks glibc for nothing newer than 2.17" {
	command -v objdump >/dev/null || skip "no objdump"
	cd "$BATS_TEST_TMPDIR"
	objdump -T "$ROOT/${B:-build}/lib/dlp/dlp-record.so" |
	    sed -n 's/.*GLIBC_\([0-9][0-9.]*\).*/\1/p' >versions
	[ -s versions ]
	echo 2.17 >>versions
	same 2.17 "$(sort -V versions | tail -n 1)"
}

# An executable that needs no library, and a library that needs glibc's alone.
needs() {
	readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | xargs
}

# same_bytes REPORT...: what it says in the root is what it says here.
same_bytes() {
	local status=0 other=0

	(cd "$BATS_TEST_TMPDIR/here" && sh "$ROOT/pipelines/dlp" "$@" run.sqlite.xz) \
	    >want 2>want.err </dev/null || status=$?
	chroot "$root" /bin/sh -c 'cd /tmp && PATH=/bin "/some where/bin/dlp" "$@" run.sqlite.xz' \
	    - "$@" >have 2>have.err </dev/null || other=$?
	echo "$*: $status $other"
	[ "$status" -eq "$other" ]
	diff want.err have.err
	diff <(sed '/^##cmd/d' want) <(sed '/^##cmd/d' have)
}

@test "the tarball runs in a root without libraries, with busybox alone" {
	make_it static
	cd "$BATS_TEST_TMPDIR"
	[ "$(wc -c <"$made")" -lt 8388608 ]
	root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root/bin" "$root/tmp" "$root/dev" "$root/empty" here tmp
	tar -C "$root" -xf "$made"
	mv "$root"/dlp-* "$root/some where"
	same "dlp-filters dlp-record.so" "$(find "$root" -type f -exec sh -c \
	    'for f; do ! head -c 4 "$f" | grep -q ELF || echo "${f##*/}"; done' - {} + | sort | xargs)"
	filters="$root/some where/bin/dlp-filters"
	same "" "$(needs "$filters")"
	! readelf -lW "$filters" | grep INTERP || false
	same "libc.so.6 libdl.so.2 libpthread.so.0" \
	    "$(needs "$root/some where/lib/dlp/dlp-record.so" | tr ' ' '\n' | grep -v ld-linux | xargs)"
	# what its README says to type, in its folder, in a fresh environment, and copied
	version=$(sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' "$ROOT/common/cli.h")
	(
		cd "$root/some where"
		same "dlp $version for Linux" "$(head -n 1 README | cut -d , -f 1)"
		grep -o '\(share\|bin\)/[a-z./_-]*[a-z]' README | sort -u >"$BATS_TEST_TMPDIR/paths"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/paths")" -ge 5 ]
		while read -r f; do
			[ -e "$f" ] || { echo "$f"; false; }
		done <"$BATS_TEST_TMPDIR/paths"
		(cd "$BATS_TEST_TMPDIR" && PATH=$BIN:$PATH sh "$PIPES/dlp" "$LENET") >../want
		sed -n "/^    /s|FILE|$LENET|p; /^    PATH=/p" README | sed '/record/d' >../typed
		same 3 "$(wc -l <../typed)"
		env -i PATH=/usr/bin:/bin sh -e ../typed | diff <(cat ../want ../want) -
		man -M "$PWD/share/man" -w dlp | grep -F "$PWD/share/man/man1/dlp.1"
		mkdir "$BATS_TEST_TMPDIR/usr"
		sh -e <<<"$(sed -n 's|^    cp \(.*\)/usr/local|cp \1"$BATS_TEST_TMPDIR/usr"|p' README)"
		env -i PATH=/usr/bin:/bin "$BATS_TEST_TMPDIR/usr/bin/dlp" "$LENET" | diff ../want -
	)
	# the driver's NVML is of the machine's libc
	r=$ROOT/${B:-build}/record
	LD_LIBRARY_PATH=$r TMPDIR=$PWD/tmp "$root/some where/bin/dlp-record" --power \
	    --cupti "$r/libcupti.so.13" -o power.sqlite -- "$r/fakecuda" init 1 sleep=300
	[ "$(sqlite3 power.sqlite 'SELECT count(*) FROM DLP_SERIES')" -ge 4 ]
	[ "$(id -u)" -eq 0 ] || skip "chroot needs root"
	cp "$filters" "$root/empty"
	chroot "$root/empty" /dlp-filters dlp-parse -V | grep '^dlp-parse '

	# the shell's own libraries, where it is not static
	cp "$(command -v busybox)" "$root/bin"
	for lib in $(ldd "$(command -v busybox)" | grep -o '/[^ ]*'); do
		mkdir -p "$root${lib%/*}"
		cp "$lib" "$root$lib"
	done
	for applet in $(busybox --list); do
		[ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
	done
	mknod -m 666 "$root/dev/null" c 1 3
	PATH=$BIN:$PATH
	reports=$(dlp | awk '/^$/ { on = 0 } on { print $1 } /^reports/ { on = 1 }')
	[ "$(wc -l <<<"$reports")" -gt 40 ]
	for f in resnet-before lenet ddp0 loader alternate; do
		cp "$ROOT/tests/data/$f.sqlite.xz" "$root/tmp/run.sqlite.xz"
		cp "$ROOT/tests/data/$f.sqlite.xz" here/run.sqlite.xz
		for r in $reports; do
			case $r in
			view) ;; # a browser
			plot) same_bytes plot steps && same_bytes plot roofline ;;
			*) same_bytes "$r" ;;
			esac
		done
		same_bytes html -i 0
		same_bytes sqlite -o out.db
		same_bytes whatif --dtype fp32=tf32
		same_bytes --json
	done
	ln -s "../some where/bin/dlp" "$root/bin/dlp"
	chroot "$root" /bin/sh -c 'PATH=/bin dlp -V' | grep '^dlp '
}

@test "the wheel in a venv without network: commands, modules, removed whole" {
	python3 -c 'import ensurepip, venv' || skip "no ensurepip"
	make_it wheel
	cd "$BATS_TEST_TMPDIR"
	python3 -m venv v
	find v ! -type d ! -name '*.pyc' | sort >before
	v/bin/python -B -m pip install -q --no-index --no-compile \
	    --disable-pip-version-check "$made"
	f=$ROOT/tests/data/resnet-before.sqlite.xz
	PATH=$BIN:$PATH sh "$ROOT/pipelines/dlp" "$f" >want
	export PYTHONDONTWRITEBYTECODE=1
	v/bin/dlp "$f" >have
	diff want have
	v/bin/python -m dlp "$f" | diff want -
	BROWSER=true TMPDIR=$PWD v/bin/dlp view "$f" | grep 'dlp view: /'
	BROWSER=true TMPDIR=$PWD v/bin/dlprofviewer --port 8000 "$f" >viewed 2>&1
	grep 'no server' viewed
	grep 'dlp view: /' viewed
	PATH=$BIN:$PATH
	sh "$ROOT/pipelines/dlp" top --json "$f" >top.json
	sh "$ROOT/pipelines/dlp" diff --json -g type -n 1 "$f" "${f/before/after}" >diff.json
	VERSION=$(sed -n 's/.*DLP_VERSION "\(.*\)"/\1/p' "$ROOT/common/cli.h") FILE=$f v/bin/python - <<-'EOT'
	import json, os
	import dlp, nvidia_dlprof_pytorch_nvtx, pyprof
	assert callable(pyprof.nvtx.init)
	from importlib import metadata
	meta = metadata.metadata('dlp')
	assert dlp.__version__ == meta['Version'] == os.environ['VERSION'], dlp.__version__
	assert meta['License'] == 'MIT' and 'GPU' in meta['Summary'], dict(meta)
	assert 'torch.profiler' in (meta['Description'] or meta.get_payload())
	for option in ('--csv', '--json', '-w80', '--null=x'):
	    try:
	        dlp.table('top', os.environ['FILE'], option)
	        raise SystemExit('no error')
	    except ValueError as e:
	        assert str(e) == option + ': the rows become a list, so no option of format'
	after = os.environ['FILE'].replace('before', 'after')
	diff = dlp.table('diff', [os.environ['FILE'], after], '-g', 'type', '-n', '1')
	assert diff == json.load(open('diff.json')), diff
	assert dlp.table('top', os.environ['FILE']) == json.load(open('top.json'))
	assert dlp.table('overview', os.environ['FILE'])[0]['n_step'] == 3
	found = dlp.findings(os.environ['FILE'])
	assert 'tc_unused' in [rule['id'] for rule in found], found
	try:
	    dlp.table('top', 'no such file')
	    raise SystemExit('no error')
	except RuntimeError as e:
	    assert 'no such file' in str(e), e
	EOT
	v/bin/dlp-record -t nvtx -o run.sqlite -- true
	[ -s run.sqlite ]
	v/bin/python -m pyprof.parse "$LENET" >net.dict
	[ -s net.dict ]
	v/bin/python -c 'import pyprof2; pyprof2.init, pyprof2.nvtx.init'
	v/bin/python -m pyprof2.parse "$LENET" | cmp net.dict -
	v/bin/python v/lib/python3*/site-packages/pyprof2/parse/parse.py "$LENET" | cmp net.dict -
	v/bin/python -m pyprof.prof --csv -c idx,op net.dict | head -n 1 |
	    grep -i idx
	# a link from elsewhere finds the rest, too
	ln -s "$PWD/v/bin/dlp-parse" "$PWD/parse"
	./parse -V | grep dlp-parse
	v/bin/python -B -m pip uninstall -q -y --disable-pip-version-check dlp
	# pip leaves empty folders
	find v ! -type d ! -name '*.pyc' | sort >after
	diff before after
}

@test "the wheel for arm64 holds what runs there" {
	command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static"
	sh "$ROOT/tests/bin/install-deps" -n cross || skip "no cross compiler (make deps FOR=cross)"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
	    make -s -C "$ROOT" CROSS=1 wheel >"$BATS_TEST_TMPDIR/log" 2>&1
	cd "$BATS_TEST_TMPDIR"
	python3 -m zipfile -e "$ROOT/$(tail -n 1 log)" w
	readelf -hW w/dlp-*.data/data/lib/dlp/dlp-record.so | grep AArch64
	mkdir bin
	for c in "$BIN"/dlp-*; do
		printf '#!/bin/sh\nexec qemu-aarch64-static -0 %s %s "$@"\n' "${c##*/}" \
		    "$PWD"/w/dlp-*.data/scripts/dlp-filters >"bin/${c##*/}"
	done
	chmod +x bin/* w/dlp-*.data/scripts/* # which pip does
	for r in overview top gaps advise; do
		dlp $r "$LENET" >want
		PATH=$PWD/bin:$ROOT/pipelines:/usr/bin:/bin sh "$ROOT/pipelines/dlp" $r "$LENET" | diff want -
	done
}
