/* The columns of a kernel. */
#ifndef FLOPS_COLUMNS_H
#define FLOPS_COLUMNS_H

#include "result.h"

/* The part this kernel plays in its run, now that the run's other kernels
 * so far are known. prim_run: of a product inside the op; 0: none. */
enum role role_now(
    const struct answer *a, bool has_inst, int64_t inst, int64_t prim_run);

/* Appends the columns to out_buf, without the line's end. given: Tensor Core
 * use that the profile itself tells; TC_UNKNOWN: it does not. */
void put_columns(const struct result *res, const struct kname *k,
    enum role role, int64_t dev, enum tc given);

/* Counts what becomes a note, or is said at the end; dur_ns: of the kernel. */
void count_notes(const struct result *res, const struct kname *k, int64_t dev,
    int64_t dur_ns, enum tc given);

/* Writes the coverage account as notes, if there were kernels. */
void put_coverage(void);

/* A section begins. The newest generation of GPUs that the products' names in
 * it tell, times ten; 0: none. */
void columns_forget(void);
int columns_arch(void);

#endif
