/*
 * The trace of push/pop ranges. What lies in a range is known when it ends;
 * its parent, the shortest around it, when it begins.
 */
#include <stdlib.h>

#include "err.h"
#include "labels.h"
#include "num.h"
#include "reports.h"
#include "row.h"
#include "threadno.h"

#define COLS(v) (v), sizeof(v) / sizeof((v)[0])

struct push { /* an open range */
	struct range r;
	struct push *up;
	int64_t id, level, n_child, child_dur;
	bool loose; /* of the same times as another one, or within such */
	struct buf name, stack;
};

static struct thread {
	struct push **v;
	size_t n, cap;
} * threads;
static struct threadnos nos;
static int64_t ids;
static struct buf row;

static struct thread *
thread_of(int64_t pid, int64_t tid)
{
	bool fresh;
	size_t i = threadno(&nos, pid, tid, &fresh);

	if (!fresh)
		return &threads[i];
	threads = xrealloc(threads, nos.n, sizeof(*threads));
	threads[i] = (struct thread){ .n = 0 };
	return &threads[i];
}

static int64_t
len(const struct push *p)
{
	return num_sub(p->r.end, p->r.start);
}

static void
put_row(struct report *r, const struct push *p)
{
	int64_t i;

	row_i64(&row, p->r.start);
	row_i64(&row, p->r.end);
	row_i64(&row, len(p));
	row_i64(&row, p->child_dur);
	row_i64(&row, num_sub(len(p), p->child_dur));
	row_text(&row, p->name.s, p->name.len);
	row_i64(&row, p->r.pid);
	row_i64(&row, p->r.tid);
	row_i64(&row, p->level);
	row_i64(&row, p->n_child);
	row_i64(&row, p->id);
	if (p->up != NULL)
		buf_i64(&row, p->up->id);
	row_none(&row);
	row_text(&row, p->stack.s, p->stack.len);
	for (i = 0; i < p->level; i++)
		buf_puts(&row, "--");
	row_text(&row, p->name.s, p->name.len);
	order_add_at(
	    r->rows, p->r.start, p->r.end, p->level << 48 | p->id, &row);
}

static void
close_range(struct report *r, struct push *p)
{
	if (!p->loose)
		put_row(r, p);
	buf_free(&p->name);
	buf_free(&p->stack);
	free(p);
}

/* Closes what ended before t; what lies in another range stands behind it. */
static void
expire(struct report *r, struct thread *th, int64_t t)
{
	size_t i, k;

	for (i = th->n; i-- > 0;)
		if (th->v[i]->r.end < t) {
			close_range(r, th->v[i]);
			th->v[i] = NULL;
		}
	for (i = k = 0; i < th->n; i++)
		if (th->v[i] != NULL)
			th->v[k++] = th->v[i];
	th->n = k;
}

static void
count_in(struct push *up, const struct push *p, int64_t sign)
{
	if (up == NULL)
		return;
	up->n_child += sign;
	up->child_dur = num_add(up->child_dur, sign * len(p));
}

static void
find_parent(const struct thread *th, struct push *p)
{
	struct push *x;
	size_t i;

	for (i = 0; i < th->n; i++) {
		x = th->v[i];
		if (x->r.end >= p->r.end &&
		    (p->up == NULL || len(x) < len(p->up)))
			p->up = x;
	}
	if (p->up == NULL)
		return;
	if (len(p->up) == len(p) && !p->up->loose) {
		p->up->loose = true;
		count_in(p->up->up, p->up, -1);
	}
	p->loose = p->up->loose;
	if (!p->loose)
		count_in(p->up, p, 1);
}

static void
push(struct report *r, const struct range *x)
{
	struct thread *th = thread_of(x->pid, x->tid);
	struct push *p = xcalloc(1, sizeof(*p));

	expire(r, th, x->start);
	p->r = *x;
	p->id = x->idx > 0 ? x->idx : ++ids;
	buf_put(&p->name, x->name, x->name_len);
	find_parent(th, p);
	if (p->up != NULL) {
		p->level = p->up->level + 1;
		buf_put(&p->stack, p->up->stack.s, p->up->stack.len);
	}
	buf_putc(&p->stack, ':');
	buf_i64(&p->stack, p->id);
	if (th->n == th->cap) {
		th->cap = th->cap != 0 ? th->cap * 2 : 16;
		th->v = xrealloc(th->v, th->cap, sizeof(struct push *));
	}
	th->v[th->n++] = p;
}

static void
print(struct report *r)
{
	size_t i;

	for (i = 0; i < nos.n; i++) {
		while (threads[i].n > 0)
			close_range(r, threads[i].v[--threads[i].n]);
		free(threads[i].v);
	}
	free(threads);
	threads = NULL;
	threadnos_clear(&nos);
	ids = 0;
	order_put(r->rows);
	r->rows = NULL;
}

static const char *const cols[] = { "#Start (ns)", "#End (ns)",
	"#Duration (ns)", "#DurChild (ns)", "#DurNonChild (ns)", "Name", "#PID",
	"#TID", "#Lvl", "#NumChild", "#RangeId", "#ParentId", "RangeStack",
	"NameTree" };

const struct report_def rep_pushpop_trace = {
	{ "nvtx_pushpop_trace", "NVTX Push/Pop Range Trace", COLS(cols) },
	"nvtxpptrace", .types = "range", .on_push = push, .print = print
};
