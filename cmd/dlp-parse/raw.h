/*
 * Rows of a table, read straight from the pages of the database file: a
 * quarter of what a statement costs per row. Only for plain tables of a
 * file that nobody writes (opened immutable); for all else raw_open() says
 * no, and the caller uses a statement. Damage is fatal.
 */
#ifndef DLP_PARSE_RAW_H
#define DLP_PARSE_RAW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum raw_type { RAW_NULL, RAW_INT, RAW_REAL, RAW_TEXT, RAW_BLOB };

struct raw_val {
	enum raw_type type;
	uint32_t n;    /* text, blob: bytes at s */
	int64_t i;     /* INT: the value; NULL: INT64_MIN */
	const char *s; /* text, blob; REAL: 8 bytes, big endian; valid until
			  the next row; no NUL behind it */
};

#define RAW_COLS 24

struct raw {
	struct raw_val v[RAW_COLS]; /* 0: the row's id; 1..: the columns, in
				       the order of the names */
	struct raw_tree *tree;
};

/* NULL: not this table. names end with NULL; a column that the table lacks
 * reads as NULL. */
struct raw *raw_open(sqlite3 *db, const char *table, const char *const *names);
bool raw_next(struct raw *r); /* false at the end of the table */
void raw_close(struct raw *r);

/* A value that is no integer as one, as SQLite converts it. */
int64_t raw_convert(const struct raw_val *v);

#endif
