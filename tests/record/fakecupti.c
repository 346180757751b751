/*
 * A libcupti without CUDA, for tests of the recorder: it takes the same calls,
 * and its records are made by the functions fake_*(), which the program
 * fakecuda calls in the place of a driver. FAKE in the environment has words:
 *
 *	seat        the subscriber's seat is taken (error 39)
 *	refuse      the subscriber is refused (error 15)
 *	rights      only administrators may profile (error 35)
 *	noclock     the clock's callback is rejected: times are of REALTIME
 *	kernel=N    records of kernels have N bytes, and so on for copy, set,
 *	            sync, event, memory
 *	zero        some records have no times
 *	overrun     some records end after the next one of their stream
 *	dropped     buffers say that records were dropped
 *	thread      buffers are completed by a thread of CUPTI's own
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../cmd/dlp-record/lib/cupti_abi.h"

#define MAX_KIND 64
#define MAX_CB 512

static struct {
	abi_callback *cb;
	void *user;
	abi_buffer_requested *request;
	abi_buffer_completed *complete;
	abi_clock *clock;
	bool on[MAX_KIND];
	bool cb_on[4][MAX_CB];
	bool domain_on[4];
	bool call_on[2][MAX_CB]; /* calls that have records; 0: driver */
	uint8_t *buffer;
	size_t size, used;
	uint32_t corr;
	int finalized;
	uint64_t dropped;
} f;

/* Records come from the program's threads, flushes from the recorder's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define EXPORT __attribute__((visibility("default")))

/* The value of NAME=N in $FAKE; -1 if it is missing, 1 without =. */
static long
option(const char *name)
{
	const char *s = getenv("FAKE");
	size_t n = strlen(name);

	for (; s != NULL && *s != '\0'; s += *s == ' ') {
		if (strncmp(s, name, n) == 0 && s[n] == '=')
			return strtol(s + n + 1, NULL, 10);
		if (strncmp(s, name, n) == 0 && (s[n] == ' ' || s[n] == '\0'))
			return 1;
		s += strcspn(s, " ");
	}
	return -1;
}

static uint64_t
now(void)
{
	struct timespec t;

	if (f.clock != NULL)
		return f.clock();
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct {
	uint32_t kind;
	const char *name;
	size_t size;
} sizes[] = { { ABI_KERNEL, "kernel", 216 }, { ABI_MEMCPY, "copy", 96 },
	{ ABI_MEMCPY2, "peer", 96 }, { ABI_MEMSET, "set", 88 },
	{ ABI_DRIVER, "call", 40 }, { ABI_RUNTIME, "call", 40 },
	{ ABI_SYNC, "sync", 56 }, { ABI_CUDA_EVENT, "event", 56 },
	{ ABI_OVERHEAD, "overhead", 56 }, { ABI_CONTEXT, "context", 32 },
	{ ABI_STREAM, "stream", 24 }, { ABI_MEMORY2, "memory", 128 },
	{ ABI_POOL, "pool", 80 }, { ABI_GRAPH_TRACE, "graph", 56 } };

static size_t
size_of(uint32_t kind)
{
	size_t i;
	long n;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].kind == kind) {
			n = option(sizes[i].name);
			return n > 0 ? (size_t)n : sizes[i].size;
		}
	return 0;
}

static void *
complete_now(void *arg)
{
	uint8_t *b = f.buffer;

	(void)arg;
	f.buffer = NULL;
	f.complete(NULL, 0, b, f.size, f.used);
	return NULL;
}

static void
flush(void)
{
	pthread_t id;

	if (f.buffer == NULL)
		return;
	if (option("thread") > 0 &&
	    pthread_create(&id, NULL, complete_now, NULL) == 0)
		pthread_join(id, NULL);
	else
		complete_now(NULL);
}

/* A record of any kind, cut to the size of its version. */
static void
emit_locked(const void *rec, size_t have)
{
	uint32_t kind = ((const struct abi_record *)rec)->kind;
	size_t n = size_of(kind);

	if (!f.on[kind] && kind != ABI_RUNTIME && kind != ABI_DRIVER)
		return;
	if (f.buffer != NULL && f.size - f.used < n)
		flush();
	if (f.buffer == NULL) {
		size_t max;

		f.used = 0;
		f.request(&f.buffer, &f.size, &max);
		if (f.buffer == NULL)
			return;
	}
	memset(f.buffer + f.used, 0, n);
	memcpy(f.buffer + f.used, rec, have < n ? have : n);
	f.used += n;
}

static void
emit(const void *rec, size_t have)
{
	pthread_mutex_lock(&lock);
	emit_locked(rec, have);
	pthread_mutex_unlock(&lock);
}

/* The interface of CUPTI. */

EXPORT abi_result
cuptiSubscribe(void **sub, abi_callback *cb, void *user)
{
	if (option("seat") > 0)
		return ABI_ERROR_SEAT;
	if (option("refuse") > 0)
		return 15;
	if (option("rights") > 0)
		return ABI_ERROR_RIGHTS;
	f.cb = cb;
	f.user = user;
	*sub = &f;
	return ABI_OK;
}

EXPORT abi_result
cuptiEnableCallback(uint32_t on, void *sub, uint32_t domain, uint32_t cbid)
{
	(void)sub;
	f.cb_on[domain][cbid] = on;
	return ABI_OK;
}

EXPORT abi_result
cuptiEnableDomain(uint32_t on, void *sub, uint32_t domain)
{
	(void)sub;
	f.domain_on[domain] = on;
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityRegisterCallbacks(
    abi_buffer_requested *request, abi_buffer_completed *complete)
{
	f.request = request;
	f.complete = complete;
	return ABI_OK;
}

/* The kinds of calls override the choice of single ones. */
static void
switch_kind(uint32_t kind, bool on)
{
	pthread_mutex_lock(&lock);
	f.on[kind] = on;
	if (kind == ABI_RUNTIME || kind == ABI_DRIVER)
		memset(f.call_on[kind == ABI_RUNTIME], on, MAX_CB);
	pthread_mutex_unlock(&lock);
}

EXPORT abi_result
cuptiActivityEnable(uint32_t kind)
{
	switch_kind(kind, true);
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityDisable(uint32_t kind)
{
	switch_kind(kind, false);
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityFlushAll(uint32_t flag)
{
	/* only a forced flush gives buffers that are not full; the real one
	 * gives those whose work is complete, too */
	(void)flag;
	pthread_mutex_lock(&lock);
	flush();
	pthread_mutex_unlock(&lock);
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **rec)
{
	uint8_t *p = *rec;
	size_t n;

	if (p == NULL)
		p = buffer;
	else {
		n = size_of(((struct abi_record *)*rec)->kind);
		p += n;
		if (n == 0)
			return 21;
	}
	if (p >= buffer + valid)
		return 12; /* no more */
	*rec = p;
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityGetNumDroppedRecords(void *ctx, uint32_t stream, size_t *n)
{
	(void)ctx;
	(void)stream;
	*n = option("dropped") > 0 ? 3 : 0;
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityRegisterTimestampCallback(abi_clock *clock)
{
	if (option("noclock") > 0)
		return 1;
	f.clock = clock;
	return ABI_OK;
}

static const struct {
	uint32_t runtime, cbid;
	const char *name;
} calls[] = { { 1, 1, "cudaGetDevice_v3020" },
	{ 1, 2, "cudaLaunchKernel_v7000" }, { 1, 3, "cudaMemcpyAsync_v3020" },
	{ 1, 4, "cudaMemsetAsync_v3020" },
	{ 1, 5, "cudaStreamSynchronize_v3020" }, { 1, 6, "cudaMalloc_v3020" },
	{ 1, 7, "cudaGraphLaunch_v10000" }, { 1, 8, "cudaSetDevice_v3020" },
	{ 0, 1, "cuCtxGetCurrent" }, { 0, 3, "cuCtxSetCurrent" },
	{ 0, 4, "cuPointerGetAttribute" },
	{ 0, ABI_PROFILER_START, "cuProfilerStart" },
	{ 0, ABI_PROFILER_STOP, "cuProfilerStop" },
	{ 0, 2, "cuLaunchKernel" } };

EXPORT abi_result
cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if ((calls[i].runtime ? 2 : 1) == domain &&
		    calls[i].cbid == cbid) {
			*name = calls[i].name;
			return ABI_OK;
		}
	return 1;
}

EXPORT abi_result
cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t on)
{
	f.call_on[1][cbid] = on;
	return ABI_OK;
}

EXPORT abi_result
cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t on)
{
	f.call_on[0][cbid] = on;
	return ABI_OK;
}

EXPORT abi_result
cuptiGetGraphNodeId(void *node, uint64_t *id)
{
	*id = (uint64_t)(uintptr_t)node;
	return ABI_OK;
}

EXPORT abi_result
cuptiGetGraphId(void *graph, uint32_t *id)
{
	*id = (uint32_t)(uintptr_t)graph;
	return ABI_OK;
}

EXPORT abi_result
cuptiGetGraphExecId(void *exec, uint32_t *id)
{
	*id = (uint32_t)(uintptr_t)exec;
	return ABI_OK;
}

EXPORT abi_result
cuptiGetVersion(uint32_t *version)
{
	*version = 130001;
	return ABI_OK;
}

EXPORT abi_result
cuptiFinalize(void)
{
	f.finalized++;
	memset(f.on, 0, sizeof(f.on));
	memset(f.call_on, 0, sizeof(f.call_on));
	memset(f.cb_on, 0, sizeof(f.cb_on));
	memset(f.domain_on, 0, sizeof(f.domain_on));
	return ABI_OK;
}

/* What the program does. */

static void
callback(uint32_t domain, uint32_t cbid, uint32_t site, uint32_t corr,
    uint64_t *note)
{
	static const int result;
	struct abi_call_data d = {
		.site = site, .result = &result, .note = note, .corr = corr
	};

	if (f.cb != NULL && (f.cb_on[domain][cbid] || f.domain_on[domain]))
		f.cb(f.user, domain, cbid, &d);
}

static void
call(int runtime, uint32_t cbid, uint32_t corr)
{
	struct abi_api k = { 0 };
	uint32_t domain = runtime ? 2 : 1;
	uint64_t note, inner;

	callback(domain, cbid, ABI_API_ENTER, corr, &note);
	k.kind = runtime ? ABI_RUNTIME : ABI_DRIVER;
	k.cbid = cbid;
	k.start = now();
	if (runtime && cbid == 8) /* the runtime calls the driver */
		call(0, 3, corr);
	if (runtime && cbid == 2) { /* has no record */
		callback(1, 2, ABI_API_ENTER, corr, &inner);
		callback(1, 2, ABI_API_EXIT, corr, &inner);
	}
	k.end = now();
	k.pid = (uint32_t)getpid();
	k.tid = (uint32_t)syscall(SYS_gettid);
	k.corr = corr;
	pthread_mutex_lock(&lock);
	if (f.call_on[runtime != 0][cbid])
		emit_locked(&k, sizeof(k));
	pthread_mutex_unlock(&lock);
	callback(domain, cbid, ABI_API_EXIT, corr, &note);
}

/* Returns the correlation id, which a call of the driver inside shares. */
EXPORT uint32_t
fake_call(int runtime, uint32_t cbid)
{
	uint32_t corr = ++f.corr;

	call(runtime, cbid, corr);
	return corr;
}

/* What all work has: it takes NS on a stream. */
#define WORK(k, of, ns, on)                                                    \
	do {                                                                   \
		(k).kind = (of);                                               \
		(k).start = now();                                             \
		(k).end = (k).start + (ns);                                    \
		(k).ctx = 1;                                                   \
		(k).stream = (on);                                             \
		(k).corr = corr;                                               \
	} while (0)

static void
kernel(const char *name, uint32_t corr, uint64_t node)
{
	static int n;
	struct abi_kernel k = { 0 };

	WORK(k, ABI_KERNEL, 500, 7);
	k.cache = 0x11;
	k.registers = 32;
	k.grid[0] = 10;
	k.grid[1] = k.grid[2] = 1;
	k.block[0] = 128;
	k.block[1] = k.block[2] = 1;
	k.shared_dynamic = 1024;
	k.local_total = 77;
	k.local_total2 = 250871808;
	k.grid_id = n++;
	k.name = name;
	k.shared_executed = 32768;
	k.node = node;
	k.limit = 1;
	if (option("zero") > 0 && n % 4 == 0)
		k.start = k.end = 0;
	if (option("overrun") > 0 && n % 3 == 0)
		k.end += 40000000;
	emit(&k, sizeof(k));
}

static void
copy(uint32_t corr)
{
	struct abi_memcpy k = { 0 };

	WORK(k, ABI_MEMCPY, option("overrun") > 0 ? 30000300 : 300, 7);
	k.copy = 1;
	k.src = 1;
	k.dst = 3;
	k.bytes = 4096;
	k.count = 1;
	emit(&k, sizeof(k));
}

static void
peer(uint32_t corr)
{
	struct abi_memcpy2 k = { 0 };

	WORK(k, ABI_MEMCPY2, 100, 8);
	k.copy = 10;
	k.src = k.dst = 3;
	k.bytes = 512;
	k.dst_dev = k.dst_ctx = 1;
	emit(&k, sizeof(k));
}

static void
set(uint32_t corr)
{
	struct abi_memset k = { 0 };

	WORK(k, ABI_MEMSET, 100, 7);
	k.value = 5;
	k.bytes = 64;
	k.mem = 3;
	emit(&k, sizeof(k));
}

static void
synchronize(uint32_t corr)
{
	struct abi_sync k = { 0 };
	struct abi_event e = { 0 };

	WORK(k, ABI_SYNC, 50, 7);
	k.type = 3;
	k.event = UINT32_MAX;
	k.sync_id = 9;
	emit(&k, sizeof(k));
	e.kind = ABI_CUDA_EVENT;
	e.corr = corr;
	e.ctx = 1;
	e.stream = 7;
	e.event = 3;
	e.sync_id = 9;
	emit(&e, sizeof(e));
}

/* Memory that was taken or, with op 2, released. */
static void
memory(int op, uint64_t address, uint64_t bytes, struct abi_memory k)
{
	k.kind = ABI_MEMORY2;
	k.op = op;
	k.address = address;
	k.bytes = bytes;
	k.t = now();
	k.stream = UINT32_MAX;
	k.ctx = 1;
	emit(&k, sizeof(k));
}

/* Memory that a module brings and takes along; its address is used again. */
EXPORT void
fake_module(int release)
{
	memory(release ? 2 : 1, 0x6000, 16,
	    (struct abi_memory){ .mem = 6, .name = "$str" });
}

static void
pool(uint32_t corr)
{
	static uint64_t address = 0x7000;
	struct abi_memory k = { 0 };
	struct abi_pool l = { 0 };

	k.mem = 3;
	k.corr = corr;
	k.pool_type = 1;
	k.pool = 0x1000;
	k.size = 1 << 21;
	k.utilized = 1 << 20;
	memory(1, address, 1 << 20, k);
	address += 1 << 20;
	l.kind = ABI_POOL;
	l.op = 1;
	l.type = 1;
	l.corr = corr;
	l.address = 0x1000;
	l.size = 1 << 21;
	l.t = now();
	emit(&l, sizeof(l));
}

static void
overhead(void)
{
	struct abi_overhead k = { 0 };

	k.kind = ABI_OVERHEAD;
	k.overhead = 6 << 16;
	k.object = ABI_OBJECT_THREAD;
	k.id[0] = (uint32_t)getpid();
	k.id[1] = (uint32_t)syscall(SYS_gettid);
	k.start = now();
	k.end = now();
	emit(&k, sizeof(k));
}

static void
resource(uint32_t cbid, struct abi_graph_data *g)
{
	struct abi_resource_data d = { &f, NULL, g };

	if (f.cb != NULL && f.cb_on[3][cbid])
		f.cb(f.user, ABI_CB_RESOURCE, cbid, &d);
}

/* A context with its stream, a graph with a node, and its executable graph. */
EXPORT void
fake_begin(void)
{
	struct abi_context k = { 0 };
	struct abi_stream s = { 0 };
	struct abi_graph_data g = { 0 };

	resource(ABI_RES_CONTEXT_CREATED, NULL);
	k.kind = ABI_CONTEXT;
	k.ctx = 1;
	k.null_stream = 7;
	emit(&k, sizeof(k));
	s.kind = ABI_STREAM;
	s.ctx = 1;
	s.stream = 7;
	s.flag = 1;
	emit(&s, sizeof(s));
	g.graph = (void *)1;
	resource(ABI_RES_GRAPH_CREATED, &g);
	g.node = (void *)(uintptr_t)4294967296;
	resource(ABI_RES_NODE_CREATED, &g);
	g.graph = (void *)2;
	g.original = (void *)1;
	g.node = (void *)(uintptr_t)8589934592;
	g.original_node = (void *)(uintptr_t)4294967296;
	resource(ABI_RES_GRAPH_CLONED, &g);
	resource(ABI_RES_NODE_CLONED, &g);
	g.graph = (void *)1;
	g.exec = (void *)2;
	resource(ABI_RES_EXEC_CREATED, &g);
}

static void
graph_run(uint32_t corr)
{
	struct abi_graphrun k = { 0 };
	bool level;

	WORK(k, ABI_GRAPH_TRACE, 1000, 7);
	k.graph = 2;
	pthread_mutex_lock(&lock);
	level = f.on[ABI_GRAPH_TRACE];
	pthread_mutex_unlock(&lock);
	if (level)
		emit(&k, sizeof(k));
	else
		kernel("_Z6nodedkPf", corr, 8589934592);
}

/* A step of the program. */
EXPORT void
fake_step(void)
{
	static const char *const names[] = { "_Z4axpyifPKfPf",
		"_ZN2at6native13reduce_kernelILi512ELi1EEEvT_",
		"plain_kernel" };
	static int n;

	fake_call(1, 1);
	fake_call(0, 1);
	kernel(names[n % 3], fake_call(1, 2), 0);
	copy(fake_call(1, 3));
	set(fake_call(1, 4));
	kernel(names[(n + 1) % 3], fake_call(1, 2), 0);
	pool(fake_call(1, 6));
	graph_run(fake_call(1, 7));
	peer(fake_call(1, 3));
	synchronize(fake_call(1, 5));
	overhead();
	n++;
}

EXPORT int
fake_finalized(void)
{
	return f.finalized;
}
