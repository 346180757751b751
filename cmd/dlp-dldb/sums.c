/* Records of sums, kept; see sums.h. */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "work.h"

static struct {
	struct rec_col *iter, *start, *dur;
} ic;
static struct {
	struct rec_col *iter, *dev, *class, *dur;
} bc;
static struct {
	struct rec_col *path, *level, *n_call, *n_eligible, *n_tc, *n_iter,
	    *sum[4], *min[4], *max[4];
} gc;
static struct {
	struct rec_col *id, *judged, *problem, *advice, *by;
} fc;

/* Room for one more; the new element, zeroed. */
static void *
more(void *list, size_t *n, size_t *cap, size_t size)
{
	void **v = list;

	if (*n == *cap) {
		*cap = *cap ? *cap * 2 : 64;
		*v = xrealloc(*v, *cap, size);
	}
	return memset((char *)*v + (*n)++ * size, 0, size);
}
#define MORE(s, f) more(&(s)->f, &(s)->n_##f, &(s)->cap_##f, sizeof(*(s)->f))

static void
on_iter(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct iter *it;

	if (rec_iter(r, ic.iter) >= 0) {
		it = MORE(d->sums, iter);
		it->iter = rec_iter(r, ic.iter);
		it->start = rec_int(r, ic.start, 0);
		it->dur = rec_int(r, ic.dur, 0);
	}
	stage_pass(st, r);
}

static int
class_of(const char *s, size_t n)
{
	static const struct {
		const char *word;
		int class;
	} words[] = { { "tc", C_TC }, { "kern", C_KERN }, { "graph", C_KERN },
		{ "mem", C_MEM }, { "dataload", C_DATA }, { "io", C_IO },
		{ "cpu", C_CPU }, { "other", C_OTHER } };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == n &&
		    memcmp(words[i].word, s, n) == 0)
			return words[i].class;
	return -1;
}

static struct busy *
busy_of(struct sums *s, int64_t iter, int64_t dev)
{
	bool is_new;
	uint64_t *no = map_put(&s->busy_at,
	    (uint64_t)iter << 16 ^ ((uint64_t)dev & 0xffff), &is_new);
	struct busy *b;

	if (!is_new)
		return &s->busy[*no - 1];
	b = MORE(s, busy);
	*no = s->n_busy;
	b->iter = iter;
	b->dev = dev;
	return b;
}

static void
add_busy(struct busy *b, int c, int64_t ns)
{
	b->ns[c] = num_add(b->ns[c], ns);
}

static void
on_busy(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	const char *s;
	int64_t iter;
	size_t n;
	int c;

	s = rec_raw(r, bc.class, &n);
	c = s != NULL ? class_of(s, n) : -1;
	if (c < 0)
		rec_die(r, "busy: no such class '%.*s'", (int)n,
		    s != NULL ? s : "-");
	iter = rec_iter(r, bc.iter);
	if (iter >= 0)
		add_busy(busy_of(d->sums, iter, rec_int(r, bc.dev, 0)), c,
		    rec_int(r, bc.dur, 0));
	stage_pass(st, r);
}

/* The whole model is no group of DLProf's. */
static void
on_group(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	uint32_t path = work_word(d, r, gc.path);
	struct group *g;
	int i;

	stage_pass(st, r);
	d->sums->tree = true;
	if (strcmp(word_text(d, path), "_CompleteModel_") == 0)
		return;
	g = MORE(d->sums, group);
	g->path = path;
	g->level = rec_int(r, gc.level, 0);
	g->n_call = rec_int(r, gc.n_call, 0);
	g->n_eligible = rec_int(r, gc.n_eligible, 0);
	g->n_tc = rec_int(r, gc.n_tc, 0);
	g->n_iter = rec_int(r, gc.n_iter, 0);
	for (i = 0; i < 4; i++) {
		g->sum[i] = rec_int(r, gc.sum[i], 0);
		g->min[i] = rec_int(r, gc.min[i], 0);
		g->max[i] = rec_int(r, gc.max[i], 0);
	}
}

/* Those that DLProf made. */
static void
on_finding(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	bool stored = rec_is(r, fc.judged, "stored");
	struct finding *f;

	if (!stored)
		d->sums->judged = true;
	if (stored ||
	    (rec_is(r, fc.judged, "yes") && !rec_is(r, fc.by, "ours"))) {
		f = MORE(d->sums, finding);
		f->id = work_word(d, r, fc.id);
		f->problem = work_word(d, r, fc.problem);
		f->advice = work_word(d, r, fc.advice);
		f->stored = stored;
	}
	stage_pass(st, r);
}

static void
bind_group(struct stage *st)
{
	static const char *const cols[4][3] = {
		{ "sum_cpu_ns", "min_cpu_ns", "max_cpu_ns" },
		{ "sum_gpu_ns", "min_gpu_ns", "max_gpu_ns" },
		{ "sum_overhead_ns", "min_overhead_ns", "max_overhead_ns" },
		{ "sum_idle_ns", "min_idle_ns", "max_idle_ns" },
	};
	struct rec_type *t = stage_on(st, "group", on_group, NULL, NULL);
	int i;

	REC_COLS(t, REC_NEED, { &gc.path, "path" }, { &gc.level, "level" },
	    { &gc.n_call, "n_call" }, { &gc.n_eligible, "n_op_eligible" },
	    { &gc.n_tc, "n_op_tc" }, { &gc.n_iter, "n_iter" });
	for (i = 0; i < 4; i++) {
		gc.sum[i] = rec_col(t, cols[i][0], REC_NEED);
		gc.min[i] = rec_col(t, cols[i][1], REC_NEED);
		gc.max[i] = rec_col(t, cols[i][2], REC_NEED);
	}
}

void
sums_start(struct dldb *d, struct stage *st)
{
	struct rec_type *t;

	d->sums = xcalloc(1, sizeof(*d->sums));
	t = stage_on(st, "iter", on_iter, NULL, NULL);
	REC_COLS(t, REC_NEED, { &ic.iter, "iter" }, { &ic.start, "start_ns" },
	    { &ic.dur, "dur_ns" });
	t = stage_on(st, "busy", on_busy, NULL, NULL);
	REC_COLS(t, REC_NEED, { &bc.iter, "iter" }, { &bc.dev, "dev" },
	    { &bc.class, "class" }, { &bc.dur, "dur_ns" });
	bind_group(st);
	t = stage_on(st, "finding", on_finding, NULL, NULL);
	REC_COLS(t, REC_NEED, { &fc.id, "id" }, { &fc.judged, "judged" },
	    { &fc.problem, "problem" }, { &fc.advice, "recommendation" });
	fc.by = rec_col(t, "by", REC_OPT);
}

void
sums_free(struct dldb *d)
{
	struct sums *s = d->sums;

	map_free(&s->busy_at);
	free(s->iter);
	free(s->busy);
	free(s->group);
	free(s->finding);
	free(s);
}
