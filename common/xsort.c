/* Sorting in bounded memory, by runs in temporary files; see xsort.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "out.h"
#include "spill.h"
#include "textsort.h"
#include "xsort.h"

#define FAN 64          /* number of runs of a level that are merged into one */
#define PIECE 65536     /* bytes per write or read */
#define SAME UINT32_MAX /* nkey: the key equals that of the record before */

/* A record in a file: this, the key unless nkey is SAME, the value. */
struct run_head {
	uint32_t nkey, nval;
};

struct sorted_run {
	int fd;
	int level;    /* how often its records were merged */
	off_t at;     /* place in the file of the next read */
	struct buf b; /* bytes that were read; those from pos on are not used
		       * yet */
	size_t pos;
	bool same;        /* this key equals that of the record before */
	struct buf key;   /* of this record, */
	uint64_t chunk;   /* its first bytes, if keys are compared as bytes, */
	size_t val, nval; /* and the value's place in b */
};

static void
fail(void)
{
	die_errno("temporary file (see TMPDIR)");
}

/* Writes pending bytes to the file of the last run. */
static void
write_run(struct xsort *x)
{
	if (x->run == NULL)
		return;
	if (!write_all(x->run[x->nruns - 1].fd, x->out.s, x->out.len))
		fail();
	buf_clear(&x->out);
}

/* Reads until want bytes are there; false if the file ends before. */
static bool
fill(struct sorted_run *u, size_t want)
{
	size_t left = u->b.len - u->pos, room = want > PIECE ? want : PIECE;
	ssize_t n;

	if (left > 0)
		memmove(u->b.s, u->b.s + u->pos, left);
	u->b.len = left;
	u->pos = 0;
	if (u->b.cap < room)
		buf_reserve(&u->b, room - left);
	while (u->b.len < want) {
		n = pread(u->fd, u->b.s + u->b.len, room - u->b.len, u->at);
		if (n < 0 && errno != EINTR)
			fail();
		if (n == 0)
			return false;
		u->at += n > 0 ? n : 0;
		u->b.len += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* True if n bytes are there from pos on. */
static inline bool
peek(struct sorted_run *u, size_t n)
{
	return u->b.len - u->pos >= n || fill(u, n);
}

static bool
read_record(struct sorted_run *u, bool bytes)
{
	struct run_head h;
	size_t nkey;

	if (!peek(u, sizeof(h))) {
		if (u->b.len > u->pos)
			die("temporary file: cut off");
		return false;
	}
	memcpy(&h, u->b.s + u->pos, sizeof(h));
	u->same = h.nkey == SAME;
	nkey = u->same ? 0 : h.nkey;
	if (!peek(u, sizeof(h) + nkey + h.nval))
		die("temporary file: cut off");
	u->pos += sizeof(h);
	if (!u->same) {
		buf_clear(&u->key);
		buf_reserve(&u->key, 1);
		buf_put(&u->key, u->b.s + u->pos, nkey);
		u->chunk = bytes ? text_chunk(u->key.s, nkey) : 0;
	}
	u->val = u->pos + nkey;
	u->nval = h.nval;
	u->pos = u->val + h.nval;
	return true;
}

/* A new run, valid until the next one begins. */
static struct sorted_run *
new_run(struct xsort *x)
{
	struct sorted_run *u;

	x->run = xrealloc(x->run, x->nruns + 1, sizeof(*x->run));
	u = &x->run[x->nruns++];
	memset(u, 0, sizeof(*u));
	u->fd = temp_fd();
	x->any = false;
	return u;
}

static void
put_run(
    struct xsort *x, const void *key, size_t nkey, const void *val, size_t nval)
{
	struct run_head h = { (uint32_t)nkey, (uint32_t)nval };

	if (nkey >= SAME || nval > UINT32_MAX)
		die("a record of 4 GB");
	if (x->any && x->last.len == nkey &&
	    (nkey == 0 || memcmp(x->last.s, key, nkey) == 0))
		h.nkey = SAME;
	buf_put(&x->out, (const char *)&h, sizeof(h));
	if (h.nkey != SAME) {
		buf_put(&x->out, key, nkey);
		buf_clear(&x->last);
		buf_put(&x->last, key, nkey);
	}
	buf_put(&x->out, val, nval);
	if (x->out.len >= PIECE)
		write_run(x);
	x->any = true;
}

/* For equal keys the earlier run comes first. */
static bool
before(const struct xsort *x, size_t a, size_t b)
{
	const struct sorted_run *u = &x->run[a], *v = &x->run[b];
	int c;

	if (u->chunk != v->chunk)
		return u->chunk < v->chunk;
	c = x->cmp(x->ctx, u->key.s, u->key.len, v->key.s, v->key.len);
	return c != 0 ? c < 0 : a < b;
}

static void
sift(struct xsort *x, size_t i)
{
	size_t *h = x->heap, c, t;

	while ((c = 2 * i + 1) < x->nheap) {
		if (c + 1 < x->nheap && before(x, h[c + 1], h[c]))
			c++;
		if (!before(x, h[c], h[i]))
			return;
		t = h[c];
		h[c] = h[i];
		h[i] = t;
		i = c;
	}
}

/* The merge of the runs [from, to). */
static void
merge_begin(struct xsort *x, size_t from, size_t to)
{
	size_t i;

	x->heap = xrealloc(x->heap, x->nruns + 1, sizeof(*x->heap));
	x->nheap = 0;
	for (i = from; i < to; i++) {
		x->run[i].at = 0;
		x->run[i].pos = 0;
		buf_clear(&x->run[i].b);
		if (read_record(&x->run[i], x->cmp == runs_bytes))
			x->heap[x->nheap++] = i;
	}
	for (i = x->nheap / 2; i-- > 0;)
		sift(x, i);
	x->moved = false;
}

/* The next record; NULL at the end. A record with the same key as the one
 * before it in its run can be returned without a comparison. */
static struct sorted_run *
merge_next(struct xsort *x)
{
	struct sorted_run *u;

	if (x->nheap > 0 && x->moved) {
		u = &x->run[x->heap[0]];
		if (!read_record(u, x->cmp == runs_bytes)) {
			x->heap[0] = x->heap[--x->nheap];
			sift(x, 0);
		} else if (!u->same) {
			sift(x, 0);
		}
	}
	x->moved = true;
	return x->nheap > 0 ? &x->run[x->heap[0]] : NULL;
}

static void
run_free(struct sorted_run *u)
{
	close(u->fd);
	buf_free(&u->b);
	buf_free(&u->key);
}

/* Merges the runs from there on into one of the next level; v: all runs. */
static void
collapse(struct xsort *x, size_t from)
{
	size_t to = x->nruns, i;
	int level = x->run[from].level;
	struct sorted_run *u, *one = new_run(x), *v = one - to;

	merge_begin(x, from, to);
	while ((u = merge_next(x)) != NULL)
		put_run(x, u->key.s, u->key.len, u->b.s + u->val, u->nval);
	write_run(x);
	for (i = from; i < to; i++)
		run_free(&v[i]);
	v[from] = *one;
	v[from].level = level + 1;
	x->nruns = from + 1;
}

static void
end_run(struct xsort *x)
{
	size_t from;

	write_run(x);
	do {
		from = x->nruns;
		while (from > 0 &&
		       x->run[from - 1].level == x->run[x->nruns - 1].level)
			from--;
		if (x->nruns - from >= FAN)
			collapse(x, from);
	} while (x->nruns - from >= FAN);
}

int
runs_bytes(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	(void)ctx;
	return text_cmp(a, an, b, bn);
}

/* Records in memory, until they are too many. */

#define FEW 12   /* with fewer entries insertion is faster */
#define MANY 256 /* with more entries another array pays */

struct xsort_ent {
	size_t at; /* place of the key, which the value follows */
	uint32_t nkey, nval;
};

static bool
by_bytes(const struct xsort *x)
{
	return x->cmp == runs_bytes;
}

void
xsort_open(struct xsort *x, runs_cmp *cmp, const void *ctx, size_t bound)
{
	*x = (struct xsort){ .cmp = cmp, .ctx = ctx, .bound = bound };
}

static const char *
key_of(const struct xsort *x, const struct xsort_ent *e)
{
	return x->text.s + e->at;
}

static int
cmp_ent(
    const struct xsort *x, const struct xsort_ent *a, const struct xsort_ent *b)
{
	return x->cmp(x->ctx, key_of(x, a), a->nkey, key_of(x, b), b->nkey);
}

/* Merges two sorted halves, [0, k) and [k, n); tmp has room for the first. */
static void
merge(const struct xsort *x, struct xsort_ent *v, size_t k, size_t n,
    struct xsort_ent *tmp)
{
	size_t i = 0, j = k, to = 0;

	memcpy(tmp, v, k * sizeof(*v));
	while (i < k && j < n)
		if (cmp_ent(x, &v[j], &tmp[i]) < 0)
			v[to++] = v[j++];
		else
			v[to++] = tmp[i++];
	memcpy(v + to, tmp + i, (k - i) * sizeof(*v));
}

/* Stable, because equal items must stay in the order of arrival. */
static void
merge_sort(
    const struct xsort *x, struct xsort_ent *v, size_t n, struct xsort_ent *tmp)
{
	struct xsort_ent e;
	size_t i, k = n / 2;

	if (n > FEW) {
		merge_sort(x, v, k, tmp);
		merge_sort(x, v + k, n - k, tmp);
		if (cmp_ent(x, &v[k - 1], &v[k]) > 0)
			merge(x, v, k, n, tmp);
		return;
	}
	for (i = 1; i < n; i++) {
		e = v[i];
		for (k = i; k > 0 && cmp_ent(x, &v[k - 1], &e) > 0; k--)
			v[k] = v[k - 1];
		v[k] = e;
	}
}

/* Sorts by the keys' bytes: the sort for texts is several times as fast. */
static void
sort_bytes(struct xsort *x)
{
	struct xsort_ent *to = xcalloc(x->n, sizeof(*to));
	struct text_ref *ref = xcalloc(x->n, 2 * sizeof(*ref));
	size_t i;

	for (i = 0; i < x->n; i++)
		ref[i] = (struct text_ref){ .s = key_of(x, &x->ent[i]),
			.n = x->ent[i].nkey,
			.id = (uint32_t)i };
	textsort(ref, ref + x->n, x->n);
	for (i = 0; i < x->n; i++)
		to[i] = x->ent[ref[i].id];
	free(ref);
	free(x->ent);
	x->ent = to;
	x->cap = x->n;
}

static void
sort(struct xsort *x)
{
	struct xsort_ent *tmp;

	if (x->n > MANY && by_bytes(x)) {
		sort_bytes(x);
	} else if (x->n > 1) {
		tmp = xcalloc(x->n / 2 + 1, sizeof(*tmp));
		merge_sort(x, x->ent, x->n, tmp);
		free(tmp);
	}
	x->sorted = true;
}

static void
spill(struct xsort *x)
{
	size_t i;

	sort(x);
	new_run(x);
	for (i = 0; i < x->n; i++) {
		const struct xsort_ent *e = &x->ent[i];
		const char *s = x->text.s + e->at;

		put_run(x, s, e->nkey, s + e->nkey, e->nval);
	}
	end_run(x);
	x->n = 0;
	buf_clear(&x->text);
	x->sorted = false;
}

void
xsort_put(
    struct xsort *x, const void *key, size_t nkey, const void *val, size_t nval)
{
	ARRAY_GROW(x->ent, x->n, x->cap);
	if (nkey >= UINT32_MAX || nval >= UINT32_MAX)
		die("a record of 4 GB");
	x->ent[x->n++] =
	    (struct xsort_ent){ x->text.len, (uint32_t)nkey, (uint32_t)nval };
	buf_put(&x->text, key, nkey);
	buf_put(&x->text, val, nval);
	if (x->text.len + x->n * 2 * /* twice while it is sorted */
			      (sizeof(struct xsort_ent) +
				  (by_bytes(x) ? sizeof(struct text_ref) : 0)) >
		x->bound ||
	    x->n == UINT32_MAX)
		spill(x);
}

static void
drop(struct xsort *x)
{
	free(x->ent);
	buf_free(&x->text);
	x->ent = NULL;
	x->n = x->cap = 0;
}

bool
xsort_next(struct xsort *x, struct runs_rec *rec)
{
	const struct sorted_run *u;
	const struct xsort_ent *e;

	if (x->nruns > 0) {
		if (x->n > 0)
			spill(x);
		if (x->ent != NULL) /* everything is on disk */
			drop(x);
		if (!x->merging)
			merge_begin(x, 0, x->nruns);
		x->merging = true;
		u = merge_next(x);
		if (u != NULL)
			*rec = (struct runs_rec){ u->key.s, u->b.s + u->val,
				u->key.len, u->nval };
		return u != NULL;
	}
	if (!x->sorted)
		sort(x);
	if (x->pos == x->n)
		return false;
	e = &x->ent[x->pos++];
	rec->key = x->text.s + e->at;
	rec->val = rec->key + e->nkey;
	rec->nkey = e->nkey;
	rec->nval = e->nval;
	return true;
}

void
xsort_again(struct xsort *x)
{
	x->pos = 0;
	x->merging = false;
}

void
xsort_close(struct xsort *x)
{
	size_t i;

	for (i = 0; i < x->nruns; i++)
		run_free(&x->run[i]);
	free(x->run);
	free(x->heap);
	buf_free(&x->last);
	buf_free(&x->out);
	drop(x);
	xsort_open(x, x->cmp, x->ctx, x->bound);
}
