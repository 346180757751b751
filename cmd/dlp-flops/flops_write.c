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

static bool
is_ours(const struct rest *x, const char *name)
{
	int i;

	for (i = 0; i < x->n; i++)
		if (strcmp(name, x->names[i]) == 0)
			return true;
	return false;
}

static void
learn_legend(struct rest *x, const struct rec *r)
{
	int i, n = rec_ncols(r->type);

	x->ours = xrealloc(x->ours, (size_t)n + 1, sizeof(*x->ours));
	x->some = false;
	for (i = 0; i < n; i++) {
		x->ours[i] = is_ours(x, rec_colname(r->type, i));
		x->some |= x->ours[i];
	}
}

void
rest_legend(struct rest *x, struct buf *b, const struct rec *r)
{
	int i;

	learn_legend(x, r);
	buf_putc(b, '#');
	buf_puts(b, rec_type_tag(r->type));
	for (i = 0; i < rec_ncols(r->type); i++)
		if (!x->ours[i]) {
			buf_putc(b, '\t');
			buf_puts(b, rec_colname(r->type, i));
		}
	for (i = 0; i < x->n; i++) {
		buf_putc(b, '\t');
		buf_puts(b, x->names[i]);
	}
}

void
rest_put(const struct rest *x, struct buf *b, const struct rec *r)
{
	rest_put_as(x, b, r, -1, NULL);
}

void
rest_put_as(const struct rest *x, struct buf *b, const struct rec *r, int col,
    const char *text)
{
	const char *s;
	size_t n;
	int i;

	if (!x->some && text == NULL) {
		buf_put(b, r->line, r->len);
		return;
	}
	buf_puts(b, rec_type_tag(r->type));
	for (i = 0; i < rec_ncols(r->type); i++)
		if (!x->ours[i]) {
			s = rec_field(r, i, &n);
			buf_putc(b, '\t');
			if (i == col && text != NULL)
				buf_puts(b, text);
			else
				buf_put(b, s, n);
		}
}

/* The role of a product inside the op whose first kernel carries the work. If
 * nothing else shows which of the op's gradients it is, the first one is dgrad.
 */
static enum role
role_of_one(struct flops *fl, enum role want, int64_t inst, int64_t prim_run)
{
	unsigned was;

	if (state_mark(fl, inst, prim_run, 1U << ROLE_MAIN) != 0)
		return ROLE_PART;
	was = state_mark(fl, inst, 0, 0);
	if (want == ROLE_GRAD)
		want = was & 1U << ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
	state_mark(fl, inst, 0, 1U << want);
	return want;
}

/* A gradient that has been counted is not counted again. If only the order
 * shows which gradient a kernel is, it is the remaining one. */
enum role
write_role(struct flops *fl, const struct answer *a, bool has_inst,
    int64_t inst, int64_t prim_run)
{
	enum role want = a->role, other;
	unsigned was;

	if (!has_inst || a->each || want == ROLE_NONE || want >= ROLE_PART)
		return want;
	if (a->one && prim_run != 0)
		return role_of_one(fl, want, inst, prim_run);
	was = state_mark(fl, inst, prim_run, 0);
	if (want == ROLE_GRAD)
		want = ROLE_DGRAD;
	if (was & 1U << want) {
		other = want == ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
		if (want == ROLE_MAIN || a->role_sure || was & 1U << other)
			return ROLE_PART;
		want = other;
	}
	state_mark(fl, inst, prim_run, 1U << want);
	return want;
}

static struct tc_seen *
seen_in(struct flops *fl, size_t file)
{
	size_t more;

	if (file >= fl->nseen) {
		more = file + 1 - fl->nseen;
		fl->seen = xrealloc(fl->seen, file + 1, sizeof(*fl->seen));
		memset(fl->seen + fl->nseen, 0, more * sizeof(*fl->seen));
		fl->nseen = file + 1;
	}
	return &fl->seen[file];
}

static struct tc_kernel
tc_kernel_of(
    const struct flops_result *res, const struct kname *k, enum tc given)
{
	return (struct tc_kernel){ .k = k,
		.family = res->a.family,
		.dt = res->a.dt,
		.shape = res->shape,
		.sized = res->sized,
		.eligible = res->a.eligible,
		.used = given != TC_UNKNOWN ? given : k->tc.verdict };
}

static void
write_tc(struct flops *fl, const struct flops_result *res,
    const struct kname *k, int64_t dev, enum tc given)
{
	struct tc_kernel t = tc_kernel_of(res, k, given);
	struct tc_device d = state_device(fl, dev);
	bool product = tc_product(&t) || t.used == TC_YES;

	if (tc_missing(d)) {
		out_word("no");
		out_word("device");
		out_word("no");
		out_word(product ? "no_tensor_cores" : NULL);
		return;
	}
	out_word(ynu_name((enum ynu)t.used));
	out_word(given != TC_UNKNOWN ? "profile" : k->tc.id);
	out_word(ynu_name((enum ynu)tc_eligible(&t, d)));
	out_word(product ? tc_why(seen_in(fl, state_file(dev)), &t, d) : NULL);
}

/* Appends the values that the account does not have for this kernel, and with
 * unknown FLOPs the capture of its graph, which would have told its op. */
static void
put_lacks(const struct flops_result *res, bool uncaptured)
{
	struct buf words = { 0 };

	if (!res->has_op)
		buf_puts(&words, ",op");
	if (!res->has_op || !res->sized)
		buf_puts(&words, ",shapes");
	if (res->a.flop < 0)
		buf_puts(&words, uncaptured ? ",flop,capture" : ",flop");
	out_word(words.len > 0 ? buf_str(&words) + 1 : NULL);
	buf_free(&words);
}

void
write_columns(struct flops *fl, const struct flops_result *res,
    const struct kname *k, enum role role, int64_t dev, struct kern_told told)
{
	const struct answer *a = &res->a;
	bool part = role == ROLE_PART;

	out_raw(res->params, res->params_len);
	out_opt(a->flop >= 0, part ? 0 : a->flop);
	out_opt(a->bytes >= 0 && !part, a->bytes);
	out_word(dt_name(a->dt));
	out_word(family_names[a->family]);
	out_word(role_names[role]);
	write_tc(fl, res, k, dev, told.tc);
	put_lacks(res, told.uncaptured);
	out_opt(a->causal > 0 && !part, a->causal);
	out_opt(a->bus >= 0 && !part, a->bus);
	out_raw(res->prim, res->prim_len);
	out_opt(res->est_flop >= 0, res->est_flop);
	out_opt(res->est_bytes >= 0, res->est_bytes);
	out_word(res->fact != NULL ? res->fact->line : NULL);
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
write_count(struct flops *fl, const struct flops_result *res,
    const struct kname *k, int64_t dev, int64_t dur_ns, enum tc given)
{
	struct flops_counts *n = &fl->counts;
	const struct answer *a = &res->a;
	bool tc = given != TC_UNKNOWN || k->tc.verdict != TC_UNKNOWN ||
		  tc_missing(state_device(fl, dev));

	cover(n, COV_ALL, true, dur_ns);
	cover(n, COV_OP, res->has_op, dur_ns);
	cover(n, COV_SHAPES, res->sized, dur_ns);
	cover(n, COV_FLOP, a->flop >= 0, dur_ns);
	cover(n, COV_TC, tc, dur_ns);
	fl->run_counts.ns += (double)dur_ns;
	n->tc_unknown += !tc;
	if (a->family >= FAM_GEMM && a->family <= FAM_ATTENTION &&
	    a->flop < 0) {
		n->no_size++;
		fl->run_counts.no_size++;
		fl->run_counts.no_size_ns += (double)dur_ns;
	}
}

/* Writes the coverage account if there were kernels. */
static void
write_coverage(const struct flops_counts *n)
{
	static const char *const names[COV_N] = { "", "_op", "_shapes", "_flop",
		"_tc" };
	int i;

	if (n->cover[COV_ALL].n == 0)
		return;
	for (i = 0; i < COV_N; i++)
		out_meta("note", "n_kern%s\t%llu", names[i],
		    (unsigned long long)n->cover[i].n);
	for (i = 0; i < COV_N; i++)
		out_meta("note", "kern%s_ns\t%lld", names[i],
		    (long long)n->cover[i].ns);
}

/* The newest generation of GPUs, times ten, in names of products; 0 if no name
 * has one. */
static int
newest_arch(const struct flops *fl)
{
	int arch = 0;
	size_t i;

	for (i = 0; i < fl->nseen; i++)
		if (fl->seen[i].arch > arch)
			arch = fl->seen[i].arch;
	return arch;
}

void
write_notes(struct flops *fl)
{
	int arch = newest_arch(fl);

	write_coverage(&fl->counts);
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
