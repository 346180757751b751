-- What the sqlite3 shell writes in the benchmark: the columns that dlp-parse
-- reads, as text, table by table.
.mode tabs
SELECT id, value FROM StringIds;
SELECT start, end, eventType, text, textId, globalTid, endGlobalTid, domainId
    FROM NVTX_EVENTS;
SELECT start, end, eventClass, globalTid, correlationId, nameId, returnValue
    FROM CUPTI_ACTIVITY_KIND_RUNTIME;
SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName, registersPerThread, gridX, gridY, gridZ,
    blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,
    graphNodeId
    FROM CUPTI_ACTIVITY_KIND_KERNEL;
SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid,
    bytes, copyKind, srcKind, dstKind, graphNodeId
    FROM CUPTI_ACTIVITY_KIND_MEMCPY;
SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid,
    value, bytes, graphNodeId, memKind
    FROM CUPTI_ACTIVITY_KIND_MEMSET;
SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid,
    syncType, eventId
    FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
