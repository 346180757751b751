/*
 * dlp-diff: two runs side by side: what became slower or faster, and by how
 * much more than by chance. With --join many runs, a column each.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-diff/many.h"
#include "dlp-diff/compare.h"
#include "err.h"
#include "num.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-diff [-g BY] [-v VALUE] [-n N] [-m N | --join] [-a | -i N]"
    " [--noise PCT] [--fail-over PCT] [FILE | A B]\n"
    "\n"
    "Compares two runs, in the files A and B, or in the sections of one\n"
    "stream: the first of these is A.\n"
    "\n"
    "  -g, --group BY      op (default), kernel, type, layer, phase or iter\n"
    "  -v, --value VALUE   gpu (default): time on the GPU; cpu: that of the\n"
    "                      ops on the CPU; --join also takes n and flop\n"
    "  -n, --limit N       at most N rows, 0: all (default 0)\n"
    "  -m, --first N       the first N sections are runs of A (default 1)\n"
    "  -i, --iter N[-M]    only these steps count\n"
    "  -a, --all           all steps count, the warm-up too\n"
    "      --noise PCT     the least change that counts (default 1%)\n"
    "      --fail-over PCT exit 1 if the step became slower by more\n"
    "      --join          a column of values for each run\n"
    "  -u, --unbuffered    write each record at once\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n";

static struct {
	enum value value;
	size_t first;
	struct trim trim;
	bool join;
	struct how how;
} o = { .first = 1, .how.noise = 0.01, .trim.to = -1 };

static struct model m;
static size_t n_left_out; /* sides of what is joined */

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
steps(const char *given)
{
	char *arg = xstrdup(given), *dash = strchr(arg, '-');

	if (dash != NULL)
		*dash++ = '\0';
	o.trim.from = cli_i64("-i", arg, 0, INT32_MAX);
	o.trim.to =
	    cli_i64("-i", dash != NULL ? dash : arg, o.trim.from, INT32_MAX);
	free(arg);
}

static int
word(const char *opt, const char *arg, const char *const *words, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], arg) == 0)
			return i;
	die("%s: '%s' is none of %s %s %s %s%s%s%s%s", opt, arg, words[0],
	    words[1], words[2], words[3], n > 4 ? " " : "",
	    n > 4 ? words[4] : "", n > 5 ? " " : "", n > 5 ? words[5] : "");
}

static void
group(const char *arg)
{
	static const char *const by[] = { "op", "kernel", "type", "layer",
		"phase", "iter" };

	m.by = (enum by)word("-g", arg, by, 6);
}

static void
value(const char *arg)
{
	static const char *const values[] = { "gpu", "cpu", "n", "flop" };

	o.value = (enum value)word("-v", arg, values, 4);
}

static void
limit(const char *arg)
{
	o.how.limit = (size_t)cli_i64("-n", arg, 0, INT32_MAX);
}

static void
first(const char *arg)
{
	o.first = (size_t)cli_i64("-m", arg, 1, INT32_MAX);
}

static void
noise(const char *arg)
{
	o.how.noise = percent("--noise", arg);
}

static void
fail_over(const char *arg)
{
	o.how.fail_over = percent("--fail-over", arg);
	o.how.gate = true;
}

static const struct cli_opt opts[] = {
	{ 'g', "group", .call = group },
	{ 'v', "value", .call = value },
	{ 'n', "limit", .call = limit },
	{ 'm', "first", .call = first },
	{ 'a', "all", .flag = &o.trim.all },
	{ 'i', "iter", .call = steps },
	{ 0, "noise", .call = noise },
	{ 0, "fail-over", .call = fail_over },
	{ 0, "join", .flag = &o.join },
	{ 0 },
};

static void
check(void)
{
	m.cpu = o.value == V_CPU;
	if (!o.join && o.value > V_CPU)
		die("-v: %s goes with --join", o.value == V_N ? "n" : "flop");
	if (o.join && o.how.gate)
		die("--join and --fail-over exclude each other");
	if (o.join && m.by == BY_ITER)
		die("--join and -g iter exclude each other");
	if (m.cpu && (m.by == BY_KERNEL || m.by == BY_ITER))
		die("-v cpu is the time of ops: -g takes op, type, layer or"
		    " phase");
}

static void
read_all(int n, char **files)
{
	int i;

	m.complete = true;
	if (n < 2 && !o.join)
		read_stream(
		    &m, n == 1 ? files[0] : NULL, 0, o.first, false, false);
	else if (n < 2)
		read_stream(&m, n == 1 ? files[0] : NULL, 0, 0, true, true);
	for (i = 0; n > 1 && i < n; i++)
		read_stream(&m, files[i], o.join ? m.n_side : (size_t)i, 0,
		    false, o.join);
}

static const char *
no_steps(void)
{
	return o.trim.to < 0 ? "no iter records: nothing in it"
			       " runs on a GPU, or dlp-iter is missing"
			     : "it has no such steps";
}

/* Of many runs those that cannot be told do not keep the others from it. */
static bool
left_out(struct side *s)
{
	const struct side *before = s > m.side ? s - 1 : NULL;

	s->left_out = s->n_open > 0 || s->n_used == 0;
	/* A stream that breaks off can be followed by an empty section. */
	if (s->left_out && (before == NULL || !before->left_out ||
			       strcmp(before->name, s->name) != 0))
		warn("%s: left out: %s",
		    strcmp(s->name, "-") != 0 ? s->name : "a run",
		    s->n_open > 0 ? "it is not whole" : no_steps());
	n_left_out += s->left_out;
	return s->left_out;
}

static void
trim(void)
{
	size_t i;

	for (i = 0; i < m.n_side; i++) {
		struct side *s = &m.side[i];

		if (s->name == NULL)
			s->name = xstrdup("-");
		side_trim(s, &o.trim);
		if (o.join && left_out(s))
			continue;
		if (s->n_used == 0)
			die("%s: %s", s->name, no_steps());
		if (!o.join)
			side_say(s, i == 0 ? "A" : "B", &o.trim);
		else if (!s->cut)
			warn("%s: no steps are known: the whole run counts,"
			     " from its first GPU work to the last",
			    s->name);
	}
	if (o.join)
		return;
	if (m.side[0].cut != m.side[1].cut && o.how.gate)
		die("--fail-over: only one of the two has steps");
	if (m.side[0].cut != m.side[1].cut)
		warn("only one of the two has steps: the times are not of the"
		     " same thing");
	compare_facts(m.side);
}

int
main(int argc, char **argv)
{
	bool unbuffered;
	int n, rc = EXIT_OK;

	cli_init("dlp-diff");
	unbuffered = cli_options(argc, argv, usage, opts);
	check();
	n = argc - optind;
	if (!o.join && n > 2)
		cli_usage(usage);
	if (n == 0)
		cli_operand(argc, argv, usage);
	read_all(n, argv + optind);
	if (!m.complete && !o.join)
		die("an input is not whole: nothing is compared");
	if (m.n_side < 2 && !o.join)
		die("only one run in the input: nothing to compare it with");
	trim();
	if (n_left_out == m.n_side)
		die("no run is whole and has such steps: nothing is joined");
	if (n_left_out > 0)
		rc = EXIT_TROUBLE;
	out_open(unbuffered);
	stage_begin_section(argc, argv);
	if (o.join)
		many_print(&m, o.value, o.how.limit);
	else
		rc = compare(&m, &o.how);
	if (n_left_out == 0)
		stage_end_section();
	return out_finish(rc);
}
