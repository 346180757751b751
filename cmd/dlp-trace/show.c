/* See show.h. */
#include <string.h>

#include "map.h"
#include "num.h"
#include "out.h"
#include "show.h"

static uint64_t next_flow = 1, next_async = 1;
static struct smap live; /* bytes by process, device and kind of memory */

/* The name of the event. */
static struct mview
name_of(const struct item *it)
{
	static struct buf name;
	const char *s = NULL;
	size_t n;

	if (it->t->named != NULL)
		s = rec_raw(it->r, it->t->named, &n);
	if (it->t->before == NULL && s != NULL)
		return (struct mview){ s, n };
	buf_clear(&name);
	buf_puts(&name, it->t->before != NULL ? it->t->before : "?");
	if (s != NULL)
		buf_put(&name, s, n);
	return (struct mview){ name.s, name.len };
}

static void
args(const struct item *it)
{
	const char *s;
	size_t n;
	int i;

	for (i = 0; i < it->t->narg; i++) {
		s = join_raw(it->join, it->r, it->t->arg[i], &n);
		ev_arg(it->t->arg_name[i], s, n);
	}
}

/* A span, or a point where the end is not known. */
static void
span(const struct item *it, struct track *t)
{
	struct mview name = name_of(it);
	struct place at = track_place(
	    t, it->start, num_add(it->start, it->has_dur ? it->dur : 0));

	ev_begin(it->has_dur ? 'X' : 'i', it->t->tag, name.s, name.n, &at,
	    it->start);
	if (it->has_dur)
		ev_dur(it->dur);
	else
		ev_field("s", "\"t\"");
	args(it);
	ev_end();
}

/* The API call of GPU work, if it has no record of its own. False if nothing
 * is known of a call. */
static bool
show_call(const struct item *it, struct track *t)
{
	int64_t start, dur;
	struct place at;
	const char *s;
	size_t n;

	if (!rec_i64(it->r, it->t->api_start, &start))
		return false;
	s = rec_raw(it->r, it->t->api, &n);
	if (!rec_i64(it->r, it->t->api_dur, &dur) || dur < 0)
		return true;
	at = track_place(t, start, num_add(start, dur));
	ev_begin(
	    'X', "call", s != NULL ? s : "?", s != NULL ? n : 1, &at, start);
	ev_dur(dur);
	ev_end();
	return true;
}

/* One end of the arrow from a call to its work. */
static void
arrow(char ph, const struct place *at, int64_t ns)
{
	ev_begin(ph, "launch", "launch", 6, at, ns);
	ev_id(next_flow);
	if (ph == 'f')
		ev_field("bp", "\"e\"");
	ev_end();
}

static void
show_gpu(const struct item *it)
{
	struct track *cpu = track_get(TRACK_THREAD, &it->owner);
	struct track *gpu = track_get(TRACK_STREAM, &it->owner);
	int64_t start;
	struct place at;
	bool called = show_call(it, cpu);

	if (called && it->has_dur) {
		at = track_last(cpu);
		(void)rec_i64(it->r, it->t->api_start, &start);
		arrow('s', &at, start);
	}
	span(it, gpu);
	if (called && it->has_dur) {
		at = track_last(gpu);
		arrow('f', &at, it->start);
		next_flow++;
	}
}

/* A range that another thread can end overlaps others as it likes. */
static void
show_async(const struct item *it)
{
	struct track *t = track_get(TRACK_THREAD, &it->owner);
	struct place at = track_last(t);
	struct mview name = name_of(it);

	ev_begin('b', "range", name.s, name.n, &at, it->start);
	ev_id(next_async);
	args(it);
	ev_end();
	if (it->has_dur) {
		ev_begin('e', "range", name.s, name.n, &at,
		    num_add(it->start, it->dur));
		ev_id(next_async);
		ev_end();
	}
	next_async++;
}

/* One that was never closed is open to the end, and no span. */
static void
show_range(const struct item *it)
{
	const char *s;
	size_t n = 0;

	s = rec_raw(it->r, it->t->mode, &n);
	if (!it->has_dur || (s != NULL && n == 5 && memcmp(s, "start", 5) == 0))
		show_async(it);
	else
		span(it, track_get(TRACK_THREAD, &it->owner));
}

static void
show_mark(const struct item *it)
{
	struct track *t = track_get(TRACK_THREAD, &it->owner);
	struct place at = track_last(t);
	struct mview name = name_of(it);

	ev_begin('i', it->t->tag, name.s, name.n, &at, it->start);
	ev_field("s", "\"t\"");
	args(it);
	ev_end();
}

/* The bytes live after the record; the counter's kind of memory in *kind. */
static int64_t
count(const struct item *it, struct mview *kind)
{
	static struct buf key;
	int64_t bytes = 0, now;
	const char *op;
	uint32_t id;
	size_t n;

	op = rec_raw(it->r, it->t->what, &n);
	(void)rec_i64(it->r, it->t->bytes, &bytes);
	kind->s = rec_raw(it->r, it->t->kind, &kind->n);
	if (kind->s == NULL)
		*kind = (struct mview){ "memory", 6 };
	buf_clear(&key);
	buf_put(&key, it->owner.src.s, it->owner.src.n);
	buf_putc(&key, '\t');
	buf_put(&key, it->owner.pid.s, it->owner.pid.n);
	buf_putc(&key, '\t');
	buf_put(&key, it->owner.dev.s, it->owner.dev.n);
	buf_putc(&key, '\t');
	buf_put(&key, kind->s, kind->n);
	id = smap_put(&live, key.s, key.len, NULL);
	now = (int64_t)live.val[id];
	now = op != NULL && n == 4 && memcmp(op, "free", 4) == 0
		  ? num_sub(now, bytes)
		  : num_add(now, bytes);
	live.val[id] = (uint64_t)now;
	return now;
}

static void
show_mem(const struct item *it)
{
	static struct buf name;
	struct mview kind;
	struct place at;
	int64_t now = count(it, &kind);

	if (it->hidden)
		return;
	at = (struct place){ owner_gpu(&it->owner), 0 };
	buf_clear(&name);
	buf_puts(&name, "memory, ");
	buf_put(&name, kind.s, kind.n);
	ev_begin('C', "mem", name.s, name.len, &at, it->start);
	ev_arg_i64("bytes", now);
	ev_end();
}

void
show(struct item *it)
{
	struct owner profile = { .src = it->owner.src };

	switch (it->t->show) {
	case SHOW_GPU:
		show_gpu(it);
		break;
	case SHOW_SYNC:
		(void)show_call(it, track_get(TRACK_THREAD, &it->owner));
		span(it, track_get(TRACK_SYNC, &it->owner));
		break;
	case SHOW_CPU:
		span(it, track_get(TRACK_THREAD, &it->owner));
		break;
	case SHOW_RANGE:
		show_range(it);
		break;
	case SHOW_OP:
		if (it->has_dur) /* the replay of a graph has none */
			span(it, track_get(TRACK_OPS, &it->owner));
		break;
	case SHOW_ITER:
		span(it, track_get(TRACK_STEPS, &profile));
		break;
	case SHOW_MARK:
		show_mark(it);
		break;
	case SHOW_DIAG:
		span(it, track_get(TRACK_DIAG, &profile));
		break;
	case SHOW_MEM:
		show_mem(it);
	}
}

void
show_section(void)
{
	smap_clear(&live);
}

void
show_end(void)
{
	smap_free(&live);
}
