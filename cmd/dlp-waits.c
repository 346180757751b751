/*
 * dlp-waits: where threads wait, for the operating system or a GPU, and the
 * range in which they do.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "map.h"
#include "num.h"
#include "openrange.h"
#include "stage.h"
#include "words.h"

static const char usage[] =
    "usage: dlp-waits [-u] [file]\n"
    "Adds wait records to a dlp stream: the calls in which threads wait.\n"
    "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct who { /* the columns that say whose a record is */
	struct rec_col *src, *pid, *tid;
};

/* A type whose records can be waits. */
struct wait_type {
	bool os, copy;
	struct who who;
	struct rec_col *start, *dur, *name, *iter, *layer, *phase, *dst;
};

struct wait_range { /* open on a thread; numbers in waits.names, or none */
	struct openrange span;
	uint32_t text, layer, phase;
};

struct wait_thread {
	uint32_t name; /* in waits.names, or none */
	struct openranges open;
};

struct waits {
	struct wait_type os, call, sync, copy, set, kern;
	struct {
		struct who who;
		struct rec_col *start, *dur, *text, *mode, *layer, *phase;
	} range;
	struct {
		struct who who;
		struct rec_col *name;
	} named; /* thread records */
	struct wait_thread *thread;
	size_t n_thread;
	struct smap keys, names; /* "src\tpid\ttid"; all other texts */
	struct buf key;
	struct out_src_type type;
};

/* What functions of the operating system wait for: the first whose text is in
 * the name, or is the whole name. */
static const struct {
	const char *text;
	bool whole;
	const char *kind;
} wait_kinds[] = {
	{ "nanosleep", false, "sleep" },
	{ "sleep", false, "sleep" },
	{ "mutex", false, "lock" },
	{ "rwlock", false, "lock" },
	{ "spin", false, "lock" },
	{ "flock", true, "lock" },
	{ "cond_wait", false, "wait" },
	{ "cond_timedwait", false, "wait" },
	{ "cond_clockwait", false, "wait" },
	{ "sem_wait", false, "wait" },
	{ "sem_timedwait", false, "wait" },
	{ "sem_clockwait", false, "wait" },
	{ "barrier_wait", false, "wait" },
	{ "pthread_join", false, "wait" },
	{ "epoll_", false, "wait" },
	{ "poll", false, "wait" },
	{ "select", false, "wait" },
	{ "futex", false, "wait" },
	{ "waitpid", true, "wait" },
	{ "waitid", true, "wait" },
	{ "wait", true, "wait" },
	{ "wait3", true, "wait" },
	{ "wait4", true, "wait" },
	{ "sigwait", false, "wait" },
	{ "recv", false, "wait" },
	{ "accept", false, "wait" },
	{ "connect", true, "wait" },
	{ "read", true, "io" },
	{ "write", true, "io" },
	{ "fread", false, "io" },
	{ "fwrite", false, "io" },
	{ "pread", false, "io" },
	{ "pwrite", false, "io" },
	{ "readv", false, "io" },
	{ "writev", false, "io" },
	{ "open", false, "io" },
	{ "close", false, "io" },
	{ "fgets", false, "io" },
	{ "fputs", false, "io" },
	{ "getline", false, "io" },
	{ "fflush", true, "io" },
	{ "sync", false, "io" },
	{ "send", false, "io" },
	{ "stat", false, "io" },
	{ "seek", false, "io" },
};

static bool
name_has(const char *s, size_t n, const char *text)
{
	size_t i, k = strlen(text);

	for (i = 0; i + k <= n; i++)
		if (memcmp(s + i, text, k) == 0)
			return true;
	return false;
}

static const char *
kind_of_os_call(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(wait_kinds); i++)
		if ((!wait_kinds[i].whole || strlen(wait_kinds[i].text) == n) &&
		    name_has(s, n, wait_kinds[i].text))
			return wait_kinds[i].kind;
	return "other";
}

/* Whether an API call returns only when a GPU has done its work. */
static bool
waits_for_gpu(const char *s, size_t n)
{
	if (name_has(s, n, "Synchronize"))
		return true;
	return (name_has(s, n, "cudaMemcpy") || name_has(s, n, "cuMemcpy")) &&
	       !name_has(s, n, "Async");
}

static uint32_t
keep_name(struct waits *w, struct mview t)
{
	return t.s != NULL ? smap_put(&w->names, t.s, t.n, NULL) : SMAP_NONE;
}

static struct mview
kept_name(const struct waits *w, uint32_t no)
{
	struct mview t = { NULL, 0 };

	if (no != SMAP_NONE)
		t.s = smap_str(&w->names, no, &t.n);
	return t;
}

/* The record's thread, which is made if it is new; holds until the next
 * call. */
static struct wait_thread *
thread_of_rec(struct waits *w, const struct rec *r, const struct who *who)
{
	const struct rec_col *const c[] = { who->src, who->pid, who->tid };
	struct mview t;
	bool fresh;
	uint32_t no;
	size_t i;

	buf_clear(&w->key);
	for (i = 0; i < ARRAY_LEN(c); i++) {
		t = rec_view(r, c[i]);
		buf_putc(&w->key, '\t');
		if (t.s != NULL)
			buf_put(&w->key, t.s, t.n);
	}
	no = smap_put(&w->keys, w->key.s, w->key.len, &fresh);
	if (fresh) {
		w->thread =
		    xrealloc(w->thread, ++w->n_thread, sizeof(*w->thread));
		w->thread[no].name = SMAP_NONE;
		openranges_init(&w->thread[no].open, sizeof(struct wait_range));
	}
	return &w->thread[no];
}

/* The kind of wait; NULL: it is none. */
static const char *
wait_kind(const struct wait_type *k, const struct rec *r)
{
	struct mview name = rec_view(r, k->name);

	if (name.s == NULL)
		return NULL;
	if (k->os)
		return kind_of_os_call(name.s, name.n);
	if (waits_for_gpu(name.s, name.n) ||
	    (k->copy && rec_is(r, k->dst, "pageable")))
		return "cuda";
	return NULL;
}

static void
put_view(struct mview t)
{
	out_raw(t.s, t.n);
}

/* The innermost range says where; a range without a phase leaves that to the
 * record itself. */
static void
put_range(const struct waits *w, const struct wait_type *k, const struct rec *r,
    const struct wait_range *o)
{
	static const struct wait_range none = {
		.text = SMAP_NONE, .layer = SMAP_NONE, .phase = SMAP_NONE
	};

	if (o == NULL)
		o = &none;
	put_view(kept_name(w, o->text));
	put_view(kept_name(w, o->layer));
	put_view(o->phase != SMAP_NONE ? kept_name(w, o->phase)
				       : rec_view(r, k->phase));
}

static void
put_wait(struct waits *w, const struct wait_type *k, const struct rec *r,
    const char *what, int64_t start, int64_t dur)
{
	static const char *const names[] = { "start_ns", "dur_ns", "kind",
		"name", "pid", "tid", "thread", "range", "layer", "phase",
		"iter", "src" };
	struct wait_thread *th = thread_of_rec(w, r, &k->who);
	struct mview src = rec_view(r, k->who.src);

	openranges_pop(&th->open, start);
	out_rec_src(&w->type, "wait", names, ARRAY_LEN(names), src.s != NULL);
	out_i64(start);
	out_i64(dur);
	out_word(what);
	put_view(rec_view(r, k->name));
	put_view(rec_view(r, k->who.pid));
	put_view(rec_view(r, k->who.tid));
	put_view(kept_name(w, th->name));
	put_range(w, k, r, openranges_top(&th->open));
	put_view(rec_view(r, k->iter));
	if (src.s != NULL)
		put_view(src);
	out_end();
}

static void
read_wait(struct stage *st, struct rec *r)
{
	const struct wait_type *k = rec_arg(r);
	const char *what;
	int64_t start, dur;

	stage_pass(st, r);
	what = wait_kind(k, r);
	if (what != NULL && rec_i64(r, k->start, &start) &&
	    rec_i64(r, k->dur, &dur) && dur >= 0)
		put_wait(st->ctx, k, r, what, start, dur);
}

/* Ranges that another thread can end are not the thread's. */
static void
read_open_range(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;
	struct mview text = rec_view(r, w->range.text);
	struct openranges *open;
	struct wait_range *o;
	int64_t start, dur;

	stage_pass(st, r);
	if (rec_is(r, w->range.mode, "start") ||
	    !rec_i64(r, w->range.start, &start) ||
	    !rec_i64(r, w->range.dur, &dur))
		return;
	if (text.s != NULL)
		text.n = stem_len(text.s, text.n);
	open = &thread_of_rec(w, r, &w->range.who)->open;
	openranges_pop(open, start);
	o = openranges_push(open, start, num_add(start, dur));
	o->text = keep_name(w, text);
	o->layer = keep_name(w, rec_view(r, w->range.layer));
	o->phase = keep_name(w, rec_view(r, w->range.phase));
}

static void
read_thread_name(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;

	thread_of_rec(w, r, &w->named.who)->name =
	    keep_name(w, rec_view(r, w->named.name));
	stage_pass(st, r);
}

static void
bind_who(struct who *who, struct rec_type *t)
{
	REC_COLS(t, REC_OPT, { &who->pid, "pid" }, { &who->tid, "tid" },
	    { &who->src, "src" });
}

/* api: the wait is in the call of the record, not the record itself. */
static void
listen_waits(struct stage *st, const char *tag, struct wait_type *k, bool api)
{
	struct rec_type *t = stage_on(st, tag, read_wait, NULL, k);

	bind_who(&k->who, t);
	REC_COLS(t, REC_OPT, { &k->start, api ? "api_start_ns" : "start_ns" },
	    { &k->dur, api ? "api_dur_ns" : "dur_ns" },
	    { &k->name, k->os ? "name" : "api" }, { &k->iter, "iter" },
	    { &k->layer, "layer" }, { &k->phase, "phase" },
	    { &k->dst, "dst_mem" });
}

static void
listen_threads(struct stage *st, struct waits *w)
{
	struct rec_type *t = stage_on(st, "range", read_open_range, NULL, NULL);

	bind_who(&w->range.who, t);
	REC_COLS(t, REC_NEED, { &w->range.start, "start_ns" },
	    { &w->range.dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &w->range.text, "text" },
	    { &w->range.mode, "mode" }, { &w->range.layer, "layer" },
	    { &w->range.phase, "phase" });
	t = stage_on(st, "thread", read_thread_name, NULL, NULL);
	bind_who(&w->named.who, t);
	w->named.name = rec_col(t, "name", REC_OPT);
}

static void
forget_threads(struct waits *w)
{
	size_t i;

	for (i = 0; i < w->n_thread; i++)
		openranges_free(&w->thread[i].open);
	free(w->thread);
	w->thread = NULL;
	w->n_thread = 0;
	smap_free(&w->keys);
	smap_free(&w->names);
}

static void
begin_waits(struct stage *st)
{
	forget_threads(st->ctx);
}

int
main(int argc, char **argv)
{
	struct waits w = { .os.os = true, .copy.copy = true };
	struct stage st;
	int rc;

	stage_start(&st, "dlp-waits", usage, NULL, argc, argv);
	st.ctx = &w;
	st.section = begin_waits;
	listen_waits(&st, "os", &w.os, false);
	listen_waits(&st, "call", &w.call, false);
	listen_waits(&st, "sync", &w.sync, true);
	listen_waits(&st, "copy", &w.copy, true);
	listen_waits(&st, "set", &w.set, true);
	listen_waits(&st, "kern", &w.kern, true);
	listen_threads(&st, &w);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	forget_threads(&w);
	buf_free(&w.key);
	return out_finish(rc);
}
