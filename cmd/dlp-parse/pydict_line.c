/* A line of PyProf's .dict; see pydict.h. */
#include "array.h"
#include "event.h"
#include "num.h"
#include "pydict.h"
#include "pylit.h"

/* One more range; NULL if the line has no room for it. */
static struct buf *
next_range(struct dict_line *d)
{
	if (d->n == DICT_PATH)
		return NULL;
	buf_clear(&d->path[d->n]);
	return &d->path[d->n++];
}

/* The texts of a list, at most n of them. */
static void
add_texts(struct dict_line *d, struct mview list, const char *before, int n)
{
	struct pylit l;
	struct pl_atom a;
	struct buf *b;

	for (pyrow_list(&l, list); n > 0 && pyrow_item(&l, &a); n--) {
		b = next_range(d);
		if (b == NULL)
			return;
		buf_puts(b, before);
		pl_text(&a, b);
	}
}

static void
read_path(struct dict_line *d, const struct pyrow *r)
{
	struct mview trace = pyrow_get(r, "trace");
	struct buf *b, tmp;
	int from, i, j;
	struct mview v;

	d->n = 0;
	d->numbered = false;
	add_texts(d, pyrow_get(r, "layer"), "layer:", DICT_PATH);
	if (trace.s != NULL && trace.n > 2 && (b = next_range(d)) != NULL) {
		buf_puts(b, "{'traceMarker': ");
		buf_put(b, trace.s, trace.n);
		buf_putc(b, '}');
	}
	add_texts(d, pyrow_get(r, "reprMarkers"), "", DICT_PATH);
	d->first_marker = d->n;
	add_texts(d, pyrow_get(r, "marker"), "", DICT_PATH);
	d->n_marker = d->n - d->first_marker;
	/* PyProf sorted the markers by sequence id, so the node of the backward
	 * pass comes last although it is around its callees. */
	from = d->n;
	add_texts(d, pyrow_get(r, "seqMarker"), "", DICT_PATH);
	for (i = from; i < d->n; i++) {
		v = (struct mview){ d->path[i].s, d->path[i].len };
		if (mv_ends(v, "seq = 0"))
			continue;
		d->numbered = true;
		if (v.n == 0 || (mv_find(v, "Backward") == NULL &&
				    mv_find(v, "_backward") == NULL))
			continue;
		tmp = d->path[i];
		for (j = i; j > from; j--)
			d->path[j] = d->path[j - 1];
		d->path[from] = tmp;
	}
	/* if there is no other range around a launch, PyProf took any range for
	 * its op */
	if (d->n == d->first_marker)
		add_texts(d, pyrow_get(r, "op"), "", 1);
}

/* The first n numbers of a list. */
static void
read_list(int64_t *v, int n, struct mview list)
{
	struct pylit l;
	struct pl_atom a;
	int i;

	for (i = 0; i < n; i++)
		v[i] = EV_UNSET;
	i = 0;
	for (pyrow_list(&l, list); i < n && pyrow_item(&l, &a); i++)
		if (!num_i64(a.raw.s, a.raw.n, &v[i]))
			v[i] = EV_UNSET;
}

bool
dict_line(struct dict_line *d, struct pyrow *r, const char *s, size_t n)
{
	const struct {
		const char *key;
		int64_t *to;
	} nums[] = { { "tid", &d->tid }, { "device", &d->dev },
		{ "stream", &d->stream } };
	struct buf dir = { 0 };
	size_t i;

	if (!pyrow_read(r, s, n))
		return false;
	buf_clear(&d->name);
	if (!pyrow_str(r, "kLongName", &d->name) &&
	    !pyrow_str(r, "kShortName", &d->name))
		return false;
	if (!pyrow_i64(r, "kDuration", &d->dur) || d->dur < 0)
		return false;
	for (i = 0; i < ARRAY_LEN(nums); i++)
		if (!pyrow_i64(r, nums[i].key, nums[i].to))
			*nums[i].to = EV_UNSET;
	read_list(&d->seq, 1, pyrow_get(r, "seqId"));
	read_list(d->grid, 3, pyrow_get(r, "grid"));
	read_list(d->block, 3, pyrow_get(r, "block"));
	d->bwd = pyrow_str(r, "dir", &dir) && dir.len > 0 && dir.s[0] == 'b';
	buf_free(&dir);
	d->own = pyrow_get(r, "dlp");
	d->node = pyrow_get(r, "dlpNode");
	d->ranges = pyrow_get(r, "dlpRanges");
	read_path(d, r);
	return true;
}
