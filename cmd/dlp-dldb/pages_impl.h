/* What pages.c and pages_join.c share. */
#ifndef DLP_DLDB_PAGES_IMPL_H
#define DLP_DLDB_PAGES_IMPL_H

#include <sys/types.h>

#include "pages.h"

#define PAGES_AT_ONCE 64

/* The first byte of a page. */
enum { INNER_INDEX = 2, INNER_TABLE = 5, LEAF_INDEX = 10, LEAF_TABLE = 13 };

struct node {         /* a page */
	uint32_t at;  /* its place among those of all tables */
	uint32_t len; /* of its key: the greatest id in it, or the entry */
	size_t key;   /* of an index that comes behind it; place in keys */
};

void page_put16(unsigned char *p, unsigned v); /* big endian */
void page_put32(unsigned char *p, uint32_t v);
void page_head(unsigned char *page, int kind, unsigned n_cells, unsigned top);

/* The whole of it, at that place, or where the file is if that is -1. */
void page_write(
    int fd, const char *name, const unsigned char *s, size_t n, off_t at);

/* What is not yet in the temporary file goes there. */
void pages_flush(struct pages *p);
/* One more page behind the others; its place among them. */
uint32_t page_add(struct pages *p, const unsigned char *page);
/* The same with the leaf that is being filled; last: no more will come. */
void tree_leaf(struct pages *p, struct tree *t, bool last);

#endif
