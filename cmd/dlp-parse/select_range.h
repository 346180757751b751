/* --range: the inside of named ranges, process by process. */
#ifndef DLP_PARSE_SELECT_RANGE_H
#define DLP_PARSE_SELECT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* "TEXT", "TEXT@DOMAIN", "TEXT/N", "TEXT@DOMAIN/N"; the argument is kept. */
void range_add(const char *arg);

/* Finds the named ranges in a profile; before the merge. */
void range_find(struct profile *p);

/* Fatal if a named range was in no profile. */
void range_check(void);

bool range_wanted(void); /* any */

/* Whether [lo, hi] touches a named range of the process, or none is named.
 * Without a process any of the profile's ranges will do. */
bool range_inside(const struct profile *p, int64_t pid, int64_t lo, int64_t hi);

#endif
