/* The stage of dlp-agg; see run.h. */
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "intake.h"
#include "meta.h"
#include "disk.h"
#include "pass.h"
#include "result.h"
#include "run.h"

#include <string.h>

struct agg {
	const struct plan *plan;
	struct groups *groups; /* of each aggregation */
	struct metas meta;
	struct pass *pass; /* of each without statistics */
	bool lines;        /* so they are */
	struct rec_type **keep;
	uint64_t section; /* what the lines before its records say */
	bool any_cmd;
	struct map sections; /* how often they said so */
};

static void
on_section(struct stage *st)
{
	struct agg *a = st->ctx;
	int i;

	a->section = 0;
	a->any_cmd = false;
	for (i = 0; i < a->plan->n; i++)
		join_section(&a->plan->spec[i]->in.join);
}

/* A section's parts are known by its first command and its facts, of two
 * that say the same by their number. */
static void
section_meta(struct agg *a, const struct rec *r)
{
	bool cmd = r->len > 6 && memcmp(r->line, "##cmd\t", 6) == 0;

	if (cmd ? a->any_cmd : memcmp(r->line, "##info", 6) != 0)
		return;
	a->any_cmd |= cmd;
	a->section = hash_mix(a->section) ^ hash_bytes(r->line, r->len);
}

static uint64_t
section_key(struct agg *a)
{
	uint64_t *n = map_put(&a->sections, a->section, NULL);

	return a->section + (*n)++;
}

static void
join_record(struct join *j, const struct rec *r)
{
	if (r->type == j->op && join_needs_op(j))
		join_op(j, r);
	else if (r->type == j->str && join_needs_str(j))
		join_str(j, r);
}

/* The one whose -T has the record; NULL: none. */
static struct pass *
pass_of(struct agg *a, const struct rec *r)
{
	int i;

	for (i = 0; i < a->plan->n; i++)
		if (input_type(&a->plan->spec[i]->in, r) >= 0)
			return &a->pass[i];
	return NULL;
}

/* An op or string that is not also one of -T is only joined. */
static void
on_line(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	struct pass *p = pass_of(a, r);
	int i;

	for (i = 0; i < a->plan->n; i++)
		join_record(&a->plan->spec[i]->in.join, r);
	if (p != NULL)
		pass_record(p, st, r);
	else
		stage_pass(st, r);
}

static void
on_line_legend(struct stage *st, struct rec *r)
{
	struct pass *p = pass_of(st->ctx, r);

	if (p != NULL)
		pass_legend(p, st, r);
	else
		stage_pass(st, r);
}

static void
on_data(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int i, t;

	for (i = 0; i < a->plan->n; i++) {
		struct input *in = &a->plan->spec[i]->in;

		join_record(&in->join, r);
		t = input_type(in, r);
		if (t >= 0)
			intake_record(&a->groups[i], r, t);
	}
	stage_pass(st, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int i;

	for (i = 0; i < a->plan->n; i++)
		if (input_type(&a->plan->spec[i]->in, r) >= 0)
			input_legend(&a->plan->spec[i]->in, r);
	stage_pass(st, r);
}

static void
on_meta(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	meta_keep(&a->meta, r);
	section_meta(a, r);
}

/* Passed on are metadata and the types that are kept. */
static void
on_pass(struct stage *st, struct rec *r)
{
	const struct agg *a = st->ctx;
	int i = 0;

	if (r->kind == REC_DATA || r->kind == REC_LEGEND)
		while (i < a->plan->nkeep && r->type != a->keep[i])
			i++;
	if (i == 0 || i < a->plan->nkeep)
		out_line(r->line, r->len);
}

/* The results of a section stand in it, behind what was passed on. */
static void
put_section(struct agg *a)
{
	int i;

	for (i = 0; i < a->plan->n; i++)
		result_put(&a->groups[i]);
	for (i = 0; i < a->plan->n; i++) {
		result_all_notes(&a->groups[i]);
		intake_forget(&a->groups[i]);
	}
}

static void
on_end(struct stage *st)
{
	struct agg *a = st->ctx;
	uint64_t key;
	int i;

	if (a->lines) {
		for (i = 0; i < a->plan->n; i++)
			pass_section_end(&a->pass[i]);
		return;
	}
	key = section_key(a);
	for (i = 0; i < a->plan->n; i++) {
		a->groups[i].section = key;
		intake_section_end(&a->groups[i]);
	}
	if (a->plan->pass)
		put_section(a);
}

static void
listen(struct agg *a, struct stage *st, const struct input *in)
{
	stage_fn *data = a->lines ? on_line : on_data;
	stage_fn *legend = a->lines ? on_line_legend : on_legend;
	int t;

	if (join_needs_op(&in->join))
		stage_on(st, "op", data, legend, NULL);
	if (join_needs_str(&in->join))
		stage_on(st, "str", data, legend, NULL);
	for (t = 0; t < in->ntypes; t++)
		stage_on(st, in->tag[t], data, legend, NULL);
}

static void
prepare(struct agg *a, struct stage *st)
{
	const struct plan *p = a->plan;
	int i;

	st->ctx = a;
	st->section = on_section;
	st->end = on_end;
	st->meta = a->lines || p->pass ? NULL : on_meta;
	a->groups = xcalloc((size_t)p->n + 1, sizeof(*a->groups));
	a->keep = xcalloc((size_t)p->nkeep + 1, sizeof(struct rec_type *));
	for (i = 0; i < p->n; i++) {
		a->groups[i].spec = p->spec[i];
		spec_make(p->spec[i], st->rd);
		disk_open(&a->groups[i], p->memory / (size_t)p->n);
	}
	a->pass = xcalloc((size_t)p->n + 1, sizeof(*a->pass));
	for (i = 0; a->lines && i < p->n; i++)
		pass_open(
		    &a->pass[i], p->spec[i], p->memory / 4 / (size_t)p->n);
	for (i = 0; i < p->n; i++)
		listen(a, st, &p->spec[i]->in);
	for (i = 0; i < p->nkeep; i++)
		a->keep[i] = rec_type(st->rd, p->keep[i]);
	if (p->keep != NULL)
		st->hold = on_pass;
}

/* What a user must know of the input; an unknown type is fatal. Who passes
 * all on is no place to say what is missing; nor is one of several results, if
 * the others have rows. */
static void
last_words(const struct spec *spec, bool pass, bool others)
{
	const struct input *in = &spec->in;
	const char *one = in->ntypes == 1 ? in->tag[0] : NULL;
	bool seen = false;
	int t;

	for (t = 0; t < in->ntypes; t++) {
		seen |= in->seen[t];
		if (!in->legend[t] && type_find(in->tag[t]) == NULL)
			type_die("-T", in->tag[t]);
	}
	if (!pass && one != NULL && !seen)
		warn("no %s records in the input", one);
	else if (!pass && !others && seen && !in->any)
		warn("no %s%srecord fulfils --where", one != NULL ? one : "",
		    one != NULL ? " " : "");
	join_warn(&in->join);
}

/* One section of results, whatever the number of sections read. */
static void
put_results(
    struct agg *a, struct stage *st, bool complete, int argc, char *const *argv)
{
	bool whole = !rec_is_fragment(st->rd);
	int i;

	meta_head(&a->meta, whole, argc, argv);
	for (i = 0; i < a->plan->n; i++)
		result_put(&a->groups[i]);
	buf_put(&out_buf, a->meta.notes.s, a->meta.notes.len);
	for (i = 0; i < a->plan->n; i++)
		result_all_notes(&a->groups[i]);
	if (complete && whole)
		stage_end_section();
}

int
agg_run(struct plan *plan, struct stage *st, int argc, char *const *argv)
{
	static struct agg a;
	bool any = false;
	int rc, i;

	a.plan = plan;
	a.lines = plan->n > 0 && plan->spec[0]->nstats == 0;
	prepare(&a, st);
	rc = stage_run(st);
	for (i = 0; i < plan->n; i++)
		any |= plan->spec[i]->in.any;
	for (i = 0; i < plan->n && rc == EXIT_OK; i++)
		last_words(plan->spec[i], plan->pass, any);
	if (!a.lines && !plan->pass)
		put_results(&a, st, rc == EXIT_OK, argc, argv);
	return rc;
}
