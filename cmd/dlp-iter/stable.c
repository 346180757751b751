/* The iterations of a key, and a stable range of them; see stable.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cand.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "stable.h"
#include "steady.h"

void
stable_add(struct stable *l, const struct line *x)
{
	if (l->n == l->cap) {
		l->cap = l->cap > 0 ? l->cap * 2 : 64;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = *x;
}

/* The steps' lengths; to be freed. */
static int64_t *
lengths(const struct stable *l)
{
	int64_t *v = xcalloc(l->n + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < l->n; i++)
		v[i] = l->v[i].has_step ? l->v[i].step : STEADY_NONE;
	return v;
}

static const char *const cols[] = { "iter", "key", "start_ns", "dur_ns",
	"gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns", "kern_ns", "n_kern",
	"n_op", "dev_pct", "stable", "src" };
#define NCOLS ((int)(sizeof(cols) / sizeof(cols[0])))

static void
put_line(const struct line *x, double med, bool is_stable)
{
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[x->src != NULL];

	if (*t == NULL)
		*t = out_type("iter", cols, NCOLS - (x->src == NULL));
	out_rec(*t);
	line_fields(x);
	if (x->has_step && med > 0) {
		buf_putc(&out_buf, '\t');
		buf_f64(&out_buf, 100 * ((double)x->step - med) / med, 1);
	} else {
		out_unset();
	}
	out_raw(is_stable ? "yes" : "no", is_stable ? 3 : 2);
	if (x->src != NULL)
		out_raw(x->src, strlen(x->src));
	out_end();
}

void
stable_list(const struct stable *l, const char *key, const char *kind,
    const char *src, int64_t lo, int64_t hi)
{
	struct cand c = { 0 };
	struct cand_line x = {
		.kind = kind, .key = key, .op_id = -1, .src = src
	};
	int64_t *v = lengths(l);
	double med = steady_median(v, l->n);
	struct ivl u = { 0 };
	size_t i;

	steady_range(v, l->n, &x.from, &x.to);
	free(v);
	for (i = 0; i < l->n; i++) {
		const struct line *it = &l->v[i];

		if (it->has_step)
			cand_length(&c, (double)it->step);
		if (it->has_dur)
			ivl_add(&u, it->start, num_add(it->start, it->dur));
	}
	c.sum = (double)ivl_len_in(&u, lo, hi);
	ivl_free(&u);
	cand_judge(&c, (double)hi - (double)lo);
	x.nkey = strlen(key);
	x.n = l->n;
	x.coverage = c.coverage;
	x.mean = c.mean;
	x.var = cand_var(&c);
	x.score = c.score;
	cand_put(&x);
	for (i = 0; i < l->n; i++)
		put_line(
		    &l->v[i], med, (int64_t)i >= x.from && (int64_t)i <= x.to);
}

/* Mean and standard deviation (of a sample; NAN of less than two) of the
 * known ones of v[0..n). */
static void
mean_of(const int64_t *v, size_t n, double *mean, double *std)
{
	double sum = 0, sq = 0;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (v[i] != STEADY_NONE) {
			sum += (double)v[i];
			k++;
		}
	*mean = k > 0 ? sum / (double)k : NAN;
	for (i = 0; i < n; i++)
		if (v[i] != STEADY_NONE)
			sq += ((double)v[i] - *mean) * ((double)v[i] - *mean);
	*std = k > 1 ? sqrt(sq / (double)(k - 1)) : NAN;
}

static void
put_ns(double x)
{
	out_opt(!isnan(x), isnan(x) ? 0 : (int64_t)llround(x));
}

void
stable_put(const struct stable *l, bool all, const char *src)
{
	static const char *const names[] = { "n", "from", "to", "n_even",
		"median_ns", "mean_ns", "std_ns", "within_pct", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[src != NULL];
	int64_t *v = lengths(l), from, to;
	double mean, std;
	bool any;

	if (*t == NULL)
		*t = out_type("stable", names, src != NULL ? 9 : 8);
	steady_range(v, l->n, &from, &to);
	if (all) {
		from = l->n > 0 ? 0 : -1;
		to = (int64_t)l->n - 1;
	}
	any = from >= 0;
	if (any)
		mean_of(v + from, (size_t)(to - from + 1), &mean, &std);
	else
		mean_of(v, l->n, &mean, &std);
	out_rec(*t);
	out_i64((int64_t)l->n);
	out_opt(any, any ? l->v[from].iter : 0);
	out_opt(any, any ? l->v[to].iter : 0);
	out_i64(any ? to - from + 1 : 0);
	put_ns(l->n > 0 ? steady_median(v, l->n) : NAN);
	put_ns(mean);
	put_ns(std);
	out_i64(STEADY_PCT);
	if (src != NULL)
		out_raw(src, strlen(src));
	out_end();
	free(v);
}

bool
stable_range(const struct stable *l, int64_t *from, int64_t *to)
{
	int64_t *v = lengths(l);
	bool any;

	steady_range(v, l->n, from, to);
	free(v);
	any = *from >= 0;
	*from = any ? l->v[*from].iter : 0;
	*to = any ? l->v[*to].iter : INT64_MAX;
	return any;
}

void
stable_clear(struct stable *l)
{
	free(l->v);
	memset(l, 0, sizeof(*l));
}
