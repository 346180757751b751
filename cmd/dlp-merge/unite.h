/*
 * One legend for each type, of the columns that it has in any input. It grows
 * when a column comes along that none had before; it is then written again.
 */
#ifndef MERGE_UNITE_H
#define MERGE_UNITE_H

#include "input.h"

/* Whether records get a column src, a column rank. */
void unite_open(bool with_src, bool with_rank);
void unite_close(void);

/* A legend of the input: tag s[0..n), its columns from the TAB on. The
 * result belongs to the input. */
struct legend *unite_legend(
    const char *tag, size_t n, const char *cols, size_t len);

/* Writes the input's record under the unified legend: ids of n inputs stay
 * apart, times are moved. */
void unite_put(const struct input *in, int n);

#endif
