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

static bool
is_node(const struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_rec *r = conv_rec(c, ref);

	switch (r->type) {
	case RSPOOL_KERNEL:
		return ((const struct rspool_kernel *)r)->node != 0;
	case RSPOOL_COPY:
		return ((const struct rspool_copy *)r)->node != 0;
	case RSPOOL_SET:
		return ((const struct rspool_set *)r)->node != 0;
	default:
		return false;
	}
}

/* Work of one stream is done in order, so an end after the next start is wrong.
 * CUPTI gives one such end in each process that captures a graph. */
static void
cut_end(struct conv *c, struct conv_ref *ref, const struct conv_ref *next)
{
	if (ref->end <= next->start)
		return;
	if (ref->end - next->start > GRAPH_OVERLAP && is_node(c, ref) &&
	    is_node(c, next))
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

/* 0 means that there is none. */
static int64_t
some(uint64_t v)
{
	return v != 0 ? (int64_t)v : RECDB_NULL;
}

static int64_t
if_set(uint32_t v)
{
	return v != UINT32_MAX ? (int64_t)v : RECDB_NULL;
}

/* CUPTI's memory kinds begin with one that nsys has last. */
static int64_t
mem_kind(uint32_t kind)
{
	return kind > 0 && kind < 8 ? (int64_t)kind - 1 : 7;
}

/* The columns that all work has. */
static void
gpu_columns(struct conv *c, const struct conv_ref *ref, enum recdb_table t,
    uint32_t dev, uint32_t ctx, uint32_t stream, uint32_t corr)
{
	struct recdb *db = &c->db;

	recdb_begin(db, t);
	recdb_i64(db, ref->start - c->t0);
	recdb_i64(db, ref->end - c->t0);
	recdb_i64(db, dev);
	recdb_i64(db, ctx);
	recdb_i64(db, RECDB_NULL); /* greenContextId */
	recdb_i64(db, stream);
	recdb_i64(db, corr);
	recdb_i64(db, conv_gpid(&c->proc[ref->proc]));
}

static void
kernel_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_kernel *k = conv_rec(c, ref);
	struct conv_proc *p = &c->proc[ref->proc];
	int64_t mangled, full, brief;
	struct recdb *db = &c->db;
	int i;

	mangled = conv_known(c, &p->names, k->name, "unknown kernel");
	conv_kernel_name(c, mangled, &full, &brief);
	gpu_columns(c, ref, RT_KERNEL, k->dev, k->ctx, k->stream, k->corr);
	recdb_i64(db, full);
	recdb_i64(db, brief);
	recdb_i64(db, mangled);
	recdb_i64(db, k->launch != UINT8_MAX ? k->launch + 1 : RECDB_NULL);
	recdb_i64(db, (k->cache >> 4) + 1);
	recdb_i64(db, k->registers);
	for (i = 0; i < 3; i++)
		recdb_i64(db, k->grid[i]);
	for (i = 0; i < 3; i++)
		recdb_i64(db, k->block[i]);
	recdb_i64(db, k->shared_static);
	recdb_i64(db, k->shared_dynamic);
	recdb_i64(db, k->local_thread);
	recdb_i64(db, (int64_t)k->local_total);
	recdb_i64(db, k->grid_id);
	recdb_i64(db, if_set(k->shared_executed));
	recdb_i64(db, some(k->node));
	recdb_i64(db, if_set(k->limit));
	recdb_end(db);
}

static void
copy_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_copy *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	gpu_columns(c, ref, RT_MEMCPY, k->dev, k->ctx, k->stream, k->corr);
	recdb_i64(db, (int64_t)k->bytes);
	recdb_i64(db, k->kind);
	recdb_i64(db, RECDB_NULL);
	recdb_i64(db, mem_kind(k->src_kind));
	recdb_i64(db, mem_kind(k->dst_kind));
	recdb_i64(db, if_set(k->src_dev));
	recdb_i64(db, if_set(k->src_ctx));
	recdb_i64(db, if_set(k->dst_dev));
	recdb_i64(db, if_set(k->dst_ctx));
	recdb_i64(db, RECDB_NULL);
	recdb_i64(db, some(k->node));
	recdb_i64(db, RECDB_NULL);
	recdb_i64(db, some(k->count));
	recdb_end(db);
}

static void
set_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_set *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	gpu_columns(c, ref, RT_MEMSET, k->dev, k->ctx, k->stream, k->corr);
	recdb_i64(db, k->value);
	recdb_i64(db, (int64_t)k->bytes);
	recdb_i64(db, some(k->node));
	recdb_i64(db, mem_kind(k->kind));
	recdb_end(db);
}

/* CUPTI names the executable graph; the graph that it was made of is known from
 * its creation. */
static void
graph_run_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_graphrun *k = conv_rec(c, ref);
	const uint64_t *graph = map_get(&c->proc[ref->proc].graphs, k->graph);
	struct recdb *db = &c->db;

	gpu_columns(c, ref, RT_GRAPH_TRACE, k->dev, k->ctx, k->stream, k->corr);
	recdb_i64(db, graph != NULL ? (int64_t)*graph : k->graph);
	recdb_i64(db, k->graph);
	recdb_end(db);
}

/* A call comes before those that it makes. */
static bool
is_covered(struct conv_proc *p, const struct rspool_call *k,
    const struct conv_ref *ref)
{
	const uint64_t *end;

	if ((k->rec.flags & RSPOOL_COVERS) != 0) {
		*map_put(&p->covered, k->tid, NULL) = (uint64_t)ref->end;
		return true;
	}
	end = k->runtime ? NULL : map_get(&p->covered, k->tid);
	return end != NULL && ref->end <= (int64_t)*end;
}

static void
call_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_call *k = conv_rec(c, ref);
	struct conv_proc *p = &c->proc[ref->proc];
	struct recdb *db = &c->db;

	if (is_covered(p, k, ref))
		return;
	recdb_begin(db, RT_CALLS);
	recdb_i64(db, ref->start - c->t0);
	recdb_i64(db, ref->end - c->t0);
	recdb_i64(db, k->runtime ? 0 : 1);
	recdb_i64(db, conv_gtid(p, k->tid));
	recdb_i64(db, k->corr);
	recdb_i64(
	    db, conv_known(c, &p->calls, (uint64_t)k->runtime << 32 | k->cbid,
		    "unknown call"));
	recdb_i64(db, k->ret);
	recdb_end(db);
}

static void
sync_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_sync *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	gpu_columns(c, ref, RT_SYNC, 0, k->ctx, k->stream, k->corr);
	recdb_i64(db, RECDB_NULL);
	recdb_i64(db, k->type);
	recdb_i64(db, k->event);
	recdb_i64(
	    db, k->sync_id == RSPOOL_UNSET ? RECDB_NULL : (int64_t)k->sync_id);
	recdb_end(db);
}

static void
event_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_cuevent *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	recdb_begin(db, RT_CUDA_EVENT);
	recdb_i64(db, k->dev);
	recdb_i64(db, k->ctx);
	recdb_i64(db, RECDB_NULL);
	recdb_i64(db, k->stream);
	recdb_i64(db, k->corr);
	recdb_i64(db, conv_gpid(&c->proc[ref->proc]));
	recdb_i64(db, k->event);
	recdb_i64(
	    db, k->sync_id == RSPOOL_UNSET ? RECDB_NULL : (int64_t)k->sync_id);
	recdb_end(db);
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
	struct recdb *db = &c->db;
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].kind == k->kind)
			name = names[i].name;
	recdb_begin(db, RT_OVERHEAD);
	recdb_i64(db, ref->start - c->t0);
	recdb_i64(db, ref->end - c->t0);
	recdb_i64(db, k->tid != 0 ? conv_gtid(p, k->tid) : RECDB_NULL);
	recdb_i64(db, conv_text(c, name, strlen(name)));
	recdb_i64(db, 0);
	recdb_end(db);
}

static void
node_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_node *k = conv_rec(c, ref);
	bool graph = k->rec.type == RSPOOL_GRAPH;
	const char *name = !graph         ? "Graph Node Creation"
			   : k->exec != 0 ? "GraphExec Creation"
					  : "Graph Creation";
	struct recdb *db = &c->db;

	recdb_begin(db, graph ? RT_GRAPHS : RT_NODES);
	recdb_i64(db, ref->start - c->t0);
	recdb_i64(db, ref->end - c->t0);
	recdb_i64(db, !graph ? 77 : k->exec != 0 ? 94 : 95);
	recdb_i64(db, conv_gtid(&c->proc[ref->proc], k->tid));
	recdb_i64(db, conv_text(c, name, strlen(name)));
	recdb_i64(db, (int64_t)k->id);
	recdb_i64(db, some(k->original));
	if (graph)
		recdb_i64(db, some(k->exec));
	recdb_end(db);
}

#define RELEASE 2 /* CUPTI's operation; 1 is an allocation */

static void
put_memory(struct conv *c, const struct conv_proc *p,
    const struct rspool_memory *k, int64_t start, uint32_t corr)
{
	const uint64_t *name = map_get(&p->names, k->name);
	bool local = k->pool_type == 1, imported = k->pool_type == 2;
	struct recdb *db = &c->db;
	const char *s = NULL;
	size_t n = 0;

	if (name != NULL && k->name != UINT32_MAX)
		s = smap_str(&c->own, (uint32_t)*name, &n);
	recdb_begin(db, RT_MEMORY);
	recdb_i64(db, start - c->t0);
	recdb_i64(db, conv_gpid(p));
	recdb_i64(db, k->dev);
	recdb_i64(db, k->ctx);
	recdb_i64(db, (int64_t)k->address);
	recdb_i64(db, (int64_t)k->pc);
	recdb_i64(db, (int64_t)k->bytes);
	recdb_i64(db, mem_kind(k->kind));
	recdb_i64(db, k->op == RELEASE ? 1 : 0);
	recdb_text(db, s, n);
	recdb_i64(db, corr);
	recdb_i64(db, if_set(k->stream));
	recdb_i64(db, local ? (int64_t)k->pool : RECDB_NULL);
	recdb_i64(db, local ? (int64_t)k->threshold : RECDB_NULL);
	recdb_i64(db, local ? (int64_t)k->size : RECDB_NULL);
	recdb_i64(db, local ? (int64_t)k->utilized : RECDB_NULL);
	recdb_i64(db, imported ? (int64_t)k->pool : RECDB_NULL);
	recdb_i64(db, imported ? (int64_t)k->size : RECDB_NULL);
	recdb_end(db);
}

static int
by_place(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* Allocations that are there when the recording begins are rows of that time,
 * without a call. */
static void
put_live(struct conv *c, struct conv_proc *p)
{
	uint64_t *at, key;
	size_t it = 0, n = 0, i;

	if (p->live.n == 0)
		return;
	at = xcalloc(p->live.n, sizeof(*at));
	while (n < p->live.n && map_next(&p->live, &it, &key, &at[n]))
		n++;
	qsort(at, n, sizeof(*at), by_place);
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

	if (p->on != RECDB_NULL && ref->start >= p->on) {
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
	struct recdb *db = &c->db;

	if (p->on == RECDB_NULL || ref->start < p->on)
		return;

	recdb_begin(db, RT_POOLS);
	recdb_i64(db, ref->start - c->t0);
	recdb_i64(db, conv_gpid(p));
	recdb_i64(db, k->dev);
	recdb_i64(db, (int64_t)k->address);
	recdb_i64(db, k->op);
	recdb_i64(db, k->type);
	recdb_i64(db, k->corr);
	recdb_i64(db, (int64_t)k->keep);
	recdb_i64(db, (int64_t)k->threshold);
	recdb_i64(db, (int64_t)k->size);
	recdb_i64(db, (int64_t)k->utilized);
	recdb_end(db);
}

static void
context_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_context *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	recdb_begin(db, RT_CONTEXT);
	recdb_i64(db, k->null_stream);
	recdb_i64(db, 0);
	recdb_i64(db, 1);
	recdb_i64(db, c->proc[ref->proc].pid);
	recdb_i64(db, k->dev);
	recdb_i64(db, k->ctx);
	recdb_i64(db, k->parent);
	recdb_i64(db, k->green);
	recdb_end(db);
}

static void
stream_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_stream *k = conv_rec(c, ref);
	struct recdb *db = &c->db;

	recdb_begin(db, RT_STREAM);
	recdb_i64(db, k->stream);
	recdb_i64(db, 0);
	recdb_i64(db, 1);
	recdb_i64(db, c->proc[ref->proc].pid);
	recdb_i64(db, k->ctx);
	recdb_i64(db, k->priority);
	recdb_i64(db, k->flag);
	recdb_end(db);
}

/* Names that programs give to devices and streams. */
static void
label_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_named *r = conv_rec(c, ref);
	bool stream = r->what == LABEL_STREAM;
	struct recdb *db = &c->db;

	recdb_begin(db, stream ? RT_NVTX_STREAM : RT_NVTX_DEVICE);
	recdb_text(db, r->text, r->len);
	recdb_i64(db, 0);
	recdb_i64(db, 1);
	if (stream) {
		recdb_i64(db, c->proc[ref->proc].pid);
		recdb_i64(db, r->dev != UINT32_MAX ? r->dev : 0);
		recdb_i64(db, r->ctx != UINT32_MAX ? r->ctx : 0);
	}
	recdb_i64(db, r->id);
	recdb_end(db);
}

static void
note_row(struct conv *c, const struct conv_ref *ref)
{
	const struct rspool_text *r = conv_rec(c, ref);
	struct recdb *db = &c->db;
	bool is_new = false;

	if (r->id >= NOTE_WARNING)
		smap_put(&c->warned, r->text, r->len, &is_new);
	if (is_new)
		warn("process %lld: %.*s", (long long)c->proc[ref->proc].pid,
		    (int)r->len, r->text);
	recdb_begin(db, RT_DIAGNOSTIC);
	recdb_i64(db, r->t - c->t0);
	recdb_i64(db, 1); /* on the machine that ran */
	recdb_i64(db, 1); /* by the library */
	recdb_i64(db, r->id);
	recdb_text(db, r->text, r->len);
	recdb_i64(db, conv_gpid(&c->proc[ref->proc]));
	recdb_end(db);
}

void
conv_rows(struct conv *c)
{
	static void (*const row[RECDB_TABLES])(
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
		if (c->proc[i].on != RECDB_NULL)
			put_live(c, &c->proc[i]);
	xsort_close(&c->rows);
}
