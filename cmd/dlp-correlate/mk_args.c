/*
 * The argument list of PyProf's and DLProf's markers. A program makes the same
 * few thousand calls again and again, so parsed lists are cached by their text.
 * When the lists are too many, or their texts too long together, a new cache
 * begins. The one before it stays until the new one is full too, so that an
 * answer is valid while thousands of others are asked for: a caller, which
 * keeps it for one record at most, need not know when that happens.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "map.h"
#include "mk.h"
#include "pylit.h"

#define CACHE_N 32768
#define CACHE_BYTES (16u << 20)
#define LIST_MAX 262144u

struct arg_parts { /* of the list being read */
	struct buf json, shapes, dtype, scalars;
	int n_tensor;
};

struct arg_lists { /* by text of the list */
	struct smap lists, texts;
	struct marker_args **v; /* by number; NULL: no list */
	size_t cap, bytes;
};

struct arg_cache {
	struct arg_lists now, before;
	struct arg_parts cur;
};

struct marker_arg { /* one argument; s is NULL for a missing part */
	struct mview name, type, shape, dtype, value;
};

static bool
read_arg(struct pylit *lit, struct marker_arg *a)
{
	struct mview key, v, bare;
	const char *s;

	memset(a, 0, sizeof(*a));
	if (!pl_enter(lit, '{'))
		return false;
	while (pl_key(lit, &key)) {
		pl_peek(lit);
		s = lit->p;
		v = pl_skip(lit) ? mv(s, lit->p) : mv(NULL, NULL);
		bare = v;
		if (v.n >= 2 && (v.s[0] == '\'' || v.s[0] == '"'))
			bare = mv(v.s + 1, v.s + v.n - 1);
		if (mv_eq(key, "name"))
			a->name = bare;
		else if (mv_eq(key, "type"))
			a->type = bare;
		else if (mv_eq(key, "shape"))
			a->shape = v;
		else if (mv_eq(key, "dtype"))
			a->dtype = bare;
		else if (mv_eq(key, "value"))
			a->value = v;
	}
	return !lit->bad;
}

/* Learning rates and losses differ from step to step, so arguments with a float
 * in them do not separate ops. */
static void
add_scalar(struct buf *buf, const struct marker_arg *a)
{
	const char *s = a->value.s;
	size_t i, n = a->value.n;
	bool text = n > 0 && (s[0] == '\'' || s[0] == '"');

	if (mv_eq(a->type, "float"))
		return;
	for (i = 1; i + 1 < n && !text; i++)
		if ((s[i] == '.' || s[i] == 'e') && mk_is_digit(s[i - 1]))
			return;
	if (buf->len > 0)
		buf_putc(buf, ',');
	if (a->name.n > 0) {
		buf_put(buf, a->name.s, a->name.n);
		buf_putc(buf, '=');
	}
	for (i = 0; i < n; i++)
		if (s[i] != ' ')
			buf_putc(buf, s[i]);
}

static bool
read_list(struct mview text, struct arg_parts *p)
{
	struct pylit lit, shape;
	struct marker_arg a;

	pl_init(&lit, text.s, text.n);
	if (!pl_enter(&lit, '\0'))
		return false;
	while (pl_item(&lit)) {
		if (!read_arg(&lit, &a))
			return false;
		if (!mv_eq(a.type, "tensor") && !mv_eq(a.type, "ndarray")) {
			add_scalar(&p->scalars, &a);
			continue;
		}
		buf_putc(&p->shapes, p->n_tensor++ > 0 ? ',' : '[');
		if (p->n_tensor == 1)
			buf_put(&p->dtype, a.dtype.s, a.dtype.n);
		if (a.shape.s == NULL) {
			buf_puts(&p->shapes, "null");
			continue;
		}
		pl_init(&shape, a.shape.s, a.shape.n);
		if (!pl_json(&shape, &p->shapes))
			return false;
	}
	if (p->n_tensor > 0)
		buf_putc(&p->shapes, ']');
	if (lit.bad || pl_peek(&lit) != '\0')
		return false;
	pl_init(&lit, text.s, text.n);
	return pl_json(&lit, &p->json);
}

static struct mview
keep_arg_text(struct arg_lists *l, const struct buf *b)
{
	struct mview v;
	bool is_new;

	if (b->len == 0)
		return (struct mview){ "", 0 };
	v.s = smap_str(
	    &l->texts, smap_put(&l->texts, b->s, b->len, &is_new), &v.n);
	l->bytes += is_new ? v.n : 0;
	return v;
}

static void
keep_list(struct arg_cache *cache, uint32_t i, const struct marker *marker)
{
	struct arg_lists *l = &cache->now;
	struct arg_parts *p = &cache->cur;
	struct marker_args *a;
	bool ok;

	ARRAY_GROW(l->v, i, l->cap);
	l->v[i] = NULL;
	l->bytes += marker->args.n;
	buf_clear(&p->json);
	buf_clear(&p->shapes);
	buf_clear(&p->dtype);
	buf_clear(&p->scalars);
	p->n_tensor = 0;
	if (marker->args.n > LIST_MAX)
		return;
	if (marker->by == BY_TENSORFLOW) {
		buf_put(&p->json, marker->args.s, marker->args.n);
		ok = mk_tf_args(marker->in, marker->args, &p->shapes, &p->dtype,
		    &p->n_tensor);
	} else {
		ok = read_list(marker->args, p);
	}
	if (!ok)
		return;
	a = l->v[i] = xcalloc(1, sizeof(*a));
	a->json = keep_arg_text(l, &p->json);
	a->shapes = keep_arg_text(l, &p->shapes);
	a->scalars = keep_arg_text(l, &p->scalars);
	a->dtype = keep_arg_text(l, &p->dtype);
	if (a->dtype.n == 0)
		a->dtype.s = NULL;
}

const struct marker_args *
marker_args(const struct marker *marker)
{
	struct arg_cache *cache;
	struct arg_lists *old;
	bool is_new;
	uint32_t i;

	if (marker->args.s == NULL)
		return NULL;
	if (marker->in->args == NULL)
		marker->in->args = xcalloc(1, sizeof(*cache));
	cache = marker->in->args;
	if (cache->now.lists.n >= CACHE_N || cache->now.bytes >= CACHE_BYTES) {
		old = &cache->before;
		for (i = 0; i < old->lists.n; i++)
			free(old->v[i]);
		free(old->v);
		smap_free(&old->lists);
		smap_free(&old->texts);
		cache->before = cache->now;
		memset(&cache->now, 0, sizeof(cache->now));
	}
	i = smap_put(
	    &cache->now.lists, marker->args.s, marker->args.n, &is_new);
	if (is_new)
		keep_list(cache, i, marker);
	return cache->now.v[i];
}
