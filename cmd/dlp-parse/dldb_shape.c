/* Shapes as DLProf prints them; see dldb_reader.h. */
#include <string.h>

#include "dldb_reader.h"

/* The end of the next [...] without brackets inside; *s moves past its opening
 * bracket. NULL if there is none. */
static const char *
next_list(const char **s)
{
	const char *open, *end;

	open = strchr(*s, '[');
	while (open != NULL && open[1 + strspn(open + 1, " ")] == '[')
		open = strchr(open + 1, '[');
	if (open == NULL || (end = strchr(open, ']')) == NULL)
		return NULL;
	*s = open + 1;
	return end;
}

static size_t
items(const char *s, const char *end)
{
	size_t n = s < end;

	for (; s < end; s++)
		n += *s == ',';
	return n;
}

/* Appends the numbers, with letters before them if there are as many. */
static void
put_dims(struct buf *b, const char *s, const char *end, const char *let,
    const char *let_end)
{
	bool with = let < let_end && items(let, let_end) == items(s, end);
	size_t n;

	buf_putc(b, '<');
	while (s < end) {
		if (with) {
			n = strcspn(let, ",;");
			buf_put(b, let, n);
			buf_putc(b, ':');
			let += n + (let[n] == ',');
		}
		n = strcspn(s, ",]");
		buf_put(b, s, n);
		s += n + 1;
		if (s < end)
			buf_puts(b, ", ");
	}
	buf_putc(b, '>');
}

/* The next name of a JSON list of texts, put before its shape. */
static void
put_tensor_name(struct buf *b, const char **names)
{
	const char *s = *names != NULL ? strchr(*names, '"') : NULL;
	size_t n;

	if (s == NULL)
		return;
	for (n = 1; s[n] != '\0' && s[n] != '"'; n++)
		if (s[n] == '\\' && s[n + 1] != '\0')
			n++;
	if (n > 1) {
		buf_put(b, s + 1, n - 1);
		buf_puts(b, ": ");
	}
	*names = s + n + (s[n] == '"');
}

static size_t
names_in(const char *s)
{
	struct buf skip = { 0 };
	size_t n = 0;

	for (; s != NULL && strchr(s, '"') != NULL; n++)
		put_tensor_name(&skip, &s);
	buf_free(&skip);
	return n;
}

static size_t
lists_in(const char *s)
{
	const char *end;
	size_t n = 0;

	for (; (end = next_list(&s)) != NULL; s = end + 1)
		n++;
	return n;
}

static bool
any_name(const char *names)
{
	struct buf b = { 0 };
	bool any;

	while (names != NULL && strchr(names, '"') != NULL)
		put_tensor_name(&b, &names);
	any = b.len > 0;
	buf_free(&b);
	return any;
}

/* Shapes with names are joined by commas. dlp-dldb also lists numbers among the
 * shapes, as [], which have no name. */
void
dldb_shape(
    struct buf *b, const char *shapes, const char *names, const char *letters)
{
	const char *end, *let = letters != NULL ? letters : "";
	size_t n, first = b->len, n_names = names_in(names);
	const char *sep = any_name(names) ? ", " : "; ";
	bool numbers;

	if (shapes == NULL)
		return;
	numbers = n_names > 0 && n_names < lists_in(shapes);
	for (; (end = next_list(&shapes)) != NULL; shapes = end + 1) {
		if (numbers && items(shapes, end) == 0)
			continue;
		if (b->len > first)
			buf_puts(b, sep);
		put_tensor_name(b, &names);
		n = strcspn(let, ";");
		put_dims(b, shapes, end, let, let + n);
		let += n + (let[n] == ';');
	}
}
