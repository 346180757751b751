/* The rows of the viewer, and who they belong to; see trace.h. */
#include <stdlib.h>

#include "array.h"
#include "num.h"
#include "openrange.h"
#include "trace.h"

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
	const char *name; /* behind that of the owner */
	bool gpu, nest;
	int sort;
} looks[] = {
	[TRACK_THREAD] = { "", false, true, 1 },
	[TRACK_OPS] = { " ops", false, false, 2 },
	[TRACK_STREAM] = { "stream ", true, false, 0 },
	[TRACK_SYNC] = { "waits", true, false, 1000 },
	[TRACK_STEPS] = { "iterations", false, false, 0 },
	[TRACK_DIAG] = { "messages", false, true, 1 },
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

void
rows_label(struct trace_rows *w, const char *s, size_t n)
{
	buf_clear(&w->label);
	buf_put(&w->label, s, n);
}

void
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

/* A GPU is a process of the viewer too, one for each process that uses it. */
int64_t
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

void
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

void
rows_init(struct trace_rows *w, struct trace_events *e)
{
	*w = (struct trace_rows){ .events = e, .next_own = OWN_IDS };
}

void
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

struct track *
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

struct trace_row
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

struct trace_row
track_last(struct trace_rows *w, struct track *t)
{
	if (t->nrow == 0)
		(void)new_row(w, t);
	return (struct trace_row){ t->pid, t->row[t->last].tid };
}
