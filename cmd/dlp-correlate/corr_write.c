/*
 * Writes the output: records of work and ranges with columns added, and records
 * of runs.
 */

#include "array.h"
#include "corr.h"
#include "ivl.h"
#include "num.h"

/* Ends a record that has the column src if the input has. */
static void
end_with_src(struct mview src)
{
	if (src.s != NULL)
		out_raw(src.s, src.n);
	out_end();
}

static const char *const work_cols[] = { "op_id", "inst_id", "op_start_ns",
	"mod", "op", "dir", "seq", "altseq", "sub", "layer", "phase",
	"phase_by", "why", "prim_id", "prim_run", "for_mod", "for_op",
	"for_dir", "captured" };
#define N_OF_KERN 6 /* the last columns, which only kernels have */

static const char *const range_cols[] = { "level", "layer", "phase" };

static const char *const alloc_cols[] = { "phase", "layer", "at" };

static const char *const inst_cols[] = { "inst_id", "op_id", "start_ns",
	"dur_ns", "pid", "tid", "gpu_start_ns", "gpu_end_ns", "gpu_ns",
	"overhead_ns", "idle_ns", "api_ns", "n_kern", "n_gpu", "n_call", "op",
	"dir", "seq", "fwd_inst_id", "layer", "phase", "launch_id", "src" };

static const char *const nest_cols[] = { "start_ns", "dur_ns", "pid", "tid",
	"level", "text", "src" };

void
write_init(struct corr_types *t)
{
	int i, n = ARRAY_LEN(work_cols);

	for (i = 0; i < W_N; i++)
		t->work[i] =
		    out_ext(work_cols, i == W_KERN ? n : n - N_OF_KERN);
	t->range = out_ext(range_cols, ARRAY_LEN(range_cols));
	t->alloc = out_ext(alloc_cols, ARRAY_LEN(alloc_cols));
}

/* The columns mod, op and dir: of an op, or as PyProf's rules have them. Zeroed
 * they are unset. */
struct op_cols {
	struct mview mod, op;
	const char *dir;
};

static struct op_cols
cols_of(const struct corr_op *op)
{
	return (struct op_cols){ op->f[OF_MOD], op->f[OF_OP], op_dir(op) };
}

static void
put_op(const struct op_cols *x)
{
	out_view(x->mod);
	out_view(x->op);
	out_word(x->dir);
}

void
write_work(struct corr *c, const struct corr_work *work,
    const struct corr_place *pl, struct rec *rec)
{
	static const char *const by[] = { "range", "thread", "graph", "op" };
	struct out_ext *ext = c->types.work[work->type];
	struct kern_cols *cols = pl->kern ? &c->types.kern : NULL;
	bool comm = pl->comm_op != OP_NONE;
	struct op_cols own, launcher = { .dir = NULL };
	const struct corr_op *op;
	const struct corr_inst *in = comm ? pl->comm_in : pl->in;
	int phase = pl->phase, phase_by = pl->phase_by;
	bool seq = pl->in != NULL && pl->in->seq >= 0;

	if (cols != NULL && !py_columns(c, work, pl, cols))
		cols = NULL;
	if (cols != NULL && cols->over)
		launcher = (struct op_cols){ cols->mod, cols->op,
			cols->bwd ? "bprop" : "fprop" };
	else if (pl->in != NULL)
		launcher = cols_of(op_get(&c->ops, pl->op));
	if (phase == 0 && pl->in != NULL && work->type != W_COPY) {
		phase = op_phase(op_get(&c->ops, pl->op), launcher.dir,
		    cols != NULL ? cols->has_seq : seq,
		    work->type == W_CALL || work->type == W_SYNC);
		phase_by = PHASE_BY_OP;
	}
	op = op_get(&c->ops, comm ? pl->comm_op : pl->op);
	own = comm ? cols_of(op) : launcher;
	out_ext_begin(ext, rec);
	out_i64(op->no);
	out_opt(in != NULL, in != NULL ? (int64_t)in->id : 0);
	out_opt(in != NULL, in != NULL ? in->start : 0);
	put_op(&own);
	if (cols == NULL) {
		out_opt(seq, seq ? pl->in->seq : 0);
		out_unsets(2);
	} else {
		out_opt(cols->has_seq, cols->seq);
		out_raw(cols->alt.len > 0 ? cols->alt.s : NULL, cols->alt.len);
		out_opt(cols->sub >= 0, cols->sub);
	}
	out_raw(pl->layer.n > 0 ? pl->layer.s : NULL, pl->layer.n);
	out_word(phase_words[phase]);
	out_word(phase != 0 ? by[phase_by] : NULL);
	out_word(why_words[pl->why]);
	if (pl->kern) {
		out_opt(pl->prim != 0, pl->prim);
		out_opt(pl->prim != 0, (int64_t)pl->prim_run);
		own = comm ? launcher : (struct op_cols){ .dir = NULL };
		put_op(&own);
		out_word(pl->captured != YNU_UNKNOWN ? ynu_name(pl->captured)
						     : NULL);
	}
	out_ext_end(ext, rec);
}

void
write_range(struct corr *c, const struct corr_thread *th, int phase,
    size_t level, size_t layer_len, struct rec *r)
{
	struct out_ext *ext = c->types.range;

	out_ext_begin(ext, r);
	out_i64((int64_t)level);
	out_raw(layer_len > 0 ? th->layer.s : NULL, layer_len);
	out_word(phase_words[phase]);
	out_ext_end(ext, r);
}

void
write_alloc(
    struct corr *c, struct corr_proc *p, struct corr_thread *th, struct rec *r)
{
	const struct corr_open *top = th != NULL ? thread_top(th) : NULL;
	const struct corr_inst *in = th != NULL ? current_inst(c, th) : NULL;
	const struct corr_op *op = in != NULL ? op_get(&c->ops, in->op) : NULL;

	out_ext_begin(c->types.alloc, r);
	out_word(phase_words[phase_now(&c->threads, p, th, NULL)]);
	if (op != NULL && op->f[OF_LAYER].n > 0)
		out_view(op->f[OF_LAYER]);
	else if (top != NULL && top->layer_len > 0)
		out_raw(th->layer.s, top->layer_len);
	else
		out_unset();
	if (op != NULL)
		out_view(op->f[OF_OP]);
	else
		out_unset();
	out_ext_end(c->types.alloc, r);
}

/* The text is cut where the runs of an op differ: at the sequence number, the
 * id, or the sizes. */
void
write_nest(struct corr_types *t, size_t level, const struct rec *r)
{
	static const char *const tail[] = {
		", seq = ", ", op_id = ", ", sizes = "
	};
	struct mview text = rec_get(r, COL_text), src = rec_get(r, COL_src);
	const char *at;
	size_t i;

	out_rec_src(
	    &t->nest, "nest", nest_cols, ARRAY_LEN(nest_cols), src.s != NULL);
	out_view(rec_get(r, COL_start_ns));
	out_view(rec_get(r, COL_dur_ns));
	out_view(rec_get(r, COL_pid));
	out_view(rec_get(r, COL_tid));
	out_i64((int64_t)level);
	for (i = 0; text.s != NULL && i < ARRAY_LEN(tail); i++) {
		at = mv_find(text, tail[i]);
		if (at != NULL)
			text.n = (size_t)(at - text.s);
	}
	out_view(text);
	end_with_src(src);
}

/* A replay of a captured run has no time on the CPU, because its launch has it.
 */
void
write_inst(struct corr *c, struct corr_inst *in)
{
	const struct corr_op *op = op_get(&c->ops, in->op);
	bool gpu = in->gpu_lo <= in->gpu_hi;
	int64_t busy = ivl_len(&in->gpu.all);
	int64_t dur = num_sub(in->end, in->start), api = in->api_ns;
	int phase = in->phase;

	if (in->api_end > in->end) /* the end of a call that outlasts the op */
		api = num_sub(api, num_sub(in->api_end, in->end));
	out_rec_src(&c->types.inst, "inst", inst_cols, ARRAY_LEN(inst_cols),
	    in->src.s != NULL);
	out_i64((int64_t)in->id);
	out_i64(op->no);
	out_i64(in->start);
	out_opt(!in->replay, dur);
	out_i64(in->pid);
	out_opt(in->has_tid, in->tid);
	out_opt(gpu, in->gpu_lo);
	out_opt(gpu, in->gpu_hi);
	out_i64(ivl_by_len(&in->gpu));
	out_opt(!in->replay, num_sub(dur, api));
	out_i64(gpu ? num_sub(num_sub(in->gpu_hi, in->gpu_lo), busy) : 0);
	out_opt(!in->replay, in->api_ns);
	out_i64((int64_t)in->n_kern);
	out_i64((int64_t)in->n_gpu);
	out_opt(!in->replay, (int64_t)in->n_call);
	out_view(op->f[OF_OP]);
	out_word(op_dir(op));
	out_opt(in->seq >= 0, in->seq);
	out_opt(in->fwd_inst != 0, (int64_t)in->fwd_inst);
	out_view(op->f[OF_LAYER]);
	if (phase == 0)
		phase = op_phase(op, op_dir(op), in->seq >= 0, true);
	out_word(phase_words[phase]);
	out_opt(in->has_launch, in->launch_id);
	end_with_src(in->src);
	inst_drop(&c->insts, in);
}
