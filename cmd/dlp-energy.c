/*
 * dlp-energy: the energy of ops and steps. Between two samples of a device its
 * energy is spread evenly over the time; a moment's share goes to the work that
 * runs then, in equal parts if that is several, or to idle time. At the end the
 * sums become whole millijoules that add up to what the samples say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cli.h"
#include "err.h"
#include "map.h"
#include "num.h"
#include "stage.h"
#include "workrec.h"
#include "xsort.h"

static const char usage[] =
    "usage: dlp-energy [-u] [-p PRICE] [--warn-as NAME] [FILE]\n"
    "Adds the energy of each op in each iteration, and of idle time, from the\n"
    "samples that dlp-record --power takes.\n"
    "  -p, --price PRICE  of a kWh: energy records have a column cost\n"
    "      --warn-as NAME  if there are no samples, say so on standard error, "
    "as\n"
    "                     the command NAME\n"
    "  -u, --unbuffered   write each record at once\n"
    "  -h, --help         print this and exit\n"
    "  -V, --version      print the version and exit\n";

#define SORT_BYTES ((size_t)32 << 20) /* in memory */

struct energy_sample {
	int64_t t, mj;
};

struct energy_dev {
	uint32_t src; /* in energy.texts */
	int64_t dev;
	struct energy_sample *sample;
	size_t n, cap;
};

struct energy_group {
	uint32_t dev; /* number in energy.dev */
	double ns, mj;
	int64_t whole; /* mj as a whole number */
};

struct energy_iter {
	uint32_t src;
	int64_t start, end;
	struct mview text; /* its number; lives in energy.texts */
};

struct energy_work { /* of xsort: the value */
	int64_t start, end;
	uint32_t group;
};

struct energy_cols {
	struct workrec_cols work;
	const char *tag;
	const struct rec_col *iter, *op, *dir, *phase, *layer;
};

struct energy {
	const char *warn_as;
	double price; /* of a kWh; 0: not asked for */
	struct energy_cols kern, copy, set, graph;
	struct workrec_cols iters;
	const struct rec_col *iter;
	struct {
		struct rec_col *start, *dev, *name, *value, *src;
	} series;
	/* of the section */
	struct smap texts;
	struct smap devs;   /* "src\tdev" to the number in dev */
	struct smap groups; /* "dev\ttag\titer\top\tdir\tphase\tlayer" */
	struct energy_dev *dev;
	size_t n_dev, dev_cap;
	struct energy_group *group;
	size_t n_group, group_cap;
	struct energy_iter *step;
	size_t n_step, step_cap;
	struct xsort work;
	uint64_t falls;   /* samples below the one before */
	uint64_t outside; /* work that no two samples enclose */
	bool has_src;
	struct buf key;
	struct out_type *type[2][2]; /* with src, with cost */
};

static uint32_t
text_id(struct energy *e, struct mview v)
{
	return v.s != NULL ? smap_put(&e->texts, v.s, v.n, NULL)
			   : smap_put(&e->texts, "-", 1, NULL);
}

static uint32_t
dev_of(struct energy *e, struct mview src, int64_t dev)
{
	struct energy_dev *d;
	bool is_new;
	uint32_t no;

	buf_clear(&e->key);
	buf_put(
	    &e->key, src.s != NULL ? src.s : "-", src.s != NULL ? src.n : 1);
	buf_putc(&e->key, '\t');
	buf_i64(&e->key, dev);
	no = smap_put(&e->devs, e->key.s, e->key.len, &is_new);
	if (src.s != NULL)
		e->has_src = true;
	if (!is_new)
		return no;
	ARRAY_GROW(e->dev, e->n_dev, e->dev_cap);
	d = &e->dev[e->n_dev++];
	*d = (struct energy_dev){ text_id(e, src), dev, NULL, 0, 0 };
	return no;
}

static void
key_add(struct buf *b, struct mview v)
{
	buf_putc(b, '\t');
	buf_put(b, v.s != NULL ? v.s : "-", v.s != NULL ? v.n : 1);
}

static uint32_t
group_of(struct energy *e, uint32_t dev, const char *tag,
    const struct mview field[5])
{
	struct energy_group *g;
	bool is_new;
	uint32_t no;
	int i;

	buf_clear(&e->key);
	buf_i64(&e->key, dev);
	buf_putc(&e->key, '\t');
	buf_puts(&e->key, tag);
	for (i = 0; i < 5; i++)
		key_add(&e->key, field[i]);
	no = smap_put(&e->groups, e->key.s, e->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(e->group, e->n_group, e->group_cap);
		g = &e->group[e->n_group++];
		*g = (struct energy_group){ dev, 0, 0, 0 };
	}
	return no;
}

static struct mview
view(const struct rec *r, const struct rec_col *col)
{
	struct mview v = { NULL, 0 };

	v.s = rec_raw(r, col, &v.n);
	return v;
}

static void
put_key(unsigned char *to, uint64_t v, int n)
{
	while (n-- > 0) {
		to[n] = (unsigned char)v;
		v >>= 8;
	}
}

static void
read_work(struct stage *st, struct rec *r)
{
	struct energy *e = st->ctx;
	struct energy_cols *c = rec_arg(r);
	struct energy_work v;
	unsigned char key[12];
	struct workrec w;
	uint32_t dev;

	stage_pass(st, r);
	workrec_read(&w, &c->work, r);
	if (!w.has_dur || !w.has_dev)
		return;
	dev = dev_of(e, w.src, w.dev);
	v.start = w.start;
	v.end = w.end;
	v.group = group_of(e, dev, c->tag,
	    (struct mview[]){ view(r, c->iter), view(r, c->op), view(r, c->dir),
		view(r, c->phase), view(r, c->layer) });
	put_key(key, dev, 4);
	put_key(key + 4, (uint64_t)v.start ^ (uint64_t)1 << 63, 8);
	xsort_put(&e->work, key, sizeof(key), &v, sizeof(v));
}

static void
read_series(struct stage *st, struct rec *r)
{
	struct energy *e = st->ctx;
	struct energy_sample s;
	struct energy_dev *d;
	int64_t dev;
	uint32_t no;

	stage_pass(st, r);
	if (!rec_is(r, e->series.name, "energy") ||
	    !rec_i64(r, e->series.start, &s.t) ||
	    !rec_i64(r, e->series.dev, &dev) ||
	    !rec_i64(r, e->series.value, &s.mj))
		return;
	no = dev_of(e, view(r, e->series.src), dev);
	d = &e->dev[no];
	ARRAY_GROW(d->sample, d->n, d->cap);
	d->sample[d->n++] = s;
}

static void
read_iter(struct stage *st, struct rec *r)
{
	struct energy *e = st->ctx;
	struct energy_iter *s;
	struct workrec w;
	uint32_t id;

	stage_pass(st, r);
	workrec_read(&w, &e->iters, r);
	if (!w.has_dur)
		return;
	id = text_id(e, view(r, e->iter));
	ARRAY_GROW(e->step, e->n_step, e->step_cap);
	s = &e->step[e->n_step++];
	s->src = text_id(e, w.src);
	s->start = w.start;
	s->end = w.end;
	s->text.s = NULL;
	s->text.n = id; /* the text may still move; see begin_steps() */
}

/* The walk through the time of a device. */
struct energy_walk {
	struct energy *e;
	uint32_t dev;
	const struct energy_dev *d;
	size_t at; /* the sample before now */
	int64_t now;
	size_t step; /* the first that has not ended, of e->step */
	struct energy_work *active;
	size_t n, cap;
};

static uint32_t
idle_group(struct energy_walk *w, struct mview iter)
{
	struct mview field[5] = { { NULL, 0 } };

	field[0] = iter;
	return group_of(w->e, w->dev, "idle", field);
}

/* The iteration at this moment, and the moment at which that changes. */
static struct mview
iter_now(struct energy_walk *w, int64_t *until)
{
	const struct energy_iter *s = w->e->step;
	struct mview none = { NULL, 0 };

	while (w->step < w->e->n_step &&
	       (s[w->step].end <= w->now || s[w->step].src != w->d->src))
		w->step++;
	if (w->step == w->e->n_step)
		return none;
	if (s[w->step].start > w->now) {
		if (s[w->step].start < *until)
			*until = s[w->step].start;
		return none;
	}
	if (s[w->step].end < *until)
		*until = s[w->step].end;
	return s[w->step].text;
}

static void
give(struct energy_walk *w, uint32_t group, double ns, double mj)
{
	struct energy_group *g = &w->e->group[group];

	g->ns += ns;
	g->mj += mj;
}

/* From now to t nothing begins or ends. */
static void
walk_to(struct energy_walk *w, int64_t t)
{
	const struct energy_sample *s = w->d->sample;
	int64_t until, mj;
	double ns, rate;
	struct mview iter;
	size_t i;

	while (w->now < t) {
		while (w->at + 1 < w->d->n && s[w->at + 1].t <= w->now)
			w->at++;
		if (w->at + 1 >= w->d->n || s[w->at].t > w->now)
			return;
		until = t < s[w->at + 1].t ? t : s[w->at + 1].t;
		mj = num_sub(s[w->at + 1].mj, s[w->at].mj);
		rate = (double)(mj > 0 ? mj : 0) /
		       ((double)s[w->at + 1].t - (double)s[w->at].t);
		if (w->n == 0)
			iter = iter_now(w, &until);
		ns = (double)num_sub(until, w->now);
		if (w->n == 0)
			give(w, idle_group(w, iter), ns, ns * rate);
		for (i = 0; i < w->n; i++)
			give(w, w->active[i].group, ns / (double)w->n,
			    ns * rate / (double)w->n);
		w->now = until;
	}
}

/* What ends until t, in order. */
static void
end_until(struct energy_walk *w, int64_t t)
{
	size_t i, first;

	while (w->n > 0) {
		first = 0;
		for (i = 1; i < w->n; i++)
			if (w->active[i].end < w->active[first].end)
				first = i;
		if (w->active[first].end > t)
			return;
		walk_to(w, w->active[first].end);
		w->active[first] = w->active[--w->n];
	}
}

static void
begin_walk(struct energy_walk *w, struct energy *e, uint32_t dev)
{
	struct energy_work *active = w->active;
	size_t cap = w->cap;

	memset(w, 0, sizeof(*w));
	w->active = active;
	w->cap = cap;
	w->e = e;
	w->dev = dev;
	w->d = &e->dev[dev];
	w->now = w->d->n > 0 ? w->d->sample[0].t : INT64_MAX;
}

static void
end_walk(struct energy_walk *w)
{
	if (w->d->n == 0)
		return;
	end_until(w, w->d->sample[w->d->n - 1].t);
	walk_to(w, w->d->sample[w->d->n - 1].t);
	w->n = 0;
}

static void
walk_work(struct energy_walk *w, const struct energy_work *v)
{
	const struct energy_dev *d = w->d;

	if (d->n < 2 || v->end <= d->sample[0].t ||
	    v->start >= d->sample[d->n - 1].t) {
		w->e->outside++;
		return;
	}
	end_until(w, v->start);
	walk_to(w, v->start);
	ARRAY_GROW(w->active, w->n, w->cap);
	w->active[w->n++] = *v;
}

static int
step_order(const void *va, const void *vb)
{
	const struct energy_iter *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int
sample_order(const void *va, const void *vb)
{
	const struct energy_sample *a = va, *b = vb;

	return a->t < b->t ? -1 : a->t > b->t;
}

/* Samples in order, each later than the one before. */
static void
begin_samples(struct energy *e, struct energy_dev *d)
{
	size_t i, n = 0;

	if (d->n > 0)
		qsort(d->sample, d->n, sizeof(*d->sample), sample_order);
	for (i = 0; i < d->n; i++) {
		if (n > 0 && d->sample[n - 1].t == d->sample[i].t)
			n--;
		if (n > 0 && d->sample[i].mj < d->sample[n - 1].mj)
			e->falls++;
		d->sample[n++] = d->sample[i];
	}
	d->n = n;
}

static void
begin_steps(struct energy *e)
{
	struct energy_iter *s;
	size_t n;

	for (s = e->step; s < e->step + e->n_step; s++) {
		s->text.s = smap_str(&e->texts, (uint32_t)s->text.n, &n);
		s->text.n = n;
	}
	if (e->n_step > 0)
		qsort(e->step, e->n_step, sizeof(*e->step), step_order);
}

/* All devices, one after the other; those without work as well. */
static void
walk_all(struct energy *e)
{
	struct energy_walk w = { 0 };
	struct energy_work v;
	struct runs_rec rec;
	uint32_t dev = 0;
	bool any = true;

	if (e->n_dev == 0)
		return;
	begin_walk(&w, e, 0);
	while (xsort_next(&e->work, &rec)) {
		memcpy(&v, rec.val, sizeof(v));
		for (; dev < e->group[v.group].dev;) {
			end_walk(&w);
			begin_walk(&w, e, ++dev);
		}
		walk_work(&w, &v);
	}
	while (any) {
		end_walk(&w);
		any = ++dev < e->n_dev;
		if (any)
			begin_walk(&w, e, dev);
	}
	free(w.active);
}

struct remainder {
	double part;
	uint32_t group;
};

static int
largest_first(const void *va, const void *vb)
{
	const struct remainder *a = va, *b = vb;

	if (a->part != b->part)
		return a->part > b->part ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

static int64_t
whole_of(double v)
{
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

/* Takes what floating point is above the sum by from groups that have it. */
static void
take_back(struct energy *e, const struct remainder *v, size_t n, uint64_t more)
{
	struct energy_group *g;
	uint64_t each, before, take;
	size_t i;

	do {
		before = more;
		each = more / n > 0 ? more / n : 1;
		for (i = n; i > 0 && more > 0; i--) {
			g = &e->group[v[i - 1].group];
			take = each < more ? each : more;
			if ((int64_t)take > g->whole)
				take = g->whole > 0 ? (uint64_t)g->whole : 0;
			g->whole -= (int64_t)take;
			more -= take;
		}
	} while (more > 0 && more < before);
}

/* Whole numbers: rounded down, and what is missing to the sum goes to those
 * with the largest remainders. */
static void
make_whole(struct energy *e, uint32_t dev)
{
	struct remainder *v = xcalloc(e->n_group + 1, sizeof(*v));
	const struct energy_dev *d = &e->dev[dev];
	int64_t rest = 0, step, each;
	struct energy_group *g;
	size_t n = 0, i;

	for (i = 1; i < d->n; i++) {
		step = num_sub(d->sample[i].mj, d->sample[i - 1].mj);
		rest = num_add(rest, step > 0 ? step : 0);
	}
	for (i = 0; i < e->n_group; i++) {
		g = &e->group[i];
		if (g->dev != dev)
			continue;
		g->whole = whole_of(floor(g->mj));
		rest = num_sub(rest, g->whole);
		v[n++] =
		    (struct remainder){ g->mj - floor(g->mj), (uint32_t)i };
	}
	if (n > 0)
		qsort(v, n, sizeof(*v), largest_first);
	each = n > 0 && rest > 0 ? rest / (int64_t)n : 0;
	rest -= each * (int64_t)n;
	for (i = 0; i < n && (each > 0 || rest > 0); i++) {
		g = &e->group[v[i].group];
		g->whole = num_add(g->whole, each + (rest > 0));
		rest -= rest > 0;
	}
	if (n > 0 && rest < 0)
		take_back(e, v, n, 0 - (uint64_t)rest);
	free(v);
}

static void
put_group(const struct energy *e, size_t i)
{
	const struct energy_group *g = &e->group[i];
	const struct energy_dev *d = &e->dev[g->dev];
	size_t n;
	const char *s = smap_str(&e->groups, (uint32_t)i, &n);
	const char *after = memchr(s, '\t', n), *src;

	out_rec(e->type[e->has_src][e->price > 0]);
	if (e->has_src) {
		src = smap_str(&e->texts, d->src, &n);
		out_raw(src, n);
		s = smap_str(&e->groups, (uint32_t)i, &n);
	}
	out_i64(d->dev);
	/* the other texts of the key are fields as they were read */
	out_raw(after + 1, n - (size_t)(after + 1 - s));
	out_i64(whole_of(g->ns + 0.5));
	out_i64(g->whole);
	if (e->price > 0)
		buf_printf(
		    &out_buf, "\t%.9g", (double)g->whole / 3.6e9 * e->price);
	out_end();
}

static void
say_none(const struct energy *e)
{
	if (e->warn_as == NULL)
		return;
	err_prog(e->warn_as);
	warn("no samples of energy: record with dlp-record --power");
	err_prog("dlp-energy");
}

static void
write_energy(struct stage *st)
{
	struct energy *e = st->ctx;
	bool sampled = false;
	uint32_t dev;
	size_t i;

	for (dev = 0; dev < e->n_dev; dev++) {
		begin_samples(e, &e->dev[dev]);
		sampled = sampled || e->dev[dev].n > 1;
	}
	out_legend(e->type[e->has_src][e->price > 0]);
	if (!sampled) {
		say_none(e);
		return;
	}
	begin_steps(e);
	walk_all(e);
	for (dev = 0; dev < e->n_dev; dev++)
		make_whole(e, dev);
	for (i = 0; i < e->n_group; i++)
		if (e->group[i].ns > 0)
			put_group(e, i);
	stage_note("energy_falls", e->falls);
	stage_note("energy_not_sampled", e->outside);
}

static void
energy_section(struct stage *st)
{
	struct energy *e = st->ctx;
	size_t i;

	for (i = 0; i < e->n_dev; i++)
		free(e->dev[i].sample);
	e->n_dev = e->n_group = e->n_step = 0;
	e->falls = e->outside = 0;
	e->has_src = false;
	smap_clear(&e->texts);
	smap_clear(&e->devs);
	smap_clear(&e->groups);
	xsort_close(&e->work);
	xsort_open(&e->work, runs_bytes, NULL, SORT_BYTES);
}

static void
free_energy(struct energy *e)
{
	size_t i;

	for (i = 0; i < e->n_dev; i++)
		free(e->dev[i].sample);
	free(e->dev);
	free(e->group);
	free(e->step);
	smap_free(&e->texts);
	smap_free(&e->devs);
	smap_free(&e->groups);
	xsort_close(&e->work);
	buf_free(&e->key);
}

static void
listen_work(struct stage *st, const char *tag, struct energy_cols *c)
{
	struct rec_type *t = stage_on(st, tag, read_work, NULL, c);

	c->tag = tag;
	workrec_bind(&c->work, t, WORKREC_SPAN | WORKREC_DEV, WORKREC_SRC);
	c->iter = rec_col(t, "iter", REC_OPT);
	c->op = rec_col(t, "op", REC_OPT);
	c->dir = rec_col(t, "dir", REC_OPT);
	c->phase = rec_col(t, "phase", REC_OPT);
	c->layer = rec_col(t, "layer", REC_OPT);
}

static void
listen(struct stage *st, struct energy *e)
{
	struct rec_type *t;

	listen_work(st, "kern", &e->kern);
	listen_work(st, "copy", &e->copy);
	listen_work(st, "set", &e->set);
	listen_work(st, "graph", &e->graph);
	t = stage_on(st, "series", read_series, NULL, NULL);
	REC_COLS(t, REC_NEED, { &e->series.start, "start_ns" },
	    { &e->series.dev, "dev" }, { &e->series.name, "name" },
	    { &e->series.value, "value" });
	e->series.src = rec_col(t, "src", REC_OPT);
	t = stage_on(st, "iter", read_iter, NULL, NULL);
	workrec_bind(&e->iters, t, WORKREC_SPAN, WORKREC_SRC);
	e->iter = rec_col(t, "iter", REC_NEED);
}

static void
set_price(void *to, const char *arg)
{
	struct energy *e = to;

	if (!num_f64(arg, strlen(arg), &e->price) || !(e->price > 0) ||
	    e->price > 1e9)
		die("-p: bad price '%s'", arg);
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "src", "dev", "tag", "iter", "op",
		"dir", "phase", "layer", "share_ns", "energy_mj", "cost" };
	struct energy e = { 0 };
	const struct cli_opt opts[] = {
		{ 'p', "price", .set = set_price, .to = &e },
		{ 0, "warn-as", .arg = &e.warn_as },
		{ 0 },
	};
	struct stage st;
	int rc, i;

	stage_start(&st, "dlp-energy", usage, opts, argc, argv);
	st.ctx = &e;
	st.section = energy_section;
	st.end = write_energy;
	listen(&st, &e);
	for (i = 0; i < 4; i++)
		e.type[i / 2][i % 2] = out_type("energy", names + (i / 2 == 0),
		    ARRAY_LEN(names) - (i / 2 == 0) - (i % 2 == 0));
	xsort_open(&e.work, runs_bytes, NULL, SORT_BYTES);
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	free_energy(&e);
	return out_finish(rc);
}
