/* Texts of rows; see row.h. */
#include <string.h>

#include "buf.h"
#include "row.h"

static const char *
from_number(const struct raw_val *v, uint32_t *n)
{
	static struct buf tmp;

	buf_clear(&tmp);
	buf_i64(&tmp, raw_convert(v));
	*n = (uint32_t)tmp.len;
	return tmp.s;
}

const char *
row_text(const struct row *r, int i, uint32_t *n)
{
	const char *s;

	*n = 0;
	if (r->v == NULL) {
		s = (const char *)sqlite3_column_text(r->st, i);
		if (s != NULL)
			*n = (uint32_t)sqlite3_column_bytes(r->st, i);
		return s;
	}
	if (r->v[i].type == RAW_NULL)
		return NULL;
	if (r->v[i].type == RAW_INT || r->v[i].type == RAW_REAL)
		return from_number(&r->v[i], n);
	*n = r->v[i].n;
	return r->v[i].s;
}
