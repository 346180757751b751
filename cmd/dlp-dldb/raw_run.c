/*
 * The raw half: runs of ops. A run gets its row's id and its number in its op
 * when it is first heard of, which can be by its work, before its own record
 * comes.
 */
#include "raw.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "num.h"
#include "ops.h"

struct seen { /* a run that is open */
	struct op *op;
	int64_t op_id, row, nth;
	int64_t start, end, pid, tid; /* of its work so far */
};

struct raw {
	struct map at; /* inst_id -> number in v, from 1 */
	struct seen *v;
	size_t n, cap;
	uint32_t *spare;
	size_t n_spare, cap_spare;
	int64_t rows;
};

void
raw_start(struct dldb *d)
{
	d->raws = xcalloc(1, sizeof(*d->raws));
}

void
raw_free(struct dldb *d)
{
	map_free(&d->raws->at);
	free(d->raws->v);
	free(d->raws->spare);
	free(d->raws);
}

static uint32_t
new_seen(struct raw *w)
{
	if (w->n_spare > 0)
		return w->spare[--w->n_spare];
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		w->v = xrealloc(w->v, w->cap, sizeof(*w->v));
	}
	return (uint32_t)++w->n;
}

static struct seen *
see(struct dldb *d, int64_t inst, struct op *op, const struct work *by)
{
	struct raw *w = d->raws;
	bool is_new;
	uint64_t *no = map_put(&w->at, (uint64_t)inst, &is_new);
	struct seen *s;

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
put_run(struct dldb *d, const struct seen *s, const struct op *op,
    int64_t start, int64_t stop, int64_t pid, int64_t tid)
{
	static struct ins in = { .table = "read_only_op_instances" };

	DB_ADD(&d->db, &in, s->row, op->id, start, stop, pid, tid, op->names_id,
	    op->shapes_id, op->out_names_id, op->out_id, text0_id(d, "null\n"));
}

void
raw_run(struct dldb *d, const struct run *u)
{
	struct raw *w = d->raws;
	struct seen *s = see(d, u->id, u->op, NULL);
	uint32_t no = (uint32_t)(s - w->v) + 1;

	if (s->op_id != u->op->id)
		die("%s: run %lld is of two ops", d->path, (long long)u->id);
	/* of what was not seen on the CPU the thread is unknown, too */
	put_run(d, s, u->op, u->start,
	    num_add(u->start, u->dur > 0 ? u->dur : 0), u->pid,
	    u->dur >= 0 ? u->tid : -1);
	map_del(&w->at, (uint64_t)u->id);
	if (w->n_spare == w->cap_spare) {
		w->cap_spare = w->cap_spare ? w->cap_spare * 2 : 64;
		w->spare = xrealloc(w->spare, w->cap_spare, sizeof(*w->spare));
	}
	w->spare[w->n_spare++] = no;
}

void
raw_end(struct dldb *d)
{
	struct raw *w = d->raws;
	uint64_t inst, no;
	struct seen *s;
	size_t it = 0;

	while (map_next(&w->at, &it, &inst, &no)) {
		s = &w->v[no - 1];
		put_run(d, s, ops_find(d, s->op_id), s->start, s->end, s->pid,
		    s->tid);
	}
}

/* A run for work that names none. */
static int64_t
lone_run(struct dldb *d, const struct work *w)
{
	struct seen s = { 0 };
	int64_t start, stop;

	s.row = ++d->raws->rows;
	work_api(w, &start, &stop);
	put_run(d, &s, w->op, start, stop, w->pid, w->has_api ? w->tid : -1);
	return w->op->n_runs++;
}

int64_t
raw_nth(struct dldb *d, const struct work *w)
{
	int64_t start, stop;
	struct seen *s;

	if (w->inst == 0)
		return lone_run(d, w);
	s = see(d, w->inst, w->op, w);
	work_api(w, &start, &stop);
	if (stop > s->end)
		s->end = stop;
	return s->nth;
}
