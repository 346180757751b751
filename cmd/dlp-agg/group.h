/* The groups of an aggregation, in memory. */
#ifndef AGG_GROUP_H
#define AGG_GROUP_H

#include "ivl.h"
#include "map.h"
#include "spec.h"

struct group {
	uint64_t n;
	struct acc *acc; /* per field */
	struct ivl *ivl; /* of this section, by source */
	size_t nivl;
	int64_t union_ns;
	bool has_ivl;
	struct piece {        /* of the union, where it is a partial result */
		uint64_t key; /* of the section and the source */
		uint64_t section;
		size_t src;
		struct ivl u;
	} * piece;
	size_t npiece;
	struct found *found; /* what disk.c worked out; NULL: nothing */
};

struct groups {
	struct spec *spec;
	struct smap keys; /* their columns' values, TABs between */
	struct group *v;
	size_t cap;
	struct smap srcs; /* their numbers + 1; 0: none is named */
	struct buf key_buf;
	struct row *row;    /* the record at hand */
	uint64_t section;   /* the key of this one, for partial results */
	uint64_t n_section; /* its number */
	uint64_t n_over;    /* groups that the result left out */
	size_t group_bytes; /* of groups and their texts */
	size_t n_values;    /* room for values, for percentiles */
	size_t n_pieces;    /* room for pieces of unions */
	struct disk *disk;  /* what is over the bound; NULL: there is none */
};

/* The group of that key, columns with TABs between; made if it is new. */
struct group *group_get(struct groups *a, const char *key, size_t n);

/* A section ends, of that number and key: times of another one have another
 * origin. */
void group_close(
    struct groups *a, struct group *g, uint64_t section, uint64_t key);

/* A piece of a source's time. */
void group_interval(
    struct groups *a, struct group *g, size_t src, int64_t lo, int64_t hi);

/* All groups are gone then. */
void group_free_all(struct groups *a);

/* Makes g a group of nothing; it is returned. And what it holds is freed. */
struct group *group_new(const struct groups *a, struct group *g);
void group_free(const struct groups *a, struct group *g);

#endif
