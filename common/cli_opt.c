/* Options by a table; see cli.h. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "drop.h"
#include "err.h"
#include "spill.h"

#define OPT_FIRST 256 /* getopt's value of options[0], which is no letter */

#define OPT_STAGE 1 /* not a letter either */
#define OPT_NEEDS 2

static bool needs;

static const struct option shared[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "unbuffered", no_argument, NULL, 'u' },
	{ CLI_AS_STAGE, no_argument, NULL, OPT_STAGE },
	{ "needs", no_argument, NULL, OPT_NEEDS },
	{ NULL, 0, NULL, 0 },
};
static const char shared_letters[] = "hVu";

static bool
takes_arg(const struct cli_opt *o)
{
	return o->arg != NULL || o->call != NULL || o->set != NULL;
}

static struct option *
words(const struct cli_opt *opts, int n)
{
	struct option *v =
	    xcalloc((size_t)n + sizeof(shared) / sizeof(shared[0]), sizeof(*v));
	int i;

	for (i = 0; i < n; i++) {
		v[i].name = opts[i].name;
		v[i].has_arg = opts[i].optional      ? optional_argument
			       : takes_arg(&opts[i]) ? required_argument
						     : no_argument;
		v[i].val = OPT_FIRST + i;
	}
	memcpy(v + n, shared, sizeof(shared));
	return v;
}

static void
act(const struct cli_opt *o, const char *arg)
{
	if (o->flag != NULL)
		*o->flag = true;
	else if (o->act != NULL)
		o->act();
	else if (o->arg != NULL)
		*o->arg = arg;
	else if (o->set != NULL)
		o->set(o->to, arg);
	else
		o->call(arg);
}

static void
say(const char *text)
{
	fputs(text, stdout);
	if (fflush(stdout) != 0 || ferror(stdout))
		die_errno("standard output");
	exit(EXIT_OK);
}

static void
act_shared(int c, bool *unbuffered)
{
	static char version[64];

	if (c == 'u') {
		*unbuffered = true;
		return;
	}
	if (c == OPT_STAGE) {
		err_as_stage();
		return;
	}
	if (c == OPT_NEEDS) {
		needs = true;
		return;
	}
	if (c == 'h')
		say(cli_help());
	if (c == 'V') {
		(void)snprintf(version, sizeof(version), "%s %s\n",
		    err_prog_name(), DLP_VERSION);
		say(version);
	}
	exit(EXIT_TROUBLE); /* not reached: bad() has printed the error */
}

/* An option that getopt refuses: c is ':' if its argument is missing, otherwise
 * '?'. */
static void
bad(int c, char **argv)
{
	const char *what = c == ':' ? "needs an argument" : "unknown option";
	const char *arg = argv[optind - 1], *prog = err_prog_name();

	if (c == ':')
		die("%s %s; %s -h shows the options", arg, what, prog);
	if (optopt >= OPT_FIRST || (optopt != 0 && strncmp(arg, "--", 2) == 0))
		die("%s takes no argument; %s -h shows the options", arg, prog);
	if (optopt != 0)
		die("%s '-%c'; %s -h shows the options", what, optopt, prog);
	die("%s '%s'; %s -h shows the options", what, arg, prog);
}

bool
cli_options(int argc, char **argv, const struct cli_opt *opts)
{
	/* static, because they are still in use when the program exits here */
	static char *shorts;
	static struct option *longs;
	int n = 0, c;
	const struct cli_opt *o;
	bool unbuffered = false;
	char *s, *p;
	int i;

	while (opts != NULL && opts[n].name != NULL)
		n++;
	/* getopt's letters: ours and the shared ones. */
	s = xmalloc(1 + 3 * (size_t)n + sizeof(shared_letters));
	p = s;
	*p++ = ':'; /* make getopt return ':' for a missing argument */
	for (i = 0; i < n; i++) {
		if (opts[i].ch == '\0')
			continue;
		*p++ = opts[i].ch;
		if (takes_arg(&opts[i]))
			*p++ = ':';
		if (opts[i].optional)
			*p++ = ':';
	}
	memcpy(p, shared_letters, sizeof(shared_letters));
	shorts = s;
	longs = words(opts, n);
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			bad(c, argv);
		o = c >= OPT_FIRST ? &opts[c - OPT_FIRST] : NULL;
		for (i = 0; o == NULL && i < n; i++)
			if (opts[i].ch == c && c != '\0')
				o = &opts[i];
		if (o != NULL)
			act(o, optarg);
		else
			act_shared(c, &unbuffered);
	}
	for (o = opts; o < opts + n; o++)
		if (o->call == drop_add && !needs)
			drop_unread(err_prog_name());
	free(longs);
	free(shorts);
	return unbuffered;
}

bool
cli_needs(void)
{
	return needs;
}

void
cli_spill(const char *arg)
{
	spill_bound(cli_size("-S", arg));
}
