/* From records to intervals: which columns of which type. */
#include "read.h"

#include <string.h>

#include "busy.h"
#include "num.h"

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
	T_DEV,
	T_CUT,
	T_ITER,
	T_N
};

static const char *const tags[T_N] = { "kern", "copy", "set", "graph", "sync",
	"call", "inst", "range", "os", "dev", "cut", "iter" };

static struct {
	struct busy *b;
	struct bind {
		struct rec_type *type;
		struct rec_col *start, *dur, *pid, *dev, *src, *api, *api_start,
		    *api_dur, *inst_id, *tc, *dropped, *text, *iter, *gpu_end;
	} v[T_N];
} rd;

struct at { /* what records have in common */
	struct file *f;
	int64_t pid, start, end, api, api_end;
	bool has, has_dur, has_api; /* start; duration; call */
};

static struct at
read_at(const struct bind *k, const struct rec *r)
{
	struct at a = { .pid = -1 };
	int64_t dur;
	size_t n = 0;
	const char *s = rec_raw(r, k->src, &n);

	a.f = busy_file(rd.b, s, n);
	rec_i64(r, k->pid, &a.pid);
	a.has = rec_i64(r, k->start, &a.start);
	a.has_dur = a.has && rec_i64(r, k->dur, &dur) && dur >= 0;
	a.end = a.has_dur ? num_add(a.start, dur) : a.start;
	a.has_api = rec_i64(r, k->api_start, &a.api);
	a.api_end = a.api;
	if (a.has_api && rec_i64(r, k->api_dur, &dur))
		a.api_end = num_add(a.api, dur);
	return a;
}

static void
time_is(int64_t t)
{
	if (t > rd.b->now)
		rd.b->now = t;
}

/* A call on the CPU counts also where it is in no op. */
static void
on_api(const struct bind *k, const struct rec *r, const struct at *a)
{
	size_t n;

	const char *s = rec_raw(r, k->api, &n);

	busy_event(rd.b, a->f, a->api, a->api_end);
	busy_call(a->f, a->api, a->api_end, s, n);
	if (a->api_end > a->api && rec_raw(r, k->inst_id, &n) == NULL)
		busy_cpu(rd.b, a->f, busy_proc(a->f, a->pid), a->api,
		    a->api_end, C_CPU);
}

static enum class kern_class(const struct bind *k, const struct rec *r) {
	size_t n; const char *s = rec_raw(r, k->tc, &n);

	*(s == NULL ? &rd.b->no_tc : &rd.b->with_tc) += 1;
	return s != NULL && n == 3 && memcmp(s, "yes", 3) == 0 ? C_TC : C_KERN;
}

static void
on_gpu(enum type t, struct rec *r)
{
	static const enum class classes[] = { C_KERN, C_MEM, C_MEM, C_GRAPH };
	const struct bind *k = &rd.v[t];
	enum class c = classes[t];
	struct at a = read_at(k, r);
	int64_t dev;

	time_is(a.has_api ? a.api : a.start);
	if (a.has_api)
		on_api(k, r, &a);
	if (t == T_KERN)
		c = kern_class(k, r);
	if (!a.has_dur || !rec_i64(r, k->dev, &dev))
		return;
	busy_event(rd.b, a.f, a.start, a.end);
	busy_gpu(rd.b, a.f, busy_proc(a.f, a.pid), busy_dev(a.f, dev), a.start,
	    a.end, c);
}

static void
on_sync(struct rec *r)
{
	struct at a = read_at(&rd.v[T_SYNC], r);

	if (!a.has_api)
		return;
	time_is(a.api);
	on_api(&rd.v[T_SYNC], r, &a);
}

static void
on_call(struct rec *r)
{
	struct at a = read_at(&rd.v[T_CALL], r);

	if (!a.has)
		return;
	time_is(a.start);
	a.api = a.start;
	a.api_end = a.end;
	on_api(&rd.v[T_CALL], r, &a);
}

static void
on_inst(struct rec *r)
{
	const struct bind *k = &rd.v[T_INST];
	struct at a = read_at(k, r);
	struct proc *p = busy_proc(a.f, a.pid);
	const char *s;
	size_t n;

	if (!a.has_dur)
		return;
	busy_event(rd.b, a.f, a.start, a.end);
	busy_cpu(rd.b, a.f, p, a.start, a.end, C_CPU);
	s = rec_raw(r, k->text, &n);
	if (s != NULL && class_is_data(s, n))
		busy_cpu(rd.b, a.f, p, a.start, a.end, C_DATA);
}

/* Ranges and calls of the operating system are known as they begin. */
static void
on_named(enum type t, struct rec *r)
{
	const struct bind *k = &rd.v[t];
	struct at a;
	size_t n;
	const char *s = rec_raw(r, k->text, &n);

	if (s == NULL || !(t == T_OS ? class_is_io(s, n, rd.b->dlprof)
				     : class_is_data(s, n)))
		return;
	a = read_at(k, r);
	if (a.has_dur)
		busy_cpu(rd.b, a.f, busy_proc(a.f, a.pid), a.start, a.end,
		    t == T_OS ? C_IO : C_DATA);
}

static void
on_dev(struct rec *r)
{
	const struct bind *k = &rd.v[T_DEV];
	int64_t dev;
	size_t n = 0;
	const char *s = rec_raw(r, k->src, &n);

	if (rec_i64(r, k->dev, &dev))
		busy_dev(busy_file(rd.b, s, n), dev);
}

static void
on_cut(struct rec *r)
{
	const struct bind *k = &rd.v[T_CUT];
	struct at a = read_at(k, r);
	int64_t iter, dropped;

	busy_cut(a.f, a.has ? a.start : INT64_MIN,
	    rec_i64(r, k->iter, &iter) ? iter : -1,
	    rec_i64(r, k->dropped, &dropped));
}

static void
on_iter(struct rec *r)
{
	struct at a = read_at(&rd.v[T_ITER], r);
	int64_t end;

	if (!a.has_dur)
		return;
	if (!a.f->has_end)
		a.f->end = a.f->work_end = INT64_MIN;
	if (a.end > a.f->end)
		a.f->end = a.end;
	if (rec_i64(r, rd.v[T_ITER].gpu_end, &end) && end > a.f->work_end)
		a.f->work_end = end;
	a.f->has_end = true;
}

static void
on_rec(struct stage *st, struct rec *r)
{
	enum type t;

	stage_pass(st, r);
	for (t = 0; rd.v[t].type != r->type; t++)
		;
	if (t <= T_GRAPH)
		on_gpu(t, r);
	else if (t == T_SYNC)
		on_sync(r);
	else if (t == T_CALL)
		on_call(r);
	else if (t == T_INST)
		on_inst(r);
	else if (t == T_RANGE || t == T_OS)
		on_named(t, r);
	else if (t == T_DEV)
		on_dev(r);
	else if (t == T_CUT)
		on_cut(r);
	else
		on_iter(r);
}

static void
bind_type(struct stage *st, enum type t)
{
	static const char *const text[T_N] = {
		[T_INST] = "op", [T_RANGE] = "text", [T_OS] = "name"
	};
	struct rec_type *x = stage_on(st, tags[t], on_rec, NULL, NULL);
	struct bind *k = &rd.v[t];

	k->type = x;
	k->start = rec_col(x, "start_ns", t == T_DEV ? REC_OPT : REC_NEED);
	k->dur =
	    rec_col(x, "dur_ns", t == T_DEV || t == T_CUT ? REC_OPT : REC_NEED);
	REC_COLS(x, REC_OPT, { &k->pid, "pid" }, { &k->dev, "dev" },
	    { &k->src, "src" }, { &k->api, "api" },
	    { &k->api_start, "api_start_ns" }, { &k->api_dur, "api_dur_ns" },
	    { &k->inst_id, "inst_id" }, { &k->tc, "tc" }, { &k->iter, "iter" },
	    { &k->dropped, "dropped" }, { &k->gpu_end, "gpu_end_ns" });
	if (text[t] != NULL)
		k->text = rec_col(x, text[t], REC_OPT);
}

static void
on_section(struct stage *st)
{
	(void)st;
	busy_clear(rd.b);
}

static void
on_end(struct stage *st)
{
	busy_end(rd.b, st->complete);
}

void
read_open(struct busy *b, struct stage *st)
{
	enum type t;

	rd.b = b;
	for (t = 0; t < T_N; t++)
		bind_type(st, t);
	st->section = on_section;
	st->end = on_end;
}
