/* Records of the type of the result: a legend, and a row for each group. */
#ifndef AGG_PRINT_H
#define AGG_PRINT_H

#include "group.h"

struct state;

/* Totals come first, a group's row needs them. */
void print_total_begin(const struct groups *a);
void print_total(const struct groups *a, const struct group *g);
void print_total_end(const struct groups *a);
void print_legend(const struct groups *a);
void print_row(
    const struct groups *a, struct group *g, const char *key, size_t n);
void print_rest(struct groups *a, struct group *g);

/* What --sort looks at, of a group with that key. texts keeps the values that
 * are none of its. */
struct sort_val print_key(const struct groups *a, const struct group *g,
    const char *key, const struct sort_key *k, struct smap *texts);

/* All of them as sort_pack() writes them. */
void print_keys(struct groups *a, struct state *s, struct buf *b);

/* Appends what --merge goes on from. */
void print_state(const struct groups *a, struct buf *b, const struct group *g);

/* How many values print_state() has rounded since it was asked last. */
uint64_t print_rounded(void);

#endif
