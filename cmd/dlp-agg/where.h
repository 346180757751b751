/* --where 'COL OP VALUE': which records count. */
#ifndef AGG_WHERE_H
#define AGG_WHERE_H

#include "buf.h"
#include "input.h"

struct cond;

struct where {
	char **arg; /* as given */
	int n;
	struct cond *cond;
	struct buf tmp;
};

/* A condition more; arg is kept, and changed. */
void where_add(struct where *w, char *arg);

/* Makes sense of them, and asks for their columns; fatal if there is none. */
void where_make(struct where *w, struct input *in);

/* Whether all hold for a record of type t. */
bool where_holds(struct where *w, struct input *in, const struct rec *r, int t);

#endif
