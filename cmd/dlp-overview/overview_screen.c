/*
 * The profile with all that is known (-v): what was recorded, the steps, where
 * their time goes, what is not known, and what to do next. Lists show the first
 * few. overview.tab has the words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "esc.h"
#include "num.h"
#include "out.h"
#include "overview_page.h"

#define MAX_OP 10

/* The parts of the screen. */

/* A row, if there is anything to show. */
static void
part(const struct screen *s, const char *label, double ns)
{
	if (ns > 0)
		page_row(s, label, ns);
}

static void
let_session(struct screen *s)
{
	const struct overview *o = s->o;
	const char *ns = overview_fact(o, OV_MARKER_NS);
	struct buf gpus = { 0 };
	uint64_t n = 0;
	uint32_t i;
	double v;

	for (i = 0; i < OV_INFOS; i++)
		if (!page_unset(overview_fact(o, i)))
			buf_puts(page_let(s, overview_infos[i]), o->info[i]);
	for (i = 0; i < o->dev_name.n; i++)
		n += o->dev_name.val[i];
	if ((uint64_t)o->n_gpu < n)
		buf_printf(page_let(s, "some"), " (%d used)", o->n_gpu);
	overview_gpus(o, &gpus);
	if (!page_unset(buf_str(&gpus)))
		buf_puts(page_let(s, "gpu_names"), buf_str(&gpus));
	buf_free(&gpus);
	if (!page_unset(ns) && num_f64(ns, strlen(ns), &v))
		buf_printf(page_let(s, "marker_ms"), "%.0f", v / 1e6);
	values_if(&s->values, "bare",
	    o->n_src < 2 && !page_unset(overview_fact(o, OV_STEP_BARE)));
	if (o->n_src < 2 && !page_unset(overview_fact(o, OV_STEP_ALL)))
		page_times(page_let(s, "together"),
		    atof(overview_fact(o, OV_STEP_BARE)),
		    atof(overview_fact(o, OV_STEP_ALL)));
	page_profile(page_let(s, "profile"), s);
	if (o->try_key != NULL)
		page_shell_word(page_let(s, "key"), o->try_key, "FILE");
	page_ms(page_let(s, "base"), s->base / s->parts);
	page_ms(page_let(s, "mean"), o->mean);
	page_ms(page_let(s, "work"), o->work / s->parts);
	page_ms(page_let(s, "kernels"), o->kern_ns / s->parts);
	if (o->n_gpu > 1)
		page_let_count(s, "gpu_sum", o->n_gpu);
	values_if(&s->values, "srcs", o->n_src > 1);
	values_if(&s->values, "timed", o->timed);
	values_if(&s->values, "amd", o->amd);
	values_if(&s->values, "graphs", o->graph_ns > 0);
	values_if(&s->values, "no_tf32", o->no_tf32);
	values_if(&s->values, "tf32", o->tf32);
	values_if(&s->values, "replays", o->replays);
}

/* Which steps there are, how many were left out. */
static void
let_steps(struct screen *s)
{
	const struct overview *o = s->o;
	bool asked = s->how->iters != NULL;
	bool unlike = !asked && !o->differ && page_unset(o->first);
	double all = asked ? o->n_cut : o->n_all, std;

	buf_printf(page_let(s, "steps"), "%.0f", all);
	buf_printf(page_let(s, "used"), "%.0f", o->n_used);
	page_let_count(s, "left", all - o->n_used - o->n_marked);
	page_let_count(s, "files", o->n_stable > 1 ? o->n_stable : 0);
	page_let_count(s, "with_ops", o->n_marked);
	if (o->n_marked > 0)
		page_ms(page_let(s, "marked"), o->marked / o->n_marked);
	values_if(&s->values, "asked", asked);
	values_if(&s->values, "unlike", unlike);
	values_if(&s->values, "one", !asked && !unlike && o->n_all == 1);
	values_if(&s->values, "numbers", !o->differ && !unlike);
	buf_puts(page_let(s, "first"), o->first);
	if (strcmp(o->first, o->last) != 0)
		buf_puts(page_let(s, "last"), o->last);
	buf_puts(page_let(s, "within"), o->within);
	buf_puts(page_let(s, "agree"), o->agree);
	if (!asked && !unlike && o->n_all > 1) {
		page_let_count(s, "warm", o->n_warm);
		page_let_count(s, "once", o->n_once);
		if (o->knows_warm)
			page_let_count(s, "outliers",
			    all - o->n_used - o->n_warm - o->n_marked);
	}
	if (!overview_std(o, &std))
		return;
	page_ms(page_let(s, "std"), std);
	if (std <= o->mean)
		buf_printf(page_let(s, "std_pct"), "%.1f",
		    o->mean > 0 ? 100 * std / o->mean : 0);
}

static void
put_steps(struct screen *s)
{
	const struct overview *o = s->o;

	if (o->n_all > 0)
		let_steps(s);
	if (o->before > .02 * s->base)
		page_ms(page_let(s, "before"), o->before / s->parts);
	if (o->behind > .02 * s->base)
		page_ms(page_let(s, "behind"), o->behind / s->parts);
	if (o->edge_api != NULL) {
		buf_puts(page_let(s, "call"), o->edge_api);
		page_ms(page_let(s, "call_time"), o->edge_api_ns);
	}
	page_say(s, "steps   ", "steps");
	page_say(s, "        ", "mean");
	page_say(s, "100 %   ", "base");
	if (o->n_all == 0 && o->timed) {
		page_say(s, "        ", "before");
		page_say(s, "        ", "behind");
	}
}

/* Idle time by the classes of dlp-gaps. The time that no gap of the steps has
 * lies before work between two steps. */
static void
put_why_idle(struct screen *s)
{
	double rest = s->o->ns[OV_IDLE], ns;
	struct buf label = { 0 };
	const char *class;

	while ((class = tally_best(&s->o->gap, &ns)) != NULL &&
	       ns >= PAGE_NOTHING) {
		tally_take(&s->o->gap, &ns);
		buf_clear(&label);
		buf_printf(&label, "  %s", class);
		part(s, buf_str(&label), ns);
		rest -= ns;
	}
	if (rest >= PAGE_NOTHING)
		part(s, "  other reasons", rest);
	buf_free(&label);
}

static void
put_gpu_time(struct screen *s)
{
	const struct overview *o = s->o;
	int c;

	page_classes(s);
	for (c = 0; c <= OV_IDLE; c++)
		part(s, page_class(s, c), o->ns[c]);
	put_why_idle(s);
	if (o->n_all > 0 && o->between_idle >= .02 * s->base)
		part(s, "  of it between two steps", o->between_idle);
}

/* Streams work at once: shares of work are of all work, if that is longer than
 * the time. */
void
page_base(struct screen *s)
{
	if (s->o->work <= s->base)
		return;
	s->base = s->o->work;
	s->at_once = true;
	values_if(&s->values, "at_once", true);
}

static void
put_phases(struct screen *s)
{
	const char *name;
	double ns;

	if (tally_best(&s->o->phase, &ns) == NULL)
		return;
	page_line(s, "");
	page_say(s, "", "phases");
	page_table(s, "GPU time by phase");
	while ((name = tally_take(&s->o->phase, &ns)) != NULL)
		part(s, page_unset(name) ? "(no phase)" : name, ns);
}

static void
put_ops(struct screen *s)
{
	struct overview *o = s->o;
	const struct overview_op *op;
	struct buf line = { 0 };
	const char *name;
	double ns;
	int i;

	page_line(s, "");
	page_table(s, "Top ops (and longest kernel)");
	for (i = 0; i < MAX_OP && (name = tally_take(&o->op, &ns)) != NULL;
	     i++) {
		buf_clear(&line);
		buf_puts(&line, name);
		page_dir(&line);
		page_row(s, buf_str(&line), ns);
		op = &o->ops[smap_find(&o->op.name, name, strlen(name))];
		buf_clear(&line);
		buf_puts(&line, "    ");
		page_fit(&line, op->kernel != NULL ? op->kernel : "",
		    s->how->width - 20);
		if (op->tc)
			buf_puts(&line, ", Tensor Cores");
		page_put(s, line.s, line.len);
	}
	buf_free(&line);
}

/* The op that a reason takes the most time of. */
const char *
page_reason_op(const struct overview *o, const char *why)
{
	size_t n = strlen(why), len;
	const char *both, *best = "";
	double most = -1;
	uint32_t i;

	for (i = 0; i < o->why_op.name.n; i++) {
		both = smap_str(&o->why_op.name, i, &len);
		if (len <= n || memcmp(both, why, n) != 0 ||
		    both[n] != OVERVIEW_SEP[0] || o->why_op.sum[i].ns <= most)
			continue;
		most = o->why_op.sum[i].ns;
		best = both + n + 1;
	}
	return best;
}

/* The longest reasons, each with the op that it is the most of. */
static void
put_reasons(struct screen *s, struct tally *reasons)
{
	struct values v = { .also = &s->values };
	struct buf text = { 0 }, tip = { 0 };
	const char *why, *op;
	double ns;
	int i;

	for (i = 0; i < 3 && (why = tally_take(reasons, &ns)) != NULL; i++) {
		buf_clear(&text);
		buf_printf(&text, "  %s", why);
		page_row(s, buf_str(&text), ns);
		op = page_reason_op(s->o, why);
		values_if(&v, "conv", strncmp(op, "conv", 4) == 0);
		buf_clear(&tip);
		wording_put(&s->wording, "tips", why, &v, &tip);
		values_free(&v);
		buf_clear(&text);
		buf_printf(&text, "most: %s", op);
		page_dir(&text);
		buf_printf(
		    &text, "%s%s", tip.len > 0 ? "; " : "", buf_str(&tip));
		page_fill(s, "    ", 4, &text);
	}
	buf_free(&text);
	buf_free(&tip);
}

static void
put_tensor_cores(struct screen *s)
{
	struct overview *o = s->o;
	double dark = o->tc_dark;

	page_line(s, "");
	page_table(s, "Tensor Cores");
	if (o->n_kern > 0 && o->n_judged == 0)
		dark = o->kern_ns;
	if (dark < PAGE_NOTHING)
		dark = 0;
	if (o->eligible > 0 || dark == 0)
		page_row(s, "could be used and are not", o->eligible);
	put_reasons(s, &o->why);
	part(s, "could be used: unknown", dark);
	part(s, "are used, slowly", o->slow);
	put_reasons(s, &o->slow_why);
}

/* What is known of why work has no op. */
static void
let_why(struct screen *s)
{
	const struct overview *o = s->o;
	struct buf tip = { 0 };
	double ns;
	const char *why = tally_best(&o->no_op_why, &ns);
	bool all_shapes =
	    strstr(overview_fact(o, OV_OPTIONS), "record_shapes") != NULL;

	if (why != NULL) {
		buf_puts(page_let(s, "why"), why);
		wording_put(&s->wording, "tips", why, &s->values, &tip);
		if (tip.len > 0)
			buf_put(page_let(s, "tip"), tip.s, tip.len);
		buf_free(&tip);
		values_if(&s->values, "ranges", strstr(why, "-range") != NULL);
		values_if(&s->values, "emits",
		    strcmp(why, "no-range") == 0 ||
			strcmp(why, "user-range") == 0);
	}
	values_if(&s->values, "cpu",
	    strncmp(overview_fact(o, OV_ACTIVITIES), "CPU", 3) == 0);
	values_if(&s->values, "with_op",
	    o->opless > .5 * o->no_shapes &&
		(o->kern_ns > o->no_shapes || all_shapes));
	values_if(&s->values, "graph_sizes", o->graph_ns > .5 * o->no_shapes);
	values_if(&s->values, "graph_flops", o->graph_ns > .5 * o->no_flop);
	values_if(&s->values, "graph_tc", o->graph_ns > .5 * o->no_verdict);
	values_if(&s->values, "no_capture", o->no_capture > .5 * o->no_flop);
	values_if(&s->values, "no_sizes", o->no_shapes > .5 * o->no_flop);
}

/* What is not known, and what to do about it. */
void
page_unknown(struct screen *s, struct page_unknown v[PAGE_UNKNOWN])
{
	const struct overview *o = s->o;
	size_t i;

	v[0] = (struct page_unknown){ "op", "op", o->no_op, o->work, { 0 } };
	v[1] = (struct page_unknown){ "sizes", "sizes", o->no_shapes,
		o->kern_ns, { 0 } };
	v[2] = (struct page_unknown){ "FLOPs", "FLOPs", o->no_flop, o->kern_ns,
		{ 0 } };
	v[3] = (struct page_unknown){ "Tensor Cores or not", "tc",
		o->no_verdict, o->kern_ns, { 0 } };
	let_why(s);
	for (i = 0; i < PAGE_UNKNOWN; i++)
		wording_put(
		    &s->wording, "hints", v[i].part, &s->values, &v[i].hint);
}

/* The account, and what to do about all that is not known of much time; the
 * same advice is given once. */
static void
put_unknown(struct screen *s)
{
	struct page_unknown v[PAGE_UNKNOWN];
	struct buf text = { 0 };
	size_t i, k;

	page_unknown(s, v);
	for (i = 0; i < PAGE_UNKNOWN; i++)
		if (v[i].ns >= PAGE_NOTHING && v[i].of > 0) {
			buf_printf(&text, "%s%s ", text.len > 0 ? ", " : "",
			    v[i].label);
			page_ms(&text, v[i].ns / s->parts);
			buf_printf(&text, " %.1f %%", 100 * v[i].ns / v[i].of);
		}
	if (text.len > 0) {
		page_line(s, "");
		buf_put(page_let(s, "lacks"), text.s, text.len);
		page_say(s, "", "unknown");
	}
	for (i = 0; i < PAGE_UNKNOWN; i++) {
		for (k = 0; strcmp(buf_str(&v[k].hint), buf_str(&v[i].hint));)
			k++;
		buf_clear(&text);
		buf_printf(&text, "%s: %s", v[i].label, buf_str(&v[i].hint));
		if (k == i && v[i].of > 0 && v[i].ns > .1 * v[i].of)
			page_fill(s, "  > ", 4, &text);
	}
	for (i = 0; i < PAGE_UNKNOWN; i++)
		buf_free(&v[i].hint);
	buf_free(&text);
}

/* The finding's text, and the file where it is the most, of several. */
static void
put_finding(struct screen *s, int nth, const struct overview_finding *f)
{
	struct buf text = { 0 };
	char head[32];

	(void)snprintf(head, sizeof(head), "  %d ", nth);
	if (f->fixed > 0) { /* "[42.1 -> 24 ms if fixed] " */
		buf_putc(&text, '[');
		page_times(&text, f->step, f->fixed);
		buf_puts(&text, " if fixed] ");
	} else if (!page_unset(f->share)) {
		buf_printf(&text, f->step > 0 ? "[at most %s %%] " : "[%s %%] ",
		    f->share);
	}
	if (s->o->n_src > 1 && !page_unset(f->src)) {
		buf_puts(&text, f->src);
		if (f->n_file > 1)
			buf_printf(&text, " (and %d more)", f->n_file - 1);
		buf_puts(&text, ": ");
	}
	buf_puts(&text, f->problem);
	page_fill(s, head, strlen(head), &text);
	buf_free(&text);
	if (!page_unset(f->evidence))
		page_fill_text(s, "    ", f->evidence);
	page_fill_text(s, "    help: ", f->advice);
}

int
page_unjudged(const struct overview *o)
{
	const char *id;
	uint32_t k;
	size_t len;
	int n = 0;

	for (k = 0; k < o->unjudged.n; k++) {
		id = smap_str(&o->unjudged, k, &len);
		n += smap_find(&o->fired, id, len) == SMAP_NONE;
	}
	return n;
}

static void
put_findings(struct screen *s)
{
	const struct overview *o = s->o;
	int i, n = o->n_found;

	/* those that gain hardly anything, or would be shown as 0.0 %, come
	 * last */
	while (n > 0 && (o->found[n - 1].little ||
			    strcmp(o->found[n - 1].share, "0.0") == 0))
		n--;
	buf_i64(page_let(s, "findings"), n);
	page_let_count(s, "little", o->n_found - n);
	page_let_count(s, "unjudged", page_unjudged(o));
	page_line(s, "");
	page_say(s, "", "findings");
	for (i = 0; i < n; i++)
		put_finding(s, i + 1, &o->found[i]);
	page_say(s, "  ", "fixed");
	page_say(s, "  ", "little");
	page_say(s, "  ", "unjudged");
}

/* The steps that the screen is of, as options for another report. */
static void
put_same_steps(struct buf *b, const struct screen *s)
{
	const struct overview *o = s->o;
	bool key = s->how->key != NULL && *s->how->key != '\0';

	if (o->n_all == 0 || o->differ)
		return;
	if (key) {
		buf_puts(b, " -k ");
		page_shell_word(b, s->how->key, "KEY");
	}
	if (!page_unset(o->first)) {
		buf_printf(b, " -i %s", o->first);
		if (strcmp(o->first, o->last) != 0)
			buf_printf(b, "-%s", o->last);
	} else if (!key && o->n_stable <= 1) {
		buf_puts(b, " -i 0");
		if (o->n_all > 1)
			buf_printf(b, "-%.0f", o->n_all - 1);
	}
}

void
page_next(const struct screen *s, const char *next[PAGE_NEXT])
{
	const struct overview *o = s->o;
	const char *world = overview_fact(o, OV_WORLD);
	bool dict = strcmp(overview_fact(o, OV_DIALECT), "pyprof-dict") == 0;
	bool ranks =
	    o->ns[OV_COMM] > 0 && !page_unset(world) && strcmp(world, "1") != 0;
	struct proposal { /* a report, the part of the time that it is about */
		const char *report;
		double ns;
	} v[] = {
		/* by name */
		{ "copies", o->ns[OV_MEM] },
		{ "coverage", o->no_op },
		{ "gaps", o->timed ? o->ns[OV_IDLE] : 0 },
		/* these two read no .dict */
		{ "ranks", dict ? 0
				: o->ns[OV_COMM] + (ranks ? .11 * s->base : 0) },
		{ "serve", dict || page_unset(overview_fact(o, OV_SERVING))
				? 0
				: 2 * s->base },
		{ "tc", o->eligible + o->slow },
		{ "top", o->work },
	}, *p, *best;
	int i;

	memset(next, 0, PAGE_NEXT * sizeof(*next));
	for (i = 0; i < PAGE_NEXT && s->base > 0; i++) {
		best = NULL; /* the longest, by name among equals */
		for (p = v; p < v + ARRAY_LEN(v); p++)
			if (p->ns > .1 * s->base &&
			    (best == NULL || p->ns > best->ns))
				best = p;
		if (best == NULL)
			break;
		next[i] = best->report;
		best->ns = 0;
	}
}

static void
put_next(struct screen *s)
{
	const char *next[PAGE_NEXT], *report;
	struct buf what = { 0 };
	int i;

	page_next(s, next);
	for (i = 0; i < PAGE_NEXT && next[i] != NULL; i++) {
		report = next[i];
		buf_puts(&out_buf, i > 0 ? "      " : "\nnext: ");
		buf_printf(&out_buf, "dlp %s", report);
		if (strcmp(report, "serve") != 0) /* it has no -i */
			put_same_steps(&out_buf, s);
		buf_putc(&out_buf, ' ');
		if (strcmp(report, "ranks") == 0 && s->o->n_src <= 1)
			buf_puts(&out_buf, "FILE...");
		else
			page_profile(&out_buf, s);
		buf_putc(&out_buf, '\n');
		buf_clear(&what);
		page_blanks(&what, 7); /* and the one that joins parts */
		wording_put(&s->wording, "next", report, &s->values, &what);
		page_put(s, what.s, what.len);
	}
	buf_free(&what);
}

/* Columns of bytes that a name may take: what the longest needs, but no more
 * than the page has beside a table's numbers, and bars on a wide one. */
static int
room_of(const struct screen *s)
{
	const struct tally *op = &s->o->op;
	int wide = s->how->width, most = wide - (wide > 80 ? 48 : 20);
	size_t need = 32, n;
	uint32_t i;

	for (i = 0; i < op->name.n; i++) {
		(void)smap_str(&op->name, i, &n);
		if (wide > 80 && op->sum[i].ns > .001 * s->o->work && n > need)
			need = n;
	}
	return most < 8 ? 8 : need < (size_t)most ? (int)need : most;
}

void
overview_screen(struct overview *o, const struct overview_how *how)
{
	struct screen s = { .o = o, .how = how };
	struct buf file = { 0 };

	s.base = o->timed ? o->wall : o->work;
	s.parts = o->n_device_step > 0 ? o->n_device_step : 1;
	s.room = room_of(&s);
	wording_read(&s.wording, "overview.tab");
	let_session(&s);
	page_let_which(&s);
	if (how->json || !how->verbose) {
		if (how->json)
			page_json(&s);
		else
			page_short(&s);
		values_free(&s.values);
		wording_free(&s.wording);
		return;
	}
	esc_put(&file, o->file, strlen(o->file));
	page_fill(&s, "", 0, &file);
	buf_free(&file);
	page_say(&s, "GPU     ", "gpu");
	page_say(&s, "tool    ", "tool");
	page_say(&s, "        ", "markers");
	if (o->any_work) {
		page_headline(&s);
		page_line(&s, "");
		put_steps(&s);
		if (o->timed)
			put_gpu_time(&s);
		page_say(&s, "        ", "untimed");
		page_base(&s);
		put_phases(&s);
		put_ops(&s);
		put_tensor_cores(&s);
		put_unknown(&s);
		put_findings(&s);
		put_next(&s);
	} else {
		page_say(&s, "        ", "no_work");
		put_findings(&s);
		buf_puts(&out_buf, "\nnext: dlp info ");
		page_profile(&out_buf, &s);
		buf_putc(&out_buf, '\n');
	}
	values_free(&s.values);
	wording_free(&s.wording);
}
