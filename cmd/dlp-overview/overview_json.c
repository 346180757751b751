/*
 * --json: what both screens say of a profile as one object, for programs.
 * Members only ever get added; a change of their meaning raises the version.
 * dlp(1) describes them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"
#include "json_put.h"
#include "out.h"
#include "overview_page.h"

#define JSON_VERSION 1
#define MAX_OPS 20

/* A member of the object on a line of its own; the value follows. */
static struct buf *
member(const char *name)
{
	buf_puts(&out_buf, ",\n ");
	json_name(&out_buf, name);
	return &out_buf;
}

static void
row_begin(void)
{
	struct buf *b = &out_buf;

	buf_puts(b, b->s[b->len - 1] == '[' ? "\n  {" : ",\n  {");
}

static void
list_end(struct buf *b)
{
	buf_puts(b, b->s[b->len - 1] == '[' ? "]" : "\n ]");
}

/* A time of all steps and GPUs, and what it is of a step and in percent. */
static void
put_time(const struct screen *s, struct buf *b, double ns)
{
	json_int(b, "ns", true, (int64_t)rint(ns));
	json_real(b, "per_step_ns", true, ns / s->parts, 0);
	json_real(b, "pct", s->base > 0, 100 * ns / s->base, 2);
	buf_putc(b, '}');
}

/* The columns of the record with their values, as dlp --tsv has them. */
static void
put_columns(const struct overview *o)
{
	const struct type_def *t = type_find("overview");
	struct buf *b = &out_buf, fields = { 0 };
	size_t from = b->len, n;
	const char *at;
	int i;

	overview_fields(o);
	buf_put(&fields, b->s + from, b->len - from);
	b->len = from;
	at = buf_str(&fields);
	for (i = 0; *at == '\t'; i++, at += n) {
		n = strcspn(++at, "\t");
		buf_puts(b, ",\n ");
		if (t->cols[i].kind == COL_TEXT || text_is(at, n, "-")) {
			json_field(b, t->cols[i].name, at, n);
		} else {
			json_name(b, t->cols[i].name);
			buf_put(b, at, n);
		}
	}
	buf_free(&fields);
}

static void
put_session(const struct screen *s)
{
	static const struct {
		const char *name;
		enum overview_info info;
	} texts[] = { { "driver", OV_DRIVER }, { "cuda", OV_CUDA },
		{ "hip", OV_HIP }, { "schema", OV_SCHEMA },
		{ "framework", OV_FRAMEWORK } },
	  numbers[] = { { "ranks", OV_WORLD }, { "step_recorded_ns", OV_STEP },
		  { "step_bare_ns", OV_STEP_BARE },
		  { "all_fixed_step_ns", OV_STEP_ALL },
		  { "mem_peak_bytes", OV_MEMORY } };
	struct buf tool = { 0 };
	size_t i;
	int64_t v;
	const char *word;
	bool is_number;

	wording_put(&s->wording, "tool", "say", &s->values, &tool);
	member(NULL);
	json_plain(&out_buf, "tool", buf_str(&tool));
	buf_free(&tool);
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		member(NULL);
		json_word(&out_buf, texts[i].name,
		    overview_fact(s->o, texts[i].info));
	}
	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		word = overview_fact(s->o, numbers[i].info);
		is_number = num_i64(word, strlen(word), &v);
		member(NULL);
		json_int(&out_buf, numbers[i].name, is_number, v);
	}
	json_real(member(NULL), "mfu_pct", !isnan(s->o->mfu), s->o->mfu, 2);
}

static void
put_steps(const struct overview *o)
{
	struct buf *b = member("steps");
	int64_t from = 0, to = 0;
	bool numbers = o->n_all > 0 && !o->differ &&
		       num_i64(o->first, strlen(o->first), &from) &&
		       num_i64(o->last, strlen(o->last), &to);

	if (o->n_all == 0) {
		buf_puts(b, "null");
		return;
	}
	buf_putc(b, '{');
	json_int(b, "n", true, (int64_t)o->n_used);
	json_int(b, "n_all", true, (int64_t)o->n_all);
	json_int(b, "from", numbers, from);
	json_int(b, "to", numbers, to);
	json_int(b, "n_warm", o->knows_warm, (int64_t)o->n_warm);
	json_word(b, "agree", o->agree);
	buf_putc(b, '}');
}

/* The names of a list of sums, the longest first, at most `most`. */
static void
put_tally(const struct screen *s, const char *list, const char *name,
    struct tally *t, int most)
{
	const struct overview *o = s->o;
	struct buf *b = member(list);
	const struct overview_op *op;
	const char *what;
	double ns;

	buf_putc(b, '[');
	for (; most > 0 && (what = tally_take(t, &ns)) != NULL; most--) {
		if (ns <= 0)
			continue;
		row_begin();
		json_word(b, name, what);
		if (t == &s->o->op) {
			op = &o->ops[smap_find(&t->name, what, strlen(what))];
			json_word(b, "kernel", op->kernel);
			json_bool(b, "tensor_cores", op->tc);
		} else if (t == &s->o->why || t == &s->o->slow_why) {
			json_word(b, "op", page_reason_op(o, what));
		}
		put_time(s, b, ns);
	}
	list_end(b);
}

static void
put_classes(const struct screen *s)
{
	static const char *const class[] = { [OV_TC] = "tensor_cores",
		[OV_KERN] = "other_kernels",
		[OV_GRAPH] = "graphs",
		[OV_COMM] = "communication",
		[OV_MEM] = "copies",
		[OV_IDLE] = "idle" };
	struct buf *b = member("time");
	int c;

	buf_putc(b, '[');
	for (c = 0; s->o->timed && c <= OV_IDLE; c++) {
		row_begin();
		json_word(b, "class", class[c]);
		put_time(s, b, s->o->ns[c]);
	}
	list_end(b);
}

static void
put_unknown(struct screen *s)
{
	struct page_unknown v[PAGE_UNKNOWN];
	struct buf *b = member("unknown");
	int i;

	page_unknown(s, v);
	buf_putc(b, '[');
	for (i = 0; i < PAGE_UNKNOWN; i++) {
		row_begin();
		json_word(b, "what", v[i].label);
		json_plain(b, "hint",
		    v[i].ns > .1 * v[i].of ? buf_str(&v[i].hint) : NULL);
		json_int(b, "of_ns", true, (int64_t)rint(v[i].of));
		put_time(s, b, v[i].ns);
		buf_free(&v[i].hint);
	}
	list_end(b);
}

/* By gain, the greatest first; then those whose gain is unknown, as they are
 * listed. */
static int
by_gain(const void *a, const void *b)
{
	const struct overview_finding *const *x = a, *const *y = b;

	if ((*x)->gain != (*y)->gain)
		return (*x)->gain > (*y)->gain ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static void
put_finding(struct screen *s, const struct overview_finding *f)
{
	struct buf *b = &out_buf, title = { 0 };
	struct values v = { .also = &s->values };
	bool known = f->gain >= 0;

	row_begin();
	wording_put(&s->wording, "titles", f->id, &v, &title);
	json_word(b, "id", f->id);
	json_plain(b, "title", title.len > 0 ? buf_str(&title) : NULL);
	json_int(b, "step_ns", known, (int64_t)f->step);
	json_int(b, "predicted_step_ns", f->fixed > 0, (int64_t)f->fixed);
	json_int(b, "gain_ns", known, (int64_t)f->gain);
	json_name(b, "share_pct");
	buf_puts(b, page_unset(f->share) ? "null" : f->share);
	json_plain(b, "problem", f->problem);
	json_plain(b, "evidence", page_unset(f->evidence) ? NULL : f->evidence);
	json_plain(b, "recommendation", f->advice);
	json_plain(b, "where", page_unset(f->where) ? NULL : f->where);
	if (s->o->n_src > 1)
		json_plain(b, "src", page_unset(f->src) ? NULL : f->src);
	buf_putc(b, '}');
	buf_free(&title);
}

static void
put_findings(struct screen *s)
{
	const struct overview *o = s->o;
	const struct overview_finding **f =
	    xcalloc((size_t)o->n_found + 1, sizeof(*f));
	struct buf *b = member("findings");
	uint32_t k;
	size_t n;
	int i;
	const char *id;

	for (i = 0; i < o->n_found; i++)
		f[i] = &o->found[i];
	qsort(f, (size_t)o->n_found, sizeof(*f), by_gain);
	buf_putc(b, '[');
	for (i = 0; i < o->n_found; i++)
		put_finding(s, f[i]);
	list_end(b);
	free(f);
	b = member("checks_lacking_data");
	buf_putc(b, '[');
	for (k = 0; k < o->unjudged.n; k++) {
		id = smap_str(&o->unjudged, k, &n);
		if (smap_find(&o->fired, id, n) == SMAP_NONE)
			json_field(b, NULL, id, n);
	}
	buf_putc(b, ']');
}

/* The reports that are worth a look; what is wrong with the whole profile. */
static void
put_end(struct screen *s)
{
	const char *next[PAGE_NEXT];
	struct buf *b = member("next"), note = { 0 };
	int i;

	page_next(s, next);
	buf_putc(b, '[');
	for (i = 0; i < PAGE_NEXT && next[i] != NULL; i++)
		json_word(b, NULL, next[i]);
	buf_putc(b, ']');
	if (!s->o->any_work)
		wording_put(
		    &s->wording, "screen", "no_work", &s->values, &note);
	member(NULL);
	json_plain(b, "note", note.len > 0 ? buf_str(&note) : NULL);
	member(NULL);
	json_plain(b, "error", NULL);
	buf_puts(b, "\n}\n");
	buf_free(&note);
}

static void
put_begin(void)
{
	buf_puts(&out_buf, "{\n ");
	json_int(&out_buf, "version", true, JSON_VERSION);
}

void
page_json(struct screen *s)
{
	struct overview *o = s->o;

	put_begin();
	put_columns(o);
	put_session(s);
	put_steps(o);
	put_classes(s);
	put_tally(s, "idle", "class", &o->gap, o->timed ? 100 : 0);
	put_tally(s, "phases", "phase", &o->phase, 100);
	put_tally(s, "top_ops", "op", &o->op, MAX_OPS);
	put_tally(s, "tc_unused", "why", &o->why, 100);
	put_tally(s, "tc_slow", "why", &o->slow_why, 100);
	put_unknown(s);
	put_findings(s);
	put_end(s);
}

void
overview_json_failed(const char *file, const char *error)
{
	put_begin();
	member(NULL);
	json_plain(&out_buf, "file", file);
	member(NULL);
	json_word(&out_buf, "status", "failed");
	member(NULL);
	json_plain(&out_buf, "error", error);
	buf_puts(&out_buf, "\n}\n");
}
