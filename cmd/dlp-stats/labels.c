/* What the reports share; see labels.h. */
#include <stdlib.h>
#include <string.h>

#include "labels.h"
#include "num.h"

const char *
range_style(bool push)
{
	return push ? "PushPop" : "StartEnd";
}

/* Without the version, where it is one of four digits, as the vendor has
 * it: cudaMemcpy_v3020, but cudaMallocAsync_v11020. */
size_t
api_len(const struct text *t)
{
	if (t->s == NULL)
		return 0;
	if (t->n > 6 && memcmp(t->s + t->n - 6, "_v", 2) == 0)
		return t->n - 6;
	return t->n;
}

/* As dlp-parse names the kinds of copies; others by that name. */
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
put_gpu_name(struct buf *b, const struct gpu *g, const struct report *r)
{
	const char *s = g->copy.s;
	size_t n = g->copy.n, i;

	if (g->kind == GPU_KERN) {
		if (r->range_names && g->range.s != NULL) {
			buf_put(b, g->range.s, g->range.n);
			buf_putc(b, '/');
		}
		s = kname_text(kname_id(g->kernel, r->mode), &n);
		buf_put(b, s, n);
		return;
	}
	if (g->kind == GPU_SET) {
		buf_puts(b, "[CUDA memset]");
		return;
	}
	for (i = 0; s != NULL && i < sizeof(copies) / sizeof(copies[0]); i++)
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
dim3(const struct text *t, int64_t v[3])
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
put_dim3(struct buf *b, const struct text *t)
{
	int64_t v[3];

	if (dim3(t, v))
		put_nums(b, v);
}

void
wide_dim3(struct buf *b, const struct text *t)
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
gpu_total(const struct gpu *g)
{
	int64_t api = num_add(g->api_start, g->api_dur);
	int64_t end = num_add(g->start, g->dur);

	return num_sub(end > api ? end : api, g->api_start);
}

bool
gpu_queue(const struct gpu *g, int64_t *v)
{
	*v = num_sub(g->start, num_add(g->api_start, g->api_dur));
	return *v >= 0;
}
