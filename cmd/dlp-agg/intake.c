/* Records into groups; see intake.h. */
#include "intake.h"

#include "err.h"
#include "disk.h"
#include "row.h"

static void
make_key(struct groups *a, const struct rec *r, int t)
{
	struct input *in = &a->spec->in;
	struct buf *b = &a->key_buf;
	const char *s;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < a->spec->ngroups; i++) {
		s = input_value(in, r, t, a->spec->group_col[i], &n);
		if (i > 0)
			buf_putc(b, '\t');
		if (s != NULL)
			buf_put(b, s, n);
		else
			buf_putc(b, '-');
	}
}

void
intake_record(struct groups *a, const struct rec *r, int t)
{
	struct input *in = &a->spec->in;
	struct where *w = &a->spec->where;
	struct group *g;

	in->seen[t] = true;
	if (w->n > 0 && !where_holds(w, in, r, t))
		return;
	in->any = true;
	if (a->row == NULL) {
		a->row = xcalloc(1, sizeof(*a->row));
		a->row->val =
		    xcalloc((size_t)a->spec->nfield + 1, sizeof(*a->row->val));
	}
	row_read(a, r, t, a->row);
	make_key(a, r, t);
	if (disk_is_full(a) && smap_find(&a->keys, buf_str(&a->key_buf),
				   a->key_buf.len) == SMAP_NONE) {
		disk_row(a, a->key_buf.s, a->key_buf.len, a->row);
		return;
	}
	g = group_get(a, buf_str(&a->key_buf), a->key_buf.len);
	row_add(a, g, a->row);
	disk_check(a);
}

void
intake_section_end(struct groups *a)
{
	size_t i;

	disk_section_end(a);
	for (i = 0; i < a->keys.n; i++)
		group_close(a, &a->v[i], a->n_section, a->section);
	a->n_section++;
}

void
intake_forget(struct groups *a)
{
	group_free_all(a);
	disk_reset(a);
	smap_clear(&a->srcs);
	a->n_section = 0;
}
