/* The end of a section: a record per iteration, device and class. */
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stage.h"

/* With -D there is no time in no iteration, so no column after. */
static struct out_type *
type_of(const struct file *f, bool dlprof)
{
	static const char *const names[] = { "iter", "dev", "class", "dur_ns",
		"union_ns", "after", "src" };
	static const char *const without[] = { "iter", "dev", "class", "dur_ns",
		"union_ns", "src" };
	static struct out_type *types[2][2];
	struct out_type **t = &types[dlprof][f->name != NULL];

	if (*t == NULL)
		*t = out_type("busy", dlprof ? without : names,
		    5 + !dlprof + (f->name != NULL));
	return *t;
}

struct row { /* of which device, in which iteration, or after which */
	int64_t iter, after, dev;
	bool dlprof, tc; /* tc: kernels tell whether they use Tensor Cores */
};

/* Where no kernel tells whether it uses Tensor Cores, all are in class kern;
 * how long those that do ran is not known, unless none ran. */
static void
put(const struct file *f, const struct row *x, int c, const struct sums *s)
{
	const char *w = class_word((enum class)c);
	bool known = c != C_TC || x->tc || s->all[C_KERN] == 0;

	out_rec(type_of(f, x->dlprof));
	out_opt(x->iter >= 0, x->iter);
	out_i64(x->dev);
	out_raw(w, strlen(w));
	out_opt(known, s->dur[c]);
	out_opt(known, s->all[c]);
	if (!x->dlprof)
		out_opt(x->after >= 0, x->after);
	if (f->name != NULL)
		out_raw(f->name, strlen(f->name));
	out_end();
}

/* Whether all is one iteration and no step: then what lies before the first
 * work and behind the last is told apart. */
static bool
is_whole(const struct busy *b, const struct file *f)
{
	return !b->dlprof && f->any_gpu &&
	       (f->cuts.n == 0 ||
		   (f->cuts.n == 1 && f->cuts.v[0].at == INT64_MIN));
}

/* From when to when iteration i lasts: its length. */
static int64_t
length(const struct busy *b, const struct file *f, size_t i, int64_t end)
{
	const struct cuts *c = &f->cuts;
	int64_t lo = c->from;

	if (is_whole(b, f))
		return num_sub(f->gpu_hi, f->gpu_lo);
	if (i < c->n && c->v[i].at > lo)
		lo = c->v[i].at;
	if (i + 1 < c->n && c->v[i + 1].at < end)
		end = c->v[i + 1].at;
	return end > lo ? num_sub(end, lo) : 0;
}

/* Adds what a device did between two cuts. */
static void
add_sums(struct sums *s, const struct busy *b, const struct file *f,
    const struct dev *d, size_t i, int64_t end)
{
	int64_t other = d->used ? 0 : length(b, f, i, end);
	int c;

	s->dur[C_OTHER] = num_add(s->dur[C_OTHER], other);
	s->all[C_OTHER] = num_add(s->all[C_OTHER], other);
	if (!d->used || i >= d->lane.n_sum)
		return;
	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_add(s->dur[c], d->lane.sum[i].dur[c]);
		s->all[c] = num_add(s->all[c], d->lane.sum[i].all[c]);
	}
}

/* The rows of all devices, of the time between cuts i and i + 1. */
static void
put_iter(const struct busy *b, const struct file *f, size_t i, int64_t end)
{
	struct row x = { -1, -1, 0, b->dlprof, b->with_tc > 0 };
	struct sums s;
	size_t k;
	int c;

	if (i < f->cuts.n) {
		x.iter = f->cuts.v[i].iter;
		x.after = f->cuts.v[i].after;
	}
	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		add_sums(&s, b, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put(f, &x, c, &s);
	}
}

/* All time before the iterations and behind them. */
static void
put_outside(const struct busy *b, const struct file *f, int64_t end)
{
	struct row x = { -1, -1, 0, b->dlprof, b->with_tc > 0 };
	struct sums s;
	size_t k, i;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		for (i = 0; i < f->cuts.n; i++)
			if (f->cuts.v[i].iter < 0 && f->cuts.v[i].after < 0)
				add_sums(&s, b, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put(f, &x, c, &s);
	}
}

static void
put_edge(const struct file *f, const char *at, int64_t ns, bool call)
{
	static const char *const names[] = { "at", "dur_ns", "api",
		"api_dur_ns", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[f->name != NULL];
	int64_t hi = f->call_hi < f->gpu_lo ? f->call_hi : f->gpu_lo;

	if (*t == NULL)
		*t = out_type("edge", names, 4 + (f->name != NULL));
	call = call && f->call.len > 0;
	out_rec(*t);
	out_raw(at, strlen(at));
	out_i64(ns);
	out_raw(call ? f->call.s : NULL, f->call.len);
	out_opt(call, num_sub(hi, f->call_lo));
	if (f->name != NULL)
		out_raw(f->name, strlen(f->name));
	out_end();
}

static int
by_no(const void *a, const void *b)
{
	const struct dev *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

/* Where nothing ran on a GPU, the first one stands for what the processes
 * did. */
static void
without_gpu(struct file *f)
{
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].used)
			return;
	if (f->n_dev == 0)
		return;
	lane_init(&f->dev[0].lane, &f->cuts);
	f->dev[0].used = true;
	for (i = 0; i < f->n_proc; i++)
		lane_merge(&f->dev[0].lane, &f->proc[i].own);
}

static int64_t
end_file(struct busy *b, struct file *f)
{
	int64_t late = 0, end = f->last;
	size_t i;

	if (f->has_end && f->end > end)
		end = f->end;
	if (f->has_stop && f->stop > end)
		end = f->stop;
	if (!b->dlprof)
		busy_last_cut(f);
	if (f->n_dev > 0)
		qsort(f->dev, f->n_dev, sizeof(*f->dev), by_no);
	without_gpu(f);
	for (i = 0; i < f->n_dev; i++) {
		f->dev[i].lane.cuts = &f->cuts;
		lane_end(&f->dev[i].lane, end);
		if (is_whole(b, f) && f->dev[i].used)
			lane_between(&f->dev[i].lane);
		late = num_add(late, f->dev[i].lane.late_ns);
	}
	if (f->cuts.n == 0 && f->any)
		put_iter(b, f, 0, end);
	for (i = 0; i < f->cuts.n; i++)
		if (f->cuts.v[i].iter >= 0 ||
		    (!b->dlprof && f->cuts.v[i].after >= 0))
			put_iter(b, f, i, end);
	if (!b->dlprof && f->cuts.n > 0 && f->any)
		put_outside(b, f, end);
	if (is_whole(b, f)) {
		put_edge(f, "before", num_sub(f->gpu_lo, f->first), true);
		put_edge(f, "behind", num_sub(end, f->gpu_hi), false);
	}
	return late;
}

/* What an earlier stage should have told. */
static void
say_missing(const struct busy *b)
{
	bool iters = false, cuts = false;
	size_t i;

	for (i = 0; i < b->n_file; i++) {
		iters |= b->file[i].has_end;
		cuts |= b->file[i].cuts.n > 0;
	}
	if (iters && !cuts)
		warn("no cut records: all time is in no iteration; dlp-iter"
		     " --cuts adds them");
	if (b->no_tc > 0 && b->with_tc == 0)
		warn("kern records without column tc: class tc is unknown, all"
		     " kernels are in class kern; dlp-flops adds it");
}

void
busy_end(struct busy *b, bool whole)
{
	int64_t late = 0;
	size_t i;

	for (i = 0; i < b->n_file; i++)
		late = num_add(late, end_file(b, &b->file[i]));
	if (whole)
		say_missing(b);
	stage_note("busy_without_tc", b->no_tc);
	stage_note("busy_late_ns", (uint64_t)late);
}
