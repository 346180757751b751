/* Facts of a profile: ##info, and records of devices, processes, threads. */
#ifndef DLP_PARSE_FACTS_H
#define DLP_PARSE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* Records name their file, their rank: whose clock is moved, of that the
 * origin is left out. */
void facts_open(bool with_src, bool with_rank);

struct dev_fact {
	int64_t dev;
	const char *name;           /* NULL: unset */
	int64_t cc_major, cc_minor; /* EV_UNSET: unset, as all below */
	int64_t n_sm, clock_hz, mem_bytes, membw_bytes_s;
	const char *uuid;
};

void fact_info(const char *name, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void fact_dev(const struct dev_fact *d);
void fact_proc(int64_t pid, const char *name);
/* prio: EV_UNSET for none, written with --rows. */
void fact_thread(int64_t pid, int64_t tid, const char *name, int64_t prio);

/* Whether the process has calls or GPU work. */
bool pid_used(int64_t pid);

#endif
