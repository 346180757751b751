/* The end of a section: a record per iteration, device and class. */
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "num.h"
#include "out.h"
#include "stage.h"

static void
put(const struct file *f, int64_t iter, int64_t dev, int c,
    const struct sums *s)
{
	static const char *const names[] = { "iter", "dev", "class", "dur_ns",
		"union_ns", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[f->name != NULL];
	const char *w = class_word((enum class)c);

	if (*t == NULL)
		*t = out_type("busy", names, f->name != NULL ? 6 : 5);
	out_rec(*t);
	out_opt(iter >= 0, iter);
	out_i64(dev);
	out_raw(w, strlen(w));
	out_i64(s->dur[c]);
	out_i64(s->all[c]);
	if (f->name != NULL)
		out_raw(f->name, strlen(f->name));
	out_end();
}

/* From when to when iteration i lasts: its length. */
static int64_t
length(const struct file *f, size_t i, int64_t end)
{
	const struct cuts *c = &f->cuts;
	int64_t lo = c->from;

	if (i < c->n && c->v[i].at > lo)
		lo = c->v[i].at;
	if (i + 1 < c->n && c->v[i + 1].at < end)
		end = c->v[i + 1].at;
	return end > lo ? num_sub(end, lo) : 0;
}

/* Adds what a device did between two cuts. */
static void
add_sums(struct sums *s, const struct file *f, const struct dev *d, size_t i,
    int64_t end)
{
	int64_t other = d->used ? 0 : length(f, i, end);
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

static void
put_iter(const struct file *f, size_t i, int64_t iter, int64_t end)
{
	struct sums s;
	size_t k;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		add_sums(&s, f, &f->dev[k], i, end);
		for (c = 0; c < C_N; c++)
			put(f, iter, f->dev[k].no, c, &s);
	}
}

/* All time that is in no iteration. */
static void
put_outside(const struct file *f, int64_t end)
{
	struct sums s;
	size_t k, i;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		for (i = 0; i < f->cuts.n; i++)
			if (f->cuts.v[i].iter < 0)
				add_sums(&s, f, &f->dev[k], i, end);
		for (c = 0; c < C_N; c++)
			put(f, -1, f->dev[k].no, c, &s);
	}
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

	if (f->has_end && (b->dlprof || !f->any) && f->end > end)
		end = f->end;
	if (f->n_dev > 0)
		qsort(f->dev, f->n_dev, sizeof(*f->dev), by_no);
	without_gpu(f);
	for (i = 0; i < f->n_dev; i++) {
		f->dev[i].lane.cuts = &f->cuts;
		lane_end(&f->dev[i].lane, end);
		late = num_add(late, f->dev[i].lane.late_ns);
	}
	if (f->cuts.n == 0 && f->any)
		put_iter(f, 0, -1, end);
	for (i = 0; i < f->cuts.n; i++)
		if (f->cuts.v[i].iter >= 0)
			put_iter(f, i, f->cuts.v[i].iter, end);
	if (!b->dlprof && f->cuts.n > 0 && f->any)
		put_outside(f, end);
	return late;
}

void
busy_end(struct busy *b)
{
	int64_t late = 0;
	size_t i;

	for (i = 0; i < b->n_file; i++)
		late = num_add(late, end_file(b, &b->file[i]));
	stage_note("busy_without_tc", b->no_tc);
	stage_note("busy_late_ns", (uint64_t)late);
}
