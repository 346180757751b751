/*
 * The table of ops; see corr.h. An op comes from a range of a framework, an
 * argument marker (PyProf, DLProf), a backward node with its forward op, or the
 * name of work that no op launched.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"
#include "json_tok.h"
#include "pyrule.h"
#include "spill.h"

#define KEY_SEP '\x1f'
/* The most marker texts that are remembered: the keys of ids, which nobody
 * keeps, so the map may be emptied at any time. */
#define RAW_MAX 65536

static void
draft_raw(struct draft *d, enum op_field f, struct mview v)
{
	d->at[f] = d->mem->len;
	d->op.f[f] = v; /* if set, draft_done() places it */
	if (v.s != NULL)
		buf_put(d->mem, v.s, v.n);
}

void
draft_word(struct draft *d, enum op_field f, const char *word)
{
	if (word != NULL)
		draft_raw(d, f, (struct mview){ word, strlen(word) });
}

void
draft_view(struct draft *d, enum op_field f, struct mview v)
{
	d->at[f] = d->mem->len;
	d->op.f[f].s = v.s;
	if (v.s == NULL)
		return;
	esc_put(d->mem, v.s, v.n);
	d->op.f[f].n = d->mem->len - d->at[f];
}

static void
draft_buf(struct draft *d, enum op_field f, const struct buf *b)
{
	if (b->len > 0)
		draft_view(d, f, (struct mview){ b->s, b->len });
}

/* LAYER/NAME; prefix is used if there is no layer. */
static void
draft_path(struct draft *d, enum op_field f, struct mview layer,
    const char *prefix, struct mview name, bool escaped)
{
	d->at[f] = d->mem->len;
	d->op.f[f].s = "";
	if (layer.n > 0) {
		buf_put(d->mem, layer.s, layer.n);
		buf_putc(d->mem, '/');
	} else {
		buf_puts(d->mem, prefix);
	}
	if (escaped)
		buf_put(d->mem, name.s, name.n);
	else
		esc_put(d->mem, name.s, name.n);
	d->op.f[f].n = d->mem->len - d->at[f];
}

static void
draft_name(struct draft *d, struct mview layer, struct mview name)
{
	draft_path(d, OF_NAME, layer, "", name, false);
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

void
key_put(struct buf *k, struct mview v)
{
	buf_put(k, v.s, v.n);
	buf_putc(k, KEY_SEP);
}

static void
key_number(struct buf *k, const uint32_t *v)
{
	key_put(k, (struct mview){ (const char *)v, sizeof(*v) });
}

void
key_begin(struct buf *k, char what, struct mview layer)
{
	buf_clear(k);
	buf_putc(k, what);
	key_put(k, layer);
}

uint32_t
ident_find(struct corr_ops *t, uint32_t *at)
{
	*at = smap_put(&t->ident, t->key.s, t->key.len, NULL);
	return (uint32_t)t->ident.val[*at];
}

static void
draft_layer(struct draft *d, struct mview layer)
{
	if (layer.n > 0)
		draft_raw(d, OF_LAYER, layer);
}

static const char *const op_names[] = { "op_id", "key", "name", "mod", "op",
	"dir", "layer", "by", "text", "dtype", "shapes", "args", "bwd_shapes",
	"fwd_op_id", "stack", "trace", "repr", "for_op_id", "types" };
static const char *const group_names[OF_GROUPS] = { "group", "group_desc",
	"group_size", "group_ranks", "in_split", "out_split" };

const char *
op_dir(const struct corr_op *op)
{
	if (op->comm)
		return "comm";
	return op->no_dir ? NULL : op->bwd ? "bprop" : "fprop";
}

int
op_phase(const struct corr_op *op, const char *dir, bool seq, bool cpu)
{
	static const char *const moves[] = { "_to_copy", "copy_", "to" };

	if (dir != NULL && strcmp(dir, "bprop") == 0)
		return PH_BWD;
	if (dir == NULL || strcmp(dir, "fprop") != 0 ||
	    !(seq || mv_eq(op->f[OF_BY], "xla")) ||
	    (cpu && mv_listed(op->f[OF_OP], moves, ARRAY_LEN(moves))))
		return PH_NONE;
	return PH_FWD;
}

static void
op_write(struct corr_ops *ops, const struct corr_op *op)
{
	enum { N_NAMES = ARRAY_LEN(op_names) };
	const char *dir = op_dir(op), *names[N_NAMES + DL_COLS + OF_GROUPS];
	struct out_type **type = &ops->type[ops->groups];
	struct mview name = op->f[OF_NAME], shapes = op->f[OF_SHAPES];
	int f, n = N_NAMES;

	if (*type == NULL) {
		memcpy(names, op_names, sizeof(op_names));
		for (f = 0; f < DL_COLS && ops->dl != NULL; f++)
			names[n++] = dl_cols[f];
		/* only a trace with process groups has their columns */
		for (f = 0; f < OF_GROUPS && ops->groups; f++)
			names[n++] = group_names[f];
		*type = out_type("op", names, n);
	}
	out_rec(*type);
	out_i64(op->no);
	if (out_next()) {
		/* NAME|DIR|SHAPES is the same in all profiles of a program */
		buf_putc(&out_buf, '\t');
		buf_put(&out_buf, name.s != NULL ? name.s : "-",
		    name.s != NULL ? name.n : 1);
		buf_putc(&out_buf, '|');
		buf_puts(&out_buf, dir != NULL ? dir : "");
		buf_putc(&out_buf, '|');
		buf_put(&out_buf, shapes.s, shapes.s != NULL ? shapes.n : 0);
	}
	out_view(name);
	out_view(op->f[OF_MOD]);
	out_view(op->f[OF_OP]);
	out_word(dir);
	for (f = OF_LAYER; f <= OF_BWD_SHAPES; f++)
		out_view(op->f[f]);
	out_opt(op->fwd_no != OP_NONE, op->fwd_no);
	out_view(op->f[OF_STACK]);
	out_view(op->f[OF_TRACE]);
	out_view(op->f[OF_REPR]);
	out_opt(op->for_no != OP_NONE, op->for_no);
	out_view(op->f[OF_TYPES]);
	if (ops->dl != NULL)
		dl_write(ops->dl, op);
	for (f = OF_GROUP; f < OF_N && ops->groups; f++)
		out_view(op->f[f]);
	out_end();
}

/* Puts the op into the table and writes its record. */
static uint32_t
op_store(struct corr_ops *ops, struct draft *draft)
{
	size_t n = sizeof(struct corr_op) + draft->mem->len, was;
	struct corr_op *op =
	    draft->op.once ? xmalloc(n) : store_alloc(&ops->mem, n);
	char *m = (char *)(op + 1);

	if (draft->mem->len > 0)
		memcpy(m, draft->mem->s, draft->mem->len);
	place_texts(op, draft, m);
	if (ops->n_unused > 0) {
		op->id = ops->unused[--ops->n_unused];
	} else {
		if (ops->n == ops->cap) {
			was = ops->cap;
			ops->cap = was > 0 ? was * 2 : 256;
			ops->v = spill_realloc(
			    ops->v, was, ops->cap, sizeof(struct corr_op *));
		}
		op->id = (uint32_t)++ops->n;
	}
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

	if (ops->dl != NULL) {
		place_texts(&op, draft, draft->mem->s);
		same = dl_same(ops->dl, &op);
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
op_of_hlo(struct corr_ops *ops, struct mview layer, struct mview name,
    const struct marker *m, enum marker_dir dir)
{
	struct draft draft;
	uint32_t id, at;

	key_begin(&ops->key, 'X', layer);
	key_put(&ops->key, name);
	buf_putc(&ops->key, (char)('0' + dir));
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = dir == MDIR_BPROP;
	draft.op.no_dir = dir == MDIR_NONE;
	draft_path(&draft, OF_NAME, layer, "", name, true);
	draft_raw(&draft, OF_OP, name);
	draft_layer(&draft, layer);
	draft_word(&draft, OF_BY, "xla");
	if (m != NULL) {
		draft_view(&draft, OF_MOD, m->mod);
		draft_view(&draft, OF_TEXT, m->path);
	}
	return draft_done(ops, &draft, at);
}

uint32_t
op_of_range(
    struct corr_ops *ops, struct mview layer, const struct marker *marker)
{
	struct mview sizes;
	struct draft draft;
	uint32_t id, at;
	size_t i;

	if (marker->by == BY_XLA && ops->dl == NULL) {
		/* gemm_fusion_dot.10 has the kernel gemm_fusion_dot_10: one
		 * name for both */
		buf_clear(&ops->tmp);
		esc_put(&ops->tmp, marker->name.s, marker->name.n);
		for (i = 0; i < ops->tmp.len; i++)
			if (ops->tmp.s[i] == '.')
				ops->tmp.s[i] = '_';
		return op_of_hlo(ops, layer,
		    (struct mview){ ops->tmp.s, ops->tmp.len }, marker,
		    marker->dir);
	}
	key_begin(&ops->key, 'R', layer);
	key_put(&ops->key, marker->path);
	key_put(&ops->key, marker->name);
	key_put(&ops->key, marker->sizes);
	key_put(&ops->key, marker->types);
	key_put(&ops->key, marker->args);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	if (marker->path.s != NULL)
		draft_view(&draft, OF_NAME, marker->path);
	else
		draft_name(&draft, layer, marker->op);
	draft_view(&draft, OF_MOD, marker->mod);
	draft_view(&draft, OF_OP, marker->op);
	draft_layer(&draft, layer);
	draft_word(&draft, OF_BY, marker_by_words[marker->by]);
	draft_view(&draft, OF_TEXT, marker->name);
	draft_word(&draft, OF_DTYPE, dtype_names[dtype_first(marker)]);
	if (dtype_list(marker, &ops->tmp))
		draft_view(&draft, OF_TYPES,
		    (struct mview){ ops->tmp.s, ops->tmp.len });
	if (marker_sizes(marker, &sizes))
		draft_view(&draft, OF_SHAPES, sizes);
	if (marker->by == BY_PYTORCH && marker->args.s != NULL)
		draft_view(&draft, OF_ARGS, marker->args);
	if (ops->dl != NULL)
		dl_range(ops->dl, &draft, marker);
	return draft_done(ops, &draft, at);
}

uint32_t
op_of_backward(struct corr_ops *ops, struct mview layer,
    const struct marker *marker, uint32_t fwd)
{
	static const enum op_field same[] = { OF_NAME, OF_MOD, OF_OP, OF_LAYER,
		OF_DTYPE, OF_SHAPES, OF_ARGS, OF_STACK, OF_TRACE, OF_REPR,
		OF_TYPES };
	const struct corr_op *as;
	struct mview sizes, op;
	struct draft draft;
	uint32_t id, at;
	size_t i;

	key_begin(
	    &ops->key, 'W', fwd != OP_NONE ? (struct mview){ "", 0 } : layer);
	key_number(&ops->key, &fwd);
	key_put(&ops->key, marker->name);
	key_put(&ops->key, marker->sizes);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = true;
	if (fwd != OP_NONE) {
		as = op_get(ops, fwd);
		for (i = 0; i < ARRAY_LEN(same); i++)
			draft_raw(&draft, same[i], as->f[same[i]]);
		draft.op.fwd_no = as->no;
		draft.op.marker = as->marker;
	} else { /* it is named after its node */
		if (!marker_forward_of(marker->name.s, marker->name.n, &op))
			op = marker->op;
		draft_name(&draft, layer, op);
		draft_view(&draft, OF_OP, op);
		draft_layer(&draft, layer);
	}
	draft_word(&draft, OF_BY, marker_by_words[marker->by]);
	draft_view(&draft, OF_TEXT, marker->name);
	if (marker_sizes(marker, &sizes))
		draft_view(&draft, OF_BWD_SHAPES, sizes);
	return draft_done(ops, &draft, at);
}

static void
draft_none(
    struct corr_ops *t, struct draft *d, struct mview layer, struct mview what)
{
	static const struct mview none;

	draft_begin(t, d);
	d->op.none = d->op.no_dir = true;
	draft_path(d, OF_NAME, t->dl != NULL ? none : layer, "unassociated_",
	    what, true);
	draft_raw(d, OF_OP, what);
	draft_layer(d, layer);
	draft_word(d, OF_BY, "api");
}

uint32_t
op_unassociated(struct corr_ops *t, struct mview layer, struct mview what)
{
	struct draft d;
	uint32_t id, at;

	key_begin(&t->key, 'U', layer);
	key_put(&t->key, what);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_none(t, &d, layer, what);
	return draft_done(t, &d, at);
}

uint32_t
op_of_comm(struct corr_ops *t, struct mview layer, uint32_t for_op,
    const struct comm_words *w)
{
	struct mview kind = { w->kind, strlen(w->kind) };
	const struct corr_op *cause =
	    for_op != OP_NONE ? op_get(t, for_op) : NULL;
	struct draft d;
	uint32_t id, at;
	struct json_doc doc = { 0 };
	int i, f;

	if (cause != NULL)
		layer = cause->f[OF_LAYER];
	key_begin(
	    &t->key, 'C', cause != NULL ? (struct mview){ "", 0 } : layer);
	key_number(&t->key, &for_op);
	key_put(&t->key, kind);
	key_put(&t->key, w->mod);
	key_put(&t->key, w->name);
	key_put(&t->key, w->sizes);
	key_put(&t->key, w->group);
	if (w->dtype != NULL)
		buf_puts(&t->key, w->dtype);
	id = ident_find(t, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(t, &d);
	d.op.comm = true;
	draft_name(&d, layer, kind);
	draft_view(&d, OF_MOD, w->mod);
	draft_raw(&d, OF_OP, kind);
	draft_layer(&d, layer);
	draft_word(&d, OF_BY, w->by_range ? marker_by_words[w->by] : "api");
	draft_view(&d, OF_TEXT, w->name);
	draft_word(&d, OF_DTYPE, w->dtype);
	if (w->sizes.n > 0)
		draft_view(&d, OF_SHAPES, w->sizes);
	if (w->group.n > 0) {
		/* The list of a process group: a text for each column, empty if
		 * unset. */
		f = OF_GROUP;
		if (json_parse(&doc, w->group.s, w->group.n, 4 * OF_GROUPS))
			for (i = 1; i < doc.n && f < OF_N;
			     i = json_next(&doc, i), f++) {
				buf_clear(&t->tmp);
				json_unescape(&doc, i, &t->tmp);
				draft_buf(&d, (enum op_field)f, &t->tmp);
			}
		json_free(&doc);
	}
	if (cause != NULL) { /* it says where in the program that is */
		draft_raw(&d, OF_STACK, cause->f[OF_STACK]);
		draft_raw(&d, OF_TRACE, cause->f[OF_TRACE]);
		d.op.for_no = cause->no;
	}
	return draft_done(t, &d, at);
}

uint32_t
op_of_call(struct corr_ops *t, struct mview layer, struct mview what)
{
	struct draft d;

	draft_none(t, &d, layer, what);
	d.op.once = true;
	return op_store(t, &d);
}

/* The frames of the comma separated stack that belong to the program, not to
 * PyTorch or PyProf. */
static void
user_frames(struct buf *buf, const struct buf *stack)
{
	const char *s = stack->s, *end = s + stack->len, *comma;

	buf_clear(buf);
	for (; s < end; s = comma + 1) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (comma == NULL)
			comma = end;
		if (pyrule_is_library(mv(s, comma)))
			continue;
		if (buf->len > 0)
			buf_putc(buf, ',');
		buf_put(buf, s, (size_t)(comma - s));
	}
}

/* trace: of the call trace marker, which is read into ops->stack and ops->func,
 * DLProf's name for the op. */
static uint32_t
make_args_op(struct corr_ops *ops, struct mview layer, struct mview trace,
    struct mview repr, struct marker *marker, bool bwd)
{
	static const struct marker_args none;
	const struct marker_args *args;
	struct buf *func = &ops->func, *tmp = &ops->tmp;
	struct marker m;
	struct draft draft;
	uint32_t id, at;

	buf_clear(&ops->stack);
	buf_clear(func);
	if (trace.s != NULL) {
		marker_parse(ops->markers, &m, trace.s, trace.n, NULL);
		if (m.kind != MK_TRACE || !marker_trace(&m, &ops->stack, func))
			ops->n_damaged++;
	}
	args = marker_args(marker);
	if (args == NULL) {
		ops->n_no_args++;
		args = &none;
	}
	key_begin(&ops->key, bwd ? 'B' : 'A', layer);
	key_put(&ops->key, (struct mview){ func->s, func->len });
	key_put(&ops->key, marker->mod);
	key_put(&ops->key, marker->op);
	key_put(&ops->key, args->shapes);
	key_put(&ops->key, args->scalars);
	key_put(&ops->key, (struct mview){ ops->stack.s, ops->stack.len });
	if (repr.s != NULL)
		key_put(&ops->key, repr);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.marker = true;
	draft.op.bwd = bwd;
	buf_clear(tmp);
	if (func->len > 0) {
		draft_buf(&draft, OF_NAME, func);
	} else {
		if (ops->dl != NULL && marker->mod.n > 0) {
			/* --dlprof: a name that includes the module */
			buf_put(tmp, marker->mod.s, marker->mod.n);
			buf_putc(tmp, '/');
		}
		buf_put(tmp, marker->op.s, marker->op.n);
		draft_name(&draft, layer, (struct mview){ tmp->s, tmp->len });
	}
	draft_view(&draft, OF_MOD, marker->mod);
	draft_view(&draft, OF_OP, marker->op);
	/* the layer path is followed by the modules in the call stack */
	buf_clear(tmp);
	marker_modules(tmp, func->s, func->len);
	if (tmp->len > 0)
		draft_path(&draft, OF_LAYER, layer, "",
		    (struct mview){ tmp->s, tmp->len }, false);
	else
		draft_layer(&draft, layer);
	if (func->len > 0) /* PyProf's markers never have a func */
		marker->by = BY_DLPROF;
	draft_word(&draft, OF_BY, marker_by_words[marker->by]);
	draft_view(&draft, OF_DTYPE, args->dtype);
	draft_view(&draft, OF_SHAPES, args->shapes);
	draft_view(&draft, OF_ARGS, args->json);
	draft_view(&draft, OF_REPR, repr);
	draft_buf(&draft, OF_STACK, &ops->stack);
	user_frames(tmp, &ops->stack);
	draft_buf(&draft, OF_TRACE, tmp);
	return draft_done(ops, &draft, at);
}

/* A marker text that was seen before in the same place is not parsed again. */
uint32_t
op_of_args(struct corr_ops *ops, struct mview layer, struct mview trace,
    struct mview repr, struct marker *marker, bool bwd)
{
	struct buf *key = &ops->raw_key;
	uint32_t at, id;

	key_begin(key, bwd ? 'b' : 'a', layer);
	if (trace.s != NULL)
		key_put(key, trace);
	key_put(key, marker->text);
	if (repr.s != NULL)
		key_put(key, repr);
	at = smap_find(&ops->raw, key->s, key->len);
	if (at != SMAP_NONE)
		return (uint32_t)ops->raw.val[at];
	id = make_args_op(ops, layer, trace, repr, marker, bwd);
	if (ops->raw.n >= RAW_MAX)
		smap_clear(&ops->raw);
	at = smap_put(&ops->raw, key->s, key->len, NULL);
	ops->raw.val[at] = id;
	return id;
}

void
ops_end(struct corr_ops *t)
{
	struct corr_ops none = { .markers = t->markers,
		.type = { t->type[0], t->type[1] },
		.dl = t->dl };
	size_t i;

	for (i = 0; i < t->n; i++) {
		spill_tick();
		if (t->v[i] != NULL && t->v[i]->once)
			free(t->v[i]);
	}
	store_free(&t->mem);
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
	*t = none;
}
