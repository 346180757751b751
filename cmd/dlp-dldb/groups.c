/* Rows of groups and of findings; see groups.h. */
#include "groups.h"

#include <string.h>

#include "agg.h"
#include "ops.h"
#include "sums.h"

static struct metric
group_metric(const struct group *g, int i)
{
	struct metric m = { g->n_iter, g->sum[i], g->min[i], g->max[i] };

	return m;
}

static void
less(struct metric *m, const struct metric *of)
{
	m->sum = num_sub(m->sum, of->sum);
	m->min = num_sub(m->min, of->min);
	m->max = num_sub(m->max, of->max);
}

/* The time in the API is the CPU time that is no overhead. */
void
groups_write(struct dldb *d, int64_t aggr)
{
	static struct ins in = { .table = "group_ops" };
	const struct group *g;
	struct metric m[N_METRIC];
	int64_t path;
	size_t i;

	for (i = 0; i < d->sums->n_group; i++) {
		g = &d->sums->group[i];
		m[M_CPU] = group_metric(g, 0);
		m[M_GPU] = group_metric(g, 1);
		m[M_OVERHEAD] = group_metric(g, 2);
		m[M_IDLE] = group_metric(g, 3);
		m[M_API] = m[M_CPU];
		less(&m[M_API], &m[M_OVERHEAD]);
		path = word_id(d, g->path);
		db_put(&d->db, &in, 0, "iiiiiiiiii", aggr, DOMAIN_ID,
		    INT64_C(1), path, path, g->level, g->n_call, g->n_eligible,
		    g->n_tc, put_metrics(d, m));
	}
}

/* Ops are the leaves. */
void
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

/* What DLProf's viewer does for a finding. */
static const char *
viewer(const char *id)
{
	return strcmp(id, "amp_detector") == 0 ? "ShowBadDataTypeOps" : "";
}

void
findings_write(struct dldb *d, int64_t aggr)
{
	static struct ins in = { .table = "expert_systems_feedback" };
	const struct finding *f;
	const char *id;
	size_t i;

	for (i = 0; i < d->sums->n_finding; i++) {
		f = &d->sums->finding[i];
		if (f->stored && d->sums->judged)
			continue;
		id = word_text(d, f->id);
		db_put(&d->db, &in, 0, "ittttt", aggr, id,
		    word_text(d, f->problem), word_text(d, f->advice),
		    viewer(id), "");
	}
}
