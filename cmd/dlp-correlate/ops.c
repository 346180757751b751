/*
 * The table of ops. Two runs are of the same op if layer path, name,
 * direction, input shapes, scalar arguments and call trace agree; the text
 * of an argument marker that was seen before is not parsed again.
 */
#include <stdlib.h>

#include "corr.h"
#include "err.h"
#include "esc.h"

#define RAW_MAX 65536 /* marker texts remembered */
#define SEP '\x1f'

/* An op in the making: texts lie one behind the other in a buffer. */
struct draft {
	struct op op;
	size_t at[OF_N];
};

static struct buf mem; /* of the draft; one is made at a time */

static void
draft_raw(struct draft *d, enum op_field f, const char *s, size_t n)
{
	d->at[f] = mem.len;
	d->op.f[f].s = s; /* set: placed by draft_done */
	d->op.f[f].n = n;
	if (s != NULL)
		buf_put(&mem, s, n);
}

static void
draft_text(struct draft *d, enum op_field f, const char *s, size_t n)
{
	size_t from = mem.len;

	d->at[f] = from;
	d->op.f[f].s = s;
	if (s == NULL)
		return;
	esc_put(&mem, s, n);
	d->op.f[f].n = mem.len - from;
}

static void
draft_view(struct draft *d, enum op_field f, struct mview v)
{
	draft_text(d, f, v.s, v.n);
}

/* NAME: the layer path and the type. */
static void
draft_name(struct draft *d, struct text layer, const char *s, size_t n)
{
	size_t from = mem.len;

	d->at[OF_NAME] = from;
	d->op.f[OF_NAME].s = "";
	if (layer.n > 0) {
		buf_put(&mem, layer.s, layer.n);
		buf_putc(&mem, '/');
	}
	esc_put(&mem, s, n);
	d->op.f[OF_NAME].n = mem.len - from;
}

static uint32_t
draft_done(struct corr *c, struct draft *d, uint32_t ident)
{
	struct ops *t = &c->ops;
	struct op *op = xmalloc(sizeof(*op) + mem.len);
	char *m = (char *)(op + 1);
	int f;

	if (t->n == t->cap) {
		t->cap = t->cap > 0 ? t->cap * 2 : 256;
		t->v = xrealloc(t->v, t->cap, sizeof(struct op *));
	}
	*op = d->op;
	if (mem.len > 0)
		memcpy(m, mem.s, mem.len);
	for (f = 0; f < OF_N; f++)
		if (op->f[f].s != NULL)
			op->f[f].s = m + d->at[f];
	t->v[t->n++] = op;
	op->id = (uint32_t)t->n;
	t->ident.val[ident] = op->id;
	write_op(op);
	return op->id;
}

static void
draft_begin(struct draft *d)
{
	memset(d, 0, sizeof(*d));
	buf_clear(&mem);
}

const struct op *
op_get(const struct corr *c, uint32_t id)
{
	return c->ops.v[id - 1];
}

static void
key_put(struct buf *k, const char *s, size_t n)
{
	buf_put(k, s, n);
	buf_putc(k, SEP);
}

static void
key_begin(struct buf *k, char what, const char *layer, size_t n)
{
	buf_clear(k);
	buf_putc(k, what);
	key_put(k, layer, n);
}

/* The op with the identity in t->key; 0 if it is new, with its place. */
static uint32_t
ident_find(struct ops *t, uint32_t *at)
{
	*at = smap_put(&t->ident, t->key.s, t->key.len, NULL);
	return (uint32_t)t->ident.val[*at];
}

static struct text
layer_of(const struct thread *th)
{
	return (struct text){ th->layer.s, th->layer.len };
}

static void
draft_layer(struct draft *d, struct text layer)
{
	if (layer.n > 0)
		draft_raw(d, OF_LAYER, layer.s, layer.n);
}

static void
draft_by(struct draft *d, const struct marker *m)
{
	const char *w = marker_by_word(m->by);

	draft_raw(d, OF_BY, w, strlen(w));
}

uint32_t
op_of_range(struct corr *c, struct thread *th, const struct marker *m)
{
	struct ops *t = &c->ops;
	struct text layer = layer_of(th);
	struct mview sizes;
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'R', layer.s, layer.n);
	key_put(&t->key, m->path.s, m->path.n);
	key_put(&t->key, m->name.s, m->name.n);
	key_put(&t->key, m->sizes.s, m->sizes.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	if (m->path.s != NULL)
		draft_view(&d, OF_NAME, m->path);
	else
		draft_name(&d, layer, m->op.s, m->op.n);
	draft_view(&d, OF_MOD, m->mod);
	draft_view(&d, OF_OP, m->op);
	draft_layer(&d, layer);
	draft_by(&d, m);
	draft_view(&d, OF_TEXT, m->name);
	if (marker_sizes(m, &sizes))
		draft_view(&d, OF_SHAPES, sizes);
	return draft_done(c, &d, at);
}

/* The frames of PyTorch and PyProf themselves, which PyProf leaves out. */
static const char *const own_frames[] = {
	"/torch/nn/modules/",
	"/torch/nn/functional.py",
	"/torch/tensor.py",
	"/torch/autograd/__init__.py",
	"/torch/_jit_internal.py",
	"/pyprof/nvtx/nvmarker.py",
	"/apex/optimizers/",
	"/torch/_utils.py",
	"/torch/optim/",
};

static bool
contains(const char *s, size_t n, const char *what)
{
	size_t k = strlen(what);

	for (; n >= k; s++, n--)
		if (*s == *what && memcmp(s, what, k) == 0)
			return true;
	return false;
}

static bool
own_frame(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(own_frames) / sizeof(own_frames[0]); i++)
		if (contains(s, n, own_frames[i]))
			return true;
	return false;
}

/* b: the frames of the comma separated stack that are the program's. */
static void
user_frames(struct buf *b, const char *s, size_t n)
{
	const char *end = s + n, *comma;

	buf_clear(b);
	while (s < end) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (comma == NULL)
			comma = end;
		if (!own_frame(s, (size_t)(comma - s))) {
			if (b->len > 0)
				buf_putc(b, ',');
			buf_put(b, s, (size_t)(comma - s));
		}
		s = comma + 1;
	}
}

/* The innermost call trace marker open on the thread. */
static const struct open *
trace_of(const struct thread *th)
{
	size_t i;

	for (i = th->n; i > 0; i--)
		if (th->v[i - 1].kind == MK_TRACE && !th->v[i - 1].dead)
			return &th->v[i - 1];
	return NULL;
}

/* t->tmp: the stack, t->func: DLProf's name for the op. */
static void
read_trace(struct corr *c, const struct open *trace)
{
	struct ops *t = &c->ops;
	struct marker m;

	buf_clear(&t->tmp);
	buf_clear(&t->func);
	if (trace == NULL)
		return;
	marker_parse(&m, trace->text.s, trace->text.len, NULL);
	if (m.kind != MK_TRACE || !marker_trace(&m, &t->tmp, &t->func))
		c->n_damaged++;
}

static uint32_t
make_args_op(
    struct corr *c, const struct thread *th, struct marker *m, bool bwd)
{
	static const struct marker_args none;
	struct ops *t = &c->ops;
	struct text layer = layer_of(th);
	const struct marker_args *a;
	struct draft d;
	uint32_t id, at;

	a = marker_args(m);
	if (a == NULL) {
		c->n_no_args++;
		a = &none;
	}
	key_begin(&t->key, bwd ? 'B' : 'A', layer.s, layer.n);
	key_put(&t->key, t->func.s, t->func.len);
	key_put(&t->key, m->mod.s, m->mod.n);
	key_put(&t->key, m->op.s, m->op.n);
	key_put(&t->key, a->shapes.s, a->shapes.n);
	key_put(&t->key, a->scalars.s, a->scalars.n);
	key_put(&t->key, t->tmp.s, t->tmp.len);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.marker = true;
	d.op.bwd = bwd;
	if (t->func.len > 0)
		draft_text(&d, OF_NAME, t->func.s, t->func.len);
	else
		draft_name(&d, layer, m->op.s, m->op.n);
	draft_view(&d, OF_MOD, m->mod);
	draft_view(&d, OF_OP, m->op);
	draft_layer(&d, layer);
	if (t->func.len > 0) /* which PyProf's markers never have */
		m->by = BY_DLPROF;
	draft_by(&d, m);
	draft_view(&d, OF_DTYPE, a->dtype);
	draft_view(&d, OF_SHAPES, a->shapes);
	draft_view(&d, OF_ARGS, a->json);
	if (t->tmp.len > 0) {
		draft_text(&d, OF_STACK, t->tmp.s, t->tmp.len);
		user_frames(&c->tmp2, t->tmp.s, t->tmp.len);
		if (c->tmp2.len > 0)
			draft_text(&d, OF_TRACE, c->tmp2.s, c->tmp2.len);
	}
	return draft_done(c, &d, at);
}

uint32_t
op_of_args(struct corr *c, struct thread *th, struct marker *m, bool bwd)
{
	struct ops *t = &c->ops;
	const struct open *trace = trace_of(th);
	uint32_t at, id;

	key_begin(&t->raw_key, bwd ? 'b' : 'a', th->layer.s, th->layer.len);
	if (trace != NULL)
		key_put(&t->raw_key, trace->text.s, trace->text.len);
	key_put(&t->raw_key, m->text.s, m->text.n);
	at = smap_find(&t->raw, t->raw_key.s, t->raw_key.len);
	if (at != SMAP_NONE)
		return (uint32_t)t->raw.val[at];
	read_trace(c, trace);
	id = make_args_op(c, th, m, bwd);
	if (t->raw.n >= RAW_MAX)
		smap_clear(&t->raw);
	at = smap_put(&t->raw, t->raw_key.s, t->raw_key.len, NULL);
	t->raw.val[at] = id;
	return id;
}

static void
draft_as_forward(struct draft *d, const struct op *fwd)
{
	static const enum op_field same[] = { OF_NAME, OF_MOD, OF_OP, OF_LAYER,
		OF_DTYPE, OF_SHAPES, OF_ARGS, OF_STACK, OF_TRACE };
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		draft_raw(d, same[i], fwd->f[same[i]].s, fwd->f[same[i]].n);
	d->op.fwd = fwd->id;
	d->op.marker = fwd->marker;
}

/* A backward whose forward is not known is named after its node. */
static void
draft_alone(struct draft *d, const struct thread *th, const struct marker *m)
{
	struct text layer = layer_of(th);
	struct mview op;

	if (!marker_forward_of(m->name.s, m->name.n, &op))
		op = m->op;
	draft_name(d, layer, op.s, op.n);
	draft_view(d, OF_OP, op);
	draft_layer(d, layer);
}

/* fwd may be OP_NONE. */
uint32_t
op_of_backward(
    struct corr *c, struct thread *th, const struct marker *m, uint32_t fwd)
{
	struct ops *t = &c->ops;
	struct text layer = layer_of(th);
	struct mview sizes;
	struct draft d;
	uint32_t id, at;

	if (fwd != OP_NONE)
		layer.n = 0;
	key_begin(&t->key, 'W', layer.s, layer.n);
	key_put(&t->key, (const char *)&fwd, sizeof(fwd));
	key_put(&t->key, m->name.s, m->name.n);
	key_put(&t->key, m->sizes.s, m->sizes.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.bwd = true;
	if (fwd != OP_NONE)
		draft_as_forward(&d, op_get(c, fwd));
	else
		draft_alone(&d, th, m);
	draft_by(&d, m);
	draft_view(&d, OF_TEXT, m->name);
	if (marker_sizes(m, &sizes))
		draft_view(&d, OF_BWD_SHAPES, sizes);
	return draft_done(c, &d, at);
}

/* what: short kernel name or API name, escaped, as layer is. */
uint32_t
op_unassociated(struct corr *c, struct text layer, struct text what)
{
	struct ops *t = &c->ops;
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'U', layer.s, layer.n);
	key_put(&t->key, what.s, what.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.none = true;
	d.at[OF_NAME] = mem.len;
	d.op.f[OF_NAME].s = "";
	if (layer.n > 0) {
		buf_put(&mem, layer.s, layer.n);
		buf_putc(&mem, '/');
	} else {
		buf_puts(&mem, "unassociated_");
	}
	buf_put(&mem, what.s, what.n);
	d.op.f[OF_NAME].n = mem.len;
	draft_raw(&d, OF_OP, what.s, what.n);
	draft_layer(&d, layer);
	draft_raw(&d, OF_BY, "api", 3);
	return draft_done(c, &d, at);
}

void
ops_free(struct corr *c)
{
	struct ops *t = &c->ops;
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i]);
	t->n = 0;
	smap_clear(&t->ident);
	smap_clear(&t->raw);
}
