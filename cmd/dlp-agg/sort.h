/* The order of --sort: its keys, and values compared by them. */
#ifndef AGG_SORT_H
#define AGG_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct sort_key {
	const char *name;
	bool down;
	/* where its values come from is the caller's affair: a column of -g,
	 * a statistic or a column of the input; the others are -1 */
	int group, stat, col;
};

struct sort {
	struct sort_key *key;
	int n;
};

/* A value to sort by: numbers before texts, unset last. */
struct sort_val {
	enum { SORT_NUM, SORT_TEXT, SORT_UNSET } kind;
	double d;
	const char *s; /* the caller's text */
	size_t n;
};

/* Adds the keys of a comma list, which is kept. Nonsense is fatal. */
void sort_parse(struct sort *o, const char *arg);

/* Of a raw text; NULL is unset. */
struct sort_val sort_value(const char *s, size_t n);

/* One item's values, a value per key, against another's. */
int sort_cmp(
    const struct sort *o, const struct sort_val *x, const struct sort_val *y);

/* Appends the values of an item as bytes; and the order of such bytes, a
 * runs_cmp of runs.h whose ctx is the struct sort. */
void sort_pack(struct buf *b, const struct sort_val *v, int n);
int sort_cmp_packed(
    const void *ctx, const char *a, size_t an, const char *b, size_t bn);

/* The order of n items, whose values stand one after the other in v: idx[n]
 * gets their places. Equals stay in order. */
void sort_items(
    const struct sort *o, const struct sort_val *v, size_t n, size_t *idx);

#endif
