/* Ops on each element. */
#ifndef FLOPS_POINT_H
#define FLOPS_POINT_H

#include "work.h"

enum { PW_UNARY = 1, PW_BINARY, PW_COMPARE, PW_TERNARY };
void point_count(const struct work *w, struct answer *r, int kind);

enum { PE_RELU, PE_SOFTMAX, PE_DROPOUT, PE_COPY };
void element_count(const struct work *w, struct answer *r, int kind);
void embedding_count(const struct work *w, struct answer *r, int unused);

#endif
