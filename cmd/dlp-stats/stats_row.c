/* Rows of tables, values in the vendor's form, and names of kernels; see
 * stats.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "stats.h"
#include "xsort.h"

static const double tens[] = { 1, 10, 100, 1000 };

/* v in units of the last decimal. */
static void
put_units(struct buf *b, bool minus, uint64_t v, int decimals)
{
	uint64_t one = (uint64_t)tens[decimals];
	int i;

	if (minus)
		buf_putc(b, '-');
	buf_u64(b, v / one);
	if (decimals == 0)
		return;
	buf_putc(b, '.');
	for (i = 0, v %= one; i < decimals; i++) {
		one /= 10;
		buf_putc(b, (char)('0' + v / one));
		v %= one;
	}
}

double
round_units(double v, int decimals)
{
	double a = fabs(v), x = a * tens[decimals], f = floor(x), err;

	if (!(x < 4e15)) /* NaN too */
		return v * tens[decimals];
	/* The product is rounded, too: x + err is its exact value. */
	err = fma(a, tens[decimals], -x);
	if (x - f > 0.5 || (x - f == 0.5 && err >= 0))
		f += 1;
	return v < 0 ? -f : f;
}

void
row_i64(struct buf *b, int64_t v)
{
	buf_i64(b, v);
	buf_putc(b, '\t');
}

void
row_text(struct buf *b, const char *s, size_t n)
{
	buf_put(b, s, n);
	buf_putc(b, '\t');
}

void
row_opt(struct buf *b, const struct mview *t)
{
	row_text(b, t->s, t->s != NULL ? t->n : 0);
}

/* Rounds to that many decimals (at most 3), halves away from zero. */
void
row_round(struct buf *b, double v, int decimals)
{
	double u = round_units(v, decimals);

	if (!(fabs(u) < 4e15))
		buf_f64(b, v, decimals);
	else
		put_units(b, u < 0, (uint64_t)fabs(u), decimals);
	buf_putc(b, '\t');
}

void
row_none(struct buf *b)
{
	buf_putc(b, '\t');
}

void
row_stats(struct buf *b, const struct group_stats *g)
{
	static const char *const behind[] = { ".0\t", "\t", "\t" };
	size_t at, n, i;

	if (g->n == 1) {
		/* Statistics of one value, as most ranges have, are formatted
		 * once. */
		at = b->len;
		buf_i64(b, g->min);
		n = b->len - at;
		buf_reserve(b, 4 * (n + 4));
		buf_puts(b, ".0\t");
		for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
			buf_put(b, b->s + at, n);
			buf_puts(b, behind[i]);
		}
		buf_puts(b, "0.0\t");
		return;
	}
	row_round(b, g->avg, 1);
	row_round(b, g->med, 1);
	row_i64(b, g->min);
	row_i64(b, g->max);
	row_round(b, g->sd, 1);
}

void
row_stats_mb(struct buf *b, const struct group_stats *g)
{
	row_round(b, g->avg / 1e6, 3);
	row_round(b, g->med / 1e6, 3);
	row_round(b, (double)g->min / 1e6, 3);
	row_round(b, (double)g->max / 1e6, 3);
	row_round(b, g->sd / 1e6, 3);
}

const char *
range_style(bool push)
{
	return push ? "PushPop" : "StartEnd";
}

/* Without a version of four digits, as the vendor prints it: cudaMemcpy_v3020
 * loses it, cudaMallocAsync_v11020 does not. */
size_t
api_len(const struct mview *t)
{
	if (t->s == NULL)
		return 0;
	if (t->n > 6 && memcmp(t->s + t->n - 6, "_v", 2) == 0)
		return t->n - 6;
	return t->n;
}

/* Names of kernels. */

int
kname_mode(const char *s)
{
	static const char *const modes[KN_N] = { NULL, "base", "mangled" };
	int i;

	for (i = 1; i < KN_N; i++)
		if (strcmp(modes[i], s) == 0)
			return i;
	return -1;
}

static uint32_t
new_kernel(struct kernel_names *k, const struct mview t[KN_N])
{
	int i;

	ARRAY_GROW(k->kernels, k->n, k->cap);
	for (i = 0; i < KN_N; i++) {
		const struct mview *x = t[i].s != NULL ? &t[i] : &t[0];

		k->kernels[k->n][i] = smap_put(&k->texts,
		    x->s != NULL ? x->s : "", x->s != NULL ? x->n : 0, NULL);
	}
	return (uint32_t)k->n++;
}

void
kname_str(struct kernel_names *k, int64_t id, const struct mview t[KN_N])
{
	*map_put(&k->strs, (uint64_t)id, NULL) = new_kernel(k, t);
}

uint32_t
kname_kernel(struct kernel_names *k, int64_t id, struct mview name)
{
	const uint64_t *at = id < 0 ? NULL : map_get(&k->strs, (uint64_t)id);
	struct mview t[KN_N] = { { name.s, name.s != NULL ? name.n : 0 } };
	uint64_t *v;

	if (at != NULL)
		return (uint32_t)*at;
	v = map_put(&k->plain,
	    smap_put(&k->texts, name.s != NULL ? name.s : "", t[0].n, NULL),
	    NULL);
	if (*v == 0)
		*v = (uint64_t)new_kernel(k, t) + 1;
	return (uint32_t)(*v - 1);
}

uint32_t
kname_id(const struct kernel_names *k, uint32_t kernel, enum kname mode)
{
	return k->kernels[kernel][mode];
}

const char *
kname_text(const struct kernel_names *k, uint32_t name, size_t *n)
{
	return smap_str(&k->texts, name, n);
}

/* dlp-parse's names of the kinds of copies; other kinds keep their name. */
static const struct {
	const char *kind, *label;
} copies[] = {
	{ "HtoD", "Host-to-Device" },
	{ "DtoH", "Device-to-Host" },
	{ "HtoA", "Host-to-Array" },
	{ "AtoH", "Array-to-Host" },
	{ "AtoA", "Array-to-Array" },
	{ "AtoD", "Array-to-Device" },
	{ "DtoA", "Device-to-Array" },
	{ "DtoD", "Device-to-Device" },
	{ "HtoH", "Host-to-Host" },
	{ "PtoP", "Peer-to-Peer" },
	{ "UVM HtoD", "Unified Host-to-Device" },
	{ "UVM DtoH", "Unified Device-to-Host" },
	{ "UVM DtoD", "Unified Device-to-Device" },
	{ "unknown", "Unknown" },
};

void
put_gpu_name(struct buf *b, const struct stats_gpu *g, const struct report *r)
{
	const struct kernel_names *k = &r->stats->names;
	const char *s = g->copy.s;
	size_t n = g->copy.n, i;

	if (g->kind == GPU_KERN) {
		if (r->range_names && g->range.s != NULL) {
			buf_put(b, g->range.s, g->range.n);
			buf_putc(b, '/');
		}
		s = kname_text(k, kname_id(k, g->kernel, r->mode), &n);
		buf_put(b, s, n);
		return;
	}
	if (g->kind == GPU_SET) {
		buf_puts(b, "[CUDA memset]");
		return;
	}
	for (i = 0; s != NULL && i < ARRAY_LEN(copies); i++)
		if (strlen(copies[i].kind) == n &&
		    memcmp(copies[i].kind, s, n) == 0) {
			s = copies[i].label;
			n = strlen(s);
		}
	buf_puts(b, "[CUDA memcpy ");
	buf_put(b, s != NULL ? s : "Unknown", s != NULL ? n : 7);
	buf_putc(b, ']');
}

bool
three_nums(const char *s, char between, int64_t v[3])
{
	char *end;
	int i;

	for (i = 0; i < 3; i++) {
		v[i] = strtoll(s, &end, 10);
		if (end == s || (i < 2 && *end != between))
			return false;
		s = end + 1;
	}
	return true;
}

static bool
dim3(const struct mview *t, int64_t v[3])
{
	char tmp[64];

	if (t->s == NULL || t->n >= sizeof(tmp))
		return false;
	memcpy(tmp, t->s, t->n);
	tmp[t->n] = '\0';
	return three_nums(tmp, ',', v);
}

static void
put_nums(struct buf *b, const int64_t v[3])
{
	buf_printf(b, "%4lld %4lld %4lld", (long long)v[0], (long long)v[1],
	    (long long)v[2]);
}

/* 256,1,1 as numbers four wide. */
void
put_dim3(struct buf *b, const struct mview *t)
{
	int64_t v[3];

	if (dim3(t, v))
		put_nums(b, v);
}

void
wide_dim3(struct buf *b, const struct mview *t)
{
	int64_t v[3];

	if (dim3(t, v))
		buf_printf(b, "%20lld,%20lld,%20lld,", (long long)v[0],
		    (long long)v[1], (long long)v[2]);
	else
		buf_printf(b, "%*s", WIDE_DIM3, "");
}

void
put_wide_dim3(struct buf *b, const char *s)
{
	int64_t v[3];

	if (s[WIDE_DIM3 - 1] == ',' && three_nums(s, ',', v))
		put_nums(b, v);
	buf_putc(b, '\t');
}

int64_t
gpu_total(const struct stats_gpu *g)
{
	int64_t api = num_add(g->api_start, g->api_dur);
	int64_t end = num_add(g->start, g->dur);

	return num_sub(end > api ? end : api, g->api_start);
}

bool
gpu_queue(const struct stats_gpu *g, int64_t *v)
{
	*v = num_sub(g->start, num_add(g->api_start, g->api_dur));
	return *v >= 0;
}

/*
 * A key whose bytes sort like three numbers, the last of which is the arrival.
 * A number is a byte with its sign and length, ZERO for 0, and as many bytes.
 */
#define ORDER 27 /* bytes at most */
#define ZERO 128

struct row_order {
	struct xsort x;
	int64_t arrival; /* of the next row */
};

struct row_order *
order_new(void)
{
	struct row_order *o = xcalloc(1, sizeof(*o));

	xsort_open(&o->x, runs_bytes, NULL, groups_memory);
	return o;
}

static char *
put_ordered(char *p, int64_t v)
{
	uint64_t u = (uint64_t)(v < 0 ? ~v : v);
	int n = u != 0 ? 8 - __builtin_clzll(u) / 8 : 0;

	*p++ = (char)(v < 0 ? ZERO - 1 - n : ZERO + n);
	while (n-- > 0)
		*p++ = (char)((uint64_t)v >> 8 * n);
	return p;
}

void
order_add(struct row_order *o, int64_t by, int64_t then, struct buf *row)
{
	order_add_at(o, by, then, o->arrival++, row);
}

void
order_add_at(
    struct row_order *o, int64_t by, int64_t then, int64_t at, struct buf *row)
{
	char key[ORDER], *p;

	p = put_ordered(put_ordered(put_ordered(key, by), then), at);
	xsort_put(&o->x, key, (size_t)(p - key), row->s, row->len);
	buf_clear(row);
}

/* The bits of positive doubles sort like the doubles. */
int64_t
order_f64(double v)
{
	int64_t i;

	memcpy(&i, &v, sizeof(i));
	return v <= 0 ? 0 : i;
}

void
order_free(struct row_order *o)
{
	if (o != NULL)
		xsort_close(&o->x);
	free(o);
}

void
order_put(struct row_order *o, struct stats_sink *k)
{
	struct runs_rec rec;

	while (xsort_next(&o->x, &rec)) /* without the last TAB */
		sink_row(k, rec.val, rec.nval - 1);
	order_free(o);
}
