/* What each thing waited for: work, points and pieces in order. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "path.h"

/* ns: a kernel that starts so soon after the end of work of another stream
 * waited for it, where no wait is recorded */
#define AT_ONCE 5000

void *
path_add(struct path_list *l)
{
	size_t cap;

	if (l->n == l->cap) {
		cap = l->cap > 0 ? 2 * l->cap : 64;
		l->v = spill_realloc(l->v, l->cap, cap, l->size);
		l->cap = cap;
	}
	spill_tick();
	return (char *)l->v + l->n++ * l->size;
}

void
path_list_free(struct path_list *l)
{
	if (l->v != NULL)
		spill_free(l->v, l->cap, l->size);
	l->v = NULL;
	l->n = l->cap = 0;
}

/* The first index in lo..hi of which the time is later than t; times stand at
 * an offset in each. It is looked for from near on. */
static size_t
first_after(const struct path_list *l, size_t offset, size_t lo, size_t hi,
    int64_t t, size_t near)
{
	const char *v = (const char *)l->v + offset;
	size_t mid, step = 1;

#define IS_AFTER(i) (*(const int64_t *)(v + (i)*l->size) > t)

	spill_tick();
	if (near > lo && near <= hi && IS_AFTER(near - 1)) {
		hi = near - 1;
		for (; step < hi - lo && IS_AFTER(hi - step); step *= 2)
			hi -= step;
		lo = step < hi - lo ? hi - step + 1 : lo;
	} else if (near >= lo && near <= hi) {
		lo = near;
		for (; step < hi - lo && !IS_AFTER(lo + step - 1); step *= 2)
			lo += step;
		hi = step < hi - lo ? lo + step - 1 : hi;
	}
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		spill_tick();
		if (IS_AFTER(mid))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

#define ANYWHERE SIZE_MAX

/* The first work in lo..hi that was launched after t: a stream works in the
 * order of launches. */
static size_t
launched_after(const struct path *p, size_t lo, size_t hi, int64_t t)
{
	return first_after(
	    &p->works, offsetof(struct path_work, api), lo, hi, t, ANYWHERE);
}

int64_t
path_ended(const struct path *p, uint32_t stream, int64_t t, int64_t launched)
{
	const struct path_stream *s = &p->stream[stream];
	size_t i = first_after(&p->works, offsetof(struct path_work, end),
	    s->lo, s->hi, t, ANYWHERE);

	if (launched != INT64_MAX)
		i = launched_after(p, s->lo, i, launched);
	return i > s->lo ? (int64_t)i - 1 : -1;
}

const struct path_piece *
path_piece_at(const struct path *p, uint32_t thread, int64_t t, int64_t *until)
{
	struct path_thread *th = &p->thread[thread];
	const struct path_piece *v = p->pieces.v;
	size_t i = first_after(&p->pieces, offsetof(struct path_piece, start),
	    th->piece_lo, th->piece_hi, t, th->piece);

	th->piece = i;
	*until = i < th->piece_hi ? v[i].start : INT64_MAX;
	return i > th->piece_lo ? &v[i - 1] : NULL;
}

int64_t
path_point_at(const struct path *p, uint32_t thread, int64_t t)
{
	struct path_thread *th = &p->thread[thread];
	size_t i = first_after(&p->points, offsetof(struct path_point, at),
	    th->lo, th->hi, t, th->point);

	th->point = i;
	return i > th->lo ? (int64_t)i - 1 : -1;
}

static void
take_works(struct path *p)
{
	struct path_stream *s;
	struct path_work *w;
	struct runs_rec rec;
	size_t i, before;

	while (xsort_next(&p->work, &rec)) {
		i = p->works.n;
		w = path_add(&p->works);
		memcpy(w, rec.val, sizeof(*w));
		s = &p->stream[w->stream];
		if (s->hi == 0)
			s->lo = i;
		s->hi = i + 1;
		before = first_after(&p->works, offsetof(struct path_work, end),
		    s->lo, i, w->start, i);
		if (i > s->lo && w[-1].start < w->start)
			before = i; /* it may begin before the end of that */
		w->after = before > s->lo ? (int64_t)before - 1 : -1;
	}
	xsort_close(&p->work);
}

/* The points of each process in the order of time; of those at one time the
 * first thread's last one comes last. */
static void
order_points(struct path *p)
{
	const struct path_point *pt;
	struct path_proc *proc;
	struct runs_rec rec;
	uint64_t i;

	ARRAY_REACH(p->proc, p->n_proc, p->procs.n);
	for (i = 0; i < p->points.n; i++) {
		pt = path_point_no(p, (int64_t)i);
		path_put_sorted(&p->order, p->thread[pt->thread].proc, pt->at,
		    -(int64_t)pt->thread, &i, sizeof(i));
	}
	while (xsort_next(&p->order, &rec)) {
		memcpy(&i, rec.val, sizeof(i));
		pt = path_point_no(p, (int64_t)i);
		proc = &p->proc[p->thread[pt->thread].proc];
		if (proc->hi == 0)
			proc->lo = p->by_time.n;
		*(uint64_t *)path_add(&p->by_time) = i;
		proc->hi = p->by_time.n;
	}
	xsort_close(&p->order);
}

static void
take_points(struct path *p)
{
	struct path_thread *t;
	struct path_point *pt, *prev;
	struct runs_rec rec;
	size_t i;

	while (xsort_next(&p->point, &rec)) {
		i = p->points.n;
		pt = path_add(&p->points);
		memcpy(pt, rec.val, sizeof(*pt));
		t = &p->thread[pt->thread];
		prev = t->hi > 0 ? pt - 1 : NULL;
		if (prev != NULL && pt->kind == POINT_LAUNCH &&
		    prev->kind == POINT_LAUNCH && prev->at == pt->at) {
			p->points.n--; /* a graph's work has one call */
			continue;
		}
		if (t->hi == 0)
			t->lo = i;
		t->hi = i + 1;
	}
	xsort_close(&p->point);
	order_points(p);
}

/*
 * Pieces: the intervals of a thread are nested; where they are not, the inner
 * one ends with the outer one.
 */
struct nest {
	struct nested {
		int64_t end;
		struct path_what what; /* of it, or of what it is in */
		uint32_t no;           /* of what, in whats */
		uint32_t outer;
	} * v;
	size_t n, cap;
};

static uint32_t
what_no(struct path *p, const struct path_what *what)
{
	uint32_t no =
	    smap_put(&p->what_of, (const char *)what, sizeof(*what), NULL);

	if (no == p->whats.n)
		*(struct path_what *)path_add(&p->whats) = *what;
	return no;
}

static void
put_piece(struct path *p, uint32_t thread, const struct nest *s, int64_t at)
{
	struct path_thread *t = &p->thread[thread];
	struct path_piece *prev = NULL, c = { at, 0, PATH_NONE };

	if (s->n > 0) {
		c.what = s->v[s->n - 1].no;
		c.outer = s->v[s->n - 1].outer;
	} else {
		c.what = what_no(p, &path_no_what);
	}
	if (t->piece_hi > 0)
		prev = (struct path_piece *)p->pieces.v + p->pieces.n - 1;
	if (prev != NULL && prev->start == at) {
		*prev = c;
		return;
	}
	if (prev != NULL && prev->outer == c.outer && prev->what == c.what)
		return;
	if (t->piece_hi == 0)
		t->piece_lo = p->pieces.n;
	*(struct path_piece *)path_add(&p->pieces) = c;
	t->piece_hi = p->pieces.n;
}

/* An op begins: the last piece, of Python, has its range's push. */
static void
mark_before(struct path *p, uint32_t thread)
{
	struct path_piece *c;
	struct path_what what;

	if (p->thread[thread].piece_hi == 0)
		return;
	c = (struct path_piece *)p->pieces.v + p->pieces.n - 1;
	what = path_what(p, c);
	if ((what.is & (IS_OP | IS_LAUNCH)) != 0)
		return;
	what.is |= IS_BEFORE;
	c->what = what_no(p, &what);
}

/* An op launches work that helps: what it did since the launch before is for
 * that. */
static void
mark_helping(struct path *p, uint32_t thread, const struct nested *x)
{
	const struct path_thread *t = &p->thread[thread];
	struct path_piece *c;
	struct path_what what;
	size_t i;

	for (i = p->pieces.n; i > t->piece_lo && t->piece_hi > 0; i--) {
		c = (struct path_piece *)p->pieces.v + i - 1;
		what = path_what(p, c);
		if (c->outer != x->outer || (what.is & IS_LAUNCH) != 0)
			return;
		what.helps = x->what.helps;
		c->what = what_no(p, &what);
	}
}

static void
close_until(struct path *p, uint32_t thread, struct nest *s, int64_t t)
{
	int64_t end;

	while (s->n > 0 && s->v[s->n - 1].end <= t) {
		end = s->v[--s->n].end;
		put_piece(p, thread, s, end);
	}
}

static void
take_pieces(struct path *p)
{
	struct nested x, *in;
	struct nest s = { 0 };
	struct runs_rec rec;
	struct path_act a;
	uint32_t thread = PATH_NONE;

	while (xsort_next(&p->act, &rec)) {
		memcpy(&a, rec.val, sizeof(a));
		if (a.thread != thread && thread != PATH_NONE)
			close_until(p, thread, &s, INT64_MAX);
		thread = a.thread;
		close_until(p, thread, &s, a.start);
		x = (struct nested){ a.end,
			{ a.name, a.op, a.phase, a.is, a.helps }, 0,
			PATH_NONE };
		in = s.n > 0 ? &s.v[s.n - 1] : NULL;
		if (in != NULL) {
			x.end = a.end < in->end ? a.end : in->end;
			x.outer = in->outer;
			if (a.name == PATH_NONE)
				x.what.name = in->what.name;
			if (a.op == PATH_NONE)
				x.what.op = in->what.op;
			if (a.phase == PATH_NONE)
				x.what.phase = in->what.phase;
			x.what.is |= in->what.is & ~(unsigned)IS_OP;
		}
		if (a.type != ACT_RANGE && x.outer == PATH_NONE) {
			x.outer = (uint32_t)p->outers.n;
			*(int64_t *)path_add(&p->outers) = a.start;
		}
		x.no = what_no(p, &x.what);
		if (a.type == ACT_OP)
			mark_before(p, thread);
		if (a.helps != PATH_NONE)
			mark_helping(p, thread, &x);
		ARRAY_GROW(s.v, s.n, s.cap);
		s.v[s.n++] = x;
		put_piece(p, thread, &s, a.start);
	}
	if (thread != PATH_NONE)
		close_until(p, thread, &s, INT64_MAX);
	free(s.v);
	xsort_close(&p->act);
}

/* The recorded waits of streams. */
static void
take_waits(struct path *p)
{
	const struct path_stream *s, *of;
	struct path_cross c;
	struct path_work *w;
	struct runs_rec rec;
	size_t i, k;

	while (xsort_next(&p->wait, &rec)) {
		memcpy(&c, rec.val, sizeof(c));
		s = &p->stream[c.stream];
		of = &p->stream[c.source];
		i = launched_after(p, s->lo, s->hi, c.at);
		k = launched_after(p, of->lo, of->hi, c.recorded);
		if (i == s->hi || k == of->lo || c.stream == c.source)
			continue;
		w = path_work_at(p, (int64_t)i);
		if (path_work_at(p, (int64_t)k - 1)->end > w->start)
			continue;
		if (w->cross < 0 || path_work_at(p, w->cross)->end <
					path_work_at(p, (int64_t)k - 1)->end)
			w->cross = (int64_t)k - 1;
	}
	xsort_close(&p->wait);
}

/* Where waits are not recorded: what ended just before on another stream.
 * Communication waits for what was launched before it. */
static void
guess_cross(struct path *p, struct path_work *w)
{
	bool comm = w->tag == TAG_COMM && w->api != PATH_UNSET;
	int64_t known =
	    w->after >= 0 ? path_work_at(p, w->after)->end : PATH_UNSET;
	uint32_t i;
	int64_t k;

	if (w->api > known)
		known = w->api;

	if (w->cross >= 0 || (!comm && known >= w->start - AT_ONCE))
		return;
	for (i = 0; i < p->n_stream; i++) {
		if (i == w->stream ||
		    p->stream[i].proc != p->stream[w->stream].proc)
			continue;
		k = path_ended(p, i, w->start, comm ? w->api : INT64_MAX);
		if (k >= 0 && path_work_at(p, k)->start < w->start &&
		    (comm || path_work_at(p, k)->end >= w->start - AT_ONCE) &&
		    (w->cross < 0 || path_work_at(p, k)->end >
					 path_work_at(p, w->cross)->end))
			w->cross = k;
	}
	w->guessed = w->cross >= 0;
}

static void
link_wait(struct path *p, struct path_point *pt)
{
	int64_t launched = pt->covers == COVERS_EVENT ? pt->recorded : pt->at;
	uint32_t i;
	int64_t k;

	for (i = 0; i < p->n_stream; i++) {
		if (pt->covers == COVERS_ALL
			? p->stream[i].proc != p->thread[pt->thread].proc
			: i != pt->stream)
			continue;
		k = path_ended(p, i, pt->at, launched);
		if (k >= 0 &&
		    (pt->work < 0 || path_work_at(p, k)->end >
					 path_work_at(p, pt->work)->end))
			pt->work = k;
	}
	pt->blocked =
	    pt->work >= 0 && path_work_at(p, pt->work)->end >= pt->at - pt->dur;
}

/* Where the process's points before t end, of those in order of time. */
static size_t
points_before(const struct path *p, const struct path_proc *proc, int64_t t)
{
	const uint64_t *v = p->by_time.v;
	size_t lo = proc->lo, hi = proc->hi, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (path_point_no(p, (int64_t)v[mid])->at < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A thread that was idle got on when another one of its process handed over:
 * that is the last other point in between at which it idled. What it did
 * meanwhile outside of points is skipped as a whole, so that each point is
 * looked at for few others. */
static void
link_point(struct path *p, size_t i)
{
	struct path_point *pt = path_point_no(p, (int64_t)i), *x;
	const struct path_thread *t = &p->thread[pt->thread];
	const struct path_proc *proc = &p->proc[t->proc];
	int64_t own = i > t->lo ? (int64_t)i - 1 : -1, after, before, until;
	const struct path_piece *c;
	size_t k;

	pt->before = own;
	pt->own_before = own >= 0;
	if (pt->kind == POINT_END)
		return;
	after = own >= 0 ? path_point_no(p, own)->at : PATH_UNSET;
	before = pt->at;
	for (;;) {
		c = path_piece_at(p, pt->thread, before, &until);
		if (c != NULL && c->outer != PATH_NONE)
			before = ((int64_t *)p->outers.v)[c->outer];
		if (before <= after)
			return;
		k = points_before(p, proc, before);
		if (k == proc->lo)
			return;
		x = path_point_no(
		    p, (int64_t)((uint64_t *)p->by_time.v)[k - 1]);
		if (x->at <= after)
			return;
		c = path_piece_at(p, pt->thread, x->at, &until);
		if (c == NULL || c->outer == PATH_NONE) {
			pt->before = x - (struct path_point *)p->points.v;
			pt->own_before = false;
			return;
		}
		before = x->at;
	}
}

void
path_graph(struct path *p)
{
	struct path_point *pt;
	struct path_work *w;
	size_t i;

	take_works(p);
	take_points(p);
	take_pieces(p);
	take_waits(p);
	for (i = 0; i < p->works.n; i++) {
		w = path_work_at(p, (int64_t)i);
		if (w->api > w->start)
			w->api = w->start; /* the clocks differ */
		if (w->api != PATH_UNSET)
			w->launch = path_point_at(p, w->thread, w->api);
		if (p->rank[p->stream[w->stream].rank].unresolved > 0)
			guess_cross(p, w);
	}
	for (i = 0; i < p->points.n; i++) {
		pt = path_point_no(p, (int64_t)i);
		if (pt->kind == POINT_END)
			link_wait(p, pt);
		link_point(p, i);
	}
}
