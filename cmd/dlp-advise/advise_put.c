/* Findings, and what is in use, as records. */
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "array.h"
#include "cols.h"
#include "err.h"
#include "out.h"

struct advise_put {
	struct out_type *finding, *finding_src, *use, *use_src; /* with src */
	const char *cols[64]; /* of finding_src, and of use_src */
	bool src; /* a file had a name: a legend without it would come again */
};

/* Records about a file that has a name include the name. */
static struct out_type *
type_with_src(const char *tag, const char **cols, int room)
{
	const struct col_def *c;
	int n = 0;

	for (c = col_defs; c->type != NULL; c++)
		if (strcmp(c->type, tag) == 0 && n < room - 1)
			cols[n++] = c->name;
	cols[n++] = "src";
	return out_type(tag, cols, n);
}

struct advise_put *
advise_put_open(void)
{
	struct advise_put *p = xcalloc(1, sizeof(*p));
	int half = ARRAY_LEN(p->cols) / 2;

	p->finding = out_type_reg("finding", "dlp-advise");
	p->finding_src = type_with_src("finding", p->cols, half);
	p->use = out_type_reg("in_use", "dlp-advise");
	p->use_src = type_with_src("in_use", p->cols + half, half);
	return p;
}

bool
advise_steps(const struct facts *f, int64_t *from, int64_t *to)
{
	size_t i;

	if (f->n_iter == 0 || !f->has_key)
		return false;
	*from = *to = f->iter[0].no;
	for (i = 1; i < f->n_iter; i++) {
		*from = f->iter[i].no < *from ? f->iter[i].no : *from;
		*to = f->iter[i].no > *to ? f->iter[i].no : *to;
	}
	return true;
}

static void
put_buf(const struct buf *b, bool said)
{
	out_raw(said && b->len > 0 ? b->s : NULL, b->len);
}

/* The columns that say how much can be gained, and where. */
static void
put_gain(const struct facts *f, const struct advise_finding *j)
{
	const struct advise_verdict *v = &j->v;
	bool gains = v->judged == V_YES && v->gains;
	struct buf share = { 0 }, steps = { 0 };
	int64_t from, to;
	bool any = advise_steps(f, &from, &to);

	if (any)
		buf_i64(&steps, from);
	if (any && to > from)
		buf_printf(&steps, "-%lld", (long long)to);
	if (gains && facts_wall_ns(f) > 0)
		buf_printf(&share, "%.1f", facts_share_pct(f, v->ceiling));
	put_buf(&share, gains);
	out_word(j->part_of);
	put_buf(&v->where, v->judged == V_YES);
	out_opt(gains, v->ceiling);
	put_buf(&steps, any);
	out_i64(j->rule->version);
	out_opt(j->gain >= 0, facts_step_ns(f, false));
	out_opt(j->replayed, j->fixed_ns);
	out_opt(j->gain >= 0, j->gain);
	buf_free(&share);
	buf_free(&steps);
}

static void
put_finding(const struct advise_put *p, const struct facts *f,
    const struct advise_finding *j)
{
	const struct advise_rule *r = j->rule;
	const struct advise_verdict *v = &j->v;
	static const char *const word[] = { "no", "yes", "not judged" };
	bool yes = v->judged == V_YES, told = v->judged != V_UNJUDGED;
	struct buf at = { 0 };

	if (r->unit != NULL)
		buf_printf(&at, "%.10g", v->limit);
	out_rec(p->src ? p->finding_src : p->finding);
	out_word(r->id);
	out_word(word[v->judged]);
	put_buf(&v->problem, yes);
	put_buf(&v->advice, yes);
	put_buf(&v->value, told);
	put_buf(&at, true);
	out_word(r->unit == NULL ? NULL : j->limit_dlprof ? "dlprof" : "ours");
	out_word(told ? NULL : v->missing);
	put_buf(&v->evidence, yes);
	out_word(r->unit);
	out_word(r->dlprof ? "dlprof" : "ours");
	put_gain(f, j);
	if (p->src)
		put_buf(&f->src, true);
	out_end();
	buf_free(&at);
}

/* What dlp-overview words its hints by. Kernels of PyTorch run in XLA programs,
 * too, never the other way around. */
static void
put_framework(const struct facts *f)
{
	static const struct {
		unsigned bit;
		const char *line;
	} known[] = {
		{ FW_XLA, "##info\tframework\txla" },
		{ FW_PYTORCH, "##info\tframework\tpytorch" },
		{ FW_TENSORFLOW, "##info\tframework\ttensorflow" },
		{ FW_MXNET, "##info\tframework\tmxnet" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if ((f->frameworks & known[i].bit) != 0) {
			out_line(known[i].line, strlen(known[i].line));
			return;
		}
}

static void
put_ns_info(const char *name, int64_t ns)
{
	struct buf b = { 0 };

	buf_printf(&b, "##info\t%s\t%lld", name, (long long)ns);
	out_line(b.s, b.len);
	buf_free(&b);
}

/* For dlp-overview: which steps are long, and the memory at its peak. */
static void
put_facts(const struct facts *f)
{
	struct facts_pattern pat;
	struct buf b = { 0 };
	int64_t peak = f->mem_used;
	size_t i;

	if (facts_pattern(f, &pat)) {
		buf_printf(&b, "##info\tstep_pattern\t%zu %zu %zu %lld %s",
		    pat.every, pat.n, pat.of, (long long)pat.ns,
		    pat.class < 0 ? "-" : gap_words[pat.class]);
		out_line(b.s, b.len);
		buf_free(&b);
	}
	for (i = 0; i < f->n_dev; i++)
		peak = f->dev[i].mem_peak > peak ? f->dev[i].mem_peak : peak;
	if (peak > 0)
		put_ns_info("mem_peak_bytes", peak);
}

void
advise_put(struct advise_put *p, const struct facts *f,
    const struct advise_finding *j, size_t n, bool dlprof)
{
	static const char *const word[] = { NULL, "no", "yes" };
	size_t i;
	int use;

	p->src = p->src || f->src.len > 0;
	if (!dlprof && !f->named_framework)
		put_framework(f);
	if (!dlprof && !f->told && facts_step_ns(f, true) > 0) {
		put_ns_info("step_recorded_ns", facts_step_ns(f, true));
		put_ns_info("step_bare_ns", facts_step_ns(f, false));
		put_ns_info("step_all_ns", facts_fixed_ns(f, "all"));
	}
	if (!dlprof && !f->told)
		put_facts(f);
	for (i = 0; i < n; i++)
		put_finding(p, f, &j[i]);
	for (use = 0; use < N_USE && !dlprof; use++) {
		out_rec(p->src ? p->use_src : p->use);
		out_word(use_name(use));
		out_word(word[use_of(f, use)]);
		if (p->src)
			put_buf(&f->src, true);
		out_end();
	}
}
