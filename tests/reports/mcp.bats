# dlp mcp with a client of its own, and dlp skill.

bats_require_minimum_version 1.5.0
# bats file_tags=long
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir p
	cp "$ROOT"/tests/data/{lenet,resnet-before,resnet-after}.sqlite.xz p
	cat >client.py <<-'END'
	import json, subprocess

	class Server:
	    def __init__(self, folder='p'):
	        self.p = subprocess.Popen(['sh', '-c', 'dlp mcp "$1"', 'x', folder],
	            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	        self.n = 0
	    def send(self, line):
	        self.p.stdin.write(line + b'\n')
	        self.p.stdin.flush()
	    def read(self):
	        line = self.p.stdout.readline()
	        assert line.endswith(b'\n'), line
	        d = json.loads(line.decode('utf-8'))
	        assert d['jsonrpc'] == '2.0' and ('result' in d) != ('error' in d), d
	        return d
	    def ask(self, method, params=None):
	        self.n += 1
	        q = {'jsonrpc': '2.0', 'id': self.n, 'method': method}
	        if params is not None:
	            q['params'] = params
	        self.send(json.dumps(q).encode())
	        d = self.read()
	        assert d['id'] == self.n, d
	        return d
	    def call(self, name, **arguments):
	        return self.ask('tools/call', {'name': name, 'arguments': arguments})
	    def rows(self, name, **arguments):
	        r = self.call(name, **arguments)['result']
	        assert not r['isError'], r
	        return json.loads(r['content'][0]['text'])
	    def end(self):
	        self.p.stdin.close()
	        assert self.p.stdout.read() == b''
	        assert self.p.wait() == 0

	def report(*args):
	    return json.loads(subprocess.run(['sh', '-c', 'exec dlp "$@"', 'x', *args],
	        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
	END
}

@test "a client: initialize, tools/list, each tool says what its report says" {
	python3 -B - <<-'END'
	from client import *
	import os
	s = Server()
	r = s.ask('initialize', {'protocolVersion': '2024-11-05', 'capabilities': {},
	    'clientInfo': {'name': 'test', 'version': '1'}})['result']
	assert r['protocolVersion'] == '2024-11-05', r
	assert 'tools' in r['capabilities'] and r['serverInfo']['name'] == 'dlp'
	s.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
	assert s.ask('ping')['result'] == {}
	tools = {t['name']: t for t in s.ask('tools/list')['result']['tools']}
	assert sorted(tools) == ['advise', 'diff', 'gaps', 'overview', 'top', 'whatif']
	for t in tools.values():
	    schema = t['inputSchema']
	    assert schema['type'] == 'object' and t['description']
	    assert set(schema['required']) <= set(schema['properties'])
	f, b = 'resnet-before.sqlite.xz', 'resnet-after.sqlite.xz'
	def path(f): return os.path.realpath('p/' + f)
	assert s.rows('overview', file=f) == report('--json', path(f))
	assert s.rows('overview', file=f, steps='1') == report('--json', '-i', '1', path(f))
	assert s.rows('advise', file='p/../' + f) if False else True
	assert s.rows('advise', file=f) == report('advise', '--json', path(f))
	assert s.rows('top', file=f, by='kernel', rows=3) == report(
	    'top', '--json', '-g', 'kernel', '-n', '3', path(f))
	assert len(s.rows('top', file=f)) == 20 + 1 or len(s.rows('top', file=f)) <= 20
	assert s.rows('gaps', file=f, totals=True) == report('gaps', '--json', '-s', path(f))
	assert s.rows('gaps', file=f, totals=False, rows=2) == report(
	    'gaps', '--json', '-n', '2', path(f))
	assert s.rows('diff', a=f, b=b, rows=4) == report('diff', '--json', '-n', '4', path(f), path(b))
	assert s.rows('whatif', file=f, dtype='fp32=tf32') == report(
	    'whatif', '--json', '--dtype', 'fp32=tf32', path(f))
	assert s.rows('whatif', file=path(f), zero_launch=True, scale='gemm=0.5') == report(
	    'whatif', '--json', '--zero-launch', '--scale', 'gemm=0.5', path(f))
	s.end()
	END
}

@test "only files below the folder, only its own arguments, nothing is written" {
	ln -s /etc/passwd p/link
	mkdir p2 'p/in side'
	cp p/lenet.sqlite.xz p2
	cp p/lenet.sqlite.xz 'p/in side/-n.sqlite.xz'
	mkfifo p/fifo
	touch before
	find . | sort >before
	python3 -B - <<-'END'
	from client import *
	import os
	s = Server()
	away, no, odd = 'leads elsewhere', 'No such file or directory', 'not a file'
	for f, why in (('../p2/lenet.sqlite.xz', away), ('/etc/passwd', away), ('link', away),
	               ('none', no), ('', odd), ('.', odd), ('fifo', odd), ('in side', odd),
	               ('..', away), (os.path.realpath('p2/lenet.sqlite.xz'), away),
	               ('\u0000', None), ('lenet.sqlite.xz\u0000', None)):
	    r = s.call('top', file=f)['result']
	    texts = [c['text'] for c in r['content']]
	    assert r['isError'] and len(texts) == 1 and len(texts[0].splitlines()) == 1, (f, r)
	    assert why is None or texts[0] == "'%s': %s; profiles are files below %s" % (
	        f, why, os.path.realpath('p')), r
	assert s.rows('top', file='in side/-n.sqlite.xz', rows=1)
	f = 'lenet.sqlite.xz'
	for args in ({'file': f, 'rows': '1'}, {'file': f, 'by': 1}, {'file': f, 'x': 1},
	             {'file': f, 'by': ''}, {'file': f, 'rows': 1.5}, {'file': f, 'rows': None},
	             {'file': f, '-o': 'x'}, {'file': 1}, {}, {'file': [f]},
	             {'file': f, 'rows': True}):
	    assert s.call('top', **args)['error']['code'] == -32602, args
	assert s.call('gaps', file=f, totals='yes')['error']['code'] == -32602
	assert s.call('sh', file=f)['error']['code'] == -32602
	# values are arguments of their option, whatever they look like
	for by in ('--help', '-o', '; touch x', '$(touch x)', '--\n'):
	    r = s.call('top', file=f, by=by)['result']
	    assert r['isError'] and all(c['text'] for c in r['content']) and r['content'], r
	assert s.call('top', file=f, rows=-1)['result']['isError']
	r = s.call('top', file='link')['result']
	assert 'root' not in json.dumps(r)
	assert s.rows('overview', file=f)['status'] == 'ok'
	os.truncate('p/lenet.sqlite.xz', 5000)
	r = s.call('overview', file=f)['result']
	doc = json.loads(r['content'][0]['text'])
	assert r['isError'] and doc['version'] == 1 and doc['status'] == 'failed', r
	assert 'which tool' in s.ask('tools/call', {})['error']['message']
	s.end()
	END
	find . -name '*.pyc' -delete -o -name __pycache__ -delete
	find . | sort | diff before -
}

@test "hostile JSON gets an error, and the next request is answered" {
	python3 -B - <<-'END'
	from client import *
	import random
	s = Server()
	def bad(line, code, id=None):
	    s.send(line)
	    d = s.read()
	    assert d['error']['code'] == code and d['id'] == id, (line[:80], d)
	for line in (b'x', b'{', b'{}}', b'{"a": 1} {"b": 2}', b'\xff\xfe', b'[' * 100000,
	             b'{"a":' * 50000, b'"' + b'a' * 2000000, b'{"jsonrpc": "2.0" "id": 1}',
	             b"{'jsonrpc': '2.0'}", b'{"jsonrpc": "2.0", "id": 1, "method": "ping",}',
	             b'[' + b'1,' * 5000 + b'1]', b'\x00', b'nul'):
	    bad(line, -32700)
	for line in (b'[]', b'1', b'null', b'"ping"', b'{}', b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
	             b'{"jsonrpc": "1.0", "method": "ping"}', b'{"jsonrpc": "2.0", "method": 1}'):
	    bad(line, -32600)
	bad(b'{"jsonrpc": "2.0", "id": 7, "method": "ex\\"ec\\n"}', -32601, 7)
	bad(b'{"jsonrpc": "2.0", "id": "\\u0000\\"", "method": "x"}', -32601, '\0"')
	for params in (b'1', b'[]', b'{}', b'null', b'{"name": 1}', b'{"name": {"name": "top"}}',
	               b'{"name": "top", "arguments": 1}', b'{"name": "top", "arguments": []}',
	               b'{"name": "top", "arguments": {"file": {"file": "lenet.sqlite.xz"}}}'):
	    bad(b'{"jsonrpc": "2.0", "id": -1.5e3, "method": "tools/call", "params": ' + params + b'}',
	        -32602, -1500)
	# without an id there is no answer, whatever it says
	s.send(b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "top"}}')
	s.send(b'{"jsonrpc": "2.0", "id": null, "method": "ping"}')
	assert s.ask('ping')['result'] == {}
	random.seed(7)
	good = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": [1, "b"]}}'
	for _ in range(500):
	    line = bytearray(good)
	    for _ in range(random.randint(1, 4)):
	        line[random.randrange(len(line))] = random.choice(b'{}[]",:\\0 x\xff\x01')
	    s.send(bytes(line))
	    s.send(b'{"jsonrpc": "2.0", "id": "end", "method": "ping"}')
	    while s.read()['id'] != 'end':
	        pass
	s.end()
	END
}

# What SKILL.md tells to type works, with the members that it names.
@test "dlp skill: a transcript of its commands, and the members that it names" {
	dlp skill >skill.md
	cmp skill.md "$PIPES/SKILL.md"
	[ "$(wc -l <skill.md)" -le 60 ]
	cp "$ROOT/tests/data/resnet-before.sqlite.xz" FILE.sqlite.xz
	cp "$ROOT/tests/data/resnet-after.sqlite.xz" AFTER.sqlite.xz
	for i in 0 1; do
		cp "$ROOT/tests/data/ddp$i.sqlite.xz" "RANK$i.sqlite.xz"
	done
	sed -n '/^| .*`dlp/p' skill.md | grep -o '`dlp [^`]*`' | tr -d '`' |
	    sed 's/\[\(-g kernel\)\]/\1/; s/ FILE$/ FILE.sqlite.xz/
		s/BEFORE AFTER/FILE.sqlite.xz AFTER.sqlite.xz/
		s/RANK0 RANK1 \.\.\./RANK0.sqlite.xz RANK1.sqlite.xz/' >commands
	[ "$(wc -l <commands)" -ge 10 ]
	while read -r line; do
		echo "$line"
		bash -c "$line" </dev/null >out 2>err || [ "$line" != "${line#dlp mem}" ]
		[ ! -s out ] || jq -e 'type == "object" or type == "array"' out >/dev/null
		[ -s out ] || grep . err
	done <commands
	dlp --json FILE.sqlite.xz >doc
	sed '1,/^## How/d' skill.md | grep -o '`[a-z_]*`' | tr -d '`' | sort -u |
	    grep -vx 'noise\|null' >names
	[ "$(wc -l <names)" -ge 12 ]
	while read -r name; do
		echo "$name"
		jq -e --arg n "$name" '[.. | objects | has($n)] | any' doc >/dev/null
	done <names
	dlp diff --json FILE.sqlite.xz AFTER.sqlite.xz | jq -r '.[].change' | sort -u
}
