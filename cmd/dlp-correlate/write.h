/* The records of ops and their runs. */
#ifndef DLP_WRITE_H
#define DLP_WRITE_H

#include <stdbool.h>

struct inst;
struct op;

void write_op(const struct op *op, bool dlprof); /* with the dl_ columns */
void write_inst(const struct op *op, const struct inst *in);

#endif
