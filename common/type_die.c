/* The message about a record type that nobody knows; see cols.h. */
#include <string.h>

#include "buf.h"
#include "cols.h"
#include "err.h"
#include "words.h"

void
type_die(const char *opt, const char *tag)
{
	const struct type_def *t, *best = NULL;
	size_t least = strlen(tag) > 3 ? 3 : 2, d;
	struct buf b = { 0 };

	for (t = type_defs; t->type != NULL; t++) {
		buf_puts(&b, t == type_defs ? "" : ", ");
		buf_puts(&b, t->type);
		if (strlen(t->type) > NEAR_LONGEST)
			continue;
		d = near_distance(tag, t->type);
		if (d < least) {
			best = t;
			least = d;
		}
	}
	if (best != NULL)
		die("%s: no record type '%s' is known or in the input; '%s'"
		    " is",
		    opt, tag, best->type);
	die("%s: no record type '%s' is known or in the input; known are %s",
	    opt, tag, buf_str(&b));
}
