/*
 * Sequence ids of kernels: those of PyProf's walk over them, which looks at
 * the kernel before, and what forward kernels leave behind for the backward.
 */
#include <stdlib.h>

#include "err.h"
#include "pyprof.h"
#include "pyprof_impl.h"
#include "thread.h"

/* PyProf's running figures over the kernels of a process. */
struct pyprof {
	int64_t prev_seq, prev_sub;
	uint64_t prev_op;
	struct recent seq, alt; /* last forward kernel of a sequence id */
};

static struct pyprof *
pyprof_of(struct proc *p)
{
	if (p->py == NULL) {
		p->py = xcalloc(1, sizeof(*p->py));
		p->py->prev_seq = p->py->prev_sub = -1;
	}
	return p->py;
}

bool
pyprof_forward(struct proc *p, int64_t seq, struct recent_val *v)
{
	struct pyprof *py = pyprof_of(p);

	return recent_get(&py->seq, seq, v) || recent_get(&py->alt, seq, v);
}

static void
put_alt(struct pycols *o, int64_t seq)
{
	if (o->alt.len > 0)
		buf_putc(&o->alt, ',');
	buf_i64(&o->alt, seq);
}

static bool
is_cell(const struct names *names, const struct open *o)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	size_t n, i;

	if (o == NULL || !names_has(names, o->name) ||
	    !names_has(names, o->mod) ||
	    strcmp(names_get(names, o->name, &n), "forward") != 0)
		return false;
	for (i = 0; i < 3; i++)
		if (strcmp(names_get(names, o->mod, &n), cells[i]) == 0)
			return true;
	return false;
}

/* The kernel's own sequence id, by PyProf's walk. */
static int64_t
current(const struct pyprof *py, const struct pyk *k)
{
	int i;

	if (k->bwd)
		return k->seq[0];
	for (i = 0; i < k->n_seq; i++)
		if (k->seq[i] > py->prev_seq)
			return k->seq[i];
	return py->prev_seq;
}

/* PyProf's list shrinks while it is walked, so that the id behind one that
 * was taken out is passed over and stays. */
static void
split_seq(const struct pyk *k, int64_t curr, struct pycols *o, struct pyk *kept)
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

void
pyk_number(const struct names *names, struct proc *p, struct pyk *k,
    struct pycols *o, const struct place *pl)
{
	struct pyprof *py = pyprof_of(p);
	struct recent_val v = { OP_NONE, SMAP_NONE, 0, 0 };
	struct pyk kept;
	int64_t curr;
	int i;

	o->sub = 0;
	if (k->n_seq == 0)
		return;
	curr = current(py, k);
	if (k->op == py->prev_op &&
	    (curr == py->prev_seq || is_cell(names, k->args)))
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
void
pyk_by_run(const struct work *w, const struct place *pl, struct pyk *k,
    struct pycols *o)
{
	struct pyprof *py = pyprof_of(w->p);
	uint64_t op = pl->op;
	size_t i;
	int j;

	o->seq = pl->in->seq;
	for (i = 0; i < w->th->n; i++) {
		const struct open *x = &w->th->v[i];

		if (x->seq < 0 || x->dead || x->hidden)
			continue;
		if (o->seq < 0 && x->cur == pl->in)
			o->seq = x->seq;
		pyk_add_seq(k, x->seq);
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

void
pyprof_free(struct proc *p)
{
	if (p->py == NULL)
		return;
	recent_free(&p->py->seq);
	recent_free(&p->py->alt);
	free(p->py);
	p->py = NULL;
}
