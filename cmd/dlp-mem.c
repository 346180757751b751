/*
 * dlp-mem: the memory in use, its peak, and what was in use then: for each
 * device its own memory (device) and that of the host (host).
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "maker.h"
#include "map.h"
#include "num.h"
#include "openrange.h"
#include "stage.h"
#include "words.h"
#include "workrec.h"

static const char usage[] =
    "usage: dlp-mem [-u] [--iter-start N] [--iter-stop N] [--times N]\n"
    "               [--warn-as NAME] [file]\n"
    "Adds to a dlp stream how much memory is in use, and its peak.\n"
    "      --iter-start N, --iter-stop N\n"
    "                    the peak of these iterations, both included\n"
    "      --times N     add memtime records: the most in use in each of N\n"
    "                    equal parts of the time\n"
    "      --warn-as NAME\n"
    "                    if there are no memory events, say so on standard\n"
    "                    error, as the command NAME\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

/* Of so many newest calls it is known where they were made. */
#define CALLS 256

#define NOBODY (-1) /* a process that is not known */

struct mem_where { /* numbers in mem.names: of an allocation */
	uint32_t iter, phase, layer, at, api, kind;
};

static const struct mem_where nowhere = { SMAP_NONE, SMAP_NONE, SMAP_NONE,
	SMAP_NONE, SMAP_NONE, SMAP_NONE };

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
	int64_t end;        /* bytes: after what counts; see mem_steps */
	bool seen;          /* an event of it was read */
	bool has_peak;      /* a moment that counts was seen */
	int64_t peak_start; /* ns */
	struct mem_where peak_where;
	uint64_t peak_seq, n_alloc, n_free;
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

struct mem_use_at { /* what a device uses from a moment on */
	struct mem_use_at *next;
	int64_t start, used; /* ns, bytes */
};

/* The use of a device over time, for --times. */
struct mem_history {
	struct mem_owner owner;
	struct mem_use_at *first, *last;
	int64_t top; /* the most */
};

/* Calls, and work that has its call. */
struct call_cols {
	struct workrec_cols cols;
	struct rec_col *api, *phase, *layer, *op;
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

	struct {
		struct workrec_cols cols;
		struct rec_col *op, *bytes, *addr, *kind, *total;
		struct rec_col *phase, *layer, *at;
		struct out_ext *ext;
	} event;
	struct call_cols call, set, copy, kern;
	struct {
		struct workrec_cols cols;
		struct rec_col *text, *layer;
	} ranges;
	struct {
		struct rec_col *dev, *bytes, *src;
	} devs;
	struct {
		struct rec_col *iter, *start, *src;
	} cuts;
	struct out_src_type peak, live, memrange, memtime;
	int64_t n_times; /* --times; 0: not asked for */
	struct mem_history *history;
	size_t n_history;
	struct store moments; /* their struct mem_use_at */
	int64_t last;         /* ns: end of the profile */
	bool works;           /* a GPU does */
	bool none;            /* a section has GPUs and no memory events */
};

static uint32_t
name_put(struct mem *m, struct mview v)
{
	return v.s != NULL ? smap_put(&m->names, v.s, v.n, NULL) : SMAP_NONE;
}

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
	m->space = xrealloc(m->space, m->n_space + 1, sizeof(*m->space));
	s = &m->space[m->n_space++];
	memset(s, 0, sizeof(*s));
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
		s->at = xrealloc(s->at, ++s->n_at, sizeof(*s->at));
		memset(&s->at[*no], 0, sizeof(*s->at));
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

/* A new peak: what was released before it is forgotten. */
static void
remove_dead(struct mem_space *s)
{
	size_t i = s->n;

	while (i-- > 0 && s->n_dead > 0)
		if (s->v[i].dead)
			remove_alloc(s, i);
}

/* Returns how the use has changed, in bytes. */
static int64_t
space_free(struct mem *m, struct mem_space *s, int64_t pid, int64_t addr)
{
	struct map *addresses = addresses_of(s, pid);
	uint64_t *at = map_get(addresses, (uint64_t)addr);
	struct allocation *a;
	int64_t bytes;

	s->n_free += m->counts;
	if (at == NULL) {
		m->unknown_free++;
		return 0;
	}
	a = &s->v[*at];
	bytes = a->bytes;
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
	if (!s->has_peak || s->used > s->peak) {
		remove_dead(s);
		s->peak = s->used;
		s->peak_seq = m->seq;
		s->peak_start = t;
		s->peak_where = *where;
	}
	s->has_peak = true;
}

/* The same; what lives at that address was released unseen. */
static int64_t
space_alloc(struct mem *m, struct mem_space *s, const struct allocation *a)
{
	if (map_get(addresses_of(s, a->pid), (uint64_t)a->addr) != NULL) {
		m->twice++;
		space_free(m, s, a->pid, a->addr);
		s->n_free -= m->counts;
	}
	ARRAY_GROW(s->v, s->n, s->cap);
	s->v[s->n] = *a;
	s->v[s->n].seq = ++m->seq;
	*map_put(addresses_of(s, a->pid), (uint64_t)a->addr, NULL) = s->n++;
	s->used = num_add(s->used, a->bytes);
	s->n_alloc += m->counts;
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
	if (space >= k->n_use) {
		k->use = xrealloc(k->use, space + 1, sizeof(*k->use));
		memset(k->use + k->n_use, 0,
		    (space + 1 - k->n_use) * sizeof(*k->use));
		k->n_use = space + 1;
	}
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

/* The ranges of a name: without what makes each one differ. */
static uint32_t
range_of(struct mem *m, uint32_t src, const struct buf *path)
{
	bool fresh;
	uint32_t i;

	buf_clear(&m->key);
	buf_i64(&m->key, src);
	buf_putc(&m->key, '\t');
	buf_put(&m->key, path->s, stem_len(path->s, path->len));
	i = smap_put(&m->range_keys, m->key.s, m->key.len, &fresh);
	if (fresh) {
		m->range = xrealloc(m->range, ++m->n_range, sizeof(*m->range));
		memset(&m->range[i], 0, sizeof(*m->range));
		m->range[i].src = src;
		m->range[i].path =
		    strchr(smap_str(&m->range_keys, i, NULL), '\t') + 1;
	}
	return i;
}

/* Forgets the ranges that ended by t. */
static void
close_ranges(struct mem *m, int64_t t)
{
	openranges_sweep(&m->open, t, NULL, NULL);
	m->open_limit = m->open.n * 2 + 64;
}

static void
open_range(struct mem *m, const struct workrec *w, const struct buf *path)
{
	uint32_t src = name_put(m, w->src);
	uint32_t no = range_of(m, src, path);
	struct mem_range *k = &m->range[no];
	struct mem_open *o;
	size_t s;

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
put_name(const struct mem *m, uint32_t no)
{
	size_t n = 0;
	const char *s = no != SMAP_NONE ? smap_str(&m->names, no, &n) : NULL;

	out_raw(s, n);
}

static void
put_where(const struct mem *m, const struct mem_where *w)
{
	put_name(m, w->iter);
	put_name(m, w->phase);
	put_name(m, w->layer);
	put_name(m, w->at);
	put_name(m, w->api);
}

static const char *
space_word(const struct mem_space *s)
{
	return s->owner.host ? "host" : "device";
}

static void
put_space(const struct mem_space *s)
{
	out_i64(s->owner.dev);
	out_word(space_word(s));
}

static void
end_with_src(const struct mem *m, uint32_t src)
{
	if (src != SMAP_NONE)
		put_name(m, src);
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
	put_space(s);
	out_i64(a->bytes);
	put_name(m, a->where.kind);
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

static int64_t
n_live(const struct mem_space *s)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		n += lived_at_peak(s, &s->v[i]);
	return n;
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

	out_rec_src(
	    &m->peak, "peak", names, ARRAY_LEN(names), src != SMAP_NONE);
	put_space(s);
	out_opt(known, s->peak);
	out_opt(
	    total != NULL && *total > 0, total != NULL ? (int64_t)*total : 0);
	out_opt(known, s->peak_start);
	put_where(m, known ? &s->peak_where : &nowhere);
	out_opt(known, n_live(s));
	out_opt(known, s->before);
	out_opt(known, m->steps.chosen ? s->end : s->used);
	out_opt(known, (int64_t)s->n_alloc);
	out_opt(known, (int64_t)s->n_free);
	end_with_src(m, src);
}

/* Devices that have no event: their peak is not known. */
static void
put_unknown_peaks(struct mem *m)
{
	uint64_t key, bytes;
	struct mem_space s = { 0 };
	size_t it = 0;

	while (map_next(&m->totals, &it, &key, &bytes)) {
		s.owner.src = (uint32_t)(key >> 32);
		s.owner.dev = (int64_t)(uint32_t)key;
		put_peak(m, &s);
	}
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
	put_space(&m->space[space]);
	out_i64((int64_t)k->n);
	out_i64(u->peak);
	out_i64(u->alloc);
	out_i64(u->freed);
	out_i64((int64_t)u->n_alloc);
	end_with_src(m, k->src);
}

/* --times: memory over time. */

static struct mem_history *
history_of(struct mem *m, struct mem_owner o)
{
	struct mem_history *h;
	size_t i;

	for (i = 0; i < m->n_history; i++) {
		h = &m->history[i];
		if (h->owner.src == o.src && h->owner.dev == o.dev)
			return h;
	}
	m->history = xrealloc(m->history, m->n_history + 1, sizeof(*h));
	h = &m->history[m->n_history++];
	memset(h, 0, sizeof(*h));
	h->owner = o;
	return h;
}

static void
remember_use(struct mem *m, struct mem_owner o, int64_t start, int64_t used)
{
	struct mem_history *h = history_of(m, o);
	struct mem_use_at *u = store_alloc(&m->moments, sizeof(*u));

	*u = (struct mem_use_at){ NULL, start, used };
	*(h->last != NULL ? &h->last->next : &h->first) = u;
	h->last = u;
	if (used > h->top)
		h->top = used;
	if (start > m->last)
		m->last = start;
}

/* A bar of 40 signs for the most that any device uses, and parts of it. */
static void
put_bar(int64_t used, int64_t top)
{
	static const char bar[] = "########################################";
	const size_t whole = sizeof(bar) - 1;
	bool any = top > 0 && used > 0;

	out_raw(bar,
	    any ? (size_t)((double)whole * (double)used / (double)top + 0.5)
		: 0);
}

/* part * m->last / m->n_times, without overflow */
static int64_t
time_of_part(const struct mem *m, int64_t part)
{
	return m->last / m->n_times * part +
	       m->last % m->n_times * part / m->n_times;
}

static const char *const memtime_cols[] = { "dev", "start_ns", "used_bytes",
	"bar", "src" };

static void
put_memtime(
    struct mem *m, const struct mem_history *h, int64_t part, int64_t used)
{
	uint32_t src = h->owner.src;
	int64_t top = 0;
	size_t i;

	for (i = 0; i < m->n_history; i++)
		if (m->history[i].top > top)
			top = m->history[i].top;
	out_rec_src(&m->memtime, "memtime", memtime_cols,
	    ARRAY_LEN(memtime_cols), src != SMAP_NONE);
	out_i64(h->owner.dev);
	out_i64(time_of_part(m, part - 1));
	out_i64(used);
	put_bar(used, top);
	end_with_src(m, src);
}

static void
put_history(struct mem *m, const struct mem_history *h)
{
	const struct mem_use_at *u = h->first;
	int64_t part, now = 0, most;

	for (part = 1; part <= m->n_times; part++) {
		most = now;
		for (; u != NULL && u->start <= time_of_part(m, part);
		     u = u->next) {
			now = u->used;
			if (now > most)
				most = now;
		}
		put_memtime(m, h, part, most);
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
	size_t i, k;

	if (m->steps.chosen && !m->steps.found && st->complete)
		die("no iteration %lld", (long long)m->steps.from);
	begin_iters(m, INT64_MAX);
	if (m->n_space == 0)
		put_unknown_peaks(m);
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
	for (i = 0; i < m->n_history; i++)
		put_history(m, &m->history[i]);
	if (m->n_times > 0 && m->n_history == 0)
		out_src_legend(&m->memtime, "memtime", memtime_cols,
		    ARRAY_LEN(memtime_cols));
	m->none |= m->n_space == 0 && (m->totals.n > 0 || m->works);
}

/* Records in. */

static void
read_made_call(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	const struct call_cols *k = rec_arg(r);
	struct made_call *c = &m->calls[m->n_calls % CALLS];
	struct workrec w;

	stage_pass(st, r);
	m->works |= k != &m->call;
	workrec_read(&w, &k->cols, r);
	c->pid = w.pid;
	c->corr = w.corr;
	if (!w.has_corr)
		return;
	c->src = name_put(m, w.src);
	c->where.api = name_put(m, rec_view(r, k->api));
	c->where.phase = name_put(m, rec_view(r, k->phase));
	c->where.layer = name_put(m, rec_view(r, k->layer));
	c->where.at = name_put(m, rec_view(r, k->op));
	m->n_calls++;
}

/* The call that made the event is among the newest, as it is still open. */
static struct mem_where
where_made(const struct mem *m, const struct workrec *w, uint32_t src)
{
	const struct made_call *c;
	uint64_t i;

	for (i = m->n_calls; i > 0 && i + CALLS > m->n_calls; i--) {
		c = &m->calls[(i - 1) % CALLS];
		if (c->corr == w->corr && c->pid == w->pid && c->src == src)
			return c->where;
	}
	return nowhere;
}

/* An event of an allocator has no call: dlp-correlate says where it was. */
static struct mem_where
where_asked(struct mem *m, const struct rec *r)
{
	struct mem_where w = nowhere;

	w.phase = name_put(m, rec_view(r, m->event.phase));
	w.layer = name_put(m, rec_view(r, m->event.layer));
	w.at = name_put(m, rec_view(r, m->event.at));
	return w;
}

static void
put_event(const struct mem *m, struct rec *r, const struct mem_space *s,
    const struct mem_where *w)
{
	out_ext_begin(m->event.ext, r);
	out_word(space_word(s));
	out_i64(s->used);
	put_name(m, w->api);
	put_name(m, w->phase);
	put_name(m, w->layer);
	put_name(m, w->at);
	out_ext_end(m->event.ext, r);
}

/* What an allocator says that it has given out before the event; the first
 * event of a space tells what it held when the recording began. */
static void
take_total(
    const struct mem *m, struct mem_space *s, int64_t before, int64_t start)
{
	if (before < 0)
		return;
	if (!s->seen && !m->steps.chosen) {
		s->before = s->peak = before;
		s->peak_start = start;
	}
	s->used = before;
}

/* Returns how the use has changed, in bytes. */
static int64_t
take_event(struct mem *m, struct rec *r, struct mem_space *s,
    const struct allocation *a)
{
	int64_t total, change = 0;
	bool alloc = rec_is(r, m->event.op, "alloc");
	bool has_total = rec_i64(r, m->event.total, &total);

	if (!alloc && !rec_is(r, m->event.op, "free"))
		return 0;
	if (has_total)
		take_total(m, s,
		    alloc ? num_sub(total, a->bytes) : num_add(total, a->bytes),
		    a->start);
	change =
	    alloc ? space_alloc(m, s, a) : space_free(m, s, a->pid, a->addr);
	if (!has_total && a->start <= 0 &&
	    !m->steps.chosen) /* nsys: before the recording */
		s->before = s->used;
	if (!has_total)
		return change;
	if (!alloc && change == 0) { /* allocated before the recording */
		change = -a->bytes;
		m->unknown_free--;
	}
	s->used = total;
	return change;
}

/* The same of an event without an address, whose allocation nobody can tell
 * from others: PyTorch before 1.12. */
static int64_t
take_bytes(const struct mem *m, const struct rec *r, struct mem_space *s,
    const struct allocation *a)
{
	bool alloc = rec_is(r, m->event.op, "alloc");

	if (!alloc && !rec_is(r, m->event.op, "free"))
		return 0;
	s->n_alloc += alloc && m->counts;
	s->n_free += !alloc && m->counts;
	s->used =
	    alloc ? num_add(s->used, a->bytes) : num_sub(s->used, a->bytes);
	if (m->counts)
		take_moment(m, s, a->start, &a->where);
	return alloc ? a->bytes : -a->bytes;
}

static void
read_mem_event(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct allocation a = { 0 };
	struct mem_owner o;
	struct mem_space *s;
	struct workrec w;
	int64_t change = 0, no = 0;
	bool in_iter;

	workrec_read(&w, &m->event.cols, r);
	o.src = name_put(m, w.src);
	o.dev = w.dev;
	o.host = rec_is(r, m->event.kind, "pinned") ||
		 rec_is(r, m->event.kind, "pageable");
	a.start = w.start;
	a.pid = w.pid;
	a.where = w.has_corr ? where_made(m, &w, o.src) : where_asked(m, r);
	a.where.iter = name_put(m, w.iter);
	a.where.kind = name_put(m, rec_view(r, m->event.kind));
	s = space_of(m, o);
	in_iter = w.iter.s != NULL && num_i64(w.iter.s, w.iter.n, &no);
	m->counts = iter_counts(m, in_iter, no);
	begin_iters(m, a.start);
	if (m->counts && !s->has_peak)
		begin_iter(m, s, a.start, a.where.iter);
	rec_i64(r, m->event.bytes, &a.bytes);
	if (rec_i64(r, m->event.addr, &a.addr))
		change = take_event(m, r, s, &a);
	else
		change = take_bytes(m, r, s, &a);
	s->seen = true;
	if (m->counts)
		s->end = s->used;
	if (change != 0)
		change_in_ranges(m, s, a.pid, a.start, change);
	if (m->n_times > 0 && !o.host)
		remember_use(m, o, a.start, s->used);
	put_event(m, r, s, &a.where);
}

static void
read_mem_legend(struct stage *st, struct rec *r)
{
	const struct mem *m = st->ctx;

	out_ext_legend(m->event.ext, r);
}

static void
read_path_range(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct buf *path = &m->path;
	struct workrec w;
	struct mview v;

	stage_pass(st, r);
	workrec_read(&w, &m->ranges.cols, r);
	if (!w.has_dur)
		return;
	buf_clear(path);
	v = rec_view(r, m->ranges.layer);
	if (v.s != NULL) {
		buf_put(path, v.s, v.n);
		buf_putc(path, '/');
	}
	v = rec_view(r, m->ranges.text);
	if (v.s != NULL)
		buf_put(path, v.s, v.n);
	if (path->len > 0)
		open_range(m, &w, path);
}

static void
read_total(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	int64_t dev, bytes = 0;
	uint64_t key;

	stage_pass(st, r);
	if (!rec_i64(r, m->devs.dev, &dev))
		return;
	rec_i64(r, m->devs.bytes, &bytes);
	key = total_key(name_put(m, rec_view(r, m->devs.src)), dev);
	*map_put(&m->totals, key, NULL) = (uint64_t)bytes;
}

static void
read_mem_cut(struct stage *st, struct rec *r)
{
	struct mem *m = st->ctx;
	struct mem_steps *c = &m->steps;
	struct mem_begin b;
	int64_t no;

	stage_pass(st, r);
	if (!c->chosen || !rec_i64(r, m->cuts.iter, &no) ||
	    !iter_counts(m, true, no))
		return;
	c->found = true;
	if (!rec_i64(r, m->cuts.start, &b.at))
		b.at = INT64_MIN;
	b.iter = name_put(m, rec_view(r, m->cuts.iter));
	b.src = name_put(m, rec_view(r, m->cuts.src));
	ARRAY_GROW(c->wait, c->n, c->cap);
	c->wait[c->n++] = b;
}

static void
forget_memory(struct mem *m)
{
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
	smap_free(&m->names);
	smap_free(&m->range_keys);
	map_free(&m->totals);
	store_free(&m->moments);
	free(m->history);
	m->history = NULL;
	m->n_history = 0;
	m->last = 0;
	m->steps.n = m->steps.done = 0;
	m->steps.found = m->works = false;
	m->seq = m->unknown_free = m->twice = m->n_calls = 0;
}

static void
begin_memory(struct stage *st)
{
	forget_memory(st->ctx);
}

static void
listen_mem(struct stage *st, struct mem *m)
{
	static const char *const added[] = { "space", "used_bytes", "api",
		"phase", "layer", "at" };
	struct rec_type *t =
	    stage_on(st, "mem", read_mem_event, read_mem_legend, NULL);

	workrec_bind(&m->event.cols, t, WORKREC_START,
	    WORKREC_PID | WORKREC_DEV | WORKREC_CORR | WORKREC_ITER |
		WORKREC_SRC);
	REC_COLS(t, REC_NEED, { &m->event.op, "op" },
	    { &m->event.bytes, "bytes" }, { &m->event.addr, "addr" });
	m->event.kind = rec_col(t, "kind", REC_OPT);
	m->event.total = rec_col(t, "allocated_bytes", REC_OPT);
	REC_COLS(t, REC_OPT, { &m->event.phase, "phase" },
	    { &m->event.layer, "layer" }, { &m->event.at, "at" });
	m->event.ext = out_ext(added, (int)ARRAY_LEN(added));
}

static void
listen_calls(struct stage *st, const char *tag, struct call_cols *k)
{
	struct rec_type *t = stage_on(st, tag, read_made_call, NULL, k);

	workrec_bind(&k->cols, t, 0, WORKREC_PID | WORKREC_CORR | WORKREC_SRC);
	REC_COLS(t, REC_OPT, { &k->api, "api" }, { &k->phase, "phase" },
	    { &k->layer, "layer" }, { &k->op, "op" });
}

static void
listen_others(struct stage *st, struct mem *m)
{
	struct rec_type *t = stage_on(st, "range", read_path_range, NULL, NULL);

	workrec_bind(
	    &m->ranges.cols, t, WORKREC_SPAN, WORKREC_PID | WORKREC_SRC);
	REC_COLS(t, REC_OPT, { &m->ranges.text, "text" },
	    { &m->ranges.layer, "layer" });
	t = stage_on(st, "dev", read_total, NULL, NULL);
	REC_COLS(t, REC_OPT, { &m->devs.dev, "dev" },
	    { &m->devs.bytes, "mem_bytes" }, { &m->devs.src, "src" });
	t = stage_on(st, "cut", read_mem_cut, NULL, NULL);
	REC_COLS(t, REC_OPT, { &m->cuts.iter, "iter" },
	    { &m->cuts.start, "start_ns" }, { &m->cuts.src, "src" });
}

static void
choose_iters(struct mem_steps *c, const char *from, const char *to)
{
	c->chosen = from != NULL || to != NULL;
	c->to = INT64_MAX;
	if (from != NULL)
		c->from = cli_i64("--iter-start", from, 0, INT64_MAX);
	if (to != NULL)
		c->to = cli_i64("--iter-stop", to, c->from, INT64_MAX);
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
	struct mem m = { 0 };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-mem", usage, opts, argc, argv);
	if (times != NULL)
		m.n_times = cli_i64("--times", times, 1, 1000000);
	choose_iters(&m.steps, from, to);
	st.ctx = &m;
	st.meta = mem_info;
	st.section = begin_memory;
	st.end = finish_memory;
	openranges_init(&m.open, sizeof(struct mem_open));
	listen_mem(&st, &m);
	listen_calls(&st, "call", &m.call);
	listen_calls(&st, "set", &m.set);
	listen_calls(&st, "copy", &m.copy);
	listen_calls(&st, "kern", &m.kern);
	listen_others(&st, &m);
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
	forget_memory(&m);
	free(m.steps.wait);
	openranges_free(&m.open);
	buf_free(&m.key);
	buf_free(&m.path);
	return out_finish(rc);
}
