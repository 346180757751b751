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
#include "serving.h"
#include "stage.h"
#include "workrec.h"
#include "xsort.h"

#define SORT_BYTES ((size_t)32 << 20) /* in memory */

struct energy_sample {
	int64_t t, mj; /* in the order of t, the first member */
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
	int64_t start, end; /* start is the first, for array_by_i64() */
	uint32_t src, text; /* in energy.texts; text: its number */
};

struct energy_tokens { /* of an iteration */
	const char *kind;
	int64_t n; /* 0: unknown */
};

struct energy_work { /* of xsort: the value */
	int64_t start, end;
	uint32_t group;
};

struct energy {
	const char *warn_as;
	double price;   /* of a kWh; 0: not asked for */
	int64_t tokens; /* of a step that does not say it; 0: unknown */
	/* of the section */
	struct smap texts;
	struct smap devs;   /* src and number to the number in dev */
	struct smap groups; /* "dev\ttag\titer\top\tdir\tphase\tlayer" */
	struct energy_dev *dev;
	size_t n_dev, dev_cap;
	struct energy_group *group;
	size_t n_group, group_cap;
	struct energy_iter *step;
	size_t n_step, step_cap;
	struct smap told; /* src and text of an iteration to its place in */
	struct energy_tokens *said;
	size_t n_said, said_cap;
	struct xsort work;
	uint64_t falls;   /* samples below the one before */
	uint64_t outside; /* work that no two samples enclose */
	bool has_src;
	struct buf key;
	struct out_type *type[2][2]; /* with src, with cost */
};

/* A number for a device of a file. */
static uint32_t
dev_of(struct energy *e, struct mview src, int64_t dev)
{
	uint32_t id = smap_put_view(&e->texts, src), no;
	bool is_new;

	no = smap_put_pair(&e->devs, id, dev, &is_new);
	if (src.s != NULL)
		e->has_src = true;
	if (is_new) {
		ARRAY_GROW(e->dev, e->n_dev, e->dev_cap);
		e->dev[e->n_dev++] = (struct energy_dev){ id, dev, NULL, 0, 0 };
	}
	return no;
}

#define FIELDS 5 /* of a group: iter, op, dir, phase, layer; "-" is unset */

static uint32_t
group_of(struct energy *e, uint32_t dev, const char *tag,
    const struct mview field[FIELDS])
{
	bool is_new;
	uint32_t no;
	int i;

	buf_clear(&e->key);
	buf_i64(&e->key, dev);
	buf_putc(&e->key, '\t');
	buf_puts(&e->key, tag);
	for (i = 0; i < FIELDS; i++) {
		buf_putc(&e->key, '\t');
		buf_put(&e->key, field[i].s, field[i].n);
	}
	no = smap_put(&e->groups, e->key.s, e->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(e->group, e->n_group, e->group_cap);
		e->group[e->n_group++] = (struct energy_group){ dev, 0, 0, 0 };
	}
	return no;
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
	struct energy_work v;
	unsigned char key[12];
	struct workrec w;
	uint32_t dev;

	stage_pass(st, r);
	work_read(&w, r);
	if (!w.has_dur || !w.has_dev)
		return;
	dev = dev_of(e, w.src, w.dev);
	v.start = w.start;
	v.end = w.end;
	v.group = group_of(e, dev, rec_type_tag(r->type),
	    (struct mview[]){ rec_get_raw(r, COL_iter), rec_get_raw(r, COL_op),
		rec_get_raw(r, COL_dir), rec_get_raw(r, COL_phase),
		rec_get_raw(r, COL_layer) });
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
	if (!mv_eq(rec_get(r, COL_name), "energy") ||
	    !rec_num(r, COL_start_ns, &s.t) || !rec_num(r, COL_dev, &dev) ||
	    !rec_num(r, COL_value, &s.mj))
		return;
	no = dev_of(e, rec_get(r, COL_src), dev);
	d = &e->dev[no];
	ARRAY_GROW(d->sample, d->n, d->cap);
	d->sample[d->n++] = s;
}

static void
read_iter(struct stage *st, struct rec *r)
{
	struct energy *e = st->ctx;
	struct energy_iter x;
	struct serving says;
	struct workrec w;
	bool is_new;
	uint32_t no;

	stage_pass(st, r);
	work_read(&w, r);
	x = (struct energy_iter){ w.start, w.end,
		smap_put_view(&e->texts, w.src),
		smap_put_view(&e->texts, rec_get_raw(r, COL_iter)) };
	no = smap_put_pair(&e->told, x.src, x.text, &is_new);
	if (is_new) {
		ARRAY_GROW(e->said, e->n_said, e->said_cap);
		e->n_said++;
	}
	e->said[no] = (struct energy_tokens){ NULL, e->tokens };
	if (serving_read(rec_get(r, COL_key), &says)) {
		e->said[no].kind = says.kind;
		if (serving_tokens(&says) >= 0)
			e->said[no].n = serving_tokens(&says);
	}
	if (!w.has_dur)
		return;
	ARRAY_GROW(e->step, e->n_step, e->step_cap);
	e->step[e->n_step++] = x;
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

/* The iteration at this moment, and the moment at which that changes. */
static struct mview
iter_now(struct energy_walk *w, int64_t *until)
{
	const struct energy_iter *s = w->e->step, *end = s + w->e->n_step;
	struct mview none = { "-", 1 };

	for (s += w->step; s < end; s++)
		if (s->end > w->now && s->src == w->d->src)
			break;
	w->step = (size_t)(s - w->e->step);
	if (s == end)
		return none;
	if (s->start > w->now) {
		*until = s->start < *until ? s->start : *until;
		return none;
	}
	*until = s->end < *until ? s->end : *until;
	return smap_view(&w->e->texts, s->text);
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
	struct mview idle[FIELDS] = { { "-", 1 }, { "-", 1 }, { "-", 1 },
		{ "-", 1 }, { "-", 1 } };
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
			idle[0] = iter_now(w, &until);
		ns = (double)num_sub(until, w->now);
		if (w->n == 0)
			give(w, group_of(w->e, w->dev, "idle", idle), ns,
			    ns * rate);
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

/* Samples in order, each later than the one before. */
static void
begin_samples(struct energy *e, struct energy_dev *d)
{
	size_t i, n = 0;

	if (d->n > 0)
		qsort(d->sample, d->n, sizeof(*d->sample), array_by_i64);
	for (i = 0; i < d->n; i++) {
		if (n > 0 && d->sample[n - 1].t == d->sample[i].t)
			n--;
		if (n > 0 && d->sample[i].mj < d->sample[n - 1].mj)
			e->falls++;
		d->sample[n++] = d->sample[i];
	}
	d->n = n;
}

static bool
next_work(struct energy *e, struct energy_work *v)
{
	struct runs_rec rec;

	if (!xsort_next(&e->work, &rec))
		return false;
	memcpy(v, rec.val, sizeof(*v));
	return true;
}

/* All devices, one after the other; those without work as well. */
static void
walk_all(struct energy *e)
{
	struct energy_walk w = { .e = e };
	const struct energy_sample *first, *last;
	struct energy_work v;
	bool more = next_work(e, &v);

	for (; w.dev < e->n_dev; w.dev++) {
		w.d = &e->dev[w.dev];
		first = w.d->sample;
		last = first + w.d->n - (w.d->n > 0);
		w.at = w.step = 0;
		w.now = w.d->n > 0 ? first->t : INT64_MAX;
		for (; more && e->group[v.group].dev == w.dev;
		     more = next_work(e, &v)) {
			if (w.d->n < 2 || v.end <= first->t ||
			    v.start >= last->t) {
				e->outside++;
				continue;
			}
			end_until(&w, v.start);
			walk_to(&w, v.start);
			ARRAY_GROW(w.active, w.n, w.cap);
			w.active[w.n++] = v;
		}
		if (w.d->n > 0) {
			end_until(&w, last->t);
			walk_to(&w, last->t);
		}
		w.n = 0;
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
	struct mview key = smap_view(&e->groups, (uint32_t)i);
	const char *after = (const char *)memchr(key.s, '\t', key.n) + 1;
	const struct energy_tokens none = { NULL, 0 }, *said = &none;
	const char *iter = strchr(after, '\t') + 1;
	uint32_t no;

	no = smap_find(&e->texts, iter, strcspn(iter, "\t"));
	if (no != SMAP_NONE)
		no = smap_find_pair(&e->told, d->src, no);
	if (no != SMAP_NONE)
		said = &e->said[no];
	out_rec(e->type[e->has_src][e->price > 0]);
	if (e->has_src)
		out_view(smap_view(&e->texts, d->src));
	out_i64(d->dev);
	/* the other texts of the key are fields as they were read */
	out_raw(after, key.n - (size_t)(after - key.s));
	out_i64(whole_of(g->ns + 0.5));
	out_i64(g->whole);
	out_word(said->kind);
	out_opt(said->n > 0, said->n);
	if (e->price > 0)
		buf_printf(
		    &out_buf, "\t%.9g", (double)g->whole / 3.6e9 * e->price);
	out_end();
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
		if (e->warn_as == NULL)
			return;
		err_prog(e->warn_as);
		warn("no samples of energy: record with dlp-record --power");
		err_prog("dlp-energy");
		return;
	}
	if (e->n_step > 0)
		qsort(e->step, e->n_step, sizeof(*e->step), array_by_i64);
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
	e->n_dev = e->n_group = e->n_step = e->n_said = 0;
	e->falls = e->outside = 0;
	e->has_src = false;
	smap_clear(&e->texts);
	smap_clear(&e->devs);
	smap_clear(&e->groups);
	smap_clear(&e->told);
	xsort_close(&e->work);
	xsort_open(&e->work, runs_bytes, NULL, SORT_BYTES);
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
		"dir", "phase", "layer", "share_ns", "energy_mj", "kind",
		"tokens", "cost" };
	static struct energy e;
	static const char *tokens;
	const struct cli_opt opts[] = {
		{ 'p', "price", .set = set_price, .to = &e },
		{ 0, "tokens", .arg = &tokens },
		{ 0, "warn-as", .arg = &e.warn_as },
		{ 0 },
	};
	struct stage st;
	int rc, i;

	stage_start(&st, "dlp-energy", opts, argc, argv);
	if (tokens != NULL &&
	    (!num_i64(tokens, strlen(tokens), &e.tokens) || e.tokens <= 0))
		die("--tokens: '%s' is not a number above 0", tokens);
	st.ctx = &e;
	st.section = energy_section;
	st.end = write_energy;
	stage_on(&st, "kern copy set graph", read_work,
	    .need = "start_ns dur_ns dev",
	    .opt = "src iter op dir phase layer");
	stage_on(&st, "series", read_series, .need = "start_ns dev name value",
	    .opt = "src");
	stage_on(&st, "iter", read_iter, .need = "start_ns dur_ns iter",
	    .opt = "src key");
	for (i = 0; i < 4; i++)
		e.type[i / 2][i % 2] = out_type("energy", names + (i / 2 == 0),
		    ARRAY_LEN(names) - (i / 2 == 0) - (i % 2 == 0));
	stage_anew(&st, NULL);
	rc = stage_run(&st);
	energy_section(&st);
	return out_finish(rc);
}
