/*
 * dlp-trace: the way out to timeline viewers: a stream as a trace in the
 * JSON form of Chrome, which Perfetto reads too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cli.h"
#include "err.h"
#include "join.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "openrange.h"
#include "out.h"
#include "stage.h"
#include "text_out.h"
#include "timeheap.h"

static const char usage[] =
    "usage: dlp-trace [-hiuV] [FILE]\n"
    "Writes a timeline for ui.perfetto.dev, chrome://tracing or speedscope,\n"
    "from a dlp stream.\n"
    "  -i, --iter        write only what is in iterations (dlp-iter)\n"
    "  -u, --unbuffered  write each event at once\n"
    "  -h, --help        print this and exit\n"
    "  -V, --version     print the version and exit\n";

/*
 * The events of a trace are written one after the other, each a JSON object:
 *
 *	events_open(e);
 *	ev_begin(e, 'X', "kernel", name, nname, at, start_ns);
 *	ev_dur(ns);  ev_arg(e, "op", v, n);
 *	ev_end(e);
 *	events_close(): the end of the array; the caller writes what follows
 */

struct trace_events { /* zeroed */
	bool any;     /* an event stands before */
	bool in_args; /* of the event being written */
};

struct trace_row { /* of the viewer */
	int64_t pid, tid;
};

/*
 * Who the rows of the viewer belong to (processes, threads, GPUs), and what
 * they are called. Names come before what happens there. A
 * track is a thread, a stream, ...: one row, or more where its events overlap,
 * since a row can only hold events that follow each other, or lie inside each
 * other.
 */

/* Values as records hold them, s NULL where unset. */
struct owner {
	struct mview src, pid;
	struct mview tid;              /* CPU */
	struct mview dev, ctx, stream; /* GPU */
};

enum track_kind {
	TRACK_THREAD, /* CPU: ranges and calls, nested */
	TRACK_OPS,    /* CPU: runs of ops of a thread */
	TRACK_STREAM, /* GPU: a stream's work */
	TRACK_SYNC,   /* GPU: waits for it */
	TRACK_STEPS,  /* the iterations */
	TRACK_PATH,   /* their critical paths */
	TRACK_DIAG,   /* messages of the profiler */
};

struct track;

struct trace_rows { /* rows_init() */
	struct trace_events *events;
	int64_t next_own;              /* number that no system gives */
	struct map used_pid, used_tid; /* in the whole trace */
	/* of the section */
	struct smap procs, names, texts, keys;
	struct track **track; /* by number in keys */
	size_t cap;
	struct buf label, key;
};

/* What the trace shows of each record type, and where. */

#define TRACE_ARGS 28

enum trace_show {
	SHOW_GPU,   /* work of a stream, its call, and the arrow between them */
	SHOW_SYNC,  /* the same of a wait, without an arrow */
	SHOW_CPU,   /* a span on its thread */
	SHOW_RANGE, /* the same, or one that other threads can end */
	SHOW_OP,
	SHOW_ITER,
	SHOW_PATH, /* a segment of the path of the profile */
	SHOW_MARK, /* a point in time of a thread */
	SHOW_DIAG, /* one of the profile */
	SHOW_MEM,  /* a counter of the bytes that are allocated */
};

struct trace_def {
	const char *tag;
	enum trace_show show;
	const char *before; /* of the name */
	const char *name;   /* the column with the name, or NULL */
	const char *args;   /* columns, blank separated; op. as in -c */
};

struct trace_type {
	const struct trace_def *def;
	struct rec_col *start, *dur, *pid, *tid, *dev, *ctx, *stream, *src,
	    *iter, *api, *api_start, *api_dur;
	struct rec_col *named; /* NULL: it has no column with the name */
	/* of some types only */
	struct rec_col *mode, *bytes, *what, *kind;
	struct join_col *arg[TRACE_ARGS];
	const char *arg_name[TRACE_ARGS];
	int narg;
	char *arg_text; /* the names' memory */
};

struct trace_item { /* a record with what all of them have */
	struct rec *r;
	const struct trace_type *t;
	struct owner owner;
	int64_t start, dur; /* ns */
	bool has_dur;       /* and it is not negative */
	bool hidden;        /* only the memory counters need to know of it */
};

/* Work of a process on a GPU that is launched and has not started. */
struct trace_queue {
	struct trace_row at;
	struct timeheap starts;
};

struct trace_shown { /* show_init() */
	struct trace_events events;
	struct trace_rows rows;
	struct join join;
	uint64_t next_flow, next_async;
	struct smap live; /* bytes by process, device and kind of memory */
	struct buf name, key;
	struct smap queues; /* by process and device; val: number in queue */
	struct trace_queue *queue;
	size_t queue_cap;
};

/* Events as JSON. */

#define EXACT 15 /* digits that a double holds */

static void
events_open(void)
{
	buf_puts(&out_buf, "{\"traceEvents\":[");
}

static void
events_close(void)
{
	buf_puts(&out_buf, "\n]");
}

static bool
is_json_as_it_is(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] - 0x20u >= 0x5fu || s[i] == '"' ||
		    s[i] == '\\')
			return false;
	return true;
}

/* The string of a value as records hold it (escaped); what is no UTF-8 is
 * replaced. */
static void
ev_string(const char *raw, size_t n)
{
	if (is_json_as_it_is(raw, n)) {
		buf_putc(&out_buf, '"');
		buf_put(&out_buf, raw, n);
		buf_putc(&out_buf, '"');
		return;
	}
	json_quote_field(&out_buf, raw, n, TEXT_JSON_TRACE);
}

/* The format counts in microseconds: all digits of the nanoseconds. */
static void
put_us(int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	unsigned rest = (unsigned)(v % 1000);

	if (ns < 0)
		buf_putc(&out_buf, '-');
	buf_u64(&out_buf, v / 1000);
	if (rest == 0)
		return;
	buf_putc(&out_buf, '.');
	buf_putc(&out_buf, (char)('0' + rest / 100));
	buf_putc(&out_buf, (char)('0' + rest / 10 % 10));
	buf_putc(&out_buf, (char)('0' + rest % 10));
}

/* ph: the kind of the event, as the format names it. name: as in records. */
static void
ev_begin(struct trace_events *e, char ph, const char *cat, const char *name,
    size_t n, const struct trace_row *at, int64_t ns)
{
	buf_puts(&out_buf, e->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	e->any = true;
	e->in_args = false;
	buf_putc(&out_buf, ph);
	buf_puts(&out_buf, "\",\"cat\":\"");
	buf_puts(&out_buf, cat);
	buf_puts(&out_buf, "\",\"name\":");
	ev_string(name, n);
	buf_puts(&out_buf, ",\"pid\":");
	buf_i64(&out_buf, at->pid);
	buf_puts(&out_buf, ",\"tid\":");
	buf_i64(&out_buf, at->tid);
	buf_puts(&out_buf, ",\"ts\":");
	put_us(ns);
}

/* Fields of the event, before its arguments. */
static void
ev_dur(int64_t ns)
{
	buf_puts(&out_buf, ",\"dur\":");
	put_us(ns);
}

static void
put_member(const char *name)
{
	buf_putc(&out_buf, '"');
	buf_puts(&out_buf, name);
	buf_puts(&out_buf, "\":");
}

/* json: as it stands */
static void
ev_field(const char *name, const char *json)
{
	buf_putc(&out_buf, ',');
	put_member(name);
	buf_puts(&out_buf, json);
}

static void
ev_id(uint64_t id)
{
	buf_puts(&out_buf, ",\"id\":");
	buf_u64(&out_buf, id);
}

static void
arg_key(struct trace_events *e, const char *name)
{
	buf_puts(&out_buf, e->in_args ? "," : ",\"args\":{");
	e->in_args = true;
	put_member(name);
}

/* An argument: a number if it is one that doubles hold, otherwise a string;
 * nothing if it is unset (v NULL). */
static void
ev_arg(struct trace_events *e, const char *name, const char *v, size_t n)
{
	if (v == NULL)
		return;
	arg_key(e, name);
	if (n <= EXACT && json_is_num(v, n))
		buf_put(&out_buf, v, n);
	else
		ev_string(v, n);
}

static void
ev_arg_i64(struct trace_events *e, const char *name, int64_t v)
{
	arg_key(e, name);
	buf_i64(&out_buf, v);
}

static void
ev_end(struct trace_events *e)
{
	buf_puts(&out_buf, e->in_args ? "}}" : "}");
	out_check();
}

/* Names a process (what "process") or a row of it ("thread"), and gives it
 * its place among the others. name: as in records. */
static void
ev_name(struct trace_events *e, const char *what, const struct trace_row *at,
    const char *name, size_t n, int sort)
{
	static const char *const kinds[] = { "_name", "_sort_index" };
	struct buf kind = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		buf_clear(&kind);
		buf_puts(&kind, what);
		buf_puts(&kind, kinds[i]);
		ev_begin(e, 'M', "__metadata", kind.s, kind.len, at, 0);
		arg_key(e, i == 0 ? "name" : "sort_index");
		if (i == 0)
			ev_string(name, n);
		else
			buf_i64(&out_buf, sort);
		ev_end(e);
	}
	buf_free(&kind);
}

/* Rows of the viewer, and the process or device that owns each. */

#define OWN_IDS ((int64_t)1 << 30) /* ours; those of systems are smaller */

#define MAX_ROWS 256 /* of a track; more overlap */

struct track_row {
	int64_t tid, start;     /* start: of the last event */
	struct openranges open; /* the events that go on */
};

struct track {
	enum track_kind kind;
	int64_t pid, want_tid; /* -1: no tid of the system's */
	struct track_row *row;
	int nrow, last;
	struct buf name;
};

/* Places among each other: processes, and the tracks of a process. */
static const struct track_look {
	const char *name; /* follows the owner's name */
	bool gpu, nest;
	int sort;
} looks[] = {
	[TRACK_THREAD] = { "", false, true, 1 },
	[TRACK_OPS] = { " ops", false, false, 2 },
	[TRACK_STREAM] = { "stream ", true, false, 0 },
	[TRACK_SYNC] = { "waits", true, false, 1000 },
	[TRACK_STEPS] = { "iterations", false, false, 0 },
	[TRACK_PATH] = { "critical path", false, false, 1 },
	[TRACK_DIAG] = { "messages", false, true, 2 },
};

/* A number that is not in used yet, and is put there: the wanted one if that
 * is possible (-1: none is wanted), otherwise one that no system gives. */
static int64_t
take_number(struct trace_rows *w, struct map *used, int64_t want)
{
	bool is_new;

	if (want >= 0 && want < OWN_IDS) {
		(void)map_put(used, (uint64_t)want, &is_new);
		if (is_new)
			return want;
	}
	return w->next_own++;
}

/* A process' or thread's number; -1 if unset, or none. */
static int64_t
number_in(struct mview v)
{
	int64_t n;

	return v.s != NULL && num_i64(v.s, v.n, &n) ? n : -1;
}

static void
add_key(struct trace_rows *w, struct mview v)
{
	buf_putc(&w->key, '\t');
	if (v.s != NULL)
		buf_put(&w->key, v.s, v.n);
}

static void
begin_key(struct trace_rows *w, char what, const struct owner *o)
{
	buf_clear(&w->key);
	buf_putc(&w->key, what);
	add_key(w, o->src);
}

/* its file */
static void
rows_label(struct trace_rows *w, const char *s, size_t n)
{
	buf_clear(&w->label);
	buf_put(&w->label, s, n);
}

/* What a process ('p'), a thread ('t'), a device ('d') is called. */
static void
rows_name(
    struct trace_rows *w, char what, const struct owner *o, struct mview name)
{
	uint32_t id;

	begin_key(w, what, o);
	add_key(w, what == 'd' ? o->dev : o->pid);
	if (what == 't')
		add_key(w, o->tid);
	id = smap_put(&w->names, w->key.s, w->key.len, NULL);
	w->names.val[id] = smap_put(&w->texts, name.s, name.n, NULL);
}

/* The name that key has; empty if none. */
static struct mview
known_name(const struct trace_rows *w)
{
	uint32_t id = smap_find(&w->names, w->key.s, w->key.len);
	struct mview v = { "", 0 };

	if (id != SMAP_NONE)
		v.s = smap_str(&w->texts, (uint32_t)w->names.val[id], &v.n);
	return v;
}

static void
add_view(struct buf *b, const char *before, struct mview v)
{
	if (v.s == NULL || v.n == 0)
		return;
	buf_puts(b, before);
	buf_put(b, v.s, v.n);
}

static void
put_labels(const struct trace_rows *w, struct buf *b, const struct owner *o)
{
	struct mview file = { w->label.s, w->label.len };

	add_view(b, ", ", o->src.s != NULL ? o->src : file);
}

/* A GPU is a process of the viewer too, one for each process that uses it. It
 * is announced in the trace when it is new. */
static int64_t
rows_gpu(struct trace_rows *w, const struct owner *o)
{
	struct buf name = { 0 };
	struct trace_row at = { 0, 0 };
	struct mview dev;
	uint32_t id;
	bool is_new;

	begin_key(w, 'g', o);
	add_key(w, o->pid);
	add_key(w, o->dev);
	id = smap_put(&w->procs, w->key.s, w->key.len, &is_new);
	if (!is_new)
		return (int64_t)w->procs.val[id];
	at.pid = take_number(w, &w->used_pid, -1);
	w->procs.val[id] = (uint64_t)at.pid;
	begin_key(w, 'd', o);
	add_key(w, o->dev);
	dev = known_name(w);
	buf_puts(&name, "GPU");
	add_view(&name, " ", o->dev);
	add_view(&name, " ", dev);
	add_view(&name, ", process ", o->pid);
	put_labels(w, &name, o);
	ev_name(w->events, "process", &at, name.s, name.len,
	    1000 + (int)number_in(o->dev));
	buf_free(&name);
	return at.pid;
}

/* The same of the process itself. */
static int64_t
rows_cpu(struct trace_rows *w, const struct owner *o)
{
	struct buf name = { 0 };
	struct trace_row at = { 0, 0 };
	struct mview known;
	uint32_t id;
	bool is_new;

	begin_key(w, 'p', o);
	add_key(w, o->pid);
	id = smap_put(&w->procs, w->key.s, w->key.len, &is_new);
	if (!is_new)
		return (int64_t)w->procs.val[id];
	at.pid = take_number(w, &w->used_pid, number_in(o->pid));
	w->procs.val[id] = (uint64_t)at.pid;
	known = known_name(w);
	if (!mv_eq(known, "process")) /* the profiler did not know */
		add_view(&name, "", known);
	add_view(&name, name.len > 0 ? ", process " : "process ", o->pid);
	if (name.len == 0)
		buf_puts(&name, o->pid.s == NULL ? "profile" : "process");
	put_labels(w, &name, o);
	ev_name(w->events, "process", &at, name.s, name.len,
	    o->pid.s == NULL ? 0 : 1);
	buf_free(&name);
	return at.pid;
}

/* Appends the name of the thread. */
static void
add_thread_name(struct trace_rows *w, const struct owner *o, struct buf *out)
{
	begin_key(w, 't', o);
	add_key(w, o->pid);
	add_key(w, o->tid);
	add_view(out, "", known_name(w));
	add_view(out, out->len > 0 ? " " : "thread ", o->tid);
}

static void
free_track(struct track *t)
{
	int i;

	for (i = 0; i < t->nrow; i++)
		openranges_free(&t->row[i].open);
	free(t->row);
	buf_free(&t->name);
	free(t);
}

/* A section begins: its processes are others. */
static void
rows_section(struct trace_rows *w)
{
	size_t i;

	for (i = 0; i < w->keys.n; i++)
		free_track(w->track[i]);
	smap_clear(&w->keys);
	smap_clear(&w->procs);
	smap_clear(&w->names);
	smap_clear(&w->texts);
	buf_clear(&w->label);
}

static void
rows_init(struct trace_rows *w, struct trace_events *e)
{
	*w = (struct trace_rows){ .events = e, .next_own = OWN_IDS };
}

static void
rows_free(struct trace_rows *w)
{
	rows_section(w);
	smap_free(&w->keys);
	smap_free(&w->procs);
	smap_free(&w->names);
	smap_free(&w->texts);
	map_free(&w->used_pid);
	map_free(&w->used_tid);
	free(w->track);
	buf_free(&w->label);
	buf_free(&w->key);
}

static void
name_track(struct trace_rows *w, struct track *t, const struct owner *o)
{
	struct buf *b = &t->name;

	if (t->kind == TRACK_THREAD || t->kind == TRACK_OPS)
		add_thread_name(w, o, b);
	buf_puts(b, looks[t->kind].name);
	if (t->kind == TRACK_STREAM)
		buf_put(b, o->stream.s != NULL ? o->stream.s : "?",
		    o->stream.s != NULL ? o->stream.n : 1);
	if (looks[t->kind].gpu && o->ctx.s != NULL) {
		buf_puts(b, ", context ");
		buf_put(b, o->ctx.s, o->ctx.n);
	}
	t->want_tid = t->kind == TRACK_THREAD ? number_in(o->tid) : -1;
}

/* The number of the track in keys. */
static uint32_t
track_number(struct trace_rows *w, enum track_kind kind, const struct owner *o,
    bool *is_new)
{
	struct mview none = { NULL, 0 };
	struct mview cpu[] = { o->src, o->pid, o->tid, none, none };
	struct mview gpu[] = { o->src, o->pid, o->dev, o->ctx,
		kind == TRACK_STREAM ? o->stream : none };
	const struct mview *v = looks[kind].gpu ? gpu : cpu;
	int i;

	buf_clear(&w->key);
	buf_putc(&w->key, (char)('0' + kind));
	for (i = 0; i < 5; i++)
		add_key(w, v[i]);
	return smap_put(&w->keys, w->key.s, w->key.len, is_new);
}

/* The track, which is announced in the trace when it is new. Valid until the
 * next section. */
static struct track *
rows_track(struct trace_rows *w, enum track_kind kind, const struct owner *o)
{
	struct track *t;
	bool is_new;
	uint32_t id = track_number(w, kind, o, &is_new);

	if (!is_new)
		return w->track[id];
	ARRAY_GROW(w->track, id, w->cap);
	t = xcalloc(1, sizeof(*t));
	w->track[id] = t;
	t->kind = kind;
	t->pid = looks[kind].gpu ? rows_gpu(w, o) : rows_cpu(w, o);
	name_track(w, t, o);
	return t;
}

static int
new_row(struct trace_rows *w, struct track *t)
{
	struct trace_row at = { t->pid, 0 };
	struct buf name = { 0 };
	struct track_row *l;

	t->row = xrealloc(t->row, (size_t)t->nrow + 1, sizeof(*t->row));
	l = &t->row[t->nrow];
	*l = (struct track_row){ .start = INT64_MIN };
	openranges_init(&l->open, sizeof(struct openrange));
	l->tid = at.tid =
	    take_number(w, &w->used_tid, t->nrow == 0 ? t->want_tid : -1);
	buf_put(&name, t->name.s, t->name.len);
	if (t->nrow > 0)
		buf_printf(&name, " (%d)", t->nrow + 1);
	ev_name(
	    w->events, "thread", &at, name.s, name.len, looks[t->kind].sort);
	buf_free(&name);
	return t->nrow++;
}

/* Whether the event can lie in the row; those that end before are closed. */
static bool
fits(struct track_row *l, bool nest, int64_t start, int64_t end)
{
	const struct openrange *x;

	if (start < l->start)
		return false;
	openranges_pop(&l->open, start);
	x = openranges_top(&l->open);
	return x == NULL || (nest && end <= x->end);
}

/* The row for an event from start to end (not before start); events come in
 * nearly the order of their starts. */
static struct trace_row
track_place(struct trace_rows *w, struct track *t, int64_t start, int64_t end)
{
	bool nest = looks[t->kind].nest;
	struct track_row *l;
	int i;

	for (i = 0; i < t->nrow; i++)
		if (fits(&t->row[i], nest, start, end))
			break;
	if (i == t->nrow)
		i = i < MAX_ROWS ? new_row(w, t) : i - 1;
	l = &t->row[i];
	openranges_push(&l->open, start, end);
	l->start = start;
	t->last = i;
	return (struct trace_row){ t->pid, l->tid };
}

/* The row that the last event was given; the first row if there was none. */
static struct trace_row
track_last(struct trace_rows *w, struct track *t)
{
	if (t->nrow == 0)
		(void)new_row(w, t);
	return (struct trace_row){ t->pid, t->row[t->last].tid };
}

/* What is shown of each record. */

#define WORK "op op.name dir layer phase op.shapes "
#define PLACE "iter corr why"

static const struct trace_def trace_defs[] = {
	/* ends with tag NULL */
	{ .tag = "kern",
	    .show = SHOW_GPU,
	    .name = "short",
	    .args = WORK
	    "params flop bytes dtype family role tc tc_why "
	    "name grid block regs smem_bytes dynsmem_bytes node " PLACE },
	{ .tag = "copy",
	    .show = SHOW_GPU,
	    .before = "Memcpy ",
	    .name = "kind",
	    .args = WORK "bytes src_mem dst_mem node " PLACE },
	{ .tag = "set",
	    .show = SHOW_GPU,
	    .before = "Memset",
	    .args = WORK "bytes value mem node " PLACE },
	{ .tag = "graph",
	    .show = SHOW_GPU,
	    .before = "Graph ",
	    .name = "graph",
	    .args = WORK "exec " PLACE },
	{ .tag = "sync",
	    .show = SHOW_SYNC,
	    .before = "Wait ",
	    .name = "kind",
	    .args = WORK "stream event " PLACE },
	{ .tag = "call",
	    .show = SHOW_CPU,
	    .name = "api",
	    .args = WORK "ret n_gpu " PLACE },
	{ .tag = "os", .show = SHOW_CPU, .name = "name", .args = "iter" },
	{ .tag = "lib", .show = SHOW_CPU, .name = "name", .args = "lib iter" },
	{ .tag = "over",
	    .show = SHOW_CPU,
	    .before = "Profiler: ",
	    .name = "name",
	    .args = "iter" },
	{ .tag = "range",
	    .show = SHOW_RANGE,
	    .name = "text",
	    .args = "domain mode end_tid layer phase iter" },
	{ .tag = "inst",
	    .show = SHOW_OP,
	    .name = "op",
	    .args = "op.name dir layer phase op.shapes seq n_kern n_gpu n_call "
		    "gpu_ns overhead_ns api_ns iter" },
	{ .tag = "iter",
	    .show = SHOW_ITER,
	    .before = "iteration ",
	    .name = "iter",
	    .args = "key gpu_ns step_ns kern_ns n_kern n_op" },
	{ .tag = "path",
	    .show = SHOW_PATH,
	    .name = "kind",
	    .args = "name op phase res iter" },
	{ .tag = "mark",
	    .show = SHOW_MARK,
	    .name = "text",
	    .args = "domain iter" },
	{ .tag = "diag",
	    .show = SHOW_DIAG,
	    .name = "text",
	    .args = "severity" },
	{ .tag = "mem", .show = SHOW_MEM },
	{ .tag = NULL },
};

static void
add_arg(struct trace_type *t, struct join *j, struct rec_type *type, char *name)
{
	if (t->narg == TRACE_ARGS)
		die("too many arguments for %s", t->def->tag);
	t->arg[t->narg] = join_col(j, type, name);
	t->arg[t->narg]->optional = true;
	t->arg_name[t->narg++] =
	    strcmp(name, "op.shapes") == 0 ? "shapes" : name;
}

static void
bind_args(struct trace_type *t, struct join *j, struct rec_type *type)
{
	char *s, *save;

	if (t->def->args == NULL)
		return;
	t->arg_text = xstrdup(t->def->args);
	for (s = strtok_r(t->arg_text, " ", &save); s != NULL;
	     s = strtok_r(NULL, " ", &save))
		add_arg(t, j, type, s);
}

/* Binds the columns of a type. */
static void
show_bind(struct trace_shown *s, struct trace_type *t,
    const struct trace_def *def, struct rec_type *type)
{
	t->def = def;
	t->start = rec_col(type, "start_ns", REC_NEED);
	REC_COLS(type, REC_OPT, { &t->dur, "dur_ns" }, { &t->pid, "pid" },
	    { &t->tid, "tid" }, { &t->dev, "dev" }, { &t->ctx, "ctx" },
	    { &t->stream, "stream" }, { &t->src, "src" }, { &t->iter, "iter" },
	    { &t->api, "api" }, { &t->api_start, "api_start_ns" },
	    { &t->api_dur, "api_dur_ns" }, { &t->mode, "mode" },
	    { &t->bytes, "bytes" }, { &t->what, "op" }, { &t->kind, "kind" });
	if (def->name != NULL)
		t->named = rec_col(type, def->name, REC_OPT);
	bind_args(t, &s->join, type);
}

/* The name of the event: a view into the record, or into s->name. */
static struct mview
event_name(struct trace_shown *s, const struct trace_item *it)
{
	const char *before = it->t->def->before;
	struct mview v = { NULL, 0 };

	if (it->t->named != NULL)
		v = rec_view(it->r, it->t->named);
	if (before == NULL && v.s != NULL)
		return v;
	buf_clear(&s->name);
	buf_puts(&s->name, before != NULL ? before : "?");
	if (v.s != NULL)
		buf_put(&s->name, v.s, v.n);
	return (struct mview){ s->name.s, s->name.len };
}

static void
put_args(struct trace_shown *s, const struct trace_item *it)
{
	const char *v;
	size_t n;
	int i;

	for (i = 0; i < it->t->narg; i++) {
		v = join_raw(&s->join, it->r, it->t->arg[i], &n);
		ev_arg(&s->events, it->t->arg_name[i], v, n);
	}
}

static struct track *
track_of(
    struct trace_shown *s, enum track_kind kind, const struct trace_item *it)
{
	return rows_track(&s->rows, kind, &it->owner);
}

/* A span, or a point where the end is not known. */
static void
show_span(struct trace_shown *s, const struct trace_item *it, struct track *t)
{
	struct mview name = event_name(s, it);
	struct trace_row at = track_place(&s->rows, t, it->start,
	    num_add(it->start, it->has_dur ? it->dur : 0));

	ev_begin(&s->events, it->has_dur ? 'X' : 'i', it->t->def->tag, name.s,
	    name.n, &at, it->start);
	if (it->has_dur)
		ev_dur(it->dur);
	else
		ev_field("s", "\"t\"");
	put_args(s, it);
	ev_end(&s->events);
}

/* The API call of GPU work, if it has no record of its own. False if nothing
 * is known of a call. */
static bool
show_call(struct trace_shown *s, const struct trace_item *it, struct track *t)
{
	static const struct mview unknown = { "?", 1 };
	struct mview api = rec_view(it->r, it->t->api);
	int64_t start, dur;
	struct trace_row at;

	if (!rec_i64(it->r, it->t->api_start, &start))
		return false;
	if (!rec_dur(it->r, it->t->api_dur, &dur))
		return true;
	if (api.s == NULL)
		api = unknown;
	at = track_place(&s->rows, t, start, num_add(start, dur));
	ev_begin(&s->events, 'X', "call", api.s, api.n, &at, start);
	ev_dur(dur);
	ev_end(&s->events);
	return true;
}

/* One end of the arrow from a call to its work. */
static void
put_arrow(
    struct trace_shown *s, char ph, const struct trace_row *at, int64_t ns)
{
	ev_begin(&s->events, ph, "launch", "launch", 6, at, ns);
	ev_id(s->next_flow);
	if (ph == 'f')
		ev_field("bp", "\"e\"");
	ev_end(&s->events);
}

static void
add_to_key(struct buf *key, struct mview v)
{
	buf_put(key, v.s, v.n);
	buf_putc(key, '\t');
}

static void
put_queue(struct trace_shown *s, const struct trace_queue *q, int64_t at)
{
	ev_begin(
	    &s->events, 'C', "queue", "launched, not started", 21, &q->at, at);
	ev_arg_i64(&s->events, "works", (int64_t)q->starts.n);
	ev_end(&s->events);
}

/* Work that started at t or before is no longer in the queue. */
static void
queue_until(struct trace_shown *s, struct trace_queue *q, int64_t t)
{
	int64_t at;

	while (q->starts.n > 0 && q->starts.v[0].at <= t) {
		at = timeheap_pop(&q->starts).at;
		if (q->starts.n == 0 || q->starts.v[0].at > at)
			put_queue(s, q, at);
	}
}

static void
end_queues(struct trace_shown *s)
{
	size_t i;

	for (i = 0; i < s->queues.n; i++)
		queue_until(s, &s->queue[i], INT64_MAX);
}

static void
forget_queues(struct trace_shown *s)
{
	size_t i;

	for (i = 0; i < s->queues.n; i++)
		timeheap_free(&s->queue[i].starts);
	smap_clear(&s->queues);
}

static void
show_queue(struct trace_shown *s, const struct trace_item *it)
{
	struct trace_queue *q;
	int64_t at;
	uint32_t id;
	bool is_new;

	if (!rec_i64(it->r, it->t->api_start, &at) || at > it->start)
		return;
	buf_clear(&s->key);
	add_to_key(&s->key, it->owner.src);
	add_to_key(&s->key, it->owner.pid);
	add_to_key(&s->key, it->owner.dev);
	id = smap_put(&s->queues, s->key.s, s->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(s->queue, id, s->queue_cap);
		s->queue[id] = (struct trace_queue){
			.at = { rows_gpu(&s->rows, &it->owner), 0 }
		};
	}
	q = &s->queue[id];
	queue_until(s, q, at);
	timeheap_push(&q->starts, (struct timed){ .at = it->start });
	put_queue(s, q, at);
}

static void
show_gpu(struct trace_shown *s, const struct trace_item *it)
{
	struct track *cpu = track_of(s, TRACK_THREAD, it);
	struct track *gpu = track_of(s, TRACK_STREAM, it);
	int64_t start;
	struct trace_row at;
	bool called = show_call(s, it, cpu);

	if (called && it->has_dur) {
		at = track_last(&s->rows, cpu);
		(void)rec_i64(it->r, it->t->api_start, &start);
		put_arrow(s, 's', &at, start);
	}
	show_queue(s, it);
	show_span(s, it, gpu);
	if (called && it->has_dur) {
		at = track_last(&s->rows, gpu);
		put_arrow(s, 'f', &at, it->start);
		s->next_flow++;
	}
}

/* A range that another thread can end overlaps others as it likes. */
static void
show_async(struct trace_shown *s, const struct trace_item *it)
{
	struct track *t = track_of(s, TRACK_THREAD, it);
	struct trace_row at = track_last(&s->rows, t);
	struct mview name = event_name(s, it);

	ev_begin(&s->events, 'b', "range", name.s, name.n, &at, it->start);
	ev_id(s->next_async);
	put_args(s, it);
	ev_end(&s->events);
	if (it->has_dur) {
		ev_begin(&s->events, 'e', "range", name.s, name.n, &at,
		    num_add(it->start, it->dur));
		ev_id(s->next_async);
		ev_end(&s->events);
	}
	s->next_async++;
}

/* One that was never closed is open to the end, and no span. */
static void
show_range(struct trace_shown *s, const struct trace_item *it)
{
	if (!it->has_dur || rec_is(it->r, it->t->mode, "start"))
		show_async(s, it);
	else
		show_span(s, it, track_of(s, TRACK_THREAD, it));
}

static void
show_mark(struct trace_shown *s, const struct trace_item *it)
{
	struct track *t = track_of(s, TRACK_THREAD, it);
	struct trace_row at = track_last(&s->rows, t);
	struct mview name = event_name(s, it);

	ev_begin(
	    &s->events, 'i', it->t->def->tag, name.s, name.n, &at, it->start);
	ev_field("s", "\"t\"");
	put_args(s, it);
	ev_end(&s->events);
}

/* The bytes that live after the record, of its kind of memory. */
static int64_t
count_memory(
    struct trace_shown *s, const struct trace_item *it, struct mview kind)
{
	int64_t bytes = rec_int(it->r, it->t->bytes, 0), now;
	uint32_t id;

	buf_clear(&s->key);
	add_to_key(&s->key, it->owner.src);
	add_to_key(&s->key, it->owner.pid);
	add_to_key(&s->key, it->owner.dev);
	add_to_key(&s->key, kind);
	id = smap_put(&s->live, s->key.s, s->key.len, NULL);
	now = (int64_t)s->live.val[id];
	now = rec_is(it->r, it->t->what, "free") ? num_sub(now, bytes)
						 : num_add(now, bytes);
	s->live.val[id] = (uint64_t)now;
	return now;
}

static void
show_mem(struct trace_shown *s, const struct trace_item *it)
{
	struct mview kind = rec_view(it->r, it->t->kind);
	struct trace_row at = { 0, 0 };
	int64_t now;

	if (kind.s == NULL)
		kind = (struct mview){ "memory", 6 };
	now = count_memory(s, it, kind);
	if (it->hidden)
		return;
	at.pid = rows_gpu(&s->rows, &it->owner);
	buf_clear(&s->name);
	buf_puts(&s->name, "memory, ");
	buf_put(&s->name, kind.s, kind.n);
	ev_begin(
	    &s->events, 'C', "mem", s->name.s, s->name.len, &at, it->start);
	ev_arg_i64(&s->events, "bytes", now);
	ev_end(&s->events);
}

/* The events of one record. */
static void
show_item(struct trace_shown *s, const struct trace_item *it)
{
	struct owner profile = { .src = it->owner.src };

	switch (it->t->def->show) {
	case SHOW_GPU:
		show_gpu(s, it);
		break;
	case SHOW_SYNC:
		(void)show_call(s, it, track_of(s, TRACK_THREAD, it));
		show_span(s, it, track_of(s, TRACK_SYNC, it));
		break;
	case SHOW_CPU:
		show_span(s, it, track_of(s, TRACK_THREAD, it));
		break;
	case SHOW_RANGE:
		show_range(s, it);
		break;
	case SHOW_OP:
		if (it->has_dur) /* the replay of a graph has none */
			show_span(s, it, track_of(s, TRACK_OPS, it));
		break;
	case SHOW_ITER:
		show_span(s, it, rows_track(&s->rows, TRACK_STEPS, &profile));
		break;
	case SHOW_PATH: /* beside them */
		show_span(s, it, rows_track(&s->rows, TRACK_PATH, &profile));
		break;
	case SHOW_MARK:
		show_mark(s, it);
		break;
	case SHOW_DIAG:
		show_span(s, it, rows_track(&s->rows, TRACK_DIAG, &profile));
		break;
	case SHOW_MEM:
		show_mem(s, it);
	}
}

static void
show_init(struct trace_shown *s, struct rec_reader *rd)
{
	*s = (struct trace_shown){ .next_flow = 1, .next_async = 1 };
	rows_init(&s->rows, &s->events);
	join_init(&s->join, rd);
}

/* begins: nothing is allocated */
static void
show_section(struct trace_shown *s)
{
	join_section(&s->join);
	rows_section(&s->rows);
	forget_queues(s);
	smap_clear(&s->live);
}

static void
show_free(struct trace_shown *s)
{
	rows_free(&s->rows);
	forget_queues(s);
	smap_free(&s->queues);
	free(s->queue);
	join_free(&s->join);
	smap_free(&s->live);
	buf_free(&s->name);
	buf_free(&s->key);
}

struct named_owner { /* the columns of proc, thread, dev */
	char what;   /* as in rows_name() */
	struct rec_col *src, *pid, *tid, *dev, *name;
};

struct trace {
	bool iter_only;
	bool begun;       /* an event of the section was shown */
	uint64_t untimed; /* records without a start */
	struct trace_shown shown;
	struct trace_type *type; /* as trace_defs */
	size_t n_type;
	struct named_owner proc, thread, dev;
	/* "otherData" */
	int section;
	struct smap facts; /* val: number in texts, or the count of a note */
	struct smap texts;
	struct buf key;
};

/* From the second section on, names have its number in front. */
static uint32_t
fact_of(struct trace *x, const char *what, struct mview name)
{
	buf_clear(&x->key);
	if (x->section > 1)
		buf_printf(&x->key, "%d.", x->section);
	buf_puts(&x->key, what);
	buf_put(&x->key, name.s, name.n);
	return smap_put(&x->facts, x->key.s, x->key.len, NULL);
}

/* A message of the profiler from before the first event, often of seconds
 * before, while it started the program: a viewer would show that time as an
 * empty timeline, so it becomes a fact. */
static void
keep_early(struct trace *x, const struct rec *r, const struct trace_item *it)
{
	struct mview text = { 0 };
	char name[48];
	uint32_t id;
	int n;

	if (it->t->named != NULL)
		text = rec_view(r, it->t->named);
	if (text.s == NULL)
		return;
	n = snprintf(
	    name, sizeof(name), "diag.%.9f s", (double)it->start / 1e9);
	id = fact_of(x, "info.", (struct mview){ name, (size_t)n });
	x->facts.val[id] = smap_put(&x->texts, text.s, text.n, NULL);
}

static void
read_shown(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const struct trace_type *t = rec_arg(r);
	struct trace_item it = { .r = r, .t = t };

	it.hidden = x->iter_only && t->def->show != SHOW_ITER &&
		    rec_view(r, t->iter).s == NULL;
	if (it.hidden && t->def->show != SHOW_MEM)
		return;
	if (!rec_i64(r, t->start, &it.start)) {
		x->untimed++;
		return;
	}
	if (!x->begun && t->def->show == SHOW_DIAG) {
		keep_early(x, r, &it);
		return;
	}
	x->begun = x->begun || !it.hidden;
	it.has_dur = rec_dur(r, t->dur, &it.dur);
	it.owner = (struct owner){ .src = rec_view(r, t->src),
		.pid = rec_view(r, t->pid),
		.tid = rec_view(r, t->tid),
		.dev = rec_view(r, t->dev),
		.ctx = rec_view(r, t->ctx),
		.stream = rec_view(r, t->stream) };
	show_item(&x->shown, &it);
}

static void
read_shown_legend(struct stage *st, struct rec *r)
{
	struct trace_type *t = rec_arg(r);
	int i;

	(void)st;
	for (i = 0; i < t->narg; i++)
		join_legend(t->arg[i]);
}

static void
read_name(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const struct named_owner *k = rec_arg(r);
	struct mview name = rec_view(r, k->name);
	struct owner o = { .src = rec_view(r, k->src),
		.pid = rec_view(r, k->pid),
		.tid = rec_view(r, k->tid),
		.dev = rec_view(r, k->dev) };

	if (name.s != NULL)
		rows_name(&x->shown.rows, k->what, &o, name);
}

static void
join_op_rec(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;

	join_op(&x->shown.join, r);
}

static void
join_str_rec(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;

	join_str(&x->shown.join, r);
}

static void
begin_trace_section(struct stage *st)
{
	struct trace *x = st->ctx;

	show_section(&x->shown);
	x->begun = false;
	x->section++;
}

static void
end_trace_section(struct stage *st)
{
	struct trace *x = st->ctx;

	end_queues(&x->shown);
}

/* Notes of a name add up. ##info src names the file of a section. */
static void
read_fact(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const char *rest, *word, *v;
	struct mview name, value;
	size_t wlen, rlen;
	uint64_t n = 0;
	uint32_t id;

	word = rec_meta(r, &wlen, &rest, &rlen);
	v = memchr(rest, '\t', rlen);
	if (v == NULL)
		return;
	name = mv(rest, v);
	value = mv(v + 1, rest + rlen);
	if (text_is(word, wlen, "info")) {
		if (mv_eq(name, "src"))
			rows_label(&x->shown.rows, value.s, value.n);
		id = fact_of(x, "info.", name);
		x->facts.val[id] = smap_put(&x->texts, value.s, value.n, NULL);
	} else if (text_is(word, wlen, "note")) {
		id = fact_of(x, "note.", name);
		(void)num_u64(value.s, value.n, &n);
		x->facts.val[id] += n;
	}
}

static void
put_fact(const struct trace *x, uint32_t id)
{
	const char *name, *text;
	size_t n, k;

	name = smap_str(&x->facts, id, &n);
	buf_puts(&out_buf, ",\n");
	ev_string(name, n);
	buf_putc(&out_buf, ':');
	if (mv_find((struct mview){ name, n }, "info.") != NULL) {
		text = smap_str(&x->texts, (uint32_t)x->facts.val[id], &k);
		ev_string(text, k);
	} else {
		buf_u64(&out_buf, x->facts.val[id]);
	}
}

/* What is said about the profile, after the events; and the end. */
static void
trace_facts(const struct trace *x)
{
	uint32_t i;

	buf_puts(&out_buf, ",\"displayTimeUnit\":\"ns\",\"otherData\":{\n"
			   "\"by\":\"dlp-trace " DLP_VERSION "\"");
	for (i = 0; i < x->facts.n; i++)
		put_fact(x, i);
	buf_puts(&out_buf, "}}\n");
}

static void
listen_name(struct stage *st, const char *tag, struct named_owner *k, char what)
{
	struct rec_type *t = stage_on(st, tag, read_name, NULL, k);

	k->what = what;
	REC_COLS(t, REC_OPT, { &k->src, "src" }, { &k->pid, "pid" },
	    { &k->tid, "tid" }, { &k->dev, "dev" }, { &k->name, "name" });
}

static void
listen_trace(struct stage *st, struct trace *x)
{
	size_t i;

	listen_name(st, "proc", &x->proc, 'p');
	listen_name(st, "thread", &x->thread, 't');
	listen_name(st, "dev", &x->dev, 'd');
	stage_on(st, "op", join_op_rec, NULL, NULL);
	stage_on(st, "str", join_str_rec, NULL, NULL);
	while (trace_defs[x->n_type].tag != NULL)
		x->n_type++;
	x->type = xcalloc(x->n_type, sizeof(*x->type));
	for (i = 0; i < x->n_type; i++)
		show_bind(&x->shown, &x->type[i], &trace_defs[i],
		    stage_on(st, trace_defs[i].tag, read_shown,
			read_shown_legend, &x->type[i]));
}

static void
free_trace(struct trace *x)
{
	size_t i;
	int k;

	show_free(&x->shown);
	for (i = 0; i < x->n_type; i++) {
		for (k = 0; k < x->type[i].narg; k++)
			free(x->type[i].arg[k]);
		free(x->type[i].arg_text);
	}
	free(x->type);
	smap_free(&x->facts);
	smap_free(&x->texts);
	buf_free(&x->key);
}

int
main(int argc, char **argv)
{
	struct trace x = { 0 };
	const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &x.iter_only },
		{ 0 },
	};
	struct stage st;
	int rc;

	stage_start_sink(&st, "dlp-trace", usage, opts, argc, argv);
	st.result = true;
	show_init(&x.shown, st.rd);
	st.ctx = &x;
	st.section = begin_trace_section;
	st.end = end_trace_section;
	st.meta = read_fact;
	listen_trace(&st, &x);
	events_open();
	rc = stage_run(&st);
	events_close();
	trace_facts(&x);
	if (x.untimed > 0)
		warn("records without a time are left out: %llu",
		    (unsigned long long)x.untimed);
	join_warn(&x.shown.join);
	free_trace(&x);
	return out_finish(rc);
}
