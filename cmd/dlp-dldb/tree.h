/*
 * A b-tree of an SQLite file made of rows of integers that come in its order:
 * a table by id, or an index. Each page is written once, when it is full.
 */
#ifndef DLP_DLDB_TREE_H
#define DLP_DLDB_TREE_H

#include "pages.h"

#define TREE_LEVELS 12
#define TREE_COLS 24

struct tree_level { /* the page that is being filled */
	unsigned char *page;
	unsigned n, top; /* cells; where the last one begins */
	unsigned last;   /* its length */
};

struct tree {
	struct pages *pages;
	uint32_t root;
	bool index;
	int n_levels; /* 0: no row yet */
	struct tree_level level[TREE_LEVELS];
	int64_t id; /* of a table's last row */
};

/* root: the page of an empty tree, which stays the root. */
void tree_open(struct tree *t, struct pages *p, uint32_t root, bool index);
/* A row: of a table the id and the columns, of an index the columns and the
 * id. n is at most TREE_COLS; NULL is DB_NULL (db.h). */
void tree_add(struct tree *t, const int64_t *row, int n);
/* The tree is whole, whatever came. */
void tree_end(struct tree *t);

#endif
