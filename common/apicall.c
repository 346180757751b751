#include "apicall.h"

#include <string.h>

#include "array.h"
#include "mview.h"
#include "shipped.h"

static bool
drop_end(const char *s, size_t *n, const char *end)
{
	size_t k = strlen(end);

	if (*n <= k || memcmp(s + *n - k, end, k) != 0)
		return false;
	*n -= k;
	return true;
}

static bool
drop_version(const char *s, size_t *n)
{
	size_t k = *n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < *n && drop_end(s, &k, "_v") && (*n = k) > 0;
}

size_t
apicall_base(const char *s, size_t n)
{
	while (drop_version(s, &n) || drop_end(s, &n, "_ptds") ||
	       drop_end(s, &n, "_ptsz") || drop_end(s, &n, "_spt"))
		;
	return n;
}

/* What vocab.tab says of a call: KIND or KIND:SYNC. Its tables are named as the
 * prefixes, the one that s begins with comes off. */
static struct mview
call_of(struct mview *s)
{
	static const char *const prefix[] = { "cuda", "cu", "hip" };
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(prefix); i++) {
		k = strlen(prefix[i]);
		if (s->n > k && mv_starts(*s, prefix[i])) {
			*s = mv(s->s + k, s->s + s->n);
			return vocab_find(prefix[i], s->s, s->n);
		}
	}
	return mv(NULL, NULL);
}

/* A copy that is not asynchronous waits, and so does each Synchronize, of other
 * APIs as well. */
enum apicall_kind
apicall_kind(const char *s, size_t n)
{
	struct mview v = { s, apicall_base(s, n) }, name = v;
	struct mview of = call_of(&v);

	if (of.s != NULL)
		return *of.s == 'w'   ? APICALL_WAITS
		       : *of.s == 'a' ? APICALL_ALLOCATES
		       : *of.s == 'l' ? APICALL_LOADS
				      : APICALL_OTHER;
	if (mv_find(name, "Synchronize") != NULL)
		return APICALL_WAITS;
	if (v.n == name.n || !mv_starts(v, "Memcpy") ||
	    mv_find(v, "Async") != NULL)
		return APICALL_OTHER;
	return APICALL_WAITS;
}

const char *
apicall_sync(const char *s, size_t n)
{
	struct mview v = { s, apicall_base(s, n) }, of = call_of(&v);
	const char *sync = of.s != NULL ? strchr(of.s, ':') : NULL;

	return sync != NULL ? sync + 1 : NULL;
}
