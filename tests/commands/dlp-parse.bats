load ../lib

bats_require_minimum_version 1.5.0

# Numbers of real profiles against SQL over the same file; databases made
# here for what recorders do not do on purpose.

SMALL="
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'),
    (2, 'void k<float>(int)'), (3, 'k'), (4, 'cudaGraphLaunch_v10000'),
    (5, 'registered'), (6, 'cudaStreamSynchronize_v3020');
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER,
    eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
    endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL,
    end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL,
    end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
    shortName INTEGER);
"
T=$((7 * 16777216 + 9)) # thread 9 of process 7

# db NAME: a database made from the SQL on standard input, its name printed.
db() {
	local f=$BATS_TEST_TMPDIR/$1.sqlite
	rm -f "$f"
	{ printf '%s\n' "$SMALL"; sed "s/\$T/$T/g"; } | sqlite3 "$f" || return
	printf '%s\n' "$f"
}

# column TYPE NAME: the values of a column in the stream on standard input.
column() {
	awk -F'\t' -v t="$1" -v c="$2" '
	$1 == "#" t { for (i = 1; i <= NF; i++) if ($i == c) n = i }
	$1 == t { print $n }'
}

sql() {
	sqlite3 -readonly -separator ' ' "file:$1?immutable=1" "$2"
}

# has_table FILE TABLE
has_table() {
	[ "$(sql "$1" "SELECT count(*) FROM sqlite_master
	    WHERE type = 'table' AND name = '$2'")" = 1 ]
}

# per_dev TYPE <STREAM: device, number, sum of durations
per_dev() {
	awk -F'\t' -v t="$1" '
	$1 == "#" t { for (i = 1; i <= NF; i++) p[$i] = i }
	$1 == t { n[$p["dev"]]++; s[$p["dev"]] += $p["dur_ns"] }
	END { for (d in n) printf "%s %.0f %.0f\n", d, n[d], s[d] }' | sort -n
}

# times of a profile against SQL
check_profile() {
	local f out pair table
	need_data "$1"
	f=$(profile "$1")
	out=$BATS_TEST_TMPDIR/out
	dlp-parse "$f" >"$out" 2>"$BATS_TEST_TMPDIR/err"
	tail -n 1 "$out" | grep -q '^##end	'
	for pair in kern:KERNEL copy:MEMCPY set:MEMSET sync:SYNCHRONIZATION \
	    graph:GRAPH_TRACE; do
		table=CUPTI_ACTIVITY_KIND_${pair#*:}
		has_table "$f" "$table" || continue
		same "$(sql "$f" "SELECT deviceId, count(*), sum(end - start)
		    FROM $table GROUP BY 1 ORDER BY 1")" \
		    "$(per_dev "${pair%:*}" <"$out")"
	done
	# API time is there exactly once
	table=CUPTI_ACTIVITY_KIND_RUNTIME
	! has_table "$f" $table ||
	    same "$(sql "$f" "SELECT sum(end - start) FROM $table r
		WHERE eventClass <> 67 OR NOT EXISTS (SELECT 1 FROM $table q
		WHERE q.correlationId = r.correlationId
		AND q.eventClass <> 67)")" "$(awk -F'\t' '
		/^#[a-z]/ { for (i = 1; i <= NF; i++)
			p[substr($1, 2) $i] = i }
		$1 == "call" { s += $p["calldur_ns"] }
		p[$1 "api_dur_ns"] { s += $p[$1 "api_dur_ns"] }
		END { printf "%.0f", s }' "$out")"
	! has_table "$f" NVTX_EVENTS ||
	    same "$(sql "$f" "SELECT count(*) FROM NVTX_EVENTS
		WHERE eventType IN (59, 60, 70, 71)")" \
	    "$(grep -ac '^range	' "$out")"
	in_order "$out"
	dlp-parse "$f" 2>/dev/null | cmp - "$out"
}

# in_order FILE: launch order never goes back
in_order() {
	awk -F'\t' '
	/^#[a-z]/ { for (i = 1; i <= NF; i++) p[substr($1, 2) $i] = i }
	/^#/ || !p[$1 "start_ns"] { next }
	{ t = $p[$1 "start_ns"]
	  if (p[$1 "api_start_ns"] && $p[$1 "api_start_ns"] != "-")
		t = $p[$1 "api_start_ns"]
	  if (seen++ && t + 0 < last + 0) {
		print FILENAME ":" NR ": " t " after " last; exit 1 }
	  last = t }' "$1"
}

# bats test_tags=more
@test "real profiles: dlprof, numbers of SQL, order, the same twice" {
	check_profile dlprof/w_relu/nsys_profile.sqlite
}

# bats test_tags=more
@test "real profiles: nsys, numbers of SQL, order, the same twice" {
	need_data nsys
	for f in "$DATA"/nsys/*.sqlite; do
		check_profile "nsys/${f##*/}"
	done
}

# bats test_tags=all
@test "real profiles: h200, numbers of SQL, order, the same twice" {
	for f in "$DATA"/h200/*.sqlite.xz; do
		check_profile "h200/${f##*/}"
	done
}

@test "the shipped profile, compressed, plain and on standard input" {
	dlp-parse "$LENET" | grep -v '^##cmd' >"$BATS_TEST_TMPDIR/a"
	dlp-parse <"$LENET" | grep -v '^##cmd' | cmp - "$BATS_TEST_TMPDIR/a"
	dlp-parse "$ROOT/tests/data/lenet.sqlite.xz" | grep -v '^##cmd' |
	    cmp - "$BATS_TEST_TMPDIR/a"
	same "$(sql "$LENET" "SELECT deviceId, count(*), sum(end - start)
	    FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1")" \
	    "$(per_dev kern <"$BATS_TEST_TMPDIR/a")"
}
@test "rows out of order: a few, many, the GPU far behind" {
	f=$(db order <<-'EOF'
	WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
	INSERT INTO NVTX_EVENTS SELECT i + (i % 7 = 0) * -5, i + 100, 59,
	    'r' || i, $T, NULL, NULL, 0 FROM n;
	WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10, i * 10 + 3, 0,
	    $T, i, 1, 0 FROM n;
	WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 2000000 + i, 2000001 + i,
	    0, 7, 100001 - i, $T, 2, 3 FROM n;
	EOF
	)
	dlp-parse "$f" >"$BATS_TEST_TMPDIR/out"
	in_order "$BATS_TEST_TMPDIR/out"
	same 20000 "$(grep -c '^range' "$BATS_TEST_TMPDIR/out")"
	same 100000 "$(awk -F'\t' '$1 == "kern" && $12 == $10 * 10 &&
	    $14 == 100001 - $10' "$BATS_TEST_TMPDIR/out" | wc -l)"
	grep -q '^##note	window_spilled	34464$' "$BATS_TEST_TMPDIR/out"
	sqlite3 "$f" 'CREATE TABLE t AS SELECT * FROM NVTX_EVENTS
	    ORDER BY start DESC; DROP TABLE NVTX_EVENTS;
	    ALTER TABLE t RENAME TO NVTX_EVENTS;'
	run --separate-stderr dlp-parse -T range "$f"
	[[ $stderr == *'NVTX_EVENTS is far from start order: sorting it' ]]
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/out"
	in_order "$BATS_TEST_TMPDIR/out"
	same 20000 "$(grep -c '^range' "$BATS_TEST_TMPDIR/out")"
	grep -q '^##note	tables_sorted	1$' "$BATS_TEST_TMPDIR/out"
}

@test "a corrupt page: a message, exit 2, no ##end" {
	f=$(db corrupt <<-'EOF'
	WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
	INSERT INTO NVTX_EVENTS SELECT i, i + 5, 59, 'range ' || i, $T, NULL,
	    NULL, 0 FROM n;
	EOF
	)
	printf 'garbage garbage garbage' |
	    dd of="$f" bs=1 seek=$((4096 * 60)) conv=notrunc 2>/dev/null
	run --separate-stderr dlp-parse "$f"
	[ "$status" -eq 2 ]
	[[ $stderr == *malformed* ]]
	[ "${#stderr_lines[@]}" -le 2 ]
	! grep -q '^##end' <<<"$output"
}
@test "pages of any size, encodings, altered tables, indexes" {
	dlp-parse "$LENET" | grep -v '^##cmd' >"$BATS_TEST_TMPDIR/want"
	for size in 512 1024 65536; do
		rm -f "$BATS_TEST_TMPDIR/x"
		sqlite3 "$LENET" "PRAGMA page_size = $size;
		    VACUUM INTO '$BATS_TEST_TMPDIR/x'"
		dlp-parse "$BATS_TEST_TMPDIR/x" | grep -v '^##cmd' |
		    cmp - "$BATS_TEST_TMPDIR/want"
	done
	rm -f "$BATS_TEST_TMPDIR/x"
	{ echo "PRAGMA encoding = 'UTF-16';"; sqlite3 "$LENET" .dump; } |
	    sqlite3 "$BATS_TEST_TMPDIR/x"
	dlp-parse "$BATS_TEST_TMPDIR/x" | grep -v '^##cmd' |
	    cmp - "$BATS_TEST_TMPDIR/want"
	# columns added later, dropped, with a default; one that is computed, in
	# a table that is read, is refused: dlp(7), SECURITY, security.bats
	cp "$LENET" "$BATS_TEST_TMPDIR/x"
	sqlite3 "$BATS_TEST_TMPDIR/x" "
	    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN added INTEGER;
	    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN launchType;
	    ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN returnValue;
	    ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME
	        ADD COLUMN returnValue INTEGER DEFAULT 0;
	    CREATE TABLE theirs (a, twice AS (a * 2));
	    CREATE INDEX covers ON NVTX_EVENTS (end, start, eventType);
	    ANALYZE"
	dlp-parse "$BATS_TEST_TMPDIR/x" | grep -v '^##cmd' |
	    cmp - "$BATS_TEST_TMPDIR/want"
}

# More tables than the list of the schema holds, and before those that are read.
@test "a schema of many tables, long names, another case" {
	dlp-parse "$LENET" | grep -v '^##cmd' >"$BATS_TEST_TMPDIR/want"
	{
		for i in {1..150}; do echo "CREATE TABLE t$i (a UNIQUE);"; done
		printf 'CREATE TABLE t%0200d (a);\n' 1
		sqlite3 "$LENET" .dump | sed 's/NVTX_EVENTS/nvtx_Events/'
	} | sqlite3 "$BATS_TEST_TMPDIR/x"
	dlp-parse "$BATS_TEST_TMPDIR/x" | grep -v '^##cmd' |
	    cmp - "$BATS_TEST_TMPDIR/want"
}

@test "a computed column is refused however it is written, a column as is not" {
	dlp-parse "$LENET" | grep -v '^##cmd' >"$BATS_TEST_TMPDIR/want"
	for column in 'x AS (1)' 'x as(1)' 'x/**/As/**/(1)' '"x"aS(1)VIRTUAL' \
	    'x GENERATED ALWAYS AS (start)'; do
		cp "$LENET" "$BATS_TEST_TMPDIR/x"
		sqlite3 "$BATS_TEST_TMPDIR/x" \
		    "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN $column"
		run -2 dlp-parse "$BATS_TEST_TMPDIR/x"
		[[ $output == *'CUPTI_ACTIVITY_KIND_KERNEL.x is a generated column'* ]]
	done
	cp "$LENET" "$BATS_TEST_TMPDIR/x"
	sqlite3 "$BATS_TEST_TMPDIR/x" \
	    'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN "as" TEXT'
	dlp-parse "$BATS_TEST_TMPDIR/x" | grep -v '^##cmd' |
	    cmp - "$BATS_TEST_TMPDIR/want"
}

# Each name has 3 MiB, so that the cache of names is emptied between a kernel's
# name and its call's; memory that is freed is overwritten.
@test "a record keeps its names while others are forgotten" {
	f=$(db large_names <<-EOF
	INSERT INTO StringIds SELECT 10 + value, printf('%s%d',
	    replace(hex(zeroblob(1536 * 1024)), '0', 'n'), value)
	    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL
	        SELECT value + 1 FROM n WHERE value < 8) SELECT * FROM n);
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 100 * id, 100 * id + 9,
	    0, $T, id, id, 0 FROM StringIds WHERE id > 10 AND id % 2 = 0;
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 100 * id + 20,
	    100 * id + 29, 0, 7, id, $T, id - 1, id - 1
	    FROM StringIds WHERE id > 10 AND id % 2 = 0;
	EOF
	)
	out=$BATS_TEST_TMPDIR/out
	MALLOC_PERTURB_=165 dlp-parse "$f" 2>/dev/null >"$out"
	same "n1 n3 n5 n7 " "$(column kern short <"$out" |
	    sed 's/^n*/n/' | tr '\n' ' ')"
	same "n2 n4 n6 n8 " "$(column kern api <"$out" |
	    sed 's/^n*/n/' | tr '\n' ' ')"
}
# once PROGRAM...: its output and messages with the exit status, in the file
# of that name. With one processor nothing is read in a second thread.
once() {
	local out=$1 rc=0
	shift
	"$@" dlp-parse big.sqlite >"$out" 2>"$out.err" || rc=$?
	echo "$rc" >>"$out.err"
}

@test "a large file: the same on one processor, whole, sorted and damaged" {
	command -v taskset >/dev/null || skip "no taskset"
	cd "$BATS_TEST_TMPDIR"
	db big >/dev/null <<-EOF
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000)
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
	    SELECT i * 100, i * 100 + 9, 0, \$T, i, 1, 0 FROM n;
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
	    SELECT start + 500, end + 600, 0, 7, correlationId, \$T, 2, 3
	    FROM CUPTI_ACTIVITY_KIND_RUNTIME;
	INSERT INTO NVTX_EVENTS VALUES (1, 2, 75, 'mine', \$T, NULL, NULL, 5),
	    (1, 2, 39, NULL, \$T, NULL, 5, NULL), (1, 2, 77, 'x', \$T, 0, 0, 0);
	INSERT INTO NVTX_EVENTS
	    SELECT start + 10 - correlationId % 3 * 50, start + 20, 59,
	    printf('%.*c', iif(correlationId = 50000, 20000, 60), 'r'),
	    globalTid, NULL, NULL,
	    correlationId % 2 * 5 FROM CUPTI_ACTIVITY_KIND_RUNTIME,
	    (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)
	    ORDER BY correlationId;
	EOF
	[ "$(stat -c %s big.sqlite)" -gt $((10 << 20)) ]
	once two
	once one taskset -c 0
	cmp one two
	cmp one.err two.err
	same 0 "$(cat one.err)"
	same "$(sqlite3 big.sqlite "SELECT count(*), sum(start) FROM NVTX_EVENTS
	    WHERE eventType = 59")" \
	    "$(column range start_ns <two | awk '{ s += $1 }
	    END { printf "%d|%.0f\n", NR, s }')"
	same mine "$(column range domain <two | sort -u | sed '/^-*$/d')"
	same registered "$(column thread name <two)"
	same '##note	nvtx_other_rows	1' "$(grep '^##note' two)"

	# one the first pass sees, and one, of a long text, the second
	cp big.sqlite whole.sqlite
	for type in leaf overflow; do
		page=$(sqlite3 whole.sqlite "SELECT pageno FROM dbstat WHERE
		    name = 'NVTX_EVENTS' AND pagetype = '$type'
		    LIMIT 1 OFFSET iif('$type' = 'leaf', 2000, 0)")
		cp whole.sqlite big.sqlite
		dd if=/dev/zero of=big.sqlite bs=4096 seek=$((page - 1)) \
		    count=1 conv=notrunc 2>/dev/null
		once two
		once one taskset -c 0
		cmp one two
		cmp one.err two.err
		same 'dlp-parse: big.sqlite: database disk image is malformed
2' "$(cat one.err)"
		[ $type = leaf ] || grep -q '^range' two
		same 0 "$(grep -c '^##end' two || true)"
	done

	mv whole.sqlite big.sqlite
	sqlite3 big.sqlite "INSERT INTO NVTX_EVENTS (start, end, eventType,
	    text, globalTid) VALUES (5, 6, 59, 'late', $T)"
	once two
	once one taskset -c 0
	cmp one two
	cmp one.err two.err
	grep -q 'NVTX_EVENTS is far from start order: sorting it$' one.err
	same late "$(column range text <two | head -n 1)"
}

# Ids count what is written, as with -T TYPES, so that column is left out.
@test "-T ^TYPES: all records but these" {
	dlp-parse "$LENET" 2>/dev/null | awk -F '\t' -v OFS='\t' '
	/^##/ || /^#?(call|range)\t/ { next } { $2 = ""; print }' >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -gt 100 ]
	dlp-parse -T ^call,range "$LENET" 2>"$BATS_TEST_TMPDIR/err" | awk -F '\t' -v OFS='\t' '
	/^##/ { next } { $2 = ""; print }' | diff "$BATS_TEST_TMPDIR/want" -
	# a type that nobody asked for is not missed
	same "$(dlp-parse "$LENET" 2>&1 >/dev/null)" "$(<"$BATS_TEST_TMPDIR/err")"
	run -2 dlp-parse -T ^nonesuch "$LENET"
	same "dlp-parse: --type: no such record type 'nonesuch'" "$output"
}

@test "--no-calls: GPU work by its start, and what needs calls refuses" {
	cd "$BATS_TEST_TMPDIR" || return
	f=lenet.sqlite
	xzcat "$ROOT/tests/data/lenet.sqlite.xz" >"$f"
	sqlite3 -separator $'\t' "$f" "SELECT start, end - start, 'kern'
	    FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, end - start,
	    'copy' FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY 1, 2 DESC" >want
	[ "$(wc -l <want)" -gt 100 ]
	dlp-parse -T kern,copy --no-calls "$f" >out
	awk -F'\t' -v OFS='\t' '/^(kern|copy)\t/ { print $3, $4, $1 }' out | diff want -
	# api, api_start_ns, api_dur_ns and the thread are unset
	awk -F'\t' '/^kern\t/ { print $6, $11, $12, $13 }' out | sort -u | grep -qx -- '- - - -'
	! grep -q '^##note' out || false
	run dlp-parse -T call --no-calls "$f"
	[ "$status" -eq 2 ]
	same 'dlp-parse: --no-calls: -T call needs the calls' "$output"
	run dlp-parse --start 1s --no-calls "$f"
	[ "$status" -eq 2 ]
	same 'dlp-parse: --no-calls: a selection needs the calls' "$output"
}
