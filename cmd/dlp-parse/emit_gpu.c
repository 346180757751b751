/*
 * Records of GPU work: each carries the call that launched it. A call with
 * several activities has a record of its own; its duration is there, so
 * that a sum over all records counts API time once.
 */
#include <string.h>

#include "cols.h"
#include "emit.h"
#include "emit_field.h"
#include "emit_gpu.h"
#include "emit_op.h"
#include "emit_rows.h"
#include "num.h"
#include "out.h"
#include "run.h"
#include "select.h"

static void
put_call(struct profile *p, const struct event *call, bool own)
{
	if (call == NULL) {
		out_unsets(3);
		return;
	}
	emit_name(p, call);
	out_i64(call->start);
	if (own)
		out_unset();
	else
		emit_dur(call->start, call->end);
}

static void
put_gpu(struct profile *p, const struct event *ev, const struct event *call,
    bool own)
{
	struct event e = *ev;

	if (call != NULL) {
		e.tid = call->tid;
		if (e.pid == EV_UNSET)
			e.pid = call->pid;
	}
	emit_head(ev->kind, &e, true);
	emit_num(ev->gpu.dev);
	emit_num(ev->gpu.ctx);
	emit_num(ev->gpu.stream);
	emit_num(ev->corr);
	put_call(p, call, own);
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
	out_raw(m != NULL ? m->text : NULL, m != NULL ? m->len : 0);
	out_opt(m != NULL && m->str_id != 0, m != NULL ? m->str_id : 0);
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

/* What a synchronization waits for, by the call's name: the numbers in the
 * files changed their meaning between versions. */
static const struct {
	const char *prefix, *kind;
} sync_calls[] = {
	{ "cudaDeviceSynchronize", "context" },
	{ "cudaThreadSynchronize", "context" },
	{ "cuCtxSynchronize", "context" },
	{ "cudaProfilerStop", "context" },
	{ "cudaDeviceReset", "context" },
	{ "cudaStreamWaitEvent", "stream-wait-event" },
	{ "cuStreamWaitEvent", "stream-wait-event" },
	{ "cudaStreamSynchronize", "stream" },
	{ "cuStreamSynchronize", "stream" },
	{ "cudaStreamQuery", "stream" },
	{ "cuStreamQuery", "stream" },
	{ "cudaEventSynchronize", "event" },
	{ "cuEventSynchronize", "event" },
	{ "cudaEventQuery", "event" },
	{ "cuEventQuery", "event" },
};

static const char *
sync_by_call(const char *api)
{
	size_t i;

	for (i = 0; i < sizeof(sync_calls) / sizeof(sync_calls[0]); i++)
		if (strncmp(api, sync_calls[i].prefix,
			strlen(sync_calls[i].prefix)) == 0)
			return sync_calls[i].kind;
	return NULL;
}

static void
put_sync(struct profile *p, const struct event *ev, const struct event *call)
{
	const char *kind = NULL, *api = NULL;

	if (call != NULL && call->name != EV_UNSET)
		api = names_text(&p->names, call->name)->text;
	if (api != NULL)
		kind = sync_by_call(api);
	if (kind == NULL)
		kind = ev->gpu.sync.kind;
	emit_word(kind != NULL ? kind : "unknown");
	emit_num(ev->gpu.sync.event);
}

static void
put_rest(struct profile *p, const struct event *ev, const struct event *call,
    const struct name *m)
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
	struct name m = { 0 };
	bool named = false;

	if (!select_event(p, ev, call))
		return;
	if (ev->kind == EV_KERN &&
	    (ev->name != EV_UNSET || ev->gpu.kern.short_name != EV_UNSET)) {
		m = *names_kernel(&p->names, ev->name, ev->gpu.kern.short_name,
		    emit_kernel_names ? ev->gpu.kern.mangled : EV_UNSET,
		    emit_str);
		named = true;
	}
	put_gpu(p, ev, call, own);
	put_rest(p, ev, call, named ? &m : NULL);
	emit_rows_cols(ev, call);
	emit_op_cols(ev);
	emit_src(p);
	out_end();
}
