/*
 * A line without the columns that dlp-flops adds: those that a stream has
 * which went through here before are made anew, behind all others.
 */
#ifndef FLOPS_REST_H
#define FLOPS_REST_H

#include "buf.h"
#include "rec.h"

struct rest {                     /* of one record type */
	const char *const *names; /* the columns that are added */
	int n;
	bool *ours; /* of the input's columns: one of them */
	bool some;  /* it has one */
};

/* Appends the legend with our columns at its end; the records that follow
 * are as it says. */
void rest_legend(struct rest *x, struct buf *b, const struct rec *r);

/* Appends a record's line up to where our columns begin. */
void rest_put(const struct rest *x, struct buf *b, const struct rec *r);

#endif
