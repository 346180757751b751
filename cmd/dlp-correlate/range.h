/* Ranges of the stream, as they begin. */
#ifndef DLP_RANGE_H
#define DLP_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct corr;
struct open;
struct proc;
struct thread;

struct range {
	int64_t id, start, end;
	bool has_end;
	bool crossing;    /* ends on another thread */
	bool backwards;   /* ends before it starts */
	bool nests;       /* push/pop, not start/end */
	bool foreign;     /* not of the --domain */
	const char *text; /* unescaped */
	size_t n;
	const char *domain;
	struct thread *th;
	struct proc *p;
};

/* To be called before its record is written; the thread must be swept.
 * Returns the range as open (valid until the next call); its kind tells
 * whether it is a user's. */
struct open *range_begin(struct corr *c, const struct range *r);

#endif
