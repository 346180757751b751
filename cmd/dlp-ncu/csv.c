/* See csv.h. */
#include <stdlib.h>

#include "csv.h"
#include "err.h"

static void
begin_field(struct csv *c)
{
	if (c->n == c->cap) {
		c->cap = c->cap == 0 ? 64 : c->cap * 2;
		c->at = xrealloc(c->at, (size_t)c->cap, sizeof(*c->at));
	}
	c->at[c->n++] = c->text.len;
}

/* One field from s; what follows its separator. */
static const char *
field(struct csv *c, const char *s, const char *e)
{
	bool quoted = c->sep == ',' && s < e && *s == '"';

	begin_field(c);
	for (s += quoted; s < e; s++) {
		if (quoted && *s == '"') {
			if (s + 1 == e || s[1] != '"') {
				quoted = false;
				continue;
			}
			s++; /* "" is one */
		} else if (!quoted && *s == c->sep) {
			break;
		}
		buf_putc(&c->text, *s);
	}
	buf_putc(&c->text, '\0');
	return s + 1;
}

static void
split(struct csv *c, const char *s, size_t n)
{
	const char *e = s + n;

	c->n = 0;
	buf_clear(&c->text);
	do
		s = field(c, s, e);
	while (s <= e);
}

static bool
is_open(const struct buf *b)
{
	bool open = false;
	size_t i;

	for (i = 0; i < b->len; i++)
		open ^= b->s[i] == '"';
	return open;
}

/* A line, or several where a quoted value goes on behind the first. */
static bool
read_line(struct csv *c)
{
	const char *s;
	size_t n;

	buf_clear(&c->line);
	if (!lines_next(&c->in, &s, &n))
		return false;
	buf_put(&c->line, s, n);
	while (c->sep == ',' && c->line.len > 0 && c->line.s[0] == '"' &&
	       is_open(&c->line) && lines_next(&c->in, &s, &n)) {
		buf_putc(&c->line, '\n');
		buf_put(&c->line, s, n);
	}
	return true;
}

int
csv_find(const struct csv *c, const char *name)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (strcmp(csv_field(c, i), name) == 0)
			return i;
	return -1;
}

void
csv_open(struct csv *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	lines_open(&c->in, path);
	for (;;) {
		c->sep = ',';
		if (!read_line(c))
			die("%s: no row of names with a 'Kernel Name': not"
			    " what ncu --csv --page raw writes",
			    c->in.name);
		if (memchr(buf_str(&c->line), '\t', c->line.len) != NULL)
			c->sep = '\t';
		split(c, buf_str(&c->line), c->line.len);
		if (csv_find(c, "Kernel Name") >= 0 ||
		    (c->sep == '\t' && csv_find(c, "kernel") >= 0))
			return;
	}
}

bool
csv_next(struct csv *c)
{
	while (read_line(c)) {
		if (c->line.len == 0 ||
		    (c->line.len >= 2 && memcmp(c->line.s, "==", 2) == 0))
			continue;
		split(c, c->line.s, c->line.len);
		return true;
	}
	return false;
}

void
csv_close(struct csv *c)
{
	lines_close(&c->in);
	buf_free(&c->text);
	buf_free(&c->line);
	free(c->at);
}
