/*
 * dlp-rate: adds rates to records that have work and time: kernels after
 * dlp-flops, and the groups of dlp-agg. The device's peak rates come from
 * gpus.tab or the user.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "dlp-rate/rate_gpus.h"
#include "err.h"
#include "num.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-rate [-u] [-T TYPES] [--peak DTYPE=TFLOPS,...]"
    " [--peak-bw GB/S] [FILE]\n"
    "\n"
    "Adds TFLOP/s, GB/s, arithmetic intensity, the share of the device's\n"
    "peak and the roofline's bound to records with FLOPs, bytes and a time.\n"
    "\n"
    "  -T, --type TYPES      record types, comma separated (default\n"
    "                        kern,agg)\n"
    "      --peak D=T,...    the device's peak for a type, in TFLOP/s\n"
    "      --peak-bw GB/S    the bandwidth of its memory\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            print this text\n"
    "  -V, --version         print the version\n";

static const char *const names[] = { "tflops", "gb_s", "ai", "peak_tflops",
	"peak_pct", "bound", "bound_pct", "peak_ns", "roof_ns", "exec_flop",
	"flop_ns", "bytes_ns" };

/* What the figures are called, the sums of dlp-agg after the plain ones. A
 * kernel skips what a causal mask leaves out, so rates are of the rest. */
static const char *const flop_names[] = { "causal_flop", "sum_exec_flop",
	"flop", "sum_flop" };
static const char *const bytes_names[] = { "bytes", "sum_bytes" };
static const char *const time_names[] = { "dur_ns", "sum_dur_ns", "gpu_ns",
	"sum_gpu_ns" };

/* Families whose work is matrix products, as dlp-flops names them. */
static const char *const products[] = { "gemm", "gemv", "gemm_int",
	"gemm_fused", "conv", "conv_fused", "attention", "rnn" };

struct rate_type { /* columns of a record type */
	struct out_ext *ext;
	struct rec_col *flop[ARRAY_LEN(flop_names)],
	    *bytes[ARRAY_LEN(bytes_names)], *time[ARRAY_LEN(time_names)];
	struct rec_col *peak_ns, *roof_ns, *flop_ns, *bytes_ns;
	struct rec_col *dtype, *family, *role, *dev, *src;
};

struct rate {
	struct rate_gpus gpus;
	struct {
		struct rec_col *dev, *name, *bw, *src;
	} dev;
	struct gpu_rates unknown; /* of a device that is not known */
	uint64_t no_peak;      /* records with FLOPs and a type, but no peak */
	struct buf no_peak_of; /* the name of the first such GPU */
	struct buf name;       /* scratch */
};

/*
 * The arithmetic
 */

#define UNKNOWN (-1.0)

struct rate_work { /* negative: unknown */
	double flop, bytes, ns;
	double peak_ns, roof_ns; /* where they are summed up already */
	double peak_tflops;      /* of the device; 0: unknown */
	double gb_s;             /* of its memory; 0: unknown */
};

struct rate_result { /* negative: unknown */
	double tflops, gb_s, ai, peak_tflops, peak_pct, bound_pct;
	double peak_ns;    /* the time that the FLOPs take at the peak */
	double roof_ns;    /* the least time that FLOPs and bytes take */
	const char *bound; /* "compute", "memory" or "unknown" */
};

static double
quotient(double a, double b, double scale)
{
	return a < 0 || b <= 0 ? UNKNOWN : a / b * scale;
}

/* No arithmetic takes no time, whatever the peak. TFLOP/s are FLOPs per ns
 * divided by 1000. */
static double
peak_time(const struct rate_work *w)
{
	if (w->peak_ns >= 0)
		return w->peak_ns;
	if (w->flop == 0)
		return 0;
	return quotient(w->flop, w->peak_tflops, 1e-3);
}

/* The bound is whatever takes longer at the device's rates. */
static void
set_roof(const struct rate_work *w, struct rate_result *r)
{
	double mem = quotient(w->bytes, w->gb_s, 1); /* GB/s: bytes per ns */

	if (r->peak_ns < 0 || mem < 0 || (r->peak_ns == 0 && mem == 0)) {
		r->roof_ns = w->roof_ns;
		return;
	}
	r->bound = r->peak_ns >= mem ? "compute" : "memory";
	r->roof_ns = r->peak_ns >= mem ? r->peak_ns : mem;
	if (w->roof_ns >= 0)
		r->roof_ns = w->roof_ns;
}

static void
rate_of(const struct rate_work *w, struct rate_result *r)
{
	r->tflops = quotient(w->flop, w->ns, 1e-3);
	r->gb_s = quotient(w->bytes, w->ns, 1);
	r->ai = quotient(w->flop, w->bytes, 1);
	r->bound = "unknown";
	r->peak_ns = peak_time(w);
	r->roof_ns = UNKNOWN;
	set_roof(w, r);
	r->peak_tflops = w->peak_tflops > 0 ? w->peak_tflops : UNKNOWN;
	if (w->peak_ns > 0 && w->flop > 0) /* of several types: their mean */
		r->peak_tflops = quotient(w->flop, w->peak_ns, 1e-3);
	r->peak_pct = quotient(r->peak_ns, w->ns, 100);
	r->bound_pct = quotient(r->roof_ns, w->ns, 100);
}

/*
 * Records
 */

static void
on_rate_section(struct stage *st)
{
	struct rate *x = st->ctx;

	gpus_forget(&x->gpus);
	x->unknown = gpus_named(&x->gpus, NULL, 0, 0);
}

static void
take_device(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	struct gpu_rates g;
	int64_t dev;
	double bw = 0;
	size_t n = 0, n_src = 0;
	const char *name = rec_str(r, x->dev.name, &x->name, &n);
	const char *src = rec_raw(r, x->dev.src, &n_src);

	if (rec_i64(r, x->dev.dev, &dev)) {
		rec_f64(r, x->dev.bw, &bw);
		g = gpus_named(&x->gpus, name, n, bw / 1e9);
		gpus_add(&x->gpus, src, n_src, dev, &g);
		if (x->no_peak_of.len == 0 && name != NULL &&
		    g.tflops[PK_FP32] == 0)
			buf_put(&x->no_peak_of, name, n);
	}
	stage_pass(st, r);
}

/* The record's device, or what all devices of its file are. */
static const struct gpu_rates *
gpu_of(struct rate *x, const struct rate_type *t, const struct rec *r)
{
	const struct gpu_rates *g = NULL;
	size_t n;
	const char *src = rec_raw(r, t->src, &n);
	int64_t dev;

	if (t->dev->pos < 0)
		g = gpus_all(&x->gpus, src, n);
	else if (rec_i64(r, t->dev, &dev))
		g = gpus_device(&x->gpus, src, n, dev);
	return g != NULL ? g : &x->unknown;
}

/* Without a family all that has a type is taken for a product. */
static bool
is_product(const struct rate_type *t, const struct rec *r)
{
	size_t i, n;
	const char *s;

	if (t->family->pos < 0)
		return true;
	s = rec_raw(r, t->family, &n);
	for (i = 0; s != NULL && i < ARRAY_LEN(products); i++)
		if (text_is(s, n, products[i]))
			return true;
	return false;
}

static double
first_f64(const struct rec *r, struct rec_col *const *c, size_t n)
{
	double v;
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_f64(r, c[i], &v) && v >= 0)
			return v;
	return UNKNOWN;
}

static bool
first_i64(const struct rec *r, struct rec_col *const *c, size_t n, int64_t *v)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_i64(r, c[i], v))
			return true;
	return false;
}

static void
read_work(struct rate *x, const struct rate_type *t, const struct rec *r,
    struct rate_work *w)
{
	const struct gpu_rates *g = gpu_of(x, t, r);
	const char *dtype;
	size_t n;

	w->flop = first_f64(r, t->flop, ARRAY_LEN(t->flop));
	w->bytes = first_f64(r, t->bytes, ARRAY_LEN(t->bytes));
	w->ns = first_f64(r, t->time, ARRAY_LEN(t->time));
	w->peak_ns = first_f64(r, &t->peak_ns, 1);
	w->roof_ns = first_f64(r, &t->roof_ns, 1);
	w->gb_s = g->gb_s;
	w->peak_tflops = 0;
	dtype = rec_raw(r, t->dtype, &n);
	if (dtype != NULL)
		w->peak_tflops = gpu_tflops(g, dtype, n, is_product(t, r));
	if (w->flop > 0 && w->peak_tflops == 0 && w->peak_ns < 0)
		x->no_peak++;
}

/* Four significant digits, without an exponent. */
static void
out_rate(double v)
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

static void
out_flop(const struct rate_type *t, const struct rec *r)
{
	int64_t v = 0;
	bool has = first_i64(r, t->flop, ARRAY_LEN(t->flop), &v);

	out_opt(has, v);
}

/* The time whose work is known; for a group its sum, if it has one. */
static void
out_known_time(const struct rate_type *t, const struct rec *r,
    const struct rec_col *sum, bool known)
{
	int64_t v = 0;
	bool has = rec_i64(r, sum, &v);

	if (!has)
		has = first_i64(r, t->time, ARRAY_LEN(t->time), &v);
	else
		known = true;
	out_opt(has, known ? v : 0);
}

static void
put_rated(struct stage *st, struct rec *r)
{
	const struct rate_type *t = rec_arg(r);
	struct rate_work w;
	struct rate_result q;
	bool part = rec_is(r, t->role, "part");

	read_work(st->ctx, t, r, &w);
	rate_of(&w, &q);
	out_ext_begin(t->ext, r);
	out_rate(q.tflops);
	out_rate(q.gb_s);
	out_rate(q.ai);
	out_rate(q.peak_tflops);
	out_rate(q.peak_pct);
	out_raw(q.bound, strlen(q.bound));
	out_rate(q.bound_pct);
	out_rate(q.peak_ns);
	out_rate(q.roof_ns);
	out_flop(t, r);
	out_known_time(t, r, t->flop_ns, w.flop >= 0);
	/* the bytes of a further kernel of the same work are with the first */
	out_known_time(
	    t, r, t->bytes_ns, w.bytes >= 0 || (w.flop >= 0 && part));
	out_ext_end(t->ext, r);
}

static void
put_rated_legend(struct stage *st, struct rec *r)
{
	const struct rate_type *t = rec_arg(r);

	(void)st;
	out_ext_legend(t->ext, r);
}

static void
bind_names(
    struct rec_type *t, struct rec_col **c, const char *const *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		c[i] = rec_col(t, name[i], REC_OPT);
}

static void
attach_type(struct stage *st, const char *tag)
{
	struct rate_type *x = xcalloc(1, sizeof(*x));
	struct rec_type *t = stage_on(st, tag, put_rated, put_rated_legend, x);

	x->ext = out_ext(names, ARRAY_LEN(names));
	/* A group can be of anything; kernels are from dlp-flops. */
	if (strcmp(tag, "kern") == 0) {
		rec_col(t, "flop", REC_NEED);
		rec_col(t, "dur_ns", REC_NEED);
	}
	bind_names(t, x->flop, flop_names, ARRAY_LEN(flop_names));
	bind_names(t, x->bytes, bytes_names, ARRAY_LEN(bytes_names));
	bind_names(t, x->time, time_names, ARRAY_LEN(time_names));
	REC_COLS(t, REC_OPT, { &x->peak_ns, "sum_peak_ns" },
	    { &x->roof_ns, "sum_roof_ns" }, { &x->flop_ns, "sum_flop_ns" },
	    { &x->bytes_ns, "sum_bytes_ns" }, { &x->dtype, "dtype" },
	    { &x->family, "family" }, { &x->role, "role" }, { &x->dev, "dev" },
	    { &x->src, "src" });
}

static void
attach(struct stage *st, struct rate *x, char **types, int n)
{
	struct rec_type *t;
	int i;

	st->ctx = x;
	t = stage_on(st, "dev", take_device, NULL, NULL);
	x->dev.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &x->dev.name, "name" },
	    { &x->dev.bw, "membw_bytes_s" }, { &x->dev.src, "src" });
	for (i = 0; i < n; i++)
		attach_type(st, types[i]);
	st->section = on_rate_section;
}

static void
warn_no_peak(struct rate *x)
{
	if (x->no_peak > 0 && x->no_peak_of.len > 0)
		warn("no peak rates known of %s, so percentages of them are"
		     " unset: --peak gives them",
		    buf_str(&x->no_peak_of));
}

static void
set_peak(void *gpus, const char *arg)
{
	gpus_peak(gpus, arg);
}

static void
set_peak_bw(void *gpus, const char *arg)
{
	gpus_peak_bw(gpus, arg);
}

int
main(int argc, char **argv)
{
	static struct rate rate;
	static const char *types = "kern,agg";
	static const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &types },
		{ 0, "peak", .set = set_peak, .to = &rate.gpus },
		{ 0, "peak-bw", .set = set_peak_bw, .to = &rate.gpus },
		{ 0 },
	};
	struct stage st;
	char **v;
	int i, n, rc;

	stage_start(&st, "dlp-rate", usage, opts, argc, argv);
	v = cli_list(types, &n);
	for (i = 0; i < n; i++)
		if (v[i][0] == '\0' || strcmp(v[i], "dev") == 0)
			die("-T: no type to rate: '%s' in '%s'", v[i], types);
	gpus_open(&rate.gpus);
	attach(&st, &rate, v, n);
	rc = stage_run(&st);
	warn_no_peak(&rate);
	free(v);
	return out_finish(rc);
}
