/* What is said about the profile, behind the events: "otherData". */
#ifndef TRACE_FACTS_H
#define TRACE_FACTS_H

#include "mview.h"

void facts_section(void);
void facts_info(struct mview name, struct mview value);
void facts_note(struct mview name, struct mview count); /* they add up */

/* Writes them, and the end of the trace. */
void facts_end(void);

#endif
