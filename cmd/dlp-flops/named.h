/* Kernels whose own names tell the work: NCCL's, and fused ones of Triton. */
#ifndef FLOPS_NAMED_H
#define FLOPS_NAMED_H

#include "work.h"

/* The family by the kernel's name alone, FAM_NONE if it does not tell. */
enum family named_family(const struct kname *k);

#endif
