/* See kern.h. */
#include <stdlib.h>

#include "err.h"
#include "kern.h"
#include "num.h"
#include "pylit_json.h"

static const char *const keys[] = { "marker", "mod", "op", "layer", "trace" };

struct kept {
	struct buf text; /* the parts, one behind the other */
	size_t len[P_PARTS];
};

bool
first_text(struct mview list, struct buf *out)
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
read_grid(struct kern *k)
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

static void
read_marker(struct kern *k)
{
	buf_clear(&k->marker);
	(void)first_text(k->part[P_MARKER], &k->marker);
}

bool
kern_read(struct kern *k, const char *s, size_t n)
{
	static struct buf dir;
	int64_t dur;
	size_t i;

	if (!pyrow_read(&k->row, s, n))
		return false;
	buf_clear(&k->name);
	buf_clear(&dir);
	if (!pyrow_str(&k->row, "kShortName", &k->name) ||
	    !pyrow_i64(&k->row, "kDuration", &dur))
		return false;
	for (i = 0; i < k->name.len; i++)
		if (k->name.s[i] == ' ')
			k->name.s[i] = '_';
	if (!pyrow_i64(&k->row, "subSeqId", &k->sub))
		k->sub = 0;
	k->bwd =
	    pyrow_str(&k->row, "dir", &dir) && dir.len > 0 && dir.s[0] == 'b';
	for (i = 0; i < P_PARTS; i++)
		k->part[i] = pyrow_get(&k->row, keys[i]);
	read_grid(k);
	read_marker(k);
	return true;
}

/* Number of the entry of a sequence id, from 1. */
static const struct kept *
find(const struct forward *f, int64_t seq)
{
	const uint64_t *at = map_get(&f->by_seq, (uint64_t)seq);

	if (at == NULL)
		at = map_get(&f->by_alt, (uint64_t)seq);
	return at != NULL ? &f->v[*at - 1] : NULL;
}

void
forward_find(const struct forward *f, struct kern *k)
{
	const struct kept *e = NULL;
	struct pylit l;
	struct pl_atom a;
	int64_t seq;
	size_t at = 0;
	int i;

	if (!k->bwd || k->marker.len > 0)
		return;
	pyrow_list(&l, pyrow_get(&k->row, "seqId"));
	if (pyrow_item(&l, &a) && num_i64(a.raw.s, a.raw.n, &seq))
		e = find(f, seq);
	if (e == NULL)
		return;
	for (i = 0; i < P_PARTS; i++) {
		k->part[i] = (struct mview){ e->text.s + at, e->len[i] };
		at += e->len[i];
	}
	read_marker(k);
}

static void
keep(struct forward *f, struct map *by, int64_t seq, const struct kern *k)
{
	uint64_t *at = map_put(by, (uint64_t)seq, NULL);
	struct kept *e;
	int i;

	if (*at == 0) {
		if (f->n == f->cap) {
			f->cap = f->cap == 0 ? 64 : f->cap * 2;
			f->v = xrealloc(f->v, f->cap, sizeof(*f->v));
		}
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
keep_all(
    struct forward *f, struct map *by, struct mview list, const struct kern *k)
{
	struct pylit l;
	struct pl_atom a;
	int64_t seq;

	for (pyrow_list(&l, list); pyrow_item(&l, &a);)
		if (num_i64(a.raw.s, a.raw.n, &seq))
			keep(f, by, seq, k);
}

void
forward_keep(struct forward *f, const struct kern *k)
{
	if (k->bwd)
		return;
	keep_all(f, &f->by_seq, pyrow_get(&k->row, "seqId"), k);
	keep_all(f, &f->by_alt, pyrow_get(&k->row, "altSeqId"), k);
}

void
forward_free(struct forward *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		buf_free(&f->v[i].text);
	free(f->v);
	map_free(&f->by_seq);
	map_free(&f->by_alt);
}
