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

static struct advise_opts o;

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
set_fail_on(const char *arg)
{
	check_list(arg);
	o.fail_on = arg;
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
	if (fflush(stdout) != 0)
		die_errno("standard output");
	exit(EXIT_OK);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &o.dlprof },
		{ 'l', "list", .act = list_rules },
		{ 0, "fail-on", .call = set_fail_on },
		{ 0, "rule", .call = set_limit },
		{ 0 },
	};
	struct stage st;

	stage_start(&st, "dlp-advise", usage, opts, argc, argv);
	return out_finish(advise_run(&st, &o));
}
