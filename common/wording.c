/* Texts as data. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "mview.h"
#include "shipped.h"
#include "wording.h"

void
wording_read(struct wording *w, const char *file)
{
	const char *from = shipped_text(file);
	char *s = xmalloc(strlen(from) + 1), *to = s, *end;
	struct wording_line *l;

	w->file = s;
	for (; *from != '\0'; from++)
		if (*from != '\n' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	for (; *s != '\0'; s = end) {
		end = s + strcspn(s, "\n");
		if (*end != '\0')
			*end++ = '\0';
		if (*s == '\0' || *s == '#')
			continue;
		ARRAY_GROW(w->line, w->n, w->cap);
		l = &w->line[w->n++];
		l->part = s;
		l->when = l->text = s + strlen(s);
		if ((s = strchr(s, ' ')) == NULL)
			continue;
		*s++ = '\0';
		if (*s == '[' && (to = strchr(s, ']')) != NULL) {
			l->when = s + 1;
			*to = '\0';
			s = to + 1 + (to[1] == ' ');
		}
		l->text = s;
	}
}

void
wording_free(struct wording *w)
{
	free(w->file);
	free(w->line);
}

struct buf *
values_let(struct values *v, const char *name)
{
	ARRAY_GROW(v->v, v->n, v->cap);
	v->v[v->n] = (struct value){ name, { 0 } };
	return &v->v[v->n++].text;
}

void
values_if(struct values *v, const char *name, bool is)
{
	if (is)
		values_let(v, name);
}

void
values_free(struct values *v)
{
	while (v->n > 0)
		buf_free(&v->v[--v->n].text);
	free(v->v);
	*v = (struct values){ .also = v->also };
}

static const struct buf *
value_of(const struct values *v, const char *name, size_t n)
{
	size_t i;

	for (; v != NULL; v = v->also)
		for (i = 0; i < v->n; i++)
			if (text_is(name, n, v->v[i].name))
				return &v->v[i].text;
	return NULL;
}

static bool
all_hold(const struct values *v, const char *when)
{
	const struct buf *value;
	size_t n, name;
	bool holds, deny;

	for (; *when != '\0'; when += n + (when[n] == ' ')) {
		deny = *when == '!';
		when += deny;
		n = strcspn(when, " ");
		name = strcspn(when, " =");
		value = value_of(v, when, name);
		holds = value != NULL &&
			(name == n || (value->len == n - name - 1 &&
					  memcmp(value->s, when + name + 1,
					      value->len) == 0));
		if (holds == deny)
			return false;
	}
	return true;
}

/* A text, with what the {WORD}s in it stand for. */
static void
put_text(const struct wording *w, const char *s, const struct values *v,
    struct buf *b)
{
	const struct buf *value;
	struct buf part = { 0 };
	char *name;
	size_t n;

	for (;; s += n + 2) {
		n = strcspn(s, "{");
		buf_put(b, s, n);
		s += n;
		if (*s == '\0')
			break;
		n = strcspn(s + 1, "}");
		value = value_of(v, s + 1, n);
		if (value != NULL) {
			buf_put(b, value->s, value->len);
			continue;
		}
		name = xmemdup(s + 1, n);
		buf_clear(&part);
		wording_put(w, name, "say", v, &part);
		buf_put(b, part.s, part.len);
		free(name);
	}
	buf_free(&part);
}

void
wording_put(const struct wording *w, const char *block, const char *part,
    const struct values *v, struct buf *b)
{
	const struct wording_line *l;
	bool here = false, in = false, put = false;
	struct buf text = { 0 };

	for (l = w->line; l < w->line + w->n; l++) {
		if (strcmp(l->part, "text") == 0 ||
		    strcmp(l->part, "rule") == 0) {
			here = text_is(l->text, strcspn(l->text, " "), block);
			continue;
		}
		if (strcmp(l->part, "or") != 0) {
			in = strcmp(l->part, part) == 0;
			put = false;
		}
		if (!here || !in || put || !all_hold(v, l->when))
			continue;
		put = true;
		buf_clear(&text);
		put_text(w, l->text, v, &text);
		if (b->len > 0 && text.len > 0 &&
		    strchr(",;:.", text.s[0]) == NULL)
			buf_putc(b, ' ');
		buf_put(b, text.s, text.len);
	}
	buf_free(&text);
}
