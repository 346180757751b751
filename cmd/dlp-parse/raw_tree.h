/* The b-tree of a table: its cells in the order of row ids. */
#ifndef DLP_PARSE_RAW_TREE_H
#define DLP_PARSE_RAW_TREE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw_tree;

struct raw_cell {
	int64_t rowid;
	const unsigned char *p; /* the part of the record in the leaf */
	size_t local, size;     /* its bytes, and those of the record */
	uint32_t overflow;      /* first page of the rest, 0 if none */
};

/* NULL if the file is not one that can be read so. */
struct raw_tree *raw_tree_open(sqlite3 *db, const char *table, uint32_t root);
bool raw_tree_next(struct raw_tree *t, struct raw_cell *c);
/* The whole record, valid until the next call. */
const unsigned char *raw_tree_whole(
    struct raw_tree *t, const struct raw_cell *c);
void raw_tree_close(struct raw_tree *t);

/* Fatal: the file is damaged. */
void raw_tree_malformed(const struct raw_tree *t) __attribute__((noreturn));

/* A variable-length number at p before end; the byte behind it, or NULL. */
const unsigned char *raw_varint(
    const unsigned char *p, const unsigned char *end, uint64_t *v);

#endif
