/*
 * --list: the ranges and ops that could be a key, ranked by how much of the
 * profile's time they cover and how even their lengths are. --list -k and
 * --stable: the iterations of a key, how far each is from the median, and
 * which of them are even.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "iter.h"
#include "num.h"
#include "steps.h"

/* A lane's candidate, made if it is new; *fresh says so. */
static struct cand *
cand_of(struct cands *l, bool is_op, int64_t which, uint32_t src, uint32_t lane,
    bool *fresh)
{
	int64_t id[4] = { is_op, which, src, lane };
	size_t n = smap_put(&l->cands, (const char *)id, sizeof(id), fresh);

	ARRAY_GROW(l->v, n, l->cap);
	if (*fresh) {
		memset(&l->v[n], 0, sizeof(*l->v));
		l->v[n].is_op = is_op;
	}
	return &l->v[n];
}

/* One more length: its part of mean and squares, so that lengths need not be
 * kept. */
static void
cand_length(struct cand *c, double x)
{
	double d = x - c->mean;

	c->n++;
	c->sum += x;
	c->mean += d / (double)c->n;
	c->m2 += d * (x - c->mean);
}

void
cand_range(struct cands *l, struct key *k, uint32_t src, uint32_t lane,
    const char *s, size_t n, int64_t lo, int64_t hi)
{
	struct cand *c;
	uint32_t name;
	bool fresh;

	buf_clear(&k->text);
	key_norm(&k->text, s, n);
	if (k->text.len == 0 || hi == INT64_MAX ||
	    (l->numbered && k->text.len == n))
		return;
	name = smap_put(&l->names, k->text.s, k->text.len, NULL);
	c = cand_of(l, false, name, src, lane, &fresh);
	if (fresh)
		l->names.val[name]++;
	if (!fresh && lo < c->last)
		return; /* inside of itself */
	if (fresh)
		c->first = lo;
	c->name = name;
	c->numbered |= k->text.len != n;
	c->op_id = -1;
	c->last = hi;
	cand_length(c, (double)hi - (double)lo);
}

/* Counts how many ops and ranges have the text: each op counts for itself. */
static uint32_t
count_text(struct cands *l, const char *s)
{
	uint32_t n;

	if (s == NULL)
		return SMAP_NONE;
	n = smap_put(&l->names, s, strlen(s), NULL);
	l->names.val[n]++;
	return n;
}

void
cand_op(struct cands *l, int64_t id, const struct op_names *s)
{
	struct cand_op *o;

	if (s->name == NULL)
		return;
	l->op = xrealloc(l->op, l->nop + 1, sizeof(*l->op));
	o = &l->op[l->nop++];
	o->name = count_text(l, s->name);
	o->key = count_text(l, s->key);
	o->bprop = s->dir != NULL && strcmp(s->dir, "bprop") == 0;
	*map_put(&l->ops, (uint64_t)id, NULL) = l->nop;
}

void
cand_inst(
    struct cands *l, int64_t op_id, uint32_t src, uint32_t lane, int64_t stop)
{
	const uint64_t *op = map_get(&l->ops, (uint64_t)op_id);
	struct cand *c;
	bool fresh;

	if (op == NULL)
		return;
	c = cand_of(l, true, op_id, src, lane, &fresh);
	if (fresh) {
		c->first = stop;
		c->name = l->op[*op - 1].name;
		c->op_id = op_id;
	} else {
		cand_length(c, (double)stop - (double)c->last);
	}
	c->last = stop;
}

/* How much of the total time all lengths cover, and how even they are. */
static void
cand_judge(struct cand *c, double total)
{
	double sd = c->n > 1 ? sqrt(c->m2 / ((double)c->n - 1)) : 0;

	c->coverage = total > 0 ? c->sum / total : 0;
	if (c->coverage > 1)
		c->coverage = 1;
	c->var = c->mean > 0 ? sd / c->mean : 0;
	c->score = c->coverage / (1 + c->var);
}

void
cand_own(struct cands *l, struct key *k, int row)
{
	const char *s;
	size_t i, n;

	for (i = 0; row >= 0 && i < l->cands.n; i++) {
		s = smap_str(&l->names, l->v[i].name, &n);
		l->v[i].own |= !l->v[i].is_op && key_own(k, s, n) == row;
	}
}

void
cand_clear(struct cands *l)
{
	smap_free(&l->names);
	smap_free(&l->cands);
	map_free(&l->ops);
	free(l->op);
	buf_free(&l->words);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* A cand record; see common/columns.tab. */
struct cand_line {
	const char *kind;
	struct mview key;
	const char *dir;
	uint64_t n;
	int64_t from, to; /* the stable range; -1: none */
	const char *src;  /* escaped; NULL: none */
};

static void
put_cand(struct iter_out *o, const struct cand_line *x, const struct cand *c)
{
	static const char *const names[] = { "kind", "key", "op_id", "dir", "n",
		"coverage_pct", "mean_ns", "var_pct", "score", "iter_start",
		"iter_stop", "src" };

	out_rec_src(&o->cand, "cand", names, ARRAY_LEN(names), x->src != NULL);
	out_word(x->kind);
	out_text(x->key.s, x->key.n);
	out_opt(c->op_id >= 0, c->op_id);
	out_word(x->dir);
	out_i64((int64_t)x->n);
	out_f64(true, 100 * c->coverage, 1);
	out_i64((int64_t)(c->mean + 0.5));
	out_f64(c->n > 1, 100 * c->var, 1);
	out_f64(true, c->score, 3);
	out_opt(x->from >= 0, x->from);
	out_opt(x->from >= 0, x->to);
	if (x->src != NULL)
		out_word(x->src);
	out_end();
}

/* Puts the same candidate on several threads side by side, the best first. */
static int
by_candidate(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;
	int c = CMP3(x, y, is_op, op_id, name);

	if (c == 0)
		c = CMP(y->coverage, x->coverage);
	return c != 0 ? c : CMP(x->first, y->first);
}

/* An even range over nearly all of the profile comes before ops: it says
 * where a step begins, too. */
static bool
is_step(const struct cand *c)
{
	return !c->is_op && c->coverage >= OWN_PCT / 100.0 && c->var <= 0.5;
}

static int
by_score(const void *a, const void *b)
{
	const struct cand *x = a, *y = b;
	int c = CMP(y->own, x->own);

	if (c == 0)
		c = CMP(is_step(y), is_step(x));
	if (c == 0)
		c = CMP(x->bare, y->bare);
	if (c == 0)
		c = CMP(y->score, x->score);
	return c != 0 ? c : CMP3(x, y, is_op, op_id, name);
}

static const struct cand_op *
cand_op_of(const struct cands *l, const struct cand *c)
{
	return &l->op[*map_get(&l->ops, (uint64_t)c->op_id) - 1];
}

/* The text by which -k finds this op and no other: its name if no other op or
 * range has it, otherwise its key; SMAP_NONE: neither. */
static uint32_t
own_text(const struct cands *l, const struct cand_op *o)
{
	if (l->names.val[o->name] == 1)
		return o->name;
	if (o->key != SMAP_NONE && l->names.val[o->key] == 1)
		return o->key;
	return SMAP_NONE;
}

/* Ranges of layers, of communication and of compilers are not steps. */
static bool
is_part(const struct cands *l, const struct cand *c)
{
	static const char *const words[] = { "nn.Module",
		"FSDP::", "all_reduce", "nccl", "Xla", "Thunk:", "layers" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(words) && !c->is_op; i++)
		if (mv_has(smap_view(&l->names, c->name), words[i]))
			return true;
	return false;
}

/* Sorts the candidates, the best first, and drops those that cannot be a key;
 * how many are left. */
static size_t
rank(struct cands *l, double total)
{
	const struct cand *c, *last = NULL;
	size_t i, n = 0;

	for (i = 0; i < l->cands.n; i++)
		cand_judge(&l->v[i], total);
	if (l->cands.n > 0)
		qsort(l->v, l->cands.n, sizeof(*l->v), by_candidate);
	/* what occurs more than once, or has a number and covers the profile
	 * alone; of several threads the best one */
	for (i = 0; i < l->cands.n; i++) {
		c = &l->v[i];
		if (c->n == 0 || is_part(l, c) ||
		    (c->n == 1 && !c->is_op && (!c->numbered || !is_step(c))))
			continue;
		if (last == NULL || last->is_op != c->is_op ||
		    last->op_id != c->op_id || last->name != c->name) {
			l->v[n] = *c;
			last = &l->v[n++];
		}
	}
	/* a number says nothing, and is another one in the next run */
	for (i = 0; i < n; i++)
		l->v[i].bare =
		    l->v[i].is_op &&
		    own_text(l, cand_op_of(l, &l->v[i])) == SMAP_NONE;
	if (n > 0)
		qsort(l->v, n, sizeof(*l->v), by_score);
	return n;
}

size_t
cand_list(struct iter_out *out, struct cands *l, double total, int limit)
{
	size_t i, n = rank(l, total);
	const struct cand_op *o;
	const struct cand *c;
	struct cand_line x;
	uint32_t text;

	for (i = 0; i < n && (limit == 0 || i < (size_t)limit); i++) {
		c = &l->v[i];
		x = (struct cand_line){ .kind = "range",
			.n = c->n + c->is_op,
			.from = -1,
			.to = -1 };
		text = c->name;
		if (c->is_op) {
			o = cand_op_of(l, c);
			x.kind = "op";
			x.dir = o->bprop ? "bprop" : "fprop";
			text = own_text(l, o);
		}
		x.key = smap_view(&l->names, text);
		if (text == SMAP_NONE) { /* an op goes by its number */
			buf_clear(&l->words);
			buf_i64(&l->words, c->op_id);
			x.key = (struct mview){ l->words.s, l->words.len };
		}
		put_cand(out, &x, c);
	}
	return n;
}

const char *
cand_words(struct cands *l, double total, size_t limit)
{
	struct buf *b = &l->words;
	size_t i, k = 0, len, n = rank(l, total);
	const char *s;

	buf_clear(b);
	for (i = 0; i < n && k < limit; i++) {
		if (l->v[i].is_op)
			continue;
		s = smap_str(&l->names, l->v[i].name, &len);
		buf_puts(b, k++ > 0 ? ", " : "");
		buf_put(b, s, len);
	}
	return buf_str(b);
}

bool
stable_splits(const struct stable *l)
{
	size_t i, with = 0, without = 0;

	for (i = 0; i < l->n; i++) {
		with += l->v[i].marked > 0;
		without += l->v[i].marked < 0;
	}
	return with > 0 && without >= STEADY_UNMARKED_LEAST;
}

/* The steps that can count, and which of them do. */
struct judged {
	struct steady_step *v; /* their lengths */
	size_t *at;            /* their places in the list */
	size_t n, n_warm, n_once;
	int64_t from, to; /* in v; -1: none */
	double median;
	enum steady_by by;
};

static struct judged
judge(const struct stable *l, bool splits)
{
	struct judged j = { .v = xcalloc(l->n + 1, sizeof(*j.v)),
		.at = xcalloc(l->n + 1, sizeof(*j.at)) };
	const struct iteration *x;
	size_t i;

	for (i = 0; i < l->n; i++) {
		x = &l->v[i];
		if (splits && x->marked > 0)
			continue;
		j.at[j.n] = i;
		j.v[j.n].ns = x->has_step ? x->step : STEADY_NONE;
		j.v[j.n].load_ns = x->load_ns;
		j.v[j.n++].alloc_ns = x->alloc_ns;
	}
	j.by = steady_range(j.v, j.n, &j.from, &j.to, &j.n_warm);
	j.median = steady_median(j.v, j.n);
	for (i = 0; i < j.n; i++)
		j.n_once += j.v[i].once;
	return j;
}

static void
judged_free(struct judged *j)
{
	free(j->v);
	free(j->at);
}

static void
put_listed(
    struct iter_out *o, const struct iteration *x, double med, bool is_stable)
{
	static const char *const names[] = { "iter", "key", "start_ns",
		"dur_ns", "gpu_start_ns", "gpu_end_ns", "gpu_ns", "step_ns",
		"kern_ns", "n_kern", "n_op", "dev_pct", "stable", "src" };

	out_rec_src(
	    &o->listed, "iter", names, ARRAY_LEN(names), x->src != NULL);
	iteration_fields(x);
	out_f64(x->has_step && med > 0, 100 * ((double)x->step - med) / med, 1);
	out_word(is_stable ? "yes" : "no");
	if (x->src != NULL)
		out_word(x->src);
	out_end();
}

void
stable_list(struct iter_out *out, const struct stable *l, const char *key,
    const char *kind, const char *src, int64_t lo, int64_t hi)
{
	struct cand c = { .op_id = -1 };
	struct cand_line x = {
		.kind = kind, .key = { key, strlen(key) }, .n = l->n, .src = src
	};
	bool splits = stable_splits(l);
	struct judged j = judge(l, splits);
	struct ivl u = { 0 };
	size_t i;

	x.from = j.from < 0 ? -1 : (int64_t)j.at[j.from];
	x.to = j.from < 0 ? -1 : (int64_t)j.at[j.to];
	judged_free(&j);
	for (i = 0; i < l->n; i++) {
		const struct iteration *it = &l->v[i];

		if (it->has_step)
			cand_length(&c, (double)it->step);
		if (it->has_dur)
			ivl_add(&u, it->start, num_add(it->start, it->dur));
	}
	c.sum = (double)ivl_len_in(&u, lo, hi);
	ivl_free(&u);
	cand_judge(&c, (double)hi - (double)lo);
	put_cand(out, &x, &c);
	for (i = 0; i < l->n; i++)
		put_listed(out, &l->v[i], j.median,
		    (int64_t)i >= x.from && (int64_t)i <= x.to &&
			!(splits && l->v[i].marked > 0));
}

/* Mean and standard deviation of the known values of v[0..n). The deviation is
 * that of a sample; NAN of fewer than two values. */
static void
mean_of(const struct steady_step *v, size_t n, double *mean, double *std)
{
	double sum = 0, sq = 0;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (v[i].ns != STEADY_NONE) {
			sum += (double)v[i].ns;
			k++;
		}
	*mean = k > 0 ? sum / (double)k : NAN;
	for (i = 0; i < n; i++)
		if (v[i].ns != STEADY_NONE)
			sq += ((double)v[i].ns - *mean) *
			      ((double)v[i].ns - *mean);
	*std = k > 1 ? sqrt(sq / (double)(k - 1)) : NAN;
}

/* The steps that take much longer than the others, again and again or once:
 * checkpoints, evaluation, a data loader that waits for its disk. */
static void
put_slow(const struct stable *l, const struct judged *j)
{
	const struct steady_step *v = j->v;
	int64_t ns = 0;         /* beyond the median */
	int64_t of_ns = 0;      /* of all steps after warm-up */
	ptrdiff_t longest = -1; /* of the slow ones */
	bool warm = false;
	size_t i, n = 0;

	for (i = 0; i < j->n; i++) {
		warm = warm || steady_even(&v[i], j->median);
		if (!warm || v[i].once || v[i].ns == STEADY_NONE)
			continue;
		of_ns = num_add(of_ns, v[i].ns);
		if ((double)v[i].ns <= 1.5 * j->median)
			continue;
		n++;
		ns = num_add(ns, v[i].ns - (int64_t)j->median);
		if (longest < 0 || v[i].ns > v[longest].ns)
			longest = (ptrdiff_t)i;
	}
	out_i64((int64_t)n);
	out_i64(ns);
	out_opt(of_ns > 0, of_ns);
	out_opt(longest >= 0, longest >= 0 ? l->v[j->at[longest]].iter : 0);
}

static void
put_ns(double x)
{
	out_opt(!isnan(x), isnan(x) ? 0 : (int64_t)llround(x));
}

/* The number of steps with ranges of ops, and the mean of their lengths: of
 * those after the first without, if there are some, because the program warms
 * up before; and which they are. */
static void
put_marked(const struct stable *l)
{
	struct buf which = { 0 };
	double sum = 0, early = 0;
	size_t i, n = 0, k = 0;
	bool later = false;

	for (i = 0; i < l->n; i++) {
		later = later || l->v[i].marked < 0;
		if (l->v[i].marked <= 0)
			continue;
		buf_printf(&which, "%s%lld", n++ > 0 ? "," : "",
		    (long long)l->v[i].iter);
		k += later && l->v[i].has_step;
		*(later ? &sum : &early) += (double)l->v[i].step;
	}
	out_i64((int64_t)n);
	put_ns(k > 0 ? sum / (double)k : early / (double)n);
	out_word(buf_str(&which));
	buf_free(&which);
}

void
stable_put(
    struct iter_out *out, const struct stable *l, bool all, const char *src)
{
#define STABLE_COLS                                                            \
	"n", "from", "to", "n_even", "median_ns", "mean_ns", "std_ns",         \
	    "within_pct", "agree", "n_once", "n_slow", "slow_ns",              \
	    "slow_of_ns", "slowest", "n_warm"
	static const char *const names[] = { STABLE_COLS, "src" };
	static const char *const more[] = { STABLE_COLS, "n_marked",
		"marked_ns", "marked", "src" };
	static const char *const word[] = { "none", "none", "all", "median" };
	bool splits = !all && stable_splits(l), any;
	struct judged j = judge(l, splits);
	double mean, std;

	if (all) {
		j.from = j.n > 0 ? 0 : -1;
		j.to = (int64_t)j.n - 1;
	}
	any = j.from >= 0;
	if (any)
		mean_of(j.v + j.from, (size_t)(j.to - j.from + 1), &mean, &std);
	else
		mean_of(j.v, j.n, &mean, &std);
	if (splits)
		out_rec_src(
		    &out->split, "stable", more, ARRAY_LEN(more), src != NULL);
	else
		out_rec_src(&out->stable, "stable", names, ARRAY_LEN(names),
		    src != NULL);
	out_i64((int64_t)l->n);
	out_opt(any, any ? l->v[j.at[j.from]].iter : 0);
	out_opt(any, any ? l->v[j.at[j.to]].iter : 0);
	out_i64(any ? j.to - j.from + 1 : 0);
	put_ns(j.n > 0 ? j.median : NAN);
	put_ns(mean);
	put_ns(std);
	out_i64(STEADY_PCT);
	out_word(all ? NULL : word[j.by]);
	out_i64(all ? 0 : (int64_t)j.n_once);
	put_slow(l, &j);
	out_i64(all ? 0 : (int64_t)j.n_warm);
	if (splits)
		put_marked(l);
	if (src != NULL)
		out_word(src);
	out_end();
	judged_free(&j);
}

enum steady_by
stable_range(const struct stable *l, int64_t *from, int64_t *to, size_t *n_once)
{
	struct judged j = judge(l, stable_splits(l));
	bool any = j.from >= 0;

	*n_once = j.n_once;
	*from = any ? l->v[j.at[j.from]].iter : 0;
	*to = any ? l->v[j.at[j.to]].iter : INT64_MAX;
	judged_free(&j);
	return any ? j.by : STEADY_BY_NONE;
}
