/*
 * dlp-html: the way out to people: a profile as one HTML file, which any
 * browser opens without a network. The file has the data of a stream as
 * columns, and the viewer (dlp-html/page), which adds them up.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dlp-html/html.h"
#include "err.h"
#include "esc.h"
#include "text_out.h"

/* Only the first section is shown, with -b also the second: times and ids of
 * two have nothing to do with each other. Sections with diff records compare
 * both. */
static void
begin_html_section(struct stage *st)
{
	struct html *h = st->ctx;

	h->section++;
}

static void
end_html_section(struct stage *st)
{
	struct html *h = st->ctx;

	if (html_profile(h) >= 0)
		h->complete = st->complete && (h->section == 1 || h->complete);
}

static const char *
base_name(const char *path)
{
	const char *s = strrchr(path, '/');

	return s != NULL && s[1] != '\0' ? s + 1 : path;
}

/* Two profiles are told apart by their names. */
static void
name_before(struct html *h)
{
	h->both = h->before != NULL && strcmp(h->file, h->before) != 0;
	if (!h->private)
		return;
	h->file = base_name(h->file);
	if (h->before == NULL)
		return;
	h->before = base_name(h->before);
	if (h->both && strcmp(h->file, h->before) == 0) {
		buf_printf(&h->before_name, "before/%s", h->before);
		h->before = buf_str(&h->before_name);
	}
}

/* Two profiles of one name are told apart by their folders. */
static const char *
own_title(struct html *h)
{
	const char *s = base_name(h->file), *before;

	if (!h->both)
		return s;
	before = base_name(h->before);
	if (strcmp(s, before) == 0) {
		s = h->file;
		before = h->before;
	}
	buf_printf(&h->own_title, "%s against %s", s, before);
	return buf_str(&h->own_title);
}

static void
set_limit(void *to, const char *arg)
{
	struct html_cut *cut = to;

	cut->limit = cli_i64("-m", arg, 0, INT64_MAX);
}

int
main(int argc, char **argv)
{
	struct html h = { .cut.limit = 1000000 };
	const struct cli_opt opts[] = {
		{ 'b', "before", .arg = &h.before },
		{ 'd', "data", .flag = &h.data },
		{ 'f', "file", .arg = &h.file },
		{ 'm', "max-pieces", .set = set_limit, .to = &h.cut },
		{ 'p', "private", .flag = &h.private },
		{ 't', "title", .arg = &h.title },
		{ 0 },
	};
	struct stage st;
	int rc, i;
	struct buf field = { 0 };
	const char *s;

	stage_start_sink(&st, "dlp-html", opts, argc, argv);
	if (h.file == NULL)
		h.file = "FILE";
	name_before(&h);
	/* As tables show it: a tab of the browser has no other protection. */
	s = h.title != NULL ? h.title : own_title(&h);
	esc_put(&field, s, strlen(s));
	text_show(&h.shown_title, buf_str(&field), field.len);
	h.title = buf_str(&h.shown_title);
	buf_free(&field);
	st.ctx = &h;
	st.section = begin_html_section;
	st.end = end_html_section;
	st.meta = html_meta_read;
	html_tables_read(&h, &st);
	rc = stage_run(&st);
	if (h.both && !(h.came[0] && h.came[1]))
		die("only one of %s and %s was read: nothing to compare",
		    h.file, h.before);
	html_cut_end(&h);
	if (h.data)
		html_data(&h);
	else
		html_page(&h);
	html_tables_free(&h);
	html_cut_free(&h.cut);
	for (i = 0; i < 2; i++) {
		buf_free(&h.about[i].info);
		buf_free(&h.about[i].cmds);
		smap_free(&h.about[i].note);
	}
	buf_free(&h.before_name);
	buf_free(&h.own_title);
	buf_free(&h.shown_title);
	html_sums_free(&h.idle);
	html_sums_free(&h.critical);
	buf_free(&h.said);
	return out_finish(rc);
}
