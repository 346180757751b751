/* What judges share; see rule.h. */
#include "rule.h"

void
unjudged(struct verdict *v, const char *missing)
{
	v->judged = V_UNJUDGED;
	v->missing = missing;
}

bool
above(struct verdict *v, double value, double limit)
{
	buf_printf(&v->value, "%.1f", value);
	v->judged = value > limit ? V_YES : V_NO;
	return v->judged == V_YES;
}

double
per_iter(const struct facts *f, uint64_t n)
{
	return (double)n / (double)(f->n_iter > 0 ? f->n_iter : 1);
}

void
put_count(struct buf *b, uint64_t n, const char *what)
{
	buf_printf(
	    b, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

bool
no_steps(const struct facts *f, struct verdict *v)
{
	if (f->key_found == 1 ||
	    (f->key_found < 0 && (f->n_iter > 1 || f->has_key)))
		return false;
	unjudged(v, "iterations: a key for dlp-iter, or ranges around the"
		    " steps");
	return true;
}
