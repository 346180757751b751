/* Reading an input; see input.h. */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mview.h"
#include "num.h"
#include "unite.h"

static void
info(struct input *in, const char *rest, size_t n)
{
	const char *tab = memchr(rest, '\t', n);
	size_t k = tab != NULL ? (size_t)(tab - rest) : n;

	if (text_is(rest, k, "src"))
		in->head_src = true;
	if (tab != NULL && text_is(rest, k, "t0_ns") && !in->has_t0)
		in->has_t0 = num_i64(tab + 1, n - k - 1, &in->t0);
}

/* A line before the first record; false: it is none of those. */
static bool
head_line(struct input *in, struct buf *cmds)
{
	const char *w, *rest;
	size_t n, m;

	if (in->r.kind == REC_SECTION)
		return true;
	if (in->r.kind != REC_META)
		return false;
	w = rec_meta(&in->r, &n, &rest, &m);
	if (text_is(w, n, "cmd")) {
		buf_put(cmds, in->r.line, in->r.len);
		buf_putc(cmds, '\n');
		return true;
	}
	if (!text_is(w, n, "info"))
		return false;
	info(in, rest, m);
	buf_put(&in->head, in->r.line, in->r.len);
	buf_putc(&in->head, '\n');
	return true;
}

void
input_open(struct input *in, const char *path, int no, struct buf *cmds)
{
	memset(in, 0, sizeof(*in));
	in->rd = rec_open(path);
	in->name = rec_input_name(in->rd);
	in->no = no;
	in->time = INPUT_NO_TIME;
	in->n_coll = in->spread = INPUT_NO_TIME;
	do
		in->live = rec_next(in->rd, &in->r);
	while (in->live && head_line(in, cmds));
	if (!in->live && in->head.len == 0 && rec_complete(in->rd))
		die("%s: empty input", in->name);
}

static struct legend *
find_legend(struct input *in, const char *tag, size_t n)
{
	uint32_t id = smap_find(&in->tags, tag, n);

	return id == SMAP_NONE ? NULL : in->legend[id];
}

static void
free_legend(struct legend *l)
{
	if (l == NULL)
		return;
	free(l->col);
	free(l);
}

void
input_close(struct input *in)
{
	size_t i;

	for (i = 0; i < in->nlegend; i++)
		free_legend(in->legend[i]);
	free(in->legend);
	free(in->field);
	smap_free(&in->tags);
	buf_free(&in->head);
	rec_close(in->rd);
}

static void
new_legend(struct input *in)
{
	const char *tag = in->r.line + 1, *end = in->r.line + in->r.len;
	const char *tab = memchr(tag, '\t', (size_t)(end - tag));
	size_t n = (size_t)((tab != NULL ? tab : end) - tag);
	bool is_new;
	uint32_t id = smap_put(&in->tags, tag, n, &is_new);

	if (is_new) {
		in->legend = xrealloc(
		    in->legend, in->nlegend + 1, sizeof(struct legend *));
		in->legend[in->nlegend++] = NULL;
	}
	free_legend(in->legend[id]);
	in->legend[id] = unite_legend(tag, n, tag + n, in->r.len - 1 - n);
}

static void
split(struct input *in)
{
	const char *s = in->r.line, *end = s + in->r.len;
	const char *tab = memchr(s, '\t', in->r.len);
	size_t n = (size_t)((tab != NULL ? tab : end) - s);

	in->of = find_legend(in, s, n);
	if (in->of == NULL)
		rec_die(&in->r, "record '%.*s' before its legend '#%.*s'",
		    (int)(n < 40 ? n : 40), s, (int)(n < 40 ? n : 40), s);
	in->nfield = 0;
	for (s += n; s < end; s = tab) {
		tab = memchr(s + 1, '\t', (size_t)(end - s - 1));
		if (tab == NULL)
			tab = end;
		if (in->nfield == in->cap) {
			in->cap = in->cap > 0 ? in->cap * 2 : 32;
			in->field = xrealloc(
			    in->field, (size_t)in->cap, sizeof(*in->field));
		}
		in->field[in->nfield++] =
		    (struct field){ s + 1, (size_t)(tab - s - 1) };
	}
	if (in->nfield != in->of->n)
		rec_die(&in->r, "%d fields, %d in the legend", in->nfield,
		    in->of->n);
}

static bool
time_of(const struct input *in, int col, int64_t *t)
{
	const struct field *f;

	if (col < 0)
		return false;
	f = &in->field[col];
	if (f->n == 1 && f->s[0] == '-')
		return false;
	if (!num_i64(f->s, f->n, t))
		rec_die(&in->r, "no time: '%.*s'", (int)(f->n < 40 ? f->n : 40),
		    f->s);
	return true;
}

/* What r is: a legend, a record and its time. Lines without one go with the
 * line before them. */
static void
look(struct input *in)
{
	int64_t t;

	if (in->r.kind == REC_SECTION)
		rec_die(
		    &in->r, "a second section: give each as a file of its own");
	if (in->r.kind == REC_END)
		in->ended = true;
	if (in->r.kind == REC_LEGEND)
		new_legend(in);
	if (in->r.kind != REC_DATA)
		return;
	split(in);
	if (!time_of(in, in->of->api, &t) && !time_of(in, in->of->start, &t))
		return;
	t = num_add(t, in->shift);
	if (t > in->time)
		in->time = t;
}

void
input_start(struct input *in)
{
	if (in->live)
		look(in);
}

void
input_next(struct input *in)
{
	in->live = rec_next(in->rd, &in->r);
	if (in->live)
		look(in);
}
