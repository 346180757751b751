/* Files that users mistake for a stream; see magic.h. */
#include <string.h>

#include "err.h"
#include "magic.h"

static const struct {
	const char *magic;
	size_t n;
	const char *tool, *what; /* the tool that unpacks it; otherwise a
				  * description */
} not_streams[] = {
	{ "SQLite format 3\0", 16, NULL,
	    "a SQLite database: dlp-parse reads it" },
	{ "\xfd"
	  "7zXZ",
	    5, "xz", NULL },
	{ "\x28\xb5\x2f\xfd", 4, "zstd", NULL },
	{ "\x1f\x8b", 2, "gzip", NULL },
	{ "PK\x03\x04", 4, NULL, "a zip archive: unpack it first" },
};

#define N (sizeof(not_streams) / sizeof(not_streams[0]))

void
magic_word(struct buf *b, const char *name)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_./,:=@%+-";
	const char *s;

	if (*name == '-')
		buf_puts(b, "./");
	if (*name != '\0' && name[strspn(name, plain)] == '\0') {
		buf_puts(b, name);
		return;
	}
	buf_putc(b, '\'');
	for (s = name; *s != '\0'; s++)
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *s);
	buf_putc(b, '\'');
}

/* Commands in a form that can be typed. */
static const char *
unpack(const char *name, const char *tool)
{
	static struct buf b;

	buf_clear(&b);
	buf_printf(
	    &b, "%s-compressed: a stream goes in by %s -dc ", tool, tool);
	if (name != NULL) {
		magic_word(&b, name);
		buf_putc(&b, ' ');
	}
	buf_printf(&b, "| %s, a profile by dlp-parse", err_prog_name());
	return buf_str(&b);
}

static size_t
find(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < N; i++)
		if (n >= not_streams[i].n &&
		    memcmp(s, not_streams[i].magic, not_streams[i].n) == 0)
			break;
	return i;
}

const char *
magic_tool(const char *s, size_t n)
{
	size_t i = find(s, n);

	return i < N ? not_streams[i].tool : NULL;
}

const char *
magic_what(const char *name, const char *s, size_t n)
{
	size_t i = find(s, n);

	if (i == N)
		return NULL;
	return not_streams[i].tool != NULL ? unpack(name, not_streams[i].tool)
					   : not_streams[i].what;
}
