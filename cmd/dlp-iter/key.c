/*
 * The texts of keys: numbers are dropped, so that "iteration 0" and
 * "iteration 1" are one key; and the table of the frameworks' own step ranges.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "iter.h"
#include "num.h"
#include "serving.h"

enum op_level {   /* the best level that matches anything is taken */
	OP_RANGE, /* not an op: a range that cuts */
	OP_ID,
	OP_NAME,
	OP_KEY,
	OP_TYPE_N, /* DLProf's form: CONV2D_1 */
	OP_NAME_NORM,
	OP_TEXT,
	OP_TYPE,
	OP_RANGE_LAST, /* a range, where ops are preferred */
	OP_LEVELS
};

#define OWN_STEPS 3

/*
 * Key ops: iterations end where runs of the key op end. On several GPUs with
 * equally many runs each, iteration n ends when the n-th run of the last GPU
 * ends; otherwise every run ends one.
 */

static bool
is_text(const char *a, const char *b)
{
	return a != NULL && strcmp(a, b) == 0;
}

static bool
same_norm(struct key *k, const char *s, size_t n)
{
	buf_clear(&k->tmp);
	key_norm(&k->tmp, s, n);
	return k->tmp.len == k->norm.len &&
	       memcmp(k->tmp.s, k->norm.s, k->tmp.len) == 0;
}

static enum op_level
level_of(struct opkey *o, struct key *k, int64_t id, const struct op_names *s)
{
	const char *arg = k->arg, *p;
	struct buf *up = &o->up;
	uint32_t type;
	int64_t v;

	if (s->dl_id != NULL) {
		if (is_text(s->dl_id, arg))
			return OP_TYPE_N;
	} else if (s->type != NULL && *s->type != '\0') {
		/* DLProf numbers the ops of each upper-cased type from 1 */
		buf_clear(up);
		for (p = s->type; *p != '\0'; p++)
			buf_putc(up, (char)toupper((unsigned char)*p));
		type = smap_put(&o->types, up->s, up->len, NULL);
		buf_putc(up, '_');
		buf_u64(up, ++o->types.val[type]);
		if (text_is(up->s, up->len, arg))
			return OP_TYPE_N;
	}
	if (num_i64(arg, strlen(arg), &v))
		return v == id ? OP_ID : OP_LEVELS;
	if (is_text(s->name, arg))
		return OP_NAME;
	if (is_text(s->key, arg))
		return OP_KEY;
	if (s->name != NULL && !k->exact && k->norm.len > 0 &&
	    same_norm(k, s->name, strlen(s->name)))
		return OP_NAME_NORM;
	if (is_text(s->text, arg))
		return OP_TEXT;
	return is_text(s->type, arg) ? OP_TYPE : OP_LEVELS;
}

void
opkey_op(struct opkey *o, struct key *k, int64_t id, const struct op_names *s)
{
	enum op_level level = level_of(o, k, id, s);

	/* DLProf finds an op by its name or its id. (That numbers in names are
	 * ignored is ours.) */
	if (level == OP_LEVELS ||
	    (k->by_name && level != OP_NAME && level != OP_TYPE_N &&
		level != OP_NAME_NORM))
		return;
	*map_put(&o->ops, (uint64_t)id, NULL) =
	    (uint64_t)level * 2 + is_text(s->dir, "bprop") + 1;
}

void
opkey_range(
    struct opkey *o, uint32_t src, uint32_t proc, int64_t stop, bool last)
{
	ARRAY_GROW(o->v, o->n, o->cap);
	o->v[o->n++] = (struct keyinst){ stop, -1, src, proc,
		last ? OP_RANGE_LAST : OP_RANGE, false };
}

/* Keeps the runs of the best level; if an op runs forward and backward, only
 * the forward runs, because an iteration has one of them. */
static void
keep_best(struct opkey *o)
{
	uint8_t best = OP_LEVELS;
	bool fprop = false;
	size_t i, n = 0;

	for (i = 0; i < o->n; i++)
		if (o->v[i].level < best)
			best = o->v[i].level;
	for (i = 0; i < o->n; i++)
		fprop |= o->v[i].level == best && !o->v[i].bprop;
	for (i = 0; i < o->n; i++)
		if (o->v[i].level == best && (!fprop || !o->v[i].bprop))
			o->v[n++] = o->v[i];
	o->n = n;
}

static int
by_gpu(const void *a, const void *b)
{
	const struct keyinst *x = a, *y = b;

	return CMP3(x, y, proc, dev, stop);
}

/* The number of runs of each GPU if it is the same on all of them, otherwise
 * 0. */
static size_t
runs_each(const struct opkey *o)
{
	size_t i, from = 0, each = 0;

	for (i = 1; i <= o->n; i++) {
		if (i < o->n && o->v[i].proc == o->v[from].proc &&
		    o->v[i].dev == o->v[from].dev)
			continue;
		if (each != 0 && i - from != each)
			return 0;
		each = i - from;
		from = i;
	}
	return each;
}

bool
opkey_cuts(struct opkey *o, uint32_t src, struct layout *p)
{
	struct opkey r = { 0 }; /* the runs that lie in the file */
	size_t i, k, each;
	int64_t t;
	struct map m = { 0 };
	const uint64_t *v;

	keep_best(o);
	r.v = xcalloc(o->n + 1, sizeof(*r.v));
	for (i = 0; i < o->n; i++)
		if (o->v[i].src == src)
			r.v[r.n++] = o->v[i];
	if (r.n == 0) {
		free(r.v);
		return false;
	}
	/* A run without work on a GPU counts for the GPU of its process. */
	for (i = 0; i < r.n; i++)
		if (r.v[i].dev >= 0)
			*map_put(&m, r.v[i].proc, NULL) = (uint64_t)r.v[i].dev;
	for (i = 0; i < r.n; i++) {
		v = map_get(&m, r.v[i].proc);
		if (r.v[i].dev < 0 && v != NULL)
			r.v[i].dev = (int64_t)*v;
	}
	map_free(&m);
	qsort(r.v, r.n, sizeof(*r.v), by_gpu);
	each = runs_each(&r);
	for (i = 0; i < (each > 0 ? each : r.n); i++) {
		t = r.v[i].stop;
		for (k = i; each > 0 && k < r.n; k += each)
			if (r.v[k].stop > t)
				t = r.v[k].stop;
		ARRAY_GROW(p->cut, p->ncut, p->cut_cap);
		p->cut[p->ncut++] = t;
	}
	p->kind = LAYOUT_CUTS;
	qsort(p->cut, p->ncut, sizeof(*p->cut), array_by_i64);
	free(r.v);
	return true;
}

void
opkey_clear(struct opkey *o)
{
	map_free(&o->ops);
	map_free(&o->devs);
	smap_free(&o->types);
	buf_free(&o->up);
	free(o->v);
	memset(o, 0, sizeof(*o));
}

/* Words whose number may follow without a space: "step12". Other words keep
 * it: conv1 and conv2 are two things. */
static const char *const counted[] = { "iteration", "iter", "step", "batch" };

/* What frameworks and their users call a step, best first. Numbers and case are
 * ignored. Of the last only the beginning is compared, and its ranges end a
 * step instead of spanning it. */
static const char *const own_keys[] = { "profilerstep",
	"[pl][profile]run_training_batch", "body of iteration",
	"prof start iteration", "train iteration", "training iteration",
	"iteration", "iter", "train_step", "train step", "training_step",
	"training step", "global_step", "step", "train_batch", "batch",
	"execute", "step[]", "execute_batch", "Optimizer.step#" };
#define OWN_KEYS ((int)ARRAY_LEN(own_keys))

const int key_own_cuts = OWN_KEYS - 1;
const char *const key_own_text = "Optimizer.step#";

/* Of the engines' ranges, whose sizes differ from step to step. */
static const char *const serving_keys[] = { [SERVING_EXECUTE] = "execute",
	[SERVING_STEP] = "step[]",
	[SERVING_BATCH] = "execute_batch" };

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

void
key_norm(struct buf *b, const char *s, size_t n)
{
	size_t from = b->len, i = 0, j;
	struct mview v = { s, n };
	struct serving step;

	/* a training step that JAX compiled:
	 * XlaModule:#hlo_module=jit_train_step,program_id=5# */
	if (mv_starts(v, "XlaModule:#") && mv_has(v, "hlo_module=jit_") &&
	    mv_has(v, "step") && !mv_has(v, "eval")) {
		buf_puts(b, "train_step");
		return;
	}

	/* of a kind alone: a key of its own */
	if (serving_read(v, &step) && step.form != SERVING_BATCH) {
		buf_puts(b, serving_keys[step.form]);
		return;
	}
	while (i < n) {
		for (j = i; j < n && isdigit((unsigned char)s[j]); j++)
			;
		if (j == i || (j < n && isalnum((unsigned char)s[j])) ||
		    (i > 0 && isalnum((unsigned char)s[i - 1]) &&
			!has_number(b, from))) {
			do
				buf_putc(b, s[i++]);
			while (i < j);
			continue;
		}
		/* what stands between a word and its number goes, too, and the
		 * closing one of brackets */
		if (b->len > from && strchr("([{", b->s[b->len - 1]) != NULL) {
			b->len--;
			j += j < n && strchr(")]}", s[j]) != NULL;
		}
		while (b->len > from && is_sep(b->s[b->len - 1]))
			b->len--;
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
	struct serving step;
	size_t len;
	int i;

	buf_clear(&k->tmp);
	if (serving_read((struct mview){ s, n }, &step))
		buf_puts(&k->tmp, serving_keys[step.form]);
	else
		key_norm(&k->tmp, s, n);
	for (i = 0; i < OWN_KEYS; i++) {
		len = strlen(own_keys[i]);
		if (i == key_own_cuts ? n < len : k->tmp.len != len)
			continue;
		if (strncasecmp(i == key_own_cuts ? s : k->tmp.s, own_keys[i],
			len) == 0)
			return i;
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
	if (key_own(k, arg, strlen(arg)) == key_own_cuts)
		k->cut = true;
}

int
key_range(struct key *k, const char *s, size_t n)
{
	bool is;

	if (k->exact)
		is = text_is(s, n, k->arg);
	else if (k->norm.len == 0 || n == 0 ||
		 (s[0] != k->norm.s[0] && !isdigit((unsigned char)s[0]) &&
		     !is_sep(s[0])))
		is = false;
	else
		is = same_norm(k, s, n);
	return !is ? 0 : k->cut ? STEP_CUT : STEP_RANGE;
}

/* The frameworks' own step ranges are kept until the section ends: only then
 * it is known how much of it they cover. */

void
own_add(struct own *o, struct key *k, struct layout *p, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi)
{
	int row = key_own(k, s, n);
	struct own_row *w;

	if (row < 0)
		return;
	ARRAY_GROW(o->v, o->n, o->cap);
	o->v[o->n++] = (struct own_range){ lo, hi, lane,
		smap_put(&p->texts, s, n, NULL), row };
	if (o->row == NULL)
		o->row = xcalloc((size_t)OWN_KEYS, sizeof(*o->row));
	w = &o->row[row];
	if (w->n++ == 0 || lo >= w->hi) {
		w->lo = lo;
		w->hi = hi;
	} else if (hi > w->hi) {
		w->hi = hi;
	}
	w->n_numbered += k->tmp.len != n;
}

void
own_work(struct own *o, int64_t t, int64_t ns)
{
	int i;

	o->gpu_ns += (double)ns;
	for (i = 0; o->row != NULL && i < OWN_KEYS; i++)
		if (t >= o->row[i].lo && t < o->row[i].hi)
			o->row[i].gpu_ns += (double)ns;
}

/* How much of the profile's time the ranges of a row cover, in percent. A range
 * that cuts covers all time before it. The profile's time ends with the last
 * start of an op or launch, because the wait for the GPU after it is not a step
 * that the ranges leave out. */
static double
coverage(const struct own *o, const struct iter_extent *e, int row)
{
	struct ivl u = { 0 };
	double len = (double)e->work.hi - (double)e->work.lo;
	double in;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->v[i].row == row && row == key_own_cuts)
			ivl_add(&u, e->work.lo, o->v[i].lo);
		else if (o->v[i].row == row)
			ivl_add(&u, o->v[i].lo, o->v[i].hi);
	in = (double)ivl_len_in(&u, e->work.lo, e->work.hi);
	ivl_free(&u);
	return len > 0 ? 100 * in / len : 0;
}

/* Numbered ranges can hold most of the GPU work. dlp-record has an
 * "iteration" for each step, and an optimizer in some of them. */
int
own_best(const struct own *o, const struct iter_extent *e)
{
	const struct own_row *w = o->row;
	int row, all = -1;
	bool cuts;

	for (row = 0; e->work.any && o->n > 0 && row < OWN_KEYS; row++, w++) {
		cuts = row == key_own_cuts;
		if (w->n >= (cuts ? 2 : 1) &&
		    (coverage(o, e, row) >= OWN_PCT ||
			(!cuts && w->n_numbered >= OWN_STEPS &&
			    w->gpu_ns > o->gpu_ns / 2)))
			return cuts && all >= 0 && o->row[all].n > w->n ? all
									: row;
		if (w->n_numbered >= OWN_STEPS &&
		    strcmp(own_keys[row], "iteration") == 0)
			all = row;
	}
	return -1;
}

int
own_take(const struct own *own, const struct iter_extent *e, struct opkey *op,
    uint32_t src, struct layout *p)
{
	const struct own_range *o;
	int row = own_best(own, e);

	for (o = own->v; row >= 0 && o < own->v + own->n; o++) {
		if (o->row != row)
			continue;
		if (row != key_own_cuts)
			layout_step(p, o->lane, o->lo, o->hi, o->text);
		else if (o->hi != INT64_MAX)
			opkey_range(
			    op, src, p->lane[o->lane].proc, o->hi, false);
	}
	if (row == key_own_cuts)
		opkey_cuts(op, src, p);
	return row;
}
