/* Pages with rows; see pages.h. pages_join.c puts them into a file. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "pages_impl.h"
#include "temp.h"

#define MAX_COLS 64

static unsigned char *
put_varint(unsigned char *p, uint64_t v)
{
	int n = 1, i;

	if (v >> 56 != 0) { /* nine bytes, all of the last one */
		p[8] = (unsigned char)v;
		v >>= 8;
		for (i = 7; i >= 0; i--, v >>= 7)
			p[i] = (unsigned char)(v & 0x7f) | 0x80;
		return p + 9;
	}
	while (v >> 7 * n != 0)
		n++;
	for (i = n - 1; i >= 0; i--, v >>= 7)
		p[i] = (unsigned char)(v & 0x7f) | (i < n - 1 ? 0x80 : 0);
	return p + n;
}

/* The type of a value in a record, and its bytes. */
static unsigned char *
put_value(unsigned char *p, unsigned char *type, int64_t v)
{
	static const unsigned char size[] = { 0, 1, 2, 3, 4, 6, 8 };
	uint64_t u = v < 0 ? ~(uint64_t)v : (uint64_t)v;
	int k, i;

	if (v == DB_NULL || v == 0 || v == 1) {
		*type = v == DB_NULL ? 0 : (unsigned char)(8 + v);
		return p;
	}
	k = u < 1u << 7      ? 1
	    : u < 1u << 15   ? 2
	    : u < 1u << 23   ? 3
	    : u < 1u << 31   ? 4
	    : u < 1ull << 47 ? 5
			     : 6;
	*type = (unsigned char)k;
	for (i = size[k] - 1, u = (uint64_t)v; i >= 0; i--, u >>= 8)
		p[i] = (unsigned char)u;
	return p + size[k];
}

void
page_put16(unsigned char *p, unsigned v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

void
page_put32(unsigned char *p, uint32_t v)
{
	page_put16(p, v >> 16);
	page_put16(p + 2, v & 0xffff);
}

/* The page's head, when all its cells are in it. */
void
page_head(unsigned char *page, int kind, unsigned n_cells, unsigned top)
{
	memset(page, 0, 8);
	page[0] = (unsigned char)kind;
	page_put16(page + 3, n_cells);
	page_put16(page + 5, top);
}

static void
begin_leaf(struct tree *t)
{
	memset(t->page, 0, sizeof(t->page));
	t->n_cells = 0;
	t->top = PAGE_SIZE;
}

void
pages_flush(struct pages *p)
{
	if (!p->any)
		p->fd = temp_fd();
	p->any = true;
	page_write(p->fd, "temporary file", p->buf, p->n_buf, -1);
	p->n_buf = 0;
}

uint32_t
page_add(struct pages *p, const unsigned char *page)
{
	if (p->buf == NULL)
		p->buf = xmalloc(PAGES_AT_ONCE * PAGE_SIZE);
	if (p->n_buf == PAGES_AT_ONCE * PAGE_SIZE)
		pages_flush(p);
	memcpy(p->buf + p->n_buf, page, PAGE_SIZE);
	p->n_buf += PAGE_SIZE;
	return p->n++;
}

/* What stands between a full leaf and the next: of a table, the id of its
 * last row; of an index, its last entry, which leaves it. */
static size_t
part(struct tree *t)
{
	unsigned char id[9];
	size_t n = t->last;

	if (!t->index) {
		n = (size_t)(put_varint(id, (uint64_t)t->id) - id);
		buf_put(&t->keys, (const char *)id, n);
	} else {
		buf_put(&t->keys, (const char *)t->page + t->top, n);
		memset(t->page + t->top, 0, n);
		t->top += (unsigned)n;
		page_put16(t->page + 8 + 2 * --t->n_cells, 0);
	}
	if (n > t->longest)
		t->longest = n;
	return n;
}

void
tree_leaf(struct pages *p, struct tree *t, bool last)
{
	struct node *v;

	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->node = xrealloc(t->node, t->cap, sizeof(*t->node));
	}
	v = &t->node[t->n++];
	v->key = t->keys.len;
	v->len = last ? 0 : (uint32_t)part(t);
	page_head(
	    t->page, t->index ? LEAF_INDEX : LEAF_TABLE, t->n_cells, t->top);
	v->at = page_add(p, t->page);
	begin_leaf(t);
}

/* The size of its head, a type per column, the values. A row's id is not
 * among them, but NULL. */
static size_t
record(unsigned char *rec, const int64_t *row, int n, bool index)
{
	unsigned char *e = rec + 1 + n;
	int i;

	rec[0] = (unsigned char)(1 + n);
	e = put_value(e, &rec[1], index ? row[0] : DB_NULL);
	for (i = 1; i < n; i++)
		e = put_value(e, &rec[1 + i], row[i]);
	return (size_t)(e - rec);
}

/* A cell is the size of its record, a row's id, and the record. */
void
tree_put(struct pages *p, struct tree *t, const int64_t *row, int n)
{
	unsigned char head[20], rec[1 + MAX_COLS + 8 * MAX_COLS], *e;
	size_t h, size;

	if (n > MAX_COLS)
		die("%d columns", n);
	size = record(rec, row, n, t->index);
	e = put_varint(head, size);
	if (!t->index)
		e = put_varint(e, (uint64_t)row[0]);
	h = (size_t)(e - head);
	if (t->top == 0)
		begin_leaf(t);
	if (8 + 2 * (t->n_cells + 1) + h + size > t->top)
		tree_leaf(p, t, false);
	t->last = h + size;
	t->top -= (unsigned)t->last;
	memcpy(t->page + t->top, head, h);
	memcpy(t->page + t->top + h, rec, size);
	page_put16(t->page + 8 + 2 * t->n_cells++, t->top);
	t->id = row[0];
}

bool
tree_empty(const struct tree *t)
{
	return t->n == 0 && t->n_cells == 0;
}

void
tree_free(struct tree *t)
{
	free(t->node);
	buf_free(&t->keys);
	memset(t, 0, sizeof(*t));
}
