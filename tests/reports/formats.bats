# Ways out: dlp-fmt --sqlite, dlp sqlite, and the order and columns of tables.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	RESNET=$ROOT/tests/data/resnet-before.sqlite.xz
}

@test "dlp-fmt --sqlite: what fails leaves no file" {
	run -2 dlp-fmt --sqlite none/x.db s.dlp
	dlp-parse "$LENET" | head -n 50 | run -2 dlp-fmt --sqlite x.db
	[ ! -e x.db ]
	same '' "$(find . -name 'x.db*')"
	run -2 dlp-fmt --sql run -T kern "$LENET"
	dlp-parse "$LENET" >l.dlp
	run -2 dlp-fmt -T nope --sqlite x.db l.dlp
	[[ "$output" == *"no record type 'nope'"* ]]
	[ ! -e x.db ]
}

@test "dlp sqlite: the manual has ten queries, and names each column" {
	dlp sqlite -o run.db "$RESNET" 2>/dev/null
	same 10 "$(awk '/^SELECT/, /;$/' "$ROOT/man/dlp-sqlite.7" | grep -c ';$')"
	sqlite3 run.db '.tables' | xargs -n 1 | while read -r t; do
		sed -n "/^\.It Cm $t\$/,/^\.It\|^\.El/p" "$ROOT/man/dlp-sqlite.7" |
		    tr -d '\n' | grep -o '^.It Cm [a-z_]*[a-z_, ]*\.' |
		    sed "s/^.It Cm $t//; s/\.\$//; s/, */\n/g" >page
		sqlite3 run.db "SELECT name FROM pragma_table_info('$t')" | diff page -
	done
}

@test "dlp sqlite refuses its own input, several files, and no -o" {
	cp "$LENET" a.sqlite
	run -2 --separate-stderr dlp sqlite -o a.sqlite a.sqlite
	same 'dlp sqlite: a.sqlite: the pipeline reads this file, so it cannot write it' "$stderr"
	cmp a.sqlite "$LENET"
	run -2 dlp sqlite a.sqlite
	run -2 dlp sqlite -o b a.sqlite a.sqlite
	[ ! -e b ]
	# only its own databases are replaced: not a profile, a text, a database of another
	cp "$LENET" other.sqlite
	echo precious >text
	dlp-parse "$LENET" | dlp-fmt --sqlite records.db
	for f in other.sqlite text records.db; do
		cp $f before
		run -2 --separate-stderr dlp sqlite -o $f a.sqlite
		same "dlp sqlite: $f: dlp sqlite did not write this, so it is not replaced" "$stderr"
		cmp $f before
	done
	: >b
	dlp sqlite -o b -i 0 a.sqlite 2>/dev/null
	dlp sqlite -o b a.sqlite 2>/dev/null
	same "3 dlpR" "$(sqlite3 b 'SELECT count(*) FROM steps' | tr '\n' ' ')$(head -c 72 b | tail -c 4)"
}

@test "a report of several tables takes -t" {
	cmp <(dlp gaps -s "$LENET" 2>/dev/null) <(dlp gaps -t total "$LENET" 2>/dev/null)
	cmp <(dlp phases "$LENET" 2>/dev/null) <(dlp phases -t phase "$LENET" 2>/dev/null)
}

@test "dlp-fmt --sql run of a stream that lacks records" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	dlp-parse -T kern,str "$LENET" | dlp-fmt --sqlite k.db --sql run
	[ "$(sqlite3 k.db 'SELECT count(*) FROM kernels')" = \
	    "$(sqlite3 "$LENET" 'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')" ]
	[ "$(sqlite3 k.db 'SELECT count(*) FROM ops')" = 0 ]
}

# Against sort(1): each report with a table, two of them of several files.
@test "-c and --sort choose the columns and the order of the rows" {
	cp "$LENET" other.sqlite
	while read -r report by files; do
		dlp $report --tsv $files 2>err >all
		n=$(head -n 1 all | tr '\t' '\n' | grep -nx "$by" | cut -d : -f 1)
		dlp $report -q -c "$by" --sort "-$by" $files >got
		{ echo "$by"; sed 1d all | cut -f "$n" | LC_ALL=C sort -rg; } | diff - got
		[ "$(wc -l <got)" -gt 2 ]
		case $report in mfu | overview) continue ;; esac
		dlp $report -q -c "$by" --sort "$by" -n 2 $files >first
		{ echo "$by"; sed 1d got | LC_ALL=C sort -g | head -n 2; } | diff - first
	done <<-EOF
	top n $LENET
	gaps dur_ns $LENET other.sqlite
	mfu step_ns $LENET other.sqlite
	overview n_kern $LENET $ROOT/tests/data/resnet-after.sqlite.xz
	EOF
}
