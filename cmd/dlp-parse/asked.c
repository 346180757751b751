/* The options that select; see asked.h. */
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "cli.h"
#include "cols.h"
#include "err.h"
#include "num.h"
#include "select_range.h"

struct asked asked = { .from = INT64_MIN, .until = INT64_MAX };

static void
list(struct asked_list *l, const char *arg)
{
	l->v = cli_list(arg, &l->n);
	l->seen = xcalloc((size_t)l->n + 1, sizeof(*l->seen));
}

static void
numbers(struct asked_list *l, const char *opt)
{
	int i;

	l->num = xcalloc((size_t)l->n, sizeof(*l->num));
	for (i = 0; i < l->n; i++)
		if (!num_i64(l->v[i], strlen(l->v[i]), &l->num[i]))
			die("--%s: bad number '%s'", opt, l->v[i]);
}

/* Types that only databases with ops in them give. */
static bool
of_ops(const char *type)
{
	return strcmp(type, "op") == 0 || strcmp(type, "inst") == 0 ||
	       strcmp(type, "finding") == 0;
}

static void
check_types(const struct asked_list *l)
{
	const struct type_def *t;
	int i;

	for (i = 0; i < l->n; i++) {
		t = type_find(l->v[i]);
		if (t == NULL ||
		    (strcmp(t->by, "dlp-parse") != 0 && !of_ops(l->v[i])))
			die("--type: no such record type '%s'", l->v[i]);
	}
}

void
asked_device(const char *arg)
{
	list(&asked.devices, arg);
	numbers(&asked.devices, "device");
	asked.any = true;
}

void
asked_pid(const char *arg)
{
	list(&asked.pids, arg);
	numbers(&asked.pids, "pid");
	asked.any = true;
}

void
asked_stream(const char *arg)
{
	list(&asked.streams, arg);
	numbers(&asked.streams, "stream");
	asked.any = true;
}

void
asked_domain(const char *arg)
{
	list(&asked.domains, arg);
	asked.any = true;
}

void
asked_type(const char *arg)
{
	list(&asked.types, arg);
	check_types(&asked.types);
}

/* A number with an optional unit. */
static bool
time_arg(const char *s, int64_t *ns)
{
	size_t n = strlen(s);
	double v;

	if (num_i64(s, n, ns))
		return true;
	if (!num_with_unit(s, n, NUM_TIME, &v) || v < -9e18 || v > 9e18)
		return false;
	*ns = (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
	return true;
}

static void
set_time(int64_t *t, const char *opt, const char *arg)
{
	if (!time_arg(arg, t))
		die("--%s: bad time '%s' (a number of ns, or with s, ms, us)",
		    opt, arg);
	if (asked.from >= asked.until)
		die("--end does not lie behind --start: nothing is between"
		    " them");
	asked.any = true;
}

void
asked_start(const char *arg)
{
	set_time(&asked.from, "start", arg);
}

void
asked_end(const char *arg)
{
	set_time(&asked.until, "end", arg);
}

void
asked_range(const char *arg)
{
	range_add(arg);
	asked.any = true;
}
