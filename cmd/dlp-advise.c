/*
 * dlp-advise: the expert systems. Passes a stream on and adds a finding record
 * for each rule, fired or not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "cols.h"
#include "dlp-advise/advise.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "words.h"

static const char usage[] =
    "usage: dlp-advise [-Djlu] [--even] [--fail-on RULES] [--rule RULE=N] "
    "[FILE]\n"
    "\n"
    "Judges a profile by rules, and adds a finding record for each rule to\n"
    "the stream.\n"
    "\n"
    "  -D, --dlprof          judge only DLProf's rules\n"
    "      --even            judge the even iterations (dlp-iter --ahead)\n"
    "      --fail-on RULES   exit 1 if one of these fires: names, comma\n"
    "                        separated, any, or dlprof\n"
    "      --rule RULE=N     set the threshold of a rule to N\n"
    "  -j, --json            write one JSON object instead of the stream\n"
    "  -l, --list            list the rules\n"
    "  -u, --unbuffered      write each record at once\n"
    "  -h, --help            this text\n"
    "  -V, --version         the version\n";

#define ADVISE_ROW(name) &rule_##name,
static const struct advise_rule *const rules[] = { ADVISE_RULES(ADVISE_ROW) };

struct advise {
	/* options */
	bool dlprof;         /* only DLProf's detectors */
	bool even;           /* judge only the even iterations */
	bool json;           /* an object instead of a stream */
	const char *fail_on; /* NULL, or a comma list: rules, any, dlprof */
	struct advise_limit {
		double v;
		bool dlprof; /* the item in fail_on that is DLProf's */
	} limit[ARRAY_LEN(rules)];
	/* the stream */
	struct advise_put *put;
	struct buf objects; /* --json: of each file */
	size_t n_objects;
	struct rec_col *judged;
	struct buf legend; /* of findings in the input, written only if one
			    * of them is kept */
	bool failed;       /* a rule of fail_on fired, in any section */
};

/* True if a word is in a comma list; the list can be NULL. */
static bool
list_has(const char *list, const char *word)
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
is_gate(const char *list, const struct advise_rule *r)
{
	return list_has(list, "any") ||
	       (r->dlprof && list_has(list, "dlprof")) || list_has(list, r->id);
}

/* Warns if a rule that --fail-on names could not be judged. */
static void
say_unjudged(const struct advise *a, const struct advise_rule *r,
    const struct advise_verdict *v)
{
	if (v->judged == V_UNJUDGED && list_has(a->fail_on, r->id))
		warn("--fail-on %s: not judged, for lack of %s", r->id,
		    v->missing != NULL ? v->missing : "what tells");
}

/* If the rule that includes this one's time fired too, that one leads. */
static void
find_leads(struct advise_finding *j, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n && j[i].v.within != NULL; k++)
			if (strcmp(j[k].rule->id, j[i].v.within) == 0 &&
			    j[k].v.judged == V_YES && j[i].v.judged == V_YES)
				j[i].part_of = j[k].rule->id;
}

/* A finding of less than that part of the time, in percent, is no place to
 * begin: it comes after those whose gain is not known. */
#define LITTLE 1

static void
find_little(struct advise_finding *j, size_t n, const struct facts *f)
{
	size_t i;

	for (i = 0; i < n; i++)
		j[i].little = j[i].v.judged == V_YES && j[i].v.gains &&
			      facts_share_pct(f, j[i].v.ceiling) < LITTLE;
}

static int
by_ceiling(const void *a, const void *b)
{
	const struct advise_finding *x = a, *y = b;
	bool fx = x->v.judged == V_YES, fy = y->v.judged == V_YES;
	bool gx = fx && x->v.gains, gy = fy && y->v.gains;

	if (fx != fy)
		return fx ? -1 : 1;
	if ((x->part_of != NULL) != (y->part_of != NULL))
		return x->part_of == NULL ? -1 : 1;
	if (x->little != y->little)
		return x->little ? 1 : -1;
	if (gx != gy)
		return gx ? -1 : 1;
	if (gx && x->v.ceiling != y->v.ceiling)
		return x->v.ceiling > y->v.ceiling ? -1 : 1;
	return (x->at > y->at) == gx ? -1 : 1;
}

static void
forget_verdict(struct advise_verdict *v)
{
	buf_free(&v->problem);
	buf_free(&v->advice);
	buf_free(&v->value);
	buf_free(&v->evidence);
	buf_free(&v->where);
}

static void
name_for_amd(struct advise_verdict *v)
{
	struct buf *const text[] = { &v->problem, &v->advice, &v->value,
		&v->evidence };
	size_t i;

	for (i = 0; i < ARRAY_LEN(text); i++)
		text[i]->len = words_amd(text[i]->s, text[i]->len);
}

/* Judges the facts of a section, or of a file of it. Findings that fired are
 * written first, by their ceiling; if two are equal, the later
 * rule comes first, because later rules are more specific. Little ones come
 * after those without a ceiling. Findings that
 * another one leads come after these; then the rest in the order of the rules.
 */
static void
judge_facts(void *arg, struct facts *f)
{
	struct advise *a = arg;
	struct advise_finding j[ARRAY_LEN(rules)] = { 0 };
	const struct advise_rule *r;
	advise_judge *judge;
	uint64_t fired = 0;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		r = rules[i];
		if (a->dlprof && !r->dlprof)
			continue;
		j[n].rule = r;
		j[n].at = i;
		j[n].limit = a->limit[i].v;
		j[n].limit_dlprof = a->limit[i].dlprof;
		judge = a->dlprof && r->dlprof_judge != NULL ? r->dlprof_judge
							     : r->judge;
		judge(f, a->limit[i].v, &j[n].v);
		if (f->maker.amd)
			name_for_amd(&j[n].v);
		say_unjudged(a, r, &j[n].v);
		fired += j[n++].v.judged == V_YES && is_gate(a->fail_on, r);
	}
	find_leads(j, n);
	find_little(j, n, f);
	if (!a->dlprof) /* DLProf uses the order of its report */
		qsort(j, n, sizeof(j[0]), by_ceiling);
	if (a->json)
		advise_json(&a->objects, f, j, n);
	else
		advise_put(a->put, f, j, n, a->dlprof);
	a->n_objects++;
	for (i = 0; i < n; i++)
		forget_verdict(&j[i].v);
	a->failed |= fired > 0;
	if (!a->json)
		stage_note("gate_fired", fired);
}

/* Keeps findings from a database of DLProf, and drops those of an earlier run.
 */
static void
see_finding(struct stage *st, struct rec *r)
{
	struct advise *a = rec_arg(r);

	if (!rec_is(r, a->judged, "stored") || a->json)
		return;
	if (a->legend.len > 0)
		out_line(a->legend.s, a->legend.len);
	buf_clear(&a->legend);
	stage_pass(st, r);
}

static void
see_finding_legend(struct stage *st, struct rec *r)
{
	struct advise *a = rec_arg(r);

	(void)st;
	buf_clear(&a->legend);
	buf_put(&a->legend, r->line, r->len);
}

/* The exit status: 1 if a rule of fail_on has fired. */
static int
advise_stream(struct stage *st, struct advise *a)
{
	static const char *const notes[] = { "gate_fired", NULL };
	struct advise_reader *reader;
	int status;

	a->put = advise_put_open();
	a->judged =
	    rec_col(stage_on(st, "finding", see_finding, see_finding_legend, a),
		"judged", REC_OPT);
	reader = advise_read(st, a->dlprof, a->even, judge_facts, a);
	stage_anew(st, notes);
	status = stage_run(st);
	advise_read_free(reader);
	advise_put_free(a->put);
	if (a->json && status == EXIT_OK)
		advise_json_end(&a->objects, a->n_objects);
	buf_free(&a->objects);
	return status == EXIT_OK && a->failed ? EXIT_GATE : status;
}

/* The command line fills it; one per process. */
static struct advise opt;

static size_t
find_rule(const char *option, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++)
		if (strlen(rules[i]->id) == n &&
		    memcmp(rules[i]->id, name, n) == 0)
			return i;
	die("%s: no rule '%.*s'; -l lists them", option, (int)n, name);
}

static void
check_list(const char *list)
{
	const char *s = list, *end;
	size_t n;

	for (; s != NULL; s = end != NULL ? end + 1 : NULL) {
		end = strchr(s, ',');
		n = end != NULL ? (size_t)(end - s) : strlen(s);
		if ((n == 3 && memcmp(s, "any", 3) == 0) ||
		    (n == 6 && memcmp(s, "dlprof", 6) == 0))
			continue;
		find_rule("--fail-on", s, n);
	}
}

static void
set_fail_on(const char *arg)
{
	check_list(arg);
	opt.fail_on = arg;
}

static void
set_threshold(const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t i;

	if (eq == NULL)
		die("--rule: '%s' is not RULE=N", arg);
	i = find_rule("--rule", arg, (size_t)(eq - arg));
	if (rules[i]->unit == NULL)
		die("--rule: %s has no threshold", rules[i]->id);
	if (!num_f64(eq + 1, strlen(eq + 1), &opt.limit[i].v))
		die("--rule: bad number '%s'", eq + 1);
	opt.limit[i].dlprof = false;
}

static void
list_rules(void)
{
	const struct advise_rule *r;
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		r = rules[i];
		printf("%s\t%s\t", r->id, r->dlprof ? "dlprof" : "ours");
		if (r->unit != NULL)
			printf("%.10g %s", opt.limit[i].v, r->unit);
		else
			printf("-");
		printf("\t%s\n", r->help);
	}
	if (fflush(stdout) != 0)
		die_errno("standard output");
	exit(EXIT_OK);
}

int
main(int argc, char **argv)
{
	static const struct cli_opt opts[] = {
		{ 'D', "dlprof", .flag = &opt.dlprof },
		{ 'j', "json", .flag = &opt.json },
		{ 'l', "list", .act = list_rules },
		{ 0, "even", .flag = &opt.even },
		{ 0, "fail-on", .call = set_fail_on },
		{ 0, "rule", .call = set_threshold },
		{ 0 },
	};
	struct stage st;
	const char *path;
	bool unbuffered;
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++)
		opt.limit[i] = (struct advise_limit){ rules[i]->limit,
			rules[i]->limit_dlprof };
	cli_init("dlp-advise");
	unbuffered = cli_options(argc, argv, usage, opts);
	path = cli_operand(argc, argv, usage);
	if (opt.json)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	st.result = opt.json;
	return out_finish(advise_stream(&st, &opt));
}
