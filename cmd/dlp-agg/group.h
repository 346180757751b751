/* Records into groups: the hot loop. */
#ifndef AGG_GROUP_H
#define AGG_GROUP_H

#include "ivl.h"
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
		struct ivl u;
	} * piece;
	size_t npiece;
};

struct groups {
	struct spec *spec;
	struct smap keys; /* their columns' values, TABs between */
	struct group *v;
	size_t cap;
	struct smap texts; /* of first and last */
	struct smap srcs;  /* their numbers + 1; 0: none is named */
	struct buf key_buf;
	uint64_t section; /* the key of this one, for partial results */
	uint64_t n_over;  /* groups that the result left out */
};

/* A record of type t of the input. */
void group_record(struct groups *a, const struct rec *r, int t);

/* The group of that key, columns with TABs between; made if it is new. */
struct group *group_get(struct groups *a, const char *key, size_t n);

/* Times of another section have another origin. */
void group_section_end(struct groups *a);

/* All groups are gone then. */
void group_forget(struct groups *a);

/* Makes g a group of nothing; it is returned. */
struct group *group_new(const struct groups *a, struct group *g);

#endif
