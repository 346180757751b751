/* From records to memory; see read.h. */
#include "read.h"

#include "mem.h"
#include "num.h"
#include "span.h"

#define CALLS 256 /* of the newest calls is known where they were made */

#define N_CALL 4
static const char *const call_tags[N_CALL] = { "call", "set", "copy", "kern" };

static const char *const added[] = { "space", "used_bytes", "api", "phase",
	"layer", "at" };

static struct {
	struct mem *m;
	struct {
		struct rec_col *start, *pid, *dev, *op, *bytes, *addr, *kind,
		    *corr, *iter, *src;
		struct out_ext *ext;
	} mem;
	struct call_cols { /* of calls, and of work that has its call */
		struct rec_type *type;
		struct rec_col *pid, *corr, *api, *phase, *layer, *op, *src;
	} call[N_CALL];
	struct {
		struct rec_col *start, *dur, *text, *layer, *src;
	} range;
	struct {
		struct rec_col *dev, *bytes, *src;
	} dev;
	struct made { /* a call */
		int64_t pid, corr;
		uint32_t src;
		struct where where;
	} calls[CALLS];
	uint64_t n_calls;
} rd;

static uint32_t
name(const struct rec *r, const struct rec_col *c)
{
	size_t n = 0;
	const char *s = rec_raw(r, c, &n);

	return s != NULL ? smap_put(&rd.m->names, s, n, NULL) : SMAP_NONE;
}

static void
on_call(struct stage *st, struct rec *r)
{
	struct made *c = &rd.calls[rd.n_calls % CALLS];
	const struct call_cols *k = rd.call;

	stage_pass(st, r);
	while (k->type != r->type)
		k++;
	c->pid = c->corr = -1;
	rec_i64(r, k->pid, &c->pid);
	if (!rec_i64(r, k->corr, &c->corr))
		return;
	c->src = name(r, k->src);
	c->where.api = name(r, k->api);
	c->where.phase = name(r, k->phase);
	c->where.layer = name(r, k->layer);
	c->where.at = name(r, k->op);
	rd.n_calls++;
}

/* The call that made the event: among the newest, as it is open. */
static struct where
where_made(const struct rec *r, uint32_t src)
{
	struct where none = { SMAP_NONE, SMAP_NONE, SMAP_NONE, SMAP_NONE,
		SMAP_NONE, SMAP_NONE };
	int64_t pid = -1, corr;
	const struct made *c;
	uint64_t i;

	rec_i64(r, rd.mem.pid, &pid);
	if (!rec_i64(r, rd.mem.corr, &corr))
		return none;
	for (i = rd.n_calls; i > 0 && i + CALLS > rd.n_calls; i--) {
		c = &rd.calls[(i - 1) % CALLS];
		if (c->corr == corr && c->pid == pid && c->src == src)
			return c->where;
	}
	return none;
}

static void
put_name(uint32_t no)
{
	size_t n = 0;
	const char *s = no != SMAP_NONE ? smap_str(&rd.m->names, no, &n) : NULL;

	out_raw(s, n);
}

static void
put(struct rec *r, const struct space *s, const struct where *w)
{
	out_ext_begin(rd.mem.ext, r);
	out_raw(s->host ? "host" : "device", s->host ? 4 : 6);
	out_i64(s->used);
	put_name(w->api);
	put_name(w->phase);
	put_name(w->layer);
	put_name(w->at);
	out_ext_end(rd.mem.ext, r);
}

static void
on_mem(struct stage *st, struct rec *r)
{
	uint32_t src = name(r, rd.mem.src);
	struct alloc a = { .where = where_made(r, src) };
	int64_t dev = -1, change = 0;
	struct space *s;

	(void)st;
	a.where.iter = name(r, rd.mem.iter);
	a.where.kind = name(r, rd.mem.kind);
	rec_i64(r, rd.mem.dev, &dev);
	rec_i64(r, rd.mem.start, &a.start);
	s = mem_space(rd.m, src, dev,
	    rec_is(r, rd.mem.kind, "pinned") ||
		rec_is(r, rd.mem.kind, "pageable"));
	rec_i64(r, rd.mem.bytes, &a.bytes);
	if (rec_i64(r, rd.mem.addr, &a.addr)) {
		if (rec_is(r, rd.mem.op, "alloc"))
			change = space_alloc(rd.m, s, &a);
		else if (rec_is(r, rd.mem.op, "free"))
			change = space_free(rd.m, s, a.addr);
	}
	if (a.start <= 0)
		s->before = s->used;
	if (change != 0)
		span_change(rd.m, s, a.start, change);
	put(r, s, &a.where);
}

static void
on_mem_legend(struct stage *st, struct rec *r)
{
	(void)st;
	out_ext_legend(rd.mem.ext, r);
}

static void
on_range(struct stage *st, struct rec *r)
{
	static struct buf path;
	const char *s;
	int64_t start, dur;
	size_t n;

	stage_pass(st, r);
	if (!rec_i64(r, rd.range.start, &start) ||
	    !rec_i64(r, rd.range.dur, &dur))
		return;
	buf_clear(&path);
	s = rec_raw(r, rd.range.layer, &n);
	if (s != NULL) {
		buf_put(&path, s, n);
		buf_putc(&path, '/');
	}
	s = rec_raw(r, rd.range.text, &n);
	if (s != NULL)
		buf_put(&path, s, n);
	if (path.len > 0)
		span_open(rd.m, name(r, rd.range.src), path.s, path.len, start,
		    num_add(start, dur));
}

static void
on_dev(struct stage *st, struct rec *r)
{
	int64_t dev, bytes;

	stage_pass(st, r);
	if (rec_i64(r, rd.dev.dev, &dev) && rec_i64(r, rd.dev.bytes, &bytes))
		*map_put(&rd.m->totals, mem_dev_key(name(r, rd.dev.src), dev),
		    NULL) = (uint64_t)bytes;
}

static void
on_section(struct stage *st)
{
	(void)st;
	mem_clear(rd.m);
	span_clear();
	rd.n_calls = 0;
}

static void
on_end(struct stage *st)
{
	(void)st;
	mem_end(rd.m);
	span_end(rd.m);
}

static void
bind_mem(struct rec_type *t)
{
	REC_COLS(t, REC_NEED, { &rd.mem.start, "start_ns" },
	    { &rd.mem.op, "op" }, { &rd.mem.bytes, "bytes" },
	    { &rd.mem.addr, "addr" });
	REC_COLS(t, REC_OPT, { &rd.mem.pid, "pid" }, { &rd.mem.dev, "dev" },
	    { &rd.mem.kind, "kind" }, { &rd.mem.corr, "corr" },
	    { &rd.mem.iter, "iter" }, { &rd.mem.src, "src" });
	rd.mem.ext = out_ext(added, (int)(sizeof(added) / sizeof(added[0])));
}

static void
bind_call(struct stage *st, int i)
{
	struct rec_type *t = stage_on(st, call_tags[i], on_call, NULL, NULL);
	struct call_cols *k = &rd.call[i];

	k->type = t;
	REC_COLS(t, REC_OPT, { &k->pid, "pid" }, { &k->corr, "corr" },
	    { &k->api, "api" }, { &k->phase, "phase" }, { &k->layer, "layer" },
	    { &k->op, "op" }, { &k->src, "src" });
}

void
read_open(struct mem *m, struct stage *st)
{
	struct rec_type *t;
	int i;

	rd.m = m;
	bind_mem(stage_on(st, "mem", on_mem, on_mem_legend, NULL));
	for (i = 0; i < N_CALL; i++)
		bind_call(st, i);
	t = stage_on(st, "range", on_range, NULL, NULL);
	REC_COLS(t, REC_NEED, { &rd.range.start, "start_ns" },
	    { &rd.range.dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &rd.range.text, "text" },
	    { &rd.range.layer, "layer" }, { &rd.range.src, "src" });
	t = stage_on(st, "dev", on_dev, NULL, NULL);
	REC_COLS(t, REC_OPT, { &rd.dev.dev, "dev" },
	    { &rd.dev.bytes, "mem_bytes" }, { &rd.dev.src, "src" });
	st->section = on_section;
	st->end = on_end;
}
