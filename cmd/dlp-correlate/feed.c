/* The stream to the engine: its sections, and who reads which records. */
#include "feed.h"

#include "corr.h"
#include "engine.h"
#include "feed_read.h"
#include "num.h"

/* The end of the recording, where markers end that were never popped. */
static void
on_meta(struct stage *st, struct rec *r)
{
	static const char key[] = "duration_ns\t";
	struct corr *c = feed_corr(st);
	size_t wlen, n;
	const char *rest, *w = rec_meta(r, &wlen, &rest, &n);
	size_t k = sizeof(key) - 1;

	if (wlen != 4 || memcmp(w, "info", 4) != 0)
		return;
	dl_mode_info(&c->mode, rest, n);
	if (n > k && memcmp(rest, key, k) == 0)
		c->has_end = num_i64(rest + k, n - k, &c->end);
}

static void
on_section(struct stage *st)
{
	feed_work_section();
	corr_reset(feed_corr(st));
}

static void
on_end(struct stage *st)
{
	corr_end(feed_corr(st));
}

static struct rec_col *dl_id;

/* Of --dlprof: ops that are there already must be as DLProf's. */
static void
op_legend(struct stage *st, struct rec *r)
{
	if (dl_id->pos < 0)
		rec_die(r, "ops that dlp-correlate made without --dlprof: give"
			   " what dlp-parse wrote");
	stage_pass(st, r);
}

void
feed_start(struct corr *c, struct stage *st)
{
	corr_init(c);
	st->ctx = c;
	if (c->dlprof)
		dl_id = rec_col(stage_on(st, "op", stage_pass, op_legend, NULL),
		    "dl_id", REC_OPT);
	feed_bind_work(st);
	feed_bind_range(st);
	feed_bind_node(st);
	st->section = on_section;
	st->end = on_end;
	st->meta = on_meta;
}
