/*
 * The table of ops; see corr.h. An op comes from a range of a framework, an
 * argument marker (PyProf, DLProf), a backward node with its forward op, or the
 * name of work that no op launched.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "json_tok.h"
#include "corr.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "spill.h"

/*
 * Runs of ops. A run is made when its range opens, sums up the GPU work and API
 * calls launched inside, and is written when time has passed the range's end.
 */

void
closing_add(struct closing *q, int kind, int64_t end, uint64_t order, void *p)
{
	struct timed x = {
		.at = end, .then = -(int64_t)order, .kind = kind, .p = p
	};

	timeheap_push(&q->heap, x);
}

struct corr_inst *
inst_new(struct insts *insts)
{
	struct corr_inst *in = insts->free;
	struct ivl_by gpu = { 0 };

	if (in != NULL) {
		insts->free = in->next_free;
		gpu = in->gpu;
	} else {
		in = xmalloc(sizeof(*in));
	}
	memset(in, 0, sizeof(*in));
	in->gpu = gpu;
	ivl_by_clear(&in->gpu);
	in->seq = -1;
	in->gpu_lo = INT64_MAX;
	in->gpu_hi = in->api_end = INT64_MIN;
	in->order = ++insts->closing->order;
	return in;
}

void
inst_schedule(struct insts *s, struct corr_inst *in)
{
	in->pending = false;
	in->id = ++s->n;
	closing_add(s->closing, CLOSE_INST, in->end, in->order, in);
}

void
inst_drop(struct insts *s, struct corr_inst *in)
{
	in->next_free = s->free;
	s->free = in;
}

/* Calls come in the order of their starts, so their union needs only the end of
 * the part covered so far. */
static void
add_api(struct corr_inst *in, int64_t lo, int64_t hi)
{
	in->n_call++;
	if (lo < in->api_end)
		lo = in->api_end;
	if (hi <= lo)
		return;
	in->api_ns = num_add(in->api_ns, num_sub(hi, lo));
	in->api_end = hi;
}

void
inst_add_call(struct corr_inst *in, const struct corr_work *work)
{
	if (work->own_call && !in->replay)
		add_api(in, work->api_start, work->api_end);
}

void
inst_add(struct corr_inst *in, const struct corr_work *work)
{
	inst_add_call(in, work);
	if (work->type == W_SYNC || work->type == W_CALL)
		return;
	in->n_gpu++;
	in->n_kern += work->type == W_KERN;
	if (!work->has_gpu)
		return;
	if (work->start < in->gpu_lo)
		in->gpu_lo = work->start;
	if (work->end > in->gpu_hi)
		in->gpu_hi = work->end;
	ivl_by_add(&in->gpu, work->dev, work->start, work->end);
}

void
insts_free(struct insts *s)
{
	struct corr_inst *in;

	while ((in = s->free) != NULL) {
		s->free = in->next_free;
		ivl_by_free(&in->gpu);
		free(in);
	}
}

#define KEY_SEP '\x1f'
/* The most marker texts that are remembered: the keys of ids, which nobody
 * keeps, so the map may be emptied at any time. */
#define RAW_MAX 65536

void
draft_raw(struct draft *d, enum op_field f, const char *s, size_t n)
{
	d->at[f] = d->mem->len;
	d->op.f[f].s = s; /* if set, draft_done() places it */
	d->op.f[f].n = n;
	if (s != NULL)
		buf_put(d->mem, s, n);
}

static void
draft_text(struct draft *d, enum op_field f, const char *s, size_t n)
{
	size_t from = d->mem->len;

	d->at[f] = from;
	d->op.f[f].s = s;
	if (s == NULL)
		return;
	esc_put(d->mem, s, n);
	d->op.f[f].n = d->mem->len - from;
}

void
draft_view(struct draft *d, enum op_field f, struct mview v)
{
	draft_text(d, f, v.s, v.n);
}

static void
name_begin(struct draft *d, struct escaped layer)
{
	d->at[OF_NAME] = d->mem->len;
	d->op.f[OF_NAME].s = "";
	if (layer.n > 0) {
		buf_put(d->mem, layer.s, layer.n);
		buf_putc(d->mem, '/');
	}
}

static void
draft_name(struct draft *d, struct escaped layer, const char *s, size_t n)
{
	name_begin(d, layer);
	esc_put(d->mem, s, n);
	d->op.f[OF_NAME].n = d->mem->len - d->at[OF_NAME];
}

/* prefix is used if there is no layer. */
static void
draft_name_raw(struct draft *d, struct escaped layer, const char *prefix,
    struct escaped what)
{
	name_begin(d, layer);
	if (layer.n == 0)
		buf_puts(d->mem, prefix);
	buf_put(d->mem, what.s, what.n);
	d->op.f[OF_NAME].n = d->mem->len - d->at[OF_NAME];
}

/* Makes an op of the draft, with its texts at m. */
static void
place_texts(struct corr_op *op, const struct draft *d, const char *m)
{
	int f;

	*op = d->op;
	for (f = 0; f < OF_N; f++)
		if (op->f[f].s != NULL)
			op->f[f].s = m + d->at[f];
}

static void
key_put(struct buf *k, const char *s, size_t n)
{
	buf_put(k, s, n);
	buf_putc(k, KEY_SEP);
}

void
key_begin(struct buf *k, char what, const char *layer, size_t n)
{
	buf_clear(k);
	buf_putc(k, what);
	key_put(k, layer, n);
}

uint32_t
ident_find(struct corr_ops *t, uint32_t *at)
{
	*at = smap_put(&t->ident, t->key.s, t->key.len, NULL);
	return (uint32_t)t->ident.val[*at];
}

static void
draft_layer(struct draft *d, struct escaped layer)
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

static const char *const op_names[] = { "op_id", "key", "name", "mod", "op",
	"dir", "layer", "by", "text", "dtype", "shapes", "args", "bwd_shapes",
	"fwd_op_id", "stack", "trace", "repr", "for_op_id" };
static const char *const group_names[OF_GROUPS] = { "group", "group_desc",
	"group_size", "group_ranks", "in_split", "out_split" };

const char *
op_dir(const struct corr_op *op)
{
	if (op->comm)
		return "comm";
	return op->no_dir ? NULL : op->bwd ? "bprop" : "fprop";
}

static void
put_field(struct escaped t)
{
	out_raw(t.s, t.n);
}

/* NAME|DIR|SHAPES, which is the same in all profiles of a program. */
static void
put_op_key(const struct corr_op *op)
{
	struct escaped shapes = op->f[OF_SHAPES], name = op->f[OF_NAME];

	if (!out_next())
		return;
	buf_putc(&out_buf, '\t');
	buf_put(&out_buf, name.s != NULL ? name.s : "-",
	    name.s != NULL ? name.n : 1);
	buf_putc(&out_buf, '|');
	if (op_dir(op) != NULL)
		buf_puts(&out_buf, op_dir(op));
	buf_putc(&out_buf, '|');
	if (shapes.s != NULL)
		buf_put(&out_buf, shapes.s, shapes.n);
}

/* Only a trace with process groups has their columns. */
static struct out_type *
op_type(const struct corr_ops *t)
{
	enum { N_NAMES = ARRAY_LEN(op_names) };
	const char *names[N_NAMES + 16 + OF_GROUPS];
	int i, n = N_NAMES;

	memcpy(names, op_names, sizeof(op_names));
	for (i = 0; i < t->hooks.n_cols; i++)
		names[n++] = t->hooks.cols[i];
	for (i = 0; i < OF_GROUPS && t->groups; i++)
		names[n++] = group_names[i];
	return out_type("op", names, n);
}

static void
op_write(struct corr_ops *ops, const struct corr_op *op)
{
	const char *dir = op_dir(op);
	struct out_type **type = &ops->type[ops->groups];
	int f;

	if (*type == NULL)
		*type = op_type(ops);
	out_rec(*type);
	out_i64(op->no);
	put_op_key(op);
	put_field(op->f[OF_NAME]);
	put_field(op->f[OF_MOD]);
	put_field(op->f[OF_OP]);
	out_raw(dir, dir != NULL ? strlen(dir) : 0);
	for (f = OF_LAYER; f <= OF_BWD_SHAPES; f++)
		put_field(op->f[f]);
	out_opt(op->fwd_no != OP_NONE, op->fwd_no);
	put_field(op->f[OF_STACK]);
	put_field(op->f[OF_TRACE]);
	put_field(op->f[OF_REPR]);
	out_opt(op->for_no != OP_NONE, op->for_no);
	if (ops->hooks.write != NULL)
		ops->hooks.write(ops->hooks.ctx, op);
	for (f = OF_GROUP; f < OF_N && ops->groups; f++)
		put_field(op->f[f]);
	out_end();
}

/* OF_LAYER: the layer path, followed by the modules in the call stack, which is
 * DLProf's name for the op (func, not escaped). */
static void
draft_module(struct corr_ops *ops, struct draft *draft, struct escaped layer,
    const struct buf *func)
{
	buf_clear(&ops->tmp);
	marker_modules(&ops->tmp, func->s, func->len);
	if (ops->tmp.len == 0) {
		draft_layer(draft, layer);
		return;
	}
	draft->at[OF_LAYER] = draft->mem->len;
	draft->op.f[OF_LAYER].s = "";
	if (layer.n > 0) {
		buf_put(draft->mem, layer.s, layer.n);
		buf_putc(draft->mem, '/');
	}
	esc_put(draft->mem, ops->tmp.s, ops->tmp.len);
	draft->op.f[OF_LAYER].n = draft->mem->len - draft->at[OF_LAYER];
}

/* A free place in the table, as an id. */
static uint32_t
new_id(struct corr_ops *ops)
{
	size_t was;

	if (ops->n_unused > 0)
		return ops->unused[--ops->n_unused];
	if (ops->n == ops->cap) {
		was = ops->cap;
		ops->cap = was > 0 ? was * 2 : 256;
		ops->v = spill_realloc(
		    ops->v, was, ops->cap, sizeof(struct corr_op *));
	}
	return (uint32_t)++ops->n;
}

/* Puts the op into the table and writes its record. */
static uint32_t
op_store(struct corr_ops *ops, struct draft *draft)
{
	size_t n = sizeof(struct corr_op) + draft->mem->len;
	struct corr_op *op =
	    draft->op.once ? xmalloc(n) : store_alloc(&ops->mem, n);
	char *m = (char *)(op + 1);

	if (draft->mem->len > 0)
		memcpy(m, draft->mem->s, draft->mem->len);
	place_texts(op, draft, m);
	op->id = new_id(ops);
	op->no = ++ops->n_no;
	ops->v[op->id - 1] = op;
	op_write(ops, op);
	return op->id;
}

uint32_t
draft_done(struct corr_ops *ops, struct draft *draft, uint32_t ident)
{
	uint64_t *same = NULL;
	struct corr_op op;
	uint32_t id = OP_NONE;

	if (ops->hooks.same != NULL) {
		place_texts(&op, draft, draft->mem->s);
		same = ops->hooks.same(ops->hooks.ctx, &op);
		id = (uint32_t)*same;
	}
	if (id == OP_NONE)
		id = op_store(ops, draft);
	if (same != NULL)
		*same = id;
	ops->ident.val[ident] = id;
	return id;
}

void
op_drop(struct corr_ops *t, uint32_t id)
{
	free(t->v[id - 1]);
	t->v[id - 1] = NULL;
	ARRAY_GROW(t->unused, t->n_unused, t->cap_unused);
	t->unused[t->n_unused++] = id;
}

void
draft_begin(struct corr_ops *t, struct draft *d)
{
	memset(d, 0, sizeof(*d));
	d->mem = &t->draft;
	buf_clear(d->mem);
}

uint32_t
op_of_hlo(struct corr_ops *ops, struct escaped layer, struct escaped name,
    const struct marker *m, enum marker_dir dir)
{
	struct draft draft;
	uint32_t id, at;

	key_begin(&ops->key, 'X', layer.s, layer.n);
	key_put(&ops->key, name.s, name.n);
	buf_putc(&ops->key, (char)('0' + dir));
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = dir == MDIR_BPROP;
	draft.op.no_dir = dir == MDIR_NONE;
	draft_name_raw(&draft, layer, "", name);
	draft_raw(&draft, OF_OP, name.s, name.n);
	draft_layer(&draft, layer);
	draft_raw(&draft, OF_BY, "xla", 3);
	if (m != NULL) {
		draft_view(&draft, OF_MOD, m->mod);
		draft_view(&draft, OF_TEXT, m->path);
	}
	return draft_done(ops, &draft, at);
}

/* gemm_fusion_dot.10 has the kernel gemm_fusion_dot_10: one name for both. */
static uint32_t
op_of_thunk(struct corr_ops *ops, struct escaped layer, const struct marker *m)
{
	struct escaped name;
	size_t i;

	buf_clear(&ops->tmp);
	esc_put(&ops->tmp, m->name.s, m->name.n);
	for (i = 0; i < ops->tmp.len; i++)
		if (ops->tmp.s[i] == '.')
			ops->tmp.s[i] = '_';
	name = (struct escaped){ ops->tmp.s, ops->tmp.len };
	return op_of_hlo(ops, layer, name, m, m->dir);
}

uint32_t
op_of_range(
    struct corr_ops *ops, struct escaped layer, const struct marker *marker)
{
	struct mview sizes;
	struct draft draft;
	const char *dtype;
	uint32_t id, at;

	if (marker->by == BY_XLA && ops->hooks.range == NULL)
		return op_of_thunk(ops, layer, marker);
	key_begin(&ops->key, 'R', layer.s, layer.n);
	key_put(&ops->key, marker->path.s, marker->path.n);
	key_put(&ops->key, marker->name.s, marker->name.n);
	key_put(&ops->key, marker->sizes.s, marker->sizes.n);
	key_put(&ops->key, marker->types.s, marker->types.n);
	key_put(&ops->key, marker->args.s, marker->args.n);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	if (marker->path.s != NULL)
		draft_view(&draft, OF_NAME, marker->path);
	else
		draft_name(&draft, layer, marker->op.s, marker->op.n);
	draft_view(&draft, OF_MOD, marker->mod);
	draft_view(&draft, OF_OP, marker->op);
	draft_layer(&draft, layer);
	draft_by(&draft, marker);
	draft_view(&draft, OF_TEXT, marker->name);
	dtype = dtype_name(dtype_first(marker));
	if (dtype != NULL)
		draft_raw(&draft, OF_DTYPE, dtype, strlen(dtype));
	if (marker_sizes(marker, &sizes))
		draft_view(&draft, OF_SHAPES, sizes);
	if (marker->by == BY_PYTORCH && marker->args.s != NULL)
		draft_view(&draft, OF_ARGS, marker->args);
	if (ops->hooks.range != NULL)
		ops->hooks.range(ops->hooks.ctx, &draft, marker);
	return draft_done(ops, &draft, at);
}

static void
draft_as_forward(struct draft *d, const struct corr_op *fwd)
{
	static const enum op_field same[] = { OF_NAME, OF_MOD, OF_OP, OF_LAYER,
		OF_DTYPE, OF_SHAPES, OF_ARGS, OF_STACK, OF_TRACE, OF_REPR };
	size_t i;

	for (i = 0; i < ARRAY_LEN(same); i++)
		draft_raw(d, same[i], fwd->f[same[i]].s, fwd->f[same[i]].n);
	d->op.fwd_no = fwd->no;
	d->op.marker = fwd->marker;
}

/* A backward whose forward is unknown is named after its node. */
static void
draft_alone(struct draft *d, struct escaped layer, const struct marker *m)
{
	struct mview op;

	if (!marker_forward_of(m->name.s, m->name.n, &op))
		op = m->op;
	draft_name(d, layer, op.s, op.n);
	draft_view(d, OF_OP, op);
	draft_layer(d, layer);
}

uint32_t
op_of_backward(struct corr_ops *ops, struct escaped layer,
    const struct marker *marker, uint32_t fwd)
{
	struct mview sizes;
	struct draft draft;
	uint32_t id, at;

	key_begin(&ops->key, 'W', layer.s, fwd != OP_NONE ? 0 : layer.n);
	key_put(&ops->key, (const char *)&fwd, sizeof(fwd));
	key_put(&ops->key, marker->name.s, marker->name.n);
	key_put(&ops->key, marker->sizes.s, marker->sizes.n);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = true;
	if (fwd != OP_NONE)
		draft_as_forward(&draft, op_get(ops, fwd));
	else
		draft_alone(&draft, layer, marker);
	draft_by(&draft, marker);
	draft_view(&draft, OF_TEXT, marker->name);
	if (marker_sizes(marker, &sizes))
		draft_view(&draft, OF_BWD_SHAPES, sizes);
	return draft_done(ops, &draft, at);
}

static void
draft_none(struct corr_ops *t, struct draft *d, struct escaped layer,
    struct escaped what)
{
	struct escaped prefix = layer;

	if (t->hooks.bare_names)
		prefix.n = 0;
	draft_begin(t, d);
	d->op.none = d->op.no_dir = true;
	draft_name_raw(d, prefix, "unassociated_", what);
	draft_raw(d, OF_OP, what.s, what.n);
	draft_layer(d, layer);
	draft_raw(d, OF_BY, "api", 3);
}

uint32_t
op_unassociated(struct corr_ops *t, struct escaped layer, struct escaped what)
{
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'U', layer.s, layer.n);
	key_put(&t->key, what.s, what.n);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_none(t, &d, layer, what);
	return draft_done(t, &d, at);
}

static uint32_t
find_comm_op(struct corr_ops *t, struct escaped layer, uint32_t for_op,
    const struct comm_words *w, uint32_t *at)
{
	key_begin(&t->key, 'C', layer.s, for_op != OP_NONE ? 0 : layer.n);
	key_put(&t->key, (const char *)&for_op, sizeof(for_op));
	key_put(&t->key, w->kind, strlen(w->kind));
	key_put(&t->key, w->mod.s, w->mod.n);
	key_put(&t->key, w->name.s, w->name.n);
	key_put(&t->key, w->sizes.s, w->sizes.n);
	key_put(&t->key, w->group.s, w->group.n);
	if (w->dtype != NULL)
		key_put(&t->key, w->dtype, strlen(w->dtype));
	return ident_find(t, at);
}

/* The op that launched it says where in the program it is. */
static void
draft_cause(struct draft *d, const struct corr_op *cause)
{
	static const enum op_field same[] = { OF_STACK, OF_TRACE };
	size_t i;

	for (i = 0; i < ARRAY_LEN(same); i++)
		draft_raw(d, same[i], cause->f[same[i]].s, cause->f[same[i]].n);
	d->op.for_no = cause->no;
}

/* The list of a process group: a text for each column, empty if unset. */
static void
draft_group(struct corr_ops *t, struct draft *d, struct mview group)
{
	struct json_doc doc = { 0 };
	int i, f = OF_GROUP;

	if (json_parse(&doc, group.s, group.n, 4 * OF_GROUPS))
		for (i = 1; i < doc.n && f < OF_N;
		     i = json_next(&doc, i), f++) {
			buf_clear(&t->tmp);
			json_unescape(&doc, i, &t->tmp);
			if (t->tmp.len > 0)
				draft_text(
				    d, (enum op_field)f, t->tmp.s, t->tmp.len);
		}
	json_free(&doc);
}

uint32_t
op_of_comm(struct corr_ops *t, struct escaped layer, uint32_t for_op,
    const struct comm_words *w)
{
	struct draft d;
	uint32_t id, at;
	const char *by = w->by_range ? marker_by_word(w->by) : "api";

	if (for_op != OP_NONE) {
		layer = op_get(t, for_op)->f[OF_LAYER];
		if (layer.s == NULL)
			layer = (struct escaped){ "", 0 };
	}
	id = find_comm_op(t, layer, for_op, w, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(t, &d);
	d.op.comm = true;
	draft_name(&d, layer, w->kind, strlen(w->kind));
	draft_view(&d, OF_MOD, w->mod);
	draft_raw(&d, OF_OP, w->kind, strlen(w->kind));
	draft_layer(&d, layer);
	draft_raw(&d, OF_BY, by, strlen(by));
	draft_view(&d, OF_TEXT, w->name);
	if (w->dtype != NULL)
		draft_raw(&d, OF_DTYPE, w->dtype, strlen(w->dtype));
	if (w->sizes.n > 0)
		draft_view(&d, OF_SHAPES, w->sizes);
	if (w->group.n > 0)
		draft_group(t, &d, w->group);
	if (for_op != OP_NONE)
		draft_cause(&d, op_get(t, for_op));
	return draft_done(t, &d, at);
}

uint32_t
op_of_call(struct corr_ops *t, struct escaped layer, struct escaped what)
{
	struct draft d;

	draft_none(t, &d, layer, what);
	d.op.once = true;
	return op_store(t, &d);
}

/* Ops of argument markers. A marker text that was seen before in the same place
 * is not parsed again. */

/* Frames of PyTorch and PyProf themselves, which PyProf leaves out. */
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

	for (i = 0; i < ARRAY_LEN(own_frames); i++)
		if (contains(s, n, own_frames[i]))
			return true;
	return false;
}

/* Appends the frames of the comma separated stack that belong to the program.
 */
static void
user_frames(struct buf *buf, const char *s, size_t n)
{
	const char *end = s + n, *comma;

	buf_clear(buf);
	while (s < end) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (comma == NULL)
			comma = end;
		if (!own_frame(s, (size_t)(comma - s))) {
			if (buf->len > 0)
				buf_putc(buf, ',');
			buf_put(buf, s, (size_t)(comma - s));
		}
		s = comma + 1;
	}
}

/* Reads into t->stack and t->func, which is DLProf's name for the op. */
static void
read_call_trace(struct corr_ops *t, struct mview trace)
{
	struct marker m;

	buf_clear(&t->stack);
	buf_clear(&t->func);
	if (trace.s == NULL)
		return;
	marker_parse(t->markers, &m, trace.s, trace.n, NULL);
	if (m.kind != MK_TRACE || !marker_trace(&m, &t->stack, &t->func))
		t->n_damaged++;
}

static void
draft_args_name(struct corr_ops *ops, struct draft *draft, struct escaped layer,
    const struct marker *marker)
{
	buf_clear(&ops->tmp);
	if (ops->func.len > 0) {
		draft_text(draft, OF_NAME, ops->func.s, ops->func.len);
		return;
	}
	if (ops->hooks.args_name != NULL)
		ops->hooks.args_name(ops->hooks.ctx, marker, &ops->tmp);
	if (ops->tmp.len > 0)
		draft_name(draft, layer, ops->tmp.s, ops->tmp.len);
	else
		draft_name(draft, layer, marker->op.s, marker->op.n);
}

static void
draft_stack(struct corr_ops *t, struct draft *d)
{
	if (t->stack.len == 0)
		return;
	draft_text(d, OF_STACK, t->stack.s, t->stack.len);
	user_frames(&t->tmp, t->stack.s, t->stack.len);
	if (t->tmp.len > 0)
		draft_text(d, OF_TRACE, t->tmp.s, t->tmp.len);
}

static uint32_t
find_args_op(struct corr_ops *t, struct escaped layer, struct mview repr,
    const struct marker *m, const struct marker_args *args, bool bwd,
    uint32_t *at)
{
	key_begin(&t->key, bwd ? 'B' : 'A', layer.s, layer.n);
	key_put(&t->key, t->func.s, t->func.len);
	key_put(&t->key, m->mod.s, m->mod.n);
	key_put(&t->key, m->op.s, m->op.n);
	key_put(&t->key, args->shapes.s, args->shapes.n);
	key_put(&t->key, args->scalars.s, args->scalars.n);
	key_put(&t->key, t->stack.s, t->stack.len);
	if (repr.s != NULL)
		key_put(&t->key, repr.s, repr.n);
	return ident_find(t, at);
}

/* The call trace around the marker is in t->stack and t->func. */
static uint32_t
make_args_op(struct corr_ops *ops, struct escaped layer, struct mview repr,
    struct marker *marker, bool bwd)
{
	static const struct marker_args none;
	const struct marker_args *args = marker_args(marker);
	struct draft draft;
	uint32_t id, at;

	if (args == NULL) {
		ops->n_no_args++;
		args = &none;
	}
	id = find_args_op(ops, layer, repr, marker, args, bwd, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.marker = true;
	draft.op.bwd = bwd;
	draft_args_name(ops, &draft, layer, marker);
	draft_view(&draft, OF_MOD, marker->mod);
	draft_view(&draft, OF_OP, marker->op);
	draft_module(ops, &draft, layer, &ops->func);
	if (ops->func.len > 0) /* PyProf's markers never have a func */
		marker->by = BY_DLPROF;
	draft_by(&draft, marker);
	draft_view(&draft, OF_DTYPE, args->dtype);
	draft_view(&draft, OF_SHAPES, args->shapes);
	draft_view(&draft, OF_ARGS, args->json);
	draft_view(&draft, OF_REPR, repr);
	draft_stack(ops, &draft);
	return draft_done(ops, &draft, at);
}

uint32_t
op_of_args(struct corr_ops *ops, struct escaped layer, struct mview trace,
    struct mview repr, struct marker *marker, bool bwd)
{
	uint32_t at, id;

	key_begin(&ops->raw_key, bwd ? 'b' : 'a', layer.s, layer.n);
	if (trace.s != NULL)
		key_put(&ops->raw_key, trace.s, trace.n);
	key_put(&ops->raw_key, marker->text.s, marker->text.n);
	if (repr.s != NULL)
		key_put(&ops->raw_key, repr.s, repr.n);
	at = smap_find(&ops->raw, ops->raw_key.s, ops->raw_key.len);
	if (at != SMAP_NONE)
		return (uint32_t)ops->raw.val[at];
	read_call_trace(ops, trace);
	id = make_args_op(ops, layer, repr, marker, bwd);
	if (ops->raw.n >= RAW_MAX)
		smap_clear(&ops->raw);
	at = smap_put(&ops->raw, ops->raw_key.s, ops->raw_key.len, NULL);
	ops->raw.val[at] = id;
	return id;
}

void
ops_init(struct corr_ops *t, struct markers *markers)
{
	t->markers = markers;
}

void
ops_clear(struct corr_ops *ops)
{
	size_t i;

	for (i = 0; i < ops->n; i++) {
		spill_tick();
		if (ops->v[i] != NULL && ops->v[i]->once)
			free(ops->v[i]);
	}
	store_free(&ops->mem);
	ops->n = ops->n_unused = 0;
	ops->n_no = 0;
	ops->groups = false;
	if (ops->hooks.clear != NULL)
		ops->hooks.clear(ops->hooks.ctx);
	smap_clear(&ops->ident);
	smap_clear(&ops->raw);
	ops->n_damaged = ops->n_no_args = 0;
}

void
ops_free(struct corr_ops *t)
{
	smap_free(&t->ident);
	smap_free(&t->raw);
	buf_free(&t->key);
	buf_free(&t->raw_key);
	buf_free(&t->draft);
	buf_free(&t->stack);
	buf_free(&t->func);
	buf_free(&t->tmp);
	free(t->unused);
	spill_free(t->v, t->cap, sizeof(struct corr_op *));
}
