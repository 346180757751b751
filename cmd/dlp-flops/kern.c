/*
 * The kern records: each gets its columns, at once or, where its op's sizes
 * come later, when they are known (hold.h).
 */
#include <string.h>

#include "columns.h"
#include "err.h"
#include "hold.h"
#include "kern.h"

static const char *const names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks" };
#define NCOL 11

static struct {
	struct rec_col *op_id, *inst_id, *name_id, *brief, *sub, *dev, *grid,
	    *seq, *dur, *tc, *tc_rule;
} kc;
static struct out_ext *ext;
static bool appending; /* none of our columns is in the input's legend */
static size_t nwait;   /* ops that wait for their sizes */

/* Columns into what is held: they are written behind the output's end, and
 * taken away from there. */
static void
hold_columns(const struct result *res, const struct kname *k, enum role role,
    int64_t dev)
{
	size_t mark = out_buf.len;

	put_columns(res, k, role, dev, TC_UNKNOWN);
	hold_put(out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
}

/* A kernel that waited. */
static void
put_waiting(const struct hold_kern *h)
{
	uint32_t op_idx = 0;
	struct op *op = state_op(h->op_id, &op_idx);
	const struct kname *k = h->name;
	const struct result *res =
	    result_of(op, op_idx, k, h->name_idx, h->sub,
		h->grid[0] == '\0' ? NULL : h->grid, strlen(h->grid));

	count_notes(res, k, h->dev, h->dur_ns, TC_UNKNOWN);
	put_columns(res, k, role_now(&res->a, true, h->inst), h->dev,
	    TC_UNKNOWN);
}

static void
give_up(struct op *op)
{
	if (op->waits)
		op->given_up = true;
	op->waits = false;
}

void
kern_drain(struct stage *st)
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
		kern_drain(st);
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

void
kern_resolve(struct stage *st, const struct op *op, const char *text)
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
		kern_drain(st);
	fwd->waits = false;
}

struct kern { /* a kern record's part that matters here */
	struct op *op;
	uint32_t op_idx, name_idx;
	const struct kname *k;
	int64_t op_id, inst, sub, dev, dur_ns;
	bool has_inst, has_seq;
	const char *grid;
	size_t ngrid;
	enum tc given; /* by the profile */
};

/* DLProf's database tells Tensor Core use; a tc_rule beside it says that it
 * is ours, from an earlier run. */
static enum tc
given_tc(const struct rec *r)
{
	size_t n;
	const char *s;

	if (kc.tc->pos < 0 || kc.tc_rule->pos >= 0)
		return TC_UNKNOWN;
	s = rec_raw(r, kc.tc, &n);
	if (s != NULL && n == 3 && memcmp(s, "yes", 3) == 0)
		return TC_YES;
	return s != NULL && n == 2 && memcmp(s, "no", 2) == 0 ? TC_NO
							      : TC_UNKNOWN;
}

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
	if (!rec_i64(r, kc.dur, &k->dur_ns) || k->dur_ns < 0)
		k->dur_ns = 0;
	k->has_inst = rec_i64(r, kc.inst_id, &k->inst);
	k->has_seq = rec_i64(r, kc.seq, &seq);
	k->given = given_tc(r);
	k->grid = rec_raw(r, kc.grid, &k->ngrid);
}

static void
wait_for(struct stage *st, struct rec *r, struct kern *k)
{
	struct hold_kern h = { 0, k->op_id, k->inst, k->sub, k->dev, k->dur_ns,
		"", k->name_idx, k->k };

	if (k->grid != NULL && k->ngrid < sizeof(h.grid))
		memcpy(h.grid, k->grid, k->ngrid);


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
	out_ext_begin(ext, r);
	put_columns(res, k->k, role, k->dev, k->given);
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
			kern_drain(st);
		return;
	}
	res =
	    result_of(k.op, k.op_idx, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	count_notes(res, k.k, k.dev, k.dur_ns, k.given);
	role = role_now(&res->a, k.has_inst, k.inst);
	if (!appending) {
		replace(r, &k, res, role);
	} else if (hold_on) {
		hold_put(r->line, r->len);
		hold_columns(res, k.k, role, k.dev);
		hold_end_line(true);
		if (hold_full())
			kern_drain(st);
	} else {
		buf_put(&out_buf, r->line, r->len);
		put_columns(res, k.k, role, k.dev, TC_UNKNOWN);
		out_end();
	}
}

/* Without ops a name still tells about Tensor Cores, and no more. */
static void
check_ops(const struct stage *st)
{
	static bool said;

	if (kc.op_id->pos < 0 && !said)
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(st->rd));
	said |= kc.op_id->pos < 0;
}

/* Appending is the rule; a stream that went through here before has its
 * columns replaced, and nothing is held for it. */
static void
on_kern_legend(struct stage *st, struct rec *r)
{
	int i, j;

	kern_drain(st);
	check_ops(st);
	appending = true;
	for (i = 0; i < rec_ncols(r->type); i++)
		for (j = 0; j < NCOL; j++)
			if (strcmp(rec_colname(r->type, i), names[j]) == 0)
				appending = false;
	out_ext_legend(ext, r);
}

void
kern_attach(struct stage *st)
{
	struct rec_type *t;

	t = stage_on(st, "kern", on_kern, on_kern_legend);
	kc.op_id = rec_col(t, "op_id", REC_OPT);
	kc.inst_id = rec_col(t, "inst_id", REC_OPT);
	kc.name_id = rec_col(t, "name_id", REC_OPT);
	kc.brief = rec_col(t, "short", REC_OPT);
	kc.sub = rec_col(t, "sub", REC_OPT);
	kc.dev = rec_col(t, "dev", REC_OPT);
	kc.grid = rec_col(t, "grid", REC_OPT);
	kc.seq = rec_col(t, "seq", REC_OPT);
	kc.dur = rec_col(t, "dur_ns", REC_OPT);
	kc.tc = rec_col(t, "tc", REC_OPT);
	kc.tc_rule = rec_col(t, "tc_rule", REC_OPT);
	ext = out_ext(names, NCOL);
}
