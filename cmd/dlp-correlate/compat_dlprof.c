/*
 * DLProf's ops (--dlprof): when two runs are of one op, the op's id and its
 * shapes as DLProf prints them, the ops of work outside all markers, and the
 * mode, DLProf's word for the framework. Source: DLProf's user guide, and its
 * databases and reports, which the tests compare.
 */
#include "compat.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "corr.h"
#include "err.h"
#include "esc.h"
#include "num.h"

/* A reference to a run that may have been closed since. A closed run's struct
 * is used again for another run, and then its order differs. */
struct run_ref {
	struct corr_inst *in;
	uint64_t order;
};

#define KEY_SEP '\x1f'
#define RANK_MAX 16
#define BIT(x) (1u << (x))

/* Without markers each call would be an op of its own, and memory would grow
 * with the calls. After this many, all calls of a name are one op. */
#define MAX_CALL_OPS 65536

struct dlprof_mode { /* zeroed: nothing seen */
	unsigned by; /* frameworks whose ops were seen, a bit each */
	bool tf2;    /* names as TensorFlow 2 makes them */
	bool tf1;    /* the recorder says it was TensorFlow 1 */
	bool given;  /* the input has its mode */
};

struct dlprof_ops {
	const char *as_mode; /* --mode; NULL: the markers decide */
	struct dlprof_mode mode;
	struct smap same;  /* the identity of an op for DLProf -> its id */
	struct smap types; /* beginning of an id -> number of ops that have
			    * it */
	struct buf key, id, in, out;
	struct buf tf_in;      /* inputs of the last TensorFlow op drafted */
	struct rec_col *dl_id; /* of the op records in the input */
	uint64_t call_ops;     /* made for one call each */
	uint64_t calls_shared; /* calls beyond MAX_CALL_OPS, which share ops */
};

struct dlprof_proc {
	bool has_func;           /* trace markers of DLProf were seen */
	bool has_nvtx;           /* texts of emit_nvtx were seen */
	struct run_ref backward; /* the last run of a backward marker */
};

struct dlprof_thread {
	bool launches;       /* kernels, outside of ops */
	struct run_ref call; /* of the last call outside of ops */
	int64_t call_corr;
};

static struct dlprof_proc *
dl_proc(struct corr_proc *p)
{
	if (p->dlp == NULL)
		p->dlp = xcalloc(1, sizeof(*p->dlp));
	return p->dlp;
}

static struct dlprof_thread *
dl_thread(struct corr_thread *th)
{
	if (th->dlp == NULL)
		th->dlp = xcalloc(1, sizeof(*th->dlp));
	return th->dlp;
}

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

/* Only functions, which came with TensorFlow 2, have such names. */
static const char *const tf2_parts[] = { "StatefulPartitionedCall",
	"__inference_" };

static void
dl_mode_marker(struct dlprof_mode *m, const struct marker *mk)
{
	size_t i;

	if (mk->kind == MK_USER || mk->kind == MK_LAYER ||
	    mk->kind == MK_BROKEN)
		return;
	m->by |= BIT(mk->by);
	if (mk->by != BY_TENSORFLOW || m->tf2)
		return;
	for (i = 0; i < ARRAY_LEN(tf2_parts); i++)
		if (mv_find(mk->text, tf2_parts[i]) != NULL)
			m->tf2 = true;
}

static void
dl_mode_info(struct dlprof_mode *m, const char *s, size_t n)
{
	struct mview v = { s, n };

	if (mv_starts(v, "mode\t"))
		m->given = true;
	else if (mv_starts(v, "framework\tTensorFlow 1"))
		m->tf1 = true;
	else if (mv_starts(v, "framework\tTensorFlow 2"))
		m->tf2 = true;
}

/* NULL if the input already has the mode. */
static const char *
dl_mode_word(const struct dlprof_mode *m)
{
	size_t i;

	if (m->given)
		return NULL;
	for (i = 0; i < ARRAY_LEN(modes); i++) {
		if ((m->by & modes[i].by) == 0)
			continue;
		if (modes[i].by == BIT(BY_TENSORFLOW) && m->tf2 && !m->tf1)
			return "tensorflow2";
		return modes[i].word;
	}
	return "simple";
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

static const struct named_type *
named_of(struct escaped type)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(named); i++)
		if (strlen(named[i].type) == type.n &&
		    memcmp(named[i].type, type.s, type.n) == 0)
			return &named[i];
	return NULL;
}

static bool
shape_number(const char **p, const char *e, int64_t *v)
{
	const char *s = *p;

	while (*p < e && (**p == '-' || (**p >= '0' && **p <= '9')))
		++*p;
	return num_i64(s, (size_t)(*p - s), v);
}

/* The next element of the list of shapes: [1,2], or any other text up to its
 * comma; false at the end. */
static bool
next_shape(const char **p, const char *e, struct dl_shape *x)
{
	int64_t v;

	while (*p < e && (**p == ',' || **p == ' '))
		++*p;
	if (*p == e || **p == ']')
		return false;
	x->n = -1;
	if (**p == '[') {
		for (++*p, x->n = 0; *p < e && **p != ']';) {
			if (x->n >= 0 && x->n < RANK_MAX &&
			    shape_number(p, e, &v))
				x->v[x->n++] = v;
			else
				x->n = -1;
			while (*p < e && **p != ',' && **p != ']')
				++*p;
			if (*p < e && **p == ',')
				++*p;
		}
	}
	while (*p < e && **p != ',' && **p != ']')
		++*p;
	if (*p < e && **p == ']' && x->n >= 0)
		++*p;
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
		if (i > 0)
			buf_put(buf, ", ", 2);
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
dl_shapes(struct escaped type, struct escaped shapes, bool scalars,
    struct buf *in, struct buf *out)
{
	const struct named_type *t = named_of(type);
	const char *p = shapes.s, *e;
	struct dl_shape first[2] = { { .n = -1 }, { .n = -1 } }, x;
	int n = 0;

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

/*
 * Types of ops that could use Tensor Cores: those that multiply matrices, in
 * the words of each framework. DLProf's own list is known for conv2d and
 * linear only.
 */
static const char *const eligible[] = {
	/* PyTorch: names of functions and markers */
	"conv1d",
	"conv2d",
	"conv3d",
	"conv_transpose1d",
	"conv_transpose2d",
	"conv_transpose3d",
	"conv_tbc",
	"linear",
	"bilinear",
	"mm",
	"bmm",
	"mv",
	"matmul",
	"__matmul__",
	"__rmatmul__",
	"addmm",
	"addmm_",
	"addmv",
	"addmv_",
	"addbmm",
	"addbmm_",
	"baddbmm",
	"baddbmm_",
	"chain_matmul",
	"multi_dot",
	"einsum",
	"tensordot",
	"inner",
	"dot",
	"lstm",
	"gru",
	"rnn_tanh",
	"rnn_relu",
	"lstm_cell",
	"gru_cell",
	"rnn_tanh_cell",
	"rnn_relu_cell",
	"LSTM",
	"GRU",
	"RNN",
	"LSTMCell",
	"GRUCell",
	"RNNCell",
	"RNNTanhCell",
	"RNNReLUCell",
	"scaled_dot_product_attention",
	"multi_head_attention_forward",
	/* ATen ops that these call */
	"convolution",
	"_convolution",
	"_convolution_mode",
	"convolution_overrideable",
	"cudnn_convolution",
	"cudnn_convolution_transpose",
	"cudnn_convolution_relu",
	"cudnn_convolution_add_relu",
	"convolution_backward",
	"thnn_conv2d",
	"slow_conv3d",
	"_cudnn_rnn",
	"_thnn_fused_lstm_cell",
	"_addmm_activation",
	"_grouped_mm",
	"_scaled_mm",
	"_int_mm",
	"_scaled_dot_product_attention_math",
	"_scaled_dot_product_flash_attention",
	"_scaled_dot_product_efficient_attention",
	"_scaled_dot_product_cudnn_attention",
	"_flash_attention_forward",
	"_efficient_attention_forward",
	"_native_multi_head_attention",
	/* backward nodes whose forward is unknown */
	"Addmm",
	"Addbmm",
	"Baddbmm",
	"Bmm",
	"Mm",
	"Mv",
	"Linear",
	"Convolution",
	"CudnnConvolution",
	"CudnnRnn",
	"Bilinear",
	/* TensorFlow */
	"MatMul",
	"BatchMatMul",
	"BatchMatMulV2",
	"BatchMatMulV3",
	"SparseMatMul",
	"_FusedMatMul",
	"_FusedBatchMatMulV2",
	"Einsum",
	"XlaEinsum",
	"XlaDot",
	"XlaConv",
	"Conv1D",
	"Conv2D",
	"Conv3D",
	"_FusedConv2D",
	"_FusedConv3D",
	"Conv2DBackpropInput",
	"Conv2DBackpropFilter",
	"Conv3DBackpropInput",
	"Conv3DBackpropInputV2",
	"Conv3DBackpropFilter",
	"Conv3DBackpropFilterV2",
	"CudnnRNN",
	"CudnnRNNV2",
	"CudnnRNNV3",
	"CudnnRNNBackprop",
	"CudnnRNNBackpropV2",
	"CudnnRNNBackpropV3",
	"BlockLSTM",
	"BlockLSTMV2",
	"LSTMBlockCell",
	"GRUBlockCell",
	/* TensorRT and ONNX */
	"Conv",
	"ConvTranspose",
	"Deconvolution",
	"Gemm",
	"FullyConnected",
	/* XLA */
	"gemm",
	"cublas-gemm",
	"cublas-lt-matmul",
	"custom-call-gemm",
	"cudnn-conv",
	"gemm_fusion_dot",
	"triton_gemm_dot",
	"loop_gemm_fusion",
};

static bool
dl_tc(struct escaped type)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(eligible); i++)
		if (text_is(type.s, type.n, eligible[i]))
			return true;
	return false;
}

/* Ops. */

static void
put_key_part(struct buf *b, struct escaped t)
{
	if (t.s != NULL)
		buf_put(b, t.s, t.n);
	buf_putc(b, KEY_SEP);
}

/*
 * The op in the table that a new one is identical to: name, direction, type and
 * input shapes agree. PyProf's markers have no call stack of functions, so the
 * name does not separate two layers of the same shapes; for them the lines of
 * the call are compared.
 */
static uint64_t *
dl_same(void *ctx, const struct corr_op *op)
{
	struct dlprof_ops *dlp = ctx;
	struct buf *k = &dlp->key;
	uint32_t i;

	buf_clear(k);
	buf_putc(k, op->none ? 'U' : op->bwd ? 'B' : 'F');
	if (op->fwd_no != OP_NONE) { /* as its forward op */
		buf_u64(k, op->fwd_no);
	} else {
		put_key_part(k, op->f[OF_NAME]);
		put_key_part(k, op->f[OF_OP]);
		put_key_part(k, op->f[OF_SHAPES]);
		if (text_is(op->f[OF_BY].s, op->f[OF_BY].n, "pyprof"))
			put_key_part(k, op->f[OF_STACK]);
	}
	i = smap_put(&dlp->same, k->s, k->len, NULL);
	return &dlp->same.val[i];
}

/* CONV2D_1; of a backward CONV2D_BPROP_1. */
static void
make_dl_id(struct dlprof_ops *dlp, const struct corr_op *op)
{
	struct escaped type = op->f[OF_OP];
	uint32_t n;
	size_t i;

	buf_clear(&dlp->id);
	for (i = 0; i < type.n; i++) {
		char c = type.s[i];

		buf_putc(&dlp->id, c >= 'a' && c <= 'z' ? (char)(c - 32) : c);
	}
	buf_puts(&dlp->id, op->bwd ? "_BPROP_" : "_");
	n = smap_put(&dlp->types, dlp->id.s, dlp->id.len, NULL);
	buf_u64(&dlp->id, ++dlp->types.val[n]);
}

static void
put_buf(const struct buf *b)
{
	out_raw(b->len > 0 ? b->s : NULL, b->len);
}

static const char *const dl_cols[] = { "dl_id", "dl_in", "dl_out", "dl_tc" };

static void
dl_write(void *ctx, const struct corr_op *op)
{
	struct dlprof_ops *dlp = ctx;

	make_dl_id(dlp, op);
	buf_clear(&dlp->in);
	buf_clear(&dlp->out);
	dl_shapes(
	    op->f[OF_OP], op->f[OF_SHAPES], op->marker, &dlp->in, &dlp->out);
	if (dlp->in.len == 0 &&
	    text_is(op->f[OF_BY].s, op->f[OF_BY].n, "tensorflow"))
		esc_put(&dlp->in, dlp->tf_in.s, dlp->tf_in.len);
	put_buf(&dlp->id);
	put_buf(&dlp->in);
	put_buf(&dlp->out);
	if (op->none)
		out_unset();
	else
		out_text(dl_tc(op->f[OF_OP]) ? "yes" : "no",
		    dl_tc(op->f[OF_OP]) ? 3 : 2);
}

/* DLProf's reports have the inputs of TensorFlow's ops, with their names. */
static void
dl_range(void *ctx, struct draft *draft, const struct marker *m)
{
	struct dlprof_ops *d = ctx;
	const struct marker_args *args;

	buf_clear(&d->tf_in);
	if (m->by != BY_TENSORFLOW)
		return;
	args = marker_args(m);
	marker_tf_inputs(m, &d->tf_in);
	if (args != NULL)
		draft_view(draft, OF_DTYPE, args->dtype);
}

/* If the markers have no name for the op, it gets one that includes the module.
 */
static void
dl_args_name(void *ctx, const struct marker *m, struct buf *name)
{
	(void)ctx;
	if (m->mod.n == 0)
		return;
	buf_put(name, m->mod.s, m->mod.n);
	buf_putc(name, '/');
	buf_put(name, m->op.s, m->op.n);
}

static void
dl_clear(void *ctx)
{
	struct dlprof_ops *d = ctx;

	smap_clear(&d->same);
	smap_clear(&d->types);
}

/* Work outside the ops of all markers. */

static bool
goes_on(const struct corr *c, const struct run_ref *r)
{
	return r->in != NULL && r->in->order == r->order &&
	       r->in->end > c->threads.now;
}

static struct corr_inst *
backward_run(const struct corr *c, const struct corr_work *w)
{
	const struct dlprof_proc *p = dl_proc(w->p);

	if (w->th == NULL || w->th->any_op || p->has_nvtx ||
	    !goes_on(c, &p->backward))
		return NULL;
	return p->backward.in;
}

/*
 * Without emit_nvtx the profile does not show what the threads of autograd do.
 * If a process has markers but none of backward, the threads that launch
 * kernels without markers are taken for autograd's.
 */
static bool
is_backward(const struct corr_work *w)
{
	const struct dlprof_proc *p = dl_proc(w->p);
	struct dlprof_thread *th = dl_thread(w->th);

	if (!w->p->has_args || p->has_nvtx || w->th->any_op ||
	    p->backward.in != NULL)
		return false;
	th->launches |= w->type == W_KERN;
	return th->launches;
}

/* The run of the call that launched several activities. */
static struct corr_inst *
call_run(const struct corr *c, const struct corr_work *w)
{
	const struct dlprof_thread *th = dl_thread(w->th);

	if (w->type == W_CALL || w->own_call || th->call_corr != w->corr ||
	    !goes_on(c, &th->call))
		return NULL;
	return th->call.in;
}

static struct corr_inst *
run_of(struct corr *corr, const struct corr_work *work, uint32_t op)
{
	struct corr_inst *in = inst_new(&corr->insts);
	bool guess;

	in->op = op;
	in->pid = work->p->pid;
	in->src = work->p->src;
	in->has_tid = work->th != NULL;
	in->tid = work->th != NULL ? work->th->tid : 0;
	in->start = in->end = work->has_api ? work->api_start : work->start;
	in->replay = !work->own_call;
	if (work->own_call)
		in->end = work->api_end;
	in->phase = phase_now(&corr->threads, work->p, work->th, &guess);
	inst_schedule(&corr->insts, in);
	return in;
}

/* DLProf's op for all backward work, used if the profile says no more. */
static uint32_t
op_of_all_backward(struct corr_ops *ops)
{
	static const char name[] = "backward";
	size_t n = sizeof(name) - 1;
	struct draft draft;
	uint32_t id, at;

	key_begin(&ops->key, 'K', "", 0);
	id = ident_find(ops, &at);
	if (id != OP_NONE)
		return id;
	draft_begin(ops, &draft);
	draft.op.bwd = true;
	draft_raw(&draft, OF_NAME, name, n);
	draft_raw(&draft, OF_OP, name, n);
	draft_raw(&draft, OF_BY, "api", 3);
	return draft_done(ops, &draft, at);
}

static uint32_t
op_outside(struct corr *c, const struct corr_work *w, struct escaped layer)
{
	static const struct escaped none;

	if (is_backward(w))
		return op_of_all_backward(&c->ops);
	if (c->dlprof->call_ops < MAX_CALL_OPS) {
		c->dlprof->call_ops++;
		return op_of_call(&c->ops, layer, w->what);
	}
	c->dlprof->calls_shared++;
	return op_unassociated(&c->ops, none, w->what);
}

/*
 * The run that work outside of all ops belongs to.
 *
 * While a run of backward is open in the process, it is that run, because the
 * framework does the backward work on threads of its own that have no ranges.
 * If there is no such run, each call is a run of one op.
 *
 * Otherwise the call is an op and a run of its own. If the call is unknown, the
 * activity is a run of the op named after it.
 */
static struct corr_inst *
dl_outside(
    struct corr *corr, const struct corr_work *work, struct escaped layer)
{
	struct corr_inst *in = backward_run(corr, work);

	if (in != NULL)
		return in;
	if (work->th == NULL)
		return run_of(
		    corr, work, op_unassociated(&corr->ops, layer, work->what));
	in = call_run(corr, work);
	if (in != NULL)
		return in;
	in = run_of(corr, work, op_outside(corr, work, layer));
	if (work->type == W_CALL) {
		dl_thread(work->th)->call = (struct run_ref){ in, in->order };
		dl_thread(work->th)->call_corr = work->corr;
	}
	return in;
}

/* DLProf does not know frames, so a call before the node of a backward is
 * outside of ops: the op that the frame would name does not exist. */
static bool
dl_is_outside(const struct corr_work *w)
{
	const struct corr_open *top = thread_top(w->th);

	return (w->type == W_CALL || w->type == W_SYNC) && top != NULL &&
	       top->cur != NULL && top->cur->pending;
}

/* The hooks of a section. */

static void
dl_marker(struct corr *c, struct corr_proc *p, const struct marker *m)
{
	struct dlprof_proc *dp = dl_proc(p);

	if (m->kind == MK_TRACE && m->by == BY_DLPROF)
		dp->has_func = true;
	if (m->by == BY_PYTORCH &&
	    (m->kind == MK_OP || m->kind == MK_BWD || m->kind == MK_BWD_FRAME))
		dp->has_nvtx = true;
	dl_mode_marker(&c->dlprof->mode, m);
}

/* If the thread has DLProf's markers, nothing else is an op. */
static bool
dl_makes_op(const struct corr_thread *th, const struct marker *m)
{
	return !dl_proc(th->p)->has_func || m->by != BY_PYTORCH;
}

static void
dl_args(
    struct corr_thread *th, const struct corr_open *o, const struct marker *m)
{
	if (mv_eq(m->op, "backward"))
		dl_proc(th->p)->backward =
		    (struct run_ref){ o->own, o->own->order };
}

static void
dl_meta(struct corr *c, const char *s, size_t n)
{
	dl_mode_info(&c->dlprof->mode, s, n);
}

static void
dl_section(struct corr *c)
{
	struct dlprof_ops *d = c->dlprof;

	memset(&d->mode, 0, sizeof(d->mode));
	d->call_ops = d->calls_shared = 0;
}

static void
dl_end(struct corr *c)
{
	const char *mode = c->dlprof->as_mode;

	if (mode == NULL)
		mode = dl_mode_word(&c->dlprof->mode);
	if (mode != NULL)
		out_meta("info", "mode\t%s", mode);
}

static void
dl_notes(struct corr *c)
{
	stage_note("calls_of_shared_ops", c->dlprof->calls_shared);
}

/* Ops that the input already has must be DLProf's. */
static void
dl_op_legend(struct stage *st, struct rec *r)
{
	const struct dlprof_ops *d = rec_arg(r);

	if (d->dl_id->pos < 0)
		rec_die(r, "the input has ops of dlp-correlate without"
			   " --dlprof: give the output of dlp-parse");
	stage_pass(st, r);
}

void
compat_dlprof(struct corr *corr, struct stage *st)
{
	struct dlprof_ops *dlp = xcalloc(1, sizeof(*dlp));

	corr->dlprof = dlp;
	dlp->dl_id = rec_col(stage_on(st, "op", stage_pass, dl_op_legend, dlp),
	    "dl_id", REC_OPT);
	corr->hooks.section = dl_section;
	corr->hooks.meta = dl_meta;
	corr->hooks.marker = dl_marker;
	corr->hooks.makes_op = dl_makes_op;
	corr->hooks.args = dl_args;
	corr->hooks.is_outside = dl_is_outside;
	corr->hooks.outside = dl_outside;
	corr->hooks.notes = dl_notes;
	corr->ops.hooks = (struct op_hooks){ .ctx = dlp,
		.bare_names = true,
		.args_name = dl_args_name,
		.range = dl_range,
		.same = dl_same,
		.cols = dl_cols,
		.n_cols = ARRAY_LEN(dl_cols),
		.write = dl_write,
		.clear = dl_clear };
}

void
compat_dlprof_mode(struct corr *c, const char *mode)
{
	if (c->dlprof == NULL)
		c->dlprof = xcalloc(1, sizeof(*c->dlprof));
	c->dlprof->as_mode = mode;
	c->hooks.end = dl_end;
}

void
compat_dlprof_free(struct corr *corr)
{
	struct dlprof_ops *dlp = corr->dlprof;

	if (dlp == NULL)
		return;
	smap_free(&dlp->same);
	smap_free(&dlp->types);
	buf_free(&dlp->key);
	buf_free(&dlp->id);
	buf_free(&dlp->in);
	buf_free(&dlp->out);
	buf_free(&dlp->tf_in);
	free(dlp);
}
