/* Sorted runs in temporary files; see runs.h. */
#include <stdio.h>
#include <stdlib.h>

#include "err.h"
#include "runs.h"
#include "temp.h"

#define FAN 64          /* runs of a level that are merged into one */
#define FILE_BUF 65536  /* bytes */
#define SAME UINT32_MAX /* nkey: the key is that of the record before */

struct head {
	uint32_t nkey, nval;
};

struct run {
	FILE *f;
	int level; /* how often its records were merged */
	bool same; /* this key is that of the record before */
	struct buf key, val;
};

static void
fail(void)
{
	die_errno("temporary file (see TMPDIR)");
}

static void
put(FILE *f, const void *p, size_t n)
{
	if (n > 0 && fwrite(p, 1, n, f) != n)
		fail();
}

static bool
get(FILE *f, void *p, size_t n)
{
	if (n == 0 || fread(p, 1, n, f) == n)
		return true;
	if (ferror(f))
		fail();
	return false;
}

static void
get_buf(FILE *f, struct buf *b, size_t n)
{
	buf_clear(b);
	buf_reserve(b, n + 1);
	if (!get(f, b->s, n))
		die("temporary file: cut off");
	b->len = n;
}

static bool
read_record(struct run *u)
{
	struct head h;

	if (!get(u->f, &h, sizeof(h)))
		return false;
	u->same = h.nkey == SAME;
	if (!u->same)
		get_buf(u->f, &u->key, h.nkey);
	get_buf(u->f, &u->val, h.nval);
	return true;
}

void
runs_open(struct runs *r, runs_cmp *cmp, const void *ctx)
{
	memset(r, 0, sizeof(*r));
	r->cmp = cmp;
	r->ctx = ctx;
}

/* A new run, until the next one begins. */
static struct run *
begin(struct runs *r)
{
	struct run *u;

	r->run = xrealloc(r->run, r->n + 1, sizeof(*r->run));
	u = &r->run[r->n++];
	memset(u, 0, sizeof(*u));
	u->f = fdopen(temp_fd(), "w+");
	if (u->f == NULL)
		die_errno("temporary file");
	setvbuf(u->f, NULL, _IOFBF, FILE_BUF);
	r->any = false;
	return u;
}

void
runs_begin(struct runs *r)
{
	begin(r);
}

void
runs_put(
    struct runs *r, const void *key, size_t nkey, const void *val, size_t nval)
{
	FILE *f = r->run[r->n - 1].f;
	struct head h = { (uint32_t)nkey, (uint32_t)nval };

	if (nkey >= SAME || nval > UINT32_MAX)
		die("a record of 4 GB");
	if (r->any && r->last.len == nkey &&
	    (nkey == 0 || memcmp(r->last.s, key, nkey) == 0))
		h.nkey = SAME;
	put(f, &h, sizeof(h));
	if (h.nkey != SAME) {
		put(f, key, nkey);
		buf_clear(&r->last);
		buf_put(&r->last, key, nkey);
	}
	put(f, val, nval);
	r->any = true;
}

static void
finish(struct run *u)
{
	if (fflush(u->f) != 0)
		fail();
}

/* Of equal keys the earlier run comes first. */
static bool
before(const struct runs *r, size_t a, size_t b)
{
	const struct run *x = &r->run[a], *y = &r->run[b];
	int c = r->cmp(r->ctx, x->key.s, x->key.len, y->key.s, y->key.len);

	return c != 0 ? c < 0 : a < b;
}

static void
sift(struct runs *r, size_t i)
{
	size_t *h = r->heap, c, t;

	while ((c = 2 * i + 1) < r->nheap) {
		if (c + 1 < r->nheap && before(r, h[c + 1], h[c]))
			c++;
		if (!before(r, h[c], h[i]))
			return;
		t = h[c];
		h[c] = h[i];
		h[i] = t;
		i = c;
	}
}

/* The merge of the runs [from, to). */
static void
merge_begin(struct runs *r, size_t from, size_t to)
{
	size_t i;

	r->heap = xrealloc(r->heap, r->n + 1, sizeof(*r->heap));
	r->nheap = 0;
	for (i = from; i < to; i++) {
		if (fseek(r->run[i].f, 0, SEEK_SET) != 0)
			fail();
		if (read_record(&r->run[i]))
			r->heap[r->nheap++] = i;
	}
	for (i = r->nheap / 2; i-- > 0;)
		sift(r, i);
	r->moved = false;
}

/* The record that is next; NULL at the end. What has the same key as the one
 * before it in its run is no greater. */
static struct run *
merge_next(struct runs *r)
{
	struct run *u;

	if (r->nheap > 0 && r->moved) {
		u = &r->run[r->heap[0]];
		if (!read_record(u)) {
			r->heap[0] = r->heap[--r->nheap];
			sift(r, 0);
		} else if (!u->same) {
			sift(r, 0);
		}
	}
	r->moved = true;
	return r->nheap > 0 ? &r->run[r->heap[0]] : NULL;
}

static void
run_free(struct run *u)
{
	fclose(u->f);
	buf_free(&u->key);
	buf_free(&u->val);
}

/* The runs from there on become one of the next level; v: all runs. */
static void
collapse(struct runs *r, size_t from)
{
	size_t to = r->n, i;
	int level = r->run[from].level;
	struct run *u, *one = begin(r), *v = one - to;

	merge_begin(r, from, to);
	while ((u = merge_next(r)) != NULL)
		runs_put(r, u->key.s, u->key.len, u->val.s, u->val.len);
	finish(one);
	for (i = from; i < to; i++)
		run_free(&v[i]);
	v[from] = *one;
	v[from].level = level + 1;
	r->n = from + 1;
}

void
runs_end(struct runs *r)
{
	size_t from;

	finish(&r->run[r->n - 1]);
	do {
		from = r->n;
		while (from > 0 &&
		       r->run[from - 1].level == r->run[r->n - 1].level)
			from--;
		if (r->n - from >= FAN)
			collapse(r, from);
	} while (r->n - from >= FAN);
}

bool
runs_next(struct runs *r, struct runs_rec *rec)
{
	const struct run *u;

	if (!r->merging)
		merge_begin(r, 0, r->n);
	r->merging = true;
	u = merge_next(r);
	if (u == NULL)
		return false;
	*rec = (struct runs_rec){ u->key.s, u->val.s, u->key.len, u->val.len };
	return true;
}

void
runs_again(struct runs *r)
{
	r->merging = false;
}

void
runs_close(struct runs *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		run_free(&r->run[i]);
	free(r->run);
	free(r->heap);
	buf_free(&r->last);
	runs_open(r, r->cmp, r->ctx);
}

int
runs_bytes(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	size_t n = an < bn ? an : bn;
	int c = n > 0 ? memcmp(a, b, n) : 0;

	(void)ctx;
	return c != 0 ? c : (an > bn) - (an < bn);
}
