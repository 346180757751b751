/*
 * The trace of push/pop ranges. The children of a range are known when it ends;
 * its parent, the shortest range around it, when it begins.
 */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "stats.h"

struct push_range { /* an open range */
	struct stats_range r;
	struct push_range *up;
	int64_t id, level, n_child, child_dur;
	int64_t parent; /* id of up, which may be closed first; 0 if none */
	bool loose;     /* has the same times as another range, or is inside
			 * such a range */
	struct buf name, stack;
};

struct push_open { /* on a thread */
	struct openrange span;
	struct push_range *p;
};

struct push_trace {
	struct openranges *thread;
	struct smap nos; /* of threads: by struct thread_id */
	int64_t ids;
};

static struct openranges *
thread_of(struct push_trace *t, const struct stats_range *x)
{
	struct thread_id id = { x->file, x->pid, x->tid };
	bool fresh;
	uint32_t i = smap_put(&t->nos, (char *)&id, sizeof(id), &fresh);

	if (!fresh)
		return &t->thread[i];
	t->thread = xrealloc(t->thread, t->nos.n, sizeof(*t->thread));
	openranges_init(&t->thread[i], sizeof(struct push_open));
	return &t->thread[i];
}

static int64_t
len(const struct push_range *p)
{
	return num_sub(p->r.end, p->r.start);
}

static void
put_range_row(struct report *r, const struct push_range *p)
{
	struct buf *row = &r->row;
	int64_t i;

	row_i64(row, p->r.start);
	row_i64(row, p->r.end);
	row_i64(row, len(p));
	row_i64(row, p->child_dur);
	row_i64(row, num_sub(len(p), p->child_dur));
	row_text(row, p->name.s, p->name.len);
	row_i64(row, p->r.pid);
	row_i64(row, p->r.tid);
	row_i64(row, p->level);
	row_i64(row, p->n_child);
	row_i64(row, p->id);
	if (p->parent > 0)
		buf_i64(row, p->parent);
	row_none(row);
	row_text(row, p->stack.s, p->stack.len);
	for (i = 0; i < p->level; i++)
		buf_puts(row, "--");
	row_text(row, p->name.s, p->name.len);
	order_add_at(
	    r->rows, p->r.start, p->r.end, p->level << 48 | p->id, row);
}

static void
close_range(void *ctx, void *open)
{
	struct push_range *p = ((struct push_open *)open)->p;

	if (!p->loose)
		put_range_row(ctx, p);
	buf_free(&p->name);
	buf_free(&p->stack);
	free(p);
}

static void
count_in(struct push_range *up, const struct push_range *p, int64_t sign)
{
	if (up == NULL)
		return;
	up->n_child += sign;
	up->child_dur = num_add(up->child_dur, sign * len(p));
}

static void
find_parent(const struct openranges *th, struct push_range *p)
{
	struct push_range *x;
	size_t i;

	for (i = 0; i < th->n; i++) {
		x = ((struct push_open *)openranges_at(th, i))->p;
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
push(struct report *r, const struct stats_range *x)
{
	struct push_trace *t = r->state;
	struct openranges *th = thread_of(t, x);
	struct push_range *p = xcalloc(1, sizeof(*p));
	struct push_open *o;

	openranges_sweep(th, stats_before(x->start), close_range, r);
	p->r = *x;
	p->id = x->idx > 0 ? x->idx : ++t->ids;
	buf_put(&p->name, x->name, x->name_len);
	find_parent(th, p);
	if (p->up != NULL) {
		p->level = p->up->level + 1;
		p->parent = p->up->id;
		buf_put(&p->stack, p->up->stack.s, p->up->stack.len);
	}
	buf_putc(&p->stack, ':');
	buf_i64(&p->stack, p->id);
	o = openranges_push(th, x->start, x->end);
	o->p = p;
}

static void
print(struct report *r)
{
	struct push_trace *t = r->state;
	size_t i;

	for (i = 0; i < t->nos.n; i++) {
		openranges_sweep(&t->thread[i], INT64_MAX, close_range, r);
		openranges_free(&t->thread[i]);
	}
	free(t->thread);
	smap_free(&t->nos);
	memset(t, 0, sizeof(*t));
	order_put(r->rows, &r->stats->sink);
	r->rows = NULL;
}

static const char *const cols[] = { "#Start (ns)", "#End (ns)",
	"#Duration (ns)", "#DurChild (ns)", "#DurNonChild (ns)", "Name", "#PID",
	"#TID", "#Lvl", "#NumChild", "#RangeId", "#ParentId", "RangeStack",
	"NameTree" };

const struct report_def rep_pushpop_trace = {
	{ "nvtx_pushpop_trace", "NVTX Push/Pop Range Trace", COLS(cols) },
	"nvtxpptrace", .types = "range", .on_push = push, .print = print,
	.state = sizeof(struct push_trace)
};
