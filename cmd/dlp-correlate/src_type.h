/*
 * Records that are made here and have a src column only where the input has
 * one: where several files are in one stream.
 */
#ifndef DLP_SRC_TYPE_H
#define DLP_SRC_TYPE_H

#include "out.h"
#include "text.h"

struct src_type { /* zeroed, then the first three */
	const char *tag;
	const char *const *names; /* the last one is src */
	int n;
	struct out_type *without, *with;
};

/* Begins a record of the type. */
void src_type_rec(struct src_type *t, struct text src);

/* Its last field, if it has one, and its end. */
void src_type_end(struct text src);

#endif
