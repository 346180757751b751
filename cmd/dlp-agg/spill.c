/*
 * Sorted runs in nameless temporary files, merged at the end; see spill.h.
 * Runs are in the order of arrival, so the first of equals comes from the
 * first of the runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "spill.h"
#include "temp.h"

struct head { /* of a record in a file: keys, their texts, line */
	int legend;
	bool same; /* keys as those of the record before, left out */
	size_t len;
};

struct run {
	FILE *f;
	bool done;
	struct head head; /* of the record that is next */
	struct sort_val *val;
	struct buf text; /* of the keys */
	struct buf line;
};

static void
put(FILE *f, const void *p, size_t n)
{
	if (n > 0 && fwrite(p, 1, n, f) != n)
		die_errno("temporary file (see TMPDIR)");
}

static void
put_keys(FILE *f, const struct sort_val *v, int n)
{
	int k;

	put(f, v, (size_t)n * sizeof(*v));
	for (k = 0; k < n; k++)
		if (v[k].kind == SORT_TEXT)
			put(f, v[k].s, v[k].n);
}

/* last: the keys of the record before, or NULL. */
static const struct sort_val *
put_record(
    const struct lines *l, FILE *f, size_t i, const struct sort_val *last)
{
	const struct line *x = &l->line[i];
	const struct sort_val *v = l->val + x->key * (size_t)l->sort->n;
	struct head h;

	memset(&h, 0, sizeof(h));
	h.legend = x->legend;
	h.len = x->len;
	h.same = last != NULL && (last == v || sort_cmp(l->sort, last, v) == 0);
	put(f, &h, sizeof(h));
	if (!h.same)
		put_keys(f, v, l->sort->n);
	put(f, l->text.s + x->at, x->len);
	return v;
}

void
spill_run(struct lines *l, const size_t *idx)
{
	const struct sort_val *last = NULL;
	struct run *r;
	size_t i;

	if (l->n == 0)
		return;
	l->run = xrealloc(l->run, l->nruns + 1, sizeof(*l->run));
	r = &l->run[l->nruns++];
	memset(r, 0, sizeof(*r));
	r->f = fdopen(temp_fd(), "w+");
	if (r->f == NULL)
		die_errno("temporary file");
	for (i = 0; i < l->n; i++)
		last = put_record(l, r->f, idx[i], last);
	if (fflush(r->f) != 0 || fseek(r->f, 0, SEEK_SET) != 0)
		die_errno("temporary file (see TMPDIR)");
}

static bool
get(FILE *f, void *p, size_t n)
{
	if (fread(p, 1, n, f) == n)
		return true;
	if (ferror(f))
		die_errno("temporary file");
	return false;
}

static void
get_text(FILE *f, struct buf *b, size_t n)
{
	buf_clear(b);
	buf_reserve(b, n + 1);
	if (!get(f, b->s, n))
		die("temporary file: cut off");
	b->len = n;
}

static void
get_keys(struct run *r, int nkeys)
{
	size_t n = 0;
	const char *s;
	int k;

	get(r->f, r->val, (size_t)nkeys * sizeof(*r->val));
	for (k = 0; k < nkeys; k++)
		if (r->val[k].kind == SORT_TEXT)
			n += r->val[k].n;
	get_text(r->f, &r->text, n);
	s = r->text.s;
	for (k = 0; k < nkeys; k++)
		if (r->val[k].kind == SORT_TEXT) {
			r->val[k].s = s;
			s += r->val[k].n;
		}
}

/* Reads the run's next record. */
static void
next(struct run *r, int nkeys)
{
	r->done = !get(r->f, &r->head, sizeof(r->head));
	if (r->done)
		return;
	if (!r->head.same)
		get_keys(r, nkeys);
	get_text(r->f, &r->line, r->head.len);
}

static struct run *
least(const struct lines *l)
{
	struct run *best = NULL;
	size_t i;

	for (i = 0; i < l->nruns; i++) {
		struct run *r = &l->run[i];

		if (!r->done &&
		    (best == NULL || sort_cmp(l->sort, r->val, best->val) < 0))
			best = r;
	}
	return best;
}

void
spill_merge(struct lines *l,
    void (*fn)(void *ctx, int legend, const char *s, size_t len), void *ctx)
{
	int nkeys = l->sort->n;
	struct run *r;
	size_t i;

	for (i = 0; i < l->nruns; i++) {
		r = &l->run[i];
		r->val = xcalloc((size_t)nkeys, sizeof(*r->val));
		next(r, nkeys);
	}
	while ((r = least(l)) != NULL)
		do { /* what has the same keys is no greater */
			fn(ctx, r->head.legend, r->line.s, r->line.len);
			next(r, nkeys);
		} while (!r->done && r->head.same);
	for (i = 0; i < l->nruns; i++) {
		fclose(l->run[i].f);
		free(l->run[i].val);
		buf_free(&l->run[i].text);
		buf_free(&l->run[i].line);
	}
	l->nruns = 0;
}
