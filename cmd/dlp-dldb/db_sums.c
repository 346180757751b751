/*
 * Sums of earlier stages: iterations, time by class and device, groups,
 * findings. They are kept until the end, when the aggregation is written.
 * Shares are those of all visible GPUs. Times of an iteration are the mean over
 * the GPUs, because there is one row for all.
 */
#include <math.h>
#include <string.h>

#include "array.h"
#include "db.h"
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
	int64_t level, n_call, n_eligible, n_tc;
	struct db_metric m[N_METRIC];
};

struct sum_finding {
	uint32_t id, problem, advice; /* words */
	bool stored;
};

struct db_sums {
	struct sum_iter *iter;
	struct sum_busy *busy;
	struct sum_group *group;
	struct sum_finding *finding;
	size_t n_iter, cap_iter, n_busy, cap_busy, n_group, cap_group,
	    n_finding, cap_finding;
	struct smap busy_at; /* iter, device; its number is that of busy */
	bool tree;           /* there are group records */
	bool judged;         /* there are findings of dlp-advise */
};

static void
on_iter(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_sums *s = d->sums;
	int64_t iter = work_iter(r);

	if (iter >= 0) {
		ARRAY_GROW(s->iter, s->n_iter, s->cap_iter);
		s->iter[s->n_iter++] =
		    (struct sum_iter){ iter, rec_num_or(r, COL_start_ns, 0),
			    rec_num_or(r, COL_dur_ns, 0), false };
	}
	stage_pass(st, r);
}

static void
on_busy(struct stage *st, struct rec *r)
{
	static const struct {
		const char *word;
		int class;
	} classes[] = { { "tc", C_TC }, { "kern", C_KERN }, { "graph", C_KERN },
		{ "comm", C_KERN }, { "mem", C_MEM }, { "dataload", C_DATA },
		{ "io", C_IO }, { "cpu", C_CPU }, { "other", C_OTHER } };
	struct db_halves *d = st->ctx;
	struct db_sums *sums = d->sums;
	struct mview word = rec_get(r, COL_class);
	int64_t iter, dev, *ns;
	bool is_new;
	uint32_t no;
	size_t i;

	for (i = 0; !mv_eq(word, classes[i].word); i++)
		if (i + 1 == ARRAY_LEN(classes))
			rec_die(r, "busy: no such class '%.*s'", (int)word.n,
			    word.s != NULL ? word.s : "-");
	iter = work_iter(r);
	if (iter >= 0) {
		dev = rec_num_or(r, COL_dev, 0);
		no = smap_put_pair(&sums->busy_at, iter, dev, &is_new);
		if (is_new) {
			ARRAY_GROW(sums->busy, sums->n_busy, sums->cap_busy);
			sums->busy[sums->n_busy++] =
			    (struct sum_busy){ .iter = iter, .dev = dev };
		}
		ns = &sums->busy[no].ns[classes[i].class];
		*ns = num_add(*ns, rec_num_or(r, COL_dur_ns, 0));
	}
	stage_pass(st, r);
}

/* The metrics of groups; the time in the API is the CPU time that is not
 * overhead. */
static const struct {
	int metric;
	int sum, min, max;
} group_cols[] = {
	{ M_CPU, COL_sum_cpu_ns, COL_min_cpu_ns, COL_max_cpu_ns },
	{ M_GPU, COL_sum_gpu_ns, COL_min_gpu_ns, COL_max_gpu_ns },
	{ M_OVERHEAD, COL_sum_overhead_ns, COL_min_overhead_ns,
	    COL_max_overhead_ns },
	{ M_IDLE, COL_sum_idle_ns, COL_min_idle_ns, COL_max_idle_ns },
};

/* DLProf has no group for the whole model. */
static void
on_group(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	struct db_sums *s = d->sums;
	uint32_t path = db_col_word(d, r, COL_path);
	struct db_metric *m;
	struct sum_group *g;
	int i;

	stage_pass(st, r);
	s->tree = true;
	if (strcmp(db_word_text(d, path), "_CompleteModel_") == 0)
		return;
	ARRAY_GROW(s->group, s->n_group, s->cap_group);
	g = &s->group[s->n_group++];
	g->path = path;
	g->level = rec_num_or(r, COL_level, 0);
	g->n_call = rec_num_or(r, COL_n_call, 0);
	g->n_eligible = rec_num_or(r, COL_n_op_eligible, 0);
	g->n_tc = rec_num_or(r, COL_n_op_tc, 0);
	for (i = 0; i < 4; i++) {
		m = &g->m[group_cols[i].metric];
		m->n = rec_num_or(r, COL_n_iter, 0);
		m->sum = rec_num_or(r, group_cols[i].sum, 0);
		m->min = rec_num_or(r, group_cols[i].min, 0);
		m->max = rec_num_or(r, group_cols[i].max, 0);
	}
	m = g->m;
	m[M_API].n = m[M_CPU].n;
	m[M_API].sum = num_sub(m[M_CPU].sum, m[M_OVERHEAD].sum);
	m[M_API].min = num_sub(m[M_CPU].min, m[M_OVERHEAD].min);
	m[M_API].max = num_sub(m[M_CPU].max, m[M_OVERHEAD].max);
}

/* Only findings that DLProf would have made are stored. */
static void
on_finding(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	bool stored = mv_eq(rec_get(r, COL_judged), "stored");
	struct db_sums *s = d->sums;

	s->judged |= !stored;
	if (stored || (mv_eq(rec_get(r, COL_judged), "yes") &&
			  !mv_eq(rec_get(r, COL_by), "ours"))) {
		ARRAY_GROW(s->finding, s->n_finding, s->cap_finding);
		s->finding[s->n_finding++] =
		    (struct sum_finding){ db_col_word(d, r, COL_id),
			    db_col_word(d, r, COL_problem),
			    db_col_word(d, r, COL_recommendation), stored };
	}
	stage_pass(st, r);
}

void
sums_start(struct db_halves *d, struct stage *st)
{
	d->sums = xcalloc(1, sizeof(*d->sums));
	stage_on(st, "iter", on_iter, .need = "iter start_ns dur_ns");
	stage_on(st, "busy", on_busy, .need = "iter dev class dur_ns");
	stage_on(st, "group", on_group,
	    .need = "path level n_call n_op_eligible n_op_tc n_iter"
		    " sum_cpu_ns min_cpu_ns max_cpu_ns"
		    " sum_gpu_ns min_gpu_ns max_gpu_ns"
		    " sum_overhead_ns min_overhead_ns max_overhead_ns"
		    " sum_idle_ns min_idle_ns max_idle_ns");
	stage_on(st, "finding", on_finding,
	    .need = "id judged problem recommendation", .opt = "by");
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

/* Which iterations count, their mean and deviation. */
static void
count_iters(struct db_halves *d, struct sum_whole *w)
{
	struct db_sums *s = d->sums;
	struct sum_iter *it, *end = s->iter + s->n_iter;
	double diff, sum = 0;

	w->total = facts_int(d, "n_iter", (int64_t)s->n_iter);
	w->first = facts_int(d, "iter_start", 0);
	w->last = facts_int(d, "iter_stop", INT64_MAX);
	for (it = s->iter; it < end; it++) {
		it->counts = it->iter >= w->first && it->iter <= w->last;
		if (!it->counts)
			continue;
		w->n++;
		w->wall = num_add(w->wall, it->dur);
	}
	if (w->last == INT64_MAX)
		w->last = w->total > 0 ? w->total - 1 : 0;
	if (w->n == 0)
		return;
	w->mean = (double)w->wall / (double)w->n;
	for (it = s->iter; it < end; it++) {
		diff = it->counts ? (double)it->dur - w->mean : 0;
		sum += diff * diff;
	}
	w->dev = sqrt(sum / (double)w->n);
}

static double
share_of(int64_t ns, double of)
{
	return of > 0 ? agg_round(100.0 * (double)ns / of) : 0;
}

/* The rows of each iteration, and their sums of all devices. */
static void
put_iters(struct db_halves *d, int64_t aggr, struct sum_whole *w)
{
	struct db_sums *s = d->sums;
	const struct sum_iter *it;
	struct agg_sum kerns;
	int64_t ns[C_N], n_dev = (int64_t)w->n_dev;
	double share;
	uint32_t no;
	size_t k;
	int c;

	for (it = s->iter; it < s->iter + s->n_iter; it++) {
		/* an iteration ends before the next one begins */
		dbw_put(&d->db, T_ITERATION_LIST, 0, "iiii", aggr, it->iter,
		    it->start,
		    num_sub(
			num_add(it->start, it->dur), it->iter != w->total - 1));
		if (!it->counts)
			continue;
		memset(ns, 0, sizeof(ns));
		for (k = 0; k < w->n_dev; k++) {
			no = smap_find_pair(
			    &s->busy_at, it->iter, d->dev[k].dev);
			for (c = 0; no != SMAP_NONE && c < C_N; c++)
				ns[c] = num_add(ns[c], s->busy[no].ns[c]);
		}
		share =
		    share_of(num_add(num_add(ns[C_TC], ns[C_KERN]), ns[C_MEM]),
			(double)it->dur * (double)w->n_dev);
		for (c = 0; c < C_N; c++) {
			w->ns[c] = num_add(w->ns[c], ns[c]);
			if (n_dev > 1)
				ns[c] = num_add(ns[c], n_dev / 2) / n_dev;
		}
		kerns = agg_iter(d, it->iter);
		dbw_put(&d->db, T_ITERATION_AGGREGATION_LIST, 0, "iifiiiiiii",
		    aggr, it->iter, share, ns[C_TC], ns[C_KERN], ns[C_MEM],
		    ns[C_DATA], ns[C_IO], ns[C_CPU], ns[C_OTHER]);
		dbw_put(&d->db, T_KERNEL_ITERATION_STATS, 0, "iiiiiii", aggr,
		    DOMAIN_ID, it->iter, kerns.n, kerns.n_tc, kerns.ns,
		    kerns.tc_ns);
	}
}

static void
put_devices(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	const struct db_sums *s = d->sums;
	const struct sum_busy *b;
	int64_t ns, dev;
	size_t k;

	for (k = 0; k < w->n_dev; k++) {
		dev = d->dev[k].dev;
		ns = 0;
		for (b = s->busy; b < s->busy + s->n_busy; b++)
			if (b->dev == dev && b->iter >= w->first &&
			    b->iter <= w->last)
				ns = num_add(
				    ns, num_add(b->ns[C_TC], b->ns[C_KERN]));
		dbw_put(&d->db, T_DEVICE_GPU_UTILIZATIONS, 0, "iiif", aggr,
		    DOMAIN_ID, (int64_t)k + 1, share_of(ns, (double)w->wall));
	}
}

static void
put_model(struct db_halves *d, int64_t aggr, const struct sum_whole *w)
{
	double of = (double)w->wall * (double)w->n_dev;
	struct db_totals t;
	const struct db_category *c;
	int64_t id[CAT_N];
	int i;

	agg_totals(d, &t);
	for (i = 0; i < CAT_N; i++) {
		c = &t.category[i];
		id[i] = dbw_put(&d->db, T_CATEGORY_SUMMARY, 0, "iiiii", c->cpu,
		    c->gpu, c->overhead, c->idle, c->count);
	}
	dbw_put(&d->db, T_MODEL_SUMMARY, 0, "iiiiiiiifffffffffffiiiii", aggr,
	    DOMAIN_ID, INT64_C(0), w->wall, id[CAT_ALL], id[CAT_ELIGIBLE],
	    id[CAT_TC], id[CAT_OTHER],
	    share_of(num_add(w->ns[C_TC], w->ns[C_KERN]), of),
	    share_of(t.category[CAT_KERNS_TC].gpu, (double)t.eligible_kern_ns),
	    share_of(w->ns[C_TC], of), share_of(w->ns[C_KERN], of),
	    share_of(w->ns[C_MEM], of), share_of(w->ns[C_DATA], of),
	    share_of(w->ns[C_IO], of), share_of(w->ns[C_CPU], of),
	    share_of(w->ns[C_OTHER], of), agg_round(w->mean), agg_round(w->dev),
	    w->total, w->n, w->first, w->last, key_id(d));
	dbw_put(&d->db, T_KERNEL_SUMMARY_METRICS, 0, "iiiii", aggr, DOMAIN_ID,
	    id[CAT_KERNS], id[CAT_KERNS_TC], id[CAT_KERNS_OTHER]);
	dbw_put(&d->db, T_MEMORY_SUMMARY_METRICS, 0, "iii", aggr, DOMAIN_ID,
	    id[CAT_MEMORY]);
}

static void
warn_missing(const struct db_halves *d, const char *what, const char *by)
{
	warn("%s: no %s records (of %s): the database has no aggregation",
	    d->path, what, by);
}

void
sums_write(struct db_halves *d)
{
	struct sum_whole w = { .n_dev = d->n_dev };
	int64_t aggr, path;
	const struct sum_group *g;
	const struct db_sums *s;
	const struct sum_finding *f;
	const char *id;

	if (d->sums->n_iter == 0) {
		warn_missing(d, "iter", "dlp-iter");
		return;
	}
	if (d->sums->n_busy == 0 && w.n_dev > 0) {
		warn_missing(d, "busy", "dlp-busy");
		return;
	}
	if (!d->sums->tree)
		warn("%s: no group records (of dlp-tree): only ops are in"
		     " group_ops",
		    d->path);
	dbw_exec(&d->db, "INSERT INTO aggregations VALUES (NULL, '', '',"
			 " datetime('now'), 0)");
	aggr = sqlite3_last_insert_rowid(d->db.sql);
	dbw_put(&d->db, T_ITERATION_KEY, 0, "ii", aggr, key_id(d));
	count_iters(d, &w);
	put_iters(d, aggr, &w);
	put_devices(d, aggr, &w);
	put_model(d, aggr, &w);
	agg_write(d, aggr);
	for (g = d->sums->group; g < d->sums->group + d->sums->n_group; g++) {
		path = db_word_id(d, g->path);
		dbw_put(&d->db, T_GROUP_OPS, 0, "iiiiiiiiii", aggr, DOMAIN_ID,
		    INT64_C(1), path, path, g->level, g->n_call, g->n_eligible,
		    g->n_tc, agg_put_metrics(d, g->m));
	}
	/* Ops are the leaves. */
	dbw_exec(&d->db, "INSERT OR IGNORE INTO dictionary (string)"
			 " SELECT DISTINCT o.op_name FROM op_nodes n"
			 " JOIN read_only_ops o ON o.id = n.read_only_ops_id");
	dbw_exec(&d->db,
	    "INSERT INTO group_ops SELECT NULL, n.aggr_id, o.domain_id, 2,"
	    " o.op_id_id, s.id,"
	    " length(o.op_name) - length(replace(o.op_name, '/', '')) + 1,"
	    " n.num_calls, n.tc_eligible, n.using_tc, n.node_time_metrics_id"
	    " FROM op_nodes n JOIN read_only_ops o ON"
	    " o.id = n.read_only_ops_id JOIN dictionary s ON"
	    " s.string = o.op_name");
	s = d->sums;
	for (f = s->finding; f < s->finding + s->n_finding; f++) {
		if (f->stored && s->judged)
			continue;
		id = db_word_text(d, f->id);
		/* with the action that DLProf's viewer offers */
		dbw_put(&d->db, T_EXPERT_SYSTEMS_FEEDBACK, 0, "ittttt", aggr,
		    id, db_word_text(d, f->problem), db_word_text(d, f->advice),
		    strcmp(id, "amp_detector") == 0 ? "ShowBadDataTypeOps" : "",
		    "");
	}
}
