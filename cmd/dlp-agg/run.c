/* The stage of dlp-agg; see run.h. */
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "pass.h"
#include "print.h"
#include "run.h"

struct agg {
	struct spec *spec;
	struct groups groups;
	struct metas meta;
	struct pass pass;
};

static void
on_section(struct stage *st)
{
	struct agg *a = st->ctx;

	join_section(&a->spec->in.join);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	join_op(&a->spec->in.join, r);
	stage_pass(st, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	join_str(&a->spec->in.join, r);
	stage_pass(st, r);
}

static void
group_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	input_legend(&a->spec->in, r);
}

static void
group_data(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	group_record(&a->groups, r);
}

static void
group_meta(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	print_meta(&a->meta, r);
}

static void
group_end(struct stage *st)
{
	struct agg *a = st->ctx;

	group_section_end(&a->groups);
}

static void
line_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	pass_legend(&a->pass, st, r);
}

static void
line_data(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;

	pass_record(&a->pass, st, r);
}

static void
line_end(struct stage *st)
{
	struct agg *a = st->ctx;

	pass_section_end(&a->pass);
}

static void
listen(struct agg *a, struct stage *st, bool lines)
{
	const struct input *in = &a->spec->in;
	int t;

	st->section = on_section;
	st->end = lines ? line_end : group_end;
	st->meta = lines ? NULL : group_meta;
	if (join_needs_op(&in->join))
		stage_on(st, "op", on_op, NULL);
	if (join_needs_str(&in->join))
		stage_on(st, "str", on_str, NULL);
	for (t = 0; t < in->ntypes; t++)
		stage_on(st, in->tag[t], lines ? line_data : group_data,
		    lines ? line_legend : group_legend);
}

/* What a user must know of the input; an unknown type is fatal. */
static void
last_words(const struct spec *spec)
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
	if (one != NULL && !seen)
		warn("no %s records in the input", one);
	else if (seen && !in->any)
		warn("no %s%srecord fulfils --where", one != NULL ? one : "",
		    one != NULL ? " " : "");
	join_warn(&in->join);
}

int
agg_run(struct spec *spec, struct stage *st, int argc, char *const *argv)
{
	static struct agg a;
	int rc;

	a.spec = a.groups.spec = spec;
	st->ctx = &a;
	spec_make(spec, st->rd);
	if (spec->nstats == 0)
		pass_open(&a.pass, spec);
	listen(&a, st, spec->nstats == 0);
	rc = stage_run(st);
	if (rc == EXIT_OK)
		last_words(spec);
	if (spec->nstats > 0)
		print_groups(&a.groups, &a.meta, argc, argv, rc == EXIT_OK);
	return rc;
}
