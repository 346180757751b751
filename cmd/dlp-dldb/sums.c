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

static int64_t
num(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) ? v : 0;
}

static void
on_iter(struct stage *st, struct rec *r)
{
	struct dldb *d = st->ctx;
	struct iter *it;

	if (rec_iter(r, ic.iter) >= 0) {
		it = MORE(d->sums, iter);
		it->iter = rec_iter(r, ic.iter);
		it->start = num(r, ic.start);
		it->dur = num(r, ic.dur);
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
		add_busy(
		    busy_of(d->sums, iter, num(r, bc.dev)), c, num(r, bc.dur));
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
	g->level = num(r, gc.level);
	g->n_call = num(r, gc.n_call);
	g->n_eligible = num(r, gc.n_eligible);
	g->n_tc = num(r, gc.n_tc);
	g->n_iter = num(r, gc.n_iter);
	for (i = 0; i < 4; i++) {
		g->sum[i] = num(r, gc.sum[i]);
		g->min[i] = num(r, gc.min[i]);
		g->max[i] = num(r, gc.max[i]);
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
	struct rec_type *t = stage_on(st, "group", on_group, NULL);
	int i;

	gc.path = rec_col(t, "path", REC_NEED);
	gc.level = rec_col(t, "level", REC_NEED);
	gc.n_call = rec_col(t, "n_call", REC_NEED);
	gc.n_eligible = rec_col(t, "n_op_eligible", REC_NEED);
	gc.n_tc = rec_col(t, "n_op_tc", REC_NEED);
	gc.n_iter = rec_col(t, "n_iter", REC_NEED);
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
	t = stage_on(st, "iter", on_iter, NULL);
	ic.iter = rec_col(t, "iter", REC_NEED);
	ic.start = rec_col(t, "start_ns", REC_NEED);
	ic.dur = rec_col(t, "dur_ns", REC_NEED);
	t = stage_on(st, "busy", on_busy, NULL);
	bc.iter = rec_col(t, "iter", REC_NEED);
	bc.dev = rec_col(t, "dev", REC_NEED);
	bc.class = rec_col(t, "class", REC_NEED);
	bc.dur = rec_col(t, "dur_ns", REC_NEED);
	bind_group(st);
	t = stage_on(st, "finding", on_finding, NULL);
	fc.id = rec_col(t, "id", REC_NEED);
	fc.judged = rec_col(t, "judged", REC_NEED);
	fc.problem = rec_col(t, "problem", REC_NEED);
	fc.advice = rec_col(t, "recommendation", REC_NEED);
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
