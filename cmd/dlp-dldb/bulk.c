/* Large tables; see bulk.h. */
#include "bulk.h"

#include <stdlib.h>
#include <string.h>

#include "ddl.h"
#include "err.h"

struct bulk_table {
	struct bulk_table *next;
	const char *name;
	struct tree tree;
	struct window rows;
	int64_t last_id;
	uint64_t n_rows, n_entries;
	bool indexed, by_rows; /* there is an index; entries follow rows */
	int key[TREE_COLS], n_key;
	struct tree index;
	struct window entries;
};

void
bulk_roots(struct bulk *b, sqlite3 *sql)
{
	sqlite3_stmt *st;

	memset(b, 0, sizeof(*b));
	b->pages.fd = -1;
	if (sqlite3_prepare_v2(sql,
		"SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0",
		-1, &st, NULL) != SQLITE_OK)
		die("schema: %s", sqlite3_errmsg(sql));
	while (sqlite3_step(st) == SQLITE_ROW) {
		b->roots =
		    xrealloc(b->roots, b->n_roots + 1, sizeof(*b->roots));
		b->roots[b->n_roots++] = (struct bulk_root){
			xstrdup((const char *)sqlite3_column_text(st, 0)),
			(uint32_t)sqlite3_column_int64(st, 1)
		};
	}
	sqlite3_finalize(st);
}

void
bulk_open(struct bulk *b, const char *file, const char *path)
{
	pages_open(&b->pages, file, path);
}

/* The root of a table or an index; 0 if there is none that is empty. */
static uint32_t
root(struct bulk *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->n_roots; i++)
		if (strcmp(b->roots[i].name, name) == 0)
			return pages_is_empty_tree(&b->pages, b->roots[i].page)
				   ? b->roots[i].page
				   : 0;
	return 0;
}

struct bulk_table *
bulk_table(struct bulk *b, const char *name, int n, bool by_rows)
{
	struct bulk_table *t = xcalloc(1, sizeof(*t));
	uint32_t page = root(b, name);
	char index[DDL_NAME];

	if (page == 0)
		die("%s: no empty table %s", b->pages.path, name);
	t->name = name;
	t->next = b->tables;
	b->tables = t;
	tree_open(&t->tree, &b->pages, page, false);
	window_open(&t->rows, n, 1);
	page = root(b, ddl_index_name(name, index));
	if (page == 0)
		return t;
	t->indexed = true;
	t->by_rows = by_rows;
	t->n_key = ddl_index_cols(name, t->key);
	tree_open(&t->index, &b->pages, page, true);
	if (by_rows)
		window_open(&t->entries, t->n_key + 1, t->n_key);
	return t;
}

static void
drain(struct tree *t, struct window *w, bool all)
{
	const int64_t *row;

	while ((all || window_full(w)) && (row = window_take(w)) != NULL)
		tree_add(t, row, w->n_cols);
}

/* The row's entry. One that comes too late, or a second one of the same
 * columns, is not taken. */
static void
put_entry(struct bulk_table *t, const int64_t *row)
{
	int64_t e[TREE_COLS];
	int i;

	drain(&t->index, &t->entries, false);
	for (i = 0; i < t->n_key; i++)
		e[i] = row[t->key[i]];
	e[t->n_key] = row[0];
	t->n_entries += window_put(&t->entries, e);
}

bool
bulk_add(struct bulk_table *t, const int64_t *row)
{
	int64_t with_id[TREE_COLS];

	t->n_rows++;
	if (row[0] == 0) {
		memcpy(with_id, row, (size_t)t->rows.n_cols * sizeof(*row));
		with_id[0] = t->last_id + 1;
		row = with_id;
	}
	drain(&t->tree, &t->rows, false);
	if (!window_put(&t->rows, row))
		return false;
	if (row[0] > t->last_id)
		t->last_id = row[0];
	/* one that lacks an entry is made anew */
	if (t->by_rows && t->n_entries == t->n_rows - 1)
		put_entry(t, row);
	return true;
}

void
bulk_entry(struct bulk_table *t, const int64_t *e)
{
	t->n_entries++;
	tree_add(&t->index, e, t->n_key + 1);
}

static void
end(struct bulk_table *t)
{
	drain(&t->tree, &t->rows, true);
	tree_end(&t->tree);
	window_close(&t->rows);
	if (t->by_rows) {
		drain(&t->index, &t->entries, true);
		window_close(&t->entries);
	}
	if (t->indexed)
		tree_end(&t->index);
}

void
bulk_close(
    struct bulk *b, void (*lacks)(void *ctx, const char *table), void *ctx)
{
	struct bulk_table *t;
	size_t i;

	while ((t = b->tables) != NULL) {
		b->tables = t->next;
		end(t);
		if (t->indexed && t->n_entries != t->n_rows)
			lacks(ctx, t->name);
		free(t);
	}
	for (i = 0; i < b->n_roots; i++)
		free(b->roots[i].name);
	free(b->roots);
	pages_close(&b->pages);
	memset(b, 0, sizeof(*b));
}
