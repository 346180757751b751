/*
 * Without statistics: the records of -T themselves, those of them that
 * --where holds for, in the order of --sort, with the columns of -c.
 */
#ifndef AGG_PASS_H
#define AGG_PASS_H

#include "map.h"
#include "spec.h"
#include "outsort.h"

struct stage;

struct pass {
	struct spec *spec;
	struct lines lines;
	struct smap keys; /* the texts of lines.val, TABs between, each once */
	struct buf key;
	size_t key_bytes, key_cap, bound;
	struct buf cut; /* the record with the columns of -c */
	struct smap legends;
	int legend[INPUT_TYPES];
	bool any_legend; /* of the first type, in this section */
	int put_legend;  /* the one last written */
	uint64_t n_out, n_over;
};

/* bytes: of records and keys that are kept in memory. */
void pass_open(struct pass *p, struct spec *spec, size_t bytes);
void pass_legend(struct pass *p, struct stage *st, struct rec *r);
void pass_record(struct pass *p, struct stage *st, struct rec *r);
void pass_section_end(struct pass *p);

#endif
