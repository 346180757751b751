/*
 * Messages on standard error, one line each: "prog: what", and the exit
 * statuses of every command (dlp-records(5), EXIT STATUS).
 */
#pragma once

#include <setjmp.h>
#include <stddef.h>

enum {
	EXIT_OK = 0,      /* done */
	EXIT_GATE = 1,    /* a gate fired: --fail-on, --fail-over */
	EXIT_TROUBLE = 2, /* usage, input, I/O: any kind of error */
};

/* Sets the name that begins every message; keeps the pointer. */
void err_prog(const char *name);
const char *err_prog_name(void);

/* Prints "prog: MESSAGE"; control characters in it are shown escaped. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * warn() about an input in which records are missing, or which is empty or
 * broken off. If a script shows a pipeline as one command (dlp REPORT), such a
 * message is only of interest if no earlier command has printed one. After
 * err_as_stage() a TAB precedes it, by which the script recognises it.
 */
void warn_input(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void err_as_stage(void);

/* warn() and exit with EXIT_TROUBLE. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* warn_input() and exit with EXIT_TROUBLE. */
void die_input(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* As die(), with ": " and the text of errno appended. */
void die_errno(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/*
 * In a second thread, die() must not end the process, because other threads are
 * still at work. After a thread has called err_keep(), die() stores the message
 * in k and jumps to k->back. The first thread can then print it.
 */
struct err_kept {
	jmp_buf back;
	size_t n; /* bytes of line; 0: no error */
	char line[8704];
};
void err_keep(struct err_kept *k);
void err_say(const struct err_kept *k) __attribute__((noreturn));

/* Allocation that never returns NULL, because running out of memory is fatal. A
 * size of n elements is checked for overflow. Results are freed with free(). */
void *xmalloc(size_t n) __attribute__((returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));
void *xrealloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((returns_nonnull));
/* NUL-terminated copy */
char *xmemdup(const void *p, size_t n) __attribute__((returns_nonnull));
