/*
 * Texts of PyTorch before 1.6 for what has no sequence number: the bare name
 * of an op or of a backward node.
 */
#include "marker.h"
#include "mk_aten.h"

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_alnum(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* A capital, letters and digits, Backward, digits. */
static bool
is_node(struct mview v)
{
	static const char word[] = "Backward";
	size_t i, n = v.n, w = sizeof(word) - 1;

	while (n > 0 && v.s[n - 1] >= '0' && v.s[n - 1] <= '9')
		n--;
	if (n <= w || !is_upper(v.s[0]) || memcmp(v.s + n - w, word, w) != 0)
		return false;
	for (i = 0; i < n; i++)
		if (!is_alnum(v.s[i]))
			return false;
	return true;
}

bool
marker_bare(struct marker *m, bool sure)
{
	enum aten_name a;

	if (m->kind != MK_USER || m->by != BY_USER || m->flags != 0 ||
	    m->name.n == 0)
		return false;
	if (is_node(m->name)) {
		m->kind = MK_BWD;
	} else {
		a = mk_aten(m->name);
		if (a == ATEN_NO || (sure && a != ATEN_TELLING))
			return false;
		m->kind = MK_OP;
	}
	m->by = BY_PYTORCH;
	m->op = m->name;
	return true;
}
