/*
 * The result: one section of agg records, whatever the number of sections
 * read; a fragment if the input was one. Stages' and session facts of the
 * input are passed on once, notes each time.
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

/* Writes all groups; argv is for our ##cmd; complete: the input was, so
 * ##end is written. */
void print_groups(struct groups *a, const struct metas *m, int argc,
    char *const *argv, bool complete);

#endif
