/* Lays two sequences of launches side by side; see carry.h. */
#include <stdlib.h>

#include "array.h"
#include "carry.h"
#include "spill.h"

#define GRAM 4            /* equal names in a row that are a place to start */
#define SURE 6            /* so many around a place prove it */
#define AHEAD 4096        /* names that are compared from there on */
#define BEHIND 256        /* and before it */
#define TRIED 512         /* places that are compared */
#define BACK 64           /* launches that a repair looks at again */
#define SIDE (BACK + 192) /* all that it looks at */
#define NEARBY 512        /* launches whose grids tell of other sizes */
#define CONTEXT 16        /* launches on either side that say which it is */
#define INSERTED 8        /* launches that may be one run's */
#define TEMPLATE_MAX (1 << 21) /* launches */
#define BETWEEN UINT32_MAX     /* a name between two parts of the template */

void
seq_put(struct carry_seq *s, const struct carry_launch *x)
{
	size_t cap = s->cap > 0 ? s->cap * 2 : 256;

	if (s->n == s->cap) {
		s->v = spill_realloc(s->v, s->cap, cap, sizeof(*s->v));
		s->cap = cap;
	}
	s->v[s->n++] = *x;
}

void
template_add(struct carry_template *t, const struct carry_launch *v, size_t n)
{
	static const struct carry_launch between = { .name = BETWEEN };
	size_t i;

	if (t->seq.n + n + 2 > TEMPLATE_MAX) {
		t->left_out += n;
		return;
	}
	if (t->seq.n == 0)
		seq_put(&t->seq, &between);
	for (i = 0; i < n; i++)
		seq_put(&t->seq, &v[i]);
	seq_put(&t->seq, &between);
}

/* The key of the names from here on. */
static uint64_t
gram_key(const struct carry_launch *v)
{
	uint64_t key = 0;
	int i;

	for (i = 0; i < GRAM; i++)
		key = hash_mix(key ^ v[i].name);
	return key;
}

/* The key of a launch, its op whatever the sizes, and the launches around it.
 */
static uint64_t
context_key(const struct carry_seq *s, size_t i)
{
	size_t k = i > CONTEXT ? i - CONTEXT : 0, end = i + CONTEXT + 1;
	uint64_t key = s->v[i].plain;

	for (; k < end && k < s->n; k++)
		key = hash_mix(key ^ s->v[k].name) ^ s->v[k].geo;
	return key;
}

void
template_ready(struct carry_template *t)
{
	uint64_t *head, *one;
	size_t i, pass;
	struct map ops = { 0 };
	struct carry_launch *x;
	bool vague, fresh;

	t->next = xcalloc(t->seq.n + 1, sizeof(*t->next));
	for (i = t->seq.n >= GRAM ? t->seq.n - GRAM + 1 : 0; i-- > 0;) {
		head = map_put(&t->head, gram_key(&t->seq.v[i]), NULL);
		t->next[i] = (uint32_t)*head;
		*head = i + 1;
	}
	/* Where the same launches have other sizes in another step, as those of
	 * a cache that grows, the template does not tell the sizes. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < t->seq.n; i++) {
			x = &t->seq.v[i];
			one = map_put(&ops, context_key(&t->seq, i), &fresh);
			vague = !fresh && *one != x->ops;
			*one = vague ? BETWEEN : x->ops;
			x->how = vague ? CARRY_LOOSE : CARRY_EXACT;
		}
	map_free(&ops);
}

void
template_free(struct carry_template *t)
{
	spill_free(t->seq.v, t->seq.cap, sizeof(*t->seq.v));
	map_free(&t->head);
	free(t->next);
	*t = (struct carry_template){ 0 };
}

struct laid { /* two sequences, as far as they are laid out */
	const struct carry_launch *t;
	size_t nt;
	struct carry_launch *v;
	size_t from, to;
	size_t i, c; /* the next launch, and its place if lost is false */
	bool lost;
};

static bool
same_name(const struct laid *l, size_t i, size_t c)
{
	return l->v[i].name == l->t[c].name;
}

static void
pair(struct laid *l, size_t i, size_t c)
{
	l->v[i].mate = (uint32_t)c + 1;
}

/* How much speaks for a place: equal names from it on and before it, then equal
 * grids. *ahead: of the former. */
static uint64_t
place_weight(const struct laid *l, size_t c, size_t *ahead, size_t *around)
{
	size_t k, back, grids = 0;

	for (k = 0; k < AHEAD && l->i + k < l->to && c + k < l->nt &&
		    same_name(l, l->i + k, c + k);
	     k++)
		grids += l->v[l->i + k].geo == l->t[c + k].geo;
	for (back = 0; back < BEHIND && back < l->i && back < c &&
		       same_name(l, l->i - back - 1, c - back - 1);
	     back++)
		;
	*ahead = k;
	*around = k + back;
	return (uint64_t)(k + back) << 16 | grids;
}

/* Looks for the place of l->i in the whole template. */
static bool
find_place(struct laid *l, const struct carry_template *t)
{
	uint64_t best = 0, weight, *head;
	size_t ahead, around, at = 0, tried = 0, c;

	if (l->to - l->i < GRAM)
		return false;
	head = map_get(&t->head, gram_key(&l->v[l->i]));
	for (c = head != NULL ? *head : 0; c > 0 && tried++ < TRIED;
	     c = t->next[c - 1]) {
		weight = place_weight(l, c - 1, &ahead, &around);
		if (weight > best && ahead >= GRAM &&
		    (around >= SURE || l->i + ahead == l->to)) {
			best = weight;
			at = c;
		}
	}
	if (at == 0)
		return false;
	l->c = at - 1;
	l->lost = false;
	for (c = l->i, at = l->c; c > l->from && l->v[c - 1].mate == 0 &&
				  same_name(l, c - 1, at - 1);
	     c--, at--)
		pair(l, c - 1, at - 1);
	return true;
}

/* The scores of laying out the first i of one and the first c of the other. */
struct scores {
	int v[SIDE + 1][SIDE + 1];
};

/* Fills in the scores from (i, c) on, na and nc launches; the best end. */
static void
fill_scores(struct scores *s, const struct laid *l, size_t i, size_t c,
    size_t na, size_t nc, size_t end[2])
{
	int best = 0, x, y;
	size_t a, b;

	end[0] = end[1] = 0;
	for (a = 0; a <= na; a++)
		for (b = 0; b <= nc; b++) {
			x = a == 0 && b == 0 ? 0 : -SIDE * 8;
			if (a > 0 && b > 0)
				x = s->v[a - 1][b - 1] +
				    (!same_name(l, i + a - 1, c + b - 1)
					    ? -SIDE * 8
					: l->v[i + a - 1].geo ==
						l->t[c + b - 1].geo
					    ? 6
					    : 3);
			y = a > 0 ? s->v[a - 1][b] - 1 : x;
			x = y > x ? y : x;
			y = b > 0 ? s->v[a][b - 1] - 1 : x;
			x = y > x ? y : x;
			s->v[a][b] = x;
			if (x > best) {
				best = x;
				end[0] = a;
				end[1] = b;
			}
		}
}

/* Where names differ: launches were inserted or left out, perhaps some launches
 * before, where equal names hid it. Lays them out again from there; false if
 * too little agrees. */
static bool
repair(struct laid *l, struct scores *s)
{
	size_t back, na, nc, end[2], a, b, i, c, anew = 0;

	for (back = 0; back < BACK && l->i - back > l->from &&
		       l->v[l->i - back - 1].mate == l->c - back;
	     back++)
		;
	i = l->i - back;
	c = l->c - back;
	for (na = 0; na < SIDE && i + na < l->to; na++)
		;
	for (nc = 0;
	     nc < SIDE && c + nc < l->nt && l->t[c + nc].name != BETWEEN; nc++)
		;
	fill_scores(s, l, i, c, na, nc, end);
	for (a = end[0], b = end[1]; a > 0 && b > 0;)
		if (s->v[a][b] == s->v[a - 1][b] - 1) {
			a--;
		} else if (s->v[a][b] == s->v[a][b - 1] - 1) {
			b--;
		} else {
			a--;
			b--;
			anew += a >= back;
		}
	if (anew < SURE && (anew == 0 || i + end[0] < l->to))
		return false;
	for (a = 0; a < back; a++)
		l->v[i + a].mate = 0;
	for (a = end[0], b = end[1]; a > 0 && b > 0;)
		if (s->v[a][b] == s->v[a - 1][b] - 1)
			a--;
		else if (s->v[a][b] == s->v[a][b - 1] - 1)
			b--;
		else
			pair(l, i + --a, c + --b);
	l->i = i + end[0];
	l->c = c + end[1];
	return true;
}

/* Forgets the counterparts of launches of this name from i on, in steps of by:
 * which of them has none is not known. */
static void
doubt(struct laid *l, uint32_t name, size_t i, int by)
{
	for (; i >= l->from && i < l->to && l->v[i].name == name &&
	       l->v[i].mate != 0;
	     i += (size_t)by)
		l->v[i].mate = 0;
}

/* The template has launches from lo to hi that the other sequence has not,
 * between the launches i - 1 and i. */
static void
doubt_left_out(struct laid *l, size_t i, size_t lo, size_t hi)
{
	uint32_t before = l->v[i - 1].name, after = l->v[i].name;
	uint32_t ops_before = l->t[lo - 1].ops, ops_after = l->t[hi].ops;
	bool vague = false;
	size_t k;

	if (hi - lo > SIDE)
		return;
	for (k = lo; k < hi; k++)
		if (l->t[k].name == BETWEEN)
			return;
	for (k = hi; k > lo && l->t[k - 1].name == after; k--)
		vague = vague || l->t[k - 1].ops != ops_after;
	if (vague)
		doubt(l, after, i, 1);
	for (vague = false, k = lo; k < hi && l->t[k].name == before; k++)
		vague = vague || l->t[k].ops != ops_before;
	if (vague)
		doubt(l, before, i - 1, -1);
}

/* Among launches that look alike one too many or too few leaves open which is
 * which. */
static void
doubt_alike(struct laid *l)
{
	struct carry_launch *v = l->v;
	size_t i;

	for (i = l->from; i < l->to; i++) {
		if (v[i].mate == 0) {
			doubt(l, v[i].name, i + 1, 1);
			if (i > l->from)
				doubt(l, v[i].name, i - 1, -1);
		} else if (i > l->from && v[i - 1].mate != 0 &&
			   v[i].mate > v[i - 1].mate + 1) {
			doubt_left_out(l, i, v[i - 1].mate, v[i].mate - 1);
		}
	}
}

static void
judge_pairs(struct laid *l)
{
	const struct carry_launch *mate;
	struct carry_launch *x;
	size_t i, k, last = SIZE_MAX;

	for (i = l->from; i < l->to; i++) {
		x = &l->v[i];
		mate = x->mate != 0 ? &l->t[x->mate - 1] : NULL;
		if (mate != NULL && x->how == CARRY_NONE)
			x->how = x->geo == mate->geo ? mate->how : CARRY_LOOSE;
		if (x->how == CARRY_EXACT && last != SIZE_MAX &&
		    i - last <= NEARBY)
			x->how = CARRY_NEAR;
		if (mate == NULL || x->how >= CARRY_NEAR || x->geo == mate->geo)
			continue;
		last = i;
		for (k = i; k > l->from && i - k < NEARBY; k--)
			if (l->v[k - 1].how == CARRY_EXACT)
				l->v[k - 1].how = CARRY_NEAR;
	}
}

void
carry_align(const struct carry_template *t, struct carry_launch *v, size_t from,
    size_t to)
{
	struct laid l = { t->seq.v, t->seq.n, v, from, to, from, 0, true };
	struct scores *s = xmalloc(sizeof(*s));
	size_t i, k, end, lo, hi;
	uint32_t run;

	while (l.i < to) {
		if (!l.lost && same_name(&l, l.i, l.c)) {
			pair(&l, l.i++, l.c++);
			continue;
		}
		if (!l.lost && l.t[l.c].name != BETWEEN && repair(&l, s))
			continue;
		l.lost = true;
		if (!find_place(&l, t))
			l.i++;
	}
	free(s);
	doubt_alike(&l);
	/* Launches without a counterpart that lie inside one run of an op, or
	 * in the place of one (another algorithm), belong to it. */
	for (i = l.from + 1; i < l.to; i = end) {
		for (end = i; end < l.to && l.v[end].mate == 0; end++)
			;
		if (end == i || end == l.to || l.v[i - 1].mate == 0 ||
		    end - i > INSERTED) {
			end++;
			continue;
		}
		lo = l.v[i - 1].mate - 1;
		hi = l.v[end].mate - 1;
		k = lo + 1 < hi ? lo + 1 : lo;
		run = l.t[k].run;
		for (; k < hi && l.t[k].run == run; k++)
			;
		if (lo >= hi || k < hi || run == 0 ||
		    (lo + 1 == hi && l.t[hi].run != run))
			continue;
		k = lo + 1 < hi ? lo + 1 : lo;
		for (; i < end; i++) {
			pair(&l, i, k);
			l.v[i].how = CARRY_LOOSE;
		}
	}
	judge_pairs(&l);
}
