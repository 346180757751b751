/*
 * dlp-agg: groups records by columns and writes statistics of each group, or
 * filters, sorts and limits the records themselves. One run can make several
 * such groupings.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "cols.h"
#include "dlp-agg/agg_group.h"
#include "err.h"
#include "out.h"
#include "spill.h"
#include "stage.h"

/* An aggregation that reads records of a type; t: the type's number in it. */
struct agg_use {
	int spec, t;
};

struct agg_type { /* of records of the input */
	const char *tag;
	struct agg_use *use;
	int n;
	bool joined; /* some of its columns are joined from other records */
	bool work;   /* its records tell sections apart, for --partial */
};

/* The run. One per process, because the functions that get options have no
 * argument for it. */
static struct agg {
	struct agg_plan plan;
	struct agg_groups *groups; /* of each aggregation */
	struct agg_metas meta;
	struct agg_pass **pass; /* of each without statistics */
	bool lines;             /* no aggregation has statistics: records
				 * pass through */
	struct agg_type **type;
	size_t n_types;
	uint64_t facts; /* a hash of the section's facts, and whether one of */
	bool known;     /* them is that of the file's content */
	uint64_t work;  /* a hash of its GPU work, otherwise */
	struct map sections; /* how often both occurred */
	uint64_t rounded;
} agg = { .plan.memory = 256 << 20 };

static void
begin_section(struct stage *st)
{
	struct agg *a = st->ctx;
	int i;

	a->facts = a->work = 0;
	a->known = false;
	for (i = 0; i < a->plan.n; i++)
		join_section(&a->plan.spec[i]->in.join);
}

static void
join_record(struct agg *a, const struct rec *r)
{
	int i;

	for (i = 0; i < a->plan.n; i++) {
		struct join *j = &a->plan.spec[i]->in.join;

		if (r->type == j->op && join_needs_op(j))
			join_op(j, r);
		else if (r->type == j->str && join_needs_str(j))
			join_str(j, r);
	}
}

/* Without statistics, only one aggregation can read the type. An op or string
 * record that no -T names is only joined. */
static void
on_line(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	const struct agg_type *y = rec_arg(r);

	if (y->joined)
		join_record(a, r);
	if (y->n > 0)
		pass_record(a->pass[y->use[0].spec], st, r, y->use[0].t);
	else
		stage_pass(st, r);
}

static void
on_line_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	const struct agg_type *y = rec_arg(r);

	if (y->n > 0)
		pass_legend(a->pass[y->use[0].spec], st, r, y->use[0].t);
	else
		stage_pass(st, r);
}

static void
on_data(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	const struct agg_type *y = rec_arg(r);
	int i;

	if (y->joined)
		join_record(a, r);
	for (i = 0; i < y->n; i++)
		intake_record(&a->groups[y->use[i].spec], r, y->use[i].t);
	if (y->work && !a->known)
		a->work = hash_mix(a->work) ^ hash_bytes(r->line, r->len);
	stage_pass(st, r);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	const struct agg_type *y = rec_arg(r);
	int i;

	for (i = 0; i < y->n; i++)
		input_legend(&a->plan.spec[y->use[i].spec]->in, y->use[i].t);
	stage_pass(st, r);
}

static void
take_meta(struct stage *st, struct rec *r)
{
	struct agg *a = st->ctx;
	int i;

	meta_keep(&a->meta, r);
	/* Two partial results belong to the same section if a hash of its facts
	 * agrees, without names, because a file can be read by another one.
	 * Sections with the same hash are counted (end_section). */
	if (text_starts(r->line, r->len, "##info\tsrc\t")) {
		for (i = 0; i < a->plan.n; i++)
			smap_put(&a->groups[i].srcs, r->line + 11, r->len - 11,
			    NULL);
	} else if (text_starts(r->line, r->len, "##info\t")) {
		a->known |= text_starts(r->line, r->len, "##info\tcontent\t");
		a->facts = hash_mix(a->facts) ^ hash_bytes(r->line, r->len);
	}
}

static void
end_section(struct stage *st)
{
	struct agg *a = st->ctx;
	uint64_t *n;
	int i;

	for (i = 0; i < a->plan.n && a->lines; i++)
		pass_section_end(a->pass[i]);
	if (a->lines)
		return;
	n = map_put(&a->sections, a->facts ^ a->work, NULL);
	for (i = 0; i < a->plan.n; i++) {
		a->groups[i].section = hash_mix(a->facts ^ a->work) + *n;
		intake_section_end(&a->groups[i]);
	}
	++*n;
	/* with --pass, results come at the end of each section */
	for (i = 0; i < a->plan.n && a->plan.pass; i++)
		result_put(&a->groups[i], a->plan.memory / 4);
	for (i = 0; i < a->plan.n && a->plan.pass; i++) {
		result_all_notes(&a->groups[i]);
		intake_forget(&a->groups[i]);
	}
}

static struct agg_type *
type_of(struct agg *a, const char *tag)
{
	struct agg_type *y;
	size_t i;

	for (i = 0; i < a->n_types; i++)
		if (strcmp(a->type[i]->tag, tag) == 0)
			return a->type[i];
	y = xcalloc(1, sizeof(*y));
	y->tag = tag;
	a->type = xrealloc(a->type, a->n_types + 1, sizeof(struct agg_type *));
	a->type[a->n_types++] = y;
	return y;
}

static void
listen_for(struct agg *a, struct stage *st)
{
	static const char *const work[] = { "kern", "copy", "set" };
	struct agg_type *y;
	size_t k;
	int i, t;

	for (i = 0; i < a->plan.n; i++) {
		const struct agg_input *in = &a->plan.spec[i]->in;

		if (join_needs_op(&in->join))
			type_of(a, "op")->joined = true;
		if (join_needs_str(&in->join))
			type_of(a, "str")->joined = true;
		for (t = 0; t < in->ntypes; t++) {
			y = type_of(a, in->tag[t]);
			/* only once if -T names the type twice */
			if (y->n == 0 || y->use[y->n - 1].spec != i)
				y->use = xrealloc(
				    y->use, (size_t)++y->n, sizeof(*y->use));
			y->use[y->n - 1] = (struct agg_use){ i, t };
		}
	}
	for (t = 0; a->plan.partial && t < (int)ARRAY_LEN(work); t++)
		type_of(a, work[t])->work = true;
	for (k = 0; k < a->n_types; k++) {
		y = a->type[k];
		stage_on(st, y->tag, a->lines ? on_line : on_data,
		    .legend = a->lines ? on_line_legend : on_legend, .arg = y);
	}
}

static void
agg_prepare(struct agg *a, struct stage *st)
{
	const struct agg_plan *p = &a->plan;
	int i;

	st->ctx = a;
	st->section = begin_section;
	st->end = end_section;
	st->meta = a->lines || p->pass ? NULL : take_meta;
	a->groups = xcalloc((size_t)p->n + 1, sizeof(*a->groups));
	for (i = 0; i < p->n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		a->groups[i].spec = p->spec[i]; /* xcalloc() is not NULL */
		a->groups[i].rounded = &a->rounded;
		spec_make(p->spec[i], st->rd);
	}
	a->pass = xcalloc((size_t)p->n + 1, sizeof(struct agg_pass *));
	for (i = 0; a->lines && i < p->n; i++)
		a->pass[i] =
		    pass_open(p->spec[i], p->memory / 4 / (size_t)p->n);
	listen_for(a, st);
	if (p->keep != NULL)
		stage_keep(st, (const char *const *)p->keep, p->nkeep);
}

/* Warns if a result has no rows, and dies if the type does not exist. It is
 * silent with --pass, where missing records are normal, and if other results
 * have rows. */
static void
last_words(const struct agg_spec *spec, bool pass, bool others)
{
	const struct agg_input *in = &spec->in;
	bool lines = spec->nstats == 0;
	const char *one = in->ntypes == 1 ? in->tag[0] : NULL;
	bool seen = false;
	int t;

	for (t = 0; t < in->ntypes; t++) {
		seen |= in->seen[t];
		if (!in->legend[t] && type_find(in->tag[t]) == NULL)
			type_die("-T", in->tag[t]);
	}
	if (!pass && one != NULL && !seen && !(lines && others))
		warn_input("no %s records in the input", one);
	else if (!pass && !others && seen && !in->any)
		warn("no %s%srecord fulfils --where", one != NULL ? one : "",
		    one != NULL ? " " : "");
	join_warn(&in->join);
}

/* Reads the stream, which is open, to its end and writes the results, one
 * section for all sections read; argv is for our ##cmd. Returns the exit
 * status. */
static int
aggregate(struct agg *a, struct stage *st, int argc, char *const *argv)
{
	const struct agg_plan *plan = &a->plan;
	bool any = false, whole;
	int rc, i;

	a->lines = plan->n > 0 && plan->spec[0]->nstats == 0;
	agg_prepare(a, st);
	rc = stage_run(st);
	for (i = 0; i < plan->n; i++)
		any |= plan->spec[i]->in.any;
	for (i = 0; i < plan->n && rc == EXIT_OK; i++)
		last_words(plan->spec[i], plan->pass, any);
	if (a->lines || plan->pass)
		return rc;
	whole = !rec_is_fragment(st->rd);
	meta_head(&a->meta, whole, argc, argv);
	for (i = 0; i < plan->n && plan->partial && whole; i++)
		if (a->groups[i].part != 0)
			out_meta("info", PART "\t%016llx",
			    (unsigned long long)a->groups[i].part);
	for (i = 0; i < plan->n; i++)
		result_put(&a->groups[i], plan->memory / 4);
	buf_put(&out_buf, a->meta.notes.s, a->meta.notes.len);
	for (i = 0; i < plan->n; i++)
		result_all_notes(&a->groups[i]);
	if (rc == EXIT_OK && whole)
		stage_end_section();
	return rc;
}

/* The aggregation to which options apply: the last one. */
static struct agg_spec *
last_spec(void)
{
	return agg.plan.spec[agg.plan.n - 1];
}

/* The option's list. A copy is split, because ##cmd shows the argument as
 * given. */
static void
set_list(void *opt, const char *arg)
{
	struct agg_spec *s = last_spec();
	const struct {
		const char *opt;
		char ***list;
		int *n;
	} lists[] = { { "-T", &s->in.tag, &s->in.ntypes },
		{ "-g", &s->groups, &s->ngroups },
		{ "-a", &s->stats, &s->nstats },
		{ "-f", &s->fields, &s->nfields }, { "-c", &s->cuts, &s->ncut },
		{ "--keep", &agg.plan.keep, &agg.plan.nkeep } },
	  *l = lists;
	int i;

	while (strcmp(l->opt, opt) != 0)
		l++;
	*l->list = cli_list(arg, l->n);
	for (i = 0; i < *l->n; i++)
		if ((*l->list)[i][0] == '\0')
			die("%s: empty name in '%s'", l->opt, arg);
}

static void
add_where(const char *arg)
{
	where_add(&last_spec()->where, xstrdup(arg));
}

static void
add_sort(const char *arg)
{
	sort_parse(&last_spec()->sort, arg);
}

static void
set_limit(const char *arg)
{
	last_spec()->limit = cli_i64("-n", arg, 0, INT64_MAX);
}

static void
set_rest(void)
{
	last_spec()->rest = true;
}

static void
set_optimizer(void)
{
	last_spec()->optimizer = true;
}

static void
set_as(const char *arg)
{
	if (*arg < 'a' || *arg > 'z' ||
	    arg[strspn(arg, "abcdefghijklmnopqrstuvwxyz0123456789")] != '\0')
		die("--as: '%s' is not a record type: lower-case letters and"
		    " digits",
		    arg);
	last_spec()->as = arg;
}

static void
add_spec(void)
{
	plan_add(&agg.plan);
}

static void
set_memory(const char *arg)
{
	agg.plan.memory = cli_size("-S", arg);
	spill_bound(agg.plan.memory);
}

static const struct cli_opt opts[] = {
	{ 'T', "type", .set = set_list, .to = (char[]){ "-T" } },
	{ 'g', "group", .set = set_list, .to = (char[]){ "-g" } },
	{ 'a', "stats", .set = set_list, .to = (char[]){ "-a" } },
	{ 'f', "fields", .set = set_list, .to = (char[]){ "-f" } },
	{ 'c', "columns", .set = set_list, .to = (char[]){ "-c" } },
	{ 0, "where", .call = add_where },
	{ 0, "sort", .call = add_sort },
	{ 'n', "limit", .call = set_limit },
	{ 0, "rest", .act = set_rest },
	{ 0, "optimizer", .act = set_optimizer },
	{ 0, "as", .call = set_as },
	{ 0, "and", .act = add_spec },
	{ 0, "pass", .flag = &agg.plan.pass },
	{ 0, "keep", .set = set_list, .to = (char[]){ "--keep" } },
	{ 0, "partial", .flag = &agg.plan.partial },
	{ 0, "merge", .flag = &agg.plan.merge },
	{ 'S', "memory", .call = set_memory },
	{ 0 },
};

int
main(int argc, char **argv)
{
	struct agg_plan *plan = &agg.plan;
	struct stage st;
	const char *path = NULL;
	bool unbuffered;

	cli_init("dlp-agg");
	plan_add(plan);
	unbuffered = cli_options(argc, argv, opts);
	if (!plan->merge || argc - optind <= 1)
		path = cli_operand(argc, argv);
	plan_check(plan);
	if (plan->merge) { /* takes several files */
		out_open(unbuffered);
		return out_finish(
		    merge_run(plan, argv + optind, argc - optind, argc, argv));
	}
	if (plan->n > 0 && plan->spec[0]->nstats > 0 && !plan->pass)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(aggregate(&agg, &st, argc, argv));
}
