/*
 * The results: records of a type for each aggregation. Where the input is not
 * passed on, they make one section, whatever the number of sections read; a
 * fragment if the input was one. Stages' and session facts of the input are
 * then passed on once, notes each time.
 */
#ifndef AGG_PRINT_H
#define AGG_PRINT_H

#include "group.h"

struct state;

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

/* Their parts, for what is no longer in memory: totals come first, a group's
 * row needs them. */
void print_total_begin(const struct groups *a);
void print_total(const struct groups *a, const struct group *g);
void print_total_end(const struct groups *a);
void print_legend(const struct groups *a);
void print_row(
    const struct groups *a, struct group *g, const char *key, size_t n);
void print_rest(struct groups *a, struct group *g);

/* The values that --sort looks at, as sort_pack() writes them. */
void print_keys(struct groups *a, struct state *s, struct buf *b);

/* Appends what --merge goes on from. */
void print_state(const struct groups *a, struct buf *b, const struct group *g);

/* Of these only what is of the result, not of the input. */
void print_over(const struct groups *a);

#endif
