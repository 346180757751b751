/*
 * dlp-pyprof: PyProf's .dict with PyProf's own numbers, wrong ones included,
 * as kern records: to check old tables. dlp-flops has the right ones.
 */
#include "cli.h"
#include "dlp-pyprof/kern.h"
#include "dlp-pyprof/print.h"
#include "dlp-pyprof/rule.h"
#include "err.h"
#include "lines.h"
#include "out.h"
#include "stage.h"

static const char usage[] =
    "usage: dlp-pyprof [-huV] [-y YEAR] [FILE]\n"
    "Kernels of a .dict of PyProf, with PyProf's numbers, as records.\n"
    "  -y, --year YEAR   the rules of 2019 (default) or of 2021, its last\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

static struct lines in;
static struct kern kern;
static struct forward forward;
static struct marker marker;
static struct result result;
static bool last;
static int64_t idx;
static uint64_t bad, died;
static bool broken; /* whoever writes the input says that it failed */

static void
set_year(const char *arg)
{
	if (strcmp(arg, "2019") != 0 && strcmp(arg, "2021") != 0)
		die("-y: '%s' is neither 2019 nor 2021", arg);
	last = strcmp(arg, "2021") == 0;
}

/* What PyProf's rule says; false if it would have stopped. */
static bool
judge(void)
{
	static struct buf mod, op;
	struct call c = { &marker, buf_str(&kern.name), kern.bwd, kern.sub,
		{ kern.grid[0], kern.grid[1], kern.grid[2] }, last };
	rule_fn *rule;

	buf_clear(&mod);
	buf_clear(&op);
	(void)first_text(kern.part[P_MOD], &mod);
	(void)first_text(kern.part[P_OP], &op);
	rule = rule_find((struct mview){ buf_str(&mod), mod.len },
	    (struct mview){ buf_str(&op), op.len }, last);
	result.params.len = 0;
	result.flops = result.bytes = pynum_int(0);
	result.tc = "-";
	result.op = NULL;
	return rule(&c, &result);
}

static void
one(void)
{
	bool has, ok = true;

	idx++;
	forward_keep(&forward, &kern);
	forward_find(&forward, &kern);
	has = kern.marker.len > 0 &&
	      marker_read(&marker, kern.marker.s, kern.marker.len);
	if (has)
		ok = judge();
	if (!ok) {
		died++;
		result.params.len = 0;
	}
	print_kern(&kern, idx, &marker, has ? &result : NULL, !ok);
}

static bool
is_blank(const char *s, size_t n)
{
	while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return n == 0;
}

static void
read_all(void)
{
	const char *s;
	size_t n;

	while (lines_next(&in, &s, &n)) {
		if (is_blank(s, n))
			continue;
		broken = n > 0 && s[0] == '#';
		if (broken)
			return;
		if (kern_read(&kern, s, n)) {
			one();
			continue;
		}
		idx++;
		if (bad++ == 0)
			warn("%s:%llu: not a whole dict of PyProf: '%.*s'",
			    in.name, (unsigned long long)in.no,
			    n < 40 ? (int)n : 40, s);
	}
	if (bad > 0 && bad == (uint64_t)idx)
		die("%s: no dict of PyProf in it", in.name);
	if (idx == 0)
		die("%s: empty input", in.name);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'y', "year", .call = set_year },
		{ 0 },
	};
	const char *path;
	bool unbuffered;
	int rc;

	cli_init("dlp-pyprof");
	unbuffered = cli_options(argc, argv, usage, opts);
	path = cli_operand(argc, argv, usage);
	lines_open(&in, path);
	out_open(unbuffered);
	print_open();
	stage_begin_section(argc, argv);
	read_all();
	stage_note("dict_bad_lines", bad);
	stage_note("pyprof_stopped", died);
	if (!broken)
		stage_end_section();
	forward_free(&forward);
	lines_close(&in);
	rc = out_finish(broken ? EXIT_TROUBLE : EXIT_OK);
	if (died > 0)
		warn("kernels at which PyProf would have stopped: %llu",
		    (unsigned long long)died);
	return rc;
}
