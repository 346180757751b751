/* Writes the database of dlp-record: the tables of Nsight Systems, with the
 * columns that its reports and dlp-parse read. */
#include "recdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "err.h"
#include "sqldb.h"

/* Columns: name:TYPE, I integer, T text, R real, ! NOT NULL, k the key. */
static const struct {
	const char *name, *cols;
} tables[RECDB_TABLES] = {
	[RT_STRINGS] = { "StringIds", "id:I!k value:T!" },
	[RT_CAPTURE] = { "META_DATA_CAPTURE", "name:T! value:T" },
	[RT_EXPORT] = { "META_DATA_EXPORT", "name:T! value:T" },
	[RT_ENV] = { "TARGET_INFO_SYSTEM_ENV",
	    "globalVid:I devStateName:T! name:T! nameEnum:I! value:T!" },
	[RT_STARTED] = { "TARGET_INFO_SESSION_START_TIME",
	    "utcEpochNs:I utcTime:T localTime:T" },
	[RT_DETAILS] = { "ANALYSIS_DETAILS",
	    "globalVid:I! duration:I! startTime:I! stopTime:I!" },
	[RT_DIAGNOSTIC] = { "DIAGNOSTIC_EVENT",
	    "timestamp:I! timestampType:I! source:I! severity:I! text:T! "
	    "globalPid:I" },
	[RT_NVTX] = { "NVTX_EVENTS",
	    "start:I! end:I eventType:I! rangeId:I category:I color:I "
	    "text:T globalTid:I endGlobalTid:I textId:I domainId:I "
	    "uint64Value:I int64Value:I doubleValue:R uint32Value:I "
	    "int32Value:I floatValue:R jsonTextId:I jsonText:T binaryData:T" },
	[RT_SCHEMAS] = { "NVTX_PAYLOAD_SCHEMAS",
	    "domainId:I schemaId:I name:T type:I flags:I numEntries:I "
	    "payloadSize:I alignTo:I" },
	[RT_ENTRIES] = { "NVTX_PAYLOAD_SCHEMA_ENTRIES",
	    "domainId:I! schemaId:I! idx:I! flags:I type:I name:T "
	    "description:T arrayOrUnionDetail:I offset:I" },
	[RT_ENUMS] = { "NVTX_PAYLOAD_ENUMS",
	    "domainId:I schemaId:I name:T numEntries:I size:I" },
	[RT_ENUM_ENTRIES] = { "NVTX_PAYLOAD_ENUM_ENTRIES",
	    "domainId:I! schemaId:I! idx:I! name:T value:I isFlag:I" },
	[RT_KERNEL] = { "CUPTI_ACTIVITY_KIND_KERNEL",
	    "start:I! end:I! deviceId:I! contextId:I! greenContextId:I "
	    "streamId:I! correlationId:I globalPid:I demangledName:I! "
	    "shortName:I! mangledName:I launchType:I cacheConfig:I "
	    "registersPerThread:I! gridX:I! gridY:I! gridZ:I! blockX:I! "
	    "blockY:I! blockZ:I! staticSharedMemory:I! "
	    "dynamicSharedMemory:I! localMemoryPerThread:I! "
	    "localMemoryTotal:I! gridId:I! sharedMemoryExecuted:I "
	    "graphNodeId:I sharedMemoryLimitConfig:I" },
	[RT_MEMCPY] = { "CUPTI_ACTIVITY_KIND_MEMCPY",
	    "start:I! end:I! deviceId:I! contextId:I! greenContextId:I "
	    "streamId:I! correlationId:I globalPid:I bytes:I! copyKind:I! "
	    "deprecatedSrcId:I srcKind:I dstKind:I srcDeviceId:I "
	    "srcContextId:I dstDeviceId:I dstContextId:I migrationCause:I "
	    "graphNodeId:I virtualAddress:I copyCount:I" },
	[RT_MEMSET] = { "CUPTI_ACTIVITY_KIND_MEMSET",
	    "start:I! end:I! deviceId:I! contextId:I! greenContextId:I "
	    "streamId:I! correlationId:I globalPid:I value:I! bytes:I! "
	    "graphNodeId:I memKind:I" },
	[RT_CALLS] = { "CUPTI_ACTIVITY_KIND_RUNTIME",
	    "start:I! end:I! eventClass:I! globalTid:I correlationId:I "
	    "nameId:I! returnValue:I! callchainId:I" },
	[RT_SYNC] = { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	    "start:I! end:I! deviceId:I! contextId:I! greenContextId:I "
	    "streamId:I! correlationId:I globalPid:I deprecatedSyncType:I "
	    "syncType:I! eventId:I! eventSyncId:I" },
	[RT_CUDA_EVENT] = { "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
	    "deviceId:I! contextId:I! greenContextId:I streamId:I! "
	    "correlationId:I globalPid:I eventId:I! eventSyncId:I" },
	[RT_GRAPH_TRACE] = { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	    "start:I! end:I! deviceId:I! contextId:I! greenContextId:I "
	    "streamId:I! correlationId:I globalPid:I graphId:I! "
	    "graphExecId:I!" },
	[RT_NODES] = { "CUDA_GRAPH_NODE_EVENTS",
	    "start:I! end:I! eventClass:I! globalTid:I nameId:I! "
	    "graphNodeId:I! originalGraphNodeId:I" },
	[RT_GRAPHS] = { "CUDA_GRAPH_EVENTS",
	    "start:I! end:I! eventClass:I! globalTid:I nameId:I! graphId:I "
	    "originalGraphId:I graphExecId:I" },
	[RT_MEMORY] = { "CUDA_GPU_MEMORY_USAGE_EVENTS",
	    "start:I! globalPid:I! deviceId:I! contextId:I! address:I! "
	    "pc:I! bytes:I! memKind:I! memoryOperationType:I! name:T "
	    "correlationId:I streamId:I localMemoryPoolAddress:I "
	    "localMemoryPoolReleaseThreshold:I localMemoryPoolSize:I "
	    "localMemoryPoolUtilizedSize:I importedMemoryPoolAddress:I "
	    "importedMemoryPoolProcessId:I" },
	[RT_POOLS] = { "CUDA_GPU_MEMORY_POOL_EVENTS",
	    "start:I! globalPid:I! deviceId:I! address:I! operationType:I! "
	    "poolType:I! correlationId:I minBytesToKeep:I "
	    "localMemoryPoolReleaseThreshold:I localMemoryPoolSize:I "
	    "localMemoryPoolUtilizedSize:I" },
	[RT_OVERHEAD] = { "PROFILER_OVERHEAD",
	    "start:I! end:I! globalTid:I nameId:I! returnValue:I!" },
	[RT_PROCESSES] = { "PROCESSES", "globalPid:I pid:I name:T" },
	[RT_THREADS] = { "ThreadNames", "nameId:I! priority:I globalTid:I" },
	[RT_GPU] = { "TARGET_INFO_GPU",
	    "vmId:I! id:I! name:T busLocation:T isDiscrete:I l2CacheSize:I "
	    "totalMemory:I memoryBandwidth:I clockRate:I smCount:I "
	    "pwGpuId:I uuid:T luid:I chipName:T cuDevice:I ctxswDevPath:T "
	    "ctrlDevPath:T revision:I nodeMask:I constantMemory:I maxIPC:I "
	    "maxRegistersPerBlock:I maxShmemPerBlock:I "
	    "maxShmemPerBlockOptin:I maxShmemPerSm:I maxRegistersPerSm:I "
	    "threadsPerWarp:I asyncEngines:I maxWarpsPerSm:I "
	    "maxBlocksPerSm:I maxThreadsPerBlock:I maxBlockDimX:I "
	    "maxBlockDimY:I maxBlockDimZ:I maxGridDimX:I maxGridDimY:I "
	    "maxGridDimZ:I computeMajor:I computeMinor:I smMajor:I "
	    "smMinor:I" },
	[RT_DEVICE] = { "TARGET_INFO_CUDA_DEVICE", "gpuId:I cudaId:I! pid:I!" },
	[RT_NVTX_DEVICE] = { "TARGET_INFO_NVTX_CUDA_DEVICE",
	    "name:T! hwId:I! vmId:I! deviceId:I!" },
	[RT_NVTX_STREAM] = { "TARGET_INFO_NVTX_CUDA_STREAM",
	    "name:T! hwId:I! vmId:I! processId:I! deviceId:I! contextId:I! "
	    "streamId:I!" },
	[RT_CONTEXT] = { "TARGET_INFO_CUDA_CONTEXT_INFO",
	    "nullStreamId:I! hwId:I! vmId:I! processId:I! deviceId:I! "
	    "contextId:I! parentContextId:I isGreenContext:I" },
	[RT_STREAM] = { "TARGET_INFO_CUDA_STREAM",
	    "streamId:I! hwId:I! vmId:I! processId:I! contextId:I! "
	    "priority:I! flag:I!" },
	[RT_SERIES] = { "DLP_SERIES",
	    "start:I! deviceId:I! name:T! value:I! unit:T!" },
};

/* The texts that reports of nsys show for numbers. */
static const struct {
	const char *table;
	int id;
	const char *name, *label;
} enums[] = {
#define E(table, id, name, label)                                              \
	{                                                                      \
		"ENUM_" table, id, name, label                                 \
	}
	E("NSYS_EVENT_TYPE", 33, "NvtxCategory", "NvtxCategory"),
	E("NSYS_EVENT_TYPE", 34, "NvtxMark", "NvtxMark"),
	E("NSYS_EVENT_TYPE", 39, "NvtxThread", "NvtxThread"),
	E("NSYS_EVENT_TYPE", 59, "NvtxPushPopRange", "NvtxPushPopRange"),
	E("NSYS_EVENT_TYPE", 60, "NvtxStartEndRange", "NvtxStartEndRange"),
	E("NSYS_EVENT_TYPE", 75, "NvtxDomainCreate", "NvtxDomainCreate"),
	E("NSYS_EVENT_CLASS", 0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME",
	    "CUDA runtime"),
	E("NSYS_EVENT_CLASS", 1, "TRACE_PROCESS_EVENT_CUDA_DRIVER",
	    "CUDA driver"),
	E("NSYS_EVENT_CLASS", 77,
	    "TRACE_PROCESS_EVENT_CUDA_GRAPH_NODE_CREATION",
	    "CUDA graph node creation"),
	E("NSYS_EVENT_CLASS", 94, "TRACE_PROCESS_EVENT_CUDA_GRAPHEXEC_CREATION",
	    "CUDA graph exec creation"),
	E("NSYS_EVENT_CLASS", 95, "TRACE_PROCESS_EVENT_CUDA_GRAPH_CREATION",
	    "CUDA graph creation"),
	E("CUDA_MEMCPY_OPER", 0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"),
	E("CUDA_MEMCPY_OPER", 1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
	E("CUDA_MEMCPY_OPER", 2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"),
	E("CUDA_MEMCPY_OPER", 3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"),
	E("CUDA_MEMCPY_OPER", 4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"),
	E("CUDA_MEMCPY_OPER", 5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"),
	E("CUDA_MEMCPY_OPER", 6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"),
	E("CUDA_MEMCPY_OPER", 7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"),
	E("CUDA_MEMCPY_OPER", 8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"),
	E("CUDA_MEMCPY_OPER", 9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"),
	E("CUDA_MEMCPY_OPER", 10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"),
	E("CUDA_MEMCPY_OPER", 11, "CUDA_MEMCPY_KIND_UVM_HTOD",
	    "Unified Host-to-Device"),
	E("CUDA_MEMCPY_OPER", 12, "CUDA_MEMCPY_KIND_UVM_DTOH",
	    "Unified Device-to-Host"),
	E("CUDA_MEMCPY_OPER", 13, "CUDA_MEMCPY_KIND_UVM_DTOD",
	    "Unified Device-to-Device"),
	E("CUDA_MEM_KIND", 0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"),
	E("CUDA_MEM_KIND", 1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"),
	E("CUDA_MEM_KIND", 2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"),
	E("CUDA_MEM_KIND", 3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"),
	E("CUDA_MEM_KIND", 4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"),
	E("CUDA_MEM_KIND", 5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC",
	    "Device Static"),
	E("CUDA_MEM_KIND", 6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC",
	    "Managed Static"),
	E("CUDA_MEM_KIND", 7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"),
	E("CUDA_MEMPOOL_TYPE", 0, "CUDA_MEMPOOL_TYPE_INVALID", "Invalid"),
	E("CUDA_MEMPOOL_TYPE", 1, "CUDA_MEMPOOL_TYPE_LOCAL", "Local"),
	E("CUDA_MEMPOOL_TYPE", 2, "CUDA_MEMPOOL_TYPE_IMPORTED", "Imported"),
	E("CUDA_MEMPOOL_OPER", 0, "CUDA_MEMPOOL_OPERATION_TYPE_INVALID",
	    "Invalid"),
	E("CUDA_MEMPOOL_OPER", 1, "CUDA_MEMPOOL_OPERATION_TYPE_CREATED",
	    "Created"),
	E("CUDA_MEMPOOL_OPER", 2, "CUDA_MEMPOOL_OPERATION_TYPE_DESTROYED",
	    "Destroyed"),
	E("CUDA_MEMPOOL_OPER", 3, "CUDA_MEMPOOL_OPERATION_TYPE_TRIMMED",
	    "Trimmed"),
	E("CUDA_DEV_MEM_EVENT_OPER", 0, "CUDA_DEV_MEM_EVENT_OPR_ALLOCATION",
	    "Allocation"),
	E("CUDA_DEV_MEM_EVENT_OPER", 1, "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION",
	    "Deallocation"),
	E("CUDA_KERNEL_LAUNCH_TYPE", 0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN",
	    "Unknown"),
	E("CUDA_KERNEL_LAUNCH_TYPE", 1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR",
	    "Regular"),
	E("CUDA_KERNEL_LAUNCH_TYPE", 2,
	    "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE",
	    "Coop Single Device"),
	E("CUDA_KERNEL_LAUNCH_TYPE", 3,
	    "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE",
	    "Coop Multi Device"),
	E("CUDA_SHARED_MEM_LIMIT_CONFIG", 0, "CUDA_SHARED_MEM_LIMIT_DEFAULT",
	    "Default"),
	E("CUDA_SHARED_MEM_LIMIT_CONFIG", 1, "CUDA_SHARED_MEM_LIMIT_OPTIN",
	    "Opt in"),
	E("CUDA_FUNC_CACHE_CONFIG", 0, "CU_FUNC_CACHE_PREFER_NONE", "None"),
	E("CUDA_FUNC_CACHE_CONFIG", 1, "CU_FUNC_CACHE_PREFER_SHARED", "Shared"),
	E("CUDA_FUNC_CACHE_CONFIG", 2, "CU_FUNC_CACHE_PREFER_L1", "L1"),
	E("CUDA_FUNC_CACHE_CONFIG", 3, "CU_FUNC_CACHE_PREFER_EQUAL", "Equal"),
	E("CUPTI_STREAM_TYPE", 0, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN",
	    "Unknown stream type"),
	E("CUPTI_STREAM_TYPE", 1, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT",
	    "Default stream"),
	E("CUPTI_STREAM_TYPE", 2,
	    "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING",
	    "Non-blocking stream"),
	E("CUPTI_STREAM_TYPE", 3, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL",
	    "Null stream"),
	E("CUPTI_SYNC_TYPE", 0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN",
	    "Unknown"),
	E("CUPTI_SYNC_TYPE", 1,
	    "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE",
	    "Event sync"),
	E("CUPTI_SYNC_TYPE", 2,
	    "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT",
	    "Stream wait sync"),
	E("CUPTI_SYNC_TYPE", 3,
	    "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE",
	    "Stream sync"),
	E("CUPTI_SYNC_TYPE", 4,
	    "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE",
	    "Context sync"),
	E("DIAGNOSTIC_SEVERITY_LEVEL", 0, "UnknownLevel", "Unknown"),
	E("DIAGNOSTIC_SEVERITY_LEVEL", 1, "Info", "Info"),
	E("DIAGNOSTIC_SEVERITY_LEVEL", 2, "Warning", "Warning"),
	E("DIAGNOSTIC_SEVERITY_LEVEL", 3, "Error", "Error"),
	E("DIAGNOSTIC_SEVERITY_LEVEL", 4, "Verbose", "Verbose"),
	E("DIAGNOSTIC_SOURCE_TYPE", 0, "UnknownSource", "Unknown source"),
	E("DIAGNOSTIC_SOURCE_TYPE", 1, "Injection", "Injection"),
	E("DIAGNOSTIC_SOURCE_TYPE", 2, "Daemon", "Daemon"),
	E("DIAGNOSTIC_SOURCE_TYPE", 3, "Analysis", "Analysis"),
	E("DIAGNOSTIC_TIMESTAMP_SOURCE", 0, "UnknownTimestamp",
	    "Unknown timestamp"),
	E("DIAGNOSTIC_TIMESTAMP_SOURCE", 1, "TargetTimestamp",
	    "Target timestamp"),
	E("DIAGNOSTIC_TIMESTAMP_SOURCE", 2, "HostTimestamp", "Host timestamp"),
	E("CUDA_UNIF_MEM_MIGRATION", 0,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_UNKNOWN", "Unknown"),
	E("CUDA_UNIF_MEM_MIGRATION", 1,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_USER", "User prefetch"),
	E("CUDA_UNIF_MEM_MIGRATION", 2,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE", "Page fault"),
	E("CUDA_UNIF_MEM_MIGRATION", 3,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH",
	    "Speculative prefecth"),
	E("CUDA_UNIF_MEM_MIGRATION", 4,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION", "Eviction"),
	E("CUDA_UNIF_MEM_MIGRATION", 5,
	    "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS",
	    "Access counters"),
#undef E
};

static void
recdb_exec(struct recdb *db, const char *sql)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
}

/* A file beside path with the mode that a new file usually has. */
static char *
make_temp(const char *path)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	buf_printf(&b, "%s.XXXXXX", path);
	buf_putc(&b, '\0');
	fd = mkstemp(b.s);
	if (fd < 0)
		die_errno("%s", path);
	if (fchmod(fd, 0666 & ~mask) != 0 || close(fd) != 0)
		die_errno("%s", path);
	return b.s;
}

/* The file to remove if the process ends early. One per process, because a
 * signal handler has no argument. */
static char *volatile recdb_doomed;

static void
remove_doomed(void)
{
	if (recdb_doomed != NULL)
		unlink(recdb_doomed);
	recdb_doomed = NULL;
}

static void
put_enums(struct recdb *db)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(enums); i++) {
		if (i == 0 || strcmp(enums[i].table, enums[i - 1].table) != 0)
			buf_printf(&b,
			    "CREATE TABLE %s (id INTEGER NOT NULL PRIMARY KEY,"
			    " name TEXT, label TEXT);",
			    enums[i].table);
		buf_printf(&b, "INSERT INTO %s VALUES (%d, '%s', '%s');",
		    enums[i].table, enums[i].id, enums[i].name, enums[i].label);
	}
	recdb_exec(db, buf_str(&b));
	buf_free(&b);
}

void
recdb_create(struct recdb *db, const char *path, bool force)
{
	struct stat st;

	memset(db, 0, sizeof(*db));
	db->path = path;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			die("%s: not a regular file", path);
		if (!force)
			die("%s exists already; --force writes over it", path);
	} else if (errno != ENOENT)
		die_errno("%s", path);
	/* there is one thread; fails harmlessly if SQLite is in use already */
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	db->temp = make_temp(path);
	recdb_doomed = db->temp;
	atexit(remove_doomed);
	if (sqldb_write(&db->sql, db->temp) != SQLITE_OK)
		die("%s: %s", path, sqlite3_errmsg(db->sql));
	recdb_exec(db, "PRAGMA journal_mode = OFF");
	recdb_exec(db, "PRAGMA locking_mode = EXCLUSIVE");
	recdb_exec(db, "PRAGMA synchronous = OFF");
	recdb_exec(db, "PRAGMA cache_size = -32768");
	recdb_exec(db, "BEGIN");
	put_enums(db);
}

void
recdb_finish(struct recdb *db)
{
	int i;

	for (i = 0; i < RECDB_TABLES; i++)
		sqlite3_finalize(db->insert[i]);
	recdb_exec(db, "COMMIT");
	if (sqlite3_close(db->sql) != SQLITE_OK)
		die("%s: cannot be closed", db->path);
	if (rename(db->temp, db->path) != 0)
		die_errno("%s", db->path);
	recdb_doomed = NULL;
	free(db->temp);
	memset(db, 0, sizeof(*db));
}

/* Appends the declarations of columns, or their number of ?. */
static void
put_columns(struct buf *out, const char *cols, bool declare)
{
	const char *s = cols, *sep = "";
	size_t n;

	while (*s != '\0') {
		n = strcspn(s, ":");
		buf_puts(out, sep);
		if (declare)
			buf_printf(out, "\"%.*s\" %s%s%s", (int)n, s,
			    s[n + 1] == 'I'   ? "INTEGER"
			    : s[n + 1] == 'R' ? "REAL"
					      : "TEXT",
			    s[n + 2] == '!' ? " NOT NULL" : "",
			    s[n + 2] == '!' && s[n + 3] == 'k' ? " PRIMARY KEY"
							       : "");
		else
			buf_putc(out, '?');
		sep = ", ";
		s += strcspn(s, " ");
		if (*s == ' ')
			s++;
	}
}

static sqlite3_stmt *
prepare(struct recdb *db, enum recdb_table t)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;

	buf_printf(&b, "CREATE TABLE %s (", tables[t].name);
	put_columns(&b, tables[t].cols, true);
	buf_puts(&b, ")");
	recdb_exec(db, buf_str(&b));
	buf_clear(&b);
	buf_printf(&b, "INSERT INTO %s VALUES (", tables[t].name);
	put_columns(&b, tables[t].cols, false);
	buf_puts(&b, ")");
	if (sqlite3_prepare_v2(db->sql, buf_str(&b), -1, &st, NULL) !=
	    SQLITE_OK)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	buf_free(&b);
	return st;
}

void
recdb_begin(struct recdb *db, enum recdb_table t)
{
	if (db->insert[t] == NULL)
		db->insert[t] = prepare(db, t);
	db->row = db->insert[t];
	db->col = 0;
}

void
recdb_i64(struct recdb *db, int64_t v)
{
	if (v == RECDB_NULL)
		sqlite3_bind_null(db->row, ++db->col);
	else
		sqlite3_bind_int64(db->row, ++db->col, v);
}

void
recdb_f64(struct recdb *db, double v)
{
	sqlite3_bind_double(db->row, ++db->col, v);
}

void
recdb_text(struct recdb *db, const char *s, size_t n)
{
	if (s == NULL)
		sqlite3_bind_null(db->row, ++db->col);
	else
		sqlite3_bind_text64(
		    db->row, ++db->col, s, n, SQLITE_STATIC, SQLITE_UTF8);
}

void
recdb_str(struct recdb *db, const char *s)
{
	recdb_text(db, s, s != NULL ? strlen(s) : 0);
}

void
recdb_nulls(struct recdb *db, int n)
{
	while (n-- > 0)
		sqlite3_bind_null(db->row, ++db->col);
}

void
recdb_end(struct recdb *db)
{
	int n = sqlite3_bind_parameter_count(db->row);

	recdb_nulls(db, n - db->col);
	if (sqlite3_step(db->row) != SQLITE_DONE)
		die("%s: %s", db->path, sqlite3_errmsg(db->sql));
	sqlite3_reset(db->row);
}
