"""Breaks files of the other inputs, each from a good one: databases of nvprof and
DLProf by SQL, .dict files of PyProf, traces of torch.profiler and Perfetto,
snapshots of PyTorch's memory, CSV of Nsight Compute, HLO of XLA and code of Inductor
by bytes and words, and requests to dlp mcp. No command may crash, end without a message, write a broken
row, or lose a kernel without a note; what is written for Prometheus and Perfetto is
read by other parsers."""
import gzip
import io
import json
import lzma
import os
import re
import sqlite3
import subprocess
import sys

import mutate_db
from common import BIN, ENV, ROOT, Broken, counts, main, run

sys.path.insert(0, os.path.join(ROOT, 'tests', 'bin'))
import pftrace  # noqa: E402

DATA = os.path.join(ROOT, 'tests', 'data')
K = 'CUPTI_ACTIVITY_KIND_'
LENET = os.path.join(DATA, 'lenet.sqlite.xz')
NUMBERS = [b'0', b'-1', b'1e999', b'9223372036854775807', b'18446744073709551616',
           b'-9223372036854775808', b'0x10', b'nan', b'1.5', b'', b'99999999999999999999999']
WORDS = [b'{', b'}', b'[', b']', b'"', b"'", b',', b':', b'\\', b'\0', b'\n', b'null',
         b'\xff\xfe', b'\\u0000', b'\\ud800', b'(' * 3000, b'[' * 3000, b'{"a":' * 3000,
         b'None', b'True', b'x' * 70000, b'\x1b[31m', b'=cmd()', b'$(id)', b'`id`']
_good = {}


def nvprof(path):
    """A profile of 40 steps of three ops, as nvprof writes it."""
    db = sqlite3.connect(path)
    db.executescript('''
    CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value);
    CREATE TABLE Version(version); INSERT INTO Version VALUES (12);
    CREATE TABLE %(K)sRUNTIME(_id_ INTEGER PRIMARY KEY, cbid, start, end,
        processId, threadId, correlationId, returnValue);
    CREATE TABLE %(K)sDRIVER AS SELECT * FROM %(K)sRUNTIME;
    CREATE TABLE %(K)sCONCURRENT_KERNEL(_id_ INTEGER PRIMARY KEY,
        registersPerThread, start, end, deviceId, contextId, streamId,
        gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
        dynamicSharedMemory, correlationId, name);
    CREATE TABLE %(K)sMARKER(_id_ INTEGER PRIMARY KEY, flags, timestamp, id,
        objectKind, objectId, name, domain);''' % {'K': K})
    texts = ['_Z1fv', 'volta_sgemm_128x64_nn', 'iteration', "{'mod': 'torch.nn.functional'"
             ", 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': (64, 32)"
             ", 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (16, 32), "
             "'dtype': 'float32'}]}", 'linear, seq = 7']
    db.executemany('INSERT INTO StringTable VALUES (?, ?)', enumerate(texts, 1))
    thread, mark = b'\x07\0\0\0\xfb\xff\xff\xff\0\0\0\0', 0
    for i in range(120):
        t = 1000 + i * 1000
        db.execute('INSERT INTO %sRUNTIME VALUES (NULL, 211, ?, ?, 7, -5, ?, 0)' % K,
                   (t + 100, t + 200, i + 1))
        db.execute('INSERT INTO %sCONCURRENT_KERNEL VALUES (NULL, 8, ?, ?, 0, 1, 7, 2, 1, '
                   '1, 64, 1, 1, 0, 0, ?, ?)' % K, (t + 300, t + 900, i + 1, 1 + i % 2))
        for name, lo, hi in [(3, t, t + 2900)] * (i % 3 == 0) + [
                (4, t + 50, t + 250), (5, t + 60, t + 240)]:
            mark += 1
            for flags, at, text in (2, lo, name), (4, hi, 0):
                db.execute('INSERT INTO %sMARKER VALUES (NULL, ?, ?, ?, 2, ?, ?, 0)' % K,
                           (flags, at, mark, thread, text))
    db.commit()
    db.close()


def made(command):
    """What a command of the shell prints, or writes to $1."""
    def make(path):
        subprocess.run(['bash', '-o', 'pipefail', '-c', command, '-', path],
                       env=dict(ENV, L=LENET), check=True, stderr=subprocess.DEVNULL)
    return make


def packed(name, opened):
    def make(path):
        with opened(os.path.join(DATA, name)) as f, open(path, 'wb') as out:
            out.write(f.read())
    return make


# a kind: what makes a good file, its name, how it is broken, what reads it
KINDS = {
    'nvprof': (nvprof, 'p.nvvp', 'sql', ['dlp-parse']),
    'dlprof': (made('dlp-parse $L | dlp-correlate --dlprof | dlp-flops | dlp-iter --dlprof '
                    '-k iteration | dlp-busy --dlprof | dlp-tree | dlp-dldb -o "$1"'),
               'p.sqlite', 'sql', ['dlp-parse']),
    'dict': (made('pyprof-parse $L >"$1"'), 'p.dict', 'text', ['dlp-pyprof']),
    'kineto': (packed('kineto/lenet.json.gz', gzip.open), 'p.json', 'text', ['dlp-parse']),
    'pftrace': (packed('pftrace/graph_infer.pftrace.gz', gzip.open), 'p.pftrace', 'bytes',
                ['dlp-parse']),
    'pickle': (packed('snapshot/state.pickle.xz', lzma.open), 'p.pickle', 'bytes',
               ['dlp-parse']),
    'ncu': (packed('mini.ncu.csv', io.FileIO), 'p.csv', 'text', ['dlp-ncu']),
    'hlo': (packed('../cases/dlp-flops/hlo/m.after_optimizations.txt', io.FileIO),
            'm.after_optimizations.txt', 'text', ['dlp-flops', '-q', '--hlo']),
    'inductor': (packed('../cases/dlp-flops/inductor/output_code.py', io.FileIO),
                 'output_code.py', 'text', ['dlp-flops', '-q', '--inductor']),
    'graph': (packed('../cases/dlp-flops/inductor/fx_graph_readable.py', io.FileIO),
              'd/fx_graph_readable.py', 'text', ['dlp-flops', '-q', '--inductor']),
    'mcp': (None, 'q', 'text', ['dlp-mcp']),
}
if not os.path.exists(os.path.join(DATA, 'kineto', 'lenet.json.gz')):
    del KINDS['kineto']
REQUESTS = [json.dumps(dict(r, jsonrpc='2.0', id=i)).encode() for i, r in enumerate([
    {'method': 'initialize', 'params': {'protocolVersion': '2024-11-05', 'capabilities': {},
     'clientInfo': {'name': 't', 'version': '1'}}},
    {'method': 'tools/list'}, {'method': 'ping'},
    {'method': 'tools/call', 'params': {'name': 'profiles', 'arguments': {}}},
    {'method': 'tools/call', 'params': {'name': 'overview', 'arguments': {
        'profile': 'lenet.sqlite.xz', 'steps': '0-1'}}},
    {'method': 'tools/call', 'params': {'name': 'top', 'arguments': {
        'profile': '../../etc/passwd', 'limit': 3}}}])]


def broken_bytes(rng, b, text):
    """A change of the bytes, or of the numbers and words of a text."""
    i = rng.randrange(len(b) + 1)
    n = rng.choice([1, 1, 2, 8, 100, 5000])
    kind = rng.randrange(10 if text else 6)
    if kind == 0:
        return b[:i]
    if kind == 1:
        return b[:i] + b[i + n:]
    if kind == 2:
        return b[:i] + b[i:i + n] * rng.choice([2, 3, 500]) + b[i + n:]
    if kind == 3:
        return b[:i] + bytes(rng.choice([0, 0x7f, 0x80, 0xff, rng.randrange(256)])
                             for _ in range(n)) + b[i + n:]
    if kind == 4:
        return b[:i] + rng.choice(WORDS) + b[i:]
    if kind == 5:
        j = rng.randrange(len(b) + 1)
        return b[:i] + b[j:j + n] + b[i + n:]
    found = list(re.finditer(rb'-?\d+' if kind < 8 else rb'[A-Za-z_]+|[][{}(),:"\']',
                             b[i:i + 20000]))
    if not found:
        return b[:i]
    old = rng.choice(found)
    new = rng.choice(NUMBERS if kind < 8 else WORDS)
    if kind == 6 and len(old.group()) > 1:  # everywhere
        return b.replace(old.group(), new, 500)
    return b[:i + old.start()] + new + b[i + old.end():]


def check_exports(rng, folder, log):
    """What other programs read, by readers that are not ours."""
    now = os.path.join(folder, 's')
    log('run: dlp-openmetrics')
    rc, out, _ = run(['dlp-openmetrics', now])
    if rc == 0:
        check_openmetrics(out.decode('utf-8'))
    log('run: dlp-trace --pftrace')
    rc, out, _ = run(['dlp-trace', '--pftrace', now])
    if rc == 0:
        try:
            pftrace.read(out)
        except Exception as e:  # a slice of unknown length has no end
            if 'slices do not end' not in str(e):
                raise Broken('dlp-trace --pftrace: %r' % e)


LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:%s(?:,%s)*)?\})? '
                    r'([-+]?[0-9.eE+-]+|[+-]?Inf|NaN)( [0-9.]+)?$' % (LABEL, LABEL))


def check_openmetrics(text):
    """By OpenMetrics' grammar: samples after their TYPE, none twice, EOF at the end."""
    types, seen = {}, set()
    lines = text.split('\n')
    if lines[-2:] != ['# EOF', '']:
        raise Broken('dlp-openmetrics: no EOF: %r' % text[-100:])
    for line in lines[:-2]:
        if line.startswith('# '):
            word, name = line[2:].split(' ')[:2]
            if word == 'TYPE':
                types[name] = 1
            continue
        m = SAMPLE.match(line)
        if not m:
            raise Broken('dlp-openmetrics: %r' % line[:300])
        if m.group(1) not in types and \
                re.sub('_(total|info|bucket|count|sum)$', '', m.group(1)) not in types:
            raise Broken('dlp-openmetrics: no type: %r' % line[:300])
        if m.group(1, 2) in seen:
            raise Broken('dlp-openmetrics: twice: %r' % line[:300])
        seen.add(m.group(1, 2))


def ask_mcp(folder, data):
    """Each line of an answer is an object of JSON-RPC, and the server ends."""
    profiles = os.path.join(folder, 'profiles')
    os.mkdir(profiles)
    os.symlink(LENET, os.path.join(profiles, 'lenet.sqlite.xz'))
    with open(os.path.join(folder, 'q'), 'rb') as f:
        rc, out, err = run(['dlp-mcp', os.path.join(ROOT, 'pipelines', 'dlp'), profiles], f)
    for line in out.splitlines():
        d = json.loads(line.decode('utf-8'))
        if d.get('jsonrpc') != '2.0' or ('result' in d) == ('error' in d):
            raise Broken('dlp-mcp: %r' % line[:300])
        if b'root:' in line:
            raise Broken('dlp-mcp reads outside of its folder: %r' % line[:300])
    if len(out.splitlines()) > data.count(b'\n') + 1:
        raise Broken('dlp-mcp: more answers than lines')


def case(rng, folder, log):
    kind = os.environ.get('KIND') or rng.choice(sorted(KINDS))
    make, name, how, reader = KINDS[kind]
    path = os.path.join(folder, name)
    log('kind: ' + kind)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == 'mcp':
        data = b'\n'.join(rng.sample(REQUESTS, rng.randint(1, 6))) + b'\n'
    else:
        if kind not in _good:
            make(path)
            with open(path, 'rb') as f:
                _good[kind] = f.read()
        data = _good[kind]
    if how != 'sql':
        for _ in range(rng.choice([1, 1, 2, 5])):
            data = broken_bytes(rng, data, how == 'text')
    with open(path, 'wb') as f:
        f.write(data)
    can_tell = how == 'sql' and mutate_db.break_it(rng, path, log)
    if kind == 'mcp':
        ask_mcp(folder, data)
        return
    now = os.path.join(folder, 's')
    if reader[0] == 'dlp-flops':
        case_of = os.path.join(ROOT, 'tests', 'cases', 'dlp-flops', kind.replace('graph', 'inductor'))
        if kind == 'graph':
            path = os.path.dirname(path)
            os.symlink(os.path.join(case_of, 'output_code.py'), os.path.join(path, 'output_code.py'))
        with open(os.path.join(case_of, 'in'), 'rb') as f:
            was = f.read()
        mutate_db.write(now, was)
        rc, out, err = run(reader + [path, now])
        if rc == 0 and counts(out)[0].get('kern') != counts(was)[0]['kern']:
            raise Broken('kernels are lost: %s' % counts(out)[0])
    elif kind == 'ncu':
        rc, out, err = run(['dlp-parse', LENET])
        mutate_db.write(now, out)
        rc, out, err = run(reader + [path, now])
    else:
        rc, out, err = run(reader + [path])
    if rc != 0:
        return
    if kind == 'nvprof' and can_tell:
        mutate_db.check_lost(path, out, err)
    mutate_db.stages(rng, folder, log, out)
    check_exports(rng, folder, log)


if __name__ == '__main__':
    main(__doc__, case)
