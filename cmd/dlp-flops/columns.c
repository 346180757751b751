/*
 * The columns of a kernel. An op's work is counted on the kernel that
 * carries it, once per run: the first product, and in a backward one for
 * each of the two gradients.
 */
#include <string.h>

#include "columns.h"
#include "err.h"
#include "out.h"
#include "tcwhy.h"

/* A product of its own inside the op: the first kernel carries it. Which of
 * an op's gradients it is, is told by order if by nothing else. */
static enum role
role_of_one(enum role want, int64_t inst, int64_t prim_run)
{
	unsigned was;

	if (state_mark(inst, prim_run, 1U << ROLE_MAIN) != 0)
		return ROLE_PART;
	was = state_mark(inst, 0, 0);
	if (want == ROLE_GRAD)
		want = was & 1U << ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
	state_mark(inst, 0, 1U << want);
	return want;
}

/* The part this kernel plays in its run, now that the run's other kernels
 * so far are known: a gradient that is counted already is not counted again,
 * and one told only by order takes its turn. */
enum role
role_now(const struct answer *a, bool has_inst, int64_t inst, int64_t prim_run)
{
	enum role want = a->role, other;
	unsigned was;

	if (!has_inst || a->each || want == ROLE_NONE || want >= ROLE_PART)
		return want;
	if (a->one && prim_run != 0)
		return role_of_one(want, inst, prim_run);
	was = state_mark(inst, prim_run, 0);
	if (want == ROLE_GRAD)
		want = ROLE_DGRAD;
	if (was & 1U << want) {
		other = want == ROLE_DGRAD ? ROLE_WGRAD : ROLE_DGRAD;
		if (want == ROLE_MAIN || a->role_sure || was & 1U << other)
			return ROLE_PART;
		want = other;
	}
	state_mark(inst, prim_run, 1U << want);
	return want;
}

static void
put_word(const char *s)
{
	out_raw(s, s == NULL ? 0 : strlen(s));
}

static struct tcseen *seen; /* by file */
static size_t nseen;

static struct tcseen *
seen_in(size_t file)
{
	if (file >= nseen) {
		seen = xrealloc(seen, file + 1, sizeof(*seen));
		memset(seen + nseen, 0, (file + 1 - nseen) * sizeof(*seen));
		nseen = file + 1;
	}
	return &seen[file];
}

/* A device without Tensor Cores settles it, whatever the name says. */
static bool
no_tensor_cores(int64_t dev)
{
	bool none;
	int cc = state_cc(dev, &none);

	return none || (cc > 0 && cc < 70);
}

static const char *
tc_word(enum tc t)
{
	return t == TC_YES ? "yes" : t == TC_NO ? "no" : "unknown";
}

/* A product: by its op, or, where no op is known, by the kernel's name. */
static bool
is_product(const struct result *res, const struct kname *k)
{
	return res->a.family == FAM_NONE ? k->product : res->a.eligible;
}

/* Whether Tensor Cores could have done the kernel's work. Where the device
 * does not tell its generation the kernel's name may: it is no older. */
static enum tc
eligible(
    const struct result *res, const struct kname *k, enum tc used, int64_t dev)
{
	const struct answer *a = &res->a;
	int cc, need;
	bool none;

	if (used == TC_YES)
		return TC_YES;
	if (!is_product(res, k))
		return a->family == FAM_NONE ? TC_UNKNOWN : TC_NO;
	cc = state_cc(dev, &none);
	if (cc == 0)
		cc = k->arch;
	if (a->dt == DT_NONE || cc == 0)
		return TC_UNKNOWN;
	need = dt_tc_min_cc(a->dt);
	return need != 0 && cc >= need ? TC_YES : TC_NO;
}

/* What the account lacks of this kernel: commas between the words. */
static const char *
lacks(const struct result *res)
{
	static const char *const words[2][2] = { { NULL, "flop" },
		{ "shapes", "shapes,flop" } };
	bool flop = res->a.flop >= 0;

	if (!res->has_op)
		return flop ? "op,shapes" : "op,shapes,flop";
	return words[!res->sized][!flop];
}

static const char *
why_not(const struct result *res, const struct kname *k, int64_t dev, bool tc)
{
	struct tcseen *t = seen_in(state_file(dev));
	const struct answer *a = &res->a;
	bool conv = a->family == FAM_CONV || a->family == FAM_CONV_FUSED;

	int cc;
	bool none;

	cc = state_cc(dev, &none);
	tcwhy_see(t, k, a->family, a->dt, res->shape, res->sized, tc);
	return tcwhy(k, a->dt, res->shape, cc, none, t->tf32[conv], tc);
}

static void
put_tc(
    const struct result *res, const struct kname *k, int64_t dev, enum tc given)
{
	enum tc used = given != TC_UNKNOWN ? given : k->tc.verdict;
	bool product = is_product(res, k) || used == TC_YES;

	if (no_tensor_cores(dev)) {
		put_word("no");
		put_word("device");
		put_word("no");
		put_word(product ? "no_tensor_cores" : NULL);
		return;
	}
	put_word(tc_word(used));
	put_word(given != TC_UNKNOWN ? "profile" : k->tc.id);
	put_word(tc_word(eligible(res, k, used, dev)));
	put_word(product ? why_not(res, k, dev, used == TC_YES) : NULL);
}

void
columns_forget(void)
{
	nseen = 0;
}

int
columns_arch(void)
{
	int arch = 0;
	size_t i;

	for (i = 0; i < nseen; i++)
		if (seen[i].arch > arch)
			arch = seen[i].arch;
	return arch;
}

void
put_columns(const struct result *res, const struct kname *k, enum role role,
    int64_t dev, enum tc given)
{
	const struct answer *a = &res->a;
	bool part = role == ROLE_PART;

	out_raw(res->params, res->params_len);
	out_opt(a->flop >= 0, part ? 0 : a->flop);
	out_opt(a->bytes >= 0 && !part, a->bytes);
	put_word(dt_name(a->dt));
	put_word(family_names[a->family]);
	put_word(role_names[role]);
	put_tc(res, k, dev, given);
	put_word(lacks(res));
	out_opt(a->causal > 0 && !part, a->causal);
	out_opt(a->bus >= 0 && !part, a->bus);
}

static void
cover(struct share *s, bool yes, int64_t dur_ns)
{
	if (yes) {
		s->n++;
		s->ns += dur_ns;
	}
}

void
put_coverage(void)
{
	static const char *const names[COV_N] = { "", "_op", "_shapes", "_flop",
		"_tc" };
	int i;

	if (counts.cover[COV_ALL].n == 0)
		return;
	for (i = 0; i < COV_N; i++)
		out_meta("note", "n_kern%s\t%llu", names[i],
		    (unsigned long long)counts.cover[i].n);
	for (i = 0; i < COV_N; i++)
		out_meta("note", "kern%s_ns\t%lld", names[i],
		    (long long)counts.cover[i].ns);
}

void
count_notes(const struct result *res, const struct kname *k, int64_t dev,
    int64_t dur_ns, enum tc given)
{
	const struct answer *a = &res->a;
	bool tc = given != TC_UNKNOWN || k->tc.verdict != TC_UNKNOWN ||
		  no_tensor_cores(dev);

	cover(&counts.cover[COV_ALL], true, dur_ns);
	cover(&counts.cover[COV_OP], res->has_op, dur_ns);
	cover(&counts.cover[COV_SHAPES], res->sized, dur_ns);
	cover(&counts.cover[COV_FLOP], a->flop >= 0, dur_ns);
	cover(&counts.cover[COV_TC], tc, dur_ns);
	run_counts.ns += (double)dur_ns;
	counts.tc_unknown += !tc;
	if (a->family >= FAM_GEMM && a->family <= FAM_ATTENTION &&
	    a->flop < 0) {
		counts.no_size++;
		run_counts.no_size++;
		run_counts.no_size_ns += (double)dur_ns;
	}
}
