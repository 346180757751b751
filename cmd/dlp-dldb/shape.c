/* DLProf's shapes; see shape.h. */
#include "shape.h"

#include <string.h>

/* "N:32, C:3" up to the >. */
static const char *
one(const char *s, struct buf *sizes, struct buf *letters)
{
	bool first = true, with = false;
	size_t n;

	buf_putc(sizes, '[');
	while (*s != '\0' && *s != '>') {
		n = strcspn(s, ",:>");
		if (s[n] == ':') {
			buf_puts(letters, with ? "," : "");
			buf_put(letters, s, n);
			with = true;
			s += n + 1;
			n = strcspn(s, ",>");
		}
		buf_puts(sizes, first ? "" : ",");
		buf_put(sizes, s, n);
		first = false;
		s += n + strspn(s + n, ", ");
	}
	buf_putc(sizes, ']');
	return *s == '>' ? s + 1 : s;
}

/* The name before a shape is JSON text already. */
static void
put_name(struct buf *names, const char *s, const char *open)
{
	size_t n = (size_t)(open - s);

	if (n >= 2 && memcmp(open - 2, ": ", 2) == 0)
		n -= 2;
	buf_putc(names, '"');
	buf_put(names, s, n);
	buf_putc(names, '"');
}

void
shape_split(
    const char *s, struct buf *sizes, struct buf *names, struct buf *letters)
{
	const char *open, *sep = "[";

	while ((open = strchr(s, '<')) != NULL) {
		buf_puts(sizes, sep);
		buf_puts(names, sep);
		put_name(names, s, open);
		buf_puts(letters, *sep == ',' ? ";" : "");
		s = one(open + 1, sizes, letters);
		s += strspn(s, ",; ");
		sep = ",";
	}
	while (letters->len > 0 && letters->s[letters->len - 1] == ';')
		letters->s[--letters->len] = '\0';
	if (*sep == ',') {
		buf_putc(sizes, ']');
		buf_putc(names, ']');
	}
}
