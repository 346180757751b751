/* The raw half: rows of work. Those of runs are in raw_run.c. */
#include "raw.h"

#include <stdlib.h>
#include <string.h>

#include "cols.h"
#include "err.h"
#include "num.h"
#include "ops.h"

/* Numbers as Nsight Systems had them in DLProf's days. */
static const char *const copy_kinds[] = { "unknown", "HtoD", "DtoH", "HtoA",
	"AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "UVM-HtoD",
	"UVM-DtoH", "UVM-DtoD" };
static const struct {
	const char *kind;
	int64_t no;
} sync_kinds[] = { { "context", 1 }, { "event", 2 }, { "stream", 3 },
	{ "stream-wait-event", 3 } };

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
dim_id(struct dldb *d, const struct rec *r, const struct rec_col *c)
{
	static struct ins in = { .table = "read_only_grid_block" };
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
		d->dims.val[no] =
		    (uint64_t)db_put(&d->db, &in, 0, "iii", v[0], v[1], v[2]);
	}
	return (int64_t)d->dims.val[no];
}

static int64_t
long_name(struct dldb *d, const struct work *w)
{
	const uint64_t *no;
	int64_t id;

	if (!rec_i64(w->r, work_cols[K_KERN].name_id, &id))
		return text0_id(d, "");
	no = map_get(&d->strs, (uint64_t)id);
	if (no == NULL)
		rec_die(w->r, "str %lld has no record", (long long)id);
	return word_id(d, (uint32_t)*no);
}

/* The run of a whole graph has no table in DLProf's days: it is a kernel of
 * that name, which dlp-parse knows. */
static void
put_kern(struct dldb *d, const struct work *w, int64_t nth)
{
	static struct ins in = { .table = "read_only_kernels" };
	const struct work_cols *c = &work_cols[w->kind];
	int64_t start, stop, name, full;

	name = full = w->kind == K_GRAPH ? text0_id(d, GRAPH_NAME) : 0;
	if (w->kind == K_KERN) {
		name = word_id(d, w->name);
		full = long_name(d, w);
	}
	work_api(w, &start, &stop);
	DB_ADD(&d->db, &in, w->id, w->op->id, nth, name, full, (int64_t)w->tc,
	    start, stop, w->start, w->end, dim_id(d, w->r, c->grid),
	    dim_id(d, w->r, c->block), w->dev, w->pid, w->tid);
}

static int64_t
number(const struct work *w, const struct rec_col *c, int64_t def)
{
	int64_t v;

	return rec_i64(w->r, c, &v) ? v : def;
}

static int64_t
copy_kind(const struct work *w)
{
	size_t n, i;
	const char *s = rec_raw(w->r, work_cols[K_COPY].kind, &n);

	for (i = 0; s != NULL && i < sizeof(copy_kinds) / sizeof(*copy_kinds);
	     i++)
		if (strlen(copy_kinds[i]) == n &&
		    memcmp(copy_kinds[i], s, n) == 0)
			return (int64_t)i;
	return 0;
}

static int64_t
sync_kind(const struct work *w)
{
	size_t n, i;
	const char *s = rec_raw(w->r, work_cols[K_SYNC].kind, &n);

	for (i = 0; s != NULL && i < sizeof(sync_kinds) / sizeof(*sync_kinds);
	     i++)
		if (strlen(sync_kinds[i].kind) == n &&
		    memcmp(sync_kinds[i].kind, s, n) == 0)
			return sync_kinds[i].no;
	return 0;
}

static void
put_other(struct dldb *d, const struct work *w, int64_t nth)
{
	static struct ins copy = { .table = "read_only_memcpys" },
			  set = { .table = "read_only_memsets" },
			  sync = { .table = "read_only_cuda_syncs" };
	const struct work_cols *c = &work_cols[w->kind];
	int64_t api = word_id(d, work_word(d, w->r, c->api)), start, stop;

	work_api(w, &start, &stop);
	if (w->kind == K_COPY)
		DB_ADD(&d->db, &copy, w->id, w->op->id, nth, api, start, stop,
		    w->start, w->end, number(w, c->bytes, 0), copy_kind(w),
		    w->dev, w->pid, w->tid);
	else if (w->kind == K_SET)
		DB_ADD(&d->db, &set, w->id, w->op->id, nth, api, start, stop,
		    w->start, w->end, number(w, c->bytes, 0), w->dev, w->pid,
		    w->tid);
	else
		DB_ADD(&d->db, &sync, w->id, w->op->id, nth, api, start, stop,
		    INT64_C(0), INT64_C(0), sync_kind(w),
		    number(w, c->event, (int64_t)UINT32_MAX), w->dev, w->pid,
		    w->tid);
}

static void
put_call(struct dldb *d, const struct work *w, int64_t nth)
{
	static struct ins in = { .table = "read_only_cuda_calls" };
	int64_t start, stop;

	work_api(w, &start, &stop);
	DB_ADD(&d->db, &in, w->id, w->op->id, nth,
	    word_id(d, work_word(d, w->r, work_cols[w->kind].api)), start, stop,
	    w->pid, w->tid);
}

void
raw_work(struct dldb *d, const struct work *w)
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
