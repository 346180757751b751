# dlp --json FILE: one object with all that the screen says.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
}

PROFILES="$ROOT/tests/data/resnet-before.sqlite.xz $ROOT/tests/data/lenet.sqlite.xz
$ROOT/tests/data/ddp0.sqlite.xz $ROOT/tests/data/h200/gpt2_bf16.sqlite.xz"

# What another reader of the profile says: the rows of other reports.
@test "the object has the columns of the row, and what other reports say" {
	for f in $PROFILES; do
		dlp --json "$f" >doc 2>/dev/null
		dlp --jsonl "$f" >row 2>/dev/null
		dlp advise --json "$f" >advise 2>/dev/null
		dlp gaps -s --jsonl "$f" 2>/dev/null >gaps
		dlp -v -w 200 "$f" 2>/dev/null >screen
		python3 - <<-'END'
		import json, re
		doc, row = json.load(open('doc')), json.load(open('row'))
		rules = {r['id']: r for r in json.load(open('advise'))['rules']}
		screen = open('screen').read()
		assert doc['version'] == 1 and doc['status'] == 'ok' and doc['error'] is None
		for name in row:
		    if name not in ('findings', 'error'):
		        assert doc[name] == row[name], (name, doc[name], row[name])
		# the classes of time add up to all of it
		total = sum(c['ns'] for c in doc['time'])
		assert abs(total - doc['n_gpu'] * doc['wall_ns']) <= doc['n_gpu'], total
		assert sum(c['ns'] for c in doc['idle']) <= doc['idle_ns']
		steps = doc['steps']['n'] if doc['steps'] else 1
		for list in ('time', 'idle', 'phases', 'top_ops', 'tc_unused'):
		    for r in doc[list]:
		        mean = r['ns'] / steps / doc['n_gpu']
		        assert abs(r['per_step_ns'] - mean) <= 1, (list, r)
		# findings: those of dlp advise that are of their own
		found = [r for r in rules.values()
		         if r['verdict'] == 'found' and r['part_of'] is None]
		assert sorted(f['id'] for f in doc['findings']) == sorted(r['id'] for r in found)
		gains = [f['gain_ns'] for f in doc['findings']]
		known = [g for g in gains if g is not None]
		assert known == sorted(known, reverse=True), gains
		assert gains[:len(known)] == known, gains
		for f in doc['findings']:
		    r = rules[f['id']]
		    for name in ('step_ns', 'predicted_step_ns', 'gain_ns', 'problem',
		                 'evidence', 'recommendation', 'where', 'share_pct'):
		        assert f[name] == r[name], (name, f, r)
		    if f['predicted_step_ns'] is not None:
		        assert f['gain_ns'] == f['step_ns'] - f['predicted_step_ns'], f
		# the screen shows what the object has
		shown = re.sub(r'\s+', ' ', screen)
		for report in doc['next']:
		    assert 'dlp %s ' % report in shown, report
		def is_shown(ns):
		    ms = ns / steps / doc['n_gpu'] / 1e6
		    return any(' %.*f ' % (n, ms) in shown for n in (1, 2, 3))
		for op in doc['top_ops'][:5]:
		    assert is_shown(op['ns']), op
		for c in doc['time']:
		    if c['ns'] >= 5000:
		        assert is_shown(c['ns']), c
		for u in doc['unknown']:
		    ns = u['ns'] / steps / doc['n_gpu']
		    if ns >= 5000:
		        assert u['what'] + ' %.2f ms' % (ns / 1e6) in shown, u
		n = re.search(r'(\d+) checks? lacks? data', shown)
		assert int(n.group(1) if n else 0) == len(doc['checks_lacking_data'])
		END
	done
}

@test "several files, one of which fails; one that has no work" {
	run -2 --separate-stderr dlp --json "$LENET" none.sqlite "$LENET"
	python3 - <<-END "$output"
	import json, sys
	doc = json.loads(sys.argv[1])
	assert doc['version'] == 1
	files = doc['files']
	assert [f['status'] for f in files] == ['ok', 'failed', 'ok']
	assert files[0] == files[2]
	assert 'No such file' in files[1]['error'] and files[1]['file'] == 'none.sqlite'
	END
	echo x >bad.sqlite
	run -2 --separate-stderr dlp --json bad.sqlite
	same failed "$(jq -r .status <<<"$output")"
	printf '{"traceEvents": [], "schemaVersion": 1}' >empty.json
	dlp --json empty.json >out 2>/dev/null || true
	jq -e '.note | test("no GPU work")' out
	same "[]" "$(jq -c .findings out)"
}

@test "a file that is missing; a snapshot of memory: the same envelope" {
	s=$ROOT/tests/data/snapshot/leak.pickle.xz
	xz -dc "$s" | head -c 20000 >'cut "1.pickle'
	dlp mem --json "$s" >devices
	dlp --json "$s" >ok.json
	for f in nofile none.sqlite 'cut "1.pickle' .; do
		run -2 --separate-stderr dlp --json "$f"
		printf '%s\n' "$output" >failed.json
		FILE=$f python3 - <<-'END'
		import json, os
		doc = json.load(open('failed.json'))
		assert list(doc) == ['version', 'file', 'status', 'error'], doc
		assert (doc['version'], doc['status']) == (1, 'failed')
		assert doc['file'] == os.environ['FILE'] and doc['file'] in doc['error']
		END
		[ "$f" = "${f%.pickle}" ] || continue
		run -2 --separate-stderr dlp --tsv "$f"
		same "$f failed" "$(sed 1d <<<"$output" | cut -f 1,2 | tr '\t' ' ')"
	done
	run -2 --separate-stderr dlp --json nofile "$s" "$LENET"
	printf '%s\n' "$output" >files.json
	FILE=$s python3 - <<-'END'
	import json, os
	doc = json.load(open('ok.json'))
	devices = json.load(open('devices'))
	assert isinstance(devices, list) and devices[0]['dev'] == 0 and devices[0]['held']
	assert doc == {'version': 1, 'file': os.environ['FILE'], 'status': 'ok',
	               'dialect': 'torch-memory', 'devices': devices, 'error': None}
	files = json.load(open('files.json'))['files']
	assert [f['status'] for f in files] == ['failed', 'ok', 'ok'] and files[1] == doc
	END
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
