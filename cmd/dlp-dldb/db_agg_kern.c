/* Kernels by op and iteration; see db_agg.h. */
#include "db_agg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "err.h"
#include "temp.h"

static int
cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Compares op and iteration, with which a pair begins. */
static int
cmp_pair(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	int64_t x[2], y[2];

	(void)ctx, (void)an, (void)bn;
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return x[0] != y[0] ? cmp_i64(x[0], y[0]) : cmp_i64(x[1], y[1]);
}

static int
cmp_no(const void *ctx, const char *a, size_t an, const char *b, size_t bn)
{
	int64_t x, y;

	(void)ctx, (void)an, (void)bn;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return cmp_i64(x, y);
}

/* The memory of a pair is its place, room to grow_held and its entry in the
 * map. */
void
agg_kern_start(struct db_agg *a, size_t bytes)
{
	a->max_pairs = bytes / 4 / (2 * sizeof(struct agg_pair) + 48);
	if (a->max_pairs == 0)
		a->max_pairs = 1;
	xsort_open(&a->old, cmp_pair, NULL, bytes / 4);
	a->max_held = bytes / 4 / (sizeof(*a->held));
	if (a->max_held == 0)
		a->max_held = 1;
}

/* Writes all pairs to disk. */
static void
put_old(struct db_agg *a)
{
	size_t i;

	for (i = 0; i < a->n_pairs; i++)
		xsort_put(&a->old, &a->pairs[i], 2 * sizeof(int64_t),
		    &a->pairs[i], sizeof(a->pairs[i]));
	a->any_old = true;
	a->first_pair += a->n_pairs;
	a->n_pairs = 0;
	map_clear(&a->pair);
}

static void
flush_held(struct db_agg *a)
{
	const char *p = (const char *)a->held;
	size_t left = a->n_held * sizeof(*a->held);
	ssize_t n;

	if (a->fd < 0)
		a->fd = temp_fd();
	while (left > 0) {
		n = write(a->fd, p, left);
		if (n < 0 && errno != EINTR)
			die_errno("temporary file");
		if (n > 0) {
			p += n;
			left -= (size_t)n;
		}
	}
	a->n_held = 0;
}

static void
add_time(struct iter_sum *s, const struct db_work *w)
{
	int64_t ns = num_sub(w->end, w->start);

	s->n++;
	s->ns = num_add(s->ns, ns);
	s->n_tc += w->tc;
	if (w->tc)
		s->tc_ns = num_add(s->tc_ns, ns);
}

static struct iter_sum *
iter_sum_of(struct db_agg *a, int64_t iter)
{
	bool is_new;
	uint64_t *no = map_put(&a->iter, (uint64_t)iter, &is_new);

	if (is_new) {
		ARRAY_GROW(a->iters, a->n_iters, a->cap_iters);
		a->iters[a->n_iters++] = (struct iter_sum){ 0 };
		*no = a->n_iters;
	}
	return &a->iters[*no - 1];
}

static uint64_t
pair_of(struct db_agg *a, int64_t op, int64_t iter)
{
	bool is_new;
	uint64_t *no;

	if (op > UINT32_MAX || iter > UINT32_MAX)
		die("too many ops or iterations");
	if (a->n_pairs == a->max_pairs)
		put_old(a);
	no = map_put(&a->pair, (uint64_t)op << 32 | (uint64_t)iter, &is_new);
	if (is_new) {
		ARRAY_GROW(a->pairs, a->n_pairs, a->cap_pairs);
		a->pairs[a->n_pairs] = (struct agg_pair){ op, iter,
			{ 0, 0, 0, 0 }, a->first_pair + a->n_pairs };
		*no = ++a->n_pairs;
	}
	return *no - 1;
}

static void
grow_held(struct db_agg *a)
{
	a->cap_held = a->cap_held ? a->cap_held * 2 : 4096;
	if (a->cap_held > a->max_held)
		a->cap_held = a->max_held;
	a->held = xrealloc(a->held, a->cap_held, sizeof(*a->held));
}

void
agg_kern(struct db_halves *d, const struct db_work *w)
{
	struct db_agg *a = d->agg;
	uint64_t pair = pair_of(a, w->op->id, w->iter);
	struct agg_pair *p = &a->pairs[pair];

	add_time(&p->s, w);
	add_time(iter_sum_of(a, w->iter), w);
	if (a->n_held == a->max_held)
		flush_held(a);
	if (a->n_held == a->cap_held)
		grow_held(a);
	a->held[a->n_held++] = (struct agg_kern){ w->id, p->no };
}

struct iter_sum
agg_iter(const struct db_halves *d, int64_t iter)
{
	static const struct iter_sum none;
	const uint64_t *no = map_get(&d->agg->iter, (uint64_t)iter);

	return no != NULL ? d->agg->iters[*no - 1] : none;
}

/* Sorts by number; the sums of a pair are the same for each of its numbers. */
static void
put_sum(struct xsort *all, struct buf *nos, const struct agg_pair *sum)
{
	size_t i, n = sizeof(sum->no);

	for (i = 0; i < nos->len; i += n)
		xsort_put(all, nos->s + i, n, sum, sizeof(*sum));
	buf_clear(nos);
}

/* Adds up the pairs on disk and sorts them by their numbers. */
static void
add_old(struct db_agg *a)
{
	struct agg_pair p, sum = { -1, -1, { 0, 0, 0, 0 }, 0 };
	struct buf nos = { 0 };
	struct runs_rec r;
	struct xsort all;

	put_old(a);
	xsort_open(&all, cmp_no, NULL, a->old.bound);
	while (xsort_next(&a->old, &r)) {
		memcpy(&p, r.val, sizeof(p));
		if (p.op != sum.op || p.iter != sum.iter) {
			put_sum(&all, &nos, &sum);
			sum = p;
		} else {
			sum.s.n += p.s.n;
			sum.s.n_tc += p.s.n_tc;
			sum.s.ns = num_add(sum.s.ns, p.s.ns);
			sum.s.tc_ns = num_add(sum.s.tc_ns, p.s.tc_ns);
		}
		buf_put(&nos, (const char *)&p.no, sizeof(p.no));
	}
	put_sum(&all, &nos, &sum);
	buf_free(&nos);
	xsort_close(&a->old);
	a->old = all;
	a->first_pair = 0;
}

/* The pair of that number. Kernels' numbers come in the order in which pairs
 * went to disk, as many at a time as memory holds. */
static const struct agg_pair *
pair_no(struct db_agg *a, uint64_t no)
{
	struct runs_rec r;

	while (no >= a->first_pair + a->n_pairs) {
		a->first_pair += a->n_pairs;
		for (a->n_pairs = 0;
		     a->n_pairs < a->max_pairs && xsort_next(&a->old, &r);
		     a->n_pairs++)
			memcpy(&a->pairs[a->n_pairs], r.val, sizeof(*a->pairs));
		if (a->n_pairs == 0)
			die("temporary file: cut off");
	}
	return &a->pairs[no - a->first_pair];
}

static void
put_kernels(
    struct db_halves *d, int64_t aggr, const struct agg_kern *k, size_t n)
{
	const struct agg_pair *p;
	size_t i;

	for (i = 0; i < n; i++) {
		p = pair_no(d->agg, k[i].pair);
		DB_ADD(&d->db, T_KERNEL_ITERATION_NODE, INT64_C(0), aggr,
		    DOMAIN_ID, p->op, k[i].id, p->iter, p->s.n, p->s.n_tc,
		    p->s.ns, p->s.tc_ns);
	}
}

/* Reads kernels back from the file into memory; returns how many there were. */
static size_t
read_held(struct db_agg *a)
{
	size_t have = 0, size = a->max_held * sizeof(*a->held);
	ssize_t n;

	while (have < size &&
	       (n = read(a->fd, (char *)a->held + have, size - have)) != 0) {
		if (n < 0 && errno != EINTR)
			die_errno("temporary file");
		have += n > 0 ? (size_t)n : 0;
	}
	return have / sizeof(*a->held);
}

void
agg_kern_write(struct db_halves *d, int64_t aggr)
{
	struct db_agg *a = d->agg;
	size_t n;

	if (a->any_old)
		add_old(a);
	if (a->fd < 0) {
		put_kernels(d, aggr, a->held, a->n_held);
	} else {
		flush_held(a);
		if (lseek(a->fd, 0, SEEK_SET) != 0)
			die_errno("temporary file");
		while ((n = read_held(a)) > 0)
			put_kernels(d, aggr, a->held, n);
	}
	a->n_held = 0;
}
