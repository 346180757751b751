/* Names of records as numbers; see name.h. */
#include "name.h"

#include <stdint.h>
#include <string.h>

#include "state.h"
#include "stem.h"

static struct gaps *gaps;

/* What stood last in a column, as it mostly does again: some columns of some
 * types share a place. */
#define N_LAST 128
static struct last {
	const struct rec_col *c;
	char s[64];
	size_t n;
	uint32_t no;
} last[N_LAST];

uint32_t
name_of(const struct rec *r, const struct rec_col *c)
{
	struct last *l = &last[(uintptr_t)c / sizeof(void *) % N_LAST];
	size_t n = 0;
	const char *s = c != NULL ? rec_raw(r, c, &n) : NULL;

	if (s == NULL)
		return SMAP_NONE;
	if (l->c == c && l->n == n && memcmp(l->s, s, n) == 0)
		return l->no;
	if (n > sizeof(l->s))
		return state_name(gaps, s, n);
	l->c = c;
	l->n = n;
	memcpy(l->s, s, n);
	l->no = state_name(gaps, s, n);
	return l->no;
}

enum did
name_did(uint32_t no, bool api)
{
	uint64_t *known;
	const char *s;
	size_t n;
	int shift = api ? 0 : 8;

	if (no == SMAP_NONE)
		return api ? D_API : D_N;
	known = &gaps->names.val[no];
	if ((*known >> shift & 0xff) == 0) {
		s = smap_str(&gaps->names, no, &n);
		*known |= (uint64_t)((api ? did_api : did_range)(s, n) + 1)
			  << shift;
	}
	return (enum did)((*known >> shift & 0xff) - 1);
}

uint32_t
name_work(const struct bind *k, enum type t, const struct rec *r)
{
	char text[64] = "set";
	size_t n, len;
	const char *s;

	if (t == T_KERN)
		return name_of(r, k->name);
	if (t != T_SET) {
		len = t == T_COPY ? 5 : 6;
		memcpy(text, t == T_COPY ? "copy " : "graph ", len + 1);
		s = rec_raw(r, k->name, &n);
		if (s != NULL && n < sizeof(text) - len)
			memcpy(text + len, s, n), text[len + n] = '\0';
	}
	return state_name(gaps, text, strlen(text));
}

uint32_t
name_head(const struct rec *r, const struct rec_col *c)
{
	size_t n = 0;
	const char *s = rec_raw(r, c, &n);

	return state_name(gaps, s, s != NULL ? stem_len(s, n) : 0);
}

void
name_open(struct gaps *g)
{
	gaps = g;
}

void
name_clear(void)
{
	memset(last, 0, sizeof(last));
}
