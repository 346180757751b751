/* Records to the side and the step they are of; see place.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "place.h"

void
place_section(struct place *p)
{
	map_clear(&p->op);
	smap_clear(&p->srcs);
	buf_clear(&p->name);
	p->base = p->side_no;
}

static void
at_side(struct place *p, size_t no)
{
	p->side_no = no;
	p->side = &p->m->side[no];
}

void
place_open(struct place *p, bool open)
{
	uint32_t i;

	at_side(p, p->base);
	if (open)
		p->side->n_open++;
	else
		p->side->n_open--;
	for (i = 1; !open && p->by_src && i < p->srcs.n; i++)
		p->m->side[p->srcs.val[i] >> 32].n_open--;
}

/* A file of the section: a run, and if each is a side, the first of them is the
 * section's own. */
static uint64_t
new_file(struct place *p, struct mview src, bool is_first)
{
	struct mview name = src;
	size_t no = p->base;

	if (name.s == NULL)
		name = (struct mview){ p->name.s, p->name.len };
	if (p->by_src && !is_first) {
		no = p->m->n_side;
		model_side(p->m, no)->n_open = 1;
	}
	at_side(p, no);
	if (p->by_src && src.s != NULL) {
		free(p->side->name);
		p->side->name = side_file_name(src);
	}
	return (uint64_t)no << 32 | side_new_run(p->side, name);
}

/* Goes to the side of the file; returns its run. */
static uint32_t
enter(struct place *p, struct mview src)
{
	uint32_t i = 0;
	bool fresh;

	if (src.s != NULL || p->srcs.n == 0) {
		i = smap_put(&p->srcs, src.s != NULL ? src.s : "-",
		    src.s != NULL ? src.n : 1, &fresh);
		if (fresh)
			p->srcs.val[i] = new_file(p, src, i == 0);
	}
	at_side(p, (size_t)(p->srcs.val[i] >> 32));
	return (uint32_t)p->srcs.val[i];
}

void
place_src(struct place *p, struct mview src)
{
	enter(p, src);
}

void
place_dev(struct place *p, const struct types *t, const struct rec *r)
{
	size_t n;
	const char *s = rec_raw(r, t->dev_name, &n);

	if (s == NULL)
		return;
	buf_clear(&p->key);
	buf_puts(&p->key, "GPU\t");
	buf_put(&p->key, s, n);
	smap_put(&p->side->info, p->key.s, p->key.len, NULL);
}

/* What all steps of a run share: the text without its number. */
static char *
key_of(const char *s, size_t n)
{
	while (n > 0 && isdigit((unsigned char)s[n - 1]))
		n--;
	while (n > 0 && strchr(" #:=_-[(", s[n - 1]) != NULL)
		n--;
	return n > 0 ? xmemdup(s, n) : xstrdup("steps");
}

/* How long it takes. A whole run begins with its first GPU work and ends with
 * the last, as in dlp FILE: what it does before to start up is no idle GPU. */
static bool
length(const struct types *t, const struct rec *r, bool whole, int64_t *ns)
{
	int64_t lo, hi;

	if (whole && rec_i64(r, t->iter.gpu_lo, &lo) &&
	    rec_i64(r, t->iter.gpu_hi, &hi)) {
		*ns = num_sub(hi, lo);
		return true;
	}
	return rec_i64(r, t->iter.step, ns);
}

void
place_iter(struct place *p, const struct types *t, const struct rec *r)
{
	uint32_t run = enter(p, rec_view(r, t->iter.src));
	struct run *g = &p->side->run[run];
	struct step *s;
	const char *key;
	int64_t iter;
	uint32_t no;
	size_t n;

	if (!rec_i64(r, t->iter.iter, &iter))
		return;
	key = rec_raw(r, t->iter.key, &n);
	if (key != NULL && g->key == NULL)
		g->key = key_of(key, n);
	no = side_step(p->side, run, iter); /* it may move the steps */
	s = &p->side->step[no];
	s->has = length(t, r, key == NULL, &s->ns);
	rec_i64(r, t->iter.gpu, &s->gpu_ns);
	rec_i64(r, t->iter.n_kern, &s->n_kern);
}

static unsigned
tc_of(const struct rec *r, const struct rec_col *tc)
{
	size_t n = 0;
	const char *s = tc != NULL ? rec_raw(r, tc, &n) : NULL;

	if (s == NULL)
		return 0;
	return n == 3 ? TC_YES : n == 2 ? TC_NO : TC_UNKNOWN;
}

/* To a row: a time, or with ns < 0 only the arithmetic. */
static void
count(struct place *p, struct row *row, uint32_t step, int64_t ns,
    const int64_t *flop, unsigned tc)
{
	struct cell *c = row_cell(row, p->side_no, step);

	if (ns >= 0) {
		c->ns = num_add(c->ns, ns);
		c->n++;
	}
	if (flop != NULL) {
		c->flop = num_add(c->flop, *flop);
		c->has_flop = 1;
	}
	c->tc |= tc & 7;
}

/* The step of a record; false if it is in none. */
static bool
step_of(struct place *p, const struct work_cols *c, const struct rec *r,
    uint32_t *step)
{
	uint32_t run = enter(p, rec_view(r, c->src));
	int64_t iter;

	if (!rec_i64(r, c->iter, &iter))
		return false;
	*step = side_step(p->side, run, iter);
	return true;
}

void
place_inst(struct place *p, const struct types *t, const struct rec *r)
{
	const struct work_cols *c = &t->inst;
	uint32_t step;
	int64_t ns;

	if (p->m->by == BY_ITER || !step_of(p, c, r, &step) ||
	    !rec_i64(r, c->dur, &ns))
		return;
	count(p, place_row(p, c, r), step, ns, NULL, 0);
	count(p, &p->m->all, step, ns, NULL, 0);
}

void
place_gpu(struct place *p, const struct types *t, const struct rec *r, int i)
{
	const struct work_cols *c = &t->gpu[i];
	int64_t ns, flop, *f = NULL;
	uint32_t step;
	unsigned tc;

	if (p->m->by == BY_KERNEL && i > 0)
		return;
	if (!step_of(p, c, r, &step)) {
		p->side->outside++;
		return;
	}
	if (!rec_i64(r, c->dur, &ns))
		return;
	tc = tc_of(r, c->tc);
	if (c->flop != NULL && rec_i64(r, c->flop, &flop))
		f = &flop;
	if (tc == TC_YES)
		count(p, &p->m->tc, step, ns, f, tc);
	if (p->m->cpu)
		ns = -1;
	if (p->m->by != BY_ITER)
		count(p, place_row(p, c, r), step, ns, f, tc);
	count(p, &p->m->all, step, ns, f, tc);
}

void
place_free(struct place *p)
{
	map_free(&p->op);
	smap_free(&p->srcs);
	buf_free(&p->key);
	buf_free(&p->name);
}
