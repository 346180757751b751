# pyprof-parse against PyProf's own .dict, and the .dict as an input.

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	P=$DATA/nvprof/lm-pyprof
	L=$ROOT/tests/data/lenet.sqlite.xz
}

KEYS="kShortName kDuration layer trace reprMarkers marker seqMarker seqId
subSeqId altSeqId dir mod op tid device stream grid block kLongName"

# bats test_tags=more
@test "a profile of nvprof: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-parse "$P.sqlite" >got
	cmp "$P.dict" got
	pyprof-parse <"$P.sqlite" | cmp got -
	pyprof-parse --file "$P.sqlite" | cmp got -
}

@test "every line is a dict with PyProf's keys in its order" {
	pyprof-parse "$L" >got
	[ "$(wc -l <got)" -eq 208 ]
	sed "s/^{'\([A-Za-z]*\)': .*/\1/" got | sort -u >first
	same kShortName "$(<first)"
	command -v python3 >/dev/null || skip "no python3"
	python3 - $KEYS <<-'END'
	import ast, sys
	for l in open('got'):
	    d = ast.literal_eval(l)
	    # behind them ours, for what PyProf's have no place for
	    assert list(d)[:19] == sys.argv[1:], list(d)
	    assert set(list(d)[19:]) <= {'dlp', 'dlpRanges'}, list(d)
	    assert len(d['grid']) == 3 and d['dir'] in ('fprop', 'bprop')
	END
}

@test "texts that autograd writes today are cut to what PyProf knew" {
	# emit_nvtx with op_id: "aten::conv2d, seq = 33, op_id = 1, sizes = ..."
	pyprof-parse "$L" >got
	grep -q "'seqMarker': \['aten::[a-z_0-9]*, seq = [0-9]*'" got
	[ "$(grep -c "'seqMarker': \[[^]]*op_id" got)" -eq 0 ]
	grep "'dir': 'bprop'" got | grep -q "Backward0, seq = "
}

# bats test_tags=more
@test "profiles without kernels: nothing, 0" {
	need_data nvprof/empty-v12.sqlite
	pyprof-parse "$DATA/nvprof/empty-v12.sqlite" >out 2>err
	[ ! -s out ]
	[ -s err ]
}

# The .dict as an input.

# bats test_tags=more
@test "a .dict: the columns of its database, all twenty" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof --csv -c all "$P.sqlite" >want
	pyprof-prof --csv -c all "$P.dict" >got
	cmp want got
	pyprof-prof --csv -c all <"$P.dict" | cmp want -
	cat "$P.dict" | pyprof-prof -w 150 >got
	cmp "$P.w150.txt" got
}

# all twenty columns of every kernel, also with the lines in another order
same_from_dict() {
	pyprof-parse "$1" >d
	[ -s d ]
	pyprof-prof --csv -c all "$1" >want
	pyprof-prof --csv -c all d | cmp want -
	pyprof-prof --csv -c all <d | cmp want -
	sort -R d | pyprof-prof --csv -c all | cmp want -
}

# bats test_tags=long
@test "a .dict of today's profiles: the columns of their databases" {
	same_from_dict "$L"
	for f in lenet_pyprof_train lenet_emitnvtx_train zoo_pyprof zoo; do
		same_from_dict "$DATA/h200/$f.sqlite.xz"
	done
}

@test "a .dict with our keys damaged: PyProf's are read" {
	pyprof-parse "$L" | sed "s/'dlp': \\[/&'x', /" >d
	pyprof-prof --csv -c kernel,seq d | sed 1d | wc -l >got
	same 208 "$(tr -d ' ' <got)"
	dlp-parse d | grep -q '^##info	times	made up'
}

@test "a .dict: ranges around no launch" {
	pyprof-parse "$L" >d
	dlp-parse "$L" | grep -c '^range' >want
	dlp-parse d | grep -c '^range' >got
	echo "$(<want) in the profile, $(<got) in the .dict"
	[ "$(<got)" -le "$(<want)" ]
	# but for those behind the last kernel
	[ "$(<got)" -ge $(($(<want) * 9 / 10)) ]
}

# bats test_tags=more
@test "a .dict: reports" {
	need_data nvprof/lm-pyprof.dict
	dlp top -g kernel --csv "$P.dict" >got
	dlp top -g kernel --csv "$P.sqlite" >want
	cmp want got
	dlp-parse "$P.dict" >s
	grep -q '^##info	dialect	pyprof-dict$' s
	grep -q '^##info	times	made up' s
	[ "$(grep -c '^kern	' s)" -eq 160 ]
}

@test "a .dict among others" {
	pyprof-parse "$L" >d
	xz d
	cp d.xz e.xz
	! dlp-parse d.xz e.xz 2>err || false
	grep -q 'dict of PyProf: give it alone' err
}

@test "a packed .dict: the same, also on standard input; a cut one: 2" {
	pyprof-parse "$L" >d
	dlp-parse d | grep -v '^##cmd' >want
	for z in xz zstd gzip; do
		$z -kqc d >d.z
		dlp-parse d.z | grep -v '^##cmd' >got
		cmp want got
		dlp-parse <d.z | grep -v '^##cmd' >got
		cmp want got
		head -c 5000 d.z >cut.z
		run -2 dlp-parse cut.z
	done
}

# bats test_tags=more
@test "a .dict: calls that share a sequence id are told apart" {
	need_data nvprof/lm-pyprof.dict
	# sixteen parameters, updated one by one: a run of the op each
	dlp-parse "$P.dict" | dlp-correlate >s
	got=$(awk -F'\t' '
	/^#kern/ { for (i = 1; i <= NF; i++) c[$i] = i }
	/^kern/ && $c["op"] == "add_" && $c["mod"] == "Tensor" {
		print $c["inst_id"]
	}' s | sort -u | wc -l)
	[ "$got" -eq 16 ]
	# and a layer norm is one run with two kernels
	got=$(awk -F'\t' '
	/^#kern/ { for (i = 1; i <= NF; i++) c[$i] = i }
	/^kern/ && $c["op"] == "layer_norm" && $c["dir"] == "fprop" {
		n[$c["inst_id"]]++
	}
	END { for (i in n) print n[i] }' s | sort | uniq -c |
	    awk '{ print $1, $2 }')
	same "2 2" "$got"
}

# bats test_tags=more
@test "selections of a .dict" {
	need_data nvprof/lm-pyprof.dict
	[ "$(dlp-parse -T kern "$P.dict" | grep -c '^range')" -eq 0 ]
	[ "$(dlp-parse --stream 8 "$P.dict" | grep -c '^kern')" -eq 0 ]
	dlp-parse --src "$P.dict" | grep -q '^#kern.*	src$'
}
