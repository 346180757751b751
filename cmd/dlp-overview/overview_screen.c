/*
 * The profile on one screen: what was recorded, the steps, where their time
 * goes, what is not known, and what to do next. Lists show the first few.
 * overview.tab has the words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"
#include "num.h"
#include "out.h"
#include "overview.h"
#include "utf8.h"
#include "wording.h"
#include "words.h"

struct screen {
	struct overview *o;
	const struct overview_how *how;
	double base; /* what is 100 % */
	struct wording wording;
	struct values values;
};

/* Lines. Nothing is wider than the page. Widths are in bytes, as names are: a
 * character of several bytes that is cut shows as \xHH. */

#define BAR_MAX 30

static void
put_line(const struct screen *s, const char *text, size_t n)
{
	size_t wide = (size_t)s->how->width, from = out_buf.len;

	utf8_show(&out_buf, text, n < wide ? n : wide);
	buf_putc(&out_buf, '\n');
	if (s->o->amd) /* Tensor Cores are called matrix cores */
		out_buf.len =
		    from + words_amd(out_buf.s + from, out_buf.len - from);
}

static void
page_line(const struct screen *s, const char *text)
{
	put_line(s, text, strlen(text));
}

/* No line ends at the blank between a number and its unit. */
static bool
is_between_words(const char *s, size_t n)
{
	if (*s == '\t' || *s == '\n')
		return true;
	if (*s != ' ' || (n > 1 && s[1] == '%'))
		return false;
	return n < 3 || memcmp(s, " ms", 3) != 0 || (n > 3 && s[3] != ' ');
}

/* The next word of s[0..n), which begins at *at; its length, 0 at the end. */
static size_t
next_word(const char *s, size_t n, size_t *at)
{
	size_t i = *at;

	while (i < n && is_between_words(s + i, n - i))
		i++;
	*at = i;
	while (i < n && !is_between_words(s + i, n - i))
		i++;
	return i - *at;
}

static void
put_blanks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_putc(b, ' ');
}

/* Words after a head, in lines that begin at pad. A word that is wider than the
 * page takes several lines. */
static void
fill(const struct screen *s, const char *head, size_t pad, struct buf *text)
{
	size_t at = 0, len, wide = (size_t)s->how->width;
	struct buf line = { 0 };
	bool first = true;

	buf_puts(&line, head);
	for (; (len = next_word(text->s, text->len, &at)) > 0;
	     at += len, first = false) {
		if (!first && line.len + 1 + len > wide) {
			put_line(s, line.s, line.len);
			buf_clear(&line);
			put_blanks(&line, pad);
		} else if (!first) {
			buf_putc(&line, ' ');
		}
		buf_put(&line, text->s + at, len);
		if (pad >= wide) /* or there would be no end */
			pad = wide - 1;
		while (line.len > wide) {
			put_line(s, line.s, wide);
			memmove(line.s + pad, line.s + wide, line.len - wide);
			memset(line.s, ' ', pad);
			line.len -= wide - pad;
		}
	}
	put_line(s, line.s, line.len);
	buf_free(&line);
}

static void
fill_text(const struct screen *s, const char *head, const char *text)
{
	struct buf b = { 0 };

	buf_puts(&b, text);
	fill(s, head, strlen(head), &b);
	buf_free(&b);
}

/* A part of the screen, if there is anything to say. */
static void
say(const struct screen *s, const char *head, const char *part)
{
	struct buf b = { 0 };

	wording_put(&s->wording, "screen", part, &s->values, &b);
	if (b.len > 0)
		fill(s, head, strlen(head), &b);
	buf_free(&b);
}

/* The name in n bytes: a longer one without its middle. */
static void
page_fit(struct buf *b, const char *s, int n)
{
	static const char end[] = " (no op)"; /* says more than the name */
	int tail = 0, len = (int)strlen(s), head, rest;

	if (len <= n) {
		buf_puts(b, s);
		return;
	}
	if (mv_ends((struct mview){ s, (size_t)len }, end))
		tail = (int)sizeof(end) - 1;
	n -= tail;
	head = (n - 2) * 2 / 3;
	rest = n - head - 2;
	if (head > 0)
		buf_put(b, s, (size_t)head);
	buf_puts(b, "..");
	if (rest > 0)
		buf_put(b, s + len - tail - rest, (size_t)rest);
	if (tail > 0)
		buf_puts(b, end);
}

/* A time that would be 0.00 ms keeps its digits in a unit of its own. */
static void
put_ms(struct buf *b, double ns)
{
	if (ns < .5) /* of a ns */
		buf_puts(b, "0.00 ms");
	else if (ns >= 5e3) /* 0.01 ms */
		buf_printf(b, "%.2f ms", ns / 1e6);
	else if (ns >= 1e3)
		buf_printf(b, "%.1f us", ns / 1e3);
	else
		buf_printf(b, "%.0f ns", ns);
}

/* A label, a time, its share and a bar. */
static void
page_bar(const struct screen *s, const char *label, double ns)
{
	int width = s->how->width;
	int room = width >= 48 ? 26 : width >= 34 ? width - 22 : 12;
	double n = width - 50 > BAR_MAX ? BAR_MAX : width - 50;
	struct buf line = { 0 }, time = { 0 };
	char share[64] = "-";
	int marks;
	size_t at;

	buf_puts(&line, "  ");
	page_fit(&line, label, room);
	at = line.len;
	put_blanks(&line, at < (size_t)room + 2 ? (size_t)room + 2 - at : 0);
	if (s->base > 0)
		(void)snprintf(
		    share, sizeof(share), "%.1f %%", 100 * ns / s->base);
	put_ms(&time, ns);
	buf_printf(&line, " %11s %7s", buf_str(&time), share);
	n = s->base > 0 ? n * ns / s->base : 0;
	marks = n > 0 && n < INT16_MAX ? (int)(n + .5) : 0;
	if (marks > 0)
		buf_puts(&line, "  ");
	for (; marks > 0; marks--)
		buf_putc(&line, '#');
	put_line(s, line.s, line.len);
	buf_free(&line);
	buf_free(&time);
}

/* The parts of the screen. */

#define NOTHING 5000 /* ns: less would be shown as 0.00 ms */

static bool
is_unset(const char *s)
{
	return s[0] == '-' && s[1] == '\0';
}

static struct buf *
let(struct screen *s, const char *name)
{
	return values_let(&s->values, name);
}

/* A number of things, if there are any. */
static void
let_count(struct screen *s, const char *name, double n)
{
	if (n > 0)
		buf_printf(let(s, name), "%.0f", n);
}

/* A name for a shell to read; one that no terminal should get is `other`. */
static void
put_shell_word(struct buf *b, const char *s, const char *other)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789_./,:@%+=-";

	if (!utf8_shown(s, strlen(s))) {
		buf_puts(b, other);
	} else if (*s != '\0' && *s != '-' && s[strspn(s, plain)] == '\0') {
		buf_puts(b, s);
	} else {
		buf_putc(b, '\'');
		for (; *s != '\0'; s++)
			if (*s == '\'')
				buf_puts(b, "'\\''");
			else
				buf_putc(b, *s);
		buf_putc(b, '\'');
	}
}

/* The profile in a command to type; the name of standard input is not known. */
static void
put_profile(struct buf *b, const struct screen *s)
{
	if (s->how->piped)
		buf_puts(b, "FILE");
	else
		put_shell_word(b, s->o->file, "FILE");
}

/* A row, if there is anything to show. */
static void
part(const struct screen *s, const char *label, double ns)
{
	if (ns > 0)
		page_bar(s, label, ns);
}

static void
let_session(struct screen *s)
{
	const struct overview *o = s->o;
	const char *ns = overview_fact(o, OV_MARKER_NS);
	static const struct {
		enum overview_info info;
		const char *name;
	} steps[] = { { OV_STEP, "recorded" }, { OV_STEP_BARE, "bare" },
		{ OV_STEP_ALL, "mended" } };
	struct buf gpus = { 0 };
	uint64_t n = 0;
	uint32_t i;
	double v;

	for (i = 0; i < OV_INFOS; i++)
		if (!is_unset(overview_fact(o, i)))
			buf_puts(let(s, overview_infos[i]), o->info[i]);
	for (i = 0; i < o->dev_name.n; i++)
		n += o->dev_name.val[i];
	if ((uint64_t)o->n_gpu < n)
		buf_printf(let(s, "some"), " (%d used)", o->n_gpu);
	overview_gpus(o, &gpus);
	if (!is_unset(buf_str(&gpus)))
		buf_puts(let(s, "gpu_names"), buf_str(&gpus));
	buf_free(&gpus);
	if (!is_unset(ns) && num_f64(ns, strlen(ns), &v))
		buf_printf(let(s, "marker_ms"), "%.0f", v / 1e6);
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		ns = overview_fact(o, steps[i].info);
		if (o->n_src < 2 && !is_unset(ns) &&
		    num_f64(ns, strlen(ns), &v))
			buf_printf(let(s, steps[i].name), "%.3g", v / 1e6);
	}
	put_profile(let(s, "profile"), s);
	if (o->try_key != NULL)
		put_shell_word(let(s, "key"), o->try_key, "FILE");
	put_ms(let(s, "base"), s->base);
	put_ms(let(s, "mean"), o->mean);
	put_ms(let(s, "work"), o->work);
	put_ms(let(s, "kernels"), o->kern_ns);
	if (o->n_gpu > 1)
		let_count(s, "gpu_sum", o->n_gpu);
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
	bool unlike = !asked && !o->differ && is_unset(o->first);
	double all = asked ? o->n_cut : o->n_all, std;

	buf_printf(let(s, "steps"), "%.0f", all);
	buf_printf(let(s, "used"), "%.0f", o->n_used);
	let_count(s, "left", all - o->n_used);
	let_count(s, "once", o->n_once);
	let_count(s, "files", o->n_stable > 1 ? o->n_stable : 0);
	values_if(&s->values, "asked", asked);
	values_if(&s->values, "unlike", unlike);
	values_if(&s->values, "one", !asked && !unlike && o->n_all == 1);
	values_if(&s->values, "numbers", !o->differ && !unlike);
	buf_puts(let(s, "first"), o->first);
	if (strcmp(o->first, o->last) != 0)
		buf_puts(let(s, "last"), o->last);
	buf_puts(let(s, "within"), o->within);
	if (strcmp(o->agree, "none") == 0)
		buf_puts(let(s, "agree"), "none");
	else
		values_if(
		    &s->values, "agree", strcmp(o->agree, "each other") == 0);
	if (!overview_std(o, &std))
		return;
	put_ms(let(s, "std"), std);
	buf_printf(
	    let(s, "std_pct"), "%.1f", o->mean > 0 ? 100 * std / o->mean : 0);
}

static void
put_steps(struct screen *s)
{
	const struct overview *o = s->o;

	if (o->n_all > 0)
		let_steps(s);
	if (o->before > .02 * s->base)
		put_ms(let(s, "before"), o->before);
	if (o->behind > .02 * s->base)
		put_ms(let(s, "behind"), o->behind);
	if (o->edge_api != NULL) {
		buf_puts(let(s, "call"), o->edge_api);
		put_ms(let(s, "call_time"), o->edge_api_ns);
	}
	say(s, "steps   ", "steps");
	say(s, "        ", "mean");
	say(s, "        ", "bare");
	say(s, "100 %   ", "base");
	if (o->n_all == 0 && o->timed) {
		say(s, "        ", "before");
		say(s, "        ", "behind");
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
	int i;

	for (i = 0; i < 5; i++) {
		class = tally_best(&s->o->gap, &ns);
		if (class == NULL || ns < NOTHING)
			break;
		tally_take(&s->o->gap, &ns);
		buf_clear(&label);
		buf_printf(&label, "  %s", class);
		part(s, buf_str(&label), ns);
		rest -= ns;
	}
	if (rest >= NOTHING)
		part(s, "  (rest)", rest);
	buf_free(&label);
}

static void
put_gpu_time(struct screen *s)
{
	const struct overview *o = s->o;

	buf_puts(&out_buf, "\nGPU time\n");
	page_bar(s, "Tensor Core kernels", o->ns[OV_TC]);
	part(s, "communication only", o->ns[OV_COMM]);
	page_bar(s, "other kernels", o->ns[OV_KERN]);
	part(s, "graphs", o->ns[OV_GRAPH]);
	page_bar(s, "copies and sets", o->ns[OV_MEM]);
	page_bar(s, "idle", o->ns[OV_IDLE]);
	put_why_idle(s);
	if (o->n_all > 0 && o->between_idle >= .02 * s->base)
		part(s, "  of it between two steps", o->between_idle);
}

static void
put_phases(struct screen *s)
{
	const char *name;
	double ns;
	int i;

	page_line(s, "");
	page_line(s, "phases: GPU work launched in them");
	for (i = 0; i < 6; i++) {
		name = tally_take(&s->o->phase, &ns);
		if (name != NULL)
			part(s, is_unset(name) ? "(none)" : name, ns);
	}
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
	page_line(s, "top ops, each with its longest kernel");
	for (i = 0; i < 5 && (name = tally_take(&o->op, &ns)) != NULL; i++) {
		page_bar(s, name, ns);
		op = &o->ops[smap_find(&o->op.name, name, strlen(name))];
		buf_clear(&line);
		buf_puts(&line, "    ");
		page_fit(&line, op->kernel != NULL ? op->kernel : "",
		    s->how->width - 20);
		if (op->tc)
			buf_puts(&line, ", Tensor Cores");
		put_line(s, line.s, line.len);
	}
	buf_free(&line);
}

/* The op that a reason takes the most time of. */
static const char *
op_of_reason(const struct overview *o, const char *why)
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
		page_bar(s, buf_str(&text), ns);
		op = op_of_reason(s->o, why);
		values_if(&v, "conv", strncmp(op, "conv", 4) == 0);
		buf_clear(&tip);
		wording_put(&s->wording, "tips", why, &v, &tip);
		values_free(&v);
		buf_clear(&text);
		buf_printf(&text, "most: %s%s%s", op, tip.len > 0 ? "; " : "",
		    buf_str(&tip));
		fill(s, "    ", 4, &text);
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
	if (o->n_kern > 0 && o->n_judged == 0)
		dark = o->kern_ns;
	if (dark < NOTHING)
		dark = 0;
	if (o->eligible > 0 || dark == 0)
		page_bar(s, "could use Tensor Cores", o->eligible);
	put_reasons(s, &o->why);
	part(s, "could use them: unknown", dark);
	part(s, "uses them, slowly", o->slow);
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
		buf_puts(let(s, "why"), why);
		wording_put(&s->wording, "tips", why, &s->values, &tip);
		if (tip.len > 0)
			buf_put(let(s, "tip"), tip.s, tip.len);
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

/* The account, and what to do about all that is not known of much time; the
 * same advice is given once. */
static void
put_unknown(struct screen *s)
{
	const struct overview *o = s->o;
	struct { /* something that is not known of a part of the time */
		const char *label, *part;
		double ns, of;
		struct buf hint;
	} v[] = {
		{ "op", "op", o->no_op, o->work, { 0 } },
		{ "sizes", "sizes", o->no_shapes, o->kern_ns, { 0 } },
		{ "FLOPs", "FLOPs", o->no_flop, o->kern_ns, { 0 } },
		{ "Tensor Cores or not", "tc", o->no_verdict, o->kern_ns,
		    { 0 } },
	};
	struct buf text = { 0 };
	size_t i, k;

	let_why(s);
	for (i = 0; i < ARRAY_LEN(v); i++) {
		buf_printf(&text, "%s%s ", i > 0 ? ", " : "", v[i].label);
		put_ms(&text, v[i].ns);
		if (s->base > 0)
			buf_printf(&text, " %.1f %%", 100 * v[i].ns / s->base);
		else
			buf_puts(&text, " -");
		wording_put(
		    &s->wording, "hints", v[i].part, &s->values, &v[i].hint);
	}
	page_line(s, "");
	buf_put(let(s, "lacks"), text.s, text.len);
	buf_clear(&text);
	wording_put(&s->wording, "screen", "unknown", &s->values, &text);
	fill(s, "", 2, &text);
	for (i = 0; i < ARRAY_LEN(v); i++) {
		for (k = 0; strcmp(buf_str(&v[k].hint), buf_str(&v[i].hint));)
			k++;
		buf_clear(&text);
		buf_printf(&text, "%s: %s", v[i].label, buf_str(&v[i].hint));
		if (k == i && v[i].of > 0 && v[i].ns > .1 * v[i].of)
			fill(s, "  > ", 4, &text);
	}
	for (i = 0; i < ARRAY_LEN(v); i++)
		buf_free(&v[i].hint);
	buf_free(&text);
}

/* "[42.1 -> 24 ms if fixed] ": a step. */
static void
put_mended(struct buf *b, double step, double fixed)
{
	buf_printf(b, "[%.3g -> %.3g ms if fixed] ", step / 1e6, fixed / 1e6);
}

/* The finding's text, and the file where it is the most, of several. */
static void
put_finding(struct screen *s, int nth, const struct overview_finding *f)
{
	struct buf text = { 0 };
	char head[32];

	(void)snprintf(head, sizeof(head), "  %d ", nth);
	if (f->fixed > 0)
		put_mended(&text, f->step, f->fixed);
	else if (!is_unset(f->share))
		buf_printf(&text, f->step > 0 ? "[at most %s %%] " : "[%s %%] ",
		    f->share);
	if (s->o->n_src > 1 && !is_unset(f->src)) {
		buf_puts(&text, f->src);
		if (f->n_file > 1)
			buf_printf(&text, " (and %d more)", f->n_file - 1);
		buf_puts(&text, ": ");
	}
	buf_puts(&text, f->problem);
	fill(s, head, strlen(head), &text);
	buf_free(&text);
	if (!is_unset(f->evidence))
		fill_text(s, "    = ", f->evidence);
	fill_text(s, "    > ", f->advice);
}

/* Findings that would be shown as 0.0 % come last. Rules that were judged in no
 * file are unjudged. */
static void
put_findings(struct screen *s)
{
	const struct overview *o = s->o;
	int i, n = o->n_found, unjudged = 0;
	const char *id;
	size_t len;
	uint32_t k;

	while (n > 0 && (o->found[n - 1].little ||
			    strcmp(o->found[n - 1].share, "0.0") == 0))
		n--;
	for (k = 0; k < o->unjudged.n; k++) {
		id = smap_str(&o->unjudged, k, &len);
		unjudged += smap_find(&o->fired, id, len) == SMAP_NONE;
	}
	buf_i64(let(s, "findings"), n);
	values_if(&s->values, "first_3", n > 3);
	let_count(s, "little", o->n_found - n);
	let_count(s, "unjudged", unjudged);
	page_line(s, "");
	say(s, "", "findings");
	for (i = 0; i < n && i < 3; i++)
		put_finding(s, i + 1, &o->found[i]);
	say(s, "  ", "mended");
	say(s, "  ", "little");
	say(s, "  ", "unjudged");
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
		put_shell_word(b, s->how->key, "KEY");
	}
	if (!is_unset(o->first)) {
		buf_printf(b, " -i %s", o->first);
		if (strcmp(o->first, o->last) != 0)
			buf_printf(b, "-%s", o->last);
	} else if (!key && o->n_stable <= 1) {
		buf_puts(b, " -i 0");
		if (o->n_all > 1)
			buf_printf(b, "-%.0f", o->n_all - 1);
	}
}

static void
put_next(struct screen *s)
{
	const struct overview *o = s->o;
	const char *world = overview_fact(o, OV_WORLD);
	bool ranks =
	    o->ns[OV_COMM] > 0 && !is_unset(world) && strcmp(world, "1") != 0;
	struct proposal { /* a report, the part of the time that it is about */
		const char *report;
		double ns;
	} v[] = {
		/* by name */
		{ "copies", o->ns[OV_MEM] },
		{ "coverage", o->no_op },
		{ "gaps", o->timed ? o->ns[OV_IDLE] : 0 },
		{ "ranks", o->ns[OV_COMM] + (ranks ? .11 * s->base : 0) },
		{ "serve", is_unset(overview_fact(o, OV_SERVING))
				? 0
				: 2 * s->base },
		{ "tc", o->eligible + o->slow },
		{ "top", o->work },
	}, *p, *best;
	struct buf what = { 0 };
	int i;

	for (i = 0; i < 3 && s->base > 0; i++) {
		best = NULL; /* the longest, by name among equals */
		for (p = v; p < v + ARRAY_LEN(v); p++)
			if (p->ns > .1 * s->base &&
			    (best == NULL || p->ns > best->ns))
				best = p;
		if (best == NULL)
			break;
		buf_puts(&out_buf, i > 0 ? "      " : "\nnext: ");
		buf_printf(&out_buf, "dlp %s", best->report);
		if (strcmp(best->report, "serve") != 0) /* it has no -i */
			put_same_steps(&out_buf, s);
		buf_putc(&out_buf, ' ');
		if (strcmp(best->report, "ranks") == 0 && o->n_src <= 1)
			buf_puts(&out_buf, "FILE...");
		else
			put_profile(&out_buf, s);
		buf_putc(&out_buf, '\n');
		buf_clear(&what);
		put_blanks(&what, 7); /* and the one that joins parts */
		wording_put(
		    &s->wording, "next", best->report, &s->values, &what);
		put_line(s, what.s, what.len);
		best->ns = 0;
	}
	buf_free(&what);
}

void
overview_screen(struct overview *o, const struct overview_how *how)
{
	struct screen s = { .o = o, .how = how };
	struct buf file = { 0 };

	s.base = o->timed ? o->wall : o->work;
	wording_read(&s.wording, "overview.tab");
	let_session(&s);
	esc_put(&file, o->file, strlen(o->file));
	fill(&s, "", 0, &file);
	buf_free(&file);
	say(&s, "GPU     ", "gpu");
	say(&s, "tool    ", "tool");
	say(&s, "        ", "markers");
	if (o->any_work) {
		put_steps(&s);
		if (o->timed)
			put_gpu_time(&s);
		say(&s, "        ", "untimed");
		put_phases(&s);
		put_ops(&s);
		put_tensor_cores(&s);
		put_unknown(&s);
		put_findings(&s);
		put_next(&s);
	} else {
		say(&s, "        ", "no_work");
		put_findings(&s);
		buf_puts(&out_buf, "\nnext: dlp info ");
		put_profile(&out_buf, &s);
		buf_putc(&out_buf, '\n');
	}
	values_free(&s.values);
	wording_free(&s.wording);
}
