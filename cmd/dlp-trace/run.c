/* See run.h. */
#include "run.h"
#include "err.h"
#include "facts.h"
#include "map.h"
#include "show.h"
#include "track.h"
#include "types.h"

static struct join join;
static bool only;           /* what lies in iterations */
static uint64_t nothing_of; /* records without a start */
static struct {
	struct rec_type *type;
	struct rec_col *src, *pid, *tid, *dev, *name;
} named[3];

static void
on_data(struct stage *st, struct rec *r)
{
	struct trace_type *t = types_find(r->type);
	struct item it = { .r = r, .t = t, .join = &join };
	size_t n;

	(void)st;
	it.hidden = only && t->show != SHOW_ITER &&
		    (t->iter->pos < 0 || rec_raw(r, t->iter, &n) == NULL);
	if (it.hidden && t->show != SHOW_MEM)
		return;
	if (!rec_i64(r, t->start, &it.start)) {
		nothing_of++;
		return;
	}
	it.has_dur = rec_i64(r, t->dur, &it.dur) && it.dur >= 0;
	it.owner = (struct owner){ .src = rec_view(r, t->src),
		.pid = rec_view(r, t->pid),
		.tid = rec_view(r, t->tid),
		.dev = rec_view(r, t->dev),
		.ctx = rec_view(r, t->ctx),
		.stream = rec_view(r, t->stream) };
	show(&it);
}

static void
on_legend(struct stage *st, struct rec *r)
{
	struct trace_type *t = types_find(r->type);
	int i;

	(void)st;
	for (i = 0; t != NULL && i < t->narg; i++)
		join_legend(t->arg[i]);
}

static void
on_name(struct stage *st, struct rec *r)
{
	struct owner o = { 0 };
	struct mview name;
	int i;

	(void)st;
	for (i = 0; named[i].type != r->type;)
		i++;
	o.src = rec_view(r, named[i].src);
	o.pid = rec_view(r, named[i].pid);
	o.tid = rec_view(r, named[i].tid);
	o.dev = rec_view(r, named[i].dev);
	name = rec_view(r, named[i].name);
	if (name.s == NULL)
		return;
	if (i == 0)
		owner_name_proc(&o, name);
	else if (i == 1)
		owner_name_thread(&o, name);
	else
		owner_name_dev(&o, name);
}

static void
on_op(struct stage *st, struct rec *r)
{
	(void)st;
	join_op(&join, r);
}

static void
on_str(struct stage *st, struct rec *r)
{
	(void)st;
	join_str(&join, r);
}

static void
listen_names(struct stage *st)
{
	static const char *const tags[] = { "proc", "thread", "dev" };
	int i;

	for (i = 0; i < 3; i++) {
		named[i].type = stage_on(st, tags[i], on_name, on_legend, NULL);
		REC_COLS(named[i].type, REC_OPT, { &named[i].src, "src" },
		    { &named[i].pid, "pid" }, { &named[i].tid, "tid" },
		    { &named[i].dev, "dev" }, { &named[i].name, "name" });
	}
	stage_on(st, "op", on_op, on_legend, NULL);
	stage_on(st, "str", on_str, on_legend, NULL);
}

static void
on_section(struct stage *st)
{
	(void)st;
	join_section(&join);
	track_section();
	show_section();
	facts_section();
}

/* ##info src names the file of a section. */
static void
on_meta(struct stage *st, struct rec *r)
{
	const char *rest, *word, *v;
	size_t wlen, rlen;

	(void)st;
	word = rec_meta(r, &wlen, &rest, &rlen);
	v = memchr(rest, '\t', rlen);
	if (v == NULL)
		return;
	if (wlen == 4 && memcmp(word, "info", 4) == 0) {
		if (mv_eq(mv(rest, v), "src"))
			owner_label(v + 1, (size_t)(rest + rlen - v) - 1);
		facts_info(mv(rest, v), mv(v + 1, rest + rlen));
	} else if (wlen == 4 && memcmp(word, "note", 4) == 0) {
		facts_note(mv(rest, v), mv(v + 1, rest + rlen));
	}
}

int
trace_run(struct stage *st, bool iter_only)
{
	int rc;

	only = iter_only;
	join_init(&join, st->rd);
	listen_names(st);
	types_listen(st, &join, on_data, on_legend);
	st->section = on_section;
	st->meta = on_meta;
	json_open();
	rc = stage_run(st);
	show_end();
	json_close();
	facts_end();
	if (nothing_of > 0)
		warn("records without a time that are left out: %llu",
		    (unsigned long long)nothing_of);
	join_warn(&join);
	join_free(&join);
	return rc;
}
