/* From records to work and to what threads do; see read.h. */
#include "read.h"

#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "cli.h"
#include "err.h"
#include "gaps.h"
#include "name.h"
#include "num.h"

static struct {
	struct gaps *g;
	bool counts[T_N];
	struct bind v[T_N];
	struct { /* the newest call record: of what follows it */
		int64_t pid, corr, end;
		bool has;
	} call;
} rd;

struct at { /* what records have in common */
	struct file *f;
	int64_t start, end, pid, tid, api, api_end;
	bool has, has_dur, has_tid, has_api;
};

/* The call of the record's work: its own, or the one of a graph launch that
 * stands right before it. */
static void
read_call(const struct bind *k, const struct rec *r, struct at *a)
{
	int64_t dur, corr;

	a->has_api = rec_i64(r, k->api_start, &a->api);
	a->api_end = a->api;
	if (!a->has_api)
		return;
	if (rec_i64(r, k->api_dur, &dur))
		a->api_end = num_add(a->api, dur);
	else if (rd.call.has && rd.call.pid == a->pid &&
		 rec_i64(r, k->corr, &corr) && corr == rd.call.corr)
		a->api_end = rd.call.end;
}

static struct at
read_at(const struct bind *k, const struct rec *r)
{
	struct at a = { .pid = -1 };
	int64_t dur;
	size_t n = 0;
	const char *s = rec_raw(r, k->src, &n);

	a.f = state_file(rd.g, s, n);
	rec_i64(r, k->pid, &a.pid);
	a.has_tid = rec_i64(r, k->tid, &a.tid);
	a.has = rec_i64(r, k->start, &a.start);
	a.has_dur = a.has && rec_i64(r, k->dur, &dur) && dur >= 0;
	a.end = a.has_dur ? num_add(a.start, dur) : a.start;
	read_call(k, r, &a);
	return a;
}

static void
did(const struct at *a, int64_t lo, int64_t hi, enum did d, uint32_t no)
{
	if (a->has_tid && hi > lo)
		gaps_did(
		    rd.g, a->f, a->pid, (struct act){ lo, hi, a->tid, d, no });
}

/* A copy to pageable memory returns when it is done. */
static enum did
call_did(const struct bind *k, const struct rec *r)
{
	size_t n;
	const char *s = rec_raw(r, k->dst, &n);

	if (s != NULL && n == 8 && memcmp(s, "pageable", 8) == 0)
		return D_SYNC;
	return name_did(name_of(r, k->api), true);
}

/* The op that is open at the launch. */
static void
open_op(const struct bind *k, const struct rec *r, const struct at *a)
{
	uint32_t no = name_of(r, k->op);
	int64_t start;
	enum did d;

	if (no == SMAP_NONE || !rec_i64(r, k->op_start, &start))
		return;
	d = name_did(no, false);
	did(a, start, a->api, d == D_N ? D_OP : d, no);
}

static void
on_gpu(enum type t, struct rec *r)
{
	const struct bind *k = &rd.v[t];
	struct at a = read_at(k, r);
	struct work w = { .pid = a.pid, .tid = a.tid };
	int64_t dev;

	gaps_now(rd.g, a.has_api ? a.api : a.start);
	if (t != T_SYNC && a.has_dur && a.f->steps.n > 0 &&
	    rec_view(r, k->iter).s != NULL)
		steps_work(&a.f->steps, a.end);
	if (a.has_api)
		open_op(k, r, &a);
	if (t != T_SYNC && rd.counts[t] && a.has_dur &&
	    rec_i64(r, k->dev, &dev)) {
		w.has_tid = a.has_tid;
		w.has_api = a.has_api;
		w.api = a.api;
		w.api_end = a.api_end;
		w.call = name_of(r, k->api);
		w.did = call_did(k, r);
		w.label = (struct label){ name_work(k, t, r),
			name_of(r, k->iter), name_of(r, k->phase),
			name_of(r, k->layer), name_of(r, k->op), -1 };
		rec_i64(r, k->id, &w.label.id);
		gaps_work(rd.g, a.f, dev, a.start, a.end, &w);
	}
	if (a.has_api)
		did(&a, a.api, a.api_end, call_did(k, r), name_of(r, k->api));
}

static void
on_call(struct rec *r)
{
	const struct bind *k = &rd.v[T_CALL];
	struct at a = read_at(k, r);

	if (!a.has)
		return;
	gaps_now(rd.g, a.start);
	rd.call.pid = a.pid;
	rd.call.end = a.end;
	rd.call.has = rec_i64(r, k->corr, &rd.call.corr);
	did(&a, a.start, a.end, call_did(k, r), name_of(r, k->api));
}

/* Runs of ops come when they end, the others when they begin. */
static void
on_cpu(enum type t, struct rec *r)
{
	const struct bind *k = &rd.v[t];
	struct at a = read_at(k, r);
	enum did d = D_OS;
	uint32_t no;
	size_t n;
	const char *s;

	if (!a.has_dur)
		return;
	no = name_head(r, k->name);
	if (t == T_OVER && (s = rec_raw(r, k->name, &n)) != NULL)
		d = did_over(s, n);
	else if (t == T_OVER)
		d = D_OVER;
	if (t == T_INST || t == T_RANGE)
		d = name_did(no, false);
	if (t == T_INST && d == D_N)
		d = D_OP;
	if (d != D_N)
		did(&a, a.start, a.end, d, no);
}

static void
on_cut(struct rec *r)
{
	const struct bind *k = &rd.v[T_CUT];
	struct at a = read_at(k, r);
	int64_t iter = -1, dropped;

	rec_i64(r, k->iter, &iter);
	steps_cut(&a.f->steps, a.has ? a.start : INT64_MIN, iter,
	    rec_i64(r, k->dropped, &dropped));
}

static void
on_rec(struct stage *st, struct rec *r)
{
	enum type t;

	stage_pass(st, r);
	for (t = 0; rd.v[t].type != r->type; t++)
		;
	if (t <= T_SYNC)
		on_gpu(t, r);
	else if (t == T_CALL)
		on_call(r);
	else if (t == T_CUT)
		on_cut(r);
	else
		on_cpu(t, r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	gaps_clear(rd.g);
	name_clear();
	rd.call.has = false;
}

static void
on_end(struct stage *st)
{
	(void)st;
	gaps_end(rd.g);
	stage_note("gaps_started_early", rd.g->early);
	stage_note("gaps_past_forgotten", rd.g->forgotten);
}

static void
count_types(const char *list)
{
	int i, n;
	char **v = cli_list(list, &n);
	enum type t;

	for (i = 0; i < n; i++) {
		for (t = 0; t <= T_GRAPH; t++)
			if (strcmp(v[i], type_tags[t]) == 0)
				break;
		if (t > T_GRAPH)
			die("-T: '%s' is none of kern, copy, set, graph", v[i]);
		rd.counts[t] = true;
	}
	free(v);
}

void
read_open(struct gaps *g, struct stage *st, const char *types)
{
	enum type t;

	rd.g = g;
	name_open(g);
	count_types(types);
	for (t = 0; t < T_N; t++)
		bind_type(&rd.v[t], t,
		    stage_on(st, type_tags[t], on_rec, NULL, NULL));
	st->section = on_section;
	st->end = on_end;
}
