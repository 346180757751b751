/*
 * Demangles with libiberty, which delivers its text in pieces. It is used
 * instead of __cxa_demangle because the readable form can be exponential in the
 * length of the mangled one, and libiberty can be stopped.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "demangle.h"

#define MAX_MANGLED (1 << 14)
#define MAX_TEXT (1 << 20)

/* libiberty's own limit against deep nesting refuses all names of more than
 * 1024 bytes, such as many of CUTLASS's; we limit the length instead. */
#define OPTIONS (DMGL_PARAMS | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT)

struct demangled {
	struct buf *out;
	size_t max; /* length of out at which to give up */
	jmp_buf stop;
};

static void
append(const char *s, size_t n, void *ctx)
{
	struct demangled *k = ctx;

	/* The demangler holds nothing but its stack frames. */
	if (n > k->max - k->out->len)
		longjmp(k->stop, 1);
	buf_put(k->out, s, n);
}

/* False if the name is not mangled, or the output is too long. */
static bool
run_demangler(const char *name, struct demangled *k)
{
	if (setjmp(k->stop) != 0)
		return false;
	return cplus_demangle_v3_callback(name, OPTIONS, append, k) != 0;
}

bool
demangle(const char *name, struct buf *out)
{
	struct demangled k;
	const size_t len = out->len;

	k.out = out;
	k.max = len + MAX_TEXT;
	/* Other names are not mangled: a bare "f" would become "float". */
	if (strncmp(name, "_Z", 2) == 0 && strlen(name) <= MAX_MANGLED &&
	    run_demangler(name, &k))
		return true;
	out->len = len;
	buf_puts(out, name);
	return false;
}

/*
 * demangle_old(): the name is rewritten so that today's demangler reads it as
 * the old ones did: its references are numbered anew. The numbers that the old
 * ones gave follow from how many parts can be referred to at the end of each
 * lambda. Today's demangler is asked for that: it refuses a reference to a
 * part that is not there.
 */
#define MAX_NAME 4096
#define MAX_DEPTH 256
#define MAX_LAMBDAS 64
#define MAX_PARTS 1024

struct mangled {
	const char *p;
	char open[MAX_DEPTH]; /* the kind that each E closes: N I Z X L J F,
			       * U lambda */
	int depth;
};

struct lambdas {
	size_t end[MAX_LAMBDAS]; /* place of the E after the parameters */
	long extra[MAX_LAMBDAS]; /* the number that old demanglers gave it */
	int n;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Over "12name". */
static const char *
source_name(const char *p)
{
	size_t n = 0, have;

	while (is_digit(*p) && n < MAX_NAME)
		n = n * 10 + (size_t)(*p++ - '0');
	have = strnlen(p, n);
	return p + have;
}

/* Over "12_", "_": a number with its end. */
static const char *
skip_number(const char *p)
{
	while (is_digit(*p) || (*p >= 'A' && *p <= 'Z'))
		p++;
	return *p == '_' ? p + 1 : p;
}

static bool
push(struct mangled *s, char c, size_t n)
{
	s->p += n;
	if (s->depth == MAX_DEPTH)
		return false;
	s->open[s->depth++] = c;
	return true;
}

/* A literal: Li12E, Lb1E, LN1a1bE3E, L1a3E, L_Z1fE. */
static bool
literal(struct mangled *s)
{
	const char *p = s->p + 1;

	if (*p == '_' && p[1] == 'Z')
		return push(s, 'L', 3);
	if (*p >= 'A' && *p <= 'Z')
		return push(s, 'L', 1);
	p = is_digit(*p) ? source_name(p) : p + 1;
	while (*p != '\0' && *p != 'E')
		p++;
	s->p = *p == 'E' ? p + 1 : p;
	return true;
}

/* Ends the construct that was opened last; a literal's value can follow a type.
 */
static bool
close_one(struct mangled *s)
{
	char c;

	if (s->depth == 0)
		return false;
	c = s->open[--s->depth];
	s->p++;
	if (c == 'U')
		s->p = skip_number(s->p);
	if (s->depth > 0 && s->open[s->depth - 1] == 'L' && is_digit(*s->p))
		while (is_digit(*s->p))
			s->p++;
	return true;
}

/* One step; false if the name has an unknown form. */
static bool
read_step(struct mangled *s)
{
	switch (*s->p) {
	case 'N':
	case 'I':
	case 'Z':
	case 'X':
	case 'J':
	case 'F':
		return push(s, *s->p, 1);
	case 'L':
		return literal(s);
	case 'E':
		return close_one(s);
	case 'U':
		if (s->p[1] == 'l')
			return push(s, 'U', 2);
		s->p = s->p[1] == 't' ? skip_number(s->p + 2) : s->p + 1;
		return true;
	case 'T':
		s->p = skip_number(s->p + 1);
		return true;
	case '_': /* the second of a name in a function: _0 */
		s->p += is_digit(s->p[1]) ? 2 : 1;
		return true;
	case 'S':
		s->p = s->p[1] >= 'a' ? s->p + 2 : skip_number(s->p + 1);
		return true;
	default:
		s->p = is_digit(*s->p) ? source_name(s->p) : s->p + 1;
		return true;
	}
}

static bool
read_begin(struct mangled *s, const char *name)
{
	memset(s, 0, sizeof(*s));
	s->p = name + 2;
	return strncmp(name, "_Z", 2) == 0 && strlen(name) <= MAX_NAME;
}

static bool
find_lambdas(const char *name, struct lambdas *l)
{
	struct mangled s;

	l->n = 0;
	if (!read_begin(&s, name))
		return false;
	while (*s.p != '\0') {
		if (*s.p == 'E' && s.depth > 0 && s.open[s.depth - 1] == 'U') {
			if (l->n == MAX_LAMBDAS)
				return false;
			l->end[l->n++] = (size_t)(s.p - name);
		}
		if (!read_step(&s))
			return false;
	}
	return l->n > 0;
}

static void
put_ref(struct buf *b, long k)
{
	char digits[16];
	int n = 0;

	buf_putc(b, 'S');
	for (k--; k >= 0; k = k < 36 ? -1 : k / 36)
		digits[n++] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[k % 36];
	while (n > 0)
		buf_putc(b, digits[--n]);
	buf_putc(b, '_');
}

static long
ref_number(const char *p)
{
	long k = 0;

	if (*p == '_')
		return 0;
	for (; *p != '_' && *p != '\0' && k < MAX_PARTS; p++)
		k = k * 36 + (is_digit(*p) ? *p - '0' : *p - 'A' + 10);
	return k + 1;
}

/* The same part as today's demanglers number it. */
static long
number_today(const struct lambdas *l, int n, long k)
{
	int i, before = 0;

	for (i = 0; i < n; i++)
		before += l->extra[i] < k;
	return k - before;
}

/*
 * Appends the name with today's numbers, using the first n lambdas. If k is not
 * -1, this is a question to the demangler: does part k exist at the end of
 * lambda n? It is asked as a further parameter of the lambda; everything after
 * it refers to part 0, which always exists.
 */
static void
renumber(
    const char *name, const struct lambdas *l, int n, long k, struct buf *out)
{
	struct mangled s;
	const char *from, *ask = k >= 0 ? name + l->end[n] : NULL;

	buf_clear(out);
	(void)read_begin(&s, name);
	buf_put(out, name, 2);
	while (*s.p != '\0') {
		from = s.p;
		if (from == ask)
			put_ref(out, k);
		(void)read_step(&s);
		if (*from != 'S' || from[1] >= 'a')
			buf_put(out, from, (size_t)(s.p - from));
		else if (ask != NULL && from > ask)
			put_ref(out, 0);
		else
			put_ref(out, number_today(l, n, ref_number(from + 1)));
	}
}

static bool
count_parts(const char *name, struct lambdas *l)
{
	struct buf probe = { 0 }, text = { 0 };
	long k = 0;
	int i;

	for (i = 0; i < l->n; i++) {
		for (; k < MAX_PARTS; k++) {
			renumber(name, l, i, k, &probe);
			buf_clear(&text);
			if (!demangle(buf_str(&probe), &text))
				break;
		}
		if (k == MAX_PARTS)
			break;
		l->extra[i] = k + i;
	}
	buf_free(&probe);
	buf_free(&text);
	return i == l->n;
}

bool
demangle_old(const char *name, struct buf *out)
{
	struct buf other = { 0 };
	struct lambdas l;
	size_t len = out->len;
	bool ok = false;

	if (find_lambdas(name, &l) && count_parts(name, &l)) {
		renumber(name, &l, l.n, -1, &other);
		ok = demangle(buf_str(&other), out);
		buf_free(&other);
		if (!ok)
			out->len = len;
	}
	return ok || demangle(name, out);
}
