/* A section's way; see run.h. */
#include <string.h>

#include "dl.h"
#include "err.h"
#include "kept.h"
#include "num.h"
#include "place.h"
#include "run.h"
#include "stage.h"
#include "steady.h"

/* The whole of it: who asked may have typed another command. */
#define PROPOSES                                                               \
	"dlp-parse FILE | dlp-correlate | dlp-iter --list | dlp-fmt -T cand"   \
	" proposes"

static void
play(void *ctx, const struct item *m, const char *line)
{
	place(ctx, m, line);
}

static void
look(void *ctx, const struct item *m)
{
	place(ctx, m, NULL);
}

/* The iterations are known, or begin to be. */
static void
go(struct run *g)
{
	g->waiting = false;
	spool_play(&g->spool, play, g);
	opkey_clear(&g->op);
}

/* --even: how long the iterations are, and which of them stay. */
static void
measure(struct run *g)
{
	struct source *f;
	size_t i;

	g->measuring = true;
	spool_look(&g->spool, look, g);
	for (i = 0; i < g->files.n; i++) {
		f = &g->files.v[i];
		place_end(g, f);
		f->cut_down = f->plan.kind != PLAN_ONE;
		f->some_even = stable_range(&f->stable, &f->from, &f->to);
		acc_clear(&f->accs);
		f->step_end = NO_TIME;
	}
	g->measuring = false;
	g->outside = 0;
}

/* --even without --stable: which of them stay. */
static void
say_even(const struct run *g, const struct source *f)
{
	const char *in = f->name != NULL ? f->name : "";

	if (g->stable || g->broken || !f->cut_down)
		return;
	if (!f->some_even)
		warn("%s%sall of %zu steps count: no two are within %d %% of"
		     " the median",
		    in, *in != '\0' ? ": " : "", f->stable.n, STEADY_PCT);
	else
		warn("%s%ssteps %lld to %lld of %zu count: the most"
		     " consecutive steps within %d %% of the median (-i chooses"
		     " others)",
		    in, *in != '\0' ? ": " : "", (long long)f->from,
		    (long long)f->to, f->stable.n, STEADY_PCT);
}

static void
no_key(struct run *g)
{
	g->one = true;
	if (g->waiting)
		go(g);
}

void
run_op(struct run *g, const char *by)
{
	dl_op(g, by);
	if (g->dl.no_key)
		no_key(g);
}

void
run_keep(struct run *g, struct item *m, const char *line)
{
	if (g->key.arg == NULL && !g->one && m->has_gpu && m->src != SRC_NONE)
		own_work(&g->files.v[m->src].own, m->t, num_sub(m->hi, m->lo));
	if (!g->waiting) {
		place(g, m, line);
		return;
	}
	if (g->listing)
		m->len = 0;
	spool_put(&g->spool, m, line);
}

void
run_range(struct run *g, uint32_t src, uint32_t lane, const char *s, size_t n,
    int64_t lo, int64_t hi)
{
	struct source *f;
	int is;

	if (src == SRC_NONE)
		return;
	f = &g->files.v[src];
	if (g->listing || g->cands.numbered ||
	    (g->waiting && !g->steps && g->key.arg != NULL))
		cand_range(&g->cands, &g->key, src, lane, s, n, lo, hi);
	if (g->one)
		return;
	if (g->key.arg == NULL) {
		if (g->waiting || g->listing)
			own_add(&f->own, &g->key, &f->plan, lane, s, n, lo, hi);
		return;
	}
	is = key_range(&g->key, s, n);
	if (is == STEP_CUT && hi != INT64_MAX) {
		opkey_range(
		    &g->op, src, f->plan.lane[lane].proc, hi, g->dlprof);
	} else if (is == STEP_RANGE) {
		f->found = g->steps = true;
		plan_step(&f->plan, lane, lo, hi,
		    smap_put(&f->plan.texts, s, n, NULL));
		if (g->waiting && !g->even)
			go(g);
	}
}

/* Looks for the framework's own step ranges. */
static void
choose_own(struct run *g, uint32_t src)
{
	struct source *f = &g->files.v[src];
	int row = own_take(&f->own, &f->extent, &g->op, src, &f->plan);

	f->found = row >= 0;
	if (f->found && key_own_cuts(row))
		f->own_key = key_own_text(row);
}

/* What was asked for is not there. Of an input that was cut off nothing can
 * be said. */
static bool
is_fatal(const struct run *g)
{
	return g->strict && !g->broken;
}

/* No (fatal ? die : warn)(...): clang takes that for a call that does not
 * return. */
#define SAY(fatal, ...) ((fatal) ? die(__VA_ARGS__) : warn(__VA_ARGS__))

static void
say_not_found(struct run *g, const struct source *f)
{
	bool fatal = is_fatal(g);
	const char *in = f->name != NULL ? " in " : "";
	const char *name = f->name != NULL ? f->name : "";
	const char *all = ": the whole profile is one iteration";
	const char *words;

	if (g->broken && !f->extent.any)
		return;
	if (g->dlprof && g->dl.by_default)
		return;
	if (g->key.arg != NULL && g->no_ops && !g->any_op && !g->broken)
		die("key '%s' is no range, and the input has no ops:"
		    " dlp-correlate before dlp-iter adds them",
		    g->key.arg);
	if (g->key.arg != NULL) {
		words = cand_words(&g->cands,
		    (double)f->extent.work_hi - (double)f->extent.work_lo, 5);
		SAY(fatal, "key '%s' not found%s%s%s (%s%s%s" PROPOSES " %s)",
		    g->key.arg, in, name, fatal ? "" : all,
		    *words != '\0' ? "there are the ranges " : "", words,
		    *words != '\0' ? "; " : "",
		    *words != '\0' ? "more" : "keys");
	}
	if (g->key.arg == NULL && !g->listing && f->extent.any)
		SAY(fatal, "no step ranges that hold most of the work%s%s%s%s",
		    in, name, fatal ? "" : all,
		    g->no_times ? "" : " (-k names a step; " PROPOSES " some)");
}

static void
decide(struct run *g)
{
	uint32_t i;

	if (g->files.n == 0)
		source_of(&g->files, NULL, 0, -1);
	if (g->dlprof && !dl_has_key(g)) {
		g->one = true;
		return;
	}
	for (i = 0; i < g->files.n; i++) {
		struct source *f = &g->files.v[i];

		if (f->kept.n > 0 && kept_take(f))
			f->found = true;
		else if (g->key.arg == NULL)
			choose_own(g, i);
		else
			f->found = opkey_cuts(&g->op, i, &f->plan);
		if (!f->found)
			say_not_found(g, f);
	}
}

/* The keys of --list; of --stable the best one, where no steps were found. */
static void
finish_list(struct run *g)
{
	static const char *const kinds[] = { "one", "range", "op" };
	double len, most = 0;
	bool found = false;
	size_t i;

	for (i = 0; i < g->files.n; i++) {
		const struct source *f = &g->files.v[i];
		const struct extent *e = &f->extent;

		found |= f->found;
		len = (double)e->work_hi - (double)e->work_lo;
		if (len > most)
			most = len;
		cand_own(&g->cands, &g->key, own_best(&f->own, e));
		if (g->listing && g->key.arg != NULL)
			stable_list(&f->stable, g->key.arg, kinds[f->plan.kind],
			    f->name, e->work_lo, e->work_hi);
	}
	if (g->key.arg != NULL || (found && !g->listing))
		return;
	if (cand_list(&g->cands, most, g->listing ? g->limit : 1) == 0 &&
	    g->listing)
		warn("no range and no op occurs twice: there is nothing that"
		     " could be a key");
}

static void
notes(struct run *g)
{
	uint64_t not_found = 0, nested = 0, late = 0;
	bool kept = false;
	const struct source *f;
	size_t i;

	for (i = 0; i < g->files.n; i++) {
		f = &g->files.v[i];
		not_found += !f->found && !g->steps;
		nested += f->plan.nested;
		late += f->accs.late;
		kept |= f->plan.kind == PLAN_KEPT;
	}
	if (g->key.arg != NULL && !g->one)
		stage_note("iter_key_not_found", not_found);
	/* of those that are outside some can be gone */
	if (kept && g->was.outside > g->outside)
		g->outside = g->was.outside;
	stage_note("iter_outside", g->outside);
	stage_note("iter_nested", nested + (kept ? g->was.nested : 0));
	stage_note("iter_late", late + (kept ? g->was.late : 0));
	stage_note("iter_dropped", g->dropped);
}

void
run_end(struct run *g)
{
	static bool said;
	size_t most = 0, i, n;

	if (g->waiting) {
		if (!g->steps)
			decide(g);
		if (g->even)
			measure(g);
		go(g);
	}
	for (i = 0; i < g->files.n; i++) {
		n = place_end(g, &g->files.v[i]);
		if (g->even)
			say_even(g, &g->files.v[i]);
		if (n > most)
			most = n;
	}
	if (g->filter && g->from >= (int64_t)most)
		SAY(is_fatal(g), "no iteration %lld: the profile has %zu",
		    (long long)g->from, most);
	else if (g->filter && g->to < kept_first(&g->files))
		SAY(is_fatal(g),
		    "no iteration %lld: the stream has %lld to %zu",
		    (long long)g->to, (long long)kept_first(&g->files),
		    most - 1);
	else if (g->filter && !g->dlprof && g->to != INT64_MAX &&
		 g->to >= (int64_t)most)
		warn("no iteration %lld: the profile has %zu, 0 to %zu",
		    (long long)g->to, most, most - 1);
	if (g->no_ops && !g->one && !g->broken && !said) {
		warn("kern records have no op_start_ns, so kernels go by their"
		     " launch: dlp-correlate before dlp-iter adds it");
		said = true;
	}
	if (g->listing || g->cands.numbered)
		finish_list(g);
	if (g->dlprof)
		dl_infos(g, most);
	notes(g);
}

void
run_iter(struct run *g, uint32_t src, const struct rec *r)
{
	if (g->waiting && g->key.arg == NULL && !g->dlprof && src != SRC_NONE)
		kept_add(&g->files.v[src], r);
}

void
run_section(struct run *g)
{
	sources_clear(&g->files);
	opkey_clear(&g->op);
	cand_clear(&g->cands);
	g->steps = g->no_ops = g->any_op = g->no_times = false;
	g->outside = g->dropped = 0;
	g->was = (struct kept_notes){ 0 };
	g->kern_kept = true;
	g->one = g->asked_one;
	g->cands.numbered =
	    g->stable && g->key.arg == NULL && !g->one && !g->dlprof;
	if (g->dlprof)
		dl_section(g);
	g->waiting = !g->one && (g->key.arg != NULL || !g->listing);
}

/* Lines that nothing is added to keep their place among the others. */
void
run_pass(struct run *g, const char *line, size_t n, bool meta)
{
	static const char made_up[] = "##info\ttimes\t";
	struct item m = { .what = IT_PASS, .t = NO_TIME, .now = NO_TIME };

	if (meta && n >= sizeof(made_up) - 1 &&
	    memcmp(line, made_up, sizeof(made_up) - 1) == 0)
		g->no_times = true;
	m.len = m.iter_off = (uint32_t)n;
	if (g->dlprof && meta) {
		bool replaced = dl_meta(g, line, n);

		if (g->dl.no_key)
			no_key(g);
		if (replaced)
			return;
	}
	if (g->listing) {
		if (meta)
			out_line(line, n);
	} else if (g->waiting) {
		spool_put(&g->spool, &m, line);
	} else {
		out_line(line, n);
	}
}
