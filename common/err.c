/* Messages and allocation; see err.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "utf8.h"

static const char *prog = "dlp";
static bool as_stage; /* one per process, as prog is */

void
err_prog(const char *name)
{
	prog = name;
}

void
err_as_stage(void)
{
	as_stage = true;
}

const char *
err_prog_name(void)
{
	return prog;
}

/* A message may quote bytes of a hostile file, so bytes that can control a
 * terminal are shown in hex. Returns the end of the text at p, which must have
 * room for 4 times s. */
static char *
put_safe(char *p, const char *s)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = strlen(s);
	int len, i;
	long cp;

	for (; n > 0; s += len, n -= (size_t)len) {
		len = utf8_next(s, n, &cp);
		if (!utf8_hidden(cp)) {
			memcpy(p, s, (size_t)len);
			p += len;
			continue;
		}
		for (i = 0; i < len; i++) {
			*p++ = '\\';
			*p++ = 'x';
			*p++ = hex[(unsigned char)s[i] >> 4];
			*p++ = hex[s[i] & 15];
		}
	}
	return p;
}

#define TEXT 2048
#define LINE (4 * TEXT + 512)

_Static_assert(LINE == sizeof(((struct err_kept *)NULL)->line), "a line");

/* Makes the line; returns its length. */
static size_t make_line(char *line, const char *tail, const char *fmt,
    va_list ap) __attribute__((format(printf, 3, 0)));

static size_t
make_line(char *line, const char *tail, const char *fmt, va_list ap)
{
	char text[TEXT], *p = line;

	vsnprintf(text, sizeof(text), fmt, ap);
	p += snprintf(p, 128, "%.100s: ", prog);
	p = put_safe(p, text);
	if (tail != NULL)
		p += snprintf(p, 256, ": %.250s", tail);
	*p++ = '\n';
	return (size_t)(p - line);
}

static void message(const char *tail, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void
message(const char *tail, const char *fmt, va_list ap)
{
	char line[LINE];
	size_t n = make_line(line, tail, fmt, ap);

	/* one write, so that the stages of a pipeline do not mix lines */
	fwrite(line, 1, n, stderr);
}

static _Thread_local struct err_kept *kept;

void
err_keep(struct err_kept *k)
{
	k->n = 0;
	kept = k;
}

void
err_say(const struct err_kept *k)
{
	fwrite(k->line, 1, k->n, stderr);
	exit(EXIT_TROUBLE);
}

static void last_words(const char *tail, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void
last_words(const char *tail, const char *fmt, va_list ap)
{
	if (kept != NULL)
		kept->n = make_line(kept->line, tail, fmt, ap);
	else
		message(tail, fmt, ap);
}

static void end(void) __attribute__((noreturn));

static void
end(void)
{
	if (kept != NULL)
		longjmp(kept->back, 1);
	exit(EXIT_TROUBLE);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(NULL, fmt, ap);
	va_end(ap);
}

static void about_input(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

static void
about_input(const char *fmt, va_list ap)
{
	char line[LINE + 1] = "\t";
	size_t n = make_line(line + 1, NULL, fmt, ap);

	fwrite(as_stage ? line : line + 1, 1, n + as_stage, stderr);
}

void
warn_input(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	about_input(fmt, ap);
	va_end(ap);
}

void
die_input(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	about_input(fmt, ap);
	va_end(ap);
	exit(EXIT_TROUBLE);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	last_words(NULL, fmt, ap);
	va_end(ap);
	end();
}

/* If a descriptor is bad, the caller had closed it. */
static const char *
reason(int e)
{
	return e == EBADF ? "it is closed" : strerror(e);
}

void
die_errno(const char *fmt, ...)
{
	int e = errno;
	va_list ap;

	va_start(ap, fmt);
	last_words(reason(e), fmt, ap);
	va_end(ap);
	end();
}

void *
xmalloc(size_t n)
{
	void *p = malloc(n > 0 ? n : 1);

	if (p == NULL)
		die("out of memory");
	return p;
}

void *
xcalloc(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size);

	if (p == NULL)
		die("out of memory");
	return p;
}

void *
xrealloc(void *p, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		die("out of memory");
	p = realloc(p, total > 0 ? total : 1);
	if (p == NULL)
		die("out of memory");
	return p;
}

char *
xmemdup(const void *s, size_t n)
{
	char *p = xmalloc(n + 1);

	if (n > 0)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *
xstrdup(const char *s)
{
	return xmemdup(s, strlen(s));
}
