/* The table of rules; see rule.h. DLProf's detectors come first, in the order
 * of its report. Sources of limits that are not DLProf's: the advice of the
 * TensorBoard profiler plugin (5 % data loading, 10 % communication, 90 %
 * memory); all others are our own choice. */
#include "rule.h"

#include <stddef.h>

/* clang-format off */
struct rule rules[] = {
	{ "amp_detector", true, 0, "ops", true, amp,
	  "ops could use Tensor Cores, and none has a half precision type" },
	{ "underutilized_gpu_detector", true, 50, "percent", true,
	  underutilized,
	  "kernels run less than this share of the time; with -D also unused"
	  " GPUs" },
	{ "imbalanced_gpu_detector", true, 10, "points", false, imbalanced,
	  "the GPUs' shares of busy time differ by more" },
	{ "dataloader_detector", true, 5, "percent", false, dataloader,
	  "a GPU waits longer for the data loader, or nothing of DALI is seen" },
	{ "bad_iteration_range_detector", true, 25, "percent", false, bad_range,
	  "the iterations' lengths deviate more" },
	{ "no_iterations_detector", true, 0, NULL, true, no_iterations,
	  "the key op is not found" },
	{ "cudnn_benchmark_detector", true, 0, NULL, true, cudnn_benchmark,
	  "torch.backends.cudnn.benchmark is off, and there are convolutions" },
	{ "batch_size_detector", true, 2, "times", false, batch_size,
	  "the memory in use would fit so often into that of the GPU" },
	{ "slow_api_detector", true, 0, NULL, true, slow_api,
	  "anomaly detection, gradcheck or the autograd profiler is on" },
	{ "emit_nvtx_detector", true, 0, NULL, true, no_emit_nvtx,
	  "PyTorch without emit_nvtx" },
	{ "bad_tensor_shape_detector", true, 0, "ops", true, bad_shape,
	  "TensorFlow: half precision ops do not use Tensor Cores" },
	{ "no_fusion_detector", true, 0, NULL, true, no_fusion,
	  "TensorFlow 1: nothing of XLA is seen" },

	{ "unused_gpus", false, 0, "GPUs", false, unused_gpus,
	  "visible GPUs on which nothing runs" },
	{ "sync_calls", false, 1, "calls per iteration", false, sync_calls,
	  "API calls that wait for the GPU" },
	{ "launch_bound", false, 30, "percent", false, launch_bound,
	  "idle time that dlp-gaps calls launch-bound, and kernels are shorter"
	  " than the time between two of them" },
	{ "exposed_comm", false, 10, "percent", false, exposed_comm,
	  "communication that no other kernel hides" },
	{ "tc_unused", false, 10, "percent", false, tc_unused,
	  "kernels that could use Tensor Cores and do not" },
	{ "tc_fp32", false, 5, "percent", false, tc_fp32,
	  "kernels of FP32 products that TF32 or AMP would speed up" },
	{ "tc_unaligned", false, 5, "percent", false, tc_unaligned,
	  "kernels of products whose sizes keep them off Tensor Cores, or slow" },
	{ "pageable_copies", false, 5, "percent", false, pageable_copies,
	  "the part of the GPU's work that copies pageable memory" },
	{ "alloc_calls", false, 0, "calls per iteration", false, alloc_calls,
	  "calls of the driver's allocators" },
	{ "few_blocks", false, 20, "percent", false, few_blocks,
	  "kernels in fewer blocks than the GPU has multiprocessors" },
	{ "loader_workers", false, 5, "percent", false, loader_workers,
	  "a GPU waits longer for a data loader without workers" },
	{ "memory_full", false, 90, "percent", false, memory_full,
	  "the peak of device memory" },
	{ "graph_level", false, 0, "percent", false, graph_level,
	  "time of CUDA graphs that were recorded as a whole" },
	{ "no_op", false, 10, "percent", false, no_op,
	  "kernels of which no op is known" },
	{ "profiler_cost", false, 5, "percent", false, profiler_cost,
	  "time that the profiler took for itself" },
	{ "lazy_loading", false, 5, "percent", false, lazy_loading,
	  "time in which CUDA loaded or compiled code" },
	{ "lost_events", false, 0, "messages", false, lost_events,
	  "the recorder says that it lost events" },
	{ NULL, false, 0, NULL, false, NULL, NULL },
};
/* clang-format on */
