/*
 * What of each record type the trace shows, and where: a table, and the
 * columns that it asks for.
 */
#ifndef TRACE_TYPES_H
#define TRACE_TYPES_H

#include "join.h"
#include "stage.h"

#define MAX_ARGS 28

enum show {
	SHOW_GPU,   /* work of a stream, its call, and the arrow between them */
	SHOW_SYNC,  /* the same of a wait, without an arrow */
	SHOW_CPU,   /* a span on its thread */
	SHOW_RANGE, /* the same, or one that other threads can end */
	SHOW_OP,
	SHOW_ITER,
	SHOW_MARK, /* a point in time of a thread */
	SHOW_DIAG, /* one of the profile */
	SHOW_MEM,  /* a counter of the bytes that are allocated */
};

struct trace_type {
	const char *tag;
	enum show show;
	const char *before; /* of the name */
	const char *name;   /* the column with the name, or NULL */
	const char *args;   /* columns, blank separated; op. as in -c */

	/* the rest is filled in by types_listen() */
	struct rec_type *type;
	struct rec_col *id, *start, *dur, *pid, *tid, *dev, *ctx, *stream, *src,
	    *iter, *api, *api_start, *api_dur, *named;
	/* of some types only */
	struct rec_col *mode, *bytes, *what, *kind;
	struct join_col *arg[MAX_ARGS];
	const char *arg_name[MAX_ARGS];
	int narg;
};

extern struct trace_type trace_types[]; /* ends with tag NULL */

/* The one with this type; NULL if there is none. */
struct trace_type *types_find(const struct rec_type *type);

/* Calls data for each record of these types, legend for their legends. */
void types_listen(
    struct stage *st, struct join *j, stage_fn *data, stage_fn *legend);

#endif
