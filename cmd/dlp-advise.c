/*
 * dlp-advise: the expert systems. Passes a stream on and adds a finding record
 * for each rule, fired or not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "dlp-advise/advise.h"
#include "err.h"
#include "num.h"
#include "out.h"
#include "words.h"

/* In the order of advise.tab, which has the rest of the rules. */
static const struct {
	const char *id;
	advise_judge *judge, *dlprof; /* with --dlprof; NULL: the same */
} judges[] = {
	{ "amp_detector", judge_amp, dlprof_amp },
	{ "underutilized_gpu_detector", judge_underutilized,
	    dlprof_underutilized },
	{ "imbalanced_gpu_detector", judge_imbalanced, dlprof_imbalanced },
	{ "dataloader_detector", judge_dataloader, dlprof_dataloader },
	{ "bad_iteration_range_detector", judge_bad_range, dlprof_bad_range },
	{ "no_iterations_detector", judge_no_iterations, NULL },
	{ "cudnn_benchmark_detector", judge_cudnn_benchmark, NULL },
	{ "batch_size_detector", judge_batch_size, dlprof_batch_size },
	{ "slow_api_detector", judge_slow_api, NULL },
	{ "emit_nvtx_detector", judge_no_emit_nvtx, dlprof_no_emit_nvtx },
	{ "bad_tensor_shape_detector", judge_bad_shape, NULL },
	{ "no_fusion_detector", judge_no_fusion, NULL },
	{ "unused_gpus", judge_unused_gpus, NULL },
	{ "sync_calls", judge_sync_calls, NULL },
	{ "idle_after_sync", judge_idle_after_sync, NULL },
	{ "launch_bound", judge_launch_bound, NULL },
	{ "reduce_overhead", judge_reduce_overhead, NULL },
	{ "exposed_comm", judge_exposed_comm, NULL },
	{ "rank_wait", judge_rank_wait, NULL },
	{ "fsdp_prefetch", judge_fsdp_prefetch, NULL },
	{ "tc_unused", judge_tc_unused, NULL },
	{ "tc_fp32", judge_tc_fp32, NULL },
	{ "tc_unaligned", judge_tc_unaligned, NULL },
	{ "skinny", judge_slow_size, NULL },
	{ "depthwise", judge_slow_size, NULL },
	{ "few_tokens", judge_slow_size, NULL },
	{ "head_size", judge_slow_size, NULL },
	{ "pageable_copies", judge_pageable_copies, NULL },
	{ "alloc_calls", judge_alloc_calls, NULL },
	{ "few_blocks", judge_few_blocks, NULL },
	{ "channels_last", judge_channels_last, NULL },
	{ "fused_optimizer", judge_fused_optimizer, NULL },
	{ "sdpa", judge_sdpa, NULL },
	{ "loss_chain", judge_loss_chain, NULL },
	{ "pointwise_chain", judge_pointwise_chain, NULL },
	{ "recompute", judge_recompute, NULL },
	{ "kv_cache", judge_kv_cache, NULL },
	{ "cudnn_plans", judge_cudnn_plans, NULL },
	{ "recompiles", judge_recompiles, NULL },
	{ "graph_breaks", judge_graph_breaks, NULL },
	{ "loader_workers", judge_loader_workers, NULL },
	{ "memory_full", judge_memory_full, NULL },
	{ "memory_fragmented", judge_fragmented, NULL },
	{ "graph_level", judge_graph_level, NULL },
	{ "no_op", judge_no_op, NULL },
	{ "profiler_cost", judge_profiler_cost, NULL },
	{ "marker_cost", judge_marker_cost, NULL },
	{ "lazy_loading", judge_lazy_loading, NULL },
	{ "slow_steps", judge_slow_steps, NULL },
	{ "one_off", judge_one_off, NULL },
	{ "lost_events", judge_lost_events, NULL },
};

static struct advise_rule rules[ARRAY_LEN(judges)];

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
	struct buf legend; /* of findings in the input, written only if one
			    * of them is kept */
	bool failed;       /* a rule of fail_on fired, in any section */
};

/* If the rule that includes this one's time fired too, that one leads. */
static void
find_leads(struct advise_finding *j, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n && j[i].v.within.len > 0; k++)
			if (strcmp(j[k].rule->id, buf_str(&j[i].v.within)) ==
				0 &&
			    j[k].v.judged == V_YES && j[i].v.judged == V_YES)
				j[i].part_of = j[k].rule->id;
}

/* A finding of less than that part of the time, in percent, is no place to
 * begin: it comes after those whose gain is not known. By a replay it is known
 * better. */
#define LITTLE 1
#define LITTLE_GAIN 2

/* Of a ceiling, in percent, so much counts as gain where no replay tells. */
#define DISCOUNT 50

/* The part of a step, without the recording's time, in which the GPU works. */
static double
busy_part(const struct facts *f)
{
	double wall = (double)facts_wall_ns(f), part;
	double longer =
	    (double)facts_step_ns(f, true) / (double)facts_step_ns(f, false);

	part = wall > 0 ? 1 - (double)facts_busy_ns(f, FACTS_IDLE) / wall : 1;
	return part * longer < 1 ? part * longer : 1;
}

/* A step if that is mended, and what that gains. */
static void
find_gain(const struct facts *f, struct advise_finding *j)
{
	struct advise_verdict *v = &j->v;
	int64_t step = facts_step_ns(f, false), fixed = 0, late;
	double part;

	j->gain = -1;
	if (v->judged != V_YES || step == 0 || v->first)
		return;
	if (v->fix.len > 0)
		fixed = facts_fixed_ns(f, buf_str(&v->fix));
	/* or what makes the late rank late is mended, in all ranks */
	j->waits = strcmp(j->rule->id, "rank_wait") == 0 &&
		   f->late_rank != NULL && f->late_rank != f;
	if (j->waits && f->late_rank->mends.len > 0) {
		late = facts_fixed_ns(f, buf_str(&f->late_rank->mends));
		fixed = late > 0 && late < fixed ? late : fixed;
	}
	/* what waits for it is not recorded if the replay gains nothing */
	if (strcmp(j->rule->id, "exposed_comm") == 0 &&
	    step - fixed < step / 100 * LITTLE_GAIN)
		fixed = 0;
	j->replayed = fixed > 0;
	if (fixed == 0 && v->gains && facts_wall_ns(f) > 0) {
		part = facts_share_pct(f, v->ceiling) / 100 * DISCOUNT / 100;
		/* kernels do not become shorter without the recording */
		part *= v->of_kernels
			    ? busy_part(f) * (double)facts_step_ns(f, true) /
				  (double)step
			    : 1;
		fixed = part < 1 ? (int64_t)((double)step * (1 - part)) : 0;
	}
	if (fixed == 0)
		return;
	j->fixed_ns = fixed;
	j->gain = step > fixed ? step - fixed : 0;
	j->little = j->gain < step / 100 * LITTLE_GAIN;
}

static int
by_gain(const void *a, const void *b)
{
	const struct advise_finding *x = a, *y = b;
	bool fx = x->v.judged == V_YES, fy = y->v.judged == V_YES;
	bool gx = fx && x->v.gains, gy = fy && y->v.gains;

	if (fx != fy)
		return fx ? -1 : 1;
	if ((x->part_of != NULL) != (y->part_of != NULL))
		return x->part_of == NULL ? -1 : 1;
	if (fx && x->v.first != y->v.first)
		return x->v.first ? -1 : 1;
	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	if (x->waits != y->waits)
		return x->waits ? -1 : 1;
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
	buf_free(&v->within);
	buf_free(&v->fix);
	values_free(&v->let);
}

static void
judge_rule(const struct advise *a, const struct facts *f,
    const struct advise_rule *r, struct advise_verdict *v)
{
	struct buf *const text[] = { &v->problem, &v->advice, &v->value,
		&v->evidence };
	size_t i;

	if (a->dlprof && r->dlprof_judge != NULL)
		r->dlprof_judge(f, v);
	else
		r->judge(f, v);
	if (v->judged == V_YES)
		advise_texts_put(r, f, v);
	for (i = 0; i < ARRAY_LEN(text) && f->maker.amd; i++)
		text[i]->len = words_amd(text[i]->s, text[i]->len);
	if (v->judged == V_UNJUDGED && list_has(a->fail_on, ',', r->id))
		warn("--fail-on %s: not judged, for lack of %s", r->id,
		    v->missing != NULL ? v->missing : "data");
}

/* No reason why a rank is late. */
static bool
is_of_ranks(struct advise_verdict *v)
{
	return strcmp(buf_str(&v->fix), "comm") == 0 ||
	       strcmp(buf_str(&v->fix), "straggler") == 0;
}

/* Keeps the first finding that can be why a rank is late, in short: the problem
 * up to its numbers, or the advice where that begins with the reason. */
static void
keep_first(struct facts *f, struct advise_finding *j, size_t n)
{
	size_t i = j[0].v.first, len; /* what recording costs makes none late */
	const char *why, *colon;

	while (i < n && is_of_ranks(&j[i].v))
		i++;
	if (i == n || j[i].v.judged != V_YES || j[i].little)
		return;
	why = buf_str(&j[i].v.problem);
	colon = strstr(why, ": ");
	len = colon != NULL ? (size_t)(colon - why) : strlen(why);
	if (strcmp(j[i].rule->id, "underutilized_gpu_detector") == 0) {
		why = buf_str(&j[i].v.advice);
		len = strcspn(why, ";");
	}
	buf_put(&f->first, why, len);
	buf_put(&f->mends, j[i].v.fix.s, j[i].v.fix.len);
}

/* Judges the facts of a section, or of a file of it. Findings that fired are
 * written first, by their gain or, without replays, by their ceiling; if two
 * are equal, the later rule comes first, because later rules are more specific.
 * Little ones come after those without a ceiling. Findings that another one
 * leads come after these; then the rest in the order of the rules.
 */
static void
judge_facts(void *arg, struct facts *f)
{
	struct advise *a = arg;
	struct advise_finding j[ARRAY_LEN(rules)] = { 0 };
	const struct advise_rule *r;
	uint64_t fired = 0;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		r = &rules[i];
		if (a->dlprof && !r->dlprof)
			continue;
		j[n].rule = r;
		j[n].at = i;
		j[n].v.id = r->id;
		j[n].v.limit = a->limit[i].v;
		j[n].limit_dlprof = a->limit[i].dlprof;
		judge_rule(a, f, r, &j[n].v);
		fired +=
		    j[n++].v.judged == V_YES &&
		    (list_has(a->fail_on, ',', "any") ||
			(r->dlprof && list_has(a->fail_on, ',', "dlprof")) ||
			list_has(a->fail_on, ',', r->id));
	}
	find_leads(j, n);
	for (i = 0; i < n; i++) {
		j[i].little = j[i].v.judged == V_YES && j[i].v.gains &&
			      facts_share_pct(f, j[i].v.ceiling) < LITTLE;
		find_gain(f, &j[i]);
	}
	if (!a->dlprof) /* DLProf uses the order of its report */
		qsort(j, n, sizeof(j[0]), by_gain);
	keep_first(f, j, n);
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

	if (!mv_eq(rec_get(r, COL_judged), "stored") || a->json)
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
	stage_on(st, "finding", see_finding, .opt = "judged",
	    .legend = see_finding_legend, .arg = a);
	reader = advise_read(st, a->dlprof, a->even, judge_facts, a);
	stage_anew(st, notes);
	status = stage_run(st);
	advise_read_free(reader);
	free(a->put);
	if (a->json && status == EXIT_OK)
		advise_json_end(&a->objects, a->n_objects);
	buf_free(&a->objects);
	advise_texts_free();
	return status == EXIT_OK && a->failed ? EXIT_GATE : status;
}

/* The command line fills it; one per process. */
static struct advise opt;

static size_t
find_rule(const char *option, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++)
		if (text_is(name, n, rules[i].id))
			return i;
	die("%s: no rule '%.*s'; -l lists them", option, (int)n, name);
}

const struct advise_rule *
advise_rule(const char *id)
{
	return &rules[find_rule("advise.tab", id, strlen(id))];
}

static void
set_fail_on(const char *arg)
{
	const char *s = arg, *end;

	for (; s != NULL; s = *end != '\0' ? end + 1 : NULL) {
		end = s + strcspn(s, ",");
		if (!text_is(s, (size_t)(end - s), "any") &&
		    !text_is(s, (size_t)(end - s), "dlprof"))
			find_rule("--fail-on", s, (size_t)(end - s));
	}
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
	if (rules[i].unit == NULL)
		die("--rule: %s has no threshold", rules[i].id);
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
		r = &rules[i];
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

	cli_init("dlp-advise");
	for (i = 0; i < ARRAY_LEN(rules); i++) {
		rules[i].id = judges[i].id;
		rules[i].judge = judges[i].judge;
		rules[i].dlprof_judge = judges[i].dlprof;
	}
	advise_texts_read(rules, ARRAY_LEN(rules));
	for (i = 0; i < ARRAY_LEN(rules); i++)
		opt.limit[i] = (struct advise_limit){ rules[i].limit,
			rules[i].limit_dlprof };
	unbuffered = cli_options(argc, argv, opts);
	path = cli_operand(argc, argv);
	if (opt.json)
		stage_open_sink(&st, path, unbuffered);
	else
		stage_open(&st, argc, argv, path, unbuffered);
	st.result = opt.json;
	return out_finish(advise_stream(&st, &opt));
}
