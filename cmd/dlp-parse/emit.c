/*
 * Records of what is no GPU work, and what all records share. The columns
 * stand in the order of the registry; a test compares the two.
 */
#include <string.h>

#include "emit.h"
#include "emit_field.h"
#include "emit_op.h"
#include "emit_rows.h"
#include "num.h"
#include "out.h"
#include "run.h"
#include "select.h"
#include "stage.h"

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
	[EV_MEM] = { "mem",
	    { "id", "start_ns", "pid", "dev", "op", "bytes", "addr", "kind",
		"corr", "pool", "pool_bytes" } },
	[EV_OVER] = { "over",
	    { "id", "start_ns", "dur_ns", "pid", "tid", "name" } },
	[EV_DIAG] = { "diag", { "id", "start_ns", "severity", "text" } },
};

static struct out_type *types[EV_KINDS], *str_type;
static bool with_src, with_rank;
bool emit_kernel_names;
static int64_t ids;
static uint32_t strs;
static uint64_t end_before_start, never_closed;

static struct out_type *
declare(const char *tag, const char *const *cols, enum ev_kind kind)
{
	const char *names[MAX_COLS + EMIT_ROWS_MAX + EMIT_OP_MAX + 2];
	int n;

	for (n = 0; cols[n] != NULL; n++)
		names[n] = cols[n];
	n += emit_rows_names(kind, names + n);
	n += emit_op_names(tag, names + n);
	if (with_src)
		names[n++] = "src";
	if (with_rank)
		names[n++] = "rank";
	return out_type(tag, names, n);
}

void
emit_open(bool src, bool rank)
{
	static const char *const str_cols[] = { "id", "text", NULL };
	static const char *const kernel_cols[] = { "id", "text", "base",
		"mangled", NULL };
	int i;

	with_src = src;
	with_rank = rank;
	for (i = 0; i < EV_KINDS; i++)
		if (layout[i].tag != NULL)
			types[i] = declare(layout[i].tag, layout[i].cols, i);
	str_type = declare(
	    "str", emit_kernel_names ? kernel_cols : str_cols, EV_KINDS);
}

bool
emit_with_src(void)
{
	return with_src;
}

void
emit_src(const struct profile *p)
{
	if (with_src)
		out_raw(p->src.s, p->src.len);
	if (with_rank)
		out_i64(p->rank);
}

void
emit_dur(int64_t start, int64_t end)
{
	if (end == EV_UNSET) {
		out_unset();
	} else if (end < start) {
		end_before_start++;
		out_opt(emit_rows, num_sub(end, start));
	} else
		out_i64(num_sub(end, start));
}

static void
put_opt(const char *s)
{
	out_text(s, s != NULL ? strlen(s) : 0);
}

uint32_t
emit_str(const char *s, size_t n, const char *base, const char *mangled)
{
	strs++;
	out_rec(str_type);
	out_i64(strs);
	out_text(s, n);
	if (emit_kernel_names) {
		put_opt(base);
		put_opt(mangled);
	}
	emit_src(profile_cur());
	out_end();
	return strs;
}

/* The event's text: in its row, or by its id. */
void
emit_name(struct profile *p, const struct event *ev)
{
	const struct name *m;

	if (ev->text != NULL) {
		out_text(ev->text, ev->text_len);
		return;
	}
	if (ev->name == EV_UNSET) {
		out_unset();
		return;
	}
	m = names_text(&p->names, ev->name);
	out_raw(m->text, m->len);
}

void
emit_head(enum ev_kind kind, const struct event *ev, bool with_dur)
{
	out_rec(types[kind]);
	out_i64(++ids);
	out_i64(ev->start);
	if (with_dur)
		emit_dur(ev->start, ev->end);
	if (kind == EV_DIAG)
		return;
	emit_num(ev->pid);
	if (kind != EV_MEM)
		emit_num(ev->tid);
}

static void
put_range(struct profile *p, const struct event *ev)
{
	if (ev->end == EV_UNSET)
		never_closed++;
	emit_num(ev->range.end_tid);
	out_text(ev->range.domain, strlen(ev->range.domain));
	if (ev->range.push)
		out_raw("push", 4);
	else
		out_raw("start", 5);
	emit_name(p, ev);
	emit_rows_cols(ev, NULL);
	emit_op_range(ev);
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
put_rest(struct profile *p, const struct event *ev)
{
	switch (ev->kind) {
	case EV_RANGE:
		put_range(p, ev);
		break;
	case EV_MARK:
		out_text(ev->range.domain, strlen(ev->range.domain));
		emit_name(p, ev);
		break;
	case EV_NODE:
		emit_num(ev->node.node);
		emit_num(ev->node.orig);
		break;
	case EV_MEM:
		put_mem(ev);
		break;
	case EV_LIB:
	case EV_DIAG:
		emit_word(ev->label);
		emit_name(p, ev);
		break;
	default:
		emit_name(p, ev);
		emit_rows_cols(ev, NULL);
		break;
	}
}

void
emit_event(struct profile *p, const struct event *ev)
{
	bool with_dur = ev->kind == EV_RANGE || ev->kind == EV_LIB ||
			ev->kind == EV_OS || ev->kind == EV_OVER;

	if (!select_event(p, ev, NULL))
		return;
	emit_head(ev->kind, ev, with_dur);
	put_rest(p, ev);
	emit_src(p);
	out_end();
}

void
emit_call(struct profile *p, const struct event *ev, uint64_t n_gpu)
{
	if (!select_event(p, ev, NULL))
		return;
	emit_head(EV_CALL, ev, true);
	emit_num(ev->corr);
	emit_name(p, ev);
	emit_num(ev->call.ret);
	out_i64((int64_t)n_gpu);
	emit_rows_cols(ev, NULL);
	emit_op_cols(ev);
	emit_src(p);
	out_end();
}

void
emit_notes(void)
{
	stage_note("end_before_start", end_before_start);
	stage_note("never_closed", never_closed);
}
