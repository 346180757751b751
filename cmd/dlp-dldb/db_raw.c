/*
 * The raw half: rows of work, of runs of ops, and of records for which DLProf
 * has no table.
 */
#include "db.h"

#include <string.h>

#include "array.h"
#include "cols.h"
#include "err.h"

struct raw_seen { /* a run that is open */
	int64_t op_id, row, nth;
	int64_t start, end, pid, tid; /* of its work so far */
};

struct db_raw {
	struct map at; /* inst_id -> number in v, from 1 */
	struct raw_seen *v;
	size_t n, cap;
	uint32_t *spare;
	size_t n_spare, cap_spare;
	int64_t rows;
};

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
	if (w->n_spare > 0) {
		*no = w->spare[--w->n_spare];
	} else {
		ARRAY_GROW(w->v, w->n, w->cap);
		*no = (uint32_t)++w->n;
	}
	s = &w->v[*no - 1];
	memset(s, 0, sizeof(*s));
	s->op_id = op->id;
	s->row = ++w->rows;
	s->nth = op->n_runs++;
	if (by != NULL) {
		s->start = s->end = by->has_api ? by->api_start : by->start;
		s->pid = by->pid;
		s->tid = by->tid;
	}
	return s;
}

static void
put_run(struct db_halves *d, int64_t row, const struct db_op *op, int64_t start,
    int64_t stop, int64_t pid, int64_t tid)
{
	DBW_ADD(&d->db, T_OP_INSTANCES, row, op->id, start, stop, pid, tid,
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
	put_run(d, s->row, u->op, u->start,
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
		put_run(d, s->row, ops_find(d, s->op_id), s->start, s->end,
		    s->pid, s->tid);
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

/* The number of its run in its op; a run of its own if it names none. */
static int64_t
raw_nth(struct db_halves *d, const struct db_work *w)
{
	int64_t start, stop;
	struct raw_seen *s;

	work_api(w, &start, &stop);
	if (w->inst == 0) {
		put_run(d, ++d->raws->rows, w->op, start, stop, w->pid,
		    w->has_api ? w->tid : -1);
		return w->op->n_runs++;
	}
	s = see(d, w->inst, w->op, w);
	if (stop > s->end)
		s->end = stop;
	return s->nth;
}

/* The numbers in the versions of Nsight Systems that DLProf read. */
static const char *const copy_kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
	"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM-HtoD",
	"UVM-DtoH", "UVM-DtoD" };
static const char *const sync_kinds[] = { "", "context", "event", "stream" };

/* 0 if it is unset, or another one. */
static int64_t
kind_no(const struct db_work *w, const char *const *kinds, size_t n)
{
	struct mview kind = rec_get(w->r, COL_kind);
	size_t i;

	for (i = 0; i < n; i++)
		if (mv_eq(kind, kinds[i]))
			return (int64_t)i;
	return 0;
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
dim_id(struct db_halves *d, const struct rec *r, int col)
{
	struct mview dim = rec_get(r, col);
	uint32_t no;
	int64_t v[3];

	if (dim.s == NULL)
		dim = (struct mview){ "0,0,0", 5 };
	no = smap_put(&d->dims, dim.s, dim.n, NULL);
	if (d->dims.val[no] == 0) {
		if (!three(dim.s, dim.n, v))
			rec_die(r, "%s: no size 'x,y,z': '%.*s'", col_name(col),
			    (int)dim.n, dim.s);
		d->dims.val[no] = (uint64_t)dbw_put(
		    &d->db, T_GRID_BLOCK, 0, "iii", v[0], v[1], v[2]);
	}
	return (int64_t)d->dims.val[no];
}

/* The dictionary's id of a field; that of "" if it is unset. */
static int64_t
text_col(struct db_halves *d, const struct rec *r, int col)
{
	return db_word_id(d, db_col_word(d, r, col));
}

static int64_t
long_name(struct db_halves *d, const struct rec *r)
{
	const uint64_t *no;
	int64_t id;

	if (!rec_num(r, COL_name_id, &id))
		return db_str_id(d, "");
	no = map_get(&d->strs, (uint64_t)id);
	if (no == NULL)
		rec_die(r, "str %lld has no record", (long long)id);
	return db_word_id(d, (uint32_t)*no);
}

void
raw_work(struct db_halves *d, const struct db_work *w)
{
	int64_t nth = raw_nth(d, w), start, stop, name, full;
	const struct rec *r = w->r;
	struct dbw *db = &d->db;

	d->n_no_call += !w->has_api;
	work_api(w, &start, &stop);
	switch (w->kind) {
	case K_KERN:
	case K_GRAPH:
		/* DLProf has no table for runs of whole graphs. Each becomes a
		 * kernel of that name, which dlp-parse recognises. */
		d->n_graph += w->kind == K_GRAPH;
		name = full = w->kind == K_GRAPH ? db_str_id(d, GRAPH_NAME) : 0;
		if (w->kind == K_KERN) {
			name = db_word_id(d, w->name);
			full = long_name(d, r);
		}
		DBW_ADD(db, T_KERNELS, w->id, w->op->id, nth, name, full, w->tc,
		    start, stop, w->start, w->end, dim_id(d, r, COL_grid),
		    dim_id(d, r, COL_block), w->dev, w->pid, w->tid);
		break;
	case K_CALL:
		DBW_ADD(db, T_CUDA_CALLS, w->id, w->op->id, nth,
		    text_col(d, r, COL_api), start, stop, w->pid, w->tid);
		break;
	case K_COPY:
		DBW_ADD(db, T_MEMCPYS, w->id, w->op->id, nth,
		    text_col(d, r, COL_api), start, stop, w->start, w->end,
		    rec_num_or(r, COL_bytes, 0),
		    kind_no(w, copy_kinds, ARRAY_LEN(copy_kinds)), w->dev,
		    w->pid, w->tid);
		break;
	case K_SET:
		DBW_ADD(db, T_MEMSETS, w->id, w->op->id, nth,
		    text_col(d, r, COL_api), start, stop, w->start, w->end,
		    rec_num_or(r, COL_bytes, 0), w->dev, w->pid, w->tid);
		break;
	default:
		DBW_ADD(db, T_CUDA_SYNCS, w->id, w->op->id, nth,
		    text_col(d, r, COL_api), start, stop, 0, 0,
		    mv_eq(rec_get(r, COL_kind), "stream-wait-event")
			? 3
			: kind_no(w, sync_kinds, ARRAY_LEN(sync_kinds)),
		    rec_num_or(r, COL_event, UINT32_MAX), w->dev, w->pid,
		    w->tid);
	}
}

/* Records for which DLProf has no table become rows of our own: the columns
 * after id. Texts are ids in the dictionary, dur_ns becomes the end. */
static const struct own {
	const char *tag, *need, *opt;
	enum db_table table;
	int n;
	struct {
		int col;
		bool text;
	} cols[10];
} own_rows[] = {
	{ "range", "start_ns dur_ns",
	    "id pid tid end_tid domain mode text level layer", T_DLP_RANGES, 10,
	    { { COL_start_ns, false }, { COL_dur_ns, false },
		{ COL_pid, false }, { COL_tid, false }, { COL_end_tid, false },
		{ COL_domain, true }, { COL_mode, true }, { COL_text, true },
		{ COL_level, false }, { COL_layer, true } } },
	{ "os", "start_ns dur_ns", "id pid tid name", T_DLP_OS_CALLS, 5,
	    { { COL_start_ns, false }, { COL_dur_ns, false },
		{ COL_pid, false }, { COL_tid, false }, { COL_name, true } } },
	{ "mem", "", "id start_ns pid dev op bytes addr kind pool pool_bytes",
	    T_DLP_MEMORY, 9,
	    { { COL_start_ns, false }, { COL_pid, false }, { COL_dev, false },
		{ COL_op, true }, { COL_bytes, false }, { COL_addr, false },
		{ COL_kind, true }, { COL_pool, false },
		{ COL_pool_bytes, false } } },
};

static void
on_own(struct stage *st, struct rec *r)
{
	struct db_halves *d = st->ctx;
	const struct own *o = rec_arg(r);
	int64_t row[11], start = rec_num_or(r, COL_start_ns, DBW_NULL), dur;
	int i, col;

	if (d->raw && start != DBW_NULL) {
		row[0] = rec_num_or(r, COL_id, 0);
		for (i = 0; i < o->n; i++) {
			col = o->cols[i].col;
			if (o->cols[i].text)
				row[i + 1] = text_col(d, r, col);
			else if (col != COL_dur_ns)
				row[i + 1] = rec_num_or(r, col, DBW_NULL);
			else
				row[i + 1] = rec_length(r, col, &dur)
						 ? num_add(start, dur)
						 : DBW_NULL;
		}
		dbw_add(&d->db, o->table, row, o->n + 1);
	}
	stage_pass(st, r);
}

void
raw_start(struct db_halves *d, struct stage *st)
{
	const struct own *o;

	d->raws = xcalloc(1, sizeof(*d->raws));
	for (o = own_rows; o < own_rows + ARRAY_LEN(own_rows); o++)
		stage_on(st, o->tag, on_own, .need = o->need, .opt = o->opt,
		    .arg = (void *)(uintptr_t)o);
}
