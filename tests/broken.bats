# Profiles that broke something once, and all others of their kind. The files
# are in tests/data/broken; its README says what each is.

# bats file_tags=long
load lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# col TYPE COLUMN...: of a stream, these columns of its records of a type.
col() {
	awk -F'\t' -v OFS='|' -v type="$1" -v names="${*:2}" '
	$1 == "#" type { for (i = 2; i <= NF; i++) at[$i] = i }
	$1 == type {
		n = split(names, name, " ")
		for (i = 1; i <= n; i++)
			printf "%s%s", $at[name[i]], i < n ? OFS : "\n"
	}'
}

# broken NAME: the profile, unpacked as NAME.
broken() {
	xz -dc "$ROOT/tests/data/broken/$1.xz" >"$1"
}

@test "names that empty the cache while a record holds one" {
	for f in uaf_small_names segv_16MB_kernel_name; do
		broken $f.sqlite
		MALLOC_PERTURB_=165 dlp-parse $f.sqlite 2>/dev/null >a
		dlp-parse $f.sqlite 2>/dev/null >b
		cmp a b
		# every name is one that the file has, but for cutlass's, whose
		# "Kernel2" dlp-parse replaces
		sqlite3 $f.sqlite "SELECT value FROM StringIds" | sort -u >texts
		col kern short <a | grep -v ^cutlass_ | sort -u >names
		[ -s names ]
		same '' "$(LC_ALL=C comm -23 names texts | cut -c1-100)"
	done
}

# The cache of argument lists begins anew after 32,768 lists.
@test "lists of arguments that empty their cache while an op is made of one" {
	awk 'BEGIN {
		OFS = "\t"
		print "##dlp", 1
		print "#range", "id", "start_ns", "dur_ns", "pid", "tid", "text"
		for (i = 1; i <= 70000; i++)
			print "range", i, i * 10, 5, 1, 1, \
			    "{'"'mod': 'torch', 'op': 'add', 'args': [{'name': '', 'type': 'tensor', 'shape': (\" i \",), 'dtype': 'float32'}]"'}"
		print "##end", 70000
	}' >in
	MALLOC_PERTURB_=165 dlp-correlate --ranges in 2>/dev/null >a
	dlp-correlate --ranges in 2>/dev/null >b
	cmp a b
}

@test "memory of two processes at one address" {
	broken mem_two_processes.sqlite
	# 1000 of one process and 2000 of the other live at 200
	same '0 device 3000 200 2 0' "$(dlp mem --tsv mem_two_processes.sqlite \
	    2>/dev/null | awk 'NR == 2 { print $1, $2, $3, $5, $11, $13 }')"
}

# mem_of LINE...: dlp-mem's sums of these events, which a legend precedes.
mem_of() {
	{
		printf '##dlp\t1\n#range\tid\tstart_ns\tdur_ns\tpid\ttext\tsrc\n'
		printf 'range\t1\t0\t100\t1\tstep\ta\n'
		printf '#mem\tid\tstart_ns\tpid\tdev\top\tbytes\taddr\tkind\tsrc\n'
		printf 'mem\t%s\n' "$@"
		printf '##end\t%s\n' $(($# + 1))
	} | dlp-mem
}

@test "memory of several files whose processes have one number" {
	mem_of '2	10	1	0	alloc	100	7	device	a' \
	    '3	20	1	0	alloc	50	7	device	b' \
	    '4	30	2	0	alloc	30	7	device	a' \
	    '5	40	1	0	free	100	7	device	a' >out
	same 'a 130 30
b 50 50' "$(col peak src peak_bytes end_bytes <out | tr '|' ' ')"
	# the range is of process 1 of file a: 100 allocated, 100 freed
	same '0|130|100|100|1|a' "$(col memrange dev peak_bytes alloc_bytes \
	    free_bytes n_alloc src <out)"
	! grep '^##note' out
}

@test "a table whose rows are all unusable" {
	broken all_rows_bad.sqlite
	run --separate-stderr dlp-parse all_rows_bad.sqlite
	[ "$status" -eq 0 ]
	# SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL
	grep -q '^##note	bad_rows	208$' <<<"$output"
	[[ $stderr == *'CUPTI_ACTIVITY_KIND_KERNEL: all 208 rows are lost'*'"start"'* ]]
	[[ $stderr != *'no kernels in this profile'* ]]
	run dlp top all_rows_bad.sqlite
	[[ $output == *'all 208 rows are lost'* ]]
}

@test "a table without a column that it needs" {
	broken nvprof_no_start.sqlite
	run --separate-stderr dlp-parse nvprof_no_start.sqlite
	grep -q '^##note	bad_rows	2$' <<<"$output"
	[[ $stderr == *"CONCURRENT_KERNEL has no column 'start': not read, 2 rows are lost"* ]]
	cp "$LENET" p
	n=$(sqlite3 p "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME;
	    ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME start TO begin")
	run --separate-stderr dlp-parse p
	grep -q "^##note	bad_rows	$n\$" <<<"$output"
	[[ $stderr == *"KIND_RUNTIME has no column 'start': not read, $n rows are lost"* ]]
}

@test "bad rows are counted once, however often they are read" {
	cp "$LENET" p
	sqlite3 p "UPDATE NVTX_EVENTS SET start = 'x' WHERE rowid % 100 = 0;
	    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'x' WHERE rowid = 9"
	n=$(dlp-parse p 2>/dev/null | sed -n 's/^##note	bad_rows	//p')
	[ "$n" -gt 1 ]
	same "$n" "$(dlp-parse --range 'iteration 1' p 2>/dev/null |
	    sed -n 's/^##note	bad_rows	//p')"
	same $((n * 2)) "$(cp p q; dlp-parse --ranks p q 2>/dev/null |
	    sed -n 's/^##note	bad_rows	//p')"
}

@test "a dialect is not told by one table" {
	cp "$LENET" p
	sqlite3 p "ALTER TABLE StringIds RENAME TO StringTable"
	run --separate-stderr dlp-parse p
	grep -q '^##info	dialect	nsys$' <<<"$output"
	same "$(dlp-parse "$LENET" | grep -c '^kern')" \
	    "$(grep -c '^kern' <<<"$output")"
	[[ $stderr == *'no table StringIds: names and texts are unknown'* ]]
	# an export of nvprof that has a table of Nsight Systems
	broken nvprof_no_start.sqlite
	sqlite3 nvprof_no_start.sqlite "CREATE TABLE NVTX_EVENTS (x)"
	dlp-parse nvprof_no_start.sqlite 2>/dev/null |
	    grep '^##info	dialect	nvprof$'
}
