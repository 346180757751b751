/*
 * The tables and columns of a database, and statements on it. SQL is written
 * without knowing the schema's version: a missing column reads as NULL.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "schema.h"
#include "sqldb.h"
#include "stage.h"

static const char *current = "-"; /* see schema.h */

/* What the schema of a database names, read once: a statement for each question
 * took a fifth of the time that a small profile needs. */
struct object {
	char name[64];
	bool table;   /* has pages */
	bool as;      /* AS is a word of its statement: of a computed column? */
	bool indexed; /* has an index */
};

static struct {
	sqlite3 *db;
	struct object v[128];
	size_t n;
	bool whole; /* all of them are there */
} schema;

void
db_use(const char *path)
{
	if (path != current)
		schema.db = NULL;
	current = path;
}

const char *
db_path(void)
{
	return current;
}

/* True if the query, with texts for ?1 and ?2, has a row. */
static bool
has_row(sqlite3 *db, const char *sql, const char *a, const char *b)
{
	sqlite3_stmt *st;
	bool has;

	st = db_prepare(db, "%s", sql);
	sqlite3_bind_text(st, 1, a, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, b, -1, SQLITE_STATIC);
	has = db_step(st);
	sqlite3_finalize(st);
	return has;
}

/* Whether the schema, which SQLite has read, has the table and, if it is not
 * NULL, the column. No statement is needed; errors are left to the next one. */
static bool
in_schema(sqlite3 *db, const char *table, const char *column)
{
	int rc;

	rc = sqlite3_table_column_metadata(
	    db, "main", table, column, NULL, NULL, NULL, NULL, NULL);
	return rc != SQLITE_ERROR;
}

static struct object *
find_object(const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < schema.n; i++)
		if (sqlite3_stricmp(schema.v[i].name, name) == 0)
			return &schema.v[i];
	return NULL;
}

/* Whether AS is a word of it. */
static bool
names_as(const char *sql)
{
	const char *s;

	if (sql == NULL)
		return true;
	for (s = strpbrk(sql, "sS"); s != NULL; s = strpbrk(s + 1, "sS"))
		if (s > sql + 1 && (s[-1] | 0x20) == 'a' &&
		    !isalnum((unsigned char)s[-2]) && s[-2] != '_' &&
		    !isalnum((unsigned char)s[1]) && s[1] != '_')
			return true;
	return false;
}

static void
read_schema(sqlite3 *db)
{
	struct object *o;
	const char *name;
	sqlite3_stmt *st;
	bool index;

	if (schema.db == db)
		return;
	schema.db = db;
	schema.n = 0;
	schema.whole = true;
	st = db_prepare(db,
	    "SELECT type = 'index', name, tbl_name,"
	    " type = 'table' AND rootpage > 0, sql FROM sqlite_master");
	while (db_next(&st)) {
		index = sqlite3_column_int(st, 0) != 0;
		name = db_str(st, 1 + index);
		if (index && (o = find_object(name)) != NULL) {
			o->indexed = true;
		} else if (index || name == NULL ||
			   strlen(name) >= sizeof(o->name) ||
			   schema.n == ARRAY_LEN(schema.v)) {
			schema.whole = false;
		} else {
			o = &schema.v[schema.n++];
			memset(o, 0, sizeof(*o));
			memcpy(o->name, name, strlen(name) + 1);
			o->table = sqlite3_column_int(st, 3) != 0;
			o->as = names_as(db_str(st, 4));
		}
	}
}

/* Views and virtual tables have no pages and do not count as tables. A table
 * with a computed column is refused, because it could run any expression; no
 * profiler writes one. A table that is not in the list may have been made
 * since. */
bool
db_has_table(sqlite3 *db, const char *table)
{
	sqlite3_stmt *st;
	struct object *o;
	bool has;

	if (!in_schema(db, table, NULL))
		return false;
	read_schema(db);
	o = find_object(table);
	if (o != NULL && !(o->table && o->as))
		return o->table;
	st = db_prepare(db,
	    "SELECT (SELECT name FROM pragma_table_xinfo(?1)"
	    " WHERE hidden <> 0) FROM sqlite_master WHERE type = 'table'"
	    " AND name = ?1 COLLATE NOCASE AND rootpage > 0");
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	has = db_step(st);
	if (has && sqlite3_column_type(st, 0) != SQLITE_NULL)
		die("%s: %s.%s is a generated column: no profiler writes such",
		    db_path(), table, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	if (has && o != NULL)
		o->as = false;
	return has;
}

bool
db_names(sqlite3 *db, const char *name)
{
	read_schema(db);
	return find_object(name) != NULL ||
	       (!schema.whole &&
		   has_row(db,
		       "SELECT 1 FROM sqlite_master WHERE type <> 'index'"
		       " AND name = ?1 COLLATE NOCASE",
		       name, NULL));
}

bool
db_may_have_index(sqlite3 *db, const char *table)
{
	const struct object *o;

	read_schema(db);
	o = find_object(table);
	return !schema.whole || o == NULL || o->indexed;
}

/* To SQLite's schema each table has a column rowid, to us if it is declared. */
bool
db_has_column(sqlite3 *db, const char *table, const char *column)
{
	static const char declared[] = "SELECT 1 FROM pragma_table_info(?1)"
				       " WHERE name = ?2 COLLATE NOCASE";

	if (!db_has_table(db, table) || !in_schema(db, table, column))
		return false;
	if (strstr(column, "rowid") == NULL && strcmp(column, "oid") != 0)
		return true;
	return has_row(db, declared, table, column);
}

bool
db_has_columns(sqlite3 *db, const char *table, const char *const *names)
{
	for (; *names != NULL; names++)
		if (!db_has_column(db, table, *names))
			return false;
	return true;
}

char *
db_cols(sqlite3 *db, const char *table, const char *const *names)
{
	struct buf b = { 0 };
	int i;

	for (i = 0; names[i] != NULL; i++) {
		if (i > 0)
			buf_puts(&b, ", ");
		if (db_has_column(db, table, names[i]))
			buf_printf(&b, "\"%s\"", names[i]);
		else
			buf_puts(&b, "NULL");
	}
	buf_putc(&b, '\0');
	return b.s;
}

static sqlite3_stmt *
prepare(sqlite3 *db, const char *fmt, va_list ap)
{
	char *sql = sqlite3_vmprintf(fmt, ap);
	sqlite3_stmt *st = NULL;

	if (sql == NULL)
		die("out of memory");
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(db));
	sqlite3_free(sql);
	return st;
}

sqlite3_stmt *
db_prepare(sqlite3 *db, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;

	va_start(ap, fmt);
	st = prepare(db, fmt, ap);
	va_end(ap);
	return st;
}

sqlite3_stmt *
db_rows(sqlite3 *db, const char *table, const char *need,
    const char *const *names, const char *tail)
{
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_column(db, table, need))
		return NULL;
	cols = db_cols(db, table, names);
	st = db_prepare(db, "SELECT %s FROM %s %s", cols, table, tail);
	free(cols);
	return st;
}

bool
db_step(sqlite3_stmt *st)
{
	int rc;

	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		return true;
	if (rc != SQLITE_DONE)
		die("%s: %s", db_path(), sqldb_error(sqlite3_db_handle(st)));
	return false;
}

bool
db_next(sqlite3_stmt **st)
{
	if (*st != NULL && db_step(*st))
		return true;
	sqlite3_finalize(*st);
	*st = NULL;
	return false;
}

int64_t
db_number(sqlite3 *db, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int64_t n;

	va_start(ap, fmt);
	st = prepare(db, fmt, ap);
	va_end(ap);
	n = db_step(st) ? db_i64(st, 0) : EV_UNSET;
	sqlite3_finalize(st);
	return n;
}

bool
db_string(sqlite3_stmt *st, int64_t id, struct buf *out)
{
	const char *s = NULL;
	uint32_t n;

	if (st == NULL)
		return false;
	sqlite3_bind_int64(st, 1, id);
	if (db_step(st) &&
	    (s = db_text(sqlite3_column_value(st, 0), &n)) != NULL)
		buf_put(out, s, n);
	sqlite3_reset(st);
	return s != NULL;
}

const char *
db_text(sqlite3_value *v, uint32_t *n)
{
	const char *s = (const char *)sqlite3_value_text(v);

	*n = s != NULL ? (uint32_t)sqlite3_value_bytes(v) : 0;
	return s;
}

/* Goes row by row, because db_step() stops at damage that would make a crafted
 * tree endless; count(*) would go down the tree in one step. */
uint64_t
db_count(sqlite3 *db, const char *table)
{
	return db_has_table(db, table)
		   ? (uint64_t)db_number(db, "SELECT count(1) FROM %s", table)
		   : 0;
}

void
db_note_rows(sqlite3 *db, const struct left_out *v, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += db_count(db, v[i].table);
		if (i + 1 < n && strcmp(v[i].note, v[i + 1].note) == 0)
			continue;
		stage_note(v[i].note, sum);
		sum = 0;
	}
}
