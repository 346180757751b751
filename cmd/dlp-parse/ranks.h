/*
 * --ranks: each file is one rank of a run. The ranks get numbers, and their
 * clocks one origin: that of the first.
 */
#ifndef DLP_PARSE_RANKS_H
#define DLP_PARSE_RANKS_H

struct parse;

/* Sorts the files' names in natural order. */
void ranks_sort(char **paths, int n);

/* Numbers the ranks (profile.rank), and sorts the profiles by them; then
 * aligns the clocks (profile.shift, and that of their cursors). After the
 * first pass over the profiles, before --range and the merge. */
void ranks_number(struct parse *run);
void ranks_align(struct parse *run);

/* A rank record each. */
void ranks_put(struct parse *run);

/* The notes of ranks whose clocks could not be aligned. */
void ranks_notes(const struct parse *run);

#endif
