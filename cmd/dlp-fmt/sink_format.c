/*
 * -f FORMAT: a row as the user words it: %COLUMN or %{COLUMN} is a value as TSV
 * has it, %% a percent sign; \t, \n and \\ are a TAB, a line end, a backslash.
 */
#include <ctype.h>
#include <string.h>

#include "cli.h"
#include "err.h"
#include "fmt.h"
#include "text_out.h"

/* The name at s, its length to *n; returns what follows it. */
static const char *
name_at(const char *s, const char **name, size_t *n)
{
	bool braces = *s == '{';

	*name = s += braces;
	while (braces ? *s != '}' && *s != '\0'
		      : isalnum((unsigned char)*s) || *s == '_' || *s == '.')
		s++;
	*n = (size_t)(s - *name);
	if (*n == 0 || (braces && *s == '\0'))
		die("-f: no column after %%: '%s'", *name);
	return s + braces;
}

void
format_columns(struct fmt *f, const char *format)
{
	struct buf list = { 0 };
	const char *s = format, *name;
	size_t n;

	while ((s = strchr(s, '%')) != NULL) {
		if (*++s == '%') {
			s++;
			continue;
		}
		s = name_at(s, &name, &n);
		buf_puts(&list, list.len > 0 ? "," : "");
		buf_put(&list, name, n);
	}
	if (list.len == 0)
		die("-f: no column in '%s'; %%dur_ns is one", format);
	f->names = cli_list(buf_str(&list), &f->nnames);
	f->format = format;
	buf_free(&list);
}

static void
format_row(struct fmt *f, const struct writer_cell *v)
{
	static const char from[] = "tn\\", to[] = "\t\n\\";
	const char *s = f->format, *at;
	size_t n;

	for (; *s != '\0'; s++) {
		at = s[0] == '\\' && s[1] != '\0' ? strchr(from, s[1]) : NULL;
		if (at != NULL) {
			buf_putc(&out_buf, to[at - from]);
			s++;
		} else if (s[0] == '%' && s[1] == '%') {
			buf_putc(&out_buf, *s++);
		} else if (s[0] == '%') {
			s = name_at(s + 1, &at, &n) - 1;
			if (v->s != NULL)
				text_put_field(
				    &out_buf, v->s, v->n, TEXT_FIELD);
			else
				buf_puts(
				    &out_buf, f->null != NULL ? f->null : "-");
			v++;
		} else {
			buf_putc(&out_buf, *s);
		}
	}
}

const struct sink sink_format = {
	.option = "-f",
	.row = format_row,
};
