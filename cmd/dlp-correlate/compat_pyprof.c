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
		const char *s; /* offset in struct py_names */
		size_t n;
	} name[SEQ_MAX]; /* in PyProf's order, pruned */
	int n_name;
	const struct corr_open *args; /* outermost argument marker */
	const struct corr_open *other;
	uint64_t op; /* hash of the list of ops */
	bool bwd;
};

struct pyprof_names {
	bool own_names; /* names by PyProf's rules */
	struct py_names names;
	struct py_around around;
	struct buf text;
};

struct pyprof_proc { /* the state of PyProf's rules over the kernels of a
		      * process */
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

/* True if PyProf can read the process's texts, so that its rules apply. */
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

/* True if names_get() can be called. */
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
py_named(struct corr *corr, const struct corr_thread *th,
    struct corr_open *open, const struct marker *marker)
{
	struct py_names *t = &corr->pyprof->names;

	if (marker->kind == MK_ARGS) {
		open->name = names_put(t, marker->op);
		open->mod = names_put(t, marker->mod);
		return;
	}
	if (marker->kind == MK_USER || marker->kind == MK_LAYER)
		open->name = SMAP_NONE;
	if (th->p->has_op_id)
		return;
	if (marker->kind == MK_OP || marker->kind == MK_BWD)
		open->name = names_put(t, marker->name);
	else
		open->name = names_put(t, marker->text);
}

/* The op of the last forward kernel that kept the sequence id or, if there is
 * none, of the last one that had it as an alternative. */
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
add_seq_id(struct py_around *k, int64_t seq)
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

/* Sorts as PyProf does: by the text "SEQNAME, seq". */
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

/* Drops one of two neighbours of the same id if its name is part of the
 * other's. */
static void
prune_names(struct py_around *around)
{
	struct pyname prev;
	int i, n = 0;

	for (i = 0; i < around->n_name; i++) {
		struct pyname x = around->name[i];

		if (i == 0 || x.seq != prev.seq ||
		    (!is_within(&x, &prev) && !is_within(&prev, &x)))
			around->name[n++] = x;
		prev = x;
	}
	around->n_name = n;
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
gather_around(struct pyprof_names *py, const struct corr_thread *th,
    struct py_around *around)
{
	const struct corr_open *open;
	size_t i;

	for (i = 0; i < th->open.n; i++) {
		struct pyname x;

		open = thread_at(th, i);
		if (open->dead || open->hidden)
			continue;
		if (open->kind == MK_ARGS) {
			if (around->args == NULL)
				around->args = open;
			around->op = hash_mix(around->op ^ open->name) + 1;
		} else if (open->seq >= 0) {
			x.seq = open->seq;
			x.id = open->name;
			x.s = "";
			x.n = 0;
			if (names_has(&py->names, open->name))
				x.s = names_get(&py->names, open->name, &x.n);
			add_seq_id(around, open->seq);
			add_name(around, &x);
		} else if (around->other == NULL && open->kind != MK_TRACE &&
			   open->kind != MK_REPR && open->kind != MK_LAYER) {
			around->other = open;
		}
	}
	prune_names(around);
}

static void
judge_around(struct py_around *around)
{
	bool named_bwd = false;
	int i;

	for (i = 0; i < around->n_name; i++) {
		named_bwd |= is_bwd_name(&around->name[i]);
		around->bwd |= name_ends(&around->name[i], "Backward0");
	}
	around->bwd |= named_bwd;
	for (i = 0; i < around->n_name && around->args == NULL; i++)
		if (!named_bwd || is_bwd_name(&around->name[i]))
			around->op =
			    hash_mix(around->op ^ hash_bytes(around->name[i].s,
						      around->name[i].n)) +
			    1;
	if (around->n_seq > 1 && around->seq[0] == 0) {
		around->n_seq--;
		memmove(around->seq, around->seq + 1,
		    (size_t)around->n_seq * sizeof(around->seq[0]));
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
is_cell(const struct pyprof_names *pyprof, const struct corr_open *open)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	size_t n, i;

	if (open == NULL || !names_has(&pyprof->names, open->name) ||
	    !names_has(&pyprof->names, open->mod) ||
	    strcmp(names_get(&pyprof->names, open->name, &n), "forward") != 0)
		return false;
	for (i = 0; i < ARRAY_LEN(cells); i++)
		if (strcmp(names_get(&pyprof->names, open->mod, &n),
			cells[i]) == 0)
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

/* PyProf removes ids from a list while it walks it, so it skips the id after a
 * removed one, which therefore stays. */
static void
split_seq(const struct py_around *around, int64_t curr, struct kern_cols *cols,
    struct py_around *kept)
{
	int i;

	kept->n_seq = 0;
	for (i = 0; i < around->n_seq; i++) {
		if (around->seq[i] == curr) {
			kept->seq[kept->n_seq++] = curr;
			continue;
		}
		put_alt(cols, around->seq[i]);
		if (++i < around->n_seq)
			kept->seq[kept->n_seq++] = around->seq[i];
	}
	cols->has_seq = kept->n_seq > 0;
	if (cols->has_seq)
		cols->seq = kept->seq[0];
	for (i = 1; i < kept->n_seq; i++)
		put_alt(cols, kept->seq[i]);
}

static void
number_kernel(const struct pyprof_names *pyprof, struct corr_proc *proc,
    struct py_around *around, struct kern_cols *cols,
    const struct corr_place *pl)
{
	struct pyprof_proc *py = py_proc(proc);
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, 0 };
	struct py_around kept;
	int64_t curr;
	int i;

	cols->sub = 0;
	if (around->n_seq == 0)
		return;
	curr = current_seq(py, around);
	if (around->op == py->prev_op &&
	    (curr == py->prev_seq || is_cell(pyprof, around->args)))
		cols->sub = py->prev_sub + 1;
	py->prev_seq = curr;
	py->prev_sub = cols->sub;
	py->prev_op = around->op;
	split_seq(around, curr, cols, &kept);
	if (around->bwd || pl->in == NULL)
		return;
	v.op = pl->op;
	v.inst = pl->in->id;
	if (around->args == NULL)
		v.name = around->name[0].id;
	for (i = 0; i < kept.n_seq; i++)
		recent_put(&py->seq, kept.seq[i], v);
	for (i = 0; i < around->n_seq; i++)
		if (around->seq[i] != curr &&
		    (kept.n_seq == 0 || around->seq[i] != kept.seq[0]))
			recent_put(&py->alt, around->seq[i], v);
}

/* The ids of a kernel whose texts are newer than PyProf: its op's own id, and
 * the others around the launch as alternatives. */
static void
number_by_run(const struct corr_work *work, const struct corr_place *pl,
    struct py_around *around, struct kern_cols *cols)
{
	struct pyprof_proc *py = py_proc(work->p);
	uint64_t op = pl->op;
	size_t i;
	int j;

	cols->seq = pl->in->seq;
	for (i = 0; i < work->th->open.n; i++) {
		const struct corr_open *x = thread_at(work->th, i);

		if (x->seq < 0 || x->dead || x->hidden)
			continue;
		if (cols->seq < 0 && x->cur == pl->in)
			cols->seq = x->seq;
		add_seq_id(around, x->seq);
	}
	cols->has_seq = cols->seq >= 0;
	for (j = 0; j < around->n_seq; j++)
		if (around->seq[j] != cols->seq)
			put_alt(cols, around->seq[j]);
	cols->sub = cols->has_seq ? 0 : -1;
	if (!cols->has_seq)
		return;
	if (py->prev_seq == cols->seq && py->prev_op == op)
		cols->sub = py->prev_sub + 1;
	py->prev_seq = cols->seq;
	py->prev_sub = cols->sub;
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
bare_name(struct buf *buf, const struct pyname *x)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	size_t i;

	buf_clear(buf);
	buf_put(buf, x->s, x->n);
	for (i = 0; i < ARRAY_LEN(drop); i++)
		cut_word(buf, drop[i]);
	for (i = 0; i + 8 <= buf->len; i++)
		if (memcmp(buf->s + i, "Backward", 8) == 0)
			buf->len = i;
	return (struct escaped){ buf->s != NULL ? buf->s : "", buf->len };
}

static void
name_bwd(struct pyprof_names *py, const struct corr_ops *ops,
    struct corr_proc *proc, const struct py_around *around,
    struct kern_cols *cols)
{
	struct recent_val v;
	int i;

	if (around->n_seq > 0 && py_forward(proc, around->seq[0], &v)) {
		if (names_has(&py->names, v.name)) {
			cols->op.s = names_get(&py->names, v.name, &cols->op.n);
			return;
		}
		cols->mod = op_get(ops, v.op)->f[OF_MOD];
		cols->op = op_get(ops, v.op)->f[OF_OP];
		return;
	}
	for (i = 0; i < around->n_name; i++)
		if (is_bwd_name(&around->name[i])) {
			cols->op = bare_name(&py->text, &around->name[i]);
			return;
		}
}

/* Module and op without an argument marker: PyProf takes even a user's range
 * for an op if there is nothing else. */
static void
name_kernel(struct pyprof_names *py, const struct corr_ops *ops,
    struct corr_proc *p, const struct py_around *k, struct kern_cols *o)
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

/* The names by PyProf's rules, if they differ from the op's own. */
static void
name_by_rules(struct corr *corr, const struct corr_work *work,
    const struct corr_place *pl, struct kern_cols *cols)
{
	const struct py_around *around = &corr->pyprof->around;
	const struct corr_op *op = op_get(&corr->ops, pl->op);

	if (around->args == NULL) {
		name_kernel(corr->pyprof, &corr->ops, work->p, around, cols);
	} else if (pl->in != NULL && around->bwd != op->bwd) {
		cols->over = true;
		cols->bwd = around->bwd;
		cols->mod = op->f[OF_MOD];
		cols->op = op->f[OF_OP];
	}
}

static void
py_around_launch(struct corr *corr, const struct corr_work *work,
    const struct corr_place *pl, struct kern_cols *cols)
{
	struct py_around *around = &corr->pyprof->around;

	around->n_seq = around->n_name = 0;
	around->args = around->other = NULL;
	around->op = 0;
	around->bwd = false;
	if (work->p->has_op_id) {
		if (pl->in != NULL && !pl->in->replay)
			number_by_run(work, pl, around, cols);
		return;
	}
	gather_around(corr->pyprof, work->th, around);
	judge_around(around);
	number_kernel(corr->pyprof, work->p, around, cols, pl);
	if (is_pyprof(work->p))
		name_by_rules(corr, work, pl, cols);
	else if (pl->in == NULL)
		cols->sub = -1;
	cols->over &= corr->pyprof->own_names;
}

static bool
py_columns(struct corr *corr, const struct corr_work *work,
    const struct corr_place *pl, struct kern_cols *cols)
{
	struct buf alt = cols->alt;

	if (pl->in != NULL && op_get(&corr->ops, pl->op)->none)
		return false;
	memset(cols, 0, sizeof(*cols));
	cols->alt = alt;
	buf_clear(&cols->alt);
	cols->seq = cols->sub = -1;
	if (work->th != NULL)
		py_around_launch(corr, work, pl, cols);
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
