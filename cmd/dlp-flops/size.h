/*
 * Sums and products of sizes that may be unknown: -1 if one operand is
 * negative, or if the result does not fit; then size_overflow is set.
 */
#ifndef FLOPS_SIZE_H
#define FLOPS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

extern bool size_overflow;
int64_t size_mul(int64_t x, int64_t y);
int64_t size_add(int64_t x, int64_t y);

#endif
