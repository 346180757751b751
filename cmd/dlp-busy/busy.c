/* The devices and processes of a section; see busy.h. */
#include "busy.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mview.h"

#define SOON 1024 /* intervals that wait to begin: then time goes on */

static uint32_t
place_of(struct map *m, int64_t key, size_t *n)
{
	bool fresh;
	uint64_t *v = map_put(m, (uint64_t)key, &fresh);

	if (fresh)
		*v = (*n)++;
	return (uint32_t)*v;
}

struct busy_file *
busy_file(struct busy_times *b, struct mview src)
{
	uint32_t i = 0;

	if (src.s != NULL)
		i = smap_put(&b->names, src.s, src.n, NULL);
	if (i >= b->n_file) {
		b->file = xrealloc(b->file, i + 1, sizeof(struct busy_file *));
		b->file[i] = xcalloc(1, sizeof(*b->file[i]));
		b->n_file = i + 1;
	}
	if (src.s != NULL)
		b->file[i]->name = smap_str(&b->names, i, NULL);
	return b->file[i];
}

struct busy_dev *
busy_dev(struct busy_file *f, int64_t no)
{
	size_t n = f->n_dev;
	uint32_t i = place_of(&f->devs, no, &f->n_dev);

	if (n < f->n_dev) {
		f->dev = xrealloc(f->dev, f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
	}
	return &f->dev[i];
}

struct busy_proc *
busy_proc(struct busy_file *f, int64_t pid)
{
	size_t n = f->n_proc;
	uint32_t i = place_of(&f->procs, pid, &f->n_proc);

	if (n < f->n_proc) {
		f->proc = xrealloc(f->proc, f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].has_own = true;
		lane_init(&f->proc[i].own, f);
	}
	return &f->proc[i];
}

void
busy_event(struct busy_times *b, struct busy_file *f, int64_t lo, int64_t hi)
{
	if (!f->any || lo < f->first)
		f->first = lo;
	if (!f->any || hi > f->last)
		f->last = hi;
	f->any = true;
	if (b->mode->from != NULL)
		f->from = b->mode->from(f);
}

static void
add_to_lane(struct busy_times *b, struct lane *l, int64_t lo, int64_t hi,
    enum busy_class c)
{
	lane_add(l, lo, hi, c);
	if (l->time.soon.n >= SOON)
		lane_to(l, b->now);
}

void
busy_call(struct busy_file *f, int64_t lo, int64_t hi, struct mview name)
{
	if (f->any_gpu || name.s == NULL || hi - lo <= f->call_hi - f->call_lo)
		return;
	f->call_lo = lo;
	f->call_hi = hi;
	buf_clear(&f->call);
	buf_put(&f->call, name.s, name.n);
}

static bool
uses_device(const struct busy_proc *p, uint32_t dev)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		if (p->dev[i] == dev)
			return true;
	return false;
}

/* The process begins to use the device. */
static void
use_device(struct busy_file *f, struct busy_proc *p, struct busy_dev *d)
{
	uint32_t no = (uint32_t)(d - f->dev);

	if (uses_device(p, no))
		return;
	p->dev = xrealloc(p->dev, p->n_dev + 1, sizeof(*p->dev));
	p->dev[p->n_dev++] = no;
	if (d->used)
		lane_merge(&d->lane, &p->own);
	else
		lane_copy(&d->lane, &p->own);
	d->lane.file = f; /* the process may have no time of its own */
	d->used = true;
}

void
busy_gpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    struct busy_dev *d, int64_t lo, int64_t hi, enum busy_class c)
{
	if (!f->any_gpu || lo < f->gpu_lo)
		f->gpu_lo = lo;
	if (!f->any_gpu || hi > f->gpu_hi)
		f->gpu_hi = hi;
	f->any_gpu = true;
	use_device(f, p, d);
	add_to_lane(b, &d->lane, lo, hi, c);
}

void
busy_cpu(struct busy_times *b, struct busy_file *f, struct busy_proc *p,
    int64_t lo, int64_t hi, enum busy_class c)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		add_to_lane(b, &f->dev[p->dev[i]].lane, lo, hi, c);
	if (p->has_own && p->n_dev > 0 && p->n_dev == f->n_dev) {
		lane_free(&p->own);
		p->has_own = false;
	}
	if (p->has_own)
		add_to_lane(b, &p->own, lo, hi, c);
}

static void
free_file(struct busy_file *f)
{
	size_t k;

	for (k = 0; k < f->n_dev; k++)
		lane_free(&f->dev[k].lane);
	for (k = 0; k < f->n_proc; k++) {
		lane_free(&f->proc[k].own);
		free(f->proc[k].dev);
	}
	free(f->dev);
	free(f->proc);
	steps_free(&f->steps);
	buf_free(&f->call);
	map_free(&f->devs);
	map_free(&f->procs);
	free(f);
}

void
busy_clear(struct busy_times *b)
{
	size_t i;

	for (i = 0; i < b->n_file; i++)
		free_file(b->file[i]);
	free(b->file);
	smap_free(&b->names);
	*b = (struct busy_times){ .mode = b->mode,
		.now = INT64_MIN,
		.busy_type = b->busy_type,
		.edge_type = b->edge_type };
}
