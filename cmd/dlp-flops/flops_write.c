/*
 * Writes the columns of a kernel, and the notes. An op's work is counted on the
 * kernel that carries it, once per run: on the first product, and in a backward
 * on one kernel for each of the two gradients.
 */
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "flops.h"
#include "num.h"

void
rest_legend(struct rest *x, struct buf *b, const struct rec *r)
{
	int i, k, n = rec_ncols(r->type);

	x->ours = xrealloc(x->ours, (size_t)n + 1, sizeof(*x->ours));
	x->some = false;
	buf_printf(b, "#%s", rec_type_tag(r->type));
	for (i = 0; i < n; i++) {
		for (k = 0; k < x->n; k++)
			if (strcmp(rec_colname(r->type, i), x->names[k]) == 0)
				break;
		x->ours[i] = k < x->n;
		x->some |= x->ours[i];
		if (!x->ours[i])
			buf_printf(b, "\t%s", rec_colname(r->type, i));
	}
	for (k = 0; k < x->n; k++)
		buf_printf(b, "\t%s", x->names[k]);
}

void
rest_put(
    const struct rest *x, struct buf *b, const struct rec *r, const char *dir)
{
	const char *s;
	size_t n;
	int i;

	if (!x->some && dir == NULL) {
		buf_put(b, r->line, r->len);
		return;
	}
	buf_puts(b, rec_type_tag(r->type));
	for (i = 0; i < rec_ncols(r->type); i++) {
		if (x->ours[i])
			continue;
		s = rec_field(r, i, &n);
		if (dir != NULL && rec_has(r->type, COL_dir) &&
		    i == r->type->at[COL_dir])
			s = dir, n = strlen(dir);
		buf_putc(b, '\t');
		buf_put(b, s, n);
	}
}

/* The part that this kernel has in its run, given the run's kernels so far. A
 * gradient that has been counted is not counted again. If only the order shows
 * which gradient a kernel is, it is the remaining one. */
static enum role
role_of(struct flops *fl, const struct answer *a, const struct flops_kern *k)
{
	enum role want = a->role, other;
	unsigned was;

	if (!k->has_inst || a->each || want == ROLE_NONE || want >= ROLE_PART)
		return want;
	if (a->one && k->prim_run != 0) {
		/* The first kernel of a product inside the op carries its work.
		 * If nothing else shows which of the op's gradients it is, the
		 * first one is dgrad. */
		if (facts_mark(fl, k->inst, k->prim_run, 1U << ROLE_MAIN) != 0)
			return ROLE_PART;
		was = facts_mark(fl, k->inst, 0, 0);
		if (want == ROLE_GRAD)
			want = was & 1U << ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
		facts_mark(fl, k->inst, 0, 1U << want);
		return want;
	}
	was = facts_mark(fl, k->inst, k->prim_run, 0);
	if (want == ROLE_GRAD)
		want = ROLE_DGRAD;
	if (was & 1U << want) {
		other = want == ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
		if (want == ROLE_MAIN || a->role_sure || was & 1U << other)
			return ROLE_PART;
		want = other;
	}
	facts_mark(fl, k->inst, k->prim_run, 1U << want);
	return want;
}

static void
cover(struct flops_counts *n, int what, bool yes, int64_t dur_ns)
{
	if (yes) {
		n->cover[what].n++;
		n->cover[what].ns = num_add(n->cover[what].ns, dur_ns);
	}
}

void
write_kern(struct flops *fl, const struct flops_result *res,
    const struct flops_kern *k, const int64_t *share)
{
	const struct answer *a = &res->a;
	struct flops_counts *n = &fl->counts;
	const uint64_t *dev =
	    map_get(&fl->facts.dev_by_place, (uint64_t)k->dev);
	struct tc_kernel t = { .k = k->name,
		.family = a->family,
		.dt = a->dt,
		.shape = res->shape,
		.sized = res->sized,
		.eligible = a->eligible,
		.told = k->tc };
	enum role role = share != NULL ? ROLE_MAIN : role_of(fl, a, k);
	size_t file = (size_t)(k->dev >> 32); /* of the device's place */
	int64_t flop = share != NULL ? *share : a->flop;
	bool part = role == ROLE_PART, tc;

	if (dev != NULL)
		t.dev = (struct tc_device){ (int)(*dev & UINT32_MAX),
			*dev >> 32 != 0 };
	cover(n, COV_ALL, true, k->dur_ns);
	cover(n, COV_OP, res->has_op, k->dur_ns);
	cover(n, COV_SHAPES, res->sized, k->dur_ns);
	cover(n, COV_FLOP, a->flop >= 0, k->dur_ns);
	fl->run_counts.ns += (double)k->dur_ns;
	if (a->family >= FAM_GEMM && a->family <= FAM_MOE && a->flop < 0) {
		n->no_size++;
		fl->run_counts.no_size++;
		fl->run_counts.no_size_ns += (double)k->dur_ns;
	}
	out_raw(res->params.s, res->params.n);
	out_opt(flop >= 0, part ? 0 : flop);
	out_opt(a->bytes >= 0 && !part, a->bytes);
	out_word(dtypes[a->dt].name);
	out_word(family_names[a->family]);
	out_word(role_names[role]);
	if (file >= fl->nseen) {
		fl->seen = xrealloc(fl->seen, file + 1, sizeof(*fl->seen));
		memset(fl->seen + fl->nseen, 0,
		    (file + 1 - fl->nseen) * sizeof(*fl->seen));
		fl->nseen = file + 1;
	}
	tc = tc_put(&fl->seen[file], &t);
	cover(n, COV_TC, tc, k->dur_ns);
	n->tc_unknown += !tc;
	/* Appends the values that the account does not have for this kernel,
	 * and with unknown FLOPs the capture of its graph, which would have
	 * told its op. */
	buf_clear(&fl->tmp);
	if (!res->has_op)
		buf_puts(&fl->tmp, ",op");
	if (!res->has_op || !res->sized)
		buf_puts(&fl->tmp, ",shapes");
	if (res->a.flop < 0)
		buf_puts(&fl->tmp, k->uncaptured ? ",flop,capture" : ",flop");
	out_word(fl->tmp.len > 0 ? buf_str(&fl->tmp) + 1 : NULL);
	out_opt(a->causal > 0 && !part, a->causal);
	out_opt(a->bus >= 0 && !part, a->bus);
	out_raw(res->prim.s, res->prim.n);
	out_opt(res->est_flop >= 0, res->est_flop);
	out_opt(res->est_bytes >= 0, res->est_bytes);
	out_word(res->fact != NULL ? res->fact->line : NULL);
	out_opt(a->least > 0 && !part, a->least);
	out_opt(a->tiles > 0 && !part, a->tiles);
}

void
write_notes(struct flops *fl)
{
	static const char *const names[COV_N] = { "", "_op", "_shapes", "_flop",
		"_tc" };
	const struct flops_counts *n = &fl->counts;
	int i, arch = 0;
	size_t f;

	for (i = 0; i < COV_N && n->cover[COV_ALL].n > 0; i++)
		out_meta("note", "n_kern%s\t%llu", names[i],
		    (unsigned long long)n->cover[i].n);
	for (i = 0; i < COV_N && n->cover[COV_ALL].n > 0; i++)
		out_meta("note", "kern%s_ns\t%lld", names[i],
		    (long long)n->cover[i].ns);
	/* the newest generation of GPUs, times ten, in names of products */
	for (f = 0; f < fl->nseen; f++)
		if (fl->seen[f].arch > arch)
			arch = fl->seen[f].arch;
	if (!fl->facts.any_cc && arch > 0)
		out_meta("info", "kernel_arch\t%d", arch);
	stage_note("flop_unknown", fl->counts.no_size);
	stage_note("flop_overflow", fl->counts.overflow);
	stage_note("bad_args", fl->counts.bad_args);
	stage_note("tc_unknown", fl->counts.tc_unknown);
}

void
write_summary(const struct flops *fl)
{
	const struct flops_run_counts *n = &fl->run_counts;
	char share[64] = "";

	if (n->no_size == 0)
		return;
	if (n->ns > 0)
		snprintf(share, sizeof(share), ", %.1f %% of the kernels' time",
		    100 * n->no_size_ns / n->ns);
	warn("kernels of products, convolutions and attention with unknown"
	     " FLOPs: %llu%s",
	    (unsigned long long)n->no_size, share);
}

void
write_graphs(const struct flops *fl)
{
	const struct flops_run_counts *n = &fl->run_counts;
	double ns = n->graph_ns + n->ns + n->other_ns;

	if (n->graphs > 0 && ns > 0)
		warn("%llu runs of CUDA graphs, %.1f %% of the GPU time, were"
		     " recorded as a whole: nsys profile"
		     " --cuda-graph-trace=node records their kernels",
		    (unsigned long long)n->graphs, 100 * n->graph_ns / ns);
}
