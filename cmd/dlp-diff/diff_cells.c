/* The times that a comparison is made of, for a program that compares other
 * steps: those of each row, and of the totals, in each step of both sides. */
#include <string.h>

#include "diff.h"
#include "out.h"

struct cell_out {
	const struct diff_model *m;
	struct out_type *type;
	size_t k; /* the side */
};

static void
begin_cell(
    const struct cell_out *o, const char *what, const struct diff_step *s)
{
	out_rec(o->type);
	out_word(what);
	out_word(o->k == 0 ? "A" : "B");
	out_i64(s->run);
	out_i64(s->iter);
	out_i64(s->used);
}

static void
put_step(const struct cell_out *o, const char *what, const struct diff_step *s,
    int64_t ns)
{
	int i;

	begin_cell(o, what, s);
	for (i = 0; i < 5; i++)
		out_unset();
	out_i64(ns);
	out_i64(s->n_kern);
	out_i64(0);
	out_end();
}

/* row: its number, or negative for a total */
static void
put_row_cells(const struct cell_out *o, const char *what, int64_t row,
    const struct diff_row *r)
{
	const struct diff_cell *x;
	const struct diff_step *s;
	size_t i;

	for (i = 0; o->k < r->n_side && i < r->side[o->k].n; i++) {
		x = &r->side[o->k].v[i];
		s = &o->m->side[o->k].step[x->step];
		if (!s->has)
			continue;
		begin_cell(o, what, s);
		out_opt(row >= 0, row);
		model_put_text(o->m, row >= 0 ? r->name : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->dir : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->shapes : SMAP_NONE);
		model_put_text(o->m, row >= 0 ? r->type : SMAP_NONE);
		out_i64(x->ns);
		out_i64(x->n);
		out_i64(x->tc);
		out_end();
	}
}

void
put_cells(const struct diff_model *m)
{
	struct cell_out o = { .m = m };
	const struct diff_side *side;
	size_t i;

	o.type = out_type_reg("diffcell", "dlp-diff");
	for (o.k = 0; o.k < 2; o.k++) {
		side = &m->side[o.k];
		for (i = 0; i < side->n; i++) {
			if (!side->step[i].has)
				continue;
			put_step(&o, "step", &side->step[i], side->step[i].ns);
			put_step(
			    &o, "busy", &side->step[i], side->step[i].gpu_ns);
		}
		put_row_cells(&o, "work", -1, &m->all);
		put_row_cells(&o, "tc", -1, &m->tc);
		for (i = 0; i < m->rows.keys.n; i++)
			put_row_cells(&o, "row", (int64_t)i, &m->rows.v[i]);
	}
}
