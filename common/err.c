/* Messages and allocation; see err.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Writes a line to stderr in one piece, so that the stages of a pipeline do not
 * mix lines; or, if keep is set and this thread keeps its messages, stores it.
 * tail is appended; a TAB precedes the line if tab is set. */
static void say(bool keep, bool tab, const char *tail, const char *fmt,
    va_list ap) __attribute__((format(printf, 4, 0)));

static _Thread_local struct err_kept *kept;

static void
say(bool keep, bool tab, const char *tail, const char *fmt, va_list ap)
{
	char text[TEXT], own[LINE + 1];
	char *line = keep && kept != NULL ? kept->line : own, *p = line;

	vsnprintf(text, sizeof(text), fmt, ap);
	if (tab)
		*p++ = '\t';
	p += snprintf(p, 128, "%.100s: ", prog);
	p = put_safe(p, text);
	if (tail != NULL)
		p += snprintf(p, 256, ": %.250s", tail);
	*p++ = '\n';
	if (line == own)
		fwrite(line, 1, (size_t)(p - line), stderr);
	else
		kept->n = (size_t)(p - line);
}

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

#if defined(__has_feature)
#define HAS_LSAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_LSAN 1
#endif
#if HAS_LSAN
/* What die() leaves behind is not a leak. */
static int dying;
int __lsan_is_turned_off(void);
int
__lsan_is_turned_off(void)
{
	return dying;
}
#endif

static void end(void) __attribute__((noreturn));

static void
end(void)
{
	if (kept != NULL)
		longjmp(kept->back, 1);
#if HAS_LSAN
	dying = 1;
#endif
	exit(EXIT_TROUBLE);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(false, false, NULL, fmt, ap);
	va_end(ap);
}

void
warn_input(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(false, as_stage, NULL, fmt, ap);
	va_end(ap);
}

void
die_input(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(false, as_stage, NULL, fmt, ap);
	va_end(ap);
	exit(EXIT_TROUBLE);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(true, false, NULL, fmt, ap);
	va_end(ap);
	end();
}

void
die_errno(const char *fmt, ...)
{
	/* if a descriptor is bad, the caller had closed it */
	const char *reason = errno == EBADF ? "it is closed" : strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	say(true, false, reason, fmt, ap);
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
