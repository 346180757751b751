# Files from strangers: what dlp(7), SECURITY, promises.

# bats file_tags=long
load ../lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	umask 022
}

K=CUPTI_ACTIVITY_KIND_KERNEL

# bad SQL: the profile after that.
bad() {
	cp "$LENET" p
	sqlite3 p "$1"
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
	refused 'dlp-parse: p: *' dlp-parse p
	bad "CREATE TABLE pragma_table_info (name, type)"
	refused 'dlp-parse: p: *' dlp-parse p
	bad "CREATE TRIGGER t AFTER INSERT ON $K BEGIN DELETE FROM $K; END"
	same 208 "$(kernels p)"
}

@test "triggers in a database that is written do nothing" {
	dlp-parse "$LENET" | dlp-correlate --dlprof | dlp-flops |
	    dlp-dldb --raw -o db --tee | dlp-iter --dlprof >rest
	sqlite3 db 'CREATE TABLE hit (x)'
	for t in dictionary iteration_list kernel_iteration_node; do
		sqlite3 db "CREATE TRIGGER t_$t AFTER INSERT ON $t
		    BEGIN INSERT INTO hit VALUES ('$t'); END"
	done
	dlp-busy --dlprof rest | dlp-dldb --aggregate -o db
	same '0 208' "$(sqlite3 -separator ' ' db "SELECT
	    (SELECT count(*) FROM hit),
	    (SELECT count(*) FROM kernel_iteration_node)")"
}

@test "generated columns are refused, checks and indexes of expressions not run" {
	bad "ALTER TABLE $K ADD COLUMN
	    extra AS (length(zeroblob(100000000)))"
	refused "dlp-parse: p: $K.extra is a generated column: *" dlp-parse p
	bad "CREATE INDEX i ON $K (abs(start)) WHERE abs(end) > 0;
	    CREATE TABLE x (a CHECK (length(zeroblob(100000000)) > 0),
	        b DEFAULT (randomblob(100000000)))"
	same 208 "$(kernels p)"
}

@test "odd tables: without rowid, wide, of other types" {
	bad "CREATE TABLE k2 (start INT, end INT, deviceId, streamId,
	        contextId, correlationId PRIMARY KEY, shortName) WITHOUT ROWID;
	    DROP TABLE $K; ALTER TABLE k2 RENAME TO $K"
	refused 'dlp-parse: p: *' dlp-parse p
	cols=$(seq -f 'c%g' -s ', ' 1990)
	bad "CREATE TABLE wide ($cols); DROP TABLE NVTX_EVENTS;
	    ALTER TABLE wide RENAME TO NVTX_EVENTS;
	    INSERT INTO NVTX_EVENTS DEFAULT VALUES"
	same 208 "$(dlp-parse p 2>err | grep -c '^kern	')"
	grep -q "^dlp-parse: p: NVTX_EVENTS has no column 'start'" err
}

@test "a value that is too long: one line" {
	bad "UPDATE StringIds SET value = zeroblob(80000000)
	    WHERE id = (SELECT shortName FROM $K LIMIT 1)"
	refused 'dlp-parse: p: a value or row of more than 64 MiB' dlp-parse p
}

@test "what unpacks to no database, or out of all proportion, is refused" {
	head -c 9000000 /dev/zero | gzip >z.gz
	refused 'dlp-parse: z.gz: not a database, or an encrypted one; *' dlp-parse z.gz
	for z in gzip xz zstd; do
		(cat "$LENET"; head -c 90000000 /dev/zero) |
		    $z $([ $z = xz ] && echo -0 || echo -6) -c >b 2>/dev/null
		refused 'dlp-parse: b: unpacks to more than 256 times*' dlp-parse b
	done
	head -c 3000 /dev/zero | zstd -q --long=31 >w.zst
	refused 'dlp-parse: w.zst: zstd data that needs more than 1 GiB*' dlp-parse w.zst
}

# small FILE: the shipped profile's first step.
small() {
	[ -s "$BATS_FILE_TMPDIR/small" ] || {
		cp "$LENET" "$BATS_FILE_TMPDIR/small"
		for t in NVTX_EVENTS "$K" CUPTI_ACTIVITY_KIND_RUNTIME \
		    CUPTI_ACTIVITY_KIND_MEMCPY; do
			echo "DELETE FROM $t WHERE start > 17041000
			    OR end > 17041000;"
		done | sqlite3 "$BATS_FILE_TMPDIR/small"
		sqlite3 "$BATS_FILE_TMPDIR/small" VACUUM
	}
	cp "$BATS_FILE_TMPDIR/small" "$1"
}

# hostile FILE: that profile with texts which no format holds as they are.
hostile() {
	small "$1"
	sqlite3 "$1" <<-'EOT'
	CREATE TEMP TABLE h AS SELECT s AS soft,
	    s || char(39) || '"' || '\' || '\n' AS s FROM (SELECT ',;|||x'
	    || char(10) || 'y' || char(13) || 'z' || char(9) || char(27)
	    || '[31m' || char(155) || '2J' || char(8238) || char(8296)
	    || char(127) || char(7) || '$(touch pwned)`touch pwned```'
	    || '<script>alert(1)</script>{a="b"}%s%n' AS s);
	UPDATE StringIds SET value = '=1+1' || value || (SELECT s FROM h)
	    WHERE value <> '';
	UPDATE NVTX_EVENTS SET text = CASE WHEN text LIKE '{%' THEN replace(
	    replace(text, 'lenet', 'le' || (SELECT soft FROM h)), 'Conv2d',
	    'Conv' || (SELECT soft FROM h)) ELSE text || (SELECT s FROM h) END;
	UPDATE TARGET_INFO_GPU SET name = '=1+1' || name
	    || (SELECT s FROM h);
	UPDATE TARGET_INFO_SYSTEM_ENV SET value = '@' || value
	    || (SELECT s FROM h);
	UPDATE META_DATA_CAPTURE SET value = value || (SELECT s FROM h);
	EOT
}

# The reports; those of two files, and of no table, have words of their own. The
# program that dlp events writes of a hostile profile is in events.bats.
reports() {
	{ all_reports; all_reports dlprof; } | grep -vx events
}

# report NAME FILE OPTION...
report() {
	local name=$1 file=$2
	shift 2
	case $name in
	diff | join) dlp "$name" "$@" -- "$file" "$file" ;;
	plot) dlp plot "$@" -- steps "$file" ;;
	stats) dlp stats -r cuda_gpu_kern_sum,nvtx_sum "$@" -- "$file" ;;
	*) dlp "$name" "$@" -- "$file" ;;
	esac
}

# is_json FILE...: SQLite says so.
is_json() {
	for f; do
		same 1 "$(sqlite3 :memory: "SELECT json_valid(readfile('$f'))")"
	done
}

# quiet FILE: none of it does anything to a terminal.
quiet() {
	local bad=$'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]'

	bad+=$'|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]'
	! LC_ALL=C grep -aEm1 "$bad" "$1" || return
}

@test "a hostile profile: no report lets it near the terminal; JSON, Markdown, CSV are whole" {
	hostile p
	n=0 empty=
	for r in $(reports); do
		echo "$r"
		n=$((n + 1))
		case $r in
		stats | folded | openmetrics | trace | html | view | plot)
			report "$r" p >out 2>err
			quiet err
			# no text for a terminal
			[[ $r = @(trace|html) ]] || quiet out
			continue
			;;
		esac
		report "$r" p -w 0 >out 2>err
		quiet err
		quiet out
		report "$r" p --json >out 2>err
		is_json out
		quiet out
		# every row has the bars of the header, no HTML out of code
		report "$r" p --md >out 2>err
		quiet out
		same 1 "$(sed 's/\\|//g; s/[^|]//g' out | sort -u | wc -l)"
		same '' "$(sed 's/`[^`]*`//g' out | grep '<script' || true)"
		# as many fields in all rows, for another reader
		report "$r" p --csv --guard >out 2>err
		rows=$(sqlite3 :memory: '.import --csv out t' \
		    'SELECT count(*) > 0 FROM t' 2>&1)
		[ "$rows" = 1 ] || { same 0 "$rows"; empty+=" $r"; }
		same '' "$(grep '^[=@]\|,"\{0,1\}[=@]' out || true)"
	done
	[ ! -e pwned ]
	[ $n -gt 30 ]
	# it has neither samples of energy nor steps of an engine
	same ' collectives energy serve' "$empty"
	dlp top --xtab p >out
	quiet out
	dlp top --jsonl p >out
	same "$(wc -l <out)" "$(sqlite3 :memory: 'CREATE TABLE t (x)' \
	    '.mode ascii' '.separator "\037" "\n"' '.import out t' \
	    'SELECT sum(json_valid(x)) FROM t' '.separator "" ""')"
}

@test "a hostile profile: stacks, metrics, traces" {
	hostile p
	dlp folded p >out
	! grep -Evq '^[^	]* [0-9]+$' out || false
	quiet out
	dlp openmetrics p >out
	label='[a-z_]+="([^"\]|\\["\n]|\\\\)*"'
	! grep -Evq "^(# .*|[a-z_]+(\{($label,?)*\})? [-+0-9.e]+( [0-9.]+)?)\$" out || false
	dlp trace p >out
	is_json out
	quiet out
	for k in steps memory roofline ranks; do
		dlp plot $k p >out
		xmllint --noout out
		quiet out
	done
}

@test "a hostile profile: DLProf's reports and database hold its texts" {
	hostile p
	dlprof --database=p --output_path=o --reports=all --formats=csv,json \
	    --dump_model_data=true >out 2>err
	quiet out
	quiet err
	[ ! -e pwned ]
	is_json o/*.json
	# in CSV the name is one field, of the second fact
	sed -n '2,/^$/p' o/dlprof_summary.csv >out
	same "$(sqlite3 p "SELECT replace(replace(replace(name, char(27),
	    '\x1b'), char(127), '\x7f'), char(7), '\x07')
	    FROM TARGET_INFO_GPU")" \
	    "$(sqlite3 :memory: 'CREATE TABLE t (k, v)' \
		'.import --csv out t' "SELECT v FROM t
		WHERE k = 'GPU Name(s)'" 2>/dev/null)"
	# in JSON U+FFFD stands for what turns text
	same "$(sqlite3 p "SELECT replace(replace(name, char(155),
	    char(65533)), char(8238, 8296), char(65533))
	    FROM TARGET_INFO_GPU")" \
	    "$(sqlite3 :memory: \
		"SELECT json_extract(readfile('o/dlprof_summary.json'),
		'\$.\"System Config\"[0].\"GPU Name(s)\"')")"
	db=$(ls o/*dldb*.sqlite)
	same ok "$(sqlite3 "$db" 'PRAGMA integrity_check')"
	[ "$(sqlite3 "$db" "SELECT count(*) FROM dictionary
	    WHERE instr(string, char(27) || '[31m' || char(155)) > 0")" -gt 0 ]
	# and it is read again
	dlp summary -w 0 "$db" >out 2>err
	quiet out
	quiet err
	# simple mode, and domains that are not there
	dlprof --database=p --mode=simple --reports=all --formats=csv,json \
	    --output_path=simple >out 2>err
	quiet out
	quiet err
	is_json simple/*.json
	for d in 'a\n\033b' $'x\n\ey'; do
		! dlprof --database=p --domains="$d" --output_path=o2 >out 2>err || false
		quiet err
		grep -q 'no op in the domain' err
	done
}

@test "a hostile profile: a .dict of it, and PyProf's columns" {
	hostile p
	pyprof-parse p >out 2>err
	quiet out
	quiet err
	same "$(sqlite3 p "SELECT count(*) FROM $K")" "$(grep -c '^{.*}$' out)"
	# the names come back as they were
	mv out p.dict
	names() {
		dlp-parse "$1" | awk -F '\t' '/^#kern/ { for (i in a) delete a[i]
		    for (i = 1; i <= NF; i++) a[$i] = i }
		    $1 == "kern" { print $a["short"] }' | sort
	}
	same "$(names p)" "$(names p.dict)"
	for how in '' '-w 100' '-c all' --pyprof-compat; do
		# shellcheck disable=SC2086 # words
		pyprof-prof $how p >out 2>err
		quiet out
		quiet err
	done
	pyprof-prof --csv -c all p >out
	same 1 "$(sqlite3 :memory: '.import --csv out t' \
	    'SELECT count(*) > 0 FROM t' 2>&1)"
}

# Names that a shell, awk, printf, make or a terminal takes for something.
NAMES=($'a b\'c"d\nl\te' '$(touch pwned)`touch pwned`;touch pwned&|<>'
    '*?[a-z]%s%n#{}~!' -n x=y 'back\n\\t\101\' $'\e[31m\xc2\x9b\xff'
    "$(printf 'long%.0s' {1..60})")

# bats test_tags=all
@test "names of files: every report is that of a plain name" {
	small plain
	for r in $(reports); do
		case $r in
		overview | openmetrics | html | view | plot) continue ;; # they print it
		esac
		form=(--csv)
		case $r in folded | trace) form=() ;; esac
		report "$r" plain "${form[@]}" >want 2>err
		for n in "${NAMES[@]}"; do
			echo "$r of $n"
			ln -f plain "./$n"
			report "$r" "$n" "${form[@]}" 2>err |
			    sed '1s/of .*/of plain/' >got
			quiet err
			if [[ $r != @(join|ranks) ]]; then
				cmp want got
			else # a column, or a row, is named after it
				cp plain other
				same "$(wc -l <want)" "$(dlp "$r" --json -- "$n" \
				    ./other >got 2>err; wc -l <want)"
				is_json got
			fi
			[ ! -e pwned ]
			rm -f "./$n"
		done
	done
}

# bats test_tags=all
@test "names of files: the overview and the metrics print them harmlessly" {
	small plain
	for n in "${NAMES[@]}"; do
		echo "$n"
		ln -f plain "./$n"
		dlp overview -w 100 -- "$n" >out 2>err
		quiet out
		# a line that is wrapped where the name ends; a long name takes the
		# place of the last op
		same "$(dlp overview -w 100 plain 2>/dev/null |
		    sed '/^  [a-z0-9]* forward /d; 1,/^GPU /d; s/ plain$/ FILE/')" \
		    "$(sed '/^  [a-z0-9]* forward /d; 1,/^GPU /d
			s/^\(next:\|     \) \(dlp [a-z]*\) .*/\1 \2 FILE/' \
			out)"
		dlp openmetrics -- "$n" >out 2>err
		same "$(dlp openmetrics plain 2>/dev/null | wc -l)" \
		    "$(wc -l <out)"
		dlp overview --json -- "$n" "./$n" >out
		is_json out
		rm "./$n"
		for how in top overview diff; do
			! dlp $how -- "$n" 2>err >out || false
			quiet err
			same 1 "$(wc -l <err)"
		done
	done
	[ ! -e pwned ]
}

# Echo of dash would make control characters of the second name's letters.
@test "names of files: dlp view prints them harmlessly, and so does the page's title" {
	small plain
	mkdir tmp
	for n in $'\033[31mx\342\200\256gpj' '\033[31mRED\007' $'\033[31m\007' '-n a\c'; do
		ln plain "./$n"
		BROWSER=true TMPDIR=$PWD/tmp dlp view -- "$n" >out
		quiet out
		same "dlp view: $PWD/tmp/dlp-view.*/*.html" "$(sed 's|view\.[^/]*/.*[.]|view.*/*.|' out)"
		sed -n 's|.*<title>\(.*\)</title>.*|\1|p' tmp/dlp-view.*/*.html >title
		quiet title
		LC_ALL=C run -1 grep '[^ -~]' title
		dlp-html -d -f "$n" <<<$'##dlp\t1\n##end\t0' | jq -r .title | cmp - title
		rm -r "./$n" tmp/*
	done
	# text that is harmless stays
	same "<title>é \\n &lt;b&gt;</title>" "$(dlp html --title 'é \n <b>' plain |
	    grep -ao '<title>.*</title>')"
}

# bats test_tags=all
@test "names of files: streams, dlprof, pyprof-parse, pyprof-prof" {
	small plain
	dlp-parse plain | dlp-correlate | dlp-iter -k iteration |
	    dlp-flops >plain.dlp
	want=$(dlp diff --csv plain.dlp plain.dlp)
	pyprof-parse plain >want.parse
	pyprof-prof --csv plain >want.prof
	dlprof --database=plain --output_path=o --reports=all 2>/dev/null
	for n in "${NAMES[@]}"; do
		echo "$n"
		ln -f plain.dlp "./$n"
		same "$want" "$(dlp diff --csv -- "$n" "$n")"
		ln -f plain "./$n"
		cmp want.parse <(pyprof-parse -- "$n")
		cmp want.prof <(pyprof-prof --csv -- "$n")
		rm -rf o2
		TMPDIR=$PWD dlprof --database="$n" --output_path=o2 \
		    --reports=all >out 2>err
		quiet err
		for f in o/*.csv; do
			cmp "$f" "o2/${f##*/}"
		done
		rm "./$n"
		# and where the files go
		[ ${#n} -gt 200 ] || {
			dlprof --database=plain --output_path="./$n" \
			    --reports=summary >out 2>err
			quiet err
			cmp o/dlprof_summary.csv "./$n/dlprof_summary.csv"
			rm -r "./$n"
		}
	done
	[ ! -e pwned ]
}

@test "names of files: make rules, a folder with blanks for temporary files" {
	small plain
	mkdir 'tmp $(x) d'
	xz -k plain
	TMPDIR="$PWD/tmp \$(x) d" dlp top --csv plain.xz >out
	cmp out <(dlp top --csv plain)
	[ -z "$(ls 'tmp $(x) d')" ]
	mkdir d && cd d
	odd=('a;touch${IFS}pwned' '$(touch${IFS}pwned)' 'x=$(shell,touch)')
	for n in "${odd[@]}" '`touch`' "q'q\"<>" -k; do
		ln -f ../plain "./$n.sqlite"
	done
	rc=0
	env -u MAKEFLAGS -u MAKELEVEL make -s -k -f \
	    "$ROOT/pipelines/dlp-batch.mk" 2>err || rc=$?
	[ $rc -eq 2 ]
	for n in "${odd[@]}"; do
		grep -qxF -- "$n: make cannot take that name" err
	done
	[ ! -e pwned ]
	[ ! -e touch ]
	for n in '`touch`' "q'q\"<>" -k; do
		cmp "./$n.top.csv" ../out
	done
	# one at a time
	env -u MAKEFLAGS -u MAKELEVEL make -s -f \
	    "$ROOT/pipelines/dlp-batch.mk" 'a;touch${IFS}pwned.ops.csv'
	cmp './a;touch${IFS}pwned.ops.csv' <(dlp ops --csv ../plain)
	[ ! -e pwned ]
}

@test "names of files: parallel.sh" {
	command -v parallel >/dev/null || skip "no parallel"
	small plain
	dlp top --csv plain >want 2>/dev/null
	for n in "a b'c\"d" '$(touch pwned)`touch pwned`;touch pwned&|<>' \
	    '*?[a-z]' -n x=y 'back\n\t\'; do
		ln plain "./$n.sqlite"
	done
	# shellcheck disable=SC2035 # on purpose
	sh "$ROOT/pipelines/batch/parallel.sh" top 'o ut' ./*.sqlite
	same 6 "$(find 'o ut' -name '*.csv' -exec cmp -s want {} \; -print |
	    wc -l)"
	[ ! -e pwned ]
	ln plain $'a\nb.sqlite'
	! sh "$ROOT/pipelines/batch/parallel.sh" top o2 ./a*b.sqlite 2>err || false
	same 1 "$(wc -l <err)"
}

@test "dlprof runs the command as it was given" {
	small plain.sqlite
	fake_nsys plain.sqlite
	cat >bin/prog <<-'EOT'
	#!/bin/sh
	for a; do printf '<%s>' "$a"; done >args
	EOT
	chmod +x bin/prog
	dlprof --output_path='o ut' prog "${NAMES[@]}" '' -- \
	    --force >out 2>err
	same "$(for a in "${NAMES[@]}" '' -- --force; do printf '<%s>' "$a"
	    done)" "$(cat args)"
	[ ! -e pwned ]
	quiet err
}
