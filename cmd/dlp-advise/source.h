/*
 * The files of a section, told apart by column src: the facts of each are its
 * own, as those of a section are.
 */
#ifndef ADVISE_SOURCE_H
#define ADVISE_SOURCE_H

#include "facts.h"
#include "stage.h"

typedef void fact_fn(struct facts *f, struct rec *r);

/* compat: as in struct facts. */
void source_open(bool compat);

/* As stage_on(): each record is passed on, then fn gets it with the facts of
 * its file. */
struct rec_type *source_on(struct stage *st, const char *tag, fact_fn *fn);

/* The file of that name is what ##info lines before the first record are of. */
void source_head(const char *s, size_t n);

/* Calls fn for what such a line is of: a file, or all that there are and will
 * be; all: in any case these. */
void source_info(bool all,
    void (*fn)(
	struct facts *f, const char *name, size_t len, const char *v, size_t n),
    const char *name, size_t len, const char *v, size_t n);

/* Each file that has records, in the order in which they came; at least one. */
void source_each(void (*fn)(struct facts *f));

void source_forget(void);

#endif
