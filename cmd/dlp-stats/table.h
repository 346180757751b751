/*
 * Values by group, as many as there are: rows of a key (text), a part of it
 * (a small number) and values; at the end, per key and part, what the
 * statistics are made of. Groups come in the order of their keys' bytes.
 *
 *	t = table_new(1, false);
 *	table_add(t, key, n, 0, &value);
 *	table_each(t, TABLE_ALL, print, ctx);	any number of times
 *	table_free(t);
 *
 * Memory is bounded: rows beyond table_memory are sorted into files under
 * TMPDIR, and merged. Per group, its distinct first values are kept.
 */
#ifndef STATS_TABLE_H
#define STATS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern size_t table_memory; /* bytes, of each table; 48 MiB */
#define TABLE_VALS 5

struct buf;
struct table;

struct table_code { /* a key as it is kept; see table_text() */
	const char *s;
	size_t n;
	bool packed;
};

struct group {
	const char *key;
	size_t len;
	struct table_code code;
	uint32_t part;
	uint64_t n;
	int64_t sum[TABLE_VALS];
	int64_t min, max;    /* these and the next: of the first value */
	double avg, med, sd; /* of a sample; 0 for one */
};

/* nval: values per row. distinct: each key is there once and has no values,
 * as where a table only sorts. */
struct table *table_new(int nval, bool distinct);
void table_free(struct table *t);

/* A key's number, good until the next table_add() that is told by *gen. */
struct table_key {
	uint64_t gen;
	uint32_t id;
};

void table_add(struct table *t, const char *key, size_t n, uint32_t part,
    const int64_t *v);

/* The same for a key that is used again: k is zeroed at first. */
void table_add_to(struct table *t, struct table_key *k, const char *key,
    size_t n, uint32_t part, const int64_t *v);

void table_close(struct table *t); /* nothing more is added */

/* Appends the text of a key of this table; it may have been kept by the
 * caller. */
void table_text(
    const struct table *t, const struct table_code *c, struct buf *b);

/* The sum of all first values. */
int64_t table_sum(const struct table *t);

typedef void table_fn(void *ctx, const struct group *g);
/* The groups of these parts. */
#define TABLE_ALL 0, UINT32_MAX
void table_each(
    struct table *t, uint32_t from, uint32_t to, table_fn *fn, void *ctx);
/* The same; their keys may be there as codes only. */
void table_each_code(
    struct table *t, uint32_t from, uint32_t to, table_fn *fn, void *ctx);

#endif
