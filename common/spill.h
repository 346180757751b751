/*
 * Memory for large tables and for data that is kept to the end of a section. Up
 * to a bound for the whole process it is ordinary memory. Beyond the bound it
 * is in mapped files without names in TMPDIR, so that pointers stay valid. When
 * the process has grown too much, pages of the files are given back to the
 * system.
 *
 * Blocks below SPILL_LEAST are ordinary memory and do not count. A full disk is
 * fatal. A process that forks and continues in both must not use this, because
 * the files are shared. Only one thread may allocate and free large blocks;
 * other threads may have small ones.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sets the bound; called before anything is allocated. SIZE_MAX: no files. */
void spill_bound(size_t bytes);

/* Zeroed memory. The caller must remember its size. */
void *spill_alloc(size_t n, size_t size);

/* For data that is written once and seldom read. It goes to files when half of
 * the bound is used, so that tables stay in memory longer. Not zeroed. */
void *spill_keep(size_t bytes);

/* Changes the size of a block and keeps its contents; new bytes are not zeroed.
 * p NULL: a new block. */
void *spill_realloc(void *p, size_t old_n, size_t n, size_t size);
void spill_free(void *p, size_t n, size_t size);

/* Some memory is in a file, and this is the thread that allocated it. */
extern _Thread_local bool spill_on;
void spill_step(void);

/* Called for each use of memory that may be in a file: checks now and then if
 * the process is too large. */
static inline void
spill_tick(void)
{
	if (spill_on)
		spill_step();
}

/* A new file in TMPDIR (/tmp), named after the program, open for reading and
 * writing and already unlinked. The descriptor is the caller's. Failure is
 * fatal. */
int temp_fd(void);
