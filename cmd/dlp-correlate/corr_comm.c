/*
 * Communication: kernels that move data between GPUs. Hooks of the framework
 * launch them wherever a gradient is ready, so the op that launched one says
 * little about it. Each gets an op of its own, named after the collective,
 * which knows the op that launched it (for_op), and a run of its own in the
 * place of that op's run.
 *
 * A kernel is communication by its own name (comm.rules), never by the ranges
 * around it: a copy or an element-wise kernel in the range of a collective
 * stays what it is. The ranges say which collective it is, because names do not
 * tell all: NCCL runs a barrier as an all-reduce, all_to_all, gather and
 * scatter as sends and receives, and before version 2.15 the name is that of
 * another collective for large messages.
 *
 * The outermost range that tells a collective names it: it is what the program
 * called. Sizes are those of the range of c10d, which has those of both sides,
 * if there is one.
 */
#include "corr.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static const char *const kinds[] = { "communication", "barrier", "all_reduce",
	"reduce_scatter", "all_gather", "all_to_all", "broadcast", "send",
	"recv", "gather", "scatter", "reduce" };

/* Words that tell a collective, in names without _ and -, lower case. The first
 * that occurs counts: allreduce_barrier is a barrier. weak: words that are ops
 * of other kinds too, so only ranges of libraries for communication count. */
static const struct {
	const char *word, *kind;
	bool weak;
} told_by[] = {
	{ "barrier", "barrier", true },
	{ "allreduce", "all_reduce", false },
	{ "reducescatter", "reduce_scatter", false },
	{ "allgather", "all_gather", false },
	{ "alltoall", "all_to_all", false },
	{ "collectivebroadcast", "broadcast", false },
	{ "collectivepermute", "communication", false },
	{ "broadcast", "broadcast", true },
	{ "bcast", "broadcast", true },
	{ "send", "send", true },
	{ "recv", "recv", true },
	{ "gather", "gather", true },
	{ "scatter", "scatter", true },
	{ "reduce", "reduce", true },
};

void
comms_end(struct comms *t)
{
	map_free(&t->by_id);
	smap_free(&t->told);
	smap_free(&t->words[0]);
	smap_free(&t->words[1]);
	buf_free(&t->key);
	free(t->v);
	t->v = NULL;
	t->n = t->cap = 0;
}

void
comm_string(struct comms *t, int64_t id, struct mview s)
{
	const struct comm_type *type = comm_match(&t->rules, s.s, s.n);

	if (type != NULL)
		*map_put(&t->by_id, (uint64_t)id, NULL) =
		    (uint64_t)(type - t->rules.types) + 1;
}

const struct comm_type *
comm_of_name(struct comms *t, int64_t id, struct mview brief)
{
	const uint64_t *rule =
	    t->by_id.n > 0 ? map_get(&t->by_id, (uint64_t)id) : NULL;

	return rule != NULL ? &t->rules.types[*rule - 1]
			    : comm_find(&t->rules, brief.s, brief.n);
}

/* The place in kinds[] of the collective that a name tells, which is compared
 * without _ and -, in lower case; -1: none. */
static int
kind_of_word(struct buf *b, struct mview name, bool library)
{
	struct mview word;
	size_t i, k;

	buf_clear(b);
	for (i = 0; i < name.n; i++)
		if (name.s[i] != '_' && name.s[i] != '-')
			buf_putc(b, name.s[i] >= 'A' && name.s[i] <= 'Z'
					? (char)(name.s[i] | 0x20)
					: name.s[i]);
	word = (struct mview){ buf_str(b), b->len };
	for (i = 0; i < ARRAY_LEN(told_by); i++) {
		if ((told_by[i].weak && !library) ||
		    mv_find(word, told_by[i].word) == NULL)
			continue;
		for (k = 0; strcmp(kinds[k], told_by[i].kind) != 0; k++)
			;
		return (int)k;
	}
	return -1;
}

#define MAX_WORDS 4096
#define WORD_MAX 256 /* bytes */

/* The same of a range. A program has few names of ops and many ranges of each,
 * so the answers are kept. */
static int
kind_told(struct comms *t, const struct marker *m)
{
	/* libraries whose ranges are about communication only */
	bool library = m->by == BY_NCCL || mv_eq(m->mod, "c10d") ||
		       mv_eq(m->mod, "c10d_functional") ||
		       mv_eq(m->mod, "_c10d_functional") ||
		       mv_eq(m->mod, "_c10d_functional_autograd") ||
		       mv_eq(m->mod, "nccl") || mv_eq(m->mod, "symm_mem");
	bool is_new;
	struct smap *words = &t->words[library];
	uint32_t no;

	if (m->op.n > WORD_MAX)
		return kind_of_word(&t->key, m->op, library);
	if (words->n > MAX_WORDS)
		smap_clear(words);
	no = smap_put(words, m->op.s, m->op.n, &is_new);
	if (is_new)
		words->val[no] =
		    (uint64_t)(kind_of_word(&t->key, m->op, library) + 1);
	return (int)words->val[no] - 1;
}

/* The number of these words. */
static uint32_t
tell(struct comms *t, int kind, unsigned dtype, const struct marker *m,
    struct mview sizes, struct mview group)
{
	bool is_new;
	uint32_t id;

	buf_clear(&t->key);
	buf_put(&t->key, m->mod.s, m->mod.n);
	buf_put(&t->key, m->name.s, m->name.n);
	buf_put(&t->key, sizes.s, sizes.n);
	buf_put(&t->key, group.s, group.n);
	buf_putc(&t->key, (char)kind);
	buf_putc(&t->key, (char)m->by);
	buf_putc(&t->key, (char)dtype);
	id = smap_put(&t->told, t->key.s, t->key.len, &is_new);
	if (is_new) {
		ARRAY_GROW(t->v, t->n, t->cap);
		t->v[t->n++] = (struct comm_told){ (uint8_t)kind, dtype, m->by,
			m->mod.n, m->name.n, sizes.n };
	}
	return id + 1;
}

/* The words of a number; those of no number are all unset. */
static void
told_words(const struct comms *t, uint32_t told, struct comm_words *w)
{
	const struct comm_told *x;
	const char *s;
	size_t n;

	memset(w, 0, sizeof(*w));
	if (told == 0)
		return;
	x = &t->v[told - 1];
	s = smap_str(&t->told, told - 1, &n);
	w->kind = kinds[x->kind];
	w->by_range = true;
	w->by = x->by;
	w->mod = mv(s, s + x->n_mod);
	w->name = mv(s + x->n_mod, s + x->n_mod + x->n_name);
	s += x->n_mod + x->n_name;
	n -= x->n_mod + x->n_name;
	w->sizes = mv(s, s + x->n_sizes);
	w->group = mv(s + x->n_sizes, s + n - 3);
	w->dtype = dtype_names[x->dtype];
	if (w->mod.n == 0)
		w->mod = mv(NULL, NULL);
}

/* c10d's ops have no sizes in traces without record_shapes. The range inside of
 * them, record_param_comms, then has those of the message. It alone has the
 * process group. */
static uint32_t
comm_message(struct comms *t, uint32_t up, const struct corr_thread *th,
    const struct marker *m)
{
	struct comm_words above;
	struct marker as = *m;
	struct mview sizes;
	unsigned dtype = t->v[up - 1].dtype;

	told_words(t, up, &above);
	sizes = above.sizes;
	if (sizes.n == 0 && marker_sizes(m, &sizes))
		dtype = dtype_moved(th, m);
	else if (m->comm.s == NULL)
		return 0;
	as.mod = above.mod.s != NULL ? above.mod : mv("", "");
	as.name = above.name;
	as.by = above.by;
	return tell(t, t->v[up - 1].kind, dtype, &as, sizes,
	    m->comm.s != NULL ? m->comm : mv("", ""));
}

uint32_t
comm_told(struct comms *t, uint32_t up, const struct corr_thread *th,
    const struct marker *m)
{
	struct mview sizes = { "", 0 };
	struct comm_words above;
	int kind;

	if (t->off || m->op.s == NULL)
		return 0;
	if (up != 0 && mv_eq(m->op, "record_param_comms"))
		return comm_message(t, up, th, m);
	if ((kind = kind_told(t, m)) < 0)
		return 0;
	told_words(t, up, &above);
	if (up != 0 && (mv_eq(above.mod, "c10d") || !mv_eq(m->mod, "c10d")))
		return 0;
	if (!marker_sizes(m, &sizes))
		sizes = mv("", "");
	return tell(t, up != 0 ? t->v[up - 1].kind : kind, dtype_moved(th, m),
	    m, sizes, mv("", ""));
}

/* The run is like that of a graph's replay: it has no CPU time, because the run
 * that launched it has that. */
void
comm_place(struct corr *c, const struct corr_work *w, struct corr_place *pl)
{
	struct comm_words words;
	struct corr_inst *in;

	pl->prim = 0; /* it does no product */
	told_words(&c->comms, pl->told, &words);
	if (words.kind == NULL || words.kind == kinds[0])
		words.kind = w->comm->name;
	pl->comm_op = op_of_comm(
	    &c->ops, pl->layer, pl->in != NULL ? pl->op : OP_NONE, &words);
	if (pl->in == NULL) {
		pl->op = pl->comm_op;
		return;
	}
	pl->comm_in = in = inst_new(&c->insts, w->p, NULL);
	in->replay = true;
	in->op = pl->comm_op;
	in->tid = pl->in->tid;
	in->has_tid = pl->in->has_tid;
	in->start = pl->in->start;
	in->end = c->threads.now;
	in->phase = pl->phase;
	in->has_launch = pl->in->has_launch;
	in->launch_id = pl->in->launch_id;
	inst_schedule(&c->insts, in);
	inst_add(in, w);
}
