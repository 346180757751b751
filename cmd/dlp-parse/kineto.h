/*
 * A trace of torch.profiler: JSON as Kineto writes it. The scanner checks the
 * text and cuts it into events, the loader puts the events into a temporary
 * database, and the dialect reads that database as any other.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "dialect.h"
#include "infile.h"
#include "map.h"
#include "mview.h"

/* Facts of the header. */
enum kineto_head {
	KH_SCHEMA,
	KH_CUDA,
	KH_HIP,
	KH_HIP_DRIVER,
	KH_RANK,
	KH_SHAPES,
	KH_MEMORY,
	KH_STACK,
	KH_N
};

/* The keys of an event and of its args that are read, those of the event itself
 * up to ARGS; from CBID on what else tells the kind of a slice in a trace of
 * Perfetto, and what rocprofv3 writes there. */
#define KINETO_FIELDS(F)                                                       \
	F(PH, "ph")                                                            \
	F(CAT, "cat")                                                          \
	F(NAME, "name")                                                        \
	F(PID, "pid")                                                          \
	F(TID, "tid")                                                          \
	F(TS, "ts")                                                            \
	F(DUR, "dur")                                                          \
	F(ID, "id")                                                            \
	F(ARGS, "args")                                                        \
	F(ARG_NAME, "name")                                                    \
	F(SEQ, "Sequence number")                                              \
	F(DIMS, "Input Dims")                                                  \
	F(TYPES, "Input type")                                                 \
	F(CONCRETE, "Concrete Inputs")                                         \
	F(STRIDES, "Input Strides")                                            \
	F(BACKEND, "kernel_backend")                                           \
	F(KWARGS, "kernel_kwargs")                                             \
	F(KERNEL_FILE, "kernel_file")                                          \
	F(WARPS, "num_warps")                                                  \
	F(STAGES, "num_stages")                                                \
	F(EV_IDX, "Ev Idx")                                                    \
	F(EXT, "External id")                                                  \
	F(CORR, "correlation")                                                 \
	F(DEVICE, "device")                                                    \
	F(CONTEXT, "context")                                                  \
	F(STREAM, "stream")                                                    \
	F(GRID, "grid")                                                        \
	F(BLOCK, "block")                                                      \
	F(REGS, "registers per thread")                                        \
	F(OCCUPANCY, "est. achieved occupancy %")                              \
	F(KERNEL, "kernel")                                                    \
	F(SMEM, "shared memory")                                               \
	F(NODE, "graph node id")                                               \
	F(BYTES, "bytes")                                                      \
	F(COPY_KIND, "copy kind")                                              \
	F(SRC_KIND, "src kind")                                                \
	F(DST_KIND, "dst kind")                                                \
	F(MEM_BYTES, "Bytes")                                                  \
	F(ADDR, "Addr")                                                        \
	F(ALLOCATED, "Total Allocated")                                        \
	F(RESERVED, "Total Reserved")                                          \
	F(DEV_ID, "Device Id")                                                 \
	F(DEV_TYPE, "Device Type")                                             \
	F(SYNC_KIND, "cuda_sync_kind")                                         \
	F(SYNC_EVENT, "wait_on_cuda_event_id")                                 \
	F(SYNC_RECORD, "wait_on_cuda_event_record_corr_id")                    \
	F(SYNC_STREAM, "wait_on_stream")                                       \
	F(EVENT, "event_id")                                                   \
	F(COMM_TYPE, "dtype")                                                  \
	F(COMM_IN, "In msg nelems")                                            \
	F(COMM_OUT, "Out msg nelems")                                          \
	F(COMM_GROUP, "Group size")                                            \
	F(COMM_NAME, "Process Group Name")                                     \
	F(COMM_DESC, "Process Group Description")                              \
	F(COMM_RANKS, "Process Group Ranks")                                   \
	F(COMM_SPLIT_IN, "In split size")                                      \
	F(COMM_SPLIT_OUT, "Out split size")                                    \
	F(STACK, "Call stack")                                                 \
	F(PY_THREAD, "Python thread")                                          \
	F(CBID, "cbid")                                                        \
	F(PY_ID, "Python id")                                                  \
	F(FWD_THREAD, "Fwd thread id")                                         \
	F(ARG_TID, "tid")                                                      \
	F(AGENT, "agent")                                                      \
	F(QUEUE, "queue")                                                      \
	F(GRID_ITEMS, "grid_size")                                             \
	F(BLOCK_ITEMS, "workgroup_size")

#define KINETO_FIELD(name, key) KF_##name,
enum kineto_field { KINETO_FIELDS(KINETO_FIELD) KF_N };

#define KEVENT_SLOTS 128

/* What comes next in a trace. */
enum kineto_want {
	WANT_MARK, /* a byte order mark, or a value */
	WANT_VALUE,
	WANT_VALUE_OR_END, /* after [ */
	WANT_KEY_OR_END,   /* after { */
	WANT_KEY,          /* after , in an object */
	WANT_COLON,
	WANT_COMMA,  /* or the bracket that closes */
	WANT_TEXT,   /* within a text */
	WANT_ESCAPE, /* after a backslash */
	WANT_REST,   /* of a number or word */
	WANT_END,    /* blanks only */
};

struct kineto_event {
	/* as they are written, texts without their quotes; s NULL: the event
	 * does not have the key */
	struct mview field[KF_N];
	bool timed; /* start and dur, in ns, are there in the place of texts */
	int64_t start, dur;
	/* the scanner's own */
	unsigned char slot[KEVENT_SLOTS]; /* number of a key + 1, by its hash */
	const char *e;                    /* the end of the text at hand */
	unsigned depth;                   /* of the open brackets */
	const char *at;        /* why it cannot be read: at this byte */
	enum kineto_want want; /* something else must come */
};

void kineto_event_init(struct kineto_event *ev);

/* The field of a key of args; KF_N if it is not known. */
int kineto_event_arg(const struct kineto_event *ev, struct mview key);

/* The first byte from p to e that JSON does not have in a text as it is, or
 * that is not ASCII; e: there is none. */
const char *kineto_event_plain(const char *p, const char *e);

/*
 * The scanner. It takes the text in pieces of any size, checks that it is JSON,
 * and calls event() for each object in traceEvents (or in the array that is the
 * whole file), after it has read its fields, and head() for every other key of
 * the outermost object.
 */
struct kineto_scan {
	const char *name;        /* of the file, for messages */
	struct kineto_event *ev; /* the event that is read */
	void (*event)(void *ctx);
	void (*head)(void *ctx, struct mview key, struct mview value);
	void *ctx;
	bool resync;     /* --resync: go on at the next event after an error */
	uint64_t lost;   /* bytes that were skipped so */
	uint64_t breaks; /* places where bytes were skipped */
	uint64_t odd;    /* elements of traceEvents that are no object */
	/* the scanner's own */
	enum kineto_want want;
	unsigned depth, events_depth; /* events_depth 0: not found yet */
	bool skipping;
	struct buf key;  /* the last key of the outermost object */
	struct buf kept; /* the begin of something that is not whole yet, */
	uint64_t at;     /* the bytes before it, */
	size_t enough;   /* and how many of it are to be read again */
};

void kineto_scan_feed(void *scan, const unsigned char *s, size_t n);
/* At the end of the text; fatal if it is incomplete. Frees what the scanner
 * holds. */
void kineto_scan_end(struct kineto_scan *k);

#define CAPTURES_MOST 64

struct kineto_wish { /* options for traces of torch.profiler */
	bool python; /* --python: all frames of Python */
	bool resync; /* --resync: skip broken JSON */
	const char *capture[CAPTURES_MOST]; /* --capture: traces of captures */
	int ncapture;
	bool inputs; /* --inputs: strides and values of the inputs of ops */
};

struct kineto_thread {
	int64_t pid, tid;
};

/* The stacks of threads, while rows are read in the order of their starts;
 * kineto_stack.c. */
struct kineto_frame { /* a frame that is open */
	int64_t end;  /* INT64_MAX: unknown */
	int64_t what; /* the place in the code; the node of the tree */
};

struct kineto_stack { /* of a thread */
	struct kineto_frame *v;
	size_t n, cap;
	int64_t pid, tid, since; /* since: of samples, when it last changed */
};

struct kineto_span { /* of a thread, and its place in the user's code */
	int64_t start, end, pid, tid, place;
};

struct kineto_stacks {  /* zero is empty */
	struct smap at; /* pid, tid -> place in v */
	struct kineto_stack *v;
	size_t n, cap;
};

/* What the loader found beside the events. */
struct kineto {
	struct profile *prof;
	sqlite3 *db;
	struct smap texts;   /* names, lists of sizes, ...: string ids */
	struct smap devs;    /* deviceProperties, as they are written */
	struct smap threads; /* pid, tid; val: its text */
	struct map procs;    /* pid -> text + 1 */
	struct smap called;  /* threads that have calls, by the same key, */
	struct kineto_thread *callers; /* and their list */
	size_t ncallers, callers_cap;
	int64_t dev;    /* of the first GPU work; EV_UNSET: there is none */
	bool many_devs; /* other work is on another device */
	int64_t base;   /* baseTimeNanoseconds; EV_UNSET: none */
	bool groups;    /* collectives have process groups */
	bool frames;    /* there are frames of Python, */
	bool ops;       /* ops, */
	bool serving;   /* steps of a server */
	int64_t group;  /* GPUs of each collective; EV_UNSET: no collective,
			 * 0: they differ */
	int64_t first;  /* the earliest start; EV_UNSET: no event */
	int64_t begin;  /* the same without --capture */
	struct buf head[KH_N]; /* values, as they are written */
	struct buf text;       /* of the range at hand */
	uint64_t other;        /* events of categories that are not read */
	uint64_t foreign;      /* a part of them: of other accelerators */
	char foreign_cat[32];  /* the first one's category */
	char odd_pid[64];      /* of the first event without a usable process */
	const char *looks;     /* like another file that PyTorch writes */
	uint64_t lists;        /* ops whose lists of tensors have no sizes */
	uint64_t bad;          /* events without a usable time or thread */
	uint64_t no_dur;       /* events without a usable duration */
	uint64_t lost, breaks;
	/* of a trace of Perfetto: packets that are damaged, or could not be
	 * used; ends of slices that did not begin */
	uint64_t damaged, dropped, no_begin;
	bool correlated;   /* calls or work have correlation ids */
	uint64_t by_ext;   /* those that have none: -2 less the External id is
			    * in the place of it */
	struct smap flows; /* process, thread, time; val: id + 1 */
	const struct kineto_wish *wish; /* options */
	struct {
		bool any;           /* work has nodes */
		uint64_t unknown;   /* launches of no capture that is there */
		uint64_t several;   /* launches of one of several captures */
		struct buf differs; /* from a capture, the first that does */
	} graph;
	struct {
		bool any;         /* the trace has stacks */
		struct smap tree; /* frames of samples: the frame around it,
				   * number of its text */
		struct kineto_stacks open;
		sqlite3_stmt *st; /* the rows of kineto_code */
		bool more;        /* next is its row */
		struct kineto_span next;
	} stack;
};

enum { /* the tables of the temporary database, and what inserts their rows */
	T_OP,
	T_CALL,
	T_KERN,
	T_COPY,
	T_SET,
	T_SYNC,
	T_EVENT,
	T_WAITED,
	T_MEM,
	T_OVER,
	T_CODE,
	T_NODE,
	T_SAMPLE,
	T_N
};

/* How a member of an event is read from a trace. */
enum kineto_how {
	R_END,
	R_INT,
	R_EITHER,  /* the other field, where the first is missing */
	R_ELEMENT, /* of a list; in their order */
	R_ID,      /* the number of a text */
	R_SHORT,   /* that of a kernel's short name, after its name */
	R_COPY,
	R_PID,
	R_TID,
	R_DOMAIN,
	R_OP_TEXT,
	R_PLACE,
};

struct kineto_col {
	enum kineto_how how;
	int field, other;
	size_t to; /* in struct event */
};

struct kineto_table {
	const char *insert;
	int corr; /* the field with the correlation id */
	struct kineto_col col[16];
};

extern const struct kineto_table kineto_tables[T_N];

/* Members of the rows of ops and calls, by their numbers. */
enum { OP_PID, OP_TID, OP_DOMAIN, OP_NAME, OP_THREAD = 7 };
enum { CALL_TID, CALL_NAME, CALL_KERNEL };
enum { KERN_NAME = 3 };

/* Member i of a row, whose numbers have 4 bytes each if all fit, otherwise 8;
 * then the row has one byte more. */
static inline int64_t
kineto_member(sqlite3_value *row, int i)
{
	const char *p = sqlite3_value_blob(row);
	int32_t small;
	int64_t v;

	if ((sqlite3_value_bytes(row) & 1) == 0) {
		memcpy(&small, p + (size_t)i * sizeof(small), sizeof(small));
		return small != INT32_MIN ? small : EV_UNSET;
	}
	memcpy(&v, p + (size_t)i * sizeof(v), sizeof(v));
	return v;
}

/* Inserting rows into a table: its statement, the first of its columns (start,
 * length, correlation id, process), and n members; failures are fatal. */
sqlite3_stmt *kineto_inserter(const struct kineto *k, int table);
void kineto_insert(const struct kineto *k, sqlite3_stmt *st, const int64_t *col,
    int ncol, const int64_t *row, int n);
void kineto_run(const struct kineto *k, sqlite3_stmt *st);
void kineto_sql(const struct kineto *k, const char *sql);
/* A text by its number; empty for EV_UNSET. */
struct mview kineto_text(const struct kineto *k, int64_t id);

/* Call stacks. A place is the number of a text, such as train.py:12 step.
 * place: of a frame as the trace names it, if it is in the user's own code;
 * inner: of the innermost such frame of a stack, frames separated by
 * semicolons, the innermost first. EV_UNSET: there is none. */
int64_t kineto_place(struct kineto *k, struct mview frame);
int64_t kineto_inner(struct kineto *k, struct mview frames);

struct kineto_loader;

/* Makes the rows of kineto_sample of the frames in kineto_op. */
void kineto_make_samples(struct kineto *k);

/* Launches of graphs: gives their work the nodes of its capture, if there is
 * one. Returns for how many launches it is one that --capture names. */
uint64_t kineto_join_graphs(struct kineto *k);

/* For --capture: the process that launches graphs; EV_UNSET: none does. Rows
 * from op and call on are those of the captures: they are moved to before
 * the trace, except what is outside of captures. */
int64_t kineto_launcher(struct kineto *k);
void kineto_move_before(struct kineto *k, int64_t op, int64_t call);

/* Links work to its calls in a trace without correlation ids; kineto_link.c. A
 * flow is the event at hand. */
void kineto_link_flow(struct kineto_loader *l);
void kineto_link(struct kineto *k);

unsigned kineto_has_code(void *ctx);
bool kineto_code(void *ctx, const struct event *ev, struct buf *out);
bool kineto_frames(void *ctx, const struct event *ev, struct buf *out);
void kineto_stack_free(struct kineto *k);

/* The loader: kineto_load.c reads a file, kineto_rows.c makes rows of its
 * events, with kineto_field.c, which reads fields, and kineto_text.c, which
 * makes the texts of ops. */
struct kineto_loader {
	struct kineto *k;
	int64_t capture; /* the trace is that of --capture: the process that it
			  * is for; EV_UNSET: it is not */
	struct kineto_event ev;
	sqlite3_stmt *insert[T_N];
	struct smap raws; /* sizes as they are written; value: twice the text
			   * of the range that is made of them + 1, and 1 if
			   * sizes of a list are missing */
	bool no_dur;      /* the event at hand has no usable duration */
	int64_t pid, tid; /* its thread, domain of an op, place in the code */
	const char *domain;
	int64_t place;
	struct kineto_thread caller; /* of the last call */
	struct kineto_span code;     /* the last row of kineto_code */
	struct buf tmp;
};

/* A field of the event at hand as a number, also where that is written as a
 * text, or as ns; EV_UNSET and false if it is missing or is none. */
bool kineto_field_int(const struct kineto_loader *l, int f, int64_t *v);
bool kineto_field_us(const struct kineto_loader *l, int f, int64_t *ns);
/* Its text without escapes, valid until the next call; the number of that in
 * k->texts, EV_UNSET if the field is missing. */
struct mview kineto_field_text(struct kineto_loader *l, int f);
int64_t kineto_field_id(struct kineto_loader *l, int f);
bool kineto_field_is(const struct kineto_loader *l, int f, const char *text);

/* The start of a list's elements; NULL if the field is no list. The next
 * element: *p is after the list's bracket, or after the element before; false
 * at the end. The raw text of element i; it is empty if there is none. */
const char *kineto_list(const struct kineto_loader *l, int f);
bool kineto_list_next(const char **p, struct mview *v);
struct mview kineto_element(const struct kineto_loader *l, int f, int i);

/* The number of the text of an op after its name and numbers; EV_UNSET: it has
 * none. */
int64_t kineto_op_text(struct kineto_loader *l);
/* Whether a collective moves anything, among *n GPUs; a wait does not. */
bool kineto_moves(const struct kineto_loader *l, int64_t *n);

/* Makes the tables of the database, unless the trace is that of --capture;
 * begins and ends what inserts rows. */
void kineto_rows_open(struct kineto_loader *l);
void kineto_rows_close(struct kineto_loader *l);
/* Makes rows of the event in the loader's ev. */
void kineto_rows_take(void *loader);

/* Loads a trace into a temporary database; NULL if the file is not JSON. path:
 * as infile_open() takes it. Failures are fatal. */
struct kineto *kineto_begin(
    struct infile *in, const char *path, const struct kineto_wish *wish);

void kineto_free(void *k);

/* Fatal if the temporary database could not do what it was told. */
void kineto_ok(const struct kineto *k, int rc);
