/* PyProf's rules about the ranges around a launch; see pyrule.h. */
#include <stdlib.h>

#include "array.h"
#include "num.h"
#include "pyrule.h"

void
pyrule_begin(struct pyrule_around *k)
{
	k->n = k->seq.n = k->alt.n = 0;
	k->bwd = k->named_bwd = false;
}

void
pyrule_free(struct pyrule_around *k)
{
	free(k->name);
	free(k->seq.v);
	free(k->alt.v);
}

static bool
same_text(struct mview a, struct mview b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

/* Character i of "SEQNAME, seq"; -1 after the last one. */
static int
letter(const struct pyrule_name *x, size_t i)
{
	static const char end[] = ", seq";

	if (i < x->seq.n)
		return (unsigned char)x->seq.s[i];
	i -= x->seq.n;
	if (i < x->name.n)
		return (unsigned char)x->name.s[i];
	i -= x->name.n;
	return i < sizeof(end) - 1 ? (unsigned char)end[i] : -1;
}

/* Sorts by that text, as PyProf does. */
static int
compare(const struct pyrule_name *a, const struct pyrule_name *b)
{
	int x, y;
	size_t i;

	for (i = 0;; i++) {
		x = letter(a, i);
		y = letter(b, i);
		if (x != y || x < 0)
			return x - y;
	}
}

void
pyrule_add(struct pyrule_around *k, struct pyrule_name x)
{
	size_t i = k->n;
	int r = 1;

	while (i > 0 && (r = compare(&k->name[i - 1], &x)) >= 0) {
		if (r == 0 && same_text(k->name[i - 1].seq, x.seq))
			return;
		i--;
	}
	ARRAY_GROW(k->name, k->n, k->cap);
	memmove(k->name + i + 1, k->name + i, (k->n++ - i) * sizeof(x));
	k->name[i] = x;
}

void
pyrule_add_id(struct pyrule_ids *ids, int64_t id)
{
	size_t i = ids->n;

	while (i > 0 && ids->v[i - 1] >= id)
		if (ids->v[--i] == id)
			return;
	ARRAY_GROW(ids->v, ids->n, ids->cap);
	memmove(ids->v + i + 1, ids->v + i, (ids->n++ - i) * sizeof(id));
	ids->v[i] = id;
}

static bool
is_within(struct mview a, struct mview b)
{
	size_t i;

	for (i = 0; i + a.n <= b.n; i++)
		if (a.n == 0 || memcmp(b.s + i, a.s, a.n) == 0)
			return true;
	return false;
}

bool
pyrule_is_bwd(struct mview name)
{
	return mv_ends(name, "Backward") || mv_ends(name, "backward");
}

void
pyrule_judge(struct pyrule_around *k)
{
	struct pyrule_name x, prev = { 0 };
	size_t i, n = 0;
	int64_t id;

	for (i = 0; i < k->n; i++, prev = x) {
		x = k->name[i];
		if (i > 0 && same_text(x.seq, prev.seq) &&
		    (is_within(x.name, prev.name) ||
			is_within(prev.name, x.name)))
			continue;
		k->name[n++] = x;
		if (num_i64(x.seq.s, x.seq.n, &id))
			pyrule_add_id(&k->seq, id);
		k->named_bwd |= pyrule_is_bwd(x.name);
		k->bwd |= k->named_bwd || mv_ends(x.name, "Backward0");
	}
	k->n = n;
}

static void
take_out(struct pyrule_ids *ids, size_t i)
{
	ids->n--;
	memmove(ids->v + i, ids->v + i + 1, (ids->n - i) * sizeof(*ids->v));
}

/* PyProf removes ids from its list while it walks over it: it skips the id
 * after each removed one, which therefore stays. */
int64_t
pyrule_number(
    struct pyrule_walk *w, struct pyrule_around *k, bool same_op, bool cell)
{
	int64_t curr = w->seq;
	size_t i;

	if (k->seq.n > 1 && k->seq.v[0] <= 0)
		for (i = 0; i < k->seq.n; i++)
			if (k->seq.v[i] == 0)
				take_out(&k->seq, i);
	if (k->seq.n == 0)
		return 0;
	for (i = 0; i < k->seq.n; i++)
		if (k->bwd || k->seq.v[i] > w->seq) {
			curr = k->seq.v[i];
			break;
		}
	w->sub = same_op && (curr == w->seq || cell) ? w->sub + 1 : 0;
	w->seq = curr;
	for (i = 0; i < k->seq.n; i++)
		if (k->seq.v[i] != curr) {
			pyrule_add_id(&k->alt, k->seq.v[i]);
			take_out(&k->seq, i);
		}
	return w->sub;
}

bool
pyrule_is_cell(struct mview mod, struct mview op)
{
	return mv_eq(op, "forward") &&
	       (mv_eq(mod, "LSTMCell") || mv_eq(mod, "GRUCell") ||
		   mv_eq(mod, "RNNCell"));
}

void
pyrule_cut(struct buf *b, const char *word)
{
	size_t n = strlen(word), i = 0;

	while (b->len >= n && i <= b->len - n) {
		if (memcmp(b->s + i, word, n) != 0) {
			i++;
			continue;
		}
		memmove(b->s + i, b->s + i + n, b->len - i - n);
		b->len -= n;
	}
}

void
pyrule_bare(struct buf *name)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	const char *p;
	size_t i;

	for (i = 0; i < ARRAY_LEN(drop); i++)
		pyrule_cut(name, drop[i]);
	p = name->len > 0
		? mv_find((struct mview){ name->s, name->len }, "Backward")
		: NULL;
	if (p != NULL)
		name->len = (size_t)(p - name->s);
}

bool
pyrule_is_library(struct mview file)
{
	static const char *const paths[] = { "/torch/nn/modules/",
		"/torch/nn/functional.py", "/torch/tensor.py",
		"/torch/autograd/__init__.py", "/torch/_jit_internal.py",
		"/pyprof/nvtx/nvmarker.py", "/apex/optimizers/",
		"/torch/_utils.py", "/torch/optim/" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(paths); i++)
		if (mv_has(file, paths[i]))
			return true;
	return false;
}
