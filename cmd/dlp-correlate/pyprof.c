/*
 * PyProf's columns of a kernel: sequence id, alternative sequence ids, sub
 * (the kernel's number among those of its sequence id) and, where a profile
 * has PyProf's markers and texts as old as PyProf can read (no op_id), the
 * direction, module and op by PyProf's rules too, so that they equal its
 * output. Those rules look at the set of sequence ids open around the
 * launch and at the kernel before:
 *
 * - 0 is dropped beside others; forward takes the least id above that of
 *   the kernel before, else goes on with that one; backward takes the least.
 * - sub counts on while id and list of ops stay the same.
 * - a backward is named after the last forward kernel with its id.
 */
#include "pyprof.h"

#include "pyprof_impl.h"
#include "thread.h"

static void
cut(struct buf *b, const char *word)
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
static struct text
bare_name(const struct pyname *x)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	static struct buf text;
	struct buf *b = &text;
	size_t i;

	buf_clear(b);
	buf_put(b, x->s, x->n);
	for (i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
		cut(b, drop[i]);
	for (i = 0; i + 8 <= b->len; i++)
		if (memcmp(b->s + i, "Backward", 8) == 0)
			b->len = i;
	return (struct text){ b->s != NULL ? b->s : "", b->len };
}

static void
name_bwd(const struct names *names, const struct ops *ops, struct proc *p,
    const struct pyk *k, struct pycols *o)
{
	struct recent_val v;
	int i;

	if (k->n_seq > 0 && pyprof_forward(p, k->seq[0], &v)) {
		if (names_has(names, v.name)) {
			o->op.s = names_get(names, v.name, &o->op.n);
			return;
		}
		o->mod = op_get(ops, v.op)->f[OF_MOD];
		o->op = op_get(ops, v.op)->f[OF_OP];
		return;
	}
	for (i = 0; i < k->n_name; i++)
		if (pyk_is_bwd(&k->name[i])) {
			o->op = bare_name(&k->name[i]);
			return;
		}
}

/* Module and op where no argument marker tells: even a user's range is an
 * op to PyProf, if there is nothing else. */
static void
name_it(const struct names *names, const struct ops *ops, struct proc *p,
    const struct pyk *k, struct pycols *o)
{
	o->over = true;
	o->bwd = k->bwd;
	if (k->bwd) {
		name_bwd(names, ops, p, k, o);
	} else if (k->n_name > 0) {
		o->op.s = k->name[0].s;
		o->op.n = k->name[0].n;
	} else if (k->other != NULL && names_has(names, k->other->name)) {
		o->op.s = names_get(names, k->other->name, &o->op.n);
	}
}

void
pyprof_kernel(const struct names *names, const struct ops *ops,
    const struct work *w, const struct place *pl, struct pycols *o)
{
	static struct pyk k;
	struct buf alt = o->alt;

	memset(o, 0, sizeof(*o));
	o->alt = alt;
	buf_clear(&o->alt);
	o->seq = o->sub = -1;
	if (w->th == NULL)
		return;
	k.n_seq = k.n_name = 0;
	k.args = k.other = NULL;
	k.op = 0;
	k.bwd = false;
	if (w->p->has_op_id) {
		if (pl->in != NULL && !pl->in->replay)
			pyk_by_run(w, pl, &k, o);
		return;
	}
	pyk_gather(names, w->th, &k);
	pyk_judge(&k);
	pyk_number(names, w->p, &k, o, pl);
	if (!proc_is_pyprof(w->p)) {
		if (pl->in == NULL)
			o->sub = -1;
		return;
	}
	if (k.args == NULL)
		name_it(names, ops, w->p, &k, o);
	else if (k.args != NULL && pl->in != NULL &&
		 k.bwd != op_get(ops, pl->op)->bwd) {
		o->over = true;
		o->bwd = k.bwd;
		o->mod = op_get(ops, pl->op)->f[OF_MOD];
		o->op = op_get(ops, pl->op)->f[OF_OP];
	}
}
