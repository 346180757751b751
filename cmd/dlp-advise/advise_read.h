/*
 * From records to facts. Which record types are read, and which of their
 * columns, is one table, in advise_read.c.
 */
#ifndef ADVISE_READ_H
#define ADVISE_READ_H

#include "advise_facts.h"
#include "stage.h"
#include "workrec.h"

#define ADVISE_COLS 10

struct advise_type;
typedef void advise_fact(
    struct facts *f, const struct advise_type *t, const struct rec *r);

struct advise_row {
	const char *tag;
	advise_fact *add;   /* adds a record to the facts of its file */
	unsigned need, opt; /* columns of workrec.h; src is always there */
	int n_need;         /* so many of the first names are needed */
	const char *name[ADVISE_COLS];
};

struct advise_type { /* a row, bound to the stage */
	const struct advise_row *row;
	struct advise_reader *reader;
	struct workrec_cols at;
	struct rec_col *col[ADVISE_COLS]; /* in the order of the names */
};

/* Called for each file of a section where that ends. */
typedef void advise_done(void *arg, struct facts *f);

/* Binds the table, and sets the stage's callbacks and its ctx. Findings go
 * out in done. all_devices: as in struct facts. The result is given to
 * advise_read_free() after the stage has run. */
struct advise_reader *advise_read(
    struct stage *st, bool all_devices, advise_done *done, void *arg);
void advise_read_free(struct advise_reader *g);

/* Whether a record is in an iteration, or there are none at all. */
static inline bool
advise_in_iter(const struct advise_type *t, const struct rec *r)
{
	int64_t v;

	return t->at.iter->pos < 0 || rec_i64(r, t->at.iter, &v);
}

/* advise_work.c: the columns of the types below, and what is added. */
enum { COL_API }; /* kern, copy, set, sync, call: the call's name is first */
enum {
	KERN_OP_ID = 1,
	KERN_INST,
	KERN_SHORT,
	KERN_GRID,
	KERN_OP,
	KERN_TC,
	KERN_ELIGIBLE,
	KERN_WHY,
	KERN_DTYPE
};
enum { COPY_KIND = 1, COPY_BYTES, COPY_SRC, COPY_DST };

advise_fact add_kernel, add_copy, add_set, add_sync, add_call, add_graph,
    add_inst;

/* Ops. Their records are of all files. */
struct advise_ops {
	struct map bits; /* op id -> what its record says */
	struct rec_col *id, *op, *by, *dtype, *eligible;
};
void advise_ops_bind(struct stage *st, struct advise_ops *o);

/* At the end of a section: counts the ops that a file has run. */
void advise_ops_end(struct facts *f);

/* advise_read.c: the ops of the section. */
const struct advise_ops *advise_ops_of(const struct advise_type *t);

#endif
