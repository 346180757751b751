/* The lists of a kernel, its direction, modules and ops; see pyprof_mark.h. */
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "pylit.h"
#include "pylit_json.h"
#include "pyprof_mark.h"

/* A new text at the end, empty. */
static struct buf *
pylist_add(struct pylist *l)
{
	if (l->n == l->cap) {
		size_t old = l->cap;

		l->cap = old == 0 ? 8 : old * 2;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
		memset(l->v + old, 0, (l->cap - old) * sizeof(*l->v));
	}
	buf_clear(&l->v[l->n]);
	return &l->v[l->n++];
}

static bool
has_word(const struct buf *b, const char *word)
{
	return b->s != NULL &&
	       mv_find((struct mview){ b->s, b->len }, word) != NULL;
}

static void
copy(struct pylist *l, const char *s, size_t n)
{
	buf_put(pylist_add(l), s, n);
}

/* "layer:NAME:..." is NAME. */
static void
add_layer(struct pymark *k, const struct buf *m)
{
	const char *s = memchr(m->s, ':', m->len), *e;

	s++;
	e = memchr(s, ':', (size_t)(m->s + m->len - s));
	copy(&k->layer, s, (size_t)((e != NULL ? e : m->s + m->len) - s));
}

/* Texts newer than PyProf go on behind the sequence id; it could not read
 * those. They are cut to what it knew. */
static void
add_seq(struct pymark *k, const struct buf *m)
{
	static const char lit[] = ", seq = ";
	const char *e = m->s + m->len;
	const char *s = mv_find((struct mview){ m->s, m->len }, lit);

	s += sizeof(lit) - 1;
	s += s < e && *s == '-';
	while (s < e && *s >= '0' && *s <= '9')
		s++;
	copy(&k->seq_marker, m->s, (size_t)(s - m->s));
}

static void
sort_out(struct pymark *k, const struct buf *m, struct buf *last_trace)
{
	if (m->len == 0 || has_word(m, "CheckpointFunctionBackward"))
		return;
	if (has_word(m, "mod") && has_word(m, "op") && has_word(m, "args") &&
	    has_word(m, "type")) {
		copy(&k->marker, m->s, m->len);
	} else if (has_word(m, "layer:")) {
		add_layer(k, m);
	} else if (has_word(m, "traceMarker")) {
		buf_clear(last_trace);
		buf_put(last_trace, m->s, m->len);
	} else if (has_word(m, "strRepr")) {
		copy(&k->repr, m->s, m->len);
	} else if (has_word(m, ", seq = ")) {
		add_seq(k, m);
	} else {
		copy(&k->other, m->s, m->len);
	}
}

static bool
is_library(const struct buf *file)
{
	static const char *const paths[] = { "/torch/nn/modules/",
		"/torch/nn/functional.py", "/torch/tensor.py",
		"/torch/autograd/__init__.py", "/torch/_jit_internal.py",
		"/pyprof/nvtx/nvmarker.py", "/apex/optimizers/",
		"/torch/_utils.py", "/torch/optim/" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (has_word(file, paths[i]))
			return true;
	return false;
}

/* The files and lines of the innermost trace, which has all the others'. */
static void
read_trace(struct pymark *k, const struct buf *m)
{
	struct pylit l;
	struct mview key;
	struct pl_atom a;

	pl_init(&l, m->s, m->len);
	if (m->len == 0 || !pl_enter(&l, '{'))
		return;
	while (pl_key(&l, &key)) {
		if (!mv_eq(key, "traceMarker")) {
			pl_skip(&l);
			continue;
		}
		if (!pl_enter(&l, '\0'))
			return;
		while (pl_item(&l)) {
			struct buf *b = pylist_add(&k->trace);

			if (!pl_atom(&l, &a)) {
				k->trace.n--;
				return;
			}
			pl_text(&a, b);
			k->trace.n -= is_library(b);
		}
	}
}

/* The module and op of an argument marker. */
static void
read_marker(struct pymark *k, const struct buf *m)
{
	size_t nmod = k->mod.n, nop = k->op.n;
	struct pylit l;
	struct mview key;
	struct pl_atom a;

	pl_init(&l, m->s, m->len);
	if (pl_enter(&l, '{'))
		while (pl_key(&l, &key)) {
			bool mod = mv_eq(key, "mod"), op = mv_eq(key, "op");

			if (!mod && !op)
				pl_skip(&l);
			else if (pl_atom(&l, &a))
				pl_text(&a, pylist_add(mod ? &k->mod : &k->op));
		}
	if (!l.bad && k->mod.n == nmod + 1 && k->op.n == nop + 1)
		return;
	k->mod.n = nmod;
	k->op.n = nop;
	k->damaged++;
}

static void
cut_all(struct buf *b, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	while ((p = mv_find((struct mview){ b->s, b->len }, word)) != NULL) {
		size_t at = (size_t)(p - b->s);

		memmove(b->s + at, b->s + at + n, b->len - at - n);
		b->len -= n;
	}
}

/* MmBackward is Mm, embedding_dense_backward is embedding_dense. */
static void
bare_name(struct buf *b)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		cut_all(b, drop[i]);
	p = mv_find((struct mview){ b->s, b->len }, "Backward");
	if (p != NULL)
		b->len = (size_t)(p - b->s);
}

static bool
is_backward(const struct buf *m)
{
	return has_word(m, "backward, seq = ") ||
	       has_word(m, "Backward, seq = ");
}

/* Ops by the names of sequence markers; only those of the backward pass. */
static void
ops_by_name(struct pymark *k, bool backward)
{
	size_t i;

	for (i = 0; i < k->seq_marker.n; i++) {
		const struct buf *m = &k->seq_marker.v[i];
		const char *e = memchr(m->s, ',', m->len);
		struct buf *b;

		if (backward && !is_backward(m))
			continue;
		b = pylist_add(&k->op);
		buf_put(b, m->s, (size_t)(e - m->s));
		if (backward && b->len > 0)
			bare_name(b);
		copy(&k->mod, "na", 2);
	}
}

static void
name_op(struct pymark *k)
{
	size_t i;

	for (i = 0; i < k->marker.n; i++)
		read_marker(k, &k->marker.v[i]);
	if (k->op.n == 0)
		ops_by_name(k, true);
	if (k->op.n == 0)
		ops_by_name(k, false);
	if (k->op.n > 0)
		return;
	if (k->other.n > 0)
		copy(&k->op, k->other.v[0].s, k->other.v[0].len);
	copy(&k->mod, "na", 2);
}

/* Sequence ids, by PyProf's rules. */
enum { SEQ_LEN = sizeof(", seq = ") - 1 };

static size_t
name_len(const struct buf *m)
{
	size_t i = m->len;

	while (i > 0 && m->s[i - 1] != ' ')
		i--;
	return i - SEQ_LEN;
}

/* A letter of "SEQNAME, seq", of the marker "NAME, seq = SEQ"; n is the length
 * of the name; -1 after the last. */
static int
letter(const struct buf *m, size_t n, size_t i)
{
	static const char end[] = ", seq";
	size_t seq = m->len - n - SEQ_LEN;

	if (i < seq)
		return (unsigned char)m->s[n + SEQ_LEN + i];
	i -= seq;
	if (i < n)
		return (unsigned char)m->s[i];
	i -= n;
	return i < sizeof(end) - 1 ? (unsigned char)end[i] : -1;
}

/* As PyProf sorts them: by that text. */
static int
compare(const void *va, const void *vb)
{
	const struct buf *a = va, *b = vb;
	size_t na = name_len(a), nb = name_len(b), i;
	int x, y;

	for (i = 0;; i++) {
		x = letter(a, na, i);
		y = letter(b, nb, i);
		if (x != y || x < 0)
			return x - y;
	}
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
	struct buf prev = { 0 }, tmp;
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
	buf_free(&prev);
}

static void
add_id(struct pyseq *q, int64_t id)
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

static void
sort_seq(struct pymark *k)
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
			add_id(&k->seq, id);
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
static void
number_kernel(struct pymark *k)
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
			add_id(&k->alt, k->seq.v[i]);
			take_out(&k->seq, i);
		}
}

static void
clear(struct pymark *k)
{
	k->layer.n = k->trace.n = k->repr.n = k->marker.n = 0;
	k->seq_marker.n = k->other.n = k->mod.n = k->op.n = 0;
	k->seq.n = k->alt.n = 0;
	k->sub = 0;
	k->bwd = false;
	if (k->begun)
		return;
	k->begun = true;
	k->prev_seq = k->prev_sub = -1;
	copy(&k->prev_op, "", 0);
}

void
pymark_kernel(struct pymark *k, const char *json, size_t n)
{
	struct buf *text = &k->text, *last_trace = &k->last_trace;
	struct pylit l;
	struct pl_atom a;
	size_t i;

	clear(k);
	buf_clear(last_trace);
	pl_init(&l, json, json != NULL ? n : 0);
	if (json != NULL && pl_enter(&l, '['))
		while (pl_item(&l) && pl_atom(&l, &a)) {
			buf_clear(text);
			pl_text(&a, text);
			sort_out(k, text, last_trace);
		}
	read_trace(k, last_trace);
	sort_seq(k);
	for (i = 0; i < k->seq_marker.n; i++)
		k->bwd |= is_backward(&k->seq_marker.v[i]) ||
			  has_word(&k->seq_marker.v[i], "Backward0, seq = ");
	name_op(k);
	number_kernel(k);
}
