/* Indices as data; see ddl.h. */
#include "buf.h"
#include "db.h"
#include "ddl.h"

/* Named unique_TABLE. */
static const struct {
	bool aggregated;
	const char *table, *cols;
} indices[] = {
	{ false, "read_only_ops", "domain_id, op_id_id" },
	{ false, "read_only_kernels",
	    "api_start, gpu_start, thread_id, read_only_ops_id" },
	{ true, "iteration_list", "aggr_id, iter_value" },
	{ true, "model_summary", "aggr_id, domain_id" },
	{ true, "device_gpu_utilizations", "aggr_id, domain_id, gpu_info_id" },
	{ true, "group_ops",
	    "aggr_id, domain_id, group_op_full_id_id,"
	    " group_op_full_name_id" },
	{ true, "kernel_summaries",
	    "aggr_id, domain_id, read_only_ops_id, kernel_name_id" },
	{ true, "kernel_iteration_node",
	    "aggr_id, domain_id, read_only_ops_id, read_only_kernel_id,"
	    " iter_value" },
	{ true, "kernel_iteration_stats", "aggr_id, domain_id, iter_value" },
	{ true, "kernel_summary_metrics", "aggr_id, domain_id" },
	{ true, "memory_summary_metrics", "aggr_id, domain_id" },
	{ true, "op_type_metrics", "aggr_id, domain_id, op_node_type_id" },
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void
drop_index(struct db *db, size_t i)
{
	struct buf b = { 0 };

	buf_printf(&b, "DROP INDEX IF EXISTS unique_%s", indices[i].table);
	db_exec(db, buf_str(&b));
	buf_free(&b);
}

/* Two kernels of one call can start at the same time: then DLProf's index
 * cannot be unique. */
static void
make_index(struct db *db, size_t i)
{
	struct buf b = { 0 };
	int k;

	for (k = 0; k < 2; k++) {
		buf_clear(&b);
		buf_printf(&b, "CREATE %s INDEX unique_%s ON %s(%s)",
		    k == 0 ? "UNIQUE" : "", indices[i].table, indices[i].table,
		    indices[i].cols);
		if (db_try(db, buf_str(&b)))
			break;
	}
	buf_free(&b);
}

void
ddl_no_indices(struct db *db)
{
	size_t i;

	for (i = 0; i < N(indices); i++)
		if (indices[i].aggregated)
			drop_index(db, i);
}

void
ddl_indices(struct db *db, bool aggregated)
{
	size_t i;

	for (i = 0; i < N(indices); i++)
		if (indices[i].aggregated == aggregated)
			make_index(db, i);
}
