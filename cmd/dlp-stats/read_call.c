/* Calls; see read_call.h. */
#include <stdlib.h>

#include "err.h"
#include "read_call.h"
#include "reports.h"

static bool wants_api;

/* Calls with several activities: those that follow lie at the same time. */
static struct several {
	int64_t pid, corr, start, dur;
} * several;
static size_t nseveral, severalcap;

void
call_open(void)
{
	int i;

	for (i = 0; i < nreports; i++)
		wants_api |= reports[i].def->on_api != NULL;
}

void
call_section(void)
{
	nseveral = 0;
}

static struct call
call_of(const struct rec *r, enum type t, enum col name)
{
	struct call c = { 0 };

	c.name = field_text(r, t, name);
	c.no = field_num(r, t, C_NAME_NO, 0);
	c.pid = field_num(r, t, C_PID, -1);
	c.tid = field_num(r, t, C_TID, -1);
	c.corr = field_text(r, t, C_CORR);
	return c;
}

static void
api(const struct call *c)
{
	int i;

	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_api != NULL)
			reports[i].def->on_api(&reports[i], c);
}

static void
add_several(const struct rec *r, int64_t start, int64_t dur)
{
	if (nseveral > 0 && several[0].start < start)
		nseveral = 0;
	if (nseveral == severalcap) {
		severalcap = severalcap != 0 ? severalcap * 2 : 4;
		several = xrealloc(several, severalcap, sizeof(*several));
	}
	several[nseveral].pid = field_num(r, T_CALL, C_PID, -1);
	several[nseveral].corr = field_num(r, T_CALL, C_CORR, -1);
	several[nseveral].start = start;
	several[nseveral++].dur = dur;
}

bool
call_api(const struct rec *r)
{
	struct call c = call_of(r, T_CALL, C_API);

	if (!field_i64(r, T_CALL, C_DUR, &c.dur))
		return false;
	c.start = field_num(r, T_CALL, C_START, 0);
	c.idx = field_num(r, T_CALL, C_IDX, 0);
	c.ret = field_text(r, T_CALL, C_RET);
	if (field_num(r, T_CALL, C_N_GPU, 0) > 1)
		add_several(r, c.start, c.dur);
	if (wants_api)
		api(&c);
	return true;
}

bool
call_os(const struct rec *r)
{
	struct call c = call_of(r, T_OS, C_NAME);
	int i;

	if (!field_i64(r, T_OS, C_DUR, &c.dur))
		return false;
	for (i = 0; i < nreports; i++)
		if (reports[i].def->on_os != NULL)
			reports[i].def->on_os(&reports[i], &c);
	return true;
}

/* The call of GPU work that has no record of its own. */
static void
own_call(const struct rec *r, enum type t, const struct gpu *g)
{
	struct call c = call_of(r, t, C_API);

	c.start = g->api_start;
	c.dur = g->api_dur;
	c.idx = field_num(r, t, C_CALL_IDX, 0);
	c.ret = field_text(r, t, C_CALL_RET);
	api(&c);
}

/* The call's times; its duration may be in its own record. */
static void
read_api(const struct rec *r, enum type t, struct gpu *g)
{
	size_t i;

	if (!field_i64(r, t, C_API_START, &g->api_start))
		return;
	g->has_api = field_i64(r, t, C_API_DUR, &g->api_dur);
	if (g->has_api)
		return;
	for (i = 0; i < nseveral && !g->has_api; i++)
		if (several[i].corr == g->corr && several[i].pid == g->pid) {
			g->has_api = true;
			g->api_dur = several[i].dur;
		}
}

void
call_of_gpu(const struct rec *r, enum type t, struct gpu *g)
{
	read_api(r, t, g);
	if (wants_api && g->has_api && field_text(r, t, C_API_DUR).s != NULL)
		own_call(r, t, g);
}
