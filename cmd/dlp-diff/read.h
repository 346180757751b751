/* Reading the sides: streams of ops, GPU work and iterations into rows. */
#ifndef DIFF_READ_H
#define DIFF_READ_H

#include "model.h"

/*
 * Reads a stream. Its sections are runs of side number `first`; if one_each,
 * section i is side first + i. With n_first > 0, section n_first and those
 * behind it are side first + 1. by_src: each file of a section (column src)
 * is a side of its own.
 */
void read_stream(struct model *m, const char *path, size_t first,
    size_t n_first, bool one_each, bool by_src);

#endif
