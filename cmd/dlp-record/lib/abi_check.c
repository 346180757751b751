/*
 * Compares the own declarations of CUPTI's and NVTX's binary interfaces with
 * the headers of a CUDA toolkit, where the Makefile finds them (HAS_*). Nothing
 * in here is code.
 */
#include "cupti_abi.h"
#include "nvtx_abi.h"

#ifdef HAS_CUPTI
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <cupti.h>
#pragma GCC diagnostic pop

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " is " #b)
#define FIELD(own, of, theirs, field)                                          \
	_Static_assert(                                                        \
	    offsetof(struct own, of) == offsetof(theirs, field) &&             \
		sizeof(((struct own *)0)->of) == sizeof(((theirs *)0)->field), \
	    #own "." #of " is " #theirs "." #field)

SAME(ABI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(ABI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(ABI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
SAME(ABI_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME(ABI_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
SAME(ABI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(ABI_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME(ABI_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(ABI_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
SAME(ABI_STREAM, CUPTI_ACTIVITY_KIND_STREAM);
SAME(ABI_SYNC, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME(ABI_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY2);
SAME(ABI_POOL, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
SAME(ABI_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME(ABI_CB_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(ABI_CB_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(ABI_CB_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
SAME(ABI_RES_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(ABI_RES_CONTEXT_DESTROY, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
SAME(ABI_RES_GRAPH_CREATED, CUPTI_CBID_RESOURCE_GRAPH_CREATED);
SAME(ABI_RES_GRAPH_CLONED, CUPTI_CBID_RESOURCE_GRAPH_CLONED);
SAME(ABI_RES_NODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
SAME(ABI_RES_EXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
SAME(ABI_RES_NODE_CLONED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
SAME(ABI_PROFILER_START, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
SAME(ABI_PROFILER_STOP, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
SAME(ABI_API_ENTER, CUPTI_API_ENTER);
SAME(ABI_API_EXIT, CUPTI_API_EXIT);
SAME(ABI_ATTR_ZEROED, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
SAME(ABI_THREAD_ID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME(ABI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME(ABI_OK, CUPTI_SUCCESS);
SAME(ABI_ERROR_RIGHTS, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(ABI_ERROR_LEGACY, CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
SAME(ABI_ERROR_SEAT, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(ABI_OBJECT_THREAD, CUPTI_ACTIVITY_OBJECT_THREAD);

#define K(of, field) FIELD(abi_kernel, of, CUpti_ActivityKernel10, field)
K(cache, cacheConfig);
K(registers, registersPerThread);
K(start, start);
K(end, end);
K(dev, deviceId);
K(ctx, contextId);
K(stream, streamId);
FIELD(abi_kernel, grid[0], CUpti_ActivityKernel10, gridX);
FIELD(abi_kernel, block[0], CUpti_ActivityKernel10, blockX);
K(shared_static, staticSharedMemory);
K(shared_dynamic, dynamicSharedMemory);
K(local_thread, localMemoryPerThread);
K(local_total, localMemoryTotal);
K(corr, correlationId);
K(grid_id, gridId);
K(name, name);
K(launch, launchType);
K(shared_executed, sharedMemoryExecuted);
K(node, graphNodeId);
K(limit, shmemLimitConfig);
K(local_total2, localMemoryTotal_v2);

#define M(of, field) FIELD(abi_memcpy, of, CUpti_ActivityMemcpy6, field)
M(copy, copyKind);
M(src, srcKind);
M(dst, dstKind);
M(bytes, bytes);
M(start, start);
M(end, end);
M(dev, deviceId);
M(ctx, contextId);
M(stream, streamId);
M(corr, correlationId);
M(node, graphNodeId);
M(count, copyCount);

#define P(of, field) FIELD(abi_memcpy2, of, CUpti_ActivityMemcpyPtoP4, field)
P(copy, copyKind);
P(bytes, bytes);
P(start, start);
P(end, end);
P(dev, deviceId);
P(ctx, contextId);
P(stream, streamId);
P(src_dev, srcDeviceId);
P(src_ctx, srcContextId);
P(dst_dev, dstDeviceId);
P(dst_ctx, dstContextId);
P(corr, correlationId);
P(node, graphNodeId);

#define S(of, field) FIELD(abi_memset, of, CUpti_ActivityMemset4, field)
S(value, value);
S(bytes, bytes);
S(start, start);
S(end, end);
S(dev, deviceId);
S(ctx, contextId);
S(stream, streamId);
S(corr, correlationId);
S(mem, memoryKind);
S(node, graphNodeId);

#define A(of, field) FIELD(abi_api, of, CUpti_ActivityAPI, field)
A(cbid, cbid);
A(start, start);
A(end, end);
A(pid, processId);
A(tid, threadId);
A(corr, correlationId);
A(ret, returnValue);

#define O(of, field) FIELD(abi_overhead, of, CUpti_ActivityOverhead3, field)
O(overhead, overheadKind);
O(object, objectKind);
O(id, objectId);
O(start, start);
O(end, end);

#define C(of, field) FIELD(abi_context, of, CUpti_ActivityContext3, field)
C(ctx, contextId);
C(dev, deviceId);
C(null_stream, nullStreamId);
C(parent, parentContextId);
C(green, isGreenContext);

#define T(of, field) FIELD(abi_stream, of, CUpti_ActivityStream, field)
T(ctx, contextId);
T(stream, streamId);
T(priority, priority);
T(flag, flag);

#define Y(of, field) FIELD(abi_sync, of, CUpti_ActivitySynchronization2, field)
Y(type, type);
Y(start, start);
Y(end, end);
Y(corr, correlationId);
Y(ctx, contextId);
Y(stream, streamId);
Y(event, cudaEventId);
Y(sync_id, cudaEventSyncId);

#define E(of, field) FIELD(abi_event, of, CUpti_ActivityCudaEvent2, field)
E(corr, correlationId);
E(ctx, contextId);
E(stream, streamId);
E(event, eventId);
E(dev, deviceId);
E(sync_id, cudaEventSyncId);

#define R(of, field) FIELD(abi_memory, of, CUpti_ActivityMemory4, field)
R(op, memoryOperationType);
R(mem, memoryKind);
R(corr, correlationId);
R(address, address);
R(bytes, bytes);
R(t, timestamp);
R(pc, PC);
R(pid, processId);
R(dev, deviceId);
R(ctx, contextId);
R(stream, streamId);
R(name, name);
R(pool_type, memoryPoolConfig.memoryPoolType);
R(pool, memoryPoolConfig.address);
R(threshold, memoryPoolConfig.releaseThreshold);
R(size, memoryPoolConfig.pool.size);
R(utilized, memoryPoolConfig.utilizedSize);

#define L(of, field) FIELD(abi_pool, of, CUpti_ActivityMemoryPool3, field)
L(op, memoryPoolOperationType);
L(type, memoryPoolType);
L(corr, correlationId);
L(pid, processId);
L(dev, deviceId);
L(keep, minBytesToKeep);
L(address, address);
L(size, size);
L(threshold, releaseThreshold);
L(t, timestamp);
L(utilized, utilizedSize);

#define G(of, field) FIELD(abi_graphrun, of, CUpti_ActivityGraphTrace2, field)
G(corr, correlationId);
G(start, start);
G(end, end);
G(dev, deviceId);
G(graph, graphId);
G(ctx, contextId);
G(stream, streamId);

FIELD(abi_call_data, site, CUpti_CallbackData, callbackSite);
FIELD(abi_resource_data, ctx, CUpti_ResourceData, context);
FIELD(abi_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
FIELD(abi_graph_data, graph, CUpti_GraphData, graph);
FIELD(abi_graph_data, original, CUpti_GraphData, originalGraph);
FIELD(abi_graph_data, node, CUpti_GraphData, node);
FIELD(abi_graph_data, original_node, CUpti_GraphData, originalNode);
FIELD(abi_graph_data, exec, CUpti_GraphData, graphExec);
#endif

#ifdef HAS_NVTX
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#define NFIELD(of, field)                                                      \
	_Static_assert(offsetof(struct nvtx_abi_event, of) ==                  \
			   offsetof(nvtxEventAttributes_t, field),             \
	    "nvtx_abi_event." #of " is " #field)
NFIELD(version, version);
NFIELD(size, size);
NFIELD(category, category);
NFIELD(color_type, colorType);
NFIELD(color, color);
NFIELD(payload_type, payloadType);
NFIELD(payload, payload);
NFIELD(message_type, messageType);
NFIELD(message, message);
_Static_assert((int)NVTX_ABI_TEXT == (int)NVTX_MESSAGE_TYPE_ASCII, "ascii");
_Static_assert((int)NVTX_ABI_WIDE == (int)NVTX_MESSAGE_TYPE_UNICODE, "unicode");
_Static_assert(
    (int)NVTX_ABI_REGISTERED == (int)NVTX_MESSAGE_TYPE_REGISTERED, "string");
#ifdef HAS_NVTX_PAYLOAD
#include <nvtx3/nvToolsExtPayload.h>
_Static_assert((int)NVTX_ABI_PAYLOAD_EXT == (int)NVTX_PAYLOAD_TYPE_EXT, "ext");
#define SFIELD(own, of, theirs, field)                                         \
	_Static_assert(offsetof(struct own, of) == offsetof(theirs, field),    \
	    #own "." #of " is " #theirs "." #field)
SFIELD(nvtx_abi_schema, mask, nvtxPayloadSchemaAttr_t, fieldMask);
SFIELD(nvtx_abi_schema, name, nvtxPayloadSchemaAttr_t, name);
SFIELD(nvtx_abi_schema, entries, nvtxPayloadSchemaAttr_t, entries);
SFIELD(nvtx_abi_schema, size, nvtxPayloadSchemaAttr_t, payloadStaticSize);
SFIELD(nvtx_abi_schema, id, nvtxPayloadSchemaAttr_t, schemaId);
SFIELD(nvtx_abi_entry, name, nvtxPayloadSchemaEntry_t, name);
SFIELD(nvtx_abi_entry, offset, nvtxPayloadSchemaEntry_t, offset);
SFIELD(nvtx_abi_enum, entries, nvtxPayloadEnumAttr_t, entries);
SFIELD(nvtx_abi_enum, size, nvtxPayloadEnumAttr_t, sizeOfEnum);
SFIELD(nvtx_abi_enum, id, nvtxPayloadEnumAttr_t, schemaId);
SFIELD(nvtx_abi_value, is_flag, nvtxPayloadEnum_t, isFlag);
SFIELD(nvtx_abi_data, payload, nvtxPayloadData_t, payload);
_Static_assert(
    sizeof(struct nvtx_abi_entry) == sizeof(nvtxPayloadSchemaEntry_t),
    "entries of a schema");
_Static_assert(
    sizeof(struct nvtx_abi_value) == sizeof(nvtxPayloadEnum_t), "of an enum");
_Static_assert(
    sizeof(struct nvtx_abi_data) == sizeof(nvtxPayloadData_t), "data");
#endif
#endif

/* A file must declare something. */
typedef int abi_checked;
