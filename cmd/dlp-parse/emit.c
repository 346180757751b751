/*
 * Events as records. The columns have the order of the registry; a test
 * compares the two. Each record of GPU work includes the call that launched it.
 * A call with several activities has a record of its own with the call's
 * duration, so that a sum over all records counts API time once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apicall.h"
#include "array.h"
#include "cols.h"
#include "emit.h"
#include "esc.h"
#include "json_tok.h"
#include "namecache.h"
#include "num.h"
#include "out.h"
#include "profile.h"
#include "selection.h"
#include "stage.h"

/*
 * The facts of a profile before its events: ##info lines, and records of
 * devices, processes and threads.
 */

static struct out_type *
declare_fact(
    const struct emit *o, const char *tag, const char *const *cols, int n)
{
	const char *names[16];
	int i;

	for (i = 0; i < n; i++)
		names[i] = cols[i];
	if (o->with_src)
		names[n++] = "src";
	if (o->with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

/* Declares the records of devices, processes and threads. Must precede all
 * facts. */
static void
facts_open(struct emit *o)
{
	static const char *const dev[] = { "dev", "name", "cc", "n_sm",
		"clock_hz", "mem_bytes", "membw_bytes_s", "uuid" };
	static const char *const proc[] = { "pid", "name" };
	static const char *const thread[] = { "pid", "tid", "name", "prio" };

	o->dev_type = declare_fact(o, "dev", dev, 8);
	o->proc_type = declare_fact(o, "proc", proc, 2);
	o->thread_type = declare_fact(o, "thread", thread, o->rows ? 4 : 3);
}

/* A value of several lines is one field: line ends become blanks. */
void
fact_info(const struct profile *p, const char *name, const char *fmt, ...)
{
	struct buf text = { 0 }, field = { 0 };
	va_list ap;
	int n;

	if (p->run->out.with_rank && strncmp(name, "t0_", 3) == 0 && p->no > 0)
		return; /* the first rank's origin applies */
	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	buf_reserve(&text, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text.s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	esc_put(&field, text.s, (size_t)n);
	out_meta("info", "%s\t%s", name, buf_str(&field));
	buf_free(&text);
	buf_free(&field);
}

/* unset if NULL */
static void
emit_opt_text(const char *s)
{
	out_text(s, s != NULL ? strlen(s) : 0);
}

int64_t
fact_member(const struct json_doc *d, const char *key)
{
	int i = json_get(d, 0, key);
	int64_t v;

	return i > 0 && json_i64(d, i, &v) ? v : EV_UNSET;
}

void
fact_dev(const struct profile *p, const struct dev_fact *d)
{
	if (!select_device(&p->run->sel, d->dev) ||
	    !select_type(&p->run->sel, "dev"))
		return;
	out_rec(p->run->out.dev_type);
	out_i64(d->dev);
	emit_opt_text(d->name);
	if (d->cc_major == EV_UNSET || d->cc_minor == EV_UNSET) {
		out_unset();
	} else if (out_next()) {
		buf_c_i64(&out_buf, '\t', d->cc_major);
		buf_putc(&out_buf, '.');
		buf_i64(&out_buf, d->cc_minor);
	}
	emit_num(d->n_sm);
	emit_num(d->clock_hz);
	emit_num(d->mem_bytes);
	emit_num(d->membw_bytes_s);
	emit_opt_text(d->uuid);
	emit_src(p);
	out_end();
}

void
fact_proc(const struct profile *p, int64_t pid, const char *name)
{
	if (!select_pid(&p->run->sel, pid) ||
	    !select_type(&p->run->sel, "proc"))
		return;
	out_rec(p->run->out.proc_type);
	out_i64(pid);
	emit_opt_text(name);
	emit_src(p);
	out_end();
}

void
fact_thread(const struct profile *p, int64_t pid, int64_t tid, const char *name,
    int64_t prio)
{
	if (!select_pid(&p->run->sel, pid) ||
	    !select_type(&p->run->sel, "thread"))
		return;
	out_rec(p->run->out.thread_type);
	out_i64(pid);
	out_i64(tid);
	emit_opt_text(name);
	if (p->run->out.rows)
		emit_num(prio);
	emit_src(p);
	out_end();
}

bool
pid_used(const struct profile *p, int64_t pid)
{
	return p->dialect->pid == NULL ||
	       map_get(&p->keys.pids, (uint64_t)pid) != NULL;
}

void
emit_num(int64_t v)
{
	if (v == EV_UNSET)
		out_unset();
	else
		out_i64(v);
}

void
emit_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}

/*
 * The op of calls and GPU work, if the database has ops. The columns are all
 * those that dlp-correlate adds, because later filters expect them.
 */
#define OP_COLS_MAX 16

static const struct work_op no_op = { EV_UNSET, EV_UNSET, EV_UNSET, NULL, NULL,
	true };
/* Appends the names of these columns of the record type; returns how many. */
static int
op_names(const struct emit *o, const char *tag, const char **names)
{
	static const char *const cols[] = { "op_id", "inst_id", "op_start_ns",
		"mod", "op", "dir", "seq", "altseq", "sub", "layer", "phase",
		"phase_by", "why" };
	static const char *const of_range[] = { "level", "layer" };
	static const char *const tags[] = { "kern", "copy", "set", "sync",
		"graph", "call" };
	int n = (int)ARRAY_LEN(cols);
	size_t i;

	if (!o->with_ops)
		return 0;
	if (strcmp(tag, "range") == 0) {
		memcpy(names, of_range, sizeof(of_range));
		return 2;
	}
	for (i = 0; i < ARRAY_LEN(tags); i++)
		if (strcmp(tag, tags[i]) == 0) {
			memcpy(names, cols, sizeof(cols));
			if (i == 0)
				names[n++] = "tc";
			return n;
		}
	return 0;
}

void
emit_op_of(struct profile *p, const struct event *ev)
{
	struct emit *o = &p->run->out;

	if (!p->dialect->work(p->ctx, ev, &o->op))
		o->op = no_op;
}

static void
put_op_cols(const struct emit *o, const struct event *ev)
{
	if (!o->with_ops)
		return;
	emit_num(o->op.op_id);
	emit_num(o->op.inst_id);
	emit_num(o->op.op_start);
	out_unset(); /* mod */
	emit_word(o->op.op);
	emit_word(o->op.dir);
	out_unsets(6); /* seq to phase_by */
	emit_word(o->op.none ? "no-range" : NULL);
	if (ev->kind == EV_KERN)
		emit_word(ev->gpu.own.tc == EV_UNSET ? NULL
			  : ev->gpu.own.tc           ? "yes"
						     : "no");
}

/* A database with ops has the place of its ranges, too. */
static void
put_range_place(const struct emit *o, const struct event *ev)
{
	if (!o->with_ops)
		return;
	emit_num(ev->range.level);
	emit_opt_text(ev->range.layer);
}

/*
 * --rows: the place of an event in the file (the row of its table, and the
 * number of its name), which orders events that are equal otherwise. Kernels
 * always have their row.
 */
#define ROWS_COLS_MAX 4

static bool
has_idx(enum ev_kind kind)
{
	return kind == EV_RANGE || kind == EV_CALL || kind == EV_COPY ||
	       kind == EV_SET;
}

static bool
has_name_no(enum ev_kind kind)
{
	return kind == EV_OS || kind == EV_CALL || EV_IS_GPU(kind);
}

static int
rows_names(const struct emit *o, enum ev_kind kind, const char **names)
{
	int n = 0;

	if (o->rows && has_idx(kind))
		names[n++] = "idx";
	if (o->rows && has_name_no(kind))
		names[n++] = "name_no";
	if (o->rows && EV_IS_GPU(kind)) {
		names[n++] = "call_idx";
		names[n++] = "call_ret";
	}
	return n;
}

/* call: the call of GPU work; may be NULL. */
static void
put_rows_cols(
    const struct emit *o, const struct event *ev, const struct event *call)
{
	if (!o->rows)
		return;
	if (has_idx(ev->kind))
		out_i64(ev->row);
	if (EV_IS_GPU(ev->kind)) {
		emit_num(call != NULL ? call->name : EV_UNSET);
		emit_num(call != NULL ? call->row : EV_UNSET);
		emit_num(call != NULL ? call->call.ret : EV_UNSET);
	} else if (has_name_no(ev->kind))
		emit_num(ev->name);
}

#define MAX_COLS 32

static const struct {
	const char *tag;
	const char *cols[MAX_COLS];
} layout[EV_KINDS] = {
#define GPU                                                                    \
	"id", "start_ns", "dur_ns", "pid", "tid", "dev", "ctx", "stream",      \
	    "corr", "api", "api_start_ns", "api_dur_ns"
	[EV_RANGE] = { "range", { "id", "start_ns", "dur_ns", "pid", "tid",
				    "end_tid", "domain", "mode", "text" } },
	[EV_MARK] = { "mark",
	    { "id", "start_ns", "pid", "tid", "domain", "text" } },
	[EV_LIB] = { "lib",
	    { "id", "start_ns", "dur_ns", "pid", "tid", "lib", "name" } },
	[EV_OS] = { "os",
	    { "id", "start_ns", "dur_ns", "pid", "tid", "name" } },
	[EV_NODE] = { "node",
	    { "id", "start_ns", "pid", "tid", "node", "orig" } },
	[EV_CALL] = { "call", { "id", "start_ns", "dur_ns", "pid", "tid",
				  "corr", "api", "ret", "n_gpu" } },
	[EV_KERN] = { "kern",
	    { GPU, "idx", "short", "name_id", "grid", "block", "regs",
		"smem_bytes", "dynsmem_bytes", "node" } },
	[EV_COPY] = { "copy",
	    { GPU, "kind", "bytes", "src_mem", "dst_mem", "node" } },
	[EV_SET] = { "set", { GPU, "bytes", "value", "mem", "node" } },
	[EV_SYNC] = { "sync", { GPU, "kind", "event" } },
	[EV_GRAPH] = { "graph", { GPU, "short", "graph", "exec" } },
	[EV_EVENT] = { "event", { "id", "start_ns", "pid", "tid", "dev", "ctx",
				    "stream", "corr", "event" } },
	[EV_MEM] = { "mem",
	    { "id", "start_ns", "pid", "dev", "op", "bytes", "addr", "kind",
		"corr", "pool", "pool_bytes" } },
	[EV_OVER] = { "over",
	    { "id", "start_ns", "dur_ns", "pid", "tid", "name" } },
	[EV_SAMPLE] = { "sample",
	    { "id", "start_ns", "pid", "tid", "kind", "stack_id", "code" } },
	[EV_SERIES] = { "series",
	    { "id", "start_ns", "dev", "name", "value", "unit" } },
	[EV_DIAG] = { "diag", { "id", "start_ns", "severity", "text" } },
};

static bool
has_code(const struct emit *o, enum ev_kind kind)
{
	if (kind == EV_OS)
		return (o->with_code & CODE_OS) != 0;
	return (o->with_code & CODE_CALLS) != 0 &&
	       (kind == EV_CALL || EV_IS_GPU(kind));
}

/* Where in the user's code a call was made; that of GPU work is its launch. */
static void
put_code(struct profile *p, const struct event *ev)
{
	struct buf *b = &p->run->out.code;

	if (out_skip & 1) { /* the stack is not looked up for nothing */
		out_unset();
		return;
	}
	buf_clear(b);
	if (p->dialect->code != NULL && p->dialect->code(p->ctx, ev, b))
		out_text(b->s, b->len);
	else
		out_unset();
}

/* call: of the event, or itself. */
static void
put_code_col(
    struct profile *p, const struct event *ev, const struct event *call)
{
	if (has_code(&p->run->out, ev->kind))
		put_code(p, call);
}

static struct out_type *
declare(const struct emit *o, const char *tag, const char *const *cols,
    enum ev_kind kind)
{
	const char *names[MAX_COLS + ROWS_COLS_MAX + OP_COLS_MAX + 2];
	int n;

	for (n = 0; cols[n] != NULL; n++)
		names[n] = cols[n];
	n += rows_names(o, kind, names + n);
	n += op_names(o, tag, names + n);
	if (has_code(o, kind))
		names[n++] = "code";
	if (kind == EV_SAMPLE && (o->with_code & CODE_SPANS) != 0)
		names[n++] = "dur_ns";
	if (o->with_allocator && kind == EV_MEM) {
		names[n++] = "allocated_bytes";
		names[n++] = "tid";
	}
	if (o->with_src)
		names[n++] = "src";
	if (o->with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

void
emit_open(struct emit *o)
{
	static const char *const str_cols[] = { "id", "text", NULL };
	static const char *const kernel_cols[] = { "id", "text", "base",
		"mangled", NULL };
	int i;

	o->op = no_op;
	for (i = 0; i < EV_KINDS; i++)
		if (layout[i].tag != NULL)
			o->types[i] =
			    declare(o, layout[i].tag, layout[i].cols, i);
	o->str_type = declare(
	    o, "str", o->kernel_names ? kernel_cols : str_cols, EV_KINDS);
	facts_open(o);
}

void
emit_src(const struct profile *p)
{
	const struct emit *o = &p->run->out;

	if (o->with_src)
		out_raw(p->src.s, p->src.len);
	if (o->with_rank)
		out_i64(p->rank);
}

/* A negative duration is written with --rows only: dlp-stats adds it up, as
 * nsys does. */
void
emit_dur(struct emit *o, int64_t start, int64_t end)
{
	if (end == EV_UNSET) {
		out_unset();
	} else if (end < start) {
		o->end_before_start++;
		out_opt(o->rows, num_sub(end, start));
	} else
		out_i64(num_sub(end, start));
}

uint32_t
emit_str(struct profile *p, const char *s, size_t n, const char *base,
    const char *mangled)
{
	struct emit *o = &p->run->out;

	o->strs++;
	out_rec(o->str_type);
	out_i64(o->strs);
	out_text(s, n);
	if (o->kernel_names) {
		emit_opt_text(base);
		emit_opt_text(mangled);
	}
	emit_src(p);
	out_end();
	return o->strs;
}

/* The event's text: from its row, or by its id. */
static void
put_name_of(struct profile *p, const struct event *ev)
{
	struct name m;

	if (ev->text != NULL) {
		out_text(ev->text, ev->text_len);
		return;
	}
	if (ev->name == EV_UNSET) {
		out_unset();
		return;
	}
	m = names_text(p, ev->name);
	out_raw(m.text, m.len);
}

static void
put_event_head(
    struct emit *o, enum ev_kind kind, const struct event *ev, bool with_dur)
{
	out_rec(o->types[kind]);
	out_i64(++o->ids);
	out_i64(ev->start);
	if (with_dur)
		emit_dur(o, ev->start, ev->end);
	if (kind == EV_DIAG || kind == EV_SERIES)
		return;
	emit_num(ev->pid);
	if (kind != EV_MEM)
		emit_num(ev->tid);
}

static void
put_range_cols(struct profile *p, const struct event *ev)
{
	struct emit *o = &p->run->out;

	if (ev->end == EV_UNSET)
		o->never_closed++;
	emit_num(ev->range.end_tid);
	out_text(ev->range.domain, strlen(ev->range.domain));
	if (ev->range.push)
		out_raw("push", 4);
	else
		out_raw("start", 5);
	put_name_of(p, ev);
	put_rows_cols(o, ev, NULL);
	put_range_place(o, ev);
}

static void
put_mem(const struct event *ev)
{
	emit_num(ev->mem.dev);
	emit_word(ev->mem.op);
	emit_num(ev->mem.bytes);
	emit_num(ev->mem.addr);
	emit_word(ev->mem.kind);
	emit_num(ev->mem.corr);
	emit_num(ev->mem.pool);
	emit_num(ev->mem.pool_bytes);
}

static void
put_allocator(const struct profile *p, const struct event *ev)
{
	bool known = p->dialect->allocator;

	if (!p->run->out.with_allocator)
		return;
	emit_num(known ? ev->mem.used : EV_UNSET);
	emit_num(known ? ev->tid : EV_UNSET);
}

static void
put_cpu_cols(struct profile *p, const struct event *ev)
{
	switch (ev->kind) {
	case EV_RANGE:
		put_range_cols(p, ev);
		break;
	case EV_MARK:
		out_text(ev->range.domain, strlen(ev->range.domain));
		put_name_of(p, ev);
		break;
	case EV_NODE:
		emit_num(ev->node.node);
		emit_num(ev->node.orig);
		break;
	case EV_EVENT:
		emit_num(ev->event.dev);
		emit_num(ev->event.ctx);
		emit_num(ev->event.stream);
		emit_num(ev->corr);
		emit_num(ev->event.event);
		break;
	case EV_MEM:
		put_mem(ev);
		put_allocator(p, ev);
		break;
	case EV_OS:
		put_name_of(p, ev);
		put_rows_cols(&p->run->out, ev, NULL);
		put_code_col(p, ev, ev);
		break;
	case EV_SERIES:
		emit_num(ev->series.dev);
		put_name_of(p, ev);
		emit_num(ev->series.value);
		emit_word(ev->label);
		break;
	case EV_LIB:
	case EV_DIAG:
		emit_word(ev->label);
		put_name_of(p, ev);
		break;
	default:
		put_name_of(p, ev);
		put_rows_cols(&p->run->out, ev, NULL);
		break;
	}
}

/* Lets go of the texts of the name cache. */
static void
end_record(struct profile *p)
{
	emit_src(p);
	out_end();
	names_written(&p->names);
}

/* The id of the str record that has the stack; 0 if it is not known. */
static uint64_t
stack_id(struct profile *p, const struct event *ev)
{
	struct emit *o = &p->run->out;
	uint32_t no;
	bool fresh;

	if (!p->dialect->stack(p->ctx, ev, &o->code))
		return 0;
	no = smap_put(&o->stacks, o->code.s, o->code.len, &fresh);
	if (fresh)
		o->stacks.val[no] =
		    emit_str(p, o->code.s, o->code.len, NULL, NULL);
	return o->stacks.val[no];
}

static void
emit_sample(struct profile *p, const struct event *ev)
{
	uint64_t stack = stack_id(p, ev);

	put_event_head(&p->run->out, EV_SAMPLE, ev, false);
	emit_word(ev->label);
	out_opt(stack != 0, (int64_t)stack);
	put_code(p, ev);
	if ((p->run->out.with_code & CODE_SPANS) != 0)
		out_opt(ev->end != EV_UNSET, ev->end - ev->start);
	end_record(p);
}

void
emit_event(struct profile *p, const struct event *ev)
{
	bool with_dur = ev->kind == EV_RANGE || ev->kind == EV_LIB ||
			ev->kind == EV_OS || ev->kind == EV_OVER;

	if (!select_event(p, ev, NULL))
		return;
	if (ev->kind == EV_SAMPLE) {
		emit_sample(p, ev);
		return;
	}
	put_event_head(&p->run->out, ev->kind, ev, with_dur);
	put_cpu_cols(p, ev);
	end_record(p);
}

void
emit_call(struct profile *p, const struct event *ev, uint64_t n_gpu)
{
	struct emit *o = &p->run->out;

	if (!select_event(p, ev, NULL))
		return;
	put_event_head(o, EV_CALL, ev, true);
	emit_num(ev->corr);
	put_name_of(p, ev);
	emit_num(ev->call.ret);
	out_i64((int64_t)n_gpu);
	put_rows_cols(o, ev, NULL);
	put_op_cols(o, ev);
	put_code_col(p, ev, ev);
	end_record(p);
}

void
emit_notes(const struct emit *o)
{
	stage_note("end_before_start", o->end_before_start);
	stage_note("never_closed", o->never_closed);
}

/* own: the call has a record of its own, which has its duration. */
static void
put_launch(struct profile *p, const struct event *call, bool own)
{
	if (call == NULL) {
		out_unsets(3);
		return;
	}
	put_name_of(p, call);
	out_i64(call->start);
	if (own)
		out_unset();
	else
		emit_dur(&p->run->out, call->start, call->end);
}

static void
put_gpu_head(struct profile *p, const struct event *ev,
    const struct event *call, bool own)
{
	struct event e = *ev;

	if (call != NULL) {
		e.tid = call->tid;
		if (e.pid == EV_UNSET)
			e.pid = call->pid;
	}
	put_event_head(&p->run->out, ev->kind, &e, true);
	emit_num(ev->gpu.dev);
	emit_num(ev->gpu.ctx);
	emit_num(ev->gpu.stream);
	emit_num(ev->corr);
	put_launch(p, call, own);
}

static void
put_dim3(const int64_t d[3])
{
	if (d[0] == EV_UNSET || d[1] == EV_UNSET || d[2] == EV_UNSET) {
		out_unset();
		return;
	}
	if (!out_next())
		return;
	buf_c_i64(&out_buf, '\t', d[0]);
	buf_c_i64(&out_buf, ',', d[1]);
	buf_c_i64(&out_buf, ',', d[2]);
}

static void
put_kern(const struct event *ev, const struct name *m)
{
	out_i64(ev->row);
	out_raw(m->text, m->len);
	out_opt(m->str_id != 0, m->str_id);
	put_dim3(ev->gpu.kern.grid);
	put_dim3(ev->gpu.kern.block);
	emit_num(ev->gpu.kern.regs);
	emit_num(ev->gpu.kern.smem);
	emit_num(ev->gpu.kern.dynsmem);
	emit_num(ev->gpu.node);
}

static void
put_copy(const struct event *ev)
{
	emit_word(ev->gpu.copy.kind);
	emit_num(ev->gpu.copy.bytes);
	emit_word(ev->gpu.copy.src_mem);
	emit_word(ev->gpu.copy.dst_mem);
	emit_num(ev->gpu.node);
}

static void
put_set(const struct event *ev)
{
	emit_num(ev->gpu.set.bytes);
	emit_num(ev->gpu.set.value);
	emit_word(ev->gpu.set.mem);
	emit_num(ev->gpu.node);
}

/* The name of the call decides the kind of a synchronization, because the
 * numbers in the files changed their meaning between versions. */
static void
put_sync(struct profile *p, const struct event *ev, const struct event *call)
{
	const char *kind = NULL, *api = NULL;

	if (call != NULL && call->name != EV_UNSET)
		api = names_text(p, call->name).text;
	if (api != NULL)
		kind = apicall_sync(api, strlen(api));
	if (kind == NULL)
		kind = ev->gpu.sync.kind;
	emit_word(kind != NULL ? kind : "unknown");
	emit_num(ev->gpu.sync.event);
}

static void
put_gpu_cols(struct profile *p, const struct event *ev,
    const struct event *call, const struct name *m)
{
	switch (ev->kind) {
	case EV_KERN:
		put_kern(ev, m);
		break;
	case EV_COPY:
		put_copy(ev);
		break;
	case EV_SET:
		put_set(ev);
		break;
	case EV_SYNC:
		put_sync(p, ev, call);
		break;
	default:
		out_raw(GRAPH_NAME, sizeof(GRAPH_NAME) - 1);
		emit_num(ev->gpu.graph.graph);
		emit_num(ev->gpu.graph.exec);
		break;
	}
}

void
emit_gpu(struct profile *p, const struct event *ev, const struct event *call,
    bool own)
{
	struct emit *o = &p->run->out;
	struct name m = { 0 };

	if (!select_event(p, ev, call))
		return;
	if (ev->kind == EV_KERN &&
	    (ev->name != EV_UNSET || ev->gpu.kern.short_name != EV_UNSET))
		m = names_kernel(p, ev->name, ev->gpu.kern.short_name,
		    o->kernel_names ? ev->gpu.kern.mangled : EV_UNSET);
	put_gpu_head(p, ev, call, own);
	put_gpu_cols(p, ev, call, &m);
	put_rows_cols(o, ev, call);
	put_op_cols(o, ev);
	put_code_col(p, ev, call != NULL ? call : ev);
	end_record(p);
}
