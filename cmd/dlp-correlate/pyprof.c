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
#include "esc.h"
#include "pyprof_impl.h"

#define NAMES_MAX 65536 /* different names remembered */

bool
pyprof_mode(const struct proc *p)
{
	return p->has_args && !p->has_op_id;
}

uint32_t
corr_name(struct corr *c, const char *s, size_t n)
{
	if (c->names.n >= NAMES_MAX)
		return SMAP_NONE;
	buf_clear(&c->tmp2);
	esc_put(&c->tmp2, s, n);
	return smap_put(&c->names, c->tmp2.s, c->tmp2.len, NULL);
}

static void
put_alt(struct pycols *o, int64_t seq)
{
	if (o->alt.len > 0)
		buf_putc(&o->alt, ',');
	buf_i64(&o->alt, seq);
}

static bool
is_cell(const struct corr *c, const struct open *o)
{
	static const char *const cells[] = { "LSTMCell", "GRUCell", "RNNCell" };
	size_t n, i;

	if (o == NULL || o->name >= c->names.n || o->mod >= c->names.n ||
	    strcmp(smap_str(&c->names, o->name, &n), "forward") != 0)
		return false;
	for (i = 0; i < 3; i++)
		if (strcmp(smap_str(&c->names, o->mod, &n), cells[i]) == 0)
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

static void
number(struct corr *c, struct pyprof *py, struct pyk *k, struct pycols *o,
    const struct place *pl)
{
	struct recent_val v = { OP_NONE, SMAP_NONE, 0 };
	struct pyk kept;
	int64_t curr;
	int i;

	o->sub = 0;
	if (k->n_seq == 0)
		return;
	curr = current(py, k);
	if (k->op == py->prev_op &&
	    (curr == py->prev_seq || is_cell(c, k->args)))
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
bare_name(struct corr *c, const struct pyname *x)
{
	static const char *const drop[] = { "torch", "autograd", "_backward",
		"::", "jit", "(anonymous namespace)" };
	struct buf *b = &c->tmp2;
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
name_bwd(struct corr *c, struct proc *p, const struct pyk *k, struct pycols *o)
{
	struct recent_val v;
	int i;

	if (k->n_seq > 0 && (recent_get(&p->py.seq, k->seq[0], &v) ||
				recent_get(&p->py.alt, k->seq[0], &v))) {
		if (v.name < c->names.n) {
			o->op.s = smap_str(&c->names, v.name, &o->op.n);
			return;
		}
		o->mod = op_get(c, v.op)->f[OF_MOD];
		o->op = op_get(c, v.op)->f[OF_OP];
		return;
	}
	for (i = 0; i < k->n_name; i++)
		if (pyk_is_bwd(&k->name[i])) {
			o->op = bare_name(c, &k->name[i]);
			return;
		}
}

/* Module and op where no argument marker tells: even a user's range is an
 * op to PyProf, if there is nothing else. */
static void
name_it(struct corr *c, struct proc *p, const struct pyk *k, struct pycols *o)
{
	o->over = true;
	o->bwd = k->bwd;
	if (k->bwd) {
		name_bwd(c, p, k, o);
	} else if (k->n_name > 0) {
		o->op.s = k->name[0].s;
		o->op.n = k->name[0].n;
	} else if (k->other != NULL && k->other->name < c->names.n) {
		o->op.s = smap_str(&c->names, k->other->name, &o->op.n);
	}
}

/* The ids of a kernel whose texts are newer than PyProf: its op's own, the
 * others around the launch beside it. */
static void
by_run(const struct work *w, const struct place *pl, struct pyk *k,
    struct pycols *o)
{
	struct pyprof *py = &w->p->py;
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

/* o->alt is emptied and filled; views live until the next call. */
void
pyprof_kernel(struct corr *c, const struct work *w, const struct place *pl,
    struct pycols *o)
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
			by_run(w, pl, &k, o);
		return;
	}
	pyk_gather(c, w->th, &k);
	pyk_judge(&k);
	number(c, &w->p->py, &k, o, pl);
	if (!pyprof_mode(w->p)) {
		if (pl->in == NULL)
			o->sub = -1;
		return;
	}
	if (k.args == NULL)
		name_it(c, w->p, &k, o);
	else if (k.args != NULL && pl->in != NULL &&
		 k.bwd != op_get(c, pl->op)->bwd) {
		o->over = true;
		o->bwd = k.bwd;
		o->mod = op_get(c, pl->op)->f[OF_MOD];
		o->op = op_get(c, pl->op)->f[OF_OP];
	}
}
