/*
 * Demangling by libiberty, which hands over its text in pieces. That is
 * why it is used and not __cxa_demangle: the readable form can be
 * exponential in the length of the mangled one, and here it can be stopped.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "demangle.h"

#define MAX_MANGLED (1 << 16)
#define MAX_TEXT (1 << 20)

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

bool
demangle(const char *name, struct buf *out)
{
	struct sink k;
	const size_t len = out->len;

	k.out = out;
	k.max = len + MAX_TEXT;
	/* Nothing else is mangled: a bare "f" would become "float". */
	if (strncmp(name, "_Z", 2) == 0 && strlen(name) <= MAX_MANGLED &&
	    setjmp(k.stop) == 0 &&
	    cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, take,
		&k) != 0)
		return true;
	out->len = len;
	buf_puts(out, name);
	return false;
}
