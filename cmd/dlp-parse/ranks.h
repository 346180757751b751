/*
 * --ranks: each file is one rank of a run. The ranks get numbers, and the first
 * rank's origin of time applies to all.
 */
#ifndef DLP_PARSE_RANKS_H
#define DLP_PARSE_RANKS_H

struct parse;

/* Sorts the files' names in natural order. */
void ranks_sort(char **paths, int n);

/* Numbers the ranks (profile.rank) and sorts the profiles by number; then
 * aligns the clocks (profile.shift, and the shift of their cursors). Called
 * after the first pass over the profiles, before --range and the merge. */
void ranks_number(struct parse *run);
void ranks_align(struct parse *run);

/* Writes a rank record for each. */
void ranks_put(struct parse *run);

#endif
