/* One table's events in start order. */
#ifndef DLP_PARSE_CURSOR_H
#define DLP_PARSE_CURSOR_H

#include "batch.h"
#include "heap.h"
#include "source.h"

/* What the first pass says about a table. */
struct order {
	uint64_t rows;
	uint64_t back_rows; /* how many rows a row stands too late at most */
	int64_t back_ns;    /* and by how much time */
	uint64_t orphans;   /* GPU work without a call */
	bool sort;          /* too far out of order: sorted by SQLite */
};

#define CURSOR_COLS 64

struct cursor {
	const struct source *src;
	sqlite3 *db;
	void *ctx;     /* the dialect's */
	int no;        /* among the profile's */
	int64_t shift; /* what the rows' times are moved by */
	sqlite3_stmt *st;
	sqlite3_stmt *by_key; /* one row again: window.c */
	bool scan;            /* the first pass looks at it */
	bool apart;           /* db is the profile's second */
	struct batch *batch;  /* NULL: rows come one by one */
	struct batch *fill;   /* what put_row() writes to */
	struct ahead *ahead;  /* a thread that fills; NULL: none */
	int64_t key;          /* of the row read last */
	struct order order;
	uint64_t row;      /* rows read */
	int64_t max_start; /* latest start read */
	bool end;          /* no more rows in the table */
	bool live;         /* ev is the next event */
	struct event ev;
	struct heap heap; /* rows read ahead where they are out of order */
};

void cursor_open(struct cursor *c);
/* From now on the rows are read ahead, in a thread to which c->db is left. */
void cursor_ahead(struct cursor *c);
/* Reads rows until one makes an event; false at the end of the table. */
bool cursor_read(struct cursor *c, struct event *ev);
void cursor_next(struct cursor *c); /* makes ev the next event in order */
void cursor_close(struct cursor *c);
/* The row with this key again. */
bool cursor_again(struct cursor *c, int64_t key, struct event *ev);

#endif
