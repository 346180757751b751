/*
 * The raw half: rows of work, of runs of ops, and of records for which DLProf
 * has no table.
 */
#include "db.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"

struct raw_seen { /* a run that is open */
	struct db_op *op;
	int64_t op_id, row, nth;
	int64_t start, end, pid, tid; /* of its work so far */
};

/* Columns of records for which DLProf has no table. */
struct db_range_cols {
	struct rec_col *id, *start, *dur, *pid, *tid, *end_tid, *domain, *mode,
	    *text, *level, *layer;
};
struct db_os_cols {
	struct rec_col *id, *start, *dur, *pid, *tid, *name;
};
struct db_mem_cols {
	struct rec_col *id, *start, *pid, *dev, *op, *bytes, *addr, *kind,
	    *pool, *pool_bytes;
};

struct db_raw {
	struct map at; /* inst_id -> number in v, from 1 */
	struct raw_seen *v;
	size_t n, cap;
	uint32_t *spare;
	size_t n_spare, cap_spare;
	int64_t rows;
	struct db_range_cols range;
	struct db_os_cols os;
	struct db_mem_cols mem;
};

void
raw_free(struct db_halves *d)
{
	map_free(&d->raws->at);
	free(d->raws->v);
	free(d->raws->spare);
	free(d->raws);
}

static uint32_t
new_seen(struct db_raw *w)
{
	if (w->n_spare > 0)
		return w->spare[--w->n_spare];
	ARRAY_GROW(w->v, w->n, w->cap);
	return (uint32_t)++w->n;
}

static struct raw_seen *
see(struct db_halves *d, int64_t inst, struct db_op *op,
    const struct db_work *by)
{
	struct db_raw *w = d->raws;
	bool is_new;
	uint64_t *no = map_put(&w->at, (uint64_t)inst, &is_new);
	struct raw_seen *s;

	if (!is_new)
		return &w->v[*no - 1];
	*no = new_seen(w);
	s = &w->v[*no - 1];
	memset(s, 0, sizeof(*s));
	s->op_id = op->id;
	s->row = ++w->rows;
	s->nth = op->n_runs++;
	if (by != NULL) {
		s->start = by->has_api ? by->api_start : by->start;
		s->end = s->start;
		s->pid = by->pid;
		s->tid = by->tid;
	}
	return s;
}

static void
put_run(struct db_halves *d, const struct raw_seen *s, const struct db_op *op,
    int64_t start, int64_t stop, int64_t pid, int64_t tid)
{

	DB_ADD(&d->db, T_OP_INSTANCES, s->row, op->id, start, stop, pid, tid,
	    op->names_id, op->shapes_id, op->out_names_id, op->out_id,
	    db_str_id(d, "null\n"));
}

void
raw_run(struct db_halves *d, const struct db_run *u)
{
	struct db_raw *w = d->raws;
	struct raw_seen *s = see(d, u->id, u->op, NULL);
	uint32_t no = (uint32_t)(s - w->v) + 1;

	if (s->op_id != u->op->id)
		die("%s: run %lld is of two ops", d->path, (long long)u->id);
	/* a run that was not recorded on the CPU has no known thread, either */
	put_run(d, s, u->op, u->start,
	    num_add(u->start, u->dur > 0 ? u->dur : 0), u->pid,
	    u->dur >= 0 ? u->tid : -1);
	map_del(&w->at, (uint64_t)u->id);
	ARRAY_GROW(w->spare, w->n_spare, w->cap_spare);
	w->spare[w->n_spare++] = no;
}

void
raw_end(struct db_halves *d)
{
	struct db_raw *w = d->raws;
	uint64_t inst, no;
	struct raw_seen *s;
	size_t it = 0;

	while (map_next(&w->at, &it, &inst, &no)) {
		s = &w->v[no - 1];
		put_run(d, s, ops_find(d, s->op_id), s->start, s->end, s->pid,
		    s->tid);
	}
}

/* The start and end of its call. GPU work that no call launched counts as
 * launched at its own start. */
static void
work_api(const struct db_work *w, int64_t *start, int64_t *stop)
{
	*start = w->has_api ? w->api_start : w->start;
	*stop = w->own_call ? num_add(*start, w->api_dur) : *start;
}

/* Makes a run for work that names none. */
static int64_t
lone_run(struct db_halves *d, const struct db_work *w)
{
	struct raw_seen s = { 0 };
	int64_t start, stop;

	s.row = ++d->raws->rows;
	work_api(w, &start, &stop);
	put_run(d, &s, w->op, start, stop, w->pid, w->has_api ? w->tid : -1);
	return w->op->n_runs++;
}

static int64_t
raw_nth(struct db_halves *d, const struct db_work *w)
{
	int64_t start, stop;
	struct raw_seen *s;

	if (w->inst == 0)
		return lone_run(d, w);
	s = see(d, w->inst, w->op, w);
	work_api(w, &start, &stop);
	if (stop > s->end)
		s->end = stop;
	return s->nth;
}

/* The numbers in the versions of Nsight Systems that DLProf read. */
static const char *const copy_kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
	"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM-HtoD",
	"UVM-DtoH", "UVM-DtoD" };
static const struct {
	const char *kind;
	int64_t no;
} sync_kinds[] = { { "context", 1 }, { "event", 2 }, { "stream", 3 },
	{ "stream-wait-event", 3 } };

/* The dictionary's id of a field; that of "" if it is unset. */
static int64_t
text_col(struct db_halves *d, const struct rec *r, const struct rec_col *c)
{
	return db_word_id(d, db_col_word(d, r, c));
}

/* "x,y,z" */
static bool
three(const char *s, size_t n, int64_t v[3])
{
	const char *e;
	size_t len;
	int i;

	for (i = 0; i < 3; i++) {
		e = i < 2 ? memchr(s, ',', n) : s + n;
		if (e == NULL)
			return false;
		len = (size_t)(e - s);
		if (!num_i64(s, len, &v[i]))
			return false;
		s = e + 1;
		n -= len + (i < 2);
	}
	return true;
}

static int64_t
dim_id(struct db_halves *d, const struct rec *r, const struct rec_col *c)
{
	const char *s;
	uint32_t no;
	int64_t v[3];
	size_t n;

	s = rec_raw(r, c, &n);
	if (s == NULL) {
		s = "0,0,0";
		n = 5;
	}
	no = smap_put(&d->dims, s, n, NULL);
	if (d->dims.val[no] == 0) {
		if (!three(s, n, v))
			rec_die(r, "%s: no size 'x,y,z': '%.*s'", c->name,
			    (int)n, s);
		d->dims.val[no] = (uint64_t)db_put(
		    &d->db, T_GRID_BLOCK, 0, "iii", v[0], v[1], v[2]);
	}
	return (int64_t)d->dims.val[no];
}

static int64_t
long_name(struct db_halves *d, const struct db_work *w)
{
	const uint64_t *no;
	int64_t id;

	if (!rec_i64(w->r, w->cols->name_id, &id))
		return db_str_id(d, "");
	no = map_get(&d->strs, (uint64_t)id);
	if (no == NULL)
		rec_die(w->r, "str %lld has no record", (long long)id);
	return db_word_id(d, (uint32_t)*no);
}

/* DLProf has no table for runs of whole graphs. Each becomes a kernel of that
 * name, which dlp-parse recognises. */
static void
put_kern(struct db_halves *d, const struct db_work *w, int64_t nth)
{
	const struct db_cols *c = w->cols;
	int64_t start, stop, name, full;

	name = full = w->kind == K_GRAPH ? db_str_id(d, GRAPH_NAME) : 0;
	if (w->kind == K_KERN) {
		name = db_word_id(d, w->name);
		full = long_name(d, w);
	}
	work_api(w, &start, &stop);
	DB_ADD(&d->db, T_KERNELS, w->id, w->op->id, nth, name, full,
	    (int64_t)w->tc, start, stop, w->start, w->end,
	    dim_id(d, w->r, c->grid), dim_id(d, w->r, c->block), w->dev, w->pid,
	    w->tid);
}

static int64_t
number_or(const struct db_work *w, const struct rec_col *c, int64_t def)
{
	int64_t v;

	return rec_i64(w->r, c, &v) ? v : def;
}

static int64_t
copy_kind(const struct db_work *w)
{
	size_t n, i;
	const char *s = rec_raw(w->r, w->cols->copy_kind, &n);

	for (i = 0; s != NULL && i < ARRAY_LEN(copy_kinds); i++)
		if (strlen(copy_kinds[i]) == n &&
		    memcmp(copy_kinds[i], s, n) == 0)
			return (int64_t)i;
	return 0;
}

static int64_t
sync_kind(const struct db_work *w)
{
	size_t n, i;
	const char *s = rec_raw(w->r, w->cols->copy_kind, &n);

	for (i = 0; s != NULL && i < ARRAY_LEN(sync_kinds); i++)
		if (strlen(sync_kinds[i].kind) == n &&
		    memcmp(sync_kinds[i].kind, s, n) == 0)
			return sync_kinds[i].no;
	return 0;
}

static void
put_other(struct db_halves *d, const struct db_work *w, int64_t nth)
{
	const struct db_cols *c = w->cols;
	int64_t api = text_col(d, w->r, c->api), start, stop;

	work_api(w, &start, &stop);
	if (w->kind == K_COPY)
		DB_ADD(&d->db, T_MEMCPYS, w->id, w->op->id, nth, api, start,
		    stop, w->start, w->end, number_or(w, c->bytes, 0),
		    copy_kind(w), w->dev, w->pid, w->tid);
	else if (w->kind == K_SET)
		DB_ADD(&d->db, T_MEMSETS, w->id, w->op->id, nth, api, start,
		    stop, w->start, w->end, number_or(w, c->bytes, 0), w->dev,
		    w->pid, w->tid);
	else
		DB_ADD(&d->db, T_CUDA_SYNCS, w->id, w->op->id, nth, api, start,
		    stop, INT64_C(0), INT64_C(0), sync_kind(w),
		    number_or(w, c->event, (int64_t)UINT32_MAX), w->dev, w->pid,
		    w->tid);
}

static void
put_call(struct db_halves *d, const struct db_work *w, int64_t nth)
{
	int64_t start, stop;

	work_api(w, &start, &stop);
	DB_ADD(&d->db, T_CUDA_CALLS, w->id, w->op->id, nth,
	    text_col(d, w->r, w->cols->api), start, stop, w->pid, w->tid);
}

void
raw_work(struct db_halves *d, const struct db_work *w)
{
	int64_t nth = raw_nth(d, w);

	d->n_no_call += !w->has_api;
	d->n_graph += w->kind == K_GRAPH;
	if (w->kind == K_KERN || w->kind == K_GRAPH)
		put_kern(d, w, nth);
	else if (w->kind == K_CALL)
		put_call(d, w, nth);
	else
		put_other(d, w, nth);
}

static int64_t
end_col(
    const struct rec *r, const struct rec_col *start, const struct rec_col *dur)
{
	int64_t a, b;

	if (!rec_i64(r, start, &a) || !rec_dur(r, dur, &b))
		return DB_NULL;
	return num_add(a, b);
}

static void
on_range(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_range_cols *c = rec_arg(r);

	if (d->raw && rec_int(r, c->start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, T_DLP_RANGES, rec_int(r, c->id, 0),
		    rec_int(r, c->start, DB_NULL), end_col(r, c->start, c->dur),
		    rec_int(r, c->pid, DB_NULL), rec_int(r, c->tid, DB_NULL),
		    rec_int(r, c->end_tid, DB_NULL), text_col(d, r, c->domain),
		    text_col(d, r, c->mode), text_col(d, r, c->text),
		    rec_int(r, c->level, DB_NULL), text_col(d, r, c->layer));
	stage_pass(st, r);
}

static void
on_os(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_os_cols *c = rec_arg(r);

	if (d->raw && rec_int(r, c->start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, T_DLP_OS_CALLS, rec_int(r, c->id, 0),
		    rec_int(r, c->start, DB_NULL), end_col(r, c->start, c->dur),
		    rec_int(r, c->pid, DB_NULL), rec_int(r, c->tid, DB_NULL),
		    text_col(d, r, c->name));
	stage_pass(st, r);
}

static void
on_mem(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct db_mem_cols *c = rec_arg(r);

	if (d->raw && rec_int(r, c->start, DB_NULL) != DB_NULL)
		DB_ADD(&d->db, T_DLP_MEMORY, rec_int(r, c->id, 0),
		    rec_int(r, c->start, DB_NULL), rec_int(r, c->pid, DB_NULL),
		    rec_int(r, c->dev, DB_NULL), text_col(d, r, c->op),
		    rec_int(r, c->bytes, DB_NULL), rec_int(r, c->addr, DB_NULL),
		    text_col(d, r, c->kind), rec_int(r, c->pool, DB_NULL),
		    rec_int(r, c->pool_bytes, DB_NULL));
	stage_pass(st, r);
}

void
own_op(struct db_halves *d, int64_t op_id, const char *by, size_t n)
{

	DB_ADD(&d->db, T_DLP_OPS, op_id, db_word_id(d, db_word(d, by, n)));
}

void
own_dev(struct db_halves *d, const struct db_dev *dev)
{

	DB_ADD(&d->db, T_DLP_DEVICES, INT64_C(0), dev->dev, dev->clock_hz,
	    dev->mem_bytes, dev->membw_bytes_s);
}

/* The largest amount of memory that was allocated on the device at one time. */
int64_t
own_mem_peak(struct db_halves *d, int64_t dev)
{
	struct buf b = { 0 };
	int64_t peak;

	buf_printf(&b,
	    "SELECT max(used) FROM (SELECT sum(CASE (SELECT string FROM"
	    " dictionary s WHERE s.id = m.op_id) WHEN 'alloc' THEN num_bytes"
	    " WHEN 'free' THEN -num_bytes END) OVER (ORDER BY id) AS used"
	    " FROM dlp_memory m WHERE ifnull(device_id, 0) = %lld AND"
	    " kind_id IN (SELECT id FROM dictionary WHERE string IN"
	    " ('', 'device')))",
	    (long long)dev);
	peak = db_int(&d->db, buf_str(&b), 0);
	buf_free(&b);
	return peak;
}

/* True if dlp-iter chose the fact, so that it does not describe the profile. */
static bool
is_choice(const char *s, size_t n)
{
	static const char *const names[] = { "key_op", "key_op_found", "n_iter",
		"n_iter_aggregated", "iter_start", "iter_stop" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0)
			return true;
	return false;
}

void
own_facts(struct db_halves *d)
{
	const char *s;
	uint32_t no;
	size_t n;

	for (no = 0; no < d->infos.n; no++) {
		s = smap_str(&d->infos, no, &n);
		if (d->infos.val[no] == 0 || is_choice(s, n))
			continue;
		db_put(&d->db, T_DLP_FACTS, 0, "tt", s,
		    db_word_text(d, (uint32_t)d->infos.val[no] - 1));
	}
}

static void
bind_range(struct db_range_cols *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "range", on_range, NULL, c);

	REC_COLS(t, REC_NEED, { &c->start, "start_ns" }, { &c->dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &c->id, "id" }, { &c->pid, "pid" },
	    { &c->tid, "tid" }, { &c->end_tid, "end_tid" },
	    { &c->domain, "domain" }, { &c->mode, "mode" },
	    { &c->text, "text" }, { &c->level, "level" },
	    { &c->layer, "layer" });
}

static void
bind_os(struct db_os_cols *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "os", on_os, NULL, c);

	REC_COLS(t, REC_NEED, { &c->start, "start_ns" }, { &c->dur, "dur_ns" });
	REC_COLS(t, REC_OPT, { &c->id, "id" }, { &c->pid, "pid" },
	    { &c->tid, "tid" }, { &c->name, "name" });
}

static void
own_start(struct db_raw *w, struct stage *st)
{
	struct db_mem_cols *c = &w->mem;
	struct rec_type *t = stage_on(st, "mem", on_mem, NULL, c);

	REC_COLS(t, REC_OPT, { &c->id, "id" }, { &c->start, "start_ns" },
	    { &c->pid, "pid" }, { &c->dev, "dev" }, { &c->op, "op" },
	    { &c->bytes, "bytes" }, { &c->addr, "addr" }, { &c->kind, "kind" },
	    { &c->pool, "pool" }, { &c->pool_bytes, "pool_bytes" });
	bind_range(&w->range, st);
	bind_os(&w->os, st);
}

void
raw_start(struct db_halves *d, struct stage *st)
{
	d->raws = xcalloc(1, sizeof(*d->raws));
	own_start(d->raws, st);
}
