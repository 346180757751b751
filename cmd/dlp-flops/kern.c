/*
 * The kern records: each gets its columns, at once or, where its op's sizes
 * come later, when they are known (wait.h).
 */
#include <string.h>

#include "columns.h"
#include "err.h"
#include "hold.h"
#include "kern.h"
#include "kern_read.h"
#include "wait.h"

static const char *const names[] = { "params", "flop", "bytes", "dtype",
	"family", "role", "tc", "tc_rule", "tc_eligible", "tc_why", "lacks",
	"causal_flop", "bus_bytes" };

static struct rest rest = { .names = names,
	.n = sizeof(names) / sizeof(names[0]) };
static struct rec_col *inst_id; /* of inst */

/* A run closes. */
static void
on_inst(struct stage *st, struct rec *r)
{
	int64_t id;

	stage_pass(st, r);
	if (rec_i64(r, inst_id, &id))
		wait_closed(st, id);
}

/* A kernel's line while others wait: it is written behind the output's end,
 * and taken away from there. */
static void
put_held(struct stage *st, size_t mark)
{
	static struct buf line;

	buf_clear(&line);
	buf_put(&line, out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
	wait_line(st, &line, true);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	const struct result *res;
	struct kern k;
	size_t mark;

	kern_read(r, &k);
	if (wait_size(st, &rest, r, &k))
		return;
	res = result_of(&k.s, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	if (wait_share(st, &rest, r, &k, res))
		return;
	count_notes(res, k.k, k.dev, k.dur_ns, k.given);
	mark = out_buf.len;
	rest_put(&rest, &out_buf, r);
	put_columns(res, k.k, role_now(&res->a, k.has_inst, k.inst, k.prim_run),
	    k.dev, k.given);
	if (hold_on)
		put_held(st, mark);
	else
		out_end();
}

/* Without ops a name still tells about Tensor Cores, and no more. */
static void
check_ops(const struct rec_reader *rd)
{
	static bool said;

	if (!kern_has_ops() && !said)
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(rd));
	said |= !kern_has_ops();
}

static void
on_kern_legend(struct stage *st, struct rec *r)
{
	static struct buf line;

	check_ops(r->rd);
	buf_clear(&line);
	rest_legend(&rest, &line, r);
	wait_line(st, &line, false);
}

void
kern_attach(struct stage *st)
{
	struct rec_type *t;

	t = stage_on(st, "kern", on_kern, on_kern_legend, NULL);
	kern_read_bind(t);
	t = stage_on(st, "inst", on_inst, NULL, NULL);
	inst_id = rec_col(t, "inst_id", REC_OPT);
}
