/* Streams into rows; see read.h. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mview.h"
#include "num.h"
#include "place.h"
#include "read.h"
#include "rec.h"

struct input {
	struct model *m;
	struct types t;
	struct place at;
	size_t first, n_first, n_section;
	bool one_each;
};

static size_t
side_number(const struct input *in)
{
	size_t k = in->n_section - 1;

	if (in->one_each)
		return k == 0 ? in->first : in->m->n_side;
	return in->first + (in->n_first > 0 && k >= in->n_first);
}

static void
on_section(struct input *in)
{
	in->n_section++;
	in->at.side_no = side_number(in);
	in->at.side = model_side(in->m, in->at.side_no);
	in->at.side->n_section++;
	in->at.m = in->m;
	place_section(&in->at);
}

/* The name of a section is that of the file that dlp-parse read: what stands
 * behind the last blank of its command, or better what is said of it. */
static void
take_cmd(struct place *at, const char *v, size_t n)
{
	struct side *s = at->side;
	size_t i = n;

	if (at->name.len > 0)
		return;
	while (i > 0 && v[i - 1] != ' ')
		i--;
	buf_put(&at->name, v + i, n - i);
	if (s->name == NULL) {
		s->name = side_file_name((struct mview){ v + i, n - i });
		s->by_cmd = true;
	}
}

static void
take_src(struct place *at, struct mview src)
{
	struct side *s = at->side;

	place_src(at, src);
	if (at->by_src)
		return;
	if (s->n_section == 1 && s->by_cmd) {
		free(s->name);
		s->name = NULL;
	}
	if (s->name == NULL)
		s->name = side_file_name(src);
	s->by_cmd = false;
}

/* What can be the reason of a difference. */
static void
take_info(struct place *at, const char *v, size_t n)
{
	static const char *const facts[] = { "os", "driver", "cuda", "cudnn",
		"framework", "torch" };
	const char *tab = memchr(v, '\t', n);
	size_t i, k = tab != NULL ? (size_t)(tab - v) : n;

	if (tab == NULL)
		return;
	if (text_is(v, k, "src"))
		take_src(at, (struct mview){ tab + 1, n - k - 1 });
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (text_is(v, k, facts[i]))
			smap_put(&at->side->info, v, n, NULL);
}

static void
on_meta(struct input *in, struct rec *r)
{
	size_t wlen, len;
	const char *rest, *w = rec_meta(r, &wlen, &rest, &len);

	if (in->at.side == NULL)
		return;
	if (text_is(w, wlen, "info"))
		take_info(&in->at, rest, len);
	if (text_is(w, wlen, "cmd") && len > 9 &&
	    memcmp(rest, "dlp-parse", 9) == 0)
		take_cmd(&in->at, rest, len);
}

static void
on_record(struct input *in, const struct rec *r)
{
	const struct types *t = &in->t;
	int i;

	if (r->type == t->iter.type)
		place_iter(&in->at, t, r);
	else if (r->type == t->op.type)
		place_op(&in->at, t, r);
	else if (r->type == t->dev)
		place_dev(&in->at, t, r);
	else if (r->type == t->inst.type)
		place_inst(&in->at, t, r);
	else
		for (i = 0; i < N_GPU; i++)
			if (r->type == t->gpu[i].type)
				place_gpu(&in->at, t, r, i);
}

void
read_stream(struct model *m, const char *path, size_t first, size_t n_first,
    bool one_each, bool by_src)
{
	struct input in = { .m = m,
		.first = first,
		.n_first = n_first,
		.one_each = one_each,
		.at.by_src = by_src };
	struct rec_reader *rd = rec_open(path);
	struct rec r;

	types_bind(&in.t, rd, m);
	while (rec_next(rd, &r)) {
		if (r.kind == REC_SECTION || in.n_section == 0)
			on_section(&in);
		if (r.kind == REC_SECTION || r.kind == REC_END)
			place_open(&in.at, r.kind == REC_SECTION);
		if (r.kind == REC_META)
			on_meta(&in, &r);
		else if (r.kind == REC_DATA && r.type != NULL)
			on_record(&in, &r);
	}
	if (in.n_section == 0)
		die("%s: empty input", rec_input_name(rd));
	m->complete &= rec_complete(rd);
	place_free(&in.at);
	rec_close(rd);
}
