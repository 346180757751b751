/* The end of a section: a record per iteration, device and class. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "busy.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stage.h"

struct busy_row { /* of which device, in which iteration, or after which */
	int64_t iter, after, dev;
	bool tc; /* kernels tell whether they use Tensor Cores */
};

/* Where no kernel tells whether it uses Tensor Cores, all are in class kern;
 * how long those that do ran is not known, unless none ran. */
static void
put_class_row(struct busy_times *b, const struct busy_file *f,
    const struct busy_row *x, int c, const struct class_sums *s)
{
	const char *w = class_word((enum busy_class)c);
	bool known = c != C_TC || x->tc || s->all[C_KERN] == 0;

	out_rec_src(&b->busy_type, "busy", b->mode->cols, b->mode->n_cols,
	    f->name != NULL);
	out_opt(x->iter >= 0, x->iter);
	out_i64(x->dev);
	out_word(w);
	out_opt(known, s->dur[c]);
	out_opt(known, s->all[c]);
	if (b->mode->has_after)
		out_opt(x->after >= 0, x->after);
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

/* How long iteration i lasts. */
static int64_t
iter_length(const struct busy_file *f, size_t i, int64_t end)
{
	const struct steps *c = &f->steps;
	int64_t lo = f->from;

	if (f->whole)
		return num_sub(f->gpu_hi, f->gpu_lo);
	if (i < c->n && c->v[i].at > lo)
		lo = c->v[i].at;
	if (i + 1 < c->n && c->v[i + 1].at < end)
		end = c->v[i + 1].at;
	return end > lo ? num_sub(end, lo) : 0;
}

/* Adds what a device did between two cuts. */
static void
add_sums(struct class_sums *s, const struct busy_file *f,
    const struct busy_dev *d, size_t i, int64_t end)
{
	int64_t other = d->used ? 0 : iter_length(f, i, end);
	int c;

	s->dur[C_OTHER] = num_add(s->dur[C_OTHER], other);
	s->all[C_OTHER] = num_add(s->all[C_OTHER], other);
	if (!d->used || i >= d->lane.n_sum)
		return;
	for (c = 0; c < C_N; c++) {
		s->dur[c] = num_add(s->dur[c], d->lane.sum[i].dur[c]);
		s->all[c] = num_add(s->all[c], d->lane.sum[i].all[c]);
	}
}

void
busy_put_iter(
    struct busy_times *b, const struct busy_file *f, size_t i, int64_t end)
{
	struct busy_row x = { -1, -1, 0, b->with_tc > 0 };
	struct class_sums s;
	size_t k;
	int c;

	if (i < f->steps.n && f->steps.v[i].where == STEPS_IN)
		x.iter = f->steps.v[i].iter;
	if (i < f->steps.n && f->steps.v[i].where == STEPS_AFTER)
		x.after = f->steps.v[i].iter;
	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		add_sums(&s, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put_class_row(b, f, &x, c, &s);
	}
}

/* All time before the iterations and behind them. */
static void
put_outside(struct busy_times *b, const struct busy_file *f, int64_t end)
{
	struct busy_row x = { -1, -1, 0, b->with_tc > 0 };
	struct class_sums s;
	size_t k, i;
	int c;

	for (k = 0; k < f->n_dev; k++) {
		memset(&s, 0, sizeof(s));
		for (i = 0; i < f->steps.n; i++)
			if (f->steps.v[i].where == STEPS_OUT)
				add_sums(&s, f, &f->dev[k], i, end);
		x.dev = f->dev[k].no;
		for (c = 0; c < C_N; c++)
			put_class_row(b, f, &x, c, &s);
	}
}

static void
put_edge(struct busy_times *b, const struct busy_file *f, const char *at,
    int64_t ns, bool call)
{
	static const char *const names[] = { "at", "dur_ns", "api",
		"api_dur_ns", "src" };
	int64_t hi = f->call_hi < f->gpu_lo ? f->call_hi : f->gpu_lo;

	call = call && f->call.len > 0;
	out_rec_src(
	    &b->edge_type, "edge", names, ARRAY_LEN(names), f->name != NULL);
	out_word(at);
	out_i64(ns);
	out_raw(call ? f->call.s : NULL, f->call.len);
	out_opt(call, num_sub(hi, f->call_lo));
	if (f->name != NULL)
		out_word(f->name);
	out_end();
}

static int
by_number(const void *a, const void *b)
{
	const struct busy_dev *x = a, *y = b;

	return (x->no > y->no) - (x->no < y->no);
}

/* Where nothing ran on a GPU, the first one stands for what the processes
 * did. */
static void
without_gpu(struct busy_file *f)
{
	size_t i;

	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].used)
			return;
	if (f->n_dev == 0)
		return;
	lane_init(&f->dev[0].lane, f);
	f->dev[0].used = true;
	for (i = 0; i < f->n_proc; i++)
		lane_merge(&f->dev[0].lane, &f->proc[i].own);
}

/* Returns how much time came too late to be counted, in ns. */
static int64_t
end_file(struct busy_times *b, struct busy_file *f)
{
	int64_t late = 0, end = f->last;
	size_t i;

	if (f->has_end && f->end > end)
		end = f->end;
	if (f->has_stop && f->stop > end)
		end = f->stop;
	if (b->mode->close_steps != NULL)
		b->mode->close_steps(f);
	if (f->n_dev > 0)
		qsort(f->dev, f->n_dev, sizeof(*f->dev), by_number);
	without_gpu(f);
	for (i = 0; i < f->n_dev; i++) {
		if (!f->dev[i].used)
			continue;
		lane_end(&f->dev[i].lane, end);
		late = num_add(late, f->dev[i].lane.late_ns);
	}
	b->mode->write(b, f, end);
	return late;
}

/* Columns and records that an earlier stage should have added. */
static void
warn_of_missing(const struct busy_times *b)
{
	bool iters = false, cuts = false;
	size_t i;

	for (i = 0; i < b->n_file; i++) {
		iters |= b->file[i]->has_end;
		cuts |= b->file[i]->steps.n > 0;
	}
	if (iters && !cuts)
		warn("no cut records: all time is in no iteration; dlp-iter"
		     " --cuts adds them");
	if (b->no_tc > 0 && b->with_tc == 0)
		warn("kern records without column tc: class tc is unknown, all"
		     " kernels are in class kern; dlp-flops adds it");
}

void
busy_end(struct busy_times *b, bool whole)
{
	int64_t late = 0;
	size_t i;

	for (i = 0; i < b->n_file; i++)
		late = num_add(late, end_file(b, b->file[i]));
	if (whole)
		warn_of_missing(b);
	stage_note("busy_without_tc", b->no_tc);
	stage_note("busy_late_ns", (uint64_t)late);
}

/* How dlp-busy counts of its own accord. */

static int64_t
from_first_event(const struct busy_file *f)
{
	return f->has_begin && f->begin < f->first ? f->begin : f->first;
}

static void
close_last_step(struct busy_file *f)
{
	struct steps *s = &f->steps;
	struct steps_cut *last = s->n > 0 ? &s->v[s->n - 1] : NULL;

	if (last == NULL || last->where == STEPS_IN)
		return;
	if (f->has_end && f->work_end > last->at) {
		steps_add(s, f->work_end, -1, true);
	} else {
		last->where = STEPS_OUT;
		last->iter = -1;
	}
}

static bool
is_whole(const struct busy_file *f)
{
	return f->any_gpu &&
	       (f->steps.n == 0 ||
		   (f->steps.n == 1 && f->steps.v[0].at == INT64_MIN));
}

/* The time in steps, between two of them, and outside of all. */
static void
write_all_time(struct busy_times *b, struct busy_file *f, int64_t end)
{
	size_t i;

	f->whole = is_whole(f);
	for (i = 0; f->whole && i < f->n_dev; i++)
		if (f->dev[i].used)
			lane_between(&f->dev[i].lane);
	if (f->steps.n == 0 && f->any)
		busy_put_iter(b, f, 0, end);
	for (i = 0; i < f->steps.n; i++)
		if (f->steps.v[i].where != STEPS_OUT)
			busy_put_iter(b, f, i, end);
	if (f->steps.n > 0 && f->any)
		put_outside(b, f, end);
	if (f->whole) {
		put_edge(b, f, "before", num_sub(f->gpu_lo, f->first), true);
		put_edge(b, f, "behind", num_sub(end, f->gpu_hi), false);
	}
}

static const char *const own_cols[] = { "iter", "dev", "class", "dur_ns",
	"union_ns", "after", "src" };

const struct busy_mode busy_own = {
	.is_io = class_is_io,
	.from = from_first_event,
	.close_steps = close_last_step,
	.write = write_all_time,
	.cols = own_cols,
	.n_cols = ARRAY_LEN(own_cols),
	.has_after = true,
};
