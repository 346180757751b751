/*
 * The kind of an over record; see over.h. The kinds are those of CUPTI's
 * CUpti_ActivityOverheadKind, whose names differ between recorders in case and
 * prefix.
 */
#include "over.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	const char *name; /* the end of the name, lower case */
	enum over over;
} kinds[] = {
	{ "driver compiler", OVER_LOAD },
	{ "driver jit compiler", OVER_LOAD },
	{ "runtime triggered module loading", OVER_LOAD },
	{ "runtime module loading", OVER_LOAD },
	{ "lazy function loading", OVER_LOAD },
	{ "command buffer full", OVER_QUEUE },
	{ "unknown", OVER_UNKNOWN },
	{ "undefined", OVER_UNKNOWN },
};

/* "CUPTI: Driver compiler", "Lazy Function Loading" */
static bool
ends_with(const char *s, size_t n, const char *name)
{
	size_t i, k = strlen(name);

	if (n < k || (n > k && s[n - k - 1] != ' '))
		return false;
	for (i = 0; i < k; i++)
		if (tolower((unsigned char)s[n - k + i]) != name[i])
			return false;
	return true;
}

enum over
over_of(const char *s, size_t n)
{
	static const char cuda[] = " (CUDA)";
	size_t i, k = sizeof(cuda) - 1;

	if (s == NULL)
		return OVER_UNKNOWN;
	if (n > k && memcmp(s + n - k, cuda, k) == 0)
		n -= k;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ends_with(s, n, kinds[i].name))
			return kinds[i].over;
	return OVER_PROFILER;
}
