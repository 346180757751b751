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
	w->pid = rec_int(r, c->pid, -1);
	w->tid = rec_int(r, c->tid, -1);
	w->iter = rec_iter(r, c->iter);
	if (kind != K_CALL)
		w->dev = rec_int(r, c->dev, -1);
	if (kind == K_KERN) {
		w->tc = rec_is(r, c->tc, "yes");
		w->name = work_word(d, r, c->name);
	}
	read_api(w, c);
}

void
work_on(struct stage *st, enum kind k, stage_fn *fn)
{
	struct work_cols *c = &work_cols[k];
	struct rec_type *t;

	t = types[k] = stage_on(st, tags[k], fn, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->id, "id" }, { &c->start, "start_ns" },
	    { &c->dur, "dur_ns" }, { &c->op_id, "op_id" },
	    { &c->inst_id, "inst_id" });
	REC_COLS(t, k == K_CALL ? REC_OPT : REC_NEED,
	    { &c->api_start, "api_start_ns" }, { &c->api_dur, "api_dur_ns" });
	c->tc = rec_col(t, "tc", k == K_KERN ? REC_NEED : REC_OPT);
	REC_COLS(t, REC_OPT, { &c->pid, "pid" }, { &c->tid, "tid" },
	    { &c->dev, "dev" }, { &c->api, "api" }, { &c->iter, "iter" },
	    { &c->name, "short" }, { &c->name_id, "name_id" },
	    { &c->grid, "grid" }, { &c->block, "block" },
	    { &c->bytes, "bytes" }, { &c->kind, "kind" },
	    { &c->event, "event" });
}
