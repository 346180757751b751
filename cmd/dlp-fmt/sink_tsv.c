/*
 * Tab-separated values with a header. A value cannot hold a TAB or a line
 * feed here, so the escapes of the records stay: nothing is lost, and "-" is
 * unset.
 */
#include "fmt.h"

static void
tsv_begin(struct fmt *f)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (i > 0)
			buf_putc(&out_buf, '\t');
		buf_puts(&out_buf, f->col[i].head);
	}
	buf_putc(&out_buf, '\n');
}

static void
tsv_row(struct fmt *f, const struct cell *v)
{
	int i;

	for (i = 0; i < f->ncol; i++) {
		if (i > 0)
			buf_putc(&out_buf, '\t');
		if (v[i].s == NULL)
			buf_putc(&out_buf, '-');
		else
			buf_put(&out_buf, v[i].s, v[i].n);
	}
	buf_putc(&out_buf, '\n');
}

static void
tsv_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_tsv = { "tsv", tsv_begin, tsv_row, tsv_end };
