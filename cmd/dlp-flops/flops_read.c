/*
 * The records that dlp-flops reads: strings, devices, ops, products and their
 * results are stored and passed on; kernels, copies and sets get their columns,
 * at once or when the numbers that they need have come.
 */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "array.h"
#include "err.h"
#include "flops.h"
#include "num.h"

static const char *const kern_names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks",
	"causal_flop", "bus_bytes", "prim", "est_flop", "est_bytes", "line",
	"least_bytes", "tiles" };

static void
take_str(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_facts *f = &fl->facts;
	int64_t id;
	size_t n;
	const char *s = rec_text(r, COL_text, &fl->tmp, &n);

	if (rec_num(r, COL_id, &id) && s != NULL)
		*map_put(&f->str_by_id, (uint64_t)id, NULL) =
		    (uint64_t)smap_put(&f->texts, s, n, NULL) + 1;
	stage_pass(st, r);
}

static void
take_dev(struct stage *st, struct rec *r)
{
	/* The small Turing chips have no Tensor Cores, but the same compute
	 * capability as the large ones: "NVIDIA GeForce GTX 1660 Ti" (NVIDIA's
	 * list of CUDA GPUs and the whitepaper of Turing, TU116 and TU117). */
	static const char small_turing[] =
	    "gtx|mx450|mx550|t400|t500|t550|t600|t1000|t1200|t2000";
	struct flops *fl = st->ctx;
	struct flops_facts *f = &fl->facts;
	size_t n;
	int64_t dev, place;
	uint64_t none = 0;
	double cc;
	const char *name = rec_text(r, COL_name, &fl->tmp, &n);

	if (rec_num(r, COL_dev, &dev) && rec_real(r, COL_cc, &cc) && cc > 0 &&
	    cc < 1000) {
		cc = (int)(cc * 10 + 0.5);
		if (cc == 75 && name != NULL) {
			buf_clear(&fl->line);
			name_lower(&fl->line, name, n);
			none = pat_match(small_turing, fl->line.s, n);
		}
		place = facts_place(fl, rec_get(r, COL_src), dev);
		f->any_cc |= cc > 0;
		*map_put(&f->dev_by_place, (uint64_t)place, NULL) =
		    (uint64_t)cc | none << 32;
	}
	stage_pass(st, r);
}

/* A field stored for the section. */
static struct mview
keep_field(struct flops *fl, const struct rec *r, int col)
{
	size_t n;
	const char *s = rec_text(r, col, &fl->tmp, &n);

	return facts_keep(fl, s, n);
}

static void
take_op(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_op *op;
	int64_t id;
	size_t n;
	const char *text;

	if (!rec_num(r, COL_op_id, &id)) {
		stage_pass(st, r);
		return;
	}
	op = ops_new(&fl->facts.ops, id);
	op->bprop = mv_eq(rec_get(r, COL_dir), "bprop");
	op->mod = keep_field(fl, r, COL_mod);
	op->name = keep_field(fl, r, COL_op);
	op->args = keep_field(fl, r, COL_args);
	op->shapes = keep_field(fl, r, COL_shapes);
	op->types = keep_field(fl, r, COL_types);
	op->grad = keep_field(fl, r, COL_bwd_shapes);
	op->repr = keep_field(fl, r, COL_repr).s;
	op->has_fwd = rec_num(r, COL_fwd_op_id, &op->fwd_id);
	op->comm = mv_eq(rec_get(r, COL_dir), "comm");
	op->for_id = rec_num_or(r, COL_for_op_id, -1);
	op->group = rec_num_or(r, COL_group_size, -1);
	text = rec_text(r, COL_dtype, &fl->tmp, &n);
	op->dt = text != NULL ? dt_marker(text, n) : DT_NONE;
	/* the results of integers often have another type: cumsum of bool */
	if (!op->comm && op->dt >= DT_INT64 && op->dt <= DT_BOOL)
		op->dt = DT_NONE;
	if (op->name.s != NULL)
		op->rule = rule_find(&fl->rules,
		    op->comm ? (struct mview){ "comm", 4 } : op->mod, op->name);
	if (op->rule != NULL && op->rule->count == paged_count)
		op->repr = keep_field(fl, r, COL_layer).s;
	text = rec_text(r, COL_text, &fl->tmp, &n);
	op->sums_up =
	    text != NULL && memmem(text, n, "AccumulateGrad", 14) != NULL;
	hold_op(st, op, text);
	stage_pass(st, r);
}

static void
take_prim(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	struct flops_op *p;
	int64_t id;

	if (rec_num(r, COL_prim_id, &id)) {
		p = ops_new(&fl->facts.prims, id);
		p->name = keep_field(fl, r, COL_op);
		p->shapes = keep_field(fl, r, COL_shapes);
		p->causal = rec_num_or(r, COL_causal, 0) == 1;
		if (p->name.s != NULL && p->shapes.s != NULL)
			p->rule = rule_find(&fl->rules, p->mod, p->name);
	}
	stage_pass(st, r);
}

/* The size of a product's result, as a list of one size. */
static void
take_result(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	int64_t run;
	struct mview shape = rec_get(r, COL_shape);

	if (rec_num(r, COL_prim_run, &run) && shape.s != NULL) {
		buf_clear(&fl->line);
		buf_putc(&fl->line, '[');
		buf_put(&fl->line, shape.s, shape.n);
		buf_putc(&fl->line, ']');
		hold_result(
		    st, run, facts_keep(fl, fl->line.s, fl->line.len).s);
	}
	stage_pass(st, r);
}

/* A run closes. */
static void
take_inst(struct stage *st, struct rec *r)
{
	int64_t id;

	stage_pass(st, r);
	if (rec_num(r, COL_inst_id, &id))
		hold_closed(st, id);
}

/* The ranks of a run, which take part in its collectives. */
static void
take_rank(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	fl->n_rank++;
	stage_pass(st, r);
}

/* Rules of AMD's names count unless the GPU is known to be NVIDIA's. */
static void
take_info(struct stage *st, struct rec *r)
{
	static const char group[] = "group_size\t";
	struct flops *fl = st->ctx;
	size_t wlen, n;
	const char *rest, *word = rec_meta(r, &wlen, &rest, &n);
	int64_t size;

	if (!text_is(word, wlen, "info"))
		return;
	if (text_is(rest, n, "dialect\tnsys") ||
	    text_is(rest, n, "dialect\tnvprof") ||
	    text_is(rest, n, "dialect\tdldb") || text_starts(rest, n, "cuda\t"))
		fl->names.tc.without = "amd";
	if (text_starts(rest, n, group)) {
		if (!num_i64(
			rest + sizeof(group) - 1, n - sizeof(group) + 1, &size))
			size = -1;
		fl->group = fl->group == 0 || fl->group == size ? size : -1;
	}
	if (text_is(rest, n, "vendor\tamd") || text_starts(rest, n, "hip\t"))
		fl->names.tc.without = NULL;
}

/* Finds which of a recurrent cell's products the kernel is: 0 is the product
 * with the input, 1 the one with the hidden state, 2 unknown. In forward, the
 * order decides. In backward, altseq does, because it is the product's own
 * sequence id; processes count their sequence ids alone. */
static int64_t
cell_product(struct flops *fl, const struct rec *r, const struct flops_kern *k,
    int64_t seq)
{
	struct smap *m = &fl->facts.cell_by_seq;
	struct {
		int64_t file, pid, seq;
	} key = { k->dev >> 32, rec_num_or(r, COL_pid, -1), seq };
	struct mview alt;
	uint32_t i;

	if (k->op->bprop) {
		i = smap_find(m, (const char *)&key, sizeof(key));
		return i == SMAP_NONE ? 2 : (int64_t)m->val[i];
	}
	alt = rec_get(r, COL_altseq);
	if (alt.s != NULL)
		(void)num_i64(alt.s, alt.n, &key.seq);
	if (k->sub <= 1) {
		i = smap_put(m, (const char *)&key, sizeof(key), NULL);
		m->val[i] = (uint64_t)k->sub;
	}
	return k->sub;
}

static void
read_kern(struct flops *fl, const struct rec *r, struct flops_kern *k)
{
	int64_t name_id = 0, seq;
	bool has_name = rec_num(r, COL_name_id, &name_id);
	struct mview tc, block;

	memset(k, 0, sizeof(*k));
	k->name = facts_name(fl, has_name ? &name_id : NULL,
	    rec_get(r, COL_short), &k->name_idx);
	k->op_id = rec_num_or(r, COL_op_id, -1);
	k->prim_run = rec_num_or(r, COL_prim_run, 0);
	k->prim_id = rec_num_or(r, COL_prim_id, -1);
	facts_subject(fl, k);
	k->sub = rec_num_or(r, COL_sub, 0);
	k->dev =
	    facts_place(fl, rec_get(r, COL_src), rec_num_or(r, COL_dev, -1));
	rec_length(r, COL_dur_ns, &k->dur_ns);
	k->has_inst = rec_num(r, COL_inst_id, &k->inst);
	k->has_seq = rec_num(r, COL_seq, &seq);
	/* Tensor Core use in DLProf's database. If there is a tc_rule too, the
	 * value is our own, from an earlier run. */
	tc = rec_get(r, COL_tc);
	if (!rec_has(r->type, COL_tc_rule))
		k->tc = mv_eq(tc, "yes")  ? TC_YES
			: mv_eq(tc, "no") ? TC_NO
					  : TC_UNKNOWN;
	k->uncaptured = mv_eq(rec_get(r, COL_captured), "no");
	k->grid = rec_get(r, COL_grid);
	if (k->has_seq && k->op != NULL && k->op->rule != NULL &&
	    k->op->rule->count == cell_count)
		k->sub = cell_product(fl, r, k, seq);
	/* the block of a gather kernel matters too: it follows the grid */
	block = rec_get(r, COL_block);
	if (k->name->gather > 0 && k->grid.s != NULL && block.s != NULL) {
		buf_clear(&fl->tmp);
		buf_put(&fl->tmp, k->grid.s, k->grid.n);
		buf_putc(&fl->tmp, ';');
		buf_put(&fl->tmp, block.s, block.n);
		k->grid = (struct mview){ fl->tmp.s, fl->tmp.len };
	}
}

static void
put_kern(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;
	const struct flops_result *res;
	struct flops_kern k;
	const char *dir = NULL;
	size_t mark = out_buf.len;

	read_kern(fl, r, &k);
	if (hold_size(st, r, &k))
		return;
	res = answer_of(fl, &k);
	if (hold_share(st, r, &k, res))
		return;
	/* a compiler's file can give the direction if the profile does not */
	if (res->fact != NULL && rec_get(r, COL_dir).s == NULL)
		dir = res->fact->dir;
	rest_put(&fl->kern_rest, &out_buf, r, dir);
	write_kern(fl, res, &k, NULL);
	if (!fl->hold.on) {
		out_end();
		return;
	}
	/* others wait: the line is taken from the output buffer again */
	buf_clear(&fl->line);
	buf_put(&fl->line, out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
	hold_line(st, &fl->line, true);
}

static void
put_legend(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	buf_clear(&fl->line);
	rest_legend(rec_arg(r), &fl->line, r);
	hold_line(st, &fl->line, false);
}

static void
put_kern_legend(struct stage *st, struct rec *r)
{
	struct flops *fl = st->ctx;

	if (!rec_has(r->type, COL_op_id) && !fl->no_ops_said && !fl->quiet) {
		/* without ops, only Tensor Core use is known, by the name */
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(r->rd));
		fl->no_ops_said = true;
	}
	put_legend(st, r);
}

/* Copies and sets have no arithmetic, and their bytes are in the profile. They
 * get a family so that commands that sum by family include them. */
static void
put_other(struct stage *st, struct rec *r)
{
	const char *tag = rec_type_tag(r->type);
	bool graph = tag[0] == 'g';
	struct flops *fl = st->ctx;

	if (!graph) {
		fl->run_counts.other_ns += (double)rec_num_or(r, COL_dur_ns, 0);
	} else if (!rec_has(r->type, COL_op_id)) {
		fl->run_counts.graphs++;
		fl->run_counts.graph_ns += (double)rec_num_or(r, COL_dur_ns, 0);
	}
	buf_clear(&fl->line);
	rest_put(rec_arg(r), &fl->line, r, NULL);
	buf_puts(&fl->line, graph ? "\t" : "\t0\tmemory\t");
	compiled_put_op(&fl->line,
	    ops_find(&fl->facts.ops, rec_num_or(r, COL_op_id, -1)),
	    tag[0] == 's' ? "memset" : tag);
	hold_line(st, &fl->line, true);
}

void
read_attach(struct stage *st, struct flops *fl)
{
	static const char *const names[] = { "flop", "family", "prim" };
	const struct rest memory = { .names = names, .n = ARRAY_LEN(names) };

	/* Tensor Cores are told without ops */
	static const char of_ops[] =
	    "kern:params,flop,bytes,dtype,family,role,tc_eligible,tc_why,lacks,"
	    "causal_flop,bus_bytes,prim,est_flop,est_bytes,line,least_bytes,"
	    "tiles copy:prim "
	    "set:prim graph:prim";
	const char *only = fl->quiet ? of_ops : NULL;

	st->ctx = fl;
	st->meta = take_info;
	fl->kern_rest =
	    (struct rest){ .names = kern_names, .n = ARRAY_LEN(kern_names) };
	fl->copy_rest = fl->set_rest = memory;
	fl->graph_rest = (struct rest){ .names = names + 2, .n = 1 };
	stage_on(st, "rank", take_rank);
	stage_on(st, "str", take_str, .need = "id text");
	stage_on(st, "dev", take_dev, .need = "dev", .opt = "cc name src");
	stage_on(st, "op", take_op, .only_for = only, .need = "op_id op",
	    .opt = "mod dir shapes args text bwd_shapes fwd_op_id repr"
		   " for_op_id dtype group_size types layer");
	stage_on(st, "prim", take_prim, .only_for = only,
	    .need = "prim_id op shapes", .opt = "causal");
	stage_on(st, "result", take_result, .only_for = only,
	    .need = "prim_run shape");
	stage_on(st, "kern", put_kern, .legend = put_kern_legend,
	    .arg = &fl->kern_rest, .only_for = only,
	    .only_cols = "op_id dir inst_id sub grid block pid seq dur_ns "
			 "altseq prim_id prim_run captured",
	    .opt = "op_id dir inst_id name_id short sub dev grid block pid seq"
		   " dur_ns tc tc_rule src altseq prim_id prim_run captured");
	stage_on(st, "inst", take_inst, .only_for = only, .opt = "inst_id");
	stage_on(st, "copy", put_other, .opt = "op_id dur_ns",
	    .legend = put_legend, .arg = &fl->copy_rest);
	stage_on(st, "set", put_other, .opt = "op_id dur_ns",
	    .legend = put_legend, .arg = &fl->set_rest);
	stage_on(st, "graph", put_other, .opt = "op_id dur_ns",
	    .legend = put_legend, .arg = &fl->graph_rest);
}
