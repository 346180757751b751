"""Random programs under dlp-record --arm, random triggers, signals and a small spool:
a trigger ends in time, with a file of whole steps or with one line."""
import glob
import os
import signal
import sqlite3
import subprocess
import time

from common import BIN, ENV, Broken, main

RECORD = os.path.join(os.path.dirname(os.path.abspath(BIN)), 'record')
ARM = dict(ENV, FAKE_CUPTI=os.path.join(RECORD, 'libcupti.so.13'))
LIMIT = 75  # seconds, in which a trigger ends: 30 if no step follows


def kernels(i):
    """A word of fakecuda makes three kernels; a step of it has so many words."""
    return 1 + i % 3


def program(rng):
    """A process: the words of its steps, and its end."""
    words = [os.path.join(RECORD, 'fakecuda'), 'init', 'sleep=%d' % rng.randrange(300)]
    for i in range(rng.choice([20, 100, 400])):
        words += ["'push=iteration %d'" % i, str(kernels(i)),
                  'sleep=%d' % rng.choice([1, 5, 20]), 'pop', 'sleep=1']
    return ' '.join(words + [rng.choice(['sleep=60000', 'sleep=60000', 'finalized', 'kill=9', 'exit=3'])])


def check_file(path, wanted, early):
    """Each step in it has the work that it had in the program; steps of a process
    are in a row, and as many as were asked for if nothing came between."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    if db.execute('PRAGMA integrity_check').fetchone()[0] != 'ok':
        raise Broken(path + ': is damaged')
    has = {r[0] for r in db.execute('SELECT name FROM sqlite_master')}
    steps = {}
    if 'NVTX_EVENTS' in has:
        for r in db.execute("SELECT * FROM NVTX_EVENTS WHERE text LIKE 'iteration %'"):
            i = int(r['text'].split()[1])
            steps.setdefault(r['globalTid'], []).append(i)
            if r['end'] is None:
                raise Broken('%s: step %d has no end' % (path, i))
            n = 0
            if 'CUPTI_ACTIVITY_KIND_KERNEL' in has:
                n = db.execute(
                    'SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN '
                    'CUPTI_ACTIVITY_KIND_RUNTIME a ON a.correlationId = k.correlationId AND '
                    'a.globalTid >> 24 = k.globalPid >> 24 WHERE a.globalTid = ? AND a.start '
                    'BETWEEN ? AND ?', (r['globalTid'], r['start'], r['end'])).fetchone()[0]
            if n != 3 * kernels(i) and not early:
                raise Broken('%s: step %d has %d kernels' % (path, i, n))
    db.close()
    for seen in steps.values():
        seen.sort()
        if seen != list(range(seen[0], seen[0] + len(seen))) or len(seen) > wanted:
            raise Broken('%s: steps %s of %d' % (path, seen, wanted))
    return [len(s) for s in steps.values()]


def trigger(pid, n):
    p = subprocess.Popen(['dlp-record', '--trigger', str(pid), '--steps', str(n)], env=ARM,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.wanted = n
    return p


def judge(p, log):
    """A trigger is over: the counts of steps in its file, or None."""
    try:
        out, err = p.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        p.kill()
        raise Broken('a trigger of %d steps: no end after %d s' % (p.wanted, LIMIT))
    out, err = out.decode(), err.decode()
    log('trigger of %d: %s %r %r' % (p.wanted, p.returncode, out, err))
    if p.returncode == 0 and len(out.splitlines()) == 1 and os.path.exists(out.strip()):
        return check_file(out.strip(), p.wanted, err != '')
    if p.returncode != 2 or out or len(err.splitlines()) != 1:
        raise Broken('a trigger: exit status %d, %r, %r' % (p.returncode, out, err))
    return None


def case(rng, folder, log):
    tmp = os.path.join(folder, 'tmp')
    os.mkdir(tmp)
    env = dict(ARM, TMPDIR=tmp)
    script = ' & '.join(program(rng) for _ in range(rng.choice([1, 1, 2, 3]))) + ' & wait'
    small = ['--max', rng.choice(['200K', '300K'])] * (rng.random() < 0.2)
    log('processes: %d, %s' % (script.count('init'), small))
    p = subprocess.Popen(['dlp-record', '--cupti', ARM['FAKE_CUPTI'], '--arm', '-o',
                          os.path.join(folder, 'run-%n.sqlite')] + small + ['--', 'sh', '-c', script],
                         env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
    try:
        end = time.monotonic() + LIMIT
        while not glob.glob(tmp + '/dlp-record.*/armed.*'):
            if p.poll() is not None or time.monotonic() > end:
                break
            time.sleep(0.02)
        for _ in range(rng.randint(1, 4)):
            steps(rng, p, tmp, log)
        p.send_signal(signal.SIGTERM)
        try:
            p.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Broken('dlp-record --arm: no end after a signal')
    finally:
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def steps(rng, p, tmp, log):
    """One or two triggers at a time, and what comes between."""
    running = [trigger(p.pid, rng.choice([1, 2, 5, 30])) for _ in range(rng.choice([1, 1, 2]))]
    time.sleep(rng.random())
    between = rng.choice(['', '', '', 'stop', 'kill', 'term'])
    if between == 'term':
        running[0].terminate()
    armed = [int(f.rsplit('.', 1)[1]) for f in glob.glob(tmp + '/dlp-record.*/armed.*')
             if f.rsplit('.', 1)[1].isdigit()]
    target = rng.choice(armed) if armed else 0
    if target and between in ('stop', 'kill'):
        log('%s %d' % (between, target))
        try:
            os.kill(target, signal.SIGSTOP if between == 'stop' else signal.SIGKILL)
            if between == 'stop':
                time.sleep(rng.choice([0.1, 1, 4]))
                os.kill(target, signal.SIGCONT)
        except ProcessLookupError:
            pass
    for t in running:
        judge(t, log)


if __name__ == '__main__':
    main(__doc__, case)
