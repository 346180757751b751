/* Peak rates of GPUs, and the devices of a section; see rate_gpus.h. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "rate_gpus.h"
#include "shipped.h"

#define COL_BW (PK_N + 1) /* columns: the id, the peaks, the bandwidth */

static const char *const columns[] = { "id", "fp64", "fp64t", "fp32", "tf32",
	"fp16", "bf16", "fp8", "fp4", "int8", "int4", "bandwidth" };

/* A type's rates: of products, and of other arithmetic. The plain pipes do the
 * latter, and compute 16-bit types as fp32. */
static const struct {
	const char *dtype;
	enum peak product, plain;
} types[] = {
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

void
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
	for (i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].dtype, s) == 0)
			return (int)types[i].product;
	return -1;
}

void
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

void
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

struct gpu_rates
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

double
gpu_tflops(const struct gpu_rates *r, const char *dtype, size_t n, bool product)
{
	size_t i;
	enum peak p;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (text_is(dtype, n, types[i].dtype))
			break;
	if (i == ARRAY_LEN(types))
		return 0;
	p = product ? types[i].product : types[i].plain;
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

void
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

const struct gpu_rates *
gpus_device(struct rate_gpus *g, const char *src, size_t n, int64_t dev)
{
	const uint64_t *at =
	    map_get(&known_scope(g, src, n)->at, (uint64_t)dev);

	return at != NULL && *at > 0 ? &g->devices[*at - 1] : NULL;
}

const struct gpu_rates *
gpus_all(struct rate_gpus *g, const char *src, size_t n)
{
	const struct gpu_scope *p = known_scope(g, src, n);

	return p->first > 0 && !p->differ ? &g->devices[p->first - 1] : NULL;
}

void
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
