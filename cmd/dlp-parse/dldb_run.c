/*
 * Runs of ops. Work names its op and which of the op's runs it belongs to;
 * what a run says of its work is added up while it is open.
 */
#include "dldb_run.h"

#include <stdlib.h>
#include <string.h>

#include "dldb_db.h"
#include "dldb_op.h"
#include "emit.h"
#include "emit_field.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "run.h"
#include "schema.h"

/* Runs of an op are numbered as they stand in the table: mostly that is the
 * order of their starts, and then nothing need be kept. */
static bool
in_start_order(struct dldb *d)
{
	struct map last = { 0 };
	sqlite3_stmt *st;
	uint64_t *v;
	bool is_new, ok = true;
	int64_t start;

	st = db_prepare(d->db, "SELECT read_only_ops_id, cpu_start FROM"
			       " read_only_op_instances ORDER BY rowid");
	while (ok && db_step(st)) {
		v = map_put(&last, (uint64_t)db_i64(st, 0), &is_new);
		start = sqlite3_column_int64(st, 1);
		ok = is_new || (int64_t)*v <= start;
		*v = (uint64_t)start;
	}
	sqlite3_finalize(st);
	map_free(&last);
	return ok;
}

static void
number_runs(struct dldb *d)
{
	struct map n = { 0 };
	sqlite3_stmt *st;

	st = db_prepare(d->db, "SELECT rowid, read_only_ops_id FROM"
			       " read_only_op_instances ORDER BY rowid");
	while (db_step(st))
		*map_put(&d->nth_of, (uint64_t)db_i64(st, 0), NULL) =
		    (*map_put(&n, (uint64_t)db_i64(st, 1), NULL))++;
	sqlite3_finalize(st);
	map_free(&n);
}

void
dldb_run_open(struct dldb *d)
{
	static const char table[] = "read_only_op_instances";

	dldb_op_open(d);
	if (!db_has_column(d->db, table, "read_only_ops_id") ||
	    !db_has_column(d->db, table, "cpu_start") || in_start_order(d))
		return;
	d->disordered = true;
	number_runs(d);
}

void
dldb_run_close(struct dldb *d)
{
	size_t i;

	for (i = 0; i < d->n_run; i++) {
		ivl_by_free(&d->run[i].gpu);
		ivl_free(&d->run[i].api);
	}
	free(d->run);
	free(d->spare);
	map_free(&d->run_at);
	map_free(&d->run_key);
	map_free(&d->nth_of);
	dldb_op_close(d);
}

static struct dldb_run *
new_run(struct dldb *d, uint32_t *no)
{
	struct ivl_by gpu;
	struct ivl api;
	struct dldb_run *r;

	if (d->n_spare > 0) {
		*no = d->spare[--d->n_spare];
	} else {
		if (d->n_run == d->cap_run) {
			d->cap_run = d->cap_run ? d->cap_run * 2 : 64;
			d->run = xrealloc(d->run, d->cap_run, sizeof(*r));
		}
		memset(&d->run[d->n_run++], 0, sizeof(*r));
		*no = (uint32_t)d->n_run;
	}
	r = &d->run[*no - 1];
	gpu = r->gpu;
	api = r->api;
	memset(r, 0, sizeof(*r));
	r->gpu = gpu;
	r->api = api;
	ivl_by_clear(&r->gpu);
	ivl_clear(&r->api);
	r->gpu_lo = INT64_MAX;
	r->gpu_hi = INT64_MIN;
	return r;
}

static void
free_run(struct dldb *d, uint32_t no)
{
	if (d->n_spare == d->cap_spare) {
		d->cap_spare = d->cap_spare ? d->cap_spare * 2 : 64;
		d->spare = xrealloc(d->spare, d->cap_spare, sizeof(*d->spare));
	}
	d->spare[d->n_spare++] = no;
}

/* Both fit: a database cannot have 2^32 ops. What does not is no key. */
static uint64_t
run_key(int64_t op, int64_t nth)
{
	return (uint64_t)op << 32 ^ ((uint64_t)nth & UINT32_MAX);
}

static struct dldb_run *
find_run(const struct dldb *d, int64_t op, int64_t nth)
{
	const uint64_t *no = map_get(&d->run_key, run_key(op, nth));
	struct dldb_run *r;

	if (no == NULL)
		return NULL;
	r = &d->run[*no - 1];
	return r->op == op && r->nth == nth ? r : NULL;
}

void
dldb_run(void *ctx, const struct event *ev, bool wanted)
{
	static int64_t ids; /* of all files */
	struct dldb *d = ctx;
	struct dldb_op *op = dldb_op(d, ev->op, ev);
	struct dldb_run *r;
	const uint64_t *nth;
	uint32_t no;

	r = new_run(d, &no);
	r->op = ev->op;
	r->row = ev->nth;
	r->inst_id = ++ids;
	r->nth = op->nth++;
	nth = d->disordered ? map_get(&d->nth_of, (uint64_t)r->row) : NULL;
	if (nth != NULL)
		r->nth = (int64_t)*nth;
	r->start = ev->start;
	r->wanted = wanted;
	*map_put(&d->run_at, (uint64_t)r->row, NULL) = no;
	*map_put(&d->run_key, run_key(r->op, r->nth), NULL) = no;
}

static void
put_gpu(const struct dldb_run *r, int64_t cpu)
{
	int64_t busy = ivl_len(&r->gpu.all), api = ivl_len(&r->api);
	bool gpu = r->gpu_lo <= r->gpu_hi, on_cpu = cpu != EV_UNSET;

	out_opt(gpu, r->gpu_lo);
	out_opt(gpu, r->gpu_hi);
	out_i64(ivl_by_len(&r->gpu));
	out_opt(on_cpu, num_sub(cpu, api));
	out_i64(gpu ? num_sub(num_sub(r->gpu_hi, r->gpu_lo), busy) : 0);
	out_opt(on_cpu, api);
	out_i64(r->n_kern);
	out_i64(r->n_gpu);
	out_opt(on_cpu, r->n_call);
}

static void
put_run(struct dldb *d, const struct dldb_run *r, const struct event *ev)
{
	static const char *const cols[] = { "inst_id", "op_id", "start_ns",
		"dur_ns", "pid", "tid", "gpu_start_ns", "gpu_end_ns", "gpu_ns",
		"overhead_ns", "idle_ns", "api_ns", "n_kern", "n_gpu", "n_call",
		"op", "dir", "seq", "fwd_inst_id", "layer", "phase",
		"launch_id" };
	static struct dldb_type type = { "inst", cols, 22, NULL };
	struct dldb_op *op = dldb_op(d, r->op, NULL);
	int64_t cpu =
	    ev->corr == EV_UNSET ? EV_UNSET : num_sub(ev->corr, r->start);

	dldb_rec(&type);
	out_i64(r->inst_id);
	out_i64(op->op_id);
	out_i64(r->start);
	emit_dur(r->start, ev->corr);
	emit_num(ev->pid);
	emit_num(ev->tid);
	put_gpu(r, cpu);
	emit_word(dldb_op_type(d, op));
	emit_word(dldb_op_dir(d, op));
	out_unsets(5);
	emit_src(profile_cur());
	out_end();
}

void
dldb_run_end(void *ctx, const struct event *ev)
{
	struct dldb *d = ctx;
	const uint64_t *no = map_get(&d->run_at, (uint64_t)ev->nth);
	struct dldb_run *r;
	uint32_t n;

	if (no == NULL)
		return;
	n = (uint32_t)*no;
	r = &d->run[n - 1];
	if (r->wanted)
		put_run(d, r, ev);
	map_del(&d->run_at, (uint64_t)r->row);
	map_del(&d->run_key, run_key(r->op, r->nth));
	free_run(d, n);
}

static void
count_gpu(struct dldb_run *r, const struct event *ev)
{
	int64_t end = ev->gpu.own.end;

	if (end == EV_UNSET || end < ev->gpu.own.start)
		return;
	ivl_by_add(&r->gpu, ev->gpu.dev, ev->gpu.own.start, end);
	if (ev->gpu.own.start < r->gpu_lo)
		r->gpu_lo = ev->gpu.own.start;
	if (end > r->gpu_hi)
		r->gpu_hi = end;
	r->n_gpu++;
	if (ev->kind == EV_KERN)
		r->n_kern++;
}

bool
dldb_work(void *ctx, const struct event *ev, struct work_op *w)
{
	struct dldb *d = ctx;
	struct dldb_run *r;
	struct dldb_op *op;

	if (ev->op == EV_UNSET)
		return false;
	op = dldb_op(d, ev->op, NULL);
	w->op_id = op->op_id;
	w->inst_id = w->op_start = EV_UNSET;
	w->op = dldb_op_type(d, op);
	w->dir = dldb_op_dir(d, op);
	w->none = op->none;
	r = find_run(d, ev->op, ev->nth);
	if (r == NULL) {
		d->stray++;
		return true;
	}
	w->inst_id = r->inst_id;
	w->op_start = r->start;
	if (!EV_IS_GPU(ev->kind) ||
	    (!ev->gpu.own.none && ev->end != ev->start)) {
		r->n_call++;
		ivl_add(&r->api, ev->start, ev->end);
	}
	if (EV_IS_GPU(ev->kind) && ev->kind != EV_SYNC)
		count_gpu(r, ev);
	return true;
}
