/* The records of dlp-rate: work and time in, rates out. */
#include <stdlib.h>
#include <string.h>

#include "devs.h"
#include "err.h"
#include "gpus.h"
#include "num.h"
#include "rate.h"
#include "run.h"

static const char *const names[] = { "tflops", "gb_s", "ai", "peak_tflops",
	"peak_pct", "bound", "bound_pct", "peak_ns", "roof_ns", "exec_flop",
	"flop_ns", "bytes_ns" };
#define NCOL 12

/* What the figures are called, the sums of dlp-agg behind the plain ones. A
 * kernel skips what a causal mask leaves out, so rates are of the rest. */
static const char *const flop_names[] = { "causal_flop", "sum_exec_flop",
	"flop", "sum_flop" };
static const char *const bytes_names[] = { "bytes", "sum_bytes" };
static const char *const time_names[] = { "dur_ns", "sum_dur_ns", "gpu_ns",
	"sum_gpu_ns" };

/* Families whose work is matrix products, as dlp-flops names them. */
static const char *const products[] = { "gemm", "gemv", "gemm_int",
	"gemm_fused", "conv", "conv_fused", "attention", "rnn" };

#define MAX_NAMES 4

struct cols { /* of a record type */
	struct rec_type *type;
	struct cols *next;
	struct out_ext *ext;
	struct rec_col *flop[MAX_NAMES], *bytes[2], *time[MAX_NAMES];
	struct rec_col *peak_ns, *roof_ns, *flop_ns, *bytes_ns;
	struct rec_col *dtype, *family, *role, *dev, *src;
};

static struct cols *all; /* few: a list does */
static struct {
	struct rec_col *dev, *name, *bw, *src;
} dc;

static struct gpu none;       /* a device of which nothing is known */
static uint64_t no_peak;      /* records with FLOPs and a type, but no peak */
static struct buf no_peak_of; /* the GPU's name, of the first of them */

static void
on_section(struct stage *st)
{
	(void)st;
	devs_forget();
	gpus_find(&none, NULL, 0, 0);
}

static void
on_dev(struct stage *st, struct rec *r)
{
	static struct buf tmp;
	struct gpu g;
	int64_t dev;
	double bw = 0;
	size_t n = 0, n_src = 0;
	const char *name = rec_str(r, dc.name, &tmp, &n);
	const char *src = rec_raw(r, dc.src, &n_src);

	if (rec_i64(r, dc.dev, &dev)) {
		rec_f64(r, dc.bw, &bw);
		memset(&g, 0, sizeof(g));
		gpus_find(&g, name, n, bw / 1e9);
		devs_add(src, n_src, dev, &g);
		if (no_peak_of.len == 0 && name != NULL &&
		    g.tflops[PK_FP32] == 0)
			buf_put(&no_peak_of, name, n);
	}
	stage_pass(st, r);
}

/* The record's device, or what all devices of its file are. */
static const struct gpu *
gpu_of(const struct rec *r, const struct cols *c)
{
	const struct gpu *g = NULL;
	size_t n;
	const char *src = rec_raw(r, c->src, &n);
	int64_t dev;

	if (c->dev->pos < 0)
		g = devs_all(src, n);
	else if (rec_i64(r, c->dev, &dev))
		g = devs_find(src, n, dev);
	return g != NULL ? g : &none;
}

/* Without a family everything with a type is taken for a product. */
static bool
is_product(const struct rec *r, const struct cols *c)
{
	size_t i, n;
	const char *s;

	if (c->family->pos < 0)
		return true;
	s = rec_raw(r, c->family, &n);
	for (i = 0; s != NULL && i < sizeof(products) / sizeof(*products); i++)
		if (strlen(products[i]) == n && memcmp(products[i], s, n) == 0)
			return true;
	return false;
}

static double
first_of(const struct rec *r, struct rec_col *const *c, size_t n)
{
	double v;
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_f64(r, c[i], &v) && v >= 0)
			return v;
	return -1;
}

static void
read_work(const struct rec *r, const struct cols *c, struct work *w)
{
	const struct gpu *g = gpu_of(r, c);
	const char *dtype;
	size_t n;

	w->flop = first_of(r, c->flop, MAX_NAMES);
	w->bytes = first_of(r, c->bytes, 2);
	w->ns = first_of(r, c->time, MAX_NAMES);
	w->peak_ns = first_of(r, &c->peak_ns, 1);
	w->roof_ns = first_of(r, &c->roof_ns, 1);
	w->gb_s = g->gb_s;
	w->peak_tflops = 0;
	dtype = rec_raw(r, c->dtype, &n);
	if (dtype != NULL)
		w->peak_tflops = gpu_tflops(g, dtype, n, is_product(r, c));
	if (w->flop > 0 && w->peak_tflops == 0 && w->peak_ns < 0)
		no_peak++;
}

/* Four significant digits, without an exponent. */
static void
put(double v)
{
	double limit = 1000;
	int decimals = 0;

	if (v < 0) {
		out_unset();
		return;
	}
	for (; v < limit && decimals < 9 && v > 0; limit /= 10)
		decimals++;
	buf_putc(&out_buf, '\t');
	buf_f64(&out_buf, v, decimals);
}

/* The bytes of a further kernel of the same work stand with the first. */
static bool
is_part(const struct rec *r, const struct cols *c)
{
	size_t n;
	const char *s = rec_raw(r, c->role, &n);

	return s != NULL && n == 4 && memcmp(s, "part", 4) == 0;
}

static bool
first_int(const struct rec *r, struct rec_col *const *c, size_t n, int64_t *v)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_i64(r, c[i], v))
			return true;
	return false;
}

static void
put_flop(const struct rec *r, const struct cols *c)
{
	int64_t v = 0;
	bool has = first_int(r, c->flop, MAX_NAMES, &v);

	out_opt(has, v);
}

/* The time of which the work is known; of a group its sum, if there. */
static void
put_time(
    const struct rec *r, const struct cols *c, struct rec_col *sum, bool known)
{
	int64_t v = 0;
	bool has = rec_i64(r, sum, &v);

	if (!has)
		has = first_int(r, c->time, MAX_NAMES, &v);
	else
		known = true;
	out_opt(has, known ? v : 0);
}

static struct cols *
cols_of(const struct rec_type *t)
{
	struct cols *c = all;

	while (c->type != t)
		c = c->next;
	return c;
}

static void
on_data(struct stage *st, struct rec *r)
{
	struct cols *c = cols_of(r->type);
	struct work w;
	struct rate q;

	(void)st;
	read_work(r, c, &w);
	rate_of(&w, &q);
	out_ext_begin(c->ext, r);
	put(q.tflops);
	put(q.gb_s);
	put(q.ai);
	put(q.peak_tflops);
	put(q.peak_pct);
	out_raw(q.bound, strlen(q.bound));
	put(q.bound_pct);
	put(q.peak_ns);
	put(q.roof_ns);
	put_flop(r, c);
	put_time(r, c, c->flop_ns, w.flop >= 0);
	put_time(
	    r, c, c->bytes_ns, w.bytes >= 0 || (w.flop >= 0 && is_part(r, c)));
	out_ext_end(c->ext, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	(void)st;
	out_ext_legend(cols_of(r->type)->ext, r);
}

static void
bind(struct rec_type *t, struct rec_col **c, const char *const *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		c[i] = rec_col(t, name[i], REC_OPT);
}

static void
attach_type(struct stage *st, const char *tag)
{
	struct rec_type *t = stage_on(st, tag, on_data, on_legend, NULL);
	struct cols *c = xcalloc(1, sizeof(*c));

	c->type = t;
	c->next = all;
	all = c;
	c->ext = out_ext(names, NCOL);
	/* A group can be of anything; kernels are from dlp-flops. */
	if (strcmp(tag, "kern") == 0) {
		rec_col(t, "flop", REC_NEED);
		rec_col(t, "dur_ns", REC_NEED);
	}
	bind(t, c->flop, flop_names, MAX_NAMES);
	bind(t, c->bytes, bytes_names, 2);
	bind(t, c->time, time_names, MAX_NAMES);
	REC_COLS(t, REC_OPT, { &c->peak_ns, "sum_peak_ns" },
	    { &c->roof_ns, "sum_roof_ns" }, { &c->flop_ns, "sum_flop_ns" },
	    { &c->bytes_ns, "sum_bytes_ns" }, { &c->dtype, "dtype" },
	    { &c->family, "family" }, { &c->role, "role" }, { &c->dev, "dev" },
	    { &c->src, "src" });
}

void
rate_say(void)
{
	if (no_peak > 0 && no_peak_of.len > 0)
		warn("no peak rates known of %s, so percentages of them are"
		     " unset: --peak gives them",
		    buf_str(&no_peak_of));
}

void
rate_attach(struct stage *st, char **types, int n)
{
	struct rec_type *t;
	int i;

	t = stage_on(st, "dev", on_dev, NULL, NULL);
	dc.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &dc.name, "name" }, { &dc.bw, "membw_bytes_s" },
	    { &dc.src, "src" });
	for (i = 0; i < n; i++)
		attach_type(st, types[i]);
	st->section = on_section;
}
