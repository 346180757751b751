/*
 * Attention: query (.., sq, d), key (.., sk, d), value (.., sk, dv), with b
 * batches and h heads of the query.
 *
 *	forward:  Q K' and P V, 2 b h sq sk (d + dv)
 *	backward: five products, one of them Q K' again: 2 b h sq sk (3d + 2dv)
 *	bytes:    forward Q, K, V and the result once; backward twice that
 *
 * as torch.utils.flop_counter counts fused attention (sdpa_flop_count and
 * sdpa_backward_flop_count). It does not subtract what a causal mask leaves
 * out; the FLOPs that are left then are a column of their own: each query has
 * the keys up to its own place, in place of all sk. Without a fused kernel (the
 * math backend) each product is a kernel of its own, two forward and four
 * backward, and each is counted as one.
 *
 *	query, key, value (4, 12, 1024, 64) forward:
 *		2 * 4 * 12 * 1024 * 1024 * (64 + 64) = 12,884,901,888 FLOPs
 */

#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "flops_rules.h"
#include "pat.h"
#include "serving.h"

struct sdpa {
	int64_t bh, sq, sk, d, dv;
	int64_t n_q, n_k, n_v;
};

static bool
sdpa_dims(const struct kern_work *w, int flags, struct sdpa *s)
{
	const struct op_args *a = w->a;
	int at = (flags & ATTN_BACKWARD) != 0;
	int row = (flags & ATTN_ROWS) != 0 ? -3 : -2;
	const struct op_arg *q = arg_named(a, "query", at);
	const struct op_arg *k = arg_named(a, "key", at + 1);
	const struct op_arg *v = arg_named(a, "value", at + 2);
	int64_t n;

	if (q == NULL || k == NULL || v == NULL || q->nd < 2 || k->nd < 2 ||
	    v->nd < 2 || q->bad || k->bad || v->bad ||
	    (row == -3 && (q->nd != 4 || k->nd != 4)))
		return false; /* three dimensions: sequences of unknown
			       * lengths */
	s->sq = arg_dim(a, q, row);
	s->d = arg_dim(a, q, -1);
	s->sk = arg_dim(a, k, row);
	s->dv = arg_dim(a, v, -1);
	if (arg_dim(a, k, -1) != s->d || arg_dim(a, v, row) != s->sk)
		return false;
	s->n_q = arg_numel(a, q);
	n = size_mul(s->sq, s->d);
	if (s->n_q < 0 || n <= 0)
		return false;
	s->bh = s->n_q / n;
	s->n_k = arg_numel(a, k);
	s->n_v = arg_numel(a, v);
	return true;
}

/* True if the mask is causal, by an argument, which markers and traces of
 * torch.profiler have, or by
 * the template of a flash kernel, whose arguments are traits, dropout, causal
 * (csrc/flash_attn/src/flash_fwd_launch_template.h):
 *
 *	void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)64,
 *	    ...>, (bool)0, (bool)1, ...>(pytorch_flash::Flash_fwd_params)
 */
static bool
is_causal(const struct kern_work *w)
{
	const struct op_arg *c =
	    arg_named(w->fa != NULL ? w->fa : w->a, "is_causal", 5);
	const char *p, *end = w->k->lower + w->k->len;

	if (w->causal)
		return true;
	if (c != NULL && c->type == ARG_BOOL)
		return c->ival != 0;
	p = memmem(w->k->lower, w->k->len, "_kernel<flash_", 14);
	if (p == NULL)
		return false;
	p = memmem(p, (size_t)(end - p), ">, (bool)", 9);
	return p != NULL && end - p > 20 && memcmp(p + 10, ", (bool)1", 9) == 0;
}

void
attention_count(const struct kern_work *w, struct answer *r, int flags)
{
	const struct kname *k = w->k;
	struct sdpa s;
	int64_t cell, n, m;
	bool fused;

	if (k->part != KP_MAIN) {
		r->role = ROLE_AUX;
		r->flop = sdpa_dims(w, flags, &s) ? 0 : -1;
		return;
	}
	r->eligible = true;
	r->role = ROLE_MAIN;
	fused = w->prim || pat_match("flash|fmha|sdpa|attention|attn|mha",
			       k->lower, k->len);
	r->one = w->prim;
	if (!fused) /* a product like any other */
		r->family = FAM_GEMM;
	if (!sdpa_dims(w, flags, &s))
		return;
	cell = size_mul(size_mul(2, s.bh), size_mul(s.sq, s.sk));
	if (!fused) {
		r->each = true;
		r->flop = size_mul(cell, s.d);
		return;
	}
	n = w->bprop ? 3 * s.d + 2 * s.dv : s.d + s.dv;
	r->flop = size_mul(cell, n);
	if (is_causal(w)) {
		/* pairs of a query and a key up to its own position */
		m = s.sq < s.sk ? s.sq : s.sk;
		m = m >= INT32_MAX
			? -1
			: size_add(m * (m + 1) / 2, size_mul(s.sq - m, s.sk));
		r->causal = size_mul(size_mul(2, s.bh), size_mul(m, n));
	}
	n = size_add(size_add(s.n_q, s.n_k), s.n_v);
	n = size_add(n, size_mul(s.bh, size_mul(s.sq, s.dv)));
	r->bytes = work_bytes(w, size_mul(n, w->bprop ? 2 : 1));
}

/* Attention of an engine over pages of keys and values: query (tokens, hq, d),
 * key (tokens, hkv, d), value (tokens, hkv, dv). The range around the step says
 * how many tokens its sequences attend to. */
void
paged_count(const struct kern_work *w, struct answer *r, int arg)
{
	const struct op_arg *q = arg_at(w->a, 0), *k = arg_at(w->a, 1);
	const struct op_arg *v = arg_at(w->a, 2);
	const char *step = w->repr != NULL ? strstr(w->repr, "execute_") : NULL;
	struct serving_attention of;
	struct serving says;

	(void)arg;
	if (w->k->part != KP_MAIN ||
	    pat_match("cache|quant|rotary", w->k->lower, w->k->len)) {
		r->role = ROLE_AUX;
		r->flop = 0;
		return;
	}
	r->eligible = true;
	r->role = ROLE_MAIN;
	if (step == NULL || q == NULL || k == NULL || v == NULL || q->nd != 3 ||
	    k->nd != 3 || v->nd != 3 ||
	    !serving_read(mv(step, step + strlen(step)), &says))
		return;
	of = serving_attend(
	    &says, (int64_t[]){ arg_dim(w->a, q, 1), arg_dim(w->a, k, 1),
		       arg_dim(w->a, q, 2), arg_dim(w->a, v, 2) });
	r->flop = of.flop;
	r->causal = of.causal > 0 ? of.causal : 0;
	r->bytes = work_bytes(w, of.elements);
}
