-- The tables of `nsys export --type=sqlite` (schema 3.24.0) that dlp-record
-- writes, with the columns that its reports and dlp-parse read, in the order of
-- enum rec_table. The last one is our own.

CREATE TABLE StringIds ("id" INTEGER NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL);
CREATE TABLE META_DATA_CAPTURE ("name" TEXT NOT NULL, "value" TEXT);
CREATE TABLE META_DATA_EXPORT ("name" TEXT NOT NULL, "value" TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV ("globalVid" INTEGER,
    "devStateName" TEXT NOT NULL, "name" TEXT NOT NULL,
    "nameEnum" INTEGER NOT NULL, "value" TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME ("utcEpochNs" INTEGER,
    "utcTime" TEXT, "localTime" TEXT);
CREATE TABLE ANALYSIS_DETAILS ("globalVid" INTEGER NOT NULL,
    "duration" INTEGER NOT NULL, "startTime" INTEGER NOT NULL,
    "stopTime" INTEGER NOT NULL);
CREATE TABLE DIAGNOSTIC_EVENT ("timestamp" INTEGER NOT NULL,
    "timestampType" INTEGER NOT NULL, "source" INTEGER NOT NULL,
    "severity" INTEGER NOT NULL, "text" TEXT NOT NULL, "globalPid" INTEGER);
CREATE TABLE NVTX_EVENTS ("start" INTEGER NOT NULL, "end" INTEGER,
    "eventType" INTEGER NOT NULL, "rangeId" INTEGER, "category" INTEGER,
    "color" INTEGER, "text" TEXT, "globalTid" INTEGER, "endGlobalTid" INTEGER,
    "textId" INTEGER, "domainId" INTEGER, "uint64Value" INTEGER,
    "int64Value" INTEGER, "doubleValue" REAL, "uint32Value" INTEGER,
    "int32Value" INTEGER, "floatValue" REAL, "jsonTextId" INTEGER,
    "jsonText" TEXT, "binaryData" TEXT);
CREATE TABLE NVTX_PAYLOAD_SCHEMAS ("domainId" INTEGER, "schemaId" INTEGER,
    "name" TEXT, "type" INTEGER, "flags" INTEGER, "numEntries" INTEGER,
    "payloadSize" INTEGER, "alignTo" INTEGER);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES ("domainId" INTEGER NOT NULL,
    "schemaId" INTEGER NOT NULL, "idx" INTEGER NOT NULL, "flags" INTEGER,
    "type" INTEGER, "name" TEXT, "description" TEXT,
    "arrayOrUnionDetail" INTEGER, "offset" INTEGER);
CREATE TABLE NVTX_PAYLOAD_ENUMS ("domainId" INTEGER, "schemaId" INTEGER,
    "name" TEXT, "numEntries" INTEGER, "size" INTEGER);
CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES ("domainId" INTEGER NOT NULL,
    "schemaId" INTEGER NOT NULL, "idx" INTEGER NOT NULL, "name" TEXT,
    "value" INTEGER, "isFlag" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "demangledName" INTEGER NOT NULL, "shortName" INTEGER NOT NULL,
    "mangledName" INTEGER, "launchType" INTEGER, "cacheConfig" INTEGER,
    "registersPerThread" INTEGER NOT NULL, "gridX" INTEGER NOT NULL,
    "gridY" INTEGER NOT NULL, "gridZ" INTEGER NOT NULL,
    "blockX" INTEGER NOT NULL, "blockY" INTEGER NOT NULL,
    "blockZ" INTEGER NOT NULL, "staticSharedMemory" INTEGER NOT NULL,
    "dynamicSharedMemory" INTEGER NOT NULL,
    "localMemoryPerThread" INTEGER NOT NULL,
    "localMemoryTotal" INTEGER NOT NULL, "gridId" INTEGER NOT NULL,
    "sharedMemoryExecuted" INTEGER, "graphNodeId" INTEGER,
    "sharedMemoryLimitConfig" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "bytes" INTEGER NOT NULL, "copyKind" INTEGER NOT NULL,
    "deprecatedSrcId" INTEGER, "srcKind" INTEGER, "dstKind" INTEGER,
    "srcDeviceId" INTEGER, "srcContextId" INTEGER, "dstDeviceId" INTEGER,
    "dstContextId" INTEGER, "migrationCause" INTEGER, "graphNodeId" INTEGER,
    "virtualAddress" INTEGER, "copyCount" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "value" INTEGER NOT NULL, "bytes" INTEGER NOT NULL, "graphNodeId" INTEGER,
    "memKind" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "eventClass" INTEGER NOT NULL,
    "globalTid" INTEGER, "correlationId" INTEGER, "nameId" INTEGER NOT NULL,
    "returnValue" INTEGER NOT NULL, "callchainId" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "deprecatedSyncType" INTEGER, "syncType" INTEGER NOT NULL,
    "eventId" INTEGER NOT NULL, "eventSyncId" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT ("deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "eventId" INTEGER NOT NULL, "eventSyncId" INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "greenContextId" INTEGER,
    "streamId" INTEGER NOT NULL, "correlationId" INTEGER, "globalPid" INTEGER,
    "graphId" INTEGER NOT NULL, "graphExecId" INTEGER NOT NULL);
CREATE TABLE CUDA_GRAPH_NODE_EVENTS ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "eventClass" INTEGER NOT NULL,
    "globalTid" INTEGER, "nameId" INTEGER NOT NULL,
    "graphNodeId" INTEGER NOT NULL, "originalGraphNodeId" INTEGER);
CREATE TABLE CUDA_GRAPH_EVENTS ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "eventClass" INTEGER NOT NULL,
    "globalTid" INTEGER, "nameId" INTEGER NOT NULL, "graphId" INTEGER,
    "originalGraphId" INTEGER, "graphExecId" INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS ("start" INTEGER NOT NULL,
    "globalPid" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "address" INTEGER NOT NULL,
    "pc" INTEGER NOT NULL, "bytes" INTEGER NOT NULL,
    "memKind" INTEGER NOT NULL, "memoryOperationType" INTEGER NOT NULL,
    "name" TEXT, "correlationId" INTEGER, "streamId" INTEGER,
    "localMemoryPoolAddress" INTEGER,
    "localMemoryPoolReleaseThreshold" INTEGER, "localMemoryPoolSize" INTEGER,
    "localMemoryPoolUtilizedSize" INTEGER,
    "importedMemoryPoolAddress" INTEGER,
    "importedMemoryPoolProcessId" INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS ("start" INTEGER NOT NULL,
    "globalPid" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "address" INTEGER NOT NULL, "operationType" INTEGER NOT NULL,
    "poolType" INTEGER NOT NULL, "correlationId" INTEGER,
    "minBytesToKeep" INTEGER, "localMemoryPoolReleaseThreshold" INTEGER,
    "localMemoryPoolSize" INTEGER, "localMemoryPoolUtilizedSize" INTEGER);
CREATE TABLE PROFILER_OVERHEAD ("start" INTEGER NOT NULL,
    "end" INTEGER NOT NULL, "globalTid" INTEGER, "nameId" INTEGER NOT NULL,
    "returnValue" INTEGER NOT NULL);
CREATE TABLE PROCESSES ("globalPid" INTEGER, "pid" INTEGER, "name" TEXT);
CREATE TABLE ThreadNames ("nameId" INTEGER NOT NULL, "priority" INTEGER,
    "globalTid" INTEGER);
CREATE TABLE TARGET_INFO_GPU ("vmId" INTEGER NOT NULL, "id" INTEGER NOT NULL,
    "name" TEXT, "busLocation" TEXT, "isDiscrete" INTEGER,
    "l2CacheSize" INTEGER, "totalMemory" INTEGER, "memoryBandwidth" INTEGER,
    "clockRate" INTEGER, "smCount" INTEGER, "pwGpuId" INTEGER, "uuid" TEXT,
    "luid" INTEGER, "chipName" TEXT, "cuDevice" INTEGER, "ctxswDevPath" TEXT,
    "ctrlDevPath" TEXT, "revision" INTEGER, "nodeMask" INTEGER,
    "constantMemory" INTEGER, "maxIPC" INTEGER,
    "maxRegistersPerBlock" INTEGER, "maxShmemPerBlock" INTEGER,
    "maxShmemPerBlockOptin" INTEGER, "maxShmemPerSm" INTEGER,
    "maxRegistersPerSm" INTEGER, "threadsPerWarp" INTEGER,
    "asyncEngines" INTEGER, "maxWarpsPerSm" INTEGER, "maxBlocksPerSm" INTEGER,
    "maxThreadsPerBlock" INTEGER, "maxBlockDimX" INTEGER,
    "maxBlockDimY" INTEGER, "maxBlockDimZ" INTEGER, "maxGridDimX" INTEGER,
    "maxGridDimY" INTEGER, "maxGridDimZ" INTEGER, "computeMajor" INTEGER,
    "computeMinor" INTEGER, "smMajor" INTEGER, "smMinor" INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE ("gpuId" INTEGER,
    "cudaId" INTEGER NOT NULL, "pid" INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_NVTX_CUDA_DEVICE ("name" TEXT NOT NULL,
    "hwId" INTEGER NOT NULL, "vmId" INTEGER NOT NULL,
    "deviceId" INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM ("name" TEXT NOT NULL,
    "hwId" INTEGER NOT NULL, "vmId" INTEGER NOT NULL,
    "processId" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "streamId" INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO ("nullStreamId" INTEGER NOT NULL,
    "hwId" INTEGER NOT NULL, "vmId" INTEGER NOT NULL,
    "processId" INTEGER NOT NULL, "deviceId" INTEGER NOT NULL,
    "contextId" INTEGER NOT NULL, "parentContextId" INTEGER,
    "isGreenContext" INTEGER);
CREATE TABLE TARGET_INFO_CUDA_STREAM ("streamId" INTEGER NOT NULL,
    "hwId" INTEGER NOT NULL, "vmId" INTEGER NOT NULL,
    "processId" INTEGER NOT NULL, "contextId" INTEGER NOT NULL,
    "priority" INTEGER NOT NULL, "flag" INTEGER NOT NULL);
CREATE TABLE DLP_SERIES ("start" INTEGER NOT NULL,
    "deviceId" INTEGER NOT NULL, "name" TEXT NOT NULL,
    "value" INTEGER NOT NULL, "unit" TEXT NOT NULL);
