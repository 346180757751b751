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
#include "num.h"
#include "profile.h"
#include "stage.h"

static const struct work_op no_op = { EV_UNSET, EV_UNSET, EV_UNSET, NULL, NULL,
	true };

/* How a field is written, of the number or text at its place. */
enum how {
	E_NUM,
	E_WORD,
	E_TEXT,
	E_DIM3,
	E_UNSET,
	E_ID,    /* of the record */
	E_DUR,   /* of the event, or the call */
	E_NAME,  /* of the event, or the call */
	E_MODE,  /* of a range */
	E_SHORT, /* of a kernel */
	E_STR,   /* its str record */
	E_SYNC,  /* the kind of a synchronization */
	E_GRAPH, /* the name of a graph's run */
	E_N_GPU, /* of a call */
	E_NONE,  /* why there is no op */
	E_TC,
	E_STACK,     /* the str record of a stack */
	E_CODE,      /* where in the user's code a call was made */
	E_ALLOCATOR, /* a number that torch.profiler alone has: its memory is
		      * an allocator's */
};

enum of { OF_EVENT, OF_CALL, OF_OP };

enum { /* columns that only some streams have */
	W_ALWAYS,
	W_ROWS, /* --rows: places in the file, which order events that are equal
		 * otherwise: of its table, and the number of its name */
	W_OPS,  /* all those that dlp-correlate adds, which later filters expect
		 */
	W_CODE,
	W_OS,
	W_SPANS,
	W_ALLOCATOR,
};

struct emit_field {
	const char *name;
	enum how how;
	size_t at;
	enum of of;
	int when;
};

#define F_AS(column, as)                                                       \
	{                                                                      \
		.name = column, .how = as                                      \
	}
#define F_TO(column, as, place)                                                \
	{                                                                      \
		.name = column, .how = as, .at = place                         \
	}
#define F_OF(column, as, place, from, only)                                    \
	{                                                                      \
		.name = column, .how = as, .at = place, .of = from,            \
		.when = only                                                   \
	}
#define F_NUM(column, member) F_TO(column, E_NUM, AT(member))
#define F_WORD(column, member) F_TO(column, E_WORD, AT(member))
#define F_ROWS(column, member) F_OF(column, E_NUM, AT(member), OF_EVENT, W_ROWS)
#define F_CALL(column, as, member) F_OF(column, as, AT(member), OF_CALL, 0)
#define F_CALLS(column, member) F_OF(column, E_NUM, AT(member), OF_CALL, W_ROWS)
#define F_OP(column, as, member)                                               \
	F_OF(column, as, offsetof(struct work_op, member), OF_OP, W_OPS)
#define F_NO_OP(column) F_OP(column, E_UNSET, op)
#define MOMENT F_AS("id", E_ID), F_NUM("start_ns", start)
#define THREAD F_NUM("pid", pid), F_NUM("tid", tid)
#define CPU MOMENT, F_AS("dur_ns", E_DUR), THREAD
#define WORK_OP                                                                \
	F_OP("op_id", E_NUM, op_id), F_OP("inst_id", E_NUM, inst_id),          \
	    F_OP("op_start_ns", E_NUM, op_start), F_NO_OP("mod"),              \
	    F_OP("op", E_WORD, op), F_OP("dir", E_WORD, dir), F_NO_OP("seq"),  \
	    F_NO_OP("altseq"), F_NO_OP("sub"), F_NO_OP("layer"),               \
	    F_NO_OP("phase"), F_NO_OP("phase_by"), F_OP("why", E_NONE, none)
#define GPU                                                                    \
	CPU, F_NUM("dev", gpu.dev), F_NUM("ctx", gpu.ctx),                     \
	    F_NUM("stream", gpu.stream), F_NUM("corr", corr),                  \
	    F_CALL("api", E_NAME, name), F_CALL("api_start_ns", E_NUM, start), \
	    F_CALL("api_dur_ns", E_DUR, end)
#define GPU_END                                                                \
	F_CALLS("name_no", name), F_CALLS("call_idx", row),                    \
	    F_CALLS("call_ret", call.ret), WORK_OP
#define CODE F_OF("code", E_CODE, 0, OF_EVENT, W_CODE)
#define NODE F_NUM("node", gpu.node)
#define DOMAIN F_TO("domain", E_TEXT, AT(range.domain))

static const struct {
	const char *tag;
	struct emit_field fields[42];
} layout[EV_KINDS] = {
	[EV_RANGE] = { "range",
	    { CPU, F_NUM("end_tid", range.end_tid), DOMAIN,
		F_AS("mode", E_MODE), F_AS("text", E_NAME), F_ROWS("idx", row),
		F_OF("level", E_NUM, AT(range.level), OF_EVENT, W_OPS),
		F_OF("layer", E_TEXT, AT(range.layer), OF_EVENT, W_OPS) } },
	[EV_MARK] = { "mark",
	    { MOMENT, THREAD, DOMAIN, F_AS("text", E_NAME) } },
	[EV_LIB] = { "lib",
	    { CPU, F_WORD("lib", label), F_AS("name", E_NAME) } },
	[EV_OS] = { "os", { CPU, F_AS("name", E_NAME), F_ROWS("name_no", name),
			      F_OF("code", E_CODE, 0, OF_EVENT, W_OS) } },
	[EV_NODE] = { "node", { MOMENT, THREAD, F_NUM("node", node.node),
				  F_NUM("orig", node.orig) } },
	[EV_CALL] = { "call",
	    { CPU, F_NUM("corr", corr), F_AS("api", E_NAME),
		F_NUM("ret", call.ret), F_AS("n_gpu", E_N_GPU),
		F_ROWS("idx", row), F_ROWS("name_no", name), WORK_OP, CODE } },
	[EV_KERN] = { "kern",
	    { GPU, F_NUM("idx", row), F_AS("short", E_SHORT),
		F_AS("name_id", E_STR), F_TO("grid", E_DIM3, AT(gpu.kern.grid)),
		F_TO("block", E_DIM3, AT(gpu.kern.block)),
		F_NUM("regs", gpu.kern.regs),
		F_NUM("smem_bytes", gpu.kern.smem),
		F_NUM("dynsmem_bytes", gpu.kern.dynsmem), NODE, GPU_END,
		F_OF("occ_pct", E_ALLOCATOR, AT(gpu.kern.occupancy), OF_EVENT,
		    W_ALLOCATOR),
		F_OF("tc", E_TC, AT(gpu.own.tc), OF_EVENT, W_OPS), CODE } },
	[EV_COPY] = { "copy", { GPU, F_WORD("kind", gpu.copy.kind),
				  F_NUM("bytes", gpu.copy.bytes),
				  F_WORD("src_mem", gpu.copy.src_mem),
				  F_WORD("dst_mem", gpu.copy.dst_mem), NODE,
				  F_ROWS("idx", row), GPU_END, CODE } },
	[EV_SET] = { "set",
	    { GPU, F_NUM("bytes", gpu.set.bytes), F_NUM("value", gpu.set.value),
		F_WORD("mem", gpu.set.mem), NODE, F_ROWS("idx", row), GPU_END,
		CODE } },
	[EV_SYNC] = { "sync",
	    { GPU, F_AS("kind", E_SYNC), F_NUM("event", gpu.sync.event),
		GPU_END, CODE } },
	[EV_GRAPH] = { "graph",
	    { GPU, F_AS("short", E_GRAPH), F_NUM("graph", gpu.graph.graph),
		F_NUM("exec", gpu.graph.exec), GPU_END, CODE } },
	[EV_EVENT] = { "event",
	    { MOMENT, THREAD, F_NUM("dev", event.dev), F_NUM("ctx", event.ctx),
		F_NUM("stream", event.stream), F_NUM("corr", corr),
		F_NUM("event", event.event) } },
	[EV_MEM] = { "mem",
	    { MOMENT, F_NUM("pid", pid), F_NUM("dev", mem.dev),
		F_WORD("op", mem.op), F_NUM("bytes", mem.bytes),
		F_NUM("addr", mem.addr), F_WORD("kind", mem.kind),
		F_NUM("corr", mem.corr), F_NUM("pool", mem.pool),
		F_NUM("pool_bytes", mem.pool_bytes),
		F_OF("allocated_bytes", E_ALLOCATOR, AT(mem.used), OF_EVENT,
		    W_ALLOCATOR),
		F_OF("tid", E_ALLOCATOR, AT(tid), OF_EVENT, W_ALLOCATOR) } },
	[EV_OVER] = { "over", { CPU, F_AS("name", E_NAME) } },
	[EV_SAMPLE] = { "sample",
	    { MOMENT, THREAD, F_WORD("kind", label), F_AS("stack_id", E_STACK),
		F_AS("code", E_CODE),
		F_OF("dur_ns", E_DUR, 0, OF_EVENT, W_SPANS) } },
	[EV_SERIES] = { "series",
	    { MOMENT, F_NUM("dev", series.dev), F_AS("name", E_NAME),
		F_NUM("value", series.value), F_WORD("unit", label) } },
	[EV_DIAG] = { "diag",
	    { MOMENT, F_WORD("severity", label), F_AS("text", E_NAME) } },
};

static struct out_type *
declare(const struct emit *o, const char *tag, const char **names, int n)
{
	if (o->with_src)
		names[n++] = "src";
	if (o->with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

void
emit_open(struct emit *o)
{
	const bool has[] = {
		[W_ALWAYS] = true,
		[W_ROWS] = o->rows,
		[W_OPS] = o->with_ops,
		[W_CODE] = (o->with_code & CODE_CALLS) != 0,
		[W_OS] = (o->with_code & CODE_OS) != 0,
		[W_SPANS] = (o->with_code & CODE_SPANS) != 0,
		[W_ALLOCATOR] = o->with_allocator,
	};
	const char *str[6] = { "id", "text", "base", "mangled" };
	const char *dev[10] = { "dev", "name", "cc", "n_sm", "clock_hz",
		"mem_bytes", "membw_bytes_s", "uuid" };
	const char *proc[4] = { "pid", "name" };
	const char *thread[6] = { "pid", "tid", "name", "prio" };
	const char *names[ARRAY_LEN(layout->fields) + 2];
	const struct emit_field *f;
	int i, n;

	o->op = no_op;
	for (i = 0; i < EV_KINDS; i++) {
		if (layout[i].tag == NULL)
			continue;
		o->fields[i] = xcalloc(ARRAY_LEN(layout->fields), sizeof(*f));
		n = 0;
		for (f = layout[i].fields; f->name != NULL; f++)
			if (has[f->when]) {
				names[n] = f->name;
				o->fields[i][n++] = *f;
			}
		o->types[i] = declare(o, layout[i].tag, names, n);
	}
	o->str_type = declare(o, "str", str, o->kernel_names ? 4 : 2);
	o->dev_type = declare(o, "dev", dev, 8);
	o->proc_type = declare(o, "proc", proc, 2);
	o->thread_type = declare(o, "thread", thread, o->rows ? 4 : 3);
}

/*
 * The facts of a profile before its events: ##info lines, and records of
 * devices, processes and threads.
 */

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
	emit_text(d->name);
	if (d->cc_major == EV_UNSET || d->cc_minor == EV_UNSET) {
		out_unset();
	} else if (out_next()) {
		buf_c_i64(&out_buf, '\t', d->cc_major);
		buf_c_i64(&out_buf, '.', d->cc_minor);
	}
	emit_num(d->n_sm);
	emit_num(d->clock_hz);
	emit_num(d->mem_bytes);
	emit_num(d->membw_bytes_s);
	emit_text(d->uuid);
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
	emit_text(name);
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
	emit_text(name);
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
emit_op_of(struct profile *p, const struct event *ev)
{
	struct emit *o = &p->run->out;

	if (!p->dialect->work(p->ctx, ev, &o->op))
		o->op = no_op;
}

void
emit_src(const struct profile *p)
{
	if (p->run->out.with_src)
		out_raw(p->src.s, p->src.len);
	if (p->run->out.with_rank)
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

/* Writes a str record; its id, from 1. base, mangled: NULL if unset. */
static uint32_t
emit_str(struct profile *p, const char *s, size_t n, const char *base,
    const char *mangled)
{
	struct emit *o = &p->run->out;

	out_rec(o->str_type);
	out_i64(++o->strs);
	out_text(s, n);
	if (o->kernel_names) {
		emit_text(base);
		emit_text(mangled);
	}
	emit_src(p);
	out_end();
	return o->strs;
}

struct record { /* what a record is made of */
	const struct event *ev, *call;
	const struct name *kern;
	bool own; /* the call's record has the call's duration */
	uint64_t n_gpu;
	int64_t stack; /* 0: unknown */
};

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

/* The name of the call decides the kind of a synchronization, because the
 * numbers in the files changed their meaning between versions. */
static const char *
sync_kind(struct profile *p, const struct record *r)
{
	const char *kind = NULL, *api = NULL;

	if (r->call != NULL && r->call->name != EV_UNSET)
		api = names_text(p, r->call->name).text;
	if (api != NULL)
		kind = apicall_sync(api, strlen(api));
	if (kind == NULL)
		kind = r->ev->gpu.sync.kind;
	return kind != NULL ? kind : "unknown";
}

/* That of GPU work is its launch. */
static void
put_code(struct profile *p, const struct record *r)
{
	const struct event *ev = r->call != NULL ? r->call : r->ev;
	struct buf *b = &p->run->out.code;

	buf_clear(b);
	/* the stack is not looked up for nothing */
	if ((out_skip & 1) == 0 && p->dialect->code != NULL &&
	    p->dialect->code(p->ctx, ev, b))
		out_text(b->s, b->len);
	else
		out_unset();
}

/* A field that few records have, or that is not just a number or a word. */
static void
put_other(struct profile *p, const struct emit_field *f, const struct record *r,
    const void *of)
{
	const struct event *ev = of;
	const void *at = (const char *)of + f->at;
	const int64_t *dim = at;
	int64_t v;

	switch (f->how) {
	case E_TEXT:
		emit_text(*(const char *const *)at);
		break;
	case E_DIM3:
		if (dim[0] == EV_UNSET || dim[1] == EV_UNSET ||
		    dim[2] == EV_UNSET) {
			out_unset();
		} else if (out_next()) {
			buf_c_i64(&out_buf, '\t', dim[0]);
			buf_c_i64(&out_buf, ',', dim[1]);
			buf_c_i64(&out_buf, ',', dim[2]);
		}
		break;
	case E_ID:
		out_i64(++p->run->out.ids);
		break;
	case E_DUR:
		if (f->of == OF_CALL && r->own)
			out_unset();
		else if (ev->kind == EV_SAMPLE)
			out_opt(ev->end != EV_UNSET, ev->end - ev->start);
		else
			emit_dur(&p->run->out, ev->start, ev->end);
		break;
	case E_NAME:
		put_name_of(p, ev);
		break;
	case E_MODE:
		out_word(ev->range.push ? "push" : "start");
		break;
	case E_SHORT:
		out_raw(r->kern->text, r->kern->len);
		break;
	case E_STR:
		out_opt(r->kern->str_id != 0, r->kern->str_id);
		break;
	case E_SYNC:
		out_word(sync_kind(p, r));
		break;
	case E_GRAPH:
		out_word(GRAPH_NAME);
		break;
	case E_N_GPU:
		out_i64((int64_t)r->n_gpu);
		break;
	case E_NONE:
		out_word(p->run->out.op.none ? "no-range" : NULL);
		break;
	case E_TC:
		v = ev->gpu.own.tc;
		out_word(v == EV_UNSET ? NULL : v != 0 ? "yes" : "no");
		break;
	case E_STACK:
		out_opt(r->stack != 0, r->stack);
		break;
	case E_CODE:
		put_code(p, r);
		break;
	case E_ALLOCATOR:
		v = *(const int64_t *)at;
		emit_num(p->dialect->allocator ? v : EV_UNSET);
		break;
	default:
		out_unset();
	}
}

static void
put_record(struct profile *p, const struct record *r)
{
	static const struct event no_call = { .start = EV_UNSET,
		.end = EV_UNSET,
		.name = EV_UNSET,
		.row = EV_UNSET,
		.call.ret = EV_UNSET };
	const void *const base[] = { r->ev,
		r->call != NULL ? r->call : &no_call, &p->run->out.op };
	enum ev_kind kind = r->ev->kind;
	const struct emit_field *f = p->run->out.fields[kind];
	const char *at;

	out_rec(p->run->out.types[kind]);
	for (; f->name != NULL; f++) {
		at = (const char *)base[f->of] + f->at;
		if (f->how == E_NUM)
			emit_num(*(const int64_t *)at);
		else if (f->how == E_WORD)
			out_word(*(const char *const *)at);
		else
			put_other(p, f, r, base[f->of]);
	}
	emit_src(p);
	out_end();
	names_written(&p->names);
}

/* The id of the str record that has the stack; 0 if it is not known. */
static int64_t
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
	return (int64_t)o->stacks.val[no];
}

void
emit_event(struct profile *p, const struct event *ev, uint64_t n_gpu)
{
	struct record r = { .ev = ev, .n_gpu = n_gpu };

	if (!select_event(p, ev, NULL))
		return;
	if (ev->kind == EV_RANGE && ev->end == EV_UNSET)
		p->run->out.never_closed++;
	if (ev->kind == EV_SAMPLE)
		r.stack = stack_id(p, ev);
	put_record(p, &r);
}

void
emit_notes(const struct emit *o)
{
	stage_note("end_before_start", o->end_before_start);
	stage_note("never_closed", o->never_closed);
}

void
emit_gpu(struct profile *p, const struct event *ev, const struct event *call,
    bool own)
{
	struct name *m, none = { 0 };
	struct event e;
	struct record r = { .ev = &e, .call = call, .kern = &none, .own = own };
	struct kernel_texts fresh;

	if (!select_event(p, ev, call))
		return;
	if (ev->kind == EV_KERN &&
	    (ev->name != EV_UNSET || ev->gpu.kern.short_name != EV_UNSET)) {
		m = names_kernel(p, ev->name, ev->gpu.kern.short_name,
		    p->run->out.kernel_names ? ev->gpu.kern.mangled : EV_UNSET,
		    &fresh);
		if (fresh.full != NULL)
			m->str_id = emit_str(
			    p, fresh.full, fresh.n, fresh.given, fresh.mangled);
		none = *m; /* the cache may move */
	}
	e = *ev;
	if (call != NULL) {
		e.tid = call->tid;
		if (e.pid == EV_UNSET)
			e.pid = call->pid;
	}
	put_record(p, &r);
}
