/* The kind of a column's values. */
#ifndef DLP_KIND_H
#define DLP_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "cols.h"
#include "num.h"

/* By the registry if it knows the column (its alias, op.COL, or any type's
 * column of that name), otherwise by the name: statistics, units. Ids of
 * strings are integers. */
enum col_kind kind_of(const char *type, const char *name);

/* True if the values are numbers. */
bool kind_is_number(enum col_kind k);

/* The unit of a column by the end of its name: dur_ns, bytes. */
enum num_unit kind_unit(const char *name);

/* Whether kernels of that family compute products, so that they can use Tensor
 * Cores, as dlp-flops names families (column family). */
bool kind_is_product(const char *family, size_t n);

#endif
