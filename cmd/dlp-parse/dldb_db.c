/* The database's columns and dictionary; see dldb_db.h. */
#include "dldb_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "schema.h"

static int
find_name(char *const *v, int n, const char *s)
{
	int i;

	for (i = 0; i < n && strcmp(v[i], s) != 0; i++)
		;
	return i;
}

static void
note_missing(struct dldb *d, const char *table, const char *column)
{
	char *s;
	size_t n = strlen(table) + strlen(column) + 2;
	int i;

	s = xmalloc(n);
	snprintf(s, n, "%s%s%s", table, *column != '\0' ? "." : "", column);
	i = find_name((char *const *)d->missing, d->n_missing, s);
	if (i < d->n_missing || i == DLDB_MAX_MISSING)
		free(s);
	else
		d->missing[d->n_missing++] = s;
}

char *
dldb_cols(struct dldb *d, const char *table, const char *const *names)
{
	int i;

	if (!db_has_table(d->db, table)) {
		note_missing(d, table, "");
		return NULL;
	}
	for (i = 0; names[i] != NULL; i++)
		if (!db_has_column(d->db, table, names[i]))
			note_missing(d, table, names[i]);
	return db_cols(d->db, table, names);
}

bool
dldb_string(void *ctx, int64_t id, struct buf *out)
{
	struct dldb *d = ctx;
	bool has = false;
	const char *s;
	uint32_t n;

	if (d->string == NULL)
		return false;
	sqlite3_bind_int64(d->string, 1, id);
	if (db_step(d->string) &&
	    (s = db_text(sqlite3_column_value(d->string, 0), &n)) != NULL) {
		buf_put(out, s, n);
		has = true;
	}
	sqlite3_reset(d->string);
	return has;
}
