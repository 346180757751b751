/* Pages into the database file; see pages.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "pages_impl.h"

/* Where locks are: no page with data. */
#define LOCK_PAGE (0x40000000 / PAGE_SIZE + 1)
/* Bytes of the file's head. */
enum { AT_SIZE = 16, AT_CHANGE = 24, AT_PAGES = 28, AT_VALID = 92, HEAD = 100 };

void
page_write(int fd, const char *name, const unsigned char *s, size_t n, off_t at)
{
	ssize_t k;

	while (n > 0) {
		k = at < 0 ? write(fd, s, n) : pwrite(fd, s, n, at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			die_errno("%s", name);
		s += k;
		n -= (size_t)k;
		at += at < 0 ? 0 : k;
	}
}

static void
read_at(int fd, const char *name, unsigned char *s, size_t n, off_t at)
{
	ssize_t k;

	while (n > 0) {
		k = pread(fd, s, n, at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			die_errno("%s", name);
		if (k == 0)
			die("%s: ended early", name);
		s += k;
		n -= (size_t)k;
		at += k;
	}
}

static uint32_t
get32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

uint32_t
page_number(uint32_t base, uint32_t n)
{
	uint32_t no = base + n;

	return base <= LOCK_PAGE && no >= LOCK_PAGE ? no + 1 : no;
}

void
pages_begin(struct pages *p, const char *path)
{
	unsigned char head[HEAD];

	p->path = path;
	p->db = open(path, O_RDWR | O_CLOEXEC);
	if (p->db < 0)
		die_errno("%s", path);
	read_at(p->db, path, head, sizeof(head), 0);
	if (head[AT_SIZE] << 8 != PAGE_SIZE || head[AT_SIZE + 1] != 0)
		die("%s: pages of another size than %d", path, PAGE_SIZE);
	p->base = get32(head + AT_PAGES) + 1;
}

/* An inner page over v[0..n): a cell for each but the last. */
static void
inner(const struct pages *p, const struct tree *t, unsigned char *page,
    const struct node *v, size_t n)
{
	unsigned top = PAGE_SIZE;
	size_t i;

	memset(page, 0, PAGE_SIZE);
	for (i = 0; i + 1 < n; i++) {
		top -= 4 + v[i].len;
		page_put32(page + top, page_number(p->base, v[i].at));
		memcpy(page + top + 4, t->keys.s + v[i].key, v[i].len);
		page_put16(page + 12 + 2 * i, top);
	}
	page_head(
	    page, t->index ? INNER_INDEX : INNER_TABLE, (unsigned)(n - 1), top);
	page_put32(page + 8, page_number(p->base, v[n - 1].at));
}

/* The pages over n nodes, evenly filled, take their place; how many. The key
 * of the last one under each parts it from the next. */
static size_t
level(struct pages *p, struct tree *t, size_t n, size_t fan)
{
	size_t m = (n + fan - 1) / fan, i, lo, hi;
	unsigned char page[PAGE_SIZE];
	struct node *v = t->node;

	for (i = 0; i < m; i++) {
		lo = n * i / m;
		hi = n * (i + 1) / m;
		inner(p, t, page, v + lo, hi - lo);
		v[i] = v[hi - 1];
		v[i].at = page_add(p, page);
	}
	return m;
}

void
pages_tree(struct pages *p, struct tree *t, uint32_t root)
{
	/* pages that an inner page can point to */
	size_t fan = (PAGE_SIZE - 12) / (2 + 4 + t->longest) + 1, n;

	if (t->n == 0) {
		page_head(t->page, t->index ? LEAF_INDEX : LEAF_TABLE,
		    t->n_cells, t->top);
	} else {
		tree_leaf(p, t, true);
		for (n = t->n; n > fan;)
			n = level(p, t, n, fan);
		inner(p, t, t->page, t->node, n);
	}
	page_write(
	    p->db, p->path, t->page, PAGE_SIZE, (off_t)(root - 1) * PAGE_SIZE);
	tree_free(t);
}

/* Many at once, but for those that the page with the lock byte parts. */
static void
copy(struct pages *p)
{
	uint32_t at, no, n;

	for (at = 0; at < p->n; at += n) {
		no = page_number(p->base, at);
		n = p->n - at < PAGES_AT_ONCE ? p->n - at : PAGES_AT_ONCE;
		while (page_number(p->base, at + n - 1) != no + n - 1)
			n--;
		read_at(p->fd, "temporary file", p->buf, (size_t)n * PAGE_SIZE,
		    (off_t)at * PAGE_SIZE);
		page_write(p->db, p->path, p->buf, (size_t)n * PAGE_SIZE,
		    (off_t)(no - 1) * PAGE_SIZE);
	}
}

static void
tell_change(const struct pages *p)
{
	unsigned char head[HEAD];
	uint32_t change;

	read_at(p->db, p->path, head, sizeof(head), 0);
	change = get32(head + AT_CHANGE) + 1;
	page_put32(head + AT_CHANGE, change);
	page_put32(head + AT_VALID, change);
	if (p->n > 0)
		page_put32(head + AT_PAGES, page_number(p->base, p->n - 1));
	page_write(p->db, p->path, head, sizeof(head), 0);
}

void
pages_end(struct pages *p)
{
	if (p->n_buf > 0)
		pages_flush(p);
	copy(p);
	tell_change(p);
	if (close(p->db) != 0)
		die_errno("%s", p->path);
	pages_drop(p);
}

void
pages_drop(struct pages *p)
{
	if (p->any)
		close(p->fd);
	free(p->buf);
	memset(p, 0, sizeof(*p));
}
