/* A record's place: its side, its step, and the row it counts in. */
#ifndef DIFF_PLACE_H
#define DIFF_PLACE_H

#include "buf.h"
#include "types.h"

struct place { /* where a stream is */
	struct model *m;
	struct side *side;
	size_t side_no;
	struct map op;        /* op id -> row, of a section */
	struct smap srcs;     /* file -> side and run, of a section */
	bool by_src;          /* each file is a side */
	size_t base;          /* the section's first side */
	struct buf key, name; /* name: escaped, the section's file */
};

/* A section begins, of side_no; it has that file; then its records. */
void place_section(struct place *p);
void place_src(struct place *p, struct mview src);

/* Whether its end is missing, of all its sides. */
void place_open(struct place *p, bool open);

void place_dev(struct place *p, const struct types *t, const struct rec *r);
void place_op(struct place *p, const struct types *t, const struct rec *r);
void place_iter(struct place *p, const struct types *t, const struct rec *r);
void place_inst(struct place *p, const struct types *t, const struct rec *r);

/* i: which of the types of GPU work it is. */
void place_gpu(
    struct place *p, const struct types *t, const struct rec *r, int i);

/* place_row.c. The row of GPU work, or of a run of an op. */
struct row *place_row(
    struct place *p, const struct work_cols *c, const struct rec *r);

void place_free(struct place *p);

#endif
