/*
 * When the devices of a section idle, why, and the records of it. A device's
 * work is put in the order of time behind the launches; gaps are written some
 * launches later.
 */
#include "gaps.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "stage.h"

#define HELD 32768 /* works of a device that wait for the next step */
/* launches that an idle device may hold: CUDA's is 1,024 */
#define QUEUE 4096

#define PAST_BRIEF 1000000 /* ns between two launches that are usual */
/* ns that no launch takes, and that nobody needs to prepare one: a call that
 * starts up, or a program that does something else */
#define PAST_LONG 10000000
/* the same of a call that allocates or releases memory: the first one starts
 * the driver up */
#define PAST_FIRST 100000000

#define FEW 32     /* acts that are never worth looking through */
#define MANY 65536 /* kept of a process at most */
/* how many are looked at for each that was kept, all in all */
#define LOOKS 2048

struct story { /* what was done, by kind, in a span of time */
	int64_t ns[D_N];
	struct longest {
		int64_t ns, tid;
		uint32_t name;
	} best[D_N];
	struct act sync; /* it began while a thread waited for the GPU in this
			  * call, if drained */
	bool drained;
	int64_t update, update_tid; /* the first change of a graph, if there
				     * is time of D_GRAPH */
	uint32_t range; /* the innermost range that was open for half of it, or
			 * SMAP_NONE */
};

struct gap_verdict {
	const char *class, *did;
	struct longest best;
	uint32_t range, code; /* where, or SMAP_NONE */
};

struct gap_dev {
	int64_t no;
	struct timeline time;
	struct gap_label last; /* the work that ended last, if any has */
	int64_t idle_from;
	bool any;
	struct gap_lead {
		struct timeline time;
		int64_t idle_from;
		bool any;
		int64_t pid, tid; /* of the newest launch, if has_tid */
		bool has_tid;
		/* launches since then, each of which may end the gap */
		int64_t told_from;
		size_t queued;
	} lead; /* the same up to the newest launch, if no work begins before
		 * its call */
	struct gap_first { /* the gap before the first work, if it is not known
			    * yet whether there are steps */
		int64_t end;
		struct gap_work work;
		struct gap_verdict why;
	} * first;
};

/* What the threads of a process did lately: as long back as a GPU may have been
 * idle. A block that was over before a time is passed over. */
#define BLOCK 64
struct gap_acts {
	struct act *v;
	size_t n, cap;
	size_t limit; /* of n, to look what can be forgotten */
};

struct gap_proc {
	struct gap_acts done, ranges;
	uint64_t n_act, looked; /* all that there were; looks at them */
};

struct gap_file *
gaps_file(struct gaps *g, struct mview src)
{
	uint32_t i = src.s != NULL ? smap_put_view(&g->srcs, src) : 0;

	ARRAY_REACH(g->file, g->n_file, i);
	if (src.s != NULL)
		g->file[i].name = smap_str(&g->srcs, i, NULL);
	return &g->file[i];
}

static struct gap_dev *
device(struct gap_file *f, int64_t no)
{
	bool fresh;
	uint64_t *at = map_put(&f->devs, (uint64_t)no, &fresh);
	struct gap_dev *d;

	if (fresh) {
		*at = f->n_dev;
		ARRAY_REACH(f->dev, f->n_dev, *at);
		d = &f->dev[*at];
		d->no = no;
		timeline_init(&d->time);
		timeline_init(&d->lead.time);
		d->time.uncut = d->lead.time.uncut = true;
	}
	return &f->dev[*at];
}

static struct gap_proc *
process(struct gap_file *f, int64_t pid)
{
	bool fresh;
	uint64_t *at = map_put(&f->procs, (uint64_t)pid, &fresh);

	if (fresh) {
		*at = f->n_proc;
		ARRAY_REACH(f->proc, f->n_proc, *at);
	}
	return &f->proc[*at];
}

/* What was done in a span of time. */

static void
acts_add(struct gap_acts *l, struct act a)
{
	struct act *first;

	ARRAY_GROW(l->v, l->n, l->cap);
	first = &l->v[l->n - l->n % BLOCK];
	a.last = a.end;
	l->v[l->n++] = a;
	first->last = a.end > first->last ? a.end : first->last;
}

/* The next act from place i on that may end after lo. */
static size_t
acts_from(const struct gap_acts *l, size_t i, int64_t lo)
{
	while (i < l->n && i % BLOCK == 0 && l->v[i].last <= lo)
		i += BLOCK;
	return i;
}

/* Adds one thing; nothing if hi <= lo. */
static void
story_add(struct story *s, const struct act *a, int64_t lo, int64_t hi)
{
	struct longest *b;
	int64_t ns;

	if (a->did >= D_N)
		return;
	if (a->did == D_SYNC && a->start <= lo && a->end > lo) {
		s->drained = true;
		s->sync = *a;
	}
	if (a->start > lo)
		lo = a->start;
	if (a->end < hi)
		hi = a->end;
	if (hi <= lo)
		return;
	ns = num_sub(hi, lo);
	if (a->did == D_GRAPH && (s->ns[D_GRAPH] == 0 || lo < s->update)) {
		s->update = lo;
		s->update_tid = a->tid;
	}
	b = &s->best[a->did];
	s->ns[a->did] = num_add(s->ns[a->did], ns);
	if (ns > b->ns)
		*b = (struct longest){ ns, a->tid, a->name };
}

/* The time that the story covers, at least; a thread that only waits in the
 * operating system does not say for what. */
static int64_t
told(const struct story *s)
{
	int64_t most = 0;
	int d;

	for (d = 0; d < D_N; d++)
		if (d != D_OS && s->ns[d] > most)
			most = s->ns[d];
	return most;
}

/* The innermost range of the thread that is open for half of [lo, hi); with
 * hi == lo at that moment. They come in the order of their starts. */
static uint32_t
range_in(struct gap_proc *p, int64_t tid, int64_t lo, int64_t hi)
{
	const struct gap_acts *l = &p->ranges;
	const struct act *a;
	int64_t from, to;
	size_t i;

	for (i = l->n; i-- > 0; p->looked++) {
		if (l->v[i - i % BLOCK].last < lo) {
			i -= i % BLOCK;
			continue;
		}
		a = &l->v[i];
		from = a->start > lo ? a->start : lo;
		to = a->end < hi ? a->end : hi;
		if (a->tid == tid && to >= from &&
		    num_sub(to, from) >= num_sub(hi, lo) / 2)
			return a->name;
	}
	return SMAP_NONE;
}

/* What was done in [lo, hi), by the thread; where it has recorded less than
 * half of that time, by all threads of the process. */
static void
tell(struct gap_proc *p, int64_t tid, int64_t lo, int64_t hi, struct story *s)
{
	int64_t half = num_sub(hi, lo) / 2;
	const struct gap_acts *l = &p->done;
	struct story own;
	size_t i;

	*s = (struct story){ .range = range_in(p, tid, lo, hi) };
	for (i = acts_from(l, 0, lo); i < l->n; i = acts_from(l, i + 1, lo)) {
		p->looked++;
		if (l->v[i].tid == tid)
			story_add(s, &l->v[i], lo, hi);
	}
	if (told(s) < half) {
		own = *s;
		for (i = acts_from(l, 0, lo); i < l->n;
		     i = acts_from(l, i + 1, lo))
			if (l->v[i].tid != tid && l->v[i].did != D_OS)
				story_add(s, &l->v[i], lo, hi);
		if (told(s) < half && !s->drained &&
		    (told(&own) > 0 || own.ns[D_OS] > 0))
			*s = own;
	}
	if (s->drained && s->sync.where == SMAP_NONE)
		s->sync.where =
		    range_in(p, s->sync.tid, s->sync.start, s->sync.start);
}

/* What explains a span of so many ns: the first kind that lasts for half of
 * it, otherwise D_N. */
static enum did
story_did(const struct story *s, int64_t ns)
{
	int d;

	for (d = 0; d < D_N; d++)
		if (s->ns[d] > 0 && s->ns[d] >= ns - s->ns[d])
			return (enum did)d;
	return D_N;
}

/* Why a device idled. */

#define NO_RANGE { 0, 0, SMAP_NONE }, SMAP_NONE, SMAP_NONE

/* Nothing took half of the time. */
static void
judge_nothing(struct gap_verdict *v, const struct gap_work *w,
    const struct story *s, int64_t ns)
{
	int64_t sum = 0;
	int d;

	for (d = 0; d < D_OP; d++)
		sum = num_add(sum, s->ns[d]);
	if (s->ns[D_OP] > sum)
		sum = s->ns[D_OP];
	if (ns < PAST_BRIEF)
		v->class = did_words[D_API].class;
	else if (w->story != NULL && sum < ns - sum)
		/* it was looked at, and calls and ops take less than half */
		v->class = did_words[D_RANGE].class;
	if (v->range == SMAP_NONE)
		v->range = w->label.layer;
	if (v->range != SMAP_NONE) {
		v->did = did_words[D_RANGE].word;
		v->best.name = v->range;
	}
}

/* The launch came late: what explains it is what the thread did from the start
 * of the gap until its call was over. */
static struct gap_verdict
late(const struct gap_work *w, int64_t start, int64_t end)
{
	const struct act own = { w->api, w->api_end, w->tid, w->did, w->call,
		w->label.op, w->code, 0 };
	struct gap_verdict v = { .code = SMAP_NONE };
	struct story s = { .range = SMAP_NONE };
	int64_t ns;
	enum did d;

	/* Other work can have come in between: then the story is that of an
	 * earlier gap, and this one began within the call. */
	if (w->story != NULL && start < w->api)
		s = *w->story;
	else if (w->story != NULL)
		s.range = w->story->range;
	story_add(&s, &own, start, end);
	if (w->api_end < end)
		end = w->api_end;
	ns = num_sub(end, start);
	d = story_did(&s, ns);
	/* A graph is made, or its nodes are changed, in many short calls, with
	 * the program's own code between them, and then it is launched: all of
	 * that is the update, from its first call on. XLA does so before each
	 * launch of a command buffer. */
	if (d > D_OS && w->of_graph && s.ns[D_GRAPH] > 0 &&
	    s.update_tid == w->tid && num_sub(end, s.update) >= ns / 2)
		d = D_GRAPH;
	v.class = did_words[d].class;
	v.did = did_words[d].word;
	v.best = d < D_N ? s.best[d] : (struct longest){ 0, 0, SMAP_NONE };
	v.range = s.range;
	if (d == D_SYNC && s.drained && s.sync.name == v.best.name) {
		v.range = s.sync.where;
		v.code = s.sync.code;
	}
	if ((d == D_API && v.best.ns >= PAST_LONG &&
		v.best.ns >= ns - v.best.ns) ||
	    (d == D_ALLOC && v.best.ns >= PAST_FIRST)) {
		v.class = "startup";
	} else if (s.drained && d > D_OS && (d != D_N || ns < PAST_LONG)) {
		/* the thread had waited for the GPU, and the time after that
		 * went into the next launch */
		v.class = "after-sync";
		v.did = did_words[D_SYNC].word;
		v.best = (struct longest){ num_sub(s.sync.end, start),
			s.sync.tid, s.sync.name };
		v.range = s.sync.where;
		v.code = s.sync.code;
	} else if (d == D_N) {
		judge_nothing(&v, w, &s, ns);
	}
	if (v.code == SMAP_NONE)
		v.code = w->code;
	return v;
}

/* Why the device idled from lo to hi, a whole gap. first: no work of the device
 * comes before it; if the GPU, or long after another one a stream, began late,
 * it may have been busy with work that was launched before the recording. */
static struct gap_verdict
judge_gap(const struct gap_work *w, int64_t lo, int64_t hi, bool first)
{
	struct gap_verdict v = { "unknown", NULL, NO_RANGE };
	int64_t held;

	if (w == NULL) {
		v.class = "end";
		return v;
	}
	if (!w->has_api)
		return v;
	/* The work was launched in time, or so early in the gap that most of
	 * the gap is that of the device, which starts a launch within
	 * microseconds otherwise. */
	held = num_sub(hi, w->api_end);
	if (w->api_end > lo && (w->api_end >= hi || held < PAST_BRIEF ||
				   held < num_sub(hi, lo) - held))
		return late(w, lo, hi);
	if (!first && !(w->first && num_sub(hi, lo) > PAST_BRIEF))
		v.class = "queued";
	return v;
}

/* The records. */

struct gap_span { /* a part of a gap, in a step or (-1) in none */
	int64_t lo, hi, iter;
	int64_t no; /* from 1 */
};

static void
put_record(struct gaps *g, const struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, struct gap_span x, int64_t whole,
    const struct gap_verdict *v)
{
	static const char *const names[] = { "start_ns", "dur_ns", "dev",
		"iter", "class", "before", "after", "did", "what", "what_ns",
		"what_tid", "pid", "tid", "launch_ns", "phase", "layer", "op",
		"before_id", "after_id", "whole_ns", "part", "range", "code",
		"src" };
	static const struct gap_work none = { .label = { SMAP_NONE, SMAP_NONE,
						  SMAP_NONE, SMAP_NONE,
						  SMAP_NONE, 0 } };
	const struct smap *m = &g->names;
	bool has_what = v->best.ns > 0; /* of a range the length is not known */
	bool any = w != NULL;

	if (!any)
		w = &none;
	out_rec_src(&g->type, "gap", names, ARRAY_LEN(names), f->name != NULL);
	out_i64(x.lo);
	out_i64(num_sub(x.hi, x.lo));
	out_i64(d->no);
	if (f->steps.n > 0)
		out_opt(x.iter >= 0, x.iter);
	else
		out_view(smap_view(m, w->label.iter));
	out_word(v->class);
	out_view(smap_view(m, d->any ? d->last.name : SMAP_NONE));
	out_view(smap_view(m, w->label.name));
	out_word(v->did);
	out_view(smap_view(m, v->best.name));
	out_opt(has_what, v->best.ns);
	out_opt(has_what, v->best.tid);
	out_opt(w->has_tid, w->pid);
	out_opt(w->has_tid, w->tid);
	out_opt(w->has_api, w->api);
	out_view(smap_view(m, w->label.phase));
	out_view(smap_view(m, w->label.layer));
	out_view(smap_view(m, w->label.op));
	out_opt(d->any, d->last.id);
	out_opt(any, w->label.id);
	out_i64(whole);
	out_i64(x.no);
	out_view(smap_view(m, v->range));
	out_view(smap_view(m, v->code));
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

/* A record for each part of the gap that a border of the steps cuts off. Time
 * between two steps belongs to the one before. The gap was judged as a whole;
 * each part has the class of it. */
static void
put_parts(struct gaps *g, const struct gap_file *f, const struct gap_dev *d,
    const struct gap_work *w, int64_t lo, int64_t hi,
    const struct gap_verdict *v)
{
	struct gap_span x = { .hi = lo };
	struct steps_part p;

	while (x.hi < hi) {
		x.lo = x.hi;
		x.no++;
		p = steps_at(&f->steps, x.lo);
		x.iter = p.where == STEPS_IN ? p.iter : -1;
		do {
			x.hi = p.end;
			if (x.hi >= hi)
				break;
			p = steps_at(&f->steps, x.hi);
		} while ((p.where == STEPS_IN ? p.iter : -1) == x.iter);
		if (x.hi > hi)
			x.hi = hi;
		g->undecided += x.iter < 0 && w != NULL &&
				steps_open(&f->steps) &&
				x.lo >= f->steps.v[f->steps.n - 1].at;
		put_record(g, f, d, w, x, num_sub(hi, lo), v);
	}
}

/* The section is over: the gap before the first work, if it counts; and that
 * after the last one, up to the end of the steps. All in one step is all but
 * the time before the first work and after the last. */
static void
write_edges(struct gaps *g, struct gap_file *f, struct gap_dev *d)
{
	const struct steps *s = &f->steps;
	const struct gap_first *first = d->first;
	struct gap_verdict v;
	bool any = d->any;
	int64_t hi;

	if (s->n == 0 || (s->n == 1 && s->v[0].at == INT64_MIN))
		return;
	if (first != NULL) {
		d->any = false;
		put_parts(g, f, d, &first->work,
		    s->first == INT64_MIN ? f->event.lo : s->first, first->end,
		    &first->why);
		d->any = any;
	}
	if (!any || d->time.mask != 0) /* it works to the end of all time */
		return;
	if (!steps_end(s, &hi))
		hi = f->event.hi;
	v = judge_gap(NULL, d->idle_from, hi, false);
	put_parts(g, f, d, NULL, d->idle_from, hi, &v);
}

/* When the devices idle. */

/* Whether a gap ends when work begins on the idle device: there was work
 * before, or a step has begun, in which there was none so far. */
static bool
idles(const struct gap_file *f, bool any, int64_t *from)
{
	if (any)
		return true;
	if (!f->steps.any_step)
		return false;
	*from = f->steps.first;
	if (*from == INT64_MIN && f->event.any)
		*from = f->event.lo;
	return *from != INT64_MIN;
}

/* A device's time goes on to t: gaps are written. */
static void
advance(struct gaps *g, struct gap_file *f, struct gap_dev *d, int64_t t)
{
	struct timeline_piece x;
	struct gap_verdict v;
	struct gap_work *w;
	bool idle;

	while (timeline_next(&d->time, t, &x)) {
		w = x.what;
		if (x.then == TIMELINE_BEGINS) {
			idle = x.mask == 0 && idles(f, d->any, &d->idle_from) &&
			       x.hi > d->idle_from;
			if (idle)
				v = judge_gap(w, d->idle_from, x.hi, !d->any);
			if (idle && (d->any || f->steps.n > 1)) {
				put_parts(g, f, d, w, d->idle_from, x.hi, &v);
			} else if (idle) {
				d->first = xmalloc(sizeof(*d->first));
				*d->first = (struct gap_first){ x.hi, *w, v };
			}
			d->any = true;
		} else if (x.then == TIMELINE_ENDS) {
			d->last = w->label;
			if (d->time.mask == 0)
				d->idle_from = x.hi;
			free(w->story);
			free(w);
		}
	}
}

/* What is known at the newest launch. */
static void
advance_lead(struct gap_lead *l, int64_t t)
{
	struct timeline_piece x;

	while (timeline_next(&l->time, t, &x)) {
		if (x.then != TIMELINE_ENDS)
			continue;
		l->any = true;
		if (l->time.mask == 0)
			l->idle_from = x.hi;
	}
}

/* Since when a gap may last whose reason is not known yet. */
static int64_t
open_since(struct gaps *g, struct gap_file *f)
{
	int64_t t, since = g->now;
	struct gap_lead *l;
	size_t i;

	if (f->n_dev == 0 && idles(f, false, &t) && t < since)
		since = t;
	for (i = 0; i < f->n_dev; i++) {
		l = &f->dev[i].lead;
		advance_lead(l, g->now);
		t = l->time.t;
		if (l->time.mask == 0 && idles(f, l->any, &l->idle_from))
			t = l->idle_from;
		else if (!l->any)
			continue;
		if (t < since)
			since = t;
	}
	return since;
}

void
gaps_did(struct gaps *g, struct gap_file *f, int64_t pid, struct act a)
{
	struct gap_proc *p = process(f, pid);
	struct gap_acts *l = a.did == D_RANGE ? &p->ranges : &p->done;
	size_t i, n = 0, drop = 0, was = l->n;
	int64_t since;

	if (was >= FEW && was >= l->limit) {
		/* what ended before the oldest open gap is forgotten, and more
		 * if that is not enough */
		since = open_since(g, f);
		for (i = 0; i < was; i++)
			n += l->v[i].end > since;
		if (n > MANY)
			g->forgotten += drop = n - MANY / 2;
		/* not so often that it is the devices that take the time */
		l->limit = (n - drop) * 2 + f->n_dev;
		for (i = l->n = 0; i < was; i++)
			if (l->v[i].end > since && (drop == 0 || drop-- == 0))
				acts_add(l, l->v[i]);
	}
	acts_add(l, a);
	p->n_act++;
}

/* What was done until the launch. If its thread only waited, and the newest
 * launch was another thread's (the autograd thread waits for the one of the
 * forward pass), it is what that one did, unless it waited too. NULL where
 * many launches have looked at much already: many devices that are idle for a
 * long time. */
static struct story *
story_of(struct gap_file *f, const struct gap_lead *l, const struct gap_work *x)
{
	struct gap_proc *p = process(f, x->pid);
	int64_t ns = num_sub(x->api, l->idle_from);
	struct story *s, other;

	if (p->looked / LOOKS > p->n_act)
		return NULL;
	s = xmalloc(sizeof(*s));
	tell(p, x->tid, l->idle_from, x->api, s);
	if (!l->has_tid || l->pid != x->pid || l->tid == x->tid ||
	    story_did(s, ns) != D_OS)
		return s;
	tell(p, l->tid, l->idle_from, x->api, &other);
	if (story_did(&other, ns) != D_OS)
		*s = other;
	return s;
}

void
gaps_work(struct gaps *g, struct gap_file *f, int64_t dev, int64_t start,
    int64_t end, const struct gap_work *x)
{
	struct gap_dev *d = device(f, dev);
	struct gap_lead *l = &d->lead;
	struct gap_work *w = xmalloc(sizeof(*w));
	int64_t t = launches_put(&g->launches, g->now), border;

	*w = *x;
	advance_lead(l, g->now);
	if (x->has_api && l->time.mask == 0 &&
	    idles(f, l->any, &l->idle_from) && x->api > l->idle_from) {
		l->queued = l->idle_from == l->told_from ? l->queued + 1 : 1;
		l->told_from = l->idle_from;
		if (l->queued <= QUEUE)
			w->story = story_of(f, l, x);
		g->forgotten += w->story == NULL;
	}
	l->pid = x->pid;
	l->tid = x->tid;
	l->has_tid = x->has_tid;
	timeline_add(&l->time, start, end, 0, NULL);
	/* while it is not known whether another step follows, its work waits */
	if (steps_open(&f->steps) && d->time.soon.n < HELD) {
		border = f->steps.v[f->steps.n - 1].at;
		t = border < t ? border : t;
	}
	advance(g, f, d, t);
	timeline_add(&d->time, start, end, 0, w);
}

void
gaps_end(struct gaps *g)
{
	struct gap_file *f;
	uint64_t early = 0; /* work that began too early */
	size_t i, k;

	for (i = 0; i < g->n_file; i++) {
		f = &g->file[i];
		for (k = 0; k < f->n_dev; k++) {
			early += f->dev[k].time.early;
			advance(g, f, &f->dev[k], INT64_MAX);
			write_edges(g, f, &f->dev[k]);
		}
	}
	stage_note("gaps_started_early", early);
	stage_note("gaps_past_forgotten", g->forgotten);
	stage_note("gaps_undecided", g->undecided);
}

/* Work that never began or ended: at the end of all time. */
static void
free_works(struct timeheap *h)
{
	struct gap_work *w;

	while (h->n > 0) {
		w = timeheap_pop(h).p;
		free(w->story);
		free(w);
	}
}

void
gaps_clear(struct gaps *g)
{
	struct gap_file *f;
	size_t i, k;

	for (i = 0; i < g->n_file; i++) {
		f = &g->file[i];
		for (k = 0; k < f->n_dev; k++) {
			free_works(&f->dev[k].time.soon);
			free_works(&f->dev[k].time.on);
			timeline_free(&f->dev[k].time);
			timeline_free(&f->dev[k].lead.time);
			free(f->dev[k].first);
		}
		for (k = 0; k < f->n_proc; k++) {
			free(f->proc[k].done.v);
			free(f->proc[k].ranges.v);
		}
		free(f->dev);
		free(f->proc);
		steps_free(&f->steps);
		map_free(&f->devs);
		map_free(&f->procs);
		map_free(&f->streams);
	}
	free(g->file);
	launches_free(&g->launches);
	smap_free(&g->srcs);
	smap_free(&g->names);
	*g = (struct gaps){ .now = INT64_MIN, .type = g->type };
}
