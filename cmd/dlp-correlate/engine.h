/* The course of time in a section. */
#ifndef DLP_ENGINE_H
#define DLP_ENGINE_H

#include <stdint.h>

struct corr;

void corr_init(struct corr *c); /* once; c zeroed but for its options */
void corr_now(struct corr *c, int64_t t); /* what has ended by then closes */
void corr_reset(struct corr *c);          /* a section begins */
void corr_end(struct corr *c);            /* it ends: notes */

#endif
