/*
 * The inside of a table of groups (group_table.h): the keys of the rows in
 * memory, rows sorted into runs, and the groups that are made from the runs.
 */
#ifndef STATS_GROUP_IMPL_H
#define STATS_GROUP_IMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "beside.h"
#include "buf.h"
#include "group_table.h"
#include "map.h"
#include "textsort.h"
#include "varint.h"

/*
 * text_shapes.c: stores texts in a few bytes if most of them differ only in
 * their numbers, such as "aten::add_, op_id = 5". A packed text is the number
 * of its shape (the text with a 0 for each of its numbers) and the digits, two
 * per byte.
 *
 * Shapes are kept as long as the set, up to a limit.
 */
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

/*
 * group_table.c: texts with numbers from 0. A text that is already there gets
 * its number again, as long as the search pays. If nearly all texts are new, as
 * names of ranges with an op id are, each gets a number of its own, and equal
 * texts can have several numbers; such texts are packed (text_shapes.c).
 */
struct keyset {                     /* all zero is empty */
	struct text_shapes *shapes; /* the caller's; NULL: texts are not
				     * packed */
	struct buf text;
	struct keyset_key {
		size_t at;
		uint32_t len, hash;
	} * key;
	uint32_t n, cap;
	uint32_t *slot; /* number + 1, by hash */
	uint32_t nslots;
	uint32_t asked; /* lookups since it was empty */
	bool apart;     /* equal texts are not searched for */
	bool packed;    /* all texts are packed */
};

struct keyset_order { /* all zero is empty; memory is kept */
	struct buf bytes;
	struct text_ref *ref; /* twice as many as there are texts */
	size_t cap;
};

/* A text as it is stored, packed or not. */
static inline const char *
keyset_text(const struct keyset *k, uint32_t i, size_t *n)
{
	*n = k->key[i].len;
	return k->text.s + k->key[i].at;
}

/* Fills o->ref with all texts, as textsort() takes them, to sort by the texts'
 * bytes; id is the number. s and n are the text or, for packed texts, bytes
 * that are equal for equal texts. Valid until the set changes. */
void keyset_order(const struct keyset *k, struct keyset_order *o);

/*
 * group_runs.c: a sorted run of rows, in memory or in a file without a name,
 * made of numbers as in varint.h:
 *	2 * length of the key + 1 if it is packed, number of rows, the key,
 *	rows: 8 * part + number of values, values; trailing zeros are left out
 */
#define RUN_WORDS (1 + GROUP_VALS) /* of a row at most: part, values */
#define RUN_ROW_MAX (VARINT_MAX * RUN_WORDS)
#define RUN_SLACK (RUN_ROW_MAX * 2) /* unused: reads go beyond the end */

struct group_run_out {
	struct buf buf;
	int fd;      /* -1: everything is in memory */
	bool packed; /* all keys are packed */
};

void run_put_key(
    struct group_run_out *o, const struct group_code *c, size_t nrows);
void run_add_row(struct group_run_out *o, const int64_t *row, int nval);
void run_put_empty(
    struct group_run_out *o); /* a row of part 0 without values */

/* Writes the bytes in buf to the file if there is one and they are many, or if
 * all is set. */
void run_flush(struct group_run_out *o, bool all);

/* Writes a row at p, which has room for RUN_ROW_MAX bytes; returns its end. */
static inline char *
run_put_row(char *p, uint32_t part, const int64_t *v, int nval)
{
	int i;

	while (nval > 0 && v[nval - 1] == 0)
		nval--;
	p = varint_put(p, (uint64_t)part << 3 | (unsigned)nval);
	for (i = 0; i < nval; i++)
		p = varint_put(p, varint_fold(v[i]));
	return p;
}

/* Reads the part and values of the row at p. */
static inline const char *
run_get_row(const char *p, int64_t *row, int nval)
{
	uint64_t v;
	int i, n;

	p = varint_get(p, &v);
	n = (int)(v & 7);
	row[0] = (int64_t)(v >> 3);
	for (i = 1; i <= nval; i++) {
		v = 0;
		if (i <= n)
			p = varint_get(p, &v);
		row[i] = varint_unfold(v);
	}
	return p;
}

void run_text(
    const struct text_shapes *x, const struct group_code *c, struct buf *b);

struct group_parts {       /* rows of other parts are skipped */
	uint32_t from, to; /* both included */
};

struct group_merge {
	const struct group_run_out *runs;
	int n, nval;
	struct text_shapes *shapes; /* of their keys */
	bool codes;                 /* groups need only the code of their key */
	struct group_parts parts;
};

void merge_runs(const struct group_merge *m, group_fn *fn, void *ctx);

struct group_fill { /* rows in the order of their arrival */
	struct keyset keys;
	struct buf rows;
	uint32_t *nrows; /* by key */
	size_t nrows_cap;
	uint32_t most; /* the most rows of a key */
};

struct groups {
	int nval;
	bool distinct; /* keys have no rows */
	uint64_t gen;  /* of the keys' numbers */
	struct text_shapes shapes;
	struct group_fill fills[2];
	struct group_fill *in;  /* takes new rows */
	struct group_fill *out; /* is being sorted; with it everything up to
				 * sum */
	struct keyset_order order;
	struct buf sorted;
	size_t *first, first_cap;
	int64_t *unpacked;
	size_t unpacked_cap;
	struct beside beside; /* the thread that sorts */
	bool sorting;
	int64_t sum;
	bool closed;
	struct group_run_out *run;
	int nruns;
};

#endif
