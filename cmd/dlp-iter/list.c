/*
 * --list. Without a key: what could be one, ranked by how much of the
 * profile's time it covers and how even its lengths are. With a key: its
 * iterations, how far each is from the median, and a stable range.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "iter.h"
#include "num.h"

#define STABLE_PCT 10 /* an even iteration is this near to the median */

struct cand {
	bool is_op, numbered;
	uint32_t name;
	int64_t op_id;
	uint64_t n;    /* lengths */
	int64_t first; /* where the first began */
	int64_t last;  /* where the newest ended */
	double mean, m2, sum;
	double coverage, var, score; /* at the end */
};

struct list {
	struct smap names; /* texts of ranges without numbers, ops' names */
	struct smap cands; /* by what, which, where: struct cand */
	struct cand *v;
	size_t cap;
	struct map ops; /* op id -> name * 2 + (is bprop), + 1 */
	struct line *iters;
	size_t niter, iter_cap;
};

struct list *
list_new(void)
{
	return xcalloc(1, sizeof(struct list));
}

/* A lane's candidate, made if it is new; *fresh says so. */
static struct cand *
cand_of(struct list *l, bool is_op, int64_t which, uint32_t lane, bool *fresh)
{
	int64_t id[3] = { is_op, which, lane };
	uint32_t n = smap_put(&l->cands, (const char *)id, sizeof(id), fresh);

	if (n >= l->cap) {
		l->cap = l->cap > 0 ? l->cap * 2 : 64;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	if (*fresh) {
		memset(&l->v[n], 0, sizeof(*l->v));
		l->v[n].is_op = is_op;
	}
	return &l->v[n];
}

/* One more length: mean and squares without keeping them. */
static void
length(struct cand *c, double x)
{
	double d = x - c->mean;

	c->n++;
	c->sum += x;
	c->mean += d / (double)c->n;
	c->m2 += d * (x - c->mean);
}

void
list_range(struct list *l, struct key *k, uint32_t lane, const char *s,
    size_t n, int64_t lo, int64_t hi)
{
	struct cand *c;
	uint32_t name;
	bool fresh;

	buf_clear(&k->text);
	key_norm(&k->text, s, n);
	if (k->text.len == 0 || hi == INT64_MAX)
		return;
	name = smap_put(&l->names, k->text.s, k->text.len, NULL);
	c = cand_of(l, false, name, lane, &fresh);
	if (!fresh && lo < c->last)
		return; /* inside of itself */
	if (fresh)
		c->first = lo;
	c->name = name;
	c->numbered |= k->text.len != n;
	c->op_id = -1;
	c->last = hi;
	length(c, (double)hi - (double)lo);
}

void
list_op(struct list *l, int64_t id, const char *name, const char *dir)
{
	uint32_t n;

	if (name == NULL)
		return;
	n = smap_put(&l->names, name, strlen(name), NULL);
	*map_put(&l->ops, (uint64_t)id, NULL) =
	    (uint64_t)n * 2 + (dir != NULL && strcmp(dir, "bprop") == 0) + 1;
}

void
list_inst(struct list *l, int64_t op_id, uint32_t lane, int64_t stop)
{
	const uint64_t *name = map_get(&l->ops, (uint64_t)op_id);
	struct cand *c;
	bool fresh;

	if (name == NULL)
		return;
	c = cand_of(l, true, op_id, lane, &fresh);
	if (fresh) {
		c->first = stop;
		c->name = (uint32_t)((*name - 1) / 2);
		c->op_id = op_id;
	} else {
		length(c, (double)stop - (double)c->last);
	}
	c->last = stop;
}

static void
judge(struct cand *c, double total)
{
	double sd = c->n > 1 ? sqrt(c->m2 / (double)c->n) : 0;

	c->coverage = total > 0 ? c->sum / total : 0;
	if (c->coverage > 1)
		c->coverage = 1;
	c->var = c->mean > 0 ? sd / c->mean : 0;
	c->score = c->coverage / (1 + c->var);
}

/* The same candidate on several threads stands together, the best first. */
static int
by_name(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;

	if (x->is_op != y->is_op)
		return x->is_op ? 1 : -1;
	if (x->op_id != y->op_id)
		return x->op_id < y->op_id ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->coverage != y->coverage)
		return x->coverage > y->coverage ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* An even range over nearly all of the profile comes before ops: it says
 * where a step begins, too. */
static bool
is_step(const struct cand *c)
{
	return !c->is_op && c->coverage >= OWN_PCT / 100.0 && c->var <= 0.5;
}

static int
by_score(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;

	if (is_step(x) != is_step(y))
		return is_step(x) ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->is_op != y->is_op)
		return x->is_op ? 1 : -1;
	if (x->op_id != y->op_id)
		return x->op_id < y->op_id ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static bool
same_cand(const struct cand *x, const struct cand *y)
{
	return x->is_op == y->is_op && x->op_id == y->op_id &&
	       x->name == y->name;
}

/* Keeps what occurs more than once, or has a number and covers the profile
 * alone. */
static size_t
thin(struct list *l)
{
	size_t i, n = 0;

	for (i = 0; i < l->cands.n; i++) {
		const struct cand *c = &l->v[i];

		if (c->n == 0 ||
		    (c->n == 1 && !c->is_op && (!c->numbered || !is_step(c))))
			continue;
		if (n == 0 || !same_cand(&l->v[n - 1], c))
			l->v[n++] = *c;
	}
	return n;
}

static void
out_f64(double v, int decimals)
{
	buf_putc(&out_buf, '\t');
	buf_f64(&out_buf, v, decimals);
}

/* What a cand record says of a key: see common/cols.c. */
struct cand_line {
	const char *kind, *key;
	size_t nkey;
	int64_t op_id; /* -1: none */
	const char *dir;
	uint64_t n;
	double coverage, mean, var, score;
	int64_t from, to; /* the stable range; -1: none */
};

static void
put_cand(const struct cand_line *x)
{
	static struct out_type *t;

	if (t == NULL)
		t = out_type_reg("cand", NULL);
	out_rec(t);
	out_text(x->kind, strlen(x->kind));
	out_text(x->key, x->nkey);
	out_opt(x->op_id >= 0, x->op_id);
	out_text(x->dir, x->dir != NULL ? 5 : 0);
	out_i64((int64_t)x->n);
	out_f64(100 * x->coverage, 1);
	out_i64((int64_t)(x->mean + 0.5));
	out_f64(100 * x->var, 1);
	out_f64(x->score, 3);
	out_opt(x->from >= 0, x->from);
	out_opt(x->from >= 0, x->to);
	out_end();
}

void
list_cands(struct list *l, int64_t lo, int64_t hi, int limit)
{
	struct cand_line x = { .from = -1, .to = -1 };
	const uint64_t *op;
	size_t i, n;

	for (i = 0; i < l->cands.n; i++)
		judge(&l->v[i], (double)hi - (double)lo);
	if (l->cands.n > 0)
		qsort(l->v, l->cands.n, sizeof(*l->v), by_name);
	n = thin(l);
	if (n > 0)
		qsort(l->v, n, sizeof(*l->v), by_score);
	for (i = 0; i < n && (limit == 0 || i < (size_t)limit); i++) {
		const struct cand *c = &l->v[i];

		x.kind = c->is_op ? "op" : "range";
		x.key = smap_str(&l->names, c->name, &x.nkey);
		x.op_id = c->op_id;
		op = c->is_op ? map_get(&l->ops, (uint64_t)c->op_id) : NULL;
		x.dir = op == NULL ? NULL : *op % 2 == 0 ? "bprop" : "fprop";
		x.n = c->n + c->is_op;
		x.coverage = c->coverage;
		x.mean = c->mean;
		x.var = c->var;
		x.score = c->score;
		put_cand(&x);
	}
}

void
list_iter(struct list *l, const struct line *x)
{
	if (l->niter == l->iter_cap) {
		l->iter_cap = l->iter_cap > 0 ? l->iter_cap * 2 : 64;
		l->iters = xrealloc(l->iters, l->iter_cap, sizeof(*l->iters));
	}
	l->iters[l->niter++] = *x;
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median of the steps' lengths; 0 if none has one. */
static double
median(const struct list *l)
{
	int64_t *v = xcalloc(l->niter + 1, sizeof(*v));
	size_t i, n = 0;
	double m = 0;

	for (i = 0; i < l->niter; i++)
		if (l->iters[i].has_step)
			v[n++] = l->iters[i].step;
	qsort(v, n, sizeof(*v), by_value);
	if (n > 0) {
		size_t mid = n / 2, low = n % 2 > 0 ? mid : mid - 1;

		m = ((double)v[low] + (double)v[mid]) / 2;
	}
	free(v);
	return m;
}

static bool
even(const struct line *x, double med)
{
	return x->has_step && med > 0 &&
	       fabs((double)x->step - med) * 100 <= STABLE_PCT * med;
}

/* The longest run of even iterations, the later one of equals. */
static void
stable(const struct list *l, double med, int64_t *from, int64_t *to)
{
	size_t i, at = 0, len = 0, run = 0;

	for (i = 0; i < l->niter; i++) {
		run = even(&l->iters[i], med) ? run + 1 : 0;
		if (run > 0 && run >= len) {
			len = run;
			at = i + 1 - run;
		}
	}
	*from = len > 0 ? (int64_t)at : -1;
	*to = (int64_t)(at + len) - 1;
}

static void
put_line(const struct line *x, double med, bool is_stable)
{
	static struct out_type *t;

	if (t == NULL)
		t = out_type_reg("iter", NULL);
	out_rec(t);
	out_i64(x->iter);
	out_text(x->key, x->key != NULL ? strlen(x->key) : 0);
	out_opt(x->has_cpu, x->start);
	out_opt(x->has_dur, x->dur);
	out_opt(x->has_gpu, x->gpu_lo);
	out_opt(x->has_gpu, x->gpu_hi);
	out_i64(x->gpu);
	out_opt(x->has_step, x->step);
	out_i64(x->kern_ns);
	out_i64((int64_t)x->n_kern);
	out_i64((int64_t)x->n_op);
	if (x->has_step && med > 0)
		out_f64(100 * ((double)x->step - med) / med, 1);
	else
		out_unset();
	out_raw(is_stable ? "yes" : "no", is_stable ? 3 : 2);
	out_end();
}

void
list_iters(
    struct list *l, const char *key, const char *kind, int64_t lo, int64_t hi)
{
	struct cand c = { 0 };
	struct cand_line x = { .kind = kind, .key = key, .op_id = -1 };
	double med = median(l);
	struct ivl u = { 0 };
	size_t i;

	stable(l, med, &x.from, &x.to);
	for (i = 0; i < l->niter; i++) {
		const struct line *it = &l->iters[i];

		if (it->has_step)
			length(&c, (double)it->step);
		if (it->has_dur)
			ivl_add(&u, it->start, num_add(it->start, it->dur));
	}
	c.sum = (double)ivl_len_in(&u, lo, hi);
	ivl_free(&u);
	judge(&c, (double)hi - (double)lo);
	x.nkey = strlen(key);
	x.n = l->niter;
	x.coverage = c.coverage;
	x.mean = c.mean;
	x.var = c.var;
	x.score = c.score;
	put_cand(&x);
	for (i = 0; i < l->niter; i++)
		put_line(&l->iters[i], med,
		    (int64_t)i >= x.from && (int64_t)i <= x.to);
}

void
list_clear(struct list *l)
{
	smap_free(&l->names);
	smap_free(&l->cands);
	map_free(&l->ops);
	free(l->v);
	free(l->iters);
	memset(l, 0, sizeof(*l));
}
