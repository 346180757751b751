# pyprof-prof against PyProf's own output.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	P=$DATA/nvprof/lm-pyprof
	L=$ROOT/tests/data/lenet.sqlite.xz
}

# bats test_tags=more
@test "the default columns: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof "$P.sqlite" >got
	cmp "$P.default.txt" got
}

# bats test_tags=more
@test "-w 150: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	pyprof-prof -w 150 "$P.sqlite" >got
	cmp "$P.w150.txt" got
}

# bats test_tags=more
@test "18 of its 20 columns: PyProf's bytes" {
	need_data nvprof/lm-pyprof.sqlite
	# FLOPs and bytes are dlp-flops' affair
	pyprof-prof --csv -c all "$P.sqlite" >all
	sed 's/,"[^"]*","[^"]*"$//' all >got
	sed 's/,"[^"]*","[^"]*"$//' "$P.all20.csv" | cmp - got
	head -n 1 "$P.all20.csv" | cmp - <(head -n 1 all)
}

# bats test_tags=more
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

# The published table is of the rules of 2019; the one of all columns is of
# another state of them, where norm counts a sequence id's first kernel only:
# FLOPs and bytes of 15 rows differ between the two.

# bats test_tags=more
@test "--pyprof-compat: the published table, all of it" {
	need_data nvprof/lm-pyprof.sqlite
	for f in "$P.sqlite" "$P.dict"; do
		pyprof-prof --pyprof-compat --csv \
		    -c kernel,mod,op,dir,sil,tc,flops,bytes,device,stream,block,grid \
		    "$f" >got
		grep . "$P.csv" | cmp - got
	done
}

# bats test_tags=more
@test "--pyprof-compat: all columns" {
	need_data nvprof/lm-pyprof.sqlite
	for f in "$P.sqlite" "$P.dict"; do
		pyprof-prof --pyprof-compat --csv \
		    -c idx,seq,altseq,tid,layer,trace,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,block,flops,bytes \
		    "$f" >got
		[ "$(wc -l <got)" -eq 161 ]
		diff "$P.all20.csv" got | grep '^>' >more || true
		[ "$(wc -l <more)" -eq 15 ]
		[ "$(grep -c '"Tensor","norm"' more)" -eq 15 ]
		# and those only in their last two
		sed 's/,"[^"]*","[^"]*"$//' got >a
		sed 's/,"[^"]*","[^"]*"$//' "$P.all20.csv" | cmp - a
	done
	pyprof-prof --pyprof-compat -w 150 "$P.dict" | cmp "$P.w150.txt" -
	pyprof-prof --pyprof-compat <"$P.dict" | cmp "$P.default.txt" -
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
