/* The stage of dlp-advise; see run.h. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "cols.h"
#include "err.h"
#include "gather.h"
#include "out.h"

static const struct advise_opts *opts;
static struct out_type *finding, *finding_src; /* with column src */
static bool failed;                            /* in any section */

/* Whether a word stands in a list with commas; the list can be NULL. */
static bool
names(const char *list, const char *word)
{
	const char *s = list, *end;
	size_t n;

	for (; s != NULL; s = end != NULL ? end + 1 : NULL) {
		end = strchr(s, ',');
		n = end != NULL ? (size_t)(end - s) : strlen(s);
		if (n == strlen(word) && memcmp(s, word, n) == 0)
			return true;
	}
	return false;
}

static bool
listed(const char *list, const struct rule *r)
{
	return names(list, "any") || (r->dlprof && names(list, "dlprof")) ||
	       names(list, r->id);
}

/* A gate that cannot tell says so, if it was named. */
static void
say_unjudged(const struct rule *r, const struct verdict *v)
{
	if (v->judged == V_UNJUDGED && names(opts->fail_on, r->id))
		warn("--fail-on %s: not judged, for lack of %s", r->id,
		    v->missing != NULL ? v->missing : "what tells");
}

static void
put_buf(const struct buf *b, bool said)
{
	out_raw(said && b->len > 0 ? b->s : NULL, b->len);
}

struct judged {
	const struct rule *rule;
	struct verdict v;
	const char *part_of; /* the finding that leads; NULL: none */
};

static void
write_finding(const struct facts *f, const struct judged *j)
{
	const struct rule *r = j->rule;
	const struct verdict *v = &j->v;
	static const char *const word[] = { "no", "yes", "not judged" };
	bool yes = v->judged == V_YES, told = v->judged != V_UNJUDGED;
	struct buf limit = { 0 }, share = { 0 };

	if (r->unit != NULL)
		buf_printf(&limit, "%.10g", r->limit);
	out_rec(f->src.len > 0 ? finding_src : finding);
	out_raw(r->id, strlen(r->id));
	out_raw(word[v->judged], strlen(word[v->judged]));
	put_buf(&v->problem, yes);
	put_buf(&v->advice, yes);
	put_buf(&v->value, told);
	put_buf(&limit, true);
	out_raw(r->unit == NULL   ? NULL
		: r->limit_dlprof ? "dlprof"
				  : "ours",
	    r->limit_dlprof ? 6 : 4);
	out_raw(told ? NULL : v->missing, told ? 0 : strlen(v->missing));
	put_buf(&v->evidence, yes);
	out_raw(r->unit, r->unit != NULL ? strlen(r->unit) : 0);
	out_raw(r->dlprof ? "dlprof" : "ours", r->dlprof ? 6 : 4);
	if (v->share >= 0)
		buf_printf(&share, "%.1f", v->share);
	put_buf(&share, yes);
	out_raw(j->part_of, j->part_of != NULL ? strlen(j->part_of) : 0);
	if (f->src.len > 0)
		out_raw(f->src.s, f->src.len);
	out_end();
	buf_free(&limit);
	buf_free(&share);
}

/* Where the rule whose time it is in fired too, that one leads. */
static void
find_leads(struct judged *j, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n && j[i].v.within != NULL; k++)
			if (strcmp(j[k].rule->id, j[i].v.within) == 0 &&
			    j[k].v.judged == V_YES && j[i].v.judged == V_YES)
				j[i].part_of = j[k].rule->id;
}

static int
by_share(const void *a, const void *b)
{
	const struct judged *x = a, *y = b;
	bool fx = x->v.judged == V_YES, fy = y->v.judged == V_YES;
	bool sx = fx && x->v.share >= 0, sy = fy && y->v.share >= 0;

	if (fx != fy)
		return fx ? -1 : 1;
	if ((x->part_of != NULL) != (y->part_of != NULL))
		return x->part_of == NULL ? -1 : 1;
	if (sx != sy)
		return sx ? -1 : 1;
	if (sx && x->v.share != y->v.share)
		return x->v.share > y->v.share ? -1 : 1;
	return (x->rule > y->rule) == sx ? -1 : 1;
}

static void
forget_verdict(struct verdict *v)
{
	buf_free(&v->problem);
	buf_free(&v->advice);
	buf_free(&v->value);
	buf_free(&v->evidence);
}

static void
judge_all(struct facts *f)
{
	static struct judged j[64]; /* more than there are rules */
	const struct rule *r;
	uint64_t fired = 0;
	size_t i, n = 0;

	for (r = rules; r->id != NULL; r++) {
		if (opts->dlprof && !r->dlprof)
			continue;
		memset(&j[n], 0, sizeof(j[n]));
		j[n].rule = r;
		j[n].v.share = -1;
		r->judge(f, r->limit, &j[n].v);
		say_unjudged(r, &j[n].v);
		fired += j[n++].v.judged == V_YES && listed(opts->fail_on, r);
	}
	find_leads(j, n);
	if (!opts->dlprof)
		qsort(j, n, sizeof(j[0]), by_share);
	for (i = 0; i < n; i++) {
		write_finding(f, &j[i]);
		forget_verdict(&j[i].v);
	}
	failed |= fired > 0;
	stage_note("gate_fired", fired);
}

/* Where a file has a name its findings have it. */
static struct out_type *
type_with_src(void)
{
	static const char *names[32];
	const struct col_def *c;
	int n = 0;

	for (c = col_defs; c->type != NULL; c++)
		if (strcmp(c->type, "finding") == 0 && n < 31)
			names[n++] = c->name;
	names[n++] = "src";
	return out_type("finding", names, n);
}

static struct {
	struct rec_col *judged;
	struct buf legend; /* until a record that stays */
} stored;

/* Those that a database of DLProf holds stay, those of a run before do not. */
static void
on_finding(struct stage *st, struct rec *r)
{
	size_t n;
	const char *s = rec_raw(r, stored.judged, &n);

	if (s == NULL || n != 6 || memcmp(s, "stored", 6) != 0)
		return;
	if (stored.legend.len > 0)
		out_line(stored.legend.s, stored.legend.len);
	buf_clear(&stored.legend);
	stage_pass(st, r);
}

static void
on_finding_legend(struct stage *st, struct rec *r)
{
	(void)st;
	buf_clear(&stored.legend);
	buf_put(&stored.legend, r->line, r->len);
}

int
advise_run(struct stage *st, const struct advise_opts *o)
{
	static const char *const notes[] = { "gate_fired", NULL };
	int status;

	opts = o;
	finding = out_type_reg("finding", "dlp-advise");
	finding_src = type_with_src();
	stored.judged = rec_col(
	    stage_on(st, "finding", on_finding, on_finding_legend, NULL),
	    "judged", REC_OPT);
	gather_bind(st, o->dlprof, judge_all);
	stage_anew(st, notes);
	status = stage_run(st);
	return status == EXIT_OK && failed ? EXIT_GATE : status;
}
