# dlp-fmt against other readers of CSV and JSON, on a terminal, and at length.

load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	bytes=$ROOT/tests/cases/dlp-fmt/bytes-csv/in
}

# A terminal of util-linux script(1), 100 columns wide.
on_terminal() {
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
	    skip "script(1) gets no terminal here"
	script -qec "stty cols 100; $1" /dev/null </dev/null | tr -d '\r'
}

@test "a terminal gets a table of its width, a pipe TSV" {
	in=$ROOT/tests/cases/dlp-fmt/table-fit/in
	export TERM=dumb
	on_terminal "dlp-fmt $in" >got
	head -n 1 got | grep -q '^op      short  *dur_ns$'
	on_terminal "COLUMNS=40 dlp-fmt -c short,layer $in" >got
	[ "$(awk 'length($0) > 40' got | grep -vc $'\xe5')" -eq 0 ]
	dlp-fmt "$in" | head -n 1 | grep -q '^id	short'
}

@test "the header is bold on a terminal, not with NO_COLOR" {
	in=$ROOT/tests/cases/dlp-fmt/table-fit/in
	TERM=xterm on_terminal "dlp-fmt $in" | head -n 1 >got
	grep -q $'^\x1b\\[1m.*\x1b\\[0m$' got
	export NO_COLOR=1
	TERM=xterm on_terminal "dlp-fmt $in" | head -n 1 >got
	! grep -q $'\x1b' got
}

@test "a table of many rows streams, widths from the first" {
	awk 'BEGIN {
		printf "#kern\tid\tshort\n"
		for (i = 1; i <= 5000; i++)
			print "kern\t" i "\tkernels"
	}' | sed 's/^kern	4000	.*/&_with_a_name_that_is_longer/' |
	    dlp-fmt -w 80 -c id,short,tag >got
	[ "$(wc -l <got)" -eq 5001 ]
	same '4000  ker..er  kern' "$(sed -n 4001p got)"
}

@test "a key that people copy is shown whole, and -k takes it" {
	dlp-parse "$LENET" | dlp-correlate >in
	dlp-iter --list -n 6 in | dlp-fmt -T cand -w 60 >got
	# the last word of a line; keys have no blanks here
	same "$(dlp-iter --list -n 6 in | awk -F'\t' '
	    $1 == "#cand" { for (i = 2; i <= NF; i++) at[$i] = i }
	    $1 == "cand" { print $at["key"] }')" "$(awk 'NR > 1 { print $NF }' got)"
	# what is beside it is not cut for it, nor left out
	same "kind op_id dir n coverage_pct mean_ns var_pct score iter_start \
iter_stop key" "$(head -n 1 got | tr -s ' ')"
	[ "$(awk '{ print length($NF) }' got | sort -n | tail -n 1)" -gt 60 ]
	dlp-iter --strict -k "$(awk 'END { print $NF }' got)" in >/dev/null
	# other texts give way as ever
	! dlp-fmt -T op -c name,key -w 60 in | grep -q '\.\. .*|' || false
	dlp-fmt -T op -c name -w 20 in | grep -q '\.\.'
}

@test "TSV of all columns is the stream's own text" {
	dlp-parse "$LENET" >s
	dlp-fmt --tsv s >got
	sed -n 's/^#*kern	//p' s | cmp - got
}

@test "joined columns agree with SQL over the profile" {
	command -v sqlite3 >/dev/null || skip "no sqlite3"
	dlp-parse "$LENET" | dlp-agg --sort id | dlp-fmt --tsv -c corr,dur_ns,name |
	    sort >got
	sqlite3 -tabs "$LENET" 'SELECT correlationId, end - start, value
	    FROM CUPTI_ACTIVITY_KIND_KERNEL k
	    JOIN StringIds s ON s.id = k.demangledName' | sort >want
	tail -n +1 got | grep -v '^corr' | cmp - want
}

# terminal COMMAND...: what it prints on a terminal of 60 columns
terminal() {
	python3 - "$@" <<-'END'
	import os, pty, sys
	pid, fd = pty.fork()
	if pid == 0:
	    os.execvp(sys.argv[1], sys.argv[1:])
	out = b''
	while True:
	    try:
	        part = os.read(fd, 65536)
	    except OSError:
	        break
	    if not part:
	        break
	    out += part
	os.waitpid(pid, 0)
	sys.stdout.buffer.write(out.replace(b'\r', b''))
	END
}

@test "--spark: a line of bars on a terminal only" {
	export COLUMNS=60 TERM=dumb
	# 8 levels of 0 to 8: the value is the level; 0 has the lowest, - none
	printf '%s\n' '##dlp	1' '#gap	dur_ns' 'gap	'{1..8} 'gap	-' 'gap	0' '##end	10' >in
	LC_ALL=C.UTF-8 terminal dlp-fmt -T gap --spark dur_ns in >got
	same 'dur_ns  ▁▂▃▄▅▆▇█ ▁  up to 8' "$(tail -n 1 got)"
	LC_ALL=C terminal dlp-fmt -T gap --spark dur_ns in >got
	same 'dur_ns  ._-~=+*# .  up to 8' "$(tail -n 1 got)"
	LC_ALL=C.UTF-8 terminal dlp-fmt -T gap --spark dur_ns --ascii in >got
	same 'dur_ns  ._-~=+*# .  up to 8' "$(tail -n 1 got)"
	LC_ALL=C.UTF-8 dlp-fmt -T gap --spark dur_ns -w 60 in | cmp - <(dlp-fmt -T gap -w 60 in)
	LC_ALL=C.UTF-8 dlp-fmt -T gap --spark dur_ns in | cmp - <(dlp-fmt -T gap in)
	same "$(dlp-fmt -T gap -w 60 in)" "$(LC_ALL=C.UTF-8 terminal dlp-fmt -T gap --spark other in)"
	# more rows than room: a bar is the largest of its rows
	{
		printf '##dlp\t1\n#gap\tdur_ns\n'
		seq 20000 | awk '{ print "gap\t" ($1 == 15000 ? 800 : 100) }'
		printf '##end\t20000\n'
	} >in
	LC_ALL=C terminal dlp-fmt -T gap --spark dur_ns in | tail -n 1 >got
	grep -Exq 'dur_ns  \.{20,}#\.+  up to 800' got
	[ "$(wc -L <got)" -le 60 ]
	LC_ALL=C.UTF-8 terminal dlp iters "$LENET" >got
	grep -q '^step_ns  [▁▂▃▄▅▆▇█]*  up to 5.554 ms' got
	LC_ALL=C.UTF-8 terminal dlp gaps --ascii "$LENET" >got
	grep -q '^dur_ns  [-._~=+*#]*  up to ' got
	LC_ALL=C.UTF-8 dlp iters "$LENET" >got
	run grep '^step_ns  ' got
	[ "$status" -ne 0 ]
}

# op, direction and shapes are different in each row, and none has a blank.
@test "narrow tables of real profiles: no two rows look alike" {
	for p in h200/ddp2_rank0 h200/zoo h200/gpt2_bf16; do
		f=$(profile $p.sqlite.xz)
		want=$(dlp top -g shape -n 0 --tsv "$f" 2>/dev/null | sed 1d | wc -l)
		[ "$want" -gt 50 ]
		for w in 60 80; do
			dlp top -g shape -n 0 -w $w "$f" 2>/dev/null >got
			same "$p $w $want" "$p $w $(sed 1,2d got |
			    awk '{ print $1, $2, $3 }' | sort -u | wc -l)"
		done
	done
}
