/*
 * The rows of an aggregation. Shares are those of all visible GPUs; times
 * of an iteration are the mean over them, as there is one row for all.
 */
#include <math.h>
#include <string.h>

#include "agg.h"
#include "err.h"
#include "facts.h"
#include "groups.h"
#include "ops.h"
#include "sums.h"

struct whole { /* the iterations that count */
	int64_t first, last, n, total, wall;
	double mean, dev;
	int64_t ns[C_N]; /* over all devices */
	size_t n_dev;
};

static int64_t
key_id(struct dldb *d)
{
	const char *key = info(d, "key_op");

	return text0_id(d, key != NULL ? key : "");
}

static void
range(struct dldb *d, struct whole *w)
{
	struct sums *s = d->sums;
	size_t i;

	w->total = info_int(d, "n_iter", (int64_t)s->n_iter);
	w->first = info_int(d, "iter_start", 0);
	w->last = info_int(d, "iter_stop", INT64_MAX);
	for (i = 0; i < s->n_iter; i++) {
		s->iter[i].counts =
		    s->iter[i].iter >= w->first && s->iter[i].iter <= w->last;
		if (!s->iter[i].counts)
			continue;
		w->n++;
		w->wall = num_add(w->wall, s->iter[i].dur);
	}
	if (w->last == INT64_MAX)
		w->last = w->total > 0 ? w->total - 1 : 0;
}

/* Of all iterations that count. */
static void
deviation(const struct dldb *d, struct whole *w)
{
	const struct sums *s = d->sums;
	double diff, sum = 0;
	size_t i;

	w->mean = w->n > 0 ? (double)w->wall / (double)w->n : 0;
	for (i = 0; i < s->n_iter; i++) {
		if (!s->iter[i].counts)
			continue;
		diff = (double)s->iter[i].dur - w->mean;
		sum += diff * diff;
	}
	w->dev = w->n > 0 ? sqrt(sum / (double)w->n) : 0;
}

static double
share(int64_t ns, double of)
{
	return of > 0 ? round6(100.0 * (double)ns / of) : 0;
}

static void
put_iters(struct dldb *d, int64_t aggr, const struct whole *w)
{
	static struct ins in = { .table = "iteration_list" };
	const struct iter *it;
	bool last;
	size_t i;

	for (i = 0; i < d->sums->n_iter; i++) {
		it = &d->sums->iter[i];
		/* an iteration ends before the next one begins */
		last = it->iter == w->total - 1;
		db_put(&d->db, &in, 0, "iiii", aggr, it->iter, it->start,
		    num_sub(num_add(it->start, it->dur), !last));
	}
}

static int64_t
mean_over(int64_t ns, size_t n_dev)
{
	int64_t n = (int64_t)n_dev;

	return n > 1 ? num_add(ns, n / 2) / n : ns;
}

static void
put_iter_sums(struct dldb *d, int64_t aggr, const struct iter *it,
    const int64_t ns[C_N], size_t n_dev)
{
	static struct ins in = { .table = "iteration_aggregation_list" },
			  kern = { .table = "kernel_iteration_stats" };
	struct iter_sum s = agg_iter(d, it->iter);
	int64_t m[C_N];
	int c;

	for (c = 0; c < C_N; c++)
		m[c] = mean_over(ns[c], n_dev);
	db_put(&d->db, &in, 0, "iifiiiiiii", aggr, it->iter,
	    share(num_add(num_add(ns[C_TC], ns[C_KERN]), ns[C_MEM]),
		(double)it->dur * (double)n_dev),
	    m[C_TC], m[C_KERN], m[C_MEM], m[C_DATA], m[C_IO], m[C_CPU],
	    m[C_OTHER]);
	db_put(&d->db, &kern, 0, "iiiiiii", aggr, DOMAIN_ID, it->iter, s.n,
	    s.n_tc, s.ns, s.tc_ns);
}

static void
put_breakdown(struct dldb *d, int64_t aggr, struct whole *w)
{
	const struct sums *s = d->sums;
	const uint64_t *no;
	int64_t ns[C_N], dev;
	size_t i, k;
	int c;

	for (i = 0; i < s->n_iter; i++) {
		if (!s->iter[i].counts)
			continue;
		memset(ns, 0, sizeof(ns));
		for (k = 0; k < facts_ndev(); k++) {
			dev = facts_dev(k);
			no = map_get(
			    &s->busy_at, (uint64_t)s->iter[i].iter << 16 ^
					     ((uint64_t)dev & 0xffff));
			for (c = 0; no != NULL && c < C_N; c++)
				ns[c] = num_add(ns[c], s->busy[*no - 1].ns[c]);
		}
		for (c = 0; c < C_N; c++)
			w->ns[c] = num_add(w->ns[c], ns[c]);
		put_iter_sums(d, aggr, &s->iter[i], ns, w->n_dev);
	}
}

static void
put_devices(struct dldb *d, int64_t aggr, const struct whole *w)
{
	static struct ins in = { .table = "device_gpu_utilizations" };
	const struct sums *s = d->sums;
	int64_t ns;
	size_t i, k;

	for (k = 0; k < facts_ndev(); k++) {
		ns = 0;
		for (i = 0; i < s->n_busy; i++)
			if (s->busy[i].dev == facts_dev(k) &&
			    s->busy[i].iter >= w->first &&
			    s->busy[i].iter <= w->last)
				ns = num_add(ns, num_add(s->busy[i].ns[C_TC],
						     s->busy[i].ns[C_KERN]));
		db_put(&d->db, &in, 0, "iiif", aggr, DOMAIN_ID,
		    facts_gpu_id(facts_dev(k)), share(ns, (double)w->wall));
	}
}

static int64_t
put_category(struct dldb *d, const struct category *c)
{
	static struct ins in = { .table = "category_summary" };

	return db_put(&d->db, &in, 0, "iiiii", c->cpu, c->gpu, c->overhead,
	    c->idle, c->count);
}

static void
put_model(
    struct dldb *d, int64_t aggr, const struct whole *w, const struct totals *t)
{
	static struct ins in = { .table = "model_summary" };
	double of = (double)w->wall * (double)w->n_dev;
	int64_t all = put_category(d, &t->all),
		eligible = put_category(d, &t->eligible),
		tc = put_category(d, &t->tc),
		other = put_category(d, &t->other);

	db_put(&d->db, &in, 0, "iiiiiiiifffffffffffiiiii", aggr, DOMAIN_ID,
	    INT64_C(0), w->wall, all, eligible, tc, other,
	    share(num_add(w->ns[C_TC], w->ns[C_KERN]), of),
	    share(t->kerns_tc.gpu, (double)t->eligible_kern_ns),
	    share(w->ns[C_TC], of), share(w->ns[C_KERN], of),
	    share(w->ns[C_MEM], of), share(w->ns[C_DATA], of),
	    share(w->ns[C_IO], of), share(w->ns[C_CPU], of),
	    share(w->ns[C_OTHER], of), round6(w->mean), round6(w->dev),
	    w->total, w->n, w->first, w->last, key_id(d));
}

static void
put_kern_totals(struct dldb *d, int64_t aggr, const struct totals *t)
{
	static struct ins kern = { .table = "kernel_summary_metrics" },
			  mem = { .table = "memory_summary_metrics" };
	int64_t all = put_category(d, &t->kerns),
		tc = put_category(d, &t->kerns_tc),
		other = put_category(d, &t->kerns_other);

	db_put(&d->db, &kern, 0, "iiiii", aggr, DOMAIN_ID, all, tc, other);
	db_put(&d->db, &mem, 0, "iii", aggr, DOMAIN_ID,
	    put_category(d, &t->memory));
}

static int64_t
put_aggregation(struct dldb *d)
{
	static struct ins key = { .table = "iteration_key" };
	int64_t aggr;

	db_exec(&d->db, "INSERT INTO aggregations VALUES (NULL, '', '',"
			" datetime('now'), 0)");
	aggr = sqlite3_last_insert_rowid(d->db.sql);
	db_put(&d->db, &key, 0, "ii", aggr, key_id(d));
	return aggr;
}

static bool
lacks(const struct dldb *d, const char *what, const char *by)
{
	warn("%s: no %s records (of %s): the database has no aggregation",
	    d->path, what, by);
	return false;
}

bool
sums_write(struct dldb *d)
{
	struct whole w = { 0 };
	struct totals t;
	int64_t aggr;

	if (d->sums->n_iter == 0)
		return lacks(d, "iter", "dlp-iter");
	if (d->sums->n_busy == 0 && facts_ndev() > 0)
		return lacks(d, "busy", "dlp-busy");
	if (!d->sums->tree)
		warn("%s: no group records (of dlp-tree): only ops are in"
		     " group_ops",
		    d->path);
	w.n_dev = facts_ndev();
	range(d, &w);
	deviation(d, &w);
	aggr = put_aggregation(d);
	put_iters(d, aggr, &w);
	put_breakdown(d, aggr, &w);
	put_devices(d, aggr, &w);
	agg_totals(d, &t);
	put_model(d, aggr, &w, &t);
	put_kern_totals(d, aggr, &t);
	agg_write(d, aggr);
	groups_write(d, aggr);
	leaves_write(&d->db);
	findings_write(d, aggr);
	return true;
}
