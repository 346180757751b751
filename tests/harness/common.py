"""What the parts of the harness share: running commands, and what must hold of
whatever they answer. See tests/README."""
import argparse
import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BIN = os.environ.get('BIN', os.path.join(ROOT, 'build', 'bin'))
ENV = dict(os.environ, LC_ALL='C', TZ='UTC',
           PATH=BIN + ':' + ROOT + '/pipelines:' + os.environ['PATH'])
LIMIT = 60  # seconds for one command


class Broken(Exception):
    """What must hold does not."""


def run(args, stdin=None):
    """Runs a command; returns its exit status, output and messages. A crash, a
    report of a sanitizer and a command without end are Broken."""
    name = os.path.basename(args[0])
    try:
        p = subprocess.run(args, env=ENV, stdin=stdin or subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise Broken('%s: no end after %d s' % (' '.join(args), LIMIT))
    err = p.stderr.decode('utf-8', 'replace')
    if p.returncode not in (0, 1, 2) or 'Sanitizer' in err or \
            'runtime error' in err:
        raise Broken('%s: exit status %d\n%s'
                     % (' '.join(args), p.returncode, err[:4000]))
    if p.returncode == 1 and name not in ('dlp-advise', 'dlp-diff'):
        raise Broken('%s: exit status 1\n%s' % (' '.join(args), err[:1000]))
    lines = err.splitlines()
    said = 'dlp-' if name in ('dlp', 'dlprof') else name + ': '
    for line in lines:
        if not line.startswith((said, name + ': ', name + ' ') + tuple(
                a + ': ' for a in args[1:])):  # reports name the file
            raise Broken('%s: a message without its name: %s'
                         % (' '.join(args), line[:300]))
    if p.returncode == 2 and not lines:
        raise Broken('%s: exit status 2 without a message' % ' '.join(args))
    return p.returncode, p.stdout, err


def records(out):
    """The records of a stream as (type, {column: value}) or, for lines that
    begin with ##, (word, rest). Broken if a record has not the number of
    fields of its legend, or a section not the number of records it says."""
    legends, n = {}, 0
    for line in out.split(b'\n')[:-1]:
        if line.startswith(b'##'):
            word, _, rest = line.partition(b'\t')
            if word == b'##dlp':
                legends, n = {}, 0
            elif word == b'##end' and int(rest) != n:
                raise Broken('##end says %s, there are %d records'
                             % (rest.decode(), n))
            yield word.decode(), rest
            continue
        f = line.split(b'\t')
        if line.startswith(b'#'):
            legends[f[0][1:]] = [c.decode() for c in f[1:]]
            continue
        n += 1
        cols = legends.get(f[0])
        if cols is None:
            raise Broken('a record without a legend: %r' % line[:200])
        if len(cols) + 1 != len(f):
            raise Broken('%d fields, not %d: %r'
                         % (len(f), len(cols) + 1, line[:300]))
        yield f[0].decode(), dict(zip(cols, f[1:]))


def counts(out):
    """How many records of each type there are, and what the notes add up to."""
    n, notes = {}, {}
    for tag, rest in records(out):
        if tag == '##note':
            name, value = rest.decode('utf-8', 'replace').split('\t')
            notes[name] = notes.get(name, 0) + int(value)
        elif not tag.startswith('#'):
            n[tag] = n.get(tag, 0) + 1
    return n, notes


def check_table(out, form):
    """What a sink wrote is whole, for a reader that is not ours."""
    text = out.decode('utf-8', 'surrogateescape')
    if form == 'stream':
        counts(out)
    elif form == 'json':
        json.loads(text)
    elif form == 'jsonl':
        for line in text.splitlines():
            json.loads(line)
    elif form == 'csv':
        csv.field_size_limit(1 << 30)
        widths = {len(r) for r in csv.reader(io.StringIO(text, newline=''))}
        if len(widths) > 1:
            raise Broken('rows of %s fields' % sorted(widths))
    elif form == 'tsv':
        widths = {line.count('\t') for line in text.split('\n')[:-1]}
        if len(widths) > 1:
            raise Broken('rows of %s fields' % sorted(widths))


def main(doc, case):
    """Calls case(rng, folder, log) for one seed after the other. What it
    logged is printed when it fails, with the seed; its folder is kept."""
    ap = argparse.ArgumentParser(description=doc)
    ap.add_argument('--seed', type=int, default=None,
                    help='the first seed (default: 1, with --time 0 the clock)')
    ap.add_argument('--count', type=int, default=None, help='so many seeds')
    ap.add_argument('--time', type=float, default=20,
                    help='stop after so many seconds (20); 0 is never')
    ap.add_argument('--keep', default=None, metavar='DIR',
                    help='where the inputs of failures are left')
    ap.add_argument('--all', action='store_true', help='go on after a failure')
    a = ap.parse_args()
    seed = a.seed
    if seed is None:
        seed = 1 if a.time else int(time.time())
    first, end, bad = seed, time.monotonic() + a.time, 0
    keep = a.keep or os.path.join(tempfile.gettempdir(), 'dlp-harness')
    while (a.count is None or seed < first + a.count) and \
            (a.time == 0 or time.monotonic() < end):
        folder = tempfile.mkdtemp(prefix='dlp-harness.')
        log = []
        try:
            case(random.Random(seed), folder, log.append)
        except (Broken, ValueError) as e:
            bad += 1
            left = os.path.join(keep, '%s.%d' % (
                os.path.basename(sys.argv[0]), seed))
            shutil.rmtree(left, ignore_errors=True)
            shutil.copytree(folder, left)
            print('seed %d: %s' % (seed, e))
            for line in log:
                print('  ' + line)
            print('  its files are in ' + left, flush=True)
            if not a.all:
                sys.exit(1)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        seed += 1
    print('seeds %d to %d: %d failed' % (first, seed - 1, bad))
    sys.exit(bad > 0)
