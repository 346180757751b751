# Command lines of the guides of PyProf, DLProf and dlprofviewer, as they stand
# there: each works, or says in one line what to type instead.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	PY=$ROOT/cmd/dlp-record/python
	mkdir bin
	ln -s "$(command -v python3)" bin/python
	PATH=$PWD/bin:$PATH
	export PYTHONPATH=$PY PYTHONDONTWRITEBYTECODE=1 TMPDIR=$PWD
}

@test "PyProf: parse and prof as modules, as scripts, and the first package's" {
	cp "$LENET" net.sqlite
	cp "$LENET" net.sql
	pyprof-parse net.sqlite >want.dict
	mkdir pyprof2
	cp -r "$PY/pyprof2/parse" "$PY/pyprof2/prof" pyprof2
	cp -r "$PY/pyprof" .
	while IFS='|' read -r line want; do
		echo "$line"
		rm -f net.dict results.csv
		cp want.dict net.dict
		bash -c "$line" >out 2>err
		case $want in
		dict) cmp net.dict want.dict ;;
		-*) bash -c "pyprof-prof $want want.dict" | cmp - out ;;
		csv) pyprof-prof --csv want.dict | cmp - results.csv ;;
		esac
	done <<-'END'
	python -m pyprof.parse net.sqlite > net.dict|dict
	python pyprof2/parse/parse.py net.sql > net.dict|dict
	python pyprof2/prof/prof.py --csv net.dict > results.csv|csv
	python -m pyprof.prof -h|-h
	python -m pyprof.prof -w 150 net.dict|-w 150
	python -m pyprof.prof --csv net.dict|--csv
	python -m pyprof.prof net.dict|--
	python -m pyprof.prof -w 130 -c idx,dir,kernel,params,sil net.dict|-w 130 -c idx,dir,kernel,params,sil
	python -m pyprof.prof --csv -c idx,dir,kernel,params,sil net.dict|--csv -c idx,dir,kernel,params,sil
	python -m pyprof.prof -c idx,dir,kernel,params,sil net.dict|-c idx,dir,kernel,params,sil
	python -m pyprof.prof < net.dict|--
	python pyprof2/prof/prof.py -w 100 -c kernel,op,sil,tc,flops,bytes,device,stream,block,grid net.dict|-w 100 -c kernel,op,sil,tc,flops,bytes,device,stream,block,grid
	END
	cd "$PY/pyprof"
	python parse.py "$LENET" | cmp "$BATS_TEST_TMPDIR/want.dict" -
	python prof.py --csv "$BATS_TEST_TMPDIR/want.dict" | cmp <(pyprof-prof --csv "$BATS_TEST_TMPDIR/want.dict") -
}

@test "PyProf and DLProf: the imports of programs" {
	python -c 'import pyprof; pyprof.init; pyprof.nvtx.init
import pyprof2; pyprof2.init; pyprof2.nvtx.init
import nvidia_dlprof_pytorch_nvtx; nvidia_dlprof_pytorch_nvtx.init'
}

@test "DLProf: databases, reports, the viewer" {
	cp "$ROOT/tests/data/resnet-before.sqlite.xz" p.sqlite.xz
	xz -d p.sqlite.xz
	cp p.sqlite nsys_profile.sqlite
	dlprof --database=nsys_profile.sqlite 2>/dev/null
	[ -s dlprof_dldb.sqlite ]
	# a database that is there brings no files for TensorBoard
	[ ! -e event_files ]
	BROWSER=true dlprofviewer ./dlprof_dldb.sqlite >out 2>err
	grep -q '^dlp view: /' out
	cp "$ROOT/tests/data/lenet.sqlite.xz" .
	printf 'print(1)\n' >train.py
	run -2 --separate-stderr dlprof ./train.py
	same 1 "$(wc -l <<<"$stderr")"
	grep -q 'not executable\|python' <<<"$stderr"
}

@test "DLProf: a program that is recorded leaves event_files" {
	fake_nsys
	for i in 1 2; do
		dlprof -f true --reports=summary,detail true >out 2>err
		[ -s dlprof_dldb.sqlite ]
		same events.out.tfevents.0000000000.dlprof "$(ls event_files)"
	done
	dlprof --output_path=o true >out 2>err
	same 2 "$(find event_files -type f | wc -l)"
	rm -r event_files
	dlprof --output_path=o2 -b true true >out 2>err
	[ ! -e event_files ]
	dlprof --output_path=o3 --tb_dir=tb true >out 2>err
	[ -d tb ] && [ ! -e event_files ]
}

# bats test_tags=long
@test "DLProf: each command line of its guides" {
	fake_nsys
	mkdir keep
	cp "$LENET" keep/nsys.sqlite
	(cd keep && dlprof --database=nsys.sqlite >/dev/null 2>&1)
	mv keep/dlprof_dldb.sqlite keep/old_dldb.sqlite
	echo 'print(1)' >keep/train.py
	n=0
	while IFS='	' read -r line want; do
		rm -rf new
		cp -r keep new
		cd new
		status=0
		bash -c "$line" >out 2>err </dev/null || status=$?
		echo "$line: $status $(<err)"
		case $want in
		!*) [ "$status" -eq 2 ] && same "${want#!}" "$(tail -n 1 err)" ;;
		*) # shellcheck disable=SC2086 # names
			[ "$status" -eq 0 ] && ls -d . $want ;;
		esac
		cd ..
		n=$((n + 1))
	done < <(grep -v '^#' "$ROOT/tests/reports/old-commands.tab")
	[ "$n" -ge 38 ]
}
