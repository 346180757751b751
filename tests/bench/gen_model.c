/* The model's tables and texts; see gen_model.h. */
#include <stdio.h>
#include <string.h>

#include "gen_model.h"

#define BATCH 32 /* of the copies */

int batch = BATCH;

/* clang-format off */
const char schema[] =
    "PRAGMA journal_mode = off; PRAGMA synchronous = off;"
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
    "CREATE TABLE PROCESSES (globalPid, pid, name);"
    "INSERT INTO PROCESSES VALUES (281546145660928, 4242, 'python3');"
    "CREATE TABLE META_DATA_EXPORT (name, value);"
    "INSERT INTO META_DATA_EXPORT VALUES"
    " ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'),"
    " ('EXPORT_SCHEMA_VERSION', '3.20.3'),"
    " ('EXPORT_SCHEMA_VERSION_MAJOR', '3'),"
    " ('EXPORT_SCHEMA_VERSION_MINOR', '20'),"
    " ('EXPORT_SCHEMA_VERSION_MICRO', '3');"
    "CREATE TABLE TARGET_INFO_GPU (vmId, id, name, totalMemory,"
    " memoryBandwidth, clockRate, smCount, uuid, computeMajor, computeMinor);"
    "INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'Made-up GPU',"
    " 80000000000, 2000000000000, 1410000000, 108, '0', 8, 0);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass,"
    " globalTid, correlationId, nameId, returnValue, callchainId);"
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, rangeId, category,"
    " color, text, globalTid, endGlobalTid, textId, domainId, uint64Value,"
    " int64Value, doubleValue, uint32Value, int32Value, floatValue,"
    " jsonTextId, jsonText, binaryData);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId,"
    " contextId, greenContextId, streamId, correlationId, globalPid, bytes,"
    " copyKind, deprecatedSrcId, srcKind, dstKind, srcDeviceId, srcContextId,"
    " dstDeviceId, dstContextId, migrationCause, graphNodeId, virtualAddress,"
    " copyCount);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId,"
    " contextId, greenContextId, streamId, correlationId, globalPid, value,"
    " bytes, graphNodeId, memKind);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId,"
    " contextId, greenContextId, streamId, correlationId, globalPid, syncType,"
    " eventId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"
    " contextId, greenContextId, streamId, correlationId, globalPid,"
    " demangledName, shortName, mangledName, launchType, cacheConfig,"
    " registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
    " staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
    " localMemoryTotal, gridId, sharedMemoryExecuted, graphNodeId,"
    " sharedMemoryLimitConfig);"
    "BEGIN;";

/* Long name, short name, mangled name of each kernel follow the API names. */
#define TILE "tilesize128x64x16_stage4_warpsize2x2x1_g1_tensor16x8x8"
#define XMMA(kind) \
	"sm80_xmma_" kind "_tf32f32_tf32f32_f32_nhwckrsc_nhwc_" TILE \
	"_execute_kernel__5x_cudnn"
#define PLAIN(name) name, name, name
#define ELEMENT(functor, args) \
	"void at::native::vectorized_elementwise_kernel<(int)4, at::native::" \
	functor ", std::array<char *, (unsigned long)" #args ">>(int, T2, T3)", \
	"vectorized_elementwise_kernel", \
	"_ZN2at6native29vectorized_elementwise_kernelILi4E" functor

const char *const strings[] = {
	"cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020",
	"cudaStreamSynchronize_v3020", "cudaEventRecord_v3020",
	"cudaStreamWaitEvent_v3020", "cudaMemsetAsync_v3020",
	"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000",
	PLAIN(XMMA("fprop_implicit_gemm")),
	PLAIN(XMMA("dgrad_implicit_gemm")),
	PLAIN(XMMA("wgrad_implicit_gemm_indexed")),
	"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, (int)512,"
	" (bool)1, (int)1>(cudnnTensorStruct, const T1 *, cudnnTensorStruct,"
	" T1 *, const T2 *, const T2 *, T2, T2, T2 *, T2 *, T2 *, T2 *, T2,"
	" T2)", "bn_fw_tr_1C11_kernel_NCHW", "_ZN5cudnn25bn_fw_tr",
	"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, (int)512,"
	" (bool)1, (int)1>(T2, T2, T2, T2, cudnnTensorStruct, const T1 *,"
	" cudnnTensorStruct, const T1 *, cudnnTensorStruct, T1 *, const T2 *,"
	" T2 *, T2 *, const T2 *, const T2 *, T2)", "bn_bw_1C11_kernel_new",
	"_ZN5cudnn21bn_bw",
	ELEMENT("<unnamed>::launch_clamp_scalar(at::TensorIteratorBase &,"
	    " c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::"
	    "[lambda() (instance 1)]", 2),
	ELEMENT("<unnamed>::threshold_kernel_impl<float>("
	    "at::TensorIteratorBase &, float, float)::[lambda(float, float)"
	    " (instance 1)]", 3),
	ELEMENT("CUDAFunctor_add<float>", 3),
	ELEMENT("AUnaryFunctor<float, float, float,"
	    " at::native::binary_internal::MulFunctor<float>>", 2),
	PLAIN("ampere_sgemm_32x128_tn"),
	"void at::native::reduce_kernel<(int)128, (int)4,"
	" at::native::ReduceOp<float, at::native::func_wrapper_t<float,"
	" at::native::sum_functor<float, float, float>::operator ()("
	"at::TensorIterator &)::[lambda(float, float) (instance 1)]>,"
	" unsigned int, float, (int)4, (int)4>>(T3)", "reduce_kernel",
	"_ZN2at6native13reduce_kernel",
};
const int n_strings = sizeof(strings) / sizeof(strings[0]);

#define END { 0, NULL, 0, NULL, 0, 0, 0 }
#define O(name, seq, sizes) { OP, name, seq, sizes, 0, 0, 0 }
#define R(text) { TEXT, text, NO_SEQ, NULL, 0, 0, 0 }
#define P(n) { POP, "", n, NULL, 0, 0, 0 }
#define K(name, cost) { KERNEL, name, 0, NULL, cost, 7, 0 }
#define KQ(name, cost, stream, calls) \
	{ KERNEL, name, 0, NULL, cost, stream, calls }
#define NEXT(n) { SEQ, "", n, NULL, 0, 0, 0 }
#define EVAL "autograd::engine::evaluate_function: "
#define EMPTY O("aten::empty", NO_SEQ, "------"), P(1)
#define ACCUMULATE(sizes) \
	O(EVAL "torch::autograd::AccumulateGrad", NO_SEQ, NULL), \
	    O("torch::autograd::AccumulateGrad", NO_SEQ, sizes), \
	    O("aten::detach", NO_SEQ, sizes), O("detach", NO_SEQ, sizes), \
	    P(4)

const struct step program_load[] = {
	R("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"), P(1),
	O("aten::to", NO_SEQ, "x-------"), O("aten::_to_copy", NO_SEQ, "x------"),
	O("aten::copy_", NO_SEQ, "xx-"),
	{ COPY_IN, "", 0, NULL, BATCH * 3 * 64 * 64 * 4, 0, 0 }, P(3),
	END
};

const struct step program_block[] = {
	O("aten::conv2d", 0, "xw-----"), O("aten::convolution", 0, "xw-------"),
	O("aten::_convolution", NO_SEQ, "xw----------"),
	O("aten::cudnn_convolution", NO_SEQ, "xw-------"), EMPTY,
	KQ("fprop", 9, 7, 3), P(4), NEXT(1),
	O("aten::batch_norm", 0, "ycccc----"),
	O("aten::_batch_norm_impl_index", 0, "ycccc----"),
	O("aten::cudnn_batch_norm", 0, "ycccc---"), EMPTY,
	KQ("bn_fw", 4, 7, 1), P(3), NEXT(1),
	O("aten::relu_", 0, "y"), O("aten::clamp_min_", NO_SEQ, "y-"),
	K("clamp", 2), P(2), NEXT(1),
	O("aten::add_", 0, "yy-"), K("add", 3), P(1), NEXT(1),
	END
};

const struct step program_head[] = {
	O("aten::linear", 0, "xwc"), O("aten::t", 0, "w"),
	O("aten::transpose", NO_SEQ, "w--"), P(2), NEXT(1),
	O("aten::addmm", 0, "cxw--"), KQ("sgemm", 5, 7, 1), P(2), NEXT(1),
	END
};

const struct step program_loss[] = {
	O("aten::log_softmax", 0, "n--"), O("aten::_log_softmax", 0, "n--"),
	K("reduce", 1), P(2), NEXT(1),
	END
};

const struct step program_loss_back[] = {
	NEXT(-1), O(EVAL "LogSoftmaxBackward0", NO_SEQ, NULL),
	O("LogSoftmaxBackward0", 0, "n"),
	O("aten::_log_softmax_backward_data", NO_SEQ, "nn--"), K("reduce", 1),
	P(3),
	END
};

const struct step program_block_back[] = {
	NEXT(-4), O(EVAL "AddBackward0", NO_SEQ, NULL),
	O("AddBackward0", 3, "y"), P(2),
	O(EVAL "ReluBackward0", NO_SEQ, NULL), O("ReluBackward0", 2, "y"),
	O("aten::threshold_backward", NO_SEQ, "yy-"), K("threshold", 3), P(3),
	O(EVAL "CudnnBatchNormBackward0", NO_SEQ, NULL),
	O("CudnnBatchNormBackward0", 1, "y"),
	O("aten::cudnn_batch_norm_backward", NO_SEQ, "yyccccc-c"), EMPTY,
	KQ("bn_bw", 6, 7, 1), P(3), ACCUMULATE("c"), ACCUMULATE("c"),
	O(EVAL "ConvolutionBackward0", NO_SEQ, NULL),
	O("ConvolutionBackward0", 0, "y"),
	O("aten::convolution_backward", NO_SEQ, "yxw--------"), EMPTY,
	KQ("dgrad", 9, 7, 2), KQ("wgrad", 9, 13, 2), K("add", 1), P(3),
	ACCUMULATE("w"),
	END
};

const struct step program_head_back[] = {
	NEXT(-2), O(EVAL "AddmmBackward0", NO_SEQ, NULL),
	O("AddmmBackward0", 1, "n"), O("aten::mm", NO_SEQ, "nw"),
	K("sgemm", 5), P(1), O("aten::mm", NO_SEQ, "xn"), K("sgemm", 5), P(1),
	O("aten::sum", NO_SEQ, "n---"), K("reduce", 1), P(3),
	ACCUMULATE("c"), O(EVAL "TBackward0", NO_SEQ, NULL),
	O("TBackward0", 0, "w"), P(2), ACCUMULATE("w"),
	END
};

/* The optimizer: several kernels under one range, as its fused forms. */
const struct step program_update[] = {
	O("aten::zero_", NO_SEQ, "w"), { ZERO, "", 0, NULL, 0, 0, 0 }, P(1),
	O("aten::_foreach_mul_", NO_SEQ, "w-"), KQ("mul", 1, 7, 1),
	K("mul", 1), K("mul", 1), P(1),
	O("aten::_foreach_add_", NO_SEQ, "ww-"), KQ("add", 1, 7, 1),
	K("add", 1), K("add", 1), P(1),
	O("aten::_foreach_add_", NO_SEQ, "cc-"), KQ("add", 1, 7, 1),
	K("add", 1), K("add", 1), P(1),
	END
};

const struct step program_item[] = {
	O("aten::item", NO_SEQ, "-"),
	O("aten::_local_scalar_dense", NO_SEQ, "-"),
	{ COPY_OUT, "", 0, NULL, 4, 0, 0 }, { WAIT, "", 0, NULL, 0, 0, 0 },
	P(2),
	END
};
/* clang-format on */

void
layer_get(struct layer *l, int i)
{
	int stage = i / 4;

	l->index = i;
	l->first = i == N_LAYERS - 1;
	l->in = i == 0 ? 3 : 64 << ((i - 1) / 4);
	l->out = l->first ? 1000 : 64 << stage;
	l->side = 56 >> stage;
}

int64_t
layer_time(const struct layer *l, int cost)
{
	return l == NULL ? 2500 : 1200 + (int64_t)cost * (900 + 40 * l->index);
}

int64_t
layer_grid(const struct layer *l)
{
	return l == NULL ? 1 : (int64_t)l->out * l->side;
}

int64_t
layer_weights(const struct layer *l)
{
	return (int64_t)l->in * l->out * 9 * 4;
}

int
kernel_string(const struct step *s, const struct layer *l)
{
	int i;

	(void)l;
	for (i = API_ASK; i < n_strings; i += 3)
		if (strstr(strings[i], s->text) != NULL ||
		    (strcmp(s->text, "mul") == 0 &&
			strstr(strings[i], "MulFunctor") != NULL))
			return i + 1;
	return API_ASK + 1;
}

static int
one_size(char *p, size_t n, char c, const struct layer *l)
{
	static const struct layer none = { 0, false, 3, 1000, 64 };
	int side;

	if (l == NULL)
		l = &none;
	side = l->side;
	switch (c) {
	case 'x':
		return l->first ? snprintf(p, n, "[%d, %d]", batch, l->in)
				: snprintf(p, n, "[%d, %d, %d, %d]", batch,
				      l->in, side, side);
	case 'y':
		return snprintf(
		    p, n, "[%d, %d, %d, %d]", batch, l->out, side, side);
	case 'w':
		return l->first
			   ? snprintf(p, n, "[%d, %d]", l->out, l->in)
			   : snprintf(p, n, "[%d, %d, 3, 3]", l->out, l->in);
	case 'c':
		return snprintf(p, n, "[%d]", l->out);
	case 'n':
		return snprintf(p, n, "[%d, 1000]", batch);
	default:
		return snprintf(p, n, "[]");
	}
}

void
step_text(char *buf, size_t size, const struct step *s, const struct layer *l,
    int64_t seq, int64_t op_id)
{
	char *p = buf, *end = buf + size;
	const char *c;
	int k = 0;

	p += snprintf(p, size, "%s", s->text);
	if (s->kind != OP)
		return;
	if (s->seq != NO_SEQ)
		p += snprintf(
		    p, (size_t)(end - p), ", seq = %lld", (long long)seq);
	p += snprintf(p, (size_t)(end - p), ", op_id = %lld", (long long)op_id);
	if (s->sizes == NULL)
		return;
	p += snprintf(p, (size_t)(end - p), ", sizes = [");
	for (c = s->sizes; *c != '\0'; c++) {
		if (c > s->sizes)
			p += snprintf(p, (size_t)(end - p), ", ");
		p += one_size(p, (size_t)(end - p), *c, l);
	}
	p += snprintf(p, (size_t)(end - p), "], input_op_ids = [");
	for (c = s->sizes; *c != '\0'; c++, k++)
		p += snprintf(p, (size_t)(end - p), "%s(%lld,%d)",
		    k > 0 ? ", " : "",
		    *c == '-' ? 0 : (long long)(op_id > k ? op_id - k - 1 : 0),
		    *c == '-' ? -1 : 0);
	snprintf(p, (size_t)(end - p), "]");
}
