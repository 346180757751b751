/* What is gathered of ops, iterations, devices and facts; see facts.h. The
 * rows of work are in work.c. */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "facts_work.h"
#include "mview.h"
#include "num.h"

static struct {
	struct facts *f;
	void (*done)(struct facts *f);
	struct map ops; /* op id -> bits */
	struct {
		struct rec_col *id, *op, *by, *dtype, *eligible;
	} op;
	struct {
		struct rec_col *op_id;
	} inst;
	struct {
		struct rec_col *iter, *dur;
	} iter;
	struct {
		struct rec_col *dev, *cc, *sm, *mem;
	} dev;
	struct {
		struct rec_col *dev, *class, *dur;
	} busy;
} t;

static bool
holds(const char *s, size_t n, const char *part)
{
	return s != NULL && mv_find((struct mview){ s, n }, part) != NULL;
}

/* Half precision and below: what AMP would give. */
static unsigned
type_bits(const char *s, size_t n)
{
	if (s == NULL)
		return 0;
	if (holds(s, n, "float16") || holds(s, n, "Half") ||
	    holds(s, n, "half") || text_is(s, n, "fp16") ||
	    text_is(s, n, "bf16") || holds(s, n, "float8") ||
	    holds(s, n, "fp8"))
		return OP_TYPED | OP_HALF;
	return OP_TYPED;
}

static void
on_op(struct stage *st, struct rec *r)
{
	unsigned bits = 0;
	uint64_t *v;
	int64_t id;
	size_t n;
	const char *s;

	stage_pass(st, r);
	if (!rec_i64(r, t.op.id, &id))
		return;
	s = rec_raw(r, t.op.eligible, &n);
	bits |= text_is(s, n, "yes") ? OP_ELIGIBLE : 0;
	s = rec_raw(r, t.op.dtype, &n);
	bits |= type_bits(s, n);
	s = rec_raw(r, t.op.op, &n);
	bits |= holds(s, n, "conv") || holds(s, n, "Conv") ? OP_CONV : 0;
	bits |= holds(s, n, "dali") || holds(s, n, "DALI") ? OP_DALI : 0;
	s = rec_raw(r, t.op.by, &n);
	bits |= text_is(s, n, "xla") ? OP_XLA : 0;
	bits |= text_is(s, n, "pytorch") ? OP_PYTORCH : 0;
	bits |= s != NULL && !text_is(s, n, "api") ? 0 : OP_API;
	v = map_put(&t.ops, (uint64_t)id, NULL);
	*v = bits;
}

static void
on_inst(struct stage *st, struct rec *r)
{
	int64_t id;
	uint64_t *v;

	stage_pass(st, r);
	if (rec_i64(r, t.inst.op_id, &id) &&
	    (v = map_get(&t.ops, (uint64_t)id)) != NULL)
		*v |= OP_SEEN;
}

void
facts_op(int64_t id, const char *dtype, size_t n, bool tc, bool eligible)
{
	uint64_t *v = map_get(&t.ops, (uint64_t)id);

	if (v == NULL)
		return;
	*v |= OP_SEEN | (tc ? OP_TC : 0);
	if (t.op.eligible->pos < 0 && eligible)
		*v |= OP_ELIGIBLE;
	if ((*v & OP_TYPED) == 0)
		*v |= type_bits(dtype, n);
}

struct device *
facts_dev(struct facts *f, int64_t no)
{
	struct device *d;
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].dev == no)
			return &f->dev[i];
	f->dev = xrealloc(f->dev, f->n_dev + 1, sizeof(*f->dev));
	d = &f->dev[f->n_dev++];
	memset(d, 0, sizeof(*d));
	d->dev = no;
	d->n_sm = d->cc10 = -1;
	return d;
}

static void
on_dev(struct stage *st, struct rec *r)
{
	struct device *d;
	int64_t no;
	double cc;

	stage_pass(st, r);
	if (!rec_i64(r, t.dev.dev, &no))
		return;
	d = facts_dev(t.f, no);
	d->visible = true;
	rec_i64(r, t.dev.sm, &d->n_sm);
	rec_i64(r, t.dev.mem, &d->mem_total);
	if (rec_f64(r, t.dev.cc, &cc))
		d->cc10 = (int64_t)(cc * 10 + 0.5);
}

static void
on_iter(struct stage *st, struct rec *r)
{
	struct facts *f = t.f;
	int64_t no, dur;

	stage_pass(st, r);
	if (!rec_i64(r, t.iter.iter, &no) || !rec_i64(r, t.iter.dur, &dur))
		return;
	if (f->n_iter == f->cap_iter) {
		f->cap_iter = f->cap_iter > 0 ? 2 * f->cap_iter : 64;
		f->iter_no =
		    xrealloc(f->iter_no, f->cap_iter, sizeof(*f->iter_no));
		f->iter_ns =
		    xrealloc(f->iter_ns, f->cap_iter, sizeof(*f->iter_ns));
	}
	f->iter_no[f->n_iter] = no;
	f->iter_ns[f->n_iter++] = dur;
}

static void
on_busy(struct stage *st, struct rec *r)
{
	static const char *const word[N_CLASS] = { "tc", "kern", "graph", "mem",
		"dataload", "io", "cpu", "other" };
	int64_t dev, dur;
	size_t n;
	const char *s = rec_raw(r, t.busy.class, &n);
	int i;

	stage_pass(st, r);
	if (!rec_i64(r, t.busy.dev, &dev) || !rec_i64(r, t.busy.dur, &dur))
		return;
	t.f->has_busy = true;
	for (i = 0; i < N_CLASS; i++)
		if (text_is(s, n, word[i])) {
			struct device *d = facts_dev(t.f, dev);

			d->busy[i] = num_add(d->busy[i], dur);
		}
}

static int64_t
setting(const char *s, size_t n)
{
	int64_t v;

	if (text_is(s, n, "true") || text_is(s, n, "True"))
		return 1;
	if (text_is(s, n, "false") || text_is(s, n, "False"))
		return 0;
	return num_i64(s, n, &v) ? v : -1;
}

static void
on_info(struct facts *f, const char *name, size_t len, const char *v, size_t n)
{
	static const char *const model[N_MODEL] = { "model_num_workers",
		"model_cudnn_benchmark_disabled", "model_detect_anomaly",
		"model_gradcheck", "model_gradgradcheck",
		"model_autograd_profile", "model_autograd_set_detect_anomaly",
		"model_record_function", "model_emit_nvtx" };
	int i;

	for (i = 0; i < N_MODEL; i++)
		if (text_is(name, len, model[i]))
			f->model[i] = setting(v, n);
	if (text_is(name, len, "mode") && n < sizeof(f->mode)) {
		memcpy(f->mode, v, n);
		f->mode[n] = '\0';
	} else if (text_is(name, len, "src")) {
		buf_clear(&f->src);
		buf_put(&f->src, v, n);
	} else if (text_is(name, len, "key_op")) {
		buf_clear(&f->key);
		buf_put(&f->key, v, n);
	} else if (text_is(name, len, "key_op_found")) {
		f->key_found = text_is(v, n, "yes");
	} else if (text_is(name, len, "gpu_mem_total_bytes")) {
		num_i64(v, n, &f->mem_total);
	} else if (text_is(name, len, "gpu_mem_used_bytes")) {
		num_i64(v, n, &f->mem_used);
	}
}

static void
on_meta(struct stage *st, struct rec *r)
{
	size_t wlen, rlen;
	const char *rest, *tab;
	const char *word = rec_meta(r, &wlen, &rest, &rlen);

	(void)st;
	if (!text_is(word, wlen, "info") || rest == NULL ||
	    (tab = memchr(rest, '\t', rlen)) == NULL)
		return;
	on_info(t.f, rest, (size_t)(tab - rest), tab + 1,
	    rlen - (size_t)(tab + 1 - rest));
}

static void
forget(struct facts *f)
{
	bool compat = f->compat;
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		ivl_free(&f->dev[i].comm);
		ivl_free(&f->dev[i].work);
	}
	free(f->dev);
	free(f->iter_no);
	free(f->iter_ns);
	buf_free(&f->key);
	buf_free(&f->src);
	work_forget(f);
	memset(f, 0, sizeof(*f));
	f->compat = compat;
	f->key_found = -1;
	for (i = 0; i < N_MODEL; i++)
		f->model[i] = -1;
	map_clear(&t.ops);
}

static void
on_section(struct stage *st)
{
	(void)st;
	forget(t.f);
}

/* Ops count if they ran in what is judged. */
static void
count_ops(struct facts *f)
{
	uint64_t key, v;
	size_t it = 0;

	while (map_next(&t.ops, &it, &key, &v)) {
		if ((v & OP_SEEN) == 0)
			continue;
		f->ops.all++;
		f->ops.conv += (v & OP_CONV) != 0;
		f->ops.dali += (v & OP_DALI) != 0;
		f->ops.xla += (v & OP_XLA) != 0;
		f->ops.pytorch += (v & OP_PYTORCH) != 0;
		if ((v & OP_ELIGIBLE) == 0)
			continue;
		f->ops.eligible++;
		f->ops.typed += (v & OP_TYPED) != 0;
		f->ops.half += (v & OP_HALF) != 0;
		f->ops.half_no_tc += (v & (OP_HALF | OP_TC)) == OP_HALF;
	}
}

static void
on_end(struct stage *st)
{
	(void)st;
	count_ops(t.f);
	work_end(t.f);
	t.done(t.f);
}

static void
bind_ops(struct stage *st)
{
	struct rec_type *op = stage_on(st, "op", on_op, NULL);
	struct rec_type *inst = stage_on(st, "inst", on_inst, NULL);

	t.op.id = rec_col(op, "op_id", REC_NEED);
	t.op.op = rec_col(op, "op", REC_OPT);
	t.op.by = rec_col(op, "by", REC_OPT);
	t.op.dtype = rec_col(op, "dtype", REC_OPT);
	t.op.eligible = rec_col(op, "dl_tc", REC_OPT);
	t.inst.op_id = rec_col(inst, "op_id", REC_NEED);
}

void
facts_bind(struct stage *st, struct facts *f, void (*done)(struct facts *f))
{
	struct rec_type *x;

	t.f = f;
	t.done = done;
	bind_ops(st);
	x = stage_on(st, "iter", on_iter, NULL);
	t.iter.iter = rec_col(x, "iter", REC_NEED);
	t.iter.dur = rec_col(x, "dur_ns", REC_NEED);
	x = stage_on(st, "dev", on_dev, NULL);
	t.dev.dev = rec_col(x, "dev", REC_NEED);
	t.dev.cc = rec_col(x, "cc", REC_OPT);
	t.dev.sm = rec_col(x, "n_sm", REC_OPT);
	t.dev.mem = rec_col(x, "mem_bytes", REC_OPT);
	x = stage_on(st, "busy", on_busy, NULL);
	t.busy.dev = rec_col(x, "dev", REC_NEED);
	t.busy.class = rec_col(x, "class", REC_NEED);
	t.busy.dur = rec_col(x, "dur_ns", REC_NEED);
	work_bind(st, f);
	st->meta = on_meta;
	st->section = on_section;
	st->end = on_end;
}

int64_t
dev_kernels(const struct device *d)
{
	return d->busy[B_TC] + d->busy[B_KERN] + d->busy[B_GRAPH];
}

int64_t
dev_wall(const struct device *d)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < N_CLASS; i++)
		sum = num_add(sum, d->busy[i]);
	return sum;
}

double
busy_pct(const struct facts *f, unsigned classes)
{
	double part = 0, all = 0;
	size_t k;
	int i;

	for (k = 0; k < f->n_dev; k++)
		for (i = 0; i < N_CLASS; i++) {
			all += (double)f->dev[k].busy[i];
			if ((classes >> i & 1) != 0)
				part += (double)f->dev[k].busy[i];
		}
	return all > 0 ? 100 * part / all : 0;
}
