/* The message about a record type that nobody knows; see cols.h. */
#include <string.h>

#include "buf.h"
#include "cols.h"
#include "err.h"

#define LONGEST 12 /* of the registry's types */

/* How many letters must be added, dropped or changed to make b of a. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1], n = strlen(b), i, j, diag, was;

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 0; a[i] != '\0'; i++) {
		diag = row[0];
		row[0] = i + 1;
		for (j = 1; j <= n; j++) {
			was = row[j];
			if (a[i] != b[j - 1])
				diag++;
			if (was + 1 < diag)
				diag = was + 1;
			if (row[j - 1] + 1 < diag)
				diag = row[j - 1] + 1;
			row[j] = diag;
			diag = was;
		}
	}
	return row[n];
}

void
type_die(const char *opt, const char *tag)
{
	const struct type_def *t, *best = NULL;
	size_t least = strlen(tag) > 3 ? 3 : 2, d;
	struct buf b = { 0 };

	for (t = type_defs; t->type != NULL; t++) {
		buf_puts(&b, t == type_defs ? "" : ", ");
		buf_puts(&b, t->type);
		if (strlen(t->type) > LONGEST)
			continue;
		d = distance(tag, t->type);
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
