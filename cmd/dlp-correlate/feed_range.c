/*
 * Ranges of the stream to the engine. Ranges that have a
 * level already are passed on as they are.
 */
#include "corr.h"
#include "feed.h"
#include "feed_read.h"
#include "num.h"
#include "phase_text.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const char *const range_added[] = { "level", "layer", "phase" };

static struct { /* of ranges */
	struct rec_col *id, *start, *dur, *pid, *tid, *end_tid, *domain, *mode,
	    *text, *level, *src;
	struct out_ext *ext;
} rg;

static void
read_range(struct corr *c, struct range *x, const struct rec *r)
{
	static struct buf text, domain;
	int64_t dur, tid = -1, end_tid;
	size_t n;

	memset(x, 0, sizeof(*x));
	rec_i64(r, rg.id, &x->id);
	rec_i64(r, rg.start, &x->start);
	x->has_end = rec_i64(r, rg.dur, &dur);
	x->end = x->has_end ? num_add(x->start, dur) : INT64_MAX;
	x->backwards = x->end < x->start;
	x->p = feed_proc(c, r, rg.pid, rg.src);
	x->crossing = !rec_i64(r, rg.tid, &tid);
	if (rec_i64(r, rg.end_tid, &end_tid) && end_tid != tid)
		x->crossing = true;
	x->nests = feed_text(r, rg.mode).s[0] != 's';
	x->th = thread_of(&c->threads, x->p, tid);
	x->text = rec_str(r, rg.text, &text, &x->n);
	if (x->text == NULL)
		x->n = 0;
	x->domain = rec_str(r, rg.domain, &domain, &n);
	x->foreign = c->domain != NULL &&
		     strcmp(x->domain != NULL ? x->domain : "", c->domain) != 0;
}

/* proj's fields, as they stand in the range's record. */
static void
range_rest(struct buf *b, const struct rec *r)
{
	const struct rec_col *const col[] = { rg.pid, rg.tid, rg.domain,
		rg.mode, rg.text };
	const char *s;
	size_t n;
	int i;

	buf_clear(b);
	for (i = 0; i < N(col); i++) {
		buf_putc(b, '\t');
		s = rec_raw(r, col[i], &n);
		if (s != NULL)
			buf_put(b, s, n);
		else
			buf_putc(b, '-');
	}
}

static void
write_range(const struct thread *th, int phase, size_t level, size_t layer_len,
    struct rec *r)
{
	const char *w = phase_word(phase);

	out_ext_begin(rg.ext, r);
	out_i64((int64_t)level);
	out_raw(layer_len > 0 ? th->layer.s : NULL, layer_len);
	out_raw(w, w != NULL ? strlen(w) : 0);
	out_ext_end(rg.ext, r);
}

static void
on_range(struct stage *st, struct rec *r)
{
	static struct buf rest;
	struct corr *c = feed_corr(st);
	struct open *o, *top;
	struct range x;
	size_t level, layer_len;

	if (rg.level->pos >= 0) { /* correlated already */
		stage_pass(st, r);
		return;
	}
	read_range(c, &x, r);
	feed_time(c, x.start);
	thread_sweep(&c->threads, x.th);
	level = x.th->n;
	top = thread_top(x.th);
	layer_len = top != NULL ? top->layer_len : 0;
	o = range_begin(c, &x);
	if (c->all_ranges || o->kind == MK_USER || o->kind == MK_LAYER)
		write_range(x.th, o->phase, level, layer_len, r);
	if (c->all_ranges && !x.crossing && !x.backwards) {
		range_rest(&rest, r);
		proj_begin(&c->projs, &x, &rest);
	}
}

static void
range_legend(struct stage *st, struct rec *r)
{
	if (rg.level->pos >= 0)
		stage_pass(st, r);
	else
		out_ext_legend(rg.ext, r);
}

void
feed_bind_range(struct stage *st)
{
	struct rec_type *t =
	    stage_on(st, "range", on_range, range_legend, NULL);

	REC_COLS(t, REC_NEED, { &rg.start, "start_ns" }, { &rg.dur, "dur_ns" },
	    { &rg.tid, "tid" }, { &rg.text, "text" });
	REC_COLS(t, REC_OPT, { &rg.id, "id" }, { &rg.pid, "pid" },
	    { &rg.end_tid, "end_tid" }, { &rg.domain, "domain" },
	    { &rg.mode, "mode" }, { &rg.level, "level" }, { &rg.src, "src" });
	rg.ext = out_ext(range_added, N(range_added));
}
