/*
 * Demangling by libiberty, which hands over its text in pieces. That is
 * why it is used and not __cxa_demangle: the readable form can be
 * exponential in the length of the mangled one, and here it can be stopped.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "demangle.h"

#define MAX_MANGLED (1 << 14)
#define MAX_TEXT (1 << 20)

/* libiberty's own limit against deep nesting refuses every name of more
 * than 1024 bytes, as many of CUTLASS's are; ours is on the length. */
#define OPTIONS (DMGL_PARAMS | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT)

struct sink {
	struct buf *out;
	size_t max; /* length of out at which to give up */
	jmp_buf stop;
};

static void
take(const char *s, size_t n, void *ctx)
{
	struct sink *k = ctx;

	/* The demangler holds nothing but its stack frames. */
	if (n > k->max - k->out->len)
		longjmp(k->stop, 1);
	buf_put(k->out, s, n);
}

/* False if the name is none, or too much came out. */
static bool
run(const char *name, struct sink *k)
{
	if (setjmp(k->stop) != 0)
		return false;
	return cplus_demangle_v3_callback(name, OPTIONS, take, k) != 0;
}

bool
demangle(const char *name, struct buf *out)
{
	struct sink k;
	const size_t len = out->len;

	k.out = out;
	k.max = len + MAX_TEXT;
	/* Nothing else is mangled: a bare "f" would become "float". */
	if (strncmp(name, "_Z", 2) == 0 && strlen(name) <= MAX_MANGLED &&
	    run(name, &k))
		return true;
	out->len = len;
	buf_puts(out, name);
	return false;
}
