/* Metadata; see meta.h. */
#include "meta.h"

#include "mview.h"
#include "out.h"
#include "stage.h"

void
meta_keep(struct metas *m, const struct rec *r)
{
	struct buf *b = &m->notes;
	const char *w, *rest;
	size_t wlen, rlen;
	bool is_new = true;

	w = rec_meta(r, &wlen, &rest, &rlen);
	if (text_is(w, wlen, "cmd"))
		b = &m->cmds;
	else if (text_is(w, wlen, "info"))
		b = &m->infos;
	if (b != &m->notes)
		smap_put(&m->seen, r->line, r->len, &is_new);
	if (!is_new)
		return;
	buf_put(b, r->line, r->len);
	buf_putc(b, '\n');
}

void
meta_head(const struct metas *m, bool whole, int argc, char *const *argv)
{
	out_legends_again();
	if (whole)
		out_meta("dlp", "%d", REC_FORMAT);
	buf_put(&out_buf, m->cmds.s, m->cmds.len);
	if (whole)
		stage_cmd(argc, argv);
	buf_put(&out_buf, m->infos.s, m->infos.len);
}
