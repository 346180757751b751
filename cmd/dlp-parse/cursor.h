/* One table's events in start order. */
#ifndef DLP_PARSE_CURSOR_H
#define DLP_PARSE_CURSOR_H

#include "dialect.h"
#include "held.h"

/* The result of the first pass over a table. */
struct order {
	uint64_t rows;
	uint64_t back_rows; /* how many rows a row stands too late at most */
	int64_t back_ns;    /* and by how much time */
	uint64_t orphans;   /* GPU work without a call */
	bool sort;          /* too far out of order: sorted by SQLite */
};

struct cursor {
	const struct ev_source *src;
	sqlite3 *db;
	void *ctx;     /* the dialect's */
	int no;        /* among the profile's */
	int64_t shift; /* added to the rows' times */
	sqlite3_stmt *st;
	sqlite3_stmt *by_key; /* one row again: cursor_again() */
	bool scan;            /* the first pass looks at it */
	bool apart;           /* db is the profile's second */
	struct batch *batch;  /* NULL: rows come one by one */
	struct batch *fill;   /* the batch that batch_row() writes to */
	struct ahead *ahead;  /* a thread that fills batches; NULL: none */
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

/* From now on a second thread reads the rows, some thousand of them ahead.
 * Until cursor_close() that thread alone may use c->db and the source's row
 * function, and of the cursor what cursor.c says. */
void cursor_ahead(struct cursor *c);

/* Reads rows until one makes an event; false at the end of the table. */
bool cursor_read(struct cursor *c, struct event *ev);
void cursor_next(struct cursor *c); /* makes ev the next event in order */
void cursor_close(struct cursor *c);

/* The row with this key again. */
bool cursor_again(struct cursor *c, int64_t key, struct event *ev);

#endif
