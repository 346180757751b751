/*
 * The current row of a plain table, whichever way it is read: by a
 * statement, or from the file's pages.
 */
#ifndef DLP_PARSE_ROW_H
#define DLP_PARSE_ROW_H

#include "dialect.h"
#include "raw.h"

struct row {
	sqlite3_stmt *st;
	const struct raw_val *v; /* if not NULL, it is the row */
};

/* Column i (0 is the key) as an integer, EV_UNSET if it is NULL. */
static inline int64_t
row_i64(const struct row *r, int i)
{
	if (r->v == NULL)
		return db_i64(r->st, i);
	if (r->v[i].type <= RAW_INT)
		return r->v[i].i;
	return raw_convert(&r->v[i]);
}

static inline bool
row_is_int(const struct row *r, int i)
{
	if (r->v == NULL)
		return sqlite3_column_type(r->st, i) == SQLITE_INTEGER;
	return r->v[i].type == RAW_INT;
}

/* Column i as text with its length, NULL if it is NULL; valid until the next
 * row. */
const char *row_text(const struct row *r, int i, uint32_t *n);

#endif
