/* Kernels by op and iteration; see agg_kern.h. */
#include "agg_kern.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "err.h"
#include "num.h"
#include "ops.h"
#include "temp.h"

static void
flush(struct agg *a)
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
add(struct iter_sum *s, const struct work *w)
{
	int64_t ns = num_sub(w->end, w->start);

	s->n++;
	s->ns = num_add(s->ns, ns);
	s->n_tc += w->tc;
	if (w->tc)
		s->tc_ns = num_add(s->tc_ns, ns);
}

static struct iter_sum *
iter_of(struct agg *a, int64_t iter)
{
	bool is_new;
	uint64_t *no = map_put(&a->iter, (uint64_t)iter, &is_new);

	if (is_new) {
		if (a->n_iters == a->cap_iters) {
			a->cap_iters = a->cap_iters ? a->cap_iters * 2 : 64;
			a->iters =
			    xrealloc(a->iters, a->cap_iters, sizeof(*a->iters));
		}
		a->iters[a->n_iters++] = (struct iter_sum){ 0 };
		*no = a->n_iters;
	}
	return &a->iters[*no - 1];
}

static uint64_t
pair_of(struct agg *a, int64_t op, int64_t iter)
{
	bool is_new;
	uint64_t *no;

	if (op > UINT32_MAX || iter > UINT32_MAX)
		die("too many ops or iterations");
	no = map_put(&a->pair, (uint64_t)op << 32 | (uint64_t)iter, &is_new);
	if (is_new) {
		if (a->n_pairs == a->cap_pairs) {
			a->cap_pairs = a->cap_pairs ? a->cap_pairs * 2 : 256;
			a->pairs =
			    xrealloc(a->pairs, a->cap_pairs, sizeof(*a->pairs));
		}
		a->pairs[a->n_pairs++] =
		    (struct agg_pair){ op, iter, { 0, 0, 0, 0 } };
		*no = a->n_pairs;
	}
	return *no - 1;
}

void
agg_kern(struct dldb *d, const struct work *w)
{
	struct agg *a = d->agg;
	uint64_t pair = pair_of(a, w->op->id, w->iter);

	add(&a->pairs[pair].s, w);
	add(iter_of(a, w->iter), w);
	if (a->n_held == sizeof(a->held) / sizeof(*a->held))
		flush(a);
	a->held[a->n_held++] = (struct agg_kern){ w->id, pair };
}

struct iter_sum
agg_iter(const struct dldb *d, int64_t iter)
{
	static const struct iter_sum none;
	const uint64_t *no = map_get(&d->agg->iter, (uint64_t)iter);

	return no != NULL ? d->agg->iters[*no - 1] : none;
}

static void
put(struct dldb *d, int64_t aggr, const struct agg_kern *k, size_t n)
{
	static struct ins in = { .table = "kernel_iteration_node" };
	const struct agg_pair *p;
	size_t i;

	for (i = 0; i < n; i++) {
		p = &d->agg->pairs[k[i].pair];
		DB_ADD(&d->db, &in, INT64_C(0), aggr, DOMAIN_ID, p->op, k[i].id,
		    p->iter, p->s.n, p->s.n_tc, p->s.ns, p->s.tc_ns);
	}
}

void
agg_kern_write(struct dldb *d, int64_t aggr)
{
	struct agg *a = d->agg;
	size_t have;
	ssize_t n;

	if (a->fd >= 0) {
		flush(a);
		if (lseek(a->fd, 0, SEEK_SET) != 0)
			die_errno("temporary file");
		do {
			have = 0;
			while (have < sizeof(a->held) &&
			       (n = read(a->fd, (char *)a->held + have,
				    sizeof(a->held) - have)) != 0) {
				if (n < 0 && errno != EINTR)
					die_errno("temporary file");
				have += n > 0 ? (size_t)n : 0;
			}
			put(d, aggr, a->held, have / sizeof(*a->held));
		} while (have == sizeof(a->held));
	} else
		put(d, aggr, a->held, a->n_held);
	a->n_held = 0;
}
