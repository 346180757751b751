# dlp FILE: the overview; its numbers are in tests/cases/dlp/overview-*.

bats_require_minimum_version 1.5.0

# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# col FILE NAME: a column of the row.
col() {
	awk -F'\t' -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i }
	NR == 2 { print $a[c] }' "$1"
}

# row_of DB [OPTIONS]: the database's row in the overview, to the file got.
row_of() {
	dlp --tsv "$@" >got 2>/dev/null
	same "$1" "$(col got file)"
	same ok "$(col got status)"
}

# bats test_tags=more
@test "a profile without GPU work, and one without times" {
	need_data nsys/no-events.sqlite
	need_data nvprof/lm-pyprof.dict
	row_of "$DATA/nsys/no-events.sqlite"
	same '- - - - -' "$(col got n_gpu) $(col got wall_ns) \
$(col got idle_ns) $(col got work_ns) $(col got eligible_ns)"
	dlp -v "$DATA/nsys/no-events.sqlite" 2>/dev/null >text
	grep 'no GPU work.*nsys profile' text
	row_of "$DATA/nvprof/lm-pyprof.dict"
	same '- -' "$(col got wall_ns) $(col got idle_ns)"
	same "$(dlp top -g device --tsv "$DATA/nvprof/lm-pyprof.dict" \
	    2>/dev/null | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) a[$i] = i; next }
	{ s += $a["sum_dur_ns"] } END { print s }')" "$(col got work_ns)"
	# what the screen tells to type works; no step is to be named
	dlp -v "$DATA/nvprof/lm-pyprof.dict" >text 2>err
	run ! grep -e '-k' text err
	sed -n '/^next/,$ { s/^next: *//p; s/^      \(dlp .*\)/\1/p; }' text >next
	[ -s next ]
	while read -r line; do
		sh -c "$line" >/dev/null 2>&1
	done <next
	run ! grep 'dlp advise' text
	grep -q 'checks lack data: this file has no times' text
}

# bats test_tags=more
@test "a .dict: what is said to work with it does, and all that does is said" {
	need_data nvprof/lm-pyprof.dict
	f=$DATA/nvprof/lm-pyprof.dict
	run -2 dlp phases "$f"
	same "$(sed -n 's/.*works with it: dlp FILE, dlp //p' <<<"$output" |
	    tr -d , | tr ' ' '\n' | sort)" \
	    "$(cd "$ROOT/pipelines/reports" && grep -l kernels_do=1 [a-z]* \
		2>/dev/null | grep -v -e overview -e '\.sh$' | sort)"
	for r in top kernels flops roofline tc coverage advise devices folded info; do
		dlp $r "$f" >/dev/null 2>&1
	done
}

# bats test_tags=more
@test "a GPU that nobody uses is not idle time" {
	need_data nsys/cloverleaf-3.13.2.sqlite
	f=$DATA/nsys/cloverleaf-3.13.2.sqlite
	row_of "$f"
	same 1 "$(col got n_gpu)"
	same "$(col got wall_ns)" $(($(col got kern_ns) + $(col got mem_ns) + \
	    $(col got idle_ns)))
	dlp -v "$f" 2>/dev/null | grep '^GPU  *4 x NVIDIA A100.* (1 used)'
}

# fit_a_terminal N FIND-OPTION...: the screens of profiles in tests/data, at least N.
fit_a_terminal() {
	local f n=0 least=$1

	shift
	while read -r f; do
		case $f in
		*.dlp.xz) xz -dc "$f" | dlp - >text 2>err || continue ;;
		# damaged ones are refused
		*) dlp "$f" >text 2>err || continue ;;
		esac
		echo "$f: $(wc -l <text) lines of $(wc -L <text)"
		[ "$(wc -l <text)" -le 30 ]
		[ "$(wc -L <text)" -le 80 ]
		[ -s text ]
		n=$((n + 1))
	done < <(find "$ROOT/tests/data" "$@" \( -name '*.sqlite.xz' -o \
	    -name '*.dlp.xz' -o -name '*.json.gz' \) | sort)
	[ "$n" -ge "$least" ]
}

@test "the screen: at most 30 lines of 80 columns" {
	fit_a_terminal 7 -maxdepth 1
}

# bats test_tags=all
@test "the screen: at most 30 lines of 80 columns, of every profile" {
	fit_a_terminal 44
}

@test "the screen: bold and a color on a terminal only, or as --color says" {
	dlp --color=never "$LENET" >plain
	dlp "$LENET" | cmp plain -
	dlp --color=always "$LENET" >styled
	grep -q "^$(printf '\033')\[1m" styled
	sed "s/$(printf '\033')\[[0-9;]*m//g" styled | cmp plain -
	for w in '' NO_COLOR=1 TERM=dumb; do
		env TERM=xterm $w script -qec "dlp '$LENET'" /dev/null >tty
		if [ -z "$w" ]; then
			grep -q "$(printf '\033')\[1m" tty
		else
			! grep -q "$(printf '\033')\[1m" tty || false
		fi
	done
	# as wide as the terminal, at most 120 columns
	for w in 60 100 150; do
		script -qec "stty cols $w; (dlp --color=never '$LENET'; dlp advise -a '$LENET') 2>/dev/null" /dev/null </dev/null |
		    tr -d '\r' | awk 'length > n { n = length } END { print n }' >tty
		[ "$(<tty)" -le $((w < 120 ? w : 120)) ]
		[ "$(<tty)" -gt $((w < 120 ? w - 20 : 100)) ]
	done
	run -2 dlp --color=red "$LENET"
	same "dlp overview: --color: 'red' is not auto, always or never" "$output"
}

@test "a file's name or a report's" {
	cp "$LENET" profile
	dlp profile >got
	dlp overview profile >want
	cmp want got
	dlp -v profile >got
	dlp overview -v profile >want
	cmp want got
	grep '^next: dlp [a-z]* ' got
	[ "$(dlp profile -w 40 | wc -L)" -le 40 ]
	dlp -w 40 profile | diff <(dlp profile -w 40) -
	# but for what to type next
	dlp -v -k iteration profile | sed 's/^\(next:\|     \) dlp \(.*\) -k iteration/\1 dlp \2/' |
	    diff want -
	run -2 --separate-stderr dlp --tsv </dev/null
	[[ $stderr == 'dlp overview: which profile? usage: dlp overview '* ]]
	# without a file, what is piped
	dlp --tsv <profile >got
	dlp --tsv - <profile | diff - got
	cp "$LENET" $'a b\'c\n\td'
	dlp --tsv $'a b\'c\n\td' >got
	same "a b'c\\n\\td" "$(col got file)"
}

@test "names that JSON must escape" {
	n=$'a "q\\u0000\\ \t name.sqlite'
	cp "$LENET" "$n"
	dlp --json -- "$n" >out 2>/dev/null
	python3 -c 'import json, sys; d = json.load(open("out"))
assert d["file"] == sys.argv[1], d["file"]' "$n"
	dlp --json "$LENET" 2>/dev/null | jq -S 'del(.file)' >want
	jq -S 'del(.file)' out | cmp want -
	dlp --json - <"$LENET" 2>/dev/null | jq -S 'del(.file)' | cmp want -
}

# bats test_tags=all
@test "three hundred files, a row each" {
	mkdir many
	for i in $(seq 297); do
		ln -s "$LENET" many/$i.sqlite
	done
	: >many/empty.sqlite
	head -c 9000 "$LENET" >many/broken.sqlite
	rc=0
	dlp --tsv many/*.sqlite many/missing.sqlite >got 2>err || rc=$?
	same 2 $rc
	same 300 "$(sed 1d got | wc -l)"
	same 300 "$(sed 1d got | cut -f1 | sort -u | wc -l)"
	same 'broken empty missing' "$(awk -F'\t' '$2 == "failed" {
		gsub(/many.|.sqlite/, "", $1); print $1 }' got | paste -sd' ')"
	same 297 "$(cut -f 2- got | grep -c ^ok)"
	same 1 "$(cut -f 2- got | grep ^ok | sort -u | wc -l)"
}

@test "many files: rows as they come, in order, several files at a time" {
	jax=$(profile h200/jax_step.sqlite.xz)
	mkfifo late rows
	dlp -j 3 --tsv "$jax" late "$LENET" >rows 2>err &
	exec 7<rows
	# the second file is not written before the first row has been read
	read -r -t 60 head <&7
	same file "${head%%$'\t'*}"
	read -r -t 60 first <&7
	same "$jax" "${first%%$'\t'*}"
	timeout 60 cat "$LENET" >late
	{ printf '%s\n' "$head" "$first"; cat <&7; } >got
	exec 7<&-
	wait
	same "file $jax late $LENET" "$(cut -f1 got | paste -sd' ')"
	ln -s "$LENET" late2
	dlp --tsv "$jax" late2 "$LENET" 2>/dev/null | sed 's/^late2/late/' | cut -f1-3,5- >want
	cut -f1-3,5- got | diff want -
	! dlp -j 0 "$jax" "$LENET" 2>err || false
	printf '%s\n' "dlp overview: -j: bad number of files '0'; it is 1 to 999" | diff - err
}
