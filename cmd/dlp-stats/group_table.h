/*
 * Values by group, as many as there are: rows of a key (text), a part of it
 * (a small number) and values; at the end, per key and part, what the
 * statistics are made of. Groups come in the order of their keys' bytes.
 *
 *	t = groups_new(1, false);
 *	groups_add(t, key, n, 0, &value);
 *	groups_each(t, GROUPS_ALL, print, ctx);	any number of times
 *	groups_free(t);
 *
 * Memory is bounded: rows beyond groups_memory are sorted into files under
 * TMPDIR, and merged. Per group, its distinct first values are kept.
 */
#ifndef STATS_GROUP_TABLE_H
#define STATS_GROUP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern size_t groups_memory; /* memory of each table in bytes; 48 MiB; -S
			      * sets it once */
#define GROUP_VALS 5

struct buf;
struct groups;

struct group_code { /* a key as it is stored; see groups_text() */
	const char *s;
	size_t n;
	bool packed;
};

struct group_stats {
	const char *key;
	size_t len;
	struct group_code code;
	uint32_t part;
	uint64_t n;
	int64_t sum[GROUP_VALS];
	int64_t min, max;    /* min, max and the next three: of the first
			      * value */
	double avg, med, sd; /* of a sample; 0 for one */
};

/* nval: values per row. distinct: each key occurs once and has no values; the
 * table only sorts. */
struct groups *groups_new(int nval, bool distinct);
void groups_free(struct groups *t);

/* A key's number, valid while *gen has not changed. */
struct group_key {
	uint64_t gen;
	uint32_t id;
};

void groups_add(struct groups *t, const char *key, size_t n, uint32_t part,
    const int64_t *v);

/* The same for a key that is used again: zero k before the first use. */
void groups_add_to(struct groups *t, struct group_key *k, const char *key,
    size_t n, uint32_t part, const int64_t *v);

/* Appends the text of a key of this table; the caller may have stored the key.
 */
void groups_text(
    const struct groups *t, const struct group_code *c, struct buf *b);

/* The sum of all first values. */
int64_t groups_sum(const struct groups *t);

typedef void group_fn(void *ctx, const struct group_stats *g);
/* The groups of these parts. */
void groups_each(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx);
/* The same; the keys may be codes only. */
void groups_each_code(
    struct groups *t, uint32_t from, uint32_t to, group_fn *fn, void *ctx);

/*
 * Groups as bytes, for sorting or for another thread: a first number that
 * includes the part, the sums, and for several rows their number and
 * statistics. The caller appends the name.
 */
void group_pack(struct buf *b, const struct group_stats *g);

/* Reads everything but the key; returns the end of the group's bytes. Does not
 * change g->code.packed. */
const char *group_unpack(struct group_stats *g, const char *s);

#endif
