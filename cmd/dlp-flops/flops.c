/*
 * The records that dlp-flops notes and passes on: strings, devices and ops;
 * and the section's beginning and end.
 */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "cell.h"
#include "err.h"
#include "flops.h"
#include "kern.h"
#include "namerule.h"
#include "pat.h"
#include "memory.h"
#include "result.h"
#include "share.h"
#include "wait.h"

static struct {
	struct rec_col *id, *text;
} sc; /* str */
static struct {
	struct rec_col *dev, *cc, *name, *src;
} dc;
static struct {
	struct rec_col *id, *mod, *op, *dir, *shapes, *args, *bwd, *fwd, *text,
	    *repr;
} oc;
static struct {
	struct rec_col *id, *op, *shapes;
} pc; /* prim */
static struct {
	struct rec_col *run, *shape;
} rc; /* result */

static void
on_str(struct stage *st, struct rec *r)
{
	static struct buf tmp;
	int64_t id;
	size_t n;
	const char *s = rec_str(r, sc.text, &tmp, &n);

	if (rec_i64(r, sc.id, &id) && s != NULL)
		state_str(id, s, n);
	stage_pass(st, r);
}

/* The small Turing chips have no Tensor Cores, and the same compute
 * capability as the large ones. */
static bool
small_turing(const char *name, size_t n)
{
	static struct buf lower;

	buf_clear(&lower);
	name_lower(&lower, name, n);
	return pat_match(
	    "gtx|mx450|mx550|t400|t500|t550|t600|t1000|t1200|t2000", lower.s,
	    lower.len);
}

static void
on_dev(struct stage *st, struct rec *r)
{
	static struct buf tmp;
	size_t n;
	int64_t dev;
	double cc;
	int cc10;
	const char *name = rec_str(r, dc.name, &tmp, &n);
	size_t nsrc;
	const char *src = rec_raw(r, dc.src, &nsrc);

	if (rec_i64(r, dc.dev, &dev) && rec_f64(r, dc.cc, &cc) && cc > 0 &&
	    cc < 1000) {
		cc10 = (int)(cc * 10 + 0.5);
		state_dev(state_place(src, nsrc, dev), cc10,
		    cc10 == 75 && name != NULL && small_turing(name, n));
	}
	stage_pass(st, r);
}

/* A field kept for the section; NULL if unset. */
static const char *
keep(const struct rec *r, const struct rec_col *c, size_t *n)
{
	static struct buf tmp;
	const char *s = rec_str(r, c, &tmp, n);

	return s == NULL ? NULL : state_keep(s, *n);
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct op *op;
	int64_t id;
	size_t n;
	static struct buf tmp;
	const char *text, *dir = rec_raw(r, oc.dir, &n);

	if (rec_i64(r, oc.id, &id)) {
		op = state_op_new(id);
		op->bprop =
		    dir != NULL && n == 5 && memcmp(dir, "bprop", 5) == 0;
		op->mod = keep(r, oc.mod, &op->mod_len);
		op->name = keep(r, oc.op, &op->name_len);
		op->args = keep(r, oc.args, &op->args_len);
		op->shapes = keep(r, oc.shapes, &op->shapes_len);
		op->grad = keep(r, oc.bwd, &op->grad_len);
		op->repr = keep(r, oc.repr, &n);
		op->has_fwd = rec_i64(r, oc.fwd, &op->fwd_id);
		if (op->name != NULL)
			op->rule = rule_find(op->mod,
			    op->mod == NULL ? 0 : op->mod_len, op->name,
			    op->name_len);
		text = rec_str(r, oc.text, &tmp, &n);
		op->sums_up = text != NULL &&
			      memmem(text, n, "AccumulateGrad", 14) != NULL;
		wait_op(st, op, text);
	}
	stage_pass(st, r);
}

static void
on_prim(struct stage *st, struct rec *r)
{
	struct prim *p;
	int64_t id;

	if (rec_i64(r, pc.id, &id)) {
		p = state_prim_new(id);
		p->name = keep(r, pc.op, &p->name_len);
		p->shapes = keep(r, pc.shapes, &p->shapes_len);
		if (p->name != NULL && p->shapes != NULL)
			p->rule = rule_find(NULL, 0, p->name, p->name_len);
	}
	stage_pass(st, r);
}

static void
on_result(struct stage *st, struct rec *r)
{
	static struct buf b;
	int64_t run;
	size_t n;
	const char *s = rec_raw(r, rc.shape, &n);

	if (rec_i64(r, rc.run, &run) && s != NULL) {
		buf_clear(&b);
		buf_putc(&b, '[');
		buf_put(&b, s, n);
		buf_putc(&b, ']');
		wait_result(st, run, state_keep(b.s, b.len));
	}
	stage_pass(st, r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	state_forget();
	result_forget();
	share_forget();
	cell_forget();
	columns_forget();
}

static void
on_end(struct stage *st)
{
	wait_drain(st);
	put_coverage();
	if (!state_any_cc() && columns_arch() > 0)
		out_meta("info", "kernel_arch\t%d", columns_arch());
	stage_note("flop_unknown", counts.no_size);
	stage_note("flop_overflow", counts.overflow);
	stage_note("bad_args", counts.bad_args);
	stage_note("tc_unknown", counts.tc_unknown);
}

static void
attach_facts(struct stage *st)
{
	struct rec_type *t;

	t = stage_on(st, "str", on_str, NULL, NULL);
	REC_COLS(t, REC_NEED, { &sc.id, "id" }, { &sc.text, "text" });
	t = stage_on(st, "dev", on_dev, NULL, NULL);
	dc.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &dc.cc, "cc" }, { &dc.name, "name" },
	    { &dc.src, "src" });
	t = stage_on(st, "op", on_op, NULL, NULL);
	REC_COLS(t, REC_NEED, { &oc.id, "op_id" }, { &oc.op, "op" });
	REC_COLS(t, REC_OPT, { &oc.mod, "mod" }, { &oc.dir, "dir" },
	    { &oc.shapes, "shapes" }, { &oc.args, "args" },
	    { &oc.text, "text" }, { &oc.bwd, "bwd_shapes" },
	    { &oc.fwd, "fwd_op_id" }, { &oc.repr, "repr" });
	t = stage_on(st, "prim", on_prim, NULL, NULL);
	REC_COLS(t, REC_NEED, { &pc.id, "prim_id" }, { &pc.op, "op" },
	    { &pc.shapes, "shapes" });
	t = stage_on(st, "result", on_result, NULL, NULL);
	REC_COLS(t, REC_NEED, { &rc.run, "prim_run" }, { &rc.shape, "shape" });
}

void
flops_say(void)
{
	const struct run_counts *n = &run_counts;
	char share[64] = "";

	if (n->no_size == 0)
		return;
	if (n->ns > 0)
		snprintf(share, sizeof(share), ", %.1f %% of the kernels' time",
		    100 * n->no_size_ns / n->ns);
	warn("FLOPs unknown of kernels of products, convolutions and"
	     " attention: %llu%s",
	    (unsigned long long)n->no_size, share);
}

void
flops_attach(struct stage *st)
{
	static const char *const notes[] = { "n_kern", "n_kern_op",
		"n_kern_shapes", "n_kern_flop", "n_kern_tc", "kern_ns",
		"kern_op_ns", "kern_shapes_ns", "kern_flop_ns", "kern_tc_ns",
		"kernel_arch", "flop_unknown", "flop_overflow", "bad_args",
		"tc_unknown", NULL };

	attach_facts(st);
	kern_attach(st);
	memory_attach(st);
	st->section = on_section;
	st->end = on_end;
	stage_anew(st, notes);
}
