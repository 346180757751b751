/* Memory, overhead and losses; see recorder.h. */
#include "recorder.h"

#include <string.h>

#include "api.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "over.h"

#define MAX_PIECES 131072 /* of time */
#define N_OVER (OVER_LOAD + 1)

static struct {
	struct facts *f;
	struct {
		struct rec_col *dev, *op, *bytes, *addr, *kind;
	} mem;
	struct {
		struct rec_col *start, *dur, *name, *iter;
	} over;
	struct {
		struct rec_col *severity, *text;
	} diag;
	struct ivl over_time[N_OVER]; /* the profiler's time; CUDA's, loading */
	struct map live;              /* address ^ device -> bytes */
} t;

static void
on_mem(struct stage *st, struct rec *r)
{
	int64_t no = 0, bytes = 0, addr = 0;
	size_t n, kl;
	const char *op = rec_raw(r, t.mem.op, &n);
	const char *kind = rec_raw(r, t.mem.kind, &kl);
	struct device *d;
	uint64_t key, *v;

	stage_pass(st, r);
	if (op == NULL || !(kind == NULL || text_is(kind, kl, "device")) ||
	    !rec_i64(r, t.mem.addr, &addr))
		return;
	rec_i64(r, t.mem.dev, &no);
	rec_i64(r, t.mem.bytes, &bytes);
	d = facts_dev(t.f, no);
	t.f->n_mem++;
	key = (uint64_t)addr ^ (uint64_t)no << 56;
	if (text_is(op, n, "alloc")) {
		*map_put(&t.live, key, NULL) = (uint64_t)bytes;
		d->mem_live = num_add(d->mem_live, bytes);
		if (d->mem_live > d->mem_peak)
			d->mem_peak = d->mem_live;
	} else if ((v = map_get(&t.live, key)) != NULL) {
		d->mem_live = num_sub(d->mem_live, (int64_t)*v);
		map_del(&t.live, key);
	}
}

static void
on_over(struct stage *st, struct rec *r)
{
	int64_t start, dur;
	size_t n;
	const char *s = rec_raw(r, t.over.name, &n);
	enum over o = t.over.name->pos < 0 ? OVER_PROFILER : over_of(s, n);

	stage_pass(st, r);
	if (!rec_i64(r, t.over.start, &start) || !rec_i64(r, t.over.dur, &dur))
		return;
	if (o == OVER_QUEUE && in_iter(r, t.over.iter))
		tops_add(&t.f->queue_full, s, n, dur, 0);
	else if (o < N_OVER && t.over_time[o].n < MAX_PIECES)
		ivl_add(&t.over_time[o], start, num_add(start, dur));
}

/* What the recorder says when it lost something. */
static void
on_diag(struct stage *st, struct rec *r)
{
	static const char *const words[] = { "lost", "dropped", "discard",
		"overflow", "buffer is full" };
	size_t n, sl, i, k;
	const char *s = rec_raw(r, t.diag.text, &n);
	const char *sev = rec_raw(r, t.diag.severity, &sl);

	stage_pass(st, r);
	if (s == NULL || text_is(sev, sl, "info"))
		return;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (k = 0; k + strlen(words[i]) <= n; k++)
			if (text_starts(s + k, n - k, words[i])) {
				tops_add(&t.f->lost, s, n, 0, 0);
				return;
			}
}

void
recorder_bind(struct stage *st, struct facts *f)
{
	struct rec_type *x;

	t.f = f;
	x = stage_on(st, "mem", on_mem, NULL);
	t.mem.dev = rec_col(x, "dev", REC_OPT);
	t.mem.op = rec_col(x, "op", REC_OPT);
	t.mem.bytes = rec_col(x, "bytes", REC_OPT);
	t.mem.addr = rec_col(x, "addr", REC_OPT);
	t.mem.kind = rec_col(x, "kind", REC_OPT);
	x = stage_on(st, "over", on_over, NULL);
	t.over.start = rec_col(x, "start_ns", REC_OPT);
	t.over.dur = rec_col(x, "dur_ns", REC_OPT);
	t.over.name = rec_col(x, "name", REC_OPT);
	t.over.iter = rec_col(x, "iter", REC_OPT);
	x = stage_on(st, "diag", on_diag, NULL);
	t.diag.severity = rec_col(x, "severity", REC_OPT);
	t.diag.text = rec_col(x, "text", REC_OPT);
}

void
recorder_over(struct facts *f, int64_t lo, int64_t hi)
{
	f->over_ns = ivl_len_in(&t.over_time[OVER_PROFILER], lo, hi);
	f->load_ns = ivl_len_in(&t.over_time[OVER_LOAD], lo, hi);
}

void
recorder_forget(void)
{
	ivl_clear(&t.over_time[OVER_PROFILER]);
	ivl_clear(&t.over_time[OVER_LOAD]);
	map_clear(&t.live);
}
