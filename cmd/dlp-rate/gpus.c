/* Peak rates of GPUs; see gpus.h. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cli.h"
#include "err.h"
#include "gpus.h"
#include "namerule.h"
#include "num.h"
#include "shipped.h"

#define COL_BW (PK_N + 1) /* columns: the id, the peaks, the bandwidth */

static const char *const words[] = { "id", "fp64", "fp64t", "fp32", "tf32",
	"fp16", "bf16", "fp8", "fp4", "int8", "int4", "bandwidth" };

static struct namerules table;
static struct gpu user; /* 0: not given */

/* A type's rates: of products, and of other arithmetic, which the plain
 * pipes do; 16-bit types are computed as fp32 there. */
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
gpus_open(void)
{
	namerules_parse(
	    &table, "gpus.tab", shipped_text("gpus.tab"), words, COL_BW + 1);
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
		if (strcmp(words[i + 1], s) == 0)
			return (int)i;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].dtype, s) == 0)
			return (int)types[i].product;
	return -1;
}

void
gpus_peak(const char *arg)
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
		user.tflops[p] = positive("--peak", eq + 1);
	}
	free(item);
}

void
gpus_peak_bw(const char *arg)
{
	user.gb_s = positive("--peak-bw", arg);
}

static double
figure(const struct namerule *u, int col)
{
	double v = 0;

	if (u != NULL && !num_f64(u->word[col], strlen(u->word[col]), &v))
		v = 0; /* - */
	return v;
}

void
gpus_find(struct gpu *g, const char *name, size_t n, double gb_s)
{
	const struct namerule *u = NULL;
	struct buf lower = { 0 };
	int i;

	if (name != NULL && n > 0) {
		name_lower(&lower, name, n);
		u = namerules_find(&table, lower.s, lower.len);
		buf_free(&lower);
	}
	for (i = 0; i < PK_N; i++)
		g->tflops[i] =
		    user.tflops[i] > 0 ? user.tflops[i] : figure(u, i + 1);
	g->gb_s = user.gb_s > 0 ? user.gb_s
		  : gb_s > 0    ? gb_s
				: figure(u, COL_BW);
}

double
gpu_tflops(const struct gpu *g, const char *dtype, size_t n, bool product)
{
	size_t i;
	enum peak p;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].dtype) == n &&
		    memcmp(types[i].dtype, dtype, n) == 0)
			break;
	if (i == sizeof(types) / sizeof(types[0]))
		return 0;
	p = product ? types[i].product : types[i].plain;
	if (p == PK_FP64T && g->tflops[p] == 0)
		p = PK_FP64;
	return p == PK_N ? 0 : g->tflops[p];
}
