/* Words that are similar; see near.h. */
#include <string.h>

#include "near.h"

size_t
near_distance(const char *a, const char *b)
{
	size_t row[NEAR_LONGEST + 1], n = strlen(b), i, j, diag, was;

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
