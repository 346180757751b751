"""Random programs of several ranks, held against a second opinion: who comes last
to each collective, what the others wait, and what of it is exposed, computed from
the times that the program was made of."""
import os
import subprocess

from common import ENV, Broken, main, records, run
from oracle import compare, minus, of, union
from random_profile import fill

KINDS = {'all_reduce': 'AllReduce_Sum_f32_RING_LL', 'all_gather': 'AllGather_RING_LL',
         'reduce_scatter': 'ReduceScatter_Sum_bf16_RING_LL'}
K = 'CUPTI_ACTIVITY_KIND_'
ARRIVE = ('kind', 'iter', 'rank', 'dur_ns', 'wait_ns', 'late_ns', 'n_last')
COMM = ('rank', 'iter', 'n_comm', 'comm_ns', 'exposed_ns', 'wait_ns')
COLL = ('kind', 'iter', 'n_rank', 'comm_ns', 'wait_ns', 'max_wait_ns', 'spread_ns',
        'first', 'last')
SKEW = ('iter', 'n_rank', 'start_skew_ns', 'end_skew_ns', 'len_skew_ns', 'wait_ns')


def program(rng, log):
    """The steps of all ranks in the time of none of their clocks: for each step a
    list of collectives, (kind, {rank: start}, end), {rank: other kernels} and
    {rank: (begin, end)}."""
    n = rng.randint(2, 6)
    now, steps, lost = 1000000, [], rng.random() < 0.3
    # what one rank did not record is known where ends are over 1 ms apart
    least, slowest = (2000000, 3) if lost else (1000, 10)
    slow = [rng.choice([1, 1, 1, 2, slowest]) for _ in range(n)]
    log('%d ranks, as slow as %s%s' % (n, slow, ', some lost' * lost))
    for _ in range(rng.randint(3, 7)):
        begin, colls, other = now, [], {r: [] for r in range(n)}
        for i in range(rng.randint(2, 6)):
            starts = {}
            for r in range(n):
                work = rng.randrange(least, least + 40000) * slow[r] + r
                other[r].append((now + 300, now + 300 + work))
                starts[r] = now + 300 + work + rng.randrange(100, 3000)
            end = max(starts.values()) + rng.randrange(1000, 60000)
            for r in range(n):  # hides a part of the communication
                if rng.random() < 0.4:
                    lo = starts[r] + rng.randrange(1, end - starts[r])
                    other[r].append((lo, lo + rng.randrange(1, 30000)))
            if lost and i > 0 and rng.random() < 0.1:
                del starts[rng.randrange(n)]  # its kernel was not recorded
            colls.append((rng.choice(sorted(KINDS)), starts, end))
            now = max([end] + [hi for o in other.values() for _, hi in o]) + 1000
        steps.append((colls, other, {r: (begin, now - 500 + r) for r in range(n)}))
    return n, steps


def write(path, rank, shift, steps):
    """The profile of a rank, whose clock is ahead."""
    names = ['cudaLaunchKernel_v7000', 'gemm'] + ['ncclDevKernel_' + KINDS[k] for k in sorted(KINDS)]
    ranges, calls, kernels = [], [], []
    pid = (rank + 10) << 24
    for colls, other, length in steps:
        lo, hi = length[rank]
        ranges.append((lo + shift, hi + shift, 59, 'step', pid + 1))
        work = [(s, e, 7, 2) for s, e in other[rank]]
        work += [(starts[rank], end, 13, 3 + sorted(KINDS).index(kind))
                 for kind, starts, end in colls if rank in starts]
        for i, (s, e, stream, name) in enumerate(sorted(work)):
            call = lo + shift + 10 + i
            calls.append((call, call + 1, pid + 1, len(calls) + 1, 1))
            kernels.append((s + shift, e + shift, 0, 1, stream, len(calls), pid, name, name))
    fill(path, {n: i for i, n in enumerate(names, 1)},
         {'NVTX_EVENTS': ranges, K + 'RUNTIME': calls, K + 'KERNEL': kernels})


def truth(n, steps):
    rows = {t: [] for t in ('coll', 'arrive', 'comm', 'skew')}
    least = {}
    for it, (colls, other, _) in enumerate(steps):
        waits = {r: 0 for r in range(n)}
        for kind, starts, end in colls:
            if len(starts) == 1:  # nothing is known of the others
                (r, s), = starts.items()
                rows['arrive'].append((kind, it, r, end - s) + (None,) * 3)
                rows['coll'].append((kind, it, 1) + (None,) * 6)
                continue
            first, last = min(starts.values()), max(starts.values())
            of_rank = {r: last - s for r, s in starts.items()}
            for r, s in starts.items():
                waits[r] += of_rank[r]
                rows['arrive'].append((kind, it, r, end - s, of_rank[r], s - first, int(s == last)))
            at = {s: r for r, s in starts.items()}
            rows['coll'].append((kind, it, len(starts), end - last, sum(of_rank.values()),
                                 max(of_rank.values()), last - first, at[first], at[last]))
        spans = {}
        for r in range(n):
            comm = [(s[r], end) for _, s, end in colls if r in s]
            rows['comm'].append((r, it, len(comm), union(comm), minus(comm, other[r]), waits[r]))
            spans[r] = (min(lo for lo, _ in comm + other[r]), max(hi for _, hi in comm + other[r]))
        lo, hi = zip(*spans.values())
        length = [b - a for a, b in spans.values()]
        rows['skew'].append((it, n, max(lo) - min(lo), max(hi) - min(hi),
                             max(length) - min(length), sum(waits.values())))
        least[it] = [r for r in waits if waits[r] == min(waits.values())]
    return rows, least


def check(what, recs, rows, least):
    for tag, cols in (('arrive', ARRIVE), ('coll', COLL), ('comm', COMM), ('skew', SKEW)):
        compare('%s: %s' % (what, tag), rows[tag], of(recs, tag, *cols))
    for it, slowest in of(recs, 'skew', 'iter', 'slowest'):
        if slowest not in least[it]:
            raise Broken('%s: step %d: slowest is %s, not of %s' % (what, it, slowest, least[it]))


def shell(command, *words):
    p = subprocess.run(['bash', '-o', 'pipefail', '-c', command, '-'] + list(words), env=ENV,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if p.returncode != 0:
        raise Broken('%s: exit status %d: %s' % (command, p.returncode, p.stderr.decode()))
    return p.stdout


def case(rng, folder, log):
    n, steps = program(rng, log)
    rows, least = truth(n, steps)
    paths = [os.path.join(folder, 'rank%d.sqlite' % r) for r in range(n)]
    for r in range(n):
        write(paths[r], r, rng.choice([0, rng.randrange(-900000, 10 ** 9)]), steps)
    check('whole', list(records(shell('dlp-parse --ranks "$@" | dlp-correlate | dlp-iter -k step | dlp-ranks',
                                      *paths))), rows, least)
    parts = []
    for p in paths:
        parts.append(p + '.part')
        with open(parts[-1], 'wb') as f:
            f.write(shell('dlp-parse "$1" | dlp-correlate | dlp-iter -k step | dlp-ranks --partial', p))
    check('partial', list(records(shell('dlp-merge --ranks "$@" | dlp-ranks', *parts))), rows, least)
    rc, out, err = run(['dlp', 'ranks', '-t', 'straggler', '-k', 'step', '--csv'] + paths)
    last = {}
    for c in rows['coll']:
        if c[-1] is None:
            continue
        count, ns = last.get(c[-1], (0, 0))
        last[c[-1]] = count + 1, ns + c[4]
    got = [line.split(',') for line in out.decode().splitlines()[1:]]
    compare('straggler', [(r, c, ns) for r, (c, ns) in last.items()],
            [(int(g[0]), int(g[1]), int(g[-1])) for g in got])


if __name__ == '__main__':
    main(__doc__, case)
