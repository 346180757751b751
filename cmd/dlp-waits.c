/*
 * dlp-waits: where threads wait, for the operating system or a GPU, and the
 * range in which they do.
 */
#include <stdlib.h>
#include <string.h>

#include "apicall.h"
#include "array.h"
#include "cli.h"
#include "err.h"
#include "maker.h"
#include "map.h"
#include "num.h"
#include "openrange.h"
#include "stage.h"
#include "words.h"

static const char usage[] =
    "usage: dlp-waits [-u] [--launches [--warn-as NAME]] [-S SIZE] [file]\n"
    "Adds wait records to a dlp stream: the calls in which threads wait.\n"
    "      --launches      write the wait records at the end of the section, "
    "and\n"
    "                      with each whether its thread launches GPU work\n"
    "      --warn-as NAME  if no call of the operating system was recorded, "
    "say\n"
    "                      so on standard error, as the command "
    "NAME\n" SPILL_USAGE "  -u, --unbuffered  write each record at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

struct who { /* the columns that say whose a record is */
	struct rec_col *src, *pid, *tid;
};

/* A type whose records can be waits. */
struct wait_type {
	bool os, copy, work;
	struct who who;
	struct rec_col *start, *dur, *name, *iter, *layer, *phase, *dst, *code;
};

struct wait_range { /* open on a thread; numbers in waits.names, or none */
	struct openrange span;
	uint32_t text, layer, phase;
};

struct wait_thread {
	uint32_t name; /* in waits.names, or none */
	bool launches; /* GPU work, so far */
	struct openranges open;
};

/* --launches: a wait record, until it is known which threads launch. */
struct held_wait {
	struct held_wait *next;
	uint32_t thread;
	bool in_range;
	uint32_t len; /* of the fields in text, which end in a NUL */
	uint32_t src; /* where the field src begins; len: there is none */
	char text[];
};

struct waits {
	bool launches;
	const char *warn_as;
	struct wait_type os, call, sync, copy, set, kern, graph;
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
	struct store store;      /* of what is held */
	struct held_wait *held, **held_end;
	struct maker maker;
	bool any_section, any_os; /* of the input */
	struct buf key, text;
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
		w->thread[no].launches = false;
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
	if (apicall_kind(name.s, name.n) == APICALL_WAITS ||
	    (k->copy && rec_is(r, k->dst, "pageable")))
		return "cuda";
	return NULL;
}

static void
add_view(struct buf *b, struct mview t)
{
	buf_putc(b, '\t');
	buf_put(b, t.s != NULL ? t.s : "-", t.s != NULL ? t.n : 1);
}

/* The innermost range says where; a range without a phase leaves that to the
 * record itself. */
static void
add_range(struct waits *w, const struct wait_type *k, const struct rec *r,
    const struct wait_range *o)
{
	static const struct wait_range none = {
		.text = SMAP_NONE, .layer = SMAP_NONE, .phase = SMAP_NONE
	};

	if (o == NULL)
		o = &none;
	add_view(&w->text, kept_name(w, o->text));
	add_view(&w->text, kept_name(w, o->layer));
	add_view(&w->text, o->phase != SMAP_NONE ? kept_name(w, o->phase)
						 : rec_view(r, k->phase));
}

/* Keeps the record, whose fields are w->text[0..src) and the field src. */
static void
hold_wait(struct waits *w, struct wait_thread *th, size_t src)
{
	const struct wait_range *in_range = openranges_top(&th->open);
	struct held_wait *held =
	    store_alloc(&w->store, sizeof(*held) + w->text.len + 1);

	*held = (struct held_wait){ .thread = (uint32_t)(th - w->thread),
		.in_range = in_range != NULL && in_range->text != SMAP_NONE,
		.len = (uint32_t)w->text.len,
		.src = (uint32_t)src };
	memcpy(held->text, buf_str(&w->text), w->text.len + 1);
	*w->held_end = held;
	w->held_end = &held->next;
}

static void
begin_wait(struct waits *w, bool has_src)
{
	static const char *const names[] = { "start_ns", "dur_ns", "kind",
		"name", "pid", "tid", "thread", "range", "layer", "phase",
		"iter", "code", "src" };
	static const char *const held[] = { "start_ns", "dur_ns", "kind",
		"name", "pid", "tid", "thread", "range", "layer", "phase",
		"iter", "code", "launches", "order", "src" };

	if (w->launches)
		out_rec_src(&w->type, "wait", held, ARRAY_LEN(held), has_src);
	else
		out_rec_src(&w->type, "wait", names, ARRAY_LEN(names), has_src);
}

static void
put_wait(struct waits *w, const struct wait_type *k, const struct rec *r,
    const char *what, int64_t start, int64_t dur)
{
	struct wait_thread *th = thread_of_rec(w, r, &k->who);
	struct mview src = rec_view(r, k->who.src);
	struct buf *b = &w->text;
	size_t before_src;

	openranges_pop(&th->open, start);
	buf_clear(b);
	buf_c_i64(b, '\t', start);
	buf_c_i64(b, '\t', dur);
	buf_putc(b, '\t');
	buf_puts(b, what);
	add_view(b, rec_view(r, k->name));
	add_view(b, rec_view(r, k->who.pid));
	add_view(b, rec_view(r, k->who.tid));
	add_view(b, kept_name(w, th->name));
	add_range(w, k, r, openranges_top(&th->open));
	add_view(b, rec_view(r, k->iter));
	add_view(b, rec_view(r, k->code));
	before_src = b->len;
	if (src.s != NULL)
		add_view(b, src);
	if (w->launches) {
		hold_wait(w, th, before_src);
		return;
	}
	begin_wait(w, src.s != NULL);
	out_fields(b->s, b->len);
	out_end();
}

/* Which waits are worth a look first. */
static int
wait_order(const struct held_wait *held, bool launches)
{
	if (!launches)
		return 3;
	return held->in_range ? 1 : 2;
}

static void
put_held(struct stage *st)
{
	struct waits *w = st->ctx;
	const struct held_wait *held;
	bool launches;

	w->any_section |= st->complete;
	for (held = w->held; held != NULL; held = held->next) {
		launches = w->thread[held->thread].launches;
		begin_wait(w, held->src < held->len);
		out_fields(held->text, held->src);
		out_word(launches ? "yes" : "no");
		out_i64(wait_order(held, launches));
		out_fields(held->text + held->src, held->len - held->src);
		out_end();
	}
}

static void
read_wait(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;
	const struct wait_type *k = rec_arg(r);
	const char *what;
	int64_t start, dur;

	stage_pass(st, r);
	if (k->work && w->launches)
		thread_of_rec(w, r, &k->who)->launches = true;
	what = wait_kind(k, r);
	w->any_os |= k->os && what != NULL;
	if (what != NULL && rec_i64(r, k->start, &start) &&
	    rec_dur(r, k->dur, &dur))
		put_wait(w, k, r, what, start, dur);
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
	    !rec_dur(r, w->range.dur, &dur))
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
	    { &k->dst, "dst_mem" }, { &k->code, "code" });
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
	store_free(&w->store);
	w->held = NULL;
	w->held_end = &w->held;
}

static void
begin_waits(struct stage *st)
{
	forget_threads(st->ctx);
}

static void
warn_no_os(const struct waits *w)
{
	const char *prog = err_prog_name();

	if (w->warn_as == NULL || !w->any_section || w->any_os)
		return;
	err_prog(w->warn_as);
	warn("no calls of the operating system: %s",
	    maker_text(&w->maker, "nsys records them with --trace=osrt",
		"torch.profiler does not record them",
		"rocprofv3 does not record them"));
	err_prog(prog);
}

static void
waits_info(struct stage *st, struct rec *r)
{
	struct waits *w = st->ctx;

	maker_read(&w->maker, r);
}

int
main(int argc, char **argv)
{
	struct waits w = { .os.os = true,
		.copy = { .copy = true, .work = true },
		.set.work = true,
		.kern.work = true,
		.graph.work = true };
	const struct cli_opt opts[] = {
		{ 0, "launches", .flag = &w.launches },
		{ 0, "warn-as", .arg = &w.warn_as },
		SPILL_OPTION,
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start(&st, "dlp-waits", usage, opts, argc, argv);
	st.ctx = &w;
	st.section = begin_waits;
	st.meta = waits_info;
	st.end = put_held;
	w.held_end = &w.held;
	listen_waits(&st, "os", &w.os, false);
	listen_waits(&st, "call", &w.call, false);
	listen_waits(&st, "sync", &w.sync, true);
	listen_waits(&st, "copy", &w.copy, true);
	listen_waits(&st, "set", &w.set, true);
	listen_waits(&st, "kern", &w.kern, true);
	if (w.launches)
		listen_waits(&st, "graph", &w.graph, true);
	listen_threads(&st, &w);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	warn_no_os(&w);
	forget_threads(&w);
	buf_free(&w.key);
	buf_free(&w.text);
	return out_finish(rc);
}
