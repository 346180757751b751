/*
 * The devices and processes of a section. A device's work is swept in the
 * order of time behind the launches: what is launched from now on begins
 * later, so all gaps before now are known.
 */
#ifndef GAPS_GAPS_H
#define GAPS_GAPS_H

#include "state.h"

/* The time on the CPU is t. */
void gaps_now(struct gaps *g, int64_t t);

/* What a thread does from when to when. */
void gaps_did(struct gaps *g, struct file *f, int64_t pid, struct act a);

/* Work on a device, launched now. */
void gaps_work(struct gaps *g, struct file *f, int64_t dev, int64_t start,
    int64_t end, const struct work *w);

void gaps_end(struct gaps *g); /* the end of a section: the last gaps */
void gaps_clear(struct gaps *g);

#endif
