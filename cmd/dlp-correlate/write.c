/* The records that correlation adds: ops and their runs. */
#include "write.h"

#include <string.h>

#include "inst.h"
#include "num.h"
#include "out.h"
#include "phase_text.h"
#include "src_type.h"

static const char *const op_names[] = { "op_id", "key", "name", "mod", "op",
	"dir", "layer", "by", "text", "dtype", "shapes", "args", "bwd_shapes",
	"fwd_op_id", "stack", "trace", "repr", "dl_id", "dl_in", "dl_out",
	"dl_tc" };
#define N_DL 4 /* the last ones, of --dlprof */
static const char *const inst_names[] = { "inst_id", "op_id", "start_ns",
	"dur_ns", "pid", "tid", "gpu_start_ns", "gpu_end_ns", "gpu_ns",
	"overhead_ns", "idle_ns", "api_ns", "n_kern", "n_gpu", "n_call", "op",
	"dir", "seq", "fwd_inst_id", "layer", "phase", "launch_id", "src" };
#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static struct out_type *op_type;
static struct src_type inst_type = {
	.tag = "inst", .names = inst_names, .n = N(inst_names)
};

static void
put(struct text t)
{
	out_raw(t.s, t.n);
}

/* Unassociated work has no direction. */
static void
put_dir(const struct op *op)
{
	if (op->none)
		out_unset();
	else if (op->bwd)
		out_raw("bprop", 5);
	else
		out_raw("fprop", 5);
}

static void
put_key(const struct op *op)
{
	struct text shapes = op->f[OF_SHAPES], name = op->f[OF_NAME];

	if (!out_next())
		return;
	buf_putc(&out_buf, '\t');
	buf_put(&out_buf, name.s != NULL ? name.s : "-",
	    name.s != NULL ? name.n : 1);
	buf_puts(&out_buf, op->none ? "||" : op->bwd ? "|bprop|" : "|fprop|");
	if (shapes.s != NULL)
		buf_put(&out_buf, shapes.s, shapes.n);
}

static void
put_dl(const struct op *op)
{
	put(op->f[OF_DL_ID]);
	put(op->f[OF_DL_IN]);
	put(op->f[OF_DL_OUT]);
	out_raw(op->dl_tc, op->dl_tc != NULL ? strlen(op->dl_tc) : 0);
}

void
write_op(const struct op *op, bool dlprof)
{
	int f;

	if (op_type == NULL)
		op_type =
		    out_type("op", op_names, N(op_names) - (dlprof ? 0 : N_DL));
	out_rec(op_type);
	out_i64(op->no);
	put_key(op);
	put(op->f[OF_NAME]);
	put(op->f[OF_MOD]);
	put(op->f[OF_OP]);
	put_dir(op);
	for (f = OF_LAYER; f <= OF_BWD_SHAPES; f++)
		put(op->f[f]);
	out_opt(op->fwd_no != OP_NONE, op->fwd_no);
	put(op->f[OF_STACK]);
	put(op->f[OF_TRACE]);
	put(op->f[OF_REPR]);
	if (dlprof)
		put_dl(op);
	out_end();
}

static void
put_gpu(const struct inst *in)
{
	bool gpu = in->gpu_lo <= in->gpu_hi;
	int64_t busy = ivl_len(&in->gpu.all);
	int64_t cpu = num_sub(in->end, in->start), api = in->api_ns;

	if (in->api_end > in->end) /* of a call that outlasts the op */
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
write_inst(const struct op *op, const struct inst *in)
{
	src_type_rec(&inst_type, in->src);
	out_i64((int64_t)in->id);
	out_i64(op->no);
	out_i64(in->start);
	out_opt(!in->replay, num_sub(in->end, in->start));
	out_i64(in->pid);
	out_opt(in->has_tid, in->tid);
	put_gpu(in);
	put(op->f[OF_OP]);
	put_dir(op);
	out_opt(in->seq >= 0, in->seq);
	out_opt(in->fwd_inst != 0, (int64_t)in->fwd_inst);
	put(op->f[OF_LAYER]);
	if (in->phase != 0)
		out_raw(phase_word(in->phase), strlen(phase_word(in->phase)));
	else
		out_unset();
	out_opt(in->has_launch, in->launch_id);
	src_type_end(in->src);
}
