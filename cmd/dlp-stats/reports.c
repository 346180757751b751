/* The list of reports, and what of it was asked for. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "near.h"
#include "out.h"
#include "ranges.h"
#include "reports.h"
#include "row.h"

#define MAX_REPORTS 64

const struct report_def *const report_defs[] = { &rep_api_sum, &rep_api_trace,
	&rep_api_gpu_sum, &rep_kern_sum, &rep_kern_gb_sum, &rep_mem_time_sum,
	&rep_mem_size_sum, &rep_gpu_sum, &rep_gpu_trace, &rep_exec_sum,
	&rep_exec_trace, &rep_nvtx_sum, &rep_pushpop_sum, &rep_pushpop_trace,
	&rep_startend_sum, &rep_proj_sum, &rep_proj_trace, &rep_nvtx_kern_sum,
	&rep_osrt_sum, NULL };

struct report reports[MAX_REPORTS];
int nreports;

/* More than one old name. */
static const struct {
	const char *old, *name;
} aliases[] = {
	{ "pushpopsum", "nvtx_pushpop_sum" },
	{ "nvtxpushpopsum", "nvtx_pushpop_sum" },
	{ "nvtxstartendsum", "nvtx_startend_sum" },
	{ "nvtxgpuprojtrace", "nvtx_gpu_proj_trace" },
	{ "nvtxpushpoptrace", "nvtx_pushpop_trace" },
	{ "cudaapisum", "cuda_api_sum" },
	{ "cudaapigpusum", "cuda_api_gpu_sum" },
	{ "cuda_kern_sum", "cuda_gpu_kern_sum" },
};

static const struct report_def *
find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].old, name) == 0)
			name = aliases[i].name;
	for (i = 0; report_defs[i] != NULL; i++)
		if (strcmp(report_defs[i]->table.name, name) == 0 ||
		    strcmp(report_defs[i]->old, name) == 0)
			return report_defs[i];
	return NULL;
}

static void unknown(const char *name) __attribute__((noreturn));

static void
unknown(const char *name)
{
	const char *best = NULL;
	size_t least = strlen(name) / 3 + 2, d;
	int i;

	for (i = 0; report_defs[i] != NULL; i++) {
		d = near_distance(name, report_defs[i]->table.name);
		if (d < least) {
			least = d;
			best = report_defs[i]->table.name;
		}
	}
	if (best != NULL)
		die("-r: no report '%s'; did you mean %s?", name, best);
	die("-r: no report '%s'; -r help lists them", name);
}

/* :nvtx-name, and one of :base and :mangled. */
static bool
argument(struct report *r, const char *arg)
{
	int mode;

	if (!r->def->kernels)
		return false;
	if (strcmp(arg, "nvtx-name") == 0 && r->def->needs == 0 &&
	    !r->range_names) {
		r->range_names = true;
		return true;
	}
	mode = kname_mode(arg);
	if (mode < 0 || r->mode != KN_FULL)
		return false;
	r->mode = (enum kname)mode;
	return true;
}

static void
ask(char *name)
{
	char *arg = strchr(name, ':'), *next;
	struct report r = { 0 };
	int i;

	if (arg != NULL)
		*arg++ = '\0';
	r.def = find(name);
	if (r.def == NULL)
		unknown(name);
	for (; arg != NULL; arg = next) {
		next = strchr(arg, ':');
		if (next != NULL)
			*next++ = '\0';
		if (!argument(&r, arg))
			die("-r: %s: bad argument '%s'", name, arg);
	}
	for (i = 0; i < nreports; i++)
		if (reports[i].def == r.def && reports[i].mode == r.mode &&
		    reports[i].range_names == r.range_names)
			die("-r: '%s' twice", name);
	reports[nreports++] = r;
}

bool
reports_ask(const char *list)
{
	char **v;
	int i, n;

	if (strcmp(list, "help") == 0 || strcmp(list, "list") == 0)
		return false;
	v = cli_list(list, &n);
	for (i = 0; i < n; i++)
		ask(v[i]);
	free(v);
	return true;
}

void
reports_list(void)
{
	int i;

	for (i = 0; report_defs[i] != NULL; i++)
		buf_printf(&out_buf, "%-22s %s\n", report_defs[i]->table.name,
		    report_defs[i]->table.title);
}

static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *s = strstr(list, word);

	return s != NULL && (s[n] == ',' || s[n] == '\0') &&
	       (s == list || s[-1] == ',');
}

bool
reports_need(const char *type)
{
	int i;

	/* work is in the ranges around its call */
	for (i = 0; i < nreports; i++)
		if (has_word(reports[i].def->types, type) ||
		    (reports[i].range_names && has_word("call,range", type)))
			return true;
	return false;
}

void
reports_types(void)
{
	static const char *const types[] = { "kern", "copy", "set", "sync",
		"graph", "call", "range", "os", "dev", "thread" };
	size_t i, n = 0;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (reports_need(types[i])) {
			buf_puts(&out_buf, n++ > 0 ? "," : "");
			buf_puts(&out_buf, types[i]);
		}
	buf_putc(&out_buf, '\n');
}

static void
order_rows(struct report *r)
{
	struct print p = { r, order_new() };

	table_each(r->t, TABLE_ALL, r->def->group, &p);
	order_put(p.order);
}

void
reports_section(void)
{
	int i;

	ranges_section();
	for (i = 0; i < nreports; i++) {
		table_free(reports[i].t);
		order_free(reports[i].rows);
		reports[i].t = NULL;
		reports[i].rows = NULL;
		if (reports[i].def->group != NULL)
			reports[i].t = table_new(1, false);
		else
			reports[i].rows = order_new();
	}
}

static void
print(struct report *r, const char *file, bool nvtx)
{
	sink_begin(&r->def->table, file);
	if (!nvtx && (r->def->needs != 0 || r->range_names))
		; /* has no rows */
	else if (r->def->print != NULL)
		r->def->print(r);
	else if (r->def->group != NULL)
		order_rows(r);
	else {
		order_put(r->rows);
		r->rows = NULL;
	}
	if (!sink_end())
		warn("%s: nothing of this in %s", r->def->table.name,
		    file != NULL ? file : "the profile");
}

void
reports_print(const char *file, bool nvtx)
{
	int i;

	for (i = 0; i < nreports; i++)
		print(&reports[i], file, nvtx);
	for (i = 0; i < nreports; i++) {
		table_free(reports[i].t);
		reports[i].t = NULL;
		order_free(reports[i].rows);
		reports[i].rows = NULL;
	}
	ranges_done();
}
