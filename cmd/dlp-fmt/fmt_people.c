/*
 * Words of tables for people: headings in the place of the columns' names
 * (headings.tab), and values. Programs get names and values as they are.
 */
#include <string.h>

#include "array.h"
#include "fmt.h"
#include "shipped.h"

/* The heading of s[0..n) in the file, or NULL. A TAB is compiled in as a blank.
 */
static const char *
heading_of(const char *type, const char *s, size_t n, size_t *len)
{
	const char *line = shipped_text("headings.tab"), *end;
	size_t k = strlen(type);

	for (; *line != '\0'; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (strncmp(line, type, k) == 0 && line[k] == ':')
			line += k + 1;
		if ((size_t)(end - line) > n && line[n] == ' ' &&
		    memcmp(line, s, n) == 0) {
			*len = (size_t)(end - line) - n - 1;
			return line + n + 1;
		}
	}
	return NULL;
}

const char *
people_columns(const char *type)
{
	size_t len;
	const char *list = heading_of(type, "", 0, &len);

	return list != NULL ? list : "";
}

/* The heading of a name, or its words. */
static void
put_words(struct buf *b, const char *type, const char *s, size_t n)
{
	size_t len, i;
	const char *head = n > 0 ? heading_of(type, s, n, &len) : NULL;

	if (head != NULL) {
		buf_put(b, head, len);
		return;
	}
	for (i = 0; i < n; i++)
		if (n - i == 4 && memcmp(s + i, "_pct", 4) == 0) {
			buf_puts(b, " %");
			break;
		} else if (n - i == 5 && memcmp(s + i, "_gb_s", 5) == 0) {
			buf_puts(b, " GB/s");
			break;
		} else {
			buf_putc(b, (char)(s[i] == '_' ? ' ' : s[i]));
		}
}

/* The length of the name without a unit at its end. */
static size_t
without_unit(const char *s, size_t n, const char *unit)
{
	size_t k = strlen(unit);

	if (n == k && memcmp(s, unit, k) == 0)
		return 0;
	if (n > k && s[n - k - 1] == '_' && memcmp(s + n - k, unit, k) == 0)
		return n - k - 1;
	return n;
}

void
people_head(
    const struct human *h, struct buf *b, const char *type, const char *name)
{
	static const char *const units[] = { "ns", "bytes", "flop" };
	size_t n = strlen(name), base = n, len, i;
	const char *unit = NULL;

	if (h->from != NULL) {
		base = without_unit(name, n, h->from);
		unit = h->own ? NULL : h->to;
	} else if (heading_of(type, name, n, &len) == NULL) {
		for (i = 0; i < ARRAY_LEN(units) && base == n; i++) {
			base = without_unit(name, n, units[i]);
			unit = base < n ? units[i] : NULL;
		}
	}
	put_words(b, type, name, base > 0 || unit != NULL ? base : n);
	if (unit == NULL)
		return;
	if (b->len > 0)
		buf_putc(b, ' ');
	for (; *unit != '\0'; unit++) /* KB_s */
		buf_putc(b, (char)(*unit == '_' ? '/' : *unit));
}

const char *
people_value(const char *column, const char *s, size_t n)
{
	static const char *const words[][2] = { { "fprop", "forward" },
		{ "bprop", "backward" } };
	size_t i;

	if (s == NULL)
		return strcmp(column, "layer") == 0   ? "(outside layers)"
		       : strcmp(column, "phase") == 0 ? "(no phase)"
						      : NULL;
	if (n == 6 && memcmp(s, "(rest)", 6) == 0)
		return "(other)";
	for (i = 0; i < ARRAY_LEN(words) && strcmp(column, "dir") == 0; i++)
		if (n == strlen(words[i][0]) && memcmp(s, words[i][0], n) == 0)
			return words[i][1];
	return NULL;
}

bool
people_whole(const char *column)
{
	static const char *const names[] = { "bound", "change", "class", "dir",
		"dst_mem", "kind", "phase", "src_mem", "tc", "tc_eligible" };

	return mv_listed(
	    mv(column, column + strlen(column)), names, ARRAY_LEN(names));
}
