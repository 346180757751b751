/*
 * Packets of a trace of Perfetto; see pftrace.h. They are in any order but that
 * of their sequence, whose tables of texts they fill, empty and refer to.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "pftrace.h"
#include "spill.h"

#define PACKET_MOST ((uint64_t)64 << 20) /* bytes; they are kept in memory */
#define SEQUENCES_MOST (1u << 16)
#define TRACKS_MOST (1u << 22)
#define SNAPSHOTS_MOST 1024 /* of hours: one is made every ten seconds */
/* Compressed packets together, as one of them, see infile.c. */
#define UNPACKED_ANYWAY (UINT64_C(1) << 28)
#define UNPACKED_TIMES 256

enum { /* what is read of a packet: numbers, then messages */
	P_TIME = 1,
	P_SEQUENCE,
	P_FLAGS,
	P_CLEARED,
	P_DROPPED,
	P_CLOCK,
	P_CLOCKS, /* the first message */
	P_EVENT,
	P_INTERNED,
	P_ZLIB,
	P_STAGE,
	P_DEFAULTS,
	P_TRACK,
	P_COUNTERS,
	P_ZSTD,
	P_N
};

static const unsigned char places[] = { /* by their fields */
	[6] = P_CLOCKS,
	[8] = P_TIME,
	[10] = P_SEQUENCE,
	[11] = P_EVENT,
	[12] = P_INTERNED,
	[13] = P_FLAGS,
	[41] = P_CLEARED,
	[42] = P_DROPPED,
	[50] = P_ZLIB,
	[52] = P_COUNTERS,
	[53] = P_STAGE,
	[58] = P_CLOCK,
	[59] = P_DEFAULTS,
	[60] = P_TRACK,
	[133] = P_ZSTD
};

struct packet {
	uint64_t v[P_CLOCKS];
	struct mview s[P_N];
	bool has[P_N];
};

struct mview
pftrace_word(const struct pftrace *p, const struct pf_seq *q, enum pf_table t,
    uint64_t iid)
{
	uint32_t at = smap_find_pair(
	    &p->iids, (q - p->seq) * PT_N + (int64_t)t, (int64_t)iid);

	if (at == SMAP_NONE || p->iids.val[at] >> 32 != q->generation)
		return mv("", "");
	return smap_view(&p->words, (uint32_t)p->iids.val[at]);
}

/* An entry of a table: its id, and the text in the field `name`. */
static bool
read_interned(
    struct pftrace *p, struct pf_seq *q, enum pf_table t, struct mview v)
{
	struct proto m = proto_of(v);
	struct mview text = { "", 0 };
	uint64_t iid = 0;
	uint32_t at;

	while (proto_next(&m)) {
		if (m.no == 1)
			iid = m.v;
		/* a kernel has a name and, readable, another */
		else if (m.wire == PROTO_BYTES &&
			 (m.no == 2 ? text.n == 0
				    : t == PT_KERNEL && m.no == 3))
			text = m.s;
	}
	buf_clear(&p->text);
	pftrace_put_text(&p->text, text);
	at = smap_put_pair(
	    &p->iids, (q - p->seq) * PT_N + (int64_t)t, (int64_t)iid, NULL);
	p->iids.val[at] =
	    (uint64_t)q->generation << 32 |
	    smap_put(&p->words, buf_str(&p->text), p->text.len, NULL);
	return !m.bad;
}

static bool
read_tables(struct pftrace *p, struct pf_seq *q, struct mview v)
{
	static const unsigned tables[PT_N] = { 1, 2, 3, 29, 24, 1000, 1001 };
	struct proto m = proto_of(v);
	bool ok = true;
	int t;

	while (proto_next(&m))
		for (t = 0; t < PT_N; t++)
			if (m.no == tables[t] && m.wire == PROTO_BYTES)
				ok &= read_interned(p, q, t, m.s);
	return ok && !m.bad;
}

static bool
read_defaults(struct pf_seq *q, struct mview v)
{
	struct proto m = proto_of(v), e = { 0 };

	q->clock = q->track = 0;
	while (proto_next(&m)) {
		if (m.no == 58)
			q->clock = m.v;
		if (m.no != 11 || m.wire != PROTO_BYTES)
			continue;
		for (e = proto_of(m.s); proto_next(&e);)
			if (e.no == 11)
				q->track = e.v;
	}
	return !m.bad && !e.bad;
}

/* The clocks at one time: those of the machine, and one of the sequence. */
static bool
read_clocks(struct pftrace *p, struct pf_seq *q, struct mview v)
{
	struct proto m = proto_of(v), c = { 0 };
	static const uint64_t unset[5] = { 0, 0, 0, 0, 1 };
	struct pf_snapshot now;
	uint64_t f[5], id, own = 0;
	int64_t at;
	int i, n = 0;

	for (i = 0; i < PF_CLOCKS; i++)
		now.at[i] = EV_UNSET;
	while (!c.bad && proto_next(&m)) {
		if (m.no == 2)
			p->clock = m.v;
		if (m.no != 1 || m.wire != PROTO_BYTES)
			continue;
		memcpy(f, unset, sizeof(f));
		for (c = proto_of(m.s); proto_next(&c);)
			if (c.no < 5)
				f[c.no] = c.v;
		id = f[1];
		at = (int64_t)f[2];
		if (id < PF_CLOCKS) {
			now.at[id] = at;
			n++;
		} else if (q != NULL) {
			own = id;
			q->own.id = id;
			q->own.now = q->own.at = at;
			q->own.incremental = f[3] != 0;
			q->own.multiplier = (int64_t)f[4];
		}
	}
	for (i = 0; own > 0 && i < PF_CLOCKS; i++)
		if (now.at[i] != EV_UNSET && (i <= 6 || q->own.on == 0)) {
			q->own.on = (uint64_t)i;
			q->own.on_at = now.at[i];
		}
	if (n > 1 && p->nsnapshot < SNAPSHOTS_MOST) {
		ARRAY_GROW(p->snapshot, p->nsnapshot, p->snapshot_cap);
		p->snapshot[p->nsnapshot++] = now;
	}
	return !m.bad && !c.bad;
}

uint32_t
pftrace_track(struct pftrace *p, uint64_t uuid)
{
	bool is_new;
	uint64_t *at = map_put(&p->tracks, uuid, &is_new);

	if (!is_new)
		return (uint32_t)*at - 1;
	if (p->ntrack == TRACKS_MOST)
		die("%s: more than %u tracks", p->name, TRACKS_MOST);
	ARRAY_GROW(p->track, p->ntrack, p->track_cap);
	p->track[p->ntrack] = (struct pf_track){ .pid = EV_UNSET,
		.tid = EV_UNSET,
		.process = SMAP_NONE,
		.thread = SMAP_NONE,
		.seq = PF_NONE,
		.top = PF_NONE };
	*at = ++p->ntrack;
	return (uint32_t)p->ntrack - 1;
}

/* A process or a thread; names are in fields of their own. */
static bool
read_owner(struct pftrace *p, struct pf_track *t, bool thread, struct mview v)
{
	struct proto m = proto_of(v);
	struct mview name = { NULL, 0 };

	t->pid = t->tid = EV_UNSET;
	while (proto_next(&m)) {
		if (m.no == 1 && m.wire == PROTO_VARINT)
			t->pid = (int32_t)m.v;
		if (m.no == 2 && thread)
			t->tid = (int64_t)m.v;
		if (m.no == (thread ? 5 : 6) && m.wire == PROTO_BYTES)
			name = m.s;
	}
	/* PyTorch cuts numbers to 31 bits: -1 is its own overhead */
	if (t->pid == INT32_MAX)
		t->pid = -1;
	if (t->tid == INT32_MAX)
		t->tid = -1;
	if (name.s != NULL) {
		buf_clear(&p->text);
		pftrace_put_text(&p->text, name);
		name = (struct mview){ buf_str(&p->text), p->text.len };
	}
	*(thread ? &t->thread : &t->process) = smap_put_view(&p->words, name);
	return !m.bad;
}

static bool
read_track(struct pftrace *p, struct mview v)
{
	struct mview owner[2] = { { NULL, 0 }, { NULL, 0 } };
	struct proto m = proto_of(v);
	uint64_t uuid = 0, parent = 0;
	struct pf_track *t;
	bool ok = true;
	uint32_t no;
	int i;

	while (proto_next(&m)) {
		if (m.no == 1)
			uuid = m.v;
		else if (m.no == 5)
			parent = m.v;
		else if ((m.no == 3 || m.no == 4) && m.wire == PROTO_BYTES)
			owner[m.no - 3] = m.s;
	}
	no = pftrace_track(p, uuid);
	t = &p->track[no];
	t->parent = parent;
	for (i = 0; i < 2; i++)
		if (owner[i].s != NULL)
			ok &= read_owner(p, t, i == 1, owner[i]);
	return ok && !m.bad;
}

static struct pf_seq *
sequence_of(struct pftrace *p, uint64_t id)
{
	bool is_new;
	uint64_t *at;

	if (p->nseq > 0 && p->seq[p->nseq - 1].id == id)
		return &p->seq[p->nseq - 1];
	at = map_put(&p->seqs, id, &is_new);
	if (is_new) {
		if (p->nseq == SEQUENCES_MOST)
			die("%s: more than %u sequences of packets", p->name,
			    SEQUENCES_MOST);
		ARRAY_GROW(p->seq, p->nseq, p->seq_cap);
		p->seq[p->nseq] = (struct pf_seq){ .id = id };
		*at = ++p->nseq;
	}
	return &p->seq[*at - 1];
}

/* The time of a packet, on a clock of the machine; false if it has none. */
static bool
packet_time(
    struct pf_seq *q, const struct packet *k, int64_t *ts, uint64_t *clock)
{
	int64_t v = (int64_t)k->v[P_TIME];

	*clock = k->has[P_CLOCK] ? k->v[P_CLOCK] : q->clock;
	*ts = v;
	if (*clock < PF_CLOCKS)
		return k->has[P_TIME];
	if (!k->has[P_TIME] || q->own.id != *clock)
		return false;
	if (q->own.incremental)
		v = q->own.now = num_add(q->own.now, v);
	if (__builtin_mul_overflow(
		num_sub(v, q->own.at), q->own.multiplier, &v))
		return false;
	*ts = num_add(v, q->own.on_at);
	*clock = q->own.on;
	return true;
}

static void
feed_unpacked(void *ctx, const unsigned char *s, size_t n)
{
	struct pftrace *p = ctx;

	p->unpacked += n;
	if (p->unpacked > UNPACKED_ANYWAY &&
	    p->unpacked / UNPACKED_TIMES > p->frame[0].at)
		die("%s: unpacks to more than %d times its size: not unpacked",
		    p->name, UNPACKED_TIMES);
	pftrace_feed(ctx, s, n);
}

/* Packets in a packet. */
static bool
read_compressed(struct pftrace *p, const struct packet *k)
{
	struct pf_frame *f = &p->frame[1];
	bool zlib = k->has[P_ZLIB], ok;
	struct mview v = k->s[zlib ? P_ZLIB : P_ZSTD];

	if (p->depth == 1)
		return false;
	p->depth = 1;
	buf_clear(&f->rest);
	f->at = 0;
	f->broken = false;
	ok = unpack_to(zlib ? ZIP_GZIP : ZIP_ZSTD, p->name, -1,
	    (const unsigned char *)v.s, v.n, true, feed_unpacked, p);
	ok = ok && f->rest.len == 0 && !f->broken;
	p->depth = 0;
	return ok;
}

/* In this order, as the format defines it: what empties the tables of the
 * sequence, its defaults, its tables, its clock, and what happened. */
static bool
read_packet(struct pftrace *p, const struct packet *k)
{
	struct pf_seq *q;
	bool cleared = (k->v[P_FLAGS] & 1) != 0 || k->v[P_CLEARED] != 0;
	bool ok = true;
	uint64_t clock;
	int64_t ts;

	if (k->has[P_ZLIB] || k->has[P_ZSTD])
		return read_compressed(p, k);
	q = sequence_of(p, k->v[P_SEQUENCE]);
	if (cleared) {
		q->generation++;
		q->clock = q->track = 0;
	}
	q->valid = cleared || (q->valid && k->v[P_DROPPED] == 0);
	if (k->has[P_DEFAULTS])
		ok &= read_defaults(q, k->s[P_DEFAULTS]);
	if (k->has[P_INTERNED] && q->valid)
		ok &= read_tables(p, q, k->s[P_INTERNED]);
	if (k->has[P_CLOCKS])
		ok &= read_clocks(p, q, k->s[P_CLOCKS]);
	if (k->has[P_TRACK])
		ok &= read_track(p, k->s[P_TRACK]);
	p->l->k->other += k->has[P_COUNTERS];
	if (!k->has[P_EVENT] && !k->has[P_STAGE])
		return ok;
	if (((k->v[P_FLAGS] & 2) != 0 && !q->valid) || q->id == 0 ||
	    !packet_time(q, k, &ts, &clock)) {
		p->dropped++;
		return ok;
	}
	if (k->has[P_EVENT])
		ok &= pftrace_event(p, q, k->s[P_EVENT], ts, clock);
	if (k->has[P_STAGE])
		ok &= pftrace_stage(p, q, k->s[P_STAGE], ts, clock);
	return ok;
}

static void
cut_packet(struct pftrace *p, struct mview v)
{
	struct proto m = proto_of(v);
	struct packet k = { 0 };
	unsigned at;

	while (proto_next(&m)) {
		at = m.no < ARRAY_LEN(places) ? places[m.no] : 0;
		if (at == 0 || (at >= P_CLOCKS) != (m.wire == PROTO_BYTES))
			continue;
		k.has[at] = true;
		if (at >= P_CLOCKS)
			k.s[at] = m.s;
		else
			k.v[at] = m.v;
	}
	p->damaged += m.bad || !read_packet(p, &k);
}

/* What follows cannot be told apart. */
static void
lose_rest(struct pftrace *p, struct pf_frame *f, const char *what)
{
	f->broken = true;
	if (p->depth > 0)
		return;
	if (!p->l->k->wish->resync)
		die("%s: %s at byte %llu (dlp-parse --resync FILE | dlp - "
		    "reads what is before it)",
		    p->name, what, (unsigned long long)f->at);
	warn("%s: %s at byte %llu: only what is before it is read", p->name,
	    what, (unsigned long long)f->at);
}

void
pftrace_feed(void *ctx, const unsigned char *s, size_t n)
{
	struct pftrace *p = ctx;
	struct pf_frame *f = &p->frame[p->depth];
	struct proto m = { 0 };
	const char *from;
	size_t used;

	if (f->broken || n == 0)
		return;
	buf_put(&f->rest, (const char *)s, n);
	m.p = f->rest.s;
	m.e = f->rest.s + f->rest.len;
	for (;;) {
		from = m.p;
		if (!proto_head(&m))
			break;
		if (m.wire == PROTO_BYTES) {
			if (m.v > PACKET_MOST) {
				lose_rest(p, f, "a packet of more than 64 MiB");
				break;
			}
			if (m.v > (uint64_t)(m.e - m.p))
				break;
			if (m.no == 1)
				cut_packet(p, mv(m.p, m.p + m.v));
			m.p += m.v;
		}
		f->at += (uint64_t)(m.p - from);
	}
	/* ten bytes are enough for any number: what is short goes on */
	if (m.bad && m.e - from >= 2 * 10 && !f->broken)
		lose_rest(p, f, "no packet");
	used = (size_t)(from - f->rest.s);
	f->rest.len -= used;
	memmove(f->rest.s, f->rest.s + used, f->rest.len);
}

bool
pftrace_end(struct pftrace *p)
{
	struct pf_frame *f = &p->frame[0];
	bool whole;

	if (f->rest.len > 0 && !f->broken)
		lose_rest(p, f, "truncated: a packet that is not whole");
	whole = !f->broken;
	pftrace_load_slices(p);
	buf_free(&f->rest);
	buf_free(&p->frame[1].rest);
	smap_free(&p->words);
	smap_free(&p->iids);
	map_free(&p->seqs);
	map_free(&p->tracks);
	smap_free(&p->lanes);
	free(p->seq);
	free(p->track);
	free(p->lane);
	free(p->snapshot);
	tape_free(&p->tape);
	spill_free(p->end, p->end_cap, sizeof(*p->end));
	buf_free(&p->fields);
	buf_free(&p->text);
	return whole;
}
