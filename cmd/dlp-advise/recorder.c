/* Memory, overhead and losses; see recorder.h. */
#include "recorder.h"

#include <string.h>

#include "api.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "over.h"
#include "source.h"

#define MAX_PIECES 131072 /* of time */

static struct {
	struct {
		struct rec_col *dev, *op, *bytes, *addr, *kind;
	} mem;
	struct {
		struct rec_col *start, *dur, *name, *iter;
	} over;
	struct {
		struct rec_col *severity, *text;
	} diag;
} t;

static void
on_mem(struct facts *f, struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0;
	size_t n, kl;
	const char *op = rec_raw(r, t.mem.op, &n);
	const char *kind = rec_raw(r, t.mem.kind, &kl);
	struct device *d;
	uint64_t key, *v;

	if (op == NULL || !(kind == NULL || text_is(kind, kl, "device")) ||
	    !rec_i64(r, t.mem.addr, &addr))
		return;
	rec_i64(r, t.mem.dev, &no);
	rec_i64(r, t.mem.bytes, &bytes);
	d = facts_dev(f, no);
	f->n_mem++;
	key = (uint64_t)addr ^ (uint64_t)no << 56;
	if (text_is(op, n, "alloc")) {
		*map_put(&f->live, key, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(&f->live, key)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(&f->live, key);
	}
}

static void
on_over(struct facts *f, struct rec *r)
{
	int64_t start, dur;
	size_t n;
	const char *s = rec_raw(r, t.over.name, &n);
	enum over o = t.over.name->pos < 0 ? OVER_PROFILER : over_of(s, n);

	if (!rec_i64(r, t.over.start, &start) || !rec_i64(r, t.over.dur, &dur))
		return;
	if (o == OVER_QUEUE && in_iter(r, t.over.iter))
		tops_add(&f->queue_full, s, n, dur, 0);
	else if (o < N_OVER && f->over_time[o].n < MAX_PIECES)
		ivl_add(&f->over_time[o], start, num_add(start, dur));
}

/* What the recorder says when it lost something. */
static void
on_diag(struct facts *f, struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	size_t n, sl, i, k;
	const char *s = rec_raw(r, t.diag.text, &n);
	const char *sev = rec_raw(r, t.diag.severity, &sl);

	if (s == NULL || text_is(sev, sl, "info"))
		return;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (k = 0; k + strlen(words[i]) <= n; k++)
			if (text_starts(s + k, n - k, words[i])) {
				tops_add(&f->lost, s, n, 0, 0);
				return;
			}
}

void
recorder_bind(struct stage *st)
{
	struct rec_type *x;

	x = source_on(st, "mem", on_mem);
	REC_COLS(x, REC_OPT, { &t.mem.dev, "dev" }, { &t.mem.op, "op" },
	    { &t.mem.bytes, "bytes" }, { &t.mem.addr, "addr" },
	    { &t.mem.kind, "kind" });
	x = source_on(st, "over", on_over);
	REC_COLS(x, REC_OPT, { &t.over.start, "start_ns" },
	    { &t.over.dur, "dur_ns" }, { &t.over.name, "name" },
	    { &t.over.iter, "iter" });
	x = source_on(st, "diag", on_diag);
	REC_COLS(x, REC_OPT, { &t.diag.severity, "severity" },
	    { &t.diag.text, "text" });
}

void
recorder_over(struct facts *f, int64_t lo, int64_t hi)
{
	f->over_ns = ivl_len_in(&f->over_time[OVER_PROFILER], lo, hi);
	f->load_ns = ivl_len_in(&f->over_time[OVER_LOAD], lo, hi);
}
