/* The GPUs that a file lists. */
#ifndef DLP_PARSE_NSYS_DEV_H
#define DLP_PARSE_NSYS_DEV_H

#include "nsys_row.h"

/* Whether a table lists them. */
bool nsys_lists_devs(struct nsys *ns);

/* Their records; false if no table lists any. */
bool nsys_put_devs(struct nsys *ns);

#endif
