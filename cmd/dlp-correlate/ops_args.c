/*
 * Ops told by an argument marker. The text of a marker that was seen before,
 * in its place, is not parsed again.
 */
#include "ops_impl.h"

#define RAW_MAX 65536 /* marker texts remembered */

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

/* t->tmp: the stack, t->func: DLProf's name for the op. */
static void
read_trace(struct ops *t, struct mview trace)
{
	struct marker m;

	buf_clear(&t->tmp);
	buf_clear(&t->func);
	if (trace.s == NULL)
		return;
	marker_parse(t->markers, &m, trace.s, trace.n, NULL);
	if (m.kind != MK_TRACE || !marker_trace(&m, &t->tmp, &t->func))
		t->n_damaged++;
}

/* Where the marker has no name for the op, DLProf's reports get one with the
 * module. */
static void
draft_marker_name(
    struct ops *t, struct draft *d, struct text layer, const struct marker *m)
{
	if (t->dl == NULL || m->mod.n == 0) {
		draft_name(d, layer, m->op.s, m->op.n);
		return;
	}
	buf_clear(&t->frames);
	buf_put(&t->frames, m->mod.s, m->mod.n);
	buf_putc(&t->frames, '/');
	buf_put(&t->frames, m->op.s, m->op.n);
	draft_name(d, layer, t->frames.s, t->frames.len);
}

static uint32_t
make_args_op(struct ops *t, struct text layer, struct mview repr,
    struct marker *m, bool bwd)
{
	static const struct marker_args none;
	const struct marker_args *a;
	struct draft d;
	uint32_t id, at;

	a = marker_args(m);
	if (a == NULL) {
		t->n_no_args++;
		a = &none;
	}
	key_begin(&t->key, bwd ? 'B' : 'A', layer.s, layer.n);
	key_put(&t->key, t->func.s, t->func.len);
	key_put(&t->key, m->mod.s, m->mod.n);
	key_put(&t->key, m->op.s, m->op.n);
	key_put(&t->key, a->shapes.s, a->shapes.n);
	key_put(&t->key, a->scalars.s, a->scalars.n);
	key_put(&t->key, t->tmp.s, t->tmp.len);
	if (repr.s != NULL)
		key_put(&t->key, repr.s, repr.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.marker = true;
	d.op.bwd = bwd;
	if (t->func.len > 0)
		draft_text(&d, OF_NAME, t->func.s, t->func.len);
	else
		draft_marker_name(t, &d, layer, m);
	draft_view(&d, OF_MOD, m->mod);
	draft_view(&d, OF_OP, m->op);
	draft_module(&d, layer, t->func.s, t->func.len);
	if (t->func.len > 0) /* which PyProf's markers never have */
		m->by = BY_DLPROF;
	draft_by(&d, m);
	draft_view(&d, OF_DTYPE, a->dtype);
	draft_view(&d, OF_SHAPES, a->shapes);
	draft_view(&d, OF_ARGS, a->json);
	draft_view(&d, OF_REPR, repr);
	if (t->tmp.len > 0) {
		draft_text(&d, OF_STACK, t->tmp.s, t->tmp.len);
		user_frames(&t->frames, t->tmp.s, t->tmp.len);
		if (t->frames.len > 0)
			draft_text(&d, OF_TRACE, t->frames.s, t->frames.len);
	}
	return draft_done(t, &d, at);
}

uint32_t
op_of_args(struct ops *t, struct text layer, struct mview trace,
    struct mview repr, struct marker *m, bool bwd)
{
	uint32_t at, id;

	key_begin(&t->raw_key, bwd ? 'b' : 'a', layer.s, layer.n);
	if (trace.s != NULL)
		key_put(&t->raw_key, trace.s, trace.n);
	key_put(&t->raw_key, m->text.s, m->text.n);
	if (repr.s != NULL)
		key_put(&t->raw_key, repr.s, repr.n);
	at = smap_find(&t->raw, t->raw_key.s, t->raw_key.len);
	if (at != SMAP_NONE)
		return (uint32_t)t->raw.val[at];
	read_trace(t, trace);
	id = make_args_op(t, layer, repr, m, bwd);
	if (t->raw.n >= RAW_MAX)
		smap_clear(&t->raw);
	at = smap_put(&t->raw, t->raw_key.s, t->raw_key.len, NULL);
	t->raw.val[at] = id;
	return id;
}
