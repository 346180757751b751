/* Copies beside kernels; see expose.h. */
#include "expose.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "stage.h"

struct dev *
expose_dev(struct expose *x, const char *key, size_t n)
{
	bool fresh;
	uint32_t i = smap_put(&x->devs, key, n, &fresh);

	if (fresh) {
		x->dev = xrealloc(x->dev, ++x->n_dev, sizeof(*x->dev));
		memset(&x->dev[i], 0, sizeof(*x->dev));
		sweep_init(&x->dev[i].sweep);
	}
	return &x->dev[i];
}

struct job *
expose_job(struct expose *x)
{
	struct job *j = x->spare;

	if (j == NULL)
		return xcalloc(1, sizeof(*j));
	x->spare = j->next;
	buf_clear(&j->head);
	buf_clear(&j->rest);
	j->next = j->prev = NULL;
	j->union_ns = j->exposed_ns = 0;
	return j;
}

void
expose_now(struct expose *x, int64_t t)
{
	if (t > x->now)
		x->now = t;
}

/* The time up to t counts for the first active copy of each group, so that
 * the sum of a group is its union. */
static void
pass_time(struct dev *d, int64_t t)
{
	int64_t ns = num_sub(t, d->t);
	struct job *j;
	size_t i;

	d->t = t;
	for (i = 0; i < d->n_group; i++) {
		j = d->first[i];
		if (j == NULL)
			continue;
		j->union_ns += ns;
		if (d->n_kern == 0)
			j->exposed_ns += ns;
	}
}

static struct job **
group(struct dev *d, uint32_t no)
{
	if (no >= d->n_group) {
		d->first = xrealloc(d->first, no + 1, sizeof(struct job *));
		while (d->n_group <= no)
			d->first[d->n_group++] = NULL;
	}
	return &d->first[no];
}

/* Behind the first, which goes on to count. */
static void
begin(struct dev *d, struct job *j)
{
	struct job **first = group(d, j->group), *f = *first;

	if (f == NULL) {
		*first = j;
		return;
	}
	j->prev = f;
	j->next = f->next;
	if (f->next != NULL)
		f->next->prev = j;
	f->next = j;
}

static void
finish(struct dev *d, struct job *j)
{
	if (j->prev != NULL)
		j->prev->next = j->next;
	else
		d->first[j->group] = j->next;
	if (j->next != NULL)
		j->next->prev = j->prev;
	job_put(j, d->named);
}

static void
advance(struct expose *x, struct dev *d, int64_t t)
{
	struct sweep_event e;
	struct job *j;

	while (sweep_next(&d->sweep, t, &e)) {
		pass_time(d, e.at);
		j = e.what;
		if (j->kern && e.begin)
			d->n_kern++;
		else if (j->kern)
			d->n_kern--;
		else if (e.begin)
			begin(d, j);
		else
			finish(d, j);
		if (!e.begin) {
			j->next = x->spare;
			x->spare = j;
		}
	}
}

void
expose_add(struct expose *x, struct dev *d, struct job *j)
{
	advance(x, d, x->now);
	x->early += j->start < d->sweep.t;
	sweep_add(&d->sweep, j->start, num_add(j->start, j->dur), j);
}

void
expose_end(struct expose *x)
{
	size_t i;

	for (i = 0; i < x->n_dev; i++)
		advance(x, &x->dev[i], INT64_MAX);
	stage_note("expose_started_early", x->early);
	x->early = 0;
}

void
expose_clear(struct expose *x)
{
	struct job *j;
	size_t i;

	for (i = 0; i < x->n_dev; i++) {
		sweep_free(&x->dev[i].sweep);
		free(x->dev[i].first);
	}
	free(x->dev);
	smap_free(&x->devs);
	smap_free(&x->groups);
	while ((j = x->spare) != NULL) {
		x->spare = j->next;
		buf_free(&j->head);
		buf_free(&j->rest);
		free(j);
	}
	memset(x, 0, sizeof(*x));
	x->now = INT64_MIN;
}
