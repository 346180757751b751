/*
 * Products inside ops. An op is the function that the program called. Below it
 * the framework calls products that have sizes of their own: aten::mm in an
 * LSTM cell, in einsum, in a compiled graph, in the backward of a linear. Those
 * sizes are the best evidence for the arithmetic that was done.
 *
 * A range PythonSubclass hands an op of a subclass of tensors over to plain
 * ones: DTensor, whose op has the sizes of all ranks, calls the same op for the
 * part of this rank. What it calls has the sizes of the work, also where it is
 * no product.
 *
 * emit_nvtx records neither stride nor padding of a convolution, so the size of
 * its result is unknown while it runs. The size comes with the range that reads
 * the result (input_op_ids name the range that made it) or with the gradient,
 * whichever is first. Ranges of torch.profiler have it in their text.
 */
#include "corr.h"

#include <string.h>

#include "array.h"
#include "mk.h"

void
prims_init(struct prims *t)
{
	static const char *const prim[] = { "prim_id", "op", "shapes",
		"causal" };
	static const char *const result[] = { "prim_run", "shape" };

	t->prim = out_type("prim", prim, ARRAY_LEN(prim));
	t->result = out_type("result", result, ARRAY_LEN(result));
}

static uint32_t
prim_of(struct prims *prims, const struct marker *marker, struct mview sizes)
{
	bool is_new;
	uint32_t i;

	buf_clear(&prims->key);
	buf_put(&prims->key, marker->op.s, marker->op.n);
	buf_putc(&prims->key, '\x1f');
	buf_put(&prims->key, sizes.s, sizes.n);
	if (marker->causal.s != NULL)
		buf_putc(&prims->key, 'm');
	i = smap_put(&prims->ident, prims->key.s, prims->key.len, &is_new);
	if (is_new) {
		out_rec(prims->prim);
		out_i64((int64_t)i + 1);
		out_text(marker->op.s, marker->op.n);
		out_raw(sizes.s, sizes.n);
		out_opt(marker->causal.s != NULL, 1);
		out_end();
	}
	return i + 1;
}

static void
await(struct prims *t, const struct corr_proc *p, int64_t op_id, uint64_t run)
{
	struct prim_wait *w = &t->wait[t->next];

	t->next = (t->next + 1) % PRIM_WAIT;
	t->n_wait += w->op_id == 0;
	w->p = p;
	w->op_id = op_id;
	w->run = run;
}

static void
put_result(struct prims *t, uint64_t run, struct mview shape)
{
	out_rec(t->result);
	out_i64((int64_t)run);
	out_raw(shape.s, shape.n);
	out_end();
}

void
prim_begin(struct prims *prims, struct corr_thread *th, struct corr_open *open,
    const struct corr_open *up, const struct marker *m)
{
	struct mview sizes;
	bool aten, is;
	size_t i;

	if (m->op_id > 0 && m->mod.n == 4 && mv_find(m->op, "conv") != NULL)
		open->conv_id = m->op_id;
	if (up->prim_run != 0 && open->own == NULL && !up->subclass)
		return; /* part of another product */
	aten = mv_eq(m->mod, "aten");
	if (m->by != BY_PYTORCH || m->op.s == NULL)
		is = false;
	else if (m->mod.s == NULL) /* a range of the compiler: these are the
				    * kernel's arguments */
		is = mv_starts(m->op, "triton_");
	else
		is = (aten || mv_eq(m->mod, "flash_attn")) &&
		     mk_is(WORD_PRODUCT, m->op);
	if (!is && !(up->subclass && aten))
		return;
	if (!marker_sizes(m, &sizes))
		return;
	open->own_prim = prim_of(prims, m, sizes);
	open->own_prim_run = ++prims->n_run;
	if (marker_result(m, &sizes)) {
		put_result(prims, open->own_prim_run, sizes);
		return;
	}
	if (mv_find(m->op, "conv") == NULL ||
	    mv_find(m->op, "_backward") != NULL)
		return;
	/* the result is also that of those ranges around it that do nothing
	 * else: aten::convolution, aten::conv2d */
	await(prims, th->p, m->op_id > 0 ? m->op_id : -1, open->own_prim_run);
	for (i = th->open.n - 1; i > 0 && thread_at(th, i - 1)->conv_id > 0;
	     i--)
		await(prims, th->p, thread_at(th, i - 1)->conv_id,
		    open->own_prim_run);
}

/* List number i of the sizes; false if it is missing or empty. */
static bool
nth_size(struct mview sizes, size_t i, struct mview *v)
{
	const char *p = sizes.s + 1, *e = sizes.s + sizes.n, *q;

	for (; p < e && *p == '['; p = q + 2, i--) {
		q = memchr(p, ']', (size_t)(e - p));
		if (q == NULL)
			return false;
		if (i == 0) {
			*v = mv(p, q + 1);
			return v->n > 2;
		}
		if (q + 1 == e || q[1] != ',')
			return false;
	}
	return false;
}

/* The result is list number i of the range's sizes. */
static void
write_result(struct prims *t, uint64_t run, const struct marker *m, size_t i)
{
	struct mview sizes, one;
	size_t k;

	if (!marker_sizes(m, &sizes) || !nth_size(sizes, i, &one))
		return;
	put_result(t, run, one);
	for (k = 0; k < PRIM_WAIT; k++)
		if (t->wait[k].op_id != 0 && t->wait[k].run == run) {
			t->wait[k].op_id = 0;
			t->n_wait--;
		}
}

void
prim_inputs(struct prims *t, const struct corr_proc *p, const struct marker *m)
{
	const struct prim_wait *w, *end = t->wait + PRIM_WAIT;
	int64_t id, out;
	size_t at = 0, i;

	if (t->n_wait == 0 || m->sizes.s == NULL)
		return;
	for (i = 0; marker_input(m, &at, &id, &out); i++) {
		if (id <= 0 || out != 0)
			continue;
		for (w = t->wait; w < end && (w->op_id != id || w->p != p);)
			w++;
		if (w < end)
			write_result(t, w->run, m, i);
	}
}

void
prim_backward(struct prims *t, uint64_t run, const struct marker *m)
{
	size_t i;

	for (i = 0; t->n_wait > 0 && i < PRIM_WAIT; i++)
		if (t->wait[i].op_id != 0 && t->wait[i].run == run) {
			write_result(t, run, m, 0);
			return;
		}
}

void
prims_end(struct prims *t)
{
	smap_free(&t->ident);
	buf_free(&t->key);
	memset(t->wait, 0, sizeof(t->wait));
	t->n_run = t->n_wait = t->next = 0;
}
