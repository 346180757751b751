/* Records of work, read; see work.h. */
#include "work.h"

#include <string.h>

#include "err.h"
#include "num.h"
#include "ops.h"

struct work_cols work_cols[K_N];

static const char *const tags[K_N] = { "kern", "copy", "set", "sync", "graph",
	"call" };
static struct rec_type *types[K_N];

uint32_t
work_word(struct dldb *d, const struct rec *r, const struct rec_col *c)
{
	static struct buf b;
	const char *s;
	size_t n;

	s = rec_str(r, c, &b, &n);
	return s != NULL ? word(d, s, n) : word(d, "", 0);
}

int64_t
rec_iter(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) && v >= 0 ? v : -1;
}

int64_t
rec_or_none(const struct rec *r, const struct rec_col *c)
{
	int64_t v;

	return rec_i64(r, c, &v) ? v : -1;
}

static bool
is_yes(const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	return s != NULL && n == 3 && memcmp(s, "yes", 3) == 0;
}

static void
read_api(struct work *w, const struct work_cols *c)
{
	if (w->kind == K_CALL) {
		w->has_api = w->own_call = true;
		w->api_start = w->start;
		w->api_dur = num_sub(w->end, w->start);
		return;
	}
	w->has_api = rec_i64(w->r, c->api_start, &w->api_start);
	if (!w->has_api)
		w->tid = -1;
	w->own_call = w->has_api && rec_i64(w->r, c->api_dur, &w->api_dur);
}

void
work_api(const struct work *w, int64_t *start, int64_t *stop)
{
	*start = w->has_api ? w->api_start : w->start;
	*stop = w->own_call ? num_add(*start, w->api_dur) : *start;
}

void
work_read(struct dldb *d, struct work *w, const struct rec *r)
{
	const struct work_cols *c;
	enum kind kind = K_KERN;
	int64_t v;

	while (types[kind] != r->type)
		kind++;
	c = &work_cols[kind];

	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->r = r;
	if (!rec_i64(r, c->start, &w->start))
		rec_die(r, "a record without a start");
	w->end = rec_i64(r, c->dur, &v) ? num_add(w->start, v) : w->start;
	rec_i64(r, c->id, &w->id);
	if (rec_i64(r, c->op_id, &v)) {
		w->op = ops_find(d, v);
		if (w->op == NULL)
			rec_die(r, "op %lld has no record", (long long)v);
	}
	rec_i64(r, c->inst_id, &w->inst);
	w->pid = rec_or_none(r, c->pid);
	w->tid = rec_or_none(r, c->tid);
	w->iter = rec_iter(r, c->iter);
	if (kind != K_CALL)
		w->dev = rec_or_none(r, c->dev);
	if (kind == K_KERN) {
		w->tc = is_yes(r, c->tc);
		w->name = work_word(d, r, c->name);
	}
	read_api(w, c);
}

void
work_on(struct stage *st, enum kind k, stage_fn *fn)
{
	struct work_cols *c = &work_cols[k];
	struct rec_type *t;
	enum rec_need gpu = k == K_CALL ? REC_OPT : REC_NEED;
	enum rec_need kern = k == K_KERN ? REC_NEED : REC_OPT;

	t = types[k] = stage_on(st, tags[k], fn, NULL);
	c->id = rec_col(t, "id", REC_NEED);
	c->start = rec_col(t, "start_ns", REC_NEED);
	c->dur = rec_col(t, "dur_ns", REC_NEED);
	c->pid = rec_col(t, "pid", REC_OPT);
	c->tid = rec_col(t, "tid", REC_OPT);
	c->dev = rec_col(t, "dev", REC_OPT);
	c->op_id = rec_col(t, "op_id", REC_NEED);
	c->inst_id = rec_col(t, "inst_id", REC_NEED);
	c->api = rec_col(t, "api", REC_OPT);
	c->api_start = rec_col(t, "api_start_ns", gpu);
	c->api_dur = rec_col(t, "api_dur_ns", gpu);
	c->iter = rec_col(t, "iter", REC_OPT);
	c->tc = rec_col(t, "tc", kern);
	c->name = rec_col(t, "short", REC_OPT);
	c->name_id = rec_col(t, "name_id", REC_OPT);
	c->grid = rec_col(t, "grid", REC_OPT);
	c->block = rec_col(t, "block", REC_OPT);
	c->bytes = rec_col(t, "bytes", REC_OPT);
	c->kind = rec_col(t, "kind", REC_OPT);
	c->event = rec_col(t, "event", REC_OPT);
}
