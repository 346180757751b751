/*
 * The second pass: rows of the GPU's work get ends that can be right, and then
 * all rows are written, table by table.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "convert.h"
#include "err.h"

#define NOTE_WARNING 2 /* severity in nsys' tables */

/* Work of a graph can overlap, because its branches are parallel. This much is
 * the end of one kernel and the beginning of the next, as on a stream. */
#define GRAPH_OVERLAP 5000 /* ns */

/* Work of one stream is done in order, so an end after the next start is wrong.
 * CUPTI gives one such end in each process that captures a graph. */
static void
cut_end(struct conv *c, struct conv_ref *ref, const struct conv_ref *next)
{
	if (ref->end <= next->start)
		return;
	if (ref->end - next->start > GRAPH_OVERLAP && conv_node(c, ref) != 0 &&
	    conv_node(c, next) != 0)
		return;
	ref->end = next->start;
	c->count[CONV_CLIPPED]++;
}

#define LANE 16 /* bytes of a key that are the stream */

void
conv_gpu(struct conv *c)
{
	struct conv_ref last = { 0 }, ref;
	char lane[LANE] = { 0 };
	struct runs_rec rec;
	bool any = false;

	while (xsort_next(&c->gpu, &rec)) {
		memcpy(&ref, rec.val, sizeof(ref));
		if (any) {
			if (memcmp(lane, rec.key, LANE) == 0)
				cut_end(c, &last, &ref);
			conv_put(c, last.table, &last);
		}
		memcpy(lane, rec.key, LANE);
		last = ref;
		any = true;
	}
	if (any)
		conv_put(c, last.table, &last);
	xsort_close(&c->gpu);
}

static int64_t
if_set(uint32_t v)
{
	return v != UINT32_MAX ? (int64_t)v : DBW_NULL;
}

/* CUPTI's memory kinds begin with one that nsys has last. */
static int64_t
mem_kind(uint32_t kind)
{
	return kind > 0 && kind < 8 ? (int64_t)kind - 1 : 7;
}

/* The columns that all work has; the row goes on. */
static void
begin_gpu(struct conv *c, const struct conv_ref *ref, uint32_t dev,
    uint32_t ctx, uint32_t stream, uint32_t corr)
{
	dbw_begin(&c->db, ref->table);
	DBW_INTS(&c->db, ref->start - c->t0, ref->end - c->t0, dev, ctx,
	    DBW_NULL /* greenContextId */, stream, corr,
	    conv_gpid(&c->proc[ref->proc]));
}

static void
kernel_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_kernel *k = conv_rec(c, ref);
	int64_t mangled, full, brief;

	mangled =
	    conv_known(c, &c->proc[ref->proc].names, k->name, "unknown kernel");
	conv_kernel_name(c, mangled, &full, &brief);
	begin_gpu(c, ref, k->dev, k->ctx, k->stream, k->corr);
	DBW_INTS(&c->db, full, brief, mangled,
	    k->launch != UINT8_MAX ? k->launch + 1 : DBW_NULL,
	    (k->cache >> 4) + 1, k->registers, k->grid[0], k->grid[1],
	    k->grid[2], k->block[0], k->block[1], k->block[2], k->shared_static,
	    k->shared_dynamic, k->local_thread, (int64_t)k->local_total,
	    k->grid_id, if_set(k->shared_executed), or_null(k->node),
	    if_set(k->limit));
	dbw_end(&c->db);
}

static void
copy_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_copy *k = conv_rec(c, ref);

	begin_gpu(c, ref, k->dev, k->ctx, k->stream, k->corr);
	DBW_INTS(&c->db, (int64_t)k->bytes, k->kind, DBW_NULL,
	    mem_kind(k->src_kind), mem_kind(k->dst_kind), if_set(k->src_dev),
	    if_set(k->src_ctx), if_set(k->dst_dev), if_set(k->dst_ctx),
	    DBW_NULL, or_null(k->node), DBW_NULL, or_null(k->count));
	dbw_end(&c->db);
}

static void
set_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_set *k = conv_rec(c, ref);

	begin_gpu(c, ref, k->dev, k->ctx, k->stream, k->corr);
	DBW_INTS(&c->db, k->value, (int64_t)k->bytes, or_null(k->node),
	    mem_kind(k->kind));
	dbw_end(&c->db);
}

/* CUPTI names the executable graph; the graph that it was made of is known from
 * its creation. */
static void
graph_run_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_graphrun *k = conv_rec(c, ref);
	const uint64_t *graph = map_get(&c->proc[ref->proc].graphs, k->graph);

	begin_gpu(c, ref, k->dev, k->ctx, k->stream, k->corr);
	DBW_INTS(&c->db, graph != NULL ? (int64_t)*graph : k->graph, k->graph);
	dbw_end(&c->db);
}

/* A call comes before those that it makes. RSPOOL_COVERS: neither it nor the
 * driver's calls in it have a row. */
static void
call_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_call *k = conv_rec(c, ref);
	struct conv_proc *p = &c->proc[ref->proc];
	const uint64_t *end;

	if ((k->rec.flags & RSPOOL_COVERS) != 0) {
		*map_put(&p->covered, k->tid, NULL) = (uint64_t)ref->end;
		return;
	}
	end = k->runtime ? NULL : map_get(&p->covered, k->tid);
	if (end != NULL && ref->end <= (int64_t)*end)
		return;
	DBW_ROW(&c->db, RT_CALLS, ref->start - c->t0, ref->end - c->t0,
	    k->runtime ? 0 : 1, conv_gtid(p, k->tid), k->corr,
	    conv_known(c, &p->calls, (uint64_t)k->runtime << 32 | k->cbid,
		"unknown call"),
	    k->ret);
}

static int64_t
sync_id(uint64_t id)
{
	return id == RSPOOL_UNSET ? DBW_NULL : (int64_t)id;
}

static void
sync_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_sync *k = conv_rec(c, ref);

	begin_gpu(c, ref, 0, k->ctx, k->stream, k->corr);
	DBW_INTS(&c->db, DBW_NULL, k->type, k->event, sync_id(k->sync_id));
	dbw_end(&c->db);
}

static void
event_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_cuevent *k = conv_rec(c, ref);

	DBW_ROW(&c->db, RT_CUDA_EVENT, k->dev, k->ctx, DBW_NULL, k->stream,
	    k->corr, conv_gpid(&c->proc[ref->proc]), k->event,
	    sync_id(k->sync_id));
}

static void
overhead_row(struct conv *c, const struct conv_ref *ref)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} names[] = { { 1, "Compilation" }, { 1 << 16, "Buffer flush" },
		{ 2 << 16, "Instrumentation" }, { 3 << 16, "Resource" },
		{ 4 << 16, "Runtime triggered module loading" },
		{ 5 << 16, "Lazy function loading" },
		{ 6 << 16, "Command buffer full" },
		{ 7 << 16, "Activity buffer request" },
		{ 8 << 16, "UVM activity init" } };
	const struct rspool_overhead *k = conv_rec(c, ref);
	const struct conv_proc *p = &c->proc[ref->proc];
	const char *name = "Unknown";
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].kind == k->kind)
			name = names[i].name;
	DBW_ROW(&c->db, RT_OVERHEAD, ref->start - c->t0, ref->end - c->t0,
	    k->tid != 0 ? conv_gtid(p, k->tid) : DBW_NULL,
	    conv_text(c, name, strlen(name)), 0);
}

static void
node_row(struct conv *c, const struct conv_ref *ref)
{
	static const struct {
		const char *name;
		int64_t class;
	} events[] = { { "Graph Node Creation", 77 },
		{ "GraphExec Creation", 94 }, { "Graph Creation", 95 } };
	const struct rspool_node *k = conv_rec(c, ref);
	bool graph = k->rec.type == RSPOOL_GRAPH;
	int i = !graph ? 0 : k->exec != 0 ? 1 : 2;

	dbw_begin(&c->db, ref->table);
	DBW_INTS(&c->db, ref->start - c->t0, ref->end - c->t0, events[i].class,
	    conv_gtid(&c->proc[ref->proc], k->tid),
	    conv_text(c, events[i].name, strlen(events[i].name)),
	    (int64_t)k->id, or_null(k->original));
	if (graph)
		DBW_INTS(&c->db, or_null(k->exec));
	dbw_end(&c->db);
}

#define RELEASE 2 /* CUPTI's operation; 1 is an allocation */

static void
put_memory(struct conv *c, const struct conv_proc *p,
    const struct rspool_memory *k, int64_t start, uint32_t corr)
{
	const uint64_t *name = map_get(&p->names, k->name);
	bool local = k->pool_type == 1, imported = k->pool_type == 2;
	struct dbw *db = &c->db;
	const char *s = NULL;
	size_t n = 0;

	if (name != NULL && k->name != UINT32_MAX)
		s = smap_str(&c->own, (uint32_t)*name, &n);
	dbw_begin(db, RT_MEMORY);
	DBW_INTS(db, start - c->t0, conv_gpid(p), k->dev, k->ctx,
	    (int64_t)k->address, (int64_t)k->pc, (int64_t)k->bytes,
	    mem_kind(k->kind), k->op == RELEASE ? 1 : 0);
	dbw_text(db, s, n);
	DBW_INTS(db, corr, if_set(k->stream));
	if (local)
		DBW_INTS(db, (int64_t)k->pool, (int64_t)k->threshold,
		    (int64_t)k->size, (int64_t)k->utilized);
	else
		dbw_nulls(db, 4);
	if (imported)
		DBW_INTS(db, (int64_t)k->pool, (int64_t)k->size);
	dbw_end(db);
}

/* Allocations that are there when the recording begins are rows of that time,
 * without a call. */
static void
put_live(struct conv *c, struct conv_proc *p)
{
	size_t n, i;
	uint64_t *at = conv_sorted(&p->live, false, &n);

	for (i = 0; i < n; i++)
		put_memory(
		    c, p, (const void *)(p->file->map + at[i]), p->on, 0);
	free(at);
	map_free(&p->live);
}

static void
memory_row(struct conv *c, const struct conv_ref *ref)
{
	struct conv_proc *p = &c->proc[ref->proc];
	const struct rspool_memory *k = conv_rec(c, ref);
	bool is_new;
	uint64_t *at;

	if (p->on != DBW_NULL && ref->start >= p->on) {
		put_live(c, p);
		put_memory(c, p, k, ref->start, k->corr);
	} else if (k->op == RELEASE) {
		if (map_del(&p->live, k->address))
			c->count[CONV_RELEASED]++;
	} else {
		at = map_put(&p->live, k->address, &is_new);
		if (!is_new) /* its release has no record */
			c->count[CONV_RELEASED]++;
		*at = ref->at;
	}
}

static void
pool_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_pool *k = conv_rec(c, ref);
	const struct conv_proc *p = &c->proc[ref->proc];

	if (p->on == DBW_NULL || ref->start < p->on)
		return;
	DBW_ROW(&c->db, RT_POOLS, ref->start - c->t0, conv_gpid(p), k->dev,
	    (int64_t)k->address, k->op, k->type, k->corr, (int64_t)k->keep,
	    (int64_t)k->threshold, (int64_t)k->size, (int64_t)k->utilized);
}

static void
context_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_context *k = conv_rec(c, ref);

	DBW_ROW(&c->db, RT_CONTEXT, k->null_stream, 0, 1,
	    c->proc[ref->proc].pid, k->dev, k->ctx, k->parent, k->green);
}

static void
stream_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_stream *k = conv_rec(c, ref);

	DBW_ROW(&c->db, RT_STREAM, k->stream, 0, 1, c->proc[ref->proc].pid,
	    k->ctx, k->priority, k->flag);
}

/* Names that programs give to devices and streams. */
static void
label_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_named *r = conv_rec(c, ref);
	struct dbw *db = &c->db;

	dbw_begin(db, ref->table);
	dbw_text(db, r->text, r->len);
	DBW_INTS(db, 0, 1);
	if (r->what == LABEL_STREAM)
		DBW_INTS(db, c->proc[ref->proc].pid,
		    r->dev != UINT32_MAX ? r->dev : 0,
		    r->ctx != UINT32_MAX ? r->ctx : 0);
	DBW_INTS(db, r->id);
	dbw_end(db);
}

static void
note_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_text *r = conv_rec(c, ref);
	struct dbw *db = &c->db;
	bool is_new = false;

	if (r->id >= NOTE_WARNING)
		smap_put(&c->warned, r->text, r->len, &is_new);
	if (is_new)
		warn("process %lld: %.*s", (long long)c->proc[ref->proc].pid,
		    (int)r->len, r->text);
	dbw_begin(db, RT_DIAGNOSTIC);
	DBW_INTS(db, r->t - c->t0, 1 /* on the machine that ran */,
	    1 /* by the library */, r->id);
	dbw_text(db, r->text, r->len);
	DBW_INTS(db, conv_gpid(&c->proc[ref->proc]));
	dbw_end(db);
}

void
conv_rows(struct conv *c)
{
	static void (*const row[RT_TABLES])(
	    struct conv *, const struct conv_ref *) = {
		[RT_NVTX] = conv_nvtx_row,
		[RT_KERNEL] = kernel_row,
		[RT_MEMCPY] = copy_row,
		[RT_MEMSET] = set_row,
		[RT_CALLS] = call_row,
		[RT_SYNC] = sync_row,
		[RT_CUDA_EVENT] = event_row,
		[RT_GRAPH_TRACE] = graph_run_row,
		[RT_NODES] = node_row,
		[RT_GRAPHS] = node_row,
		[RT_MEMORY] = memory_row,
		[RT_POOLS] = pool_row,
		[RT_OVERHEAD] = overhead_row,
		[RT_CONTEXT] = context_row,
		[RT_STREAM] = stream_row,
		[RT_NVTX_DEVICE] = label_row,
		[RT_NVTX_STREAM] = label_row,
		[RT_DIAGNOSTIC] = note_row,
	};
	struct conv_ref ref;
	struct runs_rec rec;
	size_t i;

	while (xsort_next(&c->rows, &rec)) {
		memcpy(&ref, rec.val, sizeof(ref));
		if (row[ref.table] != NULL)
			row[ref.table](c, &ref);
	}
	for (i = 0; i < c->dir.n; i++)
		if (c->proc[i].on != DBW_NULL)
			put_live(c, &c->proc[i]);
	xsort_close(&c->rows);
}
