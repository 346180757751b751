/* A line of PyProf's .dict; see pydict.h. */
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

static void
add_texts(struct dict_line *d, struct mview list, const char *before)
{
	struct pylit l;
	struct pl_atom a;
	struct buf *b;

	for (pyrow_list(&l, list); pyrow_item(&l, &a);) {
		b = next_range(d);
		if (b == NULL)
			return;
		buf_puts(b, before);
		pl_text(&a, b);
	}
}

static void
add_trace(struct dict_line *d, struct mview list)
{
	struct buf *b;

	if (list.s == NULL || list.n <= 2)
		return;
	b = next_range(d);
	if (b == NULL)
		return;
	buf_puts(b, "{'traceMarker': ");
	buf_put(b, list.s, list.n);
	buf_putc(b, '}');
}

static bool
is_backward(const struct buf *b)
{
	struct mview v = { b->s, b->len };

	return b->len > 0 && (mv_find(v, "Backward") != NULL ||
				 mv_find(v, "_backward") != NULL);
}

static bool
is_seq_zero(const struct buf *b)
{
	return mv_ends((struct mview){ b->s, b->len }, "seq = 0");
}

/* PyProf sorted the markers by sequence id, so the node of the backward pass
 * comes last although it is around its callees. */
static void
add_seq(struct dict_line *d, struct mview list)
{
	int from = d->n, i, j;
	struct buf tmp;

	add_texts(d, list, "");
	for (i = from; i < d->n; i++) {
		d->numbered |= !is_seq_zero(&d->path[i]);
		if (!is_backward(&d->path[i]) || is_seq_zero(&d->path[i]))
			continue;
		tmp = d->path[i];
		for (j = i; j > from; j--)
			d->path[j] = d->path[j - 1];
		d->path[from] = tmp;
	}
}

/* If there is no other range around a launch, PyProf took any range for its op.
 */
static void
add_other(struct dict_line *d, struct mview op)
{
	struct pylit l;
	struct pl_atom a;
	struct buf *b;

	pyrow_list(&l, op);
	if (!pyrow_item(&l, &a))
		return;
	b = next_range(d);
	if (b != NULL)
		pl_text(&a, b);
}

static void
read_path(struct dict_line *d, const struct pyrow *r)
{
	d->n = 0;
	d->numbered = false;
	add_texts(d, pyrow_get(r, "layer"), "layer:");
	add_trace(d, pyrow_get(r, "trace"));
	add_texts(d, pyrow_get(r, "reprMarkers"), "");
	d->first_marker = d->n;
	add_texts(d, pyrow_get(r, "marker"), "");
	d->n_marker = d->n - d->first_marker;
	add_seq(d, pyrow_get(r, "seqMarker"));
	if (d->n == d->first_marker)
		add_other(d, pyrow_get(r, "op"));
}

static void
read_dim(int64_t dim[3], struct mview v)
{
	struct pylit l;
	struct pl_atom a;
	int i = 0;

	dim[0] = dim[1] = dim[2] = EV_UNSET;
	for (pyrow_list(&l, v); i < 3 && pyrow_item(&l, &a); i++)
		if (!num_i64(a.raw.s, a.raw.n, &dim[i]))
			dim[i] = EV_UNSET;
}

/* The first number of a list. */
static void
read_first(struct mview list, int64_t *v)
{
	struct pylit l;
	struct pl_atom a;

	*v = EV_UNSET;
	pyrow_list(&l, list);
	if (pyrow_item(&l, &a) && !num_i64(a.raw.s, a.raw.n, v))
		*v = EV_UNSET;
}

static void
read_num(const struct pyrow *r, const char *key, int64_t *v)
{
	if (!pyrow_i64(r, key, v))
		*v = EV_UNSET;
}

static bool
is_backward_dir(const struct pyrow *r)
{
	struct buf dir = { 0 };
	bool bwd;

	bwd = pyrow_str(r, "dir", &dir) && dir.len > 0 && dir.s[0] == 'b';
	buf_free(&dir);
	return bwd;
}

bool
dict_line(struct dict_line *d, struct pyrow *r, const char *s, size_t n)
{
	if (!pyrow_read(r, s, n))
		return false;
	buf_clear(&d->name);
	if (!pyrow_str(r, "kLongName", &d->name) &&
	    !pyrow_str(r, "kShortName", &d->name))
		return false;
	if (!pyrow_i64(r, "kDuration", &d->dur) || d->dur < 0)
		return false;
	read_num(r, "tid", &d->tid);
	read_num(r, "device", &d->dev);
	read_num(r, "stream", &d->stream);
	read_first(pyrow_get(r, "seqId"), &d->seq);
	read_dim(d->grid, pyrow_get(r, "grid"));
	read_dim(d->block, pyrow_get(r, "block"));
	d->bwd = is_backward_dir(r);
	d->own = pyrow_get(r, "dlp");
	d->node = pyrow_get(r, "dlpNode");
	d->ranges = pyrow_get(r, "dlpRanges");
	read_path(d, r);
	return true;
}

void
dict_line_free(struct dict_line *d)
{
	int i;

	buf_free(&d->name);
	for (i = 0; i < DICT_PATH; i++)
		buf_free(&d->path[i]);
}
