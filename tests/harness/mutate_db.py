"""Breaks databases as SQL can: NULL, other types, columns and tables that are
missing, rows twice, huge texts, numbers that overflow, ids that are swapped; and
some as disks can: bytes that are other ones, pages that are missing. No command may crash, write a broken row, or lose a row without saying so."""
import os
import sqlite3
import subprocess

from common import BIN, ENV, ROOT, Broken, check_table, counts, main, run

BASES = ['lenet', 'loader', 'ddp0', 'h200/everything', 'h200/graph_infer_node',
         'h200/graph_infer_graph', 'h200/lenet_emitnvtx_train',
         'h200/compile_train']
# an event table, and the records that its rows become
TABLES = {
    'CUPTI_ACTIVITY_KIND_KERNEL': ('kern',),
    'CUPTI_ACTIVITY_KIND_MEMCPY': ('copy',),
    'CUPTI_ACTIVITY_KIND_MEMSET': ('set',),
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': ('sync',),
    'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': ('graph',),
    'NVTX_EVENTS': ('range', 'mark'),
    'CUDA_GPU_MEMORY_USAGE_EVENTS': ('mem',),
    'OSRT_API': ('os',),
    'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL': ('kern',),  # of nvprof
}
VALUES = ['NULL', "'abc'", "''", "'12abc'", "x'00ff'", '1.5', '-1', '0',
          '9223372036854775807', '-9223372036854775808', '9e999', '1e30',
          '4611686018427387904', '16777216', 'rowid', "CAST(x'ff80' AS TEXT)",
          "'a' || char(10) || char(9) || char(0) || 'b'", "'-'", "'\\'",
          "'[[1'", "'('", "'aten::mm, seq = 1, sizes = [[2, 3], [3'", '2147483648',
          '-9223372036854775807', '-1e300', '9.3e18']
# filters that pass on what they read
FILTERS = [
    ['dlp-correlate'], ['dlp-correlate', '--ranges'], ['dlp-correlate', '-D'],
    ['dlp-iter'], ['dlp-iter', '-k', 'iteration', '--cuts', '--stable'],
    ['dlp-iter', '--cuts'], ['dlp-flops'], ['dlp-rate'], ['dlp-busy'],
    ['dlp-gaps'], ['dlp-phases'], ['dlp-expose'], ['dlp-waits'], ['dlp-mem'],
    ['dlp-tree'], ['dlp-ranks'], ['dlp-advise'], ['dlp-markers'],
]
# commands that write something else, and what that is
SINKS = [
    (['dlp-fmt', '--csv'], 'csv'), (['dlp-fmt', '--tsv', '-T', 'op'], 'tsv'),
    (['dlp-fmt', '--json'], 'json'), (['dlp-fmt', '-H'], ''),
    (['dlp-fmt', '--json', '-T', 'inst'], 'json'),
    (['dlp-fmt', '--jsonl', '-T', 'range'], 'jsonl'),
    (['dlp-fmt', '--csv', '-T', 'copy'], 'csv'),
    (['dlp-fmt', '--md'], ''), (['dlp-fmt', '--xtab', '-T', 'iter'], ''),
    (['dlp-fmt', '--pyprof'], ''), (['dlp-trace'], 'json'),
    (['dlp-folded'], ''), (['dlp-openmetrics'], ''), (['dlp-overview', '-s'], ''),
    (['dlp-html', '-d'], 'json'), (['dlp-html'], ''),
    (['dlp-html', '-d', '-m', '7', '-p'], 'json'), (['dlp-html', '-m', '7'], ''),
    (['dlp-coverage'], ''),
    (['dlp-agg', '-g', 'op,dir', '-a', 'count,sum,p50,union'], 'stream'),
    (['dlp-agg', '-T', 'kern,copy', '--sort', '-sum_dur_ns', '-n', '5', '--rest',
      '-g', 'short'], 'stream'),
    (['dlp-stats', '-r', 'cuda_gpu_kern_sum,nvtx_pushpop_sum', '-f', 'csv'], ''),
    (['dlp-stats', '-r', 'cuda_gpu_kern_sum,nvtx_sum,cuda_api_trace'], ''),
    (['dlp-stats', '-f', 'csv', '-r', 'nvtx_gpu_proj_sum'], ''),
]
_bases = {}


def base(name, folder):
    """That profile, without constraints, so that everything can be broken."""
    if name not in _bases:
        path = os.path.join(folder, 'base')
        xz = os.path.join(ROOT, 'tests', 'data', name + '.sqlite.xz')
        with open(path, 'wb') as f:
            subprocess.run(['xz', '-dc', xz], stdout=f, check=True)
        db = sqlite3.connect(path)
        for (t,) in db.execute("SELECT name FROM sqlite_master WHERE "
                               "type = 'table'").fetchall():
            n = 12 if t.startswith('ENUM') else 400
            if t in ('StringIds', 'CUDA_GRAPH_NODE_EVENTS'):
                n = 1 << 30
            db.execute('CREATE TABLE new AS SELECT * FROM "%s" LIMIT %d'
                       % (t, n))
            db.execute('DROP TABLE "%s"' % t)
            db.execute('ALTER TABLE new RENAME TO "%s"' % t)
        db.commit()
        db.execute('VACUUM')
        db.close()
        with open(path, 'rb') as f:
            _bases[name] = f.read()
        os.unlink(path)
    return _bases[name]


def filled(db):
    return [t for (t,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'ENUM%'")
        if db.execute('SELECT 1 FROM "%s" LIMIT 1' % t).fetchone()]


def mutation(rng, db):
    """A statement that breaks something."""
    tables = filled(db)
    likely = [t for t in tables if t in TABLES or t in (
        'StringIds', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'TARGET_INFO_GPU',
        'CUDA_GRAPH_NODE_EVENTS')]
    t = rng.choice(likely if likely and rng.random() < 0.85 else tables)
    cols = [r[1] for r in db.execute('PRAGMA table_info("%s")' % t)]
    c, d = rng.choice(cols), rng.choice(cols)
    some = rng.choice(['', ' WHERE rowid = %d' % rng.randint(1, 200),
                       ' WHERE rowid %% %d = %d' % (rng.choice([2, 3, 7]),
                                                    rng.randint(0, 1)),
                       ' WHERE rowid > %d' % rng.randint(1, 300)])
    number = rng.choice([1, -1, 255, 1 << 31, 1 << 40, 1 << 62, 10 ** 9])
    texts = [x for x in cols if x in ('value', 'text', 'name')]
    kind = rng.randrange(15)
    if kind <= 3:
        value = rng.choice(VALUES + [
            'CAST("%s" AS TEXT)' % c, 'CAST("%s" AS BLOB)' % c, '-"%s"' % c,
            '(SELECT max(rowid) FROM "%s") - rowid' % t])
        return 'UPDATE "%s" SET "%s" = %s%s' % (t, c, value, some)
    if kind == 4:
        if len(cols) > 1:
            return 'ALTER TABLE "%s" DROP COLUMN "%s"' % (t, c)
        kind = 6
    if kind == 5:
        return 'ALTER TABLE "%s" RENAME COLUMN "%s" TO odd' % (t, c)
    if kind == 6:
        return rng.choice(['DROP TABLE "%s"', 'DELETE FROM "%s"',
                           'ALTER TABLE "%s" RENAME TO odd']) % t
    if kind == 7:
        return 'INSERT INTO "%s" SELECT * FROM "%s"%s' % (t, t, some)
    if kind == 8 and texts:
        n = rng.choice([300, 5000, 70000, 1000000])
        return ('UPDATE "%s" SET "%s" = "%s" || replace(hex(zeroblob(%d)), '
                "'00', '%s') WHERE rowid %% %d = 0"
                % (t, texts[0], texts[0], n, rng.choice(
                    ['x', 'é', ',[', '{"a":', '::', '\\\\', '<>(']),
                   3 if n < 10000 else 100))
    if kind == 9:
        return 'UPDATE "%s" SET "%s" = "%s" + %d%s' % (t, c, c, number, some)
    if kind == 10:
        return 'UPDATE "%s" SET "%s" = "%s"%s' % (t, c, d, some)
    if kind == 11:
        return ('UPDATE "%s" SET "%s" = (SELECT "%s" FROM "%s" b WHERE '
                'b.rowid = "%s".rowid * 7919 %% 97 + 1)%s'
                % (t, c, c, t, t, some))
    if kind == 12 and 'start' in cols and 'end' in cols:
        return rng.choice([
            'UPDATE "%s" SET start = end, end = start%s',
            'UPDATE "%s" SET start = start - 100000%s',
            'UPDATE "%s" SET end = end + 1000000000%s',
            'UPDATE "%s" SET start = -start, end = -end%s']) % (t, some)
    if kind == 13 and texts:
        return ('UPDATE "%s" SET "%s" = substr("%s", 1, %d)%s'
                % (t, texts[0], texts[0], rng.randint(0, 90), some))
    if kind == 14 and texts:
        old, new = rng.choice([
            ('[', '[['), (']', ''), (',', ',,'), ("'", '"'), ('1', '99999999'),
            ('2', '-'), ('seq = ', 'seq = 18446744073709551615'), ('6', '6e9'),
            ('op_id', 'seq'), ('{', '{{'), ('}', ''), (':', ''), ('(', ')'),
            ('aten', 'autograd::engine::evaluate_function: aten'),
            ('iteration', 'x'), (' ', '\t'), ('a', 'é'), ('3', '')])
        return 'UPDATE "%s" SET "%s" = replace("%s", %s, %s)%s' % (
            t, texts[0], texts[0], "'%s'" % old.replace("'", "''"),
            "'%s'" % new.replace("'", "''"), some)
    return 'DELETE FROM "%s"%s' % (t, some)


def break_it(rng, path, log):
    """Returns whether SQL can still tell what is in the database."""
    db = sqlite3.connect(path)
    for _ in range(rng.choice([1, 1, 2, 3, 6, 15])):
        sql = mutation(rng, db)
        log('sql: ' + sql[:300])
        try:
            db.execute(sql)
        except (sqlite3.Error, sqlite3.Warning) as e:
            log('  ' + str(e))
        db.commit()
    db.close()
    return rng.random() < 0.7 or damage(rng, path, log)


def damage(rng, path, log):
    """Other bytes, mostly in the heads of pages and in the schema, a page in the
    place of another one, or the last ones missing."""
    with open(path, 'rb') as f:
        s = bytearray(f.read())
    size = 4096
    n = len(s) // size
    for _ in range(rng.choice([1, 2, 4, 8])):
        # but for the file's first bytes, which say that it is a database
        at = rng.choice([
            rng.randrange(16, 110), rng.randrange(110, size),
            rng.randrange(n) * size + rng.randrange(16, size),
            rng.randrange(1, n) * size + rng.randrange(16)])
        s[at] ^= rng.randrange(1, 256)
        log('byte %d is %d' % (at, s[at]))
    kind = rng.randrange(10)
    if kind < 4:
        at, other = rng.randrange(n) * size, rng.randrange(n) * size
        s[at:at + size] = s[other:other + size]
        log('page at %d instead of that at %d' % (other, at))
    elif kind == 4:
        del s[rng.randrange(n) * size:]
        log('cut off at %d' % len(s))
    write(path, s)
    return False


def check_lost(path, out, err):
    """Rows of event tables are records, or counted in notes, or their table is
    named in a message."""
    n, notes = counts(out)
    db = sqlite3.connect(path)
    there = {r[0] for r in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")}
    lost, names = 0, []
    for t, tags in TABLES.items():
        if t not in there:
            continue
        rows = db.execute('SELECT count(*) FROM "%s"' % t).fetchone()[0]
        have = sum(n.get(tag, 0) for tag in tags)
        if have > rows:
            raise Broken('%s has %d rows, there are %d records'
                         % (t, rows, have))
        if have < rows and t not in err:
            lost += rows - have
            names.append('%s: %d of %d' % (t, rows - have, rows))
    db.close()
    if lost > sum(notes.values()):
        raise Broken('lost without a note: %s; notes: %s'
                     % (', '.join(names), notes))


def case(rng, folder, log):
    name = rng.choice(BASES)
    data = base(name, folder)
    path = os.path.join(folder, 'p.sqlite')
    with open(path, 'wb') as f:
        f.write(data)
    log('base: ' + name)
    can_tell = break_it(rng, path, log)
    args = ['dlp-parse'] + rng.choice([[], [], ['--rows', '--kernel-names'],
                                       ['--src']])
    log('run: ' + ' '.join(args))
    rc, out, err = run(args + [path])
    if rc != 0:
        return
    if can_tell:
        check_lost(path, out, err)
    stages(rng, folder, log, out)


def stages(rng, folder, log, out):
    """Some filters after one another, then some sinks."""
    now = os.path.join(folder, 's')
    write(now, out)
    before = counts(out)[0]
    chain = [f for f in FILTERS if rng.random() < 0.45]
    for f in chain:
        log('run: ' + ' '.join(f))
        rc, out, _ = run(f + [now])
        if rc != 0:
            log('  exit status %d' % rc)
            continue
        after = counts(out)[0]
        for tag in ('kern', 'copy', 'set', 'sync', 'graph', 'mem'):
            if after.get(tag, 0) != before.get(tag, 0):
                raise Broken('%s: %d %s records of %d' % (
                    f[0], after.get(tag, 0), tag, before.get(tag, 0)))
        write(now, out)
    sinks(rng, now, log, SINKS, 4)


def sinks(rng, path, log, choice, n):
    """So many of these commands."""
    for args, form in rng.sample(choice, n):
        log('run: ' + ' '.join(args))
        rc, out, _ = run(args + [path])
        if rc == 0:
            check_table(out, form)


def write(path, data):
    with open(path, 'wb') as f:
        f.write(data)


if __name__ == '__main__':
    main(__doc__, case)
