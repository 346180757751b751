"""Writes a small random profile with the tables of Nsight Systems: processes
with a forward and a backward thread, steps, layers, ops with markers of
emit_nvtx, CUDA graphs, copies, synchronizations and memory events.

usage: random_profile.py SEED FILE"""
import random
import sqlite3
import sys

OPS = ['conv2d', 'linear', 'relu', 'gelu', 'matmul', 'layer_norm', 'dropout',
       'embedding', 'softmax']
NODES = {'conv2d': 'ConvolutionBackward0', 'linear': 'AddmmBackward0',
         'relu': 'ReluBackward0', 'gelu': 'GeluBackward0',
         'matmul': 'MmBackward0', 'layer_norm': 'NativeLayerNormBackward0',
         'dropout': 'NativeDropoutBackward0',
         'embedding': 'EmbeddingBackward0', 'softmax': 'SoftmaxBackward0'}
KERNELS = ['void ka<float>(int)', 'kb', 'kc(int)', 'void kd<4, int>(float*)']
CALLS = {'kernel': 'cudaLaunchKernel_v7000', 'copy': 'cudaMemcpyAsync_v3020',
         'set': 'cudaMemsetAsync_v3020', 'none': 'cudaEventRecord_v3020',
         'sync': 'cudaStreamSynchronize_v3020',
         'graph': 'cudaGraphLaunch_v10000', 'alloc': 'cudaMalloc_v3020',
         'free': 'cudaFree_v3020'}
GPU = 'start end deviceId contextId streamId correlationId globalPid '
SCHEMA = {
    'NVTX_EVENTS': 'start end eventType text globalTid endGlobalTid textId '
                   'domainId',
    'CUPTI_ACTIVITY_KIND_RUNTIME':
        'start end globalTid correlationId nameId returnValue',
    'CUPTI_ACTIVITY_KIND_KERNEL':
        GPU + 'demangledName shortName gridX gridY gridZ blockX blockY blockZ '
              'graphNodeId',
    'CUPTI_ACTIVITY_KIND_MEMCPY': GPU + 'bytes copyKind srcKind dstKind',
    'CUPTI_ACTIVITY_KIND_MEMSET': GPU + 'value bytes',
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': GPU + 'syncType eventId',
    'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': GPU + 'graphId graphExecId',
    'CUDA_GRAPH_NODE_EVENTS': 'start end eventClass globalTid nameId '
                              'graphNodeId originalGraphNodeId',
    'CUDA_GPU_MEMORY_USAGE_EVENTS':
        'start globalPid deviceId contextId address pc bytes memKind '
        'memoryOperationType name correlationId',
}


class Profile:
    def __init__(self, rng, features):
        self.rng = rng
        self.has = features
        self.rows = {t: [] for t in SCHEMA}
        self.strings = {}
        self.free_at = {}  # of each device's stream
        self.times = set()

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings) + 1)

    def devices(self, pid):
        n = 2 if 'devices' in self.has else 1
        return [0] if n == 1 else [pid % 2] if pid % 3 else [0, 1]


class Thread:
    """A thread of a process, at a moment."""

    def __init__(self, proc, tid, now):
        self.proc, self.p, self.rng = proc, proc.p, proc.p.rng
        self.gtid = proc.pid * (1 << 24) + tid
        self.now = now

    def tick(self, most=20):
        """A moment later; no two events of a profile begin or end together."""
        if 'slow' in self.p.has and self.rng.random() < 0.05:
            self.now += self.rng.choice([3 * 10**5, 15 * 10**5, 12 * 10**6,
                                         11 * 10**7])
        self.now += 1 + self.rng.randrange(most)
        while self.now in self.p.times:
            self.now += 1
        self.p.times.add(self.now)
        return self.now

    def range(self, lo, text):
        self.p.rows['NVTX_EVENTS'].append(
            (lo, self.tick(), 59, text, self.gtid, None, None, 0))

    def call(self, kind):
        lo = self.tick()
        self.proc.corr += 1
        hi = self.tick(40)
        self.p.rows['CUPTI_ACTIVITY_KIND_RUNTIME'].append(
            (lo, hi, self.gtid, self.proc.corr,
             self.p.string(CALLS[kind]), 0))
        return lo, hi, self.proc.corr

    def gpu(self, table, lo, corr, *rest, length=200):
        dev = self.rng.choice(self.p.devices(self.proc.pid))
        stream = 7 + self.rng.randrange(3)
        start = lo + self.rng.randrange(1, 120)
        if 'skew' in self.p.has and self.rng.random() < 0.15:
            start = lo - self.rng.randrange(1, 90)
        start = max(start, self.p.free_at.get((dev, stream), 0))
        end = start + self.rng.randrange(1, length)
        self.p.free_at[dev, stream] = end
        self.p.rows[table].append(
            (start, end, dev, 1, stream, corr, self.proc.pid << 24) + rest)

    def kernel_rest(self, node=None):
        name = self.p.string(self.rng.choice(KERNELS))
        return (name, name, 2, 1, 1, 32, 1, 1, node)

    def work(self):
        """A call, with what it launches."""
        k = self.rng.random()
        if self.proc.capturing is not None:
            lo, hi, _ = self.call('kernel')
            self.proc.capturing.append((lo + 1 if hi > lo + 1 else lo,
                                        self.gtid))
        elif k < 0.6:
            lo, _, corr = self.call('kernel')
            self.gpu('CUPTI_ACTIVITY_KIND_KERNEL', lo, corr,
                     *self.kernel_rest())
        elif k < 0.7:
            lo, _, corr = self.call('copy')
            kind, src, dst = self.rng.choice([(1, 0, 2), (1, 1, 2), (2, 2, 1),
                                              (8, 2, 2)])
            self.gpu('CUPTI_ACTIVITY_KIND_MEMCPY', lo, corr,
                     self.rng.randrange(1, 5000), kind, src, dst)
        elif k < 0.77:
            lo, _, corr = self.call('set')
            self.gpu('CUPTI_ACTIVITY_KIND_MEMSET', lo, corr, 0,
                     self.rng.randrange(1, 5000))
        elif k < 0.82:
            lo, _, corr = self.call('sync')
            self.gpu('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', lo, corr, 3, 0)
        elif k < 0.9 and 'memory' in self.p.has:
            self.memory()
        elif k < 0.97:
            self.call('none')
        elif self.proc.graphs:
            self.launch()

    def memory(self):
        live = self.proc.live
        if live and self.rng.random() < 0.4:
            dev, kind, addr, size = live.pop(self.rng.randrange(len(live)))
            lo, _, corr = self.call('free')
            op = 1
        else:
            dev = self.rng.choice(self.p.devices(self.proc.pid))
            kind = self.rng.choice([2, 2, 1])
            self.proc.addr += 512
            addr, size = self.proc.addr, self.rng.randrange(1, 9) * 512
            lo, _, corr = self.call('alloc')
            live.append((dev, kind, addr, size))
            op = 0
        self.p.rows['CUDA_GPU_MEMORY_USAGE_EVENTS'].append(
            (lo + 1, self.proc.pid << 24, dev, 1, addr, 0, size, kind, op,
             None, corr))

    def launch(self):
        nodes = self.rng.choice(self.proc.graphs)
        lo, _, corr = self.call('graph')
        if 'whole' in self.p.has:
            self.gpu('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', lo, corr, 1, 2,
                     length=900)
            return
        for node in nodes:
            self.gpu('CUPTI_ACTIVITY_KIND_KERNEL', lo, corr,
                     *self.kernel_rest(node))

    def op(self, name, seq, depth=0):
        """An op with a sequence id, and ops inside of it."""
        lo = self.tick()
        self.proc.op_id += 1
        op_id = self.proc.op_id
        for _ in range(self.rng.randrange(4)):
            if depth < 3 and self.rng.random() < 0.4:
                inner = seq if self.rng.random() < 0.5 else None
                self.op(self.rng.choice(OPS), inner, depth + 1)
            else:
                self.work()
        text = 'aten::%s' % name
        if seq is not None:
            text += ', seq = %d' % seq
        self.range(lo, text + ', op_id = %d, sizes = [[%d, 8], [], []]'
                   % (op_id, self.rng.randrange(1, 4)))
        return op_id

    def forward(self, ops):
        """Ops in layers; those that make a node are added to ops."""
        for _ in range(self.rng.randrange(1, 5)):
            k = self.rng.random()
            if k < 0.25:
                lo = self.tick()
                self.forward(ops)
                self.range(lo, 'blk ' + self.rng.choice('abcde'))
            elif k < 0.35:
                self.work()
            else:
                name = self.rng.choice(OPS)
                self.op(name, self.proc.seq)
                if self.rng.random() < 0.75:
                    ops.append((name, self.proc.seq))
                    self.proc.seq += 1

    def backward(self, ops):
        for name, seq in reversed(ops):
            frame = self.tick()
            self.proc.op_id += 1
            lo = self.tick()
            self.proc.op_id += 1
            node_id = self.proc.op_id
            inner = [self.op(self.rng.choice(OPS), None, 2)
                     for _ in range(self.rng.randrange(1, 3))]
            self.range(lo, '%s, seq = %d, op_id = %d, sizes = [[8, 8]]'
                       % (NODES[name], seq, node_id))
            for _ in range(self.rng.randrange(2)):
                self.work()
            self.range(frame, 'autograd::engine::evaluate_function: %s, '
                       'op_id = %d' % (NODES[name], node_id - 1))
            if self.rng.random() < 0.3:
                self.accumulate(inner[-1])

    def accumulate(self, op_id):
        text = 'torch::autograd::AccumulateGrad, op_id = %d'
        frame = self.tick()
        self.proc.op_id += 2
        mine = self.proc.op_id
        lo = self.tick()
        self.work()
        self.range(lo, text % mine + ', sizes = [[8]], input_op_ids = [(%d,0)]'
                   % op_id)
        self.range(frame, 'autograd::engine::evaluate_function: ' +
                   text % (mine - 1))


class Process:
    def __init__(self, p, pid):
        self.p, self.pid = p, pid
        self.corr = self.op_id = 0
        self.seq = p.rng.randrange(5)
        self.addr = 4096
        self.live, self.graphs = [], []
        self.capturing = None
        self.main = Thread(self, 1, 1000 + p.rng.randrange(100))
        self.engine = Thread(self, 2, 0)

    def capture(self):
        """Ops whose launches become nodes of a graph; it is cloned then."""
        self.capturing = []
        self.main.forward([])
        made, self.capturing = self.capturing, None
        nodes = self.p.rows['CUDA_GRAPH_NODE_EVENTS']
        clones = []
        at = self.main.tick()
        for when, gtid in made:
            n = len(nodes) + (self.pid << 32)
            nodes.append((when, when, 77, gtid, 0, n, None))
            nodes.append((at, at, 77, self.main.gtid, 0, n + 1, n))
            clones.append(n + 1)
        if len(clones) > 1:
            self.graphs.append(clones)

    def run(self):
        main, engine, rng = self.main, self.engine, self.p.rng
        if 'graphs' in self.p.has:
            self.capture()
        for i in range(rng.randrange(2, 6)):
            lo = main.tick()
            ops = []
            first = self.seq
            main.forward(ops)
            if rng.random() < 0.5:
                at = main.tick()
                main.forward(ops)
                main.range(at, 'forward')
            engine.now = main.tick()
            engine.backward(ops)
            main.now = max(main.now, engine.now)
            if self.graphs:
                main.launch()
            main.range(lo, 'step %d' % i)
            if 'again' in self.p.has:
                self.seq = first  # the same sequence ids in each step


def fill(path, strings, rows):
    """Writes a database with these strings and the tables that have rows, each in
    the order of its start; rows are tuples of the first columns."""
    db = sqlite3.connect(path)
    db.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)')
    db.executemany('INSERT INTO StringIds VALUES (?, ?)',
                   [(i, s) for s, i in strings.items()])
    for t, of in rows.items():
        cols = SCHEMA[t].split()
        if of:
            db.execute('CREATE TABLE %s (%s)' % (t, ', '.join(cols)))
            db.executemany(
                'INSERT INTO %s (%s) VALUES (%s)' % (
                    t, ', '.join(cols[:len(of[0])]), ', '.join('?' * len(of[0]))),
                of if t == 'CUDA_GRAPH_NODE_EVENTS' else
                sorted(of, key=lambda r: r[0]))
    db.commit()
    db.close()


FEATURES = ['devices', 'graphs', 'whole', 'memory', 'skew', 'again', 'slow']


def write(seed, path):
    """Writes the profile of that seed; returns what it has."""
    rng = random.Random(seed)
    features = {f for f in FEATURES if rng.random() < 0.5}
    p = Profile(rng, features)
    for pid in range(1, rng.randrange(2, 5)):
        Process(p, pid).run()
    fill(path, p.strings, p.rows)
    return features


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(' '.join(sorted(write(int(sys.argv[1]), sys.argv[2]))))
