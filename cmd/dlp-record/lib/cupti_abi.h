/*
 * The part of CUPTI's binary interface that the recorder needs: numbers, and
 * the beginnings of structures. CUPTI appends fields to its structures and
 * never moves one, so a reader of a beginning stays right with newer versions.
 * abi_check.c compares all of it with CUPTI's headers where they are installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum abi_kind {
	ABI_MEMCPY = 1,
	ABI_MEMSET = 2,
	ABI_DRIVER = 4,
	ABI_RUNTIME = 5,
	ABI_CONTEXT = 9,
	ABI_KERNEL = 10,
	ABI_OVERHEAD = 17,
	ABI_MEMCPY2 = 22,
	ABI_CUDA_EVENT = 36,
	ABI_STREAM = 37,
	ABI_SYNC = 38,
	ABI_MEMORY2 = 49,
	ABI_POOL = 50,
	ABI_GRAPH_TRACE = 51
};

enum {
	ABI_CB_DRIVER = 1, /* domains of callbacks */
	ABI_CB_RUNTIME = 2,
	ABI_CB_RESOURCE = 3,

	ABI_RES_CONTEXT_CREATED = 1,
	ABI_RES_CONTEXT_DESTROY = 2,
	ABI_RES_GRAPH_CREATED = 9,
	ABI_RES_GRAPH_CLONED = 11,
	ABI_RES_NODE_CREATED = 13,
	ABI_RES_EXEC_CREATED = 18,
	ABI_RES_NODE_CLONED = 20,

	ABI_PROFILER_START = 308, /* of the driver */
	ABI_PROFILER_STOP = 309,

	ABI_API_ENTER = 0,
	ABI_API_EXIT = 1,

	ABI_THREAD_ID_SYSTEM = 1,
	ABI_FLUSH_FORCED = 1,

	ABI_OK = 0,
	ABI_ERROR_RIGHTS = 35,
	ABI_ERROR_LEGACY = 38,
	ABI_ERROR_SEAT = 39, /* another subscriber */
	ABI_OBJECT_THREAD = 2,
};

typedef int abi_result;

struct abi_record {
	uint32_t kind;
};

struct abi_kernel {
	uint32_t kind;
	uint8_t cache, shared_config;
	uint16_t registers;
	uint32_t partitioned_requested, partitioned_executed;
	uint64_t start, end, completed;
	uint32_t dev, ctx, stream;
	int32_t grid[3], block[3];
	int32_t shared_static, shared_dynamic;
	uint32_t local_thread, local_total, corr;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued, submitted;
	uint8_t launch, carveout_requested, carveout, pad;
	uint32_t shared_executed;
	uint64_t node;
	uint32_t limit, graph;
	void *window;
	uint32_t channel, channel_type;
	uint32_t cluster[3], cluster_policy;
	uint64_t local_total2;
};

struct abi_memcpy {
	uint32_t kind;
	uint8_t copy, src, dst, flags;
	uint64_t bytes, start, end;
	uint32_t dev, ctx, stream, corr, runtime_corr, pad;
	void *reserved;
	uint64_t node;
	uint32_t graph, channel, channel_type, device_launched;
	uint64_t count;
};

struct abi_memcpy2 {
	uint32_t kind;
	uint8_t copy, src, dst, flags;
	uint64_t bytes, start, end;
	uint32_t dev, ctx, stream;
	uint32_t src_dev, src_ctx, dst_dev, dst_ctx, corr;
	void *reserved;
	uint64_t node;
};

struct abi_memset {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t dev, ctx, stream, corr;
	uint16_t flags, mem;
	uint32_t pad;
	void *reserved;
	uint64_t node;
};

struct abi_api {
	uint32_t kind, cbid;
	uint64_t start, end;
	uint32_t pid, tid, corr, ret;
};

struct abi_overhead {
	uint32_t kind, overhead, object;
	uint32_t id[3]; /* of a thread: process, thread */
	uint64_t start, end;
};

struct abi_context {
	uint32_t kind, ctx, dev;
	uint16_t api, null_stream;
	uint32_t parent;
	uint8_t green;
};

struct abi_stream {
	uint32_t kind, ctx, stream, priority, flag, corr;
};

struct abi_sync {
	uint32_t kind, type;
	uint64_t start, end;
	uint32_t corr, ctx, stream, event;
	uint64_t sync_id;
};

struct abi_event {
	uint32_t kind, corr, ctx, stream, event, pad, dev, pad2;
	void *reserved;
	uint64_t device_time, sync_id;
};

struct abi_memory {
	uint32_t kind, op, mem, corr;
	uint64_t address, bytes, t, pc;
	uint32_t pid, dev, ctx, stream;
	const char *name;
	uint32_t async, pad;
	uint32_t pool_type, pad2;
	uint64_t pool, threshold, size, utilized;
};

struct abi_pool {
	uint32_t kind, op, type, corr, pid, dev;
	uint64_t keep, address, size, threshold, t, utilized;
};

struct abi_graphrun {
	uint32_t kind, corr;
	uint64_t start, end;
	uint32_t dev, graph, ctx, stream;
};

/* True if a record of n bytes has this field. */
#define ABI_HAS(n, type, field)                                                \
	((n) >=                                                                \
	    offsetof(struct type, field) + sizeof(((struct type *)0)->field))

struct abi_call_data { /* of a callback about a call */
	uint32_t site;
	const char *function;
	const void *arguments;
	const int *result; /* at the end */
	const char *symbol;
	void *ctx;
	uint32_t ctx_id;
	uint64_t *note; /* ours, from the beginning of the call to its end */
	uint32_t corr;
};

struct abi_resource_data {
	void *ctx;
	void *handle;
	void *descriptor;
};

struct abi_graph_data { /* the descriptor of resources that are graphs */
	void *graph, *original;
	void *node, *original_node;
	uint32_t node_type;
	void *dependency, *exec;
};

typedef void abi_callback(
    void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void abi_buffer_requested(uint8_t **buffer, size_t *size, size_t *max);
typedef void abi_buffer_completed(
    void *ctx, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef uint64_t abi_clock(void);

/* The functions, in a list: result is always abi_result. X(name, needed,
 * arguments) */
#define ABI_FUNCTIONS(X)                                                       \
	X(Subscribe, 1, (void **sub, abi_callback *cb, void *user))            \
	X(EnableCallback, 1,                                                   \
	    (uint32_t on, void *sub, uint32_t domain, uint32_t cbid))          \
	X(EnableDomain, 1, (uint32_t on, void *sub, uint32_t domain))          \
	X(ActivityRegisterCallbacks, 1,                                        \
	    (abi_buffer_requested * req, abi_buffer_completed * done))         \
	X(ActivityEnable, 1, (uint32_t kind))                                  \
	X(ActivityDisable, 1, (uint32_t kind))                                 \
	X(ActivityFlushAll, 1, (uint32_t flag))                                \
	X(ActivityGetNextRecord, 1,                                            \
	    (uint8_t * buffer, size_t valid, void **rec))                      \
	X(ActivityGetNumDroppedRecords, 0,                                     \
	    (void *ctx, uint32_t stream, size_t *n))                           \
	X(ActivityRegisterTimestampCallback, 0, (abi_clock * clock))           \
	X(ActivityEnableRuntimeApi, 0, (uint32_t cbid, uint8_t on))            \
	X(ActivityEnableDriverApi, 0, (uint32_t cbid, uint8_t on))             \
	X(GetCallbackName, 0,                                                  \
	    (uint32_t domain, uint32_t cbid, const char **name))               \
	X(GetGraphNodeId, 0, (void *node, uint64_t *id))                       \
	X(GetGraphId, 0, (void *graph, uint32_t *id))                          \
	X(GetGraphExecId, 0, (void *exec, uint32_t *id))                       \
	X(GetStreamIdEx, 0,                                                    \
	    (void *ctx, void *stream, uint8_t per_thread, uint32_t *id))       \
	X(GetContextId, 0, (void *ctx, uint32_t *id))                          \
	X(GetVersion, 0, (uint32_t * version))                                 \
	X(SetThreadIdType, 0, (uint32_t type))                                 \
	X(Finalize, 0, (void))

struct abi_cupti {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) a declaration */
#define X(name, needed, args) abi_result(*name) args;
	ABI_FUNCTIONS(X)
#undef X
};
