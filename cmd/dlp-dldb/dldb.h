/*
 * What the two halves of the database share. The raw half gets all records
 * as they pass; the aggregated one adds them up, by op, and is written at
 * the end: they can be two runs of this command in one pipeline, so that
 * the range of iterations is cut between them.
 */
#ifndef DLP_DLDB_DLDB_H
#define DLP_DLDB_DLDB_H

#include "db.h"
#include "map.h"
#include "stage.h"

#define DOMAIN_ID INT64_C(1)

struct dldb {
	struct db db;
	const char *path, *domain;
	bool raw, aggregate, tee, force;
	size_t memory;     /* -S */
	bool any;          /* a section has begun */
	bool open, whole;  /* a database is open, and complete */
	struct smap words; /* value: id in the dictionary, 0 if not known */
	struct smap infos; /* ##info: name -> number in words, from 1 */
	struct map strs;   /* id of a str record -> number in words */
	struct smap dims;  /* "x,y,z"; value: id of the grid_block */
	struct ops *ops;
	struct raw *raws;
	struct agg *agg;
	struct sums *sums;
	uint64_t n_no_op, n_graph, n_no_call;
};

/* The number of a text, for good. */
uint32_t word(struct dldb *d, const char *s, size_t n);
/* Its text, and its id in the dictionary, which gets it if need be. */
const char *word_text(const struct dldb *d, uint32_t w);
int64_t word_id(struct dldb *d, uint32_t w);
/* The id of a text that does not come again: nothing is kept. */
int64_t text_id(struct dldb *d, const char *s, size_t n);
int64_t text0_id(struct dldb *d, const char *s);

/* The value of an ##info line; NULL if there was none. */
const char *info(const struct dldb *d, const char *name);
int64_t info_int(const struct dldb *d, const char *name, int64_t def);

#endif
