/*
 * Texts of PyTorch before 1.6 without a sequence number: the bare name of an op
 * ("addmm") or of a backward node.
 */
#include <ctype.h>

#include "mk.h"

/* A capital, letters and digits, Backward, digits. */
static bool
is_node_name(struct mview v)
{
	size_t i, n = v.n;

	if (!mk_backward_suffix(v.s, &n) || n == 0 ||
	    !isupper((unsigned char)*v.s))
		return false;
	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)v.s[i]))
			return false;
	return true;
}

bool
marker_bare(struct marker *marker, bool sure)
{
	struct mview v = marker->name;
	bool in_place = v.n > 1 && v.s[v.n - 1] == '_';

	if (marker->kind != MK_USER || marker->by != BY_USER ||
	    marker->flags != 0 || v.n == 0)
		return false;
	if (is_node_name(v)) {
		marker->kind = MK_BWD;
	} else {
		v.n -= in_place;
		if (v.n > 64 ||
		    (!mk_is(WORD_TELLING, v) &&
			((sure && !in_place) || !mk_is(WORD_COMMON, v))))
			return false;
		marker->kind = MK_OP;
	}
	marker->by = BY_PYTORCH;
	marker->op = marker->name;
	return true;
}
