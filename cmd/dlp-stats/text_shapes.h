/*
 * Stores texts in a few bytes if most of them differ only in
 * their numbers, such as "aten::add_, op_id = 5". A packed text is the number
 * of its shape (the text with a 0 for each of its numbers) and the digits, two
 * per byte.
 *
 * Shapes are kept as long as the set, up to a limit.
 */
#ifndef STATS_TEXT_SHAPES_H
#define STATS_TEXT_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "map.h"

struct text_shapes {  /* all zero: empty, and full */
	size_t bound; /* bytes that shapes may use */
	bool full;    /* no more texts can be packed */
	size_t bytes;
	struct smap texts;
	struct text_shape {
		uint32_t at, n; /* its parts */
		uint32_t len;   /* bytes of the shape */
		uint32_t ranks; /* number of parts up to the last one with a
				 * rank */
	} * shape;
	size_t cap;
	struct text_shape_part { /* up to a number, or the end */
		uint32_t at;     /* in bodies */
		uint32_t len;
		uint32_t rank; /* from 1 among those that can follow the same
				* parts; 0 if there is no other */
	} * part;
	size_t nparts, parts_cap;
	struct buf bodies; /* texts of the parts, and some room after them */
	size_t ranked;     /* number of shapes whose parts have ranks */
	struct buf text, digits;
};

void shapes_free(struct text_shapes *x);

/* Appends the packed form of a text. */
void shapes_pack(struct text_shapes *x, struct buf *b, const char *s, size_t n);

/* Appends the text of a packed one. */
void shapes_unpack(
    const struct text_shapes *x, struct buf *b, const char *s, size_t n);

/* Appends bytes that sort like the texts. Call shapes_rank() before, and pack
 * no text in between. */
void shapes_rank(struct text_shapes *x);
void shapes_order(
    const struct text_shapes *x, struct buf *b, const char *s, size_t n);

#endif
