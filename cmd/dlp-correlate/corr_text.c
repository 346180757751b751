/* The str records of texts that are too long for each layer path. */
#include <inttypes.h>
#include "corr.h"

#define TEXT_ID_MIN (INT64_C(1) << 62)

bool
text_is_long(int64_t id)
{
	return id >= TEXT_ID_MIN;
}

int64_t
text_write(struct long_texts *t, struct mview text)
{
	static const char legend[] = "#str\tid\ttext";
	uint64_t id = hash_bytes(text.s, text.n) >> 2 | (uint64_t)TEXT_ID_MIN;
	struct buf line = { 0 };
	bool is_new;
	int i;

	map_put(&t->written, id, &is_new);
	if (!is_new)
		return (int64_t)id;
	if (t->n == 0) { /* an input without kernel names has no legend */
		out_line(legend, sizeof(legend) - 1);
		t->n = 2;
		t->id = 0;
		t->text = 1;
	}
	buf_puts(&line, "str");
	for (i = 0; i < t->n; i++) {
		buf_putc(&line, '\t');
		if (i == t->id)
			buf_printf(&line, "%" PRIu64, id);
		else if (i == t->text)
			buf_put(&line, text.s, text.n);
		else
			buf_putc(&line, '-');
	}
	out_line(line.s, line.len);
	buf_free(&line);
	return (int64_t)id;
}
