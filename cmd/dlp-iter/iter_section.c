/*
 * The way of a section: items wait until it is known what makes the
 * iterations, then each gets its iteration and goes out.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "iter.h"
#include "mview.h"
#include "num.h"
#include "stage.h"
#include "steps.h"

/* The files of a section, and the iterations that an earlier dlp-iter gave
 * them. */

static uint32_t
add_file(struct iter_files *f, const char *name)
{
	f->v = xrealloc(f->v, f->n + 1, sizeof(*f->v));
	f->v[f->n] = (struct iter_file){
		.name = name, .first = NO_TIME, .step_end = NO_TIME
	};
	return (uint32_t)f->n++;
}

uint32_t
iter_file_of(struct iter_files *f, const char *s, size_t n, int64_t pid)
{
	bool fresh;
	uint32_t no;
	uint64_t *v;

	if (s == NULL && f->names.n == 0)
		return f->n > 0 ? 0 : add_file(f, NULL);
	if (s == NULL && f->names.n == 1)
		return 0;
	if (s == NULL) {
		v = map_get(&f->pids, (uint64_t)pid);
		return v == NULL || *v == SRC_NONE ? SRC_NONE
						   : (uint32_t)*v - 1;
	}
	no = smap_put(&f->names, s, n, &fresh);
	if (fresh && no == 0 && f->n > 0)
		f->v[0].name = smap_str(&f->names, 0, NULL);
	else if (fresh)
		add_file(f, smap_str(&f->names, no, NULL));
	v = map_put(&f->pids, (uint64_t)pid, &fresh);
	if (fresh)
		*v = no + 1;
	else if (*v != no + 1)
		*v = SRC_NONE;
	return no;
}

/* At the section's end: whether they can stay; then f's layout is made of
 * them. One iteration without a key is one for want of steps. */
static bool
kept_take(struct iter_file *f)
{
	const struct iter_kept *k = &f->kept;
	const struct iteration *x;
	size_t i;

	for (i = 0; i < k->n; i++) {
		x = &k->v[i].it;
		if (x->iter < 0 || !x->has_cpu ||
		    x->iter != num_add(k->v[0].it.iter, (int64_t)i))
			return false;
	}
	if (k->n < 1)
		return false;
	if (k->n == 1 && k->v[0].text == SMAP_NONE)
		return true;
	for (i = 0; i < k->n; i++) {
		x = &k->v[i].it;
		layout_kept(&f->layout, x->start,
		    x->has_dur ? num_add(x->start, x->dur) : INT64_MAX);
	}
	return true;
}

/* The whole pipeline, because the user may have run dlp-iter in another one. */
#define PROPOSES                                                               \
	"dlp-parse FILE | dlp-correlate | dlp-iter --list | dlp-fmt -T cand"   \
	" proposes"

/* The iterations are known, or begin to be: nothing waits any more. */
static void
start_placing(struct iter_run *g)
{
	g->phase = ITER_PLACE;
	spool_play(g->spool, false, iter_place, g);
	opkey_clear(&g->op);
}

/* How long the iterations are; --even, --ahead: which of them count. */
static void
measure(struct iter_run *g)
{
	struct iter_file *f;
	size_t i;

	g->phase = ITER_MEASURE;
	spool_play(g->spool, true, iter_place, g);
	for (i = 0; i < g->files.n; i++) {
		f = &g->files.v[i];
		iter_place_end(g, f);
		if (g->o.ahead && f->layout.kind != LAYOUT_ONE)
			stable_put(&g->out, &f->stable, false, f->name);
		if (g->plan.wanted == ITER_EVEN) {
			f->by = stable_range(
			    &f->stable, &f->from, &f->to, &f->n_once);
			f->splits = stable_splits(&f->stable);
			f->even = f->layout.kind == LAYOUT_ONE ? EVEN_UNKNOWN
				  : f->by != STEADY_BY_NONE    ? EVEN_SOME
							       : EVEN_NONE;
		}
		acc_clear(&f->accs);
		f->step_end = NO_TIME;
	}
	g->outside = 0;
}

/* --even without --stable: which of them stay, unless all do. */
static void
say_even(const struct iter_run *g, const struct iter_file *f)
{
	const char *in = f->name != NULL ? f->name : "";
	const char *colon = *in != '\0' ? ": " : "";
	const char *once =
	    f->n_once > 0 ? ", none that loads code or allocates" : "";

	if (g->o.stable || g->broken || f->even == EVEN_UNKNOWN)
		return;
	if (f->even == EVEN_NONE)
		warn("%s%sall of %zu steps count: no length is known", in,
		    colon, f->stable.n);
	else if ((size_t)(f->to - f->from) + 1 < f->stable.n)
		warn("%s%susing steps %lld-%lld of %zu (steady state%s; choose"
		     " others with -i)",
		    in, colon, (long long)f->from, (long long)f->to,
		    f->stable.n, once);
}

void
iter_no_key(struct iter_run *g)
{
	g->dl.has = DL_NONE;
	g->plan.by = ITER_BY_NONE;
	if (g->phase == ITER_WAIT)
		start_placing(g);
}

void
iter_item(struct iter_run *g, struct iter_item *m, const char *line)
{
	if (g->plan.by == ITER_BY_OWN && m->has_gpu &&
	    (m->kind == IT_KERN || m->kind == IT_GPU) && m->src != SRC_NONE)
		own_work(&g->files.v[m->src].own, m->t, num_sub(m->hi, m->lo));
	if (g->phase != ITER_WAIT) {
		iter_place(g, m, line);
		return;
	}
	if (g->o.list) /* writes no lines */
		m->len = 0;
	spool_put(g->spool, m, line);
}

void
iter_line(struct iter_run *g, const char *line, size_t n, bool meta)
{
	struct iter_item m = { .kind = IT_PASS, .t = NO_TIME, .now = NO_TIME };

	if (meta && text_starts(line, n, "##info\ttimes\t"))
		g->no_times = true;
	if (meta && g->o.dlprof && dlprof_meta(g, line, n))
		return;
	m.len = m.iter_off = (uint32_t)n;
	if (g->o.list) {
		if (meta)
			out_line(line, n);
	} else if (g->phase == ITER_WAIT) {
		spool_put(g->spool, &m, line);
	} else {
		out_line(line, n);
	}
}

void
iter_range(struct iter_run *g, const struct iter_item *m, const char *s,
    size_t n, int64_t lo, int64_t hi)
{
	struct iter_file *f;
	struct layout *p;
	int is;

	if (m->src == SRC_NONE)
		return;
	f = &g->files.v[m->src];
	p = &f->layout;
	if (g->o.list || g->cands.numbered ||
	    (g->phase == ITER_WAIT && g->plan.by == ITER_BY_KEY))
		cand_range(&g->cands, &g->key, m->src, m->lane, s, n, lo, hi);
	if (g->plan.by == ITER_BY_OWN)
		own_add(&f->own, &g->key, p, m->lane, s, n, lo, hi);
	if (g->plan.by != ITER_BY_KEY && g->plan.by != ITER_BY_STEPS)
		return;
	/* a range that is the key, or ends where the key does */
	is = key_range(&g->key, s, n);
	if (is == STEP_CUT && hi != INT64_MAX) {
		opkey_range(
		    &g->op, m->src, p->lane[m->lane].proc, hi, g->o.dlprof);
	} else if (is == STEP_RANGE) {
		f->found = true;
		g->plan.by = ITER_BY_STEPS;
		layout_step(
		    p, m->lane, lo, hi, smap_put(&p->texts, s, n, NULL));
		/* another thread can have ranges of the same steps */
		if (g->phase == ITER_WAIT && !iter_measures(g) &&
		    (!g->o.cuts || g->o.dlprof))
			start_placing(g);
	}
}

/* --strict: what was asked for and is missing is fatal; but it may have been in
 * the part of an input that was cut off. */
static bool
is_fatal(const struct iter_run *g)
{
	return g->o.strict && !g->broken;
}

/* No (fatal ? die : warn)(...): clang takes that for a call that does not
 * return. */
#define SAY(fatal, ...) ((fatal) ? die(__VA_ARGS__) : warn(__VA_ARGS__))

static void
say_not_found(struct iter_run *g, const struct iter_file *f)
{
	bool fatal = is_fatal(g);
	const char *in = f->name != NULL ? " in " : "";
	const char *name = f->name != NULL ? f->name : "";
	const char *all = ": the whole profile is one iteration";
	const char *words;

	if (g->broken && !f->extent.event.any)
		return;
	/* nobody asked for the default key: it may be missing */
	if (g->o.dlprof && g->dl.has != DL_GIVEN)
		return;
	if (g->plan.by != ITER_BY_OWN && g->no_op_start && !g->any_op &&
	    !g->broken)
		die("key '%s' is not a range, and the input has no ops:"
		    " dlp-correlate before dlp-iter adds them",
		    g->key.arg);
	if (g->plan.by != ITER_BY_OWN) {
		words = cand_words(&g->cands,
		    (double)f->extent.work.hi - (double)f->extent.work.lo, 5);
		SAY(fatal, "key '%s' not found%s%s%s (%s%s%s" PROPOSES " %s)",
		    g->key.arg, in, name, fatal ? "" : all,
		    *words != '\0' ? "there are the ranges " : "", words,
		    *words != '\0' ? "; " : "",
		    *words != '\0' ? "more" : "keys");
	}
	if (g->plan.by == ITER_BY_OWN && !g->o.list && f->extent.event.any &&
	    (fatal || !g->o.stable)) /* without a stable record it is known */
		SAY(fatal, "no step ranges that hold most of the work%s%s%s%s",
		    in, name, fatal ? "" : all,
		    g->no_times ? "" : " (-k names a step; " PROPOSES " some)");
}

/* The section is over and no range was the key: what makes the iterations? */
static void
decide(struct iter_run *g)
{
	struct iter_file *f;
	uint32_t i;
	int row;

	if (g->files.n == 0)
		iter_file_of(&g->files, NULL, 0, -1);
	if (g->o.dlprof && !dlprof_has_key(g)) {
		g->plan.by = ITER_BY_NONE;
		return;
	}
	for (i = 0; i < g->files.n; i++) {
		f = &g->files.v[i];
		if (f->kept.n > 0 && kept_take(f))
			f->found = true;
		else if (g->plan.by == ITER_BY_OWN) {
			row = own_take(
			    &f->own, &f->extent, &g->op, i, &f->layout);
			f->found =
			    row >= 0 ||
			    repeat_cuts(&f->repeat, &f->layout, f->own.gpu_ns,
				num_sub(f->extent.work.hi, f->extent.work.lo));
			if (row == key_own_cuts)
				f->own_key = key_own_text;
			else if (row < 0 && f->found) {
				f->own_key = "repeated kernels";
				warn("%s%ssteps begin where kernels repeat",
				    f->name != NULL ? f->name : "",
				    f->name != NULL ? ": " : "");
			}
		} else
			f->found = opkey_cuts(&g->op, i, &f->layout);
		if (!f->found)
			say_not_found(g, f);
	}
}

/* The keys of --list; of --stable the best one, where no steps were found. */
static void
finish_list(struct iter_run *g)
{
	static const char *const kinds[] = { "one", "range", "op" };
	double len, most = 0;
	bool found = false;
	size_t i;

	for (i = 0; i < g->files.n; i++) {
		const struct iter_file *f = &g->files.v[i];
		const struct iter_extent *e = &f->extent;

		found |= f->found;
		len = (double)e->work.hi - (double)e->work.lo;
		if (len > most)
			most = len;
		cand_own(&g->cands, &g->key, own_best(&f->own, e));
		if (g->o.list && g->plan.by != ITER_BY_OWN)
			stable_list(&g->out, &f->stable, g->key.arg,
			    kinds[f->layout.kind], f->name, e->work.lo,
			    e->work.hi);
	}
	if (g->plan.by != ITER_BY_OWN || (found && !g->o.list))
		return;
	if (cand_list(&g->out, &g->cands, most, g->o.list ? g->o.limit : 1) ==
		0 &&
	    g->o.list)
		warn("no range or op occurs more than once, so there is no"
		     " iteration key to propose");
}

/* Iterations were asked for that do not exist: there are n. */
static void
check_range(const struct iter_run *g, size_t n)
{
	const struct iter_plan *p = &g->plan;
	const struct iter_file *f = g->files.v, *end = f + g->files.n;
	int64_t first = f < end ? INT64_MAX : 0; /* 0 where one is cut anew */

	if (p->wanted != ITER_RANGE)
		return;
	for (; f < end; f++)
		if (f->layout.kind != LAYOUT_KEPT)
			first = 0;
		else if (f->kept.v[0].it.iter < first)
			first = f->kept.v[0].it.iter;
	if (p->from >= (int64_t)n)
		SAY(is_fatal(g), "no iteration %lld: the profile has %zu",
		    (long long)p->from, n);
	else if (p->to < first)
		SAY(is_fatal(g),
		    "no iteration %lld: the stream has %lld to %zu",
		    (long long)p->to, (long long)first, n - 1);
	else if (!g->o.dlprof && p->to != INT64_MAX && p->to >= (int64_t)n)
		warn("no iteration %lld: the profile has %zu, 0 to %zu",
		    (long long)p->to, n, n - 1);
}

void
iter_end(struct iter_run *g)
{
	size_t most = 0, i, n;
	uint64_t not_found = 0, nested = 0, late = 0, inside = 0;
	bool kept = false, ends = false;
	const struct iter_file *f;

	if (g->phase == ITER_WAIT) {
		if (g->plan.by != ITER_BY_STEPS)
			decide(g);
		for (i = 0; i < g->files.n; i++)
			ends |= iter_measured(&g->files.v[i]);
		if (iter_measures(g) || (ends && g->o.cuts && !g->o.dlprof))
			measure(g);
		start_placing(g);
	}
	for (i = 0; i < g->files.n; i++) {
		n = iter_place_end(g, &g->files.v[i]);
		say_even(g, &g->files.v[i]);
		if (n > most)
			most = n;
	}
	check_range(g, most);
	if (g->no_op_start && g->plan.by != ITER_BY_NONE && !g->broken &&
	    !g->said_no_ops) {
		warn("kern records have no op_start_ns, so kernels go by their"
		     " launch: dlp-correlate before dlp-iter adds it");
		g->said_no_ops = true;
	}
	if (g->o.list || g->cands.numbered)
		finish_list(g);
	if (g->o.dlprof)
		dlprof_end(g, most);
	for (i = 0; i < g->files.n; i++) {
		f = &g->files.v[i];
		not_found += !f->found && g->plan.by != ITER_BY_STEPS;
		nested += f->layout.nested;
		late += f->accs.late;
		inside += f->n_inside;
		kept |= f->layout.kind == LAYOUT_KEPT;
	}
	if (g->plan.by == ITER_BY_KEY || g->plan.by == ITER_BY_STEPS)
		stage_note("iter_key_not_found", not_found);
	/* the earlier run may have dropped some of its own */
	if (kept && g->was.outside > g->outside)
		g->outside = g->was.outside;
	stage_note("iter_outside", g->outside);
	stage_note("iter_nested", nested + (kept ? g->was.nested : 0));
	stage_note("iter_late", late + (kept ? g->was.late : 0));
	stage_note("iter_inside", inside + (kept ? g->was.inside : 0));
	stage_note("iter_dropped", g->dropped);
}

void
iter_begin(struct iter_run *g)
{
	struct iter_file *f;

	for (f = g->files.v; f < g->files.v + g->files.n; f++) {
		layout_clear(&f->layout);
		free(f->kept.v);
		acc_clear(&f->accs);
		free(f->own.v);
		free(f->own.row);
		repeat_clear(&f->repeat);
		free(f->stable.v);
		free(f->over);
	}
	free(g->files.v);
	smap_free(&g->files.names);
	map_free(&g->files.pids);
	memset(&g->files, 0, sizeof(g->files));
	opkey_clear(&g->op);
	cand_clear(&g->cands);
	g->no_op_start = g->any_op = g->no_times = false;
	g->outside = g->dropped = 0;
	g->was = (struct iter_notes){ 0 };
	g->kern_kept = true;
	g->plan = g->o.plan;
	if (g->o.dlprof)
		dlprof_begin(g);
	g->cands.numbered = g->o.stable && g->plan.by == ITER_BY_OWN;
	g->phase = ITER_WAIT;
	if (g->plan.by == ITER_BY_NONE ||
	    (g->plan.by == ITER_BY_OWN && g->o.list))
		g->phase = ITER_PLACE;
}
