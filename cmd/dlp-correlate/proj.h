/* Projections of ranges onto the GPU: --ranges. */
#ifndef DLP_PROJ_H
#define DLP_PROJ_H

#include "buf.h"
#include "closing.h"
#include "range.h"
#include "work.h"

struct projs {                   /* zeroed but for closing */
	struct closing *closing; /* shared with the runs of ops */
	struct proj *free;
};

/* r is the top of its thread; rest: the fields pid to text of its record, each
 * with its TAB. */
void proj_begin(struct projs *s, const struct range *r, const struct buf *rest);
void proj_work(const struct work *w);
void proj_write(struct projs *s, struct proj *pr);
void projs_free(struct projs *s);

#endif
