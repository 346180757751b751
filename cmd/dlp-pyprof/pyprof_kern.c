/*
 * A line of PyProf's .dict: a Python dict of a kernel, of which these keys are
 * read:
 *
 *	{'kShortName': 'volta_sgemm_128x64_nn', 'kDuration': 1234, 'grid': (2,
 *1, 1), 'dir': 'fprop', 'seqId': [3], 'altSeqId': [], 'subSeqId': 0, 'marker':
 *["{'mod': 'torch', 'op': 'mm', 'args': [...]}"], ...}
 *
 * and the arguments of its op, as the argument marker in it has them.
 */
#include <stdlib.h>

#include "array.h"
#include "num.h"
#include "pylit.h"
#include "pyprof.h"

static const char *const keys[] = { "marker", "mod", "op", "layer", "trace" };

struct pyprof_kept {
	struct buf text; /* the parts, one after the other */
	size_t len[P_PARTS];
};

bool
pyprof_first_text(struct mview list, struct buf *out)
{
	struct pylit l;
	struct pl_atom a;

	pyrow_list(&l, list);
	if (!pyrow_item(&l, &a))
		return false;
	pl_text(&a, out);
	return true;
}

static void
read_marker(struct pyprof_kern *k)
{
	buf_clear(&k->marker);
	(void)pyprof_first_text(k->part[P_MARKER], &k->marker);
}

bool
pyprof_kern_read(struct pyprof_kern *k, const char *s, size_t n)
{
	struct pylit l;
	struct pl_atom a;
	int64_t dur;
	size_t i;

	if (!pyrow_read(&k->row, s, n))
		return false;
	buf_clear(&k->name);
	buf_clear(&k->dir);
	if (!pyrow_str(&k->row, "kShortName", &k->name) ||
	    !pyrow_i64(&k->row, "kDuration", &dur))
		return false;
	for (i = 0; i < k->name.len; i++)
		if (k->name.s[i] == ' ')
			k->name.s[i] = '_';
	if (!pyrow_i64(&k->row, "subSeqId", &k->sub))
		k->sub = 0;
	k->bwd = pyrow_str(&k->row, "dir", &k->dir) && k->dir.len > 0 &&
		 k->dir.s[0] == 'b';
	for (i = 0; i < P_PARTS; i++)
		k->part[i] = pyrow_get(&k->row, keys[i]);
	k->grid[0] = k->grid[1] = k->grid[2] = 0;
	pyrow_list(&l, pyrow_get(&k->row, "grid"));
	for (i = 0; i < 3 && pyrow_item(&l, &a); i++)
		if (!num_i64(a.raw.s, a.raw.n, &k->grid[i]))
			k->grid[i] = 0;
	k->pid = 0; /* from our own key */
	pyrow_list(&l, pyrow_get(&k->row, "dlp"));
	if (pyrow_item(&l, &a) && pyrow_item(&l, &a) &&
	    !num_i64(a.raw.s, a.raw.n, &k->pid))
		k->pid = 0;
	read_marker(k);
	return true;
}

void
pyprof_forward_find(const struct pyprof_forward *f, struct pyprof_kern *k)
{
	const struct smap *by = &f->by_seq;
	const struct pyprof_kept *e;
	struct pylit l;
	struct pl_atom a;
	uint32_t no;
	int64_t seq;
	size_t at = 0;
	int i;

	if (!k->bwd || k->marker.len > 0)
		return;
	pyrow_list(&l, pyrow_get(&k->row, "seqId"));
	if (!pyrow_item(&l, &a) || !num_i64(a.raw.s, a.raw.n, &seq))
		return;
	no = smap_find_pair(by, k->pid, seq);
	if (no == SMAP_NONE) {
		by = &f->by_alt;
		no = smap_find_pair(by, k->pid, seq);
	}
	if (no == SMAP_NONE)
		return;
	e = &f->v[by->val[no] - 1];
	for (i = 0; i < P_PARTS; i++) {
		k->part[i] = (struct mview){ e->text.s + at, e->len[i] };
		at += e->len[i];
	}
	read_marker(k);
}

static void
keep_for_ids(struct pyprof_forward *f, struct smap *by, const char *key,
    const struct pyprof_kern *k)
{
	struct pyprof_kept *e;
	struct pylit l;
	struct pl_atom a;
	uint64_t *at;
	uint32_t no;
	int64_t seq;
	int i;

	for (pyrow_list(&l, pyrow_get(&k->row, key)); pyrow_item(&l, &a);) {
		if (!num_i64(a.raw.s, a.raw.n, &seq))
			continue;
		no = smap_put_pair(by, k->pid, seq, NULL);
		at = &by->val[no];
		if (*at == 0) {
			ARRAY_GROW(f->v, f->n, f->cap);
			memset(&f->v[f->n], 0, sizeof(*f->v));
			*at = ++f->n;
		}
		e = &f->v[*at - 1];
		buf_clear(&e->text);
		for (i = 0; i < P_PARTS; i++) {
			e->len[i] = k->part[i].s != NULL ? k->part[i].n : 0;
			buf_put(&e->text, k->part[i].s, e->len[i]);
		}
	}
}

void
pyprof_forward_keep(struct pyprof_forward *f, const struct pyprof_kern *k)
{
	if (k->bwd)
		return;
	keep_for_ids(f, &f->by_seq, "seqId", k);
	keep_for_ids(f, &f->by_alt, "altSeqId", k);
}

/* A text or number as written, a text without its quotes; s is NULL if it is
 * neither. */
static struct mview
py_text(struct mview v)
{
	struct pylit l;
	struct pl_atom a;

	pl_init(&l, v.s != NULL ? v.s : "", v.s != NULL ? v.n : 0);
	if (v.s == NULL || pl_peek(&l) == '[' || pl_peek(&l) == '(' ||
	    pl_peek(&l) == '{' || !pl_atom(&l, &a))
		return (struct mview){ NULL, 0 };
	return a.raw;
}

static bool
py_ints(struct mview v, struct pyprof_shape *out)
{
	struct pylit l;
	struct pl_atom a;

	out->n = 0;
	if (v.s == NULL || v.n == 0 || (v.s[0] != '(' && v.s[0] != '['))
		return false;
	for (pyrow_list(&l, v); pyrow_item(&l, &a); out->n++)
		if (out->n == ARG_DIMS ||
		    !num_i64(a.raw.s, a.raw.n, &out->v[out->n]))
			return false;
	return !l.bad;
}

bool
pyprof_marker_read(struct pyprof_marker *m, const char *s, size_t n)
{
	struct pyrow *r = &m->row;
	struct pyprof_arg *a;
	struct mview args;
	struct pylit l;

	if (!pyrow_read(r, s, n))
		return false;
	m->mod = py_text(pyrow_get(r, "mod"));
	m->op = py_text(pyrow_get(r, "op"));
	args = pyrow_get(r, "args");
	m->n = 0;
	if (m->mod.s == NULL || m->op.s == NULL || args.s == NULL)
		return false;
	pl_init(&l, args.s, args.n);
	if (!pl_enter(&l, '\0'))
		return false;
	r = &m->arg_row;
	while (pl_item(&l)) {
		(void)pl_peek(&l);
		s = l.p;
		if (m->n == ARG_MAX || !pl_skip(&l))
			return false;
		a = &m->arg[m->n++];
		memset(a, 0, sizeof(*a));
		if (!pyrow_read(r, s, (size_t)(l.p - s)))
			return false;
		a->name = py_text(pyrow_get(r, "name"));
		a->type = py_text(pyrow_get(r, "type"));
		a->dtype = py_text(pyrow_get(r, "dtype"));
		a->value = pyrow_get(r, "value");
		a->has_shape = py_ints(pyrow_get(r, "shape"), &a->shape);
		if (a->type.s == NULL)
			return false;
	}
	return !l.bad;
}

bool
arg_is(const struct pyprof_arg *a, const char *type)
{
	return mv_eq(a->type, type);
}

bool
arg_unnamed(const struct pyprof_arg *a)
{
	return a->name.s == NULL || a->name.n == 0;
}

bool
arg_int(const struct pyprof_arg *a, int64_t *v)
{
	struct mview t = py_text(a->value);

	return t.s != NULL && num_i64(t.s, t.n, v);
}

bool
arg_ints(const struct pyprof_arg *a, struct pyprof_shape *v)
{
	return py_ints(a->value, v);
}

int64_t
shape_elems(const struct pyprof_shape *s)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < s->n; i++)
		n = pynum_mul(n, s->v[i]);
	return n;
}

bool
shape_same(const struct pyprof_shape *a, const struct pyprof_shape *b)
{
	return a->n == b->n &&
	       memcmp(a->v, b->v, (size_t)a->n * sizeof(a->v[0])) == 0;
}

bool
shape_broadcast(const struct pyprof_shape *a, const struct pyprof_shape *b,
    struct pyprof_shape *out)
{
	int i;

	out->n = a->n > b->n ? a->n : b->n;
	for (i = 1; i <= out->n; i++) {
		int64_t x = i <= a->n ? a->v[a->n - i] : 1;
		int64_t y = i <= b->n ? b->v[b->n - i] : 1;

		if (x != y && x != 1 && y != 1)
			return false;
		out->v[out->n - i] = x == 1 ? y : x;
	}
	return true;
}

static const struct py_dtype {
	const char *names, *word;
	int size;
} dtypes[] = {
	{ "uint8 byte char", "uint8", 1 },
	{ "int8", "int8", 1 },
	{ "bool", "bool", 1 },
	{ "float16 half", "fp16", 2 },
	{ "int16 short", "int16", 2 },
	{ "float32 float", "fp32", 4 },
	{ "int32 int", "int32", 4 },
	{ "int64 long", "int64", 8 },
	{ "float64 double", "fp64", 8 },
	{ NULL, NULL, 0 },
};

static const struct py_dtype *
dtype_of(struct mview name)
{
	const struct py_dtype *d = dtypes;

	while (d->names != NULL && !is_word_of(name, d->names))
		d++;
	return d;
}

int64_t
dtype_size(struct mview dtype)
{
	return dtype_of(dtype)->size;
}

const char *
dtype_word(struct mview dtype)
{
	return dtype_of(dtype)->word;
}
