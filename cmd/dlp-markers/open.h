/* The ranges that are open on each thread. */
#ifndef MARKERS_OPEN_H
#define MARKERS_OPEN_H

#include "buf.h"
#include "map.h"

struct open_range {
	int64_t start, end;
	struct buf text; /* escaped */
};

struct open_thread {
	struct open_range *v; /* by start */
	size_t n, cap;
};

struct open_threads {   /* zeroed */
	struct smap of; /* file, process and thread -> struct open_thread * */
	struct buf key;
};

/* Found or made; owned by ts. src is the file, NULL where there is one. */
struct open_thread *open_thread(struct open_threads *ts, const char *src,
    size_t nsrc, int64_t pid, int64_t tid);

/* text is copied. */
void open_push(struct open_thread *t, int64_t start, int64_t end,
    const char *text, size_t n);

/* Drops what ended before or at a time. */
void open_sweep(struct open_thread *t, int64_t now);

void open_free(struct open_threads *ts);

#endif
