/* See track.h. */
#include <stdlib.h>

#include "err.h"
#include "json.h"
#include "map.h"
#include "track.h"

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

static struct map used_tid;   /* in the whole trace */
static struct smap keys;      /* of the section */
static struct track **tracks; /* by number in keys */
static size_t cap;

void
track_section(void)
{
	size_t i;
	int k;

	for (i = 0; i < keys.n; i++) {
		for (k = 0; k < tracks[i]->nlane; k++)
			free(tracks[i]->lane[k].end);
		free(tracks[i]->lane);
		buf_free(&tracks[i]->name);
		free(tracks[i]);
	}
	smap_clear(&keys);
	owner_section();
}

static void
name_track(struct track *t, const struct owner *o)
{
	struct buf *b = &t->name;

	if (t->kind == TRACK_THREAD || t->kind == TRACK_OPS)
		owner_thread(o, b);
	buf_puts(b, kinds[t->kind].name);
	if (t->kind == TRACK_STREAM)
		buf_put(b, o->stream.s != NULL ? o->stream.s : "?",
		    o->stream.s != NULL ? o->stream.n : 1);
	if (kinds[t->kind].gpu && o->ctx.s != NULL) {
		buf_puts(b, ", context ");
		buf_put(b, o->ctx.s, o->ctx.n);
	}
	t->want_tid = t->kind == TRACK_THREAD ? owner_number(o->tid) : -1;
}

/* The number of the track in keys. */
static uint32_t
number_of(enum track_kind kind, const struct owner *o, bool *is_new)
{
	static struct buf key;
	struct mview none = { NULL, 0 };
	struct mview cpu[] = { o->src, o->pid, o->tid, none, none };
	struct mview gpu[] = { o->src, o->pid, o->dev, o->ctx,
		kind == TRACK_STREAM ? o->stream : none };
	const struct mview *v = kinds[kind].gpu ? gpu : cpu;
	int i;

	buf_clear(&key);
	buf_putc(&key, (char)('0' + kind));
	for (i = 0; i < 5; i++) {
		buf_putc(&key, '\t');
		if (v[i].s != NULL)
			buf_put(&key, v[i].s, v[i].n);
	}
	return smap_put(&keys, key.s, key.len, is_new);
}

struct track *
track_get(enum track_kind kind, const struct owner *o)
{
	struct track *t;
	bool is_new;
	uint32_t id = number_of(kind, o, &is_new);

	if (!is_new)
		return tracks[id];
	if (id >= cap) {
		cap = cap == 0 ? 64 : cap * 2;
		tracks = xrealloc(tracks, cap, sizeof(*tracks));
	}
	t = xcalloc(1, sizeof(*t));
	tracks[id] = t;
	t->kind = kind;
	t->pid = kinds[kind].gpu ? owner_gpu(o) : owner_cpu(o);
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
	l->tid = at.tid =
	    owner_take(&used_tid, t->nlane == 0 ? t->want_tid : -1);
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
