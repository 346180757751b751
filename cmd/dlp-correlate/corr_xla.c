/*
 * Kernels of XLA's command buffers. A command buffer is a CUDA graph that
 * replaces the Thunks of a module, and one launch starts all its kernels. The
 * nodes are mostly made before the profile begins, so no range is around them;
 * but XLA names a kernel after the HLO instruction that it was made for, and
 * each update of the buffer has a range for each Thunk that it changes:
 *
 *	Thunk:#hlo_op=command_buffer_1#
 *	    Thunk:#name=jit(f)/jvp()/dot_general,hlo_op=gemm_fusion_dot.10,..#
 *	    cuGraphLaunch: wrapped_convert_1, gemm_fusion_dot_10, nvjet_..., ..
 *
 * So each kernel with the name of an instruction is an op of that name, and its
 * direction is that of the Thunk of this name. Kernels of libraries (cuBLAS,
 * cuDNN) do not say which instruction called them: they belong to no op.
 *
 * Instructions with the same code share a kernel, which has the name of the
 * first of them. A later run of the kernel in the same launch is therefore
 * another instruction: probably that of the next Thunk of the same type. If
 * this Thunk has another direction than the kernel's own, the run has none.
 */
#include "corr.h"

#include <ctype.h>
#include <stdlib.h>

#include "array.h"
#include "err.h"

struct xla_instr { /* an instruction that has a Thunk */
	enum marker_dir dir;
	uint32_t type;  /* number of its name without its number */
	uint64_t after; /* place + 1 of the next of that type; 0: none yet */
};

struct xla { /* of a process; instructions in the order of their Thunks */
	struct smap names; /* layer and kernel name -> place */
	struct smap types; /* layer and type -> place of the last + 1 */
	struct xla_instr *v;
	size_t n, cap;
	struct buf key;
};

/* XLA makes a kernel's name of an instruction's: gemm_fusion_dot.10 becomes
 * gemm_fusion_dot_10. */
static void
hlo_key(struct buf *k, struct mview layer, struct mview name)
{
	size_t i;

	key_begin(k, 'H', layer);
	for (i = 0; i < name.n; i++)
		buf_putc(
		    k, isalnum((unsigned char)name.s[i]) ? name.s[i] : '_');
}

void
xla_thunk(struct corr_thread *th, const struct marker *m)
{
	struct mview layer = thread_layer(th);
	struct xla *x = th->p->xla;
	uint32_t i, type;
	bool is_new;

	if (x == NULL)
		x = th->p->xla = xcalloc(1, sizeof(*x));
	hlo_key(&x->key, layer, m->name);
	i = smap_put(&x->names, x->key.s, x->key.len, &is_new);
	if (!is_new)
		return;
	x->names.val[i] = x->n;
	hlo_key(&x->key, layer, m->op);
	type = smap_put(&x->types, x->key.s, x->key.len, &is_new);
	if (!is_new)
		x->v[x->types.val[type] - 1].after = x->n + 1;
	ARRAY_GROW(x->v, x->n, x->cap);
	x->v[x->n++] = (struct xla_instr){ .dir = m->dir, .type = type };
	x->types.val[type] = x->n;
}

/* The direction of a kernel of the launch; *known: a Thunk has its name. A
 * later run in the launch is the next Thunk of the kernel's type; if its
 * direction is another one than the kernel's, the run has none. */
static enum marker_dir
kernel_dir(struct xla *x, struct launch *l, struct mview layer,
    struct mview kern, bool *known)
{
	const struct xla_instr *h;
	uint64_t *runs, next;
	uint32_t i;
	bool is_new;

	*known = false;
	if (x == NULL)
		return MDIR_NONE;
	hlo_key(&x->key, layer, kern);
	i = smap_find(&x->names, x->key.s, x->key.len);
	if (i == SMAP_NONE)
		return MDIR_NONE;
	*known = true;
	h = &x->v[x->names.val[i]];
	runs = map_put(&l->hlo_runs, x->names.val[i], &is_new);
	if (++*runs == 1) {
		if (x->names.val[i] + 1 > l->hlo_at)
			l->hlo_at = (size_t)x->names.val[i] + 1;
		return h->dir;
	}
	next = h->after;
	while (next != 0 && next - 1 < l->hlo_at)
		next = x->v[next - 1].after;
	if (next != 0 && x->v[next - 1].dir != h->dir)
		return MDIR_NONE;
	if (next != 0)
		l->hlo_at = (size_t)next;
	return h->dir;
}

/* The beginnings of names that cuBLAS, cuDNN, CUTLASS and NCCL give to kernels
 * in lower case. */
static const char *const libraries[] = { "ampere_", "cublas", "cudnn",
	"cutlass", "dot_kernel", "gemv", "hopper_", "maxwell_", "nccl", "nvjet",
	"sm5", "sm6", "sm7", "sm8", "sm9", "sm10", "sm12", "turing_", "volta_",
	"xmma" };

/* True if XLA can have made the name: words in lower case, joined by _. */
static bool
is_hlo_name(struct mview name)
{
	size_t i;

	for (i = 0; i < name.n; i++)
		if (!islower((unsigned char)name.s[i]) &&
		    (i == 0 || (!isdigit((unsigned char)name.s[i]) &&
				   name.s[i] != '_')))
			return false;
	for (i = 0; i < ARRAY_LEN(libraries); i++)
		if (mv_starts(name, libraries[i]))
			return false;
	return name.n > 0;
}

void
xla_place(struct corr *c, const struct corr_work *work, struct corr_place *pl)
{
	const struct corr_thread *th = work->th;
	const struct corr_open *buffer, *top = th ? thread_top(th) : NULL;
	struct mview layer, name = work->what;
	enum marker_dir dir = MDIR_NONE;
	struct launch *l;
	bool known;
	size_t i;

	if (top == NULL || top->at_buffer == 0 ||
	    (work->type != W_KERN && work->type != W_GRAPH))
		return;
	buffer = thread_at(th, top->at_buffer - 1);
	pl->captured = YNU_UNKNOWN; /* a kernel's name says its op */
	layer = (struct mview){ th->layer.s, buffer->layer_len };
	l = graph_launch(c, work);
	if (work->type == W_GRAPH) {
		name = (struct mview){ buffer->text.s, buffer->text.len };
	} else {
		dir = kernel_dir(work->p->xla, l, layer, name, &known);
		if (!known && !is_hlo_name(name)) {
			pl->why = WHY_LIBRARY;
			return;
		}
	}
	i = op_of_hlo(&c->ops, layer, name, NULL, dir);
	pl->in = graph_run(c, l, work, (uint64_t)i << 32, (uint32_t)i, 0);
}

void
xla_free(struct corr_proc *p)
{
	if (p->xla == NULL)
		return;
	smap_free(&p->xla->names);
	smap_free(&p->xla->types);
	buf_free(&p->xla->key);
	free(p->xla->v);
	free(p->xla);
	p->xla = NULL;
}
