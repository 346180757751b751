/*
 * Key ops: iterations end where runs of the key op end. On several GPUs with
 * equally many runs each, iteration n ends when the n-th run of the last GPU
 * ends; otherwise every run ends one.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "key.h"
#include "num.h"

/* DLProf numbers the ops of each upper-cased type from 1. */
static uint64_t
type_number(struct opkey *o, const char *type)
{
	struct buf *up = &o->up;
	const char *p;
	uint32_t n;

	buf_clear(up);
	for (p = type; *p != '\0'; p++)
		buf_putc(up, (char)toupper((unsigned char)*p));
	n = smap_put(&o->types, up->s, up->len, NULL);
	return ++o->types.val[n];
}

static bool
is_text(const char *a, const char *b)
{
	return a != NULL && strcmp(a, b) == 0;
}

static bool
same_norm(struct key *k, const char *s)
{
	if (s == NULL || k->exact)
		return false;
	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, strlen(s));
	return k->tmp.len > 0 && k->tmp.len == k->norm.len &&
	       memcmp(k->tmp.s, k->norm.s, k->tmp.len) == 0;
}

static enum op_level
level_of(struct opkey *o, struct key *k, int64_t id, const struct op_names *s)
{
	const char *arg = k->arg;
	uint64_t nth;
	int64_t v;

	if (s->dl_id != NULL) {
		if (is_text(s->dl_id, arg))
			return OP_TYPE_N;
	} else if (s->type != NULL && *s->type != '\0') {
		nth = type_number(o, s->type);
		buf_putc(&o->up, '_');
		buf_u64(&o->up, nth);
		if (o->up.len == strlen(arg) &&
		    memcmp(o->up.s, arg, o->up.len) == 0)
			return OP_TYPE_N;
	}
	if (num_i64(arg, strlen(arg), &v))
		return v == id ? OP_ID : OP_LEVELS;
	if (is_text(s->name, arg))
		return OP_NAME;
	if (is_text(s->key, arg))
		return OP_KEY;
	if (same_norm(k, s->name))
		return OP_NAME_NORM;
	if (is_text(s->text, arg))
		return OP_TEXT;
	return is_text(s->type, arg) ? OP_TYPE : OP_LEVELS;
}

/* DLProf finds an op by its name or its id. (That numbers in names are ignored
 * is ours.) */
static bool
is_name(enum op_level level)
{
	return level == OP_NAME || level == OP_TYPE_N || level == OP_NAME_NORM;
}

void
opkey_op(struct opkey *o, struct key *k, int64_t id, const struct op_names *s)
{
	enum op_level level = level_of(o, k, id, s);

	if (level == OP_LEVELS || (k->by_name && !is_name(level)))
		return;
	*map_put(&o->ops, (uint64_t)id, NULL) =
	    (uint64_t)level * 2 + is_text(s->dir, "bprop") + 1;
}

bool
opkey_has(const struct opkey *o, int64_t op_id)
{
	return o->ops.n > 0 && map_get(&o->ops, (uint64_t)op_id) != NULL;
}

void
opkey_gpu(struct opkey *o, int64_t op_id, int64_t inst, int64_t dev)
{
	bool fresh;
	uint64_t *v;

	if (!opkey_has(o, op_id) || dev < 0)
		return;
	v = map_put(&o->devs, (uint64_t)inst, &fresh);
	if (fresh)
		*v = (uint64_t)dev + 1;
}

static struct keyinst *
add_run(struct opkey *o)
{
	ARRAY_GROW(o->v, o->n, o->cap);
	return &o->v[o->n++];
}

void
opkey_inst(struct opkey *o, int64_t op_id, int64_t inst, uint32_t src,
    uint32_t proc, int64_t stop)
{
	const uint64_t *what = map_get(&o->ops, (uint64_t)op_id);
	const uint64_t *dev = map_get(&o->devs, (uint64_t)inst);
	struct keyinst *x;

	if (what == NULL)
		return;
	x = add_run(o);
	x->stop = stop;
	x->src = src;
	x->proc = proc;
	x->dev = dev != NULL ? (int64_t)*dev - 1 : -1;
	x->level = (uint8_t)((*what - 1) / 2);
	x->bprop = (*what - 1) % 2;
	if (dev != NULL)
		map_del(&o->devs, (uint64_t)inst);
}

void
opkey_range(
    struct opkey *o, uint32_t src, uint32_t proc, int64_t stop, bool last)
{
	*add_run(o) = (struct keyinst){ stop, -1, src, proc,
		last ? OP_RANGE_LAST : OP_RANGE, false };
}

/* Keeps the runs of the best level; if an op runs forward and backward, only
 * the forward runs, because an iteration has one of them. */
static void
keep_best(struct opkey *o)
{
	uint8_t best = OP_LEVELS;
	bool fprop = false;
	size_t i, n = 0;

	for (i = 0; i < o->n; i++)
		if (o->v[i].level < best)
			best = o->v[i].level;
	for (i = 0; i < o->n; i++)
		fprop |= o->v[i].level == best && !o->v[i].bprop;
	for (i = 0; i < o->n; i++)
		if (o->v[i].level == best && (!fprop || !o->v[i].bprop))
			o->v[n++] = o->v[i];
	o->n = n;
}

/* A run without work on a GPU counts for the GPU of its process. */
static void
fill_devs(struct opkey *o)
{
	struct map m = { 0 };
	const uint64_t *v;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->v[i].dev >= 0)
			*map_put(&m, o->v[i].proc, NULL) =
			    (uint64_t)o->v[i].dev;
	for (i = 0; i < o->n; i++) {
		v = map_get(&m, o->v[i].proc);
		if (o->v[i].dev < 0 && v != NULL)
			o->v[i].dev = (int64_t)*v;
	}
	map_free(&m);
}

static int
by_gpu(const void *a, const void *b)
{
	const struct keyinst *x = a, *y = b;

	if (x->proc != y->proc)
		return x->proc < y->proc ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->stop > y->stop) - (x->stop < y->stop);
}

static bool
same_gpu(const struct keyinst *x, const struct keyinst *y)
{
	return x->proc == y->proc && x->dev == y->dev;
}

/* The number of runs of each GPU if it is the same on all of them, otherwise
 * 0. */
static size_t
runs_each(const struct opkey *o)
{
	size_t i, from = 0, each = 0;

	for (i = 1; i <= o->n; i++) {
		if (i < o->n && same_gpu(&o->v[i], &o->v[from]))
			continue;
		if (each != 0 && i - from != each)
			return 0;
		each = i - from;
		from = i;
	}
	return each;
}

/* The runs that lie in a file; v is to be freed. */
static struct opkey
runs_of_file(const struct opkey *o, uint32_t src)
{
	struct opkey r = { 0 };
	size_t i;

	r.v = xcalloc(o->n + 1, sizeof(*r.v));
	for (i = 0; i < o->n; i++)
		if (o->v[i].src == src)
			r.v[r.n++] = o->v[i];
	return r;
}

bool
opkey_cuts(struct opkey *o, uint32_t src, struct layout *p)
{
	struct opkey r;
	size_t i, k, each;
	int64_t t;

	keep_best(o);
	r = runs_of_file(o, src);
	if (r.n == 0) {
		free(r.v);
		return false;
	}
	fill_devs(&r);
	qsort(r.v, r.n, sizeof(*r.v), by_gpu);
	each = runs_each(&r);
	for (i = 0; i < (each > 0 ? each : r.n); i++) {
		t = r.v[i].stop;
		for (k = i; each > 0 && k < r.n; k += each)
			if (r.v[k].stop > t)
				t = r.v[k].stop;
		layout_cut(p, t);
	}
	layout_cuts_done(p);
	free(r.v);
	return true;
}

void
opkey_clear(struct opkey *o)
{
	map_free(&o->ops);
	map_free(&o->devs);
	smap_free(&o->types);
	buf_free(&o->up);
	free(o->v);
	memset(o, 0, sizeof(*o));
}
