/* The list of a profile's sources; see source.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "source.h"

static _Atomic uint64_t bad_rows; /* of all threads */

struct source *
source_add(
    struct sources *ss, enum ev_kind kind, const char *table, row_fn *row)
{
	struct source *s;

	if (ss->n == ss->cap) {
		ss->cap = ss->cap ? ss->cap * 2 : 16;
		ss->v = xrealloc(ss->v, (size_t)ss->cap, sizeof(*ss->v));
	}
	s = &ss->v[ss->n++];
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->table = table;
	s->row = row;
	return s;
}

void
sources_free(struct sources *ss)
{
	struct source *s;

	for (s = ss->v; s < ss->v + ss->n; s++) {
		free(s->from);
		free(s->where);
		free(s->key);
		free(s->cols);
		free(s->start);
		free(s->end);
		free(s->gid);
		free(s->corr);
		free(s->twin);
		free(s->pick);
	}
	free(ss->v);
	memset(ss, 0, sizeof(*ss));
}

void
source_bad_row(void)
{
	bad_rows++;
}

uint64_t
source_bad_rows(void)
{
	return bad_rows;
}
