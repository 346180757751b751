/*
 * Tables of integers, and indices over them, as pages of SQLite's file
 * format, for tables with a row per event: SQL takes ten times as long.
 * https://www.sqlite.org/fileformat2.html, "B-tree Pages", "Record Format".
 *
 * Pages go into a temporary file as they fill. Leaves hold no page numbers,
 * so all can be put behind the pages that SQLite has written, when these are
 * known. Memory is a page per table, and some 40 bytes per page.
 */
#ifndef DLP_DLDB_PAGES_H
#define DLP_DLDB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define PAGE_SIZE 4096 /* SQLite's own */

/* NULL, in a row of integers. */
#define DB_NULL INT64_MIN

struct pages {  /* zero at first */
	int fd; /* the temporary file, if there is any */
	bool any;
	unsigned char *buf; /* pages that are not yet in it */
	size_t n_buf;
	uint32_t n; /* pages of all tables */
	/* while they are joined to the database file */
	int db;
	uint32_t base; /* number of the first one there */
	const char *path;
};

struct tree {                          /* zero at first, but for index */
	bool index;                    /* of a table */
	unsigned char page[PAGE_SIZE]; /* the leaf that is being filled */
	unsigned n_cells, top;         /* its rows, where their bytes begin */
	size_t last;                   /* bytes of the last one */
	int64_t id;                    /* the greatest so far */
	struct node *node;             /* full pages */
	size_t n, cap;
	struct buf keys; /* what parts each from the next */
	size_t longest;
};

/* A row, its id first; of an index, the columns and the row's id. Each comes
 * behind those before it, in the order of the id, or the columns. */
void tree_put(struct pages *p, struct tree *t, const int64_t *row, int n);
bool tree_empty(const struct tree *t);
void tree_free(struct tree *t);

/* Between transactions: opens the database file, ... */
void pages_begin(struct pages *p, const char *path);
/* ... puts each tree under its root page, which is that of an empty one, ... */
void pages_tree(struct pages *p, struct tree *t, uint32_t root);
/* ... copies the pages, and tells SQLite that the file has changed; p is zero
 * again. */
void pages_end(struct pages *p);
/* Forgets all pages. */
void pages_drop(struct pages *p);

/* The page of the n-th of the pages (from 0) behind the base - 1 first ones:
 * the one with the lock byte is skipped. */
uint32_t page_number(uint32_t base, uint32_t n);

#endif
