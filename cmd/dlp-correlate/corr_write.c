/*
 * Writes the output: records of work and ranges with columns added, and records
 * of runs.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "corr.h"
#include "err.h"
#include "ivl.h"
#include "num.h"

#define TEXT_ID_MIN (INT64_C(1) << 62)

bool
write_is_text(int64_t id)
{
	return id >= TEXT_ID_MIN;
}

/* An input without kernel names has no legend of str records. */
static void
text_legend(struct long_texts *t)
{
	static const char legend[] = "#str\tid\ttext";

	if (t->n > 0)
		return;
	out_line(legend, sizeof(legend) - 1);
	t->n = 2;
	t->id = 0;
	t->text = 1;
}

int64_t
write_text(struct long_texts *t, struct escaped text)
{
	uint64_t id = hash_bytes(text.s, text.n) >> 2 | (uint64_t)TEXT_ID_MIN;
	struct buf line = { 0 };
	bool is_new;
	int i;

	map_put(&t->written, id, &is_new);
	if (!is_new)
		return (int64_t)id;
	text_legend(t);
	buf_puts(&line, "str");
	for (i = 0; i < t->n; i++) {
		buf_putc(&line, '\t');
		if (i == t->id)
			buf_printf(&line, "%" PRIu64, id);
		else if (i == t->text)
			buf_put(&line, text.s, text.n);
		else
			buf_putc(&line, '-');
	}
	out_line(line.s, line.len);
	buf_free(&line);
	return (int64_t)id;
}

/*
 * --ranges: each range as the GPU saw it, from the first start to the last end
 * of the work that was launched inside it, children included.
 */

struct projection { /* of a range */
	uint64_t order;
	int64_t id, start, end, parent;
	bool has_parent, has_dur;
	int64_t level, n_child, gpu_lo, gpu_hi;
	uint64_t n_gpu;
	struct ivl gpu;
	struct buf rest; /* pid .. text, as fields */
	struct escaped src;
	struct projection *next_free;
};

/* Two types of a record that dlp-correlate makes: the second has src as its
 * last column and is used if the input has src. The other functions begin and
 * end such a record. */
static void
src_types(struct out_type *type[2], const char *tag, const char *const *names,
    size_t n)
{
	type[0] = out_type(tag, names, (int)n - 1);
	type[1] = out_type(tag, names, (int)n);
}

static void
src_rec(struct out_type *const type[2], struct escaped src)
{
	out_rec(type[src.s != NULL]);
}

static void
src_end(struct escaped src)
{
	if (src.s != NULL)
		out_raw(src.s, src.n);
	out_end();
}

void
projs_init(struct projs *s, struct closing *closing)
{
	static const char *const proj[] = { "range_id", "start_ns", "dur_ns",
		"pid", "tid", "domain", "mode", "text", "gpu_start_ns",
		"gpu_end_ns", "gpu_ns", "n_gpu", "level", "n_child",
		"parent_id", "src" };
	static const char *const rangekern[] = { "range_id", "kern_id" };

	s->closing = closing;
	src_types(s->type, "proj", proj, ARRAY_LEN(proj));
	s->rangekern = out_type("rangekern", rangekern, ARRAY_LEN(rangekern));
}

static struct projection *
proj_alloc(struct projs *s)
{
	struct projection *pr = s->free;

	if (pr != NULL) {
		s->free = pr->next_free;
		buf_clear(&pr->rest);
		ivl_clear(&pr->gpu);
		return pr;
	}
	return xcalloc(1, sizeof(*pr));
}

void
proj_begin(
    struct projs *projs, const struct corr_range *range, const struct buf *rest)
{
	struct projection *pr = proj_alloc(projs);
	struct corr_thread *th = range->th;
	struct corr_open *top = thread_top(th);

	pr->order = ++projs->closing->order;
	pr->id = range->id;
	pr->src = th->p->src;
	pr->start = range->start;
	pr->end = range->end;
	pr->has_dur = range->has_end;
	pr->level = (int64_t)th->open.n - 1;
	pr->n_child = 0;
	pr->gpu_lo = INT64_MAX;
	pr->gpu_hi = INT64_MIN;
	pr->n_gpu = 0;
	pr->has_parent = th->open.n > 1;
	pr->parent = pr->has_parent ? (top - 1)->id : 0;
	buf_put(&pr->rest, rest->s, rest->len);
	top->proj = pr;
	closing_add(projs->closing, CLOSE_PROJ, pr->end, pr->order, pr);
}

static void
write_rangekern(const struct projs *s, int64_t range, int64_t kern)
{
	out_rec(s->rangekern);
	out_i64(range);
	out_i64(kern);
	out_end();
}

void
proj_work(const struct projs *projs, const struct corr_work *work)
{
	struct corr_thread *th = work->th;
	size_t i;

	if (work->type == W_SYNC || work->type == W_CALL)
		return;
	for (i = 0; i < th->open.n; i++) {
		const struct corr_open *open = thread_at(th, i);
		struct projection *pr = open->proj;

		if (pr == NULL)
			continue;
		if (pr->n_gpu++ == 0 && i > 0 && (open - 1)->proj != NULL)
			(open - 1)->proj->n_child++;
		if (work->has_gpu) {
			if (work->start < pr->gpu_lo)
				pr->gpu_lo = work->start;
			if (work->end > pr->gpu_hi)
				pr->gpu_hi = work->end;
			ivl_add(&pr->gpu, work->start, work->end);
		}
		if (work->type == W_KERN)
			write_rangekern(projs, pr->id, work->id);
	}
}

void
proj_write(struct projs *projs, struct projection *pr)
{
	bool gpu = pr->gpu_lo <= pr->gpu_hi;

	src_rec(projs->type, pr->src);
	out_i64(pr->id);
	out_i64(pr->start);
	out_opt(pr->has_dur, num_sub(pr->end, pr->start));
	out_fields(pr->rest.s, pr->rest.len);
	out_opt(gpu, pr->gpu_lo);
	out_opt(gpu, pr->gpu_hi);
	out_i64(ivl_len(&pr->gpu));
	out_i64((int64_t)pr->n_gpu);
	out_i64(pr->level);
	out_i64(pr->n_child);
	out_opt(pr->has_parent, pr->parent);
	src_end(pr->src);
	pr->next_free = projs->free;
	projs->free = pr;
}

void
projs_free(struct projs *s)
{
	struct projection *pr;

	while ((pr = s->free) != NULL) {
		s->free = pr->next_free;
		ivl_free(&pr->gpu);
		buf_free(&pr->rest);
		free(pr);
	}
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
	src_types(t->inst, "inst", inst_cols, ARRAY_LEN(inst_cols));
	src_types(t->nest, "nest", nest_cols, ARRAY_LEN(nest_cols));
}

void
write_free(struct corr_types *t)
{
	buf_free(&t->kern.alt);
}

static void
put_escaped(struct escaped t)
{
	out_raw(t.s, t.n);
}

static void
put_or_unset(const char *word)
{
	out_raw(word, word != NULL ? strlen(word) : 0);
}

static void
put_place(const struct corr_place *pl)
{
	static const char *const by[] = { "range", "thread", "graph" };

	if (pl->layer.n > 0)
		put_escaped(pl->layer);
	else
		out_unset();
	put_or_unset(phase_word(pl->phase));
	put_or_unset(pl->phase != 0 ? by[pl->phase_by] : NULL);
	put_or_unset(why_word(pl->why));
	if (!pl->kern)
		return;
	out_opt(pl->prim != 0, pl->prim);
	out_opt(pl->prim != 0, (int64_t)pl->prim_run);
}

/* The columns mod, op and dir of work that the op launched. cols: values from a
 * hook; NULL if there are none. */
static void
put_launcher(const struct corr *corr, const struct corr_place *pl,
    const struct kern_cols *cols)
{
	const struct corr_op *op;

	if (cols != NULL && cols->over) {
		put_escaped(cols->mod);
		put_escaped(cols->op);
		put_or_unset(cols->bwd ? "bprop" : "fprop");
		return;
	}
	if (pl->in == NULL) {
		out_unsets(3);
		return;
	}
	op = op_get(&corr->ops, pl->op);
	put_escaped(op->f[OF_MOD]);
	put_escaped(op->f[OF_OP]);
	put_or_unset(op_dir(op));
}

/* The columns op_id to dir. */
static void
put_op_columns(const struct corr *corr, const struct corr_place *pl,
    const struct kern_cols *cols)
{
	bool comm = pl->comm_op != OP_NONE;
	const struct corr_op *op =
	    op_get(&corr->ops, comm ? pl->comm_op : pl->op);
	const struct corr_inst *in = comm ? pl->comm_in : pl->in;

	out_i64(op->no);
	out_opt(in != NULL, in != NULL ? (int64_t)in->id : 0);
	out_opt(in != NULL, in != NULL ? in->start : 0);
	if (!comm) {
		put_launcher(corr, pl, cols);
		return;
	}
	put_escaped(op->f[OF_MOD]);
	put_escaped(op->f[OF_OP]);
	put_or_unset(op_dir(op));
}

/* The columns seq, altseq and sub. */
static void
put_seq(const struct corr_place *pl, const struct kern_cols *cols)
{
	bool has_seq = pl->in != NULL && pl->in->seq >= 0;

	if (cols == NULL) {
		out_opt(has_seq, has_seq ? pl->in->seq : 0);
		out_unsets(2);
		return;
	}
	out_opt(cols->has_seq, cols->seq);
	out_raw(cols->alt.len > 0 ? cols->alt.s : NULL, cols->alt.len);
	out_opt(cols->sub >= 0, cols->sub);
}

void
write_work(struct corr *corr, const struct corr_work *work,
    const struct corr_place *pl, struct rec *rec)
{
	struct out_ext *ext = corr->types.work[work->type];
	const struct kern_cols *cols = NULL;

	if (pl->kern && corr->hooks.columns != NULL &&
	    corr->hooks.columns(corr, work, pl, &corr->types.kern))
		cols = &corr->types.kern;
	out_ext_begin(ext, rec);
	put_op_columns(corr, pl, cols);
	put_seq(pl, cols);
	put_place(pl);
	if (pl->kern && pl->comm_op != OP_NONE)
		put_launcher(corr, pl, cols);
	else if (pl->kern)
		out_unsets(3);
	if (pl->kern)
		put_or_unset(pl->captured != YNU_UNKNOWN
				 ? ynu_name(pl->captured)
				 : NULL);
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
	put_or_unset(phase_word(phase));
	out_ext_end(ext, r);
}

void
write_alloc(
    struct corr *c, struct corr_proc *p, struct corr_thread *th, struct rec *r)
{
	const struct corr_open *top = th != NULL ? thread_top(th) : NULL;
	const struct corr_inst *in = th != NULL ? current_inst(c, th) : NULL;
	const struct corr_op *op = in != NULL ? op_get(&c->ops, in->op) : NULL;
	bool guess;

	out_ext_begin(c->types.alloc, r);
	put_or_unset(phase_word(phase_now(&c->threads, p, th, &guess)));
	if (op != NULL && op->f[OF_LAYER].n > 0)
		put_escaped(op->f[OF_LAYER]);
	else if (top != NULL && top->layer_len > 0)
		out_raw(th->layer.s, top->layer_len);
	else
		out_unset();
	if (op != NULL)
		put_escaped(op->f[OF_OP]);
	else
		out_unset();
	out_ext_end(c->types.alloc, r);
}

/* The length of a text up to what differs between the runs of an op: its
 * sequence number, its id, its sizes. */
static size_t
len_of_name(const char *s, size_t n)
{
	static const char *const from[] = {
		", seq = ", ", op_id = ", ", sizes = "
	};
	const char *at;
	size_t i;

	for (i = 0; i < ARRAY_LEN(from); i++) {
		at = mv_find((struct mview){ s, n }, from[i]);
		if (at != NULL)
			n = (size_t)(at - s);
	}
	return n;
}

static void
put_field(const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	out_raw(s, s != NULL ? n : 0);
}

void
write_nest(const struct corr_types *t, const struct nest_from *from,
    size_t level, const struct rec *r)
{
	struct escaped src;
	const char *text;
	size_t n;

	src.s = rec_raw(r, from->src, &src.n);
	src_rec(t->nest, src);
	put_field(r, from->start);
	put_field(r, from->dur);
	put_field(r, from->pid);
	put_field(r, from->tid);
	out_i64((int64_t)level);
	text = rec_raw(r, from->text, &n);
	out_raw(text, text != NULL ? len_of_name(text, n) : 0);
	src_end(src);
}

/* The columns gpu_start_ns to n_call. A replay of a captured run has no time on
 * the CPU, because its launch has it. */
static void
put_sums(const struct corr_inst *in)
{
	bool gpu = in->gpu_lo <= in->gpu_hi;
	int64_t busy = ivl_len(&in->gpu.all);
	int64_t cpu = num_sub(in->end, in->start), api = in->api_ns;

	if (in->api_end > in->end) /* the end of a call that outlasts the op */
		api = num_sub(api, num_sub(in->api_end, in->end));
	out_opt(gpu, in->gpu_lo);
	out_opt(gpu, in->gpu_hi);
	out_i64(ivl_by_len(&in->gpu));
	out_opt(!in->replay, num_sub(cpu, api));
	out_i64(gpu ? num_sub(num_sub(in->gpu_hi, in->gpu_lo), busy) : 0);
	out_opt(!in->replay, in->api_ns);
	out_i64((int64_t)in->n_kern);
	out_i64((int64_t)in->n_gpu);
	out_opt(!in->replay, (int64_t)in->n_call);
}

void
write_inst(struct corr *corr, struct corr_inst *in)
{
	const struct corr_op *op = op_get(&corr->ops, in->op);

	src_rec(corr->types.inst, in->src);
	out_i64((int64_t)in->id);
	out_i64(op->no);
	out_i64(in->start);
	out_opt(!in->replay, num_sub(in->end, in->start));
	out_i64(in->pid);
	out_opt(in->has_tid, in->tid);
	put_sums(in);
	put_escaped(op->f[OF_OP]);
	put_or_unset(op_dir(op));
	out_opt(in->seq >= 0, in->seq);
	out_opt(in->fwd_inst != 0, (int64_t)in->fwd_inst);
	put_escaped(op->f[OF_LAYER]);
	put_or_unset(phase_word(in->phase));
	out_opt(in->has_launch, in->launch_id);
	src_end(in->src);
	inst_drop(&corr->insts, in);
}
