/* Candidates for a key, as they come; see cand.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cand.h"
#include "err.h"

/* A lane's candidate, made if it is new; *fresh says so. */
static struct cand *
cand_of(struct cands *l, bool is_op, int64_t which, uint32_t src, uint32_t lane,
    bool *fresh)
{
	int64_t id[4] = { is_op, which, src, lane };
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

void
cand_length(struct cand *c, double x)
{
	double d = x - c->mean;

	c->n++;
	c->sum += x;
	c->mean += d / (double)c->n;
	c->m2 += d * (x - c->mean);
}

void
cand_range(struct cands *l, struct key *k, uint32_t src, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi)
{
	struct cand *c;
	uint32_t name;
	bool fresh;

	buf_clear(&k->text);
	key_norm(&k->text, s, n);
	if (k->text.len == 0 || hi == INT64_MAX ||
	    (l->numbered && k->text.len == n))
		return;
	name = smap_put(&l->names, k->text.s, k->text.len, NULL);
	c = cand_of(l, false, name, src, lane, &fresh);
	if (fresh)
		l->names.val[name]++;
	if (!fresh && lo < c->last)
		return; /* inside of itself */
	if (fresh)
		c->first = lo;
	c->name = name;
	c->numbered |= k->text.len != n;
	c->op_id = -1;
	c->last = hi;
	cand_length(c, (double)hi - (double)lo);
}

/* Counts who has the text: ops, each for itself, and ranges. */
static uint32_t
text_of(struct cands *l, const char *s)
{
	uint32_t n;

	if (s == NULL)
		return SMAP_NONE;
	n = smap_put(&l->names, s, strlen(s), NULL);
	l->names.val[n]++;
	return n;
}

void
cand_op(struct cands *l, int64_t id, const struct op_names *s)
{
	struct cand_op *o;

	if (s->name == NULL)
		return;
	l->op = xrealloc(l->op, l->nop + 1, sizeof(*l->op));
	o = &l->op[l->nop++];
	o->name = text_of(l, s->name);
	o->key = text_of(l, s->key);
	o->bprop = s->dir != NULL && strcmp(s->dir, "bprop") == 0;
	*map_put(&l->ops, (uint64_t)id, NULL) = l->nop;
}

void
cand_inst(
    struct cands *l, int64_t op_id, uint32_t src, uint32_t lane, int64_t stop)
{
	const uint64_t *op = map_get(&l->ops, (uint64_t)op_id);
	struct cand *c;
	bool fresh;

	if (op == NULL)
		return;
	c = cand_of(l, true, op_id, src, lane, &fresh);
	if (fresh) {
		c->first = stop;
		c->name = l->op[*op - 1].name;
		c->op_id = op_id;
	} else {
		cand_length(c, (double)stop - (double)c->last);
	}
	c->last = stop;
}

void
cand_judge(struct cand *c, double total)
{
	double sd = c->n > 1 ? sqrt(c->m2 / ((double)c->n - 1)) : 0;

	c->coverage = total > 0 ? c->sum / total : 0;
	if (c->coverage > 1)
		c->coverage = 1;
	c->var = c->mean > 0 ? sd / c->mean : 0;
	c->score = c->coverage / (1 + c->var);
}

double
cand_var(const struct cand *c)
{
	return c->n > 1 ? c->var : NAN;
}

void
cand_own(struct cands *l, struct key *k, int row)
{
	const char *s;
	size_t i, n;

	for (i = 0; row >= 0 && i < l->cands.n; i++) {
		s = smap_str(&l->names, l->v[i].name, &n);
		l->v[i].own |= !l->v[i].is_op && key_own(k, s, n) == row;
	}
}

void
cand_clear(struct cands *l)
{
	smap_free(&l->names);
	smap_free(&l->cands);
	map_free(&l->ops);
	free(l->op);
	free(l->v);
	memset(l, 0, sizeof(*l));
}
