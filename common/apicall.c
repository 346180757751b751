#include "apicall.h"

#include <string.h>

#include "array.h"
#include "mview.h"

enum { CUDA = 1, CU = 2, HIP = 4, BOTH = CUDA | CU, ALL = BOTH | HIP };

#define NAME(s) s, sizeof(s) - 1

/* Names without the API's prefix. */
static const struct {
	const char *name;
	size_t n;
	int api; /* that have it */
	enum apicall_kind kind;
	const char *sync;
} apicalls[] = {
	{ NAME("DeviceSynchronize"), CUDA | HIP, APICALL_WAITS, "context" },
	{ NAME("ThreadSynchronize"), CUDA, APICALL_WAITS, "context" },
	{ NAME("CtxSynchronize"), CU | HIP, APICALL_WAITS, "context" },
	{ NAME("ProfilerStop"), CUDA | HIP, APICALL_OTHER, "context" },
	{ NAME("DeviceReset"), CUDA | HIP, APICALL_OTHER, "context" },
	{ NAME("StreamWaitEvent"), ALL, APICALL_OTHER, "stream-wait-event" },
	{ NAME("StreamSynchronize"), ALL, APICALL_WAITS, "stream" },
	{ NAME("StreamQuery"), ALL, APICALL_OTHER, "stream" },
	{ NAME("EventSynchronize"), ALL, APICALL_WAITS, "event" },
	{ NAME("EventQuery"), ALL, APICALL_OTHER, "event" },
	{ NAME("Malloc"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("Free"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("MallocHost"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("HostAlloc"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("HostMalloc"), HIP, APICALL_ALLOCATES, NULL },
	{ NAME("ExtMallocWithFlags"), HIP, APICALL_ALLOCATES, NULL },
	{ NAME("FreeHost"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("HostFree"), HIP, APICALL_ALLOCATES, NULL },
	{ NAME("MallocManaged"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("HostRegister"), CUDA | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("MemAlloc"), CU, APICALL_ALLOCATES, NULL },
	{ NAME("MemFree"), CU, APICALL_ALLOCATES, NULL },
	{ NAME("MemCreate"), CU | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("MemMap"), CU | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("MemUnmap"), CU | HIP, APICALL_ALLOCATES, NULL },
	{ NAME("LibraryLoadData"), ALL, APICALL_LOADS, NULL },
	{ NAME("LibraryLoadFromFile"), ALL, APICALL_LOADS, NULL },
	{ NAME("ModuleLoad"), CU | HIP, APICALL_LOADS, NULL },
	{ NAME("ModuleLoadData"), CU | HIP, APICALL_LOADS, NULL },
	{ NAME("ModuleLoadDataEx"), CU | HIP, APICALL_LOADS, NULL },
	{ NAME("ModuleLoadFatBinary"), CU | HIP, APICALL_LOADS, NULL },
};

static bool
drop_end(const char *s, size_t *n, const char *end)
{
	size_t k = strlen(end);

	if (*n <= k || memcmp(s + *n - k, end, k) != 0)
		return false;
	*n -= k;
	return true;
}

static bool
drop_version(const char *s, size_t *n)
{
	size_t k = *n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < *n && drop_end(s, &k, "_v") && (*n = k) > 0;
}

size_t
apicall_base(const char *s, size_t n)
{
	while (drop_version(s, &n) || drop_end(s, &n, "_ptds") ||
	       drop_end(s, &n, "_ptsz") || drop_end(s, &n, "_spt"))
		;
	return n;
}

/* Takes the prefix off; 0: it is neither CUDA's nor HIP's. */
static int
take_prefix(const char **s, size_t *n)
{
	static const struct {
		const char *text;
		int api;
	} prefix[] = { { "cuda", CUDA }, { "cu", CU }, { "hip", HIP } };
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(prefix); i++) {
		k = strlen(prefix[i].text);
		if (*n > k && memcmp(*s, prefix[i].text, k) == 0) {
			*s += k;
			*n -= k;
			return prefix[i].api;
		}
	}
	return 0;
}

/* Its place in the table, or its length. */
static size_t
apicall_find(const char *s, size_t n)
{
	size_t i;
	int api = take_prefix(&s, &n);

	for (i = 0; i < ARRAY_LEN(apicalls); i++)
		if (apicalls[i].n == n && (apicalls[i].api & api) != 0 &&
		    memcmp(apicalls[i].name, s, n) == 0)
			break;
	return i;
}

/* A copy that is not asynchronous waits, and so does each Synchronize, of other
 * APIs as well. */
enum apicall_kind
apicall_kind(const char *s, size_t n)
{
	size_t i;

	n = apicall_base(s, n);
	i = apicall_find(s, n);
	if (i < ARRAY_LEN(apicalls))
		return apicalls[i].kind;
	if (mv_find((struct mview){ s, n }, "Synchronize") != NULL)
		return APICALL_WAITS;
	if (take_prefix(&s, &n) == 0 || n < 6 || memcmp(s, "Memcpy", 6) != 0 ||
	    mv_find((struct mview){ s, n }, "Async") != NULL)
		return APICALL_OTHER;
	return APICALL_WAITS;
}

const char *
apicall_sync(const char *s, size_t n)
{
	size_t i = apicall_find(s, apicall_base(s, n));

	return i < ARRAY_LEN(apicalls) ? apicalls[i].sync : NULL;
}
