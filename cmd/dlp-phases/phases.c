/* Rows of open iterations; see phases.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "num.h"
#include "phases.h"
#include "stage.h"

const struct buf *
phases_key(struct phases *p, struct mview a, struct mview b)
{
	buf_clear(&p->key);
	buf_put(&p->key, a.s, a.s != NULL ? a.n : 0);
	buf_putc(&p->key, '\t');
	buf_put(&p->key, b.s, b.s != NULL ? b.n : 0);
	return &p->key;
}

static const char *
keep_text(struct phases *p, struct mview v)
{
	if (v.s == NULL)
		return NULL;
	return smap_str(&p->texts, smap_put(&p->texts, v.s, v.n, NULL), NULL);
}

static bool
is_text(const char *s, struct mview v)
{
	return s == NULL || v.s == NULL ? s == v.s : mv_eq(v, s);
}

/* The iteration's text is the key's second part. */
static struct phase_step *
step_new(struct phases *p, uint32_t id, struct mview src, struct mview iter)
{
	struct phase_step *s = xcalloc(1, sizeof(*s));

	s->id = id;
	s->src = keep_text(p, src);
	if (iter.s != NULL)
		s->iter = smap_str(&p->steps, id, NULL) +
			  (src.s != NULL ? src.n : 0) + 1;
	s->len = -1;
	return s;
}

static struct phase_step *
step_of(struct phases *p, struct mview src, struct mview iter)
{
	const struct buf *key;
	uint32_t id;
	bool fresh;

	if (p->last != NULL && is_text(p->last->iter, iter) &&
	    is_text(p->last->src, src))
		return p->last;
	key = phases_key(p, src, iter);
	id = smap_put(&p->steps, key->s, key->len, &fresh);
	if (fresh) {
		ARRAY_GROW(p->open, p->n_open, p->open_cap);
		p->open[p->n_open++] = NULL;
	}
	if (p->open[id] == NULL) {
		p->late += !fresh;
		p->open[id] = step_new(p, id, src, iter);
	}
	return p->last = p->open[id];
}

static struct phase *
row_new(struct phases *p, struct phase_step *s, struct mview word, bool by_op)
{
	struct phase *ph =
	    p->n_spare > 0 ? p->spare[--p->n_spare] : xcalloc(1, sizeof(*ph));

	ph->word = keep_text(p, word);
	ph->by_op = by_op;
	ARRAY_GROW(s->row, s->n, s->cap);
	s->row[s->n++] = ph;
	return ph;
}

/* It is found one by one: an iteration has few phases. */
static struct phase *
row_of(struct phases *p, struct phase_step *s, struct mview word, bool by_op)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->row[i]->by_op == by_op && is_text(s->row[i]->word, word))
			return s->row[i];
	return row_new(p, s, word, by_op);
}

struct phase *
phases_row(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op)
{
	struct phase *ph = row_of(p, step_of(p, src, iter), word, by_op);

	ph->made = true;
	return ph;
}

static void
extend(struct phase *ph, int64_t dev, int64_t lo, int64_t hi)
{
	struct phase_extent *e;
	int i;

	for (i = 0; i < ph->n_ext; i++) {
		e = &ph->ext[i];
		if (e->dev != dev)
			continue;
		e->lo = lo < e->lo ? lo : e->lo;
		e->hi = hi > e->hi ? hi : e->hi;
		return;
	}
	ARRAY_GROW(ph->ext, ph->n_ext, ph->ext_cap);
	ph->ext[ph->n_ext++] = (struct phase_extent){ dev, lo, hi };
}

void
phase_gpu(struct phase *ph, int64_t dev, int64_t lo, int64_t hi)
{
	extend(ph, dev, lo, hi);
	flat_add(&ph->gpu, dev, lo, hi);
	ph->gpu_ns = num_add(ph->gpu_ns, num_sub(hi, lo));
	ph->n_gpu++;
}

void
phase_join(struct phase *to, const struct phase *from)
{
	int i;

	flat_join(&to->cpu, &from->cpu);
	flat_join(&to->gpu, &from->gpu);
	for (i = 0; i < from->n_ext; i++)
		extend(to, from->ext[i].dev, from->ext[i].lo, from->ext[i].hi);
	to->api_ns = num_add(to->api_ns, from->api_ns);
	to->gpu_ns = num_add(to->gpu_ns, from->gpu_ns);
	to->thread_ns = num_add(to->thread_ns, from->thread_ns);
	to->op_ns = num_add(to->op_ns, from->op_ns);
	to->idle_ns = num_add(to->idle_ns, from->idle_ns);
	to->n_kern += from->n_kern;
	to->n_gpu += from->n_gpu;
	to->made = to->made || from->made;
}

void
phases_dev(struct phases *p, struct mview src, int64_t dev)
{
	struct mview bytes = { (const char *)&dev, sizeof(dev) };
	const struct buf *key = phases_key(p, src, bytes);

	smap_put(&p->devs, key->s, key->len, NULL);
}

void
phases_ranged(struct phases *p, struct mview src, struct phase *ph)
{
	const struct buf *key;

	if (ph->ranged)
		return;
	ph->ranged = true;
	key = phases_key(p, src, phases_text(ph->word));
	smap_put(&p->ranged, key->s, key->len, NULL);
}

/* When the devices idle, for the phases of an iteration. */

static void
take_piece(void *ctx, int64_t dev, int64_t lo, int64_t hi)
{
	struct phase_pieces *t = ctx;

	ARRAY_GROW(t->v, t->n, t->cap);
	t->v[t->n++] = (struct phase_piece){ dev, lo, hi, t->row };
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

/* Adds up the gaps between the sorted pieces, for the phases that end them, and
 * returns their sum; *busy is the time of the pieces. */
static int64_t
add_gaps(const struct phase_pieces *t, struct phase_step *s, int64_t *busy)
{
	int64_t end = 0, gap, idle = 0;
	struct phase *ph;
	size_t i;

	*busy = 0;
	for (i = 0; i < t->n; i++) {
		const struct phase_piece *x = &t->v[i];

		if (i == 0 || t->v[i - 1].dev != x->dev)
			end = x->lo;
		gap = x->lo > end ? num_sub(x->lo, end) : 0;
		ph = s->row[x->row];
		ph->idle_ns = num_add(ph->idle_ns, gap);
		idle = num_add(idle, gap);
		end = x->lo > end ? x->lo : end;
		if (x->hi <= end)
			continue;
		*busy = num_add(*busy, num_sub(x->hi, end));
		end = x->hi;
	}
	return idle;
}

static int64_t
sum_idle(struct phases *p, struct phase_step *s, int64_t *busy)
{
	struct phase_pieces *t = &p->sort;

	t->n = 0;
	for (t->row = 0; t->row < s->n; t->row++)
		flat_each(&s->row[t->row]->gpu, take_piece, t);
	if (t->n > 0)
		qsort(t->v, t->n, sizeof(*t->v), by_time);
	return add_gaps(t, s, busy);
}

/* The row is empty again, but keeps its memory. */
static void
row_clear(struct phase *ph)
{
	struct phase empty = { .cpu = ph->cpu,
		.gpu = ph->gpu,
		.ext = ph->ext,
		.ext_cap = ph->ext_cap };

	flat_clear(&ph->cpu);
	flat_clear(&ph->gpu);
	empty.cpu = ph->cpu;
	empty.gpu = ph->gpu;
	*ph = empty;
}

static void
step_free(struct phases *p, struct phase_step *s)
{
	int i;

	for (i = 0; i < s->n; i++) {
		row_clear(s->row[i]);
		ARRAY_GROW(p->spare, p->n_spare, p->spare_cap);
		p->spare[p->n_spare++] = s->row[i];
	}
	if (p->last == s)
		p->last = NULL;
	p->open[s->id] = NULL;
	free(s->row);
	free(s);
}

static void
step_ends(struct phases *p, struct phase_step *s)
{
	int64_t busy, idle = sum_idle(p, s, &busy);

	phases_keep(p, s, busy, idle);
	step_free(p, s);
}

void
phases_step(struct phases *p, struct mview src, struct mview iter, int64_t len)
{
	struct mview none = { NULL, 0 };
	struct phase_step *s = step_of(p, src, iter);

	row_of(p, s, none, false);
	s->len = len;
	p->has_steps = true;
	step_ends(p, s);
}

void
phases_end(struct phases *p)
{
	size_t i;

	for (i = 0; i < p->n_open; i++)
		if (p->open[i] != NULL)
			step_ends(p, p->open[i]);
	phases_play(p);
	stage_note("phases_late", flat_late + p->late);
}

static void
row_free(struct phase *ph)
{
	flat_free(&ph->cpu);
	flat_free(&ph->gpu);
	free(ph->ext);
	free(ph);
}

void
phases_clear(struct phases *p)
{
	size_t i;

	for (i = 0; i < p->n_open; i++)
		if (p->open[i] != NULL)
			step_free(p, p->open[i]);
	for (i = 0; i < (size_t)p->n_spare; i++)
		row_free(p->spare[i]);
	free(p->open);
	free(p->spare);
	free(p->sort.v);
	buf_free(&p->key);
	smap_free(&p->steps);
	smap_free(&p->texts);
	smap_free(&p->ranged);
	smap_free(&p->devs);
	tape_free(&p->done);
	*p = (struct phases){ .type = p->type, .done = TAPE_NEW };
	flat_late = 0;
}
