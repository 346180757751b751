/*
 * nvprof's API calls, its own overhead, and allocations. Threads are given
 * as pthread handles cut to 32 bits, shown unsigned, as PyProf does.
 */
#include <string.h>

#include "err.h"
#include "nvprof_cbid.h"
#include "nvprof_cpu.h"
#include "nvprof_row.h"
#include "schema.h"

static const char *const overheads[] = { "driver compiler",
	"CUPTI buffer flush", "CUPTI instrumentation", "CUPTI resource" };

static const char *const call_cols[] = { "start", "end", "correlationId",
	"cbid", "processId", "threadId", "returnValue", NULL };

static bool
call_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t cbid = nvprof_num(col[4]), tid = nvprof_num(col[6]);

	if (!nvprof_times(ctx, col + 1, ev))
		return false;
	ev->corr = nvprof_num(col[3]);
	if (cbid != EV_UNSET)
		ev->name = nvprof_api_id(s->tag, cbid);
	ev->pid = nvprof_num(col[5]);
	if (tid != EV_UNSET)
		ev->tid = tid & 0xffffffff;
	ev->call.ret = nvprof_num(col[7]);
	/* A number in both tables is the same call, told twice. */
	ev->call.twin = s->tag == NVPROF_DRIVER;
	return true;
}

static const char *const over_cols[] = { "start", "end", "overheadKind",
	"objectKind", "objectId", NULL };

static bool
over_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind = nvprof_num(col[3]);

	(void)s;
	if (!nvprof_times(ctx, col + 1, ev))
		return false;
	/* 1, then 1 to 3 in the upper half */
	kind = kind == 1 ? 0 : kind > 0 && kind % 65536 == 0 ? kind >> 16 : -1;
	ev->text = NVPROF_PICK(overheads, kind);
	if (ev->text != NULL)
		ev->text_len = (uint32_t)strlen(ev->text);
	nvprof_object(col[4], col[5], &ev->pid, &ev->tid);
	return true;
}

static const char *const mem_cols[] = { "start", "end", "processId", "deviceId",
	"bytes", "address", "memoryKind", NULL };

static bool
mem_row(
    void *ctx, const struct source *s, sqlite3_value **col, struct event *ev)
{
	bool is_free = s->tag != 0;
	int64_t kind;

	if (!nvprof_times(ctx, col + 1, ev))
		return false;
	ev->end = EV_UNSET;
	ev->pid = nvprof_num(col[3]);
	ev->mem.dev = nvprof_num(col[4]);
	ev->mem.bytes = nvprof_num(col[5]);
	ev->mem.addr = nvprof_num(col[6]);
	kind = nvprof_num(col[7]);
	ev->mem.kind = nvprof_mem_kind(kind);
	ev->mem.op = is_free ? "free" : "alloc";
	return true;
}

static void
add_calls(struct nvprof *nv, struct sources *ss, const char *table,
    enum nvprof_api api)
{
	struct source *s;

	s = nvprof_source(nv, ss, EV_CALL, table, call_row, call_cols);
	if (s == NULL)
		return;
	s->tag = api;
	s->corr = db_col(nv->db, table, "correlationId");
	s->gid = db_col(nv->db, table, "processId");
	if (api == NVPROF_DRIVER)
		s->twin = xstrdup("1");
	s->twin_is = 1;
}

/* Allocations have the time of their release in the same row. */
static void
add_releases(struct nvprof *nv, struct sources *ss)
{
	static const char *const cols[] = { "end", "end", "processId",
		"deviceId", "bytes", "address", "memoryKind", NULL };
	static const char table[] = NVPROF_TABLE("MEMORY");
	struct source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "end"))
		return;
	s = source_add(ss, EV_MEM, table, mem_row);
	s->tag = 1;
	s->from = xstrdup(table);
	s->where = xstrdup("end > 0");
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("end");
}

void
nvprof_add_cpu(struct nvprof *nv, struct sources *ss)
{
	add_calls(nv, ss, NVPROF_TABLE("RUNTIME"), NVPROF_RUNTIME);
	add_calls(nv, ss, NVPROF_TABLE("DRIVER"), NVPROF_DRIVER);
	nvprof_source(
	    nv, ss, EV_OVER, NVPROF_TABLE("OVERHEAD"), over_row, over_cols);
	nvprof_source(
	    nv, ss, EV_MEM, NVPROF_TABLE("MEMORY"), mem_row, mem_cols);
	add_releases(nv, ss);
}
