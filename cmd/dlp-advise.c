/*
 * dlp-advise: the expert systems: passes a stream on and adds a finding
 * record for each rule, fired or not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-advise/run.h"
#include "err.h"
#include "num.h"
#include "out.h"

static const char usage[] =
    "usage: dlp-advise [-Dlu] [--fail-on RULES] [--rule RULE=N] [FILE]\n"
    "\n"
    "Judges a profile by rules: a finding record for each.\n"
    "\n"
    "  -D, --dlprof          DLProf's detectors alone\n"
    "      --fail-on RULES   exit 1 if one of them fires; comma separated:\n"
    "                        names, any, or dlprof\n"
    "      --rule RULE=N     the rule's threshold is N\n"
    "  -l, --list            list the rules\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            this text\n"
    "  -V, --version         the version\n";

enum { OPT_FAIL = 256, OPT_RULE };

static const struct option longopts[] = {
	{ "dlprof", no_argument, NULL, 'D' },
	{ "list", no_argument, NULL, 'l' },
	{ "fail-on", required_argument, NULL, OPT_FAIL },
	{ "rule", required_argument, NULL, OPT_RULE },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static struct rule *
rule_find(const char *opt, const char *name, size_t n)
{
	struct rule *r;

	for (r = rules; r->id != NULL; r++)
		if (strlen(r->id) == n && memcmp(r->id, name, n) == 0)
			return r;
	die("%s: no rule '%.*s'; -l lists them", opt, (int)n, name);
}

static void
check_list(const char *list)
{
	const char *s = list, *end;
	size_t n;

	for (; s != NULL; s = end != NULL ? end + 1 : NULL) {
		end = strchr(s, ',');
		n = end != NULL ? (size_t)(end - s) : strlen(s);
		if ((n == 3 && memcmp(s, "any", 3) == 0) ||
		    (n == 6 && memcmp(s, "dlprof", 6) == 0))
			continue;
		rule_find("--fail-on", s, n);
	}
}

static void
set_limit(const char *arg)
{
	const char *eq = strchr(arg, '=');
	struct rule *r;

	if (eq == NULL)
		die("--rule: '%s' is not RULE=N", arg);
	r = rule_find("--rule", arg, (size_t)(eq - arg));
	if (r->unit == NULL)
		die("--rule: %s has no threshold", r->id);
	if (!num_f64(eq + 1, strlen(eq + 1), &r->limit))
		die("--rule: bad number '%s'", eq + 1);
	r->limit_dlprof = false;
}

static void
list_rules(void)
{
	const struct rule *r;

	for (r = rules; r->id != NULL; r++) {
		printf("%s\t%s\t", r->id, r->dlprof ? "dlprof" : "ours");
		if (r->unit != NULL)
			printf("%.10g %s", r->limit, r->unit);
		else
			printf("-");
		printf("\t%s\n", r->help);
	}
	exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_TROUBLE);
}

int
main(int argc, char **argv)
{
	struct advise_opts o = { false, NULL };
	bool unbuffered = false;
	struct stage st;
	const char *path;
	int c;

	cli_init("dlp-advise");
	while ((c = cli_getopt(
		    argc, argv, "Dl" CLI_SHORTOPTS, longopts, NULL)) != -1)
		switch (c) {
		case 'D':
			o.dlprof = true;
			break;
		case 'l':
			list_rules();
			break;
		case OPT_FAIL:
			check_list(optarg);
			o.fail_on = optarg;
			break;
		case OPT_RULE:
			set_limit(optarg);
			break;
		default:
			cli_shared(c, usage, &unbuffered);
		}
	path = cli_operand(argc, argv, usage);
	stage_open(&st, argc, argv, path, unbuffered);
	return out_finish(advise_run(&st, &o));
}
