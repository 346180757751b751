/* The data that dlp-diff compares, and how records become such data. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "diff.h"
#include "err.h"
#include "num.h"
#include "over.h"
#include "out.h"
#include "rec.h"
#include "steps.h"

/*
 * A row is an op, kernel, layer, ...; a side is one or several runs of a
 * program; a cell is the time of a row in one step of a side. side_trim()
 * selects the steps that count, and sum_rows() sums the cells of these steps.
 */

/* Side i; created if there are fewer. */
static struct diff_side *
model_side(struct diff_model *m, size_t i)
{
	if (i >= m->n_side) {
		m->side = xrealloc(m->side, i + 1, sizeof(*m->side));
		memset(m->side + m->n_side, 0,
		    (i + 1 - m->n_side) * sizeof(*m->side));
		m->n_side = i + 1;
	}
	return &m->side[i];
}

const char *
model_unit(const struct diff_model *m)
{
	size_t i;

	for (i = 0; i < m->n_side; i++)
		if (m->side[i].cut)
			return "step";
	return "run";
}

void
model_put_text(const struct diff_model *m, uint32_t id)
{
	out_view(smap_view(&m->rows.texts, id));
}

/* The row of a key; is_new if the caller has to set its texts. */
static struct diff_row *
rows_put(struct diff_rows *r, const char *key, size_t n, bool *is_new)
{
	uint32_t i = smap_put(&r->keys, key, n, is_new);

	if (*is_new) {
		ARRAY_GROW(r->v, i, r->cap);
		memset(&r->v[i], 0, sizeof(r->v[i]));
		r->v[i].key = i;
	}
	return &r->v[i];
}

/* The number of a text; SMAP_NONE if s is NULL. */
static uint32_t
rows_text(struct diff_rows *r, const char *s, size_t n)
{
	return s != NULL ? smap_put(&r->texts, s, n, NULL) : SMAP_NONE;
}

/* The row's values in that step of that side; created if there are none. */
static struct diff_cell *
row_cell(struct diff_row *r, size_t side, uint32_t step)
{
	struct diff_cells *c;
	size_t i;

	if (side >= r->n_side) {
		r->side = xrealloc(r->side, side + 1, sizeof(*r->side));
		memset(r->side + r->n_side, 0,
		    (side + 1 - r->n_side) * sizeof(*r->side));
		r->n_side = side + 1;
	}
	c = &r->side[side];
	/* the search starts at the end: nearly all steps come in order */
	for (i = c->n; i > 0 && c->v[i - 1].step > step; i--)
		;
	if (i > 0 && c->v[i - 1].step == step)
		return &c->v[i - 1];
	/* begins with 4 cells, because most rows have few steps */
	if (c->n == c->cap) {
		c->cap = c->cap > 0 ? c->cap * 2 : 4;
		c->v = xrealloc(c->v, c->cap, sizeof(*c->v));
	}
	memmove(c->v + i + 1, c->v + i, (c->n - i) * sizeof(*c->v));
	c->v[i] = (struct diff_cell){ .step = step };
	c->n++;
	return &c->v[i];
}

/* A file's name without its folder, which the caller frees; NULL if nothing is
 * left. */
static char *
side_file_name(struct mview path)
{
	size_t i = path.n;

	while (i > 0 && path.s[i - 1] != '/')
		i--;
	return i < path.n ? xmemdup(path.s + i, path.n - i) : NULL;
}

/* The number of an iteration of a run; created if it is new. Its key is the run
 * in the upper 24 bits, and the iteration in the lower 40. */
static uint32_t
side_step(struct diff_side *s, uint32_t run, int64_t iter)
{
	bool fresh;
	uint64_t *at = map_put(&s->at,
	    (uint64_t)run << 40 | ((uint64_t)iter & 0xffffffffff), &fresh);

	if (!fresh)
		return (uint32_t)*at;
	ARRAY_GROW(s->step, s->n, s->cap);
	s->step[s->n] = (struct diff_step){ .run = run, .iter = iter };
	*at = s->n;
	return (uint32_t)s->n++;
}

static int
by_run(const void *a, const void *b)
{
	const struct diff_step *x = *(struct diff_step *const *)a;
	const struct diff_step *y = *(struct diff_step *const *)b;

	return CMP2(x, y, run, iter);
}

/* Sets *from and *to to the iterations among the steps v[0..n) of a run that
 * count, without warm-up and outliers. They are unchanged if none do. Where ops
 * were carried over to some, those with ranges of ops took longer by these, and
 * do not count. */
static void
even_range(struct diff_step **v, size_t n, int64_t *from, int64_t *to)
{
	struct steady_step *s = xcalloc(n + 1, sizeof(*s));
	int64_t lo, hi, carried = 0;
	size_t i, k = 0, n_warm;

	for (i = 0; i < n; i++)
		carried += v[i]->has && v[i]->n_carried > v[i]->n_range;
	for (i = 0; i < n; i++) {
		/* it was recorded with ranges of ops */
		v[i]->slowed |= carried >= STEADY_UNMARKED_LEAST &&
				!v[i]->timed && v[i]->n_range > 0 &&
				v[i]->n_carried * 20 <= v[i]->n_range;
		if (!v[i]->slowed)
			v[k++] = v[i];
	}
	n = k;
	for (i = 0; i < n; i++) {
		s[i].ns = v[i]->has ? v[i]->ns : STEADY_NONE;
		s[i].load_ns = v[i]->load_ns;
		s[i].alloc_ns = v[i]->alloc_ns;
	}
	(void)steady_range(s, n, &lo, &hi, &n_warm);
	if (n > 1 && lo >= 0) {
		*from = v[lo]->iter;
		*to = v[hi]->iter;
	}
	free(s);
}

/* Leaves out the steps without times of ops on the CPU, if others of the steps
 * v[0..n) of a run have them. */
static void
trim_untimed(struct diff_step **v, size_t n, const struct diff_run *r)
{
	size_t i, timed = 0;

	for (i = 0; i < n; i++)
		timed +=
		    v[i]->timed && v[i]->iter >= r->from && v[i]->iter <= r->to;
	for (i = 0; i < n; i++)
		v[i]->slowed = timed > 0 && !v[i]->timed;
}

void
side_trim(struct diff_side *s, const struct diff_trim *how)
{
	struct diff_step **v = xcalloc(s->n + 1, sizeof(struct diff_step *));
	struct diff_run *r;
	size_t i, k;

	for (i = 0; i < s->n; i++)
		v[i] = &s->step[i];
	qsort(v, s->n, sizeof(struct diff_step *), by_run);
	for (i = 0; i < s->n; i = k) {
		r = &s->run[v[i]->run];
		for (k = i; k < s->n && v[k]->run == v[i]->run; k++)
			;
		r->n = (int64_t)(k - i);
		r->from = how->to >= 0 ? how->from : v[i]->iter;
		r->to = how->to >= 0 ? how->to : v[k - 1]->iter;
		trim_untimed(v + i, k - i, r);
		if (how->to < 0 && !how->all)
			even_range(v + i, k - i, &r->from, &r->to);
		s->cut |= r->key != NULL;
	}
	for (i = 0; i < s->n; i++) {
		struct diff_step *x = &s->step[i];

		r = &s->run[x->run];
		x->used = x->has && !x->slowed && x->iter >= r->from &&
			  x->iter <= r->to;
		if (x->used)
			x->pos = (uint32_t)s->n_used++;
	}
	free(v);
}

void
side_say(
    const struct diff_side *s, const char *label, const struct diff_trim *how)
{
	const char *why = "steady state; choose others with -i";
	bool chosen = !how->all && how->to < 0;
	size_t i;

	if (!chosen)
		why = how->to >= 0 ? "as -i says" : "all that there are";
	for (i = 0; i < s->n_run; i++) {
		const struct diff_run *r = &s->run[i];
		const char *name = r->name != NULL ? r->name : s->name;

		if (r->n > 0 && r->key == NULL)
			warn("%s, %s: no steps are known: the whole run is"
			     " compared, from its first GPU work to the last"
			     " (-k names a step)",
			    label, name);
		else if (!chosen || r->to - r->from + 1 < r->n)
			warn("%s, %s: steps %lld-%lld of %lld (%s, %s)", label,
			    name, (long long)r->from, (long long)r->to,
			    (long long)r->n, r->key, why);
	}
}

void
sum_values(struct diff_sum *s, const double *v, size_t n)
{
	double sum = 0, sq = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	s->n = n;
	s->mean = n > 0 ? sum / (double)n : 0;
	for (i = 0; i < n; i++)
		sq += (v[i] - s->mean) * (v[i] - s->mean);
	s->var = n > 1 ? sq / (double)(n - 1) : 0;
}

void
sum_rows(struct diff_sum *s, const struct diff_side *side, size_t side_no,
    struct diff_row *const *rows, size_t n)
{
	double *v = xcalloc(side->n_used + 1, sizeof(*v)); /* of each step */
	int64_t flop = 0; /* this and the next in integers, which are exact */
	uint64_t calls = 0;
	size_t i, k;

	*s = (struct diff_sum){ 0 };
	for (i = 0; i < n; i++)
		for (k = 0;
		     side_no < rows[i]->n_side && k < rows[i]->side[side_no].n;
		     k++) {
			const struct diff_cell *x =
			    &rows[i]->side[side_no].v[k];
			const struct diff_step *step = &side->step[x->step];

			if (!step->used)
				continue;
			s->ran = true;
			s->any |= x->n > 0;
			v[step->pos] += (double)x->ns;
			calls += x->n;
			flop = num_add(flop, x->flop);
			s->has_flop |= x->has_flop;
			s->tc |= x->tc;
		}
	sum_values(s, v, side->n_used);
	if (side->n_used > 0) {
		s->calls = (double)calls / (double)side->n_used;
		s->flop = (double)flop / (double)side->n_used;
	}
	free(v);
}

/* Each record goes to its side, its step and its row. */

struct diff_place { /* the current place in a stream */
	struct diff_model *m;
	struct diff_side *side;
	size_t side_no;
	struct map op;        /* op id -> row, of a section */
	struct smap srcs;     /* file -> side and run, of a section */
	bool by_src;          /* each file is a side */
	size_t base;          /* the section's first side */
	struct buf key, name; /* name: escaped, the section's file */
};

struct diff_type { /* the argument of its records */
	const char *tag;
	void (*take)(struct diff_place *p, const struct rec *r);
	int what; /* the column that says what it is; -1: there is none */
};

struct diff_stream {
	struct diff_model *m;
	struct diff_place at;
	size_t first, n_first, n_section;
	bool one_each;
};

static void
at_side(struct diff_place *p, size_t no)
{
	p->side_no = no;
	p->side = &p->m->side[no];
}

/* Counts the section as one without an end (open), or no longer, for all its
 * sides.
 */
static void
place_open(struct diff_place *p, bool open)
{
	uint32_t i;

	at_side(p, p->base);
	if (open)
		p->side->n_open++;
	else
		p->side->n_open--;
	for (i = 1; !open && p->by_src && i < p->srcs.n; i++)
		p->m->side[p->srcs.val[i] >> 32].n_open--;
}

/* Takes a file of the section: it is a run; and if each file is a side, the
 * first is the section's own side. */
static uint64_t
new_file(struct diff_place *p, struct mview src, bool is_first)
{
	struct mview name = src;
	struct diff_side *s;
	size_t no = p->base;

	if (name.s == NULL)
		name = (struct mview){ p->name.s, p->name.len };
	if (p->by_src && !is_first) {
		no = p->m->n_side;
		model_side(p->m, no)->n_open = 1;
	}
	at_side(p, no);
	if (p->by_src && src.s != NULL) {
		free(p->side->name);
		p->side->name = side_file_name(src);
	}
	s = p->side;
	s->run = xrealloc(s->run, s->n_run + 1, sizeof(*s->run));
	s->run[s->n_run] = (struct diff_run){ .name = side_file_name(name) };
	return (uint64_t)no << 32 | s->n_run++;
}

/* Goes to the side of the file; returns its run. */
static uint32_t
enter(struct diff_place *p, struct mview src)
{
	uint32_t i = 0;
	bool fresh;

	if (src.s != NULL || p->srcs.n == 0) {
		i = smap_put(&p->srcs, src.s != NULL ? src.s : "-",
		    src.s != NULL ? src.n : 1, &fresh);
		if (fresh)
			p->srcs.val[i] = new_file(p, src, i == 0);
	}
	at_side(p, (size_t)(p->srcs.val[i] >> 32));
	return (uint32_t)p->srcs.val[i];
}

static void
place_dev(struct diff_place *p, const struct rec *r)
{
	struct mview name = rec_get(r, COL_name);

	if (name.s == NULL)
		return;
	buf_clear(&p->key);
	buf_puts(&p->key, "GPU\t");
	buf_put(&p->key, name.s, name.n);
	smap_put(&p->side->info, p->key.s, p->key.len, NULL);
}

/* The text that all steps of a run share: "step 7" without its number. */
static char *
step_key(const char *s, size_t n)
{
	while (n > 0 && isdigit((unsigned char)s[n - 1]))
		n--;
	while (n > 0 && strchr(" #:=_-[(", s[n - 1]) != NULL)
		n--;
	return n > 0 ? xmemdup(s, n) : xstrdup("steps");
}

static void
place_iter(struct diff_place *p, const struct rec *r)
{
	uint32_t run = enter(p, rec_get(r, COL_src));
	struct diff_run *g = &p->side->run[run];
	struct mview key = rec_get(r, COL_key);
	struct diff_step *s;
	int64_t iter, lo, hi;
	uint32_t no;

	if (!rec_num(r, COL_iter, &iter))
		return;
	if (key.s != NULL && g->key == NULL)
		g->key = step_key(key.s, key.n);
	no = side_step(p->side, run, iter); /* may move the steps in memory */
	s = &p->side->step[no];
	/* A run without steps begins with its first GPU work and ends with the
	 * last, as in dlp FILE, so that its start-up does not count as idle
	 * time of the GPU. */
	if (key.s == NULL && rec_num(r, COL_gpu_start_ns, &lo) &&
	    rec_num(r, COL_gpu_end_ns, &hi)) {
		s->ns = num_sub(hi, lo);
		s->has = true;
	} else {
		s->has = rec_num(r, COL_step_ns, &s->ns);
	}
	rec_num(r, COL_gpu_ns, &s->gpu_ns);
	rec_num(r, COL_n_kern, &s->n_kern);
}

/* Adds to a row: a time, or only the arithmetic if ns < 0. */
static void
add_to_row(struct diff_place *p, struct diff_row *row, uint32_t step,
    int64_t ns, const int64_t *flop, unsigned tc)
{
	struct diff_cell *c = row_cell(row, p->side_no, step);

	if (ns >= 0) {
		c->ns = num_add(c->ns, ns);
		c->n++;
	}
	if (flop != NULL) {
		c->flop = num_add(c->flop, *flop);
		c->has_flop = 1;
	}
	c->tc |= tc & 7;
}

/* The number of a column's text. */
static uint32_t
text_id(struct diff_place *p, const struct rec *r, int col)
{
	struct mview v = rec_get(r, col);

	return rows_text(&p->m->rows, v.s, v.n);
}

/* The row of an op, by its key. */
static void
place_op(struct diff_place *p, const struct rec *r)
{
	struct mview key = rec_get(r, COL_key);
	struct diff_row *row;
	int64_t id;
	bool fresh;

	if (p->m->by != BY_OP || key.s == NULL || !rec_num(r, COL_op_id, &id))
		return;
	row = rows_put(&p->m->rows, key.s, key.n, &fresh);
	if (fresh) {
		row->name = text_id(p, r, COL_name);
		row->dir = text_id(p, r, COL_dir);
		row->shapes = text_id(p, r, COL_shapes);
		row->type = text_id(p, r, COL_op);
	}
	*map_put(&p->op, (uint64_t)id, NULL) = row->key;
}

static struct mview
what_of(const struct rec *r)
{
	const struct diff_type *t = rec_arg(r);

	return t->what >= 0 ? rec_get(r, t->what) : (struct mview){ NULL, 0 };
}

/* The key of work without an op: its kind, and a kernel's name. */
static void
no_op_key(struct diff_place *p, const struct rec *r)
{
	const char *tag = rec_type_tag(r->type);
	bool kern = strcmp(tag, "kern") == 0;
	struct mview s = what_of(r);

	buf_clear(&p->key);
	buf_puts(&p->key, "(no op) ");
	if (s.s == NULL || !kern)
		buf_puts(&p->key, strcmp(tag, "set") == 0 ? "memset" : tag);
	if (s.s != NULL && !kern)
		buf_putc(&p->key, ' ');
	buf_put(&p->key, s.s, s.s != NULL ? s.n : 0);
}

static struct diff_row *
named_row(struct diff_place *p, const char *s, size_t n, uint32_t dir)
{
	uint32_t name = rows_text(&p->m->rows, s, n);
	uint32_t key[2] = { name, dir };
	struct diff_row *row;
	bool fresh;

	row = rows_put(&p->m->rows, (const char *)key, sizeof(key), &fresh);
	if (fresh) {
		row->name = name;
		row->dir = dir;
		row->shapes = row->type = SMAP_NONE;
	}
	return row;
}

static struct diff_row *
place_row(struct diff_place *p, const struct rec *r)
{
	static const int by[] = { [BY_TYPE] = COL_op,
		[BY_PRIM] = COL_prim,
		[BY_LAYER] = COL_layer,
		[BY_PHASE] = COL_phase };
	/* Communication stays a class of its own, whichever phase it is in. */
	bool optimizer = mv_eq(rec_get(r, COL_phase), "optimizer") &&
			 !mv_eq(rec_get(r, COL_dir), "comm");
	enum diff_by b = p->m->by;
	struct diff_row *row;
	const uint64_t *at;
	struct mview s = { NULL, 0 };
	uint32_t dir;
	int64_t id;

	if (b == BY_OP && rec_num(r, COL_op_id, &id) &&
	    (at = map_get(&p->op, (uint64_t)id)) != NULL) {
		row = &p->m->rows.v[*at];
		if (optimizer) /* it is neither forward nor backward */
			row->dir = rows_text(&p->m->rows, "optimizer", 9);
		return row;
	}
	if (b != BY_OP)
		s = b == BY_KERNEL ? what_of(r) : rec_get(r, by[b]);
	if (s.s == NULL && (b == BY_OP || b == BY_TYPE || b == BY_PRIM)) {
		no_op_key(p, r);
		return named_row(p, p->key.s, p->key.len, SMAP_NONE);
	}
	dir = b == BY_KERNEL || b == BY_PHASE ? SMAP_NONE
	      : optimizer ? rows_text(&p->m->rows, "optimizer", 9)
			  : text_id(p, r, COL_dir);
	return named_row(p, s.s, s.n, dir);
}

/* The step of a record; false if it is in none. */
static bool
step_of(struct diff_place *p, const struct rec *r, uint32_t *step)
{
	uint32_t run = enter(p, rec_get(r, COL_src));
	int64_t iter;

	if (!rec_num(r, COL_iter, &iter))
		return false;
	*step = side_step(p->side, run, iter);
	return true;
}

static void
place_inst(struct diff_place *p, const struct rec *r)
{
	uint32_t step;
	int64_t ns;

	if (p->m->by == BY_ITER || !step_of(p, r, &step) ||
	    !rec_length(r, COL_dur_ns, &ns))
		return;
	p->side->step[step].timed = true;
	add_to_row(p, place_row(p, r), step, ns, NULL, 0);
	add_to_row(p, &p->m->all, step, ns, NULL, 0);
}

static void
place_gpu(struct diff_place *p, const struct rec *r)
{
	const struct diff_type *t = rec_arg(r);
	struct mview used = rec_get(r, COL_tc), from;
	int64_t ns, flop, *f = NULL;
	uint32_t step;
	unsigned tc;

	if (p->m->by == BY_KERNEL && t->what != COL_short) /* not a kernel */
		return;
	if (!step_of(p, r, &step)) {
		p->side->outside++;
		return;
	}
	if (!rec_length(r, COL_dur_ns, &ns))
		return;
	tc = used.s == NULL ? 0
	     : used.n == 3  ? TC_YES
	     : used.n == 2  ? TC_NO
			    : TC_UNKNOWN;
	if (rec_num(r, COL_flop, &flop))
		f = &flop;
	from = rec_get(r, COL_op_from);
	p->side->step[step].n_range += mv_eq(from, "range");
	p->side->step[step].n_carried += mv_eq(from, "carried");
	if (tc == TC_YES)
		add_to_row(p, &p->m->tc, step, ns, f, tc);
	if (p->m->cpu)
		ns = -1;
	if (p->m->by != BY_ITER)
		add_to_row(p, place_row(p, r), step, ns, f, tc);
	add_to_row(p, &p->m->all, step, ns, f, tc);
}

/* Calls that load code or allocate, and what CUPTI calls loading: a step with
 * much of it is not even. */
static void
place_once(struct diff_place *p, const struct rec *r)
{
	enum steady_call is = STEADY_CALL_OTHER;
	struct mview s = what_of(r);
	uint32_t step;
	int64_t ns;

	if (s.s == NULL)
		return;
	if (strcmp(rec_type_tag(r->type), "call") == 0)
		is = steady_call(s.s, s.n);
	else if (over_of(s.s, s.n) == OVER_LOAD)
		is = STEADY_CALL_LOADS;
	if (is == STEADY_CALL_OTHER || !rec_length(r, COL_dur_ns, &ns) ||
	    !step_of(p, r, &step))
		return;
	if (is == STEADY_CALL_LOADS)
		p->side->step[step].load_ns =
		    num_add(p->side->step[step].load_ns, ns);
	else
		p->side->step[step].alloc_ns =
		    num_add(p->side->step[step].alloc_ns, ns);
}

static void
enter_section(struct diff_stream *in)
{
	struct diff_place *at = &in->at;
	size_t k = in->n_section++;

	if (in->one_each)
		at->side_no = k == 0 ? in->first : in->m->n_side;
	else
		at->side_no = in->first + (in->n_first > 0 && k >= in->n_first);
	at->side = model_side(in->m, at->side_no);
	at->side->n_section++;
	at->m = in->m;
	map_clear(&at->op);
	smap_clear(&at->srcs);
	buf_clear(&at->name);
	at->base = at->side_no;
}

/* A section is named after the file that dlp-parse read: the last word of its
 * command. ##info src corrects that, because a name can contain blanks. Other
 * facts can explain a difference. */
static void
take_meta(struct diff_place *at, struct rec *r)
{
	static const char *const facts[] = { "os", "driver", "cuda", "cudnn",
		"framework", "torch" };
	size_t wlen, n, i, k;
	const char *v, *tab, *w = rec_meta(r, &wlen, &v, &n);
	struct diff_side *s = at->side;
	struct mview src;

	if (s == NULL)
		return;
	if (text_is(w, wlen, "cmd") && n > 9 &&
	    memcmp(v, "dlp-parse", 9) == 0 && at->name.len == 0) {
		for (i = n; i > 0 && v[i - 1] != ' '; i--)
			;
		buf_put(&at->name, v + i, n - i);
		if (s->name == NULL) {
			s->name =
			    side_file_name((struct mview){ v + i, n - i });
			s->by_cmd = true;
		}
	}
	tab = memchr(v, '\t', n);
	if (!text_is(w, wlen, "info") || tab == NULL)
		return;
	k = (size_t)(tab - v);
	for (i = 0; i < ARRAY_LEN(facts); i++)
		if (text_is(v, k, facts[i]))
			smap_put(&s->info, v, n, NULL);
	if (!text_is(v, k, "src"))
		return;
	src = (struct mview){ tab + 1, n - k - 1 };
	enter(at, src);
	if (at->by_src)
		return;
	s = at->side;
	if (s->n_section == 1 && s->by_cmd) {
		free(s->name);
		s->name = NULL;
	}
	if (s->name == NULL)
		s->name = side_file_name(src);
	s->by_cmd = false;
}

/* Requests the columns of a type. */
static void
want(const struct diff_model *m, struct rec_type *t, const struct diff_type *d)
{
	bool by_op = m->by != BY_KERNEL && m->by != BY_ITER;

	if (d->take == place_gpu || d->take == place_inst) {
		rec_want(t, REC_NEED, "dur_ns iter");
		rec_want(t, by_op ? REC_NEED : REC_OPT, "op_id op layer phase");
		rec_want(t, REC_OPT, "src dir");
	}
	if (d->take == place_gpu)
		rec_want(t, m->by == BY_PRIM ? REC_NEED : REC_OPT, "prim");
	if (d->take == place_gpu && d->what >= 0)
		rec_want_id(t, REC_NEED, d->what);
	if (d->what == COL_short)
		rec_want(t, REC_OPT, "flop tc op_from");
	if (d->take == place_once) {
		rec_want(t, REC_OPT, "dur_ns iter src");
		rec_want_id(t, REC_OPT, d->what);
	}
	if (d->take == place_op) {
		rec_want(t, REC_NEED, "op_id key name");
		rec_want(t, REC_OPT, "dir shapes op");
	}
	if (d->take == place_iter) {
		rec_want(t, REC_NEED, "iter step_ns");
		rec_want(t, REC_OPT,
		    "key gpu_ns gpu_start_ns gpu_end_ns n_kern src");
	}
	if (d->take == place_dev)
		rec_want(t, REC_OPT, "name");
}

void
read_stream(struct diff_model *m, const char *path, size_t first,
    size_t n_first, bool one_each, bool by_src)
{
	struct diff_stream in = { .m = m,
		.first = first,
		.n_first = n_first,
		.one_each = one_each,
		.at.by_src = by_src };
	struct diff_type types[] = { { "kern", place_gpu, COL_short },
		{ "copy", place_gpu, COL_kind }, { "set", place_gpu, -1 },
		{ "graph", place_gpu, -1 }, { "op", place_op, -1 },
		{ "iter", place_iter, -1 }, { "dev", place_dev, -1 },
		{ "call", place_once, COL_api },
		{ "over", place_once, COL_name }, { "inst", place_inst, -1 } };
	struct rec_reader *rd = rec_open(path);
	struct rec_type *t;
	struct rec r;
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		if (types[i].take == place_inst && !m->cpu)
			continue;
		t = rec_type(rd, types[i].tag);
		rec_set_arg(t, &types[i]);
		want(m, t, &types[i]);
	}
	while (rec_next(rd, &r)) {
		if (r.kind == REC_SECTION || in.n_section == 0)
			enter_section(&in);
		if (r.kind == REC_SECTION || r.kind == REC_END)
			place_open(&in.at, r.kind == REC_SECTION);
		if (r.kind == REC_META)
			take_meta(&in.at, &r);
		else if (r.kind == REC_DATA && r.type != NULL)
			((struct diff_type *)rec_arg(&r))->take(&in.at, &r);
	}
	if (in.n_section == 0)
		die_input("%s: empty input", rec_input_name(rd));
	m->complete &= rec_complete(rd);
	map_free(&in.at.op);
	smap_free(&in.at.srcs);
	buf_free(&in.at.key);
	buf_free(&in.at.name);
	rec_close(rd);
}
