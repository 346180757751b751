/*
 * What the records say. Steps, devices and iterations are numbered in each
 * file, so a stream of several files has them by file (column src).
 */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "err.h"
#include "num.h"
#include "overview.h"

/* A number, 0 if it is unset. */
static double
number(const struct rec *r, int col)
{
	double v = 0;

	rec_real(r, col, &v);
	return v;
}

/* A copy of the text as it stands, "-" if it is unset; the one before is freed.
 */
static void
keep_word(char **to, const struct rec *r, int col)
{
	struct mview v = rec_get_raw(r, col);

	free(*to);
	*to = xmemdup(v.s, v.n);
}

/* The escaped text as a line for people: what breaks lines is a blank, and of
 * the other escapes only those of a backslash and "-" are undone. */
static void
replace_text(char **to, const struct rec *r, int col)
{
	struct mview v = rec_get_raw(r, col);
	const char *s = v.s, *end = v.s + v.n;
	struct buf b = { 0 };

	for (; s < end; s++) {
		if (*s != '\\' || s + 1 == end) {
			buf_putc(&b, *s);
		} else if (s[1] == '\\') {
			buf_putc(&b, *++s);
		} else if (memchr("tnr", s[1], 3) != NULL) {
			buf_putc(&b, ' ');
			s++;
		} else if (text_starts(s, (size_t)(end - s), "\\x2d")) {
			buf_putc(&b, '-');
			s += 3;
		} else {
			buf_putc(&b, *s);
		}
	}
	free(*to);
	*to = xstrdup(buf_str(&b));
	buf_free(&b);
}

static void
add(struct tally *t, struct mview name, double ns)
{
	*tally_at(t, name.s, name.n) += ns;
}

/* Two texts as one name. */
static struct mview
join(struct overview *o, struct mview a, struct mview b)
{
	buf_clear(&o->both);
	buf_put(&o->both, a.s, a.n);
	buf_puts(&o->both, OVERVIEW_SEP);
	buf_put(&o->both, b.s, b.n);
	return (struct mview){ o->both.s, o->both.len };
}

/* The steps of the record's file. */
static struct overview_steps *
steps_of(struct overview *o, const struct rec *r)
{
	struct mview src = rec_get_raw(r, COL_src);
	bool is_new;
	uint32_t i = smap_put(&o->src, src.s, src.n, &is_new);

	ARRAY_GROW(o->steps, i, o->steps_cap);
	if (is_new)
		o->steps[i] = (struct overview_steps){ 0 };
	return &o->steps[i];
}

/* Whether the iteration is one of the steps that count. */
static bool
counts(const struct overview_steps *s, const struct rec *r, int col)
{
	double i;

	return !s->known || (rec_real(r, col, &i) &&
				(s->all || (i >= s->from && i <= s->to)));
}

static void
on_dev(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	struct mview name = rec_get_raw(r, COL_name), cc = rec_get(r, COL_cc);
	struct mview uuid = rec_get(r, COL_uuid);
	struct buf key = { 0 };
	uint32_t i = smap_put(&o->dev_name, name.s, name.n, NULL);
	bool is_new = true;
	double v;

	/* two processes of a file can name the same */
	if (uuid.s != NULL) {
		buf_printf(&key, "%lld ", (long long)number(r, COL_dev));
		buf_put(&key, uuid.s, uuid.n);
		smap_put(&o->uuid, key.s, key.len, &is_new);
		buf_free(&key);
	}
	o->dev_name.val[i] += is_new;
	if (cc.s != NULL && num_f64(cc.s, cc.n, &v) && v > 0 && v < 8)
		o->no_tf32 = true;
}

/* Adds the steps of a file to those of the files before: their mean, and the
 * sum of the squares of what they differ from it. */
static void
add_steps(struct overview *o, const struct rec *r)
{
	double n = number(r, COL_n_even), d, std;

	if (n <= 0)
		n = number(r, COL_n);
	o->n_all += number(r, COL_n);
	o->n_marked += number(r, COL_n_marked);
	o->marked += number(r, COL_n_marked) * number(r, COL_marked_ns);
	d = number(r, COL_mean_ns) - o->mean;
	if (!rec_real(r, COL_std_ns, &std)) {
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
	struct overview_steps *s = steps_of(o, r);

	add_steps(o, r);
	s->known = true;
	s->all = !rec_real(r, COL_from, &s->from);
	s->to = number(r, COL_to);
	s->n = number(r, COL_n_even);
	if (s->n <= 0)
		s->n = number(r, COL_n);
	if (o->n_stable++ > 0)
		o->differ |= !mv_eq(rec_get_raw(r, COL_from), o->first) ||
			     !mv_eq(rec_get_raw(r, COL_to), o->last);
	keep_word(&o->first, r, COL_from);
	keep_word(&o->last, r, COL_to);
	keep_word(&o->within, r, COL_within_pct);
	keep_word(&o->agree, r, COL_agree);
	o->n_once += number(r, COL_n_once);
	o->n_warm += number(r, COL_n_warm);
	o->n_slow += number(r, COL_n_slow);
	o->all_ns += number(r, COL_slow_of_ns);
	o->all_n += number(r, COL_n) - number(r, COL_n_warm);
	o->knows_warm |= rec_get(r, COL_n_warm).s != NULL;
}

static void
on_cut(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	double v;

	if (rec_real(r, COL_iter, &v) || rec_get(r, COL_dropped).s != NULL)
		o->n_cut++;
}

static void
on_busy(struct stage *st, struct rec *r)
{
	static const char *const class[] = { "tc", "kern", "graph", "comm",
		"mem" };
	struct overview *o = st->ctx;
	const struct overview_steps *steps = steps_of(o, r);
	struct mview name =
	    join(o, rec_get_raw(r, COL_src), rec_get_raw(r, COL_dev));
	double ns = number(r, COL_dur_ns), v;
	struct overview_device *d;
	bool is_new, between = false;
	uint32_t i = smap_put(&o->dev_key, name.s, name.n, &is_new);
	int c = 0;

	ARRAY_GROW(o->dev, i, o->dev_cap);
	d = &o->dev[i];
	if (is_new)
		*d = (struct overview_device){ .src = (uint32_t)(steps -
								 o->steps) };
	while (c < OV_IDLE && !mv_eq(rec_get(r, COL_class), class[c]))
		c++;
	if (mv_eq(rec_get(r, COL_class), "dataload"))
		c = OV_DATALOAD;
	if (c < OV_IDLE && ns > 0)
		d->used = o->any_work = true;
	if (!counts(steps, r, COL_iter)) {
		between =
		    !rec_real(r, COL_iter, &v) && counts(steps, r, COL_after);
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

	add(&o->gap, rec_get_raw(r, COL_class), number(r, COL_sum_dur_ns));
}

static void
on_edge(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	double ns = number(r, COL_dur_ns), api = number(r, COL_api_dur_ns);
	struct mview at = rec_get(r, COL_at);

	if (mv_eq(at, "before"))
		o->before += ns;
	else if (mv_eq(at, "behind"))
		o->behind += ns;
	if (rec_get(r, COL_api).s == NULL || api <= o->edge_api_ns)
		return;
	replace_text(&o->edge_api, r, COL_api);
	o->edge_api_ns = api;
}

static void
on_cand(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;

	if (o->try_key == NULL && number(r, COL_n) >= 3)
		replace_text(&o->try_key, r, COL_key);
}

static void
on_phase(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;

	if (counts(steps_of(o, r), r, COL_iter))
		add(&o->phase, rec_get_raw(r, COL_phase),
		    number(r, COL_gpu_sum_ns));
}

/* Whether a list of words, joined by commas, has the word. */
static bool
has_word(struct mview list, const char *want)
{
	const char *end = list.s + list.n, *comma;

	for (; list.s != NULL; list = mv(comma + 1, end)) {
		comma = memchr(list.s, ',', list.n);
		if (comma == NULL)
			return mv_eq(list, want);
		if (mv_eq(mv(list.s, comma), want))
			return true;
	}
	return false;
}

/* A reason why Tensor Cores are not used, or slow, and the op it is of. */
static void
add_reason(struct overview *o, const struct rec *r, struct tally *to,
    struct mview op, double ns)
{
	struct mview why = rec_get_raw(r, COL_tc_why);

	add(to, why, ns);
	/* a range around a kernel without an op can be a whole step */
	if (rec_get(r, COL_op).s == NULL)
		op = rec_get_raw(r, COL_short);
	add(&o->why_op, join(o, why, op), ns);
}

static void
add_kernels(struct overview *o, const struct rec *r, struct mview op, double ns)
{
	struct mview lacks = rec_get(r, COL_lacks);
	bool tc = mv_eq(rec_get(r, COL_tc), "yes");
	bool dark = mv_eq(rec_get(r, COL_tc), "unknown");
	bool maybe = mv_eq(rec_get(r, COL_tc_eligible), "unknown");
	bool why = rec_get(r, COL_tc_why).s != NULL;

	o->n_kern += number(r, COL_n);
	o->kern_ns += ns;
	if (mv_eq(rec_get(r, COL_dir), "comm"))
		o->comm_work += ns;
	if (has_word(lacks, "shapes")) {
		o->no_shapes += ns;
		if (rec_get(r, COL_op).s == NULL)
			o->opless += ns;
	}
	if (has_word(lacks, "flop"))
		o->no_flop += ns;
	if (has_word(lacks, "capture"))
		o->no_capture += ns;
	if (dark)
		o->no_verdict += ns;
	if (!maybe)
		o->n_judged++;
	if (!tc && why && mv_eq(rec_get(r, COL_tc_eligible), "yes")) {
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
op_name(struct buf *b, const struct rec *r)
{
	struct mview op = rec_get(r, COL_op), dir = rec_get(r, COL_dir);
	struct mview layer = rec_get(r, COL_layer);

	if (op.s != NULL) {
		buf_put(b, op.s, op.n);
		if (dir.s == NULL)
			return;
		buf_putc(b, ' ');
		buf_put(b, dir.s, dir.n);
		return;
	}
	if (layer.s != NULL) {
		buf_put(b, layer.s, layer.n);
		buf_putc(b, ' ');
	}
	buf_puts(b, "(no op)");
}

/* Adds the op's time by kernel, and sees to the longest of them. */
static void
add_op(struct overview *o, const struct rec *r, struct mview name, double ns)
{
	bool is_kern = mv_eq(rec_get(r, COL_tag), "kern");
	int kernel = is_kern ? COL_short : COL_tag;
	struct mview both;
	uint32_t i;
	double sum;

	add(&o->op, name, ns);
	i = smap_find(&o->op.name, name.s, name.n);
	if (i >= o->ops_cap) {
		o->ops = xrealloc(o->ops, o->op.cap, sizeof(*o->ops));
		memset(o->ops + o->ops_cap, 0,
		    (o->op.cap - o->ops_cap) * sizeof(*o->ops));
		o->ops_cap = o->op.cap;
	}
	both = join(o, name, rec_get_raw(r, kernel));
	sum = *tally_at(&o->kern, both.s, both.n) += ns;
	if (sum <= o->ops[i].longest)
		return;
	o->ops[i].longest = sum;
	keep_word(&o->ops[i].kernel, r, kernel);
	o->ops[i].tc = is_kern && mv_eq(rec_get(r, COL_tc), "yes");
}

static void
on_work(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	double ns = number(r, COL_sum_dur_ns);
	struct buf b = { 0 };
	struct mview name;

	o->work += ns;
	if (rec_get(r, COL_op).s == NULL) {
		o->no_op += ns;
		add(&o->no_op_why, rec_get_raw(r, COL_why), ns);
	}
	op_name(&b, r);
	name = (struct mview){ b.s, b.len };
	add_op(o, r, name, ns);
	if (mv_eq(rec_get(r, COL_tag), "kern")) {
		add_kernels(o, r, name, ns);
	} else if (mv_eq(rec_get(r, COL_tag), "graph")) {
		/* as a whole: nothing is known of its kernels */
		o->tc_dark += ns;
		o->kern_ns += ns;
		o->graph_ns += ns;
		o->no_shapes += ns;
		o->no_flop += ns;
		o->no_verdict += ns;
	}
	buf_free(&b);
}

/* dlp-advise has findings of less than that share, in percent, after those
 * without one. */
#define LITTLE 1
#define LITTLE_GAIN 2 /* percent of a step */

/* The finding's place, after those with a greater share; it is made anew, or
 * moved where the share of this file is greater than that of the others. */
static struct overview_finding *
place_finding(struct overview *o, struct mview id, double pct)
{
	struct overview_finding f = { 0 };
	int i = 0;

	while (i < o->n_found && !mv_eq(id, o->found[i].id))
		i++;
	if (i == o->n_found) {
		ARRAY_GROW(o->found, o->n_found, o->found_cap);
		o->found[o->n_found++] = f;
		o->found[i].id = xmemdup(id.s, id.n);
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

/* The MFU of a step; it is known if most FLOPs are. */
static void
on_mfu(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	double pct, step = number(r, COL_step_ns);

	if (!counts(steps_of(o, r), r, COL_iter))
		return;
	if (number(r, COL_known_pct) < 90 || !rec_real(r, COL_mfu_pct, &pct))
		pct = NAN;
	o->mfu += pct * step;
	o->mfu_ns += step;
}

static void
on_in_use(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	struct mview name = rec_get(r, COL_name);
	bool used = mv_eq(rec_get(r, COL_used), "yes");

	o->tf32 |= used && mv_eq(name, "tf32");
	o->replays |= used && mv_eq(name, "graphs");
}

static void
on_finding(struct stage *st, struct rec *r)
{
	struct overview *o = st->ctx;
	struct mview id = rec_get_raw(r, COL_id);
	struct mview judged = rec_get(r, COL_judged);
	struct overview_finding *f;
	double pct = -1, step = 0, gain = -1;
	bool little = false;

	if (mv_eq(judged, "not judged"))
		smap_put(&o->unjudged, id.s, id.n, NULL);
	if (!mv_eq(judged, "yes"))
		return;
	smap_put(&o->fired, id.s, id.n, NULL);
	if (rec_get(r, COL_part_of).s != NULL)
		return;
	if (rec_real(r, COL_share_pct, &pct) && pct < LITTLE)
		pct -= LITTLE + 1;
	if (!rec_real(r, COL_gain_ns, &gain))
		gain = -1;
	if (gain >= 0 && rec_real(r, COL_step_ns, &step) && step > 0) {
		pct = 100 * gain / step;
		little = pct < LITTLE_GAIN;
		if (little)
			pct -= LITTLE_GAIN + 1;
	}
	if (gain < 0 && mv_eq(id, "marker_cost"))
		pct = 101; /* the others are doubtful */
	f = place_finding(o, id, pct);
	if (f == NULL)
		return;
	keep_word(&f->share, r, COL_share_pct);
	f->step = step;
	f->gain = gain;
	f->little = little;
	if (!rec_real(r, COL_predicted_step_ns, &f->fixed))
		f->fixed = 0;
	replace_text(&f->src, r, COL_src);
	replace_text(&f->where, r, COL_where);
	replace_text(&f->problem, r, COL_problem);
	replace_text(&f->evidence, r, COL_evidence);
	replace_text(&f->advice, r, COL_recommendation);
}

const char *const overview_infos[OV_INFOS] = { "dialect", "recorder",
	"dlprof_version", "schema", "driver", "cuda", "times", "hip",
	"framework", "product", "marker_ns", "step_recorded_ns", "step_bare_ns",
	"step_all_ns", "step_pattern", "mem_peak_bytes", "vendor", "activities",
	"profiler_options", "serving", "world_size" };

static void
on_info(struct overview *o, struct mview line)
{
	const char *tab = mv_find(line, "\t"), *end = line.s + line.n, *next;
	struct mview name, v;
	size_t i;
	double arch;

	if (tab == NULL)
		return;
	name = mv(line.s, tab);
	next = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
	v = mv(tab + 1, next != NULL ? next : end);
	for (i = 0; i < OV_INFOS; i++)
		if (mv_eq(name, overview_infos[i])) {
			free(o->info[i]);
			o->info[i] = xmemdup(v.s, v.n);
		}
	o->n_src += mv_eq(name, "src");
	o->amd |=
	    mv_eq(name, "hip") || (mv_eq(name, "vendor") && mv_eq(v, "amd"));
	if (mv_eq(name, "kernel_arch") && num_f64(v.s, v.n, &arch) && arch < 80)
		o->no_tf32 = true;
}

/* The first command names the profile: "dlp-parse VERSION [--] FILE". */
static void
on_cmd(struct overview *o, struct mview line)
{
	const char *s = line.s, *end = line.s + line.n;
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
	size_t wlen;
	struct mview rest;
	const char *word = rec_meta(r, &wlen, &rest.s, &rest.n);

	if (text_is(word, wlen, "info"))
		on_info(st->ctx, rest);
	else if (text_is(word, wlen, "cmd"))
		on_cmd(st->ctx, rest);
}

static void
on_end(struct stage *st)
{
	struct overview *o = st->ctx;

	o->ended |= st->complete;
}

void
overview_read(struct overview *o, struct stage *st)
{
	st->ctx = o;
	st->meta = on_meta;
	st->end = on_end;
	stage_on(st, "stable", on_stable,
	    .need = "n n_even mean_ns std_ns from to within_pct",
	    .opt = "agree n_once n_warm n_marked marked_ns n_slow"
		   " slow_of_ns src");
	stage_on(st, "cut", on_cut, .need = "iter", .opt = "dropped");
	stage_on(st, "cand", on_cand, .need = "n key");
	stage_on(st, "phase", on_phase, .need = "iter phase gpu_sum_ns",
	    .opt = "src");
	stage_on(st, "dev", on_dev, .opt = "name cc uuid dev");
	stage_on(st, "busy", on_busy, .need = "dev iter class dur_ns",
	    .opt = "src after");
	stage_on(st, "gapped", on_gapped, .need = "class sum_dur_ns");
	stage_on(st, "edge", on_edge, .need = "at dur_ns api api_dur_ns");
	stage_on(st, "mfu", on_mfu, .need = "iter mfu_pct step_ns known_pct",
	    .opt = "src");
	stage_on(st, "sums", on_work,
	    .need = "tag op dir layer short tc tc_eligible tc_why lacks why n"
		    " sum_dur_ns");
	/* those that DLProf found have fewer columns */
	stage_on(st, "finding", on_finding,
	    .need = "id judged problem recommendation",
	    .opt = "src part_of share_pct evidence step_ns"
		   " predicted_step_ns gain_ns where");
	stage_on(st, "in_use", on_in_use, .need = "name used");
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
		o->n_device_step +=
		    o->steps[d->src].known ? o->steps[d->src].n : 1;
		for (c = 0; c < OV_CLASSES; c++)
			o->ns[c] += d->ns[c];
		o->between += d->between;
		o->between_idle += d->between_idle;
	}
	for (c = 0; c <= OV_IDLE; c++)
		o->wall += o->ns[c];
	o->mfu /= o->mfu_ns; /* NAN if it is not known of all */
	o->timed = o->n_gpu > 0 && o->info[OV_TIMES] == NULL;
}

void
overview_free(struct overview *o)
{
	struct tally *tallies[] = { &o->op, &o->no_op_why, &o->kern, &o->why,
		&o->slow_why, &o->why_op, &o->gap, &o->phase };
	struct smap *maps[] = { &o->dev_name, &o->dev_key, &o->uuid, &o->src,
		&o->fired, &o->unjudged };
	char *texts[] = { o->cmd_file, o->first, o->last, o->within, o->agree,
		o->edge_api, o->try_key };
	struct overview_finding *f;
	size_t i;

	for (f = o->found; f < o->found + o->n_found; f++) {
		free(f->id);
		free(f->problem);
		free(f->evidence);
		free(f->advice);
		free(f->share);
		free(f->src);
		free(f->where);
	}
	for (i = 0; i < o->ops_cap; i++)
		free(o->ops[i].kernel);
	for (i = 0; i < ARRAY_LEN(tallies); i++) {
		smap_free(&tallies[i]->name);
		free(tallies[i]->sum);
	}
	for (i = 0; i < ARRAY_LEN(maps); i++)
		smap_free(maps[i]);
	for (i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	for (i = 0; i < OV_INFOS; i++)
		free(o->info[i]);
	free(o->found);
	free(o->ops);
	free(o->dev);
	free(o->steps);
	buf_free(&o->both);
}
