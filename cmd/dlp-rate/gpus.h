/*
 * Peak rates: those of known GPUs (gpus.tab) and what the user says
 * in their place.
 */
#ifndef RATE_GPUS_H
#define RATE_GPUS_H

#include <stdbool.h>
#include <stddef.h>

enum peak { /* in the order of the file's columns */
	PK_FP64,
	PK_FP64T,
	PK_FP32,
	PK_TF32,
	PK_FP16,
	PK_BF16,
	PK_FP8,
	PK_FP4,
	PK_INT8,
	PK_INT4,
	PK_N
};

struct gpu {
	double tflops[PK_N]; /* 0: unknown */
	double gb_s;         /* 0: unknown */
};

/* Reads the table. Call once, first. */
void gpus_open(void);

/* The option --peak DTYPE=TFLOPS,...; a bad one is fatal. */
void gpus_peak(const char *arg);
/* The option --peak-bw. */
void gpus_peak_bw(const char *arg);

/* The rates of the GPU of that name, the user's first; of a name that is not
 * known (or NULL) only those. gb_s: what the profile says, 0 if nothing. */
void gpus_find(struct gpu *g, const char *name, size_t n, double gb_s);

/* The rate in TFLOP/s for arithmetic of that type: product tells whether it
 * is a matrix product, which Tensor Cores can do. 0: unknown. */
double gpu_tflops(
    const struct gpu *g, const char *dtype, size_t n, bool product);

#endif
