# Files from strangers: what dlp(7), SECURITY, promises.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	umask 022
}

K=CUPTI_ACTIVITY_KIND_KERNEL

# refused PATTERN FILE: dlp-parse says one line like it, and exits 2.
refused() {
	local rc=0 err

	err=$(timeout 60 dlp-parse "$2" 2>&1 >/dev/null) || rc=$?
	[ $rc -eq 2 ] || { echo "exit status $rc: $err" >&2; return 1; }
	# shellcheck disable=SC2053 # a pattern
	[[ $err == $1 && $err != *$'\n'* ]] ||
	    { echo "said: $err" >&2; return 1; }
}

# bad SQL: the profile after that.
bad() {
	cp "$LENET" p
	sqlite3 p "$1"
}

kernels() {
	dlp-parse "$@" | grep -c '^kern	'
}

@test "databases are opened in one place" {
	cd "$ROOT"
	same common/sqldb.c \
	    "$(grep -rl 'sqlite3_open' common cmd | sort)"
	! grep -rn 'load_extension\|ATTACH ' cmd common --include='*.c' |
	    grep -v DBCONFIG_ENABLE_LOAD
}

@test "no file beside a profile is made or changed" {
	mkdir d
	cp "$LENET" d/p
	touch -d 2001-01-01 d/p
	before=$(stat -c '%Y %s' d/p; sha1sum <d/p)
	dlp-parse d/p >/dev/null
	same "$before" "$(stat -c '%Y %s' d/p; sha1sum <d/p)"
	same p "$(ls d)"
}

@test "a write-ahead log counts beside a link too, a journal that is done with not" {
	cp "$LENET" p
	mkfifo go
	(echo "PRAGMA journal_mode = wal;
	    DELETE FROM $K WHERE rowid > 100;
	    SELECT 1;"; cat go) | sqlite3 p >begun &
	while ! grep -q 1 begun; do sleep 0.05; done
	mkdir far
	ln -s ../p far/link
	n=$(kernels far/link) || true
	echo >go
	wait
	same 100 "$n"
	bad 'PRAGMA journal_mode = persist; CREATE TABLE x (a)'
	[ -s p-journal ]
	same 208 "$(kernels p)"
}

@test "views, virtual tables and triggers named like tables are not read" {
	bad "ALTER TABLE $K RENAME TO k;
	    CREATE VIEW $K AS WITH RECURSIVE n(i) AS
	        (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start FROM n"
	same 0 "$(kernels p || true)"
	bad "DROP TABLE $K; CREATE VIRTUAL TABLE $K USING fts5(start, end)"
	same 0 "$(kernels p || true)"
	# a view by its text, a table by its entry
	bad "ALTER TABLE $K RENAME TO k; CREATE TABLE $K (start, end)"
	sqlite3 p ".dbconfig defensive off" "PRAGMA writable_schema = 1" \
	    "UPDATE sqlite_master SET sql = 'CREATE VIEW $K AS SELECT * FROM k'
	     WHERE name = '$K'"
	refused 'dlp-parse: p: *' p
	bad "CREATE TABLE pragma_table_info (name, type)"
	refused 'dlp-parse: p: *' p
	bad "CREATE TRIGGER t AFTER INSERT ON $K BEGIN DELETE FROM $K; END"
	same 208 "$(kernels p)"
}

@test "generated columns are refused, checks and indexes of expressions not run" {
	bad "ALTER TABLE $K ADD COLUMN
	    extra AS (length(zeroblob(100000000)))"
	refused "dlp-parse: p: $K.extra is a generated column: *" p
	bad "CREATE INDEX i ON $K (abs(start)) WHERE abs(end) > 0;
	    CREATE TABLE x (a CHECK (length(zeroblob(100000000)) > 0),
	        b DEFAULT (randomblob(100000000)))"
	same 208 "$(kernels p)"
}

@test "odd tables: without rowid, wide, of other types" {
	bad "CREATE TABLE k2 (start INT, end INT, deviceId, streamId,
	        contextId, correlationId PRIMARY KEY, shortName) WITHOUT ROWID;
	    DROP TABLE $K; ALTER TABLE k2 RENAME TO $K"
	refused 'dlp-parse: p: *' p
	cols=$(seq -f 'c%g' -s ', ' 1990)
	bad "CREATE TABLE wide ($cols); DROP TABLE NVTX_EVENTS;
	    ALTER TABLE wide RENAME TO NVTX_EVENTS;
	    INSERT INTO NVTX_EVENTS DEFAULT VALUES"
	same 208 "$(timeout 60 dlp-parse p 2>err | grep -c '^kern	')"
	grep -q "^dlp-parse: p: NVTX_EVENTS has no column 'start'" err
}

@test "a value that is too long: one line" {
	bad "UPDATE StringIds SET value = zeroblob(80000000)
	    WHERE id = (SELECT shortName FROM $K LIMIT 1)"
	refused 'dlp-parse: p: a value or row of more than 64 MiB' p
}

# interior PAGE: an interior page of a table, of 512 bytes, all of whose 60
# children are that page.
interior() {
	local i n=60 p1 p2

	p1=$(printf '\\x%02x' $(($1 >> 8)))
	p2=$(printf '\\x%02x' $(($1 & 255)))
	at=$((512 - n * 5))
	# shellcheck disable=SC2059 # made of bytes
	{
		printf "\x05\x00\x00\x00\x$(printf %02x $n)"
		printf "\\x$(printf %02x $((at >> 8)))\\x$(printf %02x $((at & 255)))\\x00"
		printf "\\x00\\x00$p1$p2"
		for ((i = 0; i < n; i++)); do
			printf "\\x$(printf %02x $(((at + i * 5) >> 8)))\\x$(printf %02x $(((at + i * 5) & 255)))"
		done
		head -c $((at - 12 - n * 2)) /dev/zero
		for ((i = 1; i <= n; i++)); do
			printf "\\x00\\x00$p1$p2\\x$(printf %02x $i)"
		done
	}
}

@test "a tree of few pages with endless rows ends" {
	# 64 interior pages in a row, each with the next one 100 times
	sqlite3 p "PRAGMA page_size = 512; CREATE TABLE $K (start, end, globalPid, deviceId, streamId, correlationId);
	    CREATE TABLE StringIds (id, value);
	    INSERT INTO $K (start, end) VALUES (1, 2)"
	root=$(sqlite3 p "SELECT rootpage FROM sqlite_master WHERE name = '$K'")
	size=$(($(stat -c %s p) / 512))
	be() { printf "\\x$(printf %02x $(($1 >> 8)))\\x$(printf %02x $(($1 & 255)))"; }
	# the leaf becomes the last page, the root and 17 more the chain
	leaf=$((size + 18))
	{
		cat p
		for i in $(seq 1 17); do
			next=$((i < 17 ? size + i + 1 : leaf))
			interior "$next"
		done
		dd if=p bs=512 skip=$((root - 1)) count=1 2>/dev/null
	} >q
	interior $((size + 1)) |
	    dd of=q bs=512 seek=$((root - 1)) conv=notrunc 2>/dev/null
	be 0 | cat - <(be $leaf) |
	    dd of=q bs=1 seek=28 conv=notrunc 2>/dev/null
	refused 'dlp-parse: q: *corrupt*' q
}

@test "what unpacks to no database, or out of all proportion, is refused" {
	head -c 9000000 /dev/zero | gzip >z.gz
	refused 'dlp-parse: z.gz: not a database, or an encrypted one' z.gz
	for z in gzip xz zstd; do
		(cat "$LENET"; head -c 90000000 /dev/zero) |
		    $z -9 -c >b 2>/dev/null
			refused 'dlp-parse: b: unpacks to more than 256 times*' b
	done
	head -c 3000 /dev/zero | zstd -q --long=31 >w.zst
	refused 'dlp-parse: w.zst: zstd data that needs more than 1 GiB*' w.zst
}
