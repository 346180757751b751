-- The views of DLProf's database, with the names and columns that DLProf gave
-- them. The path of a row of group_ops ends with a / in rows of type 1 (groups,
-- left out); row_trimmed_name is its last part: rtrim() with all letters of the
-- path except / leaves the folder, and replace() removes that.

CREATE VIEW view_gpu_names AS
    SELECT gpu_name
    FROM read_only_gpu_infos
    ORDER BY gpu_name;
CREATE VIEW view_system_config AS
    SELECT is_valid, num_gpus, cpu_model, driver_version, framework,
        cuda_version, cudnn_version, nsys_version, dlprof_version,
        dlprof_build, profile_name, mode_string, original_command
    FROM read_only_system_config;
CREATE VIEW view_db_version AS
    SELECT current_version, original_version
    FROM db_version;
CREATE VIEW view_domains AS
    SELECT dn.string AS domain_name
    FROM read_only_domains rod
    JOIN dictionary dn ON dn.id = rod.domain_name_id;
CREATE VIEW view_aggregations AS
    SELECT DISTINCT a.id AS aggr_id, ms.iter_start AS iter_start,
        ms.iter_stop AS iter_stop, ms.iter_aggregated AS iter_aggregated,
        kn.string AS key_node_name, a.server_user_name AS user_name,
        a.server_host_name AS host_name, a.start_timestamp AS aggr_start,
        a.end_timestamp AS aggr_end
    FROM aggregations a
    JOIN model_summary ms ON ms.aggr_id = a.id
    JOIN dictionary kn ON kn.id = ms.key_node_id;
CREATE VIEW view_expert_systems AS
    SELECT va.aggr_id, problem, recommendation, javascript_function,
        javascript_args
    FROM expert_systems_feedback e
    JOIN view_aggregations va ON va.aggr_id = e.aggr_id;
CREATE VIEW view_iterations_all AS
    SELECT va.aggr_id AS aggr_id, il.iter_value AS iter_value,
        il.start_time AS start_time, il.stop_time AS stop_time,
        il.stop_time - il.start_time AS duration
    FROM iteration_list il
    JOIN view_aggregations va ON va.aggr_id = il.aggr_id;
CREATE VIEW view_iterations_profiled AS
    SELECT x.aggr_id AS aggr_id, dn.string AS domain_name,
        x.iter_value AS iter_value, il.start_time AS start_time,
        il.stop_time - il.start_time AS duration,
        s.total_count AS total_kernel_count,
        s.uses_tc_count AS using_tc_kernel_count,
        x.tc_duration AS tc_duration, x.non_tc_duration AS non_tc_duration,
        x.memory_duration AS memory_duration,
        x.dataloader_duration AS dataloader_duration,
        x.io_duration AS io_duration, x.cpu_duration AS cpu_duration,
        x.other_duration AS other_duration
    FROM iteration_aggregation_list x
    LEFT JOIN iteration_list il ON il.iter_value = x.iter_value
        AND il.aggr_id = x.aggr_id
    LEFT JOIN kernel_iteration_stats s ON s.iter_value = x.iter_value
        AND s.aggr_id = x.aggr_id
    LEFT JOIN read_only_domains rod ON rod.id = s.domain_id
    LEFT JOIN dictionary dn ON dn.id = rod.domain_name_id
    ORDER BY x.iter_value;
CREATE VIEW view_iteration_kernels AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        kin.iter_value AS iter_value, o.op_name AS op_node_name,
        ks.string AS kernel_name, k.device_id AS device_id,
        k.api_start AS kernel_timestamp,
        k.gpu_stop - k.gpu_start AS kernel_duration, k.uses_tc AS uses_tc,
        gg.x || ', ' || gg.y || ', ' || gg.z AS grid,
        gb.x || ', ' || gb.y || ', ' || gb.z AS block
    FROM kernel_iteration_node kin
    JOIN view_aggregations va ON va.aggr_id = kin.aggr_id
    JOIN read_only_domains rod ON rod.id = kin.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN read_only_ops o ON o.id = kin.read_only_ops_id
    JOIN read_only_kernels k ON k.id = kin.read_only_kernel_id
    JOIN dictionary ks ON ks.id = k.name_id
    JOIN read_only_grid_block gg ON gg.id = k.grid_id
    JOIN read_only_grid_block gb ON gb.id = k.block_id;
CREATE VIEW view_iteration_op_kernels AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        kin.iter_value AS iter_value, oi.string AS op_node_id,
        ks.string AS kernel_name, k.device_id AS device_id,
        k.api_start AS kernel_timestamp,
        k.gpu_stop - k.gpu_start AS kernel_duration, k.uses_tc AS uses_tc,
        gg.x || ', ' || gg.y || ', ' || gg.z AS grid,
        gb.x || ', ' || gb.y || ', ' || gb.z AS block
    FROM kernel_iteration_node kin
    JOIN view_aggregations va ON va.aggr_id = kin.aggr_id
    JOIN read_only_domains rod ON rod.id = kin.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN read_only_ops o ON o.id = kin.read_only_ops_id
    JOIN read_only_kernels k ON k.id = kin.read_only_kernel_id
    JOIN dictionary ks ON ks.id = k.name_id
    JOIN read_only_grid_block gg ON gg.id = k.grid_id
    JOIN read_only_grid_block gb ON gb.id = k.block_id
    JOIN dictionary oi ON oi.id = o.op_id_id;
CREATE VIEW view_iteration_ops AS
    SELECT DISTINCT va.aggr_id AS aggr_id, dn.string AS domain_name,
        kin.iter_value AS iter_value, o.op_name AS op_node_name,
        di.string AS direction, ty.string AS op_node_type,
        kin.total_count AS total_count, kin.uses_tc_count AS tc_count,
        kin.total_gpu_time AS total_gpu_time, kin.tc_gpu_time AS tc_gpu_time,
        dt.string AS data_type, o.stack_trace AS stack_trace,
        oi.string AS op_node_id
    FROM kernel_iteration_node kin
    JOIN view_aggregations va ON va.aggr_id = kin.aggr_id
    JOIN read_only_domains rod ON rod.id = kin.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN read_only_ops o ON o.id = kin.read_only_ops_id
    JOIN dictionary oi ON oi.id = o.op_id_id
    JOIN dictionary ty ON ty.id = o.op_type_id
    JOIN dictionary dt ON dt.id = o.data_type_id
    JOIN dictionary di ON di.id = o.direction_id;
CREATE VIEW view_key_op_name AS
    SELECT va.aggr_id AS aggr_id, kn.string AS key_op
    FROM iteration_key x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN dictionary kn ON kn.id = x.key_node_id;
CREATE VIEW view_domain_model_gpu_utilization AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        x.gpu_utilization AS gpu_utilization
    FROM model_summary x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id;
CREATE VIEW view_tc_utilization AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        x.tc_utilization AS tc_utilization
    FROM model_summary x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id;
CREATE VIEW view_performance_summary AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        x.wall_time AS wall_clock_time, x.tc_utilization AS tc_utilization,
        x.gpu_utilization AS gpu_utilization,
        x.iter_total AS total_iterations,
        x.iter_aggregated AS profiled_iterations, x.iter_start AS iter_start,
        x.iter_stop AS iter_stop, x.avg_iteration_time AS iter_avg,
        kn.string AS key_node
    FROM model_summary x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN dictionary kn ON kn.id = x.key_node_id;
CREATE VIEW view_op_summary AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        ct.gpu_time AS nodes_total_gpu_time, ct.count AS nodes_total_count,
        cu.gpu_time AS nodes_using_tc_gpu_time,
        cu.count AS nodes_using_tc_count,
        ce.gpu_time AS nodes_tc_eligible_gpu_time,
        ce.count AS nodes_tc_eligible_count,
        co.gpu_time AS nodes_other_gpu_time, co.count AS nodes_other_count
    FROM model_summary x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN category_summary ct ON ct.id = x.nodes_total_id
    JOIN category_summary cu ON cu.id = x.nodes_using_tc_id
    JOIN category_summary ce ON ce.id = x.nodes_tc_eligible_id
    JOIN category_summary co ON co.id = x.nodes_other_id;
CREATE VIEW view_kernel_summary AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        ct.gpu_time + cm.gpu_time AS total_gpu_time,
        ct.count + cm.count AS total_count, cu.gpu_time AS using_tc_gpu_time,
        cu.count AS using_tc_count, cm.gpu_time AS memory_gpu_time,
        cm.count AS memory_count, co.gpu_time AS other_gpu_time,
        co.count AS other_count
    FROM kernel_summary_metrics x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN memory_summary_metrics y ON y.domain_id = x.domain_id
        AND y.aggr_id = x.aggr_id
    JOIN category_summary ct ON ct.id = x.kernels_total_id
    JOIN category_summary cu ON cu.id = x.kernels_using_tc_id
    JOIN category_summary co ON co.id = x.kernels_non_tc_id
    JOIN category_summary cm ON cm.id = y.memory_time_id;
CREATE VIEW view_resource_usage_breakdown AS
    SELECT x.aggr_id AS aggr_id, dn.string AS domain_name,
        x.tc_duration_pct AS tc_duration_pct,
        x.non_tc_duration_pct AS non_tc_duration_pct,
        x.memory_duration_pct AS memory_duration_pct,
        x.dataloader_duration_pct AS dataloader_duration_pct,
        x.io_duration_pct AS io_duration_pct,
        x.cpu_duration_pct AS cpu_duration_pct,
        x.other_duration_pct AS other_duration_pct
    FROM model_summary x
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id;
CREATE VIEW view_gpu_devices AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        g.device_id AS device_id, g.gpu_name AS gpu_name,
        g.compute_capability_major AS cuda_major,
        g.compute_capability_minor AS cuda_minor, g.sm_count AS sm_count,
        x.gpu_utilization AS device_gpu_utilization
    FROM device_gpu_utilizations x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN read_only_gpu_infos g ON g.id = x.gpu_info_id;
CREATE VIEW view_op_nodes AS
    SELECT DISTINCT x.aggr_id AS aggr_id, dn.string AS domain_name,
        mg.sum AS gpu_time, mc.sum AS cpu_time, o.op_name AS op_node_name,
        di.string AS direction, ty.string AS op_node_type,
        x.num_calls AS num_calls, x.tc_eligible AS tc_eligible,
        x.using_tc AS using_tc, x.kernel_calls AS kernel_calls,
        x.is_bad_data_type AS is_bad_data_type, dt.string AS data_type,
        o.stack_trace AS stack_trace, o.op_id AS op_node_id
    FROM op_nodes x
    JOIN read_only_ops o ON o.id = x.read_only_ops_id
    JOIN read_only_domains rod ON rod.id = o.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN dictionary di ON di.id = o.direction_id
    JOIN dictionary ty ON ty.id = o.op_type_id
    JOIN dictionary dt ON dt.id = o.data_type_id
    JOIN node_time_metrics t ON t.id = x.node_time_metrics_id
    JOIN metric mc ON mc.id = t.cpu_time_metric_id
    JOIN metric mg ON mg.id = t.gpu_time_metric_id;
CREATE VIEW view_group_ops AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        row_type AS row_type, ni.string AS row_full_id,
        nm.string AS row_full_name,
        replace((CASE row_type WHEN 1 THEN substr(nm.string, 1,
        length(nm.string) - 1) ELSE nm.string END),
        rtrim((CASE row_type WHEN 1 THEN substr(nm.string, 1,
        length(nm.string) - 1) ELSE nm.string END),
        replace((CASE row_type WHEN 1 THEN substr(nm.string, 1,
        length(nm.string) - 1) ELSE nm.string END), '/', '')), '') AS row_trimmed_name,
        level, num_op_instances, num_supported_leaf_ops, num_tc_leaf_ops,
        mc.sum AS cpu_time_sum, mg.sum AS gpu_time_sum,
        mo.sum AS cpu_overhead_sum, mi.sum AS gpu_idle_sum
    FROM group_ops x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN dictionary nm ON nm.id = x.group_op_full_name_id
    JOIN dictionary ni ON ni.id = x.group_op_full_id_id
    JOIN node_time_metrics t ON t.id = x.group_op_time_metrics_id
    JOIN metric mc ON mc.id = t.cpu_time_metric_id
    JOIN metric mg ON mg.id = t.gpu_time_metric_id
    JOIN metric mo ON mo.id = t.cpu_overhead_time_metric_id
    JOIN metric mi ON mi.id = t.gpu_idle_time_metric_id;
CREATE VIEW view_kernel_summaries AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        oi.string AS op_node_id, ks.string AS kernel_name,
        x.uses_tc AS uses_tc, mg.count AS calls, mg.sum AS gpu_time,
        mg.avg AS avg, mg.min AS min, mg.max AS max
    FROM kernel_summaries x
    JOIN read_only_ops o ON o.id = x.read_only_ops_id
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = o.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN dictionary oi ON oi.id = o.op_id_id
    JOIN dictionary ks ON ks.id = x.kernel_name_id
    JOIN metric mg ON mg.id = x.gpu_time_metric_id;
CREATE VIEW view_op_type_summary AS
    SELECT va.aggr_id AS aggr_id, dn.string AS domain_name,
        ty.string AS op_node_type, x.num_nodes AS num_nodes,
        x.num_calls AS num_calls, mc.sum AS cpu_time_sum,
        mc.avg AS cpu_time_avg, mc.min AS cpu_time_min,
        mc.max AS cpu_time_max, mg.sum AS gpu_time_sum,
        mg.avg AS gpu_time_avg, mg.min AS gpu_time_min,
        mg.max AS gpu_time_max, mo.sum AS cpu_overhead_sum,
        mo.avg AS cpu_overhead_avg, mo.min AS cpu_overhead_min,
        mo.max AS cpu_overhead_max, mi.sum AS gpu_idle_sum,
        mi.avg AS gpu_idle_avg, mi.min AS gpu_idle_min, mi.max AS gpu_idle_max
    FROM op_type_metrics x
    JOIN view_aggregations va ON va.aggr_id = x.aggr_id
    JOIN read_only_domains rod ON rod.id = x.domain_id
    JOIN dictionary dn ON dn.id = rod.domain_name_id
    JOIN dictionary ty ON ty.id = x.op_node_type_id
    JOIN node_time_metrics t ON t.id = x.op_type_metrics_id
    JOIN metric mc ON mc.id = t.cpu_time_metric_id
    JOIN metric mg ON mg.id = t.gpu_time_metric_id
    JOIN metric mo ON mo.id = t.cpu_overhead_time_metric_id
    JOIN metric mi ON mi.id = t.gpu_idle_time_metric_id;
