/* Pieces of C++ names; see cpp.h. */
#include "cpp.h"

#include <string.h>

#include "num.h"

const char *
cpp_arg_end(const char *s, const char *e)
{
	int depth = 0;

	for (; s < e; s++) {
		if (*s == '-' && s + 1 < e && s[1] == '>') {
			s++; /* -> is no bracket */
			continue;
		}
		if (strchr("<([{", *s) != NULL)
			depth++;
		else if (depth > 0 && strchr(">)]}", *s) != NULL)
			depth--;
		else if (depth == 0 && strchr(",>)]}", *s) != NULL)
			break;
	}
	return s;
}

bool
cpp_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

enum dtype
cpp_type(struct span t)
{
	bool twice = span_find(t, "complex<") != NULL;
	const char *p, *q;
	enum dtype dt;

	for (p = t.s; p < t.e; p = q) {
		for (q = p; q < t.e && cpp_ident(*q); q++)
			;
		dt = dt_cpp_any(p, (size_t)(q - p));
		if (dt != DT_NONE)
			return !twice ? dt : dt == DT_FP64 ? DT_C128 : DT_C64;
		if (q == p)
			q++;
	}
	return DT_NONE;
}

int
cpp_size(struct span t)
{
	const char *p, *q;
	int64_t v;

	if ((p = span_find(t, "opaquetype<")) != NULL) {
		for (q = t.e; q > p && (q[-1] < '0' || q[-1] > '9'); q--)
			;
		for (p = q; p[-1] >= '0' && p[-1] <= '9'; p--)
			;
		return num_i64(p, (size_t)(q - p), &v) && v <= 16 ? (int)v : 0;
	}
	return dt_size(cpp_type(t));
}

int
cpp_split(const char *s, const char *e, struct span *v, int max)
{
	int n = 0;

	while (s < e && n < max) {
		while (s < e && *s == ' ')
			s++;
		v[n].s = s;
		v[n].e = s = cpp_arg_end(s, e);
		if (v[n].e > v[n].s)
			n++;
		if (s == e || *s != ',')
			break;
		s++;
	}
	return n;
}

const char *
span_last(struct span t, const char *what)
{
	const char *p, *last = NULL;

	while ((p = span_find(t, what)) != NULL) {
		last = p;
		t.s = p + 1;
	}
	return last;
}
