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
#include "cols.h"
#include "err.h"
#include "join.h"
#include "map.h"
#include "mview.h"
#include "num.h"
#include "openrange.h"
#include "out.h"
#include "stage.h"
#include "timeheap.h"
#include "wording.h"

#include "dlp-trace/trace_out.h"

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
	TRACK_FREE,   /* CPU: ranges that overlap others, in packets */
	TRACK_STREAM, /* GPU: a stream's work */
	TRACK_SYNC,   /* GPU: waits for it */
	TRACK_STEPS,  /* the iterations */
	TRACK_PATH,   /* their critical paths */
	TRACK_DIAG,   /* messages of the profiler */
};

/* Places among each other: processes, and the tracks of a process. */
static const struct track_look {
	const char *name;        /* follows the owner's name */
	bool gpu, nest, profile; /* profile: one for all processes */
	int sort;
} looks[] = {
	[TRACK_THREAD] = { "", false, true, false, 1 },
	[TRACK_OPS] = { " ops", false, false, false, 2 },
	[TRACK_FREE] = { " ranges", false, false, false, 3 },
	[TRACK_STREAM] = { "stream ", true, false, false, 0 },
	[TRACK_SYNC] = { "waits", true, false, false, 1000 },
	[TRACK_STEPS] = { "iterations", false, false, true, 0 },
	[TRACK_PATH] = { "critical path", false, false, true, 1 },
	[TRACK_DIAG] = { "messages", false, true, true, 2 },
};

struct track {
	enum track_kind kind;
	int64_t pid, want_tid; /* -1: no tid of the system's */
	struct track_row {
		int64_t tid, start;     /* start: of the last event */
		struct openranges open; /* the events that go on */
	} * row;
	int nrow, last;
	struct buf name;
};

/* Work of a process on a GPU that is launched and has not started. */
struct trace_queue {
	struct trace_row at;
	struct timeheap starts;
};

#define TRACE_ARGS 28

struct trace;
struct trace_item;
typedef void trace_show(struct trace *x, const struct trace_item *it);

struct trace_type { /* a line of trace.tab */
	const char *tag;
	trace_show *show;
	enum track_kind kind; /* show_on(): the track */
	const char *before;   /* of the name */
	int named;            /* the column with the name, or -1 */
	struct join_col *arg[TRACE_ARGS];
	const char *arg_name[TRACE_ARGS];
	int narg;
};

struct trace_item { /* a record with what all of them have */
	struct rec *r;
	const struct trace_type *t;
	struct owner owner;
	int64_t start, dur; /* ns */
	bool has_dur;       /* and it is not negative */
	bool hidden;        /* only the memory counters need to know of it */
};

struct trace {
	bool iter_only;
	struct wording defs; /* trace.tab */
	struct trace_type *type;
	struct join join;
	struct trace_out out;
	struct buf name, key;
	/* the whole trace */
	int64_t next_own; /* number that no system gives */
	struct map used_pid, used_tid;
	uint64_t next_flow, next_async;
	uint64_t untimed; /* records without a start */
	int section;
	struct smap facts; /* "otherData"; val: number in fact_texts, or the
			    * count of a note */
	struct smap fact_texts;
	/* the section */
	bool begun;       /* an event of it was shown */
	struct buf label; /* its file */
	struct smap procs, names, texts, keys;
	struct track **track; /* by number in keys */
	size_t track_cap;
	struct smap live;   /* bytes by process, device and kind of memory */
	struct smap queues; /* by process and device; val: number in queue */
	struct trace_queue *queue;
	size_t queue_cap;
};

/* Rows of the viewer, and the process or device that owns each. */

#define OWN_IDS ((int64_t)1 << 30) /* ours; those of systems are smaller */

#define MAX_ROWS 256 /* of a track; more overlap */

/* A number that is not in used yet, and is put there: the wanted one if that
 * is possible (-1: none is wanted), otherwise one that no system gives. */
static int64_t
take_number(struct trace *x, struct map *used, int64_t want)
{
	bool is_new;

	if (want >= 0 && want < OWN_IDS) {
		(void)map_put(used, (uint64_t)want, &is_new);
		if (is_new)
			return want;
	}
	return x->next_own++;
}

/* A process' or thread's number; -1 if unset, or none. */
static int64_t
number_in(struct mview v)
{
	int64_t n;

	return v.s != NULL && num_i64(v.s, v.n, &n) ? n : -1;
}

/* Makes x->key of a letter and n values. */
static void
set_key(struct trace *x, char what, const struct mview *v, int n)
{
	buf_clear(&x->key);
	buf_putc(&x->key, what);
	for (; n > 0; n--, v++) {
		buf_putc(&x->key, '\t');
		buf_put(&x->key, v->s, v->n);
	}
}

/* That of a process ('p'), a thread ('t'), a device ('d'); of one that a
 * process uses ('g'). */
static void
set_owner_key(struct trace *x, char what, const struct owner *o)
{
	const struct mview v[] = { o->src, what == 'd' ? o->dev : o->pid,
		what == 't' ? o->tid : o->dev };

	set_key(x, what, v, what == 't' || what == 'g' ? 3 : 2);
}

/* The name that it has; empty if none. */
static struct mview
known_name(struct trace *x, char what, const struct owner *o)
{
	struct mview v = { "", 0 };
	uint32_t id;

	set_owner_key(x, what, o);
	id = smap_find(&x->names, x->key.s, x->key.len);
	if (id != SMAP_NONE)
		v.s = smap_str(&x->texts, (uint32_t)x->names.val[id], &v.n);
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

/* The process of the viewer. A GPU is one too, one for each process that uses
 * it. It is announced in the trace when it is new. */
static int64_t
process_of(struct trace *x, const struct owner *o, bool gpu)
{
	struct mview file = { x->label.s, x->label.len }, known;
	struct buf name = { 0 };
	struct trace_row at = { 0, 0 };
	uint32_t id;
	bool is_new;

	set_owner_key(x, gpu ? 'g' : 'p', o);
	id = smap_put(&x->procs, x->key.s, x->key.len, &is_new);
	if (!is_new)
		return (int64_t)x->procs.val[id];
	at.pid = take_number(x, &x->used_pid, gpu ? -1 : number_in(o->pid));
	x->procs.val[id] = (uint64_t)at.pid;
	known = known_name(x, gpu ? 'd' : 'p', o);
	if (gpu) {
		buf_puts(&name, "GPU");
		add_view(&name, " ", o->dev);
		add_view(&name, " ", known);
		add_view(&name, ", process ", o->pid);
	} else {
		if (!mv_eq(known, "process")) /* the profiler did not know */
			add_view(&name, "", known);
		add_view(
		    &name, name.len > 0 ? ", process " : "process ", o->pid);
		if (name.len == 0)
			buf_puts(
			    &name, o->pid.s == NULL ? "profile" : "process");
	}
	add_view(&name, ", ", o->src.s != NULL ? o->src : file);
	ev_name(&x->out, false, &at, &name,
	    gpu ? 1000 + (int)number_in(o->dev) : o->pid.s != NULL);
	buf_free(&name);
	return at.pid;
}

/* The track of the item, which is announced in the trace when it is new. Valid
 * until the next section. */
static struct track *
track_of(struct trace *x, enum track_kind kind, const struct trace_item *it)
{
	const struct track_look *look = &looks[kind];
	struct owner profile = { .src = it->owner.src };
	const struct owner *o = look->profile ? &profile : &it->owner;
	const struct mview none = { NULL, 0 };
	const struct mview v[] = { o->src, o->pid, look->gpu ? o->dev : o->tid,
		look->gpu ? o->ctx : none,
		kind == TRACK_STREAM ? o->stream : none };
	struct track *t;
	bool is_new;
	uint32_t id;
	struct buf *b;

	set_key(x, (char)('0' + kind), v, ARRAY_LEN(v));
	id = smap_put(&x->keys, x->key.s, x->key.len, &is_new);
	if (!is_new)
		return x->track[id];
	ARRAY_GROW(x->track, id, x->track_cap);
	t = xcalloc(1, sizeof(*t));
	x->track[id] = t;
	t->kind = kind;
	t->pid = process_of(x, o, look->gpu);
	b = &t->name;
	if (t->kind <= TRACK_FREE) {
		add_view(b, "", known_name(x, 't', o));
		add_view(b, b->len > 0 ? " " : "thread ", o->tid);
	}
	buf_puts(b, looks[t->kind].name);
	if (t->kind == TRACK_STREAM)
		buf_put(b, o->stream.s != NULL ? o->stream.s : "?",
		    o->stream.s != NULL ? o->stream.n : 1);
	if (looks[t->kind].gpu)
		add_view(b, ", context ", o->ctx);
	t->want_tid = t->kind == TRACK_THREAD ? number_in(o->tid) : -1;
	return t;
}

static int
new_row(struct trace *x, struct track *t)
{
	struct trace_row at = { t->pid, 0 };
	struct buf name = { 0 };
	struct track_row *l;

	t->row = xrealloc(t->row, (size_t)t->nrow + 1, sizeof(*t->row));
	l = &t->row[t->nrow];
	*l = (struct track_row){ .start = INT64_MIN };
	openranges_init(&l->open, sizeof(struct openrange));
	l->tid = at.tid =
	    take_number(x, &x->used_tid, t->nrow == 0 ? t->want_tid : -1);
	buf_put(&name, t->name.s, t->name.len);
	if (t->nrow > 0)
		buf_printf(&name, " (%d)", t->nrow + 1);
	ev_name(&x->out, true, &at, &name, looks[t->kind].sort);
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
track_place(struct trace *x, struct track *t, int64_t start, int64_t end)
{
	bool nest = looks[t->kind].nest;
	struct track_row *l;
	int i;

	for (i = 0; i < t->nrow; i++)
		if (fits(&t->row[i], nest, start, end))
			break;
	if (i == t->nrow)
		i = i < MAX_ROWS ? new_row(x, t) : i - 1;
	l = &t->row[i];
	openranges_push(&l->open, start, end);
	l->start = start;
	t->last = i;
	return (struct trace_row){ t->pid, l->tid };
}

/* The row that the last event was given; the first row if there was none. */
static struct trace_row
track_last(struct trace *x, struct track *t)
{
	if (t->nrow == 0)
		(void)new_row(x, t);
	return (struct trace_row){ t->pid, t->row[t->last].tid };
}

/* What is shown of each record. */

/* The name of the event: a view into the record, or into x->name. */
static struct mview
event_name(struct trace *x, const struct trace_item *it)
{
	const char *before = it->t->before;
	struct mview v = { NULL, 0 };

	if (it->t->named >= 0)
		v = rec_get(it->r, it->t->named);
	if (before == NULL && v.s != NULL)
		return v;
	buf_clear(&x->name);
	buf_puts(&x->name, before != NULL ? before : "?");
	buf_put(&x->name, v.s, v.n);
	return (struct mview){ x->name.s, x->name.len };
}

static void
put_args(struct trace *x, const struct trace_item *it)
{
	const char *v;
	size_t n;
	int i;

	for (i = 0; i < it->t->narg; i++) {
		v = join_raw(&x->join, it->r, it->t->arg[i], &n);
		if (v == NULL)
			continue;
		ev_arg(&x->out, it->t->arg_name[i], v, n);
	}
}

/* An event of the item. */
static void
begin_item(struct trace *x, char ph, const struct trace_item *it,
    const struct trace_row *at)
{
	struct mview name = event_name(x, it);

	ev_begin(&x->out, ph, it->t->tag, name.s, name.n, at, it->start);
	if (ph == 'i')
		ev_text(&x->out, ",\"s\":\"t\"");
}

/* A span, or a point where the end is not known. */
static void
show_span(struct trace *x, const struct trace_item *it, struct track *t)
{
	struct trace_row at = track_place(
	    x, t, it->start, num_add(it->start, it->has_dur ? it->dur : 0));

	begin_item(x, it->has_dur ? 'X' : 'i', it, &at);
	if (it->has_dur)
		ev_dur(&x->out, it->dur);
	put_args(x, it);
	ev_end(&x->out);
}

static void
show_on(struct trace *x, const struct trace_item *it)
{
	if (it->t->kind == TRACK_OPS && !it->has_dur)
		return; /* the replay of a graph has none */
	show_span(x, it, track_of(x, it->t->kind, it));
}

/* The API call of GPU work, if it has no record of its own. False if nothing
 * is known of a call. */
static bool
show_call(struct trace *x, const struct trace_item *it, struct track *t)
{
	struct mview api = rec_get(it->r, COL_api);
	int64_t start, dur;
	struct trace_row at;

	if (!rec_num(it->r, COL_api_start_ns, &start))
		return false;
	if (!rec_length(it->r, COL_api_dur_ns, &dur))
		return true;
	if (api.s == NULL)
		api = (struct mview){ "?", 1 };
	at = track_place(x, t, start, num_add(start, dur));
	ev_begin(&x->out, 'X', "call", api.s, api.n, &at, start);
	ev_dur(&x->out, dur);
	ev_end(&x->out);
	return true;
}

static void
show_sync(struct trace *x, const struct trace_item *it)
{
	(void)show_call(x, it, track_of(x, TRACK_THREAD, it));
	show_span(x, it, track_of(x, TRACK_SYNC, it));
}

/* One end of the arrow from a call to its work. In packets it is a part of the
 * span, or a point where a graph's call is a record of its own. */
static void
put_arrow(struct trace *x, char ph, struct track *t, int64_t ns, bool span)
{
	struct trace_row at;

	if (x->out.proto && span)
		return;
	at = track_last(x, t);
	ev_begin(
	    &x->out, x->out.proto ? 'i' : ph, "launch", "launch", 6, &at, ns);
	ev_id(&x->out, x->next_flow);
	if (ph == 'f')
		ev_text(&x->out, ",\"bp\":\"e\"");
	ev_end(&x->out);
}

static void
put_queue(struct trace *x, const struct trace_queue *q, int64_t at)
{
	ev_begin(
	    &x->out, 'C', "queue", "launched, not started", 21, &q->at, at);
	ev_arg_i64(&x->out, "works", (int64_t)q->starts.n);
	ev_end(&x->out);
}

/* Work that started at t or before is no longer in the queue. */
static void
queue_until(struct trace *x, struct trace_queue *q, int64_t t)
{
	int64_t at;

	while (q->starts.n > 0 && q->starts.v[0].at <= t) {
		at = timeheap_pop(&q->starts).at;
		if (q->starts.n == 0 || q->starts.v[0].at > at)
			put_queue(x, q, at);
	}
}

static void
show_queue(struct trace *x, const struct trace_item *it)
{
	struct trace_queue *q;
	int64_t at;
	uint32_t id;
	bool is_new;

	if (!rec_num(it->r, COL_api_start_ns, &at) || at > it->start)
		return;
	set_owner_key(x, 'g', &it->owner);
	id = smap_put(&x->queues, x->key.s, x->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(x->queue, id, x->queue_cap);
		x->queue[id] = (struct trace_queue){
			.at = { process_of(x, &it->owner, true), 0 }
		};
	}
	q = &x->queue[id];
	queue_until(x, q, at);
	timeheap_push(&q->starts, (struct timed){ .at = it->start });
	put_queue(x, q, at);
}

static void
show_gpu(struct trace *x, const struct trace_item *it)
{
	struct track *cpu = track_of(x, TRACK_THREAD, it);
	struct track *gpu = track_of(x, TRACK_STREAM, it);
	bool arrow;
	int64_t n;

	/* in packets the number is a part of both */
	if (it->has_dur && rec_num(it->r, COL_api_start_ns, &n))
		x->out.flow = x->next_flow;
	arrow = show_call(x, it, cpu) && it->has_dur;
	if (arrow)
		put_arrow(x, 's', cpu, rec_num_or(it->r, COL_api_start_ns, 0),
		    rec_length(it->r, COL_api_dur_ns, &n));
	show_queue(x, it);
	show_span(x, it, gpu);
	if (arrow)
		put_arrow(x, 'f', gpu, it->start, true);
	x->out.flow = 0;
	x->next_flow += arrow;
}

/* A range that another thread can end overlaps others as it likes. One that was
 * never closed is open to the end, and no span. */
static void
show_range(struct trace *x, const struct trace_item *it)
{
	struct track *t = track_of(x, TRACK_THREAD, it);
	struct trace_row at;
	struct mview name;

	if (it->has_dur && !mv_eq(rec_get(it->r, COL_mode), "start")) {
		show_span(x, it, t);
		return;
	}
	if (x->out.proto) {
		/* The same in packets, where nothing may overlap: it has rows
		 * of its own. */
		at = track_place(x, track_of(x, TRACK_FREE, it), it->start,
		    it->has_dur ? num_add(it->start, it->dur) : INT64_MAX);
		begin_item(x, it->has_dur ? 'X' : 'B', it, &at);
		if (it->has_dur)
			ev_dur(&x->out, it->dur);
		put_args(x, it);
		ev_end(&x->out);
		return;
	}
	at = track_last(x, t);
	begin_item(x, 'b', it, &at);
	ev_id(&x->out, x->next_async);
	put_args(x, it);
	ev_end(&x->out);
	if (it->has_dur) {
		name = event_name(x, it);
		ev_begin(&x->out, 'e', "range", name.s, name.n, &at,
		    num_add(it->start, it->dur));
		ev_id(&x->out, x->next_async);
		ev_end(&x->out);
	}
	x->next_async++;
}

/* A point in time of a thread. */
static void
show_mark(struct trace *x, const struct trace_item *it)
{
	struct trace_row at = track_last(x, track_of(x, TRACK_THREAD, it));

	begin_item(x, 'i', it, &at);
	put_args(x, it);
	ev_end(&x->out);
}

/* A counter of the bytes that live after the record, of its kind of memory. */
static void
show_mem(struct trace *x, const struct trace_item *it)
{
	struct mview kind = rec_get(it->r, COL_kind);
	struct mview v[] = { it->owner.src, it->owner.pid, it->owner.dev,
		kind.s != NULL ? kind : (struct mview){ "memory", 6 } };
	int64_t bytes = rec_num_or(it->r, COL_bytes, 0), now;
	struct trace_row at = { 0, 0 };
	uint32_t id;

	set_key(x, 'm', v, ARRAY_LEN(v));
	id = smap_put(&x->live, x->key.s, x->key.len, NULL);
	now = (int64_t)x->live.val[id];
	now = mv_eq(rec_get(it->r, COL_op), "free") ? num_sub(now, bytes)
						    : num_add(now, bytes);
	x->live.val[id] = (uint64_t)now;
	if (it->hidden)
		return;
	at.pid = process_of(x, &it->owner, true);
	buf_clear(&x->name);
	buf_puts(&x->name, "memory, ");
	buf_put(&x->name, v[3].s, v[3].n);
	ev_begin(&x->out, 'C', "mem", x->name.s, x->name.len, &at, it->start);
	ev_arg_i64(&x->out, "bytes", now);
	ev_end(&x->out);
}

static const struct {
	const char *word; /* in trace.tab */
	trace_show *show;
	enum track_kind kind;
} shows[] = {
	{ "gpu", show_gpu, TRACK_STREAM }, /* its call, and an arrow from it */
	{ "sync", show_sync, TRACK_SYNC }, /* without an arrow */
	{ "thread", show_on, TRACK_THREAD },
	{ "range", show_range, TRACK_THREAD },
	{ "ops", show_on, TRACK_OPS },
	{ "steps", show_on, TRACK_STEPS },
	{ "path", show_on, TRACK_PATH },
	{ "mark", show_mark, TRACK_THREAD },
	{ "messages", show_on, TRACK_DIAG },
	{ "mem", show_mem, TRACK_STREAM },
};

/* Reading. */

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
	struct mview text = rec_get(r, COL_text);
	char name[48];
	uint32_t id;
	int n;

	if (text.s == NULL)
		return;
	n = snprintf(
	    name, sizeof(name), "diag.%.9f s", (double)it->start / 1e9);
	id = fact_of(x, "info.", (struct mview){ name, (size_t)n });
	x->facts.val[id] = smap_put(&x->fact_texts, text.s, text.n, NULL);
}

static struct owner
owner_of(const struct rec *r)
{
	return (struct owner){ .src = rec_get(r, COL_src),
		.pid = rec_get(r, COL_pid),
		.tid = rec_get(r, COL_tid),
		.dev = rec_get(r, COL_dev),
		.ctx = rec_get(r, COL_ctx),
		.stream = rec_get(r, COL_stream) };
}

static void
read_shown(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	const struct trace_type *t = rec_arg(r);
	struct trace_item it = { .r = r, .t = t };

	it.hidden = x->iter_only && t->kind != TRACK_STEPS &&
		    rec_get(r, COL_iter).s == NULL;
	if (it.hidden && t->show != show_mem)
		return;
	if (!rec_num(r, COL_start_ns, &it.start)) {
		x->untimed++;
		return;
	}
	if (!x->begun && t->kind == TRACK_DIAG) {
		keep_early(x, r, &it);
		return;
	}
	x->begun = x->begun || !it.hidden;
	it.has_dur = rec_length(r, COL_dur_ns, &it.dur);
	it.owner = owner_of(r);
	t->show(x, &it);
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

/* A process, a thread, a device. */
static void
read_name(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;
	struct mview name = rec_get(r, COL_name);
	struct owner o = owner_of(r);
	uint32_t id;

	if (name.s == NULL)
		return;
	set_owner_key(x, *rec_type_tag(r->type), &o);
	id = smap_put(&x->names, x->key.s, x->key.len, NULL);
	x->names.val[id] = smap_put(&x->texts, name.s, name.n, NULL);
}

static void
read_joined(struct stage *st, struct rec *r)
{
	struct trace *x = st->ctx;

	if (strcmp(rec_type_tag(r->type), "op") == 0)
		join_op(&x->join, r);
	else
		join_str(&x->join, r);
}

static void
forget_section(struct trace *x)
{
	struct track *t;
	size_t i;
	int k;

	for (i = 0; i < x->keys.n; i++) {
		t = x->track[i];
		for (k = 0; k < t->nrow; k++)
			openranges_free(&t->row[k].open);
		free(t->row);
		buf_free(&t->name);
		free(t);
	}
	for (i = 0; i < x->queues.n; i++)
		timeheap_free(&x->queue[i].starts);
	smap_free(&x->keys);
	smap_free(&x->procs);
	smap_free(&x->names);
	smap_free(&x->texts);
	smap_free(&x->queues);
	smap_free(&x->live);
	buf_clear(&x->label);
}

static void
begin_trace_section(struct stage *st)
{
	struct trace *x = st->ctx;

	join_section(&x->join);
	forget_section(x);
	x->begun = false;
	x->section++;
}

static void
end_trace_section(struct stage *st)
{
	struct trace *x = st->ctx;
	size_t i;

	for (i = 0; i < x->queues.n; i++)
		queue_until(x, &x->queue[i], INT64_MAX);
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
		if (mv_eq(name, "src")) {
			buf_clear(&x->label);
			buf_put(&x->label, value.s, value.n);
		}
		id = fact_of(x, "info.", name);
		x->facts.val[id] =
		    smap_put(&x->fact_texts, value.s, value.n, NULL);
	} else if (text_is(word, wlen, "note")) {
		id = fact_of(x, "note.", name);
		(void)num_u64(value.s, value.n, &n);
		x->facts.val[id] += n;
	}
}

/* What is said about the profile, after the events. */
static void
trace_facts(struct trace *x)
{
	const char *name, *text;
	char count[24];
	size_t n, k;
	uint32_t i;

	ev_facts(&x->out);
	for (i = 0; i < x->facts.n; i++) {
		name = smap_str(&x->facts, i, &n);
		if (mv_find((struct mview){ name, n }, "info.") != NULL) {
			text = smap_str(
			    &x->fact_texts, (uint32_t)x->facts.val[i], &k);
			ev_fact(&x->out, name, n, text, k, false);
			continue;
		}
		k = (size_t)snprintf(count, sizeof(count), "%llu",
		    (unsigned long long)x->facts.val[i]);
		ev_fact(&x->out, name, n, count, k, true);
	}
	ev_close(&x->out);
}

/* A line of trace.tab. */
static void
read_type(struct trace *x, struct stage *st, const struct wording_line *line,
    struct trace_type *t)
{
	char *save = NULL, *s = strtok_r(line->text, " ", &save);
	struct rec_type *type;
	size_t i = 0;

	while (strcmp(shows[i].word, s) != 0)
		i++;
	*t = (struct trace_type){
		.tag = line->part, .show = shows[i].show, .kind = shows[i].kind
	};
	type = stage_on(st, t->tag, read_shown, .need = "start_ns",
	    .opt = "dur_ns pid tid dev ctx stream src iter api api_start_ns"
		   " api_dur_ns mode bytes op kind",
	    .legend = read_shown_legend, .arg = t);
	s = strtok_r(NULL, " ", &save);
	t->named = *s == '-' ? -1 : col_id(s);
	if (t->named >= 0)
		rec_want_id(type, REC_OPT, t->named);
	s = strtok_r(NULL, " ", &save);
	t->before = *s == '-' ? NULL : s;
	if ((s = strchr(s, '_')) != NULL)
		*s = ' ';
	while ((s = strtok_r(NULL, " ", &save)) != NULL) {
		if (t->narg == TRACE_ARGS)
			die("too many arguments for %s", t->tag);
		t->arg[t->narg] = join_col(&x->join, type, s);
		t->arg[t->narg]->optional = true;
		t->arg_name[t->narg++] =
		    strcmp(s, "op.shapes") == 0 ? "shapes" : s;
	}
}

int
main(int argc, char **argv)
{
	static struct trace x = {
		.next_own = OWN_IDS, .next_flow = 1, .next_async = 1
	};
	const struct cli_opt opts[] = {
		{ 'i', "iter", .flag = &x.iter_only },
		{ 0, "pftrace", .flag = &x.out.proto },
		{ 0 },
	};
	struct stage st;
	size_t i;
	int rc;

	stage_start_sink(&st, "dlp-trace", opts, argc, argv);
	st.result = true;
	st.ctx = &x;
	st.section = begin_trace_section;
	st.end = end_trace_section;
	st.meta = read_fact;
	join_init(&x.join, st.rd);
	stage_on(
	    &st, "proc thread dev", read_name, .opt = "src pid tid dev name");
	stage_on(&st, "op str", read_joined, .arg = NULL);
	wording_read(&x.defs, "trace.tab");
	x.type = xcalloc(x.defs.n, sizeof(*x.type));
	for (i = 0; i < x.defs.n; i++)
		read_type(&x, &st, &x.defs.line[i], &x.type[i]);
	ev_text(&x.out, "{\"traceEvents\":[");
	rc = stage_run(&st);
	trace_facts(&x);
	if (x.untimed > 0)
		warn("records without a time are left out: %llu",
		    (unsigned long long)x.untimed);
	join_warn(&x.join);
	return out_finish(rc);
}
