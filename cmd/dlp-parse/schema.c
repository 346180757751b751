/*
 * The tables and columns of a database, statements on it, and the list of the
 * tables that hold events. SQL is written without knowing the schema's version:
 * a missing column reads as NULL.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dialect.h"
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

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether AS is a word of it. */
static bool
names_as(const char *sql)
{
	const char *s;

	if (sql == NULL)
		return true;
	for (s = strpbrk(sql, "sS"); s != NULL; s = strpbrk(s + 1, "sS"))
		if (s > sql + 1 && (s[-1] | 0x20) == 'a' && !is_word(s[-2]) &&
		    !is_word(s[1]))
			return true;
	return false;
}

/* Columns: whether it is an index, name, name of its table, whether it is a
 * table with pages, SQL. */
static void
add_object(sqlite3_stmt *st)
{
	bool index = sqlite3_column_int(st, 0) != 0;
	const char *name = (const char *)sqlite3_column_text(st, 1 + index);
	struct object *o;

	if (index) {
		o = find_object(name);
		if (o != NULL)
			o->indexed = true;
		else
			schema.whole = false;
		return;
	}
	if (name == NULL || strlen(name) >= sizeof(o->name) ||
	    schema.n == ARRAY_LEN(schema.v)) {
		schema.whole = false;
		return;
	}
	o = &schema.v[schema.n++];
	memset(o, 0, sizeof(*o));
	memcpy(o->name, name, strlen(name) + 1);
	o->table = sqlite3_column_int(st, 3) != 0;
	o->as = names_as((const char *)sqlite3_column_text(st, 4));
}

static void
read_schema(sqlite3 *db)
{
	sqlite3_stmt *st;

	if (schema.db == db)
		return;
	schema.db = db;
	schema.n = 0;
	schema.whole = true;
	st = db_prepare(db,
	    "SELECT type = 'index', name, tbl_name,"
	    " type = 'table' AND rootpage > 0, sql FROM sqlite_master");
	while (db_step(st))
		add_object(st);
	sqlite3_finalize(st);
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

char *
db_col(sqlite3 *db, const char *table, const char *name)
{
	struct buf b = { 0 };

	if (!db_has_column(db, table, name))
		return NULL;
	buf_printf(&b, "\"%s\"", name);
	buf_putc(&b, '\0');
	return b.s;
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

sqlite3_stmt *
db_prepare(sqlite3 *db, const char *fmt, ...)
{
	sqlite3_stmt *st = NULL;
	va_list ap;
	char *sql;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (sql == NULL)
		die("out of memory");
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(db));
	sqlite3_free(sql);
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

const char *
db_text(sqlite3_value *v, uint32_t *n)
{
	const char *s = (const char *)sqlite3_value_text(v);

	*n = s != NULL ? (uint32_t)sqlite3_value_bytes(v) : 0;
	return s;
}

/* Goes row by row, because db_step() stops at damage that would make a crafted
 * tree endless; count(*) would go down the tree in one step. */
static uint64_t
count_rows(sqlite3 *db, const char *table)
{
	sqlite3_stmt *st;
	uint64_t n = 0;

	if (!db_has_table(db, table))
		return 0;
	st = db_prepare(db, "SELECT count(1) FROM %s", table);
	if (db_step(st))
		n = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

void
db_note_rows(sqlite3 *db, const struct left_out *v, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += count_rows(db, v[i].table);
		if (i + 1 < n && strcmp(v[i].note, v[i + 1].note) == 0)
			continue;
		stage_note(v[i].note, sum);
		sum = 0;
	}
}

bool
source_needs(struct ev_sources *ss, sqlite3 *db, enum ev_kind kind,
    const char *table, const char *column)
{
	uint64_t n;

	if (db_has_column(db, table, column))
		return true;
	n = count_rows(db, table);
	if (n > 0) {
		ss->lost_kinds |= 1u << kind;
		ss->bad_rows += n;
	}
	warn("%s: %s has no column '%s': not read, %" PRIu64 " row%s lost",
	    db_path(), table, column, n, n == 1 ? " is" : "s are");
	return false;
}

struct ev_source *
source_add(
    struct ev_sources *ss, enum ev_kind kind, const char *table, row_fn *row)
{
	struct ev_source *s;

	ARRAY_GROW(ss->v, ss->n, ss->cap);
	s = &ss->v[ss->n++];
	memset(s, 0, sizeof(*s));
	s->of = ss;
	s->kind = kind;
	s->table = table;
	s->row = row;
	return s;
}

void
sources_free(struct ev_sources *ss)
{
	struct ev_source *s;

	for (s = ss->v; s < ss->v + ss->n; s++) {
		free(s->from);
		free(s->where);
		free(s->key);
		free(s->cols);
		free(s->start);
		free(s->end);
		free(s->gid);
		free(s->corr);
		free(s->twin);
		free(s->pick);
	}
	free(ss->v);
	memset(ss, 0, sizeof(*ss));
}

void
source_bad_row(const struct ev_source *s)
{
	s->of->bad_rows++;
}
