/*
 * The functions that judges share: sums and counts by name, their texts, and
 * verdicts that several rules give.
 */
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "err.h"
#include "num.h"

#define TOPS_MAX 65536

const char *const busy_words[N_BUSY] = { "tc", "kern", "graph", "mem",
	"dataload", "io", "cpu", "other" };
const char *const gap_words[N_GAP] = { "launch-bound", "startup", "sync",
	"dataloader", "comm-wait", "allocation", "module-load", "os-wait",
	"profiler", "queued", "unknown", "after-sync", "graph-update",
	"host-only", "end" };

void
tops_add(
    struct tops *t, const char *name, size_t len, int64_t ns, int64_t bytes)
{
	uint32_t i;

	t->all.n++;
	t->all.ns = num_add(t->all.ns, ns);
	t->all.bytes = num_add(t->all.bytes, bytes);
	i = t->names.n < TOPS_MAX ? smap_put(&t->names, name, len, NULL)
				  : smap_find(&t->names, name, len);
	if (i == SMAP_NONE)
		return;
	if (i >= t->cap) {
		size_t cap = t->cap > 0 ? 2 * t->cap : 16;

		t->v = xrealloc(t->v, cap, sizeof(*t->v));
		memset(t->v + t->cap, 0, (cap - t->cap) * sizeof(*t->v));
		t->cap = cap;
	}
	t->v[i].n++;
	t->v[i].ns = num_add(t->v[i].ns, ns);
	t->v[i].bytes = num_add(t->v[i].bytes, bytes);
}

static bool
is_larger(const struct top *a, const struct top *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->n > b->n;
}

/* The largest element that comes after `last` in order, or SMAP_NONE. */
static uint32_t
next_top(const struct tops *t, uint32_t last)
{
	uint32_t i, best = SMAP_NONE;

	for (i = 0; i < t->names.n; i++) {
		if (last != SMAP_NONE &&
		    (is_larger(&t->v[i], &t->v[last]) ||
			(!is_larger(&t->v[last], &t->v[i]) && i <= last)))
			continue;
		if (best == SMAP_NONE || is_larger(&t->v[i], &t->v[best]))
			best = i;
	}
	return best;
}

/* Three digits are enough for a judgement. */
static void
put_scaled(struct buf *b, double v, double step, const char *const *unit)
{
	while (v >= step && unit[1] != NULL) {
		v /= step;
		unit++;
	}
	buf_printf(b, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, *unit);
}

void
say_time(struct buf *b, int64_t ns)
{
	static const char *const unit[] = { "us", "ms", "s", NULL };

	put_scaled(b, (double)ns / 1e3, 1e3, unit);
}

void
say_size(struct buf *b, int64_t bytes)
{
	static const char *const unit[] = { "KB", "MB", "GB", "TB", NULL };

	put_scaled(b, (double)bytes / 1e3, 1e3, unit);
}

/* A place at or before n, and more than n - 10, where neither a character nor
 * an escape is cut. */
static size_t
whole_before(const char *s, size_t n)
{
	size_t most = n;

	while (n > most - 10 && ((s[n] & 0xc0) == 0x80 || s[n - 1] == '\\' ||
				    s[n - 2] == '\\' || s[n - 3] == '\\'))
		n--;
	return n;
}

#define NAME_MOST 160 /* bytes of a name in the evidence */
#define NAME_END 80   /* of these at its end, where long names differ */

static void
put_name(struct buf *b, const char *s, size_t n)
{
	size_t end;

	if (n <= NAME_MOST) {
		buf_put(b, s, n);
		return;
	}
	end = whole_before(s, n - NAME_END);
	buf_put(b, s, whole_before(s, NAME_MOST - NAME_END));
	buf_puts(b, "..");
	buf_put(b, s + end, n - end);
}

void
tops_put(const struct tops *t, struct buf *b, int k)
{
	uint32_t i = SMAP_NONE;
	const char *s;
	size_t n;

	while (k-- > 0 && (i = next_top(t, i)) != SMAP_NONE) {
		s = smap_str(&t->names, i, &n);
		if (b->len > 0)
			buf_puts(b, "; ");
		put_name(b, s, n);
		buf_puts(b, ": ");
		buf_u64(b, t->v[i].n);
		if (t->v[i].ns > 0) {
			buf_puts(b, ", ");
			say_time(b, t->v[i].ns);
		}
		if (t->v[i].bytes > 0) {
			buf_puts(b, ", ");
			say_size(b, t->v[i].bytes);
		}
	}
}

const char *
tops_first(const struct tops *t, size_t *n)
{
	uint32_t i = next_top(t, SMAP_NONE);

	return i != SMAP_NONE ? smap_str(&t->names, i, n) : NULL;
}

static void
tops_free(struct tops *t)
{
	smap_free(&t->names);
	free(t->v);
}

void
facts_clear(struct facts *f)
{
	struct tops *const tops[] = { &f->sync, &f->alloc, &f->pageable,
		&f->pageable_later, &f->again, &f->why, &f->few, &f->comm,
		&f->unaligned, &f->fp32, &f->queue_full, &f->lost, &f->odd_size,
		&f->chain, &f->scores, &f->optimizer, &f->other_opt, &f->coll,
		&f->late, &f->plans };
	struct buf *const text[] = { &f->key, &f->src, &f->rank, &f->step_key,
		&f->gap_in_text, &f->first, &f->mends };
	struct facts empty = { .all_devices = f->all_devices,
		.even = f->even,
		.known = f->known,
		.key_found = -1 };
	size_t i;

	for (i = 0; i < f->n_dev; i++) {
		ivl_free(&f->dev[i].comm);
		ivl_free(&f->dev[i].work);
	}
	for (i = 0; i < ARRAY_LEN(tops); i++)
		tops_free(tops[i]);
	for (i = 0; i < N_GAP; i++) {
		tops_free(&f->gap_in[i]);
		map_free(&f->gap_step[i]);
	}
	map_free(&f->marked);
	for (i = 0; i < N_SLOW; i++)
		tops_free(&f->slow_size[i]);
	for (i = 0; i < ARRAY_LEN(text); i++)
		buf_free(text[i]);
	for (i = 0; i < N_OVER; i++)
		ivl_free(&f->over_time[i]);
	while (f->live_at.n > 0)
		map_free(&f->live[--f->live_at.n]);
	free(f->live);
	free(f->dev);
	free(f->iter);
	free(f->alike_v);
	smap_free(&f->alike);
	smap_free(&f->live_at);
	smap_free(&f->said_by);
	map_free(&f->dev_at);
	map_free(&f->op_bits);
	map_free(&f->step_shape);
	smap_free(&f->regions);
	map_free(&f->step_kernels);
	*f = empty;
	for (i = 0; i < N_MODEL; i++)
		f->model[i] = -1;
}

struct device *
facts_dev(struct facts *f, int64_t no)
{
	struct device *d;
	bool fresh;
	uint64_t *at = map_put(&f->dev_at, (uint64_t)no, &fresh);

	if (!fresh)
		return &f->dev[*at];
	*at = f->n_dev;
	f->dev = xrealloc(f->dev, f->n_dev + 1, sizeof(*f->dev));
	d = &f->dev[f->n_dev++];
	memset(d, 0, sizeof(*d));
	d->dev = no;
	d->n_sm = d->cc10 = -1;
	return d;
}

int64_t
facts_dev_kernels(const struct device *d)
{
	return d->busy[B_TC] + d->busy[B_KERN] + d->busy[B_GRAPH];
}

int64_t
facts_dev_bare(const struct device *d, int64_t *all)
{
	int64_t hidden, bare = 0;
	size_t k;

	*all = d->has_comm ? d->in_steps.all : ivl_len(&d->comm);
	if (d->has_comm)
		return d->in_steps.bare;
	for (k = 0; k < d->comm.n; k++) {
		hidden = ivl_len_in(&d->work, d->comm.v[k].lo, d->comm.v[k].hi);
		bare = num_add(bare,
		    num_sub(num_sub(d->comm.v[k].hi, d->comm.v[k].lo), hidden));
	}
	return bare;
}

int64_t
facts_dev_wall(const struct device *d)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < N_BUSY; i++)
		sum = num_add(sum, d->busy[i]);
	return sum;
}

/* True if the device's time counts. */
static bool
dev_counts(const struct facts *f, const struct device *d)
{
	size_t i;

	if (f->all_devices || d->used)
		return true;
	for (i = 0; i < f->n_dev; i++)
		if (f->dev[i].used)
			return false;
	return true;
}

int64_t
facts_busy_ns(const struct facts *f, unsigned classes)
{
	int64_t sum = 0;
	size_t k;
	int i;

	for (k = 0; k < f->n_dev; k++)
		for (i = 0; i < N_BUSY && dev_counts(f, &f->dev[k]); i++)
			if ((classes >> i & 1) != 0)
				sum = num_add(sum, f->dev[k].busy[i]);
	return sum;
}

double
facts_busy_pct(const struct facts *f, unsigned classes)
{
	double all = (double)facts_busy_ns(f, (1U << N_BUSY) - 1);

	return all > 0 ? 100 * (double)facts_busy_ns(f, classes) / all : 0;
}

int
facts_gap_most(const struct facts *f)
{
	int i, best = -1;

	for (i = 0; i < N_GAP; i++)
		if (f->gap_ns[i] > (best < 0 ? 0 : f->gap_ns[best]))
			best = i;
	return best;
}

int64_t
facts_wall_ns(const struct facts *f)
{
	int64_t wall = facts_busy_ns(f, (1U << N_BUSY) - 1);

	return wall > 0 ? wall : f->span_ns;
}

double
facts_share_pct(const struct facts *f, int64_t ns)
{
	int64_t wall = facts_wall_ns(f);

	return wall > 0 ? 100.0 * (double)ns / (double)wall : -1;
}

double
facts_kern_pct(const struct facts *f, int64_t ns)
{
	return f->kern_ns > 0 ? 100.0 * (double)ns / (double)f->kern_ns : 0;
}

int64_t
facts_work_ns(const struct facts *f)
{
	return num_add(f->kern_ns, num_add(f->copy_ns, f->graph_ns));
}

double
facts_per_iter(const struct facts *f, uint64_t n)
{
	return (double)n / (double)(f->n_iter > 0 ? f->n_iter : 1);
}

/* The least length of the longer ones, where lengths have the widest gap;
 * 0 if they are not of two kinds. */
static int64_t
long_length(const struct facts *f)
{
	size_t n = f->n_iter, i, at = 0;
	int64_t *ns = xmalloc((n + 1) * sizeof(*ns)), wide = 0, least;

	for (i = 0; i < n; i++)
		ns[i] = f->iter[i].ns;
	qsort(ns, n, sizeof(*ns), array_by_i64);
	for (i = 2; i + 2 <= n; i++)
		if (num_sub(ns[i], ns[i - 1]) > wide) {
			wide = num_sub(ns[i], ns[i - 1]);
			at = i;
		}
	least = at > 0 && wide > ns[at - 1] / 5 &&
			wide > num_sub(ns[at - 1], ns[0]) / 2 &&
			wide > num_sub(ns[n - 1], ns[at]) / 2
		    ? ns[at]
		    : 0;
	free(ns);
	return least;
}

bool
facts_pattern(const struct facts *f, struct facts_pattern *p)
{
	int64_t least = f->n_iter >= 6 ? long_length(f) : 0, first = 0;
	double sum[2] = { 0 }, gap[N_GAP][2] = { { 0 } }, d, most = 0;
	size_t n[2] = { 0 }, i, last = 0;
	uint64_t *v;
	int c, is;

	*p = (struct facts_pattern){ .of = f->n_iter, .class = -1 };
	for (i = 0; i < f->n_iter && least > 0; i++) {
		is = f->iter[i].ns >= least;
		sum[is] += (double)f->iter[i].ns;
		for (c = 0; c < N_GAP; c++) {
			v = map_get(&f->gap_step[c], (uint64_t)f->iter[i].no);
			gap[c][is] += v != NULL ? (double)*v : 0;
		}
		if (is && n[1] == 1)
			p->every = i - last;
		else if (is && n[1] > 1 && p->every != i - last)
			first = -1;
		last = is ? i : last;
		n[is]++;
	}
	if (n[0] == 0 || n[1] == 0)
		return false;
	/* all along, and not two slow steps that happen to be close */
	if (first < 0 || p->every < 2 || n[1] < f->n_iter / p->every)
		p->every = 0;
	p->n = n[1];
	d = sum[1] / (double)n[1] - sum[0] / (double)n[0];
	p->ns = (int64_t)d;
	for (c = 0; c < N_GAP; c++) {
		gap[c][1] = gap[c][1] / (double)n[1] - gap[c][0] / (double)n[0];
		if (gap[c][1] > d / 2 && gap[c][1] > most) {
			most = gap[c][1];
			p->class = c;
		}
	}
	return true;
}

double
facts_passes(const struct facts *f)
{
	return f->n_iter > 0 ? facts_per_iter(f, f->n_pass) : 0;
}

void
verdict_gain(struct advise_verdict *v, int64_t ns)
{
	v->gains = true;
	v->ceiling = ns > 0 ? ns : 0;
}

void
verdict_unjudged(struct advise_verdict *v, const char *missing)
{
	v->judged = V_UNJUDGED;
	v->missing = missing;
}

bool
verdict_lacks(struct advise_verdict *v, bool lacks, const char *missing)
{
	if (lacks)
		verdict_unjudged(v, missing);
	return lacks;
}

bool
verdict_lacks_times(const struct facts *f, struct advise_verdict *v, bool lacks,
    const char *records)
{
	return verdict_lacks(v, lacks,
	    f->no_times ? "times: a .dict has durations only" : records);
}

bool
verdict_above(struct advise_verdict *v, double value)
{
	buf_printf(&v->value, "%.1f", value);
	v->judged = value > v->limit ? V_YES : V_NO;
	return v->judged == V_YES;
}

void
verdict_number(struct advise_verdict *v, uint64_t n)
{
	buf_u64(&v->value, n);
	v->judged = (double)n > v->limit ? V_YES : V_NO;
	if (n == 1)
		verdict_let(v, "one");
}

void
verdict_share(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	verdict_above(v, facts_share_pct(f, ns));
	verdict_gain(v, ns);
}

void
verdict_kernels(const struct facts *f, int64_t ns, struct advise_verdict *v)
{
	verdict_above(v, facts_kern_pct(f, ns));
	verdict_gain(v, ns);
	v->of_kernels = true;
}

bool
facts_has_steps(const struct facts *f)
{
	return f->key_found == 1 ||
	       (f->key_found < 0 && (f->n_iter > 1 || f->has_key));
}

bool
verdict_no_steps(const struct facts *f, struct advise_verdict *v)
{
	return verdict_lacks(v, !facts_has_steps(f),
	    "iterations: a key for dlp-iter, or ranges around the steps");
}

bool
verdict_no_devices(const struct facts *f, struct advise_verdict *v)
{
	return verdict_lacks(v, f->n_dev == 0, "GPUs: the profile names none");
}

bool
verdict_no_work(const struct facts *f, struct advise_verdict *v)
{
	return verdict_no_devices(f, v) ||
	       verdict_lacks(v,
		   facts_work_ns(f) <= 0 &&
		       facts_busy_pct(f, 1U << B_TC | 1U << B_KERN |
					     1U << B_GRAPH | 1U << B_MEM) <= 0,
		   "GPU work: the profile has none");
}

void
verdict_no_memory(const struct facts *f, struct advise_verdict *v)
{
	verdict_unjudged(
	    v, maker_text(&f->maker,
		   "memory events: nsys profile --cuda-memory-usage=true",
		   "memory events: torch.profiler.profile(profile_memory=True)",
		   "memory events: rocprofv3 --memory-allocation-trace"));
}

int64_t
facts_fixed_ns(const struct facts *f, const char *name)
{
	const struct facts_whatif *w = &f->whatif;
	int i;

	/* it is off already */
	if (strcmp(name, "recording") == 0)
		return facts_step_ns(f, false);
	for (i = 0; i < w->n_fix; i++)
		if (strcmp(w->fix[i].name, name) == 0 && w->fix[i].n > 0)
			return w->fix[i].ns / (int64_t)w->fix[i].n;
	return 0;
}

int64_t
facts_step_ns(const struct facts *f, bool recorded)
{
	const struct facts_whatif *w = &f->whatif;

	if (w->n == 0)
		return 0;
	return (recorded ? w->step : w->bare) / (int64_t)w->n;
}
