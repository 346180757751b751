/*
 * The events of a trace become rows of a temporary database, which SQLite keeps
 * in a file. Texts that repeat (names, lists of sizes) are numbers there. The
 * tables' columns are listed below.
 */
#include <string.h>

#include "array.h"
#include "err.h"
#include "kineto_loader.h"
#include "kernname.h"
#include "num.h"
#include "serving.h"
#include "varint.h"

/*
 * Times are ns. A row has columns for what SQL is asked for, and its other
 * numbers in one value, in the order in which the dialect reads them: a row of
 * a few columns costs SQLite half as much.
 */
static const char tables[] =
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

static const struct {
	const char *name;
	int cols;
} inserts[T_N] = {
	[T_OP] = { "kineto_op", 3 },
	[T_CALL] = { "kineto_call", 5 },
	[T_KERN] = { "kineto_kern (ts, dur, corr, row)", 4 },
	[T_COPY] = { "kineto_copy (ts, dur, corr, row)", 4 },
	[T_SET] = { "kineto_set (ts, dur, corr, row)", 4 },
	[T_SYNC] = { "kineto_sync", 4 },
	[T_EVENT] = { "kineto_event", 2 },
	[T_MEM] = { "kineto_mem", 3 },
	[T_OVER] = { "kineto_over", 3 },
	[T_CODE] = { "kineto_code", 3 },
};

void
kineto_ok(const struct kineto *k, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		die("a temporary database (set TMPDIR to a larger place): %s",
		    sqlite3_errmsg(k->db));
}

void
kineto_rows_tables(struct kineto *k)
{
	kineto_ok(k, sqlite3_exec(k->db, tables, NULL, NULL, NULL));
}

void
kineto_rows_open(struct kineto_loader *l)
{
	struct buf b = { 0 };
	int i, t;

	kineto_ok(l->k, sqlite3_exec(l->k->db, "BEGIN", NULL, NULL, NULL));
	for (t = 0; t < T_N; t++) {
		buf_clear(&b);
		buf_printf(&b, "INSERT INTO %s VALUES (?", inserts[t].name);
		for (i = 1; i < inserts[t].cols; i++)
			buf_puts(&b, ",?");
		buf_putc(&b, ')');
		kineto_ok(l->k, sqlite3_prepare_v2(l->k->db, buf_str(&b), -1,
				    &l->insert[t], NULL));
	}
	buf_free(&b);
	kineto_event_init(&l->ev);
	l->pid = l->tid = l->code.place = EV_UNSET;
}

/* Inserting a row: columns are bound in their order, and numbers of the last
 * column are collected meanwhile. */

struct new_row {
	struct kineto_loader *l;
	sqlite3_stmt *st;
	int col;
};

static struct new_row
row_of(struct kineto_loader *l, int table)
{
	buf_clear(&l->row);
	return (struct new_row){ l, l->insert[table], 0 };
}

static void
row_col(struct new_row *r, int64_t v)
{
	r->col++;
	kineto_ok(r->l->k, v == EV_UNSET
			       ? sqlite3_bind_null(r->st, r->col)
			       : sqlite3_bind_int64(r->st, r->col, v));
}

static void
row_num(struct new_row *r, int64_t v)
{
	/* the number that stands for none becomes the smallest */
	varint_add(&r->l->row, varint_fold(v) + 1);
}

static void
row_field(struct new_row *r, int f)
{
	int64_t v;

	kineto_field_int(r->l, f, &v);
	row_num(r, v);
}

static void
row_put(struct new_row *r)
{
	struct buf *b = &r->l->row;
	int rc;

	kineto_ok(r->l->k, sqlite3_bind_blob(r->st, r->col + 1, buf_str(b),
			       (int)b->len, SQLITE_STATIC));
	rc = sqlite3_step(r->st);
	kineto_ok(r->l->k, rc);
	kineto_ok(r->l->k, sqlite3_reset(r->st));
}

/* Start and length. An event without a start cannot be placed. */
static bool
row_times(struct new_row *r)
{
	struct kineto *k = r->l->k;
	int64_t ts, dur;

	if (!kineto_field_us(r->l, KF_TS, &ts)) {
		k->bad++;
		return false;
	}
	r->l->no_dur = !kineto_field_us(r->l, KF_DUR, &dur);
	if (k->first == EV_UNSET || ts < k->first)
		k->first = ts;
	row_col(r, ts);
	row_col(r, dur);
	return true;
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
field_thread(struct kineto_loader *l, int64_t *pid, int64_t *tid)
{
	struct mview odd = l->ev.field[KF_PID];
	struct kineto *k = l->k;

	if (kineto_field_int(l, KF_PID, pid) &&
	    kineto_field_int(l, KF_TID, tid)) {
		if (l->capture != EV_UNSET)
			*pid = l->capture;
		return true;
	}
	if (*pid == EV_UNSET && k->odd_pid[0] == '\0' && odd.s != NULL)
		keep_text(k->odd_pid, sizeof(k->odd_pid), odd);
	k->bad++;
	l->no_dur = false;
	return false;
}

static bool
row_thread(struct new_row *r)
{
	int64_t pid, tid;

	if (!field_thread(r->l, &pid, &tid))
		return false;
	row_num(r, pid);
	row_num(r, tid);
	return true;
}

static void
load_op(struct kineto_loader *l, const char *domain)
{
	struct new_row r = row_of(l, T_OP);

	if (!row_times(&r) || !row_thread(&r))
		return;
	row_num(
	    &r, (int64_t)smap_put(&l->k->texts, domain, strlen(domain), NULL));
	row_num(&r, kineto_field_id(l, KF_NAME));
	row_field(&r, KF_SEQ);
	row_field(&r, l->ev.field[KF_EV_IDX].s != NULL ? KF_EV_IDX : KF_EXT);
	row_num(&r, kineto_op_text(l));
	row_field(&r, KF_PY_THREAD);
	row_put(&r);
}

/* True if the event lies inside the last one that had a place, and has the
 * same; nearly all ops do that are called by another op. */
static bool
same_code(struct kineto_loader *l, int64_t place)
{
	struct kineto_span *last = &l->code, now = { .place = place };
	bool same;

	if (!kineto_field_us(l, KF_TS, &now.start) ||
	    !kineto_field_us(l, KF_DUR, &now.end) ||
	    !kineto_field_int(l, KF_PID, &now.pid) ||
	    !kineto_field_int(l, KF_TID, &now.tid))
		return false;
	now.end = num_add(now.start, now.end);
	same = now.place == last->place && now.pid == last->pid &&
	       now.tid == last->tid && now.start >= last->start &&
	       now.end <= last->end;
	if (!same)
		*last = now;
	return same;
}

/* The event has that place in the user's code around it; see kineto_code(). */
static void
load_code(struct kineto_loader *l, int64_t place)
{
	struct new_row r = row_of(l, T_CODE);

	if (place == EV_UNSET || l->capture != EV_UNSET ||
	    same_code(l, place) || !row_times(&r) || !row_thread(&r))
		return;
	row_num(&r, place);
	row_put(&r);
	l->k->stack.any = true;
}

/* Notes a thread that has calls. */
static void
note_caller(struct kineto_loader *l, int64_t pid, int64_t tid)
{
	struct kineto *k = l->k;
	bool is_new;

	if (pid == l->pid && tid == l->tid)
		return;
	l->pid = pid;
	l->tid = tid;
	smap_put_pair(&k->called, pid, tid, &is_new);
	if (!is_new)
		return;
	ARRAY_GROW(k->callers, k->ncallers, k->callers_cap);
	k->callers[k->ncallers++] = (struct kineto_thread){ pid, tid };
}

static void
load_call(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_CALL);
	int64_t pid, tid, corr;

	if (!row_times(&r) || !field_thread(l, &pid, &tid))
		return;
	note_caller(l, pid, tid);
	kineto_field_int(l, KF_CORR, &corr);
	row_col(&r, l->capture != EV_UNSET ? EV_UNSET : corr);
	row_col(&r, pid);
	row_num(&r, tid);
	row_num(&r, kineto_field_id(l, KF_NAME));
	row_put(&r);
}

/* The columns that all GPU work begins with. Traces before torch 1.12 say the
 * device and the stream only here. */
static bool
row_gpu(struct new_row *r)
{
	struct kineto_loader *l = r->l;
	int64_t corr, dev;

	if (!row_times(r))
		return false;
	kineto_field_int(l, KF_CORR, &corr);
	kineto_field_int(
	    l, l->ev.field[KF_DEVICE].s != NULL ? KF_DEVICE : KF_PID, &dev);
	if (l->k->dev == EV_UNSET)
		l->k->dev = dev;
	l->k->many_devs |= dev != l->k->dev;
	row_col(r, corr);
	row_num(r, dev);
	row_field(r, KF_CONTEXT);
	row_field(r, l->ev.field[KF_STREAM].s != NULL ? KF_STREAM : KF_TID);
	return true;
}

static void
row_three(struct new_row *r, int f)
{
	const char *p = kineto_list(r->l, f);
	struct mview v;
	int64_t num;
	int n;

	for (n = 0; n < 3; n++) {
		num = EV_UNSET;
		if (p != NULL && !kineto_list_next(&p, &v))
			p = NULL;
		if (p == NULL || !num_i64(v.s, v.n, &num))
			num = EV_UNSET;
		row_num(r, num);
	}
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

static void
load_kern(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_KERN);
	int64_t name;

	if (!row_gpu(&r))
		return;
	name = kineto_field_id(l, KF_NAME);
	row_num(&r, name);
	row_num(&r, short_id(l->k, name));
	row_three(&r, KF_GRID);
	row_three(&r, KF_BLOCK);
	row_field(&r, KF_REGS);
	row_field(&r, KF_SMEM);
	row_field(&r, KF_NODE);
	row_put(&r);
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

static void
load_copy(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_COPY);

	if (!row_gpu(&r))
		return;
	row_num(&r, copy_name(l));
	row_field(&r, KF_BYTES);
	row_put(&r);
}

static void
load_set(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_SET);

	if (!row_gpu(&r))
		return;
	row_field(&r, KF_BYTES);
	row_put(&r);
}

/* The record of a CUDA event, by its call. A trace has rows of records only
 * since 2025; otherwise each wait names the record that it waits for, and the
 * first one that does is kept. */
static void
load_record(struct kineto_loader *l, int corr_field, int stream, int event)
{
	struct new_row r = row_of(l, T_EVENT);
	int64_t corr;

	if (!kineto_field_int(l, corr_field, &corr) || corr < 0)
		return;
	row_col(&r, corr);
	row_field(&r, l->ev.field[KF_DEVICE].s != NULL ? KF_DEVICE : KF_PID);
	row_field(&r, KF_CONTEXT);
	row_field(&r, stream);
	row_field(&r, event);
	row_put(&r);
}

static void
load_sync(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_SYNC);

	if (!row_gpu(&r))
		return;
	row_num(&r, kineto_field_id(l, KF_SYNC_KIND));
	row_field(&r, KF_SYNC_EVENT);
	row_put(&r);
	load_record(l, KF_SYNC_RECORD, KF_SYNC_STREAM, KF_SYNC_EVENT);
}

static void
load_cuda_event(struct kineto_loader *l)
{
	load_record(l, KF_CORR, KF_STREAM, KF_EVENT);
}

static void
load_over(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_OVER);

	if (!row_times(&r) || !row_thread(&r))
		return;
	row_num(&r, kineto_field_id(l, KF_NAME));
	row_put(&r);
}

/* A module's call is a range: nn.Module: Linear_0. Other frames of Python are
 * kept if they are asked for. */
static void
load_python(struct kineto_loader *l)
{
	struct mview v = l->ev.field[KF_NAME];

	l->k->frames = true;
	if (mv_starts(v, "nn.Module: "))
		load_op(l, "nn.Module");
	else if (l->k->wish->python)
		load_op(l, "python_function");
	load_code(l, kineto_place(l->k, kineto_field_text(l, KF_NAME)));
}

static void
skip_event(struct kineto_loader *l)
{
	(void)l;
}

/* Notes how many GPUs take part in a collective. */
static void
note_group(struct kineto_loader *l)
{
	int64_t *group = &l->k->group, n;

	if (kineto_moves(l, &n))
		*group = *group == EV_UNSET || *group == n ? n : 0;
}

static void
load_cpu_op(struct kineto_loader *l)
{
	l->k->ops = true;
	if (kineto_field_is(l, KF_NAME, "record_param_comms"))
		note_group(l);
	load_op(l, "cpu_op");
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
	load_op(l, "user_annotation");
}

/* Categories of events that have a length; the names before torch 1.12 begin
 * with a capital. Those that are skipped repeat what other events say. */
#define CATEGORY(text, load)                                                   \
	{                                                                      \
		text, sizeof(text) - 1, load                                   \
	}

static const struct {
	const char *cat;
	size_t n;
	void (*load)(struct kineto_loader *l);
} categories[] = {
	CATEGORY("cpu_op", load_cpu_op),
	CATEGORY("Operator", load_cpu_op),
	CATEGORY("kernel", load_kern),
	CATEGORY("Kernel", load_kern),
	CATEGORY("cuda_runtime", load_call),
	CATEGORY("cuda_driver", load_call),
	CATEGORY("Runtime", load_call),
	CATEGORY("python_function", load_python),
	CATEGORY("user_annotation", load_annotation),
	CATEGORY("gpu_memcpy", load_copy),
	CATEGORY("Memcpy", load_copy),
	CATEGORY("gpu_memset", load_set),
	CATEGORY("Memset", load_set),
	CATEGORY("cuda_sync", load_sync),
	CATEGORY("cuda_event", load_cuda_event),
	CATEGORY("overhead", load_over),
	CATEGORY("gpu_user_annotation", skip_event),
	CATEGORY("Trace", skip_event),
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

/* Calls and work of accelerators that are no GPU of CUDA or ROCm. */
static void
note_foreign(struct kineto *k, struct mview cat)
{
	static const char *const others[] = { "xpu_", "hpu_", "mtia_",
		"privateuse1_", "glow_" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(others) && cat.s != NULL; i++) {
		if (!mv_starts(cat, others[i]))
			continue;
		if (k->foreign++ == 0)
			keep_text(k->foreign_cat, sizeof(k->foreign_cat), cat);
	}
}

static void
load_span(struct kineto_loader *l)
{
	struct mview cat = l->ev.field[KF_CAT];
	size_t i;

	if (l->capture != EV_UNSET && !is_of_capture(l))
		return;
	for (i = 0; i < ARRAY_LEN(categories); i++)
		if (cat.n == categories[i].n && cat.s != NULL &&
		    memcmp(cat.s, categories[i].cat, cat.n) == 0) {
			l->no_dur = false;
			categories[i].load(l);
			l->k->no_dur += l->no_dur;
			return;
		}
	l->k->other++;
	note_foreign(l->k, cat);
}

/* [memory]: the bytes are negative where memory is freed. */
static void
load_instant(struct kineto_loader *l)
{
	struct new_row r = row_of(l, T_MEM);
	int64_t type;

	if (!kineto_field_is(l, KF_NAME, "[memory]"))
		return;
	if (kineto_field_int(l, KF_DEV_TYPE, &type) && type == 0)
		return; /* memory of the host */
	if (!row_times(&r))
		return;
	row_field(&r, KF_PID);
	row_field(&r, KF_TID);
	row_field(&r, KF_DEV_ID);
	row_field(&r, KF_MEM_BYTES);
	row_field(&r, KF_ADDR);
	row_field(&r, KF_ALLOCATED);
	row_field(&r, KF_RESERVED);
	row_put(&r);
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

/* Flows (s, f, t) repeat the correlation ids and sequence numbers of other
 * events. */
const char *
kineto_rows_event(void *ctx, const char *s, const char *e)
{
	struct kineto_loader *l = ctx;
	const char *end = kineto_event_read(&l->ev, s, e);
	struct mview ph = l->ev.field[KF_PH];

	if (end == NULL)
		return NULL;
	if (l->capture != EV_UNSET && (ph.n != 1 || ph.s[0] != 'X'))
		return end;
	if (*s != '{' || ph.n != 1) {
		l->k->bad += *s != '{';
		l->k->other += *s == '{';
		return end;
	}
	switch (ph.s[0]) {
	case 'X':
		load_span(l);
		break;
	case 'i':
	case 'I':
		load_instant(l);
		break;
	case 'M':
		load_metadata(l);
		break;
	case 's':
	case 'f':
	case 't':
		break;
	default:
		l->k->other++;
	}
	return end;
}

void
kineto_rows_close(struct kineto_loader *l)
{
	int t;

	for (t = 0; t < T_N; t++)
		sqlite3_finalize(l->insert[t]);
	kineto_ok(l->k, sqlite3_exec(l->k->db, "COMMIT", NULL, NULL, NULL));
	smap_free(&l->raws);
	buf_free(&l->tmp);
	buf_free(&l->row);
}
