/*
 * For reading row by row: a line for each value that is set, after its column's
 * name, and an empty line between rows. If lines have a width, words are
 * wrapped and aligned with the start of the value.
 */
#include "fmt.h"
#include "text_out.h"

struct xtab {
	int label;  /* the longest name */
	bool later; /* another row precedes this one */
};

static void
xtab_begin(struct fmt *f)
{
	struct xtab *x = f->state;
	int i, n;

	for (i = 0; i < f->ncol; i++) {
		n = (int)strlen(f->col[i].head);
		x->label = n > x->label ? n : x->label;
	}
}

/* A line is broken at the last blank that fits, or takes as much as fits if
 * there is none. */
static void
put_wrapped(const char *s, size_t n, int indent, int width)
{
	size_t fit, k;
	int used;

	while (width > 10 && (fit = text_head(s, n, width, &used)) < n) {
		for (k = fit; k > 0 && s[k] != ' ';)
			k--;
		if (k == 0)
			k = fit;
		if (k == 0)
			break;
		buf_put(&out_buf, s, k);
		buf_putc(&out_buf, '\n');
		text_blanks(&out_buf, indent);
		for (; k < n && s[k] == ' ';)
			k++;
		s += k;
		n -= k;
	}
	buf_put(&out_buf, s, n);
	buf_putc(&out_buf, '\n');
}

static void
xtab_row(struct fmt *f, const struct writer_cell *v)
{
	struct xtab *x = f->state;
	int i, indent = x->label + 2;
	const char *head;

	if (x->later)
		buf_putc(&out_buf, '\n');
	x->later = true;
	for (i = 0; i < f->ncol; i++) {
		if (v[i].s == NULL)
			continue;
		head = f->col[i].head;
		buf_puts(&out_buf, head);
		text_blanks(&out_buf, indent - (int)strlen(head));
		buf_clear(&f->tmp);
		text_show(&f->tmp, v[i].s, v[i].n);
		put_wrapped(
		    buf_str(&f->tmp), f->tmp.len, indent, f->width - indent);
	}
}

const struct sink sink_xtab = {
	.option = "--xtab",
	.state = sizeof(struct xtab),
	.wraps = true,
	.begin = xtab_begin,
	.row = xtab_row,
};
