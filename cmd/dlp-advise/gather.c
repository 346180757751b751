/* What is gathered of iterations, devices and facts; see gather.h. */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "ops.h"
#include "recorder.h"
#include "source.h"
#include "work.h"

static struct {
	void (*done)(struct facts *f);
	struct {
		struct rec_col *iter, *dur, *key;
	} iter;
	struct {
		struct rec_col *dev, *cc, *sm, *mem;
	} dev;
	struct {
		struct rec_col *dev, *class, *dur, *iter, *after;
	} busy;
	struct {
		struct rec_col *iter, *dropped;
	} cut;
	struct {
		struct rec_col *dur, *class, *iter;
	} gap;
} t;

static void
on_dev(struct facts *f, struct rec *r)
{
	struct device *d;
	int64_t no;
	double cc;

	if (!rec_i64(r, t.dev.dev, &no))
		return;
	d = facts_dev(f, no);
	d->visible = true;
	rec_i64(r, t.dev.sm, &d->n_sm);
	rec_i64(r, t.dev.mem, &d->mem_total);
	if (rec_f64(r, t.dev.cc, &cc))
		d->cc10 = (int64_t)(cc * 10 + 0.5);
}

static void
on_iter(struct facts *f, struct rec *r)
{
	int64_t no, dur;
	size_t n;

	f->has_key |= rec_raw(r, t.iter.key, &n) != NULL;
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
on_busy(struct facts *f, struct rec *r)
{
	static const char *const word[N_CLASS] = { "tc", "kern", "graph", "mem",
		"dataload", "io", "cpu", "other" };
	int64_t dev, dur, in;
	size_t n;
	const char *s = rec_raw(r, t.busy.class, &n);
	bool counts;
	int i;

	if (!rec_i64(r, t.busy.dev, &dev) || !rec_i64(r, t.busy.dur, &dur))
		return;
	f->has_busy = true;
	counts = rec_i64(r, t.busy.iter, &in) || rec_i64(r, t.busy.after, &in);
	f->in_steps |= counts;
	for (i = 0; i < N_CLASS; i++)
		if (text_is(s, n, word[i])) {
			struct device *d = facts_dev(f, dev);
			int64_t *sum = counts ? d->busy : d->no_iter;

			d->used |= i <= B_MEM && dur > 0;
			sum[i] = num_add(sum[i], dur);
		}
}

/* Without iterations all time counts. */
static void
busy_end(struct facts *f)
{
	size_t i;

	for (i = 0; i < f->n_dev && !f->in_steps; i++)
		memcpy(
		    f->dev[i].busy, f->dev[i].no_iter, sizeof(f->dev[i].busy));
}

static void
on_cut(struct facts *f, struct rec *r)
{
	int64_t v;

	f->has_cuts = true;
	if (rec_i64(r, t.cut.iter, &v))
		f->counts = true;
	else if (rec_i64(r, t.cut.dropped, &v))
		f->counts = false;
}

/* As dlp gaps has it, which cuts gaps at the borders of the steps. */
static void
on_gap(struct facts *f, struct rec *r)
{
	static const char *const word[N_GAP] = { "launch-bound", "startup",
		"sync", "dataloader", "communication", "allocation",
		"module-load", "os-wait", "profiler", "queued", "unknown" };
	int64_t dur;
	size_t n;
	const char *s = rec_raw(r, t.gap.class, &n);
	int i;

	f->has_gaps = true;
	if (!in_iter(r, t.gap.iter) || !rec_i64(r, t.gap.dur, &dur))
		return;
	for (i = 0; i < N_GAP; i++)
		if (text_is(s, n, word[i]))
			f->gap_ns[i] = num_add(f->gap_ns[i], dur);
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
	} else if (text_is(name, len, "key_op")) {
		buf_clear(&f->key);
		buf_put(&f->key, v, n);
	} else if (text_is(name, len, "key_op_found")) {
		f->key_found = text_is(v, n, "yes");
	} else if (text_is(name, len, "kernel_arch")) {
		num_i64(v, n, &f->kernel_arch);
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

	size_t len, n;
	bool all;

	(void)st;
	if (!text_is(word, wlen, "info") || rest == NULL ||
	    (tab = memchr(rest, '\t', rlen)) == NULL)
		return;
	len = (size_t)(tab - rest);
	n = rlen - len - 1;
	all = text_is(rest, len, "mode") || text_is(rest, len, "key_op") ||
	      text_is(rest, len, "key_op_found") ||
	      text_is(rest, len, "kernel_arch");
	if (text_is(rest, len, "src"))
		source_head(tab + 1, n);
	else
		source_info(all, on_info, rest, len, tab + 1, n);
}

static void
on_section(struct stage *st)
{
	(void)st;
	ops_forget();
	source_forget();
}

static void
file_end(struct facts *f)
{
	int64_t lo = f->first_kern, hi = f->end_kern;

	ops_end(f);
	busy_end(f);
	if (f->any_kern) {
		f->span_ns = num_sub(hi, lo);
		recorder_over(f, lo, hi);
	}
	t.done(f);
}

static void
on_end(struct stage *st)
{
	(void)st;
	source_each(file_end);
}

void
gather_bind(struct stage *st, bool compat, void (*done)(struct facts *f))
{
	struct rec_type *x;

	source_open(compat);
	t.done = done;
	ops_bind(st);
	x = source_on(st, "iter", on_iter);
	REC_COLS(
	    x, REC_NEED, { &t.iter.iter, "iter" }, { &t.iter.dur, "dur_ns" });
	t.iter.key = rec_col(x, "key", REC_OPT);
	x = source_on(st, "dev", on_dev);
	t.dev.dev = rec_col(x, "dev", REC_NEED);
	REC_COLS(x, REC_OPT, { &t.dev.cc, "cc" }, { &t.dev.sm, "n_sm" },
	    { &t.dev.mem, "mem_bytes" });
	x = source_on(st, "busy", on_busy);
	REC_COLS(x, REC_NEED, { &t.busy.dev, "dev" },
	    { &t.busy.class, "class" }, { &t.busy.dur, "dur_ns" });
	REC_COLS(
	    x, REC_OPT, { &t.busy.iter, "iter" }, { &t.busy.after, "after" });
	x = source_on(st, "cut", on_cut);
	REC_COLS(
	    x, REC_OPT, { &t.cut.iter, "iter" }, { &t.cut.dropped, "dropped" });
	x = source_on(st, "gap", on_gap);
	REC_COLS(x, REC_OPT, { &t.gap.dur, "dur_ns" },
	    { &t.gap.class, "class" }, { &t.gap.iter, "iter" });
	work_bind(st);
	recorder_bind(st);
	st->meta = on_meta;
	st->section = on_section;
	st->end = on_end;
}
