/* See track.h. */
#include <stdlib.h>

#include "err.h"
#include "map.h"
#include "num.h"
#include "out.h"
#include "track.h"

#define OWN_IDS ((int64_t)1 << 30) /* ours; those of systems are smaller */
#define MAX_LANES 256

struct lane {
	int64_t tid, start;
	int64_t *end; /* of the events that are open, the innermost last */
	size_t n, cap;
};

struct track {
	enum track_kind kind;
	int64_t pid, want_tid; /* -1: no tid of the system's */
	struct lane *lane;
	int nlane, last;
	struct buf name;
};

/* Places among each other: processes, and the tracks of a process. */
static const struct kind {
	const char *name; /* behind that of the owner */
	bool gpu, nest;
	int sort;
} kinds[] = {
	[TRACK_THREAD] = { "", false, true, 1 },
	[TRACK_OPS] = { " ops", false, false, 2 },
	[TRACK_STREAM] = { "stream ", true, false, 0 },
	[TRACK_SYNC] = { "waits", true, false, 1000 },
	[TRACK_STEPS] = { "iterations", false, false, 0 },
	[TRACK_DIAG] = { "messages", false, true, 1 },
};

static struct map used_pid, used_tid; /* in the whole trace */
static int64_t next_own = OWN_IDS;
static struct smap keys, names, texts; /* of the section */
static struct track **tracks;          /* by number in keys; NULL: no track */
static size_t cap;
static struct buf label, key;

/* A number that nobody has yet; the wanted one if that is so. */
static int64_t
take(struct map *used, int64_t want)
{
	bool is_new;

	if (want >= 0 && want < OWN_IDS) {
		(void)map_put(used, (uint64_t)want, &is_new);
		if (is_new)
			return want;
	}
	return next_own++;
}

static int64_t
number(struct mview v)
{
	int64_t n;

	return v.s != NULL && num_i64(v.s, v.n, &n) ? n : -1;
}

static void
add_key(struct mview v)
{
	buf_putc(&key, '\t');
	if (v.s != NULL)
		buf_put(&key, v.s, v.n);
}

static void
begin_key(char what, const struct owner *o)
{
	buf_clear(&key);
	buf_putc(&key, what);
	add_key(o->src);
}

void
track_section(void)
{
	size_t i;
	int k;

	for (i = 0; i < keys.n; i++) {
		if (tracks[i] == NULL)
			continue;
		for (k = 0; k < tracks[i]->nlane; k++)
			free(tracks[i]->lane[k].end);
		free(tracks[i]->lane);
		buf_free(&tracks[i]->name);
		free(tracks[i]);
	}
	smap_clear(&keys);
	smap_clear(&names);
	smap_clear(&texts);
	buf_clear(&label);
}

void
track_label(const char *s, size_t n)
{
	buf_clear(&label);
	buf_put(&label, s, n);
}

static void
name_key(struct mview name)
{
	uint32_t id = smap_put(&names, key.s, key.len, NULL);

	names.val[id] = smap_put(&texts, name.s, name.n, NULL);
}

void
track_name_proc(const struct owner *o, struct mview name)
{
	begin_key('p', o);
	add_key(o->pid);
	name_key(name);
}

void
track_name_thread(const struct owner *o, struct mview name)
{
	begin_key('t', o);
	add_key(o->pid);
	add_key(o->tid);
	name_key(name);
}

void
track_name_dev(const struct owner *o, struct mview name)
{
	begin_key('d', o);
	add_key(o->dev);
	name_key(name);
}

/* The name that key has; empty if none. */
static struct mview
known_name(void)
{
	uint32_t id = smap_find(&names, key.s, key.len);
	struct mview v = { "", 0 };

	if (id != SMAP_NONE)
		v.s = smap_str(&texts, (uint32_t)names.val[id], &v.n);
	return v;
}

static void
put_view(struct buf *b, const char *before, struct mview v)
{
	if (v.s == NULL || v.n == 0)
		return;
	buf_puts(b, before);
	buf_put(b, v.s, v.n);
}

/* What key stands for gets its number in keys; its pid if it is a process.
 * Room for its track is made. */
static uint32_t
key_number(bool *is_new)
{
	uint32_t id = smap_put(&keys, key.s, key.len, is_new);

	if (id >= cap) {
		cap = cap == 0 ? 64 : cap * 2;
		tracks = xrealloc(tracks, cap, sizeof(*tracks));
	}
	if (*is_new)
		tracks[id] = NULL;
	return id;
}

static void
put_labels(struct buf *b, const struct owner *o)
{
	struct mview file = { label.s, label.len };

	put_view(b, ", ", o->src.s != NULL ? o->src : file);
}

/* A GPU is a process of the viewer too, one for each process that uses it. */
int64_t
track_gpu(const struct owner *o)
{
	struct buf name = { 0 };
	struct place at = { 0, 0 };
	struct mview dev;
	uint32_t id;
	bool is_new;

	begin_key('g', o);
	add_key(o->pid);
	add_key(o->dev);
	id = key_number(&is_new);
	if (!is_new)
		return (int64_t)keys.val[id];
	at.pid = take(&used_pid, -1);
	keys.val[id] = (uint64_t)at.pid;
	begin_key('d', o);
	add_key(o->dev);
	dev = known_name();
	buf_puts(&name, "GPU");
	put_view(&name, " ", o->dev);
	put_view(&name, " ", dev);
	put_view(&name, ", process ", o->pid);
	put_labels(&name, o);
	ev_name("process", &at, name.s, name.len, 1000 + (int)number(o->dev));
	buf_free(&name);
	return at.pid;
}

static int64_t
cpu_pid(const struct owner *o)
{
	struct buf name = { 0 };
	struct place at = { 0, 0 };
	struct mview known;
	uint32_t id;
	bool is_new;

	begin_key('p', o);
	add_key(o->pid);
	id = key_number(&is_new);
	if (!is_new)
		return (int64_t)keys.val[id];
	at.pid = take(&used_pid, number(o->pid));
	keys.val[id] = (uint64_t)at.pid;
	known = known_name();
	if (!mv_eq(known, "process")) /* the profiler did not know */
		put_view(&name, "", known);
	put_view(&name, name.len > 0 ? ", process " : "process ", o->pid);
	put_labels(&name, o);
	if (name.len == 0)
		buf_puts(&name, o->pid.s == NULL ? "profile" : "process");
	ev_name("process", &at, name.s, name.len, o->pid.s == NULL ? 0 : 1);
	buf_free(&name);
	return at.pid;
}

static void
name_track(struct track *t, const struct owner *o)
{
	struct buf *b = &t->name;

	if (t->kind == TRACK_THREAD || t->kind == TRACK_OPS) {
		begin_key('t', o);
		add_key(o->pid);
		add_key(o->tid);
		put_view(b, "", known_name());
		put_view(b, b->len > 0 ? " " : "thread ", o->tid);
	}
	buf_puts(b, kinds[t->kind].name);
	if (t->kind == TRACK_STREAM)
		buf_put(b, o->stream.s != NULL ? o->stream.s : "?",
		    o->stream.s != NULL ? o->stream.n : 1);
	if (kinds[t->kind].gpu)
		put_view(b, ", context ", o->ctx);
	t->want_tid = t->kind == TRACK_THREAD ? number(o->tid) : -1;
}

struct track *
track_get(enum track_kind kind, const struct owner *o)
{
	static const char letter[] = "TOSWID";
	struct track *t;
	uint32_t id;
	bool is_new;

	begin_key(letter[kind], o);
	add_key(o->pid);
	if (kinds[kind].gpu) {
		add_key(o->dev);
		add_key(o->ctx);
		add_key(kind == TRACK_STREAM ? o->stream
					     : (struct mview){ NULL, 0 });
	} else {
		add_key(o->tid);
	}
	id = key_number(&is_new);
	if (!is_new)
		return tracks[id];
	t = xcalloc(1, sizeof(*t));
	tracks[id] = t;
	t->kind = kind;
	t->pid = kinds[kind].gpu ? track_gpu(o) : cpu_pid(o);
	name_track(t, o);
	return t;
}

static int
new_lane(struct track *t)
{
	struct place at = { t->pid, 0 };
	struct buf name = { 0 };
	struct lane *l;

	t->lane = xrealloc(t->lane, (size_t)t->nlane + 1, sizeof(*t->lane));
	l = &t->lane[t->nlane];
	*l = (struct lane){ .start = INT64_MIN };
	l->tid = at.tid = take(&used_tid, t->nlane == 0 ? t->want_tid : -1);
	buf_put(&name, t->name.s, t->name.len);
	if (t->nlane > 0)
		buf_printf(&name, " (%d)", t->nlane + 1);
	ev_name("thread", &at, name.s, name.len, kinds[t->kind].sort);
	buf_free(&name);
	return t->nlane++;
}

/* Whether the event can lie in the row; those that end before are closed. */
static bool
fits(struct lane *l, bool nest, int64_t start, int64_t end)
{
	if (start < l->start)
		return false;
	while (l->n > 0 && l->end[l->n - 1] <= start)
		l->n--;
	return l->n == 0 || (nest && end <= l->end[l->n - 1]);
}

struct place
track_place(struct track *t, int64_t start, int64_t end)
{
	bool nest = kinds[t->kind].nest;
	struct lane *l;
	int i;

	for (i = 0; i < t->nlane; i++)
		if (fits(&t->lane[i], nest, start, end))
			break;
	if (i == t->nlane)
		i = i < MAX_LANES ? new_lane(t) : i - 1;
	l = &t->lane[i];
	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 8 : l->cap * 2;
		l->end = xrealloc(l->end, l->cap, sizeof(*l->end));
	}
	l->end[l->n++] = end;
	l->start = start;
	t->last = i;
	return (struct place){ t->pid, l->tid };
}

struct place
track_last(struct track *t)
{
	if (t->nlane == 0)
		(void)new_lane(t);
	return (struct place){ t->pid, t->lane[t->last].tid };
}
