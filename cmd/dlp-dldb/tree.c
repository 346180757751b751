/* B-trees of sorted rows; see tree.h. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "err.h"

/* The head of a page: type, 2 bytes free, cells, begin of cells, 1 byte; in
 * inner pages the page right of the last cell. */
#define HEAD_LEAF 8
#define HEAD_INNER 12
#define AT_CELLS 3
#define AT_TOP 5
#define AT_RIGHT 8
#define CHILD 4 /* an inner cell begins with the page left of it */

/* A row: its length, id, the types and the columns. */
#define MAX_CELL (CHILD + 9 + 9 + 1 + TREE_COLS * 9)

void
tree_open(struct tree *t, struct pages *p, uint32_t root, bool index)
{
	memset(t, 0, sizeof(*t));
	t->pages = p;
	t->root = root;
	t->index = index;
}

static void
empty(const struct tree *t, struct tree_level *v)
{
	v->n = 0;
	v->top = t->pages->size;
	v->last = 0;
}

static struct tree_level *
level(struct tree *t, int i)
{
	if (i == TREE_LEVELS)
		die("%s: a tree too high", t->pages->path);
	if (i == t->n_levels) {
		t->level[i].page = xcalloc(1, t->pages->size);
		empty(t, &t->level[i]);
		t->n_levels++;
	}
	return &t->level[i];
}

static unsigned
head_size(int i)
{
	return i == 0 ? HEAD_LEAF : HEAD_INNER;
}

static bool
fits(const struct tree_level *v, int i, size_t n)
{
	return head_size(i) + 2 * (v->n + 1) + n <= v->top;
}

static void
put_cell(struct tree_level *v, int i, const unsigned char *s, size_t n)
{
	v->top -= (unsigned)n;
	v->last = (unsigned)n;
	memcpy(v->page + v->top, s, n);
	put_be(v->page + head_size(i) + 2 * v->n, v->top, 2);
	v->n++;
}

/* The page's head. right: the page behind its last cell, if it is an inner
 * one. */
static void
head(const struct tree *t, int i, uint32_t right)
{
	static const unsigned char type[2][2] = { { 5, 13 }, { 2, 10 } };
	const struct tree_level *v = &t->level[i];

	v->page[0] = type[t->index][i == 0];
	put_be(v->page + AT_CELLS, v->n, 2);
	put_be(v->page + AT_TOP, v->top, 2); /* 65536 is 0 */
	if (i > 0)
		put_be(v->page + AT_RIGHT, right, 4);
}

static uint32_t
write_page(struct tree *t, int i, uint32_t right)
{
	uint32_t no;

	head(t, i, right);
	no = pages_add(t->pages, t->level[i].page);
	empty(t, &t->level[i]);
	return no;
}

/* The last cell of a page leaves it. */
static size_t
take(struct tree_level *v, unsigned char *s)
{
	size_t n = v->last;

	memcpy(s, v->page + v->top, n);
	v->top += (unsigned)n;
	v->n--;
	return n;
}

/* To level i: what stands between a page and the next one. Where there is no
 * room the last cell goes up, and the page left of it becomes the right one. */
static void
push(struct tree *t, int i, uint32_t child, const unsigned char *key, size_t n)
{
	struct tree_level *v = level(t, i);
	unsigned char cell[MAX_CELL], up[MAX_CELL];
	uint32_t page;
	size_t n_up;

	if (!fits(v, i, CHILD + n)) {
		n_up = take(v, up);
		page = write_page(t, i, (uint32_t)get_be(up, CHILD));
		push(t, i + 1, page, up + CHILD, n_up - CHILD);
	}
	put_be(cell, child, CHILD);
	memcpy(cell + CHILD, key, n);
	put_cell(v, i, cell, CHILD + n);
}

/* SQLite's varint: 7 bits a byte, the highest first, at most 9 bytes. */
static unsigned char *
put_varint(unsigned char *s, uint64_t v)
{
	unsigned char b[10];
	int n = 0;

	if (v < 0x80) {
		*s = (unsigned char)v;
		return s + 1;
	}
	if (v >> 56 != 0) {
		s[8] = (unsigned char)v;
		for (v >>= 8, n = 7; n >= 0; n--, v >>= 7)
			s[n] = (unsigned char)(v | 0x80);
		return s + 9;
	}
	for (; v != 0; v >>= 7)
		b[n++] = (unsigned char)(v | 0x80);
	b[0] &= 0x7f;
	while (n > 0)
		*s++ = b[--n];
	return s;
}

/* A column's type, and its bytes at *s. */
static unsigned char
put_int(unsigned char **s, int64_t v)
{
	static const unsigned char bytes[] = { 0, 1, 2, 3, 4, 6, 8 };
	uint64_t u = (uint64_t)(v < 0 ? ~v : v);
	unsigned char type;

	if (v == DB_NULL)
		return 0;
	if (u <= 1 && v >= 0)
		return (unsigned char)(8 + u);
	type = u < 1u << 7             ? 1
	       : u < 1u << 15          ? 2
	       : u < 1u << 23          ? 3
	       : u < UINT64_C(1) << 31 ? 4
	       : u < UINT64_C(1) << 47 ? 5
				       : 6;
	put_be(*s, (uint64_t)v, bytes[type]);
	*s += bytes[type];
	return type;
}

/* Types, then columns; a table's id stands elsewhere. */
static size_t
put_record(unsigned char *s, const int64_t *row, int n, bool index)
{
	unsigned char *p = s + 1 + n;
	int i;

	s[0] = (unsigned char)(1 + n);
	for (i = 0; i < n; i++)
		s[1 + i] = i == 0 && !index ? 0 : put_int(&p, row[i]);
	return (size_t)(p - s);
}

static size_t
put_row(const struct tree *t, unsigned char *s, const int64_t *row, int n)
{
	unsigned char record[1 + TREE_COLS * 9], *p;
	size_t len = put_record(record, row, n, t->index);

	p = put_varint(s, len);
	if (!t->index)
		p = put_varint(p, (uint64_t)row[0]);
	memcpy(p, record, len);
	return (size_t)(p - s) + len;
}

/* A leaf is full. A table's next page begins behind this page's last id, the
 * last row of an index goes up. */
static void
leaf_done(struct tree *t)
{
	unsigned char key[MAX_CELL];
	uint32_t page;
	size_t n;

	if (t->index)
		n = take(&t->level[0], key);
	else
		n = (size_t)(put_varint(key, (uint64_t)t->id) - key);
	page = write_page(t, 0, 0);
	push(t, 1, page, key, n);
}

void
tree_add(struct tree *t, const int64_t *row, int n)
{
	unsigned char cell[MAX_CELL];
	size_t len;

	if (n > TREE_COLS)
		die("%s: a row too wide", t->pages->path);
	len = put_row(t, cell, row, n);
	if (!fits(level(t, 0), 0, len))
		leaf_done(t);
	put_cell(&t->level[0], 0, cell, len);
	t->id = row[0];
}

void
tree_end(struct tree *t)
{
	uint32_t right = 0;
	int i;

	for (i = 0; i < t->n_levels - 1; i++)
		right = write_page(t, i, right);
	if (t->n_levels > 0) {
		head(t, i, right);
		pages_set(t->pages, t->root, t->level[i].page);
	}
	for (i = 0; i < t->n_levels; i++)
		free(t->level[i].page);
	t->n_levels = 0;
}
