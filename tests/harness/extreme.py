"""Holds every filter and report against numbers at the ends of their range. The
records are made from the registry, one for each column and each such value, and
some whose columns are all extreme; there is no seed. Run with a build with
sanitizers: an overflow is a 'runtime error' there."""
import os
import subprocess
import sys
import tempfile

from common import ROOT, Broken, records, run
from mutate_db import SINKS
from mutate_stream import COMMANDS

ENDS = [b'-9223372036854775808', b'9223372036854775807', b'0', b'-1']
TEXTS = [b'-', b'x' * 70000, b'[[9223372036854775807,9223372036854775807],[9,'
         b'9223372036854775807]]']
MORE = [['dlp-serve'], ['dlp-carry'], ['dlp-tensorboard'],
        ['dlp-ncu', ROOT + '/tests/data/lenet.ncu.tsv'],
        ['dlp-diff', 'IN'], ['dlp-waits', '--launches'],
        ['dlp-dldb', '--force', '-o', 'OUT'],
        ['dlp-rate', '-T', 'kern'], ['dlp-advise', '--json'],
        ['dlp-stats', '-f', 'csv'], ['dlp-stats', '-f', 'json']]
KNOWN = {'pid': b'1', 'tid': b'1', 'dev': b'0', 'name_id': b'1', 'iter': b'1',
         'start_ns': b'1000', 'dur_ns': b'100', 'api_start_ns': b'500',
         'api_dur_ns': b'50', 'op_id': b'1', 'text': b'aten::mm', 'mode': b'push',
         'dir': b'fprop', 'name': b'energy', 'kind': b'malloc',
         'cc': b'9.0', 'class': b'other',
         'api': b'cudaLaunchKernel', 'grid': b'2,1,1', 'block': b'64,1,1', 'short': b'gemm', 'phase': b'forward'}


def registry():
    """Types and their columns, as (name, kind)."""
    out = subprocess.run(
        ['awk', '-v', 'what=tsv', '-f', ROOT + '/tests/bin/registry.awk',
         ROOT + '/common/columns.tab'],
        stdout=subprocess.PIPE, check=True).stdout.decode()
    types = {}
    for line in out.splitlines():
        f = line.split('\t')
        cols = types.setdefault(f[0], [])
        if f[1] not in [name for name, _ in cols]:
            cols.append((f[1], f[2]))
    return types


def usual(name, kind):
    if name in KNOWN:
        return KNOWN[name]
    return {'int': b'7', 'num': b'1.5', 'json': b'[[8,16],[16,8]]',
            'yes/no': b'yes', 'str': b'1'}.get(kind, b'word')


def rows(cols):
    base = [usual(*c) for c in cols]
    number = [k in ('int', 'num') and c not in ('id', 'op_id') for c, k in cols]
    yield base
    for i in range(len(cols)):
        for v in ENDS if number[i] else () if cols[i][1] == 'str' \
                or cols[i][0] in ('id', 'op_id', 'cc', 'class') else TEXTS:
            yield base[:i] + [v] + base[i + 1:]
    for v in ENDS:
        yield [v if n else b for n, b in zip(number, base)]
    # from one end to the other: start and duration differ
    for first, second in ((0, 1), (1, 0), (3, 0), (1, 1), (0, 0)):
        row = list(base)
        for i, n in enumerate(number):
            if n and cols[i][0].endswith('_ns'):
                row[i] = ENDS[second if 'dur' in cols[i][0] else first]
        yield row
        yield row


def refused(cols, row):
    """True if dlp-dldb rightly refuses the record: its least number stands for
    NULL, iterations are counted, and sizes are three numbers."""
    return any(v == ENDS[0] or (c == 'iter' and v == ENDS[1]) or
               (c in ('grid', 'block') and v in TEXTS[1:])
               for (c, _), v in zip(cols, row))


def stream(types, turned, all_of_them=True):
    """All types, in the order of the registry or in the opposite one."""
    lines, n = [b'##dlp\t1', b'##cmd\tdlp-parse 0.2.0 f'], 0
    names = [t for t in types if t not in ('op', 'str')]
    for t in ['op', 'str'] + (names[::-1] if turned else names):
        cols = types[t]
        lines.append(b'\t'.join([b'#' + t.encode()]
                                + [c.encode() for c, _ in cols]))
        all_rows = list(rows(cols))
        for i, row in enumerate(all_rows[::-1] if turned and t != 'op'
                                else all_rows, 1):
            # a device has one record
            if not all_of_them and (refused(cols, row) or
                                    t == 'dev' and i > 1):
                continue
            n += 1
            # strings and ops have ids of their own, which others refer to
            own = i if t in ('op', 'str') else n
            row = [b'%d' % own if c == 'id' or (t, c) == ('op', 'op_id') else v
                   for (c, _), v in zip(cols, row)]
            lines.append(b'\t'.join([t.encode()] + row))
    lines.append(b'##end\t%d\n' % n)
    return b'\n'.join(lines)


def reports():
    folder = os.path.join(ROOT, 'pipelines', 'reports')
    for name in sorted(os.listdir(folder)):
        if os.path.isfile(os.path.join(folder, name)) and '.' not in name:
            if name not in ('view', 'plot', 'diff', 'join', 'dldb'):
                yield ['dlp', name]


def main():
    failed = 0
    commands = COMMANDS + [s for s, _ in SINKS] + MORE
    if '--reports' in sys.argv:
        commands = list(reports())
    with tempfile.TemporaryDirectory() as folder:
        for turned in (False, True):
            types = registry()
            for name, all_of_them in ('in', True), ('dldb', False):
                with open(os.path.join(folder, name), 'wb') as f:
                    f.write(stream(types, turned, all_of_them))
            for c in commands:
                path = os.path.join(folder, 'dldb' if c[0] == 'dlp-dldb' else 'in')
                args = [{'IN': path, 'OUT': os.path.join(folder, 'db')}.get(a, a)
                        for a in c]
                try:
                    rc, out, err = run(args + [path])
                    if '-v' in sys.argv:
                        print(rc, ' '.join(c), err[:150])
                    if rc == 2 and c[0] != 'dlp':
                        raise Broken('exit status 2: ' + err[:300])
                    if rc != 2 and out.startswith(b'##dlp'):
                        for _ in records(out):
                            pass
                except Broken as e:
                    failed += 1
                    print('%s%s: %s' % (' '.join(c), ' (turned)' * turned, e))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
