/*
 * dlp-rate: adds rates to records that have work and time: kernels after
 * dlp-flops, and the groups of dlp-agg. The device's peak rates come from
 * gpus.tab or the user.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "cols.h"
#include "drop.h"
#include "err.h"
#include "map.h"
#include "mview.h"
#include "namerule.h"
#include "num.h"
#include "shipped.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-rate [-u] [-T TYPES] [--peak DTYPE=TFLOPS,...]\n"
    "                [--peak-bw GB/S] [--work] [--drop TYPE[:COLUMNS]]\n"
    "                [FILE]\n"
    "\n"
    "Adds to records with FLOPs, bytes and a time: TFLOP/s, GB/s, arithmetic\n"
    "intensity, the share of the device's peak, and the roofline's bound.\n"
    "\n"
    "  -T, --type TYPES      record types, comma separated (kern,agg)\n"
    "      --peak D=T,...    the device's peak for a number type, in TFLOP/s\n"
    "      --peak-bw GB/S    the bandwidth of the device's memory\n"
    "      --work            write a gpuwork record in place of each kernel,\n"
    "                        copy, set and graph run, for dlp-agg to add up\n" DROP_USAGE
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            print this text\n"
    "  -V, --version         print the version\n";

/*
 * Peak rates of GPUs: of known ones (gpus.tab), and what the user says in their
 * place; and the devices of a section with their rates.
 */

enum peak { /* in the order of the file's columns */
	PK_FP64,
	PK_FP64T,
	PK_FP32,
	PK_TF32,
	PK_FP16,
	PK_BF16,
	PK_FP8,
	PK_FP4,
	PK_INT8,
	PK_INT4,
	PK_N
};

struct gpu_rates {
	double tflops[PK_N]; /* 0: unknown */
	double gb_s;         /* 0: unknown */
};

struct rate_gpus { /* zeroed: no rates yet */
	struct namerules table;
	struct gpu_rates user; /* 0: not given */
	/* of the section */
	struct smap files;         /* texts of src */
	struct gpu_scope *scopes;  /* of all files, then of each */
	size_t nscopes;            /* that were ever used */
	struct gpu_rates *devices; /* in the order of their records */
	size_t ndevices, cap;
};

#define COL_BW (PK_N + 1) /* columns: the id, the peaks, the bandwidth */

static const char *const columns[] = { "id", "fp64", "fp64t", "fp32", "tf32",
	"fp16", "bf16", "fp8", "fp4", "int8", "int4", "bandwidth" };

/* A type's rates: of products, and of other arithmetic. The plain pipes do the
 * latter, and compute 16-bit types as fp32. */
static const struct {
	const char *dtype;
	enum peak product, plain;
} dtype_peaks[] = {
	{ "fp64", PK_FP64T, PK_FP64 },
	{ "fp32", PK_FP32, PK_FP32 },
	{ "tf32", PK_TF32, PK_FP32 },
	{ "fp16", PK_FP16, PK_FP32 },
	{ "bf16", PK_BF16, PK_FP32 },
	{ "16bit", PK_FP16, PK_FP32 }, /* fp16 or bf16, of the same rate */
	{ "fp8e4m3", PK_FP8, PK_FP32 },
	{ "fp8e5m2", PK_FP8, PK_FP32 },
	{ "fp4", PK_FP4, PK_FP32 },
	{ "int8", PK_INT8, PK_N },
	{ "uint8", PK_INT8, PK_N },
	{ "int4", PK_INT4, PK_N },
};

/* Reads the table. Call once, first. */
static void
gpus_open(struct rate_gpus *g)
{
	namerules_parse(&g->table, "gpus.tab", shipped_text("gpus.tab"),
	    columns, COL_BW + 1);
}

static double
positive(const char *opt, const char *s)
{
	double v;

	if (!num_f64(s, strlen(s), &v) || v <= 0)
		die("%s: bad number '%s'", opt, s);
	return v;
}

/* DTYPE is a column of the table, or a name of dlp-flops. */
static int
peak_named(const char *s)
{
	size_t i;

	for (i = 0; i < PK_N; i++)
		if (strcmp(columns[i + 1], s) == 0)
			return (int)i;
	for (i = 0; i < ARRAY_LEN(dtype_peaks); i++)
		if (strcmp(dtype_peaks[i].dtype, s) == 0)
			return (int)dtype_peaks[i].product;
	return -1;
}

/* The options --peak DTYPE=TFLOPS,... and --peak-bw; a bad argument is fatal.
 */
static void
gpus_peak(struct rate_gpus *g, const char *arg)
{
	char **item, *eq;
	int i, n, p;

	item = cli_list(arg, &n);
	for (i = 0; i < n; i++) {
		eq = strchr(item[i], '=');
		if (eq == NULL)
			die("--peak: no DTYPE=TFLOPS: '%s'", item[i]);
		*eq = '\0';
		p = peak_named(item[i]);
		if (p < 0)
			die("--peak: no such type '%s'", item[i]);
		g->user.tflops[p] = positive("--peak", eq + 1);
	}
	free(item);
}

static void
gpus_peak_bw(struct rate_gpus *g, const char *arg)
{
	g->user.gb_s = positive("--peak-bw", arg);
}

static double
figure(const struct namerule *u, int col)
{
	double v = 0;

	if (u != NULL && !num_f64(u->word[col], strlen(u->word[col]), &v))
		v = 0; /* - */
	return v;
}

/* The rates of the GPU of that name, the user's first; for a name that is not
 * known (or NULL) only the user's. gb_s: bandwidth that the profile has; 0:
 * none. */
static struct gpu_rates
gpus_named(const struct rate_gpus *g, const char *name, size_t n, double gb_s)
{
	const struct namerule *u = NULL;
	struct buf lower = { 0 };
	struct gpu_rates r;
	int i;

	if (name != NULL && n > 0) {
		name_lower(&lower, name, n);
		u = namerules_find(&g->table, lower.s, lower.len);
		buf_free(&lower);
	}
	for (i = 0; i < PK_N; i++)
		r.tflops[i] = g->user.tflops[i] > 0 ? g->user.tflops[i]
						    : figure(u, i + 1);
	r.gb_s = g->user.gb_s > 0 ? g->user.gb_s
		 : gb_s > 0       ? gb_s
				  : figure(u, COL_BW);
	return r;
}

/* The rate in TFLOP/s for arithmetic of that type; product: it is a matrix
 * product, which Tensor Cores can do. 0: unknown. */
static double
gpu_tflops(const struct gpu_rates *r, const char *dtype, size_t n, bool product)
{
	size_t i;
	enum peak p;

	for (i = 0; i < ARRAY_LEN(dtype_peaks); i++)
		if (text_is(dtype, n, dtype_peaks[i].dtype))
			break;
	if (i == ARRAY_LEN(dtype_peaks))
		return 0;
	p = product ? dtype_peaks[i].product : dtype_peaks[i].plain;
	if (p == PK_FP64T && r->tflops[p] == 0)
		p = PK_FP64;
	return p == PK_N ? 0 : r->tflops[p];
}

/* The devices of a file, or of all. */
struct gpu_scope {
	struct map
	    at; /* device -> its number in devices, + 1; 0: files differ */
	size_t first; /* number of the first, + 1 */
	bool differ;  /* not all are alike */
};

static bool
same_rates(const struct gpu_rates *a, const struct gpu_rates *b)
{
	int i;

	for (i = 0; i < PK_N; i++)
		if (a->tflops[i] != b->tflops[i])
			return false;
	return a->gb_s == b->gb_s;
}

static struct gpu_scope *
scope_of(struct rate_gpus *g, const char *src, size_t n)
{
	size_t i = 0, more;

	if (src != NULL)
		i = smap_put(&g->files, src, n, NULL) + (size_t)1;
	if (i >= g->nscopes) {
		more = i + 1 - g->nscopes;
		g->scopes = xrealloc(g->scopes, i + 1, sizeof(*g->scopes));
		memset(g->scopes + g->nscopes, 0, more * sizeof(*g->scopes));
		g->nscopes = i + 1;
	}
	return &g->scopes[i];
}

/* Adds the newest device to a scope. In that of all files a number can be
 * several devices. */
static void
scope_add(
    const struct rate_gpus *g, struct gpu_scope *p, int64_t dev, bool of_all)
{
	bool is_new;
	uint64_t *at = map_put(&p->at, (uint64_t)dev, &is_new);
	const struct gpu_rates *r = &g->devices[g->ndevices - 1];

	if (is_new || !of_all)
		*at = g->ndevices;
	else if (*at > 0 && !same_rates(r, &g->devices[*at - 1]))
		*at = 0;
	if (p->first == 0)
		p->first = g->ndevices;
	else if (!same_rates(r, &g->devices[p->first - 1]))
		p->differ = true;
}

/* Adds a device. Numbers of devices are a file's (column src); src NULL: the
 * stream names no file. */
static void
gpus_add(struct rate_gpus *g, const char *src, size_t n, int64_t dev,
    const struct gpu_rates *r)
{
	struct gpu_scope *p = scope_of(g, src, n);

	ARRAY_GROW(g->devices, g->ndevices, g->cap);
	g->devices[g->ndevices++] = *r;
	scope_add(g, p, dev, false);
	if (p != &g->scopes[0])
		scope_add(g, &g->scopes[0], dev, true);
}

/* A file's scope, if it has devices; otherwise that of all files. */
static const struct gpu_scope *
known_scope(struct rate_gpus *g, const char *src, size_t n)
{
	const struct gpu_scope *p = scope_of(g, src, n);

	return p->first > 0 ? p : &g->scopes[0];
}

/* The device of that number in a file, and what all devices of a file are; NULL
 * if it is not known, or if they differ. For a record without a file, or a file
 * without devices, the devices of all files count. Valid until the next
 * gpus_add(). */
static const struct gpu_rates *
gpus_device(struct rate_gpus *g, const char *src, size_t n, int64_t dev)
{
	const uint64_t *at =
	    map_get(&known_scope(g, src, n)->at, (uint64_t)dev);

	return at != NULL && *at > 0 ? &g->devices[*at - 1] : NULL;
}

static const struct gpu_rates *
gpus_all(struct rate_gpus *g, const char *src, size_t n)
{
	const struct gpu_scope *p = known_scope(g, src, n);

	return p->first > 0 && !p->differ ? &g->devices[p->first - 1] : NULL;
}

/* A section begins: its devices are others. */
static void
gpus_forget(struct rate_gpus *g)
{
	size_t i;

	for (i = 0; i < g->nscopes; i++) {
		map_clear(&g->scopes[i].at);
		g->scopes[i].first = 0;
		g->scopes[i].differ = false;
	}
	smap_clear(&g->files);
	g->ndevices = 0;
}

static const char *const names[] = { "tflops", "gb_s", "ai", "peak_tflops",
	"peak_pct", "bound", "bound_pct", "peak_ns", "roof_ns", "exec_flop",
	"flop_ns", "bytes_ns" };

static const char *const dev_names[] = { "peaks", "peak_gb_s" };

/* What the figures are called, the sums of dlp-agg after the plain ones. A
 * kernel skips what a causal mask leaves out, so rates are of the rest. */
static const char *const flop_names[] = { "causal_flop", "sum_exec_flop",
	"flop", "sum_flop" };
static const char *const bytes_names[] = { "bytes", "sum_bytes" };
static const char *const time_names[] = { "dur_ns", "sum_dur_ns", "gpu_ns",
	"sum_gpu_ns" };

struct rate_type { /* columns of a record type */
	struct out_ext *ext;
	struct rec_col *flop[ARRAY_LEN(flop_names)],
	    *bytes[ARRAY_LEN(bytes_names)], *time[ARRAY_LEN(time_names)];
	struct rec_col *peak_ns, *roof_ns, *flop_ns, *bytes_ns;
	struct rec_col *dtype, *family, *dir, *role, *dev, *src;
};

struct rate_part { /* --work: columns of a type of GPU work */
	const struct rate_type *rated; /* of kernels; NULL: has no rates */
	struct rec_col *iter, *dir, *phase, *family, *inst_id, *dur_ns, *flop,
	    *bytes, *src;
};

struct rate {
	struct rate_type *type; /* one for each type that is rated */
	struct rate_part part[4];
	struct out_src_type work;
	struct rec_col *inst; /* --work: the id of a run of an op */
	struct map calls;     /* its id -> families that it had, as bits */
	struct smap families; /* their numbers */
	struct rate_gpus gpus;
	struct {
		struct rec_col *dev, *name, *bw, *src;
		struct out_ext *ext;
	} dev;
	struct gpu_rates unknown; /* of a device that is not known */
	uint64_t no_peak;       /* records with FLOPs and a type, but no peak */
	struct buf no_peak_of;  /* the name of the first such GPU */
	struct buf name, peaks; /* scratch */
};

/*
 * The arithmetic
 */

#define UNKNOWN (-1.0)

struct rate_work { /* negative: unknown */
	double flop, bytes, ns;
	double peak_ns, roof_ns; /* where they are summed up already */
	double peak_tflops;      /* of the device; 0: unknown */
	double max_tflops;       /* the highest of all types; 0: unknown */
	double gb_s;             /* of its memory; 0: unknown */
	bool group;              /* of kernels that were rated one by one */
	bool comm;               /* links between GPUs bound it, not these */
};

struct rate_result { /* negative: unknown */
	double tflops, gb_s, ai, peak_tflops, peak_pct, bound_pct;
	double peak_ns;    /* the time that the FLOPs take at the peak */
	double roof_ns;    /* the least time that FLOPs and bytes take */
	const char *bound; /* "compute", "memory" or "unknown"; NULL: neither */
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

	if (w->comm) {
		r->bound = NULL;
		return;
	}
	if (r->peak_ns < 0 || mem < 0 || (r->peak_ns == 0 && mem == 0) ||
	    (w->group && w->roof_ns < 0)) {
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
	/* FLOPs of an unknown type are in flop, but not in peak_ns: a mean that
	 * no type reaches is none */
	if (w->max_tflops > 0 && r->peak_tflops > w->max_tflops * 1.001)
		r->peak_tflops = UNKNOWN;
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
	map_clear(&x->calls);
	x->unknown = gpus_named(&x->gpus, NULL, 0, 0);
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
	if (out_next()) {
		buf_putc(&out_buf, '\t');
		buf_f64(&out_buf, v, decimals);
	}
}

/* The peaks as --peak takes them, and the bandwidth. */
static void
put_peaks(struct rate *x, const struct gpu_rates *g, const struct rec *r)
{
	int i;

	buf_clear(&x->peaks);
	for (i = 0; i < PK_N; i++)
		if (g->tflops[i] > 0)
			buf_printf(&x->peaks, "%s%s=%g",
			    x->peaks.len > 0 ? "," : "", columns[i + 1],
			    g->tflops[i]);
	out_ext_begin(x->dev.ext, r);
	out_raw(x->peaks.len > 0 ? x->peaks.s : NULL, x->peaks.len);
	out_rate(g->gb_s > 0 ? g->gb_s : UNKNOWN);
	out_ext_end(x->dev.ext, r);
}

static void
put_dev_legend(struct stage *st, struct rec *r)
{
	const struct rate *x = st->ctx;

	out_ext_legend(x->dev.ext, r);
}

static void
take_device(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	struct gpu_rates g = x->unknown;
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
	put_peaks(x, &g, r);
}

/* The record's device, or what all devices of its file are. */
static const struct gpu_rates *
gpu_of(struct rate *x, const struct rate_type *t, const struct rec *r)
{
	const struct gpu_rates *g = NULL;
	size_t n;
	const char *src = rec_raw(r, t->src, &n);
	int64_t dev;

	if (t->dev->pos < 0 || rec_is(r, t->dev, "(rest)"))
		g = gpus_all(&x->gpus, src, n);
	else if (rec_i64(r, t->dev, &dev))
		g = gpus_device(&x->gpus, src, n, dev);
	return g != NULL ? g : &x->unknown;
}

/* Without a family all that has a type is taken for a product. */
static bool
is_product(const struct rate_type *t, const struct rec *r)
{
	size_t n;
	const char *family;

	if (t->family->pos < 0)
		return true;
	family = rec_raw(r, t->family, &n);
	return family != NULL && kind_is_product(family, n);
}

/* What communication moves goes through links between GPUs, whose bandwidth no
 * peak says. */
static bool
is_comm(const struct rate_type *t, const struct rec *r)
{
	return rec_is(r, t->family, "collective") || rec_is(r, t->dir, "comm");
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
		if (rec_sum(r, c[i], v))
			return true;
	return false;
}

static double
max_tflops(const struct gpu_rates *g)
{
	double most = 0;
	size_t i;

	for (i = 0; i < PK_N; i++)
		most = g->tflops[i] > most ? g->tflops[i] : most;
	return most;
}

static void
read_rated(struct rate *x, const struct rate_type *t, const struct rec *r,
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
	w->group = t->roof_ns->pos >= 0;
	w->comm = is_comm(t, r);
	w->gb_s = g->gb_s;
	w->peak_tflops = 0;
	w->max_tflops = max_tflops(g);
	dtype = rec_raw(r, t->dtype, &n);
	if (dtype != NULL)
		w->peak_tflops = gpu_tflops(g, dtype, n, is_product(t, r));
	if (w->flop > 0 && w->peak_tflops == 0 && w->peak_ns < 0)
		x->no_peak++;
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
	bool has = rec_sum(r, sum, &v);

	if (!has)
		has = first_i64(r, t->time, ARRAY_LEN(t->time), &v);
	else
		known = true;
	out_opt(has, known ? v : 0);
}

static void
put_known_times(
    const struct rate_type *t, const struct rec *r, const struct rate_work *w)
{
	bool part = rec_is(r, t->role, "part");

	out_known_time(t, r, t->flop_ns, w->flop >= 0);
	/* the bytes of a further kernel of the same work are with the first */
	out_known_time(
	    t, r, t->bytes_ns, w->bytes >= 0 || (w->flop >= 0 && part));
}

static void
put_rated(struct stage *st, struct rec *r)
{
	const struct rate_type *t = rec_arg(r);
	struct rate_work w;
	struct rate_result q;

	read_rated(st->ctx, t, r, &w);
	rate_of(&w, &q);
	out_ext_begin(t->ext, r);
	out_rate(q.tflops);
	out_rate(q.gb_s);
	out_rate(q.ai);
	out_rate(q.peak_tflops);
	out_rate(q.peak_pct);
	out_raw(q.bound, q.bound != NULL ? strlen(q.bound) : 0);
	out_rate(q.bound_pct);
	out_rate(q.peak_ns);
	out_rate(q.roof_ns);
	out_flop(t, r);
	put_known_times(t, r, &w);
	out_ext_end(t->ext, r);
}

/* True for the first work of a run of an op in each family; work without an op
 * is a call of its own. */
static bool
is_call(struct rate *x, const struct rate_part *p, const struct rec *r)
{
	uint64_t *had, bit;
	size_t n;
	int64_t id;
	const char *s = rec_raw(r, p->family, &n);
	uint32_t no;

	if (!rec_i64(r, p->inst_id, &id))
		return true;
	no = smap_put(
	    &x->families, s != NULL ? s : "-", s != NULL ? n : 1, NULL);
	if (no > 63)
		rec_die(r, "more than 64 families");
	had = map_put(&x->calls, (uint64_t)id, NULL);
	bit = (uint64_t)1 << no;
	if (*had & bit)
		return false;
	*had |= bit;
	return true;
}

static void
put_col(const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	out_raw(s, n);
}

/* Work without rates: its time counts if its FLOPs, or bytes, are known. */
static void
put_time_of(const struct rate_part *p, const struct rec *r,
    const struct rec_col *figure)
{
	size_t n;

	if (rec_raw(r, figure, &n) != NULL)
		put_col(r, p->dur_ns);
	else
		out_i64(0);
}

static void
put_work_times(struct rate *x, const struct rate_part *p, const struct rec *r)
{
	const struct rate_type *t = p->rated;
	struct rate_work w;
	struct rate_result q;

	if (t == NULL) {
		out_unset();
		put_col(r, p->flop);
		put_time_of(p, r, p->flop);
		put_time_of(p, r, p->bytes);
		return;
	}
	read_rated(x, t, r, &w);
	rate_of(&w, &q);
	out_rate(q.peak_ns);
	out_flop(t, r);
	put_known_times(t, r, &w);
}

static void
put_work(struct stage *st, struct rec *r)
{
	static const char *const cols[] = { "iter", "dir", "family", "call",
		"dur_ns", "flop", "bytes", "peak_ns", "exec_flop", "flop_ns",
		"bytes_ns", "src" };
	const struct rate_part *p = rec_arg(r);
	struct rate *x = st->ctx;

	out_rec_src(
	    &x->work, "gpuwork", cols, ARRAY_LEN(cols), p->src->pos >= 0);
	put_col(r, p->iter);
	if (rec_is(r, p->family, "optimizer") ||
	    rec_is(r, p->phase, "optimizer"))
		out_word("optimizer");
	else
		put_col(r, p->dir);
	put_col(r, p->family);
	out_i64(is_call(x, p, r));
	put_col(r, p->dur_ns);
	put_col(r, p->flop);
	put_col(r, p->bytes);
	put_work_times(x, p, r);
	if (p->src->pos >= 0)
		put_col(r, p->src);
	out_end();
}

static void
no_legend(struct stage *st, struct rec *r)
{
	(void)st;
	(void)r;
}

static void
forget_run(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	int64_t id;

	if (rec_i64(r, x->inst, &id))
		map_del(&x->calls, (uint64_t)id);
	stage_pass(st, r);
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
attach_type(struct rec_type *t, const char *tag, struct rate_type *x)
{
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
	    { &x->family, "family" }, { &x->dir, "dir" }, { &x->role, "role" },
	    { &x->dev, "dev" }, { &x->src, "src" });
}

/* --work */
static void
attach_work(struct stage *st, struct rate *x, struct rate_type *kern)
{
	static const char *const tags[] = { "kern", "copy", "set", "graph" };
	struct rec_type *t;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tags); i++) {
		struct rate_part *p = &x->part[i];

		t = stage_on(st, tags[i], put_work, no_legend, p);
		REC_COLS(t, REC_OPT, { &p->iter, "iter" }, { &p->dir, "dir" },
		    { &p->phase, "phase" }, { &p->family, "family" },
		    { &p->inst_id, "inst_id" }, { &p->dur_ns, "dur_ns" },
		    { &p->flop, "flop" }, { &p->bytes, "bytes" },
		    { &p->src, "src" });
		if (i == 0) {
			attach_type(t, tags[i], kern);
			p->rated = kern;
		}
	}
	t = stage_on(st, "inst", forget_run, NULL, NULL);
	x->inst = rec_col(t, "inst_id", REC_OPT);
}

static void
attach(struct stage *st, struct rate *x, char **types, int n, bool work)
{
	struct rec_type *t;
	int i;

	st->ctx = x;
	t = stage_on(st, "dev", take_device, put_dev_legend, NULL);
	x->dev.ext = out_ext(dev_names, ARRAY_LEN(dev_names));
	x->dev.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &x->dev.name, "name" },
	    { &x->dev.bw, "membw_bytes_s" }, { &x->dev.src, "src" });
	if (work)
		attach_work(st, x, &x->type[0]);
	for (i = 0; i < n && !work; i++) {
		t = stage_on(
		    st, types[i], put_rated, put_rated_legend, &x->type[i]);
		attach_type(t, types[i], &x->type[i]);
	}
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
	static bool work;
	static const struct cli_opt opts[] = {
		{ 'T', "type", .arg = &types },
		{ 0, "peak", .set = set_peak, .to = &rate.gpus },
		{ 0, "peak-bw", .set = set_peak_bw, .to = &rate.gpus },
		{ 0, "work", .flag = &work },
		DROP_OPTION,
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
	rate.type = xcalloc((size_t)n + 1, sizeof(*rate.type));
	attach(&st, &rate, v, n, work);
	rc = stage_run(&st);
	warn_no_peak(&rate);
	free(v);
	rc = out_finish(rc);
	free(rate.type);
	map_free(&rate.calls);
	smap_free(&rate.families);
	return rc;
}
