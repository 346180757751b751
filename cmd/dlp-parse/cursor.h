/* One table's events in start order. */
#ifndef DLP_PARSE_CURSOR_H
#define DLP_PARSE_CURSOR_H

#include "dialect.h"
#include "held.h"

/* The result of the first pass over a table. */
struct order {
	uint64_t rows;
	uint64_t back_rows; /* the most rows that a row can be late */
	int64_t back_ns;    /* and the most time */
	uint64_t orphans;   /* GPU work without a call */
	bool sort;          /* too far out of order: SQLite sorts the rows */
};

struct cursor {
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

#endif
