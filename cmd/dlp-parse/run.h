/*
 * The core's own structures: a profile is one file with its cursors, one
 * per table; the merge takes the first event of all of them, again and
 * again.
 */
#ifndef DLP_PARSE_RUN_H
#define DLP_PARSE_RUN_H

#include "dialect.h"
#include "keys.h"
#include "names.h"
#include "window.h"

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

/* What the first pass says about a table. */
struct order {
	uint64_t rows;
	uint64_t back_rows; /* how many rows a row stands too late at most */
	int64_t back_ns;    /* and by how much time */
	uint64_t orphans;   /* GPU work without a call */
	bool sort;          /* too far out of order: sorted by SQLite */
};

struct cursor {
	const struct source *src;
	struct profile *p;
	int no; /* among the profile's */
	sqlite3_stmt *st;
	sqlite3_stmt *by_key; /* one row again: window.c */
	struct order order;
	uint64_t row;      /* rows read */
	int64_t max_start; /* latest start read */
	bool end;          /* no more rows in the table */
	bool live;         /* ev is the next event */
	struct event ev;
	struct heap heap; /* rows read ahead where they are out of order */
};

struct profile {
	const char *path;
	struct buf src; /* escaped file name for the src column */
	int no;
	sqlite3 *db;
	const struct dialect *dialect;
	void *ctx;
	struct sources sources;
	struct cursor *cur; /* all; cpu and gpu point into it */
	int ncur;
	struct cursor **cpu, **gpu;
	int ncpu, ngpu;
	struct keys keys;
	struct window window;
	struct heap orphans;
	struct names names;
	bool any_orphans;
	int64_t only_pid; /* the one process with calls, or EV_UNSET */
	uint64_t gpu_rows, call_rows, range_rows;
	/* the next event: a CPU cursor, or the first orphan if NULL */
	struct cursor *next;
	bool has_next;
};

/* profile.c */
void profile_open(struct profile *p, const char *path, int no);
void profile_begin(struct profile *p); /* the first pass */
void profile_start(struct profile *p); /* the merge may begin */
void profile_close(struct profile *p);
void profile_current(struct profile *p); /* for db_path(), facts */
const struct profile *profile_cur(void);
void sources_free(struct sources *ss);

/* scan.c */
void scan_cursor(struct cursor *c);

/* cursor.c */
void cursor_open(struct cursor *c);
/* Reads rows until one makes an event; false at the end of the table. */
bool cursor_read(struct cursor *c, struct event *ev);
void cursor_next(struct cursor *c); /* makes ev the next event in order */
void cursor_close(struct cursor *c);
uint64_t cursor_bad_rows(void);
/* The key of the row read last; and the row with this key again. */
int64_t cursor_key(const struct cursor *c);
bool cursor_again(struct cursor *c, int64_t key, struct event *ev);

/* heap.c */
bool event_before(const struct event *a, const struct event *b);
void heap_put(struct heap *h, const struct event *ev);
/* Takes the first out; it is valid until the next heap_put. */
struct held *heap_take(struct heap *h);
void heap_free(struct heap *h);

/* merge.c */
bool merge_peek(struct profile *p); /* false: no more events */
const struct event *merge_head(const struct profile *p);
void merge_emit(struct profile *p); /* writes the next event's records */
void merge_notes(void);

/* Reads a row of GPU work into the window or among the orphans; false at the
 * end. The key of the row: *pid, *corr. */
bool gpu_read(struct cursor *c, int64_t *pid, int64_t *corr);

/* The join key's process of a gid. */
int64_t key_pid(const struct profile *p, int64_t gid);
int64_t key_corr(int64_t corr);

#endif
