/* See state.h. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

struct file *
state_file(struct gaps *g, const char *src, size_t n)
{
	uint32_t i = src != NULL ? smap_put(&g->srcs, src, n, NULL) : 0;

	if (i >= g->n_file) {
		g->file = xrealloc(g->file, i + 1, sizeof(*g->file));
		memset(&g->file[i], 0, sizeof(*g->file));
		g->n_file = i + 1;
	}
	if (src != NULL)
		g->file[i].name = smap_str(&g->srcs, i, NULL);
	return &g->file[i];
}

uint32_t
state_name(struct gaps *g, const char *s, size_t n)
{
	return s != NULL ? smap_put(&g->names, s, n, NULL) : SMAP_NONE;
}

static size_t
place(struct map *m, int64_t key, size_t n, bool *fresh)
{
	uint64_t *v = map_put(m, (uint64_t)key, fresh);

	if (*fresh)
		*v = n;
	return (size_t)*v;
}

struct dev *
state_dev(struct file *f, int64_t no)
{
	bool fresh;
	size_t i = place(&f->devs, no, f->n_dev, &fresh);

	if (fresh) {
		f->dev = xrealloc(f->dev, ++f->n_dev, sizeof(*f->dev));
		memset(&f->dev[i], 0, sizeof(*f->dev));
		f->dev[i].no = no;
		sweep_init(&f->dev[i].sweep);
	}
	return &f->dev[i];
}

struct proc *
state_proc(struct file *f, int64_t pid)
{
	bool fresh;
	size_t i = place(&f->procs, pid, f->n_proc, &fresh);

	if (fresh) {
		f->proc = xrealloc(f->proc, ++f->n_proc, sizeof(*f->proc));
		memset(&f->proc[i], 0, sizeof(*f->proc));
		f->proc[i].pid = pid;
	}
	return &f->proc[i];
}

void
state_tell(struct file *f, const struct work *w, int64_t lo, int64_t hi,
    struct story *s)
{
	past_tell(&state_proc(f, w->pid)->past, w->tid, lo, hi, s);
}

static void
clear_file(struct file *f)
{
	size_t k;

	for (k = 0; k < f->n_dev; k++)
		sweep_free(&f->dev[k].sweep);
	for (k = 0; k < f->n_proc; k++)
		free(f->proc[k].past.v);
	free(f->dev);
	free(f->proc);
	free(f->steps.v);
	map_free(&f->devs);
	map_free(&f->procs);
}

void
state_free(struct gaps *g)
{
	size_t i;

	for (i = 0; i < g->n_file; i++)
		clear_file(&g->file[i]);
	free(g->file);
	smap_free(&g->srcs);
	smap_free(&g->names);
}
