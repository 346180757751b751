/* The records of work, with the columns of their places added. */
#include "feed_put.h"

#include "corr.h"
#include "phase_text.h"
#include "place.h"
#include "pyprof.h"

static const char *const added[] = { "op_id", "inst_id", "op_start_ns", "mod",
	"op", "dir", "seq", "altseq", "sub", "layer", "phase", "phase_by",
	"why", "prim_id", "prim_run" };

/* Products are of kernels only. */
struct out_ext *
put_ext(enum work_type type)
{
	int n = (int)(sizeof(added) / sizeof(added[0]));

	return out_ext(added, type == W_KERN ? n : n - 2);
}

static void
put(struct text t)
{
	out_raw(t.s, t.n);
}

static void
put_phase(const struct place *pl)
{
	static const char *const by[] = { "range", "thread", "graph" };
	const char *w;

	if (pl->phase == 0) {
		out_unset();
		out_unset();
		return;
	}
	w = phase_word(pl->phase);
	out_raw(w, strlen(w));
	out_raw(by[pl->phase_by], strlen(by[pl->phase_by]));
}

static void
put_rest(const struct place *pl)
{
	const char *w = why_word(pl->why);

	if (pl->layer.n > 0)
		put(pl->layer);
	else
		out_unset();
	put_phase(pl);
	out_raw(w, w != NULL ? strlen(w) : 0);
	if (!pl->kern)
		return;
	out_opt(pl->prim != 0, pl->prim);
	out_opt(pl->prim != 0, (int64_t)pl->prim_run);
}

static void
put_op(const struct corr *c, const struct place *pl)
{
	const struct op *op = op_get(&c->ops, pl->op);

	out_i64(op->no);
	if (pl->in == NULL) {
		out_unsets(5);
		return;
	}
	out_i64((int64_t)pl->in->id);
	out_i64(pl->in->start);
	put(op->f[OF_MOD]);
	put(op->f[OF_OP]);
	if (op->none)
		out_unset();
	else
		out_raw(op->bwd ? "bprop" : "fprop", 5);
}

/* As put_op, with PyProf's answers instead of the op's. */
static void
put_op_over(
    const struct corr *c, const struct place *pl, const struct pycols *o)
{
	out_i64(op_get(&c->ops, pl->op)->no);
	out_opt(pl->in != NULL, pl->in != NULL ? (int64_t)pl->in->id : 0);
	out_opt(pl->in != NULL, pl->in != NULL ? pl->in->start : 0);
	put(o->mod);
	put(o->op);
	out_raw(o->bwd ? "bprop" : "fprop", 5);
}

void
put_kern(struct out_ext *x, const struct corr *c, const struct work *w,
    const struct place *pl, struct rec *r)
{
	static struct pycols o;

	if (op_get(&c->ops, pl->op)->none && pl->in != NULL) {
		put_other(x, c, pl, r);
		return;
	}
	pyprof_kernel(&c->names, &c->ops, w, pl, &o);
	if (c->dlprof)
		o.over = false;
	out_ext_begin(x, r);
	if (o.over)
		put_op_over(c, pl, &o);
	else
		put_op(c, pl);
	out_opt(o.has_seq, o.seq);
	out_raw(o.alt.len > 0 ? o.alt.s : NULL, o.alt.len);
	out_opt(o.sub >= 0, o.sub);
	put_rest(pl);
	out_ext_end(x, r);
}

void
put_other(struct out_ext *x, const struct corr *c, const struct place *pl,
    struct rec *r)
{
	out_ext_begin(x, r);
	put_op(c, pl);
	out_opt(pl->in != NULL && pl->in->seq >= 0,
	    pl->in != NULL ? pl->in->seq : 0);
	out_unset();
	out_unset();
	put_rest(pl);
	out_ext_end(x, r);
}
