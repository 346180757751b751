/* The list of reports, and the selection of those requested. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "out.h"
#include "stats.h"
#include "words.h"

/* rep_sums.c, rep_traces.c, rep_ranges.c */
extern const struct report_def rep_kern_sum, rep_kern_gb_sum, rep_api_sum,
    rep_mem_time_sum, rep_mem_size_sum, rep_gpu_sum, rep_nvtx_sum,
    rep_pushpop_sum, rep_startend_sum, rep_osrt_sum;
extern const struct report_def rep_api_gpu_sum;
extern const struct report_def rep_pushpop_trace;
extern const struct report_def rep_api_trace;
extern const struct report_def rep_exec_sum;
extern const struct report_def rep_exec_trace, rep_gpu_trace;
extern const struct report_def rep_proj_sum, rep_proj_trace;
extern const struct report_def rep_nvtx_kern_sum;

static const struct report_def *const report_defs[] = { &rep_api_sum,
	&rep_api_trace, &rep_api_gpu_sum, &rep_kern_sum, &rep_kern_gb_sum,
	&rep_mem_time_sum, &rep_mem_size_sum, &rep_gpu_sum, &rep_gpu_trace,
	&rep_exec_sum, &rep_exec_trace, &rep_nvtx_sum, &rep_pushpop_sum,
	&rep_pushpop_trace, &rep_startend_sum, &rep_proj_sum, &rep_proj_trace,
	&rep_nvtx_kern_sum, &rep_osrt_sum, NULL };

/* Reports with more than one old name. */
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
find_report(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(aliases); i++)
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
ask(struct stats *s, char *name)
{
	char *arg = strchr(name, ':'), *next;
	struct report r = { .stats = s };
	int i;

	if (arg != NULL)
		*arg++ = '\0';
	r.def = find_report(name);
	if (r.def == NULL)
		unknown(name);
	for (; arg != NULL; arg = next) {
		next = strchr(arg, ':');
		if (next != NULL)
			*next++ = '\0';
		if (!argument(&r, arg))
			die("-r: %s: bad argument '%s'", name, arg);
	}
	for (i = 0; i < s->nreports; i++)
		if (s->report[i].def == r.def && s->report[i].mode == r.mode &&
		    s->report[i].range_names == r.range_names)
			die("-r: '%s' twice", name);
	if (s->nreports == STATS_REPORTS)
		die("-r: more than %d reports", STATS_REPORTS);
	r.state = xcalloc(1, r.def->state + 1);
	s->report[s->nreports++] = r;
}

bool
reports_ask(struct stats *s, const char *list)
{
	char **v;
	int i, n;

	if (strcmp(list, "help") == 0 || strcmp(list, "list") == 0)
		return false;
	v = cli_list(list, &n);
	for (i = 0; i < n; i++)
		ask(s, v[i]);
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

bool
reports_need(const struct stats *s, const char *type)
{
	int i;

	/* work belongs to the ranges around its call */
	for (i = 0; i < s->nreports; i++)
		if (list_has(s->report[i].def->types, ',', type) ||
		    (s->report[i].range_names &&
			list_has("call,range", ',', type)))
			return true;
	return false;
}

void
reports_types(const struct stats *s)
{
	static const char *const types[] = { "kern", "copy", "set", "sync",
		"graph", "call", "range", "os", "dev", "thread" };
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (reports_need(s, types[i])) {
			buf_puts(&out_buf, n++ > 0 ? "," : "");
			buf_puts(&out_buf, types[i]);
		}
	buf_putc(&out_buf, '\n');
}

static void
ranges_forget(struct range_groups *g)
{
	groups_free(g->table);
	g->table = NULL;
	g->nkerns = 0;
	map_clear(&g->parts);
}

void
reports_section(struct stats *s)
{
	struct report *r;
	int i;

	ranges_forget(&s->ranges);
	s->ranges.table = groups_new(GROUP_VALS);
	for (i = 0; i < s->nreports; i++) {
		r = &s->report[i];
		groups_free(r->t);
		order_free(r->rows);
		r->t = r->def->group != NULL && r->def->needs == 0
			   ? groups_new(1)
			   : NULL;
		r->rows = order_new();
	}
}

static void
print(struct report *r, const char *file, bool nvtx)
{
	struct stats_sink *k = &r->stats->sink;

	sink_begin(k, &r->def->table, file);
	if (!nvtx && (r->def->needs != 0 || r->range_names)) {
		; /* has no rows */
	} else if (r->def->print != NULL) {
		r->def->print(r);
	} else {
		if (r->t != NULL)
			groups_each(r->t, GROUPS_ALL, r->def->group, r);
		else if (r->def->group != NULL)
			groups_each(r->stats->ranges.table, RANGES_PROJ,
			    RANGES_KERN - 1, r->def->group, r);
		order_put(r->rows, k);
		r->rows = NULL;
	}
	if (!sink_end(k))
		warn("%s: nothing of this in %s", r->def->table.name,
		    file != NULL ? file : "the profile");
}

/* nvtx: the file has a table of ranges. */
void
reports_print(struct stats *s, const char *file, bool nvtx)
{
	struct report *r;
	int i;

	for (i = 0; i < s->nreports; i++)
		print(&s->report[i], file, nvtx);
	for (i = 0; i < s->nreports; i++) {
		r = &s->report[i];
		groups_free(r->t);
		order_free(r->rows);
		r->t = NULL;
		r->rows = NULL;
	}
	ranges_forget(&s->ranges);
}
