/*
 * Compares the own declarations of CUPTI's and NVTX's binary interfaces with
 * the headers of a CUDA toolkit, where the Makefile finds them (HAS_*). Nothing
 * in here is code.
 */
#include "cupti_abi.h"
#include "nvtx_abi.h"

#ifdef HAS_CUPTI
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <cupti.h>
#pragma GCC diagnostic pop

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " is " #b);
#define FIELD(own, of, theirs, field)                                          \
	_Static_assert(offsetof(struct abi_##own, of) ==                       \
			       offsetof(CUpti_##theirs, field) &&              \
			   sizeof(((struct abi_##own *)0)->of) ==              \
			       sizeof(((CUpti_##theirs *)0)->field),           \
	    #own "." #of " is " #theirs "." #field);
#include "cupti_abi.def"
#undef SAME
#undef FIELD
#endif

#ifdef HAS_NVTX
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#define FIELD(own, of, theirs, field)                                          \
	_Static_assert(                                                        \
	    offsetof(struct nvtx_abi_##own, of) == offsetof(theirs, field),    \
	    #own "." #of " is " #theirs "." #field);
#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " is " #b);
#define SIZE(own, theirs)                                                      \
	_Static_assert(sizeof(struct nvtx_abi_##own) == sizeof(theirs), #own);
#ifdef HAS_NVTX_PAYLOAD
#include <nvtx3/nvToolsExtPayload.h>
#endif
#include "nvtx_abi.def"
#endif

/* A file must declare something. */
typedef int abi_checked;
