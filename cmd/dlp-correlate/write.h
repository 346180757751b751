/* The records of ops and their runs. */
#ifndef DLP_WRITE_H
#define DLP_WRITE_H

struct inst;
struct op;

void write_op(const struct op *op);
void write_inst(const struct op *op, const struct inst *in);

#endif
