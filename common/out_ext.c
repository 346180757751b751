/* Passing records on with columns added or replaced; see out.h. */
#include "cols.h"
#include "drop.h"
#include "err.h"
#include "out.h"
#include "rec.h"

struct out_ext {
	const char *const *names;
	int n;
	int *at;        /* per column: its place in the input, or -1 */
	bool named;     /* named by the user: the registry does not have them */
	bool uncounted; /* no record has been written under this legend */
	bool simple;    /* no column is in the input: append */
	uint64_t skip;  /* if simple: as out_skip for a record */
	int *run;       /* if simple: the first and last of consecutive input
			 * columns that --drop leaves, in pairs */
	int n_run;      /* numbers in it; -1: the line stays whole for drop.h */
	size_t mark;    /* start of the new fields in out_buf */
	struct buf tmp;
	struct out_ext *next;
};

/* All of them live until the end, like the types of records. */
static struct out_ext *exts;

struct out_ext *
out_ext(const char *const *names, int n)
{
	struct out_ext *x = xcalloc(1, sizeof(*x));

	x->names = names;
	x->n = n;
	x->at = xcalloc((size_t)n, sizeof(*x->at));
	x->simple = true;
	x->n_run = -1;
	x->next = exts;
	exts = x;
	return x;
}

struct out_ext *
out_ext_named(const char *const *names, int n)
{
	struct out_ext *x = out_ext(names, n);

	x->named = true;
	return x;
}

/* Finds the columns of the input that --drop leaves. */
static void
find_runs(struct out_ext *x, const struct rec *r)
{
	const char *tag = rec_type_tag(r->type);
	int i, n = rec_ncols(r->type);

	x->n_run = -1;
	if (!x->simple || !drop_any() || drop_type(tag))
		return;
	x->run = xrealloc(x->run, 2 * (size_t)n + 2, sizeof(*x->run));
	x->n_run = 0;
	for (i = 0; i < n; i++) {
		if (drop_column(tag, rec_colname(r->type, i)))
			continue;
		if (x->n_run == 0 || x->run[x->n_run - 1] != i - 1) {
			x->run[x->n_run] = i;
			x->n_run += 2;
		}
		x->run[x->n_run - 1] = i;
	}
}

void
out_ext_legend(struct out_ext *x, const struct rec *r)
{
	size_t mark, n;
	int i, j;
	const char *tag = rec_type_tag(r->type);

	/* types of other programs' filters are in no registry either */
	if (!x->named && type_find(tag) != NULL)
		out_declared(tag, x->names, x->n);
	x->uncounted = true;
	x->simple = true;
	buf_put(&out_buf, r->line, r->len);
	mark = out_buf.len;
	for (i = 0; i < x->n; i++) {
		x->at[i] = -1;
		for (j = 0; j < rec_ncols(r->type) && x->at[i] < 0; j++)
			if (strcmp(rec_colname(r->type, j), x->names[i]) == 0)
				x->at[i] = j;
		if (x->at[i] >= 0) {
			x->simple = false;
			continue;
		}
		buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, x->names[i]);
	}
	buf_putc(&out_buf, '\n');
	if (x->simple) {
		n = out_buf.len - mark;
		x->skip =
		    drop_columns(rec_type_tag(r->type), out_buf.s + mark, &n);
		out_buf.len = mark + n;
	}
	find_runs(x, r);
	out_check();
}

void
out_ext_begin(struct out_ext *x, const struct rec *r)
{
	const char *s, *last;
	size_t n;
	int i;

	if (x->simple && x->n_run >= 0) {
		out_own();
		buf_puts(&out_buf, rec_type_tag(r->type));
		for (i = 0; i < x->n_run; i += 2) {
			s = rec_field(r, x->run[i], &n) - 1; /* with its TAB */
			last = rec_field(r, x->run[i + 1], &n);
			buf_put(&out_buf, s, (size_t)(last - s) + n);
		}
	} else if (x->simple)
		buf_put(&out_buf, r->line, r->len);
	out_skip = x->simple ? x->skip : 0;
	x->mark = out_buf.len;
}

/* The text of column k among the new fields, "\ta\tb...", which are in x->tmp.
 */
static const char *
new_field(const struct out_ext *x, int k, size_t *n)
{
	const char *s = x->tmp.s, *end = s + x->tmp.len, *tab;

	for (;; k--) {
		s++;
		tab = memchr(s, '\t', (size_t)(end - s));
		if (tab == NULL)
			tab = end;
		if (k == 0)
			break;
		s = tab;
	}
	*n = (size_t)(tab - s);
	return s;
}

static void
put_field(const char *s, size_t n)
{
	buf_putc(&out_buf, '\t');
	buf_put(&out_buf, s, n);
}

static void
rebuild(struct out_ext *x, const struct rec *r)
{
	const char *s;
	size_t n;
	int i, j;

	buf_clear(&x->tmp);
	buf_put(&x->tmp, out_buf.s + x->mark, out_buf.len - x->mark);
	out_buf.len = x->mark;
	buf_puts(&out_buf, rec_type_tag(r->type));
	for (j = 0; j < rec_ncols(r->type); j++) {
		s = rec_field(r, j, &n);
		for (i = 0; i < x->n; i++)
			if (x->at[i] == j)
				s = new_field(x, i, &n);
		put_field(s, n);
	}
	for (i = 0; i < x->n; i++)
		if (x->at[i] < 0) {
			s = new_field(x, i, &n);
			put_field(s, n);
		}
}

void
out_ext_end(struct out_ext *x, const struct rec *r)
{
	int i, n, want = x->n;

	if (x->uncounted) { /* the first record under a legend */
		n = out_tabs(out_buf.s + x->mark, out_buf.len - x->mark);
		x->uncounted = false;
		for (i = 0; x->simple && i < x->n && i < 64; i++)
			want -= x->skip >> i & 1;
		if (n != want)
			die("%d fields were added to a %s record, not %d (%s,"
			    " ...)",
			    n, rec_type_tag(r->type), want, x->names[0]);
	}
	if (!x->simple)
		rebuild(x, r);
	out_end();
}
