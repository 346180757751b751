/* The stream's records to the engine, and back with columns added. */
#ifndef DLP_FEED_H
#define DLP_FEED_H

#include "stage.h"

struct corr;

/* Binds the record types of an open stage to c, which must be zeroed but
 * for its options. */
void feed_start(struct corr *c, struct stage *st);

void feed_bind_work(struct stage *st);
void feed_work_section(void); /* a section begins */
void feed_bind_range(struct stage *st);
void feed_bind_node(struct stage *st);

#endif
