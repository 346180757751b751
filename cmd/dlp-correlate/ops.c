/*
 * Ops by what told them: a framework's range, a backward node with its
 * forward, or the name of work that no op launched. Two runs are of the same
 * op if layer path, name, direction, input shapes, scalar arguments and call
 * trace agree.
 */
#include "dl_tf.h"
#include "ops_impl.h"

/* What DLProf's reports say of TensorFlow's inputs. */
static void
draft_tf(struct draft *d, const struct marker *m)
{
	static struct buf in;
	const struct marker_args *a = marker_args(m);

	buf_clear(&in);
	dl_tf_shapes(m->text, &in);
	if (in.len > 0)
		draft_text(d, OF_DL_IN, in.s, in.len);
	if (a != NULL)
		draft_view(d, OF_DTYPE, a->dtype);
}

uint32_t
op_of_range(struct ops *t, struct text layer, const struct marker *m)
{
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
	if (t->dl != NULL && m->by == BY_TENSORFLOW)
		draft_tf(&d, m);
	return draft_done(t, &d, at);
}

static void
draft_as_forward(struct draft *d, const struct op *fwd)
{
	static const enum op_field same[] = { OF_NAME, OF_MOD, OF_OP, OF_LAYER,
		OF_DTYPE, OF_SHAPES, OF_ARGS, OF_STACK, OF_TRACE, OF_REPR };
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		draft_raw(d, same[i], fwd->f[same[i]].s, fwd->f[same[i]].n);
	d->op.fwd_no = fwd->no;
	d->op.marker = fwd->marker;
}

/* A backward whose forward is not known is named after its node. */
static void
draft_alone(struct draft *d, struct text layer, const struct marker *m)
{
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
    struct ops *t, struct text layer, const struct marker *m, uint32_t fwd)
{
	struct mview sizes;
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'W', layer.s, fwd != OP_NONE ? 0 : layer.n);
	key_put(&t->key, (const char *)&fwd, sizeof(fwd));
	key_put(&t->key, m->name.s, m->name.n);
	key_put(&t->key, m->sizes.s, m->sizes.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.bwd = true;
	if (fwd != OP_NONE)
		draft_as_forward(&d, op_get(t, fwd));
	else
		draft_alone(&d, layer, m);
	draft_by(&d, m);
	draft_view(&d, OF_TEXT, m->name);
	if (marker_sizes(m, &sizes))
		draft_view(&d, OF_BWD_SHAPES, sizes);
	return draft_done(t, &d, at);
}

static void
draft_none(
    struct draft *d, struct text layer, struct text prefix, struct text what)
{
	draft_begin(d);
	d->op.none = true;
	draft_name_raw(d, prefix, "unassociated_", what);
	draft_raw(d, OF_OP, what.s, what.n);
	draft_layer(d, layer);
	draft_raw(d, OF_BY, "api", 3);
}

uint32_t
op_of_all_backward(struct ops *t)
{
	static const char name[] = "backward";
	size_t n = sizeof(name) - 1;
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'K', "", 0);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(&d);
	d.op.bwd = true;
	draft_raw(&d, OF_NAME, name, n);
	draft_raw(&d, OF_OP, name, n);
	draft_raw(&d, OF_BY, "api", 3);
	return draft_done(t, &d, at);
}

/* DLProf's name has no layer. */
uint32_t
op_of_call(struct ops *t, struct text layer, struct text what)
{
	static const struct text none;
	struct draft d;

	draft_none(&d, layer, none, what);
	return draft_once(t, &d);
}

/* what: short kernel name or API name, escaped, as layer is. */
uint32_t
op_unassociated(struct ops *t, struct text layer, struct text what)
{
	static const struct text none;
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'U', layer.s, layer.n);
	key_put(&t->key, what.s, what.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_none(&d, layer, t->dl != NULL ? none : layer, what);
	return draft_done(t, &d, at);
}
