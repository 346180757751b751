/* When the devices idle; see idle.h. */
#include "idle.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "num.h"

struct piece {
	int64_t dev, lo, hi;
	size_t row;
};

static struct {
	struct piece *v;
	size_t n, cap, row;
} all;

static const struct buf *
key_of(const char *src, size_t nsrc, const char *s, size_t n)
{
	static struct buf key;

	buf_clear(&key);
	buf_put(&key, src, src != NULL ? nsrc : 0);
	buf_putc(&key, '\t');
	buf_put(&key, s, s != NULL ? n : 0);
	return &key;
}

static uint32_t
step_at(
    struct phases *p, const char *src, size_t nsrc, const char *iter, size_t n)
{
	const struct buf *key = key_of(src, nsrc, iter, n);
	bool fresh;
	uint32_t i = smap_put(&p->steps, key->s, key->len, &fresh);

	if (!fresh)
		return i;
	if ((i & (i - 1)) == 0) /* 0, 1, 2, 4, ... */
		p->step = xrealloc(
		    p->step, i > 0 ? 2 * (size_t)i : 1, sizeof(*p->step));
	p->step[i] = (struct step){ .len = -1, .outside = iter == NULL };
	return i;
}

static size_t
len_of(const char *s)
{
	return s != NULL ? strlen(s) : 0;
}

void
idle_row(struct phases *p, size_t row)
{
	struct phase *ph = &p->v[row];
	struct step *s;

	ph->step =
	    step_at(p, ph->src, len_of(ph->src), ph->iter, len_of(ph->iter));
	s = &p->step[ph->step];
	ph->next = s->first;
	s->first = row + 1;
}

void
idle_dev(struct phases *p, struct mview src, int64_t dev)
{
	const struct buf *key =
	    key_of(src.s, src.n, (const char *)&dev, sizeof(dev));

	smap_put(&p->devs, key->s, key->len, NULL);
}

static void
take(void *ctx, int64_t dev, int64_t lo, int64_t hi)
{
	(void)ctx;
	if (all.n == all.cap) {
		all.cap = all.cap > 0 ? 2 * all.cap : 1024;
		all.v = xrealloc(all.v, all.cap, sizeof(*all.v));
	}
	all.v[all.n++] = (struct piece){ dev, lo, hi, all.row };
}

static int
by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

void
idle_sum(struct phases *p, uint32_t step)
{
	struct step *s = &p->step[step];
	int64_t end = 0, gap;
	size_t i;

	if (s->summed)
		return;
	s->summed = true;
	all.n = 0;
	for (i = s->first; i > 0; i = p->v[i - 1].next) {
		all.row = i - 1;
		flat_each(&p->v[i - 1].gpu, take, NULL);
	}
	if (all.n > 0)
		qsort(all.v, all.n, sizeof(*all.v), by_time);
	for (i = 0; i < all.n; i++) {
		const struct piece *x = &all.v[i];

		if (i == 0 || all.v[i - 1].dev != x->dev)
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
n_dev(const struct phases *p, const struct phase *ph)
{
	const struct buf *key = key_of(ph->src, len_of(ph->src), NULL, 0);
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
	struct step *s;
	int64_t rest, n;
	size_t i;

	for (i = 0; i < p->steps.n; i++)
		idle_sum(p, (uint32_t)i);
	for (i = 0; i < p->n; i++) {
		ph = &p->v[i];
		s = &p->step[ph->step];
		if (ph->word != NULL || s->len < 0)
			continue;
		n = n_dev(p, ph);
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
	free(all.v);
	memset(&all, 0, sizeof(all));
	smap_free(&p->steps);
	smap_free(&p->devs);
}
