"""Breaks streams: fields dropped, added, of other types, huge; lines twice,
moved, cut off; NUL; legends repeated, changed, missing. No filter may crash, end
without a message, or write a broken row where it got none."""
import os
import re
import subprocess

from common import ENV, ROOT, main, records, run
from mutate_db import FILTERS, SINKS, sinks

# those of mutate_db, and what a stream need not come from a profile for
COMMANDS = FILTERS + [
    ['dlp-iter', '-D', '-k', 'conv2d'], ['dlp-iter', '--list'],
    ['dlp-busy', '-D'], ['dlp-merge'],
    ['dlp-agg', '-g', 'op,dir', '-a', 'count,sum,p50,std,union,pct'],
    ['dlp-agg', '-T', 'kern,copy,set', '--sort', '-dur_ns', '-n', '5'],
    ['dlp-agg', '-T', 'inst', '-g', 'iter', '--pass'],
    ['dlp-agg', '-T', 'kern', '-g', 'op', '-a', 'drift,drifterr,mean'],
    ['dlp-overview'], ['dlp-path'], ['dlp-path', '--merge', '-S', '4K'],
    ['dlp-path', '--replay', '--zero-launch', '--scale', 'gemm=0.5'],
    ['dlp-path', '--replay', '--no-straggler', '--perfect-overlap'],
    ['dlp-path', '--replay', '--bandwidth', '10', '--dtype', 'fp32=tf32'],
    ['dlp-launch'], ['dlp-energy'], ['dlp-mfu'],
]
EVENTS = (['dlp-events', '-e', 'conv2d'], '')  # fails without that op
STAGES = [
    'cat', 'dlp-correlate', 'dlp-correlate --ranges', 'dlp-correlate -D',
    'dlp-correlate | dlp-iter -k iteration --cuts | dlp-flops | dlp-busy | '
    'dlp-gaps | dlp-phases | dlp-mem | dlp-tree | dlp-advise',
    'dlp-correlate | dlp-iter | dlp-flops | dlp-rate -T kern | dlp-expose | '
    'dlp-waits',
    'dlp-correlate --nested | dlp-iter --cuts --stable --ahead | dlp-flops -q | '
    'dlp-rate | dlp-busy --iters | dlp-gaps | dlp-mem | dlp-advise | '
    'dlp-path --merge',
]
BASES = ['lenet', 'ddp0', 'h200/everything', 'h200/graph_infer_node',
         'h200/graph_infer_graph', 'loader']
FIELDS = [b'-', b'', b'abc', b'-1', b'0', b'9223372036854775807',
          b'-9223372036854775808', b'18446744073709551616', b'1e999', b'nan',
          b'1.5', b'\\x2d', b'\\', b'\\x', b'[[1,2],[', b'[[9223372036854775807,'
          b'9223372036854775807],[9223372036854775807,2]]', b'\xff\xfe', b'yes',
          b'fprop', b'4611686018427387904', b'{}', b'"', b'4294967296', b'x' * 9999]
_streams = {}


def stream(rng, folder):
    """The first records of each type of a stage's output."""
    key = rng.choice(BASES), rng.choice(STAGES)
    if key not in _streams:
        xz = os.path.join(ROOT, 'tests', 'data', key[0] + '.sqlite.xz')
        out = subprocess.run(
            ['bash', '-c', 'dlp-parse "$1" 2>/dev/null | { %s; } 2>/dev/null'
             % key[1], '-', xz], env=ENV, stdout=subprocess.PIPE,
            check=False).stdout
        seen, lines, n = {}, [], 0
        for line in out.split(b'\n')[:-1]:
            tag = line.split(b'\t', 1)[0]
            if not line.startswith(b'#'):
                seen[tag] = seen.get(tag, 0) + 1
                if seen[tag] > 60:
                    continue
                n += 1
            lines.append(b'##end\t%d' % n if tag == b'##end' else line)
        _streams[key] = lines
    return key, list(_streams[key])


def legend_of(lines, i):
    """The line of the legend that applies to line i."""
    tag = b'#' + lines[i].split(b'\t', 1)[0]
    for k in range(i - 1, -1, -1):
        if lines[k].split(b'\t', 1)[0] == tag:
            return k
    return None


def pick(rng, lines, what):
    some = [i for i, s in enumerate(lines) if what(s)]
    return rng.choice(some) if some else None


def is_record(s):
    return not s.startswith(b'#')


def is_legend(s):
    return s.startswith(b'#') and not s.startswith(b'##')


def permute(rng, lines):
    """A legend comes again with its columns in another order, and the records
    after it follow: to a reader the stream is the same."""
    i = pick(rng, lines, is_record)
    k = legend_of(lines, i)
    if k is None:
        return
    legend = lines[k].split(b'\t')
    order = list(range(1, len(legend)))
    rng.shuffle(order)
    order = [0] + order
    tag = legend[0][1:]
    for j in range(i, len(lines)):
        f = lines[j].split(b'\t')
        if f[0] == tag and len(f) == len(order):
            lines[j] = b'\t'.join(f[o] for o in order)
        elif f[0] == b'#' + tag:
            break
    lines.insert(i, b'\t'.join(legend[o] for o in order))


def break_it(rng, lines):
    """Breaks the lines in one way; returns its name, and whether records still
    have the fields of their legends."""
    kind = rng.randrange(20)
    i = pick(rng, lines, is_record)
    if i is None:
        return 'nothing', True
    f = lines[i].split(b'\t')
    if kind <= 6:
        k = rng.randrange(1, len(f)) if len(f) > 1 else 0
        f[k] = rng.choice(FIELDS)
        lines[i] = b'\t'.join(f)
        return 'field %d of line %d' % (k, i + 1), k > 0
    if kind == 7: # a column is the same everywhere
        tag, k, v = f[0], rng.randrange(len(f)), rng.choice(FIELDS)
        if k == 0:
            return 'nothing', True
        for j, s in enumerate(lines):
            g = s.split(b'\t')
            if g[0] == tag and k < len(g):
                g[k] = v
                lines[j] = b'\t'.join(g)
        return 'field %d of all %s' % (k, tag.decode()), True
    if kind == 8: # a column is missing
        tag, k = f[0], rng.randrange(1, max(len(f), 2))
        for j, s in enumerate(lines):
            g = s.split(b'\t')
            if g[0] in (tag, b'#' + tag) and k < len(g):
                del g[k]
                lines[j] = b'\t'.join(g)
        return 'no column %d of %s' % (k, tag.decode()), True
    if kind == 9:
        del f[rng.randrange(len(f))]
        lines[i] = b'\t'.join(f)
        return 'a field less in line %d' % (i + 1), False
    if kind == 10:
        lines[i] += b'\tx'
        return 'a field more in line %d' % (i + 1), False
    if kind == 11:
        a = rng.randrange(2, len(lines))
        del lines[a:]
        return 'nothing after line %d' % a, True
    if kind == 12:
        lines[i] = lines[i][:rng.randrange(len(lines[i]) + 1)] + \
            rng.choice([b'\0', b'\r', b'\n', b'\x01']) + lines[i][5:]
        return 'a control character in line %d' % (i + 1), False
    if kind == 13:
        permute(rng, lines)
        return 'columns in another order', True
    if kind == 14:
        k = pick(rng, lines, is_legend)
        lines.insert(i, lines[k])
        return 'the legend of line %d again, at %d' % (k + 1, i + 1), False
    if kind == 15:
        k = pick(rng, lines, is_legend)
        s = lines.pop(k)
        return 'no legend %s' % s[:12].decode(), False
    if kind == 16:
        part = [j for j, s in enumerate(lines) if is_record(s)]
        for _ in range(rng.choice([1, 5, 100])):
            a, b = rng.choice(part), rng.choice(part)
            if legend_of(lines, a) is not None and \
                    legend_of(lines, b) is not None:
                lines[a], lines[b] = lines[b], lines[a]
        return 'lines moved', False
    if kind == 17:
        n = rng.choice([1, 3, 200])
        lines[i:i] = [lines[i]] * n
        return 'line %d again, %d times' % (i + 1, n), True
    if kind == 18:
        k = pick(rng, lines, lambda s: s.startswith(b'##'))
        lines[k] = rng.choice([
            b'##end', b'##end\t-1', b'##end\tx', b'##end\t99999999999999999999',
            b'##dlp\t2', b'##dlp', b'##info', b'##note\tx', b'##note\tx\tabc',
            b'##note\tx\t9223372036854775807', b'##', b'#', b'##cmd',
            b'##info\tmode\t' + b'm' * 70000])
        return 'line %d is %r' % (k + 1, lines[k][:30]), True
    k = rng.randrange(len(f))
    f[k] = rng.choice([b'1', b'x', b'[', b'\\x41', b'{"a":[']) * \
        rng.choice([1000, 100000, 700000])
    lines[i] = b'\t'.join(f)
    return 'field %d of line %d is %d bytes' % (k, i + 1, len(f[k])), k > 0


def case(rng, folder, log):
    key, lines = stream(rng, folder)
    log('base: %s, %s' % key)
    whole = True
    for _ in range(rng.choice([1, 1, 2, 4])):
        what, still = break_it(rng, lines)
        whole = whole and still
        log('broken: ' + what)
    # more or fewer records than ##end says are a note, no error
    n = 0
    for j, s in enumerate(lines):
        if s.startswith(b'##dlp'):
            n = 0
        elif is_record(s):
            n += 1
        elif re.match(rb'##end\t\d+$', s) and rng.random() < 0.9:
            lines[j] = b'##end\t%d' % n
    path = os.path.join(folder, 's')
    with open(path, 'wb') as f:
        f.write(b'\n'.join(lines) + b'\n')
    for args in rng.sample(COMMANDS, 5):
        log('run: ' + ' '.join(args))
        rc, out, _ = run(args + [path])
        if rc == 0 and whole:
            for _ in records(out):
                pass
    sinks(rng, path, log, SINKS + [EVENTS], 3)


if __name__ == '__main__':
    main(__doc__, case)
