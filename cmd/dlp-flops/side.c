/* Facts of files that compilers wrote, stored by the name of the kernel; hlo.c
 * and inductor.c read the files. */
#include "side.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "err.h"
#include "lines.h"
#include "mview.h"

#define SIDE_DEPTH 8 /* of folders */

static void
side_key(struct side *s, const char *name, size_t n)
{
	size_t i;

	buf_clear(&s->key);
	for (i = 0; i < n; i++)
		buf_putc(
		    &s->key, isalnum((unsigned char)name[i]) ? name[i] : '_');
}

struct side_fact *
side_put(struct side *s, const char *name, size_t n)
{
	bool is_new;
	uint32_t i;

	side_key(s, name, n);
	i = smap_put(&s->names, s->key.s, s->key.len, &is_new);
	if (!is_new)
		return &s->v[s->names.val[i]];
	ARRAY_GROW(s->v, s->n, s->cap);
	s->names.val[i] = s->n;
	s->v[s->n] =
	    (struct side_fact){ .flop = -1, .bytes = -1, .each = true };
	return &s->v[s->n++];
}

const struct side_fact *
side_find(struct side *s, const char *name, size_t n)
{
	uint32_t i;

	if (s->n == 0 || name == NULL)
		return NULL;
	side_key(s, name, n);
	i = smap_find(&s->names, s->key.s, s->key.len);
	return i == SMAP_NONE ? NULL : &s->v[s->names.val[i]];
}

bool
side_line(struct mview *rest, struct mview *line)
{
	const char *e = rest->s + rest->n, *q;

	if (rest->n == 0)
		return false;
	q = memchr(rest->s, '\n', rest->n);
	*line = mv(rest->s, q != NULL ? q : e);
	*rest = mv(q != NULL ? q + 1 : e, e);
	return true;
}

const char *
side_until(const char *p, const char *e, const char *stop)
{
	while (p < e && (*p == '\0' || strchr(stop, *p) == NULL))
		p++;
	return p;
}

const char *
side_blanks(const char *p, const char *e)
{
	while (p < e && *p == ' ')
		p++;
	return p;
}

struct side_walk {
	struct side *s;
	const char *ending;
	void (*take)(struct side *s, const char *path, struct buf *text);
	struct buf text;
	size_t n;
};

static void
take_file(struct side_walk *w, const char *path)
{
	if (!lines_all(&w->text, path))
		die_errno("%s", path);
	w->take(w->s, path, &w->text);
	w->n++;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
take_folder(struct side_walk *w, const char *path, int depth)
{
	struct dirent **list;
	struct buf sub = { 0 };
	struct stat st;
	int i, n = scandir(path, &list, NULL, by_name);

	if (n < 0)
		die_errno("%s", path);
	for (i = 0; i < n; i++) {
		buf_clear(&sub);
		buf_printf(&sub, "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.' &&
		    stat(buf_str(&sub), &st) == 0) {
			if (S_ISDIR(st.st_mode) && depth > 0)
				take_folder(w, buf_str(&sub), depth - 1);
			else if (S_ISREG(st.st_mode) &&
				 mv_ends((struct mview){ sub.s, sub.len },
				     w->ending))
				take_file(w, buf_str(&sub));
		}
		free(list[i]);
	}
	free(list);
	buf_free(&sub);
}

void
side_files(struct side *s, const char *path, const char *ending,
    void (*take)(struct side *s, const char *path, struct buf *text))
{
	struct side_walk w = { .s = s, .ending = ending, .take = take };
	struct stat st;

	if (stat(path, &st) != 0)
		die_errno("%s", path);
	if (S_ISDIR(st.st_mode)) {
		take_folder(&w, path, SIDE_DEPTH);
		if (w.n == 0)
			die("%s: no file in it ends in %s", path, ending);
	} else {
		take_file(&w, path);
	}
	buf_free(&w.text);
}
