/* See run.h. */
#include <stdlib.h>

#include "run.h"
#include "err.h"
#include "sample.h"

static struct entry { /* a metric of the table */
	struct family f;
	struct rec_type *type;
	struct rec_col *value, *of, *iter, *after, *key, *src,
	    *label[MAX_LABELS];
} * entries;

static size_t n_entries;
static bool only; /* what lies in iterations */
static uint64_t n_data;
static struct family notes;
static struct buf file; /* of the section; empty: unknown, or */
static bool several;    /* there are more than one */
static const struct metric note_metric = { .name = (char *)"dlp_note",
	.how = HOW_SUM,
	.value = (char *)"1",
	.help = (char *)"What the profile lacked or told of, and how often." };

/* An iteration that nothing cuts is the whole profile and no step. */
static bool
is_whole(const struct entry *e, const struct rec *r)
{
	size_t n;

	return e->key->pos >= 0 && rec_raw(r, e->key, &n) == NULL;
}

static bool
skips(const struct entry *e, const struct rec *r)
{
	size_t n;

	if (e->f.m->where == WHERE_ALL ||
	    (e->f.m->where == WHERE_WORK && !only))
		return false;
	if (e->f.m->where == WHERE_STEP && is_whole(e, r))
		return true;
	if (rec_raw(r, e->iter, &n) != NULL)
		return false;
	return e->f.m->where != WHERE_STEP || rec_raw(r, e->after, &n) == NULL;
}

static void
file_label(struct buf *labels, const char *src, size_t n)
{
	if (src == NULL && file.len > 0) {
		src = file.s;
		n = file.len;
	}
	if (src != NULL)
		label_put(labels, "profile", src, n);
}

static void
add(struct entry *e, const struct rec *r)
{
	static struct buf labels;
	const char *s, *of = NULL;
	size_t n, nof = 0;
	int i;

	if (skips(e, r))
		return;
	buf_clear(&labels);
	s = rec_raw(r, e->src, &n);
	file_label(&labels, s, n);
	for (i = 0; i < e->f.m->nlabel; i++) {
		s = rec_raw(r, e->label[i], &n);
		label_put(&labels, e->f.m->label[i], s, n);
	}
	s = "1";
	n = 1;
	if (e->value != NULL)
		s = rec_raw(r, e->value, &n);
	if (e->of != NULL)
		of = rec_raw(r, e->of, &nof);
	(void)sample_add(&e->f, &labels, s, n, of, nof);
}

static void
on_data(struct stage *st, struct rec *r)
{
	size_t i;

	(void)st;
	n_data++;
	for (i = 0; i < n_entries; i++)
		if (entries[i].type == r->type)
			add(&entries[i], r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	buf_clear(&file);
	several = false;
}

static void
add_note(const char *name, size_t n, const char *count, size_t ncount)
{
	static struct buf labels;

	buf_clear(&labels);
	file_label(&labels, NULL, 0);
	label_put(&labels, "note", name, n);
	(void)sample_add(&notes, &labels, count, ncount, NULL, 0);
}

static void
on_meta(struct stage *st, struct rec *r)
{
	const char *rest, *word, *v;
	size_t wlen, rlen, n;

	(void)st;
	word = rec_meta(r, &wlen, &rest, &rlen);
	v = memchr(rest, '\t', rlen);
	if (v == NULL || wlen != 4)
		return;
	n = (size_t)(rest + rlen - v) - 1;
	if (memcmp(word, "note", 4) == 0) {
		add_note(rest, (size_t)(v - rest), v + 1, n);
	} else if (memcmp(word, "info", 4) == 0 && v - rest == 3 &&
		   memcmp(rest, "src", 3) == 0) {
		several |= file.len > 0;
		buf_clear(&file);
		if (!several)
			buf_put(&file, v + 1, n);
	}
}

static void
listen(struct stage *st, struct entry *e)
{
	const struct metric *m = e->f.m;
	int i;

	e->type = stage_on(st, m->record, on_data, NULL, NULL);
	if (strcmp(m->value, "1") != 0)
		e->value = rec_col(e->type, m->value, REC_OPT);
	if (m->of != NULL)
		e->of = rec_col(e->type, m->of, REC_OPT);
	e->iter = rec_col(e->type, "iter", REC_OPT);
	if (m->where == WHERE_STEP)
		REC_COLS(e->type, REC_OPT, { &e->after, "after" },
		    { &e->key, "key" });
	e->src = rec_col(e->type, "src", REC_OPT);
	for (i = 0; i < m->nlabel; i++)
		e->label[i] = rec_col(e->type, m->column[i], REC_OPT);
}

int
om_run(struct stage *st, const struct table *t, bool iter_only, struct buf *out)
{
	size_t i;
	int rc;

	only = iter_only;
	n_entries = t->n;
	notes.m = &note_metric;
	entries = xcalloc(n_entries + 1, sizeof(*entries));
	for (i = 0; i < n_entries; i++) {
		entries[i].f.m = &t->v[i];
		listen(st, &entries[i]);
	}
	st->section = on_section;
	st->meta = on_meta;
	rc = stage_run(st);
	for (i = 0; i < n_entries; i++)
		family_print(&entries[i].f, out);
	family_print(&notes, out);
	if (rc == EXIT_OK)
		buf_puts(out, "# EOF\n");
	if (rc == EXIT_OK && n_data == 0)
		warn("no record in the input is of a metric");
	return rc;
}
