/* NVTX for the torch of the tests (python/torch/cuda/nvtx.py). */
#include "nvtx_own.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int
range_push(const char *s)
{
	return nvtxRangePushA(s);
}

EXPORT int
range_pop(void)
{
	return nvtxRangePop();
}

EXPORT uint64_t
range_start(const char *s)
{
	return nvtxRangeStartA(s);
}

EXPORT void
range_end(uint64_t id)
{
	nvtxRangeEnd(id);
}
