/*
 * Rows that go past SQL; see db_add() in db.h. Pages need them in order: some
 * are held back until those before them have come. What is later still, waits
 * in a file, for SQL; an index with such entries is made by SQL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db.h"
#include "ddl.h"
#include "err.h"
#include "temp.h"

#define HELD 256 /* rows */

struct run { /* rows on their way to a tree */
	struct tree tree;
	int64_t *row; /* those held back, in order; the last that went on */
	int n_rows, n_cols, n_key; /* columns: all, those of the order */
	uint64_t n;                /* of all */
};

struct bulk {
	struct run rows, keys; /* keys: entries of the index, if any */
	int64_t last;          /* the greatest id so far */
	FILE *late;
	bool sql;      /* the table has rows: no pages */
	bool unsorted; /* keys */
};

static bool
has_rows(struct db *db, const char *table)
{
	struct buf b = { 0 };
	bool has;

	buf_printf(&b, "SELECT EXISTS (SELECT 1 FROM %s)", table);
	has = db_int(db, buf_str(&b), 0) != 0;
	buf_free(&b);
	return has;
}

static void
run_open(struct run *u, int n, int n_key)
{
	u->n_cols = n;
	u->n_key = n_key;
	u->row = xcalloc(HELD + 1, (size_t)n * sizeof(*u->row));
}

static struct bulk *
bulk_open(struct db *db, struct ins *in, int n)
{
	struct bulk *b = in->bulk = xcalloc(1, sizeof(*b));

	if (ddl_ncols(in->table) != n)
		die("%s: %d columns", in->table, n);
	run_open(&b->rows, n, 1);
	b->sql = has_rows(db, in->table);
	in->next = db->adding;
	db->adding = in;
	return b;
}

static int64_t *
row_at(const struct run *u, int i)
{
	return u->row + (size_t)i * (size_t)u->n_cols;
}

static size_t
row_size(const struct run *u, int n)
{
	return (size_t)n * (size_t)u->n_cols * sizeof(*u->row);
}

static bool
before(const int64_t *a, const int64_t *b, int n)
{
	int i;

	for (i = 0; i < n - 1 && a[i] == b[i]; i++)
		;
	return a[i] < b[i];
}

/* Whether the row comes behind the last one, in the order of n columns. */
static bool
put(struct pages *p, struct run *u, const int64_t *row, int n)
{
	if (!tree_empty(&u->tree) && !before(row_at(u, HELD), row, n))
		return false;
	tree_put(p, &u->tree, row, u->n_cols);
	memcpy(row_at(u, HELD), row, row_size(u, 1));
	return true;
}

/* The same id twice is for SQL, too, which knows what to say. */
static void
put_row(struct db *db, struct bulk *b, const int64_t *row)
{
	if (put(&db->pages, &b->rows, row, 1))
		return;
	b->unsorted = true;
	if (b->late == NULL && (b->late = fdopen(temp_fd(), "w+")) == NULL)
		die_errno("temporary file");
	if (fwrite(row, row_size(&b->rows, 1), 1, b->late) != 1)
		die_errno("temporary file");
}

/* So are two entries that only the row's id tells apart. */
static void
put_key(struct db *db, struct bulk *b, const int64_t *row)
{
	if (!b->unsorted &&
	    !put(&db->key_pages, &b->keys, row, b->keys.n_cols - 1))
		b->unsorted = true;
}

/* Those of the first n that are held back go on. */
static void
put_first(struct db *db, struct bulk *b, struct run *u, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (u == &b->rows)
			put_row(db, b, row_at(u, i));
		else
			put_key(db, b, row_at(u, i));
	u->n_rows -= n;
	if (n > 0)
		memmove(u->row, row_at(u, n), row_size(u, u->n_rows));
}

/* A row without an id comes last. */
static int64_t *
hold(struct db *db, struct bulk *b, struct run *u, const int64_t *row)
{
	bool last = u == &b->rows && row[0] == 0;
	int i;

	if (u->n_rows == HELD)
		put_first(db, b, u, HELD / 2);
	for (i = u->n_rows; i > 0; i--)
		if (last || !before(row, row_at(u, i - 1), u->n_key))
			break;
	memmove(row_at(u, i + 1), row_at(u, i), row_size(u, u->n_rows - i));
	memcpy(row_at(u, i), row, row_size(u, 1));
	u->n_rows++;
	u->n++;
	return row_at(u, i);
}

static int64_t
add(struct db *db, struct bulk *b, const int64_t *row)
{
	int64_t *held = hold(db, b, &b->rows, row);

	if (held[0] == 0)
		held[0] = b->last + 1;
	if (held[0] > b->last)
		b->last = held[0];
	return held[0];
}

int64_t
db_add(struct db *db, struct ins *in, const int64_t *row, int n)
{
	struct bulk *b = in->bulk != NULL ? in->bulk : bulk_open(db, in, n);

	if (!b->sql)
		return add(db, b, row);
	db_put_ints(db, in, row, n);
	return sqlite3_last_insert_rowid(db->sql);
}

void
db_add_key(struct db *db, struct ins *in, const int64_t *key, int n)
{
	struct bulk *b = in->bulk;

	if (b->sql)
		return;
	if (b->keys.row == NULL) {
		run_open(&b->keys, n, n);
		b->keys.tree.index = true;
	}
	hold(db, b, &b->keys, key);
}

static uint32_t
root_page(struct db *db, const char *prefix, const char *name)
{
	struct buf b = { 0 };
	int64_t no;

	buf_printf(&b, "SELECT rootpage FROM sqlite_schema WHERE name = '%s%s'",
	    prefix, name);
	no = db_int(db, buf_str(&b), 0);
	if (no == 0)
		die("%s: no %s%s", db->path, prefix, name);
	buf_free(&b);
	return (uint32_t)no;
}

static void
put_late(struct db *db, struct ins *in)
{
	struct bulk *b = in->bulk;
	int64_t *row = b->rows.row;

	if (b->late == NULL)
		return;
	if (fflush(b->late) != 0)
		die_errno("temporary file");
	rewind(b->late);
	while (fread(row, row_size(&b->rows, 1), 1, b->late) == 1)
		db_put_ints(db, in, row, b->rows.n_cols);
	if (ferror(b->late))
		die_errno("temporary file");
	fclose(b->late);
	b->late = NULL;
}

/* The rows, or the entries of the indices. */
static void
join(struct db *db, struct pages *p, bool keys)
{
	struct ins *in;
	struct tree *t;

	pages_begin(p, sqlite3_db_filename(db->sql, "main"));
	for (in = db->adding; in != NULL; in = in->next) {
		t = keys ? &in->bulk->keys.tree : &in->bulk->rows.tree;
		if (!tree_empty(t))
			pages_tree(p, t,
			    root_page(db, keys ? "unique_" : "", in->table));
	}
	pages_end(p);
}

/* Puts on what is held back; whether that makes any pages, and those of all
 * indices. */
static bool
put_held(struct db *db, bool *sorted)
{
	struct ins *in;
	struct bulk *b;
	bool any = false;

	*sorted = true;
	for (in = db->adding; in != NULL; in = in->next) {
		b = in->bulk;
		put_first(db, b, &b->rows, b->rows.n_rows);
		put_first(db, b, &b->keys, b->keys.n_rows);
		if (tree_empty(&b->rows.tree))
			continue;
		any = true;
		if (ddl_has_index(in->table) &&
		    (b->unsorted || b->keys.n != b->rows.n))
			*sorted = false;
	}
	return any;
}

/* The file's change counter tells SQLite's next transaction that what it
 * knows of the pages is old. */
static void
join_pages(struct db *db, bool keys)
{
	struct ins *in;

	db_exec(db, "COMMIT");
	join(db, &db->pages, false);
	if (keys)
		join(db, &db->key_pages, true);
	else
		pages_drop(&db->key_pages);
	db_exec(db, "BEGIN");
	for (in = db->adding; in != NULL; in = in->next) {
		put_late(db, in);
		tree_free(&in->bulk->keys.tree);
		in->bulk->sql = true;
	}
}

/* An index with pages is made while its table is empty. */
void
db_flush(struct db *db, bool aggregated)
{
	bool any, sorted;

	any = put_held(db, &sorted);
	if (sorted)
		ddl_indices(db, aggregated);
	if (any)
		join_pages(db, sorted);
	if (!sorted)
		ddl_indices(db, aggregated);
}

static void
run_free(struct run *u)
{
	tree_free(&u->tree);
	free(u->row);
}

void
db_add_free(struct db *db)
{
	struct ins *in;

	for (in = db->adding; in != NULL; in = in->next) {
		run_free(&in->bulk->rows);
		run_free(&in->bulk->keys);
		if (in->bulk->late != NULL)
			fclose(in->bulk->late);
		free(in->bulk);
		in->bulk = NULL;
	}
	db->adding = NULL;
	pages_drop(&db->pages);
	pages_drop(&db->key_pages);
}
