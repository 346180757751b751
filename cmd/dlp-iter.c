/*
 * dlp-iter: gives every record of a dlp stream the iteration it belongs to,
 * and adds a record per iteration.
 */
#include <stdlib.h>

#include "cli.h"
#include "dlp-iter/iter.h"
#include "drop.h"
#include "err.h"
#include "stage.h"

/* The command line fills it: one in a process. */
static struct iter_run g = { .o = {
				 .plan = { .to = INT64_MAX }, .limit = 20 } };

/* Options that become the plan. */
static struct {
	bool one, even, range;
} flag;

static void
check_options(void)
{
	const struct iter_opts *o = &g.o;

	if (o->key != NULL && *o->key == '\0')
		die("-k: empty key");
	if (o->key != NULL && flag.one)
		die("-k and --one exclude each other");
	if (o->key == NULL && (o->cut || o->exact))
		die("%s needs -k", o->cut ? "--cut" : "-x");
	if (o->list && (flag.range || flag.one))
		die("--list excludes --one, --iter-start and --iter-stop");
	if (o->list && o->stable)
		die("--list and --stable exclude each other");
	if (o->list && o->dlprof)
		die("--list and --dlprof exclude each other");
	if (flag.even && (flag.range || o->list || o->dlprof || flag.one))
		die("--even excludes --list, --dlprof, --one, --iter-start and"
		    " --iter-stop");
	if (o->ahead && (!o->stable || flag.range || o->dlprof))
		die("--ahead needs --stable, and excludes --dlprof,"
		    " --iter-start and --iter-stop");
	if (o->keep && !flag.range)
		die("--keep needs --iter-start or --iter-stop");
	if (o->plan.from > o->plan.to)
		die("--iter-start is larger than --iter-stop");
}

int
main(int argc, char **argv)
{
	const char *from = NULL, *to = NULL, *most = NULL;
	const struct cli_opt opts[] = {
		{ 'k', "key", .arg = &g.o.key },
		{ 'D', "dlprof", .flag = &g.o.dlprof },
		{ 'x', "exact", .flag = &g.o.exact },
		{ 0, "cut", .flag = &g.o.cut },
		{ 0, "cuts", .flag = &g.o.cuts },
		{ 0, "stable", .flag = &g.o.stable },
		{ 0, "ahead", .flag = &g.o.ahead },
		{ 0, "even", .flag = &flag.even },
		{ 0, "keep", .flag = &g.o.keep },
		{ 0, "one", .flag = &flag.one },
		{ 0, "iter-start", .arg = &from },
		{ 0, "iter-stop", .arg = &to },
		{ 0, "strict", .flag = &g.o.strict },
		{ 'l', "list", .flag = &g.o.list },
		{ 'n', "limit", .arg = &most },
		DROP_OPTION,
		{ 0 },
	};
	struct stage st;
	bool unbuffered;
	struct iter_opts *o = &g.o;

	cli_init("dlp-iter");
	unbuffered = cli_options(argc, argv, opts);
	if (from != NULL)
		o->plan.from = cli_i64("--iter-start", from, 0, INT64_MAX);
	if (to != NULL)
		o->plan.to = cli_i64("--iter-stop", to, 0, INT64_MAX);
	if (most != NULL)
		o->limit = (int)cli_i64("-n", most, 0, INT32_MAX);
	flag.range = from != NULL || to != NULL;
	check_options();
	o->plan.by = flag.one         ? ITER_BY_NONE
		     : o->key != NULL ? ITER_BY_KEY
				      : ITER_BY_OWN;
	o->plan.wanted = flag.even    ? ITER_EVEN
			 : flag.range ? ITER_RANGE
				      : ITER_ALL;
	o->keep |= flag.even;
	o->cuts |= o->dlprof;
	o->cut |= o->dlprof;
	key_init(&g.key, g.o.key, g.o.exact, g.o.cut);
	stage_open(&st, argc, argv, cli_operand(argc, argv), unbuffered);
	iter_open(&g, &st);
	return out_finish(stage_run(&st));
}
