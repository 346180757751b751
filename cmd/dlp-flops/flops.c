/*
 * The records that dlp-flops looks at: str, dev and op are noted and passed
 * on; kern gets its columns. An op's work is counted on the kernel that
 * carries it, once per run: the first product, and in a backward one for
 * each of the two gradients.
 */
#include <string.h>

#include "flops.h"
#include "num.h"
#include "state.h"

static const char *const names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "op" };
#define NCOL 9 /* without op, which is only replaced */

static struct {
	struct rec_col *id, *text;
} sc; /* str */
static struct {
	struct rec_col *dev, *cc, *name;
} dc;
static struct {
	struct rec_col *id, *mod, *op, *dir, *shapes, *args, *fwd;
} oc;
static struct {
	struct rec_col *op_id, *inst_id, *name_id, *brief, *sub, *dev, *grid,
	    *op;
} kc;
static struct out_ext *ext, *ext_op;

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

static void
on_dev(struct stage *st, struct rec *r)
{
	size_t n;
	int64_t dev;
	double cc;
	const char *name = rec_raw(r, dc.name, &n);
	bool none = false;

	/* The Turing chips without them have the same cc as those with. */
	if (name != NULL && n >= 6)
		none = memcmp(name, "GeForce GTX 16", n < 14 ? n : 14) == 0 ||
		    (n >= 21 &&
			memcmp(name, "NVIDIA GeForce GTX 16", 21) == 0);
	if (rec_i64(r, dc.dev, &dev) && rec_f64(r, dc.cc, &cc) && cc > 0 &&
	    cc < 1000)
		state_dev(dev, (int)(cc * 10 + 0.5), none);
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
	const char *dir = rec_raw(r, oc.dir, &n);

	if (rec_i64(r, oc.id, &id)) {
		op = state_op_new(id);
		op->bprop = dir != NULL && n == 5 &&
		    memcmp(dir, "bprop", 5) == 0;
		op->mod = keep(r, oc.mod, &op->mod_len);
		op->name = keep(r, oc.op, &op->name_len);
		op->args = keep(r, oc.args, &op->args_len);
		op->shapes = keep(r, oc.shapes, &op->shapes_len);
		op->has_fwd = rec_i64(r, oc.fwd, &op->fwd_id);
		if (op->name != NULL)
			op->rule = rule_find(op->mod,
			    op->mod == NULL ? 0 : op->mod_len, op->name,
			    op->name_len);
	}
	stage_pass(st, r);
}

/* The part this kernel plays in its run, now that the run's other kernels
 * so far are known: a gradient that is counted already is not counted again,
 * and one told only by order takes its turn. */
static enum role
role_now(const struct answer *a, bool has_inst, int64_t inst)
{
	enum role want = a->role, other;
	unsigned was;

	if (!has_inst || want == ROLE_NONE || want >= ROLE_PART)
		return want;
	was = state_mark(inst, 0);
	if (want == ROLE_GRAD)
		want = ROLE_DGRAD;
	if (was & 1U << want) {
		other = want == ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
		if (want == ROLE_MAIN || a->role_sure || was & 1U << other)
			return ROLE_PART;
		want = other;
	}
	state_mark(inst, 1U << want);
	return want;
}

static void
put_word(const char *s)
{
	out_raw(s, s == NULL ? 0 : strlen(s));
}

static const char *
tc_word(enum tc t)
{
	return t == TC_YES ? "yes" : t == TC_NO ? "no" : "unknown";
}

/* Whether Tensor Cores could have done the kernel's work. */
static enum tc
eligible(const struct result *res, const struct kname *k, int64_t dev)
{
	const struct answer *a = &res->a;
	int cc, need;
	bool none;

	if (k->tc == TC_YES)
		return TC_YES;
	if (a->family == FAM_NONE)
		return TC_UNKNOWN;
	if (!a->eligible)
		return TC_NO;
	cc = state_cc(dev, &none);
	if (a->dt == DT_NONE || cc == 0)
		return TC_UNKNOWN;
	need = dt_tc_min_cc(a->dt);
	return need != 0 && cc >= need && !none ? TC_YES : TC_NO;
}

static void
put_columns(const struct result *res, const struct kname *k, enum role role,
    int64_t dev)
{
	const struct answer *a = &res->a;
	bool part = role == ROLE_PART;

	out_raw(res->params, res->params_len);
	if (part)
		out_i64(0);
	else
		out_opt(a->flop >= 0, a->flop);
	out_opt(a->bytes >= 0 && !part, a->bytes);
	put_word(dt_name(a->dt));
	put_word(family_names[a->family]);
	put_word(role_names[role]);
	put_word(tc_word(k->tc));
	put_word(k->tc_rule);
	put_word(tc_word(eligible(res, k, dev)));
}

static const struct result *
look_up(const struct rec *r, const struct kname **k)
{
	struct op *op = NULL;
	const char *brief, *grid;
	size_t n, ngrid;
	int64_t op_id, name_id = 0, sub = 0;
	uint32_t op_idx = 0, name_idx;
	bool has_name = rec_i64(r, kc.name_id, &name_id);

	brief = rec_raw(r, kc.brief, &n);
	grid = rec_raw(r, kc.grid, &ngrid);
	*k = state_name(has_name, name_id, brief, n, &name_idx);
	if (rec_i64(r, kc.op_id, &op_id))
		op = state_op(op_id, &op_idx);
	if (!rec_i64(r, kc.sub, &sub))
		sub = 0;
	return state_result(op, op_idx, *k, name_idx, sub, grid, ngrid);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	const struct kname *k;
	const struct result *res = look_up(r, &k);
	struct out_ext *x = ext;
	int64_t inst, dev = -1;
	bool has_inst = rec_i64(r, kc.inst_id, &inst);
	enum role role;

	(void)st;
	if (!rec_i64(r, kc.dev, &dev))
		dev = -1;
	if (k->tc == TC_UNKNOWN)
		counts.tc_unknown++;
	if ((res->a.family == FAM_GEMM || res->a.family == FAM_CONV) &&
	    res->a.flop < 0)
		counts.no_size++;
	role = role_now(&res->a, has_inst, inst);
	if (res->is_bias && kc.op->pos >= 0)
		x = ext_op; /* PyProf's name for this part of linear */
	out_ext_begin(x, r);
	put_columns(res, k, role, dev);
	if (x == ext_op)
		out_raw("bias", 4);
	out_ext_end(x, r);
}

/* Both ways of writing a kern have the same columns in the same order; the
 * second replaces op. Its legend is not wanted a second time. */
static void
on_kern_legend(struct stage *st, struct rec *r)
{
	size_t mark = out_buf.len;

	(void)st;
	if (kc.op->pos >= 0) {
		out_ext_legend(ext_op, r);
		if (out_buf.len > mark)
			out_buf.len = mark;
	}
	out_ext_legend(ext, r);
}

static void
on_section(struct stage *st)
{
	(void)st;
	state_forget();
	result_forget();
}

static void
on_end(struct stage *st)
{
	(void)st;
	stage_note("flop_unknown", counts.no_size);
	stage_note("flop_overflow", counts.overflow);
	stage_note("bad_args", counts.bad_args);
	stage_note("tc_unknown", counts.tc_unknown);
}

static void
attach_facts(struct stage *st)
{
	struct rec_type *t;

	t = stage_on(st, "str", on_str, NULL);
	sc.id = rec_col(t, "id", REC_NEED);
	sc.text = rec_col(t, "text", REC_NEED);
	t = stage_on(st, "dev", on_dev, NULL);
	dc.dev = rec_col(t, "dev", REC_NEED);
	dc.cc = rec_col(t, "cc", REC_OPT);
	dc.name = rec_col(t, "name", REC_OPT);
	t = stage_on(st, "op", on_op, NULL);
	oc.id = rec_col(t, "op_id", REC_NEED);
	oc.mod = rec_col(t, "mod", REC_OPT);
	oc.op = rec_col(t, "op", REC_NEED);
	oc.dir = rec_col(t, "dir", REC_OPT);
	oc.shapes = rec_col(t, "shapes", REC_OPT);
	oc.args = rec_col(t, "args", REC_OPT);
	oc.fwd = rec_col(t, "fwd_op_id", REC_OPT);
}

void
flops_attach(struct stage *st)
{
	struct rec_type *t;

	attach_facts(st);
	t = stage_on(st, "kern", on_kern, on_kern_legend);
	kc.op_id = rec_col(t, "op_id", REC_OPT);
	kc.inst_id = rec_col(t, "inst_id", REC_OPT);
	kc.name_id = rec_col(t, "name_id", REC_OPT);
	kc.brief = rec_col(t, "short", REC_OPT);
	kc.sub = rec_col(t, "sub", REC_OPT);
	kc.dev = rec_col(t, "dev", REC_OPT);
	kc.grid = rec_col(t, "grid", REC_OPT);
	kc.op = rec_col(t, "op", REC_OPT);
	ext = out_ext(names, NCOL);
	ext_op = out_ext(names, NCOL + 1);
	st->section = on_section;
	st->end = on_end;
}
