/* The critical path of a part of time, from its end back to its start: the
 * path goes to what arrived last. */

#include "array.h"
#include "path.h"
#include "spill.h"

enum seg_kind {
	SEG_CPU,
	SEG_LAUNCH,
	SEG_KERNEL,
	SEG_COPY,
	SEG_SET,
	SEG_GRAPH,
	SEG_COMM,
	SEG_COMM_BLOCKING,
	SEG_GAP,
	SEG_WAIT_OR_GAP,
	SEG_CROSS,
	SEG_SYNC,
	SEG_UNKNOWN
};

static const char *const seg_words[] = { "cpu", "launch", "kernel", "copy",
	"set", "graph", "comm_exposed", "comm_blocking", "kernel_to_kernel",
	"stream_wait_or_gap", "cross_stream", "sync_return", "unknown" };

struct path_seg {
	int64_t lo, hi;
	uint32_t thread, stream; /* one of them, or PATH_NONE */
	uint32_t name, op, phase;
	uint8_t kind;
};

struct walk {
	struct path *p;
	int64_t lo, t; /* the path is known from t on */
	int64_t work;  /* on it, or -1: on a thread */
	int64_t point; /* the last one of the thread that is not later */
	uint32_t thread, rank;
};

/* The path was somewhere from lo to w->t. */
static void
add_seg(struct walk *w, int64_t lo, struct path_seg s)
{
	struct path_list *l = &w->p->segs;
	struct path_seg *prev = l->n > 0 ? (struct path_seg *)l->v + l->n - 1
					 : NULL,
			*to;

	if (lo < w->lo)
		lo = w->lo;
	if (lo >= w->t)
		return;
	s.lo = lo;
	s.hi = w->t;
	w->t = lo;
	if (prev != NULL && prev->kind == s.kind && prev->kind == SEG_CPU &&
	    prev->thread == s.thread && prev->name == s.name &&
	    prev->op == s.op && prev->phase == s.phase) {
		prev->lo = lo;
		return;
	}
	to = path_add(l);
	*to = s;
}

/* The thread did so from lo on. */
static void
add_thread_seg(
    struct walk *w, int64_t lo, const struct path_piece *c, enum seg_kind kind)
{
	struct path_what what = path_what(w->p, c);

	add_seg(w, lo,
	    (struct path_seg){ .thread = w->thread,
		.stream = PATH_NONE,
		.name = what.name,
		.op = what.op,
		.phase = what.phase,
		.kind = (uint8_t)kind });
}

static void
on_thread(struct walk *w, int64_t lo)
{
	const struct path_piece *c = NULL;
	int64_t until;

	lo = lo > w->lo ? lo : w->lo;
	while (w->t > lo) {
		if (w->thread != PATH_NONE)
			c = path_piece_at(w->p, w->thread, w->t - 1, &until);
		add_thread_seg(
		    w, c != NULL && c->start > lo ? c->start : lo, c, SEG_CPU);
	}
}

static struct path_seg
seg_of(const struct path_work *k, enum seg_kind kind)
{
	return (struct path_seg){ .thread = PATH_NONE,
		.stream = k->stream,
		.name = k->name,
		.op = k->op,
		.phase = k->phase,
		.kind = (uint8_t)kind };
}

/* The times in which other streams of the device compute. */
static void
computing(const struct walk *w, const struct path_work *k, struct ivl *u)
{
	const struct path *p = w->p;
	const struct path_stream *of = &p->stream[k->stream], *s;
	const struct path_work *x;
	uint32_t i;
	int64_t j;

	for (i = 0; i < p->n_stream; i++) {
		s = &p->stream[i];
		if (i == k->stream || s->dev != of->dev || s->proc != of->proc)
			continue;
		j = path_ended(p, i, k->start, INT64_MAX);
		for (j = j < 0 ? (int64_t)s->lo : j + 1; j < (int64_t)s->hi;
		     j++) {
			x = path_work_at(p, j);
			if (x->start >= w->t)
				break;
			if (x->tag != TAG_COMM)
				ivl_add(u,
				    x->start > k->start ? x->start : k->start,
				    x->end < w->t ? x->end : w->t);
		}
	}
}

static void
go_to_thread(struct walk *w, int64_t point)
{
	w->work = -1;
	w->point = point;
	w->thread = path_point_no(w->p, point)->thread;
}

/* Back from the start of work to what it waited for. */
static void
before_work(struct walk *w, const struct path_work *k)
{
	const struct path *p = w->p;
	int64_t after = PATH_UNSET, cross = PATH_UNSET, api = PATH_UNSET;
	struct path_seg s = seg_of(k, SEG_GAP);

	if (k->after >= 0)
		after = path_work_at(p, k->after)->end;
	if (after > k->start)
		after = k->start;
	if (k->cross >= 0)
		cross = path_work_at(p, k->cross)->end;
	if (k->launch >= 0)
		api = k->api;
	if (cross != PATH_UNSET && cross > after && cross >= api) {
		s.kind = SEG_CROSS;
		add_seg(w, cross, s);
		w->work = k->cross;
	} else if (after != PATH_UNSET && after >= api) {
		if (p->rank[w->rank].unresolved > 0)
			s.kind = SEG_WAIT_OR_GAP;
		add_seg(w, after, s);
		w->work = k->after;
	} else if (api != PATH_UNSET) {
		s.kind = SEG_LAUNCH;
		s.name = k->api_name;
		add_seg(w, api, s);
		go_to_thread(w, k->launch);
	} else {
		s.kind = SEG_UNKNOWN;
		add_seg(w, w->lo, s);
	}
}

static void
on_work(struct walk *w)
{
	static const uint8_t kinds[] = { [TAG_KERNEL] = SEG_KERNEL,
		[TAG_COPY] = SEG_COPY,
		[TAG_SET] = SEG_SET,
		[TAG_GRAPH] = SEG_GRAPH,
		[TAG_COMM] = SEG_COMM };
	const struct path_work *k = path_work_at(w->p, w->work);
	struct ivl u = { 0 };
	size_t i;

	/* communication is exposed while nothing else runs on the device;
	 * otherwise it still blocks what comes next */
	if (k->tag == TAG_COMM)
		computing(w, k, &u);
	for (i = u.n; i > 0; i--) {
		add_seg(w, u.v[i - 1].hi, seg_of(k, SEG_COMM));
		add_seg(w, u.v[i - 1].lo, seg_of(k, SEG_COMM_BLOCKING));
	}
	ivl_free(&u);
	add_seg(w, k->start, seg_of(k, kinds[k->tag]));
	if (w->t > w->lo)
		before_work(w, k);
}

/* Back on a thread to the last point at which it waited, or at which another
 * one handed over to it. */
static void
along_thread(struct walk *w)
{
	const struct path *p = w->p;
	const struct path_point *pt, *u;
	int64_t until;

	pt = path_point_no(p, w->point);
	if (pt->kind == POINT_END && pt->blocked) {
		on_thread(w, pt->at);
		add_thread_seg(w, path_work_at(p, pt->work)->end,
		    path_piece_at(p, w->thread, w->t - 1, &until), SEG_SYNC);
		w->work = pt->work;
		return;
	}
	u = pt->before >= 0 ? path_point_no(p, pt->before) : NULL;
	if (u == NULL || u->at < w->lo)
		on_thread(w, w->lo);
	else if (u->thread != w->thread) {
		on_thread(w, u->at);
		go_to_thread(w, pt->before);
	} else
		w->point = pt->before;
}

/* The thread that was active last before the end, or still is. */
static int64_t
last_active(const struct walk *w, uint32_t *thread)
{
	const struct path *p = w->p;
	const struct path_piece *c;
	int64_t until, end, best = PATH_UNSET, at = PATH_UNSET, k, last;
	uint32_t i;

	*thread = PATH_NONE;
	for (i = 0; i < p->n_thread; i++) {
		if (p->thread[i].rank != w->rank)
			continue;
		c = path_piece_at(p, i, w->t - 1, &until);
		if (c == NULL)
			continue;
		end = c->outer == PATH_NONE && path_what(p, c).name == PATH_NONE
			  ? c->start
			  : w->t;
		k = path_point_at(p, i, w->t);
		last = k >= 0 ? path_point_no(p, k)->at : PATH_UNSET;
		if (*thread != PATH_NONE &&
		    (end < best || (end == best && last <= at)))
			continue;
		best = end;
		at = last;
		*thread = i;
	}
	return best;
}

static void
begin_walk(struct walk *w)
{
	const struct path *p = w->p;
	int64_t end, k, best = PATH_UNSET;
	uint32_t i;

	w->work = -1;
	for (i = 0; i < p->n_stream; i++) {
		if (p->stream[i].rank != w->rank)
			continue;
		k = path_ended(p, i, w->t, INT64_MAX);
		if (k >= 0 && path_work_at(p, k)->end > best) {
			best = path_work_at(p, k)->end;
			w->work = k;
		}
	}
	if (w->work >= 0 && best == w->t)
		return;
	end = last_active(w, &w->thread);
	if (w->thread == PATH_NONE || (w->work >= 0 && best > end)) {
		if (w->work < 0 || best < w->lo)
			best = w->lo;
		on_thread(w, best);
		return;
	}
	w->work = -1;
	w->point = path_point_at(p, w->thread, w->t);
	if (w->point < 0)
		on_thread(w, w->lo);
}

struct out_type *
path_out_type(bool merge)
{
	static const char *const all[] = { "iter", "seg", "kind", "res", "name",
		"op", "phase", "start_ns", "dur_ns", "src" };
	static const char *const merged[] = { "iter", "seg", "kind", "res",
		"name", "op", "phase", "start_ns", "dur_ns", "n_seg", "max_ns",
		"src" };

	return merge ? out_type("path", merged, ARRAY_LEN(merged))
		     : out_type("path", all, ARRAY_LEN(all));
}

struct seg_row { /* a record: some segments */
	const struct path_seg *first;
	int64_t no, n, hi, longest;
	uint32_t name; /* PATH_NONE: they differ */
};

static void
put_row(struct path *p, uint32_t rank, uint32_t iter, const struct seg_row *row)
{
	const struct path_seg *s = row->first;
	struct buf *b = &p->key;

	out_rec(p->out);
	out_view(smap_view(&p->texts, iter));
	out_i64(row->no);
	out_word(seg_words[s->kind]);
	buf_clear(b);
	if (s->stream != PATH_NONE) {
		buf_puts(b, "dev ");
		buf_i64(b, p->stream[s->stream].dev);
		buf_puts(b, " stream ");
		buf_i64(b, p->stream[s->stream].stream);
	} else if (s->thread != PATH_NONE) {
		buf_puts(b, "thread ");
		buf_i64(b, p->thread[s->thread].tid);
	}
	out_raw(b->len > 0 ? b->s : NULL, b->len);
	out_view(smap_view(&p->texts, row->name));
	out_view(smap_view(&p->texts, s->op));
	out_view(smap_view(&p->texts, s->phase));
	out_i64(s->lo);
	out_i64(row->hi - s->lo);
	if (p->merge) {
		out_i64(row->n);
		out_i64(row->longest);
	}
	out_view(smap_view(&p->texts, p->rank[rank].src));
	out_end();
}

/* Segments that follow each other and differ in name at most are one record of
 * --merge. They were found backwards. */
static void
put_segs(struct path *p, uint32_t rank, const struct path_part *part)
{
	const struct path_seg *v = p->segs.v, *s, *next;
	struct seg_row row;
	int64_t no = part->iter == PATH_NONE ? p->outside : 0;
	size_t i = p->segs.n;

	while (i > 0) {
		s = &v[--i];
		row = (struct seg_row){ s, no++, 1, s->hi, s->hi - s->lo,
			s->name };
		for (; p->merge && i > 0; i--, no++) {
			spill_tick();
			next = &v[i - 1];
			if (next->kind != s->kind ||
			    next->thread != s->thread ||
			    next->stream != s->stream || next->op != s->op ||
			    next->phase != s->phase)
				break;
			row.n++;
			row.hi = next->hi;
			if (row.hi - next->lo > row.longest)
				row.longest = row.hi - next->lo;
			if (next->name != row.name)
				row.name = PATH_NONE;
		}
		spill_tick();
		put_row(p, rank, part->iter, &row);
	}
	if (part->iter == PATH_NONE)
		p->outside = no;
	p->segs.n = 0;
}

void
path_walk(struct path *p, uint32_t rank, const struct path_part *part)
{
	struct walk w = { .p = p,
		.lo = part->lo,
		.t = part->hi,
		.thread = PATH_NONE,
		.rank = rank };

	p->segs.size = sizeof(struct path_seg);
	begin_walk(&w);
	while (w.t > w.lo)
		if (w.work >= 0)
			on_work(&w);
		else
			along_thread(&w);
	put_segs(p, rank, part);
}
