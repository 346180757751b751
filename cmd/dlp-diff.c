/*
 * dlp-diff: compares two runs: what became slower or faster, and by how much
 * more than chance. With --join it puts many runs side by side, a column each.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-diff/diff.h"
#include "err.h"
#include "num.h"
#include "stage.h"

/* The run. One per process, because the functions that get options have no
 * argument for it. */
static struct diff {
	enum diff_value value;
	size_t first;
	struct diff_trim trim;
	bool join;
	struct diff_how how;
	struct diff_model m;
	size_t n_left_out; /* sides that are left out of the join */
} diff = { .first = 1, .how.noise = 0.01, .trim.to = -1 };

/* 5% or 5 */
static double
percent(const char *opt, const char *arg)
{
	size_t n = strlen(arg);
	double v;

	if (n > 1 && arg[n - 1] == '%')
		n--;
	if (!num_f64(arg, n, &v) || v < 0 || v > 1e6)
		die("%s: bad percentage '%s'", opt, arg);
	return v / 100;
}

/* N or N-M */
static void
set_steps(const char *given)
{
	char *arg = xstrdup(given), *dash = strchr(arg, '-');

	if (dash != NULL)
		*dash++ = '\0';
	diff.trim.from = cli_i64("-i", arg, 0, INT32_MAX);
	diff.trim.to =
	    cli_i64("-i", dash != NULL ? dash : arg, diff.trim.from, INT32_MAX);
	free(arg);
}

static int
find_word(const char *opt, const char *arg, const char *const *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], arg) == 0)
			return i;
	die("%s: '%s' is not one of %s %s %s %s%s%s%s%s%s%s", opt, arg,
	    words[0], words[1], words[2], words[3], n > 4 ? " " : "",
	    n > 4 ? words[4] : "", n > 5 ? " " : "", n > 5 ? words[5] : "",
	    n > 6 ? " " : "", n > 6 ? words[6] : "");
}

static void
set_group(const char *arg)
{
	static const char *const by[] = { "op", "kernel", "type", "prim",
		"layer", "phase", "iter" };

	diff.m.by = (enum diff_by)find_word("-g", arg, by, 7);
}

static void
set_value(const char *arg)
{
	static const char *const values[] = { "gpu", "cpu", "n", "flop" };

	diff.value = (enum diff_value)find_word("-v", arg, values, 4);
}

static void
set_limit(const char *arg)
{
	diff.how.limit = (size_t)cli_i64("-n", arg, 0, INT32_MAX);
}

static void
set_first(const char *arg)
{
	diff.first = (size_t)cli_i64("-m", arg, 1, INT32_MAX);
}

static void
set_noise(const char *arg)
{
	diff.how.noise = percent("--noise", arg);
}

static void
set_fail_over(const char *arg)
{
	diff.how.fail_over = percent("--fail-over", arg);
	diff.how.gate = true;
}

static const struct cli_opt opts[] = {
	{ 'g', "group", .call = set_group },
	{ 'v', "value", .call = set_value },
	{ 'n', "limit", .call = set_limit },
	{ 'm', "first", .call = set_first },
	{ 'a', "all", .flag = &diff.trim.all },
	{ 'i', "iter", .call = set_steps },
	{ 0, "noise", .call = set_noise },
	{ 0, "fail-over", .call = set_fail_over },
	{ 0, "join", .flag = &diff.join },
	{ 0, "cells", .flag = &diff.how.cells },
	{ 0 },
};

static const char *
no_steps(const struct diff *d)
{
	return d->trim.to < 0 ? "no iter records: nothing in it"
				" runs on a GPU, or dlp-iter is missing"
			      : "it has no such steps";
}

/* True if a run is left out of the join, which goes on without it. */
static bool
left_out(struct diff *d, struct diff_side *s)
{
	const struct diff_side *before = s > d->m.side ? s - 1 : NULL;

	s->left_out = s->n_open > 0 || s->n_used == 0;
	/* A stream that breaks off can be followed by an empty section. */
	if (s->left_out && (before == NULL || !before->left_out ||
			       strcmp(before->name, s->name) != 0))
		warn("%s: left out: %s",
		    strcmp(s->name, "-") != 0 ? s->name : "a run",
		    s->n_open > 0 ? "it is not whole" : no_steps(d));
	d->n_left_out += s->left_out;
	return s->left_out;
}

static void
trim_all(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->m.n_side; i++) {
		struct diff_side *s = &d->m.side[i];

		if (s->name == NULL)
			s->name = xstrdup("-");
		side_trim(s, &d->trim);
		if (d->join && left_out(d, s))
			continue;
		if (s->n_used == 0)
			die("%s: %s", s->name, no_steps(d));
		if (!d->join)
			side_say(s, i == 0 ? "A" : "B", &d->trim);
		else if (!s->cut)
			warn("%s: no steps are known: the whole run counts,"
			     " from its first GPU work to the last",
			    s->name);
	}
	if (d->join)
		return;
	if (d->m.side[0].cut != d->m.side[1].cut && d->how.gate)
		die("--fail-over: only one of the two has steps");
	if (d->m.side[0].cut != d->m.side[1].cut)
		warn("only one of the two has steps: the times are not of the"
		     " same thing");
	compare_facts(d->m.side);
}

int
main(int argc, char **argv)
{
	struct diff *d = &diff;
	bool unbuffered;
	int n, rc = EXIT_OK, i;
	char **files;

	cli_init("dlp-diff");
	unbuffered = cli_options(argc, argv, opts);
	d->m.cpu = d->value == V_CPU;
	if (!d->join && d->value > V_CPU)
		die("-v: %s needs --join", d->value == V_N ? "n" : "flop");
	if (d->join && d->how.gate)
		die("--join and --fail-over exclude each other");
	if (d->join && d->how.cells)
		die("--join and --cells exclude each other");
	if (d->join && d->m.by == BY_ITER)
		die("--join and -g iter exclude each other");
	if (d->m.cpu &&
	    (d->m.by == BY_KERNEL || d->m.by == BY_PRIM || d->m.by == BY_ITER))
		die("-v cpu is the time of ops: -g takes op, type, layer or"
		    " phase");
	n = argc - optind;
	if (!d->join && n > 2)
		cli_usage();
	if (n == 0)
		cli_operand(argc, argv);
	files = argv + optind;
	d->m.complete = true;
	if (n < 2 && !d->join)
		read_stream(
		    &d->m, n == 1 ? files[0] : NULL, 0, d->first, false, false);
	else if (n < 2)
		read_stream(&d->m, n == 1 ? files[0] : NULL, 0, 0, true, true);
	for (i = 0; n > 1 && i < n; i++)
		read_stream(&d->m, files[i], d->join ? d->m.n_side : (size_t)i,
		    0, false, d->join);
	if (!d->m.complete && !d->join)
		die("an input is not whole: nothing is compared");
	if (d->m.n_side < 2 && !d->join)
		die("only one run in the input: nothing to compare it with");
	trim_all(d);
	if (d->n_left_out == d->m.n_side)
		die("no run is whole and has such steps: nothing is joined");
	if (d->n_left_out > 0)
		rc = EXIT_TROUBLE;
	out_open(unbuffered);
	stage_begin_section(argc, argv);
	if (d->join)
		join_print(&d->m, d->value, d->how.limit);
	else
		rc = compare(&d->m, &d->how);
	if (d->n_left_out == 0)
		stage_end_section();
	return out_finish(rc);
}
