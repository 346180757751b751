/* The rows of ncu's CSV; see ncu_csv.h. */
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "ncu_csv.h"

static void
csv_begin_field(struct ncu_csv *c)
{
	ARRAY_GROW(c->at, c->n, c->cap);
	c->at[c->n++] = c->text.len;
}

/* One field from s; what follows its separator. */
static const char *
csv_take_field(struct ncu_csv *c, const char *s, const char *e)
{
	bool quoted = c->sep == ',' && s < e && *s == '"';

	csv_begin_field(c);
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
csv_split(struct ncu_csv *c, const char *s, size_t n)
{
	const char *e = s + n;

	c->n = 0;
	buf_clear(&c->text);
	do
		s = csv_take_field(c, s, e);
	while (s <= e);
}

static bool
quote_is_open(const struct buf *b)
{
	bool open = false;
	size_t i;

	for (i = 0; i < b->len; i++)
		open ^= b->s[i] == '"';
	return open;
}

/* A line, or several where a quoted value goes on behind the first. */
static bool
csv_read_line(struct ncu_csv *c)
{
	const char *s;
	size_t n;

	buf_clear(&c->line);
	if (!lines_next(&c->in, &s, &n))
		return false;
	buf_put(&c->line, s, n);
	while (c->sep == ',' && c->line.len > 0 && c->line.s[0] == '"' &&
	       quote_is_open(&c->line) && lines_next(&c->in, &s, &n)) {
		buf_putc(&c->line, '\n');
		buf_put(&c->line, s, n);
	}
	return true;
}

int
csv_find(const struct ncu_csv *c, const char *name)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (strcmp(csv_field(c, i), name) == 0)
			return i;
	return -1;
}

void
csv_open(struct ncu_csv *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	lines_open(&c->in, path);
	for (;;) {
		c->sep = ',';
		if (!csv_read_line(c))
			die("%s: no row of names with a 'Kernel Name': not"
			    " what ncu --csv --page raw writes",
			    c->in.name);
		if (memchr(buf_str(&c->line), '\t', c->line.len) != NULL)
			c->sep = '\t';
		csv_split(c, buf_str(&c->line), c->line.len);
		if (csv_find(c, "Kernel Name") >= 0 ||
		    (c->sep == '\t' && csv_find(c, "kernel") >= 0))
			return;
	}
}

bool
csv_next(struct ncu_csv *c)
{
	while (csv_read_line(c)) {
		if (c->line.len == 0 ||
		    (c->line.len >= 2 && memcmp(c->line.s, "==", 2) == 0))
			continue;
		csv_split(c, c->line.s, c->line.len);
		return true;
	}
	return false;
}

void
csv_close(struct ncu_csv *c)
{
	lines_close(&c->in);
	buf_free(&c->text);
	buf_free(&c->line);
	free(c->at);
}
