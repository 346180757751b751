/* The records of gaps; see put.h. */
#include "put.h"

#include <string.h>

#include "num.h"
#include "out.h"

static const char *const names[] = { "start_ns", "dur_ns", "dev", "iter",
	"class", "before", "after", "did", "what", "what_ns", "what_tid", "pid",
	"tid", "launch_ns", "phase", "layer", "op", "before_id", "after_id",
	"src" };
#define N_NAMES ((int)(sizeof(names) / sizeof(names[0])))

struct verdict {
	const char *class, *did;
	struct best best;
};

static struct verdict
of_kind(enum did d, const struct story *s)
{
	struct verdict v = { did_class(d), did_word(d), { 0, 0, SMAP_NONE } };

	if (d != D_N)
		v.best = s->best[d];
	return v;
}

/* The thread came late: what it did from the begin of the gap until its call
 * was over. */
static struct verdict
late(const struct work *w, int64_t start, int64_t end)
{
	struct act own = { w->api, w->api_end, w->tid, w->did, w->call };
	struct story s;
	struct verdict v;
	enum did d;

	if (w->story != NULL)
		s = *w->story;
	else
		memset(&s, 0, sizeof(s));
	story_add(&s, &own, start, end);
	if (w->api_end < end)
		end = w->api_end;
	d = story_did(&s, num_sub(end, start));
	v = of_kind(d, &s);
	if (d == D_API && v.best.ns >= PAST_LONG &&
	    v.best.ns >= num_sub(end, start) - v.best.ns)
		v.class = "startup";
	if (d == D_N && num_sub(end, start) < PAST_BRIEF)
		v.class = did_class(D_API);
	if (d == D_N && w->label.layer != SMAP_NONE) {
		v.did = "range";
		v.best.name = w->label.layer;
	}
	return v;
}

static struct verdict
judge(const struct work *w, int64_t start, int64_t end)
{
	static const struct verdict no_call = { "unknown", NULL,
		{ 0, 0, SMAP_NONE } };
	static const struct verdict in_time = { "queued", NULL,
		{ 0, 0, SMAP_NONE } };

	if (!w->has_api)
		return no_call;
	if (w->api <= start && w->api_end <= start)
		return in_time;
	return late(w, start, end);
}

static void
put_name(const struct gaps *g, uint32_t no)
{
	size_t n = 0;
	const char *s = no != SMAP_NONE ? smap_str(&g->names, no, &n) : NULL;

	out_raw(s, n);
}

static void
put_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}

static void
put_verdict(const struct gaps *g, const struct verdict *v)
{
	bool has = v->best.ns > 0; /* of a range the length is not known */

	put_word(v->did);
	put_name(g, v->best.name);
	out_opt(has, v->best.ns);
	out_opt(has, v->best.tid);
}

static void
put_work(const struct gaps *g, const struct dev *d, const struct work *w)
{
	out_opt(w->has_tid, w->pid);
	out_opt(w->has_tid, w->tid);
	out_opt(w->has_api, w->api);
	put_name(g, w->label.phase);
	put_name(g, w->label.layer);
	put_name(g, w->label.op);
	out_i64(d->last.id);
	out_i64(w->label.id);
}

void
put_gap(const struct gaps *g, const struct file *f, const struct dev *d,
    int64_t end, const struct work *w)
{
	static struct out_type *types[2]; /* with src or without */
	struct out_type **t = &types[f->name != NULL];
	struct verdict v = judge(w, d->idle_from, end);

	if (*t == NULL)
		*t = out_type("gap", names, N_NAMES - (f->name == NULL));
	out_rec(*t);
	out_i64(d->idle_from);
	out_i64(num_sub(end, d->idle_from));
	out_i64(d->no);
	put_name(g, w->label.iter);
	put_word(v.class);
	put_name(g, d->last.name);
	put_name(g, w->label.name);
	put_verdict(g, &v);
	put_work(g, d, w);
	if (f->name != NULL)
		put_word(f->name);
	out_end();
}
