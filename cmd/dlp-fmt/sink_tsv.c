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

/* Values that stand side by side in the record are copied together. */
static void
tsv_row(struct fmt *f, const struct cell *v)
{
	const char *from, *end;
	int i = 0;

	while (i < f->ncol) {
		if (i > 0)
			buf_putc(&out_buf, '\t');
		from = v[i].s != NULL ? v[i].s : "-";
		end = from + (v[i].s != NULL ? v[i].n : 1);
		for (i++; i < f->ncol && v[i].s == end + 1 && *end == '\t'; i++)
			end = v[i].s + v[i].n;
		buf_put(&out_buf, from, (size_t)(end - from));
	}
	buf_putc(&out_buf, '\n');
}

static void
tsv_end(struct fmt *f)
{
	(void)f;
}

const struct sink sink_tsv = { "tsv", tsv_begin, tsv_row, tsv_end };
