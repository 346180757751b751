/*
 * Sums of earlier stages: iterations, time by class and device, groups,
 * findings. They are kept until the end, when the aggregation is written.
 * Shares are those of all visible GPUs. Times of an iteration are the mean over
 * the GPUs, because there is one row for all.
 */
#include "db_agg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"

enum { C_TC, C_KERN, C_MEM, C_DATA, C_IO, C_CPU, C_OTHER, C_N };

struct sum_iter {
	int64_t iter, start, dur;
	bool counts; /* it is in the selected range */
};

struct sum_busy { /* of an iteration and a device */
	int64_t iter, dev, ns[C_N];
};

struct sum_group {
	uint32_t path; /* word */
	int64_t level, n_call, n_eligible, n_tc, n_iter;
	int64_t sum[4], min[4], max[4]; /* cpu, gpu, overhead, idle */
};

struct sum_finding {
	uint32_t id, problem, advice; /* words */
	bool stored;
};

struct db_sums_cols {
	struct {
		struct rec_col *iter, *start, *dur;
	} iter;
	struct {
		struct rec_col *iter, *dev, *class, *dur;
	} busy;
	struct {
		struct rec_col *path, *level, *n_call, *n_eligible, *n_tc,
		    *n_iter, *sum[4], *min[4], *max[4];
	} group;
	struct {
		struct rec_col *id, *judged, *problem, *advice, *by;
	} finding;
};

struct db_sums {
	struct sum_iter *iter;
	struct sum_busy *busy;
	struct sum_group *group;
	struct sum_finding *finding;
	size_t n_iter, cap_iter, n_busy, cap_busy, n_group, cap_group,
	    n_finding, cap_finding;
	struct db_sums_cols col;
	struct map busy_at; /* iter << 16 | device -> number, from 1 */
	bool tree;          /* there are group records */
	bool judged;        /* there are findings of dlp-advise */
};

/* Adds an element, zeroed, to a list. */
#define MORE(s, f) (more(&(s)->f, &(s)->n_##f, &(s)->cap_##f, sizeof(*(s)->f)))

static void *
more(void *list, size_t *n, size_t *cap, size_t size)
{
	void **v = list;

	if (*n == *cap) {
		*cap = *cap > 0 ? *cap * 2 : 64;
		*v = xrealloc(*v, *cap, size);
	}
	return memset((char *)*v + (*n)++ * size, 0, size);
}

static void
on_iter(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	struct sum_iter *it;

	if (work_iter(r, c->iter.iter) >= 0) {
		it = MORE(d->sums, iter);
		it->iter = work_iter(r, c->iter.iter);
		it->start = rec_int(r, c->iter.start, 0);
		it->dur = rec_int(r, c->iter.dur, 0);
	}
	stage_pass(st, r);
}

static int
class_of(const char *s, size_t n)
{
	static const struct {
		const char *word;
		int class;
	} words[] = { { "tc", C_TC }, { "kern", C_KERN }, { "graph", C_KERN },
		{ "mem", C_MEM }, { "dataload", C_DATA }, { "io", C_IO },
		{ "cpu", C_CPU }, { "other", C_OTHER } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == n &&
		    memcmp(words[i].word, s, n) == 0)
			return words[i].class;
	return -1;
}

static struct sum_busy *
busy_of(struct db_sums *s, int64_t iter, int64_t dev)
{
	bool is_new;
	uint64_t *no = map_put(&s->busy_at,
	    (uint64_t)iter << 16 ^ ((uint64_t)dev & 0xffff), &is_new);
	struct sum_busy *b;

	if (!is_new)
		return &s->busy[*no - 1];
	b = MORE(s, busy);
	*no = s->n_busy;
	b->iter = iter;
	b->dev = dev;
	return b;
}

static void
add_busy(struct sum_busy *b, int c, int64_t ns)
{
	b->ns[c] = num_add(b->ns[c], ns);
}

static void
on_busy(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	const char *s;
	int64_t iter;
	size_t n;
	int class;

	s = rec_raw(r, c->busy.class, &n);
	class = s != NULL ? class_of(s, n) : -1;
	if (class < 0)
		rec_die(r, "busy: no such class '%.*s'", (int)n,
		    s != NULL ? s : "-");
	iter = work_iter(r, c->busy.iter);
	if (iter >= 0)
		add_busy(busy_of(d->sums, iter, rec_int(r, c->busy.dev, 0)),
		    class, rec_int(r, c->busy.dur, 0));
	stage_pass(st, r);
}

/* DLProf has no group for the whole model. */
static void
on_group(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	uint32_t path = db_col_word(d, r, c->group.path);
	struct sum_group *g;
	int i;

	stage_pass(st, r);
	d->sums->tree = true;
	if (strcmp(db_word_text(d, path), "_CompleteModel_") == 0)
		return;
	g = MORE(d->sums, group);
	g->path = path;
	g->level = rec_int(r, c->group.level, 0);
	g->n_call = rec_int(r, c->group.n_call, 0);
	g->n_eligible = rec_int(r, c->group.n_eligible, 0);
	g->n_tc = rec_int(r, c->group.n_tc, 0);
	g->n_iter = rec_int(r, c->group.n_iter, 0);
	for (i = 0; i < 4; i++) {
		g->sum[i] = rec_int(r, c->group.sum[i], 0);
		g->min[i] = rec_int(r, c->group.min[i], 0);
		g->max[i] = rec_int(r, c->group.max[i], 0);
	}
}

/* Only findings that DLProf would have made are stored. */
static void
on_finding(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_sums_cols *c = rec_arg(r);
	bool stored = rec_is(r, c->finding.judged, "stored");
	struct sum_finding *f;

	if (!stored)
		d->sums->judged = true;
	if (stored || (rec_is(r, c->finding.judged, "yes") &&
			  !rec_is(r, c->finding.by, "ours"))) {
		f = MORE(d->sums, finding);
		f->id = db_col_word(d, r, c->finding.id);
		f->problem = db_col_word(d, r, c->finding.problem);
		f->advice = db_col_word(d, r, c->finding.advice);
		f->stored = stored;
	}
	stage_pass(st, r);
}

static void
bind_group(struct db_sums_cols *c, struct stage *st)
{
	static const char *const cols[4][3] = {
		{ "sum_cpu_ns", "min_cpu_ns", "max_cpu_ns" },
		{ "sum_gpu_ns", "min_gpu_ns", "max_gpu_ns" },
		{ "sum_overhead_ns", "min_overhead_ns", "max_overhead_ns" },
		{ "sum_idle_ns", "min_idle_ns", "max_idle_ns" },
	};
	struct rec_type *t = stage_on(st, "group", on_group, NULL, c);
	int i;

	REC_COLS(t, REC_NEED, { &c->group.path, "path" },
	    { &c->group.level, "level" }, { &c->group.n_call, "n_call" },
	    { &c->group.n_eligible, "n_op_eligible" },
	    { &c->group.n_tc, "n_op_tc" }, { &c->group.n_iter, "n_iter" });
	for (i = 0; i < 4; i++) {
		c->group.sum[i] = rec_col(t, cols[i][0], REC_NEED);
		c->group.min[i] = rec_col(t, cols[i][1], REC_NEED);
		c->group.max[i] = rec_col(t, cols[i][2], REC_NEED);
	}
}

void
sums_start(struct db_halves *d, struct stage *st)
{
	struct db_sums_cols *c;
	struct rec_type *t;

	d->sums = xcalloc(1, sizeof(*d->sums));
	c = &d->sums->col;
	t = stage_on(st, "iter", on_iter, NULL, c);
	REC_COLS(t, REC_NEED, { &c->iter.iter, "iter" },
	    { &c->iter.start, "start_ns" }, { &c->iter.dur, "dur_ns" });
	t = stage_on(st, "busy", on_busy, NULL, c);
	REC_COLS(t, REC_NEED, { &c->busy.iter, "iter" },
	    { &c->busy.dev, "dev" }, { &c->busy.class, "class" },
	    { &c->busy.dur, "dur_ns" });
	bind_group(c, st);
	t = stage_on(st, "finding", on_finding, NULL, c);
	REC_COLS(t, REC_NEED, { &c->finding.id, "id" },
	    { &c->finding.judged, "judged" },
	    { &c->finding.problem, "problem" },
	    { &c->finding.advice, "recommendation" });
	c->finding.by = rec_col(t, "by", REC_OPT);
}

void
sums_free(struct db_halves *d)
{
	struct db_sums *s = d->sums;

	map_free(&s->busy_at);
	free(s->iter);
	free(s->busy);
	free(s->group);
	free(s->finding);
	free(s);
}

struct sum_whole { /* the selected iterations */
	int64_t first, last, n, total, wall;
	double mean, dev;
	int64_t ns[C_N]; /* over all devices */
	size_t n_dev;
};

static int64_t
key_id(struct db_halves *d)
{
	const char *key = facts_get(d, "key_op");

	return db_str_id(d, key != NULL ? key : "");
}

static void
count_iters(struct db_halves *d, struct sum_whole *w)
{
	struct db_sums *s = d->sums;
	size_t i;

	w->total = facts_int(d, "n_iter", (int64_t)s->n_iter);
	w->first = facts_int(d, "iter_start", 0);
	w->last = facts_int(d, "iter_stop", INT64_MAX);
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

/* The mean and deviation of the selected iterations. */
static void
deviation(const struct db_halves *d, struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
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
	return of > 0 ? agg_round(100.0 * (double)ns / of) : 0;
}

static void
put_iters(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	const struct sum_iter *it;
	bool last;
	size_t i;

	for (i = 0; i < d->sums->n_iter; i++) {
		it = &d->sums->iter[i];
		/* an iteration ends before the next one begins */
		last = it->iter == w->total - 1;
		db_put(&d->db, T_ITERATION_LIST, 0, "iiii", aggr, it->iter,
		    it->start, num_sub(num_add(it->start, it->dur), !last));
	}
}

static int64_t
mean_over(int64_t ns, size_t n_dev)
{
	int64_t n = (int64_t)n_dev;

	return n > 1 ? num_add(ns, n / 2) / n : ns;
}

static void
put_iter_sums(struct db_halves *d, int64_t aggr, const struct sum_iter *it,
    const int64_t ns[C_N], size_t n_dev)
{
	struct iter_sum s = agg_iter(d, it->iter);
	int64_t m[C_N];
	int c;

	for (c = 0; c < C_N; c++)
		m[c] = mean_over(ns[c], n_dev);
	db_put(&d->db, T_ITERATION_AGGREGATION_LIST, 0, "iifiiiiiii", aggr,
	    it->iter,
	    share(num_add(num_add(ns[C_TC], ns[C_KERN]), ns[C_MEM]),
		(double)it->dur * (double)n_dev),
	    m[C_TC], m[C_KERN], m[C_MEM], m[C_DATA], m[C_IO], m[C_CPU],
	    m[C_OTHER]);
	db_put(&d->db, T_KERNEL_ITERATION_STATS, 0, "iiiiiii", aggr, DOMAIN_ID,
	    it->iter, s.n, s.n_tc, s.ns, s.tc_ns);
}

static void
put_breakdown(struct db_halves *d, int64_t aggr, struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	const uint64_t *no;
	int64_t ns[C_N], dev;
	size_t i, k;
	int c;

	for (i = 0; i < s->n_iter; i++) {
		if (!s->iter[i].counts)
			continue;
		memset(ns, 0, sizeof(ns));
		for (k = 0; k < facts_ndev(d); k++) {
			dev = facts_dev(d, k);
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
put_devices(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	int64_t ns;
	size_t i, k;

	for (k = 0; k < facts_ndev(d); k++) {
		ns = 0;
		for (i = 0; i < s->n_busy; i++)
			if (s->busy[i].dev == facts_dev(d, k) &&
			    s->busy[i].iter >= w->first &&
			    s->busy[i].iter <= w->last)
				ns = num_add(ns, num_add(s->busy[i].ns[C_TC],
						     s->busy[i].ns[C_KERN]));
		db_put(&d->db, T_DEVICE_GPU_UTILIZATIONS, 0, "iiif", aggr,
		    DOMAIN_ID, facts_gpu_id(d, facts_dev(d, k)),
		    share(ns, (double)w->wall));
	}
}

static int64_t
put_category(struct db_halves *d, const struct db_category *c)
{

	return db_put(&d->db, T_CATEGORY_SUMMARY, 0, "iiiii", c->cpu, c->gpu,
	    c->overhead, c->idle, c->count);
}

static void
put_model(struct db_halves *d, int64_t aggr, const struct sum_whole *w,
    const struct db_totals *t)
{
	double of = (double)w->wall * (double)w->n_dev;
	int64_t all = put_category(d, &t->all),
		eligible = put_category(d, &t->eligible),
		tc = put_category(d, &t->tc),
		other = put_category(d, &t->other);

	db_put(&d->db, T_MODEL_SUMMARY, 0, "iiiiiiiifffffffffffiiiii", aggr,
	    DOMAIN_ID, INT64_C(0), w->wall, all, eligible, tc, other,
	    share(num_add(w->ns[C_TC], w->ns[C_KERN]), of),
	    share(t->kerns_tc.gpu, (double)t->eligible_kern_ns),
	    share(w->ns[C_TC], of), share(w->ns[C_KERN], of),
	    share(w->ns[C_MEM], of), share(w->ns[C_DATA], of),
	    share(w->ns[C_IO], of), share(w->ns[C_CPU], of),
	    share(w->ns[C_OTHER], of), agg_round(w->mean), agg_round(w->dev),
	    w->total, w->n, w->first, w->last, key_id(d));
}

static void
put_kern_totals(struct db_halves *d, int64_t aggr, const struct db_totals *t)
{
	int64_t all = put_category(d, &t->kerns),
		tc = put_category(d, &t->kerns_tc),
		other = put_category(d, &t->kerns_other);

	db_put(&d->db, T_KERNEL_SUMMARY_METRICS, 0, "iiiii", aggr, DOMAIN_ID,
	    all, tc, other);
	db_put(&d->db, T_MEMORY_SUMMARY_METRICS, 0, "iii", aggr, DOMAIN_ID,
	    put_category(d, &t->memory));
}

static struct db_metric
group_metric(const struct sum_group *g, int i)
{
	struct db_metric m = { g->n_iter, g->sum[i], g->min[i], g->max[i] };

	return m;
}

static void
metric_less(struct db_metric *m, const struct db_metric *of)
{
	m->sum = num_sub(m->sum, of->sum);
	m->min = num_sub(m->min, of->min);
	m->max = num_sub(m->max, of->max);
}

/* The time in the API is the CPU time that is not overhead. */
static void
groups_write(struct db_halves *d, int64_t aggr)
{
	const struct sum_group *g;
	struct db_metric m[N_METRIC];
	int64_t path;
	size_t i;

	for (i = 0; i < d->sums->n_group; i++) {
		g = &d->sums->group[i];
		m[M_CPU] = group_metric(g, 0);
		m[M_GPU] = group_metric(g, 1);
		m[M_OVERHEAD] = group_metric(g, 2);
		m[M_IDLE] = group_metric(g, 3);
		m[M_API] = m[M_CPU];
		metric_less(&m[M_API], &m[M_OVERHEAD]);
		path = db_word_id(d, g->path);
		db_put(&d->db, T_GROUP_OPS, 0, "iiiiiiiiii", aggr, DOMAIN_ID,
		    INT64_C(1), path, path, g->level, g->n_call, g->n_eligible,
		    g->n_tc, agg_put_metrics(d, m));
	}
}

/* Ops are the leaves. */
static void
leaves_write(struct db *d)
{
	db_exec(d, "INSERT OR IGNORE INTO dictionary (string)"
		   " SELECT DISTINCT o.op_name FROM op_nodes n"
		   " JOIN read_only_ops o ON o.id = n.read_only_ops_id");
	db_exec(d,
	    "INSERT INTO group_ops SELECT NULL, n.aggr_id, o.domain_id, 2,"
	    " o.op_id_id, s.id,"
	    " length(o.op_name) - length(replace(o.op_name, '/', '')) + 1,"
	    " n.num_calls, n.tc_eligible, n.using_tc, n.node_time_metrics_id"
	    " FROM op_nodes n JOIN read_only_ops o ON"
	    " o.id = n.read_only_ops_id JOIN dictionary s ON"
	    " s.string = o.op_name");
}

/* The action that DLProf's viewer offers for a finding. */
static const char *
viewer(const char *id)
{
	return strcmp(id, "amp_detector") == 0 ? "ShowBadDataTypeOps" : "";
}

static void
findings_write(struct db_halves *d, int64_t aggr)
{
	const struct sum_finding *f;
	const char *id;
	size_t i;

	for (i = 0; i < d->sums->n_finding; i++) {
		f = &d->sums->finding[i];
		if (f->stored && d->sums->judged)
			continue;
		id = db_word_text(d, f->id);
		db_put(&d->db, T_EXPERT_SYSTEMS_FEEDBACK, 0, "ittttt", aggr, id,
		    db_word_text(d, f->problem), db_word_text(d, f->advice),
		    viewer(id), "");
	}
}

static int64_t
put_aggregation(struct db_halves *d)
{
	int64_t aggr;

	db_exec(&d->db, "INSERT INTO aggregations VALUES (NULL, '', '',"
			" datetime('now'), 0)");
	aggr = sqlite3_last_insert_rowid(d->db.sql);
	db_put(&d->db, T_ITERATION_KEY, 0, "ii", aggr, key_id(d));
	return aggr;
}

static bool
warn_missing(const struct db_halves *d, const char *what, const char *by)
{
	warn("%s: no %s records (of %s): the database has no aggregation",
	    d->path, what, by);
	return false;
}

bool
sums_write(struct db_halves *d)
{
	struct sum_whole w = { 0 };
	struct db_totals t;
	int64_t aggr;

	if (d->sums->n_iter == 0)
		return warn_missing(d, "iter", "dlp-iter");
	if (d->sums->n_busy == 0 && facts_ndev(d) > 0)
		return warn_missing(d, "busy", "dlp-busy");
	if (!d->sums->tree)
		warn("%s: no group records (of dlp-tree): only ops are in"
		     " group_ops",
		    d->path);
	w.n_dev = facts_ndev(d);
	count_iters(d, &w);
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
