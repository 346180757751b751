/*
 * Short kernel names. A name that the profiler gave is kept, except those
 * of generic wrappers: hundreds of different CUTLASS kernels are all called
 * `Kernel2`, FlashAttention's are `device_kernel`. What such a kernel is
 * stands in its template arguments: either as a name of its own
 * (cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4), or as a type from
 * which kernname_cutlass.c builds one.
 */
#include <stdbool.h>
#include <string.h>

#include "kernname.h"
#include "kernname_cutlass.h"
#include "kernname_span.h"

/* What PyProf cuts out of a name, in its order. */
static const char *const cuts[] = { "void ",
	"at::", "cuda::", "native::", "(anonymous namespace)::" };

/* Names of wrappers that say nothing of what they wrap. */
static const char *const wrappers[] = { "Kernel", "Kernel2", "kernel",
	"device_kernel" };

static bool
is_wrapper(struct span base)
{
	size_t i;

	for (i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (span_is(base, wrappers[i]))
			return true;
	return span_starts(base, "enable_");
}

static bool
is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Cuts text out of s[from..len) wherever it begins a word. */
static void
cut_all(struct buf *b, size_t from, const char *text)
{
	size_t n = strlen(text), r = from, w = from;

	while (r < b->len) {
		if (b->len - r >= n && memcmp(b->s + r, text, n) == 0 &&
		    (w == from || !is_ident(text[0]) || !is_ident(b->s[w - 1])))
			r += n;
		else
			b->s[w++] = b->s[r++];
	}
	b->len = w;
}

/* As PyProf: up to the template arguments, without PyTorch's namespaces, up
 * to the parameters. */
static void
shorten(const char *full, struct buf *out)
{
	size_t i, from = out->len;
	const char *end;

	buf_put(out, full, strcspn(full, "<"));
	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		cut_all(out, from, cuts[i]);
	if (out->len > from) {
		end = memchr(out->s + from, '(', out->len - from);
		if (end != NULL)
			out->len = (size_t)(end - out->s);
	}
	if (out->len == from) /* operator<, a lambda: nothing is left */
		buf_puts(out, full);
}

/* The full name from the function's own name on: "Kernel2<...>(...)";
 * *space is the namespace before it. */
static struct span
from_base(struct span full, struct span base, struct span *space)
{
	size_t i, j;

	space->s = full.s;
	space->n = 0;
	for (i = 0; i + base.n < full.n; i++) {
		if (memcmp(full.s + i, base.s, base.n) != 0 ||
		    (full.s[i + base.n] != '<' && full.s[i + base.n] != '(') ||
		    (i > 0 && is_ident(full.s[i - 1])))
			continue;
		if (i >= 2 && full.s[i - 1] == ':') {
			for (j = i - 2; j > 0 && is_ident(full.s[j - 1]); j--)
				;
			space->s = full.s + j;
			space->n = i - 2 - j;
		}
		return (struct span){ full.s + i, full.n - i };
	}
	return (struct span){ full.s, 0 };
}

/* A type that names a kernel, not an argument of one. */
static bool
is_telling(struct span type)
{
	static const char *const plain[] = { "float", "double", "int", "long",
		"bool", "char", "short", "unsigned", "signed", "half", "__half",
		"__nv_bfloat16", "T1", "void" };
	size_t i;

	if (type.n == 0 || !is_ident(type.s[0]) ||
	    (type.s[0] >= '0' && type.s[0] <= '9'))
		return false;
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (span_is(type, plain[i]))
			return false;
	return true;
}

/* A readable name for the wrapper `base` around what its first template
 * argument says; false if there is nothing better. */
static bool
unwrap(struct span full, struct span base, struct buf *out)
{
	struct span space, type, name;
	int i;

	type = span_arg(from_base(full, base, &space), 0);
	for (i = 0; i < 8 && is_wrapper(span_base(type)); i++)
		type = span_arg(type, 0);
	name = span_base(type);
	if (span_starts(name, "cutlass")) {
		buf_put(out, name.s, name.n);
		return true;
	}
	if (kernname_cutlass(type, out))
		return true;
	if (is_telling(name)) {
		buf_put(out, name.s, name.n);
		return true;
	}
	if (space.n == 0 || span_starts(space, "cutlass"))
		return false;
	buf_put(out, space.s, space.n);
	buf_puts(out, "::");
	buf_put(out, base.s, base.n);
	return true;
}

size_t
kernname_short(const char *full, const char *given, struct buf *out)
{
	const size_t from = out->len;
	struct buf own = { NULL, 0, 0 };
	struct span base;

	if (given == NULL || given[0] == '\0') {
		shorten(full, &own);
		given = buf_str(&own);
	}
	/* Only its last part can be a wrapper: cutlass::Kernel */
	base = span_base(span_of(given));
	if (!is_wrapper(base) || !unwrap(span_of(full), base, out))
		buf_puts(out, given);
	buf_free(&own);
	return out->len - from;
}
