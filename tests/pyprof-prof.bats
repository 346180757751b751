# pyprof-prof against PyProf's own output.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	P=$DATA/nvprof/lm-pyprof
	L=$ROOT/tests/data/lenet.sqlite.xz
}

@test "the default columns: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof "$P.sqlite" >got
	cmp "$P.default.txt" got
}

@test "-w 150: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof -w 150 "$P.sqlite" >got
	cmp "$P.w150.txt" got
}

@test "18 of its 20 columns: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	# FLOPs and bytes are dlp-flops' affair
	pyprof-prof --csv -c all "$P.sqlite" >all
	sed 's/,"[^"]*","[^"]*"$//' all >got
	sed 's/,"[^"]*","[^"]*"$//' "$P.all20.csv" | cmp - got
	head -n 1 "$P.all20.csv" | cmp - <(head -n 1 all)
}

@test "the published table: kernel to grid" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof --csv \
	    -c kernel,mod,op,dir,sil,device,stream,block,grid "$P.sqlite" >got
	# its columns 7 and 8 are FLOPs and bytes, 6 is TC
	awk -F'","' -v OFS='","' '{
		print $1, $2, $3, $4, $5, $9, $10, $11, $12
	}' "$P.csv" | grep . | cmp - got
}

@test "a database, a stream, a pipe: the same rows" {
	dlp-parse "$L" | dlp-correlate | dlp-flops >s
	pyprof-prof "$L" >a
	pyprof-prof s >b
	pyprof-prof <s >c
	pyprof-prof - <s >d
	[ -s a ]
	cmp a b
	cmp a c
	cmp a d
}

@test "rows in the order of the kernel table" {
	pyprof-prof -c idx "$L" | tail -n +2 >got
	seq "$(wc -l <got)" | cmp - got
}

@test "from any folder, through a link, options anywhere" {
	ln -s "$ROOT/pipelines/pyprof-prof" p
	cp "$ROOT/tests/data/lenet.sqlite.xz" './-odd name'
	./p -c idx,sil --csv "$L" >a
	./p --csv -cidx,sil -- '-odd name' >b
	./p "$L" --csv -c idx,sil >c
	cmp a b
	cmp a c
	head -n 1 a | grep -q '^"Idx","Sil(ns)"$'
}

@test "wrong usage and bad files: one line, 2" {
	: >empty
	echo x >text
	for args in '--csv -w 100 F' '-w' '-w x F' '-w 10 F' '-w 0 F' \
	    '-c zork F' '-Z F' 'F F' ./none . empty text; do
		rc=0
		# shellcheck disable=SC2086 # words
		pyprof-prof ${args//F/$L} >out 2>err </dev/null || rc=$?
		echo "$args: $rc: $(<err)"
		[ $rc -eq 2 ]
		[ ! -s out ]
		[ "$(wc -l <err)" -eq 1 ]
	done
}

@test "a stream without the stages it needs: the command is named" {
	rc=0
	dlp-parse "$L" | pyprof-prof >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	grep -q 'dlp-correlate' err
	rc=0
	dlp-parse "$L" | dlp-correlate | pyprof-prof >out 2>err || rc=$?
	cat err
	[ $rc -eq 2 ]
	grep -q 'dlp-flops' err
}

@test "-h and -V" {
	pyprof-prof -h | head -n 1 | grep -q '^usage: pyprof-prof '
	pyprof-prof --version | grep -Eq '^pyprof-prof [0-9.]+$'
}

@test "the manual's examples and lint" {
	command -v mandoc >/dev/null || skip "no mandoc"
	mandoc -Tlint -W warning "$ROOT/man/pyprof-prof.1"
}
