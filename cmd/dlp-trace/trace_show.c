/* What the trace shows of each record; see trace.h. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "out.h"
#include "trace.h"

#define WORK "op op.name dir layer phase op.shapes "
#define PLACE "iter corr why"

const struct trace_def trace_defs[] = {
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

void
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
	if (!rec_i64(it->r, it->t->api_dur, &dur) || dur < 0)
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

static void
add_to_key(struct buf *key, struct mview v)
{
	buf_put(key, v.s, v.n);
	buf_putc(key, '\t');
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

void
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

void
show_init(struct trace_shown *s, struct rec_reader *rd)
{
	*s = (struct trace_shown){ .next_flow = 1, .next_async = 1 };
	rows_init(&s->rows, &s->events);
	join_init(&s->join, rd);
}

void
show_section(struct trace_shown *s)
{
	join_section(&s->join);
	rows_section(&s->rows);
	smap_clear(&s->live);
}

void
show_free(struct trace_shown *s)
{
	rows_free(&s->rows);
	join_free(&s->join);
	smap_free(&s->live);
	buf_free(&s->name);
	buf_free(&s->key);
}
