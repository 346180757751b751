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
	size_t len;
};

struct run {
	FILE *f;
	bool done;
	struct head head; /* of the record that is next */
	struct sort_val *val;
	struct buf text; /* the keys' texts, the line */
};

static void
put(FILE *f, const void *p, size_t n)
{
	if (n > 0 && fwrite(p, 1, n, f) != n)
		die_errno("temporary file (see TMPDIR)");
}

static void
put_record(const struct lines *l, FILE *f, size_t i)
{
	int n = l->sort->n;
	const struct line *x = &l->line[i];
	const struct sort_val *v = l->val + i * (size_t)n;
	struct head h = { .legend = x->legend, .len = x->len };
	int k;

	put(f, &h, sizeof(h));
	put(f, v, (size_t)n * sizeof(*v));
	for (k = 0; k < n; k++)
		if (v[k].kind == SORT_TEXT)
			put(f, v[k].s, v[k].n);
	put(f, l->text.s + x->at, x->len);
}

void
spill_run(struct lines *l, const size_t *idx)
{
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
		put_record(l, r->f, idx[i]);
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

/* Reads the run's next record. */
static void
next(struct run *r, int nkeys)
{
	size_t n = 0;
	const char *s;
	int k;

	r->done = !get(r->f, &r->head, sizeof(r->head));
	if (r->done)
		return;
	get(r->f, r->val, (size_t)nkeys * sizeof(*r->val));
	for (k = 0; k < nkeys; k++)
		if (r->val[k].kind == SORT_TEXT)
			n += r->val[k].n;
	buf_clear(&r->text);
	buf_reserve(&r->text, n + r->head.len);
	get(r->f, r->text.s, n + r->head.len);
	r->text.len = n + r->head.len;
	s = r->text.s;
	for (k = 0; k < nkeys; k++)
		if (r->val[k].kind == SORT_TEXT) {
			r->val[k].s = s;
			s += r->val[k].n;
		}
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
	while ((r = least(l)) != NULL) {
		fn(ctx, r->head.legend, r->text.s + r->text.len - r->head.len,
		    r->head.len);
		next(r, nkeys);
	}
	for (i = 0; i < l->nruns; i++) {
		fclose(l->run[i].f);
		free(l->run[i].val);
		buf_free(&l->run[i].text);
	}
	l->nruns = 0;
}
