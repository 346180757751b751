/* When the devices idle, for the phases of an iteration; see phases.h. */
#include "phases.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"

/* In p->key, until the next row is looked for. */
static const struct buf *
two_part_key(struct phases *p, struct mview src, struct mview v)
{
	buf_clear(&p->key);
	buf_put(&p->key, src.s, src.s != NULL ? src.n : 0);
	buf_putc(&p->key, '\t');
	buf_put(&p->key, v.s, v.s != NULL ? v.n : 0);
	return &p->key;
}

static struct mview
view_of(const char *s)
{
	return (struct mview){ s, s != NULL ? strlen(s) : 0 };
}

static uint32_t
step_at(struct phases *p, const char *src, const char *iter)
{
	const struct buf *key = two_part_key(p, view_of(src), view_of(iter));
	bool fresh;
	uint32_t i = smap_put(&p->steps, key->s, key->len, &fresh);

	if (!fresh)
		return i;
	if ((i & (i - 1)) == 0) /* 0, 1, 2, 4, ... */
		p->step = xrealloc(
		    p->step, i > 0 ? 2 * (size_t)i : 1, sizeof(*p->step));
	p->step[i] = (struct phase_step){ .len = -1, .outside = iter == NULL };
	return i;
}

void
idle_row(struct phases *p, size_t row)
{
	struct phase *ph = &p->v[row];
	struct phase_step *s;

	ph->step = step_at(p, ph->src, ph->iter);
	s = &p->step[ph->step];
	ph->next = s->first;
	s->first = row + 1;
}

void
phases_dev(struct phases *p, struct mview src, int64_t dev)
{
	struct mview bytes = { (const char *)&dev, sizeof(dev) };
	const struct buf *key = two_part_key(p, src, bytes);

	smap_put(&p->devs, key->s, key->len, NULL);
}

static void
take_piece(void *ctx, int64_t dev, int64_t lo, int64_t hi)
{
	struct phases *p = ctx;

	ARRAY_GROW(p->sort.v, p->sort.n, p->sort.cap);
	p->sort.v[p->sort.n++] =
	    (struct phase_piece){ dev, lo, hi, p->sort.row };
}

static int
by_time(const void *a, const void *b)
{
	const struct phase_piece *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

void
idle_sum(struct phases *p, uint32_t step)
{
	struct phase_step *s = &p->step[step];
	int64_t end = 0, gap;
	size_t i;

	if (s->summed)
		return;
	s->summed = true;
	p->sort.n = 0;
	for (i = s->first; i > 0; i = p->v[i - 1].next) {
		p->sort.row = i - 1;
		flat_each(&p->v[i - 1].gpu, take_piece, p);
	}
	if (p->sort.n > 0)
		qsort(p->sort.v, p->sort.n, sizeof(*p->sort.v), by_time);
	for (i = 0; i < p->sort.n; i++) {
		const struct phase_piece *x = &p->sort.v[i];

		if (i == 0 || p->sort.v[i - 1].dev != x->dev)
			end = x->lo;
		gap = x->lo > end ? num_sub(x->lo, end) : 0;
		p->v[x->row].idle_ns = num_add(p->v[x->row].idle_ns, gap);
		s->idle = num_add(s->idle, gap);
		end = x->lo > end ? x->lo : end;
		if (x->hi <= end)
			continue;
		s->busy = num_add(s->busy, num_sub(x->hi, end));
		end = x->hi;
	}
}

/* The devices of the file that the row is of. */
static int64_t
n_devices(struct phases *p, const struct phase *ph)
{
	const struct buf *key =
	    two_part_key(p, view_of(ph->src), view_of(NULL));
	int64_t k = 0;
	const char *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < p->devs.n; i++) {
		s = smap_str(&p->devs, i, &n);
		k += n > key->len && memcmp(s, key->s, key->len) == 0;
	}
	return k;
}

void
idle_end(struct phases *p)
{
	struct phase *ph;
	struct phase_step *s;
	int64_t rest, n;
	size_t i;

	for (i = 0; i < p->steps.n; i++)
		idle_sum(p, (uint32_t)i);
	for (i = 0; i < p->n; i++) {
		ph = &p->v[i];
		s = &p->step[ph->step];
		if (ph->word != NULL || s->len < 0)
			continue;
		n = n_devices(p, ph);
		/* work that begins before the step before has ended leaves
		 * less than nothing */
		rest = num_sub(n * s->len, num_add(s->busy, s->idle));
		if (rest > 0)
			ph->idle_ns = num_add(ph->idle_ns, rest);
	}
}

bool
idle_known(const struct phases *p, const struct phase *ph)
{
	return !p->has_steps || !p->step[ph->step].outside;
}

void
idle_clear(struct phases *p)
{
	free(p->step);
	free(p->sort.v);
	smap_free(&p->steps);
	smap_free(&p->devs);
}
