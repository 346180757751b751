/*
 * Large tables, and what is kept to the end of a section: in memory up to a
 * bound for the whole process, beyond that in nameless files in TMPDIR, which
 * are mapped, so that pointers stay pointers. What of the files has come into
 * memory is let go again when the process has grown too much.
 *
 * Blocks below SPILL_LEAST are ordinary memory and do not count. A full disk
 * is fatal. Not for a process that forks and goes on in both: the files are
 * shared. Large blocks are made and dropped by one thread only; others may have
 * small ones.
 */
#ifndef DLP_SPILL_H
#define DLP_SPILL_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the bound; before anything is allocated. SIZE_MAX: no files. */
void spill_bound(size_t bytes);

/* Zeroed. The size of a block is the caller's to remember. */
void *spill_alloc(size_t n, size_t size);

/* For what is written once and seldom read: it goes to files when half of the
 * bound is used, so that tables stay in memory longer. Not set. */
void *spill_keep(size_t bytes);

/* A block of other size with the same contents; what is new is not set. p NULL:
 * a new one. */
void *spill_realloc(void *p, size_t old_n, size_t n, size_t size);
void spill_free(void *p, size_t n, size_t size);

/* Something lies in a file, and this is the thread that made it. */
extern _Thread_local bool spill_on;
void spill_step(void);

/* Called for each use of what may lie in a file: looks now and then whether
 * the process is too large. */
static inline void
spill_tick(void)
{
	if (spill_on)
		spill_step();
}

#endif
