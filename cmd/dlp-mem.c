/*
 * dlp-mem: the memory in use, its peak, and what was in use then: for each
 * device its own memory (device) and that of the host (host).
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "dlp-mem/mem_snap.h"
#include "err.h"
#include "maker.h"
#include "map.h"
#include "num.h"
#include "openrange.h"
#include "stage.h"
#include "words.h"
#include "workrec.h"

/* Of so many newest calls it is known where they were made. */
#define CALLS 256

#define NOBODY (-1) /* a process that is not known */

struct mem_where { /* numbers in mem.names: of an allocation */
	uint32_t iter, phase, layer, at, api, kind;
	int64_t place; /* of a snapshot */
};

static const struct mem_where nowhere = { SMAP_NONE, SMAP_NONE, SMAP_NONE,
	SMAP_NONE, SMAP_NONE, SMAP_NONE, 0 };

struct allocation {
	int64_t addr, bytes, start; /* start in ns */
	int64_t pid;
	struct mem_where where;
	uint64_t seq;
	bool dead; /* released after the peak */
};

struct mem_owner {    /* what spaces are told apart by */
	uint32_t src; /* in mem.names */
	int64_t dev;
	bool host;
};

/* The memory of an owner: the allocations that live, and those that lived at
 * the peak. */
struct mem_space {
	struct mem_owner owner;
	struct allocation *v;
	size_t n, cap, n_dead;
	struct map proc; /* pid -> place in at */
	struct map *at;  /* of a process: address -> place in v */
	size_t n_at;
	int64_t used, peak, before; /* bytes; before: the recording began */
	int64_t end; /* bytes: after what counts; see mem_steps */
	/* what was there before a snapshot's history: what was released in it
	 * unseen, and of that after the peak */
	int64_t lost, n_lost, lost_late, n_lost_late;
	bool seen;          /* an event of it was read */
	bool has_peak;      /* a moment that counts was seen */
	int64_t peak_start; /* ns */
	struct mem_where peak_where;
	uint64_t peak_seq, n_alloc, n_free;
	struct mem_use_at { /* --times: what a device uses from a moment on */
		struct mem_use_at *next;
		int64_t start, used; /* ns, bytes */
	} * first, *last;
	int64_t top; /* --times: the most */
};

/* With --iter-start or --iter-stop these iterations count: their own events,
 * and what is in use when each begins. Iterations that have not begun wait,
 * because the GPU can still be busy with the one before. */
struct mem_steps {
	bool chosen, found;
	int64_t from, to;
	struct mem_begin {
		int64_t at; /* ns */
		uint32_t iter, src;
	} * wait;
	size_t n, done, cap;
};

struct mem_use { /* of a space, while ranges of a name were open */
	int64_t peak, alloc, freed; /* bytes */
	uint64_t n_alloc;
	bool has_peak;
};

struct mem_range { /* ranges of a name */
	uint32_t src;
	const char *path;
	uint64_t n;
	struct mem_use *use; /* by space */
	size_t n_use;
};

struct mem_open { /* a range that is open */
	struct openrange span;
	uint32_t range; /* place in mem.range */
	int64_t pid;
};

struct mem {
	struct mem_space *space;
	size_t n_space;
	struct mem_range *range;
	size_t n_range;
	struct smap range_keys; /* "src\tpath"; the number in range */
	struct openranges open; /* of all threads */
	size_t open_limit;      /* of their number, to look which ended */
	struct smap names;
	struct maker maker;
	struct map totals; /* total_key() -> bytes, 0: not known */
	uint64_t seq;
	uint64_t unknown_free, twice;
	struct mem_steps steps;
	bool counts; /* the event that is being read */
	struct made_call {
		int64_t pid, corr;
		uint32_t src;
		struct mem_where where;
	} calls[CALLS];
	uint64_t n_calls;
	struct buf key, path;

	struct out_ext *ext;
	struct out_src_type peak, live, memrange, memtime;
	int64_t n_times;      /* --times; 0: not asked for */
	struct store moments; /* their struct mem_use_at */
	int64_t last;         /* ns: end of the profile */
	bool works;           /* a GPU does */
	bool none;            /* a section has GPUs and no memory events */
	struct mem_snap snap;
};

/* Of a device of a file: the key of what it has in all. */
static uint64_t
total_key(uint32_t src, int64_t dev)
{
	return (uint64_t)src << 32 | (uint32_t)dev;
}

static struct mem_space *
space_of(struct mem *m, struct mem_owner o)
{
	struct mem_space *s;
	size_t i;

	for (i = 0; i < m->n_space; i++) {
		s = &m->space[i];
		if (s->owner.src == o.src && s->owner.dev == o.dev &&
		    s->owner.host == o.host)
			return s;
	}
	ARRAY_REACH(m->space, m->n_space, i);
	s = &m->space[i];
	s->owner = o;
	s->has_peak = !m->steps.chosen; /* 0, before the first event */
	return s;
}

/* Addresses are virtual: each process has its own, and two processes on one
 * device often have the same. The map of a process is valid until another
 * process is new. */
static struct map *
addresses_of(struct mem_space *s, int64_t pid)
{
	bool is_new;
	uint64_t *no = map_put(&s->proc, (uint64_t)pid, &is_new);

	if (is_new) {
		*no = s->n_at;
		ARRAY_REACH(s->at, s->n_at, *no);
	}
	return &s->at[*no];
}

/* The last one takes the place of allocation i. */
static void
remove_alloc(struct mem_space *s, size_t i)
{
	struct allocation *last = &s->v[--s->n];

	s->n_dead -= s->v[i].dead;
	if (!s->v[i].dead)
		map_del(addresses_of(s, s->v[i].pid), (uint64_t)s->v[i].addr);
	if (i == s->n)
		return;
	s->v[i] = *last;
	if (!last->dead)
		*map_put(
		    addresses_of(s, last->pid), (uint64_t)last->addr, NULL) = i;
}

/* Returns how the use has changed, in bytes. */
static int64_t
space_free(struct mem *m, struct mem_space *s, const struct allocation *by)
{
	int64_t pid = by->pid, addr = by->addr;
	struct map *addresses = addresses_of(s, pid);
	uint64_t *at = map_get(addresses, (uint64_t)addr);
	struct allocation *a;
	int64_t bytes;

	s->n_free += m->counts;
	if (at == NULL && by->where.place != 0) {
		s->lost = num_add(s->lost, by->bytes);
		s->lost_late = num_add(s->lost_late, by->bytes);
		s->n_lost++;
		s->n_lost_late++;
		s->used = num_sub(s->used, by->bytes);
		snap_change(
		    &m->snap, s->owner.dev, by->start, addr, -by->bytes, 0);
		return -by->bytes;
	}
	if (at == NULL) {
		m->unknown_free++;
		return 0;
	}
	a = &s->v[*at];
	bytes = a->bytes;
	if (by->where.place != 0) {
		snap_change(&m->snap, s->owner.dev, by->start, addr, -bytes,
		    a->where.place);
		a->where.kind =
		    snap_kind_freed(&m->snap, a->where.kind, by->where.place);
	}
	s->used = num_sub(s->used, bytes);
	if (a->seq > s->peak_seq) {
		remove_alloc(s, *at);
		return -bytes;
	}
	a->dead = true;
	s->n_dead++;
	map_del(addresses, (uint64_t)addr);
	return -bytes;
}

/* A moment that counts: the memory in use now can be the peak. */
static void
take_moment(const struct mem *m, struct mem_space *s, int64_t t,
    const struct mem_where *where)
{
	size_t i;

	if (!s->has_peak || s->used > s->peak) {
		/* what was released before it is forgotten */
		for (i = s->n; i-- > 0 && s->n_dead > 0;)
			if (s->v[i].dead)
				remove_alloc(s, i);
		s->peak = s->used;
		s->peak_seq = m->seq;
		s->peak_start = t;
		s->peak_where = *where;
		s->lost_late = s->n_lost_late = 0;
	}
	s->has_peak = true;
}

/* The same; what lives at that address was released unseen. */
static int64_t
space_alloc(struct mem *m, struct mem_space *s, const struct allocation *a)
{
	if (map_get(addresses_of(s, a->pid), (uint64_t)a->addr) != NULL) {
		m->twice++;
		space_free(m, s, a);
		s->n_free -= m->counts;
	}
	ARRAY_GROW(s->v, s->n, s->cap);
	s->v[s->n] = *a;
	s->v[s->n].seq = ++m->seq;
	*map_put(addresses_of(s, a->pid), (uint64_t)a->addr, NULL) = s->n++;
	s->used = num_add(s->used, a->bytes);
	s->n_alloc += m->counts;
	if (a->where.place != 0)
		snap_change(&m->snap, s->owner.dev, a->start, a->addr, a->bytes,
		    a->where.place);
	if (m->counts)
		take_moment(m, s, a->start, &a->where);
	return a->bytes;
}

/* A chosen iteration begins: what is in use counts. */
static void
begin_iter(const struct mem *m, struct mem_space *s, int64_t t, uint32_t iter)
{
	struct mem_where where = nowhere;

	where.iter = iter;
	if (!s->has_peak)
		s->before = s->used;
	s->end = s->used;
	take_moment(m, s, t, &where);
}

/* The iterations that have begun by t. */
static void
begin_iters(struct mem *m, int64_t t)
{
	struct mem_steps *c = &m->steps;
	const struct mem_begin *b;
	size_t i;

	for (; c->done < c->n && c->wait[c->done].at <= t; c->done++) {
		b = &c->wait[c->done];
		for (i = 0; i < m->n_space; i++)
			if (m->space[i].owner.src == b->src)
				begin_iter(m, &m->space[i], b->at, b->iter);
	}
	if (c->done == c->n)
		c->done = c->n = 0;
}

/* Whether an event of that iteration counts. */
static bool
iter_counts(const struct mem *m, bool has_iter, int64_t iter)
{
	const struct mem_steps *c = &m->steps;

	return !c->chosen || (has_iter && iter >= c->from && iter <= c->to);
}

/* Memory while ranges are open, added up by their names. */

static struct mem_use *
use_of(struct mem_range *k, size_t space)
{
	ARRAY_REACH(k->use, k->n_use, space);
	return &k->use[space];
}

static void
take_peak(struct mem_range *k, size_t space, int64_t used)
{
	struct mem_use *u = use_of(k, space);

	if (!u->has_peak || used > u->peak)
		u->peak = used;
	u->has_peak = true;
}

/* Forgets the ranges that ended by t. */
static void
close_ranges(struct mem *m, int64_t t)
{
	openranges_sweep(&m->open, t, NULL, NULL);
	m->open_limit = m->open.n * 2 + 64;
}

/* Ranges go by their name without what makes each one differ. */
static void
open_range(struct mem *m, const struct workrec *w, const struct buf *path)
{
	uint32_t src = smap_put_view(&m->names, w->src), no;
	struct mem_range *k;
	struct mem_open *o;
	bool fresh;
	size_t s;

	buf_clear(&m->key);
	buf_i64(&m->key, src);
	buf_putc(&m->key, '\t');
	buf_put(&m->key, path->s, stem_len(path->s, path->len));
	no = smap_put(&m->range_keys, m->key.s, m->key.len, &fresh);
	if (fresh) {
		m->range = xrealloc(m->range, ++m->n_range, sizeof(*m->range));
		m->range[no] = (struct mem_range){ .src = src,
			.path =
			    strchr(smap_str(&m->range_keys, no, NULL), '\t') +
			    1 };
	}
	k = &m->range[no];
	k->n++;
	for (s = 0; s < m->n_space; s++)
		if (m->space[s].owner.src == src)
			take_peak(k, s, m->space[s].used);
	if (m->open.n > m->open_limit)
		close_ranges(m, w->start);
	o = openranges_push(&m->open, w->start, w->end);
	o->range = no;
	o->pid = w->pid;
}

/* The use of a space has changed by so many bytes at time t. A range counts
 * what its own process allocates; the peak is that of the device. */
static void
change_in_ranges(struct mem *m, const struct mem_space *s, int64_t pid,
    int64_t t, int64_t bytes)
{
	size_t i, no = (size_t)(s - m->space);
	const struct mem_open *o;
	struct mem_range *k;
	struct mem_use *u;

	close_ranges(m, t);
	for (i = 0; i < m->open.n; i++) {
		o = openranges_at(&m->open, i);
		k = &m->range[o->range];
		if (k->src != s->owner.src)
			continue;
		u = use_of(k, no);
		if (o->pid != pid && o->pid != NOBODY && pid != NOBODY) {
			; /* another process' allocation */
		} else if (bytes > 0) {
			u->alloc = num_add(u->alloc, bytes);
			u->n_alloc++;
		} else {
			u->freed = num_sub(u->freed, bytes);
		}
		take_peak(k, no, s->used);
	}
}

/* Records out. */

static void
put_where(const struct mem *m, const struct mem_where *w)
{
	out_view(smap_view(&m->names, w->iter));
	out_view(smap_view(&m->names, w->phase));
	out_view(smap_view(&m->names, w->layer));
	out_view(smap_view(&m->names, w->at));
	out_view(smap_view(&m->names, w->api));
}

static const char *
space_word(const struct mem_space *s)
{
	return s->owner.host ? "host" : "device";
}

static void
end_with_src(const struct mem *m, uint32_t src)
{
	if (src != SMAP_NONE)
		out_view(smap_view(&m->names, src));
	out_end();
}

static void
put_live(struct mem *m, const struct mem_space *s, const struct allocation *a)
{
	static const char *const names[] = { "dev", "space", "bytes", "kind",
		"addr", "start_ns", "iter", "phase", "layer", "at", "api",
		"src" };
	uint32_t src = s->owner.src;

	out_rec_src(
	    &m->live, "live", names, ARRAY_LEN(names), src != SMAP_NONE);
	out_i64(s->owner.dev);
	out_word(space_word(s));
	out_i64(a->bytes);
	out_view(smap_view(&m->names, a->where.kind));
	out_i64(a->addr);
	out_i64(a->start);
	put_where(m, &a->where);
	end_with_src(m, src);
}

static bool
lived_at_peak(const struct mem_space *s, const struct allocation *a)
{
	return a->seq <= s->peak_seq;
}

static void
put_peak(struct mem *m, const struct mem_space *s)
{
	static const char *const names[] = { "dev", "space", "peak_bytes",
		"total_bytes", "start_ns", "iter", "phase", "layer", "at",
		"api", "n_live", "before_bytes", "end_bytes", "n_alloc",
		"n_free", "src" };
	bool known = m->steps.chosen ? s->has_peak : s->n_alloc > 0;
	uint32_t src = s->owner.src;
	uint64_t *total =
	    s->owner.host ? NULL
			  : map_get(&m->totals, total_key(src, s->owner.dev));
	int64_t n_live = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		n_live += lived_at_peak(s, &s->v[i]);

	out_rec_src(
	    &m->peak, "peak", names, ARRAY_LEN(names), src != SMAP_NONE);
	out_i64(s->owner.dev);
	out_word(space_word(s));
	out_opt(known, s->peak);
	out_opt(
	    total != NULL && *total > 0, total != NULL ? (int64_t)*total : 0);
	out_opt(known, s->peak_start);
	put_where(m, known ? &s->peak_where : &nowhere);
	out_opt(known, n_live);
	out_opt(known, s->before);
	out_opt(known, m->steps.chosen ? s->end : s->used);
	out_opt(known, (int64_t)s->n_alloc);
	out_opt(known, (int64_t)s->n_free);
	end_with_src(m, src);
}

static void
put_memrange(struct mem *m, const struct mem_range *k, size_t space)
{
	static const char *const names[] = { "range", "dev", "space", "n",
		"peak_bytes", "alloc_bytes", "free_bytes", "n_alloc", "src" };
	const struct mem_use *u = &k->use[space];

	out_rec_src(&m->memrange, "memrange", names, ARRAY_LEN(names),
	    k->src != SMAP_NONE);
	out_word(k->path);
	out_i64(m->space[space].owner.dev);
	out_word(space_word(&m->space[space]));
	out_i64((int64_t)k->n);
	out_i64(u->peak);
	out_i64(u->alloc);
	out_i64(u->freed);
	out_i64((int64_t)u->n_alloc);
	end_with_src(m, k->src);
}

/* --times: memory over time. */

/* part * m->last / m->n_times, without overflow */
static int64_t
time_of_part(const struct mem *m, int64_t part)
{
	return m->last / m->n_times * part +
	       m->last % m->n_times * part / m->n_times;
}

static const char *const memtime_cols[] = { "dev", "start_ns", "used_bytes",
	"bar", "src" };

/* With a bar of 40 signs for the most that any device uses, and parts of it. */
static void
put_times(struct mem *m, const struct mem_space *s, int64_t top)
{
	static const char bar[] = "########################################";
	const struct mem_use_at *u = s->first;
	int64_t part, now = 0, most;
	uint32_t src = s->owner.src;
	size_t len;

	for (part = 1; part <= m->n_times; part++) {
		most = now;
		for (; u != NULL && u->start <= time_of_part(m, part);
		     u = u->next) {
			now = u->used;
			if (now > most)
				most = now;
		}
		len = 0;
		if (top > 0 && most > 0)
			len = (size_t)((double)(sizeof(bar) - 1) *
					   (double)most / (double)top +
				       0.5);
		out_rec_src(&m->memtime, "memtime", memtime_cols,
		    ARRAY_LEN(memtime_cols), src != SMAP_NONE);
		out_i64(s->owner.dev);
		out_i64(time_of_part(m, part - 1));
		out_i64(most);
		out_raw(bar, len);
		end_with_src(m, src);
	}
}

/* The recorder, and the length of the profile, if it is known. */
static void
mem_info(struct stage *st, struct rec *r)
{
	static const char word[] = "##info\tduration_ns\t";
	struct mem *m = st->ctx;
	size_t n = sizeof(word) - 1;
	int64_t t;

	maker_read(&m->maker, r);
	if (r->len > n && memcmp(r->line, word, n) == 0 &&
	    num_i64(r->line + n, r->len - n, &t))
		m->last = t;
}

static void
finish_memory(struct stage *st)
{
	struct mem *m = st->ctx;
	const struct mem_space *s;
	struct mem_space unknown = { 0 }; /* a device that has no event */
	uint64_t key, bytes;
	int64_t top = 0;
	bool any = false;
	size_t i, k, it = 0;

	if (m->steps.chosen && !m->steps.found && st->complete)
		die("no iteration %lld", (long long)m->steps.from);
	begin_iters(m, INT64_MAX);
	while (m->n_space == 0 && map_next(&m->totals, &it, &key, &bytes)) {
		unknown.owner.src = (uint32_t)(key >> 32);
		unknown.owner.dev = (int64_t)(uint32_t)key;
		put_peak(m, &unknown);
	}
	for (i = 0; i < m->n_space; i++)
		put_peak(m, &m->space[i]);
	for (i = 0; i < m->n_space; i++) {
		s = &m->space[i];
		for (k = 0; k < s->n; k++)
			if (lived_at_peak(s, &s->v[k]))
				put_live(m, s, &s->v[k]);
	}
	stage_note("mem_free_unknown", m->unknown_free);
	stage_note("mem_allocated_twice", m->twice);
	for (i = 0; i < m->n_range; i++)
		for (k = 0; k < m->range[i].n_use; k++)
			if (m->range[i].use[k].has_peak)
				put_memrange(m, &m->range[i], k);
	for (i = 0; i < m->n_space; i++)
		if (m->space[i].top > top)
			top = m->space[i].top;
	for (i = 0; i < m->n_space; i++)
		if (m->space[i].first != NULL) {
			put_times(m, &m->space[i], top);
			any = true;
		}
	if (m->n_times > 0 && !any)
		out_src_legend(&m->memtime, "memtime", memtime_cols,
		    ARRAY_LEN(memtime_cols));
	m->none |= m->n_space == 0 && (m->totals.n > 0 || m->works);
}

/* Records in. */

static void
read_made_call(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct made_call *c = &m->calls[m->n_calls % CALLS];

	stage_pass(st, r);
	m->works |= rec_arg(r) != NULL;
	c->pid = rec_num_or(r, COL_pid, -1);
	c->corr = -1;
	if (!rec_num(r, COL_corr, &c->corr))
		return;
	c->src = smap_put_view(&m->names, rec_get(r, COL_src));
	c->where.api = smap_put_view(&m->names, rec_get(r, COL_api));
	c->where.phase = smap_put_view(&m->names, rec_get(r, COL_phase));
	c->where.layer = smap_put_view(&m->names, rec_get(r, COL_layer));
	c->where.at = smap_put_view(&m->names, rec_get(r, COL_op));
	m->n_calls++;
}

/* Where an event was. The call that made it is among the newest, as it is still
 * open. An event of an allocator has no call: dlp-correlate says where it was.
 */
static struct mem_where
where_made(
    struct mem *m, const struct rec *r, const struct workrec *w, uint32_t src)
{
	struct mem_where where = nowhere;
	const struct made_call *c;
	uint64_t i;

	if (!w->has_corr) {
		where.phase = smap_put_view(&m->names, rec_get(r, COL_phase));
		where.layer = smap_put_view(&m->names, rec_get(r, COL_layer));
		where.at = smap_put_view(&m->names, rec_get(r, COL_at));
		return where;
	}
	for (i = m->n_calls; i > 0 && i + CALLS > m->n_calls; i--) {
		c = &m->calls[(i - 1) % CALLS];
		if (c->corr == w->corr && c->pid == w->pid && c->src == src)
			return c->where;
	}
	return nowhere;
}

/* Returns how the use has changed, in bytes. Some allocators say what they have
 * given out in all. */
static int64_t
take_event(struct mem *m, const struct rec *r, struct mem_space *s,
    const struct allocation *a, bool alloc)
{
	int64_t total, before, change;
	bool has_total = rec_num(r, COL_allocated_bytes, &total);

	if (has_total) {
		before =
		    alloc ? num_sub(total, a->bytes) : num_add(total, a->bytes);
		/* the first event of a space tells what it held when the
		 * recording began */
		if (before >= 0 && !s->seen && !m->steps.chosen) {
			s->before = s->peak = before;
			s->peak_start = a->start;
		}
		if (before >= 0)
			s->used = before;
	}
	change = alloc ? space_alloc(m, s, a) : space_free(m, s, a);
	if (!has_total) {
		if (a->start <= 0 && !m->steps.chosen && a->where.place == 0)
			s->before = s->used; /* nsys: before the recording */
		return change;
	}
	if (!alloc && change == 0) { /* allocated before the recording */
		change = -a->bytes;
		m->unknown_free--;
	}
	s->used = total;
	return change;
}

static void
read_mem_event(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct allocation a = { 0 };
	struct mem_owner o;
	struct mem_space *s;
	struct mem_use_at *u;
	struct workrec w;
	int64_t change = 0, no = 0;
	struct mview kind = rec_get(r, COL_kind), op = rec_get(r, COL_op);
	bool in_iter, alloc = mv_eq(op, "alloc"), has_addr;

	work_read(&w, r);
	o.src = smap_put_view(&m->names, w.src);
	o.dev = w.dev;
	o.host = mv_eq(kind, "pinned") || mv_eq(kind, "pageable");
	a.start = w.start;
	a.pid = w.pid;
	a.where = where_made(m, r, &w, o.src);
	a.where.iter = smap_put_view(&m->names, w.iter);
	a.where.place = rec_num_or(r, COL_place, 0);
	a.where.kind = a.where.place != 0 ? snap_kind(&m->snap, a.where.place)
					  : smap_put_view(&m->names, kind);
	s = space_of(m, o);
	in_iter = w.iter.s != NULL && num_i64(w.iter.s, w.iter.n, &no);
	m->counts = iter_counts(m, in_iter, no);
	begin_iters(m, a.start);
	if (m->counts && !s->has_peak)
		begin_iter(m, s, a.start, a.where.iter);
	rec_num(r, COL_bytes, &a.bytes);
	has_addr = rec_num(r, COL_addr, &a.addr);
	if ((alloc || mv_eq(op, "free")) && has_addr) {
		change = take_event(m, r, s, &a, alloc);
	} else if (alloc || mv_eq(op, "free")) {
		/* an allocation that nobody can tell from others: PyTorch
		 * before 1.12 */
		change = alloc ? a.bytes : -a.bytes;
		s->n_alloc += alloc && m->counts;
		s->n_free += !alloc && m->counts;
		s->used = alloc ? num_add(s->used, a.bytes)
				: num_sub(s->used, a.bytes);
		if (m->counts)
			take_moment(m, s, a.start, &a.where);
	}
	s->seen = true;
	if (m->counts)
		s->end = s->used;
	if (change != 0)
		change_in_ranges(m, s, a.pid, a.start, change);
	if (m->n_times > 0 && !o.host) {
		u = store_alloc(&m->moments, sizeof(*u));
		*u = (struct mem_use_at){ NULL, a.start, s->used };
		*(s->last != NULL ? &s->last->next : &s->first) = u;
		s->last = u;
		s->top = s->used > s->top ? s->used : s->top;
		m->last = a.start > m->last ? a.start : m->last;
	}
	out_ext_begin(m->ext, r);
	out_word(space_word(s));
	out_i64(s->used);
	out_view(smap_view(&m->names, a.where.api));
	out_view(smap_view(&m->names, a.where.phase));
	out_view(smap_view(&m->names, a.where.layer));
	out_view(smap_view(&m->names, a.where.at));
	out_ext_end(m->ext, r);
}

/* A snapshot's device comes after its blocks and events. Blocks that no event
 * has allocated were there before. */
static void
read_memdev(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct mem_owner o = { SMAP_NONE, rec_num_or(r, COL_dev, 0), false };
	const struct snap_block *b = m->snap.block;
	struct snap_peak p = { .dev = o.dev };
	struct mem_space *s;
	size_t i;

	o.src = smap_put_view(&m->names, rec_get(r, COL_src));
	s = space_of(m, o);
	for (i = 0; i < m->snap.n_block; i++, b++) {
		if (b->dev != o.dev ||
		    map_get(addresses_of(s, -1), (uint64_t)b->addr) != NULL)
			continue;
		s->lost = num_add(s->lost, b->bytes);
		s->n_lost++;
		snap_hold(&m->snap, snap_kind(&m->snap, b->place), b->place,
		    b->bytes, 1);
	}
	for (i = 0; i < s->n; i++)
		if (lived_at_peak(s, &s->v[i]))
			snap_hold(&m->snap, s->v[i].where.kind,
			    s->v[i].where.place, s->v[i].bytes, 1);
	if (s->n_lost_late > 0)
		snap_hold(&m->snap, SMAP_NONE, 0, s->lost_late, s->n_lost_late);
	p.before = s->before = s->lost;
	p.n_before = s->n_lost;
	p.peak = s->peak = num_add(s->peak, s->lost);
	p.start = s->peak_start;
	p.any = s->peak_seq > 0;
	s->end = num_add(s->end, s->lost);
	snap_device(&m->snap, r, &p);
}

static void
read_path_range(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct buf *path = &m->path;
	struct workrec w;
	struct mview v;

	stage_pass(st, r);
	work_read(&w, r);
	if (!w.has_dur)
		return;
	buf_clear(path);
	v = rec_get(r, COL_layer);
	if (v.s != NULL) {
		buf_put(path, v.s, v.n);
		buf_putc(path, '/');
	}
	v = rec_get(r, COL_text);
	if (v.s != NULL)
		buf_put(path, v.s, v.n);
	if (path->len > 0)
		open_range(m, &w, path);
}

static void
read_total(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	int64_t dev, bytes;
	uint32_t src;

	stage_pass(st, r);
	if (!rec_num(r, COL_dev, &dev))
		return;
	bytes = rec_num_or(r, COL_mem_bytes, 0);
	src = smap_put_view(&m->names, rec_get(r, COL_src));
	*map_put(&m->totals, total_key(src, dev), NULL) = (uint64_t)bytes;
}

static void
read_mem_cut(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct mem_steps *c = &m->steps;
	struct mem_begin b;
	int64_t no;

	stage_pass(st, r);
	if (!c->chosen || !rec_num(r, COL_iter, &no) ||
	    !iter_counts(m, true, no))
		return;
	c->found = true;
	b.at = rec_num_or(r, COL_start_ns, INT64_MIN);
	b.iter = smap_put_view(&m->names, rec_get(r, COL_iter));
	b.src = smap_put_view(&m->names, rec_get(r, COL_src));
	ARRAY_GROW(c->wait, c->n, c->cap);
	c->wait[c->n++] = b;
}

static void
begin_memory(struct stage *st)
{
	struct mem *m = st->ctx;
	size_t i;

	for (i = 0; i < m->n_space; i++) {
		while (m->space[i].n_at > 0)
			map_free(&m->space[i].at[--m->space[i].n_at]);
		free(m->space[i].at);
		map_free(&m->space[i].proc);
		free(m->space[i].v);
	}
	for (i = 0; i < m->n_range; i++)
		free(m->range[i].use);
	free(m->space);
	free(m->range);
	m->space = NULL;
	m->range = NULL;
	m->n_space = m->n_range = m->open_limit = 0;
	m->open.n = 0;
	snap_forget(&m->snap);
	smap_free(&m->names);
	smap_free(&m->range_keys);
	map_free(&m->totals);
	store_free(&m->moments);
	m->last = 0;
	m->steps.n = m->steps.done = 0;
	m->steps.found = m->works = false;
	m->seq = m->unknown_free = m->twice = m->n_calls = 0;
}

int
main(int argc, char **argv)
{
	static const char *const notes[] = { "mem_free_unknown",
		"mem_allocated_twice", NULL };
	const char *times = NULL, *warn_as = NULL, *from = NULL, *to = NULL;
	const struct cli_opt opts[] = {
		{ 0, "iter-start", .arg = &from },
		{ 0, "iter-stop", .arg = &to },
		{ 0, "times", .arg = &times },
		{ 0, "warn-as", .arg = &warn_as },
		{ 0 },
	};
	static struct mem m;
	struct stage st;
	int rc;
	static const char *const added[] = { "space", "used_bytes", "api",
		"phase", "layer", "at" };
	static const char call[] = "pid corr src api phase layer op";

	stage_start(&st, "dlp-mem", opts, argc, argv);
	if (times != NULL)
		m.n_times = cli_i64("--times", times, 1, 1000000);
	m.steps.chosen = from != NULL || to != NULL;
	m.steps.to = INT64_MAX;
	if (from != NULL)
		m.steps.from = cli_i64("--iter-start", from, 0, INT64_MAX);
	if (to != NULL)
		m.steps.to =
		    cli_i64("--iter-stop", to, m.steps.from, INT64_MAX);
	st.ctx = &m;
	st.meta = mem_info;
	st.section = begin_memory;
	st.end = finish_memory;
	openranges_init(&m.open, sizeof(struct mem_open));
	m.ext = out_ext(added, (int)ARRAY_LEN(added));
	stage_on(&st, "mem", read_mem_event, .need = "start_ns op bytes addr",
	    .opt = "pid dev corr iter src kind allocated_bytes phase layer at"
		   " place",
	    .ext = m.ext);
	stage_on(&st, "call", read_made_call, .opt = call);
	stage_on(&st, "set copy kern", read_made_call, .opt = call,
	    .arg = &m); /* any: a GPU works */
	stage_on(&st, "range", read_path_range, .need = "start_ns dur_ns",
	    .opt = "pid src text layer");
	stage_on(&st, "dev", read_total, .opt = "dev mem_bytes src");
	stage_on(&st, "cut", read_mem_cut, .opt = "iter start_ns src");
	snap_listen(&st, &m.snap, &m.names);
	stage_on(&st, "memdev", read_memdev, .need = "dev reserved_bytes",
	    .opt = "src", .ext = m.snap.ext);
	stage_anew(&st, notes);
	rc = stage_run(&st);
	if (m.none && warn_as != NULL) {
		err_prog(warn_as);
		warn("no memory events in this profile; record them with %s",
		    maker_text(&m.maker,
			"nsys profile --cuda-memory-usage=true",
			"torch.profiler.profile(profile_memory=True)",
			"rocprofv3 --memory-allocation-trace"));
		err_prog("dlp-mem");
	}
	begin_memory(&st);
	return out_finish(rc);
}
