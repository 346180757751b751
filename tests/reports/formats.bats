# Ways out: dlp-fmt --sqlite, dlp sqlite, --null, -f, dlp folded --pprof, and
# expressions of dlp-agg. Other programs read the results.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	RESNET=$ROOT/tests/data/resnet-before.sqlite.xz
}

@test "dlp-fmt --sqlite: each record, with the types of the registry and NULL" {
	for f in "$LENET" "$ROOT/tests/data/h200/gpt2_bf16.sqlite.xz"; do
		dlp-parse "$f" | dlp-correlate | dlp-iter -k iteration 2>/dev/null | dlp-flops >s.dlp
		rm -f s.db
		dlp-fmt --sqlite s.db s.dlp
		python3 - <<-'END'
		import json, sqlite3
		db = sqlite3.connect('s.db')
		legend, rows = {}, {}
		def undo(s):
		    if s == '-': return None
		    out, i = [], 0
		    while i < len(s):
		        if s[i] != '\\': out.append(s[i]); i += 1; continue
		        c = s[i + 1]
		        if c == 'x': out.append(chr(int(s[i + 2:i + 4], 16))); i += 4
		        else: out.append({'t': '\t', 'n': '\n', 'r': '\r'}.get(c, c)); i += 2
		    return ''.join(out)
		for line in open('s.dlp', encoding='utf-8'):
		    w = line.rstrip('\n').split('\t')
		    if w[0].startswith('##'): continue
		    if w[0].startswith('#'): legend[w[0][1:]] = w[1:]
		    else: rows.setdefault(w[0], []).append([undo(x) for x in w[1:]])
		tables = {t for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
		assert tables >= set(rows), (tables, set(rows))
		for t in rows:
		    names = [c[1] for c in db.execute('PRAGMA table_info("%s")' % t)]
		    types = {c[1]: c[2] for c in db.execute('PRAGMA table_info("%s")' % t)}
		    assert names == legend[t], (names, legend[t])
		    for name in names:
		        if name.endswith(('_ns', 'bytes', '_id')):
		            assert types[name] == 'INTEGER', (t, name, types[name])
		    got = list(db.execute('SELECT * FROM "%s" ORDER BY rowid' % t))
		    assert len(got) == len(rows[t]), t
		    for g, r in zip(got, rows[t]):
		        for x, y, name in zip(g, r, names):
		            if types[name] == 'INTEGER' and y is not None:
		                assert x == int(y), (t, name, x, y)
		            elif types[name] == 'REAL' and y is not None:
		                assert x == float(y)
		            else:
		                assert x == y, (t, name, x, y)
		assert db.execute('SELECT count(*) FROM kern WHERE op_id IS NULL').fetchone()[0] >= 0
		END
	done
	# sections: ids are unique in each
	{ dlp-parse "$LENET"; dlp-parse "$RESNET"; } | dlp-fmt --sqlite two.db -T kern,dev
	same "dev kern" "$(sqlite3 two.db '.tables' | xargs)"
	dlp-parse "$RESNET" | dlp-fmt --sqlite one.db -T kern
	same "$(sqlite3 one.db 'SELECT count(*), sum(dur_ns) FROM kern')" \
	    "$(sqlite3 two.db 'SELECT count(*), sum(dur_ns) FROM kern WHERE section = 2')"
}

@test "dlp-fmt --sqlite: what fails leaves no file" {
	run -2 dlp-fmt --sqlite none/x.db s.dlp
	dlp-parse "$LENET" | head -n 50 | run -2 dlp-fmt --sqlite x.db
	[ ! -e x.db ]
	same '' "$(find . -name 'x.db*')"
	run -2 dlp-fmt --sql run -T kern "$LENET"
}

@test "dlp sqlite: its sums are those of the reports; ten queries of the manual" {
	for f in "$RESNET" "$ROOT/tests/data/h200/gpt2_bf16.sqlite.xz" \
	    "$ROOT/tests/data/ddp0.sqlite.xz"; do
		rm -f run.db
		dlp sqlite -o run.db "$f" 2>/dev/null
		dlp --json "$f" >doc 2>/dev/null
		dlp top --json -n 0 -g type "$f" >top 2>/dev/null
		python3 - <<-'END'
		import json, sqlite3
		db = sqlite3.connect('run.db')
		one = lambda q: db.execute(q).fetchone()
		doc = json.load(open('doc'))
		assert one('SELECT count(*) FROM steps')[0] == doc['n_step']
		assert abs(one('SELECT avg(step_ns) FROM steps')[0] - doc['step_ns']) <= 1
		assert one('SELECT count(*) FROM kernels WHERE step IS NOT NULL')[0] == doc['n_kern'], doc['n_kern']
		work = one('SELECT (SELECT sum(dur_ns) FROM kernels WHERE step IS NOT NULL) + '
		    '(SELECT coalesce(sum(dur_ns), 0) FROM copies WHERE step IS NOT NULL)')[0]
		assert work == doc['work_ns'], (work, doc['work_ns'])
		eligible = one("SELECT coalesce(sum(dur_ns), 0) FROM kernels WHERE step IS NOT NULL"
		    " AND tc = 'no' AND tc_eligible = 'yes' AND tc_why IS NOT NULL")[0]
		assert eligible == doc['eligible_ns'], (eligible, doc['eligible_ns'])
		idle = one('SELECT sum(dur_ns) FROM gaps WHERE step IS NOT NULL')[0]
		assert idle == sum(c['ns'] for c in doc['idle']), idle
		found = {f: g for f, g in db.execute("SELECT finding, gain_ns FROM findings"
		    " WHERE verdict = 'found' AND part_of IS NULL")}
		assert found == {f['id']: f['gain_ns'] for f in doc['findings']}
		for r in json.load(open('top')):
		    if r['op'] is None or r['dir'] not in ('fprop', 'bprop'): continue
		    q = ('SELECT sum(dur_ns) FROM (SELECT op_id, dur_ns, phase FROM kernels UNION ALL'
		         ' SELECT op_id, dur_ns, phase FROM copies) JOIN ops USING (op_id)'
		         " WHERE type = ? AND dir = ? AND phase IS NOT 'optimizer'")
		    got = db.execute(q, (r['op'], r['dir'])).fetchone()[0]
		    assert got == r['sum_dur_ns'], (r, got)
		# every id leads somewhere
		for t, c, u in (('kernels', 'op_id', 'ops'), ('kernels', 'run_id', 'op_runs'),
		                ('op_runs', 'op_id', 'ops'), ('kernels', 'step', 'steps'),
		                ('ops', 'fwd_op_id', 'ops')):
		    key = {'ops': 'op_id', 'op_runs': 'run_id', 'steps': 'step'}[u]
		    n = one('SELECT count(*) FROM %s WHERE %s IS NOT NULL AND %s NOT IN '
		            '(SELECT %s FROM %s)' % (t, c, c, key, u))[0]
		    assert n == 0, (t, c, n)
		END
	done
	dlp sqlite -o run.db "$RESNET" 2>/dev/null
	awk '/^SELECT/, /;$/' "$ROOT/man/dlp-sqlite.7" >queries
	same 10 "$(grep -c ';$' queries)"
	awk 'BEGIN { RS = ";\n" } { print $0 ";" >("q" NR) }' queries
	for q in q?*; do
		[ "${q#q}" -gt 0 ] 2>/dev/null || continue
		sqlite3 -header run.db <"$q" >out
		cat "$q" out
		[ "$(wc -l <out)" -ge 2 ]
	done
	# the page names each column
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

@test "dlp-fmt -f and --null" {
	dlp-parse "$LENET" | dlp-correlate | dlp-iter -k iteration 2>/dev/null >s.dlp
	dlp-fmt -T kern --tsv -c iter,node,dur_ns s.dlp | sed 1d >want
	dlp-fmt -f '%iter\t%node\t%dur_ns\n' s.dlp | cmp want -
	dlp-fmt -f '%{iter}\t%{node}\t%dur_ns\n' s.dlp | cmp want -
	dlp-fmt -f '%iter%%|%op\\\n' s.dlp | head -n 1 | grep -x '[0-9-]*%|[a-z0-9_-]*\\'
	grep -q "$(printf '\t-\t')" want
	# a line ends where the format says so
	same "$(dlp-fmt -T kern -f '%corr\n' s.dlp | wc -l) 0" \
	    "$(grep -c '^kern' s.dlp) $(dlp-fmt -T kern -f '%corr,' s.dlp | wc -l)"
	dlp-fmt --null NA -f '%iter\t%node\t%dur_ns\n' s.dlp |
	    cmp <(sed 's/^-\t/NA\t/; s/\t-\t/\tNA\t/' want) -
	dlp-fmt -T kern --csv --null NULL -c iter,node s.dlp >c.csv
	python3 -c "import csv; r = list(csv.reader(open('c.csv')))
w = [l.rstrip('\n').split('\t')[:2] for l in open('want')]
assert r[1:] == [['NULL' if x == '-' else x for x in l] for l in w]"
	dlp gaps --csv --null NA "$LENET" >na.csv
	grep -q ',NA,\|,NA$' na.csv
	dlp gaps --csv --null '' "$LENET" >none.csv # as csv.writer writes None
	sed ':a;s/,NA,/,,/;ta;s/,NA$/,/' na.csv | cmp none.csv
	for bad in 'x' '%' '%{' '%{iter' '%%'; do
		run -2 dlp-fmt -f "$bad" s.dlp
	done
	run -2 dlp-fmt --json --null x s.dlp
}

@test "op_name is op.name" {
	dlp-parse "$LENET" | dlp-correlate >s.dlp
	cmp <(dlp-fmt -T kern --tsv -c op.name,op.shapes,op_id s.dlp | sed 1d) \
	    <(dlp-fmt -T kern --tsv -c op_name,op_shapes,op_id s.dlp | sed 1d)
	cmp <(dlp-agg -g op.name -a sum s.dlp | dlp-fmt --tsv | sed 1d) \
	    <(dlp-agg -g op_name -a sum s.dlp | dlp-fmt --tsv | sed 1d)
	cmp <(dlp-agg -g op.name -a sum s.dlp | dlp-fmt --tsv -c op_name,sum_dur_ns) \
	    <(dlp-agg -g op_name -a sum s.dlp | dlp-fmt --tsv)
}

@test "dlp-agg --where with && || and parentheses, by SQL" {
	dlp-parse "$LENET" | dlp-correlate >s.dlp
	dlp-fmt --sqlite s.db s.dlp
	while IFS='|' read -r cond sql; do
		cond=${cond//@/|}
		sql=${sql//@/|}
		echo "$cond"
		same "$(sqlite3 s.db "SELECT count(*) FROM kern WHERE $sql")" \
		    "$(dlp-agg -T kern -a count --where "$cond" s.dlp | sed -n 's/^agg\t//p')"
	done <<-'END'
	op == conv2d @@ op == linear|op = 'conv2d' OR op = 'linear'
	op == conv2d @@ op == linear && dir == bprop|op = 'conv2d' OR op = 'linear' AND dir = 'bprop'
	(op == conv2d @@ op == linear) && dir == bprop|(op = 'conv2d' OR op = 'linear') AND dir = 'bprop'
	((dur_ns>5us)&&((op==conv2d)@@stream<0))|dur_ns > 5000 AND (op = 'conv2d' OR stream < 0)
	short ~ (gemm@conv) && dur_ns <= 20us|(short LIKE '%gemm%' OR short LIKE '%conv%') AND dur_ns <= 20000
	short ~ ^(v@r).*l|short LIKE 'v%l%' OR short LIKE 'r%l%'
	END
	for bad in '(op == a' 'op == a @@ ' '@@ op == a' '()' '(op == a) b'; do
		run -2 dlp-agg -T kern -a count --where "${bad//@/|}" s.dlp
	done
}

@test "dlp-agg -c name=expression, by SQL" {
	dlp-parse "$LENET" | dlp-correlate >s.dlp
	dlp-fmt --sqlite s.db s.dlp
	dlp-agg -T kern -c 'end=start_ns+dur_ns,late=start_ns-(api_start_ns+api_dur_ns),us=dur_ns/1000:1,x=2*dur_ns-dur_ns/2,z=dur_ns/0' \
	    s.dlp | dlp-fmt -T kern --tsv | sed 1d >got
	sqlite3 -separator "$(printf '\t')" s.db "SELECT start_ns + dur_ns,
	    coalesce(start_ns - (api_start_ns + api_dur_ns), '-'),
	    printf('%.1f', dur_ns / 1000.0), printf('%.3f', 2 * dur_ns - dur_ns / 2.0), '-'
	    FROM kern ORDER BY rowid" >want
	# a half can be rounded either way
	python3 - <<-'END'
	for a, b in zip(open('got'), open('want')):
	    a, b = a.split(), b.split()
	    assert a[:2] == b[:2] and a[3:] == b[3:], (a, b)
	    assert abs(float(a[2]) - float(b[2])) < 0.11, (a, b)
	END
	same "$(wc -l <want)" "$(wc -l <got)"
	for bad in 'x=(dur_ns' 'x=dur_ns)' 'x=dur_ns+' 'x=*2' 'x=dur_ns/2:z' 'x=none+1'; do
		run -2 dlp-agg -T kern -c "$bad" s.dlp
	done
}

# An independent reader of profile.proto.
@test "dlp folded --pprof: the stacks that dlp folded prints" {
	cat >read.py <<-'END'
	import gzip, sys
	def varint(b, i):
	    v = s = 0
	    while True:
	        c = b[i]; i += 1; v |= (c & 127) << s; s += 7
	        if c < 128: return v, i
	def fields(b):
	    i = 0
	    while i < len(b):
	        k, i = varint(b, i)
	        if k & 7 == 0: v, i = varint(b, i)
	        else:
	            assert k & 7 == 2, k
	            n, i = varint(b, i); v = b[i:i + n]; assert len(v) == n; i += n
	        yield k >> 3, v
	def packed(b):
	    i, out = 0, []
	    while i < len(b):
	        v, i = varint(b, i); out.append(v)
	    return out
	strings, names, places, samples, types = [], {}, {}, [], []
	for f, v in fields(gzip.decompress(sys.stdin.buffer.read())):
	    d = dict(fields(v)) if f < 6 else None
	    if f == 1: types.append((d[1], d[2]))
	    elif f == 2: samples.append((packed(d[1]), packed(d[2])))
	    elif f == 4: places[d[1]] = dict(fields(d[4]))[1]
	    elif f == 5: names[d[1]] = d[2]
	    elif f == 6: strings.append(v.decode())
	    else: assert False, f
	assert strings[0] == '' and len(types) == 1 and 0 not in places and 0 not in names
	print('#', *(strings[x] for x in types[0]))
	for ids, v in samples:
	    assert len(v) == 1
	    print(';'.join(strings[names[places[x]]] for x in reversed(ids)), v[0])
	END
	for args in '' '-v count' '-v flop' '-g phase,op' '-i 1'; do
		# shellcheck disable=SC2086 # words
		dlp folded $args "$LENET" 2>/dev/null | grep -v ' 0$' | sort >want
		# shellcheck disable=SC2086
		dlp folded --pprof $args "$LENET" 2>/dev/null | python3 read.py >got
		sed 1d got | sort | cmp want -
		head -n 1 got >>types
	done
	same "# count count
# flop count
# gpu nanoseconds" "$(sort -u types)"
	echo x >bad.sqlite
	run -2 dlp folded --pprof bad.sqlite
}

@test "a report of several tables takes -t" {
	cmp <(dlp gaps -s "$LENET" 2>/dev/null) <(dlp gaps -t total "$LENET" 2>/dev/null)
	cmp <(dlp phases "$LENET" 2>/dev/null) <(dlp phases -t phase "$LENET" 2>/dev/null)
	run -2 --separate-stderr dlp phases -t x "$LENET"
	same "dlp phases: -t: 'x' is not one of total, phase" "$stderr"
}

@test "what cannot be done ends with status 2 and writes no file" {
	dlp-parse "$LENET" >l.dlp
	run -2 dlp-fmt -T nope --sqlite t.db l.dlp
	[[ "$output" == *"no record type 'nope'"* ]]
	[ ! -e t.db ]
	echo precious >p.txt
	run -2 dlp mcp p.txt </dev/null
	[ "$output" = "dlp mcp: p.txt: not a folder" ]
	dlp folded --cpu --pprof l.dlp >x.gz 2>/dev/null && false
	[ ! -s x.gz ]
	run -2 dlp whatif --workers 4 l.dlp
	[ "$output" = "dlp whatif: --workers needs --all" ]
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
	run -2 dlp top -c nosuch "$LENET"
	same "dlp top: no column 'nosuch'; this table has \
op.name,dir,dur_pct,sum_dur_ns,n,mean_dur_ns" "$output"
	run -2 dlp iters -q --sort nosuch "$LENET"
	[[ $output == "dlp iters: no column 'nosuch'; this table has iter,key,"*,idle_ns ]]
	run -2 dlp html --sort n "$LENET"
}
