/* Members of JSON objects. */
#include <math.h>
#include <string.h>

#include "json_put.h"
#include "text_out.h"

void
json_name(struct buf *b, const char *name)
{
	size_t n = b->len;

	while (n > 0 && (b->s[n - 1] == ' ' || b->s[n - 1] == '\n'))
		n--;
	if (n > 0 && strchr("{[,", b->s[n - 1]) == NULL)
		buf_puts(b, ", ");
	if (name != NULL)
		buf_printf(b, "\"%s\": ", name);
}

void
json_field(struct buf *b, const char *name, const char *s, size_t n)
{
	json_name(b, name);
	if (s == NULL || n == 0 || (n == 1 && s[0] == '-'))
		buf_puts(b, "null");
	else
		json_quote_field(b, s, n, TEXT_JSON);
}

void
json_word(struct buf *b, const char *name, const char *s)
{
	json_field(b, name, s, s != NULL ? strlen(s) : 0);
}

void
json_plain(struct buf *b, const char *name, const char *s)
{
	json_name(b, name);
	if (s == NULL)
		buf_puts(b, "null");
	else
		json_quote(b, s, strlen(s), TEXT_JSON);
}

void
json_int(struct buf *b, const char *name, bool has, int64_t v)
{
	json_name(b, name);
	if (has)
		buf_i64(b, v);
	else
		buf_puts(b, "null");
}

void
json_bool(struct buf *b, const char *name, bool v)
{
	json_name(b, name);
	buf_puts(b, v ? "true" : "false");
}

void
json_real(struct buf *b, const char *name, bool has, double v, int decimals)
{
	json_name(b, name);
	if (has && isfinite(v))
		buf_f64(b, v, decimals);
	else
		buf_puts(b, "null");
}
