/* API calls; see api.h. */
#include "api.h"

#include <string.h>

#include "mview.h"
#include "num.h"

static struct {
	struct rec_col *api, *start, *dur, *iter;
} cols[API_N];

bool
in_iter(const struct rec *r, const struct rec_col *iter)
{
	int64_t v;

	return iter->pos < 0 || rec_i64(r, iter, &v);
}

enum { WAITS = 1, ALLOCATES = 2, LOADS = 3 };

/* An API name without the suffix of its version. */
static size_t
base_len(const char *s, size_t n)
{
	size_t k = n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < n && k > 2 && s[k - 1] == 'v' && s[k - 2] == '_' ? k - 2 : n;
}

/* Calls that make the CPU wait for the GPU, calls of allocators, which do so as
 * well, and those that load code. */
#define API(name) name, sizeof(name) - 1

static int
api_kind(const char *s, size_t n)
{
	static const struct {
		const char *name;
		size_t len;
		int kind;
	} known[] = {
		{ API("cudaDeviceSynchronize"), WAITS },
		{ API("cudaStreamSynchronize"), WAITS },
		{ API("cudaEventSynchronize"), WAITS },
		{ API("cudaThreadSynchronize"), WAITS },
		{ API("cuCtxSynchronize"), WAITS },
		{ API("cuStreamSynchronize"), WAITS },
		{ API("cuEventSynchronize"), WAITS },
		{ API("cudaMemcpy"), WAITS },
		{ API("cudaMemcpy2D"), WAITS },
		{ API("cudaMemcpy3D"), WAITS },
		{ API("cudaMemset"), WAITS },
		{ API("cuMemcpyDtoH"), WAITS },
		{ API("cuMemcpyHtoD"), WAITS },
		{ API("cudaMalloc"), ALLOCATES },
		{ API("cudaFree"), ALLOCATES },
		{ API("cudaMallocHost"), ALLOCATES },
		{ API("cudaHostAlloc"), ALLOCATES },
		{ API("cudaFreeHost"), ALLOCATES },
		{ API("cudaMallocManaged"), ALLOCATES },
		{ API("cudaHostRegister"), ALLOCATES },
		{ API("cuMemAlloc"), ALLOCATES },
		{ API("cuMemFree"), ALLOCATES },
		{ API("cuMemCreate"), ALLOCATES },
		{ API("cuMemMap"), ALLOCATES },
		{ API("cuMemUnmap"), ALLOCATES },
		{ API("cuLibraryLoadData"), LOADS },
		{ API("cuLibraryLoadFromFile"), LOADS },
		{ API("cudaLibraryLoadData"), LOADS },
		{ API("cuModuleLoad"), LOADS },
		{ API("cuModuleLoadData"), LOADS },
		{ API("cuModuleLoadDataEx"), LOADS },
		{ API("cuModuleLoadFatBinary"), LOADS },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n == known[i].len && memcmp(s, known[i].name, n) == 0)
			return known[i].kind;
	return 0;
}

/* The part of a call since the first GPU work: what lies before is start-up,
 * and not among the time in which the GPU idles (dlp-busy). */
static int64_t
since_work(
    const struct facts *f, const struct rec *r, enum api_of which, int64_t dur)
{
	int64_t start, left;

	if (!f->any_work)
		return 0;
	if (!rec_i64(r, cols[which].start, &start) || start >= f->first_work)
		return dur;
	left = num_sub(num_add(start, dur), f->first_work);
	return left > 0 ? left : 0;
}

/* What the CPU did in the call, in iterations or between: it lasted dur, and
 * left of it since the first GPU work. */
static void
count_cpu(
    struct facts *f, int kind, enum api_of which, int64_t dur, int64_t left)
{
	static const int of[] = {
		[WAITS] = C_SYNC, [ALLOCATES] = C_ALLOC, [LOADS] = C_MODULE
	};
	int c;

	if (f->has_cuts && !f->counts)
		return;
	if (which == API_KERN)
		c = dur > FIRST_NS ? C_FIRST : C_LAUNCH;
	else if (kind == ALLOCATES && dur > FIRST_ALLOC_NS)
		c = C_FIRST;
	else if (which == API_COPY || which == API_SET)
		c = C_COPY;
	else if (kind != 0 || which == API_SYNC)
		c = kind != 0 ? of[kind] : C_SYNC;
	else
		return;
	f->cpu_ns[c] = num_add(f->cpu_ns[c], left);
}

void
api_count(struct facts *f, const struct rec *r, enum api_of which)
{
	int64_t dur = 0;
	size_t n, k;
	int kind;
	const char *s = rec_raw(r, cols[which].api, &n);

	if (s == NULL)
		return;
	k = base_len(s, n);
	if (k < n - 3 && memcmp(s + k - 3, "_v2", 3) == 0)
		k -= 3;
	rec_i64(r, cols[which].dur, &dur);
	kind = api_kind(s, k);
	count_cpu(f, kind, which, dur, since_work(f, r, which, dur));
	if (!in_iter(r, cols[which].iter))
		return;
	switch (kind) {
	case WAITS:
		tops_add(&f->sync, s, k, dur, 0);
		break;
	case ALLOCATES:
		tops_add(&f->alloc, s, k, dur, 0);
		break;
	}
}

void
api_bind(struct stage *st)
{
	static const char *const tag[API_N] = { "kern", "copy", "set", "sync",
		"call" };
	int i;

	for (i = 0; i < API_N; i++) {
		bool call = i == API_CALL;

		REC_COLS(rec_type(st->rd, tag[i]), REC_OPT,
		    { &cols[i].api, "api" },
		    { &cols[i].start, call ? "start_ns" : "api_start_ns" },
		    { &cols[i].dur, call ? "dur_ns" : "api_dur_ns" },
		    { &cols[i].iter, "iter" });
	}
}
