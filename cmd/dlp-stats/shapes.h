/*
 * Texts in a few bytes where most differ in their numbers only, as
 * "aten::add_, op_id = 5" does: the number of the text's shape, which is the
 * text with a 0 for each of its numbers, and the digits, two in a byte.
 *
 * Shapes are kept as long as the set, up to a bound.
 */
#ifndef STATS_SHAPES_H
#define STATS_SHAPES_H

#include "buf.h"
#include "map.h"

struct shapes {       /* all zero is empty, and full */
	size_t bound; /* of the shapes' bytes */
	bool full;    /* no more texts are to be packed */
	size_t bytes;
	struct smap texts;
	struct shape {
		uint32_t at, n; /* its parts */
		uint32_t len;   /* bytes of the shape */
		uint32_t ranks; /* the parts up to the last with a rank */
	} * shape;
	size_t cap;
	struct shape_part {  /* up to a number, or the end */
		uint32_t at; /* in bodies */
		uint32_t len;
		uint32_t rank; /* from 1 among those that can follow the same
				  parts; 0: there is no other */
	} * part;
	size_t nparts, parts_cap;
	struct buf bodies; /* of the parts, and some room behind them */
	size_t ranked;     /* shapes whose parts have their rank */
	struct buf text, digits;
};

void shapes_free(struct shapes *x);

/* Appends the packed form of a text. */
void shapes_pack(struct shapes *x, struct buf *b, const char *s, size_t n);

/* Appends the text of a packed one. */
void shapes_unpack(
    const struct shapes *x, struct buf *b, const char *s, size_t n);

/* Appends bytes that are in the order of the texts, for packed ones between
 * which no other was packed since shapes_rank(). */
void shapes_rank(struct shapes *x);
void shapes_order(
    const struct shapes *x, struct buf *b, const char *s, size_t n);

#endif
