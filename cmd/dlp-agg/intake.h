/* Records into groups: the hot loop. */
#ifndef AGG_INTAKE_H
#define AGG_INTAKE_H

#include "group.h"

/* A record of type t of the input. */
void intake_record(struct groups *a, const struct rec *r, int t);

/* A section ends: group_close() of all groups. */
void intake_section_end(struct groups *a);

/* Nothing has come in: no groups, no sections, nothing on disk. */
void intake_forget(struct groups *a);

#endif
