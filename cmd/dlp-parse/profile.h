/*
 * A run of dlp-parse, and the profiles that it reads. A profile is one file,
 * with a cursor for each of its tables. profile.c opens it and makes the first
 * pass over all rows; launch_order.c writes its events in launch order.
 */
#pragma once

#include <stddef.h>

#include "buf.h"
#include "dialect.h"
#include "emit.h"
#include "event.h"
#include "infile.h"
#include "kineto.h"
#include "map.h"
#include "selection.h"

/*
 * Events that are kept back: in a heap until their turn in the order of the
 * stream, or in a window until their call has been read.
 */

struct held { /* an event kept back, with its own copy of the text */
	struct event ev;
	struct buf text;
};

struct heap { /* of held events, the first in order on top */
	struct held **v;
	size_t n, cap;
	struct held **spare; /* nodes for reuse */
	size_t nspare, cap_spare;
};

/* True if a precedes b in the stream: the earlier event first; then the longer
 * one, where one without an end is the longest; then by kind and row. */
bool event_before(const struct event *a, const struct event *b);

void heap_put(struct heap *h, const struct event *ev);
/* Takes out the first event; it is valid until the next heap_put. */
struct held *heap_take(struct heap *h);
void heap_free(struct heap *h);

/*
 * GPU work that was read before its call, found by (process, correlation id).
 * The window grows with the delay of the GPU behind the CPU, some thousand
 * launches. Above a limit only the keys are kept, and the rows are read again
 * when they are due.
 */
struct window {
	struct win_ent *ent;
	uint32_t nent, cap_ent, free_ent; /* free_*: the first free one + 1 */
	uint32_t *bucket;
	uint32_t nbucket, live;
	struct win_ev *ev;
	uint32_t nev, cap_ev, free_ev;
	uint64_t spilled; /* events of which only the key was kept */
};

struct cursor;
void window_free(struct window *w);

struct name {             /* namecache.c */
	const char *text; /* escaped; NULL if the file has no such string */
	uint32_t len;
	uint32_t str_id; /* kernels: the str record, 0 if there is none */
};

struct name_cache {              /* zeroed */
	struct map text, kernel; /* id -> number of name */
	struct name *v;
	size_t n, cap, bytes;
	char **old; /* forgotten texts that the current record may still hold */
	size_t n_old, cap_old;
	struct buf tmp, full, mangled;
	uint64_t unknown; /* uses of ids that have no string in the file */
};

/* The name of a string id; its text is valid until names_written(). */
struct name names_text(struct profile *p, int64_t id);

struct kernel_texts { /* full NULL: none */
	const char *full, *given, *mangled;
	size_t n; /* of full */
};

/* A kernel's short name, valid equally long. mangled_id: EV_UNSET, or another
 * id that separates kernels of the same name. *fresh: for its str record, at
 * its first use; otherwise full is NULL. */
struct name *names_kernel(struct profile *p, int64_t id, int64_t short_id,
    int64_t mangled_id, struct kernel_texts *fresh);

/* Called when a record is complete: no text is held any more. */
void names_written(struct name_cache *n);

void names_free(struct name_cache *n);

/* The result of the first pass over a table. */
struct order {
	uint64_t rows;
	uint64_t lost;      /* rows without a start */
	uint64_t back_rows; /* the most rows that a row can be late */
	int64_t back_ns;    /* and the most time */
	uint64_t orphans;   /* GPU work without a call */
	bool sort;          /* too far out of order: SQLite sorts the rows */
	uint64_t hash;      /* of the starts and ends */
};

struct cursor { /* one table's events in start order */
	const struct ev_source *src;
	sqlite3 *db;
	void *ctx;     /* the dialect's */
	int no;        /* its index in the profile's cursors */
	int64_t shift; /* added to the rows' times */
	sqlite3_stmt *st;
	sqlite3_stmt *by_key; /* for cursor_again(): one row by its key */
	bool scan;            /* the first pass reads it */
	bool apart;           /* db is the profile's second connection */
	struct batch *batch;  /* NULL: rows come one by one */
	struct batch *fill;   /* the batch that batch_row() writes to */
	struct ahead *ahead;  /* a thread that fills batches; NULL: none */
	int64_t key;          /* of the row that was read last */
	struct order order;
	uint64_t row;      /* rows read */
	int64_t max_start; /* latest start read */
	bool end;          /* no more rows in the table */
	bool live;         /* ev is the next event */
	struct event ev;
	struct heap heap; /* rows read ahead, because the table is out of
			   * order */
};

void cursor_open(struct cursor *c);

/* Starts a second thread that reads the rows, some thousand of them ahead.
 * Until cursor_close() only that thread may use c->db, the source's row
 * function, and the members of the cursor that cursor.c lists. */
void cursor_ahead(struct cursor *c);

/* Reads rows until one makes an event; false at the end of the table. */
bool cursor_read(struct cursor *c, struct event *ev);
void cursor_next(struct cursor *c); /* makes ev the next event in order */
void cursor_close(struct cursor *c);

/* Reads the row with this key a second time. */
bool cursor_again(struct cursor *c, int64_t key, struct event *ev);

/*
 * The first pass over a table: how far its rows are out of start order, and
 * which calls launched which GPU work. For every (process, correlation id) it
 * records whether there is a call and how many activities of each kind. Ids
 * come in sequences, so 64 of them share a slot of bit planes: some 2 bytes per
 * id.
 */

#define KEY_GPU_KINDS (EV_GRAPH - EV_KERN + 1)

struct keys {
	struct key_slot *slot; /* n of them */
	size_t n, slot_cap;
	uint32_t *index; /* by key: the number of the slot, + 1 */
	size_t index_cap;
	struct map many;     /* counts above 1 */
	struct map pids;     /* processes with calls or GPU work */
	struct map gids;     /* the same with their machines */
	struct map hosts;    /* processes with calls */
	int64_t last_who[2]; /* the last ones put into pids and hosts */
	uint64_t dup_calls;  /* calls whose key another call has */
};

/* True if the key has a call; twin: a twin counts, too. */
bool keys_has_call(const struct keys *k, int64_t pid, int64_t corr, bool twin);

/* Takes the activities of a call: n[kind - EV_KERN] is the number of each kind.
 * Returns their sum. A second call with the same key gets none. */
uint64_t keys_take(
    struct keys *k, int64_t pid, int64_t corr, uint64_t n[KEY_GPU_KINDS]);

void keys_free(struct keys *k);

/* The correlation id as part of a key; EV_UNSET if there is none. */
int64_t key_corr(int64_t corr);

/* Makes the pass over the cursor's table; fills c->order and p->keys. */
void scan_cursor(struct profile *p, struct cursor *c);

struct parse { /* the run: options, and the state that all profiles share */
	struct selection sel;
	struct emit out;
	struct infile in;
	struct profile **prof;
	int nprof;
	bool no_dict;    /* --no-dict */
	bool check;      /* --check */
	bool need_times; /* --need-times */
	bool no_code;    /* --no-code */
	struct kineto_wish kineto;
	bool old_names; /* --old-names: nvprof's kernels as PyProf's library
			   demangled them */
	uint64_t ranks_by_utc, ranks_unaligned; /* notes of --ranks */
};

struct profile {
	struct parse *run;
	const char *path;
	struct buf src; /* escaped file name for the src column */
	int no;
	sqlite3 *db;
	sqlite3 *second; /* the same, for another thread; NULL: none */
	const struct dialect *dialect;
	struct kineto *kineto; /* a trace of torch.profiler, loaded */
	void *ctx;             /* the dialect's */
	struct ev_sources sources;
	struct cursor *cur; /* all; cpu and gpu point into it */
	int ncur;
	struct cursor **cpu, **gpu;
	int ncpu, ngpu;
	struct keys keys;
	struct window window;
	struct heap orphans;
	struct name_cache names;
	bool any_orphans;
	int64_t only_pid; /* the one process with calls, or EV_UNSET */
	uint64_t gpu_rows, range_rows;
	/* --ranks */
	int64_t rank, shift; /* shift: added to all times */
	enum { RANK_ORDER, RANK_FOUND } rank_by;
	const char *clock_by; /* how shift was found; NULL: it was not */
	int64_t n_coll, spread;
	/* the cursor of the next event, a CPU table's; NULL: the next event is
	 * the first orphan */
	struct cursor *next;
	bool has_next;
	/* launch_order.c */
	struct event *several; /* the activities of one call, while they are
				* written */
	size_t cap_several;
	struct {
		uint64_t twins, before_launch, orphans, late;
	} count;
};

/* path NULL is standard input. */
void profile_open(
    struct profile *p, struct parse *run, const char *path, int no);
void profile_begin(struct profile *p); /* the first pass */
void profile_alone(struct profile *p); /* stops the second thread */
void profile_start(struct profile *p); /* opens the cursors for the merge */
void profile_close(struct profile *p);

/* ranks.c, --ranks: each file is one rank of a run. The ranks get numbers, and
 * the first rank's origin of time applies to all. */

/* Numbers the ranks (profile.rank) and sorts the profiles by number; then
 * aligns the clocks (profile.shift, and the shift of their cursors). Called
 * after the first pass over the profiles, before --range and the merge. */
void ranks_number(struct parse *run);
void ranks_align(struct parse *run);

/* Writes a rank record for each. */
void ranks_put(struct parse *run);

/* The merge: peek says whether there is one more event, the others return it
 * and write its records. */
bool merge_peek(struct profile *p);
const struct event *merge_head(const struct profile *p);
void merge_emit(struct profile *p);
