/*
 * --json: an object of a file: version, steps, in_use, notes, rules. Programs
 * read it, so members only ever get added; a change of their meaning raises the
 * version.
 */

#include "advise.h"
#include "array.h"
#include "json_put.h"
#include "num.h"
#include "out.h"

#define JSON_VERSION 1

/* A number as the column has it, or null. */
static void
put_value(struct buf *b, const char *name, const struct buf *v, bool said)
{
	double x;

	json_name(b, name);
	if (said && v->len > 0 && num_f64(v->s, v->len, &x))
		buf_put(b, v->s, v->len);
	else
		buf_puts(b, "null");
}

static void
put_rule(struct buf *b, const struct facts *f, const struct advise_finding *j)
{
	static const char *const word[] = { "clear", "found", "not_judged" };
	const struct advise_verdict *v = &j->v;
	const struct advise_rule *r = j->rule;
	bool yes = v->judged == V_YES, told = v->judged != V_UNJUDGED;
	struct buf num = { 0 };

	buf_puts(b, b->s[b->len - 1] == '[' ? "\n  {" : ",\n  {");
	json_word(b, "id", r->id);
	json_int(b, "version", true, r->version);
	json_word(b, "verdict", word[v->judged]);
	put_value(b, "value", &v->value, told);
	if (r->unit != NULL)
		buf_printf(&num, "%.10g", v->limit);
	put_value(b, "threshold", &num, true);
	json_word(b, "unit", r->unit);
	json_int(b, "ceiling_ns", yes && v->gains, v->ceiling);
	buf_clear(&num);
	if (yes && v->gains && facts_wall_ns(f) > 0)
		buf_printf(&num, "%.1f", facts_share_pct(f, v->ceiling));
	put_value(b, "share_pct", &num, true);
	json_int(b, "step_ns", j->gain >= 0, facts_step_ns(f, false));
	json_int(b, "predicted_step_ns", j->replayed, j->fixed_ns);
	json_int(b, "gain_ns", j->gain >= 0, j->gain);
	json_word(b, "part_of", j->part_of);
	json_field(b, "where", v->where.s, yes ? v->where.len : 0);
	json_field(b, "problem", v->problem.s, yes ? v->problem.len : 0);
	json_field(b, "evidence", v->evidence.s, yes ? v->evidence.len : 0);
	json_field(b, "recommendation", v->advice.s, yes ? v->advice.len : 0);
	json_word(b, "missing", told ? NULL : v->missing);
	buf_putc(b, '}');
	buf_free(&num);
}

/* The first part of the object: what was judged. */
static void
put_head(struct buf *b, const struct facts *f)
{
	static const char *const word[] = { "null", "false", "true" };
	int64_t from, to;
	const char *s;
	uint32_t i;
	size_t n;

	json_int(b, "version", true, JSON_VERSION);
	if (f->src.len > 0)
		json_field(b, "src", f->src.s, f->src.len);
	json_name(b, "steps");
	if (advise_steps(f, &from, &to)) {
		buf_putc(b, '{');
		json_field(b, "key", f->step_key.s, f->step_key.len);
		json_int(b, "from", true, from);
		json_int(b, "to", true, to);
		json_int(b, "n", true, (int64_t)f->n_iter);
		buf_putc(b, '}');
	} else {
		buf_puts(b, "null");
	}
	json_int(b, "step_recorded_ns", facts_step_ns(f, true) > 0,
	    facts_step_ns(f, true));
	json_int(
	    b, "step_ns", facts_step_ns(f, false) > 0, facts_step_ns(f, false));
	json_int(b, "all_fixed_step_ns", facts_fixed_ns(f, "all") > 0,
	    facts_fixed_ns(f, "all"));
	json_name(b, "in_use");
	buf_putc(b, '{');
	for (i = 0; i < N_USE; i++) {
		json_name(b, use_name((int)i));
		buf_puts(b, word[use_of(f, (int)i)]);
	}
	buf_putc(b, '}');
	json_name(b, "notes");
	buf_putc(b, '[');
	for (i = 0; i < f->notes->n; i++) {
		buf_puts(b, i > 0 ? ", {" : "{");
		s = smap_str(f->notes, i, &n);
		json_field(b, "name", s, n);
		json_name(b, "count");
		buf_u64(b, f->notes->val[i]);
		buf_putc(b, '}');
	}
	buf_putc(b, ']');
}

void
advise_json(struct buf *b, const struct facts *f,
    const struct advise_finding *j, size_t n)
{
	size_t i;

	buf_puts(b, b->len > 0 ? ",\n{" : "{");
	put_head(b, f);
	json_name(b, "rules");
	buf_putc(b, '[');
	for (i = 0; i < n; i++)
		put_rule(b, f, &j[i]);
	buf_puts(b, "\n]}");
}

void
advise_json_end(struct buf *b, size_t n)
{
	bool many = n > 1;

	if (many)
		buf_printf(
		    &out_buf, "{\"version\": %d, \"files\": [\n", JSON_VERSION);
	buf_put(&out_buf, b->s, b->len);
	buf_puts(&out_buf, many ? "\n]}\n" : "\n");
	out_check();
}
