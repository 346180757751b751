/*
 * PyProf's columns of a kernel: sequence id, alternative sequence ids, sub
 * (the kernel's number among those of its sequence id) and, where a profile
 * has PyProf's markers and texts as old as PyProf can read (no op_id), the
 * direction, module and op by PyProf's rules too, so that they equal its
 * output. Those rules look at the set of markers open around the launch and at
 * the kernel before:
 *
 * - the markers' texts are taken once each, sorted by their sequence id as a
 *   text and by name; neighbours of the same id whose names are alike are
 *   dropped;
 * - 0 is dropped beside others; forward takes the least id above that of
 *   the kernel before, or else goes on with that one; backward takes the
 *   least;
 * - sub counts on while id and list of ops stay the same;
 * - a backward is named after the last forward kernel with its id.
 *
 * Source: pyprof/parse of PyProf, whose output the tests compare.
 */
#include "compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "corr.h"
#include "err.h"
#include "esc.h"

#define SEQ_MAX 48 /* markers with sequence ids around one launch */
#define NAMES_MAX 65536

struct py_names { /* of ranges, as numbers; escaped */
	struct smap map;
	struct buf tmp;
};

struct py_around {            /* a launch */
	int64_t seq[SEQ_MAX]; /* ascending, each once */
	int n_seq;
	struct pyname {
		int64_t seq;
		uint32_t id;
		const char *s; /* of struct py_names */
		size_t n;
	} name[SEQ_MAX]; /* in PyProf's order, pruned */
	int n_name;
	const struct corr_open *args; /* outermost argument marker */
	const struct corr_open *other;
	uint64_t op; /* hash of the list of ops */
	bool bwd;
};

struct pyprof {
	bool own_names; /* names by PyProf's rules */
	struct py_names names;
	struct py_around around;
	struct buf text;
};

struct pyprof_proc { /* running figures over the kernels of a process */
	int64_t prev_seq, prev_sub;
	uint64_t prev_op;
	struct recent seq, alt; /* last forward kernel of a sequence id */
};

static struct pyprof_proc *
py_proc(struct corr_proc *p)
{
	if (p->py == NULL) {
		p->py = xcalloc(1, sizeof(*p->py));
		p->py->prev_seq = p->py->prev_sub = -1;
	}
	return p->py;
}

/* Whether PyProf can read the process's texts, so that its rules hold. */
static bool
is_pyprof(const struct corr_proc *p)
{
	return p->has_args && !p->has_op_id;
}

/* The number of a name; SMAP_NONE if there are too many. */
static uint32_t
names_put(struct py_names *t, struct mview v)
{
	if (t->map.n >= NAMES_MAX)
		return SMAP_NONE;
	buf_clear(&t->tmp);
	esc_put(&t->tmp, v.s, v.n);
	return smap_put(&t->map, t->tmp.s, t->tmp.len, NULL);
}

/* Whether names_get() can be asked. */
static bool
names_has(const struct py_names *t, uint32_t id)
{
	return id < t->map.n;
}

static const char *
names_get(const struct py_names *t, uint32_t id, size_t *n)
{
	return smap_str(&t->map, id, n);
}

/* Names of ranges are kept for the kernels in them. */
static void
py_named(struct corr *c, const struct corr_thread *th, struct corr_open *o,
    const struct marker *m)
{
	struct py_names *t = &c->pyprof->names;

	if (m->kind == MK_ARGS) {
		o->name = names_put(t, m->op);
		o->mod = names_put(t, m->mod);
		return;
	}
	if (m->kind == MK_USER || m->kind == MK_LAYER)
		o->name = SMAP_NONE;
	if (th->p->has_op_id)
		return;
	if (m->kind == MK_OP || m->kind == MK_BWD)
		o->name = names_put(t, m->name);
	else
		o->name = names_put(t, m->text);
}

/* The op of the last forward kernel that kept the sequence id, or else of the
 * last that had it as an alternative. */
static bool
py_forward(struct corr_proc *p, int64_t seq, struct recent_val *v)
{
	struct pyprof_proc *py = py_proc(p);

	return recent_get(&py->seq, seq, v) || recent_get(&py->alt, seq, v);
}

static enum pair
py_pair(struct corr_thread *th, const struct marker *m, struct recent_val *v)
{
	if (!is_pyprof(th->p))
		return PAIR_ASK;
	if (m->seq < 0)
		return PAIR_NONE; /* without op_id no input is known */
	return py_forward(th->p, m->seq, v) ? PAIR_FOUND : PAIR_NONE;
}

static void
add_seq(struct py_around *k, int64_t seq)
{
	int i, j;

	for (i = 0; i < k->n_seq && k->seq[i] < seq; i++)
		;
	if ((i < k->n_seq && k->seq[i] == seq) || k->n_seq == SEQ_MAX)
		return;
	for (j = k->n_seq++; j > i; j--)
		k->seq[j] = k->seq[j - 1];
	k->seq[i] = seq;
}

/* As PyProf sorts them: by the text "SEQNAME, seq". */
static int
name_cmp(const struct pyname *a, const struct pyname *b)
{
	char x[32], y[32];
	size_t n = a->n < b->n ? a->n : b->n;
	int r;

	if (a->seq != b->seq) {
		snprintf(x, sizeof(x), "%lld", (long long)a->seq);
		snprintf(y, sizeof(y), "%lld", (long long)b->seq);
		r = strncmp(
		    x, y, strlen(x) < strlen(y) ? strlen(x) : strlen(y));
		if (r != 0)
			return r;
	}
	r = memcmp(a->s, b->s, n);
	if (r != 0 || a->n == b->n)
		return r;
	return a->n < b->n ? ',' - (unsigned char)b->s[n]
			   : (unsigned char)a->s[n] - ',';
}

static void
add_name(struct py_around *k, const struct pyname *x)
{
	int i, j;

	for (i = 0; i < k->n_name && name_cmp(&k->name[i], x) < 0; i++)
		;
	if (k->n_name == SEQ_MAX ||
	    (i < k->n_name && name_cmp(&k->name[i], x) == 0))
		return;
	for (j = k->n_name++; j > i; j--)
		k->name[j] = k->name[j - 1];
	k->name[i] = *x;
}

static bool
is_within(const struct pyname *a, const struct pyname *b)
{
	size_t i;

	for (i = 0; i + a->n <= b->n; i++)
		if (memcmp(b->s + i, a->s, a->n) == 0)
			return true;
	return false;
}

/* Neighbours of the same id of which one's name is a part of the other's. */
static void
prune_names(struct py_around *k)
{
	struct pyname prev;
	int i, n = 0;

	for (i = 0; i < k->n_name; i++) {
		struct pyname x = k->name[i];

		if (i == 0 || x.seq != prev.seq ||
		    (!is_within(&x, &prev) && !is_within(&prev, &x)))
			k->name[n++] = x;
		prev = x;
	}
	k->n_name = n;
}

static bool
name_ends(const struct pyname *x, const char *tail)
{
	size_t n = strlen(tail);

	return x->n >= n && memcmp(x->s + x->n - n, tail, n) == 0;
}

static bool
is_bwd_name(const struct pyname *x)
{
	return name_ends(x, "Backward") || name_ends(x, "backward");
}

static void
gather_around(
    struct pyprof *py, const struct corr_thread *th, struct py_around *k)
{
	const struct corr_open *o;
	size_t i;

	for (i = 0; i < th->open.n; i++) {
		struct pyname x;

		o = thread_at(th, i);
		if (o->dead || o->hidden)
			continue;
		if (o->kind == MK_ARGS) {
			if (k->args == NULL)
				k->args = o;
			k->op = hash_mix(k->op ^ o->name) + 1;
		} else if (o->seq >= 0) {
			x.seq = o->seq;
			x.id = o->name;
			x.s = "";
			x.n = 0;
			if (names_has(&py->names, o->name))
				x.s = names_get(&py->names, o->name, &x.n);
			add_seq(k, o->seq);
			add_name(k, &x);
		} else if (k->other == NULL && o->kind != MK_TRACE &&
			   o->kind != MK_REPR && o->kind != MK_LAYER) {
			k->other = o;
		}
	}
	prune_names(k);
}

static void
judge_around(struct py_around *k)
{
	bool named_bwd = false;
	int i;

	for (i = 0; i < k->n_name; i++) {
		named_bwd |= is_bwd_name(&k->name[i]);
		k->bwd |= name_ends(&k->name[i], "Backward0");
	}
	k->bwd |= named_bwd;
	for (i = 0; i < k->n_name && k->args == NULL; i++)
		if (!named_bwd || is_bwd_name(&k->name[i]))
			k->op = hash_mix(k->op ^ hash_bytes(k->name[i].s,
						     k->name[i].n)) +
				1;
	if (k->n_seq > 1 && k->seq[0] == 0) {
		k->n_seq--;
		memmove(
		    k->seq, k->seq + 1, (size_t)k->n_seq * sizeof(k->seq[0]));
	}
}

static void
put_alt(struct kern_cols *o, int64_t seq)
{
	if (o->alt.len > 0)
		buf_putc(&o->alt, ',');
	buf_i64(&o->alt, seq);
}

static bool
is_cell(const struct pyprof *pyprof, const struct corr_open *o)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	size_t n, i;

	if (o == NULL || !names_has(&pyprof->names, o->name) ||
	    !names_has(&pyprof->names, o->mod) ||
	    strcmp(names_get(&pyprof->names, o->name, &n), "forward") != 0)
		return false;
	for (i = 0; i < ARRAY_LEN(cells); i++)
		if (strcmp(names_get(&pyprof->names, o->mod, &n), cells[i]) ==
		    0)
			return true;
	return false;
}

/* The kernel's own sequence id, by PyProf's walk. */
static int64_t
current_seq(const struct pyprof_proc *py, const struct py_around *k)
{
	int i;

	if (k->bwd)
		return k->seq[0];
	for (i = 0; i < k->n_seq; i++)
		if (k->seq[i] > py->prev_seq)
			return k->seq[i];
	return py->prev_seq;
}

/* PyProf's list shrinks while it is walked, so that the id after one that was
 * taken out is passed over and stays. */
static void
split_seq(const struct py_around *k, int64_t curr, struct kern_cols *o,
    struct py_around *kept)
{
	int i;

	kept->n_seq = 0;
	for (i = 0; i < k->n_seq; i++) {
		if (k->seq[i] == curr) {
			kept->seq[kept->n_seq++] = curr;
			continue;
		}
		put_alt(o, k->seq[i]);
		if (++i < k->n_seq)
			kept->seq[kept->n_seq++] = k->seq[i];
	}
	o->has_seq = kept->n_seq > 0;
	if (o->has_seq)
		o->seq = kept->seq[0];
	for (i = 1; i < kept->n_seq; i++)
		put_alt(o, kept->seq[i]);
}

static void
number_kernel(const struct pyprof *pyprof, struct corr_proc *p,
    struct py_around *k, struct kern_cols *o, const struct corr_place *pl)
{
	struct pyprof_proc *py = py_proc(p);
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, 0 };
	struct py_around kept;
	int64_t curr;
	int i;

	o->sub = 0;
	if (k->n_seq == 0)
		return;
	curr = current_seq(py, k);
	if (k->op == py->prev_op &&
	    (curr == py->prev_seq || is_cell(pyprof, k->args)))
		o->sub = py->prev_sub + 1;
	py->prev_seq = curr;
	py->prev_sub = o->sub;
	py->prev_op = k->op;
	split_seq(k, curr, o, &kept);
	if (k->bwd || pl->in == NULL)
		return;
	v.op = pl->op;
	v.inst = pl->in->id;
	if (k->args == NULL)
		v.name = k->name[0].id;
	for (i = 0; i < kept.n_seq; i++)
		recent_put(&py->seq, kept.seq[i], v);
	for (i = 0; i < k->n_seq; i++)
		if (k->seq[i] != curr &&
		    (kept.n_seq == 0 || k->seq[i] != kept.seq[0]))
			recent_put(&py->alt, k->seq[i], v);
}

/* The ids of a kernel whose texts are newer than PyProf: its op's own, the
 * others around the launch beside it. */
static void
number_by_run(const struct corr_work *w, const struct corr_place *pl,
    struct py_around *k, struct kern_cols *o)
{
	struct pyprof_proc *py = py_proc(w->p);
	uint64_t op = pl->op;
	size_t i;
	int j;

	o->seq = pl->in->seq;
	for (i = 0; i < w->th->open.n; i++) {
		const struct corr_open *x = thread_at(w->th, i);

		if (x->seq < 0 || x->dead || x->hidden)
			continue;
		if (o->seq < 0 && x->cur == pl->in)
			o->seq = x->seq;
		add_seq(k, x->seq);
	}
	o->has_seq = o->seq >= 0;
	for (j = 0; j < k->n_seq; j++)
		if (k->seq[j] != o->seq)
			put_alt(o, k->seq[j]);
	o->sub = o->has_seq ? 0 : -1;
	if (!o->has_seq)
		return;
	if (py->prev_seq == o->seq && py->prev_op == op)
		o->sub = py->prev_sub + 1;
	py->prev_seq = o->seq;
	py->prev_sub = o->sub;
	py->prev_op = op;
}

static void
cut_word(struct buf *b, const char *word)
{
	size_t n = strlen(word), i = 0;

	while (b->len >= n && i <= b->len - n) {
		if (memcmp(b->s + i, word, n) != 0) {
			i++;
			continue;
		}
		memmove(b->s + i, b->s + i + n, b->len - i - n);
		b->len -= n;
	}
}

/* MmBackward -> Mm, embedding_dense_backward -> embedding_dense. */
static struct escaped
bare_name(struct buf *b, const struct pyname *x)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	size_t i;

	buf_clear(b);
	buf_put(b, x->s, x->n);
	for (i = 0; i < ARRAY_LEN(drop); i++)
		cut_word(b, drop[i]);
	for (i = 0; i + 8 <= b->len; i++)
		if (memcmp(b->s + i, "Backward", 8) == 0)
			b->len = i;
	return (struct escaped){ b->s != NULL ? b->s : "", b->len };
}

static void
name_bwd(struct pyprof *py, const struct corr_ops *ops, struct corr_proc *p,
    const struct py_around *k, struct kern_cols *o)
{
	struct recent_val v;
	int i;

	if (k->n_seq > 0 && py_forward(p, k->seq[0], &v)) {
		if (names_has(&py->names, v.name)) {
			o->op.s = names_get(&py->names, v.name, &o->op.n);
			return;
		}
		o->mod = op_get(ops, v.op)->f[OF_MOD];
		o->op = op_get(ops, v.op)->f[OF_OP];
		return;
	}
	for (i = 0; i < k->n_name; i++)
		if (is_bwd_name(&k->name[i])) {
			o->op = bare_name(&py->text, &k->name[i]);
			return;
		}
}

/* Module and op where there is no argument marker: even a user's range is an
 * op to PyProf, if there is nothing else. */
static void
name_kernel(struct pyprof *py, const struct corr_ops *ops, struct corr_proc *p,
    const struct py_around *k, struct kern_cols *o)
{
	o->over = true;
	o->bwd = k->bwd;
	if (k->bwd) {
		name_bwd(py, ops, p, k, o);
	} else if (k->n_name > 0) {
		o->op.s = k->name[0].s;
		o->op.n = k->name[0].n;
	} else if (k->other != NULL && names_has(&py->names, k->other->name)) {
		o->op.s = names_get(&py->names, k->other->name, &o->op.n);
	}
}

/* The names by PyProf's rules, where they differ from the op's own. */
static void
name_by_rules(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct kern_cols *o)
{
	const struct py_around *k = &c->pyprof->around;
	const struct corr_op *op = op_get(&c->ops, pl->op);

	if (k->args == NULL) {
		name_kernel(c->pyprof, &c->ops, w->p, k, o);
	} else if (pl->in != NULL && k->bwd != op->bwd) {
		o->over = true;
		o->bwd = k->bwd;
		o->mod = op->f[OF_MOD];
		o->op = op->f[OF_OP];
	}
}

static void
py_around_launch(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct kern_cols *o)
{
	struct py_around *k = &c->pyprof->around;

	k->n_seq = k->n_name = 0;
	k->args = k->other = NULL;
	k->op = 0;
	k->bwd = false;
	if (w->p->has_op_id) {
		if (pl->in != NULL && !pl->in->replay)
			number_by_run(w, pl, k, o);
		return;
	}
	gather_around(c->pyprof, w->th, k);
	judge_around(k);
	number_kernel(c->pyprof, w->p, k, o, pl);
	if (is_pyprof(w->p))
		name_by_rules(c, w, pl, o);
	else if (pl->in == NULL)
		o->sub = -1;
	o->over &= c->pyprof->own_names;
}

static bool
py_columns(struct corr *c, const struct corr_work *w,
    const struct corr_place *pl, struct kern_cols *o)
{
	struct buf alt = o->alt;

	if (pl->in != NULL && op_get(&c->ops, pl->op)->none)
		return false;
	memset(o, 0, sizeof(*o));
	o->alt = alt;
	buf_clear(&o->alt);
	o->seq = o->sub = -1;
	if (w->th != NULL)
		py_around_launch(c, w, pl, o);
	return true;
}

/* The section ends. */
static void
py_forget(struct corr *c, struct corr_proc *p)
{
	smap_clear(&c->pyprof->names.map);
	if (p->py == NULL)
		return;
	recent_free(&p->py->seq);
	recent_free(&p->py->alt);
	free(p->py);
	p->py = NULL;
}

void
compat_pyprof(struct corr *c, bool names)
{
	c->pyprof = xcalloc(1, sizeof(*c->pyprof));
	c->pyprof->own_names = names;
	c->hooks.named = py_named;
	c->hooks.pair = py_pair;
	c->hooks.columns = py_columns;
	c->hooks.forget = py_forget;
}

void
compat_pyprof_free(struct corr *c)
{
	smap_free(&c->pyprof->names.map);
	buf_free(&c->pyprof->names.tmp);
	buf_free(&c->pyprof->text);
	free(c->pyprof);
}
