/* The events of one record. */
#ifndef TRACE_SHOW_H
#define TRACE_SHOW_H

#include "track.h"
#include "types.h"

struct item { /* a record with what all of them have */
	struct rec *r;
	const struct trace_type *t;
	struct join *join;
	struct owner owner;
	int64_t start, dur;
	bool has_dur; /* and it is not negative */
	bool hidden;  /* only the memory counters need to know of it */
};

void show(struct item *it);

void show_section(void); /* a section begins: nothing is allocated */
void show_end(void);

#endif
