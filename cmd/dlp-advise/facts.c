/* What the rules judge; see facts.h. */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

void
facts_clear(struct facts *f)
{
	bool compat = f->compat;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		ivl_free(&f->dev[i].comm);
		ivl_free(&f->dev[i].work);
	}
	free(f->dev);
	free(f->iter_no);
	free(f->iter_ns);
	buf_free(&f->key);
	buf_free(&f->src);
	tops_free(&f->sync);
	tops_free(&f->alloc);
	tops_free(&f->pageable);
	tops_free(&f->why);
	tops_free(&f->few);
	tops_free(&f->comm);
	tops_free(&f->unaligned);
	tops_free(&f->fp32);
	tops_free(&f->queue_full);
	tops_free(&f->lost);
	for (i = 0; i < N_OVER; i++)
		ivl_free(&f->over_time[i]);
	map_free(&f->live);
	map_free(&f->op_bits);
	memset(f, 0, sizeof(*f));
	f->compat = compat;
	f->key_found = -1;
	for (i = 0; i < N_MODEL; i++)
		f->model[i] = -1;
}

struct device *
facts_dev(struct facts *f, int64_t no)
{
	struct device *d;
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].dev == no)
			return &f->dev[i];
	f->dev = xrealloc(f->dev, f->n_dev + 1, sizeof(*f->dev));
	d = &f->dev[f->n_dev++];
	memset(d, 0, sizeof(*d));
	d->dev = no;
	d->n_sm = d->cc10 = -1;
	return d;
}

int64_t
dev_kernels(const struct device *d)
{
	return d->busy[B_TC] + d->busy[B_KERN] + d->busy[B_GRAPH];
}

int64_t
dev_wall(const struct device *d)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < N_CLASS; i++)
		sum = num_add(sum, d->busy[i]);
	return sum;
}

/* Whether the device's time counts. */
static bool
dev_counts(const struct facts *f, const struct device *d)
{
	size_t i;

	if (f->compat || d->used)
		return true;
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].used)
			return false;
	return true;
}

double
busy_pct(const struct facts *f, unsigned classes)
{
	double part = 0, all = 0;
	size_t k;
	int i;

	for (k = 0; k < f->n_dev; k++)
		for (i = 0; i < N_CLASS && dev_counts(f, &f->dev[k]); i++) {
			all += (double)f->dev[k].busy[i];
			if ((classes >> i & 1) != 0)
				part += (double)f->dev[k].busy[i];
		}
	return all > 0 ? 100 * part / all : 0;
}

int
gap_most(const struct facts *f)
{
	int i, best = -1;

	for (i = 0; i < N_GAP; i++)
		if (f->gap_ns[i] > (best < 0 ? 0 : f->gap_ns[best]))
			best = i;
	return best;
}

double
share_pct(const struct facts *f, int64_t ns)
{
	int64_t wall = 0;
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (dev_counts(f, &f->dev[i]))
			wall = num_add(wall, dev_wall(&f->dev[i]));
	wall = wall > 0 ? wall : f->span_ns;
	return wall > 0 ? 100.0 * (double)ns / (double)wall : -1;
}

double
kern_pct(const struct facts *f, int64_t ns)
{
	return f->kern_ns > 0 ? 100.0 * (double)ns / (double)f->kern_ns : 0;
}

int64_t
work_ns(const struct facts *f)
{
	return num_add(f->kern_ns, num_add(f->copy_ns, f->graph_ns));
}
