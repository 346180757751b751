/* The files of a section; see source.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "kept.h"
#include "source.h"

static uint32_t
add(struct sources *f, const char *name)
{
	f->v = xrealloc(f->v, f->n + 1, sizeof(*f->v));
	memset(&f->v[f->n], 0, sizeof(*f->v));
	f->v[f->n].name = name;
	f->v[f->n].step_end = NO_TIME;
	return (uint32_t)f->n++;
}

static uint32_t
by_pid(const struct sources *f, int64_t pid)
{
	const uint64_t *v = map_get(&f->pids, (uint64_t)pid);

	if (f->names.n == 1)
		return 0;
	return v == NULL || *v == SRC_NONE ? SRC_NONE : (uint32_t)*v - 1;
}

uint32_t
source_of(struct sources *f, const char *s, size_t n, int64_t pid)
{
	bool fresh;
	uint32_t no;
	uint64_t *v;

	if (s == NULL && f->names.n == 0)
		return f->n > 0 ? 0 : add(f, NULL);
	if (s == NULL)
		return by_pid(f, pid);
	no = smap_put(&f->names, s, n, &fresh);
	if (fresh && no == 0 && f->n > 0)
		f->v[0].name = smap_str(&f->names, 0, NULL);
	else if (fresh)
		add(f, smap_str(&f->names, no, NULL));
	v = map_put(&f->pids, (uint64_t)pid, &fresh);
	if (fresh)
		*v = no + 1;
	else if (*v != no + 1)
		*v = SRC_NONE;
	return no;
}

void
sources_clear(struct sources *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		plan_clear(&f->v[i].plan);
		kept_clear(&f->v[i]);
		acc_clear(&f->v[i].accs);
		own_free(&f->v[i].own);
		stable_clear(&f->v[i].stable);
	}
	free(f->v);
	smap_free(&f->names);
	map_free(&f->pids);
	memset(f, 0, sizeof(*f));
}
