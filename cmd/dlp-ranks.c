/*
 * dlp-ranks: the collectives of a run: when each rank came, which was the
 * last, how long the others waited for it; and how much of the communication
 * no other kernel hides.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "comm.h"
#include "err.h"
#include "ivl.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "out.h"
#include "stage.h"
#include "timeheap.h"
#include "words.h"
#include "workrec.h"

/*
 * A participant is a process on a device of a file. Its number is the rank that
 * the stream gives it, otherwise its place in the order of arrival.
 */
#define PART_NONE INT64_MIN /* a number that is not known */

struct rank_share { /* of a participant in an iteration */
	uint32_t part;
	const char *label; /* that of the participant */
	int64_t iter;      /* PART_NONE: outside of them */
	uint64_t n;        /* communication kernels */
	int64_t comm_ns, exposed_ns, wait_ns, first, end;
};

struct rank_part {
	uint32_t src; /* its text's number, in parts.srcs; SMAP_NONE */
	int64_t pid, dev;
	char *label;      /* its number as text: 3, or 3.1 for another device;
			   * in one file the device's, 1 */
	struct ivl other; /* when other kernels ran; what is past is dropped */
	uint64_t added;
	struct timeheap comm; /* not counted yet, by start, then iteration */
	int64_t counted;      /* communication up to here is */
	bool apart;           /* of another run */
};

struct rank_parts {
	struct smap srcs;  /* texts of src; value: rank + 1, or 0 */
	struct smap keys;  /* of the participants, by number */
	struct smap ranks; /* labels that are taken */
	struct rank_part *v;
	size_t n, cap;
	size_t n_apart;     /* of another run */
	size_t nrank, nsrc; /* rank records, and files that were named */
	bool told;          /* a profile tells its rank */
	struct rank_share *share;
	size_t nshare, share_cap;
	struct map share_at; /* participant and iteration -> share + 1 */
};

/*
 * Collectives of one type are matched in their order. Where
 * clocks agree, only kernels that ended together can be one, so that ranks
 * which recorded more, or take part in other groups, do not shift all that
 * follows. Where the ops tell process groups, only kernels of one group can be
 * one collective.
 */
struct arrival {
	uint32_t part;
	int64_t start, dur, iter;
};

struct rank_coll {
	const struct comm_type *type;
	uint32_t name;  /* of the kernel, in colls.names */
	uint32_t group; /* its process group; SMAP_NONE: not known */
	uint64_t id, nth;
	int64_t bytes; /* PART_NONE: not known */
	struct arrival *v;
	size_t n, cap;
	uint64_t *has; /* a bit for each participant that is in v */
	size_t n_has;
	int64_t end; /* the latest */
};

struct open_colls {
	struct smap names;
	struct smap groups;     /* name, LF, ranks; value: the size, or 0 */
	struct map group;       /* of an op: its place + 1 */
	struct map count;       /* of each type, by its address */
	struct rank_coll *open; /* in the order of their first kernels */
	size_t n, cap;
	uint64_t ids, overfull;
	bool aligned; /* clocks agree */
	size_t ranks; /* how many there are; 0: not known */
};

struct ranks {
	struct comm_rules comm;
	bool own_rules; /* -f: they alone decide */
	struct rank_parts parts;
	struct open_colls colls;
	struct out_type *coll, *arrive, *share, *skew;
	bool partial;
	struct out_type *other; /* with --partial */
	uint64_t incomplete;    /* collectives that some ranks are missing in */
	/* the section */
	int64_t now; /* the time that the stream has reached */
	struct rank_utc {
		struct buf src;
		struct buf utc, none; /* the record, with that clock */
	} * utc;                      /* of ranks that only UTC aligns */
	size_t n_utc, utc_cap;
	struct buf first; /* the file of the rank that is the reference */
	struct buf tmp;
};

/*
 * Participants, and their exposed communication: the part of the union of
 * their communication kernels in which no other kernel of theirs runs. A piece
 * of communication is counted when the stream has passed its end, because
 * everything that runs beside it has been launched by then.
 */

#define TIDY 4096 /* kernels after which past ones are dropped */

/* "3"; where that is taken, "3.1" with what tells them apart. */
static char *
make_label(struct rank_parts *ps, int64_t rank, int64_t part)
{
	struct buf b = { 0 };
	bool is_new;

	buf_i64(&b, rank);
	smap_put(&ps->ranks, buf_str(&b), b.len, &is_new);
	while (!is_new) {
		buf_putc(&b, '.');
		buf_i64(&b, part != PART_NONE ? part : 0);
		smap_put(&ps->ranks, buf_str(&b), b.len, &is_new);
	}
	buf_str(&b);
	return b.s;
}

/* The participant's number in v; src.s NULL: unset; rank: of the record, or
 * PART_NONE. */
static uint32_t
part_find(struct rank_parts *ps, struct mview src, int64_t rank, int64_t pid,
    int64_t dev)
{
	struct {
		int64_t src, pid, dev;
	} key = { -1, pid, dev };
	uint32_t id, s = SMAP_NONE;
	struct rank_part *p;
	bool is_new;

	if (src.s != NULL) {
		s = smap_put(&ps->srcs, src.s, src.n, NULL);
		key.src = s;
	}
	id = smap_put(&ps->keys, (const char *)&key, sizeof(key), &is_new);
	if (!is_new)
		return id;
	ARRAY_GROW(ps->v, ps->n, ps->cap);
	p = &ps->v[ps->n++];
	*p = (struct rank_part){
		.src = s, .pid = pid, .dev = dev, .counted = INT64_MIN
	};
	if (ps->nrank <= 1 && ps->nsrc <= 1 && !ps->told && dev != PART_NONE) {
		/* the ranks of one file: by GPU, whichever came first */
		p->label = make_label(ps, dev, pid);
		return id;
	}
	if (rank == PART_NONE && s != SMAP_NONE && ps->srcs.val[s] > 0 &&
	    (ps->nrank > 0 || ps->nsrc > 1))
		rank = (int64_t)(ps->srcs.val[s] - 1);
	p->label = make_label(ps, rank != PART_NONE ? rank : 0, dev);
	return id;
}

/* Of an iteration, made if it is new. */
static struct rank_share *
part_share(struct rank_parts *ps, uint32_t part, int64_t iter)
{
	uint64_t key = (uint64_t)part << 40 ^ ((uint64_t)iter + 1);
	uint64_t *at = map_put(&ps->share_at, key, NULL);
	struct rank_share *s;

	if (*at > 0)
		return &ps->share[*at - 1];
	ARRAY_GROW(ps->share, ps->nshare, ps->share_cap);
	s = &ps->share[ps->nshare++];
	*at = ps->nshare;
	*s = (struct rank_share){ .part = part,
		.label = ps->v[part].label,
		.iter = iter,
		.first = INT64_MAX,
		.end = INT64_MIN };
	return s;
}

static void
put_known(int64_t v)
{
	out_opt(v != PART_NONE, v);
}

static void
put_src(const struct ranks *g, uint32_t part)
{
	out_view(smap_view(&g->parts.srcs, g->parts.v[part].src));
}

/* What other ranks need of this one (--partial), besides its communication: a
 * graph record for each piece of it that other kernels hide, as long as they do
 * so; one without length where the first kernel of an iteration starts, and one
 * where the last one ends. */
static void
put_other(
    struct ranks *g, uint32_t part, int64_t start, int64_t ns, int64_t iter)
{
	out_rec(g->other);
	out_i64(start);
	out_i64(ns);
	put_known(g->parts.v[part].pid);
	put_known(g->parts.v[part].dev);
	put_known(iter);
	put_src(g, part);
	out_end();
}

/* Communication that ended before now. */
static void
count_past(struct ranks *g, uint32_t part, int64_t now)
{
	struct rank_part *p = &g->parts.v[part];

	while (p->comm.n > 0 && p->comm.v[0].end < now) {
		struct timed x = timeheap_pop(&p->comm);
		struct rank_share *h = part_share(&g->parts, part, x.then);
		int64_t lo = x.at > p->counted ? x.at : p->counted, ns, hid;

		if (x.end <= lo)
			continue;
		ns = num_sub(x.end, lo);
		h->comm_ns = num_add(h->comm_ns, ns);
		hid = ivl_len_in(&p->other, lo, x.end);
		h->exposed_ns = num_add(h->exposed_ns, num_sub(ns, hid));
		if (g->partial && hid > 0)
			put_other(g, part, lo, hid, x.then);
		p->counted = x.end;
	}
}

/* Its kernel ran, one of communication or another; now: no kernel that is still
 * to come starts before. */
static void
part_kern(struct ranks *g, bool comm, const struct arrival *a, int64_t now)
{
	struct rank_part *p = &g->parts.v[a->part];
	struct rank_share *h = part_share(&g->parts, a->part, a->iter);
	int64_t end = num_add(a->start, a->dur), past = now;
	size_t n = 0;

	if (a->start < h->first)
		h->first = a->start;
	if (end > h->end)
		h->end = end;
	h->n += comm;
	if (comm)
		timeheap_push(&p->comm,
		    (struct timed){
			.at = a->start, .then = a->iter, .end = end });
	else
		ivl_add(&p->other, a->start, end);
	count_past(g, a->part, now);
	if (++p->added % TIDY != 0)
		return;
	/* drops other kernels that are past, for communication too */
	if (p->comm.n > 0 && p->comm.v[0].at < past)
		past = p->comm.v[0].at;
	while (n < p->other.n && p->other.v[n].hi < past)
		n++;
	ivl_drop(&p->other, n, &end);
}

/* Which kernels of the ranks are one collective. */

#define OPEN_MAX_COLLS 65536 /* collectives that may wait for ranks */
#define LATE_NS 1000000000   /* for how long, with clocks that agree */
#define ENDS_NS 1000000      /* how far ends of one may differ */

/* Whether a kernel can be one of the collective: not if the participant has one
 * in it; nor, where clocks agree, if the ends differ by more than a millisecond
 * and by more than a twentieth of the kernel's length. */
static bool
may_join(
    const struct open_colls *cs, const struct rank_coll *c, struct arrival a)
{
	int64_t end = num_add(a.start, a.dur), d;
	size_t word = a.part / 64;

	if (word < c->n_has && (c->has[word] >> a.part % 64 & 1) != 0)
		return false;
	d = end > c->end ? num_sub(end, c->end) : num_sub(c->end, end);
	return !cs->aligned || !c->type->together || d <= ENDS_NS ||
	       d <= a.dur / 20;
}

/* The GPUs of its process group; 0: not known. */
static size_t
group_size(const struct open_colls *cs, const struct rank_coll *c)
{
	return c->group != SMAP_NONE ? (size_t)cs->groups.val[c->group] : 0;
}

/* How many ranks of the run take part in it, at most; 0: not known. */
static size_t
ranks_in(const struct open_colls *cs, const struct rank_coll *c)
{
	size_t n = group_size(cs, c);

	return n > 0 && (cs->ranks == 0 || n < cs->ranks) ? n : cs->ranks;
}

/* A kernel of communication. */
static void
coll_put(struct open_colls *cs, const struct comm_type *type, uint32_t name,
    uint32_t group, int64_t bytes, struct arrival a)
{
	int64_t end = num_add(a.start, a.dur);
	struct rank_coll *c = cs->open;

	while (c < cs->open + cs->n &&
	       !(c->type->name == type->name && c->group == group &&
		   may_join(cs, c, a)))
		c++;
	if (c == cs->open + cs->n) {
		ARRAY_GROW(cs->open, cs->n, cs->cap);
		c = &cs->open[cs->n++];
		*c = (struct rank_coll){ .type = type,
			.name = name,
			.group = group,
			.id = cs->ids++,
			.nth = (*map_put(&cs->count,
			    (uint64_t)(uintptr_t)type->name, NULL))++,
			.bytes = PART_NONE,
			.end = INT64_MIN };
	}
	if (bytes != PART_NONE && bytes > c->bytes)
		c->bytes = bytes;
	if (end > c->end)
		c->end = end;
	ARRAY_REACH(c->has, c->n_has, a.part / 64);
	c->has[a.part / 64] |= UINT64_C(1) << a.part % 64;
	ARRAY_GROW(c->v, c->n, c->cap);
	c->v[c->n++] = a;
}

/*
 * The records that dlp-ranks adds. A collective takes as long as on the rank
 * that came last, which had nobody to wait for: the least of all ranks. What
 * it took longer on another rank was waiting, whatever the clocks say. Who came
 * when can only be said if clocks agree.
 */

struct coll_sums {
	const struct arrival *first, *last;
	int64_t start, end_lo, comm, longest, wait, iter;
};

/* The participant's label; its file. */
static void
put_label(const struct ranks *g, uint32_t part)
{
	out_word(g->parts.v[part].label);
}

/* Whether a came before b: by the clock if clocks agree. Otherwise the kernel
 * that took longer came first, because all of them end together. */
static bool
came_before(bool aligned, const struct arrival *a, const struct arrival *b)
{
	return aligned ? a->start < b->start : a->dur > b->dur;
}

static struct coll_sums
add_up(const struct open_colls *cs, const struct rank_coll *c)
{
	struct coll_sums s = { .start = INT64_MAX,
		.end_lo = INT64_MAX,
		.comm = INT64_MAX,
		.iter = PART_NONE };
	const struct arrival *a;

	for (a = c->v; a < c->v + c->n; a++) {
		if (s.first == NULL || came_before(cs->aligned, a, s.first))
			s.first = a;
		if (s.last == NULL || came_before(cs->aligned, s.last, a))
			s.last = a;
		if (a->start < s.start)
			s.start = a->start;
		if (num_add(a->start, a->dur) < s.end_lo)
			s.end_lo = num_add(a->start, a->dur);
		if (a->dur < s.comm)
			s.comm = a->dur;
		if (a->dur > s.longest)
			s.longest = a->dur;
		if (s.iter == PART_NONE)
			s.iter = a->iter;
	}
	for (a = c->v; a < c->v + c->n; a++)
		s.wait = num_add(s.wait, a->dur - s.comm);
	return s;
}

/* What goes over the link of each of n GPUs, as a part of the message, by the
 * definitions of nccl-tests (doc/PERFORMANCE.md); 0: none. */
static double
bus_part(const char *kind, double n)
{
	static const char *const some[] = { "all_gather", "all_to_all",
		"gather", "reduce_scatter", "scatter" };

	if (strcmp(kind, "all_reduce") == 0)
		return 2 * (n - 1) / n;
	if (mv_listed(mv(kind, kind + strlen(kind)), some, ARRAY_LEN(some)))
		return (n - 1) / n;
	return strcmp(kind, "broadcast") == 0 || strcmp(kind, "reduce") == 0;
}

/* The bandwidths of the algorithm and of the bus; ns: without waiting. */
static void
put_bandwidth(
    const struct open_colls *cs, const struct rank_coll *c, int64_t ns)
{
	size_t n = group_size(cs, c);
	double part = bus_part(c->type->name, (double)(n > 0 ? n : c->n));
	bool has = ns > 0 && c->bytes != PART_NONE && part > 0;
	double rate = (double)c->bytes / (double)ns;

	out_f64(has, rate, 3);
	out_f64(has, part * rate, 3);
}

/* The process group's name, size and ranks. */
static void
put_group(const struct open_colls *cs, const struct rank_coll *c)
{
	size_t n, size = group_size(cs, c);
	const char *s, *end;

	if (c->group == SMAP_NONE) {
		out_unsets(3);
		return;
	}
	s = smap_str(&cs->groups, c->group, &n);
	end = memchr(s, '\n', n);
	out_raw(s, (size_t)(end - s));
	out_opt(size > 0, (int64_t)size);
	n -= (size_t)(end + 1 - s);
	out_raw(n > 0 ? end + 1 : NULL, n);
}

/* A coll record, and an arrive record per rank; waits go to the ranks'
 * shares. */
static void
put_coll(struct ranks *g, const struct rank_coll *c)
{
	const struct open_colls *cs = &g->colls;
	const struct coll_sums s = add_up(cs, c);
	bool several = c->n > 1, clock = several && cs->aligned;
	bool order = several && (clock || c->type->together);
	size_t n = ranks_in(cs, c);
	const struct arrival *a;
	struct rank_share *h;
	const char *name;
	int64_t wait;

	g->incomplete += c->n < (n > 0 ? n : g->parts.n);
	name = smap_str(&cs->names, c->name, &n);
	out_rec(g->coll);
	out_i64((int64_t)c->id);
	out_word(c->type->name);
	out_i64((int64_t)c->nth);
	put_known(s.iter);
	out_text(name, n);
	put_known(c->bytes);
	out_i64((int64_t)c->n);
	out_i64(s.start);
	out_opt(cs->aligned || !several, num_sub(c->end, s.start));
	out_opt(several, s.comm);
	out_opt(several, s.wait);
	out_opt(several, s.longest - s.comm);
	out_opt(clock, clock ? num_sub(s.last->start, s.first->start) : 0);
	out_opt(clock, clock ? num_sub(c->end, s.end_lo) : 0);
	if (order) {
		put_label(g, s.first->part);
		put_label(g, s.last->part);
	} else {
		out_unsets(2);
	}
	put_bandwidth(cs, c, several ? s.comm : PART_NONE);
	put_group(cs, c);
	out_end();
	for (a = c->v; a < c->v + c->n; a++) {
		wait = num_sub(a->dur, s.comm);
		h = part_share(&g->parts, a->part, a->iter);
		h->wait_ns = num_add(h->wait_ns, wait);
		out_rec(g->arrive);
		out_i64((int64_t)c->id);
		out_word(c->type->name);
		put_known(a->iter);
		put_label(g, a->part);
		put_src(g, a->part);
		out_i64(a->start);
		out_i64(a->dur);
		out_opt(several, wait);
		out_opt(clock, clock ? num_sub(a->start, s.first->start) : 0);
		out_opt(order, a == s.last);
		out_end();
	}
}

/* Hands out what is whole at the time now; INT64_MAX: all. A rank launches its
 * part before the collective ends. */
static void
coll_flush(struct ranks *g, int64_t now)
{
	struct open_colls *cs = &g->colls;
	struct rank_coll *c;
	size_t i, n;

	if (cs->n > OPEN_MAX_COLLS) {
		cs->overfull++;
		now = INT64_MAX;
	}
	for (i = 0; i < cs->n; i++) {
		c = &cs->open[i];
		n = ranks_in(cs, c);
		if (now != INT64_MAX && !(n > 0 && c->n >= n) &&
		    !(cs->aligned && num_add(c->end, LATE_NS) < now))
			break;
		put_coll(g, c);
		free(c->v);
		free(c->has);
	}
	cs->n -= i;
	if (i > 0)
		memmove(cs->open, cs->open + i, cs->n * sizeof(*cs->open));
}

static int
by_place(const void *va, const void *vb)
{
	const struct rank_share *a = va, *b = vb;

	if (a->iter != b->iter)
		return a->iter < b->iter ? -1 : 1;
	return natural_cmp(a->label, b->label);
}

/* Ranks in one iteration, shares h[0..n): how far apart they are. */
static void
put_skew(const struct ranks *g, const struct rank_share *h, size_t n)
{
	int64_t first = INT64_MAX, first_hi = INT64_MIN, end = INT64_MIN;
	int64_t end_lo = INT64_MAX, len = INT64_MAX, len_hi = 0, wait = 0;
	const struct rank_share *least = h;
	size_t i;

	for (i = 0; i < n; i++) {
		int64_t ns = num_sub(h[i].end, h[i].first);

		first = h[i].first < first ? h[i].first : first;
		first_hi = h[i].first > first_hi ? h[i].first : first_hi;
		end = h[i].end > end ? h[i].end : end;
		end_lo = h[i].end < end_lo ? h[i].end : end_lo;
		len = ns < len ? ns : len;
		len_hi = ns > len_hi ? ns : len_hi;
		wait = num_add(wait, h[i].wait_ns);
		if (h[i].wait_ns < least->wait_ns)
			least = &h[i];
	}
	out_rec(g->skew);
	put_known(h->iter);
	out_i64((int64_t)n);
	out_opt(g->colls.aligned, num_sub(first_hi, first));
	out_opt(g->colls.aligned, num_sub(end, end_lo));
	out_i64(num_sub(len_hi, len));
	out_i64(wait);
	if (n > 1 && wait > 0)
		put_label(g, least->part);
	else
		out_unset();
	out_end();
}

/* A comm record per rank and iteration, a skew record per iteration. */
static void
put_shares(const struct ranks *g)
{
	const struct rank_parts *ps = &g->parts;
	struct rank_share *h, *end = ps->share + ps->nshare, t;
	size_t n, k, near, some;

	if (ps->nshare > 0)
		qsort(ps->share, ps->nshare, sizeof(*h), by_place);
	for (h = ps->share; h < end; h++) {
		out_rec(g->share);
		put_known(h->iter);
		put_label(g, h->part);
		put_src(g, h->part);
		put_known(ps->v[h->part].pid);
		put_known(ps->v[h->part].dev);
		out_i64((int64_t)h->n);
		out_i64(h->comm_ns);
		out_i64(h->exposed_ns);
		out_i64(h->wait_ns);
		out_i64(h->first);
		out_i64(h->end);
		out_end();
	}
	for (h = ps->share; h < end; h += n) {
		for (n = some = 0; h + n < end && h[n].iter == h->iter; n++)
			some += !ps->v[h[n].part].apart;
		/* those of other runs go to the end: nobody needs their order
		 */
		for (k = near = 0; some < n && k < some; k++) {
			near = k > near ? k : near;
			while (near + 1 < n && ps->v[h[near].part].apart)
				near++;
			t = h[k];
			h[k] = h[near];
			h[near] = t;
		}
		if (some > 1 || ps->n_apart == 0)
			put_skew(g, h, some);
	}
}

/* Keeps the record of a rank that UTC aligned, in both forms. */
static void
keep_utc(struct ranks *g, const struct rec *r, struct mview src)
{
	struct rank_utc *k;
	const char *s, *name;
	size_t len;
	int i;

	ARRAY_GROW(g->utc, g->n_utc, g->utc_cap);
	k = &g->utc[g->n_utc++];
	memset(k, 0, sizeof(*k));
	buf_put(&k->src, src.s, src.s != NULL ? src.n : 0);
	buf_put(&k->utc, r->line, r->len);
	buf_puts(&k->none, "rank");
	for (i = 0; i < rec_ncols(r->type); i++) {
		s = rec_field(r, i, &len);
		name = rec_colname(r->type, i);
		buf_putc(&k->none, '\t');
		if (strcmp(name, "clock_by") == 0 ||
		    strcmp(name, "shift_ns") == 0)
			buf_putc(&k->none, '-');
		else
			buf_put(&k->none, s, len);
	}
}

/* When the kernels of each file ran, by the number of its text. */
static struct extent *
spans_of(const struct rank_parts *ps)
{
	struct extent *v = xcalloc(ps->srcs.n + 1, sizeof(*v));
	const struct rank_share *h;

	for (h = ps->share; h < ps->share + ps->nshare; h++)
		if (ps->v[h->part].src != SMAP_NONE)
			extent_add(&v[ps->v[h->part].src], h->first, h->end);
	return v;
}

/* That of one file; zeroed: it has none. */
static struct extent
span_of(
    const struct rank_parts *ps, const struct extent *v, const struct buf *src)
{
	uint32_t id = smap_find(&ps->srcs, src->s, src->len);

	return id != SMAP_NONE ? v[id] : (struct extent){ 0 };
}

static void
say_other_run(struct ranks *g, struct rank_utc *k, int64_t ns)
{
	static const struct {
		double ns;
		const char *word;
	} units[] = { { 86400e9, "days" }, { 3600e9, "hours" },
		{ 60e9, "minutes" }, { 1e9, "s" }, { 0, "ms" } };
	uint32_t src = smap_find(&g->parts.srcs, k->src.s, k->src.len);
	struct rank_part *p;
	size_t i = 0;

	for (p = g->parts.v; p < g->parts.v + g->parts.n; p++)
		if (p->src == src && !p->apart) {
			p->apart = true;
			g->parts.n_apart++;
		}
	while ((double)ns < 2 * units[i].ns)
		i++;
	warn("%s: of another run than %s? No collective in common, and by UTC"
	     " %.1f %s between their GPU work: not aligned, no skew",
	    buf_str(&k->src), buf_str(&g->first),
	    (double)ns / (units[i].ns > 0 ? units[i].ns : 1e6), units[i].word);
}

/* Ranks of another run: only UTC aligns them with the first, no collective
 * does, and nothing of them runs while the first one works. Says so, and writes
 * the records that were kept: theirs then say that the clock is not aligned. */
static void
put_utc(struct ranks *g)
{
	struct extent *spans = spans_of(&g->parts), t,
		      ref = span_of(&g->parts, spans, &g->first);
	struct rank_utc *k;
	bool is;

	for (k = g->utc; k < g->utc + g->n_utc; k++) {
		t = span_of(&g->parts, spans, &k->src);
		is = ref.any && t.any && (t.lo >= ref.hi || ref.lo >= t.hi);
		if (is)
			say_other_run(g, k,
			    t.lo >= ref.hi ? num_sub(t.lo, ref.hi)
					   : num_sub(ref.lo, t.hi));
		out_line(
		    is ? k->none.s : k->utc.s, is ? k->none.len : k->utc.len);
		buf_free(&k->src);
		buf_free(&k->utc);
		buf_free(&k->none);
	}
	free(spans);
	g->n_utc = 0;
}

static void
see_rank(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	struct mview src = rec_get(r, COL_src), by = rec_get(r, COL_clock_by);
	int64_t rank = rec_num_or(r, COL_rank, PART_NONE);
	bool utc = mv_eq(by, "utc");
	uint32_t id;

	if (src.s != NULL && rank >= 0) {
		id = smap_put(&g->parts.srcs, src.s, src.n, NULL);
		g->parts.nrank++;
		g->parts.told |= mv_eq(rec_get(r, COL_rank_by), "profile");
		g->parts.srcs.val[id] = (uint64_t)rank + 1;
	}
	if (utc)
		keep_utc(g, r, src);
	else
		stage_pass(st, r);
	if (mv_eq(by, "reference")) {
		buf_clear(&g->first);
		buf_put(&g->first, src.s, src.s != NULL ? src.n : 0);
	}
	/* the hosts' clocks can be wrong, so UTC cannot order ranks */
	if (utc || by.s == NULL)
		g->colls.aligned = false;
}

/* A file is named: without rank records, files are numbered so. */
static void
see_source(struct stage *st, struct rec *r)
{
	struct rank_parts *ps = &((struct ranks *)st->ctx)->parts;
	size_t n, m;
	const char *rest;
	bool is_new;
	uint32_t id;

	rec_meta(r, &n, &rest, &m);
	if (n != 4 || m <= 4 || memcmp(r->line, "##info\tsrc\t", 11) != 0)
		return;
	id = smap_put(&ps->srcs, rest + 4, m - 4, &is_new);
	if (is_new)
		ps->srcs.val[id] = ++ps->nsrc;
}

/* Reads a record of work and the rank that ran it; false: no time is known. */
static bool
read_arrival(struct ranks *g, const struct rec *r, struct arrival *a)
{
	struct rank_parts *ps = &g->parts;
	int64_t api = rec_num_or(r, COL_api_start_ns, PART_NONE);
	size_t n;

	a->start = rec_num_or(r, COL_start_ns, PART_NONE);
	a->iter = rec_num_or(r, COL_iter, PART_NONE);
	if (a->start == PART_NONE || !rec_length(r, COL_dur_ns, &a->dur))
		return false;
	a->part = part_find(ps, rec_get(r, COL_src),
	    rec_num_or(r, COL_rank, PART_NONE),
	    rec_num_or(r, COL_pid, PART_NONE),
	    rec_num_or(r, COL_dev, PART_NONE));
	/* files that nothing has aligned have clocks of their own */
	if (ps->nrank == 0 && ps->srcs.n > 1)
		g->colls.aligned = false;
	/* how many there are is told by rank records, or files; it is not
	 * known where a rank has several devices */
	n = ps->nrank > 0 ? ps->nrank : ps->nsrc;
	g->colls.ranks = n > 1 && ps->n <= n ? n : 0;
	if (api == PART_NONE || api > a->start)
		api = a->start;
	if (api > g->now)
		g->now = api;
	return true;
}

/* The collective of a kernel: dlp-correlate knows more than the name tells,
 * such as which of NCCL's all-reduces is a barrier. NULL: it is no
 * communication. */
static const struct comm_type *
type_of(struct ranks *g, const struct rec *r, const char *name, size_t n)
{
	struct mview op = rec_get(r, COL_op);
	const struct comm_type *type;

	if (!g->own_rules && op.s != NULL &&
	    mv_eq(rec_get(r, COL_dir), "comm") &&
	    (type = comm_named(&g->comm, op.s, op.n)) != NULL)
		return type;
	return name != NULL ? comm_find(&g->comm, name, n) : NULL;
}

/* An op of communication: its process group. */
static void
see_group(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	struct buf *b = &g->tmp;
	struct mview name = rec_get(r, COL_group), ranks;
	uint32_t at;
	int64_t id;

	if (!g->partial || name.s != NULL)
		stage_pass(st, r);
	if (name.s == NULL || !rec_num(r, COL_op_id, &id))
		return;
	ranks = rec_get(r, COL_group_ranks);
	buf_clear(b);
	buf_put(b, name.s, name.n);
	buf_putc(b, '\n');
	buf_put(b, ranks.s, ranks.s != NULL ? ranks.n : 0);
	at = smap_put(&g->colls.groups, b->s, b->len, NULL);
	*map_put(&g->colls.group, (uint64_t)id, NULL) = at + 1;
	id = rec_num_or(r, COL_group_size, 0);
	g->colls.groups.val[at] = id > 0 ? (uint64_t)id : 0;
}

static void
see_kernel(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	const struct comm_type *type;
	const uint64_t *group = NULL;
	struct arrival a;
	const char *name;
	int64_t id;
	size_t n;

	if (!g->partial)
		stage_pass(st, r);
	if (!read_arrival(g, r, &a))
		return;
	name = rec_text(r, COL_short, &g->tmp, &n);
	type = type_of(g, r, name, n);
	part_kern(g, type != NULL, &a, g->now);
	if (g->partial && type != NULL)
		stage_pass(st, r);
	if (g->partial)
		return;
	if (g->colls.group.n > 0 && rec_num(r, COL_op_id, &id))
		group = map_get(&g->colls.group, (uint64_t)id);
	if (type != NULL && !type->pair && name != NULL)
		coll_put(&g->colls, type,
		    smap_put(&g->colls.names, name, n, NULL),
		    group != NULL ? (uint32_t)*group - 1 : SMAP_NONE,
		    rec_num_or(r, COL_bytes, PART_NONE), a);
	coll_flush(g, g->now);
}

static void
see_graph(struct stage *st, struct rec *r)
{
	struct ranks *g = st->ctx;
	struct arrival a;

	if (!g->partial)
		stage_pass(st, r);
	if (read_arrival(g, r, &a))
		part_kern(g, false, &a, g->now);
}

static void
begin_ranks(struct stage *st)
{
	struct ranks *g = st->ctx;

	g->now = INT64_MIN;
	g->colls.aligned = true;
	g->colls.ranks = 0;
}

static void
end_ranks(struct stage *st)
{
	struct ranks *g = st->ctx;
	struct rank_parts *ps = &g->parts;
	struct open_colls *cs = &g->colls;
	const struct rank_share *h;
	uint32_t i;

	coll_flush(g, INT64_MAX);
	for (i = 0; i < ps->n; i++)
		count_past(g, i, INT64_MAX);
	put_utc(g);
	if (g->partial)
		for (h = ps->share; h < ps->share + ps->nshare; h++) {
			put_other(g, h->part, h->first, 0, h->iter);
			put_other(g, h->part, h->end, 0, h->iter);
		}
	else
		put_shares(g);
	stage_note("coll_incomplete", g->incomplete);
	stage_note("coll_overfull", cs->overfull);
	g->incomplete = 0;
	if (!cs->aligned && cs->ids > 0)
		warn("the clocks of the files are not aligned: arrivals are"
		     " estimated from the collectives' lengths alone; dlp-parse"
		     " --ranks aligns them");
	smap_free(&cs->names);
	smap_free(&cs->groups);
	map_free(&cs->group);
	map_free(&cs->count);
	free(cs->open);
	*cs = (struct open_colls){ 0 };
	for (i = 0; i < ps->n; i++) {
		free(ps->v[i].label);
		timeheap_free(&ps->v[i].comm);
		ivl_free(&ps->v[i].other);
	}
	smap_free(&ps->srcs);
	smap_free(&ps->keys);
	smap_free(&ps->ranks);
	map_free(&ps->share_at);
	free(ps->v);
	free(ps->share);
	*ps = (struct rank_parts){ 0 };
}

#define WORK "api_start_ns pid dev src iter rank"

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "coll_incomplete", "coll_overfull",
		NULL };
	static const char *const keep[] = { "rank", "iter", "cut", "op",
		"kern" };
	static const char *const other[] = { "start_ns", "dur_ns", "pid", "dev",
		"iter", "src" };
	static const char *rules; /* static for the table of options */
	static struct ranks g;    /* one in a process */
	static const struct cli_opt opts[] = {
		{ 'f', "rules", .arg = &rules },
		{ 0, "partial", .flag = &g.partial },
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-ranks", opts, argc, argv);
	comm_open(&g.comm, rules);
	g.own_rules = rules != NULL;
	stage_on(&st, "kern", see_kernel, .need = "start_ns dur_ns short",
	    .opt = WORK " bytes op dir op_id");
	stage_on(
	    &st, "op", see_group, .opt = "op_id group group_size group_ranks");
	stage_on(
	    &st, "graph", see_graph, .need = "start_ns dur_ns", .opt = WORK);
	stage_on(&st, "rank", see_rank, .need = "rank",
	    .opt = "src rank_by clock_by shift_ns");
	st.ctx = &g;
	st.section = begin_ranks;
	st.end = end_ranks;
	st.meta = see_source;
	if (g.partial) {
		g.other = out_type("graph", other, ARRAY_LEN(other));
		stage_keep(&st, keep, ARRAY_LEN(keep));
	}
	g.coll = out_type_reg("coll", "dlp-ranks");
	g.arrive = out_type_reg("arrive", "dlp-ranks");
	g.share = out_type_reg("comm", "dlp-ranks");
	g.skew = out_type_reg("skew", "dlp-ranks");
	stage_anew(&st, notes);
	return out_finish(stage_run(&st));
}
