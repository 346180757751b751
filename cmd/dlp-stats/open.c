/* Open ranges; see open.h. */
#include "err.h"
#include "open.h"

static struct open **spare;
static size_t nspare, cap;

struct open *
open_new(void)
{
	return nspare > 0 ? spare[--nspare] : xcalloc(1, sizeof(struct open));
}

void
open_give_back(struct open *o)
{
	if (o->seen.n > 0)
		map_clear(&o->seen);
	if (nspare == cap) {
		cap = cap != 0 ? cap * 2 : 64;
		spare = xrealloc(spare, cap, sizeof(*spare));
	}
	spare[nspare++] = o;
}

bool
open_same_name(const struct open *a, const struct open *b)
{
	return a->r.push == b->r.push && a->name.len == b->name.len &&
	       (a->name.len == 0 ||
		   memcmp(a->name.s, b->name.s, a->name.len) == 0);
}
