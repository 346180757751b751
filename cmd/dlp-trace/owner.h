/*
 * Who the rows of the viewer belong to: processes, threads, GPUs, and what
 * they are called. Names come before what happens there.
 */
#ifndef TRACE_OWNER_H
#define TRACE_OWNER_H

#include <stdint.h>

#include "buf.h"
#include "map.h"
#include "mview.h"

/* Values as records hold them, s NULL where unset. */
struct owner {
	struct mview src, pid;
	struct mview tid;              /* CPU */
	struct mview dev, ctx, stream; /* GPU */
};

/* A section begins: its processes are others. */
void owner_section(void);
void owner_label(const char *s, size_t n); /* the section's file */

/* What a process, a thread, a device is called. */
void owner_name_proc(const struct owner *o, struct mview name);
void owner_name_thread(const struct owner *o, struct mview name);
void owner_name_dev(const struct owner *o, struct mview name);

/* The process of the viewer that stands for the process, or for its GPU; it
 * is announced in the trace when it is new. */
int64_t owner_cpu(const struct owner *o);
int64_t owner_gpu(const struct owner *o);

/* Appends the name of the thread. */
void owner_thread(const struct owner *o, struct buf *out);

/* A number that is not in used yet, and is put there: the wanted one if that
 * is possible (-1: none is wanted), else one that no system gives. */
int64_t owner_take(struct map *used, int64_t want);

/* A process' or thread's number; -1 if unset, or none. */
int64_t owner_number(struct mview v);

#endif
