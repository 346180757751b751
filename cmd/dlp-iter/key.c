/*
 * The texts of keys: numbers are dropped, so that "iteration 0" and
 * "iteration 1" are one key; and the table of the frameworks' own step ranges.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "key.h"

/* Words whose number may follow without a space: "step12". Other words keep
 * it: conv1 and conv2 are two things. */
static const char *const counted[] = { "iteration", "iter", "step", "batch" };

/* What frameworks and their users call a step, best first. Numbers and case are
 * ignored. prefix: only the beginning is compared. cuts: the range ends a step
 * instead of spanning it. */
static const struct {
	const char *text;
	bool prefix, cuts;
} own_keys[] = {
	{ "profilerstep", false, false },
	{ "[pl][profile]run_training_batch", false, false },
	{ "body of iteration", false, false },
	{ "prof start iteration", false, false },
	{ "train iteration", false, false },
	{ "training iteration", false, false },
	{ "iteration", false, false },
	{ "iter", false, false },
	{ "train_step", false, false },
	{ "train step", false, false },
	{ "training_step", false, false },
	{ "training step", false, false },
	{ "global_step", false, false },
	{ "step", false, false },
	{ "train_batch", false, false },
	{ "batch", false, false },
	{ "Optimizer.step#", true, true },
};

int
key_own_count(void)
{
	return (int)(ARRAY_LEN(own_keys));
}

bool
key_own_cuts(int row)
{
	return own_keys[row].cuts;
}

const char *
key_own_text(int row)
{
	return own_keys[row].text;
}

static bool
is_alnum(char c)
{
	return isalnum((unsigned char)c) != 0;
}

static bool
is_sep(char c)
{
	return c != '\0' && strchr(" #:=_-.,/", c) != NULL;
}

/* Whether b[from..] ends with one of the words above, so that a number that
 * follows is dropped. */
static bool
has_number(const struct buf *b, size_t from)
{
	size_t i, n, at = b->len;

	while (at > from && isalpha((unsigned char)b->s[at - 1]))
		at--;
	n = b->len - at;
	for (i = 0; i < ARRAY_LEN(counted); i++)
		if (strlen(counted[i]) == n &&
		    strncasecmp(counted[i], b->s + at, n) == 0)
			return true;
	return false;
}

/* Drops what stands between a word and its number; true if that was an opening
 * bracket, whose closing one must go too. */
static bool
strip_number(struct buf *b, size_t from)
{
	bool open = false;

	if (b->len > from && strchr("([{", b->s[b->len - 1]) != NULL) {
		b->len--;
		open = true;
	}
	while (b->len > from && is_sep(b->s[b->len - 1]))
		b->len--;
	return open;
}

void
key_norm(struct buf *b, const char *s, size_t n)
{
	size_t from = b->len, i = 0, j;

	while (i < n) {
		for (j = i; j < n && isdigit((unsigned char)s[j]); j++)
			;
		if (j == i || (j < n && is_alnum(s[j])) ||
		    (i > 0 && is_alnum(s[i - 1]) && !has_number(b, from))) {
			do
				buf_putc(b, s[i++]);
			while (i < j);
			continue;
		}
		if (strip_number(b, from) && j < n &&
		    strchr(")]}", s[j]) != NULL)
			j++;
		i = j;
	}
	while (b->len > from && is_sep(b->s[b->len - 1]))
		b->len--;
}

size_t
key_trim(const char *s, size_t n)
{
	static const char *const tail[] = { "seq", "op_id", "sizes",
		"input_op_ids" };
	size_t i, k, m;

	for (i = 0; i + 2 < n; i++) {
		if (s[i] != ',' || s[i + 1] != ' ')
			continue;
		for (k = 0; k < ARRAY_LEN(tail); k++) {
			m = strlen(tail[k]);
			if (n - i > m + 4 &&
			    memcmp(s + i + 2, tail[k], m) == 0 &&
			    memcmp(s + i + 2 + m, " = ", 3) == 0)
				return i;
		}
	}
	return n;
}

int
key_own(struct key *k, const char *s, size_t n)
{
	size_t i, len;

	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, n);
	for (i = 0; i < ARRAY_LEN(own_keys); i++) {
		len = strlen(own_keys[i].text);
		if (own_keys[i].prefix ? n < len : k->tmp.len != len)
			continue;
		if (strncasecmp(own_keys[i].prefix ? s : k->tmp.s,
			own_keys[i].text, len) == 0)
			return (int)i;
	}
	return -1;
}

void
key_init(struct key *k, const char *arg, bool exact, bool cut)
{
	buf_free(&k->norm);
	buf_free(&k->tmp);
	buf_free(&k->text);
	memset(k, 0, sizeof(*k));
	k->arg = arg;
	k->exact = exact;
	k->cut = cut;
	if (arg == NULL)
		return;
	key_norm(&k->norm, arg, strlen(arg));
	if (key_own(k, arg, strlen(arg)) >= 0 &&
	    own_keys[key_own(k, arg, strlen(arg))].cuts)
		k->cut = true;
}

int
key_range(struct key *k, const char *s, size_t n)
{
	int hit = k->cut ? STEP_CUT : STEP_RANGE;

	if (k->exact)
		return strlen(k->arg) == n && memcmp(k->arg, s, n) == 0 ? hit
									: 0;
	if (k->norm.len == 0 || n == 0 ||
	    (s[0] != k->norm.s[0] && !isdigit((unsigned char)s[0]) &&
		!is_sep(s[0])))
		return 0;
	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, n);
	return k->tmp.len == k->norm.len &&
		       memcmp(k->tmp.s, k->norm.s, k->tmp.len) == 0
		   ? hit
		   : 0;
}

/* The frameworks' own step ranges are kept until the section ends: only then
 * it is known how much of it they cover. */

static void
note_range(struct own_row *w, int64_t lo, int64_t hi, bool numbered)
{
	if (w->n++ == 0 || lo >= w->hi) {
		w->lo = lo;
		w->hi = hi;
	} else if (hi > w->hi) {
		w->hi = hi;
	}
	w->n_numbered += numbered;
}

void
own_add(struct own *o, struct key *k, struct layout *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi)
{
	int row = key_own(k, s, n);

	if (row < 0)
		return;
	ARRAY_GROW(o->v, o->n, o->cap);
	o->v[o->n++] = (struct own_range){ lo, hi, lane,
		smap_put(&p->texts, s, n, NULL), row };
	if (o->row == NULL)
		o->row = xcalloc((size_t)key_own_count(), sizeof(*o->row));
	note_range(&o->row[row], lo, hi, k->tmp.len != n);
}

void
own_work(struct own *o, int64_t t, int64_t ns)
{
	int i;

	o->gpu_ns += (double)ns;
	for (i = 0; o->row != NULL && i < key_own_count(); i++)
		if (t >= o->row[i].lo && t < o->row[i].hi)
			o->row[i].gpu_ns += (double)ns;
}

void
own_free(struct own *o)
{
	free(o->v);
	free(o->row);
	memset(o, 0, sizeof(*o));
}

/* How much of the profile's time the ranges of a row cover, in percent. A range
 * that cuts covers all time before it. The profile's time ends with the last
 * start of an op or launch, because the wait for the GPU after it is not a step
 * that the ranges leave out. */
static double
coverage(const struct own *o, const struct iter_extent *e, int row)
{
	struct ivl u = { 0 };
	double len = (double)e->work_hi - (double)e->work_lo;
	double in;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->v[i].row == row && key_own_cuts(row))
			ivl_add(&u, e->work_lo, o->v[i].lo);
		else if (o->v[i].row == row)
			ivl_add(&u, o->v[i].lo, o->v[i].hi);
	in = (double)ivl_len_in(&u, e->work_lo, e->work_hi);
	ivl_free(&u);
	return len > 0 ? 100 * in / len : 0;
}

static void
take_row(const struct own *own, int row, struct opkey *op, uint32_t src,
    struct layout *p)
{
	const struct own_range *o;
	size_t i;

	for (i = 0; i < own->n; i++) {
		o = &own->v[i];
		if (o->row != row)
			continue;
		if (key_own_cuts(row) && o->hi != INT64_MAX)
			opkey_range(
			    op, src, p->lane[o->lane].proc, o->hi, false);
		else if (!key_own_cuts(row))
			layout_step(p, o->lane, o->lo, o->hi, o->text);
	}
	if (key_own_cuts(row))
		opkey_cuts(op, src, p);
}

/* Whether numbered ranges hold most of the GPU work. */
static bool
holds_most(const struct own *o, int row)
{
	return !key_own_cuts(row) && o->row[row].n_numbered >= OWN_STEPS &&
	       o->row[row].gpu_ns > o->gpu_ns / 2;
}

int
own_best(const struct own *o, const struct iter_extent *e)
{
	int row;

	for (row = 0; e->any_work && o->n > 0 && row < key_own_count(); row++)
		if (o->row[row].n >= (key_own_cuts(row) ? 2 : 1) &&
		    (coverage(o, e, row) >= OWN_PCT || holds_most(o, row)))
			return row;
	return -1;
}

int
own_take(const struct own *o, const struct iter_extent *e, struct opkey *op,
    uint32_t src, struct layout *p)
{
	int row = own_best(o, e);

	if (row >= 0)
		take_row(o, row, op, src, p);
	return row;
}
