/* The files of a section, and the iterations that an earlier dlp-iter gave
 * them. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "iter.h"
#include "num.h"

static uint32_t
add_file(struct iter_files *f, const char *name)
{
	f->v = xrealloc(f->v, f->n + 1, sizeof(*f->v));
	memset(&f->v[f->n], 0, sizeof(*f->v));
	f->v[f->n].name = name;
	f->v[f->n].step_end = NO_TIME;
	return (uint32_t)f->n++;
}

static uint32_t
file_of_process(const struct iter_files *f, int64_t pid)
{
	const uint64_t *v = map_get(&f->pids, (uint64_t)pid);

	if (f->names.n == 1)
		return 0;
	return v == NULL || *v == SRC_NONE ? SRC_NONE : (uint32_t)*v - 1;
}

uint32_t
iter_file_of(struct iter_files *f, const char *s, size_t n, int64_t pid)
{
	bool fresh;
	uint32_t no;
	uint64_t *v;

	if (s == NULL && f->names.n == 0)
		return f->n > 0 ? 0 : add_file(f, NULL);
	if (s == NULL)
		return file_of_process(f, pid);
	no = smap_put(&f->names, s, n, &fresh);
	if (fresh && no == 0 && f->n > 0)
		f->v[0].name = smap_str(&f->names, 0, NULL);
	else if (fresh)
		add_file(f, smap_str(&f->names, no, NULL));
	v = map_put(&f->pids, (uint64_t)pid, &fresh);
	if (fresh)
		*v = no + 1;
	else if (*v != no + 1)
		*v = SRC_NONE;
	return no;
}

void
iter_files_clear(struct iter_files *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		layout_clear(&f->v[i].layout);
		free(f->v[i].kept.v);
		acc_clear(&f->v[i].accs);
		own_free(&f->v[i].own);
		stable_clear(&f->v[i].stable);
	}
	free(f->v);
	smap_free(&f->names);
	map_free(&f->pids);
	memset(f, 0, sizeof(*f));
}

void
kept_add(
    struct iter_file *f, const struct iteration *it, const char *text, size_t n)
{
	struct iter_kept *k = &f->kept;

	ARRAY_GROW(k->v, k->n, k->cap);
	k->v[k->n++] = (struct kept_iter){ *it,
		text != NULL ? smap_put(&f->layout.texts, text, n, NULL)
			     : SMAP_NONE };
}

bool
kept_take(struct iter_file *f)
{
	const struct iter_kept *k = &f->kept;
	const struct iteration *x;
	size_t i;

	for (i = 0; i < k->n; i++) {
		x = &k->v[i].it;
		if (x->iter < 0 || !x->has_cpu ||
		    x->iter != num_add(k->v[0].it.iter, (int64_t)i))
			return false;
	}
	if (k->n < 1)
		return false;
	if (k->n == 1 && k->v[0].text == SMAP_NONE)
		return true;
	for (i = 0; i < k->n; i++) {
		x = &k->v[i].it;
		layout_kept(&f->layout, x->start,
		    x->has_dur ? num_add(x->start, x->dur) : INT64_MAX);
	}
	return true;
}

int64_t
kept_where(struct iter_file *f, const struct iter_item *m, const char *line)
{
	const char *s = line + m->iter_off;
	int64_t n;

	if (m->iter_off == m->len) {
		n = layout_where(&f->layout, m->lane, m->t);
		return n < 0 ? -1 : f->kept.v[n].it.iter;
	}
	return num_i64(s, m->iter_len, &n) && n >= 0 ? n : -1;
}

void
kept_iteration(struct iteration *x, const struct iter_file *f, size_t i)
{
	uint32_t text = f->kept.v[i].text;

	*x = f->kept.v[i].it;
	x->key =
	    text != SMAP_NONE ? smap_str(&f->layout.texts, text, NULL) : NULL;
}

int64_t
kept_first(const struct iter_files *f)
{
	int64_t first = INT64_MAX;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->v[i].layout.kind != LAYOUT_KEPT)
			return 0;
		if (f->v[i].kept.v[0].it.iter < first)
			first = f->v[i].kept.v[0].it.iter;
	}
	return f->n > 0 ? first : 0;
}
