/* The stream reader; see rec.h. This file finds lines and their kinds; the
 * rules about sections are in rec_section.c, legends are bound in rec_type.c,
 * fields are in rec_field.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "rec_impl.h"

#define BUF_SIZE (256 * 1024)

struct rec_reader *
rec_open(const char *path)
{
	struct rec_reader *rd = xcalloc(1, sizeof(*rd));
	struct stat st;

	rd->name = "standard input";
	rd->fd = STDIN_FILENO;
	if (path != NULL && strcmp(path, "-") != 0) {
		rd->name = path;
		rd->fd = open(path, O_RDONLY);
		if (rd->fd < 0)
			die_errno("%s", path);
	}
	if (fstat(rd->fd, &st) == 0 && S_ISDIR(st.st_mode))
		die("%s: is a directory", rd->name);
	rd->cap = BUF_SIZE;
	rd->buf = xmalloc(rd->cap);
	rd->complete = true;
	return rd;
}

void
rec_close(struct rec_reader *rd)
{
	int i;

	for (i = 0; i < rd->ntypes; i++)
		rec_type_free(rd->types[i]);
	free(rd->types);
	free(rd->fields.at);
	free(rd->buf);
	if (rd->fd != STDIN_FILENO)
		close(rd->fd);
	free(rd);
}

static unsigned
tag_slot(const char *s, size_t n)
{
	return ((unsigned char)s[0] * 7u + (unsigned char)s[n - 1] * 31u +
		   (unsigned)n) %
	       REC_TAG_SLOTS;
}

static struct rec_type *
find_type(const struct rec_reader *rd, const char *s, size_t n)
{
	struct rec_type *t;

	if (n == 0)
		return NULL;
	for (t = rd->slot[tag_slot(s, n)]; t != NULL; t = t->next)
		if (t->taglen == n && memcmp(t->tag, s, n) == 0)
			return t;
	return NULL;
}

struct rec_type *
rec_type(struct rec_reader *rd, const char *tag)
{
	size_t n = strlen(tag);
	struct rec_type *t = find_type(rd, tag, n);
	unsigned k;

	if (t != NULL)
		return t;
	t = rec_type_new(tag, n);
	k = tag_slot(tag, n);
	t->next = rd->slot[k];
	rd->slot[k] = t;
	rd->types = xrealloc(
	    rd->types, (size_t)rd->ntypes + 1, sizeof(struct rec_type *));
	rd->types[rd->ntypes++] = t;
	return t;
}

/* Reads more after the unfinished line, which moves to the front of the buffer;
 * false at the end of the input. */
static bool
fill(struct rec_reader *rd)
{
	ssize_t n;

	if (rd->eof)
		return false;
	memmove(rd->buf, rd->buf + rd->pos, rd->len - rd->pos);
	rd->len -= rd->pos;
	rd->pos = 0;
	if (rd->len == rd->cap) {
		rd->buf = xrealloc(rd->buf, rd->cap, 2);
		rd->cap *= 2;
	}
	do
		n = read(rd->fd, rd->buf + rd->len, rd->cap - rd->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		die_errno("%s", rd->name);
	rd->eof = n == 0;
	if (memchr(rd->buf + rd->len, '\0', (size_t)n) != NULL) {
		if (rd->lineno == 0)
			rec_check_magic(rd, rd->buf, rd->len + (size_t)n);
		die("%s: NUL byte after line %llu: not a dlp stream", rd->name,
		    (unsigned long long)rd->lineno);
	}
	rd->len += (size_t)n;
	return n > 0;
}

static bool
next_line(struct rec_reader *rd, struct rec *r)
{
	size_t from = 0;
	char *s, *nl;

	for (;;) {
		s = rd->buf + rd->pos;
		nl = memchr(s + from, '\n', rd->len - rd->pos - from);
		if (nl != NULL)
			break;
		from = rd->len - rd->pos;
		if (fill(rd))
			continue;
		s = rd->buf + rd->pos;
		if (rd->len == rd->pos)
			return false;
		nl = s + (rd->len - rd->pos);
		break;
	}
	rd->lineno++;
	r->line = s;
	r->len = (size_t)(nl - s);
	rd->pos = (size_t)(nl - rd->buf) + (nl < rd->buf + rd->len);
	return true;
}

static void
bind_legend(struct rec_type *t, const struct rec *r)
{
	size_t head = 1 + t->taglen; /* #tag */

	rec_type_legend(t, r->line + head, r->len - head);
}

bool
rec_next(struct rec_reader *rd, struct rec *r)
{
	const char *tab;
	size_t n;

	if (!next_line(rd, r)) {
		if (rd->in_section)
			rd->complete = false;
		return false;
	}
	r->rd = rd;
	r->type = NULL;
	rd->fields.n = -1;
	r->fields = &rd->fields;
	if (rd->lineno == 1)
		rec_first_line(rd, r);
	if (r->len >= 2 && r->line[0] == '#' && r->line[1] == '#') {
		rec_meta_line(rd, r);
		return true;
	}
	if (!rd->in_section && !rd->fragment)
		rec_die(r, "line outside of a section");
	r->kind = r->len > 0 && r->line[0] == '#' ? REC_LEGEND : REC_DATA;
	rd->n_rec += r->kind == REC_DATA;
	tab = memchr(r->line, '\t', r->len);
	n = tab != NULL ? (size_t)(tab - r->line) : r->len;
	if (r->kind == REC_LEGEND)
		r->type = find_type(rd, r->line + 1, n - 1);
	else
		r->type = find_type(rd, r->line, n);
	if (r->type != NULL) {
		if (r->kind == REC_LEGEND)
			bind_legend(r->type, r);
		else if (!r->type->checked)
			rec_check_legend(r->type, r);
	} else if (r->len == 0) {
		rec_die(r, "empty line");
	}
	return true;
}
