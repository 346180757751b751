/* The lists of a kernel, its direction, modules and ops; see pymark.h. */
#include "pymark.h"

#include "pylit.h"
#include "pylit_json.h"

bool
pymark_has(const struct buf *b, const char *word)
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
	if (m->len == 0 || pymark_has(m, "CheckpointFunctionBackward"))
		return;
	if (pymark_has(m, "mod") && pymark_has(m, "op") &&
	    pymark_has(m, "args") && pymark_has(m, "type")) {
		copy(&k->marker, m->s, m->len);
	} else if (pymark_has(m, "layer:")) {
		add_layer(k, m);
	} else if (pymark_has(m, "traceMarker")) {
		buf_clear(last_trace);
		buf_put(last_trace, m->s, m->len);
	} else if (pymark_has(m, "strRepr")) {
		copy(&k->repr, m->s, m->len);
	} else if (pymark_has(m, ", seq = ")) {
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
		if (pymark_has(file, paths[i]))
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
	return pymark_has(m, "backward, seq = ") ||
	       pymark_has(m, "Backward, seq = ");
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
	static struct buf text, last_trace;
	struct pylit l;
	struct pl_atom a;
	size_t i;

	clear(k);
	buf_clear(&last_trace);
	pl_init(&l, json, json != NULL ? n : 0);
	if (json != NULL && pl_enter(&l, '['))
		while (pl_item(&l) && pl_atom(&l, &a)) {
			buf_clear(&text);
			pl_text(&a, &text);
			sort_out(k, &text, &last_trace);
		}
	read_trace(k, &last_trace);
	pymark_sort_seq(k);
	for (i = 0; i < k->seq_marker.n; i++)
		k->bwd |= is_backward(&k->seq_marker.v[i]) ||
			  pymark_has(&k->seq_marker.v[i], "Backward0, seq = ");
	name_op(k);
	pymark_number(k);
}
