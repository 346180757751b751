/* The arguments of an op; see args.h. */
#include <string.h>

#include "args.h"
#include "err.h"
#include "size.h"

void
args_clear(struct args *a)
{
	a->n = a->ndims = 0;
	a->typed = false;
}

struct arg *
args_add(struct args *a)
{
	struct arg *g;

	if (a->n == a->cap) {
		a->cap = a->cap == 0 ? 16 : a->cap * 2;
		a->v = xrealloc(a->v, a->cap, sizeof(*a->v));
	}
	g = &a->v[a->n++];
	memset(g, 0, sizeof(*g));
	g->dim = a->ndims;
	return g;
}

void
args_add_dim(struct args *a, int64_t d)
{
	if (a->ndims == a->dims_cap) {
		a->dims_cap = a->dims_cap == 0 ? 64 : a->dims_cap * 2;
		a->dims = xrealloc(a->dims, a->dims_cap, sizeof(*a->dims));
	}
	a->dims[a->ndims++] = d;
}

const struct arg *
arg_at(const struct args *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

const struct arg *
arg_named(const struct args *a, const char *name, int i)
{
	size_t k, n = strlen(name);

	for (k = 0; k < a->n; k++)
		if (a->v[k].named && a->v[k].name_len == n &&
		    memcmp(a->v[k].name, name, n) == 0)
			return &a->v[k];
	if (i >= 0 && (size_t)i < a->n && !a->v[i].named)
		return &a->v[i];
	return NULL;
}

const struct arg *
arg_tensor(const struct args *a, size_t i)
{
	size_t k;

	for (k = 0; k < a->n; k++)
		if (a->v[k].type == ARG_TENSOR && i-- == 0)
			return &a->v[k];
	return NULL;
}

int64_t
arg_dim(const struct args *a, const struct arg *t, int i)
{
	if (t == NULL || t->bad)
		return -1;
	if (i < 0)
		i += (int)t->nd;
	return i < 0 || (size_t)i >= t->nd ? -1 : a->dims[t->dim + (size_t)i];
}

int64_t
arg_numel(const struct args *a, const struct arg *t)
{
	int64_t r = 1;
	size_t i;

	if (t == NULL || t->bad)
		return -1;
	for (i = 0; i < t->nd; i++)
		r = size_mul(r, a->dims[t->dim + i]);
	return r;
}
