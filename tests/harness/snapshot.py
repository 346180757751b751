#!/usr/bin/env python3
"""Snapshots of PyTorch's memory for tests: what Python's pickle reads of them,
random ones of every form, and hostile ones.

usage: snapshot.py truth FILE        what dlp mem --json has to say, as JSON
       snapshot.py compare FILE      the same against standard input
       snapshot.py make FOLDER SEED  random snapshots
       snapshot.py large FILE N      one of N events
       snapshot.py oom FILE SEED N   one of an allocator that fails, after N events were
                                     forgotten; prints what was free then, of each failure
       snapshot.py hostile FOLDER    pickles that must be refused
"""
import json, os, pickle, random, struct, sys


def truth(snap):
    """Counts, sums and a replay, from the description of the format only."""
    traces = snap["device_traces"] if isinstance(snap, dict) else []
    segments = snap["segments"] if isinstance(snap, dict) else snap
    devs = {s.get("device", 0) for s in segments}
    devs |= {i for i, t in enumerate(traces) if t}
    rows = []
    for dev in sorted(devs):
        segs = [s for s in segments if s.get("device", 0) == dev]
        trace = traces[dev] if dev < len(traces) else []
        count = lambda *a: sum(e["action"] in a for e in trace)
        row = dict(dev=dev, reserved_bytes=sum(s["total_size"] for s in segs),
                   allocated_bytes=sum(s["allocated_size"] for s in segs),
                   requested_bytes=0, split_bytes=0, n_alloc=count("alloc"),
                   n_free=count("free_completed"), n_oom=count("oom"))
        in_use = {}
        for s in segs:
            at, requested = s["address"], 0
            for b in s["blocks"]:
                old = b.get("history") or [{}]
                size = b.get("requested_size", old[0].get("real_size", b["size"]))
                if b["state"] == "active_allocated":
                    in_use[b.get("address", at)] = (size, b.get("frames", old[0].get("frames", [])))
                if b["state"] != "inactive":
                    requested += size
                elif len(s["blocks"]) > 1 and not s.get("is_expandable"):
                    row["split_bytes"] += b["size"]
                at += b["size"]
            row["requested_bytes"] += s.get("requested_size", requested)
        live, ended, now, peak, before, held, lost = {}, set(), 0, 0, 0, {}, []
        for i, e in enumerate(trace):
            a, n = e.get("addr"), e.get("size", 0)
            if e["action"] == "alloc":
                ended.discard(a)
                live[a] = (n, e.get("frames", []))
                now += n
                if now > peak:
                    peak, held, lost = now, dict(live), []
            elif e["action"] in ("free_requested", "free_completed"):
                if e["action"] == "free_completed" and a in ended:
                    ended.remove(a)
                    continue
                if e["action"] == "free_requested":
                    ended.add(a)
                if a in live:
                    n = live.pop(a)[0]
                else:
                    before += n
                    lost.append((n, []))
                now -= n
        there = {a: v for a, v in in_use.items() if a not in live}
        before += sum(n for n, _ in there.values())
        row["peak_bytes"] = peak + before if peak else None
        row["held"] = [*held.values(), *there.values(), *lost]
        rows.append(row)
    return rows


def own_line(frames):
    """The innermost frame of Python outside of packages; here they are easy to tell."""
    py = [f for f in frames if f["filename"].endswith(".py") or f["filename"].startswith("<")]
    own = [f for f in py if "/site-packages/" not in f["filename"] and f["filename"][0] != "<"]
    f = (own or py or [None])[0]
    return (f["filename"], f["line"], f["name"]) if f else None


def compare(path, text):
    got = json.loads(text)
    with open(path, "rb") as f:
        want = truth(pickle.load(f))
    keys = "dev reserved_bytes allocated_bytes requested_bytes split_bytes peak_bytes n_alloc n_free n_oom held oom"
    assert len(got) == len(want), (len(got), len(want))
    for g, w in zip(got, want):
        assert list(g) == keys.split(), list(g)
        rows, held = g.pop("held"), w.pop("held")
        assert len(g.pop("oom")) == g["n_oom"]
        assert g == w, (g, w)
        assert rows == sorted(rows, key=lambda r: -r["bytes"])
        assert sum(r["bytes"] for r in rows) == sum(n for n, _ in held)
        assert sum(r["count"] for r in rows) == len(held), (rows, len(held))
        by_line, mine = {}, {}
        for n, frames in held:
            line = own_line(frames)
            if line:
                by_line[line] = by_line.get(line, 0) + n
        for r in rows:
            assert list(r) == "kind file line function bytes count".split()
            assert r["kind"] in ("weights", "gradients", "optimizer state", "activations", "workspaces", "other")
            if r["file"]:
                k = r["file"], r["line"], r["function"]
                mine[k] = mine.get(k, 0) + r["bytes"]
        assert mine == by_line, (mine, by_line)


SITE = "/usr/lib/python3.12/site-packages/torch/"


def stack(rng):
    own = [dict(filename=f"/home/me/train{rng.randrange(3)}.py", line=rng.randrange(1, 9),
                name=rng.choice(["step", "load", 'a "b"\n']))]
    inner = rng.choice([[], [dict(filename="??", line=0, name="torch::unwind()")],
                        [dict(filename=SITE + "optim/adam.py", line=178, name="_init_group")],
                        [dict(filename=SITE + "nn/modules/linear.py", line=5, name="__init__")]])
    return rng.choice([inner + own, inner + own, [], [dict(filename="x.cpp", line=1, name="f")]])


def random_snapshot(rng, n, devices=1, lost=0, old=False, expandable=False):
    """What an allocator would do; the first `lost` events are forgotten."""
    stacks = [stack(rng) for _ in range(20)]
    segments, traces = [], []
    for dev in range(devices):
        trace, live, pending, addr, t = [], {}, [], 1 << 44, 1_700_000_000_000_000

        def put(action, addr, size, **more):
            e = dict(action=action, addr=addr, size=size, stream=0, frames=rng.choice(stacks))
            if not old:
                e.update(time_us=t, compile_context="N/A", user_metadata="")
            e.update(more)
            trace.append(e)
        for _ in range(n if dev != 1 else 0):
            t += rng.randrange(1000)
            what = rng.random()
            if what < 0.5 or not live:
                size = rng.choice([4, 512, 1000, 1 << 20, 3 << 31])
                frames = rng.choice(stacks)
                put("alloc", addr, size, frames=frames)
                live[addr] = (size, frames)
                addr += -(-size // 512) * 512
            elif what < 0.9:
                a = rng.choice(list(live))
                size = live.pop(a)[0]
                put("free_requested", a, size)
                if rng.random() < 0.8:
                    put("free_completed", a, size)
                else:
                    pending.append((a, size))
            elif what < 0.93:
                put("oom", 1 << 33, 5 << 33, **{} if old else {"device_free": 1 << 33})
                if not old:
                    del trace[-1]["addr"]
            elif what < 0.96:
                put("segment_map" if expandable else "segment_alloc", addr, 2 << 20)
            elif pending:
                a, size = pending.pop()
                put("free_completed", a, size)
        blocks, at = [], 1 << 44
        for a, size, frames, state in sorted(
                [(a, *v, "active_allocated") for a, v in live.items()] +
                [(a, s, [], "active_pending_free") for a, s in pending]):
            if a > at:
                blocks.append(dict(address=at, size=a - at, requested_size=0, state="inactive", frames=[]))
            at = a + -(-size // 512) * 512
            blocks.append(dict(address=a, size=at - a, requested_size=size, state=state, frames=frames))
        first = 1 << 44
        for i in range(0, len(blocks), 7):
            part = blocks[i:i + 7]
            total = sum(b["size"] for b in part)
            active = [b for b in part if b["state"] != "inactive"]
            s = dict(device=dev, address=first, total_size=total, stream=0, segment_type="large",
                     allocated_size=sum(b["size"] for b in part if b["state"] == "active_allocated"),
                     active_size=sum(b["size"] for b in active))
            first += total
            if old:
                for b in part:
                    b["history"] = [dict(addr=b.pop("address"), frames=b.pop("frames"),
                                         real_size=b.pop("requested_size"))]
            else:
                s.update(requested_size=sum(b["requested_size"] for b in active),
                         segment_pool_id=rng.choice([(0, 0), (0, 1), (3, 0)]),
                         is_expandable=expandable, frames=[])
            s["blocks"] = part
            segments.append(s)
        traces.append(trace[lost:])
    snap = dict(segments=segments, device_traces=traces)
    if not old:
        snap["allocator_settings"] = dict(expandable_segments=expandable, roundup={"1": 0}, gc=0.5)
        snap["external_annotations"] = [
            dict(stage=s, name="ProfilerStep#%d" % i, device=0, time_us=1_700_000_000_000_000 + 9000 * i + k)
            for i in range(4) for k, s in ((0, "START"), (5000, "END"))]
    return snap


def make(folder, seed):
    rng = random.Random(seed)
    forms = dict(plain={}, lost=dict(lost=300), old=dict(old=True), devices=dict(devices=5),
                 expandable=dict(expandable=True), oldlost=dict(old=True, lost=200, devices=3))
    for name, how in forms.items():
        snap = random_snapshot(rng, rng.choice([3, 700, 2500]), **how)
        for protocol in (2, 3, 4, 5):
            with open(f"{folder}/{name}-{protocol}.pickle", "wb") as f:
                # the C pickler shares by memo, the one in Python as well
                (pickle.dump if protocol != 3 else pickle._dump)(snap, f, protocol)
    with open(f"{folder}/list-4.pickle", "wb") as f:  # before there were events
        pickle.dump(random_snapshot(rng, 50, old=True)["segments"], f, 4)


def failing(rng, n):
    """A small allocator as PyTorch's: best fit, segments that are given back when there is no
    room, blocks of more than 1 MiB split if more than that is left. Returns its blocks, its events,
    and of each failure the bytes that the device had free, that were reserved, in free blocks, and
    in the largest of them."""
    mib, segs, trace, fails, live, top = 1 << 20, [], [], [], [], [1 << 44]
    frames = [dict(filename="/home/me/train.py", line=7, name="step")]

    def put(action, size, **more):
        trace.append(dict(action=action, size=size, stream=0, frames=frames, time_us=len(trace), **more))

    def take(want):
        size = -(-want // 512) * 512
        small = size <= mib
        fit = lambda: min(((b["size"], b["address"], s, b) for s in segs if s["small"] == small for b in s["blocks"]
                           if not b["requested_size"] and b["size"] >= size), default=None, key=lambda f: f[:2])
        if not fit():
            total = 2 * mib if small else 20 * mib if size < 10 * mib else -(-size // (2 * mib)) * 2 * mib
            free = lambda: 400 * mib - sum(s["size"] for s in segs)
            for s in [s for s in segs if not any(b["requested_size"] for b in s["blocks"]) and total > free()]:
                segs.remove(s)
                put("segment_free", s["size"], addr=s["address"])
            if total > free():
                put("oom", size, device_free=free())
                blocks = [b["size"] for s in segs for b in s["blocks"] if not b["requested_size"]]
                fails.append((free(), 400 * mib - free(), sum(blocks), max(blocks, default=0)))
                return
            segs.append(dict(address=top[0], size=total, small=small, blocks=[
                dict(address=top[0], size=total, requested_size=0)]))
            put("segment_alloc", total, addr=top[0])
            top[0] += total + rng.choice([0, 0, 2 * mib])
        _, at, s, b = fit()
        if b["size"] - size >= (512 if small else mib + 1):
            s["blocks"].insert(s["blocks"].index(b) + 1,
                               dict(address=at + size, size=b["size"] - size, requested_size=0))
            b["size"] = size
        b["requested_size"] = want
        put("alloc", want, addr=at)
        live.append((s, b))

    def release(s, b):
        put("free_requested", b["requested_size"], addr=b["address"])
        put("free_completed", b["requested_size"], addr=b["address"])
        b["requested_size"] = 0
        i = s["blocks"].index(b)
        for k in (i, i - 1):
            pair = s["blocks"][max(k, 0):k + 2]
            if len(pair) == 2 and not pair[0]["requested_size"] and not pair[1]["requested_size"]:
                pair[0]["size"] += s["blocks"].pop(k + 1)["size"]

    for _ in range(n):
        if rng.random() < 0.53 or not live:
            take(rng.choice([4, 700, 5000, 300000, 900000, 1500000, 3 * mib + 5, 9 * mib, 25 * mib + 1, 60 * mib]))
        else:
            release(*live.pop(rng.randrange(len(live))))
    return segs, trace, fails


def oom(path, seed, lost):
    segs, trace, fails = failing(random.Random(seed), 2000)
    for s in segs:
        for b in s["blocks"]:
            b.update(state="active_allocated" if b["requested_size"] else "inactive", frames=[])
        s.update(device=0, total_size=s.pop("size"), stream=0, is_expandable=False)
    with open(path, "wb") as f:
        pickle.dump(dict(segments=segs, device_traces=[trace[lost:]]), f, 4)
    for row in fails[sum(e["action"] == "oom" for e in trace[:lost]):]:
        print(*row)


def large(path, n):
    """One of many events, each with a list of frames of its own, as PyTorch may write it."""
    frames = [dict(filename=f"/home/me/a{k}.py", line=k, name="f") for k in range(70)]
    events = [dict(action=("alloc", "free_completed")[i % 2], addr=1 << 44 | (i // 2 % 100000) << 20,
                   size=1000 + i // 2 % 7, stream=0, time_us=1_700_000_000_000_000 + i,
                   frames=frames[i % 50:i % 50 + 20]) for i in range(n)]
    with open(path, "wb") as f:
        pickle.dump(dict(segments=[], device_traces=[events]), f, 4)


def hostile(folder):
    """Each is refused with one line; a name is the opcode that the line has to name."""
    head, s = b"\x80\x04}\x94(\x8c\x08segments\x94", lambda t: b"\x8c" + bytes([len(t)]) + t
    bad = {
        "GLOBAL": head + b"cos\nsystem\n.", "STACK_GLOBAL": head + s(b"os") + s(b"system") + b"\x93.",
        "REDUCE": head + b")R.", "BUILD": head + b"}b.", "INST": head + b"(ios\nsystem\n.",
        "OBJ": head + b"(o.", "NEWOBJ": head + b")\x81.", "NEWOBJ_EX": head + b")}\x92.",
        "EXT1": head + b"\x82\x01.", "EXT2": head + b"\x83\x01\0.", "EXT4": head + b"\x84\x01\0\0\0.",
        "PERSID": head + b"Pid\n.", "BINPERSID": head + b"NQ.", "POP": head + b"0.", "BINBYTES": head + b"B\1\0\0\0x.",
        "unknown-opcode": head + b"\xff", "no-value": b"\x80\x04s.", "no-mark": b"\x80\x04}u.",
        "stop": b"\x80\x04.", "empty": b"\x80\x04", "no-snapshot": b"\x80\x04}.", "protocol": b"\x80\x05\x80\x63.",
        "memo": head + b"j\xff\xff\xff\xff", "put": head + b"r\xff\xff\xff\xff", "put2": b"\x80\x02}r\0\0\0\x80.",
        "loop": b"\x80\x04]\x94h\0ah\0a.", "loop2": b"\x80\x04}\x94(\x8c\x06framesh\0u.",
        "deep": b"\x80\x04" + b"(" * 100000, "deep-lists": b"\x80\x04" + b"]" * 1000000 + b".",
        "deep-tuples": b"\x80\x04)" + b"\x85" * 1000000 + b".",
        "text8": head + b"\x8d" + struct.pack("<Q", 2**64 - 1) + b"x" * 1000,
        "text4": head + b"X" + struct.pack("<I", 2**32 - 1) + b"x" * 200000,
        "long4": head + b"\x8b" + struct.pack("<I", 2**31 - 1) + b"\xff" * 100, "long1": head + b"\x8a\xff" + b"\xff" * 255,
        "frame": b"\x80\x04\x95" + b"\xff" * 8 + b"}.", "odd": b"\x80\x04}(NNNu.", "append-dict": b"\x80\x04}Na.",
        "device": pickle.dumps(dict(segments=[dict(device=2**62, total_size=1, blocks=[])]), 4),
    }
    good = pickle.dumps(random_snapshot(random.Random(1), 200), 4)
    for i in range(0, len(good) - 1, len(good) // 40):
        bad["cut-%d" % i] = good[:max(i, 2)]
    # each frame alone, as no pickler does: must not take the square of its size
    frame = b"}\x94(\x8c\x08filename\x8c\x04a.py\x8c\x04name" + b"X" + struct.pack("<I", 60000) + b"n" * 60000 + b"u"
    bad["square"] = b"\x80\x04" + frame + b"]" + b"h\0a" * 200000
    for name, data in bad.items():
        with open(f"{folder}/{name}.pickle", "wb") as f:
            f.write(data)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    what, path = sys.argv[1:3]
    if what == "truth":
        with open(path, "rb") as f:
            json.dump(truth(pickle.load(f)), sys.stdout)
    elif what == "compare":
        compare(path, sys.stdin.read())
    elif what == "make":
        make(path, int(sys.argv[3]))
    elif what == "large":
        large(path, int(sys.argv[3]))
    elif what == "oom":
        oom(path, int(sys.argv[3]), int(sys.argv[4]))
    elif what == "hostile":
        hostile(path)
