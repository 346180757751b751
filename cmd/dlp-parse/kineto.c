/*
 * The dialect of torch.profiler's traces. It reads the temporary database that
 * kineto_load() made. An op becomes a range with the text that emit_nvtx would
 * have written for it, so that everything after dlp-parse works alike.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "json_tok.h"
#include "kineto.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "shipped.h"
#include "stage.h"

/* The columns of a source, from 1: col[0] is the row's key. */
enum { K_START = 1, K_DUR };

struct mview
kineto_text(const struct kineto *k, int64_t id)
{
	struct mview v = { "", 0 };

	if (id != EV_UNSET)
		v.s = smap_str(&k->texts, (uint32_t)id, &v.n);
	return v;
}

/* What a source has beside its table and columns. */
static const struct source_of {
	enum ev_kind kind;
	const char *table, *cols;
	row_fn *row;
	int table_no, at; /* at: the column of the row; after corr and pid */
} sources[];

/* Times count from the first event of the file. */
static bool
member_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct source_of *of = &sources[s->tag];
	const struct kineto_col *c = kineto_tables[of->table_no].col;
	const struct kineto *k = ctx;
	int64_t dur = db_value(col[K_DUR]), v;
	int i;

	if (sqlite3_value_type(col[K_START]) != SQLITE_INTEGER) {
		source_bad_row(s);
		return false;
	}
	for (i = 0; c[i].how != R_END; i++) {
		v = kineto_member(col[of->at], i);
		memcpy((char *)ev + c[i].to, &v, sizeof(v));
	}
	ev->start = num_sub(sqlite3_value_int64(col[K_START]), k->first);
	if (dur != EV_UNSET)
		ev->end = num_add(ev->start, dur);
	if (of->at > K_DUR + 1)
		ev->corr = db_value(col[K_DUR + 1]);
	return true;
}

/*
 * NAME, seq = N, op_id = N, sizes = [...]: what emit_nvtx writes (and, of a
 * convolution, the size of the result, which it leaves to input_op_ids; and, of
 * a collective, the types of the inputs, which it leaves out). It gives neither
 * numbers to the ranges of the program nor a sequence number to the frames
 * around backward nodes.
 */
static bool
op_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct kineto *k = ctx;
	struct buf *b = &k->text;
	struct mview name, rest;

	if (!member_row(ctx, s, col, ev))
		return false;
	name = kineto_text(k, ev->name);
	rest = kineto_text(k, ev->corr);
	ev->range = (struct ev_range){ .domain = kineto_text(k, ev->stack).s,
		.end_tid = EV_UNSET,
		.push = true };
	buf_clear(b);
	buf_put(b, name.s, name.n);
	if (strcmp(ev->range.domain, "cpu_op") == 0) {
		if (ev->op >= 0 &&
		    !mv_starts(name, "autograd::engine::evaluate_function: ")) {
			buf_puts(b, ", seq = ");
			buf_i64(b, ev->op);
		}
		if (ev->nth >= 0) {
			buf_puts(b, ", op_id = ");
			buf_i64(b, ev->nth);
		}
		buf_put(b, rest.s, rest.n);
	}
	ev->corr = EV_UNSET;
	ev->text = buf_str(b);
	ev->text_len = (uint32_t)b->len;
	return true;
}

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->call.ret = EV_UNSET;
	ev->pid = db_value(col[K_DUR + 2]);
	return member_row(ctx, s, col, ev);
}

static bool
gpu_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct kineto *k = ctx;

	if (s->kind == EV_KERN)
		ev->gpu.kern.mangled = ev->gpu.kern.dynsmem = EV_UNSET;
	if (s->kind == EV_SET)
		ev->gpu.set.value = EV_UNSET;
	ev->gpu.node = k->graph.any && s->kind != EV_SYNC
			   ? db_value(col[K_DUR + 3])
			   : EV_UNSET;
	return member_row(ctx, s, col, ev);
}

/* What a table of vocab.tab has for it. */
static const char *
known_word(const char *table, struct mview v)
{
	return vocab_find(table, v.s, v.n).s;
}

/* What stands between from and to in v, at which *v is moved behind to. */
static struct mview
between(struct mview *v, const char *from, const char *to)
{
	const char *a = mv_find(*v, from), *b;
	struct mview rest, none = { "", 0 };

	if (a == NULL)
		return none;
	rest = mv(a + strlen(from), v->s + v->n);
	b = mv_find(rest, to);
	if (b == NULL)
		return none;
	*v = mv(b, v->s + v->n);
	return mv(rest.s, b);
}

/* Memcpy HtoD (Pageable -> Device): the kind, and where from and to. */
static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct mview v;

	if (!gpu_row(ctx, s, col, ev))
		return false;
	v = kineto_text(ctx, ev->name);
	ev->name = EV_UNSET;
	ev->gpu.copy.kind = known_word("copy", between(&v, " ", " "));
	ev->gpu.copy.src_mem = known_word("memory", between(&v, "(", " -> "));
	ev->gpu.copy.dst_mem = known_word("memory", between(&v, " -> ", ")"));
	return true;
}

/* -1, or 2^32 - 1: a call was about no stream or event. */
static int64_t
unless_none(int64_t v)
{
	return v == -1 || v == UINT32_MAX ? EV_UNSET : v;
}

static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!gpu_row(ctx, s, col, ev))
		return false;
	ev->gpu.sync.kind = known_word("sync", kineto_text(ctx, ev->name));
	ev->name = EV_UNSET;
	ev->gpu.stream = unless_none(ev->gpu.stream);
	ev->gpu.sync.event = unless_none(ev->gpu.sync.event);
	return true;
}

/* A CUDA event is recorded when its call says so. */
static bool
record_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!member_row(ctx, s, col, ev))
		return false;
	ev->pid = db_value(col[K_DUR + 2]);
	ev->tid = kineto_member(col[K_DUR + 3], CALL_TID);
	ev->event.stream = unless_none(ev->event.stream);
	ev->event.event = unless_none(ev->event.event);
	return true;
}

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!member_row(ctx, s, col, ev))
		return false;
	ev->mem.op = ev->mem.bytes < 0 ? "free" : "alloc";
	if (ev->mem.bytes != EV_UNSET && ev->mem.bytes < 0)
		ev->mem.bytes = -ev->mem.bytes;
	ev->mem.corr = ev->mem.pool = EV_UNSET;
	return true;
}

static bool
node_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->node.orig = EV_UNSET;
	return member_row(ctx, s, col, ev);
}

static bool
sample_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	ev->label = "python";
	return member_row(ctx, s, col, ev);
}

#define CALL "ts, dur, corr, pid, row"
#define GPU "ts, dur, corr, row, node"
#define OTHER "ts, dur, row"
static const struct source_of sources[] = {
	{ EV_RANGE, "kineto_op", OTHER, op_row, T_OP, 3 },
	{ EV_CALL, "kineto_call", CALL, call_row, T_CALL, 5 },
	{ EV_KERN, "kineto_kern", GPU, gpu_row, T_KERN, 4 },
	{ EV_COPY, "kineto_copy", GPU, copy_row, T_COPY, 4 },
	{ EV_SET, "kineto_set", GPU, gpu_row, T_SET, 4 },
	{ EV_SYNC, "kineto_sync", "ts, dur, corr, row", sync_row, T_SYNC, 4 },
	{ EV_MEM, "kineto_mem", OTHER, mem_row, T_MEM, 3 },
	{ EV_OVER, "kineto_over", OTHER, member_row, T_OVER, 3 },
	{ EV_NODE, "kineto_node", "ts, NULL, row", node_row, T_NODE, 3 },
	{ EV_SAMPLE, "kineto_sample", OTHER, sample_row, T_SAMPLE, 3 },
	/* the records of CUDA events, with their calls */
	{ EV_EVENT, "kineto_event", "c.ts, NULL, c.corr, c.pid, c.row, e.row",
	    record_row, T_EVENT, 6 },
};

static void *
kineto_open(struct profile *p)
{
	struct kineto *k = p->kineto;
	const struct source_of *of;
	struct ev_source *s;

	k->prof = p;
	for (of = sources; of < sources + ARRAY_LEN(sources); of++) {
		if (of->kind == EV_EVENT &&
		    db_number(p->db, "SELECT 1 FROM kineto_event LIMIT 1") != 1)
			continue;
		s = source_add(&p->sources, of->kind, of->table, of->row);
		s->tag = (int)(of - sources);
		s->from = of->table;
		s->cols = of->cols;
		s->start = "ts";
		if (of->kind != EV_MEM && of->kind != EV_NODE)
			s->end = "ts + dur";
		s->gid = of->kind == EV_CALL ? "pid" : NULL;
		if (of->kind == EV_CALL || EV_IS_GPU(of->kind))
			s->corr = "corr";
		s->unordered = true;
		if (of->kind != EV_EVENT)
			continue;
		s->keyless = true;
		s->from = "kineto_call AS c CROSS JOIN kineto_event AS e"
			  " ON e.corr = c.corr";
		s->key = "c.rowid";
		s->start = "c.ts";
		s->end = NULL;
	}
	return k;
}

static bool
kineto_string(void *ctx, int64_t id, struct buf *out)
{
	struct mview v = kineto_text(ctx, id);

	buf_put(out, v.s, v.n);
	return true;
}

/* Facts. */

/* only: the number by which work calls it; EV_UNSET: its own. */
static void
put_device(struct kineto *k, struct mview text, int64_t only)
{
	struct json_doc d = { 0 };
	struct buf name = { 0 };
	struct dev_fact f = { 0 };
	int i;

	f.clock_hz = f.membw_bytes_s = EV_UNSET;
	if (json_parse(&d, text.s, text.n, 4096) &&
	    json_type(&d, 0) == JSON_OBJECT) {
		f.dev = fact_member(&d, "id");
		if (only != EV_UNSET)
			f.dev = only;
		f.cc_major = fact_member(&d, "computeMajor");
		f.cc_minor = fact_member(&d, "computeMinor");
		f.n_sm = fact_member(&d, "numSms");
		f.mem_bytes = fact_member(&d, "totalGlobalMem");
		if ((i = json_get(&d, 0, "name")) > 0) {
			json_unescape(&d, i, &name);
			f.name = name.len > 0 ? buf_str(&name) : NULL;
		}
		if (f.dev != EV_UNSET)
			fact_dev(k->prof, &f);
	}
	buf_free(&name);
	json_free(&d);
}

/* What torch.profiler was told to record, and what that slows down. */
static void
put_options(const struct kineto *k, const struct mview *head)
{
	struct buf b = { 0 };

	fact_info(k->prof, "activities", "%s%s", k->ops ? "CPU" : "",
	    k->dev == EV_UNSET ? ""
	    : k->ops           ? ",CUDA"
			       : "CUDA");
	if (k->serving)
		fact_info(k->prof, "serving", "yes");
	if (mv_eq(head[KH_SHAPES], "1"))
		buf_puts(&b, ", record_shapes");
	if (mv_eq(head[KH_MEMORY], "1"))
		buf_puts(&b, ", profile_memory");
	if (mv_eq(head[KH_STACK], "1") || k->frames)
		buf_puts(&b, ", with_stack");
	if (b.len > 0)
		fact_info(k->prof, "profiler_options", "%s", buf_str(&b) + 2);
	buf_free(&b);
}

static void
put_heads(struct kineto *k)
{
	static const struct {
		int head;
		const char *fact;
	} versions[] = { { KH_CUDA, "cuda" }, { KH_HIP, "hip" } };
	struct mview v[KH_N];
	struct json_doc d = { 0 };
	int64_t n;
	size_t i;

	for (i = 0; i < KH_N; i++)
		v[i] = mv(buf_str(&k->head[i]),
		    buf_str(&k->head[i]) + k->head[i].len);
	if (num_i64(v[KH_SCHEMA].s, v[KH_SCHEMA].n, &n))
		fact_info(k->prof, "schema", "%lld", (long long)n);
	/* CUDA: 12040 is 12.4. HIP: 60443483 is 6.4. */
	for (i = 0; i < ARRAY_LEN(versions); i++) {
		if (!num_i64(v[versions[i].head].s, v[versions[i].head].n, &n))
			continue;
		if (n >= 1000 && n < 1000000)
			fact_info(k->prof, versions[i].fact, "%d.%d",
			    (int)(n / 1000), (int)(n % 1000 / 10));
		else if (n >= 1000000 && n < 1000000000)
			fact_info(k->prof, versions[i].fact, "%d.%d",
			    (int)(n / 10000000), (int)(n % 10000000 / 100000));
	}
	if (json_parse(&d, v[KH_RANK].s, v[KH_RANK].n, 1u << 16)) {
		if ((n = fact_member(&d, "rank")) != EV_UNSET)
			fact_info(k->prof, "rank", "%lld", (long long)n);
		if ((n = fact_member(&d, "world_size")) != EV_UNSET)
			fact_info(k->prof, "world_size", "%lld", (long long)n);
	}
	put_options(k, v);
	json_free(&d);
}

static int
by_thread(const void *a, const void *b)
{
	const struct kineto_thread *x = a, *y = b;

	return CMP2(x, y, pid, tid);
}

/* Names of the processes and threads that have calls. */
static void
put_names(struct kineto *k)
{
	const struct kineto_thread *t = k->callers, *e = t + k->ncallers;
	int64_t last = EV_UNSET;
	uint64_t *name;
	uint32_t i;

	if (k->ncallers > 0)
		qsort(k->callers, k->ncallers, sizeof(*t), by_thread);
	for (; t < e; t++) {
		name = map_get(&k->procs, (uint64_t)t->pid);
		if (t->pid != last && name != NULL)
			fact_proc(k->prof, t->pid,
			    kineto_text(k, (int64_t)*name - 1).s);
		last = t->pid;
		i = smap_find_pair(&k->threads, t->pid, t->tid);
		if (i != SMAP_NONE)
			fact_thread(k->prof, t->pid, t->tid,
			    kineto_text(k, (int64_t)k->threads.val[i]).s,
			    EV_UNSET);
	}
}

/* NULL: unknown. Old traces do not name the GPUs. */
static const char *
vendor_of(struct kineto *k)
{
	static const char *const calls[][2] = { { "hipLaunchKernel", "amd" },
		{ "hipModuleLaunchKernel", "amd" },
		{ "hipExtModuleLaunchKernel", "amd" },
		{ "hipMemcpyAsync", "amd" }, { "cudaLaunchKernel", "nvidia" },
		{ "cudaMemcpyAsync", "nvidia" },
		{ "cuLaunchKernel", "nvidia" } };
	struct mview v;
	uint32_t i;

	for (i = 0; i < k->devs.n; i++) {
		v.s = smap_str(&k->devs, i, &v.n);
		if (mv_find(v, "\"AMD ") != NULL)
			return "amd";
	}
	if (k->head[KH_HIP].len > 0 || k->head[KH_HIP_DRIVER].len > 0)
		return "amd";
	for (i = 0; i < ARRAY_LEN(calls); i++)
		if ((calls[i][1][0] == 'a' || k->devs.n == 0) &&
		    smap_find(&k->texts, calls[i][0], strlen(calls[i][0])) !=
			SMAP_NONE)
			return calls[i][1];
	return NULL;
}

static void
kineto_facts(void *ctx)
{
	struct kineto *k = ctx;
	/* ROCm numbers the GPUs of the machine where work is, and the visible
	 * ones where their properties are. If there is one of each, they are
	 * the same; then this is the number that work has. */
	int64_t only = k->devs.n == 1 && !k->many_devs ? k->dev : EV_UNSET;
	const char *vendor = vendor_of(k);
	uint32_t i;
	struct mview v;

	if (k->first != EV_UNSET)
		fact_info(k->prof, "t0_ns", "%lld",
		    (long long)num_add(
			k->base != EV_UNSET ? k->base : 0, k->first));
	put_heads(k);
	if (k->group > 0)
		fact_info(k->prof, "group_size", "%lld", (long long)k->group);
	else if (k->group == 0)
		fact_info(k->prof, "group_size", "mixed");
	if (k->groups)
		fact_info(k->prof, "process_groups", "yes");
	if (vendor != NULL)
		fact_info(k->prof, "vendor", "%s", vendor);
	for (i = 0; i < k->devs.n; i++) {
		v.s = smap_str(&k->devs, i, &v.n);
		put_device(k, v, only);
	}
	put_names(k);
}

static const char *
kineto_option(enum ev_kind kind)
{
	switch (kind) {
	case EV_KERN:
		return "activities=[ProfilerActivity.CPU,"
		       " ProfilerActivity.CUDA]";
	case EV_RANGE:
		return "activities=[ProfilerActivity.CPU, ...]";
	case EV_MEM:
		return "profile_memory=True";
	default:
		return NULL;
	}
}

static void
kineto_notes(void *ctx)
{
	struct kineto *k = ctx;

	stage_note("bad_events", k->bad);
	stage_note("no_duration", k->no_dur);
	stage_note("other_events", k->other);
	stage_note("lists_without_sizes", k->lists);
	stage_note("graphs_without_capture", k->graph.unknown);
	stage_note("graphs_of_several_captures", k->graph.several);
	stage_note("broken_places", k->breaks);
	stage_note("broken_bytes", k->lost);
	stage_note("damaged_packets", k->damaged);
	stage_note("dropped_packets", k->dropped);
	stage_note("ends_without_begin", k->no_begin);
}

const struct dialect dialect_kineto = {
	.name = "kineto",
	.open = kineto_open,
	.close = kineto_free,
	.facts = kineto_facts,
	.string = kineto_string,
	.notes = kineto_notes,
	.has_code = kineto_has_code,
	.code = kineto_code,
	.stack = kineto_frames,
	.option = kineto_option,
	.allocator = true,
};
