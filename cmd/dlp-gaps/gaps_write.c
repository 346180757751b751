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
	"src" };

struct gap_verdict {
	const char *class, *did;
	struct longest best;
};

static struct gap_verdict
of_kind(enum did d, const struct story *s)
{
	struct gap_verdict v = { did_class(d), did_word(d),
		{ 0, 0, SMAP_NONE } };

	if (d != D_N)
		v.best = s->best[d];
	return v;
}

/* The launch came late: what explains it is what the thread did from the start
 * of the gap until its call was over. */
static struct gap_verdict
late(const struct gap_work *w, const struct story *told, int64_t start,
    int64_t end)
{
	struct act own = { w->api, w->api_end, w->tid, w->did, w->call };
	struct story s;
	struct gap_verdict v;
	enum did d;

	if (told != NULL)
		s = *told;
	else
		memset(&s, 0, sizeof(s));
	story_add(&s, &own, start, end);
	if (w->api_end < end)
		end = w->api_end;
	d = story_did(&s, num_sub(end, start));
	v = of_kind(d, &s);
	if (d == D_API && v.best.ns >= PAST_LONG &&
	    v.best.ns >= num_sub(end, start) - v.best.ns)
		v.class = "startup";
	if (d == D_N && num_sub(end, start) < PAST_BRIEF)
		v.class = did_class(D_API);
	if (d == D_N && w->label.layer != SMAP_NONE) {
		v.did = "range";
		v.best.name = w->label.layer;
	}
	return v;
}

/* Why the device idled from lo to hi, all of a gap or a part of it. */
static struct gap_verdict
judge_gap(
    const struct gap_work *w, const struct story *s, int64_t lo, int64_t hi)
{
	static const struct gap_verdict no_call = { "unknown", NULL,
		{ 0, 0, SMAP_NONE } };
	static const struct gap_verdict in_time = { "queued", NULL,
		{ 0, 0, SMAP_NONE } };
	static const struct gap_verdict last = { "end", NULL,
		{ 0, 0, SMAP_NONE } };

	if (w == NULL)
		return last;
	if (!w->has_api)
		return no_call;
	if (w->api <= lo && w->api_end <= lo)
		return in_time;
	return late(w, s, lo, hi);
}

static void
put_name(const struct gaps *g, uint32_t no)
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
	put_name(g, v->best.name);
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
	put_name(g, x->label.phase);
	put_name(g, x->label.layer);
	put_name(g, x->label.op);
	out_opt(d->any, d->last.id);
	out_opt(w != NULL, x->label.id);
}

struct gap_span { /* what is written of a gap */
	int64_t lo, hi;
	uint32_t iter;
};

static void
put_record(struct gaps *g, const struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, struct gap_span x, struct gap_verdict v)
{
	out_rec_src(&g->type, "gap", names, ARRAY_LEN(names), f->name != NULL);
	out_i64(x.lo);
	out_i64(num_sub(x.hi, x.lo));
	out_i64(d->no);
	put_name(g, x.iter);
	out_word(v.class);
	put_name(g, d->any ? d->last.name : SMAP_NONE);
	put_name(g, w != NULL ? w->label.name : SMAP_NONE);
	put_verdict(g, &v);
	put_work(g, d, w);
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

static uint32_t
iter_name(struct gaps *g, int64_t iter)
{
	char s[24];

	return gaps_name(
	    g, s, (size_t)snprintf(s, sizeof(s), "%lld", (long long)iter));
}

/* The iteration that the part counts in. */
static uint32_t
iter_of(struct gaps *g, const struct steps_part *p, const struct gap_work *w)
{
	if (p->where == STEPS_OUT)
		return SMAP_NONE;
	if (w->label.iter != SMAP_NONE || p->where == STEPS_AFTER)
		return w->label.iter;
	return iter_name(g, p->iter);
}

/* From lo, the part of the gap up to the border of the steps that count. */
static struct gap_span
part_at(struct gaps *g, const struct gap_file *f, const struct gap_work *w,
    int64_t lo, int64_t hi)
{
	struct steps_part p = steps_at(&f->steps, lo);
	struct gap_span x = { lo, p.end, iter_of(g, &p, w) };

	while (x.hi < hi) {
		p = steps_at(&f->steps, x.hi);
		if (iter_of(g, &p, w) != x.iter)
			break;
		x.hi = p.end;
	}
	if (x.hi > hi)
		x.hi = hi;
	return x;
}

static void
put_gap_part(struct gaps *g, struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, struct gap_span x)
{
	struct story s;
	int64_t hi = w->api < x.hi ? w->api : x.hi;

	memset(&s, 0, sizeof(s));
	if (w->has_api && hi > x.lo)
		gaps_tell(f, w, x.lo, hi, &s);
	put_record(g, f, d, w, x, judge_gap(w, &s, x.lo, x.hi));
}

void
gap_write(struct gaps *g, struct gap_file *f, const struct gap_dev *d,
    int64_t end, const struct gap_work *w)
{
	struct gap_span all = { d->idle_from, end, w->label.iter }, x = all;

	if (f->steps.n > 0)
		x = part_at(g, f, w, all.lo, end);
	if (x.hi == end) {
		all.iter = x.iter;
		put_record(
		    g, f, d, w, all, judge_gap(w, w->story, all.lo, end));
		return;
	}
	for (;; x = part_at(g, f, w, x.hi, end)) {
		put_gap_part(g, f, d, w, x);
		if (x.hi == end)
			break;
	}
}

void
gap_write_last(struct gaps *g, struct gap_file *f, const struct gap_dev *d)
{
	struct gap_span x = { .lo = d->idle_from };
	int64_t iter;

	if (!steps_end(&f->steps, &x.hi, &iter) || x.hi <= x.lo)
		return;
	x.iter = iter_name(g, iter);
	put_record(g, f, d, NULL, x, judge_gap(NULL, NULL, x.lo, x.hi));
}
