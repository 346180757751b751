/* The tables of record types and columns; see cols.h. */
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"

#define PARSE "dlp-parse"
#define CORR "dlp-correlate"
#define ITER "dlp-iter"
#define FLOPS "dlp-flops"
#define AGG "dlp-agg"
#define RATE "dlp-rate"
#define BUSY "dlp-busy"
#define GAPS "dlp-gaps"
#define PHASES "dlp-phases"
#define SERVE "dlp-serve"
#define MEM "dlp-mem"
#define EXPOSE "dlp-expose"
#define LAUNCH "dlp-launch"
#define WAITS "dlp-waits"
#define TREE "dlp-tree"
#define ADVISE "dlp-advise"
#define MARKERS "dlp-markers"
#define NCU "dlp-ncu"
#define PYPROF "dlp-pyprof"
#define RANKS "dlp-ranks"
#define DIFF "dlp-diff"
#define OVERVIEW "dlp-overview"
#define MFU "dlp-mfu"
#define COVERAGE "dlp-coverage"
#define ENERGY "dlp-energy"
#define PATH "dlp-path"

/* Tables: a row stands as it reads best. */
/* clang-format off */
const struct type_def type_defs[] = {
	{ "rank", PARSE, "--ranks: a rank of the run" },
	{ "str", PARSE, "a long string, written before its first use; dlp-correlate adds "
	    "those to which a layer path refers (see dlp(7))" },
	{ "dev", PARSE, "a GPU" },
	{ "proc", PARSE, "a process with profiled work" },
	{ "thread", PARSE, "the name of a thread" },
	{ "range", PARSE, "an NVTX range, at its start" },
	{ "mark", PARSE, "an NVTX mark" },
	{ "call", PARSE, "a CUDA API call that launched no GPU work, or several"
			 " (a graph launch)" },
	{ "kern", PARSE, "a kernel, with the API call that launched it" },
	{ "copy", PARSE, "a memory copy, with its API call" },
	{ "set", PARSE, "a memory set, with its API call" },
	{ "sync", PARSE, "a synchronization record, with its API call" },
	{ "graph", PARSE, "a whole CUDA graph run, with its launch call" },
	{ "node", PARSE, "creation of a CUDA graph node" },
	{ "os", PARSE, "an operating system runtime call" },
	{ "lib", PARSE, "a cuDNN or cuBLAS API call" },
	{ "event", PARSE, "a CUDA event is recorded on a stream" },
	{ "mem", PARSE, "a GPU memory allocation or release" },
	{ "over", PARSE,
	    "time that the profiler took for itself, or that CUDA took "
	    "to load code or to wait for a full queue of launches" },
	{ "sample", PARSE, "what a thread of the CPU did at a moment" },
	{ "series", PARSE, "a value that was sampled: the energy that a GPU has "
	    "used" },
	{ "diag", PARSE, "a message of the profiler" },
	{ "op", CORR, "an op, before its first use" },
	{ "prim", CORR, "a product inside ops, before its first use" },
	{ "result", CORR,
	    "the size of a convolution's result, as soon as it is "
	    "known" },
	{ "inst", CORR, "one run of an op, when it closes" },
	{ "proj", CORR,
	    "a range's projection onto the GPU, when the range closes" },
	{ "rangekern", CORR, "a kernel under one of its enclosing ranges" },
	{ "nest", CORR, "--nested: a range inside the run of an op" },
	{ "iter", ITER, "an iteration" },
	{ "cut", ITER, "--cuts: an iteration begins, or is over" },
	{ "stable", ITER, "--stable: which iterations are even" },
	{ "cand", ITER, "--list: a possible key for iterations" },
	{ "diff", DIFF, "a difference between two runs" },
	{ "diffcell", DIFF, "--cells: a time that differences are made of" },
	{ "join", DIFF,
	    "a row of many compared runs, with a column for each run" },
	{ "busy", BUSY, "where the time of an iteration goes on a device" },
	{ "edge", BUSY,
	    "without steps: the time before or after all GPU work" },
	{ "gap", GAPS, "a time in which a device is idle" },
	{ "phase", PHASES, "the time that a phase takes in an iteration" },
	{ "serve", SERVE, "a step of an engine that serves a model" },
	{ "live", MEM, "an allocation that was in use at the peak" },
	{ "memrange", MEM, "memory use while ranges of one name are open" },
	{ "memtime", MEM, "--times: memory use in a part of the time" },
	{ "peak", MEM, "the most memory that a device had in use" },
	{ "xfer", EXPOSE, "a copy or set, and how much of it is exposed" },
	{ "wait", WAITS, "a time in which a thread waits" },
	{ "coll", RANKS, "a collective: its kernels on all ranks" },
	{ "arrive", RANKS, "a rank in a collective" },
	{ "comm", RANKS, "the communication of a rank in an iteration" },
	{ "skew", RANKS, "how far apart ranks are in an iteration" },
	{ "gpuwork", RATE, "--work: GPU work of any type, to be added up" },
	{ "agg", AGG, "a group with its statistics" },
	{ "group", TREE,
	    "a node in the tree of layers: a path with which op names "
	    "begin" },
	{ "finding", ADVISE, "a finding of the rules of dlp-advise" },
	{ "in_use", ADVISE, "what speeds a program up and it uses already" },
	{ "mfu", MFU, "an iteration: how well its products use the GPUs" },
	{ "energy", ENERGY, "the energy of a device in an op of an iteration, "
	    "or while it is idle" },
	{ "path", PATH, "a segment of the critical path" },
	{ "whatif", PATH, "--replay: a step, and what it would take" },
	{ "coverage", COVERAGE,
	    "what is known of the GPU time, or what is missing" },
	{ "overview", OVERVIEW,
	    "a whole profile: its steps, and where their time goes" },
	{ NULL, NULL, NULL },
};

#define ID(t) { t, "id", PARSE, COL_INT, "number, unique in the section" }
#define START_BY(by, t, h) { t, "start_ns", by, COL_INT, h }
#define DUR_BY(by, t, h) { t, "dur_ns", by, COL_INT, h }
#define START(t, h) START_BY(PARSE, t, h)
#define DUR(t, h) DUR_BY(PARSE, t, h)
#define PID(t) { t, "pid", PARSE, COL_INT, "process" }
#define TID(t) { t, "tid", PARSE, COL_INT, "thread" }

/* Columns that kernels, copies, sets, syncs and graph runs share. */
#define GPU_WORK(t)                                                            \
	ID(t),                                                                 \
	    START(t, "start on the GPU"),                                      \
	    DUR(t, "duration on the GPU; unset if the end lies before the"     \
		   " start"),                                                  \
	    PID(t),                                                            \
	    { t, "tid", PARSE, COL_INT, "thread of the API call" },            \
	    { t, "dev", PARSE, COL_INT, "device, as the file numbers it" },    \
	    { t, "ctx", PARSE, COL_INT, "CUDA context" },                      \
	    { t, "stream", PARSE, COL_INT, "CUDA stream" },                    \
	    { t, "corr", PARSE, COL_INT, "correlation id" },                   \
	    { t, "api", PARSE, COL_TEXT, "name of the API call" },             \
	    { t, "api_start_ns", PARSE, COL_INT, "start of the API call" },    \
	{                                                                      \
		t, "api_dur_ns", PARSE, COL_INT,                               \
		    "duration of the API call; unset if the call has a"        \
		    " record of its own (graph launches)"                      \
	}

/* Columns that correlation adds to GPU work and calls. */
#define OP_COLS(t)                                                             \
	{ t, "op_id", CORR, COL_INT, "the op it belongs to" },                 \
	    { t, "inst_id", CORR, COL_INT,                                     \
		"the run of the op; unset for unassociated work" },            \
	    { t, "op_start_ns", CORR, COL_INT, "CPU start of that run" },      \
	    { t, "mod", CORR, COL_TEXT, "module: torch.nn.functional, aten" }, \
	    { t, "op", CORR, COL_TEXT, "op type: conv2d" },                    \
	    { t, "dir", CORR, COL_TEXT, "fprop, bprop or comm" },                    \
	    { t, "seq", CORR, COL_INT, "autograd sequence id" },               \
	    { t, "altseq", CORR, COL_TEXT,                                     \
		"further sequence ids, comma separated" },                     \
	    { t, "sub", CORR, COL_INT,                                         \
		"number of the kernel among those of its sequence id" },       \
	    { t, "layer", CORR, COL_TEXT,                                      \
		"the program's ranges and layer: markers around the "          \
		"launch, outermost first, joined by /; then the modules of "   \
		"the call stack" },                                            \
	    { t, "phase", CORR, COL_TEXT,                                      \
		"the phase the launch belongs to: forward, backward,"          \
		" optimizer, ..." },                                           \
	    { t, "phase_by", CORR, COL_TEXT,                                   \
		"where the phase comes from: range, a range of the thread; "   \
		"graph, the capture of the graph; thread, a guess from the "   \
		"only other thread with an open phase" },                      \
	{                                                                      \
		t, "why", CORR, COL_TEXT,                                      \
		    "why the work belongs to no op; unset if it does"          \
	}

#define LAUNCH_COLS(t)                                                         \
	{ t, "queue_ns", LAUNCH, COL_INT,                                      \
	    "from the end of its API call to its start; negative if it "       \
	    "started before the call returned" },                              \
	{                                                                      \
		t, "n_queued", LAUNCH, COL_INT,                                \
		    "work that its device had not begun when its API call "    \
		    "began"                                                    \
	}

/* Columns that --rows adds. */
#define ROW(t)                                                                 \
	{                                                                      \
		t, "idx", PARSE, COL_INT,                                      \
		    "--rows: place in the file's table, from 1"                \
	}
#define NAME_NO(t)                                                             \
	{                                                                      \
		t, "name_no", PARSE, COL_INT,                                  \
		    "--rows: number of the call's name in the file"            \
	}

#define CODE(type)                                                             \
	{ type, "code", PARSE, COL_TEXT,                                       \
	    "the innermost place in the user's own code, if call stacks were"  \
	    " recorded: train.py:12 step, or main (a.out)" }
#define CALL_ROW(t)                                                            \
	NAME_NO(t),                                                            \
	    { t, "call_idx", PARSE, COL_INT, "--rows: the call's idx" },       \
	{                                                                      \
		t, "call_ret", PARSE, COL_INT,                                 \
		    "--rows: the call's return value"                          \
	}

#define ITER_COL(t) { t, "iter", ITER, COL_INT, "iteration, from 0" }

/* Columns of a path's metric, over the iterations in which it ran. */
#define TREE_STATS(x, h)                                                       \
	{ "group", "sum_" x "_ns", TREE, COL_INT, h },                         \
	    { "group", "mean_" x "_ns", TREE, COL_NUM,                         \
		"the same per iteration in which it ran" },                    \
	    { "group", "min_" x "_ns", TREE, COL_INT,                          \
		"in the iteration with the least" },                           \
	{                                                                      \
		"group", "max_" x "_ns", TREE, COL_INT,                        \
		    "in the iteration with the most"                           \
	}

const struct col_def col_defs[] = {
	{ "rank", "rank", PARSE, COL_INT, "number of the rank" },
	{ "rank", "src", PARSE, COL_TEXT, "its file" },
	{ "rank", "rank_by", PARSE, COL_TEXT,
	    "where the number comes from: profile, or name (the order "
	    "of the files' names)" },
	{ "rank", "clock_by", PARSE, COL_TEXT,
	    "how its clock is aligned: reference, collectives or utc; "
	    "unset if it is not aligned, or belongs to another run" },
	{ "rank", "shift_ns", PARSE, COL_INT, "how far its times were moved" },
	{ "rank", "n_coll", PARSE, COL_INT,
	    "collectives that were compared with those of the first rank" },
	{ "rank", "spread_ns", PARSE, COL_INT,
	    "half of these collectives ended within this time of one "
	    "another" },

	ID("str"),
	{ "str", "text", PARSE, COL_TEXT, "the string" },
	{ "str", "base", PARSE, COL_TEXT,
	    "--kernel-names: the kernel's short name as the file has it" },
	{ "str", "mangled", PARSE, COL_TEXT,
	    "--kernel-names: its mangled name" },

	{ "dev", "dev", PARSE, COL_INT, "device, as the file numbers it" },
	{ "dev", "name", PARSE, COL_TEXT, "product name" },
	{ "dev", "cc", PARSE, COL_TEXT, "compute capability, 9.0" },
	{ "dev", "n_sm", PARSE, COL_INT, "multiprocessors" },
	{ "dev", "clock_hz", PARSE, COL_INT, "highest SM clock" },
	{ "dev", "mem_bytes", PARSE, COL_INT, "memory size" },
	{ "dev", "membw_bytes_s", PARSE, COL_INT, "memory bandwidth" },
	{ "dev", "uuid", PARSE, COL_TEXT, "UUID" },
	{ "dev", "peaks", RATE, COL_TEXT,
	    "peak rates in TFLOP/s, by type of numbers, as --peak takes them" },
	{ "dev", "peak_gb_s", RATE, COL_NUM, "peak bandwidth of its memory" },

	{ "proc", "pid", PARSE, COL_INT, "process" },
	{ "proc", "name", PARSE, COL_TEXT, "name or command" },

	{ "thread", "pid", PARSE, COL_INT, "process" },
	{ "thread", "tid", PARSE, COL_INT, "thread" },
	{ "thread", "name", PARSE, COL_TEXT, "name" },
	{ "thread", "prio", PARSE, COL_INT, "--rows: priority of the name" },

	ID("range"),
	START("range", "start"),
	DUR("range", "duration; unset if it was never closed"),
	PID("range"),
	TID("range"),
	{ "range", "end_tid", PARSE, COL_INT,
	    "the thread that ended it, if that is another one" },
	{ "range", "domain", PARSE, COL_TEXT,
	    "NVTX domain; empty for the default domain" },
	{ "range", "mode", PARSE, COL_TEXT,
	    "push: push/pop range; start: start/end range" },
	{ "range", "text", PARSE, COL_TEXT, "text as the program gave it" },
	ROW("range"),

	ID("mark"),
	START("mark", "time"),
	PID("mark"),
	TID("mark"),
	{ "mark", "domain", PARSE, COL_TEXT, "NVTX domain" },
	{ "mark", "text", PARSE, COL_TEXT, "text" },

	ID("call"),
	START("call", "start on the CPU"),
	DUR("call", "duration on the CPU"),
	PID("call"),
	TID("call"),
	{ "call", "corr", PARSE, COL_INT, "correlation id" },
	{ "call", "api", PARSE, COL_TEXT, "name, with version suffix" },
	{ "call", "ret", PARSE, COL_INT, "return value, 0 is success" },
	{ "call", "n_gpu", PARSE, COL_INT,
	    "number of GPU activities it launched: 0, or at least 2" },
	ROW("call"),
	NAME_NO("call"),
	CODE("call"),

	GPU_WORK("kern"),
	{ "kern", "idx", PARSE, COL_INT,
	    "place in the file's kernel table, from 1" },
	{ "kern", "short", PARSE, COL_TEXT, "short, readable kernel name" },
	{ "kern", "name_id", PARSE, COL_STR, "full demangled name" },
	{ "kern", "grid", PARSE, COL_TEXT, "grid X,Y,Z" },
	{ "kern", "block", PARSE, COL_TEXT, "block X,Y,Z" },
	{ "kern", "regs", PARSE, COL_INT, "registers per thread" },
	{ "kern", "smem_bytes", PARSE, COL_INT, "static shared memory" },
	{ "kern", "dynsmem_bytes", PARSE, COL_INT, "dynamic shared memory" },
	{ "kern", "node", PARSE, COL_INT, "CUDA graph node" },
	CALL_ROW("kern"),
	CODE("kern"),
	{ "kern", "markers", MARKERS, COL_JSON,
	    "texts of the ranges around the launch, outermost first" },
	{ "kern", "marker_ns", MARKERS, COL_JSON,
	    "start and end of each range in markers" },
	{ "kern", "node_from", MARKERS, COL_JSON,
	    "for a graph's kernel: the node captured for it, the "
	    "thread that captured it, and when" },
	{ "kern", "loose_markers", MARKERS, COL_JSON,
	    "pid, tid, start, end and text of ranges that began after "
	    "the previous kernel and are not in markers" },
	{ "kern", "trace", PYPROF, COL_TEXT,
	    "call trace of the kernel's op, comma separated" },
	{ "kern", "ncu_tc", NCU, COL_YNU,
	    "measured: whether it executed matrix instructions" },
	{ "kern", "ncu_mma_inst", NCU, COL_INT,
	    "measured: matrix instructions, per warp" },
	{ "kern", "ncu_tensor_flop", NCU, COL_INT,
	    "measured: operations of the matrix units" },
	{ "kern", "ncu_dram_read_bytes", NCU, COL_INT,
	    "measured: bytes read from memory" },
	{ "kern", "ncu_dram_write_bytes", NCU, COL_INT,
	    "measured: bytes written to memory" },
	{ "kern", "ncu_l2_bytes", NCU, COL_INT,
	    "measured: bytes through the L2 cache" },
	{ "kern", "ncu_dur_ns", NCU, COL_INT,
	    "measured: duration under the profiler" },

	GPU_WORK("copy"),
	{ "copy", "kind", PARSE, COL_TEXT, "HtoD, DtoH, DtoD, PtoP, ..." },
	{ "copy", "bytes", PARSE, COL_INT, "size" },
	{ "copy", "src_mem", PARSE, COL_TEXT, "pageable, pinned, device, ..." },
	{ "copy", "dst_mem", PARSE, COL_TEXT, "pageable, pinned, device, ..." },
	{ "copy", "node", PARSE, COL_INT, "CUDA graph node" },
	ROW("copy"),
	CALL_ROW("copy"),
	CODE("copy"),

	GPU_WORK("set"),
	{ "set", "bytes", PARSE, COL_INT, "size" },
	{ "set", "value", PARSE, COL_INT, "the value written" },
	{ "set", "mem", PARSE, COL_TEXT, "pageable, pinned, device, ..." },
	{ "set", "node", PARSE, COL_INT, "CUDA graph node" },
	ROW("set"),
	CALL_ROW("set"),
	CODE("set"),

	GPU_WORK("sync"),
	{ "sync", "kind", PARSE, COL_TEXT,
	    "event, stream-wait-event, stream, context or unknown" },
	{ "sync", "event", PARSE, COL_INT, "CUDA event" },
	CALL_ROW("sync"),
	CODE("sync"),

	GPU_WORK("graph"),
	{ "graph", "short", PARSE, COL_TEXT,
	    "[CUDA graph], in the place of a kernel's name" },
	{ "graph", "graph", PARSE, COL_INT, "CUDA graph" },
	{ "graph", "exec", PARSE, COL_INT, "executable graph" },
	CALL_ROW("graph"),
	CODE("graph"),

	ID("node"),
	START("node", "time of creation"),
	PID("node"),
	TID("node"),
	{ "node", "node", PARSE, COL_INT, "the node" },
	{ "node", "orig", PARSE, COL_INT, "the node it was made from" },

	ID("os"),
	START("os", "start"),
	DUR("os", "duration"),
	PID("os"),
	TID("os"),
	{ "os", "name", PARSE, COL_TEXT, "function" },
	NAME_NO("os"),
	CODE("os"),

	ID("lib"),
	START("lib", "start"),
	DUR("lib", "duration"),
	PID("lib"),
	TID("lib"),
	{ "lib", "lib", PARSE, COL_TEXT, "cudnn or cublas" },
	{ "lib", "name", PARSE, COL_TEXT, "function" },

	ID("event"),
	START("event", "start of the API call that records it"),
	PID("event"),
	TID("event"),
	{ "event", "dev", PARSE, COL_INT, "device" },
	{ "event", "ctx", PARSE, COL_INT, "CUDA context" },
	{ "event", "stream", PARSE, COL_INT,
	    "the stream: the event is over when the work that was launched "
	    "there before is" },
	{ "event", "corr", PARSE, COL_INT, "correlation id" },
	{ "event", "event", PARSE, COL_INT,
	    "CUDA event, as the sync records of waits for it have it; it can "
	    "be recorded again" },

	ID("mem"),
	START("mem", "time"),
	PID("mem"),
	{ "mem", "dev", PARSE, COL_INT, "device" },
	{ "mem", "op", PARSE, COL_TEXT, "alloc or free" },
	{ "mem", "bytes", PARSE, COL_INT, "size" },
	{ "mem", "addr", PARSE, COL_INT, "address" },
	{ "mem", "kind", PARSE, COL_TEXT, "pageable, pinned, device, ..." },
	{ "mem", "corr", PARSE, COL_INT, "correlation id" },
	{ "mem", "pool", PARSE, COL_INT, "address of the memory pool" },
	{ "mem", "pool_bytes", PARSE, COL_INT,
	    "bytes that the pool has reserved" },
	{ "mem", "allocated_bytes", PARSE, COL_INT,
	    "bytes that the program's allocator has given out" },
	{ "mem", "tid", PARSE, COL_INT,
	    "thread that called the program's allocator" },
	{ "mem", "phase", CORR, COL_TEXT,
	    "phase of the thread, or, by dlp-mem, of the API call" },
	{ "mem", "layer", CORR, COL_TEXT, "layer, likewise" },
	{ "mem", "at", CORR, COL_TEXT, "type of the op, likewise" },
	{ "mem", "space", MEM, COL_TEXT, "device or host" },
	{ "mem", "used_bytes", MEM, COL_INT,
	    "bytes in use in that space afterwards, as far as known" },
	{ "mem", "api", MEM, COL_TEXT, "its API call" },

	ID("over"),
	START("over", "start"),
	DUR("over", "duration"),
	PID("over"),
	TID("over"),
	{ "over", "name", PARSE, COL_TEXT,
	    "what was done, by the profiler or by CUDA" },

	ID("sample"),
	START("sample", "time"),
	PID("sample"),
	TID("sample"),
	{ "sample", "kind", PARSE, COL_TEXT,
	    "cpu: native frames; python: those of Python" },
	{ "sample", "stack_id", PARSE, COL_STR,
	    "its frames, the outermost first, joined by semicolons" },
	CODE("sample"),
	{ "sample", "dur_ns", PARSE, COL_INT,
	    "how long the thread was at this stack; only of traces of"
	    " torch.profiler (--python)" },

	ID("series"),
	START("series", "time"),
	{ "series", "dev", PARSE, COL_INT, "device" },
	{ "series", "name", PARSE, COL_TEXT,
	    "energy: what the device has used since some moment" },
	{ "series", "value", PARSE, COL_INT, "the value" },
	{ "series", "unit", PARSE, COL_TEXT, "of the value: mJ" },

	ID("diag"),
	START("diag", "time"),
	{ "diag", "severity", PARSE, COL_TEXT, "info, warning or error" },
	{ "diag", "text", PARSE, COL_TEXT, "message" },

	{ "op", "op_id", CORR, COL_INT, "the op's number in the section" },
	{ "op", "key", CORR, COL_TEXT,
	    "the same in every run: name, direction and input shapes" },
	{ "op", "name", CORR, COL_TEXT, "layer path and op type, joined by /" },
	{ "op", "mod", CORR, COL_TEXT, "module: torch.nn.functional, aten" },
	{ "op", "op", CORR, COL_TEXT, "op type: conv2d" },
	{ "op", "dir", CORR, COL_TEXT, "fprop, bprop or comm" },
	{ "op", "layer", CORR, COL_TEXT, "layer path" },
	{ "op", "by", CORR, COL_TEXT,
	    "who wrote the range: pytorch, pyprof, dlprof, tensorflow, "
	    "tensorrt, xla, nccl; api: named after a call or work" },
	{ "op", "text", CORR, COL_TEXT,
	    "framework name of the range: aten::conv2d, AddmmBackward0" },
	{ "op", "dtype", CORR, COL_TEXT,
	    "type of the first tensor argument, as the marker has it; for "
	    "communication: of what it moves" },
	{ "op", "shapes", CORR, COL_JSON,
	    "sizes of the inputs, [[64,3,32,32],[6,3,5,5],[]]" },
	{ "op", "args", CORR, COL_JSON, "arguments of a PyProf marker" },
	{ "op", "bwd_shapes", CORR, COL_JSON,
	    "for a backward op: sizes of the inputs in its own range, "
	    "gradients first" },
	{ "op", "fwd_op_id", CORR, COL_INT,
	    "for a backward op: its forward op" },
	{ "op", "stack", CORR, COL_TEXT,
	    "call trace, file:line, outermost first, comma separated" },
	{ "op", "trace", CORR, COL_TEXT,
	    "the same without PyTorch's own frames, as PyProf prints "
	    "it" },
	{ "op", "repr", CORR, COL_TEXT,
	    "how a recurrent module describes itself: 10, 20" },
	{ "op", "for_op_id", CORR, COL_INT,
	    "for communication: the op that launched it" },
	{ "op", "dl_id", CORR, COL_TEXT, "--dlprof: DLProf's Op ID, CONV2D_1" },
	{ "op", "dl_in", CORR, COL_TEXT,
	    "--dlprof: input shapes, <N:32, K:400>; <M:120, K:400>; <120>" },
	{ "op", "dl_out", CORR, COL_TEXT, "--dlprof: output shapes" },
	{ "op", "dl_tc", CORR, COL_TEXT,
	    "--dlprof: yes or no, whether its type can use Tensor "
	    "Cores" },
	{ "op", "group", CORR, COL_TEXT,
	    "for communication: its process group; this column and the next "
	    "five are only there if the trace tells groups" },
	{ "op", "group_desc", CORR, COL_TEXT, "what the group is for" },
	{ "op", "group_size", CORR, COL_INT, "GPUs in the group" },
	{ "op", "group_ranks", CORR, COL_TEXT,
	    "its ranks, as the trace has them, which cuts long lists" },
	{ "op", "in_split", CORR, COL_TEXT, "elements sent to each rank" },
	{ "op", "out_split", CORR, COL_TEXT, "elements got from each rank" },

	{ "prim", "prim_id", CORR, COL_INT, "its number in the section" },
	{ "prim", "op", CORR, COL_TEXT,
	    "the function that the framework called: mm, "
	    "convolution_backward" },
	{ "prim", "shapes", CORR, COL_JSON, "sizes of its inputs" },
	{ "prim", "causal", CORR, COL_INT,
	    "1 for attention that a trace says has a causal mask" },

	{ "result", "prim_run", CORR, COL_INT,
	    "the run of a product, as on kern" },
	{ "result", "shape", CORR, COL_JSON, "[64,6,28,28]" },

	{ "inst", "inst_id", CORR, COL_INT, "the run's number" },
	{ "inst", "op_id", CORR, COL_INT, "its op" },
	{ "inst", "start_ns", CORR, COL_INT, "start on the CPU" },
	{ "inst", "dur_ns", CORR, COL_INT,
	    "CPU time; unset for replays of a captured op, and for "
	    "communication" },
	{ "inst", "pid", CORR, COL_INT, "process" },
	{ "inst", "tid", CORR, COL_INT, "thread" },
	{ "inst", "gpu_start_ns", CORR, COL_INT, "first start on the GPU" },
	{ "inst", "gpu_end_ns", CORR, COL_INT, "last end on the GPU" },
	{ "inst", "gpu_ns", CORR, COL_INT,
	    "union of its kernels, copies and sets, summed over the devices" },
	{ "inst", "overhead_ns", CORR, COL_INT,
	    "CPU time minus the union of its API calls" },
	{ "inst", "idle_ns", CORR, COL_INT,
	    "time from gpu_start_ns to gpu_end_ns minus the time in "
	    "which any device worked; 0 without GPU work" },
	{ "inst", "api_ns", CORR, COL_INT, "union of its API calls" },
	{ "inst", "n_kern", CORR, COL_INT, "kernels" },
	{ "inst", "n_gpu", CORR, COL_INT, "kernels, copies and sets" },
	{ "inst", "n_call", CORR, COL_INT, "API calls" },
	{ "inst", "op", CORR, COL_TEXT, "op type" },
	{ "inst", "dir", CORR, COL_TEXT, "fprop, bprop or comm" },
	{ "inst", "seq", CORR, COL_INT, "autograd sequence id" },
	{ "inst", "fwd_inst_id", CORR, COL_INT,
	    "for a backward op: the forward run" },
	{ "inst", "layer", CORR, COL_TEXT, "layer path" },
	{ "inst", "phase", CORR, COL_TEXT, "phase" },
	{ "inst", "launch_id", CORR, COL_INT,
	    "for the replay of a graph: its launch" },

	{ "range", "level", CORR, COL_INT,
	    "number of ranges open around it on its thread" },
	{ "range", "layer", CORR, COL_TEXT, "the program's ranges around it" },
	{ "range", "phase", CORR, COL_TEXT,
	    "the phase that it, or the outermost range around it, "
	    "names" },

	{ "proj", "range_id", CORR, COL_INT, "the range" },
	{ "proj", "start_ns", CORR, COL_INT, "start on the CPU" },
	{ "proj", "dur_ns", CORR, COL_INT, "duration on the CPU" },
	{ "proj", "pid", CORR, COL_INT, "process" },
	{ "proj", "tid", CORR, COL_INT, "thread" },
	{ "proj", "domain", CORR, COL_TEXT, "NVTX domain" },
	{ "proj", "mode", CORR, COL_TEXT, "push or start" },
	{ "proj", "text", CORR, COL_TEXT, "text of the range" },
	{ "proj", "gpu_start_ns", CORR, COL_INT, "first start on the GPU" },
	{ "proj", "gpu_end_ns", CORR, COL_INT, "last end on the GPU" },
	{ "proj", "gpu_ns", CORR, COL_INT, "union of the GPU work" },
	{ "proj", "n_gpu", CORR, COL_INT, "GPU activities" },
	{ "proj", "level", CORR, COL_INT, "ranges open around it" },
	{ "proj", "n_child", CORR, COL_INT,
	    "ranges directly inside that have GPU work" },
	{ "proj", "parent_id", CORR, COL_INT, "the range around it" },

	{ "rangekern", "range_id", CORR, COL_INT, "the range" },
	{ "rangekern", "kern_id", CORR, COL_INT, "the kernel" },

	{ "nest", "start_ns", CORR, COL_INT, "start" },
	{ "nest", "dur_ns", CORR, COL_INT, "duration" },
	{ "nest", "pid", CORR, COL_INT, "process" },
	{ "nest", "tid", CORR, COL_INT, "thread" },
	{ "nest", "level", CORR, COL_INT, "ranges open around it" },
	{ "nest", "text", CORR, COL_TEXT, "its text, without sizes and numbers" },

	OP_COLS("kern"),
	{ "kern", "prim_id", CORR, COL_INT,
	    "the product inside the op that launched it, if it has "
	    "sizes of its own" },
	{ "kern", "prim_run", CORR, COL_INT, "the run of that product" },
	{ "kern", "for_mod", CORR, COL_TEXT,
	    "for communication: module of the op that launched it" },
	{ "kern", "for_op", CORR, COL_TEXT,
	    "for communication: type of the op that launched it; unset "
	    "without one" },
	{ "kern", "for_dir", CORR, COL_TEXT,
	    "for communication: direction of the op that launched it" },
	{ "kern", "captured", CORR, COL_YNU,
	    "for kernels of CUDA graphs: whether the capture is in the "
	    "profile" },
	LAUNCH_COLS("kern"),
	OP_COLS("copy"),
	LAUNCH_COLS("copy"),
	OP_COLS("set"),
	LAUNCH_COLS("set"),
	OP_COLS("sync"),
	OP_COLS("graph"),
	LAUNCH_COLS("graph"),
	OP_COLS("call"),

	{ "iter", "iter", ITER, COL_INT, "iteration, from 0" },
	{ "iter", "key", ITER, COL_TEXT,
	    "the text of the range, or the op, that makes it" },
	{ "iter", "start_ns", ITER, COL_INT, "start on the CPU" },
	{ "iter", "dur_ns", ITER, COL_INT, "length on the CPU" },
	{ "iter", "gpu_start_ns", ITER, COL_INT, "first start on the GPU" },
	{ "iter", "gpu_end_ns", ITER, COL_INT, "last end on the GPU" },
	{ "iter", "gpu_ns", ITER, COL_INT,
	    "union of its kernels, copies, sets and graph runs on all "
	    "devices" },
	{ "iter", "step_ns", ITER, COL_INT,
	    "length of the step: from where the previous step is over "
	    "(for the first: from its own start) until this one has "
	    "ended on the CPU and on the GPU and the next one begins; "
	    "so steps add up" },
	{ "iter", "kern_ns", ITER, COL_INT, "sum of the kernels' durations" },
	{ "iter", "n_kern", ITER, COL_INT, "kernels" },
	{ "iter", "n_op", ITER, COL_INT, "runs of ops" },
	{ "iter", "dev_pct", ITER, COL_NUM,
	    "--list: how far step_ns is from the median" },
	{ "iter", "stable", ITER, COL_YNU,
	    "--list: whether it lies in the stable range" },
	{ "iter", "tc_ns", BUSY, COL_INT,
	    "--iters: time of step_ns in which the devices ran kernels on "
	    "Tensor Cores; unset if that is not known, or nothing ran" },
	{ "iter", "comm_ns", BUSY, COL_INT,
	    "the same of communication that no other kernel hides" },
	{ "iter", "other_kern_ns", BUSY, COL_INT, "of other kernels" },
	{ "iter", "graph_ns", BUSY, COL_INT, "of graphs recorded as a whole" },
	{ "iter", "mem_ns", BUSY, COL_INT, "of copies and sets" },
	{ "iter", "idle_ns", BUSY, COL_INT, "of nothing of these" },
	{ "cut", "iter", ITER, COL_INT,
	    "the iteration; unset: none, or one that was not asked for" },
	{ "cut", "dropped", ITER, COL_INT,
	    "--iter-start, --iter-stop, --even: the iteration that is left"
	    " out" },
	{ "cut", "start_ns", ITER, COL_INT,
	    "where it begins; unset: at the beginning of the profile" },
	{ "stable", "n", ITER, COL_INT, "iterations" },
	{ "stable", "from", ITER, COL_INT,
	    "first iteration of the stable range: the most consecutive "
	    "ones whose step_ns is near the median (the later ones, if "
	    "two are as long); unset if there is none" },
	{ "stable", "to", ITER, COL_INT, "its last iteration" },
	{ "stable", "n_even", ITER, COL_INT, "number of its iterations" },
	{ "stable", "median_ns", ITER, COL_INT, "median step_ns of all" },
	{ "stable", "mean_ns", ITER, COL_INT,
	    "mean step_ns of the stable range; of all iterations if "
	    "there is none" },
	{ "stable", "std_ns", ITER, COL_INT,
	    "standard deviation of a sample, over the same iterations" },
	{ "stable", "within_pct", ITER, COL_INT,
	    "how near to the median, in percent of it" },
	{ "stable", "agree", ITER, COL_TEXT,
	    "what the steps of the range are near: median; each other, if no"
	    " two in a row are near the median; none: it is a single step, or"
	    " there is none" },
	{ "stable", "n_once", ITER, COL_INT,
	    "iterations left out first, because they load code or allocate" },
	{ "stable", "n_slow", ITER, COL_INT,
	    "slow iterations: from the first even one on, without those left"
	    " out, all with a step_ns of more than 1.5 times the median" },
	{ "stable", "slow_ns", ITER, COL_INT,
	    "the time by which they exceed the median, together" },
	{ "stable", "slow_of_ns", ITER, COL_INT,
	    "step_ns of all iterations from the first even one on, without"
	    " those left out; unset if none is even" },
	{ "stable", "slowest", ITER, COL_INT,
	    "the longest slow iteration; unset: none is slow" },
	{ "cand", "kind", ITER, COL_TEXT,
	    "range or op; one: without a key, one iteration" },
	{ "cand", "key", ITER, COL_TEXT,
	    "the range's text without its number, or the op's name" },
	{ "cand", "op_id", ITER, COL_INT, "the op" },
	{ "cand", "dir", ITER, COL_TEXT, "fprop or bprop" },
	{ "cand", "n", ITER, COL_INT,
	    "how often it occurs on the thread where it occurs most; "
	    "with -k: number of iterations" },
	{ "cand", "coverage_pct", ITER, COL_NUM,
	    "share of the profile's time that its lengths cover" },
	{ "cand", "mean_ns", ITER, COL_INT,
	    "mean length: of the range, or from one end of the op to the"
	    " next" },
	{ "cand", "var_pct", ITER, COL_NUM,
	    "standard deviation of a sample of the lengths, in percent "
	    "of their mean; unset for fewer than two" },
	{ "cand", "score", ITER, COL_NUM, "coverage / (1 + variation)" },
	{ "cand", "iter_start", ITER, COL_INT,
	    "with -k: first iteration of the stable range" },
	{ "cand", "iter_stop", ITER, COL_INT, "with -k: its last one" },
	ITER_COL("inst"),
	ITER_COL("kern"),
	ITER_COL("copy"),
	ITER_COL("set"),
	ITER_COL("sync"),
	ITER_COL("graph"),
	ITER_COL("call"),
	ITER_COL("range"),
	ITER_COL("proj"),
	ITER_COL("mark"),
	ITER_COL("sample"),
	ITER_COL("os"),
	ITER_COL("lib"),
	ITER_COL("mem"),
	ITER_COL("over"),

	{ "copy", "flop", FLOPS, COL_INT, "always 0" },
	{ "copy", "family", FLOPS, COL_TEXT, "memory" },
	{ "copy", "prim", FLOPS, COL_TEXT, "its op, or copy" },
	{ "set", "flop", FLOPS, COL_INT, "0" },
	{ "set", "family", FLOPS, COL_TEXT, "memory" },
	{ "set", "prim", FLOPS, COL_TEXT, "its op, or memset" },
	{ "graph", "prim", FLOPS, COL_TEXT, "its op, or graph" },
	{ "diff", "what", DIFF, COL_TEXT,
	    "totals: step, busy, idle, work, tc; then row or iter; rest: the"
	    " rows that are not shown" },
	{ "diff", "by", DIFF, COL_TEXT,
	    "how the rows of A and B were matched: key, name or type; "
	    "unset if there is no partner" },
	{ "diff", "name", DIFF, COL_TEXT, "op, kernel, layer, ..." },
	{ "diff", "dir", DIFF, COL_TEXT, "fprop, bprop or comm" },
	{ "diff", "shapes", DIFF, COL_TEXT, "input shapes" },
	{ "diff", "type", DIFF, COL_TEXT, "op type" },
	{ "diff", "a_ns", DIFF, COL_NUM, "time per step of A" },
	{ "diff", "b_ns", DIFF, COL_NUM, "time per step of B" },
	{ "diff", "diff_ns", DIFF, COL_NUM, "b_ns minus a_ns" },
	{ "diff", "diff_pct", DIFF, COL_NUM, "diff_ns, in percent of a_ns" },
	{ "diff", "noise_ns", DIFF, COL_NUM,
	    "the difference that can be due to chance; unset if one "
	    "side has a single step" },
	{ "diff", "change", DIFF, COL_TEXT,
	    "slower, faster, noise, few-steps, same, new or gone; for"
	    " totals: more or less" },
	{ "diff", "a_n", DIFF, COL_NUM,
	    "number of pieces of work per step of A; for step, busy "
	    "and idle: number of steps" },
	{ "diff", "b_n", DIFF, COL_NUM, "the same for B" },
	{ "diff", "a_flop", DIFF, COL_NUM, "FLOPs per step of A" },
	{ "diff", "b_flop", DIFF, COL_NUM, "FLOPs per step of B" },
	{ "diff", "a_tc", DIFF, COL_YNU,
	    "whether A's kernels use Tensor Cores" },
	{ "diff", "b_tc", DIFF, COL_YNU, "whether B's do" },
	{ "diff", "tc", DIFF, COL_TEXT,
	    "a_tc and b_tc in one: yes or no if they agree, otherwise as in "
	    "no->yes" },

	{ "diffcell", "what", DIFF, COL_TEXT, "step, busy, work, tc or row" },
	{ "diffcell", "side", DIFF, COL_TEXT, "A or B" },
	{ "diffcell", "run", DIFF, COL_INT, "number of the run of that side" },
	{ "diffcell", "iter", DIFF, COL_INT, "iteration" },
	{ "diffcell", "even", DIFF, COL_INT,
	    "1: the diff records count this step" },
	{ "diffcell", "row", DIFF, COL_INT, "number of the row" },
	{ "diffcell", "name", DIFF, COL_TEXT, "as in diff" },
	{ "diffcell", "dir", DIFF, COL_TEXT, "as in diff" },
	{ "diffcell", "shapes", DIFF, COL_TEXT, "as in diff" },
	{ "diffcell", "type", DIFF, COL_TEXT, "as in diff" },
	{ "diffcell", "dur_ns", DIFF, COL_INT, "its time in the step" },
	{ "diffcell", "calls", DIFF, COL_INT, "its runs in the step" },
	{ "diffcell", "tc", DIFF, COL_INT,
	    "of its kernels: the sum of 1 if some use Tensor Cores, 2 if some "
	    "do not, 4 if that is unknown of some" },
	{ "join", "name", DIFF, COL_TEXT, "op, kernel, layer, ..." },
	{ "join", "dir", DIFF, COL_TEXT, "fprop, bprop or comm" },
	{ "join", "shapes", DIFF, COL_TEXT, "input shapes" },

	{ "busy", "iter", BUSY, COL_INT, "iteration; unset: none" },
	{ "busy", "dev", BUSY, COL_INT, "device" },
	{ "busy", "class", BUSY, COL_TEXT,
	    "tc: kernels that use Tensor Cores, kern: other kernels, graph:"
	    " graphs recorded as a whole, comm: communication, mem: copies and"
	    " sets, dataload, io, cpu: ops and API calls, other" },
	{ "busy", "dur_ns", BUSY, COL_INT,
	    "time in which the class is active and none of the classes "
	    "before it is, so that the sum over the classes is the "
	    "iteration's length; unset for tc if kernels have no "
	    "column tc" },
	{ "busy", "union_ns", BUSY, COL_INT,
	    "time in which the class is active; unset like dur_ns" },
	{ "busy", "after", BUSY, COL_INT,
	    "for time in no iteration: the iteration before it; unset "
	    "if there is none, or if all work of the iterations has "
	    "ended" },

	{ "edge", "at", BUSY, COL_TEXT,
	    "before: before the first work on a GPU; behind: after the "
	    "last" },
	{ "edge", "dur_ns", BUSY, COL_INT,
	    "from the first event to that work, or from that work to "
	    "the last event" },
	{ "edge", "api", BUSY, COL_TEXT,
	    "the longest API call that began before the first work" },
	{ "edge", "api_dur_ns", BUSY, COL_INT,
	    "the part of its duration before that work began" },

	{ "kern", "params", FLOPS, COL_TEXT,
	    "shapes and types as PyProf prints them" },
	{ "kern", "flop", FLOPS, COL_INT,
	    "floating-point operations, 2 per multiply-add" },
	{ "kern", "bytes", FLOPS, COL_INT,
	    "bytes of the inputs and of the result, each once" },
	{ "kern", "dtype", FLOPS, COL_TEXT, "number type of the arithmetic" },
	{ "kern", "family", FLOPS, COL_TEXT,
	    "family of the op's rule: gemm, conv, pointwise, ..." },
	{ "kern", "role", FLOPS, COL_TEXT,
	    "main, dgrad, wgrad: has the op's FLOPs; part: does a part "
	    "of the same work; bias; aux: copies or sums up parts; "
	    "pyprof: numbers of dlp-pyprof" },
	{ "kern", "tc", FLOPS, COL_YNU, "whether it used Tensor Cores" },
	{ "kern", "tc_rule", FLOPS, COL_TEXT,
	    "the rule on kernel names that decided tc" },
	{ "kern", "tc_eligible", FLOPS, COL_YNU,
	    "whether its work could use Tensor Cores" },
	{ "kern", "tc_why", FLOPS, COL_TEXT,
	    "why it did not use them, or slowly; see dlp-tc(1)" },
	{ "kern", "lacks", FLOPS, COL_TEXT,
	    "what is unknown: op, shapes, flop, capture, comma separated" },
	{ "kern", "causal_flop", FLOPS, COL_INT,
	    "for a fused attention with a causal mask: the part of "
	    "flop that the mask leaves" },
	{ "kern", "bus_bytes", FLOPS, COL_INT,
	    "for a collective: the bytes that go over each GPU's link, "
	    "as nccl-tests counts for its bus bandwidth" },
	{ "kern", "prim", FLOPS, COL_TEXT,
	    "what it is inside its op: a product with its sizes, a kernel "
	    "of a compiler, otherwise the op" },
	{ "kern", "est_flop", FLOPS, COL_INT,
	    "for a kernel of Inductor: an estimate of its operations" },
	{ "kern", "est_bytes", FLOPS, COL_INT,
	    "for a kernel of Inductor: an estimate of its bytes" },
	{ "kern", "line", FLOPS, COL_TEXT,
	    "line of the program, FILE:LINE, by a compiler's file" },

	{ "kern", "tflops", RATE, COL_NUM, "achieved TFLOP/s" },
	{ "kern", "gb_s", RATE, COL_NUM, "achieved GB/s" },
	{ "kern", "ai", RATE, COL_NUM, "arithmetic intensity, FLOPs per byte" },
	{ "kern", "peak_tflops", RATE, COL_NUM,
	    "the device's peak for the number type, in TFLOP/s" },
	{ "kern", "peak_pct", RATE, COL_NUM,
	    "tflops, in percent of peak_tflops" },
	{ "kern", "bound", RATE, COL_TEXT,
	    "what limits it on this device: compute, memory or unknown; "
	    "unset for communication" },
	{ "kern", "bound_pct", RATE, COL_NUM,
	    "how close it comes to that limit" },
	{ "kern", "peak_ns", RATE, COL_NUM,
	    "the time that the FLOPs take at the peak" },
	{ "kern", "roof_ns", RATE, COL_NUM,
	    "the least time that FLOPs and bytes take" },
	{ "kern", "exec_flop", RATE, COL_INT,
	    "the FLOPs that rates use: causal_flop if known, otherwise "
	    "flop" },
	{ "kern", "flop_ns", RATE, COL_INT,
	    "dur_ns if the FLOPs are known, otherwise 0" },
	{ "kern", "bytes_ns", RATE, COL_INT,
	    "dur_ns if the bytes are known, also if another kernel has "
	    "them, otherwise 0" },

	{ "finding", "id", ADVISE, COL_TEXT,
	    "the rule: amp_detector, dataloader_detector, ..." },
	{ "finding", "judged", ADVISE, COL_TEXT,
	    "yes, no or not judged; stored: DLProf found it, and it is "
	    "in DLProf's database" },
	{ "finding", "problem", ADVISE, COL_TEXT, "what is wrong" },
	{ "finding", "recommendation", ADVISE, COL_TEXT, "what to do" },
	{ "finding", "value", ADVISE, COL_TEXT, "the value judged" },
	{ "finding", "threshold", ADVISE, COL_TEXT, "its threshold" },
	{ "finding", "threshold_by", ADVISE, COL_TEXT, "dlprof or ours" },
	{ "finding", "missing", ADVISE, COL_TEXT,
	    "the missing input, if it cannot be judged" },
	{ "finding", "evidence", ADVISE, COL_TEXT, "the rows that show it" },
	{ "finding", "unit", ADVISE, COL_TEXT,
	    "unit of the value and its threshold" },
	{ "finding", "by", ADVISE, COL_TEXT,
	    "whose rule it is: dlprof or ours" },
	{ "finding", "share_pct", ADVISE, COL_NUM,
	    "the part of the GPUs' time that it affects, and so the "
	    "most that can be gained; unset if unknown" },
	{ "finding", "part_of", ADVISE, COL_TEXT,
	    "another finding about the same time, which is listed "
	    "first" },
	{ "finding", "where", ADVISE, COL_TEXT,
	    "the records that show it, as a filter: VIEW KEY=VALUE...; see"
	    " dlp-advise(1)" },
	{ "finding", "ceiling_ns", ADVISE, COL_INT,
	    "time of the GPUs in the steps that it affects: the most that can"
	    " be gained; unset if unknown" },
	{ "finding", "steps", ADVISE, COL_TEXT,
	    "the steps that were judged: N or N-M; unset without steps" },
	{ "finding", "version", ADVISE, COL_INT,
	    "version of the rule; rises when it judges differently" },

	{ "in_use", "name", ADVISE, COL_TEXT,
	    "compiled, graphs, foreach, fused, channels_last, sdpa or tf32" },
	{ "in_use", "used", ADVISE, COL_YNU,
	    "whether the program uses it; unset if it has nothing to use it"
	    " for, or nothing tells" },

	{ "mfu", "iter", MFU, COL_INT, "iteration" },
	{ "mfu", "key", MFU, COL_TEXT, "what cut it: range text or op" },
	{ "mfu", "mfu_pct", MFU, COL_NUM,
	    "the time that model_flop takes at the peaks of its types, of step_ns"
	    " on all devices that worked" },
	{ "mfu", "hfu_pct", MFU, COL_NUM, "the same of exec_flop" },
	{ "mfu", "step_ns", MFU, COL_INT, "time of the step, from iter" },
	{ "mfu", "cpu_ns", MFU, COL_INT, "its time on the CPU, iter's dur_ns" },
	{ "mfu", "model_flop", MFU, COL_INT,
	    "exec_flop without what the backward pass computes again" },
	{ "mfu", "flop", MFU, COL_INT,
	    "FLOPs of products, convolutions, attention and recurrent layers" },
	{ "mfu", "tflops", MFU, COL_NUM,
	    "exec_flop per step_ns, in 10^12 per second" },
	{ "mfu", "peak_tflops", MFU, COL_NUM,
	    "the mean peak of the types, weighted by their work" },
	{ "mfu", "gpu_ns", MFU, COL_INT, "time in which a GPU works, from iter" },
	{ "mfu", "mfu_busy_pct", MFU, COL_NUM,
	    "as mfu_pct, of gpu_ns; unset with more than one device" },
	{ "mfu", "n_dev", MFU, COL_INT, "devices with such kernels" },
	{ "mfu", "exec_flop", MFU, COL_INT,
	    "flop without what a known causal mask leaves out" },
	{ "mfu", "known_pct", MFU, COL_NUM,
	    "the part of such kernels' time whose FLOPs are known" },

	{ "energy", "dev", ENERGY, COL_INT, "device" },
	{ "energy", "tag", ENERGY, COL_TEXT, "kern, copy, set or graph; idle" },
	{ "energy", "iter", ENERGY, COL_INT,
	    "iteration: of the work, or in which the device is idle" },
	{ "energy", "op", ENERGY, COL_TEXT, "type of the op" },
	{ "energy", "dir", ENERGY, COL_TEXT, "direction of the op" },
	{ "energy", "phase", ENERGY, COL_TEXT, "phase" },
	{ "energy", "layer", ENERGY, COL_TEXT, "layer" },
	{ "energy", "share_ns", ENERGY, COL_INT,
	    "time, shared by all work that runs at a moment" },
	{ "energy", "energy_mj", ENERGY, COL_INT, "energy in millijoules" },
	{ "energy", "cost", ENERGY, COL_NUM, "--price: what it costs" },

	{ "path", "iter", PATH, COL_INT, "iteration; unset outside of steps" },
	{ "path", "seg", PATH, COL_INT,
	    "number of the segment in its step, from 0" },
	{ "path", "kind", PATH, COL_TEXT,
	    "cpu, launch, kernel, copy, set, graph, comm_exposed, comm_blocking, "
	    "kernel_to_kernel, stream_wait_or_gap, cross_stream, sync_return or "
	    "unknown; see dlp-path(1)" },
	{ "path", "res", PATH, COL_TEXT,
	    "where it is: a thread, or a stream of a device" },
	{ "path", "name", PATH, COL_TEXT,
	    "the kernel, the kind of copy, the API call or the range" },
	{ "path", "op", PATH, COL_TEXT, "type of the innermost op" },
	{ "path", "phase", PATH, COL_TEXT, "phase" },
	{ "path", "start_ns", PATH, COL_INT, "start" },
	{ "path", "dur_ns", PATH, COL_INT, "length" },
	{ "path", "n_seg", PATH, COL_INT,
	    "--merge: segments that follow each other and differ in name at "
	    "most" },
	{ "path", "max_ns", PATH, COL_INT, "--merge: the longest of them" },
	{ "path", "src", PATH, COL_TEXT, "its file" },
	{ "whatif", "iter", PATH, COL_INT, "iteration; unset without steps" },
	{ "whatif", "step_ns", PATH, COL_INT, "length of the step" },
	{ "whatif", "replay_ns", PATH, COL_INT,
	    "length of its replay without a change" },
	{ "whatif", "predicted_ns", PATH, COL_INT,
	    "length of its replay with the changes" },
	{ "whatif", "error_pct", PATH, COL_NUM,
	    "how far replay_ns is from step_ns" },
	{ "whatif", "rank", PATH, COL_INT, "rank; unset for a profile alone" },

	{ "coverage", "account", COVERAGE, COL_TEXT,
	    "what of: op, shapes, flop or tc" },
	{ "coverage", "what", COVERAGE, COL_TEXT,
	    "(known), the op or kernel that is not, or (rest)" },
	{ "coverage", "dur_pct", COVERAGE, COL_NUM,
	    "share of the time that the account covers" },
	{ "coverage", "sum_dur_ns", COVERAGE, COL_INT, "time on the GPU" },
	{ "coverage", "n_pct", COVERAGE, COL_NUM,
	    "share of the number that the account covers" },
	{ "coverage", "n", COVERAGE, COL_INT,
	    "number of kernels, copies, memory sets and graph runs" },
	{ "coverage", "reason", COVERAGE, COL_TEXT,
	    "why it is not known: no_op, no_sizes, no_rule, ...; see"
	    " dlp-coverage(1)" },

	{ "overview", "file", OVERVIEW, COL_TEXT, "the profile" },
	{ "overview", "status", OVERVIEW, COL_TEXT, "ok or failed" },
	{ "overview", "gpu", OVERVIEW, COL_TEXT, "product names of the GPUs" },
	{ "overview", "n_gpu", OVERVIEW, COL_INT, "GPUs that worked" },
	{ "overview", "dialect", OVERVIEW, COL_TEXT,
	    "the tool that wrote the profile" },
	{ "overview", "recorder", OVERVIEW, COL_TEXT, "its version" },
	{ "overview", "n_step", OVERVIEW, COL_INT, "number of steps used" },
	{ "overview", "n_trimmed", OVERVIEW, COL_INT,
	    "number of steps left out, mostly warm-up" },
	{ "overview", "step_ns", OVERVIEW, COL_INT, "mean length of a step" },
	{ "overview", "std_ns", OVERVIEW, COL_INT, "its standard deviation" },
	{ "overview", "wall_ns", OVERVIEW, COL_INT,
	    "time of these steps; without steps from the first GPU work to the"
	    " last" },
	{ "overview", "tc_ns", OVERVIEW, COL_INT,
	    "time, summed over the GPUs, in which a kernel that uses "
	    "Tensor Cores runs" },
	{ "overview", "comm_ns", OVERVIEW, COL_INT,
	    "time in which communication and no other kernel runs: exposed_ns "
	    "of comm records. Their comm_ns is all communication, and that "
	    "of coll records the part without waiting" },
	{ "overview", "kern_ns", OVERVIEW, COL_INT,
	    "time in which only other kernels run" },
	{ "overview", "graph_ns", OVERVIEW, COL_INT,
	    "time in which only graphs run that were recorded as a "
	    "whole" },
	{ "overview", "mem_ns", OVERVIEW, COL_INT,
	    "time in which only copies and sets run" },
	{ "overview", "idle_ns", OVERVIEW, COL_INT,
	    "time in which nothing runs" },
	{ "overview", "loading_ns", OVERVIEW, COL_INT,
	    "the part of idle_ns in which data is loaded" },
	{ "overview", "between_ns", OVERVIEW, COL_INT,
	    "the part of the time between the end of one step and the start of"
	    " the next" },
	{ "overview", "between_idle_ns", OVERVIEW, COL_INT,
	    "the idle time in it" },
	{ "overview", "busy_pct", OVERVIEW, COL_NUM,
	    "share of the time in which anything runs" },
	{ "overview", "n_kern", OVERVIEW, COL_INT,
	    "kernels launched in the steps" },
	{ "overview", "work_ns", OVERVIEW, COL_INT,
	    "sum of all GPU work launched in them" },
	{ "overview", "op_ns", OVERVIEW, COL_INT,
	    "the part of work_ns with an op" },
	{ "overview", "comm_work_ns", OVERVIEW, COL_INT,
	    "the part of work_ns in communication: the sum of its kernels" },
	{ "overview", "kernel_ns", OVERVIEW, COL_INT,
	    "the part of work_ns in kernels and graphs" },
	{ "overview", "shapes_ns", OVERVIEW, COL_INT,
	    "the part of kernel_ns with known sizes" },
	{ "overview", "flop_ns", OVERVIEW, COL_INT,
	    "the part of kernel_ns with known FLOPs" },
	{ "overview", "verdict_ns", OVERVIEW, COL_INT,
	    "the part of kernel_ns whose use of Tensor Cores is known" },
	{ "overview", "eligible_ns", OVERVIEW, COL_INT,
	    "the part of kernel_ns that could use Tensor Cores and "
	    "does not" },
	{ "overview", "top_op", OVERVIEW, COL_TEXT,
	    "the op with the most GPU time, or the ranges around work without"
	    " an op" },
	{ "overview", "findings", OVERVIEW, COL_TEXT,
	    "rules of dlp-advise that fired, comma separated" },
	{ "overview", "error", OVERVIEW, COL_TEXT,
	    "why the profile could not be analysed" },

	START_BY(GAPS, "gap", "where the piece begins"),
	DUR_BY(GAPS, "gap", "the length of the piece"),
	{ "gap", "dev", GAPS, COL_INT, "device" },
	{ "gap", "iter", GAPS, COL_INT,
	    "the iteration in which it lies, or after which; - outside of all" },
	{ "gap", "class", GAPS, COL_TEXT,
	    "why: queued, startup, launch-bound, graph-update, sync, after-sync,"
	    " dataloader, comm-wait, allocation, module-load, os-wait, host-only,"
	    " profiler, end or unknown" },
	{ "gap", "before", GAPS, COL_TEXT, "the work before it" },
	{ "gap", "after", GAPS, COL_TEXT, "the work that ends it" },
	{ "gap", "did", GAPS, COL_TEXT,
	    "what the launching thread did: op, api, os, dataload, "
	    "comm or profiler; range: a range is open and nothing else "
	    "is recorded; nothing" },
	{ "gap", "what", GAPS, COL_TEXT, "the name of its longest activity" },
	{ "gap", "what_ns", GAPS, COL_INT,
	    "time of that activity inside the gap" },
	{ "gap", "what_tid", GAPS, COL_INT, "the thread that did it" },
	{ "gap", "pid", GAPS, COL_INT, "process of the launch" },
	{ "gap", "tid", GAPS, COL_INT, "thread of the launch" },
	{ "gap", "launch_ns", GAPS, COL_INT, "start of the launch's API call" },
	{ "gap", "phase", GAPS, COL_TEXT, "phase of the work that ends it" },
	{ "gap", "layer", GAPS, COL_TEXT, "its layer" },
	{ "gap", "op", GAPS, COL_TEXT, "its op type" },
	{ "gap", "before_id", GAPS, COL_INT, "record of the work before" },
	{ "gap", "after_id", GAPS, COL_INT, "record of the work that ends it" },
	{ "gap", "whole_ns", GAPS, COL_INT,
	    "the length of the whole gap, of which this is a piece" },
	{ "gap", "part", GAPS, COL_INT, "which piece of the gap, from 1" },
	{ "gap", "range", GAPS, COL_TEXT,
	    "the innermost range or op in which the call what was made, or that"
	    " was open for half of the time" },
	{ "gap", "code", GAPS, COL_TEXT,
	    "the place in the user's code of the call that waited, otherwise of"
	    " the launch" },

	{ "serve", "step", SERVE, COL_INT, "its number in the process, from 0" },
	{ "serve", "kind", SERVE, COL_TEXT, "prefill, decode or mixed" },
	{ "serve", "start_ns", SERVE, COL_INT, "start on the CPU" },
	{ "serve", "dur_ns", SERVE, COL_INT, "length on the CPU" },
	{ "serve", "n_ctx", SERVE, COL_INT, "sequences in prefill" },
	{ "serve", "n_gen", SERVE, COL_INT, "sequences in decode" },
	{ "serve", "ctx_tokens", SERVE, COL_INT, "tokens of the former" },
	{ "serve", "gen_tokens", SERVE, COL_INT, "tokens of the latter" },
	{ "serve", "tokens", SERVE, COL_INT, "the sum of both" },
	{ "serve", "kv_tokens", SERVE, COL_INT,
	    "tokens whose keys and values are read" },
	{ "serve", "n_kern", SERVE, COL_INT, "kernels that it launched" },
	{ "serve", "gpu_start_ns", SERVE, COL_INT, "first start on the GPU" },
	{ "serve", "gpu_end_ns", SERVE, COL_INT, "last end on the GPU" },
	{ "serve", "gpu_ns", SERVE, COL_INT,
	    "time in which its work runs, each moment once" },
	{ "serve", "bubble_ns", SERVE, COL_INT,
	    "from the last GPU work of the steps before to its first" },
	{ "serve", "step_ns", SERVE, COL_INT,
	    "from there to its last GPU work; of the first step, from its"
	    " first" },
	{ "serve", "tokens_s", SERVE, COL_NUM, "tokens in step_ns, per second" },
	{ "serve", "tpot_ns", SERVE, COL_INT,
	    "time per output token: decode steps, from the last GPU work of"
	    " the decode step before" },
	{ "serve", "attn_flop", SERVE, COL_INT,
	    "FLOPs of attention, without a mask" },
	{ "serve", "attn_causal_flop", SERVE, COL_INT,
	    "the same, with a causal mask" },
	{ "serve", "attn_bytes", SERVE, COL_INT,
	    "bytes of queries, keys, values and results" },
	{ "serve", "gemm_flop", SERVE, COL_INT,
	    "with --params: 2 * parameters * tokens" },

	{ "phase", "iter", PHASES, COL_INT, "iteration" },
	{ "phase", "phase", PHASES, COL_TEXT,
	    "forward, backward, optimizer, dataload; unset: none" },
	{ "phase", "cpu_ns", PHASES, COL_INT,
	    "time in which a range, op or API call of it is open" },
	{ "phase", "api_ns", PHASES, COL_INT, "sum of its API calls" },
	{ "phase", "gpu_ns", PHASES, COL_INT,
	    "union of its GPU work, summed over the devices" },
	{ "phase", "gpu_sum_ns", PHASES, COL_INT, "sum of its GPU work" },
	{ "phase", "idle_ns", PHASES, COL_INT,
	    "time in which a device is idle before work of this phase, "
	    "after other work of the iteration; without a phase: the "
	    "rest of the step" },
	{ "phase", "n_kern", PHASES, COL_INT, "kernels" },
	{ "phase", "n_gpu", PHASES, COL_INT,
	    "kernels, copies, sets and graph runs" },
	{ "phase", "thread_ns", PHASES, COL_INT,
	    "the part of gpu_sum_ns that was launched by a thread "
	    "without a range of the phase, such as autograd's" },
	{ "phase", "op_ns", PHASES, COL_INT,
	    "the part of gpu_sum_ns whose phase only follows from the "
	    "op's direction" },
	{ "phase", "gpu_start_ns", PHASES, COL_INT, "first start on the GPU" },
	{ "phase", "gpu_end_ns", PHASES, COL_INT, "last end on the GPU" },

	{ "coll", "id", RANKS, COL_INT, "number, unique in the section" },
	{ "coll", "kind", RANKS, COL_TEXT, "all_reduce, broadcast, ..." },
	{ "coll", "nth", RANKS, COL_INT, "which of its kind, from 0" },
	{ "coll", "iter", RANKS, COL_INT, "iteration" },
	{ "coll", "name", RANKS, COL_TEXT, "short name of its kernel" },
	{ "coll", "bytes", RANKS, COL_INT,
	    "size of the message, from dlp-flops" },
	{ "coll", "n_rank", RANKS, COL_INT, "number of ranks that take part" },
	{ "coll", "start_ns", RANKS, COL_INT, "when the first rank arrived" },
	{ "coll", "dur_ns", RANKS, COL_INT,
	    "from then until the last rank was done" },
	{ "coll", "comm_ns", RANKS, COL_INT,
	    "the shortest duration on any rank: communication without "
	    "waiting" },
	{ "coll", "wait_ns", RANKS, COL_INT,
	    "sum over the ranks of what they took longer than comm_ns" },
	{ "coll", "max_wait_ns", RANKS, COL_INT,
	    "the longest wait of one rank" },
	{ "coll", "spread_ns", RANKS, COL_INT,
	    "from the first arrival to the last" },
	{ "coll", "end_spread_ns", RANKS, COL_INT,
	    "from the first end to the last: how well the clocks agree" },
	{ "coll", "first", RANKS, COL_TEXT, "the rank that arrived first" },
	{ "coll", "last", RANKS, COL_TEXT, "the rank that arrived last" },
	{ "coll", "algbw_gb_s", RANKS, COL_NUM,
	    "bandwidth of the algorithm in 1e9 bytes per second: bytes per "
	    "comm_ns" },
	{ "coll", "busbw_gb_s", RANKS, COL_NUM,
	    "bandwidth of the bus, as nccl-tests defines it" },
	{ "coll", "group", RANKS, COL_TEXT,
	    "its process group, if the trace tells" },
	{ "coll", "group_size", RANKS, COL_INT, "GPUs in that group" },
	{ "coll", "group_ranks", RANKS, COL_TEXT, "ranks in that group" },

	{ "arrive", "coll_id", RANKS, COL_INT, "the collective" },
	{ "arrive", "kind", RANKS, COL_TEXT, "its kind" },
	{ "arrive", "iter", RANKS, COL_INT, "iteration of the rank" },
	{ "arrive", "rank", RANKS, COL_TEXT,
	    "number of the rank; 3.1: its device 1" },
	{ "arrive", "src", RANKS, COL_TEXT, "its file" },
	{ "arrive", "start_ns", RANKS, COL_INT, "when its kernel began" },
	{ "arrive", "dur_ns", RANKS, COL_INT, "duration of its kernel" },
	{ "arrive", "wait_ns", RANKS, COL_INT,
	    "how much longer that is than on the fastest rank" },
	{ "arrive", "late_ns", RANKS, COL_INT,
	    "how long after the first rank it arrived" },
	{ "arrive", "n_last", RANKS, COL_INT,
	    "1 for the last rank, otherwise 0" },

	{ "comm", "iter", RANKS, COL_INT, "iteration; unset: outside of them" },
	{ "comm", "rank", RANKS, COL_TEXT,
	    "number of the rank; 3.1: its device 1" },
	{ "comm", "src", RANKS, COL_TEXT, "its file" },
	{ "comm", "pid", RANKS, COL_INT, "process" },
	{ "comm", "dev", RANKS, COL_INT, "device" },
	{ "comm", "n_comm", RANKS, COL_INT, "communication kernels" },
	{ "comm", "comm_ns", RANKS, COL_INT, "union of their times" },
	{ "comm", "exposed_ns", RANKS, COL_INT,
	    "the part of comm_ns in which no other kernel ran" },
	{ "comm", "wait_ns", RANKS, COL_INT,
	    "how much longer its collectives took than on the fastest "
	    "rank" },
	{ "comm", "gpu_start_ns", RANKS, COL_INT, "start of its first kernel" },
	{ "comm", "gpu_end_ns", RANKS, COL_INT, "end of its last one" },

	{ "skew", "iter", RANKS, COL_INT, "iteration; unset: outside of them" },
	{ "skew", "n_rank", RANKS, COL_INT, "ranks with kernels in it" },
	{ "skew", "start_skew_ns", RANKS, COL_INT,
	    "time between the first rank's first kernel and the last "
	    "rank's first kernel" },
	{ "skew", "end_skew_ns", RANKS, COL_INT,
	    "the same for the ends of their last kernels" },
	{ "skew", "len_skew_ns", RANKS, COL_INT,
	    "difference between the longest and the shortest time from "
	    "first to last kernel" },
	{ "skew", "wait_ns", RANKS, COL_INT,
	    "sum of the ranks' waits in collectives" },
	{ "skew", "slowest", RANKS, COL_TEXT, "the rank that waited least" },

	{ "xfer", "id", EXPOSE, COL_INT, "the copy's record" },
	{ "xfer", "start_ns", EXPOSE, COL_INT, "start on the GPU" },
	{ "xfer", "dur_ns", EXPOSE, COL_INT, "duration on the GPU" },
	{ "xfer", "gb_s", EXPOSE, COL_NUM, "bytes per dur_ns, in GB/s" },
	{ "xfer", "union_ns", EXPOSE, COL_INT,
	    "its part of the union of the copies with the same device, "
	    "kind and memory; time in which several run counts for the "
	    "first one" },
	{ "xfer", "exposed_ns", EXPOSE, COL_INT,
	    "the part of union_ns in which no kernel runs on the "
	    "device" },
	{ "xfer", "dev", EXPOSE, COL_INT, "device" },
	{ "xfer", "stream", EXPOSE, COL_INT, "CUDA stream" },
	{ "xfer", "kind", EXPOSE, COL_TEXT, "HtoD, DtoH, DtoD, PtoP, ..." },
	{ "xfer", "src_mem", EXPOSE, COL_TEXT,
	    "pageable, pinned, device, ..." },
	{ "xfer", "dst_mem", EXPOSE, COL_TEXT,
	    "pageable, pinned, device, ..." },
	{ "xfer", "bytes", EXPOSE, COL_INT, "size" },
	{ "xfer", "iter", EXPOSE, COL_INT, "iteration" },
	{ "xfer", "phase", EXPOSE, COL_TEXT, "phase" },
	{ "xfer", "layer", EXPOSE, COL_TEXT, "layer" },
	{ "xfer", "op", EXPOSE, COL_TEXT, "op type" },
	{ "xfer", "api", EXPOSE, COL_TEXT, "API call" },
	{ "xfer", "pid", EXPOSE, COL_INT, "process" },
	{ "xfer", "tid", EXPOSE, COL_INT, "thread of the API call" },

	{ "peak", "dev", MEM, COL_INT, "device" },
	{ "peak", "space", MEM, COL_TEXT, "device or host" },
	{ "peak", "peak_bytes", MEM, COL_INT, "the most in use at once" },
	{ "peak", "total_bytes", MEM, COL_INT, "memory of the device" },
	{ "peak", "start_ns", MEM, COL_INT, "when the peak was first reached" },
	{ "peak", "iter", MEM, COL_INT, "iteration" },
	{ "peak", "phase", MEM, COL_TEXT, "phase of the allocation" },
	{ "peak", "layer", MEM, COL_TEXT, "its layer" },
	{ "peak", "at", MEM, COL_TEXT, "type of the op that made it" },
	{ "peak", "api", MEM, COL_TEXT, "its API call" },
	{ "peak", "n_live", MEM, COL_INT, "allocations in use then" },
	{ "peak", "before_bytes", MEM, COL_INT,
	    "in use when the recording began" },
	{ "peak", "end_bytes", MEM, COL_INT, "in use at the end" },
	{ "peak", "n_alloc", MEM, COL_INT, "allocations" },
	{ "peak", "n_free", MEM, COL_INT, "releases" },
	{ "live", "dev", MEM, COL_INT, "device" },
	{ "live", "space", MEM, COL_TEXT, "device or host" },
	{ "live", "bytes", MEM, COL_INT, "size" },
	{ "live", "kind", MEM, COL_TEXT, "pageable, pinned, device, ..." },
	{ "live", "addr", MEM, COL_INT, "address" },
	{ "live", "start_ns", MEM, COL_INT, "when it was allocated" },
	{ "live", "iter", MEM, COL_INT, "iteration" },
	{ "live", "phase", MEM, COL_TEXT, "phase of the allocation" },
	{ "live", "layer", MEM, COL_TEXT, "its layer" },
	{ "live", "at", MEM, COL_TEXT, "type of the op that made it" },
	{ "live", "api", MEM, COL_TEXT, "its API call" },
	{ "gpuwork", "iter", RATE, COL_INT, "iteration" },
	{ "gpuwork", "dir", RATE, COL_TEXT,
	    "as of kernels; optimizer for that phase or family" },
	{ "gpuwork", "family", RATE, COL_TEXT, "as of kernels" },
	{ "gpuwork", "call", RATE, COL_INT,
	    "1 for the first work of a run of an op in this family" },
	{ "gpuwork", "dur_ns", RATE, COL_INT, "duration on the GPU" },
	{ "gpuwork", "flop", RATE, COL_INT, "FLOPs" },
	{ "gpuwork", "bytes", RATE, COL_INT, "bytes read and written" },
	{ "gpuwork", "peak_ns", RATE, COL_NUM,
	    "the time that the FLOPs take at the peak" },
	{ "gpuwork", "exec_flop", RATE, COL_INT,
	    "FLOPs without those that a causal mask leaves out" },
	{ "gpuwork", "flop_ns", RATE, COL_INT, "dur_ns if flop is known, or 0" },
	{ "gpuwork", "bytes_ns", RATE, COL_INT, "dur_ns if bytes is known, or 0" },
	{ "memrange", "range", MEM, COL_TEXT,
	    "layer and text of the ranges, without numbers at the end" },
	{ "memrange", "dev", MEM, COL_INT, "device" },
	{ "memrange", "space", MEM, COL_TEXT, "device or host" },
	{ "memrange", "n", MEM, COL_INT, "ranges" },
	{ "memrange", "peak_bytes", MEM, COL_INT,
	    "the most memory in use while such a range was open" },
	{ "memrange", "alloc_bytes", MEM, COL_INT, "allocated while open" },
	{ "memrange", "free_bytes", MEM, COL_INT, "released while open" },
	{ "memrange", "n_alloc", MEM, COL_INT, "allocations while open" },
	{ "memtime", "dev", MEM, COL_INT, "device" },
	{ "memtime", "start_ns", MEM, COL_INT, "start of the part" },
	{ "memtime", "used_bytes", MEM, COL_INT,
	    "the most device memory in use in it" },
	{ "memtime", "bar", MEM, COL_TEXT,
	    "a bar of up to 40 signs, relative to the most of all rows" },

	START_BY(WAITS, "wait", "start"),
	DUR_BY(WAITS, "wait", "duration"),
	{ "wait", "kind", WAITS, COL_TEXT,
	    "cuda: a call that waits for a GPU; of the operating system: wait,"
	    " sleep, lock, io or other" },
	{ "wait", "name", WAITS, COL_TEXT, "function" },
	{ "wait", "pid", WAITS, COL_INT, "process" },
	{ "wait", "tid", WAITS, COL_INT, "thread" },
	{ "wait", "thread", WAITS, COL_TEXT, "its name" },
	{ "wait", "range", WAITS, COL_TEXT,
	    "innermost range open on the thread, without its number" },
	{ "wait", "layer", WAITS, COL_TEXT, "the program's ranges around it" },
	{ "wait", "phase", WAITS, COL_TEXT, "phase of these ranges" },
	{ "wait", "iter", WAITS, COL_INT, "iteration" },
	{ "wait", "code", WAITS, COL_TEXT,
	    "where in the user's own code the call was made" },
	{ "wait", "launches", WAITS, COL_YNU,
	    "--launches: whether the thread launches GPU work" },
	{ "wait", "order", WAITS, COL_INT,
	    "--launches: 1: the thread launches, and waits in a range; 2: it"
	    " launches; 3: it does not" },

	{ "group", "path", TREE, COL_TEXT,
	    "the path, ending in /; _CompleteModel_ for all" },
	{ "group", "level", TREE, COL_INT,
	    "number of its components, 0 for _CompleteModel_" },
	{ "group", "parent", TREE, COL_TEXT, "the path one level up" },
	{ "group", "n_call", TREE, COL_INT, "runs of ops below it" },
	{ "group", "n_op", TREE, COL_INT, "ops below it that ran" },
	{ "group", "n_op_eligible", TREE, COL_INT,
	    "number of these ops that can use Tensor Cores" },
	{ "group", "n_op_tc", TREE, COL_INT,
	    "number of these ops that use Tensor Cores" },
	{ "group", "n_iter", TREE, COL_INT, "iterations in which it ran" },
	TREE_STATS("cpu", "CPU time, counted once per process where runs overlap"),
	TREE_STATS("gpu", "GPU time, counted once per device where work overlaps"),
	TREE_STATS("overhead", "CPU time of the runs outside of API calls"),
	TREE_STATS("idle", "GPU idle time within the runs"),

	{ NULL, NULL, NULL, COL_TEXT, NULL },
};
/* clang-format on */

/* PyProf's words, and short forms of ours. */
static const struct {
	const char *alias, *name;
} aliases[] = {
	{ "kernel", "short" },
	{ "sil", "dur_ns" },
	{ "device", "dev" },
	{ "flops", "flop" },
	{ "type", "op" },
	{ "iteration", "iter" },
};

/* Types whose columns are named by the command line or by the input. */
static const char *const open_types[] = { "agg", "join", NULL };

bool
type_is_open(const char *type)
{
	const char *const *t = open_types;

	while (*t != NULL && strcmp(*t, type) != 0)
		t++;
	return *t != NULL;
}

const struct col_def cols_all[] = {
	{ "*", "src", PARSE, COL_TEXT,
	    "the file, if several files are read into one section" },
	{ "*", "rank", PARSE, COL_INT, "--ranks: the rank of that file" },
	{ NULL, NULL, NULL, COL_INT, NULL },
};

/* Where rows of the same type begin. Every filter asks about all its columns
 * when it starts, which took a third of that time without. */
static struct {
	const struct col_def *row[160];
	size_t n;
} groups;

static void
find_groups(void)
{
	const struct col_def *c;
	size_t n = 0;

	/* the last one begins at the end */
	for (c = col_defs;; c++) {
		if (c > col_defs && c->type != NULL &&
		    (c->type == c[-1].type || strcmp(c->type, c[-1].type) == 0))
			continue;
		if (n == ARRAY_LEN(groups.row))
			die("too many types of records in cols.c");
		groups.row[n++] = c;
		if (c->type == NULL)
			break;
	}
	groups.n = n - 1;
}

const struct col_def *
col_find(const char *type, const char *name)
{
	const struct col_def *c;
	size_t i;

	if (groups.n == 0)
		find_groups();
	for (i = 0; i < groups.n; i++) {
		c = groups.row[i];
		if (c->type[0] != type[0] || strcmp(c->type, type) != 0)
			continue;
		for (; c < groups.row[i + 1]; c++)
			if (c->name[0] == name[0] && strcmp(c->name, name) == 0)
				return c;
	}
	for (c = cols_all; c->type != NULL && type_find(type) != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

const struct type_def *
type_find(const char *type)
{
	const struct type_def *t;

	for (t = type_defs; t->type != NULL; t++)
		if (strcmp(t->type, type) == 0)
			return t;
	return NULL;
}

const char *
col_alias(const char *alias)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].alias, alias) == 0)
			return aliases[i].name;
	return alias;
}
