/*
 * Peak rates of GPUs: of known ones (gpus.tab), and what the user says in their
 * place; and the devices of a section with their rates.
 */
#ifndef RATE_GPUS_H
#define RATE_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "namerule.h"

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

struct gpu_rates {
	double tflops[PK_N]; /* 0: unknown */
	double gb_s;         /* 0: unknown */
};

struct rate_gpus { /* zeroed: no rates yet */
	struct namerules table;
	struct gpu_rates user; /* 0: not given */
	/* of the section */
	struct smap files;         /* texts of src */
	struct gpu_scope *scopes;  /* of all files, then of each */
	size_t nscopes;            /* that were ever used */
	struct gpu_rates *devices; /* in the order of their records */
	size_t ndevices, cap;
};

/* Reads the table. Call once, first. */
void gpus_open(struct rate_gpus *g);

/* The options --peak DTYPE=TFLOPS,... and --peak-bw; a bad argument is fatal.
 */
void gpus_peak(struct rate_gpus *g, const char *arg);
void gpus_peak_bw(struct rate_gpus *g, const char *arg);

/* The rates of the GPU of that name, the user's first; for a name that is not
 * known (or NULL) only the user's. gb_s: bandwidth that the profile has; 0:
 * none. */
struct gpu_rates gpus_named(
    const struct rate_gpus *g, const char *name, size_t n, double gb_s);

/* The rate in TFLOP/s for arithmetic of that type; product: it is a matrix
 * product, which Tensor Cores can do. 0: unknown. */
double gpu_tflops(
    const struct gpu_rates *r, const char *dtype, size_t n, bool product);

/* A section begins: its devices are others. */
void gpus_forget(struct rate_gpus *g);

/* Adds a device. Numbers of devices are a file's (column src); src NULL: the
 * stream names no file. */
void gpus_add(struct rate_gpus *g, const char *src, size_t n, int64_t dev,
    const struct gpu_rates *r);

/* The device of that number in a file, and what all devices of a file are; NULL
 * if it is not known, or if they differ. For a record without a file, or a file
 * without devices, the devices of all files count. Valid until the next
 * gpus_add(). */
const struct gpu_rates *gpus_device(
    struct rate_gpus *g, const char *src, size_t n, int64_t dev);
const struct gpu_rates *gpus_all(
    struct rate_gpus *g, const char *src, size_t n);

#endif
