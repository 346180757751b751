/*
 * The records that dlp-flops looks at: str, dev and op are noted and passed
 * on; kern gets its columns. An op's work is counted on the kernel that
 * carries it, once per run: the first product, and in a backward one for
 * each of the two gradients.
 */
#include <string.h>

#include "flops.h"
#include "hold.h"
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
	struct rec_col *id, *mod, *op, *dir, *shapes, *args, *bwd, *fwd,
	    *text;
} oc;
static struct {
	struct rec_col *op_id, *inst_id, *name_id, *brief, *sub, *dev, *grid,
	    *op, *seq;
} kc;
static struct out_ext *ext, *ext_new, *ext_op;
static bool appending; /* none of our columns is in the input's legend */

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

/* The part this kernel plays in its run, now that the run's other kernels
 * so far are known: a gradient that is counted already is not counted again,
 * and one told only by order takes its turn. */
static enum role
role_now(const struct answer *a, bool has_inst, int64_t inst)
{
	enum role want = a->role, other;
	unsigned was;

	if (!has_inst || a->each || want == ROLE_NONE || want >= ROLE_PART)
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

/* A device without Tensor Cores settles it, whatever the name says. */
static bool
no_tensor_cores(int64_t dev)
{
	bool none;
	int cc = state_cc(dev, &none);

	return none || (cc > 0 && cc < 70);
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
	return need != 0 && cc >= need ? TC_YES : TC_NO;
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
	if (no_tensor_cores(dev)) {
		put_word("no");
		put_word("device");
		put_word("no");
		return;
	}
	put_word(tc_word(k->tc));
	put_word(k->tc_rule);
	put_word(tc_word(eligible(res, k, dev)));
}

/* The line as it came, but for the op column where PyProf calls this part of
 * linear "bias"; where the line goes is the caller's affair. */
static void
put_line(const struct rec *r, bool is_bias, void (*put)(const char *, size_t))
{
	const char *s;
	size_t n;

	if (!is_bias || kc.op->pos < 0) {
		put(r->line, r->len);
		return;
	}
	s = rec_field(r, kc.op->pos, &n);
	put(r->line, (size_t)(s - r->line));
	put("bias", 4);
	put(s + n, r->len - (size_t)(s + n - r->line));
}

static void
to_out(const char *s, size_t n)
{
	buf_put(&out_buf, s, n);
}

/* Columns into what is held: they are written behind the output's end, and
 * taken away from there. */
static void
hold_columns(const struct result *res, const struct kname *k, enum role role,
    int64_t dev)
{
	size_t mark = out_buf.len;

	put_columns(res, k, role, dev);
	hold_put(out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
}

static void
count_notes(const struct answer *a, const struct kname *k, int64_t dev)
{
	if (k->tc == TC_UNKNOWN && !no_tensor_cores(dev))
		counts.tc_unknown++;
	if (a->family >= FAM_GEMM && a->family <= FAM_ATTENTION && a->flop < 0)
		counts.no_size++;
}

/* A kernel that waited. */
static void
put_waiting(const struct hold_kern *h)
{
	uint32_t op_idx = 0;
	struct op *op = state_op(h->op_id, &op_idx);
	const struct kname *k = h->name;
	const struct result *res = state_result(op, op_idx, k, h->name_idx,
	    h->sub, NULL, 0);

	count_notes(&res->a, k, h->dev);
	put_columns(res, k, role_now(&res->a, true, h->inst), h->dev);
}

static void
give_up(struct op *op)
{
	if (op->waits)
		op->given_up = true;
	op->waits = false;
}

static size_t nwait; /* ops that wait */

static void
drain(struct stage *st)
{
	if (!hold_on)
		return;
	st->hold = NULL;
	hold_drain(put_waiting);
	if (nwait > 0)
		state_ops(give_up);
	nwait = 0;
}

static void
on_held_line(struct stage *st, struct rec *r)
{
	hold_put(r->line, r->len);
	hold_end_line(r->kind == REC_DATA);
	if (hold_full())
		drain(st);
}

/* Whether the op's kernels must wait for a gradient's size: a convolution or
 * einsum without PyProf's arguments, which a backward can follow. */
static bool
must_wait(const struct op *op, bool has_seq)
{
	return op != NULL && op->rule != NULL && op->rule->bwd != NULL &&
	    has_seq && appending && !op->bprop && op->args == NULL &&
	    op->shapes != NULL && op->grad == NULL && !op->given_up;
}

/* A backward's op brings the size its forward op waits for; text is the
 * framework's name of it, or NULL. */
static void
resolve(struct stage *st, const struct op *op, const char *text)
{
	struct op *fwd;
	uint32_t idx;

	if (!op->has_fwd || op->grad == NULL)
		return;
	fwd = state_op(op->fwd_id, &idx);
	if (fwd == NULL || fwd->grad != NULL || fwd->rule == NULL ||
	    fwd->rule->bwd == NULL ||
	    (text != NULL && strstr(text, fwd->rule->bwd) == NULL))
		return;
	fwd->grad = op->grad;
	fwd->grad_len = op->grad_len;
	if (fwd->waits && --nwait == 0)
		drain(st);
	fwd->waits = false;
}

static void
on_op(struct stage *st, struct rec *r)
{
	struct op *op;
	int64_t id;
	size_t n;
	static struct buf tmp;
	const char *dir = rec_raw(r, oc.dir, &n);

	if (rec_i64(r, oc.id, &id)) {
		op = state_op_new(id);
		op->bprop = dir != NULL && n == 5 &&
		    memcmp(dir, "bprop", 5) == 0;
		op->mod = keep(r, oc.mod, &op->mod_len);
		op->name = keep(r, oc.op, &op->name_len);
		op->args = keep(r, oc.args, &op->args_len);
		op->shapes = keep(r, oc.shapes, &op->shapes_len);
		op->grad = keep(r, oc.bwd, &op->grad_len);
		op->has_fwd = rec_i64(r, oc.fwd, &op->fwd_id);
		if (op->name != NULL)
			op->rule = rule_find(op->mod,
			    op->mod == NULL ? 0 : op->mod_len, op->name,
			    op->name_len);
		resolve(st, op, rec_str(r, oc.text, &tmp, &n));
	}
	stage_pass(st, r);
}

struct kern { /* a kern record's part that matters here */
	struct op *op;
	uint32_t op_idx, name_idx;
	const struct kname *k;
	int64_t op_id, inst, sub, dev;
	bool has_inst, has_seq;
	const char *grid;
	size_t ngrid;
};

static void
read_kern(const struct rec *r, struct kern *k)
{
	int64_t name_id = 0, seq;
	bool has_name = rec_i64(r, kc.name_id, &name_id);
	const char *brief;
	size_t n;

	memset(k, 0, sizeof(*k));
	brief = rec_raw(r, kc.brief, &n);
	k->k = state_name(has_name, name_id, brief, n, &k->name_idx);
	if (rec_i64(r, kc.op_id, &k->op_id))
		k->op = state_op(k->op_id, &k->op_idx);
	if (!rec_i64(r, kc.sub, &k->sub))
		k->sub = 0;
	if (!rec_i64(r, kc.dev, &k->dev))
		k->dev = -1;
	k->has_inst = rec_i64(r, kc.inst_id, &k->inst);
	k->has_seq = rec_i64(r, kc.seq, &seq);
	k->grid = rec_raw(r, kc.grid, &k->ngrid);
}

static void
wait_for(struct stage *st, struct rec *r, struct kern *k)
{
	struct hold_kern h = { 0, k->op_id, k->inst, k->sub, k->dev,
		k->name_idx, k->k };

	hold_on = true;
	st->hold = on_held_line;
	if (!k->op->waits)
		nwait++;
	k->op->waits = true;
	hold_put(r->line, r->len);
	hold_kern(&h);
	hold_end_line(true);
}

/* Columns that the input has already are replaced. */
static void
replace(struct rec *r, const struct kern *k, const struct result *res,
    enum role role)
{
	size_t n = 0;
	const char *op = rec_raw(r, kc.op, &n);

	out_ext_begin(ext, r);
	put_columns(res, k->k, role, k->dev);
	if (ext == ext_op)
		out_raw(res->is_bias ? "bias" : op, res->is_bias ? 4 : n);
	out_ext_end(ext, r);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	const struct result *res;
	struct kern k;
	enum role role;

	read_kern(r, &k);
	if (k.has_inst && must_wait(k.op, k.has_seq)) {
		wait_for(st, r, &k);
		if (hold_full())
			drain(st);
		return;
	}
	res = state_result(k.op, k.op_idx, k.k, k.name_idx, k.sub, k.grid,
	    k.ngrid);
	count_notes(&res->a, k.k, k.dev);
	role = role_now(&res->a, k.has_inst, k.inst);
	if (!appending) {
		replace(r, &k, res, role);
	} else if (hold_on) {
		put_line(r, res->is_bias, hold_put);
		hold_columns(res, k.k, role, k.dev);
		hold_end_line(true);
		if (hold_full())
			drain(st);
	} else {
		put_line(r, res->is_bias, to_out);
		put_columns(res, k.k, role, k.dev);
		out_end();
	}
}

/* Appending is the rule; a stream that went through here before has its
 * columns replaced, and nothing is held for it. */
static void
on_kern_legend(struct stage *st, struct rec *r)
{
	int i, j;

	drain(st);
	appending = true;
	for (i = 0; i < rec_ncols(r->type); i++)
		for (j = 0; j < NCOL; j++)
			if (strcmp(rec_colname(r->type, i), names[j]) == 0)
				appending = false;
	ext = appending || kc.op->pos < 0 ? ext_new : ext_op;
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
	drain(st);
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
	oc.text = rec_col(t, "text", REC_OPT);
	oc.bwd = rec_col(t, "bwd_shapes", REC_OPT);
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
	kc.seq = rec_col(t, "seq", REC_OPT);
	ext_new = out_ext(names, NCOL);
	ext_op = out_ext(names, NCOL + 1);
	st->section = on_section;
	st->end = on_end;
}
