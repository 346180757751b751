/*
 * PyProf's columns of a kernel: sequence id, alternative sequence ids, sub
 * (the kernel's number among those of its sequence id) and, where a profile
 * has PyProf's markers and texts as old as PyProf can read (no op_id), the
 * direction, module and op by PyProf's rules too, so that they equal its
 * output. Those rules (pyrule.h) look at the set of markers open around the
 * launch and at the kernel before; a backward is named after the last forward
 * kernel with its id.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "esc.h"
#include "pyrule.h"

#define NAMES_MAX 65536

struct pyprof_names {      /* empty when zeroed */
	struct smap names; /* of ranges, escaped -> their numbers */
	struct buf tmp;
	struct pyrule_around around;  /* the launch of the current kernel */
	struct buf digits;            /* of its sequence ids */
	const struct corr_open *args; /* outermost argument marker around it */
	const struct corr_open *other;
	uint64_t op;                   /* hash of the list of ops */
	size_t *around_at, around_cap; /* places of the ranges it reads */
	struct buf text;
};

struct pyprof_proc { /* the state of PyProf's rules over the kernels of a
		      * process */
	struct pyrule_walk walk;
	uint64_t prev_op;
	struct recent seq, alt; /* last forward kernel of a sequence id */
};

static struct pyprof_proc *
py_proc(struct corr_proc *p)
{
	if (p->py == NULL) {
		p->py = xcalloc(1, sizeof(*p->py));
		p->py->walk = (struct pyrule_walk){ -1, -1 };
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
names_put(struct pyprof_names *t, struct mview v)
{
	if (t->names.n >= NAMES_MAX)
		return SMAP_NONE;
	buf_clear(&t->tmp);
	esc_put(&t->tmp, v.s, v.n);
	return smap_put(&t->names, t->tmp.s, t->tmp.len, NULL);
}

/* The name of a number; s is NULL if there is none. */
static struct mview
names_get(const struct pyprof_names *t, uint32_t id)
{
	struct mview v = { NULL, 0 };

	if (id < t->names.n)
		v.s = smap_str(&t->names, id, &v.n);
	return v;
}

/* Names of ranges are kept for the kernels in them. */
void
py_named(struct corr *c, const struct corr_thread *th, struct corr_open *open,
    const struct marker *marker)
{
	if (marker->kind == MK_ARGS) {
		open->name = names_put(c->pyprof, marker->op);
		open->mod = names_put(c->pyprof, marker->mod);
		return;
	}
	if (marker->kind == MK_USER || marker->kind == MK_LAYER)
		open->name = SMAP_NONE;
	if (!th->p->has_op_id)
		open->name = names_put(
		    c->pyprof, marker->kind == MK_OP || marker->kind == MK_BWD
				   ? marker->name
				   : marker->text);
}

/* The op of the last forward kernel that kept the sequence id or, if there is
 * none, of the last one that had it as an alternative. */
static bool
py_forward(struct corr_proc *p, int64_t seq, struct recent_val *v)
{
	struct pyprof_proc *py = py_proc(p);

	return recent_get(&py->seq, seq, v) || recent_get(&py->alt, seq, v);
}

bool
py_pair(struct corr_thread *th, const struct marker *m, struct recent_val *v,
    bool *found)
{
	if (!is_pyprof(th->p))
		return false;
	/* without op_id no input is known */
	*found = m->seq >= 0 && py_forward(th->p, m->seq, v);
	return true;
}

static void
gather_around(struct pyprof_names *py, const struct corr_thread *th)
{
	struct pyrule_around *around = &py->around;
	const struct corr_open *open = thread_top(th);
	struct pyrule_name x;
	size_t i, at, n = 0;

	if (open != NULL && open->at_other > 0)
		py->other = thread_at(th, open->at_other - 1);
	for (at = open ? open->at_pyprof : 0; at > 0;
	     at = at > 1 ? thread_at(th, at - 2)->at_pyprof : 0) {
		ARRAY_GROW(py->around_at, n, py->around_cap);
		py->around_at[n++] = at - 1;
	}
	buf_clear(&py->digits);
	buf_reserve(&py->digits, n * 20 + 1); /* never moves below */
	while (n > 0) {                       /* outermost first */
		open = thread_at(th, py->around_at[--n]);
		if (open->kind == MK_ARGS) {
			if (py->args == NULL)
				py->args = open;
			py->op = hash_mix(py->op ^ open->name) + 1;
			continue;
		}
		at = py->digits.len;
		buf_i64(&py->digits, open->seq);
		x.seq =
		    (struct mview){ py->digits.s + at, py->digits.len - at };
		x.id = open->name;
		x.name = names_get(py, open->name);
		if (x.name.s == NULL)
			x.name.s = "";
		pyrule_add(around, x);
	}
	pyrule_judge(around);
	for (i = 0; i < around->n && py->args == NULL; i++) {
		x = around->name[i];
		if (!around->named_bwd || pyrule_is_bwd(x.name))
			py->op =
			    hash_mix(py->op ^ hash_bytes(x.name.s, x.name.n)) +
			    1;
	}
}

static void
put_alt(struct kern_cols *o, int64_t seq)
{
	if (o->alt.len > 0)
		buf_putc(&o->alt, ',');
	buf_i64(&o->alt, seq);
}

static void
number_kernel(struct pyprof_names *py, struct corr_proc *proc,
    struct kern_cols *cols, const struct corr_place *pl)
{
	const struct pyrule_ids *seq = &py->around.seq, *alt = &py->around.alt;
	struct pyprof_proc *state = py_proc(proc);
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, 0 };
	size_t i;

	cols->sub = 0;
	if (seq->n == 0)
		return;
	cols->sub =
	    pyrule_number(&state->walk, &py->around, py->op == state->prev_op,
		py->args != NULL && pyrule_is_cell(names_get(py, py->args->mod),
					names_get(py, py->args->name)));
	state->prev_op = py->op;
	cols->has_seq = seq->n > 0;
	if (cols->has_seq)
		cols->seq = seq->v[0];
	for (i = 0; i < alt->n; i++)
		put_alt(cols, alt->v[i]);
	for (i = 1; i < seq->n; i++)
		put_alt(cols, seq->v[i]);
	if (py->around.bwd || pl->in == NULL)
		return;
	v.op = pl->op;
	v.inst = pl->in->id;
	if (py->args == NULL)
		v.name = py->around.name[0].id;
	for (i = 0; i < seq->n; i++)
		recent_put(&state->seq, seq->v[i], v);
	for (i = 0; i < alt->n; i++)
		recent_put(&state->alt, alt->v[i], v);
	for (i = 1; i < seq->n; i++)
		if (seq->v[i] != state->walk.seq)
			recent_put(&state->alt, seq->v[i], v);
}

/* The ids of a kernel whose texts are newer than PyProf: its op's own id, and
 * the others around the launch as alternatives. */
static void
number_by_run(const struct corr_work *work, const struct corr_place *pl,
    struct pyrule_ids *ids, struct kern_cols *cols)
{
	struct pyprof_proc *py = py_proc(work->p);
	uint64_t op = pl->op;
	size_t i;

	cols->seq = pl->in->seq;
	for (i = 0; i < work->th->open.n; i++) {
		const struct corr_open *x = thread_at(work->th, i);

		if (x->seq < 0 || x->dead || x->hidden)
			continue;
		if (cols->seq < 0 && x->cur == pl->in)
			cols->seq = x->seq;
		pyrule_add_id(ids, x->seq);
	}
	cols->has_seq = cols->seq >= 0;
	for (i = 0; i < ids->n; i++)
		if (ids->v[i] != cols->seq)
			put_alt(cols, ids->v[i]);
	if (!cols->has_seq)
		return;
	cols->sub = 0;
	if (py->walk.seq == cols->seq && py->prev_op == op)
		cols->sub = py->walk.sub + 1;
	py->walk = (struct pyrule_walk){ cols->seq, cols->sub };
	py->prev_op = op;
}

/* Module and op without an argument marker: PyProf takes even a user's range
 * for an op if there is nothing else. */
static void
name_kernel(struct pyprof_names *py, const struct corr_ops *ops,
    struct corr_proc *proc, struct kern_cols *cols)
{
	const struct pyrule_around *around = &py->around;
	struct mview name;
	struct recent_val v;
	size_t i;

	cols->over = true;
	cols->bwd = around->bwd;
	if (!around->bwd) {
		if (around->n > 0)
			cols->op = around->name[0].name;
		else if (py->other != NULL)
			cols->op = names_get(py, py->other->name);
		return;
	}
	if (around->seq.n > 0 && py_forward(proc, around->seq.v[0], &v)) {
		cols->op = names_get(py, v.name);
		if (cols->op.s != NULL)
			return;
		cols->mod = op_get(ops, v.op)->f[OF_MOD];
		cols->op = op_get(ops, v.op)->f[OF_OP];
		return;
	}
	for (i = 0; i < around->n; i++) {
		name = around->name[i].name;
		if (!pyrule_is_bwd(name))
			continue;
		buf_clear(&py->text);
		buf_put(&py->text, name.s, name.n);
		pyrule_bare(&py->text);
		cols->op = (struct mview){ buf_str(&py->text), py->text.len };
		return;
	}
}

bool
py_columns(struct corr *c, const struct corr_work *work,
    const struct corr_place *pl, struct kern_cols *cols)
{
	const struct corr_op *op = op_get(&c->ops, pl->op);
	struct pyprof_names *py = c->pyprof;
	struct buf alt = cols->alt;

	if (pl->in != NULL && op->none)
		return false;
	memset(cols, 0, sizeof(*cols));
	cols->alt = alt;
	buf_clear(&cols->alt);
	cols->seq = cols->sub = -1;
	if (work->th == NULL)
		return true;
	pyrule_begin(&py->around);
	py->args = py->other = NULL;
	py->op = 0;
	if (work->p->has_op_id) {
		if (pl->in != NULL && !pl->in->replay)
			number_by_run(work, pl, &py->around.seq, cols);
		return true;
	}
	gather_around(py, work->th);
	number_kernel(py, work->p, cols, pl);
	if (!is_pyprof(work->p)) {
		if (pl->in == NULL)
			cols->sub = -1;
	} else if (py->args == NULL) {
		name_kernel(py, &c->ops, work->p, cols);
	} else if (pl->in != NULL && py->around.bwd != op->bwd) {
		cols->over = true;
		cols->bwd = py->around.bwd;
		cols->mod = op->f[OF_MOD];
		cols->op = op->f[OF_OP];
	}
	cols->over &= !c->dlprof;
	return true;
}

void
py_end(struct corr *c)
{
	struct pyprof_names *py = c->pyprof;
	struct corr_proc *p;
	size_t i;

	for (i = 0; (p = proc_nth(&c->threads, i)) != NULL; i++) {
		if (p->py == NULL)
			continue;
		recent_free(&p->py->seq);
		recent_free(&p->py->alt);
		free(p->py);
	}
	smap_free(&py->names);
	buf_free(&py->tmp);
	buf_free(&py->digits);
	free(py->around_at);
	buf_free(&py->text);
	pyrule_free(&py->around);
	memset(py, 0, sizeof(*py));
}

struct pyprof_names *
py_new(void)
{
	return xcalloc(1, sizeof(struct pyprof_names));
}
