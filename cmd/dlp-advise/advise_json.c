/*
 * --json: an object of a file: version, steps, in_use, notes, rules. Programs
 * read it, so members only ever get added; a change of their meaning raises the
 * version.
 */
#include <string.h>

#include "advise.h"
#include "array.h"
#include "num.h"
#include "out.h"
#include "text_out.h"

#define JSON_VERSION 1

static void
put_name(struct buf *b, const char *name)
{
	buf_printf(b, "%s\"%s\": ",
	    b->len > 0 && strchr("{[", b->s[b->len - 1]) == NULL ? ", " : "",
	    name);
}

/* Escaped text; null if there is none. */
static void
put_text(struct buf *b, const char *name, const char *s, size_t n)
{
	put_name(b, name);
	if (s == NULL || n == 0)
		buf_puts(b, "null");
	else
		json_quote_field(b, s, n, TEXT_JSON);
}

static void
put_word(struct buf *b, const char *name, const char *s)
{
	put_text(b, name, s, s != NULL ? strlen(s) : 0);
}

/* A number as the column has it, or null. */
static void
put_value(struct buf *b, const char *name, const struct buf *v, bool said)
{
	double x;

	put_name(b, name);
	if (said && v->len > 0 && num_f64(v->s, v->len, &x))
		buf_put(b, v->s, v->len);
	else
		buf_puts(b, "null");
}

static void
put_ns(struct buf *b, const char *name, bool has, int64_t ns)
{
	put_name(b, name);
	if (has)
		buf_i64(b, ns);
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
	put_word(b, "id", r->id);
	put_ns(b, "version", true, r->version);
	put_word(b, "verdict", word[v->judged]);
	put_value(b, "value", &v->value, told);
	if (r->unit != NULL)
		buf_printf(&num, "%.10g", v->limit);
	put_value(b, "threshold", &num, true);
	put_word(b, "unit", r->unit);
	put_ns(b, "ceiling_ns", yes && v->gains, v->ceiling);
	buf_clear(&num);
	if (yes && v->gains && facts_wall_ns(f) > 0)
		buf_printf(&num, "%.1f", facts_share_pct(f, v->ceiling));
	put_value(b, "share_pct", &num, true);
	put_ns(b, "step_ns", j->gain >= 0, facts_step_ns(f, false));
	put_ns(b, "predicted_step_ns", j->replayed, j->fixed_ns);
	put_ns(b, "gain_ns", j->gain >= 0, j->gain);
	put_word(b, "part_of", j->part_of);
	put_text(b, "where", v->where.s, yes ? v->where.len : 0);
	put_text(b, "problem", v->problem.s, yes ? v->problem.len : 0);
	put_text(b, "evidence", v->evidence.s, yes ? v->evidence.len : 0);
	put_text(b, "recommendation", v->advice.s, yes ? v->advice.len : 0);
	put_word(b, "missing", told ? NULL : v->missing);
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

	put_ns(b, "version", true, JSON_VERSION);
	if (f->src.len > 0)
		put_text(b, "src", f->src.s, f->src.len);
	put_name(b, "steps");
	if (advise_steps(f, &from, &to)) {
		buf_putc(b, '{');
		put_text(b, "key", f->step_key.s, f->step_key.len);
		put_ns(b, "from", true, from);
		put_ns(b, "to", true, to);
		put_ns(b, "n", true, (int64_t)f->n_iter);
		buf_putc(b, '}');
	} else {
		buf_puts(b, "null");
	}
	put_ns(b, "step_recorded_ns", facts_step_ns(f, true) > 0,
	    facts_step_ns(f, true));
	put_ns(
	    b, "step_ns", facts_step_ns(f, false) > 0, facts_step_ns(f, false));
	put_ns(b, "all_fixed_step_ns", facts_fixed_ns(f, "all") > 0,
	    facts_fixed_ns(f, "all"));
	put_name(b, "in_use");
	buf_putc(b, '{');
	for (i = 0; i < N_USE; i++) {
		put_name(b, use_name((int)i));
		buf_puts(b, word[use_of(f, (int)i)]);
	}
	buf_putc(b, '}');
	put_name(b, "notes");
	buf_putc(b, '[');
	for (i = 0; i < f->notes->n; i++) {
		buf_puts(b, i > 0 ? ", {" : "{");
		s = smap_str(f->notes, i, &n);
		put_text(b, "name", s, n);
		put_name(b, "count");
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
	put_name(b, "rules");
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
