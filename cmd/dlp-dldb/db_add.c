/* Rows of large tables; see db_add() in db.h. */
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "err.h"
#include "tables.h"

#define MANY 32 /* rows at once: more are not faster */

static void
ins_open(struct db *db, struct ins *in, int n)
{
	in->n_cols = table_ncols(in->table);
	if (in->n_cols != n)
		die("%s: %d columns", in->table, n);
	in->many = db_prepare(db, in->table, MANY);
	in->rows = xcalloc(MANY, (size_t)n * sizeof(*in->rows));
	in->next = db->adding;
	db->adding = in;
}

static void
bind(const struct ins *in, sqlite3_stmt *st, int from, int n)
{
	const int64_t *v = in->rows + (size_t)from * (size_t)in->n_cols;
	int i, k;

	for (i = 0; i < n * in->n_cols; i += in->n_cols) {
		if (v[i] != 0)
			sqlite3_bind_int64(st, i + 1, v[i]);
		else
			sqlite3_bind_null(st, i + 1);
		for (k = 1; k < in->n_cols; k++)
			if (v[i + k] != DB_NULL)
				sqlite3_bind_int64(st, i + k + 1, v[i + k]);
			else
				sqlite3_bind_null(st, i + k + 1);
	}
}

static void
flush(struct db *db, struct ins *in)
{
	int i;

	if (in->n_rows == MANY) {
		bind(in, in->many, 0, MANY);
		db_step(db, in->many);
	} else {
		if (in->st == NULL)
			in->st = db_prepare(db, in->table, 1);
		for (i = 0; i < in->n_rows; i++) {
			bind(in, in->st, i, 1);
			db_step(db, in->st);
		}
	}
	in->n_rows = 0;
}

void
db_add(struct db *db, struct ins *in, const int64_t *row, int n)
{
	if (in->many == NULL)
		ins_open(db, in, n);
	memcpy(in->rows + (size_t)in->n_rows * (size_t)n, row,
	    (size_t)n * sizeof(*row));
	if (++in->n_rows == MANY)
		flush(db, in);
}

void
db_flush(struct db *db)
{
	struct ins *in;

	for (in = db->adding; in != NULL; in = in->next)
		flush(db, in);
}

void
db_add_free(struct db *db)
{
	struct ins *in;

	for (in = db->adding; in != NULL; in = in->next) {
		free(in->rows);
		in->rows = NULL;
		in->many = in->st = NULL;
	}
	db->adding = NULL;
}
