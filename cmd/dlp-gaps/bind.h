/* The record types that are read, and their columns. */
#ifndef GAPS_BIND_H
#define GAPS_BIND_H

#include "rec_type.h"

enum type {
	T_KERN,
	T_COPY,
	T_SET,
	T_GRAPH,
	T_SYNC,
	T_CALL,
	T_INST,
	T_RANGE,
	T_OS,
	T_OVER,
	T_CUT,
	T_N
};

extern const char *const type_tags[T_N];

struct bind {
	struct rec_type *type;
	struct rec_col *id, *start, *dur, *pid, *tid, *dev, *src, *api,
	    *api_start, *api_dur, *name, *corr, *dst, *op_start, *iter, *phase,
	    *layer, *op, *dropped;
};

/* Binds the columns of a type. */
void bind_type(struct bind *k, enum type t, struct rec_type *x);

#endif
