/* Record types with or without src; see src_type.h. */
#include "src_type.h"

void
src_type_rec(struct src_type *t, struct text src)
{
	struct out_type **p = src.s != NULL ? &t->with : &t->without;

	if (*p == NULL)
		*p = out_type(t->tag, t->names, t->n - (src.s == NULL));
	out_rec(*p);
}

void
src_type_end(struct text src)
{
	if (src.s != NULL)
		out_raw(src.s, src.n);
	out_end();
}
