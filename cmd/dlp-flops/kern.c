/*
 * The kern records: each gets its columns, at once or, where its op's sizes
 * come later, when they are known (hold.h).
 */
#include <string.h>

#include "cell.h"
#include "columns.h"
#include "err.h"
#include "hold.h"
#include "kern.h"
#include "map.h"
#include "num.h"
#include "share.h"

static const char *const names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks",
	"causal_flop", "bus_bytes" };
#define NCOL 13

static struct {
	struct rec_col *op_id, *inst_id, *name_id, *brief, *sub, *dev, *grid, *block,
	    *seq, *dur, *tc, *tc_rule, *lacks, *prim_id, *prim_run, *altseq;
} kc;
static struct rec_col *inst_id; /* of inst */
static struct out_ext *ext;
static bool appending; /* none of our columns is in the input's legend */
static size_t nwait;   /* ops and products that wait for their sizes */
static struct map waiting_runs; /* of products, prim_run */

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
	const struct kname *k = h->name;
	const struct result *res;
	struct subject s = { 0 };
	struct result one;

	s.op = state_op(h->op_id, &s.op_idx);
	if (h->prim_run != 0) {
		s.prim = state_prim(h->prim_id, &s.prim_idx);
		s.shape = state_result_of(h->prim_run);
	}
	res = result_of(&s, k, h->name_idx, h->sub,
	    h->grid[0] == '\0' ? NULL : h->grid, strlen(h->grid));
	count_notes(res, k, h->dev, h->dur_ns, TC_UNKNOWN);
	if (res->a.shared) {
		one = *res;
		if (share_take(h->inst, res->a.flop, h->dur_ns, &one.a.flop)) {
			put_columns(&one, k, ROLE_MAIN, h->dev, TC_UNKNOWN);
			return;
		}
	}
	put_columns(res, k, role_now(&res->a, true, h->inst, h->prim_run),
	    h->dev, TC_UNKNOWN);
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
	map_clear(&waiting_runs);
	share_give_up();
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

/* The size of the run's result came. */
void
kern_result(struct stage *st, int64_t prim_run, const char *shape)
{
	state_result(prim_run, shape);
	if (map_del(&waiting_runs, (uint64_t)prim_run) && --nwait == 0)
		kern_drain(st);
}

struct kern { /* a kern record's part that matters here */
	struct subject s;
	uint32_t name_idx;
	const struct kname *k;
	int64_t op_id, inst, sub, dev, dur_ns, prim_id, prim_run;
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

/* A gather's block too tells something: it stands behind the grid. */
static void
add_block(const struct rec *r, struct kern *k)
{
	static struct buf both;
	size_t n;
	const char *block = rec_raw(r, kc.block, &n);

	if (k->grid == NULL || block == NULL)
		return;
	buf_clear(&both);
	buf_put(&both, k->grid, k->ngrid);
	buf_putc(&both, ';');
	buf_put(&both, block, n);
	k->grid = both.s;
	k->ngrid = both.len;
}

/* Which of a recurrent cell's products it is: forward told by order, where
 * altseq is the product's own sequence id, by which the backward finds it. */
static int64_t
cell_product(const struct rec *r, const struct kern *k, int64_t seq)
{
	int64_t own;
	const char *s;
	size_t n;

	if (k->s.op->bprop)
		return cell_which(seq);
	s = rec_raw(r, kc.altseq, &n);
	if (s == NULL || !num_i64(s, n, &own))
		own = seq;
	cell_note(own, k->sub);
	return k->sub;
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
		k->s.op = state_op(k->op_id, &k->s.op_idx);
	if (rec_i64(r, kc.prim_run, &k->prim_run) && k->prim_run != 0 &&
	    rec_i64(r, kc.prim_id, &k->prim_id)) {
		k->s.prim = state_prim(k->prim_id, &k->s.prim_idx);
		k->s.shape = state_result_of(k->prim_run);
	}
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
	if (k->has_seq && k->s.op != NULL && k->s.op->rule != NULL &&
	    k->s.op->rule->count == cell_count)
		k->sub = cell_product(r, k, seq);
	if (k->k->gather > 0)
		add_block(r, k);
}

/* Whether the kernel must wait for the size of its result: it is part of a
 * forward convolution or einsum without PyProf's arguments. Which one is
 * told as a product inside the op, or else by a backward that can follow. */
static bool
must_wait(const struct kern *k)
{
	const struct op *op = k->s.op;

	if (!appending || op == NULL)
		return false;
	if (k->s.prim != NULL)
		return k->s.prim->rule != NULL &&
		       k->s.prim->rule->bwd != NULL && k->s.shape == NULL;
	return op->rule != NULL && op->rule->bwd != NULL && k->has_seq &&
	       !op->bprop && op->args == NULL && op->shapes != NULL &&
	       op->grad == NULL && !op->given_up;
}

static void
hold_this(struct stage *st, struct rec *r, const struct kern *k)
{
	struct hold_kern h = { 0, k->op_id, k->inst, k->sub, k->dev, k->dur_ns,
		"", k->prim_id, k->prim_run, k->name_idx, k->k };

	if (k->grid != NULL && k->ngrid < sizeof(h.grid))
		memcpy(h.grid, k->grid, k->ngrid);

	hold_on = true;
	st->hold = on_held_line;
	hold_put(r->line, r->len);
	hold_kern(&h);
	hold_end_line(true);
	if (hold_full())
		kern_drain(st);
}

static void
wait_for(struct stage *st, struct rec *r, struct kern *k)
{
	bool is_new;

	if (k->s.prim != NULL) {
		map_put(&waiting_runs, (uint64_t)k->prim_run, &is_new);
		nwait += is_new;
	} else {
		nwait += !k->s.op->waits;
		k->s.op->waits = true;
	}
	hold_this(st, r, k);
}

/* Whether it waits for the other kernels of its run. */
static bool
must_share(const struct kern *k, const struct result *res)
{
	bool is_first;

	if (!appending || !k->has_inst || !res->a.shared ||
	    !share_add(k->inst, k->dur_ns, &is_first))
		return false;
	nwait += is_first;
	return true;
}

/* A run closes. */
static void
on_inst(struct stage *st, struct rec *r)
{
	int64_t id;

	stage_pass(st, r);
	if (rec_i64(r, inst_id, &id) && share_close(id) && --nwait == 0)
		kern_drain(st);
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
	if (k.has_inst && must_wait(&k)) {
		wait_for(st, r, &k);
		return;
	}
	res = result_of(&k.s, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	if (must_share(&k, res)) {
		hold_this(st, r, &k);
		return;
	}
	count_notes(res, k.k, k.dev, k.dur_ns, k.given);
	role = role_now(&res->a, k.has_inst, k.inst, k.prim_run);
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
static bool
lacks_columns(const struct rec *r)
{
	int i, j;

	for (i = 0; i < rec_ncols(r->type); i++)
		for (j = 0; j < NCOL; j++)
			if (strcmp(rec_colname(r->type, i), names[j]) == 0)
				return false;
	return true;
}

/* A legend in the midst of what is held. */
static void
hold_legend(const struct rec *r)
{
	int i;

	hold_put(r->line, r->len);
	for (i = 0; i < NCOL; i++) {
		hold_put("\t", 1);
		hold_put(names[i], strlen(names[i]));
	}
	hold_end_line(false);
}

static void
on_kern_legend(struct stage *st, struct rec *r)
{
	check_ops(st);
	if (hold_on && lacks_columns(r)) {
		hold_legend(r);
		return;
	}
	kern_drain(st);
	appending = lacks_columns(r);
	counts.again |= kc.lacks->pos >= 0;
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
	kc.block = rec_col(t, "block", REC_OPT);
	kc.seq = rec_col(t, "seq", REC_OPT);
	kc.dur = rec_col(t, "dur_ns", REC_OPT);
	kc.tc = rec_col(t, "tc", REC_OPT);
	kc.tc_rule = rec_col(t, "tc_rule", REC_OPT);
	kc.lacks = rec_col(t, "lacks", REC_OPT);
	kc.altseq = rec_col(t, "altseq", REC_OPT);
	kc.prim_id = rec_col(t, "prim_id", REC_OPT);
	kc.prim_run = rec_col(t, "prim_run", REC_OPT);
	ext = out_ext(names, NCOL);
	t = stage_on(st, "inst", on_inst, NULL);
	inst_id = rec_col(t, "inst_id", REC_OPT);
}
