/*
 * Ranges that began since the last kernel, for those of them that are not
 * around the next one's launch: a forward op without a kernel can still be
 * the one whose backward has some.
 */
#ifndef MARKERS_LOOSE_H
#define MARKERS_LOOSE_H

#include "open.h"

struct loose {
	const struct open_thread *thread;
	int64_t pid, tid, start, end;
	size_t at, n; /* the text, in a buffer of loose.c */
};

/* Keeps l with its text (escaped); at and n are set here. Those that go
 * beyond 16 MB between two kernels are dropped and counted. */
void loose_add(const struct loose *l, const char *text, size_t n);

/* Writes the column, a flat JSON list of pid, tid, start, end and text of
 * each that is not around [start, end] on the thread; forgets all. */
void loose_put(const struct open_thread *t, int64_t start, int64_t end);

uint64_t loose_dropped(void);
void loose_forget(void);

#endif
