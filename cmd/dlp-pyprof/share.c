/* What the rules share; see rule.h. */
#include "rule.h"

bool
name_has(const struct call *c, const char *word)
{
	return strstr(c->name, word) != NULL;
}

bool
name_has_any(const struct call *c, const char *const *words)
{
	for (; *words != NULL; words++)
		if (name_has(c, *words))
			return true;
	return false;
}

bool
one_of(struct mview v, const char *const *list)
{
	for (; *list != NULL; list++)
		if (v.s != NULL && mv_eq(v, *list))
			return true;
	return false;
}

bool
tc_known(const struct call *c)
{
	static const char *const words[] = { "h884", "s884", "h1688", "s1688",
		"hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
		"first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1",
		"direct_group", "xmma_implicit_gemm", "xmma_sparse_conv",
		"xmma_warp_specialized_implicit_gemm", "xmma_gemm",
		"xmma_sparse_gemm", "c1688", NULL };

	return name_has_any(c, words);
}

const char *
tc_gemm(const struct call *c)
{
	if (c->last)
		return tc_known(c) ? "1" : "0";
	return name_has(c, "884gemm") || name_has(c, "1688gemm") ? "1" : "0";
}

int
unnamed(const struct call *c, const struct arg **v, int max)
{
	int i, n = 0;

	for (i = 0; i < c->m->n; i++)
		if (arg_unnamed(&c->m->arg[i])) {
			if (n < max)
				v[n] = &c->m->arg[i];
			n++;
		}
	return n;
}

const struct arg *
named(const struct call *c, const char *name)
{
	int i;

	for (i = 0; i < c->m->n; i++)
		if (c->m->arg[i].name.s != NULL &&
		    mv_eq(c->m->arg[i].name, name))
			return &c->m->arg[i];
	return NULL;
}

bool
is_tensor(const struct arg *a)
{
	return a->has_shape && dtype_size(a->dtype) > 0;
}

void
put_int(struct result *r, const char *key, int64_t v)
{
	buf_puts(&r->params, key);
	buf_putc(&r->params, '=');
	buf_i64(&r->params, v);
	buf_putc(&r->params, ',');
}

void
shape_put(struct buf *b, const struct shape *s, const char *ends)
{
	int i;

	buf_putc(b, ends[0]);
	for (i = 0; i < s->n; i++) {
		if (i > 0)
			buf_putc(b, ',');
		buf_i64(b, s->v[i]);
	}
	if (s->n == 1 && ends[0] == '(')
		buf_putc(b, ',');
	buf_putc(b, ends[1]);
}

void
put_shape(struct result *r, const char *key, const struct shape *s)
{
	buf_puts(&r->params, key);
	buf_putc(&r->params, '=');
	shape_put(&r->params, s, "()");
	buf_putc(&r->params, ',');
}

bool
put_type(struct result *r, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	if (word == NULL)
		return false;
	buf_puts(&r->params, word);
	buf_putc(&r->params, ',');
	return true;
}

/* [35,20,200]fp32 */
void
tensor_put(struct buf *b, const struct shape *s, struct mview dtype)
{
	const char *word = dtype_word(dtype);

	shape_put(b, s, "[]");
	buf_puts(b, word != NULL ? word : "");
}

bool
plain(struct result *r, const struct arg *a, int64_t flops_per, int64_t tensors)
{
	int64_t n;

	if (!is_tensor(a))
		return false;
	n = shape_elems(&a->shape);
	put_shape(r, "T", &a->shape);
	r->flops = pynum_int(pynum_mul(n, flops_per));
	r->bytes =
	    pynum_int(pynum_mul(pynum_mul(n, tensors), dtype_size(a->dtype)));
	return put_type(r, a->dtype);
}
