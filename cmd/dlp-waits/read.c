/* From records to waits; see read.h. */
#include "read.h"

#include <string.h>

#include "waitkind.h"
#include "num.h"
#include "stem.h"
#include "waits.h"

enum type { T_OS, T_CALL, T_SYNC, T_COPY, T_SET, T_KERN, T_N };

static const struct {
	const char *tag, *name, *start, *dur;
} defs[T_N] = {
	{ "os", "name", "start_ns", "dur_ns" },
	{ "call", "api", "start_ns", "dur_ns" },
	{ "sync", "api", "api_start_ns", "api_dur_ns" },
	{ "copy", "api", "api_start_ns", "api_dur_ns" },
	{ "set", "api", "api_start_ns", "api_dur_ns" },
	{ "kern", "api", "api_start_ns", "api_dur_ns" },
};

static struct {
	struct waits *w;
	struct bind {
		struct rec_type *type;
		struct rec_col *start, *dur, *pid, *tid, *src, *name, *iter,
		    *layer, *phase, *dst;
	} v[T_N];
	struct {
		struct rec_col *start, *dur, *pid, *tid, *src, *text, *mode,
		    *layer, *phase;
	} range;
	struct {
		struct rec_col *pid, *tid, *src, *name;
	} thread;
} rd;

static uint32_t
keep(struct mview t)
{
	return t.s != NULL ? smap_put(&rd.w->names, t.s, t.n, NULL) : SMAP_NONE;
}

static struct mview
kept(uint32_t no)
{
	struct mview t = { NULL, 0 };

	if (no != SMAP_NONE)
		t.s = smap_str(&rd.w->names, no, &t.n);
	return t;
}

static struct thread *
thread_of(const struct rec *r, const struct rec_col *src,
    const struct rec_col *pid, const struct rec_col *tid)
{
	const struct rec_col *const c[] = { src, pid, tid };
	static struct buf key;
	struct mview t;
	int i;

	buf_clear(&key);
	for (i = 0; i < 3; i++) {
		t = rec_view(r, c[i]);
		buf_putc(&key, '\t');
		if (t.s != NULL)
			buf_put(&key, t.s, t.n);
	}
	return waits_thread(rd.w, key.s, key.len);
}

static void
put(struct mview t)
{
	out_raw(t.s, t.n);
}

/* The kind of wait; NULL: it is none. */
static const char *
kind(enum type t, const struct rec *r, struct mview name)
{
	if (name.s == NULL)
		return NULL;
	if (t == T_OS)
		return waitkind_of_os(name.s, name.n);
	if (waitkind_is_sync(name.s, name.n) ||
	    (t == T_COPY && rec_is(r, rd.v[t].dst, "pageable")))
		return "cuda";
	return NULL;
}

static void
write_wait(const struct bind *k, const struct rec *r, const char *what,
    int64_t start, int64_t dur)
{
	static const char *const names[] = { "start_ns", "dur_ns", "kind",
		"name", "pid", "tid", "thread", "range", "layer", "phase",
		"iter", "src" };
	static struct out_type *types[2]; /* with src or without */
	struct thread *th = thread_of(r, k->src, k->pid, k->tid);
	const struct open_range *o = thread_at(th, start);
	struct mview src = rec_view(r, k->src), own = rec_view(r, k->phase);
	struct out_type **t = &types[src.s != NULL];

	if (*t == NULL)
		*t = out_type("wait", names, src.s != NULL ? 12 : 11);
	out_rec(*t);
	out_i64(start);
	out_i64(dur);
	out_raw(what, strlen(what));
	put(rec_view(r, k->name));
	put(rec_view(r, k->pid));
	put(rec_view(r, k->tid));
	put(kept(th->name));
	put(kept(o != NULL ? o->text : SMAP_NONE));
	put(kept(o != NULL ? o->layer : SMAP_NONE));
	put(o != NULL && o->phase != SMAP_NONE ? kept(o->phase) : own);
	put(rec_view(r, k->iter));
	if (src.s != NULL)
		put(src);
	out_end();
}

static void
on_wait(struct stage *st, struct rec *r)
{
	const char *what;
	int64_t start, dur;
	enum type t;

	stage_pass(st, r);
	for (t = 0; rd.v[t].type != r->type; t++)
		;
	what = kind(t, r, rec_view(r, rd.v[t].name));
	if (what != NULL && rec_i64(r, rd.v[t].start, &start) &&
	    rec_i64(r, rd.v[t].dur, &dur) && dur >= 0)
		write_wait(&rd.v[t], r, what, start, dur);
}

/* Ranges that need not nest are not the thread's. */
static void
on_range(struct stage *st, struct rec *r)
{
	struct mview text = rec_view(r, rd.range.text), mode;
	struct open_range o;
	int64_t start, dur;

	stage_pass(st, r);
	mode = rec_view(r, rd.range.mode);
	if (mv_eq(mode, "start") || !rec_i64(r, rd.range.start, &start) ||
	    !rec_i64(r, rd.range.dur, &dur))
		return;
	if (text.s != NULL)
		text.n = stem_len(text.s, text.n);
	o.end = num_add(start, dur);
	o.text = keep(text);
	o.layer = keep(rec_view(r, rd.range.layer));
	o.phase = keep(rec_view(r, rd.range.phase));
	thread_push(
	    thread_of(r, rd.range.src, rd.range.pid, rd.range.tid), start, o);
}

static void
on_thread(struct stage *st, struct rec *r)
{
	struct thread *th =
	    thread_of(r, rd.thread.src, rd.thread.pid, rd.thread.tid);

	th->name = keep(rec_view(r, rd.thread.name));
	stage_pass(st, r);
}

static void
bind_wait(struct stage *st, enum type t)
{
	struct rec_type *x = stage_on(st, defs[t].tag, on_wait, NULL, NULL);
	struct bind *k = &rd.v[t];

	k->type = x;
	REC_COLS(x, REC_OPT, { &k->start, defs[t].start },
	    { &k->dur, defs[t].dur }, { &k->name, defs[t].name },
	    { &k->pid, "pid" }, { &k->tid, "tid" }, { &k->src, "src" },
	    { &k->iter, "iter" }, { &k->layer, "layer" },
	    { &k->phase, "phase" }, { &k->dst, "dst_mem" });
}

static void
on_section(struct stage *st)
{
	(void)st;
	waits_clear(rd.w);
}

void
read_open(struct waits *w, struct stage *st)
{
	struct rec_type *x;
	enum type t;

	rd.w = w;
	for (t = 0; t < T_N; t++)
		bind_wait(st, t);
	x = stage_on(st, "range", on_range, NULL, NULL);
	REC_COLS(x, REC_NEED, { &rd.range.start, "start_ns" },
	    { &rd.range.dur, "dur_ns" });
	REC_COLS(x, REC_OPT, { &rd.range.pid, "pid" }, { &rd.range.tid, "tid" },
	    { &rd.range.src, "src" }, { &rd.range.text, "text" },
	    { &rd.range.mode, "mode" }, { &rd.range.layer, "layer" },
	    { &rd.range.phase, "phase" });
	x = stage_on(st, "thread", on_thread, NULL, NULL);
	REC_COLS(x, REC_OPT, { &rd.thread.pid, "pid" },
	    { &rd.thread.tid, "tid" }, { &rd.thread.src, "src" },
	    { &rd.thread.name, "name" });
	st->section = on_section;
}
