/*
 * Pages and cells of SQLite's file format (sqlite.org/fileformat2.html,
 * sections 1.2 to 1.6). Every offset comes from a file that may be damaged
 * or hostile, and is checked before it is used.
 */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "dialect.h"
#include "err.h"
#include "raw_tree.h"

#define MAX_DEPTH 24
#define CHUNK 65536          /* read ahead where pages follow each other */
#define MAX_RECORD (1 << 28) /* as input.c limits statements */

enum { TREE_INNER = 5, TREE_LEAF = 13 };

struct level {
	unsigned char *page;
	uint32_t cells, next;
};

struct raw_tree {
	const char *table;
	sqlite3_file *file;
	uint32_t page_size, usable, npages;
	uint64_t seen; /* pages visited: a loop is damage */
	struct level level[MAX_DEPTH];
	int depth; /* inner levels in use */
	unsigned char *chunk;
	uint32_t chunk_first, chunk_pages, last;
	const unsigned char *leaf;
	uint32_t cells, next;
	uint32_t root;
	bool begun;
	unsigned char *page; /* of an overflow chain */
	struct buf record;
};

void
raw_tree_malformed(const struct raw_tree *t)
{
	die("%s: database disk image is malformed (%s)", db_path(), t->table);
}

static uint32_t
be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t
be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

const unsigned char *
raw_varint(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
	uint64_t x = 0;
	int i;

	for (i = 0; i < 8 && p + i < end; i++) {
		x = x << 7 | (p[i] & 0x7f);
		if (p[i] < 0x80) {
			*v = x;
			return p + i + 1;
		}
	}
	if (p + i >= end)
		return NULL;
	*v = x << 8 | p[i];
	return p + i + 1;
}

static void
read_pages(struct raw_tree *t, unsigned char *to, uint32_t no, uint32_t n)
{
	int rc;

	if (no < 1 || no > t->npages)
		raw_tree_malformed(t);
	rc = t->file->pMethods->xRead(t->file, to, (int)(n * t->page_size),
	    (sqlite3_int64)(no - 1) * t->page_size);
	if (rc != SQLITE_OK)
		die("%s: %s", db_path(), sqlite3_errstr(rc));
}

/* A page that stays valid until the next call. */
static const unsigned char *
get_page(struct raw_tree *t, uint32_t no)
{
	uint32_t n = 1;

	if (no - t->chunk_first < t->chunk_pages && t->chunk_pages > 0) {
		t->last = no;
		return t->chunk + (size_t)(no - t->chunk_first) * t->page_size;
	}
	if (no == t->last + 1 && t->page_size < CHUNK)
		n = CHUNK / t->page_size;
	if (no >= 1 && no <= t->npages && n > t->npages - no + 1)
		n = t->npages - no + 1;
	read_pages(t, t->chunk, no, n);
	t->chunk_first = t->last = no;
	t->chunk_pages = n;
	return t->chunk;
}

static bool
read_header(struct raw_tree *t)
{
	unsigned char h[100];
	sqlite3_int64 size;

	if (t->file->pMethods->xFileSize(t->file, &size) != SQLITE_OK ||
	    t->file->pMethods->xRead(t->file, h, sizeof(h), 0) != SQLITE_OK)
		return false;
	t->page_size = be16(h + 16) == 1 ? 65536 : be16(h + 16);
	if (t->page_size < 512 || (t->page_size & (t->page_size - 1)) != 0 ||
	    t->page_size - h[20] < 480)
		return false;
	t->usable = t->page_size - h[20];
	if (size / t->page_size > UINT32_MAX - 1)
		return false;
	t->npages = (uint32_t)(size / t->page_size);
	return be32(h + 56) <= 1; /* UTF-8 */
}

struct raw_tree *
raw_tree_open(sqlite3 *db, const char *table, uint32_t root)
{
	struct raw_tree *t;
	const char *name = sqlite3_db_filename(db, "main");
	unsigned char type;

	if (name == NULL || !sqlite3_uri_boolean(name, "immutable", 0))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->table = table;
	t->root = root;
	if (sqlite3_file_control(
		db, "main", SQLITE_FCNTL_FILE_POINTER, &t->file) != SQLITE_OK ||
	    t->file == NULL || t->file->pMethods == NULL || !read_header(t) ||
	    root < 2 || root > t->npages) {
		free(t);
		return NULL;
	}
	t->chunk = xmalloc(t->page_size > CHUNK ? t->page_size : CHUNK);
	type = get_page(t, root)[0];
	if (type != TREE_INNER && type != TREE_LEAF) {
		raw_tree_close(t); /* WITHOUT ROWID, or damage: not for us */
		return NULL;
	}
	return t;
}

static void
push(struct raw_tree *t, const unsigned char *page)
{
	struct level *l;

	if (t->depth == MAX_DEPTH)
		raw_tree_malformed(t);
	l = &t->level[t->depth++];
	if (l->page == NULL)
		l->page = xmalloc(t->page_size);
	memcpy(l->page, page, t->page_size);
	l->cells = be16(page + 3);
	l->next = 0;
	if (12 + 2 * l->cells > t->usable)
		raw_tree_malformed(t);
}

/* The next child of the innermost level, 0 if it has no more. */
static uint32_t
child(struct raw_tree *t)
{
	struct level *l = &t->level[t->depth - 1];
	uint32_t at = 8, i = l->next++, no;

	if (i > l->cells)
		return 0;
	if (i < l->cells)
		at = be16(l->page + 12 + 2 * i);
	if (at + 4 > t->usable)
		raw_tree_malformed(t);
	no = be32(l->page + at);
	if (no == 0)
		raw_tree_malformed(t);
	return no;
}

/* Goes down to the leaf at or below this page. */
static void
descend(struct raw_tree *t, uint32_t no)
{
	const unsigned char *page;

	for (;;) {
		if (++t->seen > t->npages)
			raw_tree_malformed(t);
		page = get_page(t, no);
		if (page[0] == TREE_LEAF)
			break;
		if (page[0] != TREE_INNER)
			raw_tree_malformed(t);
		push(t, page);
		no = child(t);
	}
	t->leaf = page;
	t->cells = be16(page + 3);
	t->next = 0;
	if (8 + 2 * t->cells > t->usable)
		raw_tree_malformed(t);
}

static bool
next_leaf(struct raw_tree *t)
{
	uint32_t no;

	if (!t->begun) {
		t->begun = true;
		descend(t, t->root);
		return true;
	}
	while (t->depth > 0) {
		no = child(t);
		if (no != 0) {
			descend(t, no);
			return true;
		}
		t->depth--;
	}
	return false;
}

/* How much of a record of this size is in the leaf. */
static size_t
local_size(const struct raw_tree *t, size_t size)
{
	size_t u = t->usable, min = (u - 12) * 32 / 255 - 23, k;

	if (size <= u - 35)
		return size;
	k = min + (size - min) % (u - 4);
	return k <= u - 35 ? k : min;
}

bool
raw_tree_next(struct raw_tree *t, struct raw_cell *c)
{
	const unsigned char *p, *end;
	uint64_t size, rowid;
	uint32_t at;

	while (t->next >= t->cells || t->leaf == NULL)
		if (!next_leaf(t))
			return false;
	end = t->leaf + t->usable;
	at = be16(t->leaf + 8 + 2 * t->next++);
	if (at >= t->usable ||
	    (p = raw_varint(t->leaf + at, end, &size)) == NULL ||
	    (p = raw_varint(p, end, &rowid)) == NULL || size > MAX_RECORD)
		raw_tree_malformed(t);
	c->rowid = (int64_t)rowid;
	c->p = p;
	c->size = (size_t)size;
	c->local = local_size(t, c->size);
	c->overflow = 0;
	if ((size_t)(end - p) < c->local + (c->local < c->size ? 4 : 0))
		raw_tree_malformed(t);
	if (c->local < c->size)
		c->overflow = be32(p + c->local);
	return true;
}

const unsigned char *
raw_tree_whole(struct raw_tree *t, const struct raw_cell *c)
{
	uint32_t no = c->overflow;
	size_t n, left = c->size - c->local;

	if (left == 0)
		return c->p;
	if (t->page == NULL)
		t->page = xmalloc(t->page_size);
	buf_clear(&t->record);
	buf_put(&t->record, (const char *)c->p, c->local);
	for (; left > 0; left -= n) {
		if (no == 0)
			raw_tree_malformed(t);
		read_pages(t, t->page, no, 1);
		n = left < t->usable - 4 ? left : t->usable - 4;
		buf_put(&t->record, (const char *)t->page + 4, n);
		no = be32(t->page);
	}
	return (const unsigned char *)t->record.s;
}

void
raw_tree_close(struct raw_tree *t)
{
	int i;

	if (t == NULL)
		return;
	for (i = 0; i < MAX_DEPTH; i++)
		free(t->level[i].page);
	free(t->chunk);
	free(t->page);
	buf_free(&t->record);
	free(t);
}
