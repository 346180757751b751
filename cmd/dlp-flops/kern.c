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
#define NCOL 13

static struct rec_col *inst_id; /* of inst */
static struct out_ext *ext;
static bool appending; /* none of our columns is in the input's legend */

/* Columns that the input has already are replaced. */
static void
replace(struct rec *r, const struct kern *k, const struct result *res,
    enum role role)
{
	out_ext_begin(ext, r);
	put_columns(res, k->k, role, k->dev, k->given);
	out_ext_end(ext, r);
}

/* A kernel's line into what is held: its columns are written behind the
 * output's end, and taken away from there. */
static void
hold_columns(struct stage *st, const struct rec *r, const struct kern *k,
    const struct result *res, enum role role)
{
	size_t mark;

	hold_put(r->line, r->len);
	mark = out_buf.len;
	put_columns(res, k->k, role, k->dev, TC_UNKNOWN);
	hold_put(out_buf.s + mark, out_buf.len - mark);
	out_buf.len = mark;
	hold_end_line(true);
	if (hold_full())
		wait_drain(st);
}

/* A run closes. */
static void
on_inst(struct stage *st, struct rec *r)
{
	int64_t id;

	stage_pass(st, r);
	if (rec_i64(r, inst_id, &id))
		wait_closed(st, id);
}

static void
on_kern(struct stage *st, struct rec *r)
{
	const struct result *res;
	struct kern k;
	enum role role;

	kern_read(r, &k);
	if (appending && wait_size(st, r, &k))
		return;
	res = result_of(&k.s, k.k, k.name_idx, k.sub, k.grid, k.ngrid);
	if (appending && wait_share(st, r, &k, res))
		return;
	count_notes(res, k.k, k.dev, k.dur_ns, k.given);
	role = role_now(&res->a, k.has_inst, k.inst, k.prim_run);
	if (!appending) {
		replace(r, &k, res, role);
	} else if (hold_on) {
		hold_columns(st, r, &k, res, role);
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

	if (!kern_has_ops() && !said)
		warn("%s: kern records have no op_id, so FLOPs and bytes are"
		     " unknown: dlp-correlate before dlp-flops adds it",
		    rec_where(st->rd));
	said |= !kern_has_ops();
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
	wait_drain(st);
	appending = lacks_columns(r);
	counts.again |= kern_was_here();
	out_ext_legend(ext, r);
}

void
kern_attach(struct stage *st)
{
	struct rec_type *t;

	t = stage_on(st, "kern", on_kern, on_kern_legend);
	kern_read_bind(t);
	ext = out_ext(names, NCOL);
	t = stage_on(st, "inst", on_inst, NULL);
	inst_id = rec_col(t, "inst_id", REC_OPT);
}
