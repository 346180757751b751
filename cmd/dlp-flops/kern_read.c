/* The columns of a kern record; see kern_read.h. */
#include <string.h>

#include "cell.h"
#include "kern_read.h"
#include "num.h"

static struct {
	struct rec_col *op_id, *inst_id, *name_id, *brief, *sub, *dev, *grid,
	    *block, *seq, *dur, *tc, *tc_rule, *prim_id, *prim_run, *altseq,
	    *src;
} kc;

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

void
kern_read(const struct rec *r, struct kern *k)
{
	int64_t name_id = 0, seq, v;
	bool has_name = rec_i64(r, kc.name_id, &name_id);
	const char *brief, *src;
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
	src = rec_raw(r, kc.src, &n);
	k->dev = state_place(src, n, rec_i64(r, kc.dev, &v) ? v : -1);
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

bool
kern_has_ops(void)
{
	return kc.op_id->pos >= 0;
}

void
kern_read_bind(struct rec_type *t)
{
	REC_COLS(t, REC_OPT, { &kc.op_id, "op_id" }, { &kc.inst_id, "inst_id" },
	    { &kc.name_id, "name_id" }, { &kc.brief, "short" },
	    { &kc.sub, "sub" }, { &kc.dev, "dev" }, { &kc.grid, "grid" },
	    { &kc.block, "block" }, { &kc.seq, "seq" }, { &kc.dur, "dur_ns" },
	    { &kc.tc, "tc" }, { &kc.tc_rule, "tc_rule" }, { &kc.src, "src" },
	    { &kc.altseq, "altseq" }, { &kc.prim_id, "prim_id" },
	    { &kc.prim_run, "prim_run" });
}
