/* The devices and processes of a section; see busy.h. */
#include "busy.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"

#define SOON 1024 /* intervals that wait to begin: then time goes on */

static uint32_t
number(struct map *m, int64_t key, size_t *n)
{
	bool fresh;
	uint64_t *v = map_put(m, (uint64_t)key, &fresh);

	if (fresh)
		*v = (*n)++;
	return (uint32_t)*v;
}

struct file *
busy_file(struct busy *b, const char *src, size_t n)
{
	bool fresh = b->n_file == 0;
	uint32_t i = 0;
	struct file *f;

	if (src != NULL)
		i = smap_put(&b->names, src, n, NULL);
	fresh = i >= b->n_file;
	if (fresh) {
		b->file = xrealloc(b->file, i + 1, sizeof(*b->file));
		memset(&b->file[i], 0, sizeof(*b->file));
		b->n_file = i + 1;
	}
	f = &b->file[i];
	if (src != NULL)
		f->name = smap_str(&b->names, i, NULL);
	return f;
}

struct dev *
busy_dev(struct file *f, int64_t no)
{
	size_t n = f->n_dev;
	uint32_t i = number(&f->devs, no, &f->n_dev);

	if (n < f->n_dev) {
		f->dev = xrealloc(f->dev, f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
	}
	return &f->dev[i];
}

struct proc *
busy_proc(struct file *f, int64_t pid)
{
	size_t n = f->n_proc;
	uint32_t i = number(&f->procs, pid, &f->n_proc);

	if (n < f->n_proc) {
		f->proc = xrealloc(f->proc, f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].has_own = true;
		lane_init(&f->proc[i].own, NULL);
	}
	return &f->proc[i];
}

void
busy_event(struct busy *b, struct file *f, int64_t lo, int64_t hi)
{
	if (!f->any || lo < f->first)
		f->first = lo;
	if (!f->any || hi > f->last)
		f->last = hi;
	f->any = true;
	if (!b->dlprof)
		f->cuts.from =
		    f->has_begin && f->begin < f->first ? f->begin : f->first;
}

void
busy_cut(struct file *f, int64_t at, int64_t iter, bool dropped)
{
	struct cuts *c = &f->cuts;
	int64_t after = -1;

	if (iter >= 0 && !f->has_begin && at != INT64_MIN) {
		f->begin = at;
		f->has_begin = true;
	}
	if (iter < 0 && !dropped && c->n > 0)
		after = c->v[c->n - 1].iter >= 0 ? c->v[c->n - 1].iter
						 : c->v[c->n - 1].after;
	if (dropped && c->n > 0 &&
	    (c->v[c->n - 1].iter >= 0 || c->v[c->n - 1].after >= 0)) {
		f->stop = at;
		f->has_stop = true;
	}
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 64;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n++] = (struct cut){ at, iter, after };
}

void
busy_last_cut(struct file *f)
{
	struct cuts *c = &f->cuts;
	struct cut *last = c->n > 0 ? &c->v[c->n - 1] : NULL;

	if (last == NULL || last->iter >= 0)
		return;
	if (f->has_end && f->work_end > last->at) {
		busy_cut(f, f->work_end, -1, false);
		last = &c->v[c->n - 1];
	}
	last->after = -1;
}

static void
add(struct busy *b, struct file *f, struct lane *l, int64_t lo, int64_t hi,
    enum class c)
{
	l->cuts = &f->cuts;
	lane_add(l, lo, hi, c);
	if (l->soon.n >= SOON)
		lane_to(l, b->now);
}

void
busy_call(struct file *f, int64_t lo, int64_t hi, const char *s, size_t n)
{
	if (f->any_gpu || s == NULL || hi - lo <= f->call_hi - f->call_lo)
		return;
	f->call_lo = lo;
	f->call_hi = hi;
	buf_clear(&f->call);
	buf_put(&f->call, s, n);
}

static bool
uses(const struct proc *p, uint32_t dev)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		if (p->dev[i] == dev)
			return true;
	return false;
}

/* The process begins to use the device. */
static void
join(struct file *f, struct proc *p, struct dev *d)
{
	uint32_t no = (uint32_t)(d - f->dev);

	if (uses(p, no))
		return;
	p->dev = xrealloc(p->dev, p->n_dev + 1, sizeof(*p->dev));
	p->dev[p->n_dev++] = no;
	if (d->used)
		lane_merge(&d->lane, &p->own);
	else
		lane_copy(&d->lane, &p->own);
	d->lane.cuts = &f->cuts;
	d->used = true;
}

void
busy_gpu(struct busy *b, struct file *f, struct proc *p, struct dev *d,
    int64_t lo, int64_t hi, enum class c)
{
	if (!f->any_gpu || lo < f->gpu_lo)
		f->gpu_lo = lo;
	if (!f->any_gpu || hi > f->gpu_hi)
		f->gpu_hi = hi;
	f->any_gpu = true;
	join(f, p, d);
	add(b, f, &d->lane, lo, hi, c);
}

void
busy_cpu(struct busy *b, struct file *f, struct proc *p, int64_t lo, int64_t hi,
    enum class c)
{
	size_t i;

	for (i = 0; i < p->n_dev; i++)
		add(b, f, &f->dev[p->dev[i]].lane, lo, hi, c);
	if (p->has_own && p->n_dev > 0 && p->n_dev == f->n_dev) {
		lane_free(&p->own);
		p->has_own = false;
	}
	if (p->has_own)
		add(b, f, &p->own, lo, hi, c);
}

void
busy_clear(struct busy *b)
{
	struct file *f;
	size_t i, k;

	for (i = 0; i < b->n_file; i++) {
		f = &b->file[i];
		for (k = 0; k < f->n_dev; k++)
			lane_free(&f->dev[k].lane);
		for (k = 0; k < f->n_proc; k++) {
			lane_free(&f->proc[k].own);
			free(f->proc[k].dev);
		}
		free(f->dev);
		free(f->proc);
		free(f->cuts.v);
		buf_free(&f->call);
		map_free(&f->devs);
		map_free(&f->procs);
	}
	free(b->file);
	smap_free(&b->names);
	*b = (struct busy){ .dlprof = b->dlprof, .now = INT64_MIN };
}
