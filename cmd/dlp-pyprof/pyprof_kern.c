/*
 * A line of PyProf's .dict: a Python dict of a kernel, of which these keys are
 * read:
 *
 *	{'kShortName': 'volta_sgemm_128x64_nn', 'kDuration': 1234, 'grid': (2,
 *1, 1), 'dir': 'fprop', 'seqId': [3], 'altSeqId': [], 'subSeqId': 0, 'marker':
 *["{'mod': 'torch', 'op': 'mm', 'args': [...]}"], ...}
 */
#include <stdlib.h>

#include "array.h"
#include "err.h"
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
read_grid(struct pyprof_kern *k)
{
	struct pylit l;
	struct pl_atom a;
	int i = 0;

	k->grid[0] = k->grid[1] = k->grid[2] = 0;
	for (pyrow_list(&l, pyrow_get(&k->row, "grid"));
	     i < 3 && pyrow_item(&l, &a); i++)
		if (!num_i64(a.raw.s, a.raw.n, &k->grid[i]))
			k->grid[i] = 0;
}

/* The process, from our own key. */
static void
read_pid(struct pyprof_kern *k)
{
	struct pylit l;
	struct pl_atom a;

	k->pid = 0;
	pyrow_list(&l, pyrow_get(&k->row, "dlp"));
	if (pyrow_item(&l, &a) && pyrow_item(&l, &a) &&
	    !num_i64(a.raw.s, a.raw.n, &k->pid))
		k->pid = 0;
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
	read_grid(k);
	read_pid(k);
	read_marker(k);
	return true;
}

/* The values of the process's forward kernel with that sequence id; NULL if
 * none. */
static const struct pyprof_kept *
forward_of(const struct pyprof_forward *f, int64_t pid, int64_t seq)
{
	const struct smap *by = &f->by_seq;
	uint32_t i = smap_find_pair(by, pid, seq);

	if (i == SMAP_NONE) {
		by = &f->by_alt;
		i = smap_find_pair(by, pid, seq);
	}
	return i != SMAP_NONE ? &f->v[by->val[i] - 1] : NULL;
}

void
pyprof_forward_find(const struct pyprof_forward *f, struct pyprof_kern *k)
{
	const struct pyprof_kept *e = NULL;
	struct pylit l;
	struct pl_atom a;
	int64_t seq;
	size_t at = 0;
	int i;

	if (!k->bwd || k->marker.len > 0)
		return;
	pyrow_list(&l, pyrow_get(&k->row, "seqId"));
	if (pyrow_item(&l, &a) && num_i64(a.raw.s, a.raw.n, &seq))
		e = forward_of(f, k->pid, seq);
	if (e == NULL)
		return;
	for (i = 0; i < P_PARTS; i++) {
		k->part[i] = (struct mview){ e->text.s + at, e->len[i] };
		at += e->len[i];
	}
	read_marker(k);
}

static void
keep_parts(struct pyprof_forward *f, struct smap *by, int64_t seq,
    const struct pyprof_kern *k)
{
	uint32_t no = smap_put_pair(by, k->pid, seq, NULL);
	uint64_t *at = &by->val[no];
	struct pyprof_kept *e;
	int i;

	if (*at == 0) {
		ARRAY_GROW(f->v, f->n, f->cap);
		memset(&f->v[f->n], 0, sizeof(*f->v));
		*at = ++f->n;
	}
	e = &f->v[*at - 1];
	buf_clear(&e->text);
	for (i = 0; i < P_PARTS; i++) {
		e->len[i] = k->part[i].s != NULL ? k->part[i].n : 0;
		if (e->len[i] > 0)
			buf_put(&e->text, k->part[i].s, e->len[i]);
	}
}

static void
keep_for_ids(struct pyprof_forward *f, struct smap *by, struct mview list,
    const struct pyprof_kern *k)
{
	struct pylit l;
	struct pl_atom a;
	int64_t seq;

	for (pyrow_list(&l, list); pyrow_item(&l, &a);)
		if (num_i64(a.raw.s, a.raw.n, &seq))
			keep_parts(f, by, seq, k);
}

void
pyprof_forward_keep(struct pyprof_forward *f, const struct pyprof_kern *k)
{
	if (k->bwd)
		return;
	keep_for_ids(f, &f->by_seq, pyrow_get(&k->row, "seqId"), k);
	keep_for_ids(f, &f->by_alt, pyrow_get(&k->row, "altSeqId"), k);
}

void
pyprof_forward_free(struct pyprof_forward *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		buf_free(&f->v[i].text);
	free(f->v);
	smap_free(&f->by_seq);
	smap_free(&f->by_alt);
}
