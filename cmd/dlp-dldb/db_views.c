/*
 * The views of DLProf's database, with the names and columns that DLProf gave
 * them. Each is a name, its columns, and the FROM clause that these come from;
 * ddl_views() makes CREATE VIEW of the three.
 *
 * The macros are pieces of SQL. Those with JOIN belong to the FROM clause and
 * take the alias of a table; the columns then use the alias that the macro
 * gives: va aggregations, dn the domain's name, o ops.
 */
#include "array.h"
#include "buf.h"
#include "db.h"

/* Joins that turn the ids in a table into what they stand for. t is the alias
 * of the table, id a column with an id. */
#define AGGR(t) " JOIN view_aggregations va ON va.aggr_id = " t ".aggr_id"
#define DOMAIN(id)                                                             \
	" JOIN read_only_domains rod ON rod.id = " id                          \
	" JOIN dictionary dn ON dn.id = rod.domain_name_id"
#define WORD(d, id) " JOIN dictionary " d " ON " d ".id = " id
#define OPS(t) " JOIN read_only_ops o ON o.id = " t ".read_only_ops_id"
#define METRIC(m, id) " JOIN metric " m " ON " m ".id = " id
/* Columns: the first ones of most views, and the statistics of a metric m. */
#define HEAD "va.aggr_id AS aggr_id, dn.string AS domain_name"
#define SUM(m, n) m ".sum AS " n "_sum"
#define FOUR(m, n)                                                             \
	SUM(m, n)                                                              \
	", " m ".avg AS " n "_avg, " m ".min AS " n "_min, " m ".max AS " n    \
	"_max"
#define FOUR_METRICS(id)                                                       \
	" JOIN node_time_metrics t ON t.id = " id METRIC(                      \
	    "mc", "t.cpu_time_metric_id") METRIC("mg", "t.gpu_time_metric_id") \
	    METRIC("mo", "t.cpu_overhead_time_metric_id")                      \
		METRIC("mi", "t.gpu_idle_time_metric_id")
#define CATEGORY(c, id) " JOIN category_summary " c " ON " c ".id = " id
#define DIM(d) d ".x || ', ' || " d ".y || ', ' || " d ".z"

/* The path of a row of group_ops; in rows of type 1 (groups) it ends with a /,
 * which is left out. LAST_PART: rtrim() with all letters of the path except /
 * leaves the folder, and replace() removes that from the path. */
#define PATH                                                                   \
	"(CASE row_type WHEN 1 THEN substr(nm.string, 1,"                      \
	" length(nm.string) - 1) ELSE nm.string END)"
#define LAST_PART                                                              \
	"replace(" PATH ", rtrim(" PATH ", replace(" PATH ", '/', '')), '')"

/* The columns of a kernel, and the tables that they come from. */
#define KERNEL_COLS                                                            \
	", ks.string AS kernel_name, k.device_id AS device_id,"                \
	" k.api_start AS kernel_timestamp,"                                    \
	" k.gpu_stop - k.gpu_start AS kernel_duration, k.uses_tc AS "          \
	"uses_tc, " DIM("gg") " AS grid, " DIM("gb") " AS block"
#define KERNEL_FROM                                                            \
	" FROM kernel_iteration_node kin" AGGR("kin") DOMAIN("kin.domain_id")  \
	    OPS("kin") " JOIN read_only_kernels k ON k.id = "                  \
		       "kin.read_only_kernel_id" WORD(                         \
			   "ks", "k.name_id") " JOIN read_only_grid_block gg " \
					      "ON gg.id = k.grid_id"           \
					      " JOIN read_only_grid_block gb " \
					      "ON gb.id = k.block_id"

static const struct {
	const char *name, *cols, *from;
} views[] = {
	{ "gpu_names", "gpu_name",
	    " FROM read_only_gpu_infos ORDER BY gpu_name" },
	{ "system_config",
	    "is_valid, num_gpus, cpu_model, driver_version, framework,"
	    " cuda_version, cudnn_version, nsys_version, dlprof_version,"
	    " dlprof_build, profile_name, mode_string, original_command",
	    " FROM read_only_system_config" },
	{ "db_version", "current_version, original_version",
	    " FROM db_version" },
	{ "domains", "dn.string AS domain_name",
	    " FROM read_only_domains rod" WORD("dn", "rod.domain_name_id") },
	{ "aggregations",
	    "DISTINCT a.id AS aggr_id, ms.iter_start AS iter_start,"
	    " ms.iter_stop AS iter_stop,"
	    " ms.iter_aggregated AS iter_aggregated,"
	    " kn.string AS key_node_name, a.server_user_name AS user_name,"
	    " a.server_host_name AS host_name,"
	    " a.start_timestamp AS aggr_start, a.end_timestamp AS aggr_end",
	    " FROM aggregations a JOIN model_summary ms ON ms.aggr_id = "
	    "a.id" WORD("kn", "ms.key_node_id") },
	{ "expert_systems",
	    "va.aggr_id, problem, recommendation, javascript_function,"
	    " javascript_args",
	    " FROM expert_systems_feedback e" AGGR("e") },
	{ "iterations_all",
	    "va.aggr_id AS aggr_id, il.iter_value AS iter_value,"
	    " il.start_time AS start_time, il.stop_time AS stop_time,"
	    " il.stop_time - il.start_time AS duration",
	    " FROM iteration_list il" AGGR("il") },
	{ "iterations_profiled",
	    "x.aggr_id AS aggr_id, dn.string AS domain_name,"
	    " x.iter_value AS iter_value, il.start_time AS start_time,"
	    " il.stop_time - il.start_time AS duration,"
	    " s.total_count AS total_kernel_count,"
	    " s.uses_tc_count AS using_tc_kernel_count,"
	    " x.tc_duration AS tc_duration,"
	    " x.non_tc_duration AS non_tc_duration,"
	    " x.memory_duration AS memory_duration,"
	    " x.dataloader_duration AS dataloader_duration,"
	    " x.io_duration AS io_duration, x.cpu_duration AS cpu_duration,"
	    " x.other_duration AS other_duration",
	    " FROM iteration_aggregation_list x"
	    " LEFT JOIN iteration_list il ON il.iter_value = x.iter_value"
	    " AND il.aggr_id = x.aggr_id"
	    " LEFT JOIN kernel_iteration_stats s ON"
	    " s.iter_value = x.iter_value AND s.aggr_id = x.aggr_id"
	    " LEFT JOIN read_only_domains rod ON rod.id = s.domain_id"
	    " LEFT JOIN dictionary dn ON dn.id = rod.domain_name_id"
	    " ORDER BY x.iter_value" },
	{ "iteration_kernels",
	    HEAD ", kin.iter_value AS iter_value, o.op_name AS "
		 "op_node_name" KERNEL_COLS,
	    KERNEL_FROM },
	{ "iteration_op_kernels",
	    HEAD ", kin.iter_value AS iter_value, oi.string AS "
		 "op_node_id" KERNEL_COLS,
	    KERNEL_FROM WORD("oi", "o.op_id_id") },
	{ "iteration_ops",
	    "DISTINCT " HEAD ", kin.iter_value AS iter_value,"
	    " o.op_name AS op_node_name, di.string AS direction,"
	    " ty.string AS op_node_type, kin.total_count AS total_count,"
	    " kin.uses_tc_count AS tc_count,"
	    " kin.total_gpu_time AS total_gpu_time,"
	    " kin.tc_gpu_time AS tc_gpu_time, dt.string AS data_type,"
	    " o.stack_trace AS stack_trace, oi.string AS op_node_id",
	    " FROM kernel_iteration_node kin" AGGR("kin")
		DOMAIN("kin.domain_id") OPS("kin") WORD("oi", "o.op_id_id")
		    WORD("ty", "o.op_type_id") WORD("dt", "o.data_type_id")
			WORD("di", "o.direction_id") },
	{ "key_op_name", "va.aggr_id AS aggr_id, kn.string AS key_op",
	    " FROM iteration_key x" AGGR("x") WORD("kn", "x.key_node_id") },
	{ "domain_model_gpu_utilization",
	    HEAD ", x.gpu_utilization AS gpu_utilization",
	    " FROM model_summary x" AGGR("x") DOMAIN("x.domain_id") },
	{ "tc_utilization", HEAD ", x.tc_utilization AS tc_utilization",
	    " FROM model_summary x" AGGR("x") DOMAIN("x.domain_id") },
	{ "performance_summary",
	    HEAD ", x.wall_time AS wall_clock_time,"
		 " x.tc_utilization AS tc_utilization,"
		 " x.gpu_utilization AS gpu_utilization,"
		 " x.iter_total AS total_iterations,"
		 " x.iter_aggregated AS profiled_iterations,"
		 " x.iter_start AS iter_start, x.iter_stop AS iter_stop,"
		 " x.avg_iteration_time AS iter_avg, kn.string AS key_node",
	    " FROM model_summary x" AGGR("x") DOMAIN("x.domain_id")
		WORD("kn", "x.key_node_id") },
	{ "op_summary",
	    HEAD ", ct.gpu_time AS nodes_total_gpu_time,"
		 " ct.count AS nodes_total_count,"
		 " cu.gpu_time AS nodes_using_tc_gpu_time,"
		 " cu.count AS nodes_using_tc_count,"
		 " ce.gpu_time AS nodes_tc_eligible_gpu_time,"
		 " ce.count AS nodes_tc_eligible_count,"
		 " co.gpu_time AS nodes_other_gpu_time,"
		 " co.count AS nodes_other_count",
	    " FROM model_summary x" AGGR("x") DOMAIN("x.domain_id") CATEGORY(
		"ct", "x.nodes_total_id") CATEGORY("cu", "x.nodes_using_tc_id")
		CATEGORY("ce", "x.nodes_tc_eligible_id")
		    CATEGORY("co", "x.nodes_other_id") },
	{ "kernel_summary",
	    HEAD
	    ", ct.gpu_time + cm.gpu_time AS total_gpu_time,"
	    " ct.count + cm.count AS total_count,"
	    " cu.gpu_time AS using_tc_gpu_time, cu.count AS using_tc_count,"
	    " cm.gpu_time AS memory_gpu_time, cm.count AS memory_count,"
	    " co.gpu_time AS other_gpu_time, co.count AS other_count",
	    " FROM kernel_summary_metrics x" AGGR("x") DOMAIN(
		"x.domain_id") " JOIN memory_summary_metrics y ON y.domain_id "
			       "= x.domain_id"
			       " AND y.aggr_id = x.aggr_id" CATEGORY(
				   "ct", "x.kernels_total_id")
				   CATEGORY("cu", "x.kernels_using_tc_id")
				       CATEGORY("co", "x.kernels_non_tc_id")
					   CATEGORY("cm", "y.memory_time_id") },
	{ "resource_usage_breakdown",
	    "x.aggr_id AS aggr_id, dn.string AS domain_name,"
	    " x.tc_duration_pct AS tc_duration_pct,"
	    " x.non_tc_duration_pct AS non_tc_duration_pct,"
	    " x.memory_duration_pct AS memory_duration_pct,"
	    " x.dataloader_duration_pct AS dataloader_duration_pct,"
	    " x.io_duration_pct AS io_duration_pct,"
	    " x.cpu_duration_pct AS cpu_duration_pct,"
	    " x.other_duration_pct AS other_duration_pct",
	    " FROM model_summary x" DOMAIN("x.domain_id") },
	{ "gpu_devices",
	    HEAD ", g.device_id AS device_id, g.gpu_name AS gpu_name,"
		 " g.compute_capability_major AS cuda_major,"
		 " g.compute_capability_minor AS cuda_minor,"
		 " g.sm_count AS sm_count,"
		 " x.gpu_utilization AS device_gpu_utilization",
	    " FROM device_gpu_utilizations x" AGGR("x")
		DOMAIN("x.domain_id") " JOIN read_only_gpu_infos g ON g.id = "
				      "x.gpu_info_id" },
	{ "op_nodes",
	    "DISTINCT x.aggr_id AS aggr_id, dn.string AS domain_name,"
	    " mg.sum AS gpu_time, mc.sum AS cpu_time,"
	    " o.op_name AS op_node_name, di.string AS direction,"
	    " ty.string AS op_node_type, x.num_calls AS num_calls,"
	    " x.tc_eligible AS tc_eligible, x.using_tc AS using_tc,"
	    " x.kernel_calls AS kernel_calls,"
	    " x.is_bad_data_type AS is_bad_data_type,"
	    " dt.string AS data_type, o.stack_trace AS stack_trace,"
	    " o.op_id AS op_node_id",
	    " FROM op_nodes x" OPS("x") DOMAIN("o.domain_id") WORD(
		"di", "o.direction_id") WORD("ty", "o.op_type_id") WORD("dt",
		"o.data_type_id") " JOIN node_time_metrics t ON t.id = "
				  "x.node_time_metrics_id" METRIC(
				      "mc", "t.cpu_time_metric_id")
				      METRIC("mg", "t.gpu_time_metric_id") },
	{ "group_ops",
	    HEAD
	    ", row_type AS row_type, ni.string AS row_full_id,"
	    " nm.string AS row_full_name, " LAST_PART " AS row_trimmed_name,"
	    " level, num_op_instances, num_supported_leaf_ops,"
	    " num_tc_leaf_ops, " SUM("mc", "cpu_time") ", " SUM(
		"mg", "gpu_time") ", " SUM("mo", "cpu_overhead") ", " SUM("mi",
		"gpu_idle"),
	    " FROM group_ops x" AGGR("x") DOMAIN("x.domain_id") WORD("nm",
		"x.group_op_full_name_id") WORD("ni", "x.group_op_full_id_id")
		FOUR_METRICS("x.group_op_time_metrics_id") },
	{ "kernel_summaries",
	    HEAD ", oi.string AS op_node_id, ks.string AS kernel_name,"
		 " x.uses_tc AS uses_tc, mg.count AS calls, mg.sum AS gpu_time,"
		 " mg.avg AS avg, mg.min AS min, mg.max AS max",
	    " FROM kernel_summaries x" OPS("x") AGGR("x") DOMAIN("o.domain_id")
		WORD("oi", "o.op_id_id") WORD("ks", "x.kernel_name_id")
		    METRIC("mg", "x.gpu_time_metric_id") },
	{ "op_type_summary",
	    HEAD ", ty.string AS op_node_type, x.num_nodes AS num_nodes,"
		 " x.num_calls AS num_calls, " FOUR("mc", "cpu_time") ", " FOUR(
		     "mg", "gpu_time") ", " FOUR("mo",
		     "cpu_overhead") ", " FOUR("mi", "gpu_idle"),
	    " FROM op_type_metrics x" AGGR("x") DOMAIN("x.domain_id") WORD("ty",
		"x.op_node_type_id") FOUR_METRICS("x.op_type_metrics_id") },
};

void
ddl_views(struct db *db)
{
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(views); i++) {
		buf_clear(&b);
		buf_printf(&b, "CREATE VIEW view_%s AS SELECT %s%s",
		    views[i].name, views[i].cols, views[i].from);
		db_exec(db, buf_str(&b));
	}
	buf_free(&b);
}
