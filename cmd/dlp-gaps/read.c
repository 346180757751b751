/* From records to work and to what threads do; see read.h. */
#include "read.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "gaps.h"
#include "num.h"
#include "stem.h"

enum type {
	T_KERN,
	T_COPY,
	T_SET,
	T_GRAPH,
	T_SYNC,
	T_CALL,
	T_INST,
	T_RANGE,
	T_OS,
	T_OVER,
	T_N
};

static const char *const tags[T_N] = { "kern", "copy", "set", "graph", "sync",
	"call", "inst", "range", "os", "over" };

/* What names the record. */
static const char *const name_col[T_N] = { "short", "kind", NULL, "graph",
	"api", "api", "op", "text", "name", "name" };

static struct {
	struct gaps *g;
	bool counts[T_N];
	struct bind {
		struct rec_type *type;
		struct rec_col *id, *start, *dur, *pid, *tid, *dev, *src, *api,
		    *api_start, *api_dur, *name, *corr, *dst, *op_start, *iter,
		    *phase, *layer, *op;
	} v[T_N];
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

static bool
value(const struct rec *r, const struct rec_col *c, int64_t *v)
{
	return c != NULL && rec_i64(r, c, v);
}

static uint32_t
name(const struct rec *r, const struct rec_col *c)
{
	size_t n = 0;
	const char *s = c != NULL ? rec_raw(r, c, &n) : NULL;

	return gaps_name(rd.g, s, n);
}

/* The call of the record's work: its own, or the one of a graph launch that
 * stands right before it. */
static void
read_call(const struct bind *k, const struct rec *r, struct at *a)
{
	int64_t dur, corr;

	a->has_api = value(r, k->api_start, &a->api);
	a->api_end = a->api;
	if (!a->has_api)
		return;
	if (value(r, k->api_dur, &dur))
		a->api_end = num_add(a->api, dur);
	else if (rd.call.has && rd.call.pid == a->pid &&
		 value(r, k->corr, &corr) && corr == rd.call.corr)
		a->api_end = rd.call.end;
}

static struct at
read_at(const struct bind *k, const struct rec *r)
{
	struct at a = { .pid = -1 };
	int64_t dur;
	size_t n = 0;
	const char *s = rec_raw(r, k->src, &n);

	a.f = gaps_file(rd.g, s, n);
	value(r, k->pid, &a.pid);
	a.has_tid = value(r, k->tid, &a.tid);
	a.has = value(r, k->start, &a.start);
	a.has_dur = a.has && value(r, k->dur, &dur) && dur >= 0;
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
	s = rec_raw(r, k->api, &n);
	return s != NULL ? did_api(s, n) : D_API;
}

static uint32_t
work_name(enum type t, const struct rec *r)
{
	const struct bind *k = &rd.v[t];
	char text[64] = "set";
	size_t n, len;
	const char *s;

	if (t == T_KERN)
		return name(r, k->name);
	if (t != T_SET) {
		len = t == T_COPY ? 5 : 6;
		memcpy(text, t == T_COPY ? "copy " : "graph ", len + 1);
		s = rec_raw(r, k->name, &n);
		if (s != NULL && n < sizeof(text) - len)
			memcpy(text + len, s, n), text[len + n] = '\0';
	}
	return gaps_name(rd.g, text, strlen(text));
}

/* The op that is open at the launch. */
static void
open_op(const struct bind *k, const struct rec *r, const struct at *a)
{
	int64_t start;
	size_t n;
	const char *s = rec_raw(r, k->op, &n);
	enum did d;

	if (s == NULL || !value(r, k->op_start, &start))
		return;
	d = did_range(s, n);
	did(a, start, a->api, d == D_N ? D_OP : d, gaps_name(rd.g, s, n));
}

static void
on_gpu(enum type t, struct rec *r)
{
	const struct bind *k = &rd.v[t];
	struct at a = read_at(k, r);
	struct work w = { .pid = a.pid, .tid = a.tid };
	int64_t dev;

	gaps_now(rd.g, a.has_api ? a.api : a.start);
	if (a.has_api)
		open_op(k, r, &a);
	if (t != T_SYNC && rd.counts[t] && a.has_dur &&
	    value(r, k->dev, &dev)) {
		w.has_tid = a.has_tid;
		w.has_api = a.has_api;
		w.api = a.api;
		w.api_end = a.api_end;
		w.call = name(r, k->api);
		w.did = call_did(k, r);
		w.label = (struct label){ work_name(t, r), name(r, k->iter),
			name(r, k->phase), name(r, k->layer), name(r, k->op),
			-1 };
		value(r, k->id, &w.label.id);
		gaps_work(rd.g, a.f, dev, a.start, a.end, &w);
	}
	if (a.has_api)
		did(&a, a.api, a.api_end, call_did(k, r), name(r, k->api));
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
	rd.call.has = value(r, k->corr, &rd.call.corr);
	did(&a, a.start, a.end, call_did(k, r), name(r, k->api));
}

/* A name without what makes each one differ: "DataLoader, op_id = 7". */
static uint32_t
name_head(const struct rec *r, const struct rec_col *c)
{
	size_t n = 0;
	const char *s = rec_raw(r, c, &n);

	return gaps_name(rd.g, s, s != NULL ? stem_len(s, n) : 0);
}

/* Runs of ops come when they end, the others when they begin. */
static void
on_cpu(enum type t, struct rec *r)
{
	const struct bind *k = &rd.v[t];
	struct at a = read_at(k, r);
	enum did d = t == T_OS ? D_OS : D_OVER;
	size_t n;
	const char *s = rec_raw(r, k->name, &n);

	if (t == T_INST || t == T_RANGE)
		d = s != NULL ? did_range(s, n) : D_N;
	if (t == T_INST && d == D_N)
		d = D_OP;
	if (a.has_dur && d != D_N)
		did(&a, a.start, a.end, d, name_head(r, k->name));
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
	else
		on_cpu(t, r);
}

static void
bind_type(struct stage *st, enum type t)
{
	struct rec_type *x = stage_on(st, tags[t], on_rec, NULL);
	struct bind *k = &rd.v[t];

	k->type = x;
	k->start = rec_col(x, "start_ns", REC_NEED);
	k->dur = rec_col(x, "dur_ns", REC_NEED);
	k->id = rec_col(x, "id", REC_OPT);
	k->pid = rec_col(x, "pid", REC_OPT);
	k->tid = rec_col(x, "tid", REC_OPT);
	k->dev = rec_col(x, "dev", REC_OPT);
	k->src = rec_col(x, "src", REC_OPT);
	k->api = rec_col(x, "api", REC_OPT);
	k->api_start = rec_col(x, "api_start_ns", REC_OPT);
	k->api_dur = rec_col(x, "api_dur_ns", REC_OPT);
	k->corr = rec_col(x, "corr", REC_OPT);
	k->dst = rec_col(x, "dst_mem", REC_OPT);
	k->op_start = rec_col(x, "op_start_ns", REC_OPT);
	k->iter = rec_col(x, "iter", REC_OPT);
	k->phase = rec_col(x, "phase", REC_OPT);
	k->layer = rec_col(x, "layer", REC_OPT);
	k->op = rec_col(x, "op", REC_OPT);
	if (name_col[t] != NULL)
		k->name = rec_col(x, name_col[t], REC_OPT);
}

static void
on_section(struct stage *st)
{
	(void)st;
	gaps_clear(rd.g);
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
count_types(char *list)
{
	int i, n;
	char **v = cli_list(list, &n);
	enum type t;

	for (i = 0; i < n; i++) {
		for (t = 0; t <= T_GRAPH; t++)
			if (strcmp(v[i], tags[t]) == 0)
				break;
		if (t > T_GRAPH)
			die("-T: '%s' is none of kern, copy, set, graph", v[i]);
		rd.counts[t] = true;
	}
	free(v);
}

void
read_open(struct gaps *g, struct stage *st, char *types)
{
	enum type t;

	rd.g = g;
	count_types(types);
	for (t = 0; t < T_N; t++)
		bind_type(st, t);
	st->section = on_section;
	st->end = on_end;
}
