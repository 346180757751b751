/* See dict_call.h. */
#include "dict_call.h"

#include <string.h>

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

int
dict_common(const struct dict_line *a, const struct dict_line *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (!same(&a->path[i], &b->path[i]))
			break;
	return i;
}

/* Whether ranges [from, to) are the same; both lines have them. */
static bool
same_part(const struct dict_line *a, const struct dict_line *b, int from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!same(&a->path[from + i], &b->path[from + i]))
			return false;
	return true;
}

bool
dict_same_run(const struct dict_line *a, const struct dict_line *b)
{
	if (a->tid != b->tid || a->first_marker != b->first_marker ||
	    (a->n_marker > 0) != (b->n_marker > 0))
		return false;
	if (a->n_marker > 0)
		return same_part(a, b, 0, a->first_marker + 1);
	return a->n == b->n && dict_common(a, b) == a->n;
}

static bool
same_markers(const struct dict_line *a, const struct dict_line *b)
{
	return a->n_marker == b->n_marker &&
	       same_part(a, b, a->first_marker, a->n_marker);
}

static bool
same_seq(const struct dict_line *a, const struct dict_line *b)
{
	int from = a->first_marker + a->n_marker;

	return a->n == b->n && same_part(a, b, from, a->n - from);
}

/* Functions that call others, which differ, and may call one twice. */
static bool
is_composite(const struct dict_line *v, int n)
{
	int i;

	for (i = 1; i < n; i++)
		if (!same_markers(&v[0], &v[i]))
			return true;
	return false;
}

int
dict_call(const struct dict_line *v, int n, bool shared)
{
	bool by_seq = !shared || is_composite(v, n);
	int i;

	/* a node of the backward pass runs once */
	if (v[0].n_marker == 0 && v[0].bwd && v[0].numbered)
		return n;
	for (i = 1; i < n; i++) {
		if (!same(&v[i].name, &v[0].name) ||
		    !same_markers(&v[i], &v[0]))
			continue;
		if (!by_seq || !same_seq(&v[i], &v[0]))
			return i;
	}
	return n;
}
