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
	PK_FP6,
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
	"fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4", "bw" };

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
	{ "fp6", PK_FP6, PK_FP32 },
	{ "fp4", PK_FP4, PK_FP32 },
	{ "int8", PK_INT8, PK_N },
	{ "uint8", PK_INT8, PK_N },
	{ "int4", PK_INT4, PK_N },
};

static double
positive(const char *opt, const char *s)
{
	double v;

	if (!num_f64(s, strlen(s), &v) || v <= 0)
		die("%s: bad number '%s'", opt, s);
	return v;
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

/* Reads the table of GPUs, once. */
static void
read_table(struct rate_gpus *g)
{
	if (g->table.n == 0)
		namerules_parse(&g->table, "gpus.tab", shipped_text("gpus.tab"),
		    columns, COL_BW + 1);
}

/* The options --peak and --peak-bw; a bad argument is fatal. An item is
 * TYPE=TFLOPS, where TYPE is a column of the table or a name of dlp-flops,
 * bw=GB/S, or the name of a GPU. */
static void
set_peak(void *gpus, const char *arg)
{
	struct rate_gpus *g = gpus;
	char **item, *eq;
	int i, n, p;
	size_t k;

	read_table(g);
	item = cli_list(arg, &n);
	for (i = 0; i < n; i++) {
		eq = strchr(item[i], '=');
		if (eq == NULL) {
			g->user = gpus_named(g, item[i], strlen(item[i]), 0);
			if (g->user.gb_s <= 0)
				die("--peak: no such GPU, and no TYPE=TFLOPS:"
				    " '%s'",
				    item[i]);
			continue;
		}
		*eq = '\0';
		for (p = 0; p <= PK_N; p++)
			if (strcmp(columns[p + 1], item[i]) == 0)
				break;
		for (k = 0; p > PK_N && k < ARRAY_LEN(dtype_peaks); k++)
			if (strcmp(dtype_peaks[k].dtype, item[i]) == 0)
				p = (int)dtype_peaks[k].product;
		if (p > PK_N)
			die("--peak: no such type '%s'", item[i]);
		*(p == PK_N ? &g->user.gb_s : &g->user.tflops[p]) =
		    positive("--peak", eq + 1);
	}
	free(item);
}

static void
set_peak_bw(void *gpus, const char *arg)
{
	struct rate_gpus *g = gpus;

	g->user.gb_s = positive("--peak-bw", arg);
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
	return memcmp(a, b, sizeof(*a)) == 0;
}

static struct gpu_scope *
scope_of(struct rate_gpus *g, struct mview src)
{
	size_t i = 0, more;

	if (src.s != NULL)
		i = smap_put(&g->files, src.s, src.n, NULL) + (size_t)1;
	if (i >= g->nscopes) {
		more = i + 1 - g->nscopes;
		g->scopes = xrealloc(g->scopes, i + 1, sizeof(*g->scopes));
		memset(g->scopes + g->nscopes, 0, more * sizeof(*g->scopes));
		g->nscopes = i + 1;
	}
	return &g->scopes[i];
}

/* Adds a device. Numbers of devices are a file's (column src); src.s NULL: the
 * stream names no file. In the scope of all files a number can be several
 * devices. */
static void
gpus_add(struct rate_gpus *g, struct mview src, int64_t dev,
    const struct gpu_rates *r)
{
	size_t own = (size_t)(scope_of(g, src) - g->scopes), i;
	struct gpu_scope *p;
	uint64_t *at;
	bool is_new;

	ARRAY_GROW(g->devices, g->ndevices, g->cap);
	g->devices[g->ndevices++] = *r;
	for (i = 0; i < 2; i++) {
		p = &g->scopes[i == 0 ? own : 0];
		at = map_put(&p->at, (uint64_t)dev, &is_new);
		if (is_new || i == 0)
			*at = g->ndevices;
		else if (*at > 0 && !same_rates(r, &g->devices[*at - 1]))
			*at = 0;
		if (p->first == 0)
			p->first = g->ndevices;
		else if (!same_rates(r, &g->devices[p->first - 1]))
			p->differ = true;
		if (own == 0)
			break;
	}
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

#define RATED                                                                  \
	"causal_flop sum_exec_flop flop sum_flop bytes sum_bytes dur_ns"       \
	" sum_dur_ns gpu_ns sum_gpu_ns sum_peak_ns sum_roof_ns sum_flop_ns"    \
	" sum_bytes_ns least_bytes dtype family dir role dev src"

struct rate {
	/* ids of columns, in the order of their names */
	int flop[ARRAY_LEN(flop_names)], bytes[ARRAY_LEN(bytes_names)],
	    time[ARRAY_LEN(time_names)];
	int peak_ns, roof_ns, flop_ns, bytes_ns; /* sums */
	struct out_src_type work;
	struct map calls;     /* a run of an op -> families that it had, as
			       * bits */
	struct smap families; /* their numbers */
	struct rate_gpus gpus;
	struct gpu_rates unknown; /* of a device that is not known */
	uint64_t at_most;         /* records whose bytes may be fewer */
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

static void
rate_of(const struct rate_work *w, struct rate_result *r)
{
	double mem = quotient(w->bytes, w->gb_s, 1); /* GB/s: bytes per ns */

	r->tflops = quotient(w->flop, w->ns, 1e-3);
	r->gb_s = quotient(w->bytes, w->ns, 1);
	r->ai = quotient(w->flop, w->bytes, 1);
	/* No arithmetic takes no time, whatever the peak. TFLOP/s are FLOPs per
	 * ns divided by 1000. */
	r->peak_ns = w->peak_ns >= 0 ? w->peak_ns
		     : w->flop == 0  ? 0
				     : quotient(w->flop, w->peak_tflops, 1e-3);
	/* the bound is whatever takes longer at the device's rates */
	r->bound = w->comm ? NULL : "unknown";
	r->roof_ns = w->comm ? UNKNOWN : w->roof_ns;
	if (!w->comm && r->peak_ns >= 0 && mem >= 0 &&
	    (r->peak_ns > 0 || mem > 0) && !(w->group && w->roof_ns < 0)) {
		r->bound = r->peak_ns >= mem ? "compute" : "memory";
		if (r->roof_ns < 0)
			r->roof_ns = r->peak_ns >= mem ? r->peak_ns : mem;
	}
	r->peak_tflops = w->peak_tflops > 0 ? w->peak_tflops : UNKNOWN;
	if (w->peak_ns > 0 && w->flop > 0) /* of several types: their mean */
		r->peak_tflops = quotient(w->flop, w->peak_ns, 1e-3);
	/* FLOPs of an unknown type are in flop, but not in peak_ns: a mean that
	 * no type reaches is none */
	if (w->max_tflops > 0 && r->peak_tflops > w->max_tflops * 1.001)
		r->peak_tflops = UNKNOWN;
	r->peak_pct = quotient(r->peak_ns, w->ns, 100);
	r->bound_pct = quotient(r->roof_ns, w->ns, 100);
	if (r->bound_pct > 100) /* a cache, or a clock above the stated one */
		r->bound_pct = 100;
}

/*
 * Records
 */

static void
on_rate_section(struct stage *st)
{
	struct rate *x = st->ctx;
	struct gpu_scope *p;

	for (p = x->gpus.scopes; p < x->gpus.scopes + x->gpus.nscopes; p++) {
		map_clear(&p->at);
		p->first = 0;
		p->differ = false;
	}
	smap_clear(&x->gpus.files);
	x->gpus.ndevices = 0;
	map_clear(&x->calls);
	x->unknown = gpus_named(&x->gpus, NULL, 0, 0);
}

/* Four significant digits, without an exponent. */
static void
out_rate(double v)
{
	double limit = 1000;
	int decimals = 0;

	for (; v < limit && decimals < 9 && v > 0; limit /= 10)
		decimals++;
	out_f64(v >= 0, v, decimals);
}

static void
take_device(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	struct out_ext *ext = rec_arg(r);
	struct gpu_rates g = x->unknown;
	int64_t dev;
	double bw = 0;
	size_t n = 0;
	const char *name = rec_text(r, COL_name, &x->name, &n);
	int i;

	if (rec_num(r, COL_dev, &dev)) {
		rec_real(r, COL_membw_bytes_s, &bw);
		g = gpus_named(&x->gpus, name, n, bw / 1e9);
		gpus_add(&x->gpus, rec_get(r, COL_src), dev, &g);
		if (x->no_peak_of.len == 0 && name != NULL &&
		    g.tflops[PK_FP32] == 0)
			buf_put(&x->no_peak_of, name, n);
	}
	/* the peaks as --peak takes them, and the bandwidth */
	buf_clear(&x->peaks);
	for (i = 0; i < PK_N; i++)
		if (g.tflops[i] > 0)
			buf_printf(&x->peaks, "%s%s=%g",
			    x->peaks.len > 0 ? "," : "", columns[i + 1],
			    g.tflops[i]);
	out_ext_begin(ext, r);
	out_raw(x->peaks.len > 0 ? x->peaks.s : NULL, x->peaks.len);
	out_rate(g.gb_s > 0 ? g.gb_s : UNKNOWN);
	out_ext_end(ext, r);
}

/* The record's device, or what all devices of its file are, unless they differ.
 * For a record without a file, or a file without devices, the devices of all
 * files count. */
static const struct gpu_rates *
gpu_of(struct rate *x, const struct rec *r)
{
	struct rate_gpus *g = &x->gpus;
	const struct gpu_scope *p = scope_of(g, rec_get(r, COL_src));
	const uint64_t *at;
	size_t i = 0;
	int64_t dev;

	if (p->first == 0)
		p = &g->scopes[0];
	if (!rec_has(r->type, COL_dev) || mv_eq(rec_get(r, COL_dev), "(rest)"))
		i = p->differ ? 0 : p->first;
	else if (rec_num(r, COL_dev, &dev) &&
		 (at = map_get(&p->at, (uint64_t)dev)) != NULL)
		i = *at;
	return i > 0 ? &g->devices[i - 1] : &x->unknown;
}

static double
first_real(const struct rec *r, const int *col, size_t n)
{
	double v;
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_real(r, col[i], &v) && v >= 0)
			return v;
	return UNKNOWN;
}

static bool
first_total(const struct rec *r, const int *col, size_t n, int64_t *v)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rec_total(r, col[i], v))
			return true;
	return false;
}

static void
read_rated(struct rate *x, const struct rec *r, struct rate_work *w)
{
	const struct gpu_rates *g = gpu_of(x, r);
	struct mview dtype = rec_get(r, COL_dtype),
		     family = rec_get(r, COL_family);
	bool product;
	enum peak p;
	size_t i;

	w->flop = first_real(r, x->flop, ARRAY_LEN(x->flop));
	w->bytes = first_real(r, x->bytes, ARRAY_LEN(x->bytes));
	w->ns = first_real(r, x->time, ARRAY_LEN(x->time));
	w->peak_ns = first_real(r, &x->peak_ns, 1);
	w->roof_ns = first_real(r, &x->roof_ns, 1);
	w->group = rec_has(r->type, x->roof_ns);
	/* what communication moves goes through links between GPUs, whose
	 * bandwidth no peak says */
	w->comm =
	    mv_eq(family, "collective") || mv_eq(rec_get(r, COL_dir), "comm");
	w->gb_s = g->gb_s;
	w->peak_tflops = 0;
	w->max_tflops = 0;
	for (i = 0; i < PK_N; i++)
		if (g->tflops[i] > w->max_tflops)
			w->max_tflops = g->tflops[i];
	/* without a family all that has a type is taken for a product */
	product = !rec_has(r->type, COL_family) ||
		  (family.s != NULL && kind_is_product(family.s, family.n));
	for (i = 0; i < ARRAY_LEN(dtype_peaks); i++)
		if (mv_eq(dtype, dtype_peaks[i].dtype))
			break;
	if (i < ARRAY_LEN(dtype_peaks)) {
		p = product ? dtype_peaks[i].product : dtype_peaks[i].plain;
		if (p == PK_FP64T && g->tflops[p] == 0)
			p = PK_FP64;
		w->peak_tflops = p == PK_N ? 0 : g->tflops[p];
	}
	if (w->flop > 0 && w->peak_tflops == 0 && w->peak_ns < 0)
		x->no_peak++;
}

/* The time whose work is known; for a group its sum, if it has one. */
static void
out_known_time(const struct rate *x, const struct rec *r, int sum, bool known)
{
	int64_t v = 0;
	bool has = rec_total(r, sum, &v);

	if (!has)
		has = first_total(r, x->time, ARRAY_LEN(x->time), &v);
	else
		known = true;
	out_opt(has, known ? v : 0);
}

/* The columns exec_flop, flop_ns and bytes_ns. */
static void
put_known(const struct rate *x, const struct rec *r, const struct rate_work *w)
{
	bool part = mv_eq(rec_get(r, COL_role), "part"), has;
	int64_t v = 0;

	has = first_total(r, x->flop, ARRAY_LEN(x->flop), &v);
	out_opt(has, v);
	out_known_time(x, r, x->flop_ns, w->flop >= 0);
	/* the bytes of a further kernel of the same work are with the first */
	out_known_time(
	    x, r, x->bytes_ns, w->bytes >= 0 || (w->flop >= 0 && part));
}

static void
put_rated(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	struct out_ext *ext = rec_arg(r);
	struct rate_work w;
	struct rate_result q;

	read_rated(x, r, &w);
	rate_of(&w, &q);
	x->at_most += rec_get(r, COL_least_bytes).s != NULL;
	out_ext_begin(ext, r);
	out_rate(q.tflops);
	out_rate(q.gb_s);
	out_rate(q.ai);
	out_rate(q.peak_tflops);
	out_rate(q.peak_pct);
	out_word(q.bound);
	out_rate(q.bound_pct);
	out_rate(q.peak_ns);
	out_rate(q.roof_ns);
	put_known(x, r, &w);
	out_ext_end(ext, r);
}

/* True for the first work of a run of an op in each family; work without an op
 * is a call of its own. */
static bool
is_call(struct rate *x, const struct rec *r)
{
	uint64_t *had, bit;
	int64_t id;
	struct mview family = rec_get_raw(r, COL_family);
	uint32_t no;

	if (!rec_num(r, COL_inst_id, &id))
		return true;
	no = smap_put(&x->families, family.s, family.n, NULL);
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
put_col(const struct rec *r, int col)
{
	struct mview v = rec_get(r, col);

	out_raw(v.s, v.n);
}

static void
put_work(struct stage *st, struct rec *r)
{
	static const char *const cols[] = { "iter", "dir", "family", "call",
		"dur_ns", "flop", "bytes", "peak_ns", "exec_flop", "flop_ns",
		"bytes_ns", "src" };
	static const int figures[] = { COL_flop, COL_bytes };
	struct rate *x = st->ctx;
	bool has_src = rec_has(r->type, COL_src);
	struct rate_work w;
	struct rate_result q;
	size_t i;

	out_rec_src(&x->work, "gpuwork", cols, ARRAY_LEN(cols), has_src);
	put_col(r, COL_iter);
	if (mv_eq(rec_get(r, COL_family), "optimizer") ||
	    mv_eq(rec_get(r, COL_phase), "optimizer"))
		out_word("optimizer");
	else
		put_col(r, COL_dir);
	put_col(r, COL_family);
	out_i64(is_call(x, r));
	put_col(r, COL_dur_ns);
	put_col(r, COL_flop);
	put_col(r, COL_bytes);
	if (rec_type_tag(r->type)[0] == 'k') {
		read_rated(x, r, &w);
		rate_of(&w, &q);
		out_rate(q.peak_ns);
		put_known(x, r, &w);
	} else {
		out_unset();
		put_col(r, COL_flop);
		/* without rates: the time counts if the figure is known */
		for (i = 0; i < ARRAY_LEN(figures); i++)
			if (rec_get(r, figures[i]).s != NULL)
				put_col(r, COL_dur_ns);
			else
				out_i64(0);
	}
	if (has_src)
		put_col(r, COL_src);
	out_end();
}

static void
forget_run(struct stage *st, struct rec *r)
{
	struct rate *x = st->ctx;
	int64_t id;

	if (rec_num(r, COL_inst_id, &id))
		map_del(&x->calls, (uint64_t)id);
	stage_pass(st, r);
}

static void
find_ids(int *id, const char *const *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		id[i] = col_id(name[i]);
}

static void
attach(struct stage *st, struct rate *x, char **types, int n, bool work)
{
	int i;

	st->ctx = x;
	find_ids(x->flop, flop_names, ARRAY_LEN(flop_names));
	find_ids(x->bytes, bytes_names, ARRAY_LEN(bytes_names));
	find_ids(x->time, time_names, ARRAY_LEN(time_names));
	x->peak_ns = col_id("sum_peak_ns");
	x->roof_ns = col_id("sum_roof_ns");
	x->flop_ns = col_id("sum_flop_ns");
	x->bytes_ns = col_id("sum_bytes_ns");
	stage_on(st, "dev", take_device, .need = "dev",
	    .opt = "name membw_bytes_s src",
	    .ext = out_ext(dev_names, ARRAY_LEN(dev_names)));
	st->section = on_rate_section;
	if (work) {
		stage_on(st, "kern copy set graph", put_work,
		    .opt =
			"iter dir phase family inst_id dur_ns flop bytes src",
		    .legend = stage_drop);
		stage_on(st, "kern", put_work, .need = "flop dur_ns",
		    .opt = RATED, .legend = stage_drop);
		stage_on(st, "inst", forget_run, .opt = "inst_id");
		return;
	}
	/* a group can be of anything; kernels are from dlp-flops */
	for (i = 0; i < n; i++)
		stage_on(st, types[i], put_rated, .only_for = types[i],
		    .ext = out_ext(names, ARRAY_LEN(names)), .opt = RATED,
		    .need =
			strcmp(types[i], "kern") == 0 ? "flop dur_ns" : NULL);
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

	stage_start(&st, "dlp-rate", opts, argc, argv);
	read_table(&rate.gpus);
	v = cli_list(types, &n);
	for (i = 0; i < n; i++)
		if (v[i][0] == '\0' || strcmp(v[i], "dev") == 0)
			die("-T: no type to rate: '%s' in '%s'", v[i], types);
	attach(&st, &rate, v, n, work);
	rc = stage_run(&st);
	if (rate.no_peak > 0 && rate.no_peak_of.len > 0)
		warn("no peak rates known of %s, so percentages of them are"
		     " unset: --peak gives them",
		    buf_str(&rate.no_peak_of));
	if (rate.at_most > 0)
		warn(
		    "bytes are at most those shown, and so are GB/s and the"
		    " memory bound, of %llu kernels of experts of unknown load",
		    (unsigned long long)rate.at_most);
	free(v);
	return out_finish(rc);
}
