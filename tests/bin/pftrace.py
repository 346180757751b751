#!/usr/bin/env python3
"""Perfetto's packets, read without dlp, for tests.

pftrace.py read <FILE      an array per slice: kind, process, thread's name, category, start,
                           length, name, arguments; pairs begins and ends by a stack
                           per track, as Perfetto does
pftrace.py same JSON <FILE   whether both show the same, and what differs"""
import collections, decimal, json, re, struct, sys, zlib


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
    if sys.argv[1] == "same":
        sys.exit(not same(sys.stdin.buffer.read(), open(sys.argv[2]).read()))
    else:
        for row in read(sys.stdin.buffer.read())[0]:
            print(json.dumps(row))


if __name__ == '__main__':
    main()
