/*
 * The spool: what the library in the recorded process writes and dlp-record
 * reads. A process writes one file. It consists of chunks of equal size, each
 * filled by one thread at a time with records. A record is published when the
 * chunk's `used` is raised, after it is complete, so a process that is killed
 * leaves whole records only.
 *
 * A text has its length in the record and no NUL. All numbers are in the order
 * of bytes of the machine.
 */
#pragma once

#include <stdint.h>

#define RSPOOL_ENV "DLP_RECORD"             /* the folder of the spool */
#define RSPOOL_POWER_ENV "DLP_RECORD_POWER" /* that, of who samples energy */
#define RSPOOL_SESSION "session"            /* its file of options and facts */
#define RSPOOL_POWER "power"                /* its file of samples of energy */
#define RSPOOL_SUFFIX ".spool"
#define RSPOOL_MAGIC 0x52504c44u /* "DLPR" */
#define RSPOOL_VERSION 1u
#define RSPOOL_CHUNK (256u << 10)
#define RSPOOL_TEXT_MAX (64u << 10) /* longer texts are cut */

struct rspool_chunk { /* at the start of each chunk */
	uint32_t magic, version;
	uint32_t used; /* bytes, with this header; raised last */
	uint32_t pid;
	uint64_t pad[2];
};

enum rspool_type {
	RSPOOL_THREAD = 1, /* the thread of the records that follow */
	RSPOOL_FACT,       /* n, text: key=value */
	RSPOOL_CLOCK,      /* both clocks at one moment */
	RSPOOL_NOTE,       /* text: what happened, for the user */
	RSPOOL_COUNT,      /* text: a name, n of it */
	RSPOOL_NAME,       /* text: an interned text */
	RSPOOL_CALLNAME,   /* text: the name of a function */
	RSPOOL_WINDOW,     /* the range begins or ends */
	RSPOOL_TASK,       /* text: the name of a thread */

	RSPOOL_PUSH = 16, /* of the default domain, text only */
	RSPOOL_POP,
	RSPOOL_NVTX,     /* any other event; see enum rspool_nvtx */
	RSPOOL_DOMAIN,   /* text: name */
	RSPOOL_STRING,   /* text: registered string */
	RSPOOL_CATEGORY, /* text: name */
	RSPOOL_LABEL,    /* text: name of a thread, device, stream */
	RSPOOL_SCHEMA,
	RSPOOL_FIELD, /* of a schema or an enum */

	RSPOOL_KERNEL = 32,
	RSPOOL_COPY,
	RSPOOL_SET,
	RSPOOL_CALL,
	RSPOOL_SYNC,
	RSPOOL_EVENT,
	RSPOOL_OVERHEAD,
	RSPOOL_CONTEXT,
	RSPOOL_STREAM,
	RSPOOL_MEMORY,
	RSPOOL_POOL,
	RSPOOL_GRAPHRUN,
	RSPOOL_NODE,
	RSPOOL_GRAPH,
};

struct rspool_rec {
	uint16_t type;
	uint16_t flags;
	uint32_t size; /* with this header, a multiple of 8 */
};

/* THREAD: the serial orders the parts of a thread, which can be in several
 * chunks. FACT, NOTE, COUNT, NAME and TASK are struct rspool_text. */
struct rspool_thread {
	struct rspool_rec rec;
	uint64_t serial;
	uint32_t tid, pad;
};

struct rspool_text {
	struct rspool_rec rec;
	int64_t t;   /* NOTE: when; COUNT: how many */
	uint32_t id; /* NAME: its number; TASK: the thread; NOTE: severity */
	uint32_t len;
	char text[];
};

struct rspool_clock {
	struct rspool_rec rec;
	int64_t mono, real;
};

struct rspool_callname {
	struct rspool_rec rec;
	uint32_t runtime; /* 1: runtime, 0: driver */
	uint32_t cbid;
	uint32_t pad, len;
	char text[];
};

struct rspool_window {
	struct rspool_rec rec;
	int64_t t;
	uint32_t on, pad;
};

struct rspool_push {
	struct rspool_rec rec;
	int64_t t;
	uint32_t pad, len;
	char text[];
};

struct rspool_pop {
	struct rspool_rec rec;
	int64_t t;
	uint32_t domain, pad;
};

enum rspool_nvtx { NVTX_IS_MARK, NVTX_IS_PUSH, NVTX_IS_START, NVTX_IS_END };
enum { /* flags of struct rspool_nvtx_event */
	RSPOOL_HAS_COLOR = 1,
	RSPOOL_HAS_STRING = 2, /* string is the registered string */
};

struct rspool_nvtx_event {
	struct rspool_rec rec;
	int64_t t;
	uint64_t id; /* START, END: of the range */
	uint64_t payload;
	uint64_t schema; /* of the bytes after the text */
	uint32_t what, domain, category, color;
	uint32_t string;
	uint32_t ptype; /* NVTX's payloadType; 0: none */
	uint32_t len;
	uint32_t bytes; /* of an extended payload */
	char text[];
};

struct rspool_named { /* DOMAIN, STRING, CATEGORY, LABEL */
	struct rspool_rec rec;
	int64_t t;
	uint32_t domain, id;
	uint32_t what;     /* LABEL: enum rspool_label */
	uint32_t dev, ctx; /* LABEL of a stream, if known */
	uint32_t len;
	char text[];
};

enum rspool_label { LABEL_THREAD, LABEL_DEVICE, LABEL_CONTEXT, LABEL_STREAM };

struct rspool_schema {
	struct rspool_rec rec;
	uint64_t id, type, flags, size, align, n;
	uint32_t domain;
	uint32_t is_enum;
	uint32_t pad, len;
	char text[];
};

struct rspool_field {
	struct rspool_rec rec;
	uint64_t schema, flags, type, detail, offset; /* an enum's: type: value,
							 flags: isFlag */
	uint32_t domain, idx;
	uint32_t is_enum;
	uint32_t len, more; /* bytes of the name, and of the description */
	uint32_t pad;
	char text[];
};

#define RSPOOL_UNSET UINT64_MAX

struct rspool_kernel {
	struct rspool_rec rec;
	int64_t start, end;
	int64_t grid_id;
	uint64_t node; /* 0: none */
	uint64_t local_total;
	uint32_t dev, ctx, stream, corr;
	int32_t grid[3], block[3];
	int32_t shared_static, shared_dynamic;
	uint32_t local_thread, shared_executed;
	uint32_t name;
	uint16_t registers;
	uint8_t cache, launch;
	uint32_t limit, pad;
};

struct rspool_copy {
	struct rspool_rec rec;
	int64_t start, end;
	uint64_t bytes, node, count;
	uint32_t dev, ctx, stream, corr;
	uint32_t src_dev, src_ctx, dst_dev, dst_ctx; /* UINT32_MAX: unset */
	uint8_t kind, src_kind, dst_kind, pad[5];
};

struct rspool_set {
	struct rspool_rec rec;
	int64_t start, end;
	uint64_t bytes, node;
	uint32_t dev, ctx, stream, corr;
	uint32_t value, kind;
};

enum {
	RSPOOL_COVERS = 1
}; /* flag: no row; nor have the driver's calls in it */

struct rspool_call {
	struct rspool_rec rec;
	int64_t start, end;
	uint32_t tid, corr, cbid, ret;
	uint32_t runtime, pad;
};

struct rspool_sync {
	struct rspool_rec rec;
	int64_t start, end;
	uint64_t sync_id; /* RSPOOL_UNSET */
	uint32_t type, ctx, stream, corr, event, pad;
};

struct rspool_cuevent {
	struct rspool_rec rec;
	uint64_t sync_id;
	uint32_t dev, ctx, stream, corr, event, pad;
};

struct rspool_overhead {
	struct rspool_rec rec;
	int64_t start, end;
	uint32_t kind, tid; /* tid 0: not of a thread */
};

struct rspool_context {
	struct rspool_rec rec;
	uint32_t ctx, dev, null_stream, parent, green, pad;
};

struct rspool_stream {
	struct rspool_rec rec;
	uint32_t ctx, stream, priority, flag;
};

struct rspool_memory {
	struct rspool_rec rec;
	int64_t t;
	uint64_t address, bytes, pc;
	uint64_t pool, threshold, size, utilized;
	uint32_t op, kind, corr, dev, ctx, stream, pid;
	uint32_t pool_type;
	uint32_t name; /* UINT32_MAX: none */
	uint32_t pad;
};

struct rspool_pool {
	struct rspool_rec rec;
	int64_t t;
	uint64_t address, keep, size, threshold, utilized;
	uint32_t op, type, corr, dev;
};

struct rspool_graphrun {
	struct rspool_rec rec;
	int64_t start, end;
	uint32_t dev, ctx, stream, corr, graph, pad;
};

struct rspool_node { /* NODE; GRAPH: graph, original, exec */
	struct rspool_rec rec;
	int64_t t;
	uint64_t id, original, exec;
	uint32_t tid, pad;
};
