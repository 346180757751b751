/*
 * Iterations that are over, as numbers on a tape, and the records of them.
 *
 * An iteration is a head and its rows. Only at the end of the section is it
 * known which phases ranges name, and thus whose the work is that only its op
 * calls forward: its own row's, or that of no phase. Both rows are on the tape
 * as they would be in each case.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "num.h"
#include "out.h"
#include "phases.h"
#include "varint.h"

enum when { ALWAYS, IF_RANGED, UNLESS_RANGED };

enum {
	CPU,
	API,
	GPU,
	GPU_SUM,
	IDLE,
	N_KERN,
	N_GPU,
	THREAD,
	OP,
	GPU_START,
	GPU_END,
	N_NUMBERS
};

struct kept_row {
	enum when when;
	const char *word;
	bool made, worked; /* worked: it has a start and an end */
	int64_t v[N_NUMBERS];
};

struct kept_step {
	const char *src;
	struct buf iter;
	bool outside;
	int64_t len, busy, idle, n_row;
};

static void
put_number(struct phases *p, int64_t v)
{
	char b[VARINT_MAX];

	tape_put(&p->done, b, (size_t)(varint_put(b, varint_fold(v)) - b));
}

static int64_t
get_number(struct phases *p)
{
	uint64_t v;
	size_t n;
	const char *s = tape_at(&p->done, VARINT_MAX, &n);

	tape_skip(&p->done, (size_t)(varint_get(s, &v) - s));
	return varint_unfold(v);
}

/* One of p->texts, as its number; NULL is -1. */
static void
put_text(struct phases *p, const char *s)
{
	if (s == NULL)
		put_number(p, -1);
	else
		put_number(p, smap_find(&p->texts, s, strlen(s)));
}

static const char *
get_text(struct phases *p)
{
	int64_t id = get_number(p);

	return id >= 0 ? smap_str(&p->texts, (uint32_t)id, NULL) : NULL;
}

static void
row_numbers(const struct phase *ph, int64_t v[N_NUMBERS])
{
	int i;

	v[CPU] = flat_len(&ph->cpu);
	v[API] = ph->api_ns;
	v[GPU] = flat_len(&ph->gpu);
	v[GPU_SUM] = ph->gpu_ns;
	v[IDLE] = ph->idle_ns;
	v[N_KERN] = (int64_t)ph->n_kern;
	v[N_GPU] = (int64_t)ph->n_gpu;
	v[THREAD] = ph->thread_ns;
	v[OP] = ph->op_ns;
	v[GPU_START] = v[GPU_END] = 0;
	for (i = 0; i < ph->n_ext; i++) {
		const struct phase_extent *e = &ph->ext[i];

		if (i == 0 || e->lo < v[GPU_START])
			v[GPU_START] = e->lo;
		if (i == 0 || e->hi > v[GPU_END])
			v[GPU_END] = e->hi;
	}
}

static void
keep_row(
    struct phases *p, const struct phase *ph, const char *word, enum when when)
{
	int64_t v[N_NUMBERS];
	int i;

	row_numbers(ph, v);
	put_number(p, when);
	put_text(p, word);
	put_number(p, ph->made | (ph->n_ext > 0) << 1);
	for (i = 0; i < N_NUMBERS; i++)
		put_number(p, v[i]);
}

/* The row that takes the work of a row by_op in that case; NULL: none yet. */
static struct phase *
row_that_takes(
    const struct phase_step *s, const struct phase *by_op, enum when when)
{
	const char *word = when == IF_RANGED ? NULL : by_op->word;
	int i;

	/* words are in p->texts, each once */
	for (i = 0; i < s->n; i++)
		if (!s->row[i]->by_op && s->row[i]->word == word)
			return s->row[i];
	return NULL;
}

/* A row, and what it is with the work of the row by_op, in that case. */
static void
keep_both(
    struct phases *p, struct phase *ph, struct phase *by_op, enum when with)
{
	int64_t op_ns = by_op->op_ns;

	keep_row(
	    p, ph, ph->word, with == IF_RANGED ? UNLESS_RANGED : IF_RANGED);
	if (with == IF_RANGED)
		by_op->op_ns = 0;
	phase_join(ph, by_op);
	by_op->op_ns = op_ns;
	keep_row(p, ph, ph->word, with);
}

/* Rows are forward by their ops once an iteration, see phase_word(). */
static struct phase *
row_by_op(const struct phase_step *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (s->row[i]->by_op)
			return s->row[i];
	return NULL;
}

/* The row by_op itself, where no other takes its work. */
static void
keep_by_op(struct phases *p, struct phase *ph, bool none, bool word)
{
	if (!word)
		keep_row(p, ph, ph->word, UNLESS_RANGED);
	ph->op_ns = 0;
	if (!none)
		keep_row(p, ph, NULL, IF_RANGED);
}

static void
keep_rows(struct phases *p, struct phase_step *s)
{
	struct phase *by_op = row_by_op(s), *none = NULL, *word = NULL;
	int i;

	if (by_op != NULL) {
		none = row_that_takes(s, by_op, IF_RANGED);
		word = row_that_takes(s, by_op, UNLESS_RANGED);
	}
	for (i = 0; i < s->n; i++) {
		struct phase *ph = s->row[i];

		if (by_op == NULL || (ph != by_op && ph != none && ph != word))
			keep_row(p, ph, ph->word, ALWAYS);
		else if (ph != by_op)
			keep_both(p, ph, by_op,
			    ph == none ? IF_RANGED : UNLESS_RANGED);
	}
	if (by_op != NULL)
		keep_by_op(p, by_op, none != NULL, word != NULL);
}

/* How many rows keep_rows() writes. */
static int
count_rows(const struct phase_step *s)
{
	/* that by_op is in each of the two, or is one itself */
	return row_by_op(s) != NULL ? s->n + 1 : s->n;
}

void
phases_keep(struct phases *p, struct phase_step *s, int64_t busy, int64_t idle)
{
	size_t n = s->iter != NULL ? strlen(s->iter) : 0;

	put_text(p, s->src);
	put_number(p, s->iter != NULL ? (int64_t)n : -1);
	tape_put(&p->done, s->iter != NULL ? s->iter : "", n);
	put_number(p, s->len);
	put_number(p, busy);
	put_number(p, idle);
	put_number(p, count_rows(s));
	keep_rows(p, s);
}

static bool
get_step(struct phases *p, struct kept_step *s)
{
	int64_t len;
	size_t n;
	const char *text;

	tape_at(&p->done, 1, &n);
	if (n == 0)
		return false;
	s->src = get_text(p);
	len = get_number(p);
	s->outside = len < 0;
	buf_clear(&s->iter);
	if (len > 0) {
		text = tape_at(&p->done, (size_t)len, &n);
		buf_put(&s->iter, text, (size_t)len);
		tape_skip(&p->done, (size_t)len);
	}
	s->len = get_number(p);
	s->busy = get_number(p);
	s->idle = get_number(p);
	s->n_row = get_number(p);
	return true;
}

static void
get_row(struct phases *p, struct kept_row *r)
{
	int64_t flags;
	int i;

	r->when = (enum when)get_number(p);
	r->word = get_text(p);
	flags = get_number(p);
	r->made = flags & 1;
	r->worked = flags & 2;
	for (i = 0; i < N_NUMBERS; i++)
		r->v[i] = get_number(p);
}

/* The devices of the file. */
static int64_t
n_devices(struct phases *p, const char *src)
{
	const struct buf *key =
	    phases_key(p, phases_text(src), phases_text(NULL));
	int64_t k = 0;
	const char *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < p->devs.n; i++) {
		s = smap_str(&p->devs, i, &n);
		k += n > key->len && memcmp(s, key->s, key->len) == 0;
	}
	return k;
}

/* The time of the step that no piece of work ends. Work that begins before the
 * step before has ended leaves less than nothing. */
static int64_t
rest_of(struct phases *p, const struct kept_step *s)
{
	int64_t all, rest;

	if (s->len < 0)
		return 0;
	all = num_mul(n_devices(p, s->src), s->len);
	rest = num_sub(all, num_add(s->busy, s->idle));
	return rest > 0 ? rest : 0;
}

static void
put_phase(struct phases *p, const struct kept_step *s, const struct kept_row *r)
{
	static const char *const names[] = { "iter", "phase", "cpu_ns",
		"api_ns", "gpu_ns", "gpu_sum_ns", "idle_ns", "n_kern", "n_gpu",
		"thread_ns", "op_ns", "gpu_start_ns", "gpu_end_ns", "src" };
	int i;

	out_rec_src(&p->type, "phase", names, ARRAY_LEN(names), s->src != NULL);
	out_word(s->outside ? NULL : buf_str((struct buf *)&s->iter));
	out_word(r->word);
	for (i = 0; i < N_NUMBERS; i++)
		if (i == IDLE) /* outside of all steps nothing idles */
			out_opt(!p->has_steps || !s->outside, r->v[i]);
		else
			out_opt(i < GPU_START || r->worked, r->v[i]);
	if (s->src != NULL)
		out_word(s->src);
	out_end();
}

/* Whether a range of the file names the forward phase. */
static bool
is_ranged(struct phases *p, const struct kept_step *s)
{
	const struct buf *key =
	    phases_key(p, phases_text(s->src), phases_text("forward"));

	return smap_find(&p->ranged, key->s, key->len) != SMAP_NONE;
}

static void
play_step(struct phases *p, const struct kept_step *s)
{
	bool ranged = is_ranged(p, s);
	int64_t i, rest = rest_of(p, s);
	struct kept_row r;

	for (i = 0; i < s->n_row; i++) {
		get_row(p, &r);
		if (r.when == (ranged ? UNLESS_RANGED : IF_RANGED))
			continue;
		if (r.word == NULL)
			r.v[IDLE] = num_add(r.v[IDLE], rest);
		if (r.made || r.v[IDLE] > 0)
			put_phase(p, s, &r);
	}
}

void
phases_play(struct phases *p)
{
	struct kept_step s = { 0 };

	tape_rewind(&p->done);
	while (get_step(p, &s))
		play_step(p, &s);
	buf_free(&s.iter);
}
