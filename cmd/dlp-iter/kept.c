/* Iterations of an earlier dlp-iter; see kept.h. */
#include "kept.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mview.h"
#include "num.h"
#include "rec.h"

static struct {
	struct rec_col *iter, *key, *start, *dur, *gpu_lo, *gpu_hi, *gpu, *step,
	    *kern_ns, *n_kern, *n_op;
} c;

void
kept_bind(struct rec_type *t)
{
	REC_COLS(t, REC_OPT, { &c.iter, "iter" }, { &c.key, "key" },
	    { &c.start, "start_ns" }, { &c.dur, "dur_ns" },
	    { &c.gpu_lo, "gpu_start_ns" }, { &c.gpu_hi, "gpu_end_ns" },
	    { &c.gpu, "gpu_ns" }, { &c.step, "step_ns" },
	    { &c.kern_ns, "kern_ns" }, { &c.n_kern, "n_kern" },
	    { &c.n_op, "n_op" });
}

static struct line
read_line(const struct rec *r)
{
	struct line x = { .iter = rec_int(r, c.iter, -1) };

	x.has_cpu = rec_i64(r, c.start, &x.start);
	x.has_dur = rec_i64(r, c.dur, &x.dur);
	x.has_gpu =
	    rec_i64(r, c.gpu_lo, &x.gpu_lo) && rec_i64(r, c.gpu_hi, &x.gpu_hi);
	x.has_step = rec_i64(r, c.step, &x.step);
	x.gpu = rec_int(r, c.gpu, 0);
	x.kern_ns = rec_int(r, c.kern_ns, 0);
	x.n_kern = (uint64_t)rec_int(r, c.n_kern, 0);
	x.n_op = (uint64_t)rec_int(r, c.n_op, 0);
	return x;
}

void
kept_add(struct source *f, const struct rec *r)
{
	struct kept *k = &f->kept;
	static struct buf tmp;
	const char *key;
	size_t n;

	if (k->n == k->cap) {
		k->cap = k->cap > 0 ? k->cap * 2 : 64;
		k->v = xrealloc(k->v, k->cap, sizeof(*k->v));
	}
	k->v[k->n].line = read_line(r);
	key = rec_str(r, c.key, &tmp, &n);
	k->v[k->n].text =
	    key != NULL ? smap_put(&f->plan.texts, key, n, NULL) : SMAP_NONE;
	k->n++;
}

bool
kept_take(struct source *f)
{
	const struct kept *k = &f->kept;
	const struct line *x;
	size_t i;

	for (i = 0; i < k->n; i++) {
		x = &k->v[i].line;
		if (x->iter < 0 || !x->has_cpu ||
		    x->iter != num_add(k->v[0].line.iter, (int64_t)i))
			return false;
	}
	if (k->n < 1)
		return false;
	if (k->n == 1 && k->v[0].text == SMAP_NONE)
		return true;
	for (i = 0; i < k->n; i++) {
		x = &k->v[i].line;
		plan_kept(&f->plan, x->start,
		    x->has_dur ? num_add(x->start, x->dur) : INT64_MAX);
	}
	return true;
}

int64_t
kept_where(struct source *f, const struct item *m, const char *line)
{
	const char *s = line + m->iter_off;
	int64_t n;

	if (m->iter_off == m->len) {
		n = plan_where(&f->plan, m->lane, m->t);
		return n < 0 ? -1 : f->kept.v[n].line.iter;
	}
	return num_i64(s, m->iter_len, &n) && n >= 0 ? n : -1;
}

void
kept_line(struct line *x, const struct source *f, size_t i)
{
	uint32_t text = f->kept.v[i].text;

	*x = f->kept.v[i].line;
	x->key =
	    text != SMAP_NONE ? smap_str(&f->plan.texts, text, NULL) : NULL;
}

int64_t
kept_first(const struct sources *f)
{
	int64_t first = INT64_MAX;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->v[i].plan.kind != PLAN_KEPT)
			return 0;
		if (f->v[i].kept.v[0].line.iter < first)
			first = f->v[i].kept.v[0].line.iter;
	}
	return f->n > 0 ? first : 0;
}

void
kept_clear(struct source *f)
{
	free(f->kept.v);
	memset(&f->kept, 0, sizeof(f->kept));
}

bool
kept_note(struct kept_notes *sums, const struct rec *r)
{
	const struct {
		const char *name;
		uint64_t *sum;
	} notes[] = { { "iter_key_not_found", NULL },
		{ "iter_outside", &sums->outside },
		{ "iter_nested", &sums->nested },
		{ "iter_late", &sums->late } };
	const char *word, *rest, *tab;
	size_t i, n, m;
	uint64_t v;

	if (r->kind != REC_META)
		return false;
	word = rec_meta(r, &n, &rest, &m);
	if (!text_is(word, n, "note"))
		return false;
	tab = memchr(rest, '\t', m);
	for (i = 0; tab != NULL && i < sizeof(notes) / sizeof(notes[0]); i++) {
		n = (size_t)(tab - rest);
		if (!text_is(rest, n, notes[i].name))
			continue;
		if (notes[i].sum != NULL && num_u64(tab + 1, m - n - 1, &v))
			*notes[i].sum += v;
		return true;
	}
	return false;
}
