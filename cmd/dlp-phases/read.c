/* From records to phases; see read.h. */
#include "read.h"

#include "idle.h"
#include "num.h"
#include "phases.h"

enum type {
	T_KERN,
	T_COPY,
	T_SET,
	T_GRAPH,
	T_SYNC,
	T_CALL,
	T_INST,
	T_RANGE,
	T_N
};

static const char *const tags[T_N] = { "kern", "copy", "set", "graph", "sync",
	"call", "inst", "range" };

static struct {
	struct phases *p;
	struct bind {
		struct rec_type *type;
		struct rec_col *start, *dur, *pid, *dev, *src, *api, *api_dur,
		    *iter, *phase, *phase_by, *dir, *seq;
	} v[T_N];
	struct rec_col *iter, *key, *step, *src;
} rd;

/* Where no range tells, the op's direction does: a backward is known, and
 * what autograd numbered is forward. */
static struct mview
phase_word(const struct bind *k, const struct rec *r, bool *by_op)
{
	static const struct mview fwd = { "forward", 7 },
				  bwd = { "backward", 8 };
	struct mview v = rec_view(r, k->phase), dir;

	*by_op = false;
	if (v.s != NULL)
		return v;
	dir = rec_view(r, k->dir);
	*by_op = true;
	if (mv_eq(dir, "bprop"))
		return bwd;
	if (mv_eq(dir, "fprop") && rec_view(r, k->seq).s != NULL)
		return fwd;
	*by_op = false;
	return v;
}

static struct phase *
phase_of(const struct bind *k, const struct rec *r, bool *by_op)
{
	struct mview word = phase_word(k, r, by_op);

	return phases_get(rd.p, rec_view(r, k->src), rec_view(r, k->iter), word,
	    *by_op && word.s[0] == 'f');
}

static bool
span(const struct rec *r, const struct rec_col *start,
    const struct rec_col *dur, int64_t *lo, int64_t *hi)
{
	int64_t ns;

	if (!rec_i64(r, start, lo) || !rec_i64(r, dur, &ns) || ns < 0)
		return false;
	*hi = num_add(*lo, ns);
	return true;
}

static void
on_cpu_time(const struct bind *k, const struct rec *r, struct phase *ph,
    int64_t lo, int64_t hi)
{
	int64_t pid = -1;

	rec_i64(r, k->pid, &pid);
	flat_add(&ph->cpu, pid, lo, hi);
}

/* What a thread launched that is in no range of the phase itself. */
static void
add_how(const struct bind *k, const struct rec *r, struct phase *ph, bool by_op,
    int64_t ns)
{
	if (by_op)
		ph->op_ns = num_add(ph->op_ns, ns);
	else if (rec_is(r, k->phase_by, "thread"))
		ph->thread_ns = num_add(ph->thread_ns, ns);
}

static void
on_gpu(enum type t, const struct rec *r)
{
	const struct bind *k = &rd.v[t];
	int64_t lo, hi, dev = -1;
	bool by_op;
	struct phase *ph = phase_of(k, r, &by_op);

	if (span(r, k->api, k->api_dur, &lo, &hi)) {
		on_cpu_time(k, r, ph, lo, hi);
		ph->api_ns = num_add(ph->api_ns, num_sub(hi, lo));
	}
	if (t == T_SYNC || !span(r, k->start, k->dur, &lo, &hi))
		return;
	rec_i64(r, k->dev, &dev);
	phase_gpu(ph, dev, lo, hi);
	idle_dev(rd.p, rec_view(r, k->src), dev);
	add_how(k, r, ph, by_op, num_sub(hi, lo));
	ph->n_kern += t == T_KERN;
}

/* Ranges that name no phase take no part. */
static void
on_cpu(enum type t, const struct rec *r)
{
	const struct bind *k = &rd.v[t];
	int64_t lo, hi;
	struct phase *ph;
	struct mview word = rec_view(r, k->phase);
	bool by_op;

	if (t == T_RANGE && (word.s == NULL || word.n == 0))
		return;
	if (!span(r, k->start, k->dur, &lo, &hi))
		return;
	ph = phase_of(k, r, &by_op);
	if (t == T_RANGE)
		phases_ranged(rd.p, ph);
	on_cpu_time(k, r, ph, lo, hi);
	if (t == T_CALL)
		ph->api_ns = num_add(ph->api_ns, num_sub(hi, lo));
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
	else
		on_cpu(t, r);
}

static void
on_iter(struct stage *st, struct rec *r)
{
	int64_t len;

	stage_pass(st, r);
	if (rec_view(r, rd.key).s != NULL && rec_i64(r, rd.step, &len))
		phases_step(
		    rd.p, rec_view(r, rd.src), rec_view(r, rd.iter), len);
}

static void
bind_iter(struct stage *st)
{
	struct rec_type *x = stage_on(st, "iter", on_iter, NULL, NULL);

	REC_COLS(x, REC_OPT, { &rd.iter, "iter" }, { &rd.key, "key" },
	    { &rd.step, "step_ns" }, { &rd.src, "src" });
}

static void
bind_type(struct stage *st, enum type t)
{
	struct rec_type *x = stage_on(st, tags[t], on_rec, NULL, NULL);
	struct bind *k = &rd.v[t];

	k->type = x;
	REC_COLS(x, REC_NEED, { &k->start, "start_ns" }, { &k->dur, "dur_ns" },
	    { &k->phase, "phase" });
	REC_COLS(x, REC_OPT, { &k->pid, "pid" }, { &k->dev, "dev" },
	    { &k->src, "src" }, { &k->api, "api_start_ns" },
	    { &k->api_dur, "api_dur_ns" }, { &k->iter, "iter" },
	    { &k->phase_by, "phase_by" }, { &k->dir, "dir" },
	    { &k->seq, "seq" });
}

static void
on_section(struct stage *st)
{
	(void)st;
	phases_clear(rd.p);
}

static void
on_end(struct stage *st)
{
	(void)st;
	phases_end(rd.p);
}

void
read_open(struct phases *p, struct stage *st)
{
	enum type t;

	rd.p = p;
	for (t = 0; t < T_N; t++)
		bind_type(st, t);
	bind_iter(st);
	st->section = on_section;
	st->end = on_end;
}
