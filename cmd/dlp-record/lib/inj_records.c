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
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	uint32_t at, i;
	size_t k;
	char *copy;

	for (k = 0; k < n; k++)
		h = (h ^ (unsigned char)s[k]) * 0x100000001b3u;
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

/* A field that this CUPTI's record may not have. */
#define HAS(type, field, otherwise)                                            \
	(ABI_HAS(n, abi_##type, field) ? k->field : (otherwise))

static void
kernel(const struct abi_kernel *k, size_t n)
{
	struct rspool_kernel r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.grid_id = k->grid_id,
		.node = HAS(kernel, node, 0),
		.local_total = HAS(kernel, local_total2, k->local_total),
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.grid = { k->grid[0], k->grid[1], k->grid[2] },
		.block = { k->block[0], k->block[1], k->block[2] },
		.shared_static = k->shared_static,
		.shared_dynamic = k->shared_dynamic,
		.local_thread = k->local_thread,
		.shared_executed = HAS(kernel, shared_executed, UINT32_MAX),
		.name = name_id(k->name),
		.registers = k->registers,
		.cache = k->cache,
		.launch = HAS(kernel, launch, UINT8_MAX),
		.limit = HAS(kernel, limit, UINT32_MAX) };

	SPOOL(RSPOOL_KERNEL, &r);
}

static void
copy(const struct abi_memcpy *k, size_t n)
{
	struct rspool_copy r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.bytes = k->bytes,
		.node = HAS(memcpy, node, 0),
		.count = HAS(memcpy, count, 0),
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.src_dev = UINT32_MAX,
		.src_ctx = UINT32_MAX,
		.dst_dev = UINT32_MAX,
		.dst_ctx = UINT32_MAX,
		.kind = k->copy,
		.src_kind = k->src,
		.dst_kind = k->dst };

	SPOOL(RSPOOL_COPY, &r);
}

static void
copy_peer(const struct abi_memcpy2 *k, size_t n)
{
	struct rspool_copy r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.bytes = k->bytes,
		.node = HAS(memcpy2, node, 0),
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.src_dev = k->src_dev,
		.src_ctx = k->src_ctx,
		.dst_dev = k->dst_dev,
		.dst_ctx = k->dst_ctx,
		.kind = k->copy,
		.src_kind = k->src,
		.dst_kind = k->dst };

	SPOOL(RSPOOL_COPY, &r);
}

static void
set(const struct abi_memset *k, size_t n)
{
	struct rspool_set r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.bytes = k->bytes,
		.node = HAS(memset, node, 0),
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.value = k->value,
		.kind = k->mem };

	SPOOL(RSPOOL_SET, &r);
}

/* The name of a call, once. */
static void
say_call(bool runtime, uint32_t cbid)
{
	struct rspool_callname r = { .runtime = runtime, .cbid = cbid };
	const char *name = NULL;

	if (cbid >= MAX_CBID || atomic_exchange(&rec.said[runtime][cbid], true))
		return;
	if (CU->GetCallbackName == NULL ||
	    CU->GetCallbackName(runtime ? ABI_CB_RUNTIME : ABI_CB_DRIVER, cbid,
		&name) != ABI_OK ||
	    name == NULL)
		return;
	r.len = (uint32_t)strnlen(name, 512);
	spool_record(RSPOOL_CALLNAME, &r, sizeof(r), name, r.len, NULL, 0);
}

static void
call(const struct abi_api *k)
{
	bool runtime = k->kind == ABI_RUNTIME, covers;
	struct rspool_call r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.tid = k->tid,
		.corr = k->corr,
		.cbid = k->cbid,
		.ret = k->ret,
		.runtime = runtime };
	int64_t start;

	if (k->cbid < MAX_CBID && rec.quiet[runtime][k->cbid])
		return;
	covers = runtime && k->cbid < MAX_CBID && rec.covers[k->cbid];
	start = (int64_t)k->start - inj.clock_ahead;
	if (start < atomic_load(&inj.on) || start > atomic_load(&inj.off))
		return;
	if (!covers)
		say_call(runtime, k->cbid);
	r.rec.flags = covers ? RSPOOL_COVERS : 0;
	SPOOL(RSPOOL_CALL, &r);
}

static void
sync_call(const struct abi_sync *k, size_t n)
{
	struct rspool_sync r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.sync_id = HAS(sync, sync_id, RSPOOL_UNSET),
		.type = k->type,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.event = k->event };

	SPOOL(RSPOOL_SYNC, &r);
}

static void
event(const struct abi_event *k, size_t n)
{
	struct rspool_cuevent r = { .sync_id =
					HAS(event, sync_id, RSPOOL_UNSET),
		.dev = HAS(event, dev, 0),
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.event = k->event };

	SPOOL(RSPOOL_EVENT, &r);
}

static void
overhead(const struct abi_overhead *k)
{
	struct rspool_overhead r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.kind = k->overhead,
		.tid = k->object == ABI_OBJECT_THREAD ? k->id[1] : 0 };

	SPOOL(RSPOOL_OVERHEAD, &r);
}

static void
context(const struct abi_context *k, size_t n)
{
	struct rspool_context r = { .ctx = k->ctx,
		.dev = k->dev,
		.null_stream = k->null_stream,
		.parent = HAS(context, parent, 0),
		.green = HAS(context, green, 0) };

	SPOOL(RSPOOL_CONTEXT, &r);
}

static void
stream(const struct abi_stream *k)
{
	struct rspool_stream r = { .ctx = k->ctx,
		.stream = k->stream,
		.priority = k->priority,
		.flag = k->flag };

	SPOOL(RSPOOL_STREAM, &r);
}

static void
memory(const struct abi_memory *k, size_t n)
{
	bool pool = ABI_HAS(n, abi_memory, size);
	struct rspool_memory r = { .t = (int64_t)k->t,
		.address = k->address,
		.bytes = k->bytes,
		.pc = k->pc,
		.pool_type = pool ? k->pool_type : 0,
		.pool = pool ? k->pool : 0,
		.threshold = pool ? k->threshold : 0,
		.size = pool ? k->size : 0,
		.utilized = HAS(memory, utilized, 0),
		.op = k->op,
		.kind = k->mem,
		.corr = k->corr,
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.pid = k->pid,
		.name = name_id(k->name) };

	SPOOL(RSPOOL_MEMORY, &r);
}

static void
pool(const struct abi_pool *k, size_t n)
{
	struct rspool_pool r = { .t = (int64_t)k->t,
		.address = k->address,
		.keep = k->keep,
		.size = k->size,
		.threshold = k->threshold,
		.utilized = HAS(pool, utilized, 0),
		.op = k->op,
		.type = k->type,
		.corr = k->corr,
		.dev = k->dev };

	SPOOL(RSPOOL_POOL, &r);
}

static void
graph_run(const struct abi_graphrun *k)
{
	struct rspool_graphrun r = { .start = (int64_t)k->start,
		.end = (int64_t)k->end,
		.dev = k->dev,
		.ctx = k->ctx,
		.stream = k->stream,
		.corr = k->corr,
		.graph = k->graph };

	SPOOL(RSPOOL_GRAPHRUN, &r);
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

/* Of the driver's calls, those of which callbacks tell. */
static const char *const direct[] = { "cuLaunch*", "cuGraphLaunch", "cuMemcpy*",
	"cuMemset*", "cuStreamSynchronize", "cuEventSynchronize",
	"cuCtxSynchronize", NULL };

static void
choose_call(bool runtime, uint32_t cbid, bool late, const char *name)
{
	abi_result (*enable)(uint32_t, uint8_t) =
	    runtime ? CU->ActivityEnableRuntimeApi
		    : CU->ActivityEnableDriverApi;
	bool covers = runtime && is_quiet(covering, name);
	bool quiet = is_quiet(runtime ? quiet_runtime : quiet_driver, name);

	if (late && !runtime)
		quiet = !is_quiet(direct, name);
	if (inj.opt.all_calls)
		covers = quiet = false;
	if (runtime)
		rec.covers[cbid] = covers && !late;
	rec.quiet[runtime][cbid] = late ? quiet || covers : quiet && !covers;
	if (rec.quiet[runtime][cbid])
		return;
	if (late)
		CU->EnableCallback(1, inj.subscriber,
		    runtime ? ABI_CB_RUNTIME : ABI_CB_DRIVER, cbid);
	else if (enable != NULL)
		enable(cbid, 1);
}

static void
choose_domain(bool runtime, bool late)
{
	const char *name;
	uint32_t i;

	for (i = 1; i < MAX_CBID; i++) {
		name = NULL;
		if (CU->GetCallbackName(
			runtime ? ABI_CB_RUNTIME : ABI_CB_DRIVER, i, &name) ==
			ABI_OK &&
		    name != NULL)
			choose_call(runtime, i, late, name);
	}
}

/*
 * CUPTI that comes late cannot choose the calls that have records: it steps
 * into all of them, 0.3 us each, and PyTorch makes ten with a launch. Callbacks
 * it can choose. A call of the driver inside of one of the runtime has the
 * other's number and is left out.
 */
void
records_told(bool runtime, uint32_t cbid, const struct abi_call_data *d)
{
	static __thread uint32_t outer;
	struct rspool_call r = { .tid = spool_tid(),
		.corr = d->corr,
		.cbid = cbid,
		.runtime = runtime };

	if (cbid >= MAX_CBID || rec.quiet[runtime][cbid] ||
	    (!runtime && d->corr == outer))
		return;
	if (d->site == ABI_API_ENTER) {
		if (runtime)
			outer = d->corr;
		*d->note = (uint64_t)inj_now();
		return;
	}
	r.start = (int64_t)*d->note;
	r.end = inj_now();
	r.ret = d->result != NULL ? (uint32_t)*d->result : 0;
	if (r.start < atomic_load(&inj.on) || r.start > atomic_load(&inj.off))
		return;
	r.start += inj.clock_ahead;
	r.end += inj.clock_ahead;
	say_call(runtime, cbid);
	SPOOL(RSPOOL_CALL, &r);
}

/* In the child of a fork nothing is in the new spool yet. */
void
records_child(void)
{
	pthread_mutex_init(&rec.lock, NULL);
	pthread_mutex_init(&rec.name_lock, NULL);
	records_forget();
}

void
records_forget(void)
{
	uint32_t i;

	pthread_mutex_lock(&rec.name_lock);
	for (i = 0; i < rec.n_names; i++)
		free(rec.name[i].text);
	rec.n_names = 0;
	if (rec.slot != NULL)
		memset(rec.slot, 0, rec.cap * sizeof(*rec.slot));
	memset(rec.said, 0, sizeof(rec.said));
	pthread_mutex_unlock(&rec.name_lock);
}

bool
records_choose(bool late)
{
	if (CU->GetCallbackName == NULL)
		return false;
	choose_domain(true, late);
	choose_domain(false, late);
	return late || (CU->ActivityEnableRuntimeApi != NULL &&
			   CU->ActivityEnableDriverApi != NULL);
}
