/*
 * The ranges that are open on a thread. They are pushed by start, and their
 * ends are known, so a range leaves when time has passed its end; it need not
 * be the innermost then (start/end ranges need not nest).
 *
 *	struct text_range {
 *		struct openrange span;	must come first
 *		struct buf text;	the caller's
 *	} *x;
 *	struct openranges open;
 *
 *	openranges_init(&open, sizeof(*x));
 *	x = openranges_push(&open, start, end);
 *	buf_clear(&x->text);	what was left here can be used again
 *	...
 *	openranges_sweep(&open, now, NULL, NULL);
 *	x = openranges_top(&open);	the innermost one at that time, or NULL
 *
 * Times are in ns. Pointers to ranges hold until the next push or sweep.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct openrange { /* the start of each range's struct */
	int64_t start, end;
	int64_t min_end; /* the first end among this one and those below */
};

struct openranges {
	char *v;     /* outermost first; openranges_at() */
	size_t n;    /* number of open ranges */
	size_t cap;  /* number of places; those from n on keep their old
		      * contents */
	size_t size; /* of a place */
};

/* None is open. size: of the caller's struct, which begins with a struct
 * openrange. */
void openranges_init(struct openranges *o, size_t size);

/* Frees the places. The caller must free what they point to before, in all
 * places from 0 to o->cap - 1. */
void openranges_free(struct openranges *o);

/* Place i, from the outermost one (0). */
static inline void *
openranges_at(const struct openranges *o, size_t i)
{
	return o->v + i * o->size;
}

/* The innermost one; NULL if none is open. */
static inline void *
openranges_top(const struct openranges *o)
{
	return o->n > 0 ? openranges_at(o, o->n - 1) : NULL;
}

/* Pushes an innermost range. After its struct openrange the place still has the
 * contents of the last range there, zeros at first. Nothing is swept. */
void *openranges_push(struct openranges *o, int64_t start, int64_t end);

/* Drops the innermost ranges that ended at or before `now`, up to the first one
 * that has not ended; sufficient if ranges nest. */
static inline void
openranges_pop(struct openranges *o, int64_t now)
{
	while (o->n > 0 && ((struct openrange *)openranges_top(o))->end <= now)
		o->n--;
}

/* Drops all ranges that ended at or before `now`. If gone is not NULL, it is
 * called for each of them before its place is given to another; it must not
 * push or sweep. Returns the first place that has changed; the ranges below it
 * have not moved; o->n if none has. */
size_t openranges_sweep(struct openranges *o, int64_t now,
    void (*gone)(void *ctx, void *range), void *ctx);
