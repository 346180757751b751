"""Random profiles, held against a second opinion: what the manuals say, computed
from the tables in the slowest and plainest way. It knows nothing of the C code."""
import os
import re
import sqlite3

from common import Broken, main, records, run
from random_profile import write

K = 'CUPTI_ACTIVITY_KIND_'
WORK = {K + 'KERNEL': 'kern', K + 'MEMCPY': 'copy', K + 'MEMSET': 'set',
        K + 'GRAPH_TRACE': 'graph', K + 'SYNCHRONIZATION': 'sync'}
ON_DEVICE = ('kern', 'copy', 'set', 'graph')
FRAME = 'autograd::engine::evaluate_function: '


class Row:
    """A row of a table, its columns as members."""

    def __init__(self, **members):
        self.__dict__.update(members)


def union(spans):
    """The time that is covered by at least one of the spans."""
    total, end = 0, None
    for lo, hi in sorted(spans):
        if end is None or lo > end:
            total += hi - lo
            end = hi
        elif hi > end:
            total += hi - end
            end = hi
    return total


def minus(spans, others):
    """The time covered by spans and by none of the others."""
    return union(spans + others) - union(others)


class Truth:
    """What is in a profile."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        self.names = {r['id']: r['value']
                      for r in self.table('StringIds')}
        self.read_ranges()
        self.read_calls()
        self.read_nodes()
        self.work = [w for t, tag in WORK.items()
                     for w in self.read_work(t, tag)]
        self.memory = self.table('CUDA_GPU_MEMORY_USAGE_EVENTS')
        self.db.close()

    def table(self, name):
        try:
            return self.db.execute(
                'SELECT rowid AS idx, * FROM %s' % name).fetchall()
        except sqlite3.OperationalError:
            return []

    def read_ranges(self):
        self.ranges = []
        for r in self.table('NVTX_EVENTS'):
            text = r['text']
            seq = re.search(r', seq = (\d+)', text)
            op_id = re.search(r', op_id = (\d+)', text)
            inputs = re.search(r'input_op_ids = \[\((\d+),', text)
            self.ranges.append(Row(
                lo=r['start'], hi=r['end'], text=text, pid=r['globalTid'] >> 24,
                tid=r['globalTid'] & 0xffffff,
                seq=seq and int(seq.group(1)), op_id=op_id and
                int(op_id.group(1)), input=inputs and int(inputs.group(1)),
                name=text.split(',')[0], framework=op_id is not None))
        self.ranges.sort(key=lambda r: r.lo)

    def around(self, pid, tid, at):
        """The ranges open there and then, the outermost first."""
        return [r for r in self.ranges
                if r.pid == pid and r.tid == tid and r.lo < at < r.hi]

    def read_calls(self):
        self.calls = []
        for r in self.table(K + 'RUNTIME'):
            self.calls.append(Row(
                lo=r['start'], hi=r['end'], pid=r['globalTid'] >> 24,
                tid=r['globalTid'] & 0xffffff, corr=r['correlationId'],
                name=self.names[r['nameId']], work=[]))

    def read_nodes(self):
        self.nodes = {}
        for r in self.table('CUDA_GRAPH_NODE_EVENTS'):
            self.nodes[r['graphNodeId']] = r

    def captured(self, node):
        """The row of the node that this one was cloned from in the end."""
        r = self.nodes[node]
        while r['originalGraphNodeId'] is not None:
            r = self.nodes[r['originalGraphNodeId']]
        return r

    def read_work(self, table, tag):
        out = []
        for r in self.table(table):
            pid = r['globalPid'] >> 24
            call, = [c for c in self.calls
                     if c.pid == pid and c.corr == r['correlationId']]
            w = Row(tag=tag, idx=r['idx'], lo=r['start'], hi=r['end'], pid=pid,
                    dev=r['deviceId'], stream=r['streamId'], call=call,
                    row=r, node=None)
            call.work.append(w)
            if tag == 'kern':
                w.node = r['graphNodeId']
                w.name = self.names[r['shortName']]
            w.run = self.run_at(pid, call.tid, call.lo)
            w.of_capture = None  # the run in which its node was captured
            if w.node is not None:
                c = self.captured(w.node)
                w.of_capture = self.run_at(pid, c['globalTid'] & 0xffffff,
                                           c['start'])
            w.by = w.of_capture or w.run
            out.append(w)
        return out

    def run_at(self, pid, tid, at):
        """The outermost range with a framework's text there and then."""
        for r in self.around(pid, tid, at):
            if r.framework:
                return r
        return None

    def outermost(self, r):
        return self.run_at(r.pid, r.tid, r.lo + 0.5)

    def forward_of(self, frame):
        """The forward op of a backward frame."""
        inside = [r for r in self.ranges if r.pid == frame.pid and
                  r.tid == frame.tid and frame.lo < r.lo < frame.hi]
        node = inside[0]
        if node.seq is not None:
            match = [r for r in self.ranges
                     if r.pid == frame.pid and r.seq == node.seq and
                     r.lo < node.lo and
                     not self.outermost(r).text.startswith(FRAME)]
            return self.outermost(match[-1]) if match else None
        made = [r for r in self.ranges if r.pid == frame.pid and
                r.op_id == node.input]
        op = self.outermost(made[0])
        return self.forward_of(op) if op.text.startswith(FRAME) else op

    def op(self, run):
        """(op, dir, layer) of a run of an op."""
        forward = run
        if run.text.startswith(FRAME):
            forward = self.forward_of(run)
        layer = '/'.join(r.text for r in
                         self.around(forward.pid, forward.tid, forward.lo)
                         if not r.framework and not r.text.startswith('step '))
        return (forward.name.replace('aten::', ''),
                'fprop' if forward is run else 'bprop', layer or '-')

    def runs(self):
        return [r for r in self.ranges
                if r.framework and self.outermost(r) is r]

    def steps(self):
        return [r for r in self.ranges if r.text.startswith('step ')]

    def devices(self):
        return sorted({w.dev for w in self.work if w.tag in ON_DEVICE})

    def spans(self, dev, *tags):
        return [(w.lo, w.hi) for w in self.work
                if w.tag in tags and w.dev == dev]


def compare(what, want, got):
    """Broken if two lists differ, whatever their order."""
    want, got = sorted(want, key=repr), sorted(got, key=repr)
    if want == got:
        return
    missing = [w for w in want if w not in got]
    extra = [g for g in got if g not in want]
    raise Broken('%s: %d rows, %d are right\n    want %s\n    got  %s' % (
        what, len(got), len(want), missing[:4], extra[:4]))


def pipe(path, *stages):
    """The records after the stages; each is a list of words."""
    args = ['dlp-parse'] + (path if isinstance(path, list) else [path])
    _, out, err = run(args)
    folder = os.path.dirname(args[-1])
    now = os.path.join(folder, 'stream')
    for stage in stages:
        with open(now, 'wb') as f:
            f.write(out)
        rc, out, err = run(list(stage) + [now])
        if rc != 0:
            raise Broken('%s: %s' % (stage[0], err))
    return list(records(out))


def of(recs, tag, *cols):
    """These columns of the records of a type: numbers where they are."""
    out = []
    for t, r in recs:
        if t == tag:
            row = []
            for c in cols:
                v = r.get(c, b'-').decode()
                row.append(None if v == '-' else
                           int(v) if re.match(r'-?\d+$', v) else v)
            out.append(tuple(row))
    return out


def note(recs, name):
    return sum(int(r.split(b'\t')[1]) for t, r in recs
               if t == '##note' and r.startswith(name.encode() + b'\t'))


def check_work(t, recs):
    """Each piece of work, its call and its op."""
    for tag in WORK.values():
        want = []
        for w in t.work:
            if w.tag != tag:
                continue
            alone = len(w.call.work) == 1
            op, direction, layer = t.op(w.by) if w.by else (None, None, None)
            want.append((w.lo, w.hi - w.lo, w.pid, w.call.tid, w.dev, w.stream,
                         w.call.lo, w.call.hi - w.call.lo if alone else None,
                         op, direction, layer if layer != '-' else None))
        got = of(recs, tag, 'start_ns', 'dur_ns', 'pid', 'tid', 'dev', 'stream',
                 'api_start_ns', 'api_dur_ns', 'op', 'dir', 'layer', 'why')
        # without an op: op is a name made up for it, and why says why
        compare(tag, want, [
            g[:11] if g[11] is None else g[:8] + (None, None, None)
            for g in got])


def check_calls(t, recs):
    """A call that launched one piece of work stands with that, others alone."""
    compare('call', [(c.lo, c.hi - c.lo, c.pid, c.tid, len(c.work))
                     for c in t.calls if len(c.work) != 1],
            of(recs, 'call', 'start_ns', 'dur_ns', 'pid', 'tid', 'n_gpu'))
    early = [w for w in t.work if w.lo < w.call.lo and w.tag != 'sync']
    got = note(recs, 'gpu_before_call')
    syncs = len([w for w in t.work if w.lo < w.call.lo and w.tag == 'sync'])
    if not len(early) <= got <= len(early) + syncs:
        raise Broken('gpu_before_call: %d, not %d' % (got, len(early)))


def gpu_ns(work):
    """The union of its times, summed over the devices."""
    return sum(union([(w.lo, w.hi) for w in work if w.dev == d])
               for d in {w.dev for w in work})


def check_runs(t, recs):
    """Runs of ops: their times, and what ran in them."""
    want, cpu = [], []
    for r in t.runs():
        work = [w for w in t.work if w.by is r and w.run is r and
                w.of_capture is None and w.tag in ON_DEVICE]
        calls = [c for c in t.calls if t.run_at(c.pid, c.tid, c.lo) is r]
        launched = [c for c in calls if any(w.node is not None and w.by is not r
                                            for w in c.work)]
        op, direction, layer = t.op(r)
        if launched:
            continue
        api = union([(c.lo, c.hi) for c in calls])
        want.append((r.lo, r.hi - r.lo, r.pid, r.tid, op, direction,
                     gpu_ns(work), len(work),
                     len([w for w in work if w.tag == 'kern']), len(calls),
                     r.hi - r.lo - api))
        cpu.append(r.lo)
    got = of(recs, 'inst', 'start_ns', 'dur_ns', 'pid', 'tid', 'op', 'dir',
             'gpu_ns', 'n_gpu', 'n_kern', 'n_call', 'overhead_ns')
    compare('inst', want, [g for g in got if g[0] in cpu])


def check_sums(t, path):
    """dlp-agg's sums by op."""
    sums = {}
    for w in t.work:
        if w.tag in ON_DEVICE and w.by:
            k = t.op(w.by)[:2]
            n, ns = sums.get(k, (0, 0))
            sums[k] = n + 1, ns + w.hi - w.lo
    got = pipe(path, ['dlp-correlate'],
               ['dlp-agg', '-T', 'kern,copy,set,graph', '-g', 'op,dir', '-a',
                'count,sum', '--where', 'why==-'])
    compare('sums by op', [k + v for k, v in sums.items()],
            of(got, 'agg', 'op', 'dir', 'n', 'sum_dur_ns'))


def check_busy(t, recs):
    """Busy and idle time of each device, without steps."""
    want = []
    for d in t.devices():
        kern = t.spans(d, 'kern')
        graph = t.spans(d, 'graph')
        mem = t.spans(d, 'copy', 'set')
        every = kern + graph + mem
        span = max(h for _, h in every) - min(lo for lo, _ in every)
        want.append((d, union(kern), minus(graph, kern),
                     minus(mem, kern + graph), span))
    got, total = {}, {}
    for d, c, ns in of(recs, 'busy', 'dev', 'class', 'dur_ns'):
        got[d, c] = got.get((d, c), 0) + (ns or 0)
        total[d] = total.get(d, 0) + (ns or 0)
    compare('busy', want, [
        (d, got[d, 'kern'] + got[d, 'tc'], got[d, 'graph'], got[d, 'mem'],
         total[d]) for d in total])


MS = 1000000
ALLOCATES = 'cudaMalloc', 'cudaFree'


def clip(spans, lo, hi):
    """The time in lo..hi that at least one of the spans covers."""
    return union([(max(a, lo), min(b, hi)) for a, b in spans
                  if a < hi and b > lo])


def gap_class(t, lo, hi, w, named=True):
    """The classes that man/dlp-gaps.1 allows for a gap that work w ends; named:
    a launch says which op is open."""
    call = w.call
    waited = hi - call.hi
    if call.hi <= lo:
        return {'queued'}
    if waited >= MS and 2 * waited >= hi - lo:
        first = min(x.lo for x in t.work if (x.dev, x.stream, x.pid) == (
            w.dev, w.stream, w.pid) and x.tag in ON_DEVICE) == w.lo
        return {'queued', 'unknown'} if first else {'queued'}
    calls = [c for c in t.calls if c.pid == w.pid]
    runs = [r for r in t.runs() if r.pid == w.pid and
            (named or r.hi <= call.lo)]
    to = min(call.hi, hi)
    now = to - lo
    if hi < call.lo and now >= MS:  # other work can have begun by then
        return {'unknown', 'host-only', 'launch-bound', 'after-sync', 'sync',
                'startup', 'allocation'}

    def spans(of, tids):
        return [(x.lo, x.hi) for x in of if x.tid in tids]

    tids = {call.tid}
    if 2 * clip(spans(calls + runs, tids), lo, to) < now:
        tids = {x.tid for x in calls + runs}
    kinds = {'allocation': [c for c in calls if c.name.startswith(ALLOCATES)],
             'sync': [c for c in calls if 'Synchronize' in c.name]}
    other = [c for c in calls if c not in kinds['allocation'] + kinds['sync']]
    long = {k: max([min(c.hi, to) - max(c.lo, lo) for c in v
                    if c.tid in tids] or [0])
            for k, v in (('other', other), ('alloc', kinds['allocation']))}
    got = None
    for kind, of in kinds.items():
        if got is None and 2 * clip(spans(of, tids), lo, to) >= now:
            got = kind
    if got == 'allocation' and long['alloc'] >= 100 * MS or got is None and \
            long['other'] >= 10 * MS and 2 * long['other'] >= now:
        return {'startup'}
    if got is not None:
        return {got}
    most = 2 * clip(spans(other + runs, tids), lo, to) >= now
    if any(c.lo <= lo < c.hi for c in kinds['sync']) and (most or now < 10 * MS):
        return {'after-sync'}
    if most or now < MS:
        return {'launch-bound'}
    every = 2 * clip(spans(calls + runs, tids), lo, to) >= now
    return {'unknown'} if every else {'host-only'}


def check_gaps(t, recs):
    """Each gap of a device, and its class."""
    at = {}
    for d in t.devices():
        end = None
        for w in sorted((w for w in t.work if w.tag in ON_DEVICE and w.dev == d),
                        key=lambda w: (w.lo, -w.hi)):
            if end is not None and w.lo > end:
                at[d, end, w.lo] = [x for x in t.work if x.tag in ON_DEVICE
                                    and (x.dev, x.lo) == (d, w.lo)]
            end = max(w.hi, end or 0)
    got = {(d, lo, lo + ns): c for d, lo, ns, c in of(
        recs, 'gap', 'dev', 'start_ns', 'dur_ns', 'class')}
    compare('gaps', list(at), list(got))
    for k, works in at.items():
        # a graph's kernels do not say in which op it was launched
        may = set().union(*(gap_class(t, k[1], k[2], w, named)
                            for w in works for named in (True, w.node is None)))
        if got[k] not in may:
            raise Broken('gap of device %d, %d to %d: %s, not %s'
                         % (k + (got[k], '/'.join(may))))


def check_exposed(t, recs):
    """Copies that nothing hides, by device and kind of copy."""
    groups, got = {}, {}
    for w in t.work:
        if w.tag == 'copy':
            k = w.dev, w.row['copyKind'], w.row['srcKind'], w.row['dstKind']
            groups.setdefault(k, []).append((w.lo, w.hi))
    for d, k, s, e, u, x in of(recs, 'xfer', 'dev', 'kind', 'src_mem',
                               'dst_mem', 'union_ns', 'exposed_ns'):
        n = got.setdefault((d, k, s, e), [0, 0])
        n[0] += u
        n[1] += x
    compare('exposed', [(k[0], union(v), minus(v, t.spans(k[0], 'kern', 'graph')))
                        for k, v in groups.items()],
            [(k[0], v[0], v[1]) for k, v in got.items()])


def check_memory(t, recs):
    """The most memory in use at once, of all processes."""
    want = {}
    for e in sorted(t.memory, key=lambda e: e['start']):
        space = 'device' if e['memKind'] == 2 else 'host'
        s = want.setdefault((e['deviceId'], space), [0, 0, 0, 0])
        op = e['memoryOperationType']
        s[0] += -e['bytes'] if op else e['bytes']
        s[1] = max(s[0], s[1])
        s[2 + op] += 1
    got = [g for g in of(recs, 'peak', 'dev', 'space', 'peak_bytes',
                         'end_bytes', 'n_alloc', 'n_free')
           if g[2] is not None]
    compare('memory', [k + (v[1], v[0], v[2], v[3]) for k, v in want.items()],
            got)


def check_steps(t, recs):
    """Steps of one process: their kernels and busy time on the GPU."""
    if len({r.pid for r in t.ranges}) > 1:
        return # which steps are put together is another question
    want = []
    for r in t.steps():
        mine = [w for w in t.work if w.tag in ON_DEVICE and
                r.lo <= self_time(w) < r.hi]
        want.append((r.text, r.lo, r.hi - r.lo,
                     union([(w.lo, w.hi) for w in mine]),
                     sum(w.hi - w.lo for w in mine if w.tag == 'kern'),
                     len([w for w in mine if w.tag == 'kern'])))
    compare('iter', want, of(recs, 'iter', 'key', 'start_ns', 'dur_ns',
                             'gpu_ns', 'kern_ns', 'n_kern'))


def first_waits(recs):
    """When the first step begins if work from before, which was not recorded,
    held it up: work that waited in its queue while nothing ran, for more than
    1 ms and than all work until then, and a tenth of the step's at most ran
    before. None if there was none."""
    lo = hi = end = None
    for tag, r in recs:
        if tag not in ON_DEVICE:
            continue
        at, ns, call, took = (
            int(r[k]) if r.get(k, b'-') != b'-' else None
            for k in ('start_ns', 'dur_ns', 'api_start_ns', 'api_dur_ns'))
        if at is None or ns is None:
            continue
        if call is not None and took is not None:
            waited = at - max(call + took, call + took if hi is None else hi)
            if waited > max(1000000, 0 if hi is None else hi - lo):
                end = max(at, at if end is None else end)
        lo = at if lo is None else min(lo, at)
        hi = at + ns if hi is None else max(hi, at + ns)
    for i, gpu, done in of(recs, 'iter', 'iter', 'gpu_ns', 'gpu_end_ns'):
        if i == 0 and end is not None and gpu is not None and done is not None:
            return end if gpu - gpu // 10 <= done - end else None
    return None


def check_cuts(recs):
    """A step begins when those before it are over, on all threads that have
    ranges of them, and on the GPU."""
    ends, begins, want, over = {}, {}, [], None
    number = {}
    for i, key, lo in of(recs, 'iter', 'iter', 'key', 'start_ns'):
        number[key], begins[i] = i, lo
    for text, lo, ns in of(recs, 'range', 'text', 'start_ns', 'dur_ns'):
        if text in number and ns is not None:
            i = number[text]
            ends[i] = max(ends.get(i, 0), lo + ns)
    for tag in ON_DEVICE:
        for i, lo, ns in of(recs, tag, 'iter', 'start_ns', 'dur_ns'):
            if i is not None and ns is not None:
                ends[i] = max(ends.get(i, 0), lo + ns)
    over = first_waits(recs)
    for i, lo in sorted(begins.items()):
        want.append((i, lo if over is None else max(lo, over)))
        over = max(over or 0, ends[i])
    compare('begins of steps', want,
            [c for c in of(recs, 'cut', 'iter', 'start_ns')
             if c[0] is not None])


def self_time(w):
    """The moment that says to which iteration work belongs."""
    return w.run.lo if w.run else w.call.lo


def check_step_idle(t, recs):
    """With steps, the gaps of each one, with the time up to the next, add up
    to the time in which nothing runs. Time outside of the steps has no
    iteration, and of that dlp-busy has more: before a device's first work."""
    idle, gaps = {}, {}
    for d, c, ns, i, after in of(recs, 'busy', 'dev', 'class', 'dur_ns', 'iter',
                                 'after'):
        k = d, i if i is not None else after
        if c not in ('kern', 'tc', 'graph', 'mem') and k[1] is not None:
            idle[k] = idle.get(k, 0) + (ns or 0)
    for d, ns, i in of(recs, 'gap', 'dev', 'dur_ns', 'iter'):
        if i is not None:
            gaps[d, i] = gaps.get((d, i), 0) + ns
    compare('idle time of steps', list(idle.items()),
            [(k, gaps.get(k, 0)) for k in idle])
    compare('gaps of steps that dlp-busy has not', [],
            [k for k in gaps if k not in idle])
    compare('idle time until the next step', step_idle(t),
            [(k[0], k[1], v) for k, v in idle.items()
             if k[1] in {i for _, i, _ in step_idle(t)}])


def step_idle(t):
    """(device, step, idle ns) of each step but the last, up to the next one,
    which begins when the work of those before it is over. Of several processes' steps it is another question where they begin."""
    if len({r.pid for r in t.ranges}) > 1:
        return []
    ranges = t.steps()
    at = [max([r.lo] + [w.hi for w in t.work if w.tag in ON_DEVICE and
                        ranges[0].lo <= self_time(w) < r.lo])
          for r in ranges]
    return [(d, i, minus([(lo, hi)], t.spans(d, *ON_DEVICE)))
            for d in t.devices() for i, (lo, hi) in
            enumerate(zip(at, at[1:]))]


def report(name, path):
    """The rows of a report, each a list of fields."""
    rc, out, err = run(['dlp', name, '--tsv', path])
    if rc != 0:
        raise Broken(err)
    return [line.split('\t') for line in out.decode().split('\n')[:-1]]


def check_op_type(t, path):
    """DLProf's report of op types: calls, CPU and GPU time."""
    lines = report('op_type', path)
    at = {c: i for i, c in enumerate(lines[0])}
    want = {}
    for r in t.runs():
        mine = [w for w in t.work if w.by is r and w.run is r and
                w.tag in ON_DEVICE and w.of_capture is None]
        s = want.setdefault(t.op(r)[0], [0, 0, 0])
        s[0] += 1
        s[1] += r.hi - r.lo
        s[2] += gpu_ns(mine)
    got = {f[at['Op Type']].strip('"'): [
        int(f[at[c]]) for c in ('# Calls', 'Total CPU Time (ns)',
                                'Total GPU Time (ns)')] for f in lines[1:]}
    compare('op_type', [(k, v) for k, v in want.items()],
            [(k, v) for k, v in got.items() if k in want])


def check_summary(t, path):
    """DLProf's summary: the sums of kernels and of memory."""
    rows = {tuple(f[:3]): f[3] for f in report('summary', path)[1:]}
    kern = sum(w.hi - w.lo for w in t.work if w.tag in ('kern', 'graph'))
    mem = sum(w.hi - w.lo for w in t.work if w.tag in ('copy', 'set'))
    last = max([w.hi for w in t.work if w.tag in ON_DEVICE] +
               [c.hi for c in t.calls] + [r.hi for r in t.runs()])
    compare('summary', [('all', str(kern + mem)), ('memory', str(mem)),
                        ('wall', str(last))],
            [('all', rows['All Kernels', 'All kernels', 'GPU Time (ns)']),
             ('memory', rows['All Kernels', 'Memory', 'GPU Time (ns)']),
             ('wall', rows['Summary Report', 'Wall Clock Time (ns)', ''])])


def only(recs, src):
    """The records of one file of several."""
    return [(t, r) for t, r in recs
            if t.startswith('#') or r.get('src') == src]


def filters(path):
    return pipe(path, ['dlp-correlate'], ['dlp-busy'], ['dlp-gaps'],
                ['dlp-expose'], ['dlp-mem'])


def check_streams(t, recs):
    check_work(t, recs)
    check_runs(t, recs)
    check_busy(t, recs)
    check_gaps(t, recs)
    check_exposed(t, recs)
    check_memory(t, recs)


def case(rng, folder, log):
    seed = rng.randrange(1 << 30)
    path = os.path.join(folder, 'p.sqlite')
    has = write(seed, path)
    log('profile %d: %s' % (seed, ' '.join(sorted(has))))
    t = Truth(path)
    recs = filters(path)
    check_calls(t, recs)
    check_streams(t, recs)
    check_sums(t, path)
    recs = pipe(path, ['dlp-correlate'], ['dlp-iter', '-k', 'step', '--cuts'],
                ['dlp-busy'], ['dlp-gaps'])
    check_steps(t, recs)
    check_cuts(recs)
    check_step_idle(t, recs)
    if 'graphs' not in has:
        check_op_type(t, path)
    check_summary(t, path)
    if rng.random() < 0.3:
        files(rng, folder, log, t, path)


def files(rng, folder, log, t, path):
    """Two files in one section: each as it is alone."""
    other = os.path.join(folder, 'q.sqlite')
    seed = rng.randrange(1 << 30)
    has = write(seed, other)
    log('second file %d: %s' % (seed, ' '.join(sorted(has))))
    recs = filters([path, other])
    for truth, name in ((t, path), (Truth(other), other)):
        check_streams(truth, only(recs, name.encode()))


if __name__ == '__main__':
    main(__doc__, case)
