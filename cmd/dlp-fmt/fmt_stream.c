/*
 * Reads the stream. The type to print is that of -T; without -T it is agg or
 * the type that columns_type() found, whichever comes first. If a stream begins
 * with a legend, its user has cut it to the records of interest, and the first
 * legend's type is printed, unless that is str or op, which other records are
 * joined with.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "fmt.h"

/* Called before each row; prints the header before the first. */
static void
begin_sink(struct fmt *f)
{
	if (f->begun || f->ncol == 0)
		return;
	f->begun = true;
	f->shared =
	    f->type != NULL && (strcmp(rec_type_tag(f->type), "diff") == 0 ||
				   strcmp(rec_type_tag(f->type), "join") == 0);
	f->row = xcalloc((size_t)f->ncol + (size_t)f->nhidden, sizeof(*f->row));
	if (f->sink->begin != NULL)
		f->sink->begin(f);
}

static void
give_row(struct fmt *f, const struct writer_cell *v)
{
	begin_sink(f);
	f->sink->row(f, v);
	if (f->spark != NULL)
		spark_row(f, v);
	f->nrows++;
	out_check();
}

/*
 * A stream without agg and kern: the rows of its main type are held until the
 * stream ends, or until there are so many that no other type can be meant.
 * Iterations are the main type of a stream that has them; facts about the
 * profile are the main type only if there is nothing else. If two types have
 * the same rank, neither is the main one, and -T must name the type.
 */
#define MOST 4096 /* rows */

static const struct {
	const char *type;
	int rank; /* below FMT_RANKS; others have 1 */
} ranks[] = { { "iter", 3 }, { "cand", 2 }, { "dev", 0 }, { "proc", 0 },
	{ "thread", 0 }, { "diag", 0 } };

/* Takes a legend while the type is unknown. If its rows are to be held, those
 * of another type are freed. */
static void
hold_legend(struct fmt *f, const struct rec *r)
{
	struct fmt_held *h = &f->held;
	int i, rank = 1;

	if (f->nnames > 0 || r->type == f->join.op || r->type == f->join.str)
		return;
	for (i = 0; i < (int)ARRAY_LEN(ranks); i++)
		if (strcmp(ranks[i].type, rec_type_tag(r->type)) == 0)
			rank = ranks[i].rank;
	if (h->type == NULL || rank > h->rank) {
		h->type = r->type;
		h->rank = rank;
		h->two = false;
		h->n = 0;
		buf_clear(&h->text);
		free(h->len);
		columns_default(f, r);
		h->col[rank] = f->col;
		h->ncol = f->ncol;
		f->col = NULL;
		f->ncol = 0;
		h->len = xcalloc((size_t)h->ncol * MOST + 1, sizeof(*h->len));
	}
	h->two |= h->type != r->type && rank == h->rank;
	for (i = 0; h->type == r->type && i < h->ncol; i++)
		join_legend(h->col[h->rank][i].from);
}

/* Takes a row while the type is unknown; true if no more rows can be held. */
static bool
hold_row(struct fmt *f, const struct rec *r)
{
	struct fmt_held *h = &f->held;
	size_t n, *l = h->len + h->n * (size_t)h->ncol;
	int i;

	if (h->two || r->type != h->type)
		return false;
	for (i = 0; i < h->ncol; i++) {
		const char *s =
		    join_raw(&f->join, r, h->col[h->rank][i].from, &n);

		l[i] = s != NULL ? n + 1 : 0;
		if (s != NULL)
			buf_put(&h->text, s, n);
	}
	return ++h->n == MOST;
}

/* The type turns out to be that of the held rows. */
static void
hold_print(struct fmt *f)
{
	struct fmt_held *h = &f->held;
	const char *s = h->text.s;
	const size_t *l = h->len;
	struct writer_cell *v;
	size_t k;
	int i;

	if (h->two || h->type == NULL)
		return;
	f->type = h->type;
	f->col = h->col[h->rank];
	f->ncol = h->ncol;
	v = xcalloc((size_t)h->ncol + 1, sizeof(*v));
	for (k = 0; k < h->n; k++) {
		for (i = 0; i < h->ncol; i++, l++) {
			v[i].s = *l > 0 ? s : NULL;
			v[i].n = *l > 0 ? *l - 1 : 0;
			s += v[i].n;
		}
		give_row(f, v);
	}
	free(v);
	buf_free(&h->text);
	free(h->len);
	h->len = NULL;
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
			hold_print(f);
		return;
	}
	begin_sink(f);
	field = rec_split(r);
	v = f->row;
	for (i = 0; i < n; i++)
		v[i].s = join_fast(&f->join, r, field, f->col[i].from, &v[i].n);
	give_row(f, v);
}

/* A record of type op or str. */
static void
on_joined(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;

	if (r->type == f->type)
		on_row(st, r);
	else if (r->type == f->join.op)
		join_op(&f->join, r);
	else
		join_str(&f->join, r);
}

/* Columns must be bound before the ops and strings pass that they are joined
 * with, so they are bound for each type that may be printed. */
static void
prepare(struct fmt *f, struct fmt_choice *c, const char *tag)
{
	c->type = rec_type(f->st.rd, tag);
	if (f->nnames == 0)
		return;
	columns_asked(f, c->type);
	c->col = f->col;
	c->ncol = f->ncol;
	c->nhidden = f->nhidden;
	f->col = NULL;
	f->ncol = 0;
}

static void
take_choice(struct fmt *f, const struct fmt_choice *c)
{
	f->type = c->type;
	f->col = c->col;
	f->ncol = c->ncol;
	f->nhidden = c->nhidden;
}

static void
choose(struct fmt *f, struct rec_type *t)
{
	struct fmt_choice c = { 0 };
	int i;

	for (i = 0; i < 2; i++)
		if (f->choices[i].type == t) {
			take_choice(f, &f->choices[i]);
			return;
		}
	if (!rec_is_fragment(f->st.rd) || t == f->join.op || t == f->join.str)
		return;
	prepare(f, &c, rec_type_tag(t));
	take_choice(f, &c);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;
	int i, k;

	if (f->type == NULL)
		choose(f, r->type);
	if (f->type == NULL)
		hold_legend(f, r);
	if (r->type != f->type)
		return;
	f->any_legend = true;
	if (f->ncol == 0) {
		columns_default(f, r);
	} else if (!f->sink->fitted && f->nnames == 0) {
		/* a later one may have other columns than the rows so far */
		for (k = 0; k < rec_ncols(r->type); k++) {
			for (i = 0; i < f->ncol; i++)
				if (strcmp(f->col[i].head,
					rec_colname(r->type, k)) == 0)
					break;
			f->unseen += i == f->ncol;
		}
	}
	for (i = 0; i < f->ncol + f->nhidden; i++)
		join_legend(f->col[i].from);
}

static void
forget_ids(struct stage *st)
{
	join_section(&((struct fmt *)st->ctx)->join);
}

/* Notices a gate that fired in a stage before us. Its exit status is lost in a
 * pipeline, so the last command must repeat it. */
static void
on_metadata(struct stage *st, struct rec *r)
{
	struct fmt *f = st->ctx;

	if (f->sink->meta != NULL)
		f->sink->meta(f, r);
	f->gated |= text_starts(r->line, r->len, "##note\tgate_fired\t");
}

/* Records with which rows are joined, or that are rows. */
static void
join_on(struct fmt *f, const char *tag, bool needed)
{
	stage_on(&f->st, tag, on_joined, .all = f->nnames == 0,
	    .only_for = needed ? NULL : tag, .legend = on_legend);
}

static void
listen(struct fmt *f)
{
	const struct type_def *t;

	if (f->sink->listen != NULL)
		f->sink->listen(f);
	if (f->want_type != NULL) {
		prepare(f, &f->choices[0], f->want_type);
		take_choice(f, &f->choices[0]);
		join_on(
		    f, "op", f->type == f->join.op || join_needs_op(&f->join));
		join_on(f, "str",
		    f->type == f->join.str || join_needs_str(&f->join));
		if (f->type != f->join.op && f->type != f->join.str)
			stage_on(&f->st, f->want_type, on_row,
			    .all = f->ncol == 0, .legend = on_legend);
		return;
	}
	join_on(f, "op", true);
	join_on(f, "str", true);
	prepare(f, &f->choices[0], f->std_type);
	prepare(f, &f->choices[1], "agg");
	for (t = type_defs; t->type != NULL; t++)
		if (strcmp(t->type, "op") != 0 && strcmp(t->type, "str") != 0)
			stage_on(&f->st, t->type, on_row, .all = true,
			    .legend = on_legend);
}

int
fmt_run(struct fmt *f)
{
	const char *tag;
	bool chosen;
	int rc;

	f->state = xcalloc(1, f->sink->state + 1);
	f->st.ctx = f;
	f->st.section = forget_ids;
	f->st.meta = on_metadata;
	join_init(&f->join, f->st.rd);
	columns_type(f);
	listen(f);
	rc = stage_run(&f->st);
	if (rc == 0 && f->want_type != NULL && !f->any_legend &&
	    type_find(f->want_type) == NULL)
		type_die("-T", f->want_type);
	if (f->type == NULL)
		hold_print(f);
	chosen = f->type != NULL;
	if (!chosen)
		take_choice(f, &f->choices[0]);
	begin_sink(f);
	if (f->sink->end != NULL)
		f->sink->end(f);
	spark_end(f);
	tag = chosen ? rec_type_tag(f->type) : f->std_type;
	if (f->nrows > 0 || rc != 0 || f->sink->reports ||
	    (f->quotes != NULL && f->any_legend))
		; /* something was printed, or nothing is a result */
	else if (f->any_legend) /* a filter let no record pass */
		warn_input(
		    "nothing to print: no records follow the legend #%s", tag);
	else
		warn_input("no %s records in the input%s", tag,
		    chosen ? "" : "; -T TYPE prints others");
	if (f->unseen > 0)
		warn("columns of later legends are left out: %llu (-c"
		     " takes them)",
		    (unsigned long long)f->unseen);
	join_warn(&f->join);
	return rc == EXIT_OK && f->gated ? EXIT_GATE : rc;
}
