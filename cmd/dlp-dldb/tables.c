/*
 * Tables as data. A column is NAME TYPE, or NAME TYPE>TABLE where it is the
 * id of a row there; every table has an id before those.
 *	i integer, t text, r real: not NULL; b boolean, c boolean that is
 *	checked; u integer, unique; d integer, default 0; w text, unique;
 *	g, G text that DLProf declares as STRING, which SQLite would take for
 *	a number where it looks like one; G can be NULL; n integer or NULL
 * The last tables, dlp_*, are not DLProf's: they hold what the reports need
 * and its tables have no place for.
 */
#include "tables.h"

#include <string.h>

#include "err.h"

#define WORK "read_only_ops_id i op_instance i name_id i>dictionary "
#define API "api_start i api_stop i "
#define GPU API "gpu_start i gpu_stop i "
#define PLACE "device_id i process_id i thread_id i"
#define AGGR "aggr_id i>aggregations "
#define DOMAIN "domain_id i>read_only_domains "
#define OP "read_only_ops_id i>read_only_ops "
#define TOTALS "total_count i uses_tc_count i total_gpu_time i tc_gpu_time i"
#define SHARES(t)                                                              \
	"tc_duration" t "non_tc_duration" t "memory_duration" t                \
	"dataloader_duration" t "io_duration" t "cpu_duration" t               \
	"other_duration" t

const struct table tables[] = {
	{ "dictionary", "string w" },
	{ "read_only_grid_block", "x i y i z i" },
	{ "read_only_model_info", DOMAIN "domain_name g profile_name g" },
	{ "read_only_gpu_infos", "device_id u gpu_name t"
				 " compute_capability_major i"
				 " compute_capability_minor i sm_count i" },
	{ "gpu_memories", "total i used i" },
	{ "read_only_system_config",
	    "is_valid c num_gpus t cpu_model t driver_version t framework t"
	    " cuda_version t cudnn_version t nsys_version t dlprof_version t"
	    " dlprof_build t profile_name t mode_enum i mode_string t"
	    " original_command t" },
	{ "db_version", "current_version t original_version t" },
	{ "read_only_model_config",
	    "num_workers i pin_memory b cudnn_benchmark_disabled b"
	    " detect_anomaly b gradcheck b gradgradcheck b autograd_profile b"
	    " autograd_set_detect_anomaly b emit_nvtx b amp_enabled b" },
	{ "read_only_domains", "domain_name_id i>dictionary" },
	{ "read_only_ops",
	    DOMAIN "op_id_id i>dictionary op_id g op_name g"
		   " op_type_id i>dictionary device_id i>dictionary"
		   " tc_support_status i data_type_id i>dictionary"
		   " data_format_id i>dictionary"
		   " output_format_id i>dictionary"
		   " parameters_format_id i>dictionary"
		   " direction_id i>dictionary stack_trace G" },
	{ "read_only_sub_ops",
	    "op_id i>read_only_ops start_time i stop_time i" },
	{ "read_only_op_instances",
	    OP "cpu_start i cpu_stop i process_id i thread_id i"
	       " input_names_id i>dictionary input_shapes_id i>dictionary"
	       " output_names_id i>dictionary output_shapes_id i>dictionary"
	       " parameters_id i>dictionary" },
	{ "read_only_kernels", WORK "long_name_id i>dictionary uses_tc c " GPU
				    "grid_id i>read_only_grid_block"
				    " block_id i>read_only_grid_block " PLACE },
	{ "read_only_memsets", WORK GPU "num_bytes i " PLACE },
	{ "read_only_memcpys", WORK GPU "num_bytes i copy_kind i " PLACE },
	{ "read_only_cuda_syncs", WORK GPU "sync_type i event_id i " PLACE },
	{ "read_only_cuda_calls", WORK API "process_id i thread_id i" },
	{ "aggregations", "server_user_name t server_host_name t"
			  " start_timestamp i end_timestamp d" },
	{ "category_summary",
	    "cpu_time i gpu_time i cpu_overhead i gpu_idle i count i" },
	{ "metric", "count i max i min i sum i avg r" },
	{ "node_time_metrics",
	    "cpu_time_metric_id i>metric gpu_time_metric_id i>metric"
	    " api_time_metric_id i>metric cpu_overhead_time_metric_id i>metric"
	    " gpu_idle_time_metric_id i>metric" },
	{ "kernel_time_metrics",
	    "api_time_metric_id i>metric gpu_time_metric_id i>metric" },
	{ "expert_systems_feedback",
	    "aggr_id i exp_sys_id t problem t recommendation t"
	    " javascript_function t javascript_args t" },
	{ "iteration_key", "aggr_id u>aggregations key_node_id i>dictionary" },
	{ "iteration_list", AGGR "iter_value i start_time i stop_time i" },
	{ "iteration_aggregation_list",
	    AGGR "iter_value i gpu_utilization r " SHARES(" i ") },
	{ "model_summary", AGGR DOMAIN
	    "is_custom_domain c wall_time i nodes_total_id i>category_summary"
	    " nodes_tc_eligible_id i>category_summary"
	    " nodes_using_tc_id i>category_summary"
	    " nodes_other_id i>category_summary gpu_utilization r"
	    " tc_utilization r " SHARES(
		"_pct r ") "avg_iteration_time r iteration_time_std_dev r "
			   "iter_total i"
			   " iter_aggregated i iter_start i iter_stop i"
			   " key_node_id i>dictionary" },
	{ "device_gpu_utilizations",
	    "aggr_id i " DOMAIN "gpu_info_id i>read_only_gpu_infos"
	    " gpu_utilization r" },
	{ "op_nodes",
	    AGGR OP "node_time_metrics_id i>node_time_metrics"
		    " kernel_time_metrics_id i>kernel_time_metrics"
		    " num_calls i kernel_calls i tc_eligible c using_tc c"
		    " is_bad_data_type c" },
	{ "group_ops", AGGR DOMAIN
	    "row_type i group_op_full_id_id i>dictionary"
	    " group_op_full_name_id i>dictionary level i num_op_instances i"
	    " num_supported_leaf_ops i num_tc_leaf_ops i"
	    " group_op_time_metrics_id i>node_time_metrics" },
	{ "kernel_summaries",
	    AGGR DOMAIN OP "kernel_name_id i>dictionary"
			   " api_time_metric_id i>metric"
			   " gpu_time_metric_id i>metric uses_tc c" },
	{ "kernel_iteration_node", AGGR DOMAIN OP
	    "read_only_kernel_id i>read_only_kernels iter_value i " TOTALS },
	{ "kernel_iteration_stats", AGGR DOMAIN "iter_value i " TOTALS },
	{ "kernel_summary_metrics",
	    AGGR DOMAIN "kernels_total_id i>category_summary"
			" kernels_using_tc_id i>category_summary"
			" kernels_non_tc_id i>category_summary" },
	{ "memory_summary_metrics",
	    AGGR DOMAIN "memory_time_id i>category_summary" },
	{ "op_type_metrics",
	    "aggr_id i " DOMAIN "op_node_type_id i>dictionary"
	    " op_type_metrics_id i>node_time_metrics num_nodes i num_calls i" },
	{ "dlp_facts", "name w value t" },
	{ "dlp_devices", "device_id i clock_hz n mem_bytes n membw_bytes_s n" },
	{ "dlp_ops", "marker_id i>dictionary" },
	{ "dlp_ranges", "start_time i stop_time n process_id n thread_id n"
			" end_thread_id n domain_id i>dictionary"
			" mode_id i>dictionary text_id i>dictionary"
			" level n layer_id i>dictionary" },
	{ "dlp_os_calls", "start_time i stop_time n process_id n thread_id n"
			  " name_id i>dictionary" },
	{ "dlp_memory", "time i process_id n device_id n op_id i>dictionary"
			" num_bytes n address n kind_id i>dictionary"
			" pool_address n pool_bytes n" },
	{ NULL, NULL },
};

const char *
table_word(const char **p, int *n)
{
	const char *s = *p + strspn(*p, " ");

	*n = (int)strcspn(s, " ");
	*p = s + *n;
	return *n > 0 ? s : NULL;
}

int
table_ncols(const char *name)
{
	const struct table *t = tables;
	int n, cols = 1;
	const char *p;

	while (t->name != NULL && strcmp(t->name, name) != 0)
		t++;
	if (t->name == NULL)
		die("no table %s", name);
	for (p = t->cols; table_word(&p, &n) != NULL; cols++)
		table_word(&p, &n);
	return cols;
}
