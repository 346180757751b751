/*
 * The results: records of a type for each aggregation. Where the input is not
 * passed on, they make one section, whatever the number of sections read; a
 * fragment if the input was one. Stages' and session facts of the input are
 * then passed on once, notes each time.
 */
#ifndef AGG_PRINT_H
#define AGG_PRINT_H

#include "group.h"

struct metas { /* metadata that is passed on */
	struct smap seen;
	struct buf cmds, infos, notes;
};

/* A line of metadata is kept. */
void print_meta(struct metas *m, const struct rec *r);

/* Begins a section of our own; argv is for our ##cmd. */
void print_head(const struct metas *m, bool whole, int argc, char *const *argv);

/* Writes the legend, the groups, and notes of what is left out. */
void print_groups(struct groups *a);
void print_notes(const struct groups *a);

/* Of these only what is of the result, not of the input. */
void print_over(const struct groups *a);

#endif
