/*
 * The best candidates for a key; see cand.h. They are ranked by how much of
 * the profile's time they cover and how even their lengths are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cand.h"
#include "out.h"

static void
put_f64(double v, int decimals)
{
	buf_putc(&out_buf, '\t');
	buf_f64(&out_buf, v, decimals);
}

static const char *const cand_cols[] = { "kind", "key", "op_id", "dir", "n",
	"coverage_pct", "mean_ns", "var_pct", "score", "iter_start",
	"iter_stop", "src" };
#define NCOLS ((int)(sizeof(cand_cols) / sizeof(cand_cols[0])))

void
cand_put(const struct cand_line *x)
{
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[x->src != NULL];

	if (*t == NULL)
		*t = out_type("cand", cand_cols, NCOLS - (x->src == NULL));
	out_rec(*t);
	out_text(x->kind, strlen(x->kind));
	out_text(x->key, x->nkey);
	out_opt(x->op_id >= 0, x->op_id);
	out_text(x->dir, x->dir != NULL ? 5 : 0);
	out_i64((int64_t)x->n);
	put_f64(100 * x->coverage, 1);
	out_i64((int64_t)(x->mean + 0.5));
	if (isnan(x->var))
		out_unset();
	else
		put_f64(100 * x->var, 1);
	put_f64(x->score, 3);
	out_opt(x->from >= 0, x->from);
	out_opt(x->from >= 0, x->to);
	if (x->src != NULL)
		out_raw(x->src, strlen(x->src));
	out_end();
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

	if (x->own != y->own)
		return x->own ? -1 : 1;
	if (is_step(x) != is_step(y))
		return is_step(x) ? -1 : 1;
	if (x->bare != y->bare)
		return x->bare ? 1 : -1;
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
thin(struct cands *l)
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

static const struct cand_op *
op_of(const struct cands *l, const struct cand *c)
{
	return &l->op[*map_get(&l->ops, (uint64_t)c->op_id) - 1];
}

/* What -k takes for just this op: its name if no other op or range has it,
 * else its key; SMAP_NONE: neither. */
static uint32_t
own_text(const struct cands *l, const struct cand_op *o)
{
	if (l->names.val[o->name] == 1)
		return o->name;
	if (o->key != SMAP_NONE && l->names.val[o->key] == 1)
		return o->key;
	return SMAP_NONE;
}

/* The same, at last its number. */
static const char *
op_word(const struct cands *l, const struct cand_op *o, int64_t id, size_t *n)
{
	static struct buf b;
	uint32_t text = own_text(l, o);

	if (text != SMAP_NONE)
		return smap_str(&l->names, text, n);
	buf_clear(&b);
	buf_i64(&b, id);
	*n = b.len;
	return buf_str(&b);
}

static void
list_one(const struct cands *l, const struct cand *c)
{
	struct cand_line x = { .from = -1, .to = -1 };
	const struct cand_op *o;

	x.op_id = c->op_id;
	if (c->is_op) {
		o = op_of(l, c);
		x.kind = "op";
		x.key = op_word(l, o, c->op_id, &x.nkey);
		x.dir = o->bprop ? "bprop" : "fprop";
	} else {
		x.kind = "range";
		x.key = smap_str(&l->names, c->name, &x.nkey);
	}
	x.n = c->n + c->is_op;
	x.coverage = c->coverage;
	x.mean = c->mean;
	x.var = cand_var(c);
	x.score = c->score;
	cand_put(&x);
}

/* The best come first; how many there are. */
static size_t
rank(struct cands *l, double total)
{
	size_t i, n;

	for (i = 0; i < l->cands.n; i++)
		cand_judge(&l->v[i], total);
	if (l->cands.n > 0)
		qsort(l->v, l->cands.n, sizeof(*l->v), by_name);
	n = thin(l);
	/* a number says nothing, and is another one in the next run */
	for (i = 0; i < n; i++)
		l->v[i].bare = l->v[i].is_op &&
			       own_text(l, op_of(l, &l->v[i])) == SMAP_NONE;
	if (n > 0)
		qsort(l->v, n, sizeof(*l->v), by_score);
	return n;
}

size_t
cand_list(struct cands *l, double total, int limit)
{
	size_t i, n = rank(l, total);

	for (i = 0; i < n && (limit == 0 || i < (size_t)limit); i++)
		list_one(l, &l->v[i]);
	return n;
}

const char *
cand_words(struct cands *l, double total, size_t limit)
{
	static struct buf b;
	size_t i, k = 0, len, n = rank(l, total);
	const char *s;

	buf_clear(&b);
	for (i = 0; i < n && k < limit; i++) {
		if (l->v[i].is_op)
			continue;
		s = smap_str(&l->names, l->v[i].name, &len);
		buf_puts(&b, k++ > 0 ? ", " : "");
		buf_put(&b, s, len);
	}
	return buf_str(&b);
}
