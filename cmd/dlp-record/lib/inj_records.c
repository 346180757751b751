/*
 * CUPTI's buffers, and its records as those of the spool. A record may be
 * shorter than our structure of it (an older CUPTI) or longer (a newer one): a
 * field is read only if it lies before the next record.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "inj.h"

#define CU (&inj.cupti)
#define BUFFER_SIZE (1u << 20)
#define MAX_CBID 2048

struct buffer { /* a free one */
	struct buffer *next;
};

struct interned { /* an interned text */
	uint64_t hash;
	char *text;
};

static struct records {
	pthread_mutex_t lock; /* of buffers */
	struct buffer *spare;
	int n_spare;

	pthread_mutex_t name_lock;
	struct interned *name; /* open addressing; its place is its number */
	uint32_t *slot;
	uint32_t n_names, cap;

	atomic_bool said[2][MAX_CBID]; /* names of calls; 0 driver */
	bool quiet[2][MAX_CBID];
	bool covers[MAX_CBID]; /* runtime */
} rec = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.name_lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Names of kernels are interned by content: the pointers go stale when a
 * module is unloaded. */

static uint64_t
hash_text(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

static bool
grow_names(void)
{
	uint32_t cap = rec.cap > 0 ? rec.cap * 2 : 1024, i, at;
	struct interned *name = realloc(rec.name, cap / 2 * sizeof(*name));
	uint32_t *slot = calloc(cap, sizeof(*slot));

	if (name != NULL)
		rec.name = name;
	if (name == NULL || slot == NULL) {
		free(slot);
		return false;
	}
	for (i = 0; i < rec.n_names; i++) {
		at = (uint32_t)name[i].hash & (cap - 1);
		while (slot[at] != 0)
			at = (at + 1) & (cap - 1);
		slot[at] = i + 1;
	}
	free(rec.slot);
	rec.slot = slot;
	rec.cap = cap;
	return true;
}

static uint32_t
name_locked(const char *s, size_t n)
{
	uint64_t h = hash_text(s, n);
	uint32_t at, i;
	char *copy;

	if (rec.n_names + 1 > rec.cap / 2 && !grow_names())
		return UINT32_MAX;
	at = (uint32_t)h & (rec.cap - 1);
	for (; rec.slot[at] != 0; at = (at + 1) & (rec.cap - 1)) {
		i = rec.slot[at] - 1;
		if (rec.name[i].hash == h && strcmp(rec.name[i].text, s) == 0)
			return i;
	}
	copy = strdup(s);
	if (copy == NULL)
		return UINT32_MAX;
	i = rec.n_names++;
	rec.name[i].hash = h;
	rec.name[i].text = copy;
	rec.slot[at] = i + 1;
	spool_text(RSPOOL_NAME, i, 0, s, n);
	return i;
}

static uint32_t
name_id(const char *s)
{
	uint32_t id;

	if (s == NULL)
		return UINT32_MAX;
	pthread_mutex_lock(&rec.name_lock);
	id = name_locked(s, strlen(s));
	pthread_mutex_unlock(&rec.name_lock);
	return id;
}

static void
kernel(const struct abi_kernel *k, size_t n)
{
	uint32_t name = name_id(k->name);
	struct rspool_kernel *r = spool_take(RSPOOL_KERNEL, sizeof(*r));
	int i;

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->grid_id = k->grid_id;
	r->node = ABI_HAS(n, abi_kernel, node) ? k->node : 0;
	r->local_total = ABI_HAS(n, abi_kernel, local_total2) ? k->local_total2
							      : k->local_total;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	for (i = 0; i < 3; i++) {
		r->grid[i] = k->grid[i];
		r->block[i] = k->block[i];
	}
	r->shared_static = k->shared_static;
	r->shared_dynamic = k->shared_dynamic;
	r->local_thread = k->local_thread;
	r->shared_executed = ABI_HAS(n, abi_kernel, shared_executed)
				 ? k->shared_executed
				 : UINT32_MAX;
	r->name = name;
	r->registers = k->registers;
	r->cache = k->cache;
	r->launch = ABI_HAS(n, abi_kernel, launch) ? k->launch : UINT8_MAX;
	r->limit = ABI_HAS(n, abi_kernel, limit) ? k->limit : UINT32_MAX;
	r->pad = 0;
	spool_put(r);
}

static void
copy(const struct abi_memcpy *k, size_t n)
{
	struct rspool_copy *r = spool_take(RSPOOL_COPY, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->bytes = k->bytes;
	r->node = ABI_HAS(n, abi_memcpy, node) ? k->node : 0;
	r->count = ABI_HAS(n, abi_memcpy, count) ? k->count : 0;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->src_dev = r->src_ctx = r->dst_dev = r->dst_ctx = UINT32_MAX;
	r->kind = k->copy;
	r->src_kind = k->src;
	r->dst_kind = k->dst;
	memset(r->pad, 0, sizeof(r->pad));
	spool_put(r);
}

static void
copy_peer(const struct abi_memcpy2 *k, size_t n)
{
	struct rspool_copy *r = spool_take(RSPOOL_COPY, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->bytes = k->bytes;
	r->node = ABI_HAS(n, abi_memcpy2, node) ? k->node : 0;
	r->count = 0;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->src_dev = k->src_dev;
	r->src_ctx = k->src_ctx;
	r->dst_dev = k->dst_dev;
	r->dst_ctx = k->dst_ctx;
	r->kind = k->copy;
	r->src_kind = k->src;
	r->dst_kind = k->dst;
	memset(r->pad, 0, sizeof(r->pad));
	spool_put(r);
}

static void
set(const struct abi_memset *k, size_t n)
{
	struct rspool_set *r = spool_take(RSPOOL_SET, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->bytes = k->bytes;
	r->node = ABI_HAS(n, abi_memset, node) ? k->node : 0;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->value = k->value;
	r->kind = k->mem;
	spool_put(r);
}

/* The name of a call, once. */
static void
say_call(bool runtime, uint32_t cbid)
{
	struct rspool_callname *r;
	const char *name = NULL;
	size_t n;

	if (cbid >= MAX_CBID || atomic_exchange(&rec.said[runtime][cbid], true))
		return;
	if (CU->GetCallbackName == NULL ||
	    CU->GetCallbackName(runtime ? ABI_CB_RUNTIME : ABI_CB_DRIVER, cbid,
		&name) != ABI_OK ||
	    name == NULL)
		return;
	n = strlen(name);
	n = n < 512 ? n : 512;
	r = spool_take(RSPOOL_CALLNAME, sizeof(*r) + n);
	if (r == NULL)
		return;
	r->runtime = runtime;
	r->cbid = cbid;
	r->pad = 0;
	r->len = (uint32_t)n;
	memcpy(r->text, name, n);
	spool_put(r);
}

static void
call(const struct abi_api *k)
{
	bool runtime = k->kind == ABI_RUNTIME, covers;
	struct rspool_call *r;
	int64_t start;

	if (k->cbid < MAX_CBID && rec.quiet[runtime][k->cbid])
		return;
	covers = runtime && k->cbid < MAX_CBID && rec.covers[k->cbid];
	start = (int64_t)k->start - inj.clock_ahead;
	if (start < atomic_load(&inj.on) || start > atomic_load(&inj.off))
		return;
	if (!covers)
		say_call(runtime, k->cbid);
	r = spool_take(RSPOOL_CALL, sizeof(*r));
	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->tid = k->tid;
	r->corr = k->corr;
	r->cbid = k->cbid;
	r->ret = k->ret;
	r->runtime = runtime;
	r->pad = 0;
	if (covers)
		r->rec.flags = RSPOOL_COVERS;
	spool_put(r);
}

static void
sync_call(const struct abi_sync *k, size_t n)
{
	struct rspool_sync *r = spool_take(RSPOOL_SYNC, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->sync_id = ABI_HAS(n, abi_sync, sync_id) ? k->sync_id : RSPOOL_UNSET;
	r->type = k->type;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->event = k->event;
	r->pad = 0;
	spool_put(r);
}

static void
event(const struct abi_event *k, size_t n)
{
	struct rspool_cuevent *r = spool_take(RSPOOL_EVENT, sizeof(*r));

	if (r == NULL)
		return;
	r->sync_id = ABI_HAS(n, abi_event, sync_id) ? k->sync_id : RSPOOL_UNSET;
	r->dev = ABI_HAS(n, abi_event, dev) ? k->dev : 0;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->event = k->event;
	r->pad = 0;
	spool_put(r);
}

static void
overhead(const struct abi_overhead *k)
{
	struct rspool_overhead *r = spool_take(RSPOOL_OVERHEAD, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->kind = k->overhead;
	r->tid = k->object == ABI_OBJECT_THREAD ? k->id[1] : 0;
	spool_put(r);
}

static void
context(const struct abi_context *k, size_t n)
{
	struct rspool_context *r = spool_take(RSPOOL_CONTEXT, sizeof(*r));

	if (r == NULL)
		return;
	r->ctx = k->ctx;
	r->dev = k->dev;
	r->null_stream = k->null_stream;
	r->parent = ABI_HAS(n, abi_context, parent) ? k->parent : 0;
	r->green = ABI_HAS(n, abi_context, green) ? k->green : 0;
	r->pad = 0;
	spool_put(r);
}

static void
stream(const struct abi_stream *k)
{
	struct rspool_stream *r = spool_take(RSPOOL_STREAM, sizeof(*r));

	if (r == NULL)
		return;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->priority = k->priority;
	r->flag = k->flag;
	spool_put(r);
}

static void
memory(const struct abi_memory *k, size_t n)
{
	uint32_t name = name_id(k->name);
	struct rspool_memory *r = spool_take(RSPOOL_MEMORY, sizeof(*r));
	bool pool = ABI_HAS(n, abi_memory, size);

	if (r == NULL)
		return;
	r->t = (int64_t)k->t;
	r->address = k->address;
	r->bytes = k->bytes;
	r->pc = k->pc;
	r->pool_type = pool ? k->pool_type : 0;
	r->pool = pool ? k->pool : 0;
	r->threshold = pool ? k->threshold : 0;
	r->size = pool ? k->size : 0;
	r->utilized = ABI_HAS(n, abi_memory, utilized) ? k->utilized : 0;
	r->op = k->op;
	r->kind = k->mem;
	r->corr = k->corr;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->pid = k->pid;
	r->name = name;
	r->pad = 0;
	spool_put(r);
}

static void
pool(const struct abi_pool *k, size_t n)
{
	struct rspool_pool *r = spool_take(RSPOOL_POOL, sizeof(*r));

	if (r == NULL)
		return;
	r->t = (int64_t)k->t;
	r->address = k->address;
	r->keep = k->keep;
	r->size = k->size;
	r->threshold = k->threshold;
	r->utilized = ABI_HAS(n, abi_pool, utilized) ? k->utilized : 0;
	r->op = k->op;
	r->type = k->type;
	r->corr = k->corr;
	r->dev = k->dev;
	spool_put(r);
}

static void
graph_run(const struct abi_graphrun *k)
{
	struct rspool_graphrun *r = spool_take(RSPOOL_GRAPHRUN, sizeof(*r));

	if (r == NULL)
		return;
	r->start = (int64_t)k->start;
	r->end = (int64_t)k->end;
	r->dev = k->dev;
	r->ctx = k->ctx;
	r->stream = k->stream;
	r->corr = k->corr;
	r->graph = k->graph;
	r->pad = 0;
	spool_put(r);
}

/* A record of n bytes, up to the next one. False if it is too short. */
static bool
take_record(const void *p, size_t n)
{
	switch (((const struct abi_record *)p)->kind) {
#define CASE(k, type, last, call)                                              \
	case k:                                                                \
		if (!ABI_HAS(n, type, last))                                   \
			return false;                                          \
		call;                                                          \
		return true
		CASE(ABI_KERNEL, abi_kernel, name, kernel(p, n));
		CASE(ABI_MEMCPY, abi_memcpy, corr, copy(p, n));
		CASE(ABI_MEMCPY2, abi_memcpy2, corr, copy_peer(p, n));
		CASE(ABI_MEMSET, abi_memset, mem, set(p, n));
		CASE(ABI_DRIVER, abi_api, ret, call(p));
		CASE(ABI_RUNTIME, abi_api, ret, call(p));
		CASE(ABI_SYNC, abi_sync, event, sync_call(p, n));
		CASE(ABI_CUDA_EVENT, abi_event, event, event(p, n));
		CASE(ABI_OVERHEAD, abi_overhead, end, overhead(p));
		CASE(ABI_CONTEXT, abi_context, null_stream, context(p, n));
		CASE(ABI_STREAM, abi_stream, flag, stream(p));
		CASE(ABI_MEMORY2, abi_memory, name, memory(p, n));
		CASE(ABI_POOL, abi_pool, t, pool(p, n));
		CASE(ABI_GRAPH_TRACE, abi_graphrun, stream, graph_run(p));
#undef CASE
	default:
		return true; /* of a kind that we did not ask for */
	}
}

/* The length of a record is the way to the next one. */
static void
walk(uint8_t *buffer, size_t valid)
{
	void *p = NULL, *next;
	uint64_t bad = 0;
	size_t n;

	if (CU->ActivityGetNextRecord(buffer, valid, &p) != ABI_OK)
		return;
	while (p != NULL) {
		next = p;
		if (CU->ActivityGetNextRecord(buffer, valid, &next) != ABI_OK)
			next = NULL;
		n = (size_t)((next != NULL ? (uint8_t *)next : buffer + valid) -
			     (uint8_t *)p);
		if (n > valid || !take_record(p, n))
			bad++;
		p = next;
	}
	spool_count("cupti_records_bad", bad);
}

static void
on_request(uint8_t **buffer, size_t *size, size_t *max)
{
	struct buffer *b;

	*size = BUFFER_SIZE;
	*max = 0;
	pthread_mutex_lock(&rec.lock);
	b = rec.spare;
	if (b != NULL) {
		rec.spare = b->next;
		rec.n_spare--;
	}
	pthread_mutex_unlock(&rec.lock);
	if (b == NULL)
		b = aligned_alloc(4096, BUFFER_SIZE);
	else
		b->next = NULL;
	if (b == NULL)
		*size = 0;
	*buffer = (uint8_t *)b;
}

#define MAX_SPARE 16

static void
on_complete(
    void *ctx, uint32_t stream_id, uint8_t *buffer, size_t size, size_t valid)
{
	struct buffer *b = (void *)buffer;
	size_t dropped = 0;
	bool keep;

	if (buffer == NULL)
		return;
	if (valid > 0 && valid <= size)
		walk(buffer, valid);
	if (CU->ActivityGetNumDroppedRecords != NULL &&
	    CU->ActivityGetNumDroppedRecords(ctx, stream_id, &dropped) ==
		ABI_OK)
		spool_count("cupti_dropped", dropped);
	pthread_mutex_lock(&rec.lock);
	keep = rec.n_spare < MAX_SPARE;
	if (keep) {
		b->next = rec.spare;
		rec.spare = b;
		rec.n_spare++;
	}
	pthread_mutex_unlock(&rec.lock);
	if (!keep)
		free(buffer);
}

bool
records_start(void)
{
	return CU->ActivityRegisterCallbacks(on_request, on_complete) == ABI_OK;
}

/*
 * Calls that do nothing on the GPU and that frameworks make by the thousand:
 * those that Nsight Systems leaves out. A name that ends in * stands for all
 * that begin so.
 */
static const char *const quiet_runtime[] = { "cudaGetDevice*",
	"cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString",
	"cudaDeviceGet*", "cudaPointerGetAttributes", NULL };
static const char *const quiet_driver[] = { "cuCtxGet*", "cuCtxPushCurrent",
	"cuCtxPopCurrent", "cuDeviceGet*", "cuDevicePrimaryCtxGetState",
	"cuDriverGetVersion", "cuFuncGet*", "cuGetError*", "cuOccupancy*",
	"cuPointerGetAttribute*", NULL };

/* Such calls, too, but they make calls of the driver that are recorded where
 * the program itself makes them (cuCtxSetCurrent, cuKernelGetAttribute). CUPTI
 * does not say who made a call, so the records of these are needed to leave out
 * what lies inside them. */
static const char *const covering[] = { "cudaSetDevice",
	"cudaFuncGetAttributes", "cudaFuncSetAttribute", "cudaOccupancy*",
	"cudaStreamGetPriority", "cudaEventElapsedTime",
	"cudaGetDeviceProperties*", NULL };

/* name may have a version (_v3020) and a suffix (_ptsz) after it. */
static bool
is_quiet(const char *const *list, const char *name)
{
	size_t n;

	for (; *list != NULL; list++) {
		n = strlen(*list);
		if ((*list)[n - 1] == '*') {
			if (strncmp(name, *list, n - 1) == 0)
				return true;
			continue;
		}
		if (strncmp(name, *list, n) == 0 &&
		    (name[n] == '\0' || name[n] == '_'))
			return true;
	}
	return false;
}

static void
choose_domain(bool runtime)
{
	abi_result (*enable)(uint32_t, uint8_t) =
	    runtime ? CU->ActivityEnableRuntimeApi
		    : CU->ActivityEnableDriverApi;
	const char *name;
	bool covers;
	uint32_t i;

	for (i = 1; i < MAX_CBID; i++) {
		name = NULL;
		if (CU->GetCallbackName(
			runtime ? ABI_CB_RUNTIME : ABI_CB_DRIVER, i, &name) !=
			ABI_OK ||
		    name == NULL)
			continue;
		covers = runtime && is_quiet(covering, name);
		if (runtime)
			rec.covers[i] = covers && !inj.opt.all_calls;
		rec.quiet[runtime][i] =
		    !covers && !inj.opt.all_calls &&
		    is_quiet(runtime ? quiet_runtime : quiet_driver, name);
		if (!rec.quiet[runtime][i] && enable != NULL)
			enable(i, 1);
	}
}

/* In the child of a fork nothing is in the new spool yet. */
void
records_child(void)
{
	uint32_t i;

	pthread_mutex_init(&rec.lock, NULL);
	pthread_mutex_init(&rec.name_lock, NULL);
	for (i = 0; i < rec.n_names; i++)
		free(rec.name[i].text);
	rec.n_names = 0;
	if (rec.slot != NULL)
		memset(rec.slot, 0, rec.cap * sizeof(*rec.slot));
	memset(rec.said, 0, sizeof(rec.said));
}

bool
records_choose(void)
{
	if (CU->GetCallbackName == NULL)
		return false;
	choose_domain(true);
	choose_domain(false);
	return CU->ActivityEnableRuntimeApi != NULL &&
	       CU->ActivityEnableDriverApi != NULL;
}
