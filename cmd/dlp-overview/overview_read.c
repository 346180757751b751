/*
 * What the records say. Steps, devices and iterations are numbered in each
 * file, so a stream of several files has them by file (column src).
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "overview.h"

#define SEP "\034" /* between two names that make one: no text has it */

struct overview_cols {
	struct {
		struct rec_col *name, *cc;
	} dev;
	struct {
		struct rec_col *src, *n, *n_even, *mean, *std, *from, *to,
		    *within, *agree, *once;
	} stable;
	struct {
		struct rec_col *iter, *dropped;
	} cut;
	struct {
		struct rec_col *src, *dev, *iter, *after, *class, *dur;
	} busy;
	struct {
		struct rec_col *class, *sum;
	} gapped;
	struct {
		struct rec_col *at, *dur, *api, *api_dur;
	} edge;
	struct {
		struct rec_col *n, *key;
	} cand;
	struct {
		struct rec_col *src, *iter, *phase, *sum;
	} phase;
	struct {
		struct rec_col *tag, *op, *dir, *layer, *kernel, *tc, *eligible,
		    *tc_why, *lacks, *why, *n, *sum;
	} work;
	struct {
		struct rec_col *src, *id, *judged, *part_of, *share, *problem,
		    *evidence, *advice;
	} finding;
	struct {
		struct rec_col *name, *used;
	} in_use;
	struct buf tmp, name;
};

/* A number, 0 if it is unset. */
static double
number(const struct rec *r, const struct rec_col *c)
{
	double v = 0;

	rec_f64(r, c, &v);
	return v;
}

/* The text as it stands, "-" if it is unset; valid until the next. */
static const char *
word(struct overview_cols *col, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	buf_clear(&col->tmp);
	buf_put(&col->tmp, s != NULL ? s : "-", s != NULL ? n : 1);
	return buf_str(&col->tmp);
}

/* A copy of it; the one before is freed. */
static void
keep_word(
    char **to, struct overview *o, const struct rec *r, const struct rec_col *c)
{
	free(*to);
	*to = xstrdup(word(o->col, r, c));
}

/* The escaped text as a line for people: what breaks lines is a blank, and of
 * the other escapes only those of a backslash and "-" are undone. */
static void
replace_text(char **to, const struct rec *r, const struct rec_col *c)
{
	struct buf b = { 0 };
	size_t i, n;
	const char *s = rec_raw(r, c, &n);

	if (s == NULL)
		buf_puts(&b, "-");
	for (i = 0; s != NULL && i < n; i++) {
		if (s[i] != '\\' || i + 1 == n) {
			buf_putc(&b, s[i]);
		} else if (s[i + 1] == '\\') {
			buf_putc(&b, s[++i]);
		} else if (memchr("tnr", s[i + 1], 3) != NULL) {
			buf_putc(&b, ' ');
			i++;
		} else if (n - i >= 4 && memcmp(s + i, "\\x2d", 4) == 0) {
			buf_putc(&b, '-');
			i += 3;
		} else {
			buf_putc(&b, s[i]);
		}
	}
	free(*to);
	*to = xstrdup(buf_str(&b));
	buf_free(&b);
}

/* A text of the record that is part of a name. */
static void
add_word(struct buf *b, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);

	buf_put(b, s != NULL ? s : "-", s != NULL ? n : 1);
}

/* The steps of the record's file; NULL if nothing is known of them. */
static struct overview_steps *
steps_of(const struct overview *o, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);
	uint32_t i = smap_find(&o->src, s != NULL ? s : "-", s != NULL ? n : 1);

	return i != SMAP_NONE && o->steps[i].known ? &o->steps[i] : NULL;
}

/* Whether the iteration is one of the steps that count. */
static bool
counts(const struct overview_steps *s, const struct rec *r,
    const struct rec_col *iter)
{
	double i;

	if (s == NULL)
		return true;
	return rec_f64(r, iter, &i) && (s->all || (i >= s->from && i <= s->to));
}

static void
on_dev(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const char *name = word(o->col, r, o->col->dev.name);
	uint32_t i = smap_put(&o->dev_name, name, strlen(name), NULL);
	double cc;

	o->dev_name.val[i]++;
	name = word(o->col, r, o->col->dev.cc);
	if (num_f64(name, strlen(name), &cc) && cc > 0 && cc < 8)
		o->no_tf32 = true;
}

static struct overview_steps *
steps_put(struct overview *o, const struct rec *r, const struct rec_col *c)
{
	size_t n;
	const char *s = rec_raw(r, c, &n);
	bool is_new;
	uint32_t i =
	    smap_put(&o->src, s != NULL ? s : "-", s != NULL ? n : 1, &is_new);

	ARRAY_GROW(o->steps, i, o->steps_cap);
	if (is_new)
		o->steps[i] = (struct overview_steps){ 0 };
	return &o->steps[i];
}

/* Adds the steps of a file to those of the files before: their mean, and the
 * sum of the squares of what they differ from it. */
static void
add_steps(struct overview *o, const struct rec *r)
{
	const struct overview_cols *col = o->col;
	double n = number(r, col->stable.n_even), d, std;

	if (n <= 0)
		n = number(r, col->stable.n);
	o->n_all += number(r, col->stable.n);
	d = number(r, col->stable.mean) - o->mean;
	if (!rec_f64(r, col->stable.std, &std)) {
		if (n > 1)
			o->no_std = true;
	} else if (n > 1) {
		o->sq += (n - 1) * std * std;
	}
	if (o->n_used > 0)
		o->sq += d * d * n * o->n_used / (n + o->n_used);
	o->mean += d * n / (n + o->n_used);
	o->n_used += n;
}

static void
on_stable(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	struct overview_cols *col = o->col;
	struct overview_steps *s = steps_put(o, r, col->stable.src);
	const char *w;

	add_steps(o, r);
	s->known = true;
	s->all = !rec_f64(r, col->stable.from, &s->from);
	s->to = number(r, col->stable.to);
	if (o->n_stable++ > 0) {
		w = word(col, r, col->stable.from);
		o->differ |= strcmp(w, o->first) != 0;
		w = word(col, r, col->stable.to);
		o->differ |= strcmp(w, o->last) != 0;
	}
	keep_word(&o->first, o, r, col->stable.from);
	keep_word(&o->last, o, r, col->stable.to);
	keep_word(&o->within, o, r, col->stable.within);
	keep_word(&o->agree, o, r, col->stable.agree);
	o->n_once += number(r, col->stable.once);
}

static void
on_cut(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	double v;

	if (rec_f64(r, o->col->cut.iter, &v) ||
	    rec_raw(r, o->col->cut.dropped, &(size_t){ 0 }) != NULL)
		o->n_cut++;
}

static enum overview_class
class_of(const char *class)
{
	static const char *const working[] = { "tc", "kern", "graph", "comm",
		"mem" };
	int i;

	for (i = 0; i < OV_IDLE; i++)
		if (strcmp(class, working[i]) == 0)
			return (enum overview_class)i;
	return strcmp(class, "dataload") == 0 ? OV_DATALOAD : OV_IDLE;
}

static struct overview_device *
device_of(struct overview *o, const struct rec *r)
{
	struct overview_cols *col = o->col;
	bool is_new;
	uint32_t i;

	buf_clear(&col->name);
	add_word(&col->name, r, col->busy.src);
	buf_puts(&col->name, SEP);
	add_word(&col->name, r, col->busy.dev);
	i = smap_put(&o->dev_key, col->name.s, col->name.len, &is_new);
	ARRAY_GROW(o->dev, i, o->dev_cap);
	if (is_new)
		o->dev[i] = (struct overview_device){ 0 };
	return &o->dev[i];
}

static void
on_busy(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const struct overview_cols *col = o->col;
	struct overview_device *d = device_of(o, r);
	struct overview_steps *steps = steps_of(o, r, col->busy.src);
	enum overview_class c = class_of(word(o->col, r, col->busy.class));
	double ns = number(r, col->busy.dur), v;
	bool between = false;

	if (c < OV_IDLE && ns > 0)
		d->used = o->any_work = true;
	if (!counts(steps, r, col->busy.iter)) {
		between = !rec_f64(r, col->busy.iter, &v) &&
			  counts(steps, r, col->busy.after);
		if (!between)
			return;
	}
	d->ns[c] += ns;
	if (c == OV_DATALOAD)
		d->ns[OV_IDLE] += ns;
	if (between)
		d->between += ns;
	if (between && c >= OV_IDLE)
		d->between_idle += ns;
}

static void
on_gapped(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const char *class = word(o->col, r, o->col->gapped.class);

	*tally_at(&o->gap, class, strlen(class)) +=
	    number(r, o->col->gapped.sum);
}

static void
on_edge(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const struct overview_cols *col = o->col;
	double ns = number(r, col->edge.dur),
	       api = number(r, col->edge.api_dur);

	if (rec_is(r, col->edge.at, "before"))
		o->before += ns;
	else if (rec_is(r, col->edge.at, "behind"))
		o->behind += ns;
	if (rec_raw(r, col->edge.api, &(size_t){ 0 }) == NULL ||
	    api <= o->edge_api_ns)
		return;
	replace_text(&o->edge_api, r, col->edge.api);
	o->edge_api_ns = api;
}

static void
on_cand(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;

	if (o->try_key == NULL && number(r, o->col->cand.n) >= 3)
		replace_text(&o->try_key, r, o->col->cand.key);
}

static void
on_phase(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const struct overview_cols *col = o->col;
	const char *phase;

	if (!counts(steps_of(o, r, col->phase.src), r, col->phase.iter))
		return;
	phase = word(o->col, r, col->phase.phase);
	*tally_at(&o->phase, phase, strlen(phase)) += number(r, col->phase.sum);
}

/* Whether a list of words, joined by commas, has the word. */
static bool
has_word(const struct rec *r, const struct rec_col *c, const char *want)
{
	size_t n, k, len = strlen(want);
	const char *s = rec_raw(r, c, &n), *comma;

	for (; s != NULL; s = comma != NULL ? comma + 1 : NULL) {
		comma = memchr(s, ',', n);
		k = comma != NULL ? (size_t)(comma - s) : n;
		if (k == len && memcmp(s, want, len) == 0)
			return true;
		n -= comma != NULL ? k + 1 : n;
	}
	return false;
}

/* A graph as a whole: nothing is known of its kernels. */
static void
add_graph(struct overview *o, double ns)
{
	o->tc_dark += ns;
	o->kern_ns += ns;
	o->graph_ns += ns;
	o->no_shapes += ns;
	o->no_flop += ns;
	o->no_verdict += ns;
}

/* A reason why Tensor Cores are not used, or slow, and the op it is of. */
static void
add_reason(struct overview *o, const struct rec *r, struct tally *to,
    const char *op, double ns)
{
	struct buf *name = &o->col->name;
	const char *why = word(o->col, r, o->col->work.tc_why);
	size_t n;

	*tally_at(to, why, strlen(why)) += ns;
	buf_clear(name);
	buf_puts(name, why);
	buf_puts(name, SEP);
	/* a range around a kernel without an op can be a whole step */
	if (rec_raw(r, o->col->work.op, &n) != NULL)
		buf_puts(name, op);
	else
		add_word(name, r, o->col->work.kernel);
	*tally_at(&o->why_op, name->s, name->len) += ns;
}

static void
add_kernels(struct overview *o, const struct rec *r, const char *op, double ns)
{
	const struct overview_cols *col = o->col;
	bool tc = rec_is(r, col->work.tc, "yes");
	bool dark = rec_is(r, col->work.tc, "unknown");
	bool maybe = rec_is(r, col->work.eligible, "unknown");
	bool why = rec_raw(r, col->work.tc_why, &(size_t){ 0 }) != NULL;

	o->n_kern += number(r, col->work.n);
	o->kern_ns += ns;
	if (rec_is(r, col->work.dir, "comm"))
		o->comm_work += ns;
	if (has_word(r, col->work.lacks, "shapes")) {
		o->no_shapes += ns;
		if (rec_raw(r, col->work.op, &(size_t){ 0 }) == NULL)
			o->opless += ns;
	}
	if (has_word(r, col->work.lacks, "flop"))
		o->no_flop += ns;
	if (has_word(r, col->work.lacks, "capture"))
		o->no_capture += ns;
	if (dark)
		o->no_verdict += ns;
	if (!maybe)
		o->n_judged++;
	if (!tc && why && rec_is(r, col->work.eligible, "yes")) {
		o->eligible += ns;
		add_reason(o, r, &o->why, op, ns);
	} else if (tc && why) {
		o->slow += ns;
		add_reason(o, r, &o->slow_why, op, ns);
	} else if (maybe && (why || dark)) {
		o->tc_dark += ns;
	}
}

/* The op's name; of work without an op that of the ranges around it. */
static void
op_name(struct buf *b, const struct rec *r, const struct overview_cols *col)
{
	size_t n;

	buf_clear(b);
	if (rec_raw(r, col->work.op, &n) != NULL) {
		add_word(b, r, col->work.op);
		if (rec_raw(r, col->work.dir, &n) != NULL) {
			buf_putc(b, ' ');
			add_word(b, r, col->work.dir);
		}
		return;
	}
	if (rec_raw(r, col->work.layer, &n) != NULL) {
		add_word(b, r, col->work.layer);
		buf_putc(b, ' ');
	}
	buf_puts(b, "(no op)");
}

/* Adds the op's time by kernel, and sees to the longest of them. */
static void
add_op(struct overview *o, const struct rec *r, const char *name, double ns)
{
	const struct overview_cols *col = o->col;
	bool is_kern = rec_is(r, col->work.tag, "kern");
	struct buf *both = &o->col->name;
	uint32_t i;
	double sum;

	*tally_at(&o->op, name, strlen(name)) += ns;
	i = smap_find(&o->op.name, name, strlen(name));
	if (i >= o->ops_cap) {
		o->ops = xrealloc(o->ops, o->op.cap, sizeof(*o->ops));
		memset(o->ops + o->ops_cap, 0,
		    (o->op.cap - o->ops_cap) * sizeof(*o->ops));
		o->ops_cap = o->op.cap;
	}
	buf_clear(both);
	buf_puts(both, name);
	buf_puts(both, SEP);
	add_word(both, r, is_kern ? col->work.kernel : col->work.tag);
	sum = *tally_at(&o->kern, both->s, both->len) += ns;
	if (sum <= o->ops[i].longest)
		return;
	o->ops[i].longest = sum;
	keep_word(&o->ops[i].kernel, o, r,
	    is_kern ? col->work.kernel : col->work.tag);
	o->ops[i].tc = is_kern && rec_is(r, col->work.tc, "yes");
}

static void
on_work(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	const struct overview_cols *col = o->col;
	double ns = number(r, col->work.sum);
	struct buf name = { 0 };
	const char *why;
	size_t n;

	o->work += ns;
	if (rec_raw(r, col->work.op, &n) == NULL) {
		o->no_op += ns;
		why = word(o->col, r, col->work.why);
		*tally_at(&o->no_op_why, why, strlen(why)) += ns;
	}
	op_name(&name, r, col);
	add_op(o, r, buf_str(&name), ns);
	if (rec_is(r, col->work.tag, "kern"))
		add_kernels(o, r, buf_str(&name), ns);
	else if (rec_is(r, col->work.tag, "graph"))
		add_graph(o, ns);
	buf_free(&name);
}

/* dlp-advise has findings of less than that share, in percent, after those
 * without one. */
#define LITTLE 1

/* The finding's place, after those with a greater share; it is made anew, or
 * moved where the share of this file is greater than that of the others. */
static struct overview_finding *
place_finding(struct overview *o, const char *id, double pct)
{
	struct overview_finding f = { 0 };
	int i = 0;

	while (i < o->n_found && strcmp(o->found[i].id, id) != 0)
		i++;
	if (i == o->n_found) {
		ARRAY_GROW(o->found, o->n_found, o->found_cap);
		o->found[o->n_found++] = f;
		o->found[i].id = xstrdup(id);
	} else if (pct <= o->found[i].pct) {
		o->found[i].n_file++;
		return NULL;
	}
	f = o->found[i];
	for (; i > 0 && pct > o->found[i - 1].pct; i--)
		o->found[i] = o->found[i - 1];
	f.n_file++;
	f.pct = pct;
	o->found[i] = f;
	return &o->found[i];
}

static void
on_in_use(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;

	if (!rec_is(r, o->col->in_use.used, "yes"))
		return;
	o->tf32 |= rec_is(r, o->col->in_use.name, "tf32");
	o->replays |= rec_is(r, o->col->in_use.name, "graphs");
}

static void
on_finding(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	struct overview_cols *col = o->col;
	const char *id = word(col, r, col->finding.id);
	struct overview_finding *f;
	double pct = -1;
	size_t n;

	if (rec_is(r, col->finding.judged, "not judged"))
		smap_put(&o->unjudged, id, strlen(id), NULL);
	if (!rec_is(r, col->finding.judged, "yes"))
		return;
	smap_put(&o->fired, id, strlen(id), NULL);
	if (rec_raw(r, col->finding.part_of, &n) != NULL)
		return;
	if (rec_f64(r, col->finding.share, &pct) && pct < LITTLE)
		pct -= LITTLE + 1;
	f = place_finding(o, id, pct);
	if (f == NULL)
		return;
	keep_word(&f->share, o, r, col->finding.share);
	replace_text(&f->src, r, col->finding.src);
	replace_text(&f->problem, r, col->finding.problem);
	replace_text(&f->evidence, r, col->finding.evidence);
	replace_text(&f->advice, r, col->finding.advice);
}

static bool
is(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && memcmp(s, name, n) == 0;
}

static void
on_info(struct overview *o, const char *s, size_t n)
{
	static const char *const name[] = { "dialect", "recorder",
		"dlprof_version", "schema", "driver", "cuda", "times", "hip",
		"framework", "product", "marker_ns", "vendor", "activities",
		"profiler_options", "serving", "world_size" };
	const char *tab = memchr(s, '\t', n), *end;
	size_t len, i;
	double arch;

	if (tab == NULL)
		return;
	end = memchr(tab + 1, '\t', n - (size_t)(tab + 1 - s));
	len = (end != NULL ? (size_t)(end - s) : n) - (size_t)(tab + 1 - s);
	n = (size_t)(tab - s);
	for (i = 0; i < ARRAY_LEN(name); i++)
		if (is(s, n, name[i])) {
			free(o->info[i]);
			o->info[i] = xmemdup(tab + 1, len);
		}
	if (is(s, n, "src"))
		o->n_src++;
	o->amd |=
	    is(s, n, "hip") || (is(s, n, "vendor") && is(tab + 1, len, "amd"));
	if (is(s, n, "kernel_arch") && num_f64(tab + 1, len, &arch) &&
	    arch < 80)
		o->no_tf32 = true;
}

/* The first command names the profile: "dlp-parse VERSION [--] FILE". */
static void
on_cmd(struct overview *o, const char *s, size_t n)
{
	const char *end = s + n;
	int i;

	if (o->cmd_file != NULL)
		return;
	for (i = 0; i < 2 && s != NULL; i++) {
		s = memchr(s, ' ', (size_t)(end - s));
		s = s != NULL ? s + 1 : NULL;
	}
	if (s != NULL && end - s > 3 && memcmp(s, "-- ", 3) == 0)
		s += 3;
	o->cmd_file = s != NULL ? xmemdup(s, (size_t)(end - s)) : xstrdup("");
}

static void
on_meta(struct stage *st, struct rec *r)
{
	size_t wlen, n;
	const char *rest, *word = rec_meta(r, &wlen, &rest, &n);

	if (is(word, wlen, "info"))
		on_info(st->ctx, rest, n);
	else if (is(word, wlen, "cmd"))
		on_cmd(st->ctx, rest, n);
}

static void
on_end(struct stage *st)
{
	struct overview *o = st->ctx;

	o->ended |= st->complete;
}

static void
read_steps(struct overview_cols *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "stable", on_stable, NULL, NULL);

	REC_COLS(t, REC_NEED, { &c->stable.n, "n" },
	    { &c->stable.n_even, "n_even" }, { &c->stable.mean, "mean_ns" },
	    { &c->stable.std, "std_ns" }, { &c->stable.from, "from" },
	    { &c->stable.to, "to" }, { &c->stable.within, "within_pct" });
	REC_COLS(t, REC_OPT, { &c->stable.agree, "agree" },
	    { &c->stable.once, "n_once" }, { &c->stable.src, "src" });
	t = stage_on(st, "cut", on_cut, NULL, NULL);
	c->cut.iter = rec_col(t, "iter", REC_NEED);
	c->cut.dropped = rec_col(t, "dropped", REC_OPT);
	t = stage_on(st, "cand", on_cand, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->cand.n, "n" }, { &c->cand.key, "key" });
	t = stage_on(st, "phase", on_phase, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->phase.iter, "iter" },
	    { &c->phase.phase, "phase" }, { &c->phase.sum, "gpu_sum_ns" });
	c->phase.src = rec_col(t, "src", REC_OPT);
}

static void
read_devices(struct overview_cols *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "dev", on_dev, NULL, NULL);

	REC_COLS(t, REC_OPT, { &c->dev.name, "name" }, { &c->dev.cc, "cc" });
	t = stage_on(st, "busy", on_busy, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->busy.dev, "dev" },
	    { &c->busy.iter, "iter" }, { &c->busy.class, "class" },
	    { &c->busy.dur, "dur_ns" });
	REC_COLS(
	    t, REC_OPT, { &c->busy.src, "src" }, { &c->busy.after, "after" });
	t = stage_on(st, "gapped", on_gapped, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->gapped.class, "class" },
	    { &c->gapped.sum, "sum_dur_ns" });
	t = stage_on(st, "edge", on_edge, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->edge.at, "at" }, { &c->edge.dur, "dur_ns" },
	    { &c->edge.api, "api" }, { &c->edge.api_dur, "api_dur_ns" });
}

static void
read_work(struct overview_cols *c, struct stage *st)
{
	struct rec_type *t = stage_on(st, "work", on_work, NULL, NULL);

	REC_COLS(t, REC_NEED, { &c->work.tag, "tag" }, { &c->work.op, "op" },
	    { &c->work.dir, "dir" }, { &c->work.layer, "layer" },
	    { &c->work.kernel, "short" }, { &c->work.tc, "tc" },
	    { &c->work.eligible, "tc_eligible" }, { &c->work.tc_why, "tc_why" },
	    { &c->work.lacks, "lacks" }, { &c->work.why, "why" },
	    { &c->work.n, "n" }, { &c->work.sum, "sum_dur_ns" });
	t = stage_on(st, "finding", on_finding, NULL, NULL);
	/* those that DLProf found have fewer columns */
	REC_COLS(t, REC_NEED, { &c->finding.id, "id" },
	    { &c->finding.judged, "judged" },
	    { &c->finding.problem, "problem" },
	    { &c->finding.advice, "recommendation" });
	REC_COLS(t, REC_OPT, { &c->finding.src, "src" },
	    { &c->finding.part_of, "part_of" },
	    { &c->finding.share, "share_pct" },
	    { &c->finding.evidence, "evidence" });
	t = stage_on(st, "in_use", on_in_use, NULL, NULL);
	REC_COLS(t, REC_NEED, { &c->in_use.name, "name" },
	    { &c->in_use.used, "used" });
}

void
overview_read(struct overview *o, struct stage *st)
{
	o->col = xcalloc(1, sizeof(*o->col));
	st->ctx = o;
	st->meta = on_meta;
	st->end = on_end;
	read_steps(o->col, st);
	read_devices(o->col, st);
	read_work(o->col, st);
}

void
overview_total(struct overview *o)
{
	const struct overview_device *d;
	size_t i;
	int c;

	for (i = 0; i < o->dev_key.n; i++) {
		d = &o->dev[i];
		if (!d->used)
			continue;
		o->n_gpu++;
		for (c = 0; c < OV_CLASSES; c++)
			o->ns[c] += d->ns[c];
		o->between += d->between;
		o->between_idle += d->between_idle;
	}
	for (c = 0; c <= OV_IDLE; c++)
		o->wall += o->ns[c];
	o->timed = o->n_gpu > 0 && o->info[OV_TIMES] == NULL;
}

static void
free_findings(struct overview *o)
{
	struct overview_finding *f;

	for (f = o->found; f < o->found + o->n_found; f++) {
		free(f->id);
		free(f->problem);
		free(f->evidence);
		free(f->advice);
		free(f->share);
		free(f->src);
	}
	free(o->found);
}

void
overview_free(struct overview *o)
{
	struct tally *tallies[] = { &o->op, &o->no_op_why, &o->kern, &o->why,
		&o->slow_why, &o->why_op, &o->gap, &o->phase };
	struct smap *maps[] = { &o->dev_name, &o->dev_key, &o->src, &o->fired,
		&o->unjudged };
	char *texts[] = { o->cmd_file, o->first, o->last, o->within, o->agree,
		o->edge_api, o->try_key };
	size_t i;

	free_findings(o);
	for (i = 0; i < o->ops_cap; i++)
		free(o->ops[i].kernel);
	for (i = 0; i < ARRAY_LEN(tallies); i++)
		tally_free(tallies[i]);
	for (i = 0; i < ARRAY_LEN(maps); i++)
		smap_free(maps[i]);
	for (i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	for (i = 0; i < OV_INFOS; i++)
		free(o->info[i]);
	free(o->ops);
	free(o->dev);
	free(o->steps);
	buf_free(&o->col->tmp);
	buf_free(&o->col->name);
	free(o->col);
}
