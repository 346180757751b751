/* Why a device idled, and the records of its gaps; see gaps.h. */
#include "gaps.h"

#include <stdio.h>
#include <string.h>

#include "array.h"
#include "num.h"
#include "out.h"

static const char *const names[] = { "start_ns", "dur_ns", "dev", "iter",
	"class", "before", "after", "did", "what", "what_ns", "what_tid", "pid",
	"tid", "launch_ns", "phase", "layer", "op", "before_id", "after_id",
	"whole_ns", "part", "range", "code", "src" };

#define NO_RANGE { 0, 0, SMAP_NONE }, SMAP_NONE, SMAP_NONE

static struct gap_verdict
of_kind(enum did d, const struct story *s)
{
	struct gap_verdict v = { did_class(d), did_word(d), NO_RANGE };

	if (d < D_N)
		v.best = s->best[d];
	v.range = s->range;
	if (d == D_SYNC && s->drained && s->sync.name == v.best.name) {
		v.range = s->sync.where;
		v.code = s->sync.code;
	}
	return v;
}

/* The thread had waited for the GPU, and the time after that went into the next
 * launch. */
static bool
is_after_sync(const struct story *s, enum did d, int64_t ns)
{
	return s->drained && d > D_OS && (d != D_N || ns < PAST_LONG);
}

static struct gap_verdict
after_sync(const struct story *s, int64_t start)
{
	struct gap_verdict v = { "after-sync", did_word(D_SYNC), NO_RANGE };

	v.best.name = s->sync.name;
	v.best.tid = s->sync.tid;
	v.best.ns = num_sub(s->sync.end, start);
	v.range = s->sync.where;
	v.code = s->sync.code;
	return v;
}

/* Calls and ops take less than half of the time together. */
static bool
is_host_only(const struct story *s, int64_t ns)
{
	int64_t sum = 0;
	int d;

	for (d = 0; d < D_OP; d++)
		sum = num_add(sum, s->ns[d]);
	if (s->ns[D_OP] > sum)
		sum = s->ns[D_OP];
	return sum < ns - sum;
}

/* Nothing took half of the time. */
static struct gap_verdict
of_nothing(const struct gap_work *w, const struct story *s, int64_t ns)
{
	struct gap_verdict v = of_kind(D_N, s);

	if (ns < PAST_BRIEF)
		v.class = did_class(D_API);
	else if (is_host_only(s, ns))
		v.class = did_class(D_RANGE);
	if (v.range == SMAP_NONE)
		v.range = w->label.layer;
	if (v.range != SMAP_NONE) {
		v.did = did_word(D_RANGE);
		v.best.name = v.range;
	}
	return v;
}

/* A graph is made, or its nodes are changed, in many short calls, with the
 * program's own code between them, and then it is launched: all of that is the
 * update, from its first call on. XLA does so before each launch of a command
 * buffer. */
static bool
is_update(
    const struct gap_work *w, const struct story *s, int64_t end, int64_t ns)
{
	return w->of_graph && s->ns[D_GRAPH] > 0 && s->update_tid == w->tid &&
	       num_sub(end, s->update) >= ns / 2;
}

/* The launch came late: what explains it is what the thread did from the start
 * of the gap until its call was over. */
static struct gap_verdict
late(const struct gap_work *w, int64_t start, int64_t end)
{
	struct act own = { w->api, w->api_end, w->tid, w->did, w->call,
		w->label.op, w->code };
	struct gap_verdict v;
	struct story s;
	int64_t ns;
	enum did d;

	if (w->story != NULL)
		s = *w->story;
	else
		story_init(&s);
	story_add(&s, &own, start, end);
	if (w->api_end < end)
		end = w->api_end;
	ns = num_sub(end, start);
	d = story_did(&s, ns);
	if (d > D_OS && is_update(w, &s, end, ns))
		d = D_GRAPH;
	v = of_kind(d, &s);
	if ((d == D_API && v.best.ns >= PAST_LONG &&
		v.best.ns >= ns - v.best.ns) ||
	    (d == D_ALLOC && v.best.ns >= PAST_FIRST))
		v.class = "startup";
	else if (is_after_sync(&s, d, ns))
		v = after_sync(&s, start);
	else if (d == D_N)
		v = of_nothing(w, &s, ns);
	if (v.code == SMAP_NONE)
		v.code = w->code;
	return v;
}

/* The work was launched in time, or so early in the gap that most of the gap is
 * that of the device, which starts a launch within microseconds otherwise. */
static bool
is_queued(const struct gap_work *w, int64_t lo, int64_t hi)
{
	int64_t held = num_sub(hi, w->api_end);

	if (w->api_end <= lo)
		return true;
	return w->api_end < hi && held >= PAST_BRIEF &&
	       held >= num_sub(hi, lo) - held;
}

/* Why the device idled from lo to hi, a whole gap. first: no work of the device
 * comes before it; if the GPU began late, it may have been busy with work that
 * was launched before the recording. */
static struct gap_verdict
judge_gap(const struct gap_work *w, int64_t lo, int64_t hi, bool first)
{
	static const struct gap_verdict not_told = { "unknown", NULL,
		NO_RANGE };
	static const struct gap_verdict in_time = { "queued", NULL, NO_RANGE };
	static const struct gap_verdict last = { "end", NULL, NO_RANGE };

	if (w == NULL)
		return last;
	if (!w->has_api)
		return not_told;
	if (is_queued(w, lo, hi))
		return first ? not_told : in_time;
	return late(w, lo, hi);
}

static void
put_gap_name(const struct gaps *g, uint32_t no)
{
	size_t n = 0;
	const char *s = no != SMAP_NONE ? smap_str(&g->names, no, &n) : NULL;

	out_raw(s, n);
}

static void
put_verdict(const struct gaps *g, const struct gap_verdict *v)
{
	bool has = v->best.ns > 0; /* of a range the length is not known */

	out_word(v->did);
	put_gap_name(g, v->best.name);
	out_opt(has, v->best.ns);
	out_opt(has, v->best.tid);
}

static void
put_work(
    const struct gaps *g, const struct gap_dev *d, const struct gap_work *w)
{
	static const struct gap_work none = { .label = { SMAP_NONE, SMAP_NONE,
						  SMAP_NONE, SMAP_NONE,
						  SMAP_NONE, 0 } };
	const struct gap_work *x = w != NULL ? w : &none;

	out_opt(x->has_tid, x->pid);
	out_opt(x->has_tid, x->tid);
	out_opt(x->has_api, x->api);
	put_gap_name(g, x->label.phase);
	put_gap_name(g, x->label.layer);
	put_gap_name(g, x->label.op);
	out_opt(d->any, d->last.id);
	out_opt(w != NULL, x->label.id);
}

struct gap_span { /* a part of a gap, in a step or (-1) in none */
	int64_t lo, hi, iter;
	int64_t no; /* from 1 */
};

static void
put_record(struct gaps *g, const struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, struct gap_span x, int64_t whole,
    const struct gap_verdict *v)
{
	out_rec_src(&g->type, "gap", names, ARRAY_LEN(names), f->name != NULL);
	out_i64(x.lo);
	out_i64(num_sub(x.hi, x.lo));
	out_i64(d->no);
	if (f->steps.n > 0)
		out_opt(x.iter >= 0, x.iter);
	else
		put_gap_name(g, w != NULL ? w->label.iter : SMAP_NONE);
	out_word(v->class);
	put_gap_name(g, d->any ? d->last.name : SMAP_NONE);
	put_gap_name(g, w != NULL ? w->label.name : SMAP_NONE);
	put_verdict(g, v);
	put_work(g, d, w);
	out_i64(whole);
	out_i64(x.no);
	put_gap_name(g, v->range);
	put_gap_name(g, v->code);
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

/* From lo, the part of the gap up to the border of a step. Time between two
 * steps belongs to the one before. */
static struct gap_span
part_at(const struct gap_file *f, int64_t lo, int64_t hi)
{
	struct gap_span x = { lo, lo, -1, 0 };
	struct steps_part p = steps_at(&f->steps, lo);

	x.iter = p.where == STEPS_IN ? p.iter : -1;
	do {
		x.hi = p.end;
		if (x.hi >= hi)
			break;
		p = steps_at(&f->steps, x.hi);
	} while ((p.where == STEPS_IN ? p.iter : -1) == x.iter);
	if (x.hi > hi)
		x.hi = hi;
	return x;
}

/* The gap was judged as a whole; each part has the class of it. */
static void
put_parts(struct gaps *g, const struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, int64_t lo, int64_t hi,
    const struct gap_verdict *v)
{
	struct gap_span x = { .hi = lo };
	int64_t no = 0;

	while (x.hi < hi) {
		x = part_at(f, x.hi, hi);
		x.no = ++no;
		g->undecided += x.iter < 0 && w != NULL &&
				steps_open(&f->steps) &&
				x.lo >= f->steps.v[f->steps.n - 1].at;
		put_record(g, f, d, w, x, num_sub(hi, lo), v);
	}
}

void
gap_write(struct gaps *g, struct gap_file *f, struct gap_dev *d, int64_t end,
    const struct gap_work *w)
{
	struct gap_verdict v = judge_gap(w, d->idle_from, end, !d->any);

	if (d->any || f->steps.n > 1) {
		put_parts(g, f, d, w, d->idle_from, end, &v);
		return;
	}
	d->first = xmalloc(sizeof(*d->first));
	*d->first = (struct gap_first){ end, *w, v };
}

/* All in one step is all but the time before the first work and after the
 * last. */
static bool
has_edges(const struct gap_file *f)
{
	return f->steps.n > 1 ||
	       (f->steps.n == 1 && f->steps.v[0].at != INT64_MIN);
}

void
gap_write_edges(struct gaps *g, struct gap_file *f, struct gap_dev *d)
{
	const struct gap_first *first = d->first;
	struct gap_verdict v;
	bool any = d->any;
	int64_t hi;

	if (!has_edges(f))
		return;
	if (first != NULL) {
		hi = first->end;
		d->any = false;
		put_parts(g, f, d, &first->work,
		    f->steps.first == INT64_MIN ? f->begin : f->steps.first, hi,
		    &first->why);
		d->any = any;
	}
	if (!d->any)
		return;
	if (!steps_end(&f->steps, &hi))
		hi = f->end;
	v = judge_gap(NULL, d->idle_from, hi, false);
	put_parts(g, f, d, NULL, d->idle_from, hi, &v);
}
