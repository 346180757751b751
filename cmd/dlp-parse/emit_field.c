/* Fields of records; see emit_field.h. */
#include "emit_field.h"

#include <string.h>

#include "event.h"
#include "out.h"

void
emit_num(int64_t v)
{
	if (v == EV_UNSET)
		out_unset();
	else
		out_i64(v);
}

void
emit_word(const char *s)
{
	out_raw(s, s != NULL ? strlen(s) : 0);
}
