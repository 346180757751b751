/*
 * Partial results: the state of a group's statistics as text, in columns
 * beside the statistics themselves, from which --merge goes on. Numbers with
 * a fraction are written in base 16, so that nothing is lost.
 */
#ifndef AGG_PART_H
#define AGG_PART_H

#include "group.h"

#define PART_N "part_n"         /* the column behind those of -g */
#define PART_PREFIX "part_"     /* of a field's state */
#define PART_UNION "part_union" /* pieces of intervals */

/* Appends a field's state; want: whether with ACC_VALUES, ACC_STD. True if
 * the values were rounded because there were too many. */
bool part_put(struct buf *b, const struct acc *c, int want);

/* Reads it into c, which is empty; false if the text is none, or lacks what
 * is wanted. */
bool part_get(struct acc *c, const char *s, size_t n, int want, bool *rounded);

/* The same of the pieces of a group's intervals; those read join the ones
 * that are there. */
void part_put_union(struct buf *b, const struct group *g);
bool part_get_union(struct group *g, const char *s, size_t n);

/* The pieces of a source in a group, made if they are new. */
struct piece *part_piece(struct group *g, uint64_t key);

#endif
