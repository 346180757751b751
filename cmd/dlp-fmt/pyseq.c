/* Sequence ids by PyProf's rules; see pymark.h. */
#include <stdlib.h>

#include "err.h"
#include "num.h"
#include "pymark.h"

enum { SEQ_LEN = sizeof(", seq = ") - 1 };

static size_t
name_len(const struct buf *m)
{
	size_t i = m->len;

	while (i > 0 && m->s[i - 1] != ' ')
		i--;
	return i - SEQ_LEN;
}

/* As PyProf sorts them: by the text "SEQNAME, seq". */
static int
compare(const void *va, const void *vb)
{
	static struct buf x, y;
	const struct buf *in[] = { va, vb };
	struct buf *out[] = { &x, &y };
	int i, r;

	for (i = 0; i < 2; i++) {
		size_t n = name_len(in[i]), seq = n + SEQ_LEN;

		buf_clear(out[i]);
		buf_put(out[i], in[i]->s + seq, in[i]->len - seq);
		buf_put(out[i], in[i]->s, n);
		buf_puts(out[i], ", seq");
	}
	r = memcmp(x.s, y.s, x.len < y.len ? x.len : y.len);
	if (r == 0)
		r = x.len < y.len ? -1 : x.len > y.len;
	return r;
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

static bool
within(const struct buf *a, size_t na, const struct buf *b, size_t nb)
{
	size_t i;

	for (i = 0; i + na <= nb; i++)
		if (memcmp(b->s + i, a->s, na) == 0)
			return true;
	return false;
}

/* The same sequence id, and one's name a part of the other's. */
static bool
alike(const struct buf *a, const struct buf *b)
{
	size_t na = name_len(a), nb = name_len(b);

	if (a->len - na != b->len - nb ||
	    memcmp(a->s + na, b->s + nb, a->len - na) != 0)
		return false;
	return within(a, na, b, nb) || within(b, nb, a, na);
}

/* Equal ones first: what is compared is the neighbour that was, whether or
 * not it stays. The buffers are swapped, so that none is lost. */
static void
drop(struct pylist *l, bool (*is)(const struct buf *, const struct buf *))
{
	static struct buf prev;
	struct buf tmp;
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		bool gone = i > 0 && is(&l->v[i], &prev);

		buf_clear(&prev);
		buf_put(&prev, l->v[i].s, l->v[i].len);
		if (gone)
			continue;
		tmp = l->v[n];
		l->v[n++] = l->v[i];
		l->v[i] = tmp;
	}
	l->n = n;
}

static void
add(struct pyseq *q, int64_t id)
{
	size_t i, j;

	for (i = 0; i < q->n && q->v[i] < id; i++)
		;
	if (i < q->n && q->v[i] == id)
		return;
	if (q->n == q->cap) {
		q->cap = q->cap == 0 ? 8 : q->cap * 2;
		q->v = xrealloc(q->v, q->cap, sizeof(*q->v));
	}
	for (j = q->n++; j > i; j--)
		q->v[j] = q->v[j - 1];
	q->v[i] = id;
}

void
pymark_sort_seq(struct pymark *k)
{
	struct pylist *l = &k->seq_marker;
	size_t i;

	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), compare);
	drop(l, same);
	drop(l, alike);
	for (i = 0; i < l->n; i++) {
		size_t at = name_len(&l->v[i]) + SEQ_LEN;
		int64_t id;

		if (num_i64(l->v[i].s + at, l->v[i].len - at, &id))
			add(&k->seq, id);
	}
}

static void
take_out(struct pyseq *q, size_t i)
{
	q->n--;
	memmove(q->v + i, q->v + i + 1, (q->n - i) * sizeof(*q->v));
}

static bool
same_op(const struct pylist *a, const struct pylist *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (!same(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* A cell of an RNN without cuDNN goes on over sequence ids. */
static bool
is_cell(const struct pymark *k)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	struct buf *op = k->op.v, *mod = k->mod.v;
	size_t i;

	if (k->op.n == 0 || k->mod.n == 0 || op->len != 7 ||
	    memcmp(op->s, "forward", 7) != 0)
		return false;
	for (i = 0; i < 3; i++)
		if (mod->len == strlen(cells[i]) &&
		    memcmp(mod->s, cells[i], mod->len) == 0)
			return true;
	return false;
}

static int64_t
current(const struct pymark *k)
{
	size_t i;

	if (k->bwd)
		return k->seq.v[0];
	for (i = 0; i < k->seq.n; i++)
		if (k->seq.v[i] > k->prev_seq)
			return k->seq.v[i];
	return k->prev_seq;
}

static void
remember(struct pymark *k, int64_t seq)
{
	size_t i;

	k->prev_seq = seq;
	k->prev_sub = k->sub;
	k->prev_op.n = 0;
	for (i = 0; i < k->op.n; i++)
		buf_put(pylist_add(&k->prev_op), k->op.v[i].s, k->op.v[i].len);
}

/* PyProf takes ids out of its list while it walks over it: the one behind
 * each that is taken out is passed over, and stays. */
void
pymark_number(struct pymark *k)
{
	int64_t curr;
	size_t i;
	bool again;

	if (k->seq.n > 1 && k->seq.v[0] <= 0)
		for (i = 0; i < k->seq.n; i++)
			if (k->seq.v[i] == 0)
				take_out(&k->seq, i);
	if (k->seq.n == 0)
		return;
	curr = current(k);
	again = same_op(&k->op, &k->prev_op);
	if (again && (curr == k->prev_seq || is_cell(k)))
		k->sub = k->prev_sub + 1;
	remember(k, curr);
	for (i = 0; i < k->seq.n; i++)
		if (k->seq.v[i] != curr) {
			add(&k->alt, k->seq.v[i]);
			take_out(&k->seq, i);
		}
}
