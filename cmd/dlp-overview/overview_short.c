/*
 * The profile in at most 30 lines: how long a step takes, what to do, where its
 * time goes. Times are those of a step and a GPU. overview.tab has the words.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "mview.h"
#include "out.h"
#include "overview_page.h"
#include "utf8.h"

#define MAX_LINES 30
#define FINDINGS 3  /* that are shown, */
#define ROOM 7      /* in at most so many lines */
#define MAX_CLASS 6 /* rows of a table */
#define MAX_PHASE 3
#define MAX_OP 5
#define MIN_OP 2
#define HEAD 2 /* lines before a table */
#define PHASES (MAX_PHASE + 1)
#define END 3        /* the last lines */
#define SHARE 0.0005 /* a smaller one would be 0.0 % */

struct row {
	char label[64];
	double ns;
};

struct rows {
	struct row row[MAX_CLASS + OV_CLASSES];
	int n;
};

/* Whether nearly all kernels are known to use Tensor Cores or not to. */
static bool
knows_tensor_cores(const struct overview *o)
{
	return o->no_verdict <= .1 * o->kern_ns;
}

void
page_row(const struct screen *s, const char *label, double ns)
{
	int width = s->how->width, room = s->room;
	double bar = width - room - 24 > 40 ? 40 : width - room - 24;
	struct buf line = { 0 };
	struct buf shown = { 0 };
	size_t at;

	utf8_show(&shown, label, strlen(label)); /* what is fitted */
	buf_puts(&line, "  ");
	page_fit(&line, buf_str(&shown), room);
	buf_free(&shown);
	for (at = line.len; at < (size_t)room + 2; at++)
		buf_putc(&line, ' ');
	buf_printf(&line, "%9.*f %6.1f",
	    s->base / s->parts >= 1e8   ? 1
	    : s->base / s->parts >= 1e7 ? 2
					: 3,
	    ns / s->parts / 1e6, s->base > 0 ? 100 * ns / s->base : 0);
	bar = s->base > 0 && ns <= 2 * s->base ? bar * ns / s->base + .5 : 0;
	if (bar >= 1)
		buf_puts(&line, "  ");
	for (; bar >= 1; bar--)
		buf_putc(&line, '#');
	page_put(s, line.s, line.len);
	buf_free(&line);
}

void
page_table(const struct screen *s, const char *title)
{
	struct buf line = { 0 };
	int room = s->room + 2;

	buf_printf(&line, "%-*.*s%9s %6s", room, room, title, "ms", "%");
	page_styled(s, PAGE_BOLD, line.s, line.len);
	buf_free(&line);
}

/* "conv2d bprop" is "conv2d backward" for people. */
void
page_dir(struct buf *b)
{
	static const char *const as[][2] = { { " bprop", " backward" },
		{ " fprop", " forward" } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(as); i++)
		if (mv_ends((struct mview){ b->s, b->len }, as[i][0])) {
			b->len -= strlen(as[i][0]);
			buf_puts(b, as[i][1]);
			return;
		}
}

void
page_let_which(struct screen *s)
{
	const struct overview *o = s->o;

	if (o->n_all > 0 && !o->differ && !page_unset(o->first)) {
		buf_puts(page_let(s, "step_first"), o->first);
		if (strcmp(o->first, o->last) != 0)
			buf_puts(page_let(s, "step_last"), o->last);
	}
	if (o->n_all > 0) {
		buf_printf(page_let(s, "n_used"), "%.0f", o->n_used);
		buf_printf(page_let(s, "n_steps"), "%.0f",
		    s->how->iters != NULL ? o->n_cut : o->n_all);
	}
	if (o->n_marked > 0)
		page_time(page_let(s, "marked"), o->marked / o->n_marked);
	values_if(&s->values, "gpu_unknown",
	    o->dev_name.n == 1 && page_unset(smap_str(&o->dev_name, 0, NULL)));
}

/* Which profile this is: a line, or two. */
static void
put_title(struct screen *s)
{
	const struct overview *o = s->o;
	const char *slash = strrchr(o->file, '/');
	const char *file =
	    slash != NULL && slash[1] != '\0' ? slash + 1 : o->file;
	size_t wide = (size_t)s->how->width, len = strlen(file);
	struct buf facts = { 0 }, line = { 0 };

	wording_put(&s->wording, "short", "facts", &s->values, &facts);
	page_fit(&line, file, (int)wide);
	if (len + 5 + facts.len <= wide) {
		buf_puts(&line, "     ");
		buf_put(&line, facts.s, facts.len);
		page_styled(s, PAGE_BOLD, line.s, line.len);
	} else {
		page_styled(s, PAGE_BOLD, line.s, line.len);
		page_put(s, facts.s, facts.len);
	}
	buf_free(&facts);
	buf_free(&line);
}

/* A step without what recording takes, if that is told; 0: it is not. */
static double
bare_step(const struct overview *o)
{
	double bare = atof(overview_fact(o, OV_STEP_BARE));

	return bare > 0 && bare < .97 * o->mean ? bare : 0;
}

/* What else there is to say of the steps, each in lines of its own. */
static void
let_notes(struct screen *s)
{
	static const char *const nth[] = { "second", "third" };
	const struct overview *o = s->o;
	double bare = bare_step(o);
	double all = o->all_n > 0 ? o->all_ns / o->all_n : 0, ns;
	char class[32];
	int every, n, of;

	if (bare > 0)
		page_time(page_let(s, "bare_step"), bare);
	if (sscanf(overview_fact(o, OV_PATTERN), "%d %d %d %lf %31s", &every,
		&n, &of, &ns, class) == 5) {
		page_time(page_let(s, "longer"), ns);
		buf_puts(page_let(s, "class"), class);
		buf_puts(page_let(s, "s"), every > 0 ? "s" : "");
		buf_printf(page_let(s, "long_steps"), "%d of %d", n, of);
		if (every > 3)
			buf_printf(page_let(s, "every"), "%dth", every);
		else if (every > 0)
			buf_puts(page_let(s, "every"), nth[every - 2]);
	}
	if (o->n_slow > 0 && o->mean > 0 && all > 1.03 * o->mean) {
		page_time(page_let(s, "all_steps"), all);
		page_let_count(s, "n_slow", o->n_slow);
		values_if(&s->values, "one_slow", o->n_slow < 2);
	}
}

/* Parts of a line, separated by semicolons, stand apart; those that it has no
 * room for make another one. */
static void
put_parts(struct screen *s, const struct buf *b)
{
	struct buf line = { 0 };
	const char *at = b->s, *end = b->s + b->len, *semi;
	size_t n;

	for (; at < end; at = semi + 2) {
		semi = memchr(at, ';', (size_t)(end - at));
		semi = semi != NULL ? semi : end;
		n = (size_t)(semi - at);
		if (line.len > 0 && line.len + 3 + n > (size_t)s->how->width) {
			page_styled(s, PAGE_BOLD, line.s, line.len);
			buf_clear(&line);
		}
		page_blanks(&line, line.len > 0 ? 3 : 2);
		buf_put(&line, at, n);
	}
	page_styled(s, PAGE_BOLD, line.s, line.len);
	buf_free(&line);
}

void
page_headline(struct screen *s)
{
	static const char *const notes[] = { "no_steps", "bare", "pattern",
		"slow" };
	const struct overview *o = s->o;
	const char *world = overview_fact(o, OV_WORLD);
	double std, bytes = atof(overview_fact(o, OV_MEMORY));
	struct buf b = { 0 };
	size_t i;

	page_time(
	    page_let(s, "step"), o->n_all > 0 ? o->mean : s->base / s->parts);
	if (o->n_all > 0 && o->mean <= 0)
		page_let(s, "no_length");
	if (o->n_all > 0 && overview_std(o, &std) && o->mean > 0 &&
	    std <= o->mean)
		buf_printf(page_let(s, "spread"), "%.1f", 100 * std / o->mean);
	if (o->timed && o->wall > 0)
		buf_printf(page_let(s, "busy"), "%.0f",
		    100 * (o->wall - o->ns[OV_IDLE]) / o->wall);
	if (o->timed && o->wall > 0 && o->kern_ns > 0 && knows_tensor_cores(o))
		buf_printf(page_let(s, "tensor"), "%.0f",
		    100 * o->ns[OV_TC] / o->wall);
	if (!isnan(o->mfu))
		buf_printf(page_let(s, "mfu"),
		    o->mfu < .01  ? "below %.2f"
		    : o->mfu < 10 ? "%.2g"
				  : "%.0f",
		    o->mfu < .01 ? .01 : o->mfu);
	if (bytes > 0)
		buf_printf(page_let(s, "memory"), "%.3g %s",
		    bytes / (bytes < 1e9 ? 1e6 : 1e9),
		    bytes < 1e9 ? "MB" : "GB");
	page_let_count(s, "gpus_used", o->n_gpu > 1 ? o->n_gpu : 0);
	if (!page_unset(world) && strcmp(world, "1") != 0)
		buf_puts(page_let(s, "ranks"), world);
	wording_put(&s->wording, "short", "headline", &s->values, &b);
	page_line(s, "");
	put_parts(s, &b);
	if (o->n_all > 0)
		let_notes(s);
	for (i = o->n_all > 0; i < ARRAY_LEN(notes); i++) {
		buf_clear(&b);
		wording_put(&s->wording, "short", notes[i], &s->values, &b);
		if (b.len > 0)
			page_fill_text(s, "  ", buf_str(&b));
	}
	buf_free(&b);
}

/* The text in at most so many lines: without the clauses that they have no room
 * for, but with the first; only if no other end of one is there it ends at a
 * comma. Returns the number of lines. */
static int
put_lines(const struct screen *s, const char *head, const char *text, int max)
{
	size_t pad = strlen(head), n = strlen(text), i, fits = n, end;
	struct buf b = { 0 };
	int depth = 0; /* of parentheses */

	for (i = 1; i + 1 < n && page_lines(s, pad, text, n) > max; i++) {
		end = text[i] == ' ' && text[i + 1] == '(' ? i : 0;
		if (strchr(".;,", text[i]) != NULL && text[i + 1] == ' ' &&
		    text[i - 1] != '.')
			end = i;
		if (depth == 0 && end > 0 &&
		    (fits == n || ((text[i] != ',' || text[fits] == ',') &&
				      page_lines(s, pad, text, end) <= max)))
			fits = end;
		depth += (text[i] == '(') - (text[i] == ')');
	}
	buf_put(&b, text, fits);
	page_fill(s, head, pad, &b);
	buf_free(&b);
	return page_lines(s, pad, text, fits);
}

/* The advice without what commands show more: dlp advise has that. */
static int
put_help(const struct screen *s, const struct overview_finding *f, int max)
{
	struct buf b = { 0 };
	const char *more = strstr(f->advice, "; dlp ");
	int lines;

	buf_put(&b, f->advice,
	    more != NULL ? (size_t)(more - f->advice) : strlen(f->advice));
	lines = put_lines(s, "   help: ", buf_str(&b), max);
	buf_free(&b);
	return lines;
}

/* The report that shows a finding, in brackets. */
static void
put_report(const struct overview_finding *f, struct buf *b)
{
	static const char *const view[][2] = { { "ops tc", "tc" },
		{ "ops dir=comm", "collectives" }, { "ops", "top" },
		{ "gaps", "gaps" }, { "copies", "copies" }, { "mem", "mem" },
		{ "iters", "iters" }, { "kernels", "kernels" },
		{ "devices", "devices" } };
	/* who is late, which the communication itself does not show */
	const char *is = strcmp(f->id, "rank_wait") == 0 ? "ranks" : NULL;
	size_t i;

	for (i = 0; is == NULL && i < ARRAY_LEN(view); i++)
		if (strncmp(f->where, view[i][0], strlen(view[i][0])) == 0)
			is = view[i][1];
	if (is != NULL)
		buf_printf(b, "  [dlp %s]", is);
}

/* The title of a finding, and what a step would take without it. */
static void
put_finding_title(struct screen *s, int nth, const struct overview_finding *f)
{
	struct values v = { .also = &s->values };
	struct buf title = { 0 }, gain = { 0 }, line = { 0 }, report = { 0 };
	size_t wide = (size_t)s->how->width;
	double bare = strcmp(f->id, "marker_cost") == 0 ? bare_step(s->o) : 0;

	wording_put(&s->wording, "titles", f->id, &v, &title);
	if (title.len == 0)
		buf_puts(&title, f->problem);
	else if (f->fixed <= 0 && bare <= 0 && !page_unset(f->share))
		buf_printf(&title, ": up to %s %% of the %s", f->share,
		    s->o->n_all > 0 ? "step" : "time");
	if (f->fixed > 0 && f->step > 0 && s->o->n_all > 0) {
		/* that of the headline, if only digits tell them apart */
		page_times(&gain,
		    fabs(f->step - s->o->mean) < .005 * s->o->mean ? s->o->mean
								   : f->step,
		    f->fixed);
		buf_puts(&gain, " if fixed");
	} else if (bare > 0 && s->o->n_all > 0) {
		page_times(&gain, s->o->mean, bare);
		buf_puts(&gain, " without it");
	} else if (f->fixed > 0 && f->step - f->fixed < s->base) {
		page_time(&gain, f->step - f->fixed);
		buf_puts(&gain, " less if fixed");
	}
	buf_printf(&line, "%d. ", nth);
	if (gain.len > 0 && wide > gain.len + 20)
		wide -= gain.len + 2;
	put_report(f, &report);
	if (line.len + title.len + report.len <= wide)
		buf_put(&title, report.s, report.len);
	page_fit(&line, buf_str(&title), (int)(wide - line.len));
	if (gain.len > 0) {
		page_blanks(&line, wide + 2 - line.len);
		buf_put(&line, gain.s, gain.len);
	}
	page_styled(s, PAGE_COLOR, line.s, line.len);
	buf_free(&title);
	buf_free(&gain);
	buf_free(&line);
	buf_free(&report);
}

/* A finding in at most so many lines behind its title. Returns their number. */
static int
put_finding(struct screen *s, int nth, const struct overview_finding *f,
    bool what, int max)
{
	struct buf line = { 0 };
	int lines = 0;

	put_finding_title(s, nth, f);
	if (s->o->n_src > 1 && !page_unset(f->src)) {
		buf_puts(&line, f->src);
		if (f->n_file > 1)
			buf_printf(&line, " and %d more", f->n_file - 1);
		buf_puts(&line, ": ");
	}
	buf_puts(&line, f->problem);
	if (what)
		lines = put_lines(s, "   ", buf_str(&line), 1);
	buf_free(&line);
	return lines + put_help(s, f, max);
}

/* Findings of less than 1 % of the time are left to dlp advise. Returns how
 * many are left out. */
static int
put_findings(struct screen *s, int room)
{
	const struct overview *o = s->o;
	int i, n = 0, shown, max;
	struct buf all = { 0 };

	/* dlp-advise has them after the others */
	while (n < o->n_found && !o->found[n].little &&
	       (page_unset(o->found[n].share) || o->found[n].pct >= 1))
		n++;
	shown = n < FINDINGS ? n : FINDINGS;
	if (shown > 0 || o->any_work)
		page_line(s, "");
	if (shown == 0 && o->any_work)
		page_line(
		    s, "No finding gains enough to be shown: dlp advise -a.");
	for (i = 0; i < shown && (i == 0 || room > 1); i++) {
		max = room - 1 - 2 * (shown - 1 - i);
		room -= 1 + put_finding(s, i + 1, &o->found[i], shown == 1,
				max < 1   ? 1
				: max > 3 ? 3
					  : max);
	}
	if (i > 1 && o->n_all > 0 && o->n_src < 2 && o->found[1].fixed > 0) {
		wording_put(&s->wording, "short", "fixed", &s->values, &all);
		page_line(s, buf_str(&all));
		buf_free(&all);
	}
	return o->n_found - i;
}

static void
add_row(struct rows *t, const char *label, double ns)
{
	struct row *r = &t->row[t->n++];
	struct buf b = { 0 };

	page_fit(&b, label, (int)sizeof(r->label) - 1);
	(void)snprintf(r->label, sizeof(r->label), "%s", buf_str(&b));
	buf_free(&b);
	r->ns = ns;
}

static void
add_idle(struct screen *s, struct rows *t)
{
	double rest = s->o->ns[OV_IDLE], ns;
	struct values v = { .also = &s->values };
	struct buf label = { 0 };
	const char *class;
	int i;

	for (i = 0; i < 3; i++) {
		class = tally_best(&s->o->gap, &ns);
		if (class == NULL || ns < SHARE * s->base)
			break;
		tally_take(&s->o->gap, &ns);
		buf_clear(&label);
		wording_put(&s->wording, "idle", class, &v, &label);
		if (label.len == 0)
			buf_printf(&label, "idle, %s", class);
		add_row(t, buf_str(&label), ns);
		rest -= ns;
	}
	if (rest >= SHARE * s->base)
		add_row(t, i > 0 ? "idle, other reasons" : "idle", rest);
	buf_free(&label);
}

/* The rows, the longest first; those that the table has no room for are one.
 */
static void
put_rows(const struct screen *s, struct rows *t, int max)
{
	double other = 0;
	struct row r;
	int i, k, n = 0;

	for (i = 1; i < t->n; i++)
		for (k = i; k > 0 && t->row[k].ns > t->row[k - 1].ns; k--) {
			r = t->row[k];
			t->row[k] = t->row[k - 1];
			t->row[k - 1] = r;
		}
	for (i = 0; i < t->n; i++) {
		if (t->row[i].ns < SHARE * s->base)
			continue;
		if (n == max - 1 && i + 1 < t->n &&
		    t->row[i + 1].ns >= SHARE * s->base) {
			for (; i < t->n; i++)
				other += t->row[i].ns;
			page_row(s, "(other)", other);
			return;
		}
		page_row(s, t->row[i].label, t->row[i].ns);
		n++;
	}
}

const char *
page_class(const struct screen *s, enum overview_class c)
{
	static const char *const words[] = {
		[OV_TC] = "Tensor Core kernels",
		[OV_KERN] = "kernels without Tensor Cores",
		[OV_GRAPH] = "CUDA graphs",
		[OV_COMM] = "communication, not hidden",
		[OV_MEM] = "copies and memsets",
		[OV_IDLE] = "idle",
	};

	return c == OV_KERN && !knows_tensor_cores(s->o) ? "other kernels"
							 : words[c];
}

void
page_classes(struct screen *s)
{
	page_line(s, "");
	/* predictions start from less, which the page has said */
	page_table(s, s->o->n_all == 0      ? "GPU time"
		      : s->o->n_gpu > 1     ? "Time per step and GPU"
		      : bare_step(s->o) > 0 ? "Time per recorded step"
					    : "Time per step");
}

/* Where the time goes, by what the GPU did. */
static void
put_classes(struct screen *s, int max)
{
	struct rows t = { 0 };
	int c;

	page_classes(s);
	if (!s->o->timed)
		return;
	for (c = 0; c < OV_IDLE; c++)
		add_row(&t, page_class(s, c), s->o->ns[c]);
	add_idle(s, &t);
	put_rows(s, &t, max);
}

static void
put_phases(struct screen *s)
{
	double ns;
	const char *name = tally_best(&s->o->phase, &ns);
	int n;

	if (name == NULL ||
	    (page_unset(name) && (s->o->phase.name.n < 2 || 2 * ns > s->base)))
		return; /* it would say that most of the time is in none */
	for (n = 0; n < MAX_PHASE; n++) {
		name = tally_take(&s->o->phase, &ns);
		if (name == NULL || ns < SHARE * s->base)
			break;
		if (n == 0 && s->o->timed)
			page_line(s, "");
		if (n == 0 && s->at_once)
			page_table(s, "GPU work, some at once");
		page_row(s, page_unset(name) ? "(no phase)" : name, ns);
	}
}

static void
put_ops(struct screen *s, int max)
{
	struct buf label = { 0 };
	const char *name;
	double ns;
	int i;

	page_line(s, "");
	page_table(s, s->at_once ? "Top ops, some at once" : "Top ops");
	for (i = 0; i < max; i++) {
		name = tally_take(&s->o->op, &ns);
		if (name == NULL || (i > 0 && ns < SHARE * s->base))
			break;
		buf_clear(&label);
		buf_puts(&label, name);
		page_dir(&label);
		page_row(s, buf_str(&label), ns);
	}
	buf_free(&label);
}

/* What is not known of some of the work, in one line. */
static void
put_unknown(struct screen *s)
{
	struct page_unknown v[PAGE_UNKNOWN];
	struct buf b = { 0 };
	double pct;
	int i;

	page_unknown(s, v);
	for (i = 0; i < PAGE_UNKNOWN; i++) {
		pct = v[i].of > 0 ? 100 * v[i].ns / v[i].of : 0;
		if (pct >= 100 * SHARE)
			buf_printf(&b, "%s %s %.*f %%",
			    b.len > 0 ? "," : "Unknown:",
			    strcmp(v[i].part, "tc") == 0 ? "Tensor Cores"
							 : v[i].label,
			    pct < 10 ? 1 : 0, pct);
		buf_free(&v[i].hint);
	}
	if (b.len > 0) {
		buf_puts(&b, " of GPU work");
		page_fill(s, "", 0, &b);
	}
	buf_free(&b);
}

/* Where to go on, in one line: as many reports as fit. */
static void
put_more(struct screen *s, int left_out)
{
	const char *next[PAGE_NEXT];
	struct buf b = { 0 }, line = { 0 };
	int i, n;

	page_let_count(s, "checks", page_unjudged(s->o));
	page_let_count(s, "left_out", left_out);
	page_next(s, next);
	for (n = PAGE_NEXT; n >= 0; n--) {
		struct values v = { .also = &s->values };

		buf_clear(&b);
		buf_clear(&line);
		for (i = 0; i < n && next[i] != NULL; i++)
			buf_printf(&b, "%s%s", i > 0 ? ", " : "dlp ", next[i]);
		if (b.len > 0)
			buf_put(values_let(&v, "reports"), b.s, b.len);
		wording_put(&s->wording, "short", "more", &v, &line);
		values_free(&v);
		if (line.len <= (size_t)s->how->width)
			break;
	}
	page_line(s, buf_str(&line));
	buf_free(&b);
	buf_free(&line);
}

/* How many lines are left of the page that begins at out_buf.s[from]. */
static int
left_of(size_t from)
{
	int n = MAX_LINES;

	for (; from < out_buf.len; from++)
		n -= out_buf.s[from] == '\n';
	return n;
}

static int
between(int least, int n, int most)
{
	return n < least ? least : n > most ? most : n;
}

void
page_short(struct screen *s)
{
	const struct overview *o = s->o;
	size_t from = out_buf.len;
	struct buf b = { 0 };
	int left_out, phases;

	put_title(s);
	if (!o->any_work) {
		page_line(s, "");
		page_say(s, "", "no_work");
		put_findings(s, FINDINGS);
		page_line(s, "");
		buf_puts(&b, "More: dlp info ");
		page_profile(&b, s);
		page_line(s, buf_str(&b));
		buf_free(&b);
		return;
	}
	page_headline(s);
	phases = PHASES + (o->work > s->base);
	left_out = put_findings(s,
	    between(3, left_of(from) - HEAD - 4 - phases - HEAD - MIN_OP - END,
		ROOM));
	put_classes(
	    s, between(3, left_of(from) - HEAD - phases - HEAD - MIN_OP - END,
		   MAX_CLASS));
	page_base(s);
	put_phases(s);
	put_ops(s, between(1, left_of(from) - HEAD - END, MAX_OP));
	page_line(s, "");
	put_unknown(s);
	put_more(s, left_out);
}
