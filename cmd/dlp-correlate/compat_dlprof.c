/*
 * DLProf's ops (--dlprof): when two runs are of one op, the op's id and its
 * shapes as DLProf prints them, the ops of work outside all markers, and the
 * mode, DLProf's word for the framework. Source: DLProf's user guide, and its
 * databases and reports, which the tests compare.
 */
#include "corr.h"

#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"
#include "mk.h"
#include "num.h"
#include "stage.h"

#define RANK_MAX 16
#define BIT(x) (1u << (x))

/* Without markers each call would be an op of its own, and memory would grow
 * with the calls. After this many, all calls of a name are one op. */
#define MAX_CALL_OPS 65536

struct dlprof_ops {
	struct smap same;  /* the identity of an op for DLProf -> its id */
	struct smap types; /* beginning of an id -> number of ops that have
			    * it */
	struct buf key, id, in, out;
	struct buf tf_in;      /* inputs of the last TensorFlow op drafted */
	uint64_t call_ops;     /* made for one call each */
	uint64_t calls_shared; /* calls beyond MAX_CALL_OPS, which share ops */
};

/* The mode. */

static const struct { /* the first one that was seen is used */
	unsigned by;
	const char *word;
} modes[] = {
	{ BIT(BY_DLPROF) | BIT(BY_PYPROF) | BIT(BY_PYTORCH), "pytorch" },
	{ BIT(BY_TENSORFLOW), "tensorflow1" },
	{ BIT(BY_TENSORRT), "tensorrt" },
	{ BIT(BY_XLA), "jax" },
};

void
dl_meta(struct corr *c, struct mview v)
{
	struct dl_mode *m = &c->mode;

	if (mv_starts(v, "mode\t"))
		m->given = true;
	else if (mv_starts(v, "framework\tTensorFlow 1"))
		m->tf1 = true;
	else if (mv_starts(v, "framework\tTensorFlow 2"))
		m->tf2 = true;
}

void
dl_end(struct corr *c)
{
	const struct dl_mode *m = &c->mode;
	const char *word = m->given_word;
	size_t i;

	if (word == NULL && m->given) /* the input already has it */
		return;
	for (i = 0; word == NULL && i < ARRAY_LEN(modes); i++)
		if ((m->by & modes[i].by) != 0)
			word = modes[i].by == BIT(BY_TENSORFLOW) && m->tf2 &&
				       !m->tf1
				   ? "tensorflow2"
				   : modes[i].word;
	out_meta("info", "mode\t%s", word != NULL ? word : "simple");
}

/*
 * Shapes as DLProf prints them: <32, 400>, and for two types with the names of
 * the axes: <N:32, K:400>. Only these two have an output. DLProf's markers
 * contain neither stride nor padding, so DLProf assumes 1 and 0.
 */

struct dl_shape {
	int64_t v[RANK_MAX];
	int n; /* -1: no shape */
};

static const struct named_type {
	const char *type;
	const char *in[2], *out;
} named[] = {
	{ "conv2d", { "NCHW", "KCRS" }, "NKPQ" },
	{ "linear", { "NK", "MK" }, "NM" },
};

/* The next element of the list of shapes: [1,2], or any other text up to its
 * comma; false at the end. */
static bool
next_shape(const char **at, const char *e, struct dl_shape *x)
{
	const char *p = *at, *s;

	while (p < e && (*p == ',' || *p == ' '))
		p++;
	*at = p;
	if (p == e || *p == ']')
		return false;
	x->n = -1;
	if (*p == '[') {
		for (p++, x->n = 0; p < e && *p != ']';) {
			for (s = p; p < e && (*p == '-' || mk_is_digit(*p));)
				p++;
			if (x->n < 0 || x->n == RANK_MAX ||
			    !num_i64(s, (size_t)(p - s), &x->v[x->n++]))
				x->n = -1;
			while (p < e && *p != ',' && *p != ']')
				p++;
			if (p < e && *p == ',')
				p++;
		}
	}
	while (p < e && *p != ',' && *p != ']')
		p++;
	if (p < e && *p == ']' && x->n >= 0)
		p++;
	*at = p;
	return true;
}

static void
put_dl_shape(struct buf *buf, const struct dl_shape *x, const char *axes)
{
	int i;

	if (axes != NULL && strlen(axes) != (size_t)x->n)
		axes = NULL;
	buf_putc(buf, '<');
	for (i = 0; i < x->n; i++) {
		buf_puts(buf, i > 0 ? ", " : "");
		if (axes != NULL) {
			buf_putc(buf, axes[i]);
			buf_putc(buf, ':');
		}
		buf_i64(buf, x->v[i]);
	}
	buf_putc(buf, '>');
}

/* The filter makes the image of a conv2d smaller; the last axis of a linear
 * becomes the rows of the weight. */
static void
put_output(
    struct buf *out, const struct named_type *t, const struct dl_shape *x)
{
	struct dl_shape y = x[0];

	if (x[0].n < 1 || x[1].n != (int)strlen(t->in[1]))
		return;
	if (x[1].n == 2) {
		y.v[y.n - 1] = x[1].v[0];
	} else if (x[0].n == 4) {
		y.v[1] = x[1].v[0];
		y.v[2] = num_add(num_sub(x[0].v[2], x[1].v[2]), 1);
		y.v[3] = num_add(num_sub(x[0].v[3], x[1].v[3]), 1);
	} else {
		return;
	}
	put_dl_shape(out, &y, t->out);
}

/* Appends the input shapes of an op of that type to in, and the shapes of its
 * output to out (nothing if they are unknown). shapes: [[64,3,32,32],[6]].
 * scalars: a [] is a tensor without axes; otherwise it is not a tensor. */
static void
dl_shapes(struct mview type, struct mview shapes, bool scalars, struct buf *in,
    struct buf *out)
{
	const struct named_type *t = NULL;
	const char *p = shapes.s, *e;
	struct dl_shape first[2] = { { .n = -1 }, { .n = -1 } }, x;
	size_t i;
	int n = 0;

	for (i = 0; i < ARRAY_LEN(named); i++)
		if (mv_eq(type, named[i].type))
			t = &named[i];
	if (p == NULL || shapes.n < 2)
		return;
	e = p + shapes.n;
	for (p++; next_shape(&p, e, &x);) {
		if (x.n < 0 || (x.n == 0 && !scalars))
			continue;
		if (n < 2)
			first[n] = x;
		if (n > 0)
			buf_put(in, "; ", 2);
		put_dl_shape(in, &x, t != NULL && n < 2 ? t->in[n] : NULL);
		n++;
	}
	if (t != NULL)
		put_output(out, t, first);
}

/* Ops. */

/*
 * The op in the table that a new one is identical to: name, direction, type and
 * input shapes agree. PyProf's markers have no call stack of functions, so the
 * name does not separate two layers of the same shapes; for them the lines of
 * the call are compared.
 */
uint64_t *
dl_same(struct dlprof_ops *dlp, const struct corr_op *op)
{
	struct buf *k = &dlp->key;
	uint32_t i;

	buf_clear(k);
	buf_putc(k, op->none ? 'U' : op->bwd ? 'B' : 'F');
	if (op->fwd_no != OP_NONE) { /* as its forward op */
		buf_u64(k, op->fwd_no);
	} else {
		key_put(k, op->f[OF_NAME]);
		key_put(k, op->f[OF_OP]);
		key_put(k, op->f[OF_SHAPES]);
		if (mv_eq(op->f[OF_BY], "pyprof"))
			key_put(k, op->f[OF_STACK]);
	}
	i = smap_put(&dlp->same, k->s, k->len, NULL);
	return &dlp->same.val[i];
}

const char *const dl_cols[DL_COLS] = { "dl_id", "dl_in", "dl_out", "dl_tc" };

void
dl_write(struct dlprof_ops *dlp, const struct corr_op *op)
{
	struct buf *id = &dlp->id, *in = &dlp->in, *out = &dlp->out;
	struct mview type = op->f[OF_OP];
	uint32_t n;
	size_t i;

	/* CONV2D_1; of a backward CONV2D_BPROP_1 */
	buf_clear(id);
	buf_put(id, type.s, type.n);
	for (i = 0; i < id->len; i++)
		if (id->s[i] >= 'a' && id->s[i] <= 'z')
			id->s[i] = (char)(id->s[i] - 32);
	buf_puts(id, op->bwd ? "_BPROP_" : "_");
	n = smap_put(&dlp->types, id->s, id->len, NULL);
	buf_u64(id, ++dlp->types.val[n]);
	buf_clear(in);
	buf_clear(out);
	dl_shapes(type, op->f[OF_SHAPES], op->marker, in, out);
	if (in->len == 0 && mv_eq(op->f[OF_BY], "tensorflow"))
		esc_put(in, dlp->tf_in.s, dlp->tf_in.len);
	out_raw(id->s, id->len);
	out_raw(in->len > 0 ? in->s : NULL, in->len);
	out_raw(out->len > 0 ? out->s : NULL, out->len);
	out_word(op->none                        ? NULL
		 : mk_is(WORD_TENSOR_CORE, type) ? "yes"
						 : "no");
}

/* DLProf's reports have the inputs of TensorFlow's ops, with their names. */
void
dl_range(struct dlprof_ops *d, struct draft *draft, const struct marker *m)
{
	const struct marker_args *args;

	buf_clear(&d->tf_in);
	if (m->by != BY_TENSORFLOW)
		return;
	args = marker_args(m);
	marker_tf_inputs(m, &d->tf_in);
	if (args != NULL)
		draft_view(draft, OF_DTYPE, args->dtype);
}

/* Work outside the ops of all markers. */

static bool
goes_on(const struct corr *c, const struct run_ref *r)
{
	return r->in != NULL && r->in->order == r->order &&
	       r->in->end > c->threads.now;
}

/* DLProf's op for all backward work, used if the profile says no more. */
static uint32_t
op_of_all_backward(struct corr_ops *ops)
{
	struct draft draft;
	uint32_t id, at;

	key_begin(&ops->key, 'K', (struct mview){ "", 0 });
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = true;
	draft_word(&draft, OF_NAME, "backward");
	draft_word(&draft, OF_OP, "backward");
	draft_word(&draft, OF_BY, "api");
	return draft_done(ops, &draft, at);
}

static uint32_t
op_outside(struct corr *c, const struct corr_work *w, struct mview layer)
{
	static const struct mview none;
	const struct dl_proc *p = &w->p->dl;
	struct dl_thread *th = &w->th->dl;

	/* Without emit_nvtx the profile does not show what the threads of
	 * autograd do. If a process has markers but none of backward, the
	 * threads that launch kernels without markers are taken for autograd's.
	 */
	if (w->p->has_args && !p->has_nvtx && !w->th->any_op &&
	    p->backward.in == NULL) {
		th->launches |= w->type == W_KERN;
		if (th->launches)
			return op_of_all_backward(&c->ops);
	}
	if (c->ops.dl->call_ops < MAX_CALL_OPS) {
		c->ops.dl->call_ops++;
		return op_of_call(&c->ops, layer, w->what);
	}
	c->ops.dl->calls_shared++;
	return op_unassociated(&c->ops, none, w->what);
}

/*
 * The run that work outside of all ops belongs to.
 *
 * While a run of backward is open in the process, it is that run, because the
 * framework does the backward work on threads of its own that have no ranges.
 * If there is no such run, each call is a run of one op, with the activities
 * that it launched.
 *
 * Otherwise the call is an op and a run of its own. If the call is unknown, the
 * activity is a run of the op named after it.
 */
struct corr_inst *
dl_outside(struct corr *c, const struct corr_work *work, struct mview layer)
{
	const struct dl_proc *p = &work->p->dl;
	struct dl_thread *th = work->th != NULL ? &work->th->dl : NULL;
	struct corr_inst *in;
	uint32_t op;

	if (th != NULL && !work->th->any_op && !p->has_nvtx &&
	    goes_on(c, &p->backward))
		return p->backward.in;
	if (th != NULL && work->type != W_CALL && !work->own_call &&
	    th->call_corr == work->corr && goes_on(c, &th->call))
		return th->call.in;
	in = inst_new(&c->insts, work->p, work->th);
	op = th != NULL ? op_outside(c, work, layer)
			: op_unassociated(&c->ops, layer, work->what);
	in->op = op;
	in->start = in->end = work_launched(work);
	in->replay = !work->own_call;
	if (work->own_call)
		in->end = work->api_end;
	in->phase = phase_now(&c->threads, work->p, work->th, NULL);
	inst_schedule(&c->insts, in);
	if (th != NULL && work->type == W_CALL) {
		th->call = (struct run_ref){ in, in->order };
		th->call_corr = work->corr;
	}
	return in;
}

/* DLProf does not know frames, so a call before the node of a backward is
 * outside of ops: the op that the frame would name does not exist. */
bool
dl_is_outside(const struct corr_work *w)
{
	const struct corr_open *top = thread_top(w->th);

	return (w->type == W_CALL || w->type == W_SYNC) && top != NULL &&
	       top->cur != NULL && top->cur->pending;
}

void
dl_marker(struct corr *c, struct corr_proc *p, const struct marker *m)
{
	struct dl_proc *dp = &p->dl;

	if (m->kind == MK_TRACE && m->by == BY_DLPROF)
		dp->has_func = true;
	if (m->by == BY_PYTORCH &&
	    (m->kind == MK_OP || m->kind == MK_BWD || m->kind == MK_BWD_FRAME))
		dp->has_nvtx = true;
	if (m->kind == MK_USER || m->kind == MK_LAYER || m->kind == MK_BROKEN)
		return;
	c->mode.by |= BIT(m->by);
	/* only functions, which came with TensorFlow 2, have such names */
	if (m->by == BY_TENSORFLOW && !c->mode.tf2)
		c->mode.tf2 =
		    mv_find(m->text, "StatefulPartitionedCall") != NULL ||
		    mv_find(m->text, "__inference_") != NULL;
}

/* If the thread has DLProf's markers, nothing else is an op. */
bool
dl_makes_op(const struct corr_thread *th, const struct marker *m)
{
	return !th->p->dl.has_func || m->by != BY_PYTORCH;
}

void
dl_args(
    struct corr_thread *th, const struct corr_open *o, const struct marker *m)
{
	if (mv_eq(m->op, "backward"))
		th->p->dl.backward = (struct run_ref){ o->own, o->own->order };
}

uint64_t
dl_shared(const struct corr_ops *t)
{
	return t->dl->calls_shared;
}

/* Ops that the input already has must be DLProf's. */
static void
dl_op_legend(struct stage *st, struct rec *r)
{
	if (!rec_has(r->type, COL_dl_id))
		rec_die(r, "the input has ops of dlp-correlate without"
			   " --dlprof: give the output of dlp-parse");
	stage_pass(st, r);
}

void
dl_init(struct corr *c, struct stage *st)
{
	c->ops.dl = xcalloc(1, sizeof(*c->ops.dl));
	stage_on(st, "op", stage_pass, .opt = "dl_id", .legend = dl_op_legend);
}

void
dl_free(struct dlprof_ops *d)
{
	smap_free(&d->same);
	smap_free(&d->types);
	buf_free(&d->key);
	buf_free(&d->id);
	buf_free(&d->in);
	buf_free(&d->out);
	buf_free(&d->tf_in);
	memset(d, 0, sizeof(*d));
}
