/*
 * The way of a stream through dlp-fmt: the type to be printed is that of -T,
 * or the first to come of two: agg, and the one that select_type() found. A
 * stream that begins with a legend was cut to what its user wants: there it
 * is the first legend's type, unless that is str or op, which are joined.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "hold.h"
#include "run.h"
#include "select.h"
#include "sink_dict.h"
#include "sink_dlprof.h"

struct choice {
	struct rec_type *type;
	struct column *col;
	int ncol, nhidden;
};

static struct choice choices[2]; /* with the columns of -c */
static uint64_t unseen;          /* columns of later legends */
static bool any_legend;          /* one of the type that is printed */

/* Before each row; the header before the first. */
static void
begin(struct fmt *f)
{
	if (f->begun || f->ncol == 0)
		return;
	f->begun = true;
	f->shared =
	    f->type != NULL && (strcmp(rec_type_tag(f->type), "diff") == 0 ||
				   strcmp(rec_type_tag(f->type), "join") == 0);
	f->row = xcalloc((size_t)f->ncol + (size_t)f->nhidden, sizeof(*f->row));
	f->sink->begin(f);
}

static void
put_row(struct fmt *f, const struct writer_cell *v)
{
	begin(f);
	f->sink->row(f, v);
	f->nrows++;
	out_check();
}

static void
on_row(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;
	const char *const *field;
	struct writer_cell *v;
	int i, n = f->ncol + f->nhidden;

	if (r->type != f->type) {
		if (f->type == NULL && hold_row(f, r))
			hold_print(f, put_row);
		return;
	}
	begin(f);
	field = rec_split(r);
	v = f->row;
	for (i = 0; i < n; i++)
		v[i].s = join_fast(&f->join, r, field, f->col[i].from, &v[i].n);
	put_row(f, v);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;

	if (r->type == f->type)
		on_row(st, r);
	else
		join_op(&f->join, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;

	if (r->type == f->type)
		on_row(st, r);
	else
		join_str(&f->join, r);
}

/* Columns are asked for before the ops and strings pass that they are joined
 * with, so for each type that may become the one that is printed. */
static void
prepare(struct fmt *f, struct choice *c, const char *tag)
{
	c->type = rec_type(f->st.rd, tag);
	if (f->nnames == 0)
		return;
	select_columns(f, c->type);
	c->col = f->col;
	c->ncol = f->ncol;
	c->nhidden = f->nhidden;
	f->col = NULL;
	f->ncol = 0;
}

static void
take(struct fmt *f, const struct choice *c)
{
	f->type = c->type;
	f->col = c->col;
	f->ncol = c->ncol;
	f->nhidden = c->nhidden;
}

static void
choose(struct fmt *f, struct rec_type *t)
{
	struct choice c = { 0 };
	int i;

	for (i = 0; i < 2; i++)
		if (choices[i].type == t) {
			take(f, &choices[i]);
			return;
		}
	if (!rec_is_fragment(f->st.rd) || t == f->join.op || t == f->join.str)
		return;
	prepare(f, &c, rec_type_tag(t));
	take(f, &c);
}

/* A later legend may have other columns than the rows so far. */
static void
later_legend(struct fmt *f, const struct rec *r)
{
	int i, k;

	for (i = 0; i < f->ncol; i++)
		join_legend(f->col[i].from);
	if (f->nnames > 0)
		return;
	for (k = 0; k < rec_ncols(r->type); k++) {
		for (i = 0; i < f->ncol; i++)
			if (strcmp(f->col[i].head, rec_colname(r->type, k)) ==
			    0)
				break;
		unseen += i == f->ncol;
	}
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;
	int i;

	if (f->type == NULL)
		choose(f, r->type);
	if (f->type == NULL)
		hold_legend(f, r);
	if (r->type != f->type)
		return;
	any_legend = true;
	if (f->ncol == 0)
		select_default(f, r);
	else if (f->sink != &sink_table || f->nnames > 0)
		later_legend(f, r);
	for (i = 0; i < f->ncol + f->nhidden; i++)
		join_legend(f->col[i].from);
}

static void
on_section(struct stage *st)
{
	struct fmt *f = st->ctx;

	join_section(&f->join);
}

/* A stage before us has something to say with its exit status, which the end
 * of a pipeline alone can. */
static void
on_meta(struct stage *st, struct rec *r)
{
	static const char gate[] = "##note\tgate_fired\t";
	struct fmt *f = st->ctx;

	if (f->sink == &sink_dlprof)
		sink_dlprof_meta(r);
	if (f->sink == &sink_dict)
		sink_dict_meta(r);
	f->gated |= r->len > sizeof(gate) - 1 &&
		    memcmp(r->line, gate, sizeof(gate) - 1) == 0;
}

static void
listen(struct fmt *f)
{
	const struct type_def *t;

	stage_on(&f->st, "op", on_op, on_legend, NULL);
	stage_on(&f->st, "str", on_str, on_legend, NULL);
	if (f->sink == &sink_dlprof)
		sink_dlprof_listen(f);
	if (f->want_type != NULL) {
		prepare(f, &choices[0], f->want_type);
		take(f, &choices[0]);
		if (f->type != f->join.op && f->type != f->join.str)
			stage_on(&f->st, f->want_type, on_row, on_legend, NULL);
		return;
	}
	prepare(f, &choices[0], f->std_type);
	prepare(f, &choices[1], "agg");
	for (t = type_defs; t->type != NULL; t++)
		if (strcmp(t->type, "op") != 0 && strcmp(t->type, "str") != 0)
			stage_on(&f->st, t->type, on_row, on_legend, NULL);
}

/* Why nothing is printed. A legend without records is what a filter leaves
 * where nothing fulfilled it. */
static void
say_empty(const struct fmt *f, bool chosen)
{
	const char *tag = chosen ? rec_type_tag(f->type) : f->std_type;

	if (any_legend)
		warn("nothing to print: no records follow the legend #%s", tag);
	else
		warn("no %s records in the input%s", tag,
		    chosen ? "" : "; -T TYPE prints others");
}

static void
last_words(const struct fmt *f, bool chosen, int rc)
{
	/* a report without rows is a result */
	if (f->nrows == 0 && rc == 0 && f->sink != &sink_dlprof &&
	    (f->quotes == NULL || !any_legend))
		say_empty(f, chosen);
	if (unseen > 0)
		warn("columns of later legends that are left out: %llu (-c"
		     " takes them)",
		    (unsigned long long)unseen);
	join_warn(&f->join);
}

int
fmt_run(struct fmt *f)
{
	bool chosen;
	int rc;

	f->st.ctx = f;
	f->st.section = on_section;
	f->st.meta = on_meta;
	join_init(&f->join, f->st.rd);
	select_type(f);
	listen(f);
	rc = stage_run(&f->st);
	if (rc == 0 && f->want_type != NULL && !any_legend &&
	    type_find(f->want_type) == NULL)
		type_die("-T", f->want_type);
	if (f->type == NULL)
		hold_print(f, put_row);
	chosen = f->type != NULL;
	if (!chosen)
		take(f, &choices[0]);
	begin(f);
	f->sink->end(f);
	last_words(f, chosen, rc);
	return rc == EXIT_OK && f->gated ? EXIT_GATE : rc;
}
