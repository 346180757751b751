/*
 * The records that dlp-flops reads: strings, devices, ops, products and their
 * results are stored and passed on; kernels, copies and sets get their columns.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "array.h"
#include "err.h"
#include "flops.h"
#include "num.h"
#include "pat.h"

static const char *const kern_names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks",
	"causal_flop", "bus_bytes" };

/* Copies and sets have no arithmetic, and their bytes are in the profile. They
 * get a family so that commands that sum by family include them. */
static const char *const memory_names[] = { "flop", "family" };

static void
take_str(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t id;
	size_t n;
	const char *s = rec_str(r, fl->cols.str.text, &fl->tmp, &n);

	if (rec_i64(r, fl->cols.str.id, &id) && s != NULL)
		state_str(fl, id, s, n);
	stage_pass(st, r);
}

/* The small Turing chips have no Tensor Cores, but the same compute capability
 * as the large ones: "NVIDIA GeForce GTX 1660 Ti" (NVIDIA's list of CUDA GPUs
 * and the whitepaper of Turing, TU116 and TU117). */
static bool
is_small_turing(struct flops *fl, const char *name, size_t n)
{
	buf_clear(&fl->line);
	name_lower(&fl->line, name, n);
	return pat_match(
	    "gtx|mx450|mx550|t400|t500|t550|t600|t1000|t1200|t2000", fl->line.s,
	    fl->line.len);
}

static void
take_dev(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	size_t n, nsrc;
	int64_t dev;
	double cc;
	struct tc_device d;
	const char *name = rec_str(r, fl->cols.dev.name, &fl->tmp, &n);
	const char *src = rec_raw(r, fl->cols.dev.src, &nsrc);

	if (rec_i64(r, fl->cols.dev.dev, &dev) &&
	    rec_f64(r, fl->cols.dev.cc, &cc) && cc > 0 && cc < 1000) {
		d.cc = (int)(cc * 10 + 0.5);
		d.none =
		    d.cc == 75 && name != NULL && is_small_turing(fl, name, n);
		state_dev(fl, state_place(fl, src, nsrc, dev), d);
	}
	stage_pass(st, r);
}

/* A field stored for the section; NULL if unset. */
static const char *
keep_field(
    struct flops *fl, const struct rec *r, const struct rec_col *c, size_t *n)
{
	const char *s = rec_str(r, c, &fl->tmp, n);

	return s == NULL ? NULL : state_keep(fl, s, *n);
}

static void
take_op(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_op *op;
	int64_t id;
	size_t n;
	const char *text;

	if (!rec_i64(r, fl->cols.op.id, &id)) {
		stage_pass(st, r);
		return;
	}
	op = state_op_new(fl, id);
	op->bprop = rec_is(r, fl->cols.op.dir, "bprop");
	op->mod = keep_field(fl, r, fl->cols.op.mod, &op->mod_len);
	op->name = keep_field(fl, r, fl->cols.op.op, &op->name_len);
	op->args = keep_field(fl, r, fl->cols.op.args, &op->args_len);
	op->shapes = keep_field(fl, r, fl->cols.op.shapes, &op->shapes_len);
	op->grad = keep_field(fl, r, fl->cols.op.bwd, &op->grad_len);
	op->repr = keep_field(fl, r, fl->cols.op.repr, &n);
	op->has_fwd = rec_i64(r, fl->cols.op.fwd, &op->fwd_id);
	if (op->name != NULL)
		op->rule = rule_find(&fl->rules, op->mod,
		    op->mod == NULL ? 0 : op->mod_len, op->name, op->name_len);
	text = rec_str(r, fl->cols.op.text, &fl->tmp, &n);
	op->sums_up =
	    text != NULL && memmem(text, n, "AccumulateGrad", 14) != NULL;
	hold_op(st, op, text);
	stage_pass(st, r);
}

static void
take_prim(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_prim *p;
	int64_t id;

	if (rec_i64(r, fl->cols.prim.id, &id)) {
		p = state_prim_new(fl, id);
		p->name = keep_field(fl, r, fl->cols.prim.op, &p->name_len);
		p->shapes =
		    keep_field(fl, r, fl->cols.prim.shapes, &p->shapes_len);
		if (p->name != NULL && p->shapes != NULL)
			p->rule = rule_find(
			    &fl->rules, NULL, 0, p->name, p->name_len);
	}
	stage_pass(st, r);
}

/* The size of a product's result, as a list of one size. */
static void
take_result(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t run;
	size_t n;
	const char *s = rec_raw(r, fl->cols.result.shape, &n);

	if (rec_i64(r, fl->cols.result.run, &run) && s != NULL) {
		buf_clear(&fl->line);
		buf_putc(&fl->line, '[');
		buf_put(&fl->line, s, n);
		buf_putc(&fl->line, ']');
		hold_result(st, run, state_keep(fl, fl->line.s, fl->line.len));
	}
	stage_pass(st, r);
}

/* A run closes. */
static void
take_inst(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t id;

	stage_pass(st, r);
	if (rec_i64(r, fl->cols.inst_id, &id))
		hold_closed(st, id);
}

/* Tensor Core use in DLProf's database. If there is a tc_rule too, the value is
 * our own, from an earlier run. */
static enum tc
given_tc(const struct flops *fl, const struct rec *r)
{
	if (fl->cols.kern.tc->pos < 0 || fl->cols.kern.tc_rule->pos >= 0)
		return TC_UNKNOWN;
	if (rec_is(r, fl->cols.kern.tc, "yes"))
		return TC_YES;
	return rec_is(r, fl->cols.kern.tc, "no") ? TC_NO : TC_UNKNOWN;
}

/* The block of a gather kernel matters too, so it is appended to the grid. */
static void
add_block(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	size_t n;
	const char *block = rec_raw(r, fl->cols.kern.block, &n);

	if (k->grid == NULL || block == NULL)
		return;
	buf_clear(&fl->tmp);
	buf_put(&fl->tmp, k->grid, k->ngrid);
	buf_putc(&fl->tmp, ';');
	buf_put(&fl->tmp, block, n);
	k->grid = fl->tmp.s;
	k->ngrid = fl->tmp.len;
}

/* Finds which of a recurrent cell's products the kernel is. In forward, the
 * order decides. In backward, altseq does, because it is the product's own
 * sequence id. */
static int64_t
cell_product(struct flops *fl, const struct rec *r, const struct flops_kern *k,
    int64_t seq)
{
	int64_t own;
	const char *s;
	size_t n;

	if (k->s.op->bprop)
		return state_cell_of(fl, seq);
	s = rec_raw(r, fl->cols.kern.altseq, &n);
	if (s == NULL || !num_i64(s, n, &own))
		own = seq;
	state_cell(fl, own, k->sub);
	return k->sub;
}

static void
read_subject(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	if (rec_i64(r, fl->cols.kern.op_id, &k->op_id))
		k->s.op = state_op(fl, k->op_id, &k->s.op_idx);
	if (rec_i64(r, fl->cols.kern.prim_run, &k->prim_run) &&
	    k->prim_run != 0 &&
	    rec_i64(r, fl->cols.kern.prim_id, &k->prim_id)) {
		k->s.prim = state_prim(fl, k->prim_id, &k->s.prim_idx);
		k->s.shape = state_result_of(fl, k->prim_run);
	}
}

static void
read_kern(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	int64_t name_id = 0, seq;
	bool has_name = rec_i64(r, fl->cols.kern.name_id, &name_id);
	const char *brief, *src;
	size_t n;

	memset(k, 0, sizeof(*k));
	brief = rec_raw(r, fl->cols.kern.brief, &n);
	k->k = state_name(fl, has_name, name_id, brief, n, &k->name_idx);
	read_subject(fl, r, k);
	k->sub = rec_int(r, fl->cols.kern.sub, 0);
	src = rec_raw(r, fl->cols.kern.src, &n);
	k->dev = state_place(fl, src, n, rec_int(r, fl->cols.kern.dev, -1));
	k->dur_ns = rec_int(r, fl->cols.kern.dur, 0);
	if (k->dur_ns < 0)
		k->dur_ns = 0;
	k->has_inst = rec_i64(r, fl->cols.kern.inst_id, &k->inst);
	k->has_seq = rec_i64(r, fl->cols.kern.seq, &seq);
	k->given = given_tc(fl, r);
	k->grid = rec_raw(r, fl->cols.kern.grid, &k->ngrid);
	if (k->has_seq && k->s.op != NULL && k->s.op->rule != NULL &&
	    k->s.op->rule->count == cell_count)
		k->sub = cell_product(fl, r, k, seq);
	if (k->k->gather > 0)
		add_block(fl, r, k);
}

/* Holds the line of a kernel while others wait: the line was written at the end
 * of the output buffer, and is taken from there. */
static void
hold_written(struct stage *st, size_t mark)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	buf_put(&fl->line, out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
	hold_line(st, &fl->line, true);
}

static void
put_flops_kern(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	const struct flops_result *res;
	struct flops_kern k;
	size_t mark = out_buf.len;

	read_kern(fl, r, &k);
	if (hold_size(st, r, &k))
		return;
	res = answer_of(fl, &k.s, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	if (hold_share(st, r, &k, res))
		return;
	write_count(fl, res, k.k, k.dev, k.dur_ns, k.given);
	rest_put(&fl->kern_rest, &out_buf, r);
	write_columns(fl, res, k.k,
	    write_role(fl, &res->a, k.has_inst, k.inst, k.prim_run), k.dev,
	    k.given);
	if (fl->hold.on)
		hold_written(st, mark);
	else
		out_end();
}

static void
put_legend_of(struct stage *st, struct rest *x, const struct rec *r)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	rest_legend(x, &fl->line, r);
	hold_line(st, &fl->line, false);
}

static void
put_kern_legend(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	if (fl->cols.kern.op_id->pos < 0 && !fl->no_ops_said) {
		/* without ops, only Tensor Core use is known, by the name */
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(r->rd));
		fl->no_ops_said = true;
	}
	put_legend_of(st, &fl->kern_rest, r);
}

static void
put_memory(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	rest_put(rec_arg(r), &fl->line, r);
	buf_puts(&fl->line, "\t0\tmemory");
	hold_line(st, &fl->line, true);
}

static void
put_memory_legend(struct stage *st, struct rec *r)
{
	put_legend_of(st, rec_arg(r), r);
}

static void
bind_facts(struct stage *st, struct flops_cols *c)
{
	struct rec_type *t;

	t = stage_on(st, "str", take_str, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->str.id, "id" }, { &c->str.text, "text" });
	t = stage_on(st, "dev", take_dev, NULL, NULL);
	c->dev.dev = rec_col(t, "dev", REC_NEED);
	REC_COLS(t, REC_OPT, { &c->dev.cc, "cc" }, { &c->dev.name, "name" },
	    { &c->dev.src, "src" });
	t = stage_on(st, "op", take_op, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->op.id, "op_id" }, { &c->op.op, "op" });
	REC_COLS(t, REC_OPT, { &c->op.mod, "mod" }, { &c->op.dir, "dir" },
	    { &c->op.shapes, "shapes" }, { &c->op.args, "args" },
	    { &c->op.text, "text" }, { &c->op.bwd, "bwd_shapes" },
	    { &c->op.fwd, "fwd_op_id" }, { &c->op.repr, "repr" });
	t = stage_on(st, "prim", take_prim, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->prim.id, "prim_id" }, { &c->prim.op, "op" },
	    { &c->prim.shapes, "shapes" });
	t = stage_on(st, "result", take_result, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->result.run, "prim_run" },
	    { &c->result.shape, "shape" });
}

static void
bind_kern(struct stage *st, struct flops_cols *c)
{
	struct rec_type *t =
	    stage_on(st, "kern", put_flops_kern, put_kern_legend, NULL);

	REC_COLS(t, REC_OPT, { &c->kern.op_id, "op_id" },
	    { &c->kern.inst_id, "inst_id" }, { &c->kern.name_id, "name_id" },
	    { &c->kern.brief, "short" }, { &c->kern.sub, "sub" },
	    { &c->kern.dev, "dev" }, { &c->kern.grid, "grid" },
	    { &c->kern.block, "block" }, { &c->kern.seq, "seq" },
	    { &c->kern.dur, "dur_ns" }, { &c->kern.tc, "tc" },
	    { &c->kern.tc_rule, "tc_rule" }, { &c->kern.src, "src" },
	    { &c->kern.altseq, "altseq" }, { &c->kern.prim_id, "prim_id" },
	    { &c->kern.prim_run, "prim_run" });
	t = stage_on(st, "inst", take_inst, NULL, NULL);
	c->inst_id = rec_col(t, "inst_id", REC_OPT);
}

void
read_attach(struct stage *st, struct flops *fl)
{
	const struct rest memory = { .names = memory_names,
		.n = ARRAY_LEN(memory_names) };

	st->ctx = fl;
	fl->kern_rest =
	    (struct rest){ .names = kern_names, .n = ARRAY_LEN(kern_names) };
	fl->copy_rest = fl->set_rest = memory;
	bind_facts(st, &fl->cols);
	bind_kern(st, &fl->cols);
	stage_on(st, "copy", put_memory, put_memory_legend, &fl->copy_rest);
	stage_on(st, "set", put_memory, put_memory_legend, &fl->set_rest);
}
