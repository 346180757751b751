#!/usr/bin/env python3
"""Perfetto's packets, written and read without dlp, for tests.

pftrace.py read <FILE      an array per slice: kind, process, thread's name, category, start,
                           length, name, arguments; pairs begins and ends by a stack
                           per track, as Perfetto does
pftrace.py same JSON <FILE   whether both show the same, and what differs
pftrace.py write KIND      a trace on standard output; KIND is one of write_KIND below
pftrace.py damage N SEED <FILE   N bytes of it changed"""
import collections, decimal, json, random, re, struct, sys, zlib


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def num(field, n):
    return varint(field << 3) + varint(n)


def msg(field, *parts):
    b = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(b)) + b


def packet(*parts):
    return msg(1, *parts)


# The tracks of a process: 1 and its threads 2 and 3.
TRACKS = (packet(msg(60, num(1, 1), msg(3, num(1, 10), msg(6, "python3")))) +
    b"".join(packet(msg(60, num(1, t), num(5, 1), msg(4, num(1, 10), num(2, t + 18),
        msg(5, "worker")))) for t in (2, 3)))


def event(kind, ts, track, *rest, seq=1, flags=1):
    return packet(num(8, ts), num(10, seq), num(13, flags),
        msg(11, num(9, kind), num(11, track), *rest))


def named(name, category, *arguments):
    """A begin's name and category; arguments: numbers by their names."""
    return (msg(23, name) + msg(22, category) +
        b"".join(msg(4, msg(10, k), num(4, v)) for k, v in arguments))


def span(start, end, track, name, category, *arguments, seq=1):
    return (event(1, start, track, named(name, category, *arguments), seq=seq) +
        event(2, end, track, seq=seq))


KERNEL = [("device", 0), ("stream", 7), ("correlation", 5)]
GPU = (span(100, 110, 2, "cudaLaunchKernel", "cuda_runtime", ("correlation", 5)) +
    span(120, 160, 3, "k", "kernel", *KERNEL))


def write_small():
    return TRACKS + GPU


def write_nested():
    """Written by time: an inner op ends first, the rest is empty or touches."""
    b = lambda ts, name: event(1, ts, 2, named(name, "cpu_op"))
    e = lambda ts: event(2, ts, 2)
    return (TRACKS + b(10, "outer") + b(20, "inner") + e(30) + b(30, "next") +
        b(35, "empty") + e(35) + e(40) + e(90) + GPU)


def write_sequences():
    """A track that two sequences write, in pieces that are not by time."""
    b = lambda ts, name, s: event(1, ts, 2, named(name, "cpu_op"), seq=s)
    e = lambda ts, s: event(2, ts, 2, seq=s)
    return (TRACKS + b(10, "outer", 1) + e(30, 1) + b(50, "last", 1) + e(60, 1) +
        b(20, "inner", 2) + e(40, 2) + GPU)


def write_order():
    """Descriptors at the end, categories packed, lengths not the shortest."""
    iids = msg(12, msg(1, num(1, 9), msg(2, "cpu_op")), msg(2, num(1, 9), msg(2, "aten::mm")))
    begin = packet(num(10, 1), iids, num(13, 1), msg(11, num(10, 9), msg(3, varint(9)),
        num(11, 2), num(9, 1)), num(8, 10))
    end = event(2, 70, 2)
    return begin + end + GPU + TRACKS.replace(b"\x0a\x11", b"\x0a\x91\x80\x00", 1)


def write_lost():
    """Names that are lost: a packet before the first clear, one after a loss."""
    use = lambda ts, *more: packet(num(8, ts), num(10, 4), num(13, 2), *more,
        msg(11, num(9, 1), num(11, 2), num(10, 1)))
    names = packet(num(10, 4), num(13, 1), msg(12, msg(2, num(1, 1), msg(2, "aten::mm"))))
    return TRACKS + use(1) + names + use(10) + use(12, num(42, 1)) + use(14) + GPU


def write_counters():
    """Two samples of a track of counters, one of a GPU's, and an instant."""
    return (TRACKS + event(4, 10, 2, num(30, 7)) + event(4, 20, 2, num(30, 9)) +
        packet(num(8, 30), num(10, 1), num(13, 1), msg(52, msg(2, num(1, 0), num(2, 90)))) +
        event(3, 40, 2, named("here", "cpu_op")) + GPU)


def write_deep():
    value = num(4, 1)
    for _ in range(100000):
        value = msg(12, value)
    return TRACKS + event(1, 10, 2, named("aten::mm", "cpu_op"),
        msg(4, msg(10, "Input Dims"), value)) + GPU


def write_loop():
    """Tracks that are parents of each other."""
    loop = b"".join(packet(msg(60, num(1, a), num(5, b))) for a, b in ((8, 9), (9, 8)))
    return TRACKS + loop + span(10, 20, 8, "aten::mm", "cpu_op") + GPU


def write_nested_zip():
    inner = packet(msg(50, zlib.compress(packet(msg(50, zlib.compress(GPU))))))
    return TRACKS + GPU + inner


def write_bomb():
    bomb = zlib.compress(b"\0" * (63 << 20), 9)
    return TRACKS + b"".join(packet(msg(50, bomb)) for _ in range(8))


def write_length():
    return TRACKS + b"\x0a" + varint(1 << 63)


def write_short():
    return (TRACKS + GPU)[:-3]


def write_fields():
    """A message where a number is expected, and the other way round."""
    return TRACKS + GPU + packet(msg(8, "x"), num(10, 1), num(11, 4)) + packet(
        num(8, 9), num(10, 1), msg(11, num(9, 1), msg(9, "x"), num(23, 4), num(4, 4)))


def write_clocks():
    """Times of a monotonic clock: 500 is 1500 since the start, 9500 of the day."""
    snap = packet(num(10, 7), msg(6, *[msg(1, num(1, c), num(2, t)) for c, t in (
        (6, 1500), (3, 500), (1, 9500))]))
    use = b"".join(packet(num(8, t), num(58, 3), num(10, 1), msg(11, num(9, k), num(11, 3), rest))
        for k, t, rest in ((1, 600, named("k", "kernel", *KERNEL)), (2, 640, b"")))
    return TRACKS + use + snap


def fields(b):
    i = 0
    def number():
        nonlocal i
        v = shift = 0
        while True:
            c = b[i]
            i += 1
            v |= (c & 127) << shift
            shift += 7
            if c < 128:
                return v
    while i < len(b):
        key = number()
        if key & 7 == 0:
            v = number()
        else:
            n = {1: 8, 5: 4}.get(key & 7)
            n = number() if n is None and key & 7 == 2 else n
            v = b[i:i + n]
            i += n
            if len(v) != n:
                raise ValueError("a field is not whole")
        yield key >> 3, v


def unpacked(b):
    for f, p in fields(b):
        zipped = first(all_of(p), 50) if f == 1 else None
        if zipped is None:
            yield f, p
        else:
            yield from fields(zlib.decompress(zipped))


def all_of(b):
    out = {}
    for f, v in fields(b):
        out.setdefault(f, []).append(v)
    return out


def first(m, field, default=None):
    return m.get(field, [default])[0]


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def event_texts(word, e):
    """The name, category and arguments of an event."""
    name = first(e, 23, b"").decode() or (word(2, first(e, 10)) if 10 in e else "")
    cat = [word(1, i) for i in e.get(3, [])] + [c.decode() for c in e.get(22, [])]
    args = []
    for m in map(all_of, e.get(4, [])):
        k = first(m, 10, b"").decode() or word(3, first(m, 1))
        v = (signed(first(m, 4)) if 4 in m else first(m, 3) if 3 in m else
            struct.unpack("<d", first(m, 5))[0] if 5 in m else
            word(29, first(m, 17)) if 17 in m else first(m, 6, b"").decode())
        args.append(f"{k}={v}")
    if 30 in e:
        args.append(f"value={signed(first(e, 30))}")
    return name, ",".join(cat), " ".join(args)


def read(b):
    names, tracks, events, links = {}, {}, [], {}
    for f, p in unpacked(b):
        p = all_of(p) if f == 1 else {}
        q = first(p, 10)
        if first(p, 13, 0) & 1:
            names = {k: v for k, v in names.items() if k[0] != q}
        for f, v in fields(first(p, 12, b"")):
            m = all_of(v)
            names[q, f, first(m, 1)] = first(m, 2, b"").decode()
        if 60 in p:
            t = all_of(first(p, 60))
            own = all_of(first(t, 3) or first(t, 4) or b"")
            tracks[first(t, 1)] = (first(own, 1, "-"), first(own, 2, "-") if 4 in t else "-",
                (first(t, 2) or first(own, 6) or first(own, 5) or b"").decode(), first(t, 5))
        if 11 in p:
            e = all_of(first(p, 11))
            events.append((first(p, 8), len(events), first(e, 9), first(e, 11),
                *event_texts(lambda t, i: names[q, t, i], e)))
            for f in e.get(47, []):
                links.setdefault(struct.unpack("<Q", f)[0], []).append(events[-1][4])
    # what names a track can stand behind what is on it
    open_, out = {}, []
    for ts, _, kind, track, name, cat, args in sorted(events, key=lambda e: e[:2]):
        if kind == 2:
            row = open_[track].pop()
            row[4] = ts - row[3]
            continue
        row = [track, kind, cat, ts, "-", name, args]
        out.append(row)
        if kind == 1:
            open_.setdefault(track, []).append(row)
    left = sum(map(len, open_.values()))
    if left:
        raise ValueError(f"{left} slices do not end")
    rows = []
    for track, kind, cat, ts, dur, name, args in out:
        pid, tid, label, up = tracks[track]
        if pid == "-":
            pid = tracks[up][0]
        rows.append(({1: "X", 3: "i", 4: "C"}[kind], pid, "-" if kind == 4 else label, cat or "-",
            ts, dur, name or label, args))
    return rows, sorted(links.values())


def same(b, text):
    """Compares what both forms of a timeline show: slices, points, counters, arrows."""
    trace = json.loads(text, parse_float=decimal.Decimal)
    rows, links = read(b)
    ns = lambda v: int(v * 1000)
    plain = lambda v: re.sub(r"\\x[0-9a-f]{2}", "\ufffd", v)  # what was no UTF-8
    want, names, begun = collections.Counter(), collections.Counter(), {}
    # numbers that no system gave differ, where rows are more
    label = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"]
        if e["name"] == "thread_name"}
    for e in trace["traceEvents"]:
        if e["ph"] == "X":
            want["X", e["pid"], label[e["pid"], e["tid"]], e["cat"], ns(e["ts"]), ns(e["dur"]), plain(e["name"])] += 1
        elif e["ph"] == "C":
            v, = e["args"].values()
            want["C", e["pid"], "-", "-", ns(e["ts"]), "-", e["name"] + f" {v}"] += 1
        elif e["ph"] == "b":
            begun[e["id"]] = e
        elif e["ph"] == "e":
            e0 = begun.pop(e["id"])
            names["range", e0["name"], ns(e0["ts"]), ns(e["ts"]) - ns(e0["ts"])] += 1
        elif e["ph"] == "i" and e["cat"] != "facts":
            want["i", e["pid"], label[e["pid"], e["tid"]], e["cat"], ns(e["ts"]), "-", e["name"]] += 1
    got = collections.Counter()
    for ph, pid, tid, cat, ts, dur, name, args in rows:
        if ph == "C":
            name += " " + args.removeprefix("value=")
        if cat not in ("facts", "launch"):
            got[ph, pid, tid, cat, ts, dur, plain(name)] += 1
    # ranges that overlap have rows of their own
    for key in list(got - want):
        if key[3] == "range" and names[key[3], key[6], key[4], key[5]] > 0:
            names[key[3], key[6], key[4], key[5]] -= got[key]
            del got[key]
    flows = sum(e["ph"] == "s" for e in trace["traceEvents"])
    for what in ((want - got), (got - want), +names):
        for k, n in sorted(what.items(), key=str)[:5]:
            print("differs:", n, *k)
    print(sum(want.values()), "events,", len(links), "arrows")
    return want == got and not +names and flows == len(links) and all(
        len(chain) == 2 for chain in links)


def main():
    out = sys.stdout.buffer
    if sys.argv[1] == "write":
        out.write(globals()["write_" + sys.argv[2]]())
    elif sys.argv[1] == "damage":
        b, rng = bytearray(sys.stdin.buffer.read()), random.Random(int(sys.argv[3]))
        for _ in range(int(sys.argv[2])):
            b[rng.randrange(len(b))] = rng.randrange(256)
        out.write(b)
    elif sys.argv[1] == "same":
        sys.exit(not same(sys.stdin.buffer.read(), open(sys.argv[2]).read()))
    else:
        for row in read(sys.stdin.buffer.read())[0]:
            print(json.dumps(row))


main()
