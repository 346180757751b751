/*
 * The events of a trace become rows of a temporary database, which SQLite keeps
 * in a file. A row has columns for what SQL is asked for, and the members of
 * struct event that its table lists in one value, as they are in memory. Texts
 * that repeat (names, lists of sizes) are numbers there. Times are ns.
 */
#include <string.h>

#include "array.h"
#include "err.h"
#include "kernname.h"
#include "kineto.h"
#include "num.h"
#include "serving.h"

static const char schema[] =
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
    "CREATE TABLE kineto_op (ts, dur, row);"
    "CREATE TABLE kineto_call (ts, dur, corr, pid, row);"
    "CREATE TABLE kineto_kern (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_copy (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_set (ts, dur, corr, row, node);"
    "CREATE TABLE kineto_sync (ts, dur, corr, row);"
    "CREATE TABLE kineto_event (corr INTEGER PRIMARY KEY ON CONFLICT IGNORE,"
    " row);"
    "CREATE TABLE kineto_mem (ts, dur, row);"
    "CREATE TABLE kineto_over (ts, dur, row);"
    "CREATE TABLE kineto_code (ts, dur, row);"
    "CREATE TABLE kineto_sample (ts, dur, row);"
    "CREATE TABLE kineto_node (ts, row);";

/* ?1 to ?5: start, length, correlation id, process, row. */
#define GPU_ROW "(ts, dur, corr, row) VALUES (?1,?2,?3,?5)"
#define DEVICE                                                                 \
	{ R_EITHER, KF_DEVICE, KF_PID, AT(gpu.dev) },                          \
	    { R_INT, KF_CONTEXT, 0, AT(gpu.ctx) },                             \
	{                                                                      \
		R_EITHER, KF_STREAM, KF_TID, AT(gpu.stream)                    \
	}
#define THREAD                                                                 \
	{ R_PID, 0, 0, AT(pid) },                                              \
	{                                                                      \
		R_TID, 0, 0, AT(tid)                                           \
	}
#define OP                                                                     \
	THREAD, { R_DOMAIN, 0, 0, AT(stack) }, { R_ID, KF_NAME, 0, AT(name) }, \
	    { R_INT, KF_SEQ, 0, AT(op) },                                      \
	    { R_EITHER, KF_EV_IDX, KF_EXT, AT(nth) },                          \
	    { R_OP_TEXT, 0, 0, AT(corr) },                                     \
	{                                                                      \
		R_INT, KF_PY_THREAD, 0, AT(range.level)                        \
	}
#define EVENT(on, no)                                                          \
	{ R_EITHER, KF_DEVICE, KF_PID, AT(event.dev) },                        \
	    { R_INT, KF_CONTEXT, 0, AT(event.ctx) },                           \
	    { R_INT, on, 0, AT(event.stream) },                                \
	{                                                                      \
		R_INT, no, 0, AT(event.event)                                  \
	}

const struct kineto_table kineto_tables[T_N] = {
	[T_OP] = { "kineto_op VALUES (?1,?2,?5)", 0, { OP } },
	[T_CALL] = { "kineto_call VALUES (?1,?2,?3,?4,?5)", KF_CORR,
	    { { R_TID, 0, 0, AT(tid) }, { R_ID, KF_NAME, 0, AT(name) },
		{ R_ID, KF_KERNEL, 0, AT(stack) } } },
	[T_KERN] = { "kineto_kern " GPU_ROW, KF_CORR,
	    { DEVICE, { R_ID, KF_NAME, 0, AT(name) },
		{ R_SHORT, KF_NAME, 0, AT(gpu.kern.short_name) },
		{ R_ELEMENT, KF_GRID, 0, AT(gpu.kern.grid[0]) },
		{ R_ELEMENT, KF_GRID, 1, AT(gpu.kern.grid[1]) },
		{ R_ELEMENT, KF_GRID, 2, AT(gpu.kern.grid[2]) },
		{ R_ELEMENT, KF_BLOCK, 0, AT(gpu.kern.block[0]) },
		{ R_ELEMENT, KF_BLOCK, 1, AT(gpu.kern.block[1]) },
		{ R_ELEMENT, KF_BLOCK, 2, AT(gpu.kern.block[2]) },
		{ R_INT, KF_REGS, 0, AT(gpu.kern.regs) },
		{ R_INT, KF_SMEM, 0, AT(gpu.kern.smem) },
		{ R_INT, KF_OCCUPANCY, 0, AT(gpu.kern.occupancy) } } },
	[T_COPY] = { "kineto_copy " GPU_ROW, KF_CORR,
	    { DEVICE, { R_COPY, KF_NAME, 0, AT(name) },
		{ R_INT, KF_BYTES, 0, AT(gpu.copy.bytes) } } },
	[T_SET] = { "kineto_set " GPU_ROW, KF_CORR,
	    { DEVICE, { R_INT, KF_BYTES, 0, AT(gpu.set.bytes) } } },
	[T_SYNC] = { "kineto_sync VALUES (?1,?2,?3,?5)", KF_CORR,
	    { DEVICE, { R_ID, KF_SYNC_KIND, 0, AT(name) },
		{ R_INT, KF_SYNC_EVENT, 0, AT(gpu.sync.event) } } },
	/* the record of an event; and as a wait names it */
	[T_EVENT] = { "kineto_event VALUES (?3,?5)", KF_CORR,
	    { EVENT(KF_STREAM, KF_EVENT) } },
	[T_WAITED] = { "kineto_event VALUES (?3,?5)", KF_SYNC_RECORD,
	    { EVENT(KF_SYNC_STREAM, KF_SYNC_EVENT) } },
	[T_MEM] = { "kineto_mem VALUES (?1,?2,?5)", 0,
	    { { R_INT, KF_PID, 0, AT(pid) }, { R_INT, KF_TID, 0, AT(tid) },
		{ R_INT, KF_DEV_ID, 0, AT(mem.dev) },
		{ R_INT, KF_MEM_BYTES, 0, AT(mem.bytes) },
		{ R_INT, KF_ADDR, 0, AT(mem.addr) },
		{ R_INT, KF_ALLOCATED, 0, AT(mem.used) },
		{ R_INT, KF_RESERVED, 0, AT(mem.pool_bytes) } } },
	[T_OVER] = { "kineto_over VALUES (?1,?2,?5)", 0,
	    { THREAD, { R_ID, KF_NAME, 0, AT(name) } } },
	[T_CODE] = { "kineto_code VALUES (?1,?2,?5)", 0,
	    { THREAD, { R_PLACE, 0, 0, AT(stack) } } },
	/* their rows are made of others, see kineto_insert() */
	[T_NODE] = { "kineto_node VALUES (?1,?5)", 0,
	    { THREAD, { R_INT, 0, 0, AT(node.node) } } },
	[T_SAMPLE] = { "kineto_sample VALUES (?1,?2,?5)", 0,
	    { THREAD, { R_INT, 0, 0, AT(stack) } } },
};

void
kineto_ok(const struct kineto *k, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		die("a temporary database (set TMPDIR to a larger place): %s",
		    sqlite3_errmsg(k->db));
}

void
kineto_sql(const struct kineto *k, const char *sql)
{
	kineto_ok(k, sqlite3_exec(k->db, sql, NULL, NULL, NULL));
}

sqlite3_stmt *
kineto_inserter(const struct kineto *k, int table)
{
	struct buf b = { 0 };
	sqlite3_stmt *st;

	buf_printf(&b, "INSERT INTO %s", kineto_tables[table].insert);
	kineto_ok(k, sqlite3_prepare_v2(k->db, buf_str(&b), -1, &st, NULL));
	buf_free(&b);
	return st;
}

void
kineto_run(const struct kineto *k, sqlite3_stmt *st)
{
	kineto_ok(k, sqlite3_step(st));
	kineto_ok(k, sqlite3_reset(st));
}

void
kineto_insert(const struct kineto *k, sqlite3_stmt *st, const int64_t *col,
    int ncol, const int64_t *row, int n)
{
	int32_t small[ARRAY_LEN(kineto_tables->col)];
	int64_t wide[ARRAY_LEN(kineto_tables->col) + 1];
	int i, size = n * (int)sizeof(*small);

	for (i = 0; i < ncol; i++)
		kineto_ok(k, col[i] == EV_UNSET
				 ? sqlite3_bind_null(st, i + 1)
				 : sqlite3_bind_int64(st, i + 1, col[i]));
	for (i = 0; i < n; i++) {
		if (row[i] != EV_UNSET &&
		    (row[i] <= INT32_MIN || row[i] > INT32_MAX))
			break;
		small[i] = row[i] != EV_UNSET ? (int32_t)row[i] : INT32_MIN;
	}
	if (i < n) {
		memcpy(wide, row, (size_t)n * sizeof(*row));
		size = n * (int)sizeof(*row) + 1;
	}
	kineto_ok(
	    k, sqlite3_bind_blob(st, 5, i < n ? (const void *)wide : small,
		   size, SQLITE_STATIC));
	kineto_run(k, st);
}

void
kineto_rows_open(struct kineto_loader *l)
{
	int t;

	if (l->capture == EV_UNSET)
		kineto_sql(l->k, schema);
	kineto_sql(l->k, "BEGIN");
	for (t = 0; t < T_NODE; t++)
		l->insert[t] = kineto_inserter(l->k, t);
	kineto_event_init(&l->ev);
	l->caller.pid = l->caller.tid = l->code.place = EV_UNSET;
}

/* Keeps the begin of a text, for a message. */
static void
keep_text(char *to, size_t size, struct mview v)
{
	size_t n = v.n < size ? v.n : size - 1;

	memcpy(to, v.s, n);
	to[n] = '\0';
}

/* Threads: numbers, since torch 1.12; before, also texts of a number. */
static bool
read_thread(struct kineto_loader *l)
{
	struct mview odd = l->ev.field[KF_PID];
	struct kineto *k = l->k;

	if (kineto_field_int(l, KF_PID, &l->pid) &&
	    kineto_field_int(l, KF_TID, &l->tid)) {
		if (l->capture != EV_UNSET)
			l->pid = l->capture;
		return true;
	}
	if (l->pid == EV_UNSET && k->odd_pid[0] == '\0' && odd.s != NULL)
		keep_text(k->odd_pid, sizeof(k->odd_pid), odd);
	k->bad++;
	l->no_dur = false;
	return false;
}

/* The number of the short name of the kernel whose name has the number id. */
static int64_t
short_id(struct kineto *k, int64_t id)
{
	struct mview v;
	uint32_t s;

	if (id == EV_UNSET)
		return EV_UNSET;
	if (k->texts.val[id] == 0) {
		v.s = smap_str(&k->texts, (uint32_t)id, &v.n);
		v = kernname_function(v);
		s = v.n > 0 ? smap_put(&k->texts, v.s, v.n, NULL) : SMAP_NONE;
		k->texts.val[id] = (uint64_t)s + 1;
	}
	return k->texts.val[id] - 1 == SMAP_NONE
		   ? EV_UNSET
		   : (int64_t)(k->texts.val[id] - 1);
}

/* "Memcpy HtoD (pageable -> device)". Traces of 2026 have the kinds as args. */
static int64_t
copy_name(struct kineto_loader *l)
{
	const struct mview *v = l->ev.field;
	struct buf *b = &l->tmp;

	if (v[KF_COPY_KIND].s == NULL)
		return kineto_field_id(l, KF_NAME);
	buf_clear(b);
	buf_puts(b, "Memcpy ");
	buf_put(b, v[KF_COPY_KIND].s, v[KF_COPY_KIND].n);
	buf_putc(b, ' ');
	if (v[KF_SRC_KIND].s != NULL && v[KF_DST_KIND].s != NULL) {
		buf_putc(b, '(');
		buf_put(b, v[KF_SRC_KIND].s, v[KF_SRC_KIND].n);
		buf_puts(b, " -> ");
		buf_put(b, v[KF_DST_KIND].s, v[KF_DST_KIND].n);
		buf_putc(b, ')');
	}
	return (int64_t)smap_put(&l->k->texts, b->s, b->len, NULL);
}

/* Reads the members of a row; returns how many. */
static int
read_members(struct kineto_loader *l, const struct kineto_col *c, int64_t *v)
{
	const char *list = NULL;
	struct mview raw;
	int n, f;

	for (n = 0; c[n].how != R_END; n++) {
		f = c[n].field;
		switch (c[n].how) {
		case R_EITHER:
			if (l->ev.field[f].s == NULL)
				f = c[n].other;
			/* fall through */
		case R_INT:
			kineto_field_int(l, f, &v[n]);
			break;
		case R_ID:
			v[n] = kineto_field_id(l, f);
			break;
		case R_SHORT: /* of the member before */
			v[n] = short_id(l->k, v[n - 1]);
			break;
		case R_COPY:
			v[n] = copy_name(l);
			break;
		case R_ELEMENT:
			if (c[n].other == 0)
				list = kineto_list(l, f);
			if (list != NULL && !kineto_list_next(&list, &raw))
				list = NULL;
			/* no grid has a side of 0: it is not known */
			if (list == NULL || !num_i64(raw.s, raw.n, &v[n]) ||
			    v[n] == 0)
				v[n] = EV_UNSET;
			break;
		case R_PID:
			v[n] = l->pid;
			break;
		case R_TID:
			v[n] = l->tid;
			break;
		case R_DOMAIN:
			v[n] = (int64_t)smap_put(
			    &l->k->texts, l->domain, strlen(l->domain), NULL);
			break;
		case R_OP_TEXT:
			v[n] = kineto_op_text(l);
			break;
		default: /* R_PLACE */
			v[n] = l->place;
		}
	}
	return n;
}

/* See kineto_link(). */
static void
read_link(const struct kineto_loader *l, int64_t *corr)
{
	int64_t ext;

	if (*corr != EV_UNSET && *corr != 0) {
		l->k->correlated = true;
	} else if (!l->k->correlated && kineto_field_int(l, KF_EXT, &ext) &&
		   ext >= 0) {
		*corr = -2 - ext;
		l->k->by_ext++;
	}
}

/* Makes a row of the event at hand. One without a start or, where it has a
 * thread, without that cannot be placed; its length may be unknown. */
static bool
load(struct kineto_loader *l, int table)
{
	int64_t col[4] = { EV_UNSET, EV_UNSET, EV_UNSET, EV_UNSET };
	const struct kineto_table *t = &kineto_tables[table];
	int64_t row[ARRAY_LEN(t->col)];
	struct kineto *k = l->k;
	int n;

	if (t->corr > 0)
		kineto_field_int(l, t->corr, &col[2]);
	if (table >= T_CALL && table <= T_SET)
		read_link(l, &col[2]);
	if (table == T_EVENT || table == T_WAITED) {
		if (col[2] < 0)
			return false;
	} else {
		if (!kineto_field_us(l, KF_TS, &col[0])) {
			k->bad++;
			return false;
		}
		l->no_dur = !kineto_field_us(l, KF_DUR, &col[1]);
		if (k->first == EV_UNSET || col[0] < k->first)
			k->first = col[0];
	}
	if ((t->col[0].how == R_PID || t->col[0].how == R_TID) &&
	    !read_thread(l))
		return false;
	n = read_members(l, t->col, row);
	if (table == T_CALL) {
		col[3] = l->pid;
		if (l->capture != EV_UNSET)
			col[2] = EV_UNSET;
	} else if (table >= T_KERN && table <= T_SYNC) {
		if (k->dev == EV_UNSET)
			k->dev = row[0];
		k->many_devs |= row[0] != k->dev;
	}
	kineto_insert(k, l->insert[table], col, t->corr > 0 ? 4 : 2, row, n);
	return true;
}

/* The event has that place in the user's code around it; see kineto_code(). If
 * it lies inside the last one that had a place, and has the same, no row is
 * needed; nearly all ops do that are called by another op. */
static void
load_code(struct kineto_loader *l, int64_t place)
{
	struct kineto_span *last = &l->code, now = { .place = place };

	if (place == EV_UNSET || l->capture != EV_UNSET)
		return;
	if (kineto_field_us(l, KF_TS, &now.start) &&
	    kineto_field_us(l, KF_DUR, &now.end) &&
	    kineto_field_int(l, KF_PID, &now.pid) &&
	    kineto_field_int(l, KF_TID, &now.tid)) {
		now.end = num_add(now.start, now.end);
		if (now.place == last->place && now.pid == last->pid &&
		    now.tid == last->tid && now.start >= last->start &&
		    now.end <= last->end)
			return;
		*last = now;
	}
	l->place = place;
	if (load(l, T_CODE))
		l->k->stack.any = true;
}

/* Notes the threads that have calls. */
static void
load_call(struct kineto_loader *l)
{
	struct kineto *k = l->k;
	bool is_new;

	if (!load(l, T_CALL) ||
	    (l->pid == l->caller.pid && l->tid == l->caller.tid))
		return;
	l->caller = (struct kineto_thread){ l->pid, l->tid };
	smap_put_pair(&k->called, l->pid, l->tid, &is_new);
	if (!is_new)
		return;
	ARRAY_GROW(k->callers, k->ncallers, k->callers_cap);
	k->callers[k->ncallers++] = l->caller;
}

/* A module's call is a range: nn.Module: Linear_0. Other frames of Python are
 * kept if they are asked for. */
static void
load_python(struct kineto_loader *l)
{
	struct mview v = l->ev.field[KF_NAME];

	l->k->frames = true;
	if (mv_starts(v, "nn.Module: "))
		l->domain = "nn.Module";
	if (l->k->wish->python || mv_starts(v, "nn.Module: "))
		load(l, T_OP);
	load_code(l, kineto_place(l->k, kineto_field_text(l, KF_NAME)));
}

/* Of collectives also how many GPUs take part. */
static void
load_cpu_op(struct kineto_loader *l)
{
	int64_t *group = &l->k->group, n;

	l->k->ops = true;
	if (kineto_field_is(l, KF_NAME, "record_param_comms") &&
	    kineto_moves(l, &n))
		*group = *group == EV_UNSET || *group == n ? n : 0;
	load(l, T_OP);
	if (l->ev.field[KF_STACK].s != NULL)
		load_code(
		    l, kineto_inner(l->k, kineto_field_text(l, KF_STACK)));
}

static void
load_annotation(struct kineto_loader *l)
{
	struct serving step;

	l->k->serving =
	    l->k->serving || serving_read(kineto_field_text(l, KF_NAME), &step);
	load(l, T_OP);
}

/* A trace has rows of records of CUDA events only since 2025; otherwise each
 * wait names the record that it waits for, and the first one that does is kept.
 */
static void
load_sync(struct kineto_loader *l)
{
	if (load(l, T_SYNC))
		load(l, T_WAITED);
}

/* Categories of events that have a length; the names before torch 1.12 begin
 * with a capital. Those that are skipped repeat what other events say. */
#define CATEGORY(text, at, function)                                           \
	{                                                                      \
		text, sizeof(text) - 1, at, NULL, function                     \
	}
#define RANGES(text, domain, function)                                         \
	{                                                                      \
		text, sizeof(text) - 1, T_OP, domain, function                 \
	}

static const struct {
	const char *cat;
	size_t n;
	int table; /* if there is no function; T_N: skipped */
	const char *domain;
	void (*load)(struct kineto_loader *l);
} categories[] = {
	RANGES("cpu_op", "cpu_op", load_cpu_op),
	RANGES("Operator", "cpu_op", load_cpu_op),
	CATEGORY("kernel", T_KERN, NULL),
	CATEGORY("Kernel", T_KERN, NULL),
	CATEGORY("cuda_runtime", T_CALL, load_call),
	CATEGORY("cuda_driver", T_CALL, load_call),
	CATEGORY("Runtime", T_CALL, load_call),
	RANGES("python_function", "python_function", load_python),
	RANGES("user_annotation", "user_annotation", load_annotation),
	CATEGORY("gpu_memcpy", T_COPY, NULL),
	CATEGORY("Memcpy", T_COPY, NULL),
	CATEGORY("gpu_memset", T_SET, NULL),
	CATEGORY("Memset", T_SET, NULL),
	CATEGORY("cuda_sync", T_SYNC, load_sync),
	CATEGORY("cuda_event", T_EVENT, NULL),
	CATEGORY("overhead", T_OVER, NULL),
	CATEGORY("gpu_user_annotation", T_N, NULL),
	CATEGORY("Trace", T_N, NULL),
	/* of rocprofv3 */
	CATEGORY("hip_api", T_CALL, load_call),
	CATEGORY("hsa_api", T_CALL, load_call),
	CATEGORY("kernel_dispatch", T_KERN, NULL),
	CATEGORY("memory_copy", T_COPY, NULL),
	/* of roctx: its text says what it is */
	RANGES("marker_api", "", NULL),
};

/* Of a trace of captures, what can be in a capture: ops and calls. */
static bool
is_of_capture(const struct kineto_loader *l)
{
	return kineto_field_is(l, KF_CAT, "cpu_op") ||
	       kineto_field_is(l, KF_CAT, "user_annotation") ||
	       kineto_field_is(l, KF_CAT, "cuda_runtime") ||
	       kineto_field_is(l, KF_CAT, "cuda_driver") ||
	       (kineto_field_is(l, KF_CAT, "python_function") &&
		   mv_starts(l->ev.field[KF_NAME], "nn.Module: "));
}

static void
load_span(struct kineto_loader *l)
{
	/* calls and work of accelerators that are no GPU of CUDA or ROCm */
	static const char *const others[] = { "xpu_", "hpu_", "mtia_",
		"privateuse1_", "glow_" };
	struct mview cat = l->ev.field[KF_CAT];
	struct kineto *k = l->k;
	size_t i;

	if (l->capture != EV_UNSET && !is_of_capture(l))
		return;
	for (i = 0; i < ARRAY_LEN(categories); i++) {
		if (cat.n != categories[i].n || cat.s == NULL ||
		    memcmp(cat.s, categories[i].cat, cat.n) != 0)
			continue;
		l->no_dur = false;
		l->domain = categories[i].domain;
		if (categories[i].load != NULL)
			categories[i].load(l);
		else if (categories[i].table != T_N)
			load(l, categories[i].table);
		k->no_dur += l->no_dur;
		return;
	}
	k->other++;
	for (i = 0; i < ARRAY_LEN(others); i++)
		if (cat.s != NULL && mv_starts(cat, others[i]) &&
		    k->foreign++ == 0)
			keep_text(k->foreign_cat, sizeof(k->foreign_cat), cat);
}

/* Names of processes and threads. */
static void
load_metadata(struct kineto_loader *l)
{
	struct smap *threads = &l->k->threads;
	int64_t pid, tid, id = kineto_field_id(l, KF_ARG_NAME);
	uint32_t i;

	if (!kineto_field_int(l, KF_PID, &pid) || id == EV_UNSET)
		return;
	if (kineto_field_is(l, KF_NAME, "process_name")) {
		*map_put(&l->k->procs, (uint64_t)pid, NULL) = (uint64_t)id + 1;
	} else if (kineto_field_is(l, KF_NAME, "thread_name") &&
		   kineto_field_int(l, KF_TID, &tid)) {
		i = smap_put_pair(threads, pid, tid, NULL);
		threads->val[i] = (uint64_t)id;
	}
}

/* Where events have correlation ids, flows (s, f, t) repeat them. */
void
kineto_rows_take(void *ctx)
{
	struct kineto_loader *l = ctx;
	struct mview ph = l->ev.field[KF_PH];
	int64_t type;

	if (l->capture != EV_UNSET && (ph.n != 1 || ph.s[0] != 'X'))
		return;
	switch (ph.n == 1 ? ph.s[0] : '\0') {
	case 'X':
		load_span(l);
		break;
	case 'i':
	case 'I':
		/* memory, but not that of the host */
		if (kineto_field_is(l, KF_NAME, "[memory]") &&
		    (!kineto_field_int(l, KF_DEV_TYPE, &type) || type != 0))
			load(l, T_MEM);
		break;
	case 'M':
		load_metadata(l);
		break;
	case 's':
	case 'f':
		kineto_link_flow(l);
		break;
	case 't':
		break;
	default:
		l->k->other++;
	}
}

void
kineto_rows_close(struct kineto_loader *l)
{
	int t;

	for (t = 0; t < T_NODE; t++)
		sqlite3_finalize(l->insert[t]);
	kineto_sql(l->k, "COMMIT");
	smap_free(&l->raws);
	buf_free(&l->tmp);
}
