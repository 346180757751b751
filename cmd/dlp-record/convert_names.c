/*
 * Names of kernels: readable, and short. The short one is the name of the
 * function alone, without its namespaces, template arguments and parameters:
 *
 *	void at::native::reduce_kernel<512, 1, ...>(at::native::ReduceOp<...>)
 *	                 reduce_kernel
 */
#include <string.h>

#include "convert.h"
#include "demangle.h"

static const char anonymous[] = "(anonymous namespace)";

#define ANONYMOUS (sizeof(anonymous) - 1)

static bool
is_open(char c)
{
	return c == '(' || c == '<' || c == '{' || c == '[';
}

static bool
is_close(char c)
{
	return c == ')' || c == '>' || c == '}' || c == ']';
}

/* True if s[i] belongs to the name of an operator, such as operator<. */
static bool
in_operator(const char *s, size_t i)
{
	size_t k = i;

	while (k > 0 && strchr("<>=-()[]", s[k - 1]) != NULL)
		k--;
	return k >= 8 && memcmp(s + k - 8, "operator", 8) == 0;
}

/* The last list of parameters, which ends what the name can be. */
static size_t
find_params(const char *s, size_t n)
{
	size_t i, last = 0;
	int depth = 0;

	for (i = 0; i < n; i++) {
		if (n - i >= ANONYMOUS &&
		    memcmp(s + i, anonymous, ANONYMOUS) == 0) {
			i += ANONYMOUS - 1;
			continue;
		}
		if (in_operator(s, i) && strchr("<>-()[]", s[i]) != NULL)
			continue;
		if (s[i] == '(' && depth == 0)
			last = i;
		if (is_open(s[i]))
			depth++;
		else if (is_close(s[i]) && depth > 0)
			depth--;
	}
	return last > 0 ? last : n;
}

/* The name in s[0..n), which ends where the parameters begin. */
static void
find_name(const char *s, size_t n, size_t *begin, size_t *end)
{
	int depth = 0;
	size_t i;

	*begin = 0;
	*end = n;
	for (i = 0; i < n; i++) {
		if (n - i >= ANONYMOUS &&
		    memcmp(s + i, anonymous, ANONYMOUS) == 0) {
			i += ANONYMOUS - 1;
			continue;
		}
		if (depth == 0 && !in_operator(s, i)) {
			if (s[i] == ' ' || s[i] == ':') {
				*begin = i + 1;
				*end = n;
			} else if (s[i] == '<')
				*end = i;
		}
		if (is_open(s[i]))
			depth++;
		else if (is_close(s[i]) && depth > 0)
			depth--;
	}
}

void
conv_kernel_name(
    struct conv *c, int64_t mangled, int64_t *demangled, int64_t *brief)
{
	bool is_new;
	uint64_t *ids = map_put(&c->kernel, (uint64_t)mangled, &is_new);
	size_t begin, end;
	const char *s;

	if (is_new) {
		buf_clear(&c->buf);
		demangle(
		    smap_str(&c->text, (uint32_t)mangled - 1, NULL), &c->buf);
		s = buf_str(&c->buf);
		*demangled = conv_text(c, s, c->buf.len);
		find_name(s, find_params(s, c->buf.len), &begin, &end);
		*brief = *demangled;
		if (end > begin)
			*brief = conv_text(c, s + begin, end - begin);
		*ids = (uint64_t)*demangled << 32 | (uint64_t)*brief;
		return;
	}
	*demangled = (int64_t)(*ids >> 32);
	*brief = (int64_t)(uint32_t)*ids;
}
