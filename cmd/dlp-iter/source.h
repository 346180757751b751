/*
 * The files that a section is made of, told apart by column src: each has
 * clocks, processes and iterations of its own. Without that column there is
 * one, without a name.
 */
#ifndef ITER_SOURCE_H
#define ITER_SOURCE_H

#include "own.h"
#include "stable.h"

/* The iterations of an earlier run; see kept.h. */
struct kept {
	struct kept_iter {
		struct line line; /* without its key */
		uint32_t text;    /* which is among the plan's; or SMAP_NONE */
	} * v;
	size_t n, cap;
};

struct source {
	const char *name; /* escaped; NULL: none */
	struct plan plan;
	struct kept kept;
	struct accs accs;
	struct own own;
	const char *own_key; /* what cuts, without -k */
	struct extent extent;
	int64_t step_end;     /* of the last step written; NO_TIME: none */
	size_t n_begun;       /* --cuts: iterations whose begin was written */
	bool outside;         /* and that the time is in none */
	bool found;           /* iterations by a key, not for want of it */
	struct stable stable; /* --list with a key, --stable, --even */
	bool cut_down;        /* --even: only from to to are iterations */
	int64_t from, to;
	bool some_even; /* else these are all */
};

struct sources {
	struct source *v;
	size_t n;
	struct smap names;
	struct map pids; /* process -> its file + 1; SRC_NONE: several */
};

/* The number of the file with that name, made if it is new; a record without
 * a name (s NULL) belongs to the only file, or to the only one that has its
 * process: SRC_NONE if that is not known. */
uint32_t source_of(struct sources *f, const char *s, size_t n, int64_t pid);

void sources_clear(struct sources *f);

#endif
