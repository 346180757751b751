/* Runs; see plan.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "plan.h"

struct spec *
plan_add(struct plan *p)
{
	struct spec *a = xcalloc(1, sizeof(*a));

	a->limit = -1;
	p->spec = xrealloc(p->spec, (size_t)p->n + 1, sizeof(struct spec *));
	p->spec[p->n++] = a;
	return a;
}

static bool
any_option(const struct spec *a)
{
	return a->in.tag != NULL || a->stats != NULL || a->groups != NULL ||
	       a->fields != NULL || a->limit >= 0 || a->sort.n > 0 ||
	       a->where.n > 0 || a->as != NULL || a->rest || a->cut != NULL;
}

static void
defaults(struct spec *a)
{
	static char kern[] = "kern", *types[] = { kern };
	static char count[] = "count", sum[] = "sum", *stats[] = { count, sum };

	if (a->in.tag == NULL) {
		a->in.tag = types;
		a->in.ntypes = 1;
	}
	if (a->in.ntypes > INPUT_TYPES)
		die("-T: more than %d types", INPUT_TYPES);
	if (a->stats == NULL && (a->groups != NULL || a->fields != NULL)) {
		a->stats = stats;
		a->nstats = 2;
	}
	if (a->rest && (a->limit < 0 || a->nstats == 0))
		die("--rest goes with -n and statistics");
	if (a->cut != NULL && a->nstats > 0)
		die("-c goes without statistics");
	if (a->as != NULL && a->nstats == 0 && a->cut == NULL)
		die("--as goes with statistics, or -c");
	if (a->as == NULL && a->nstats > 0)
		a->as = "agg";
}

/* What parts of a result are has been asked for when they were made. */
static void
check_merge(struct plan *p)
{
	int i;

	if (p->pass)
		die("--merge goes without --pass and --keep");
	for (i = 0; i < p->n; i++) {
		struct spec *a = p->spec[i];

		if (a->stats != NULL || a->fields != NULL || a->cut != NULL ||
		    a->as != NULL || a->where.n > 0)
			die("--merge takes -a and -f from its input; its"
			    " own are -T, -g, --sort, -n, --rest");
		if (a->rest && a->limit < 0)
			die("--rest goes with -n");
		if (p->partial && a->limit >= 0)
			die("--partial goes without -n");
		a->partial = p->partial;
	}
}

/* Results are told apart by their type, records without statistics by that of
 * the input. */
static void
check_two(const struct spec *a, const struct spec *b)
{
	int i, k;

	if ((a->nstats > 0) != (b->nstats > 0))
		die("--and goes with statistics on both sides, or on none");
	if (a->nstats > 0 && strcmp(a->as, b->as) == 0)
		die("--and: two results of one type '%s': --as NAME", a->as);
	for (i = 0; a->nstats == 0 && i < a->in.ntypes; i++)
		for (k = 0; k < b->in.ntypes; k++)
			if (strcmp(a->in.tag[i], b->in.tag[k]) == 0)
				die("--and: without statistics, '%s' can be in"
				    " one -T only",
				    a->in.tag[i]);
}

void
plan_check(struct plan *p)
{
	int i, k;

	if (p->keep != NULL)
		p->pass = true;
	if (p->merge) {
		check_merge(p);
		return;
	}
	if (p->pass && p->n == 1 && !any_option(p->spec[0])) {
		p->n = 0;
		return;
	}
	if (p->partial && p->pass)
		die("--partial goes without --pass and --keep");
	for (i = 0; i < p->n; i++) {
		p->spec[i]->partial = p->partial;
		defaults(p->spec[i]);
		if (p->partial && p->spec[i]->nstats == 0)
			die("--partial goes with statistics");
		if (p->partial && p->spec[i]->limit >= 0)
			die("--partial goes without -n: --merge has it");
		for (k = 0; k < i; k++)
			check_two(p->spec[k], p->spec[i]);
	}
}
