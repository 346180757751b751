/* What to do, by the reasons that records give (columns tc_why and why);
 * dlp-tc(1) has more. */
#include <string.h>

#include "array.h"
#include "overview.h"

static const struct tip {
	const char *reason, *text;
} tips[] = {
	{ "fp32", "TF32 is off: torch.set_float32_matmul_precision(\"high\"),"
		  " torch.backends.cudnn.allow_tf32 = True, or autocast to"
		  " bf16" },
	{ "unaligned", "a size is no multiple of 16 bytes (8 of fp16, 4 of"
		       " tf32): pad it, a vocabulary of 50257 to 50304" },
	{ "old_kernel", "a kernel of Volta or Turing: other sizes, or a newer"
			" library" },
	{ "fft", "a method without matrix instructions:"
		 " torch.backends.cudnn.benchmark = True, autocast, or"
		 " channels_last" },
	{ "winograd", "a method without matrix instructions:"
		      " torch.backends.cudnn.benchmark = True, autocast, or"
		      " channels_last" },
	{ "type_newer_gpu", "this GPU has none for the type: fp16 by autocast"
			    " works from Volta on" },
	{ "type", "no Tensor Cores take the type: cast it" },
	{ "grouped", "few channels per group: fewer, larger groups" },
	{ "small", "a side below 16 fills no tile: batch products" },
	{ "vector", "a matrix times a vector: a larger batch" },
	{ "depthwise", "one channel per group: its bytes limit it" },
	{ "unknown_kernel", "the name of the kernel does not tell: a rule of"
			    " yours does, see dlp-tc(1)" },
	{ "complex", "the library chose plain pipes: another type, if its"
		     " range allows" },
	{ "fp64", "the library chose plain pipes: another type, if its range"
		  " allows" },
	{ "library", "the own choice of the library: autocast, or other"
		     " sizes" },
	{ "no-range",
	    "record ranges: nsys profile -t cuda,nvtx; " OVERVIEW_EMIT },
	{ "user-range", "the ranges are no ops: " OVERVIEW_EMIT },
	{ "before-window", "the recording begins within ranges: let it begin"
			   " before them" },
	{ "no-api", "calls were not recorded: nsys profile -t cuda" },
	{ "graph", "kernels of graphs: nsys profile --cuda-graph-trace=node" },
};

const char *
overview_tip(const char *reason)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(tips); i++)
		if (strcmp(tips[i].reason, reason) == 0)
			return tips[i].text;
	return NULL;
}
