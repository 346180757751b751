/* The rows of phases; see phases.h. */
#include "phases.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "stage.h"

#define PIECES (512u * 1024) /* of all rows: 16 MB with room to grow */
#define NEW_ROWS 256         /* these keep theirs */

/* The pieces of rows become sums, the oldest first, to half of the bound. */
static void
shrink(struct phases *p)
{
	size_t i;

	for (i = 0; i + NEW_ROWS < p->n && flat_pieces() > PIECES / 2; i++) {
		idle_sum(p, p->v[i].step);
		flat_fold(&p->v[i].cpu);
		flat_fold(&p->v[i].gpu);
	}
}

static const char *
keep_text(struct phases *p, struct mview v)
{
	if (v.s == NULL)
		return NULL;
	return smap_str(&p->texts, smap_put(&p->texts, v.s, v.n, NULL), NULL);
}

/* The number of a row; *fresh: there was none. */
static uint32_t
row_of(struct phases *p, struct mview src, struct mview iter, struct mview word,
    bool by_op, bool *fresh)
{
	struct buf *key = &p->key, last;

	buf_clear(key);
	buf_put(key, src.s, src.s != NULL ? src.n : 0);
	buf_putc(key, '\t');
	buf_put(key, iter.s, iter.s != NULL ? iter.n : 0);
	buf_putc(key, '\t');
	buf_put(key, word.s, word.s != NULL ? word.n : 0);
	buf_put(key, "\t", by_op);
	*fresh = false;
	if (key->len == p->last.len && memcmp(key->s, p->last.s, key->len) == 0)
		return p->last_row;
	p->last_row = smap_put(&p->keys, key->s, key->len, fresh);
	last = p->last;
	p->last = *key;
	*key = last;
	return p->last_row;
}

struct phase *
phases_get(struct phases *p, struct mview src, struct mview iter,
    struct mview word, bool by_op)
{
	struct phase *ph;
	bool fresh;
	uint32_t i = row_of(p, src, iter, word, by_op, &fresh);

	if (!fresh) {
		p->v[i].made = true;
		return &p->v[i];
	}
	if (flat_pieces() > PIECES)
		shrink(p);
	if ((p->n & (p->n - 1)) == 0) /* 0, 1, 2, 4, ... */
		p->v = xrealloc(p->v, p->n > 0 ? p->n * 2 : 1, sizeof(*p->v));
	ph = &p->v[p->n++];
	memset(ph, 0, sizeof(*ph));
	ph->src = keep_text(p, src);
	ph->iter = keep_text(p, iter);
	ph->word = keep_text(p, word);
	ph->by_op = by_op;
	ph->made = true;
	idle_row(p, p->n - 1);
	return ph;
}

void
phases_step(struct phases *p, struct mview src, struct mview iter, int64_t len)
{
	struct mview none = { NULL, 0 };
	size_t n = p->n;
	struct phase *ph = phases_get(p, src, iter, none, false);

	if (p->n > n)
		ph->made = false;
	p->step[ph->step].len = len;
	p->has_steps = true;
}

static void
extend(struct phase *ph, int64_t dev, int64_t lo, int64_t hi)
{
	struct phase_extent *e;
	size_t i;

	for (i = 0; i < ph->n_ext; i++) {
		e = &ph->ext[i];
		if (e->dev != dev)
			continue;
		e->lo = lo < e->lo ? lo : e->lo;
		e->hi = hi > e->hi ? hi : e->hi;
		return;
	}
	ph->ext = xrealloc(ph->ext, ph->n_ext + 1, sizeof(*ph->ext));
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

static void
merge_rows(struct phase *to, struct phase *ph)
{
	size_t i;

	flat_join(&to->cpu, &ph->cpu);
	flat_join(&to->gpu, &ph->gpu);
	for (i = 0; i < ph->n_ext; i++)
		extend(to, ph->ext[i].dev, ph->ext[i].lo, ph->ext[i].hi);
	to->api_ns = num_add(to->api_ns, ph->api_ns);
	to->gpu_ns = num_add(to->gpu_ns, ph->gpu_ns);
	to->thread_ns = num_add(to->thread_ns, ph->thread_ns);
	to->op_ns = num_add(to->op_ns, ph->op_ns);
	to->idle_ns = num_add(to->idle_ns, ph->idle_ns);
	to->n_kern += ph->n_kern;
	to->n_gpu += ph->n_gpu;
	ph->gone = true;
}

/* In p->key, until the next row is looked for. */
static const struct buf *
ranged_key(struct phases *p, const struct phase *ph)
{
	buf_clear(&p->key);
	if (ph->src != NULL)
		buf_puts(&p->key, ph->src);
	buf_putc(&p->key, '\t');
	buf_puts(&p->key, ph->word);
	return &p->key;
}

void
phases_ranged(struct phases *p, struct phase *ph)
{
	const struct buf *key;

	if (ph->ranged)
		return;
	ph->ranged = true;
	key = ranged_key(p, ph);
	smap_put(&p->ranged, key->s, key->len, NULL);
}

/* Whether a range of the file names the phase. */
static bool
is_ranged(struct phases *p, const struct phase *ph)
{
	const struct buf *key = ranged_key(p, ph);

	return smap_find(&p->ranged, key->s, key->len) != SMAP_NONE;
}

/* Where ranges name a forward phase, work that only its op calls forward is of
 * no phase. */
static void
settle_row(struct phases *p, size_t i)
{
	struct mview none = { NULL, 0 }, src, iter, word;
	struct phase *ph = &p->v[i], *to;
	bool ranged = is_ranged(p, ph);

	src = (struct mview){ ph->src, ph->src ? strlen(ph->src) : 0 };
	iter = (struct mview){ ph->iter, ph->iter ? strlen(ph->iter) : 0 };
	word = (struct mview){ ph->word, strlen(ph->word) };
	to = phases_get(p, src, iter, ranged ? none : word, false);
	ph = &p->v[i];
	if (ranged)
		ph->op_ns = 0;
	merge_rows(to, ph);
}

static void
put_gpu_times(const struct phases *p, const struct phase *ph)
{
	int64_t gpu = flat_len(&ph->gpu), lo = 0, hi = 0;
	size_t i;

	for (i = 0; i < ph->n_ext; i++) {
		const struct phase_extent *e = &ph->ext[i];

		lo = i == 0 || e->lo < lo ? e->lo : lo;
		hi = i == 0 || e->hi > hi ? e->hi : hi;
	}
	out_i64(gpu);
	out_i64(ph->gpu_ns);
	out_opt(idle_known(p, ph), ph->idle_ns);
	out_i64((int64_t)ph->n_kern);
	out_i64((int64_t)ph->n_gpu);
	out_i64(ph->thread_ns);
	out_i64(ph->op_ns);
	out_opt(ph->n_ext > 0, lo);
	out_opt(ph->n_ext > 0, hi);
}

static void
put_phase(struct phases *p, const struct phase *ph)
{
	static const char *const names[] = { "iter", "phase", "cpu_ns",
		"api_ns", "gpu_ns", "gpu_sum_ns", "idle_ns", "n_kern", "n_gpu",
		"thread_ns", "op_ns", "gpu_start_ns", "gpu_end_ns", "src" };

	out_rec_src(
	    &p->type, "phase", names, ARRAY_LEN(names), ph->src != NULL);
	out_word(ph->iter);
	out_word(ph->word);
	out_i64(flat_len(&ph->cpu));
	out_i64(ph->api_ns);
	put_gpu_times(p, ph);
	if (ph->src != NULL)
		out_word(ph->src);
	out_end();
}

void
phases_end(struct phases *p)
{
	size_t i;

	idle_end(p);
	for (i = 0; i < p->n; i++)
		if (p->v[i].by_op && !p->v[i].gone)
			settle_row(p, i);
	for (i = 0; i < p->n; i++)
		if (!p->v[i].gone && (p->v[i].made || p->v[i].idle_ns > 0))
			put_phase(p, &p->v[i]);
	stage_note("phases_late", flat_late);
}

void
phases_clear(struct phases *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		flat_free(&p->v[i].cpu);
		flat_free(&p->v[i].gpu);
		free(p->v[i].ext);
	}
	free(p->v);
	buf_free(&p->key);
	buf_free(&p->last);
	smap_free(&p->keys);
	smap_free(&p->texts);
	smap_free(&p->ranged);
	idle_clear(p);
	*p = (struct phases){ .type = p->type };
	flat_late = 0;
}
