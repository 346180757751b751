/*
 * Attention: query (.., sq, d), key (.., sk, d), value (.., sk, dv), with b
 * batches and h heads of the query.
 *
 *	forward:  Q K' and P V, 2 b h sq sk (d + dv)
 *	backward: five products, one of them Q K' again: 2 b h sq sk (3d + 2dv)
 *	bytes:    forward Q, K, V and the result once; backward twice that
 *
 * as torch.utils.flop_counter counts fused attention; a causal mask is not
 * taken off. Without a fused kernel (math) each product is a kernel of its
 * own, two forward and four backward, and each is counted as one.
 */
#include "attention.h"
#include "pat.h"
#include "size.h"

struct sdpa {
	int64_t bh, sq, sk, d, dv;
	int64_t n_q, n_k, n_v;
};

static bool
sdpa_dims(const struct work *w, size_t first, struct sdpa *s)
{
	const struct args *a = w->a;
	const struct arg *q = arg_named(a, "query", (int)first);
	const struct arg *k = arg_named(a, "key", (int)first + 1);
	const struct arg *v = arg_named(a, "value", (int)first + 2);
	size_t i;

	if (q == NULL || k == NULL || v == NULL || q->nd < 2 || k->nd < 2 ||
	    v->nd < 2 || q->bad || k->bad || v->bad)
		return false;
	s->sq = arg_dim(a, q, -2);
	s->d = arg_dim(a, q, -1);
	s->sk = arg_dim(a, k, -2);
	s->dv = arg_dim(a, v, -1);
	if (arg_dim(a, k, -1) != s->d || arg_dim(a, v, -2) != s->sk)
		return false;
	s->bh = 1;
	for (i = 0; i + 2 < q->nd; i++)
		s->bh = size_mul(s->bh, a->dims[q->dim + i]);
	s->n_q = arg_numel(a, q);
	s->n_k = arg_numel(a, k);
	s->n_v = arg_numel(a, v);
	return true;
}

void
attention_count(const struct work *w, struct answer *r, int first)
{
	const struct kname *k = w->k;
	struct sdpa s;
	int64_t cell, n;
	bool fused;

	if (k->part != KP_MAIN) {
		r->role = ROLE_AUX;
		r->flop = 0;
		return;
	}
	r->eligible = true;
	r->role = ROLE_MAIN;
	fused = w->prim ||
		pat_match("flash|fmha|sdpa|attention|attn|mha", k->lower, k->len);
	if (!fused) /* a product as any other */
		r->family = FAM_GEMM;
	if (!sdpa_dims(w, (size_t)first, &s))
		return;
	cell = size_mul(size_mul(2, s.bh), size_mul(s.sq, s.sk));
	if (!fused) {
		r->each = true;
		r->flop = size_mul(cell, s.d);
		return;
	}
	r->flop = size_mul(cell, w->bprop ? 3 * s.d + 2 * s.dv : s.d + s.dv);
	n = size_add(size_add(s.n_q, s.n_k), s.n_v);
	n = size_add(n, size_mul(s.bh, size_mul(s.sq, s.dv)));
	r->bytes = work_bytes(w, size_mul(n, w->bprop ? 2 : 1));
}
